//! Random programs through every stage of lowering, each stage run and compared with the interpreter.

use super::dpia::exec::{self, Options};
use super::dpia::races::{Trust, Unproved};
use super::{Target, lower_term, pipeline, sequential};
use crate::lang::arbitrary::Draw;
use crate::lang::build;
use crate::lang::diag::FileId;
use crate::lang::eval::{self, Limits, inputs};
use crate::lang::infer;
use crate::lang::pattern::Pattern;
use crate::lang::print;
use crate::lang::syntax;
use crate::lang::term::Term;
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
    let term = sequential(&drawn, &keep);
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
