//! Operators for the rules that ask for properties of one. For every set of properties there are operators that have
//! these and no others, so that a rule that needs more than it asks for is found out; and those that the user declares.

use super::property::has_roots;
use super::rows::{ROWS, ROWS_OF_TRUTH, Row, disturbed, scalar};
use crate::lang::build as b;
use crate::lang::eval::inputs::Rng;
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::rule::Properties;
use crate::rule::condition::Condition;
use crate::rule::equation::Equation;
use std::sync::LazyLock;

/// What is asked of an operator, or known of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Has {
    pub associative: bool,
    pub commutative: bool,
    pub neutral: bool,
    pub idempotent: bool,
}

impl Has {
    /// What the conditions of an equation ask of a variable.
    pub fn asked(eq: &Equation, variable: usize) -> Has {
        let mut has = Has::default();
        for c in &eq.conditions {
            match c {
                Condition::Assoc(f) if *f == variable => has.associative = true,
                Condition::Commutative(f) if *f == variable => has.commutative = true,
                Condition::Neutral(f, _) if *f == variable => has.neutral = true,
                Condition::Idempotent(f) if *f == variable => has.idempotent = true,
                _ => {}
            }
        }
        has
    }

    fn covers(self, asked: Has) -> bool {
        (self.associative || !asked.associative)
            && (self.commutative || !asked.commutative)
            && (self.neutral || !asked.neutral)
            && (self.idempotent || !asked.idempotent)
    }
}

/// A closed operator and what is known of it.
#[derive(Clone)]
pub(super) struct Operator {
    pub op: Term,
    /// Neutral on both sides.
    pub neutral: Option<Term>,
    associative: bool,
    commutative: bool,
    idempotent: bool,
    /// It is another one of the table but for rounding.
    rounds: bool,
}

impl Operator {
    fn has(&self) -> Has {
        let Operator { associative, commutative, idempotent, .. } = *self;
        Has { associative, commutative, neutral: self.neutral.is_some(), idempotent }
    }

    /// Is it always the first of its operands, or always the second?
    fn is_one_of_two(&self) -> bool {
        let body = self.op.as_lam().and_then(|(_, inner)| inner.as_lam());
        body.is_some_and(|(_, body)| matches!(body.expr(), Expr::Var(_)))
    }

    /// The type of the operands.
    pub fn operand(&self) -> Type {
        self.op.ty().as_fun().map_or_else(Type::ill, |(t, _)| t.clone())
    }

    fn apply(&self, x: Term, y: Term) -> b::Built {
        b::app(b::app(self.op.clone(), x)?, y)
    }

    /// The operator on pairs that does this to the first parts and the other to the second: it is what both are.
    fn paired(self, other: Operator) -> Option<Operator> {
        let t = Type::pair(self.operand(), other.operand());
        let op = b::lam2(("a", t.clone()), ("b", t), |x, y| {
            let first = self.apply(b::fst(x.clone())?, b::fst(y.clone())?)?;
            b::make_pair(first, other.apply(b::snd(x)?, b::snd(y)?)?)
        });
        let neutral = self.neutral.zip(other.neutral).and_then(|(y, z)| b::make_pair(y, z).ok());
        Some(Operator {
            op: op.ok()?,
            neutral,
            associative: self.associative && other.associative,
            commutative: self.commutative && other.commutative,
            idempotent: self.idempotent && other.idempotent,
            rounds: self.rounds || other.rounds,
        })
    }

    /// The operator on arrays of a size that does this to their elements.
    fn elementwise(self, n: &Nat) -> Option<Operator> {
        let (t, pair) = (Type::array(n.clone(), self.operand()), Type::pair(self.operand(), self.operand()));
        let each = b::lam("p", pair, |p| self.apply(b::fst(p.clone())?, b::snd(p)?)).ok()?;
        let op = b::lam2(("a", t.clone()), ("b", t), |x, y| b::map(each, b::zip(x, y)?));
        let neutral = self.neutral.and_then(|z| everywhere(n, z));
        Some(Operator { op: op.ok()?, neutral, ..self })
    }
}

/// The array of a size whose elements are all the same closed value.
fn everywhere(n: &Nat, z: Term) -> Option<Term> {
    b::generate(Term::lam("i", Type::index(n.clone()), z)).ok()
}

/// The zero of a type, also in every lane or element.
pub(super) fn zero(t: &Type) -> Option<Term> {
    match t.kind() {
        TypeKind::Scalar(s) => Literal::number(0, *s).map(Term::lit),
        TypeKind::Vector(n, s) => b::vector_from_scalar(n, zero(s)?).ok(),
        TypeKind::Array(n, t) => everywhere(n, zero(t)?),
        _ => None,
    }
}

/// The operators of [`ROWS`] at each type of numbers, and those on truth values and pairs: built once, as every instance of a
/// rule asks for some.
static UNCOMMON: LazyLock<Vec<(Type, Vec<Operator>)>> = LazyLock::new(|| {
    let types = Scalar::ALL.map(Type::scalar).into_iter().chain([composable()]);
    types.map(|t| (t.clone(), rows_at(&t))).collect()
});

/// The operators of the tables at a type.
fn uncommon(t: &Type) -> &'static [Operator] {
    UNCOMMON.iter().find(|(at, _)| at == t).map_or(&[], |(_, all)| all)
}

fn rows_at(t: &Type) -> Vec<Operator> {
    if *t == composable() {
        return [1, 2].into_iter().filter_map(composed).collect();
    }
    let Some(s) = t.as_scalar() else { return vec![] };
    let rows: &[Row] = if s == Scalar::Bool { &ROWS_OF_TRUTH } else { &ROWS };
    let at = |row: &Row, op: b::Built| {
        let neutral = match row.neutral {
            Some(z) => Some(scalar(z, s).ok()?),
            None => None,
        };
        let is = |letter: char| row.is.contains(letter);
        Some(Operator {
            op: op.ok()?,
            neutral,
            associative: is('A'),
            commutative: is('C'),
            idempotent: is('I'),
            rounds: false,
        })
    };
    let (x, y) = (("a", t.clone()), ("b", t.clone()));
    let fitting = || rows.iter().filter(|row| row.fits(s));
    let plain = fitting().filter_map(|row| at(row, b::lam2(x.clone(), y.clone(), row.op)));
    let mut all: Vec<Operator> = plain.collect();
    // The same but for rounding: they are what the others are where nothing is rounded, which is all that is said of operators.
    if s.is_float() {
        let rounding =
            |row: &Row| b::lam2(x.clone(), y.clone(), |x, y| disturbed((row.op)(x.clone(), y)?, x));
        let of_both = all.iter().zip(fitting()).filter(|(plain, _)| !plain.is_one_of_two());
        let rounded: Vec<Operator> = of_both
            .filter_map(|(_, row)| Some(Operator { rounds: true, ..at(row, rounding(row))? }))
            .collect();
        all.extend(rounded);
    }
    all
}

/// How an operator is written.
#[derive(Clone, Copy)]
enum Written {
    Pattern,
    Lambda,
    /// With its operands in the other order, the smaller of two zeros is another one.
    Swapped,
}

/// One of them at a type.
fn common_as(p: Pattern, t: &Type, written: Written) -> Option<Operator> {
    let lambda = |swapped: bool| {
        let apply = |x, y| b::apply(p, Vec::<Arg>::new(), if swapped { vec![y, x] } else { vec![x, y] });
        b::lam2(("a", t.clone()), ("b", t.clone()), apply)
    };
    let op = match written {
        Written::Pattern => b::pattern(p, vec![], &[t.clone(), t.clone()]),
        Written::Lambda => lambda(false),
        Written::Swapped => lambda(true),
    };
    let op = op.ok()?;
    let neutral = neutral(&op, t);
    let idempotent = !matches!(p, Pattern::Add | Pattern::Mul);
    Some(Operator { op, neutral, associative: true, commutative: true, idempotent, rounds: false })
}

/// `+`, `*`, `min` and `max`, or `and` and `or`.
fn common_patterns(t: &Type) -> &'static [Pattern] {
    use Pattern as P;
    match t.lane().kind() {
        TypeKind::Scalar(Scalar::Bool) => &[P::And, P::Or],
        TypeKind::Scalar(_) | TypeKind::NatType => &[P::Add, P::Mul, P::Min, P::Max],
        _ => &[],
    }
}

/// The common operators, as patterns or lambdas.
fn common(t: &Type, rng: &mut Rng) -> Vec<Operator> {
    let written = |rng: &mut Rng| match (rng.below(2), rng.below(2)) {
        (0, _) => Written::Pattern,
        (_, 0) => Written::Swapped,
        _ => Written::Lambda,
    };
    common_patterns(t).iter().filter_map(|p| common_as(*p, t, written(rng))).collect()
}

/// The common operators in every way in which they differ.
fn every_common(t: &Type) -> impl Iterator<Item = Operator> {
    let in_all_ways = |p: &Pattern| [Written::Pattern, Written::Swapped].map(|w| common_as(*p, t, w));
    common_patterns(t).iter().flat_map(in_all_ways).flatten()
}

/// What is neutral for a known operator on scalars, or in every lane.
fn neutral(op: &Term, t: &Type) -> Option<Term> {
    let s = t.lane().as_scalar()?;
    let candidates: Vec<Term> = if s == Scalar::Bool {
        [true, false].map(|v| Term::lit(Literal::Bool(v))).to_vec()
    } else if s.is_float() {
        [0.0, 1.0].map(|v| Term::lit(Literal::float(v, s))).to_vec()
    } else {
        let (least, most) = s.extremes();
        [0, 1, least, most].into_iter().filter_map(|v| Literal::number(v, s).map(Term::lit)).collect()
    };
    let at_type = |z: Term| match t.as_vector() {
        Some((n, _)) => b::vector_from_scalar(n, z).ok(),
        None => Some(z),
    };
    candidates.into_iter().filter_map(at_type).find(|z| crate::rule::operators::is_neutral(op, z))
}

/// An operator on pairs or arrays, of operators on their parts.
fn of_parts(t: &Type, on: &mut dyn FnMut(&Type) -> Option<Operator>) -> Option<Operator> {
    match t.kind() {
        TypeKind::Pair(first, second) => on(first)?.paired(on(second)?),
        TypeKind::Array(n, element) => on(element)?.elementwise(n),
        _ => None,
    }
}

impl Operator {
    /// This operator at a type, or on the parts of one that are of its own; on other parts any that has what is asked.
    pub fn at(&self, t: &Type, asked: Has, declared: &[Operator], rng: &mut Rng) -> Option<Operator> {
        if self.operand() == *t {
            return Some(self.clone());
        }
        let mut on_part = |part: &Type| self.at(part, asked, declared, rng);
        of_parts(t, &mut on_part).or_else(|| draw(t, asked, declared, rng))
    }
}

/// What the user has declared without marks, of operators on data of known sizes. Those that compute roots have no laws where nothing is rounded.
pub(super) fn declared(known: &Properties) -> Vec<Operator> {
    let Properties { associative, commutative, idempotent, neutral, finite: _ } = known;
    let all = associative.iter().chain(commutative).chain(idempotent).chain(neutral.iter().map(|(f, _)| f));
    let mut ops: Vec<Term> = vec![];
    for op in all {
        let mut sized = true;
        op.ty().for_each_nat(&mut |n| sized &= n.as_constant().is_some());
        if sized && !has_roots(op) && !ops.contains(op) {
            ops.push(op.clone());
        }
    }
    let with = |op: Term| Operator {
        associative: known.is_associative(&op),
        commutative: known.is_commutative(&op),
        idempotent: known.is_idempotent(&op),
        rounds: false,
        neutral: known.neutral.iter().find(|(f, _)| *f == op).map(|(_, z)| z.clone()),
        op,
    };
    ops.into_iter().map(with).collect()
}

/// What is known of the operators that no table has.
pub(super) fn known() -> Properties {
    let mut out = Properties::default();
    for operator in UNCOMMON.iter().flat_map(|(_, all)| all) {
        let Operator { op, neutral, associative, commutative, idempotent, .. } = operator;
        out.neutral.extend(neutral.clone().map(|z| (op.clone(), z)));
        out.commutative.extend(commutative.then(|| op.clone()));
        out.idempotent.extend(idempotent.then(|| op.clone()));
        out.associative.extend(associative.then(|| op.clone()));
    }
    out
}

/// So many turns have those that have what is asked and nothing else, of which the fewest rules hold.
const TURNS_OF_EXACT: usize = 5;

/// All operators on a type that have what is asked, for one turn each or several; those of the user are among them. Those that round
/// are what others are where nothing is rounded.
pub(super) fn all(t: &Type, asked: Has, declared: &[Operator], rounding: bool) -> Vec<Operator> {
    let own = declared.iter().filter(|o| o.operand() == *t).cloned();
    let all = own.chain(every_common(t)).chain(uncommon(t).iter().cloned());
    let fits = all.filter(|o| o.has().covers(asked) && (rounding || !o.rounds));
    let (exactly, others): (Vec<Operator>, Vec<Operator>) =
        fits.partition(|o| o.has() == asked && !o.is_one_of_two());
    let first = exactly.len() * TURNS_OF_EXACT;
    exactly.into_iter().cycle().take(first).chain(others).collect()
}

/// An operator on a type that has what is asked, and mostly nothing else.
pub(super) fn draw(t: &Type, asked: Has, declared: &[Operator], rng: &mut Rng) -> Option<Operator> {
    let mut all = uncommon(t).to_vec();
    if rng.below(4) == 0 || all.is_empty() {
        all = common(t, rng);
    }
    // Of the first and the last of two much holds that holds of nothing else.
    if rng.below(4) > 0 {
        all.retain(|o| !o.is_one_of_two());
    }
    all.extend(of_parts(t, &mut |part| draw(part, asked, declared, rng)));
    all.extend(declared.iter().filter(|o| o.operand() == *t).cloned());
    all.retain(|o| o.has().covers(asked));
    let exactly: Vec<Operator> = all.iter().filter(|o| o.has() == asked).cloned().collect();
    let from = if exactly.is_empty() || rng.below(3) == 0 { all } else { exactly };
    from.get(rng.below(from.len().max(1) as u64) as usize)
        .cloned()
        .or_else(|| common(t, rng).into_iter().find(|o| o.has().covers(asked)))
}

/// Pairs as functions `x -> a x + b`, for [`composed`].
pub(super) fn composable() -> Type {
    let number = Type::scalar(Scalar::I32);
    Type::pair(number.clone(), number)
}

/// What composes two functions `x -> a x + b`, with `x -> by * x` between them: associative, not commutative, and with a neutral
/// value if nothing is between them. By an even number no slope is one.
fn composed(by: i64) -> Option<Operator> {
    let t = composable();
    let op = b::lam2(("f", t.clone()), ("g", t), |f, g| {
        let between = b::mul(b::fst(f.clone())?, b::number(by, Scalar::I32)?)?;
        let slope = b::mul(between.clone(), b::fst(g.clone())?)?;
        let start = b::add(b::mul(between, b::snd(g)?)?, b::snd(f)?)?;
        b::make_pair(slope, start)
    });
    let identity = || b::make_pair(b::number(1, Scalar::I32).ok()?, b::number(0, Scalar::I32).ok()?).ok();
    let neutral = if by == 1 { Some(identity()?) } else { None };
    Some(Operator {
        op: op.ok()?,
        neutral,
        associative: true,
        commutative: false,
        idempotent: false,
        rounds: false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::property::{Property, refute};
    use super::*;
    use crate::lang::eval;
    use crate::lang::value::{Tolerance, Value};

    /// It has what is said of it, and nothing else; what is neutral where that is not said is not known.
    fn is_what_it_says(operator: &Operator) {
        let (op, has) = (&operator.op, operator.has());
        for (property, has) in [
            (Property::Associative, has.associative),
            (Property::Commutative, has.commutative),
            (Property::Idempotent, has.idempotent),
        ] {
            assert_eq!(refute(op, &property).is_none(), has, "{op:?} {property:?}");
        }
        if let Some(z) = &operator.neutral {
            assert_eq!(refute(op, &Property::Neutral(z.clone())), None, "{op:?} {z:?}");
        }
    }

    /// All sets of properties but the empty one.
    fn all_asked() -> impl Iterator<Item = Has> {
        (1..16).map(|bits| Has {
            associative: bits & 1 > 0,
            commutative: bits & 2 > 0,
            neutral: bits & 4 > 0,
            idempotent: bits & 8 > 0,
        })
    }

    /// Types whose parts have operators.
    fn composite() -> Vec<Type> {
        let (whole, float, truth) = (Type::scalar(Scalar::I32), Type::f32(), Type::scalar(Scalar::Bool));
        let pair = Type::pair(float.clone(), Type::scalar(Scalar::U8));
        vec![
            pair.clone(),
            composable(),
            Type::array(Nat::constant(2), whole.clone()),
            Type::array(Nat::var("n"), pair),
            Type::pair(Type::array(Nat::constant(2), float), whole.clone()),
            Type::array(Nat::constant(2), Type::array(Nat::constant(3), whole)),
            Type::pair(truth.clone(), Type::array(Nat::constant(2), truth)),
        ]
    }

    fn value(v: i128, s: Scalar) -> Value {
        if s.is_float() { Value::float(v as f64, s).unwrap() } else { Value::int(v, s) }
    }

    fn product(operator: &Operator, x: &Value, y: &Value) -> Value {
        let inputs = [x.clone(), y.clone()];
        eval::run(&operator.op, &eval::Sizes::new(), &inputs, &eval::Limits::TEST).unwrap()
    }

    fn differ(x: &Value, y: &Value) -> bool {
        x.agrees(y, Tolerance::Identical).is_err()
    }

    /// None of these is neutral for an operator of which no neutral value is known.
    fn has_no_neutral_value(operator: &Operator, candidates: &[Value]) {
        for z in candidates {
            let keeps =
                |a: &Value| !differ(&product(operator, z, a), a) && !differ(&product(operator, a, z), a);
            assert!(!candidates.iter().all(keeps), "{:?} {z}", operator.op);
        }
    }

    #[test]
    fn every_row_is_what_it_says() {
        for s in [Scalar::Bool, Scalar::I32, Scalar::U8, Scalar::F32] {
            // What rounds is another one where nothing is rounded.
            for operator in uncommon(&Type::scalar(s)).iter().filter(|o| !o.rounds) {
                is_what_it_says(operator);
                if operator.neutral.is_none() && s != Scalar::Bool {
                    let (least, most) = s.extremes();
                    let near = [-1, -2, 9, 20, 100, most / 2 + 2, least, most];
                    let whole =
                        (0..8).chain(near).filter(|v| (least..=most).contains(v)).map(|v| value(v, s));
                    let half = Value::float(0.5, s).filter(|_| s.is_float());
                    has_no_neutral_value(operator, &whole.chain(half).collect::<Vec<_>>());
                }
            }
        }
        let composed = uncommon(&composable());
        composed.iter().for_each(is_what_it_says);
        assert_eq!(composed.iter().map(|o| o.neutral.is_some()).collect::<Vec<_>>(), [true, false]);
    }

    /// Where nothing is rounded, and only there, a float that is disturbed is what it was.
    #[test]
    fn what_is_disturbed_is_the_same_but_for_rounding() {
        let lambda =
            |body: fn(Term, Term) -> b::Built| b::lam2(("a", Type::f32()), ("b", Type::f32()), body).unwrap();
        let (op, first) = (lambda(disturbed), lambda(|x, _| Ok(x)));
        let run = |exact: bool, x: f64, y: f64| {
            let inputs = [x, y].map(|v| Value::float(v, Scalar::F32).unwrap());
            let (arithmetic, sizes) = (eval::Arithmetic { exact, finite: false }, eval::Sizes::new());
            [&op, &first].map(|f| eval::run_in(arithmetic, f, &sizes, &inputs, &eval::Limits::TEST).unwrap())
        };
        let numbers = [0.0, 1.0, -0.3, 1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for (x, y) in numbers.iter().flat_map(|x| numbers.map(|y| (*x, y))) {
            let [value, before] = run(true, x, y);
            assert!(value.agrees(&before, Tolerance::Exact).is_ok(), "{x} {y}: {value}");
        }
        let [value, before] = run(false, 1.0, 0.0);
        assert!(differ(&value, &before), "{value}");
    }

    /// Draws an operator on such elements for every set of properties, and returns how many there are.
    fn operators_on_parts(t: &Type) -> usize {
        let (known, mut rng, mut count) = (known(), Rng::new(1), 0);
        for asked in all_asked() {
            let Some(operator) = draw(t, asked, &[], &mut rng) else { continue };
            let (op, has) = (&operator.op, operator.has());
            assert!(has.covers(asked) && operator.operand() == *t, "{op:?} {asked:?}");
            if !operator.rounds {
                is_what_it_says(&operator);
            }
            assert_eq!(known.is_associative(op), has.associative, "{op:?}");
            assert_eq!(known.is_commutative(op), has.commutative, "{op:?}");
            assert_eq!(known.is_idempotent(op), has.idempotent, "{op:?}");
            assert!(operator.neutral.iter().all(|z| known.is_neutral(op, z)), "{op:?}");
            count += 1;
        }
        count
    }

    #[test]
    fn operators_on_parts_are_what_they_say_and_are_believed_to_be() {
        // Each type in a thread, as this takes longer than all other tests here.
        let in_thread = |t: Type| std::thread::spawn(move || operators_on_parts(&t));
        let types: Vec<_> = composite().into_iter().map(in_thread).collect();
        let count: usize = types.into_iter().map(|counted| counted.join().unwrap()).sum();
        assert!(count > 90, "{count}");
    }

    #[test]
    fn operators_on_vectors_and_truth_values_have_neutral_values() {
        let vectors = Type::vector(Nat::constant(4), Type::scalar(Scalar::I32));
        for t in [vectors, Type::scalar(Scalar::Bool)] {
            let asked = Has { associative: true, commutative: true, neutral: true, idempotent: true };
            let operator = draw(&t, asked, &[], &mut Rng::new(1)).unwrap();
            is_what_it_says(&operator);
        }
    }

    /// Does what the operator gives depend on both operands?
    fn reads_both(operator: &Operator, s: Scalar) -> bool {
        let all: Vec<Value> = (0..7).map(|v| value(v, s)).collect();
        let by_second =
            |x: &Value| all.iter().any(|y| differ(&product(operator, x, y), &product(operator, x, &all[0])));
        let by_first =
            |y: &Value| all.iter().any(|x| differ(&product(operator, x, y), &product(operator, &all[0], y)));
        all.iter().any(by_second) && all.iter().any(by_first)
    }

    #[test]
    fn every_set_of_properties_has_an_operator_with_no_others() {
        for s in [Scalar::I32, Scalar::U8, Scalar::F32] {
            let rows = uncommon(&Type::scalar(s));
            for asked in all_asked() {
                let mut exactly = rows.iter().filter(|o| o.has() == asked);
                assert!(exactly.any(|o| reads_both(o, s)), "{s:?} {asked:?}");
            }
        }
    }

    /// Products that a rule may take for the same, and that are the same for first, last, least and greatest numbers: `a b a c` for
    /// `a b c`, and so on. Of what is associative and idempotent some operator tells each from the other, from either side.
    #[test]
    fn operators_that_choose_tell_repetitions_apart() {
        let laws =
            [("abac", "abc"), ("abcb", "acb"), ("aba", "ab"), ("aba", "ba"), ("abaca", "abca"), ("aba", "a")];
        let of_word = |operator: &Operator, word: &str, letters: &[i128]| {
            let letters = word.bytes().map(|c| value(letters[usize::from(c - b'a')], Scalar::I32));
            letters.reduce(|x, y| product(operator, &x, &y)).unwrap()
        };
        let rows = uncommon(&Type::scalar(Scalar::I32));
        for neutral in [false, true] {
            let asked = Has { associative: true, commutative: false, neutral, idempotent: true };
            for (left, right) in laws {
                let tells = |operator: &Operator| {
                    (0..216).any(|i| {
                        let letters = [i % 6, i / 6 % 6, i / 36];
                        differ(&of_word(operator, left, &letters), &of_word(operator, right, &letters))
                    })
                };
                assert!(rows.iter().filter(|o| o.has() == asked).any(tells), "{left} {right} {neutral}");
            }
        }
    }
}
