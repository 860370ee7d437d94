//! What is worth trying of a rule: how much it says about a term, and with which arguments it applies.

use super::apply::Applied;
use super::condition::permutations;
use super::pat::PatNode;
use super::why::{Reason, WhyNot};
use super::{ParamKind, Rule, RuleArg};
use crate::lang::constraint::SizeConstraint;
use crate::lang::infer::constraints_of;
use crate::lang::nat::Nat;
use crate::lang::pattern::AddressSpace;
use crate::lang::term::Term;

/// Sizes that are tried for a rule's parameters, in this order.
const SIZES: [i64; 6] = [32, 4, 8, 16, 64, 2];

/// The largest size that is tried because it divides one that is known.
const LARGEST: i64 = 1024;

/// So many choices are a list to read.
pub const MOST: usize = 24;

/// Families are tried under so many maps; programs that nest more are rare.
const DEEPEST: i64 = 3;

/// How much a rule says about the term that it applies to: the patterns of its left side, then all nodes of it.
pub fn specificity(rule: &Rule) -> (usize, usize) {
    let first = rule.equations().first();
    let lhs = first.map(|eq| &eq.applied.as_ref().unwrap_or(&eq.sides).lhs);
    lhs.map_or((1, 2), |lhs| (lhs.patterns(), lhs.size()))
}

/// Rules for strategies. To what the first of them make others of the library lead step by step: searches have these, and would
/// only make all combinations twice. By `splitAsSlide` all chunks would be windows as well, and by the last ones any reductions one of
/// pairs or of rows, and these others again.
const FOR_STRATEGIES: [&str; 7] = [
    "mapInStrides",
    "liftReduceOfOne",
    "reducePairsInParts",
    "splitAsSlide",
    "reducePairs",
    "reduceComponents",
    "reduceForEach",
];

/// Is this a rule that strategies have for what comes after it? By itself it is no advice, and no step of a search.
pub fn is_for_strategies(rule: &Rule) -> bool {
    FOR_STRATEGIES.contains(&&*rule.name)
}

/// Does the rule apply to any term of some type, whatever it computes?
pub fn says_nothing(rule: &Rule) -> bool {
    rule.equations().iter().any(|eq| matches!(eq.sides.lhs.node, PatNode::Var(..)))
}

/// What a rule asks of sizes where it made this of a term: what it assumed, and what the functions of its `reorder` have to be.
pub fn asks(rule: &Rule, before: &Term, assumed: &[SizeConstraint], made: &Term) -> Vec<SizeConstraint> {
    let mut all = assumed.to_vec();
    if rule.equations().iter().any(|eq| !permutations(&eq.sides.rhs).is_empty()) {
        let known = constraints_of(before);
        all.extend(constraints_of(made).into_iter().filter(|c| !assumed.contains(c) && !known.contains(c)));
    }
    all
}

/// Why a rule that takes arguments applies with none of those that were tried.
#[derive(Clone, Debug)]
pub enum Miss {
    /// Its left side stops here, whatever the arguments: the nearest that any came.
    Always(WhyNot),
    /// With these arguments it stops here, and other arguments may do.
    With(Vec<RuleArg>, WhyNot),
    /// With these arguments it asks of sizes what is known not to hold, and other arguments may do.
    Refuted(Vec<RuleArg>, SizeConstraint),
    /// Nothing is known to be missing but arguments.
    Arguments,
}

/// The arguments with which a rule that takes some applies to a term, each with what it makes of it, at most [`MOST`]. Sizes that are
/// tried are usual ones first, then the divisors of `multiples` and of the lengths in the term's type; of what a size
/// leaves open `refuted` says whether it is known not to hold. None are found for rules that take a term or a position.
///
/// # Errors
/// What is missing where none are found.
pub fn choices(
    rule: &Rule,
    t: &Term,
    multiples: &[i64],
    refuted: &dyn Fn(&SizeConstraint) -> bool,
) -> Result<Vec<(Vec<RuleArg>, Applied)>, Miss> {
    let Some(all) = arguments(rule, &sizes(rule, t, multiples)) else {
        return Err(rule.stops_without(t).map_or(Miss::Arguments, Miss::Always));
    };
    let mut out = vec![];
    let mut against: Option<(Vec<RuleArg>, SizeConstraint)> = None;
    let mut stops: Vec<(Vec<RuleArg>, WhyNot)> = vec![];
    for args in all {
        match rule.apply(t, &args) {
            Ok(applied) => {
                match asks(rule, t, &applied.assumed, &applied.term).into_iter().find(|c| refuted(c)) {
                    None => out.push((args, applied)),
                    Some(c) => against = against.or(Some((args, c))),
                }
            }
            Err(why) if out.is_empty() => {
                stops.push((args, why));
                if !size_decides(rule) {
                    break;
                }
            }
            Err(_) => {}
        }
        if out.len() == MOST {
            break;
        }
    }
    match against {
        _ if !out.is_empty() => Ok(out),
        Some((args, c)) => Err(Miss::Refuted(args, c)),
        None => Err(match nearest(stops) {
            // With its parameters by name, rather than with some value that was tried.
            Miss::Always(why) => Miss::Always(rule.stops_without(t).unwrap_or(why)),
            other => other,
        }),
    }
}

/// The nearest miss of all. Where sizes stop the match and other arguments are stopped by others, an argument may do.
fn nearest(stops: Vec<(Vec<RuleArg>, WhyNot)>) -> Miss {
    let depth = stops.iter().map(|(_, why)| why.depth).max();
    let mut near = stops.into_iter().filter(|(_, why)| Some(why.depth) == depth);
    let Some((args, why)) = near.next() else { return Miss::Arguments };
    let of_shape = matches!(
        why.reason,
        Reason::Shape { .. }
            | Reason::Type { .. }
            | Reason::Differs { .. }
            | Reason::Mentions { .. }
            | Reason::Unfit(_)
    );
    let alike = near.all(|(_, other)| other == why);
    if of_shape || alike { Miss::Always(why) } else { Miss::With(args, why) }
}

/// The sizes that are tried for each parameter that is one. Of several parameters only the usual sizes are combined.
fn sizes(rule: &Rule, t: &Term, multiples: &[i64]) -> Vec<i64> {
    let mut sizes = SIZES.to_vec();
    if rule.params.iter().filter(|p| matches!(p.kind, ParamKind::Nat(_))).count() == 1 {
        let mut lengths = multiples.to_vec();
        t.ty().for_each_nat(&mut |n| lengths.extend(n.as_constant()));
        let divisors = (2..=LARGEST).filter(|d| lengths.iter().any(|n| n > d && n % d == 0));
        let more: Vec<i64> = divisors.filter(|d| !SIZES.contains(d)).collect();
        sizes.extend(more);
    }
    sizes
}

/// Can the rule apply with one argument and not with another?
fn size_decides(rule: &Rule) -> bool {
    rule.params.iter().any(|p| matches!(p.kind, ParamKind::Nat(_) | ParamKind::Depth))
}

/// Every combination of arguments worth trying; none when an argument cannot be guessed.
fn arguments(rule: &Rule, sizes: &[i64]) -> Option<Vec<Vec<RuleArg>>> {
    let mut out: Vec<Vec<RuleArg>> = vec![vec![]];
    for param in rule.params.iter() {
        let values: Vec<RuleArg> = match &param.kind {
            ParamKind::Nat(_) => sizes.iter().map(|n| RuleArg::Nat(Nat::constant(*n))).collect(),
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
    use crate::rule::RuleSet;

    #[test]
    fn arguments_are_offered_with_which_the_rule_applies() {
        let (rules, _) = RuleSet::builtin(&mut Sources::new());
        let double = b::lam("x", Type::f32(), |x| b::add(x.clone(), x)).unwrap();
        let of_length = |n: Nat| b::map(double.clone(), Term::var(0, Type::array(n, Type::f32()))).unwrap();
        let offered = |name: &str, t: &Term, multiples: &[i64], refuted: &dyn Fn(&SizeConstraint) -> bool| {
            let rule = rules.rules().find(|rule| *rule.name == *name).unwrap();
            let found = choices(rule, t, multiples, refuted).unwrap_or_default();
            assert!(found.iter().all(|(_, applied)| applied.term.ty() == t.ty()));
            found.iter().map(|(args, _)| args[0].to_string()).collect::<Vec<_>>().join(" ")
        };
        let fixed = of_length(Nat::constant(24));
        assert_eq!(offered("splitJoin", &fixed, &[], &|_| false), "4 8 2 3 6 12");
        let open = of_length(Nat::var("n"));
        assert_eq!(offered("splitJoin", &open, &[], &|_| false), "32 4 8 16 64 2");
        // With a value for the size: what divides it, and nothing else.
        let known = |c: &SizeConstraint| c.holds(&|_| Some(1000)) == Ok(false);
        assert_eq!(
            offered("splitJoin", &open, &[1000], &known),
            "4 8 2 5 10 20 25 40 50 100 125 200 250 500"
        );
        let reduces =
            b::map(double.clone(), Term::var(0, Type::array(Nat::constant(7), Type::f32()))).unwrap();
        assert_eq!(offered("splitJoin", &reduces, &[], &|_| false), "");
    }
    #[test]
    fn what_is_missing_is_arguments_only_where_the_left_side_matches() {
        let (rules, _) = RuleSet::builtin(&mut Sources::new());
        let double = b::lam("x", Type::f32(), |x| b::add(x.clone(), x)).unwrap();
        let of_length = |n: Nat| b::map(double.clone(), Term::var(0, Type::array(n, Type::f32()))).unwrap();
        let missed = |name: &str, t: &Term, refuted: &dyn Fn(&SizeConstraint) -> bool| {
            let rule = rules.rules().find(|rule| *rule.name == *name).unwrap();
            choices(rule, t, &[], refuted).unwrap_err()
        };
        let stops = |name: &str, t: &Term| match missed(name, t, &|_| false) {
            Miss::Always(why) => why.to_string(),
            other => panic!("{name}: {other:?}"),
        };
        // Nothing can be given to a rule on maps that makes it one on functions.
        let function =
            b::lam("a", Type::array(Nat::var("n"), Type::f32()), |a| b::map(double.clone(), a)).unwrap();
        assert_eq!(stops("splitJoin", &function), "expected map with 2 arguments, found the function \\a. …");
        let reduce = "expected reduce with 3 arguments, found the function \\a. …";
        assert_eq!(stops("reduceInLanesRestAgain", &function), reduce);
        assert_eq!(
            stops("reduceInLanesRestAgain", &of_length(Nat::var("n"))),
            "expected reduce with 3 arguments, found map with 2 arguments"
        );
        // Some size may divide the length; none of those tried does.
        match missed("splitJoin", &of_length(Nat::constant(7)), &|_| false) {
            Miss::With(args, why) => {
                assert_eq!(
                    (args[0].to_string(), why.to_string()),
                    ("32".into(), "32 does not divide 7".into())
                );
            }
            other => panic!("{other:?}"),
        }
        match missed("splitJoin", &of_length(Nat::var("n")), &|_| true) {
            Miss::Refuted(args, c) => {
                assert_eq!((args[0].to_string(), c.to_string()), ("32".into(), "32 divides n".into()));
            }
            other => panic!("{other:?}"),
        }
    }
}
