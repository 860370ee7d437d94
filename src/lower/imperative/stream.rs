//! The stream translation 𝒮: elements one after the other, as the consumer asks for them (thesis section 4.2.2).
//!
//! A stream is set up once, before the loop that consumes it: its buffers are allocated, and filled with what the first
//! element needs. The loop then asks for element after element, in order; asking makes the commands that bring the next
//! element about. Any array is a stream of its elements.

use super::translate::{Block, Translated, Translator, unexpected};
use crate::dpia::{Access, Kind, LoopKind, Phrase, PhraseType, extent};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lang::origin::Origin;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::Arg;
use crate::lang::ty::Type;

pub enum Stream {
    Array(Phrase),
    /// Each element of a stream, by a function.
    Map(Box<Stream>, Phrase),
    Zip(Box<Stream>, Box<Stream>),
    Windows(Box<Windows>),
}

/// Windows of a stream's elements, each element stored once.
pub struct Windows {
    of: Stream,
    /// What is stored of an element.
    load: Phrase,
    read: Phrase,
    write: Phrase,
    /// The number of elements that can be stored.
    cells: Nat,
    /// How far each window is after the last.
    step: Nat,
    /// The number of a window's elements that are in the last one too.
    kept: Nat,
    /// The number of those that are not.
    new: Nat,
    /// The number of elements between two windows.
    skipped: Nat,
    storage: Storage,
    origin: Origin,
}

/// So many new values of a window are a block.
const BLOCK: i64 = 4;

enum Storage {
    /// Written round and round.
    Circular,
    /// As many values as a window has, which move along.
    Rotating,
}

impl Windows {
    fn size(&self) -> Nat {
        self.kept.add(&self.new)
    }

    /// Values rotate through registers when their indices are constants; blocks of them are written in loops, which
    /// compilers vectorise.
    fn loop_kind(&self) -> LoopKind {
        let is_constant = self.kept.as_constant().is_some();
        match self.storage {
            Storage::Rotating if is_constant && self.new.as_constant().is_some_and(|n| n < BLOCK) => {
                LoopKind::Unrolled
            }
            _ => LoopKind::Sequential,
        }
    }

    /// The index of a stored element.
    fn cell(&self, j: Nat) -> Phrase {
        Phrase::number(j, Type::index(self.cells.clone()))
    }
}

impl Stream {
    /// Must elements that nobody reads be asked for, because something is stored on the way?
    fn has_memory(&self) -> bool {
        match self {
            Stream::Array(_) => false,
            Stream::Map(of, _) => of.has_memory(),
            Stream::Zip(a, b) => a.has_memory() || b.has_memory(),
            Stream::Windows(_) => true,
        }
    }
}

impl Translator {
    /// Sets up the stream of an array's elements.
    ///
    /// # Errors
    /// A pattern that has no translation.
    pub fn stream(&mut self, e: &Phrase, block: &mut Block) -> Translated<Stream> {
        self.made_for(e, |t| t.set_up(e, block))
    }

    fn set_up(&mut self, e: &Phrase, block: &mut Block) -> Translated<Stream> {
        let (p, args, ps) = match e.kind() {
            Kind::App(f, value) => {
                let body = self.named(f, value, block)?;
                return self.stream(&body, block);
            }
            Kind::Pattern(p, args, ps) => (p, args, ps),
            _ => return Ok(Stream::Array(self.continuation(e, block)?)),
        };
        match (p, ps.as_slice()) {
            (Pattern::Let, [value, f]) => {
                let body = self.named(f, value, block)?;
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
                let (storage, cells, size, step) = match numbers.as_slice() {
                    [size, step] => (Storage::Rotating, *size, *size, *step),
                    [cells, size, step] => (Storage::Circular, *cells, *size, *step),
                    _ => return Err(unexpected("a buffer without its size")),
                };
                holds(cells, size, super::continuation::space(args))
                    .map_err(|d| d.about(Subject::With(*p, args.clone())))?;
                let (kept, new, skipped) =
                    overlap(*p, size, step).map_err(|d| d.about(Subject::With(*p, args.clone())))?;
                let of = self.stream(x, block)?;
                let PhraseType::Fun(types) = load.ty() else {
                    return Err(unexpected("a buffer of no function"));
                };
                let Some(stored) = types.1.data() else { return Err(unexpected("a buffer of no data")) };
                let all = Type::array(cells.clone(), stored.clone());
                let (read, write) = self.allocate(super::continuation::space(args), &all, block);
                let (load, cells, step) = (load.clone(), cells.clone(), step.clone());
                let origin = self.at.clone();
                self.filled(
                    Windows { of, load, read, write, cells, step, kept, new, skipped, storage, origin },
                    block,
                )
            }
            _ => Ok(Stream::Array(self.continuation(e, block)?)),
        }
    }

    /// The windows, with the elements that the first one has in common with one before it.
    fn filled(&mut self, w: Windows, block: &mut Block) -> Translated<Stream> {
        if !w.kept.is_zero() {
            // Rotating values make room before new ones come.
            let room = if matches!(w.storage, Storage::Rotating) { w.step.clone() } else { Nat::constant(0) };
            self.count(w.loop_kind(), &w.kept, block, |t, j, inner| t.load(&w, &j, j.add(&room), inner))?;
        }
        Ok(Stream::Windows(Box::new(w)))
    }

    /// A loop of which the body is given the number of the iteration; none where there is one alone.
    fn count(
        &mut self,
        kind: LoopKind,
        n: &Nat,
        block: &mut Block,
        body: impl FnOnce(&mut Translator, Nat, &mut Block) -> Translated<()>,
    ) -> Translated<()> {
        if n.as_constant() == Some(1) {
            return body(self, Nat::constant(0), block);
        }
        self.for_each(kind, n, block, |t, j, inner| match j.as_number() {
            Some((j, _)) => body(t, j, inner),
            None => Err(unexpected("a loop of no number")),
        })
    }

    /// Stores element `i` of the stream behind the windows in a cell of the buffer.
    fn load(&mut self, w: &Windows, i: &Nat, cell: Nat, block: &mut Block) -> Translated<()> {
        let command = self.block(|t, inner| {
            let element = t.next(&w.of, i, inner)?;
            let stored = t.apply(&w.load, &element, inner)?;
            t.acceptor(&stored, &Phrase::idx_acc(w.cell(cell), w.write.clone()), inner)
        })?;
        block.push(command);
        Ok(())
    }

    /// Stores the elements of window `i`, those before it being stored.
    fn advance(&mut self, w: &Windows, i: &Nat, block: &mut Block) -> Translated<()> {
        let around = std::mem::replace(&mut self.at, w.origin.clone());
        let done = self.advanced(w, i, block);
        self.at = around;
        done
    }

    fn advanced(&mut self, w: &Windows, i: &Nat, block: &mut Block) -> Translated<()> {
        let start = w.step.mul(i);
        if !w.skipped.is_zero() && w.of.has_memory() {
            let passing = self.block(|t, inner| {
                t.count(LoopKind::Sequential, &w.skipped, inner, |t, j, b| {
                    t.pass(&w.of, &start.sub(&w.skipped).add(&j), b)
                })
            })?;
            // Nothing is before the first window.
            let number = |n: Nat| Phrase::number(n, Type::nat_type());
            let follows = Phrase::less(number(Nat::constant(0)), number(i.clone()));
            block.push(Phrase::if_else(follows, passing, Phrase::skip()).with_origin(&self.at));
        }
        let rotates = matches!(w.storage, Storage::Rotating);
        if rotates && !w.kept.is_zero() {
            self.count(w.loop_kind(), &w.kept, block, |t, j, inner| {
                let to = Phrase::idx_acc(w.cell(j.clone()), w.write.clone());
                let value = Phrase::idx(w.cell(j.add(&w.step)), w.read.clone());
                // What copies a value in says who does it, and in what kind of loop.
                if is_copy(&w.load) {
                    let copied = t.apply(&w.load, &value, inner)?;
                    return t.acceptor(&copied, &to, inner);
                }
                t.copy(&to, &value, inner)
            })?;
        }
        self.count(w.loop_kind(), &w.new, block, |t, j, inner| {
            let of_window = w.kept.add(&j);
            let at = start.add(&of_window);
            // Without elements of the last window each can start where the buffer does.
            let cell = if rotates || w.kept.is_zero() { of_window } else { at.modulo(&w.cells) };
            t.load(w, &at, cell, inner)
        })
    }

    /// Goes past element `i` of a stream.
    fn pass(&mut self, s: &Stream, i: &Nat, block: &mut Block) -> Translated<()> {
        match s {
            Stream::Array(_) => Ok(()),
            Stream::Map(of, _) => self.pass(of, i, block),
            Stream::Zip(a, b) => {
                self.pass(a, i, block)?;
                self.pass(b, i, block)
            }
            Stream::Windows(w) => self.advance(w, i, block),
        }
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
                self.advance(w, i, block)?;
                Ok(match w.storage {
                    Storage::Circular => self.window(w, i),
                    Storage::Rotating => w.read.clone(),
                })
            }
        }
    }

    /// `generate (\j. buffer[(step * i + j) % cells])`, or `buffer[j]` where windows have nothing in common.
    fn window(&mut self, w: &Windows, i: &Nat) -> Phrase {
        let (j, part): (Name, Name) = (self.names.fresh("j"), self.names.numbered("k"));
        let index = PhraseType::read(Type::index(w.size()));
        let cell = Nat::var(&part);
        let cell = if w.kept.is_zero() { cell } else { w.step.mul(i).add(&cell).modulo(&w.cells) };
        let at = Kind::Number(cell, vec![(part.clone(), Phrase::var(&j, index.clone()))]);
        let at = Phrase::new(at, PhraseType::read(Type::index(w.cells.clone())));
        let cell = Phrase::idx(at, w.read.clone());
        let ty = Type::array(w.size(), cell.data());
        let f = Phrase::lam(j, index, cell);
        Phrase::pattern(Pattern::Generate, vec![], vec![f], ty, Access::Read)
    }
}

/// Does the function return what it is given, perhaps by loops that copy it?
fn is_copy(f: &Phrase) -> bool {
    let Kind::Lam(x, _, body) = f.kind() else { return false };
    let is_given = |e: &Phrase| matches!(e.kind(), Kind::Var(y) if y == x);
    match body.kind() {
        Kind::Pattern(p, _, ps) if p.is_loop() => {
            matches!(ps.as_slice(), [g, xs] if is_copy(g) && is_given(xs))
        }
        _ => is_given(body) && !body.data().has_array(),
    }
}

/// # Errors
/// A buffer in which there is no room for a window, or perhaps none.
fn holds(cells: &Nat, size: &Nat, space: AddressSpace) -> Translated<()> {
    let ranges = Ranges::default();
    if cells.sub(size).is_natural(&ranges) {
        return Ok(());
    }
    // The address space is said where it is not the one that may be left out.
    let space = if space == AddressSpace::Private { String::new() } else { format!("{} ", space.name()) };
    let hint = format!(
        "Give it as many elements as its windows have, or more, as in `circularBuffer {space}{size} {size} …`."
    );
    let problem = if size.sub(cells).sub(&Nat::constant(1)).is_natural(&ranges) {
        let message = format!("A circular buffer of {cells} elements cannot hold windows of {size}.");
        Diagnostic::error("E0526", message).hint(hint)
    } else {
        let message =
            format!("Whether a circular buffer of {cells} elements can hold windows of {size} is not known.");
        let problem = Diagnostic::error("E0526", message).hint(hint);
        match size
            .sub(cells)
            .vars()
            .iter()
            .find_map(|v| if let NatVar::Named(n) = v { Some(n) } else { None })
        {
            Some(n) => problem.hint(format!("Or give the size, as in `--size {n}=64`.")),
            None => problem,
        }
    };
    Err(problem.note("While a window is read, all of its elements must be in the buffer."))
}

/// How many elements of a window are in the last one too, how many are new, and how many are between them.
///
/// # Errors
/// Sizes of which it is not known whether windows overlap.
fn overlap(p: Pattern, size: &Nat, step: &Nat) -> Translated<(Nat, Nat, Nat)> {
    let none = Nat::constant(0);
    let (kept, skipped) = (size.sub(step), step.sub(size));
    if kept.is_natural(&Ranges::default()) {
        Ok((kept, step.clone(), none))
    } else if skipped.is_natural(&Ranges::default()) {
        Ok((none, size.clone(), skipped))
    } else {
        let message = format!(
            "Whether the windows of `{p}` overlap is not known: they have {size} elements, each {step} after the last."
        );
        Err(Diagnostic::error("E0502", message).hint(
            "Write the size of windows or the stride as a number, or give the sizes, as in `--size n=64`.",
        ))
    }
}
