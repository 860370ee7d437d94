//! Applying a rule to a sub-term, and at a place of a program.

use super::bindings::{Bindings, Bound};
use super::condition::{Condition, forgotten, refuted};
use super::equation::{Equation, Sides};
use super::instance::instantiate;
use super::matching::{is_other_form, matches, other_pattern};
use super::pat::Pat;
use super::why::{Reason, WhyNot};
use super::{Body, ParamKind, Rule, RuleArg};
use crate::lang::MAX_DEPTH;
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Name, Nat};
use crate::lang::path::{Path, PathMap};
use crate::lang::print;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::TypeSubst;

/// The largest term that rewriting builds, in nodes.
const LARGEST: u32 = 4_000_000;

/// What a rule makes of a sub-term.
#[derive(Clone, Debug)]
pub struct Applied {
    pub term: Term,
    /// Old and new positions of what the rule kept, relative to the sub-term.
    pub moved: Vec<(Path, Path)>,
    /// Conditions on sizes that could not be decided.
    pub assumed: Vec<SizeConstraint>,
}

/// A rewritten program.
#[derive(Clone, Debug)]
pub struct Rewritten {
    pub term: Term,
    /// Where each position of the program before is now.
    pub paths: PathMap,
    /// The rule applications, which [`apply_at`] repeats one by one.
    pub steps: Vec<Step>,
    /// Conditions on sizes that could not be decided, each once.
    pub assumed: Vec<SizeConstraint>,
    pub counts: Counts,
    /// Was it asked on the way which sizes were given? With others something else may come of it.
    pub asked_sizes: bool,
}

/// How much a run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Rule applications tried, and those that succeeded.
    pub tried: u64,
    pub succeeded: u64,
    /// Strategies of any kind that succeeded, predicates and what was taken back included (the thesis's count).
    pub successes: u64,
    /// Different strategies that came up.
    pub strategies: usize,
}

/// One application of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub rule: Name,
    pub args: Vec<RuleArg>,
    /// From right to left.
    pub right_to_left: bool,
    /// Where in the whole program.
    pub at: Path,
    /// The sub-term at that place, before and after.
    pub before: Term,
    pub after: Term,
}

impl Rewritten {
    /// Nothing rewritten yet.
    pub fn unchanged(term: Term) -> Rewritten {
        Rewritten {
            term,
            paths: PathMap::identity(),
            steps: vec![],
            assumed: vec![],
            counts: Counts::default(),
            asked_sizes: false,
        }
    }

    pub fn assume(&mut self, constraints: impl IntoIterator<Item = SizeConstraint>) {
        for c in constraints {
            if !self.assumed.contains(&c) {
                self.assumed.push(c);
            }
        }
    }
}

/// Applies a rule at a position of a program.
///
/// # Errors
/// Why the rule does not apply there, with the place relative to that position.
pub fn apply_at(root: &Term, path: &Path, rule: &Rule, args: &[RuleArg]) -> Result<Rewritten, WhyNot> {
    let Some(before) = root.at(path) else {
        return Err(WhyNot::condition(format!("there is no position {path} in the program")));
    };
    let applied = rule.apply(before, args)?;
    let step = Step {
        rule: rule.forwards().name.clone(),
        args: args.to_vec(),
        right_to_left: rule.is_right_to_left(),
        at: path.clone(),
        before: before.clone(),
        after: applied.term.clone(),
    };
    if !fits(path, &applied.term) {
        return Err(WhyNot::here(Reason::TooLarge));
    }
    let term = root.replace_at(path, applied.term).unwrap_or_else(|| root.clone());
    Ok(Rewritten {
        term,
        paths: PathMap::rewrite(path.clone(), applied.moved),
        steps: vec![step],
        assumed: applied.assumed,
        counts: Counts { tried: 1, succeeded: 1, successes: 1, strategies: 1 },
        asked_sizes: false,
    })
}

/// May the term stand at the path without nesting too deeply, or getting too large?
pub fn fits(path: &Path, t: &Term) -> bool {
    path.len() + t.depth() as usize <= 4 * MAX_DEPTH && t.size() <= LARGEST
}

impl Rule {
    /// Applies the rule to a whole sub-term.
    ///
    /// # Errors
    /// How far the left side matched, and what stands in the way.
    pub fn apply(&self, t: &Term, args: &[RuleArg]) -> Result<Applied, WhyNot> {
        self.apply_telling(t, args, true)
    }

    /// [`Rule::apply`], which only finds out why a rule does not apply where that is told. That something would be too large always is.
    ///
    /// # Errors
    /// As [`Rule::apply`].
    pub fn apply_telling(&self, t: &Term, args: &[RuleArg], tells: bool) -> Result<Applied, WhyNot> {
        // Most rules that are tried on a term end here.
        if !tells && self.equation(args).is_some_and(|eq| is_other_form(eq, t)) {
            return Err(WhyNot::untold());
        }
        self.check_arguments(args)?;
        self.check_sizes(args)?;
        let mut applied = match (&*self.body, self.equation(args)) {
            (Body::Procedure(p), _) => (p.run)(t, args)?,
            (Body::RightToLeft(back), _) => back.apply(t, args, tells)?,
            (_, None) => return Err(self.misfit(args)),
            (_, Some(eq)) => {
                // What is wrong with a term that is given comes first.
                let takes_terms = args.iter().any(|a| matches!(a, RuleArg::Term(_)));
                if let Some(why) = other_pattern(eq, t).filter(|_| !takes_terms) {
                    return Err(why);
                }
                let start = self.start(eq, args)?;
                match &eq.applied {
                    None => rewrite(eq, &eq.sides, start, t, tells)?,
                    // The nearer miss of the two forms is the better answer.
                    Some(applied) => match rewrite(eq, applied, start.clone(), t, tells) {
                        Ok(done) => done,
                        Err(far) => rewrite(eq, &eq.sides, start, t, tells)
                            .map_err(|near| if near.depth > far.depth { near } else { far })?,
                    },
                }
            }
        };
        for c in self.lengths(args) {
            match c.decide() {
                Some(false) => return Err(refuted(&c)),
                None if !applied.assumed.contains(&c) => applied.assumed.push(c),
                _ => {}
            }
        }
        applied.term = applied.term.rewritten_from(t);
        // A size that is too large to be written counts as unknown.
        let is_beyond = applied.term.has_metas() && !t.has_metas();
        if is_beyond || !fits(&Path::root(), &applied.term) {
            return Err(WhyNot::here(Reason::TooLarge));
        }
        if applied.term.ty() != t.ty() {
            return Err(WhyNot::condition(format!(
                "the result would have type {} instead of {}",
                applied.term.ty(),
                t.ty()
            )));
        }
        Ok(applied)
    }

    /// What must hold for the sizes among the arguments to be one or more, as a rule takes them to be.
    fn lengths(&self, args: &[RuleArg]) -> Vec<SizeConstraint> {
        let given = self.params.iter().zip(args).filter_map(|(param, arg)| match (&param.kind, arg) {
            (ParamKind::Nat(_), RuleArg::Nat(n)) => Some(n),
            _ => None,
        });
        given.flat_map(SizeConstraint::of_length).collect()
    }

    /// Where the left side stops to match when nothing is known of the arguments, if no argument can change that.
    pub fn stops_without(&self, t: &Term) -> Option<WhyNot> {
        let mut nearest: Option<WhyNot> = None;
        for eq in self.equations() {
            for sides in eq.applied.iter().chain([&eq.sides]) {
                let why = matches(eq, &sides.lhs, self.start(eq, &[]).ok()?, t, true).err()?;
                // Of sizes an argument may decide.
                if matches!(why.reason, Reason::Size { .. } | Reason::Argument { .. }) {
                    return None;
                }
                if nearest.as_ref().is_none_or(|near| near.depth < why.depth) {
                    nearest = Some(why);
                }
            }
        }
        nearest
    }

    fn check_arguments(&self, args: &[RuleArg]) -> Result<(), WhyNot> {
        let fits = |(p, a): (&super::RuleParam, &RuleArg)| {
            matches!(
                (&p.kind, a),
                (ParamKind::Nat(_) | ParamKind::Depth, RuleArg::Nat(_))
                    | (ParamKind::Addr(_), RuleArg::Addr(_))
                    | (ParamKind::Dim(_), RuleArg::Dim(_))
                    | (ParamKind::Term(..), RuleArg::Term(_))
                    | (ParamKind::Position, RuleArg::Position(_))
            )
        };
        if args.len() == self.params.len() && self.params.iter().zip(args).all(fits) {
            return Ok(());
        }
        Err(self.misfit(args))
    }

    pub(super) fn misfit(&self, args: &[RuleArg]) -> WhyNot {
        let wanted: Vec<String> =
            self.params.iter().map(|p| format!("{} ({})", p.name, p.kind.word())).collect();
        let wanted = if wanted.is_empty() { "no arguments".to_owned() } else { wanted.join(", ") };
        let given: Vec<String> = args.iter().map(RuleArg::to_string).collect();
        let given = if given.is_empty() { "none".to_owned() } else { given.join(", ") };
        WhyNot::here(Reason::Arguments(format!("`{}` takes {wanted}; given: {given}", self.name)))
    }

    /// Are the sizes among the arguments such as arrays have?
    fn check_sizes(&self, args: &[RuleArg]) -> Result<(), WhyNot> {
        for (param, arg) in self.params.iter().zip(args) {
            if let (ParamKind::Nat(_), RuleArg::Nat(n)) = (&param.kind, arg)
                && (n.is_evidently_below_one() || n.is_poison())
            {
                let is_fraction = n.as_constant().is_none() && n.vars().is_empty() && !n.is_poison();
                let sizes = if is_fraction { "are whole numbers" } else { "count from 1" };
                let text = format!("its argument {} is {n}, and sizes {sizes}", param.name);
                return Err(WhyNot::here(Reason::Arguments(text)));
            }
        }
        Ok(())
    }

    /// The bindings that the arguments give. Arguments may be left out where matching finds them.
    pub(super) fn start(&self, eq: &Equation, args: &[RuleArg]) -> Result<Bindings, WhyNot> {
        self.check_sizes(args)?;
        let mut b = Bindings::new(eq.vars.len(), eq.types.len(), eq.nats.len(), eq.slots.len());
        for (param, arg) in self.params.iter().zip(args) {
            match (&param.kind, arg) {
                (ParamKind::Nat(i), RuleArg::Nat(n)) => b.nats[*i] = Some(n.clone()),
                (ParamKind::Addr(i), RuleArg::Addr(a)) => b.slots[*i] = Some(Arg::Addr(*a)),
                (ParamKind::Dim(i), RuleArg::Dim(d)) => b.slots[*i] = Some(Arg::Dim(*d)),
                (ParamKind::Term(i, _), RuleArg::Term(t)) => {
                    b.terms[*i] = Some(Bound { term: t.clone(), at: None });
                }
                _ => {}
            }
        }
        Ok(b)
    }
}

fn rewrite(eq: &Equation, sides: &Sides, start: Bindings, t: &Term, tells: bool) -> Result<Applied, WhyNot> {
    let b = matches(eq, &sides.lhs, start, t, tells)?;
    let whole = sides.lhs.size() as u32;
    let at_condition = |mut why: WhyNot| {
        why.depth = whole;
        why
    };
    let mut assumed = vec![];
    for size in b.solved.iter().chain(&eq.needs) {
        for c in SizeConstraint::of_size(&b.size(size)) {
            match c.decide() {
                Some(true) => {}
                Some(false) => return Err(at_condition(refuted(&c))),
                None if assumed.contains(&c) => {}
                None if !eq.keeps(&c, &|v| TypeSubst::nat(&b, v)) => return Err(at_condition(forgotten(&c))),
                None => assumed.push(c),
            }
        }
    }
    if let Some((length, n)) = without_elements(&sides.rhs, &b) {
        let length = eq.readable_size(&length);
        let text = format!("it would make an array of {length} elements, which are {n} here");
        return Err(at_condition(WhyNot::here(Reason::Sizes(text))));
    }
    for c in &eq.conditions {
        c.check(eq, &b, &mut assumed).map_err(|why| match tells {
            true => at_condition(what_stands(c, eq, &b, why)),
            false => why,
        })?;
    }
    let (term, moved) = instantiate(&sides.rhs, &b).map_err(at_condition)?;
    Ok(Applied { term, moved, assumed })
}

/// A length of the side that is a number below one here, with that number: the program that is made would have no sizes.
fn without_elements(side: &Pat, b: &Bindings) -> Option<(Nat, Nat)> {
    let mut found = None;
    for p in side.nodes() {
        p.ty.for_each_nat(&mut |length| {
            // What is one of the rule's sizes stands on the left side, too.
            if found.is_some() || length.as_variable().is_some() || length.as_constant().is_some() {
                return;
            }
            let here = b.size(length);
            if here.as_constant().is_some_and(|n| n < 1) {
                found = Some((length.clone(), here));
            }
        });
    }
    found
}

/// A condition that does not hold, with what its variables stand for, where that can be written by itself.
fn what_stands(c: &Condition, eq: &Equation, b: &Bindings, mut why: WhyNot) -> WhyNot {
    if let Reason::Condition(text) | Reason::Unfit(text) = &mut why.reason {
        let closed = |v: &usize| b.term(*v).filter(|t| t.is_closed() && t.size() < 30);
        let known = c.vars().into_iter().filter_map(|v| Some((&eq.vars[v].name, closed(&v)?)));
        let options = print::Options { unicode: false, ..print::Options::default() };
        let known = known.map(|(name, t)| {
            let written = print::open_term(t, &[], &options).text;
            format!("{name} is {}", written.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        let known: Vec<String> = known.collect();
        if !known.is_empty() {
            *text += &format!(", where {}", known.join(" and "));
        }
    }
    why
}

#[cfg(test)]
mod tests {
    use super::super::equation::{RuleType, RuleVar};
    use super::super::pat::Pat;
    use super::super::{RuleData, RuleParam};
    use super::*;
    use crate::lang::build as b;
    use crate::lang::digest::Digest;
    use crate::lang::nat::Nat;
    use crate::lang::ty::Type;

    /// A rule from two terms whose free variables are the rule's, outermost of the context first.
    fn rule(
        vars: Vec<RuleVar>,
        types: usize,
        nats: &[&str],
        lhs: Term,
        rhs: Term,
        params: Vec<RuleParam>,
    ) -> Rule {
        let arities: Vec<usize> = vars.iter().map(|v| v.scope.len()).collect();
        let read = |t: &Term| Pat::from_term(t, &arities).unwrap();
        let sides = Sides { lhs: read(&lhs), rhs: read(&rhs) };
        let equation = Equation {
            vars,
            types: (0..types).map(|i| RuleType { name: format!("t{i}").into(), data: true }).collect(),
            nats: nats.iter().map(|n| Name::from(*n)).collect(),
            slots: vec![],
            sides,
            applied: None,
            conditions: vec![],
            needs: vec![],
            declared: std::sync::Arc::default(),
        };
        Rule::new(RuleData {
            name: "test".into(),
            theme: "test".into(),
            params: params.into(),
            body: Body::Equation(Box::new(equation)).into(),
            marks: super::super::Marks::NONE.into(),
            doc: String::new().into(),
            examples: vec![].into(),
            digest: Digest::of(b"test").into(),
            span: None,
            text: String::new().into(),
        })
    }

    fn var(name: &str, ty: Type) -> RuleVar {
        RuleVar { name: name.into(), scope: vec![], ty }
    }

    fn dot() -> Term {
        let row = Type::array(Nat::var("n"), Type::f32());
        let pair = Type::pair(Type::f32(), Type::f32());
        b::lam2(("a", row.clone()), ("b", row), |x, y| {
            let times = b::lam("x", pair, |p| b::mul(b::fst(p.clone())?, b::snd(p)?))?;
            let plus = b::pattern(crate::lang::pattern::Pattern::Add, vec![], &[Type::f32(), Type::f32()])?;
            b::reduce(plus, b::f32(0.0), b::map(times, b::zip(x, y)?)?)
        })
        .unwrap()
    }

    fn reduce_map_fusion() -> Rule {
        let (s, t, n) = (Type::meta(0), Type::meta(1), Nat::meta(0));
        let g = Term::var(3, Type::function(&[t.clone(), t.clone()], t.clone()));
        let init = Term::var(2, t.clone());
        let f = Term::var(1, Type::fun(s.clone(), t.clone()));
        let x = Term::var(0, Type::array(n, s.clone()));
        let lhs = b::reduce(g.clone(), init.clone(), b::map(f.clone(), x.clone()).unwrap()).unwrap();
        let op = b::lam2(("acc", t.clone()), ("x", s), |acc, y| {
            b::app(b::app(g.clone(), acc)?, b::app(f.clone(), y)?)
        });
        let rhs = b::reduce_seq(op.unwrap(), init.clone(), x.clone()).unwrap();
        let vars = [("g", &g), ("init", &init), ("f", &f), ("x", &x)].map(|(n, v)| var(n, v.ty().clone()));
        rule(vars.into(), 2, &["n"], lhs, rhs, vec![])
    }

    #[test]
    fn fusing_the_dot_product_gives_the_sequential_one_of_the_thesis() {
        let path = Path::parse("0.0").unwrap();
        let done = apply_at(&dot(), &path, &reduce_map_fusion(), &[]).unwrap();
        assert!(done.term.check().is_ok() && b::check_patterns(&done.term).is_ok());
        let expected =
            "(\\(\\(((reduceSeq[private] (\\(\\((add %1) ((mul (fst %0)) (snd %0)))))) 0.0) ((zip %1) %0))))";
        assert_eq!(format!("{:?}", done.term), expected);
        // The zip, the multiplication and the constant are where the map says.
        for (path, part) in dot().positions() {
            if let Some(new) = done.paths.get(&path)
                && part.as_pattern().is_some_and(|p| p.name() == "mul" || p.name() == "zip")
            {
                assert_eq!(done.term.at(&new).and_then(Term::as_pattern), part.as_pattern(), "{path}");
            }
        }
        let mul = Path::parse("0.0.1.0.1.0.0.0").unwrap();
        assert_eq!(dot().at(&mul).and_then(Term::as_pattern).map(|p| p.name()), Some("mul"));
        assert!(done.paths.get(&mul).is_some());
    }

    #[test]
    fn a_near_miss_says_where_the_match_stops() {
        let n = Type::array(Nat::var("n"), Type::f32());
        let plus =
            b::pattern(crate::lang::pattern::Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap();
        let sum = b::reduce(plus, b::f32(0.0), Term::var(0, n.clone())).unwrap();
        let why = reduce_map_fusion().apply(&sum, &[]).unwrap_err();
        assert_eq!(why.at.to_string(), "1");
        assert_eq!(why.to_string(), "expected map with 2 arguments, found a variable (at 1)");
        let why = reduce_map_fusion().apply(&Term::var(0, n), &[]).unwrap_err();
        assert_eq!(why.to_string(), "expected reduce with 3 arguments, found a variable");
        let why = reduce_map_fusion().apply(&sum, &[RuleArg::Nat(Nat::constant(4))]).unwrap_err();
        assert_eq!(why.to_string(), "`test` takes no arguments; given: 4");
    }

    fn split_join() -> Rule {
        let (s, t, n, p) = (Type::meta(0), Type::meta(1), Nat::meta(0), Nat::meta(1));
        let f = Term::var(1, Type::fun(s.clone(), t.clone()));
        let x = Term::var(0, Type::array(n.mul(&p), s));
        let lhs = b::map(f.clone(), x.clone()).unwrap();
        let inner = b::partial(
            crate::lang::pattern::Pattern::Map,
            vec![],
            vec![f.clone()],
            &[Type::array(p.clone(), Type::meta(0))],
        );
        let rhs = b::join(b::map(inner.unwrap(), b::split(&p, x.clone()).unwrap()).unwrap()).unwrap();
        let vars = [("f", &f), ("x", &x)].map(|(n, v)| var(n, v.ty().clone()));
        let params = vec![RuleParam { name: "p".into(), kind: ParamKind::Nat(1) }];
        rule(vars.into(), 2, &["n", "p"], lhs, rhs, params)
    }

    #[test]
    fn sizes_are_solved_assumed_or_refused() {
        let double = b::lam("x", Type::f32(), |x| b::add(x.clone(), x)).unwrap();
        let over = |n: Nat| b::map(double.clone(), Term::var(0, Type::array(n, Type::f32()))).unwrap();
        let by = [RuleArg::Nat(Nat::constant(32))];
        let done = split_join().apply(&over(Nat::var("m")), &by).unwrap();
        assert_eq!(done.term.ty().to_string(), "m.f32");
        let assumed: Vec<String> = done.assumed.iter().map(SizeConstraint::to_string).collect();
        assert_eq!(assumed, ["32 divides m"]);
        assert!(split_join().apply(&over(Nat::constant(96)), &by).unwrap().assumed.is_empty());
        let why = split_join().apply(&over(Nat::constant(100)), &by).unwrap_err();
        assert_eq!(why.to_string(), "32 does not divide 100");
    }

    #[test]
    fn unapplied_functions_match_up_to_eta() {
        let row = Type::array(Nat::var("m"), Type::f32());
        let double = b::lam("x", Type::f32(), |x| b::add(x.clone(), x)).unwrap();
        // map (\r. map double r) xs, for a rule on map (map f) x
        let inner = b::lam("r", row.clone(), |r| b::map(double.clone(), r)).unwrap();
        let t = b::map(inner, Term::var(0, Type::array(Nat::var("n"), row))).unwrap();
        let (s, u, n, m) = (Type::meta(0), Type::meta(1), Nat::meta(0), Nat::meta(1));
        let f = Term::var(1, Type::fun(s.clone(), u));
        let line = Type::array(m, s);
        let x = Term::var(0, Type::array(n, line.clone()));
        let partial =
            b::partial(crate::lang::pattern::Pattern::Map, vec![], vec![f.clone()], &[line]).unwrap();
        let lhs = b::map(partial, x.clone()).unwrap();
        let rhs = b::transpose(b::transpose(lhs.clone()).unwrap()).unwrap();
        let vars = [("f", &f), ("x", &x)].map(|(n, v)| var(n, v.ty().clone()));
        let done = rule(vars.into(), 2, &["n", "m"], lhs, rhs, vec![]).apply(&t, &[]).unwrap();
        assert!(
            format!("{:?}", done.term).starts_with("(transpose (transpose ((map (map (\\"),
            "{:?}",
            done.term
        );
    }
}
