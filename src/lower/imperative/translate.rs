//! The translation of functional into imperative DPIA (thesis section 3.1.3): what 𝒜 and 𝒞 share.
//!
//! The thesis writes 𝒞 with a continuation. Here the continuation is the rest of a [`Block`]: 𝒞 adds to the block
//! what must happen first, and returns the expression to go on with. Memory that it allocates lasts to the end of
//! the block.
//!
//! Views (`zip`, `split`, lazy `map`, …) stay in the expressions that commands contain, as in the thesis; [`super::views`]
//! turns them into indices.

use super::deferred::by_components;
use super::functional::Functional;
use super::lanes::has_vectors;
use super::views::Number;
use crate::dpia::{Kind, LoopKind, Names, Phrase, PhraseType};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::origin::Origin;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::sort::Sort;
use crate::lang::ty::Type;
use crate::target::Storage;
use std::collections::BTreeMap;

/// Commands in order, with the allocations among them.
#[derive(Default)]
pub struct Block(Vec<Item>);

enum Item {
    Memory(AddressSpace, Type, Name),
    Command(Phrase),
}

impl Block {
    pub fn push(&mut self, command: Phrase) {
        self.0.push(Item::Command(command));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what another block holds, each command changed by `f`.
    pub fn extend(
        &mut self,
        other: Block,
        mut f: impl FnMut(&Phrase) -> Translated<Phrase>,
    ) -> Translated<()> {
        for item in other.0 {
            self.0.push(match item {
                Item::Command(c) => Item::Command(f(&c)?),
                memory @ Item::Memory(..) => memory,
            });
        }
        Ok(())
    }

    /// The block as one command; allocations last to its end.
    pub fn finish(self) -> Phrase {
        let mut rest: Vec<Phrase> = vec![];
        for item in self.0.into_iter().rev() {
            match item {
                Item::Command(c) => rest.insert(0, c),
                Item::Memory(space, ty, name) => {
                    let body = Phrase::seq(std::mem::take(&mut rest));
                    rest = vec![Phrase::new_in(Storage::Asked(space), ty, name, body)];
                }
            }
        }
        Phrase::seq(rest)
    }
}

pub type Translated<T> = Result<T, Diagnostic>;

pub struct Translator {
    pub names: Names,
    /// The lanes for which commands are made that other lanes may not choose, outermost first.
    pub chosen: Vec<Number>,
    /// Whether commands are made for a kernel of `oclRun`.
    pub in_kernel: bool,
    /// Which part of the program commands, loops and memory are made for.
    pub at: Origin,
    /// Which parts of it were met since the command at hand was begun.
    pub met: Origin,
}

/// The identifier of the program's result in memory.
pub const OUTPUT: &str = "output";

/// The imperative program: `𝒜⟦body⟧(output)`.
///
/// # Errors
/// Patterns that have no translation.
pub fn translate(f: &Functional, output: &Name, names: &mut Names) -> Translated<Phrase> {
    let mut translator = Translator::new(std::mem::take(names));
    let out = Phrase::var(output, PhraseType::Acc(f.body.data()));
    let result = translator.block(|t, block| t.acceptor(&f.body, &out, block));
    *names = translator.names;
    result
}

impl Translator {
    pub fn new(names: Names) -> Translator {
        let (at, met) = Default::default();
        Translator { names, chosen: vec![], in_kernel: false, at, met }
    }

    /// What `f` makes for the expression: it comes from there, or from what is around it.
    pub fn made_for<T>(&mut self, e: &Phrase, f: impl FnOnce(&mut Translator) -> T) -> T {
        let own = e.origin().or(&self.at);
        let own = if own.is_none() { first_origin(e) } else { own };
        let around = std::mem::replace(&mut self.at, own);
        let made = f(self);
        self.at = around;
        made
    }

    /// The command that `f` makes in a block of its own.
    pub fn block(
        &mut self,
        f: impl FnOnce(&mut Translator, &mut Block) -> Translated<()>,
    ) -> Translated<Phrase> {
        let mut block = Block::default();
        f(self, &mut block)?;
        Ok(block.finish())
    }

    /// New memory to the end of the block, as expression and as acceptor.
    pub fn allocate(&mut self, space: AddressSpace, ty: &Type, block: &mut Block) -> (Phrase, Phrase) {
        self.allocate_as("t", space, ty, block)
    }

    /// As [`Translator::allocate`], with names that start so.
    pub fn allocate_as(
        &mut self,
        name: &str,
        space: AddressSpace,
        ty: &Type,
        block: &mut Block,
    ) -> (Phrase, Phrase) {
        let name = self.names.numbered(name);
        self.names.comes_from(&name, &self.at);
        block.0.push(Item::Memory(space, ty.clone(), name.clone()));
        (Phrase::var(&name, PhraseType::read(ty.clone())), Phrase::var(&name, PhraseType::Acc(ty.clone())))
    }

    /// `for i < n: body(i)`
    pub fn for_each(
        &mut self,
        kind: LoopKind,
        n: &Nat,
        block: &mut Block,
        body: impl FnOnce(&mut Translator, Phrase, &mut Block) -> Translated<()>,
    ) -> Translated<()> {
        let var = self.names.numbered("i");
        self.names.comes_from(&var, &self.at);
        let index = Phrase::number(Nat::var(&var), Type::index(n.clone()));
        let body = self.block(|t, inner| body(t, index, inner))?;
        block.push(Phrase::for_each(kind, var, n.clone(), body));
        Ok(())
    }

    /// `to = value`, by components where they are pairs.
    pub fn assign(&mut self, to: &Phrase, value: &Phrase, block: &mut Block) {
        if value.data().as_pair().is_none() {
            block.push(Phrase::assign(to.clone(), value.clone()).with_origin(&self.at));
        } else if let Kind::Pattern(Pattern::MakePair, _, ps) = value.kind()
            && let [a, b] = ps.as_slice()
        {
            self.assign(&Phrase::fst_acc(to.clone()), a, block);
            self.assign(&Phrase::snd_acc(to.clone()), b, block);
        } else {
            self.assign(&Phrase::fst_acc(to.clone()), &Phrase::fst(value.clone()), block);
            self.assign(&Phrase::snd_acc(to.clone()), &Phrase::snd(value.clone()), block);
        }
    }

    /// Copies a value of any type, cell by cell.
    pub fn copy(&mut self, to: &Phrase, value: &Phrase, block: &mut Block) -> Translated<()> {
        let ty = value.data();
        if let Some((n, _)) = ty.as_array() {
            self.for_each(LoopKind::Sequential, n, block, |t, i, inner| {
                i.as_number().into_iter().flat_map(|(n, _)| n.vars()).for_each(|v| {
                    if let NatVar::Named(x) = v {
                        t.names.copies(&x);
                    }
                });
                t.copy(&Phrase::idx_acc(i.clone(), to.clone()), &Phrase::idx(i, value.clone()), inner)
            })
        } else if ty.as_pair().is_some() {
            self.copy(&Phrase::fst_acc(to.clone()), &Phrase::fst(value.clone()), block)?;
            self.copy(&Phrase::snd_acc(to.clone()), &Phrase::snd(value.clone()), block)
        } else {
            self.assign(to, value, block);
            Ok(())
        }
    }

    /// The body of a function for a value that it shares.
    pub fn named(&mut self, f: &Phrase, value: &Phrase, block: &mut Block) -> Translated<Phrase> {
        if let Some(body) = self.deferred(f, value) {
            return Ok(body);
        }
        let value = self.continuation(by_components(value), block)?;
        self.apply(f, &value, block)
    }

    /// The body of a function for an argument.
    ///
    /// A scalar that must be computed and is used more than once is computed once: it gets a variable.
    pub fn apply(&mut self, f: &Phrase, arg: &Phrase, block: &mut Block) -> Translated<Phrase> {
        let Kind::Lam(x, _, body) = f.kind() else {
            return Err(unexpected("a function that is no abstraction"));
        };
        let arg = &if arg.size() > LARGE { tidy(arg) } else { arg.clone() };
        let ty = arg.data();
        // Lanes of which one alone is chosen are computed where they are used.
        let is_one_of_lanes = !self.chosen.is_empty() && has_vectors(&ty);
        if !ty.has_array() && !is_one_of_lanes && computes(arg) && uses(body, x) > 1 {
            if let Some(body) = self.deferred(f, arg) {
                return Ok(body);
            }
            let value = self.continuation(arg, block)?;
            if let Some(body) = self.deferred_parts(f, &value) {
                return Ok(body);
            }
            let value = self.computed_once(&value, block);
            return Ok(f.instantiate(&value, &mut self.names));
        }
        Ok(f.instantiate(arg, &mut self.names))
    }

    /// The readable value with variables for the parts of it that must be computed.
    fn computed_once(&mut self, value: &Phrase, block: &mut Block) -> Phrase {
        if let Kind::Pattern(Pattern::MakePair, args, ps) = value.kind() {
            let parts = ps.iter().map(|p| self.computed_once(p, block)).collect();
            return Phrase::pattern(Pattern::MakePair, args.clone(), parts, value.data(), value.access());
        }
        if !computes(value) {
            return value.clone();
        }
        let (read, write) = self.allocate(AddressSpace::Private, &value.data(), block);
        self.assign(&write, value, block);
        read
    }
}

/// The origin of the first phrase in it that has one.
fn first_origin(e: &Phrase) -> Origin {
    let mut found = Origin::default();
    let _ = e.any(&mut |p| {
        found = p.origin().clone();
        !found.is_none()
    });
    found
}

/// Arguments of more phrases than this lose what they do not need before they are copied into a function.
const LARGE: u32 = 30;

/// The view without projections and transpositions that undo each other: copies of views of copies would otherwise
/// grow with every level.
fn tidy(e: &Phrase) -> Phrase {
    let Kind::Pattern(p, _, _) = e.kind() else { return e.clone() };
    if !p.is_view() {
        return e.clone();
    }
    let Ok(e) = e.map_children::<std::convert::Infallible>(&mut |c| Ok(tidy(c)));
    let Kind::Pattern(p, _, ps) = e.kind() else { return e };
    let parts = |x: &Phrase, of: Pattern| match x.kind() {
        Kind::Pattern(q, _, qs) if *q == of => qs.clone(),
        _ => vec![],
    };
    match (p, ps.as_slice()) {
        (Pattern::Fst | Pattern::Snd, [x]) => {
            let component = usize::from(*p == Pattern::Snd);
            if let [a, b] = parts(x, Pattern::MakePair).as_slice() {
                return [a, b][component].clone();
            }
            if let [i, array] = parts(x, Pattern::Idx).as_slice()
                && let [a, b] = parts(array, Pattern::Zip).as_slice()
            {
                return tidy(&Phrase::idx(i.clone(), [a, b][component].clone()));
            }
            e
        }
        (Pattern::Unzip, [x]) => match parts(x, Pattern::Zip).as_slice() {
            [a, b] => {
                Phrase::pattern(Pattern::MakePair, vec![], vec![a.clone(), b.clone()], e.data(), e.access())
            }
            _ => e,
        },
        (Pattern::Transpose, [x]) => match parts(x, Pattern::Transpose).as_slice() {
            [y] => y.clone(),
            _ => e,
        },
        _ => e,
    }
}

pub fn unexpected(what: &str) -> Diagnostic {
    Diagnostic::error("E0599", format!("The translation to imperative code met {what}."))
        .note("This is a mistake of the tool, not of the program.")
}

/// A pattern that has no translation, with what to do about it.
pub fn untranslated(p: Pattern) -> Diagnostic {
    let d = Diagnostic::error("E0508", format!("There is no code for `{p}` in this place yet."))
        .about(Subject::Pattern(p));
    match p {
        Pattern::Id => d.hint("Rewrite it away: `id x` is `x`."),
        Pattern::OclRun => d.hint("Give its result memory of its own: `toMem global (oclRun …)`."),
        _ => d.hint("Rewrite it into patterns that have code, or lower the whole program by default."),
    }
}

/// Must something be computed to read the value, beyond finding its place?
pub fn computes(e: &Phrase) -> bool {
    match e.kind() {
        Kind::Pattern(p, _, ps) => match p {
            Pattern::Idx => ps.get(1).is_some_and(computes),
            p if p.is_view() || p.sort() == Sort::Lazy || *p == Pattern::Map => ps.iter().any(computes),
            _ => true,
        },
        Kind::Lam(_, _, b) => computes(b),
        Kind::App(..) => true,
        _ => false,
    }
}

/// How often a body uses its parameter: at most once for each component of a pair, and of pairs in it, counts as once, and a
/// use within another function counts as many.
pub fn uses(body: &Phrase, x: &Name) -> u32 {
    /// Uses of the whole, and of components by the projections that lead to them, from the whole on.
    type Counts = BTreeMap<Vec<bool>, u32>;
    /// The component of the parameter that this is.
    fn component(p: &Phrase, x: &Name) -> Option<Vec<bool>> {
        let (whole, is_second) = match p.kind() {
            Kind::Var(y) => return (y == x).then(Vec::new),
            Kind::Pattern(Pattern::Fst, _, ps) => (ps.first()?, false),
            Kind::Pattern(Pattern::Snd, _, ps) => (ps.first()?, true),
            _ => return None,
        };
        let mut path = component(whole, x)?;
        path.push(is_second);
        Some(path)
    }
    fn go(p: &Phrase, x: &Name, weight: u32, counts: &mut Counts) {
        if let Some(path) = component(p, x) {
            *counts.entry(path).or_default() += weight;
            return;
        }
        match p.kind() {
            // The function of a shared value runs once.
            Kind::App(f, e) => {
                go(e, x, weight, counts);
                if let Kind::Lam(_, _, b) = f.kind() {
                    go(b, x, weight, counts);
                }
            }
            Kind::Pattern(Pattern::Let, _, ps) if ps.len() == 2 => {
                go(&ps[0], x, weight, counts);
                if let Kind::Lam(_, _, b) = ps[1].kind() {
                    go(b, x, weight, counts);
                }
            }
            Kind::Lam(_, _, b) => go(b, x, 2, counts),
            _ => p.children().into_iter().for_each(|c| go(c, x, weight, counts)),
        }
    }
    /// The most uses of any part of the component.
    fn most(path: &[bool], counts: &Counts) -> u32 {
        let own = counts.get(path).copied().unwrap_or(0);
        if !counts.keys().any(|longer| longer.len() > path.len() && longer.starts_with(path)) {
            return own;
        }
        let of = |is_second| most(&[path, &[is_second]].concat(), counts);
        own + of(false).max(of(true))
    }
    let mut counts = Counts::default();
    go(body, x, 1, &mut counts);
    most(&[], &counts)
}
