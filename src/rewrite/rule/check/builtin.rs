//! Instances for the rules that are procedures.

use super::draw::Gen;
use super::{Case, Origin};
use crate::lang::build as b;
use crate::lang::eval::Sizes;
use crate::lang::eval::inputs::Rng;
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::{Scalar, Type};
use crate::rule::RuleArg;

/// Draws a term for the built-in rule of this name.
pub(super) fn draw(name: &str, origin: Origin) -> Option<Case> {
    let sizes = if name == "chooseByWork" {
        Sizes::from([(LENGTH.into(), 1 + (origin.seed % 9) as i64)])
    } else {
        Sizes::new()
    };
    let mut g = Gen { rng: Rng::new(origin.seed), sizes: &sizes, size: origin.size, fails: false };
    let mut ctx = vec![Type::scalar(Scalar::I32), Type::f32(), g.data_type(2)];
    let (body, args) = match name {
        "gentleBeta" => (redex(&mut g, &mut ctx)?, vec![]),
        "idxReduction" => (constant_idx(&mut g, &mut ctx)?, vec![]),
        "subexpressionElimination" => {
            let ty = g.data_type(1);
            let body = g.term(&mut ctx, &ty, 4)?;
            let positions = body.positions();
            let at = positions[g.below(positions.len())].0.clone();
            (body, vec![RuleArg::Position(at)])
        }
        "separateDotVH" | "separateDotHV" => (dot(&mut g, &mut ctx)?, vec![]),
        "reduceFromNeutral" => (reduction(&mut g, &mut ctx)?, vec![]),
        "chooseByWork" => {
            let least = Nat::constant(1 + g.below(30) as i64);
            (map_of_open_length(&mut g, &mut ctx)?, vec![RuleArg::Nat(least)])
        }
        "mapOfComponent" => (map_of_component(&mut g, &mut ctx)?, vec![]),
        "vectorizeMap" => (vectors_of_a_map(&mut g, &mut ctx)?, vec![]),
        _ => return None,
    };
    let at = Path::new(vec![0; ctx.len()]);
    let term = ctx.into_iter().rev().fold(body, |t, ty| Term::lam("in", ty, t));
    Some(Case { term, at, args, sizes, origin })
}

/// A size of which the term does not tell the value.
const LENGTH: &str = "n";

fn map_of_open_length(g: &mut Gen, ctx: &mut Vec<Type>) -> Option<Term> {
    let (element, result) = (g.data_type(1), g.data_type(1));
    let f = g.term(ctx, &Type::fun(element.clone(), result), 3)?.shift_up(1);
    let array = Type::array(Nat::var(LENGTH), element);
    ctx.push(array.clone());
    b::map(f, Term::var(0, array)).ok()
}

fn redex(g: &mut Gen, ctx: &mut Vec<Type>) -> Option<Term> {
    let (param, result) = (g.data_type(1), g.data_type(1));
    let argument = g.term(ctx, &param, 2)?;
    let f = g.term(ctx, &Type::fun(param, result), 3)?;
    Some(Term::app(f, argument))
}

fn constant_idx(g: &mut Gen, ctx: &mut Vec<Type>) -> Option<Term> {
    let n = 1 + g.below(4);
    let ty = g.data_type(1);
    let elements = (0..n).map(|_| g.term(ctx, &ty, 2)).collect::<Option<Vec<_>>>()?;
    let at = Nat::constant(g.below(n) as i64);
    let size = Nat::constant(n as i64);
    let index = if g.one_in(2) {
        Term::lit(Literal::Index(at, size))
    } else {
        b::nat_as_index(&size, Term::lit(Literal::Nat(at))).ok()?
    };
    b::idx(index, b::make_array(elements).ok()?).ok()
}

/// Vectors of a map of a function on scalars, or nested pairs and arrays of them.
fn vectors_of_a_map(g: &mut Gen, ctx: &mut Vec<Type>) -> Option<Term> {
    fn nested(g: &mut Gen, depth: usize) -> Type {
        if depth == 0 || g.one_in(2) {
            return Type::f32();
        }
        if g.one_in(3) {
            return Type::array(Nat::constant(1 + g.below(3) as i64), nested(g, depth - 1));
        }
        Type::pair(nested(g, depth - 1), nested(g, depth - 1))
    }
    let element = nested(g, 2);
    let n = Nat::constant(1 + g.below(4) as i64);
    let length = n.mul(&Nat::constant(1 + g.below(3) as i64));
    let f = g.term(ctx, &Type::fun(element.clone(), Type::f32()), 3)?;
    let xs = g.term(ctx, &Type::array(length, element), 2)?;
    b::as_vector(&n, b::map(f, xs).ok()?).ok()
}

/// A map over zipped arrays of a function of one of their components.
fn map_of_component(g: &mut Gen, ctx: &mut Vec<Type>) -> Option<Term> {
    let (first, second, result) = (g.data_type(1), g.data_type(1), g.data_type(1));
    let n = Nat::constant(1 + g.below(4) as i64);
    let a = g.term(ctx, &Type::array(n.clone(), first.clone()), 2)?;
    let b = g.term(ctx, &Type::array(n, second.clone()), 2)?;
    let is_first = g.one_in(2);
    let element = if is_first { first.clone() } else { second.clone() };
    let f = g.term(ctx, &Type::fun(element, result), 3)?;
    let of_pair = |p: Term| Ok(Term::app(f, if is_first { b::fst(p)? } else { b::snd(p)? }));
    b::map(b::lam("p", Type::pair(first, second), of_pair).ok()?, b::zip(a, b).ok()?).ok()
}

/// A reduction of scalars by an operator that has a neutral value.
fn reduction(g: &mut Gen, ctx: &mut Vec<Type>) -> Option<Term> {
    let operators: [(Pattern, &[Scalar]); 6] = [
        (Pattern::Add, &[Scalar::F32, Scalar::I32, Scalar::U8]),
        (Pattern::Mul, &[Scalar::F32, Scalar::I64, Scalar::I8]),
        (Pattern::Min, &[Scalar::I32, Scalar::U16]),
        (Pattern::Max, &[Scalar::I16, Scalar::U32]),
        (Pattern::And, &[Scalar::Bool]),
        (Pattern::Or, &[Scalar::Bool]),
    ];
    let (op, scalars) = operators[g.below(operators.len())];
    let scalar = Type::scalar(scalars[g.below(scalars.len())]);
    let xs = Type::array(Nat::constant(1 + g.below(6) as i64), scalar.clone());
    ctx.extend([xs.clone(), scalar.clone()]);
    let f = b::pattern(op, vec![], &[scalar.clone(), scalar.clone()]).ok()?;
    b::reduce(f, Term::var(0, scalar), Term::var(1, xs)).ok()
}

/// A dot product with a matrix that is a product.
fn dot(g: &mut Gen, ctx: &mut Vec<Type>) -> Option<Term> {
    let s = if g.one_in(3) { Scalar::F32 } else { Scalar::I32 };
    let scalar = Type::scalar(s);
    let (n, m) = (1 + g.below(3), 1 + g.below(3));
    let column: Vec<i64> = (0..n).map(|_| g.below(5) as i64 - 2).collect();
    let row: Vec<i64> = (0..m).map(|_| g.below(5) as i64 - 2).collect();
    let rows = column.iter().map(|v| {
        let cells = row.iter().map(|h| b::number(v * h, s)).collect::<Result<Vec<_>, _>>()?;
        b::make_array(cells)
    });
    let weights = b::make_array(rows.collect::<Result<Vec<_>, _>>().ok()?).ok()?;
    let image = Type::array(Nat::constant(n as i64), Type::array(Nat::constant(m as i64), scalar.clone()));
    ctx.push(image.clone());
    let xs = Term::var(0, image);
    let pair = Type::pair(scalar.clone(), scalar.clone());
    let times = b::lam("x", pair, |p| b::mul(b::fst(p.clone())?, b::snd(p)?)).ok()?;
    let plus = b::pattern(Pattern::Add, vec![], &[scalar.clone(), scalar]).ok()?;
    let (first, second) = if g.one_in(2) { (weights, xs) } else { (xs, weights) };
    let zipped = b::zip(b::join(first).ok()?, b::join(second).ok()?).ok()?;
    b::reduce(plus, b::number(0, s).ok()?, b::map(times, zipped).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::Size;
    use super::*;
    use crate::lang::literal::Literal;
    use crate::lang::root::Root;
    use crate::lang::term::Expr;
    use crate::rule::apply::apply_at;
    use crate::rule::builtin::{self, Numbers};
    use crate::rule::operators::neutral_values;
    use std::collections::HashSet;

    fn patterns(t: &Term) -> Vec<Pattern> {
        t.positions().into_iter().filter_map(|(_, t)| t.as_pattern()).collect()
    }

    #[test]
    fn procedures_make_nothing_that_is_not_said_of_them() {
        let numbers = |t: &Term| -> HashSet<Literal> {
            let all = t.positions();
            all.into_iter()
                .filter_map(|(_, t)| if let Expr::Lit(l) = t.expr() { Some(l.clone()) } else { None })
                .collect()
        };
        for rule in builtin::all() {
            let (makes, of_numbers) = builtin::makes(&rule.name).unwrap();
            let may_be = match of_numbers {
                Numbers::None => Some(HashSet::new()),
                Numbers::Neutral => Some(neutral_values()),
                Numbers::Factors | Numbers::Work => None,
            };
            let mut others = HashSet::new();
            let mut applied = 0;
            for seed in 0..400 {
                let origin = Origin { member: 0, seed, size: Size::Any, sizes: vec![], operators: None };
                let Some(case) = draw(&rule.name, origin) else { continue };
                let Ok(done) = apply_at(&case.term, &case.at, &rule, &case.args) else { continue };
                let root = case.term.at(&case.at).map(Root::of).unwrap();
                assert!(
                    rule.roots(&case.args).is_none_or(|roots| roots.contains(&root)),
                    "{}: {root:?}",
                    rule.name
                );
                let before = patterns(&case.term);
                let new: Vec<Pattern> = patterns(&done.term)
                    .into_iter()
                    .filter(|p| !before.contains(p) && !makes.contains(p))
                    .collect();
                assert!(new.is_empty(), "{}: {new:?}", rule.name);
                others.extend(&numbers(&done.term) - &numbers(&case.term));
                applied += 1;
            }
            assert!(may_be.is_none_or(|may_be| others.is_subset(&may_be)), "{}: {others:?}", rule.name);
            assert_eq!(of_numbers == Numbers::None, others.is_empty(), "{}", rule.name);
            assert!(applied > 20, "{}: {applied}", rule.name);
        }
    }
}
