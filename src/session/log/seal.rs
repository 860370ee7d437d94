//! The seals of a log: every line ends in a digest of itself and of all lines before it.
//!
//! So a text, a size, a time or a digest that was changed after it was recorded is seen, as is a line that was taken
//! away, doubled or moved. A seal is no signature: who can write a log can seal it. What it says is that the log is
//! as it was recorded; what it leads to is checked by replaying it.

use crate::lang::digest::Digest;

const FIELD: &str = ", seal: \"";

/// The digest of the lines so far.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    last: Option<Digest>,
    /// Has a line had a seal?
    sealed: bool,
}

/// What a line's seal says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seal {
    Holds,
    /// The line has none, and none before it has: an older version wrote it.
    None,
    /// It or a line before it is another one than was recorded.
    Broken,
}

impl Chain {
    /// The line with its seal.
    pub fn seal(&mut self, line: &str) -> String {
        self.sealed = true;
        let digest = self.take(line);
        match line.strip_suffix(')') {
            Some(open) => format!("{open}{FIELD}{digest}\")"),
            None => line.to_owned(),
        }
    }

    /// Takes in a line that was read.
    pub fn check(&mut self, line: &str) -> Seal {
        let Some((plain, seal)) = split(line) else {
            self.take(line);
            return if self.sealed { Seal::Broken } else { Seal::None };
        };
        self.sealed = true;
        if self.take(&plain) == seal { Seal::Holds } else { Seal::Broken }
    }

    fn take(&mut self, plain: &str) -> Digest {
        let mut bytes = self.last.map(|d| d.bytes().to_vec()).unwrap_or_default();
        bytes.extend(plain.as_bytes());
        let digest = Digest::of(&bytes);
        self.last = Some(digest);
        digest
    }
}

/// A line without its seal, and the seal.
fn split(line: &str) -> Option<(String, Digest)> {
    let (open, seal) = line.trim_end().strip_suffix("\")")?.rsplit_once(FIELD)?;
    Some((format!("{open})"), Digest::parse(seal)?))
}

/// The log without its seals, as older versions wrote it.
#[cfg(test)]
pub fn without(log: &str) -> String {
    log.lines().map(|line| split(line).map_or(line.to_owned(), |(plain, _)| plain) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> Vec<String> {
        let mut chain = Chain::default();
        ["session(format: 1)", "do(n: 1, a: \", seal: \\\"\")", "do(n: 2)"].map(|l| chain.seal(l)).to_vec()
    }

    fn seals(lines: &[String]) -> Vec<Seal> {
        let mut chain = Chain::default();
        lines.iter().map(|l| chain.check(l)).collect()
    }

    #[test]
    fn every_change_of_a_sealed_line_is_seen() {
        let lines = sealed();
        assert_eq!(seals(&lines), [Seal::Holds; 3]);
        for at in 0..lines.len() {
            for i in 0..lines[at].len() {
                let mut other = lines.clone();
                other[at].replace_range(i..=i, if lines[at][i..].starts_with('0') { "1" } else { "0" });
                assert!(seals(&other).contains(&Seal::Broken), "{}", other[at]);
            }
        }
        let mut swapped = lines.clone();
        swapped.swap(1, 2);
        assert!(seals(&swapped).contains(&Seal::Broken));
        assert!(seals(&lines[1..]).contains(&Seal::Broken));
        assert!(seals(&[lines[0].clone(), lines[2].clone()]).contains(&Seal::Broken));
        let stripped = [lines[0].clone(), lines[1].clone(), "do(n: 2)".into()];
        assert_eq!(seals(&stripped)[2], Seal::Broken);
    }

    #[test]
    fn a_log_without_seals_can_go_on_with_them() {
        let old = without(&sealed().join("\n"));
        let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
        assert_eq!(seals(&lines), [Seal::None; 3]);
        let mut chain = Chain::default();
        assert!(lines.iter().all(|l| chain.check(l) == Seal::None));
        lines.push(chain.seal("do(n: 3)"));
        assert_eq!(seals(&lines)[3], Seal::Holds);
        lines[1] = "do(n: 7)".into();
        assert_eq!(seals(&lines)[3], Seal::Broken);
    }
}
