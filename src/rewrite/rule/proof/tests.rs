//! That the prover reads patterns as the interpreter does: at known sizes and inputs, what it reads is computed and
//! compared. Which rules are proved, and that nothing wrong is, `tests/rules_proved.rs` says.

use super::*;
use crate::arbitrary::Draw;
use crate::lang::diag::Sources;
use crate::lang::eval::{Limits, Sizes, inputs, naive};
use crate::lang::nat::NatVar;
use crate::lang::pattern::all;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::TypeSubst;
use crate::lang::value::{Tolerance, Value as Known};
use crate::lang::{infer, syntax};
use crate::rule::Equation;
use crate::rule::equation::Sides;
use std::sync::Arc;
use value::{Neutral, Operation, Value};

fn equation_of(side: &Pat) -> Equation {
    Equation {
        vars: vec![],
        types: vec![],
        nats: vec![],
        slots: vec![],
        sides: Sides { lhs: side.clone(), rhs: side.clone() },
        applied: None,
        conditions: vec![],
        needs: vec![],
        declared: Arc::default(),
    }
}

/// The input as a value of which every number is known.
fn embedded(v: &Known, ty: &Type) -> Value {
    match (v, ty.kind()) {
        (Known::Pair(p), TypeKind::Pair(a, b)) => Value::pair(embedded(&p.0, a), embedded(&p.1, b)),
        (Known::Array(cells) | Known::Vector(cells), TypeKind::Array(_, t) | TypeKind::Vector(_, t)) => {
            let cells: Vec<Value> = cells.iter().map(|c| embedded(c, t)).collect();
            Value::array(move |i| {
                let at = i.as_constant().and_then(|i| usize::try_from(i).ok());
                at.and_then(|at| cells.get(at).cloned()).unwrap_or(Value::Stuck)
            })
        }
        (Known::Bool(b), _) => Value::literal(Literal::Bool(*b)),
        (Known::Int(v, s), _) => Value::literal(Literal::Int(*v, *s)),
        (Known::Nat(n), _) => Value::Nat(Nat::constant(*n)),
        (Known::F16(x), _) => Value::literal(Literal::Float(f64::from(*x).to_bits(), Scalar::F16)),
        (Known::F32(x), _) => Value::literal(Literal::Float(f64::from(*x).to_bits(), Scalar::F32)),
        (Known::F64(x), _) => Value::literal(Literal::Float(x.to_bits(), Scalar::F64)),
        (Known::Undefined, _) => Value::Undefined,
        _ => Value::Stuck,
    }
}

/// What the value is, every operation in it computed; none where that is not known.
fn computed(reader: &Reader, v: &Value, ty: &Type) -> Option<Known> {
    let known = |n: &Nat| usize::try_from(reader.0.simplified(n).as_constant()?).ok();
    let v = reader.forced(v);
    if matches!(v, Value::Undefined) {
        return Known::undefined(ty, &Sizes::new()).ok();
    }
    match (&v, ty.kind()) {
        (_, TypeKind::Pair(a, b)) => {
            Some(Known::pair(computed(reader, &v.first(), a)?, computed(reader, &v.second(), b)?))
        }
        (_, TypeKind::Array(n, t) | TypeKind::Vector(n, t)) => {
            let cell = |i: usize| computed(reader, &v.at(&Nat::constant(i as i64)), t);
            let cells = (0..known(n)?).map(cell).collect::<Option<Vec<_>>>()?;
            Some(if ty.as_array().is_some() { Known::array(cells) } else { Known::vector(cells) })
        }
        (Value::Nat(n), _) => Some(Known::Nat(known(n)? as i64)),
        (Value::Unknown(n), _) => neutral(reader, n),
        _ => None,
    }
}

fn neutral(reader: &Reader, n: &Neutral) -> Option<Known> {
    match n {
        Neutral::Literal(l) => Known::literal(l, &Sizes::new()).ok(),
        Neutral::First(p) => {
            neutral(reader, p).and_then(|p| if let Known::Pair(p) = p { Some(p.0.clone()) } else { None })
        }
        Neutral::Second(p) => {
            neutral(reader, p).and_then(|p| if let Known::Pair(p) = p { Some(p.1.clone()) } else { None })
        }
        Neutral::At(xs, i) => match neutral(reader, xs)? {
            Known::Array(cells) | Known::Vector(cells) => {
                cells.get(usize::try_from(reader.0.simplified(i).as_constant()?).ok()?).cloned()
            }
            _ => None,
        },
        Neutral::Operation(o) => operation(reader, o),
        Neutral::Fold(f) => {
            let mut acc = computed(reader, &f.start, &f.ty)?;
            for k in 0..reader.0.simplified(&f.length).as_constant()? {
                let next = (f.step)(embedded(&acc, &f.ty), &Nat::constant(k));
                acc = computed(reader, &next, &f.ty)?;
            }
            Some(acc)
        }
        Neutral::Symbol(_) | Neutral::Fresh(_) | Neutral::Apply(..) => None,
    }
}

/// The interpreter's answer for the operation alone.
fn operation(reader: &Reader, o: &Operation) -> Option<Known> {
    let operands = o.operands.iter().zip(&o.params).map(|(x, t)| computed(reader, x, t));
    let operands = operands.collect::<Option<Vec<_>>>()?;
    let args = o.args.iter().map(|a| match a {
        PatArg::Nat(n) => Arg::Nat(n.clone()),
        PatArg::Fun(f) => Arg::Fun(f.clone()),
        PatArg::Addr(a) => Arg::Addr(*a),
        PatArg::Dim(d) => Arg::Dim(*d),
        PatArg::Slot(_) => Arg::Dim(0),
    });
    let function = Term::prim(o.pattern, args.collect(), Type::function(&o.params, o.result.clone()));
    naive::run(&function, &Sizes::new(), &operands, &Limits::TEST).ok()
}

/// Whether the term was read to the end; it must then be what the interpreter says.
fn agrees(term: &Term, inputs: &[Known]) -> Option<()> {
    let expected = naive::run(term, &Sizes::new(), inputs, &Limits::TEST).ok()?;
    let side = Pat::from_term(term, &[]).unwrap();
    let reader = Reader(Rc::new(Context::new(&equation_of(&side), &[], false)));
    let (params, result) = term.ty().signature();
    let function = reader.read(&side, &Scope::empty());
    let value = inputs.iter().zip(&params).fold(function, |f, (x, t)| f.apply(embedded(x, t)));
    let found = computed(&reader, &value, &result)?;
    let same =
        expected.agrees(&found, Tolerance::Exact).and_then(|()| found.agrees(&expected, Tolerance::Exact));
    assert!(same.is_ok(), "{term:?}\nof {inputs:?}\nis {expected}\nbut was read as {found}");
    Some(())
}

struct At(i64);

impl TypeSubst for At {
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        matches!(v, NatVar::Named(_)).then(|| Nat::constant(self.0))
    }
}

#[test]
fn the_example_of_every_pattern_is_read_as_it_is_interpreted() {
    let mut unread = vec![];
    // How `reduceLocal` groups what it reduces is not read, but where the operator is associative.
    for row in all().iter().filter(|row| row.pattern != Pattern::ReduceLocal) {
        let (text, file) = (row.example.unwrap(), Sources::new().add("example.rise", ""));
        let (tree, _) = syntax::parse_program(file, text);
        let program = infer::program(&tree, None).0.unwrap();
        for size in [1, 2, 3, 4, 7] {
            let term = program.term.map_types(&At(size));
            for (seed, kind) in [(1, inputs::Kind::SmallIntegers), (2, inputs::Kind::Uniform)] {
                let inputs = inputs::for_program(term.ty(), &Sizes::new(), seed, kind).unwrap();
                if naive::run(&term, &Sizes::new(), &inputs, &Limits::TEST).is_ok()
                    && agrees(&term, &inputs).is_none()
                {
                    unread.push(row.names[0]);
                }
            }
        }
    }
    assert!(unread.is_empty(), "{unread:?}");
}

/// Reads random terms; how many of these that have a value could be read to the end.
fn random_terms(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut read, mut all) = (0, 0);
    for seed in seeds {
        let mut draw = Draw::new(seed);
        draw.holes = seed.is_multiple_of(2);
        let term = draw.program(2 + (seed % 4) as u32);
        let inputs =
            inputs::for_program(term.ty(), &Sizes::new(), seed, inputs::Kind::SmallIntegers).unwrap();
        if naive::run(&term, &Sizes::new(), &inputs, &Limits::TEST).is_ok() {
            all += 1;
            read += usize::from(agrees(&term, &inputs).is_some());
        }
    }
    (read, all)
}

#[test]
fn random_terms_are_read_as_they_are_interpreted() {
    let (read, all) = random_terms(0..400);
    assert!(read * 10 >= all * 9, "{read} of {all} were read");
}
