//! One program, several pieces of code: what stands in `oclRun` becomes kernels, what stands around them becomes
//! functions of the host, and a host phrase says in which order they run (thesis section 3.3.3).
//!
//! In: a whole imperative program whose views are resolved. Out: a section for each kernel and for each largest command
//! that has no kernel in it. Sections are lambda-lifted: memory that they use and do not allocate becomes parameters, and
//! so does the iteration of each loop of the host around them. A program without `oclRun`, or with one around all of it,
//! is one section.

use crate::dpia::effects;
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, Temporary};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Name, Nat};
use crate::lang::origin::Origin;
use crate::lang::pattern::Pattern;
use crate::lang::ty::Type;
use crate::target::{Launch, Storage, Target};
use std::collections::BTreeMap;

/// A program in pieces.
#[derive(Clone, Debug)]
pub struct Separated {
    pub sections: Vec<Section>,
    /// What sections use beside the program's own memory: read and written by several of them.
    pub buffers: Vec<(Name, Type)>,
    pub host: Vec<Host>,
}

/// What the host does.
#[derive(Clone, PartialEq, Debug)]
pub enum Host {
    /// Runs the section of this number.
    Run(usize),
    /// `for var < n`
    Loop { var: Name, n: Nat, body: Vec<Host> },
}

/// A kernel, or a function of the host.
#[derive(Clone, Debug)]
pub struct Section {
    /// `k0`, `k1`, … for kernels, `h0`, … for functions of the host; none where a program is one section.
    pub name: Option<String>,
    pub program: Imperative,
    /// The iterations of the host's loops that it is called in.
    pub turns: Vec<Turn>,
    pub uses: BTreeMap<Name, Use>,
    /// The `oclRun` that a kernel is of, where there is one.
    pub origin: Origin,
}

/// The iteration of a loop of the host, which a section is given. For passes it is a size, counted from one, as sizes are at
/// least one; for code it is counted from zero.
#[derive(Clone, Debug)]
pub struct Turn {
    pub name: Name,
    /// The variable of the loop, and how many iterations there are.
    pub var: Name,
    pub n: Nat,
}

impl Section {
    /// The section behind the passes, with turns that are counted from zero.
    pub fn from_zero(&mut self, names: &mut Names) {
        for turn in &self.turns {
            let from_one = Nat::var(&turn.name).add(&Nat::constant(1));
            self.program.body = self.program.body.at_iteration(&turn.name, &from_one, names);
            let bound = SizeConstraint::AtMost(Nat::var(&turn.name), turn.n.clone());
            self.program.constraints.retain(|c| *c != bound);
        }
    }
}

/// What a section does with memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Use {
    pub reads: bool,
    pub writes: bool,
}

/// # Errors
/// Kernels that would be launched from several threads, or depending on data.
pub fn separate(mut p: Imperative, names: &mut Names) -> Result<Separated, Diagnostic> {
    p.body = without_idle_kernels(&p.body);
    if let Kind::Kernel(launch, body) = p.body.kind() {
        let (launch, body, origin) = (Some(launch.as_ref().clone()), body.clone(), p.body.origin().clone());
        return Ok(one(Imperative { body, launch, ..p }, origin));
    }
    if !has_kernel(&p.body) {
        return Ok(one(p, Origin::default()));
    }
    let mut separator = Separator { whole: p, names, sections: vec![], buffers: vec![], loops: vec![] };
    let body = separator.whole.body.clone();
    let parts = separator.parts(&body)?;
    // They were found from the inside out.
    separator.buffers.reverse();
    let host = separator.host(parts);
    Ok(Separated { sections: separator.sections, buffers: separator.buffers, host })
}

/// A program that is one section has its own parameters, whether it uses them or not.
fn one(program: Imperative, origin: Origin) -> Separated {
    let uses = uses(&program.body);
    let section = Section { name: None, program, turns: vec![], uses, origin };
    Separated { sections: vec![section], buffers: vec![], host: vec![Host::Run(0)] }
}

pub fn has_kernel(c: &Phrase) -> bool {
    c.any(&mut |p| matches!(p.kind(), Kind::Kernel(..)))
}

/// A kernel over nothing, as what is left over of whole chunks may be, is not launched.
fn without_idle_kernels(c: &Phrase) -> Phrase {
    match c.kind() {
        Kind::Kernel(launch, body) => {
            if launch.is_of_nothing() || is_idle(body) {
                Phrase::skip()
            } else {
                c.clone()
            }
        }
        Kind::Seq(cs) => Phrase::seq(cs.iter().map(without_idle_kernels)),
        _ => {
            let Ok(q) = c.map_children::<std::convert::Infallible>(&mut |c| Ok(without_idle_kernels(c)));
            q
        }
    }
}

/// Is this a command in which no iteration of a loop does anything?
fn is_idle(c: &Phrase) -> bool {
    match c.kind() {
        Kind::Skip => true,
        Kind::Seq(cs) => cs.iter().all(is_idle),
        Kind::New(_, _, _, body) => is_idle(body),
        Kind::For(l) => l.n.sub(&l.init).as_constant().is_some_and(|n| n <= 0) || is_idle(&l.body),
        _ => false,
    }
}

/// What the command does with memory that it does not allocate.
fn uses(c: &Phrase) -> BTreeMap<Name, Use> {
    let mut allocated = vec![];
    let _ = c.any(&mut |p| {
        if let Kind::New(_, _, x, _) = p.kind() {
            allocated.push(x.clone());
        }
        false
    });
    let mut out: BTreeMap<Name, Use> = BTreeMap::new();
    for e in effects::of(c).into_iter().filter(|e| !allocated.contains(&e.memory)) {
        let of = out.entry(e.memory).or_default();
        of.reads |= !e.writes;
        of.writes |= e.writes;
    }
    out
}

/// A part of the host's work, before it is a section.
enum Part {
    Command(Phrase),
    Kernel(Launch, Phrase, Origin),
    Loop(Name, Nat, Vec<Part>),
}

impl Part {
    fn mentions(&self, x: &Name) -> bool {
        match self {
            Part::Command(c) | Part::Kernel(_, c, _) => c.mentions(x),
            Part::Loop(_, _, body) => body.iter().any(|p| p.mentions(x)),
        }
    }
}

struct Separator<'a> {
    whole: Imperative,
    names: &'a mut Names,
    sections: Vec<Section>,
    buffers: Vec<(Name, Type)>,
    /// The loops of the host around what is made: variable and bound, outermost first.
    loops: Vec<(Name, Nat)>,
}

impl Separator<'_> {
    /// The command in parts; commands of the host that follow each other are one part.
    fn parts(&mut self, c: &Phrase) -> Result<Vec<Part>, Diagnostic> {
        if !has_kernel(c) {
            let is_skip = matches!(c.kind(), Kind::Skip);
            return Ok(if is_skip { vec![] } else { vec![Part::Command(c.clone())] });
        }
        match c.kind() {
            Kind::Kernel(launch, body) => {
                Ok(vec![Part::Kernel(launch.as_ref().clone(), body.clone(), c.origin().clone())])
            }
            Kind::Seq(cs) => {
                let mut out: Vec<Part> = vec![];
                for c in cs {
                    for part in self.parts(c)? {
                        match (out.last_mut(), part) {
                            (Some(Part::Command(before)), Part::Command(c)) => {
                                *before = Phrase::seq([before.clone(), c]);
                            }
                            (_, part) => out.push(part),
                        }
                    }
                }
                Ok(out)
            }
            Kind::New(storage, ty, x, body) => {
                let mut parts = self.parts(body)?;
                let mut users = parts.iter_mut().filter(|p| p.mentions(x));
                // What one function of the host alone uses is its own.
                match (users.next(), users.next()) {
                    (None, _) => {}
                    (Some(Part::Command(c)), None) => {
                        *c = Phrase::new_in(*storage, ty.clone(), x.clone(), c.clone());
                    }
                    _ => self.buffers.push((x.clone(), ty.clone())),
                }
                Ok(parts)
            }
            Kind::For(l) => self.host_loop(l),
            Kind::If(..) => Err(undecided("whether it runs is decided when the program runs")),
            _ => Err(undecided("it stands in an expression")),
        }
    }

    fn host_loop(&mut self, l: &Loop) -> Result<Vec<Part>, Diagnostic> {
        if !matches!(l.kind, LoopKind::Sequential | LoopKind::Unrolled) {
            return Err(undecided("the loop around it runs its iterations at once"));
        }
        let (n, body) = (l.n.clone(), self.parts(&l.body)?);
        Ok(vec![Part::Loop(l.var.clone(), n, body)])
    }

    fn host(&mut self, parts: Vec<Part>) -> Vec<Host> {
        let mut out = vec![];
        for part in parts {
            out.push(match part {
                Part::Command(c) => self.section(Target::C, &c, None, Origin::default()),
                Part::Kernel(launch, c, origin) => self.section(Target::OpenCl, &c, Some(launch), origin),
                Part::Loop(var, n, body) => {
                    self.loops.push((var.clone(), n.clone()));
                    let body = self.host(body);
                    self.loops.pop();
                    Host::Loop { var, n, body }
                }
            });
        }
        out
    }

    /// Lifts the command: what it uses and does not allocate becomes its parameters.
    fn section(&mut self, target: Target, command: &Phrase, launch: Option<Launch>, origin: Origin) -> Host {
        let one = Nat::constant(1);
        let (mut body, mut turns, mut bounds) = (command.clone(), vec![], vec![]);
        // Sizes are at least one, iterations start at zero.
        for (var, n) in self.loops.clone() {
            let turn = self.names.fresh("turn");
            body = body.at_iteration(&var, &Nat::var(&turn).sub(&one), self.names);
            bounds.push(SizeConstraint::AtMost(Nat::var(&turn), n.clone()));
            turns.push(Turn { name: turn, var, n });
        }
        let uses = uses(&body);
        let (mut outputs, mut inputs, mut temporaries) = (vec![], vec![], vec![]);
        for (x, ty) in self.memory() {
            let Some(of) = uses.get(&x) else { continue };
            let is_input = self.whole.inputs.iter().any(|(y, _)| *y == x);
            match (of.reads, of.writes) {
                (true, false) if is_input || is_arrays(&ty) => inputs.push((x, ty)),
                (false, true) => outputs.push((x, ty)),
                // Read and written, or a number that lies in memory.
                _ => temporaries.push(Temporary { name: x, ty, storage: Storage::Global }),
            }
        }
        let sizes =
            self.whole.sizes.iter().cloned().chain(turns.iter().map(|turn| turn.name.clone())).collect();
        let constraints = self.whole.constraints.iter().cloned().chain(bounds).collect();
        let kind = if target == Target::OpenCl { 'k' } else { 'h' };
        let before = self.sections.iter().filter(|s| s.program.target == target).count();
        let name = Some(format!("{kind}{before}"));
        let synchronised = false;
        let program = Imperative {
            target,
            outputs,
            inputs,
            sizes,
            constraints,
            temporaries,
            launch,
            synchronised,
            body,
        };
        self.sections.push(Section { name, program, turns, uses, origin });
        Host::Run(self.sections.len() - 1)
    }

    /// The memory that several sections can use.
    fn memory(&self) -> Vec<(Name, Type)> {
        [&self.whole.outputs, &self.whole.inputs, &self.buffers].into_iter().flatten().cloned().collect()
    }
}

/// Are all components of the type arrays?
fn is_arrays(t: &Type) -> bool {
    match (t.as_array().or(t.as_vector()), t.as_pair()) {
        (Some(_), _) => true,
        (None, Some((a, b))) => is_arrays(a) && is_arrays(b),
        (None, None) => false,
    }
}

fn undecided(why: &str) -> Diagnostic {
    Diagnostic::error("E0542", format!("A kernel of `oclRun` cannot be launched here: {why}."))
        .note("The host launches kernels one after the other, in an order that it knows beforehand.")
        .about(Subject::Pattern(Pattern::OclRun))
        .hint("Give the kernel's result a name with `let` before it, or put the `oclRun` around more of the program.")
}
