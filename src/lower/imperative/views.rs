//! From views to indices: an access is a path of indices and projections that is pushed through layout patterns until
//! it meets memory (thesis section 3.1.3, "Code Generation").
//!
//! `idx(i, transpose(x))[j]` becomes `x[j][i]`, `fst(idx(i, zip(a, b)))` becomes `a[i]`, an element of a lazy `map` the
//! body of its function. Where the body needs commands they go to the block; a choice between such bodies becomes an
//! `if`, so that nothing is read outside its array.
//!
//! After [`resolve`], the expressions of commands are arithmetic over literals, numbers and cells `x[i][j].fst`, and
//! every assignment stores a scalar.

use super::translate::{Block, Translated, Translator, unexpected, untranslated};
use crate::dpia::{Access, Kind, Layout, LoopKind, Phrase, PhraseType, element, extent};
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::Arg;
use crate::lang::ty::{Scalar, Type};

/// One step from a value to a part of it.
#[derive(Clone)]
pub enum Step {
    At(Number),
    First,
    Second,
}

/// A number with the parts of it that are only known when they are computed.
#[derive(Clone)]
pub struct Number {
    pub nat: Nat,
    pub parts: Vec<(Name, Phrase)>,
}

impl Number {
    /// Are both surely the same?
    pub fn is(&self, other: &Number) -> bool {
        self.nat == other.nat && self.parts == other.parts
    }
    fn plain(nat: Nat) -> Number {
        Number { nat, parts: vec![] }
    }
    fn map(&self, f: impl FnOnce(&Nat) -> Nat) -> Number {
        Number { nat: f(&self.nat), parts: self.parts.clone() }
    }
    fn plus(&self, other: &Number) -> Number {
        let mut parts = self.parts.clone();
        parts.extend(other.parts.iter().filter(|(x, _)| !self.parts.iter().any(|(y, _)| x == y)).cloned());
        Number { nat: self.nat.add(&other.nat), parts }
    }
    fn phrase(self, ty: Type) -> Phrase {
        Phrase::new(Kind::Number(self.nat, self.parts), PhraseType::read(ty))
    }
    fn value(self) -> Phrase {
        self.phrase(Type::nat_type())
    }
}

/// All views of a command turned into indices.
///
/// # Errors
/// A view that leads nowhere, which the checker excludes.
pub fn resolve(command: &Phrase, t: &mut Translator) -> Translated<Phrase> {
    t.block(|t, block| t.resolve(command, block))
}

impl Translator {
    fn resolve(&mut self, command: &Phrase, block: &mut Block) -> Translated<()> {
        match command.kind() {
            Kind::Assign(to, value) => {
                let met = std::mem::take(&mut self.met);
                let done = self.made_for(command, |t| t.resolve_assign(to, value, block));
                self.met = met;
                done
            }
            Kind::If(c, a, b) => {
                let met = std::mem::take(&mut self.met);
                let c = self.made_for(command, |t| t.read(c, vec![], block))?;
                let origin = command.origin().with(&std::mem::replace(&mut self.met, met));
                let a = resolve(a, self)?;
                let b = resolve(b, self)?;
                block.push(Phrase::if_else(c, a, b).with_origin(&origin));
                Ok(())
            }
            Kind::Seq(ps) => ps.iter().try_for_each(|c| {
                let c = resolve(c, self)?;
                block.push(c);
                Ok(())
            }),
            _ => {
                block.push(command.map_children(&mut |c| resolve(c, self))?);
                Ok(())
            }
        }
    }

    fn resolve_assign(&mut self, to: &Phrase, value: &Phrase, block: &mut Block) -> Translated<()> {
        let ty = value.data();
        if let Some((n, lane)) = ty.as_vector() {
            let n = n.clone();
            let lane = lane.clone();
            return self.for_each(LoopKind::Lanes, &n.clone(), block, |t, i, inner| {
                let at = Step::At(t.number(&i, inner)?);
                t.resolve_cell(to, value, vec![at], &lane, inner)
            });
        }
        if ty.as_pair().is_some() {
            let mut parts = Block::default();
            self.assign(to, value, &mut parts);
            let parts = resolve(&parts.finish(), self)?;
            block.push(parts);
            return Ok(());
        }
        self.resolve_cell(to, value, vec![], &ty, block)
    }

    /// Stores a number where the acceptor leads, if there is such a cell.
    fn resolve_cell(
        &mut self,
        to: &Phrase,
        value: &Phrase,
        at: Vec<Step>,
        ty: &Type,
        block: &mut Block,
    ) -> Translated<()> {
        let mut inner = Block::default();
        let value = self.read(value, at.clone(), &mut inner)?;
        let mut ends = vec![];
        let to = self.write(to, at, ty, &mut ends, &mut inner)?;
        inner.push(Phrase::assign(to, value).with_origin(&self.at.with(&self.met)));
        if ends.is_empty() {
            return block.extend(inner, |c| Ok(c.clone()));
        }
        let there = |c: Phrase, end: Phrase| Phrase::if_else(end, c, Phrase::skip()).with_origin(&self.at);
        block.push(ends.into_iter().rev().fold(inner.finish(), there));
        Ok(())
    }

    /// The number that an index expression is; what must be computed becomes a named part.
    fn number(&mut self, e: &Phrase, block: &mut Block) -> Translated<Number> {
        let e = self.read(e, vec![], block)?;
        if let Some((nat, parts)) = e.as_number() {
            return Ok(Number { nat, parts });
        }
        let name = self.names.numbered("k");
        Ok(Number { nat: Nat::var(&name), parts: vec![(name, e)] })
    }

    /// The body of a function for an argument.
    fn applied(&mut self, f: &Phrase, arg: &Phrase, block: &mut Block) -> Translated<Phrase> {
        self.resolving(block, |t, b| t.apply(f, arg, b))
    }

    /// A value, with the views resolved in the commands that it takes.
    fn resolving(
        &mut self,
        block: &mut Block,
        make: impl FnOnce(&mut Translator, &mut Block) -> Translated<Phrase>,
    ) -> Translated<Phrase> {
        let mut made = Block::default();
        let value = make(self, &mut made)?;
        block.extend(made, |c| resolve(c, self))?;
        Ok(value)
    }

    /// The part of `e` that `steps` lead to, which must hold no array; the last step of the list is taken first.
    pub fn read(&mut self, e: &Phrase, steps: Vec<Step>, block: &mut Block) -> Translated<Phrase> {
        let mut e = e.clone();
        let mut steps = steps;
        loop {
            if let Some(lane) = self.lane(&e, &steps) {
                (e, steps) = (lane.with_origin(e.origin()), vec![]);
            }
            self.met = self.met.with(e.origin());
            let (p, args, ps) = match e.kind() {
                Kind::Var(_) => return self.cell(&e, steps, block),
                Kind::Lit(_) | Kind::Number(..) if steps.is_empty() => return Ok(e),
                Kind::App(..) => {
                    e = self.resolving(block, |t, b| t.continuation(&e, b))?;
                    continue;
                }
                Kind::Pattern(p, args, ps) => (*p, args.clone(), ps.clone()),
                _ => return Err(unexpected("an expression that cannot be read")),
            };
            let ty = e.data();
            match (p, ps.as_slice()) {
                (Pattern::Idx, [i, x]) => {
                    steps.push(Step::At(self.number(i, block)?));
                    e = x.clone();
                }
                (Pattern::Fst, [x]) => {
                    steps.push(Step::First);
                    e = x.clone();
                }
                (Pattern::Snd, [x]) => {
                    steps.push(Step::Second);
                    e = x.clone();
                }
                (p, _) if matches!(p, Pattern::Let | Pattern::ToMem) || p.is_reduce() => {
                    e = self.resolving(block, |t, b| t.continuation(&e, b))?;
                }
                (Pattern::MakePair, [a, b]) => match steps.pop() {
                    Some(Step::First) => e = a.clone(),
                    Some(Step::Second) => e = b.clone(),
                    None => return self.pair(&e, block),
                    Some(Step::At(_)) => return Err(unexpected("a pair that is indexed")),
                },
                (Pattern::MapFst | Pattern::MapSnd, [f, x]) => {
                    let changes_first = p == Pattern::MapFst;
                    match steps.pop() {
                        Some(Step::First) if changes_first => {
                            e = self.applied(f, &Phrase::fst(x.clone()), block)?
                        }
                        Some(Step::First) => e = Phrase::fst(x.clone()),
                        Some(Step::Second) if changes_first => e = Phrase::snd(x.clone()),
                        Some(Step::Second) => e = self.applied(f, &Phrase::snd(x.clone()), block)?,
                        None => return self.pair(&e, block),
                        Some(Step::At(_)) => return Err(unexpected("a pair that is indexed")),
                    }
                }
                (Pattern::Select, [c, ..]) if c.data().as_vector().is_some() && steps.is_empty() => {
                    return self.by_lanes(&e, steps, block);
                }
                (Pattern::Select, [c, a, b]) => {
                    let by_lane = c.data().as_vector().is_some();
                    let lane = if by_lane { steps.clone() } else { vec![] };
                    let c = self.read(c, lane, block)?;
                    let around = self.chosen.len();
                    if let (true, Some(Step::At(i))) = (by_lane, steps.first()) {
                        self.chosen.push(i.clone());
                    }
                    let (then, or) = (steps.clone(), steps);
                    let chosen =
                        self.choose(c, block, &mut |t, b1| t.read(a, then.clone(), b1), &mut |t, b2| {
                            t.read(b, or.clone(), b2)
                        });
                    self.chosen.truncate(around);
                    return chosen;
                }
                (Pattern::IndexAsNat | Pattern::NatAsIndex, [x]) if steps.is_empty() => {
                    let x = self.read(x, vec![], block)?;
                    let e = Phrase::pattern(p, args, vec![x], ty.clone(), e.access());
                    return Ok(match e.as_number() {
                        Some((nat, parts)) => Number { nat, parts }.phrase(ty),
                        None => e,
                    });
                }
                (Pattern::VectorFromScalar, [x]) => match steps.pop() {
                    Some(Step::At(_)) => e = x.clone(),
                    _ => return self.by_lanes(&e, vec![], block),
                },
                (Pattern::AsVector | Pattern::AsVectorAligned, [_]) if steps.len() == 1 => {
                    return self.by_lanes(&e, steps, block);
                }
                (Pattern::Zip, [a, b]) => {
                    let Some(i) = steps.pop() else { return Err(unexpected("a whole array")) };
                    match steps.pop() {
                        Some(Step::First) => e = a.clone(),
                        Some(Step::Second) => e = b.clone(),
                        _ => {
                            steps.push(i);
                            return self.pair_at(&e, steps, block);
                        }
                    }
                    steps.push(i);
                }
                (Pattern::Unzip, [x]) => {
                    let (component, i) = (steps.pop(), steps.pop());
                    let (Some(component), Some(i)) = (component, i) else {
                        return Err(unexpected("a whole array"));
                    };
                    steps.push(component);
                    steps.push(i);
                    e = x.clone();
                }
                (Pattern::Map, [f, x]) => {
                    let i = self.pop_index(&mut steps)?;
                    let arg = Phrase::idx(i.phrase(Type::index(extent(&x.data()))), x.clone());
                    e = self.applied(f, &arg, block)?;
                }
                (Pattern::Generate, [f]) => {
                    let i = self.pop_index(&mut steps)?.phrase(Type::index(extent(&ty)));
                    e = self.applied(f, &i, block)?;
                }
                (Pattern::MakeArray, elements) => {
                    let i = self.pop_index(&mut steps)?;
                    let constant = i.nat.as_constant().and_then(|i| usize::try_from(i).ok());
                    if let Some(x) = constant.and_then(|i| elements.get(i)) {
                        e = x.clone();
                    } else {
                        return self.element_of(&e, elements, i, steps, block);
                    }
                }
                (Pattern::Concat, [a, b]) => {
                    let n = extent(&a.data());
                    let i = self.pop_index(&mut steps)?;
                    let c = less(&i, &Number::plain(n.clone()));
                    let (mut first, mut second) = (steps.clone(), steps);
                    first.push(Step::At(i.clone()));
                    second.push(Step::At(i.map(|i| i.sub(&n))));
                    return self.choose(c, block, &mut |t, b1| t.read(a, first.clone(), b1), &mut |t, b2| {
                        t.read(b, second.clone(), b2)
                    });
                }
                (Pattern::PadEmpty, [x]) => return self.pad_with_anything(x, steps, block),
                (Pattern::PadCst, [value, x]) => return self.pad_constant(value, x, &args, steps, block),
                (Pattern::PadClamp, [x]) => {
                    let i = self.pop_index(&mut steps)?;
                    let i = self.clamp(i, x, &args)?;
                    steps.push(Step::At(i));
                    e = x.clone();
                }
                (Pattern::Gather, [indices, x]) => {
                    let i = self.pop_index(&mut steps)?;
                    let at = Phrase::idx(i.phrase(Type::index(extent(&indices.data()))), indices.clone());
                    steps.push(Step::At(self.number(&at, block)?));
                    e = x.clone();
                }
                (
                    Pattern::Split
                    | Pattern::Join
                    | Pattern::Transpose
                    | Pattern::Reorder
                    | Pattern::Slide
                    | Pattern::Take
                    | Pattern::Drop
                    | Pattern::AsVector
                    | Pattern::AsVectorAligned
                    | Pattern::AsScalar,
                    [x],
                ) => {
                    self.layout(p, &args, x, &mut steps)?;
                    e = x.clone();
                }
                _ if p.is_scalar() && steps.is_empty() && ty.as_vector().is_some() => {
                    return self.by_lanes(&e, steps, block);
                }
                _ if p.is_scalar() => {
                    let of_vector =
                        |q: &Phrase| if q.data().as_vector().is_some() { steps.clone() } else { vec![] };
                    let operands = ps
                        .iter()
                        .map(|q| self.read(q, of_vector(q), block))
                        .collect::<Translated<Vec<_>>>()?;
                    self.may_divide(p, &ty, operands.get(1), &steps)?;
                    let ty = if steps.is_empty() { ty } else { element(&ty) };
                    let value = Phrase::pattern(p, args, operands, ty, Access::Read);
                    return Ok(value.with_origin(e.origin()));
                }
                _ => return Err(untranslated(p)),
            }
        }
    }

    /// A whole vector, computed lane by lane into a variable.
    fn by_lanes(&mut self, e: &Phrase, steps: Vec<Step>, block: &mut Block) -> Translated<Phrase> {
        let ty = steps.iter().fold(e.data(), |t, _| element(&t));
        let (read, write) = self.allocate(AddressSpace::Private, &ty, block);
        self.for_each(LoopKind::Lanes, &extent(&ty), block, |t, i, inner| {
            let lane = Step::At(t.number(&i, inner)?);
            let value = t.read(e, std::iter::once(lane).chain(steps).collect(), inner)?;
            let assign = Phrase::assign(Phrase::idx_acc(i, write), value);
            inner.push(assign.with_origin(&t.at.with(&t.met)));
            Ok(())
        })?;
        Ok(read)
    }

    fn pop_index(&mut self, steps: &mut Vec<Step>) -> Translated<Number> {
        match steps.pop() {
            Some(Step::At(i)) => Ok(i),
            _ => Err(unexpected("an array that is not indexed")),
        }
    }

    /// Patterns that move elements and do nothing else.
    fn layout(&mut self, p: Pattern, args: &[Arg], x: &Phrase, steps: &mut Vec<Step>) -> Translated<()> {
        let i = self.pop_index(steps)?;
        let size = |k: usize| match args.get(k) {
            Some(Arg::Nat(n)) => Ok(n.clone()),
            _ => Err(unexpected("a pattern without its size")),
        };
        match p {
            Pattern::Split | Pattern::AsVector | Pattern::AsVectorAligned => {
                let (n, j) = (size(0)?, self.pop_index(steps)?);
                steps.push(Step::At(i.map(|i| i.mul(&n)).plus(&j)));
            }
            Pattern::Join | Pattern::AsScalar => {
                let n = extent(&element(&x.data()));
                steps.push(Step::At(i.map(|i| i.modulo(&n))));
                steps.push(Step::At(i.map(|i| i.floor_div(&n))));
            }
            Pattern::Transpose => {
                let j = self.pop_index(steps)?;
                steps.push(Step::At(i));
                steps.push(Step::At(j));
            }
            Pattern::Reorder => {
                let Some(Arg::Fun(f)) = args.get(1) else {
                    return Err(unexpected("a pattern without its function"));
                };
                steps.push(Step::At(i.map(|i| f.apply(i))));
            }
            Pattern::Slide => {
                let (step, j) = (size(1)?, self.pop_index(steps)?);
                steps.push(Step::At(i.map(|i| i.mul(&step)).plus(&j)));
            }
            Pattern::Drop => {
                let n = size(0)?;
                steps.push(Step::At(i.map(|i| i.add(&n))));
            }
            _ => steps.push(Step::At(i)),
        }
        Ok(())
    }

    fn pad_constant(
        &mut self,
        value: &Phrase,
        x: &Phrase,
        args: &[Arg],
        mut steps: Vec<Step>,
        block: &mut Block,
    ) -> Translated<Phrase> {
        let Some(Arg::Nat(l)) = args.first() else { return Err(unexpected("padding without its size")) };
        let n = extent(&x.data());
        let i = self.pop_index(&mut steps)?;
        let outside = steps.clone();
        steps.push(Step::At(i.map(|i| i.sub(l))));
        let inside = steps;
        let before_end = less(&i, &Number::plain(l.add(&n)));
        let before_start = less(&i, &Number::plain(l.clone()));
        self.choose(before_start, block, &mut |t, b| t.read(value, outside.clone(), b), &mut |t, b| {
            t.choose(before_end.clone(), b, &mut |t, b| t.read(x, inside.clone(), b), &mut |t, b| {
                t.read(value, outside.clone(), b)
            })
        })
    }

    /// Behind the end is no value: what is there may be anything, but must not be read from memory.
    fn pad_with_anything(
        &mut self,
        x: &Phrase,
        mut steps: Vec<Step>,
        block: &mut Block,
    ) -> Translated<Phrase> {
        let i = self.pop_index(&mut steps)?;
        let before_end = less(&i, &Number::plain(extent(&x.data())));
        steps.push(Step::At(i));
        self.choose(before_end, block, &mut |t, b| t.read(x, steps.clone(), b), &mut |_, _| {
            zero(&chain(x, steps.clone()).data())
        })
    }

    fn clamp(&mut self, i: Number, x: &Phrase, args: &[Arg]) -> Translated<Number> {
        let Some(Arg::Nat(l)) = args.first() else { return Err(unexpected("padding without its size")) };
        let n = extent(&x.data());
        let last = n.sub(&Nat::constant(1));
        let moved = i.map(|i| i.sub(l));
        let inner = if args.get(1) == Some(&Arg::Nat(Nat::constant(0))) {
            moved.value()
        } else {
            Phrase::select(less(&i, &Number::plain(l.add(&n))), moved.value(), Phrase::nat(last))
        };
        let clamped = if l.is_zero() {
            inner
        } else {
            Phrase::select(less(&i, &Number::plain(l.clone())), Phrase::nat(Nat::constant(0)), inner)
        };
        Ok(match clamped.as_number() {
            Some((nat, parts)) => Number { nat, parts },
            None => {
                let name = self.names.numbered("k");
                Number { nat: Nat::var(&name), parts: vec![(name, clamped)] }
            }
        })
    }

    /// An element of a literal array at an index that is not constant: a table of constants stays one, other elements
    /// are chosen.
    fn element_of(
        &mut self,
        array: &Phrase,
        elements: &[Phrase],
        i: Number,
        mut steps: Vec<Step>,
        block: &mut Block,
    ) -> Translated<Phrase> {
        if is_table(array) {
            steps.push(Step::At(i));
            return Ok(chain(array, steps));
        }
        self.choose_element(elements, &i, 0, &steps, block)
    }

    /// One of these elements, of which the first has the index `k`: few of them one after the other, of more the half in which the
    /// index is first, so that long arrays take as many comparisons as their length has digits.
    fn choose_element(
        &mut self,
        elements: &[Phrase],
        i: &Number,
        k: usize,
        steps: &[Step],
        block: &mut Block,
    ) -> Translated<Phrase> {
        const FEW: usize = 16;
        let first = match elements {
            [] => return Err(unexpected("an empty array")),
            [only] => return self.read(only, steps.to_vec(), block),
            few if few.len() <= FEW => 1,
            many => many.len() / 2,
        };
        let (before, behind) = elements.split_at(first);
        let c = less(i, &Number::plain(Nat::constant((k + first) as i64)));
        self.choose(c, block, &mut |t, b| t.choose_element(before, i, k, steps, b), &mut |t, b| {
            t.choose_element(behind, i, k + first, steps, b)
        })
    }

    /// One of two values; an `if` when reading one of them takes commands.
    fn choose(
        &mut self,
        condition: Phrase,
        block: &mut Block,
        then: &mut dyn FnMut(&mut Translator, &mut Block) -> Translated<Phrase>,
        otherwise: &mut dyn FnMut(&mut Translator, &mut Block) -> Translated<Phrase>,
    ) -> Translated<Phrase> {
        if let Kind::Lit(Literal::Bool(c)) = condition.kind() {
            return if *c { then(self, block) } else { otherwise(self, block) };
        }
        let (mut first, mut second) = (Block::default(), Block::default());
        let a = then(self, &mut first)?;
        let b = otherwise(self, &mut second)?;
        if a == b && first.is_empty() && second.is_empty() {
            return Ok(a);
        }
        if first.is_empty() && second.is_empty() {
            return Ok(Phrase::select(condition, a, b));
        }
        let (read, write) = self.allocate(AddressSpace::Private, &a.data(), block);
        self.assign(&write, &a, &mut first);
        self.assign(&write, &b, &mut second);
        let chosen = Phrase::if_else(condition, first.finish(), second.finish()).with_origin(&self.at);
        // Assignments of pairs are of parts, which are still views.
        let chosen = resolve(&chosen, self)?;
        block.push(chosen);
        self.read(&read, vec![], block)
    }

    /// A pair read as a pair of its parts.
    fn pair(&mut self, e: &Phrase, block: &mut Block) -> Translated<Phrase> {
        self.pair_at(e, vec![], block)
    }

    fn pair_at(&mut self, e: &Phrase, steps: Vec<Step>, block: &mut Block) -> Translated<Phrase> {
        let with = |s: Step| std::iter::once(s).chain(steps.iter().cloned()).collect::<Vec<_>>();
        let a = self.read(e, with(Step::First), block)?;
        let b = self.read(e, with(Step::Second), block)?;
        let ty = Type::pair(a.data(), b.data());
        Ok(Phrase::pattern(Pattern::MakePair, vec![], vec![a, b], ty, Access::Read))
    }

    /// A cell of memory, or the pair of cells.
    fn cell(&mut self, e: &Phrase, steps: Vec<Step>, block: &mut Block) -> Translated<Phrase> {
        let cell = chain(e, steps.clone());
        let ty = cell.data();
        if ty.has_array() {
            return Err(unexpected("a whole array where a number is needed"));
        }
        if ty.as_pair().is_some() { self.pair_at(e, steps, block) } else { Ok(cell) }
    }

    /// The cell that an acceptor's part leads to, as an acceptor of memory; the last step is taken first. It is there where
    /// `ends` hold.
    fn write(
        &mut self,
        to: &Phrase,
        steps: Vec<Step>,
        ty: &Type,
        ends: &mut Vec<Phrase>,
        block: &mut Block,
    ) -> Translated<Phrase> {
        let mut to = to.clone();
        let mut steps = steps;
        loop {
            self.met = self.met.with(to.origin());
            let (layout, ps) = match to.kind() {
                Kind::Var(_) => {
                    let cell = chain_acceptor(&to, steps);
                    return if cell.data() == *ty {
                        Ok(cell)
                    } else {
                        Err(unexpected("a write to a wrong place"))
                    };
                }
                Kind::Acceptor(layout, ps) => (layout.clone(), ps.clone()),
                _ => return Err(unexpected("a write to no acceptor")),
            };
            let Some(whole) = ps.last().cloned() else { return Err(unexpected("an acceptor of nothing")) };
            match (&layout, ps.first()) {
                (Layout::Index, Some(i)) => steps.push(Step::At(self.number(i, block)?)),
                (Layout::First, _) => steps.push(Step::First),
                (Layout::Second, _) => steps.push(Step::Second),
                (Layout::ZipFirst | Layout::ZipSecond, _) => {
                    let i = self.pop_index(&mut steps)?;
                    steps.push(if layout == Layout::ZipFirst { Step::First } else { Step::Second });
                    steps.push(Step::At(i));
                }
                (Layout::Unzip, _) => {
                    let i = self.pop_index(&mut steps)?;
                    let Some(component) = steps.pop() else { return Err(unexpected("a whole pair")) };
                    steps.push(Step::At(i));
                    steps.push(component);
                }
                (Layout::Split(n) | Layout::AsVector(n), _) => {
                    let i = self.pop_index(&mut steps)?;
                    steps.push(Step::At(i.map(|i| i.modulo(n))));
                    steps.push(Step::At(i.map(|i| i.floor_div(n))));
                }
                (Layout::Join(n) | Layout::AsScalar(n), _) => {
                    let i = self.pop_index(&mut steps)?;
                    let j = self.pop_index(&mut steps)?;
                    steps.push(Step::At(i.map(|i| i.mul(n)).plus(&j)));
                }
                (Layout::Transpose, _) => {
                    let i = self.pop_index(&mut steps)?;
                    let j = self.pop_index(&mut steps)?;
                    steps.push(Step::At(i));
                    steps.push(Step::At(j));
                }
                (Layout::Reorder(f), _) => {
                    let i = self.pop_index(&mut steps)?;
                    steps.push(Step::At(i.map(|i| f.apply(i))));
                }
                (Layout::Take, _) => {}
                (Layout::Longer, _) => {
                    let i = self.pop_index(&mut steps)?;
                    ends.push(less(&i, &Number::plain(extent(&whole.data()))));
                    steps.push(Step::At(i));
                }
                (Layout::Drop(n), _) => {
                    let i = self.pop_index(&mut steps)?;
                    steps.push(Step::At(i.map(|i| i.add(n))));
                }
                (Layout::Scatter, Some(indices)) => {
                    let i = self.pop_index(&mut steps)?;
                    let at = Phrase::idx(i.phrase(Type::index(extent(&indices.data()))), indices.clone());
                    steps.push(Step::At(self.number(&at, block)?));
                }
                (Layout::Map, Some(f)) => {
                    let i = self.pop_index(&mut steps)?.phrase(Type::index(extent(&whole.data())));
                    to = f.instantiate(&Phrase::idx_acc(i, whole), &mut self.names);
                    continue;
                }
                (Layout::MapFirst | Layout::MapSecond, Some(f)) => {
                    let part = match (&layout, steps.last()) {
                        (Layout::MapFirst, Some(Step::First)) => Some(Phrase::fst_acc(whole.clone())),
                        (Layout::MapSecond, Some(Step::Second)) => Some(Phrase::snd_acc(whole.clone())),
                        (_, Some(_)) => None,
                        (_, None) => return Err(unexpected("a whole pair")),
                    };
                    if let Some(part) = part {
                        steps.pop();
                        to = f.instantiate(&part, &mut self.names);
                        continue;
                    }
                }
                _ => return Err(unexpected("an acceptor that leads nowhere")),
            }
            to = whole;
        }
    }
}

/// A value of a type without arrays.
fn zero(ty: &Type) -> Translated<Phrase> {
    let none = || unexpected(&format!("a value of type {ty} that is not there"));
    if let Some((a, b)) = ty.as_pair() {
        let parts = vec![zero(a)?, zero(b)?];
        return Ok(Phrase::pattern(Pattern::MakePair, vec![], parts, ty.clone(), Access::Read));
    }
    if let Some((_, lane)) = ty.as_vector() {
        let lane = vec![zero(lane)?];
        return Ok(Phrase::pattern(Pattern::VectorFromScalar, vec![], lane, ty.clone(), Access::Read));
    }
    match ty.as_scalar() {
        Some(Scalar::Bool) => Ok(Phrase::lit(Literal::Bool(false))),
        Some(s) if s.is_float() => Ok(Phrase::lit(Literal::float(0.0, s))),
        Some(s) => Literal::number(0, s).map(Phrase::lit).ok_or_else(none),
        None => Ok(Number::plain(Nat::constant(0)).phrase(ty.clone())),
    }
}

fn less(a: &Number, b: &Number) -> Phrase {
    if let (Some(x), Some(y)) = (a.nat.as_constant(), b.nat.as_constant()) {
        return Phrase::lit(Literal::Bool(x < y));
    }
    Phrase::less(a.clone().value(), b.clone().value())
}

pub(super) fn chain(e: &Phrase, mut steps: Vec<Step>) -> Phrase {
    let mut e = e.clone();
    while let Some(step) = steps.pop() {
        e = match step {
            Step::At(i) => Phrase::idx(i.phrase(Type::index(extent(&e.data()))), e),
            Step::First => Phrase::fst(e),
            Step::Second => Phrase::snd(e),
        };
    }
    e
}

fn chain_acceptor(e: &Phrase, mut steps: Vec<Step>) -> Phrase {
    let mut e = e.clone();
    while let Some(step) = steps.pop() {
        e = match step {
            Step::At(i) => Phrase::idx_acc(i.phrase(Type::index(extent(&e.data()))), e),
            Step::First => Phrase::fst_acc(e),
            Step::Second => Phrase::snd_acc(e),
        };
    }
    e
}

/// Is the literal array made of scalar constants alone?
pub fn is_table(e: &Phrase) -> bool {
    match e.kind() {
        Kind::Pattern(Pattern::MakeArray, _, ps) => ps.iter().all(is_table),
        Kind::Lit(_) => true,
        Kind::Pattern(p, _, ps) => {
            p.is_constant_arithmetic()
                && e.data().as_scalar().is_some_and(Scalar::is_float)
                && ps.iter().all(is_table)
        }
        _ => false,
    }
}
