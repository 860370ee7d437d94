//! What a sketch says of sizes, taken together: that no sizes in the place of its holes meet it.

use super::holes::{fill, holes_in};
use super::{Comparison, Shape, SizeCondition, Sketch};
use crate::lang::nat::{Atom, Coefficient, Name, Nat};
use indexmap::IndexMap;
use num_traits::CheckedDiv;

/// Of a hole that can be one of so many numbers each is tried.
const MOST_TRIED: i64 = 10_000;

/// Between which numbers something lies, each with whether it is left out, and which it is not.
#[derive(Default)]
struct Range {
    low: Option<(Coefficient, bool)>,
    high: Option<(Coefficient, bool)>,
    not: Vec<Coefficient>,
}

impl Range {
    /// That of a sum of products of sizes, which are not negative.
    fn of(sum: &Nat) -> Range {
        let zero = Coefficient::from_integer(0);
        let is_size = |atom: &Atom| matches!(atom, Atom::Var(_) | Atom::Mod(..));
        let is_positive =
            sum.terms().iter().all(|(m, c)| *c > zero && m.iter().all(|(atom, _)| is_size(atom)));
        Range { low: is_positive.then_some((zero, false)), ..Range::default() }
    }

    fn is_empty(&self) -> bool {
        let (Some((low, above)), Some((high, below))) = (self.low, self.high) else { return false };
        low > high || low == high && (above || below || self.not.contains(&low))
    }
}

impl Sketch {
    /// Conditions that cannot hold together, whatever stands in the place of the holes: no program is like the sketch.
    pub fn contradiction(&self) -> Option<Vec<&SizeCondition>> {
        let all = self.asserted();
        let closed = |c: &&&SizeCondition| c.holes().is_empty();
        if let Some(failed) = all.iter().find(|c| closed(c) && !c.holds()) {
            return Some(vec![failed]);
        }
        let mut ranges: IndexMap<Nat, (Range, Vec<&SizeCondition>)> = IndexMap::new();
        for condition in &all {
            let Some((of, is, bound)) = compared(condition) else {
                if closed(&condition) || condition.holds() {
                    continue;
                }
                return Some(vec![condition]);
            };
            let from = Range::of(&of);
            let (range, said) = ranges.entry(of).or_insert_with(|| (from, vec![]));
            said.push(condition);
            range.narrow(is, bound);
            if range.is_empty() {
                return Some(said.clone());
            }
        }
        let holes = self.holes();
        let none = |hole: &&Name| self.numbers(hole, None).is_some_and(|numbers| numbers.is_empty());
        let bounded = holes.iter().find(none).map(|hole| said_of(&all, hole));
        let alone = bounded.or_else(|| holes.iter().find_map(|hole| no_remainder(&all, hole)));
        alone.or_else(|| self.is_never_met_together(&holes).then(|| said_of_any(&all, &holes)))
    }

    /// Do no numbers in the place of the holes that can be few meet all that is said?
    fn is_never_met_together(&self, holes: &[Name]) -> bool {
        let mut fillings: Vec<Vec<(Name, Nat)>> = vec![vec![]];
        for (hole, numbers) in holes.iter().filter_map(|hole| Some((hole, self.numbers(hole, None)?))) {
            if fillings.len() * numbers.len() > MOST_TRIED as usize {
                return false;
            }
            let with = |filling: &Vec<(Name, Nat)>| {
                let put =
                    |n: &i64| filling.iter().cloned().chain([(hole.clone(), Nat::constant(*n))]).collect();
                numbers.iter().map(put).collect::<Vec<Vec<(Name, Nat)>>>()
            };
            fillings = fillings.iter().flat_map(with).filter(|filling| self.may_admit(filling)).collect();
        }
        fillings.is_empty()
    }

    /// The numbers that meet what is said of a hole alone, up to `most` if it is no greater, where that bounds it to few.
    pub fn numbers(&self, hole: &Name, most: Option<i64>) -> Option<Vec<i64>> {
        let (low, high) = self.bounds(hole).unwrap_or((1, None));
        let high = high.into_iter().chain(most).min()?;
        if high.saturating_sub(low) >= MOST_TRIED {
            return None;
        }
        Some((low..=high).filter(|n| self.allows(hole, *n)).collect())
    }

    /// The least number that a hole can stand for by what is said of it, and the greatest, if there is one. None where nothing
    /// bounds it.
    pub fn bounds(&self, hole: &Name) -> Option<(i64, Option<i64>)> {
        let mut range = Range::default();
        let alone = Nat::var(hole);
        let all = self.asserted();
        for (of, is, bound) in all.into_iter().filter_map(compared) {
            if of == alone {
                range.narrow(is, bound);
            } else if let (Some(times), Comparison::Less | Comparison::AtMost | Comparison::Equal) =
                (least_times(&of, hole), is)
                && let Some(most) = bound.checked_div(&times)
            {
                range.narrow(Comparison::AtMost, most);
            }
        }
        let whole = |n: Coefficient| i64::try_from(n.to_integer()).ok();
        let one = Coefficient::from_integer(1);
        let low = range.low.and_then(|(n, out)| whole(if out { n.floor() + one } else { n.ceil() }));
        let high = range.high.and_then(|(n, out)| whole(if out { n.ceil() - one } else { n.floor() }));
        (low.is_some() || high.is_some()).then_some((low.unwrap_or(1).max(1), high))
    }

    /// Does a number meet all that is said of a hole alone?
    pub fn allows(&self, hole: &Name, n: i64) -> bool {
        let filling = [(hole.clone(), Nat::constant(n))];
        said_of(&self.asserted(), hole).iter().all(|c| c.filled(&filling).holds())
    }

    /// Can everything that is said of sizes hold with these in the place of their holes?
    pub fn admits(&self, filling: &[(Name, Nat)]) -> bool {
        self.asserted().iter().map(|c| c.filled(filling)).all(|c| !c.holes().is_empty() || c.holds())
    }

    /// Is nothing known against it that all this holds, whatever the values of the program's sizes are?
    fn may_admit(&self, filling: &[(Name, Nat)]) -> bool {
        self.asserted().iter().map(|c| c.filled(filling)).all(|c| !c.holes().is_empty() || c.may_hold())
    }

    /// [`Sketch::contradiction`] where the program's sizes have values, told of what is written.
    pub fn contradiction_at(&self, given: &dyn Fn(&Nat) -> Nat) -> Option<Vec<SizeCondition>> {
        let here = self.said_at(given);
        let said = here.contradiction()?;
        let (written, there) = (self.asserted(), here.asserted());
        let as_written = |c: &SizeCondition| {
            let at = there.iter().position(|other| std::ptr::eq(*other, c))?;
            written.get(at).filter(|w| w.map(given) == *c).copied()
        };
        Some(said.into_iter().map(|c| as_written(c).unwrap_or(c).clone()).collect())
    }

    /// What is said of holes and of a size of the program that has no value: no number in the place of a hole decides it. With the
    /// name of that size.
    pub fn undecided(&self, given: &dyn Fn(&Nat) -> Nat) -> Option<(&SizeCondition, Nat)> {
        self.asserted().into_iter().find_map(|c| {
            let SizeCondition::Compared(left, _, right) = c else { return None };
            let sides = [given(left), given(right)];
            let holes = sides.each_ref().map(holes_in).concat();
            let of_program = |n: &Nat| !holes.iter().any(|hole| *n == Nat::var(hole));
            let size = sides.iter().flat_map(Nat::vars).map(Nat::variable).find(of_program)?;
            (!holes.is_empty()).then_some((c, size))
        })
    }

    /// The sizes that are written in it and no longer stand there: whole numbers in every program that is like it.
    pub fn whole(&self) -> Vec<&Nat> {
        let whole = |c: &'_ SizeCondition| matches!(c, SizeCondition::Whole(_));
        self.asserted().into_iter().filter(|c| whole(c)).flat_map(SizeCondition::sizes).collect()
    }

    /// What is said of sizes and holds of every program that is like the sketch.
    fn asserted(&self) -> Vec<&SizeCondition> {
        let (mut found, mut left) = (vec![], vec![self]);
        while let Some(sketch) = left.pop() {
            match sketch.shape() {
                Shape::Or(_) | Shape::Not(_) => {}
                Shape::Sizes(condition) => found.push(condition),
                _ => left.extend(sketch.children().into_iter().rev()),
            }
        }
        found
    }
}

/// What is said of the remainders of a hole and of nothing else, if no number meets it: of numbers that are apart by a multiple of all
/// that they are divided by the same holds.
fn no_remainder<'a>(all: &[&'a SizeCondition], hole: &Name) -> Option<Vec<&'a SizeCondition>> {
    let of_remainders = |c: &&'a SizeCondition| Some((*c, period(c, hole)?));
    let (said, periods): (Vec<_>, Vec<i64>) = all.iter().filter_map(of_remainders).unzip();
    let together =
        periods.iter().try_fold(1_i64, |all, n| all.checked_mul(*n).filter(|n| *n <= MOST_TRIED))?;
    let meets = |n: i64| {
        let filling = [(hole.clone(), Nat::constant(n))];
        said.iter().all(|c| c.filled(&filling).holds())
    };
    (!said.is_empty() && !(1..=together).any(meets)).then_some(said)
}

/// After how much more the same holds of a hole, where something is said of its remainders alone.
fn period(condition: &SizeCondition, hole: &Name) -> Option<i64> {
    let SizeCondition::Compared(left, _, right) = condition else { return None };
    let alone = Nat::var(hole);
    let mut all: Option<i64> = None;
    for atom in left.sub(right).terms().iter().flat_map(|(m, _)| m).map(|(atom, _)| atom) {
        let Atom::Mod(of, by) = atom else { return None };
        let by = by.as_constant().filter(|by| (1..=MOST_TRIED).contains(by) && *of == alone)?;
        all = all.unwrap_or(1).checked_mul(by).filter(|n| *n <= MOST_TRIED);
        all?;
    }
    all
}

impl SizeCondition {
    fn filled(&self, filling: &[(Name, Nat)]) -> SizeCondition {
        self.map(&|n| fill(n, filling))
    }
}

/// What is said of this hole and of nothing else.
fn said_of<'a>(all: &[&'a SizeCondition], hole: &Name) -> Vec<&'a SizeCondition> {
    let only = |c: &SizeCondition| {
        let vars: Vec<_> = c.sizes().into_iter().flat_map(Nat::vars).collect();
        !vars.is_empty() && vars.iter().all(|v| Nat::variable(v.clone()) == Nat::var(hole))
    };
    all.iter().copied().filter(|c| only(c)).collect()
}

/// What is said of some of these holes.
fn said_of_any<'a>(all: &[&'a SizeCondition], holes: &[Name]) -> Vec<&'a SizeCondition> {
    all.iter().copied().filter(|c| c.holes().iter().any(|hole| holes.contains(hole))).collect()
}

/// How many times a hole a sum is at least, all of whose parts are products of holes: `4*?t*?u + ?u*?u` is at least four times `?t`,
/// since each of them is one or more.
fn least_times(sum: &Nat, hole: &Name) -> Option<Coefficient> {
    let zero = Coefficient::from_integer(0);
    let is_hole =
        |atom: &Atom| matches!(atom, Atom::Var(v) if holes_in(&Nat::variable(v.clone())).len() == 1);
    let of_holes =
        sum.terms().iter().all(|(m, c)| *c > zero && m.iter().all(|(atom, e)| *e > 0 && is_hole(atom)));
    let alone = Nat::var(hole);
    let has_it = |atom: &Atom| matches!(atom, Atom::Var(v) if Nat::variable(v.clone()) == alone);
    let times = sum.terms().iter().filter(|(m, _)| m.iter().any(|(atom, _)| has_it(atom))).map(|(_, c)| *c);
    times.max().filter(|_| of_holes)
}

impl Range {
    fn narrow(&mut self, is: Comparison, bound: Coefficient) {
        let above =
            |low: Option<(Coefficient, bool)>, out| Some(low.unwrap_or((bound, out)).max((bound, out)));
        let below = |high: Option<(Coefficient, bool)>, out| {
            let (n, left_out) = high.unwrap_or((bound, out));
            Some((
                n.min(bound),
                if n == bound {
                    left_out || out
                } else if n < bound {
                    left_out
                } else {
                    out
                },
            ))
        };
        match is {
            Comparison::Less => self.high = below(self.high, true),
            Comparison::AtMost => self.high = below(self.high, false),
            Comparison::Greater => self.low = above(self.low, true),
            Comparison::AtLeast => self.low = above(self.low, false),
            Comparison::Equal => (self.low, self.high) = (above(self.low, false), below(self.high, false)),
            Comparison::Unequal => self.not.push(bound),
        }
    }
}

/// A condition as a comparison of something without a number of its own, and a number; none where there is nothing but
/// numbers. Two conditions that compare the same with numbers, perhaps times something, have the same here.
fn compared(condition: &SizeCondition) -> Option<(Nat, Comparison, Coefficient)> {
    let SizeCondition::Compared(left, is, right) = condition else { return None };
    let difference = left.sub(right);
    let (numbers, rest): (Vec<_>, Vec<_>) =
        difference.terms().iter().cloned().partition(|(m, _)| m.is_empty());
    let times = rest.first()?.1;
    let own = numbers.first().map_or(Coefficient::from_integer(0), |(_, c)| *c);
    let scaled: Option<Vec<_>> = rest.into_iter().map(|(m, c)| Some((m, c.checked_div(&times)?))).collect();
    let is = if times < Coefficient::from_integer(0) { is.mirrored() } else { *is };
    Some((Nat::from_terms(scaled?), is, -own.checked_div(&times)?))
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::FileId;
    use crate::lang::nat::Nat;
    use crate::lang::syntax::parse_sketch;
    use crate::sketch::{Library, read_with};

    #[test]
    fn what_cannot_hold_together_is_told() {
        let told = |conditions: &str| {
            let text = format!("containsMap(n/?t, containsMap(?t, containsMap(2*?u, ?))) and {conditions}");
            let (tree, problems) = parse_sketch(FileId::NOWHERE, &text);
            assert!(problems.is_empty(), "{text}: {problems:?}");
            let values = [("x".into(), Nat::constant(14))];
            let sketch = read_with(&tree, &Library::builtin(), &["n".into()], &values).unwrap();
            let said: Vec<String> =
                sketch.contradiction().into_iter().flatten().map(ToString::to_string).collect();
            said.join(", ")
        };
        assert_eq!(told("?t > 21 and ?t < 20"), "?t > 21, ?t < 20");
        assert_eq!(told("?t >= 8 and ?u < 3 and 2 * ?t <= 15"), "?t >= 8, 2*?t <= 15");
        assert_eq!(told("?t > 3 and x > 21 and ?u > 2"), "14 > 21");
        assert_eq!(told("?t > 4 and ?t < 8 and ?t % 4 == 0"), "?t > 4, ?t < 8, ?t % 4 == 0");
        for none in [
            "?t < 1",
            "?t > 4 and ?t < 5",
            "?t > ?u and ?u > ?t",
            "?t > n and n > ?t",
            "?t < ?t",
            "?t % 4 == 0 and ?t % 4 == 1",
            "?t == 4 and ?t != 4",
            "?t == ?u and ?u != ?t",
            "x > n",
            "?t > 1 and not (?t > 1)",
            "?t % 2 == 1 and ?t % 4 == 0",
            "?t % 6 == 1 and ?t % 4 == 2",
            "?t % 4 > 3",
            "?t * ?t < 0",
            "?t * ?t == 9 and ?t % 4 == 1",
            "?t * ?u == 7 and ?t > 1 and ?u > 1",
            "?t * ?u + ?u * ?u < 2",
            "?t + ?u < 0",
        ] {
            assert_ne!(told(none), "", "{none}");
        }
        for some in [
            "?t > 4 and ?t < 6",
            "?t >= 4 and ?t <= 4",
            "?t > ?u and ?u > 3",
            "?t >= ?u and ?u >= ?t",
            "?t % 4 == 0 and ?t % 4 != 1",
            "?t % 6 == 1 and ?t % 4 == 3",
            "?t % 4 > 2",
            "?t * ?t < 5",
            "?t * ?t == 9 and ?t % 4 == 3",
            "?t * ?u == 6 and ?t > 1 and ?u > 1",
            "?t * ?u + ?u * ?u < 3",
            "?t * n < 5 and ?t > 7",
            "?t - ?u < 0",
            "?t > 4 and ?t < 9 and ?t % 4 == 0",
            "x > 13",
            "x < 2 * n + 14",
        ] {
            assert_eq!(told(some), "", "{some}");
        }
    }
}
