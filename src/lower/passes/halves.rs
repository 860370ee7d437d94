//! Memory of a kernel's own keeps floats for halves that are only moved, and made numbers of other types.
//!
//! Every half is a float, so values stay the same. What is left of halves are cells that the kernel is given, each read as a
//! number of another type or written from one: OpenCL has that without halves as a type, which many devices lack, and for
//! several cells at once.

use crate::dpia::{Access, Imperative, Kind, Layout, Names, Phrase, PhraseType};
use crate::lang::diag::Diagnostic;
use crate::lang::literal::Literal;
use crate::lang::nat::Name;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Scalar, Type, TypeKind};
use std::collections::BTreeSet;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    let given = p.inputs.iter().chain(&p.outputs).map(|(x, t)| (x.clone(), t.clone()));
    let given = given.chain(p.temporaries.iter().map(|t| (t.name.clone(), t.ty.clone())));
    // A number is handed over as a value of its type.
    let numbers = given.filter(|(_, t)| is_half(t)).map(|(x, _)| x).collect();
    let mut halves = Halves { numbers, own: BTreeSet::new() };
    if halves.only_move(&p.body) {
        p.body = halves.widened(&p.body);
    }
    Ok(p)
}

struct Halves {
    /// Parameters that are no memory.
    numbers: BTreeSet<Name>,
    /// The kernel's own memory.
    own: BTreeSet<Name>,
}

fn is_half(t: &Type) -> bool {
    t.as_scalar() == Some(Scalar::F16)
}

/// The memory of which the phrase is a part.
fn memory(p: &Phrase) -> Option<&Name> {
    match p.kind() {
        Kind::Var(x) => Some(x),
        Kind::Pattern(Pattern::Idx | Pattern::Fst | Pattern::Snd, _, ps)
        | Kind::Acceptor(Layout::Index | Layout::First | Layout::Second, ps) => memory(ps.last()?),
        _ => None,
    }
}

/// What is made a number of another type.
fn cast(p: &Phrase) -> Option<&Phrase> {
    match p.kind() {
        Kind::Pattern(Pattern::Cast, _, ps) => ps.first(),
        _ => None,
    }
}

/// The type with floats in the place of halves.
fn wide(t: &Type) -> Type {
    match t.kind() {
        TypeKind::Scalar(Scalar::F16) => Type::scalar(Scalar::F32),
        TypeKind::Vector(n, t) => Type::vector(n.clone(), wide(t)),
        TypeKind::Array(n, t) => Type::array(n.clone(), wide(t)),
        TypeKind::Pair(a, b) => Type::pair(wide(a), wide(b)),
        _ => t.clone(),
    }
}

fn as_number(e: Phrase, s: Scalar) -> Phrase {
    if e.data().as_scalar() == Some(s) {
        return e;
    }
    Phrase::pattern(Pattern::Cast, vec![], vec![e], Type::scalar(s), Access::Read)
}

impl Halves {
    /// Is nothing computed with halves, and none made but where it is handed on? Remembers the kernel's own memory.
    fn only_move(&mut self, p: &Phrase) -> bool {
        match p.kind() {
            Kind::New(_, _, x, body) => {
                self.own.insert(x.clone());
                self.only_move(body)
            }
            Kind::Assign(to, value) if is_half(&value.data()) => {
                let made = match cast(value) {
                    Some(e) => {
                        memory(to).is_some_and(|x| !self.own.contains(x))
                            && !is_half(&e.data())
                            && self.only_move(e)
                    }
                    None => self.is_moved(value),
                };
                made && to.children().into_iter().all(|c| self.only_move(c))
            }
            Kind::Pattern(Pattern::Cast, _, ps) if !is_half(&p.data()) && ps.len() == 1 => match &ps[0] {
                e if is_half(&e.data()) => self.is_moved(e),
                e => self.only_move(e),
            },
            _ if matches!(p.ty(), PhraseType::Exp(t, _) if is_half(t)) => false,
            _ => p.children().into_iter().all(|c| self.only_move(c)),
        }
    }

    /// Is this half a cell, or one of several?
    fn is_moved(&mut self, e: &Phrase) -> bool {
        match e.kind() {
            Kind::Lit(_) => true,
            Kind::Pattern(Pattern::Select, _, ps) if ps.len() == 3 => {
                self.only_move(&ps[0]) && self.is_moved(&ps[1]) && self.is_moved(&ps[2])
            }
            Kind::Var(x) => !self.numbers.contains(x),
            _ => memory(e).is_some() && e.children().into_iter().all(|c| self.only_move(c)),
        }
    }

    fn widened(&self, p: &Phrase) -> Phrase {
        let made = match p.kind() {
            Kind::New(storage, t, x, body) => {
                Phrase::new_in(*storage, wide(t), x.clone(), self.widened(body))
            }
            Kind::Assign(to, value) if is_half(&value.data()) => {
                let (to, is_own) = (self.widened(to), memory(to).is_some_and(|x| self.own.contains(x)));
                let value = match cast(value) {
                    Some(e) => self.widened(e),
                    None => self.number(value),
                };
                Phrase::assign(to, if is_own { value } else { as_number(value, Scalar::F16) })
            }
            Kind::Pattern(Pattern::Cast, _, ps) if ps.len() == 1 && is_half(&ps[0].data()) => {
                match p.data().as_scalar() {
                    Some(s) => as_number(self.number(&ps[0]), s),
                    None => self.children_widened(p),
                }
            }
            _ => self.children_widened(p),
        };
        made.with_origin(p.origin())
    }

    fn children_widened(&self, p: &Phrase) -> Phrase {
        let Ok(made) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(self.widened(c)));
        if !memory(p).is_some_and(|x| self.own.contains(x)) {
            return made;
        }
        let ty = match p.ty() {
            PhraseType::Exp(t, access) => PhraseType::Exp(wide(t), *access),
            PhraseType::Acc(t) => PhraseType::Acc(wide(t)),
            ty => ty.clone(),
        };
        Phrase::new(made.kind().clone(), ty)
    }

    /// A half that is moved, as a float.
    fn number(&self, e: &Phrase) -> Phrase {
        let float = || Type::scalar(Scalar::F32);
        match e.kind() {
            Kind::Lit(Literal::Float(bits, _)) => Phrase::lit(Literal::Float(*bits, Scalar::F32)),
            Kind::Pattern(Pattern::Select, _, ps) if ps.len() == 3 => {
                let parts = vec![self.widened(&ps[0]), self.number(&ps[1]), self.number(&ps[2])];
                Phrase::pattern(Pattern::Select, vec![], parts, float(), Access::Read)
            }
            _ => as_number(self.widened(e), Scalar::F32),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Target;
    use crate::passes::tests::allocated_after;

    /// The types of what is allocated after the pass, outermost first.
    fn allocated(body: &str) -> Vec<String> {
        allocated_after("halvesAsFloats", &format!("def f (a: n.4.f16): {body}"), Target::OpenCl).unwrap()
    }

    #[test]
    fn halves_that_are_moved_are_kept_as_floats() {
        let sums = "n.f32 = a |> mapSeq (\\r. let (toMem (mapSeq (\\x. x) r)) (\\s. s |> reduceSeq (\\sum x. sum + cast x) 0))";
        assert_eq!(allocated(sums), ["4.f32", "f32"]);
        // What is moved from one memory to another and back.
        let moved = "n.4.f16 = a |> mapSeq (\\r. let (toMem (mapSeq (\\x. x) r)) (\\s. reverse s |> mapSeq (\\x. x)))";
        assert_eq!(allocated(moved), ["4.f32"]);
        // What is computed with halves, or rounded to them, stays.
        let squares = "n.4.f16 = a |> mapSeq (\\r. let (toMem (mapSeq (\\x. x * x) r)) (\\s. reverse s |> mapSeq (\\x. x)))";
        assert_eq!(allocated(squares), ["4.f16"]);
        let rounded = "n.4.f16 = a |> mapSeq (\\r. let (toMem (mapSeq (\\x. (cast (sqrt (cast x : f32)) : f16)) r)) (\\s. reverse s |> mapSeq (\\x. x)))";
        assert_eq!(allocated(rounded), ["4.f16"]);
    }
}
