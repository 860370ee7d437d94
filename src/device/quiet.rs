//! What else the machine did while something was measured, as the system tells it: other programs, and other virtual machines.
//!
//! Linux counts the time of all processors in ticks of a hundredth of a second; where nothing is counted, nothing is said.

use std::fs::read_to_string;
use std::time::{Duration, Instant};

/// How the sentences begin by which a measurement says that it was disturbed.
pub const BUSY: &str = "The machine was busy while this was measured";

/// How many programs wanted to run in the last minute, on the average.
pub fn load() -> Option<f64> {
    read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

const TICKS_A_SECOND: f64 = 100.0;
/// Of less time ticks tell too little.
const LEAST: Duration = Duration::from_millis(200);
/// What systems do besides, in processors.
const LITTLE: f64 = 0.2;
/// The part of the time of all processors that other virtual machines may take.
const STOLEN: f64 = 0.05;

/// The processors' time so far, in ticks.
#[derive(Clone, Copy, Debug)]
struct Ticks {
    /// Of all programs.
    busy: u64,
    /// Of this one.
    own: u64,
    /// Taken by other virtual machines.
    stolen: u64,
    processors: usize,
}

/// Looks at the machine from its making on.
pub struct Watch {
    began: Instant,
    before: Option<Ticks>,
}

/// What else a machine did, in processors that it kept busy on the average.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elsewhere {
    pub others: f64,
    pub stolen: f64,
    pub processors: usize,
}

impl Watch {
    pub fn new() -> Watch {
        Watch { began: Instant::now(), before: now() }
    }

    /// What else was done since then; none where that is not known.
    pub fn elsewhere(&self) -> Option<Elsewhere> {
        let took = self.began.elapsed();
        (took >= LEAST).then(|| between(self.before?, now()?, took)).flatten()
    }
}

fn now() -> Option<Ticks> {
    ticks(&read_to_string("/proc/stat").ok()?, &read_to_string("/proc/self/stat").ok()?)
}

fn ticks(all: &str, own: &str) -> Option<Ticks> {
    let first = all.lines().next()?.strip_prefix("cpu ")?;
    let figures: Vec<u64> = first.split_whitespace().map_while(|n| n.parse().ok()).collect();
    let [user, nice, system, _, _, interrupts, soft, stolen, ..] = figures[..] else { return None };
    let is_processor = |line: &&str| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    // The program's name stands in parentheses and may have any characters.
    let own: Vec<&str> = own.rsplit_once(')')?.1.split_whitespace().collect();
    let figure = |at: usize| own.get(at)?.parse::<u64>().ok();
    Some(Ticks {
        busy: [user, nice, system, interrupts, soft].iter().sum(),
        own: figure(11)?.saturating_add(figure(12)?),
        stolen,
        processors: all.lines().filter(is_processor).count(),
    })
}

fn between(before: Ticks, after: Ticks, took: Duration) -> Option<Elsewhere> {
    let since = |of: fn(&Ticks) -> u64| of(&after).saturating_sub(of(&before)) as f64;
    let average = |ticks: f64| ticks.max(0.0) / TICKS_A_SECOND / took.as_secs_f64();
    (after.processors > 0).then(|| Elsewhere {
        others: average(since(|t| t.busy) - since(|t| t.own)),
        stolen: average(since(|t| t.stolen)),
        processors: after.processors,
    })
}

/// What is said of kernels that took turns on different numbers of threads.
pub const UNLIKE: &str = "What took turns runs on different numbers of threads, of which more are disturbed more: what is compared holds of a \
     machine that is as busy, and of no other.";

/// Where the threads of a kernel are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// On the processors that this process runs on, as many as the device is given.
    Host,
    /// There, as many as a driver of OpenCL takes.
    Driver,
    /// On a device of its own, whatever else the processors do.
    Apart,
}

/// How kernels ran that are to be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// One alone.
    None,
    /// In turns, on as many threads each.
    Alike,
    /// In turns, on different numbers of threads: of what else runs, more threads meet more.
    Unlike,
}

impl Turns {
    /// Of kernels that ran on so many threads.
    pub fn of(threads: &[u32]) -> Turns {
        match threads {
            [] | [_] => Turns::None,
            [first, rest @ ..] if rest.iter().all(|n| n == first) => Turns::Alike,
            _ => Turns::Unlike,
        }
    }
}

impl Elsewhere {
    /// That kernels on so many threads had to share processors, if they had to. Those that took turns are compared already.
    pub fn disturbed(self, threads: u32, place: Place, in_turns: Turns) -> Option<String> {
        if place == Place::Apart {
            return None;
        }
        let Elsewhere { others, stolen, processors } = self;
        let of = match processors {
            1 => "its one processor".to_owned(),
            several => format!("its {several} processors"),
        };
        let turns = match in_turns {
            Turns::None => {
                "`--against` compares two programs in turns, which are disturbed alike where they run on as many threads."
            }
            Turns::Alike => "What took turns was disturbed alike.",
            Turns::Unlike => UNLIKE,
        };
        if stolen > STOLEN * processors as f64 {
            let part = 100.0 * stolen / processors as f64;
            return Some(format!(
                "{BUSY}: other virtual machines took {part:.0} % of the time of {of}. Measure again when they are quiet. {turns}"
            ));
        }
        let shared = others > LITTLE && others + f64::from(threads) > processors as f64 + LITTLE / 2.0;
        shared.then(|| {
            let on = if threads > 1 { format!("up to {threads} threads") } else { "one thread".to_owned() };
            let fewer = if threads > 1 && place == Place::Host {
                ", or leave them room by fewer threads, as in `--device 'cpu[1 thread]'`"
            } else {
                ""
            };
            format!(
                "{BUSY}: other programs kept {others:.1} of {of} busy, beside {on} of the kernel. End them{fewer}. {turns}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "77 (a (strange) name) R 1 77 77 0 -1 4 0 0 0 0 150 50 0 0 20 0 1 0";

    #[test]
    fn what_other_programs_took_is_what_is_not_ones_own() {
        let before = ticks("cpu  100 0 100 900 0 0 0 10 0 0\ncpu0 1\ncpu1 1\nintr 5\n", OWN).unwrap();
        assert_eq!((before.busy, before.own, before.stolen, before.processors), (200, 200, 10, 2));
        let after = Ticks { busy: 500, own: 350, stolen: 20, processors: 2 };
        let found = between(before, after, Duration::from_secs(1)).unwrap();
        assert_eq!(found, Elsewhere { others: 1.5, stolen: 0.1, processors: 2 });
        assert!(ticks("nothing", OWN).is_none());
    }

    #[test]
    fn a_kernel_that_had_to_share_processors_was_disturbed() {
        let elsewhere = Elsewhere { others: 1.0, stolen: 0.0, processors: 2 };
        let said = elsewhere.disturbed(2, Place::Host, Turns::None).unwrap();
        assert!(said.contains("other programs kept 1.0 of its 2 processors busy"), "{said}");
        assert!(said.contains("`--device 'cpu[1 thread]'`"), "{said}");
        // A driver of OpenCL takes as many threads as it likes, and a kernel on another device meets nobody.
        let said = elsewhere.disturbed(2, Place::Driver, Turns::None).unwrap();
        assert!(said.contains("up to 2 threads of the kernel. End them. `--against`"), "{said}");
        assert_eq!(elsewhere.disturbed(2, Place::Apart, Turns::None), None);
        // One thread has the processor that the others leave.
        assert_eq!(elsewhere.disturbed(1, Place::Host, Turns::None), None);
        assert_eq!(Elsewhere { others: 0.1, ..elsewhere }.disturbed(2, Place::Host, Turns::None), None);
        let stolen = Elsewhere { others: 0.0, stolen: 0.5, ..elsewhere }
            .disturbed(1, Place::Host, Turns::of(&[1, 1]))
            .unwrap();
        assert!(stolen.contains("other virtual machines took 25 % of the time"), "{stolen}");
        assert!(!stolen.contains("--against") && stolen.contains("disturbed alike"), "{stolen}");
        // Of one thread and two, the two are disturbed more.
        let unlike = elsewhere.disturbed(2, Place::Host, Turns::of(&[1, 2])).unwrap();
        assert!(
            !unlike.contains("disturbed alike") && unlike.contains("as busy, and of no other"),
            "{unlike}"
        );
    }
}
