//! The rules that apply at a place, with what they make of it: what the screen lists at every move of the cursor.

use super::apply::Applied;
use super::pat::PatNode;
use super::set::RuleSet;
use super::{ParamKind, Rule, RuleArg};
use crate::lang::nat::Nat;
use crate::lang::path::Path;
use crate::lang::pattern::AddressSpace;
use crate::lang::term::Term;

/// Sizes that are tried for a rule's parameters, in this order.
const SIZES: [i64; 6] = [32, 4, 8, 16, 64, 2];

/// Families are tried under so many maps; programs that nest more are rare.
const DEEPEST: i64 = 3;

/// A rule that applies.
#[derive(Clone, Debug)]
pub struct Offer {
    pub rule: Rule,
    /// Arguments with which it applies; other sizes may do as well. The preview is that of the first.
    pub choices: Vec<Vec<RuleArg>>,
    /// What the sub-term becomes.
    pub preview: Applied,
}

/// The rules that apply to the sub-term at a position: those that say most about it first, and those that apply to
/// anything last. Rules that take a position or a term are not offered.
pub fn applicable(root: &Term, path: &Path, rules: &RuleSet) -> Vec<Offer> {
    let Some(t) = root.at(path) else { return vec![] };
    let mut offers: Vec<((usize, usize), Offer)> =
        rules.rules().filter_map(|rule| Some((specificity(rule), offer(rule, t)?))).collect();
    offers.sort_by_key(|(specificity, _)| std::cmp::Reverse(*specificity));
    offers.into_iter().map(|(_, offer)| offer).collect()
}

/// How much a rule says about the term that it applies to: the patterns of its left side, then all nodes of it.
pub fn specificity(rule: &Rule) -> (usize, usize) {
    let first = rule.equations().first();
    let lhs = first.map(|eq| &eq.applied.as_ref().unwrap_or(&eq.sides).lhs);
    lhs.map_or((1, 2), |lhs| (lhs.patterns(), lhs.size()))
}

/// Does the rule apply to any term of some type, whatever it computes?
pub fn says_nothing(rule: &Rule) -> bool {
    rule.equations().iter().any(|eq| matches!(eq.sides.lhs.node, PatNode::Var(..)))
}

fn offer(rule: &Rule, t: &Term) -> Option<Offer> {
    let mut choices = vec![];
    let mut preview = None;
    for args in arguments(rule)? {
        if let Ok(applied) = rule.apply(t, &args) {
            preview.get_or_insert(applied);
            choices.push(args);
        } else if choices.is_empty() && !size_decides(rule) {
            return None;
        }
    }
    Some(Offer { rule: rule.clone(), choices, preview: preview? })
}

/// Can the rule apply with one argument and not with another?
fn size_decides(rule: &Rule) -> bool {
    rule.params.iter().any(|p| matches!(p.kind, ParamKind::Nat(_) | ParamKind::Depth))
}

/// Every combination of arguments worth trying; none when an argument cannot be guessed.
fn arguments(rule: &Rule) -> Option<Vec<Vec<RuleArg>>> {
    let mut out: Vec<Vec<RuleArg>> = vec![vec![]];
    for param in rule.params.iter() {
        let values: Vec<RuleArg> = match &param.kind {
            ParamKind::Nat(_) => SIZES.iter().map(|n| RuleArg::Nat(Nat::constant(*n))).collect(),
            ParamKind::Addr(_) => [AddressSpace::Global, AddressSpace::Local, AddressSpace::Private]
                .into_iter()
                .map(RuleArg::Addr)
                .collect(),
            ParamKind::Depth => (0..=DEEPEST).map(|k| RuleArg::Nat(Nat::constant(k))).collect(),
            ParamKind::Dim(_) => (0..3).map(RuleArg::Dim).collect(),
            ParamKind::Term(..) | ParamKind::Position => return None,
        };
        out = out
            .iter()
            .flat_map(|args| values.iter().map(|v| args.iter().cloned().chain([v.clone()]).collect()))
            .collect();
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::source::Sources;
    use crate::lang::ty::Type;

    #[test]
    fn the_rules_at_a_map_are_offered_with_sizes_that_divide() {
        let (rules, _) = RuleSet::builtin(&mut Sources::new());
        let double = b::lam("x", Type::f32(), |x| b::add(x.clone(), x)).unwrap();
        let xs = Term::var(0, Type::array(Nat::constant(24), Type::f32()));
        let t = b::map(double.clone(), b::map(double, xs).unwrap()).unwrap();
        let offers = applicable(&t, &Path::root(), &rules);
        let names: Vec<&str> = offers.iter().map(|o| &*o.rule.name).collect();
        assert_eq!(names.first(), Some(&"mapFusion"), "{names:?}");
        assert!(names.contains(&"useMapSeq") && !names.contains(&"useReduceSeq"), "{names:?}");
        let split = offers.iter().find(|o| &*o.rule.name == "splitJoin").unwrap();
        let sizes: Vec<String> = split.choices.iter().map(|c| c[0].to_string()).collect();
        assert_eq!(sizes, ["4", "8", "2"]);
        assert_eq!(split.preview.term.ty(), t.ty());
        assert!(applicable(&t, &Path::new([1, 1, 1, 1]), &rules).is_empty());
    }
}
