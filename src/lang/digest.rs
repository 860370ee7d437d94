//! Stable hashes of programs, rules and kernels.
//!
//! A digest is the first half of a BLAKE3 hash over canonical bytes of our own, so it changes neither with the
//! version of a printing library nor with the platform, and two different terms never share one in practice:
//! equality of terms and types is equality of their digests.

use smallvec::SmallVec;
use std::fmt;

/// What a digest is taken of: mostly a few other digests.
pub type Bytes = SmallVec<[u8; 128]>;

/// 128 bits that stand for a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 16]);

impl Digest {
    pub fn of(bytes: &[u8]) -> Digest {
        let hash = blake3::hash(bytes);
        let mut out = [0; 16];
        out.copy_from_slice(&hash.as_bytes()[..16]);
        Digest(out)
    }

    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Reads what [`Digest`]'s `Display` writes: `b3:` and 32 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Digest> {
        let hex = text.strip_prefix("b3:")?;
        if hex.len() != 32 || !hex.is_ascii() {
            return None;
        }
        let mut out = [0; 16];
        for (byte, pair) in out.iter_mut().zip(hex.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Digest(out))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b3:")?;
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
