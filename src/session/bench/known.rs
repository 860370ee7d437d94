//! What was computed for the checks of other kernels of the same program: outputs of plain C by what they are of.

use crate::device::HostData;
use crate::lang::digest::Digest;
use std::sync::{Mutex, PoisonError};

/// Outputs by what they are of.
pub struct Known {
    kept: Mutex<Vec<(Digest, Vec<HostData>)>>,
    /// More than so many bytes are not kept.
    most: usize,
}

impl Known {
    /// For as long as many kernels are tried.
    pub fn of_many() -> Known {
        Known { kept: Mutex::default(), most: 1 << 30 }
    }

    /// For as long as a session, which needs memory for other things as well.
    pub fn of_session() -> Known {
        Known { kept: Mutex::default(), most: 256 << 20 }
    }

    pub(super) fn get(&self, key: Digest) -> Option<Vec<HostData>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(k, _)| *k == key).map(|(_, outputs)| outputs.clone())
    }

    pub(super) fn keep(&self, key: Digest, outputs: &[HostData]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((key, outputs.to_vec()));
        let bytes = |all: &[HostData]| all.iter().map(|data| data.as_bytes().len()).sum::<usize>();
        while kept.iter().map(|(_, all)| bytes(all)).sum::<usize>() > self.most {
            kept.remove(0);
        }
    }
}
