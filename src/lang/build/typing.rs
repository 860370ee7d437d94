//! What a pattern returns, from what it is given: its type scheme in the table, matched with the types of its arguments
//! from the first to the result. Nothing is inferred: what stands in the types of the arguments stays as it is.

use super::Misfit;
use crate::infer::relation::{Relation, Settled};
use crate::infer::scheme::{Choice, Scheme};
use crate::infer::unify::{Kind, Unifier};
use crate::nat::{Name, Nat, NatVar, isolate};
use crate::pattern::{self, Pattern};
use crate::steps;
use crate::term::Arg;
use crate::ty::{Scalar, Type, TypeKind, TypeVar};
use std::sync::LazyLock;

/// The number of term arguments of a pattern; none when `makeArray` has no constant size.
pub fn arity(pattern: Pattern, args: &[Arg]) -> Option<usize> {
    use Pattern as P;
    match (pattern, args) {
        (P::MakeArray, [Arg::Nat(k)]) => usize::try_from(k.as_constant()?).ok(),
        (P::MakeArray, _) => None,
        (other, _) => Some(other.parameters()),
    }
}

/// How the names of a scheme's sizes start while it is matched: no size of a program or a rule has such a name.
const OPEN: &str = "%?";

/// The schemes of the table, in its order, their sizes renamed.
static SCHEMES: LazyLock<Vec<Scheme>> = LazyLock::new(|| {
    let renamed = |row: &pattern::Row| {
        let mut scheme = Scheme::of(row.pattern).clone();
        let explicit = scheme.explicit.iter_mut().map(|e| &mut e.name);
        let sizes: Vec<(Name, Nat)> = explicit
            .chain(&mut scheme.nats)
            .map(|name| {
                let open: Name = format!("{OPEN}{name}").into();
                (std::mem::replace(name, open.clone()), Nat::var(&open))
            })
            .collect();
        scheme.ty = scheme.ty.subst(&Choice { nats: &sizes, types: &[] });
        scheme
    };
    pattern::all().iter().map(renamed).collect()
});

fn is_open(v: &NatVar) -> bool {
    matches!(v, NatVar::Named(name) if name.starts_with(OPEN))
}

/// What the sizes and types of a scheme are, as far as it is known.
#[derive(Default)]
struct Found {
    nats: Vec<(Name, Nat)>,
    types: Vec<(Name, Type)>,
    /// Two lengths of arrays that should be the same.
    lengths: Option<(Nat, Nat)>,
}

impl Found {
    fn choice(&self) -> Choice<'_> {
        Choice { nats: &self.nats, types: &self.types }
    }

    /// The type of the scheme with what is known; sizes that are not have the names of the table.
    fn shown(&self, scheme: &Type) -> Type {
        struct Written;
        impl crate::ty::TypeSubst for Written {
            fn nat(&self, v: &NatVar) -> Option<Nat> {
                let NatVar::Named(name) = v else { return None };
                name.strip_prefix(OPEN).map(Nat::var)
            }
        }
        scheme.subst(&self.choice()).subst(&Written)
    }

    fn matches(&mut self, scheme: &Type, found: &Type) -> bool {
        use TypeKind as K;
        match (scheme.kind(), found.kind()) {
            (K::Var(TypeVar::Named(name)), _) => match self.types.iter().find(|(n, _)| n == name) {
                Some((_, t)) => t == found,
                None => {
                    self.types.push((name.clone(), found.clone()));
                    found.is_data()
                }
            },
            (K::Array(n, s), K::Array(m, t)) => {
                let same = self.size(n, m);
                if let (false, Some(_)) = (same, n.as_variable()) {
                    let known = n.subst(&|v| self.nat(v));
                    self.lengths.get_or_insert((known, m.clone()));
                }
                same && self.matches(s, t)
            }
            (K::Vector(n, s), K::Vector(m, t)) => self.size(n, m) && self.matches(s, t),
            (K::Index(n), K::Index(m)) => self.size(n, m),
            (K::Pair(a, b), K::Pair(c, d)) | (K::Fun(a, b), K::Fun(c, d)) => {
                self.matches(a, c) && self.matches(b, d)
            }
            _ => scheme == found,
        }
    }

    fn nat(&self, v: &NatVar) -> Option<Nat> {
        let NatVar::Named(name) = v else { return None };
        self.nats.iter().find(|(n, _)| n == name).map(|(_, n)| n.clone())
    }

    fn size(&mut self, scheme: &Nat, found: &Nat) -> bool {
        let known = scheme.subst(&|v| self.nat(v));
        match isolate(&known, found, &is_open) {
            Some((NatVar::Named(name), n)) => {
                self.nats.push((name, n));
                true
            }
            _ => known == *found,
        }
    }

    /// What follows for the types that are not known from those that are.
    ///
    /// # Errors
    /// Why they cannot be.
    fn related(&mut self, pattern: Pattern, scheme: &Scheme) -> Result<(), String> {
        let mut u = Unifier::new();
        for name in &scheme.types {
            if !self.types.iter().any(|(n, _)| n == name) {
                self.types.push((name.clone(), u.fresh_type(Kind::Data)));
            }
        }
        if let Some(relation) = Relation::of(pattern, &self.choice()) {
            match relation.settle(&mut u, 0) {
                Settled::Done => {}
                Settled::Differ(_) | Settled::NoLanes { .. } => {
                    return Err("a truth value is needed, or one for each lane".to_string());
                }
                Settled::Open => {
                    relation.default(&mut u, 0, &|_| false);
                    let one = Type::scalar(Scalar::Bool);
                    if !matches!(relation, Relation::Converts { .. }) && u.resolve(relation.subject()) != one
                    {
                        return Err("a truth value is needed".to_string());
                    }
                }
            }
        }
        let (unknowns, _) = u.unknowns();
        for (_, t) in &mut self.types {
            if unknowns > 0 {
                *t = u.zonk(t);
            }
        }
        let is_unknown = |t: &Type| matches!(t.kind(), TypeKind::Var(TypeVar::Meta(i)) if *i < unknowns);
        match self.types.iter().any(|(_, t)| is_unknown(t)) {
            true => Err("the type of its result is not known".to_string()),
            false => Ok(()),
        }
    }
}

/// Operands and result of an operation on scalars: scalars, or vectors of as many lanes.
fn is_lane_by_lane(types: &[Type], result: &Type) -> bool {
    let one = |t: &Type| {
        !matches!(
            t.lane().kind(),
            TypeKind::Array(..) | TypeKind::Pair(..) | TypeKind::Fun(..) | TypeKind::Ill
        )
    };
    let lanes = |t: &Type| t.as_vector().map(|(n, _)| n.clone());
    types.iter().all(|t| one(t) && lanes(t) == lanes(result)) && one(result)
}

/// The type of `iterate` with a step that changes the size, which no scheme says.
fn of_steps(args: &[Arg], params: &[Type]) -> Option<Type> {
    let ([Arg::Nat(k)], [f, xs]) = (args, params) else { return None };
    let ((before, after), (length, element)) = (f.as_fun()?, xs.as_array()?);
    let s = steps::between(before, after).filter(|s| before != after && steps::is_size_of_step(&s.size))?;
    let k = k.as_constant().filter(|k| (1..=steps::MOST).contains(k))?;
    (before.as_array()?.1 == element)
        .then(|| Type::array(length.exact_div(&s.factor.pow(k as u32)), element.clone()))
}

fn result(pattern: Pattern, args: &[Arg], params: &[Type], expected: Option<&Type>) -> Result<Type, String> {
    if let Pattern::Declared(declared) = pattern {
        let found = declared.instance(args, params, expected).map(|(_, ty)| ty.signature().1);
        let known = found.filter(|ty| !ty.has_metas());
        return known.ok_or_else(|| format!("its type is {}", pattern.row().scheme));
    }
    if pattern == Pattern::Iterate
        && let Some(ty) = of_steps(args, params)
    {
        return Ok(ty);
    }
    let scheme = &SCHEMES[pattern::number(pattern).unwrap_or(0)];
    if args.len() != scheme.explicit.len() {
        return Err(format!("it takes {} explicit arguments, not {}", scheme.explicit.len(), args.len()));
    }
    let mut found = Found::default();
    for (explicit, arg) in scheme.explicit.iter().zip(args) {
        if let Arg::Nat(n) = arg {
            found.nats.push((explicit.name.clone(), n.clone()));
        }
    }
    let mut rest = &scheme.ty;
    for (i, param) in params.iter().enumerate() {
        // The scheme of `makeArray` is for one element; the others are like it.
        let takes = match rest.as_fun() {
            Some((takes, gives)) => {
                rest = gives;
                takes
            }
            None => scheme.ty.as_fun().map_or(&scheme.ty, |(first, _)| first),
        };
        if !found.matches(takes, param) {
            return Err(match found.lengths.take() {
                Some((n, m)) => format!("the arrays have {n} and {m} elements"),
                None => {
                    let needed = found.shown(takes);
                    format!("argument {} has type {param}, but {needed} is needed", i + 1)
                }
            });
        }
    }
    if let Some(expected) = expected
        && !found.matches(rest, expected)
    {
        return Err(format!("the result has type {}, not {expected}", found.shown(rest)));
    }
    found.related(pattern, scheme)?;
    let result = rest.subst(&found.choice());
    let mut known = true;
    result.for_each_nat(&mut |n| known &= !n.vars().iter().any(is_open));
    if !known {
        return Err("the size of its result is not known".to_string());
    }
    if pattern.is_lanewise() && !is_lane_by_lane(params, &result) {
        return Err(format!("it takes numbers or vectors of them, not {}", params[0]));
    }
    Ok(result)
}

/// The type of a pattern applied to all its arguments. `expected` is needed by `cast` and `vectorFromScalar`
/// alone, whose results do not follow from what they are given.
///
/// # Errors
/// A sentence that says which argument does not fit.
pub fn result_type(
    pattern: Pattern,
    args: &[Arg],
    params: &[Type],
    expected: Option<&Type>,
) -> Result<Type, Misfit> {
    let found = match arity(pattern, args) {
        Some(n) if n == params.len() && n > 0 => result(pattern, args, params, expected),
        Some(n) => Err(format!("it takes {n} arguments, not {}", params.len())),
        None => Err("the number of its elements is not constant".to_string()),
    };
    found.map_err(|why| Misfit(format!("`{pattern}` does not fit here: {why}")))
}

/// Is `ty` one of the types that the pattern has with these arguments?
pub fn is_instance(pattern: Pattern, args: &[Arg], ty: &Type) -> bool {
    let Some(n) = arity(pattern, args) else { return false };
    let mut params = vec![];
    let mut rest = ty;
    for _ in 0..n {
        let Some((a, b)) = rest.as_fun() else { return false };
        params.push(a.clone());
        rest = b;
    }
    rest.is_data() && result_type(pattern, args, &params, Some(rest)).is_ok_and(|t| t == *rest)
}
