//! The inputs that rules are tested on.
//!
//! A rule may be right on small whole numbers alone: one that rounds, one that looks at a value, `select (x == 7) a b`,
//! one that forgets NaN or overflow. So the inputs of an instance take turns ([`Turn`]): small whole numbers; among them
//! what the rule itself mentions, what is next to it, and fractions; any numbers at all; and hostile ones.

use super::border::{Place, compared_in};
use super::mentioned::Mentioned;
use super::needle;
use super::palette::{ZEROS, extremes, near, palette};
use super::replaced::{number_of, type_of, with_indices, with_leaves, with_part};
use super::rows::SPECIAL;
use super::series;
use super::solve::{self, Solution, Solutions, Solver};
use crate::lang::diag::Diagnostic;
use crate::lang::eval::Sizes;
use crate::lang::eval::inputs::{self, Kind, Rng};
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::{Scalar, Type};
use crate::lang::value::Value;
use crate::rule::condition::Condition;
use crate::rule::pat::{Pat, PatNode};
use crate::rule::{Equation, Marks, Rule};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Draws inputs for one rule.
#[derive(Clone)]
pub(super) struct Drawing {
    mentioned: Rc<Mentioned>,
    /// Where what an instance compares is equal.
    solutions: Solutions,
    marks: Marks,
    /// The signs of zeros are looked for: something is known of operators, of floats but for these signs, the smaller or the
    /// greater number is taken, or numbers that are computed are given to functions, few of which tell one zero from the other.
    signs: bool,
    /// Something is asked of operators: numbers that are special to some of them are looked for.
    special: bool,
}

/// What the numbers of one set of inputs are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Small,
    Mentioned,
    Any,
    Hostile,
    /// Whole arrays in which something is the same everywhere, or between two of them ([`series`]).
    Series,
    /// One element among tame ones ([`needle`]).
    Needle,
    /// As large as they can be.
    Greatest,
}

/// The turns of the first inputs; further ones are hostile, or near what is mentioned, or of arrays that are series or have a
/// needle.
const TURNS: [Turn; 4] = [Turn::Hostile, Turn::Mentioned, Turn::Small, Turn::Any];

/// The first inputs with a needle, where there are arrays.
pub(super) const FIRST_NEEDLE: usize = TURNS.len();

/// The inputs of long arrays, which take long: one of what is as large as can be, and one of what is mentioned.
pub(super) const LONG: [u64; 2] = [GREATEST, 1];

/// Inputs of which all elements of arrays are as large as they can be.
const GREATEST: u64 = u64::MAX;

impl Drawing {
    /// Is something asked of operators, which few inputs tell apart?
    pub fn is_of_operators(&self) -> bool {
        self.special
    }

    pub fn of(rule: &Rule) -> Drawing {
        let of_operator = |c: &Condition| {
            matches!(
                c,
                Condition::Assoc(_)
                    | Condition::Commutative(_)
                    | Condition::Neutral(..)
                    | Condition::Idempotent(_)
                    | Condition::AnyOrder(_)
            )
        };
        let special = rule.equations().iter().any(|eq| eq.conditions.iter().any(of_operator));
        let signs = |eq: &Equation| {
            eq.conditions.iter().any(of_operator) || computes_for_functions(eq) || chooses_a_zero(eq)
        };
        let signs =
            !rule.marks.reassociates && !rule.marks.unsigned_zeros && rule.equations().iter().any(signs);
        let mentioned = Rc::new(Mentioned::by_rule(rule));
        Drawing { mentioned, solutions: Solutions::default(), marks: *rule.marks, signs, special }
    }

    /// For declared properties of an operator: what its own text mentions counts.
    pub fn near(mentioned: Mentioned, finite: bool) -> Drawing {
        let marks = Marks { finite, ..Marks::REASSOCIATES };
        let mentioned = Rc::new(mentioned);
        Drawing { mentioned, solutions: Solutions::default(), marks, signs: false, special: false }
    }

    /// The same, and what solves the comparisons of these closed terms with the same parameters.
    pub fn with_borders(mut self, terms: &[&Term], sizes: &Sizes, solver: &Solver) -> Drawing {
        self.solutions = solver.solutions(&compared_in(terms, sizes));
        self
    }

    /// The `i`-th inputs of an instance whose type and sizes these are.
    ///
    /// # Errors
    /// As [`inputs::for_program`].
    pub fn inputs(&self, i: u64, ty: &Type, sizes: &Sizes, seed: u64) -> Result<Vec<Value>, Diagnostic> {
        let more = match i % 4 {
            _ if i == GREATEST => Turn::Greatest,
            1 => Turn::Mentioned,
            2 if ty.has_array() => Turn::Series,
            0 if ty.has_array() => Turn::Needle,
            3 if ty.has_array() => match seed.count_ones() % 3 {
                0 => Turn::Needle,
                1 => Turn::Series,
                _ => Turn::Hostile,
            },
            _ => Turn::Hostile,
        };
        let turn = TURNS.get(i as usize).copied().unwrap_or(more);
        let kind = if turn == Turn::Any { Kind::Uniform } else { Kind::SmallIntegers };
        let values = inputs::for_program(ty, sizes, seed, kind)?;
        let mut rng = Rng::new(seed ^ 0x5bd1_e995);
        // Where nothing is rounded, NaN and infinities tell most.
        let which = if self.marks.reassociates && rng.below(2) == 0 { 2 + rng.below(3) } else { rng.bits() };
        let mut palettes: BTreeMap<Scalar, Vec<Value>> = BTreeMap::new();
        let mut solved: BTreeMap<Scalar, Vec<&Value>> = BTreeMap::new();
        for (_, value) in self.solutions.each.iter().flatten() {
            solved.entry(type_of(value).unwrap_or(Scalar::Bool)).or_default().push(value);
        }
        // How many of the numbers are replaced: a single NaN shows what many hide, and what is neutral for all but the negative
        // zero shows where there are no others.
        let zeros = self.signs && rng.below(2) == 0;
        let (which, density) = match zeros {
            true => (ZEROS[rng.below(4) as usize], 4),
            false => (which, 1 + rng.below(4)),
        };
        // What repeats an operand is told from what does not where few numbers are many times among the operands.
        // Series of numbers say nothing of operators.
        let special = self.special && (rng.below(2) == 0 || turn == Turn::Series);
        let mut left: Vec<u64> = (0..SPECIAL).collect();
        let few: [i128; 3] =
            std::array::from_fn(|_| left.swap_remove(rng.below(left.len() as u64) as usize).into());
        let mut last = few[0];
        let mut replaced = |s: Scalar, rng: &mut Rng| match turn {
            _ if special => {
                if rng.below(2) == 0 {
                    last = few[rng.below(few.len() as u64) as usize];
                }
                number_of(last, s)
            }
            // Natural numbers are drawn as such; differences of them are of either sign.
            Turn::Any if s == Scalar::I64 && rng.below(2) == 0 => number_of(-i128::from(rng.below(100)), s),
            Turn::Small | Turn::Any | Turn::Series | Turn::Needle | Turn::Greatest => None,
            _ if rng.below(4) >= density => None,
            Turn::Mentioned => match solved.get(&s) {
                Some(fit) if rng.below(2) == 0 => Some(fit[rng.below(fit.len() as u64) as usize].clone()),
                _ => self.next_to_mentioned(s, rng),
            },
            Turn::Hostile => {
                let few = palettes.entry(s).or_insert_with(|| palette(s, which, self.marks.finite));
                (!few.is_empty()).then(|| few[rng.below(few.len() as u64) as usize].clone())
            }
        };
        let (params, _) = ty.signature();
        let drawn = values;
        let values = match turn {
            Turn::Needle => needle::inputs(self, &drawn, &mut rng),
            Turn::Series if !special => series::inputs(&self.mentioned.whole, &drawn, &mut rng),
            _ => drawn.clone(),
        };
        let mut values: Vec<Value> = values
            .iter()
            .zip(&params)
            .map(|(v, ty)| {
                // A zero to start with is chosen before all others: what is beyond it leaves the choice to them.
                let is_kept = zeros && ty.as_scalar().is_some() && rng.below(2) == 0;
                match turn {
                    Turn::Greatest => with_leaves(v, &mut |s| extremes(s).into_iter().next_back()),
                    _ if is_kept => v.clone(),
                    _ => with_leaves(v, &mut |s| replaced(s, &mut rng)),
                }
            })
            .collect();
        let solved = self.solution(i / TURNS.len() as u64).filter(|_| turn == Turn::Mentioned);
        if let Some(solved) = solved {
            put(solved, &mut values, &mut rng);
        } else if turn == Turn::Mentioned && !self.solutions.is_empty() && rng.below(4) != 0 {
            let Solutions { each, together } = &self.solutions;
            let all =
                if each.is_empty() || rng.below(3) != 0 && !together.is_empty() { together } else { each };
            // The first ones most often: there most holds.
            let most = if rng.below(2) == 0 { 1 } else { 1 + rng.below(all.len() as u64) };
            put(&all[rng.below(most) as usize], &mut values, &mut rng);
        }
        let as_drawn = !matches!(turn, Turn::Series | Turn::Needle) && rng.below(4) != 0;
        let fitted = |((v, drawn), ty): ((&Value, &Value), &Type)| {
            let were = Some(drawn).filter(|_| as_drawn);
            with_indices(v, were, ty, sizes, &mut |i, n| match turn {
                // The last ones are where careless rules break.
                Turn::Hostile if rng.below(4) == 0 => (n - 1 - rng.below(2) as i64).max(0),
                _ => i.min(n - 1).max(0),
            })
        };
        Ok(values.iter().zip(&drawn).zip(&params).map(fitted).collect())
    }

    /// A solution of one comparison, or of several: every other time inputs near what is mentioned have their turn, the one
    /// after the other.
    fn solution(&self, turn: u64) -> Option<&Solution> {
        let Solutions { each, together } = &self.solutions;
        let at = usize::try_from(turn / 4).ok()?;
        match turn % 4 {
            0 => each.get(at),
            2 => together.get(at),
            _ => None,
        }
    }

    /// Are NaN and infinities none of the inputs?
    pub fn is_finite(&self) -> bool {
        self.marks.finite
    }

    /// A number close to one, or that one where there is none.
    pub fn beside(&self, v: &Value, s: Scalar, rng: &mut Rng) -> Value {
        let float = match v {
            Value::Int(v, _) => return Value::int(v.saturating_add([-1, 1][rng.below(2) as usize]), s),
            Value::F16(v) | Value::F32(v) => f64::from(*v),
            Value::F64(v) => *v,
            _ => return v.clone(),
        };
        let beside = Some(near(float, float, s, rng)).filter(|v| v.is_finite() || !self.marks.finite);
        beside.and_then(|v| Value::float(v, s)).unwrap_or_else(|| v.clone())
    }

    /// A number that the rule mentions, or what comes of two of them, or one next to it.
    pub fn next_to_mentioned(&self, s: Scalar, rng: &mut Rng) -> Option<Value> {
        if s == Scalar::Bool {
            return None;
        }
        let Mentioned { whole, fractions, combined, combined_fractions, .. } = &*self.mentioned;
        // As often as not one of them as it is.
        let all = whole.len() + combined.len();
        if all > 0 && rng.below(2) == 0 {
            let at = rng.below(all as u64) as usize;
            let number = whole.get(at).or_else(|| combined.get(at - whole.len()))?;
            if s.is_float() {
                return Value::float(*number as f64, s);
            }
            // What narrower types do not tell from it.
            let narrower: Vec<u32> =
                [8, 16, 32].into_iter().filter(|bits| *bits < 8 * s.bytes() as u32).collect();
            let wider = match narrower.get(rng.below(4 * narrower.len().max(1) as u64) as usize) {
                Some(bits) => (1 + i128::from(rng.below(64))) << bits,
                None => 0,
            };
            let wider = if s.is_signed_integer() && rng.below(2) == 0 { -wider } else { wider };
            return Some(Value::int(number.saturating_add(wider), s));
        }
        let (whole, fractions) = match rng.below(3) {
            0 if !combined.is_empty() || !combined_fractions.is_empty() => (combined, combined_fractions),
            _ => (whole, fractions),
        };
        let at = rng.below((whole.len() + fractions.len()) as u64 + 2) as usize;
        let fraction = fractions.get(at.wrapping_sub(whole.len()));
        if !s.is_float() {
            let near = whole.get(at)?.saturating_add(i128::from(rng.below(3)) - 1);
            let near = if rng.below(4) == 0 { near / 2 } else { near };
            return Some(Value::int(
                if s.is_signed_integer() && rng.below(4) == 0 { near.saturating_neg() } else { near },
                s,
            ));
        }
        let number = match whole.get(at).map(|v| *v as f64).or(fraction.copied()) {
            Some(v) => {
                let other = whole.get(rng.below(whole.len() as u64 + 1) as usize).map_or(v, |w| *w as f64);
                near(v, other, s, rng)
            }
            None => (rng.below(17) as f64 - 8.0) / 4.0 + 0.125,
        };
        let value = Value::float(number, s)?;
        (number.is_finite() || !self.marks.finite).then_some(value)
    }
}

/// Does the rule compute with numbers, and has it functions?
fn computes_for_functions(eq: &Equation) -> bool {
    let computes = |p: &Pat| matches!(&p.node, PatNode::Prim(p, _) if p.is_numeric());
    let sides = [&eq.sides.lhs, &eq.sides.rhs];
    eq.vars.iter().any(|v| v.ty.as_fun().is_some()) && sides.into_iter().flat_map(Pat::nodes).any(computes)
}

/// Is the smaller or the greater of numbers taken? Of zeros of either sign it is the first.
fn chooses_a_zero(eq: &Equation) -> bool {
    let chooses = |p: &Pat| matches!(&p.node, PatNode::Prim(Pattern::Min | Pattern::Max, _));
    [&eq.sides.lhs, &eq.sides.rhs].into_iter().flat_map(Pat::nodes).any(chooses)
}

/// Makes the unknowns of one solution what they are in it, all together.
fn put(solution: &Solution, inputs: &mut [Value], rng: &mut Rng) {
    let mut elsewhere: Vec<&Value> = vec![];
    for (place, value) in solution {
        match place {
            Some(Place { parameter, parts }) => {
                if let Some(input) = inputs.get_mut(*parameter) {
                    *input = with_part(input, parts, value);
                }
            }
            None => elsewhere.push(value),
        }
    }
    if elsewhere.is_empty() {
        return;
    }
    // What is bound within the term has its values from some inputs: one input has all of one unknown, or they come one
    // after the other.
    let each = rng.below(2) == 0;
    let mut next = if rng.below(2) == 0 { 0 } else { rng.below(elsewhere.len() as u64) as usize };
    let placed: Vec<usize> =
        solution.iter().filter_map(|(place, _)| Some(place.as_ref()?.parameter)).collect();
    for (_, input) in inputs.iter_mut().enumerate().filter(|(i, _)| !placed.contains(i)) {
        next = if each { rng.below(elsewhere.len() as u64) as usize } else { next };
        *input = with_leaves(input, &mut |s| {
            let fits = |v: &Value| type_of(v) == Some(s);
            let value = (0..elsewhere.len())
                .map(|i| elsewhere[(next + i) % elsewhere.len()])
                .find(|v| fits(v))
                .cloned();
            next += usize::from(!each);
            value
        });
    }
}

/// All inputs of a closed term whose used parameters are scalars, if there are no more than so many; the others get one
/// value each.
pub(super) fn all_inputs(term: &Term, most: usize) -> Option<Vec<Vec<Value>>> {
    let (mut at, mut all) = (term, vec![vec![]]);
    for param in term.ty().signature().0 {
        let used = match at.as_lam() {
            Some((_, body)) => {
                at = body;
                at.has_free(0)
            }
            None => true,
        };
        let values = match param.as_scalar() {
            Some(s) if used && s.bytes() <= 2 => solve::all_of(s),
            _ if used => return None,
            _ => inputs::for_program(&Type::fun(param.clone(), param), &Sizes::new(), 1, Kind::SmallIntegers)
                .ok()?,
        };
        if all.len().saturating_mul(values.len()) > most {
            return None;
        }
        all = all
            .iter()
            .flat_map(|done| values.iter().map(|v| [done.as_slice(), std::slice::from_ref(v)].concat()))
            .collect();
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::nat::Nat;

    #[test]
    fn hostile_numbers_are_drawn_for_every_type() {
        let drawing = Drawing {
            mentioned: Rc::new(Mentioned { whole: vec![1000], ..Mentioned::default() }),
            solutions: Solutions::default(),
            marks: Marks::NONE,
            signs: false,
            special: false,
        };
        for s in Scalar::ALL {
            let ty = Type::fun(Type::array(Nat::constant(6), Type::scalar(s)), Type::scalar(s));
            let drawn: Vec<String> = (0..300u64)
                .flat_map(|seed| drawing.inputs(seed, &ty, &Sizes::new(), seed.wrapping_mul(977)).unwrap())
                .flat_map(|v| v.as_array().unwrap().to_vec())
                .map(|v| v.to_string())
                .collect();
            let wanted: &[&str] = match s {
                Scalar::Bool => &["true", "false"],
                Scalar::I8 => &["-128", "127", "-127", "126", "-1"],
                Scalar::I32 => &["-2147483648", "2147483647", "999", "1001", "65536"],
                Scalar::U64 => &["18446744073709551615", "0", "1001", "4294967296"],
                Scalar::F32 => {
                    &["NaN", "inf", "-inf", "-0.0", "1e-45", "3.4028235e38", "999.0", "1000.00006"]
                }
                s if s.is_float() => &["NaN", "inf", "-inf", "-0.0", "0.0"],
                _ => &["0", "1"],
            };
            for wanted in wanted {
                assert!(drawn.iter().any(|d| d == wanted), "{wanted} of {}", s.name());
            }
        }
    }
}
