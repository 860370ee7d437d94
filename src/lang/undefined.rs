//! Which cells of a result are undefined, where the interpreter is too slow to ask: a compiled program leaves some number
//! in the cells that `padEmpty` makes and in those that `scatter` writes nothing to. So it runs several times, each time with
//! other numbers there, and what differs is undefined.
//!
//! What a cell that is left undefined cannot change is defined: it is the same whatever a device finds there.

use super::build;
use super::declared::unfolded;
use super::literal::Literal;
use super::nat::Nat;
use super::pattern::Pattern;
use super::term::{Arg, Expr, Term};
use super::ty::{Scalar, Type, TypeKind};

/// What stands in undefined cells: the extremes of each type, and numbers between them that are unlike each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fill {
    Least,
    Greatest,
    /// The one between, or no number at all.
    Other,
    Zero,
}

/// The program with zeros for what `padEmpty` and `scatter` leave undefined. None when nothing is undefined.
pub fn zeroed(term: &Term) -> Option<Term> {
    let term = unfolded(term);
    if leaves_cells(&term) { with(&term, Fill::Zero) } else { None }
}

/// The program with numbers for what `padEmpty` and `scatter` leave undefined, in several ways. None when nothing is undefined.
/// It is to run in order, as plain C does: a `scatter` writes the numbers to all cells first, and then what it is given.
pub fn filled(term: &Term) -> Option<Vec<Term>> {
    let term = unfolded(term);
    if !leaves_cells(&term) {
        return None;
    }
    [Fill::Least, Fill::Greatest, Fill::Other].into_iter().map(|fill| with(&term, fill)).collect()
}

fn leaves_cells(t: &Term) -> bool {
    t.as_pattern() == Some(Pattern::PadEmpty)
        || is_partial_scatter(t)
        || t.children().into_iter().any(leaves_cells)
}

/// Is this a `scatter` to more cells than it is given? To as many it writes all of them, as each index occurs once.
fn is_partial_scatter(t: &Term) -> bool {
    if t.as_pattern() != Some(Pattern::Scatter) {
        return false;
    }
    let (params, result) = t.ty().signature();
    let length = |ty: &Type| ty.as_array().map(|(n, _)| n.clone());
    params.get(1).and_then(length) != length(&result)
}

/// `scatter` of values to all cells, and then of what it is given.
fn scattered(indices: Term, xs: Term, cells: &Nat, fill: Fill) -> Option<Term> {
    let (_, element) = xs.ty().as_array()?;
    let value = constant(element, fill)?;
    let each = |f: Term| build::generate(f).ok();
    let index = Type::index(cells.clone());
    let all = each(build::lam("i", index.clone(), Ok).ok()?)?;
    let values = each(build::lam("i", index, |_| Ok(value)).ok()?)?;
    build::scatter(build::concat(all, indices).ok()?, build::concat(values, xs).ok()?).ok()
}

/// `padCst 0 r value` for `padEmpty r`, and [`scattered`].
fn with(t: &Term, fill: Fill) -> Option<Term> {
    let (head, args) = t.spine();
    if is_partial_scatter(head)
        && let [indices, xs] = args.as_slice()
    {
        let (cells, _) = t.ty().as_array()?;
        return scattered(with(indices, fill)?, with(xs, fill)?, cells, fill);
    }
    if is_partial_scatter(t) {
        let (params, result) = t.ty().signature();
        let ([indices, xs], (cells, _)) = (params.as_slice(), result.as_array()?) else { return None };
        let misfit = || build::Misfit("There is no value of this type".into());
        let of = |indices, xs| scattered(indices, xs, cells, fill).ok_or_else(misfit);
        return build::lam2(("indices", indices.clone()), ("xs", xs.clone()), of).ok();
    }
    if let Expr::Prim(p) = t.expr()
        && p.pattern == Pattern::PadEmpty
    {
        let (xs, _) = t.ty().as_fun()?;
        let (_, element) = xs.as_array()?;
        let value = constant(element, fill)?;
        let args = [Arg::Nat(Nat::constant(0))].into_iter().chain(p.args.iter().cloned()).collect();
        let pad = Term::prim(Pattern::PadCst, args, Type::fun(element.clone(), t.ty().clone()));
        return Some(Term::app(pad, value));
    }
    let children = t.children();
    if children.is_empty() {
        return Some(t.clone());
    }
    Some(t.with_children(children.into_iter().map(|c| with(c, fill)).collect::<Option<_>>()?))
}

/// A value of the data type.
fn constant(ty: &Type, fill: Fill) -> Option<Term> {
    let one = Nat::constant(1);
    match ty.kind() {
        TypeKind::Scalar(Scalar::Bool) => Some(Term::lit(Literal::Bool(fill == Fill::Greatest))),
        TypeKind::Scalar(s) if s.is_float() => {
            let value = match fill {
                Fill::Least => -f64::from(60_000),
                Fill::Greatest => f64::from(60_000),
                Fill::Other => f64::NAN,
                Fill::Zero => 0.0,
            };
            Some(Term::lit(Literal::float(value, *s)))
        }
        TypeKind::Scalar(s) => {
            let (least, greatest) = s.extremes();
            let value = match fill {
                Fill::Least if s.is_signed_integer() => least,
                // Something may be divided by it.
                Fill::Least => 1,
                Fill::Greatest => greatest,
                Fill::Other => greatest / 3,
                Fill::Zero => 0,
            };
            Literal::number(value, *s).map(Term::lit)
        }
        TypeKind::NatType => Some(Term::lit(Literal::Nat(match fill {
            Fill::Greatest => Nat::constant(2),
            Fill::Zero => Nat::constant(0),
            _ => one,
        }))),
        TypeKind::Index(n) => {
            let i = if fill == Fill::Greatest { n.sub(&one) } else { Nat::constant(0) };
            Some(Term::lit(Literal::Index(i, n.clone())))
        }
        TypeKind::Pair(a, b) => build::make_pair(constant(a, fill)?, constant(b, fill)?).ok(),
        TypeKind::Vector(n, t) => build::vector_from_scalar(n, constant(t, fill)?).ok(),
        TypeKind::Array(n, t) => {
            let value = constant(t, fill)?;
            let f = build::lam("i", Type::index(n.clone()), |_| Ok(value)).ok()?;
            build::generate(f).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::filled;
    use crate::arbitrary::Draw;
    use crate::eval::{self, Limits, inputs};
    use crate::value::{Tolerance, Value};

    /// The fillings agree with the interpreter's undefined cells: filled programs mean the same wherever it is defined,
    /// and what differs between them is undefined.
    #[test]
    fn what_differs_between_fillings_is_undefined() {
        let none = eval::sizes([]);
        let (mut with_holes, mut differing) = (0, 0);
        for seed in 0..400 {
            let term = Draw::new(seed).program(6);
            let Some(filled) = filled(&term) else { continue };
            let inputs = inputs::for_program(term.ty(), &none, seed, inputs::Kind::SmallIntegers).unwrap();
            let run = |t| eval::run(t, &none, &inputs, &Limits { steps: 20_000, ..Limits::TEST });
            let Ok(expected) = run(&term) else { continue };
            with_holes += 1;
            let found: Vec<Value> = filled.iter().filter_map(|t| run(t).ok()).collect();
            for (t, value) in filled.iter().zip(&found) {
                t.check().unwrap();
                expected.agrees(value, Tolerance::Exact).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            }
            differing += usize::from(found.iter().any(|v| v.agrees(&found[0], Tolerance::Exact).is_err()));
        }
        assert!(with_holes > 20 && differing > 0, "{with_holes} {differing}");
    }
}
