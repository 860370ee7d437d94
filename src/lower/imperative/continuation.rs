//! The continuation translation 𝒞: makes an expression readable (thesis section 3.1.3).
//!
//! What must happen before goes to the block; the expression returned holds no allocation, reduction or sharing that
//! is not behind the function of a lazy `map` or `generate`.

use super::acceptor::loop_kind;
use super::deferred::must_be_chosen;
use super::translate::{Block, Translated, Translator, untranslated};
use crate::dpia::signature::{is_written, signature};
use crate::dpia::{Kind, Phrase, extent};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::Arg;

impl Translator {
    /// 𝒞⟦e⟧, the rest of the block being its continuation.
    ///
    /// # Errors
    /// A pattern that has no translation.
    pub fn continuation(&mut self, e: &Phrase, block: &mut Block) -> Translated<Phrase> {
        self.made_for(e, |t| t.readable(e, block))
    }

    fn readable(&mut self, e: &Phrase, block: &mut Block) -> Translated<Phrase> {
        let (p, args, ps) = match e.kind() {
            Kind::App(f, value) => {
                let body = self.named(f, value, block)?;
                return self.continuation(&body, block);
            }
            Kind::Pattern(p, args, ps) => (*p, args, ps.as_slice()),
            _ => return Ok(e.clone()),
        };
        match (p, ps) {
            (Pattern::Let, [value, f]) => {
                let body = self.named(f, value, block)?;
                self.continuation(&body, block)
            }
            // An accumulator is in memory.
            (Pattern::ToMem, [x]) if is_accumulator(x, space(args)) => self.continuation(x, block),
            (Pattern::ToMem, [x]) => {
                let (read, write) = self.allocate(space(args), &x.data(), block);
                let command = self.block(|t, inner| t.acceptor(x, &write, inner))?;
                block.push(command);
                Ok(read)
            }
            (p, [f, init, x]) if p.is_lowered_reduce() && p.is_local() => {
                self.reduce_in_group(args, (f, init, x), loop_kind(p, args), block)
            }
            (p, [f, init, x]) if p.is_lowered_reduce() => {
                let x = self.continuation(x, block)?;
                let (read, write) = self.allocate(space(args), &init.data(), block);
                let start = self.block(|t, inner| t.acceptor(init, &write, inner))?;
                block.push(start);
                self.for_each(loop_kind(p, args), &extent(&x.data()), block, |t, i, inner| {
                    let step = t.apply(f, &read, inner)?;
                    let element = Phrase::idx(i, x);
                    let update = t.update(space(args), &read, &write, |t, to, b| {
                        let body = t.apply(&step, &element, b)?;
                        t.acceptor(&body, to, b)
                    })?;
                    inner.push(update);
                    Ok(())
                })?;
                Ok(read)
            }
            // Reading the place of an element of a lazy map runs its function.
            (Pattern::Idx | Pattern::Fst | Pattern::Snd, _) if !e.data().has_array() && has_effects(e) => {
                self.read(e, vec![], block)
            }
            (Pattern::Select | Pattern::MapFst | Pattern::MapSnd, _)
                if has_effects(e) && !e.data().has_array() =>
            {
                self.read(e, vec![], block)
            }
            (Pattern::Select, [c, a, b]) if has_effects(e) && [a, b].into_iter().any(must_be_chosen) => {
                let (chosen, write) = self.allocate(AddressSpace::Private, &c.data(), block);
                let c = self.continuation(c, block)?;
                self.assign(&write, &c, block);
                let (mut first, mut second) = (Block::default(), Block::default());
                let a = self.continuation(a, &mut first)?;
                let b = self.continuation(b, &mut second)?;
                block.extend(first, |c| Ok(Phrase::if_else(chosen.clone(), c.clone(), Phrase::skip())))?;
                let otherwise = Phrase::negated(chosen.clone());
                block
                    .extend(second, |c| Ok(Phrase::if_else(otherwise.clone(), c.clone(), Phrase::skip())))?;
                Ok(Phrase::pattern(p, args.clone(), vec![chosen, a, b], e.data(), e.access()))
            }
            (p, _) if p.is_stream() || is_written(p) || signature(p).is_none() => Err(untranslated(p)),
            // Everything else is as it is, over arguments that can be read. Functions stay for when they are used.
            _ => {
                let ps = ps
                    .iter()
                    .map(|q| {
                        if matches!(q.kind(), Kind::Lam(..)) {
                            Ok(q.clone())
                        } else {
                            self.continuation(q, block)
                        }
                    })
                    .collect::<Translated<Vec<_>>>()?;
                Ok(Phrase::pattern(p, args.clone(), ps, e.data(), e.access()).with_origin(e.origin()))
            }
        }
    }

    /// A command that gives the memory behind `read` and `write` a new value, which `make` writes to where it is told and
    /// which may read the old one: it is written aside and copied. The pass `inPlace` drops the copy where it can.
    pub fn update(
        &mut self,
        space: AddressSpace,
        read: &Phrase,
        write: &Phrase,
        make: impl FnOnce(&mut Translator, &Phrase, &mut Block) -> Translated<()>,
    ) -> Translated<Phrase> {
        self.block(|t, inner| {
            let (new, aside) = t.allocate_as("next", space, &read.data(), inner);
            let command = t.block(|t, b| make(t, &aside, b))?;
            inner.push(command);
            t.copy(write, &new, inner)
        })
    }
}

pub(super) fn space(args: &[Arg]) -> AddressSpace {
    args.iter()
        .find_map(|a| if let Arg::Addr(a) = a { Some(*a) } else { None })
        .unwrap_or(AddressSpace::Private)
}

/// Is the value a reduction's, which leaves it in the address space?
fn is_accumulator(e: &Phrase, wanted: AddressSpace) -> bool {
    matches!(e.kind(), Kind::Pattern(p, args, _) if p.is_lowered_reduce() && space(args) == wanted)
}

/// Is there anything in the expression that needs commands?
pub fn has_effects(e: &Phrase) -> bool {
    e.any(&mut |p| match p.kind() {
        Kind::App(..) => true,
        Kind::Pattern(p, _, _) => matches!(p, Pattern::Let | Pattern::ToMem) || p.is_lowered_reduce(),
        _ => false,
    })
}
