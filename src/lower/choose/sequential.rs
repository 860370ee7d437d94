//! Programs without threads and work-items: they compute the same, one thing after the other.

use crate::lang::pattern::{AddressSpace, Level, Pattern};
use crate::lang::sort::Sort;
use crate::lang::term::{Arg, Expr, Term};

/// The term with sequential loops for parallel ones, but for the patterns to keep.
pub fn sequential(t: &Term, keep: &dyn Fn(Pattern) -> bool) -> Term {
    if let Expr::Prim(p) = t.expr()
        && matches!(p.pattern.level(), Level::OpenMp | Level::OpenCl)
        && !keep(p.pattern)
    {
        let (plain, args) = match p.pattern.sort() {
            Sort::Map(_) => (Pattern::MapSeq, vec![]),
            Sort::Reduce(_) => (Pattern::ReduceSeq, vec![Arg::Addr(AddressSpace::Private)]),
            _ => (Pattern::Id, vec![]),
        };
        return Term::prim(plain, args, t.ty().clone()).with_origin(&t.origin());
    }
    let children: Vec<Term> = t.children().into_iter().map(|c| sequential(c, keep)).collect();
    if children.is_empty() { t.clone() } else { t.with_children(children) }
}
