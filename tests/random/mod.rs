//! Whole random programs through everything: printing and reading, both interpreters, lowering, every stage, C and
//! OpenCL, and what strategies make of them. `PROGRAMS=FROM..TO` runs any range of them.
#![allow(clippy::print_stdout, reason = "a test tells what it does")]

pub mod auto;
mod check;
mod choices;
mod draw;
mod groups;
pub mod modules;
mod opencl;
pub mod strategies;

use crate::device_common;
use crate::emit_common;
use crate::emit_common::{Case, batch};
use check::{Fate, Ran, Subject};
use choices::{Choices, shrink};
use draw::Dialect;
use shine_tui::lang::eval;
use shine_tui::lang::infer::Program;
use shine_tui::lower::{self, Target};
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What becomes of the program that the choices make, or what is wrong with it.
type Way = dyn Fn(&mut Choices) -> Result<Fate, String>;

fn caught<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|e| {
        let text = e.downcast_ref::<String>().cloned();
        Err(format!(
            "panic: {}",
            text.or(e.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default()
        ))
    })
}

/// What two failures of one cause share.
fn class(why: &str) -> String {
    let told = ["error: ", "runtime error: ", "AddressSanitizer: "].iter().find_map(|at| why.split_once(at));
    let told = told.map_or(why, |(_, told)| told);
    told.chars().filter(|c| !c.is_ascii_digit()).take(30).collect()
}

fn range(usual: Range<u64>) -> Range<u64> {
    let wanted = std::env::var("PROGRAMS").ok();
    let range = wanted.as_deref().and_then(|range| range.split_once(".."));
    range.map_or(usual, |(from, to)| from.parse().unwrap()..to.parse().unwrap())
}

/// The kernels of a program to run: generic, and specialised at other sizes.
fn chosen(cases: Vec<Case>, seed: u64) -> Vec<Case> {
    let chosen = [0, cases.len().saturating_sub(1)];
    let picked = cases.into_iter().enumerate().filter(|(i, _)| chosen.contains(i)).map(|(_, c)| c);
    let named = picked.enumerate().map(|(i, mut case)| {
        let name = format!("p{seed}_{i}");
        case.kernel.text = case.kernel.text.replace(&format!(" {}(", case.kernel.name), &format!(" {name}("));
        case.kernel.name = name;
        case
    });
    named.collect()
}

/// Compiles and runs kernels together, with every access and operation checked.
fn run_c(cases: &[Case]) -> Result<(), String> {
    caught(|| {
        // Random programs compare what is always so, and store or compute with cells that nothing defines.
        let flags = [
            "-Wno-unused-variable",
            "-Wno-unused-but-set-variable",
            "-Wno-type-limits",
            "-Wno-tautological-compare",
            "-Wno-uninitialized",
            "-Wno-maybe-uninitialized",
            "-fopenmp",
            "-fsanitize=address,undefined",
            "-fno-sanitize=bool",
            "-fno-sanitize-recover",
        ];
        batch::check(cases, &batch::run(&batch::unit(cases), &flags));
        Ok(())
    })
}

/// The programs of which a kernel fails, with the reasons.
fn failing(cases: &[(u64, Case)], run: &dyn Fn(&[Case]) -> Result<(), String>) -> BTreeMap<u64, String> {
    let plain: Vec<Case> = cases.iter().map(|(_, c)| c.clone()).collect();
    let Err(why) = run(&plain) else { return BTreeMap::new() };
    if let [(seed, _)] = cases {
        return [(*seed, why)].into();
    }
    let (a, b) = cases.split_at(cases.len() / 2);
    let mut all = failing(a, run);
    all.extend(failing(b, run));
    all
}

/// Whether panics of this thread are told: those of programs that are tried are not, but those of other tests are.
fn quietly(quiet: bool) {
    thread_local! {
        static QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                told(info);
            }
        }));
    });
    QUIET.set(quiet);
}

/// Runs programs and reports those that fail, made small.
fn sweep(
    seeds: Range<u64>,
    show: &dyn Fn(&mut Choices) -> String,
    way: &Way,
    run: &dyn Fn(&[Case]) -> Result<(), String>,
) {
    quietly(true);
    let mut fates: BTreeMap<String, u32> = BTreeMap::new();
    let mut failures: Vec<(u64, String)> = vec![];
    let mut cases = vec![];
    let all = seeds.end - seeds.start;
    for seed in seeds {
        let fate = match caught(|| way(&mut Choices::random(seed))) {
            Ok(Fate::Checked(subject)) => {
                cases.extend(chosen(subject.cases, seed).into_iter().map(|c| (seed, c)));
                "checked".to_string()
            }
            Ok(Fate::Refused(code)) => code.to_string(),
            Ok(Fate::NoValue) => "without a value".to_string(),
            Err(why) => {
                failures.push((seed, why.clone()));
                format!("FAILED {}", class(&why))
            }
        };
        *fates.entry(fate).or_default() += 1;
        if cases.len() >= 60 {
            failures.extend(failing(&std::mem::take(&mut cases), run));
        }
    }
    failures.extend(failing(&cases, run));
    println!("{fates:#?}");
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for (seed, why) in &failures {
        let class = class(why);
        let again = seen.entry(class.clone()).or_default();
        *again += 1;
        if *again > 3 {
            continue;
        }
        let fails = |choices: &mut Choices| -> Result<(), String> {
            match caught(|| way(choices))? {
                Fate::Checked(subject) => run(&chosen(subject.cases, 0)),
                _ => Ok(()),
            }
        };
        // Making it small may take long.
        println!("== {seed}, as it was drawn\n-- {why}\n");
        let mut first = Choices::random(*seed);
        let _ = caught(|| way(&mut first));
        let budget = if class.starts_with("panic") { 100 } else { 500 };
        let made = shrink(first.made, budget, |c| {
            fails(&mut Choices::again(c)).is_err_and(|w| self::class(&w) == class)
        });
        let why = fails(&mut Choices::again(&made)).err().unwrap_or_default();
        let shown = caught(|| Ok(show(&mut Choices::again(&made))));
        println!("== {seed}\n{}\n-- {why}\n", shown.unwrap_or_else(|e| e));
    }
    quietly(false);
    assert!(failures.is_empty(), "{} of {all} programs fail: {seen:?}", failures.len());
    let checked = fates.get("checked").copied().unwrap_or_default();
    assert!(u64::from(checked) > all / 3, "only {checked} of {all} programs were checked");
}

fn shown(dialect: Dialect, choices: &mut Choices) -> String {
    check::text(&emit_common::program("f", Ok(draw::program(choices, dialect).term)))
}

fn plainly(seeds: Range<u64>, dialect: Dialect, run: &dyn Fn(&[Case]) -> Result<(), String>) {
    let way = move |choices: &mut Choices| check::check(&draw::program(choices, dialect), dialect, "f");
    sweep(seeds, &move |choices| shown(dialect, choices), &way, run);
}

#[test]
fn random_high_level_programs() {
    plainly(range(0..16), Dialect::High, &run_c);
}

#[test]
fn random_low_level_programs() {
    plainly(range(1000..1016), Dialect::C, &run_c);
}

fn of_streams(seeds: Range<u64>, dialect: Dialect, run: &dyn Fn(&[Case]) -> Result<(), String>) {
    let show = move |choices: &mut Choices| {
        check::text(&emit_common::program("f", Ok(draw::of_streams(choices, dialect).term)))
    };
    let way = move |choices: &mut Choices| check::check(&draw::of_streams(choices, dialect), dialect, "f");
    sweep(seeds, &show, &way, run);
}

#[test]
fn random_streams() {
    of_streams(range(6000..6016), Dialect::C, &run_c);
}

#[test]
fn random_streams_of_work_items() {
    of_streams(range(7000..7008), Dialect::OpenCl, &run_opencl);
}

/// Runs kernels on the device of OpenCL.
fn run_opencl(cases: &[Case]) -> Result<(), String> {
    let Some(device) = device_common::opencl() else { return Ok(()) };
    caught(|| {
        cases.iter().for_each(|case| opencl::check(case, &device, device_common::devices()));
        Ok(())
    })
}

#[test]
fn random_programs_of_work_items() {
    plainly(range(2000..2008), Dialect::OpenCl, &run_opencl);
}

/// What a strategy makes of a program for OpenCL, in however many kernels, computes the same.
fn on_work_items(program: &Program, trials: &[check::Trial], strategy: &str) -> Result<Fate, String> {
    // The simulator takes too long for as many work-items as there are usually.
    let simulator = if strategy == auto::ON_WORK_ITEMS[0] { None } else { modules::simulator() };
    let rewritten =
        strategies::apply(program, strategy).ok_or_else(|| format!("{strategy} does not get to its end"))?;
    for (trial, is_fixed) in trials.iter().zip([true, false].into_iter().cycle()) {
        if let Some(problem) = rewritten.check_sizes(&trial.sizes).first() {
            return Err(format!("{strategy}: {problem}"));
        }
        for device in std::iter::once(modules::device()).chain(simulator.map(Some)) {
            let ran = modules::ran(&rewritten, trial, is_fixed, device);
            match ran.map_err(|why| format!("{strategy}: {why}"))? {
                Ran::Agrees => {}
                Ran::WithHalves => return Ok(Fate::Refused("f16")),
                Ran::Refused(d) => {
                    return Err(format!("{strategy}: {}\n{}", check::told(&d), check::text(&rewritten)));
                }
            }
        }
    }
    let trials = trials.to_vec();
    Ok(Fate::Checked(Box::new(Subject { program: rewritten, trials, cases: vec![] })))
}

#[test]
fn random_programs_of_vectors() {
    let shown = |choices: &mut Choices| {
        check::text(&emit_common::program("f", Ok(draw::program_of_vectors(choices).term)))
    };
    let way = |choices: &mut Choices| check::check(&draw::program_of_vectors(choices), Dialect::OpenCl, "f");
    sweep(range(6000..6008), &shown, &way, &run_opencl);
}

#[test]
fn random_programs_after_auto_on_work_items() {
    let strategy =
        |choices: &mut Choices| auto::ON_WORK_ITEMS[choices.below(auto::ON_WORK_ITEMS.len() as u32) as usize];
    let show = |choices: &mut Choices| format!("{}\n{}", strategy(choices), shown(Dialect::High, choices));
    let way = move |choices: &mut Choices| {
        let strategy = strategy(choices);
        let drawn = draw::program(choices, Dialect::High);
        match check::check(&drawn, Dialect::High, "f")? {
            Fate::Checked(subject) => on_work_items(&subject.program, &subject.trials, strategy),
            other => Ok(other),
        }
    };
    sweep(range(5000..5006), &show, &way, &|_| Ok(()));
}

#[test]
fn random_programs_of_several_kernels() {
    let show = |choices: &mut Choices| check::text(&modules::program(choices).0);
    let way = |choices: &mut Choices| modules::check(choices, modules::device());
    sweep(range(4000..4008), &show, &way, &|_| Ok(()));
}

#[test]
fn random_programs_of_work_groups() {
    let simulator = emit_common::simulator::oclgrind();
    let show = |choices: &mut Choices| check::text(&groups::program(choices).0);
    let way = move |choices: &mut Choices| groups::check(choices, simulator);
    sweep(range(8000..8008), &show, &way, &|_| Ok(()));
}

fn strategy(choices: &mut Choices) -> &'static str {
    strategies::ALL[choices.below(strategies::ALL.len() as u32) as usize]
}

#[test]
fn random_programs_after_strategies() {
    let show = |choices: &mut Choices| format!("{}\n{}", strategy(choices), shown(Dialect::High, choices));
    let way = |choices: &mut Choices| {
        let strategy = strategy(choices);
        let drawn = draw::program(choices, Dialect::High);
        let fate = check::check(&drawn, Dialect::High, "f")?;
        let Fate::Checked(subject) = fate else { return Ok(fate) };
        let Subject { program, trials, .. } = *subject;
        let Some(rewritten) = strategies::apply(&program, strategy) else {
            return Ok(Fate::Refused("stuck"));
        };
        let fits = |trial: &check::Trial| rewritten.check_sizes(&trial.sizes).is_empty();
        let trials: Vec<_> = trials.into_iter().filter(fits).collect();
        if trials.is_empty() {
            return Ok(Fate::Refused("sizes"));
        }
        // Half of the way to a stream.
        if lower::default_lowering(&rewritten).is_err_and(|d| d.code == "E0532") {
            return Ok(Fate::Refused("E0532"));
        }
        check::compiled(rewritten, trials, Target::C, false).map_err(|why| format!("{strategy}: {why}"))
    };
    sweep(range(3000..3016), &show, &way, &run_c);
}

/// What `auto` makes of a program for threads, which must have code that computes the same.
fn after_auto(program: &Program, trials: Vec<check::Trial>, strategy: &str) -> Result<Fate, String> {
    let stuck = || format!("{strategy} does not get to its end");
    let rewritten = strategies::apply(program, strategy).ok_or_else(stuck)?;
    if let Some(problem) = trials.iter().find_map(|t| rewritten.check_sizes(&t.sizes).into_iter().next()) {
        return Err(format!("{strategy}: {problem}"));
    }
    check::compiled(rewritten, trials, Target::C, true).map_err(|why| format!("{strategy}: {why}"))
}

#[test]
fn random_programs_after_auto() {
    let strategy = |choices: &mut Choices| auto::ALL[choices.below(auto::ALL.len() as u32) as usize];
    let show = |choices: &mut Choices| format!("{}\n{}", strategy(choices), shown(Dialect::High, choices));
    let way = move |choices: &mut Choices| {
        let strategy = strategy(choices);
        let drawn = draw::program(choices, Dialect::High);
        match check::check(&drawn, Dialect::High, "f")? {
            Fate::Checked(subject) => after_auto(&subject.program, subject.trials, strategy),
            other => Ok(other),
        }
    };
    sweep(range(4000..4012), &show, &way, &run_c);
}

#[test]
fn programs_that_nobody_listed_after_auto() {
    let mut cases = vec![];
    for (n, (text, sizes)) in auto::PROGRAMS.iter().enumerate() {
        let program = emit_common::parse(text);
        let sizes = sizes.iter().map(|s| eval::sizes(s.iter().copied()));
        let exact = |s| check::evaluated(&program, &s).unwrap().unwrap_or_else(|| panic!("rounded: {text}"));
        let trials = sizes.map(exact).collect();
        let fate = after_auto(&program, trials, auto::SMALL).unwrap_or_else(|why| panic!("{text}\n{why}"));
        let Fate::Checked(subject) = fate else { panic!("{text}") };
        cases.extend(chosen(subject.cases, n as u64));
    }
    run_c(&cases).unwrap_or_else(|why| panic!("{why}"));
}

/// Stages and reductions in kernels of their own, on two sizes of groups. Each program at one of its sizes: drivers take
/// their time for every kernel.
#[test]
fn programs_that_nobody_listed_after_auto_on_work_items() {
    let of_work_items = auto::PROGRAMS.iter().filter(|(text, _)| !text.contains("mapPar"));
    for (n, (text, sizes)) in of_work_items.enumerate() {
        let program = emit_common::parse(text);
        let sizes = eval::sizes(sizes[n % sizes.len()].iter().copied());
        let trial = check::evaluated(&program, &sizes).unwrap().unwrap();
        on_work_items(&program, &[trial], auto::ON_WORK_ITEMS[n % 2])
            .unwrap_or_else(|why| panic!("{text}\n{why}"));
    }
}

/// The strategies for storage folding, with what they must leave in the program.
#[test]
fn storage_of_kernels_is_folded() {
    const STAGES: &str = "circularBufferStages ; unrollReductions";
    // What is computed is buffered between stages, and not what memory has: three stages have two buffers.
    let three_blurs = "
def sums (a: (n + 2).(m + 2).f32): n.m.f32 =
  a |> slide 3 1 |> map (\\w. transpose w |> slide 3 1 |> map (\\c. reduce (+) 0 (join c)))
def three (a: (n + 6).(m + 6).f32): n.m.f32 = sums (sums (sums a))";
    let separable = include_str!("../../kernels/separableConvolution/separableConvolution.rise");
    let mut cases = vec![];
    for (number, (text, strategy, buffers)) in [
        (three_blurs, STAGES, ["circularBuffer"].repeat(2)),
        (three_blurs, "circularBufferStages(private) ; normalize(useMapSeq)", ["circularBuffer"].repeat(2)),
        (include_str!("../../kernels/binomialFilter/binomialFilter.rise"), STAGES, vec!["circularBuffer"]),
        (
            include_str!("../../kernels/jacobi2d/jacobi2d.rise"),
            "circularBufferStages",
            vec!["circularBuffer"],
        ),
        (include_str!("../../kernels/harris/harris.rise"), STAGES, vec!["circularBuffer"]),
        (separable, STAGES, vec!["circularBuffer"]),
        (separable, "rotateValuesAndConsume ; unrollReductions", vec!["rotateValues"]),
    ]
    .into_iter()
    .enumerate()
    {
        let program = emit_common::parse(text);
        let rewritten = strategies::apply(&program, strategy).unwrap_or_else(|| panic!("{strategy}\n{text}"));
        let shown = check::text(&rewritten);
        let found = shown.matches(buffers[0]).count();
        assert!(found >= buffers.len() && shown.contains("iterateStream"), "{strategy}\n{shown}");
        let sizes = [[("n", 3), ("m", 5)], [("n", 1), ("m", 2)]].map(eval::sizes);
        let trials = sizes.map(|s| check::evaluated(&program, &s).unwrap().unwrap()).to_vec();
        let fate = check::compiled(rewritten, trials, Target::C, true)
            .unwrap_or_else(|why| panic!("{strategy}\n{text}\n{why}"));
        let Fate::Checked(subject) = fate else { panic!("{text}") };
        cases.extend(chosen(subject.cases, number as u64));
    }
    run_c(&cases).unwrap_or_else(|why| panic!("{why}"));
}

/// The strategies for pipelines, where strips and vectors leave something over: nothing is read that is not there.
#[test]
fn pipelines_of_kernels_are_buffered() {
    let text = include_str!("../../kernels/harris/harris.rise");
    let program = emit_common::parse(text);
    let rewritten =
        strategies::apply_within(strategies::OF_PIPELINES, &program, "bufferedPipeline(4, 2)").unwrap();
    let trial = check::evaluated(&program, &eval::sizes([("n", 3), ("m", 5)])).unwrap().unwrap();
    let fate = check::compiled(rewritten, vec![trial], Target::C, true).unwrap_or_else(|why| panic!("{why}"));
    let Fate::Checked(subject) = fate else { panic!("{text}") };
    run_c(&chosen(subject.cases, 0)).unwrap_or_else(|why| panic!("{why}"));
}

/// What does not apply says so.
#[test]
fn strategies_for_pipelines_fail_where_they_do_nothing() {
    let program = emit_common::parse("def f (a: n.f32): n.f32 = map (\\x. x * x) a");
    for strategy in [
        "circularBufferStages",
        "unrollReductions",
        "usePrivateMemory",
        "sequentialLines",
        "computeWith",
        "splitPipeline(0)",
        "vectorizeReductions(1)",
    ] {
        assert!(strategies::apply(&program, strategy).is_none(), "{strategy}");
    }
}
