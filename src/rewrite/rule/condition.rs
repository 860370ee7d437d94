//! Side conditions of rules.

use super::bindings::Bindings;
use super::equation::{Equation, Sides};
use super::operators;
use super::pat::{Pat, PatArg, PatNode};
use super::vectorise::{is_lanewise, vectorise};
use super::why::{Reason, WhyNot};
use crate::lang::build::is_instance;
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Nat, NatFun};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::{Type, TypeKind, TypeSubst, TypeVar};

/// A condition on what a rule's variables stand for. Numbers are indices of the rule's term variables, unless said
/// otherwise. `x notin f` is no condition at matching: it takes `x` out of the scope of `f`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Sizes divide, or are ordered. What cannot be decided is assumed where a side of the rule asks for it, too.
    Size(SizeConstraint),
    /// The operator is associative.
    Assoc(usize),
    /// The value is neutral for the operator, on both sides.
    Neutral(usize, usize),
    /// The operator does not care about the order of its operands.
    Commutative(usize),
    /// The operator gives the value of which both operands are.
    Idempotent(usize),
    /// The value is zero.
    Zero(usize),
    /// `op a y = a + h y` for some `h`.
    Additive(usize),
    /// The steps of the function from an accumulator may be taken in any order: `f (f a x) y` is `f (f a y) x`.
    AnyOrder(usize),
    /// The matrix of constants is the product of the column and the row of constants.
    Separable(usize, usize, usize),
    /// The matrix of constants is the product of some column and some row.
    Product(usize),
    /// The function takes and returns scalars, or pairs of them.
    ScalarFun(usize),
    /// The function has a vector counterpart at this length.
    Vectorisable(Nat, usize),
    /// The function on vectors does the same in every lane.
    Lanewise(usize),
    /// The binder of this number of its scope occurs at most once in the variable.
    UsedOnce(usize, usize),
    /// The binder occurs in the variable.
    Uses(usize, usize),
    /// The variable stands for more than a variable.
    NotVariable(usize),
    /// The variable computes something, rather than only rearranging data.
    Computes(usize),
    /// The type variable of this number is a scalar.
    ScalarType(usize),
    /// The variable stands for no lambda.
    NotLambda(usize),
    /// The pattern, which the right side alone has at this type, has it: what compares scalars gives one truth value,
    /// what compares vectors one a lane. Not written; see [`Condition::implied`].
    Works(Pattern, Type),
}

impl Condition {
    /// Does it ask for a matrix of weights that can be separated?
    pub fn is_of_separable(&self) -> bool {
        matches!(self, Condition::Separable(..) | Condition::Product(_))
    }

    /// What the right side asks of types that the left side leaves open, that what computes with scalars works on them; and of the
    /// functions by which it reorders what the left side does not.
    pub fn implied(sides: &Sides) -> Vec<Condition> {
        let operations = |side: &Pat| -> Vec<(Pattern, Type)> {
            let nodes = side.nodes().into_iter();
            let computes = nodes.filter_map(|p| match &p.node {
                PatNode::Prim(pattern, _) if pattern.is_lanewise() => Some((*pattern, p.ty.clone())),
                _ => None,
            });
            computes.collect()
        };
        let left = operations(&sides.lhs);
        let mut out = vec![];
        for (pattern, ty) in operations(&sides.rhs) {
            let mut open = false;
            ty.for_each_var(&mut |v| open |= matches!(v, TypeVar::Meta(_)));
            let condition = Condition::Works(pattern, ty.clone());
            if open && !left.contains(&(pattern, ty)) && !out.contains(&condition) {
                out.push(condition);
            }
        }
        // What permutes one way permutes the other way as well.
        let known = reorders(&sides.lhs);
        let known: Vec<_> = known.into_iter().flat_map(|(n, f, g)| [(n, f, g), (n, g, f)]).collect();
        for (n, there, back) in reorders(&sides.rhs).into_iter().filter(|all| !known.contains(all)) {
            let permutes = SizeConstraint::Permutes(n.clone(), there.clone(), back.clone());
            let condition = Condition::Size(permutes);
            if !out.contains(&condition) {
                out.push(condition);
            }
        }
        out
    }

    /// Checks the condition; sizes that cannot be compared are added to `assumed`.
    ///
    /// # Errors
    /// The condition in words, when it does not hold.
    pub fn check(
        &self,
        eq: &Equation,
        b: &Bindings,
        assumed: &mut Vec<SizeConstraint>,
    ) -> Result<(), WhyNot> {
        let holds = match self {
            Condition::Size(c) => {
                let c = c.subst(&|v| TypeSubst::nat(b, v));
                match c.decide() {
                    Some(true) => true,
                    Some(false) => return Err(refuted(&c)),
                    None if !eq.keeps(&c, &|v| TypeSubst::nat(b, v)) => return Err(forgotten(&c)),
                    None => {
                        if !assumed.contains(&c) {
                            assumed.push(c);
                        }
                        true
                    }
                }
            }
            Condition::Assoc(f) => term(b, *f).is_some_and(|f| eq.declared.is_associative(f)),
            Condition::Neutral(f, z) => {
                matches!((term(b, *f), term(b, *z)), (Some(f), Some(z)) if eq.declared.is_neutral(f, z))
            }
            Condition::Commutative(f) => term(b, *f).is_some_and(|f| eq.declared.is_commutative(f)),
            Condition::Idempotent(f) => term(b, *f).is_some_and(|f| eq.declared.is_idempotent(f)),
            Condition::Zero(z) => term(b, *z).is_some_and(operators::is_zero),
            Condition::Additive(f) => term(b, *f).is_some_and(operators::is_additive),
            Condition::AnyOrder(f) => term(b, *f).is_some_and(|f| eq.declared.takes_any_order(f)),
            Condition::Separable(m, v, h) => match (term(b, *m), term(b, *v), term(b, *h)) {
                (Some(m), Some(v), Some(h)) => operators::is_product(m, v, h),
                _ => false,
            },
            Condition::Product(m) => term(b, *m).is_some_and(|m| operators::factors(m).is_some()),
            Condition::ScalarFun(f) => term(b, *f).is_some_and(|f| is_scalar_function(f.ty())),
            Condition::Vectorisable(n, f) => match term(b, *f) {
                Some(f) => {
                    vectorise(&b.size(n), f)?;
                    true
                }
                None => false,
            },
            Condition::Lanewise(f) => term(b, *f).is_some_and(is_lanewise),
            Condition::UsedOnce(v, i) => scoped(eq, b, *v, *i).is_some_and(|(t, i)| t.occurrences(i) <= 1),
            Condition::Uses(v, i) => scoped(eq, b, *v, *i).is_some_and(|(t, i)| t.has_free(i)),
            Condition::NotVariable(v) => term(b, *v).is_some_and(|t| !matches!(t.expr(), Expr::Var(_))),
            Condition::NotLambda(v) => term(b, *v).is_some_and(|t| t.as_lam().is_none()),
            Condition::Computes(f) => term(b, *f).is_some_and(computes),
            Condition::ScalarType(t) => matches!(b.types.get(*t), Some(Some(t)) if t.as_scalar().is_some()),
            Condition::Works(p, ty) => is_instance(*p, &[], &ty.subst(b)),
        };
        if let (false, Some(reason)) = (holds, self.refused_type(eq, b)) {
            return Err(WhyNot::here(reason));
        }
        let text = || self.text(eq);
        match holds {
            true => Ok(()),
            false if self.asks_the_kind() => Err(WhyNot::here(Reason::Unfit(text()))),
            false => Err(WhyNot::here(Reason::Condition(text()))),
        }
    }

    /// That a type that was found is none that the condition asks for.
    pub fn refused_type(&self, eq: &Equation, b: &Bindings) -> Option<Reason> {
        let Condition::ScalarType(t) = self else { return None };
        let found = b.types.get(*t)?.as_ref().filter(|t| t.as_scalar().is_none())?;
        Some(Reason::Unfit(format!("{}, where {} is {found}", self.text(eq), eq.types[*t].name)))
    }

    /// Does it ask what kind of term stands here? Elsewhere stands another.
    fn asks_the_kind(&self) -> bool {
        match self {
            Condition::Size(_)
            | Condition::Assoc(_)
            | Condition::Neutral(..)
            | Condition::Commutative(_)
            | Condition::Idempotent(_)
            | Condition::Zero(_)
            | Condition::Additive(_)
            | Condition::AnyOrder(_)
            | Condition::Separable(..)
            | Condition::Product(_)
            | Condition::Vectorisable(..)
            | Condition::Lanewise(_) => false,
            Condition::ScalarFun(_)
            | Condition::UsedOnce(..)
            | Condition::Uses(..)
            | Condition::NotVariable(_)
            | Condition::Computes(_)
            | Condition::ScalarType(_)
            | Condition::NotLambda(_)
            | Condition::Works(..) => true,
        }
    }

    /// Does it look at types and sizes only, which equal terms share?
    pub fn is_of_types(&self) -> bool {
        use Condition as C;
        matches!(self, C::Size(_) | C::ScalarType(_) | C::ScalarFun(_) | C::Works(..))
    }

    /// The term variables that it looks at.
    pub fn vars(&self) -> Vec<usize> {
        match self {
            Condition::Size(_) | Condition::ScalarType(_) | Condition::Works(..) => vec![],
            Condition::Assoc(v)
            | Condition::Commutative(v)
            | Condition::Idempotent(v)
            | Condition::Zero(v)
            | Condition::Additive(v)
            | Condition::AnyOrder(v)
            | Condition::Product(v)
            | Condition::ScalarFun(v)
            | Condition::Vectorisable(_, v)
            | Condition::Lanewise(v)
            | Condition::UsedOnce(v, _)
            | Condition::Uses(v, _)
            | Condition::NotVariable(v)
            | Condition::NotLambda(v)
            | Condition::Computes(v) => vec![*v],
            Condition::Neutral(f, z) => vec![*f, *z],
            Condition::Separable(m, v, h) => vec![*m, *v, *h],
        }
    }

    /// The condition as it is written in a rule.
    pub fn text(&self, eq: &Equation) -> String {
        let v = |i: &usize| eq.vars.get(*i).map_or("_", |v| &*v.name).to_owned();
        let binder = |of: &usize, i: &usize| {
            eq.vars.get(*of).and_then(|v| v.scope.get(*i)).map_or("_", |(n, _)| &**n).to_owned()
        };
        match self {
            Condition::Size(c) => c
                .subst(&|v| match v {
                    crate::lang::nat::NatVar::Meta(i) => eq.nats.get(*i as usize).map(|n| Nat::var(n)),
                    _ => None,
                })
                .to_string(),
            Condition::Assoc(f) => format!("assoc {}", v(f)),
            Condition::Neutral(f, z) => format!("neutral {} {}", v(f), v(z)),
            Condition::Commutative(f) => format!("commutative {}", v(f)),
            Condition::Idempotent(f) => format!("idempotent {}", v(f)),
            Condition::Zero(z) => format!("zero {}", v(z)),
            Condition::Additive(f) => format!("additive {}", v(f)),
            Condition::AnyOrder(f) => format!("anyOrder {}", v(f)),
            Condition::Separable(m, a, b) => format!("separable {} {} {}", v(m), v(a), v(b)),
            Condition::Product(m) => format!("separable {}", v(m)),
            Condition::ScalarFun(f) => format!("scalarFun {}", v(f)),
            Condition::Vectorisable(n, f) => {
                format!("vectorisable {} {}", eq.readable_size(n).as_atom_text(), v(f))
            }
            Condition::Lanewise(f) => format!("lanewise {}", v(f)),
            Condition::UsedOnce(f, i) => format!("usedOnce {} {}", binder(f, i), v(f)),
            Condition::Uses(f, i) => format!("uses {} {}", binder(f, i), v(f)),
            Condition::NotVariable(f) => format!("notVariable {}", v(f)),
            Condition::NotLambda(f) => format!("notLambda {}", v(f)),
            Condition::Computes(f) => format!("computes {}", v(f)),
            Condition::ScalarType(t) => {
                format!("scalar {}", eq.types.get(*t).map_or("_", |t| &*t.name))
            }
            Condition::Works(p, ty) => format!("{} : {}", p.name(), eq.readable_type(ty)),
        }
    }
}

fn term(b: &Bindings, v: usize) -> Option<&Term> {
    b.term(v)
}

/// The variable's term and the De Bruijn index that its scope's binder `i` has there.
fn scoped<'a>(eq: &Equation, b: &'a Bindings, v: usize, i: usize) -> Option<(&'a Term, u32)> {
    let k = eq.vars.get(v)?.scope.len();
    Some((b.term(v)?, k.checked_sub(1 + i)? as u32))
}

/// The sizes and functions of every `reorder` of a side.
pub fn reorders(side: &Pat) -> Vec<(&Nat, &NatFun, &NatFun)> {
    let all = side.nodes().into_iter().filter_map(|p| match &p.node {
        PatNode::Prim(Pattern::Reorder, args) => match args.as_slice() {
            [PatArg::Nat(n), PatArg::Fun(there), PatArg::Fun(back)] => Some((n, there, back)),
            _ => None,
        },
        _ => None,
    });
    all.collect()
}

/// What the functions of each `reorder` of a side have to be.
pub fn permutations(side: &Pat) -> Vec<SizeConstraint> {
    let permutes =
        |(n, f, g): (&Nat, &NatFun, &NatFun)| SizeConstraint::Permutes(n.clone(), f.clone(), g.clone());
    reorders(side).into_iter().map(permutes).collect()
}

/// A size condition that fails, in words.
pub fn refuted(c: &SizeConstraint) -> WhyNot {
    let text = match c {
        SizeConstraint::Divides(a, b) => format!("{a} does not divide {b}"),
        SizeConstraint::AtMost(a, b) => format!("{a} is greater than {b}"),
        SizeConstraint::Equal(a, b) => format!("{a} is not {b}"),
        SizeConstraint::Permutes(n, there, _) => {
            format!("{there} does not permute the numbers below {n}, or its inverse is another")
        }
    };
    WhyNot { at: Path::root(), depth: 0, reason: Reason::Sizes(text) }
}

/// Why a rule does not apply where a condition on sizes may hold: nothing would ask for it afterwards.
pub fn forgotten(c: &SizeConstraint) -> WhyNot {
    let text = format!("nothing says that {c}, and the result would not ask for it");
    WhyNot { at: Path::root(), depth: 0, reason: Reason::Sizes(text) }
}

/// Scalars, indices, vectors, and pairs of those.
pub fn is_scalar_like(t: &Type) -> bool {
    match t.kind() {
        TypeKind::Scalar(_) | TypeKind::NatType | TypeKind::Index(_) | TypeKind::Vector(..) => true,
        TypeKind::Pair(a, b) => is_scalar_like(a) && is_scalar_like(b),
        _ => false,
    }
}

fn is_scalar_function(t: &Type) -> bool {
    let (params, result) = t.signature();
    !params.is_empty() && params.iter().all(is_scalar_like) && is_scalar_like(&result)
}

/// How much an operation takes, in additions: about what it costs on processors and graphics cards.
fn weight(t: &Term) -> u64 {
    use Pattern as P;
    match t.as_pattern() {
        Some(pattern) if t.is_operation() => match pattern {
            P::Div | P::Mod | P::Sqrt => 4,
            P::Exp | P::Exp2 | P::Log | P::Log2 | P::Log10 | P::Pow => 10,
            P::Sin | P::Cos | P::Tan | P::Asin | P::Acos | P::Atan | P::Atan2 => 10,
            P::Sinh | P::Cosh | P::Tanh | P::Declared(_) => 10,
            _ => 1,
        },
        _ => 0,
    }
}

/// What the operations on scalars weigh that the value, or the value of the function, takes, in additions; none where
/// that depends on a size. What is computed of literals alone weighs nothing: compilers do that.
pub fn operations(t: &Term) -> Option<u64> {
    let (head, args) = t.spine();
    if !args.is_empty() && args.iter().all(|a| matches!(a.expr(), Expr::Lit(_))) {
        return Some(0);
    }
    let sum = |terms: &[&Term]| terms.iter().try_fold(0u64, |n, t| n.checked_add(operations(t)?));
    let here = match head.as_lam() {
        Some((_, body)) => operations(body)?,
        None => weight(head),
    };
    let loops = head.as_pattern().is_some_and(|p| p.is_map() || p.is_reduce() || p == Pattern::Generate);
    let (Some((f, rest)), true) = (args.split_first(), loops) else { return here.checked_add(sum(&args)?) };
    let once = operations(f)?;
    // The array that the function is applied to: the last argument, or what is generated.
    let array = rest.last().map_or(t, |xs| *xs).ty().as_array().and_then(|(n, _)| n.as_constant());
    let all = if once == 0 { 0 } else { once.checked_mul(u64::try_from(array?).ok()?)? };
    all.checked_add(sum(rest)?)
}

/// Does the term hold a lambda, of one or two parameters, that takes and returns scalars: a computation?
pub fn computes(t: &Term) -> bool {
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if is_scalar_function(t.ty()) && (t.as_lam().is_some() || t.as_prim().is_some()) {
            return true;
        }
        stack.extend(t.children());
    }
    false
}
