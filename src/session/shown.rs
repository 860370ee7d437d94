//! A run on data of the user's own, for the screen to show. It is no action: no log says where files lie, nor what is in
//! them.

use super::action::Sizes;
use super::bench::{self, Asked, Inputs, Ran};
use super::data::{self, Given, Samples, component_name, samples, shape, type_text};
use super::workspace::Workspace;
use crate::device::{Backend, HostData, Mode};
use crate::emit::code::{Leaf, leaves};
use crate::emit::data::join_defined;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::lang::value::Value;
use crate::session::bench::BenchProgress;
use crate::session::bench::cells::buffer;
use std::sync::atomic::AtomicBool;

/// What a program was run on, and what it computed.
pub struct Shown {
    pub ran: Ran,
    pub sizes: Sizes,
    /// The components of the parameters, in order.
    pub inputs: Vec<Part>,
    /// The components of the result.
    pub outputs: Vec<Part>,
}

/// An array of so many cells is little.
const SMALL: usize = 64;

/// A component of a parameter or of the result.
pub struct Part {
    pub name: String,
    /// Its type, such as `n.m.f32`.
    pub ty: String,
    pub data: HostData,
    /// All of it, where that is little.
    pub small: Option<Value>,
    /// Its pixels, where it may be a picture.
    pub picture: Option<Samples>,
}

impl Part {
    fn new(value: &str, leaf: &Leaf, sizes: &Sizes, data: &HostData, undefined: &[bool]) -> Part {
        let component = component_name(leaf);
        let name = if component.is_empty() { value.to_owned() } else { format!("{value}.{component}") };
        let picture = samples(data, &shape(leaf, sizes), leaf);
        let is_undefined = |_: usize, cell: usize| undefined.get(cell).copied().unwrap_or(false);
        let ty = leaf.dims.iter().rev().fold(leaf.elem.clone(), |ty, n| Type::array(n.clone(), ty));
        let whole = || join_defined(&[buffer(data)], &ty, sizes, &is_undefined).ok();
        let small = (data.len() <= SMALL).then(whole).flatten();
        Part { name, ty: type_text(leaf), data: data.clone(), small, picture }
    }
}

/// What is to be run.
pub(super) struct Wanted<'a> {
    pub workspace: &'a Workspace,
    pub term: &'a Term,
    /// Of sizes that do not follow from the inputs.
    pub sizes: &'a Sizes,
    pub device: &'a str,
    pub given: &'a [Given],
    pub foreign: bool,
}

/// Reads the inputs, runs the program once, and checks what it computed.
///
/// # Errors
/// As [`data::fit`] and [`bench::run`].
pub(super) fn show(
    wanted: &Wanted<'_>,
    backend: &dyn Backend,
    cancel: &AtomicBool,
    report: &dyn Fn(BenchProgress),
) -> Result<Shown, Diagnostic> {
    let program = &wanted.workspace.program;
    let fitted = data::fit(program, wanted.given, true, &Sizes::new(), wanted.sizes)?;
    let (sizes, inputs) = (fitted.sizes, Inputs(fitted.inputs.into_iter().flatten().collect()));
    let plain = Asked::new(wanted.workspace, wanted.term, &sizes, wanted.device, Mode::Once);
    let asked = Asked { inputs: Some(&inputs), foreign: wanted.foreign, ..plain };
    let ran = bench::run(&asked, true, backend, cancel, report)?;
    let (params, result) = program.ty.signature();
    let of_param = |((name, ty), parts): ((&Name, &Type), &Vec<HostData>)| {
        let part = |(leaf, data): (&Leaf, &HostData)| Part::new(name, leaf, &sizes, data, &[]);
        leaves(ty).iter().zip(parts).map(part).collect::<Vec<_>>()
    };
    let shown_inputs = program.params.iter().zip(&params).zip(&inputs.0).flat_map(of_param).collect();
    let output = |(i, (leaf, data)): (usize, (&Leaf, &HostData))| {
        let undefined = ran.undefined.get(i).map_or(&[][..], Vec::as_slice);
        Part::new("result", leaf, &sizes, data, undefined)
    };
    let outputs = leaves(&result).iter().zip(&ran.outputs).enumerate().map(output).collect();
    Ok(Shown { inputs: shown_inputs, outputs, sizes, ran })
}
