//! What each pattern means, on small arrays, and evaluators against each other.

use super::*;
use crate::build::{self as b, Built};
use crate::diag::Diagnostic;
use crate::literal::Literal;
use crate::nat::Nat;
use crate::pattern::{AddressSpace, Pattern};
use crate::term::{Arg, Term};
use crate::ty::{Scalar, Type};
use crate::value::{Tolerance, Value};

fn c(n: i64) -> Nat {
    Nat::constant(n)
}

fn i32s() -> Type {
    Type::scalar(Scalar::I32)
}

fn number(n: i64) -> Term {
    b::number(n, Scalar::I32).unwrap()
}

/// `[from, from + 1, …]`, `n` elements.
fn count(n: i64, from: i64) -> Term {
    b::make_array((from..from + n).map(number).collect()).unwrap()
}

/// `[[0, 1, …], …]`
fn grid(rows: i64, columns: i64) -> Term {
    b::make_array((0..rows).map(|i| count(columns, i * columns)).collect()).unwrap()
}

fn index(i: i64, n: i64) -> Term {
    Term::lit(Literal::Index(c(i), c(n)))
}

/// Evaluates in every way there is, and shows the result.
fn evaluate(term: &Term, inputs: &[Value]) -> Result<Value, Diagnostic> {
    assert_eq!(term.check(), Ok(()));
    assert_eq!(b::check_patterns(term), Ok(()));
    let result = naive::run(term, &Sizes::new(), inputs, &Limits::TEST);
    match (&result, fast::run(&unfolded(term), &Sizes::new(), inputs, &Limits::TEST)) {
        (Ok(expected), fast::Outcome::Done(found)) => {
            assert_eq!(found.unwrap().to_string(), expected.to_string(), "{term:?}");
        }
        (Ok(_), fast::Outcome::GaveUp) => panic!("the fast evaluator gave up: {term:?}"),
        // Of several failures either may come first.
        (Err(_), fast::Outcome::Done(Err(_))) => {}
        // What is never used may stay uncomputed, and what does not fit is left to the naive evaluator.
        (Err(_), fast::Outcome::Done(Ok(_)) | fast::Outcome::GaveUp) => {}
    }
    let none = Sizes::new();
    let evaluator = Evaluator::of(term, &none, Arithmetic::MACHINE, &Limits::TEST);
    let again = [evaluator.run(inputs), evaluator.run(inputs)].map(|r| r.map(|v| v.to_string()).ok());
    let once = run(term, &none, inputs, &Limits::TEST).map(|v| v.to_string()).ok();
    assert_eq!(again, [once.clone(), once], "{term:?}");
    result
}

/// Named numbers, components and elements without a value are failures where something reads them.
#[test]
fn what_the_result_does_not_need_may_have_no_value() {
    let quotient = |x: Term| b::div(number(100), x);
    let guarded = |x: Term, y: Term| b::select(b::equal(x, number(0))?, number(7), b::mul(y.clone(), y)?);
    let programs: [(&str, Built); 4] = [
        ("named", b::lam("x", i32s(), |x| b::share("y", quotient(x.clone())?, |y| guarded(x, y)))),
        (
            "a name for what names it",
            b::lam("x", i32s(), |x| {
                b::share("y", quotient(x.clone())?, |y| {
                    b::share("u", b::add(y.clone(), y)?, |u| guarded(x, u))
                })
            }),
        ),
        (
            "a component",
            b::lam("x", i32s(), |x| {
                let pair = b::make_pair(x.clone(), quotient(x)?)?;
                b::share("p", pair, |p| guarded(b::fst(p.clone())?, b::snd(p)?))
            }),
        ),
        (
            "a component beside cells that may be undefined",
            b::lam("x", i32s(), |x| {
                let pair = b::make_pair(
                    b::pad_empty(&c(1), b::generate(b::lam("i", Type::index(c(2)), |_| Ok(x.clone()))?)?)?,
                    quotient(x.clone())?,
                )?;
                b::share("p", pair, |p| guarded(b::idx(index(0, 3), b::fst(p.clone())?)?, b::snd(p)?))
            }),
        ),
    ];
    for (name, program) in programs {
        let program = program.unwrap();
        let at =
            |x: i64| super::run(&program, &Sizes::new(), &[Value::Int(x.into(), Scalar::I32)], &Limits::TEST);
        assert_eq!(at(0).unwrap(), Value::Int(7, Scalar::I32), "{name}");
        assert!(at(2).is_ok(), "{name}");
        let strict = super::run_whole(&program, &Sizes::new(), &[Value::Int(0, Scalar::I32)], &Limits::TEST);
        assert!(failure::is_without_value(&strict.unwrap_err()), "{name}");
    }
    let read = b::share("y", quotient(number(0)).unwrap(), |y| b::add(y.clone(), y)).unwrap();
    assert!(failure::is_without_value(&super::run(&read, &Sizes::new(), &[], &Limits::TEST).unwrap_err()));
}

#[track_caller]
fn shows(term: Built, expected: &str) {
    let term = term.unwrap();
    assert_eq!(evaluate(&term, &[]).unwrap().to_string(), expected, "{term:?}");
}

#[track_caller]
fn fails(term: Built, message: &str) {
    let term = term.unwrap();
    assert_eq!(evaluate(&term, &[]).unwrap_err().message, message, "{term:?}");
}

fn double() -> Term {
    b::lam("x", i32s(), |x| b::add(x.clone(), x)).unwrap()
}

/// `[from, from + 1, …]` as one vector.
fn lanes(n: i64, from: i64) -> Term {
    b::idx(index(0, 1), b::as_vector(&c(n), count(n, from)).unwrap()).unwrap()
}

fn spread(n: i64, value: i64) -> Term {
    b::vector_from_scalar(&c(n), number(value)).unwrap()
}

#[test]
fn vectors_are_compared_and_chosen_lane_by_lane() {
    let below = |v: i64| b::lt(lanes(4, 0), spread(4, v)).unwrap();
    shows(Ok(below(2)), "<true, true, false, false>");
    shows(b::not(below(1)), "<false, true, true, true>");
    shows(b::and(below(3), b::not(below(1)).unwrap()), "<false, true, true, false>");
    shows(b::or(below(1), b::not(below(3)).unwrap()), "<true, false, false, true>");
    shows(b::equal(below(1), below(3)), "<true, false, false, true>");
    shows(b::select(below(2), lanes(4, 10), spread(4, 7)), "<10, 11, 7, 7>");
    // A single condition chooses between whole vectors.
    let one = Term::lit(Literal::Bool(false));
    shows(b::select(one, lanes(2, 0), spread(2, 7)), "<7, 7>");
    let nan = b::vector_from_scalar(&c(2), b::f32(f32::NAN)).unwrap();
    shows(b::apply(Pattern::NotEqual, vec![], vec![nan.clone(), nan.clone()]), "<true, true>");
    shows(b::apply(Pattern::Ge, vec![], vec![nan.clone(), nan]), "<false, false>");
}

#[test]
fn what_a_lane_does_not_choose_cannot_fail() {
    let zero = || b::equal(lanes(3, 0), spread(3, 0)).unwrap();
    let quotients = || b::div(spread(3, 12), lanes(3, 0)).unwrap();
    shows(b::select(zero(), spread(3, -1), quotients()), "<-1, 12, 6>");
    shows(b::select(b::not(zero()).unwrap(), quotients(), spread(3, -1)), "<-1, 12, 6>");
    // As `and` and `or` do.
    let large = || b::gt(quotients(), spread(3, 6)).unwrap();
    shows(b::or(zero(), large()), "<true, true, false>");
    // Inside another choice.
    let inner = b::select(large(), spread(3, 1), spread(3, 2)).unwrap();
    shows(b::select(zero(), spread(3, -1), inner), "<-1, 1, 2>");
    fails(
        b::select(b::not(zero()).unwrap(), spread(3, -1), quotients()),
        "`div` divides an integer by zero.",
    );
}

#[test]
fn undefined_lanes_stay_undefined() {
    let padded = b::pad_empty(&c(2), count(2, 0)).unwrap();
    let v = b::idx(index(0, 1), b::as_vector(&c(4), padded).unwrap()).unwrap();
    let below = b::lt(v.clone(), spread(4, 1)).unwrap();
    shows(Ok(below.clone()), "<true, false, undefined, undefined>");
    shows(b::select(below, spread(4, 5), v), "<5, 1, undefined, undefined>");
}

#[test]
fn maps() {
    let all = [
        (Pattern::Map, vec![]),
        (Pattern::MapSeq, vec![]),
        (Pattern::MapSeqUnroll, vec![]),
        (Pattern::MapStream, vec![]),
        (Pattern::IterateStream, vec![]),
        (Pattern::MapPar, vec![]),
        (Pattern::MapGlobal, vec![Arg::Dim(0)]),
        (Pattern::MapWorkGroup, vec![Arg::Dim(1)]),
        (Pattern::MapLocal, vec![Arg::Dim(2)]),
    ];
    for (pattern, args) in all {
        shows(b::apply(pattern, args.clone(), vec![double(), count(3, 1)]), "[2, 4, 6]");
        let nested = b::partial(pattern, args, vec![double()], &[Type::array(c(2), i32s())]).unwrap();
        shows(b::map(nested, grid(2, 2)), "[[0, 2], [4, 6]]");
    }
    shows(b::map_fst(double(), b::make_pair(number(1), number(2)).unwrap()), "(2, 2)");
    shows(b::map_snd(double(), b::make_pair(number(1), number(2)).unwrap()), "(1, 4)");
}

#[test]
fn reductions_run_from_the_left() {
    let minus = b::pattern(Pattern::Sub, vec![], &[i32s(), i32s()]).unwrap();
    let private = || vec![Arg::Addr(AddressSpace::Private)];
    for (pattern, args) in
        [(Pattern::Reduce, vec![]), (Pattern::ReduceSeq, private()), (Pattern::ReduceSeqUnroll, private())]
    {
        shows(b::apply(pattern, args, vec![minus.clone(), number(10), count(3, 1)]), "4");
    }
    for (parts, result) in [(1, "14"), (2, "8"), (3, "4"), (9, "4")] {
        let args = vec![Arg::Nat(c(parts)), Arg::Dim(0)];
        shows(b::apply(Pattern::ReduceLocal, args, vec![minus.clone(), number(10), count(3, 1)]), result);
    }
    // The first argument of a scan's operator is the element.
    shows(b::scan_seq(minus.clone(), number(10), count(3, 1)), "[-9, 11, -8]");
    shows(b::reduce_seq(minus, number(10), b::take(&c(0), count(2, 1)).unwrap()), "10");
    // An accumulator that is an array, read where it is written.
    let ty = Type::array(c(3), i32s());
    let rotate = b::lam2(("acc", ty.clone()), ("x", i32s()), |acc, x| {
        b::concat(b::drop(&c(1), acc)?, b::make_array(vec![x])?)
    });
    shows(b::reduce_seq(rotate.unwrap(), count(3, 100), count(2, 1)), "[102, 1, 2]");
    let pair = Type::pair(i32s(), i32s());
    let swap = b::lam2(("acc", pair), ("x", i32s()), |acc, x| {
        b::make_pair(b::snd(acc.clone())?, b::add(b::fst(acc)?, x)?)
    });
    shows(
        b::reduce_seq(swap.unwrap(), b::make_pair(number(10), number(20)).unwrap(), count(3, 1)),
        "(22, 14)",
    );
}

#[test]
fn layout() {
    shows(b::split(&c(2), count(4, 0)), "[[0, 1], [2, 3]]");
    shows(b::join(grid(2, 3)), "[0, 1, 2, 3, 4, 5]");
    shows(b::transpose(grid(2, 3)), "[[0, 3], [1, 4], [2, 5]]");
    shows(b::transpose(b::transpose(grid(2, 3)).unwrap()), "[[0, 1, 2], [3, 4, 5]]");
    shows(b::transpose(b::take(&c(0), grid(2, 3)).unwrap()), "[[], [], []]");
    shows(b::slide(&c(3), &c(1), count(5, 0)), "[[0, 1, 2], [1, 2, 3], [2, 3, 4]]");
    shows(b::slide(&c(3), &c(2), count(5, 0)), "[[0, 1, 2], [2, 3, 4]]");
    shows(b::zip(count(2, 0), count(2, 5)), "[(0, 5), (1, 6)]");
    shows(b::unzip(b::zip(count(2, 0), count(2, 5)).unwrap()), "([0, 1], [5, 6])");
    shows(b::take(&c(2), count(5, 0)), "[0, 1]");
    shows(b::drop(&c(2), count(5, 0)), "[2, 3, 4]");
    shows(b::concat(count(2, 0), count(3, 7)), "[0, 1, 7, 8, 9]");
    shows(b::pad_cst(&c(1), &c(2), number(9), count(2, 0)), "[9, 0, 1, 9, 9]");
    shows(b::pad_clamp(&c(1), &c(2), count(2, 0)), "[0, 0, 1, 1, 1]");
    shows(b::pad_empty(&c(2), count(1, 0)), "[0, undefined, undefined]");
    shows(b::pad_empty(&c(1), grid(1, 2)), "[[0, 1], [undefined, undefined]]");
    fails(
        b::split(&c(3), count(4, 0)),
        "`split` cannot be evaluated at these sizes: 4 elements cannot be split into chunks of 3.",
    );
    fails(
        b::slide(&c(3), &c(2), count(4, 0)),
        "`slide` cannot be evaluated at these sizes: 4 elements cannot be covered by windows of 3 with steps of 2.",
    );
    let circular = |alloc, step, length| {
        let args =
            vec![Arg::Addr(AddressSpace::Global), Arg::Nat(c(alloc)), Arg::Nat(c(2)), Arg::Nat(c(step))];
        b::apply(Pattern::CircularBuffer, args, vec![double(), count(length, 0)])
    };
    shows(circular(2, 1, 3), "[[0, 2], [2, 4]]");
    shows(circular(3, 2, 4), "[[0, 2], [4, 6]]");
    shows(circular(2, 3, 5), "[[0, 2], [6, 8]]");
    fails(
        circular(2, 2, 3),
        "`circularBuffer` cannot be evaluated at these sizes: 3 elements cannot be covered by windows of 2 with steps of 2.",
    );
    fails(
        circular(1, 1, 3),
        "`circularBuffer` cannot be evaluated at these sizes: 1 elements cannot hold windows of 2.",
    );
    let rotating = |size, step, length| {
        let args = vec![Arg::Addr(AddressSpace::Private), Arg::Nat(c(size)), Arg::Nat(c(step))];
        b::apply(Pattern::RotateValues, args, vec![double(), count(length, 0)])
    };
    shows(rotating(2, 1, 3), "[[0, 2], [2, 4]]");
    shows(rotating(3, 2, 5), "[[0, 2, 4], [4, 6, 8]]");
    shows(rotating(1, 2, 3), "[[0], [4]]");
}

#[test]
fn indices() {
    let squares = b::lam("i", Type::index(c(4)), |i| {
        let i = b::index_as_nat(i)?;
        b::mul(i.clone(), i)
    });
    shows(b::generate(squares.unwrap()), "[0, 1, 4, 9]");
    shows(b::idx(index(2, 3), count(3, 5)), "7");
    let at = |i: i64| b::idx(b::nat_as_index(&c(3), Term::lit(Literal::Nat(c(i))))?, count(3, 5));
    shows(at(1), "6");
    fails(at(3), "`natAsIndex` accesses element 3 of 3 elements.");
    let indices = |is: &[i64], n| b::make_array(is.iter().map(|i| index(*i, n)).collect()).unwrap();
    shows(b::gather(indices(&[2, 0, 0, 1], 3), count(3, 5)), "[7, 5, 5, 6]");
    shows(b::scatter(indices(&[2, 0, 1], 3), count(3, 5)), "[6, 7, 5]");
    shows(b::scatter(indices(&[3, 0], 4), count(2, 5)), "[6, undefined, undefined, 5]");
    fails(b::scatter(indices(&[1, 1], 2), count(2, 5)), "`scatter` writes element 1 twice.");
    // Only what is selected is evaluated.
    let guarded = b::lam("i", Type::index(c(3)), |i| {
        let next = b::add(b::index_as_nat(i)?, Term::lit(Literal::Nat(c(1))))?;
        let inside = b::lt(next.clone(), Term::lit(Literal::Nat(c(3))))?;
        b::select(inside, b::idx(b::nat_as_index(&c(3), next)?, count(3, 5))?, number(-1))
    });
    shows(b::generate(guarded.unwrap()), "[6, 7, -1]");
}

#[test]
fn scalars() {
    let truth = |t: bool| Term::lit(Literal::Bool(t));
    shows(b::select(truth(true), number(1), number(2)), "1");
    shows(b::select(b::not(truth(true)).unwrap(), number(1), number(2)), "2");
    shows(b::gt(number(2), number(1)), "true");
    shows(b::lt(number(2), number(1)), "false");
    shows(b::equal(number(2), number(2)), "true");
    shows(b::neg(number(2)), "-2");
    shows(b::abs(number(-2)), "2");
    shows(b::min(number(3), number(-2)), "-2");
    shows(b::max(number(3), number(-2)), "3");
    shows(b::div(number(-7), number(2)), "-3");
    shows(b::modulo(number(-7), number(2)), "-1");
    fails(b::div(number(1), number(0)), "`div` divides an integer by zero.");
    shows(b::sqrt(b::f32(2.0)), "1.4142135");
    shows(b::cast(Type::f32(), number(3)), "3.0");
    shows(b::cast(i32s(), b::f32(-3.7)), "-3");
    shows(b::cast(Type::nat_type(), b::f32(-3.7)), "-3");
    shows(b::cast(Type::nat_type(), b::f32(f32::NAN)), "0");
    shows(b::cast(Type::nat_type(), b::f32(f32::INFINITY)), "9223372036854775807");
    shows(b::cast(Type::nat_type(), truth(true)), "1");
    shows(b::id(number(3)), "3");
    shows(b::exp(b::f32(0.0)), "1.0");
    shows(b::log(b::f32(1.0)), "0.0");
    shows(b::sin(b::f32(0.0)), "0.0");
    shows(b::cos(b::f32(0.0)), "1.0");
    shows(b::fst(b::make_pair(number(1), truth(false)).unwrap()), "1");
    shows(b::snd(b::make_pair(number(1), truth(false)).unwrap()), "false");
    shows(b::to_mem(AddressSpace::Local, number(3)), "3");
    let args = (1..7).map(|i| Arg::Nat(c(i))).collect();
    shows(b::apply(Pattern::OclRun, args, vec![number(3)]), "3");
    shows(b::let_in(number(3), double()), "6");
    shows(b::share("x", number(3), |x| b::mul(x.clone(), x)), "9");
}

/// The least number of a signed type has no quotient by -1, in either evaluator.
#[test]
fn quotients_fit_their_type() {
    for scalar in Scalar::ALL.into_iter().filter(|s| s.is_signed_integer()) {
        let least = Value::int(1i128 << (8 * scalar.bytes() - 1), scalar);
        let ty = Type::scalar(scalar);
        let term = b::lam2(("x", ty.clone()), ("y", ty), b::div).unwrap();
        let ends = |y: i128| {
            let inputs = [least.clone(), Value::int(y, scalar)];
            let naive = naive::run(&term, &Sizes::new(), &inputs, &Limits::TEST);
            let fast::Outcome::Done(fast) = fast::run(&term, &Sizes::new(), &inputs, &Limits::TEST) else {
                panic!("the fast evaluator gave up")
            };
            [naive, fast].map(|result| result.map_err(|d| d.code))
        };
        assert_eq!(ends(-1), [Err("E0193"), Err("E0193")]);
        assert_eq!(ends(1), [Ok(least.clone()), Ok(least.clone())]);
    }
}

/// Plain numbers do not wrap around: what is too large for them has no value, in either evaluator.
#[test]
fn plain_numbers_have_no_value_beyond_their_type() {
    let ty = Type::nat_type();
    let ends = |op: fn(Term, Term) -> b::Built, x: i64, y: i64| {
        let term = b::lam2(("x", ty.clone()), ("y", ty.clone()), op).unwrap();
        let inputs = [Value::Nat(x), Value::Nat(y)];
        let naive = naive::run(&term, &Sizes::new(), &inputs, &Limits::TEST);
        let fast::Outcome::Done(fast) = fast::run(&term, &Sizes::new(), &inputs, &Limits::TEST) else {
            panic!("the fast evaluator gave up")
        };
        [naive, fast].map(|result| result.map_err(|d| d.code))
    };
    for (op, x, y) in [
        (b::add as fn(Term, Term) -> b::Built, i64::MAX, 1),
        (b::sub, i64::MIN, 1),
        (b::mul, 1 << 62, 2),
        (b::div, i64::MIN, -1),
    ] {
        assert_eq!(ends(op, x, y), [Err("E0187"), Err("E0187")]);
    }
    assert_eq!(ends(b::mul, 1 << 61, 2), [Ok(Value::Nat(1 << 62)), Ok(Value::Nat(1 << 62))]);
    // So it is of positions, which are computed in one step.
    let large = |i: Term| {
        let next = b::add(b::apply(Pattern::IndexAsNat, vec![], vec![i])?, Term::lit(Literal::Nat(c(1))))?;
        b::mul(next, Term::lit(Literal::Nat(c(1 << 62))))
    };
    let made = |n: i64| {
        let f = b::lam("i", Type::index(c(n)), large).unwrap();
        let term = b::generate(f).unwrap();
        super::run(&term, &Sizes::new(), &[], &Limits::TEST).map_err(|d| d.code)
    };
    assert_eq!(made(1), Ok(Value::array(vec![Value::Nat(1 << 62)])));
    assert_eq!(made(2), Err("E0187"));
}

#[test]
fn vectors() {
    let v = |n| b::vector_from_scalar(&c(2), number(n)).unwrap();
    shows(b::as_vector(&c(2), count(4, 0)), "[<0, 1>, <2, 3>]");
    shows(b::as_vector_aligned(&c(2), count(4, 0)), "[<0, 1>, <2, 3>]");
    shows(b::as_scalar(b::as_vector(&c(2), count(4, 0)).unwrap()), "[0, 1, 2, 3]");
    let add = b::lam("x", Type::vector(c(2), i32s()), |x| b::add(x, v(10))).unwrap();
    shows(b::map(add, b::as_vector(&c(2), count(4, 0)).unwrap()), "[<10, 11>, <12, 13>]");
    shows(b::neg(v(3)), "<-3, -3>");
    let sum = b::pattern(Pattern::Add, vec![], &[v(0).ty().clone(), v(0).ty().clone()]).unwrap();
    shows(b::reduce_seq(sum, v(1), b::as_vector(&c(2), count(4, 0)).unwrap()), "<3, 5>");
}

#[test]
fn undefined_cells_spread_and_no_further() {
    let padded = || b::pad_empty(&c(1), count(2, 1)).unwrap();
    shows(b::map(double(), padded()), "[2, 4, undefined]");
    shows(b::take(&c(2), b::map(double(), padded()).unwrap()), "[2, 4]");
    let plus = b::pattern(Pattern::Add, vec![], &[i32s(), i32s()]).unwrap();
    shows(b::reduce_seq(plus.clone(), number(0), padded()), "undefined");
    shows(b::reduce_seq(plus, number(0), b::take(&c(2), padded()).unwrap()), "3");
    let first = b::lam2(("a", i32s()), ("x", i32s()), |a, _| Ok(a)).unwrap();
    shows(b::reduce_seq(first, number(7), padded()), "7");
    let positive = b::lam("x", i32s(), |x| b::select(b::gt(x, number(1))?, number(1), number(0))).unwrap();
    shows(b::map(positive, padded()), "[0, 1, undefined]");
    shows(b::zip(padded(), count(3, 0)), "[(1, 0), (2, 1), (undefined, 2)]");
}

#[test]
fn sizes_come_from_the_table() {
    let xs = Type::array(Nat::var("n"), Type::f32());
    let term = b::lam("xs", xs, |xs| b::join(b::split(&Nat::var("n").exact_div(&c(2)), xs)?)).unwrap();
    let input = |n: usize| Value::array((0..n).map(|i| Value::F32(i as f32)).collect());
    let run = |n: i64, given: usize| naive::run(&term, &sizes([("n", n)]), &[input(given)], &Limits::TEST);
    assert_eq!(run(4, 4).unwrap(), input(4));
    assert_eq!(run(4, 5).unwrap_err().code, "E0190");
    let why = run(3, 3).unwrap_err();
    assert_eq!(why.code, "E0191");
    assert!(why.message.contains("remainder"), "{}", why.message);
    let unknown = naive::run(&term, &Sizes::new(), &[input(4)], &Limits::TEST).unwrap_err();
    assert_eq!(unknown.code, "E0190");
    assert_eq!(naive::run(&term, &sizes([("n", 4)]), &[], &Limits::TEST).unwrap_err().code, "E0190");
}

#[test]
fn evaluation_ends() {
    let n = c(1 << 20);
    let zeros = b::generate(b::lam("i", Type::index(n), |_| Ok(number(0))).unwrap()).unwrap();
    let limits = Limits { steps: 1000, ..Limits::TEST };
    assert_eq!(naive::run(&zeros, &Sizes::new(), &[], &limits).unwrap_err().code, "E0194");
    let limits = Limits { elements: 1000, ..Limits::TEST };
    assert_eq!(naive::run(&zeros, &Sizes::new(), &[], &limits).unwrap_err().code, "E0198");
    let stop = AtomicBool::new(true);
    let limits = Limits { cancel: Some(&stop), ..Limits::TEST };
    assert_eq!(naive::run(&zeros, &Sizes::new(), &[], &limits).unwrap_err().code, "E0195");
}

#[test]
fn deep_nesting_is_no_danger() {
    let mut term = number(0);
    for _ in 0..crate::MAX_DEPTH {
        term = b::share("x", term, |x| b::add(x, number(1))).unwrap();
    }
    let on_a_small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let shared = term.clone();
    let result = on_a_small_stack.spawn(move || evaluate_naively(&shared)).unwrap().join().unwrap();
    assert_eq!(result, "400");
}

fn evaluate_naively(term: &Term) -> String {
    naive::run(term, &Sizes::new(), &[], &Limits::TEST).unwrap().to_string()
}

#[test]
fn tolerance_is_for_floats() {
    assert!(number_value(1).agrees(&number_value(1), Tolerance::Exact).is_ok());
    assert!(
        number_value(1).agrees(&number_value(2), Tolerance::Relative { relative: 9.0, floor: 9.0 }).is_err()
    );
}

fn number_value(n: i128) -> Value {
    Value::Int(n, Scalar::I32)
}

fn random_program(seed: u64) {
    let mut draw = crate::arbitrary::Draw::new(seed);
    draw.holes = seed.is_multiple_of(4);
    let term = draw.program(2 + (seed % 5) as u32);
    let none = Sizes::new();
    for kind in [inputs::Kind::SmallIntegers, inputs::Kind::Edges] {
        let inputs = inputs::for_program(term.ty(), &none, seed, kind).unwrap();
        let _ = evaluate(&term, &inputs);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn both_evaluators_agree(seed: u64) {
        random_program(seed);
    }
}

/// A division by a number that is known cannot fail, so that lanes need not be chosen first. Found by chance.
#[test]
fn lanes_that_divide_by_a_known_number_are_fast() {
    random_program(15_983_162_056_796_606_044);
}

/// An evaluator keeps nothing of one input when it is run on the next, undefined cells included.
#[test]
fn an_evaluator_forgets_its_inputs() {
    let sums = b::lam("x", i32s(), |x| b::add(x.clone(), x)).unwrap();
    let plus = b::pattern(Pattern::Add, vec![], &[i32s(), i32s()]).unwrap();
    let array = Type::array(c(3), i32s());
    let term = b::lam("xs", array, |xs| {
        let doubled = b::map(sums.clone(), xs.clone())?;
        b::make_pair(doubled.clone(), b::reduce_seq(plus.clone(), number(0), doubled)?)
    });
    let (term, none) = (term.unwrap(), Sizes::new());
    let evaluator = Evaluator::of(&term, &none, Arithmetic::MACHINE, &Limits::TEST);
    let int = |v| Value::int(v, Scalar::I32);
    let inputs = [
        Value::array(vec![int(1), int(2), int(3)]),
        Value::array(vec![Value::Undefined, int(5), int(7)]),
        Value::array(vec![int(-4), int(0), int(2)]),
        Value::array(vec![int(1), Value::Undefined, Value::Undefined]),
    ];
    let shown = ["([2, 4, 6], 12)", "([undefined, 10, 14], undefined)", "([-8, 0, 4], -4)"];
    for (input, expected) in inputs.iter().zip(shown).chain(inputs.iter().zip(shown)) {
        assert_eq!(evaluator.run(std::slice::from_ref(input)).unwrap().to_string(), expected);
    }
    let mut inputs_of_another_type = inputs.to_vec();
    assert!(evaluator.run(&inputs_of_another_type.split_off(2)).is_err(), "two inputs for one parameter");
}
