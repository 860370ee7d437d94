//! The meaning of every pattern, written for obviousness.

use super::{Arithmetic, Limits, Sizes, failure, part_of_reduction};
use crate::build;
use crate::declared::unfolded;
use crate::diag::Diagnostic;
use crate::pattern::Pattern;
use crate::term::{Arg, Expr, Prim, Term};
use crate::ty::Type;
use crate::value::{Value, eval_nat};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Stack that must be left to evaluate one node; unoptimised frames are large.
const RED_ZONE: usize = 200 << 10;

/// Evaluates a closed term, applied to the inputs.
///
/// # Errors
/// When sizes or inputs do not fit the term, an operation has no result, or a limit is reached.
pub fn run(term: &Term, sizes: &Sizes, inputs: &[Value], limits: &Limits) -> Result<Value, Diagnostic> {
    run_counted(Arithmetic::MACHINE, term, sizes, inputs, limits, &Cell::new(0))
}

/// As [`run`], in another arithmetic; the steps that it took are added to those before.
///
/// # Errors
/// As [`run`].
pub fn run_counted(
    arithmetic: Arithmetic,
    term: &Term,
    sizes: &Sizes,
    inputs: &[Value],
    limits: &Limits,
    spent: &Cell<u64>,
) -> Result<Value, Diagnostic> {
    super::check_inputs(term, sizes, inputs)?;
    let term = &unfolded(term);
    let machine = Machine { arithmetic, sizes, limits, steps: Cell::new(0), chosen: RefCell::new(None) };
    let result = machine.applied(term, inputs);
    spent.set(spent.get().saturating_add(machine.steps.get()));
    result
}

/// What a term means: data, or a function.
#[derive(Clone)]
enum Meaning<'t> {
    Data(Value),
    Closure(&'t Term, Env<'t>),
    /// A pattern with its first arguments.
    Partial(&'t Prim, &'t Type, Vec<Meaning<'t>>),
}

impl Meaning<'_> {
    fn data(self) -> Result<Value, Diagnostic> {
        match self {
            Meaning::Data(v) => Ok(v),
            _ => Err(failure::ill_typed("a function stands where data is needed")),
        }
    }
}

/// The values of the variables, innermost first.
#[derive(Clone)]
struct Env<'t>(Option<Rc<(Meaning<'t>, Env<'t>)>>);

impl<'t> Env<'t> {
    fn empty() -> Self {
        Env(None)
    }
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

struct Machine<'a> {
    arithmetic: Arithmetic,
    sizes: &'a Sizes,
    limits: &'a Limits<'a>,
    steps: Cell<u64>,
    /// The lanes that are chosen where a vector is computed for a `select`; none where all are.
    chosen: RefCell<Option<Rc<[bool]>>>,
}

impl<'a> Machine<'a> {
    /// The value of the term, applied to the inputs.
    fn applied(&self, term: &Term, inputs: &[Value]) -> Result<Value, Diagnostic> {
        let mut f = self.eval(term, &Env::empty())?;
        for input in inputs {
            f = self.apply(&f, Meaning::Data(input.clone()))?;
        }
        f.data()
    }

    fn step(&self, by: u64) -> Result<(), Diagnostic> {
        let steps = self.steps.get().saturating_add(by);
        self.steps.set(steps);
        if steps > self.limits.steps {
            return Err(failure::out_of_steps(self.limits.steps));
        }
        if self.limits.is_cancelled() {
            return Err(failure::cancelled());
        }
        Ok(())
    }

    fn eval<'t>(&self, term: &'t Term, env: &Env<'t>) -> Result<Meaning<'t>, Diagnostic> {
        // Terms may be nested deeper than the stack of a small thread.
        stacker::maybe_grow(RED_ZONE, 2 << 20, || self.eval_here(term, env))
    }

    fn eval_here<'t>(&self, term: &'t Term, env: &Env<'t>) -> Result<Meaning<'t>, Diagnostic> {
        match term.expr() {
            Expr::Var(i) => {
                env.get(*i).cloned().ok_or_else(|| failure::ill_typed("a variable has no binder"))
            }
            Expr::Lam(_, body) => Ok(Meaning::Closure(body, env.clone())),
            Expr::Lit(l) => Ok(Meaning::Data(Value::literal(l, self.sizes).map_err(failure::size)?)),
            Expr::Prim(p) => Ok(Meaning::Partial(p, term.ty(), vec![])),
            Expr::App(f, e) => {
                if let Some((p, args)) = term.as_pattern_app()
                    && let (Pattern::Select, [condition, then, otherwise]) = (p.pattern, args.as_slice())
                {
                    return match self.eval(condition, env)?.data()? {
                        Value::Bool(true) => self.eval(then, env),
                        Value::Bool(false) => self.eval(otherwise, env),
                        Value::Vector(tests) => {
                            let a = self.eval_lanes(&tests, true, then, env)?;
                            let b = self.eval_lanes(&tests, false, otherwise, env)?;
                            self.select(&Value::Vector(tests), a, b, term.ty()).map(Meaning::Data)
                        }
                        _ => self.undefined(term.ty()).map(Meaning::Data),
                    };
                }
                let f = self.eval(f, env)?;
                let e = self.eval(e, env)?;
                self.apply(&f, e)
            }
        }
    }

    fn apply<'t>(&self, f: &Meaning<'t>, x: Meaning<'t>) -> Result<Meaning<'t>, Diagnostic> {
        match f {
            Meaning::Data(_) => Err(failure::ill_typed("data is applied")),
            Meaning::Closure(body, env) => self.eval(body, &env.with(x)),
            Meaning::Partial(p, ty, args) => {
                let mut args = args.clone();
                args.push(x);
                if build::arity(p.pattern, &p.args) != Some(args.len()) {
                    return Ok(Meaning::Partial(p, ty, args));
                }
                self.step(1)?;
                let result = (0..args.len()).try_fold(*ty, |ty, _| Some(ty.as_fun()?.1));
                let result = result.ok_or_else(|| failure::ill_typed(format!("`{}`: {ty}", p.pattern)))?;
                Call { machine: self, prim: p, args, result }.meaning().map(Meaning::Data)
            }
        }
    }

    fn call(&self, f: &Meaning, x: Value) -> Result<Value, Diagnostic> {
        self.apply(f, Meaning::Data(x))?.data()
    }

    fn call2(&self, f: &Meaning, x: Value, y: Value) -> Result<Value, Diagnostic> {
        self.apply(&self.apply(f, Meaning::Data(x))?, Meaning::Data(y))?.data()
    }

    /// A vector of which the lanes are asked for whose test is `of`: what the others cannot compute is no failure.
    fn eval_lanes(&self, tests: &[Value], of: bool, e: &Term, env: &Env) -> Result<Value, Diagnostic> {
        let outer = self.chosen.borrow().clone();
        let outside = |i: usize| outer.as_ref().filter(|o| o.len() == tests.len()).is_some_and(|o| !o[i]);
        let chosen: Rc<[bool]> =
            tests.iter().enumerate().map(|(i, t)| *t == Value::Bool(of) && !outside(i)).collect();
        if !chosen.contains(&true) {
            return self.undefined(e.ty());
        }
        self.chosen.replace(Some(chosen));
        let value = self.eval(e, env);
        self.chosen.replace(outer);
        value?.data()
    }

    /// The second or third argument of `select`, or their lanes.
    fn select(&self, condition: &Value, a: Value, b: Value, ty: &Type) -> Result<Value, Diagnostic> {
        match (condition, &a, &b) {
            (Value::Bool(c), ..) => Ok(if *c { a } else { b }),
            (Value::Vector(tests), Value::Vector(a), Value::Vector(b))
                if tests.len() == a.len() && a.len() == b.len() =>
            {
                let lane = ty.lane();
                let lanes = tests.iter().zip(a.iter().zip(b.iter()));
                let lanes = lanes.map(|(c, (a, b))| self.select(c, a.clone(), b.clone(), lane));
                Ok(Value::vector(lanes.collect::<Result<_, _>>()?))
            }
            (Value::Undefined, ..) => self.undefined(ty),
            _ => Err(failure::ill_typed(format!("`select` of {condition}, {a} and {b}"))),
        }
    }

    /// What a pattern makes of scalars, or of vectors lane by lane.
    fn computed(&self, p: Pattern, args: &[Value], result: &Type) -> Result<Value, Diagnostic> {
        let Some(first) = args.first().and_then(Value::as_vector) else {
            return self.arithmetic.scalar(p, args, result);
        };
        let chosen = self.chosen.borrow().clone().filter(|c| c.len() == first.len());
        let lane = |i: usize| {
            let operands: Option<Vec<Value>> = args.iter().map(|a| a.as_vector()?.get(i).cloned()).collect();
            let operands = operands.ok_or_else(|| failure::ill_typed("vectors of different lengths"))?;
            match self.computed(p, &operands, result.lane()) {
                Err(_) if chosen.as_ref().is_some_and(|c| !c[i]) => Ok(Value::Undefined),
                done => done,
            }
        };
        Ok(Value::vector((0..first.len()).map(lane).collect::<Result<_, _>>()?))
    }

    fn undefined(&self, ty: &Type) -> Result<Value, Diagnostic> {
        Value::undefined(ty, self.sizes).map_err(failure::size)
    }
}

/// A pattern with all its arguments.
struct Call<'m, 't> {
    machine: &'m Machine<'m>,
    prim: &'t Prim,
    args: Vec<Meaning<'t>>,
    result: &'t Type,
}

impl<'t> Call<'_, 't> {
    fn fun(&self, i: usize) -> &Meaning<'t> {
        &self.args[i]
    }

    fn data(&self, i: usize) -> Result<Value, Diagnostic> {
        self.args[i].clone().data()
    }

    fn array(&self, i: usize) -> Result<Vec<Value>, Diagnostic> {
        match self.data(i)? {
            Value::Array(cells) => Ok(cells.to_vec()),
            other => Err(failure::ill_typed(format!("`{}` of {other}", self.prim.pattern))),
        }
    }

    fn pair(&self, i: usize) -> Result<(Value, Value), Diagnostic> {
        match self.data(i)? {
            Value::Pair(p) => Ok((p.0.clone(), p.1.clone())),
            other => Err(failure::ill_typed(format!("`{}` of {other}", self.prim.pattern))),
        }
    }

    /// The i-th of the explicit sizes.
    fn size(&self, i: usize) -> Result<usize, Diagnostic> {
        let mut nats = self.prim.args.iter().filter_map(|a| if let Arg::Nat(n) = a { Some(n) } else { None });
        let nat = nats.nth(i).ok_or_else(|| self.misfit("a size is missing"))?;
        let n = eval_nat(nat, self.machine.sizes).map_err(failure::size)?;
        self.length(n)
    }

    fn length(&self, n: i64) -> Result<usize, Diagnostic> {
        if n < 0 {
            return Err(self.misfit(format!("the size {n} is negative")));
        }
        if n as u64 > self.machine.limits.elements {
            return Err(failure::too_large(self.result));
        }
        self.machine.step(n as u64)?;
        Ok(n as usize)
    }

    fn misfit(&self, why: impl std::fmt::Display) -> Diagnostic {
        failure::misfit(self.prim.pattern, why)
    }

    fn out_of_bounds(&self, index: &Value, length: usize) -> Diagnostic {
        failure::out_of_bounds(self.prim.pattern, index, length)
    }

    /// The position that an index stands for, none where it is undefined.
    fn position(&self, index: &Value, length: usize) -> Result<Option<usize>, Diagnostic> {
        match index {
            Value::Undefined => Ok(None),
            Value::Nat(i) if *i >= 0 && (*i as usize) < length => Ok(Some(*i as usize)),
            other => Err(self.out_of_bounds(other, length)),
        }
    }

    fn chunks(&self, n: usize, xs: &[Value]) -> Result<Vec<Vec<Value>>, Diagnostic> {
        if n == 0 || !xs.len().is_multiple_of(n) {
            return Err(self.misfit(format!("{} elements cannot be split into chunks of {n}", xs.len())));
        }
        Ok(xs.chunks(n).map(<[Value]>::to_vec).collect())
    }

    fn windows(&self, size: usize, step: usize, xs: &[Value]) -> Result<Value, Diagnostic> {
        let rest = xs.len().checked_sub(size);
        match rest {
            Some(rest) if step > 0 && rest.is_multiple_of(step) => {
                let starts = (0..=rest).step_by(step);
                self.machine.step((rest / step + 1).saturating_mul(size) as u64)?;
                Ok(Value::array(starts.map(|i| Value::array(xs[i..i + size].to_vec())).collect()))
            }
            // No window at all.
            None if step > 0 && xs.len() + step == size => Ok(Value::array(vec![])),
            _ => Err(self.misfit(format!(
                "{} elements cannot be covered by windows of {size} with steps of {step}",
                xs.len()
            ))),
        }
    }

    /// Windows of what a function makes of each element that is in one.
    fn loaded(&self, size: usize, step: usize) -> Result<Value, Diagnostic> {
        let mut xs = self.array(1)?;
        for (i, x) in xs.iter_mut().enumerate() {
            if step == 0 || i % step < size {
                *x = self.machine.call(self.fun(0), x.clone())?;
            }
        }
        self.windows(size, step, &xs)
    }

    fn map(&self, f: usize, xs: Vec<Value>) -> Result<Vec<Value>, Diagnostic> {
        xs.into_iter().map(|x| self.machine.call(self.fun(f), x)).collect()
    }

    fn meaning(&self) -> Result<Value, Diagnostic> {
        use Pattern as P;
        let m = self.machine;
        let p = self.prim.pattern;
        Ok(match p {
            P::Id | P::ToMem | P::OclRun => self.data(0)?,
            p if p.is_lanewise() => {
                let args = (0..self.args.len()).map(|i| self.data(i)).collect::<Result<Vec<_>, _>>()?;
                m.computed(p, &args, self.result)?
            }
            P::Select => m.select(&self.data(0)?, self.data(1)?, self.data(2)?, self.result)?,
            P::IndexAsNat => self.data(0)?,
            P::NatAsIndex => match self.data(0)? {
                Value::Undefined => Value::Undefined,
                index => {
                    let n = eval_nat(
                        self.result.as_index().ok_or_else(|| failure::no_data(self.result))?,
                        m.sizes,
                    );
                    let n = n.map_err(failure::size)?;
                    match index {
                        Value::Nat(i) if (0..n).contains(&i) => Value::Nat(i),
                        other => return Err(failure::out_of_bounds(p, other, n)),
                    }
                }
            },
            P::MakePair => Value::pair(self.data(0)?, self.data(1)?),
            P::Fst => self.pair(0)?.0,
            P::Snd => self.pair(0)?.1,
            P::MapFst => {
                let (a, b) = self.pair(1)?;
                Value::pair(m.call(self.fun(0), a)?, b)
            }
            P::MapSnd => {
                let (a, b) = self.pair(1)?;
                Value::pair(a, m.call(self.fun(0), b)?)
            }
            P::Let => m.call(self.fun(1), self.data(0)?)?,
            p if p.is_map() => {
                let xs = self.array(1)?;
                Value::array(self.map(0, xs)?)
            }
            P::ReduceLocal => {
                let xs = self.array(2)?;
                let part = part_of_reduction(xs.len() as i64, self.size(0)? as i64) as usize;
                let mut acc = self.data(1)?;
                for part in xs.chunks(part) {
                    let mut part = part.iter().cloned();
                    let Some(mut reduced) = part.next() else { continue };
                    for x in part {
                        reduced = m.call2(self.fun(0), reduced, x)?;
                    }
                    acc = m.call2(self.fun(0), acc, reduced)?;
                }
                acc
            }
            p if p.is_reduce() => {
                let mut acc = self.data(1)?;
                for x in self.array(2)? {
                    acc = m.call2(self.fun(0), acc, x)?;
                }
                acc
            }
            P::ScanSeq => {
                let mut acc = self.data(1)?;
                let mut out = vec![];
                for x in self.array(2)? {
                    acc = m.call2(self.fun(0), x, acc)?;
                    out.push(acc.clone());
                }
                Value::array(out)
            }
            P::Split => {
                let chunks = self.chunks(self.size(0)?, &self.array(0)?)?;
                Value::array(chunks.into_iter().map(Value::array).collect())
            }
            P::AsVector | P::AsVectorAligned => {
                let chunks = self.chunks(self.size(0)?, &self.array(0)?)?;
                Value::array(chunks.into_iter().map(Value::vector).collect())
            }
            P::Join | P::AsScalar => {
                let mut out = vec![];
                for row in self.array(0)? {
                    match row {
                        Value::Array(cells) | Value::Vector(cells) => {
                            m.step(cells.len() as u64)?;
                            out.extend(cells.iter().cloned());
                        }
                        other => return Err(failure::ill_typed(format!("`{p}` of {other}"))),
                    }
                }
                Value::array(out)
            }
            P::Transpose => {
                let rows = self.array(0)?;
                // An array of no rows still has columns, which only its type knows.
                let width = match rows.first() {
                    Some(row) => row.as_array().map(<[Value]>::len),
                    None => match self.result.as_array() {
                        Some((n, _)) => Some(self.length(eval_nat(n, m.sizes).map_err(failure::size)?)?),
                        None => None,
                    },
                };
                let width = width.ok_or_else(|| failure::ill_typed("`transpose` of no array of arrays"))?;
                m.step((width * rows.len()) as u64)?;
                let column = |j: usize| {
                    let cells = rows.iter().map(|row| row.as_array().and_then(|r| r.get(j)).cloned());
                    cells.collect::<Option<Vec<_>>>().map(Value::array)
                };
                let columns = (0..width).map(column).collect::<Option<Vec<_>>>();
                Value::array(columns.ok_or_else(|| self.misfit("its rows differ in length"))?)
            }
            P::Reorder => {
                let xs = self.array(0)?;
                let Some(Arg::Fun(f)) = self.prim.args.get(1) else {
                    return Err(self.misfit("its function is missing"));
                };
                let f = f.at(&|name| m.sizes.get(name).copied()).map_err(failure::size)?;
                let found = |i: usize| {
                    let at = f.call(i as i64).map_err(failure::size)?;
                    let at = usize::try_from(at).ok().filter(|at| *at < xs.len());
                    at.map(|at| xs[at].clone())
                        .ok_or_else(|| self.misfit(format!("{i} leads out of the array")))
                };
                Value::array((0..xs.len()).map(found).collect::<Result<_, _>>()?)
            }
            P::Slide => self.windows(self.size(0)?, self.size(1)?, &self.array(0)?)?,
            P::CircularBuffer => {
                let (alloc, size) = (self.size(0)?, self.size(1)?);
                if alloc < size {
                    return Err(self.misfit(format!("{alloc} elements cannot hold windows of {size}")));
                }
                self.loaded(size, self.size(2)?)?
            }
            P::RotateValues => self.loaded(self.size(0)?, self.size(1)?)?,
            P::Zip => {
                let (a, b) = (self.array(0)?, self.array(1)?);
                if a.len() != b.len() {
                    return Err(self.misfit(format!("the arrays have {} and {} elements", a.len(), b.len())));
                }
                Value::array(a.into_iter().zip(b).map(|(x, y)| Value::pair(x, y)).collect())
            }
            P::Unzip => {
                let mut out = (vec![], vec![]);
                for x in self.array(0)? {
                    let Value::Pair(p) = x else { return Err(failure::ill_typed("`unzip` of no pairs")) };
                    out.0.push(p.0.clone());
                    out.1.push(p.1.clone());
                }
                Value::pair(Value::array(out.0), Value::array(out.1))
            }
            P::Generate => {
                let n = self.result.as_array().ok_or_else(|| failure::no_data(self.result))?.0;
                let n = self.length(eval_nat(n, m.sizes).map_err(failure::size)?)?;
                let indices = (0..n as i64).map(Value::Nat).collect();
                Value::array(self.map(0, indices)?)
            }
            P::Idx => {
                let xs = self.array(1)?;
                match self.position(&self.data(0)?, xs.len())? {
                    Some(i) => xs[i].clone(),
                    None => m.undefined(self.result)?,
                }
            }
            P::MakeArray => {
                Value::array(self.args.iter().map(|a| a.clone().data()).collect::<Result<_, _>>()?)
            }
            P::Take | P::Drop => {
                let (n, xs) = (self.size(0)?, self.array(0)?);
                if n > xs.len() {
                    return Err(self.misfit(format!("there are {} elements, not {n}", xs.len())));
                }
                let part = if p == P::Take { &xs[..n] } else { &xs[n..] };
                Value::array(part.to_vec())
            }
            P::Concat => {
                let mut out = self.array(0)?;
                out.extend(self.array(1)?);
                Value::array(out)
            }
            P::Gather => {
                let xs = self.array(1)?;
                let element = self.result.as_array().ok_or_else(|| failure::no_data(self.result))?.1;
                let mut out = vec![];
                for index in self.array(0)? {
                    out.push(match self.position(&index, xs.len())? {
                        Some(i) => xs[i].clone(),
                        None => m.undefined(element)?,
                    });
                }
                Value::array(out)
            }
            P::Scatter => {
                let (n, element) = self.result.as_array().ok_or_else(|| failure::no_data(self.result))?;
                let n = self.length(eval_nat(n, m.sizes).map_err(failure::size)?)?;
                let mut out = vec![None; n];
                let (indices, xs) = (self.array(0)?, self.array(1)?);
                if indices.len() != xs.len() {
                    return Err(self.misfit(format!("{} indices for {} elements", indices.len(), xs.len())));
                }
                for (index, x) in indices.iter().zip(xs) {
                    let Some(i) = self.position(index, n)? else {
                        return Err(failure::undefined_place());
                    };
                    if out[i].replace(x).is_some() {
                        return Err(failure::written_twice(i));
                    }
                }
                let undefined = m.undefined(element)?;
                Value::array(out.into_iter().map(|x| x.unwrap_or_else(|| undefined.clone())).collect())
            }
            P::PadCst => {
                let (l, r, c) = (self.size(0)?, self.size(1)?, self.data(0)?);
                let mut out = vec![c.clone(); l];
                out.extend(self.array(1)?);
                out.extend(std::iter::repeat_n(c, r));
                Value::array(out)
            }
            P::PadClamp => {
                let (l, r, xs) = (self.size(0)?, self.size(1)?, self.array(0)?);
                let (Some(first), Some(last)) = (xs.first().cloned(), xs.last().cloned()) else {
                    if l + r == 0 {
                        return Ok(Value::array(vec![]));
                    }
                    return Err(self.misfit("there is no element to repeat"));
                };
                let mut out = vec![first; l];
                out.extend(xs);
                out.extend(std::iter::repeat_n(last, r));
                Value::array(out)
            }
            P::PadEmpty => {
                let element = self.result.as_array().ok_or_else(|| failure::no_data(self.result))?.1;
                let mut out = self.array(0)?;
                out.extend(std::iter::repeat_n(m.undefined(element)?, self.size(0)?));
                Value::array(out)
            }
            P::Declared(declared) => {
                let Some(foreign) = m.limits.foreign else { return Err(failure::not_run(declared)) };
                let args = self.args.iter().map(|a| a.clone().data()).collect::<Result<Vec<_>, _>>()?;
                if args.iter().any(|a| matches!(a, Value::Undefined)) {
                    return m.undefined(self.result);
                }
                foreign.call(declared, &args)?
            }
            P::VectorFromScalar => {
                let n = self.result.as_vector().ok_or_else(|| failure::no_data(self.result))?.0;
                let n = self.length(eval_nat(n, m.sizes).map_err(failure::size)?)?;
                Value::vector(vec![self.data(0)?; n])
            }
            // `math` knows the others.
            _ => return Err(failure::ill_typed(format!("`{p}` has no meaning"))),
        })
    }
}
