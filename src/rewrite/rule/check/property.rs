//! Testing what is said of an operator: on random operands the two sides of its law must agree.

use super::shrink::weight;
use crate::lang::eval::inputs::{self, Kind};
use crate::lang::eval::{self, Limits, Sizes};
use crate::lang::nat::NatVar;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::lang::value::{Tolerance, Value};

/// What an operator may be.
pub enum Property {
    Associative,
    Commutative,
    /// This value is neutral for it, on both sides.
    Neutral(Term),
}

/// So many operands of each kind are tried.
const TRIES: u64 = 400;

/// A case in which a closed operator `t -> t -> t` does not have the property, in words.
pub fn refute(f: &Term, property: &Property) -> Option<Vec<String>> {
    let (params, _) = f.ty().signature();
    let t = params.first()?;
    let op = |a: Term, b: Term| Term::app(Term::app(f.clone(), a), b);
    let var = |i: u32| Term::var(i, t.clone());
    // The operands are a, b, c; the last is variable 0.
    let (count, laws) = match property {
        Property::Associative => (3, vec![(op(op(var(2), var(1)), var(0)), op(var(2), op(var(1), var(0))))]),
        Property::Commutative => (2, vec![(op(var(1), var(0)), op(var(0), var(1)))]),
        Property::Neutral(z) => (1, vec![(op(z.clone(), var(0)), var(0)), (op(var(0), z.clone()), var(0))]),
    };
    let close =
        |body: &Term| (0..count).rev().fold(body.clone(), |e, i| Term::lam(["a", "b", "c"][i], t.clone(), e));
    let words = match property {
        Property::Associative => ["f (f a b) c", "f a (f b c)"].map(str::to_owned).to_vec(),
        Property::Commutative => ["f a b", "f b a"].map(str::to_owned).to_vec(),
        Property::Neutral(_) => ["f z a", "a", "f a z", "a"].map(str::to_owned).to_vec(),
    };
    let mut best: Option<(usize, Vec<String>)> = None;
    for seed in 0..TRIES * 2 {
        // Small numbers are exact; larger ones leave the range that an operator may be well-behaved in.
        if best.is_some() && seed >= TRIES {
            break;
        }
        let (kind, tolerance) = if seed < TRIES {
            (Kind::SmallIntegers, Tolerance::Relative { relative: 1e-5, floor: 1.0 })
        } else {
            (Kind::Uniform, Tolerance::Relative { relative: 1e-3, floor: 1.0 })
        };
        let sizes = sizes_of(t, seed);
        for (i, (left, right)) in laws.iter().enumerate() {
            let (left, right) = (close(left), close(right));
            let Ok(operands) = inputs::for_program(left.ty(), &sizes, seed, kind) else { continue };
            let run = |side: &Term| eval::run(side, &sizes, &operands, &Limits::TEST);
            let (Ok(l), Ok(r)) = (run(&left), run(&right)) else { continue };
            if l.agrees(&r, tolerance).is_ok() && r.agrees(&l, tolerance).is_ok() {
                continue;
            }
            let weight = weight(&operands);
            if best.as_ref().is_none_or(|(w, _)| weight < *w) {
                best = Some((weight, told(&operands, [(&words[2 * i], l), (&words[2 * i + 1], r)])));
            }
        }
    }
    best.map(|(_, told)| told)
}

fn told(operands: &[Value], sides: [(&String, Value); 2]) -> Vec<String> {
    let names = ["a", "b", "c"];
    let given: Vec<String> = operands.iter().zip(names).map(|(v, n)| format!("{n} = {v}")).collect();
    let [(left, l), (right, r)] = sides;
    let second = if right == "a" { format!("not a = {r}") } else { format!("but {right} = {r}") };
    vec![format!("For {} it is {left} = {l}, {second}.", given.join(", "))]
}

/// A small value for every size in the type.
fn sizes_of(t: &Type, seed: u64) -> Sizes {
    let mut sizes = Sizes::new();
    t.for_each_nat(&mut |n| {
        for v in n.vars() {
            if let NatVar::Named(name) = v {
                let value = 1 + seed as i64 % 3;
                sizes.insert(name.clone(), value);
            }
        }
    });
    sizes
}
