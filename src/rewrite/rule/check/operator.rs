//! Operators for the rules that ask for properties of one. For every set of properties there are operators that have
//! these and no others, so that a rule that needs more than it asks for is found out; and those that the user declares.

use crate::lang::build as b;
use crate::lang::eval::inputs::Rng;
use crate::lang::literal::Literal;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::{Scalar, Type};
use crate::rule::Properties;
use crate::rule::condition::Condition;
use crate::rule::equation::Equation;

/// What is asked of an operator, or known of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Has {
    pub associative: bool,
    pub commutative: bool,
    pub neutral: bool,
}

impl Has {
    /// What the conditions of an equation ask of a variable.
    pub fn asked(eq: &Equation, variable: usize) -> Has {
        let mut has = Has::default();
        for c in &eq.conditions {
            match c {
                Condition::Assoc(f) if *f == variable => has.associative = true,
                Condition::Commutative(f) if *f == variable => has.commutative = true,
                Condition::Neutral(f, _) if *f == variable => has.neutral = true,
                _ => {}
            }
        }
        has
    }

    fn covers(self, asked: Has) -> bool {
        (self.associative || !asked.associative)
            && (self.commutative || !asked.commutative)
            && (self.neutral || !asked.neutral)
    }
}

/// A closed operator and what is known of it.
#[derive(Clone)]
pub(super) struct Operator {
    pub op: Term,
    /// Neutral on both sides.
    pub neutral: Option<Term>,
    associative: bool,
    commutative: bool,
}

impl Operator {
    fn has(&self) -> Has {
        let Operator { associative, commutative, .. } = *self;
        Has { associative, commutative, neutral: self.neutral.is_some() }
    }

    /// The type of the operands.
    pub fn operand(&self) -> Type {
        self.op.ty().as_fun().map_or_else(Type::ill, |(t, _)| t.clone())
    }
}

struct Row {
    associative: bool,
    commutative: bool,
    neutral: Option<i64>,
    op: fn(Term, Term) -> b::Built,
}

/// Operators on numbers of any type. What is said of them is so in wrapping and in exact arithmetic, NaN and infinities
/// included, and nothing else is (`every_row_is_what_it_says`).
const ROWS: [Row; 8] = [
    Row { associative: true, commutative: false, neutral: None, op: |a, _| Ok(a) },
    Row { associative: true, commutative: false, neutral: None, op: |_, b| Ok(b) },
    Row {
        associative: false,
        commutative: true,
        neutral: None,
        op: |x, y| b::add(b::mul(x.clone(), y)?, one(&x)?),
    },
    Row { associative: true, commutative: true, neutral: None, op: |x, y| b::mul(b::add(x.clone(), x)?, y) },
    Row { associative: true, commutative: false, neutral: Some(0), op: |x, y| or_else(&x, y, x.clone()) },
    Row {
        associative: false,
        commutative: false,
        neutral: Some(0),
        op: |x, y| or_else(&x, y.clone(), or_else(&y, x.clone(), b::sub(x.clone(), y.clone())?)?),
    },
    Row {
        associative: false,
        commutative: true,
        neutral: Some(0),
        op: |x, y| {
            let both = b::add(b::mul(x.clone(), y.clone())?, one(&x)?)?;
            or_else(&x, y.clone(), or_else(&y, x.clone(), both)?)
        },
    },
    Row {
        associative: true,
        commutative: true,
        neutral: Some(1),
        op: |x, y| b::sub(b::add(x.clone(), y)?, one(&x)?),
    },
];

fn number(like: &Term, value: i64) -> b::Built {
    b::number(value, like.ty().as_scalar().unwrap_or(Scalar::I32))
}

fn one(like: &Term) -> b::Built {
    number(like, 1)
}

/// `select (x == 0) then otherwise`
fn or_else(x: &Term, then: Term, otherwise: Term) -> b::Built {
    b::select(b::equal(x.clone(), number(x, 0)?)?, then, otherwise)
}

/// The operators of [`ROWS`] at a type of numbers, and those on pairs.
fn uncommon(t: &Type) -> Vec<Operator> {
    if *t == composable() {
        return composed().into_iter().collect();
    }
    let Some(s) = t.as_scalar().filter(|s| *s != Scalar::Bool) else { return vec![] };
    let at = |row: &Row| {
        let neutral = match row.neutral {
            Some(z) => Some(b::number(z, s).ok()?),
            None => None,
        };
        let op = b::lam2(("a", t.clone()), ("b", t.clone()), row.op).ok()?;
        Some(Operator { op, neutral, associative: row.associative, commutative: row.commutative })
    };
    ROWS.iter().filter_map(at).collect()
}

/// `+`, `*`, `min` and `max`, as patterns or lambdas.
fn common(t: &Type, rng: &mut Rng) -> Vec<Operator> {
    let scalar = t.as_vector().map_or(t, |(_, s)| s).as_scalar();
    if scalar.is_none_or(|s| s == Scalar::Bool) {
        return vec![];
    }
    let at = |p: Pattern, rng: &mut Rng| {
        // With its operands in the other order, the smaller of two zeros is another one.
        let (pattern, swapped) = (rng.below(2) == 0, rng.below(2) == 0);
        let op = if pattern {
            b::pattern(p, vec![], &[t.clone(), t.clone()]).ok()?
        } else {
            let apply = |x, y| b::apply(p, Vec::<Arg>::new(), if swapped { vec![y, x] } else { vec![x, y] });
            b::lam2(("a", t.clone()), ("b", t.clone()), apply).ok()?
        };
        let neutral = neutral(&op, t);
        Some(Operator { op, neutral, associative: true, commutative: true })
    };
    [Pattern::Add, Pattern::Mul, Pattern::Min, Pattern::Max].into_iter().filter_map(|p| at(p, rng)).collect()
}

/// What is neutral for a known operator on scalars.
fn neutral(op: &Term, t: &Type) -> Option<Term> {
    let s = t.as_scalar()?;
    let candidates: Vec<Term> = if s.is_float() {
        [0.0, 1.0].into_iter().map(|v| Term::lit(Literal::float(v, s))).collect()
    } else {
        let (least, most) = s.extremes();
        [0, 1, least, most].into_iter().filter_map(|v| Literal::number(v, s).map(Term::lit)).collect()
    };
    candidates.into_iter().find(|z| crate::rule::operators::is_neutral(op, z))
}

/// What the user has declared, of operators on data of known sizes.
pub(super) fn declared(known: &Properties) -> Vec<Operator> {
    let all = known.associative.iter().chain(&known.commutative).chain(known.neutral.iter().map(|(f, _)| f));
    let mut ops: Vec<Term> = vec![];
    for op in all {
        let mut sized = true;
        op.ty().for_each_nat(&mut |n| sized &= n.as_constant().is_some());
        if sized && !ops.contains(op) {
            ops.push(op.clone());
        }
    }
    let with = |op: Term| Operator {
        associative: known.is_associative(&op),
        commutative: known.is_commutative(&op),
        neutral: known.neutral.iter().find(|(f, _)| *f == op).map(|(_, z)| z.clone()),
        op,
    };
    ops.into_iter().map(with).collect()
}

/// What is known of the operators that no table has.
pub(super) fn known() -> Properties {
    let numbers = Scalar::ALL.into_iter().filter(|s| *s != Scalar::Bool).map(Type::scalar);
    let mut out = Properties::default();
    for operator in numbers.chain([composable()]).flat_map(|t| uncommon(&t)) {
        let Operator { op, neutral, associative, commutative } = operator;
        out.neutral.extend(neutral.map(|z| (op.clone(), z)));
        out.commutative.extend(commutative.then(|| op.clone()));
        out.associative.extend(associative.then_some(op));
    }
    out
}

/// An operator on a type that has what is asked, and every other time nothing else.
pub(super) fn draw(t: &Type, asked: Has, declared: &[Operator], rng: &mut Rng) -> Option<Operator> {
    let mut all = uncommon(t);
    let own = declared.iter().filter(|o| o.operand() == *t).cloned();
    if rng.below(3) == 0 || all.is_empty() {
        all = common(t, rng);
    }
    all.extend(own);
    all.retain(|o| o.has().covers(asked));
    let exactly: Vec<Operator> = all.iter().filter(|o| o.has() == asked).cloned().collect();
    let from = if exactly.is_empty() || rng.below(2) == 0 { all } else { exactly };
    from.get(rng.below(from.len().max(1) as u64) as usize)
        .cloned()
        .or_else(|| common(t, rng).into_iter().find(|o| o.has().covers(asked)))
}

/// Pairs as functions `x -> a x + b`, for [`composed`].
pub(super) fn composable() -> Type {
    let number = Type::scalar(Scalar::I32);
    Type::pair(number.clone(), number)
}

/// What composes two functions `x -> a x + b`: associative, with a neutral value, and not commutative.
fn composed() -> Option<Operator> {
    let t = composable();
    let op = b::lam2(("f", t.clone()), ("g", t), |f, g| {
        let slope = b::mul(b::fst(f.clone())?, b::fst(g.clone())?)?;
        let start = b::add(b::mul(b::fst(f.clone())?, b::snd(g)?)?, b::snd(f)?)?;
        b::make_pair(slope, start)
    });
    let identity = b::make_pair(b::number(1, Scalar::I32).ok()?, b::number(0, Scalar::I32).ok()?).ok()?;
    Some(Operator { op: op.ok()?, neutral: Some(identity), associative: true, commutative: false })
}

#[cfg(test)]
mod tests {
    use super::super::property::{Property, refute};
    use super::*;

    #[test]
    fn every_row_is_what_it_says() {
        for s in [Scalar::I32, Scalar::U8, Scalar::F32] {
            for operator in uncommon(&Type::scalar(s)).iter().chain(&composed()) {
                let (op, has) = (&operator.op, operator.has());
                assert_eq!(refute(op, &Property::Associative).is_none(), has.associative, "{op:?}");
                assert_eq!(refute(op, &Property::Commutative).is_none(), has.commutative, "{op:?}");
                if let Some(z) = &operator.neutral {
                    assert_eq!(refute(op, &Property::Neutral(z.clone())), None, "{op:?} {z:?}");
                }
            }
        }
    }

    #[test]
    fn every_set_of_properties_has_an_operator_with_no_others() {
        let rows = uncommon(&Type::scalar(Scalar::I32));
        for bits in 1..8 {
            let asked = Has { associative: bits & 1 > 0, commutative: bits & 2 > 0, neutral: bits & 4 > 0 };
            assert!(rows.iter().any(|o| o.has() == asked), "{asked:?}");
        }
    }
}
