//! `iterate k (/\l. f)`, whose steps change the size: `f` takes `l*n` elements and returns `l`, whatever `l` is.
//!
//! In a term, `l` is a size of a name that cannot be written; it stands in the types of the step and of the pattern, and
//! means something there alone. A step inside a step knows another size.

use super::nat::{Name, Nat, NatVar};
use super::path::Path;
use super::pattern::Pattern;
use super::term::{Expr, Term};
use super::ty::{Type, TypeSubst};
use rustc_hash::FxHashSet;

/// The most steps.
pub const MOST: i64 = 64;

/// What the type of the pattern says of the steps.
pub struct Steps {
    /// The size after a step.
    pub size: Name,
    /// How many times as much there is before it.
    pub factor: Nat,
}

/// The name of the size of a step inside so many others.
pub fn size_of_step(depth: u32) -> Name {
    if depth == 0 { "%l".into() } else { format!("%l{}", depth + 1).into() }
}

/// Is this the size of a step?
pub fn is_size_of_step(name: &str) -> bool {
    name.starts_with("%l")
}

/// The type of `iterate k` for steps from `size * factor` to `size` elements, of which `left` are left in the end.
pub fn ty(steps: u32, size: &Nat, factor: &Nat, left: &Nat, element: &Type) -> Type {
    let array = |n: &Nat| Type::array(n.clone(), element.clone());
    let step = Type::fun(array(&size.mul(factor)), array(size));
    let first = left.mul(&factor.pow(steps));
    Type::function(&[step, array(&first)], array(left))
}

/// The steps of a pattern of this type; none when they keep the size.
pub fn of(pattern: &Type) -> Option<Steps> {
    let (before, after) = pattern.as_fun()?.0.as_fun()?;
    between(before, after)
}

/// The steps between arrays of these types.
pub fn between(before: &Type, after: &Type) -> Option<Steps> {
    let ((before, s), (after, t)) = (before.as_array()?, after.as_array()?);
    let Some(NatVar::Named(size)) = after.as_variable() else { return None };
    let factor = before.exact_div(after);
    let other = s != t || factor.vars().contains(&NatVar::Named(size.clone()));
    (!other && factor.as_constant() != Some(1)).then(|| Steps { size: size.clone(), factor })
}

/// The name of a size, and what takes its place.
pub struct Put<'a>(pub &'a Name, pub Nat);

impl TypeSubst for Put<'_> {
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        matches!(v, NatVar::Named(n) if n == self.0).then(|| self.1.clone())
    }
}

/// Does the size stand anywhere in the term?
pub fn mentions(t: &Term, size: &Name) -> bool {
    let is = |n: &Nat| n.vars().contains(&NatVar::Named(size.clone()));
    let mut seen = FxHashSet::default();
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if !seen.insert(t.digest()) {
            continue;
        }
        let mut found = false;
        t.ty().for_each_nat(&mut |n| found |= is(n));
        found |= match t.expr() {
            Expr::Prim(p) => p.args.iter().any(|a| a.vars().contains(&NatVar::Named(size.clone()))),
            Expr::Lit(l) => l.sizes().into_iter().any(is),
            _ => false,
        };
        if found {
            return true;
        }
        stack.extend(t.children());
    }
    false
}

/// The sizes of the steps that stand around a position.
pub fn around(t: &Term, path: &Path) -> Vec<Name> {
    let mut out = vec![];
    let mut at = t;
    for step in path.steps() {
        if let (Some((f, _)), 1) = (at.as_app(), *step)
            && f.as_pattern() == Some(Pattern::Iterate)
        {
            out.extend(of(f.ty()).map(|s| s.size));
        }
        match at.children().get(usize::from(*step)) {
            Some(child) => at = child,
            None => return out,
        }
    }
    out
}

/// Has a variable from outside of the step a type that the step's size stands in?
fn is_known_outside(step: &Term, size: &Name) -> bool {
    fn go(t: &Term, depth: u32, size: &Name) -> bool {
        match t.expr() {
            Expr::Var(i) => *i >= depth && mentions(t, size),
            Expr::Lam(_, b) => go(b, depth + 1, size),
            Expr::App(f, e) => go(f, depth, size) || go(e, depth, size),
            Expr::Prim(_) | Expr::Lit(_) => false,
        }
    }
    !step.is_closed() && go(step, 0, size)
}

impl Steps {
    /// The functions of the steps in order, the first one first, of which the last returns `left` elements. None when
    /// the step is not written out: then it is known outside.
    pub fn each(&self, step: &Term, count: u32, left: &Nat) -> Option<Vec<Term>> {
        if is_known_outside(step, &self.size) {
            return None;
        }
        let sizes = (0..count).rev().map(|later| left.mul(&self.factor.pow(later)));
        Some(sizes.map(|size| step.map_types(&Put(&self.size, size))).collect())
    }
}
