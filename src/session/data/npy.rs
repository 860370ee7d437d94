//! NumPy's format for one array (NEP 1).
//!
//! It is read here because a file may say anything: the crates for it overflow on shapes that no memory holds.

use super::{Array, Refusal};
use crate::device::HostData;
use crate::lang::ty::Scalar;
use std::borrow::Cow;
use std::io;

/// The names of NumPy, as in `np.float32`, and of the format, as in `<f4`.
const NAMES: [(Scalar, &str, &str); 12] = [
    (Scalar::Bool, "bool_", "|b1"),
    (Scalar::I8, "int8", "|i1"),
    (Scalar::I16, "int16", "<i2"),
    (Scalar::I32, "int32", "<i4"),
    (Scalar::I64, "int64", "<i8"),
    (Scalar::U8, "uint8", "|u1"),
    (Scalar::U16, "uint16", "<u2"),
    (Scalar::U32, "uint32", "<u4"),
    (Scalar::U64, "uint64", "<u8"),
    (Scalar::F16, "float16", "<f2"),
    (Scalar::F32, "float32", "<f4"),
    (Scalar::F64, "float64", "<f8"),
];

/// How each file begins.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The most dimensions that NumPy's arrays have.
const MOST_DIMENSIONS: usize = 64;

/// The versions of the format, which differ in how long a head may be and how it is written.
const VERSIONS: std::ops::RangeInclusive<u8> = 1..=3;

/// What the head of a file says.
struct Head {
    /// The element type as NumPy spells it, such as `<f4`; None for records.
    descr: Option<String>,
    is_fortran: bool,
    shape: Vec<u64>,
}

/// The head, and what follows it.
fn head(bytes: &[u8]) -> Option<(Head, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (version, rest) = rest.split_at_checked(2)?;
    let (length, rest) = rest.split_at_checked(if version.first()? == &1 { 2 } else { 4 })?;
    let length = length.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
    let (text, data) = rest.split_at_checked(length)?;
    let mut text = Literal { rest: std::str::from_utf8(text).ok()? };
    let (mut descr, mut is_fortran, mut shape) = (None, None, None);
    text.eat('{')?;
    while text.eat('}').is_none() {
        let key = text.string()?;
        text.eat(':')?;
        match key {
            "descr" if text.is_string() => descr = Some(Some(text.string()?.to_owned())),
            "descr" => {
                text.skip_list()?;
                descr = Some(None);
            }
            "fortran_order" => is_fortran = Some(text.boolean()?),
            "shape" => shape = Some(text.numbers()?),
            _ => return None,
        }
        if text.eat(',').is_none() {
            text.eat('}')?;
            break;
        }
    }
    let shape = shape.filter(|s| s.len() <= MOST_DIMENSIONS)?;
    Some((Head { descr: descr?, is_fortran: is_fortran?, shape }, data))
}

/// The rest of a literal of Python.
struct Literal<'a> {
    rest: &'a str,
}

impl<'a> Literal<'a> {
    fn eat(&mut self, c: char) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(c)?;
        Some(())
    }

    fn is_string(&self) -> bool {
        self.rest.trim_start().starts_with(['\'', '"'])
    }

    fn string(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let quote = text.chars().next().filter(|c| *c == '\'' || *c == '"')?;
        let (inside, rest) = text.get(1..)?.split_once(quote)?;
        self.rest = rest;
        Some(inside)
    }

    fn boolean(&mut self) -> Option<bool> {
        let text = self.rest.trim_start();
        let (value, rest) = match (text.strip_prefix("True"), text.strip_prefix("False")) {
            (Some(rest), _) => (true, rest),
            (_, rest) => (false, rest?),
        };
        self.rest = rest;
        Some(value)
    }

    /// A tuple of numbers.
    fn numbers(&mut self) -> Option<Vec<u64>> {
        self.eat('(')?;
        let mut all = vec![];
        while self.eat(')').is_none() {
            let text = self.rest.trim_start();
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let (digits, rest) = text.split_at_checked(end)?;
            all.push(digits.parse().ok()?);
            // Python 2 wrote an `L` behind long numbers.
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if self.eat(',').is_none() {
                self.eat(')')?;
                break;
            }
        }
        Some(all)
    }

    /// The fields of a record, which are not looked at.
    fn skip_list(&mut self) -> Option<()> {
        self.eat('[')?;
        let mut depth = 1usize;
        while depth > 0 {
            if self.is_string() {
                self.string()?;
                continue;
            }
            let mut chars = self.rest.trim_start().chars();
            match chars.next()? {
                '[' | '(' => depth += 1,
                ']' | ')' => depth -= 1,
                _ => {}
            }
            self.rest = chars.as_str();
        }
        Some(())
    }
}

/// The element type, and whether its bytes are swapped.
fn elem_of(descr: &str) -> Option<(Scalar, bool)> {
    let (order, name) = descr.split_at_checked(1)?;
    let row = NAMES.iter().find(|(_, _, known)| known.get(1..) == Some(name));
    row.filter(|_| ["<", ">", "|", "="].contains(&order)).map(|(elem, ..)| (*elem, order == ">"))
}

/// Reads an array of this element type; either order of bytes, and either order of dimensions.
pub(super) fn read(bytes: &[u8], elem: Scalar) -> Result<Array, Refusal> {
    if let Some([major, minor, ..]) = bytes.strip_prefix(MAGIC)
        && !(VERSIONS.contains(major) && *minor == 0)
    {
        let why =
            format!("it is of version {major}.{minor} of NumPy's format, and 1.0, 2.0 and 3.0 are known");
        return Err(Refusal::new("E0912", why).hint("`np.save(\"array.npy\", a)` writes one of these."));
    }
    let (head, rest) = head(bytes).ok_or_else(|| {
        Refusal::new("E0912", "it is no array of NumPy, or its head is damaged")
            .hint("`np.save(\"array.npy\", a)` writes one; `np.savez` writes archives, which are not read.")
    })?;
    let Some(descr) = &head.descr else {
        return Err(Refusal::new("E0913", "its cells are records")
            .hint("Save each field by itself, and give one file for each component."));
    };
    let cast = format!("`a.astype(np.{})` makes it fit, where that makes sense.", numpy(elem));
    let (found, is_swapped) = elem_of(descr).ok_or_else(|| {
        let shown: String = descr.chars().take(40).flat_map(char::escape_debug).collect();
        let why = format!("its cells are of NumPy's type `{shown}`, which programs do not have");
        Refusal::new("E0913", why).hint(&cast)
    })?;
    if found != elem {
        let why = format!("its cells are {} and not {}", found.name(), elem.name());
        return Err(Refusal::new("E0913", why).hint(&cast));
    }
    let shape: Option<Vec<usize>> = head.shape.iter().map(|n| usize::try_from(*n).ok()).collect();
    let count = shape.as_ref().and_then(|s| s.iter().try_fold(1usize, |n, d| n.checked_mul(*d)));
    let (Some(shape), Some(count)) =
        (shape, count.filter(|n| n.checked_mul(elem.bytes()) == Some(rest.len())))
    else {
        let shape: Vec<String> = head.shape.iter().map(ToString::to_string).collect();
        let why = format!(
            "its head says {} cells of {} bytes, but {} bytes follow",
            if shape.is_empty() { "1".to_owned() } else { shape.join(" by ") },
            elem.bytes(),
            rest.len()
        );
        return Err(Refusal::new("E0912", why).hint("The file is cut off or damaged; save it again."));
    };
    let mut cells = Cow::Borrowed(rest);
    if head.is_fortran {
        cells = Cow::Owned(row_major(&cells, elem.bytes(), &shape, count));
    }
    if is_swapped {
        cells.to_mut().chunks_exact_mut(elem.bytes()).for_each(<[u8]>::reverse);
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

fn numpy(elem: Scalar) -> &'static str {
    NAMES.iter().find(|(known, ..)| *known == elem).map_or("", |(_, name, _)| name)
}

/// Writes an array, row-major and little-endian.
pub(super) fn write(out: &mut dyn io::Write, data: &HostData, shape: &[usize]) -> io::Result<()> {
    let name = NAMES.iter().find(|(known, ..)| *known == data.elem()).map_or("", |(.., name)| name);
    let dims: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut head = format!("{{'descr': '{name}', 'fortran_order': False, 'shape': ({dims}), }}");
    // The cells begin at a multiple of 64 bytes, behind the ten of magic, version and length.
    while (head.len() + 11) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&u16::try_from(head.len()).map_err(io::Error::other)?.to_le_bytes())?;
    out.write_all(head.as_bytes())?;
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
        let scalar = read(&written(&HostData::F64(vec![0.5]), &[]), Scalar::F64).unwrap_or_else(|_| panic!());
        assert_eq!((scalar.cells, scalar.shape), (HostData::F64(vec![0.5]), Some(vec![])));
    }

    fn headed(dict: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dict.len() as u16).to_le_bytes());
        bytes.extend(dict.as_bytes());
        bytes
    }

    #[test]
    fn big_endian_and_fortran() {
        let mut bytes = headed("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n");
        // The rows 1 2 3 and 4 5 6, column by column.
        for cell in [1i16, 4, 2, 5, 3, 6] {
            bytes.extend(cell.to_be_bytes());
        }
        let array = read(&bytes, Scalar::I16).unwrap_or_else(|r| panic!("{}", r.why));
        assert_eq!(array.cells, HostData::I16(vec![1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn what_is_damaged_or_of_another_type_is_refused() {
        let why = |bytes: &[u8], elem| read(bytes, elem).err().map(|r| (r.code, r.why)).unwrap();
        let good = written(&HostData::F32(vec![1.0, 2.0]), &[2]);
        for cut in 0..good.len() {
            assert_eq!(why(&good[..cut], Scalar::F32).0, "E0912", "{cut}");
        }
        assert_eq!(why(&[good.clone(), vec![0]].concat(), Scalar::F32).0, "E0912");
        assert_eq!(why(&good, Scalar::F64), ("E0913", "its cells are f32 and not f64".into()));
        for descr in ["'|O'", "'<c8'", "'<U4'", "'<M8[s]'", "[('a', '<f4')]", "'<f16'", "'f4'", "''"] {
            let bytes = headed(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}\n"));
            assert_eq!(why(&[bytes, vec![0; 16]].concat(), Scalar::F32).0, "E0913", "{descr}");
        }
        for version in [[0, 0], [4, 0], [9, 0], [1, 1]] {
            let mut other = good.clone();
            other[6..8].copy_from_slice(&version);
            let (code, why) = why(&other, Scalar::F32);
            let [major, minor] = version;
            assert!(code == "E0912" && why.contains(&format!("of version {major}.{minor} of")), "{why}");
        }
        for shape in [
            "(18446744073709551615, 4)",
            "(4294967296, 4294967296, 4294967296)",
            "(99999999999999999999,)",
            "(-1,)",
        ] {
            let bytes = headed(&format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n"));
            assert_eq!(why(&bytes, Scalar::F32).0, "E0912", "{shape}");
        }
    }
}
