//! How long the user waits: from a key to the frame that shows its effect.
//!
//! Measured inside the program, from the moment the key was read to the moment the frame was written out.

use std::time::{Duration, Instant};

/// Latencies beyond this count are not kept one by one; the largest always is.
const KEPT: usize = 100_000;

/// The waits of one run of the screen.
#[derive(Debug)]
pub struct Latency {
    started: Instant,
    first: Option<Duration>,
    pending: Option<Instant>,
    drawn: usize,
    idle: Vec<Duration>,
    busy: Vec<Duration>,
}

impl Latency {
    /// Begins to measure; `started` is when the program was started.
    pub fn new(started: Instant) -> Latency {
        Latency { started, first: None, pending: None, drawn: 0, idle: Vec::new(), busy: Vec::new() }
    }

    /// A key was read at this moment. Of several before a frame the first counts.
    pub fn key(&mut self, at: Instant) {
        self.pending.get_or_insert(at);
    }

    /// The terminal was somebody else's meanwhile: that wait does not count.
    pub fn forget(&mut self) {
        self.pending = None;
    }

    /// A frame has been written out; `busy` says whether a job is running.
    pub fn frame(&mut self, now: Instant, busy: bool) {
        self.drawn += 1;
        self.first.get_or_insert(now.duration_since(self.started));
        if let Some(key) = self.pending.take() {
            let kept = if busy { &mut self.busy } else { &mut self.idle };
            if kept.len() < KEPT {
                kept.push(now.duration_since(key));
            }
        }
    }

    /// The figures as JSON: times in milliseconds.
    pub fn report(&self) -> serde_json::Value {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let summary = |times: &[Duration]| {
            let mut sorted = times.to_vec();
            sorted.sort_unstable();
            let at = |share: f64| {
                let i = (sorted.len() as f64 * share).ceil() as usize;
                sorted.get(i.saturating_sub(1)).copied().map(ms)
            };
            serde_json::json!({
                "count": sorted.len(),
                "median_ms": at(0.5),
                "p99_ms": at(0.99),
                "max_ms": sorted.last().copied().map(ms),
            })
        };
        serde_json::json!({
            "first_frame_ms": self.first.map(ms),
            "frames": self.drawn,
            "key_to_frame_idle": summary(&self.idle),
            "key_to_frame_while_a_job_runs": summary(&self.busy),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_before_a_frame_counts() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut latency = Latency::new(start);
        latency.frame(at(20), false);
        latency.key(at(30));
        latency.key(at(34));
        latency.frame(at(38), true);
        latency.frame(at(50), true);
        let report = latency.report();
        assert_eq!(report["first_frame_ms"], 20.0);
        assert_eq!(report["frames"], 3);
        assert_eq!(report["key_to_frame_while_a_job_runs"]["max_ms"], 8.0);
        assert_eq!(report["key_to_frame_idle"]["count"], 0);
    }
}
