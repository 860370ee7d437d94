//! A function that a sketch writes out, `\x. f x`, is `f` in a program in normal form: such a sketch is met by both.

use super::{Shape, Sketch};

impl Sketch {
    /// For `\x. f x`, where `f` is a pattern or a variable applied to what does not mention `x`: `f`.
    pub(super) fn eta_reduced(&self) -> Option<Sketch> {
        let Shape::Lam(body) = self.shape() else { return None };
        // `\x y. f x y` is `\x. f x`.
        let inner = matches!(body.bare().shape(), Shape::Lam(_)).then(|| body.bare().eta_reduced());
        let body = match &inner {
            Some(inner) => inner.as_ref()?,
            None => body,
        };
        let Shape::App(f, x) = body.bare().shape() else { return None };
        (matches!(x.bare().shape(), Shape::Var(0)) && has_known_head(f)).then(|| lowered(f, 0))?
    }
}

/// Is it clear that what is described is a function, and which?
fn has_known_head(f: &Sketch) -> bool {
    match f.bare().shape() {
        Shape::App(f, _) => has_known_head(f),
        shape => matches!(shape, Shape::Pattern(..) | Shape::Var(_)),
    }
}

/// The sketch outside of a binder; None where it mentions what that binds.
fn lowered(s: &Sketch, binder: u32) -> Option<Sketch> {
    let all = |all: &[Sketch]| all.iter().map(|s| lowered(s, binder)).collect::<Option<Vec<Sketch>>>();
    Some(Sketch::new(match s.shape() {
        Shape::Var(i) if *i == binder => return None,
        Shape::Var(i) => Shape::Var(if *i > binder { i - 1 } else { *i }),
        Shape::Any | Shape::Pattern(..) | Shape::Number(_) | Shape::Sizes(_) => return Some(s.clone()),
        Shape::Lam(body) => Shape::Lam(lowered(body, binder + 1)?),
        Shape::App(f, e) => Shape::App(lowered(f, binder)?, lowered(e, binder)?),
        Shape::Contains(s) => Shape::Contains(lowered(s, binder)?),
        Shape::Not(s) => Shape::Not(lowered(s, binder)?),
        Shape::Typed(s, t) => Shape::Typed(lowered(s, binder)?, t.clone()),
        Shape::Named(label, s) => Shape::Named(label.clone(), lowered(s, binder)?),
        Shape::Or(parts) => Shape::Or(all(parts)?),
        Shape::And(parts) => Shape::And(all(parts)?),
    }))
}
