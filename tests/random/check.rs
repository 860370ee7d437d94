//! What must hold of every program: it prints and reads back, both interpreters agree, every stage can be printed, and
//! its code computes what they do.

use super::draw::{Dialect, Drawn};
use crate::emit_common::{Case, program};
use shine_tui::emit::{compile, stages};
use shine_tui::lang::build as b;
use shine_tui::lang::diag::{Diagnostic, FileId};
use shine_tui::lang::eval::{self, Limits, Sizes, failure, inputs, naive};
use shine_tui::lang::infer::{self, Program};
use shine_tui::lang::syntax::parse_program;
use shine_tui::lang::ty::Scalar;
use shine_tui::lang::value::{Tolerance, Value};
use shine_tui::lang::{loops, print, work};
use shine_tui::lower::Target;
use shine_tui::lower::{default_lowering, dpia::exec, pipeline};

/// What became of a program before its code runs.
pub enum Fate {
    Checked(Box<Subject>),
    /// The compiler says with this code that it cannot.
    Refused(&'static str),
    /// The program has no value, or takes too long.
    NoValue,
}

pub struct Subject {
    pub program: Program,
    pub trials: Vec<Trial>,
    pub cases: Vec<Case>,
}

/// What may be refused: patterns without code in their place, work-items that would race, unrolling at symbolic sizes.
const REFUSALS: [&str; 12] = [
    "E0501", "E0527", "E0508", "E0520", "E0521", "E0522", "E0523", "E0524", "E0525", "E0528", "E0529",
    "E0530",
];

/// May the program be refused with this code? Buffers of streams ask for local memory that only work-groups have, and a
/// stream is read once.
fn may_be_refused(program: &Program, code: &str) -> bool {
    let has = |streams: &[&str]| {
        let text = text(program);
        streams.iter().any(|stream| text.contains(stream))
    };
    REFUSALS.contains(&code)
        || code == "E0511" && has(&["circularBuffer local", "rotateValues local"])
        || code == "E0533" && has(&["mapStream", "circularBuffer", "rotateValues"])
}

pub fn text(program: &Program) -> String {
    print::program(&program.name, &program.sizes, &program.term, &print::Options::default()).text
}

pub fn told(d: &Diagnostic) -> String {
    format!("{}: {d} {:?} {:?}", d.code, d.notes, d.hints)
}

pub fn target(dialect: Dialect) -> Target {
    if dialect == Dialect::OpenCl { Target::OpenCl } else { Target::C }
}

/// The program at its trials, and all that can be said of it without running its code.
pub fn check(drawn: &Drawn, dialect: Dialect, name: &str) -> Result<Fate, String> {
    let program = program(name, Ok(drawn.term.clone()));
    reads_back(&program)?;
    let _ = loops::text(&loops::of(&program.term));
    let mut trials = vec![];
    for sizes in &drawn.trials {
        let _ = work::of(&program.term, sizes);
        if let Some(d) = program.check_sizes(sizes).first() {
            return Err(format!("the sizes do not fit: {}", told(d)));
        }
        let Some(trial) = evaluated(&program, sizes)? else { return Ok(Fate::NoValue) };
        trials.push(trial);
    }
    compiled(program, trials, target(dialect), dialect == Dialect::High)
}

/// Sizes, inputs and the result.
#[derive(Clone)]
pub struct Trial {
    pub sizes: Sizes,
    pub inputs: Vec<Value>,
    pub expected: Value,
}

pub fn evaluated(program: &Program, sizes: &Sizes) -> Result<Option<Trial>, String> {
    let inputs =
        inputs::for_program(&program.ty, sizes, 7, inputs::Kind::SmallIntegers).map_err(|d| told(&d))?;
    let limits = Limits { steps: 200_000, ..Limits::TEST };
    let fast = eval::run(&program.term, sizes, &inputs, &limits);
    let slow = naive::run(&program.term, sizes, &inputs, &limits);
    let expected = match (fast, slow) {
        (Ok(fast), Ok(slow)) => {
            let same =
                |a: &Value, b: &Value| a.agrees(b, Tolerance::Exact).and(b.agrees(a, Tolerance::Exact));
            same(&slow, &fast).map_err(|why| format!("the interpreters differ {why}"))?;
            slow
        }
        // What the result does not need may have no value. The slow one wants all values.
        (Ok(fast), Err(problem)) if failure::is_without_value(&problem) => fast,
        (Err(a), Err(b)) if a.code == b.code || [a.code, b.code].contains(&"E0194") => return Ok(None),
        (Err(d), _) | (_, Err(d)) if d.code == "E0194" => return Ok(None),
        (a, b) => {
            return Err(format!(
                "one interpreter fails: {:?} {:?}",
                a.err().map(|d| told(&d)),
                b.err().map(|d| told(&d))
            ));
        }
    };
    Ok(Some(Trial { sizes: sizes.clone(), inputs, expected }))
}

/// What became of code at a trial.
pub enum Ran {
    Agrees,
    /// The compiler does not take the program.
    Refused(Diagnostic),
    /// It computes with half precision, which few devices do.
    WithHalves,
}

/// Runs the program at each of its trials, by turns with sizes as constants and as parameters; it may be refused with these
/// codes.
pub fn each_trial(
    program: Program,
    all: [Sizes; 2],
    refusals: &[&'static str],
    run: impl Fn(&Program, &Trial, bool) -> Result<Ran, String>,
) -> Result<Fate, String> {
    let mut trials = vec![];
    for (sizes, is_fixed) in all.into_iter().zip([true, false]) {
        if !program.check_sizes(&sizes).is_empty() {
            return Ok(Fate::Refused("sizes"));
        }
        let Some(trial) = evaluated(&program, &sizes)? else { return Ok(Fate::NoValue) };
        match run(&program, &trial, is_fixed)? {
            Ran::Refused(d) => match refusals.iter().find(|code| **code == d.code) {
                Some(code) => return Ok(Fate::Refused(code)),
                None => return Err(told(&d)),
            },
            Ran::WithHalves => return Ok(Fate::Refused("f16")),
            Ran::Agrees => trials.push(trial),
        }
    }
    Ok(Fate::Checked(Box::new(Subject { program, trials, cases: vec![] })))
}

fn reads_back(program: &Program) -> Result<(), String> {
    let text = text(program);
    let (file, problems) = parse_program(FileId::NOWHERE, &text);
    if let Some(d) = problems.first() {
        return Err(format!("its text has problems: {}", told(d)));
    }
    let (again, problems) = infer::program(&file, None);
    match again {
        Some(again) if again.term == program.term => Ok(()),
        Some(again) => Err(format!("its text reads as\n{}", self::text(&again))),
        None => Err(format!("its text is ill-typed: {}", problems.first().map(told).unwrap_or_default())),
    }
}

/// The program's kernels, with sizes as parameters and as constants.
pub fn compiled(program: Program, trials: Vec<Trial>, target: Target, must: bool) -> Result<Fate, String> {
    let lowered = match default_lowering(&program) {
        Ok(lowered) => lowered,
        Err(d) if !must && may_be_refused(&program, d.code) => return Ok(Fate::Refused(d.code)),
        Err(d) => return Err(format!("lowering: {}", told(&d))),
    };
    let shown = || text(&lowered);
    lowered.term.check().map_err(|why| format!("ill-typed: {why}\n{}", shown()))?;
    b::check_patterns(&lowered.term).map_err(|why| format!("ill-typed: {why}\n{}", shown()))?;
    if lowered.ty != program.ty {
        return Err(format!("lowering changes the type to {}", lowered.ty));
    }
    let mut cases = vec![];
    for trial in &trials {
        let sizes = &trial.sizes;
        let limits = Limits { steps: 2_000_000, ..Limits::TEST };
        let found = eval::run(&lowered.term, sizes, &trial.inputs, &limits)
            .map_err(|d| format!("after lowering: {}\n{}", told(&d), shown()))?;
        trial
            .expected
            .agrees(&found, Tolerance::Exact)
            .map_err(|why| format!("after lowering, {why}\n{}", shown()))?;
        for fixed in [None, Some(sizes)] {
            let kind = if fixed.is_some() { "constant sizes" } else { "symbolic sizes" };
            let mut named = lowered.clone();
            named.name = format!("{}_{}", program.name, cases.len()).into();
            let done = match compile(&named, target, fixed) {
                Ok(done) => done,
                Err(d) if !must && may_be_refused(&program, d.code) => return Ok(Fate::Refused(d.code)),
                Err(d) => return Err(format!("{kind}: {}\n{}", told(&d), shown())),
            };
            let printed: Vec<&str> = done.stages.iter().map(|s| s.name).collect();
            // Python's `ctypes` has no half precision to give by value.
            let kernel = done.into_kernel();
            let halves = kernel.params.iter().any(|p| p.by_value && p.scalar == Scalar::F16);
            let mut expected = stages(target);
            expected.retain(|s| !(halves && *s == "python"));
            if printed != expected {
                return Err(format!("only the stages {printed:?} are printed"));
            }
            cases.push(Case {
                program: named,
                sizes: sizes.clone(),
                inputs: trial.inputs.clone(),
                expected: trial.expected.clone(),
                kernel,
                global: [1, 1, 1],
                label: format!("{} at {sizes:?}, {kind}", text(&program)),
            });
        }
    }
    every_stage(&lowered, &trials[0], target)?;
    Ok(Fate::Checked(Box::new(Subject { program, trials, cases })))
}

/// The imperative program after every pass computes the same.
fn every_stage(lowered: &Program, trial: &Trial, target: Target) -> Result<(), String> {
    let made = pipeline::lower(&lowered.term, &lowered.sizes, target).map_err(|d| told(&d))?;
    for (name, p) in &made.imperative {
        for backwards in [false, true] {
            let options = exec::Options { backwards, ..exec::Options::default() };
            let found = match exec::run(p, &trial.sizes, &trial.inputs, options) {
                Err(d) if d.code == "E0194" => return Ok(()),
                other => other.map_err(|d| format!("{name}: {}\n{}", told(&d), p.body))?,
            };
            trial
                .expected
                .agrees(&found, Tolerance::Exact)
                .map_err(|why| format!("{name}: {why}\n{}\n{}", text(lowered), p.body))?;
        }
    }
    Ok(())
}
