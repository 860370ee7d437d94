//! Access inference: which values can be read where they are, and which must be written first (thesis section 3.1.3).
//!
//! In: a well-typed term. Out: an access for the data type of every node, or the place where a value is read that has
//! not been written, or written that is already in memory. Each pattern contributes its row of the table; accesses
//! of types that hold arrays must agree, and what can be read can stand for what can be written where there is no
//! array. A program's parameters are read, its result is written. What is read may be a stream ([`streams`]).

pub mod streams;

use super::dpia::Access;
use super::dpia::signature::{Signature, signature};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Prim, Term};
use crate::lang::ty::Type;
use std::rc::Rc;

/// The accesses of a type: one for each data type in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Accesses {
    Data(Access),
    Fun(Box<Accesses>, Box<Accesses>),
}

impl Accesses {
    /// The access of a data type, and of a function's result.
    pub fn result(&self) -> Access {
        match self {
            Accesses::Data(a) => *a,
            Accesses::Fun(_, b) => b.result(),
        }
    }

    fn with_streams(self, streams: &Accesses) -> Accesses {
        match (self, streams) {
            (Accesses::Data(Access::Read), Accesses::Data(Access::Stream)) => Accesses::Data(Access::Stream),
            (Accesses::Fun(a, b), Accesses::Fun(c, d)) => {
                Accesses::Fun(Box::new(a.with_streams(c)), Box::new(b.with_streams(d)))
            }
            (as_it_is, _) => as_it_is,
        }
    }
}

impl std::fmt::Display for Accesses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Accesses::Data(Access::Read) => write!(f, "r"),
            Accesses::Data(Access::Stream) => write!(f, "s"),
            Accesses::Data(Access::Write) => write!(f, "w"),
            Accesses::Fun(a, b) if matches!(**a, Accesses::Fun(..)) => write!(f, "({a}) -> {b}"),
            Accesses::Fun(a, b) => write!(f, "{a} -> {b}"),
        }
    }
}

/// The accesses of a node and of its children, in the order of the term's children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotated {
    pub accesses: Accesses,
    pub children: Vec<Annotated>,
}

/// A value of which something is to be found, by its number, or what a function takes and returns.
#[derive(Clone)]
enum Open {
    Data(usize),
    Fun(Rc<Open>, Rc<Open>),
}

struct Annotating {
    open: Open,
    children: Vec<Annotating>,
}

/// What decided an access: a pattern, or the frame of the program.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Pattern(Pattern),
    Parameter,
    Result,
}

struct Solver {
    parent: Vec<usize>,
    value: Vec<Option<(Access, Origin)>>,
    /// Lesser, greater: of types without arrays, where reading is less than writing.
    edges: Vec<(usize, usize, Path)>,
}

struct Conflict {
    at: Path,
    needs: (Access, Origin),
    has: (Access, Origin),
}

/// # Errors
/// A pattern that has no access (it must be rewritten first), or a value whose two uses disagree.
pub fn infer(t: &Term) -> Result<Annotated, Diagnostic> {
    let mut solver = Solver { parent: vec![], value: vec![], edges: vec![] };
    let annotating = solver.term(t, &Path::root(), &mut vec![])?;
    let solved = solver.frame(t, &annotating.open).and_then(|()| solver.propagate());
    solved.map_err(|c| c.diagnostic(t))?;
    let streams = streams::infer(t).map_err(streams::Misuse::here)?;
    let annotated = solver.finish(annotating).with_streams(&streams);
    written_maps_move(t, &annotated, &Path::root())?;
    Ok(annotated)
}

/// A `map` is written by writing its argument elsewhere: its function may only move elements. Accesses alone let pass a
/// function that does not use its parameter, or uses it together with what is written too.
fn written_maps_move(t: &Term, a: &Annotated, at: &Path) -> Result<(), Diagnostic> {
    if a.accesses == Accesses::Data(Access::Write)
        && let (Some(Pattern::Map), [f, xs]) = (t.spine().0.as_pattern(), t.spine().1.as_slice())
        && !moves(f, true, &is_written_through)
    {
        let what =
            xs.spine().0.as_pattern().map_or("Its argument".into(), |p| format!("The result of `{p}`"));
        let message = format!("{what} must be written to memory before `map` applies a function to it.");
        return Err(Diagnostic::error("E0504", message)
            .note(format!("The `map` is at position {at} of the program, and its result is to be written."))
            .hint("Insert `toMem` around its argument, and use a low-level map for the result, such as `mapSeq`.")
            .about(Subject::At(at.clone())));
    }
    let mut children = (0..).zip(t.children().into_iter().zip(&a.children));
    children.try_for_each(|(i, (child, of_child))| written_maps_move(child, of_child, &at.child(i)))
}

/// Can the pattern's result be written by writing its one argument elsewhere?
fn is_written_through(p: Pattern) -> bool {
    is_moved_apart(p) || matches!(p, Pattern::Take | Pattern::PadEmpty)
}

/// Does the pattern only move elements, or components of pairs?
pub(crate) fn is_moved_apart(p: Pattern) -> bool {
    p.is_moved() || matches!(p, Pattern::Unzip | Pattern::MapFst | Pattern::MapSnd)
}

/// Does the function only move what is in its parameter, an array or perhaps a scalar, by patterns that it may use?
pub(crate) fn moves(f: &Term, scalars: bool, may: &dyn Fn(Pattern) -> bool) -> bool {
    let go = |t: &Term| moved_from(t, 0, scalars, may);
    f.as_lam().is_some_and(|(_, body)| (scalars || body.ty().has_array()) && go(body))
}

fn moved_from(t: &Term, x: u32, scalars: bool, may: &dyn Fn(Pattern) -> bool) -> bool {
    let (head, args) = t.spine();
    let rest = |xs: &Term| moved_from(xs, x, scalars, may);
    match (head.expr(), args.as_slice()) {
        (Expr::Var(i), []) => *i == x,
        (Expr::Prim(p), [xs]) => may(p.pattern) && rest(xs),
        (Expr::Prim(p), [g, xs]) => {
            (p.pattern == Pattern::Map || may(p.pattern)) && rest(xs) && moves(g, scalars, may)
        }
        _ => false,
    }
}

impl Annotated {
    /// With the streams among what is read.
    fn with_streams(self, streams: &Annotated) -> Annotated {
        let children = self.children.into_iter().zip(&streams.children);
        Annotated {
            accesses: self.accesses.with_streams(&streams.accesses),
            children: children.map(|(child, streams)| child.with_streams(streams)).collect(),
        }
    }
}

impl Solver {
    fn fresh(&mut self, value: Option<(Access, Origin)>) -> usize {
        self.parent.push(self.parent.len());
        self.value.push(value);
        self.parent.len() - 1
    }

    fn find(&mut self, mut a: usize) -> usize {
        while self.parent[a] != a {
            self.parent[a] = self.parent[self.parent[a]];
            a = self.parent[a];
        }
        a
    }

    /// One unknown for each data type in a type.
    fn open(&mut self, ty: &Type) -> Open {
        match ty.as_fun() {
            Some((a, b)) => Open::Fun(Rc::new(self.open(a)), Rc::new(self.open(b))),
            None => Open::Data(self.fresh(None)),
        }
    }

    fn instantiate(&mut self, s: &Signature, p: Pattern, shared: usize) -> Open {
        match s {
            // A stream is read; that it is one says `streams`.
            Signature::Fixed(Access::Stream) => {
                Open::Data(self.fresh(Some((Access::Read, Origin::Pattern(p)))))
            }
            Signature::Fixed(a) => Open::Data(self.fresh(Some((*a, Origin::Pattern(p))))),
            Signature::Shared | Signature::Through => Open::Data(shared),
            Signature::Fun(a, b) => {
                let a = self.instantiate(a, p, shared);
                Open::Fun(Rc::new(a), Rc::new(self.instantiate(b, p, shared)))
            }
        }
    }

    fn pattern(&mut self, prim: &Prim, at: &Path) -> Result<Open, Diagnostic> {
        let p = prim.pattern;
        let Some(signature) = signature(p) else {
            return Err(not_lowered(p, at));
        };
        let shared = self.fresh(None);
        let mut open = self.instantiate(&signature, p, shared);
        if p == Pattern::MakeArray {
            // The row stands for one element; there are as many parameters as elements.
            let Some(Arg::Nat(k)) = prim.args.first() else { return Err(not_lowered(p, at)) };
            for _ in 1..k.as_constant().unwrap_or(1).clamp(1, 1 << 20) {
                let element = self.fresh(Some((Access::Read, Origin::Pattern(p))));
                open = Open::Fun(Rc::new(Open::Data(element)), Rc::new(open));
            }
        }
        Ok(open)
    }

    fn term(&mut self, t: &Term, at: &Path, binders: &mut Vec<Open>) -> Result<Annotating, Diagnostic> {
        Ok(match t.expr() {
            Expr::Var(i) => {
                let bound = binders.len().checked_sub(1 + *i as usize).map(|j| binders[j].clone());
                let open = match bound {
                    Some(open) => open,
                    None => self.open(t.ty()),
                };
                Annotating { open, children: vec![] }
            }
            Expr::Lit(_) => {
                let open = Open::Data(self.fresh(None));
                Annotating { open, children: vec![] }
            }
            Expr::Prim(p) => Annotating { open: self.pattern(p, at)?, children: vec![] },
            Expr::Lam(_, b) => {
                let param = match t.ty().as_fun() {
                    Some((p, _)) => self.open(p),
                    None => Open::Data(self.fresh(None)),
                };
                binders.push(param.clone());
                let body = self.term(b, &at.child(0), binders);
                binders.pop();
                let body = body?;
                let open = Open::Fun(Rc::new(param), Rc::new(body.open.clone()));
                Annotating { open, children: vec![body] }
            }
            Expr::App(f, e) => {
                let function = self.term(f, &at.child(0), binders)?;
                let argument = self.term(e, &at.child(1), binders)?;
                let Open::Fun(param, result) = function.open.clone() else {
                    return Err(internal("a value is applied"));
                };
                if f.as_lam().is_some() {
                    // A shared value is read, however it is used.
                    let read = Open::Data(self.fresh(Some((Access::Read, Origin::Pattern(Pattern::Let)))));
                    self.less(&read, &param, e.ty(), &at.child(1)).map_err(|c| c.diagnostic_at(f, e))?;
                }
                self.less(&argument.open, &param, e.ty(), &at.child(1)).map_err(|c| c.diagnostic_at(f, e))?;
                Annotating { open: (*result).clone(), children: vec![function, argument] }
            }
        })
    }

    /// The program reads its parameters and writes its result.
    fn frame(&mut self, t: &Term, open: &Open) -> Result<(), Conflict> {
        let (mut t, mut open, mut at) = (t, open.clone(), Path::root());
        while let (Some((_, body)), Open::Fun(param, result)) = (t.as_lam(), &open) {
            if let (Open::Data(p), Some((ty, _))) = (&**param, t.ty().as_fun()) {
                let read = self.fresh(Some((Access::Read, Origin::Parameter)));
                self.less(&Open::Data(read), &Open::Data(*p), ty, &at)?;
            }
            open = (**result).clone();
            t = body;
            at = at.child(0);
        }
        let written = self.fresh(Some((Access::Write, Origin::Result)));
        if let Open::Data(r) = open {
            self.less(&Open::Data(r), &Open::Data(written), t.ty(), &at)?;
        }
        Ok(())
    }

    /// `a` can stand where `b` is expected.
    fn less(&mut self, a: &Open, b: &Open, ty: &Type, at: &Path) -> Result<(), Conflict> {
        match (a, b, ty.as_fun()) {
            (Open::Fun(a1, a2), Open::Fun(b1, b2), Some((param, result))) => {
                self.less(b1, a1, param, at)?;
                self.less(a2, b2, result, at)
            }
            (Open::Data(a), Open::Data(b), _) => {
                if ty.has_array() {
                    self.unite(*a, *b, at)
                } else {
                    self.edges.push((*a, *b, at.clone()));
                    Ok(())
                }
            }
            _ => Ok(()),
        }
    }

    fn unite(&mut self, a: usize, b: usize, at: &Path) -> Result<(), Conflict> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        match (self.value[a], self.value[b]) {
            (Some(has), Some(needs)) if has.0 != needs.0 => Err(Conflict { at: at.clone(), needs, has }),
            (known, other) => {
                self.parent[a] = b;
                self.value[b] = other.or(known);
                Ok(())
            }
        }
    }

    /// Follows the edges until nothing changes.
    fn propagate(&mut self) -> Result<(), Conflict> {
        let edges = std::mem::take(&mut self.edges);
        let mut changed = true;
        while changed {
            changed = false;
            for (a, b, at) in &edges {
                let (a, b) = (self.find(*a), self.find(*b));
                match (self.value[a], self.value[b]) {
                    (Some(has @ (Access::Write, _)), Some(needs @ (Access::Read, _))) => {
                        return Err(Conflict { at: at.clone(), needs, has });
                    }
                    (Some(w @ (Access::Write, _)), None) => {
                        self.value[b] = Some(w);
                        changed = true;
                    }
                    (None, Some(r @ (Access::Read, _))) => {
                        self.value[a] = Some(r);
                        changed = true;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn close(&mut self, open: &Open) -> Accesses {
        match open {
            Open::Data(a) => {
                let root = self.find(*a);
                Accesses::Data(self.value[root].map_or(Access::Read, |(access, _)| access))
            }
            Open::Fun(a, b) => {
                let a = self.close(a);
                Accesses::Fun(Box::new(a), Box::new(self.close(b)))
            }
        }
    }

    fn finish(&mut self, a: Annotating) -> Annotated {
        Annotated {
            accesses: self.close(&a.open),
            children: a.children.into_iter().map(|c| self.finish(c)).collect(),
        }
    }
}

fn internal(what: &str) -> Diagnostic {
    Diagnostic::error("E0599", format!("Lowering met a term that is not well-typed: {what}."))
}

/// A pattern that says what to compute but not how.
pub(super) fn not_lowered(p: Pattern, at: &Path) -> Diagnostic {
    let d = Diagnostic::error(
        "E0503",
        format!("`{p}` does not say how to compute its result, so there is no code for it."),
    )
    .note(format!("It stands at position {at} of the program."))
    .about(Subject::At(at.clone()));
    match p {
        Pattern::Reduce => {
            d.hint("Lower it, for instance with `useReduceSeq`, or lower the whole program by default.")
        }
        _ => d.hint("Rewrite it, or lower the whole program by default."),
    }
}

impl Origin {
    fn describe(self) -> String {
        match self {
            Origin::Pattern(p) => format!("`{p}`"),
            Origin::Parameter => "a parameter of the program".into(),
            Origin::Result => "the program's result".into(),
        }
    }
}

impl Conflict {
    fn diagnostic(self, root: &Term) -> Diagnostic {
        let parent = self.at.parent().and_then(|p| root.at(&p)).and_then(Term::as_app);
        match parent {
            Some((f, e)) => self.diagnostic_at(f, e),
            None => self.describe(None, None),
        }
    }

    fn diagnostic_at(self, f: &Term, e: &Term) -> Diagnostic {
        let name = |t: &Term| t.spine().0.as_pattern();
        self.describe(name(f), name(e))
    }

    fn describe(self, consumer: Option<Pattern>, producer: Option<Pattern>) -> Diagnostic {
        let what = producer.map_or_else(|| "This value".to_string(), |p| format!("The result of `{p}`"));
        let by = consumer.map_or_else(String::new, |p| format!(" by `{p}`"));
        let place = format!("The value is at position {} of the program.", self.at);
        let why =
            format!("{} decides the one, {} the other.", self.has.1.describe(), self.needs.1.describe());
        let problem = if self.has.0 == Access::Write {
            Diagnostic::error("E0504", format!("{what} must be written to memory before it is read{by}."))
                .note(place)
                .note(why)
                .hint("Insert `toMem` around it, or use a pattern that computes it where it is needed, such as `map`.")
        } else if self.needs.1 == Origin::Result {
            Diagnostic::error(
                "E0505",
                "The program's result is only another view of what is in memory, and nothing writes it.",
            )
            .note(place)
            .note(why)
            .hint("Copy it with `mapSeq (\\x. x)`, or another low-level map, one for each dimension.")
        } else {
            Diagnostic::error("E0506", format!("{what} is in memory already, but is to be written{by}."))
                .note(place)
                .note(why)
                .hint("Copy it with `mapSeq (\\x. x)`, one for each dimension, or leave out the `toMem`.")
        };
        problem.about(Subject::At(self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::nat::Nat;
    use crate::lang::pattern::AddressSpace;

    fn vector() -> Type {
        Type::array(Nat::var("n"), Type::f32())
    }

    fn square() -> b::Built {
        b::lam("x", Type::f32(), |x| b::mul(x.clone(), x))
    }

    #[test]
    fn a_map_between_input_and_sequential_map_is_read() {
        let t = b::lam("xs", vector(), |xs| b::map_seq(square()?, b::map(square()?, xs)?)).unwrap();
        let a = infer(&t).unwrap();
        assert_eq!(a.accesses.to_string(), "r -> w");
        // The lazy map: function, argument 1 of the body.
        assert_eq!(a.children[0].children[1].accesses.to_string(), "r");
    }

    #[test]
    fn what_is_read_must_be_in_memory() {
        let t = b::lam("xs", vector(), |xs| b::map_seq(square()?, b::map_seq(square()?, xs)?)).unwrap();
        let d = infer(&t).unwrap_err();
        assert_eq!(d.code, "E0504");
        assert_eq!(
            d.message,
            "The result of `mapSeq` must be written to memory before it is read by `mapSeq`."
        );
        assert!(d.notes[0].contains("position 0.1 "), "{}", d.notes[0]);
        let mended = b::lam("xs", vector(), |xs| {
            b::map_seq(square()?, b::to_mem(AddressSpace::Private, b::map_seq(square()?, xs)?)?)
        });
        assert!(infer(&mended.unwrap()).is_ok());
    }

    #[test]
    fn what_is_written_is_not_in_memory_yet() {
        let t = b::lam("xs", vector(), |xs| b::map_seq(square()?, b::to_mem(AddressSpace::Private, xs)?))
            .unwrap();
        assert_eq!(infer(&t).unwrap_err().code, "E0506");
        let t = b::lam("xs", Type::array(Nat::var("m"), vector()), b::transpose).unwrap();
        assert_eq!(infer(&t).unwrap_err().code, "E0505");
    }

    #[test]
    fn a_computation_cannot_be_mapped_while_writing() {
        let t = b::lam("xs", vector(), |xs| b::map(square()?, b::map_seq(square()?, xs)?)).unwrap();
        assert_eq!(infer(&t).unwrap_err().code, "E0504");
        // A layout can.
        let t = b::lam("xs", Type::array(Nat::var("m"), vector()), |xs| {
            let rows = b::map_seq(b::lam("r", vector(), |r| b::map_seq(square()?, r))?, xs)?;
            let halves = b::lam("r", vector(), |r| b::split(&Nat::constant(2), r))?;
            b::map(halves, b::transpose(b::transpose(rows)?)?)
        });
        assert_eq!(infer(&t.unwrap()).unwrap().accesses.to_string(), "r -> w");
    }

    #[test]
    fn a_function_without_use_for_its_parameter_cannot_be_mapped_while_writing() {
        let written = |xs| b::map_seq(square()?, xs);
        let constant =
            b::lam("xs", vector(), |xs| b::map(b::lam("x", Type::f32(), |_| Ok(b::f32(1.0)))?, written(xs)?));
        assert_eq!(infer(&constant.unwrap()).unwrap_err().code, "E0504");
        // Nor one that writes it together with something else.
        let rows = Type::array(Nat::var("m"), vector());
        let twice = b::lam("xs", rows, |xs| {
            let rows = b::map_seq(b::lam("r", vector(), written)?, xs)?;
            b::map(b::lam("r", vector(), |r| b::concat(r.clone(), r))?, rows)
        });
        let d = infer(&twice.unwrap()).unwrap_err();
        assert_eq!(d.code, "E0504");
        assert_eq!(
            d.message,
            "The result of `mapSeq` must be written to memory before `map` applies a function to it."
        );
    }

    #[test]
    fn high_level_reductions_are_named() {
        let plus = b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap();
        let t = b::lam("xs", vector(), |xs| b::reduce(plus, b::f32(0.0), xs)).unwrap();
        let d = infer(&t).unwrap_err();
        assert_eq!(d.code, "E0503");
        assert!(d.message.starts_with("`reduce` "));
    }
}
