//! Patterns and foreign functions that a program declares.
//!
//! In: a name, a type and a meaning. Out: a [`Pattern`] like those of the table, so that everything that works on
//! patterns works on it: a term keeps it by name, rules match it, and whoever needs to know what it computes puts its
//! meaning in its place ([`unfolded`], which also knows the patterns of the table that others define). The meaning of a foreign function is C text, which nothing here runs.
//!
//! A declaration is kept for as long as the process lives, each once: patterns are compared and copied everywhere, and
//! there are as many declarations as texts that were read. Two declarations are equal when everything about them is.

use super::build as b;
use super::digest::Digest;
use super::infer::scheme::{ExplicitKind, Scheme};
use super::infer::unify::{Kind, Unifier};
use super::literal::Literal;
use super::nat::{Name, Nat, NatFun, NatVar};
use super::pattern::{AddressSpace, Level, Pattern, Row};
use super::sort::Sort;
use super::steps;
use super::term::{Arg, Expr, Marked, Term};
use super::ty::{Scalar, Type, TypeSubst, TypeVar};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{LazyLock, Mutex};

/// What a declared pattern computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A closed function of its arguments; its sizes and types are the named ones of the scheme.
    Term(Term),
    /// The body of a C function.
    Foreign(Foreign),
}

/// A foreign function: scalars to a scalar, in C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// The parameters as the C text names them.
    pub params: Vec<(Name, Scalar)>,
    pub result: Scalar,
    /// The C statements of its body.
    pub body: String,
}

/// Everything about a declared pattern.
pub struct Declaration {
    pub name: Name,
    pub scheme: Scheme,
    /// The type as it is printed.
    pub signature: String,
    pub meaning: Meaning,
    pub doc: String,
    /// The declaration as text, in canonical layout.
    pub text: String,
    /// The patterns that the text of the meaning mentions.
    pub needs: Vec<Declared>,
}

struct Kept {
    declaration: Declaration,
    digest: Digest,
}

/// A declared pattern.
#[derive(Clone, Copy)]
pub struct Declared(&'static Kept);

impl Declared {
    /// The pattern of a declaration.
    pub fn new(declaration: Declaration) -> Declared {
        static KEPT: LazyLock<Mutex<FxHashMap<Digest, Declared>>> = LazyLock::new(Mutex::default);
        let digest = digest(&declaration);
        let mut kept = KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *kept.entry(digest).or_insert_with(|| Declared(Box::leak(Box::new(Kept { declaration, digest }))))
    }

    pub fn name(self) -> &'static Name {
        &self.0.declaration.name
    }
    pub fn scheme(self) -> &'static Scheme {
        &self.0.declaration.scheme
    }
    pub fn text(self) -> &'static str {
        &self.0.declaration.text
    }
    /// Covers everything about it.
    pub fn digest(self) -> Digest {
        self.0.digest
    }
    pub fn foreign(self) -> Option<&'static Foreign> {
        if let Meaning::Foreign(foreign) = &self.0.declaration.meaning { Some(foreign) } else { None }
    }

    pub(super) fn row(self) -> &'static Row {
        // Beside the declarations, because a row refers to its pattern.
        static ROWS: LazyLock<Mutex<FxHashMap<Digest, &'static Row>>> = LazyLock::new(Mutex::default);
        let mut rows = ROWS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        rows.entry(self.0.digest).or_insert_with(|| {
            let Declaration { name, signature, doc, meaning, scheme, .. } = &self.0.declaration;
            let names: &'static [&'static str] = Box::leak(Box::new([&**name]));
            // A meaning takes the pattern's place before code is generated; a foreign function reads its arguments.
            let access = match meaning {
                Meaning::Term(_) => "",
                Meaning::Foreign(_) => {
                    let reads = vec!["r"; 1 + scheme.ty.signature().0.len()];
                    Box::leak(reads.join(" -> ").into_boxed_str())
                }
            };
            let pattern = Pattern::Declared(self);
            Box::leak(Box::new(Row {
                pattern,
                sort: Sort::Declared,
                parameters: self.arity(),
                names,
                level: Level::High,
                scheme: signature,
                access,
                doc,
                example: None,
            }))
        })
    }

    /// The number of term arguments.
    pub fn arity(self) -> usize {
        self.scheme().ty.signature().0.len()
    }

    /// What the pattern's sizes and types are, given its explicit arguments, the types of its first term arguments
    /// and perhaps that of its result; then the whole type.
    pub fn instance(self, args: &[Arg], params: &[Type], result: Option<&Type>) -> Option<(Chosen, Type)> {
        let scheme = self.scheme();
        let mut u = Unifier::new();
        let mut open = Chosen::default();
        for name in &scheme.nats {
            open.nats.insert(name.clone(), u.fresh_nat());
        }
        for name in &scheme.types {
            open.types.insert(name.clone(), u.fresh_type(Kind::Data));
        }
        for (explicit, arg) in scheme.explicit.iter().zip(args) {
            if let (ExplicitKind::Nat, Arg::Nat(n)) = (explicit.kind, arg) {
                open.nats.insert(explicit.name.clone(), n.clone());
            }
        }
        let mut ty = scheme.ty.subst(&open);
        let whole = ty.clone();
        for param in params {
            let (a, b) = ty.as_fun()?;
            u.unify(a, param, 0).ok()?;
            ty = b.clone();
        }
        if let Some(result) = result {
            u.unify(&ty, result, 0).ok()?;
        }
        u.solve_together();
        if !u.failures().is_empty() || u.open_equations().next().is_some() {
            return None;
        }
        let mut chosen = Chosen::default();
        for (name, n) in open.nats {
            chosen.nats.insert(name, u.zonk_nat(&n));
        }
        for (name, t) in open.types {
            chosen.types.insert(name, u.zonk(&t));
        }
        Some((chosen, u.zonk(&whole)))
    }

    /// The meaning of the pattern with these explicit arguments at this type; none for foreign functions.
    pub fn meaning(self, args: &[Arg], ty: &Type) -> Option<Term> {
        let Meaning::Term(meaning) = &self.0.declaration.meaning else { return None };
        let (params, result) = ty.signature();
        let (params, result) = match params.len().checked_sub(self.arity()) {
            // The scheme's result may stand for no function, so there are as many parameters.
            Some(0) => (params, result),
            _ => return None,
        };
        let (chosen, _) = self.instance(args, &params, Some(&result))?;
        Some(meaning.map_types(&chosen))
    }
}

impl PartialEq for Declared {
    fn eq(&self, other: &Declared) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Declared {}
impl PartialOrd for Declared {
    fn partial_cmp(&self, other: &Declared) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Declared {
    fn cmp(&self, other: &Declared) -> std::cmp::Ordering {
        (self.name(), self.0.digest).cmp(&(other.name(), other.0.digest))
    }
}
impl std::hash::Hash for Declared {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.digest.hash(state);
    }
}
impl fmt::Debug for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

fn digest(d: &Declaration) -> Digest {
    let mut bytes = vec![];
    let mut add = |part: &[u8]| {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    };
    add(d.name.as_bytes());
    add(d.scheme.ty.digest().bytes());
    add(d.signature.as_bytes());
    add(d.doc.as_bytes());
    add(d.text.as_bytes());
    match &d.meaning {
        Meaning::Term(t) => add(t.digest().bytes()),
        Meaning::Foreign(f) => add(format!("{f:?}").as_bytes()),
    }
    Digest::of(&bytes)
}

/// What the sizes and types of a scheme stand for.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    pub nats: FxHashMap<Name, Nat>,
    pub types: FxHashMap<Name, Type>,
}

impl TypeSubst for Chosen {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        if let TypeVar::Named(name) = v { self.types.get(name).cloned() } else { None }
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        if let NatVar::Named(name) = v { self.nats.get(name).cloned() } else { None }
    }
}

/// The patterns that there are: those of the table, and what a program declares.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    declared: IndexMap<Name, Declared>,
}

/// How the name of a pattern starts where no variable may take its place. Nobody can write it.
pub const ALWAYS: char = '%';

impl Patterns {
    pub fn declare(&mut self, declared: Declared) {
        self.declared.insert(declared.name().clone(), declared);
    }

    /// The pattern of this name. One that starts with [`ALWAYS`] is that of the table, whatever else has the name.
    pub fn find(&self, name: &str) -> Option<Pattern> {
        Pattern::from_name(name.strip_prefix(ALWAYS).unwrap_or(name))
            .or_else(|| self.declared.get(name).copied().map(Pattern::Declared))
    }

    /// What the program declares, in its order.
    pub fn declared(&self) -> impl Iterator<Item = Declared> + '_ {
        self.declared.values().copied()
    }

    /// Every name that a pattern has.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let listed = super::pattern::all().iter().flat_map(|row| row.names).copied();
        listed.chain(self.declared.keys().map(|n| &**n))
    }
}

impl FromIterator<Declared> for Patterns {
    fn from_iter<I: IntoIterator<Item = Declared>>(all: I) -> Patterns {
        let mut out = Patterns::default();
        all.into_iter().for_each(|d| out.declare(d));
        out
    }
}

/// The declared patterns in a term and those that their texts need, each after what it needs.
pub fn used_in(term: &Term) -> Vec<Declared> {
    fn add(d: Declared, out: &mut Vec<Declared>) {
        if !out.contains(&d) {
            d.0.declaration.needs.iter().for_each(|d| add(*d, out));
            out.push(d);
        }
    }
    fn go(t: &Term, seen: &mut rustc_hash::FxHashSet<Digest>, out: &mut Vec<Declared>) {
        if !t.has_declared() || !seen.insert(t.digest()) {
            return;
        }
        if let Some(Pattern::Declared(d)) = t.as_pattern() {
            add(d, out);
        }
        t.children().into_iter().for_each(|c| go(c, seen, out));
    }
    let mut out = vec![];
    go(term, &mut Default::default(), &mut out);
    out
}

/// The term with the meanings of declared patterns in their place, applied to their arguments. What computes something
/// and is used more than once stays in front as a `let`.
pub fn unfolded(term: &Term) -> Term {
    fn go(t: &Term, memo: &mut FxHashMap<Marked, Term>) -> Term {
        if !t.has_declared() {
            return t.clone();
        }
        if let Some(done) = memo.get(&t.marked()) {
            return done.clone();
        }
        let (head, args) = t.spine();
        let out = match head.as_prim() {
            Some(_) => {
                let args: Vec<Term> = args.into_iter().map(|a| go(a, memo)).collect();
                if let Some(done) = stepped(head, &args) {
                    let done = done.made_from(&head.origin());
                    memo.insert(t.marked(), done.clone());
                    return done;
                }
                match meaning_for(head, &args) {
                    Some(meaning) => applied(&go(&meaning.made_from(&head.origin()), memo), &args),
                    None => Term::apps(head.clone(), args),
                }
            }
            _ => {
                let children = t.children().into_iter().map(|c| go(c, memo)).collect();
                t.with_children(children)
            }
        };
        memo.insert(t.marked(), out.clone());
        out
    }
    term.with_stack(|| go(term, &mut FxHashMap::default()))
}

/// The function that the steps of `iterate k step` are together, where they change the size.
pub fn unfolded_steps(t: &Term) -> Option<Term> {
    let (head, step) = t.as_app()?;
    // Most applications are none, and to unfold what they are of would cost as much as the term has levels.
    let changes = head.as_pattern() == Some(Pattern::Iterate) && steps::of(head.ty()).is_some();
    if changes { stepped(head, &[unfolded(step)]) } else { None }
}

/// The meaning of a pattern that stands alone and is defined by others; none for other terms and foreign functions.
pub fn unfolded_once(t: &Term) -> Option<Term> {
    meaning_for(t, &[])
}

/// The meaning of a pattern for what it is applied to.
fn meaning_for(t: &Term, arguments: &[Term]) -> Option<Term> {
    let prim = t.as_prim()?;
    match (prim.pattern, prim.args.as_slice()) {
        (Pattern::Declared(declared), args) => declared.meaning(args, t.ty()),
        (Pattern::Iterate, [Arg::Nat(steps)]) => {
            iterate(steps, arguments.first().map_or(AddressSpace::Private, shared_space), t.ty())
        }
        (pattern, _) => DEFINED.iter().find(|(p, _)| *p == pattern).and_then(|(_, meaning)| meaning(t.ty())),
    }
}

/// The term that a pattern of some type stands for.
type Definition = fn(&Type) -> Option<Term>;

/// Patterns that others say the meaning of, whatever they are applied to.
const DEFINED: &[(Pattern, Definition)] = &[
    (Pattern::Reverse, reversal),
    (Pattern::And, |ty| connective(ty, false)),
    (Pattern::Or, |ty| connective(ty, true)),
];

/// Do other patterns say what it means, so that their term takes its place ([`unfolded`])?
pub fn is_unfolded(pattern: Pattern) -> bool {
    matches!(pattern, Pattern::Declared(_) | Pattern::Iterate) || DEFINED.iter().any(|(p, _)| *p == pattern)
}

/// `iterate k step` whose step changes the size: the step at one size after the other.
fn stepped(head: &Term, args: &[Term]) -> Option<Term> {
    let (Pattern::Iterate, [Arg::Nat(count)]) = (head.as_pattern()?, head.as_prim()?.args.as_slice()) else {
        return None;
    };
    let (step, rest) = args.split_first()?;
    let (from, to) = head.ty().as_fun()?.1.as_fun()?;
    let steps = steps::of(head.ty())?;
    let count = count.as_constant().filter(|k| (1..=steps::MOST).contains(k))?;
    let each = steps.each(step, u32::try_from(count).ok()?, to.as_array()?.0)?;
    match rest.split_first() {
        Some((x, more)) => {
            let all = each.iter().fold(x.clone(), |x, f| applied(f, &[x]));
            Some(applied(&all, more))
        }
        None => {
            let x = Term::var(0, from.clone());
            let all = each.iter().fold(x, |x, f| applied(&f.shift_up(1), &[x]));
            Some(Term::lam("x", from.clone(), all))
        }
    }
}

/// Where those who compute the value together, or what the function returns, can all read it.
pub fn shared_space(t: &Term) -> AddressSpace {
    match t.as_pattern() {
        Some(Pattern::MapGlobal | Pattern::MapWorkGroup) => AddressSpace::Global,
        Some(p) if p.is_local() => AddressSpace::Local,
        _ => {
            let spaces = t.children().into_iter().map(shared_space);
            let shared = |a: AddressSpace, b| {
                if a == AddressSpace::Private || b == AddressSpace::Global { b } else { a }
            };
            spaces.fold(AddressSpace::Private, shared)
        }
    }
}

/// `\f x. reduceSeq (\y i. f y) x (generate (\i. i))`: the steps are counted, and what they compute accumulates.
fn iterate(steps: &Nat, space: AddressSpace, ty: &Type) -> Option<Term> {
    let (function, rest) = ty.as_fun()?;
    let (array, _) = rest.as_fun()?;
    let index = Type::index(steps.clone());
    let built = b::lam2(("f", function.clone()), ("x", array.clone()), |f, x| {
        let step = b::lam2(("y", array.clone()), ("i", index.clone()), |y, _| b::app(f, y))?;
        let count = b::generate(b::lam("i", index.clone(), Ok)?)?;
        b::apply(Pattern::ReduceSeq, vec![Arg::Addr(space)], vec![step, x, count])
    });
    built.ok()
}

/// `reorder n (/\i. n - 1 - i) (/\i. n - 1 - i)`
fn reversal(ty: &Type) -> Option<Term> {
    let (n, _) = ty.as_fun()?.0.as_array()?;
    let from_end = NatFun::new("i", n.sub(&Nat::constant(1)).sub(&NatFun::parameter()));
    let args = vec![Arg::Nat(n.clone()), Arg::Fun(from_end.clone()), Arg::Fun(from_end)];
    Some(Term::prim(Pattern::Reorder, args, ty.clone()))
}

/// `\a b. select a b false`, or `\a b. select a true b`: the truth value that decides alone.
fn connective(ty: &Type, decides: bool) -> Option<Term> {
    let (truth, _) = ty.as_fun()?;
    let built = b::lam2(("a", truth.clone()), ("b", truth.clone()), |a, other| {
        let decided = Term::lit(Literal::Bool(decides));
        let decided = match truth.as_vector() {
            Some((n, _)) => b::vector_from_scalar(n, decided)?,
            None => decided,
        };
        if decides { b::select(a, decided, other) } else { b::select(a, other, decided) }
    });
    built.ok()
}

/// A function applied to arguments: put in where that repeats no work, else shared by `(\x. body) argument`.
pub fn applied(f: &Term, args: &[Term]) -> Term {
    let Some((first, rest)) = args.split_first() else { return f.clone() };
    let (Some((name, body)), Some((param, _))) = (f.as_lam(), f.ty().as_fun()) else {
        return Term::apps(f.clone(), args.iter().cloned());
    };
    if first.ty().as_fun().is_some() || is_free_of_work(first) || is_used_once(body) {
        return applied(&body.subst0(first), rest);
    }
    let rest: Vec<Term> = rest.iter().map(|a| a.shift_up(1)).collect();
    Term::app(Term::lam(name, param.clone(), applied(body, &rest)), first.clone())
}

fn is_free_of_work(t: &Term) -> bool {
    match t.expr() {
        Expr::Var(_) | Expr::Lit(_) => true,
        Expr::App(f, e) => matches!(f.as_pattern(), Some(Pattern::Fst | Pattern::Snd)) && is_free_of_work(e),
        _ => false,
    }
}

/// Is variable 0 used at most once? The parameters that follow it are no functions that run more than once.
fn is_used_once(body: &Term) -> bool {
    let (mut inner, mut index) = (body, 0);
    while let Some((_, b)) = inner.as_lam() {
        (inner, index) = (b, index + 1);
    }
    inner.uses_at_most_once(index)
}
