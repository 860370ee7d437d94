//! Sketches and programs as nests of loops.
//!
//! In: a sketch, or a term. Out: what loops it asks for or has, within each other; and from nests sketches again.

use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::{Type, TypeKind};
use crate::sketch::{ArgSketch, NatSketch, Shape, Sketch, TypeSketch};

/// Chains of loops of a program that are looked at.
const MOST_CHAINS: usize = 32;

/// What a sketch asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Nest {
    Loop(Box<LoopSketch>),
    /// Somewhere, a value of this type in memory, computed like this.
    Store(TypeSketch, Sketch, Box<Nest>),
    And(Vec<Nest>),
    /// Anything else.
    Other(Sketch),
}

/// Somewhere, a `map` or `reduce` of some kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopSketch {
    pub pattern: Pattern,
    pub args: Vec<ArgSketch>,
    /// The type of the array that it goes over.
    pub over: TypeSketch,
    /// What it computes for an element.
    pub body: Nest,
    /// What is asked of its other operands.
    pub operands: Vec<Nest>,
}

impl Nest {
    pub fn read(sketch: &Sketch) -> Nest {
        match sketch.bare().shape() {
            Shape::And(all) => Some(Nest::And(all.iter().map(Nest::read).collect())),
            Shape::Contains(inner) => looped(inner).or_else(|| stored(inner)),
            _ => None,
        }
        .unwrap_or_else(|| Nest::Other(plain(sketch)))
    }

    pub fn any() -> Nest {
        Nest::Other(Sketch::any())
    }

    /// All of them, as far as they ask for something.
    pub fn all(mut nests: Vec<Nest>) -> Nest {
        nests.retain(|n| *n != Nest::any());
        match nests.pop() {
            Some(one) if nests.is_empty() => one,
            Some(last) => Nest::And(nests.into_iter().chain([last]).collect()),
            None => Nest::any(),
        }
    }

    /// Without what is no loop and meets this, where it is asked for together with others.
    pub fn without(self, is_out: &dyn Fn(&Sketch) -> bool) -> Nest {
        match self {
            Nest::And(all) => {
                Nest::all(all.into_iter().filter(|n| !matches!(n, Nest::Other(s) if is_out(s))).collect())
            }
            one => one,
        }
    }

    pub fn sketch(&self) -> Sketch {
        match self {
            Nest::Other(s) => s.clone(),
            Nest::And(all) => Sketch::new(Shape::And(all.iter().map(Nest::sketch).collect())),
            Nest::Store(ty, to_mem, value) => {
                let typed = Sketch::typed(to_mem.clone(), TypeSketch::fun(TypeSketch::Any, ty.clone()));
                let kept = Sketch::app(typed, value.sketch());
                Sketch::contains(Sketch::app(Sketch::pattern(Pattern::Let), kept))
            }
            Nest::Loop(l) => {
                let head = Sketch::new(Shape::Pattern(l.pattern, l.args.clone()));
                let after = TypeSketch::fun(l.over.clone(), TypeSketch::Any);
                let before = operand_of(l.pattern);
                let ty = (0..before).fold(after, |t, _| TypeSketch::fun(TypeSketch::Any, t));
                let head = if l.over == TypeSketch::Any { head } else { Sketch::typed(head, ty) };
                let whole = Sketch::app(head, l.body.sketch());
                Sketch::contains(l.operands.iter().fold(whole, |f, e| Sketch::app(f, e.sketch())))
            }
        }
    }

    /// The loops within each other, outermost first, each without its body and other operands; and what is asked of
    /// what the innermost computes. Of several nests side by side, the first.
    pub fn spine(&self) -> (Vec<LoopSketch>, Nest) {
        match self {
            Nest::Loop(l) => {
                let (mut inner, leaf) = l.body.spine();
                let alone = LoopSketch { body: Nest::any(), operands: vec![], ..LoopSketch::clone(l) };
                inner.insert(0, alone);
                (inner, leaf)
            }
            Nest::And(all) => match all.iter().map(Nest::spine).find(|(loops, _)| !loops.is_empty()) {
                Some(first) => first,
                None => (vec![], self.clone()),
            },
            Nest::Store(..) | Nest::Other(_) => (vec![], self.clone()),
        }
    }

    /// Loops within each other, around a leaf.
    pub fn of_spine(loops: &[LoopSketch], leaf: Nest) -> Nest {
        loops.iter().rfold(leaf, |body, l| Nest::Loop(Box::new(LoopSketch { body, ..l.clone() })))
    }

    /// The same with other loops on its spine; as many as it has.
    pub fn with_spine(&self, loops: &[LoopSketch]) -> Nest {
        match (self, loops.split_first()) {
            (Nest::Loop(l), Some((first, rest))) => Nest::Loop(Box::new(LoopSketch {
                body: l.body.with_spine(rest),
                operands: l.operands.clone(),
                ..first.clone()
            })),
            (Nest::And(all), Some(_)) => {
                let spine = all.iter().position(|n| !n.spine().0.is_empty());
                let each = |(i, n): (usize, &Nest)| {
                    if Some(i) == spine { n.with_spine(loops) } else { n.clone() }
                };
                Nest::And(all.iter().enumerate().map(each).collect())
            }
            _ => self.clone(),
        }
    }

    /// The same with one loop more on its spine, around the loop of this number, or around the leaf.
    pub fn with_loop(&self, at: usize, new: &LoopSketch) -> Nest {
        match self {
            Nest::And(all) if self.spine().0.len() >= at.max(1) => {
                let spine = all.iter().position(|n| !n.spine().0.is_empty());
                let each = |(i, n): (usize, &Nest)| {
                    if Some(i) == spine { n.with_loop(at, new) } else { n.clone() }
                };
                Nest::And(all.iter().enumerate().map(each).collect())
            }
            Nest::Loop(l) if at > 0 => Nest::Loop(Box::new(LoopSketch {
                body: l.body.with_loop(at - 1, new),
                ..LoopSketch::clone(l)
            })),
            _ => Nest::Loop(Box::new(LoopSketch { body: self.clone(), ..new.clone() })),
        }
    }

    /// What is asked for beside the spine: other operands of its loops, and other conjuncts.
    pub fn sides(&self) -> Vec<Nest> {
        match self {
            Nest::Loop(l) => l.operands.iter().cloned().chain(l.body.sides()).collect(),
            Nest::And(all) => {
                let spine = all.iter().position(|n| !n.spine().0.is_empty());
                let each = |(i, n): (usize, &Nest)| {
                    if Some(i) == spine {
                        n.sides()
                    } else if spine.is_some() {
                        vec![n.clone()]
                    } else {
                        vec![]
                    }
                };
                all.iter().enumerate().flat_map(each).collect()
            }
            Nest::Store(..) | Nest::Other(_) => vec![],
        }
    }

    /// What is asked for beside the spine: of the other operands of each of its loops, and in other conjuncts, wherever they
    /// stand.
    pub fn off_spine(&self) -> (Vec<Vec<Nest>>, Vec<Nest>) {
        match self {
            Nest::Loop(l) => {
                let (mut operands, conjuncts) = l.body.off_spine();
                operands.insert(0, l.operands.clone());
                (operands, conjuncts)
            }
            Nest::And(all) => {
                let Some(spine) = all.iter().position(|n| !n.spine().0.is_empty()) else {
                    return (vec![], vec![]);
                };
                let others = all.iter().enumerate().filter(|(i, _)| *i != spine).map(|(_, n)| n.clone());
                let (operands, mut conjuncts) = all[spine].off_spine();
                conjuncts.extend(others);
                (operands, conjuncts)
            }
            Nest::Store(..) | Nest::Other(_) => (vec![], vec![]),
        }
    }

    /// The same with something else asked for at its sides, of which it takes as many as it has. Where nothing is asked,
    /// nothing is written.
    pub fn with_sides(&self, sides: &mut dyn Iterator<Item = Nest>) -> Nest {
        match self {
            Nest::Loop(l) => {
                let mut new = LoopSketch::clone(l);
                new.operands =
                    l.operands.iter().map(|own| sides.next().unwrap_or_else(|| own.clone())).collect();
                while new.operands.last() == Some(&Nest::any()) {
                    new.operands.pop();
                }
                new.body = l.body.with_sides(sides);
                Nest::Loop(Box::new(new))
            }
            Nest::And(all) => {
                let spine = all.iter().position(|n| !n.spine().0.is_empty());
                let Some(spine) = spine else { return self.clone() };
                let mut new: Vec<Nest> = vec![];
                for (i, n) in all.iter().enumerate() {
                    new.push(match i {
                        i if i == spine => n.with_sides(sides),
                        _ => sides.next().unwrap_or_else(|| n.clone()),
                    });
                }
                Nest::all(new)
            }
            Nest::Store(..) | Nest::Other(_) => self.clone(),
        }
    }

    /// With `f` applied to every loop, and `leaf` to what is no loop.
    pub fn map(&self, f: &dyn Fn(&LoopSketch) -> LoopSketch, leaf: &dyn Fn(&Sketch) -> Sketch) -> Nest {
        match self {
            Nest::Other(s) => Nest::Other(leaf(s)),
            Nest::And(all) => Nest::And(all.iter().map(|n| n.map(f, leaf)).collect()),
            Nest::Store(ty, to_mem, value) => {
                Nest::Store(ty.clone(), to_mem.clone(), Box::new(value.map(f, leaf)))
            }
            Nest::Loop(l) => {
                let mut new = f(l);
                new.body = l.body.map(f, leaf);
                new.operands = l.operands.iter().map(|n| n.map(f, leaf)).collect();
                Nest::Loop(Box::new(new))
            }
        }
    }
}

/// The number of operands before the array.
fn operand_of(pattern: Pattern) -> usize {
    if pattern.is_map() { 1 } else { 2 }
}

/// The head of an application, its type as far as it is asked for, and the operands.
fn spine_of(sketch: &Sketch) -> (&Sketch, Option<&TypeSketch>, Vec<&Sketch>) {
    let (mut at, mut operands) = (sketch.bare(), vec![]);
    while let Shape::App(f, e) = at.shape() {
        operands.insert(0, e);
        at = f.bare();
    }
    match at.shape() {
        Shape::Typed(inner, ty) => (inner.bare(), Some(ty), operands),
        _ => (at, None, operands),
    }
}

fn looped(sketch: &Sketch) -> Option<Nest> {
    let (head, ty, operands) = spine_of(sketch);
    let Shape::Pattern(pattern, args) = head.shape() else { return None };
    if !(pattern.is_map() || pattern.is_reduce()) {
        return None;
    }
    let (body, rest) = operands.split_first()?;
    let mut over = ty.unwrap_or(&TypeSketch::Any);
    for _ in 0..operand_of(*pattern) {
        if let TypeSketch::Fun(_, to) = over {
            over = to;
        }
    }
    let over = if let TypeSketch::Fun(from, to) = over {
        // What it says of the result has no place here.
        if **to != TypeSketch::Any {
            return None;
        }
        (**from).clone()
    } else {
        TypeSketch::Any
    };
    let operands = rest.iter().map(|s| Nest::read(s)).collect();
    let nest = LoopSketch { pattern: *pattern, args: args.clone(), over, body: Nest::read(body), operands };
    let nest = Nest::Loop(Box::new(nest));
    // Whatever else was said is not lost.
    (nest.sketch() == Sketch::contains(plain(sketch))).then_some(nest)
}

fn stored(sketch: &Sketch) -> Option<Nest> {
    let (head, _, operands) = spine_of(sketch);
    let (Shape::Pattern(Pattern::Let, _), [kept]) = (head.shape(), &operands[..]) else { return None };
    let (to_mem, ty, value) = spine_of(kept);
    let (Shape::Pattern(Pattern::ToMem, _), [value], Some(TypeSketch::Fun(_, ty))) =
        (to_mem.shape(), &value[..], ty)
    else {
        return None;
    };
    let nest = Nest::Store((**ty).clone(), to_mem.clone(), Box::new(Nest::read(value)));
    (nest.sketch() == Sketch::contains(plain(sketch))).then_some(nest)
}

/// The sketch without the names of abbreviations.
pub fn plain(sketch: &Sketch) -> Sketch {
    without_names(sketch, &|s| s)
}

/// The same, where a loop that is asked for by its type alone has something that it computes: it is read as loops are then.
pub fn applied(sketch: &Sketch) -> Sketch {
    let is_loop = |p: &Pattern| p.is_map() || p.is_reduce();
    without_names(sketch, &|inner| match inner.shape() {
        Shape::Typed(head, _) if matches!(head.shape(), Shape::Pattern(p, _) if is_loop(p)) => {
            Sketch::app(inner, Sketch::any())
        }
        _ => inner,
    })
}

/// Without names, and with what `contained` makes of what is asked for somewhere.
fn without_names(sketch: &Sketch, contained: &dyn Fn(Sketch) -> Sketch) -> Sketch {
    let plain = |s: &Sketch| without_names(s, contained);
    let all = |v: &[Sketch]| v.iter().map(plain).collect();
    Sketch::new(match sketch.shape() {
        Shape::Named(_, s) => return plain(s),
        Shape::Any | Shape::Var(_) | Shape::Pattern(..) | Shape::Number(_) | Shape::Sizes(_) => {
            return sketch.clone();
        }
        Shape::Lam(s) => Shape::Lam(plain(s)),
        Shape::App(f, e) => Shape::App(plain(f), plain(e)),
        Shape::Contains(s) => Shape::Contains(contained(plain(s))),
        Shape::Or(v) => Shape::Or(all(v)),
        Shape::And(v) => Shape::And(all(v)),
        Shape::Not(s) => Shape::Not(plain(s)),
        Shape::Typed(s, t) => return Sketch::typed(plain(s), t.clone()),
    })
}

/// A loop of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub reduces: bool,
    pub size: Nat,
}

/// The chains of loops within each other that a program has, from an outermost to an innermost. After these come those that it
/// has once its sums take up the maps that compute their elements.
pub fn chains(term: &Term) -> Vec<Vec<Loop>> {
    let mut out = vec![];
    for takes_up in [TakesUp::Nothing, TakesUp::Map] {
        Walk { takes_up, above: vec![], out: &mut out }.go(term);
    }
    out
}

/// The chains that a program has in addition once its sums also take up the maps that compute operands of zips that they go over.
pub fn chains_through_zips(term: &Term) -> Vec<Vec<Loop>> {
    let known = chains(term);
    let mut out = vec![];
    Walk { takes_up: TakesUp::MapsInZips, above: vec![], out: &mut out }.go(term);
    out.retain(|chain| !known.contains(chain));
    out
}

/// What computes the elements of a sum, whose loops are then within the sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TakesUp {
    Nothing,
    Map,
    /// And the maps before it, in operands of zips too.
    MapsInZips,
}

impl TakesUp {
    /// The functions of the maps that are taken up from the array that is summed up.
    fn functions(self, array: &Term) -> Vec<&Term> {
        match as_loop(array) {
            _ if self == TakesUp::Nothing => vec![],
            Some((l, function, rest)) if !l.reduces => {
                let before = rest.last().filter(|_| self == TakesUp::MapsInZips);
                let before = before.into_iter().flat_map(|array| self.functions(array));
                std::iter::once(function).chain(before).collect()
            }
            None if self == TakesUp::MapsInZips => {
                zipped(array).into_iter().flat_map(|t| self.functions(t)).collect()
            }
            _ => vec![],
        }
    }
}

/// The operands of a zip.
fn zipped(term: &Term) -> Vec<&Term> {
    let zip = term.as_pattern_app().filter(|(prim, _)| prim.pattern == Pattern::Zip);
    zip.into_iter().flat_map(|(_, args)| args).collect()
}

/// The pattern of a loop within a map that computes an operand of a zip, if there is one.
pub fn loop_in_zip(term: &Term) -> Option<Pattern> {
    let within = |t: &Term| {
        let patterns = t.positions().into_iter().filter_map(|(_, t)| t.as_pattern());
        patterns.into_iter().find(|p| p.is_map() || p.is_reduce())
    };
    let places = term.positions();
    let operands = places.iter().flat_map(|(_, t)| zipped(t));
    let maps = operands.filter_map(as_loop).filter(|(l, ..)| !l.reduces);
    maps.into_iter().find_map(|(_, function, _)| within(function))
}

struct Walk<'a> {
    takes_up: TakesUp,
    above: Vec<Loop>,
    out: &'a mut Vec<Vec<Loop>>,
}

impl Walk<'_> {
    /// Says whether there was a loop.
    fn go(&mut self, term: &Term) -> bool {
        if self.out.len() >= MOST_CHAINS {
            return true;
        }
        if let Some((l, body, rest)) = as_loop(term) {
            let reduces = l.reduces;
            self.above.push(l);
            let mut is_around = self.go(body);
            let summed_up = rest.last().filter(|_| reduces);
            let takes_up = self.takes_up;
            for function in summed_up.into_iter().flat_map(|array| takes_up.functions(array)) {
                is_around |= self.go(function);
            }
            if !is_around && !self.out.contains(&self.above) {
                self.out.push(self.above.clone());
            }
            self.above.pop();
            for other in rest {
                self.go(other);
            }
            return true;
        }
        let mut any = false;
        for child in term.children() {
            any |= self.go(child);
        }
        any
    }
}

/// A `map` or `reduce` as a loop, what it computes for an element, and its other operands; or a `generate`, which is a map of indices.
pub(super) fn as_loop(term: &Term) -> Option<(Loop, &Term, Vec<&Term>)> {
    let (prim, args) = term.as_pattern_app()?;
    let (body, rest) = args.split_first()?;
    let size = size_of(prim.pattern, term.spine().0.ty())?;
    Some((Loop { reduces: prim.pattern.is_reduce(), size }, body, rest.to_vec()))
}

/// How many elements a `map`, `reduce` or `generate` of this type goes over.
fn size_of(pattern: Pattern, ty: &Type) -> Option<Nat> {
    if pattern == Pattern::Generate {
        return ty.as_fun()?.1.as_array().map(|(n, _)| n.clone());
    }
    if !(pattern.is_map() || pattern.is_reduce()) {
        return None;
    }
    let mut ty = ty;
    for _ in 0..operand_of(pattern) {
        ty = ty.as_fun()?.1;
    }
    match ty.as_fun()?.0.kind() {
        TypeKind::Array(n, _) => Some(n.clone()),
        _ => None,
    }
}

/// The loops that would copy an array of this type, as far as its sizes are known.
pub fn copying(ty: &TypeSketch) -> Vec<Loop> {
    let (mut out, mut at) = (vec![], ty);
    while let TypeSketch::Array(NatSketch::Is(n), element) = at {
        out.push(Loop { reduces: false, size: n.clone() });
        at = element;
    }
    out
}

impl LoopSketch {
    /// A map over so many elements.
    pub fn map(size: Nat) -> LoopSketch {
        let over = TypeSketch::Array(NatSketch::Is(size), Box::new(TypeSketch::Any));
        LoopSketch { pattern: Pattern::Map, args: vec![], over, body: Nest::any(), operands: vec![] }
    }

    pub fn size(&self) -> Option<&Nat> {
        match &self.over {
            TypeSketch::Array(NatSketch::Is(n), _) => Some(n),
            _ => None,
        }
    }

    /// The same over so many elements.
    #[must_use]
    pub fn over(&self, size: Nat) -> LoopSketch {
        let element = match &self.over {
            TypeSketch::Array(_, t) => t.clone(),
            _ => Box::new(TypeSketch::Any),
        };
        LoopSketch { over: TypeSketch::Array(NatSketch::Is(size), element), ..self.clone() }
    }
}
