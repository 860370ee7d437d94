//! Named and stored values.

use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::{Arg, Term};
use crate::lang::ty::Type;

pub fn to_mem(space: AddressSpace, t: Term) -> Term {
    let ty = Type::fun(t.ty().clone(), t.ty().clone());
    let pattern = Term::prim(Pattern::ToMem, vec![Arg::Addr(space)], ty).with_origin(&t.origin());
    Term::app(pattern, t)
}

/// `let value (\x. body)`; in the body, `x` is variable 0.
pub fn let_in(x: &str, value: Term, body: Term) -> Term {
    let f = Term::lam(x, value.ty().clone(), body);
    let ty = Type::function(
        &[value.ty().clone(), f.ty().clone()],
        f.ty().as_fun().map_or_else(Type::ill, |(_, r)| r.clone()),
    );
    let pattern = Term::prim(Pattern::Let, vec![], ty).with_origin(&value.origin());
    Term::apps(pattern, [value, f])
}

pub fn let_stored(x: &str, value: Term, body: Term) -> Term {
    let_in(x, to_mem(AddressSpace::Private, value), body)
}
