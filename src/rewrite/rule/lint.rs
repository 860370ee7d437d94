//! What is worth knowing about a set of rules beyond their being well-typed: which say the same, which undo each other,
//! which apply wherever another does, which can apply to their own result for ever, what is not documented.
//!
//! A left side is turned into the most general term that it matches, with free variables for its own; what other
//! rules do to that term, they do to everything that the rule applies to.

use super::apply::apply_at;
use super::bindings::{Bindings, Bound};
use super::equation::{Equation, SlotKind};
use super::instance::instantiate_plainly;
use super::matching::matches;
use super::pat::{Pat, PatNode};
use super::set::RuleSet;
use super::{ParamKind, Rule};
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::path::Path;
use crate::lang::pattern::AddressSpace;
use crate::lang::print;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::{Type, TypeKind, TypeVar};
use std::fmt;

/// Something to know about a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub rule: Rule,
    pub kind: FindingKind,
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Often a mistake, at times meant.
    Warning,
    /// A mistake.
    Error,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// It does what another rule does, under the same conditions.
    Duplicate(Rule),
    /// An example is not what it does.
    Example(String),
    /// It has the left side of other rules, and another right side.
    SameLeft(Vec<Rule>),
    /// It undoes another rule.
    Undoes(Rule),
    /// It applies to its own result, so that repeating it does not end by itself.
    Expansive(Path),
    /// A variable of the left side is lost, and no condition looks at it.
    Erases(String),
    NoExample,
    NoDoc,
    /// Another rule does the same, and more.
    SpecialCase(Rule),
    /// It applies wherever these rules apply, and does something else there.
    Overlaps(Vec<Rule>),
}

impl FindingKind {
    pub fn name(&self) -> &'static str {
        match self {
            FindingKind::Duplicate(_) => "duplicate",
            FindingKind::Example(_) => "wrong example",
            FindingKind::SameLeft(_) => "same left side",
            FindingKind::Undoes(_) => "undoes",
            FindingKind::Expansive(_) => "expansive",
            FindingKind::Erases(_) => "erases",
            FindingKind::NoExample => "no example",
            FindingKind::NoDoc => "no documentation",
            FindingKind::SpecialCase(_) => "special case",
            FindingKind::Overlaps(_) => "overlap",
        }
    }

    pub fn level(&self) -> Level {
        match self {
            FindingKind::Duplicate(_) | FindingKind::Example(_) => Level::Error,
            FindingKind::SpecialCase(_) | FindingKind::Overlaps(_) => Level::Note,
            _ => Level::Warning,
        }
    }
}

fn listed(rules: &[Rule]) -> String {
    rules.iter().map(|r| format!("`{}`", r.name)).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.rule.name;
        match &self.kind {
            FindingKind::Duplicate(other) => write!(f, "`{name}` does the same as `{}`.", other.name),
            FindingKind::Example(what) => write!(f, "An example of `{name}` is not what it does: {what}"),
            FindingKind::SameLeft(others) => {
                write!(f, "`{name}` has the left side of {}, and another right side.", listed(others))
            }
            FindingKind::Undoes(other) => {
                write!(f, "`{name}` undoes `{}`: repeating both does not end.", other.name)
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
            FindingKind::NoExample => {
                write!(f, "`{name}` has no example: write `example (a: …) = before ~> after` below it.")
            }
            FindingKind::NoDoc => write!(f, "`{name}` says nowhere what it does: write `--| …` above it."),
            FindingKind::SpecialCase(other) => {
                write!(f, "`{name}` does what `{}` does, which applies elsewhere too.", other.name)
            }
            FindingKind::Overlaps(others) => {
                let verb = if others.len() == 1 { "does" } else { "do" };
                write!(f, "`{name}` applies wherever {} {verb}, with another result.", listed(others))
            }
        }
    }
}

/// A rule as one equation: of a family one for each depth.
struct Entry<'a> {
    rule: &'a Rule,
    eq: &'a Equation,
    sample: Sample,
}

/// A rule with all of its equations.
struct Group<'a> {
    rule: &'a Rule,
    entries: Vec<Entry<'a>>,
}

impl Group<'_> {
    fn of(rule: &Rule) -> Group<'_> {
        let entry = |eq| Some(Entry { rule, eq, sample: Sample::of(eq)? });
        Group { rule, entries: rule.equations().iter().filter_map(entry).collect() }
    }
}

/// Examines those of the rules that are equations and asked for, beside all the others. Of a rule that does the same as another one only
/// that is said, once.
pub fn lint(rules: &RuleSet, asked: &dyn Fn(&Rule) -> bool) -> Vec<Finding> {
    let groups: Vec<Group> = rules.rules().filter(|r| !r.equations().is_empty()).map(Group::of).collect();
    let mut duplicates: Vec<Option<usize>> = vec![None; groups.len()];
    for (i, own) in groups.iter().enumerate().filter(|(_, own)| asked(own.rule)) {
        let comes_first = |j: usize| j < i || j > i && !asked(groups[j].rule);
        let mut others = (0..groups.len()).filter(|j| duplicates[*j].is_none() && comes_first(*j));
        duplicates[i] = others.find(|j| do_the_same(own, &groups[*j]));
    }
    let mut out = vec![];
    for (i, own) in groups.iter().enumerate().filter(|(_, own)| asked(own.rule)) {
        let mut kinds = by_itself(own.rule);
        if let Some(found) = own.entries.iter().find_map(expansive) {
            kinds.push(found);
        }
        kinds.extend(own.entries.first().map(erased).unwrap_or_default());
        match duplicates[i] {
            Some(other) => kinds.push(FindingKind::Duplicate(groups[other].rule.clone())),
            None if own.entries.is_empty() => {}
            None => {
                let is_other = |(j, other): &(usize, &Group)| {
                    *j != i && duplicates[*j].is_none() && !other.entries.is_empty()
                };
                let others = groups.iter().enumerate().filter(is_other);
                let others = others.map(|(j, other)| (other, j < i || !asked(other.rule)));
                kinds.extend(among(own, others));
            }
        }
        kinds.sort_by_key(|k| std::cmp::Reverse(k.level()));
        out.extend(kinds.into_iter().map(|kind| Finding { rule: own.rule.clone(), kind }));
    }
    out
}

/// What can be said of a rule without looking at others.
fn by_itself(rule: &Rule) -> Vec<FindingKind> {
    let mut out = vec![];
    if rule.examples.is_empty() {
        out.push(FindingKind::NoExample);
    }
    if rule.doc.trim().is_empty() {
        out.push(FindingKind::NoDoc);
    }
    for example in rule.examples.iter() {
        let names: Vec<Name> = example.context.iter().rev().map(|(n, _)| n.clone()).collect();
        match apply_at(&example.before, &Path::root(), rule, &example.args) {
            Ok(done) if done.term == example.after => {}
            Ok(done) => {
                let text = print::open_term(&done.term, &names, &print::Options::default()).text;
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                out.push(FindingKind::Example(format!("`{}` becomes `{text}`.", example.text.0)));
            }
            Err(why) => {
                let what = format!("it does not apply to `{}`: {why}.", example.text.0);
                out.push(FindingKind::Example(what));
            }
        }
    }
    out
}

fn expansive(e: &Entry) -> Option<FindingKind> {
    let mut positions = e.sample.rhs.positions().into_iter();
    let here = |part: &Term| matches(e.eq, &e.eq.sides.lhs, given(e, e), part, false).is_ok();
    positions.find(|(_, part)| here(part)).map(|(path, _)| FindingKind::Expansive(path))
}

fn erased(e: &Entry) -> Vec<FindingKind> {
    let on = |side: &Pat, v: usize| {
        let nodes = side.nodes();
        nodes.iter().any(|p| matches!(p.node, PatNode::Var(w, _) | PatNode::Vectorise(_, w) if v == w))
    };
    let read = |v: usize| e.eq.conditions.iter().any(|c| c.vars().contains(&v));
    let lost = |v: &usize| on(&e.eq.sides.lhs, *v) && !on(&e.eq.sides.rhs, *v) && !read(*v);
    (0..e.eq.vars.len()).filter(lost).map(|v| FindingKind::Erases(e.eq.vars[v].name.to_string())).collect()
}

/// What two rules can be to each other where the first applies to all that the second applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// With the same result under the same conditions.
    Same,
    /// With the same result under fewer conditions.
    Weaker,
    Other,
}

/// What `e` does with everything that `other` applies to.
fn relation(e: &Entry, other: &Entry) -> Option<Relation> {
    let b = matches(e.eq, &e.eq.sides.lhs, given(e, other), &other.sample.lhs, false).ok()?;
    if instantiate_plainly(&e.eq.sides.rhs, &b).is_ok_and(|t| t == other.sample.rhs) {
        let (own, others) = (renamed(e, other, &b), conditions(other.eq));
        if own.len() == others.len() && own.iter().all(|c| others.contains(c)) {
            return Some(Relation::Same);
        }
        if own.iter().all(|c| others.contains(c)) {
            return Some(Relation::Weaker);
        }
    }
    Some(Relation::Other)
}

fn conditions(eq: &Equation) -> Vec<String> {
    eq.conditions.iter().map(|c| c.text(eq)).collect()
}

/// The conditions of `e` in the names of `other`, of which it matches the left side.
fn renamed(e: &Entry, other: &Entry, b: &Bindings) -> Vec<String> {
    let mut eq = e.eq.clone();
    for (v, var) in eq.vars.iter_mut().enumerate() {
        let same = other.sample.vars.iter().position(|t| b.term(v) == Some(t));
        if let Some(w) = same
            && var.scope.len() == other.eq.vars[w].scope.len()
        {
            var.clone_from(&other.eq.vars[w]);
        }
    }
    for (i, t) in eq.types.iter_mut().enumerate() {
        if let Some(Some(found)) = b.types.get(i)
            && let TypeKind::Var(TypeVar::Named(name)) = found.kind()
        {
            t.name = name.clone();
        }
    }
    for (i, n) in eq.nats.iter_mut().enumerate() {
        if let Some(Some(found)) = b.nats.get(i)
            && let Some(NatVar::Named(name)) = found.as_variable()
        {
            *n = name.clone();
        }
    }
    conditions(&eq)
}

/// Does `e` make of all right sides of `other` the left sides again?
fn undoes(e: &Entry, other: &Entry) -> bool {
    matches(e.eq, &e.eq.sides.lhs, given(e, other), &other.sample.rhs, false)
        .is_ok_and(|b| instantiate_plainly(&e.eq.sides.rhs, &b).is_ok_and(|t| t == other.sample.lhs))
}

/// Are all equations of each rule equations of the other?
fn do_the_same(own: &Group, other: &Group) -> bool {
    let is = |a: &Entry, b: &Entry| relation(a, b) == Some(Relation::Same);
    let has = |all: &Group, e: &Entry| all.entries.iter().any(|m| is(m, e) && is(e, m));
    let has_all = |all: &Group, of: &Group| of.entries.iter().all(|e| has(all, e));
    !own.entries.is_empty() && !other.entries.is_empty() && has_all(other, own) && has_all(own, other)
}

/// A rule among those that do something else, each with whether it comes first.
fn among<'a>(own: &Group, others: impl Iterator<Item = (&'a Group<'a>, bool)>) -> Vec<FindingKind> {
    let (mut out, mut same, mut over) = (vec![], vec![], vec![]);
    let is = |a: &Entry, b: &Entry, wanted: Relation| relation(a, b) == Some(wanted);
    for (other, comes_first) in others {
        let members = || other.entries.iter();
        let special =
            |e: &Entry| members().any(|m| matches!(relation(m, e), Some(Relation::Same | Relation::Weaker)));
        if own.entries.iter().all(special) {
            out.push(FindingKind::SpecialCase(other.rule.clone()));
            continue;
        }
        if comes_first && own.entries.iter().any(|e| members().any(|m| undoes(e, m))) {
            out.push(FindingKind::Undoes(other.rule.clone()));
        }
        // A bare variable on the left applies to everything; that is no news.
        if own.entries.iter().any(|e| matches!(e.eq.sides.lhs.node, PatNode::Var(..))) {
            continue;
        }
        let wherever = |e: &Entry| members().any(|m| is(e, m, Relation::Other));
        let everywhere = |e: &Entry| members().any(|m| is(e, m, Relation::Other) && relation(m, e).is_some());
        if own.entries.iter().any(everywhere) {
            same.push(other.rule.clone());
        } else if own.entries.iter().any(wherever) {
            over.push(other.rule.clone());
        }
    }
    if !same.is_empty() {
        out.push(FindingKind::SameLeft(same));
    }
    if !over.is_empty() {
        out.push(FindingKind::Overlaps(over));
    }
    out
}

/// The most general terms of the two sides.
struct Sample {
    lhs: Term,
    rhs: Term,
    /// What each variable stands for.
    vars: Vec<Term>,
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
        for i in 0..eq.slots.len() {
            b.slots[i] = Some(slot(eq, i));
        }
        let mut vars = vec![];
        for (i, v) in eq.vars.iter().enumerate() {
            let k = v.scope.len() as u32;
            let head = Term::var(k + i as u32, v.function_type().subst(&b));
            let args = v.scope.iter().enumerate().map(|(j, (_, t))| Term::var(k - 1 - j as u32, t.subst(&b)));
            let term = Term::apps(head, args.collect::<Vec<_>>());
            vars.push(term.clone());
            b.terms[i] = Some(Bound { term, at: None });
        }
        Some(Sample {
            lhs: instantiate_plainly(&eq.sides.lhs, &b).ok()?,
            rhs: instantiate_plainly(&eq.sides.rhs, &b).unwrap_or_else(|_| Term::var(0, Type::ill())),
            vars,
        })
    }
}

/// What stands for any address space or dimension: one that hardly a rule names.
fn slot(eq: &Equation, i: usize) -> Arg {
    match eq.slots[i].kind {
        SlotKind::Addr => Arg::Addr(if i == 0 { AddressSpace::Constant } else { AddressSpace::Local }),
        SlotKind::Dim => Arg::Dim(if i == 0 { 2 } else { 1 }),
    }
}

/// The parameters as those of the other rule, by kind and order, so that a match does not stop for want of them.
fn given(e: &Entry, other: &Entry) -> Bindings {
    let eq = e.eq;
    let mut b = Bindings::new(eq.vars.len(), eq.types.len(), eq.nats.len(), eq.slots.len());
    let mut theirs: Vec<_> = other.rule.params.iter().collect();
    for p in e.rule.params.iter() {
        let same = |q: &&&super::RuleParam| q.kind.word() == p.kind.word();
        let place = theirs.iter().position(|q| same(&q));
        let of = place.map(|i| theirs.remove(i));
        match p.kind {
            ParamKind::Nat(i) => b.nats[i] = Some(Nat::var(of.map_or(&p.name, |q| &q.name))),
            ParamKind::Addr(i) | ParamKind::Dim(i) => {
                b.slots[i] = Some(match of.map(|q| &q.kind) {
                    Some(ParamKind::Addr(j) | ParamKind::Dim(j)) => slot(other.eq, *j),
                    _ => slot(eq, i),
                });
            }
            _ => {}
        }
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::source::Sources;
    use crate::rule::load::Source;

    fn findings(text: &str) -> Vec<String> {
        let mut rules = RuleSet::default();
        let mut sources = Sources::new();
        let problems = rules.load(&mut sources, &[Source { label: "own.rules", text }]);
        assert!(problems.is_empty(), "{}", problems[0].render(&sources));
        let found = lint(&rules, &|_| true);
        let told = found.iter().filter(|f| !matches!(f.kind, FindingKind::NoExample | FindingKind::NoDoc));
        told.map(ToString::to_string).collect()
    }

    #[test]
    fn what_stands_out_is_found() {
        let same = "rule a = map f (map g xs) ~> map (\\y. f (g y)) xs
                    rule b = map h (map k ys) ~> map (\\z. h (k z)) ys";
        assert_eq!(findings(same)[..1], ["`b` does the same as `a`."]);
        // Of many that do the same each is told once.
        let many: String = ["a", "b", "c", "d"]
            .map(|n| format!("rule {n} = map f (map g xs) ~> map (\\y. f (g y)) xs\n"))
            .concat();
        let told = findings(&many);
        assert_eq!(told, ["b", "c", "d"].map(|n| format!("`{n}` does the same as `a`.")), "{told:?}");
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
