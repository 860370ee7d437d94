//! Memory that nothing reads, and commands that do nothing.

use crate::dpia::effects::{self, Place};
use crate::dpia::{Kind, Phrase, PhraseType};
use crate::lang::nat::Name;
use crate::lang::ty::Type;
use crate::target::Storage;
use rustc_hash::FxHashSet;

/// The phrase without memory that nothing reads, and without what only such memory needs.
pub fn dropped(p: &Phrase) -> Phrase {
    let mut whole = p.clone();
    loop {
        let less = dropped_once(&whole, &read(&whole));
        if less == whole {
            return whole;
        }
        whole = less;
    }
}

/// `read`: what the whole program reads. What something only reads that goes is dropped the next time.
fn dropped_once(p: &Phrase, read: &FxHashSet<Name>) -> Phrase {
    if p.ty() != &PhraseType::Comm {
        return p.clone();
    }
    let Ok(p) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(dropped_once(c, read)));
    match p.kind() {
        Kind::New(_, _, x, _) if read.contains(x) => p,
        Kind::New(storage, ty, x, body) => new_in(*storage, ty, x, body.clone()),
        _ => without_nothing(p),
    }
}

/// The memory that is read.
fn read(p: &Phrase) -> FxHashSet<Name> {
    let mut found = FxHashSet::default();
    p.any(&mut |e| {
        if let (Kind::Var(x), PhraseType::Exp(..)) = (e.kind(), e.ty()) {
            found.insert(x.clone());
        }
        false
    });
    found
}

fn reads(p: &Phrase, memory: &Name) -> bool {
    p.any(&mut |e| matches!((e.kind(), e.ty()), (Kind::Var(x), PhraseType::Exp(..)) if x == memory))
}

/// The allocation for a command; if nothing reads the memory, the command without what is written to it.
pub fn new_in(storage: Storage, ty: &Type, x: &Name, body: Phrase) -> Phrase {
    if !reads(&body, x) {
        let rest = without_writes(&body, x);
        if effects::of_memory(&rest, x).is_empty() {
            return rest;
        }
    }
    Phrase::new_in(storage, ty.clone(), x.clone(), body)
}

/// A loop or a choice that does nothing is nothing.
pub fn without_nothing(p: Phrase) -> Phrase {
    let does_nothing = match p.kind() {
        Kind::For(l) => matches!(l.body.kind(), Kind::Skip),
        Kind::If(_, a, b) => [a, b].iter().all(|c| matches!(c.kind(), Kind::Skip)),
        _ => false,
    };
    if does_nothing { Phrase::skip() } else { p }
}

/// The command without what is written to the memory.
fn without_writes(command: &Phrase, memory: &Name) -> Phrase {
    match command.kind() {
        Kind::Assign(to, _) if Place::of(to).is_some_and(|p| p.memory.as_ref() == Some(memory)) => {
            Phrase::skip()
        }
        _ if command.ty() != &PhraseType::Comm => command.clone(),
        _ => {
            let Ok(rest) =
                command.map_children::<std::convert::Infallible>(&mut |c| Ok(without_writes(c, memory)));
            without_nothing(rest)
        }
    }
}
