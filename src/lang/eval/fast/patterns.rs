//! Each pattern as code. What it means is said in `eval::naive`; sizes that do not fit are left to it to describe.

use super::frame::{Ex, Failure, Index, read_array, write_array, write_slot};
use super::number::Number;
use super::place::{CellKind, Place, Shape};
use super::stage::{GiveUp, Lazy, Meaning, Stage, Staged};
use crate::eval::part_of_reduction;
use crate::pattern::Pattern;
use crate::term::{Arg, Prim};
use crate::ty::{Scalar, Type};
use std::rc::Rc;

type Array<'t> = Rc<Lazy<'t>>;

/// A pattern with all its arguments.
struct Call<'t> {
    prim: &'t Prim,
    args: Vec<Meaning<'t>>,
    result: &'t Type,
}

pub fn meaning<'t>(
    st: &mut Stage<'t>,
    prim: &'t Prim,
    ty: &'t Type,
    args: Vec<Meaning<'t>>,
) -> Staged<Meaning<'t>> {
    let result = (0..args.len()).try_fold(ty, |ty, _| Some(ty.as_fun()?.1)).ok_or(GiveUp)?;
    Call { prim, args, result }.meaning(st)
}

impl<'t> Call<'t> {
    fn value(&self, i: usize) -> Meaning<'t> {
        self.args[i].clone()
    }

    fn array(&self, i: usize) -> Staged<Array<'t>> {
        as_array(&self.args[i])
    }

    /// The array, in cells unless it is cheap to read.
    fn settled(&self, st: &mut Stage<'t>, i: usize) -> Staged<Array<'t>> {
        as_array(&st.share(self.value(i))?)
    }

    fn number(&self, i: usize) -> Staged<Number> {
        if let Meaning::Number(n) = &self.args[i] { Ok(n.clone()) } else { Err(GiveUp) }
    }

    /// The i-th of the explicit sizes.
    fn size(&self, st: &Stage<'t>, i: usize) -> Staged<i64> {
        let mut nats = self.prim.args.iter().filter_map(|a| if let Arg::Nat(n) = a { Some(n) } else { None });
        st.nat(nats.nth(i).ok_or(GiveUp)?)
    }

    /// Length and element of the result.
    fn array_result(&self, st: &Stage<'t>) -> Staged<(i64, Shape)> {
        match st.shape(self.result)? {
            Shape::Array { length, element, .. } => Ok((length, *element)),
            _ => Err(GiveUp),
        }
    }

    fn meaning(&self, st: &mut Stage<'t>) -> Staged<Meaning<'t>> {
        use Pattern as P;
        let p = self.prim.pattern;
        match p {
            P::Id | P::OclRun => Ok(self.value(0)),
            P::ToMem => st.share(self.value(0)),
            p if p.is_lanewise() => {
                let shape = st.shape(self.result)?;
                match self.args.as_slice() {
                    [x] => unary(st, p, x, &shape),
                    [x, y] => binary(st, p, x, y, &shape),
                    _ => Err(GiveUp),
                }
            }
            P::Select => {
                let shape = st.shape(self.result)?;
                st.select(self.value(0), &shape, |_| Ok(self.value(1)), |_| Ok(self.value(2)))
            }
            P::IndexAsNat => Ok(self.value(0)),
            P::NatAsIndex => {
                let (n, mut i) = (self.size(st, 0)?, self.number(0)?);
                if st.forgives {
                    i = i.within(n).ok_or(GiveUp)?;
                }
                let index = st.position(p, &i, n)?;
                Ok(Meaning::Number(Number { defined: i.defined, ..Number::index(index) }))
            }
            P::MakePair => Ok(Meaning::Pair(Rc::new((self.value(0), self.value(1))))),
            P::Fst => Ok(as_pair(&self.args[0])?.0.clone()),
            P::Snd => Ok(as_pair(&self.args[0])?.1.clone()),
            P::MapFst => {
                let pair = as_pair(&self.args[1])?;
                Ok(Meaning::Pair(Rc::new((st.apply(&self.args[0], pair.0.clone())?, pair.1.clone()))))
            }
            P::MapSnd => {
                let pair = as_pair(&self.args[1])?;
                Ok(Meaning::Pair(Rc::new((pair.0.clone(), st.apply(&self.args[0], pair.1.clone())?))))
            }
            P::Let => {
                let value = st.share(self.value(0))?;
                st.apply(&self.args[1], value)
            }
            p if p.is_map() => {
                let mapped = self.map(st, self.array(1)?)?;
                if st.keeps_loops && p != P::Map { st.share(mapped) } else { Ok(mapped) }
            }
            P::ReduceLocal => self.reduce_in_parts(st),
            p if p.is_reduce() => self.reduce(st),
            P::ScanSeq => self.scan(st),
            P::Split | P::AsVector | P::AsVectorAligned => {
                let (n, xs) = (self.size(st, 0)?, self.array(0)?);
                self.split(st, n, xs)
            }
            P::Join | P::AsScalar => self.join(st),
            P::Transpose => self.transpose(st),
            P::Reorder => {
                let xs = self.settled(st, 0)?;
                let Some(Arg::Fun(f)) = self.prim.args.get(1) else { return Err(GiveUp) };
                let (f, source) = (Rc::new(st.function(f)?), xs.clone());
                st.lazy(xs.length, xs.element.clone(), false, &[&xs], move |st, i| {
                    let at = st.moved(&f, i, source.length)?;
                    st.at(&source, &at)
                })
            }
            P::Slide => {
                let (size, step, xs) = (self.size(st, 0)?, self.size(st, 1)?, self.settled(st, 0)?);
                self.slide(st, size, step, xs)
            }
            P::CircularBuffer | P::RotateValues => {
                let circular = p == P::CircularBuffer;
                let first = usize::from(circular);
                let (size, step) = (self.size(st, first)?, self.size(st, first + 1)?);
                if circular && self.size(st, 0)? < size {
                    return Err(GiveUp);
                }
                let (xs, (_, windows)) = (self.array(1)?, self.array_result(st)?);
                let Shape::Array { element, .. } = windows else { return Err(GiveUp) };
                let f = self.value(0);
                let (source, n) = (xs.clone(), xs.length);
                let mapped = st.lazy(n, *element, false, &[&xs], move |st, i| {
                    let x = st.at(&source, i)?;
                    st.apply(&f, x)
                })?;
                // Windows that do not overlap leave elements out, which are not loaded.
                if step >= size {
                    let windows = self.slide(st, size, step, as_array(&mapped)?)?;
                    return st.share(windows);
                }
                let mapped = as_array(&st.share(mapped)?)?;
                self.slide(st, size, step, mapped)
            }
            P::Zip => {
                let (a, b) = (self.array(0)?, self.array(1)?);
                if a.length != b.length {
                    return Err(GiveUp);
                }
                let element = Shape::Pair(Box::new((a.element.clone(), b.element.clone())));
                let (first, second) = (a.clone(), b.clone());
                st.lazy(a.length, element, a.cheap && b.cheap, &[&a, &b], move |st, i| {
                    let x = st.at(&first, i)?;
                    Ok(Meaning::Pair(Rc::new((x, st.at(&second, i)?))))
                })
            }
            P::Unzip => {
                let xs = self.settled(st, 0)?;
                let Shape::Pair(shapes) = xs.element.clone() else { return Err(GiveUp) };
                let (one, two) = (xs.clone(), xs.clone());
                let first = st.lazy(xs.length, shapes.0, true, &[&xs], move |st, i| {
                    Ok(as_pair(&st.at(&one, i)?)?.0.clone())
                })?;
                let second = st.lazy(xs.length, shapes.1, true, &[&xs], move |st, i| {
                    Ok(as_pair(&st.at(&two, i)?)?.1.clone())
                })?;
                Ok(Meaning::Pair(Rc::new((first, second))))
            }
            P::Generate => {
                let (n, element) = self.array_result(st)?;
                let f = self.value(0);
                let cheap = st.rearranges(&f);
                st.lazy(n, element, cheap, &[], move |st, i| {
                    st.apply(&f, Meaning::Number(Number::index(i.clone())))
                })
            }
            P::Idx => {
                let (i, xs) = (self.number(0)?, self.array(1)?);
                let at = st.position(p, &i, xs.length)?;
                let x = st.at(&xs, &at)?;
                st.only_if(&i.defined, x)
            }
            P::MakeArray => {
                let place = st.allocate(&st.shape(self.result)?)?;
                let Place::Array { element, .. } = &place else { return Err(GiveUp) };
                for (i, x) in self.args.iter().enumerate() {
                    st.store(&element.moved(&Index::constant(i as i64)).ok_or(GiveUp)?, x)?;
                }
                Ok(st.read(&place))
            }
            P::Take | P::Drop => {
                let (n, xs) = (self.size(st, 0)?, self.array(0)?);
                let rest = xs.length.checked_sub(n).filter(|rest| *rest >= 0 && n >= 0).ok_or(GiveUp)?;
                let source = xs.clone();
                let (length, from) = if p == P::Take { (n, 0) } else { (rest, n) };
                st.lazy(length, xs.element.clone(), xs.cheap, &[&xs], move |st, i| {
                    st.at(&source, &i.plus(&Index::constant(from)).ok_or(GiveUp)?)
                })
            }
            P::Concat => {
                let (a, b) = (self.array(0)?, self.array(1)?);
                let length = a.length.checked_add(b.length).ok_or(GiveUp)?;
                let (first, second) = (a.clone(), b.clone());
                st.lazy(length, a.element.clone(), false, &[&a, &b], move |st, i| {
                    let n = first.length;
                    st.inside(
                        i,
                        0,
                        n,
                        &first.element,
                        |st, i| st.at(&first, i),
                        |st| {
                            let rest = i.plus(&Index::constant(-n)).ok_or(GiveUp)?;
                            st.at(&second, &rest)
                        },
                    )
                })
            }
            P::Gather => {
                let (indices, xs) = (self.array(0)?, self.settled(st, 1)?);
                let (by, from) = (indices.clone(), xs.clone());
                st.lazy(indices.length, xs.element.clone(), false, &[&indices, &xs], move |st, i| {
                    let Meaning::Number(index) = st.at(&by, i)? else { return Err(GiveUp) };
                    let at = st.position(Pattern::Gather, &index, from.length)?;
                    let x = st.at(&from, &at)?;
                    st.only_if(&index.defined, x)
                })
            }
            P::Scatter => self.scatter(st),
            P::PadCst => {
                let (l, r, value) = (self.size(st, 0)?, self.size(st, 1)?, st.share(self.value(0))?);
                let xs = self.array(1)?;
                let length = padded(xs.length, l, r)?;
                let source = xs.clone();
                st.lazy(length, xs.element.clone(), false, &[&xs], move |st, i| {
                    let n = source.length;
                    st.inside(i, l, n, &source.element, |st, i| st.at(&source, i), |_| Ok(value.clone()))
                })
            }
            P::PadClamp => {
                let (l, r, xs) = (self.size(st, 0)?, self.size(st, 1)?, self.settled(st, 0)?);
                let (length, n) = (padded(xs.length, l, r)?, xs.length);
                if n == 0 && length > 0 {
                    return Err(GiveUp);
                }
                let source = xs.clone();
                st.lazy(length, xs.element.clone(), false, &[&xs], move |st, i| {
                    let inner = i.plus(&Index::constant(-l)).ok_or(GiveUp)?;
                    let at = st.clamped(&inner, n);
                    st.at(&source, &at)
                })
            }
            P::PadEmpty => {
                let (r, xs) = (self.size(st, 0)?, self.array(0)?);
                let length = padded(xs.length, 0, r)?;
                let source = xs.clone();
                st.lazy(length, xs.element.clone(), false, &[&xs], move |st, i| {
                    let element = &source.element;
                    let n = source.length;
                    st.inside(i, 0, n, element, |st, i| st.at(&source, i), |st| st.undefined(element))
                })
            }
            // Meanings have been put in, and the naive evaluator runs foreign functions.
            P::Declared(_) => Err(GiveUp),
            P::VectorFromScalar => {
                let (n, element) = self.array_result(st)?;
                let value = st.share(self.value(0))?;
                st.lazy(n, element, true, &[], move |_, _| Ok(value.clone()))
            }
            _ => Err(GiveUp),
        }
    }

    fn map(&self, st: &mut Stage<'t>, xs: Array<'t>) -> Staged<Meaning<'t>> {
        let (_, element) = self.array_result(st)?;
        let f = self.value(0);
        let cheap = xs.cheap && st.rearranges(&f);
        let source = xs.clone();
        st.lazy(xs.length, element, cheap, &[&xs], move |st, i| {
            let x = st.at(&source, i)?;
            st.apply(&f, x)
        })
    }

    fn reduce(&self, st: &mut Stage<'t>) -> Staged<Meaning<'t>> {
        let (start, xs) = (self.value(1), self.array(2)?);
        let acc = self.accumulator(st, &start)?;
        st.each(xs.length, |st, i| {
            let x = st.at(&xs, &i)?;
            self.accumulate(st, &acc, x)
        })?;
        Ok(st.read(&acc))
    }

    fn reduce_in_parts(&self, st: &mut Stage<'t>) -> Staged<Meaning<'t>> {
        let (start, xs, parts) = (self.value(1), self.array(2)?, self.size(st, 0)?);
        let part = part_of_reduction(xs.length, parts);
        let acc = self.accumulator(st, &start)?;
        let reduce_part = |st: &mut Stage<'t>, first: &Index, length: i64| {
            let x = st.at(&xs, first)?;
            let reduced = self.accumulator(st, &x)?;
            st.each(length - 1, |st, i| {
                let i = first.plus(&i).and_then(|i| i.plus(&Index::constant(1))).ok_or(GiveUp)?;
                let x = st.at(&xs, &i)?;
                self.accumulate(st, &reduced, x)
            })?;
            self.accumulate(st, &acc, st.read(&reduced))
        };
        let (whole, rest) = (xs.length / part, xs.length % part);
        st.each(whole, |st, i| reduce_part(st, &i.times(part).ok_or(GiveUp)?, part))?;
        if rest > 0 {
            reduce_part(st, &Index::constant(whole * part), rest)?;
        }
        Ok(st.read(&acc))
    }

    fn accumulator(&self, st: &mut Stage<'t>, start: &Meaning<'t>) -> Staged<Place> {
        let acc = st.allocate(&st.shape(self.result)?)?;
        st.store(&acc, start)?;
        Ok(acc)
    }

    fn accumulate(&self, st: &mut Stage<'t>, acc: &Place, x: Meaning<'t>) -> Staged<()> {
        let shape = st.shape(self.result)?;
        let partial = st.apply(&self.value(0), st.read(acc))?;
        let next = st.apply(&partial, x)?;
        if let Shape::Number(_) = shape {
            return st.store(acc, &next);
        }
        // Parts of the next value may read any part of the last one.
        let other = st.allocate(&shape)?;
        st.store(&other, &next)?;
        st.take_over(acc, &other)
    }

    fn scan(&self, st: &mut Stage<'t>) -> Staged<Meaning<'t>> {
        let (op, start, xs) = (self.value(0), self.value(1), self.array(2)?);
        let (_, shape) = self.array_result(st)?;
        let (acc, other) = (st.allocate(&shape)?, st.allocate(&shape)?);
        st.store(&acc, &start)?;
        let out = st.allocate(&st.shape(self.result)?)?;
        let Place::Array { element, .. } = &out else { return Err(GiveUp) };
        st.each(xs.length, |st, i| {
            let x = st.at(&xs, &i)?;
            let partial = st.apply(&op, x)?;
            let next = st.apply(&partial, st.read(&acc))?;
            st.store(&other, &next)?;
            st.take_over(&acc, &other)?;
            st.store(&element.moved(&i).ok_or(GiveUp)?, &st.read(&acc))
        })?;
        Ok(st.read(&out))
    }

    fn split(&self, st: &mut Stage<'t>, n: i64, xs: Array<'t>) -> Staged<Meaning<'t>> {
        if n <= 0 || xs.length % n != 0 {
            return Err(GiveUp);
        }
        let chunk = Shape::Array { length: n, element: Box::new(xs.element.clone()), vector: false };
        let source = xs.clone();
        st.lazy(xs.length / n, chunk, xs.cheap, &[&xs], move |st, i| {
            let (start, inner) = (i.times(n).ok_or(GiveUp)?, source.clone());
            st.lazy(n, source.element.clone(), source.cheap, &[&source], move |st, j| {
                st.at(&inner, &start.plus(j).ok_or(GiveUp)?)
            })
        })
    }

    fn join(&self, st: &mut Stage<'t>) -> Staged<Meaning<'t>> {
        let xs = self.settled(st, 0)?;
        let Shape::Array { length: n, element, .. } = xs.element.clone() else { return Err(GiveUp) };
        let length = xs.length.checked_mul(n).ok_or(GiveUp)?;
        let source = xs.clone();
        st.lazy(length, *element, true, &[&xs], move |st, i| {
            let (row, column) = st.divide(i, n)?;
            let row = as_array(&st.at(&source, &row)?)?;
            st.at(&row, &column)
        })
    }

    fn transpose(&self, st: &mut Stage<'t>) -> Staged<Meaning<'t>> {
        let xs = self.settled(st, 0)?;
        let Shape::Array { length: columns, element, .. } = xs.element.clone() else { return Err(GiveUp) };
        let column = Shape::Array { length: xs.length, element: element.clone(), vector: false };
        let source = xs.clone();
        st.lazy(columns, column, true, &[&xs], move |st, j| {
            let (j, rows) = (j.clone(), source.clone());
            st.lazy(source.length, (*element).clone(), true, &[&source], move |st, i| {
                let row = as_array(&st.at(&rows, i)?)?;
                st.at(&row, &j)
            })
        })
    }

    fn slide(&self, st: &mut Stage<'t>, size: i64, step: i64, xs: Array<'t>) -> Staged<Meaning<'t>> {
        let rest = xs.length.checked_sub(size).ok_or(GiveUp)?;
        if size < 0 || step <= 0 || rest < -step || rest % step != 0 {
            return Err(GiveUp);
        }
        let window = Shape::Array { length: size, element: Box::new(xs.element.clone()), vector: false };
        let source = xs.clone();
        st.lazy(rest / step + 1, window, xs.cheap, &[&xs], move |st, i| {
            let (start, inner) = (i.times(step).ok_or(GiveUp)?, source.clone());
            st.lazy(size, source.element.clone(), source.cheap, &[&source], move |st, j| {
                st.at(&inner, &start.plus(j).ok_or(GiveUp)?)
            })
        })
    }

    fn scatter(&self, st: &mut Stage<'t>) -> Staged<Meaning<'t>> {
        let (indices, xs) = (self.array(0)?, self.array(1)?);
        if indices.length != xs.length {
            return Err(GiveUp);
        }
        let shape = st.shape(self.result)?;
        let (n, _) = self.array_result(st)?;
        let out = st.allocate(&shape)?;
        let Place::Array { element, .. } = &out else { return Err(GiveUp) };
        let empty = st.undefined(&shape)?;
        st.store(&out, &empty)?;
        // One more than needed, so that it is an array at every size.
        let written = st.array(CellKind::Bool, usize::try_from(n).map_err(|_| GiveUp)? + 2);
        st.each(n, |st, i| {
            st.emit(write_array::<bool>(written, i, Rc::new(|_| false)));
            Ok(())
        })?;
        st.each(xs.length, |st, i| {
            let Meaning::Number(index) = st.at(&indices, &i)? else { return Err(GiveUp) };
            if let Some(defined) = index.defined.clone() {
                let slot = st.slot(CellKind::Bool);
                st.emit(write_slot(
                    slot,
                    Rc::new(move |f| {
                        let is = defined(f);
                        if !is {
                            f.fail(Failure::UndefinedIndex);
                        }
                        is
                    }),
                ));
            }
            let at = st.position(Pattern::Scatter, &index, n)?;
            let before: Ex<bool> = read_array(written, &at);
            let place = at.code();
            st.emit(write_array(
                written,
                at.clone(),
                Rc::new(move |f| {
                    if before(f) {
                        f.fail(Failure::WrittenTwice(place(f)));
                    }
                    true
                }),
            ));
            let x = st.at(&xs, &i)?;
            st.store(&element.moved(&at).ok_or(GiveUp)?, &x)
        })?;
        Ok(st.read(&out))
    }
}

fn padded(n: i64, l: i64, r: i64) -> Staged<i64> {
    if l < 0 || r < 0 {
        return Err(GiveUp);
    }
    n.checked_add(l).and_then(|n| n.checked_add(r)).ok_or(GiveUp)
}

fn as_array<'t>(m: &Meaning<'t>) -> Staged<Array<'t>> {
    if let Meaning::Array(a) = m { Ok(a.clone()) } else { Err(GiveUp) }
}

fn as_pair<'a, 't>(m: &'a Meaning<'t>) -> Staged<&'a (Meaning<'t>, Meaning<'t>)> {
    if let Meaning::Pair(p) = m { Ok(p) } else { Err(GiveUp) }
}

fn scalar_of(shape: &Shape) -> Option<Scalar> {
    match shape {
        Shape::Number(s) => *s,
        Shape::Array { element, .. } => scalar_of(element),
        Shape::Pair(_) => None,
    }
}

fn unary<'t>(st: &mut Stage<'t>, p: Pattern, x: &Meaning<'t>, result: &Shape) -> Staged<Meaning<'t>> {
    match x {
        Meaning::Number(n) => st.number(Number::unary(p, n, scalar_of(result))),
        Meaning::Array(lanes) => {
            let element = Shape::Number(scalar_of(result));
            let (source, lane) = (lanes.clone(), element.clone());
            st.lazy(lanes.length, element, false, &[lanes], move |st, i| {
                let x = st.at(&source, i)?;
                unary(st, p, &x, &lane)
            })
        }
        _ => Err(GiveUp),
    }
}

fn binary<'t>(
    st: &mut Stage<'t>,
    p: Pattern,
    x: &Meaning<'t>,
    y: &Meaning<'t>,
    result: &Shape,
) -> Staged<Meaning<'t>> {
    match (x, y) {
        (Meaning::Number(x), Meaning::Number(y)) => {
            let is_float = scalar_of(result).is_some_and(Scalar::is_float);
            if matches!(p, Pattern::Div | Pattern::Mod) && !is_float && !y.is_positive_literal() {
                if st.forgives {
                    return st.number(Number::quotient(p, x, y));
                }
                st.may_fail()?;
            }
            st.number(Number::binary(p, x, y))
        }
        (Meaning::Array(a), Meaning::Array(b)) if a.length == b.length => {
            let element = Shape::Number(scalar_of(result));
            let (first, second, lane) = (a.clone(), b.clone(), element.clone());
            st.lazy(a.length, element, false, &[a, b], move |st, i| {
                let (x, y) = (st.at(&first, i)?, st.at(&second, i)?);
                binary(st, p, &x, &y, &lane)
            })
        }
        _ => Err(GiveUp),
    }
}
