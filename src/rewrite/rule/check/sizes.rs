//! The sizes that instances are drawn at: mostly small, some next to the numbers that the rule mentions, some primes,
//! powers of two and what is next to them, a few large. The product of the sizes of an instance stays within what the
//! interpreter does in a moment.

use super::mentioned::Mentioned;
use super::size_borders::{self, are_ruled_out};
use super::{Origin, Size};
use crate::lang::eval::inputs::Rng;
use crate::lang::nat::{Name, Nat};
use crate::lang::work;
use crate::rule::{Equation, Rule};
use rustc_hash::FxHashSet;

/// Sizes of which an instance may have several.
const MIDDLE: [i64; 14] = [5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 31, 32, 33];

/// Sizes of which an instance has at most one.
const LARGE: [i64; 14] = [63, 64, 65, 97, 100, 127, 128, 129, 255, 256, 257, 1000, 1021, 1024];

/// No size is larger, though the rule mentions larger numbers; in exact arithmetic no larger than the second.
const LARGEST: [i128; 2] = [1_000_000, 100_000];

/// Larger ones take long: they have their turns, one after another, as every so many-th instance.
const LONG: i64 = 3000;
const EVERY: usize = 8;

/// As large as this, or a little larger, all sizes of an instance have their turns together, by how many they are: a rule
/// may be wrong where none of them is small.
const TOGETHER: [i64; 5] = [1, 129, 42, 17, 7];

/// Several sizes of an instance have no larger product; in exact arithmetic, which is slow, no larger than the second.
const ELEMENTS: [i64; 2] = [3000, 200];

/// Inputs have no more elements than so many times these, and in their turns no more than so many times [`LARGEST`].
const TIMES: i64 = 8;

/// Draws sizes for one rule.
pub(super) struct Sizing {
    near: Vec<i64>,
    /// What have their turns: sizes that the rule names, and long ones next to what it mentions, those that matter most
    /// first.
    long: Vec<i64>,
    /// For each equation, sizes at which what it compares of them is equal: they have their turns as well.
    solved: Vec<Vec<Vec<i64>>>,
    /// For each equation, its sizes by name, and the elements of what its variables stand for.
    lengths: Vec<(Vec<Name>, Vec<Nat>)>,
    /// For each equation, the least that each of its sizes can be: nothing, as of what is padded, or one.
    least: Vec<Vec<i64>>,
    slow: usize,
    /// The least number that sizes of the rule have to do with and that is too large for one.
    pub beyond: Option<i128>,
}

impl Sizing {
    pub fn of(rule: &Rule) -> Sizing {
        let Mentioned { whole, combined, sizes, .. } = Mentioned::by_rule(rule);
        let slow = usize::from(rule.marks.reassociates || rule.marks.finite);
        let of = |v: &i128| [v + 1, v.saturating_mul(2).saturating_add(1), *v, v.saturating_mul(2), v - 1];
        let fits = |v: &i128| (1..=LARGEST[slow]).contains(v);
        let next_to: Vec<i64> = whole
            .iter()
            // What comes of two numbers is mostly no size: where it is far away it is left to what is solved.
            .chain(combined.iter().filter(|v| **v <= LONG.into()))
            .flat_map(of)
            .filter(fits)
            .filter_map(|v| i64::try_from(v).ok())
            .collect();
        let (long, mut near): (Vec<i64>, Vec<i64>) = next_to.into_iter().partition(|v| *v > LONG);
        // A rule may be wrong at one size alone.
        let most = *MIDDLE.iter().max().unwrap_or(&1);
        let largest = LARGEST[slow] as i64;
        // And where a position is compared with a number, it is wrong at no size that is not larger.
        let named = sizes
            .iter()
            .filter_map(|v| i64::try_from(*v).ok())
            .flat_map(|v| [v, v.saturating_add(1)])
            .filter(|v| (most + 1..=largest).contains(v));
        let mut seen = FxHashSet::default();
        let long: Vec<i64> = named.chain(long).filter(|v| seen.insert(*v)).collect();
        near.sort_unstable();
        near.dedup();
        let beyond = sizes
            .into_iter()
            .find(|v| *v > LARGEST[slow] && rule.equations().iter().any(|eq| may_have(eq, *v)));
        let lengths = rule.equations().iter().map(lengths).collect();
        let params = rule.size_params();
        let least_of = |eq: &Equation| {
            let sizes = 0..eq.nats.len() as u32;
            sizes.map(|i| i64::from(!eq.may_be_none(i, &params))).collect()
        };
        let least: Vec<Vec<i64>> = rule.equations().iter().map(least_of).collect();
        let solved = rule
            .equations()
            .iter()
            .zip(&least)
            .map(|(eq, least)| size_borders::solutions(eq, least))
            .collect();
        Sizing { near, long, solved, lengths, least, slow, beyond }
    }

    /// What a case of the rule can be drawn from.
    pub fn origin(&self, member: usize, seed: u64, size: Size) -> Origin {
        let least = self.least.get(member).map_or(&[][..], Vec::as_slice);
        let mut sizes = self.draw(least, size, &mut Rng::new(seed ^ 0x6a09_e667_f3bc_c909));
        while self.elements(member, &sizes) > TIMES * ELEMENTS[self.slow] {
            let Some(largest) = sizes.iter_mut().max().filter(|n| **n > 1) else { break };
            *largest /= 2;
        }
        Origin { member, seed, size, sizes, operators: None }
    }

    /// The elements of the largest thing that a variable of the equation stands for, as if its type variables were scalars.
    fn elements(&self, member: usize, sizes: &[i64]) -> i64 {
        let Some((names, lengths)) = self.lengths.get(member) else { return 0 };
        let size = |name: &str| sizes.get(names.iter().position(|n| **n == *name)?).copied();
        lengths.iter().filter_map(|length| length.eval(&size).ok()).max().unwrap_or(0)
    }

    /// The same, with sizes that were solved for, or one size of which is a long one, or all of which are none of the
    /// smallest, if it is their turn.
    pub fn in_turn(&self, turn: usize, origin: Origin) -> Origin {
        let turned = self.turned(turn, origin.clone());
        let fits = self.elements(origin.member, &turned.sizes) <= TIMES * LARGEST[self.slow] as i64;
        if fits { turned } else { origin }
    }

    fn turned(&self, turn: usize, mut origin: Origin) -> Origin {
        let solved = self.solved.get(origin.member).map_or(&[][..], Vec::as_slice);
        if !solved.is_empty() && turn % (EVERY / 2) == 1 {
            origin.sizes.clone_from(&solved[turn / (EVERY / 2) % solved.len()]);
            return origin;
        }
        let count = origin.sizes.len();
        let all = TOGETHER.get(count).filter(|_| turn % (2 * EVERY) == 3);
        if let Some(least) = all {
            let turn = turn / (2 * EVERY);
            origin.sizes = (0..count).map(|i| least + ((turn + i) % 3) as i64).collect();
            return origin;
        }
        if count == 0 || self.long.is_empty() || !turn.is_multiple_of(EVERY) {
            return origin;
        }
        let turn = turn / EVERY;
        let long = self.long[turn % self.long.len()];
        // Of a single element no order is seen.
        let others = if turn.is_multiple_of(2) && long < LARGEST[1] as i64 { 3 } else { 1 };
        origin.sizes.iter_mut().for_each(|n| *n = others);
        origin.sizes[turn / self.long.len() % count] = long;
        origin
    }

    /// Sizes of which these are the least.
    pub fn draw(&self, least: &[i64], size: Size, rng: &mut Rng) -> Vec<i64> {
        let count = least.len();
        if size == Size::Small {
            return with_nothing((0..count).map(|_| 1 + rng.below(2) as i64).collect(), least, rng);
        }
        let kind = rng.below(16);
        let one = rng.below(count.max(1) as u64) as usize;
        let small = |rng: &mut Rng| 1 + rng.below(4) as i64;
        let any =
            |from: &[i64], rng: &mut Rng| from.get(rng.below(from.len().max(1) as u64) as usize).copied();
        let mut out: Vec<i64> = (0..count)
            .map(|i| {
                let drawn = match kind {
                    0..=7 => None,
                    8 | 9 => any(&MIDDLE, rng),
                    10 | 11 => any(&self.near, rng).or_else(|| any(&MIDDLE, rng)),
                    12..=14 if i == one => any(&self.near, rng).or_else(|| any(&MIDDLE, rng)),
                    _ if i == one => any(&LARGE, rng),
                    _ => None,
                };
                drawn.unwrap_or_else(|| small(rng))
            })
            .collect();

        // The one that was chosen stays, the largest of the others give way.
        while out.iter().fold(1i64, |p, v| p.saturating_mul(*v)) > ELEMENTS[self.slow] {
            let others = (0..count).filter(|i| *i != one && out[*i] > 1);
            let Some(largest) = others.max_by_key(|i| out[*i]) else { break };
            out[largest] = 1 + rng.below(2.min(out[largest] as u64 - 1)) as i64;
        }
        with_nothing(out, least, rng)
    }
}

/// Every fourth time, some of those that may be none are: often that fits nothing else.
fn with_nothing(mut sizes: Vec<i64>, least: &[i64], rng: &mut Rng) -> Vec<i64> {
    if least.contains(&0) && rng.below(4) == 0 {
        let none = sizes.iter_mut().zip(least).filter(|(_, least)| **least == 0 && rng.below(2) == 0);
        none.for_each(|(n, _)| *n = 0);
    }
    sizes
}

/// May some size of the equation be near this number, as far as its conditions tell?
fn may_have(eq: &Equation, near: i128) -> bool {
    let Ok(near) = i64::try_from(near) else { return !eq.nats.is_empty() };
    let around = [near.saturating_sub(1), near, near.saturating_add(1)];
    (0..eq.nats.len()).any(|i| around.iter().any(|n| !are_ruled_out(eq, &|size| (size == i).then_some(*n))))
}

/// The sizes of the equation by name, and the elements of what its variables stand for.
fn lengths(eq: &Equation) -> (Vec<Name>, Vec<Nat>) {
    let types = eq.vars.iter().flat_map(|v| {
        let (params, result) = v.ty.signature();
        params.into_iter().chain([result])
    });
    (eq.nats.clone(), types.filter_map(|t| work::elements(&eq.readable_type(&t))).collect())
}

/// How much longer a test of the case takes than one of usual sizes.
pub(super) fn scale(origin: &Origin) -> usize {
    let elements = origin.sizes.iter().fold(1i64, |p, v| p.saturating_mul(*v));
    usize::try_from(elements / ELEMENTS[0]).unwrap_or(usize::MAX).max(1)
}

/// The same with one size made smaller, the smallest first.
pub(super) fn smaller(origin: &Origin) -> Vec<Origin> {
    let of = |i: usize, n: i64| {
        let mut origin = origin.clone();
        origin.sizes[i] = n;
        origin
    };
    (origin.sizes.iter().enumerate())
        .flat_map(|(i, n)| [1, 2, 3, n / 2, 3 * n / 4, 7 * n / 8, n - 16, n - 4, n - 1].map(|m| (i, m, *n)))
        .filter(|(_, m, n)| (1..*n).contains(m))
        .map(|(i, m, _)| of(i, m))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_small_and_large_and_next_to_what_is_mentioned() {
        let sizing = Sizing {
            near: vec![999, 1000, 1001],
            long: vec![],
            solved: vec![],
            lengths: vec![],
            least: vec![],
            slow: 0,
            beyond: None,
        };
        let mut rng = Rng::new(1);
        let drawn: Vec<Vec<i64>> = (0..400).map(|_| sizing.draw(&[1; 3], Size::Any, &mut rng)).collect();
        let all: Vec<i64> = drawn.concat();
        for wanted in [1, 2, 3, 4, 7, 13, 16, 128, 257, 1001] {
            assert!(all.contains(&wanted), "{wanted}");
        }
        assert!(drawn.iter().all(|sizes| sizes.iter().product::<i64>() <= ELEMENTS[0]));
        // Only what may be none is.
        let drawn: Vec<Vec<i64>> = (0..100).map(|_| sizing.draw(&[1, 0, 1], Size::Any, &mut rng)).collect();
        let none = [0, 1, 2].map(|i| drawn.iter().any(|sizes| sizes[i] == 0));
        assert_eq!(none, [false, true, false]);
    }

    #[test]
    fn long_sizes_that_are_mentioned_have_their_turns() {
        let long = vec![30_008, 600_015];
        let sizing = Sizing {
            near: vec![8],
            long: long.clone(),
            solved: vec![],
            lengths: vec![],
            least: vec![],
            slow: 0,
            beyond: None,
        };
        let origin = |turn| {
            let sizes = vec![2, 3];
            sizing.in_turn(turn, Origin { member: 0, seed: 1, size: Size::Any, sizes, operators: None }).sizes
        };
        let of_turns: Vec<Vec<i64>> = (0..4).map(|i| origin(i * EVERY)).collect();
        assert_eq!(of_turns, [[30_008, 3], [600_015, 1], [3, 30_008], [1, 600_015]]);
        assert_eq!(origin(1), [2, 3]);
        // All are large together.
        assert_eq!([3, 3 + 2 * EVERY].map(origin), [[42, 43], [43, 44]]);
    }
}
