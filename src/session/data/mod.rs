//! Arrays in files: what a program runs on, and what it computed.
//!
//! A file holds one component of a parameter or of the result (`emit::code::leaves`). What its ending says is how it is
//! read; what it holds must fit the type, but for samples of pictures, which floats take as numbers from 0 to 1.

mod fit;
mod npy;
mod output;
mod picture;
mod plain;
mod pnm;
mod shapes;

pub use fit::{Fitted, Given, fit, names};
pub use output::{Wanted, Written, component_name, holds, named, writable, write};
pub use picture::{Samples, samples};

use super::action::Sizes;
use super::files;
use crate::device::HostData;
use crate::emit::code::Leaf;
use crate::lang::diag::Diagnostic;
use std::io::Read;
use std::path::Path;

/// The most bytes of a file, and of the array in it.
const MAX_BYTES: usize = 1 << 33;

/// How an array lies in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Npy,
    Png,
    Pnm,
    Raw,
    Text,
}

/// The format of each ending.
const ENDINGS: [(&str, Format); 9] = [
    ("npy", Format::Npy),
    ("png", Format::Png),
    ("pgm", Format::Pnm),
    ("ppm", Format::Pnm),
    ("pnm", Format::Pnm),
    ("txt", Format::Text),
    ("csv", Format::Text),
    ("raw", Format::Raw),
    ("bin", Format::Raw),
];

/// Has the name of a file the ending of one that holds data?
pub fn is_data(path: &Path) -> bool {
    Format::of(path).is_ok()
}

impl Format {
    fn of(path: &Path) -> Result<Format, Refusal> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        let row = ENDINGS.iter().find(|(known, _)| *known == ending);
        row.map(|(_, format)| *format).ok_or_else(|| {
            let known: Vec<String> = ENDINGS.iter().map(|(e, _)| format!(".{e}")).collect();
            let refusal = Refusal::new("E0912", "its ending tells no format");
            let name = path.to_string_lossy();
            let is_number = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ' | '.' | '-' | '[' | ']');
            if name.contains(|c: char| c.is_ascii_digit()) && name.chars().all(is_number) {
                return refusal.hint("Numbers stand in a file of text, one row in each line: `a.txt`.");
            }
            refusal.hint(format!("The endings that are known are {}.", known.join(" ")))
        })
    }
}

/// An array as a file holds it.
struct Array {
    cells: HostData,
    /// The number of cells in each dimension, where the file says it and not only how many there are.
    shape: Option<Vec<usize>>,
}

/// Why a file does not serve, to be completed by its name.
struct Refusal {
    code: &'static str,
    why: String,
    hint: Option<String>,
}

impl Refusal {
    fn new(code: &'static str, why: impl Into<String>) -> Refusal {
        Refusal { code, why: why.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Refusal {
        self.hint = Some(hint.into());
        self
    }

    /// `image.png` cannot be the input `image`: its samples have 16 bits.
    fn of(self, path: &Path, cannot: &str) -> Diagnostic {
        let problem = Diagnostic::error(self.code, format!("`{}` {cannot}: {}.", path.display(), self.why));
        match self.hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}

/// The numbers of cells of a component in each dimension.
pub fn shape(leaf: &Leaf, sizes: &Sizes) -> Vec<usize> {
    let value = |n: &str| sizes.get(n).copied();
    leaf.dims.iter().map(|d| d.eval(&value).ok().and_then(|n| usize::try_from(n).ok()).unwrap_or(0)).collect()
}

/// The type of a component, such as `(n + 2).(m + 2).f32`.
pub fn type_text(leaf: &Leaf) -> String {
    let dims: String = leaf.dims.iter().map(|d| d.as_atom_text() + ".").collect();
    format!("{dims}{}", leaf.elem)
}

/// Reads an array for a component.
fn read(path: &Path, leaf: &Leaf) -> Result<Array, Refusal> {
    let format = Format::of(path)?;
    let bytes = read_bytes(path)?;
    let elem = leaf.scalar();
    match format {
        Format::Npy => npy::read(&bytes, elem),
        Format::Png => picture::to_array(picture::read_png(&bytes, leaf)?, leaf),
        Format::Pnm => picture::to_array(pnm::read(&bytes)?, leaf),
        Format::Raw => plain::read_raw(&bytes, elem),
        Format::Text => plain::read_text(&bytes, elem, leaf.dims.len()),
    }
}

/// The bytes of a file that stayed the same while they were read.
fn read_bytes(path: &Path) -> Result<Vec<u8>, Refusal> {
    let cannot = |e: std::io::Error| Refusal::new("E0912", format!("it cannot be read: {e}"));
    let file = files::open_file(path).map_err(cannot)?;
    let before = file.metadata().map_err(cannot)?;
    if before.len() > MAX_BYTES as u64 {
        return Err(Refusal::new(
            "E0912",
            format!("it has {} bytes, and {MAX_BYTES} are the most", before.len()),
        ));
    }
    let mut bytes = vec![];
    bytes
        .try_reserve_exact(before.len() as usize + 1)
        .map_err(|_| Refusal::new("E0912", format!("there is no memory for its {} bytes", before.len())))?;
    (&file).take(before.len() + 1).read_to_end(&mut bytes).map_err(cannot)?;
    let after = file.metadata().map_err(cannot)?;
    let same = before.len() == bytes.len() as u64
        && before.len() == after.len()
        && before.modified().ok() == after.modified().ok();
    if same {
        Ok(bytes)
    } else {
        Err(Refusal::new("E0912", "it was changed while it was read")
            .hint("Read it again when it is complete."))
    }
}
