//! Operators for the rules that ask for properties of one. For every set of properties there are operators that have
//! these and no others, so that a rule that needs more than it asks for is found out; and those that the user declares.

use super::property::has_roots;
use crate::lang::build as b;
use crate::lang::eval::inputs::Rng;
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::rule::Properties;
use crate::rule::condition::Condition;
use crate::rule::equation::Equation;

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
}

impl Operator {
    fn has(&self) -> Has {
        let Operator { associative, commutative, idempotent, .. } = *self;
        Has { associative, commutative, neutral: self.neutral.is_some(), idempotent }
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

struct Row {
    /// `A` associative, `C` commutative, `I` idempotent.
    is: &'static str,
    neutral: Option<i64>,
    op: fn(Term, Term) -> b::Built,
}

/// Operators on numbers of any type. What is said of them is so in wrapping and in exact arithmetic, NaN and infinities
/// included, and nothing else is (`every_row_is_what_it_says`).
const ROWS: [Row; 17] = [
    Row { is: "A", neutral: None, op: |x, _| at_most_two(&x) },
    Row { is: "C", neutral: None, op: product_and_one },
    Row { is: "I", neutral: None, op: |x, y| unless_same(&x, &y, b::sub(x.clone(), y.clone())?) },
    Row { is: "AC", neutral: None, op: |x, y| b::mul(b::add(x.clone(), x)?, y) },
    Row { is: "AI", neutral: None, op: |a, _| Ok(a) },
    Row { is: "AI", neutral: None, op: |_, b| Ok(b) },
    Row { is: "CI", neutral: None, op: |x, y| unless_same(&x, &y, product_and_one(x.clone(), y.clone())?) },
    Row { is: "ACI", neutral: None, op: |x, y| unless_same(&x, &y, nothing(&x, &y)?) },
    Row { is: "", neutral: Some(0), op: |x, y| unless_zero(&x, &y, b::sub(x.clone(), y.clone())?) },
    Row { is: "A", neutral: Some(0), op: |x, y| unless_zero(&x, &y, at_most_two(&x)?) },
    Row { is: "C", neutral: Some(0), op: |x, y| unless_zero(&x, &y, product_and_one(x.clone(), y.clone())?) },
    Row {
        is: "I",
        neutral: Some(0),
        op: |x, y| unless_zero(&x, &y, unless_same(&x, &y, b::sub(x.clone(), y.clone())?)?),
    },
    Row { is: "AC", neutral: Some(1), op: |x, y| b::sub(b::add(x.clone(), y)?, one(&x)?) },
    Row { is: "AI", neutral: Some(0), op: |x, y| or_else(&x, y, x.clone()) },
    Row { is: "AI", neutral: Some(0), op: |x, y| or_else(&y, x, y.clone()) },
    Row { is: "CI", neutral: Some(0), op: |x, y| unless_same(&x, &y, b::add(x.clone(), y.clone())?) },
    Row {
        is: "ACI",
        neutral: Some(0),
        op: |x, y| unless_zero(&x, &y, unless_same(&x, &y, b::add(nothing(&x, &y)?, one(&x)?)?)?),
    },
];

/// Operators on truth values, but for those of the table.
const ROWS_OF_TRUTH: [Row; 4] = [
    Row { is: "AI", neutral: None, op: |a, _| Ok(a) },
    Row { is: "AI", neutral: None, op: |_, b| Ok(b) },
    Row { is: "C", neutral: None, op: |x, y| b::not(b::and(x, y)?) },
    Row { is: "AC", neutral: Some(0), op: |x, y| b::select(x, b::not(y.clone())?, y) },
];

/// A number, or the truth value that it stands for.
fn scalar(value: i64, s: Scalar) -> b::Built {
    if s == Scalar::Bool { Ok(Term::lit(Literal::Bool(value != 0))) } else { b::number(value, s) }
}

fn number(like: &Term, value: i64) -> b::Built {
    scalar(value, like.ty().as_scalar().unwrap_or(Scalar::I32))
}

fn one(like: &Term) -> b::Built {
    number(like, 1)
}

/// `min x 2`, which done twice is done once, and zero of zero alone.
fn at_most_two(x: &Term) -> b::Built {
    b::min(x.clone(), number(x, 2)?)
}

/// Zero, or no number where one of these is infinite or none.
fn nothing(x: &Term, y: &Term) -> b::Built {
    b::add(b::sub(x.clone(), x.clone())?, b::sub(y.clone(), y.clone())?)
}

/// `x * y + 1`
fn product_and_one(x: Term, y: Term) -> b::Built {
    b::add(b::mul(x.clone(), y)?, one(&x)?)
}

/// `select (x == 0) then otherwise`
fn or_else(x: &Term, then: Term, otherwise: Term) -> b::Built {
    b::select(b::equal(x.clone(), number(x, 0)?)?, then, otherwise)
}

/// The other one where one of them is zero.
fn unless_zero(x: &Term, y: &Term, otherwise: Term) -> b::Built {
    or_else(x, y.clone(), or_else(y, x.clone(), otherwise)?)
}

/// `select (x == y) x otherwise`
fn unless_same(x: &Term, y: &Term, otherwise: Term) -> b::Built {
    b::select(b::equal(x.clone(), y.clone())?, x.clone(), otherwise)
}

/// The operators of [`ROWS`] at a type of numbers, and those on truth values and pairs.
fn uncommon(t: &Type) -> Vec<Operator> {
    if *t == composable() {
        return composed().into_iter().collect();
    }
    let Some(s) = t.as_scalar() else { return vec![] };
    let rows: &[Row] = if s == Scalar::Bool { &ROWS_OF_TRUTH } else { &ROWS };
    let at = |row: &Row| {
        let neutral = match row.neutral {
            Some(z) => Some(scalar(z, s).ok()?),
            None => None,
        };
        let op = b::lam2(("a", t.clone()), ("b", t.clone()), row.op).ok()?;
        let is = |letter: char| row.is.contains(letter);
        Some(Operator { op, neutral, associative: is('A'), commutative: is('C'), idempotent: is('I') })
    };
    rows.iter().filter_map(at).collect()
}

/// `+`, `*`, `min` and `max`, or `and` and `or`, as patterns or lambdas.
fn common(t: &Type, rng: &mut Rng) -> Vec<Operator> {
    let at = |p: Pattern, rng: &mut Rng| {
        // With its operands in the other order, the smaller of two zeros is another one.
        let (pattern, swapped) = (rng.below(2) == 0, rng.below(2) == 0);
        let op = if pattern {
            b::pattern(p, vec![], &[t.clone(), t.clone()]).ok()?
        } else {
            let apply = |x, y| b::apply(p, Vec::<Arg>::new(), if swapped { vec![y, x] } else { vec![x, y] });
            b::lam2(("a", t.clone()), ("b", t.clone()), apply).ok()?
        };
        let neutral = neutral(&op, t);
        let idempotent = !matches!(p, Pattern::Add | Pattern::Mul);
        Some(Operator { op, neutral, associative: true, commutative: true, idempotent })
    };
    use Pattern as P;
    let all: &[Pattern] = match t.lane().kind() {
        TypeKind::Scalar(Scalar::Bool) => &[P::And, P::Or],
        TypeKind::Scalar(_) | TypeKind::NatType => &[P::Add, P::Mul, P::Min, P::Max],
        _ => &[],
    };
    all.iter().filter_map(|p| at(*p, rng)).collect()
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

/// An operator on pairs or arrays, of operators on their parts, that has what is asked.
fn of_parts(t: &Type, asked: Has, declared: &[Operator], rng: &mut Rng) -> Option<Operator> {
    match t.kind() {
        TypeKind::Pair(first, second) => {
            draw(first, asked, declared, rng)?.paired(draw(second, asked, declared, rng)?)
        }
        TypeKind::Array(n, element) => draw(element, asked, declared, rng)?.elementwise(n),
        _ => None,
    }
}

/// What the user has declared, of operators on data of known sizes. Those that compute roots have no laws where nothing is rounded.
pub(super) fn declared(known: &Properties) -> Vec<Operator> {
    let Properties { associative, commutative, idempotent, neutral } = known;
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
        neutral: known.neutral.iter().find(|(f, _)| *f == op).map(|(_, z)| z.clone()),
        op,
    };
    ops.into_iter().map(with).collect()
}

/// What is known of the operators that no table has.
pub(super) fn known() -> Properties {
    let mut out = Properties::default();
    for operator in Scalar::ALL.map(Type::scalar).into_iter().chain([composable()]).flat_map(|t| uncommon(&t))
    {
        let Operator { op, neutral, associative, commutative, idempotent } = operator;
        out.neutral.extend(neutral.map(|z| (op.clone(), z)));
        out.commutative.extend(commutative.then(|| op.clone()));
        out.idempotent.extend(idempotent.then(|| op.clone()));
        out.associative.extend(associative.then_some(op));
    }
    out
}

/// An operator on a type that has what is asked, and every other time nothing else.
pub(super) fn draw(t: &Type, asked: Has, declared: &[Operator], rng: &mut Rng) -> Option<Operator> {
    let mut all = uncommon(t);
    if rng.below(3) == 0 || all.is_empty() {
        all = common(t, rng);
    }
    all.extend(of_parts(t, asked, declared, rng));
    all.extend(declared.iter().filter(|o| o.operand() == *t).cloned());
    all.retain(|o| o.has().covers(asked));
    let exactly: Vec<Operator> = all.iter().filter(|o| o.has() == asked).cloned().collect();
    let from = if exactly.is_empty() || rng.below(2) == 0 { all } else { exactly };
    from.get(rng.below(from.len().max(1) as u64) as usize)
        .cloned()
        .or_else(|| common(t, rng).into_iter().find(|o| o.has().covers(asked)))
}

/// Pairs as functions `x -> a x + b`, for [`composed`].
pub(super) fn composable() -> Type {
    let number = Type::scalar(Scalar::I32);
    Type::pair(number.clone(), number)
}

/// What composes two functions `x -> a x + b`: associative, with a neutral value, and not commutative.
fn composed() -> Option<Operator> {
    let t = composable();
    let op = b::lam2(("f", t.clone()), ("g", t), |f, g| {
        let slope = b::mul(b::fst(f.clone())?, b::fst(g.clone())?)?;
        let start = b::add(b::mul(b::fst(f.clone())?, b::snd(g)?)?, b::snd(f)?)?;
        b::make_pair(slope, start)
    });
    let identity = b::make_pair(b::number(1, Scalar::I32).ok()?, b::number(0, Scalar::I32).ok()?).ok()?;
    Some(Operator {
        op: op.ok()?,
        neutral: Some(identity),
        associative: true,
        commutative: false,
        idempotent: false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::property::{Property, refute};
    use super::*;

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

    #[test]
    fn every_row_is_what_it_says() {
        for s in [Scalar::Bool, Scalar::I32, Scalar::U8, Scalar::F32] {
            uncommon(&Type::scalar(s)).iter().chain(&composed()).for_each(is_what_it_says);
        }
    }

    /// Draws an operator on such elements for every set of properties, and returns how many there are.
    fn operators_on_parts(t: &Type) -> usize {
        let (known, mut rng, mut count) = (known(), Rng::new(1), 0);
        for asked in all_asked() {
            let Some(operator) = draw(t, asked, &[], &mut rng) else { continue };
            let (op, has) = (&operator.op, operator.has());
            assert!(has.covers(asked) && operator.operand() == *t, "{op:?} {asked:?}");
            is_what_it_says(&operator);
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
        // Each type in a thread, as this takes longer than all other tests here. Where its stack would run out, each evaluation
        // would take a new one, which takes half of the time.
        let in_thread = |t: Type| {
            let thread = std::thread::Builder::new().stack_size(16 << 20);
            thread.spawn(move || operators_on_parts(&t)).unwrap()
        };
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

    #[test]
    fn every_set_of_properties_has_an_operator_with_no_others() {
        let rows = uncommon(&Type::scalar(Scalar::I32));
        for asked in all_asked() {
            assert!(rows.iter().any(|o| o.has() == asked), "{asked:?}");
        }
    }
}
