//! What depends on what in a module, and which temporary buffers can share memory.
//!
//! A node is a section, or a loop of the host with all that is in it: what happens in the loop before a buffer is used
//! happens after that, too, in the next iteration. An edge says that the second uses what the first wrote, or writes
//! what the first used. Two buffers can share memory when all that uses the one must come before all that uses the other
//! anyway, so that sharing orders nothing that was not ordered.

use super::module::{Buffer, Role};
use crate::lang::nat::Nat;
use crate::lower::separate::{Host, Use};
use petgraph::algo::has_path_connecting;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;

/// The dependencies of a module.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Nodes hold the sections of a step, edges the buffer that orders two.
    pub graph: DiGraph<BTreeSet<usize>, usize>,
    /// For each buffer the one in whose memory it lies, which is often its own.
    pub memory: Vec<usize>,
}

impl PartialEq for Plan {
    /// The graph follows from the module that the plan is part of.
    fn eq(&self, other: &Plan) -> bool {
        self.memory == other.memory
    }
}

impl Plan {
    /// `uses`: the buffers of each section.
    pub fn new(host: &[Host], uses: &[Vec<(usize, Use)>], buffers: &[Buffer]) -> Plan {
        let mut graph = DiGraph::new();
        let steps: Vec<NodeIndex> = host.iter().map(|h| graph.add_node(sections(h))).collect();
        let at = |graph: &DiGraph<BTreeSet<usize>, usize>, step: NodeIndex, buffer: usize| {
            let of = graph.node_weight(step).into_iter().flatten().filter_map(|s| uses.get(*s)).flatten();
            of.filter(|(b, _)| *b == buffer).fold(Use::default(), |a, (_, u)| Use {
                reads: a.reads || u.reads,
                writes: a.writes || u.writes,
            })
        };
        for buffer in 0..buffers.len() {
            for (i, later) in steps.iter().enumerate() {
                for earlier in steps.iter().take(i) {
                    let (a, b) = (at(&graph, *earlier, buffer), at(&graph, *later, buffer));
                    if (a.writes && (b.reads || b.writes)) || (a.reads && b.writes) {
                        graph.add_edge(*earlier, *later, buffer);
                    }
                }
            }
        }
        let users = |graph: &DiGraph<BTreeSet<usize>, usize>, buffer: usize| -> Vec<NodeIndex> {
            let is_used = |s: &&NodeIndex| at(graph, **s, buffer) != Use::default();
            steps.iter().filter(is_used).copied().collect()
        };
        let mut memory: Vec<usize> = (0..buffers.len()).collect();
        for b in 0..buffers.len() {
            let of_b = users(&graph, b);
            let fits = |a: &usize| {
                let owners: Vec<usize> = (0..b).filter(|c| memory[*c] == *a).collect();
                let before =
                    |x: &NodeIndex| of_b.iter().all(|y| x != y && has_path_connecting(&graph, *x, *y, None));
                memory[*a] == *a
                    && can_hold(&buffers[*a], &buffers[b])
                    && owners.into_iter().all(|c| users(&graph, c).iter().all(before))
            };
            if let Some(a) = (0..b).find(fits).filter(|_| !of_b.is_empty()) {
                memory[b] = a;
            }
        }
        Plan { graph, memory }
    }
}

/// The sections that a step runs.
fn sections(h: &Host) -> BTreeSet<usize> {
    match h {
        Host::Run(section) => BTreeSet::from([*section]),
        Host::Loop { body, .. } => body.iter().flat_map(sections).collect(),
    }
}

/// Has the memory of the first room for the second, whatever the sizes are?
fn can_hold(a: &Buffer, b: &Buffer) -> bool {
    let bytes = |x: &Buffer| x.len.mul(&Nat::constant(x.scalar.bytes() as i64));
    let spare = bytes(a).sub(&bytes(b));
    (a.role, b.role) == (Role::Temp, Role::Temp)
        && (spare.is_zero() || spare.as_constant().is_some_and(|n| n > 0))
}
