//! Types at known sizes, and where values of them are kept: every scalar component in an array of its own.

use super::frame::Index;
use crate::diag::Diagnostic;
use crate::eval::{Sizes, failure};
use crate::ty::{Scalar, Type, TypeKind};
use crate::value::{Value, eval_nat, half};

/// A data type at known sizes. Vectors are arrays here; only results tell them apart.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A scalar; none for natural numbers and indices.
    Number(Option<Scalar>),
    Pair(Box<(Shape, Shape)>),
    Array {
        length: i64,
        element: Box<Shape>,
        vector: bool,
    },
}

impl Shape {
    pub fn of(ty: &Type, sizes: &Sizes) -> Result<Shape, Diagnostic> {
        Ok(match ty.kind() {
            TypeKind::Scalar(s) => Shape::Number(Some(*s)),
            TypeKind::NatType | TypeKind::Index(_) => Shape::Number(None),
            TypeKind::Pair(a, b) => Shape::Pair(Box::new((Shape::of(a, sizes)?, Shape::of(b, sizes)?))),
            TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
                let length = eval_nat(n, sizes).map_err(failure::size)?;
                if length < 0 {
                    return Err(failure::negative(length, ty));
                }
                Shape::Array {
                    length,
                    element: Box::new(Shape::of(t, sizes)?),
                    vector: ty.as_vector().is_some(),
                }
            }
            TypeKind::Fun(..) | TypeKind::Var(_) | TypeKind::Ill => return Err(failure::no_data(ty)),
        })
    }
}

/// The kind of cells that a scalar lives in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellKind {
    F32,
    F64,
    Int,
    Bool,
}

pub fn cell_kind(scalar: Option<Scalar>) -> CellKind {
    match scalar {
        Some(Scalar::F16 | Scalar::F32) => CellKind::F32,
        Some(Scalar::F64) => CellKind::F64,
        Some(Scalar::Bool) => CellKind::Bool,
        _ => CellKind::Int,
    }
}

/// Where a scalar is.
#[derive(Clone, PartialEq, Debug)]
pub enum Home {
    Slot(usize),
    Array(usize, Index),
}

/// Where a value is.
#[derive(Clone, Debug)]
pub enum Place {
    Number {
        scalar: Option<Scalar>,
        home: Home,
        /// Where it says whether the scalar is defined, in programs with undefined cells.
        defined: Option<Home>,
    },
    Pair(Box<(Place, Place)>),
    /// The place of element 0; the others follow.
    Array {
        length: i64,
        element: Box<Place>,
    },
}

impl Place {
    /// The place `i` elements further on; none when positions leave the range of integers.
    pub fn moved(&self, i: &Index) -> Option<Place> {
        let home = |h: &Home| {
            Some(match h {
                Home::Slot(s) => Home::Slot(*s),
                Home::Array(a, at) => Home::Array(*a, at.plus(i)?),
            })
        };
        Some(match self {
            Place::Number { scalar, home: h, defined } => Place::Number {
                scalar: *scalar,
                home: home(h)?,
                defined: match defined {
                    Some(h) => Some(home(h)?),
                    None => None,
                },
            },
            Place::Pair(p) => Place::Pair(Box::new((p.0.moved(i)?, p.1.moved(i)?))),
            Place::Array { length, element } => {
                Place::Array { length: *length, element: Box::new(element.moved(&i.times(*length)?)?) }
            }
        })
    }
}

/// A scalar value as an integer cell.
pub fn int_cell(value: &Value) -> i64 {
    match value {
        Value::Int(v, _) => *v as i64,
        Value::Nat(v) => *v,
        _ => 0,
    }
}

/// An integer cell as a value.
pub fn int_value(cell: i64, scalar: Option<Scalar>) -> Value {
    match scalar {
        None => Value::Nat(cell),
        Some(Scalar::U64) => Value::Int(i128::from(cell as u64), Scalar::U64),
        Some(s) => Value::Int(cell.into(), s),
    }
}

/// An `f32` cell as a value.
pub fn f32_value(cell: f32, scalar: Option<Scalar>) -> Value {
    if scalar == Some(Scalar::F16) { Value::F16(half::round(cell)) } else { Value::F32(cell) }
}
