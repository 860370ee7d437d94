//! Random programs through every stage of lowering, each stage run and compared with the interpreter.

use super::dpia::exec::{self, Options};
use super::dpia::races::{Trust, Unproved};
use super::dpia::{Imperative, Kind, LoopKind, Phrase, Remembered};
use super::{Target, lower_term, on_threads, pipeline, sequential};
use crate::arbitrary::Draw;
use crate::lang::build;
use crate::lang::diag::FileId;
use crate::lang::eval::{self, Limits, inputs};
use crate::lang::infer;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::print;
use crate::lang::syntax;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::lang::value::Tolerance;

fn show(t: &Term) -> String {
    print::term(t, &print::Options::default()).text
}

/// How far a random program got.
#[derive(PartialEq, Debug)]
enum Outcome {
    /// The interpreter has no value for it.
    Undefined,
    Refused(&'static str),
    Checked,
}

fn check(seed: u64, fuel: u32, target: Target) -> Outcome {
    let drawn = Draw::new(seed).program(fuel);
    let keep = |p: Pattern| match target {
        Target::C => p == Pattern::MapPar,
        Target::OpenCl => p == Pattern::MapGlobal,
    };
    checked(seed, sequential(&drawn, &keep), target)
}

fn checked(seed: u64, term: Term, target: Target) -> Outcome {
    let none = eval::sizes([]);
    let inputs = inputs::for_program(term.ty(), &none, seed, inputs::Kind::SmallIntegers).unwrap();
    let limits = Limits { steps: 20_000, ..Limits::TEST };
    let Ok(expected) = eval::run(&term, &none, &inputs, &limits) else { return Outcome::Undefined };
    let lowered = match lower_term(&term) {
        Ok(t) => t,
        Err(d) => panic!("seed {seed}: {d} {:?}\n{}", d.notes, show(&term)),
    };
    lowered.check().unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}\n{}", show(&term), show(&lowered)));
    build::check_patterns(&lowered).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", show(&term)));
    assert_eq!(lowered.ty(), term.ty());
    let stages = match pipeline::lower(&lowered, &[], target) {
        Ok(stages) => stages,
        Err(d) if ["E0523", "E0524", "E0525", "E0522", "E0511"].contains(&d.code) => {
            return Outcome::Refused(d.code);
        }
        Err(d) => panic!("seed {seed}: {d} {:?}\n{}\nlowered\n{}", d.notes, show(&term), show(&lowered)),
    };
    for (name, p) in &stages.imperative {
        let shared_out = ["workItems", "kernelMemory", "barriers", "onlyOnce"].contains(name);
        for backwards in [false, true] {
            let global = if shared_out { [1, 2, 1] } else { [1, 1, 1] };
            let options = Options { global, backwards, steps: 2_000_000, ..Options::default() };
            let found = match exec::run(p, &none, &inputs, options) {
                Ok(v) => v,
                Err(d) if d.code == "E0194" => return Outcome::Undefined,
                Err(d) => panic!(
                    "seed {seed}, {name}: {d}\n{}\nlowered\n{}\n{}",
                    show(&term),
                    show(&lowered),
                    p.body
                ),
            };
            if let Err(why) = expected.agrees(&found, Tolerance::Exact) {
                panic!(
                    "seed {seed}, {name}, backwards {backwards}: {why}\n{}\nlowered\n{}\n{}",
                    show(&term),
                    show(&lowered),
                    p.body
                );
            }
        }
    }
    Outcome::Checked
}

fn sweep(target: Target, seeds: std::ops::Range<u64>) {
    let mut checked = 0;
    let all = seeds.end - seeds.start;
    for seed in seeds {
        let outcome = check(seed, 3 + (seed % 8) as u32, target);
        checked += u64::from(outcome == Outcome::Checked);
    }
    assert!(checked > all / 3, "only {checked} of {all} programs were checked");
}

#[test]
fn random_programs_keep_their_meaning_in_every_stage_to_c() {
    sweep(Target::C, 0..150);
}

/// Larger programs: one that tests a cell that `padEmpty` left undefined, one that maps a function without use for its
/// parameter over what is written, and any range, `SEEDS=FROM..TO`.
#[test]
fn larger_random_programs_keep_their_meaning_in_every_stage() {
    let wanted = std::env::var("SEEDS").ok();
    let range = wanted.as_deref().and_then(|range| range.split_once(".."));
    let range = range.map(|(from, to)| from.parse().unwrap()..to.parse().unwrap());
    for seed in range.map_or(vec![7082, 30284], Iterator::collect) {
        let target = if seed % 2 == 0 { Target::C } else { Target::OpenCl };
        check(seed, 2 + (seed % 13) as u32, target);
    }
}

/// What is checked against is computed on threads.
#[test]
fn random_programs_mean_the_same_on_threads() {
    let mut shared_out = 0;
    for seed in 2000..4000 {
        let plain = sequential(&Draw::new(seed).program(3 + (seed % 8) as u32), &|_| false);
        if let Some(threads) = on_threads(&plain) {
            assert_eq!(threads.ty(), plain.ty());
            shared_out += u64::from(checked(seed, threads, Target::C) == Outcome::Checked);
        }
    }
    assert!(shared_out > 20, "only {shared_out} programs were checked");
}

#[test]
fn random_programs_keep_their_meaning_in_every_stage_to_opencl() {
    sweep(Target::OpenCl, 1000..1100);
}

fn program(text: &str) -> infer::Program {
    let (file, problems) = syntax::parse_program(FileId::NOWHERE, text);
    assert!(problems.is_empty(), "{text}");
    infer::program(&file, None).0.unwrap()
}

/// After `workItems` a loop's iterations are a work-item's own; what was believed of all of them still holds.
#[test]
fn what_is_believed_of_work_items_is_told_after_they_are_shared_out() {
    let told = |text: &str, target| {
        let lowered = lower_term(&program(text).term).unwrap();
        pipeline::lower(&lowered, &["n".into()], target).unwrap().sections.remove(0).unproved
    };
    for (map, target) in [("mapGlobal 0", Target::OpenCl), ("mapPar", Target::C)] {
        let found =
            told(&format!("def f (i: n.idx[n]) (a: n.f32): n.f32 = scatter i ({map} sqrt a)"), target);
        assert_eq!(found, [Unproved { var: "i0".into(), trust: Trust::Data }], "{map}");
        assert_eq!(told(&format!("def f (a: n.f32): n.f32 = {map} sqrt a"), target), [], "{map}");
    }
}

/// What is written cannot be a shared value, which is read: it is stored.
#[test]
fn shared_values_that_are_computed_are_stored() {
    for text in [
        "def f (a: n.f32): (2*n).f32 = mapSeq sqrt a |> (\\y. concat y y)",
        "def f (a: n.m.f32): (2*n).m.f32 = a |> mapPar (mapSeq sqrt) |> transpose |> (\\y. concat (transpose y) (transpose y))",
        "def f (a: n.f32): n.(f32 * f32) = mapSeq sqrt a |> (\\y. zip y y |> mapSeq (\\p. p))",
    ] {
        let p = program(text);
        let sizes = eval::sizes([("n", 3), ("m", 2)]);
        let inputs = inputs::for_program(&p.ty, &sizes, 3, inputs::Kind::SmallIntegers).unwrap();
        let expected = eval::run(&p.term, &sizes, &inputs, &Limits::TEST).unwrap();
        let lowered = lower_term(&p.term).unwrap();
        let stages = pipeline::lower(&lowered, &p.sizes, Target::C).unwrap();
        for (name, program) in &stages.imperative {
            let found = exec::run(program, &sizes, &inputs, Options::default()).unwrap();
            expected.agrees(&found, Tolerance::Exact).unwrap_or_else(|why| panic!("{text}, {name}: {why}"));
        }
    }
}

/// The first work-item's number is zero, and it still does not stand for all of them.
#[test]
fn several_work_items_run_what_is_shared_out() {
    let p = program(
        "def f (a: n.m.f32): m.n.f32 = a |> mapGlobal 1 (\\r. let (toMem (mapSeq sqrt r)) (mapGlobal 0 (\\x. x * x))) |> transpose",
    );
    let sizes = eval::sizes([("n", 5), ("m", 4)]);
    let inputs = inputs::for_program(&p.ty, &sizes, 3, inputs::Kind::SmallIntegers).unwrap();
    let expected = eval::run(&p.term, &sizes, &inputs, &Limits::TEST).unwrap();
    let lowered = lower_term(&p.term).unwrap();
    let stages = pipeline::lower(&lowered, &p.sizes, Target::OpenCl).unwrap();
    let mut shared_out = false;
    for (name, program) in &stages.imperative {
        shared_out |= *name == "workItems";
        for global in [[1, 1, 1], [1, 2, 1], [3, 1, 1], [2, 7, 2]] {
            let options = Options { global, steps: 100_000, ..Options::default() };
            match exec::run(program, &sizes, &inputs, options) {
                Ok(found) => {
                    expected.agrees(&found, Tolerance::Exact).unwrap_or_else(|why| panic!("{name}: {why}"))
                }
                Err(d) => assert!(!shared_out && global != [1, 1, 1], "{name} {global:?}: {d}"),
            }
        }
    }
    assert!(shared_out);
}

/// The phrase with what `change` makes of the piece with this number, of those that it changes.
fn changed(p: &Phrase, left: &mut Option<usize>, change: &dyn Fn(&Phrase) -> Option<Phrase>) -> Phrase {
    if let (Some(places), Some(changed)) = (*left, change(p)) {
        *left = places.checked_sub(1);
        if left.is_none() {
            return changed;
        }
    }
    let Ok(p) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(changed(c, left, change)));
    p
}

/// What becomes of a piece, if it is one that is changed.
type Change = Box<dyn Fn(&Phrase) -> Option<Phrase>>;

/// What a pass may break: a name that is not bound where it is used, a cell that is another, memory of another type, code
/// outside of its loop, a loop that runs at once or longer.
fn faults() -> Vec<Change> {
    let new = |p: &Phrase, kind| Some(Phrase::new(kind, p.ty().clone()));
    vec![
        Box::new(
            move |p| if let Kind::Var(_) = p.kind() { new(p, Kind::Var("nowhere".into())) } else { None },
        ),
        Box::new(move |p| match p.kind() {
            Kind::Number(n, parts) => new(p, Kind::Number(n.add(&Nat::var("nowhere")), parts.clone())),
            _ => None,
        }),
        Box::new(move |p| match p.kind() {
            Kind::Number(..) => new(p, Kind::Number(Nat::constant(0), vec![])),
            _ => None,
        }),
        Box::new(move |p| match p.kind() {
            Kind::New(storage, ty, x, body) => {
                let ty = Type::array(Nat::constant(2), ty.clone());
                new(p, Kind::New(*storage, ty, x.clone(), body.clone()))
            }
            _ => None,
        }),
        Box::new(move |p| if let Kind::For(l) = p.kind() { Some(l.body.clone()) } else { None }),
        Box::new(move |p| {
            let Kind::For(l) = p.kind() else { return None };
            let mut l = l.clone();
            l.kind = LoopKind::Lanes;
            Some(Phrase::for_loop(*l))
        }),
        Box::new(move |p| {
            let Kind::For(l) = p.kind() else { return None };
            let mut l = l.clone();
            l.n = l.n.add(&Nat::constant(1));
            Some(Phrase::for_loop(*l))
        }),
    ]
}

/// What checks remember of earlier stages changes nothing: a fault in any place of any stage is refused as by a check that
/// remembers nothing.
#[test]
fn what_is_remembered_hides_no_fault() {
    for (text, target) in [
        (
            "def f (a: (2*n).f32) (b: (n+2).m.f32): n.m.f32 = b |> slide 3 1 |> mapPar (\\w.
               w |> transpose |> mapSeq (reduceSeqUnroll (\\acc. \\x. acc + x * idx (natAsIndex (2*n) 1) a) 0))",
            Target::C,
        ),
        ("def f (a: (4*n).f32): (4*n).f32 = a |> asVector 4 |> mapPar (\\v. v * v + v) |> asScalar", Target::C),
        (
            "def f (a: n.8.f32): n.8.f32 = a |> mapWorkGroup 0 (\\r.
               let (toMem local (mapLocal 0 sqrt r)) (\\t. t |> slide 1 1 |> mapLocal 0 (reduceSeq (+) 0)))",
            Target::OpenCl,
        ),
    ] {
        let lowered = lower_term(&program(text).term).unwrap();
        let stages = pipeline::lower(&lowered, &["n".into(), "m".into()], target).unwrap();
        let mut remembered = Remembered::default();
        let (mut refused, mut kept) = (0, 0);
        for (k, (name, whole)) in stages.imperative.iter().enumerate() {
            whole.check(name, &mut remembered).unwrap();
            for fault in faults() {
                // Every place of the last stage, and each in some of the others.
                let places = (0..).skip(k % 5).step_by(if k + 1 == stages.imperative.len() { 1 } else { 5 });
                for place in places {
                    let mut left = Some(place);
                    let body = changed(&whole.body, &mut left, &fault);
                    if left.is_some() {
                        break;
                    }
                    let wrong = Imperative { body, ..whole.clone() };
                    let fresh = wrong.check(name, &mut Remembered::default()).map_err(|d| d.message);
                    let found = wrong.check(name, &mut remembered.clone()).map_err(|d| d.message);
                    assert_eq!(found, fresh, "{name}: {}", wrong.body);
                    refused += u32::from(fresh.is_err());
                    kept += u32::from(fresh.is_ok());
                }
            }
        }
        assert!(refused > 20 && kept > 0, "{refused} were refused and {kept} were not: {text}");
    }
}

/// Arrays that are put together of parts, or made longer, are read in their parts: nothing copies them before.
#[test]
fn what_is_put_together_is_read_where_it_lies() {
    for body in [
        "padEmpty 2 a |> map (map (\\x. x + 1))",
        "padEmpty 2 a |> slide 2 1 |> map (\\w. transpose w |> map (reduce (+) 0))",
        "concat a b |> mapGlobal (mapSeq (\\x. x + 1))",
        "concat a (padEmpty 1 b) |> take n |> mapGlobal (mapSeq (\\x. x + 1))",
        "concat (map (map (\\x. x * 2)) a) b |> reduce (\\r s. zip r s |> map (\\p. fst p + snd p)) (generate (\\i. 0))",
    ] {
        let p = program(&format!("def f (a: n.m.f32) (b: k.m.f32) = {body}"));
        let lowered = lower_term(&p.term).unwrap();
        assert!(
            !lowered.has_leaf(&|leaf| leaf.as_pattern() == Some(Pattern::ToMem)),
            "{body}: {}",
            show(&lowered)
        );
        let sizes = eval::sizes([("n", 3), ("m", 4), ("k", 2)]);
        let inputs = inputs::for_program(&p.ty, &sizes, 3, inputs::Kind::SmallIntegers).unwrap();
        let run = |t: &Term| eval::run(t, &sizes, &inputs, &Limits::TEST).unwrap();
        assert_eq!(run(&p.term), run(&lowered), "{body}");
        pipeline::lower(&lowered, &p.sizes, Target::OpenCl).unwrap_or_else(|d| panic!("{body}: {d}"));
    }
    // What is computed for several readers is stored, in one piece.
    let p = program("def f (a: n.f32) (b: k.f32) = concat (map sqrt a) b |> slide 3 1 |> map (reduce (+) 0)");
    let stored = |t: &Term| t.has_leaf(&|leaf| leaf.as_pattern() == Some(Pattern::ToMem));
    assert!(stored(&lower_term(&p.term).unwrap()));
}
