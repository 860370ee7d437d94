//! What is known of operators: which are associative, which values are neutral, which only add.
//!
//! The table is exact for integers. Sums and products of floats are associative up to rounding only; a rule that
//! asks for `assoc` is marked as re-associating, and a user decides. What users declare of operators of their own
//! (`declare assoc f`) was tested before it comes here.

use crate::lang::literal::Literal;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::rewrite::normal::normal_form;

/// `\a b. a op b` and `op` itself, on scalars or vectors. Also its mirror image, as all these commute.
fn operator(f: &Term) -> Option<Pattern> {
    let known = |p: Pattern| p.is_monoid().then_some(p);
    match f.expr() {
        Expr::Prim(p) => known(p.pattern),
        Expr::Lam(_, inner) => {
            let (_, body) = inner.as_lam()?;
            let (p, args) = body.as_pattern_app()?;
            let indices: Vec<u32> = args
                .iter()
                .map(|a| if let Expr::Var(i) = a.expr() { Some(*i) } else { None })
                .collect::<Option<_>>()?;
            if indices == [1, 0] || indices == [0, 1] { known(p.pattern) } else { None }
        }
        _ => None,
    }
}

/// Array and pair operators that work component by component with one known operator:
/// `\a b. map (\z. op (fst z) (snd z)) (zip a b)`.
fn pointwise(f: &Term) -> Option<&Term> {
    let (_, inner) = f.as_lam()?;
    let (_, body) = inner.as_lam()?;
    let (map, args) = body.as_pattern_app()?;
    let [function, zipped] = args.as_slice() else { return None };
    let (zip, ends) = zipped.as_pattern_app()?;
    let [a, b] = ends.as_slice() else { return None };
    let is_var = |t: &Term, i: u32| matches!(t.expr(), Expr::Var(j) if *j == i);
    if map.pattern != Pattern::Map || zip.pattern != Pattern::Zip || !is_var(a, 1) || !is_var(b, 0) {
        return None;
    }
    let (_, body) = function.as_lam()?;
    let (partial, second) = body.as_app()?;
    let (op, first) = partial.as_app()?;
    let projects = |t: &Term, p: Pattern| matches!(t.as_pattern_app(), Some((q, args)) if q.pattern == p && args.len() == 1 && is_var(args[0], 0));
    (projects(first, Pattern::Fst) && projects(second, Pattern::Snd) && op.is_closed()).then_some(op)
}

/// What has been declared of operators that are in no table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Properties {
    pub associative: Vec<Term>,
    pub commutative: Vec<Term>,
    /// Operators with their neutral values.
    pub neutral: Vec<(Term, Term)>,
}

impl Properties {
    pub fn is_empty(&self) -> bool {
        self.associative.is_empty() && self.commutative.is_empty() && self.neutral.is_empty()
    }

    pub fn add(&mut self, other: Properties) {
        self.associative.extend(other.associative);
        self.commutative.extend(other.commutative);
        self.neutral.extend(other.neutral);
    }

    pub fn is_associative(&self, f: &Term) -> bool {
        operator(f).is_some()
            || among(&self.associative, f)
            || pointwise(f).is_some_and(|op| self.is_associative(op))
    }

    /// Does the order of the operands not matter? All operators of the table commute.
    pub fn is_commutative(&self, f: &Term) -> bool {
        operator(f).is_some()
            || among(&self.commutative, f)
            || pointwise(f).is_some_and(|op| self.is_commutative(op))
    }

    /// Is `z` neutral for `f` on both sides?
    pub fn is_neutral(&self, f: &Term, z: &Term) -> bool {
        is_neutral(f, z)
            || self.neutral.iter().any(|(g, y)| same(g, f) && same(y, z))
            || pointwise(f).is_some_and(|op| constant_element(z).is_some_and(|z| self.is_neutral(op, z)))
    }
}

fn among(known: &[Term], f: &Term) -> bool {
    known.contains(f) || known.iter().any(|g| same(g, f))
}

/// The same up to beta and eta.
fn same(known: &Term, found: &Term) -> bool {
    known == found || (known.ty() == found.ty() && normal_form(known) == normal_form(found))
}

/// Does the operator give `x` for `x` and `x`? All of the table that do commute, too.
pub fn is_idempotent(f: &Term) -> bool {
    use Pattern as P;
    operator(f).is_some_and(|p| matches!(p, P::Min | P::Max | P::And | P::Or))
        || pointwise(f).is_some_and(is_idempotent)
}

/// Is `z` neutral for the operator `f` of the table, on both sides?
pub fn is_neutral(f: &Term, z: &Term) -> bool {
    let wanted = match operator(f) {
        Some(Pattern::Add) => 0,
        Some(Pattern::Mul) => 1,
        Some(p @ (Pattern::And | Pattern::Or)) => return is_truth(z, p == Pattern::And),
        Some(_) => return is_extreme(f, z),
        None => return pointwise(f).is_some_and(|op| constant_element(z).is_some_and(|z| is_neutral(op, z))),
    };
    match z.expr() {
        Expr::Lit(Literal::Int(v, _)) => *v == wanted,
        Expr::Lit(Literal::Float(bits, _)) => f64::from_bits(*bits) == wanted as f64,
        Expr::Lit(Literal::Nat(n)) => n.as_constant() == Some(wanted as i64),
        _ => vector_element(z).is_some_and(|z| literal_is(z, wanted)),
    }
}

/// The neutral value of an operator of the table on scalars, with the operator, where there is one.
pub fn with_neutral(f: &Term) -> Option<(Pattern, Literal)> {
    let op = operator(f)?;
    let (params, result) = f.ty().signature();
    let scalar = result.as_scalar().filter(|_| params.iter().all(|p| *p == result))?;
    let literal = match op {
        Pattern::Add => Literal::number(0, scalar),
        Pattern::Mul => Literal::number(1, scalar),
        Pattern::And | Pattern::Or => Some(Literal::Bool(op == Pattern::And)),
        _ if scalar.is_integer() => {
            let (least, greatest) = scalar.extremes();
            Literal::number(if op == Pattern::Min { greatest } else { least }, scalar)
        }
        _ => None,
    };
    literal.map(|z| (op, z))
}

fn is_truth(z: &Term, wanted: bool) -> bool {
    matches!(vector_element(z).unwrap_or(z).expr(), Expr::Lit(Literal::Bool(b)) if *b == wanted)
}

fn literal_is(z: &Term, wanted: i128) -> bool {
    match z.expr() {
        Expr::Lit(Literal::Int(v, _)) => *v == wanted,
        Expr::Lit(Literal::Float(bits, _)) => f64::from_bits(*bits) == wanted as f64,
        _ => false,
    }
}

fn vector_element(z: &Term) -> Option<&Term> {
    let (p, args) = z.as_pattern_app()?;
    (p.pattern == Pattern::VectorFromScalar && args.len() == 1).then(|| args[0])
}

/// `generate (\i. z)` and `map (\x. z) e` are `z` everywhere, if `z` does not mention the parameter.
fn constant_element(z: &Term) -> Option<&Term> {
    let (p, args) = z.as_pattern_app()?;
    if !matches!(p.pattern, Pattern::Generate | Pattern::Map) {
        return None;
    }
    let (_, body) = args.first()?.as_lam()?;
    body.is_closed().then_some(body)
}

/// The least integer of the type is neutral for `max`, the greatest for `min`. Nothing is for floats: `min` of NaN and an
/// infinity is the infinity.
fn is_extreme(f: &Term, z: &Term) -> bool {
    let Expr::Lit(Literal::Int(v, s)) = z.expr() else { return false };
    let greatest = operator(f) == Some(Pattern::Min);
    let beyond = if greatest { v.checked_add(1) } else { v.checked_sub(1) };
    beyond.is_some_and(|b| Literal::number(b, *s).is_none())
}

/// `\a y. a + h y`, `\a y. h y + a`, `+` itself: what is added does not depend on the accumulator.
pub fn is_additive(f: &Term) -> bool {
    if operator(f) == Some(Pattern::Add) {
        return true;
    }
    let Some((_, inner)) = f.as_lam() else { return false };
    let Some((_, body)) = inner.as_lam() else { return false };
    let Some((p, args)) = body.as_pattern_app() else { return false };
    let [x, y] = args.as_slice() else { return false };
    let accumulator = |t: &Term| matches!(t.expr(), Expr::Var(1));
    p.pattern == Pattern::Add && ((accumulator(x) && !y.has_free(1)) || (accumulator(y) && !x.has_free(1)))
}

/// Constants of a literal array, row by row; none when something else than a number stands in it.
fn constants(t: &Term) -> Option<Vec<f64>> {
    match t.expr() {
        Expr::Lit(Literal::Float(bits, _)) => Some(vec![f64::from_bits(*bits)]),
        Expr::Lit(Literal::Int(v, _)) => Some(vec![*v as f64]),
        _ => {
            let (p, args) = t.as_pattern_app()?;
            if p.pattern != Pattern::MakeArray {
                return arithmetic(t, p.pattern, &args).map(|v| vec![v]);
            }
            args.into_iter().map(constants).collect::<Option<Vec<_>>>().map(|rows| rows.concat())
        }
    }
}

/// What arithmetic on constant floats comes to, rounded as its type rounds: `-1 / 12`.
fn arithmetic(t: &Term, p: Pattern, args: &[&Term]) -> Option<f64> {
    let scalar = t.ty().as_scalar().filter(|s| s.is_float())?;
    let operands: Vec<f64> = args.iter().map(|a| constants(a)?.first().copied()).collect::<Option<_>>()?;
    let value = match (p, operands.as_slice()) {
        (Pattern::Neg, [a]) => -a,
        (Pattern::Add, [a, b]) => a + b,
        (Pattern::Sub, [a, b]) => a - b,
        (Pattern::Mul, [a, b]) => a * b,
        (Pattern::Div, [a, b]) => a / b,
        _ => return None,
    };
    match Literal::float(value, scalar) {
        Literal::Float(bits, _) => Some(f64::from_bits(bits)),
        _ => None,
    }
}

/// Is it addition?
pub fn is_sum(f: &Term) -> bool {
    operator(f) == Some(Pattern::Add)
}

/// Is it the number 0, or 0 in every lane or element?
pub fn is_zero(z: &Term) -> bool {
    literal_is(z, 0) || vector_element(z).is_some_and(is_zero) || constant_element(z).is_some_and(is_zero)
}

/// A column and a row of constants whose product is the matrix of constants `m`.
pub fn factors(m: &Term) -> Option<(Vec<f64>, Vec<f64>)> {
    let (p, rows) = m.as_pattern_app()?;
    if p.pattern != Pattern::MakeArray {
        return None;
    }
    let rows: Vec<Vec<f64>> = rows.into_iter().map(constants).collect::<Option<_>>()?;
    let width = rows.first()?.len();
    if width == 0 || rows.iter().any(|r| r.len() != width) {
        return None;
    }
    // The first row that is not zero is the row, in lowest terms when it is whole.
    let lead = rows.iter().find(|r| r.iter().any(|v| *v != 0.0))?;
    let divisor = if lead.iter().all(|v| v.fract() == 0.0 && v.abs() < 1e15) {
        lead.iter().fold(0, |d, v| gcd(d, v.abs() as i64)) as f64
    } else {
        1.0
    };
    let row: Vec<f64> = lead.iter().map(|v| v / divisor).collect();
    let pivot = row.iter().position(|v| *v != 0.0)?;
    let column: Vec<f64> = rows.iter().map(|r| r[pivot] / row[pivot]).collect();
    let exact = |r: &Vec<f64>, c: &f64| {
        r.iter().zip(&row).all(|(m, h)| (c * h - m).abs() <= 1e-6 * m.abs().max(1e-6))
    };
    rows.iter().zip(&column).all(|(r, c)| exact(r, c)).then_some((column, row))
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Is the matrix of constants `m` the product of the column `v` and the row `h`, up to the rounding of its type?
pub fn is_product(m: &Term, v: &Term, h: &Term) -> bool {
    let (Some(m), Some(v), Some(h)) = (constants(m), constants(v), constants(h)) else { return false };
    let product: Vec<f64> = v.iter().flat_map(|a| h.iter().map(move |b| a * b)).collect();
    product.len() == m.len() && product.iter().zip(&m).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1e-6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::ty::{Scalar, Type};

    fn f2(op: impl Fn(Term, Term) -> b::Built) -> Term {
        b::lam2(("a", Type::f32()), ("b", Type::f32()), op).unwrap()
    }

    #[test]
    fn operators_are_recognised() {
        let is_associative = |f: Term| Properties::default().is_associative(&f);
        assert!(is_associative(f2(b::add)) && is_associative(f2(|x, y| b::mul(y, x))));
        assert!(!is_associative(f2(b::sub)) && !is_associative(f2(|x, _| Ok(x))));
        assert!(is_neutral(&f2(b::add), &b::f32(0.0)) && !is_neutral(&f2(b::mul), &b::f32(0.0)));
        assert!(is_neutral(&f2(b::mul), &b::f32(1.0)));
        // The greater of NaN and this is this.
        assert!(!is_neutral(&f2(b::max), &b::f32(f32::NEG_INFINITY)));
        let i32s = Type::scalar(Scalar::I32);
        let max = b::pattern(Pattern::Max, vec![], &[i32s.clone(), i32s]).unwrap();
        assert!(is_neutral(&max, &b::number(i32::MIN.into(), Scalar::I32).unwrap()));
        assert!(!is_neutral(&max, &b::number(0, Scalar::I32).unwrap()));
    }

    #[test]
    fn additive_operators_do_not_touch_the_accumulator() {
        assert!(is_additive(&f2(|a, y| b::add(a, b::mul(y.clone(), y)?))));
        assert!(is_additive(&f2(|a, y| b::add(b::neg(y)?, a))));
        assert!(!is_additive(&f2(|a, y| b::add(a.clone(), b::mul(a, y)?))));
        assert!(!is_additive(&f2(b::mul)));
    }
}
