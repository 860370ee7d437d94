//! Views that cancel out, taken away from what a search found.
//!
//! A search ends with its first hit. What its last iteration has put next to each other (`transpose (transpose xs)`, `split 4
//! (join xs)`) would be gone in the next one, so that is made up for by the rules of the search that only take views away.

use crate::lang::digest::Digest;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::sort::{How, Sort};
use crate::lang::term::{Expr, Term};
use crate::normal::normal_form_with;
use crate::rule::pat::{Pat, PatNode};
use crate::rule::{Rule, RuleUse};
use rustc_hash::FxHashMap;

/// So many are taken away.
const MOST_CLEARED: usize = 64;

/// A rewrite that takes views away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cleared {
    pub rule: RuleUse,
    pub at: Path,
    /// The part before and after.
    pub before: Term,
    pub after: Term,
    /// The program after it, in normal form.
    pub program: Term,
}

/// Does the rule only take views away? What it leaves is a part of what was there, and nothing is computed in between.
pub fn clears(rule: &Rule) -> bool {
    let [equation] = rule.equations() else { return false };
    let leaves_a_part = match &equation.sides.rhs.node {
        PatNode::Var(_, binders) => binders.is_empty(),
        PatNode::Lam(_, body) => body.node == PatNode::Bound(0),
        _ => false,
    };
    leaves_a_part
        && equation.sides.lhs.head().is_some()
        && equation.sides.lhs.nodes().into_iter().all(is_view)
}

/// Does the rule leave fewer views than there were, of what it knows nothing else of?
pub fn lessens(rule: &Rule) -> bool {
    let [equation] = rule.equations() else { return false };
    let sides = [&equation.sides.lhs, &equation.sides.rhs];
    let of_view = |p: &&Pat| matches!(&p.node, PatNode::Prim(p, _) if matches!(p.sort(), Sort::View(_)));
    let views = |side: &Pat| side.nodes().into_iter().filter(of_view).count();
    rule.params.is_empty()
        && equation.sides.lhs.head().is_some()
        && views(sides[1]) < views(sides[0])
        && sides.into_iter().flat_map(Pat::nodes).all(is_view)
}

/// Does this part of a side of a rule compute nothing?
fn is_view(p: &Pat) -> bool {
    match &p.node {
        PatNode::Prim(pattern, _) => matches!(pattern.sort(), Sort::View(_) | Sort::Map(How::Open)),
        PatNode::Lit(_) | PatNode::Vectorise(..) => false,
        _ => true,
    }
}

/// Rules that take views away, with the pattern at the head of what each takes away and how many arguments that has.
struct ByHead<'a>(Vec<(&'a RuleUse, Pattern, usize)>);

impl<'a> ByHead<'a> {
    fn new(rules: impl Iterator<Item = &'a RuleUse>) -> ByHead<'a> {
        let with_head = |r: &'a RuleUse| {
            let (head, args) = r.rule.equations().first()?.sides.lhs.head()?;
            Some((r, head, args))
        };
        ByHead(rules.filter_map(with_head).collect())
    }

    /// What each of them that takes something away leaves of a term.
    fn applied(&self, part: &Term) -> impl Iterator<Item = (&'a RuleUse, Term)> {
        let head = part.as_pattern_app().map(|(head, args)| (head.pattern, args.len()));
        let fits = self.0.iter().filter(move |(_, pattern, args)| head == Some((*pattern, *args)));
        fits.filter_map(|(r, ..)| Some((*r, r.rule.apply(part, &r.args).ok()?.term)))
    }
}

/// What is left of terms where all such rules are applied, whatever is asked of the whole: terms of which the same is left differ
/// only by views that cancel out. What they have in common is looked at once.
pub struct Clearer<'a> {
    rules: ByHead<'a>,
    known: FxHashMap<Digest, Term>,
}

impl<'a> Clearer<'a> {
    pub fn new(rules: impl Iterator<Item = &'a RuleUse>) -> Clearer<'a> {
        Clearer { rules: ByHead::new(rules), known: FxHashMap::default() }
    }

    pub fn clear(&mut self, term: &Term) -> Term {
        term.with_stack(|| self.go(term))
    }

    fn go(&mut self, term: &Term) -> Term {
        if let Some(known) = self.known.get(&term.digest()) {
            return known.clone();
        }
        let children = term.children().into_iter().map(|child| self.go(child)).collect();
        let mut now = term.with_children(children);
        let rules = &self.rules;
        let less = |t: &Term| {
            let by_rule = || rules.applied(t).map(|(_, less)| less).find(|less| less.size() < t.size());
            identified(t).or_else(by_rule)
        };
        while let Some(less) = less(&now) {
            now = less;
        }
        self.known.insert(term.digest(), now.clone());
        now
    }
}

/// What the identity is applied to, which a rule may leave.
fn identified(term: &Term) -> Option<Term> {
    let (function, argument) = term.as_app()?;
    let (_, body) = function.as_lam()?;
    matches!(body.expr(), Expr::Var(0)).then(|| argument.clone())
}

/// A program in normal form, but for these parameters, from which views are taken away one after the other, for as long as it `holds`
/// what is asked of it.
pub fn cleared<'a>(
    program: &Term,
    params: &[Name],
    rules: impl Iterator<Item = &'a RuleUse>,
    holds: &dyn Fn(&Term) -> bool,
) -> Vec<Cleared> {
    let rules = ByHead::new(rules);
    let mut out: Vec<Cleared> = vec![];
    while out.len() < MOST_CLEARED {
        let now = out.last().map_or(program, |last| &last.program);
        let Some(next) = one_more(now, params, &rules, holds) else { break };
        out.push(next);
    }
    out
}

/// The first of them, outside in.
fn one_more(
    program: &Term,
    params: &[Name],
    rules: &ByHead<'_>,
    holds: &dyn Fn(&Term) -> bool,
) -> Option<Cleared> {
    program.positions().into_iter().find_map(|(at, part)| {
        rules.applied(part).find_map(|(r, after)| {
            let whole = program.replace_at(&at, after.clone())?;
            let next = normal_form_with(params, &whole)
                .filter(|next| next.size() < program.size() && holds(next))?;
            let rule = RuleUse::clone(r);
            Some(Cleared { rule, at: at.clone(), before: part.clone(), after, program: next })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::{FileId, Sources};
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;
    use crate::normal::written_params;
    use crate::rule::RuleSet;

    fn read(body: &str) -> Term {
        let text = format!("def f (a: (4*n).m.f32) (b: (4*n).f32) = {body}");
        let term = program(&parse_program(FileId::NOWHERE, &text).0, None).0.unwrap().term;
        normal_form_with(&written_params(&term), &term).unwrap()
    }

    #[test]
    fn views_that_cancel_out_are_taken_away() {
        let set = RuleSet::builtin(&mut Sources::new()).0;
        let rules: Vec<RuleUse> =
            set.rules().filter(|r| clears(r)).map(|r| RuleUse { rule: r.clone(), args: vec![] }).collect();
        let clears = |name: &str| rules.iter().any(|r| *r.rule.name == *name);
        for name in [
            "removeTransposePair",
            "removeSplitJoin",
            "removeJoinSplit",
            "eliminateMapIdentity",
            "fstReduction",
        ] {
            assert!(clears(name), "{name}");
        }
        // What is stored stays stored, and what is computed stays.
        for name in ["eliminateStore", "selectSame", "betaReduction", "mapFusion", "createTransposePair"] {
            assert!(!clears(name), "{name}");
        }
        let lessening = |name: &str| lessens(set.get(name).unwrap());
        for name in ["unzipZipIsPair", "fstUnzipAsMap", "mapFstZip", "fstReduction", "removeTransposePair"] {
            assert!(lessening(name), "{name}");
        }
        for name in ["mapFusion", "selectSame", "betaReduction", "mapMapFBeforeTranspose", "splitBeforeMap"] {
            assert!(!lessening(name), "{name}");
        }
        let rules: Vec<RuleUse> = rules.into_iter().filter(|r| r.rule.params.is_empty()).collect();
        let clear = |body: &str, holds: &dyn Fn(&Term) -> bool| {
            let before = read(body);
            let steps = cleared(&before, &written_params(&before), rules.iter(), holds);
            let after = steps.last().map_or(before.clone(), |last| last.program.clone());
            // What is left of both is the same.
            let mut clearer = Clearer::new(rules.iter());
            assert_eq!(clearer.clear(&before), clearer.clear(&after), "{body}");
            (steps.len(), after)
        };
        for (before, steps, after) in [
            ("a |> transpose |> transpose |> map (map sqrt)", 1, "a |> map (map sqrt)"),
            (
                "b |> split 4 |> join |> split 4 |> map (map sqrt) |> join",
                1,
                "b |> split 4 |> map (map sqrt) |> join",
            ),
            // One within the other.
            ("b |> split 4 |> transpose |> transpose |> join |> map sqrt", 2, "b |> map sqrt"),
            ("map fst (zip b b) |> map (\\x. x) |> map sqrt", 2, "b |> map sqrt"),
            ("a |> map (\\r. fst (r, b)) |> map (reduce (+) 0)", 2, "a |> map (reduce (+) 0)"),
            (
                "a |> transpose |> map (map sqrt) |> transpose",
                0,
                "a |> transpose |> map (map sqrt) |> transpose",
            ),
        ] {
            assert_eq!(clear(before, &|_| true), (steps, read(after)), "{before}");
        }
        // What is asked for stays.
        let transposes = |t: &Term| t.has_leaf(&|leaf| leaf.as_pattern() == Some(Pattern::Transpose));
        let both = "b |> split 4 |> transpose |> transpose |> join |> split 2 |> join |> map sqrt";
        let kept = "b |> split 4 |> transpose |> transpose |> join |> map sqrt";
        assert_eq!(clear(both, &transposes), (1, read(kept)));
    }
}
