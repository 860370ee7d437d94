//! Where the elements that a value is computed of lie in memory: how far apart for each loop around, in cells.
//!
//! A value is the set of its reads. Each knows its stride along every dimension that the value still has, and along every
//! loop that it was taken out of. Memory is row-major, and what is stored is memory of its own; free variables are memory.

use crate::lang::digest::Digest;
use crate::lang::nat::{Nat, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::sort::{Sort, View};
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::{Type, TypeKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A loop: a map or a reduction.
type Loop = usize;
/// How far the next iteration reads from this one; none where that follows from data, or is not the same everywhere.
type Stride = Option<Nat>;

/// What is around a term: the terms in which it is, outermost first, each with the number of the child that leads on.
/// Variables that are bound in these are what they are there; all others are memory.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub terms: &'a [Term],
    pub path: &'a [u8],
}

impl Around<'_> {
    /// The whole term, with this one in its place.
    fn with(&self, t: Term) -> Term {
        self.terms.iter().zip(self.path).rev().fold(t, |inner, (outer, i)| {
            let mut children: Vec<Term> = outer.children().into_iter().cloned().collect();
            if let Some(child) = children.get_mut(usize::from(*i)) {
                *child = inner;
            }
            outer.with_children(children)
        })
    }
}

/// Do neighbouring elements of a map over long reductions lie side by side, so that to reduce them side by side is to go
/// through memory in order? Of reductions in it, those of which the length is not known to be at most `most` are long.
pub fn reduces_columns(map: &Term, most: &Nat, around: Around) -> bool {
    let (_, args) = map.spine();
    let [f, xs] = args.as_slice() else { return false };
    let mut walk = Walk::new(most);
    let is_one = |stride: &Stride| stride.as_ref().is_some_and(|n| n.as_constant() == Some(1));
    let is_some = |stride: &Stride| stride.as_ref().is_some_and(|n| !n.is_zero());
    walk.scopes(map, around).iter().all(|scope| {
        walk.long.clear();
        let elements = walk.value(xs, scope);
        let columns = walk.fresh();
        let f = walk.value(f, scope);
        let result = walk.apply(f, elements.taken_out(columns));
        result
            .reads()
            .iter()
            .any(|read| is_one(&read.along(columns)) && walk.long.iter().any(|l| is_some(&read.along(*l))))
    })
}

/// Do the elements of an array, one after the other, lie side by side wherever they are read? `given` is a size with the values
/// of sizes that were given: a column of a matrix that has no other lies side by side, too.
pub fn reads_in_order(array: &Term, around: Around, given: &dyn Fn(&Nat) -> Nat) -> bool {
    let mut walk = Walk::new(&Nat::constant(0));
    let near =
        |stride: Stride| stride.and_then(|n| given(&n).as_constant()).is_some_and(|n| matches!(n, 0 | 1));
    walk.scopes(array, around).iter().all(|scope| {
        let elements = walk.value(array, scope);
        let order = walk.fresh();
        elements.taken_out(order).reads().iter().all(|read| near(read.along(order)))
    })
}

#[derive(Clone, PartialEq, Eq, Default)]
struct Read {
    /// Along the dimensions of the value, outermost first.
    dims: Vec<Stride>,
    /// Along loops; 0 along those that are missing.
    loops: BTreeMap<Loop, Stride>,
}

impl Read {
    fn along(&self, l: Loop) -> Stride {
        self.loops.get(&l).cloned().unwrap_or_else(|| Some(Nat::constant(0)))
    }
}

#[derive(Clone)]
enum Value {
    /// Scalars, or arrays of them.
    Reads(Vec<Read>),
    /// Pairs, or arrays of them.
    Pair(Rc<Value>, Rc<Value>),
    /// Indices and other numbers, by their steps.
    Number(Read),
    Lambda(Term, Scope),
    /// A pattern that waits for more.
    Partial(Term, Vec<Value>),
}

/// The values of variables, the innermost last; those beyond are memory.
#[derive(Clone, Default)]
struct Scope(Vec<Value>);

impl Scope {
    fn with(&self, v: Value) -> Scope {
        let mut all = self.0.clone();
        all.push(v);
        Scope(all)
    }

    fn get(&self, index: u32) -> Option<&Value> {
        self.0.len().checked_sub(1 + index as usize).and_then(|at| self.0.get(at))
    }
}

impl Value {
    fn nothing() -> Value {
        Value::Reads(vec![])
    }

    /// Memory of its own.
    fn memory(ty: &Type) -> Value {
        fn within(ty: &Type, dims: &mut Vec<Nat>) -> Value {
            match ty.kind() {
                TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
                    dims.push(n.clone());
                    let value = within(t, dims);
                    dims.pop();
                    value
                }
                TypeKind::Pair(a, b) => Value::Pair(Rc::new(within(a, dims)), Rc::new(within(b, dims))),
                _ => {
                    let mut strides = vec![];
                    let mut stride = Nat::constant(1);
                    for n in dims.iter().rev() {
                        strides.insert(0, Some(stride.clone()));
                        stride = stride.mul(n);
                    }
                    Value::Reads(vec![Read { dims: strides, loops: BTreeMap::new() }])
                }
            }
        }
        within(ty, &mut vec![])
    }

    /// All that is read.
    fn reads(&self) -> Vec<Read> {
        match self {
            Value::Reads(reads) => reads.clone(),
            Value::Pair(a, b) => union(a.reads(), b.reads()),
            // What an index was computed of is no read of the value.
            Value::Number(_) | Value::Lambda(..) | Value::Partial(..) => vec![],
        }
    }

    fn each(&self, f: &dyn Fn(&Read) -> Read) -> Value {
        match self {
            Value::Reads(reads) => {
                let mut all = vec![];
                reads.iter().for_each(|read| add(&mut all, f(read)));
                Value::Reads(all)
            }
            Value::Pair(a, b) => Value::Pair(Rc::new(a.each(f)), Rc::new(b.each(f))),
            Value::Number(steps) => Value::Number(f(steps)),
            other => other.clone(),
        }
    }

    /// With the outermost dimensions made others.
    fn shown(&self, count: usize, f: &dyn Fn(&[Stride]) -> Vec<Stride>) -> Value {
        self.each(&|read| {
            let Some((outer, inner)) = read.dims.split_at_checked(count) else { return read.clone() };
            Read { dims: [f(outer), inner.to_vec()].concat(), loops: read.loops.clone() }
        })
    }

    /// An element, in a loop over all.
    fn taken_out(&self, l: Loop) -> Value {
        self.each(&|read| {
            let mut read = read.clone();
            if !read.dims.is_empty() {
                read.loops.insert(l, read.dims.remove(0));
            }
            read
        })
    }

    /// The array of what a loop computes.
    fn put_back(&self, l: Loop) -> Value {
        self.each(&|read| {
            let mut read = read.clone();
            let stride = read.loops.remove(&l).unwrap_or_else(|| Some(Nat::constant(0)));
            read.dims.insert(0, stride);
            read
        })
    }

    fn component(&self, second: bool) -> Value {
        match self {
            Value::Pair(a, b) => (**if second { b } else { a }).clone(),
            other => other.clone(),
        }
    }

    fn with(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Pair(a, b), Value::Pair(c, d)) => Value::Pair(Rc::new(a.with(c)), Rc::new(b.with(d))),
            _ => Value::Reads(union(self.reads(), other.reads())),
        }
    }
}

fn add(all: &mut Vec<Read>, read: Read) {
    if !all.contains(&read) {
        all.push(read);
    }
}

fn union(mut a: Vec<Read>, b: Vec<Read>) -> Vec<Read> {
    b.into_iter().for_each(|read| add(&mut a, read));
    a
}

fn scaled(stride: &Stride, by: &Nat) -> Stride {
    stride.as_ref().map(|n| n.mul(by))
}

/// After so many steps nothing more is found out: of functions that call functions that call functions.
const STEPS: u32 = 100_000;

/// What the name of the term is called that is watched.
const WATCHED: &str = "watched";

struct Walk {
    steps: u32,
    loops: usize,
    /// The reductions that are not known to be short.
    long: Vec<Loop>,
    most: Nat,
    /// Whether shared arrays that are computed are stored, and not computed where they are used.
    stores: bool,
    /// The term of which it is asked what its variables are, and what they are wherever it is come to.
    watched: Option<Digest>,
    seen: Vec<Scope>,
}

impl Walk {
    fn new(most: &Nat) -> Walk {
        Walk {
            steps: STEPS,
            loops: 0,
            long: vec![],
            most: most.clone(),
            stores: true,
            watched: None,
            seen: vec![],
        }
    }

    fn fresh(&mut self) -> Loop {
        self.loops += 1;
        self.loops
    }

    /// What the variables of a term are, each time that the program comes to it. Where it does not, all are memory.
    fn scopes(&mut self, t: &Term, around: Around) -> Vec<Scope> {
        if !t.is_closed() {
            // A use of a name of its own, so that no other term is taken for this one.
            let named = Term::lam(WATCHED, t.ty().clone(), Term::var(0, t.ty().clone()));
            let watched = Term::app(named, t.clone());
            self.watched = Some(watched.digest());
            let whole = around.with(watched);
            let mut value = self.value(&whole, &Scope::default());
            for parameter in whole.ty().signature().0 {
                value = self.apply(value, Value::memory(&parameter));
            }
            self.watched = None;
            self.steps = STEPS;
        }
        match std::mem::take(&mut self.seen) {
            none if none.is_empty() => vec![Scope::default()],
            seen => seen,
        }
    }

    fn value(&mut self, t: &Term, scope: &Scope) -> Value {
        if self.steps == 0 {
            return Value::nothing();
        }
        self.steps -= 1;
        if self.watched == Some(t.digest())
            && let Some((_, t)) = t.as_app()
        {
            self.seen.push(scope.clone());
            return self.value(t, scope);
        }
        match t.expr() {
            Expr::Var(i) => scope.get(*i).cloned().unwrap_or_else(|| match t.ty().as_fun() {
                Some(_) => Value::nothing(),
                None => Value::memory(t.ty()),
            }),
            Expr::Lit(_) => Value::Number(Read::default()),
            Expr::Lam(..) => Value::Lambda(t.clone(), scope.clone()),
            Expr::Prim(_) => self.given(t, vec![]),
            Expr::App(f, e) => {
                let stored =
                    self.stores && f.as_lam().is_some() && e.ty().as_array().is_some() && e.calculates();
                // What is watched may be in what is stored.
                let computed = (!stored || self.watched.is_some()).then(|| self.value(e, scope));
                let argument = computed.filter(|_| !stored).unwrap_or_else(|| Value::memory(e.ty()));
                let f = self.value(f, scope);
                self.apply(f, argument)
            }
        }
    }

    fn apply(&mut self, f: Value, argument: Value) -> Value {
        match f {
            Value::Lambda(t, scope) => match t.as_lam() {
                Some((_, body)) => self.value(body, &scope.with(argument)),
                None => Value::nothing(),
            },
            Value::Partial(pattern, mut args) => {
                args.push(argument);
                self.given(&pattern, args)
            }
            // Of a function that is not known.
            other => other.with(&argument),
        }
    }

    /// A pattern with its arguments, which may not be all.
    fn given(&mut self, t: &Term, args: Vec<Value>) -> Value {
        let parameters = t.ty().signature().0.len();
        match t.as_prim() {
            Some(_) if args.len() < parameters => Value::Partial(t.clone(), args),
            Some(_) => self.meaning(t, args),
            None => Value::nothing(),
        }
    }

    fn meaning(&mut self, t: &Term, args: Vec<Value>) -> Value {
        use Pattern as P;
        let Some(prim) = t.as_prim() else { return Value::nothing() };
        let (params, result) = t.ty().signature();
        let size = |i: usize| match prim.args.get(i) {
            Some(Arg::Nat(n)) => n.clone(),
            _ => Nat::poison(),
        };
        let length = |i: usize| params.get(i).and_then(|t| t.as_array()).map(|(n, _)| n.clone());
        let x = |i: usize| args.get(i).cloned().unwrap_or_else(Value::nothing);
        let everything = || args.iter().fold(Value::nothing(), |all, v| all.with(v));
        match prim.pattern {
            P::Let => self.apply(x(1), x(0)),
            P::ToMem if is_small(&result) => x(0),
            P::ToMem | P::Scatter | P::ScanSeq | P::Iterate => Value::memory(&result),
            P::MakePair | P::Zip => Value::Pair(Rc::new(x(0)), Rc::new(x(1))),
            P::Unzip => x(0),
            P::Fst => x(0).component(false),
            P::Snd => x(0).component(true),
            P::MapFst => {
                let first = self.apply(x(0), x(1).component(false));
                Value::Pair(Rc::new(first), Rc::new(x(1).component(true)))
            }
            P::MapSnd => {
                let second = self.apply(x(0), x(1).component(true));
                Value::Pair(Rc::new(x(1).component(false)), Rc::new(second))
            }
            p if p.is_map() => {
                let l = self.fresh();
                self.apply(x(0), x(1).taken_out(l)).put_back(l)
            }
            p if p.is_reduce() => {
                let l = self.fresh();
                if !length(2).is_some_and(|n| self.most.sub(&n).is_natural(&Ranges::default())) {
                    self.long.push(l);
                }
                let f = self.apply(x(0), Value::nothing());
                x(1).with(&self.apply(f, x(2).taken_out(l)))
            }
            P::Generate => {
                let l = self.fresh();
                let loops = BTreeMap::from([(l, Some(Nat::constant(1)))]);
                let index = Value::Number(Read { dims: vec![], loops });
                self.apply(x(0), index).put_back(l)
            }
            P::Idx => element(&x(0), &x(1)),
            P::Gather => {
                let indices = x(0);
                indices.with(&x(1).shown(1, &|_| vec![None]))
            }
            P::Transpose => x(0).shown(2, &|dims| dims.iter().rev().cloned().collect()),
            P::Split | P::AsVector | P::AsVectorAligned => {
                x(0).shown(1, &|dims| vec![scaled(&dims[0], &size(0)), dims[0].clone()])
            }
            P::Join | P::AsScalar => {
                let rows = params.first().and_then(|t| t.as_array()).map(|(_, row)| row);
                let n =
                    rows.and_then(|row| row.as_array().or_else(|| row.as_vector())).map(|(n, _)| n.clone());
                // Where rows lie one behind the other, so do their elements.
                x(0).shown(2, &|dims| {
                    let whole = n.as_ref().and_then(|n| scaled(&dims[1], n)) == dims[0];
                    vec![dims[1].clone().filter(|_| whole)]
                })
            }
            P::Slide => x(0).shown(1, &|dims| vec![scaled(&dims[0], &size(1)), dims[0].clone()]),
            P::CircularBuffer | P::RotateValues => {
                let l = self.fresh();
                let step = size(if prim.pattern == P::CircularBuffer { 2 } else { 1 });
                let loaded = self.apply(x(0), x(1).taken_out(l)).put_back(l);
                loaded.shown(1, &|dims| vec![scaled(&dims[0], &step), dims[0].clone()])
            }
            P::Reverse => x(0).shown(1, &|dims| vec![scaled(&dims[0], &Nat::constant(-1))]),
            P::Reorder => x(0).shown(1, &|_| vec![None]),
            P::VectorFromScalar => x(0).each(&|read| {
                let mut read = read.clone();
                read.dims.insert(0, Some(Nat::constant(0)));
                read
            }),
            P::MakeArray => everything().each(&|read| {
                let mut read = read.clone();
                read.dims.insert(0, None);
                read
            }),
            P::PadCst => x(1),
            P::Add | P::Sub | P::Mul | P::Div | P::Mod => match (x(0), x(1)) {
                (Value::Number(a), Value::Number(b)) => Value::Number(arithmetic(prim.pattern, &a, &b)),
                _ => everything(),
            },
            P::Concat | P::Select => everything(),
            p if matches!(p.sort(), Sort::View(View::Same)) => x(0),
            P::Take | P::Drop | P::PadClamp | P::PadEmpty | P::OclRun | P::Cast => x(0),
            p if p.is_lanewise() => everything(),
            _ => Value::memory(&result),
        }
    }
}

/// Is this a value of a few numbers? Wherever it is kept, what is read in memory is what it is computed of.
fn is_small(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
            n.as_constant().is_some_and(|n| n <= 4) && is_small(t)
        }
        TypeKind::Pair(a, b) => is_small(a) && is_small(b),
        _ => true,
    }
}

/// What two numbers come to: the steps of sums are sums, of anything else nothing is known.
fn arithmetic(p: Pattern, a: &Read, b: &Read) -> Read {
    let sign = Nat::constant(if p == Pattern::Sub { -1 } else { 1 });
    let adds = matches!(p, Pattern::Add | Pattern::Sub);
    let step = |l: Loop| {
        let sum = a.along(l).zip(scaled(&b.along(l), &sign)).map(|(a, b)| a.add(&b));
        (l, sum.filter(|_| adds))
    };
    Read { dims: vec![], loops: a.loops.keys().chain(b.loops.keys()).map(|l| step(*l)).collect() }
}

/// The element of an array at an index, which is a number or data.
fn element(index: &Value, array: &Value) -> Value {
    let steps: BTreeMap<Loop, Stride> = match index {
        Value::Number(steps) => steps.loops.clone(),
        data => {
            let reads = data.reads();
            reads.iter().flat_map(|read| read.loops.keys().map(|l| (*l, None))).collect()
        }
    };
    array.each(&|read| {
        let mut read = read.clone();
        if read.dims.is_empty() {
            return read;
        }
        let stride = read.dims.remove(0);
        for (l, step) in &steps {
            let before = read.along(*l);
            let step = step.as_ref().and_then(|step| scaled(&stride, step));
            read.loops.insert(*l, before.zip(step).map(|(a, b)| a.add(&b)));
        }
        read
    })
}

/// Does a map over long reductions go through memory in order within each of them, and through other memory in the next,
/// so that who reduces one together reads side by side? Nothing that is read may lie side by side for neighbouring
/// elements of the map instead. Of reductions those are long of which the length is not known to be at most `most`. A row
/// that is computed and shared is taken for what it is computed of: who reads a row together stores it together, too.
pub fn reduces_rows(map: &Term, most: &Nat) -> bool {
    let (_, args) = map.spine();
    let [f, xs] = args.as_slice() else { return false };
    let mut walk = Walk { stores: false, ..Walk::new(most) };
    let elements = walk.value(xs, &Scope::default());
    let map = walk.fresh();
    let f = walk.value(f, &Scope::default());
    let reads = walk.apply(f, elements.taken_out(map)).reads();
    let is_one = |stride: &Stride| stride.as_ref().is_some_and(|n| n.as_constant() == Some(1));
    let is_some = |stride: &Stride| stride.as_ref().is_some_and(|n| !n.is_zero());
    let any = |p: &dyn Fn(&Stride, &Stride) -> bool| {
        reads.iter().any(|read| walk.long.iter().any(|l| p(&read.along(map), &read.along(*l))))
    };
    any(&|map, long| is_one(long) && is_some(map) && !is_one(map))
        && !any(&|map, long| is_one(map) && is_some(long))
}
