//! Whole random programs, well-typed by construction: inputs of symbolic sizes that are sums and products, and pipelines
//! of patterns as people write them.

use super::choices::Choices;
use shine_tui::lang::build::{self as b, Built, Misfit};
use shine_tui::lang::eval::{self, Sizes};
use shine_tui::lang::literal::Literal;
use shine_tui::lang::nat::{Nat, NatFun};
use shine_tui::lang::pattern::{AddressSpace, Pattern};
use shine_tui::lang::term::{Arg, Expr, Term};
use shine_tui::lang::ty::{Scalar, Type};

/// Which patterns may occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    High,
    /// Low-level patterns, with threads.
    C,
    /// Low-level patterns, with work-items.
    OpenCl,
}

pub struct Draw<'a> {
    choices: &'a mut Choices,
    dialect: Dialect,
    /// Is it to be about vectors?
    of_vectors: bool,
    /// The sizes to try the program at.
    pub trials: [Sizes; 2],
    /// What may be used.
    scope: Vec<Term>,
    /// The number of loops around.
    depth: u32,
    names: usize,
}

/// A program that was drawn, and the sizes to try it at.
pub struct Drawn {
    pub term: Term,
    pub trials: [Sizes; 2],
}

/// The lanes that OpenCL has vectors of; those of C come first.
const WIDTHS: [i64; 5] = [2, 4, 3, 8, 16];

/// The most elements that a value has.
const LARGEST: i64 = 400;

fn c(n: i64) -> Nat {
    Nat::constant(n)
}

/// A size as a value, in which `/` rounds down: no text has another.
fn in_values(n: &Nat) -> Term {
    Term::lit(Literal::Nat(n.with_rounded_quotients()))
}

/// The program that the choices make.
pub fn program(choices: &mut Choices, dialect: Dialect) -> Drawn {
    drawn(choices, dialect, false, |draw| draw.program())
}

/// One for work-items that is mostly about vectors, of all widths that OpenCL has.
pub fn program_of_vectors(choices: &mut Choices) -> Drawn {
    drawn(choices, Dialect::OpenCl, true, |draw| draw.program())
}

/// A program of a stream.
pub fn of_streams(choices: &mut Choices, dialect: Dialect) -> Drawn {
    drawn(choices, dialect, false, |draw| draw.of_streams())
}

fn drawn(choices: &mut Choices, dialect: Dialect, of_vectors: bool, draw: fn(&mut Draw) -> Built) -> Drawn {
    let mut size = |least: u32| i64::from(choices.below(4) + least);
    let trials = [[size(2), size(1), size(1)], [size(1), size(1), size(1)]]
        .map(|[n, m, k]| eval::sizes([("n", n), ("m", m), ("k", k)]));
    let mut drawing = Draw { choices, dialect, of_vectors, trials, scope: vec![], depth: 0, names: 0 };
    let term = draw(&mut drawing).unwrap_or_else(|why| panic!("{why}"));
    Drawn { term, trials: drawing.trials }
}

impl Draw<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.choices.below(n as u32) as usize
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }
    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
    fn name(&mut self) -> &'static str {
        self.names += 1;
        ["x", "y", "v", "row", "p", "acc", "w", "s"][self.names % 8]
    }

    fn at(&self, n: &Nat) -> [i64; 2] {
        [0, 1].map(|t| n.eval(&|x| self.trials[t].get(x).copied()).unwrap_or(i64::MIN))
    }
    /// Does it hold of the size's values?
    fn holds(&self, n: &Nat, f: impl Fn(i64) -> bool) -> bool {
        self.at(n).into_iter().all(f)
    }
    fn is_large(&self, ty: &Type) -> bool {
        fn cells(draw: &Draw, ty: &Type, trial: usize) -> i64 {
            match (ty.as_array(), ty.as_pair()) {
                (Some((n, t)), _) => draw.at(n)[trial].saturating_mul(cells(draw, t, trial)),
                (_, Some((a, b))) => cells(draw, a, trial).saturating_add(cells(draw, b, trial)),
                _ => 1,
            }
        }
        (0..2).any(|t| cells(self, ty, t) > LARGEST)
    }

    // Types

    fn size(&mut self) -> Nat {
        let [n, m, k] = ["n", "m", "k"].map(Nat::var);
        let small = c(self.below(3) as i64 + 1);
        match self.below(12) {
            0 | 1 => n,
            2 => m,
            3 => small.add(&c(1)),
            4 => n.add(&small),
            5 => m.mul(&small.add(&c(1))),
            6 => n.mul(&m),
            7 => n.add(&m),
            8 => n.mul(&m.add(&c(1))),
            9 => n.add(&c(1)).mul(&m.add(&small)),
            10 => n.mul(&c(2)).add(&k),
            _ => k,
        }
    }

    fn scalar(&mut self) -> Type {
        let all = [
            Scalar::F32,
            Scalar::F32,
            Scalar::F32,
            Scalar::I32,
            Scalar::I32,
            Scalar::F64,
            Scalar::U8,
            Scalar::I64,
            Scalar::I8,
            Scalar::U32,
            Scalar::Bool,
            Scalar::F16,
            Scalar::I16,
            Scalar::U16,
            Scalar::U64,
        ];
        Type::scalar(match self.pick(&all) {
            // Few devices of OpenCL compute in half precision.
            Scalar::F16 if self.dialect == Dialect::OpenCl => Scalar::F32,
            s => s,
        })
    }

    fn element(&mut self, depth: usize) -> Type {
        match if depth == 0 { 0 } else { self.below(8) } {
            0..3 => self.scalar(),
            3 | 4 => Type::pair(self.element(depth - 1), self.element(depth - 1)),
            5 => Type::array(c(self.below(3) as i64 + 1), self.element(depth - 1)),
            _ => Type::array(self.size(), self.element(depth - 1)),
        }
    }

    // Programs

    fn program(&mut self) -> Built {
        let mut params = vec![];
        for _ in 0..self.below(3) + 1 {
            if self.of_vectors {
                let ty = self.vectors_of_input();
                params.push(if self.is_large(&ty) { Type::vector(c(4), Type::f32()) } else { ty });
                continue;
            }
            let ty = if self.one_in(5) { self.element(1) } else { Type::array(self.size(), self.element(2)) };
            params.push(if self.is_large(&ty) { Type::array(c(3), Type::f32()) } else { ty });
        }
        self.under(&params)
    }

    /// Vectors, or what can be read as vectors.
    fn vectors_of_input(&mut self) -> Type {
        let (n, w, lane) = (self.size(), c(self.pick(&WIDTHS)), self.scalar());
        match self.below(4) {
            0 => Type::array(n, Type::pair(Type::vector(w.clone(), lane), Type::vector(w, self.scalar()))),
            1 => Type::array(n.mul(&w), lane),
            2 => Type::array(c(self.below(3) as i64 + 1), Type::array(n.mul(&w), lane)),
            _ => Type::array(n, Type::vector(w, lane)),
        }
    }

    fn under(&mut self, params: &[Type]) -> Built {
        let Some((first, rest)) = params.split_first() else { return self.result() };
        let name = ["a", "b", "c"][self.scope.len() % 3];
        b::lam(name, first.clone(), |x| {
            self.scope.push(x);
            self.under(rest)
        })
    }

    fn result(&mut self) -> Built {
        let fuel = self.below(7);
        let first = self.pipeline(fuel)?;
        if !self.one_in(6) {
            return Ok(first);
        }
        let fuel = self.below(3);
        let two = b::make_pair(first, self.pipeline(fuel)?)?;
        if !self.one_in(3) {
            return Ok(two);
        }
        let fuel = self.below(3);
        let third = self.pipeline(fuel)?;
        if self.below(2) == 0 { b::make_pair(third, two) } else { b::make_pair(two, third) }
    }

    /// Steps from something in scope.
    fn pipeline(&mut self, fuel: usize) -> Built {
        let start = self.any()?;
        self.steps(start, fuel)
    }

    fn any(&mut self) -> Built {
        let scope = self.scope.clone();
        if scope.is_empty() { self.literal(&Type::f32()) } else { Ok(self.pick(&scope)) }
    }

    fn with(&mut self, x: Term, f: impl FnOnce(&mut Self) -> Built) -> Built {
        self.scope.push(x);
        let built = f(self);
        self.scope.pop();
        built
    }

    fn steps(&mut self, x: Term, fuel: usize) -> Built {
        if fuel == 0 {
            return Ok(x);
        }
        let name = self.name();
        if self.one_in(7) {
            return b::share(name, x, |y| self.with(y.clone(), |s| s.steps(y, fuel - 1)));
        }
        if self.dialect != Dialect::High && self.one_in(6) && x.ty().is_data() {
            let space = if self.dialect == Dialect::OpenCl && self.depth == 0 && self.below(2) == 1 {
                AddressSpace::Global
            } else {
                AddressSpace::Private
            };
            let f = b::lam(name, x.ty().clone(), |y| self.with(y.clone(), |s| s.steps(y, fuel - 1)))?;
            return b::let_in(b::to_mem(space, x)?, f);
        }
        let before = x.clone();
        let y = match self.step(x, fuel) {
            Ok(y) if !self.is_large(y.ty()) => y,
            _ => before,
        };
        self.steps(y, fuel - 1)
    }

    fn step(&mut self, x: Term, fuel: usize) -> Built {
        let ty = x.ty().clone();
        if let Some((n, t)) = ty.as_array() {
            return self.array_step(x, n, t, fuel);
        }
        if let Some((s, t)) = ty.as_pair() {
            return self.pair_step(x, s, t, fuel);
        }
        if ty.as_vector().is_some() {
            return self.vector_step(x, &ty);
        }
        self.scalar_step(x, &ty)
    }

    // Scalars

    fn literal(&mut self, ty: &Type) -> Built {
        if let Some((n, t)) = ty.as_vector() {
            let t = self.literal(t)?;
            return b::vector_from_scalar(n, t);
        }
        match ty.as_scalar() {
            Some(Scalar::Bool) => Ok(Term::lit(Literal::Bool(self.below(2) == 0))),
            Some(s) => b::number(self.below(4) as i64, s),
            None => Err(Misfit("no literal".into())),
        }
    }

    /// Something in scope of the type, by projections perhaps, or a constant.
    fn leaf(&mut self, ty: &Type) -> Built {
        let mut fitting = vec![];
        for x in self.scope.clone() {
            if x.ty() == ty {
                fitting.push(x);
            } else if let Some((a, b)) = x.ty().as_pair() {
                if a == ty {
                    fitting.push(b::fst(x.clone())?);
                }
                if b == ty {
                    fitting.push(b::snd(x.clone())?);
                }
            }
        }
        match self.below(fitting.len() + 1) {
            0 if ty.as_array().is_none() && ty.as_pair().is_none() => self.literal(ty),
            i if !fitting.is_empty() => Ok(fitting[i.max(1) - 1].clone()),
            _ => self.constant(ty),
        }
    }

    /// A constant of any type.
    fn constant(&mut self, ty: &Type) -> Built {
        if let Some((s, t)) = ty.as_pair() {
            let first = self.constant(s)?;
            return b::make_pair(first, self.constant(t)?);
        }
        if let Some((n, t)) = ty.as_array() {
            let small = n.as_constant().filter(|n| *n < 4);
            return match small {
                Some(n) if self.below(2) == 0 => {
                    b::make_array((0..n).map(|_| self.constant(t)).collect::<Result<_, _>>()?)
                }
                _ => b::generate(b::lam("i", Type::index(n.clone()), |_| self.constant(t))?),
            };
        }
        self.literal(ty)
    }

    fn scalar_step(&mut self, x: Term, ty: &Type) -> Built {
        let Some(s) = ty.as_scalar() else { return self.other_step(x, ty) };
        if s == Scalar::Bool {
            let y = self.leaf(ty)?;
            return match self.below(5) {
                0 => b::not(x),
                1 => b::select(x, b::number(1, Scalar::F32)?, b::number(0, Scalar::F32)?),
                2 => b::and(x, y),
                3 => b::or(y, x),
                _ => b::make_pair(x.clone(), x),
            };
        }
        let y = self.leaf(ty)?;
        match self.below(15) {
            0 => b::add(x, y),
            1 => b::mul(x, y),
            2 => b::sub(x, y),
            3 => b::min(x, y),
            4 => b::max(y, x),
            5 => b::make_pair(x.clone(), b::mul(x, y)?),
            6 => b::make_array(vec![b::add(x.clone(), y)?, x]),
            7 => b::select(b::lt(x.clone(), y.clone())?, y, x),
            8 if s.is_float() => b::sqrt(b::abs(x)?),
            8 if self.one_in(2) => self.guarded(x, y, s),
            8 => b::apply(Pattern::Mod, vec![], vec![x, b::number(3, s)?]),
            9 => {
                let to = self.scalar();
                if to.as_scalar() == Some(Scalar::Bool) { b::gt(x, y) } else { b::cast(to, x) }
            }
            10 => {
                let name = self.name();
                let shared = b::mul(x, y)?;
                b::share(name, shared, |v| {
                    let z = self.with(v.clone(), |s| s.leaf(v.ty()))?;
                    b::add(b::mul(v.clone(), z)?, v)
                })
            }
            11 => b::neg(x),
            12 => self.compare(x, y),
            13 if s.is_integer() => self.bits(x, y),
            _ => b::make_pair(y, x),
        }
    }

    /// A quotient that has a name, and that only the branch reads in which there is one.
    fn guarded(&mut self, x: Term, y: Term, s: Scalar) -> Built {
        // A division by zero that can be seen is refused.
        let y = if matches!(y.expr(), Expr::Lit(_)) { b::add(x.clone(), y)? } else { y };
        let p = self.pick(&[Pattern::Div, Pattern::Mod]);
        let quotient = b::apply(p, vec![], vec![x.clone(), y.clone()])?;
        let test = b::lt(y.clone(), b::number(1, s)?)?;
        let name = self.name();
        match self.below(4) {
            0 => b::share(name, quotient, |q| b::select(test, x, b::mul(q.clone(), q)?)),
            1 => {
                let f = b::lam(name, quotient.ty().clone(), |q| b::select(test, x, b::add(q.clone(), q)?))?;
                b::let_in(b::to_mem(AddressSpace::Private, quotient)?, f)
            }
            2 => b::share(name, b::make_pair(y, quotient)?, |p| {
                let (first, second) = (b::fst(p.clone())?, b::snd(p)?);
                b::select(test, b::mul(first.clone(), first)?, b::sub(second.clone(), b::mul(second, x)?)?)
            }),
            _ => b::share(name, quotient, |q| {
                b::share("again", b::mul(q.clone(), q)?, |r| {
                    b::select(test, x, b::max(r.clone(), b::neg(r)?)?)
                })
            }),
        }
    }

    fn compare(&mut self, x: Term, y: Term) -> Built {
        use Pattern as P;
        let p = self.pick(&[P::Lt, P::Gt, P::Le, P::Ge, P::Equal, P::NotEqual]);
        b::apply(p, vec![], vec![x, y])
    }

    fn bits(&mut self, x: Term, y: Term) -> Built {
        use Pattern as P;
        let p = self.pick(&[P::BitAnd, P::BitOr, P::BitXor, P::ShiftLeft, P::ShiftRight, P::BitNot]);
        b::apply(p, vec![], if p == P::BitNot { vec![x] } else { vec![x, y] })
    }

    // Vectors

    /// The same number of lanes, of any scalars.
    fn vector_step(&mut self, x: Term, ty: &Type) -> Built {
        let (Some((n, lane)), Some(s)) = (ty.as_vector(), ty.lane().as_scalar()) else { return Ok(x) };
        let y = if self.below(3) == 0 { x.clone() } else { self.leaf(ty)? };
        if s == Scalar::Bool {
            return match self.below(5) {
                0 => b::not(x),
                1 => b::and(x, y),
                2 => b::or(y, x),
                3 => b::equal(x, y),
                _ => {
                    let of = Type::vector(n.clone(), self.scalar());
                    b::select(x, self.leaf(&of)?, self.leaf(&of)?)
                }
            };
        }
        match self.below(12) {
            0 => b::mul(x, y),
            1 => b::add(x, y),
            2 => b::sub(y, x),
            3 => b::min(x, y),
            4 => b::neg(x),
            5 => {
                let to = self.scalar();
                if to.as_scalar() == Some(Scalar::Bool) {
                    return self.compare(x, y);
                }
                b::cast(Type::vector(n.clone(), to), x)
            }
            6 | 7 => self.compare(x, y),
            8 | 9 => {
                let test = self.compare(x.clone(), y.clone())?;
                let other = self.leaf(test.ty())?;
                let test =
                    [b::not(test.clone()), b::and(test.clone(), other), Ok(test)][self.below(3)].clone();
                b::select(test?, y, x)
            }
            10 if s.is_integer() => self.bits(x, y),
            // Of what a lane does not choose nothing is computed.
            10 | 11 if s.is_integer() => {
                let zero = b::vector_from_scalar(n, b::number(0, s)?)?;
                b::select(
                    b::equal(y.clone(), zero.clone())?,
                    zero,
                    b::apply(Pattern::Mod, vec![], vec![x, y])?,
                )
            }
            10 => b::select(Term::lit(Literal::Bool(self.below(2) == 0)), x, y),
            _ => b::add(x, b::vector_from_scalar(n, self.leaf(lane)?)?),
        }
    }

    /// Indices.
    fn other_step(&mut self, x: Term, ty: &Type) -> Built {
        let Some(n) = ty.as_index() else { return Ok(x) };
        let arrays: Vec<Term> =
            self.scope.iter().filter(|a| a.ty().as_array().is_some_and(|(m, _)| m == n)).cloned().collect();
        if arrays.is_empty() || self.one_in(4) {
            return b::cast(Type::scalar(Scalar::I32), b::index_as_nat(x)?);
        }
        let a = self.pick(&arrays);
        b::idx(x, a)
    }

    // Pairs

    fn pair_step(&mut self, x: Term, s: &Type, t: &Type, fuel: usize) -> Built {
        match self.below(7) {
            0 => b::fst(x),
            1 => b::snd(x),
            2 => b::make_pair(b::snd(x.clone())?, b::fst(x)?),
            3 => b::map_fst(self.function(s, fuel / 2)?, x),
            4 => b::map_snd(self.function(t, fuel / 2)?, x),
            _ => match (s.as_array(), t.as_array()) {
                (Some((n, _)), Some((m, _))) if n == m => b::zip(b::fst(x.clone())?, b::snd(x)?),
                _ if s == t && s.as_scalar().is_some_and(|s| s != Scalar::Bool) => {
                    b::add(b::fst(x.clone())?, b::snd(x)?)
                }
                _ if s == t => b::make_array(vec![b::snd(x.clone())?, b::fst(x)?]),
                _ => b::fst(x),
            },
        }
    }

    // Functions

    fn function(&mut self, from: &Type, fuel: usize) -> Built {
        let name = self.name();
        let fuel = fuel.min(3);
        // A function of arrays may be a map without its array.
        if let Some((n, t)) = from.as_array()
            && self.one_in(4)
        {
            let f = self.function(t, fuel)?;
            return b::partial(Pattern::Map, vec![], vec![f], &[Type::array(n.clone(), t.clone())]);
        }
        self.depth += 1;
        let f = b::lam(name, from.clone(), |x| {
            self.with(x.clone(), |s| {
                let steps = s.below(fuel + 1) + 1;
                s.steps(x, steps)
            })
        });
        self.depth -= 1;
        f
    }

    /// A function from the type to itself.
    fn endofunction(&mut self, t: &Type) -> Built {
        let name = self.name();
        b::lam(name, t.clone(), |x| {
            let y = x.clone();
            self.with(x, |s| s.change(y))
        })
    }

    /// Another value of the same type.
    fn change(&mut self, x: Term) -> Built {
        let ty = x.ty().clone();
        if let Some((a, _)) = ty.as_pair() {
            return if self.below(2) == 0 || ty.as_pair().is_some_and(|(a, b)| a != b) {
                b::map_fst(self.endofunction(a)?, x)
            } else {
                b::make_pair(b::snd(x.clone())?, b::fst(x)?)
            };
        }
        if let Some((_, t)) = ty.as_array() {
            let f = self.endofunction(t)?;
            return self.map(f, x);
        }
        match ty.as_scalar() {
            Some(Scalar::Bool) => b::not(x),
            Some(_) => {
                let y = self.leaf(&ty)?;
                if self.below(2) == 0 { b::add(x, y) } else { b::mul(x, y) }
            }
            None => Ok(x),
        }
    }

    /// Two values in one of the same type.
    fn combine(&mut self, x: Term, y: Term) -> Built {
        let ty = x.ty().clone();
        if ty.as_pair().is_some() {
            let first = self.combine(b::fst(x.clone())?, b::fst(y.clone())?)?;
            return b::make_pair(first, self.combine(b::snd(x)?, b::snd(y)?)?);
        }
        if let Some((_, t)) = ty.as_array() {
            let f = b::lam("q", Type::pair(t.clone(), t.clone()), |q| {
                self.combine(b::fst(q.clone())?, b::snd(q)?)
            })?;
            let zipped = b::zip(x, y)?;
            return self.map(f, zipped);
        }
        match ty.as_scalar() {
            Some(Scalar::Bool) => b::select(x, y, Term::lit(Literal::Bool(false))),
            Some(_) => match self.below(4) {
                0 | 1 => b::add(x, y),
                2 => b::max(x, y),
                _ => b::mul(x, y),
            },
            None => Ok(x),
        }
    }

    fn map(&mut self, f: Term, xs: Term) -> Built {
        use Pattern as P;
        let constant = xs.ty().as_array().is_some_and(|(n, _)| n.as_constant().is_some());
        let (p, args) = match (self.dialect, self.below(6)) {
            (Dialect::High, _) | (_, 0) => (P::Map, vec![]),
            (Dialect::OpenCl, 1..4) if self.depth == 0 => (P::MapGlobal, vec![Arg::Dim(0)]),
            (Dialect::OpenCl, 1) if self.depth == 1 && self.below(3) == 0 => {
                (P::MapGlobal, vec![Arg::Dim(1)])
            }
            (Dialect::C, 1 | 2) => (P::MapPar, vec![]),
            (_, 3) if constant => (P::MapSeqUnroll, vec![]),
            _ => (P::MapSeq, vec![]),
        };
        b::apply(p, args, vec![f, xs])
    }

    // Arrays

    /// Another array of the same length.
    fn other(&mut self, xs: &Term, n: &Nat, fuel: usize) -> Built {
        let arrays: Vec<Term> =
            self.scope.iter().filter(|a| a.ty().as_array().is_some_and(|(m, _)| m == n)).cloned().collect();
        let start = if arrays.is_empty() || self.below(3) == 0 { xs.clone() } else { self.pick(&arrays) };
        let Some((_, t)) = start.ty().as_array() else { return Ok(start) };
        if self.below(2) == 0 {
            return Ok(start);
        }
        let f = self.function(&t.clone(), fuel / 2)?;
        self.map(f, start)
    }

    fn index(&mut self, n: &Nat, i: Nat) -> Built {
        Ok(Term::lit(Literal::Index(i, n.clone())))
    }

    /// The divisors of a length that divide it at all sizes.
    fn divisors(&self, n: &Nat) -> Vec<Nat> {
        let [a, m, k] = ["n", "m", "k"].map(Nat::var);
        let candidates =
            [c(2), c(3), a.clone(), m.clone(), k, m.add(&c(1)), a.add(&c(1)), c(4), c(1), n.clone()];
        let divides = |d: &Nat| {
            let values = self.at(n).into_iter().zip(self.at(d)).all(|(n, d)| d > 0 && n % d == 0);
            values && (d.as_constant().is_some() || n.exact_div(d).is_evidently_integral())
        };
        candidates.into_iter().filter(divides).collect()
    }

    fn array_step(&mut self, xs: Term, n: &Nat, t: &Type, fuel: usize) -> Built {
        let small = self.below(2) as i64 + 1;
        if self.of_vectors && self.one_in(2) {
            return match t.as_vector() {
                Some(_) if self.one_in(4) => self.reduce(xs, t, fuel),
                Some(_) if self.one_in(4) => b::as_scalar(xs),
                Some(_) => {
                    let f = self.function(t, fuel)?;
                    self.map(f, xs)
                }
                None => self.vectors(xs, n, t),
            };
        }
        match self.below(40) {
            0..8 => {
                let f = self.function(t, fuel)?;
                self.map(f, xs)
            }
            8..11 => self.reduce(xs, t, fuel),
            11 | 12 => {
                let wide = small + 1;
                if !self.holds(n, |n| n >= wide) {
                    return Ok(xs);
                }
                let step = if self.one_in(4) { small } else { 1 };
                if step > 1 && !self.holds(n, |n| (n - wide + step) % step == 0) {
                    return Ok(xs);
                }
                b::slide(&c(wide), &c(step), xs)
            }
            13 | 14 => {
                let divisors = self.divisors(n);
                let d = self.pick(&divisors);
                b::split(&d, xs)
            }
            15 | 16 if t.as_array().is_some() => b::join(xs),
            17 | 18 if t.as_array().is_some() => b::transpose(xs),
            19 | 20 => {
                let ys = self.other(&xs, n, fuel)?;
                if self.below(2) == 0 { b::zip(xs, ys) } else { b::zip(ys, xs) }
            }
            21 if t.as_pair().is_some() => b::unzip(xs),
            22 if self.holds(n, |n| n > small) => b::drop(&c(small), xs),
            23 if self.holds(n, |n| n > small) => b::take(&n.sub(&c(small)), xs),
            24 => {
                let others: Vec<Term> = self
                    .scope
                    .iter()
                    .filter(|a| a.ty().as_array().is_some_and(|(_, u)| u == t))
                    .cloned()
                    .collect();
                let ys = if others.is_empty() { xs.clone() } else { self.pick(&others) };
                if self.below(2) == 0 { b::concat(xs, ys) } else { b::concat(ys, xs) }
            }
            25 => b::pad_clamp(&c(small), &c(self.below(3) as i64), xs),
            26 => {
                let value = self.leaf(t)?;
                b::pad_cst(&c(small), &c(self.below(3) as i64), value, xs)
            }
            27 => b::pad_empty(&c(small), xs),
            28 => {
                let length = [n.clone(), n.add(&c(1)), n.mul(&c(2))][self.below(3)].clone();
                let indices = b::lam("i", Type::index(length), |i| {
                    let i = b::index_as_nat(i)?;
                    let moved = match self.below(3) {
                        0 => i,
                        1 => b::add(i, Term::lit(Literal::Nat(c(small))))?,
                        _ => b::mul(i, Term::lit(Literal::Nat(c(small + 1))))?,
                    };
                    b::nat_as_index(n, b::modulo(moved, in_values(n))?)
                })?;
                b::gather(b::generate(indices)?, xs)
            }
            29 => {
                let indices = b::lam("i", Type::index(n.clone()), |i| {
                    let last = in_values(&n.sub(&c(1)));
                    b::nat_as_index(n, b::sub(last, b::index_as_nat(i)?)?)
                })?;
                b::scatter(b::generate(indices)?, xs)
            }
            30 => {
                let i = NatFun::parameter();
                let one = c(1);
                let (there, back) = if self.below(2) == 0 {
                    (n.sub(&one).sub(&i), n.sub(&one).sub(&i))
                } else {
                    (i.add(&one).modulo(n), i.sub(&one).modulo(n))
                };
                let function = |body: Nat| Arg::Fun(NatFun::new("i", body));
                b::apply(
                    Pattern::Reorder,
                    vec![Arg::Nat(n.clone()), function(there), function(back)],
                    vec![xs],
                )
            }
            31 => {
                let name = self.name();
                b::share(name, xs, |ys| {
                    let length = ys.ty().as_array().map_or(c(1), |(n, _)| n.clone());
                    b::generate(b::lam("i", Type::index(length), |i| {
                        let element = b::idx(i.clone(), ys.clone())?;
                        let fuel = self.below(fuel / 2 + 2);
                        self.with(i, |s| s.steps(element, fuel))
                    })?)
                })
            }
            32 => b::idx(self.index(n, c(0))?, xs),
            33 => b::make_array(vec![xs.clone(), xs]),
            34 => {
                let ys = self.other(&xs, n, fuel)?;
                b::make_pair(xs, ys)
            }
            35 if self.dialect == Dialect::High => {
                let f = self.endofunction(xs.ty())?;
                b::apply(Pattern::Iterate, vec![Arg::Nat(c(small))], vec![f, xs])
            }
            35 => self.stream(xs, fuel),
            36 if self.dialect != Dialect::High => {
                let op = b::lam2(("x", t.clone()), ("acc", t.clone()), |x, acc| self.combine(acc, x))?;
                let start = self.constant(t)?;
                b::scan_seq(op, start, xs)
            }
            37 if self.dialect != Dialect::High => self.vectors(xs, n, t),
            38 if self.dialect == Dialect::OpenCl && self.depth == 0 => {
                let divisors = self.divisors(n);
                let d = self.pick(&divisors);
                self.depth += 1;
                let f = self.function(t, fuel / 2);
                self.depth -= 1;
                let f = f?;
                let of_group = Type::array(d.clone(), t.clone());
                let group = b::lam("g", of_group, |g| match !t.has_array() && self.one_in(2) {
                    true => self.with_total(f, g, t),
                    false => b::apply(Pattern::MapLocal, vec![Arg::Dim(0)], vec![f, g]),
                })?;
                b::join(b::apply(Pattern::MapWorkGroup, vec![Arg::Dim(0)], vec![group, b::split(&d, xs)?])?)
            }
            _ => {
                let f = self.function(t, fuel)?;
                self.map(f, xs)
            }
        }
    }

    /// A function of each element of a group's array, combined with all of them together.
    fn with_total(&mut self, f: Term, xs: Term, t: &Type) -> Built {
        let op = b::lam2(("x", t.clone()), ("y", t.clone()), |x, y| self.combine(x, y))?;
        let args = vec![Arg::Nat(c(self.below(19) as i64 + 1)), Arg::Dim(0)];
        let total = b::apply(Pattern::ReduceLocal, args, vec![op, self.constant(t)?, xs.clone()])?;
        b::share("total", total, |total| {
            let each = b::lam("v", t.clone(), |v| b::app(f, self.combine(v, total)?))?;
            b::apply(Pattern::MapLocal, vec![Arg::Dim(0)], vec![each, xs])
        })
    }

    fn reduce(&mut self, xs: Term, t: &Type, fuel: usize) -> Built {
        let seq = match (self.dialect, self.below(4)) {
            (Dialect::High, _) | (_, 0) => None,
            (_, 1) if xs.ty().as_array().is_some_and(|(n, _)| n.as_constant().is_some()) => {
                Some(Pattern::ReduceSeqUnroll)
            }
            _ => Some(Pattern::ReduceSeq),
        };
        let start = if self.below(4) == 0 { self.leaf(t)? } else { self.constant(t)? };
        let Some(seq) = seq else {
            let op = b::lam2(("x", t.clone()), ("y", t.clone()), |x, y| self.combine(x, y))?;
            return b::reduce(op, start, xs);
        };
        let args = vec![Arg::Addr(AddressSpace::Private)];
        // The accumulator may be of another type than the elements.
        if let Some((s, _)) = t.as_pair() {
            let start = self.constant(s)?;
            let op = b::lam2(("acc", s.clone()), ("x", t.clone()), |acc, x| {
                let part = b::fst(x.clone())?;
                self.with(x, |s| {
                    let other = s.leaf(part.ty())?;
                    let sum = s.combine(acc, part)?;
                    if fuel > 2 { s.combine(sum, other) } else { Ok(sum) }
                })
            })?;
            return b::apply(seq, args, vec![op, start, xs]);
        }
        let op = b::lam2(("acc", t.clone()), ("x", t.clone()), |x, y| self.combine(x, y))?;
        b::apply(seq, args, vec![op, start, xs])
    }

    fn vectors(&mut self, xs: Term, n: &Nat, t: &Type) -> Built {
        let widths = if self.dialect == Dialect::OpenCl { &WIDTHS } else { &WIDTHS[..2] };
        let widths = widths.iter().copied().filter(|w| self.holds(n, |n| n % w == 0)).collect::<Vec<_>>();
        if widths.is_empty() || t.as_scalar().is_none() {
            return Ok(xs);
        }
        let w = c(self.pick(&widths));
        let vectors = if self.below(2) == 0 { b::as_vector(&w, xs)? } else { b::as_vector_aligned(&w, xs)? };
        let f = self.function(&Type::vector(w, t.clone()), 3)?;
        let mapped = self.map(f, vectors)?;
        b::as_scalar(mapped)
    }

    /// A stream of one or several stages, and a loop over it.
    fn stream(&mut self, xs: Term, fuel: usize) -> Built {
        let stages: Vec<Stage> = (0..self.below(3) + 1).map(|_| self.stage()).collect();
        self.streamed(xs, &stages, fuel)
    }

    fn streamed(&mut self, xs: Term, stages: &[Stage], fuel: usize) -> Built {
        let stream = stages.iter().try_fold(xs, |xs, stage| self.through(stage, xs, fuel / 2))?;
        let Some((_, element)) = stream.ty().as_array() else { return Ok(stream) };
        let f = self.function(&element.clone(), fuel / 2)?;
        b::iterate_stream(f, stream)
    }

    fn stage(&mut self) -> Stage {
        let (size, step) = (self.below(4) as i64 + 1, self.pick(&[1, 1, 2, 3]));
        match self.below(6) {
            0 => Stage::Each(Pattern::MapStream),
            1 => Stage::Each(Pattern::Map),
            2 => Stage::Zipped,
            3 => Stage::Windows(None, size, step),
            _ => Stage::Windows(Some(size + self.below(3) as i64), size, step),
        }
    }

    /// Another stream of a stream's elements, the stream itself where the stage does not fit.
    fn through(&mut self, stage: &Stage, xs: Term, fuel: usize) -> Built {
        let Some((n, t)) = xs.ty().as_array().map(|(n, t)| (n.clone(), t.clone())) else { return Ok(xs) };
        match *stage {
            Stage::Each(p) => b::apply(p, vec![], vec![self.function(&t, fuel)?, xs]),
            Stage::Zipped => {
                let fits = |a: &&Term| a.ty().as_array().is_some_and(|(m, _)| *m == n);
                let arrays: Vec<Term> = self.scope.iter().filter(fits).cloned().collect();
                let other = if arrays.is_empty() {
                    let number = |i| b::cast(Type::scalar(Scalar::I32), b::index_as_nat(i)?);
                    b::generate(b::lam("i", Type::index(n.clone()), number)?)?
                } else {
                    self.pick(&arrays)
                };
                if self.below(2) == 0 { b::zip(xs, other) } else { b::zip(other, xs) }
            }
            Stage::Windows(alloc, size, step) => {
                if !self.holds(&n, |n| n >= size && (n - size) % step == 0) {
                    return Ok(xs);
                }
                let space = match self.dialect {
                    Dialect::OpenCl => self.pick(&[
                        AddressSpace::Private,
                        AddressSpace::Private,
                        AddressSpace::Local,
                        AddressSpace::Global,
                    ]),
                    _ => AddressSpace::Private,
                };
                let sizes = alloc.into_iter().chain([size, step]).map(|n| Arg::Nat(c(n)));
                let args = [Arg::Addr(space)].into_iter().chain(sizes).collect();
                match alloc {
                    Some(_) => b::apply(Pattern::CircularBuffer, args, vec![self.function(&t, fuel)?, xs]),
                    None => b::apply(Pattern::RotateValues, args, vec![self.endofunction(&t)?, xs]),
                }
            }
        }
    }

    /// A program of a stream that is long enough for all of its stages, in loops over rows perhaps.
    fn of_streams(&mut self) -> Built {
        let stages: Vec<Stage> = (0..self.below(3) + 1).map(|_| self.stage()).collect();
        let [n, m, k] = ["n", "m", "k"].map(Nat::var);
        let last = self.pick(&[n.clone(), m.clone(), c(3)]);
        let length = stages.iter().rev().fold(last, |n, stage| match stage {
            Stage::Windows(_, size, step) => c(*step).mul(&n).add(&c(size - step)),
            _ => n,
        });
        let element = self.element(1);
        let element =
            if self.is_large(&Type::array(length.clone(), element.clone())) { Type::f32() } else { element };
        let fuel = self.below(7) + 1;
        let rows = self.pick(&[vec![], vec![k.clone()], vec![m], vec![c(2), k]]);
        let groups = self.dialect == Dialect::OpenCl && self.below(2) == 0;
        self.in_loops(&rows, &Type::array(length, element), groups, &mut |draw, row| {
            draw.streamed(row, &stages, fuel)
        })
    }

    /// A function of arrays of rows, that many in each dimension, in loops over them.
    fn in_loops(
        &mut self,
        rows: &[Nat],
        row: &Type,
        groups: bool,
        body: &mut dyn FnMut(&mut Self, Term) -> Built,
    ) -> Built {
        let name = self.name();
        let Some((_, inner)) = rows.split_first() else {
            return b::lam(name, row.clone(), |x| {
                self.scope.push(x.clone());
                let made = body(self, x);
                self.scope.pop();
                made
            });
        };
        let whole = rows.iter().rev().fold(row.clone(), |t, n| Type::array(n.clone(), t));
        self.depth += 1;
        let f = self.in_loops(inner, row, groups, body);
        self.depth -= 1;
        let f = f?;
        b::lam(name, whole, |xs| match (groups, self.depth, inner.len()) {
            (true, 0, 1) => b::apply(Pattern::MapWorkGroup, vec![Arg::Dim(0)], vec![f, xs]),
            (true, 1, 0) => b::apply(Pattern::MapLocal, vec![Arg::Dim(0)], vec![f, xs]),
            _ => self.map(f, xs),
        })
    }
}

/// A part of a stream's way.
#[derive(Clone, Copy)]
enum Stage {
    /// Each element by a function, with `mapStream` or `map`.
    Each(Pattern),
    /// Pairs with the elements of an array.
    Zipped,
    /// Windows in a buffer of so many elements, or in values that rotate; their size and stride.
    Windows(Option<i64>, i64, i64),
}
