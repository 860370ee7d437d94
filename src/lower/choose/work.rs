//! What a value costs to read: whether something is computed, and whether it has loops of its own.

use super::demand::Usage;
use crate::access::{is_moved_apart, moves};
use crate::dpia::signature::is_written;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Scalar;

/// Is something computed when elements of the value are read, beyond finding their place? What lies in memory by the
/// time it is read is not.
pub fn is_work(t: &Term) -> bool {
    use Pattern as P;
    let (head, args) = t.spine();
    match head.expr() {
        Expr::Var(_) | Expr::Lit(_) => false,
        Expr::Lam(_, body) => is_work(body) || args.iter().any(|a| is_work(a)),
        Expr::App(..) => true,
        Expr::Prim(p) => match p.pattern {
            p if p.is_read_through() || matches!(p, P::Cast | P::Concat | P::PadEmpty) => {
                args.iter().any(|a| is_work(a))
            }
            p if p.is_constant_arithmetic() => !is_constant(t),
            _ => true,
        },
    }
}

/// Does the value have loops of its own in which it can be written? A `map` that only copies is one: it was put there to
/// say in which order.
pub fn has_loops(t: &Term) -> bool {
    use Pattern as P;
    if is_work(t) {
        return true;
    }
    match t.as_pattern_app() {
        Some((p, args)) => match (p.pattern, args.as_slice()) {
            (P::Map, [f, xs]) => {
                if is_writable_layout(f) {
                    has_loops(xs)
                } else {
                    is_loop_body(f)
                }
            }
            (p, [xs]) if p.is_moved() => has_loops(xs),
            (P::Take, [xs]) => has_chosen_loops(xs),
            (P::Select, [_, a, b]) => has_loops(a) || has_loops(b),
            // Each part is written by itself, and no part that has no value.
            (P::Concat | P::PadEmpty, _) => true,
            _ => false,
        },
        None => false,
    }
}

/// Is the value made of computed vectors, or zipped from such values? It is written vector by vector.
pub fn is_of_vectors(t: &Term) -> bool {
    match t.as_pattern_app() {
        Some((p, args)) => match (p.pattern, args.as_slice()) {
            (Pattern::AsScalar, [xs]) => has_loops(xs),
            (Pattern::Zip, [a, b]) => is_of_vectors(a) && is_of_vectors(b),
            _ => false,
        },
        None => false,
    }
}

/// Does the function copy one element, or loop over those of its parameter?
fn is_loop_body(f: &Term) -> bool {
    f.as_lam().is_some_and(|(_, body)| !body.ty().has_array() || has_loops(body))
}

/// Is the value a float that the compiler computes?
fn is_constant(t: &Term) -> bool {
    let (head, args) = t.spine();
    match head.expr() {
        Expr::Lit(_) => t.ty().as_scalar().is_some_and(Scalar::is_float),
        Expr::Prim(p) => {
            p.pattern.is_constant_arithmetic() && t.ty().is_data() && args.iter().all(|a| is_constant(a))
        }
        _ => false,
    }
}

/// Can the value be read element by element, without anything to be done first for the whole?
pub fn is_view(t: &Term) -> bool {
    use Pattern as P;
    let (head, args) = t.spine();
    let function = |f: &Term| match f.as_lam() {
        Some((_, body)) => !body.ty().has_array() || is_view(body),
        None => false,
    };
    match head.expr() {
        Expr::Var(_) | Expr::Lit(_) => true,
        Expr::Lam(..) | Expr::App(..) => false,
        Expr::Prim(p) => match p.pattern {
            P::Let | P::ToMem => false,
            p if p.is_reduce() => false,
            P::Select | P::Idx => {
                args.first().is_some_and(|c| !is_work(c)) && args[1..].iter().all(|a| is_view(a))
            }
            _ => args.iter().all(|a| if a.ty().as_fun().is_some() { function(a) } else { is_view(a) }),
        },
    }
}

/// Can a value that is put together of parts be read in these, before it is lowered? Each read chooses the part, so nothing
/// may have to be computed or stored for a whole part, nor for an element again and again.
pub fn is_read_in_parts(t: &Term, usage: Usage) -> bool {
    let is_stored = |p: Pattern| is_written(p) || p == Pattern::Iterate;
    is_view(t)
        && (usage == Usage::Once || !is_work(t))
        && !t.has_leaf(&|leaf| leaf.as_pattern().is_some_and(is_stored))
}

/// Is the value written by loops that the program says, however few of their elements are taken? Where it leaves open how
/// elements are computed, only those that are taken are.
pub fn has_chosen_loops(t: &Term) -> bool {
    use Pattern as P;
    match t.as_pattern_app() {
        Some((p, args)) => match (p.pattern, args.as_slice()) {
            (P::Map, [f, xs]) => is_writable_part(f) && has_chosen_loops(xs),
            (p, _) if p.is_loop() => true,
            (p, [xs]) => {
                (p.is_moved() || matches!(p, P::Take | P::PadEmpty | P::OclRun)) && has_chosen_loops(xs)
            }
            _ => false,
        },
        None => false,
    }
}

/// Does the function only move elements, in a way that can be done while writing?
pub fn is_writable_layout(f: &Term) -> bool {
    moves(f, false, &is_moved_apart)
}

/// Does the function only move elements, take the first of them, or make room for more?
pub fn is_writable_part(f: &Term) -> bool {
    moves(f, false, &|p| is_moved_apart(p) || matches!(p, Pattern::Take | Pattern::PadEmpty))
}

/// Would the value be computed elsewhere, on the host or on the device, where the body uses it? In the body it is
/// variable 0.
pub fn changes_kernel(value: &Term, body: &Term) -> bool {
    fn has_kernel(t: &Term) -> bool {
        t.as_pattern() == Some(Pattern::OclRun) || t.children().into_iter().any(has_kernel)
    }
    fn is_used_in_kernel(t: &Term, x: u32) -> bool {
        if !t.has_free(x) {
            return false;
        }
        match t.expr() {
            Expr::Lam(_, b) => is_used_in_kernel(b, x + 1),
            Expr::App(f, _) if f.as_pattern() == Some(Pattern::OclRun) => true,
            _ => t.children().into_iter().any(|c| is_used_in_kernel(c, x)),
        }
    }
    has_kernel(value) || (is_work(value) && is_used_in_kernel(body, 0))
}
