//! Testing rules against the interpreter: random instances of the left side, at random types, sizes and inputs, must
//! mean the same after the rule. What can be proved (`proof`) is proved as well.
//!
//! In: a rule. Out: how much agreed, or the smallest case found that does not, with everything that is needed to see
//! it, or why nothing could be tested. Right must equal left wherever left is defined: to the bit, NaN and the sign of
//! zero included, but for what the rule's marks admit (`marks`).

mod border;
mod builtin;
mod draw;
mod instance;
mod mentioned;
mod needle;
mod operator;
mod palette;
pub mod property;
mod replaced;
mod rows;
mod series;
mod shrink;
mod size_borders;
mod sizes;
mod solve;
mod turns;
mod values;

use super::apply::apply_at;
use super::equation::Equation;
use super::proof::{Proof, prove};
use super::{Body, Properties, Rule, RuleArg};
use crate::lang::build::check_patterns;
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::eval::failure::{is_limit, is_without_value};
use crate::lang::eval::{self, Arithmetic, Evaluator, Limits, Sizes};
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::print;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::lang::value::{Exact, Tolerance, Value};
use indexmap::IndexMap;
use instance::Given;
use operator::Operator;
use rustc_hash::FxHashSet;
use sizes::Sizing;
use solve::Solver;
use std::fmt;
use std::sync::Arc;
use turns::Turns;

/// How thoroughly to test.
#[derive(Clone, Copy)]
pub struct Thoroughness<'a> {
    /// Instances that must agree, of a family at every depth its share.
    pub instances: usize,
    /// Inputs that each instance must agree on; `SCALAR_INPUTS` times as many where none is an array.
    pub inputs: usize,
    /// Draws after which the search for instances ends.
    pub draws: usize,
    pub seed: u64,
    /// Asked between inputs: whether it has taken long, so that it is to end when enough was tested ([`LEAST`]).
    pub late: &'a dyn Fn() -> bool,
    /// Asked between inputs: whether to stop at once.
    pub stop: &'a dyn Fn() -> bool,
}

/// So many instances are enough where time is over; fewer say little of a rule.
pub const LEAST: usize = 24;

impl Default for Thoroughness<'_> {
    fn default() -> Self {
        Thoroughness { instances: 120, inputs: 4, draws: 20_000, seed: 1, late: &|| false, stop: &|| false }
    }
}

/// What testing a rule gave.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Instances that meant the same on both sides.
    pub agreed: usize,
    /// How many of these were different terms.
    pub different: usize,
    /// On how many inputs they agreed, all together.
    pub inputs: usize,
    /// Draws that were no instances, or that the rule did not apply to, by the reason, the most frequent first.
    pub missed: Vec<(String, usize)>,
    /// The depths of a family, as long as there are any for which nothing agreed.
    pub untested: Vec<u64>,
    /// A number that sizes of the rule have to do with, and that no size was as large as.
    pub beyond: Option<i128>,
    /// Functions that one side has and the other has not, and whose last places each library rounds as it does.
    pub rounded: Vec<Pattern>,
    /// It was stopped before there were as many instances as were asked for.
    pub stopped: bool,
    /// So many instances are to agree at least.
    pub least: usize,
    /// That it holds for all sizes; it is tested all the same.
    pub proof: Option<Proof>,
    pub counterexample: Option<Box<Counterexample>>,
}

/// What is known of a rule after testing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is proved for all sizes, types and functions, and held wherever it was tried.
    Proved,
    /// It held wherever it was tried, and it was tried.
    Holds,
    Wrong,
    /// It held, but on too few instances before time was over.
    TooLittle,
    NotTested,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Holds => "holds",
            Verdict::Wrong => "wrong",
            Verdict::TooLittle => "not tested enough",
            Verdict::NotTested => "not tested",
        }
    }

    /// Is nothing known against the rule, and something for it?
    pub fn is_good(self) -> bool {
        matches!(self, Verdict::Proved | Verdict::Holds)
    }
}

impl Report {
    pub fn verdict(&self) -> Verdict {
        if self.counterexample.is_some() {
            Verdict::Wrong
        } else if self.agreed == 0 || !self.untested.is_empty() {
            Verdict::NotTested
        } else if self.proof.is_some() {
            Verdict::Proved
        } else if self.stopped && self.agreed < self.least {
            Verdict::TooLittle
        } else {
            Verdict::Holds
        }
    }

    /// A proof and a counterexample: one of them is a mistake of this program.
    pub fn contradicts_itself(&self) -> bool {
        self.proof.is_some() && self.counterexample.is_some()
    }

    /// Draws that were in vain.
    pub fn in_vain(&self) -> usize {
        self.missed.iter().map(|(_, n)| n).sum()
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

impl Counterexample {
    /// The rule with its arguments.
    pub fn call(&self) -> String {
        let args: Vec<String> = self.args.iter().map(RuleArg::to_string).collect();
        if args.is_empty() { self.rule.to_string() } else { format!("{}({})", self.rule, args.join(", ")) }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = print::Options::default();
        writeln!(f, "{} changes the meaning of", self.call())?;
        writeln!(f, "{}", indented(&print::term(&self.before, &options).text))?;
        writeln!(f, "which becomes")?;
        writeln!(f, "{}", indented(&print::term(&self.after, &options).text))?;
        if !self.inputs.is_empty() || !self.sizes.is_empty() {
            writeln!(f, "with")?;
        }
        for (name, value) in &self.sizes {
            writeln!(f, "  {name} = {value}")?;
        }
        for (i, value) in self.inputs.iter().enumerate() {
            let name = input_name(&self.before, i);
            writeln!(f, "  {name} = {value}")?;
        }
        writeln!(f, "left:  {}", self.left)?;
        write!(f, "right: {}", self.right)
    }
}

/// The name of a parameter of a closed term.
fn input_name(t: &Term, i: usize) -> String {
    let mut at = t;
    for _ in 0..i {
        at = at.as_lam().map_or(at, |(_, body)| body);
    }
    at.as_lam().map_or_else(|| format!("in{i}"), |(name, _)| name.to_string())
}

fn indented(text: &str) -> String {
    text.lines().map(|l| format!("  {l}")).collect::<Vec<_>>().join("\n")
}

/// Something to rewrite: a closed term, and where the rule is to be applied.
#[derive(Clone)]
pub struct Case {
    pub term: Term,
    pub at: Path,
    pub args: Vec<RuleArg>,
    pub sizes: Sizes,
    /// What it was drawn from.
    pub origin: Origin,
}

/// What a case is drawn from: the same origin gives the same case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The depth of a family.
    pub member: usize,
    pub seed: u64,
    pub size: Size,
    /// What the size variables of the equation are.
    pub sizes: Vec<i64>,
    /// The turn of operators that it has, if it has one.
    pub operators: Option<usize>,
}

/// Why a draw was in vain, in words.
pub struct Missed(pub String);

impl From<&str> for Missed {
    fn from(text: &str) -> Missed {
        Missed(text.to_owned())
    }
}

/// Thousands of small evaluations share one stack: on that of a small thread, each would ask for one of its own.
fn on_one_stack<T>(evaluations: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(4 << 20, 16 << 20, evaluations)
}

/// Tests a rule on random instances.
pub fn check(rule: &Rule, how: &Thoroughness) -> Report {
    on_one_stack(|| checked(rule, how))
}

fn checked(rule: &Rule, how: &Thoroughness) -> Report {
    let known = rule.equations().first().map(|eq| Properties::clone(&eq.declared)).unwrap_or_default();
    let declared = operator::declared(&known);
    let mut known = known;
    known.add(operator::known());
    let rule = &rule.knowing(&Arc::new(known));
    let members = rule.equations().len().max(1);
    let mut agreed = vec![0; members];
    let turns_of = |eq: &Equation| Turns::of(eq, &declared, !rule.marks.reassociates);
    let turns: Vec<Turns> = rule.equations().iter().map(turns_of).collect();
    let mut operators = OperatorsInTurn::of(&turns, how.instances);
    let enough = how.instances.max(operators.until + how.instances / 3).div_ceil(members);
    let mut report = Report { proof: prove(rule).ok(), least: LEAST.min(how.instances), ..Report::default() };
    let cases = Cases {
        rule,
        sizing: Sizing::of(rule),
        declared,
        turns,
        drawing: values::Drawing::of(rule),
        solver: Solver::of(arithmetic(rule, false)),
        compares: border::rule_compares(rule),
        proved: report.proof.is_some(),
    };
    report.beyond = cases.sizing.beyond;
    // What compares has borders to be tried near.
    let inputs = if cases.compares { 3 * how.inputs } else { how.inputs };
    report.rounded = mentioned::rounded_on_one_side(rule);
    let mut missed: IndexMap<String, usize> = IndexMap::new();
    let mut seen: FxHashSet<Digest> = FxHashSet::default();
    let mut whole = Everything::default();
    for draw in 0..how.draws {
        if agreed.iter().all(|n| *n >= enough) {
            break;
        }
        let tested: usize = agreed.iter().sum();
        let is_late = (how.late)();
        if (how.stop)() || is_late && tested >= report.least {
            report.stopped = true;
            break;
        }
        // The depths of a family in turn, as long as they need it.
        let member = draw % members;
        if agreed[member] >= enough {
            continue;
        }
        let seed = how.seed.wrapping_mul(0x9e37_79b9).wrapping_add(draw as u64);
        let origin = Origin { operators: operators.turn(), ..cases.origin(member, seed, Size::Any) };
        let origin = cases.sizing.in_turn(draw / members, origin);
        let outcome = cases.case(origin).map(|case| (cases.test(&case, inputs, seed, how), case));
        match outcome {
            Ok((Outcome::Agrees(inputs), case)) => {
                agreed[member] += 1;
                operators.agreed();
                report.inputs += inputs;
                if !seen.insert(case.term.digest()) {
                    continue;
                }
                let all = if is_late { None } else { whole.all(rule, &case, how) };
                match all {
                    Some(Outcome::Agrees(inputs)) => report.inputs += inputs,
                    Some(Outcome::Wrong(found)) => {
                        report.counterexample = Some(Box::new(smallest(&cases, how, case, *found)));
                        break;
                    }
                    Some(Outcome::InVain(_)) | None => {}
                }
            }
            Ok((Outcome::Wrong(found), case)) => {
                report.counterexample = Some(Box::new(smallest(&cases, how, case, *found)));
                break;
            }
            Ok((Outcome::InVain(why), _)) | Err(why) => {
                operators.in_vain();
                *missed.entry(why.0).or_default() += 1;
            }
        }
    }
    report.agreed = agreed.iter().sum();
    report.different = seen.len();
    report.missed = missed.into_iter().collect();
    report.missed.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    if report.counterexample.is_none() && members > 1 {
        report.untested = (0..members).filter(|i| agreed[*i] == 0).map(|i| i as u64).collect();
    }
    report
}

/// Which operators the next instance has.
struct OperatorsInTurn {
    /// Turns that there are.
    turns: usize,
    next: usize,
    /// Instances until all have had theirs: most, and the others have any operators.
    until: usize,
    missed: usize,
}

/// After so many draws in vain it is the turn of the next operators.
const MOST_MISSED: usize = 20;

impl OperatorsInTurn {
    fn of(turns: &[Turns], instances: usize) -> OperatorsInTurn {
        let most = instances * 2 / 3;
        let turns = turns.iter().map(Turns::len).max().unwrap_or(0);
        let until = match turns {
            0 => 0,
            // Where few instances are asked for, some operators of each kind.
            _ if turns > instances + instances / 2 => most,
            _ => turns.max(most),
        };
        OperatorsInTurn { turns, next: 0, until, missed: 0 }
    }

    fn turn(&self) -> Option<usize> {
        let spread =
            if self.turns > self.until { self.next * self.turns / self.until.max(1) } else { self.next };
        (self.next < self.until).then_some(spread)
    }

    fn agreed(&mut self) {
        self.next += 1;
        self.missed = 0;
    }

    fn in_vain(&mut self) {
        self.missed += 1;
        if self.missed == MOST_MISSED {
            self.agreed();
        }
    }
}

/// A case that takes so many times longer than one of usual sizes.
const LONG: usize = 30;

/// Where the left has no value on more of the first inputs, it mostly has none on any.
const MOST_IN_VAIN: usize = 3;

/// So many inputs have had every turn several times.
const TURNS_OF_ALL: usize = 16;

/// A few scalars cost nothing, and it takes the right ones together to see a mistake.
const SCALAR_INPUTS: usize = 8;

/// Draws that are made to find a smaller case, how many in a row may bring nothing, and tests that are made to shrink the
/// smallest; fewer where the sizes cannot be made small and each takes long.
const SMALLER_DRAWS: u64 = 400;
const DRAWS_IN_VAIN: u64 = 30;
const SHRINKING_TESTS: usize = 1500;

/// The smallest case that can be found near one that is wrong.
fn smallest(cases: &Cases, how: &Thoroughness, first: Case, found: Failure) -> Counterexample {
    let rule = cases.rule;
    let size = |case: &Case| (case.origin.sizes.iter().sum::<i64>(), case.term.size());
    let weight = |case: &Case, found: &Failure| (size(case), shrink::weight(&found.inputs));
    let member = first.origin.member;
    let mut best = (first, found);
    let attempt = |origin: Origin, best: &mut (Case, Failure)| {
        let seed = origin.seed;
        let Ok(case) = cases.case(origin) else { return false };
        // Whatever the inputs, it would not be smaller.
        if size(&case) > size(&best.0) {
            return false;
        }
        let Outcome::Wrong(found) = cases.test(&case, how.inputs, seed, how) else { return false };
        let better = weight(&case, &found) < weight(&best.0, &best.1);
        if better {
            *best = (case, *found);
        }
        better
    };
    let seeds = (0..SMALLER_DRAWS).map(|draw| how.seed.wrapping_mul(0x85eb_ca6b).wrapping_add(draw));
    // It is known to be wrong, and only to be told in few words.
    let over = || (how.late)() || (how.stop)();
    let until_in_vain = |draws: u64, attempt_at: &mut dyn FnMut(u64) -> bool| {
        let mut in_vain = 0;
        for seed in seeds.clone().take(draws as usize).take_while(|_| !over()) {
            in_vain = if attempt_at(seed) { 0 } else { in_vain + 1 };
            if in_vain == DRAWS_IN_VAIN {
                break;
            }
        }
    };
    // With the operators that told, and with others.
    let operators = best.0.origin.operators;
    let of_seed = |seed: u64| operators.filter(|_| seed.is_multiple_of(2));
    until_in_vain(SMALLER_DRAWS, &mut |seed| {
        let origin = Origin { operators: of_seed(seed), ..cases.origin(member, seed, Size::Small) };
        attempt(origin, &mut best)
    });
    // Each size by itself as small as it may be, and then small terms at these sizes.
    while !over() && sizes::smaller(&best.0.origin).into_iter().any(|origin| attempt(origin, &mut best)) {}
    let scale = sizes::scale(&best.0.origin);
    until_in_vain(SMALLER_DRAWS / 4 / scale as u64, &mut |seed| {
        let sizes = best.0.origin.sizes.clone();
        attempt(Origin { member, seed, size: Size::Small, sizes, operators: of_seed(seed) }, &mut best)
    });
    let (case, found) = shrink::shrink(rule, best.0, best.1, SHRINKING_TESTS / scale, &over);
    Counterexample {
        rule: rule.name.clone(),
        args: case.args,
        sizes: case.sizes,
        before: case.term,
        after: found.after,
        inputs: found.inputs,
        left: found.left,
        right: found.right,
    }
}

/// Instances that are tested on all inputs there are.
#[derive(Default)]
struct Everything {
    done: usize,
}

/// So many instances of a rule are tested on all their inputs, if there are no more than so many: scalars of few bits.
const WHOLE_INSTANCES: usize = 3;
const WHOLE_INPUTS: usize = 1 << 9;

/// The same where the rule is of these types alone, and one instance stands for all.
const WHOLE_INPUTS_OF_ITS_TYPES: usize = 1 << 16;

impl Everything {
    /// What comes of all inputs; none where these are too many, or enough has been done.
    fn all(&mut self, rule: &Rule, case: &Case, how: &Thoroughness) -> Option<Outcome> {
        if self.done >= WHOLE_INSTANCES {
            return None;
        }
        let most = match rule.equations().get(case.origin.member) {
            Some(eq) if eq.types.is_empty() && self.done == 0 => WHOLE_INPUTS_OF_ITS_TYPES,
            _ => WHOLE_INPUTS,
        };
        let inputs = values::all_inputs(&case.term, most)?;
        self.done += 1;
        let sides = Sides::of(rule, case, rewritten(rule, case).ok()?);
        let mut agreed = 0;
        for values in inputs {
            if (how.late)() || (how.stop)() {
                break;
            }
            match sides.compare(values) {
                Outcome::Agrees(_) => agreed += 1,
                // Where the left has no value, the right may have any.
                Outcome::InVain(_) => {}
                wrong => return Some(wrong),
            }
        }
        Some(Outcome::Agrees(agreed))
    }
}

/// How large the drawn cases are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    Any,
    /// Sizes up to 2, hardly nested types and terms.
    Small,
}

/// Draws the cases of one rule.
struct Cases<'a> {
    rule: &'a Rule,
    drawing: values::Drawing,
    sizing: Sizing,
    /// The operators that the user declares.
    declared: Vec<Operator>,
    /// For each equation, the operators that its instances have in turn.
    turns: Vec<Turns>,
    solver: Solver,
    /// Whether there is anything to solve.
    compares: bool,
    /// Whether it is proved as well.
    proved: bool,
}

impl Cases<'_> {
    fn origin(&self, member: usize, seed: u64, size: Size) -> Origin {
        self.sizing.origin(member, seed, size)
    }

    fn case(&self, origin: Origin) -> Result<Case, Missed> {
        let rule = self.rule;
        match &*rule.body {
            Body::Procedure(_) => builtin::draw(&rule.name, origin)
                .ok_or_else(|| Missed::from("this built-in rule draws no term of this form every time")),
            Body::RightToLeft(_) => {
                Err(Missed::from("a rule is tested in the direction in which it is written"))
            }
            Body::Equation(_) | Body::Family(_) => {
                let eq = rule.equations().get(origin.member).ok_or(Missed::from("there is no such depth"))?;
                let turns = self.turns.get(origin.member).ok_or(Missed::from("there is no such depth"))?;
                let (params, declared, proved) = (&rule.params[..], &self.declared[..], self.proved);
                let instance = instance::draw(&Given { eq, params, declared, turns, proved }, &origin)?;
                let at = Path::new(vec![0; instance.inputs + instance.applied]);
                Ok(Case { at, term: instance.term, args: instance.args, sizes: instance.sizes, origin })
            }
        }
    }

    /// Applies the rule and compares the meanings on some inputs.
    fn test(&self, case: &Case, inputs: usize, seed: u64, how: &Thoroughness) -> Outcome {
        let rule = self.rule;
        let after = match rewritten(rule, case) {
            Ok(after) => after,
            Err(why) => return Outcome::InVain(why),
        };
        if let Err(problem) = after.check().and_then(|()| check_patterns(&after).map_err(|m| m.to_string())) {
            let left = "well-typed".to_owned();
            return Outcome::Wrong(Box::new(Failure { after, inputs: vec![], left, right: problem }));
        }
        let mut drawing = self.drawing.clone();
        if self.compares {
            drawing = drawing.with_borders(&[&case.term, &after], &case.sizes, &self.solver);
        }
        let sides = Sides::of(rule, case, after);
        let (mut agreed, mut in_vain) = (0, vec![]);
        let inputs = if drawing.is_of_operators() { 2 * inputs } else { inputs };
        // To find what scalars to try takes longer than to try them.
        let enough = if sizes::scale(&case.origin) > 1 { 1 } else { inputs.max(TURNS_OF_ALL) };
        let is_long = sizes::scale(&case.origin) > LONG;
        for i in 0..self.inputs(case, inputs) as u64 {
            if i > 0 && (how.stop)() || agreed >= enough && (how.late)() {
                break;
            }
            let seed = seed.wrapping_add(i.wrapping_mul(0x2545_f491_4f6c_dd1d));
            let turn = match values::LONG.get(i as usize) {
                Some(turn) if is_long || i == 0 && sizes::scale(&case.origin) > 1 => *turn,
                _ => i,
            };
            let values = match drawing.inputs(turn, case.term.ty(), &case.sizes, seed) {
                Ok(values) => values,
                Err(problem) => return Outcome::InVain(no_value(&problem)),
            };
            match sides.compare(values) {
                Outcome::Agrees(_) => agreed += 1,
                Outcome::InVain(why) if agreed > 0 || in_vain.len() < MOST_IN_VAIN => in_vain.push(why),
                other => return other,
            }
        }
        match in_vain.pop() {
            Some(why) if agreed == 0 => Outcome::InVain(why),
            _ => Outcome::Agrees(agreed),
        }
    }
}

impl Cases<'_> {
    /// How many inputs to test a case on: one if they are all the same.
    fn inputs(&self, case: &Case, wanted: usize) -> usize {
        let (params, _) = case.term.ty().signature();
        let scale = sizes::scale(&case.origin);
        let wanted = match () {
            () if !reads_an_input(&case.term) => 1,
            // One more: that with one element unlike all others.
            () if params.iter().any(Type::has_array) => wanted.max(values::FIRST_NEEDLE + 1),
            // Scalars cost nothing but where much is made of them.
            () => (SCALAR_INPUTS * wanted / scale).max(wanted),
        };
        // Long ones take long, and rarely two of them tell more than one.
        if scale > LONG { wanted.clamp(1, 2) } else { wanted.max(1) }
    }
}

/// Does the body of the functions that the term is made of read any of their parameters?
fn reads_an_input(term: &Term) -> bool {
    term.as_lam().is_some_and(|(_, body)| body.has_free(0) || reads_an_input(body))
}

/// What came of testing one case.
pub enum Outcome {
    /// On this number of inputs.
    Agrees(usize),
    Wrong(Box<Failure>),
    /// The rule does not apply, or the left side has no value.
    InVain(Missed),
}

/// How a case is wrong.
pub struct Failure {
    pub after: Term,
    pub inputs: Vec<Value>,
    pub left: String,
    pub right: String,
}

fn no_value(problem: &Diagnostic) -> Missed {
    Missed(format!("the left side has no value: {}", problem.message))
}

/// The term after the rule.
fn rewritten(rule: &Rule, case: &Case) -> Result<Term, Missed> {
    let done = apply_at(&case.term, &case.at, rule, &case.args).map_err(|why| {
        Missed(format!("the rule does not apply to an instance of its own left side: {why}"))
    })?;
    let value = |n: &str| case.sizes.get(n).copied();
    match done.assumed.iter().find(|c| c.holds(&value) != Ok(true)) {
        Some(c) => Err(Missed(format!("a size that the rule assumes does not fit: {c}"))),
        None => Ok(done.term),
    }
}

/// What the sides of a rule are computed in: what is re-associated is the same but for rounding.
fn arithmetic(rule: &Rule, finite: bool) -> Arithmetic {
    Arithmetic { exact: rule.marks.reassociates, finite }
}

/// What a float is, but for its value and sign.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FloatKind {
    Finite,
    Infinite,
    NotANumber,
}

fn kinds(v: &Value) -> Vec<FloatKind> {
    let of = |x: f64| match x {
        x if x.is_nan() => FloatKind::NotANumber,
        x if x.is_infinite() => FloatKind::Infinite,
        _ => FloatKind::Finite,
    };
    match v {
        Value::Pair(p) => [kinds(&p.0), kinds(&p.1)].concat(),
        Value::Array(all) | Value::Vector(all) => all.iter().flat_map(kinds).collect(),
        Value::F16(x) | Value::F32(x) => vec![of((*x).into())],
        Value::F64(x) => vec![of(*x)],
        Value::Exact(Exact::Infinite { .. }, _) => vec![FloatKind::Infinite],
        Value::Exact(Exact::NotANumber, _) => vec![FloatKind::NotANumber],
        Value::Exact(Exact::Fraction(_), _) => vec![FloatKind::Finite],
        Value::Undefined | Value::Bool(_) | Value::Int(..) | Value::Nat(_) => vec![],
    }
}

fn is_finite(v: &Value) -> bool {
    kinds(v).iter().all(|kind| *kind == FloatKind::Finite)
}

/// The value in floats.
fn rounded(v: &Value) -> Value {
    let all = |all: &[Value]| all.iter().map(rounded).collect();
    match v {
        Value::Pair(p) => Value::pair(rounded(&p.0), rounded(&p.1)),
        Value::Array(cells) => Value::array(all(cells)),
        Value::Vector(lanes) => Value::vector(all(lanes)),
        Value::Exact(x, s) => Value::float(x.to_float(), *s).unwrap_or(Value::Undefined),
        _ => v.clone(),
    }
}

/// The meanings before and after a rule.
struct Sides<'a> {
    rule: &'a Rule,
    case: &'a Case,
    after: Term,
    left: Evaluator<'a>,
    right: Evaluator<'a>,
}

impl<'a> Sides<'a> {
    fn of(rule: &'a Rule, case: &'a Case, after: Term) -> Sides<'a> {
        // What asks for finite numbers is the same wherever left has no others.
        let meaning = |term: &Term, finite: bool| {
            Evaluator::of(term, &case.sizes, arithmetic(rule, finite), &Limits::TEST)
        };
        let (left, right) = (meaning(&case.term, rule.marks.finite), meaning(&after, false));
        Sides { rule, case, after, left, right }
    }

    /// Compares them on one input.
    fn compare(&self, inputs: Vec<Value>) -> Outcome {
        // As kernels that compute arrays as a whole, and as programs mean, whose result may need no value of some.
        let (left, needed) = match self.left.run(&inputs) {
            Ok(left) => (left, false),
            Err(problem) if is_without_value(&problem) => match self.left.run_needed(&inputs) {
                Some(left) => (left, true),
                None => return Outcome::InVain(no_value(&problem)),
            },
            Err(problem) => return Outcome::InVain(no_value(&problem)),
        };
        let right = self.right.run(&inputs).or_else(|problem| {
            let right = if needed { self.right.run_needed(&inputs) } else { None };
            right.ok_or(problem)
        });
        let right = match right {
            Ok(right) => right,
            // What it would have been nobody knows.
            Err(problem) if is_limit(&problem) => {
                return Outcome::InVain(Missed(format!("the right side has no value: {}", problem.message)));
            }
            Err(problem) => return self.wrong(inputs, &left, problem.message),
        };
        let marks = *self.rule.marks;
        let nearly = Tolerance::Relative { relative: 1e-5, floor: 1.0 };
        let tolerance = if marks.unsigned_zeros { Tolerance::Exact } else { Tolerance::Identical };
        let Err(difference) = left.agrees(&right, tolerance) else {
            return Outcome::Agrees(1);
        };
        if marks.reassociates && self.agrees_at_infinity(&inputs, &left, &right) {
            return Outcome::Agrees(1);
        }
        let note = match tolerance {
            Tolerance::Identical if left.agrees(&right, Tolerance::Exact).is_ok() => {
                " (zeros of the other sign, as a rule marked [unsignedZeros] may give)"
            }
            _ if marks.reassociates && property::has_unknown_functions(&self.case.term) => {
                " (computed without rounding, with unknown functions for roots, exponentials, powers and conversions to narrower floats)"
            }
            _ if marks.reassociates => " (computed without rounding)",
            _ if left.agrees(&right, nearly).is_ok() => " (rounded differently)",
            _ => "",
        };
        let place = if left.to_string().contains('…') {
            let at: String = difference.at.iter().map(|i| format!("[{i}]")).collect();
            format!(" (at {at} left is {} and right {})", difference.reference, difference.found)
        } else {
            String::new()
        };
        self.wrong(inputs, &left, format!("{right}{note}{place}"))
    }

    /// A number without rounding has one zero, so it is not known which infinity it divides to. Where that shows, floats say
    /// what the sides are, unless they leave their range where numbers without rounding do not.
    fn agrees_at_infinity(&self, inputs: &[Value], left: &Value, right: &Value) -> bool {
        if is_finite(left) && is_finite(right) {
            return false;
        }
        let inputs: Vec<Value> = inputs.iter().map(rounded).collect();
        let float = |term: &Term| eval::run(term, &self.case.sizes, &inputs, &Limits::TEST).ok();
        let (Some(l), Some(r)) = (float(&self.case.term), float(&self.after)) else { return false };
        let in_range = kinds(&l) == kinds(left) && kinds(&r) == kinds(right);
        !in_range || l.agrees(&r, Tolerance::Exact).is_ok()
    }

    fn wrong(&self, inputs: Vec<Value>, left: &Value, right: String) -> Outcome {
        Outcome::Wrong(Box::new(Failure { after: self.after.clone(), inputs, left: left.to_string(), right }))
    }
}
