//! Random types and well-typed terms, small and full of variables.

use super::Size;
use crate::lang::build as b;
use crate::lang::eval::Sizes;
use crate::lang::eval::inputs::Rng;
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Term};
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::lang::value::eval_nat;

/// The number of the type that an index, a plain number or a truth value stands for, so that what is made of one depends
/// on it.
fn converted(whole: &Term, ty: &Type) -> Option<Term> {
    let number = match whole.ty().kind() {
        TypeKind::Index(_) => b::apply(Pattern::IndexAsNat, vec![], vec![whole.clone()]).ok()?,
        TypeKind::NatType | TypeKind::Scalar(Scalar::Bool) => whole.clone(),
        _ => return None,
    };
    match ty.kind() {
        TypeKind::NatType if number.ty() == ty => Some(number),
        TypeKind::Index(n) if whole.ty().as_scalar().is_none() => {
            let below =
                b::apply(Pattern::Mod, vec![], vec![number, Term::lit(Literal::Nat(n.clone()))]).ok()?;
            b::apply(Pattern::NatAsIndex, vec![Arg::Nat(n.clone())], vec![below]).ok()
        }
        TypeKind::Scalar(s) if *s != Scalar::Bool => b::cast(ty.clone(), number).ok(),
        _ => None,
    }
}

/// Parts of parts are looked at so many times: a function of arrays of arrays depends on the innermost elements.
const DEEPEST: usize = 5;

/// Natural numbers that are drawn: small ones, and some that careless rules take for too large.
const NATURALS: [i64; 8] = [0, 1, 2, 3, 4, 101, 1001, 1_000_003];

/// The type, of a scalar or a vector, with these scalars.
fn with_lane(ty: &Type, scalar: Scalar) -> Type {
    let scalar = Type::scalar(scalar);
    match ty.as_vector() {
        Some((n, _)) => Type::vector(n.clone(), scalar),
        None => scalar,
    }
}

/// Draws types and terms. Terms are in the context that they are drawn for: types of the variables, outermost first.
pub struct Gen<'a> {
    pub rng: Rng,
    pub sizes: &'a Sizes,
    pub size: Size,
    /// Numbers and truth values have none for some inputs.
    pub fails: bool,
}

impl Gen<'_> {
    pub fn below(&mut self, n: usize) -> usize {
        self.rng.below(n.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.below(from.len())].clone()) }
    }

    /// A scalar type that is no truth value: mostly those that programs use.
    pub fn number_type(&mut self) -> Type {
        let all = Scalar::ALL;
        Type::scalar(match self.below(8) {
            0..=2 => Scalar::I32,
            3..=4 => Scalar::F32,
            _ => all[1 + self.below(all.len() - 1)],
        })
    }

    /// A type of numbers that fits, if there is one.
    pub fn number_type_of(&mut self, fits: &dyn Fn(Scalar) -> bool) -> Type {
        let drawn = self.number_type();
        let fitting: Vec<Scalar> =
            Scalar::ALL.into_iter().filter(|s| *s != Scalar::Bool && fits(*s)).collect();
        match drawn.as_scalar() {
            Some(s) if !fits(s) => self.pick(&fitting).map_or(drawn, Type::scalar),
            _ => drawn,
        }
    }

    /// A scalar type: mostly one of numbers.
    pub fn scalar_type(&mut self) -> Type {
        if self.one_in(6) { Type::scalar(Scalar::Bool) } else { self.number_type() }
    }

    /// A small data type.
    pub fn data_type(&mut self, fuel: usize) -> Type {
        let fuel = if self.size == Size::Small { fuel.min(1) } else { fuel };
        let choices = if self.size == Size::Small { 20 } else { 10 };
        match self.below(choices) {
            0 | 1 if fuel > 0 => Type::pair(self.data_type(fuel - 1), self.data_type(fuel - 1)),
            2 if fuel > 0 => Type::array(Nat::constant(1 + self.below(3) as i64), self.data_type(fuel - 1)),
            3 => Type::scalar(Scalar::Bool),
            _ => self.number_type(),
        }
    }

    /// A term of the type; none when the type has none that can be built here.
    pub fn term(&mut self, ctx: &mut Vec<Type>, ty: &Type, fuel: usize) -> Option<Term> {
        if ty.as_fun().is_some() {
            return self.function(ctx, ty, fuel);
        }
        if !self.one_in(3)
            && let Some(found) = self.called(ctx, ty, fuel)
        {
            return Some(found);
        }
        if self.fails
            && fuel > 0
            && self.one_in(4)
            && let Some(found) = self.quotient(ctx, ty, fuel - 1)
        {
            return Some(found);
        }
        if !self.one_in(4)
            && let Some(found) = self.in_context(ctx, ty)
        {
            return Some(found);
        }
        if fuel == 0 {
            return self.in_context(ctx, ty).or_else(|| self.smallest(ctx, ty));
        }
        match ty.kind() {
            _ if *ty == ty.truth() => self.truth(ctx, ty, fuel - 1),
            TypeKind::Scalar(_) | TypeKind::Vector(..) => {
                if self.one_in(8) {
                    return self.smallest(ctx, ty);
                }
                if let (Some((n, _)), true) = (ty.as_vector(), self.one_in(3)) {
                    return self.of_lanes(ctx, ty, n, fuel - 1);
                }
                if self.one_in(6) {
                    return self.of_one(ctx, ty, fuel - 1);
                }
                let (x, y) = (self.term(ctx, ty, fuel - 1)?, self.term(ctx, ty, fuel - 1)?);
                match self.below(9) {
                    0 | 1 => b::sub(x, y),
                    8 => {
                        let test = self.truth(ctx, &ty.truth(), fuel - 1)?;
                        b::select(test, x, y)
                    }
                    2 => b::min(x, y),
                    3 => b::max(x, y),
                    4 | 5 => b::mul(x, y),
                    _ => b::add(x, y),
                }
                .ok()
            }
            TypeKind::Pair(s, t) => {
                let (x, y) = (self.term(ctx, s, fuel - 1)?, self.term(ctx, t, fuel - 1)?);
                b::make_pair(x, y).ok()
            }
            TypeKind::Array(n, t) => self.array(ctx, n, t, fuel - 1),
            TypeKind::NatType if self.one_in(2) => {
                let (x, y) = (self.term(ctx, ty, fuel - 1)?, self.term(ctx, ty, fuel - 1)?);
                if self.one_in(2) { b::add(x, y) } else { b::sub(x, y) }.ok()
            }
            _ => self.smallest(ctx, ty),
        }
    }

    /// A truth value, or one for each lane.
    fn truth(&mut self, ctx: &mut Vec<Type>, ty: &Type, fuel: usize) -> Option<Term> {
        if fuel > 0 && self.one_in(4) {
            let x = self.term(ctx, ty, fuel - 1)?;
            return match self.below(3) {
                0 => b::not(x),
                1 => b::and(x, self.term(ctx, ty, fuel - 1)?),
                _ => b::or(x, self.term(ctx, ty, fuel - 1)?),
            }
            .ok();
        }
        if self.fails && self.one_in(2) {
            return self.without_value(ctx, ty, fuel);
        }
        let number = self.number_type();
        let number = ty.as_vector().map_or(number.clone(), |(n, _)| Type::vector(n.clone(), number));
        let (x, y) = (self.term(ctx, &number, fuel)?, self.term(ctx, &number, fuel)?);
        let p = self.pick(&[
            Pattern::Lt,
            Pattern::Gt,
            Pattern::Le,
            Pattern::Ge,
            Pattern::Equal,
            Pattern::NotEqual,
        ])?;
        b::apply(p, vec![], vec![x, y]).ok()
    }

    /// A truth value that some numbers have none for.
    fn without_value(&mut self, ctx: &mut Vec<Type>, ty: &Type, fuel: usize) -> Option<Term> {
        let number = with_lane(ty, Scalar::I32);
        let quotient = self.quotient(ctx, &number, fuel)?;
        b::lt(quotient, self.term(ctx, &number, fuel)?).ok()
    }

    /// A number, or one for each lane, that there is none of for some inputs: what is computed only where it matters has none
    /// elsewhere.
    fn quotient(&mut self, ctx: &mut Vec<Type>, ty: &Type, fuel: usize) -> Option<Term> {
        let scalar = ty.lane().as_scalar().filter(|s| *s != Scalar::Bool)?;
        let integers = if scalar.is_float() { with_lane(ty, Scalar::I32) } else { ty.clone() };
        let divisor = self.in_context(ctx, &integers).or_else(|| self.smallest(ctx, &integers))?;
        let x = self.term(ctx, &integers, fuel)?;
        let quotient = if self.one_in(2) { b::div(x, divisor) } else { b::modulo(x, divisor) }.ok()?;
        if integers == *ty { Some(quotient) } else { b::cast(ty.clone(), quotient).ok() }
    }

    /// A number that is computed from one of the type, or of another type.
    fn of_one(&mut self, ctx: &mut Vec<Type>, ty: &Type, fuel: usize) -> Option<Term> {
        let scalar = ty.as_scalar();
        if let (Some(_), 0) = (scalar, self.below(4)) {
            let from = self.number_type();
            let x = self.term(ctx, &from, fuel)?;
            return if from == *ty { Some(x) } else { b::cast(ty.clone(), x).ok() };
        }
        let x = self.term(ctx, ty, fuel)?;
        match self.below(3) {
            0 => b::neg(x),
            1 if scalar.is_some_and(Scalar::is_float) => b::apply(Pattern::Sqrt, vec![], vec![x]),
            _ => b::apply(Pattern::Abs, vec![], vec![x]),
        }
        .ok()
    }

    /// What a function of the context gives for some arguments, or a part of that, or a number made of it: of a function, nothing
    /// but what it gives can be seen.
    fn called(&mut self, ctx: &mut Vec<Type>, ty: &Type, fuel: usize) -> Option<Term> {
        let functions: Vec<(u32, Type)> = (0..)
            .zip(ctx.iter().rev())
            .filter(|(_, t)| t.as_fun().is_some())
            .map(|(i, t)| (i, t.clone()))
            .collect();
        let (i, function) = self.pick(&functions)?;
        let mut whole = Term::var(i, function.clone());
        for param in function.signature().0 {
            let argument = if fuel > 0 || param.as_fun().is_some() {
                self.term(ctx, &param, fuel.checked_sub(1)?)?
            } else {
                self.in_context(ctx, &param).or_else(|| self.smallest(ctx, &param))?
            };
            whole = Term::app(whole, argument);
        }
        let parts = self.parts(ctx, whole.clone(), ty, DEEPEST);
        self.pick(&parts).or_else(|| self.cast_part(ctx, whole, ty))
    }

    /// A scalar of a value, as a number of another type.
    fn cast_part(&mut self, ctx: &[Type], whole: Term, ty: &Type) -> Option<Term> {
        if let Some(number) = converted(&whole, ty) {
            return Some(number);
        }
        let part = match whole.ty().clone().kind() {
            TypeKind::Scalar(_) if ty.as_scalar().is_some_and(|s| s != Scalar::Bool) => {
                return b::cast(ty.clone(), whole).ok();
            }
            TypeKind::Pair(..) if self.one_in(2) => b::fst(whole),
            TypeKind::Pair(..) => b::snd(whole),
            TypeKind::Array(n, _) => b::idx(self.position(ctx, n), whole),
            TypeKind::Vector(..) => b::make_array(vec![whole]).and_then(b::as_scalar),
            _ => return None,
        };
        self.cast_part(ctx, part.ok()?, ty)
    }

    /// A vector whose lanes differ, or are in another order, or all one lane of another vector: not every function of vectors goes
    /// lane by lane.
    fn of_lanes(&mut self, ctx: &mut Vec<Type>, ty: &Type, n: &Nat, fuel: usize) -> Option<Term> {
        let lanes = |v: Term| b::make_array(vec![v]).and_then(b::as_scalar);
        let first = |xs: Term, n: &Nat| b::idx(Term::lit(Literal::Index(Nat::constant(0), n.clone())), xs);
        if self.one_in(3) {
            ctx.push(Type::index(n.clone()));
            let lane = self.term(ctx, ty.lane(), fuel);
            ctx.pop();
            let own = converted(&Term::var(0, Type::index(n.clone())), ty.lane());
            let lane = match (lane?, own) {
                (lane, Some(own)) => b::add(own, lane).ok()?,
                (lane, None) => lane,
            };
            let all = b::generate(Term::lam("i", Type::index(n.clone()), lane)).ok()?;
            return first(b::as_vector(n, all).ok()?, &Nat::constant(1)).ok();
        }
        let v = self.term(ctx, ty, fuel)?;
        if self.one_in(2) {
            let lane = b::idx(self.position(ctx, n), lanes(v).ok()?).ok()?;
            return b::vector_from_scalar(n, lane).ok();
        }
        let turned = b::apply(Pattern::Reverse, vec![], vec![lanes(v).ok()?]).ok()?;
        first(b::as_vector(n, turned).ok()?, &Nat::constant(1)).ok()
    }

    /// A variable of the type, a component or an element of one, or a number that an index or a truth value stands for.
    /// Inner variables are likelier.
    fn in_context(&mut self, ctx: &[Type], ty: &Type) -> Option<Term> {
        let mut found = vec![];
        for (i, t) in ctx.iter().rev().enumerate() {
            let copies = if i < 2 { 3 } else { 1 };
            let variable = Term::var(i as u32, t.clone());
            let numbers = |t: &Type| t.as_scalar().is_some_and(|s| s != Scalar::Bool);
            if i < 2 && numbers(t) && numbers(ty) && t != ty {
                found.extend(b::cast(ty.clone(), variable.clone()));
            }
            for term in self.parts(ctx, variable, ty, DEEPEST) {
                found.extend(std::iter::repeat_n(term, copies));
            }
        }
        self.pick(&found)
    }

    fn parts(&mut self, ctx: &[Type], whole: Term, ty: &Type, depth: usize) -> Vec<Term> {
        if whole.ty() == ty {
            return vec![whole];
        }
        if let Some(number) = converted(&whole, ty) {
            return vec![number];
        }
        if depth == 0 {
            return vec![];
        }
        match whole.ty().clone().kind() {
            TypeKind::Pair(..) => {
                let mut out = vec![];
                if let Ok(first) = b::fst(whole.clone()) {
                    out.extend(self.parts(ctx, first, ty, depth - 1));
                }
                if let Ok(second) = b::snd(whole) {
                    out.extend(self.parts(ctx, second, ty, depth - 1));
                }
                out
            }
            TypeKind::Array(n, t) if !ty.has_array() || t.has_array() => {
                let at = self.position(ctx, n);
                b::idx(at, whole).map(|e| self.parts(ctx, e, ty, depth - 1)).unwrap_or_default()
            }
            TypeKind::Vector(..) if ty.as_vector().is_none() => {
                let lanes = b::make_array(vec![whole]).and_then(b::as_scalar);
                lanes.map(|lanes| self.parts(ctx, lanes, ty, depth)).unwrap_or_default()
            }
            _ => vec![],
        }
    }

    /// An index below the size: one that is known, or any.
    fn position(&mut self, ctx: &[Type], n: &Nat) -> Term {
        let known = ctx.iter().rev().enumerate().filter(|(_, t)| t.as_index() == Some(n));
        let known: Vec<Term> = known.map(|(i, t)| Term::var(i as u32, t.clone())).collect();
        match self.pick(&known).filter(|_| !self.one_in(3)) {
            Some(index) => index,
            None => self.index(n),
        }
    }

    fn index(&mut self, n: &Nat) -> Term {
        let value = eval_nat(n, self.sizes).unwrap_or(1);
        let at = self.below(value.max(1) as usize) as i64;
        let literal = |at: i64| Term::lit(Literal::Index(Nat::constant(at), n.clone()));
        if n.as_constant().is_some() || at == 0 {
            return literal(at);
        }
        // A symbolic size is not known to exceed anything but 0.
        let within = Term::lit(Literal::Nat(Nat::constant(at).modulo(n)));
        b::apply(Pattern::NatAsIndex, vec![Arg::Nat(n.clone())], vec![within]).unwrap_or_else(|_| literal(0))
    }

    /// A term that needs no variables.
    fn smallest(&mut self, ctx: &mut Vec<Type>, ty: &Type) -> Option<Term> {
        Some(match ty.kind() {
            TypeKind::Scalar(Scalar::Bool) => Term::lit(Literal::Bool(self.one_in(2))),
            TypeKind::Scalar(s) => Term::lit(Literal::number(self.below(4) as i128, *s)?),
            TypeKind::NatType => Term::lit(Literal::Nat(Nat::constant(self.pick(&NATURALS)?))),
            TypeKind::Index(n) => self.index(n),
            TypeKind::Vector(n, t) => {
                let lane = self.smallest(ctx, t)?;
                b::vector_from_scalar(n, lane).ok()?
            }
            TypeKind::Pair(s, t) => b::make_pair(self.smallest(ctx, s)?, self.smallest(ctx, t)?).ok()?,
            TypeKind::Array(n, t) => {
                ctx.push(Type::index(n.clone()));
                let body = self.smallest(ctx, t);
                ctx.pop();
                b::generate(Term::lam("i", Type::index(n.clone()), body?)).ok()?
            }
            TypeKind::Fun(..) | TypeKind::Var(_) | TypeKind::Ill => return None,
        })
    }

    fn array(&mut self, ctx: &mut Vec<Type>, n: &Nat, t: &Type, fuel: usize) -> Option<Term> {
        // A map over an array of the same length, if there is one.
        let sources: Vec<(u32, Type, Type)> = ctx
            .iter()
            .rev()
            .enumerate()
            .filter_map(|(i, ty)| {
                let (m, s) = ty.as_array()?;
                (m == n).then(|| (i as u32, ty.clone(), s.clone()))
            })
            .collect();
        if !self.one_in(3)
            && let Some((i, array, element)) = self.pick(&sources)
        {
            ctx.push(element.clone());
            let body = self.term(ctx, t, fuel);
            ctx.pop();
            return b::map(Term::lam("x", element, body?), Term::var(i, array)).ok();
        }
        if let Some(k) = n.as_constant().filter(|k| *k <= 3 && *k > 0)
            && self.one_in(2)
        {
            let elements = (0..k).map(|_| self.term(ctx, t, fuel)).collect::<Option<Vec<_>>>()?;
            return b::make_array(elements).ok();
        }
        let index = Type::index(n.clone());
        ctx.push(index.clone());
        let body = self.term(ctx, t, fuel);
        ctx.pop();
        b::generate(Term::lam("i", index, body?)).ok()
    }

    fn function(&mut self, ctx: &mut Vec<Type>, ty: &Type, fuel: usize) -> Option<Term> {
        let (params, result) = ty.signature();
        let numbers = |t: &Type| t.as_scalar().is_some_and(|s| s != Scalar::Bool);
        if self.one_in(4) && numbers(&result) && params.iter().all(|p| *p == result) {
            let known: &[Pattern] = match params.len() {
                1 => &[Pattern::Neg, Pattern::Abs],
                2 => &[Pattern::Add, Pattern::Mul, Pattern::Sub, Pattern::Max],
                _ => &[],
            };
            if let Some(p) = self.pick(known) {
                return b::pattern(p, vec![], &params).ok();
            }
        }
        let (param, rest) = ty.as_fun()?;
        if param == rest
            && param.as_array().is_some()
            && self.one_in(2)
            && let Some(step) = step(param)
        {
            return Some(step);
        }
        ctx.push(param.clone());
        let body = self.term(ctx, rest, fuel);
        ctx.pop();
        Some(Term::lam("xyzw".get(params.len() - 1..params.len()).unwrap_or("p"), param.clone(), body?))
    }

    /// `\a y. op a (h y)`
    pub fn onto(&mut self, op: &Term, ctx: &mut Vec<Type>, acc: &Type, element: &Type) -> Option<Term> {
        ctx.push(element.clone());
        let added = self.term(ctx, acc, 2);
        ctx.pop();
        // The accumulator comes between the context and the element.
        let added = added?.rename(&|i| Some(if i == 0 { 0 } else { i + 1 }))?;
        let sum = b::app(b::app(op.clone(), Term::var(1, acc.clone())).ok()?, added).ok()?;
        Some(Term::lam("a", acc.clone(), Term::lam("y", element.clone(), sum)))
    }
}

/// A function of arrays which, applied again and again, does not come back soon to what it was given: elements go round by
/// one place, and numbers become twice as large and one more.
fn step(ty: &Type) -> Option<Term> {
    let (n, _) = ty.as_array()?;
    let index = Type::index(n.clone());
    let here = b::apply(Pattern::IndexAsNat, vec![], vec![Term::var(0, index.clone())]).ok()?;
    let next = b::add(here, Term::lit(Literal::Nat(Nat::constant(1)))).ok()?;
    let around = b::apply(Pattern::Mod, vec![], vec![next, Term::lit(Literal::Nat(n.clone()))]).ok()?;
    let at = b::apply(Pattern::NatAsIndex, vec![Arg::Nat(n.clone())], vec![around]).ok()?;
    let element = b::idx(at, Term::var(1, ty.clone())).ok()?;
    let element = match element.ty().as_scalar() {
        Some(s) if s != Scalar::Bool => {
            let one = Term::lit(Literal::number(1, s)?);
            b::add(b::add(element.clone(), element).ok()?, one).ok()?
        }
        _ => element,
    };
    Some(Term::lam("xs", ty.clone(), b::generate(Term::lam("i", index, element)).ok()?))
}
