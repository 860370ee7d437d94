//! The numbers that a work-item of an OpenCL kernel is told (OpenCL C specification, "Work-Item Functions").

use super::{Nat, NatVar};
use std::fmt;

/// A number that a work-item is told, in one of the three dimensions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Worker {
    /// Which one it is of all.
    GlobalId(u8),
    /// How many there are.
    GlobalSize(u8),
    /// Which work-group it is in.
    GroupId(u8),
    Groups(u8),
    /// Which one it is of its work-group.
    LocalId(u8),
    LocalSize(u8),
}

impl Worker {
    /// For a number that counts from zero: how many there are.
    pub fn end(self) -> Option<Worker> {
        match self {
            Worker::GlobalId(d) => Some(Worker::GlobalSize(d)),
            Worker::GroupId(d) => Some(Worker::Groups(d)),
            Worker::LocalId(d) => Some(Worker::LocalSize(d)),
            Worker::GlobalSize(_) | Worker::Groups(_) | Worker::LocalSize(_) => None,
        }
    }

    pub fn nat(self) -> Nat {
        Nat::variable(NatVar::Worker(self))
    }

    pub(super) fn canonical_bytes(self) -> [u8; 2] {
        match self {
            Worker::GlobalId(d) => [0, d],
            Worker::GlobalSize(d) => [1, d],
            Worker::GroupId(d) => [2, d],
            Worker::Groups(d) => [3, d],
            Worker::LocalId(d) => [4, d],
            Worker::LocalSize(d) => [5, d],
        }
    }
}

impl Nat {
    /// The number where these many work-items are launched, in all and in a group, in each dimension. How many groups
    /// there are is known where it is said how many work-items a group has.
    #[must_use]
    pub fn at_launch(&self, global: [u64; 3], local: Option<[u64; 3]>) -> Nat {
        let number = |n: u64| i64::try_from(n).ok().map(Nat::constant);
        let at = |of: [u64; 3], d: u8| of.get(usize::from(d)).copied();
        self.subst(&|v| match v {
            NatVar::Worker(Worker::GlobalSize(d)) => number(at(global, *d)?),
            NatVar::Worker(Worker::LocalSize(d)) => number(at(local?, *d)?),
            NatVar::Worker(Worker::Groups(d)) => number(at(global, *d)?.checked_div(at(local?, *d)?)?),
            _ => None,
        })
    }
}

/// As OpenCL C writes it.
impl fmt::Display for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Worker::GlobalId(d) => write!(f, "get_global_id({d})"),
            Worker::GlobalSize(d) => write!(f, "get_global_size({d})"),
            Worker::GroupId(d) => write!(f, "get_group_id({d})"),
            Worker::Groups(d) => write!(f, "get_num_groups({d})"),
            Worker::LocalId(d) => write!(f, "get_local_id({d})"),
            Worker::LocalSize(d) => write!(f, "get_local_size({d})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Ranges;
    use super::*;

    #[test]
    fn a_work_item_is_one_of_those_that_there_are() {
        let ranges = Ranges::default();
        let (id, size) = (Worker::GlobalId(0).nat(), Worker::GlobalSize(0).nat());
        assert_eq!(id.is_less(&size, &ranges), Some(true));
        assert!(id.is_natural(&ranges) && !id.sub(&Nat::constant(1)).is_natural(&ranges));
        assert!(size.sub(&Nat::constant(1)).is_natural(&ranges));
        assert_eq!(id.is_less(&Worker::GlobalSize(1).nat(), &ranges), None);
        let n = Nat::var("n");
        assert_eq!(n.mul(&size).add(&id).floor_div(&size).simplify(&ranges), n);
        assert_eq!(n.mul(&size).at_launch([8, 1, 1], None), n.mul(&Nat::constant(8)));
        let groups = Worker::Groups(0).nat();
        assert_eq!(groups.at_launch([8, 1, 1], Some([4, 1, 1])), Nat::constant(2));
        assert_eq!(groups.at_launch([8, 1, 1], None), groups);
        assert_eq!(id.to_string(), "get_global_id(0)");
    }
}
