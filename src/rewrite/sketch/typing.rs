//! What a sketch says of types, taken together: that no term has them, whatever its sizes are.
//!
//! Sizes are left out, and what `contains` and `not` say of a term is nothing of its type, so that what some term is like
//! always has a type here.

use super::{Shape, Sketch, TypeSketch};
use crate::lang::infer::scheme::Scheme;
use crate::lang::infer::unify::{Kind, Unifier};
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Type, TypeKind, TypeVar};
use rustc_hash::FxHashMap;

impl Sketch {
    /// Why no term has the types that the sketch asks for; none where one may.
    pub fn ill_typed(&self) -> Option<String> {
        Typing::default().of(self, &mut vec![], 0).err()
    }

    /// The types of the sketch and of what has this type, if no term has both; of sizes nothing is said.
    pub fn other_type_than(&self, ty: &Type) -> Option<(TypeSketch, TypeSketch)> {
        let mut typing = Typing::default();
        let asked = typing.of(self, &mut vec![], 0).ok()?;
        let has = typing.shape(ty, &mut FxHashMap::default());
        let differs = typing.unifier.unify(&has, &asked, 0).is_err();
        differs.then(|| (typing.shown(&asked), typing.shown(&has)))
    }
}

#[derive(Default)]
struct Typing {
    unifier: Unifier,
}

impl Typing {
    /// The type of the terms that are like the sketch, below the lambdas that bind variables of these types, of `binders` in
    /// all.
    ///
    /// # Errors
    /// Why there is none.
    fn of(&mut self, sketch: &Sketch, bound: &mut Vec<Type>, binders: u32) -> Result<Type, String> {
        match sketch.shape() {
            Shape::Any | Shape::Not(_) | Shape::Sizes(_) => Ok(self.unknown()),
            Shape::Var(i) => {
                let known = bound.iter().rev().nth(*i as usize).cloned();
                Ok(known.unwrap_or_else(|| self.unknown()))
            }
            // Its arguments are as many as it says.
            Shape::Pattern(Pattern::MakeArray, _) => Ok(self.unknown()),
            Shape::Pattern(pattern, _) => {
                let scheme = &Scheme::of(*pattern).ty;
                Ok(self.shape(scheme, &mut FxHashMap::default()))
            }
            Shape::Number(n) => {
                Ok(n.scalar.map_or_else(|| self.unifier.fresh_type(Kind::Data), Type::scalar))
            }
            Shape::Named(_, inner) => self.of(inner, bound, binders),
            Shape::Contains(inner) => {
                // It may stand below lambdas that the sketch does not say.
                self.of(inner, &mut vec![], binders)?;
                Ok(self.unknown())
            }
            Shape::Lam(body) => {
                let parameter = self.unknown();
                bound.push(parameter.clone());
                let result = self.of(body, bound, binders + 1);
                bound.pop();
                Ok(Type::fun(parameter, result?))
            }
            Shape::App(f, e) => {
                let (function, argument) = (self.of(f, bound, binders)?, self.of(e, bound, binders)?);
                let result = self.unknown();
                let fits = Type::fun(argument.clone(), result.clone());
                match self.unifier.unify(&function, &fits, 0) {
                    Ok(()) => Ok(result),
                    Err(_) => Err(self.does_not_fit((f, &function), (e, &argument), binders)),
                }
            }
            Shape::Typed(inner, ty) => {
                let found = self.of(inner, bound, binders)?;
                let asked = self.asked(ty);
                match self.unifier.unify(&asked, &found, 0) {
                    Ok(()) => Ok(found),
                    Err(_) => {
                        let (inner, found) = (inner.within(binders), self.shown(&found));
                        Err(format!("`{inner}` has type `{found}`, not `{ty}`"))
                    }
                }
            }
            Shape::And(all) => {
                let together = self.unknown();
                for part in all {
                    let found = self.of(part, bound, binders)?;
                    if self.unifier.unify(&together, &found, 0).is_err() {
                        let (part, found) = (part.within(binders), self.shown(&found));
                        let others = self.shown(&together);
                        return Err(format!(
                            "`{part}` has type `{found}`, and what stands beside it `{others}`"
                        ));
                    }
                }
                Ok(together)
            }
            Shape::Or(all) => {
                let (mut first, mut possible) = (None, all.is_empty());
                for part in all {
                    // What one of them says of types does not hold where another is met.
                    let before = self.unifier.snapshot();
                    match self.of(part, bound, binders) {
                        Ok(_) => possible = true,
                        Err(why) => _ = first.get_or_insert(why),
                    }
                    self.unifier.rollback(before);
                }
                match first {
                    Some(why) if !possible => Err(why),
                    _ => Ok(self.unknown()),
                }
            }
        }
    }

    fn unknown(&mut self) -> Type {
        self.unifier.fresh_type(Kind::Any)
    }

    /// A scheme with unknowns in the place of its variables and of every size.
    fn shape(&mut self, scheme: &Type, variables: &mut FxHashMap<TypeVar, Type>) -> Type {
        match scheme.kind() {
            TypeKind::Var(v) => {
                variables.entry(v.clone()).or_insert_with(|| self.unifier.fresh_type(Kind::Data)).clone()
            }
            TypeKind::Array(_, t) => Type::array(self.unifier.fresh_nat(), self.shape(t, variables)),
            TypeKind::Vector(_, t) => Type::vector(self.unifier.fresh_nat(), self.shape(t, variables)),
            TypeKind::Index(_) => Type::index(self.unifier.fresh_nat()),
            TypeKind::Pair(a, b) => Type::pair(self.shape(a, variables), self.shape(b, variables)),
            TypeKind::Fun(a, b) => Type::fun(self.shape(a, variables), self.shape(b, variables)),
            TypeKind::Scalar(_) | TypeKind::NatType | TypeKind::Ill => scheme.clone(),
        }
    }

    fn asked(&mut self, ty: &TypeSketch) -> Type {
        match ty {
            TypeSketch::Any => self.unknown(),
            TypeSketch::Scalar(s) => Type::scalar(*s),
            TypeSketch::NatType => Type::nat_type(),
            TypeSketch::Index(_) => Type::index(self.unifier.fresh_nat()),
            TypeSketch::Vector(_, t) => Type::vector(self.unifier.fresh_nat(), self.asked(t)),
            TypeSketch::Array(_, t) => Type::array(self.unifier.fresh_nat(), self.asked(t)),
            TypeSketch::Pair(a, b) => Type::pair(self.asked(a), self.asked(b)),
            TypeSketch::Fun(a, b) => Type::fun(self.asked(a), self.asked(b)),
        }
    }

    /// What is known of a type, for a message.
    fn shown(&mut self, ty: &Type) -> TypeSketch {
        let known = self.unifier.zonk(ty);
        TypeSketch::shape_of(&known)
    }

    fn does_not_fit(
        &mut self,
        (f, function): (&Sketch, &Type),
        (e, argument): (&Sketch, &Type),
        binders: u32,
    ) -> String {
        let (f, e) = (f.within(binders), e.within(binders));
        let (function, argument) = (self.shown(function), self.shown(argument));
        match function {
            TypeSketch::Fun(takes, _) => {
                format!("`{f}` takes `{takes}`, and `{e}` has type `{argument}`")
            }
            other => format!("`{f}` is applied and has type `{other}`, which is no function's"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::FileId;
    use crate::lang::syntax::parse_sketch;
    use crate::sketch::{Library, read};

    fn told(text: &str) -> String {
        let (tree, problems) = parse_sketch(FileId::NOWHERE, text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        read(&tree, &Library::builtin(), &["n".into()]).unwrap().ill_typed().unwrap_or_default()
    }

    #[test]
    fn what_no_term_has_the_types_of_is_told() {
        assert_eq!(
            told("containsMap(n/8, ? : <8>f32)"),
            "`(map : ? -> (n/8).? -> ?)` takes `? -> ?`, and `(? : <8>f32)` has type `<?>f32`"
        );
        for none in [
            "map (? : n.f32)",
            "contains(reduce (+) (? : ? -> ?) ?)",
            "(map ? ?) : f32",
            "transpose (? : n.f32)",
            "(\\x. x : f32) (? : i32)",
            "(map ? ?) and (reduceSeq ? : f32)",
            "(map ? 1.0f32) or (? ? : f32) (? : f32) and (? : i32)",
            "fst (? : f32)",
        ] {
            assert_ne!(told(none), "", "{none}");
        }
        for some in [
            "map (? : n.f32 -> ?)",
            "containsMap(n/8, contains(? : <8>f32))",
            "map (\\x. x + (? : f32))",
            "map (? : <4>f32 -> <4>bool) ?",
            "(? : <4>f32) > (? : <4>f32)",
            "select (? : bool) (? : n.f32) ?",
            "iterate ? (? : 4.f32 -> 2.f32) ?",
            "(map ? 1.0f32) or (? : f32)",
            "makeArray ? ? ? ?",
            "idx (natAsIndex ? 3) ?",
        ] {
            assert_eq!(told(some), "", "{some}");
        }
    }
}
