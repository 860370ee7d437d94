//! Testing what is said of an operator: the two sides of its law must agree on random operands, hostile ones and those
//! near the numbers in its text among them.
//!
//! Integers wrap around. Floats are computed without rounding, with NaN and infinities: that is what a rule that asks for
//! a property may rely on, as it is marked `[reassociates]` where rounding shows. Of roots and exponentials no law is believed: what
//! computes them is tried in floats, too, where they have values.

use super::mentioned::Mentioned;
use super::replaced::{put_limits, put_numbers};
use super::shrink::weight;
use super::solve::Solver;
use super::values::Drawing;
use super::{FloatKind, kinds, on_one_stack, rounded};
use crate::lang::declared::unfolded;
use crate::lang::diag::Diagnostic;
use crate::lang::eval::failure::{is_number_too_large, is_without_value};
use crate::lang::eval::inputs::Rng;
use crate::lang::eval::{self, Arithmetic, Limits, Sizes};
use crate::lang::math;
use crate::lang::nat::NatVar;
use crate::lang::pattern::Pattern;
use crate::lang::rounding::has_float;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::{Scalar, Type};
use crate::lang::value::{Exact, Tolerance, Value};
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What an operator may be.
#[derive(Debug)]
pub enum Property {
    Associative,
    Commutative,
    Idempotent,
    /// This value is neutral for it, on both sides.
    Neutral(Term),
}

/// So many operands are tried, and so many more for each number that the operator mentions or that comes of two of them.
const TRIES: u64 = 800;
const TRIES_FOR_EACH: u64 = 60;

/// So many more where operands are made of several numbers: several of these have to be NaN or infinite at once.
const TRIES_OF_PARTS: u64 = 600;

/// So many steps of evaluation are spent on one law, and so many on one side of it at the most: a few seconds for an operator on
/// arrays, of which a case has many elements.
const STEPS: u64 = 4_000_000;
const STEPS_OF_A_SIDE: u64 = STEPS / 2;

/// What came of testing a property.
#[derive(Debug, PartialEq, Eq)]
pub enum Tested {
    /// No case spoke against it.
    Held,
    /// A case that does, in words.
    Refuted(Vec<String>),
    /// No case came to an end; or there was no time for all that an operator of floats needs, of which infinities and NaN are few.
    Not,
}

/// A case in which an operator `t -> t -> t` does not have the property, in words. What it uses of what is bound around
/// it is drawn with the operands; None where that is more than numbers.
pub fn refute(f: &Term, property: &Property) -> Option<Vec<String>> {
    match tested(f, property, false) {
        Tested::Refuted(case) => Some(case),
        Tested::Held | Tested::Not => None,
    }
}

/// As [`refute`], with what came of it; where only what is `finite` counts, a case has no operand and computes nothing that is NaN or infinite.
pub fn tested(f: &Term, property: &Property, finite: bool) -> Tested {
    let test = |exact: bool| tested_in(Arithmetic { exact, finite }, f, property);
    on_one_stack(|| {
        if !has_roots(f) {
            return test(true);
        }
        match test(false) {
            Tested::Refuted(case) => Tested::Refuted(case),
            Tested::Not => test(true),
            Tested::Held => match test(true) {
                Tested::Not => Tested::Held,
                other => other,
            },
        }
    })
}

fn tested_in(arithmetic: Arithmetic, f: &Term, property: &Property) -> Tested {
    let (params, _) = f.ty().signature();
    let (Some(t), Some(around)) = (params.first(), numbers_around(f)) else { return Tested::Held };
    let var = |i: u32| Term::var(i, t.clone());
    // The operands are a, b, c; the last is variable 0.
    let count = match property {
        Property::Associative => 3,
        Property::Commutative => 2,
        Property::Idempotent | Property::Neutral(_) => 1,
    };
    let f = f.shift_up(count as u32);
    let op = |a: Term, b: Term| Term::app(Term::app(f.clone(), a), b);
    let laws = match property {
        Property::Associative => vec![(op(op(var(2), var(1)), var(0)), op(var(2), op(var(1), var(0))))],
        Property::Commutative => vec![(op(var(1), var(0)), op(var(0), var(1)))],
        Property::Idempotent => vec![(op(var(0), var(0)), var(0))],
        Property::Neutral(z) => vec![(op(z.clone(), var(0)), var(0)), (op(var(0), z.clone()), var(0))],
    };
    let close = |body: &Term| {
        let body = (0..count).rev().fold(body.clone(), |e, i| Term::lam(["a", "b", "c"][i], t.clone(), e));
        around.iter().fold(body, |e, ty| Term::lam("x", ty.clone(), e))
    };
    let laws: Vec<(Term, Term)> = laws.iter().map(|(left, right)| (close(left), close(right))).collect();
    let words = match property {
        Property::Associative => ["f (f a b) c", "f a (f b c)"].map(str::to_owned).to_vec(),
        Property::Commutative => ["f a b", "f b a"].map(str::to_owned).to_vec(),
        Property::Idempotent => ["f a a", "a"].map(str::to_owned).to_vec(),
        Property::Neutral(_) => ["f z a", "a", "f a z", "a"].map(str::to_owned).to_vec(),
    };
    let mentioned = laws.iter().map(|(left, _)| Mentioned::by_term(left)).next().unwrap_or_default();
    let tuples = mentioned.tuples(count);
    let plain = tuples.len() as u64
        + TRIES
        + TRIES_FOR_EACH * (mentioned.whole.len() + mentioned.combined.len()) as u64;
    let tries = if t.as_scalar().is_some() { plain } else { plain + TRIES_OF_PARTS };
    let sides: Vec<&Term> = laws.iter().flat_map(|(left, right)| [left, right]).collect();
    let in_floats = !arithmetic.exact;
    let unknown = !in_floats && has_roots(&f);
    let drawing = Drawing::near(mentioned, arithmetic.finite).with_borders(
        &sides,
        &sizes_of(t, 0),
        &Solver::of(arithmetic),
    );
    // What is tried so often is not unfolded each time.
    let evaluated: Vec<(Term, Term)> = laws.iter().map(|(l, r)| (unfolded(l), unfolded(r))).collect();
    let mut best: Option<(usize, Vec<String>)> = None;
    let (spent, limits) = (Cell::new(0), Limits { steps: STEPS_OF_A_SIDE, ..Limits::TEST });
    let (mut decided, mut undecided, mut cut_short) = (false, false, false);
    for i in 0..tries {
        if spent.get() > STEPS {
            cut_short = true;
            break;
        }
        // From both ends: where there are steps for few cases only, hostile ones are among them.
        let seed = if i % 2 == 0 { i / 2 } else { tries - 1 - i / 2 };
        let sizes = sizes_of(t, seed);
        for (i, (left, right)) in evaluated.iter().enumerate() {
            let Ok(mut operands) = drawing.inputs(seed, left.ty(), &sizes, seed) else { continue };
            if let Some(numbers) = tuples.get(seed as usize) {
                put_numbers(&mut operands, numbers);
            }
            if seed >= plain {
                put_limits(&mut operands, &mut Rng::new(seed));
            }
            // What no number of the type is as far from zero as is none of the finite ones.
            if arithmetic.finite && operands.iter().any(is_out_of_range) {
                continue;
            }
            if in_floats {
                operands = operands.iter().map(rounded).collect();
            }
            let run = |side: &Term| eval::run_counted(arithmetic, side, &sizes, &operands, &limits, &spent);
            let (l, r) = (run(left), run(right));
            let is_known = |side: &Result<Value, Diagnostic>| match side {
                Ok(_) => true,
                Err(problem) => tells(problem),
            };
            decided |= is_known(&l) && is_known(&r);
            undecided |= !is_known(&l) || !is_known(&r);
            if agree(&l, &r, arithmetic) {
                continue;
            }
            let weight = weight(&operands);
            if best.as_ref().is_none_or(|(w, _)| weight < *w) {
                let sides = [(&words[2 * i], l), (&words[2 * i + 1], r)];
                best = Some((weight, told(&operands, around.len(), sides, unknown)));
            }
        }
    }
    match best {
        Some((_, told)) => Tested::Refuted(told),
        None if undecided && !decided => Tested::Not,
        None if cut_short && !arithmetic.finite && computes_floats(&f) => Tested::Not,
        None => Tested::Held,
    }
}

/// Is a number in the value, as it is not rounded, beyond all finite ones of its type?
fn is_out_of_range(v: &Value) -> bool {
    match v {
        Value::Pair(p) => is_out_of_range(&p.0) || is_out_of_range(&p.1),
        Value::Array(all) | Value::Vector(all) => all.iter().any(is_out_of_range),
        Value::Exact(x, s) => {
            let most = match s {
                Scalar::F16 => 65504.0,
                Scalar::F32 => f64::from(f32::MAX),
                _ => f64::MAX,
            };
            let [least, most] = [-most, most].map(|limit| x.compare(&Exact::of_float(limit, *s)));
            least == Some(Ordering::Less) || most == Some(Ordering::Greater)
        }
        _ => false,
    }
}

/// Does the operator take, give or compute floating-point numbers?
pub fn computes_floats(f: &Term) -> bool {
    unfolded(f).positions().iter().any(|(_, t)| has_float(t.ty()))
}

/// By how much both sides of a law may be apart that computes roots: halves have three digits.
const NEARLY: Tolerance = Tolerance::Relative { relative: 0.01, floor: 0.1 };

/// Does the operator compute a root, an exponential or the like?
pub(super) fn has_roots(f: &Term) -> bool {
    use Pattern::{Ceil, Floor, Round, Trunc};
    let is_root = |p: Pattern| math::of(p).is_some() && !matches!(p, Floor | Ceil | Round | Trunc);
    f.positions().iter().any(|(_, t)| t.as_pattern().is_some_and(is_root))
}

/// Is something in it a function of which nothing is known where nothing is rounded: a root, an exponential, a power, or a
/// conversion to a type that does not hold all numbers?
pub fn has_unknown_functions(f: &Term) -> bool {
    let to_float = |t: &Term| t.ty().signature().1.lane().as_scalar().is_some_and(Scalar::is_float);
    has_roots(f) || f.positions().iter().any(|(_, t)| t.as_pattern() == Some(Pattern::Cast) && to_float(t))
}

/// What is said where a counterexample has such functions.
pub const UNKNOWN: &str = "It is computed without rounding, where roots, exponentials, powers and conversions to narrower types of floats are \
                           functions of which nothing is known.";

/// Are both sides of a law the same? The law is used in both directions, so that neither may have a value where the other
/// has none. What took too long or too much nobody knows.
fn agree(l: &Result<Value, Diagnostic>, r: &Result<Value, Diagnostic>, arithmetic: Arithmetic) -> bool {
    let rounds = !arithmetic.exact;
    match (l, r) {
        // What is not finite has no value, and may be anything.
        (Ok(l), Ok(r)) if arithmetic.finite => {
            let tolerance = if rounds { NEARLY } else { Tolerance::Identical };
            l.agrees(r, tolerance).is_ok() || r.agrees(l, tolerance).is_ok()
        }
        // So may the other side be, where this one computes something that is not finite; but not where a whole number is
        // divided by zero.
        (Ok(value), Err(_)) | (Err(_), Ok(value)) if arithmetic.finite && has_undefined(value) => true,
        (Ok(l), Ok(r)) if rounds => {
            let (of_l, of_r) = (kinds(l), kinds(r));
            let is_finite = |kinds: &[FloatKind]| kinds.iter().all(|kind| *kind == FloatKind::Finite);
            if is_finite(&of_l) && is_finite(&of_r) {
                return l.agrees(r, NEARLY).is_ok();
            }
            // What is too large in the one order may not be in the other.
            of_l.contains(&FloatKind::NotANumber) == of_r.contains(&FloatKind::NotANumber)
        }
        (Ok(l), Ok(r)) => {
            l.agrees(r, Tolerance::Identical).is_ok() && r.agrees(l, Tolerance::Identical).is_ok()
        }
        (Ok(_), Err(problem)) | (Err(problem), Ok(_)) => !tells(problem),
        (Err(_), Err(_)) => true,
    }
}

/// Does it tell the sides of a law apart that one of them has no value? What `natType` does not hold on the way is there in another
/// order, and sums of these numbers are used as if they were without end.
fn tells(problem: &Diagnostic) -> bool {
    is_without_value(problem) && !is_number_too_large(problem)
}

/// Is a part of the value undefined?
fn has_undefined(value: &Value) -> bool {
    match value {
        Value::Undefined => true,
        Value::Pair(p) => has_undefined(&p.0) || has_undefined(&p.1),
        Value::Array(all) | Value::Vector(all) => all.iter().any(has_undefined),
        _ => false,
    }
}

/// The types of what is bound around the term, the innermost first, as far as the term uses any of it; None where it uses
/// anything but numbers.
fn numbers_around(f: &Term) -> Option<Vec<Type>> {
    fn go(t: &Term, depth: u32, out: &mut BTreeMap<u32, Type>) {
        if let Expr::Var(i) = t.expr()
            && let Some(i) = i.checked_sub(depth)
        {
            out.insert(i, t.ty().clone());
        }
        let below = depth + u32::from(t.as_lam().is_some());
        t.children().into_iter().for_each(|c| go(c, below, out));
    }
    let mut used = BTreeMap::new();
    if !f.is_closed() {
        go(f, 0, &mut used);
    }
    let unused = Type::scalar(Scalar::I32);
    let all = 0..used.keys().next_back().map_or(0, |last| last + 1);
    used.values()
        .all(|ty| ty.as_scalar().is_some())
        .then(|| all.map(|i| used.get(&i).unwrap_or(&unused).clone()).collect())
}

fn told(
    operands: &[Value],
    around: usize,
    sides: [(&String, Result<Value, Diagnostic>); 2],
    unknown: bool,
) -> Vec<String> {
    let (bound, operands) = operands.split_at(around.min(operands.len()));
    let names = ["a", "b", "c"];
    let mut given: Vec<String> = operands.iter().zip(names).map(|(v, n)| format!("{n} = {v}")).collect();
    if !bound.is_empty() {
        let values: Vec<String> = bound.iter().map(Value::to_string).collect();
        given.push(format!("{} for what is bound around it", values.join(", ")));
    }
    if unknown {
        let [(left, _), (right, _)] = sides;
        return vec![format!(
            "For {}, {left} and {right} are computed from other roots, exponentials or the like. That these are the same is not \
             known: no law is believed of them.",
            given.join(", ")
        )];
    }
    let side = |(word, value): &(&String, Result<Value, Diagnostic>)| match value {
        Ok(value) => format!("{word} = {value}"),
        Err(_) => format!("{word} without a value"),
    };
    let [left, right] = &sides;
    let not = if right.0 == "a" { "not" } else { "but" };
    vec![format!("For {} it is {}, {not} {}.", given.join(", "), side(left), side(right))]
}

/// A small value for every size in the type.
fn sizes_of(t: &Type, seed: u64) -> Sizes {
    let mut sizes = Sizes::new();
    t.for_each_nat(&mut |n| {
        for v in n.vars() {
            if let NatVar::Named(name) = v {
                let value = 1 + seed as i64 % 3;
                sizes.insert(name.clone(), value);
            }
        }
    });
    sizes
}
