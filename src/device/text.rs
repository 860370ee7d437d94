//! What compilers, drivers and kernels print: caught, bounded, and made harmless for the screen.
use crate::lang::source::is_harmful;
use std::collections::VecDeque;
use std::io::{self, Read};

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

/// Listens until nobody speaks any more, or `most` bytes were said: who speaks on is then told that nobody listens.
pub fn heard(from: Option<impl Read>, most: u64) -> String {
    let mut capture = Capture::default();
    let mut rest = from.map(|from| from.take(most));
    let mut chunk = [0; 4096];
    while let Some(from) = &mut rest {
        match from.read(&mut chunk) {
            Ok(count @ 1..) => capture.push(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => rest = None,
        }
    }
    capture.text()
}

/// Text without escape sequences' lead-ins and other control characters; line ends and tabs stay.
pub fn printable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .filter(|c| !is_harmful(*c) && !matches!(c, '\r' | '\x0c'))
        .collect()
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
    fn a_flood_is_not_heard_out() {
        let text = heard(Some(io::repeat(b'x')), 1 << 20);
        assert!(text.len() < 3 * KEPT && text.contains("bytes left out"));
        assert_eq!(heard(None::<io::Empty>, 1), "");
    }

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
