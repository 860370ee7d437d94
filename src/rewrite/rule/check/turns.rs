//! The operators that the instances of a rule have in turn. What a rule asks of an operator is asked of all that have it, and
//! of some rules one operator alone shows that they are wrong: none is left to luck.

use super::instance::{Computed, computed};
use super::operator::{self, Has, Operator};
use crate::lang::ty::{Scalar, Type, TypeKind, TypeVar};
use crate::rule::equation::Equation;
use std::collections::BTreeMap;

/// The turns of one equation.
pub(super) struct Turns {
    /// The variables that are operators on one type.
    groups: Vec<Group>,
}

struct Group {
    /// The variables, by their numbers.
    variables: Vec<usize>,
    /// For each type that they may be on, the operators of each of them.
    at: Vec<Vec<Vec<Operator>>>,
}

impl Group {
    /// So many turns show every operator of every variable, beside others of the other variables.
    fn turns_at(&self, operators: &[Vec<Operator>]) -> usize {
        operators.iter().map(Vec::len).max().unwrap_or(0) * self.variables.len()
    }

    fn len(&self) -> usize {
        self.at.iter().map(|operators| self.turns_at(operators)).sum()
    }

    fn operators(&self, turn: usize) -> impl Iterator<Item = (usize, Operator)> {
        let mut turn = turn % self.len().max(1);
        let all = self.at.iter().find(|operators| {
            let here = self.turns_at(operators);
            let found = turn < here;
            turn -= if found { 0 } else { here };
            found
        });
        let of_each = self.variables.iter().zip(all.into_iter().flatten()).enumerate();
        of_each.filter_map(move |(i, (variable, operators))| {
            // Two variables have not the same one in every turn.
            let round = turn / operators.len().max(1);
            let at = (turn + i * (1 + round)) % operators.len().max(1);
            Some((*variable, operators.get(at)?.clone()))
        })
    }
}

impl Turns {
    /// The operators of an equation, those that round among them where rounding shows.
    pub fn of(eq: &Equation, declared: &[Operator], rounding: bool) -> Turns {
        let computed = computed(eq);
        let mut groups: Vec<(Type, Vec<usize>)> = vec![];
        for (v, variable) in eq.vars.iter().enumerate() {
            let Some((operand, _)) = variable.ty.as_fun() else { continue };
            if Has::asked(eq, v) == Has::default() {
                continue;
            }
            match groups.iter_mut().find(|(t, _)| t == operand) {
                Some((_, variables)) => variables.push(v),
                None => groups.push((operand.clone(), vec![v])),
            }
        }
        let group = |(operand, variables): (Type, Vec<usize>)| {
            let of_each = |t: &Type| -> Vec<Vec<Operator>> {
                variables.iter().map(|v| operator::all(t, Has::asked(eq, *v), declared, rounding)).collect()
            };
            let types = types(&operand, &computed, declared);
            let at = types.iter().map(of_each).filter(|all| all.iter().all(|of| !of.is_empty())).collect();
            Group { variables, at }
        };
        let groups = groups.into_iter().map(group).filter(|group: &Group| group.len() > 0).collect();
        Turns { groups }
    }

    /// How many turns there are.
    pub fn len(&self) -> usize {
        self.groups.iter().map(Group::len).max().unwrap_or(0)
    }

    /// The operators of a turn, by the variables that they are for.
    pub fn operators(&self, turn: usize) -> BTreeMap<usize, Operator> {
        self.groups.iter().flat_map(|group| group.operators(turn)).collect()
    }
}

/// The type variables that stand for an operand or for parts of it.
pub(super) fn parts(operand: &Type) -> Vec<usize> {
    match operand.kind() {
        TypeKind::Var(TypeVar::Meta(i)) => vec![*i as usize],
        TypeKind::Array(_, element) => parts(element),
        TypeKind::Pair(first, second) => [parts(first), parts(second)].concat(),
        _ => vec![],
    }
}

/// The first part of an operand that is a scalar or left open.
fn first_part(operand: &Type) -> Option<&Type> {
    match operand.kind() {
        TypeKind::Scalar(_) | TypeKind::Var(TypeVar::Meta(_)) => Some(operand),
        TypeKind::Array(_, part) | TypeKind::Pair(part, _) => first_part(part),
        _ => None,
    }
}

/// The types that an operator is on in its turns, or is on parts of: integers and floats for all others of them, what is composed,
/// and what the user declares operators on.
fn types(operand: &Type, computed: &Computed, declared: &[Operator]) -> Vec<Type> {
    let Some(part) = first_part(operand) else { return vec![] };
    let TypeKind::Var(TypeVar::Meta(i)) = part.kind() else { return vec![part.clone()] };
    let numbers = [Scalar::I32, Scalar::F32].map(Type::scalar);
    let others = [Type::scalar(Scalar::Bool), operator::composable()];
    let mut all: Vec<Type> = numbers.into_iter().chain(others).collect();
    for own in declared.iter().map(Operator::operand) {
        if !all.contains(&own) {
            all.push(own);
        }
    }
    all.retain(|t| computed.allows(*i as usize, t));
    all
}
