//! What a pattern returns, from what it is given: the type schemes of the table, read from the parameters to the
//! result, without inference.

use super::Misfit;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::steps;
use crate::lang::term::Arg;
use crate::lang::ty::{Scalar, Type, TypeKind};

/// The number of term arguments of a pattern; none when `makeArray` has no constant size.
pub fn arity(pattern: Pattern, args: &[Arg]) -> Option<usize> {
    use Pattern as P;
    match (pattern, args) {
        (P::MakeArray, [Arg::Nat(k)]) => usize::try_from(k.as_constant()?).ok(),
        (P::MakeArray, _) => None,
        (other, _) => Some(other.parameters()),
    }
}

struct Given<'a> {
    pattern: Pattern,
    args: &'a [Arg],
    params: &'a [Type],
}

impl Given<'_> {
    fn misfit(&self, why: impl std::fmt::Display) -> Misfit {
        Misfit(format!("`{}` does not fit here: {why}", self.pattern))
    }

    fn nat(&self, i: usize) -> Result<&Nat, Misfit> {
        match self.args.iter().filter(|a| matches!(a, Arg::Nat(_))).nth(i) {
            Some(Arg::Nat(n)) => Ok(n),
            _ => Err(self.misfit("a size argument is missing")),
        }
    }

    fn wanted(&self, i: usize, what: &str) -> Misfit {
        match self.params.get(i) {
            Some(t) => self.misfit(format!("argument {} has type {t}, but {what} is needed", i + 1)),
            None => self.misfit(format!("argument {} is missing", i + 1)),
        }
    }

    fn data(&self, i: usize) -> Result<&Type, Misfit> {
        self.params.get(i).filter(|t| t.is_data()).ok_or_else(|| self.wanted(i, "data"))
    }

    fn array(&self, i: usize) -> Result<(&Nat, &Type), Misfit> {
        self.params.get(i).and_then(Type::as_array).ok_or_else(|| self.wanted(i, "an array"))
    }

    fn pair(&self, i: usize) -> Result<(&Type, &Type), Misfit> {
        self.params.get(i).and_then(Type::as_pair).ok_or_else(|| self.wanted(i, "a pair"))
    }

    /// A function of one data argument with a data result.
    fn function(&self, i: usize) -> Result<(&Type, &Type), Misfit> {
        let (a, b) = self.params.get(i).and_then(Type::as_fun).ok_or_else(|| self.wanted(i, "a function"))?;
        if a.is_data() && b.is_data() { Ok((a, b)) } else { Err(self.wanted(i, "a function on data")) }
    }

    /// A function of two data arguments with a data result.
    fn function2(&self, i: usize) -> Result<(&Type, &Type, &Type), Misfit> {
        let what = "a function of two arguments";
        let (a, rest) = self.params.get(i).and_then(Type::as_fun).ok_or_else(|| self.wanted(i, what))?;
        let (b, c) = rest.as_fun().ok_or_else(|| self.wanted(i, what))?;
        if a.is_data() && b.is_data() && c.is_data() {
            Ok((a, b, c))
        } else {
            Err(self.wanted(i, "a function on data"))
        }
    }

    fn same(&self, what: &str, a: &Type, b: &Type) -> Result<(), Misfit> {
        if a == b { Ok(()) } else { Err(self.misfit(format!("{what}, but these are {a} and {b}"))) }
    }

    /// Two arguments of one type on which operators work.
    fn operands(&self) -> Result<&Type, Misfit> {
        let (a, b) = (self.operand(0)?, self.operand(1)?);
        self.same("both operands must have one type", a, b)?;
        Ok(a)
    }

    fn operand(&self, i: usize) -> Result<&Type, Misfit> {
        let works = |t: &&Type| {
            !matches!(t.kind(), TypeKind::Array(..) | TypeKind::Pair(..) | TypeKind::Fun(..) | TypeKind::Ill)
        };
        self.params.get(i).filter(works).ok_or_else(|| self.wanted(i, "a scalar or a vector"))
    }

    fn result(&self, expected: Option<&Type>) -> Result<Type, Misfit> {
        use Pattern as P;
        Ok(match self.pattern {
            P::Id | P::ToMem | P::OclRun => self.data(0)?.clone(),
            p if p.is_numeric() && p.parameters() == 1 => self.operand(0)?.clone(),
            p if p.is_numeric() => self.operands()?.clone(),
            p if p.is_comparison() => self.operands()?.truth(),
            P::And | P::Or => {
                let t = self.operands()?;
                self.same("truth values are needed", t, &t.truth())?;
                t.clone()
            }
            P::Not => {
                let t = self.operand(0)?;
                self.same("a truth value is needed", t, &t.truth())?;
                t.clone()
            }
            P::Select => {
                let (c, t) = (self.data(0)?, self.data(1)?);
                self.same("both choices must have one type", t, self.data(2)?)?;
                let one = Type::scalar(Scalar::Bool);
                let needed = if c.as_vector().is_some() { t.truth() } else { one };
                self.same("the condition must be a truth value, or one for each lane", c, &needed)?;
                t.clone()
            }
            P::Cast => {
                let from = self.operand(0)?;
                let to = expected.ok_or_else(|| self.misfit("the type of its result is not known"))?;
                let lanes = |t: &Type| t.as_vector().map(|(n, _)| n.clone());
                let element = to.as_vector().map_or(to, |(_, t)| t);
                if lanes(from) != lanes(to) || element.as_array().is_some() || element.as_pair().is_some() {
                    return Err(self.misfit(format!("{from} is not a {to} of another kind")));
                }
                to.clone()
            }
            P::VectorFromScalar => {
                let expected = expected.ok_or_else(|| self.misfit("the width of its result is not known"))?;
                match expected.as_vector() {
                    Some((_, t)) if Some(t) == self.params.first() => expected.clone(),
                    _ => return Err(self.misfit(format!("the result should be {expected}"))),
                }
            }
            P::IndexAsNat => {
                self.params.first().and_then(Type::as_index).ok_or_else(|| self.wanted(0, "an index"))?;
                Type::nat_type()
            }
            P::NatAsIndex => {
                self.same("a natural number is needed", self.data(0)?, &Type::nat_type())?;
                Type::index(self.nat(0)?.clone())
            }
            P::MakePair => Type::pair(self.data(0)?.clone(), self.data(1)?.clone()),
            P::Fst => self.pair(0)?.0.clone(),
            P::Snd => self.pair(0)?.1.clone(),
            P::MapFst => {
                let ((a, b), (s, t)) = (self.function(0)?, self.pair(1)?);
                self.same("the function must take the first component", a, s)?;
                Type::pair(b.clone(), t.clone())
            }
            P::MapSnd => {
                let ((a, b), (s, t)) = (self.function(0)?, self.pair(1)?);
                self.same("the function must take the second component", a, t)?;
                Type::pair(s.clone(), b.clone())
            }
            P::Let => {
                let (a, b) = self.function(1)?;
                self.same("the function must take the named value", a, self.data(0)?)?;
                b.clone()
            }
            p if p.is_map() => {
                let ((a, b), (n, s)) = (self.function(0)?, self.array(1)?);
                self.same("the function must take the array's elements", a, s)?;
                Type::array(n.clone(), b.clone())
            }
            p if p.is_reduce() => {
                let ((a, b, c), z, (_, s)) = (self.function2(0)?, self.data(1)?, self.array(2)?);
                self.same("the operator must return what it accumulates", a, c)?;
                self.same("the operator must accumulate the start value", a, z)?;
                self.same("the operator must take the array's elements", b, s)?;
                if self.pattern == P::Reduce {
                    self.same("the operator must take two equal arguments", a, b)?;
                }
                z.clone()
            }
            P::ScanSeq => {
                let ((a, b, c), z, (n, s)) = (self.function2(0)?, self.data(1)?, self.array(2)?);
                self.same("the operator must return what it accumulates", b, c)?;
                self.same("the operator must accumulate the start value", b, z)?;
                self.same("the operator must take the array's elements", a, s)?;
                Type::array(n.clone(), z.clone())
            }
            P::Split => {
                let (n, (length, t)) = (self.nat(0)?, self.array(0)?);
                Type::array(length.exact_div(n), Type::array(n.clone(), t.clone()))
            }
            P::Join => {
                let (n, row) = self.array(0)?;
                let (m, t) = row.as_array().ok_or_else(|| self.wanted(0, "an array of arrays"))?;
                Type::array(n.mul(m), t.clone())
            }
            P::Transpose => {
                let (n, row) = self.array(0)?;
                let (m, t) = row.as_array().ok_or_else(|| self.wanted(0, "an array of arrays"))?;
                Type::array(m.clone(), Type::array(n.clone(), t.clone()))
            }
            P::Reverse => {
                self.array(0)?;
                self.data(0)?.clone()
            }
            P::Reorder => {
                let (n, (length, _)) = (self.nat(0)?, self.array(0)?);
                if n != length {
                    return Err(self.misfit(format!("the array has {length} elements, not {n}")));
                }
                self.data(0)?.clone()
            }
            P::Slide => {
                let (sz, sp, (length, t)) = (self.nat(0)?, self.nat(1)?, self.array(0)?);
                windows(length, sz, sp, t)
            }
            P::CircularBuffer => {
                let (sz, (a, b), (length, s)) = (self.nat(1)?, self.function(0)?, self.array(1)?);
                self.same("the function must take the array's elements", a, s)?;
                windows(length, sz, self.nat(2)?, b)
            }
            P::RotateValues => {
                let (sz, (a, b), (length, s)) = (self.nat(0)?, self.function(0)?, self.array(1)?);
                self.same("the function must return what it takes", a, b)?;
                self.same("the function must take the array's elements", a, s)?;
                windows(length, sz, self.nat(1)?, s)
            }
            P::Zip => {
                let ((n, s), (m, t)) = (self.array(0)?, self.array(1)?);
                if n != m {
                    return Err(self.misfit(format!("the arrays have {n} and {m} elements")));
                }
                Type::array(n.clone(), Type::pair(s.clone(), t.clone()))
            }
            P::Unzip => {
                let (n, p) = self.array(0)?;
                let (s, t) = p.as_pair().ok_or_else(|| self.wanted(0, "an array of pairs"))?;
                Type::pair(Type::array(n.clone(), s.clone()), Type::array(n.clone(), t.clone()))
            }
            P::Generate => {
                let (i, t) = self.function(0)?;
                let n = i.as_index().ok_or_else(|| self.wanted(0, "a function of an index"))?;
                Type::array(n.clone(), t.clone())
            }
            P::Idx => {
                let (n, t) = self.array(1)?;
                self.same("the index must be one of the array", self.data(0)?, &Type::index(n.clone()))?;
                t.clone()
            }
            P::MakeArray => {
                let t = self.data(0)?;
                for other in self.params {
                    self.same("all elements must have one type", t, other)?;
                }
                Type::array(self.nat(0)?.clone(), t.clone())
            }
            P::Take => {
                let (n, (_, t)) = (self.nat(0)?, self.array(0)?);
                Type::array(n.clone(), t.clone())
            }
            P::Drop => {
                let (n, (length, t)) = (self.nat(0)?, self.array(0)?);
                Type::array(length.sub(n), t.clone())
            }
            P::Concat => {
                let ((n, s), (m, t)) = (self.array(0)?, self.array(1)?);
                self.same("both arrays must have one element type", s, t)?;
                Type::array(n.add(m), t.clone())
            }
            P::Gather => {
                let ((m, i), (n, t)) = (self.array(0)?, self.array(1)?);
                self.same("the indices must be those of the array", i, &Type::index(n.clone()))?;
                Type::array(m.clone(), t.clone())
            }
            P::Scatter => {
                let ((k, i), (n, t)) = (self.array(0)?, self.array(1)?);
                if k != n {
                    return Err(self.misfit(format!("there are {k} indices for {n} elements")));
                }
                let m = i.as_index().ok_or_else(|| self.wanted(0, "an array of indices"))?;
                Type::array(m.clone(), t.clone())
            }
            P::PadCst => {
                let (c, (n, t)) = (self.data(0)?, self.array(1)?);
                self.same("the constant must be like the elements", c, t)?;
                Type::array(self.nat(0)?.add(n).add(self.nat(1)?), t.clone())
            }
            P::PadClamp => {
                let (n, t) = self.array(0)?;
                Type::array(self.nat(0)?.add(n).add(self.nat(1)?), t.clone())
            }
            P::PadEmpty => {
                let (n, t) = self.array(0)?;
                Type::array(n.add(self.nat(0)?), t.clone())
            }
            P::AsVector | P::AsVectorAligned => {
                let (n, (length, t)) = (self.nat(0)?, self.array(0)?);
                Type::array(length.exact_div(n), Type::vector(n.clone(), t.clone()))
            }
            P::AsScalar => {
                let (m, v) = self.array(0)?;
                let (n, t) = v.as_vector().ok_or_else(|| self.wanted(0, "an array of vectors"))?;
                Type::array(m.mul(n), t.clone())
            }
            P::Iterate => {
                let ((a, b), (length, element)) = (self.function(0)?, self.array(1)?);
                if a != b
                    && let Some(s) = steps::between(a, b)
                    && steps::is_size_of_step(&s.size)
                    && let Some(k) = self.nat(0)?.as_constant().filter(|k| (1..=steps::MOST).contains(k))
                {
                    self.same(
                        "the step must take the array's elements",
                        a.as_array().map_or(a, |(_, t)| t),
                        element,
                    )?;
                    return Ok(Type::array(length.exact_div(&s.factor.pow(k as u32)), element.clone()));
                }
                self.same("the function must return what it takes", a, b)?;
                self.same("the function must take the array", a, self.data(1)?)?;
                b.clone()
            }
            P::Declared(declared) => {
                let found =
                    declared.instance(self.args, self.params, expected).map(|(_, ty)| ty.signature().1);
                found
                    .filter(|ty| !ty.has_metas())
                    .ok_or_else(|| self.misfit(format!("its type is {}", self.pattern.row().scheme)))?
            }
            // The sorts have taken these.
            _ => Type::ill(),
        })
    }
}

/// Windows of `sz` elements, each `sp` after the last.
fn windows(length: &Nat, sz: &Nat, sp: &Nat, t: &Type) -> Type {
    Type::array(length.sub(sz).add(sp).exact_div(sp), Type::array(sz.clone(), t.clone()))
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
    let given = Given { pattern, args, params };
    match arity(pattern, args) {
        Some(n) if n == params.len() && n > 0 => given.result(expected),
        Some(n) => Err(given.misfit(format!("it takes {n} arguments, not {}", params.len()))),
        None => Err(given.misfit("the number of its elements is not constant")),
    }
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
