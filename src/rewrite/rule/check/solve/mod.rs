//! Solving what a rule compares ([`Compared`]) for its scalars: numbers at which the two sides may differ.
//!
//! Each comparison by itself (`one`): operations are taken back (`undo`) one after the other, in the arithmetic of their
//! type (the `x` of `x * 7 == 5` that wraps around), again and again where the unknown occurs more than once. Integers are
//! found bit by bit as well (`lifted`). Between two
//! numbers of which one is below and one is above the border, halving finds it, as of anything that grows. And types of
//! eight bits have no more than 256 values. Then several at once (`several`), as a rule may be wrong where all of them
//! hold and nowhere else.

mod fractions;
mod lifted;
mod numbers;
mod one;
mod several;
mod undo;
mod wrapped;

use super::border::{Border, Compared, Place};
use crate::lang::eval::Arithmetic;
use crate::lang::eval::inputs::Rng;
use crate::lang::ty::Scalar;
use crate::lang::value::Value;
use numbers::number;
pub(super) use numbers::{all_of, compared};
use one::OneUnknown;
use several::Several;
use std::cell::RefCell;

/// Values for some unknowns: for a part of the inputs, or for what no input is.
pub(super) type Solution = Vec<(Option<Place>, Value)>;

/// Values of the unknowns at which what is compared is equal, or next to it.
#[derive(Clone, Default)]
pub(super) struct Solutions {
    /// Of one comparison each.
    pub each: Vec<Solution>,
    /// Of several at once; where numbers are not rounded, of one as well.
    pub together: Vec<Solution>,
}

impl Solutions {
    pub fn is_empty(&self) -> bool {
        self.each.is_empty() && self.together.is_empty()
    }
}

/// So often is each border solved for each unknown, with other values for the other unknowns.
const ROUNDS: usize = 3;

/// So many unknowns of a border are solved for.
const MOST_UNKNOWNS: usize = 4;

/// So many borders are remembered.
const MOST_REMEMBERED: usize = 64;

/// Of one rule no more instances' borders are solved together: what is drawn for its variables may compare as well, and
/// has its own.
const MOST_TOGETHER: usize = 16;

/// A comparison with its unknowns numbered from zero, and their types.
type Equation = (Border, Vec<Scalar>);

/// Borders that are solved, once each: the instances of a rule compare the same again and again.
pub(super) struct Solver {
    /// What the sides of the rule are computed in.
    arithmetic: Arithmetic,
    each: RefCell<Vec<(Equation, Vec<Vec<Value>>)>>,
    together: RefCell<Vec<(Compared, Vec<Vec<Value>>)>>,
}

impl Solver {
    pub fn of(arithmetic: Arithmetic) -> Solver {
        Solver { arithmetic, each: RefCell::default(), together: RefCell::default() }
    }

    pub fn solutions(&self, all: &Compared) -> Solutions {
        let place = |unknown: usize| all.unknowns[unknown].place.clone();
        let mut each: Vec<Solution> = vec![];
        for border in all.borders.iter().chain(&all.rounded) {
            let used: Vec<usize> = (0..all.unknowns.len()).filter(|i| border.has(*i)).collect();
            let renumbered = border.renumbered(&|i| used.iter().position(|u| *u == i).unwrap_or(0));
            let scalars = used.iter().map(|i| all.unknowns[*i].scalar).collect();
            for values in self.of_one((renumbered, scalars)) {
                each.push(used.iter().map(|i| place(*i)).zip(values).collect());
            }
        }
        let places = || (0..all.unknowns.len()).map(place);
        let together = self.of_all(all).into_iter().map(|values| places().zip(values).collect()).collect();
        Solutions { each, together }
    }

    fn of_one(&self, equation: Equation) -> Vec<Vec<Value>> {
        let mut solved = self.each.borrow_mut();
        if let Some((_, known)) = solved.iter().find(|(known, _)| *known == equation) {
            return known.clone();
        }
        if solved.len() >= MOST_REMEMBERED {
            solved.clear();
        }
        let found = solve(&equation);
        solved.push((equation, found.clone()));
        found
    }

    fn of_all(&self, all: &Compared) -> Vec<Vec<Value>> {
        let mut solved = self.together.borrow_mut();
        if let Some((_, known)) = solved.iter().find(|(known, _)| known == all) {
            return known.clone();
        }
        if solved.len() >= MOST_TOGETHER {
            return vec![];
        }
        let found = Several::of(all, self.arithmetic).solve();
        solved.push((all.clone(), found.clone()));
        found
    }
}

fn solve((border, scalars): &Equation) -> Vec<Vec<Value>> {
    let mut rng = Rng::new(0x3c6e_f372_fe94_f82b);
    let mut found: Vec<Vec<Value>> = vec![];
    // One unknown is solved for once.
    let rounds = if scalars.len() == 1 { 1 } else { ROUNDS };
    for round in 0..rounds {
        for unknown in 0..scalars.len().min(MOST_UNKNOWNS) {
            let values = scalars.iter().map(|s| small(*s, round, &mut rng)).collect();
            let one = OneUnknown { border, unknown, scalar: scalars[unknown], values };
            for solution in one.solve(&mut rng) {
                if !found.contains(&solution) {
                    found.push(solution);
                }
            }
        }
    }
    if scalars.len() > 1 {
        let start: Vec<Value> = scalars.iter().map(|s| small(*s, 0, &mut rng)).collect();
        let all: Vec<usize> = (0..scalars.len()).collect();
        found.extend(lifted::solve(&[(border, 0)], &all, scalars, &start, &mut rng));
    }
    found
}

/// A small value, for what is not solved for and to begin with.
fn small(s: Scalar, round: usize, rng: &mut Rng) -> Value {
    let small = if round == 0 { 1 + rng.below(3) } else { rng.below(17) } as i128;
    number(small, s).unwrap_or(Value::Bool(rng.below(2) == 0))
}

#[cfg(test)]
mod tests {
    use super::super::border::compared_in;
    use super::*;
    use crate::lang::build as b;
    use crate::lang::eval::Sizes;
    use crate::lang::literal::Literal;
    use crate::lang::pattern::Pattern as P;
    use crate::lang::term::Term;
    use crate::lang::ty::Type;

    fn op(p: P, x: Term, y: Term) -> Term {
        b::apply(p, vec![], vec![x, y]).unwrap()
    }

    fn constant(s: Scalar) -> impl Fn(f64) -> Term {
        move |v| {
            Term::lit(if s.is_float() { Literal::Float(v.to_bits(), s) } else { Literal::Int(v as i128, s) })
        }
    }

    /// What is found for `\x. LEFT == number`, of a scalar type.
    fn found(s: Scalar, left: impl Fn(Term, &dyn Fn(f64) -> Term) -> Term, number: f64) -> Vec<String> {
        let constant = constant(s);
        let x = Term::var(0, Type::scalar(s));
        let test = op(P::Equal, left(x, &constant), constant(number));
        let all = compared_in(&[&Term::lam("x", Type::scalar(s), test)], &Sizes::new());
        assert_eq!(all.borders.len(), 1);
        let solutions = Solver::of(Arithmetic::MACHINE).solutions(&all).each;
        solutions.into_iter().flatten().map(|(_, v)| v.to_string()).collect()
    }

    #[test]
    fn equations_are_solved() {
        // Where it wraps around.
        let seven = found(Scalar::I32, |x, c| op(P::Mul, x, c(7.0)), 5.0);
        assert!(
            seven.contains(&"-1227133512".to_owned()) || seven.contains(&"-1840700269".to_owned()),
            "{seven:?}"
        );
        let away = found(Scalar::I32, |x, c| op(P::Mul, op(P::Sub, x, c(1000.0)), c(3.0)), 54321.0);
        assert!(away.contains(&"19107".to_owned()), "{away:?}");
        let scrambled =
            found(Scalar::I32, |x, c| op(P::BitXor, x.clone(), op(P::ShiftLeft, x, c(13.0))), 77777.0);
        assert!(!scrambled.is_empty());
        let quarter = found(Scalar::F32, |x, c| op(P::Mul, x, c(4.0)), 51.0);
        assert!(quarter.contains(&"12.75".to_owned()), "{quarter:?}");
        let half = found(Scalar::F16, |x, c| op(P::Mul, x, c(3.0)), 7.0);
        assert!(half.contains(&"2.3339844".to_owned()), "{half:?}");
        let square = found(Scalar::F64, |x, _| op(P::Mul, x.clone(), x), 1522756.0);
        assert!(square.contains(&"1234.0".to_owned()), "{square:?}");
    }

    /// What is found together for `\a b. TEST`, of a scalar type: values of `a` and `b`.
    fn together(
        s: Scalar,
        exact: bool,
        test: impl Fn(Term, Term, &dyn Fn(f64) -> Term) -> Term,
    ) -> Vec<Vec<String>> {
        let ty = Type::scalar(s);
        let body = test(Term::var(1, ty.clone()), Term::var(0, ty.clone()), &constant(s));
        let all = compared_in(&[&Term::lam("a", ty.clone(), Term::lam("b", ty, body))], &Sizes::new());
        let solutions = Solver::of(Arithmetic { exact, finite: false }).solutions(&all).together;
        let value = |solution: &Solution, parameter: usize| {
            let of = |(place, _): &&(Option<Place>, Value)| {
                place.as_ref().is_some_and(|p| p.parameter == parameter)
            };
            solution.iter().find(of).map_or_else(String::new, |(_, v)| v.to_string())
        };
        solutions.iter().map(|solution| vec![value(solution, 0), value(solution, 1)]).collect()
    }

    #[test]
    fn several_equations_are_solved_at_once() {
        let and = |x: Term, y: Term| op(P::And, x, y);
        let equal = |x: Term, y: Term| op(P::Equal, x, y);
        let has = |found: Vec<Vec<String>>, a: &str, b: &str| {
            assert!(found.contains(&vec![a.to_owned(), b.to_owned()]), "{a}, {b}: {found:?}");
        };
        // Linear, and with no solution but one that wraps around.
        let linear = together(Scalar::I32, false, |a, b, c| {
            let (sum, difference) = (op(P::Add, a.clone(), b.clone()), op(P::Sub, a, b));
            and(equal(sum, c(77777.0)), equal(difference, c(11111.0)))
        });
        has(linear, "44444", "33333");
        let wrapped = together(Scalar::U8, false, |a, b, c| {
            let first = op(P::Add, op(P::Mul, a.clone(), c(7.0)), op(P::Mul, b.clone(), c(3.0)));
            and(equal(first, c(5.0)), equal(op(P::Sub, op(P::Mul, a, c(2.0)), b), c(9.0)))
        });
        // 13 a is 32, and 197 is the inverse of 13.
        has(wrapped, "160", "55");
        // Curved.
        let factors = together(Scalar::I64, false, |a, b, c| {
            let product = op(P::Mul, a.clone(), b.clone());
            and(equal(product, c(391.0)), equal(op(P::Add, a, b), c(40.0)))
        });
        assert!(
            factors.iter().any(|f| f.contains(&"17".to_owned()) && f.contains(&"23".to_owned())),
            "{factors:?}"
        );
        // Remainders by two primes: 5 + 9973 * 2693.
        let remainders = together(Scalar::I32, false, |a, b, c| {
            let rest = |by: f64| op(P::Mod, a.clone(), c(by));
            and(and(equal(rest(9973.0), c(5.0)), equal(rest(7919.0), c(7.0))), equal(b, c(3.0)))
        });
        assert!(
            remainders.iter().any(|r| {
                let a: i64 = r[0].parse().unwrap();
                a % 9973 == 5 && a % 7919 == 7 && r[1] == "3"
            }),
            "{remainders:?}"
        );
        // Intervals of few floats.
        let intervals = together(Scalar::F32, false, |a, b, c| {
            let within =
                |x: Term, low: f64, high: f64| and(op(P::Gt, x.clone(), c(low)), op(P::Lt, x, c(high)));
            and(within(a, 1.5, 1.5000002), within(b, 2.5, 2.5000005))
        });
        has(intervals, "1.5000001", "2.5000002");
        // No float is a seventh.
        let sevenths = together(Scalar::F32, true, |a, b, c| {
            and(equal(op(P::Mul, a, c(7.0)), c(3.0)), equal(b, c(1.0)))
        });
        has(sevenths, "3/7", "1.0");
    }
}
