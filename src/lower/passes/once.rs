//! Loops that a work-item runs at most once: nothing is left of them but the question whether it has an iteration, and
//! not even that where it surely has. Where all work-items of a kernel run a loop equally often, it counts to that, so that
//! drivers can unroll it.

use super::simplify;
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, Workers};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Nat, Ranges};

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    if !p.body.any(&mut |c| matches!(c.kind(), Kind::For(l) if l.kind.is_of_work_items())) {
        return Ok(p);
    }
    let mut ranges = p.ranges();
    p.body = once(&p.body, &mut ranges, names);
    simplify::run(p, names)
}

fn has_iteration(l: &Loop) -> Phrase {
    let init = Phrase::nat(l.init.clone());
    if l.n == Nat::constant(1) {
        return Phrase::equal(init, Phrase::nat(Nat::constant(0)));
    }
    Phrase::less(init, Phrase::nat(l.n.clone()))
}

fn once(c: &Phrase, ranges: &mut Ranges, names: &mut Names) -> Phrase {
    let Kind::For(l) = c.kind() else {
        let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(once(d, ranges, names)));
        return c;
    };
    if l.kind.is_of_work_items() && l.is_at_most_once(ranges) {
        let body = once(&Phrase::only_iteration(l, names), ranges, names);
        return match l.init.is_less(&l.n, ranges) {
            Some(true) => body,
            _ => Phrase::if_else(has_iteration(l), body, Phrase::skip()).with_origin(&names.origin(&l.var)),
        };
    }
    if let Some(counted) = counted(l, ranges, names) {
        return once(&counted, ranges, names);
    }
    ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
    let body = once(&l.body, ranges, names);
    ranges.remove(&l.var);
    Phrase::for_loop(Loop { body, ..(**l).clone() })
}

/// The loop over work-items of which each runs as many iterations as any other, which is known, counting these.
fn counted(l: &Loop, ranges: &Ranges, names: &mut Names) -> Option<Phrase> {
    let LoopKind::Parallel(Workers::Global(_)) = l.kind else { return None };
    let (n, step) = (l.n.as_constant()?, l.step.as_constant()?);
    if n.checked_rem(step) != Some(0) || l.init.is_less(&l.step, ranges) != Some(true) {
        return None;
    }
    let var = names.fresh(&l.var);
    let at = l.init.add(&l.step.mul(&Nat::var(&var)));
    let body = l.body.with_number(&l.var, &at, names);
    Some(Phrase::for_each(LoopKind::Sequential, var, Nat::constant(n / step), body))
}
