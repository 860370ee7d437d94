//! The names of parameters and of shared values.
//!
//! What shares a value again, which was written out before, has no name for it, nor has a parameter that was taken away and came back.
//! The program as it was written may have one.

use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::sort::Sort;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;
use crate::normal::written_params;
use std::collections::{BTreeSet, HashMap};

/// What of a value stays as it is when rules change how it is computed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Kind {
    ty: Type,
    parts: Parts,
}

/// The operations of which a value is made, with the values that it is made of.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
struct Parts {
    operations: BTreeSet<Pattern>,
    numbers: BTreeSet<String>,
    /// Parameters of the program.
    inputs: BTreeSet<usize>,
}

/// What a binder binds.
enum Bound {
    Input(usize),
    Shared(Parts),
    Other,
}

/// A shared value.
struct Shared {
    /// Where the function is whose parameter it is.
    at: Path,
    name: Name,
    kind: Kind,
}

/// The program with the names that `given`, from which it was made, has for its parameters, and for values that it shares: those of the
/// same type that are made by the same operations of the same inputs and numbers. What has a name of that program keeps it.
pub fn named(program: &Term, given: &Term) -> Term {
    let program = &with_params(program, &written_params(given));
    let known = shared_values(given);
    let mut names: HashMap<&Kind, Option<&Name>> = HashMap::new();
    for Shared { kind, name, .. } in &known {
        // Of values that look alike it is not known which is which.
        names
            .entry(kind)
            .and_modify(|other| *other = other.filter(|other| *other == name))
            .or_insert(Some(name));
    }
    if names.is_empty() {
        return program.clone();
    }
    let mut out = program.clone();
    for Shared { at, name, kind } in shared_values(program) {
        let Some(new) = names.get(&kind).copied().flatten().filter(|_| known.iter().all(|k| k.name != name))
        else {
            continue;
        };
        let function =
            out.at(&at).and_then(|f| Some(Term::lam(new, f.ty().as_fun()?.0.clone(), f.as_lam()?.1.clone())));
        out = function.and_then(|function| out.replace_at(&at, function)).unwrap_or(out);
    }
    out
}

/// A program whose parameters, as far as they are written out, have these names.
fn with_params(program: &Term, names: &[Name]) -> Term {
    let (Some((name, others)), Some((_, body)), Some((param, _))) =
        (names.split_first(), program.as_lam(), program.ty().as_fun())
    else {
        return program.clone();
    };
    Term::lam(name, param.clone(), with_params(body, others))
}

/// The values that a program shares, by `let` in its text or in memory, outside in.
fn shared_values(program: &Term) -> Vec<Shared> {
    let mut out = vec![];
    walk(program, &Path::root(), &mut vec![], written_params(program).len(), &mut out);
    out
}

fn walk(t: &Term, at: &Path, above: &mut Vec<Bound>, params: usize, out: &mut Vec<Shared>) {
    let under = |body: &Term, at: &Path, bound: Bound, above: &mut Vec<Bound>, out: &mut Vec<Shared>| {
        above.push(bound);
        walk(body, &at.child(0), above, params, out);
        above.pop();
    };
    if let Some((_, body)) = t.as_lam() {
        let level = above.len();
        let is_param = level < params && at.len() == level;
        under(body, at, if is_param { Bound::Input(level) } else { Bound::Other }, above, out);
        return;
    }
    let Some((f, e)) = t.as_app() else { return };
    // `(\x. b) e`, and `let e (\x. b)`.
    let is_let = f.as_app().is_some_and(|(head, _)| head.as_pattern() == Some(Pattern::Let));
    let (function, value, place) =
        if is_let { (e, f.as_app().map_or(f, |(_, v)| v), at.child(1)) } else { (f, e, at.child(0)) };
    let (Expr::Lam(name, body), Some((ty, _))) = (function.expr(), function.ty().as_fun()) else {
        walk(f, &at.child(0), above, params, out);
        walk(e, &at.child(1), above, params, out);
        return;
    };
    let parts = parts_of(value, above);
    out.push(Shared {
        at: place.clone(),
        name: name.clone(),
        kind: Kind { ty: ty.clone(), parts: parts.clone() },
    });
    let of_value = if is_let { at.child(0).child(1) } else { at.child(1) };
    walk(value, &of_value, above, params, out);
    under(body, &place, Bound::Shared(parts), above, out);
}

fn parts_of(value: &Term, above: &[Bound]) -> Parts {
    let mut parts = Parts::default();
    let mut open = vec![(value, 0)];
    while let Some((t, depth)) = open.pop() {
        let inside = usize::from(t.as_lam().is_some());
        match t.expr() {
            Expr::Var(i) => {
                let bound = (*i as usize).checked_sub(depth).and_then(|i| above.iter().rev().nth(i));
                match bound {
                    Some(Bound::Input(level)) => parts.inputs.extend([*level]),
                    Some(Bound::Shared(of)) => parts.extend(of),
                    Some(Bound::Other) | None => {}
                }
            }
            Expr::Prim(p) if p.pattern.is_scalar() || p.pattern.sort() == Sort::Declared => {
                parts.operations.insert(p.pattern);
            }
            Expr::Lit(number) => {
                parts.numbers.insert(format!("{number:?}"));
            }
            _ => {}
        }
        open.extend(t.children().into_iter().map(|child| (child, depth + inside)));
    }
    parts
}

impl Parts {
    fn extend(&mut self, other: &Parts) {
        self.operations.extend(&other.operations);
        self.numbers.extend(other.numbers.iter().cloned());
        self.inputs.extend(&other.inputs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;

    fn read(text: &str) -> Term {
        program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term
    }

    fn names(t: &Term) -> Vec<String> {
        shared_values(t).iter().map(|s| s.name.to_string()).collect()
    }

    #[test]
    fn parameters_keep_their_names() {
        let given = read("def f (a: n.f32) (b: n.f32) = zip a b");
        let longer = read("def f (a: n.f32) (b: n.f32) (c: n.f32) = zip a b");
        let names = |text: &str, given: &Term| written_params(&named(&read(text), given)).join(" ");
        assert_eq!(names("def f (x: n.f32) (y: n.f32) = zip x y", &given), "a b");
        assert_eq!(names("def f (x: n.f32) (y: n.f32) = zip x y", &longer), "a b");
        assert_eq!(names("def f (b: n.f32) (a: n.f32) (c: n.f32) = zip a b", &given), "a b c");
    }

    #[test]
    fn shared_values_take_the_names_that_the_program_had() {
        let given = read(
            "def f (x: n.m.f32) (a b: k.f32) = x |> map (\\row.
               let top = reduce max (-3.4e38) row
               let es = map (\\v. exp (v - top)) row
               let s = reduce (+) 0 es
               let left = reduce (*) 1 a
               let right = reduce (*) 1 b
               let one = reduce min 0 row
               let two = reduce min 0 row
               map (\\e. e / s + left + right + one + two) es)",
        );
        let made = |text: &str| {
            names(&named(
                &read(&format!("def f (x: n.m.f32) (a b: k.f32) = x |> map (\\row.\n{text})")),
                &given,
            ))
        };
        // However they are computed and in whatever order.
        let lowered = "let y = reduceSeq max (-3.4e38) row in
               let z = reduceSeq (\\acc v. acc + exp (v - y)) 0 row in
               let w = map (\\v. exp (v - y)) row in map (\\e. e / z) w";
        assert_eq!(made(lowered), ["top", "s", "es"]);
        assert_eq!(made("let y = reduceSeq (*) 1 b in map (\\v. v * y) row"), ["right"]);
        // In memory.
        assert_eq!(made("let (toMem (reduceSeq (*) 1 a)) (\\y. map (\\v. v * y) row)"), ["left"]);
        // Of another type, of other operations, or one of two: which one is not known.
        assert_eq!(made("let y = map (\\v. v * 1) a in map (\\v. v * reduce (+) 0 y) row"), ["y"]);
        assert_eq!(made("let y = reduce (+) 0 row in map (\\v. v * y) row"), ["y"]);
        assert_eq!(made("let y = reduceSeq min 0 row in map (\\v. v * y) row"), ["y"]);
        // What has a name keeps it.
        assert_eq!(made("let es = reduce (*) 1 b in map (\\v. v * es) row"), ["es"]);
    }
}
