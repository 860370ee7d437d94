//! Loops over joined dimensions become one loop for each dimension: a loop over 25 elements whose body only asks for
//! `i / 5` and `i % 5` becomes two loops over 5, and the divisions are gone.

use super::simplify;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lower::dpia::effects::Place;
use crate::lower::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, Workers};

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let mut ranges = Ranges::default();
    let mut divides = false;
    note_ranges(&p.body, &mut ranges, &mut divides);
    if !divides {
        return Ok(p);
    }
    p.body = split(&p.body, &mut ranges, names);
    simplify::run(p, names)
}

fn note_ranges(p: &Phrase, ranges: &mut Ranges, divides: &mut bool) {
    match p.kind() {
        Kind::For(l) => ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone()),
        Kind::Number(n, _) => *divides |= n.has_division(),
        _ => {}
    }
    p.children().into_iter().for_each(|c| note_ranges(c, ranges, divides));
}

fn split(p: &Phrase, ranges: &mut Ranges, names: &mut Names) -> Phrase {
    let Kind::For(l) = p.kind() else {
        let Ok(q) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(split(c, ranges, names)));
        return q;
    };
    let Some((digits, value)) = digits(l, ranges, names) else {
        let body = split(&l.body, ranges, names);
        return Phrase::for_loop(Loop { body, ..(**l).clone() });
    };
    let body = l.body.at_iteration(&l.var, &value, names);
    note_ranges(&body, ranges, &mut false);
    let body = split(&body, ranges, names);
    digits.into_iter().rev().fold(body, |body, (x, n)| Phrase::for_each(l.kind, x, n, body))
}

/// The loops that the loop becomes, and what its variable is in them.
type Digits = (Vec<(Name, Nat)>, Nat);

/// More dimensions than this are not told apart.
const MAX_DIGITS: usize = 6;

fn digits(l: &Loop, ranges: &mut Ranges, names: &mut Names) -> Option<Digits> {
    let is_plain = matches!(l.kind, LoopKind::Sequential | LoopKind::Parallel(Workers::Threads));
    if !is_plain || !l.init.is_zero() || l.step != Nat::constant(1) {
        return None;
    }
    let mut divided = vec![];
    note_divided(&l.body, &l.var, ranges, &mut divided);
    let mut value = Nat::var(&l.var);
    let mut digits = vec![(l.var.clone(), l.n.clone())];
    while let Some((k, d)) = (0..digits.len())
        .find_map(|k| divided.iter().find_map(|n: &Nat| Some((k, n.divisor_of(&digits[k].0)?))))
    {
        let (x, n) = digits[k].clone();
        let quotient = n.exact_div(&d).simplify(ranges);
        if digits.len() == MAX_DIGITS || !quotient.is_evidently_integral() || d == n {
            return None;
        }
        let (high, low) = (names.numbered("i"), names.numbered("i"));
        let origin = names.origin(&x);
        [&high, &low].into_iter().for_each(|part| names.comes_from(part, &origin));
        ranges.insert(high.clone(), Nat::constant(0), quotient.clone());
        ranges.insert(low.clone(), Nat::constant(0), d.clone());
        let (v, sum) = (NatVar::Named(x), d.mul(&Nat::var(&high)).add(&Nat::var(&low)));
        let replace = |n: &Nat| n.subst(&|y| (*y == v).then(|| sum.clone()));
        divided = divided.iter().map(|n| replace(n).simplify(ranges)).collect();
        value = replace(&value);
        digits.splice(k..=k, [(high, quotient), (low, d)]);
    }
    (digits.len() > 1).then_some((digits, value))
}

/// The numbers in which the variable is divided. In the offset of a cell divisions and remainders may meet again, as in
/// that of `a[i / 5][i % 5]`, which is `i`.
fn note_divided(p: &Phrase, x: &Name, ranges: &Ranges, out: &mut Vec<Nat>) {
    let mut note = |n: &Nat| {
        if n.divisor_of(x).is_some() && !out.contains(n) {
            out.push(n.clone());
        }
    };
    if let Some(place) = Place::of(p) {
        note(&place.offset().simplify(ranges));
        place.computed.iter().for_each(|i| note_divided(i, x, ranges, out));
        return;
    }
    if let Kind::Number(n, _) = p.kind() {
        note(n);
    }
    p.children().into_iter().for_each(|c| note_divided(c, x, ranges, out));
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::Sources;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::lower::Target;
    use crate::lower::pipeline;

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
