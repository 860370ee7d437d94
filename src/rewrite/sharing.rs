//! Values that a program computes more often than it has to, as values that are shared.
//!
//! Searches run on beta normal forms, in which what a program shares is written out wherever it is used, in loops too. What
//! they find is shared again, so that finding it costs no work that the program has saved.

use crate::lang::eval::Sizes;
use crate::lang::nat::{Name, NatVar};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::sort::{How, Sort};
use crate::lang::term::Term;
use crate::lang::work;
use crate::normal::written_params;
use crate::rule::builtin::part_shared;
use crate::search::about;
use crate::sketch::holes::sizes_in;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// So many values of a program are shared.
const MOST_SHARED: usize = 16;
/// Longer terms are left as they are.
const MOST_NODES: u32 = 4_000;
/// Work is compared where all sizes are this one, which many numbers divide.
pub const SIZE: i64 = 20_160;
/// So many times as much is much.
const MUCH: u64 = 2;

/// How much a program computes, as a number to be compared with that of another one of the same sizes; none where it cannot be
/// counted.
pub fn amount(program: &Term) -> Option<f64> {
    amount_at(program, &named_sizes(program).into_iter().map(|name| (name, SIZE)).collect())
}

fn amount_at(program: &Term, sizes: &Sizes) -> Option<f64> {
    let work = work::of(program, sizes);
    Some(work.flops + work.integer_operations).filter(|amount| *amount > 0.0)
}

/// The sizes of a program that may have any value.
fn named_sizes(program: &Term) -> Vec<Name> {
    let all = sizes_in(program);
    let named = |v| if let NatVar::Named(name) = v { Some(name) } else { None };
    all.iter().flat_map(|n| n.vars()).filter_map(named).collect()
}

/// How many times as much a program computes as one that computes this, where that is much.
pub fn times(program: &Term, given: f64) -> Option<u64> {
    let times = (amount(program)? / given).round() as u64;
    (times >= MUCH).then_some(times)
}

/// That what was found computes so many times as much.
pub fn times_told(times: u64) -> String {
    let times = about(times as f64);
    format!(
        "It computes about {times} times as much as the program given, where sizes are as large as {SIZE}."
    )
}

/// That a program which was found computes much more than the one given, if it does: at these sizes where they are all that it has.
pub fn told(given: &Term, found: &Term, sizes: &Sizes) -> Option<String> {
    let is_known = |program| named_sizes(program).iter().all(|name| sizes.contains_key(name));
    if !(is_known(given) && is_known(found)) {
        return times(found, amount(given)?).map(times_told);
    }
    let times = (amount_at(found, sizes)? / amount_at(given, sizes)?).round();
    let about = about(times);
    let told = || format!("It computes about {about} times as much as the program given, at these sizes.");
    (times >= MUCH as f64).then(told)
}

/// Does the program share values, as `let` in its text does?
pub fn shares(program: &Term) -> bool {
    let is_shared = |t: &Term| {
        t.as_app().is_some_and(|(f, _)| f.as_lam().is_some()) || t.as_pattern() == Some(Pattern::Let)
    };
    program.positions().into_iter().any(|(_, t)| is_shared(t))
}

/// The program with those values shared that loops would compute again in each step, or that are written in several places, each
/// where all is known that it depends on. None where there are none.
pub fn shared(program: &Term) -> Option<Term> {
    let params = written_params(program).len();
    let mut here = program.clone();
    for _ in 0..MOST_SHARED {
        if here.size() > MOST_NODES {
            break;
        }
        let Some(next) = one_more(&here, params) else { break };
        here = next;
    }
    (here != *program).then_some(here)
}

/// A binder above a position.
struct Binder {
    /// Its body stands so many steps from the root.
    body: usize,
    /// The body runs once for each time that the binder is come to.
    once: bool,
}

/// What stands around a position.
struct Around {
    /// The binders, outermost first.
    binders: Vec<Binder>,
    /// For each function around it that is given in part what it takes, below how many binders that is: a loop over `zip xs` computes
    /// `xs` in each step.
    in_part: Vec<usize>,
    /// So many of the binders are the program's parameters.
    params: usize,
}

/// A part of a program that is a value which may be computed elsewhere.
pub struct Value<'t> {
    pub part: &'t Term,
    pub at: Path,
    /// It may stand in the body of a binder that binds all that it depends on: so many steps from the root.
    home: usize,
    /// So many binders are between there and here.
    pub below: u32,
    /// Loops between there and here compute it in each of their steps.
    repeated: bool,
}

/// The values of a program that may be computed elsewhere.
pub fn values(program: &Term) -> Vec<Value<'_>> {
    values_within(program, written_params(program).len())
}

fn values_within(program: &Term, params: usize) -> Vec<Value<'_>> {
    let mut out = vec![];
    walk(program, &Path::root(), false, &mut Around { binders: vec![], in_part: vec![], params }, &mut out);
    out
}

/// The largest of these values shared, of equally large ones the first.
fn one_more(program: &Term, params: usize) -> Option<Term> {
    let mut values = values_within(program, params);
    values.sort_by_key(|v| Reverse(v.part.size()));
    values.chunk_by(|v, w| v.part.size() == w.part.size()).find_map(|alike| {
        let mut places: FxHashMap<_, usize> = FxHashMap::default();
        for value in alike.iter().filter(|_| alike.len() > 1) {
            *places.entry((value.home(), value.what())).or_default() += 1;
        }
        let is_met_again = |v: &Value<'_>| places.get(&(v.home(), v.what())).is_some_and(|all| *all > 1);
        let is_worth = |v: &&Value<'_>| v.repeated || is_met_again(v);
        alike.iter().filter(is_worth).find_map(|v| v.shared(program))
    })
}

impl Value<'_> {
    /// Where it may stand.
    pub fn home(&self) -> &[u8] {
        self.at.steps().get(..self.home).unwrap_or_default()
    }

    /// What it is there.
    pub fn what(&self) -> Option<Term> {
        self.part.shift_down(self.below)
    }

    /// The program with this value shared.
    fn shared(&self, program: &Term) -> Option<Term> {
        let home = Path::new(self.home().iter().copied());
        let within = Path::new(self.at.steps().get(self.home..)?.iter().copied());
        program.replace_at(&home, part_shared(program.at(&home)?, &within).ok()?)
    }
}

/// The values of a part of the program that take a loop to compute, which makes them worth their memory. A function that is `applied`
/// here runs once.
fn walk<'t>(t: &'t Term, at: &Path, applied: bool, around: &mut Around, out: &mut Vec<Value<'t>>) {
    if !t.calculates() {
        return;
    }
    out.extend(value(t, at, around));
    if let Some((_, body)) = t.as_lam() {
        let once = applied || around.binders.len() < around.params;
        around.binders.push(Binder { body: at.len() + 1, once });
        walk(body, &at.child(0), false, around, out);
        around.binders.pop();
    } else if let Some((f, e)) = t.as_app() {
        let in_part = !applied && t.ty().as_fun().is_some() && t.as_pattern_app().is_some();
        if in_part {
            around.in_part.push(around.binders.len());
        }
        walk(f, &at.child(0), true, around, out);
        let of_let = f.as_app().is_some_and(|(head, _)| head.as_pattern() == Some(Pattern::Let));
        walk(e, &at.child(1), of_let, around, out);
        if in_part {
            around.in_part.pop();
        }
    }
}

/// A part as a value that may be computed elsewhere.
fn value<'t>(part: &'t Term, at: &Path, around: &Around) -> Option<Value<'t>> {
    let Around { binders: above, in_part, params } = around;
    if part.ty().as_fun().is_some() || !is_worth_it(part) {
        return None;
    }
    let all = above.len();
    let bound = (0..all).find(|i| part.has_free(*i as u32)).map_or(0, |i| all - i);
    let level = bound.max((*params).min(all));
    let home = level.checked_sub(1).map_or(0, |last| above[last].body);
    let repeated = above[level..].iter().any(|b| !b.once) || in_part.iter().any(|at| *at >= level);
    let value = Value { part, at: at.clone(), home, below: (all - level) as u32, repeated };
    (home < at.len()).then_some(value)
}

/// Does it take a loop to compute, and can it be computed elsewhere? What work-items do, what is stored and what streams is where
/// the program wants it.
fn is_worth_it(t: &Term) -> bool {
    let is_placed = |sort: Sort| match sort {
        Sort::Memory | Sort::Buffer => true,
        Sort::Map(how) | Sort::Reduce(how) => {
            matches!(how, How::Stream | How::Consumer | How::Global | How::WorkGroup | How::Local)
        }
        _ => false,
    };
    let is_loop = |sort: Sort| matches!(sort, Sort::Map(_) | Sort::Reduce(_) | Sort::Scan | Sort::Repeated);
    let has = |is: &dyn Fn(Sort) -> bool| t.has_leaf(&|leaf| leaf.as_pattern().is_some_and(|p| is(p.sort())));
    has(&is_loop) && !has(&is_placed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;
    use crate::normal::normal_form_with;

    fn read(text: &str) -> Term {
        program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term
    }

    /// How much more is computed is told at the sizes that there are, and else at sizes that are named.
    #[test]
    fn more_work_is_told_with_its_sizes() {
        let given =
            read("def f (x: m.n.f32) = x |> map (\\row. let s = reduce (+) 0 row in map (\\v. v / s) row)");
        let found = normal_form_with(&written_params(&given), &given).unwrap();
        let at = |n: i64, m: i64| Sizes::from_iter([("n".into(), n), ("m".into(), m)]);
        assert!(times(&found, amount(&given).unwrap()).is_some_and(|times| times > 10_000));
        let large = "where sizes are as large as 20160.";
        assert!(told(&given, &found, &Sizes::default()).unwrap().ends_with(large));
        assert!(told(&given, &found, &Sizes::from_iter([("n".into(), 8)])).unwrap().ends_with(large));
        let here = told(&given, &found, &at(99, 4)).unwrap();
        assert_eq!(here, "It computes about 50 times as much as the program given, at these sizes.");
        assert_eq!(told(&given, &found, &at(1, 4)), None);
    }

    /// What was written out is shared again, so that as much is computed as before.
    #[test]
    fn what_is_written_out_is_shared_again() {
        for text in [
            // In a loop, and in two places, one within the other.
            "def f (x: n.m.f32) = x |> map (\\row.
               let top = reduce max (-3.4e38) row
               let es = map (\\v. exp (v - top)) row
               let s = reduce (+) 0 es
               map (\\e. e / s) es)",
            // Outside of all loops.
            "def f (x: n.m.f32) =\n  let all = reduce (+) 0 (join x)\n  map (map (\\v. v / all)) x",
            // A pair, of two loops.
            "def f (x: n.f32) =\n  let m = reduce (+) 0 x\n  let d = map (\\v. v - m) x\n  map (\\p. fst p * snd p) (zip d d)",
            // In a function that is given in part.
            "def f (v: d.j.f32) (x: j.f32) =\n  let e = x |> map (\\x. exp (sin x)) in v |> map (zip e) |> map (map (\\p. fst p * snd p))",
            // So much that it leaves the range of sizes.
            "def f (x: n.f32) =
               let s = reduce (+) 0 x
               let x = x |> map (\\v. v * s)
               let s = reduce (+) 0 x
               let x = x |> map (\\v. v * s)
               let s = reduce (+) 0 x
               let x = x |> map (\\v. v * s)
               let s = reduce (+) 0 x
               x |> map (\\v. v * s)",
            // A sum in the function of a reduction.
            "def f (x: n.f32) (y: n.f32) = reduce (+) 0 (map (\\v. v * reduce max 0 y) x)",
        ] {
            let given = read(text);
            let params = written_params(&given);
            let written_out = normal_form_with(&params, &given).unwrap();
            let again = shared(&written_out).unwrap();
            again.check().unwrap();
            assert_eq!(normal_form_with(&params, &again).unwrap(), written_out, "{text}");
            let [given, out, again] = [&given, &written_out, &again].map(|t| amount(t).unwrap());
            assert!(again <= given, "{text}: {given} {out} {again}");
            // The last is written once, in a loop.
            assert!(out > given || text.contains("(y:"), "{text}: {given} {out} {again}");
        }
        // Where nothing is computed twice, nothing is shared; nor what takes no loop.
        for text in [
            "def f (x: n.m.f32) = x |> map (\\row. reduce (+) 0 (map (\\v. v * v) row))",
            "def f (x: n.f32) (a: f32) = x |> map (\\v. v * sqrt a + sqrt a)",
            "def f (x: n.m.f32) = transpose x |> map (\\c. reduce (+) 0 c)",
            // `zip` and the sum are given all that they take.
            "def f (x: n.m.f32) = x |> map (\\r. zip (map sqrt r) r |> map (\\p. fst p * snd p))",
            "def f (x: n.f32) (y: m.f32) = x |> reduce (+) (y |> reduce max 0)",
            // Work-items of a group do it together.
            "def f (x: n.m.f32) (y: m.f32) = x |> mapWorkGroup 0 (\\r. zip r (mapLocal 0 sqrt y) |> mapLocal 0 (\\p. fst p * snd p))",
        ] {
            assert_eq!(shared(&read(text)), None, "{text}");
        }
    }
}
