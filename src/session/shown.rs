//! A run on data of the user's own, for the screen to show. It is no action: no log says where files lie, nor what is in
//! them.

use super::action::Sizes;
use super::bench::{self, Asked, Inputs, Ran};
use super::data::{self, Given, Samples, component_name, samples, shape, type_text};
use super::workspace::Workspace;
use crate::device::{Backend, HostData, Mode};
use crate::emit::code::{Leaf, leaves};
use crate::lang::diag::Diagnostic;
use crate::lang::term::Term;
use crate::session::bench::BenchProgress;
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

/// A component of a parameter or of the result.
pub struct Part {
    pub name: String,
    /// Its type, such as `n.m.f32`.
    pub ty: String,
    pub data: HostData,
    /// Its pixels, where it may be a picture.
    pub picture: Option<Samples>,
}

impl Part {
    fn new(value: &str, leaf: &Leaf, sizes: &Sizes, data: &HostData) -> Part {
        let component = component_name(leaf);
        let name = if component.is_empty() { value.to_owned() } else { format!("{value}.{component}") };
        let picture = samples(data, &shape(leaf, sizes), leaf);
        Part { name, ty: type_text(leaf), data: data.clone(), picture }
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
    let part = |name: &str, leaf: &Leaf, data: &HostData| Part::new(name, leaf, &sizes, data);
    let of_param =
        |((name, ty), parts): ((&crate::lang::nat::Name, &crate::lang::ty::Type), &Vec<HostData>)| {
            leaves(ty).iter().zip(parts).map(|(leaf, data)| part(name, leaf, data)).collect::<Vec<_>>()
        };
    let shown_inputs = program.params.iter().zip(&params).zip(&inputs.0).flat_map(of_param).collect();
    let outputs =
        leaves(&result).iter().zip(&ran.outputs).map(|(leaf, data)| part("result", leaf, data)).collect();
    Ok(Shown { inputs: shown_inputs, outputs, sizes, ran })
}
