//! What sizes decide: which side of a `select` that compares them is computed, the other one being there for other sizes.

use super::eval::Sizes;
use super::literal::Literal;
use super::pattern::Pattern;
use super::root::{Root, Roots};
use super::term::{Expr, Term};
use rustc_hash::FxHashMap;

/// Whether a condition holds that asks for nothing but sizes; none where these do not decide it.
pub fn holds(condition: &Term, sizes: &Sizes) -> Option<bool> {
    use Pattern as P;
    let size = |t: &Term| match t.expr() {
        Expr::Lit(Literal::Nat(n)) => n.eval(&|name| sizes.get(name).copied()).ok(),
        _ => None,
    };
    let (head, operands) = condition.as_pattern_app()?;
    match (head.pattern, operands.as_slice()) {
        (P::Not, [a]) => holds(a, sizes).map(|a| !a),
        (both @ (P::And | P::Or), [a, b]) => {
            // One of them may decide it alone.
            let alone = both == P::Or;
            match (holds(a, sizes), holds(b, sizes)) {
                (Some(a), _) | (_, Some(a)) if a == alone => Some(alone),
                (Some(_), Some(_)) => Some(!alone),
                _ => None,
            }
        }
        (comparison, [a, b]) if comparison.is_comparison() => {
            let (a, b) = (size(a)?, size(b)?);
            match comparison {
                P::Lt => Some(a < b),
                P::Le => Some(a <= b),
                P::Gt => Some(a > b),
                P::Ge => Some(a >= b),
                P::Equal => Some(a == b),
                P::NotEqual => Some(a != b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The side of a `select` that sizes decide.
pub fn side<'t>(term: &'t Term, sizes: &Sizes) -> Option<&'t Term> {
    let (_, parts) = term.as_pattern_app().filter(|(head, _)| head.pattern == Pattern::Select)?;
    let [condition, yes, no] = parts[..] else { return None };
    holds(condition, sizes).map(|holds| if holds { yes } else { no })
}

/// The term with that side alone in the place of each `select` that sizes decide.
pub fn decided(term: &Term, sizes: &Sizes) -> Term {
    term.with_stack(|| go(term, sizes, &mut FxHashMap::default()))
}

fn go(t: &Term, sizes: &Sizes, known: &mut FxHashMap<*const (), Term>) -> Term {
    const CHOICE: Root = Root::pattern(Pattern::Select, 3);
    if t.roots().has_none_of(Roots::from(CHOICE)) {
        return t.clone();
    }
    if let Some(done) = known.get(&t.node()) {
        return done.clone();
    }
    let out = match side(t, sizes) {
        Some(side) => go(side, sizes, known),
        None => t.with_children(t.children().into_iter().map(|child| go(child, sizes, known)).collect()),
    };
    known.insert(t.node(), out.clone());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::FileId;
    use crate::eval::sizes;

    fn program(text: &str) -> Term {
        crate::infer::program(&crate::syntax::parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term
    }

    #[test]
    fn a_choice_by_size_is_the_side_that_sizes_decide() {
        let with = |body: &str| program(&format!("def f {{n m: nat}} (a: n.m.f32) (x: f32) = {body}"));
        let all = |condition: &str| with(&format!("a |> map (map (\\y. select ({condition}) y x))"));
        let (first, second) = (with("a |> map (map (\\y. y))"), with("a |> map (map (\\y. x))"));
        for (condition, is_first) in [
            ("n < 8", false),
            ("n <= 8", true),
            ("n > m", true),
            ("n >= m + 6", false),
            ("n == m", false),
            ("n != m", true),
            ("n < 9 and m < 4", true),
            ("n < 9 and not (m < 4)", false),
            ("n < 8 or m < 4", true),
        ] {
            let known = sizes([("n", 8), ("m", 3)]);
            assert_eq!(
                decided(&all(condition), &known),
                if is_first { first.clone() } else { second.clone() }
            );
            assert_eq!(decided(&all(condition), &sizes([])), all(condition), "{condition}");
        }
        // One of two may decide it alone; data does not.
        let few = sizes([("n", 8)]);
        assert_eq!(decided(&all("m < 4 or n < 9"), &few), first);
        assert_eq!(decided(&all("m < 4 and n < 8"), &few), second);
        assert_eq!(decided(&all("m < 4 and n < 9"), &few), all("m < 4 and n < 9"));
        assert_eq!(decided(&all("x < 4"), &few), all("x < 4"));
    }
}
