//! Random instances of an equation's left side.

use super::draw::Gen;
use crate::lang::constraint::SizeConstraint;
use crate::lang::eval::Sizes;
use crate::lang::eval::inputs::Rng;
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::term::{Arg, Term};
use crate::lang::ty::{Type, TypeKind, TypeVar};
use crate::lang::value::eval_nat;
use crate::rewrite::rule::bindings::{Bindings, Bound};
use crate::rewrite::rule::condition::Condition;
use crate::rewrite::rule::equation::{Equation, SlotKind};
use crate::rewrite::rule::instance::instantiate_plainly;
use crate::rewrite::rule::pat::{Pat, PatArg, PatNode};
use crate::rewrite::rule::vectorise::{lane_type, vectorise};
use crate::rewrite::rule::{ParamKind, RuleArg, RuleParam};
use std::collections::BTreeSet;

/// A closed term whose body, under the parameters, is an instance of a left side.
pub struct Instance {
    pub args: Vec<RuleArg>,
    pub sizes: Sizes,
    /// `\inputs. body`
    pub term: Term,
    /// How many parameters stand above the instance, and how many arguments it is applied to.
    pub inputs: usize,
    pub applied: usize,
}

/// Draws one instance; none when the draw did not fit the rule's conditions.
pub fn draw(eq: &Equation, params: &[RuleParam], depth: u64, seed: u64) -> Option<Instance> {
    let mut rng = Rng::new(seed);
    let symbolic = rng.below(4) == 0;
    let mut b = Bindings::new(eq.vars.len(), eq.types.len(), eq.nats.len(), eq.slots.len());
    let mut sizes = Sizes::new();
    for i in 0..eq.nats.len() {
        let value = 1 + rng.below(4) as i64;
        b.nats[i] = Some(if symbolic {
            let name = Name::from(format!("n{i}"));
            sizes.insert(name.clone(), value);
            Nat::var(&name)
        } else {
            Nat::constant(value)
        });
    }
    let mut draw = Draw { eq, b, g: Gen { rng, sizes: &sizes } };
    draw.slots();
    draw.types();
    if !draw.sizes_fit() {
        return None;
    }
    let sides = eq.applied.as_ref().unwrap_or(&eq.sides);
    let inputs = draw.variables()?;
    let mut assumed: Vec<SizeConstraint> = vec![];
    for c in &eq.conditions {
        c.check(eq, &draw.b, &mut assumed).ok()?;
    }
    if !assumed.iter().all(|c| c.holds(&|n| sizes.get(n).copied()) == Ok(true)) {
        return None;
    }
    let body = instantiate_plainly(&sides.lhs, &draw.b).ok()?;
    let b = draw.b;
    let args = params
        .iter()
        .map(|p| {
            Some(match &p.kind {
                ParamKind::Nat(i) => RuleArg::Nat(b.nats[*i].clone()?),
                ParamKind::Depth => RuleArg::Nat(Nat::constant(depth as i64)),
                ParamKind::Addr(i) | ParamKind::Dim(i) => match b.slots[*i].clone()? {
                    Arg::Addr(a) => RuleArg::Addr(a),
                    Arg::Dim(d) => RuleArg::Dim(d),
                    Arg::Nat(n) => RuleArg::Nat(n),
                },
                ParamKind::Term(..) | ParamKind::Position => return None,
            })
        })
        .collect::<Option<Vec<_>>>()?;
    // What is a function is applied to inputs, to see what it does.
    let (extra, _) = body.ty().signature();
    let applied = extra.len();
    let body = body.shift_up(applied as u32);
    let body = extra
        .iter()
        .enumerate()
        .fold(body, |f, (i, t)| Term::app(f, Term::var((applied - 1 - i) as u32, t.clone())));
    let all: Vec<Type> = inputs.into_iter().chain(extra).collect();
    if all.iter().any(|t| !t.is_data()) {
        return None;
    }
    let count = all.len();
    let term = all.into_iter().enumerate().rev().fold(body, |t, (i, ty)| Term::lam(&format!("in{i}"), ty, t));
    Some(Instance { args, sizes, term, inputs: count, applied })
}

struct Draw<'a> {
    eq: &'a Equation,
    b: Bindings,
    g: Gen<'a>,
}

impl Draw<'_> {
    fn slots(&mut self) {
        for (i, slot) in self.eq.slots.iter().enumerate() {
            self.b.slots[i] = Some(match slot.kind {
                SlotKind::Addr => {
                    Arg::Addr(if self.g.one_in(2) { AddressSpace::Private } else { AddressSpace::Global })
                }
                SlotKind::Dim => Arg::Dim(self.g.below(3) as u8),
            });
        }
    }

    /// Types for the type variables: numbers where the rule computes with them, else any data.
    fn types(&mut self) {
        let numbers = numbers(self.eq);
        // A rule that re-associates is tested on integers mostly, where that is exact.
        for i in 0..self.eq.types.len() {
            let t = if numbers.contains(&i) { self.g.number_type() } else { self.g.data_type(1) };
            self.b.types[i] = Some(t);
        }
    }

    /// Are all sizes of both sides sizes?
    fn sizes_fit(&self) -> bool {
        let value = |n: &Nat| eval_nat(&self.b.size(n), self.g.sizes).ok();
        let mut fits = self.eq.needs.iter().all(|n| value(n).is_some_and(|v| v >= 0));
        let sides = [Some(&self.eq.sides), self.eq.applied.as_ref()];
        let patterns = sides.into_iter().flatten().flat_map(|s| [&s.lhs, &s.rhs]);
        for node in patterns.flat_map(Pat::nodes) {
            node.ty.for_each_nat(&mut |n| fits &= value(n).is_some_and(|v| v > 0));
            if let PatNode::Prim(_, args) = &node.node {
                for arg in args {
                    if let PatArg::Nat(n) = arg {
                        fits &= value(n).is_some_and(|v| v >= 0);
                    }
                }
            }
        }
        fits
    }

    /// Terms for the variables. Returns the types of the inputs that they use.
    fn variables(&mut self) -> Option<Vec<Type>> {
        let types: Vec<Type> = self.eq.vars.iter().map(|v| self.substituted(&v.ty)).collect();
        // Data variables get inputs of their own; a few more for functions to mention.
        let mut ctx: Vec<Type> = vec![];
        let mut own: Vec<Option<usize>> = vec![None; types.len()];
        for (v, ty) in types.iter().enumerate() {
            if ty.is_data() && self.eq.vars[v].scope.is_empty() {
                own[v] = Some(ctx.len());
                ctx.push(ty.clone());
            }
        }
        ctx.extend([Type::scalar(crate::lang::ty::Scalar::I32), Type::f32()]);
        for c in &self.eq.conditions.clone() {
            self.satisfy(c, &types, &mut ctx)?;
        }
        for (v, ty) in types.iter().enumerate() {
            if self.b.terms[v].is_some() {
                continue;
            }
            let term = match own[v] {
                Some(at) if !self.g.one_in(4) => Term::var((ctx.len() - 1 - at) as u32, ty.clone()),
                _ => {
                    let scope: Vec<Type> =
                        self.eq.vars[v].scope.iter().map(|(_, t)| self.substituted(t)).collect();
                    let outer = ctx.len();
                    ctx.extend(scope);
                    let term = self.g.term(&mut ctx, ty, 3);
                    ctx.truncate(outer);
                    term?
                }
            };
            self.b.terms[v] = Some(Bound { term, at: None });
        }
        Some(ctx)
    }

    fn substituted(&self, t: &Type) -> Type {
        t.subst(&self.b)
    }

    /// Draws terms that a condition asks for; what it leaves undrawn, or draws in vain, is checked afterwards.
    fn satisfy(&mut self, c: &Condition, types: &[Type], ctx: &mut Vec<Type>) -> Option<()> {
        let drawn = match c {
            Condition::Assoc(f) | Condition::Commutative(f) => {
                (*f, self.b.term(*f).cloned().or_else(|| self.g.operator(types[*f].as_fun()?.0)))
            }
            Condition::Neutral(f, z) => {
                let op = match self.b.term(*f).cloned() {
                    Some(op) => op,
                    None => self.g.operator(types[*f].as_fun()?.0)?,
                };
                self.b.terms[*f] = Some(Bound { term: op.clone(), at: None });
                (*z, self.g.neutral(&op))
            }
            Condition::Additive(f) => {
                let (params, _) = types[*f].signature();
                let [acc, element] = params.as_slice() else { return None };
                (*f, self.g.additive(ctx, acc, element))
            }
            Condition::Zero(z) => {
                (*z, types[*z].as_scalar().and_then(|s| Literal::number(0, s)).map(Term::lit))
            }
            Condition::Lanewise(f) => {
                let (n, lane) = lane_type(&types[*f])?;
                let scalar = self.g.term(ctx, &lane, 2)?;
                (*f, vectorise(&n, &scalar).ok())
            }
            _ => return Some(()),
        };
        self.b.terms[drawn.0] = Some(Bound { term: drawn.1?, at: None });
        Some(())
    }
}

/// The type variables that must be numbers: operands of arithmetic, lanes of vectors, what conditions say.
fn numbers(eq: &Equation) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    let all = |t: &Type, out: &mut BTreeSet<usize>| {
        t.for_each_var(&mut |v| {
            if let TypeVar::Meta(i) = v {
                out.insert(*i as usize);
            }
        });
    };
    for c in &eq.conditions {
        match c {
            Condition::ScalarType(t) => {
                out.insert(*t);
            }
            Condition::Assoc(f)
            | Condition::Commutative(f)
            | Condition::Neutral(f, _)
            | Condition::ScalarFun(f)
            | Condition::Vectorisable(_, f) => all(&eq.vars[*f].ty, &mut out),
            Condition::Additive(f) => {
                if let Some((acc, _)) = eq.vars[*f].ty.as_fun() {
                    all(acc, &mut out);
                }
            }
            _ => {}
        }
    }
    let sides = [Some(&eq.sides), eq.applied.as_ref()];
    for node in sides.into_iter().flatten().flat_map(|s| [&s.lhs, &s.rhs]).flat_map(Pat::nodes) {
        if let PatNode::Prim(p, _) = &node.node
            && is_arithmetic(*p)
        {
            all(&node.ty, &mut out);
        }
        lanes(&node.ty, &mut |t| all(t, &mut out));
    }
    out
}

fn is_arithmetic(p: Pattern) -> bool {
    use Pattern as P;
    matches!(
        p,
        P::Add
            | P::Sub
            | P::Mul
            | P::Div
            | P::Mod
            | P::Neg
            | P::Min
            | P::Max
            | P::Abs
            | P::Gt
            | P::Lt
            | P::Equal
    )
}

/// Calls `f` for the element type of every vector in the type.
fn lanes(t: &Type, f: &mut dyn FnMut(&Type)) {
    match t.kind() {
        TypeKind::Vector(_, t) => f(t),
        TypeKind::Array(_, t) => lanes(t, f),
        TypeKind::Pair(s, t) | TypeKind::Fun(s, t) => {
            lanes(s, f);
            lanes(t, f);
        }
        _ => {}
    }
}
