//! Patterns that work lane by lane: what the types of a comparison, a choice, a connective or a conversion say of each
//! other.
//!
//! A comparison of scalars is a `bool`, one of vectors `<n>t` a `<n>bool`; `select` chooses between any two values by
//! a `bool`, and lane by lane between vectors by a `<n>bool`. So a type may follow from another one that becomes known
//! only later, in either direction.

use super::scheme::Choice;
use super::unify::{Kind, Mismatch, Origin, Unifier};
use crate::pattern::Pattern;
use crate::ty::{Scalar, Type, TypeKind, TypeSubst, TypeVar};

/// What holds between types of one use of a pattern.
#[derive(Clone, Debug)]
pub enum Relation {
    /// The truth value that a comparison of operands of a type is.
    Compares { operand: Type, truth: Type },
    /// The condition by which `select` chooses between values of a type.
    Chooses { condition: Type, choice: Type },
    /// Truth values, one or one a lane.
    Truth(Type),
    /// What `cast` is given and what it makes of it, which has as many lanes.
    Converts { from: Type, to: Type },
}

/// Whether a relation has said all that it can.
#[derive(Debug)]
pub enum Settled {
    /// It has.
    Done,
    /// It depends on what is not known yet.
    Open,
    /// Types that should be equal are not.
    Differ(Mismatch),
    /// There is a condition for each lane, but what is chosen between has no lanes.
    NoLanes { condition: Type, choice: Type },
}

fn boolean() -> Type {
    Type::scalar(Scalar::Bool)
}

impl Relation {
    /// That of a pattern whose scheme has these types for its variables, if there is one.
    pub fn of(pattern: Pattern, types: &Choice) -> Option<Relation> {
        let ty = |name: &str| types.ty(&TypeVar::Named(name.into()));
        Some(match pattern {
            p if p.is_comparison() => Relation::Compares { operand: ty("t")?, truth: ty("b")? },
            Pattern::Select => Relation::Chooses { condition: ty("b")?, choice: ty("t")? },
            Pattern::And | Pattern::Or | Pattern::Not => Relation::Truth(ty("b")?),
            Pattern::Cast => Relation::Converts { from: ty("s")?, to: ty("t")? },
            _ => return None,
        })
    }

    /// The relation between the types that a function makes of these.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Type) -> Type) -> Relation {
        match self {
            Relation::Compares { operand, truth } => {
                Relation::Compares { operand: f(operand), truth: f(truth) }
            }
            Relation::Chooses { condition, choice } => {
                Relation::Chooses { condition: f(condition), choice: f(choice) }
            }
            Relation::Truth(t) => Relation::Truth(f(t)),
            Relation::Converts { from, to } => Relation::Converts { from: f(from), to: f(to) },
        }
    }

    /// The type that it is about: of the truth value, one or one a lane, or of what is converted.
    pub fn subject(&self) -> &Type {
        match self {
            Relation::Compares { truth, .. } => truth,
            Relation::Chooses { condition, .. } => condition,
            Relation::Truth(t) => t,
            Relation::Converts { from, .. } => from,
        }
    }

    /// Makes types known that follow from those that are.
    pub fn settle(&self, u: &mut Unifier, origin: Origin) -> Settled {
        let equal = |u: &mut Unifier, expected: &Type, found: &Type| match u.unify(expected, found, origin) {
            Ok(()) => Settled::Done,
            Err(mismatch) => Settled::Differ(mismatch),
        };
        let vector = |u: &mut Unifier, n| Type::vector(n, u.fresh_type(Kind::Data));
        let truth = u.resolve(self.subject());
        match self {
            Relation::Compares { operand, .. } => {
                let operand = u.resolve(operand);
                match (operand.kind(), truth.as_vector()) {
                    (TypeKind::Var(TypeVar::Meta(_)), Some((n, _))) => {
                        let of = vector(u, n.clone());
                        match equal(u, &operand, &of) {
                            Settled::Done => self.settle(u, origin),
                            other => other,
                        }
                    }
                    (TypeKind::Var(_), _) => Settled::Open,
                    _ => equal(u, &truth, &operand.truth()),
                }
            }
            Relation::Chooses { choice, .. } => {
                let choice = u.resolve(choice);
                match (truth.kind(), choice.kind()) {
                    (TypeKind::Vector(n, _), TypeKind::Vector(..) | TypeKind::Var(TypeVar::Meta(_))) => {
                        // The condition has a truth value a lane, the choices any scalars.
                        match equal(u, &truth.truth(), &truth) {
                            Settled::Done => {}
                            other => return other,
                        }
                        let lanes = vector(u, n.clone());
                        equal(u, &lanes, &choice)
                    }
                    (TypeKind::Vector(..), TypeKind::Var(_)) => Settled::Open,
                    (TypeKind::Vector(..), _) => Settled::NoLanes { condition: truth, choice },
                    (TypeKind::Var(_), TypeKind::Vector(..) | TypeKind::Var(_)) => Settled::Open,
                    _ => equal(u, &boolean(), &truth),
                }
            }
            Relation::Truth(_) => match truth.kind() {
                TypeKind::Var(_) => Settled::Open,
                _ => equal(u, &truth.truth(), &truth),
            },
            Relation::Converts { from, to } => {
                let (from, to) = (u.resolve(from), u.resolve(to));
                match (from.kind(), to.kind()) {
                    // Whether there is such a conversion is asked of it elsewhere.
                    (TypeKind::Vector(n, _), TypeKind::Vector(m, _)) if !n.has_metas() && !m.has_metas() => {
                        Settled::Done
                    }
                    (TypeKind::Vector(n, _), TypeKind::Vector(..) | TypeKind::Var(TypeVar::Meta(_))) => {
                        let lanes = vector(u, n.clone());
                        equal(u, &lanes, &to)
                    }
                    (TypeKind::Var(TypeVar::Meta(_)), TypeKind::Vector(n, _)) => {
                        let lanes = vector(u, n.clone());
                        equal(u, &lanes, &from)
                    }
                    (TypeKind::Var(_), _) | (_, TypeKind::Var(_)) => Settled::Open,
                    _ => Settled::Done,
                }
            }
        }
    }

    /// Takes the truth value for a single one where nothing says what it is. A use may still say the unknowns that
    /// `open` knows.
    pub fn default(&self, u: &mut Unifier, origin: Origin, open: &dyn Fn(u32) -> bool) {
        if !matches!(self, Relation::Converts { .. })
            && let TypeKind::Var(TypeVar::Meta(id)) = u.resolve(self.subject()).kind()
            && !open(*id)
        {
            // A bare unknown can be anything that is data.
            let _ = u.unify(self.subject(), &boolean(), origin);
        }
    }
}
