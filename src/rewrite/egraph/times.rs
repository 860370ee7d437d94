//! When two things became equal: a union-find without path compression whose links know the union that made them
//! (Nieuwenhuis and Oliveras 2005, in the form that recurses on time).
//!
//! The last union between two equal things splits the proof of their equality in two earlier ones, so proofs never go in
//! circles.

const NONE: u32 = u32::MAX;

/// Bytes that a thing takes here.
pub const BYTES: usize = 8;

/// For each thing the one that represented its class after some union, and the number of that union.
#[derive(Default)]
pub struct Times {
    links: Vec<(u32, u32)>,
}

/// How the last union between two things splits the way from the one to the other.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    pub time: u32,
    /// The way goes over the union from its left to its right side.
    pub forwards: bool,
}

impl Times {
    /// One more thing, equal to itself alone.
    #[inline]
    pub fn push(&mut self) {
        self.links.push((NONE, NONE));
    }

    /// Notes that the class of `gone` is that of `kept` from this union on, which is the latest so far.
    pub fn link(&mut self, kept: u32, gone: u32, union: u32) {
        self.links[gone as usize] = (kept, union);
    }

    /// What represents a thing's class.
    pub fn find(&self, mut thing: u32) -> u32 {
        loop {
            match self.links[thing as usize] {
                (_, NONE) => return thing,
                (up, _) => thing = up,
            }
        }
    }

    /// The union that made two things equal: the latest on the way between them.
    fn when(&self, mut a: u32, mut b: u32) -> Option<u32> {
        let mut latest = None;
        // Times grow along links, so the earlier of two steps is always safe to take.
        while a != b {
            let ((up_a, time_a), (up_b, time_b)) = (self.links[a as usize], self.links[b as usize]);
            if time_a < time_b {
                (a, latest) = (up_a, latest.max(Some(time_a)));
            } else if time_b < NONE {
                (b, latest) = (up_b, latest.max(Some(time_b)));
            } else {
                return None;
            }
        }
        latest
    }

    /// The way between two different things; `left` is the left side of a union by its number. None if they are not equal.
    pub fn split(&self, from: u32, to: u32, left: &dyn Fn(u32) -> u32) -> Option<Split> {
        let time = self.when(from, to)?;
        // Which side of the union each is on is known from before it.
        let left = left(time);
        let forwards = from == left || self.when(from, left).is_some_and(|t| t < time);
        Some(Split { time, forwards })
    }
}
