//! From terms to statements, at known sizes: functions are applied here, layout becomes arithmetic on positions, and
//! what is left are loops over cells.
//!
//! An array is its length and the code for an element at a position. It is *cheap* when elements are only read, not
//! computed. What is used more than once and is not cheap is kept in cells: at the binder that names it, and before
//! patterns that read elements more than once or in another order.

use super::frame::{
    Arrays, Block, Cells, Ex, Failure, Index, Kind, Statement, branch, for_loop, read_array, read_slot,
    swap_arrays, write_array, write_slot,
};
use super::number::{Code, Number};
use super::place::{CellKind, Home, Place, Shape, cell_kind};
use crate::build;
use crate::digest::Digest;
use crate::eval::{Limits, Sizes};
use crate::literal::Literal;
use crate::nat::{Known, Nat, NatFun};
use crate::pattern::Pattern;
use crate::sort::Sort;
use crate::term::{Expr, Prim, Term};
use crate::ty::Type;
use crate::value::eval_nat;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The term is not for this evaluator, or is wrong in a way that the naive one describes.
#[derive(Debug)]
pub struct GiveUp;

pub type Staged<T> = Result<T, GiveUp>;

/// What a term stands for.
#[derive(Clone)]
pub enum Meaning<'t> {
    Number(Number),
    Pair(Rc<(Meaning<'t>, Meaning<'t>)>),
    Array(Rc<Lazy<'t>>),
    Closure(&'t Term, Env<'t>),
    Partial(&'t Prim, &'t Type, Vec<Meaning<'t>>),
}

type At<'t> = Box<dyn Fn(&mut Stage<'t>, &Index) -> Staged<Meaning<'t>> + 't>;

/// An array whose elements are code.
pub struct Lazy<'t> {
    pub length: i64,
    pub element: Shape,
    pub cheap: bool,
    /// How many arrays stand behind it.
    nested: u32,
    at: At<'t>,
}

#[derive(Clone, Default)]
pub struct Env<'t>(Option<Rc<(Meaning<'t>, Env<'t>)>>);

impl<'t> Env<'t> {
    fn with(&self, value: Meaning<'t>) -> Self {
        Env(Some(Rc::new((value, self.clone()))))
    }
    fn get(&self, index: u32) -> Option<&Meaning<'t>> {
        let mut env = self;
        for _ in 0..index {
            env = &env.0.as_ref()?.1;
        }
        env.0.as_ref().map(|pair| &pair.0)
    }
}

/// Deeper code and longer chains of arrays are cut by keeping a value in cells.
const MAX_NESTED: u32 = 48;

/// Terms that unfold to more code than this are left to the naive evaluator.
const MAX_CODE: u32 = 300_000;

pub struct Stage<'t> {
    sizes: &'t Sizes,
    limits: &'t Limits<'t>,
    pub cells: Cells,
    pub arrays: Arrays,
    block: Block,
    /// The least and greatest value of each integer slot, where known.
    ranges: Vec<Option<(i64, i64)>>,
    /// May anything be undefined?
    tracks: bool,
    /// Is a scalar without a value undefined, instead of a failure?
    pub forgives: bool,
    /// Is all that a loop of the program computes kept in memory, whether or not it is read?
    pub keeps_loops: bool,
    /// How many lanes the vector has that is staged, of which some will be chosen.
    lanes: Option<i64>,
    code: u32,
    elements: u64,
    layout: FxHashMap<Digest, bool>,
}

impl<'t> Stage<'t> {
    pub fn new(sizes: &'t Sizes, limits: &'t Limits<'t>, tracks: bool) -> Stage<'t> {
        Stage {
            sizes,
            limits,
            cells: Cells::default(),
            arrays: Arrays::default(),
            block: vec![],
            ranges: vec![],
            tracks,
            forgives: false,
            keeps_loops: false,
            lanes: None,
            code: 0,
            elements: 0,
            layout: FxHashMap::default(),
        }
    }

    pub fn into_parts(self) -> (Cells, Arrays, Block) {
        (self.cells, self.arrays, self.block)
    }

    fn count(&mut self) -> Staged<()> {
        self.code += 1;
        if self.code > MAX_CODE || (self.code.is_multiple_of(64) && self.limits.is_cancelled()) {
            return Err(GiveUp);
        }
        Ok(())
    }

    pub fn nat(&self, n: &Nat) -> Staged<i64> {
        eval_nat(n, self.sizes).map_err(|_| GiveUp)
    }

    pub fn function(&self, f: &NatFun) -> Staged<Known> {
        f.at(&|name| self.sizes.get(name).copied()).map_err(|_| GiveUp)
    }

    pub fn shape(&self, ty: &Type) -> Staged<Shape> {
        Shape::of(ty, self.sizes).map_err(|_| GiveUp)
    }

    // --- statements ---

    pub fn emit(&mut self, statement: Statement) {
        self.block.push(statement);
    }

    fn within(&mut self, body: impl FnOnce(&mut Self) -> Staged<()>) -> Staged<Block> {
        let outside = std::mem::take(&mut self.block);
        let result = body(self);
        let inside = std::mem::replace(&mut self.block, outside);
        result.map(|()| inside)
    }

    /// A loop over the elements of something.
    pub fn each(&mut self, n: i64, body: impl FnOnce(&mut Self, Index) -> Staged<()>) -> Staged<()> {
        let slot = self.int_slot(Some((0, n - 1)));
        let body = self.within(|st| body(st, Index::slot(slot)))?;
        self.emit(for_loop(slot, n, body));
        Ok(())
    }

    fn int_slot(&mut self, range: Option<(i64, i64)>) -> usize {
        self.cells.ints.push(0);
        self.ranges.push(range);
        self.cells.ints.len() - 1
    }

    pub fn slot(&mut self, kind: CellKind) -> usize {
        fn push<T: Default>(cells: &mut Vec<T>) -> usize {
            cells.push(T::default());
            cells.len() - 1
        }
        match kind {
            CellKind::F32 => push(&mut self.cells.f32s),
            CellKind::F64 => push(&mut self.cells.f64s),
            CellKind::Bool => push(&mut self.cells.bools),
            CellKind::Int => self.int_slot(None),
        }
    }

    pub fn array(&mut self, kind: CellKind, n: usize) -> usize {
        fn push<T: Default + Clone>(arrays: &mut Vec<Vec<T>>, n: usize) -> usize {
            arrays.push(vec![T::default(); n]);
            arrays.len() - 1
        }
        match kind {
            CellKind::F32 => push(&mut self.arrays.f32s, n),
            CellKind::F64 => push(&mut self.arrays.f64s, n),
            CellKind::Bool => push(&mut self.arrays.bools, n),
            CellKind::Int => push(&mut self.arrays.ints, n),
        }
    }

    // --- cells ---

    /// Cells for a value.
    pub fn allocate(&mut self, shape: &Shape) -> Staged<Place> {
        self.allocate_many(shape, 1)
    }

    fn allocate_many(&mut self, shape: &Shape, count: i64) -> Staged<Place> {
        Ok(match shape {
            Shape::Number(scalar) => {
                let home = self.home(cell_kind(*scalar), count)?;
                let defined = if self.tracks { Some(self.home(CellKind::Bool, count)?) } else { None };
                Place::Number { scalar: *scalar, home, defined }
            }
            Shape::Pair(p) => {
                let first = self.allocate_many(&p.0, count)?;
                Place::Pair(Box::new((first, self.allocate_many(&p.1, count)?)))
            }
            Shape::Array { length, element, .. } => {
                let count = count.checked_mul(*length).ok_or(GiveUp)?;
                Place::Array { length: *length, element: Box::new(self.allocate_many(element, count)?) }
            }
        })
    }

    fn home(&mut self, kind: CellKind, count: i64) -> Staged<Home> {
        if count == 1 {
            return Ok(Home::Slot(self.slot(kind)));
        }
        let n = u64::try_from(count).map_err(|_| GiveUp)?;
        self.elements = self.elements.saturating_add(n);
        if n > self.limits.elements || self.elements > self.limits.elements.saturating_mul(8) {
            return Err(GiveUp);
        }
        Ok(Home::Array(self.array(kind, n as usize), Index::default()))
    }

    /// The value that cells hold.
    pub fn read(&self, place: &Place) -> Meaning<'t> {
        match place {
            Place::Number { scalar, home, defined } => {
                let code = match (home, cell_kind(*scalar)) {
                    (Home::Slot(s), _) => Number::slot(*scalar, *s).code,
                    (Home::Array(a, i), CellKind::F32) => Code::F32(read_array(*a, i)),
                    (Home::Array(a, i), CellKind::F64) => Code::F64(read_array(*a, i)),
                    (Home::Array(a, i), CellKind::Int) => Code::Int(read_array(*a, i)),
                    (Home::Array(a, i), CellKind::Bool) => Code::Bool(read_array(*a, i)),
                };
                let defined = defined.as_ref().map(|home| match home {
                    Home::Slot(s) => read_slot(*s),
                    Home::Array(a, i) => read_array(*a, i),
                });
                Meaning::Number(Number {
                    scalar: *scalar,
                    code,
                    cheap: true,
                    index: None,
                    literal: None,
                    defined,
                    nested: 0,
                })
            }
            Place::Pair(p) => Meaning::Pair(Rc::new((self.read(&p.0), self.read(&p.1)))),
            Place::Array { length, element } => {
                let shape = shape_of(element);
                let element = element.clone();
                let at = move |st: &mut Stage<'t>, i: &Index| Ok(st.read(&element.moved(i).ok_or(GiveUp)?));
                Meaning::Array(Rc::new(Lazy {
                    length: *length,
                    element: shape,
                    cheap: true,
                    nested: 0,
                    at: Box::new(at),
                }))
            }
        }
    }

    /// Computes the value into cells.
    pub fn store(&mut self, place: &Place, value: &Meaning<'t>) -> Staged<()> {
        self.count()?;
        match (place, value) {
            (Place::Number { home, defined, .. }, Meaning::Number(n)) => {
                // Whether it is defined never depends on the value itself, so this order is right in place, too.
                self.write(home, &n.code);
                if let Some(home) = defined {
                    let always: Ex<bool> = Rc::new(|_| true);
                    self.write(home, &Code::Bool(n.defined.clone().unwrap_or(always)));
                }
                Ok(())
            }
            (Place::Pair(p), Meaning::Pair(q)) => {
                self.store(&p.0, &q.0)?;
                self.store(&p.1, &q.1)
            }
            (Place::Array { length, element }, Meaning::Array(array)) if *length == array.length => {
                let element = element.clone();
                let array = array.clone();
                self.each(*length, |st, i| {
                    let value = st.at(&array, &i)?;
                    st.store(&element.moved(&i).ok_or(GiveUp)?, &value)
                })
            }
            _ => Err(GiveUp),
        }
    }

    fn write(&mut self, home: &Home, code: &Code) {
        fn to<T: Kind>(home: &Home, code: &Ex<T>) -> Statement {
            match home {
                Home::Slot(s) => write_slot(*s, code.clone()),
                Home::Array(a, i) => write_array(*a, i.clone(), code.clone()),
            }
        }
        let statement = match code {
            Code::F32(c) => to(home, c),
            Code::F64(c) => to(home, c),
            Code::Int(c) => to(home, c),
            Code::Bool(c) => to(home, c),
        };
        self.emit(statement);
    }

    /// Makes one place hold what the other holds; the other's contents are lost.
    pub fn take_over(&mut self, to: &Place, from: &Place) -> Staged<()> {
        match (to, from) {
            (
                Place::Number { scalar, home, defined },
                Place::Number { home: from_home, defined: from_defined, .. },
            ) => {
                self.take_over_home(cell_kind(*scalar), home, from_home);
                if let (Some(to), Some(from)) = (defined, from_defined) {
                    self.take_over_home(CellKind::Bool, to, from);
                }
                Ok(())
            }
            (Place::Pair(p), Place::Pair(q)) => {
                self.take_over(&p.0, &q.0)?;
                self.take_over(&p.1, &q.1)
            }
            (Place::Array { element: a, .. }, Place::Array { element: b, .. }) => self.take_over(a, b),
            _ => Err(GiveUp),
        }
    }

    fn take_over_home(&mut self, kind: CellKind, to: &Home, from: &Home) {
        let statement = match (to, from, kind) {
            (Home::Array(a, _), Home::Array(b, _), CellKind::F32) => swap_arrays::<f32>(*a, *b),
            (Home::Array(a, _), Home::Array(b, _), CellKind::F64) => swap_arrays::<f64>(*a, *b),
            (Home::Array(a, _), Home::Array(b, _), CellKind::Int) => swap_arrays::<i64>(*a, *b),
            (Home::Array(a, _), Home::Array(b, _), CellKind::Bool) => swap_arrays::<bool>(*a, *b),
            (Home::Slot(a), Home::Slot(b), CellKind::F32) => write_slot(*a, read_slot::<f32>(*b)),
            (Home::Slot(a), Home::Slot(b), CellKind::F64) => write_slot(*a, read_slot::<f64>(*b)),
            (Home::Slot(a), Home::Slot(b), CellKind::Int) => write_slot(*a, read_slot::<i64>(*b)),
            (Home::Slot(a), Home::Slot(b), CellKind::Bool) => write_slot(*a, read_slot::<bool>(*b)),
            // Places of one shape have homes of one kind.
            _ => return,
        };
        self.emit(statement);
    }

    // --- sharing ---

    /// Keeps a scalar in a slot.
    fn keep(&mut self, n: &Number) -> Number {
        let slot = self.slot(cell_kind(n.scalar));
        self.write(&Home::Slot(slot), &n.code);
        let mut kept = Number::slot(n.scalar, slot);
        if let Some(defined) = &n.defined {
            let flag = self.slot(CellKind::Bool);
            self.emit(write_slot(flag, defined.clone()));
            kept.defined = Some(read_slot(flag));
        }
        kept
    }

    /// The value in a form that is read as often as one likes.
    pub fn share(&mut self, value: Meaning<'t>) -> Staged<Meaning<'t>> {
        self.count()?;
        Ok(match value {
            Meaning::Number(n) if !n.cheap => Meaning::Number(self.keep(&n)),
            Meaning::Pair(p) => {
                let first = self.share(p.0.clone())?;
                Meaning::Pair(Rc::new((first, self.share(p.1.clone())?)))
            }
            // Each lane is computed where it is chosen.
            Meaning::Array(a) if self.lanes == Some(a.length) => Meaning::Array(a),
            Meaning::Array(a) => Meaning::Array(self.settle(a)?),
            other => other,
        })
    }

    /// The array with elements that are only read.
    fn settle(&mut self, array: Rc<Lazy<'t>>) -> Staged<Rc<Lazy<'t>>> {
        if array.cheap {
            return Ok(array);
        }
        let shape =
            Shape::Array { length: array.length, element: Box::new(array.element.clone()), vector: false };
        let place = self.allocate(&shape)?;
        self.store(&place, &Meaning::Array(array))?;
        match self.read(&place) {
            Meaning::Array(kept) => Ok(kept),
            _ => Err(GiveUp),
        }
    }

    /// What is computed before it is known which lanes are chosen may not fail.
    pub fn may_fail(&self) -> Staged<()> {
        if self.lanes.is_some() { Err(GiveUp) } else { Ok(()) }
    }

    /// An operation's result; code that is nested too deep is cut here.
    pub fn number(&mut self, n: Option<Number>) -> Staged<Meaning<'t>> {
        self.count()?;
        let n = n.ok_or(GiveUp)?;
        Ok(Meaning::Number(if n.nested > MAX_NESTED { self.keep(&n) } else { n }))
    }

    /// An array from the code of its elements; `behind` are the arrays that it reads.
    pub fn lazy(
        &mut self,
        length: i64,
        element: Shape,
        cheap: bool,
        behind: &[&Rc<Lazy<'t>>],
        at: impl Fn(&mut Stage<'t>, &Index) -> Staged<Meaning<'t>> + 't,
    ) -> Staged<Meaning<'t>> {
        self.count()?;
        let nested = behind.iter().map(|a| a.nested).max().unwrap_or(0) + 1;
        if length < 0 {
            return Err(GiveUp);
        }
        let array = Rc::new(Lazy { length, element, cheap, nested, at: Box::new(at) });
        if nested > MAX_NESTED {
            let costly = Lazy {
                length,
                element: array.element.clone(),
                cheap: false,
                nested: 0,
                at: {
                    let array = array.clone();
                    Box::new(move |st, i| st.at(&array, i))
                },
            };
            return Ok(Meaning::Array(self.settle(Rc::new(costly))?));
        }
        Ok(Meaning::Array(array))
    }

    /// The element at a position.
    pub fn at(&mut self, array: &Rc<Lazy<'t>>, i: &Index) -> Staged<Meaning<'t>> {
        self.count()?;
        stacker::maybe_grow(RED_ZONE, 2 << 20, || (array.at)(self, i))
    }

    // --- positions ---

    fn range(&self, i: &Index) -> Option<(i64, i64)> {
        let mut range = (i.constant, i.constant);
        for (slot, factor) in &i.terms {
            let (lo, hi) = (*self.ranges.get(*slot)?)?;
            let (a, b) = (lo.checked_mul(*factor)?, hi.checked_mul(*factor)?);
            range = (range.0.checked_add(a.min(b))?, range.1.checked_add(a.max(b))?);
        }
        Some(range)
    }

    fn is_within(&self, i: &Index, n: i64) -> bool {
        self.range(i).is_some_and(|(lo, hi)| lo >= 0 && hi < n)
    }

    /// `i / n` and `i % n`.
    pub fn divide(&mut self, i: &Index, n: i64) -> Staged<(Index, Index)> {
        if n <= 0 {
            // Of no elements none is asked for.
            return Ok((Index::default(), Index::default()));
        }
        let (whole, rest): (Vec<_>, Vec<_>) = i.terms.iter().partition(|(_, factor)| factor % n == 0);
        let quotient = Index {
            constant: i.constant.div_euclid(n),
            terms: whole.into_iter().map(|(slot, factor)| (slot, factor / n)).collect(),
        };
        let rest = Index { constant: i.constant.rem_euclid(n), terms: rest };
        if self.is_within(&rest, n) {
            return Ok((quotient, rest));
        }
        let most = self.range(&rest).map(|(_, hi)| hi / n);
        let (q, r) = (self.int_slot(most.map(|hi| (0, hi))), self.int_slot(Some((0, n - 1))));
        let (code, again) = (rest.code(), rest.code());
        self.emit(write_slot(q, Rc::new(move |f| code(f).div_euclid(n))));
        self.emit(write_slot(r, Rc::new(move |f| again(f).rem_euclid(n))));
        Ok((quotient.plus(&Index::slot(q)).ok_or(GiveUp)?, Index::slot(r)))
    }

    /// A computed number as a position below `n`, checked when the program runs unless that is evident.
    pub fn position(&mut self, pattern: Pattern, i: &Number, n: i64) -> Staged<Index> {
        if let Some(index) = &i.index
            && i.defined.is_none()
            && self.is_within(index, n)
        {
            return Ok(index.clone());
        }
        let Code::Int(code) = &i.code else { return Err(GiveUp) };
        let (code, defined) = (code.clone(), i.defined.clone());
        let slot = self.int_slot(Some((0, n - 1)));
        let checked: Ex<i64> = Rc::new(move |f| {
            if defined.as_ref().is_some_and(|d| !d(f)) {
                return 0;
            }
            let i = code(f);
            if (0..n).contains(&i) {
                return i;
            }
            f.fail(Failure::OutOfBounds(pattern, i, n));
            0
        });
        self.emit(write_slot(slot, checked));
        Ok(Index::slot(slot))
    }

    /// The position that a function leads to from another, checked when the program runs.
    pub fn moved(&mut self, f: &Rc<Known>, i: &Index, n: i64) -> Staged<Index> {
        let (code, f) = (i.code(), f.clone());
        let slot = self.int_slot(Some((0, n - 1)));
        let to: Ex<i64> = Rc::new(move |frame| {
            let i = code(frame);
            let to = f.call(i).unwrap_or(-1);
            if (0..n).contains(&to) {
                return to;
            }
            frame.fail(Failure::OutOfBounds(Pattern::Reorder, to, n));
            0
        });
        self.emit(write_slot(slot, to));
        Ok(Index::slot(slot))
    }

    /// The nearest position of `n`.
    pub fn clamped(&mut self, i: &Index, n: i64) -> Index {
        if self.is_within(i, n) {
            return i.clone();
        }
        let slot = self.int_slot(Some((0, n - 1)));
        let code = i.code();
        self.emit(write_slot(slot, Rc::new(move |f| code(f).min(n - 1).max(0))));
        Index::slot(slot)
    }

    // --- choices ---

    /// A value of one of two computations, of which only one runs.
    fn choose(
        &mut self,
        condition: Ex<bool>,
        shape: &Shape,
        then: impl FnOnce(&mut Self) -> Staged<Meaning<'t>>,
        otherwise: impl FnOnce(&mut Self) -> Staged<Meaning<'t>>,
    ) -> Staged<Meaning<'t>> {
        let place = self.allocate(shape)?;
        let yes = self.within(|st| {
            let value = then(st)?;
            st.store(&place, &value)
        })?;
        let no = self.within(|st| {
            let value = otherwise(st)?;
            st.store(&place, &value)
        })?;
        self.emit(branch(condition, yes, no));
        Ok(self.read(&place))
    }

    pub fn select(
        &mut self,
        condition: Meaning<'t>,
        shape: &Shape,
        then: impl FnOnce(&mut Self) -> Staged<Meaning<'t>>,
        otherwise: impl FnOnce(&mut Self) -> Staged<Meaning<'t>>,
    ) -> Staged<Meaning<'t>> {
        let condition = match condition {
            Meaning::Number(condition) => condition,
            Meaning::Array(tests) => {
                let around = self.lanes.replace(tests.length);
                let (then, otherwise) = (then(self)?, otherwise(self)?);
                self.lanes = around;
                return self.select_lanes(tests, shape, then, otherwise);
            }
            _ => return Err(GiveUp),
        };
        let Code::Bool(test) = condition.code else { return Err(GiveUp) };
        match condition.defined {
            None => self.choose(test, shape, then, otherwise),
            Some(defined) => self.choose(
                defined,
                shape,
                |st| st.choose(test, shape, then, otherwise),
                |st| st.undefined(shape),
            ),
        }
    }

    /// Lane by lane one of two vectors; only what is chosen is computed.
    fn select_lanes(
        &mut self,
        tests: Rc<Lazy<'t>>,
        shape: &Shape,
        then: Meaning<'t>,
        otherwise: Meaning<'t>,
    ) -> Staged<Meaning<'t>> {
        let (Shape::Array { element, .. }, Meaning::Array(a), Meaning::Array(b)) = (shape, then, otherwise)
        else {
            return Err(GiveUp);
        };
        if tests.length != a.length || a.length != b.length {
            return Err(GiveUp);
        }
        let (lane, behind) = ((**element).clone(), [tests.clone(), a.clone(), b.clone()]);
        self.lazy(a.length, lane.clone(), false, &[&behind[0], &behind[1], &behind[2]], move |st, i| {
            let test = st.at(&tests, i)?;
            st.select(test, &lane, |st| st.at(&a, i), |st| st.at(&b, i))
        })
    }

    /// The element at `i - from`, if that is one of the `n`, else something else.
    pub fn inside(
        &mut self,
        i: &Index,
        from: i64,
        n: i64,
        shape: &Shape,
        then: impl FnOnce(&mut Self, &Index) -> Staged<Meaning<'t>>,
        otherwise: impl FnOnce(&mut Self) -> Staged<Meaning<'t>>,
    ) -> Staged<Meaning<'t>> {
        let inner = i.plus(&Index::constant(from.checked_neg().ok_or(GiveUp)?)).ok_or(GiveUp)?;
        if self.is_within(&inner, n) {
            return then(self, &inner);
        }
        if self.range(&inner).is_some_and(|(lo, hi)| hi < 0 || lo >= n) {
            return otherwise(self);
        }
        // In a slot of its own, the position is known to be in range.
        let slot = self.int_slot(Some((0, n - 1)));
        self.emit(write_slot(slot, inner.code()));
        let test: Ex<bool> = Rc::new(move |f| f.scalars.ints.get(slot).is_some_and(|i| (0..n).contains(i)));
        self.choose(test, shape, |st| then(st, &Index::slot(slot)), otherwise)
    }

    pub fn undefined(&mut self, shape: &Shape) -> Staged<Meaning<'t>> {
        if !self.tracks {
            return Err(GiveUp);
        }
        Ok(match shape {
            Shape::Number(scalar) => Meaning::Number(Number::undefined(*scalar)),
            Shape::Pair(p) => {
                let first = self.undefined(&p.0)?;
                Meaning::Pair(Rc::new((first, self.undefined(&p.1)?)))
            }
            Shape::Array { length, element, .. } => {
                let inner = (**element).clone();
                self.lazy(*length, (**element).clone(), true, &[], move |st, _| st.undefined(&inner))?
            }
        })
    }

    /// The value, undefined wherever the condition does not hold.
    pub fn only_if(&mut self, defined: &Option<Ex<bool>>, value: Meaning<'t>) -> Staged<Meaning<'t>> {
        let Some(condition) = defined else { return Ok(value) };
        Ok(match value {
            Meaning::Number(n) => {
                let defined = super::number::both(&Some(condition.clone()), &n.defined);
                Meaning::Number(Number { defined, ..n })
            }
            Meaning::Pair(p) => {
                let first = self.only_if(defined, p.0.clone())?;
                Meaning::Pair(Rc::new((first, self.only_if(defined, p.1.clone())?)))
            }
            Meaning::Array(a) => {
                let (defined, inner) = (defined.clone(), a.clone());
                self.lazy(a.length, a.element.clone(), a.cheap, &[&a], move |st, i| {
                    let value = st.at(&inner, i)?;
                    st.only_if(&defined, value)
                })?
            }
            function => function,
        })
    }

    // --- terms ---

    pub fn eval(&mut self, term: &'t Term, env: &Env<'t>) -> Staged<Meaning<'t>> {
        self.count()?;
        stacker::maybe_grow(RED_ZONE, 2 << 20, || self.eval_here(term, env))
    }

    fn eval_here(&mut self, term: &'t Term, env: &Env<'t>) -> Staged<Meaning<'t>> {
        match term.expr() {
            Expr::Var(i) => env.get(*i).cloned().ok_or(GiveUp),
            Expr::Lam(..) => Ok(Meaning::Closure(term, env.clone())),
            Expr::Prim(p) => Ok(Meaning::Partial(p, term.ty(), vec![])),
            Expr::Lit(Literal::Nat(n) | Literal::Index(n, _)) => {
                let value = self.nat(n)?;
                Ok(Meaning::Number(Number::index(Index::constant(value))))
            }
            Expr::Lit(l) => Number::literal(l).map(Meaning::Number).ok_or(GiveUp),
            Expr::App(f, e) => {
                if let Some((p, args)) = term.as_pattern_app()
                    && let (Pattern::Select, [condition, then, otherwise]) = (p.pattern, args.as_slice())
                {
                    let condition = self.eval(condition, env)?;
                    let shape = self.shape(term.ty())?;
                    return self.select(
                        condition,
                        &shape,
                        |st| st.eval(then, env),
                        |st| st.eval(otherwise, env),
                    );
                }
                let f = self.eval(f, env)?;
                let e = self.eval(e, env)?;
                self.apply(&f, e)
            }
        }
    }

    pub fn apply(&mut self, f: &Meaning<'t>, arg: Meaning<'t>) -> Staged<Meaning<'t>> {
        self.count()?;
        match f {
            Meaning::Closure(lam, env) => {
                let (_, body) = lam.as_lam().ok_or(GiveUp)?;
                let arg = if body.uses_at_most_once(0) { arg } else { self.share(arg)? };
                self.eval(body, &env.with(arg))
            }
            Meaning::Partial(p, ty, args) => {
                let mut args = args.clone();
                args.push(arg);
                if build::arity(p.pattern, &p.args) == Some(args.len()) {
                    super::patterns::meaning(self, p, ty, args)
                } else {
                    Ok(Meaning::Partial(p, ty, args))
                }
            }
            _ => Err(GiveUp),
        }
    }

    /// Does the function only rearrange, and read what is cheap to read?
    pub fn rearranges(&mut self, f: &Meaning<'t>) -> bool {
        match f {
            Meaning::Number(n) => n.cheap,
            Meaning::Pair(p) => self.rearranges(&p.0) && self.rearranges(&p.1),
            Meaning::Array(a) => a.cheap,
            Meaning::Closure(lam, env) => {
                if !self.is_layout(lam) {
                    return false;
                }
                let mut i = 0;
                while let Some(value) = env.get(i) {
                    if lam.has_free(i) {
                        let value = value.clone();
                        if !self.rearranges(&value) {
                            return false;
                        }
                    }
                    i += 1;
                }
                true
            }
            Meaning::Partial(p, _, args) => is_layout(p.pattern) && args.iter().all(|a| self.rearranges(a)),
        }
    }

    fn is_layout(&mut self, t: &Term) -> bool {
        if let Some(known) = self.layout.get(&t.digest()) {
            return *known;
        }
        let is = match t.expr() {
            Expr::Var(_) | Expr::Lit(_) => true,
            Expr::Prim(p) => is_layout(p.pattern),
            Expr::Lam(_, body) => self.is_layout(body),
            Expr::App(f, e) => self.is_layout(f) && self.is_layout(e),
        };
        self.layout.insert(t.digest(), is);
        is
    }
}

/// Stack that must be left to stage one node; unoptimised frames are large.
const RED_ZONE: usize = 200 << 10;

fn shape_of(place: &Place) -> Shape {
    match place {
        Place::Number { scalar, .. } => Shape::Number(*scalar),
        Place::Pair(p) => Shape::Pair(Box::new((shape_of(&p.0), shape_of(&p.1)))),
        Place::Array { length, element } => {
            Shape::Array { length: *length, element: Box::new(shape_of(element)), vector: false }
        }
    }
}

/// Is the result read from the arguments?
fn is_layout(p: Pattern) -> bool {
    p.is_view() || p.is_map() || p.sort() == Sort::Lazy
}
