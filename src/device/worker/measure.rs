//! The protocol of a measurement, apart from what is measured.
//!
//! Every kernel first runs once uncounted (caches, page faults, drivers that compile late). Then kernels take turns,
//! and the order of the turns alternates, so that a drift of the machine hits all of them alike.
use super::super::proto::{Mode, Progress};
use super::super::quiet::Place;
use super::super::{DeviceError, Timer};
use std::time::{Duration, Instant};

/// A compiled kernel with its memory, ready to run.
pub trait Kernel {
    /// Runs once and returns the nanoseconds that each of its parts took.
    fn run(&mut self) -> Result<Vec<u64>, DeviceError>;
    /// The outputs as bytes, one behind the other, and a last look at the memory around them.
    fn outputs(&mut self) -> Result<Vec<u8>, DeviceError>;
    fn about(&self) -> About;
}

/// What a report says of a kernel beside its times.
#[derive(Clone, Debug)]
pub struct About {
    pub timer: Timer,
    pub compiler: String,
    pub device: String,
    /// The threads that there are for parallel loops, and how many of them the kernel uses at most.
    pub threads: u32,
    pub used: u32,
    pub place: Place,
    pub warnings: Vec<String>,
    /// What the times of a run are of.
    pub parts: Vec<String>,
}

/// Runs all kernels by one protocol; for each kernel the times of each run, by parts.
pub fn measure(
    kernels: &mut [Box<dyn Kernel>],
    mode: Mode,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Vec<Vec<u64>>>, DeviceError> {
    let mut samples = vec![Vec::new(); kernels.len()];
    progress(Progress::WarmingUp);
    let (min_runs, max_runs, max_seconds) = match mode {
        Mode::Once => (1, 1, 0.0),
        Mode::Measure { min_runs, max_runs, max_seconds } => {
            for kernel in kernels.iter_mut() {
                kernel.run()?;
            }
            (min_runs, max_runs, max_seconds)
        }
    };
    let limit = Duration::try_from_secs_f64(max_seconds.max(0.0)).unwrap_or(Duration::MAX);
    let start = Instant::now();
    let mut told = start;
    for done in 0..max_runs {
        if done >= min_runs && start.elapsed() >= limit {
            break;
        }
        // Few messages, because each wakes the parent, which then competes for a core.
        if done == 0 || told.elapsed() >= Duration::from_millis(100) {
            progress(Progress::Running { done, of: max_runs });
            told = Instant::now();
        }
        let mut turns: Vec<_> = kernels.iter_mut().zip(samples.iter_mut()).collect();
        if done % 2 == 1 {
            turns.reverse();
        }
        for (kernel, times) in turns {
            times.push(kernel.run()?);
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    struct Counted(char, Rc<RefCell<String>>);

    impl Kernel for Counted {
        fn run(&mut self) -> Result<Vec<u64>, DeviceError> {
            let mut order = self.1.borrow_mut();
            order.push(self.0);
            Ok(vec![order.len() as u64])
        }
        fn outputs(&mut self) -> Result<Vec<u8>, DeviceError> {
            Ok(Vec::new())
        }
        fn about(&self) -> About {
            let compiler = String::new();
            let (device, warnings, parts) = (String::new(), Vec::new(), vec![self.0.to_string()]);
            About {
                timer: Timer::Host,
                compiler,
                device,
                threads: 1,
                used: 1,
                place: Place::Host,
                warnings,
                parts,
            }
        }
    }

    fn order(names: &str, mode: Mode) -> (String, Vec<Vec<u64>>) {
        let order = Rc::new(RefCell::new(String::new()));
        let mut kernels: Vec<Box<dyn Kernel>> = Vec::new();
        for name in names.chars() {
            kernels.push(Box::new(Counted(name, Rc::clone(&order))));
        }
        let samples = measure(&mut kernels, mode, &mut |_| ()).unwrap();
        let samples = samples.iter().map(|runs| runs.concat()).collect();
        let order = order.borrow().clone();
        (order, samples)
    }

    #[test]
    fn pairs_take_turns_after_a_run_that_does_not_count() {
        let (order, samples) = order("ab", Mode::Measure { min_runs: 1, max_runs: 3, max_seconds: 60.0 });
        assert_eq!(order, "ababbaab");
        assert_eq!(samples, [[3, 6, 7], [4, 5, 8]]);
    }

    #[test]
    fn no_time_left_still_means_the_fewest_runs() {
        let (order, _) = order("a", Mode::Measure { min_runs: 5, max_runs: 30, max_seconds: 0.0 });
        assert_eq!(order.len(), 6);
    }

    #[test]
    fn once_is_once() {
        assert_eq!(order("a", Mode::Once).0, "a");
    }
}
