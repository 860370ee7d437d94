//! A sketch of a term that someone points at, and the steps by which it can be made to describe more.
//!
//! In: a term. Out: the sketch of exactly such terms, and for any sketch that comes of it the sketches that ask one thing less.
//! What must hold: each of these has all terms that the sketch has.

use super::{ArgSketch, NatSketch, Number, Shape, Sketch, TypeSketch};
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Prim, Term};
use crate::lang::ty::{Scalar, Type, TypeKind};

/// Parts of a term that are nested deeper than this are `?` from the beginning, and so is what comes after so many parts.
const DEEPEST: u32 = 40;
const MOST: usize = 300;

/// A sketch that asks one thing less.
#[derive(Clone, PartialEq, Debug)]
pub struct Widening {
    /// The part of which less is asked.
    pub part: Called,
    pub less: Less,
    pub sketch: Sketch,
}

/// How a part is called.
#[derive(Clone, PartialEq, Debug)]
pub struct Called {
    long: String,
    /// By what it contains, where it is a `contains`: no step asks less of one alone.
    short: String,
}

/// What is still asked of a part.
#[derive(Clone, PartialEq, Debug)]
pub enum Less {
    Anything,
    AnySize,
    /// A loop over any number of elements.
    AnyNumber,
    Contained,
    /// What this operand contains.
    ContainedIn(Called),
    /// This in its place.
    As(String),
}

impl Less {
    /// In words, and in fewer of them.
    fn words(&self) -> Called {
        let (long, short) = match self {
            Less::Anything => ("anything", "anything"),
            Less::AnySize => ("any size", "any size"),
            Less::AnyNumber => ("over any number", "any size"),
            Less::Contained => ("only what it contains", "contains"),
            Less::ContainedIn(operand) => {
                let Called { long, short } = operand;
                let (long, short) = (format!("only what {long} contains"), format!("contains {short}"));
                return Called { long, short };
            }
            Less::As(other) => return Called { long: format!("as `{other}`"), short: format!("as {other}") },
        };
        Called { long: long.to_owned(), short: short.to_owned() }
    }
}

impl Widening {
    /// What is no longer asked.
    pub fn what(&self) -> String {
        format!("{}: {}", self.part.long, self.less.words().long)
    }

    /// The same in fewer words: the part, and what is still asked of it.
    pub fn shortly(&self) -> (String, String) {
        (self.part.short.clone(), self.less.words().short)
    }
}

/// The sketch of exactly this term. What is bound outside of it, and whatever a sketch has no words for, is `?`; loops say over
/// how many elements they go, in the sizes of the program.
pub fn exactly(term: &Term, sizes: &[Name]) -> Sketch {
    Maker { sizes, parts: 0 }.sketch(term, 0, 0)
}

struct Maker<'a> {
    sizes: &'a [Name],
    parts: usize,
}

impl Maker<'_> {
    fn sketch(&mut self, term: &Term, binders: u32, depth: u32) -> Sketch {
        self.parts += 1;
        if self.parts > MOST || depth > DEEPEST {
            return Sketch::any();
        }
        match term.expr() {
            Expr::Var(i) if *i < binders => Sketch::new(Shape::Var(*i)),
            Expr::Var(_) => Sketch::any(),
            Expr::Lam(_, body) => Sketch::new(Shape::Lam(self.sketch(body, binders + 1, depth + 1))),
            Expr::Lit(literal) => number(literal),
            Expr::Prim(prim) => self.pattern(prim, term.ty()),
            Expr::App(f, e) => {
                let f = self.sketch(f, binders, depth + 1);
                if *f.shape() == Shape::Any {
                    return f;
                }
                let e = self.sketch(e, binders, depth + 1);
                Sketch::app(f, e)
            }
        }
    }

    /// A pattern with its arguments; a loop with the number of its elements.
    fn pattern(&self, prim: &Prim, ty: &Type) -> Sketch {
        let args = prim.args.iter().map(|arg| self.argument(arg)).collect();
        let head = Sketch::new(Shape::Pattern(prim.pattern, args));
        match size_of(prim.pattern, ty).filter(|n| self.is_known(n)) {
            Some(n) => Sketch::typed(head, over(prim.pattern, NatSketch::Is(n.clone()))),
            None => head,
        }
    }

    fn argument(&self, arg: &Arg) -> ArgSketch {
        match arg {
            Arg::Nat(n) if self.is_known(n) => ArgSketch::Nat(NatSketch::Is(n.clone())),
            Arg::Fun(f) if f.vars().iter().all(|v| self.names(v)) => ArgSketch::Fun(f.clone()),
            Arg::Nat(_) | Arg::Fun(_) => ArgSketch::Any,
            Arg::Addr(space) => ArgSketch::Addr(*space),
            Arg::Dim(d) => ArgSketch::Dim(*d),
        }
    }

    fn is_known(&self, n: &Nat) -> bool {
        n.vars().iter().all(|v| self.names(v))
    }

    fn names(&self, v: &NatVar) -> bool {
        matches!(v, NatVar::Named(name) if self.sizes.contains(name))
    }
}

fn number(literal: &Literal) -> Sketch {
    let written = |digits: String, scalar: Option<Scalar>| {
        Sketch::new(Shape::Number(Number { digits: digits.into(), scalar }))
    };
    match literal {
        Literal::Int(v, s) => written(v.to_string(), Some(*s)),
        Literal::Float(bits, s) if f64::from_bits(*bits).is_finite() => {
            let v = f64::from_bits(*bits);
            let digits = if *s == Scalar::F32 { format!("{:?}", v as f32) } else { format!("{v:?}") };
            written(digits, Some(*s))
        }
        Literal::Nat(n) => n.as_constant().map_or_else(Sketch::any, |v| written(v.to_string(), None)),
        Literal::Float(..) | Literal::Bool(_) | Literal::Index(..) => Sketch::any(),
    }
}

/// The operands of a loop before the array that it goes over; none for what is no loop.
fn before_array(pattern: Pattern) -> Option<usize> {
    match pattern {
        p if p.is_map() => Some(1),
        p if p.is_reduce() => Some(2),
        _ => None,
    }
}

/// How many elements a loop of this type goes over.
fn size_of(pattern: Pattern, ty: &Type) -> Option<&Nat> {
    let mut ty = ty;
    for _ in 0..before_array(pattern)? {
        ty = ty.as_fun()?.1;
    }
    match ty.as_fun()?.0.kind() {
        TypeKind::Array(n, _) => Some(n),
        _ => None,
    }
}

/// The type of a loop over so many elements.
fn over(pattern: Pattern, n: NatSketch) -> TypeSketch {
    let array = TypeSketch::Array(n, Box::new(TypeSketch::Any));
    let after = TypeSketch::fun(array, TypeSketch::Any);
    (0..before_array(pattern).unwrap_or(0)).fold(after, |t, _| TypeSketch::fun(TypeSketch::Any, t))
}

/// Everything that can be asked less of a sketch, in one step each: first what concerns all of it, then its parts, outer ones
/// first. No two are the same.
pub fn widenings(sketch: &Sketch) -> Vec<Widening> {
    let mut all = Steps { found: vec![], whole: sketch };
    all.add(whole("all sizes", "all sizes"), Less::AnySize, without_sizes(sketch));
    if let Some(loops) = loops(sketch) {
        all.add(whole("all but its loops", "all but loops"), Less::Anything, loops);
    }
    all.add(whole("what stands around it", "surroundings"), Less::Anything, somewhere(sketch.clone()));
    all.parts(sketch, 0, &|new| new);
    all.found
}

struct Steps<'a> {
    found: Vec<Widening>,
    whole: &'a Sketch,
}

/// A part that takes more is named by what it begins with.
const SHOWN: usize = 24;

/// A part as it is called.
fn named(sketch: &Sketch, binders: u32) -> Called {
    let long = format!("`{}`", called(sketch, binders));
    let short = match sketch.shape() {
        Shape::Contains(inner) => called(inner, 0),
        _ => called(sketch, binders),
    };
    Called { long, short: short.trim_end_matches(" ...").to_owned() }
}

/// What all parts together are called.
fn whole(long: &str, short: &str) -> Called {
    Called { long: long.to_owned(), short: short.to_owned() }
}

fn called(sketch: &Sketch, binders: u32) -> String {
    let (head, operands) = spine(sketch);
    if let Shape::Typed(pattern, ty) = head.shape() {
        // A loop by the number of its elements.
        let mut ty = ty;
        while let TypeSketch::Fun(from, to) = ty {
            if let TypeSketch::Array(NatSketch::Is(n), _) = &**from {
                let more = if operands.is_empty() { "" } else { " ..." };
                return format!("{} over {n}{more}", pattern.within(binders));
            }
            ty = to;
        }
    }
    let text = sketch.within(binders);
    if text.chars().count() <= SHOWN {
        return text;
    }
    match sketch.shape() {
        Shape::Lam(body) => format!("\\x{binders}. {}", called(body, binders + 1)),
        Shape::Contains(inner) => format!("contains({})", called(inner, 0)),
        Shape::App(..) => format!("{} ...", called(head, binders)),
        _ => text.chars().take(SHOWN).chain("...".chars()).collect(),
    }
}

impl Steps<'_> {
    fn add(&mut self, part: Called, less: Less, sketch: Sketch) {
        if sketch != *self.whole && self.found.iter().all(|known| known.sketch != sketch) {
            self.found.push(Widening { part, less, sketch });
        }
    }

    /// The steps of a part that stands under so many binders, and of its own parts.
    fn parts(&mut self, part: &Sketch, binders: u32, put: &dyn Fn(Sketch) -> Sketch) {
        if *part.shape() == Shape::Any {
            return;
        }
        self.add(named(part, binders), Less::Anything, put(Sketch::any()));
        match part.shape() {
            Shape::Lam(body) => {
                let called = named(part, binders);
                // `\x. f x` is like `f` as well, which no step may give up.
                if let Some(function) = part.eta_reduced() {
                    self.add(called, Less::Contained, put(somewhere(closed(&function, 0))));
                    return;
                }
                self.add(called, Less::Contained, put(somewhere(closed(body, 0))));
                self.parts(body, binders + 1, &|new| put(Sketch::new(Shape::Lam(new))));
            }
            Shape::App(..) => self.application(part, binders, put),
            Shape::Pattern(..) | Shape::Typed(..) => self.head(part, binders, put),
            // Nothing outside of a `contains` is bound within it.
            Shape::Contains(inner) => self.parts(inner, 0, &|new| put(somewhere(new))),
            Shape::And(all) => {
                for (i, one) in all.iter().enumerate() {
                    self.parts(one, binders, &|new| {
                        let mut all = all.clone();
                        all[i] = new;
                        all.retain(|s| *s.shape() != Shape::Any);
                        put(match all.len() {
                            0 => Sketch::any(),
                            1 => all.swap_remove(0),
                            _ => Sketch::new(Shape::And(all)),
                        })
                    });
                }
            }
            Shape::Any
            | Shape::Var(_)
            | Shape::Number(_)
            | Shape::Or(_)
            | Shape::Not(_)
            | Shape::Sizes(_)
            | Shape::Named(..) => {}
        }
    }

    fn application(&mut self, part: &Sketch, binders: u32, put: &dyn Fn(Sketch) -> Sketch) {
        let (head, operands) = spine(part);
        let applied = |operands: &[Sketch], head: &Sketch| {
            operands.iter().fold(head.clone(), |f, e| Sketch::app(f, e.clone()))
        };
        for operand in &operands {
            if matches!(operand.shape(), Shape::Any | Shape::Var(_) | Shape::Number(_)) {
                continue;
            }
            // What a function computes, wherever that is.
            let mut inside = operand;
            while let Shape::Lam(body) = inside.shape() {
                inside = body;
            }
            let less = Less::ContainedIn(named(operand, binders));
            self.add(named(part, binders), less, put(somewhere(closed(inside, 0))));
        }
        self.head(head, binders, &|new| put(applied(&operands, &new)));
        for (i, operand) in operands.iter().enumerate() {
            self.parts(operand, binders, &|new| {
                let mut operands = operands.clone();
                operands[i] = new;
                put(applied(&operands, head))
            });
        }
    }

    /// The sizes of a pattern.
    fn head(&mut self, head: &Sketch, binders: u32, put: &dyn Fn(Sketch) -> Sketch) {
        if let Shape::Typed(inner, _) = head.shape() {
            self.add(named(head, binders), Less::AnyNumber, put(inner.clone()));
            self.head(inner, binders, &|new| {
                let Shape::Typed(_, ty) = head.shape() else { return put(new) };
                put(Sketch::typed(new, ty.clone()))
            });
        }
        let Shape::Pattern(pattern, args) = head.shape() else { return };
        for (i, arg) in args.iter().enumerate() {
            if *arg == ArgSketch::Any || *arg == ArgSketch::Nat(NatSketch::Any) {
                continue;
            }
            let mut args = args.clone();
            args[i] =
                if let ArgSketch::Nat(_) = arg { ArgSketch::Nat(NatSketch::Any) } else { ArgSketch::Any };
            let new = Sketch::new(Shape::Pattern(*pattern, args));
            let less = Less::As(new.within(binders));
            self.add(named(head, binders), less, put(new));
        }
    }
}

/// The head of an application, and its operands.
fn spine(sketch: &Sketch) -> (&Sketch, Vec<Sketch>) {
    let (mut at, mut operands) = (sketch, vec![]);
    while let Shape::App(f, e) = at.shape() {
        operands.push(e.clone());
        at = f;
    }
    operands.reverse();
    (at, operands)
}

/// `contains(s)`, where that says something and does not say it twice.
fn somewhere(sketch: Sketch) -> Sketch {
    match sketch.shape() {
        Shape::Any | Shape::Contains(_) => sketch,
        _ => Sketch::contains(sketch),
    }
}

/// The sketch with `?` for what is bound outside of it; so many binders are within.
pub(super) fn closed(sketch: &Sketch, binders: u32) -> Sketch {
    Sketch::new(match sketch.shape() {
        Shape::Var(i) if *i >= binders => Shape::Any,
        Shape::Lam(s) => Shape::Lam(closed(s, binders + 1)),
        Shape::App(f, e) => Shape::App(closed(f, binders), closed(e, binders)),
        Shape::And(all) => Shape::And(all.iter().map(|s| closed(s, binders)).collect()),
        Shape::Or(all) => Shape::Or(all.iter().map(|s| closed(s, binders)).collect()),
        Shape::Typed(s, t) => Shape::Typed(closed(s, binders), t.clone()),
        // Within a `contains` nothing of the outside is bound.
        _ => return sketch.clone(),
    })
}

/// The sketch without any size.
fn without_sizes(sketch: &Sketch) -> Sketch {
    let all = |parts: &[Sketch]| parts.iter().map(without_sizes).collect();
    Sketch::new(match sketch.shape() {
        Shape::Pattern(p, args) => {
            let arg = |a: &ArgSketch| match a {
                ArgSketch::Nat(_) => ArgSketch::Nat(NatSketch::Any),
                ArgSketch::Fun(_) => ArgSketch::Any,
                other => other.clone(),
            };
            Shape::Pattern(*p, args.iter().map(arg).collect())
        }
        Shape::Typed(s, _) => return without_sizes(s),
        Shape::Lam(s) => Shape::Lam(without_sizes(s)),
        Shape::App(f, e) => Shape::App(without_sizes(f), without_sizes(e)),
        Shape::Contains(s) => Shape::Contains(without_sizes(s)),
        Shape::And(parts) => Shape::And(all(parts)),
        Shape::Or(parts) => Shape::Or(all(parts)),
        _ => return sketch.clone(),
    })
}

/// The loops of a sketch within each other, with nothing else: `containsMap(m, containsReduce(k, ?))`. None where it has no
/// loop. Of loops beside each other the first counts.
fn loops(sketch: &Sketch) -> Option<Sketch> {
    let (head, operands) = spine(sketch);
    let pattern = match head.shape() {
        Shape::Pattern(p, _) => Some(*p),
        Shape::Typed(s, _) => match s.shape() {
            Shape::Pattern(p, _) => Some(*p),
            _ => None,
        },
        _ => None,
    };
    if let Some(body) = operands.first().filter(|_| pattern.is_some_and(|p| before_array(p).is_some())) {
        let body = loops(body).unwrap_or_else(Sketch::any);
        return Some(Sketch::contains(Sketch::app(head.clone(), body)));
    }
    match head.shape() {
        Shape::Lam(body) | Shape::Contains(body) => loops(body),
        Shape::And(all) => all.iter().find_map(loops),
        _ => None,
    }
    .or_else(|| operands.iter().find_map(loops))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guide::Writer;
    use crate::guide::nest::Nest;
    use crate::lang::diag::FileId;
    use crate::lang::infer::{Program, program};
    use crate::lang::syntax::{parse_program, parse_sketch};
    use crate::sketch::{Library, read};

    /// The programs of `kernels/`, as they are written, with what sketches know of their patterns.
    fn programs() -> Vec<(Program, Library)> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let read = |folder: std::path::PathBuf| {
            let name = folder.file_name()?.to_string_lossy().into_owned();
            let text = std::fs::read_to_string(folder.join(format!("{name}.rise"))).ok()?;
            let program = program(&parse_program(FileId::NOWHERE, &text).0, None).0?;
            let mut library = Library::builtin();
            library.patterns = program.patterns.clone();
            Some((program, library))
        };
        files.filter_map(read).collect()
    }

    #[allow(clippy::panic, reason = "tests")]
    fn written(sketch: &Sketch, (program, library): &(Program, Library)) -> Sketch {
        let text = Writer::new(library, &program.sizes).write(&Nest::read(sketch)).0;
        let (tree, problems) = parse_sketch(FileId::NOWHERE, &text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        read(&tree, library, &program.sizes).unwrap_or_else(|all| panic!("{text}: {all:?}"))
    }

    #[test]
    fn the_sketch_of_any_part_of_a_program_describes_it_and_can_be_typed() {
        let all = programs();
        assert!(all.len() > 20);
        for known in &all {
            let (program, _) = known;
            let positions = program.term.positions();
            // Not all of the largest programs, whose parts are alike.
            for (at, part) in positions.iter().step_by(positions.len() / 40 + 1) {
                let sketch = exactly(part, &program.sizes);
                assert!(sketch.describes(part), "{} {at}: {sketch}", program.name);
                assert_eq!(sketch.ill_typed(), None, "{} {at}: {sketch}", program.name);
                let read = written(&sketch, known);
                assert!(read.describes(part), "{} {at}: {sketch}", program.name);
                assert_eq!(read.count_in(&program.term), sketch.count_in(&program.term), "{sketch}");
            }
        }
    }

    #[test]
    fn each_step_describes_all_that_was_described_before_it() {
        for known in programs().iter().filter(|(program, _)| program.term.size() < 120) {
            let (program, _) = known;
            let parts: Vec<Term> =
                program.term.positions().into_iter().map(|(_, part)| part.clone()).collect();
            for part in parts.iter().step_by(parts.len() / 4 + 1) {
                let mut sketch = exactly(part, &program.sizes);
                // A way through the steps, another one for each part.
                for turn in 0..6 {
                    let steps = widenings(&sketch);
                    let before: Vec<bool> = parts.iter().map(|t| sketch.describes(t)).collect();
                    for step in &steps {
                        let after = parts.iter().map(|t| step.sketch.describes(t));
                        let lost = before.iter().zip(after).any(|(before, after)| *before && !after);
                        assert!(!lost, "{sketch}\nto {}\nby {}", step.sketch, step.what());
                    }
                    let Some(step) = steps.get((turn * 7 + part.size() as usize) % steps.len().max(1)) else {
                        break;
                    };
                    assert!(written(&step.sketch, known).describes(part), "{}", step.sketch);
                    assert_eq!(step.sketch.ill_typed(), None, "{}", step.sketch);
                    sketch = step.sketch.clone();
                }
            }
        }
    }

    #[test]
    fn matrix_multiplication_becomes_the_sketch_of_its_loops() {
        let all = programs();
        let known = all.iter().find(|(program, _)| &*program.name == "matmul").unwrap();
        let (program, library) = known;
        let write = |s: &Sketch| Writer::new(library, &program.sizes).write(&Nest::read(s)).0;
        let sketch = exactly(&program.term, &program.sizes);
        let steps = widenings(&sketch);
        let loops = steps.iter().find(|s| s.part == whole("all but its loops", "all but loops")).unwrap();
        assert_eq!(write(&loops.sketch), "containsMap(m, containsMap(n, containsReduce(k, ?)))");
        let narrower = widenings(&loops.sketch);
        assert!(narrower.iter().any(|s| write(&s.sketch) == "containsMap(m, containsMap(n, ?))"));
        assert!(narrower.iter().any(|s| write(&s.sketch) == "containsMap(m, containsReduce(k, ?))"));
        // Asking nothing is the end.
        assert!(widenings(&Sketch::any()).is_empty());
    }
}
