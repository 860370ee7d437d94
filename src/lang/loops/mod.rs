//! The loop nest that a term stands for, as the thesis draws it beside programs and sketches (section 5.3.1).
//!
//! In comes any term, out come indented lines: `for m/32:`, `for k/4 (reduce):`, what is stored where, and the
//! innermost computation as `.. += .. * ..`; of two sides of a `select` that take loops each is drawn below `if` or `else`. It is a
//! picture, not the generated code: patterns that only reshape have no line, and a high-level `map` shares the loop of the pattern
//! that consumes it, if there is one.
//!
//! The term is evaluated with every array standing for its elements alone; a loop is drawn where elements are
//! asked for. Reading ends after [`MAX_LINES`] lines or so many steps, so every term has a picture.

mod choice;
mod summary;

use super::build;
use super::declared::{unfolded, unfolded_once, unfolded_steps};
use super::digest::Digest;
use super::nat::{Name, Nat};
use super::path::Path;
use super::pattern::{AddressSpace, Pattern};
use super::preorder::{At, path_of};
use super::sort::{How, Sort};
use super::term::{Arg, Expr, Prim, Term};
use super::ty::{Type, TypeKind};
use choice::choice;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use summary::Summary;

/// A line of the picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopLine {
    pub depth: usize,
    pub text: String,
    pub kind: LineKind,
    /// The part of the term that the line stands for.
    pub path: Path,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    Loop,
    /// A value that is stored, a buffer, a kernel: the lines below it belong to it.
    Memory,
    /// Below it is what is done in one of two cases.
    Choice,
    Compute,
    /// The picture goes on, but is cut off here.
    More,
}

/// What a loop does that only moves data.
const COPIES: &str = ".. = ..";

/// The most lines of a picture.
pub const MAX_LINES: usize = 400;

const MAX_STEPS: u32 = 200_000;

/// The loop nest of a term; parameters of a program are taken as given.
pub fn of(term: &Term) -> Vec<LoopLine> {
    drawn(term, false)
}

/// The loop nest of a low-level term: what is read by way of patterns that reshape is computed where it is read, as its code
/// does it.
pub fn of_lowered(term: &Term) -> Vec<LoopLine> {
    drawn(term, true)
}

fn drawn(term: &Term, is_lowered: bool) -> Vec<LoopLine> {
    term.with_stack(|| {
        let meanings = meanings(term);
        let mut reader = Reader {
            lines: vec![],
            depth: 0,
            steps: MAX_STEPS,
            asks: false,
            is_lowered,
            reductions: 0,
            last: None,
            meanings: &meanings,
        };
        let mut env = Env::default();
        let mut at = At::root(term);
        while let Some((name, body)) = at.lam() {
            let is_number = at.term.ty().as_fun().is_some_and(|(param, _)| is_number(param));
            env = env.with(if is_number { Meaning::name(name) } else { Meaning::Leaf });
            at = body;
        }
        let result = reader.eval(at, &env);
        reader.compute(&result, at.id);
        if reader.lines.is_empty() {
            reader.copy(at.term.ty(), at.id);
        }
        reader.finish(term)
    })
}

/// The meanings of the declared patterns in a term, and of the steps that change the size, by the digest of the node.
fn meanings(term: &Term) -> FxHashMap<Digest, Term> {
    let mut out = FxHashMap::default();
    let mut todo = vec![term];
    while let Some(t) = todo.pop() {
        if !t.has_declared() {
            continue;
        }
        let is_operation = t.as_pattern().is_some_and(Pattern::is_scalar);
        if !is_operation
            && let Some(meaning) =
                unfolded_once(t).map(|meaning| unfolded(&meaning)).or_else(|| unfolded_steps(t))
        {
            out.insert(t.digest(), meaning);
        }
        todo.extend(t.children());
    }
    out
}

/// The picture as text, two columns a level.
pub fn text(lines: &[LoopLine]) -> String {
    lines.iter().map(|l| format!("{}{}\n", "  ".repeat(l.depth), l.text)).collect()
}

/// What a term stands for.
#[derive(Clone)]
enum Meaning<'t> {
    /// Data that is there already.
    Leaf,
    /// What the reduction around has so far, which low-level terms copy where it need not be moved.
    Accumulated,
    /// A scalar that is computed.
    Scalar(Rc<Summary>),
    Pair(Rc<(Meaning<'t>, Meaning<'t>)>),
    /// An array whose elements are computed where they are asked for.
    Lazy(Rc<Lazy<'t>>),
    Closure(At<'t>, Env<'t>),
    Partial(At<'t>, &'t Prim, Vec<Meaning<'t>>),
}

impl Meaning<'_> {
    /// A scalar that has a name.
    fn name(name: &str) -> Self {
        Meaning::Scalar(Rc::new(Summary::constant(name.to_string())))
    }
}

/// `map f xs` that has not met its loop.
struct Lazy<'t> {
    size: Nat,
    /// The node of the application.
    id: u32,
    f: Meaning<'t>,
    elements: Elements<'t>,
    marks: Vec<String>,
}

enum Elements<'t> {
    Of(Meaning<'t>),
    /// What is stored round and round while the consumer's loop runs.
    Buffered(Meaning<'t>, String),
    Zipped(Meaning<'t>, Meaning<'t>),
    /// Rows of so many elements.
    Chunked(Meaning<'t>, Nat),
    /// The elements of a row.
    Chunk(Meaning<'t>),
    /// What is read from these by other indices, as elements of this type, which are these components of what is there.
    Through(Rc<[Meaning<'t>]>, Type, Vec<Component>),
}

#[derive(Clone, Copy)]
enum Component {
    First,
    Second,
}

#[derive(Clone, Default)]
struct Env<'t>(Option<Rc<(Meaning<'t>, Env<'t>)>>);

impl<'t> Env<'t> {
    fn with(&self, value: Meaning<'t>) -> Self {
        Env(Some(Rc::new((value, self.clone()))))
    }
    fn get(&self, index: u32) -> Meaning<'t> {
        let mut env = self;
        for _ in 0..index {
            match &env.0 {
                Some(pair) => env = &pair.1,
                None => return Meaning::Leaf,
            }
        }
        env.0.as_ref().map_or(Meaning::Leaf, |pair| pair.0.clone())
    }
}

struct Line {
    depth: usize,
    text: String,
    kind: LineKind,
    id: u32,
}

struct Reader<'t> {
    /// What declared patterns mean.
    meanings: &'t FxHashMap<Digest, Term>,
    lines: Vec<Line>,
    depth: usize,
    steps: u32,
    /// It is asked what an element takes, and nothing is drawn.
    asks: bool,
    /// What has to be stored is said in the term: all else is computed where it is read.
    is_lowered: bool,
    /// How many reductions are around.
    reductions: u32,
    /// The node at which reading was given up.
    last: Option<u32>,
}

impl<'t> Reader<'t> {
    fn finish(self, term: &Term) -> Vec<LoopLine> {
        let place = |id| path_of(term, id).unwrap_or_default();
        let cut = self.last.map(|id| Line { depth: 0, text: "…".into(), kind: LineKind::More, id });
        let lines = self.lines.into_iter().chain(cut);
        lines.map(|l| LoopLine { depth: l.depth, text: l.text, kind: l.kind, path: place(l.id) }).collect()
    }

    fn line(&mut self, kind: LineKind, text: String, id: u32) {
        self.drawn(Line { depth: self.depth, text, kind, id });
    }

    fn drawn(&mut self, line: Line) {
        if self.lines.len() < MAX_LINES {
            self.lines.push(line);
        } else {
            self.last.get_or_insert(line.id);
        }
    }

    /// May reading go on?
    fn step(&mut self, id: u32) -> bool {
        if self.steps == 0 || self.lines.len() >= MAX_LINES {
            self.last.get_or_insert(id);
            return false;
        }
        self.steps -= 1;
        true
    }

    /// What a declared pattern, or a step that changes the size, means. Few terms have any, and the digest of the others is not
    /// asked for.
    fn meaning(&self, term: &Term) -> Option<&'t Term> {
        if self.meanings.is_empty() || !term.has_declared() {
            None
        } else {
            self.meanings.get(&term.digest())
        }
    }

    fn eval(&mut self, at: At<'t>, env: &Env<'t>) -> Meaning<'t> {
        if !self.step(at.id) {
            return Meaning::Leaf;
        }
        match at.term.expr() {
            Expr::Var(i) => env.get(*i),
            Expr::Lit(l) => Meaning::Scalar(Rc::new(Summary::constant(l.to_string()))),
            Expr::Lam(..) => Meaning::Closure(at, env.clone()),
            Expr::Prim(p) => match self.meaning(at.term) {
                Some(meaning) => self.eval(At::standing_for(meaning, at.id), &Env::default()),
                None => Meaning::Partial(at, p, vec![]),
            },
            Expr::App(..)
                if self.is_lowered
                    && let Some((name, value, body)) = named_in_memory(at) =>
            {
                let (header, e, id) = value;
                let value = self.stored(header.replacen(", ", &format!(", {name}: "), 1), e, env, id);
                self.eval(body, &env.with(value))
            }
            Expr::App(..) if let Some(meaning) = self.meaning(at.term) => {
                self.eval(At::standing_for(meaning, at.id), env)
            }
            Expr::App(..) if let Some(choice) = choice(at) => self.choose(choice, at, env),
            Expr::App(..) => {
                let Some((f, e)) = at.app() else { return Meaning::Leaf };
                let function = self.eval(f, env);
                if let Meaning::Partial(head, p, _) = &function
                    && let Some(header) = memory_header(p, head.term.ty())
                {
                    return self.stored(header, e, env, at);
                }
                let arg = match f.lam() {
                    Some((name, _)) => self.let_be(name, e, env),
                    // The first of several steps has all of it first.
                    None if f.term.as_app().is_some() && self.meaning(f.term).is_some() => {
                        let value = self.eval(e, env);
                        self.named(value)
                    }
                    None => self.eval(e, env),
                };
                self.call(&function, vec![arg], at.id)
            }
        }
    }

    /// What has a name is computed once, where it is named: below its name where that takes a loop.
    fn let_be(&mut self, name: &str, e: At<'t>, env: &Env<'t>) -> Meaning<'t> {
        let value = self.nest(LineKind::Memory, format!("{name}:"), e.id, false, |r| {
            let value = r.eval(e, env);
            r.named(value)
        });
        match &value {
            Meaning::Scalar(s) if s.computes() => {
                self.line(LineKind::Compute, format!("{name} = {}", s.value()), e.id);
                Meaning::name(name)
            }
            Meaning::Leaf if is_number(e.term.ty()) => Meaning::name(name),
            _ => value,
        }
    }

    /// Data that is moved without being changed.
    fn copy(&mut self, ty: &Type, id: u32) {
        match ty.as_array() {
            Some((n, element)) => {
                self.nest(LineKind::Loop, header(n, &[]), id, true, |r| r.copy(element, id))
            }
            None => self.line(LineKind::Compute, COPIES.into(), id),
        }
    }

    /// The argument of `toMem` or `oclRun`, drawn below a line that says what is done with it.
    fn stored(&mut self, header: String, e: At<'t>, env: &Env<'t>, at: At<'t>) -> Meaning<'t> {
        let keep = at.term.ty().has_array();
        let value = self.nest(LineKind::Memory, header, at.id, keep, |r| {
            let value = r.eval(e, env);
            if keep {
                r.compute(&value, e.id);
            }
            value
        });
        if keep { Meaning::Leaf } else { value }
    }

    fn call(&mut self, f: &Meaning<'t>, args: Vec<Meaning<'t>>, id: u32) -> Meaning<'t> {
        let mut f = f.clone();
        for arg in args {
            // The place matters for loops alone, and these are given theirs where they are drawn.
            f = match f {
                Meaning::Closure(lam, env) => match lam.lam() {
                    Some((_, body)) => self.eval(body, &env.with(arg)),
                    None => Meaning::Leaf,
                },
                Meaning::Partial(head, p, mut given) => {
                    given.push(arg);
                    if build::arity(p.pattern, &p.args) == Some(given.len()) {
                        self.pattern(p, head.term.ty(), given, id)
                    } else {
                        Meaning::Partial(head, p, given)
                    }
                }
                _ => Meaning::Leaf,
            };
        }
        f
    }

    /// Draws lines one level deeper, below a header that is dropped when there is nothing below it.
    fn nest<T>(
        &mut self,
        kind: LineKind,
        header: String,
        id: u32,
        keep: bool,
        below: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.lines.len();
        self.line(kind, header, id);
        let after = self.lines.len();
        self.depth += 1;
        let result = below(self);
        self.depth -= 1;
        if !keep && self.lines.len() == after {
            self.lines.truncate(before);
        }
        result
    }

    /// Draws what it takes to have all of a value.
    fn force(&mut self, value: &Meaning<'t>) {
        match value {
            // It is computed in the order in which it is there, and written elsewhere.
            Meaning::Lazy(lazy) if let Elements::Chunked(xs, _) = &lazy.elements => self.force(xs),
            Meaning::Lazy(lazy) => {
                let header = header(&lazy.size, &lazy.marks);
                self.nest(LineKind::Loop, header, lazy.id, false, |r| {
                    let element = r.element(value, lazy.id);
                    r.compute(&element, lazy.id);
                });
            }
            Meaning::Pair(p) => {
                self.force(&p.0);
                self.force(&p.1);
            }
            _ => {}
        }
    }

    /// Draws what it takes to have all of a value, and the computation of its scalars.
    fn compute(&mut self, value: &Meaning<'t>, id: u32) {
        self.force(value);
        let mut parts = vec![];
        scalars(value, &mut parts);
        if parts.iter().any(|p| p.computes()) {
            let text = parts.iter().map(|p| p.text()).collect::<Vec<_>>().join(", ");
            self.line(LineKind::Compute, text, id);
        }
    }

    /// A value that is used under a name.
    fn named(&mut self, value: Meaning<'t>) -> Meaning<'t> {
        match &value {
            _ if self.is_lowered => value,
            Meaning::Lazy(_) => {
                let before = self.lines.len();
                self.force(&value);
                // Where nothing is computed, nothing is stored.
                if self.lines.len() == before { value } else { Meaning::Leaf }
            }
            Meaning::Pair(p) => {
                let first = self.named(p.0.clone());
                Meaning::Pair(Rc::new((first, self.named(p.1.clone()))))
            }
            _ => value,
        }
    }

    /// An element of an array, drawing what it takes to have it.
    fn element(&mut self, array: &Meaning<'t>, id: u32) -> Meaning<'t> {
        let lazy = match array {
            Meaning::Lazy(lazy) => lazy,
            Meaning::Accumulated => return Meaning::Accumulated,
            _ => return Meaning::Leaf,
        };
        if !self.step(id) {
            return Meaning::Leaf;
        }
        let x = match &lazy.elements {
            Elements::Of(xs) => self.element(xs, id),
            Elements::Zipped(a, b) => {
                let first = self.element(a, id);
                return Meaning::Pair(Rc::new((first, self.element(b, id))));
            }
            Elements::Buffered(xs, header) => {
                self.nest(LineKind::Memory, header.clone(), lazy.id, true, |r| {
                    let x = r.element(xs, lazy.id);
                    let stored = r.call(&lazy.f, vec![x], lazy.id);
                    r.compute(&stored, lazy.id);
                });
                return Meaning::Leaf;
            }
            Elements::Chunk(xs) => return self.element(xs, id),
            Elements::Through(sources, ty, parts) => {
                return self.through(sources.clone(), ty, parts.clone(), lazy.id);
            }
            Elements::Chunked(xs, size) => {
                let (size, f, id) = (size.clone(), Meaning::Leaf, lazy.id);
                let elements = Elements::Chunk(xs.clone());
                return Meaning::Lazy(Rc::new(Lazy { size, id, f, elements, marks: vec![] }));
            }
        };
        self.call(&lazy.f, vec![x], lazy.id)
    }

    /// A value of a type that is read from others by other indices.
    fn through(
        &mut self,
        sources: Rc<[Meaning<'t>]>,
        ty: &Type,
        parts: Vec<Component>,
        id: u32,
    ) -> Meaning<'t> {
        if let Some((size, element)) = ty.as_array() {
            let (size, f, marks) = (size.clone(), Meaning::Leaf, vec![]);
            let elements = Elements::Through(sources, element.clone(), parts);
            return Meaning::Lazy(Rc::new(Lazy { size, id, f, elements, marks }));
        }
        if let Some((a, b)) = ty.as_pair().filter(|_| ty.has_array()) {
            let with = |part| parts.iter().copied().chain([part]).collect();
            let (first, second) = (with(Component::First), with(Component::Second));
            let a = self.through(sources.clone(), a, first, id);
            return Meaning::Pair(Rc::new((a, self.through(sources, b, second, id))));
        }
        let mut read: Vec<Meaning> =
            sources.iter().map(|source| self.cell(source.clone(), &parts, id)).collect();
        match read.len() {
            1 => read.swap_remove(0),
            // Which of them it is follows from the index.
            _ => {
                let all: Option<Vec<Rc<Summary>>> = read
                    .iter()
                    .map(|m| match m {
                        Meaning::Scalar(s) => Some(s.clone()),
                        Meaning::Leaf | Meaning::Accumulated => Some(Rc::new(Summary::Leaf)),
                        _ => None,
                    })
                    .collect();
                let chosen = |all: Vec<_>| {
                    let which = [Rc::new(Summary::Leaf)].into_iter().chain(all).collect();
                    Meaning::Scalar(Rc::new(Summary::apply(Pattern::Select, which)))
                };
                all.filter(|all| all.iter().any(|s| s.computes())).map_or(Meaning::Leaf, chosen)
            }
        }
    }

    /// A cell of an array of any dimensions, or of these components of its elements.
    fn cell(&mut self, source: Meaning<'t>, parts: &[Component], id: u32) -> Meaning<'t> {
        let (mut value, mut parts) = (source, parts.iter());
        loop {
            value = match &value {
                Meaning::Lazy(_) => self.element(&value, id),
                Meaning::Pair(pair) => match parts.next() {
                    Some(Component::First) => pair.0.clone(),
                    Some(Component::Second) => pair.1.clone(),
                    None => return value,
                },
                _ => return value,
            };
        }
    }

    /// Is it an array of scalars that are computed without a loop?
    fn is_scalars(&mut self, array: &Meaning<'t>, id: u32) -> bool {
        // One question within another would be asked again and again.
        let (Meaning::Lazy(_), false) = (array, self.asks) else { return false };
        self.asks = true;
        let steps = self.steps;
        let before = self.lines.len();
        let element = self.element(array, id);
        let plain = self.lines.len() == before && matches!(element, Meaning::Scalar(_));
        self.lines.truncate(before);
        (self.asks, self.steps) = (false, steps);
        plain
    }

    fn pattern(&mut self, p: &'t Prim, ty: &'t Type, mut args: Vec<Meaning<'t>>, id: u32) -> Meaning<'t> {
        use Pattern as P;
        let (params, result) = ty.signature();
        let lazy = |f, elements, marks| {
            let size = result.as_array().map_or_else(|| Nat::constant(0), |(n, _)| n.clone());
            Meaning::Lazy(Rc::new(Lazy { size, id, f, elements, marks }))
        };
        match p.pattern {
            P::Id | P::ToMem | P::OclRun => args.swap_remove(0),
            P::MakePair => {
                let second = args.swap_remove(1);
                Meaning::Pair(Rc::new((args.swap_remove(0), second)))
            }
            P::Fst | P::Snd => match &args[0] {
                Meaning::Pair(pair) => if p.pattern == P::Fst { &pair.0 } else { &pair.1 }.clone(),
                _ => Meaning::Leaf,
            },
            P::MapFst | P::MapSnd => {
                let first = p.pattern == P::MapFst;
                let (a, b) = match &args[1] {
                    Meaning::Pair(pair) => (pair.0.clone(), pair.1.clone()),
                    _ => (Meaning::Leaf, Meaning::Leaf),
                };
                let changed = self.call(&args[0], vec![if first { a.clone() } else { b.clone() }], id);
                Meaning::Pair(Rc::new(if first { (changed, b) } else { (a, changed) }))
            }
            P::Let => {
                let value = self.named(args[0].clone());
                self.call(&args[1], vec![value], id)
            }
            P::Map | P::MapStream => {
                let mut marks = simd(&params[0]);
                if p.pattern == P::MapStream {
                    marks.insert(0, "stream".into());
                }
                let xs = args.swap_remove(1);
                lazy(args.swap_remove(0), Elements::Of(xs), marks)
            }
            P::Generate => lazy(args.swap_remove(0), Elements::Of(Meaning::Leaf), vec![]),
            P::Zip => {
                let b = args.swap_remove(1);
                let a = args.swap_remove(0);
                let is_known = |m: &Meaning| matches!(m, Meaning::Lazy(_) | Meaning::Accumulated);
                match (&a, &b) {
                    _ if is_known(&a) || is_known(&b) => lazy(Meaning::Leaf, Elements::Zipped(a, b), vec![]),
                    _ => Meaning::Leaf,
                }
            }
            P::CircularBuffer | P::RotateValues => {
                let size = p.args.iter().find_map(nat).map_or_else(String::new, Nat::to_string);
                let next = match p.args.last().and_then(nat) {
                    Some(n) if n.as_constant() != Some(1) => format!("next {n}"),
                    _ => "next".into(),
                };
                let text = match p.pattern {
                    P::CircularBuffer => {
                        format!("{next} into a circular buffer of {size}, {} memory:", space(p))
                    }
                    _ => format!("{next} into {size} rotating values, {} memory:", space(p)),
                };
                let xs = args.swap_remove(1);
                lazy(args.swap_remove(0), Elements::Buffered(xs, text), vec![])
            }
            other if other.is_loop() || other == P::IterateStream => {
                let size = result.as_array().map_or_else(|| Nat::constant(0), |(n, _)| n.clone());
                let mut marks: Vec<String> = how(p).into_iter().collect();
                marks.extend(simd(&params[0]));
                let before = self.lines.len();
                self.nest(LineKind::Loop, header(&size, &marks), id, true, |r| {
                    let first = r.lines.len();
                    let x = r.element(&args[1], id);
                    let y = r.call(&args[0], vec![x], id);
                    r.compute(&y, id);
                    let element = result.as_array().map(|(_, t)| t);
                    if r.lines.len() == first && element.is_some_and(|t| !t.has_array()) {
                        r.line(LineKind::Compute, COPIES.into(), id);
                    }
                });
                // What stays where it is takes no loop.
                let moves = |l: &Line| l.kind == LineKind::Loop || l.text == COPIES;
                if matches!(args[1], Meaning::Accumulated) && self.lines[before..].iter().all(moves) {
                    self.lines.truncate(before);
                    return Meaning::Accumulated;
                }
                Meaning::Leaf
            }
            other if other.accumulates() => {
                let size = params[2].as_array().map_or_else(|| Nat::constant(0), |(n, _)| n.clone());
                let mut marks =
                    vec![if p.pattern == P::ScanSeq { "scan".into() } else { String::from("reduce") }];
                marks.extend(how(p));
                marks.extend(simd(&params[0]));
                self.force(&args[1]);
                self.reductions += 1;
                self.nest(LineKind::Loop, header(&size, &marks), id, true, |r| {
                    let x = r.element(&args[2], id);
                    let acc = accumulator(&params[1], r.is_lowered);
                    let order = if p.pattern == P::ScanSeq { vec![x, acc] } else { vec![acc, x] };
                    let next = r.call(&args[0], order, id);
                    r.compute(&next, id);
                });
                self.reductions -= 1;
                let goes_on = self.is_lowered && self.reductions > 0 && p.pattern != P::ScanSeq;
                if goes_on && result.has_array() { Meaning::Accumulated } else { Meaning::Leaf }
            }
            P::Cast | P::IndexAsNat | P::NatAsIndex | P::VectorFromScalar => match &args[0] {
                Meaning::Scalar(s) => Meaning::Scalar(s.clone()),
                _ => Meaning::Leaf,
            },
            P::Idx if !self.is_lowered => {
                self.force(&args[1]);
                Meaning::Leaf
            }
            other if other == P::Select && !(self.is_lowered && result.has_array()) || other.is_scalar() => {
                // Given in part: which one it is, is not seen.
                if result.has_array() {
                    args.iter().for_each(|a| self.force(a));
                    return Meaning::Leaf;
                }
                let operands = args.iter().map(|a| match a {
                    Meaning::Scalar(s) => s.clone(),
                    Meaning::Accumulated => Rc::new(Summary::Accumulator),
                    _ => Rc::new(Summary::Leaf),
                });
                Meaning::Scalar(Rc::new(Summary::apply(other, operands.collect())))
            }
            // Scalars that take no loop are computed where chunks of them are read.
            P::Split if !self.is_lowered && self.is_scalars(&args[0], id) => {
                let row = result.as_array().and_then(|(_, row)| row.as_array());
                let size = row.map_or_else(|| Nat::constant(0), |(n, _)| n.clone());
                lazy(Meaning::Leaf, Elements::Chunked(args.swap_remove(0), size), vec![])
            }
            // Patterns that reshape.
            _ if self.is_lowered => {
                let is_computed =
                    |m: &Meaning| matches!(m, Meaning::Lazy(_) | Meaning::Pair(_) | Meaning::Accumulated);
                if !args.iter().any(is_computed) {
                    return Meaning::Leaf;
                }
                // Indices say where elements are, and are none themselves.
                let data = if matches!(p.pattern, P::Idx | P::Gather | P::Scatter | P::Select) {
                    args.split_off(1)
                } else {
                    args
                };
                self.through(data.into(), &result, vec![], id)
            }
            _ => {
                for a in &args {
                    self.force(a);
                }
                Meaning::Leaf
            }
        }
    }
}

/// Is it a scalar or a vector?
fn is_number(ty: &Type) -> bool {
    ty.as_scalar().is_some() || ty.as_vector().is_some()
}

/// What is said above a value that is stored or computed on a device.
fn memory_header(p: &Prim, ty: &Type) -> Option<String> {
    match p.pattern {
        Pattern::ToMem => Some(format!("in {} memory, {}:", space(p), ty.as_fun()?.1)),
        Pattern::OclRun => Some(format!("kernel{}:", launch(p))),
        _ => None,
    }
}

/// `let (toMem e) (\x. body)`: the name, what is said above the value with `e` and its place, and the body.
fn named_in_memory<'t>(at: At<'t>) -> Option<(&'t Name, (String, At<'t>, At<'t>), At<'t>)> {
    let (applied, function) = at.app()?;
    let (head, value) = applied.app()?;
    let (to_memory, e) = value.app()?;
    let prim = to_memory.term.as_prim().filter(|p| p.pattern == Pattern::ToMem)?;
    let (name, body) = function.lam().filter(|_| head.term.as_pattern() == Some(Pattern::Let))?;
    Some((name, (memory_header(prim, to_memory.term.ty())?, e, value), body))
}

fn accumulator<'t>(ty: &Type, is_lowered: bool) -> Meaning<'t> {
    let part = |ty| accumulator(ty, is_lowered);
    match ty.kind() {
        TypeKind::Pair(a, b) => Meaning::Pair(Rc::new((part(a), part(b)))),
        TypeKind::Array(..) if is_lowered => Meaning::Accumulated,
        TypeKind::Array(..) => Meaning::Leaf,
        _ => Meaning::Scalar(Rc::new(Summary::Accumulator)),
    }
}

fn scalars(value: &Meaning, out: &mut Vec<Rc<Summary>>) {
    match value {
        Meaning::Scalar(s) => out.push(s.clone()),
        Meaning::Pair(p) => {
            scalars(&p.0, out);
            scalars(&p.1, out);
        }
        _ => {}
    }
}

fn header(size: &Nat, marks: &[String]) -> String {
    if marks.is_empty() { format!("for {size}:") } else { format!("for {size} ({}):", marks.join(", ")) }
}

fn nat(arg: &Arg) -> Option<&Nat> {
    if let Arg::Nat(n) = arg { Some(n) } else { None }
}

fn space(p: &Prim) -> &'static str {
    let space = p.args.iter().find_map(|a| if let Arg::Addr(a) = a { Some(*a) } else { None });
    space.unwrap_or(AddressSpace::Private).name()
}

fn launch(p: &Prim) -> String {
    let sizes: Vec<String> = p.args.iter().filter_map(nat).map(Nat::to_string).collect();
    // Dimensions of size one at the end say nothing.
    let shown = |sizes: &[String]| {
        let used = sizes.iter().rposition(|s| s != "1").map_or(1, |i| i + 1);
        sizes[..used.min(sizes.len())].join(" × ")
    };
    if sizes.len() == 6 {
        format!(" ({} of {})", shown(&sizes[..3]), shown(&sizes[3..]))
    } else {
        String::new()
    }
}

/// How a loop runs, if not plainly one after the other.
fn how(p: &Prim) -> Option<String> {
    let d = p.args.iter().find_map(|a| if let Arg::Dim(d) = a { Some(*d) } else { None }).unwrap_or(0);
    let (Sort::Map(how) | Sort::Reduce(how)) = p.pattern.sort() else { return None };
    Some(match how {
        How::Threads => "par".into(),
        How::Global => format!("global {d}"),
        How::WorkGroup => format!("group {d}"),
        How::Local => format!("local {d}"),
        How::Unrolled => "unroll".into(),
        How::Consumer => "stream".into(),
        How::Open | How::Stream | How::Sequential => return None,
    })
}

/// Does the loop's function work on vectors, and how wide are they?
fn simd(function: &Type) -> Vec<String> {
    fn lanes(t: &Type) -> Option<&Nat> {
        match t.kind() {
            TypeKind::Vector(n, _) => Some(n),
            TypeKind::Pair(a, b) => lanes(a).or_else(|| lanes(b)),
            _ => None,
        }
    }
    let (params, result) = function.signature();
    let found = params.iter().chain([&result]).find_map(lanes);
    found.map(|n| format!("simd {n}")).into_iter().collect()
}

#[cfg(test)]
mod tests;
