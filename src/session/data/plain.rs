//! Arrays as numbers in text, and as bare bytes.

use super::{Array, Refusal};
use crate::device::{HostData, HostScalar};
use crate::lang::ty::Scalar;
use crate::lang::value::half;
use std::io;

/// Reads little-endian cells; the file says how many, and nothing of dimensions.
pub(super) fn read_raw(bytes: &[u8], elem: Scalar) -> Result<Array, Refusal> {
    let size = elem.bytes();
    if !bytes.len().is_multiple_of(size) {
        let why =
            format!("its {} bytes are no whole number of {} cells of {size} bytes", bytes.len(), elem.name());
        return Err(Refusal::new("E0912", why));
    }
    if let Some(at) = bytes.iter().position(|b| elem == Scalar::Bool && *b > 1) {
        return Err(Refusal::new("E0912", format!("byte {at} is neither 0 nor 1, as a bool must be")));
    }
    Ok(Array { cells: HostData::from_bytes(elem, bytes), shape: None })
}

/// What can stand between two numbers. In a file it is the same everywhere: of `1,5;2,5` nobody can tell how many numbers these are.
const SEPARATORS: [(char, &str); 3] = [(' ', "spaces"), (',', "commas"), (';', "semicolons")];

/// Reads numbers between spaces, commas or semicolons. Lines are rows where a matrix is wanted.
pub(super) fn read_text(bytes: &[u8], elem: Scalar, rank: usize) -> Result<Array, Refusal> {
    let text = std::str::from_utf8(bytes).map_err(|_| Refusal::new("E0912", "it is no text"))?;
    // Some programs begin a text with this mark of the order of its bytes.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cells = vec![];
    let mut rows: Vec<(usize, usize)> = vec![];
    let mut first: Option<(usize, char)> = None;
    for (number, line) in text.lines().enumerate() {
        let before = cells.len();
        for sign in separators(line) {
            let first = *first.get_or_insert((number + 1, sign));
            if first.1 != sign {
                return Err(mixed(first, (number + 1, sign)));
            }
        }
        for word in words(line) {
            let value = scalar(word, elem).ok_or_else(|| {
                let why = match word {
                    "" => format!("a number is missing in line {}", number + 1),
                    _ => {
                        let shown: String = word.chars().take(40).collect();
                        format!("`{shown}` in line {} is no value of {}", number + 1, elem.name())
                    }
                };
                Refusal::new("E0912", why)
            })?;
            cells.extend_from_slice(value.to_bytes().get(..elem.bytes()).unwrap_or_default());
        }
        let count = (cells.len() - before) / elem.bytes();
        rows.extend((count > 0).then_some((number + 1, count)));
    }
    let cells = HostData::from_bytes(elem, &cells);
    let shape = match rank {
        0 => None,
        1 => Some(vec![cells.len()]),
        2 => {
            let columns = rows.first().map_or(0, |(_, count)| *count);
            if let Some((line, count)) = rows.iter().find(|(_, count)| *count != columns) {
                let why = format!("line {line} has {count} numbers, and the first row {columns}");
                return Err(Refusal::new("E0914", why));
            }
            Some(vec![rows.len(), columns])
        }
        _ => None,
    };
    Ok(Array { cells, shape })
}

/// What stands between the numbers of a line.
fn separators(line: &str) -> impl Iterator<Item = char> + '_ {
    let spaced = line.split([',', ';']).any(|field| field.split_whitespace().nth(1).is_some());
    line.chars().filter(|c| matches!(c, ',' | ';')).chain(spaced.then_some(' '))
}

/// Why a file is not read in which two things stand between numbers, each given with the line that has it first.
fn mixed(first: (usize, char), second: (usize, char)) -> Refusal {
    let name = |sign: char| SEPARATORS.iter().find(|(s, _)| *s == sign).map_or("", |(_, name)| name);
    let (one, other) = (name(first.1), name(second.1));
    let why = if first.0 == second.0 {
        format!("line {} has both {one} and {other} between numbers", first.0)
    } else {
        format!("line {} has {other} between numbers, and line {} has {one}", second.0, first.0)
    };
    let comma = [first.1, second.1].contains(&',').then_some(
        "Where commas are decimal commas, write points (`1.5`). Otherwise separate all numbers in one way.",
    );
    Refusal::new("E0912", why).hint(comma.unwrap_or("Separate all numbers in one way."))
}

/// The numbers of a line. Commas and semicolons stand between two of them, and at most behind the last.
fn words(line: &str) -> Vec<&str> {
    let mut all: Vec<&str> = vec![];
    let mut fields = line.split([',', ';']).peekable();
    while let Some(field) = fields.next() {
        let before = all.len();
        all.extend(field.split_whitespace());
        let is_last = fields.peek().is_none();
        if all.len() == before && !is_last {
            all.push("");
        }
    }
    all
}

/// The value that a word stands for; None for one that the type does not hold.
pub(super) fn scalar(word: &str, elem: Scalar) -> Option<HostScalar> {
    let value = parsed(word, elem)?;
    // A number that is written with digits is finite.
    let overflows =
        elem.is_float() && value.to_f64().is_infinite() && word.contains(|c: char| c.is_ascii_digit());
    (!overflows).then_some(value)
}

fn parsed(word: &str, elem: Scalar) -> Option<HostScalar> {
    Some(match elem {
        Scalar::Bool => HostScalar::Bool(match word {
            "true" | "True" | "1" => true,
            "false" | "False" | "0" => false,
            _ => return None,
        }),
        Scalar::I8 => HostScalar::I8(word.parse().ok()?),
        Scalar::I16 => HostScalar::I16(word.parse().ok()?),
        Scalar::I32 => HostScalar::I32(word.parse().ok()?),
        Scalar::I64 => HostScalar::I64(word.parse().ok()?),
        Scalar::U8 => HostScalar::U8(word.parse().ok()?),
        Scalar::U16 => HostScalar::U16(word.parse().ok()?),
        Scalar::U32 => HostScalar::U32(word.parse().ok()?),
        Scalar::U64 => HostScalar::U64(word.parse().ok()?),
        Scalar::F16 => HostScalar::F16(half::to_bits(half::round_f64(word.parse().ok()?))),
        Scalar::F32 => HostScalar::F32(word.parse().ok()?),
        Scalar::F64 => HostScalar::F64(word.parse().ok()?),
    })
}

/// Writes numbers, rows of the last dimension as lines; floats such that they are read back as they are.
pub(super) fn write_text(
    out: &mut dyn io::Write,
    data: &HostData,
    row: usize,
    between: &str,
) -> io::Result<()> {
    for i in 0..data.len() {
        let word = match data.get(i) {
            Some(HostScalar::Bool(v)) => v.to_string(),
            Some(HostScalar::I64(v)) => v.to_string(),
            Some(HostScalar::U64(v)) => v.to_string(),
            Some(HostScalar::F32(v)) => v.to_string(),
            Some(value) => value.to_f64().to_string(),
            None => String::new(),
        };
        let end = if (i + 1) % row.max(1) == 0 { "\n" } else { between };
        write!(out, "{word}{end}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back() {
        let data = HostData::F32(vec![0.1, -0.0, f32::MAX, f32::INFINITY, 1e-45, f32::NAN]);
        for between in [" ", ","] {
            let mut bytes = vec![];
            write_text(&mut bytes, &data, 3, between).unwrap();
            let array = read_text(&bytes, Scalar::F32, 2).unwrap_or_else(|r| panic!("{}", r.why));
            assert_eq!(array.shape, Some(vec![2, 3]));
            let bits = |d: &HostData| match d {
                HostData::F32(v) => v.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
                _ => vec![],
            };
            assert_eq!(bits(&array.cells), bits(&data));
        }
        let marked = read_text("\u{feff}1,2\r\n3,4\r\n".as_bytes(), Scalar::F32, 2);
        let marked = marked.unwrap_or_else(|r| panic!("{}", r.why));
        assert_eq!((marked.cells, marked.shape), (HostData::F32(vec![1.0, 2.0, 3.0, 4.0]), Some(vec![2, 2])));
        let small = read_text(b"1 ; -2\n\n 3;4", Scalar::I8, 1).unwrap_or_else(|r| panic!("{}", r.why));
        assert_eq!((small.cells, small.shape), (HostData::I8(vec![1, -2, 3, 4]), Some(vec![4])));
    }

    #[test]
    fn what_is_no_number_or_too_large_is_named() {
        let why =
            |text: &str, elem, rank| read_text(text.as_bytes(), elem, rank).err().map(|r| r.why).unwrap();
        assert_eq!(why("1 2\n3 x", Scalar::F32, 2), "`x` in line 2 is no value of f32");
        assert_eq!(why("1 300", Scalar::U8, 1), "`300` in line 1 is no value of u8");
        assert_eq!(why("1 2\n3", Scalar::F32, 2), "line 2 has 1 numbers, and the first row 2");
        assert_eq!(why("1,,3", Scalar::F32, 2), "a number is missing in line 1");
        assert_eq!(why("1,2\n,3", Scalar::F32, 2), "a number is missing in line 2");
        assert_eq!(why("1e39", Scalar::F32, 1), "`1e39` in line 1 is no value of f32");
        assert_eq!(why("1e6", Scalar::F16, 1), "`1e6` in line 1 is no value of f16");
        assert_eq!(why("1,5;2,5", Scalar::F32, 2), "line 1 has both commas and semicolons between numbers");
        assert_eq!(
            why("1.5\t2\n3,5\t4", Scalar::F32, 2),
            "line 2 has commas between numbers, and line 1 has spaces"
        );
        assert_eq!(
            why("1;2\n\n3 4", Scalar::I8, 1),
            "line 3 has spaces between numbers, and line 1 has semicolons"
        );
        assert!(read_text(b"1, 2,\n3,4\n", Scalar::F32, 2).is_ok());
        assert!(read_raw(&[0, 1, 2], Scalar::Bool).is_err() && read_raw(&[0; 7], Scalar::F32).is_err());
    }
}
