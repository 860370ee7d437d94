//! A rule that is an equation: two typed sides, read from left to right.

use super::condition::{Condition, permutations};
use super::operators::Properties;
use super::pat::{Pat, PatArg, PatNode};
use crate::lang::constraint::SizeConstraint;
use crate::lang::infer::left_aside;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::ty::{Type, TypeSubst, TypeVar};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A term variable of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleVar {
    pub name: Name,
    /// The binders of the left side that it may mention, with their types, outermost first.
    pub scope: Vec<(Name, Type)>,
    /// The type of what it stands for.
    pub ty: Type,
}

impl RuleVar {
    /// The type of the variable as a function of its scope.
    pub fn function_type(&self) -> Type {
        self.scope.iter().rev().fold(self.ty.clone(), |t, (_, p)| Type::fun(p.clone(), t))
    }
}

/// A type variable of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleType {
    pub name: Name,
    /// It stands for data only, as every type that a pattern takes; otherwise also for functions.
    pub data: bool,
}

/// A variable for an address space or a dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSlot {
    pub name: Name,
    pub kind: SlotKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotKind {
    Addr,
    Dim,
}

/// Left and right side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sides {
    pub lhs: Pat,
    pub rhs: Pat,
}

/// The equation of a rule. Numbers in patterns and types are indices into these lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    pub vars: Vec<RuleVar>,
    pub types: Vec<RuleType>,
    pub nats: Vec<Name>,
    pub slots: Vec<RuleSlot>,
    /// The sides as written; a left side that is a composition is applied to a variable. The e-graph matches these.
    pub sides: Sides,
    /// Where the sides are functions, both applied to fresh variables: what stands in a program is mostly
    /// `map f x`, also for a rule on `map f`.
    pub applied: Option<Sides>,
    pub conditions: Vec<Condition>,
    /// Sizes that the right side has and that are not evidently sizes: `n/p`, `n - 1`.
    pub needs: Vec<Nat>,
    /// What users have declared of operators, for the conditions.
    pub declared: Arc<Properties>,
}

struct Readable<'a>(&'a Equation);

impl TypeSubst for Readable<'_> {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        if let TypeVar::Meta(i) = v { Some(Type::named(&self.0.types.get(*i as usize)?.name)) } else { None }
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        if let NatVar::Meta(i) = v { Some(Nat::var(self.0.nats.get(*i as usize)?)) } else { None }
    }
}

impl Equation {
    /// The type with the rule's variables by name.
    pub fn readable_type(&self, t: &Type) -> Type {
        t.subst(&Readable(self))
    }

    /// The size with the rule's variables by name.
    pub fn readable_size(&self, n: &Nat) -> Nat {
        n.subst(&|v| Readable(self).nat(v))
    }

    /// Can the size be none, as what is padded or dropped can? Not where an array's length is none with it, or the step of a
    /// window: programs have no such thing. Parameters of rules are sizes as those of programs are.
    pub fn may_be_none(&self, size: u32, params: &[u32]) -> bool {
        let mut may = !params.contains(&size);
        for node in self.sides.lhs.nodes() {
            node.ty.for_each_nat(&mut |n| may &= !is_none_with(n, size));
            if let PatNode::Prim(pattern, args) = &node.node
                && pattern.needs_one()
            {
                may &= !args.iter().any(|arg| matches!(arg, PatArg::Nat(n) if is_none_with(n, size)));
            }
        }
        may
    }

    /// Does a side of the rule ask for what must hold of its sizes? Then the program has asked for it before the rule is
    /// applied, or asks for it afterwards; else nothing would remember it. `value` says what the rule's sizes are.
    pub fn keeps(&self, c: &SizeConstraint, value: &dyn Fn(&NatVar) -> Option<Nat>) -> bool {
        // Types say the same lengths many times.
        let (mut lengths, mut sizes) = (FxHashSet::default(), FxHashSet::default());
        for p in [&self.sides.lhs, &self.sides.rhs].into_iter().flat_map(Pat::nodes) {
            p.ty.for_each_nat(&mut |n| lengths.extend([n.clone()]));
            if let PatNode::Prim(pattern, args) = &p.node {
                let given =
                    args.iter().filter_map(|a| if let PatArg::Nat(n) = a { Some(n.clone()) } else { None });
                sizes.extend(given.chain(left_aside(*pattern, &p.ty)));
            }
        }
        let permuted = [&self.sides.lhs, &self.sides.rhs].into_iter().flat_map(permutations);
        let mut asked: Vec<SizeConstraint> = permuted.map(|c| c.subst(value)).collect();
        asked.extend(lengths.iter().flat_map(|n| SizeConstraint::of_length(&n.subst(value))));
        asked.extend(sizes.iter().flat_map(|n| SizeConstraint::of_size(&n.subst(value))));
        c.follows_from(&asked)
    }

    pub fn var(&self, name: &str) -> Option<usize> {
        self.vars.iter().position(|v| &*v.name == name)
    }
}

/// Is the number, which depends on sizes of a rule, none where this one is?
fn is_none_with(n: &Nat, size: u32) -> bool {
    n.has_metas() && n.subst(&|v| (*v == NatVar::Meta(size)).then(|| Nat::constant(0))).is_zero()
}
