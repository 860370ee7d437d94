//! The operators that rules are tried with: for every set of properties some that have these and no others.
//!
//! Most are not determined by one operand, and those that choose between their operands choose differently by what these are:
//! `5 · 3 · 5 · 0` and `5 · 3 · 0` are the same for the first number, the last and the least, but not for the last that is not
//! zero. Numbers that are special to one of them are below [`SPECIAL`].

use crate::lang::build as b;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::Scalar;

/// An operator and what is known of it.
pub(super) struct Row {
    /// `A` associative, `C` commutative, `I` idempotent.
    pub is: &'static str,
    pub neutral: Option<i64>,
    pub on: Numbers,
    pub op: fn(Term, Term) -> b::Built,
}

/// The numbers that an operator is on: what is so of integers that wrap around may not be of floats, or the other way round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    All,
    Integers,
    Floats,
}

use Numbers::{All, Floats, Integers};

/// Zeros, neutral values, and what operators treat in a way of its own are below this.
pub(super) const SPECIAL: u64 = 6;

/// Operators on numbers of any type. What is said of them is so in wrapping and in exact arithmetic, NaN and infinities
/// included, and nothing else is (`every_row_is_what_it_says`).
pub(super) const ROWS: [Row; 37] = [
    Row { is: "A", neutral: None, on: All, op: |x, _| at_most_two(&x) },
    Row { is: "A", neutral: None, on: Integers, op: |x, y| first_odd(&x, &y, b::mul) },
    Row { is: "A", neutral: None, on: Integers, op: |x, y| first_odd(&y, &x, b::mul) },
    Row { is: "A", neutral: None, on: Floats, op: |x, y| first_negative(&x, &y, sum_and_one) },
    Row { is: "A", neutral: None, on: Floats, op: |x, y| first_negative(&y, &x, sum_and_one) },
    Row { is: "C", neutral: None, on: All, op: product_and_one },
    // What they have but for rounding and overflow, as what is declared of operators on floats.
    Row {
        is: "C",
        neutral: None,
        on: Floats,
        op: |x, y| b::add(b::mul(b::div(x.clone(), number(&x, 10)?)?, y)?, one(&x)?),
    },
    Row {
        is: "I",
        neutral: None,
        on: Floats,
        op: |x, y| b::div(b::add(b::add(x.clone(), y.clone())?, y)?, number(&x, 3)?),
    },
    Row { is: "CI", neutral: None, on: Floats, op: |x, y| b::div(b::add(x.clone(), y)?, number(&x, 2)?) },
    Row { is: "I", neutral: None, on: All, op: |x, y| unless_same(&x, &y, b::sub(x.clone(), y.clone())?) },
    Row { is: "AC", neutral: None, on: Integers, op: |x, y| b::mul(b::add(x.clone(), x)?, y) },
    Row { is: "AC", neutral: None, on: Floats, op: |x, y| sum_and_one(b::abs(x)?, b::abs(y)?) },
    Row { is: "AI", neutral: None, on: All, op: |a, _| Ok(a) },
    Row { is: "AI", neutral: None, on: All, op: |_, b| Ok(b) },
    Row { is: "AI", neutral: None, on: All, op: |x, y| last_above_one(&x, &y) },
    Row { is: "AI", neutral: None, on: All, op: |x, y| last_above_one(&y, &x) },
    Row { is: "AI", neutral: None, on: All, op: |x, y| retracted(&x, &y) },
    Row { is: "AI", neutral: None, on: All, op: |x, y| retracted(&y, &x) },
    Row { is: "AI", neutral: None, on: Integers, op: |x, y| b::add(even(&x)?, last_bit(&y)?) },
    Row {
        is: "CI",
        neutral: None,
        on: All,
        op: |x, y| unless_same(&x, &y, product_and_one(x.clone(), y.clone())?),
    },
    Row { is: "ACI", neutral: None, on: All, op: |x, y| unless_same(&x, &y, nothing(&x, &y)?) },
    Row {
        is: "ACI",
        neutral: None,
        on: Integers,
        op: |x, y| {
            unless_same(&x, &y, even(&b::apply(Pattern::BitAnd, vec![], vec![x.clone(), y.clone()])?)?)
        },
    },
    Row { is: "", neutral: Some(0), on: All, op: |x, y| unless_zero(&x, &y, b::sub(x.clone(), y.clone())?) },
    Row { is: "A", neutral: Some(0), on: All, op: |x, y| unless_zero(&x, &y, at_most_two(&x)?) },
    Row { is: "A", neutral: Some(0), on: Integers, op: |x, y| first_odd(&x, &y, b::add) },
    Row { is: "A", neutral: Some(0), on: Integers, op: |x, y| first_odd(&y, &x, b::add) },
    Row { is: "A", neutral: Some(0), on: Floats, op: |x, y| first_negative(&x, &y, b::add) },
    Row { is: "A", neutral: Some(0), on: Floats, op: |x, y| first_negative(&y, &x, b::add) },
    Row {
        is: "C",
        neutral: Some(0),
        on: All,
        op: |x, y| unless_zero(&x, &y, product_and_one(x.clone(), y.clone())?),
    },
    Row {
        is: "I",
        neutral: Some(0),
        on: All,
        op: |x, y| unless_zero(&x, &y, unless_same(&x, &y, b::sub(x.clone(), y.clone())?)?),
    },
    Row { is: "AC", neutral: Some(1), on: All, op: |x, y| b::sub(b::add(x.clone(), y)?, one(&x)?) },
    Row { is: "AI", neutral: Some(0), on: All, op: |x, y| or_else(&x, y, x.clone()) },
    Row { is: "AI", neutral: Some(0), on: All, op: |x, y| or_else(&y, x, y.clone()) },
    Row { is: "AI", neutral: Some(0), on: All, op: |x, y| unless_zero(&x, &y, retracted(&x, &y)?) },
    Row { is: "AI", neutral: Some(0), on: All, op: |x, y| unless_zero(&x, &y, retracted(&y, &x)?) },
    Row {
        is: "CI",
        neutral: Some(0),
        on: All,
        op: |x, y| unless_same(&x, &y, b::add(x.clone(), y.clone())?),
    },
    Row {
        is: "ACI",
        neutral: Some(0),
        on: All,
        op: |x, y| unless_zero(&x, &y, unless_same(&x, &y, b::add(nothing(&x, &y)?, one(&x)?)?)?),
    },
];

/// Operators on truth values, but for those of the table.
pub(super) const ROWS_OF_TRUTH: [Row; 4] = [
    Row { is: "AI", neutral: None, on: All, op: |a, _| Ok(a) },
    Row { is: "AI", neutral: None, on: All, op: |_, b| Ok(b) },
    Row { is: "C", neutral: None, on: All, op: |x, y| b::not(b::and(x, y)?) },
    Row { is: "AC", neutral: Some(0), on: All, op: |x, y| b::select(x, b::not(y.clone())?, y) },
];

impl Row {
    /// Is it an operator on these scalars?
    pub fn fits(&self, s: Scalar) -> bool {
        match self.on {
            All => true,
            Integers => s.is_integer(),
            Floats => s.is_float(),
        }
    }
}

/// A number, or the truth value that it stands for.
pub(super) fn scalar(value: i64, s: Scalar) -> b::Built {
    if s == Scalar::Bool {
        Ok(Term::lit(crate::lang::literal::Literal::Bool(value != 0)))
    } else {
        b::number(value, s)
    }
}

fn number(like: &Term, value: i64) -> b::Built {
    scalar(value, like.ty().as_scalar().unwrap_or(Scalar::I32))
}

fn one(like: &Term) -> b::Built {
    number(like, 1)
}

fn is(x: &Term, value: i64) -> b::Built {
    b::equal(x.clone(), number(x, value)?)
}

/// A float that is what it was but for rounding: the mean of it and of what is left of it when a large number, which depends on
/// another float, is added and taken away again, of which small numbers leave nothing. Done again it changes the float again, as
/// what is rounded alone does not: a rule may apply an operator once more than it asks for.
pub(super) fn disturbed(value: Term, by: Term) -> b::Built {
    let large = number(&value, if value.ty().as_scalar() == Some(Scalar::F16) { 2_000 } else { 30_000_000 })?;
    let bounded = b::max(b::min(by, large.clone())?, number(&value, 0)?)?;
    let large = b::add(bounded, large)?;
    let rounded = b::sub(b::add(value.clone(), large.clone())?, large)?;
    let half = |v: Term| b::div(v.clone(), number(&v, 2)?);
    b::add(half(value)?, half(rounded)?)
}

/// `min x 2`, which done twice is done once, and zero of zero alone.
fn at_most_two(x: &Term) -> b::Built {
    b::min(x.clone(), number(x, 2)?)
}

/// Zero, or no number where one of these is infinite or none.
fn nothing(x: &Term, y: &Term) -> b::Built {
    b::add(b::sub(x.clone(), x.clone())?, b::sub(y.clone(), y.clone())?)
}

/// `x * y + 1`
fn product_and_one(x: Term, y: Term) -> b::Built {
    b::add(b::mul(x.clone(), y)?, one(&x)?)
}

/// `x + y + 1`
fn sum_and_one(x: Term, y: Term) -> b::Built {
    b::add(b::add(x.clone(), y)?, one(&x)?)
}

/// `select (x == 0) then otherwise`
fn or_else(x: &Term, then: Term, otherwise: Term) -> b::Built {
    b::select(is(x, 0)?, then, otherwise)
}

/// The other one where one of them is zero.
fn unless_zero(x: &Term, y: &Term, otherwise: Term) -> b::Built {
    or_else(x, y.clone(), or_else(y, x.clone(), otherwise)?)
}

/// `select (x == y) x otherwise`
fn unless_same(x: &Term, y: &Term, otherwise: Term) -> b::Built {
    b::select(b::equal(x.clone(), y.clone())?, x.clone(), otherwise)
}

fn last_bit(x: &Term) -> b::Built {
    b::apply(Pattern::BitAnd, vec![], vec![x.clone(), one(x)?])
}

/// The integer without its last bit.
fn even(x: &Term) -> b::Built {
    b::sub(x.clone(), last_bit(x)?)
}

/// What this makes of even numbers, which is even, up to the first odd one: that it is then.
fn first_odd(x: &Term, y: &Term, combine: fn(Term, Term) -> b::Built) -> b::Built {
    let odd = |v: &Term| is(&last_bit(v)?, 1);
    b::select(odd(x)?, x.clone(), b::select(odd(y)?, y.clone(), combine(x.clone(), y.clone())?)?)
}

/// The same of numbers that are not negative, up to the first negative one.
fn first_negative(x: &Term, y: &Term, combine: fn(Term, Term) -> b::Built) -> b::Built {
    let negative = |v: &Term| b::lt(v.clone(), number(v, 0)?);
    b::select(negative(x)?, x.clone(), b::select(negative(y)?, y.clone(), combine(x.clone(), y.clone())?)?)
}

/// The last number that is neither zero nor one, or the last.
fn last_above_one(x: &Term, y: &Term) -> b::Built {
    let neither = |v: &Term| b::not(b::or(is(v, 0)?, is(v, 1)?)?);
    b::select(b::and(neither(x)?, b::not(neither(y)?)?)?, x.clone(), y.clone())
}

/// The composition of functions: a number stands for the constant function, but 3 and 4 for two that keep what is at most 2 and
/// give 1 and 2 for all else. Both give the same numbers, so that of the two the second is their composition.
///
/// What repeats an operand is not the same as what does not, wherever it is repeated.
fn retracted(x: &Term, y: &Term) -> b::Built {
    let acts = |v: &Term| b::or(is(v, 3)?, is(v, 4)?);
    let two = number(x, 2)?;
    let kept = b::or(acts(y)?, b::not(b::gt(y.clone(), two.clone())?)?)?;
    b::select(acts(x)?, b::select(kept, y.clone(), b::sub(x.clone(), two)?)?, x.clone())
}
