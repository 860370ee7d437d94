//! Cells between the interpreter's memory and a device's.

use crate::device::HostData;
use crate::lang::ty::Scalar;
use crate::lang::value::Buffer;

/// The cells as a device takes them.
pub fn host_data(buffer: &Buffer) -> HostData {
    match buffer.clone() {
        Buffer::Bool(v) => HostData::Bool(v),
        Buffer::I8(v) => HostData::I8(v),
        Buffer::I16(v) => HostData::I16(v),
        Buffer::I32(v) => HostData::I32(v),
        Buffer::I64(v) => HostData::I64(v),
        Buffer::U8(v) | Buffer::Records(v) => HostData::U8(v),
        Buffer::U16(v) => HostData::U16(v),
        Buffer::U32(v) => HostData::U32(v),
        Buffer::U64(v) => HostData::U64(v),
        Buffer::F16(v) => HostData::F16(v),
        Buffer::F32(v) => HostData::F32(v),
        Buffer::F64(v) => HostData::F64(v),
    }
}

/// The cells that a device gave.
pub fn buffer(data: &HostData) -> Buffer {
    match data.clone() {
        HostData::Bool(v) => Buffer::Bool(v),
        HostData::I8(v) => Buffer::I8(v),
        HostData::I16(v) => Buffer::I16(v),
        HostData::I32(v) => Buffer::I32(v),
        HostData::I64(v) => Buffer::I64(v),
        HostData::U8(v) => Buffer::U8(v),
        HostData::U16(v) => Buffer::U16(v),
        HostData::U32(v) => Buffer::U32(v),
        HostData::U64(v) => Buffer::U64(v),
        HostData::F16(v) => Buffer::F16(v),
        HostData::F32(v) => Buffer::F32(v),
        HostData::F64(v) => Buffer::F64(v),
    }
}

/// Floats at the width of the type; other cells as they are.
pub fn at_width(data: HostData, elem: Scalar) -> HostData {
    if data.elem() != elem && data.elem().is_float() && elem.is_float() { data.as_floats(elem) } else { data }
}
