//! A module: kernels, functions of the host, the buffers that they share, and in which order the host runs them
//! (thesis section 3.3). The simplest module is one kernel, or one function in C.

use super::Language;
use super::code::{Leaf, leaves};
use super::kernel::{Kernel, ParamKind, assemble};
use super::plan::Plan;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar, Worker};
use crate::lang::origin::{Line, Origin, Part};
use crate::lang::ty::{Scalar, Type};
use crate::lower::dpia::{Kind, Layout, Temporary};
use crate::lower::pipeline::{Lowered, LoweredSection};
use crate::lower::separate::{Host, Use};
use crate::lower::target::Storage;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// The program's name, as it can stand in text.
    pub name: String,
    /// OpenCL where there are kernels.
    pub language: Language,
    /// At least one. Where there is one alone it has the program's name and parameters.
    pub sections: Vec<Section>,
    /// The components of memory that the sections use.
    pub buffers: Vec<Buffer>,
    /// The inputs whose indices a `scatter` takes.
    pub scattered: BTreeSet<usize>,
    pub host: Vec<Host>,
    pub plan: Plan,
    /// The lines at the head of its text.
    pub comments: Vec<String>,
    /// Sizes that are parameters, in order.
    pub sizes: Vec<Name>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    pub kernel: Kernel,
    /// What its parameters are given, in their order.
    pub args: Vec<Argument>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// The buffer of this number.
    Buffer(usize, Use),
    /// A number in sizes and variables of the host's loops.
    Number(Nat),
    /// A scalar of the input of this number, by value.
    Value(usize, Leaf),
    /// So many elements of local memory.
    Local(Scalar, Nat),
}

/// A component of memory: an array, or a scalar that lies in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    pub name: String,
    pub role: Role,
    pub leaf: Leaf,
    pub scalar: Scalar,
    /// The number of elements.
    pub len: Nat,
    pub host: Use,
    pub device: Use,
    /// Which part of the program asks for it.
    pub origin: Origin,
    /// Is it private memory of which each work-item has its part here?
    pub each: bool,
}

impl Buffer {
    /// `HOST_READ | DEVICE_WRITE`: who does what with it.
    pub fn access(&self) -> String {
        let all = [
            (self.host.reads, "HOST_READ"),
            (self.host.writes, "HOST_WRITE"),
            (self.device.reads, "DEVICE_READ"),
            (self.device.writes, "DEVICE_WRITE"),
        ];
        let used: Vec<&str> = all.into_iter().filter(|(used, _)| *used).map(|(_, name)| name).collect();
        used.join(" | ")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A component of the result.
    Output,
    /// A component of the input with this number.
    Input(usize),
    Temp,
}

impl Module {
    /// Whether a kernel or a step of the host is given the buffer of this number.
    pub fn is_used(&self, buffer: usize) -> bool {
        let mut args = self.sections.iter().flat_map(|s| &s.args);
        args.any(|a| matches!(a, Argument::Buffer(i, _) if *i == buffer))
    }

    /// The one function or kernel that the program is, if it is one.
    pub fn only(&self) -> Option<&Kernel> {
        match self.sections.as_slice() {
            [section] => Some(&section.kernel),
            _ => None,
        }
    }

    /// The number of a component of an input.
    pub fn component(&self, input: usize, leaf: &Leaf) -> usize {
        let all = self.buffers.iter().filter(|b| b.role == Role::Input(input));
        all.take_while(|b| b.leaf.path != leaf.path).count()
    }

    /// Where what texts around the sections name comes from: functions, kernels and the memory between them.
    pub fn named(&self, origins: &BTreeMap<Name, Origin>) -> BTreeMap<String, (Part, Origin)> {
        let buffers = self.buffers.iter().filter_map(|b| {
            let origin = origins.iter().find(|(x, _)| format!("{x}{}", b.leaf.suffix()) == b.name)?.1;
            Some((b.name.clone(), (Part::Memory(b.name.clone()), origin.clone())))
        });
        let sections = self.sections.iter().map(|s| {
            let lines = || s.kernel.lines.iter().fold(Origin::default(), |all, line| all.with(&line.origin));
            let origin = if s.kernel.origin.is_none() { lines() } else { s.kernel.origin.clone() };
            (s.kernel.name.clone(), (Part::Statement, origin))
        });
        buffers.chain(sections).collect()
    }

    /// The functions in a language, in the order in which the program first needs them.
    pub fn kernels(&self, language: Language) -> impl Iterator<Item = &Kernel> {
        let is_first = |i: usize, k: &Kernel| !self.sections[..i].iter().any(|s| s.kernel.name == k.name);
        let all = self.sections.iter().map(|s| &s.kernel).enumerate();
        all.filter(move |(i, k)| k.language == language && is_first(*i, k)).map(|(_, k)| k)
    }

    /// The text of all sections in a language, ready for a compiler; empty where there are none.
    pub fn code(&self, language: Language) -> String {
        if let Some(kernel) = self.only().filter(|k| k.language == language) {
            return kernel.text.clone();
        }
        let kernels = || self.kernels(language);
        if kernels().next().is_none() {
            return String::new();
        }
        let comments = if language == self.language { self.comments.as_slice() } else { &[] };
        let functions = kernels().map(|k| &*k.function);
        assemble(comments, kernels().map(|k| &k.prelude), functions)
    }

    /// The lines of that text.
    pub fn lines(&self, language: Language) -> Vec<Line> {
        let (code, mut from) = (self.code(language), 0);
        let mut lines = vec![Line::default(); code.lines().count()];
        for kernel in self.kernels(language) {
            let Some(at) = code[from..].find(&kernel.function).map(|at| from + at) else { continue };
            let first = code[..at].lines().count();
            lines[first..].iter_mut().zip(&kernel.lines).for_each(|(line, of)| *line = of.clone());
            from = at + kernel.function.len();
        }
        lines
    }

    /// The whole text: kernels, then functions of the host. What is recorded of a program's code is its digest.
    pub fn text(&self) -> String {
        match self.only() {
            Some(kernel) => kernel.text.clone(),
            None => {
                let (kernels, host) = (self.code(Language::OpenCl), self.code(Language::C));
                if host.is_empty() { kernels } else { format!("{kernels}\n// On the host, in C:\n\n{host}") }
            }
        }
    }
}

/// Puts the generated sections of a program together.
pub struct Assembly<'a> {
    pub lowered: &'a Lowered,
    /// The generated text of each section.
    pub kernels: Vec<Kernel>,
    /// Of each section, the number of the one whose kernel it launches.
    pub launched: Vec<usize>,
    pub comments: Vec<String>,
    pub sizes: Vec<Name>,
    pub name: String,
}

impl Assembly<'_> {
    /// # Errors
    /// Sections whose parameters are not the memory they were lifted over: a mistake of the tool.
    pub fn module(self) -> Result<Module, Diagnostic> {
        let mut buffers = Buffers { origins: Some(&self.lowered.origins), ..Buffers::default() };
        let outputs = self.lowered.imperative.first().map(|(_, whole)| whole.outputs.as_slice());
        for (x, ty) in outputs.unwrap_or_default() {
            buffers.declare(x, ty, Role::Output, x);
        }
        for (i, (x, ty)) in self.lowered.functional.params.iter().enumerate() {
            buffers.declare(x, ty, Role::Input(i), x);
        }
        for (x, ty) in &self.lowered.buffers {
            buffers.declare(x, ty, Role::Temp, x);
        }
        let mut sections = vec![];
        for (lowered, kernel) in self.lowered.sections.iter().zip(self.kernels) {
            let args = arguments(lowered, &kernel, &mut buffers)?;
            sections.push(Section { kernel, args });
        }
        share_kernels(&mut sections, &self.launched);
        let has_kernels = sections.iter().any(|s| s.kernel.language == Language::OpenCl);
        let language = if has_kernels { Language::OpenCl } else { Language::C };
        let (host, all) = (self.lowered.host.clone(), buffers.all);
        let args = |s: &Section| {
            s.args
                .iter()
                .filter_map(|a| if let Argument::Buffer(i, u) = a { Some((*i, *u)) } else { None })
                .collect()
        };
        let plan = Plan::new(&host, &sections.iter().map(args).collect::<Vec<_>>(), &all);
        let (comments, sizes, name) = (self.comments, self.sizes, self.name);
        let scattered = scattered(self.lowered);
        if let [section] = sections.as_mut_slice() {
            section.kernel.scattered.clone_from(&scattered);
        }
        Ok(Module { name, language, sections, buffers: all, scattered, host, plan, comments, sizes })
    }
}

/// Has each section launch the kernel that is said, which then comes from all that its sections come from.
fn share_kernels(sections: &mut [Section], launched: &[usize]) {
    let others = || launched.iter().copied().enumerate().filter(|(i, first)| i != first);
    for (i, first) in others() {
        let other = sections[i].kernel.clone();
        let kernel = &mut sections[first].kernel;
        kernel.origin = kernel.origin.with(&other.origin);
        for (line, of) in kernel.lines.iter_mut().zip(&other.lines) {
            line.origin = line.origin.with(&of.origin);
        }
    }
    for (i, first) in others() {
        sections[i].kernel = sections[first].kernel.clone();
    }
}

/// The inputs that the indices of a `scatter` are read from.
fn scattered(lowered: &Lowered) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let Some((_, whole)) = lowered.imperative.first() else { return found };
    let _ = whole.body.any(&mut |p| {
        if let Kind::Acceptor(Layout::Scatter, ps) = p.kind()
            && let Some(indices) = ps.first()
        {
            let inputs = lowered.functional.params.iter().enumerate();
            found.extend(inputs.filter(|(_, (x, _))| indices.mentions(x)).map(|(i, _)| i));
        }
        false
    });
    found
}

#[derive(Default)]
struct Buffers<'a> {
    all: Vec<Buffer>,
    /// The buffers of the components of memory.
    of: BTreeMap<Name, Vec<usize>>,
    /// Where memory comes from.
    origins: Option<&'a BTreeMap<Name, Origin>>,
}

impl Buffers<'_> {
    fn declare(&mut self, x: &Name, ty: &Type, role: Role, text: &str) {
        let first = self.all.len();
        let origin = self.origins.and_then(|of| of.get(x)).cloned().unwrap_or_default();
        self.all.extend(leaves(ty).into_iter().map(|leaf| Buffer {
            name: format!("{text}{}", leaf.suffix()),
            role,
            scalar: leaf.scalar(),
            len: leaf.len(),
            leaf,
            host: Use::default(),
            device: Use::default(),
            origin: origin.clone(),
            each: false,
        }));
        self.of.insert(x.clone(), (first..self.all.len()).collect());
    }
}

/// What the parameters of a section are given: outputs, sizes, inputs, temporaries, by components.
fn arguments(
    lowered: &LoweredSection,
    kernel: &Kernel,
    buffers: &mut Buffers<'_>,
) -> Result<Vec<Argument>, Diagnostic> {
    let section = &lowered.section;
    let of_kernel = |n: &Nat| at_launch(n, kernel);
    let in_buffers = |t: &&Temporary| t.storage != Storage::Local;
    for t in section.program.temporaries.iter().filter(in_buffers) {
        if !buffers.of.contains_key(&t.name) {
            let text = section.name.as_ref().map_or(t.name.to_string(), |s| format!("{s}_{}", t.name));
            let first = buffers.all.len();
            buffers.declare(&t.name, &t.ty, Role::Temp, &text);
            for b in &mut buffers.all[first..] {
                (b.len, b.each) = (of_kernel(&b.len), t.storage == Storage::Parameter);
            }
        }
    }
    let memory = |xs: &mut dyn Iterator<Item = &Name>| -> Vec<(Name, usize)> {
        xs.flat_map(|x| buffers.of.get(x).into_iter().flatten().map(|i| (x.clone(), *i))).collect()
    };
    let program = &section.program;
    let temporaries = program.temporaries.iter().filter(in_buffers).map(|t| &t.name);
    let of_program = program.outputs.iter().chain(&program.inputs).map(|(x, _)| x);
    let all = memory(&mut of_program.chain(temporaries));
    let mut passed = all.into_iter().zip(&kernel.passed).filter(|(_, passed)| **passed).map(|(of, _)| of);
    let mut args = vec![];
    for p in &kernel.params {
        let (x, number) = match &p.kind {
            ParamKind::Size(size) => {
                let turn = section.turns.iter().find(|turn| turn.name == *size);
                args.push(Argument::Number(Nat::var(turn.map_or(size, |turn| &turn.var))));
                continue;
            }
            ParamKind::Local => {
                args.push(Argument::Local(p.scalar, of_kernel(&p.len)));
                continue;
            }
            ParamKind::Output(_) | ParamKind::Input(..) | ParamKind::Temp => {
                passed.next().ok_or_else(lost)?
            }
        };
        let buffer = buffers.all.get_mut(number).ok_or_else(lost)?;
        if let (Role::Input(i), true) = (buffer.role, p.by_value) {
            args.push(Argument::Value(i, buffer.leaf.clone()));
            continue;
        }
        // What the kernel's own memory is for.
        let both = Use { reads: true, writes: true };
        let found = section.uses.get(&x).copied().unwrap_or(both);
        let side = if kernel.language == Language::C { &mut buffer.host } else { &mut buffer.device };
        side.reads |= found.reads;
        side.writes |= found.writes;
        args.push(Argument::Buffer(number, found));
    }
    Ok(args)
}

/// The number where the kernel's work-items are launched.
fn at_launch(n: &Nat, kernel: &Kernel) -> Nat {
    let at = |sizes: &[Nat; 3], d: u8| sizes.get(usize::from(d)).cloned();
    n.subst(&|v| match v {
        NatVar::Worker(Worker::GlobalSize(d)) => at(&kernel.global_size, *d),
        NatVar::Worker(Worker::LocalSize(d)) => at(kernel.local_size.as_ref()?, *d),
        NatVar::Worker(Worker::Groups(d)) => {
            Some(at(&kernel.global_size, *d)?.exact_div(&at(kernel.local_size.as_ref()?, *d)?))
        }
        _ => None,
    })
}

fn lost() -> Diagnostic {
    Diagnostic::error("E0699", "Code generation lost the memory of a section.")
        .note("This is a mistake of the tool, not of the program.")
}
