//! Sketches that may have been meant where one is met by nothing: with `contains` around what a function computes, or with an
//! operator alone where the sketch has it with operands.

use super::widen::closed;
use super::{Shape, Sketch, TypeSketch};

/// A sketch with another part in the place of one.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    pub part: String,
    pub instead: String,
    pub sketch: Sketch,
}

/// The variants of a sketch, outermost parts first.
pub fn variants(sketch: &Sketch) -> Vec<Variant> {
    let mut all = Variants { whole: sketch, found: vec![] };
    all.parts(sketch, 0, &|new| new);
    all.found
}

struct Variants<'a> {
    whole: &'a Sketch,
    found: Vec<Variant>,
}

impl Variants<'_> {
    fn offer(&mut self, part: &Sketch, new: Sketch, binders: u32, put: &dyn Fn(Sketch) -> Sketch) {
        let (text, instead) = (part.within(binders), new.within(binders));
        let sketch = put(new);
        if sketch != *self.whole {
            self.found.push(Variant { part: text, instead, sketch });
        }
    }

    /// What is put in the place of a part, `put` puts into the whole sketch.
    fn parts(&mut self, part: &Sketch, binders: u32, put: &dyn Fn(Sketch) -> Sketch) {
        if let Some(operator) = alone(part) {
            self.offer(part, operator, binders, put);
            return;
        }
        match part.shape() {
            Shape::Lam(body) => self.computed(body, binders + 1, &|new| put(Sketch::new(Shape::Lam(new)))),
            Shape::App(f, e) => {
                // A function with less operands is no part by itself.
                match f.shape() {
                    Shape::App(..) => self.operands(f, binders, &|new| put(Sketch::app(new, e.clone()))),
                    _ => self.parts(f, binders, &|new| put(Sketch::app(new, e.clone()))),
                }
                self.computed(e, binders, &|new| put(Sketch::app(f.clone(), new)));
            }
            Shape::Contains(inner) => self.parts(inner, 0, &|new| put(Sketch::contains(new))),
            Shape::Typed(inner, ty) => self.parts(inner, binders, &|new| put(Sketch::typed(new, ty.clone()))),
            Shape::Named(_, inner) => self.parts(inner, binders, put),
            Shape::And(all) => {
                for (i, one) in all.iter().enumerate() {
                    self.parts(one, binders, &|new| {
                        let mut all = all.clone();
                        all[i] = new;
                        put(Sketch::new(Shape::And(all)))
                    });
                }
            }
            Shape::Any
            | Shape::Var(_)
            | Shape::Number(_)
            | Shape::Pattern(..)
            | Shape::Or(_)
            | Shape::Not(_)
            | Shape::Sizes(_) => {}
        }
    }

    fn operands(&mut self, part: &Sketch, binders: u32, put: &dyn Fn(Sketch) -> Sketch) {
        let Shape::App(f, e) = part.shape() else { return };
        self.operands(f, binders, &|new| put(Sketch::app(new, e.clone())));
        self.computed(e, binders, &|new| put(Sketch::app(f.clone(), new)));
    }

    /// What a function is given, or computes.
    fn computed(&mut self, part: &Sketch, binders: u32, put: &dyn Fn(Sketch) -> Sketch) {
        if matches!(part.bare().shape(), Shape::App(..) | Shape::Lam(_) | Shape::Typed(..)) {
            self.offer(part, Sketch::contains(closed(part, 0)), binders, put);
        }
        self.parts(part, binders, put);
    }
}

/// The operator of an application whose operands can be anything, with what its type says of that of the application.
fn alone(part: &Sketch) -> Option<Sketch> {
    let (applied, mut ty) = match part.shape() {
        Shape::Typed(inner, ty) => (inner, ty.clone()),
        _ => (part, TypeSketch::Any),
    };
    let (mut head, mut operands) = (applied, 0);
    while let Shape::App(f, e) = head.shape() {
        if *e.shape() != Shape::Any {
            return None;
        }
        (head, operands) = (f, operands + 1);
    }
    if operands == 0 || !matches!(head.shape(), Shape::Pattern(..)) {
        return None;
    }
    if ty != TypeSketch::Any {
        ty = (0..operands).fold(ty, |result, _| TypeSketch::fun(TypeSketch::Any, result));
    }
    Some(Sketch::typed(head.clone(), ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::syntax::parse_sketch;
    use crate::sketch::{Library, read};

    #[test]
    fn parts_are_asked_for_within_and_operators_alone() {
        let of = |text: &str| {
            let (tree, problems) = parse_sketch(FileId::NOWHERE, text);
            assert!(problems.is_empty(), "{text}: {problems:?}");
            let sketch = read(&tree, &Library::builtin(), &["n".into()]).unwrap();
            let told = |v: Variant| format!("{} for {}", v.instead, v.part);
            variants(&sketch).into_iter().map(told).collect::<Vec<_>>()
        };
        assert_eq!(of("contains(reduce ? 0 (abs ?))"), ["contains(abs ?) for abs ?", "abs for abs ?"]);
        assert_eq!(of("containsMap(n, map ? ?)"), ["contains(map ? ?) for map ? ?", "map for map ? ?"]);
        assert_eq!(of("contains((? + ?) : <8>f32)"), ["(add : ? -> ? -> <8>f32) for (add ? ? : <8>f32)"]);
        assert_eq!(
            of("contains(map (\\x. sqrt x) ?)")[..2],
            ["contains(\\x0. sqrt x0) for \\x0. sqrt x0", "contains(sqrt ?) for sqrt x0"]
        );
        assert!(
            of("contains(map) or contains(abs ?)").is_empty()
                && of("containsMap(n, contains(map))").is_empty()
        );
    }
}
