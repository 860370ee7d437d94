//! Random instances of an equation's left side.

use super::draw::Gen;
use super::operator::{self, Has, Operator};
use super::turns::{self, Turns};
use super::{Missed, Origin, Size};
use crate::lang::build::{self as b, check_patterns};
use crate::lang::constraint::SizeConstraint;
use crate::lang::eval::Sizes;
use crate::lang::eval::inputs::Rng;
use crate::lang::nat::{Name, Nat, NatFun, NatVar};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::sort::Operands;
use crate::lang::steps::is_size_of_step;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::{Scalar, Type, TypeKind, TypeVar};
use crate::lang::value::eval_nat;
use crate::lang::work;
use crate::rule::bindings::{Bindings, Bound};
use crate::rule::condition::{Condition, reorders};
use crate::rule::equation::{Equation, SlotKind};
use crate::rule::instance::instantiate_plainly;
use crate::rule::pat::{Pat, PatArg, PatNode};
use crate::rule::vectorise::{lane_type, vectorise};
use crate::rule::{ParamKind, RuleArg, RuleParam};
use std::collections::{BTreeMap, BTreeSet};

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

/// What the rule has as many of as all its sizes are has about as many scalars at most, wherever sizes allow.
const MOST_SCALARS: i64 = 1 << 15;

/// What the instances of an equation are made of, whatever is drawn.
pub struct Given<'a> {
    pub eq: &'a Equation,
    pub params: &'a [RuleParam],
    /// The operators that the user declares.
    pub declared: &'a [Operator],
    pub turns: &'a Turns,
    /// What is proved is so where all parts have values, as arrays are computed where they are read.
    pub proved: bool,
}

/// Draws one instance.
///
/// # Errors
/// Why there is none, when the draw did not fit the rule.
pub fn draw(given: &Given, origin: &Origin) -> Result<Instance, Missed> {
    let Given { eq, params, declared, proved, .. } = *given;
    let mut rng = Rng::new(origin.seed);
    let size = origin.size;
    let symbolic = size == Size::Any && rng.below(4) == 0;
    let mut b = Bindings::new(eq.vars.len(), eq.types.len(), eq.nats.len(), eq.slots.len());
    let mut sizes = Sizes::new();
    for i in 0..eq.nats.len() {
        let value = origin.sizes.get(i).copied().unwrap_or(1);
        // Sizes of programs count from one: what is none is written so.
        b.nats[i] = Some(if symbolic && value > 0 {
            let name = Name::from(format!("n{i}"));
            sizes.insert(name.clone(), value);
            Nat::var(&name)
        } else {
            Nat::constant(value)
        });
    }
    for name in sizes_of_steps(eq) {
        sizes.insert(name, 1 + rng.below(2) as i64);
    }
    let product = origin.sizes.iter().fold(1i64, |p, v| p.saturating_mul(*v));
    let most = (MOST_SCALARS / product.max(1)).max(1);
    let g = Gen { rng, sizes: &sizes, size, fails: !proved && computes_where_it_matters(eq) };
    // Of every other instance, whichever turn it has.
    let plain = origin.seed.count_ones().is_multiple_of(2);
    let turn = origin.operators.map_or_else(BTreeMap::new, |turn| given.turns.operators(turn));
    let mut draw = Draw { eq, b, g, most, plain, declared, turn, operators: BTreeMap::new() };
    draw.slots();
    draw.types();
    draw.functions();
    if let Some(open) = draw.not_inverse() {
        let name = &eq.nats[open];
        return Err(Missed(format!(
            "`{name}` would have to be the inverse of the function that stands with it, and none that is drawn is: write both \
             functions, or leave both open"
        )));
    }
    if !draw.sizes_fit() {
        return Err("the drawn sizes do not fit".into());
    }
    let sides = eq.applied.as_ref().unwrap_or(&eq.sides);
    let inputs = draw.variables()?;
    let mut assumed: Vec<SizeConstraint> = vec![];
    for c in &eq.conditions {
        let held = c.check(eq, &draw.b, &mut assumed);
        held.map_err(|_| Missed(format!("what was drawn does not fulfil the condition `{}`", c.text(eq))))?;
    }
    if let Some(c) = assumed.iter().find(|c| c.holds(&|n| sizes.get(n).copied()) != Ok(true)) {
        return Err(Missed(format!("the drawn sizes do not fulfil a condition: {c}")));
    }
    let body = instantiate_plainly(&sides.lhs, &draw.b)
        .map_err(|why| Missed(format!("the left side cannot be built: {why}")))?;
    check_patterns(&body).map_err(|why| Missed(format!("the left side cannot be built: {why}")))?;
    let b = draw.b;
    let args = params
        .iter()
        .map(|p| {
            Some(match &p.kind {
                ParamKind::Nat(i) => RuleArg::Nat(b.nats[*i].clone()?),
                ParamKind::Depth => RuleArg::Nat(Nat::constant(origin.member as i64)),
                ParamKind::Addr(i) | ParamKind::Dim(i) => match b.slots[*i].clone()? {
                    Arg::Addr(a) => RuleArg::Addr(a),
                    Arg::Dim(d) => RuleArg::Dim(d),
                    Arg::Nat(n) => RuleArg::Nat(n),
                    Arg::Fun(_) => return None,
                },
                ParamKind::Term(..) | ParamKind::Position => return None,
            })
        })
        .collect::<Option<Vec<_>>>()
        .ok_or(Missed::from("no arguments can be drawn for its parameters"))?;
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
        return Err("the left side is a function of functions, which no input can be drawn for".into());
    }
    let count = all.len();
    let term = all.into_iter().enumerate().rev().fold(body, |t, (i, ty)| Term::lam(&format!("in{i}"), ty, t));
    sizes.retain(|name, _| !is_size_of_step(name));
    Ok(Instance { args, sizes, term, inputs: count, applied })
}

struct Draw<'a> {
    eq: &'a Equation,
    b: Bindings,
    g: Gen<'a>,
    /// What a type variable stands for has no more scalars.
    most: i64,
    /// Every variable that may be an input is one: all other instances are instances of this.
    plain: bool,
    declared: &'a [Operator],
    /// The operators that have their turn, by the variables that they are for.
    turn: BTreeMap<usize, Operator>,
    /// What is drawn for the variables that are asked to be operators.
    operators: BTreeMap<usize, Operator>,
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

    /// Types for the type variables: what an operator is on where one is asked for, numbers where the rule computes with
    /// them, scalars where it asks for them, else any data.
    fn types(&mut self) {
        let computed = computed(self.eq);
        let asked: Vec<usize> =
            (0..self.eq.vars.len()).filter(|v| Has::asked(self.eq, *v) != Has::default()).collect();
        for i in 0..self.eq.types.len() {
            let operand = |v: usize| self.eq.vars[v].ty.as_fun().map(|(operand, _)| operand);
            let operator = asked.iter().any(|v| operand(*v) == Some(&Type::meta(i as u32)));
            let is_part = |v: usize| operand(v).is_some_and(|t| turns::parts(t).contains(&i));
            let in_turn =
                self.turn.iter().find(|(v, _)| is_part(**v)).map(|(_, operator)| operator.operand());
            self.b.types[i] = Some(match in_turn.filter(|t| computed.allows(i, t)) {
                Some(in_turn) => in_turn,
                None if computed.numbers.contains(&i) => self.g.number_type_of(&|s| computed.fits(i, s)),
                None if operator && computed.scalars.contains(&i) => self.g.number_type(),
                None if operator => self.operand_type(),
                None if computed.scalars.contains(&i) => self.g.scalar_type(),
                None => self.data_type(),
            });
        }
        for v in asked {
            let Some((operand, _)) = self.eq.vars[v].ty.as_fun() else { continue };
            let (operand, asked) = (self.substituted(operand), Has::asked(self.eq, v));
            let drawn = match self.turn.get(&v) {
                Some(in_turn) => in_turn.at(&operand, asked, self.declared, &mut self.g.rng),
                None => operator::draw(&operand, asked, self.declared, &mut self.g.rng),
            };
            self.operators.extend(drawn.map(|operator| (v, operator)));
        }
    }

    fn data_type(&mut self) -> Type {
        let drawn = self.g.data_type(1);
        let scalars = work::elements(&drawn).and_then(|n| eval_nat(&n, self.g.sizes).ok());
        if scalars.is_none_or(|n| n <= self.most) { drawn } else { self.g.scalar_type() }
    }

    /// A type that there are operators on: any data, numbers most often, and what the user has declared some on.
    fn operand_type(&mut self) -> Type {
        let own = self.declared.get(self.g.below(self.declared.len())).map(Operator::operand);
        match (self.g.below(5), own) {
            (0, _) => operator::composable(),
            (1, Some(own)) => own,
            // Of floats, what is known of operators holds but for rounding and the signs of zeros.
            (2, _) => Type::f32(),
            (3, _) => self.data_type(),
            _ => self.g.number_type(),
        }
    }

    /// Permutations and their inverses for the variables that stand for functions of sizes.
    fn functions(&mut self) {
        let (eq, mut inverses) = (self.eq, BTreeMap::new());
        for (n, there, back) in reorders(&eq.sides.lhs) {
            let (f, g) = (variable(there), variable(back));
            let (f, g) = match (f, g) {
                (Some(f), Some(g)) => (f, g),
                (Some(f), None) | (None, Some(f)) => (f, f),
                (None, None) => continue,
            };
            let n = self.b.size(n);
            let known = inverses.get(&g).cloned();
            let (to, from) = match (inverses.get(&f).cloned(), known, &self.b.nats[f], &self.b.nats[g]) {
                (Some(from), _, Some(to), _) => (to.clone(), from),
                (None, Some(to), _, Some(from)) => (to, from.clone()),
                _ => self.permutation(&n, f == g),
            };
            (self.b.nats[f], self.b.nats[g]) = (Some(to.clone()), Some(from.clone()));
            inverses.insert(f, from);
            inverses.insert(g, to);
        }
    }

    /// The bodies of a permutation of the numbers below `n` and of its inverse.
    fn permutation(&mut self, n: &Nat, own_inverse: bool) -> (Nat, Nat) {
        let (i, c) = (NatFun::parameter(), Nat::constant);
        let reverse = n.sub(&c(1)).sub(&i);
        let by = c(1 + self.g.below(3) as i64);
        let factor = n.as_constant().and_then(|n| (2..n).find(|d| n % d == 0)).map(c);
        match (self.g.below(3), factor) {
            (0, _) if !own_inverse => (i.add(&by).modulo(n), i.sub(&by).modulo(n)),
            (1, Some(a)) if !own_inverse => {
                let b = n.exact_div(&a);
                let stride = |a: &Nat, b: &Nat| i.floor_div(a).add(&b.mul(&i.modulo(a)));
                (stride(&a, &b), stride(&b, &a))
            }
            _ => (reverse.clone(), reverse),
        }
    }

    /// A function of sizes that is open where its inverse is written, and is drawn as another one.
    fn not_inverse(&self) -> Option<usize> {
        reorders(&self.eq.sides.lhs).into_iter().find_map(|(n, there, back)| {
            let open = match (variable(there), variable(back)) {
                (Some(f), None) | (None, Some(f)) => f,
                _ => return None,
            };
            (!self.permutes(n, there, back)).then_some(open)
        })
    }

    fn permutes(&self, n: &Nat, there: &NatFun, back: &NatFun) -> bool {
        let body = |f: &NatFun| f.with_body(self.b.size(f.body()));
        let permutes = SizeConstraint::Permutes(self.b.size(n), body(there), body(back));
        permutes.holds(&|x| self.g.sizes.get(x).copied()) == Ok(true)
    }

    /// Are all sizes of both sides sizes?
    fn sizes_fit(&self) -> bool {
        let value = |n: &Nat| eval_nat(&self.b.size(n), self.g.sizes).ok();
        let mut fits = self.eq.needs.iter().all(|n| value(n).is_some_and(|v| v >= 0));
        let sides = [Some(&self.eq.sides), self.eq.applied.as_ref()];
        for (n, there, back) in reorders(&self.eq.sides.lhs) {
            fits &= self.permutes(n, there, back);
        }
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
    fn variables(&mut self) -> Result<Vec<Type>, Missed> {
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
        // What a function is given that takes functions: arrays of inputs, too.
        for param in types.iter().flat_map(|t| t.signature().0) {
            ctx.extend(param.signature().0.into_iter().filter(|t| param.as_fun().is_some() && t.has_array()));
        }
        for c in &self.eq.conditions.clone() {
            let drawn = self.satisfy(c, &types, &mut ctx);
            drawn.ok_or_else(|| {
                Missed(format!("nothing can be drawn for the condition `{}`", c.text(self.eq)))
            })?;
        }
        for (v, ty) in types.iter().enumerate() {
            if self.b.terms[v].is_some() {
                continue;
            }
            let term = match own[v] {
                Some(at) if !self.g.one_in(if self.g.fails { 2 } else { 4 }) || self.plain => {
                    Term::var((ctx.len() - 1 - at) as u32, ty.clone())
                }
                _ => {
                    let scope: Vec<Type> =
                        self.eq.vars[v].scope.iter().map(|(_, t)| self.substituted(t)).collect();
                    let outer = ctx.len();
                    ctx.extend(scope);
                    let fuel = if self.g.size == Size::Small { 1 } else { 3 };
                    let term = self.g.term(&mut ctx, ty, fuel);
                    ctx.truncate(outer);
                    term.ok_or_else(|| {
                        let name = &self.eq.vars[v].name;
                        Missed(format!("no term of a drawn type can be drawn for `{name}`"))
                    })?
                }
            };
            self.b.terms[v] = Some(Bound { term, at: None });
        }
        Ok(ctx)
    }

    fn substituted(&self, t: &Type) -> Type {
        t.subst(&self.b)
    }

    /// Draws terms that a condition asks for; what it leaves undrawn, or draws in vain, is checked afterwards.
    fn satisfy(&mut self, c: &Condition, types: &[Type], ctx: &mut Vec<Type>) -> Option<()> {
        let drawn = match c {
            Condition::Assoc(f) | Condition::Commutative(f) | Condition::Idempotent(f) => {
                (*f, self.operators.get(f).map(|o| o.op.clone()))
            }
            Condition::Neutral(f, z) => {
                let operator = self.operators.get(f)?;
                self.b.terms[*f] = Some(Bound { term: operator.op.clone(), at: None });
                (*z, operator.neutral.clone())
            }
            Condition::Additive(f) | Condition::AnyOrder(f) => {
                let (params, _) = types[*f].signature();
                let [acc, element] = params.as_slice() else { return None };
                let op = match c {
                    Condition::Additive(_) => {
                        b::pattern(Pattern::Add, vec![], &[acc.clone(), acc.clone()]).ok()?
                    }
                    _ => {
                        let asked = Has { associative: true, commutative: true, ..Has::default() };
                        operator::draw(acc, asked, self.declared, &mut self.g.rng)?.op
                    }
                };
                let scope: Vec<Type> =
                    self.eq.vars[*f].scope.iter().map(|(_, t)| self.substituted(t)).collect();
                let outer = ctx.len();
                ctx.extend(scope);
                let drawn = self.g.onto(&op, ctx, acc, element);
                ctx.truncate(outer);
                (*f, drawn)
            }
            Condition::Zero(z) => (*z, operator::zero(&types[*z])),
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

/// The number of a function of sizes, where it is a variable of the rule.
fn variable(f: &NatFun) -> Option<usize> {
    match f.body().as_variable() {
        Some(NatVar::Meta(i)) => Some(*i as usize),
        _ => None,
    }
}

/// Is something in the rule computed only where it matters?
fn computes_where_it_matters(eq: &Equation) -> bool {
    let sides = [Some(&eq.sides), eq.applied.as_ref()];
    let mut nodes = sides.into_iter().flatten().flat_map(|s| [&s.lhs, &s.rhs]).flat_map(Pat::nodes);
    nodes.any(|node| matches!(&node.node, PatNode::Prim(Pattern::And | Pattern::Or | Pattern::Select, _)))
}

/// The sizes that steps of `iterate` know on both sides: any number does for them.
fn sizes_of_steps(eq: &Equation) -> BTreeSet<Name> {
    let sides = [Some(&eq.sides), eq.applied.as_ref()];
    let nodes = sides.into_iter().flatten().flat_map(|s| [&s.lhs, &s.rhs]).flat_map(Pat::nodes);
    let mut out = BTreeSet::new();
    for node in nodes {
        node.ty.for_each_nat(&mut |n| {
            out.extend(n.vars().into_iter().filter_map(|v| match v {
                NatVar::Named(name) if is_size_of_step(&name) => Some(name),
                _ => None,
            }));
        });
    }
    out
}

/// The type variables of which not every type does.
#[derive(Default)]
pub(super) struct Computed {
    /// Operands of arithmetic.
    numbers: BTreeSet<usize>,
    /// Those of them that only integers, and only floats, can be.
    integers: BTreeSet<usize>,
    floats: BTreeSet<usize>,
    /// Lanes of vectors, what is converted, and what conditions say.
    scalars: BTreeSet<usize>,
}

impl Computed {
    /// Does the type do for the type variable of an operator's operands?
    pub fn allows(&self, i: usize, t: &Type) -> bool {
        let number = t.as_scalar().filter(|s| *s != Scalar::Bool);
        match number {
            Some(s) => self.fits(i, s),
            None => !self.numbers.contains(&i) && !self.scalars.contains(&i),
        }
    }

    /// Do these numbers do for a type variable?
    fn fits(&self, i: usize, s: Scalar) -> bool {
        (!self.integers.contains(&i) || s.is_integer()) && (!self.floats.contains(&i) || s.is_float())
    }
}

pub(super) fn computed(eq: &Equation) -> Computed {
    let mut out = Computed::default();
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
                out.scalars.insert(*t);
            }
            Condition::ScalarFun(f) | Condition::Vectorisable(_, f) => {
                all(&eq.vars[*f].ty, &mut out.scalars);
            }
            Condition::Additive(f) | Condition::AnyOrder(f) => {
                if let Some((acc, _)) = eq.vars[*f].ty.as_fun() {
                    all(acc, &mut out.numbers);
                }
            }
            _ => {}
        }
    }
    let sides = [Some(&eq.sides), eq.applied.as_ref()];
    for node in sides.into_iter().flatten().flat_map(|s| [&s.lhs, &s.rhs]).flat_map(Pat::nodes) {
        if let PatNode::Prim(p, _) = &node.node
            && let Some(operands) = p.operands()
        {
            use Operands as O;
            match operands {
                O::Numbers | O::Ordered | O::Equal => all(&node.ty, &mut out.numbers),
                O::Integers | O::Bits => {
                    all(&node.ty, &mut out.numbers);
                    all(&node.ty, &mut out.integers);
                }
                O::Floats => {
                    all(&node.ty, &mut out.numbers);
                    all(&node.ty, &mut out.floats);
                }
                O::Convertible => all(&node.ty, &mut out.scalars),
                O::Truth => {}
            }
        }
        lanes(&node.ty, &mut |t| all(t, &mut out.scalars));
    }
    out
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
