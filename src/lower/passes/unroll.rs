//! Unrolls the loops that `mapSeqUnroll` and `reduceSeqUnroll` make.

use super::Imperative;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Nat;
use crate::lower::dpia::{Kind, LoopKind, Names, Phrase};

/// More copies than this make no kernel faster, and compilers choke on them.
const MAX_COPIES: i64 = 4096;

/// A loop whose bound is not known stays a loop.
///
/// # Errors
/// A loop with too many iterations.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let mut copies = 0;
    p.body = unroll(&p.body, names, 1, &mut copies)?;
    Ok(p)
}

fn unroll(c: &Phrase, names: &mut Names, outer: i64, copies: &mut i64) -> Result<Phrase, Diagnostic> {
    let Kind::For(l) = c.kind() else {
        return c.map_children(&mut |d| unroll(d, names, outer, copies));
    };
    let known = if l.kind == LoopKind::Unrolled && l.init.is_zero() && l.step == Nat::constant(1) {
        l.n.as_constant()
    } else {
        None
    };
    let Some(n) = known else { return c.map_children(&mut |d| unroll(d, names, outer, copies)) };
    *copies = copies.saturating_add(outer.saturating_mul(n));
    if *copies > MAX_COPIES {
        return Err(Diagnostic::error(
            "E0510",
            format!("Unrolling makes more than {MAX_COPIES} copies of loop bodies."),
        )
        .note(format!("The loop that is too much runs to {n}."))
        .hint("Use `mapSeq` or `reduceSeq` there, or split the loop and unroll its inner part."));
    }
    let body = unroll(&l.body, names, outer.saturating_mul(n), copies)?;
    Ok(Phrase::seq((0..n).map(|i| body.at_iteration(&l.var, &Nat::constant(i), names)).collect::<Vec<_>>()))
}
