//! Functions from numbers to numbers, `/\i. n - 1 - i`: where `reorder` finds each element.

use super::{Atom, Coefficient, Name, Nat, NatError, NatVar};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The name of the parameter in the body: one that cannot be written, so that no size is captured.
pub(super) const PARAMETER: &str = "%";

/// A function of a number. Equality is that of the normal forms of the bodies; the parameter's name is a hint.
#[derive(Clone)]
pub struct NatFun {
    hint: Name,
    body: Nat,
}

impl PartialEq for NatFun {
    fn eq(&self, other: &NatFun) -> bool {
        self.body == other.body
    }
}
impl Eq for NatFun {}
impl Hash for NatFun {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.body.hash(state);
    }
}
impl PartialOrd for NatFun {
    fn partial_cmp(&self, other: &NatFun) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for NatFun {
    fn cmp(&self, other: &NatFun) -> Ordering {
        self.body.cmp(&other.body)
    }
}

impl NatFun {
    /// The function with this body, in which [`NatFun::parameter`] stands for what it is applied to.
    pub fn new(hint: &str, body: Nat) -> NatFun {
        NatFun { hint: hint.into(), body }
    }

    pub fn parameter() -> Nat {
        Nat::var(PARAMETER)
    }

    /// How ranges name the parameter.
    pub fn parameter_name() -> Name {
        PARAMETER.into()
    }

    /// Does the number depend on the parameter of a function around it?
    pub fn is_inside(n: &Nat) -> bool {
        n.vars().iter().any(is_parameter)
    }

    /// The function with another body, of the same parameter.
    #[must_use]
    pub fn with_body(&self, body: Nat) -> NatFun {
        NatFun { hint: self.hint.clone(), body }
    }

    pub fn body(&self) -> &Nat {
        &self.body
    }

    pub fn apply(&self, n: &Nat) -> Nat {
        self.body.subst(&|v| is_parameter(v).then(|| n.clone()))
    }

    /// The sizes in it, in order of first appearance.
    pub fn vars(&self) -> Vec<NatVar> {
        self.body.vars().into_iter().filter(|v| !is_parameter(v)).collect()
    }

    /// Replaces sizes.
    #[must_use]
    pub fn subst(&self, f: &dyn Fn(&NatVar) -> Option<Nat>) -> NatFun {
        let body = self.body.subst(&|v| if is_parameter(v) { None } else { f(v) });
        NatFun { hint: self.hint.clone(), body }
    }

    /// The parameter's name, other than that of any size in it, and the body with it.
    pub fn written(&self) -> (Name, String) {
        struct Body<'a>(&'a Nat, &'a str);
        impl fmt::Display for Body<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write_body(f, self.1)
            }
        }
        let vars = self.vars();
        let free = |x: &str| !vars.iter().any(|v| matches!(v, NatVar::Named(n) if **n == *x));
        let numbered = (1..).map(|k| Name::from(format!("{}{k}", self.hint)));
        let name = std::iter::once(self.hint.clone()).chain(numbered).find(|x| free(x));
        let name = name.unwrap_or_else(|| self.hint.clone());
        let body = Body(&self.body, &name).to_string();
        (name, body)
    }

    /// The function for given sizes, to be called often.
    ///
    /// # Errors
    /// A size without a value.
    pub fn at(&self, value: &dyn Fn(&str) -> Option<i64>) -> Result<Known, NatError> {
        let of = |v: NatVar| match v {
            NatVar::Named(x) => Ok((x.clone(), value(&x).ok_or_else(|| NatError::Unknown(x.to_string()))?)),
            NatVar::Meta(_) | NatVar::Worker(_) => Err(NatError::Unknown(v.to_string())),
        };
        let sizes = self.vars().into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
        Ok(Known { code: Code::of(&self.body, &sizes), function: self.clone(), sizes })
    }
}

/// A function all of whose sizes are known.
pub struct Known {
    function: NatFun,
    sizes: Vec<(Name, i64)>,
    code: Option<Code>,
}

impl Known {
    /// # Errors
    /// A division that leaves a remainder or divides by zero, a number out of range.
    pub fn call(&self, i: i64) -> Result<i64, NatError> {
        let quick = self.code.as_ref().and_then(|code| code.value(i.into()));
        match quick.and_then(|n| i64::try_from(n).ok()) {
            Some(n) => Ok(n),
            // Says why.
            None => {
                let size = |x: &str| self.sizes.iter().find(|(n, _)| **n == *x).map(|(_, v)| *v);
                let whole = self.function.body.eval(&|x| if x == PARAMETER { Some(i) } else { size(x) });
                match whole {
                    Err(NatError::DivisionByZero(_)) => {
                        Err(NatError::DivisionByZero(self.function.to_string()))
                    }
                    // With numbers in their places.
                    Err(_) => self.function.apply(&Nat::constant(i)).eval(&size),
                    Ok(value) => Ok(value),
                }
            }
        }
    }
}

/// A number as whole-numbered arithmetic: a sum over a number.
struct Code {
    terms: Vec<(i128, Vec<Factor>)>,
    below: i128,
}

enum Factor {
    Parameter,
    Size(i128),
    Floor(Code, Code),
    Mod(Code, Code),
}

impl Code {
    /// None where something other than a number divides exactly.
    fn of(n: &Nat, sizes: &[(Name, i64)]) -> Option<Code> {
        let below = n.terms().iter().try_fold(1i128, |d, (_, c)| {
            d.checked_mul(*Coefficient::new(d, *c.denom()).denom()).filter(|d| *d < 1 << 62)
        })?;
        let mut terms = vec![];
        for (m, c) in n.terms() {
            let mut factors = vec![];
            for (a, e) in m {
                for _ in 0..usize::try_from(*e).ok()? {
                    factors.push(match a {
                        Atom::Var(v) if is_parameter(v) => Factor::Parameter,
                        Atom::Floor(x, y) => Factor::Floor(Code::of(x, sizes)?, Code::of(y, sizes)?),
                        Atom::Mod(x, y) => Factor::Mod(Code::of(x, sizes)?, Code::of(y, sizes)?),
                        Atom::Var(NatVar::Named(x)) => {
                            Factor::Size(sizes.iter().find(|(n, _)| n == x)?.1.into())
                        }
                        Atom::Var(NatVar::Meta(_) | NatVar::Worker(_)) | Atom::Sum(_) | Atom::Poison => {
                            return None;
                        }
                    });
                }
            }
            terms.push((c.numer().checked_mul(below / *c.denom())?, factors));
        }
        Some(Code { terms, below })
    }

    fn value(&self, i: i128) -> Option<i128> {
        let mut sum: i128 = 0;
        for (c, factors) in &self.terms {
            let mut product = *c;
            for f in factors {
                product = product.checked_mul(match f {
                    Factor::Parameter => i,
                    Factor::Size(n) => *n,
                    Factor::Floor(x, y) => x.value(i)?.checked_div_euclid(y.value(i)?)?,
                    Factor::Mod(x, y) => x.value(i)?.checked_rem_euclid(y.value(i)?)?,
                })?;
            }
            sum = sum.checked_add(product)?;
        }
        (sum % self.below == 0).then(|| sum / self.below)
    }
}

fn is_parameter(v: &NatVar) -> bool {
    matches!(v, NatVar::Named(x) if &**x == PARAMETER)
}

impl fmt::Display for NatFun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, body) = self.written();
        write!(f, "/\\{name}. {body}")
    }
}

impl fmt::Debug for NatFun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fun(body: impl FnOnce(Nat) -> Nat) -> NatFun {
        NatFun::new("i", body(NatFun::parameter()))
    }

    #[test]
    fn the_parameters_name_says_nothing() {
        let (s, c) = (Nat::var("s"), Nat::constant);
        let f = fun(|i| i.floor_div(&s).add(&c(4).mul(&i.modulo(&s))));
        assert_eq!(f, NatFun::new("j", f.body().clone()));
        assert_eq!(f.to_string(), "/\\i. 4*(i % s) + i div s");
        assert_eq!(fun(|i| i.add(&Nat::var("i"))).to_string(), "/\\i1. i + i1");
        assert_eq!(f.vars(), [NatVar::Named("s".into())]);
        let a = Nat::var("n").exact_div(&s);
        assert_eq!(fun(|i| a.mul(&i.modulo(&s)).add(&i)).to_string(), "/\\i. (n/s)*(i % s) + i");
        let three = f.subst(&|_| Some(c(3)));
        assert_eq!(three.apply(&c(7)), c(6));
        assert_eq!(f.apply(&Nat::var("x")).subst(&|v| (v.to_string() == "x").then(|| c(0))), c(0));
    }

    #[test]
    fn known_functions_are_called_as_they_evaluate() {
        let (s, c) = (Nat::var("s"), Nat::constant);
        let f = fun(|i| {
            i.sub(&c(3)).floor_div(&s).add(&i.mul(&i.sub(&c(1))).exact_div(&c(2))).add(&i.modulo(&s))
        });
        let known = f.at(&|_| Some(5)).unwrap();
        for i in 0..40 {
            let slow = f.apply(&c(i)).eval(&|_| Some(5));
            assert_eq!(known.call(i), slow);
            assert_eq!(slow, Ok((i - 3).div_euclid(5) + i * (i - 1) / 2 + i % 5));
        }
        let zero = fun(|i| i.modulo(&s)).at(&|_| Some(0)).unwrap();
        assert!(matches!(zero.call(1), Err(NatError::DivisionByZero(_))));
        assert!(matches!(f.at(&|_| None).map(|_| ()), Err(NatError::Unknown(_))));
        assert!(matches!(
            fun(|i| i.exact_div(&c(2))).at(&|_| None).unwrap().call(3),
            Err(NatError::Fraction(_))
        ));
    }
}
