//! The acceptor translation 𝒜: writes an expression to the memory that an acceptor stands for (thesis section 3.1.3).

use super::translate::{Block, Translated, Translator, unexpected, untranslated, uses};
use crate::dpia::{Access, Kind, Layout, LoopKind, Phrase, PhraseType, Workers, element, extent};
use crate::lang::diag::Subject;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::sort::{How, Sort};
use crate::lang::term::Arg;
use crate::lang::ty::Type;
use crate::target::{Launch, nested_kernel};

impl Translator {
    /// 𝒜⟦e⟧(out)
    ///
    /// # Errors
    /// A pattern that has no translation.
    pub fn acceptor(&mut self, e: &Phrase, out: &Phrase, block: &mut Block) -> Translated<()> {
        self.made_for(e, |t| t.written(e, out, block))
    }

    fn written(&mut self, e: &Phrase, out: &Phrase, block: &mut Block) -> Translated<()> {
        match e.kind() {
            Kind::App(f, value) => {
                let body = self.named(f, value, block)?;
                self.acceptor(&body, out, block)
            }
            Kind::Pattern(p, args, ps) => self.pattern_acceptor(*p, args, ps, e, out, block),
            _ => self.write_value(e, out, block),
        }
    }

    fn write_value(&mut self, e: &Phrase, out: &Phrase, block: &mut Block) -> Translated<()> {
        if e.data().has_array() {
            return Err(unexpected(&format!("a value of type {} that nothing writes", e.ty())));
        }
        let value = self.continuation(e, block)?;
        self.assign(out, &value, block);
        Ok(())
    }

    /// A kernel that writes `e` to `out`.
    fn kernel(&mut self, args: &[Arg], e: &Phrase, out: &Phrase, block: &mut Block) -> Translated<()> {
        let launch = Launch::of(args).ok_or_else(|| unexpected("an `oclRun` without its sizes"))?;
        if std::mem::replace(&mut self.in_kernel, true) {
            return Err(nested_kernel().about(Subject::Pattern(Pattern::OclRun)));
        }
        let command = self.block(|t, inner| t.acceptor(e, out, inner));
        self.in_kernel = false;
        block.push(Phrase::kernel(launch, command?).with_origin(&self.at));
        Ok(())
    }

    /// 𝒜⟦e⟧(out) as a command of its own, so that its memory does not outlive it.
    fn apart(&mut self, e: &Phrase, out: &Phrase, block: &mut Block) -> Translated<()> {
        let command = self.block(|t, inner| t.acceptor(e, out, inner))?;
        block.push(command);
        Ok(())
    }

    fn pattern_acceptor(
        &mut self,
        p: Pattern,
        args: &[Arg],
        ps: &[Phrase],
        e: &Phrase,
        out: &Phrase,
        block: &mut Block,
    ) -> Translated<()> {
        let ty = e.data();
        let layout = |layout: Layout, from: &Phrase| {
            Phrase::acceptor(layout, vec![out.clone()], from.data()).with_origin(e.origin())
        };
        match (p, ps) {
            (Pattern::Let, [value, f]) => {
                let body = self.named(f, value, block)?;
                self.acceptor(&body, out, block)
            }
            (Pattern::MakePair, [a, b]) => {
                self.apart(a, &Phrase::fst_acc(out.clone()), block)?;
                self.apart(b, &Phrase::snd_acc(out.clone()), block)
            }
            (Pattern::ToMem, [x]) if !ty.has_array() => self.acceptor(x, out, block),
            (Pattern::OclRun, [x]) => self.kernel(args, x, out, block),
            _ if !ty.has_array() => self.write_value(e, out, block),
            (p, [f, x]) if p.is_loop() => {
                let kind = loop_kind(p, args);
                let x = self.continuation(x, block)?;
                self.for_each(kind, &extent(&ty), block, |t, i, inner| {
                    let body = t.apply(f, &Phrase::idx(i.clone(), x), inner)?;
                    t.acceptor(&body, &Phrase::idx_acc(i, out.clone()), inner)
                })
            }
            (Pattern::IterateStream, [f, x]) => {
                let stream = self.stream(x, block)?;
                self.for_each(LoopKind::Sequential, &extent(&ty), block, |t, i, inner| {
                    let Some((at, _)) = i.as_number() else { return Err(unexpected("a loop of no number")) };
                    let element = t.next(&stream, &at, inner)?;
                    let body = t.apply(f, &element, inner)?;
                    t.acceptor(&body, &Phrase::idx_acc(i, out.clone()), inner)
                })
            }
            (Pattern::Map, [f, x]) => {
                let transformer = self.acceptor_transformer(f)?;
                let to = Phrase::acceptor(Layout::Map, vec![transformer, out.clone()], x.data());
                let to = to.with_origin(e.origin());
                self.acceptor(x, &to, block)
            }
            // Components that are written each by itself.
            (Pattern::MapFst | Pattern::MapSnd, [f, x])
                if let Kind::Pattern(Pattern::MakePair, _, parts) = x.kind()
                    && let [a, b] = parts.as_slice()
                    && let Kind::Lam(y, _, body) = f.kind()
                    && uses(body, y) <= 1 =>
            {
                let first = p == Pattern::MapFst;
                let changed = f.instantiate(if first { a } else { b }, &mut self.names);
                let (a, b) = if first { (&changed, b) } else { (a, &changed) };
                self.apart(a, &Phrase::fst_acc(out.clone()), block)?;
                self.apart(b, &Phrase::snd_acc(out.clone()), block)
            }
            // A component that is moved is moved as it is written.
            (Pattern::MapFst | Pattern::MapSnd, [f, x])
                if x.access() == Access::Write
                    && let Ok(f) = self.acceptor_transformer(f) =>
            {
                let to = Phrase::acceptor(of_component(p), vec![f, out.clone()], x.data());
                self.acceptor(x, &to.with_origin(e.origin()), block)
            }
            (Pattern::MapFst | Pattern::MapSnd, [f, x]) => {
                let first = p == Pattern::MapFst;
                let x = self.continuation(x, block)?;
                let (a, b) = (Phrase::fst(x.clone()), Phrase::snd(x));
                let changed = self.apply(f, if first { &a } else { &b }, block)?;
                let (a, b) = if first { (changed, b) } else { (a, changed) };
                self.apart(&a, &Phrase::fst_acc(out.clone()), block)?;
                self.apart(&b, &Phrase::snd_acc(out.clone()), block)
            }
            (Pattern::Zip, [a, b]) => {
                self.apart(a, &layout(Layout::ZipFirst, a), block)?;
                self.apart(b, &layout(Layout::ZipSecond, b), block)
            }
            (Pattern::Unzip, [x]) => self.acceptor(x, &layout(Layout::Unzip, x), block),
            (Pattern::Split, [x]) => self.acceptor(x, &layout(Layout::Split(inner(&ty)), x), block),
            (Pattern::Join, [x]) => self.acceptor(x, &layout(Layout::Join(inner(&x.data())), x), block),
            (Pattern::Transpose, [x]) => self.acceptor(x, &layout(Layout::Transpose, x), block),
            (Pattern::Reorder, [x]) => self.acceptor(x, &layout(reordered(args)?, x), block),
            (Pattern::AsVector | Pattern::AsVectorAligned, [x]) => {
                self.acceptor(x, &layout(Layout::AsVector(inner(&ty)), x), block)
            }
            (Pattern::AsScalar, [x]) => {
                self.acceptor(x, &layout(Layout::AsScalar(inner(&x.data())), x), block)
            }
            (Pattern::PadEmpty, [x]) => self.acceptor(x, &layout(Layout::Take, x), block),
            (Pattern::Take, [x]) => self.acceptor(x, &layout(Layout::Longer, x), block),
            // What is written is written by one of the two.
            (Pattern::Select, [c, a, b]) => {
                let c = self.continuation(c, block)?;
                let a = self.block(|t, inner| t.acceptor(a, out, inner))?;
                let b = self.block(|t, inner| t.acceptor(b, out, inner))?;
                block.push(Phrase::if_else(c, a, b).with_origin(&self.at));
                Ok(())
            }
            (Pattern::Concat, [a, b]) => {
                self.apart(a, &layout(Layout::Take, a), block)?;
                self.apart(b, &layout(Layout::Drop(extent(&a.data())), b), block)
            }
            (Pattern::Scatter, [indices, x]) => {
                let indices = self.continuation(indices, block)?;
                let to = Phrase::acceptor(Layout::Scatter, vec![indices, out.clone()], x.data());
                let to = to.with_origin(e.origin());
                self.acceptor(x, &to, block)
            }
            (Pattern::ScanSeq, [f, init, x]) => {
                let x = self.continuation(x, block)?;
                let (read, write) = self.allocate(AddressSpace::Private, &init.data(), block);
                self.apart(init, &write, block)?;
                self.for_each(LoopKind::Sequential, &extent(&ty), block, |t, i, inner| {
                    let step = t.apply(f, &Phrase::idx(i.clone(), x), inner)?;
                    let next = t.apply(&step, &read, inner)?;
                    let update =
                        t.update(AddressSpace::Private, &read, &write, |t, to, b| t.acceptor(&next, to, b))?;
                    inner.push(update);
                    t.copy(&Phrase::idx_acc(i, out.clone()), &read, inner)
                })
            }
            _ => Err(untranslated(p)),
        }
    }

    /// The function of a `map` in write position as a function from acceptors of its result to acceptors of its
    /// parameter.
    fn acceptor_transformer(&mut self, f: &Phrase) -> Translated<Phrase> {
        let Kind::Lam(x, _, body) = f.kind() else { return Err(unexpected("a map of no function")) };
        let out = self.names.fresh("o");
        let ty = PhraseType::Acc(body.data());
        let acceptor = self.transform(body, x, Phrase::var(&out, ty.clone()))?;
        Ok(Phrase::lam(out, ty, acceptor))
    }

    /// The acceptor of `x` when `e` is written to `out`.
    fn transform(&mut self, e: &Phrase, x: &Name, out: Phrase) -> Translated<Phrase> {
        let Kind::Pattern(p, args, ps) = e.kind() else {
            return match e.kind() {
                Kind::Var(y) if y == x => Ok(out),
                _ => Err(untranslated(Pattern::Map)),
            };
        };
        let ty = e.data();
        let step = |layout: Layout, from: &Phrase| {
            Phrase::acceptor(layout, vec![out.clone()], from.data()).with_origin(e.origin())
        };
        let (inner_acceptor, rest) = match (p, ps.as_slice()) {
            (Pattern::Split, [y]) => (step(Layout::Split(inner(&ty)), y), y),
            (Pattern::Join, [y]) => (step(Layout::Join(inner(&y.data())), y), y),
            (Pattern::Transpose, [y]) => (step(Layout::Transpose, y), y),
            (Pattern::Reorder, [y]) => (step(reordered(args)?, y), y),
            (Pattern::Unzip, [y]) => (step(Layout::Unzip, y), y),
            (Pattern::AsVector | Pattern::AsVectorAligned, [y]) => (step(Layout::AsVector(inner(&ty)), y), y),
            (Pattern::AsScalar, [y]) => (step(Layout::AsScalar(inner(&y.data())), y), y),
            (Pattern::PadEmpty, [y]) => (step(Layout::Take, y), y),
            (Pattern::Take, [y]) => (step(Layout::Longer, y), y),
            (Pattern::Map, [g, y]) => {
                let g = self.acceptor_transformer(g)?;
                (Phrase::acceptor(Layout::Map, vec![g, out.clone()], y.data()), y)
            }
            (Pattern::MapFst | Pattern::MapSnd, [g, y]) => {
                let g = self.acceptor_transformer(g)?;
                (Phrase::acceptor(of_component(*p), vec![g, out.clone()], y.data()), y)
            }
            _ => return Err(untranslated(*p)),
        };
        self.transform(rest, x, inner_acceptor)
    }
}

/// The layout of a pair of which `mapFst` or `mapSnd` moves a component.
fn of_component(p: Pattern) -> Layout {
    if p == Pattern::MapFst { Layout::MapFirst } else { Layout::MapSecond }
}

/// The layout of a `reorder` that is written: its inverse says where each element goes.
fn reordered(args: &[Arg]) -> Translated<Layout> {
    match args.last() {
        Some(Arg::Fun(back)) => Ok(Layout::Reorder(back.clone())),
        _ => Err(unexpected("a pattern without its function")),
    }
}

/// The inner size of an array of arrays or vectors.
fn inner(t: &Type) -> Nat {
    extent(&element(t))
}

/// Who runs the iterations of the loop that a `map` or `reduce` makes.
pub fn loop_kind(p: Pattern, args: &[Arg]) -> LoopKind {
    let dim = args.iter().find_map(|a| if let Arg::Dim(d) = a { Some(*d) } else { None }).unwrap_or(0);
    let (Sort::Map(how) | Sort::Reduce(how)) = p.sort() else { return LoopKind::Sequential };
    match how {
        How::Unrolled => LoopKind::Unrolled,
        How::Threads => LoopKind::Parallel(Workers::Threads),
        How::Global => LoopKind::Parallel(Workers::Global(dim)),
        How::WorkGroup => LoopKind::Parallel(Workers::WorkGroup(dim)),
        How::Local => LoopKind::Parallel(Workers::Local(dim)),
        How::Open | How::Stream | How::Consumer | How::Sequential => LoopKind::Sequential,
    }
}
