//! The roots of terms that rules rewrite.

use super::pat::{Pat, PatNode};
use super::{Body, Rule, RuleArg};
use crate::lang::root::{Head, Root};

/// The root of every term that a left side matches, where that is one.
fn matched(side: &Pat) -> Option<Root> {
    if let Some((p, args)) = side.head() {
        return Some(Root::pattern(p, args));
    }
    let lambda = |args| Some(Root { head: Head::Lambda, args });
    match &side.node {
        PatNode::Lam(..) => lambda(0),
        PatNode::App(f, _) if matches!(f.node, PatNode::Lam(..)) => lambda(1),
        PatNode::Lit(_) => Some(Root { head: Head::Literal, args: 0 }),
        _ => None,
    }
}

impl Rule {
    /// The roots of all terms that the rule may rewrite with these arguments; none where these may be any.
    pub fn roots(&self, args: &[RuleArg]) -> Option<Vec<Root>> {
        if let Body::Procedure(p) = &*self.body {
            return p.roots.map(<[Root]>::to_vec);
        }
        let eq = self.equation(args)?;
        eq.applied.iter().chain([&eq.sides]).map(|sides| matched(&sides.lhs)).collect()
    }
}
