//! Scalars that are equal by laws of arithmetic: both are written into an e-graph (egg) that is saturated with the laws
//! of their types, and are equal if they end in one class.
//!
//! The laws are those that the interpreter's arithmetic has. Integers wrap, so they are a ring; of floats only what holds
//! of every value, not-a-number and both zeros included. Operations that may fail are not looked into. A law that loses a
//! value, as `x - x = 0` does, is used where that hides no failure: the right side has no other values than the left.

use super::equal::Asked;
use super::meaning::Reader;
use super::value::{Neutral, Value};
use crate::lang::literal::Literal;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Scalar, Type};
use egg::{EGraph, Id, Rewrite, Runner, SymbolLang};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// The most nodes, and rounds of all laws. A clock says nothing: what is proved is proved everywhere.
const NODES: usize = 4_000;
const ROUNDS: usize = 12;

/// Laws of commutative operations, `OP` on `T`.
const COMMUTES: &[(&str, &str)] = &[("(OP:T ?a ?b)", "(OP:T ?b ?a)")];
/// And of associative ones.
const ASSOCIATES: &[(&str, &str)] = &[
    ("(OP:T ?a (OP:T ?b ?c))", "(OP:T (OP:T ?a ?b) ?c)"),
    ("(OP:T (OP:T ?a ?b) ?c)", "(OP:T ?a (OP:T ?b ?c))"),
];
const IDEMPOTENT: &[(&str, &str)] = &[("(OP:T ?a ?a)", "?a")];

/// Of all numbers, floats as they are.
const NUMBERS: &[(&str, &str)] = &[
    ("(Mul:T ?a 1:T)", "?a"),
    ("(Sub:T ?a ?b)", "(Add:T ?a (Neg:T ?b))"),
    ("(Add:T ?a (Neg:T ?b))", "(Sub:T ?a ?b)"),
    ("(Neg:T (Neg:T ?a))", "?a"),
    ("(Lt:T ?a ?b)", "(Gt:T ?b ?a)"),
    ("(Gt:T ?a ?b)", "(Lt:T ?b ?a)"),
    ("(Le:T ?a ?b)", "(Ge:T ?b ?a)"),
    ("(Ge:T ?a ?b)", "(Le:T ?b ?a)"),
];
/// Of integers.
const RING: &[(&str, &str)] = &[
    ("(Add:T ?a 0:T)", "?a"),
    ("(Neg:T ?a)", "(Mul:T -1:T ?a)"),
    ("(Mul:T -1:T ?a)", "(Neg:T ?a)"),
    ("(Mul:T ?a (Add:T ?b ?c))", "(Add:T (Mul:T ?a ?b) (Mul:T ?a ?c))"),
    ("(Add:T (Mul:T ?a ?b) (Mul:T ?a ?c))", "(Mul:T ?a (Add:T ?b ?c))"),
    ("(Add:T ?a ?a)", "(Mul:T 2:T ?a)"),
    ("(Mul:T 2:T ?a)", "(Add:T ?a ?a)"),
];
/// Of an order in which all can be compared.
const ORDER: &[(&str, &str)] = &[
    ("(Not:bool (Lt:T ?a ?b))", "(Ge:T ?a ?b)"),
    ("(Not:bool (Ge:T ?a ?b))", "(Lt:T ?a ?b)"),
    ("(Not:bool (Gt:T ?a ?b))", "(Le:T ?a ?b)"),
    ("(Not:bool (Le:T ?a ?b))", "(Gt:T ?a ?b)"),
];
const EQUALITY: &[(&str, &str)] = &[
    ("(Not:bool (Equal:T ?a ?b))", "(NotEqual:T ?a ?b)"),
    ("(Not:bool (NotEqual:T ?a ?b))", "(Equal:T ?a ?b)"),
];
const TRUTH: &[(&str, &str)] = &[
    ("(Not:bool (Not:bool ?a))", "?a"),
    ("(Not:bool true:bool)", "false:bool"),
    ("(Not:bool false:bool)", "true:bool"),
];
/// Laws whose right side has lost a value.
const LOSING: &[(&str, &str)] = &[("(Mul:T ?a 0:T)", "0:T"), ("(Sub:T ?a ?a)", "0:T")];
impl Reader {
    /// Are both the same by the laws of arithmetic?
    pub fn by_laws(&self, left: &Value, right: &Value, ty: &Type, asked: Asked) -> bool {
        let mut terms = Terms {
            reader: self,
            graph: EGraph::default(),
            atoms: vec![],
            types: BTreeSet::new(),
            seen: BTreeSet::new(),
        };
        let Some(a) = terms.write(left, ty) else { return false };
        let on_the_left = std::mem::take(&mut terms.seen);
        let Some(b) = terms.write(right, ty) else { return false };
        // Without an operation there is no law to use.
        if terms.types.is_empty() {
            return false;
        }
        let may_lose = match asked {
            Asked::Refines => terms.seen.is_subset(&on_the_left),
            Asked::Same => terms.seen == on_the_left,
        };
        let laws = laws(&terms.types, self.0.reassociates, may_lose);
        let same = move |graph: &EGraph<SymbolLang, ()>| graph.find(a) == graph.find(b);
        let runner = Runner::default()
            .with_egraph(terms.graph)
            .with_node_limit(NODES)
            .with_iter_limit(ROUNDS)
            .with_time_limit(Duration::MAX)
            .with_hook(move |runner| if same(&runner.egraph) { Err("both are one".into()) } else { Ok(()) })
            .run(&laws);
        let proved = same(&runner.egraph);
        if proved {
            self.0.used("laws of arithmetic".to_owned());
        }
        proved
    }
}

/// What is written into the e-graph.
struct Terms<'a> {
    reader: &'a Reader,
    graph: EGraph<SymbolLang, ()>,
    /// Values of which no law speaks, each once.
    atoms: Vec<Rc<Neutral>>,
    /// The types that operations are on.
    types: BTreeSet<Scalar>,
    /// The values of one side, by their numbers.
    seen: BTreeSet<usize>,
}

impl Terms<'_> {
    fn write(&mut self, v: &Value, ty: &Type) -> Option<Id> {
        ty.as_scalar()?;
        if !self.reader.0.step() {
            return None;
        }
        let Value::Unknown(n) = self.reader.forced(v) else { return None };
        if let Neutral::Operation(o) = &*n
            && let Some(scalar) = o.params.first().and_then(Type::as_scalar)
            && speaks_of(o.pattern, scalar)
        {
            let parts: Option<Vec<Id>> =
                o.operands.iter().zip(&o.params).map(|(v, t)| self.write(v, t)).collect();
            self.types.insert(scalar);
            return Some(
                self.graph.add(SymbolLang::new(format!("{:?}:{}", o.pattern, scalar.name()), parts?)),
            );
        }
        if let Neutral::Literal(l) = &*n {
            return Some(self.graph.add(SymbolLang::leaf(literal(l))));
        }
        let known = self.atoms.iter().position(|atom| self.reader.neutral(atom, &n));
        let at = known.unwrap_or(self.atoms.len());
        if known.is_none() {
            self.atoms.push(n);
        }
        self.seen.insert(at);
        Some(self.graph.add(SymbolLang::leaf(format!("value{at}"))))
    }
}

/// Operations that laws are known of; none of them fails. `and` and `or` are choices (`meaning`), for they do not always
/// look at their second operand.
fn speaks_of(p: Pattern, scalar: Scalar) -> bool {
    use Pattern as P;
    match p {
        P::Not => scalar == Scalar::Bool,
        P::Add | P::Sub | P::Mul | P::Neg | P::Lt | P::Le | P::Gt | P::Ge | P::Equal | P::NotEqual => true,
        P::Min | P::Max | P::BitAnd | P::BitOr | P::BitXor => scalar.is_integer(),
        _ => false,
    }
}

/// One spelling for each value of a type.
fn literal(l: &Literal) -> String {
    match l {
        Literal::Bool(b) => format!("{b}:bool"),
        // The greatest number of an unsigned type is what -1 wraps to.
        Literal::Int(v, s) if !s.is_signed_integer() && *v == s.extremes().1 => format!("-1:{}", s.name()),
        Literal::Int(v, s) => format!("{v}:{}", s.name()),
        Literal::Float(bits, s) if f64::from_bits(*bits) == 1.0 => format!("1:{}", s.name()),
        Literal::Float(bits, s) => format!("bits{bits:x}:{}", s.name()),
        Literal::Nat(n) => format!("nat {n}"),
        Literal::Index(i, n) => format!("index {i} of {n}"),
    }
}

/// The laws of these types.
fn laws(types: &BTreeSet<Scalar>, reassociates: bool, may_lose: bool) -> Vec<Rewrite<SymbolLang, ()>> {
    let mut all = vec![];
    for scalar in types {
        let mut take = |op: &str, laws: &[(&str, &str)]| {
            for (left, right) in laws {
                let text = |side: &str| side.replace("OP", op).replace(":T", &format!(":{}", scalar.name()));
                let (left, right) = (text(left), text(right));
                all.extend(law(&left, &right));
            }
        };
        if *scalar == Scalar::Bool {
            take("", TRUTH);
        } else {
            take("", NUMBERS);
            ["Add", "Mul"].iter().for_each(|op| take(op, COMMUTES));
            if scalar.is_integer() || reassociates {
                ["Add", "Mul"].iter().for_each(|op| take(op, ASSOCIATES));
            }
        }
        if scalar.is_integer() {
            take("", RING);
            take("", ORDER);
            for op in ["Min", "Max", "BitAnd", "BitOr"] {
                [COMMUTES, ASSOCIATES, IDEMPOTENT].iter().for_each(|laws| take(op, laws));
            }
            [COMMUTES, ASSOCIATES].iter().for_each(|laws| take("BitXor", laws));
            if may_lose {
                take("", LOSING);
            }
        }
        ["Equal", "NotEqual"].iter().for_each(|op| take(op, COMMUTES));
        take("", EQUALITY);
    }
    all
}

/// A law from its two sides; the table's are well-formed, as a test says.
fn law(left: &str, right: &str) -> Option<Rewrite<SymbolLang, ()>> {
    let pattern = |side: &str| side.parse::<egg::Pattern<SymbolLang>>().ok();
    Rewrite::new(format!("{left} = {right}"), pattern(left)?, pattern(right)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_can_be_read() {
        let types: BTreeSet<Scalar> = [Scalar::Bool, Scalar::I8, Scalar::F32].into();
        let per_integer = NUMBERS.len() + RING.len() + ORDER.len() + EQUALITY.len() + LOSING.len();
        let operators = 2 * 3 + 4 * 4 + 3 + 2;
        let floats = NUMBERS.len() + 2 + 2 + EQUALITY.len();
        let truth = TRUTH.len() + 2 + EQUALITY.len();
        assert_eq!(laws(&types, false, true).len(), per_integer + operators + floats + truth);
    }
}
