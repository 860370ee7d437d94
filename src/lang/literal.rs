//! Literals: scalar constants with their type, and numbers below a size.

use super::digest::Bytes;
use super::nat::Nat;
use super::ty::{Scalar, Type};
use std::fmt;

/// A constant. Floats are kept as bits, so that equality is exact and NaN equals itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    Bool(bool),
    /// An integer of the given scalar type, within its range.
    Int(i128, Scalar),
    /// The bits of the value as an `f64`; for `f16` and `f32` the nearest value of that type.
    Float(u64, Scalar),
    /// A constant of type `idx[n]`.
    Index(Nat, Nat),
    /// A size as a value.
    Nat(Nat),
}

impl Literal {
    /// The float `value`, rounded to the scalar type.
    pub fn float(value: f64, scalar: Scalar) -> Literal {
        let value = if scalar == Scalar::F32 { f64::from(value as f32) } else { value };
        Literal::Float(value.to_bits(), scalar)
    }

    /// The number `value` at any numeric scalar type; none when an integer type cannot hold it.
    pub fn number(value: i128, scalar: Scalar) -> Option<Literal> {
        let (lo, hi): (i128, i128) = match scalar {
            Scalar::Bool => return None,
            Scalar::I8 => (i8::MIN.into(), i8::MAX.into()),
            Scalar::I16 => (i16::MIN.into(), i16::MAX.into()),
            Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
            Scalar::I64 => (i64::MIN.into(), i64::MAX.into()),
            Scalar::U8 => (0, u8::MAX.into()),
            Scalar::U16 => (0, u16::MAX.into()),
            Scalar::U32 => (0, u32::MAX.into()),
            Scalar::U64 => (0, u64::MAX.into()),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => return Some(Literal::float(value as f64, scalar)),
        };
        (lo..=hi).contains(&value).then_some(Literal::Int(value, scalar))
    }

    pub fn ty(&self) -> Type {
        match self {
            Literal::Bool(_) => Type::scalar(Scalar::Bool),
            Literal::Int(_, s) | Literal::Float(_, s) => Type::scalar(*s),
            Literal::Index(_, n) => Type::index(n.clone()),
            Literal::Nat(_) => Type::nat_type(),
        }
    }

    /// The sizes in it: of an index itself and what it is below.
    pub fn sizes(&self) -> Vec<&Nat> {
        match self {
            Literal::Index(i, n) => vec![i, n],
            Literal::Nat(n) => vec![n],
            Literal::Bool(_) | Literal::Int(..) | Literal::Float(..) => vec![],
        }
    }

    /// The literal with other sizes.
    pub fn map_sizes(&self, f: &dyn Fn(&Nat) -> Nat) -> Literal {
        match self {
            Literal::Index(i, n) => Literal::Index(f(i), f(n)),
            Literal::Nat(n) => Literal::Nat(f(n)),
            Literal::Bool(_) | Literal::Int(..) | Literal::Float(..) => self.clone(),
        }
    }

    /// Does a size in it have an unknown?
    pub fn has_metas(&self) -> bool {
        self.sizes().into_iter().any(Nat::has_metas)
    }

    pub(super) fn canonical_bytes(&self, out: &mut Bytes) {
        match self {
            Literal::Bool(b) => out.extend([0, u8::from(*b)]),
            Literal::Int(v, s) => {
                out.extend([1, *s as u8]);
                out.extend_from_slice(&v.to_le_bytes());
            }
            Literal::Float(bits, s) => {
                out.extend([2, *s as u8]);
                out.extend_from_slice(&bits.to_le_bytes());
            }
            Literal::Index(i, n) => {
                out.push(3);
                i.canonical_bytes(out);
                n.canonical_bytes(out);
            }
            Literal::Nat(n) => {
                out.push(4);
                n.canonical_bytes(out);
            }
        }
    }
}

/// Prints the literal so that the parser reads the same one back: integers carry their type, floats do unless they are
/// `f32`, and every float shows that it is one.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Bool(b) => write!(f, "{b}"),
            Literal::Int(v, s) => write!(f, "{v}{}", s.name()),
            Literal::Float(bits, s) => {
                let v = f64::from_bits(*bits);
                if *s == Scalar::F32 {
                    write!(f, "{:?}", v as f32)?
                } else {
                    write!(f, "{v:?}")?
                }
                if *s == Scalar::F32 { Ok(()) } else { write!(f, "{}", s.name()) }
            }
            Literal::Index(i, n) => write!(f, "(natAsIndex {} {})", n.as_atom_text(), i.as_atom_text()),
            Literal::Nat(n) => write!(f, "{n}"),
        }
    }
}
