//! The fast evaluator: terms become statements over flat typed cells (`stage`, `patterns`), which then run (`frame`).
//!
//! It means what [`super::naive`] means, with one liberty: what is never used may stay uncomputed, so a program whose
//! unused parts have no value still gets one. Where it cannot follow (code that would explode, sizes that do not fit)
//! it gives up, and the naive evaluator answers.

mod frame;
mod number;
mod patterns;
mod place;
mod stage;

use super::{Limits, Sizes};
use crate::diag::Diagnostic;
use crate::pattern::Pattern;
use crate::term::Term;
use crate::value::{Value, half};
use frame::{Arrays, Block, Cells, Frame};
use place::{CellKind, Home, Place, Shape, cell_kind};
use rustc_hash::FxHashSet;
use stage::{Env, GiveUp, Stage, Staged};
use std::rc::Rc;

/// What became of an attempt.
pub enum Outcome {
    Done(Result<Value, Diagnostic>),
    /// The naive evaluator must answer.
    GaveUp,
}

/// Evaluates a closed term, applied to inputs that fit its type.
pub fn run(term: &Term, sizes: &Sizes, inputs: &[Value], limits: &Limits) -> Outcome {
    run_compiled(Compiled::of(term, sizes, limits, inputs.iter().any(has_hole)), inputs, limits)
}

/// As [`run`], where a scalar that has no value is no failure unless the result needs it. None where the result has cells
/// without a value.
pub fn run_forgiving(term: &Term, sizes: &Sizes, inputs: &[Value], limits: &Limits) -> Option<Value> {
    if inputs.iter().any(has_hole) {
        return None;
    }
    let compiled = term.with_stack(|| {
        let mut stage = Stage::new(sizes, limits, true);
        stage.forgives = true;
        staged(term, stage)
    });
    match run_compiled(compiled.ok(), inputs, limits) {
        Outcome::Done(Ok(value)) if !has_hole(&value) => Some(value),
        _ => None,
    }
}

/// Runs what was compiled, if it was.
pub fn run_compiled(compiled: Option<Compiled>, inputs: &[Value], limits: &Limits) -> Outcome {
    compiled.map_or(Outcome::GaveUp, |c| c.run(inputs, limits))
}

/// A closed term as statements over cells, for inputs that are not known yet.
#[derive(Clone)]
pub struct Compiled {
    cells: Cells,
    arrays: Arrays,
    program: Rc<Block>,
    /// Where each input belongs, and the result.
    inputs: Vec<Place>,
    out: (Place, Shape),
}

impl Compiled {
    /// The statements of a term for inputs that have undefined cells or have none. None where it gives up.
    pub fn of(term: &Term, sizes: &Sizes, limits: &Limits, holes: bool) -> Option<Compiled> {
        Compiled::with(term, Stage::new(sizes, limits, holes || leaves_holes(term)))
    }

    /// The same, where loops of the program compute all of what they make, whether or not it is read: as a kernel does.
    pub fn whole(term: &Term, sizes: &Sizes, limits: &Limits, holes: bool) -> Option<Compiled> {
        let mut stage = Stage::new(sizes, limits, holes || leaves_holes(term));
        stage.keeps_loops = true;
        Compiled::with(term, stage)
    }

    fn with<'t>(term: &'t Term, stage: Stage<'t>) -> Option<Compiled> {
        term.with_stack(|| staged(term, stage)).ok()
    }

    fn run(mut self, inputs: &[Value], limits: &Limits) -> Outcome {
        for (place, input) in self.inputs.iter().zip(inputs) {
            if fill(place, input, 0, &mut self.cells, &mut self.arrays).is_err() {
                return Outcome::GaveUp;
            }
        }
        let mut frame = Frame::new(self.cells, self.arrays, limits);
        frame.run(&self.program);
        let (out, shape) = &self.out;
        Outcome::Done(match frame.failure() {
            Some(why) => Err(why.diagnostic(limits)),
            None => Ok(take(&frame, out, shape, 0)),
        })
    }
}

fn staged<'t>(term: &'t Term, mut stage: Stage<'t>) -> Staged<Compiled> {
    let (params, result) = term.ty().signature();
    let mut f = stage.eval(term, &Env::default())?;
    let mut inputs = vec![];
    for ty in &params {
        let place = stage.allocate(&stage.shape(ty)?)?;
        let value = stage.read(&place);
        f = stage.apply(&f, value)?;
        inputs.push(place);
    }
    let shape = stage.shape(&result)?;
    let out = stage.allocate(&shape)?;
    stage.store(&out, &f)?;
    drop(f);
    let (cells, arrays, program) = stage.into_parts();
    Ok(Compiled { cells, arrays, program: Rc::new(program), inputs, out: (out, shape) })
}

/// Can the program make undefined cells?
fn leaves_holes(term: &Term) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![term];
    while let Some(t) = todo.pop() {
        if matches!(t.as_pattern(), Some(Pattern::PadEmpty | Pattern::Scatter)) {
            return true;
        }
        if seen.insert(t.digest()) {
            todo.extend(t.children());
        }
    }
    false
}

/// Is a cell of the value undefined?
pub fn has_hole(value: &Value) -> bool {
    match value {
        Value::Undefined => true,
        Value::Pair(p) => has_hole(&p.0) || has_hole(&p.1),
        Value::Array(c) | Value::Vector(c) => c.iter().any(has_hole),
        _ => false,
    }
}

fn cell_of(home: &Home, at: usize) -> (Option<usize>, usize) {
    match home {
        Home::Slot(s) => (None, *s),
        Home::Array(a, _) => (Some(*a), at),
    }
}

fn set<T: frame::Kind>(
    cells: &mut Cells,
    arrays: &mut Arrays,
    home: &Home,
    at: usize,
    value: T,
) -> Option<()> {
    *match cell_of(home, at) {
        (None, slot) => T::cells_mut(cells).get_mut(slot)?,
        (Some(array), at) => T::arrays_mut(arrays).get_mut(array)?.get_mut(at)?,
    } = value;
    Some(())
}

fn get<T: frame::Kind>(frame: &Frame, home: &Home, at: usize) -> T {
    match cell_of(home, at) {
        (None, slot) => T::cells(&frame.scalars).get(slot).copied(),
        (Some(array), at) => T::arrays(&frame.arrays).get(array).and_then(|a| a.get(at)).copied(),
    }
    .unwrap_or_default()
}

/// Puts a value into cells; `at` is its number among the values of its place.
fn fill(place: &Place, value: &Value, at: usize, cells: &mut Cells, arrays: &mut Arrays) -> Staged<()> {
    match (place, value) {
        (Place::Pair(p), Value::Pair(v)) => {
            fill(&p.0, &v.0, at, cells, arrays)?;
            fill(&p.1, &v.1, at, cells, arrays)
        }
        (Place::Array { length, element }, Value::Array(v) | Value::Vector(v))
            if *length == v.len() as i64 =>
        {
            v.iter().enumerate().try_for_each(|(i, x)| fill(element, x, at * v.len() + i, cells, arrays))
        }
        (Place::Number { scalar, home, defined }, value) => {
            let known = !matches!(value, Value::Undefined);
            let done = match (cell_kind(*scalar), value) {
                (_, Value::Undefined) => Some(()),
                (CellKind::F32, Value::F16(v)) => set(cells, arrays, home, at, half::round(*v)),
                (CellKind::F32, Value::F32(v)) => set(cells, arrays, home, at, *v),
                (CellKind::F64, Value::F64(v)) => set(cells, arrays, home, at, *v),
                (CellKind::Bool, Value::Bool(v)) => set(cells, arrays, home, at, *v),
                (CellKind::Int, v) => set(cells, arrays, home, at, place::int_cell(v)),
                _ => None,
            };
            let flagged = defined.as_ref().map_or(Some(()), |home| set(cells, arrays, home, at, known));
            done.and(flagged).ok_or(GiveUp)
        }
        _ => Err(GiveUp),
    }
}

/// Reads a value from cells.
fn take(frame: &Frame, place: &Place, shape: &Shape, at: usize) -> Value {
    match (place, shape) {
        (Place::Pair(p), Shape::Pair(s)) => {
            Value::pair(take(frame, &p.0, &s.0, at), take(frame, &p.1, &s.1, at))
        }
        (Place::Array { length, element }, Shape::Array { element: shape, vector, .. }) => {
            let n = *length as usize;
            let cells = (0..n).map(|i| take(frame, element, shape, at * n + i)).collect();
            if *vector { Value::vector(cells) } else { Value::array(cells) }
        }
        (Place::Number { scalar, home, defined }, _) => {
            if defined.as_ref().is_some_and(|home| !get::<bool>(frame, home, at)) {
                return Value::Undefined;
            }
            match cell_kind(*scalar) {
                CellKind::F32 => place::f32_value(get(frame, home, at), *scalar),
                CellKind::F64 => Value::F64(get(frame, home, at)),
                CellKind::Bool => Value::Bool(get(frame, home, at)),
                CellKind::Int => place::int_value(get(frame, home, at), *scalar),
            }
        }
        _ => Value::Undefined,
    }
}
