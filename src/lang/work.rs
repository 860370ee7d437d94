//! How much a program computes and moves, in its own sizes: what rates (GFLOP/s, GB/s) are computed from.
//!
//! In comes a closed term, out come counts as symbolic sizes. A computation counts once where it is written and as
//! often as the patterns around it repeat it; both sides of a `select` count, unless given sizes decide it. Bytes are those
//! of the inputs and of the output, each once: what must cross the memory bus at the least. Rates that compare programs
//! should take the counts of the high-level program, not those of its rewritten forms, which may compute things twice.

use super::build;
use super::declared::unfolded;
use super::eval::Sizes;
use super::literal::Literal;
use super::nat::{Atom, Monomial, Nat};
use super::pattern::Pattern;
use super::sort::Sort;
use super::term::{Arg, Expr, Prim, Term};
use super::ty::{Scalar, Type, TypeKind};
use num_traits::Signed;
use std::rc::Rc;

/// Counts in the sizes of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Floating-point operations: `+ - * / %`, negation, `min`, `max`, `abs`, and each function such as `sqrt`; on
    /// vectors once a lane.
    pub flops: Nat,
    /// The same on integers, positions excluded.
    pub integer_operations: Nat,
    pub bytes_in: Nat,
    pub bytes_out: Nat,
}

/// The work of one run at given sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Work {
    pub flops: f64,
    pub integer_operations: f64,
    /// Bytes of all inputs and of the output: each must be moved at least once.
    pub bytes: f64,
}

/// Counts the work of a program, a closed function of its inputs. What cannot be counted is 0; sizes without a value
/// count as 1.
pub fn of(program: &Term, sizes: &Sizes) -> Work {
    let size = |name: &str| sizes.get(name).map_or(1.0, |n| *n as f64);
    let value = |n: &Nat| n.approximately(&size).unwrap_or(0.0);
    match counted(program, sizes) {
        Some(c) => Work {
            flops: value(&c.flops),
            integer_operations: value(&c.integer_operations),
            bytes: value(&c.bytes_in) + value(&c.bytes_out),
        },
        None => Work { flops: 0.0, integer_operations: 0.0, bytes: 0.0 },
    }
}

/// The floating-point operations of a program. None where they cannot be counted, or a size that decides them has no value or
/// one that does not fit.
pub fn flops(program: &Term, sizes: &Sizes) -> Option<f64> {
    let flops = counted(program, sizes)?.flops.eval(&|name| sizes.get(name).copied());
    flops.ok().map(|n| n as f64)
}

/// Counts the work of a program in its own sizes. None when the term unfolds to too much or is ill-typed, or when
/// counts leave the range of sizes.
pub fn counts(program: &Term) -> Option<Counts> {
    counted(program, &Sizes::default())
}

fn counted(program: &Term, sizes: &Sizes) -> Option<Counts> {
    program.with_stack(|| {
        let mut counter = Counter { steps: MAX_STEPS, sizes, least: Nat::constant(0) };
        let program = &unfolded(program);
        let (params, result) = program.ty().signature();
        let (mut f, mut cost) = counter.eval(program, &Env::default())?;
        for _ in &params {
            let (next, more) = counter.apply(&f, Meaning::Data, Cost::none())?;
            cost = cost.plus(&more);
            f = next;
        }
        let bytes_in = params.iter().try_fold(Nat::constant(0), |sum, t| Some(sum.add(&bytes(t)?)))?;
        let counts = Counts {
            flops: cost.float,
            integer_operations: cost.integer,
            bytes_in,
            bytes_out: bytes(&result)?,
        };
        let all = [&counts.flops, &counts.integer_operations, &counts.bytes_in, &counts.bytes_out];
        if all.iter().any(|n| n.is_poison()) { None } else { Some(counts) }
    })
}

/// About how many operations a value takes, and how many elements it has: of their number, the products of sizes that grow
/// fastest. Each step of a reduction is at least one, also where it only compares. None where that is not known, or more than
/// products of sizes.
pub fn roughly(value: &Term) -> Option<Nat> {
    value.with_stack(|| {
        let mut counter = Counter { steps: MAX_STEPS, sizes: &Sizes::default(), least: Nat::constant(1) };
        let value = &unfolded(value);
        let (_, cost) = counter.eval(value, &Env::default())?;
        leading(&cost.float.add(&cost.integer).add(&elements(value.ty())?))
    })
}

/// The products of sizes that no other one has all factors of, with whole coefficients.
fn leading(n: &Nat) -> Option<Nat> {
    let is_product = |m: &Monomial| m.iter().all(|(atom, e)| *e > 0 && matches!(atom, Atom::Var(_)));
    let positive = || n.terms().iter().filter(|(_, c)| c.is_positive());
    if n.is_poison() || !positive().all(|(m, _)| is_product(m)) {
        return None;
    }
    let has_all = |a: &Monomial, b: &Monomial| b.iter().all(|(x, e)| a.iter().any(|(y, f)| x == y && f >= e));
    let is_leading = |m: &Monomial| !positive().any(|(other, _)| other != m && has_all(other, m));
    Some(Nat::from_terms(positive().filter(|(m, _)| is_leading(m)).map(|(m, c)| (m.clone(), c.ceil()))))
}

/// The scalars of a value; none of functions.
pub fn elements(ty: &Type) -> Option<Nat> {
    Some(match ty.kind() {
        TypeKind::Vector(n, t) | TypeKind::Array(n, t) => n.mul(&elements(t)?),
        TypeKind::Pair(a, b) => elements(a)?.add(&elements(b)?),
        TypeKind::Fun(..) => return None,
        _ => Nat::constant(1),
    })
}

/// Terms that take more steps to read have no count.
const MAX_STEPS: u32 = 200_000;

/// The bytes of a value in memory, without padding; none of functions.
pub fn bytes(ty: &Type) -> Option<Nat> {
    Some(match ty.kind() {
        TypeKind::Vector(n, t) | TypeKind::Array(n, t) => n.mul(&bytes(t)?),
        TypeKind::Pair(a, b) => bytes(a)?.add(&bytes(b)?),
        _ => Nat::constant(ty.in_memory()?.bytes() as i64),
    })
}

#[derive(Clone)]
struct Cost {
    float: Nat,
    integer: Nat,
}

impl Cost {
    fn none() -> Cost {
        Cost { float: Nat::constant(0), integer: Nat::constant(0) }
    }
    fn plus(&self, other: &Cost) -> Cost {
        Cost { float: self.float.add(&other.float), integer: self.integer.add(&other.integer) }
    }
    fn times(&self, n: &Nat) -> Cost {
        Cost { float: self.float.mul(n), integer: self.integer.mul(n) }
    }
}

#[derive(Clone)]
enum Meaning<'t> {
    Data,
    Closure(&'t Term, Env<'t>),
    /// With what it takes to compute what it is given: a loop over a function given in part computes that in each step.
    Partial(&'t Prim, &'t Type, Vec<Meaning<'t>>, Cost),
}

#[derive(Clone, Default)]
struct Env<'t>(Option<Rc<(Meaning<'t>, Env<'t>)>>);

impl<'t> Env<'t> {
    fn with(&self, value: Meaning<'t>) -> Self {
        Env(Some(Rc::new((value, self.clone()))))
    }
    fn get(&self, index: u32) -> Option<Meaning<'t>> {
        let mut env = self;
        for _ in 0..index {
            env = &env.0.as_ref()?.1;
        }
        env.0.as_ref().map(|pair| pair.0.clone())
    }
}

struct Counter<'s> {
    steps: u32,
    /// The sizes that are known.
    sizes: &'s Sizes,
    /// What a step of a reduction without an operation counts.
    least: Nat,
}

type Counted<'t> = Option<(Meaning<'t>, Cost)>;

impl Counter<'_> {
    fn eval<'t>(&mut self, term: &'t Term, env: &Env<'t>) -> Counted<'t> {
        self.steps = self.steps.checked_sub(1)?;
        Some(match term.expr() {
            // What is around the term is data.
            Expr::Var(i) => (env.get(*i).unwrap_or(Meaning::Data), Cost::none()),
            Expr::Lit(_) => (Meaning::Data, Cost::none()),
            Expr::Lam(_, body) => (Meaning::Closure(body, env.clone()), Cost::none()),
            Expr::Prim(p) => (Meaning::Partial(p, term.ty(), vec![], Cost::none()), Cost::none()),
            Expr::App(f, e) => {
                if let Some(chosen) = self.chosen(term) {
                    return self.eval(chosen, env);
                }
                let (f, first) = self.eval(f, env)?;
                let (e, second) = self.eval(e, env)?;
                let (result, third) = self.apply(&f, e, second)?;
                (result, first.plus(&third))
            }
        })
    }

    /// What a `select` that sizes decide computes.
    fn chosen<'t>(&self, term: &'t Term) -> Option<&'t Term> {
        let value = |t: &Term| match t.expr() {
            Expr::Lit(Literal::Nat(n)) => n.eval(&|name| self.sizes.get(name).copied()).ok(),
            _ => None,
        };
        let (select, parts) = term.as_pattern_app()?;
        let [condition, yes, no] = parts[..] else { return None };
        let (comparison, compared) = condition.as_pattern_app()?;
        let [a, b] = compared[..] else { return None };
        let (a, b) = (value(a)?, value(b)?);
        let holds = match (select.pattern, comparison.pattern) {
            (Pattern::Select, Pattern::Lt) => a < b,
            (Pattern::Select, Pattern::Le) => a <= b,
            (Pattern::Select, Pattern::Equal) => a == b,
            _ => return None,
        };
        Some(if holds { yes } else { no })
    }

    /// `computed` is what it takes to compute the argument.
    fn apply<'t>(&mut self, f: &Meaning<'t>, arg: Meaning<'t>, computed: Cost) -> Counted<'t> {
        match f {
            Meaning::Data => None,
            Meaning::Closure(body, env) => {
                let (result, cost) = self.eval(body, &env.with(arg))?;
                Some((result, cost.plus(&computed)))
            }
            Meaning::Partial(p, ty, args, before) => {
                let mut args = args.clone();
                args.push(arg);
                let given = before.plus(&computed);
                if build::arity(p.pattern, &p.args)? == args.len() {
                    let (result, cost) = self.pattern(p, ty, &args)?;
                    return Some((result, cost.plus(&given)));
                }
                Some((Meaning::Partial(p, ty, args, given), Cost::none()))
            }
        }
    }

    /// A function's cost on as many data arguments.
    fn call(&mut self, f: &Meaning, arguments: usize) -> Option<Cost> {
        let mut f = f.clone();
        let mut cost = Cost::none();
        for _ in 0..arguments {
            let (next, more) = self.apply(&f, Meaning::Data, Cost::none())?;
            cost = cost.plus(&more);
            f = next;
        }
        Some(cost)
    }

    fn pattern<'t>(&mut self, p: &'t Prim, ty: &'t Type, args: &[Meaning<'t>]) -> Counted<'t> {
        use Pattern as P;
        let (params, result) = ty.signature();
        let cost = match p.pattern {
            other if other.is_map() => {
                let n = params.get(1)?.as_array()?.0;
                self.call(&args[0], 1)?.times(n)
            }
            other if other.sort() == Sort::Buffer => {
                // What is in no window is not loaded.
                let (windows, window) = result.as_array()?;
                let (all, in_windows) = (params.get(1)?.as_array()?.0, windows.mul(window.as_array()?.0));
                let left_out = all.sub(&in_windows).as_constant().is_none_or(|n| n > 0);
                let overlap = matches!(p.args.as_slice(), [.., Arg::Nat(size), Arg::Nat(step)]
                    if step.sub(size).as_constant().is_none_or(|gap| gap < 0));
                self.call(&args[0], 1)?.times(if left_out && !overlap { &in_windows } else { all })
            }
            other if other.accumulates() => {
                let n = params.get(2)?.as_array()?.0;
                let step = self.call(&args[0], 2)?;
                let takes_none = [&step.float, &step.integer].into_iter().all(Nat::is_zero);
                let least = || Cost { float: Nat::constant(0), integer: self.least.clone() };
                if takes_none { least() } else { step }.times(n)
            }
            P::Generate => {
                let n = result.as_array()?.0.clone();
                self.call(&args[0], 1)?.times(&n)
            }
            P::MapFst | P::MapSnd => self.call(&args[0], 1)?,
            P::Let => self.call(&args[1], 1)?,
            other if other.is_numeric() || other.is_foreign() => operation(params.first()?),
            _ => Cost::none(),
        };
        Some((Meaning::Data, cost))
    }
}

fn operation(operand: &Type) -> Cost {
    let (lanes, scalar) = match operand.kind() {
        TypeKind::Vector(n, t) => (n.clone(), t.as_scalar()),
        TypeKind::Scalar(s) => (Nat::constant(1), Some(*s)),
        _ => (Nat::constant(1), None),
    };
    match scalar {
        Some(s) if s.is_float() => Cost { float: lanes, integer: Nat::constant(0) },
        Some(s) if s != Scalar::Bool => Cost { float: Nat::constant(0), integer: lanes },
        _ => Cost::none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{self as b};

    fn n(name: &str) -> Nat {
        Nat::var(name)
    }

    fn f32s(sizes: &[&str]) -> Type {
        sizes.iter().rev().fold(Type::f32(), |t, s| Type::array(n(s), t))
    }

    fn plus() -> Term {
        b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap()
    }

    #[test]
    fn matmul_takes_two_operations_a_product() {
        let pair = Type::pair(Type::f32(), Type::f32());
        let times = || b::lam("p", pair.clone(), |p| b::mul(b::fst(p.clone())?, b::snd(p)?)).unwrap();
        let matmul = b::lam2(("a", f32s(&["m", "k"])), ("b", f32s(&["k", "n"])), |a, mat| {
            let row = b::lam("row", f32s(&["k"]), |r| {
                let dot = b::lam("col", f32s(&["k"]), |col| {
                    b::reduce(plus(), b::f32(0.0), b::map(times(), b::zip(r, col)?)?)
                })?;
                b::map(dot, b::transpose(mat)?)
            })?;
            b::map(row, a)
        })
        .unwrap();
        let found = counts(&matmul).unwrap();
        assert_eq!(found.flops.to_string(), "2*k*m*n");
        assert_eq!(found.integer_operations, Nat::constant(0));
        assert_eq!(found.bytes_in, Nat::constant(4).mul(&n("k")).mul(&n("n").add(&n("m"))));
        assert_eq!(found.bytes_out.to_string(), "4*m*n");
        let at = of(&matmul, &crate::eval::sizes([("m", 10), ("n", 20), ("k", 30)]));
        assert_eq!(at, Work { flops: 12_000.0, integer_operations: 0.0, bytes: 4400.0 });
        let known = |sizes: &[(&str, i64)]| flops(&matmul, &crate::eval::sizes(sizes.iter().copied()));
        assert_eq!(known(&[("m", 10), ("n", 20), ("k", 30)]), Some(12_000.0));
        assert_eq!(known(&[("m", 10), ("n", 20)]), None);
    }

    #[test]
    fn what_a_function_is_given_in_part_is_computed_in_each_step() {
        let roots = |xs: Term| b::map(b::lam("x", Type::f32(), b::sqrt)?, xs);
        // `map (zip (map sqrt x)) rows` is `map (\r. zip (map sqrt x) r) rows`.
        let zip = b::pattern(Pattern::Zip, vec![], &[f32s(&["m"]), f32s(&["m"])]).unwrap();
        let in_part = b::lam2(("x", f32s(&["m"])), ("rows", f32s(&["n", "m"])), |x, rows| {
            b::map(b::app(zip.clone(), roots(x)?)?, rows)
        });
        let written = b::lam2(("x", f32s(&["m"])), ("rows", f32s(&["n", "m"])), |x, rows| {
            b::map(b::lam("r", f32s(&["m"]), |r| b::zip(roots(x.clone())?, r))?, rows)
        });
        for program in [in_part, written] {
            assert_eq!(counts(&program.unwrap()).unwrap().flops, n("m").mul(&n("n")));
        }
    }

    #[test]
    fn work_beyond_the_range_of_sizes_is_counted() {
        let deep = (0..6).fold(b::lam("x", Type::f32(), b::sqrt).unwrap(), |f, _| {
            let of = Type::array(n("n"), f.ty().as_fun().unwrap().0.clone());
            b::lam("xs", of, |xs| b::map(f.clone(), xs)).unwrap()
        });
        assert_eq!(of(&deep, &crate::eval::sizes([("n", 20_000)])).flops, 2e4_f64.powi(6));
    }

    #[test]
    fn a_reduction_that_only_compares_takes_its_steps_roughly() {
        let later = b::lam2(("x", Type::f32()), ("y", Type::f32()), |x, y| {
            let less = b::apply(Pattern::Lt, vec![], vec![y.clone(), x.clone()])?;
            b::apply(Pattern::Select, vec![], vec![less, y, x])
        });
        let row = b::lam("row", f32s(&["m"]), |row| b::reduce(later.unwrap(), b::f32(0.0), row)).unwrap();
        let rows = b::map(row, Term::var(0, f32s(&["n", "m"]))).unwrap();
        assert_eq!(roughly(&rows).unwrap(), n("m").mul(&n("n")));
        let program = Term::lam("a", f32s(&["n", "m"]), rows);
        assert_eq!(counts(&program).unwrap().flops, Nat::constant(0));
    }

    #[test]
    fn vectors_count_their_lanes_and_shared_values_once() {
        let four = Nat::constant(4);
        let v = Type::vector(four.clone(), Type::f32());
        let t = b::lam("xs", f32s(&["n"]), |xs| {
            let double = b::lam("x", v, |x| b::add(x.clone(), x))?;
            let ys = b::as_scalar(b::map_seq(double, b::as_vector(&four, xs)?)?)?;
            b::share("ys", ys, |ys| b::make_pair(ys.clone(), ys))
        });
        assert_eq!(counts(&t.unwrap()).unwrap().flops, n("n"));
        let i32s = Type::scalar(Scalar::I32);
        let t =
            b::lam("x", i32s, |x| b::generate(b::lam("i", Type::index(n("m")), |_| b::mul(x.clone(), x))?));
        let work = counts(&t.unwrap()).unwrap();
        assert_eq!((work.flops, work.integer_operations), (Nat::constant(0), n("m")));
    }

    #[test]
    fn of_a_choice_that_sizes_decide_one_side_counts() {
        let number = |n: Nat| Term::lit(Literal::Nat(n));
        let t = b::lam("x", Type::f32(), |x| {
            let few = b::apply(Pattern::Lt, vec![], vec![number(n("n")), number(Nat::constant(100))])?;
            let twice = b::add(b::mul(x.clone(), x.clone())?, x.clone())?;
            b::apply(Pattern::Select, vec![], vec![few, twice, x])
        })
        .unwrap();
        assert_eq!(counts(&t).unwrap().flops, Nat::constant(2));
        assert_eq!(of(&t, &crate::eval::sizes([("n", 99)])).flops, 2.0);
        assert_eq!(of(&t, &crate::eval::sizes([("n", 100)])).flops, 0.0);
    }

    #[test]
    fn what_unfolds_without_end_has_no_count() {
        let mut huge = b::lam("x", Type::f32(), |x| b::add(x, b::f32(1.0))).unwrap();
        for _ in 0..100 {
            huge = b::lam("x", Type::f32(), |x| b::app(huge.clone(), b::app(huge.clone(), x)?)).unwrap();
        }
        assert_eq!(counts(&huge), None);
    }
}
