//! What is copied between kernels is copied on the device.
//!
//! Copies of arrays from kernel to kernel, which the translation or the program asks for, would be steps of the host: the
//! array would come from the device and go back. They become kernels, whose work-items share out the copy.

use crate::dpia::effects::Place;
use crate::dpia::{Imperative, Kind, LoopKind, Names, Phrase, PhraseType, Workers};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::separate::has_kernel;
use crate::target::Launch;
use std::collections::BTreeSet;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    if !has_kernel(&p.body) {
        return Ok(p);
    }
    let mut device = Device::default();
    p.inputs.iter().for_each(|(x, _)| device.has(x));
    p.outputs.iter().for_each(|(x, _)| device.takes(x));
    device.note(&p.body);
    p.body = device.copying(&p.body);
    Ok(p)
}

/// Which memory is the device's.
#[derive(Default)]
struct Device {
    /// Its kernels, or who calls the program, have written it.
    written: BTreeSet<Name>,
    used: BTreeSet<Name>,
}

impl Device {
    fn has(&mut self, x: &Name) {
        self.written.insert(x.clone());
        self.used.insert(x.clone());
    }

    fn takes(&mut self, x: &Name) {
        self.used.insert(x.clone());
    }

    fn note(&mut self, c: &Phrase) {
        let Kind::Kernel(_, body) = c.kind() else {
            return c.children().into_iter().for_each(|c| self.note(c));
        };
        let _ = body.any(&mut |p| {
            match (p.kind(), p.ty()) {
                (Kind::Var(x), PhraseType::Acc(_)) => self.has(x),
                (Kind::Var(x), _) => self.takes(x),
                _ => {}
            }
            false
        });
    }

    /// The command in which copies between such memory are kernels.
    fn copying(&self, c: &Phrase) -> Phrase {
        if !has_kernel(c) {
            return self.copy_kernel(c, &mut vec![]).unwrap_or_else(|| c.clone());
        }
        match c.kind() {
            Kind::Kernel(..) => c.clone(),
            _ => {
                let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(self.copying(d)));
                c
            }
        }
    }

    /// A kernel for a nest of loops that copies, each iteration another cell.
    fn copy_kernel(&self, c: &Phrase, loops: &mut Vec<(Name, Nat)>) -> Option<Phrase> {
        match c.kind() {
            Kind::For(l) if l.kind == LoopKind::Sequential => {
                (l.init.is_zero() && l.step == Nat::constant(1)).then_some(())?;
                loops.push((l.var.clone(), l.n.clone()));
                self.copy_kernel(&l.body, loops)
            }
            Kind::Assign(to, from) => {
                let (at, of) = (Place::of(to)?, Place::of(from)?);
                let (x, y) = (at.memory.as_ref()?, of.memory.as_ref()?);
                let is_device = self.used.contains(x) && self.written.contains(y) && x != y;
                let is_array = !loops.is_empty() && of.computed.is_empty();
                (is_device && is_array && has_each_once(&at, loops)).then_some(())?;
                Some(on_device(c, loops))
            }
            _ => None,
        }
    }
}

/// Are the indices the variables of the loops, each once?
fn has_each_once(place: &Place, loops: &[(Name, Nat)]) -> bool {
    let variable = |i: Option<&Nat>| match i?.as_variable()? {
        NatVar::Named(x) => Some(x.clone()),
        _ => None,
    };
    let indices: Option<Vec<Name>> = place.indices().into_iter().map(variable).collect();
    indices.is_some_and(|mut indices| {
        let mut variables: Vec<Name> = loops.iter().map(|(x, _)| x.clone()).collect();
        variables.sort();
        indices.sort();
        indices == variables
    })
}

/// The command, in these loops, in a kernel of its own: up to three of them are shared out, the innermost in dimension 0.
fn on_device(c: &Phrase, loops: &[(Name, Nat)]) -> Phrase {
    let one = || Nat::constant(1);
    let (mut local, mut global) = ([one(), one(), one()], [one(), one(), one()]);
    let groups: [i64; 3] = if loops.len() < 2 { [256, 1, 1] } else { [32, 8, 1] };
    let mut body = c.clone();
    for (d, (var, n)) in (0_u8..).zip(loops.iter().rev()) {
        let at = usize::from(d);
        let kind = match (groups.get(at), local.get_mut(at), global.get_mut(at)) {
            (Some(items), Some(local), Some(global)) => {
                *local = Nat::constant(*items);
                *global = local.mul(&n.add(local).sub(&one()).floor_div(local));
                LoopKind::Parallel(Workers::Global(d))
            }
            _ => LoopKind::Sequential,
        };
        body = Phrase::for_each(kind, var.clone(), n.clone(), body);
    }
    Phrase::kernel(Launch { local, global }, body).with_origin(c.origin())
}
