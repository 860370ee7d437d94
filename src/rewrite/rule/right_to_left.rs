//! A rule in its other direction: from what its right side says to what its left side says.
//!
//! In: a rule. Out: the rule that finds instances of the right side and puts the left one in their place, or why there is
//! none. Holds: both sides are instances of the rule's for one choice of its variables, of which its conditions hold, so
//! the rewrite is one of the rule's own, read from right to left.

use super::apply::Applied;
use super::bindings::{Bindings, Bound};
use super::condition::{forgotten, refuted};
use super::equation::{Equation, RuleVar, Sides};
use super::instance::instantiate;
use super::matching::{is_other_form, matches};
use super::pat::{Pat, PatArg, PatNode};
use super::why::WhyNot;
use super::{Body, ParamKind, Rule, RuleArg, RuleData, RuleParam};
use crate::lang::constraint::SizeConstraint;
use crate::lang::infer::constraints_of;
use crate::lang::nat::{Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeSubst, TypeVar};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What the other direction of a rule is called in strategies.
pub const RIGHT_TO_LEFT: &str = "rightToLeft";

/// The other direction of a rule.
#[derive(Clone, Debug)]
pub struct RightToLeft {
    pub of: Rule,
    /// One for each equation of the rule.
    ways: Vec<Way>,
}

/// The way back of an equation.
#[derive(Clone, Debug)]
struct Way {
    /// The equation with right sides that can be matched: a function of the rule that is applied to nothing but binders
    /// there may mention them, as `g y` in `map (\y. f (g y)) xs`.
    open: Equation,
    /// By how many binders each variable's scope is longer there.
    more: Vec<usize>,
}

impl Rule {
    /// The rule that rewrites what this one would make to what it makes it from.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence that begins with the rule's name.
    pub fn right_to_left(&self) -> Result<Rule, String> {
        match &*self.body {
            Body::Procedure(_) => return Err("is a procedure, which computes its result".to_owned()),
            Body::RightToLeft(back) => return Ok(back.of.clone()),
            Body::Equation(_) | Body::Family(_) => {}
        }
        let ways = self.equations().iter().map(|eq| Way::of(eq, &self.params)).collect::<Result<_, _>>()?;
        let body = Body::RightToLeft(Box::new(RightToLeft { of: self.clone(), ways }));
        Ok(Rule::new(RuleData {
            name: format!("{RIGHT_TO_LEFT}({})", self.name).into(),
            body: body.into(),
            ..RuleData::clone(self)
        }))
    }
}

impl RightToLeft {
    /// The left side in the place of the right one.
    ///
    /// # Errors
    /// How far the right side matched, and what stands in the way, if that is told.
    pub fn apply(&self, t: &Term, args: &[RuleArg], tells: bool) -> Result<Applied, WhyNot> {
        let index = match &*self.of.body {
            Body::Family(_) => self.of.depth(args),
            _ => Some(0),
        };
        let Some((way, eq)) = index.and_then(|i| Some((self.ways.get(i)?, self.of.equations().get(i)?)))
        else {
            return Err(self.of.misfit(args));
        };
        if !tells && is_other_form(&way.open, t) {
            return Err(WhyNot::untold());
        }
        let start = self.of.start(eq, args)?;
        let pairs = [(&way.open.sides, &eq.sides)];
        let applied = way.open.applied.as_ref().zip(eq.applied.as_ref());
        let mut nearest: Option<WhyNot> = None;
        for (open, sides) in applied.into_iter().chain(pairs) {
            match way.rewrite(eq, (open, sides), start.clone(), t, tells) {
                Ok(done) => return Ok(done),
                Err(why) if nearest.as_ref().is_some_and(|near| near.depth >= why.depth) => {}
                Err(why) => nearest = Some(why),
            }
        }
        Err(nearest.unwrap_or_else(|| self.of.misfit(args)))
    }
}

impl Way {
    fn of(eq: &Equation, params: &[RuleParam]) -> Result<Way, String> {
        if eq.sides.lhs.nodes().iter().any(|p| matches!(p.node, PatNode::Prim(Pattern::PadEmpty, _))) {
            return Err(
                "has `padEmpty` on its left side: whether what has no value there has none on the right is not known"
                    .to_owned(),
            );
        }
        let all: Vec<&Pat> = std::iter::once(&eq.sides).chain(&eq.applied).map(|s| &s.rhs).collect();
        let more: Vec<usize> = (0..eq.vars.len())
            .map(|v| all.iter().filter_map(|side| binders_after(side, v)).min().unwrap_or(0))
            .collect();
        let mut vars = eq.vars.clone();
        for (var, count) in vars.iter_mut().zip(&more) {
            for _ in 0..*count {
                open_scope(var);
            }
        }
        let open = |s: &Sides| Sides { lhs: opened(&s.rhs, &more).without_eta(), rhs: s.lhs.clone() };
        let (sides, applied) = (open(&eq.sides), eq.applied.as_ref().map(open));
        for side in std::iter::once(&sides).chain(&applied) {
            can_be_matched(eq, &side.lhs)?;
        }
        says_all(eq, params)?;
        let open = Equation { vars, sides, applied, conditions: vec![], needs: vec![], ..eq.clone() };
        Ok(Way { open, more })
    }

    fn rewrite(
        &self,
        eq: &Equation,
        (open, sides): (&Sides, &Sides),
        start: Bindings,
        t: &Term,
        tells: bool,
    ) -> Result<Applied, WhyNot> {
        let mut b = matches(&self.open, &open.lhs, start, t, tells)?;
        let whole = open.lhs.size() as u32;
        let late = |why: WhyNot| WhyNot { depth: whole, ..why };
        for (v, count) in self.more.iter().enumerate() {
            close(&mut b, &self.open.vars[v], v, *count);
        }
        let mut assumed = vec![];
        for c in &eq.conditions {
            c.check(eq, &b, &mut assumed).map_err(late)?;
        }
        let (term, moved) = instantiate(&sides.lhs, &b).map_err(late)?;
        let asked = constraints_of(&term);
        for c in b.solved.iter().flat_map(SizeConstraint::of_size) {
            if c.decide().is_none() && !asked.contains(&c) && !eq.keeps(&c, &|v| TypeSubst::nat(&b, v)) {
                return Err(late(forgotten(&c)));
            }
        }
        for c in asked {
            match c.decide() {
                Some(true) => {}
                Some(false) => return Err(late(refuted(&c))),
                None if assumed.contains(&c) => {}
                None => assumed.push(c),
            }
        }
        Ok(Applied { term, moved, assumed })
    }
}

/// Takes the first parameter of what a variable stands for into its scope.
fn open_scope(var: &mut RuleVar) {
    if let Some((param, result)) = var.ty.as_fun().map(|(p, r)| (p.clone(), r.clone())) {
        var.scope.push(("x".into(), param));
        var.ty = result;
    }
}

/// What the variable stands for as a function of the last `count` binders of its scope.
fn close(b: &mut Bindings, var: &RuleVar, v: usize, count: usize) {
    if let Some(Bound { term, .. }) = &b.terms[v]
        && count > 0
    {
        let binders = var.scope.iter().rev().take(count);
        let term = binders.fold(term.clone(), |t, (name, ty)| Term::lam(name, ty.subst(b), t));
        // A function that is only applied is that function.
        let term = crate::normal::normal_form(&term).unwrap_or(term);
        b.terms[v] = Some(Bound { term, at: None });
    }
}

fn head_variable(p: &Pat) -> Option<(usize, Vec<&Pat>, Vec<&Pat>)> {
    match &p.node {
        PatNode::Var(v, args) => Some((*v, args.iter().collect(), vec![])),
        PatNode::App(f, e) => {
            let (v, args, mut given) = head_variable(f)?;
            given.push(e);
            Some((v, args, given))
        }
        _ => None,
    }
}

/// To how many binders, all different, the variable is applied wherever it stands in the side; none where it does not.
fn binders_after(side: &Pat, v: usize) -> Option<usize> {
    let here = |p: &Pat| {
        let (_, scope, given) = head_variable(p).filter(|(w, ..)| *w == v)?;
        let binder = |p: &Pat| if let PatNode::Bound(i) = p.node { Some(i) } else { None };
        let mut seen: Vec<Option<u32>> = scope.into_iter().map(binder).collect();
        let before = seen.len();
        for next in given.into_iter().map(binder) {
            if next.is_none() || seen.contains(&next) {
                break;
            }
            seen.push(next);
        }
        Some(seen.len() - before)
    };
    // An application says more than the variable inside of it.
    fn go(p: &Pat, here: &dyn Fn(&Pat) -> Option<usize>) -> Option<usize> {
        let inner: Vec<&Pat> = match (here(p), head_variable(p)) {
            (_, Some((_, scope, given))) => scope.into_iter().chain(given).collect(),
            _ => p.children(),
        };
        here(p).into_iter().chain(inner.into_iter().filter_map(|c| go(c, here))).min()
    }
    go(side, &here)
}

/// The side with the binders that variables are applied to in their scopes.
fn opened(p: &Pat, more: &[usize]) -> Pat {
    if let Some((v, scope, given)) = head_variable(p) {
        let mut ty = p.ty.clone();
        let (taken, rest) = given.split_at(more[v].min(given.len()));
        for argument in rest.iter().rev() {
            ty = Type::fun(argument.ty.clone(), ty);
        }
        let scope = scope.into_iter().chain(taken.iter().copied()).map(|a| opened(a, more)).collect();
        let head = Pat::new(PatNode::Var(v, scope), ty);
        return rest.iter().fold(head, |f, e| Pat::app(f, opened(e, more)));
    }
    let node = match &p.node {
        PatNode::Lam(name, b) => PatNode::Lam(name.clone(), Box::new(opened(b, more))),
        PatNode::App(f, e) => PatNode::App(Box::new(opened(f, more)), Box::new(opened(e, more))),
        other => other.clone(),
    };
    Pat::new(node, p.ty.clone())
}

/// Is the side such that what its variables stand for is told by what it matches?
fn can_be_matched(eq: &Equation, side: &Pat) -> Result<(), String> {
    for p in side.nodes() {
        match &p.node {
            PatNode::Vectorise(..) => {
                return Err("makes a function on vectors, which does not tell which it was".to_owned());
            }
            PatNode::Var(v, args) => {
                let binders: BTreeSet<u32> = args
                    .iter()
                    .filter_map(|a| if let PatNode::Bound(i) = a.node { Some(i) } else { None })
                    .collect();
                if binders.len() < args.len() {
                    let name = &eq.vars[*v].name;
                    return Err(format!("puts something into `{name}`, which does not tell where it stood"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Does the right side, with the arguments, tell all that the left side says?
fn says_all(eq: &Equation, params: &[RuleParam]) -> Result<(), String> {
    let mut known = Mentioned::default();
    known.pattern(&eq.sides.rhs);
    for param in params {
        match &param.kind {
            ParamKind::Nat(i) => known.sizes.push([*i as u32].into()),
            ParamKind::Addr(i) | ParamKind::Dim(i) => drop(known.slots.insert(*i)),
            ParamKind::Term(i, _) => drop(known.vars.insert(*i)),
            ParamKind::Depth | ParamKind::Position => {}
        }
    }
    let mut asked = Mentioned::default();
    asked.pattern(&eq.sides.lhs);
    let lost =
        |what: &str, name: &str| Err(format!("does not say on its right side what {what}`{name}` was"));
    if let Some(v) = asked.vars.difference(&known.vars).next() {
        return lost("", &eq.vars[*v].name);
    }
    if let Some(i) = asked.all_sizes().difference(&known.told_sizes()).next() {
        return lost("the size ", &eq.nats[*i as usize]);
    }
    if let Some(i) = asked.types.difference(&known.types).next() {
        return lost("the type ", &eq.types[*i as usize].name);
    }
    match asked.slots.difference(&known.slots).next() {
        Some(i) => lost("", &eq.slots[*i].name),
        None => Ok(()),
    }
}

/// The variables of a rule that a side mentions.
#[derive(Default)]
struct Mentioned {
    vars: BTreeSet<usize>,
    types: BTreeSet<u32>,
    /// Those of each number.
    sizes: Vec<BTreeSet<u32>>,
    slots: BTreeSet<usize>,
}

impl Mentioned {
    fn pattern(&mut self, side: &Pat) {
        for p in side.nodes() {
            self.ty(&p.ty);
            match &p.node {
                PatNode::Var(v, _) | PatNode::Vectorise(_, v) => drop(self.vars.insert(*v)),
                PatNode::Prim(_, args) => {
                    for arg in args {
                        match arg {
                            PatArg::Nat(n) => self.size(n),
                            PatArg::Fun(f) => self.size(f.body()),
                            PatArg::Slot(i) => drop(self.slots.insert(*i)),
                            PatArg::Addr(_) | PatArg::Dim(_) => {}
                        }
                    }
                }
                PatNode::Lit(l) => l.sizes().into_iter().for_each(|n| self.size(n)),
                _ => {}
            }
        }
    }

    fn ty(&mut self, t: &Type) {
        t.for_each_nat(&mut |n| self.size(n));
        let hears = Hears(RefCell::new(std::mem::take(&mut self.types)));
        t.subst(&hears);
        self.types = hears.0.into_inner();
    }

    fn size(&mut self, n: &Nat) {
        let meta = |v: NatVar| if let NatVar::Meta(i) = v { Some(i) } else { None };
        self.sizes.push(n.vars().into_iter().filter_map(meta).collect());
    }

    fn all_sizes(&self) -> BTreeSet<u32> {
        self.sizes.iter().flatten().copied().collect()
    }

    /// The sizes that are told when the numbers are: one number tells one size. Of m*n alone neither m nor n is known.
    fn told_sizes(&self) -> BTreeSet<u32> {
        let mut told = BTreeSet::new();
        loop {
            let new: BTreeSet<u32> = self
                .sizes
                .iter()
                .filter_map(|n| {
                    let mut open = n.difference(&told);
                    open.next().filter(|_| open.next().is_none()).copied()
                })
                .collect();
            if new.is_empty() {
                return told;
            }
            told.extend(new);
        }
    }
}

struct Hears(RefCell<BTreeSet<u32>>);

impl TypeSubst for Hears {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        if let TypeVar::Meta(i) = v {
            self.0.borrow_mut().insert(*i);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::Sources;
    use crate::normal::normal_form;
    use crate::rule::RuleSet;

    #[test]
    fn the_library_leads_back_from_its_examples() {
        let (set, _) = RuleSet::builtin(&mut Sources::new());
        let (mut without, mut lost, mut back) = (vec![], vec![], 0);
        for rule in set.rules() {
            let Ok(other) = rule.right_to_left() else {
                without.push(rule.name.to_string());
                continue;
            };
            assert_eq!(other.right_to_left().as_ref(), Ok(rule));
            for example in rule.examples.iter() {
                let Ok(done) = other.apply(&example.after, &example.args) else {
                    lost.push(rule.name.to_string());
                    continue;
                };
                assert!(done.term.ty() == example.after.ty(), "{}", rule.name);
                // There may be several terms of which the rule makes this one.
                let again = || normal_form(&rule.apply(&done.term, &example.args).unwrap().term);
                let same = normal_form(&done.term) == normal_form(&example.before);
                assert!(same || again() == normal_form(&example.after), "{}: {:?}", rule.name, done.term);
                back += 1;
            }
        }
        for name in [
            "gentleBeta",
            "betaReduction",
            "fstReduction",
            "vectorizeBeforeMap",
            "padEmptyFusion",
            "removeSplitJoin",
        ] {
            assert!(without.iter().any(|rule| rule == name), "{name}");
        }
        for name in
            ["mapFusion", "mapFission", "splitJoin", "transposeAroundNest", "liftReduceSeq", "storeToMem"]
        {
            assert!(!without.iter().chain(&lost).any(|rule| rule == name), "{name}");
        }
        // What is reduced in an example does not tell which application it was.
        assert!(back > 100 && lost.len() < 5, "{back} {lost:?}");
    }
}
