//! Compiled code of the host, kept in memory while this program runs: a kernel is checked at several sizes and on several
//! inputs, each time by a worker of its own, and is the same text each time.
use crate::lang::digest::Digest;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// How many bytes are kept; a kernel has some 16 KiB.
const MOST: usize = 16 << 20;

/// What was compiled, by what it was compiled from and with. What was kept first goes first.
#[derive(Debug, Default)]
pub struct Objects(Mutex<VecDeque<(Digest, Arc<[u8]>)>>);

impl Objects {
    pub fn get(&self, key: Digest) -> Option<Arc<[u8]>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| *known == key).map(|(_, object)| object.clone())
    }

    pub fn keep(&self, key: Digest, object: Vec<u8>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.iter().any(|(known, _)| *known == key) {
            return;
        }
        kept.push_back((key, object.into()));
        let mut bytes: usize = kept.iter().map(|(_, object)| object.len()).sum();
        while bytes > MOST {
            bytes -= kept.pop_front().map_or(bytes, |(_, object)| object.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_first_goes_first() {
        let objects = Objects::default();
        let key = |i: u8| Digest::of(&[i]);
        for i in 0..3 {
            objects.keep(key(i), vec![i; MOST / 2]);
            objects.keep(key(i), vec![]);
        }
        assert!(objects.get(key(0)).is_none());
        assert_eq!(objects.get(key(2)).map(|object| object.len()), Some(MOST / 2));
        objects.keep(key(3), vec![0; MOST + 1]);
        assert!((0..4).all(|i| objects.get(key(i)).is_none()));
    }
}
