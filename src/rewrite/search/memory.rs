//! What the tables of an e-graph are about to take. Running out of memory ends the process, so a search asks before
//! a table grows, while the old table is still there.

use crate::egraph::congruence::{CLASS_BYTES, ID_BYTES};

/// Bytes of an entry of the hash table of nodes: a node, its id, and a byte to find it by.
const NODE_ENTRY: u64 = 16 + 4 + 1;

/// The bytes that tables of these lengths take on top when they double, if they do so within `coming` more entries.
pub fn growth(entries: usize, classes: usize, ids: usize, coming: usize) -> u64 {
    hash_growth(entries, coming, NODE_ENTRY)
        + list_growth(classes, coming, CLASS_BYTES as u64)
        + list_growth(ids, coming, ID_BYTES as u64)
}

/// The bytes that so many new nodes take, each with a class of its own.
pub fn of_nodes(nodes: usize) -> u64 {
    nodes as u64 * (NODE_ENTRY + ID_BYTES as u64 + CLASS_BYTES as u64)
}

/// A hash table holds seven eighths of a power of two.
fn hash_growth(len: usize, coming: usize, entry: u64) -> u64 {
    let capacity = |len: usize| (len.max(16) * 8 / 7).next_power_of_two() / 8 * 7;
    let now = capacity(len);
    if len + coming > now { 2 * now as u64 * entry } else { 0 }
}

fn list_growth(len: usize, coming: usize, entry: u64) -> u64 {
    let now = len.max(16).next_power_of_two();
    if len + coming > now { 2 * now as u64 * entry } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_seen_before_it_happens() {
        assert_eq!(growth(500_000, 500_000, 600_000, 1000), 0);
        let nodes = growth(917_000, 500_000, 600_000, 1000);
        assert_eq!(nodes, 2 * 917_504 * NODE_ENTRY);
        assert!(growth(917_000, 917_000, 1_048_500, 1000) > nodes);
        assert!(growth(10, 10, 10, 1000) < 1 << 20);
    }
}
