//! Splits the iterations of loops where choices in them change, so that nothing is chosen in the long part.
//!
//! A loop `for i < n` whose body asks `i + j < 2` and `i + j < n + 2`, as what is made of clamped windows does, becomes a
//! loop over the first two iterations, one over the long part in which both are decided, and one over the last two. Where
//! sizes are not known, whether the parts lie in this order is decided when the program runs. A loop that threads share
//! out stays one if there are long loops in it: each iteration asks once in which part it is.
//!
//! Each iteration is in one part, and they come in the old order. What is decided needs no gathering, so that compilers
//! make vectors of it. (Index-set splitting, in the literature on loops.)

use super::simplify;
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, Substitution, Workers, condition};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::ty::Type;
use crate::target::Storage;

/// A loop of at most so many iterations is short: it may be in one that is split.
const SHORT: i64 = 16;

/// A loop of at most so many iterations stays whole.
const MAX_WHOLE: i64 = 64;

/// More phrases than this are not copied.
const MAX_PHRASES: u32 = 2000;

/// A loop becomes at most so many.
const MAX_PARTS: usize = 5;

/// What sizes that are not known may be taken for, when it is asked in which order the parts of a loop most often lie.
const LARGE: i64 = 1000;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let mut pass = Splitting { ranges: SizeConstraint::ranges(&p.constraints), names, split_any: false };
    let body = pass.phrase(&p.body);
    if !pass.split_any {
        return Ok(p);
    }
    p.body = body;
    simplify::run(p, names)
}

struct Splitting<'a> {
    /// Of the loops around.
    ranges: Ranges,
    names: &'a mut Names,
    split_any: bool,
}

impl Splitting<'_> {
    fn phrase(&mut self, p: &Phrase) -> Phrase {
        let Kind::For(l) = p.kind() else {
            let Ok(q) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(self.phrase(c)));
            return q;
        };
        let is_kind = matches!(l.kind, LoopKind::Sequential | LoopKind::Parallel(Workers::Threads));
        let is_whole = is_kind && l.init.is_zero() && l.step == Nat::constant(1);
        let stays = is_at_most(MAX_WHOLE, &l.n) || l.body.size() > MAX_PHRASES;
        if is_whole && !stays {
            let at_once = matches!(l.kind, LoopKind::Parallel(_));
            let split = if at_once && has_long_loop(&l.body) { self.chosen(l) } else { self.parts(l) };
            if let Some(split) = split {
                self.split_any = true;
                return split;
            }
        }
        let body = self.within(&l.var, (&Nat::constant(0), &l.n), &l.body);
        Phrase::for_loop(Loop { body, ..(**l).clone() })
    }

    /// The body of a loop in the iterations of a range.
    fn within(&mut self, var: &Name, (begin, end): (&Nat, &Nat), body: &Phrase) -> Phrase {
        self.ranges.insert(var.clone(), begin.clone(), end.clone());
        let body = self.phrase(body);
        self.ranges.remove(var);
        body
    }

    /// The loops that a loop becomes, if that decides anything that is asked in its innermost long loops.
    fn parts(&mut self, l: &Loop) -> Option<Phrase> {
        let cuts = cuts(&l.n, &changes(l))?;
        let unknown: Vec<&[Nat]> =
            cuts.windows(2).filter(|pair| !pair[1].sub(&pair[0]).is_natural(&self.ranges)).collect();
        if cuts.len() > MAX_PARTS + 1 || unknown.len() > 1 {
            return None;
        }
        let parts: Vec<Phrase> = cuts.windows(2).map(|pair| self.part(l, &pair[0], &pair[1])).collect();
        Some(unknown.into_iter().fold(Phrase::seq(parts), |parts, pair| {
            let (first, second) = (&pair[0], &pair[1]);
            // Of a loop whose parts overlap there are often few iterations.
            let is_few = is_short(&l.n.sub(&second.sub(first)));
            let kind = if is_few { LoopKind::Sequential } else { l.kind };
            let all = self.part(&Loop { kind, ..l.clone() }, &Nat::constant(0), &l.n);
            Phrase::if_else(Phrase::less(Phrase::nat(second.clone()), Phrase::nat(first.clone())), all, parts)
        }))
    }

    /// The iterations of the loop from `begin` to `end`, counted from zero.
    fn part(&mut self, l: &Loop, begin: &Nat, end: &Nat) -> Phrase {
        let (var, n) = (self.names.fresh(&l.var), end.sub(begin));
        let mut body = l.body.at_iteration(&l.var, &Nat::var(&var).add(begin), self.names);
        if is_short(&n) {
            return Phrase::for_each(LoopKind::Sequential, var, n, body);
        }
        if n != l.n {
            body = self.within(&var, (&Nat::constant(0), &n), &body);
        }
        Phrase::for_each(l.kind, var, n, body)
    }

    /// The loop with a body that asks whether it is in the one long part, if long loops in it ask that.
    fn chosen(&mut self, l: &Loop) -> Option<Phrase> {
        if l.body.any(&mut |p| matches!(p.kind(), Kind::For(l) if matches!(l.kind, LoopKind::Parallel(_)))) {
            return None;
        }
        let cuts = cuts(&l.n, &changes(l))?;
        let mut long = cuts.windows(2).filter(|pair| !is_short(&pair[1].sub(&pair[0])));
        let (Some([begin, end]), None) = (long.next(), long.next()) else { return None };
        let number = |n: &Nat| Phrase::nat(n.clone());
        let i = Nat::var(&l.var);
        let after = (!begin.is_zero()).then(|| Phrase::at_most(number(begin), number(&i)));
        let before = (*end != l.n).then(|| Phrase::less(number(&i), number(end)));
        let inside = after.into_iter().chain(before).reduce(Phrase::and)?;
        // Both ways use the memory that is allocated for all of the body.
        let (memory, body) = allocated(&l.body);
        let inner = body.substitute(&mut Substitution::default(), self.names);
        let inner = self.within(&l.var, (begin, end), &inner);
        let either = Phrase::if_else(inside, inner, body.clone());
        let body = memory.into_iter().rev().fold(either, |body, (s, ty, x)| Phrase::new_in(s, ty, x, body));
        Some(Phrase::for_loop(Loop { body, ..l.clone() }))
    }
}

type Allocated = Vec<(Storage, Type, Name)>;

/// What a command allocates for all that it does, and what that is.
fn allocated(command: &Phrase) -> (Allocated, &Phrase) {
    let (mut memory, mut inner) = (vec![], command);
    while let Kind::New(storage, ty, x, body) = inner.kind() {
        memory.push((*storage, ty.clone(), x.clone()));
        inner = body;
    }
    (memory, inner)
}

fn is_at_most(most: i64, n: &Nat) -> bool {
    n.as_constant().is_some_and(|n| n <= most)
}

fn is_short(n: &Nat) -> bool {
    is_at_most(SHORT, n)
}

/// Is a loop in it that is neither short nor over lanes?
fn has_long_loop(p: &Phrase) -> bool {
    p.any(&mut |p| matches!(p.kind(), Kind::For(l) if is_long(l)))
}

fn is_long(l: &Loop) -> bool {
    let is_of_lanes = l.kind == LoopKind::Lanes && l.n.as_constant().is_some();
    !is_short(&l.n) && !is_of_lanes
}

/// The iterations in which a question may have either answer, by the first of them and the first after them: before and
/// after them it has the same in all iterations.
type Change = (Nat, Nat);

/// When the questions of a loop's body change: all of them, or those within long loops where there are any.
fn changes(l: &Loop) -> Vec<Change> {
    let mut noting = Noting { x: &l.var, inner: vec![], found: vec![] };
    noting.phrase(&l.body, !has_long_loop(&l.body));
    let is_outside = |n: &Nat| {
        let is = |v: NatVar| matches!(v, NatVar::Named(x) if noting.inner.iter().any(|(y, _)| *y == x));
        !n.vars().into_iter().any(is)
    };
    noting.found.into_iter().filter(|(begin, end)| is_outside(begin) && is_outside(end)).collect()
}

struct Noting<'a> {
    /// The variable of the loop.
    x: &'a Name,
    /// Those of the loops in it, with their ends.
    inner: Vec<(Name, Nat)>,
    found: Vec<Change>,
}

impl Noting<'_> {
    fn phrase(&mut self, p: &Phrase, counts: bool) {
        match p.kind() {
            Kind::For(l) => {
                self.inner.push((l.var.clone(), l.n.clone()));
                self.phrase(&l.body, counts || is_long(l));
                return;
            }
            Kind::Pattern(Pattern::Lt | Pattern::Equal, ..) if counts => {
                let change = condition::compared(p).and_then(|(op, n)| self.change(op, &n));
                if let Some(change) = change.filter(|c| !self.found.contains(c)) {
                    self.found.push(change);
                }
            }
            _ => {}
        }
        p.children().into_iter().for_each(|c| self.phrase(c, counts));
    }

    /// When does it change whether a difference is more than zero, or is zero?
    fn change(&self, op: Pattern, difference: &Nat) -> Option<Change> {
        let step = difference.step_of(self.x)?.as_constant()?;
        // The difference is `rest - |step| * x`, or is zero where this is.
        let falling = if step < 0 { difference.clone() } else { Nat::constant(0).sub(difference) };
        let rest = falling.add(&Nat::constant(step.checked_abs()?).mul(&Nat::var(self.x)));
        let is_x = |v: &NatVar| matches!(v, NatVar::Named(y) if y == self.x);
        if rest.vars().iter().any(is_x) || rest.has_division() {
            return None;
        }
        let (least, most) = (self.extreme(&rest, false)?, self.extreme(&rest, true)?);
        let one = Nat::constant(1);
        // The first iteration in which `rest - |step| * x` is at most zero, or below it.
        let (begin, end) = match (op, step) {
            (Pattern::Lt, ..=-1) => (least, most),
            (Pattern::Lt, 1..) => (least.add(&one), most.add(&one)),
            (_, ..=-1 | 1..) => (least, most.add(&one)),
            _ => return None,
        };
        let first = |n: &Nat| match step.abs() {
            1 => Some(n.clone()),
            step => n.as_constant().map(|n| Nat::constant(-(-n).div_euclid(step))),
        };
        Some((first(&begin)?, first(&end)?))
    }

    /// The least or the most that a number can be, over the iterations of inner loops of known lengths.
    fn extreme(&self, n: &Nat, most: bool) -> Option<Nat> {
        let mut n = n.clone();
        for (x, end) in &self.inner {
            let step = n.step_of(x)?.as_constant()?;
            if step != 0 && end.as_constant().is_some() {
                let last = end.sub(&Nat::constant(1));
                let at = if (step > 0) == most { last } else { Nat::constant(0) };
                n = n.subst(&|v| matches!(v, NatVar::Named(y) if y == x).then(|| at.clone()));
            }
        }
        Some(n)
    }
}

/// From zero to `n`, the iterations at which a part of a loop to `n` begins or ends, in the order that they have where sizes
/// are large; nothing where there is one part.
fn cuts(n: &Nat, changes: &[Change]) -> Option<Vec<Nat>> {
    let zero = Nat::constant(0);
    let mut cuts: Vec<Nat> = vec![];
    for (begin, end) in changes {
        let place = |cut: &Nat| Some((goes_before(&zero, cut)?, goes_before(cut, n)?));
        // Where it is not known whether it is in the loop, the question stays.
        let (Some(first), Some(last)) = (place(begin), place(end)) else { continue };
        let inside = [(begin, first), (end, last)].into_iter().filter(|(_, place)| *place == (true, true));
        cuts.extend(inside.map(|(cut, _)| cut.clone()));
    }
    let mut sorted = vec![zero.clone(), n.clone()];
    for cut in cuts {
        if !sorted.contains(&cut) {
            let mut at = sorted.len() - 1;
            while at > 1 && goes_before(&cut, &sorted[at - 1])? {
                at -= 1;
            }
            sorted.insert(at, cut);
        }
    }
    // Short parts beside each other are one.
    let mut k = 1;
    while k + 1 < sorted.len() {
        if is_short(&sorted[k + 1].sub(&sorted[k - 1])) {
            sorted.remove(k);
        } else {
            k += 1;
        }
    }
    (sorted.len() > 2).then_some(sorted)
}

/// Is the first number less where all sizes are large? Nothing where that depends on which of them is larger.
fn goes_before(first: &Nat, second: &Nat) -> Option<bool> {
    let large = |n: &Nat| n.subst(&|v| Some(Nat::variable(v.clone()).add(&Nat::constant(LARGE))));
    large(first).is_less(&large(second), &Ranges::default())
}

#[cfg(test)]
mod tests {
    use crate::dpia::exec::{self, Options};
    use crate::lang::diag::FileId;
    use crate::lang::eval::{self, Limits, inputs};
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::lang::value::Tolerance;
    use crate::{Target, lower_term, pipeline};

    fn program(text: &str) -> infer::Program {
        let (file, problems) = parse_program(FileId::NOWHERE, text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        let (program, problems) = infer::program(&file, None);
        program.unwrap_or_else(|| panic!("{text}: {problems:?}"))
    }

    /// The program before and after the pass, as text, after it was run at these lengths.
    fn split(text: &str, lengths: &[i64]) -> (String, String) {
        let p = program(text);
        let lowered = lower_term(&p.term).unwrap();
        let stages = pipeline::lower(&lowered, &p.sizes, Target::C).unwrap_or_else(|d| panic!("{text}: {d}"));
        let at = stages.imperative.iter().position(|(name, _)| *name == "splitChoices").unwrap();
        for n in lengths {
            let sizes = eval::sizes(p.sizes.iter().map(|x| (&**x, *n)));
            let inputs = inputs::for_program(&p.ty, &sizes, 3, inputs::Kind::SmallIntegers).unwrap();
            let expected = eval::run(&p.term, &sizes, &inputs, &Limits::TEST).unwrap();
            for backwards in [false, true] {
                let options = Options { backwards, ..Options::default() };
                let found = exec::run(&stages.imperative[at].1, &sizes, &inputs, options);
                let found = found.unwrap_or_else(|d| panic!("{text} at {n}: {d}"));
                let same = expected.agrees(&found, Tolerance::Exact);
                same.unwrap_or_else(|why| panic!("{text} at {n}: {why}\n{}", stages.imperative[at].1.body));
            }
        }
        (stages.imperative[at - 1].1.body.to_string(), stages.imperative[at].1.body.to_string())
    }

    const SMALL: [i64; 5] = [1, 2, 3, 4, 6];

    /// Programs over arrays of `L` elements, whose loops are split.
    const SPLIT: [&str; 14] = [
        "def f (a: L.f32): L.f32 = a |> padClamp 1 1 |> slide 3 1 |> map (reduce (+) 0)",
        "def f (a: L.f32): L.f32 = a |> padClamp 3 1 |> slide 5 1 |> mapPar (reduceSeq (+) 0)",
        "def f (a: L.f32): (L + 3).f32 = a |> padClamp 4 2 |> slide 4 1 |> map (reduce (+) 0)",
        "def f (a: L.f32): L.f32 = a |> padCst 2 2 7 |> slide 5 1 |> map (reduce max 0)",
        "def f (a: (2 * L).f32): L.f32 = a |> padClamp 1 0 |> slide 3 2 |> map (reduce (+) 0)",
        "def f (a: L.f32): L.f32 = generate (\\i. select (indexAsNat i < 2) 0 (idx i a)) |> mapPar (\\x. x + 1)",
        "def f (a: L.f32): L.f32 = a |> padClamp 1 1 |> slide 3 1 |> map (reduce (+) 0) |> reverse",
        "def f (a: L.f32): f32 = a |> padClamp 1 1 |> slide 3 1 |> map (reduce (+) 0) |> reduce max 0",
        "def f (a: L.L.f32): L.L.f32 = a |> map (padClamp 1 1 >> slide 3 1 >> map (reduce (+) 0))",
        "def f (a: L.L.f32): L.L.f32 = a |> padClamp 1 1 |> slide 3 1 |> map (transpose >> map (reduce (+) 0))",
        "def f (a: L.L.f32): L.L.f32 = a |> mapPar (padClamp 2 2 >> slide 5 1 >> mapSeq (reduceSeq (+) 0))",
        "def f (a: L.L.f32): L.L.f32 = a |> map (padClamp 2 2) |> padClamp 2 2 |> map (slide 5 1) |> slide 5 1
            |> map transpose |> map (map (join >> reduce (+) 0))",
        "def f (a: L.L.f32): L.L.f32 = a |> padCst 1 1 (generate (\\i. 0)) |> slide 3 1
            |> mapPar (\\rows. let (toMem (rows |> transpose |> mapSeq (reduceSeq (+) 0)))
                 (\\r. r |> padClamp 1 1 |> slide 3 1 |> mapSeq (reduceSeq (+) 0)))",
        "def f (a: L.L.L.f32): L.L.L.f32 = a |> map (map (padClamp 1 1 >> slide 3 1 >> map (reduce (+) 0)))
            |> padClamp 1 1 |> slide 3 1 |> map (\\w. w |> transpose |> map (transpose >> map (reduce (+) 0)))",
    ];

    #[test]
    fn loops_are_split_where_choices_change() {
        for text in SPLIT {
            let (before, after) = split(&text.replace('L', "n"), &SMALL);
            assert_ne!(before, after, "{text}");
            if !text.contains("L.L.L") && !text.contains("padClamp 2 2") {
                let (before, after) = split(&text.replace('L', "65"), &[65]);
                assert!(before.matches("select").count() > 0 || before.contains("if "), "{before}");
                assert_ne!(before, after, "{text}");
            }
        }
    }

    /// In the loop over the most iterations nothing is chosen; each of the others is as short as what is padded.
    #[test]
    fn nothing_is_chosen_in_the_long_part() {
        let (before, after) = split(&SPLIT[0].replace('L', "100"), &[100]);
        assert!(before.contains("select"), "{before}");
        let long =
            after.split("for ").find(|part| part.contains("< 98 {")).unwrap_or_else(|| panic!("{after}"));
        assert!(!long.contains("select"), "{after}");
        let (_, rows) = split(&SPLIT[9].replace('L', "100"), &[100]);
        let long = rows.split("< 98 {").nth(1).unwrap_or_else(|| panic!("{rows}"));
        assert!(!long.split("for i").nth(2).unwrap().contains("select"), "{rows}");
        // What threads share out is one loop where long loops are in it.
        let (_, shared) = split(&SPLIT[12].replace('L', "100"), &[100]);
        assert_eq!(shared.matches("parFor").count(), 1, "{shared}");
    }

    /// Loops of few iterations, what depends on data, and triangles have no long part in which more is known.
    #[test]
    fn other_loops_stay() {
        for text in [
            "def f (a: 40.f32): 40.f32 = a |> padClamp 1 1 |> slide 3 1 |> map (reduce (+) 0)",
            "def f (a: n.n.f32): n.n.f32 = a |> padClamp 1 1 |> slide 3 1
                |> mapPar (transpose >> mapPar (reduceSeq (+) 0))",
            "def f (a: n.i32): n.i32 = a |> map (\\x. select (x < 2) 0 x)",
            "def f (a: n.n.f32): n.n.f32 =
               generate (\\i. generate (\\j. select (indexAsNat i < indexAsNat j) (idx j (idx i a)) 0))",
        ] {
            let (before, after) = split(text, &[3, 5]);
            assert_eq!(before, after, "{text}");
        }
    }
}
