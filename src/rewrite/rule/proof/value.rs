//! What a side of a rule means at symbolic sizes and indices.

use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Type, TypeKind};
use crate::rule::pat::PatArg;
use std::rc::Rc;

pub(super) type Function = Rc<dyn Fn(Value) -> Value>;
pub(super) type Elements = Rc<dyn Fn(&Nat) -> Value>;
pub(super) type Step = Rc<dyn Fn(Value, &Nat) -> Value>;

#[derive(Clone)]
pub(super) enum Value {
    Function(Function),
    Pair(Rc<(Value, Value)>),
    /// The elements of an array, or the lanes of a vector, by index.
    Array(Elements),
    /// An index, or a size as a value.
    Nat(Nat),
    /// What nothing more is known of.
    Unknown(Rc<Neutral>),
    /// What `padEmpty` leaves.
    Undefined,
    /// What the prover cannot read: equal to nothing, not even to itself.
    Stuck,
    Cases(Rc<Cases>),
}

/// A value that depends on whether a number is at least zero.
pub(super) struct Cases {
    pub natural: Nat,
    pub then: Rc<dyn Fn() -> Value>,
    pub otherwise: Rc<dyn Fn() -> Value>,
}

/// A value that cannot be computed further.
pub(super) enum Neutral {
    Symbol(Symbol),
    /// The variable of this number that a comparison made up.
    Fresh(u32),
    Apply(Rc<Neutral>, Type, Value),
    At(Rc<Neutral>, Nat),
    First(Rc<Neutral>),
    Second(Rc<Neutral>),
    Literal(Literal),
    Operation(Operation),
    Fold(Fold),
}

/// A variable of the rule, given what the binders of its scope are.
#[derive(Clone)]
pub(super) struct Symbol {
    pub variable: usize,
    pub role: Role,
    pub scope: Vec<Value>,
}

/// Which function of the variable is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Itself,
    /// The `h` of an operator that is `\a y. a + h y`.
    Addend,
    /// What a lanewise function does in each lane.
    Lane,
}

/// A pattern of which nothing is known but that it is a function of its arguments.
pub(super) struct Operation {
    pub pattern: Pattern,
    pub args: Vec<PatArg>,
    pub params: Vec<Type>,
    pub result: Type,
    pub operands: Vec<Value>,
}

/// `start`, and then the step at each index below the length in turn.
#[derive(Clone)]
pub(super) struct Fold {
    pub length: Nat,
    pub start: Value,
    pub step: Step,
    /// The type of what is accumulated.
    pub ty: Type,
}

impl Value {
    pub fn function(f: impl Fn(Value) -> Value + 'static) -> Value {
        Value::Function(Rc::new(f))
    }
    pub fn array(at: impl Fn(&Nat) -> Value + 'static) -> Value {
        Value::Array(Rc::new(at))
    }
    pub fn pair(a: Value, b: Value) -> Value {
        Value::Pair(Rc::new((a, b)))
    }
    pub fn literal(l: Literal) -> Value {
        Value::Unknown(Rc::new(Neutral::Literal(l)))
    }
    pub fn cases(
        natural: Nat,
        then: impl Fn() -> Value + 'static,
        otherwise: impl Fn() -> Value + 'static,
    ) -> Value {
        Value::Cases(Rc::new(Cases { natural, then: Rc::new(then), otherwise: Rc::new(otherwise) }))
    }

    /// What a function makes of the value, in each case; of what is undefined nothing is defined.
    pub fn through(&self, f: impl Fn(&Value) -> Value + 'static) -> Value {
        self.each(Rc::new(f))
    }

    fn each(&self, f: Rc<dyn Fn(&Value) -> Value>) -> Value {
        match self {
            Value::Undefined => Value::Undefined,
            Value::Stuck => Value::Stuck,
            Value::Cases(c) => {
                let (a, b, f1, f2) = (c.clone(), c.clone(), f.clone(), f);
                Value::cases(
                    c.natural.clone(),
                    move || (a.then)().each(f1.clone()),
                    move || (b.otherwise)().each(f2.clone()),
                )
            }
            known => f(known),
        }
    }

    /// The function's value; none where no function stands.
    pub fn apply(&self, x: Value) -> Value {
        match self {
            Value::Function(f) => f(x),
            other => other.through(move |f| match f {
                Value::Function(f) => f(x.clone()),
                _ => Value::Stuck,
            }),
        }
    }

    pub fn at(&self, i: &Nat) -> Value {
        let i = i.clone();
        match self {
            Value::Array(at) => at(&i),
            other => other.through(move |xs| match xs {
                Value::Array(at) => at(&i),
                Value::Unknown(n) => Value::Unknown(Rc::new(Neutral::At(n.clone(), i.clone()))),
                _ => Value::Stuck,
            }),
        }
    }

    pub fn first(&self) -> Value {
        self.through(|p| match p {
            Value::Pair(p) => p.0.clone(),
            Value::Unknown(n) => Value::Unknown(Rc::new(Neutral::First(n.clone()))),
            _ => Value::Stuck,
        })
    }

    pub fn second(&self) -> Value {
        self.through(|p| match p {
            Value::Pair(p) => p.1.clone(),
            Value::Unknown(n) => Value::Unknown(Rc::new(Neutral::Second(n.clone()))),
            _ => Value::Stuck,
        })
    }
}

impl Operation {
    /// What an operation chooses by, of which nothing is known: the index of `idx`, the condition of `select`.
    pub fn chooser(&self) -> Option<&Rc<Neutral>> {
        match (self.pattern, self.operands.first()) {
            (Pattern::Idx | Pattern::Select, Some(Value::Unknown(n))) => Some(n),
            _ => None,
        }
    }
}

impl Neutral {
    /// The value of this type that it is: a function by its values, a pair by its components, an array by its elements.
    pub fn value(self, ty: &Type) -> Value {
        let this = Rc::new(self);
        match ty.kind() {
            TypeKind::Fun(a, b) => {
                let (a, b) = (a.clone(), b.clone());
                Value::function(move |x| Neutral::Apply(this.clone(), a.clone(), x).value(&b))
            }
            TypeKind::Pair(a, b) => {
                Value::pair(Neutral::First(this.clone()).value(a), Neutral::Second(this).value(b))
            }
            TypeKind::Array(_, t) | TypeKind::Vector(_, t) => {
                let t = t.clone();
                Value::array(move |i| Neutral::At(this.clone(), i.clone()).value(&t))
            }
            _ => Value::Unknown(this),
        }
    }
}
