//! What the barriers of a kernel are for, and why its memory is where it is, in sentences.

use super::Language;
use super::module::Module;
use crate::lang::diag::sentence;
use crate::lang::nat::Name;
use crate::lang::pattern::AddressSpace;
use crate::lang::ty::Type;
use crate::lower::dpia::{Barrier, Imperative, Kind, Loop, LoopKind, Phrase, Race, Workers, barriers};
use crate::lower::passes::memory::bytes;
use crate::lower::pipeline::{Lowered, LoweredSection};
use crate::lower::target::{Storage, Target};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text of the stage: the barriers in the order in which they stand in the kernel, then all memory. Of several kernels
/// those of the module.
pub fn text(lowered: &Lowered, module: &Module) -> String {
    let is_launched = |s: &LoweredSection| {
        let is_it = |name: &String| module.kernels(Language::OpenCl).any(|k| k.name == *name);
        s.section.name.as_ref().is_none_or(is_it)
    };
    let is_kernel = |s: &&LoweredSection| s.section.program.target == Target::OpenCl && is_launched(s);
    let kernels = lowered.sections.iter().filter(is_kernel);
    let of = |s: &LoweredSection| {
        let name = s.section.name.as_ref().map_or_else(String::new, |name| format!("-- {name}\n"));
        name + &of_kernel(lowered, s)
    };
    kernels.map(of).collect::<Vec<_>>().join("\n")
}

fn of_kernel(lowered: &Lowered, kernel: &LoweredSection) -> String {
    let last = &kernel.section.program;
    let found = barriers::all(&last.body);
    let mut out = match found.len() {
        0 => "No barrier: no work-item uses what another one of its group writes.\n".to_string(),
        1 => "One barrier.\n".into(),
        n => format!("{n} barriers.\n"),
    };
    let before = kernel.made.iter().find(|(name, _)| *name == "kernelMemory");
    let loops = before.map(|(_, p)| loops_of(&p.body)).unwrap_or_default();
    for (i, b) in found.iter().enumerate() {
        barrier(i + 1, b, &loops, &mut out);
    }
    // Where memory is asked for is said until it is decided; of what several kernels use, until they are separated.
    let undecided = [&lowered.imperative, &kernel.made]
        .map(|made| made.iter().take_while(|(name, _)| *name != "storage").last());
    let asked = undecided.into_iter().flatten().flat_map(|(_, p)| asked_of(&p.body)).collect();
    memory(&asked, last, &mut out);
    out
}

fn loops_of(c: &Phrase) -> BTreeMap<Name, Loop> {
    let mut found = BTreeMap::new();
    let _ = c.any(&mut |p| {
        if let Kind::For(l) = p.kind() {
            found.insert(l.var.clone(), (**l).clone());
        }
        false
    });
    found
}

fn barrier(number: usize, b: &Barrier, loops: &BTreeMap<Name, Loop>, out: &mut String) {
    let _ = writeln!(out, "\nBarrier {number} orders uses of {} memory.", b.spaces().join(" and "));
    let mut named: Vec<&Name> = vec![];
    for race in &b.races {
        let what = match (race.first.writes, race.second.writes) {
            (true, false) => "could be read before it is written",
            (false, _) => "could be overwritten before it is read",
            (true, true) => "could keep the older of two values",
        };
        let _ = writeln!(out, "  {}.", sentence(&race.to_string()));
        let _ = writeln!(out, "  Without the barrier a cell of `{}` {what}.", race.memory);
        named.extend(loops.keys().filter(|x| mentions(race, x) && !named.contains(x)).collect::<Vec<_>>());
    }
    for x in named {
        if let Some(l) = loops.get(x) {
            let _ = writeln!(out, "    {x} < {}: {}", l.n, who(l.kind));
        }
    }
}

/// Does the text name the variable?
fn mentions(race: &Race, x: &Name) -> bool {
    let words = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == &**x);
    words(&race.first.cell) || words(&race.second.cell) || race.next_of.as_ref() == Some(x)
}

fn who(kind: LoopKind) -> String {
    match kind {
        LoopKind::Parallel(Workers::WorkGroup(d)) => format!("the work-groups of dimension {d}"),
        LoopKind::Parallel(Workers::Local(d)) => format!("the work-items of a group in dimension {d}"),
        LoopKind::Parallel(Workers::Global(d)) => format!("the work-items of dimension {d}"),
        _ => "a loop of every work-item".into(),
    }
}

fn memory(asked: &Asked, last: &Imperative, out: &mut String) {
    let mut all: Vec<(Name, Type, Storage)> =
        last.temporaries.iter().map(|t| (t.name.clone(), t.ty.clone(), t.storage)).collect();
    let _ = last.body.any(&mut |p| {
        if let Kind::New(storage, ty, x, _) = p.kind() {
            all.push((x.clone(), ty.clone(), *storage));
        }
        false
    });
    if all.is_empty() {
        out.push_str("\nNo memory of its own.\n");
        return;
    }
    out.push_str("\nMemory:\n");
    for (x, ty, storage) in &all {
        let size =
            bytes(ty).map_or_else(|| "as many bytes as its sizes say".into(), |n| format!("{n} bytes"));
        let _ = writeln!(out, "  {x}: {ty}, {size}, {}", place(*storage, ty));
        if let Some((space, own)) = asked.get(x) {
            let _ = writeln!(out, "    {}", reason(*storage, *space, own, ty));
        }
    }
}

/// The address space that each memory is asked for in, and its type there.
type Asked = BTreeMap<Name, (AddressSpace, Type)>;

fn asked_of(c: &Phrase) -> Asked {
    let mut found = BTreeMap::new();
    let _ = c.any(&mut |p| {
        if let Kind::New(Storage::Asked(space), ty, x, _) = p.kind() {
            found.insert(x.clone(), (*space, ty.clone()));
        }
        false
    });
    found
}

fn place(storage: Storage, ty: &Type) -> &'static str {
    match storage {
        Storage::Local if bytes(ty).is_some() => "an array in local memory",
        Storage::Local => "local memory, a parameter of the kernel",
        Storage::Global | Storage::Parameter => "global memory, a parameter of the kernel",
        _ => "the work-item's own",
    }
}

fn reason(storage: Storage, asked: AddressSpace, own: &Type, ty: &Type) -> String {
    let parts = if own == ty {
        String::new()
    } else {
        format!(" It has a part of type {own} for each of those who run it at once.")
    };
    let why = match storage {
        Storage::Parameter => match bytes(own) {
            Some(n) => format!("It is private, but {n} bytes are more than a work-item has of its own."),
            None => {
                "It is private, but its size is no number, so it may be more than a work-item has.".into()
            }
        },
        Storage::Local if bytes(ty).is_some() => "It is stored in local memory, which a group shares.".into(),
        Storage::Local => {
            "It is stored in local memory, which a group shares; its size is no number, so it is given."
                .into()
        }
        Storage::Global => "It is stored in global memory, which a kernel is given.".into(),
        Storage::Register => format!("It is {}, and so small that it can be in registers.", asked.name()),
        _ => format!("It is {}.", asked.name()),
    };
    why + &parts
}

#[cfg(test)]
mod tests {
    use crate::compile::compile;
    use crate::lang::diag::FileId;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::lower::{Target, pipeline};

    #[test]
    fn each_barrier_says_which_race_it_prevents() {
        let text = "def f (a: n.m.f32) = a |> mapWorkGroup 0 (\\x. x |> mapLocal 0 (\\v. v * 2) |> toMem local |> slide 3 1 |> mapLocal 0 (reduceSeq (+) 0))";
        let (file, _) = parse_program(FileId::NOWHERE, text);
        let p = infer::program(&file, None).0.unwrap();
        let lowered = pipeline::lower(&p.term, &p.sizes, Target::OpenCl).unwrap();
        let module = compile(&p, Target::OpenCl, None).unwrap().module;
        insta::assert_snapshot!(super::text(&lowered, &module));
    }
}
