//! Sketches of vectors as sketches of the scalars in them.

use super::nest::{LoopSketch, Nest};
use crate::lang::nat::Nat;
use crate::sketch::{NatSketch, Shape, Sketch, TypeSketch};

/// Does the sketch ask for vectors?
pub fn asks_for_vectors(sketch: &Sketch) -> bool {
    let here = if let Shape::Typed(_, t) = sketch.shape() { has_vectors(t) } else { false };
    here || sketch.children().into_iter().any(asks_for_vectors)
}

fn has_vectors(t: &TypeSketch) -> bool {
    match t {
        TypeSketch::Vector(..) => true,
        TypeSketch::Array(_, t) => has_vectors(t),
        TypeSketch::Pair(a, b) | TypeSketch::Fun(a, b) => has_vectors(a) || has_vectors(b),
        TypeSketch::Any | TypeSketch::Scalar(_) | TypeSketch::NatType | TypeSketch::Index(_) => false,
    }
}

/// How long the vectors are of which an element is one, or a pair of several.
pub fn lanes(element: &TypeSketch) -> Option<&NatSketch> {
    match element {
        TypeSketch::Vector(length, _) => Some(length),
        TypeSketch::Pair(a, b) => match (lanes(a), lanes(b)) {
            (None | Some(NatSketch::Any), Some(length)) => Some(length),
            (length, _) => length,
        },
        _ => None,
    }
}

/// The lengths of vectors that a sketch names.
pub fn widths(sketch: &Sketch) -> Vec<Nat> {
    fn of_type(t: &TypeSketch, out: &mut Vec<Nat>) {
        match t {
            TypeSketch::Vector(NatSketch::Is(n), _) if !out.contains(n) => out.push(n.clone()),
            TypeSketch::Array(_, t) => of_type(t, out),
            TypeSketch::Pair(a, b) | TypeSketch::Fun(a, b) => {
                of_type(a, out);
                of_type(b, out);
            }
            _ => {}
        }
    }
    let (mut out, mut open) = (vec![], vec![sketch]);
    while let Some(s) = open.pop() {
        if let Shape::Typed(_, t) = s.shape() {
            of_type(t, &mut out);
        }
        open.extend(s.children());
    }
    out
}

/// The nest with scalars in the place of vectors, each of `width` scalars where it does not say of how many.
pub fn scalars(nest: &Nest, width: Option<&Nat>) -> Nest {
    let each = |l: &LoopSketch| LoopSketch { over: scalar_type(&l.over, width), ..l.clone() };
    nest.map(&each, &|s| scalar_sketch(s, width))
}

fn scalar_sketch(s: &Sketch, width: Option<&Nat>) -> Sketch {
    let go = |s: &Sketch| scalar_sketch(s, width);
    let all = |v: &[Sketch]| v.iter().map(go).collect();
    Sketch::new(match s.shape() {
        Shape::Typed(inner, t) => return Sketch::typed(go(inner), scalar_type(t, width)),
        Shape::Lam(s) => Shape::Lam(go(s)),
        Shape::App(f, e) => Shape::App(go(f), go(e)),
        Shape::Contains(s) => Shape::Contains(go(s)),
        Shape::Or(v) => Shape::Or(all(v)),
        Shape::And(v) => Shape::And(all(v)),
        Shape::Not(s) => Shape::Not(go(s)),
        Shape::Named(_, s) => return go(s),
        Shape::Any | Shape::Var(_) | Shape::Pattern(..) | Shape::Number(_) | Shape::Sizes(_) => {
            return s.clone();
        }
    })
}

fn scalar_type(t: &TypeSketch, width: Option<&Nat>) -> TypeSketch {
    let go = |t: &TypeSketch| Box::new(scalar_type(t, width));
    match t {
        TypeSketch::Array(n, element) => {
            let length = match (n, lanes(element)) {
                (NatSketch::Is(n), Some(NatSketch::Is(v))) => NatSketch::Is(n.mul(v)),
                (NatSketch::Is(n), Some(NatSketch::Any)) => {
                    width.map_or(NatSketch::Any, |v| NatSketch::Is(n.mul(v)))
                }
                _ => n.clone(),
            };
            TypeSketch::Array(length, go(element))
        }
        TypeSketch::Vector(_, scalar) => *go(scalar),
        TypeSketch::Pair(a, b) => TypeSketch::Pair(go(a), go(b)),
        TypeSketch::Fun(a, b) => TypeSketch::Fun(go(a), go(b)),
        TypeSketch::Any | TypeSketch::Scalar(_) | TypeSketch::NatType | TypeSketch::Index(_) => t.clone(),
    }
}
