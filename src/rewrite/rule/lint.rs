//! What is worth knowing about a set of rules beyond their being well-typed: which say the same, which apply wherever
//! another does, which can apply to their own result for ever.
//!
//! A left side is turned into the most general term that it matches, with free variables for its own; what other
//! rules do to that term, they do to everything that the rule applies to.

use super::bindings::{Bindings, Bound};
use super::equation::Equation;
use super::instance::instantiate_plainly;
use super::matching::matches;
use super::pat::{Pat, PatNode};
use super::set::RuleSet;
use super::{ParamKind, Rule};
use crate::lang::nat::Nat;
use crate::lang::path::Path;
use crate::lang::pattern::AddressSpace;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::Type;
use std::fmt;

/// Something to know about a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub rule: Rule,
    pub kind: FindingKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// It does what another rule does, with the same conditions.
    Duplicate(Rule),
    /// It applies wherever another rule applies, and does something else there.
    Overlaps(Rule),
    /// It applies to its own result, so that repeating it does not end by itself.
    Expansive(Path),
    /// A variable of the left side is lost.
    Erases(String),
}

impl FindingKind {
    pub fn name(&self) -> &'static str {
        match self {
            FindingKind::Duplicate(_) => "duplicate",
            FindingKind::Overlaps(_) => "overlap",
            FindingKind::Expansive(_) => "expansive",
            FindingKind::Erases(_) => "erases",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.rule.name;
        match &self.kind {
            FindingKind::Duplicate(other) => write!(f, "`{name}` does the same as `{}`.", other.name),
            FindingKind::Overlaps(other) => {
                write!(f, "`{name}` applies wherever `{}` does, with another result.", other.name)
            }
            FindingKind::Expansive(at) if at.is_root() => {
                write!(f, "`{name}` applies to its own result: repeating it does not end.")
            }
            FindingKind::Expansive(at) => {
                write!(
                    f,
                    "`{name}` applies inside its own result (at {at}): repeating it everywhere does not end."
                )
            }
            FindingKind::Erases(v) => {
                write!(f, "`{name}` loses `{v}`: the left side has it, the right side does not.")
            }
        }
    }
}

/// Examines all rules that are equations.
pub fn lint(rules: &RuleSet) -> Vec<Finding> {
    let equations: Vec<(&Rule, &Equation, Sample)> = rules
        .rules()
        .filter_map(|r| {
            let eq = r.equations().first()?;
            Some((r, eq, Sample::of(eq)?))
        })
        .collect();
    let mut out = vec![];
    for (i, (rule, eq, sample)) in equations.iter().enumerate() {
        let mut find = |kind| out.push(Finding { rule: (*rule).clone(), kind });
        for v in &eq.vars {
            let index = eq.var(&v.name);
            let on = |side: &Pat| {
                side.nodes().iter().any(
                    |p| matches!(p.node, PatNode::Var(w, _) | PatNode::Vectorise(_, w) if Some(w) == index),
                )
            };
            if on(&eq.sides.lhs) && !on(&eq.sides.rhs) {
                find(FindingKind::Erases(v.name.to_string()));
            }
        }
        for (path, part) in sample.rhs.positions() {
            if matches(eq, &eq.sides.lhs, given(rule, eq), part).is_ok() {
                find(FindingKind::Expansive(path));
                break;
            }
        }
        for (j, (other, other_eq, other_sample)) in equations.iter().enumerate() {
            if i == j {
                continue;
            }
            // A bare variable on the left applies to everything; that is no news.
            if matches!(eq.sides.lhs.node, PatNode::Var(..)) {
                break;
            }
            let Ok(b) = matches(eq, &eq.sides.lhs, given(rule, eq), &other_sample.lhs) else { continue };
            let same = instantiate_plainly(&eq.sides.rhs, &b).is_ok_and(|t| t == other_sample.rhs);
            let conditions = |eq: &Equation| eq.conditions.iter().map(|c| c.text(eq)).collect::<Vec<_>>();
            if !same {
                find(FindingKind::Overlaps((*other).clone()));
            } else if i > j && conditions(eq) == conditions(other_eq) {
                find(FindingKind::Duplicate((*other).clone()));
            }
        }
    }
    out
}

/// The most general terms of the two sides.
struct Sample {
    lhs: Term,
    rhs: Term,
}

impl Sample {
    fn of(eq: &Equation) -> Option<Sample> {
        let mut b = Bindings::new(eq.vars.len(), eq.types.len(), eq.nats.len(), eq.slots.len());
        for (i, t) in eq.types.iter().enumerate() {
            b.types[i] = Some(Type::named(&t.name));
        }
        for (i, n) in eq.nats.iter().enumerate() {
            b.nats[i] = Some(Nat::var(n));
        }
        for slot in &mut b.slots {
            *slot = Some(Arg::Addr(AddressSpace::Private));
        }
        for (i, v) in eq.vars.iter().enumerate() {
            let k = v.scope.len() as u32;
            let head = Term::var(k + i as u32, v.function_type().subst(&b));
            let args = v.scope.iter().enumerate().map(|(j, (_, t))| Term::var(k - 1 - j as u32, t.subst(&b)));
            let term = Term::apps(head, args.collect::<Vec<_>>());
            b.terms[i] = Some(Bound { term, at: None });
        }
        Some(Sample {
            lhs: instantiate_plainly(&eq.sides.lhs, &b).ok()?,
            rhs: instantiate_plainly(&eq.sides.rhs, &b).unwrap_or_else(|_| Term::var(0, Type::ill())),
        })
    }
}

/// The parameters as sizes of their own names, so that a match does not stop for want of them.
fn given(rule: &Rule, eq: &Equation) -> Bindings {
    let mut b = Bindings::new(eq.vars.len(), eq.types.len(), eq.nats.len(), eq.slots.len());
    for p in &rule.params {
        if let ParamKind::Nat(i) = p.kind {
            b.nats[i] = Some(Nat::var(&p.name));
        }
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::source::Sources;
    use crate::rewrite::rule::load::Source;

    fn findings(text: &str) -> Vec<String> {
        let mut rules = RuleSet::default();
        let mut sources = Sources::new();
        let problems = rules.load(&mut sources, &[Source { label: "own.rules", text }]);
        assert!(problems.is_empty(), "{}", problems[0].render(&sources));
        lint(&rules).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_stands_out_is_found() {
        let same = "rule a = map f (map g xs) ~> map (\\y. f (g y)) xs
                    rule b = map h (map k ys) ~> map (\\z. h (k z)) ys";
        assert_eq!(findings(same)[..1], ["`b` does the same as `a`."]);
        let general = "rule a = transpose (transpose xs) ~> xs
                       rule b = transpose (xs : n.n.t) ~> transpose (transpose (transpose xs))";
        let found = findings(general);
        assert!(
            found.contains(&"`b` applies to its own result: repeating it does not end.".to_owned()),
            "{found:?}"
        );
        assert!(!found.iter().any(|f| f.contains("`a` applies wherever")), "{found:?}");
        let overlap = "rule a = map f xs ~> mapSeq f xs
                       rule b = map f (map g xs) ~> map (\\y. f (g y)) xs";
        assert!(
            findings(overlap).contains(&"`a` applies wherever `b` does, with another result.".to_owned())
        );
        assert_eq!(
            findings("rule a = fst (makePair a b) ~> a"),
            ["`a` loses `b`: the left side has it, the right side does not."]
        );
    }
}
