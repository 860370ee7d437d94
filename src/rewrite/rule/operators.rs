//! What is known of operators: which are associative, which values are neutral, which only add.
//!
//! The table is exact for integers. Sums and products of floats are associative up to rounding only; a rule that
//! asks for `assoc` is marked as re-associating, and a user decides. What users declare of operators of their own
//! (`declare assoc f`) was tested before it comes here.

use crate::lang::literal::Literal;
use crate::lang::pattern::{Pattern, all};
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Scalar;
use crate::normal::{expanded, normal_form};
use crate::rule::condition::Condition;
use crate::rule::marks::Mark;
use std::collections::HashSet;

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

/// The operators that an operator on pairs or arrays applies to their parts, each part by itself, as
/// `\a b. (fst a + fst b, max (snd a) (snd b))` and `\a b. map (\z. op (fst z) (snd z)) (zip a b)` do.
fn parts(f: &Term) -> Option<Vec<Term>> {
    let (operand, _) = f.ty().as_fun()?;
    if operand.as_pair().is_none() && operand.as_array().is_none() {
        return None;
    }
    let f = normal_form(f)?;
    let (_, inner) = f.as_lam()?;
    let (_, body) = inner.as_lam()?;
    let (p, args) = body.as_pattern_app()?;
    let is_var = |t: &Term, i: u32| matches!(t.expr(), Expr::Var(j) if *j == i);
    match (p.pattern, args.as_slice()) {
        (Pattern::MakePair, [x, y]) => {
            let part = |t: &Term, projection: Pattern| {
                let of_both = |q: Pattern, i: u32| (q == projection && i < 2).then_some(i);
                operator_of(t, 2, &of_both)
            };
            Some(vec![part(x, Pattern::Fst)?, part(y, Pattern::Snd)?])
        }
        (Pattern::Map, [function, zipped]) => {
            let (zip, ends) = zipped.as_pattern_app()?;
            let [a, b] = ends.as_slice() else { return None };
            if zip.pattern != Pattern::Zip || !is_var(a, 1) || !is_var(b, 0) {
                return None;
            }
            // `fst` stands for `\p. fst p`.
            let function =
                if function.as_lam().is_some() { (*function).clone() } else { expanded("p", function)? };
            let (_, body) = function.as_lam()?;
            // Below the parameter of the map's function the arrays themselves must not occur.
            let of_zipped = |q: Pattern, i: u32| match (q, i) {
                (Pattern::Fst, 0) => Some(1),
                (Pattern::Snd, 0) => Some(0),
                _ => None,
            };
            Some(vec![operator_of(body, 3, &of_zipped)?])
        }
        _ => None,
    }
}

/// The operator `\a b. t` where the outermost variables of t, as many as are given, occur in projections alone: these
/// become the parameter that is said, 1 for a and 0 for b.
fn operator_of(t: &Term, variables: u32, becomes: &dyn Fn(Pattern, u32) -> Option<u32>) -> Option<Term> {
    fn go(
        t: &Term,
        depth: u32,
        variables: u32,
        becomes: &dyn Fn(Pattern, u32) -> Option<u32>,
    ) -> Option<Term> {
        let outermost = |i: u32| i.checked_sub(depth).filter(|i| *i < variables);
        match t.expr() {
            Expr::Var(i) if outermost(*i).is_some() => None,
            // Of what stands around the operator nothing is known.
            Expr::Var(i) => (*i < depth).then(|| t.clone()),
            Expr::Lam(_, body) => Some(t.with_children(vec![go(body, depth + 1, variables, becomes)?])),
            Expr::App(f, e) => {
                if let (Some(q), Expr::Var(i)) = (f.as_pattern(), e.expr())
                    && let Some(i) = outermost(*i)
                {
                    return Some(Term::var(becomes(q, i)? + depth, t.ty().clone()));
                }
                let children = vec![go(f, depth, variables, becomes)?, go(e, depth, variables, becomes)?];
                Some(t.with_children(children))
            }
            Expr::Prim(_) | Expr::Lit(_) => Some(t.clone()),
        }
    }
    let body = go(t, 0, variables, becomes)?;
    let operand = t.ty().clone();
    let operator = Term::lam("a", operand.clone(), Term::lam("b", operand, body));
    operator.check().is_ok().then_some(operator)
}

/// Does the operator give one of its operands, as `\a b. select (fst a < fst b) b a` does: that of which a number is the
/// greater, or the less? The number is no float: NaN is neither greater nor less than any.
fn is_choice(f: &Term) -> bool {
    let chosen = || -> Option<bool> {
        let f = normal_form(f)?;
        let (_, inner) = f.as_lam()?;
        let (_, body) = inner.as_lam()?;
        let (p, args) = body.as_pattern_app()?;
        let [condition, x, y] = args.as_slice() else { return None };
        let (comparison, keys) = condition.as_pattern_app()?;
        let [left, right] = keys.as_slice() else { return None };
        use Pattern as P;
        let compares = matches!(comparison.pattern, P::Lt | P::Le | P::Gt | P::Ge);
        let is_var = |t: &Term, i: u32| matches!(t.expr(), Expr::Var(j) if *j == i);
        let either = (is_var(x, 1) && is_var(y, 0)) || (is_var(x, 0) && is_var(y, 1));
        let exact = left.ty().as_scalar().is_some_and(Scalar::is_integer);
        // The same of both: of the first what it is of the second when their names are exchanged.
        let exchanged = left.rename(&|i| match i {
            0 => None,
            1 => Some(0),
            _ => Some(i),
        });
        let exchanged_back = left.rename(&|i| match i {
            1 => None,
            0 => Some(1),
            _ => Some(i),
        });
        let same = [exchanged, exchanged_back].into_iter().flatten().any(|k| k == **right);
        Some(p.pattern == P::Select && compares && either && exact && same)
    };
    chosen() == Some(true)
}

/// What has been declared of operators that are in no table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Properties {
    pub associative: Vec<Term>,
    pub commutative: Vec<Term>,
    pub idempotent: Vec<Term>,
    /// Operators with their neutral values.
    pub neutral: Vec<(Term, Term)>,
    /// What holds where nothing is NaN or infinite.
    pub finite: Option<Box<Properties>>,
}

impl Properties {
    pub fn is_empty(&self) -> bool {
        let Properties { associative, commutative, idempotent, neutral, finite } = self;
        let none =
            associative.is_empty() && commutative.is_empty() && idempotent.is_empty() && neutral.is_empty();
        none && finite.as_ref().is_none_or(|finite| finite.is_empty())
    }

    pub fn add(&mut self, other: Properties) {
        self.associative.extend(other.associative);
        self.commutative.extend(other.commutative);
        self.idempotent.extend(other.idempotent);
        self.neutral.extend(other.neutral);
        if let Some(finite) = other.finite {
            self.finite.get_or_insert_default().add(*finite);
        }
    }

    /// What is declared, with and without marks.
    fn each(&self) -> impl Iterator<Item = &Properties> {
        std::iter::once(self).chain(self.finite.as_deref())
    }

    /// The mark of what a condition of a rule may rely on.
    pub fn mark_of(&self, condition: &Condition) -> Option<Mark> {
        let finite = self.finite.as_ref()?;
        let relies = match condition {
            Condition::Assoc(_) => !finite.associative.is_empty(),
            Condition::Commutative(_) => !finite.commutative.is_empty(),
            Condition::Idempotent(_) => !finite.idempotent.is_empty(),
            Condition::Neutral(..) => !finite.neutral.is_empty(),
            Condition::AnyOrder(_) => !finite.associative.is_empty() && !finite.commutative.is_empty(),
            _ => false,
        };
        relies.then_some(Mark::Finite)
    }

    pub fn is_associative(&self, f: &Term) -> bool {
        operator(f).is_some()
            || self.each().any(|of| among(&of.associative, f))
            || is_choice(f)
            || parts(f).is_some_and(|ops| ops.iter().all(|op| self.is_associative(op)))
    }

    /// Does the order of the operands not matter? All operators of the table commute.
    pub fn is_commutative(&self, f: &Term) -> bool {
        operator(f).is_some()
            || self.each().any(|of| among(&of.commutative, f))
            || parts(f).is_some_and(|ops| ops.iter().all(|op| self.is_commutative(op)))
    }

    /// `\a y. op a e`, where op is closed, associative and commutative and e does not depend on a, and reductions by such functions
    /// from a: what they do to an accumulator may be done in any order.
    pub fn takes_any_order(&self, f: &Term) -> bool {
        // What it takes to an accumulator, which is said to be here, is this.
        fn goes_on(known: &Properties, from: &Term, acc: u32) -> bool {
            let is_acc = |t: &Term| matches!(t.expr(), Expr::Var(i) if *i == acc);
            if let Some((p, args)) = from.as_pattern_app()
                && let [f, start, xs] = args.as_slice()
                && p.pattern.is_reduce()
            {
                return is_acc(start) && !f.has_free(acc) && !xs.has_free(acc) && known.takes_any_order(f);
            }
            let Expr::App(with, y) = from.expr() else { return false };
            let Expr::App(op, x) = with.expr() else { return false };
            let one = is_acc(x) && !y.has_free(acc) || is_acc(y) && !x.has_free(acc);
            one && op.is_closed() && known.is_associative(op) && known.is_commutative(op)
        }
        if self.is_associative(f) && self.is_commutative(f) {
            return true;
        }
        match f.expr() {
            Expr::Lam(_, inner) => match inner.as_lam() {
                Some((_, body)) => goes_on(self, body, 1),
                None => false,
            },
            // `reduceSeq f` is `\a xs. reduceSeq f a xs`.
            Expr::App(..) => f.as_pattern_app().is_some_and(|(p, args)| {
                p.pattern.is_reduce() && matches!(args.as_slice(), [f] if self.takes_any_order(f))
            }),
            _ => false,
        }
    }

    /// Does the operator give `x` for `x` and `x`?
    pub fn is_idempotent(&self, f: &Term) -> bool {
        operator(f)
            .is_some_and(|p| p.is_monoid() && !matches!(p, Pattern::Add | Pattern::Mul | Pattern::BitXor))
            || self.each().any(|of| among(&of.idempotent, f))
            || parts(f).is_some_and(|ops| ops.iter().all(|op| self.is_idempotent(op)))
    }

    /// Is `z` neutral for `f` on both sides?
    pub fn is_neutral(&self, f: &Term, z: &Term) -> bool {
        is_neutral(f, z)
            || self.each().any(|of| of.neutral.iter().any(|(g, y)| same(g, f) && same(y, z)))
            || of_parts(f, z, &|op, z| self.is_neutral(op, z))
    }
}

fn among(known: &[Term], f: &Term) -> bool {
    known.contains(f) || known.iter().any(|g| same(g, f))
}

/// The same up to beta and eta.
fn same(known: &Term, found: &Term) -> bool {
    known == found || (known.ty() == found.ty() && normal_form(known) == normal_form(found))
}

/// Is `z` neutral for the operator `f` of the table, on both sides?
pub fn is_neutral(f: &Term, z: &Term) -> bool {
    let wanted = match operator(f) {
        Some(Pattern::Add | Pattern::BitOr | Pattern::BitXor) => 0,
        Some(Pattern::Mul) => 1,
        Some(Pattern::BitAnd) => return is_all_bits(z),
        Some(p @ (Pattern::And | Pattern::Or)) => return is_truth(z, p == Pattern::And),
        Some(_) => return is_extreme(f, z),
        None => return of_parts(f, z, &is_neutral),
    };
    match z.expr() {
        Expr::Lit(Literal::Int(v, _)) => *v == wanted,
        Expr::Lit(Literal::Float(bits, _)) => f64::from_bits(*bits) == wanted as f64,
        Expr::Lit(Literal::Nat(n)) => n.as_constant() == Some(wanted as i64),
        _ => vector_element(z).is_some_and(|z| literal_is(z, wanted)),
    }
}

/// Does p hold of the operators that f applies to parts, with each part of a pair, or each element of an array?
fn of_parts(f: &Term, z: &Term, p: &dyn Fn(&Term, &Term) -> bool) -> bool {
    let Some(ops) = parts(f) else { return false };
    match (ops.as_slice(), z.as_pattern_app()) {
        ([first, second], Some((pair, args))) if pair.pattern == Pattern::MakePair && args.len() == 2 => {
            p(first, args[0]) && p(second, args[1])
        }
        ([op], Some((array, args))) if array.pattern == Pattern::MakeArray => args.iter().all(|z| p(op, z)),
        ([op], _) => constant_element(z).is_some_and(|z| p(op, z)),
        _ => false,
    }
}

/// The neutral value of an operator of the table on scalars, with the operator, where there is one.
pub fn with_neutral(f: &Term) -> Option<(Pattern, Literal)> {
    let op = operator(f)?;
    let (params, result) = f.ty().signature();
    let scalar = result.as_scalar().filter(|_| params.iter().all(|p| *p == result))?;
    neutral_of(op, scalar).map(|z| (op, z))
}

/// The neutral value of an operator on scalars, where one is known.
fn neutral_of(op: Pattern, scalar: Scalar) -> Option<Literal> {
    match op {
        Pattern::Add => Literal::number(0, scalar),
        Pattern::Mul => Literal::number(1, scalar),
        Pattern::BitOr | Pattern::BitXor if scalar.is_integer() => Literal::number(0, scalar),
        Pattern::BitAnd if scalar.is_integer() => Some(all_bits(scalar)),
        Pattern::And | Pattern::Or => Some(Literal::Bool(op == Pattern::And)),
        Pattern::Min | Pattern::Max if scalar.is_integer() => {
            let (least, greatest) = scalar.extremes();
            Literal::number(if op == Pattern::Min { greatest } else { least }, scalar)
        }
        _ => None,
    }
}

/// The neutral values that are known, of all operators on all types.
pub fn neutral_values() -> HashSet<Literal> {
    let of = |op| Scalar::ALL.into_iter().filter_map(move |scalar| neutral_of(op, scalar));
    all().iter().map(|row| row.pattern).filter(|op| op.is_monoid()).flat_map(of).collect()
}

fn is_truth(z: &Term, wanted: bool) -> bool {
    matches!(vector_element(z).unwrap_or(z).expr(), Expr::Lit(Literal::Bool(b)) if *b == wanted)
}

/// The integer of which all bits are set.
fn all_bits(scalar: Scalar) -> Literal {
    let (_, greatest) = scalar.extremes();
    Literal::Int(if scalar.is_signed_integer() { -1 } else { greatest }, scalar)
}

fn is_all_bits(z: &Term) -> bool {
    matches!(vector_element(z).unwrap_or(z).expr(), Expr::Lit(l @ Literal::Int(_, s)) if *l == all_bits(*s))
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

/// The least integer of the type, also in every lane, is neutral for `max`, the greatest for `min`. Nothing is for floats: `min` of NaN and an
/// infinity is the infinity.
fn is_extreme(f: &Term, z: &Term) -> bool {
    let Expr::Lit(Literal::Int(v, s)) = vector_element(z).unwrap_or(z).expr() else { return false };
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

/// Is it the number 0, or 0 in every lane or element? The negative zero of floats is another number.
pub fn is_zero(z: &Term) -> bool {
    let negative =
        matches!(z.expr(), Expr::Lit(Literal::Float(bits, _)) if f64::from_bits(*bits).is_sign_negative());
    literal_is(z, 0) && !negative
        || vector_element(z).is_some_and(is_zero)
        || constant_element(z).is_some_and(is_zero)
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
    use crate::lang::diag::FileId;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::lang::ty::Type;
    use crate::rule::check::property::{Property, refute};

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
    fn operators_on_bits_are_recognised() {
        for (op, neutral, other) in
            [(Pattern::BitAnd, -1, 0), (Pattern::BitOr, 0, -1), (Pattern::BitXor, 0, -1)]
        {
            for s in [Scalar::I32, Scalar::U8] {
                let f = b::pattern(op, vec![], &[Type::scalar(s), Type::scalar(s)]).unwrap();
                let bits =
                    |v: i128| Term::lit(Literal::Int(if s == Scalar::U8 { v.rem_euclid(256) } else { v }, s));
                assert!(is_neutral(&f, &bits(neutral)) && !is_neutral(&f, &bits(other)), "{op:?}");
                assert_eq!(with_neutral(&f).map(|(op, z)| (op, Term::lit(z))), Some((op, bits(neutral))));
            }
        }
        assert_eq!(known("def f (a b: u8): u8 = bitAnd b a"), [true, true, true]);
        assert_eq!(known("def f (a b: i64): i64 = bitOr a b"), [true, true, true]);
        assert_eq!(known("def f (a b: i32): i32 = bitXor a b"), [true, true, false]);
    }

    /// What a program's operator is known to be.
    fn known(text: &str) -> [bool; 3] {
        let (tree, problems) = parse_program(FileId::NOWHERE, text);
        assert!(problems.is_empty(), "{text}");
        let (program, problems) = infer::program(&tree, None);
        let op = program.unwrap_or_else(|| panic!("{text}: {problems:?}")).term;
        let none = Properties::default();
        let known = [none.is_associative(&op), none.is_commutative(&op), none.is_idempotent(&op)];
        // Nothing is believed that random operands refute.
        let properties = [Property::Associative, Property::Commutative, Property::Idempotent];
        for (known, property) in known.into_iter().zip(properties) {
            assert!(!known || refute(&op, &property).is_none(), "{text}");
        }
        known
    }

    #[test]
    fn operators_on_parts_are_what_those_of_the_parts_are() {
        for (text, expected) in [
            (
                "def f (a b: (f32 * f32)): (f32 * f32) = (fst a + fst b, max (snd a) (snd b))",
                [true, true, false],
            ),
            (
                "def f: (f32 * i32) -> (f32 * i32) -> (f32 * i32) = \\(a, b) (c, d). (min a c, max d b)",
                [true; 3],
            ),
            (
                "def f (a b: ((i32 * f32) * i32)): ((i32 * f32) * i32) =
                   ((fst (fst a) + fst (fst b), snd (fst a) * snd (fst b)), snd a + snd b)",
                [true, true, false],
            ),
            (
                "def f (a b: (4.f32 * f32)): (4.f32 * f32) =
                   (zip (fst a) (fst b) |> map (\\p. fst p + snd p), snd a + snd b)",
                [true, true, false],
            ),
            (
                "def f (a b: 3.(f32 * i32)): 3.(f32 * i32) =
                   zip a b |> map (\\p. (max (fst (fst p)) (fst (snd p)), snd (fst p) + snd (snd p)))",
                [true, true, false],
            ),
            // A part that is no such operator, or takes of another part, or of one operand alone.
            ("def f (a b: (f32 * f32)): (f32 * f32) = (fst a + fst b, snd a - snd b)", [false; 3]),
            ("def f (a b: (f32 * f32)): (f32 * f32) = (fst a + fst b, fst a + snd b)", [false; 3]),
            ("def f (a b: (f32 * f32)): (f32 * f32) = (snd a + snd b, fst a + fst b)", [false; 3]),
            ("def f (a b: (f32 * f32)): (f32 * f32) = (fst a + fst a, snd a + snd b)", [false; 3]),
            ("def f (a b: 4.f32): 4.f32 = zip a (reverse b) |> map (\\p. fst p + snd p)", [false; 3]),
            ("def f (a b: 4.f32): 4.f32 = zip a b |> map (\\p. fst p + snd p + reduce (+) 0 a)", [false; 3]),
            // That of which a whole number is the greater or the less.
            ("def f (a b: (i32 * f32)): (i32 * f32) = select (fst a < fst b) b a", [true, false, false]),
            ("def f (a b: (f32 * i32)): (f32 * i32) = select (snd b >= snd a) a b", [true, false, false]),
            ("def f (a b: i32): i32 = select (a % 3 <= b % 3) a b", [true, false, false]),
            ("def f (a b: (f32 * i32)): (f32 * i32) = select (fst a < fst b) b a", [false; 3]),
            ("def f (a b: (i32 * i32)): (i32 * i32) = select (fst a < snd b) b a", [false; 3]),
            ("def f (a b: i32): i32 = select (a + b < a) a b", [false; 3]),
        ] {
            assert_eq!(known(text), expected, "{text}");
        }
    }

    #[test]
    fn values_are_neutral_part_by_part() {
        let is_neutral = |text: &str| {
            let (tree, _) = parse_program(FileId::NOWHERE, text);
            let program = infer::program(&tree, None).0.unwrap();
            let (_, args) = program.term.as_lam().unwrap().1.as_pattern_app().unwrap();
            Properties::default().is_neutral(args[0], args[1])
        };
        let sums = |z: &str| {
            format!("def f (x: n.(f32 * i32)) = reduce (\\a b. (fst a + fst b, max (snd a) (snd b))) {z} x")
        };
        assert!(is_neutral(&sums("(0, -2147483648)")));
        assert!(!is_neutral(&sums("(0, 0)")) && !is_neutral(&sums("(1, -2147483648)")));
        let rows = |z: &str| {
            format!("def f (x: n.2.f32) = reduce (\\a b. zip a b |> map (\\p. fst p + snd p)) {z} x")
        };
        assert!(is_neutral(&rows("[0, 0]")) && is_neutral(&rows("(generate (\\i. 0))")));
        assert!(!is_neutral(&rows("[0, 1]")));
    }

    /// Steps that may be taken in any order, and such that may not, as the functions of programs.
    #[test]
    fn steps_in_any_order_are_recognised() {
        for (f, expected) in [
            ("\\a x. a + x * x", true),
            ("\\a x. x * max a x", false),
            ("\\a x. max (abs x) a", true),
            ("\\a x. a - x", false),
            ("\\a x. a + a * x", false),
            ("\\a xs. reduceSeq (\\b x. b * sqrt x) a xs", true),
            ("\\a xs. reduceSeq (\\b x. b * a) a xs", false),
            ("\\a xs. reduceSeq (\\b x. b + x) 1 xs", false),
            ("\\a xs. reduceSeq (\\b x. b * x + x) a xs", false),
            ("\\a xs. xs |> map (\\x. x + a) |> reduceSeq (+) a", false),
            ("reduceSeq (reduceSeq (\\b x. b + abs x))", true),
            ("reduceSeq (reduceSeq (-))", false),
        ] {
            let depth = f.matches("reduceSeq").count();
            let element = format!("{}f32", "4.".repeat(depth));
            let text = format!("def f: f32 -> {element} -> f32 = {f}");
            let (tree, problems) = parse_program(FileId::NOWHERE, &text);
            assert!(problems.is_empty(), "{text}");
            let (program, problems) = infer::program(&tree, None);
            let f = program.unwrap_or_else(|| panic!("{text}: {problems:?}")).term;
            assert_eq!(Properties::default().takes_any_order(&f), expected, "{text}");
        }
    }

    #[test]
    fn additive_operators_do_not_touch_the_accumulator() {
        assert!(is_additive(&f2(|a, y| b::add(a, b::mul(y.clone(), y)?))));
        assert!(is_additive(&f2(|a, y| b::add(b::neg(y)?, a))));
        assert!(!is_additive(&f2(|a, y| b::add(a.clone(), b::mul(a, y)?))));
        assert!(!is_additive(&f2(b::mul)));
    }
}
