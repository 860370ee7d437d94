//! What compilers, drivers and kernels print: caught, bounded, and made harmless for the screen.
use std::collections::VecDeque;

/// Bytes kept from the beginning, and as many from the end.
const KEPT: usize = 16 << 10;

/// Keeps the beginning and the end of a stream of any length.
#[derive(Debug, Default)]
pub struct Capture {
    first: Vec<u8>,
    last: VecDeque<u8>,
    dropped: u64,
}

impl Capture {
    pub fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.first.len()));
        self.first.extend_from_slice(first);
        self.last.extend(rest);
        let excess = self.last.len().saturating_sub(KEPT);
        self.last.drain(..excess);
        self.dropped += excess as u64;
    }

    pub fn text(&self) -> String {
        let mut text = printable(&self.first);
        if self.dropped > 0 {
            text.push_str(&format!("\n[… {} bytes left out …]\n", self.dropped));
        }
        let last: Vec<u8> = self.last.iter().copied().collect();
        text.push_str(&printable(&last));
        text
    }
}

/// Text without escape sequences' lead-ins and other control characters; line ends and tabs stay.
pub fn printable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// The same for a whole output, bounded.
pub fn bounded(bytes: &[u8]) -> String {
    let mut capture = Capture::default();
    capture.push(bytes);
    capture.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_keeps_both_ends() {
        let mut capture = Capture::default();
        for _ in 0..1000 {
            capture.push(&[b'a'; 100]);
        }
        capture.push(b"the end");
        let text = capture.text();
        assert!(text.starts_with("aaa") && text.ends_with("the end"));
        assert!(text.contains("bytes left out"));
        assert!(text.len() < 3 * KEPT);
    }

    #[test]
    fn escapes_do_not_reach_the_screen() {
        assert_eq!(bounded(b"\x1b[31mred\x07\r\n\tx\xff"), "[31mred\n\tx\u{fffd}");
    }
}
