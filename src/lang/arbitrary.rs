//! Random well-typed terms for tests: every pattern occurs, sizes are small, scalars are exact.

#![allow(clippy::panic, reason = "only tests draw terms, and what cannot be drawn ends them")]

use shine_lang::build::{self as b, Built};
use shine_lang::eval::inputs::Rng;
use shine_lang::literal::Literal;
use shine_lang::math;
use shine_lang::nat::{Nat, NatFun};
use shine_lang::pattern::{self, AddressSpace, Pattern};
use shine_lang::term::{Arg, Expr, Term};
use shine_lang::ty::{Scalar, Type, TypeKind};

/// Draws terms. Free variables of what it draws are closed by the caller through [`b::lam`].
pub struct Draw {
    rng: Rng,
    /// Variables that may be used.
    scope: Vec<Term>,
    names: u32,
    /// May there be undefined cells?
    pub holes: bool,
}

fn c(n: i64) -> Nat {
    Nat::constant(n)
}

fn i32_type() -> Type {
    Type::scalar(Scalar::I32)
}

fn length(n: &Nat) -> i64 {
    n.as_constant().unwrap_or(0)
}

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw { rng: Rng::new(seed), scope: vec![], names: 0, holes: true }
    }

    fn below(&mut self, n: i64) -> i64 {
        self.rng.below(n.max(1) as u64) as i64
    }

    /// A program: `\a b …. body`.
    pub fn program(&mut self, fuel: u32) -> Term {
        let params: Vec<Type> = (0..self.below(3) + 1).map(|_| self.ty(2)).collect();
        let result = self.ty(2);
        self.functions(&params, &result, fuel).unwrap_or_else(|why| panic!("{why}"))
    }

    fn functions(&mut self, params: &[Type], result: &Type, fuel: u32) -> Built {
        let Some((first, rest)) = params.split_first() else { return self.term(result, fuel) };
        self.names += 1;
        let name = ["x", "y", "row", "p", "acc"][self.names as usize % 5];
        b::lam(name, first.clone(), |x| {
            self.scope.push(x);
            let body = self.functions(rest, result, fuel);
            self.scope.pop();
            body
        })
    }

    fn function(&mut self, from: &Type, to: &Type, fuel: u32) -> Built {
        self.functions(std::slice::from_ref(from), to, fuel)
    }

    /// A data type.
    pub fn ty(&mut self, depth: u32) -> Type {
        match if depth == 0 { 0 } else { self.below(7) } {
            0 | 1 => self.scalar_type(),
            6 => Type::vector(c(self.below(4) + 1), self.scalar_type()),
            2 => Type::pair(self.ty(depth - 1), self.ty(depth - 1)),
            _ => Type::array(c(self.below(4) + 1), self.ty(depth - 1)),
        }
    }

    fn scalar_type(&mut self) -> Type {
        let rare = [Scalar::I8, Scalar::U8, Scalar::I64, Scalar::U64, Scalar::F16, Scalar::F64, Scalar::Bool];
        Type::scalar(match self.below(12) {
            0..6 => Scalar::I32,
            6..9 => Scalar::F32,
            _ => rare[self.below(7) as usize],
        })
    }

    /// A value of the type that takes no fuel.
    fn leaf(&mut self, ty: &Type) -> Built {
        let fitting: Vec<Term> = self.scope.iter().filter(|x| x.ty() == ty).cloned().collect();
        if !fitting.is_empty() && self.below(8) != 0 {
            return Ok(fitting[self.below(fitting.len() as i64) as usize].clone());
        }
        match ty.kind() {
            TypeKind::Scalar(Scalar::Bool) => Ok(Term::lit(Literal::Bool(self.below(2) == 0))),
            TypeKind::Scalar(s) => b::number(self.below(9) - if s.is_signed_integer() { 4 } else { 0 }, *s),
            TypeKind::NatType => Ok(Term::lit(Literal::Nat(c(self.below(4))))),
            TypeKind::Index(n) => Ok(Term::lit(Literal::Index(c(self.below(length(n))), n.clone()))),
            TypeKind::Pair(s, t) => b::make_pair(self.leaf(s)?, self.leaf(t)?),
            TypeKind::Vector(n, t) => b::vector_from_scalar(n, self.leaf(t)?),
            TypeKind::Array(n, t) if self.below(2) == 0 => {
                b::make_array((0..length(n)).map(|_| self.leaf(t)).collect::<Result<_, _>>()?)
            }
            TypeKind::Array(n, t) => {
                let f = self.function(&Type::index(n.clone()), t, 0)?;
                b::generate(f)
            }
            _ => panic!("no values of {ty}"),
        }
    }

    /// A term of the type.
    pub fn term(&mut self, ty: &Type, fuel: u32) -> Built {
        if fuel == 0 {
            return self.leaf(ty);
        }
        let less = fuel - 1;
        match self.below(12) {
            0 => return self.leaf(ty),
            1 => {
                let shared = self.ty(2);
                let value = self.term(&shared, less / 2)?;
                return b::app(self.function(&shared, ty, less)?, value);
            }
            2 => {
                let stored = self.ty(2);
                let space = AddressSpace::ALL[self.below(3) as usize];
                let value = b::to_mem(space, self.term(&stored, less / 2)?)?;
                return b::let_in(value, self.function(&stored, ty, less)?);
            }
            3 => {
                let other = self.ty(1);
                let first = self.below(2) == 0;
                let pair = if first { Type::pair(ty.clone(), other) } else { Type::pair(other, ty.clone()) };
                let p = self.term(&pair, less)?;
                return if first { b::fst(p) } else { b::snd(p) };
            }
            4 => return self.reduce(ty, less),
            5 => {
                let n = c(self.below(3) + 1);
                let xs = self.term(&Type::array(n.clone(), ty.clone()), less)?;
                let i = self.term(&Type::index(n), less / 2)?;
                return b::idx(i, xs);
            }
            6 => {
                let test = self.term(&Type::scalar(Scalar::Bool), less / 2)?;
                return b::select(test, self.term(ty, less)?, self.term(ty, less / 2)?);
            }
            _ => {}
        }
        match ty.kind() {
            TypeKind::Vector(n, t) if self.below(4) == 0 => {
                // Another array as vectors, of which this is the first.
                let vectors = b::as_vector(n, self.term(&Type::array(n.clone(), t.clone()), less)?)?;
                b::idx(Term::lit(Literal::Index(c(0), c(1))), vectors)
            }
            _ if *ty == ty.truth() => {
                let number = match ty.as_vector() {
                    Some((n, _)) => Type::vector(n.clone(), i32_type()),
                    None => i32_type(),
                };
                let (x, y) = (self.term(&number, less)?, self.term(&number, less / 2)?);
                let all: Vec<Pattern> =
                    pattern::all().iter().map(|r| r.pattern).filter(|p| p.is_comparison()).collect();
                let p = all[self.below(all.len() as i64) as usize];
                let test = b::apply(p, vec![], vec![x, y])?;
                match self.below(8) {
                    0 | 1 => b::not(test),
                    2 => b::and(test, self.term(ty, less / 2)?),
                    3 => b::or(test, self.term(ty, less / 2)?),
                    _ => Ok(test),
                }
            }
            TypeKind::Vector(..) if self.below(6) == 0 => {
                let test = self.term(&ty.truth(), less / 2)?;
                b::select(test, self.term(ty, less)?, self.term(ty, less / 2)?)
            }
            TypeKind::Scalar(_) | TypeKind::Vector(..) => self.number(ty, less),
            TypeKind::Pair(s, t) => match self.below(3) {
                0 => {
                    let f = self.function(s, s, less / 2)?;
                    b::map_fst(f, self.term(ty, less)?)
                }
                1 => match (s.as_array(), t.as_array()) {
                    (Some((n, s)), Some((m, t))) if n == m => {
                        let both = Type::array(n.clone(), Type::pair(s.clone(), t.clone()));
                        b::unzip(self.term(&both, less)?)
                    }
                    _ => {
                        let f = self.function(t, t, less / 2)?;
                        b::map_snd(f, self.term(ty, less)?)
                    }
                },
                _ => b::make_pair(self.term(s, less)?, self.term(t, less / 2)?),
            },
            TypeKind::Array(n, t) => self.array(ty, length(n), t, less),
            TypeKind::NatType => {
                let n = c(self.below(4) + 1);
                let index = self.term(&Type::index(n), less)?;
                let nat = b::index_as_nat(index)?;
                if self.below(2) == 0 { b::add(nat, self.term(ty, less / 2)?) } else { Ok(nat) }
            }
            TypeKind::Index(n) => {
                let nat = b::modulo(self.term(&Type::nat_type(), less)?, Term::lit(Literal::Nat(n.clone())))?;
                b::nat_as_index(n, nat)
            }
            _ => self.leaf(ty),
        }
    }

    /// A number, or a vector of numbers.
    fn number(&mut self, ty: &Type, less: u32) -> Built {
        let lanes = ty.as_vector().map(|(n, _)| n.clone());
        let in_lanes = |t: Type| lanes.as_ref().map_or(t.clone(), |n| Type::vector(n.clone(), t));
        if self.below(6) == 0 {
            let from = in_lanes(self.scalar_type());
            return b::cast(ty.clone(), self.term(&from, less)?);
        }
        let x = self.term(ty, less)?;
        let Some(scalar) = ty.lane().as_scalar() else { return Ok(x) };
        match self.below(10) {
            0 => b::neg(x),
            1 => b::abs(x),
            2 => b::id(x),
            3 if scalar.is_float() => {
                let all = math::all();
                let function = all[self.below(all.len() as i64) as usize].pattern;
                let second = if math::is_binary(function) { Some(self.term(ty, less / 2)?) } else { None };
                b::apply(function, vec![], std::iter::once(x).chain(second).collect())
            }
            4 => {
                // Integers are divided by what is not zero.
                let by = b::number(self.below(3) + 1, scalar)?;
                let by = lanes.as_ref().map_or(Ok(by.clone()), |n| b::vector_from_scalar(n, by))?;
                let remainder = !scalar.is_float() && self.below(2) == 0;
                b::apply(if remainder { Pattern::Mod } else { Pattern::Div }, vec![], vec![x, by])
            }
            5 if scalar.is_integer() => {
                let of_bits = pattern::all().iter().map(|r| r.pattern).filter(|p| p.is_of_bits());
                let all: Vec<Pattern> = of_bits.collect();
                let p = all[self.below(all.len() as i64) as usize];
                let second = if p.is_arithmetic() { Some(self.term(ty, less / 2)?) } else { None };
                b::apply(p, vec![], std::iter::once(x).chain(second).collect())
            }
            _ => {
                let y = self.term(ty, less / 2)?;
                let all = [Pattern::Add, Pattern::Sub, Pattern::Mul, Pattern::Min, Pattern::Max];
                b::apply(all[self.below(5) as usize], vec![], vec![x, y])
            }
        }
    }

    fn reduce(&mut self, ty: &Type, less: u32) -> Built {
        let start = self.term(ty, less / 2)?;
        let same = self.below(2) == 0;
        let element = if same { ty.clone() } else { self.ty(1) };
        let op = self.functions(&[ty.clone(), element.clone()], ty, less / 2)?;
        let n = c(self.below(4) + 1);
        let xs = self.term(&Type::array(n, element), less)?;
        match self.below(3) {
            0 if same => b::reduce(op, start, xs),
            1 => {
                let args = vec![Arg::Addr(AddressSpace::Global)];
                b::apply(Pattern::ReduceSeqUnroll, args, vec![op, start, xs])
            }
            _ => b::reduce_seq(op, start, xs),
        }
    }

    fn array(&mut self, ty: &Type, n: i64, t: &Type, less: u32) -> Built {
        let of = |n: i64, t: &Type| Type::array(c(n), t.clone());
        match self.below(19) {
            0 | 1 => {
                let all = [
                    (Pattern::Map, vec![]),
                    (Pattern::MapSeq, vec![]),
                    (Pattern::MapPar, vec![]),
                    (Pattern::MapGlobal, vec![Arg::Dim(1)]),
                    (Pattern::MapStream, vec![]),
                    (Pattern::MapSeqUnroll, vec![]),
                    (Pattern::IterateStream, vec![]),
                    (Pattern::MapWorkGroup, vec![Arg::Dim(0)]),
                    (Pattern::MapLocal, vec![Arg::Dim(2)]),
                ];
                let (p, args) = all[self.below(all.len() as i64) as usize].clone();
                let s = self.ty(1);
                let f = self.function(&s, t, less)?;
                let xs = self.term(&of(n, &s), less)?;
                if p.is_stream() { streamed(p, args, f, xs) } else { b::apply(p, args, vec![f, xs]) }
            }
            2 => {
                let f = self.function(&Type::index(c(n)), t, less)?;
                b::generate(f)
            }
            3 => {
                let extra = self.below(3) + 1;
                b::take(&c(n), self.term(&of(n + extra, t), less)?)
            }
            4 => {
                let extra = self.below(3);
                b::drop(&c(extra), self.term(&of(n + extra, t), less)?)
            }
            5 if n > 1 => {
                let first = self.below(n - 1) + 1;
                b::concat(self.term(&of(first, t), less)?, self.term(&of(n - first, t), less / 2)?)
            }
            6 => {
                let l = self.below(n);
                let value = self.term(t, less / 2)?;
                let inner = self.below(n - l) + 1;
                b::pad_cst(&c(l), &c(n - l - inner), value, self.term(&of(inner, t), less)?)
            }
            7 => {
                let l = self.below(n);
                let inner = self.below(n - l) + 1;
                b::pad_clamp(&c(l), &c(n - l - inner), self.term(&of(inner, t), less)?)
            }
            8 if self.holes => {
                let inner = self.below(n) + 1;
                b::pad_empty(&c(n - inner), self.term(&of(inner, t), less)?)
            }
            9 => {
                let m = self.below(3) + 1;
                let indices = self.term(&of(n, &Type::index(c(m))), less / 2)?;
                b::gather(indices, self.term(&of(m, t), less)?)
            }
            10 => {
                let s = self.ty(1);
                let op = self.functions(&[s.clone(), t.clone()], t, less / 2)?;
                b::scan_seq(op, self.term(t, less / 2)?, self.term(&of(n, &s), less)?)
            }
            11 => {
                // Windows of joined arrays, and back.
                let divisors: Vec<i64> = (1..=n).filter(|d| n % d == 0).collect();
                let d = divisors[self.below(divisors.len() as i64) as usize];
                b::join(self.term(&of(d, &of(n / d, t)), less)?)
            }
            16 => {
                // By a function: reversed, rotated or by a stride.
                let (i, n) = (NatFun::parameter(), c(n));
                let divisors: Vec<i64> = (1..=length(&n)).filter(|d| length(&n) % d == 0).collect();
                let a = c(divisors[self.below(divisors.len() as i64) as usize]);
                let b = n.exact_div(&a);
                let by = c(self.below(length(&n)));
                let stride = |a: &Nat, b: &Nat| i.floor_div(a).add(&b.mul(&i.modulo(a)));
                let (there, back) = match self.below(3) {
                    0 => (n.sub(&c(1)).sub(&i), n.sub(&c(1)).sub(&i)),
                    1 => (i.add(&by).modulo(&n), i.sub(&by).modulo(&n)),
                    _ => (stride(&a, &b), stride(&b, &a)),
                };
                let function = |body: Nat| Arg::Fun(NatFun::new("i", body));
                let args = vec![Arg::Nat(n), function(there), function(back)];
                let xs = self.term(ty, less)?;
                match self.below(3) {
                    0 => b::apply(Pattern::Reverse, vec![], vec![xs]),
                    _ => b::apply(Pattern::Reorder, args, vec![xs]),
                }
            }
            17 => {
                // A permutation: rotate, and perhaps swap.
                let (by, flip) = (self.below(n), self.below(2) == 0);
                let place = |i: i64| if flip { (n - 1 - i + by) % n } else { (i + by) % n };
                let indices = (0..n).map(|i| Term::lit(Literal::Index(c(place(i)), c(n)))).collect();
                b::scatter(b::make_array(indices)?, self.term(ty, less)?)
            }
            18 => {
                let args = (0..6).map(|_| Arg::Nat(c(1))).collect();
                b::apply(Pattern::OclRun, args, vec![self.term(ty, less)?])
            }
            12 if t.as_scalar().is_some() => {
                let divisors: Vec<i64> = (1..=n).filter(|d| n % d == 0).collect();
                let d = divisors[self.below(divisors.len() as i64) as usize];
                let aligned = self.below(2) == 0;
                let p = if aligned { Pattern::AsVectorAligned } else { Pattern::AsVector };
                let from = self.scalar_type();
                let xs = self.term(&of(n, &from), less)?;
                let vectors = b::apply(p, vec![Arg::Nat(c(d))], vec![xs])?;
                let f = self.function(&Type::vector(c(d), from), &Type::vector(c(d), t.clone()), less / 2)?;
                b::as_scalar(b::map(f, vectors)?)
            }
            13 if t.as_pair().is_some() => match t.as_pair() {
                Some((s, u)) => b::zip(self.term(&of(n, s), less)?, self.term(&of(n, u), less / 2)?),
                None => self.leaf(ty),
            },
            _ => match t.as_array() {
                Some((m, u)) => {
                    let m = length(m);
                    match self.below(4) {
                        0 => b::transpose(self.term(&of(m, &of(n, u)), less)?),
                        1 => b::split(&c(m), self.term(&of(n * m, u), less)?),
                        2 => {
                            let step = self.below(2) + 1;
                            b::slide(&c(m), &c(step), self.term(&of(step * n + m - step, u), less)?)
                        }
                        _ => {
                            let f = self.function(u, u, less / 2)?;
                            let choice = self.below(6);
                            let step = choice / 2 + 1;
                            let xs = self.term(&of(step * n + m - step, u), less)?;
                            if choice % 2 == 0 {
                                let args =
                                    vec![Arg::Addr(AddressSpace::Private), Arg::Nat(c(m)), Arg::Nat(c(step))];
                                streamed(Pattern::RotateValues, args, f, xs)
                            } else {
                                let args = vec![
                                    Arg::Addr(AddressSpace::Local),
                                    Arg::Nat(c(m + 1)),
                                    Arg::Nat(c(m)),
                                    Arg::Nat(c(step)),
                                ];
                                streamed(Pattern::CircularBuffer, args, f, xs)
                            }
                        }
                    }
                }
                None => self.term(ty, less),
            },
        }
    }
}

/// An array by way of a stream, which is made from another one where `xs` came about like that.
fn streamed(p: Pattern, args: Vec<Arg>, f: Term, xs: Term) -> Built {
    let source = match xs.as_pattern_app() {
        Some((q, given)) if q.pattern == Pattern::IterateStream => match given.as_slice() {
            [g, s] if g.as_lam().is_some_and(|(_, body)| matches!(body.expr(), Expr::Var(0))) => (*s).clone(),
            _ => xs.clone(),
        },
        _ => xs.clone(),
    };
    let stream = b::apply(p, args, vec![f, source])?;
    let Some((_, element)) = stream.ty().as_array() else { return Ok(stream) };
    let identity = b::lam("x", element.clone(), Ok)?;
    b::iterate_stream(identity, stream)
}
