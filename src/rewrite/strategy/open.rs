//! What strategies leave open: sizes and alternatives that tuning chooses, `?tile in {4, 8, 16}` and `choose(s, t)`.
//!
//! In: the text of a strategy, and the definitions that it calls. Out: its parameters with their values, in the order in
//! which they are met, and the text with values in their place. A name is one parameter wherever it stands. Where nothing
//! is chosen, the first value holds.

use super::script::{Definition, Script};
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::Name;
use crate::lang::syntax::ast::{
    Among, Ident, Local, Node, Number, Open, Part, Shape, ShapeKind, Strategy, StrategyDef, StrategyKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// The call that leaves a choice between strategies open: `choose(s, t)`.
pub const CHOOSE: &str = "choose";

/// How `with` names one of several strategies.
pub(super) const BY_NUMBER: &str = "Of several strategies `with` takes one by its number, counted from 1: `s with (way: 2)` takes the second.";

/// What may stand for a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Whole numbers: of each pair all from the one to the other. None where they follow from the program's sizes.
    Sizes(Option<Vec<(i64, i64)>>),
    /// Strategies, as they are written.
    Ways(Vec<Strategy>),
}

/// The alternatives that are taken around something, outermost first: the name of each choice, and which strategy it is,
/// counted from 1.
pub type Ways = Vec<(Name, i64)>;

/// Something that is left open.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: Name,
    pub domain: Domain,
    /// A value that stood there otherwise, where it is known.
    pub usual: Option<i64>,
    /// The places where it is met, each by the alternatives that lead there.
    places: Vec<Ways>,
    /// Does it stand in the text itself, and not in a definition?
    pub here: bool,
    pub span: Span,
}

impl Parameter {
    /// The places where it is met.
    pub fn places(&self) -> &[Ways] {
        &self.places
    }

    /// Does it decide anything where these alternatives are taken?
    pub fn is_met(&self, taken: &dyn Fn(&Name) -> Option<i64>) -> bool {
        self.places.iter().any(|ways| ways.iter().all(|(name, way)| taken(name) == Some(*way)))
    }
}

type Read<T> = Result<T, Box<Diagnostic>>;

/// Of so many definitions it is known in which alternatives they are called; of others they are taken to be called in all.
const MOST_KNOWN: usize = 10_000;

/// The sizes that are left open in a strategy, outermost first.
pub fn sizes_in(s: &Strategy) -> Vec<&Open> {
    if let StrategyKind::Open(open) = &s.kind
        && open.is_size()
    {
        return vec![open];
    }
    let mut found = vec![];
    Part::Strategy(s).for_each(&mut |part| {
        if let Part::Strategy(inner) = part {
            found.extend(sizes_in(inner));
        }
    });
    found
}

/// The strategy with some of its parts replaced, outermost first; what is put in place is not looked at again.
pub fn replaced(s: &Strategy, f: &mut dyn FnMut(&Strategy) -> Option<Strategy>) -> Strategy {
    if let Some(other) = f(s) {
        return other;
    }
    let mut all = |list: &[Strategy]| list.iter().map(|s| replaced(s, f)).collect::<Vec<_>>();
    let kind = match &s.kind {
        StrategyKind::Call(head, args) => StrategyKind::Call(head.clone(), all(args)),
        StrategyKind::List(items) => StrategyKind::List(all(items)),
        StrategyKind::Choice(items) => StrategyKind::Choice(all(items)),
        StrategyKind::Cons(a, b) => StrategyKind::Cons(Box::new(replaced(a, f)), Box::new(replaced(b, f))),
        StrategyKind::Compare(a, op, b) => {
            StrategyKind::Compare(Box::new(replaced(a, f)), *op, Box::new(replaced(b, f)))
        }
        StrategyKind::Infix(a, rest) => {
            let a = Box::new(replaced(a, f));
            StrategyKind::Infix(a, rest.iter().map(|(op, s)| (*op, replaced(s, f))).collect())
        }
        StrategyKind::Seq(a, rest) => {
            let a = Box::new(replaced(a, f));
            StrategyKind::Seq(a, rest.iter().map(|(op, s)| (*op, replaced(s, f))).collect())
        }
        StrategyKind::At(a, rest) => {
            let a = Box::new(replaced(a, f));
            StrategyKind::At(a, rest.iter().map(|s| replaced(s, f)).collect())
        }
        StrategyKind::Else(s, text) => StrategyKind::Else(Box::new(replaced(s, f)), text.clone()),
        StrategyKind::Let { name, value, body } => {
            let (value, body) = (Box::new(replaced(value, f)), Box::new(replaced(body, f)));
            StrategyKind::Let { name: name.clone(), value, body }
        }
        StrategyKind::With(s, values) => {
            let s = Box::new(replaced(s, f));
            StrategyKind::With(s, values.iter().map(|(name, s)| (name.clone(), replaced(s, f))).collect())
        }
        StrategyKind::Open(Open { name, among: Some(among) }) => {
            let among = among.iter().map(|among| match among {
                Among::One(s) => Among::One(replaced(s, f)),
                range @ Among::Range(..) => range.clone(),
            });
            StrategyKind::Open(Open { name: name.clone(), among: Some(among.collect()) })
        }
        StrategyKind::Reach(reach) => {
            let mut reach = reach.clone();
            reach.options.iter_mut().for_each(|(_, value)| *value = replaced(value, f));
            StrategyKind::Reach(reach)
        }
        StrategyKind::Name(_)
        | StrategyKind::Number(_)
        | StrategyKind::Open(_)
        | StrategyKind::Satisfies(_)
        | StrategyKind::Error => s.kind.clone(),
    };
    Node::new(s.span, kind)
}

/// Gives names to what is left open without one: in a definition its own name, in a text that of the parameter that it is
/// given for.
struct Naming<'a> {
    taken: BTreeSet<Name>,
    of_params: &'a dyn Fn(&str) -> Vec<Name>,
    otherwise: Name,
}

impl Naming<'_> {
    fn fresh(&mut self, wanted: &Name) -> Name {
        let numbered = (2..).map(|n| Name::from(format!("{wanted}{n}")));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        let name = names.find(|n| !self.taken.contains(n)).unwrap_or_else(|| wanted.clone());
        self.taken.insert(name.clone());
        name
    }

    fn named(&mut self, s: &Strategy, wanted: Option<&Name>) -> Strategy {
        let otherwise = self.otherwise.clone();
        let wanted = wanted.unwrap_or(&otherwise);
        replaced(s, &mut |part| match &part.kind {
            StrategyKind::Open(Open { name: None, among }) => {
                let name = Some(self.fresh(wanted));
                let open = Node::new(part.span, StrategyKind::Open(Open { name, among: among.clone() }));
                Some(self.inside(&open))
            }
            StrategyKind::Call(head, args) if &*head.kind == CHOOSE => {
                let name = Some(self.fresh(wanted));
                let among = Some(args.iter().cloned().map(Among::One).collect());
                let open = Node::new(part.span, StrategyKind::Open(Open { name, among }));
                Some(self.inside(&open))
            }
            StrategyKind::Call(head, args) => {
                let params = (self.of_params)(&head.kind);
                let of = |i: usize| params.get(i).filter(|name| &***name != "_");
                let args = args.iter().enumerate().map(|(i, arg)| self.named(arg, of(i)));
                let args = args.collect();
                Some(Node::new(part.span, StrategyKind::Call(head.clone(), args)))
            }
            _ => None,
        })
    }

    /// What is open within alternatives.
    fn inside(&mut self, open: &Strategy) -> Strategy {
        let StrategyKind::Open(Open { name, among: Some(among) }) = &open.kind else { return open.clone() };
        let among = among.iter().map(|among| match among {
            Among::One(s) => Among::One(self.named(s, None)),
            range @ Among::Range(..) => range.clone(),
        });
        let among = Some(among.collect());
        Node::new(open.span, StrategyKind::Open(Open { name: name.clone(), among }))
    }
}

fn names_in(s: &Strategy, out: &mut BTreeSet<Name>) {
    if let StrategyKind::Open(Open { name: Some(name), .. }) = &s.kind {
        out.insert(name.clone());
    }
    Part::Strategy(s).for_each(&mut |part| {
        if let Part::Strategy(inner) = part {
            names_in(inner, out);
        }
    });
}

/// Is anything left open in this text itself?
fn is_open(s: &Strategy) -> bool {
    let mut found = matches!(&s.kind, StrategyKind::Open(_))
        || matches!(&s.kind, StrategyKind::Call(head, _) if &*head.kind == CHOOSE);
    Part::Strategy(s).for_each(&mut |part| {
        if let Part::Strategy(inner) = part {
            found = found || is_open(inner);
        }
    });
    found
}

/// The strategies that names stand for in these texts.
fn ways_in<'a>(texts: impl Iterator<Item = &'a Strategy>) -> BTreeMap<Name, Open> {
    fn walk(s: &Strategy, out: &mut BTreeMap<Name, Open>) {
        if let StrategyKind::Open(open @ Open { name: Some(name), .. }) = &s.kind
            && !open.is_size()
        {
            out.entry(name.clone()).or_insert_with(|| open.clone());
        }
        Part::Strategy(s).for_each(&mut |part| {
            if let Part::Strategy(inner) = part {
                walk(inner, out);
            }
        });
    }
    let mut out = BTreeMap::new();
    texts.for_each(|s| walk(s, &mut out));
    out
}

/// The text in which each name of one of several strategies stands for all of these, wherever it stands without them.
fn with_ways(s: &Strategy, ways: &BTreeMap<Name, Open>) -> Strategy {
    replaced(s, &mut |part| match &part.kind {
        StrategyKind::Open(Open { name: Some(name), among: None }) => {
            let open = ways.get(name)?.clone();
            Some(Node::new(part.span, StrategyKind::Open(open)))
        }
        _ => None,
    })
}

/// The strategy in which everything that is left open has a name: that of the parameter which it is given for, unless the
/// text or what it calls has another of that name.
pub fn named(s: &Strategy, script: &Script) -> Strategy {
    if !is_open(s) {
        return s.clone();
    }
    let mut taken = BTreeSet::new();
    names_in(s, &mut taken);
    // What is wrong with those is told when the space is read.
    taken.extend(parameters(s, script).into_iter().flatten().map(|p| p.name));
    let of_params = |name: &str| script.strategy(name).map(|d| d.params()).unwrap_or_default();
    let named = Naming { taken, of_params: &of_params, otherwise: "choice".into() }.named(s, None);
    with_ways(&named, &ways_in(std::iter::once(&named)))
}

/// The definition in which everything that is left open has a name: its own.
pub fn named_definition(def: &StrategyDef) -> StrategyDef {
    let bodies = || std::iter::once(&def.body).chain(def.locals.iter().map(|l| &l.body));
    let defaults = |params: &[Shape]| {
        params.iter().any(|p| matches!(&p.kind, ShapeKind::Default(_, value) if is_open(value)))
    };
    if !bodies().any(is_open) && !defaults(&def.params) {
        return def.clone();
    }
    let mut taken = BTreeSet::new();
    bodies().for_each(|body| names_in(body, &mut taken));
    let mut naming = Naming { taken, of_params: &|_| vec![], otherwise: def.name.kind.clone() };
    let mut out = def.clone();
    out.body = naming.named(&def.body, None);
    out.locals = def
        .locals
        .iter()
        .map(|local| Local { body: naming.named(&local.body, None), ..local.clone() })
        .collect();
    for param in &mut out.params {
        if let ShapeKind::Default(name, value) = &mut param.kind {
            **value = naming.named(value, Some(&*name));
        }
    }
    let texts = out.params.iter().filter_map(usual).chain(std::iter::once(&out.body));
    let ways = ways_in(texts.chain(out.locals.iter().map(|l| &l.body)));
    if !ways.is_empty() {
        out.body = with_ways(&out.body, &ways);
        out.locals.iter_mut().for_each(|l| l.body = with_ways(&l.body, &ways));
        for param in &mut out.params {
            if let ShapeKind::Default(_, value) = &mut param.kind {
                **value = with_ways(value, &ways);
            }
        }
    }
    out
}

fn name_of(shape: &Shape) -> Option<&Name> {
    match &shape.kind {
        ShapeKind::Name(name) | ShapeKind::Default(name, _) => Some(name),
        _ => None,
    }
}

/// What a parameter is where a call leaves it out.
fn usual(shape: &Shape) -> Option<&Strategy> {
    if let ShapeKind::Default(_, value) = &shape.kind { Some(value) } else { None }
}

/// Does the name occur in the text?
fn mentions(s: &Strategy, name: &Name) -> bool {
    let own = match &s.kind {
        StrategyKind::Name(other) => other == name,
        StrategyKind::Call(head, _) => head.kind == *name,
        StrategyKind::Reach(_) => true,
        _ => false,
    };
    let mut found = own;
    Part::Strategy(s).for_each(&mut |part| {
        found = found
            || match part {
                Part::Strategy(inner) => mentions(inner, name),
                // Sizes of terms and sketches may be parameters.
                Part::Expr(_) | Part::Type(_) => true,
            };
    });
    found
}

/// Everything that is left open in a strategy and in what it calls, in the order in which it is met. What `with` gives a
/// value is not.
///
/// # Errors
/// `E0314`: no values, values that are none, or other values under one name.
pub fn parameters(s: &Strategy, script: &Script) -> Read<Vec<Parameter>> {
    let mut walk = Walk {
        script,
        found: vec![],
        known: BTreeSet::new(),
        fixed: vec![],
        ways: vec![],
        bound: Bound::new(),
    };
    walk.strategy(s, true)?;
    Ok(walk.found)
}

/// What parameters of a definition stand for, where that is another definition.
type Bound = BTreeMap<Name, Name>;

struct Walk<'a> {
    script: &'a Script,
    found: Vec<Parameter>,
    /// The definitions that were met, with what had a value around them, the alternatives that they are in, the number of
    /// arguments, and what those stand for.
    known: BTreeSet<(Name, Vec<Name>, Ways, usize, Bound)>,
    fixed: Vec<Name>,
    /// Those around what is read.
    ways: Ways,
    /// Of the definition that is read.
    bound: Bound,
}

impl Walk<'_> {
    fn strategy(&mut self, s: &Strategy, here: bool) -> Read<()> {
        match &s.kind {
            StrategyKind::With(inner, values) => {
                for (_, value) in values {
                    self.strategy(value, here)?;
                }
                let outside = self.fixed.clone();
                self.fixed.extend(values.iter().map(|(name, _)| name.kind.clone()));
                self.fixed.sort();
                self.fixed.dedup();
                let done = self.strategy(inner, here);
                self.fixed = outside;
                return done;
            }
            StrategyKind::Open(open) => {
                self.open(open, s.span, here)?;
                return self.alternatives(open, here);
            }
            StrategyKind::Name(name) => self.called(name, &[], here)?,
            StrategyKind::Call(head, args) => {
                self.called(&head.kind, args, here)?;
                // What is told to a strategy that does not ask for it plays no part.
                let asked = self.asked(&head.kind);
                let mut args =
                    args.iter().enumerate().filter(|(i, _)| asked.get(*i).copied().unwrap_or(true));
                return args.try_for_each(|(_, arg)| self.strategy(arg, here));
            }
            _ => {}
        }
        let mut result = Ok(());
        Part::Strategy(s).for_each(&mut |part| {
            if let (Part::Strategy(inner), Ok(())) = (part, &result) {
                result = self.strategy(inner, here);
            }
        });
        result
    }

    /// What is left open within the alternatives. Within one of them the same choice is made already.
    fn alternatives(&mut self, open: &Open, here: bool) -> Read<()> {
        let Some(name) = open.name.as_ref().filter(|_| !open.is_size()) else { return Ok(()) };
        let taken = self.ways.iter().find(|(other, _)| other == name).map(|(_, way)| *way);
        for (way, among) in (1..).zip(open.among.iter().flatten()) {
            let Among::One(inner) = among else { continue };
            if taken.is_some_and(|taken| taken != way) {
                continue;
            }
            let around = self.ways.len();
            self.ways.extend(taken.is_none().then(|| (name.clone(), way)));
            let read = self.strategy(inner, here);
            self.ways.truncate(around);
            read?;
        }
        Ok(())
    }

    /// Is this definition met for the first time here?
    fn is_new(&mut self, name: &Name, args: usize, bound: &Bound) -> bool {
        if self.known.len() >= MOST_KNOWN {
            self.ways.clear();
        }
        self.known.insert((name.clone(), self.fixed.clone(), self.ways.clone(), args, bound.clone()))
    }

    /// Which parameters the body of a definition asks for, where it has one clause alone.
    fn asked(&self, name: &Name) -> Vec<bool> {
        let name = self.bound.get(name).unwrap_or(name);
        let Some([clause]) = self.script.strategy(name).map(|d| d.clauses.as_slice()) else { return vec![] };
        let def = &clause.def;
        let locals = def.locals.iter().flat_map(|l| l.params.iter().filter_map(usual).chain([&l.body]));
        let texts: Vec<&Strategy> =
            locals.chain([&def.body]).chain(def.params.iter().filter_map(usual)).collect();
        let asked = |shape: &Shape| match name_of(shape) {
            Some(param) => texts.iter().any(|text| mentions(text, param)),
            None => true,
        };
        def.params.iter().map(asked).collect()
    }

    /// What the parameters of a definition stand for in a call, where that is a definition.
    fn bound_in(&self, params: &[Shape], args: &[Strategy]) -> Bound {
        let value = |i: usize, shape: &Shape| match args.get(i).or_else(|| usual(shape))?.kind {
            StrategyKind::Name(ref value) => Some(self.bound.get(value).unwrap_or(value).clone()),
            _ => None,
        };
        let defined = |name: &Name| self.script.strategy(name).is_some();
        let bound =
            params.iter().enumerate().filter_map(|(i, shape)| Some((name_of(shape)?, value(i, shape)?)));
        bound.filter(|(_, value)| defined(value)).map(|(param, value)| (param.clone(), value)).collect()
    }

    fn called(&mut self, name: &Name, args: &[Strategy], here: bool) -> Read<()> {
        let script = self.script;
        if let Some(alias) = script.alias(name) {
            let target = alias.target.name.kind.clone();
            if self.is_new(name, args.len(), &Bound::new()) {
                self.called(&target, &[], here)?;
            }
        }
        let Some(definition) = script.strategy(name) else { return Ok(()) };
        // A value that a parameter has by itself is where tuning starts from.
        for (param, arg) in definition.clauses.first().iter().flat_map(|c| &c.def.params).zip(args) {
            if let (ShapeKind::Default(_, usual), StrategyKind::Open(open)) = (&param.kind, &arg.kind)
                && let StrategyKind::Number(usual) = &usual.kind
            {
                self.open(open, arg.span, here)?;
                let found = self.found.iter_mut().find(|p| Some(&p.name) == open.name.as_ref());
                if let Some(parameter) = found {
                    parameter.usual = parameter.usual.or(usual.as_int());
                }
            }
        }
        let bound = match definition.clauses.as_slice() {
            [clause] => self.bound_in(&clause.def.params, args),
            _ => Bound::new(),
        };
        if !self.is_new(name, args.len(), &bound) {
            return Ok(());
        }
        let outside = std::mem::replace(&mut self.bound, bound);
        let read = self.definition(definition, args.len());
        self.bound = outside;
        read
    }

    fn definition(&mut self, definition: &Definition, args: usize) -> Read<()> {
        for clause in definition.clauses.iter() {
            let left_out = clause.def.params.iter().skip(args);
            for param in left_out.chain(clause.def.locals.iter().flat_map(|l| &l.params)) {
                if let ShapeKind::Default(_, value) = &param.kind {
                    self.strategy(value, false)?;
                }
            }
            self.strategy(&clause.def.body, false)?;
            for local in &clause.def.locals {
                self.strategy(&local.body, false)?;
            }
        }
        Ok(())
    }

    fn open(&mut self, open: &Open, span: Span, here: bool) -> Read<()> {
        let Some(name) = &open.name else { return Ok(()) };
        if self.fixed.contains(name) {
            return Ok(());
        }
        let domain = domain(open, span)?;
        let Some(known) = self.found.iter_mut().find(|p| p.name == *name) else {
            let places = vec![self.ways.clone()];
            self.found.push(Parameter { name: name.clone(), domain, usual: None, places, here, span });
            return Ok(());
        };
        if !known.places.contains(&self.ways) {
            known.places.push(self.ways.clone());
        }
        match (&known.domain, &domain) {
            (_, Domain::Sizes(None)) => {}
            (Domain::Sizes(None), Domain::Sizes(_)) => known.domain = domain,
            (Domain::Ways(a), Domain::Ways(b)) if a.len() == b.len() => {}
            (a, b) if a == b => {}
            _ => {
                let message = format!("`?{name}` has other values elsewhere.");
                let problem = problem(message, span, "other values here").label(known.span, "than here");
                let hint = "A name is one parameter wherever it stands: choose another name, or write the values in one place and \
                            the name alone in the others.";
                return Err(Box::new(problem.hint(hint)));
            }
        }
        Ok(())
    }
}

fn problem(message: impl Into<String>, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error("E0314", message).label(span, label)
}

/// What may stand for something that is left open.
///
/// # Errors
/// `E0314`: there is nothing, or something that is no whole number or at most 0.
pub fn domain(open: &Open, span: Span) -> Read<Domain> {
    const HINT: &str = "Write values as `?tile in {4, 8, 16..32}`, or strategies as `choose(s, t)`.";
    let Some(among) = &open.among else { return Ok(Domain::Sizes(None)) };
    let name = open.name.as_deref().unwrap_or_default();
    if among.is_empty() {
        let problem = problem(format!("`?{name}` has no values to choose from."), span, "nothing in here");
        return Err(Box::new(problem.hint(HINT)));
    }
    if !open.is_size() {
        let ways = among.iter().map(|among| match among {
            Among::One(s) => Ok(s.clone()),
            Among::Range(low, _) => {
                let problem = problem("A range stands among strategies.", low.span, "a range of numbers");
                Err(Box::new(problem.hint(HINT)))
            }
        });
        return Ok(Domain::Ways(ways.collect::<Read<_>>()?));
    }
    let size = |number: &Number, span: Span| match number.as_int() {
        Some(n) if n >= 1 => Ok(n),
        Some(_) => Err(Box::new(problem("A size is at least 1.", span, "less than that").hint(HINT))),
        None => {
            let message = "A value to choose from is a whole number below 2^63.";
            Err(Box::new(problem(message, span, "this is none").hint(HINT)))
        }
    };
    let mut ranges = vec![];
    for among in among {
        match among {
            Among::One(Node { span, kind: StrategyKind::Number(n) }) => {
                let n = size(n, *span)?;
                ranges.push((n, n));
            }
            Among::One(_) => {}
            Among::Range(low, high) => {
                let (from, to) = (size(&low.kind, low.span)?, size(&high.kind, high.span)?);
                if from > to {
                    let message = format!("The range {from}..{to} has its bounds the wrong way round.");
                    let problem = problem(message, low.span.to(high.span), "nothing lies in it");
                    return Err(Box::new(problem.hint(format!("Write `{to}..{from}`."))));
                }
                ranges.push((from, to));
            }
        }
    }
    Ok(Domain::Sizes(Some(ranges)))
}

/// The strategy with values for what is left open: in the text itself they stand in its place, what definitions leave
/// open is told by `with`.
pub fn with_values(s: &Strategy, values: &[(&Parameter, i64)]) -> Strategy {
    let number = |n: i64, span: Span| {
        Node::new(span, StrategyKind::Number(Number { digits: n.to_string().into(), suffix: None }))
    };
    let text = filled(s, values, &number);
    let elsewhere = values.iter().filter(|(p, _)| !p.here);
    let told: Vec<(Ident, Strategy)> =
        elsewhere.map(|(p, v)| (Node::new(s.span, p.name.clone()), number(*v, s.span))).collect();
    if told.is_empty() {
        return text;
    }
    Node::new(s.span, StrategyKind::With(Box::new(text), told))
}

fn filled(s: &Strategy, values: &[(&Parameter, i64)], number: &dyn Fn(i64, Span) -> Strategy) -> Strategy {
    replaced(s, &mut |part| {
        let StrategyKind::Open(open) = &part.kind else { return None };
        let (parameter, value) = values.iter().find(|(p, _)| Some(&p.name) == open.name.as_ref())?;
        match (&parameter.domain, &open.among) {
            (Domain::Ways(_), Some(ways)) => match ways.get(usize::try_from(*value).ok()?.checked_sub(1)?)? {
                Among::One(way) => Some(filled(way, values, number)),
                Among::Range(..) => None,
            },
            _ => Some(number(*value, part.span)),
        }
    })
}
