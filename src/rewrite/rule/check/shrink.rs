//! Making a counterexample small: every part that can be replaced by something smaller, with the rule still wrong, is.

use super::{Case, Failure, Outcome, Sides, rewritten};
use crate::lang::literal::Literal;
use crate::lang::path::Path;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;
use crate::lang::value::Value;
use crate::rule::Rule;

/// A small case that is wrong as this one is. Makes at most so many tests.
pub(super) fn shrink(
    rule: &Rule,
    case: Case,
    found: Failure,
    tests: usize,
    stop: &dyn Fn() -> bool,
) -> (Case, Failure) {
    let mut s = Shrinking { rule, case, found, tests, stop };
    while s.term() || s.unused() || s.values() {}
    (s.case, s.found)
}

struct Shrinking<'a> {
    rule: &'a Rule,
    case: Case,
    found: Failure,
    tests: usize,
    stop: &'a dyn Fn() -> bool,
}

impl Shrinking<'_> {
    /// Takes the case if the rule is wrong there too.
    fn attempt(&mut self, case: Case, inputs: Vec<Value>) -> bool {
        if !self.goes_on() {
            return false;
        }
        let Ok(after) = rewritten(self.rule, &case) else { return false };
        let Outcome::Wrong(found) = Sides::of(self.rule, &case, after).compare(inputs) else { return false };
        (self.case, self.found) = (case, *found);
        true
    }

    /// May one more test be made? Counts it.
    fn goes_on(&mut self) -> bool {
        let more = self.tests > 0 && !(self.stop)();
        self.tests = if more { self.tests - 1 } else { 0 };
        more
    }

    /// Replaces one part by a smaller one.
    fn term(&mut self) -> bool {
        let term = self.case.term.clone();
        let positions: Vec<(Path, &Term)> =
            term.positions().into_iter().filter(|(p, _)| p.strip_prefix(&self.case.at).is_some()).collect();
        for (path, part) in positions {
            for smaller in smaller_parts(&term, &path, part) {
                let Some(replaced) = term.replace_at(&path, smaller) else { continue };
                let case = Case { term: replaced, ..self.case.clone() };
                if self.attempt(case, self.found.inputs.clone()) {
                    return true;
                }
            }
            if self.tests == 0 {
                return false;
            }
        }
        false
    }

    /// Leaves out one input that nothing reads.
    fn unused(&mut self) -> bool {
        let mut names = vec![];
        let mut body = self.case.term.clone();
        while let Expr::Lam(name, inner) = &body.clone().expr() {
            let Some((param, _)) = body.ty().as_fun() else { return false };
            names.push((name.clone(), param.clone()));
            body = inner.clone();
        }
        // Inputs that the case is applied to stand at the end and are always read.
        for i in 0..names.len().min(self.found.inputs.len()) {
            let index = (names.len() - 1 - i) as u32;
            if body.has_free(index) {
                continue;
            }
            let Some(shorter) = body.rename(&|j| Some(if j > index { j - 1 } else { j })) else { continue };
            let rest = names.iter().enumerate().filter(|(k, _)| *k != i).rev();
            let term = rest.fold(shorter, |t, (_, (name, ty))| Term::lam(name, ty.clone(), t));
            let mut inputs = self.found.inputs.clone();
            inputs.remove(i);
            let at = Path::new(self.case.at.steps().iter().copied().skip(1));
            if self.attempt(Case { term, at, ..self.case.clone() }, inputs) {
                return true;
            }
        }
        false
    }

    /// Replaces numbers of the inputs by simpler ones. Was there any?
    fn values(&mut self) -> bool {
        let case = self.case.clone();
        let sides = Sides::of(self.rule, &case, self.found.after.clone());
        let mut found = false;
        while let Some(simpler) = self.simpler(&sides) {
            self.found = simpler;
            found = true;
        }
        found
    }

    /// The case with one number replaced by a simpler one.
    fn simpler(&mut self, sides: &Sides) -> Option<Failure> {
        let inputs = self.found.inputs.clone();
        for (i, input) in inputs.iter().enumerate() {
            for simpler in simpler_values(input) {
                if !self.goes_on() {
                    return None;
                }
                let mut inputs = inputs.clone();
                inputs[i] = simpler;
                if let Outcome::Wrong(found) = sides.compare(inputs) {
                    return Some(*found);
                }
            }
        }
        None
    }
}

/// Terms of the part's type that are smaller than it and may stand in its place.
fn smaller_parts(term: &Term, path: &Path, part: &Term) -> Vec<Term> {
    let mut out = vec![];
    let ty = part.ty();
    let mut add = |t: Term| {
        if t.size() < part.size() && !out.contains(&t) {
            out.push(t);
        }
    };
    for (i, (_, bound)) in term.binders_at(path).iter().rev().enumerate() {
        if bound == ty {
            add(Term::var(i as u32, ty.clone()));
        }
    }
    if let Some(s) = ty.as_scalar() {
        [0, 1].into_iter().filter_map(|v| Literal::number(v, s)).for_each(|l| add(Term::lit(l)));
    }
    if let Some((param, result)) = ty.as_fun()
        && param == result
    {
        add(Term::lam("x", param.clone(), Term::var(0, param.clone())));
    }
    for (below, inner) in part.positions().into_iter().skip(1) {
        let binders = part.binders_at(&below).len() as u32;
        if inner.ty() == ty
            && let Some(inner) = inner.shift_down(binders)
        {
            add(inner);
        }
    }
    constant(ty).into_iter().for_each(add);
    out.sort_by_key(Term::size);
    out
}

/// A function that ignores what it gets.
fn constant(ty: &Type) -> Option<Term> {
    let (param, result) = ty.as_fun()?;
    let body = match result.as_scalar() {
        Some(s) => Term::lit(Literal::number(0, s)?),
        None => constant(result)?,
    };
    Some(Term::lam("_", param.clone(), body))
}

/// How much the values are to read: zeros count least.
pub fn weight(values: &[Value]) -> usize {
    values.iter().map(weight_of).sum()
}

fn weight_of(v: &Value) -> usize {
    match v {
        Value::Pair(p) => weight_of(&p.0) + weight_of(&p.1),
        Value::Array(c) | Value::Vector(c) => 1 + c.iter().map(weight_of).sum::<usize>(),
        Value::Int(v, _) => 1 + number(*v as f64),
        Value::F16(v) | Value::F32(v) => 1 + number(f64::from(*v)),
        Value::F64(v) => 1 + number(*v),
        Value::Exact(..) => 6,
        Value::Undefined | Value::Bool(_) | Value::Nat(_) => 1,
    }
}

fn number(v: f64) -> usize {
    let simple = v.abs() < 1e4 && v.fract() == 0.0;
    let negative_zero = v == 0.0 && v.is_sign_negative();
    [v != 0.0 || negative_zero, v != 0.0 && v != 1.0, !(0.0..=2.0).contains(&v), !simple]
        .map(usize::from)
        .iter()
        .sum()
}

/// Floats that are easily read.
const SIMPLE: [f64; 5] = [0.0, 1.0, 2.0, -1.0, 100.0];

/// The value with one number made simpler.
fn simpler_values(v: &Value) -> Vec<Value> {
    let leaf = |options: Vec<Value>| options.into_iter().filter(|o| weight_of(o) < weight_of(v)).collect();
    match v {
        Value::Int(_, s) => leaf([0, 1, 2, -1, 10, 100].map(|v| Value::int(v, *s)).to_vec()),
        Value::F16(_) => leaf(SIMPLE.map(|v| Value::F16(v as f32)).to_vec()),
        Value::F32(_) => leaf(SIMPLE.map(|v| Value::F32(v as f32)).to_vec()),
        Value::F64(_) => leaf(SIMPLE.map(Value::F64).to_vec()),
        Value::Exact(_, s) => leaf(SIMPLE.iter().filter_map(|v| Value::float(*v, *s)).collect()),
        Value::Pair(p) => {
            let first = simpler_values(&p.0).into_iter().map(|a| Value::pair(a, p.1.clone()));
            first.chain(simpler_values(&p.1).into_iter().map(|b| Value::pair(p.0.clone(), b))).collect()
        }
        Value::Array(cells) => cells_simpler(cells, Value::array),
        Value::Vector(cells) => cells_simpler(cells, Value::vector),
        Value::Undefined | Value::Bool(_) | Value::Nat(_) => vec![],
    }
}

/// A value of the same form with zeros in it.
fn zero(v: &Value) -> Value {
    match v {
        Value::Pair(p) => Value::pair(zero(&p.0), zero(&p.1)),
        Value::Array(c) => Value::array(c.iter().map(zero).collect()),
        Value::Vector(c) => Value::vector(c.iter().map(zero).collect()),
        Value::Bool(_) => Value::Bool(false),
        Value::Int(_, s) => Value::int(0, *s),
        Value::F16(_) => Value::F16(0.0),
        Value::F32(_) => Value::F32(0.0),
        Value::F64(_) => Value::F64(0.0),
        Value::Exact(_, s) => Value::float(0.0, *s).unwrap_or_else(|| v.clone()),
        Value::Undefined | Value::Nat(_) => v.clone(),
    }
}

/// Of more cells than this, parts are made simpler rather than each.
const EACH: usize = 16;

/// The cells with a half of them made zero, or a quarter; or one of a few made simpler.
fn cells_simpler(cells: &[Value], of: fn(Vec<Value>) -> Value) -> Vec<Value> {
    if cells.len() > EACH {
        let cleared = |from: usize, to: usize| {
            let mut simpler = cells.to_vec();
            simpler[from..to].iter_mut().for_each(|c| *c = zero(c));
            (weight(&simpler) < weight(cells)).then(|| of(simpler))
        };
        let n = cells.len();
        let parts =
            [(0, n), (0, n / 2), (n / 2, n), (0, n / 4), (n / 4, n / 2), (n / 2, 3 * n / 4), (3 * n / 4, n)];
        return parts.into_iter().filter_map(|(from, to)| cleared(from, to)).collect();
    }
    let with = |i: usize, v: Value| {
        let mut cells = cells.to_vec();
        cells[i] = v;
        of(cells)
    };
    (0..cells.len())
        .flat_map(|i| simpler_values(&cells[i]).into_iter().map(move |v| (i, v)))
        .map(|(i, v)| with(i, v))
        .collect()
}
