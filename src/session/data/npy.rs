//! NumPy's format for one array (NEP 1).

use super::{Array, Refusal};
use crate::device::{Elem, HostData};
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder};
use std::io;

/// The names of NumPy, as in `np.float32`, and of the format, as in `<f4`.
const NAMES: [(Elem, &str, &str); 12] = [
    (Elem::Bool, "bool_", "|b1"),
    (Elem::I8, "int8", "|i1"),
    (Elem::I16, "int16", "<i2"),
    (Elem::I32, "int32", "<i4"),
    (Elem::I64, "int64", "<i8"),
    (Elem::U8, "uint8", "|u1"),
    (Elem::U16, "uint16", "<u2"),
    (Elem::U32, "uint32", "<u4"),
    (Elem::U64, "uint64", "<u8"),
    (Elem::F16, "float16", "<f2"),
    (Elem::F32, "float32", "<f4"),
    (Elem::F64, "float64", "<f8"),
];

fn elem_of(ty: &TypeStr) -> Option<Elem> {
    let kind = match ty.type_char() {
        TypeChar::Bool => 'b',
        TypeChar::Int => 'i',
        TypeChar::Uint => 'u',
        TypeChar::Float => 'f',
        _ => return None,
    };
    let name = format!("{kind}{}", ty.size_field());
    NAMES.iter().find(|(_, _, known)| known.get(1..) == Some(name.as_str())).map(|(elem, ..)| *elem)
}

/// Reads an array of this element type; either order of bytes, and either order of dimensions.
pub(super) fn read(bytes: &[u8], elem: Elem) -> Result<Array, Refusal> {
    let mut rest = bytes;
    let header = NpyHeader::from_reader(&mut rest).map_err(|_| {
        Refusal::new("E0912", "it is no array of NumPy, or its head is damaged")
            .hint("`np.save(\"array.npy\", a)` writes one; `np.savez` writes archives, which are not read.")
    })?;
    let DType::Plain(ty) = header.dtype() else {
        return Err(Refusal::new("E0913", "its cells are records")
            .hint("Save each field by itself, and give one file for each component."));
    };
    let found = elem_of(&ty).ok_or_else(|| {
        let hint = format!("`a.astype(np.{})` makes it fit, where that makes sense.", numpy(elem));
        Refusal::new("E0913", format!("its cells are of NumPy's type `{ty}`, which programs do not have"))
            .hint(hint)
    })?;
    if found != elem {
        let why = format!("its cells are {} and not {}", found.name(), elem.name());
        return Err(Refusal::new("E0913", why)
            .hint(format!("In NumPy, `a.astype(np.{})` makes it fit.", numpy(elem))));
    }
    let shape: Option<Vec<usize>> = header.shape().iter().map(|n| usize::try_from(*n).ok()).collect();
    let count = shape.as_ref().and_then(|s| s.iter().try_fold(1usize, |n, d| n.checked_mul(*d)));
    let (Some(shape), Some(count)) =
        (shape, count.filter(|n| n.checked_mul(elem.bytes()) == Some(rest.len())))
    else {
        let shape: Vec<String> = header.shape().iter().map(ToString::to_string).collect();
        let size = elem.bytes();
        let why = format!(
            "its head says {} cells of {size} bytes, but {} bytes follow",
            if shape.is_empty() { "1".to_owned() } else { shape.join(" by ") },
            rest.len()
        );
        return Err(Refusal::new("E0912", why).hint("The file is cut off or damaged; save it again."));
    };
    let mut cells = rest.to_vec();
    if ty.endianness() == Endianness::Big {
        cells.chunks_exact_mut(elem.bytes()).for_each(<[u8]>::reverse);
    }
    if header.order() == Order::Fortran {
        cells = row_major(&cells, elem.bytes(), &shape, count);
    }
    Ok(Array { cells: HostData::from_bytes(elem, &cells), shape: Some(shape) })
}

/// Cells whose first dimension runs fastest, with the last one fastest.
fn row_major(cells: &[u8], size: usize, shape: &[usize], count: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(cells.len());
    let mut index = vec![0; shape.len()];
    for _ in 0..count {
        let (at, _) = index.iter().zip(shape).fold((0, 1), |(at, step), (i, n)| (at + i * step, step * n));
        out.extend_from_slice(cells.get(at * size..(at + 1) * size).unwrap_or_default());
        for (i, n) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *n {
                break;
            }
            *i = 0;
        }
    }
    out
}

fn numpy(elem: Elem) -> &'static str {
    NAMES.iter().find(|(known, ..)| *known == elem).map_or("", |(_, name, _)| name)
}

/// Writes an array, row-major and little-endian.
pub(super) fn write(out: &mut dyn io::Write, data: &HostData, shape: &[usize]) -> io::Result<()> {
    let name = NAMES.iter().find(|(known, ..)| *known == data.elem()).map_or("", |(.., name)| name);
    let ty: TypeStr = name.parse().map_err(io::Error::other)?;
    let shape: Vec<u64> = shape.iter().map(|n| *n as u64).collect();
    npyz::WriteOptions::new_header_only()
        .dtype(DType::Plain(ty))
        .shape(&shape)
        .writer(&mut *out)
        .write_header_only()?;
    out.write_all(data.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(data: &HostData, shape: &[usize]) -> Vec<u8> {
        let mut bytes = vec![];
        write(&mut bytes, data, shape).unwrap();
        bytes
    }

    #[test]
    fn every_type_is_read_back() {
        for (elem, ..) in NAMES {
            let bytes: Vec<u8> = (0..6 * elem.bytes()).map(|i| (i % 2) as u8).collect();
            let data = HostData::from_bytes(elem, &bytes);
            let array = read(&written(&data, &[2, 3]), elem).unwrap_or_else(|r| panic!("{elem:?} {}", r.why));
            assert_eq!(
                (array.cells.as_bytes(), array.shape),
                (data.as_bytes(), Some(vec![2, 3])),
                "{elem:?}"
            );
        }
        let scalar = read(&written(&HostData::F64(vec![0.5]), &[]), Elem::F64).unwrap_or_else(|_| panic!());
        assert_eq!((scalar.cells, scalar.shape), (HostData::F64(vec![0.5]), Some(vec![])));
    }

    fn head(dict: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dict.len() as u16).to_le_bytes());
        bytes.extend(dict.as_bytes());
        bytes
    }

    #[test]
    fn big_endian_and_fortran() {
        let mut bytes = head("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n");
        // The rows 1 2 3 and 4 5 6, column by column.
        for cell in [1i16, 4, 2, 5, 3, 6] {
            bytes.extend(cell.to_be_bytes());
        }
        let array = read(&bytes, Elem::I16).unwrap_or_else(|r| panic!("{}", r.why));
        assert_eq!(array.cells, HostData::I16(vec![1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn what_is_damaged_or_of_another_type_is_refused() {
        let why = |bytes: &[u8], elem| read(bytes, elem).err().map(|r| (r.code, r.why)).unwrap();
        let good = written(&HostData::F32(vec![1.0, 2.0]), &[2]);
        for cut in 0..good.len() {
            assert_eq!(why(&good[..cut], Elem::F32).0, "E0912", "{cut}");
        }
        assert_eq!(why(&[good.clone(), vec![0]].concat(), Elem::F32).0, "E0912");
        assert_eq!(why(&good, Elem::F64), ("E0913", "its cells are f32 and not f64".into()));
        for descr in ["'|O'", "'<c8'", "'<U4'", "'<M8[s]'", "[('a', '<f4')]", "'<f16'"] {
            let bytes = head(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}\n"));
            assert_eq!(why(&[bytes, vec![0; 16]].concat(), Elem::F32).0, "E0913", "{descr}");
        }
        for shape in [
            "(18446744073709551615, 4)",
            "(4294967296, 4294967296, 4294967296)",
            "(99999999999999999999,)",
            "(-1,)",
        ] {
            let bytes = head(&format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n"));
            assert_eq!(why(&bytes, Elem::F32).0, "E0912", "{shape}");
        }
    }
}
