//! A reduction by the work-items of a group (`reduceLocal`): a tree in local memory.
//!
//! The array is cut into parts, which work-items reduce each by themselves; then they reduce what the parts gave, a few
//! values at a time, until so few are left that each work-item combines them for itself, starting from the start value.
//! Nothing here asks how many work-items there are: loops are shared out as those of `mapLocal` are. Of a short array there
//! are fewer parts, and of every node in the tree it is asked whether there is a part under it; passes drop the question
//! where sizes answer it.
//!
//! Parts that lie next to each other keep the order of the elements, so the operator must be associative and nothing else.
//! Where the order of its operands does not matter, work-items take every so many-th element: they read side by side.

use super::translate::{Block, Translated, Translator};
use crate::dpia::{Kind, Loop, LoopKind, Phrase, extent};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::Nat;
use crate::lang::origin::Origin;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::Arg;
use crate::lang::ty::Type;

/// How many values a work-item combines at a time: with more there are fewer barriers, with less more work-items at work.
const BRANCHES: i64 = 4;

/// The parts of an array.
struct Parts {
    length: Nat,
    count: Nat,
    /// How many elements lie in a part; none where it takes every `count`-th element.
    block: Option<Nat>,
    /// What the reduction comes from.
    origin: Origin,
}

impl Parts {
    /// The first element of a part.
    fn first(&self, part: &Nat) -> Nat {
        self.block.as_ref().map_or(part.clone(), |block| part.mul(block))
    }

    /// `command`, if there is such a part.
    fn if_there_is(&self, part: &Nat, command: Phrase) -> Phrase {
        self.if_below(&self.first(part), &self.length, command)
    }

    fn if_below(&self, n: &Nat, end: &Nat, command: Phrase) -> Phrase {
        let is_below = Phrase::less(Phrase::nat(n.clone()), Phrase::nat(end.clone()));
        Phrase::if_else(is_below, command, Phrase::skip()).with_origin(&self.origin)
    }
}

fn constant(n: i64) -> Nat {
    Nat::constant(n)
}

/// Element `i` of an array, to read or to write.
fn at(i: &Nat, array: &Phrase) -> Phrase {
    let i = Phrase::number(i.clone(), Type::index(extent(&array.data())));
    match array.ty() {
        crate::dpia::PhraseType::Acc(_) => Phrase::idx_acc(i, array.clone()),
        _ => Phrase::idx(i, array.clone()),
    }
}

/// Is it known that the order of the operands does not matter?
fn commutes(op: &Phrase) -> bool {
    let Kind::Lam(a, _, inner) = op.kind() else { return false };
    let Kind::Lam(b, _, body) = inner.kind() else { return false };
    let Kind::Pattern(p, _, operands) = body.kind() else { return false };
    let names: Vec<_> =
        operands.iter().map(|e| if let Kind::Var(x) = e.kind() { Some(x) } else { None }).collect();
    p.is_monoid() && (names == [Some(a), Some(b)] || names == [Some(b), Some(a)])
}

impl Translator {
    /// 𝒞⟦reduceLocal parts d op start xs⟧
    ///
    /// # Errors
    /// A number of parts that is not known, and patterns that have no translation.
    pub fn reduce_in_group(
        &mut self,
        args: &[Arg],
        (op, start, xs): (&Phrase, &Phrase, &Phrase),
        kind: LoopKind,
        block: &mut Block,
    ) -> Translated<Phrase> {
        let Some(count) = args.iter().find_map(|a| if let Arg::Nat(n) = a { Some(n) } else { None }) else {
            return Err(super::translate::unexpected("a reduction without its number of parts"));
        };
        let Some(known) = count.as_constant().filter(|p| *p > 0) else { return Err(unknown_parts(count)) };
        let xs = self.continuation(xs, block)?;
        let length = extent(&xs.data());
        let in_strides = commutes(op);
        let block_size = length.add(&constant(known - 1)).floor_div(count);
        let block_size = (!in_strides).then_some(block_size);
        let parts = Parts { length, count: count.clone(), block: block_size, origin: self.at.clone() };
        let ty = start.data();
        let (mut read, write) = self.local(known, &ty, block);
        self.for_each(kind, count, block, |t, part, b| {
            let part = number(&part);
            let command = t.block(|t, b| t.reduce_part(op, &parts, &part, &xs, &at(&part, &write), b))?;
            b.push(parts.if_there_is(&part, command));
            Ok(())
        })?;
        // `width` nodes, with `under` parts under each.
        let (mut width, mut under) = (known, 1);
        while width > BRANCHES {
            let next = (width + BRANCHES - 1) / BRANCHES;
            let (above, to) = self.local(next, &ty, block);
            self.for_each(kind, &constant(next), block, |t, node, b| {
                let first = number(&node).mul(&constant(BRANCHES));
                let command = t.block(|t, b| {
                    let (acc, acc_to) = t.allocate(AddressSpace::Private, &ty, b);
                    t.copy(&acc_to, &at(&first, &read), b)?;
                    for i in 1..BRANCHES.min(width) {
                        let child = first.add(&constant(i));
                        let step = t.block(|t, b| t.step(op, &acc, &acc_to, &at(&child, &read), b))?;
                        let step = parts.if_there_is(&child.mul(&constant(under)), step);
                        let is_full = width % BRANCHES == 0;
                        b.push(if is_full { step } else { parts.if_below(&child, &constant(width), step) });
                    }
                    t.copy(&at(&number(&node), &to), &acc, b)
                })?;
                b.push(parts.if_there_is(&first.mul(&constant(under)), command));
                Ok(())
            })?;
            (read, width, under) = (above, next, under * BRANCHES);
        }
        let (result, to) = self.allocate(AddressSpace::Private, &ty, block);
        let command = self.block(|t, b| t.acceptor(start, &to, b))?;
        block.push(command);
        for node in 0..width {
            let (node, first) = (constant(node), constant(node * under));
            let step = self.block(|t, b| t.step(op, &result, &to, &at(&node, &read), b))?;
            block.push(parts.if_there_is(&first, step));
        }
        Ok(result)
    }

    fn local(&mut self, n: i64, ty: &Type, block: &mut Block) -> (Phrase, Phrase) {
        self.allocate(AddressSpace::Local, &Type::array(constant(n), ty.clone()), block)
    }

    /// Reduces the elements of a part, of which there is at least one, and writes what they give.
    fn reduce_part(
        &mut self,
        op: &Phrase,
        parts: &Parts,
        part: &Nat,
        xs: &Phrase,
        to: &Phrase,
        block: &mut Block,
    ) -> Translated<()> {
        let first = parts.first(part);
        let (acc, acc_to) = self.allocate(AddressSpace::Private, &to.data(), block);
        let start = self.continuation(&at(&first, xs), block)?;
        self.copy(&acc_to, &start, block)?;
        let var = self.names.numbered("i");
        self.names.comes_from(&var, &self.at);
        let i = Nat::var(&var);
        let step = self.block(|t, b| t.step(op, &acc, &acc_to, &at(&i, xs), b))?;
        let (init, n, by, step) = match &parts.block {
            None => (first.add(&parts.count), parts.length.clone(), parts.count.clone(), step),
            Some(size) => {
                let step = parts.if_below(&i, &parts.length, step);
                (first.add(&constant(1)), first.add(size), constant(1), step)
            }
        };
        block.push(Phrase::for_loop(Loop { kind: LoopKind::Sequential, var, init, n, step: by, body: step }));
        self.copy(to, &acc, block)
    }

    /// `acc = op(acc, value)`
    fn step(
        &mut self,
        op: &Phrase,
        acc: &Phrase,
        to: &Phrase,
        value: &Phrase,
        block: &mut Block,
    ) -> Translated<()> {
        let with_acc = self.apply(op, acc, block)?;
        let update = self.update(AddressSpace::Private, acc, to, |t, to, b| {
            let body = t.apply(&with_acc, value, b)?;
            t.acceptor(&body, to, b)
        })?;
        block.push(update);
        Ok(())
    }
}

fn number(i: &Phrase) -> Nat {
    i.as_number().map_or_else(Nat::poison, |(n, _)| n)
}

fn unknown_parts(count: &Nat) -> Diagnostic {
    let message = match count.as_constant() {
        Some(none) => format!("`reduceLocal` cannot reduce {none} parts."),
        None => format!("How many parts `reduceLocal` reduces is not known: {count}."),
    };
    Diagnostic::error("E0502", message)
        .about(Subject::Pattern(Pattern::ReduceLocal))
        .note("The tree in local memory has as many leaves.")
        .hint("Write it as a number, such as the number of work-items in a group.")
}
