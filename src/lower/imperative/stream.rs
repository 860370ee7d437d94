//! The stream translation 𝒮: elements one after the other, as the consumer asks for them (thesis section 4.2.2).
//!
//! A stream is set up once, before the loop that consumes it: its buffers are allocated, and filled with what the first
//! element needs. The loop then asks for element after element, in order; asking makes the commands that bring the next
//! element about. Any array is a stream of its elements.

use super::translate::{Block, Translated, Translator, unexpected};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use crate::lang::ty::Type;
use crate::lower::dpia::{Access, Kind, LoopKind, Phrase, PhraseType, extent};

pub enum Stream {
    Array(Phrase),
    /// Each element of a stream, by a function.
    Map(Box<Stream>, Phrase),
    Zip(Box<Stream>, Box<Stream>),
    Windows(Box<Windows>),
}

/// The last elements of a stream, each stored once.
pub struct Windows {
    of: Stream,
    /// What is stored of an element.
    load: Phrase,
    read: Phrase,
    write: Phrase,
    size: Nat,
    storage: Storage,
}

enum Storage {
    /// Written round and round; the number of its elements.
    Circular(Nat),
    /// As many values as a window has, which move along.
    Rotating,
}

impl Windows {
    /// Values rotate through registers when their indices are constants.
    fn loop_kind(&self) -> LoopKind {
        let is_constant = self.size.as_constant().is_some();
        match self.storage {
            Storage::Rotating if is_constant => LoopKind::Unrolled,
            _ => LoopKind::Sequential,
        }
    }
}

impl Translator {
    /// Sets up the stream of an array's elements.
    ///
    /// # Errors
    /// A pattern that has no translation.
    pub fn stream(&mut self, e: &Phrase, block: &mut Block) -> Translated<Stream> {
        let (p, args, ps) = match e.kind() {
            Kind::App(f, value) => {
                let value = self.continuation(value, block)?;
                let body = self.apply(f, &value, block)?;
                return self.stream(&body, block);
            }
            Kind::Pattern(p, args, ps) => (p, args, ps),
            _ => return Ok(Stream::Array(self.continuation(e, block)?)),
        };
        match (p, ps.as_slice()) {
            (Pattern::Let, [value, f]) => {
                let value = self.continuation(value, block)?;
                let body = self.apply(f, &value, block)?;
                self.stream(&body, block)
            }
            (Pattern::MapStream, [f, x]) => Ok(Stream::Map(Box::new(self.stream(x, block)?), f.clone())),
            (Pattern::Map, [f, x]) if e.access() == Access::Stream => {
                Ok(Stream::Map(Box::new(self.stream(x, block)?), f.clone()))
            }
            (Pattern::Zip, [a, b]) if e.access() == Access::Stream => {
                let a = self.stream(a, block)?;
                Ok(Stream::Zip(Box::new(a), Box::new(self.stream(b, block)?)))
            }
            (Pattern::CircularBuffer | Pattern::RotateValues, [load, x]) => {
                let numbers: Vec<&Nat> =
                    args.iter().filter_map(|a| if let Arg::Nat(n) = a { Some(n) } else { None }).collect();
                let (storage, size) = match numbers.as_slice() {
                    [size] => (Storage::Rotating, *size),
                    [alloc, size] => (Storage::Circular((*alloc).clone()), *size),
                    _ => return Err(unexpected("a buffer without its size")),
                };
                self.windows(args, load, x, storage, size, block)
            }
            _ => Ok(Stream::Array(self.continuation(e, block)?)),
        }
    }

    fn windows(
        &mut self,
        args: &[Arg],
        load: &Phrase,
        x: &Phrase,
        storage: Storage,
        size: &Nat,
        block: &mut Block,
    ) -> Translated<Stream> {
        let of = self.stream(x, block)?;
        let PhraseType::Fun(types) = load.ty() else { return Err(unexpected("a buffer of no function")) };
        let Some(stored) = types.1.data() else { return Err(unexpected("a buffer of no data")) };
        let cells = match &storage {
            Storage::Circular(alloc) => alloc.clone(),
            Storage::Rotating => size.clone(),
        };
        if !cells.sub(size).is_natural(&Ranges::default()) {
            return Err(too_small(&cells, size));
        }
        let space = super::continuation::space(args);
        let (read, write) = self.allocate(space, &Type::array(cells.clone(), stored.clone()), block);
        let windows = Windows { of, load: load.clone(), read, write, size: size.clone(), storage };
        // All but the last element of the first window; rotating values make room before each element.
        let before = size.sub(&Nat::constant(1));
        let offset = Nat::constant(i64::from(matches!(windows.storage, Storage::Rotating)));
        let kind = windows.loop_kind();
        self.for_each(kind, &before, block, |t, j, inner| {
            let Some((j, _)) = j.as_number() else { return Err(unexpected("a loop of no number")) };
            t.load(&windows, &j, j.add(&offset), &cells, inner)
        })?;
        Ok(Stream::Windows(Box::new(windows)))
    }

    /// Stores element `i` of the stream behind the windows in a cell of the buffer.
    fn load(&mut self, w: &Windows, i: &Nat, cell: Nat, cells: &Nat, block: &mut Block) -> Translated<()> {
        let command = self.block(|t, inner| {
            let element = t.next(&w.of, i, inner)?;
            let stored = t.apply(&w.load, &element, inner)?;
            let cell = Phrase::number(cell, Type::index(cells.clone()));
            t.acceptor(&stored, &Phrase::idx_acc(cell, w.write.clone()), inner)
        })?;
        block.push(command);
        Ok(())
    }

    /// Element `i` of a stream, to be asked for in order; it can be read until the next one is asked for.
    ///
    /// # Errors
    /// A pattern that has no translation.
    pub fn next(&mut self, s: &Stream, i: &Nat, block: &mut Block) -> Translated<Phrase> {
        match s {
            Stream::Array(x) => {
                let i = Phrase::number(i.clone(), Type::index(extent(&x.data())));
                Ok(Phrase::idx(i, x.clone()))
            }
            Stream::Map(of, f) => {
                let element = self.next(of, i, block)?;
                let body = self.apply(f, &element, block)?;
                self.continuation(&body, block)
            }
            Stream::Zip(a, b) => {
                let a = self.next(a, i, block)?;
                let b = self.next(b, i, block)?;
                let ty = Type::pair(a.data(), b.data());
                Ok(Phrase::pattern(Pattern::MakePair, vec![], vec![a, b], ty, Access::Read))
            }
            Stream::Windows(w) => {
                let last = w.size.sub(&Nat::constant(1));
                let newest = i.add(&last);
                match &w.storage {
                    Storage::Circular(alloc) => {
                        self.load(w, &newest, newest.modulo(alloc), alloc, block)?;
                        Ok(self.window(w, i, alloc))
                    }
                    Storage::Rotating => {
                        self.for_each(w.loop_kind(), &last, block, |t, j, inner| {
                            let Some((j, _)) = j.as_number() else {
                                return Err(unexpected("a loop of no number"));
                            };
                            let at = |j: Nat| Phrase::number(j, Type::index(w.size.clone()));
                            let to = Phrase::idx_acc(at(j.clone()), w.write.clone());
                            t.copy(&to, &Phrase::idx(at(j.add(&Nat::constant(1))), w.read.clone()), inner)
                        })?;
                        self.load(w, &newest, last, &w.size, block)?;
                        Ok(w.read.clone())
                    }
                }
            }
        }
    }

    /// `generate (\j. buffer[(i + j) % alloc])`
    fn window(&mut self, w: &Windows, i: &Nat, alloc: &Nat) -> Phrase {
        let (j, part): (Name, Name) = (self.names.fresh("j"), self.names.numbered("k"));
        let index = PhraseType::read(Type::index(w.size.clone()));
        let at = Kind::Number(
            i.add(&Nat::var(&part)).modulo(alloc),
            vec![(part.clone(), Phrase::var(&j, index.clone()))],
        );
        let at = Phrase::new(at, PhraseType::read(Type::index(alloc.clone())));
        let cell = Phrase::idx(at, w.read.clone());
        let ty = Type::array(w.size.clone(), cell.data());
        let f = Phrase::lam(j, index, cell);
        Phrase::pattern(Pattern::Generate, vec![], vec![f], ty, Access::Read)
    }
}

fn too_small(cells: &Nat, size: &Nat) -> Diagnostic {
    Diagnostic::error(
        "E0526",
        format!("A circular buffer of {cells} elements cannot hold windows of {size}."),
    )
    .note("While a window is read, all of its elements must be in the buffer.")
    .hint(format!("Write `circularBuffer {size} {size}`, or give it more elements than its windows have."))
}
