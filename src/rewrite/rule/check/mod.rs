//! Testing rules against the interpreter: random instances of the left side, at random types, sizes and inputs, must
//! mean the same after the rule.
//!
//! In: a rule. Out: how many instances agreed, or the first that does not, with everything that is needed to see it.
//! Numbers are small integers, of integer and of float types, so that sums and products are exact in any order;
//! right must equal left wherever left is defined.

mod builtin;
pub mod draw;
pub mod instance;

use super::apply::apply_at;
use super::{Body, Rule, RuleArg, WhyNot};
use crate::lang::build::check_patterns;
use crate::lang::eval::inputs::{self, Kind};
use crate::lang::eval::{self, Limits, Sizes};
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::print;
use crate::lang::term::Term;
use crate::lang::value::{Tolerance, Value};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// How thoroughly to test.
#[derive(Clone, Copy, Debug)]
pub struct Thoroughness<'a> {
    /// Instances that must agree.
    pub instances: usize,
    /// Draws after which the search for instances ends.
    pub draws: usize,
    pub seed: u64,
    /// Set from outside to stop.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for Thoroughness<'_> {
    fn default() -> Self {
        Thoroughness { instances: 120, draws: 20_000, seed: 1, cancel: None }
    }
}

/// What testing a rule gave.
#[derive(Clone, Debug)]
pub struct Report {
    /// Instances that meant the same on both sides.
    pub agreed: usize,
    /// Draws that were no instances, or that the rule did not apply to.
    pub missed: usize,
    /// Why the rule did not apply to the last instance of its own left side, if it did not.
    pub unapplied: Option<WhyNot>,
    pub counterexample: Option<Box<Counterexample>>,
}

impl Report {
    /// Was anything tested, and nothing wrong?
    pub fn holds(&self) -> bool {
        self.counterexample.is_none() && self.agreed > 0
    }
}

/// An instance for which a rule is wrong.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub rule: Name,
    pub args: Vec<RuleArg>,
    pub sizes: Sizes,
    pub before: Term,
    pub after: Term,
    pub inputs: Vec<Value>,
    /// What the left side gives.
    pub left: String,
    /// What the right side gives, or what is wrong with it.
    pub right: String,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = print::Options::default();
        let args: Vec<String> = self.args.iter().map(RuleArg::to_string).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        writeln!(f, "{}{args} changes the meaning of", self.rule)?;
        writeln!(f, "{}", indented(&print::term(&self.before, &options).text))?;
        writeln!(f, "which becomes")?;
        writeln!(f, "{}", indented(&print::term(&self.after, &options).text))?;
        for (name, value) in &self.sizes {
            writeln!(f, "  {name} = {value}")?;
        }
        for (i, value) in self.inputs.iter().enumerate() {
            writeln!(f, "  in{i} = {value}")?;
        }
        writeln!(f, "left:  {}", self.left)?;
        write!(f, "right: {}", self.right)
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|l| format!("  {l}")).collect::<Vec<_>>().join("\n")
}

/// Something to rewrite: a closed term, and where the rule is to be applied.
pub struct Case {
    pub term: Term,
    pub at: Path,
    pub args: Vec<RuleArg>,
    pub sizes: Sizes,
}

/// Tests a rule on random instances.
pub fn check(rule: &Rule, how: &Thoroughness) -> Report {
    let mut report = Report { agreed: 0, missed: 0, unapplied: None, counterexample: None };
    for draw in 0..how.draws {
        if report.agreed >= how.instances || how.cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
            break;
        }
        let seed = how.seed.wrapping_mul(0x9e37_79b9).wrapping_add(draw as u64);
        match case(rule, seed).map(|case| test(rule, &case, seed)) {
            Some(Outcome::Agrees) => report.agreed += 1,
            Some(Outcome::Wrong(example)) => {
                report.counterexample = Some(example);
                break;
            }
            Some(Outcome::NotApplied(why)) => {
                report.missed += 1;
                report.unapplied = Some(why);
            }
            Some(Outcome::NoMeaning) | None => report.missed += 1,
        }
    }
    report
}

fn case(rule: &Rule, seed: u64) -> Option<Case> {
    match &rule.body {
        Body::Procedure(_) => builtin::draw(&rule.name, seed),
        Body::Equation(_) | Body::Family(_) => {
            // The depths of a family in turn.
            let depth = seed % rule.equations().len().max(1) as u64;
            let eq = rule.equations().get(depth as usize)?;
            let instance = instance::draw(eq, &rule.params, depth, seed)?;
            let above = vec![0; instance.inputs + instance.applied];
            Some(Case {
                at: Path::new(above),
                term: instance.term,
                args: instance.args,
                sizes: instance.sizes,
            })
        }
    }
}

/// What came of testing one case.
pub enum Outcome {
    Agrees,
    Wrong(Box<Counterexample>),
    NotApplied(WhyNot),
    /// The left side has no value for the inputs.
    NoMeaning,
}

/// Applies the rule and compares the meanings.
pub fn test(rule: &Rule, case: &Case, seed: u64) -> Outcome {
    let done = match apply_at(&case.term, &case.at, rule, &case.args) {
        Ok(done) => done,
        Err(why) => return Outcome::NotApplied(why),
    };
    let value = |n: &str| case.sizes.get(n).copied();
    if !done.assumed.iter().all(|c| c.holds(&value) == Ok(true)) {
        return Outcome::NoMeaning;
    }
    let Ok(values) = inputs::for_program(case.term.ty(), &case.sizes, seed, Kind::SmallIntegers) else {
        return Outcome::NoMeaning;
    };
    let wrong = |left: String, right: String| {
        Outcome::Wrong(Box::new(Counterexample {
            rule: rule.name.clone(),
            args: case.args.clone(),
            sizes: case.sizes.clone(),
            before: case.term.clone(),
            after: done.term.clone(),
            inputs: values.clone(),
            left,
            right,
        }))
    };
    let typed = done.term.check().and_then(|()| check_patterns(&done.term).map_err(|m| m.to_string()));
    if let Err(problem) = typed {
        return wrong("well-typed".to_owned(), problem);
    }
    let Ok(left) = eval::run(&case.term, &case.sizes, &values, &Limits::TEST) else {
        return Outcome::NoMeaning;
    };
    match eval::run(&done.term, &case.sizes, &values, &Limits::TEST) {
        Err(problem) => wrong(left.to_string(), problem.message),
        Ok(right) => {
            // Floats that have grown beyond exact integers differ by rounding when re-associated.
            let tolerance = Tolerance::Relative { relative: 1e-5, floor: 1.0 };
            if left.agrees(&right, tolerance).is_ok() {
                return Outcome::Agrees;
            }
            wrong(left.to_string(), right.to_string())
        }
    }
}
