//! Which values are streams: their elements come about one after the other, so they are read once and in order (thesis
//! section 4.2.2).
//!
//! A stream has the type of an array, and rules treat it as one. In: any well-typed term, half rewritten too. Out:
//! [`Access::Stream`] for the values that are streams and [`Access::Read`] for all others, or the first place where a stream
//! stands for an array. Any array can stand for a stream. What a pattern takes and makes is in its row of the table.

use super::{Accesses, Annotated, Annotating, Open};
use crate::dpia::Access;
use crate::dpia::signature::{Signature, result, signature};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::sort::{How, Sort};
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;
use std::rc::Rc;

/// Who needs an array.
#[derive(Clone, Copy)]
enum Reader {
    Argument(Pattern),
    /// The function that a pattern is given returns it.
    Function(Pattern),
    Result,
}

#[derive(Default)]
struct Value {
    /// The pattern that makes the stream, if it is one.
    maker: Option<Pattern>,
    reader: Option<Reader>,
}

#[derive(Default)]
struct Solver {
    values: Vec<Value>,
    /// From, to, and where the value stands.
    flows: Vec<(usize, usize, Place)>,
}

/// A position, which is only asked for of a stream that stands for an array: below another one, by a step.
#[derive(Clone, Default)]
struct Place(Option<Rc<(Place, u8)>>);

impl Place {
    fn child(&self, step: u8) -> Place {
        Place(Some(Rc::new((self.clone(), step))))
    }

    fn path(&self) -> Path {
        let above = std::iter::successors(self.0.as_ref(), |at| at.0.0.as_ref());
        let mut steps: Vec<u8> = above.map(|at| at.1).collect();
        steps.reverse();
        Path::new(steps)
    }
}

/// A stream that stands for an array.
pub struct Misuse {
    at: Path,
    maker: Pattern,
    /// The pattern whose result stands there, if it is one's.
    producer: Option<Pattern>,
    reader: Reader,
}

/// # Errors
/// The first stream that stands for an array.
pub fn infer(t: &Term) -> Result<Annotated, Misuse> {
    let mut solver = Solver::default();
    let annotating = solver.term(t, &Place::default(), &mut vec![]);
    solver.frame(t, &annotating.open);
    solver.propagate(t)?;
    Ok(solver.finish(annotating))
}

/// As [`infer`], where no more is asked than whether each stream is read as one.
///
/// # Errors
/// As [`infer`].
pub fn check(t: &Term) -> Result<(), Misuse> {
    if !makes_streams(t) {
        return Ok(());
    }
    let mut solver = Solver::default();
    let annotating = solver.term(t, &Place::default(), &mut vec![]);
    solver.frame(t, &annotating.open);
    solver.propagate(t)
}

fn makes_streams(t: &Term) -> bool {
    t.has_leaf(&|leaf| leaf.as_pattern().is_some_and(|p| has_row(p) && result(p) == Some(Access::Stream)))
}

/// What the program declares may pass a stream on, and the elements of a small array are an array. Of other patterns that are
/// unfolded the user wrote this name.
fn has_row(p: Pattern) -> bool {
    p.declared().is_none() && p != Pattern::MakeArray
}

impl Solver {
    fn fresh(&mut self, maker: Option<Pattern>, reader: Option<Reader>) -> usize {
        self.values.push(Value { maker, reader });
        self.values.len() - 1
    }

    fn open(&mut self, ty: &Type) -> Open {
        match ty.as_fun() {
            Some((a, b)) => Open::Fun(Rc::new(self.open(a)), Rc::new(self.open(b))),
            None => Open::Data(self.fresh(None, None)),
        }
    }

    /// An instance of a pattern: what it takes, from the first argument on, and what it makes.
    fn pattern(&mut self, p: Pattern, ty: &Type) -> Open {
        if p.declared().is_some() {
            return self.open(ty);
        }
        let through = self.fresh(None, None);
        if p == Pattern::Id {
            return Open::Fun(Rc::new(Open::Data(through)), Rc::new(Open::Data(through)));
        }
        let row = signature(p).filter(|_| has_row(p));
        self.instance(p, ty, row.as_deref(), through)
    }

    fn instance(&mut self, p: Pattern, ty: &Type, row: Option<&Signature>, through: usize) -> Open {
        let Some((param, result)) = ty.as_fun() else { return self.made(p, row, through) };
        let (of_param, of_result) = match row {
            Some(Signature::Fun(a, b)) => (Some(&**a), Some(&**b)),
            _ => (None, None),
        };
        let param = self.taken(p, param, of_param, through);
        Open::Fun(Rc::new(param), Rc::new(self.instance(p, result, of_result, through)))
    }

    fn made(&mut self, p: Pattern, row: Option<&Signature>, through: usize) -> Open {
        Open::Data(match row {
            Some(Signature::Through) => through,
            Some(Signature::Fixed(Access::Stream)) => self.fresh(Some(p), None),
            _ => self.fresh(None, None),
        })
    }

    fn taken(&mut self, p: Pattern, ty: &Type, row: Option<&Signature>, through: usize) -> Open {
        if ty.as_fun().is_some() {
            return self.function(p, ty, row, through);
        }
        Open::Data(self.read(row, Reader::Argument(p), through))
    }

    /// A function that a pattern is given: what it is applied to is no stream.
    fn function(&mut self, p: Pattern, ty: &Type, row: Option<&Signature>, through: usize) -> Open {
        let of_result = if let Some(Signature::Fun(_, b)) = row { Some(&**b) } else { None };
        match ty.as_fun() {
            Some((a, b)) => {
                let a = self.open(a);
                Open::Fun(Rc::new(a), Rc::new(self.function(p, b, of_result, through)))
            }
            None => Open::Data(self.read(row, Reader::Function(p), through)),
        }
    }

    /// What a pattern takes or a function that it is given returns.
    fn read(&mut self, row: Option<&Signature>, reader: Reader, through: usize) -> usize {
        match row {
            Some(Signature::Through) => through,
            Some(Signature::Fixed(Access::Stream)) => self.fresh(None, None),
            _ => self.fresh(None, Some(reader)),
        }
    }

    fn term(&mut self, t: &Term, at: &Place, binders: &mut Vec<Open>) -> Annotating {
        match t.expr() {
            Expr::Var(i) => {
                let bound = binders.len().checked_sub(1 + *i as usize).map(|j| binders[j].clone());
                Annotating { open: bound.unwrap_or_else(|| self.open(t.ty())), children: vec![] }
            }
            Expr::Lit(_) => Annotating { open: self.open(t.ty()), children: vec![] },
            Expr::Prim(p) => Annotating { open: self.pattern(p.pattern, t.ty()), children: vec![] },
            Expr::Lam(_, b) => {
                let param = self.open(t.ty().as_fun().map_or(b.ty(), |(p, _)| p));
                binders.push(param.clone());
                let body = self.term(b, &at.child(0), binders);
                binders.pop();
                let open = Open::Fun(Rc::new(param), Rc::new(body.open.clone()));
                Annotating { open, children: vec![body] }
            }
            Expr::App(f, e) => {
                let function = self.term(f, &at.child(0), binders);
                let argument = self.term(e, &at.child(1), binders);
                let open = match function.open.clone() {
                    Open::Fun(param, result) => {
                        self.flow(&argument.open, &param, Some(e), &at.child(1));
                        (*result).clone()
                    }
                    Open::Data(_) => self.open(t.ty()),
                };
                Annotating { open, children: vec![function, argument] }
            }
        }
    }

    /// The program's result is an array.
    fn frame(&mut self, t: &Term, open: &Open) {
        let (mut t, mut open, mut at) = (t, open, Place::default());
        while let (Some((_, body)), Open::Fun(_, result)) = (t.as_lam(), open) {
            (t, open, at) = (body, result, at.child(0));
        }
        let result = self.fresh(None, Some(Reader::Result));
        if let Open::Data(value) = open {
            self.flows.push((*value, result, at));
        }
    }

    /// `a`, which is the term at a path if there is one, stands where `b` is expected.
    fn flow(&mut self, a: &Open, b: &Open, t: Option<&Term>, at: &Place) {
        match (a, b) {
            (Open::Fun(a1, a2), Open::Fun(b1, b2)) => {
                self.flow(b1, a1, None, at);
                match t.and_then(Term::as_lam) {
                    Some((_, body)) => self.flow(a2, b2, Some(body), &at.child(0)),
                    None => self.flow(a2, b2, None, at),
                }
            }
            (Open::Data(a), Open::Data(b)) => self.flows.push((*a, *b, at.clone())),
            _ => {}
        }
    }

    /// Where a stream goes is a stream.
    fn propagate(&mut self, t: &Term) -> Result<(), Misuse> {
        let mut leaving: Vec<Vec<usize>> = vec![vec![]; self.values.len()];
        for (i, (from, _, _)) in self.flows.iter().enumerate() {
            leaving[*from].push(i);
        }
        let mut open: Vec<usize> =
            (0..self.values.len()).filter(|v| self.values[*v].maker.is_some()).collect();
        open.reverse();
        while let Some(from) = open.pop() {
            for flow in &leaving[from] {
                let (_, to, at) = &self.flows[*flow];
                let Some(maker) = self.values[from].maker else { continue };
                if let Some(reader) = self.values[*to].reader {
                    let at = at.path();
                    let producer = t.at(&at).and_then(|part| part.spine().0.as_pattern());
                    return Err(Misuse { at, maker, producer, reader });
                }
                if self.values[*to].maker.is_none() {
                    self.values[*to].maker = Some(maker);
                    open.push(*to);
                }
            }
        }
        Ok(())
    }

    fn close(&self, open: &Open) -> Accesses {
        match open {
            Open::Data(v) if self.values[*v].maker.is_some() => Accesses::Data(Access::Stream),
            Open::Data(_) => Accesses::Data(Access::Read),
            Open::Fun(a, b) => Accesses::Fun(Box::new(self.close(a)), Box::new(self.close(b))),
        }
    }

    fn finish(&self, a: Annotating) -> Annotated {
        Annotated {
            accesses: self.close(&a.open),
            children: a.children.into_iter().map(|c| self.finish(c)).collect(),
        }
    }
}

impl Misuse {
    /// The problem, at its place in the term.
    pub fn here(self) -> Diagnostic {
        let at = self.at.clone();
        let place = format!("The stream is at position {at} of the program.");
        self.diagnostic().note(place).about(Subject::At(at))
    }

    /// The problem, at the patterns that make the stream, for a term that nobody has seen.
    pub fn somewhere(self) -> Diagnostic {
        let maker = self.maker;
        self.diagnostic().about(Subject::Pattern(maker))
    }

    fn diagnostic(self) -> Diagnostic {
        let maker = self.maker;
        let what = match self.producer {
            Some(p) if p == maker => format!("The result of `{maker}` is a stream"),
            Some(p) => format!("The result of `{p}` is a stream, as that of `{maker}` is"),
            None => format!("This is a stream, as the result of `{maker}` is"),
        };
        let but = match self.reader {
            Reader::Argument(p) => format!("`{p}` takes an array"),
            Reader::Function(p) => format!("what the function of `{p}` returns must be an array"),
            Reader::Result => "the program's result must be an array".into(),
        };
        let arrays = format!(
            "with `slide` and `map` in the place of {}, it is an array.",
            if maker == Pattern::MapStream { "all patterns of streams" } else { "that pattern" }
        );
        let hint = match self.reader {
            Reader::Argument(p) if matches!(p.sort(), Sort::Map(How::Sequential | How::Unrolled)) => {
                format!("Use `iterateStream` in the place of `{p}`; or, {arrays}")
            }
            _ if self.producer == Some(Pattern::Map) => {
                format!(
                    "Use `iterateStream` in the place of `map`, which the rule `useIterateStream` does; or, {arrays}"
                )
            }
            Reader::Argument(p) if p.is_loop() => format!(
                "The iterations of `{p}` need not run in order, but those of `iterateStream` do; or, {arrays}"
            ),
            _ => format!(
                "`iterateStream` makes it an array, `iterateStream (\\x. x)` if the elements stay as they are; or, {arrays}"
            ),
        };
        Diagnostic::error("E0532", format!("{what}, but {but}."))
            .note("The elements of a stream are there one after the other, each until the next one is asked for, so it is read once and in order.")
            .hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::FileId;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::{Target, default_lowering, pipeline};

    const BUFFER: &str = "circularBuffer 3 3 (\\x. x * x) a";

    /// What is said of a program, its code and message; nothing if it lowers.
    fn refused(body: &str) -> Option<(&'static str, String)> {
        let text = format!("def f (a: (n + 2).f32) (b: n.f32) = {body}");
        let (file, problems) = parse_program(FileId::NOWHERE, &text);
        assert!(problems.is_empty(), "{body}: {problems:?}");
        let program = infer::program(&file, None).0.unwrap_or_else(|| panic!("{body}"));
        let lowered = default_lowering(&program).and_then(|lowered| {
            pipeline::lower(&lowered.term, &program.sizes, Target::OpenCl).map(|stages| stages.accesses)
        });
        lowered.err().map(|d| (d.code, d.message))
    }

    #[test]
    fn streams_are_read_by_what_reads_streams() {
        for body in [
            format!("{BUFFER} |> iterateStream (reduceSeq (+) 0)"),
            format!("{BUFFER} |> map (reduceSeq (+) 0) |> iterateStream (\\x. x)"),
            format!("{BUFFER} |> map (reduceSeq (+) 0) |> rotateValues 1 (\\x. x) |> iterateStream (\\w. w)"),
            format!("zip b ({BUFFER}) |> iterateStream (\\p. reduceSeq (+) (fst p) (snd p))"),
            format!(
                "let (toMem (mapSeq sqrt b)) (\\c. zip c ({BUFFER})) |> iterateStream (\\p. reduceSeq (+) (fst p) (snd p))"
            ),
            format!("let w = {BUFFER} in let v = map (reduceSeq (+) 0) w in iterateStream (\\x. x + 1) v"),
            format!("(\\g. g ({BUFFER})) (iterateStream (reduce (+) 0))"),
            format!("id ({BUFFER}) |> iterateStream (reduce (+) 0)"),
            // A function may take a stream here and an array there.
            format!(
                "let g = (\\w. map (reduce (+) 0) w) in zip (mapSeq (\\x. x) (g (slide 3 1 a))) (iterateStream (\\x. x) (g ({BUFFER})))"
            ),
            "b |> mapGlobal (\\x. a |> rotateValues 3 (\\y. y) |> iterateStream (\\w. reduce (+) x w))"
                .into(),
        ] {
            assert_eq!(refused(&body), None, "{body}");
        }
    }

    #[test]
    fn streams_are_no_arrays() {
        for (body, but) in [
            (
                format!("{BUFFER} |> mapSeq (reduceSeq (+) 0)"),
                "`circularBuffer` is a stream, but `mapSeq` takes",
            ),
            (format!("{BUFFER} |> mapGlobal (reduceSeq (+) 0)"), "but `mapGlobal` takes an array."),
            (BUFFER.into(), "but the program's result must be an array."),
            (
                format!("{BUFFER} |> map (reduce (+) 0)"),
                "`map` is a stream, as that of `circularBuffer` is, but the",
            ),
            (format!("{BUFFER} |> map (reduce (+) 0) |> reduce max 0"), "but `reduce` takes an array."),
            (format!("{BUFFER} |> map (reduce (+) 0) |> reduceSeq max 0"), "but `reduceSeq` takes an array."),
            (format!("{BUFFER} |> join |> mapSeq sqrt"), "but `join` takes an array."),
            (format!("{BUFFER} |> reverse |> iterateStream (\\w. w)"), "but `reverse` takes an array."),
            (format!("toMem ({BUFFER}) |> mapSeq (\\w. w)"), "but `toMem` takes an array."),
            ("let (mapStream sqrt a) (\\x. mapSeq (\\x. x) x)".into(), "but `let` takes an array."),
            ("(mapSeq sqrt b, mapStream sqrt a)".into(), "but `makePair` takes an array."),
            (
                format!("b |> mapSeq (\\x. {BUFFER})"),
                "but what the function of `mapSeq` returns must be an array.",
            ),
            (
                format!("b |> mapStream (\\x. {BUFFER}) |> iterateStream (\\w. w)"),
                "the function of `mapStream` returns",
            ),
            (format!("(\\g. g ({BUFFER})) (mapSeq (reduce (+) 0))"), "but `mapSeq` takes an array."),
        ] {
            let (code, message) = refused(&body).unwrap_or_else(|| panic!("{body}"));
            assert!(code == "E0532" && message.contains(but), "{body}: {code} {message}");
        }
    }

    #[test]
    fn streams_are_read_once() {
        for body in [
            format!(
                "let w = {BUFFER} in iterateStream (\\p. reduceSeq (+) 0 (fst p) + reduceSeq (+) 0 (snd p)) (zip w w)"
            ),
            format!("let w = {BUFFER} in b |> mapSeq (\\x. w |> iterateStream (reduce (+) x))"),
            format!("let g = iterateStream (reduce (+) 0) in let w = {BUFFER} in (g w, g w)"),
        ] {
            let (code, message) = refused(&body).unwrap_or_else(|| panic!("{body}"));
            assert_eq!(
                (code, &*message),
                ("E0533", "The result of `circularBuffer` is a stream, but is read more than once."),
                "{body}"
            );
        }
    }
}
