//! Long work on threads: the only threads of the engine. A job can be asked how far it is, can be stopped, and
//! cannot take the session with it: a panic in a job is a result like any other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Stack of a job's thread, in bytes. Terms nest deeply and the passes over them are recursive; untouched pages cost
/// nothing.
const STACK: usize = 256 << 20;

pub type JobId = u64;

/// What a job and its owner share.
pub struct Control<P> {
    cancel: Arc<AtomicBool>,
    progress: Mutex<P>,
    started: Instant,
    /// Who is told at once.
    told: Option<Told<P>>,
}

type Told<P> = Box<dyn Fn(&P) + Send + Sync>;

impl<P: Clone> Control<P> {
    /// A control that nobody watches, for work that is done at once.
    pub fn unwatched(progress: P) -> Control<P> {
        Control {
            cancel: Arc::new(AtomicBool::new(false)),
            progress: Mutex::new(progress),
            started: Instant::now(),
            told: None,
        }
    }
    /// As [`Control::unwatched`], but each report is passed on at once.
    pub fn telling(progress: P, told: impl Fn(&P) + Send + Sync + 'static) -> Control<P> {
        Control { told: Some(Box::new(told)), ..Control::unwatched(progress) }
    }
    pub fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
    /// The flag that stops the job, for code that polls it itself.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        self.cancel.clone()
    }
    pub fn report(&self, progress: P) {
        if let Some(told) = &self.told {
            told(&progress);
        }
        *self.lock() = progress;
    }
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
    fn lock(&self) -> MutexGuard<'_, P> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running job, as shown.
#[derive(Clone, Debug)]
pub struct JobView<P> {
    pub id: JobId,
    pub label: String,
    pub elapsed: Duration,
    pub progress: P,
    pub cancelling: bool,
}

struct Running<P> {
    id: JobId,
    label: String,
    control: Arc<Control<P>>,
}

/// Running jobs with progress `P` and results `R`.
pub struct Jobs<P, R> {
    running: Vec<Running<P>>,
    next: JobId,
    sender: Sender<(JobId, Result<R, String>)>,
    results: Receiver<(JobId, Result<R, String>)>,
    notify: Arc<dyn Fn() + Send + Sync>,
}

impl<P: Clone + Send + 'static, R: Send + 'static> Jobs<P, R> {
    /// `notify` is called from a job's thread whenever [`Jobs::poll`] has something.
    pub fn new(notify: Arc<dyn Fn() + Send + Sync>) -> Jobs<P, R> {
        let (sender, results) = channel();
        Jobs { running: vec![], next: 1, sender, results, notify }
    }

    /// Starts work on a thread of its own.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(
        &mut self,
        label: String,
        progress: P,
        work: impl FnOnce(&Control<P>) -> R + Send + 'static,
    ) -> std::io::Result<JobId> {
        let id = self.next;
        let control = Arc::new(Control::unwatched(progress));
        let (shared, sender, notify) = (control.clone(), self.sender.clone(), self.notify.clone());
        std::thread::Builder::new().name(format!("job {id}")).stack_size(STACK).spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&shared))).map_err(|panic| {
                let text = panic.downcast_ref::<&str>().map(ToString::to_string);
                text.or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_else(|| "unknown cause".into())
            });
            // A session that was dropped meanwhile wants no result.
            let _ = sender.send((id, result));
            notify();
        })?;
        self.next += 1;
        self.running.push(Running { id, label, control });
        Ok(id)
    }

    /// Results that have arrived; a panic is its message.
    pub fn poll(&mut self) -> Vec<(JobId, Result<R, String>)> {
        let done: Vec<_> = self.results.try_iter().collect();
        self.running.retain(|r| done.iter().all(|(id, _)| *id != r.id));
        done
    }

    /// Waits for the next result, but not longer than this.
    pub fn wait(&mut self, at_most: Duration) -> Option<(JobId, Result<R, String>)> {
        let done = self.results.recv_timeout(at_most).ok()?;
        self.running.retain(|r| r.id != done.0);
        Some(done)
    }

    pub fn views(&self) -> Vec<JobView<P>> {
        let view = |r: &Running<P>| JobView {
            id: r.id,
            label: r.label.clone(),
            elapsed: r.control.elapsed(),
            progress: r.control.lock().clone(),
            cancelling: r.control.cancelled(),
        };
        self.running.iter().map(view).collect()
    }

    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Asks a job to stop; its result says how far it came. False when it is not running.
    pub fn cancel(&self, id: JobId) -> bool {
        let job = self.running.iter().find(|r| r.id == id);
        if let Some(job) = job {
            job.control.cancel.store(true, Ordering::Relaxed);
        }
        job.is_some()
    }

    pub fn cancel_all(&self) {
        self.running.iter().for_each(|r| r.control.cancel.store(true, Ordering::Relaxed));
    }
}

impl<P, R> Drop for Jobs<P, R> {
    fn drop(&mut self) {
        self.running.iter().for_each(|r| r.control.cancel.store(true, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> Jobs<u32, u32> {
        Jobs::new(Arc::new(|| {}))
    }

    /// Longer than anything here takes.
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_job_runs_until_it_is_cancelled_and_says_how_far_it_came() {
        let mut jobs = jobs();
        let id = jobs
            .start("count".into(), 0, |c| {
                let mut n = 0;
                while !c.cancelled() {
                    n += 1;
                    c.report(n);
                    std::thread::yield_now();
                }
                n
            })
            .unwrap();
        while jobs.views()[0].progress == 0 {
            std::thread::yield_now();
        }
        assert!(jobs.cancel(id) && jobs.views()[0].cancelling);
        assert!(matches!(jobs.wait(LONG), Some((done, Ok(n))) if done == id && n > 0));
        assert!(jobs.is_idle() && jobs.wait(Duration::ZERO).is_none() && !jobs.cancel(id));
    }

    #[test]
    fn a_panic_is_a_result() {
        let mut jobs = jobs();
        jobs.start("fail".into(), 0, |_| panic!("on purpose")).unwrap();
        assert!(matches!(jobs.wait(LONG), Some((_, Err(why))) if why == "on purpose"));
    }
}
