//! Signals that end a command in good order: Ctrl-C, what `timeout` and queues of jobs send, and a terminal that closes.

use super::exit::Exit;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::unregister;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// While it is there, such a signal sets a flag.
pub struct Stops {
    last: Arc<AtomicUsize>,
    heard: Vec<signal_hook::SigId>,
}

impl Stops {
    /// Sets `stop` at a signal; further ones do nothing more: `timeout` sends each twice.
    pub fn set(stop: &Arc<AtomicBool>) -> Stops {
        let last = Arc::new(AtomicUsize::new(0));
        let mut heard = vec![];
        for signal in ending() {
            let number = usize::try_from(signal).unwrap_or_default();
            heard.extend(flag::register_usize(signal, last.clone(), number));
            heard.extend(flag::register(signal, stop.clone()));
        }
        Stops { last, heard }
    }

    /// The same, but a second Ctrl-C ends the program at once.
    pub fn set_once(stop: &Arc<AtomicBool>) -> Stops {
        let at_once = flag::register_conditional_default(SIGINT, stop.clone());
        let mut stops = Stops::set(stop);
        stops.heard.extend(at_once);
        stops
    }

    /// How a command ends that was stopped so.
    pub fn exit(&self) -> Exit {
        match i32::try_from(self.last.load(Ordering::Relaxed)) {
            Ok(signal) if signal != 0 && signal != SIGINT => Exit::Signal(signal),
            _ => Exit::Interrupted,
        }
    }
}

impl Drop for Stops {
    fn drop(&mut self) {
        for id in self.heard.drain(..) {
            unregister(id);
        }
    }
}

/// The signals that end a command in good order. What `nohup` starts is to go on when its terminal closes.
pub fn ending() -> impl Iterator<Item = i32> {
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| *s != SIGHUP || !is_ignored(*s))
}

/// Did whoever started this program ask for this signal to be ignored?
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
