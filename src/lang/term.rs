//! Terms: RISE programs as values. Immutable, shared, typed; binders are De Bruijn indices and keep their names as
//! hints for printing (thesis section 5.4 has the reasons for the encoding).
//!
//! Every node knows its type, its size, its free variables and its digest. The digest covers everything but names,
//! so `==` is alpha-equivalence and takes constant time.

use super::MAX_DEPTH;
use super::digest::{Bytes, Digest};
use super::literal::Literal;
use super::nat::{Name, Nat, NatFun, NatVar};
use super::origin::Origin;
use super::path::Path;
use super::pattern::{AddressSpace, Pattern};
use super::root::{Root, Roots};
use super::sort::Sort;
use super::ty::{Type, TypeKind, TypeSubst};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// An explicit argument of a pattern that is no term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Arg {
    Nat(Nat),
    /// A function of sizes.
    Fun(NatFun),
    Addr(AddressSpace),
    Dim(u8),
}

impl Arg {
    /// The sizes in it.
    pub fn vars(&self) -> Vec<NatVar> {
        match self {
            Arg::Nat(n) => n.vars(),
            Arg::Fun(f) => f.vars(),
            Arg::Addr(_) | Arg::Dim(_) => vec![],
        }
    }
}

/// A pattern with its explicit arguments; its type stands in the node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Prim {
    pub pattern: Pattern,
    pub args: Vec<Arg>,
}

#[derive(Clone, Debug)]
pub enum Expr {
    /// De Bruijn index: 0 is the innermost binder.
    Var(u32),
    /// The name is a hint. The parameter's type is the domain of the node's type.
    Lam(Name, Term),
    App(Term, Term),
    Prim(Prim),
    Lit(Literal),
}

struct Node {
    expr: Expr,
    ty: Type,
    /// Taken when it is first asked for: most terms of a rewrite are never compared.
    digest: OnceLock<Digest>,
    size: u32,
    depth: u32,
    /// Bit i: variable i is free. Bit 63: some variable from 63 upwards is free.
    free: u64,
    has_metas: bool,
    has_declared: bool,
    /// Is there an operation on scalars that are no positions?
    calculates: bool,
    /// Of a leaf: which part of the program it comes from. Like names it is no part of the digest.
    origin: Origin,
    /// What stands at the roots of its parts, and at its own.
    roots: Roots,
    /// Tells terms apart whose leaves come from different parts; 0 where that is not known of any.
    mark: u64,
}

/// Children or arguments of a term, which are few and asked for everywhere.
pub type Parts<'a> = SmallVec<[&'a Term; 4]>;

/// What has become of the nodes of a term, which lives meanwhile. Shared nodes are walked once; those that are equal and not shared
/// are not found here, since that would take their digests.
type Memo<K> = FxHashMap<(*const (), K), Term>;

/// What tells two terms apart that are equal, and do not come from the same part of a program.
pub type Marked = (Digest, u64);

/// A term. Cloning is cheap, comparison takes constant time.
#[derive(Clone)]
pub struct Term(Arc<Node>);

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        let alike = |a: &Node, b: &Node| a.size == b.size && a.depth == b.depth && a.free == b.free;
        self.is_same(other) || alike(&self.0, &other.0) && self.digest() == other.digest()
    }
}
impl Eq for Term {}
impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest().hash(state);
    }
}

const HIGH: u64 = 1 << 63;

/// One number for several, which is 0 only where all of them are.
fn mark(parts: &[u64]) -> u64 {
    if parts.iter().all(|p| *p == 0) {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish().max(1)
}

fn mark_of(origin: &Origin) -> u64 {
    if origin.is_none() { 0 } else { mark(&origin.numbers().map(|n| u64::from(n) + 1).collect::<Vec<_>>()) }
}

/// The free variables of a body, seen from outside its binder.
fn below_binder(free: u64) -> u64 {
    // Whether one from 63 upwards is exactly 63 is not known, so both answers stay possible.
    if free & HIGH != 0 { ((free & !HIGH) >> 1) | HIGH | (1 << 62) } else { free >> 1 }
}

/// Whether a pattern of a type is an operation on scalars that are no positions.
fn is_operation(pattern: Pattern, ty: &Type) -> bool {
    let of_positions = |t: &Type| matches!(t.kind(), TypeKind::NatType | TypeKind::Index(_));
    (pattern.is_scalar() || pattern.sort() == Sort::Choice) && !ty.signature().0.iter().all(of_positions)
}

impl Term {
    fn new(expr: Expr, ty: Type) -> Term {
        Term::leaf(expr, ty, Origin::default())
    }

    fn leaf(expr: Expr, ty: Type, origin: Origin) -> Term {
        let mut has_declared = false;
        let mut calculates = false;
        let (size, depth, free, mut has_metas) = match &expr {
            Expr::Var(i) => (1, 0, if *i < 63 { 1 << i } else { HIGH }, false),
            Expr::Lam(_, body) => {
                has_declared = body.0.has_declared;
                calculates = body.0.calculates;
                (body.0.size.saturating_add(1), body.0.depth + 1, below_binder(body.0.free), body.0.has_metas)
            }
            Expr::App(f, e) => {
                has_declared = f.0.has_declared || e.0.has_declared;
                calculates = f.0.calculates || e.0.calculates;
                (
                    f.0.size.saturating_add(e.0.size).saturating_add(1),
                    f.0.depth.max(e.0.depth) + 1,
                    f.0.free | e.0.free,
                    f.0.has_metas || e.0.has_metas,
                )
            }
            Expr::Prim(p) => {
                has_declared = super::declared::is_unfolded(p.pattern);
                calculates = is_operation(p.pattern, &ty);
                let metas = p.args.iter().any(|a| match a {
                    Arg::Nat(n) => n.has_metas(),
                    Arg::Fun(f) => f.body().has_metas(),
                    Arg::Addr(_) | Arg::Dim(_) => false,
                });
                (1, 0, 0, metas)
            }
            Expr::Lit(_) => (1, 0, 0, false),
        };
        has_metas |= ty.has_metas();
        let mark = match &expr {
            Expr::Lam(_, body) => mark(&[body.0.mark]),
            Expr::App(f, e) => mark(&[f.0.mark, e.0.mark]),
            Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => mark_of(&origin),
        };
        let root = Roots::from(Root::of_expr(&expr));
        let roots = match &expr {
            Expr::Lam(_, body) => root.and(body.0.roots),
            Expr::App(f, e) => root.and(f.0.roots).and(e.0.roots),
            Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => root,
        };
        Term(Arc::new(Node {
            digest: OnceLock::new(),
            expr,
            ty,
            size,
            depth,
            free,
            has_metas,
            has_declared,
            calculates,
            roots,
            mark,
            origin,
        }))
    }

    /// The digest of a node from those of its children.
    fn digested(&self) -> Digest {
        let mut bytes = Bytes::new();
        match self.expr() {
            Expr::Var(i) => {
                bytes.push(0);
                bytes.extend_from_slice(&i.to_le_bytes());
            }
            Expr::Lam(_, body) => {
                bytes.push(1);
                bytes.extend_from_slice(body.digest().bytes());
            }
            Expr::App(f, e) => {
                bytes.push(2);
                bytes.extend_from_slice(f.digest().bytes());
                bytes.extend_from_slice(e.digest().bytes());
            }
            Expr::Prim(p) => {
                // Patterns are identified by name, so that a new row in the table changes no digest.
                bytes.push(3);
                bytes.extend_from_slice(p.pattern.name().as_bytes());
                if let Some(declared) = p.pattern.declared() {
                    bytes.push(0xff);
                    bytes.extend_from_slice(declared.digest().bytes());
                }
                for a in &p.args {
                    match a {
                        Arg::Nat(n) => {
                            bytes.push(0);
                            n.canonical_bytes(&mut bytes);
                        }
                        Arg::Addr(a) => {
                            bytes.push(1);
                            bytes.extend_from_slice(a.name().as_bytes());
                        }
                        Arg::Dim(d) => bytes.extend([2, *d]),
                        Arg::Fun(f) => {
                            bytes.push(3);
                            f.body().canonical_bytes(&mut bytes);
                        }
                    }
                }
            }
            Expr::Lit(l) => {
                bytes.push(4);
                l.canonical_bytes(&mut bytes);
            }
        }
        bytes.extend_from_slice(self.ty().digest().bytes());
        Digest::of(&bytes)
    }

    pub fn var(index: u32, ty: Type) -> Term {
        Term::new(Expr::Var(index), ty)
    }
    pub fn lam(name: &str, param: Type, body: Term) -> Term {
        Term::lam_named(name.into(), param, body)
    }
    fn lam_named(name: Name, param: Type, body: Term) -> Term {
        let ty = Type::fun(param, body.ty().clone());
        Term::new(Expr::Lam(name, body), ty)
    }
    /// The application of a function to an argument of its parameter's type. An ill-typed application gets the
    /// type [`TypeKind::Ill`], which [`Term::check`] reports.
    pub fn app(f: Term, e: Term) -> Term {
        let ty = match f.ty().as_fun() {
            Some((a, b)) if a == e.ty() || (f.has_metas() || e.has_metas()) => b.clone(),
            _ => Type::ill(),
        };
        Term::new(Expr::App(f, e), ty)
    }
    pub fn apps(f: Term, args: impl IntoIterator<Item = Term>) -> Term {
        args.into_iter().fold(f, Term::app)
    }
    pub fn prim(pattern: Pattern, args: Vec<Arg>, ty: Type) -> Term {
        Term::new(Expr::Prim(Prim { pattern, args }), ty)
    }
    pub fn lit(l: Literal) -> Term {
        let ty = l.ty();
        Term::new(Expr::Lit(l), ty)
    }

    pub fn expr(&self) -> &Expr {
        &self.0.expr
    }
    /// Whether the two are one node, which is known without a look at what is in them.
    pub fn is_same(&self, other: &Term) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// Tells nodes apart for as long as they live.
    pub fn node(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }
    pub fn ty(&self) -> &Type {
        &self.0.ty
    }
    pub fn digest(&self) -> Digest {
        if let Some(known) = self.0.digest.get() {
            return *known;
        }
        // Children first, without recursion: terms can be deep.
        let mut open = vec![self];
        while let Some(now) = open.last().copied() {
            let before = open.len();
            let children = now.children();
            open.extend(children.into_iter().filter(|child| child.0.digest.get().is_none()));
            if open.len() == before {
                now.0.digest.get_or_init(|| now.digested());
                open.pop();
            }
        }
        self.digest()
    }
    /// The digest, with what tells apart terms whose leaves come from different parts of a program.
    pub fn marked(&self) -> Marked {
        (self.digest(), self.0.mark)
    }
    /// Does a leaf tell which part of a program it comes from?
    pub fn has_origins(&self) -> bool {
        self.0.mark != 0
    }
    /// Which part of a program the first leaf of the term comes from: its pattern, where it is the application of one.
    pub fn origin(&self) -> Origin {
        let mut t = self;
        loop {
            match t.expr() {
                Expr::Lam(_, b) => t = b,
                Expr::App(f, _) => t = f,
                Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => return t.0.origin.clone(),
            }
        }
    }
    /// The leaf, from this part of a program; other terms stay as they are.
    #[must_use]
    pub fn with_origin(self, origin: &Origin) -> Term {
        match self.expr() {
            Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) if self.0.origin != *origin => {
                Term::leaf(self.expr().clone(), self.ty().clone(), origin.clone())
            }
            _ => self,
        }
    }
    /// The term with this origin for all of its leaves that have none.
    #[must_use]
    pub fn made_from(&self, origin: &Origin) -> Term {
        fn go(t: &Term, origin: &Origin, memo: &mut Memo<()>) -> Term {
            if let Some(done) = memo.get(&(t.node(), ())) {
                return done.clone();
            }
            let out = match t.children().as_slice() {
                [] if t.0.origin.is_none() => t.clone().with_origin(origin),
                [] => t.clone(),
                children => t.with_children(children.iter().map(|c| go(c, origin, memo)).collect()),
            };
            memo.insert((t.node(), ()), out.clone());
            out
        }
        if origin.is_none() {
            self.clone()
        } else {
            self.with_stack(|| go(self, origin, &mut FxHashMap::default()))
        }
    }
    /// The number of nodes.
    pub fn size(&self) -> u32 {
        self.0.size
    }
    /// The longest path.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }
    /// What stands at the roots of its parts, and at its own.
    pub fn roots(&self) -> Roots {
        self.0.roots
    }
    pub fn has_metas(&self) -> bool {
        self.0.has_metas
    }
    /// Is something in it that [`super::declared::unfolded`] may put a meaning for?
    pub fn has_declared(&self) -> bool {
        self.0.has_declared
    }
    /// Does the term hold an operation on scalars that are no positions?
    pub fn calculates(&self) -> bool {
        self.0.calculates
    }
    /// Is it such an operation itself?
    pub fn is_operation(&self) -> bool {
        self.as_prim().is_some() && self.calculates()
    }
    pub fn is_closed(&self) -> bool {
        self.0.free == 0 || (self.0.free & HIGH != 0 && !self.any_free(&|_| true))
    }
    /// Is the variable free?
    pub fn has_free(&self, index: u32) -> bool {
        if self.0.free & HIGH == 0 {
            return index < 63 && self.0.free & (1 << index) != 0;
        }
        self.any_free(&|i| i == index)
    }
    /// Is any variable from `index` upwards free? May say yes when only many binders hide the truth.
    fn may_have_free_from(&self, index: u32) -> bool {
        if index >= 63 { self.0.free & HIGH != 0 } else { self.0.free >> index != 0 }
    }
    fn any_free(&self, wanted: &dyn Fn(u32) -> bool) -> bool {
        fn go(t: &Term, depth: u32, wanted: &dyn Fn(u32) -> bool) -> bool {
            if t.0.free == 0 {
                return false;
            }
            match t.expr() {
                Expr::Var(i) => *i >= depth && wanted(*i - depth),
                Expr::Lam(_, b) => go(b, depth + 1, wanted),
                Expr::App(f, e) => go(f, depth, wanted) || go(e, depth, wanted),
                Expr::Prim(_) | Expr::Lit(_) => false,
            }
        }
        go(self, 0, wanted)
    }
    /// How often the variable occurs.
    pub fn occurrences(&self, index: u32) -> usize {
        if !self.has_free(index) {
            return 0;
        }
        match self.expr() {
            Expr::Var(_) => 1,
            Expr::Lam(_, b) => b.occurrences(index + 1),
            Expr::App(f, e) => f.occurrences(index) + e.occurrences(index),
            Expr::Prim(_) | Expr::Lit(_) => 0,
        }
    }

    /// Does the variable occur at most once, and not in a function, which may run more than once?
    pub fn uses_at_most_once(&self, index: u32) -> bool {
        fn uses(t: &Term, index: u32) -> usize {
            if !t.has_free(index) {
                return 0;
            }
            match t.expr() {
                Expr::Var(_) => 1,
                Expr::App(f, e) => uses(f, index).saturating_add(uses(e, index)),
                _ => 2,
            }
        }
        uses(self, index) <= 1
    }
    pub fn as_lam(&self) -> Option<(&Name, &Term)> {
        if let Expr::Lam(n, b) = self.expr() { Some((n, b)) } else { None }
    }
    pub fn as_app(&self) -> Option<(&Term, &Term)> {
        if let Expr::App(f, e) = self.expr() { Some((f, e)) } else { None }
    }
    pub fn as_prim(&self) -> Option<&Prim> {
        if let Expr::Prim(p) = self.expr() { Some(p) } else { None }
    }
    pub fn as_pattern(&self) -> Option<Pattern> {
        self.as_prim().map(|p| p.pattern)
    }
    /// The head of nested applications and its arguments, first argument first.
    pub fn spine(&self) -> (&Term, Parts<'_>) {
        let mut head = self;
        let mut args = Parts::new();
        while let Expr::App(f, e) = head.expr() {
            args.push(e);
            head = f;
        }
        args.reverse();
        (head, args)
    }
    /// The pattern and arguments of a pattern's application, possibly partial.
    pub fn as_pattern_app(&self) -> Option<(&Prim, Parts<'_>)> {
        let (head, args) = self.spine();
        Some((head.as_prim()?, args))
    }
    /// Children in the order of [`Path`] steps.
    pub fn children(&self) -> Parts<'_> {
        match self.expr() {
            Expr::Lam(_, b) => smallvec![b],
            Expr::App(f, e) => smallvec![f, e],
            Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => Parts::new(),
        }
    }
    /// Is there a leaf like this?
    pub fn has_leaf(&self, like: &dyn Fn(&Term) -> bool) -> bool {
        match self.expr() {
            Expr::Lam(_, b) => b.has_leaf(like),
            Expr::App(f, e) => f.has_leaf(like) || e.has_leaf(like),
            Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => like(self),
        }
    }
    /// The node again, with other children of the same types; the node itself where they are its own.
    pub fn with_children(&self, mut children: Vec<Term>) -> Term {
        if self.children().into_iter().zip(&children).all(|(own, other)| own.is_same(other)) {
            return self.clone();
        }
        match (self.expr(), children.len()) {
            (Expr::Lam(n, _), 1) => {
                let param = self.ty().as_fun().map_or_else(Type::ill, |(p, _)| p.clone());
                Term::lam_named(n.clone(), param, children.remove(0))
            }
            (Expr::App(..), 2) => {
                let e = children.remove(1);
                Term::app(children.remove(0), e)
            }
            _ => self.clone(),
        }
    }

    /// Renames free variables: `f(i)` is the new index of free variable `i` of the whole term, or none when it
    /// must not occur, in which case the result is none.
    pub fn rename(&self, f: &dyn Fn(u32) -> Option<u32>) -> Option<Term> {
        fn go(t: &Term, depth: u32, f: &dyn Fn(u32) -> Option<u32>, memo: &mut Memo<u32>) -> Option<Term> {
            if !t.may_have_free_from(depth) {
                return Some(t.clone());
            }
            if let Some(done) = memo.get(&(t.node(), depth)) {
                return Some(done.clone());
            }
            let out = match t.expr() {
                Expr::Var(i) if *i >= depth => {
                    Term::var(f(*i - depth)? + depth, t.ty().clone()).with_origin(&t.0.origin)
                }
                Expr::Lam(_, b) => t.with_children(vec![go(b, depth + 1, f, memo)?]),
                Expr::App(g, e) => t.with_children(vec![go(g, depth, f, memo)?, go(e, depth, f, memo)?]),
                Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => t.clone(),
            };
            memo.insert((t.node(), depth), out.clone());
            Some(out)
        }
        go(self, 0, f, &mut FxHashMap::default())
    }

    /// Adds `by` to every free variable.
    pub fn shift_up(&self, by: u32) -> Term {
        if by == 0 {
            return self.clone();
        }
        self.rename(&|i| i.checked_add(by)).unwrap_or_else(|| self.clone())
    }
    /// Subtracts `by` from every free variable; none when one of the removed variables occurs.
    pub fn shift_down(&self, by: u32) -> Option<Term> {
        self.rename(&|i| i.checked_sub(by))
    }

    /// Beta reduction's substitution: variable 0 becomes `arg`, the others move down by one.
    pub fn subst0(&self, arg: &Term) -> Term {
        fn go(t: &Term, depth: u32, arg: &Term, memo: &mut Memo<u32>) -> Term {
            if !t.may_have_free_from(depth) {
                return t.clone();
            }
            if let Some(done) = memo.get(&(t.node(), depth)) {
                return done.clone();
            }
            let out = match t.expr() {
                Expr::Var(i) if *i == depth => arg.shift_up(depth),
                Expr::Var(i) if *i > depth => Term::var(*i - 1, t.ty().clone()).with_origin(&t.0.origin),
                Expr::Lam(_, b) => t.with_children(vec![go(b, depth + 1, arg, memo)]),
                Expr::App(g, e) => t.with_children(vec![go(g, depth, arg, memo), go(e, depth, arg, memo)]),
                Expr::Var(_) | Expr::Prim(_) | Expr::Lit(_) => t.clone(),
            };
            memo.insert((t.node(), depth), out.clone());
            out
        }
        go(self, 0, arg, &mut FxHashMap::default())
    }

    /// Replaces variables in every type and size.
    pub fn map_types(&self, s: &dyn TypeSubst) -> Term {
        fn go(t: &Term, s: &dyn TypeSubst, memo: &mut Memo<()>) -> Term {
            if let Some(done) = memo.get(&(t.node(), ())) {
                return done.clone();
            }
            let nat = |n: &Nat| n.subst(&|v| s.nat(v));
            let out = match t.expr() {
                Expr::Var(i) => Term::var(*i, t.ty().subst(s)).with_origin(&t.0.origin),
                Expr::Lam(n, b) => {
                    let param = t.ty().as_fun().map_or_else(Type::ill, |(p, _)| p.subst(s));
                    Term::lam_named(n.clone(), param, go(b, s, memo))
                }
                Expr::App(f, e) => Term::app(go(f, s, memo), go(e, s, memo)),
                Expr::Prim(p) => {
                    let args = p.args.iter().map(|a| match a {
                        Arg::Nat(n) => Arg::Nat(nat(n)),
                        Arg::Fun(f) => Arg::Fun(f.subst(&|v| s.nat(v))),
                        other => other.clone(),
                    });
                    Term::prim(p.pattern, args.collect(), t.ty().subst(s)).with_origin(&t.0.origin)
                }
                Expr::Lit(l) => Term::lit(l.map_sizes(&nat)).with_origin(&t.0.origin),
            };
            memo.insert((t.node(), ()), out.clone());
            out
        }
        go(self, s, &mut FxHashMap::default())
    }

    /// The sub-term at a position.
    pub fn at(&self, path: &Path) -> Option<&Term> {
        path.steps().iter().try_fold(self, |t, i| t.children().get(usize::from(*i)).copied())
    }

    /// The term with the sub-term at `path` replaced by one of the same type; none when there is no such position.
    pub fn replace_at(&self, path: &Path, new: Term) -> Option<Term> {
        fn go(t: &Term, steps: &[u8], new: Term) -> Option<Term> {
            let Some((i, rest)) = steps.split_first() else { return Some(new) };
            let mut children: Vec<Term> = t.children().into_iter().cloned().collect();
            let child = children.get_mut(usize::from(*i))?;
            *child = go(child, rest, new)?;
            Some(t.with_children(children))
        }
        go(self, path.steps(), new)
    }

    /// The binders above a position, outermost first, with their types.
    pub fn binders_at(&self, path: &Path) -> Vec<(Name, Type)> {
        let mut out = vec![];
        let mut t = self;
        for i in path.steps() {
            if let Some((n, _)) = t.as_lam()
                && let Some((p, _)) = t.ty().as_fun()
            {
                out.push((n.clone(), p.clone()));
            }
            match t.children().get(usize::from(*i)) {
                Some(child) => t = child,
                None => break,
            }
        }
        out
    }

    /// Every position, parents before children, functions before arguments.
    pub fn positions(&self) -> Vec<(Path, &Term)> {
        let mut out = vec![];
        let mut stack = vec![(Path::root(), self)];
        while let Some((path, t)) = stack.pop() {
            for (i, child) in t.children().into_iter().enumerate().rev() {
                stack.push((path.child(i as u8), child));
            }
            out.push((path, t));
        }
        out
    }

    /// Runs what recurses over the term, on a stack that is large enough for that on every thread.
    pub fn with_stack<T>(&self, f: impl FnOnce() -> T) -> T {
        let needed = (self.depth() as usize).saturating_mul(64 << 10).saturating_add(1 << 20).min(1 << 30);
        // A new stack is so much larger that whoever is called on it and asks for as much needs no other.
        stacker::maybe_grow(needed, needed + (4 << 20), f)
    }

    /// Checks every node again: applications fit, variables have their binder's type, nothing is unknown.
    ///
    /// # Errors
    /// A sentence that says what does not fit, and where.
    pub fn check(&self) -> Result<(), String> {
        fn go(t: &Term, path: &Path, binders: &mut Vec<Type>) -> Result<(), String> {
            if t.has_metas() {
                return Err(format!("an unknown is left in the type {} at {path}", t.ty()));
            }
            match t.expr() {
                Expr::Var(i) => match binders.len().checked_sub(1 + *i as usize).map(|j| &binders[j]) {
                    Some(ty) if ty == t.ty() => Ok(()),
                    Some(ty) => {
                        Err(format!("the variable at {path} has type {} but its binder {ty}", t.ty()))
                    }
                    None => Err(format!("the variable at {path} has no binder")),
                },
                Expr::Lam(_, b) => {
                    let Some((p, r)) = t.ty().as_fun() else {
                        return Err(format!("the function at {path} has type {}", t.ty()));
                    };
                    if r != b.ty() {
                        return Err(format!("the body at {path} has type {} instead of {r}", b.ty()));
                    }
                    binders.push(p.clone());
                    let result = go(b, &path.child(0), binders);
                    binders.pop();
                    result
                }
                Expr::App(f, e) => {
                    match f.ty().as_fun() {
                        Some((a, _)) if a == e.ty() => {}
                        _ => return Err(format!("at {path}, {} is applied to {}", f.ty(), e.ty())),
                    }
                    go(f, &path.child(0), binders)?;
                    go(e, &path.child(1), binders)
                }
                Expr::Prim(_) | Expr::Lit(_) if matches!(t.ty().kind(), TypeKind::Ill) => {
                    Err(format!("ill-typed at {path}"))
                }
                Expr::Prim(_) | Expr::Lit(_) => Ok(()),
            }
        }
        if self.depth() as usize > 4 * MAX_DEPTH {
            return Err(format!("the term is nested {} deep", self.depth()));
        }
        self.with_stack(|| go(self, &Path::root(), &mut vec![]))
    }
}

impl fmt::Debug for Term {
    /// The bare structure, for tests and bug reports; `lang::print` writes RISE.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expr() {
            Expr::Var(i) => write!(f, "%{i}"),
            Expr::Lam(_, b) => write!(f, "(\\{b:?})"),
            Expr::App(g, e) => write!(f, "({g:?} {e:?})"),
            Expr::Prim(p) => {
                write!(f, "{}", p.pattern)?;
                p.args.iter().try_for_each(|a| match a {
                    Arg::Nat(n) => write!(f, "[{n}]"),
                    Arg::Fun(g) => write!(f, "[{g}]"),
                    Arg::Addr(a) => write!(f, "[{}]", a.name()),
                    Arg::Dim(d) => write!(f, "[{d}]"),
                })
            }
            Expr::Lit(l) => write!(f, "{l}"),
        }
    }
}
