//! DPIA: functional expressions, imperative commands and acceptors in one tree (thesis section 3.1.3).
//!
//! An *expression* `exp[dt, rw]` has a value; its access says whether the value can be read where it is, or must be
//! written first. An *acceptor* `acc[dt]` is a place to write to. A *command* `comm` does something. Functional DPIA
//! has patterns, fully applied; imperative DPIA has commands whose expressions can all be read. Passes stay within
//! imperative DPIA, and [`check`] holds after each of them.
//!
//! Identifiers are unique in a whole program: every binder that is copied is renamed ([`Phrase::instantiate`]), so
//! that substitution needs no care. A loop's variable is an identifier that occurs as a size variable in
//! [`Kind::Number`]; an allocation's identifier occurs as an expression and as an acceptor.

pub mod barriers;
mod cells;
pub mod check;
pub mod condition;
pub mod effects;
pub mod effort;
pub mod exec;
pub mod print;
mod program;
pub mod races;
pub mod reads;
pub mod signature;
mod uniform;

pub use barriers::{Barrier, Race};
pub use program::{Imperative, Remembered, Temporary};

use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatFun, NatVar, Ranges, Worker};
use crate::lang::origin::Origin;
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use crate::lang::ty::Type;
use crate::target::{Launch, Storage};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Can an expression's value be read where it is, must it be written first, or can it be read once and in order?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    Read,
    Write,
    Stream,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PhraseType {
    Exp(Type, Access),
    Acc(Type),
    Comm,
    Fun(Arc<(PhraseType, PhraseType)>),
}

impl PhraseType {
    pub fn fun(from: PhraseType, to: PhraseType) -> PhraseType {
        PhraseType::Fun(Arc::new((from, to)))
    }
    pub fn read(t: Type) -> PhraseType {
        PhraseType::Exp(t, Access::Read)
    }
    /// The data type of an expression or acceptor.
    pub fn data(&self) -> Option<&Type> {
        match self {
            PhraseType::Exp(t, _) | PhraseType::Acc(t) => Some(t),
            PhraseType::Comm | PhraseType::Fun(_) => None,
        }
    }
}

/// Who runs the iterations of a parallel loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Workers {
    /// Threads of the host.
    Threads,
    Global(u8),
    WorkGroup(u8),
    Local(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LoopKind {
    Sequential,
    /// Sequential, to be unrolled.
    Unrolled,
    /// Over the lanes of a vector: iterations are independent.
    Lanes,
    Parallel(Workers),
}

impl Workers {
    /// Which of its iterations a work-item runs first, and how many it goes on by; none for threads, which are told.
    pub fn share(self) -> Option<(Worker, Worker)> {
        match self {
            Workers::Threads => None,
            Workers::Global(d) => Some((Worker::GlobalId(d), Worker::GlobalSize(d))),
            Workers::WorkGroup(d) => Some((Worker::GroupId(d), Worker::Groups(d))),
            Workers::Local(d) => Some((Worker::LocalId(d), Worker::LocalSize(d))),
        }
    }
}

impl LoopKind {
    /// Is it over the work-items of an OpenCL kernel?
    pub fn is_of_work_items(self) -> bool {
        matches!(self, LoopKind::Parallel(w) if w != Workers::Threads)
    }
    /// May the iterations run at once, so that each needs memory of its own?
    pub fn is_at_once(self) -> bool {
        matches!(self, LoopKind::Parallel(_) | LoopKind::Lanes)
    }
}

/// How the acceptor of a part, or of another layout, is made from the acceptor of the whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// `acc[n.t]`, at an index: `acc[t]`.
    Index,
    /// `acc[(s * t)]` to `acc[s]`, `acc[t]`.
    First,
    Second,
    /// `acc[n.(s * t)]` to `acc[n.s]`, `acc[n.t]`.
    ZipFirst,
    ZipSecond,
    /// `acc[(n.s * n.t)]` to `acc[n.(s * t)]`.
    Unzip,
    /// `acc[m.n.t]` to `acc[(m*n).t]`: what `split n` writes to.
    Split(Nat),
    /// `acc[(m*n).t]` to `acc[m.n.t]`, for the inner size n.
    Join(Nat),
    Transpose,
    /// `acc[n.t]` to `acc[n.t]`, by where each element goes.
    Reorder(NatFun),
    /// `acc[m.<n>t]` to `acc[(m*n).t]`.
    AsVector(Nat),
    /// `acc[(m*n).t]` to `acc[m.<n>t]`.
    AsScalar(Nat),
    /// `acc[m.t]` to the acceptor of its first, or all but its first, elements.
    Take,
    /// `acc[n.t]` to an acceptor of more elements, of which those beyond are not written: what `take n` writes to.
    Longer,
    Drop(Nat),
    /// `acc[m.t]` to `acc[n.t]`, through an array of indices.
    Scatter,
    /// `acc[n.t]` to `acc[n.s]`, by a function from acceptors to acceptors.
    Map,
    /// `acc[(s * t)]` to `acc[(u * t)]` or `acc[(s * u)]`, by a function from acceptors of the component to acceptors.
    MapFirst,
    MapSecond,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Var(Name),
    Lam(Name, PhraseType, Phrase),
    /// A redex, which shares the argument's value.
    App(Phrase, Phrase),
    Lit(Literal),
    /// A number made of loop variables, sizes and named parts whose values are only known when they are computed.
    Number(Nat, Vec<(Name, Phrase)>),
    /// A functional pattern, fully applied.
    Pattern(Pattern, Vec<Arg>, Vec<Phrase>),
    /// An acceptor made from another one, which stands last.
    Acceptor(Layout, Vec<Phrase>),
    Skip,
    /// Stores the value of the second phrase where the first one points.
    Assign(Phrase, Phrase),
    Seq(Vec<Phrase>),
    New(Storage, Type, Name, Phrase),
    /// `for (var = init; var < n; var += step) body`
    For(Box<Loop>),
    If(Phrase, Phrase, Phrase),
    /// The work-items of a group wait for each other.
    Barrier(Arc<Barrier>),
    /// What a kernel of its own does, on so many work-items.
    Kernel(Box<Launch>, Phrase),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub kind: LoopKind,
    pub var: Name,
    pub init: Nat,
    /// The first number that the variable does not reach.
    pub n: Nat,
    pub step: Nat,
    pub body: Phrase,
}

impl Loop {
    /// Is there surely no second iteration, for whoever runs it?
    pub fn is_at_most_once(&self, ranges: &Ranges) -> bool {
        self.init.add(&self.step).sub(&self.n).is_natural(ranges)
    }
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    ty: PhraseType,
    /// The number of phrases in it, as a tree.
    size: u32,
    /// Which part of the program it comes from. Of loops and memory their names tell it ([`Names::origin`]).
    origin: Origin,
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.kind == other.kind && self.ty == other.ty
    }
}
impl Eq for Node {}

/// A piece of DPIA. Cloning is cheap; equality is of structure, names included.
#[derive(Clone, Debug)]
pub struct Phrase(Arc<Node>);

impl PartialEq for Phrase {
    fn eq(&self, other: &Phrase) -> bool {
        self.is_same(other) || self.0 == other.0
    }
}
impl Eq for Phrase {}

/// Gives out identifiers that nothing else in the program has.
#[derive(Clone, Default, Debug)]
pub struct Names {
    used: BTreeSet<Name>,
    next: BTreeMap<String, u32>,
    /// Which parts of the program loops and memory of these names come from.
    origins: BTreeMap<Name, Origin>,
    /// The variables of loops that copy memory for nobody's but the translation's sake: in any order.
    copies: BTreeSet<Name>,
}

impl Names {
    /// Names that are taken: sizes and parameters.
    pub fn new(taken: impl IntoIterator<Item = Name>) -> Names {
        Names { used: taken.into_iter().collect(), ..Names::default() }
    }

    /// The hint itself when it is free, else the hint with a number. What is named so comes from where what has the hint as
    /// its name comes from, if that is known.
    pub fn fresh(&mut self, hint: &str) -> Name {
        let name = self.unused(hint);
        if let Some(origin) = self.origins.get(hint).cloned() {
            self.comes_from(&name, &origin);
        }
        if self.copies.contains(hint) {
            self.copies.insert(name.clone());
        }
        name
    }

    /// The loop over this variable copies memory, which the program does not ask for.
    pub fn copies(&mut self, var: &Name) {
        self.copies.insert(var.clone());
    }

    pub fn is_of_copy(&self, var: &Name) -> bool {
        self.copies.contains(var)
    }

    /// What is named so comes from this part of the program, too.
    pub fn comes_from(&mut self, name: &Name, origin: &Origin) {
        let known = self.origins.entry(name.clone()).or_default();
        *known = known.with(origin);
    }

    /// Where the loop over this variable, or the memory of this name, comes from.
    pub fn origin(&self, name: &Name) -> Origin {
        self.origins.get(name).cloned().unwrap_or_default()
    }

    pub fn origins(&self) -> &BTreeMap<Name, Origin> {
        &self.origins
    }

    fn unused(&mut self, hint: &str) -> Name {
        let base = hint.trim_end_matches(|c: char| c.is_ascii_digit());
        let base = if base.is_empty() { "x" } else { base };
        let as_is: Name = hint.into();
        if base != hint || !self.used.insert(as_is.clone()) {
            return self.numbered(base);
        }
        as_is
    }

    /// The name of the element at an index of an array that becomes a variable for each: `t_3`.
    pub fn element(&mut self, array: &Name, index: i64) -> Name {
        let name: Name = format!("{array}_{index}").into();
        if self.used.insert(name.clone()) { name } else { self.numbered(&format!("{array}_{index}_")) }
    }

    /// `base0`, `base1`, …
    pub fn numbered(&mut self, base: &str) -> Name {
        loop {
            let next = self.next.entry(base.to_string()).or_insert(0);
            let name: Name = format!("{base}{next}").into();
            *next += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// What identifiers become: expressions or acceptors, and loop variables.
#[derive(Default)]
pub struct Substitution {
    pub phrases: FxHashMap<Name, Phrase>,
    pub numbers: FxHashMap<Name, Nat>,
    /// Binders keep their names: what comes of it takes the place of what it is made of.
    in_place: bool,
}

impl Substitution {
    fn binder(&self, x: &Name, names: &mut Names) -> Name {
        if self.in_place { x.clone() } else { names.fresh(x) }
    }
}

impl Phrase {
    pub fn new(kind: Kind, ty: PhraseType) -> Phrase {
        Phrase::from(kind, ty, Origin::default())
    }
    fn from(kind: Kind, ty: PhraseType, origin: Origin) -> Phrase {
        let mut size: u32 = 1;
        any_child(&kind, &mut |c| {
            size = size.saturating_add(c.size());
            false
        });
        Phrase(Arc::new(Node { kind, ty, size, origin }))
    }
    pub fn size(&self) -> u32 {
        self.0.size
    }
    /// Are both the same piece in memory?
    pub fn is_same(&self, other: &Phrase) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// Which piece it is, as long as it lives.
    pub(crate) fn piece(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }
    #[must_use]
    pub fn with_origin(&self, origin: &Origin) -> Phrase {
        if self.0.origin == *origin {
            return self.clone();
        }
        let (kind, ty) = (self.kind().clone(), self.ty().clone());
        Phrase(Arc::new(Node { kind, ty, size: self.0.size, origin: origin.clone() }))
    }
    /// The origins of all that is in it, but for loops and memory.
    pub fn origins(&self) -> Origin {
        self.children().into_iter().fold(self.origin().clone(), |all, c| all.with(&c.origins()))
    }
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }
    pub fn ty(&self) -> &PhraseType {
        &self.0.ty
    }
    /// The data type of an expression or acceptor; the ill type for other phrases, which no check lets pass.
    pub fn data(&self) -> Type {
        self.ty().data().cloned().unwrap_or_else(Type::ill)
    }
    pub fn access(&self) -> Access {
        if let PhraseType::Exp(_, a) = self.ty() { *a } else { Access::Read }
    }

    pub fn var(name: &Name, ty: PhraseType) -> Phrase {
        Phrase::new(Kind::Var(name.clone()), ty)
    }
    pub fn lam(name: Name, param: PhraseType, body: Phrase) -> Phrase {
        let ty = PhraseType::fun(param.clone(), body.ty().clone());
        Phrase::new(Kind::Lam(name, param, body), ty)
    }
    pub fn lit(l: Literal) -> Phrase {
        let ty = PhraseType::read(l.ty());
        Phrase::new(Kind::Lit(l), ty)
    }
    /// A number as a value of type `idx[n]` or `natType`.
    pub fn number(n: Nat, ty: Type) -> Phrase {
        Phrase::new(Kind::Number(n, vec![]), PhraseType::read(ty))
    }
    pub fn nat(n: Nat) -> Phrase {
        Phrase::number(n, Type::nat_type())
    }
    pub fn pattern(p: Pattern, args: Vec<Arg>, phrases: Vec<Phrase>, ty: Type, access: Access) -> Phrase {
        Phrase::new(Kind::Pattern(p, args, phrases), PhraseType::Exp(ty, access))
    }
    fn read(p: Pattern, phrases: Vec<Phrase>, ty: Type) -> Phrase {
        Phrase::pattern(p, vec![], phrases, ty, Access::Read)
    }

    /// The element of an array at an index.
    pub fn idx(index: Phrase, array: Phrase) -> Phrase {
        let ty = element(&array.data());
        Phrase::read(Pattern::Idx, vec![index, array], ty)
    }
    pub fn fst(pair: Phrase) -> Phrase {
        let ty = pair.data().as_pair().map_or_else(Type::ill, |(a, _)| a.clone());
        Phrase::read(Pattern::Fst, vec![pair], ty)
    }
    pub fn snd(pair: Phrase) -> Phrase {
        let ty = pair.data().as_pair().map_or_else(Type::ill, |(_, b)| b.clone());
        Phrase::read(Pattern::Snd, vec![pair], ty)
    }
    pub fn less(a: Phrase, b: Phrase) -> Phrase {
        Phrase::read(Pattern::Lt, vec![a, b], Literal::Bool(true).ty())
    }
    pub fn at_most(a: Phrase, b: Phrase) -> Phrase {
        Phrase::read(Pattern::Le, vec![a, b], Literal::Bool(true).ty())
    }
    /// Where the first holds, the second is asked.
    pub fn and(a: Phrase, b: Phrase) -> Phrase {
        Phrase::select(a, b, Phrase::lit(Literal::Bool(false)))
    }
    pub fn negated(a: Phrase) -> Phrase {
        Phrase::read(Pattern::Not, vec![a], Literal::Bool(true).ty())
    }
    pub fn equal(a: Phrase, b: Phrase) -> Phrase {
        Phrase::read(Pattern::Equal, vec![a, b], Literal::Bool(true).ty())
    }
    pub fn select(condition: Phrase, then: Phrase, otherwise: Phrase) -> Phrase {
        let ty = then.data();
        Phrase::read(Pattern::Select, vec![condition, then, otherwise], ty)
    }

    pub fn acceptor(layout: Layout, phrases: Vec<Phrase>, ty: Type) -> Phrase {
        Phrase::new(Kind::Acceptor(layout, phrases), PhraseType::Acc(ty))
    }
    pub fn idx_acc(index: Phrase, array: Phrase) -> Phrase {
        let ty = element(&array.data());
        Phrase::acceptor(Layout::Index, vec![index, array], ty)
    }
    pub fn fst_acc(pair: Phrase) -> Phrase {
        let ty = pair.data().as_pair().map_or_else(Type::ill, |(a, _)| a.clone());
        Phrase::acceptor(Layout::First, vec![pair], ty)
    }
    pub fn snd_acc(pair: Phrase) -> Phrase {
        let ty = pair.data().as_pair().map_or_else(Type::ill, |(_, b)| b.clone());
        Phrase::acceptor(Layout::Second, vec![pair], ty)
    }

    pub fn skip() -> Phrase {
        Phrase::new(Kind::Skip, PhraseType::Comm)
    }
    pub fn assign(to: Phrase, value: Phrase) -> Phrase {
        Phrase::new(Kind::Assign(to, value), PhraseType::Comm)
    }
    /// One after the other; nested sequences and empty commands dissolve.
    pub fn seq(commands: impl IntoIterator<Item = Phrase>) -> Phrase {
        let mut flat = vec![];
        for c in commands {
            match c.kind() {
                Kind::Skip => {}
                Kind::Seq(inner) => flat.extend(inner.iter().cloned()),
                _ => flat.push(c),
            }
        }
        match flat.len() {
            0 => Phrase::skip(),
            1 => flat.remove(0),
            _ => Phrase::new(Kind::Seq(flat), PhraseType::Comm),
        }
    }
    pub fn new_in(space: Storage, ty: Type, name: Name, body: Phrase) -> Phrase {
        Phrase::new(Kind::New(space, ty, name, body), PhraseType::Comm)
    }
    pub fn for_loop(l: Loop) -> Phrase {
        Phrase::new(Kind::For(Box::new(l)), PhraseType::Comm)
    }
    /// `for var < n`
    pub fn for_each(kind: LoopKind, var: Name, n: Nat, body: Phrase) -> Phrase {
        Phrase::for_loop(Loop { kind, var, init: Nat::constant(0), n, step: Nat::constant(1), body })
    }
    /// The command as a kernel of its own.
    pub fn kernel(launch: Launch, body: Phrase) -> Phrase {
        Phrase::new(Kind::Kernel(Box::new(launch), body), PhraseType::Comm)
    }
    pub fn if_else(condition: Phrase, then: Phrase, otherwise: Phrase) -> Phrase {
        Phrase::new(Kind::If(condition, then, otherwise), PhraseType::Comm)
    }

    pub fn barrier(b: Barrier) -> Phrase {
        Phrase::new(Kind::Barrier(Arc::new(b)), PhraseType::Comm)
    }
    /// Is there a barrier in it?
    pub fn has_barrier(&self) -> bool {
        self.any(&mut |p| matches!(p.kind(), Kind::Barrier(_)))
    }

    /// The number that an index or size expression stands for, when it is one.
    pub fn as_number(&self) -> Option<(Nat, Vec<(Name, Phrase)>)> {
        match self.kind() {
            Kind::Number(n, parts) => Some((n.clone(), parts.clone())),
            Kind::Lit(Literal::Index(n, _) | Literal::Nat(n)) => Some((n.clone(), vec![])),
            Kind::Pattern(Pattern::IndexAsNat | Pattern::NatAsIndex, _, es) => es.first()?.as_number(),
            Kind::Pattern(
                op @ (Pattern::Add | Pattern::Sub | Pattern::Mul | Pattern::Div | Pattern::Mod),
                _,
                es,
            ) if self.data() == Type::nat_type() => {
                let (a, mut parts) = es.first()?.as_number()?;
                let (b, more) = es.get(1)?.as_number()?;
                parts.extend(more);
                let n = match op {
                    Pattern::Add => a.add(&b),
                    Pattern::Sub => a.sub(&b),
                    Pattern::Mul => a.mul(&b),
                    Pattern::Div => a.floor_div(&b),
                    _ => a.modulo(&b),
                };
                Some((n, parts))
            }
            _ => None,
        }
    }

    pub fn children(&self) -> SmallVec<[&Phrase; 3]> {
        children_of(self.kind())
    }

    /// The phrase again, its children replaced by what `f` makes of them, in order. Their types must stay. Where all
    /// children stay, it is the same piece.
    pub fn map_children<E>(&self, f: &mut dyn FnMut(&Phrase) -> Result<Phrase, E>) -> Result<Phrase, E> {
        let (mut stays, mut failed) = (true, None);
        let mut made = SmallVec::<[Phrase; 3]>::new();
        any_child(self.kind(), &mut |c| match f(c) {
            Ok(new) => {
                stays &= new.is_same(c);
                made.push(new);
                false
            }
            Err(why) => {
                failed = Some(why);
                true
            }
        });
        if let Some(why) = failed {
            return Err(why);
        }
        // Most stay, and nothing else is copied of these.
        if stays {
            return Ok(self.clone());
        }
        let mut made = made.into_iter();
        let mut next = |c: &Phrase| made.next().unwrap_or_else(|| c.clone());
        let kind = match self.kind() {
            Kind::Var(_) | Kind::Lit(_) | Kind::Skip | Kind::Barrier(_) => return Ok(self.clone()),
            Kind::Lam(x, t, b) => Kind::Lam(x.clone(), t.clone(), next(b)),
            Kind::New(a, t, x, b) => Kind::New(*a, t.clone(), x.clone(), next(b)),
            Kind::For(l) => Kind::For(Box::new(Loop { body: next(&l.body), ..(**l).clone() })),
            Kind::Kernel(launch, b) => Kind::Kernel(launch.clone(), next(b)),
            Kind::App(a, b) => Kind::App(next(a), next(b)),
            Kind::Assign(a, b) => Kind::Assign(next(a), next(b)),
            Kind::If(c, a, b) => Kind::If(next(c), next(a), next(b)),
            Kind::Number(n, parts) => {
                Kind::Number(n.clone(), parts.iter().map(|(x, p)| (x.clone(), next(p))).collect())
            }
            Kind::Pattern(p, args, ps) => Kind::Pattern(*p, args.clone(), ps.iter().map(next).collect()),
            Kind::Acceptor(l, ps) => Kind::Acceptor(l.clone(), ps.iter().map(next).collect()),
            Kind::Seq(_) => return Ok(Phrase::seq(made)),
        };
        Ok(Phrase::from(kind, self.ty().clone(), self.origin().clone()))
    }

    /// Does the predicate hold for the phrase or anything in it?
    pub fn any(&self, f: &mut dyn FnMut(&Phrase) -> bool) -> bool {
        f(self) || any_child(self.kind(), &mut |c| c.any(f))
    }

    /// Does the identifier occur (as an expression, an acceptor or in a number)?
    pub fn mentions(&self, name: &Name) -> bool {
        self.any(&mut |p| match p.kind() {
            Kind::Var(x) => x == name,
            Kind::Number(n, _) => n.vars().iter().any(|v| matches!(v, NatVar::Named(x) if x == name)),
            Kind::Acceptor(Layout::Drop(n), _) => n.vars().contains(&NatVar::Named(name.clone())),
            _ => false,
        })
    }

    /// The body of a function for an argument. All binders in the body get new names, so that copies stay apart.
    /// A phrase that is no function comes back as it is.
    pub fn instantiate(&self, arg: &Phrase, names: &mut Names) -> Phrase {
        match self.kind() {
            Kind::Lam(x, _, b) => {
                let mut s = Substitution::default();
                s.phrases.insert(x.clone(), arg.clone());
                b.substitute(&mut s, names)
            }
            _ => self.clone(),
        }
    }

    /// Replaces identifiers and renames all binders, but in what takes the place of what it is made of.
    pub fn substitute(&self, s: &mut Substitution, names: &mut Names) -> Phrase {
        let kind = match self.kind() {
            Kind::Var(x) => match s.phrases.get(x) {
                // An allocation's identifier is renamed as expression and as acceptor.
                Some(p) => match p.kind() {
                    Kind::Var(y) => {
                        let origin = p.origin().or(self.origin());
                        return Phrase::var(y, self.ty().clone()).with_origin(&origin);
                    }
                    _ => return p.clone(),
                },
                None => return self.clone(),
            },
            Kind::Lam(x, t, b) => {
                let y = s.binder(x, names);
                s.phrases.insert(x.clone(), Phrase::var(&y, t.clone()));
                Kind::Lam(y, t.clone(), b.substitute(s, names))
            }
            Kind::New(a, t, x, b) => {
                let y = s.binder(x, names);
                s.phrases.insert(x.clone(), Phrase::var(&y, PhraseType::read(t.clone())));
                Kind::New(*a, t.clone(), y, b.substitute(s, names))
            }
            Kind::For(l) => {
                let y = s.binder(&l.var, names);
                s.numbers.insert(l.var.clone(), Nat::var(&y));
                let at = |n: &Nat, s: &Substitution| substitute_nat(n, s);
                let (init, n, step) = (at(&l.init, s), at(&l.n, s), at(&l.step, s));
                Kind::For(Box::new(Loop {
                    kind: l.kind,
                    var: y,
                    init,
                    n,
                    step,
                    body: l.body.substitute(s, names),
                }))
            }
            Kind::Kernel(launch, b) => {
                let launch = launch.map(&|n| substitute_nat(n, s));
                Kind::Kernel(Box::new(launch), b.substitute(s, names))
            }
            Kind::Number(n, parts) => {
                let mut renamed = vec![];
                for (x, p) in parts {
                    let p = p.substitute(s, names);
                    let y = s.binder(x, names);
                    s.numbers.insert(x.clone(), Nat::var(&y));
                    renamed.push((y, p));
                }
                Kind::Number(substitute_nat(n, s), renamed)
            }
            Kind::Acceptor(Layout::Drop(n), ps) => {
                let ps = ps.iter().map(|p| p.substitute(s, names)).collect();
                Kind::Acceptor(Layout::Drop(substitute_nat(n, s)), ps)
            }
            _ => {
                let mapped =
                    self.map_children::<std::convert::Infallible>(&mut |p| Ok(p.substitute(s, names)));
                let Ok(mapped) = mapped;
                return mapped;
            }
        };
        Phrase::new(kind, self.ty().clone()).with_origin(self.origin())
    }

    /// The commands come from there, too: from a loop around them that is none any more.
    fn also_from(&self, origin: &Origin, names: &mut Names) -> Phrase {
        match self.kind() {
            Kind::Seq(cs) => Phrase::seq(cs.iter().map(|c| c.also_from(origin, names))),
            Kind::New(storage, ty, x, body) => {
                Phrase::new_in(*storage, ty.clone(), x.clone(), body.also_from(origin, names))
            }
            Kind::For(l) => {
                names.comes_from(&l.var, origin);
                self.clone()
            }
            Kind::Assign(..) | Kind::If(..) => self.with_origin(&self.origin().with(origin)),
            _ => self.clone(),
        }
    }

    /// What is left of a loop of which one iteration runs alone.
    pub fn only_iteration(l: &Loop, names: &mut Names) -> Phrase {
        let origin = names.origin(&l.var);
        l.body.with_number(&l.var, &l.init, names).also_from(&origin, names)
    }

    /// Replaces a loop's variable by a number, in what the loop's body becomes: names stay.
    pub fn with_number(&self, var: &Name, value: &Nat, names: &mut Names) -> Phrase {
        let mut s = Substitution { in_place: true, ..Substitution::default() };
        s.numbers.insert(var.clone(), value.clone());
        self.substitute(&mut s, names)
    }

    /// Replaces a loop's variable by a number, in a copy with new names.
    pub fn at_iteration(&self, var: &Name, value: &Nat, names: &mut Names) -> Phrase {
        let mut s = Substitution::default();
        s.numbers.insert(var.clone(), value.clone());
        self.substitute(&mut s, names)
    }
}

fn children_of(kind: &Kind) -> SmallVec<[&Phrase; 3]> {
    let mut children = SmallVec::new();
    any_child(kind, &mut |c| {
        children.push(c);
        false
    });
    children
}

/// Does the predicate hold for a child? It is asked in order, until it does.
fn any_child<'p>(kind: &'p Kind, f: &mut dyn FnMut(&'p Phrase) -> bool) -> bool {
    match kind {
        Kind::Var(_) | Kind::Lit(_) | Kind::Skip | Kind::Barrier(_) => false,
        Kind::Lam(_, _, b) | Kind::New(_, _, _, b) | Kind::Kernel(_, b) => f(b),
        Kind::For(l) => f(&l.body),
        Kind::App(a, b) | Kind::Assign(a, b) => f(a) || f(b),
        Kind::If(c, a, b) => f(c) || f(a) || f(b),
        Kind::Number(_, parts) => parts.iter().any(|(_, p)| f(p)),
        Kind::Pattern(_, _, ps) | Kind::Acceptor(_, ps) | Kind::Seq(ps) => ps.iter().any(f),
    }
}

fn substitute_nat(n: &Nat, s: &Substitution) -> Nat {
    n.subst(&|v| match v {
        NatVar::Named(x) => s.numbers.get(x).cloned(),
        NatVar::Meta(_) | NatVar::Worker(_) => None,
    })
}

/// Where a command comes from; of loops and memory their names tell it.
pub fn origin_of(c: &Phrase, origins: &BTreeMap<Name, Origin>) -> Origin {
    let named = |x: &Name| origins.get(x).cloned().unwrap_or_default();
    match c.kind() {
        Kind::For(l) => named(&l.var),
        Kind::New(_, _, x, _) => named(x),
        Kind::Barrier(b) => {
            let names = b.races.iter().flat_map(|race| {
                let within = [&race.first.within, &race.second.within];
                std::iter::once(&race.memory).chain(within.into_iter().flatten())
            });
            names.fold(Origin::default(), |all, x| all.with(&named(x)))
        }
        // A pass may put a condition around commands: it comes from where they come from.
        _ if c.origin().is_none() => {
            let parts = c.children().into_iter().filter(|p| *p.ty() == PhraseType::Comm);
            parts.fold(Origin::default(), |all, p| all.with(&origin_of(p, origins)))
        }
        _ => c.origin().clone(),
    }
}

/// The type of an array's or vector's elements.
pub fn element(t: &Type) -> Type {
    t.as_array().or_else(|| t.as_vector()).map_or_else(Type::ill, |(_, e)| e.clone())
}

/// The number of an array's or vector's elements.
pub fn extent(t: &Type) -> Nat {
    t.as_array().or_else(|| t.as_vector()).map_or_else(Nat::poison, |(n, _)| n.clone())
}
