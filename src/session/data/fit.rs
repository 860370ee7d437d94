//! Fitting files to parameters: element types must be those of the program, and its sizes follow from the shapes.

use super::output::component_name;
use super::shapes::{self, Equation};
use super::{Array, Refusal, plain, read, type_text};
use crate::device::{HostData, HostScalar};
use crate::emit::LARGEST_NUMBER;
use crate::emit::code::{Leaf, leaves};
use crate::lang::diag::Diagnostic;
use crate::lang::infer::Program;
use crate::lang::nat::Name;
use crate::lang::ty::{Scalar, TypeKind};
use crate::session::action::Sizes;
use std::path::Path;

/// What the user gives a parameter, as `NAME=FILE` or, for a scalar, `NAME=NUMBER`; `NAME` may be that of a component,
/// such as `points.fst`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    pub name: String,
    pub from: String,
}

impl Given {
    /// Reads `NAME=FILE`.
    ///
    /// # Errors
    /// A full sentence.
    pub fn read(text: &str) -> Result<Given, String> {
        let parts = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        let (name, from) = parts.ok_or("An input is given as NAME=FILE, or NAME=NUMBER for a scalar.")?;
        Ok(Given { name: name.trim().to_owned(), from: from.to_owned() })
    }
}

/// Inputs that fit, and the sizes that follow from them.
pub struct Fitted {
    /// For each parameter its components, or nothing where nothing was given.
    pub inputs: Vec<Option<Vec<HostData>>>,
    pub sizes: Sizes,
}

/// A component of a parameter.
struct Slot {
    name: String,
    leaf: Leaf,
    array: Option<Array>,
}

/// Reads what is given, and solves for the sizes. `fixed` are the sizes that the user named; `others` are taken for
/// sizes that nothing else determines. Does the program need `every` parameter?
///
/// # Errors
/// `E0910` for a name that no parameter has, `E0911` for one that is missing or given twice or in part, `E0912` for files that cannot
/// be read, `E0913` for cells of another type, `E0914` for shapes that do not fit, `E0151` for a size that nothing determines.
pub fn fit(
    program: &Program,
    given: &[Given],
    every: bool,
    fixed: &Sizes,
    others: &Sizes,
) -> Result<Fitted, Diagnostic> {
    let mut slots = slots(program);
    for one in given {
        let known: Vec<String> = slots.iter().flatten().map(|s| s.name.clone()).collect();
        let slot = slots.iter_mut().flatten().find(|s| s.name == one.name);
        let slot = slot.ok_or_else(|| unknown(one, &known, &program.sizes))?;
        if slot.array.is_some() {
            return Err(Diagnostic::error("E0911", format!("`{}` is given twice.", one.name))
                .hint("Leave one of them out."));
        }
        slot.array = Some(load(slot, &one.from)?);
    }
    if every {
        all_given(program, &slots)?;
    }
    let sizes = shapes::sizes(&program.sizes, &equations(&slots), fixed, others)?;
    for slot in slots.iter().flatten() {
        inside(slot, &sizes)?;
    }
    let all = slots.into_iter().zip(&program.params).map(|(parts, name)| whole(parts, name));
    Ok(Fitted { inputs: all.collect::<Result<_, _>>()?, sizes })
}

/// The names by which inputs are given, one for each component of a parameter.
pub fn names(program: &Program) -> Vec<String> {
    slots(program).into_iter().flatten().map(|slot| slot.name).collect()
}

fn slots(program: &Program) -> Vec<Vec<Slot>> {
    let (types, _) = program.ty.signature();
    let slot = |name: &Name, leaf: Leaf| {
        let part = component_name(&leaf);
        let name = if part.is_empty() { name.to_string() } else { format!("{name}.{part}") };
        Slot { name, leaf, array: None }
    };
    let of = program.params.iter().zip(&types);
    of.map(|(name, ty)| leaves(ty).into_iter().map(|leaf| slot(name, leaf)).collect()).collect()
}

fn unknown(given: &Given, known: &[String], sizes: &[Name]) -> Diagnostic {
    let name = given.name.as_str();
    let parts: Vec<String> =
        known.iter().filter(|k| k.starts_with(&format!("{name}."))).map(|k| format!("`{k}`")).collect();
    if !parts.is_empty() {
        let text = format!("`{name}` is made of pairs, and a file holds one component.");
        return Diagnostic::error("E0910", text).hint(format!("Give {}.", parts.join(" and ")));
    }
    if sizes.iter().any(|size| **size == *name) {
        let value = if given.from.parse::<u32>().is_ok() { given.from.as_str() } else { "8" };
        let text = format!("`{name}` is a size of the program, and no input.");
        return Diagnostic::error("E0910", text)
            .hint(format!("Where the shapes of inputs do not say it, `--size {name}={value}` does."));
    }
    let problem = Diagnostic::error("E0910", format!("The program has no parameter `{name}`."));
    if known.is_empty() {
        return problem.hint("It has none at all.");
    }
    let all: Vec<String> = known.iter().map(|k| format!("`{k}`")).collect();
    problem.did_you_mean(name, known.iter().map(String::as_str)).note(format!("It takes {}.", all.join(", ")))
}

fn load(slot: &Slot, from: &str) -> Result<Array, Diagnostic> {
    let cannot = format!("cannot be the input `{}`", slot.name);
    let scalar = slot.leaf.scalar();
    if slot.leaf.is_scalar()
        && let Some(value) = plain::scalar(from, scalar)
    {
        let cells = HostData::from_bytes(scalar, value.to_bytes().get(..scalar.bytes()).unwrap_or_default());
        return Ok(Array { cells, shape: Some(vec![]) });
    }
    let path = Path::new(from);
    if slot.leaf.is_scalar() && !path.exists() {
        let text = format!("`{from}` {cannot}: it is neither a value of {} nor a file.", scalar.name());
        let (what, value) = match scalar {
            Scalar::Bool => ("truth value is given as `true` or `false`", "true"),
            _ => ("scalar is given as a number", "2"),
        };
        return Err(Diagnostic::error("E0912", text)
            .hint(format!("A {what}, as in `--input {}={value}`.", slot.name)));
    }
    let refused = |r: Refusal| r.of(path, &cannot);
    let array = read(path, &slot.leaf).map_err(refused)?;
    let rank = slot.leaf.dims.len();
    match &array.shape {
        // One number in an array of any rank is a scalar.
        Some(shape) if rank == 0 && shape.iter().product::<usize>() == 1 => {
            Ok(Array { shape: Some(vec![]), ..array })
        }
        Some(shape) if shape.len() != rank => {
            let found = match shape.as_slice() {
                [] => "it holds a single number".to_owned(),
                dims => format!("it has {}", dimensions(dims.len())),
            };
            let wanted = format!("{found}, and `{}` has {}", type_text(&slot.leaf), dimensions(rank));
            Err(refused(Refusal::new("E0914", wanted)))
        }
        _ => Ok(array),
    }
}

fn dimensions(n: usize) -> String {
    match n {
        0 => "none, for it is a scalar".to_owned(),
        1 => "one dimension".to_owned(),
        n => format!("{n} dimensions"),
    }
}

fn equations(slots: &[Vec<Slot>]) -> Vec<Equation> {
    let mut all = vec![];
    for slot in slots.iter().flatten() {
        let Some(array) = &slot.array else { continue };
        let ty = type_text(&slot.leaf);
        match &array.shape {
            Some(shape) => {
                for (i, (dim, is)) in slot.leaf.dims.iter().zip(shape).enumerate() {
                    let place = match shape.len() {
                        1 => format!("The length of `{}`", slot.name),
                        _ => format!("Dimension {} of `{}`", i + 1, slot.name),
                    };
                    all.push(Equation { size: dim.clone(), is: *is, place, ty: ty.clone() });
                }
            }
            None => {
                let place = format!("The number of cells of `{}`", slot.name);
                all.push(Equation { size: slot.leaf.len(), is: array.cells.len(), place, ty });
            }
        }
    }
    all
}

/// Indices must lie inside of what they index, and plain numbers where those of inputs do.
fn inside(slot: &Slot, sizes: &Sizes) -> Result<(), Diagnostic> {
    let Some(array) = &slot.array else { return Ok(()) };
    let (last, of, hint) = match slot.leaf.elem.kind() {
        TypeKind::Index(n) => {
            let end = n.eval(&|name| sizes.get(name).copied()).unwrap_or(0);
            (end - 1, "", "Indices are counted from 0.")
        }
        TypeKind::NatType => (
            LARGEST_NUMBER,
            " of an input",
            "Numbers of another type, as of `i64`, may be larger, or below zero.",
        ),
        _ => return Ok(()),
    };
    let whole = |i: usize| match array.cells.get(i)? {
        HostScalar::I32(v) => Some(i64::from(v)),
        HostScalar::I64(v) => Some(v),
        _ => None,
    };
    let outside =
        (0..array.cells.len()).find_map(|i| Some((i, whole(i).filter(|v| !(0..=last).contains(v))?)));
    let Some((i, value)) = outside else { return Ok(()) };
    let what = if slot.leaf.is_scalar() { String::new() } else { format!("Cell {i} of ") };
    let said = format!("{what}`{}` is {value}, which is no `{}`{of}.", slot.name, slot.leaf.elem);
    Err(Diagnostic::error("E0914", said).note(format!("Its values go from 0 to {last}.")).hint(hint))
}

/// Is something given for every parameter?
fn all_given(program: &Program, slots: &[Vec<Slot>]) -> Result<(), Diagnostic> {
    let (types, _) = program.ty.signature();
    let all = program.params.iter().zip(&types).zip(slots);
    let missing: Vec<(String, &str)> = all
        .filter(|(_, parts)| parts.iter().all(|p| p.array.is_none()))
        .map(|((name, ty), parts)| (format!("`{name}: {ty}`"), parts.first().map_or("", |p| p.name.as_str())))
        .collect();
    let Some((_, first)) = missing.first() else { return Ok(()) };
    let names: Vec<&str> = missing.iter().map(|(text, _)| text.as_str()).collect();
    Err(Diagnostic::error("E0911", format!("The program also takes {}.", names.join(", ")))
        .hint(format!("Give each a file or, where it is a scalar, a number: `--input {first}=…`.")))
}

/// All components of a parameter, or none.
fn whole(parts: Vec<Slot>, name: &Name) -> Result<Option<Vec<HostData>>, Diagnostic> {
    let given = parts.iter().filter(|p| p.array.is_some()).count();
    if given > 0
        && let Some(missing) = parts.iter().find(|p| p.array.is_none())
    {
        let text = format!("Of `{name}`, the component `{}` is missing.", missing.name);
        return Err(Diagnostic::error("E0911", text)
            .hint(format!("Give it as well: `--input {}=FILE`.", missing.name)));
    }
    Ok((given > 0).then(|| parts.into_iter().filter_map(|p| p.array).map(|a| a.cells).collect()))
}
