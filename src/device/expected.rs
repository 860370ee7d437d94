//! What a kernel's output should be: the cells, and which of them may be anything.

use super::HostData;

/// Cells as they should be, but for those that the program leaves unwritten, of which nothing is asked. What these hold cannot
/// say so by itself: a small integer may be any pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    data: HostData,
    /// For each cell, whether it is unwritten; empty where all are written.
    unwritten: Vec<bool>,
}

impl Expected {
    pub fn data(&self) -> &HostData {
        &self.data
    }

    /// Asks nothing of these cells from now on.
    pub fn unwrite(&mut self, indices: &[usize]) {
        self.unwritten.resize(self.data.len(), false);
        for index in indices {
            if let Some(unwritten) = self.unwritten.get_mut(*index) {
                *unwritten = true;
            }
        }
        // What is computed of all cells, as how large they are, is not to see what stands there.
        self.data.unwrite(indices);
    }

    /// Takes cells from data of the same type and length.
    pub fn take_from(&mut self, other: &HostData, indices: &[usize]) {
        self.data.take_from(other, indices);
    }

    /// Is nothing asked of the cell?
    pub fn is_unwritten(&self, index: usize) -> bool {
        self.unwritten.get(index).copied().unwrap_or(false)
    }
}

impl From<HostData> for Expected {
    fn from(data: HostData) -> Expected {
        Expected { data, unwritten: vec![] }
    }
}

impl AsRef<HostData> for Expected {
    fn as_ref(&self) -> &HostData {
        &self.data
    }
}

impl AsRef<HostData> for HostData {
    fn as_ref(&self) -> &HostData {
        self
    }
}
