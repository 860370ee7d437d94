//! How much a program computes and moves, in its own sizes: what rates (GFLOP/s, GB/s) are computed from.
//!
//! In comes a closed term, out come counts as symbolic sizes. A computation counts once where it is written and as
//! often as the patterns around it repeat it, but no more often than its result is read: of a `map` of which some elements are
//! taken, those count. Both sides of a `select` count, unless given sizes decide it. Bytes are those
//! of the inputs, as far as they are read, and of the output, each once: what must cross the memory bus at the least. Rates that
//! compare programs should take the counts of the high-level program, not those of its rewritten forms, which may compute things
//! twice.

mod counter;
mod tally;

use super::declared::unfolded;
use super::eval::Sizes;
use super::nat::{Atom, Monomial, Nat};
use super::term::Term;
use super::ty::{Type, TypeKind};
use counter::{Counter, Env, Given};
use num_traits::Signed;
use tally::Tally;

/// Counts in the sizes of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Floating-point operations: `+ - * / %`, negation, `min`, `max`, `abs`, and each function such as `sqrt`; on
    /// vectors once a lane.
    pub flops: Nat,
    /// The same on integers, positions excluded.
    pub integer_operations: Nat,
    /// Of what is read of the inputs.
    pub bytes_in: Nat,
    pub bytes_out: Nat,
}

/// The work of one run at given sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Work {
    pub flops: f64,
    pub integer_operations: f64,
    /// Bytes of what is read of the inputs, and of the output: each must be moved at least once.
    pub bytes: f64,
}

/// Counts the work of a program, a closed function of its inputs. What cannot be counted is 0; sizes without a value
/// count as 1.
pub fn of(program: &Term, sizes: &Sizes) -> Work {
    let size = |name: &str| sizes.get(name).map_or(1.0, |n| *n as f64);
    let value = |n: &Nat| n.approximately(&size).unwrap_or(0.0);
    match counted(program, sizes) {
        Some(c) => Work {
            flops: value(&c.flops),
            integer_operations: value(&c.integer_operations),
            bytes: value(&c.bytes_in) + value(&c.bytes_out),
        },
        None => Work { flops: 0.0, integer_operations: 0.0, bytes: 0.0 },
    }
}

/// The floating-point operations of a program. None where they cannot be counted, or a size that decides them has no value or
/// one that does not fit.
pub fn flops(program: &Term, sizes: &Sizes) -> Option<f64> {
    let flops = counted(program, sizes)?.flops.eval(&|name| sizes.get(name).copied());
    flops.ok().map(|n| n as f64)
}

/// Counts the work of a program in its own sizes. None when the term unfolds to too much or is ill-typed, or when
/// counts leave the range of sizes.
pub fn counts(program: &Term) -> Option<Counts> {
    counted(program, &Sizes::default())
}

fn counted(program: &Term, sizes: &Sizes) -> Option<Counts> {
    program.with_stack(|| {
        let mut counter = Counter::new(Tally::new(sizes), Nat::constant(0));
        let program = &unfolded(program);
        let (params, result) = program.ty().signature();
        let mut computed = counter.eval(program, &Env::default())?;
        for param in &params {
            let input = counter.input(param)?;
            computed = counter.apply(&computed, Given::Value(input))?;
        }
        let cost = counter.total(&computed)?;
        let counts = Counts {
            flops: cost.float,
            integer_operations: cost.integer,
            bytes_in: cost.bytes,
            bytes_out: bytes(&result)?,
        };
        let all = [&counts.flops, &counts.integer_operations, &counts.bytes_in, &counts.bytes_out];
        if all.iter().any(|n| n.is_poison()) { None } else { Some(counts) }
    })
}

/// About how many operations a value takes, and how many elements it has: of their number, the products of sizes that grow
/// fastest. Each step of a reduction is at least one, also where it only compares. None where that is not known, or more than
/// products of sizes.
pub fn roughly(value: &Term) -> Option<Nat> {
    value.with_stack(|| {
        let none = Sizes::default();
        let mut counter = Counter::new(Tally::new(&none), Nat::constant(1));
        let value = &unfolded(value);
        let computed = counter.eval(value, &Env::default())?;
        let cost = counter.total(&computed)?;
        leading(&cost.float.add(&cost.integer).add(&elements(value.ty())?))
    })
}

/// The products of sizes that no other one has all factors of, with whole coefficients.
fn leading(n: &Nat) -> Option<Nat> {
    let is_product = |m: &Monomial| m.iter().all(|(atom, e)| *e > 0 && matches!(atom, Atom::Var(_)));
    let positive = || n.terms().iter().filter(|(_, c)| c.is_positive());
    if n.is_poison() || !positive().all(|(m, _)| is_product(m)) {
        return None;
    }
    let has_all = |a: &Monomial, b: &Monomial| b.iter().all(|(x, e)| a.iter().any(|(y, f)| x == y && f >= e));
    let is_leading = |m: &Monomial| !positive().any(|(other, _)| other != m && has_all(other, m));
    Some(Nat::from_terms(positive().filter(|(m, _)| is_leading(m)).map(|(m, c)| (m.clone(), c.ceil()))))
}

/// The scalars of a value; none of functions.
pub fn elements(ty: &Type) -> Option<Nat> {
    Some(match ty.kind() {
        TypeKind::Vector(n, t) | TypeKind::Array(n, t) => n.mul(&elements(t)?),
        TypeKind::Pair(a, b) => elements(a)?.add(&elements(b)?),
        TypeKind::Fun(..) => return None,
        _ => Nat::constant(1),
    })
}

/// The bytes of a value in memory, without padding; none of functions.
pub fn bytes(ty: &Type) -> Option<Nat> {
    Some(match ty.kind() {
        TypeKind::Vector(n, t) | TypeKind::Array(n, t) => n.mul(&bytes(t)?),
        TypeKind::Pair(a, b) => bytes(a)?.add(&bytes(b)?),
        _ => Nat::constant(ty.in_memory()?.bytes() as i64),
    })
}

#[cfg(test)]
mod tests;
