//! Values flat in memory, as kernels see them.
//!
//! Arrays are row-major, vectors are their lanes one after the other, and an array of pairs is an array of C
//! structs: the components of one element lie side by side. Where all scalars of the element type are of one type
//! (always so without pairs) the memory is a typed vector, otherwise [`Buffer::Records`] holds the bytes with the
//! padding that C adds. `natType` and `idx[n]` are C's `int`; `bool` is one byte; `f16` is its bits.

use super::{Value, eval_nat, half, wrap};
use crate::diag::Diagnostic;
use crate::eval::{Sizes, failure};
use crate::ty::{Scalar, Type, TypeKind};

/// Flat memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Buffer {
    Bool(Vec<bool>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    /// The bits of halves.
    F16(Vec<u16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// Elements with scalars of several types: bytes, little-endian, laid out as C structs.
    Records(Vec<u8>),
}

/// Runs one expression for whichever vector a buffer holds.
#[macro_export]
#[doc(hidden)]
macro_rules! each_buffer {
    ($data:expr, $vec:ident => $body:expr) => {
        match $data {
            $crate::value::Buffer::Bool($vec) => $body,
            $crate::value::Buffer::I8($vec) => $body,
            $crate::value::Buffer::I16($vec) => $body,
            $crate::value::Buffer::I32($vec) => $body,
            $crate::value::Buffer::I64($vec) => $body,
            $crate::value::Buffer::U8($vec) => $body,
            $crate::value::Buffer::U16($vec) => $body,
            $crate::value::Buffer::U32($vec) => $body,
            $crate::value::Buffer::U64($vec) => $body,
            $crate::value::Buffer::F16($vec) => $body,
            $crate::value::Buffer::F32($vec) => $body,
            $crate::value::Buffer::F64($vec) => $body,
            $crate::value::Buffer::Records($vec) => $body,
        }
    };
}

/// One scalar of an element in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub scalar: Scalar,
    /// Bytes from the start of the element.
    pub offset: usize,
}

/// How the element of an array lies in memory.
///
/// Leaves are listed in order; arrays and vectors within the element have all theirs, so an element type should be
/// what is left when the outer array dimensions are taken off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    pub leaves: Vec<Leaf>,
    /// Bytes of the element with its padding.
    pub size: usize,
    pub align: usize,
}

/// Elements of more scalars than this are refused.
const MAX_LEAVES: usize = 1 << 24;

impl Layout {
    /// The layout of a data type at the given sizes.
    ///
    /// # Errors
    /// When a size has no value, the type is no data, or the element is too large.
    pub fn of(ty: &Type, sizes: &Sizes) -> Result<Layout, Diagnostic> {
        let scalar = |scalar: Scalar| Layout {
            leaves: vec![Leaf { scalar, offset: 0 }],
            size: scalar.bytes(),
            align: scalar.bytes(),
        };
        Ok(match ty.kind() {
            TypeKind::Vector(n, t) | TypeKind::Array(n, t) => {
                let n = count(eval_nat(n, sizes).map_err(failure::size)?, ty)?;
                let inner = Layout::of(t, sizes)?;
                if n.checked_mul(inner.leaves.len()).is_none_or(|all| all > MAX_LEAVES) {
                    return Err(failure::too_large(ty));
                }
                let mut leaves = Vec::with_capacity(n * inner.leaves.len());
                for i in 0..n {
                    leaves.extend(
                        inner.leaves.iter().map(|l| Leaf { offset: l.offset + i * inner.size, ..*l }),
                    );
                }
                Layout { leaves, size: n * inner.size, align: inner.align }
            }
            TypeKind::Pair(a, b) => {
                let (a, b) = (Layout::of(a, sizes)?, Layout::of(b, sizes)?);
                let align = a.align.max(b.align);
                let second = a.size.next_multiple_of(b.align);
                let moved = b.leaves.iter().map(|l| Leaf { offset: l.offset + second, ..*l });
                let leaves = a.leaves.iter().copied().chain(moved).collect();
                Layout { leaves, size: (second + b.size).next_multiple_of(align), align }
            }
            _ => scalar(ty.in_memory().ok_or_else(|| failure::no_data(ty))?),
        })
    }

    /// The type of all scalars, where they have one type.
    pub fn uniform(&self) -> Option<Scalar> {
        let first = self.leaves.first()?.scalar;
        self.leaves.iter().all(|l| l.scalar == first).then_some(first)
    }
}

fn count(n: i64, ty: &Type) -> Result<usize, Diagnostic> {
    usize::try_from(n).map_err(|_| failure::negative(n, ty))
}

/// The shape of a type in memory: outer dimensions taken off.
fn element(ty: &Type) -> &Type {
    match ty.kind() {
        TypeKind::Array(_, t) => element(t),
        _ => ty,
    }
}

impl Buffer {
    /// An empty buffer for scalars of the type, with room for `capacity`.
    pub fn with_capacity(scalar: Scalar, capacity: usize) -> Buffer {
        match scalar {
            Scalar::Bool => Buffer::Bool(Vec::with_capacity(capacity)),
            Scalar::I8 => Buffer::I8(Vec::with_capacity(capacity)),
            Scalar::I16 => Buffer::I16(Vec::with_capacity(capacity)),
            Scalar::I32 => Buffer::I32(Vec::with_capacity(capacity)),
            Scalar::I64 => Buffer::I64(Vec::with_capacity(capacity)),
            Scalar::U8 => Buffer::U8(Vec::with_capacity(capacity)),
            Scalar::U16 => Buffer::U16(Vec::with_capacity(capacity)),
            Scalar::U32 => Buffer::U32(Vec::with_capacity(capacity)),
            Scalar::U64 => Buffer::U64(Vec::with_capacity(capacity)),
            Scalar::F16 => Buffer::F16(Vec::with_capacity(capacity)),
            Scalar::F32 => Buffer::F32(Vec::with_capacity(capacity)),
            Scalar::F64 => Buffer::F64(Vec::with_capacity(capacity)),
        }
    }

    /// The type of the scalars; none for records.
    pub fn scalar(&self) -> Option<Scalar> {
        Some(match self {
            Buffer::Bool(_) => Scalar::Bool,
            Buffer::I8(_) => Scalar::I8,
            Buffer::I16(_) => Scalar::I16,
            Buffer::I32(_) => Scalar::I32,
            Buffer::I64(_) => Scalar::I64,
            Buffer::U8(_) => Scalar::U8,
            Buffer::U16(_) => Scalar::U16,
            Buffer::U32(_) => Scalar::U32,
            Buffer::U64(_) => Scalar::U64,
            Buffer::F16(_) => Scalar::F16,
            Buffer::F32(_) => Scalar::F32,
            Buffer::F64(_) => Scalar::F64,
            Buffer::Records(_) => return None,
        })
    }

    /// The number of scalars; for records, of bytes.
    pub fn len(&self) -> usize {
        each_buffer!(self, vec => vec.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The scalar at `index` as a value; none outside, and for records.
    pub fn get(&self, index: usize) -> Option<Value> {
        let int = |v: i128, s: Scalar| Value::Int(v, s);
        Some(match self {
            Buffer::Bool(v) => Value::Bool(*v.get(index)?),
            Buffer::I8(v) => int((*v.get(index)?).into(), Scalar::I8),
            Buffer::I16(v) => int((*v.get(index)?).into(), Scalar::I16),
            Buffer::I32(v) => int((*v.get(index)?).into(), Scalar::I32),
            Buffer::I64(v) => int((*v.get(index)?).into(), Scalar::I64),
            Buffer::U8(v) => int((*v.get(index)?).into(), Scalar::U8),
            Buffer::U16(v) => int((*v.get(index)?).into(), Scalar::U16),
            Buffer::U32(v) => int((*v.get(index)?).into(), Scalar::U32),
            Buffer::U64(v) => int((*v.get(index)?).into(), Scalar::U64),
            Buffer::F16(v) => Value::F16(half::from_bits(*v.get(index)?)),
            Buffer::F32(v) => Value::F32(*v.get(index)?),
            Buffer::F64(v) => Value::F64(*v.get(index)?),
            Buffer::Records(_) => return None,
        })
    }

    /// Appends a scalar; what is not of the buffer's type, or undefined, becomes zero.
    pub fn push(&mut self, value: &Value) {
        let int = match value {
            Value::Int(v, _) => *v,
            Value::Nat(v) => (*v).into(),
            Value::Bool(b) => (*b).into(),
            _ => 0,
        };
        match self {
            Buffer::Bool(v) => v.push(int != 0),
            Buffer::I8(v) => v.push(int as i8),
            Buffer::I16(v) => v.push(int as i16),
            Buffer::I32(v) => v.push(int as i32),
            Buffer::I64(v) => v.push(int as i64),
            Buffer::U8(v) => v.push(int as u8),
            Buffer::U16(v) => v.push(int as u16),
            Buffer::U32(v) => v.push(int as u32),
            Buffer::U64(v) => v.push(int as u64),
            Buffer::F16(v) => v.push(if let Value::F16(x) = value { half::to_bits(*x) } else { 0 }),
            Buffer::F32(v) => v.push(if let Value::F32(x) = value { *x } else { 0.0 }),
            Buffer::F64(v) => v.push(if let Value::F64(x) = value { *x } else { 0.0 }),
            Buffer::Records(_) => {}
        }
    }
}

fn read_leaf(bytes: &[u8], scalar: Scalar) -> Option<Value> {
    let int = |v: i128| Some(Value::Int(v, scalar));
    match scalar {
        Scalar::Bool => Some(Value::Bool(*bytes.first()? != 0)),
        Scalar::I8 => int(i8::from_le_bytes(bytes.try_into().ok()?).into()),
        Scalar::I16 => int(i16::from_le_bytes(bytes.try_into().ok()?).into()),
        Scalar::I32 => int(i32::from_le_bytes(bytes.try_into().ok()?).into()),
        Scalar::I64 => int(i64::from_le_bytes(bytes.try_into().ok()?).into()),
        Scalar::U8 => int(u8::from_le_bytes(bytes.try_into().ok()?).into()),
        Scalar::U16 => int(u16::from_le_bytes(bytes.try_into().ok()?).into()),
        Scalar::U32 => int(u32::from_le_bytes(bytes.try_into().ok()?).into()),
        Scalar::U64 => int(u64::from_le_bytes(bytes.try_into().ok()?).into()),
        Scalar::F16 => Some(Value::F16(half::from_bits(u16::from_le_bytes(bytes.try_into().ok()?)))),
        Scalar::F32 => Some(Value::F32(f32::from_le_bytes(bytes.try_into().ok()?))),
        Scalar::F64 => Some(Value::F64(f64::from_le_bytes(bytes.try_into().ok()?))),
    }
}

fn write_leaf(out: &mut [u8], value: &Value, scalar: Scalar) {
    let bytes: [u8; 8] = match value {
        Value::Bool(b) => u64::from(*b).to_le_bytes(),
        Value::Int(v, _) => (wrap(*v, scalar) as u64).to_le_bytes(),
        Value::Nat(v) => v.to_le_bytes(),
        Value::F16(v) => u64::from(half::to_bits(*v)).to_le_bytes(),
        Value::F32(v) => u64::from(v.to_bits()).to_le_bytes(),
        Value::F64(v) => v.to_bits().to_le_bytes(),
        _ => [0; 8],
    };
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = from;
    }
}

impl Value {
    /// Reads a value of the type from flat memory.
    ///
    /// # Errors
    /// When the memory is not that of a value of the type at the given sizes.
    pub fn from_flat(ty: &Type, buffer: &Buffer, sizes: &Sizes) -> Result<Value, Diagnostic> {
        let layout = Layout::of(element(ty), sizes)?;
        let cells = cells(ty, sizes)?;
        let expected = match (layout.uniform(), layout.leaves.is_empty()) {
            (_, true) => 0,
            (Some(s), _) if buffer.scalar() == Some(s) => cells * layout.leaves.len(),
            (None, _) if buffer.scalar().is_none() => cells * layout.size,
            _ => return Err(failure::wrong_buffer(ty, buffer)),
        };
        if buffer.len() != expected {
            return Err(failure::wrong_length(ty, buffer.len(), expected));
        }
        let mut reader = Reader { layout: &layout, buffer, sizes, at: 0 };
        reader.value(ty)
    }

    /// The value, flat in memory; undefined cells become zero. `ty` is the value's type.
    ///
    /// # Errors
    /// When this is no value of the type at the given sizes.
    pub fn to_flat(&self, ty: &Type, sizes: &Sizes) -> Result<Buffer, Diagnostic> {
        let layout = Layout::of(element(ty), sizes)?;
        let cells = cells(ty, sizes)?;
        if !self.fits(ty, sizes) {
            return Err(failure::no_value_of(ty));
        }
        let mut scalars = vec![];
        self.for_each_scalar(&mut |v| scalars.push(v.clone()));
        if let Some(scalar) = layout.uniform() {
            let mut out = Buffer::with_capacity(scalar, scalars.len());
            scalars.iter().for_each(|v| out.push(v));
            return Ok(out);
        }
        let mut bytes = vec![0u8; cells * layout.size];
        if !layout.leaves.is_empty() {
            for (i, value) in scalars.iter().enumerate() {
                let leaf = layout.leaves[i % layout.leaves.len()];
                let start = i / layout.leaves.len() * layout.size + leaf.offset;
                write_leaf(&mut bytes[start..start + leaf.scalar.bytes()], value, leaf.scalar);
            }
        }
        Ok(Buffer::Records(bytes))
    }

    /// Calls `f` for every scalar, in the order of memory.
    pub fn for_each_scalar(&self, f: &mut dyn FnMut(&Value)) {
        match self {
            Value::Pair(p) => {
                p.0.for_each_scalar(f);
                p.1.for_each_scalar(f);
            }
            Value::Vector(c) | Value::Array(c) => c.iter().for_each(|v| v.for_each_scalar(f)),
            scalar => f(scalar),
        }
    }
}

/// The number of elements in the outer array dimensions.
fn cells(ty: &Type, sizes: &Sizes) -> Result<usize, Diagnostic> {
    match ty.kind() {
        TypeKind::Array(n, t) => {
            let n = count(eval_nat(n, sizes).map_err(failure::size)?, ty)?;
            n.checked_mul(cells(t, sizes)?).filter(|c| *c < 1 << 40).ok_or_else(|| failure::too_large(ty))
        }
        _ => Ok(1),
    }
}

struct Reader<'a> {
    layout: &'a Layout,
    buffer: &'a Buffer,
    sizes: &'a Sizes,
    /// The next scalar, counted over all elements.
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, ty: &Type) -> Result<Value, Diagnostic> {
        Ok(match ty.kind() {
            TypeKind::Pair(a, b) => {
                let a = self.value(a)?;
                Value::pair(a, self.value(b)?)
            }
            TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
                let n = count(eval_nat(n, self.sizes).map_err(failure::size)?, ty)?;
                let cells = (0..n).map(|_| self.value(t)).collect::<Result<Vec<_>, _>>()?;
                if ty.as_vector().is_some() { Value::vector(cells) } else { Value::array(cells) }
            }
            _ => {
                let per_element = self.layout.leaves.len().max(1);
                let value = match self.buffer {
                    Buffer::Records(bytes) => {
                        let leaf = self.layout.leaves.get(self.at % per_element);
                        leaf.and_then(|leaf| {
                            let start = self.at / per_element * self.layout.size + leaf.offset;
                            read_leaf(bytes.get(start..start + leaf.scalar.bytes())?, leaf.scalar)
                        })
                    }
                    typed => typed.get(self.at),
                };
                self.at += 1;
                let value = value.ok_or_else(|| failure::no_value_of(ty))?;
                match (value, ty.kind()) {
                    (Value::Int(v, _), TypeKind::NatType | TypeKind::Index(_)) => Value::Nat(v as i64),
                    (value, _) => value,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nat::Nat;

    fn sizes() -> Sizes {
        [("n".into(), 2)].into_iter().collect()
    }

    #[test]
    fn pairs_of_one_type_are_interleaved() {
        let ty =
            Type::array(Nat::var("n"), Type::pair(Type::f32(), Type::array(Nat::constant(2), Type::f32())));
        let flat = Buffer::F32(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let value = Value::from_flat(&ty, &flat, &sizes()).unwrap();
        assert_eq!(value.to_string(), "[(1.0, [2.0, 3.0]), (4.0, [5.0, 6.0])]");
        assert_eq!(value.to_flat(&ty, &sizes()).unwrap(), flat);
    }

    #[test]
    fn pairs_of_several_types_are_c_structs() {
        let s = Type::scalar;
        let ty =
            Type::array(Nat::var("n"), Type::pair(s(Scalar::I8), Type::pair(s(Scalar::F64), s(Scalar::U16))));
        let layout = Layout::of(element(&ty), &sizes()).unwrap();
        let offsets: Vec<usize> = layout.leaves.iter().map(|l| l.offset).collect();
        assert_eq!((offsets, layout.size, layout.align), (vec![0, 8, 16], 24, 8));
        let row = |a, b, c| {
            Value::pair(Value::Int(a, Scalar::I8), Value::pair(Value::F64(b), Value::Int(c, Scalar::U16)))
        };
        let value = Value::array(vec![row(-1, 0.5, 65535), row(7, -2.0, 1)]);
        let flat = value.to_flat(&ty, &sizes()).unwrap();
        assert_eq!(flat.len(), 48);
        assert_eq!(Value::from_flat(&ty, &flat, &sizes()).unwrap(), value);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let ty = Type::array(Nat::var("n"), Type::f32());
        assert!(Value::from_flat(&ty, &Buffer::F32(vec![1.0]), &sizes()).is_err());
        assert!(Value::from_flat(&ty, &Buffer::F64(vec![1.0, 2.0]), &sizes()).is_err());
        assert!(
            Value::from_flat(&Type::array(Nat::var("m"), Type::f32()), &Buffer::F32(vec![]), &sizes())
                .is_err()
        );
        assert!(Value::F32(1.0).to_flat(&ty, &sizes()).is_err());
        let huge = Type::array(Nat::constant(i64::MAX), Type::array(Nat::constant(4), Type::f32()));
        assert!(Value::from_flat(&huge, &Buffer::F32(vec![]), &sizes()).is_err());
    }
}
