//! Arrays and scalars as they cross the border to a device: flat, row-major, little-endian.
use crate::lang::ty::Scalar;
use crate::lang::value::half;
use std::ops::Range;

/// What memory holds before a kernel has written it: a NaN of our own for floats, `0xAA` bytes otherwise.
///
/// A cell that still holds it after a run was (almost surely) never written.
pub fn poison(scalar: Scalar) -> [u8; 8] {
    match scalar {
        Scalar::F16 => u64::from_le_bytes([0xAA, 0x7E, 0xAA, 0x7E, 0xAA, 0x7E, 0xAA, 0x7E]).to_le_bytes(),
        Scalar::F32 => [0xAA, 0xAA, 0xEA, 0x7F, 0xAA, 0xAA, 0xEA, 0x7F],
        Scalar::F64 => [0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xFA, 0x7F],
        Scalar::Bool => [2; 8],
        _ => [0xAA; 8],
    }
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HostScalar {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    /// The bits of a half.
    F16(u16),
    F32(f32),
    F64(f64),
}

/// A flat array of one element type. Arrays of pairs or vectors are flattened by the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum HostData {
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
}

/// Runs one expression for whichever vector the array holds.
macro_rules! each {
    ($data:expr, $vec:ident => $body:expr) => {
        match $data {
            HostData::Bool($vec) => $body,
            HostData::I8($vec) => $body,
            HostData::I16($vec) => $body,
            HostData::I32($vec) => $body,
            HostData::I64($vec) => $body,
            HostData::U8($vec) => $body,
            HostData::U16($vec) => $body,
            HostData::U32($vec) => $body,
            HostData::U64($vec) => $body,
            HostData::F16($vec) => $body,
            HostData::F32($vec) => $body,
            HostData::F64($vec) => $body,
        }
    };
}

impl HostData {
    pub fn elem(&self) -> Scalar {
        match self {
            HostData::Bool(_) => Scalar::Bool,
            HostData::I8(_) => Scalar::I8,
            HostData::I16(_) => Scalar::I16,
            HostData::I32(_) => Scalar::I32,
            HostData::I64(_) => Scalar::I64,
            HostData::U8(_) => Scalar::U8,
            HostData::U16(_) => Scalar::U16,
            HostData::U32(_) => Scalar::U32,
            HostData::U64(_) => Scalar::U64,
            HostData::F16(_) => Scalar::F16,
            HostData::F32(_) => Scalar::F32,
            HostData::F64(_) => Scalar::F64,
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        each!(self, vec => vec.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the array, as they lie in memory.
    pub fn as_bytes(&self) -> &[u8] {
        each!(self, vec => bytemuck::cast_slice(vec))
    }

    /// The array that the bytes stand for; bytes behind the last whole element are dropped.
    pub fn from_bytes(elem: Scalar, bytes: &[u8]) -> HostData {
        let cells = bytes.get(..bytes.len() / elem.bytes() * elem.bytes()).unwrap_or_default();
        match elem {
            Scalar::Bool => HostData::Bool(cells.iter().map(|byte| *byte != 0).collect()),
            Scalar::I8 => HostData::I8(copied(cells)),
            Scalar::I16 => HostData::I16(copied(cells)),
            Scalar::I32 => HostData::I32(copied(cells)),
            Scalar::I64 => HostData::I64(copied(cells)),
            Scalar::U8 => HostData::U8(copied(cells)),
            Scalar::U16 => HostData::U16(copied(cells)),
            Scalar::U32 => HostData::U32(copied(cells)),
            Scalar::U64 => HostData::U64(copied(cells)),
            Scalar::F16 => HostData::F16(copied(cells)),
            Scalar::F32 => HostData::F32(copied(cells)),
            Scalar::F64 => HostData::F64(copied(cells)),
        }
    }

    /// Floats at another width, rounded to the nearest; what was never written stays so.
    pub fn as_floats(&self, elem: Scalar) -> HostData {
        let poison = u64::from_le_bytes(poison(elem));
        match elem {
            Scalar::F16 => HostData::F16(
                self.floats(|cell| cell.map_or(poison as u16, |x| half::to_bits(half::round_f64(x)))),
            ),
            Scalar::F32 => {
                HostData::F32(self.floats(|cell| cell.map_or(f32::from_bits(poison as u32), |x| x as f32)))
            }
            _ => HostData::F64(self.floats(|cell| cell.unwrap_or(f64::from_bits(poison)))),
        }
    }

    /// Each element by what `f` makes of its value; none where it was never written.
    fn floats<T>(&self, f: impl Fn(Option<f64>) -> T) -> Vec<T> {
        let poison = u64::from_le_bytes(poison(self.elem()));
        match self {
            HostData::F16(vec) => {
                let value = |x: &u16| (*x != poison as u16).then(|| f16_to_f64(*x));
                vec.iter().map(|x| f(value(x))).collect()
            }
            HostData::F32(vec) => {
                let value = |x: &f32| (x.to_bits() != poison as u32).then(|| f64::from(*x));
                vec.iter().map(|x| f(value(x))).collect()
            }
            HostData::F64(vec) => {
                let value = |x: &f64| (x.to_bits() != poison).then_some(*x);
                vec.iter().map(|x| f(value(x))).collect()
            }
            others => {
                let value = |i| others.get(i).map(HostScalar::to_f64);
                (0..others.len()).map(|i| f(value(i))).collect()
            }
        }
    }

    /// Makes the elements look as if no kernel had written them.
    pub fn unwrite(&mut self, indices: &[usize]) {
        let (size, poison) = (self.elem().bytes(), poison(self.elem()));
        self.replace(indices, |_| poison.get(..size));
    }

    /// Takes elements from data of the same type and length.
    pub fn take_from(&mut self, other: &HostData, indices: &[usize]) {
        self.replace(indices, |cell| other.as_bytes().get(cell));
    }

    /// Puts other bytes in the place of elements, where there are any for their bytes' places.
    fn replace<'a>(&mut self, indices: &[usize], by: impl Fn(Range<usize>) -> Option<&'a [u8]>) {
        let (elem, mut bytes) = (self.elem(), self.as_bytes().to_vec());
        for index in indices {
            let cell = index * elem.bytes()..(index + 1) * elem.bytes();
            if let (Some(own), Some(new)) = (bytes.get_mut(cell.clone()), by(cell)) {
                own.copy_from_slice(new);
            }
        }
        *self = HostData::from_bytes(elem, &bytes);
    }

    /// Does the element at `index` look as if no kernel had written it?
    pub fn is_unwritten(&self, index: usize) -> bool {
        let size = self.elem().bytes();
        self.as_bytes().get(index * size..(index + 1) * size) == poison(self.elem()).get(..size)
    }

    /// The element at `index`, where there is one.
    pub fn get(&self, index: usize) -> Option<HostScalar> {
        Some(match self {
            HostData::Bool(vec) => HostScalar::Bool(*vec.get(index)?),
            HostData::I8(vec) => HostScalar::I8(*vec.get(index)?),
            HostData::I16(vec) => HostScalar::I16(*vec.get(index)?),
            HostData::I32(vec) => HostScalar::I32(*vec.get(index)?),
            HostData::I64(vec) => HostScalar::I64(*vec.get(index)?),
            HostData::U8(vec) => HostScalar::U8(*vec.get(index)?),
            HostData::U16(vec) => HostScalar::U16(*vec.get(index)?),
            HostData::U32(vec) => HostScalar::U32(*vec.get(index)?),
            HostData::U64(vec) => HostScalar::U64(*vec.get(index)?),
            HostData::F16(vec) => HostScalar::F16(*vec.get(index)?),
            HostData::F32(vec) => HostScalar::F32(*vec.get(index)?),
            HostData::F64(vec) => HostScalar::F64(*vec.get(index)?),
        })
    }
}

/// Copies bytes (whole elements, of any alignment) into a vector of elements.
fn copied<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    let mut vec = vec![T::zeroed(); bytes.len() / size_of::<T>()];
    bytemuck::cast_slice_mut(&mut vec).copy_from_slice(bytes);
    vec
}

impl HostScalar {
    pub fn elem(self) -> Scalar {
        match self {
            HostScalar::Bool(_) => Scalar::Bool,
            HostScalar::I8(_) => Scalar::I8,
            HostScalar::I16(_) => Scalar::I16,
            HostScalar::I32(_) => Scalar::I32,
            HostScalar::I64(_) => Scalar::I64,
            HostScalar::U8(_) => Scalar::U8,
            HostScalar::U16(_) => Scalar::U16,
            HostScalar::U32(_) => Scalar::U32,
            HostScalar::U64(_) => Scalar::U64,
            HostScalar::F16(_) => Scalar::F16,
            HostScalar::F32(_) => Scalar::F32,
            HostScalar::F64(_) => Scalar::F64,
        }
    }

    /// The value in the first [`Scalar::bytes`] bytes, zeros behind it.
    pub fn to_bytes(self) -> [u8; 8] {
        match self {
            HostScalar::Bool(value) => padded([u8::from(value)]),
            HostScalar::I8(value) => padded(value.to_le_bytes()),
            HostScalar::I16(value) => padded(value.to_le_bytes()),
            HostScalar::I32(value) => padded(value.to_le_bytes()),
            HostScalar::I64(value) => padded(value.to_le_bytes()),
            HostScalar::U8(value) => padded(value.to_le_bytes()),
            HostScalar::U16(value) | HostScalar::F16(value) => padded(value.to_le_bytes()),
            HostScalar::U32(value) => padded(value.to_le_bytes()),
            HostScalar::U64(value) => padded(value.to_le_bytes()),
            HostScalar::F32(value) => padded(value.to_le_bytes()),
            HostScalar::F64(value) => padded(value.to_le_bytes()),
        }
    }

    /// The value as a double; exact for all but the largest 64-bit integers.
    pub fn to_f64(self) -> f64 {
        match self {
            HostScalar::Bool(value) => f64::from(u8::from(value)),
            HostScalar::I8(value) => f64::from(value),
            HostScalar::I16(value) => f64::from(value),
            HostScalar::I32(value) => f64::from(value),
            HostScalar::I64(value) => value as f64,
            HostScalar::U8(value) => f64::from(value),
            HostScalar::U16(value) => f64::from(value),
            HostScalar::U32(value) => f64::from(value),
            HostScalar::U64(value) => value as f64,
            HostScalar::F16(bits) => f16_to_f64(bits),
            HostScalar::F32(value) => f64::from(value),
            HostScalar::F64(value) => value,
        }
    }
}

/// The value of a half, given its bits (IEEE 754 binary16).
fn f16_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let fraction = f64::from(bits & 1023) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

fn padded<const N: usize>(bytes: [u8; N]) -> [u8; 8] {
    let mut all = [0; 8];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = from;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        let data = HostData::F32(vec![1.5, -0.0, f32::MAX]);
        assert_eq!(HostData::from_bytes(Scalar::F32, data.as_bytes()), data);
        assert_eq!(HostData::from_bytes(Scalar::I16, &[1, 0, 255, 255, 9]), HostData::I16(vec![1, -1]));
        assert_eq!(HostData::from_bytes(Scalar::Bool, &[0, 2, 1]), HostData::Bool(vec![false, true, true]));
    }

    #[test]
    fn poison_of_floats_is_not_a_number() {
        for elem in [Scalar::F16, Scalar::F32, Scalar::F64] {
            let data = HostData::from_bytes(elem, &poison(elem));
            for index in 0..data.len() {
                assert!(data.get(index).is_some_and(|value| value.to_f64().is_nan()), "{elem:?}");
            }
        }
    }

    #[test]
    fn halves() {
        for (bits, value) in [
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x0001, 2f64.powi(-24)),
            (0x3555, 0.333251953125),
        ] {
            assert_eq!(f16_to_f64(bits), value);
        }
        assert!(f16_to_f64(0x7C00).is_infinite() && f16_to_f64(0x7C01).is_nan());
    }
}
