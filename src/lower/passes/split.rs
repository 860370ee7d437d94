//! Loops over joined dimensions become one loop for each dimension: a loop over 25 elements whose body only asks for
//! `i / 5` and `i % 5` becomes two loops over 5, and the divisions are gone.

use super::simplify;
use crate::dpia::effects::Place;
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, Workers};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use rustc_hash::FxHashMap;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let mut ranges = Ranges::default();
    let mut divides = false;
    note_ranges(&p.body, &mut ranges, &mut divides);
    if !divides {
        return Ok(p);
    }
    let mut splitting = Splitting { ranges, offsets: FxHashMap::default(), names };
    p.body = splitting.phrase(&p.body);
    simplify::run(p, names)
}

struct Splitting<'a> {
    ranges: Ranges,
    /// The offsets of places, simplified, by their pieces, which are kept so that no other one takes their place: every loop
    /// around a place asks for it.
    offsets: FxHashMap<usize, (Phrase, Nat)>,
    names: &'a mut Names,
}

fn note_ranges(p: &Phrase, ranges: &mut Ranges, divides: &mut bool) {
    match p.kind() {
        Kind::For(l) => ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone()),
        Kind::Number(n, _) => *divides |= n.has_division(),
        _ => {}
    }
    p.children().into_iter().for_each(|c| note_ranges(c, ranges, divides));
}

impl Splitting<'_> {
    fn phrase(&mut self, p: &Phrase) -> Phrase {
        let Kind::For(l) = p.kind() else {
            let Ok(q) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(self.phrase(c)));
            return q;
        };
        let Some((digits, value)) = self.digits(l) else {
            let body = self.phrase(&l.body);
            return Phrase::for_loop(Loop { body, ..(**l).clone() });
        };
        let body = l.body.with_number(&l.var, &value, self.names);
        note_ranges(&body, &mut self.ranges, &mut false);
        let body = self.phrase(&body);
        digits.into_iter().rev().fold(body, |body, (x, n)| Phrase::for_each(l.kind, x, n, body))
    }
    fn digits(&mut self, l: &Loop) -> Option<Digits> {
        let is_plain = matches!(l.kind, LoopKind::Sequential | LoopKind::Parallel(Workers::Threads));
        if !is_plain || !l.init.is_zero() || l.step != Nat::constant(1) {
            return None;
        }
        let mut divided = vec![];
        self.note_divided(&l.body, &l.var, &mut divided);
        let mut value = Nat::var(&l.var);
        let mut digits = vec![(l.var.clone(), l.n.clone())];
        while let Some((k, d)) = (0..digits.len())
            .find_map(|k| divided.iter().find_map(|n: &Nat| Some((k, n.divisor_of(&digits[k].0)?))))
        {
            let (x, n) = digits[k].clone();
            let quotient = n.exact_div(&d).simplify(&self.ranges);
            if digits.len() == MAX_DIGITS || !quotient.is_evidently_integral() || d == n {
                return None;
            }
            let (high, low) = (self.names.numbered("i"), self.names.numbered("i"));
            let origin = self.names.origin(&x);
            [&high, &low].into_iter().for_each(|part| self.names.comes_from(part, &origin));
            self.ranges.insert(high.clone(), Nat::constant(0), quotient.clone());
            self.ranges.insert(low.clone(), Nat::constant(0), d.clone());
            let (v, sum) = (NatVar::Named(x), d.mul(&Nat::var(&high)).add(&Nat::var(&low)));
            let replace = |n: &Nat| n.subst(&|y| (*y == v).then(|| sum.clone()));
            divided = divided.iter().map(|n| replace(n).simplify(&self.ranges)).collect();
            value = replace(&value);
            digits.splice(k..=k, [(high, quotient), (low, d)]);
        }
        (digits.len() > 1).then_some((digits, value))
    }

    /// The numbers in which the variable is divided. In the offset of a cell divisions and remainders may meet again, as in
    /// that of `a[i / 5][i % 5]`, which is `i`.
    fn note_divided(&mut self, p: &Phrase, x: &Name, out: &mut Vec<Nat>) {
        let mut note = |n: &Nat| {
            if n.divisor_of(x).is_some() && !out.contains(n) {
                out.push(n.clone());
            }
        };
        if let Some(place) = Place::of(p) {
            // What is not divided in an index is not divided in the offset.
            if place.indices().into_iter().flatten().any(|i| i.divisor_of(x).is_some()) {
                let ranges = &self.ranges;
                let known = self.offsets.entry(p.piece());
                let offset = known.or_insert_with(|| (p.clone(), place.offset().simplify(ranges)));
                note(&offset.1);
            }
            place.computed.iter().for_each(|i| self.note_divided(i, x, out));
            return;
        }
        if let Kind::Number(n, _) = p.kind() {
            note(n);
        }
        p.children().into_iter().for_each(|c| self.note_divided(c, x, out));
    }
}

/// The loops that the loop becomes, and what its variable is in them.
type Digits = (Vec<(Name, Nat)>, Nat);

/// More dimensions than this are not told apart.
const MAX_DIGITS: usize = 6;

#[cfg(test)]
mod tests {
    use crate::Target;
    use crate::lang::diag::Sources;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::pipeline;

    /// The bounds of the loops, outermost first.
    fn loops(text: &str) -> Vec<String> {
        let (file, problems) = parse_program(Sources::new().add("test.rise", text), text);
        assert!(problems.is_empty(), "{problems:?}");
        let (program, problems) = infer::program(&file, None);
        let program = program.unwrap_or_else(|| panic!("{problems:?}"));
        let lowered = pipeline::lower(&program.term, &program.sizes, Target::C).unwrap();
        let (_, p) = lowered.imperative.iter().find(|(name, _)| *name == "splitLoops").unwrap();
        let text = p.body.to_string();
        text.lines()
            .filter_map(|l| Some(l.trim().strip_suffix(" {")?.split_once("< ")?.1.to_string()))
            .collect()
    }

    #[test]
    fn joined_dimensions_get_loops_of_their_own() {
        assert_eq!(loops("def f (a: n.m.f32): (n*m).f32 = mapSeq (\\x. x + 1) (join a)"), ["m*n"]);
        assert_eq!(
            loops("def f (a: n.m.f32): (m*n).f32 = mapSeq (\\x. x + 1) (join (transpose a))"),
            ["m", "n"]
        );
        assert_eq!(
            loops(
                "def f (a: n.m.k.f32): (k*m*n).f32 = mapPar (\\x. x + 1) (join (join (transpose (map transpose (transpose a)))))"
            ),
            ["k", "m", "n"]
        );
    }

    /// Windows that overlap and chunks of another size keep their divisions.
    #[test]
    fn other_loops_stay() {
        assert_eq!(loops("def f (a: n.f32): n.f32 = iterateStream (\\w. reduceSeq (+) 0 w) (circularBuffer 3 3 (\\x. x) (padClamp 1 1 a))").last().unwrap(), "3");
        assert_eq!(
            loops("def f (a: 3.4.f32): 6.2.f32 = split 2 (mapSeq (\\x. x + 1) (join (transpose a)))"),
            ["4", "3"]
        );
    }
}
