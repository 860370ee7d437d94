//! The form of terms that lowering works on: functions are applied or are abstractions, nothing else.
//!
//! In: any closed, well-typed term. Out: an equal term in which every pattern has all its arguments, every argument
//! of function type is an abstraction of all its parameters, and the only redexes left share data that is no stream,
//! `(\x. b) v`.

use super::stream;
use crate::lang::MAX_DEPTH;
use crate::lang::build;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};

/// Unfolding functions can multiply terms; this many steps are beyond what anybody writes.
const MAX_STEPS: u32 = 200_000;

/// # Errors
/// A term that unfolds without bound in practice, or that reads a stream more than once.
pub fn normalise(t: &Term) -> Result<Term, Diagnostic> {
    let normal = below_binders(&Normaliser { steps: 0 }.term(t)?);
    if normal.depth() as usize > 4 * MAX_DEPTH {
        return Err(too_large());
    }
    stream::in_place(&normal, t)
}

struct Normaliser {
    steps: u32,
}

fn too_large() -> Diagnostic {
    Diagnostic::error("E0501", "The program becomes too large when its functions are unfolded.")
        .hint("Share intermediate results with `let`, or use functions less often.")
}

impl Normaliser {
    fn term(&mut self, t: &Term) -> Result<Term, Diagnostic> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(too_large());
        }
        match t.expr() {
            Expr::Lam(_, b) => {
                let b = self.term(b)?;
                Ok(t.with_children(vec![b]))
            }
            Expr::Lit(_) => Ok(t.clone()),
            Expr::Var(_) | Expr::Prim(_) | Expr::App(..) => {
                let (head, args) = t.spine();
                self.application(head.clone(), args.into_iter().cloned().collect())
            }
        }
    }

    fn application(&mut self, head: Term, mut args: Vec<Term>) -> Result<Term, Diagnostic> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(too_large());
        }
        match head.expr() {
            Expr::App(..) => {
                let (inner, first) = head.spine();
                let all = first.into_iter().cloned().chain(args).collect();
                self.application(inner.clone(), all)
            }
            Expr::Lam(name, body) if !args.is_empty() => {
                let arg = args.remove(0);
                let shares = arg.ty().is_data()
                    && !matches!(arg.expr(), Expr::Var(_) | Expr::Lit(_))
                    && body.has_free(0);
                if !shares {
                    return self.application(body.subst0(&arg), args);
                }
                let outside = args.iter().map(|a| a.shift_up(1)).collect();
                let body = self.application(body.clone(), outside)?;
                let value = self.term(&arg)?;
                Ok(Term::app(Term::lam(name, value.ty().clone(), body), value))
            }
            Expr::Lam(..) => self.term(&head),
            Expr::Prim(p) if p.pattern == Pattern::Id && !args.is_empty() => {
                let first = args.remove(0);
                self.application(first, args)
            }
            _ => {
                if let Expr::Prim(p) = head.expr()
                    && build::arity(p.pattern, &p.args).is_none()
                {
                    let message = format!("`{}` needs a constant size here.", p.pattern);
                    return Err(Diagnostic::error("E0502", message));
                }
                // What an argument shares while it computes a function is shared around the application.
                let mut shared: Vec<(Name, Term)> = vec![];
                let mut done: Vec<Term> = vec![];
                for a in args {
                    let mut a = self.term(&a.shift_up(shared.len() as u32))?;
                    while a.ty().as_fun().is_some()
                        && let Some((f, value)) = a.as_app()
                        && let Some((name, body)) = f.as_lam()
                    {
                        done = done.iter().map(|d| d.shift_up(1)).collect();
                        shared.push((name.clone(), value.clone()));
                        a = body.clone();
                    }
                    done.push(self.eta(a));
                }
                let mut out = self.eta(Term::apps(head.shift_up(shared.len() as u32), done));
                for (name, value) in shared.into_iter().rev() {
                    out = Term::app(Term::lam(&name, value.ty().clone(), out), value);
                }
                Ok(out)
            }
        }
    }

    /// Adds the binders that are missing for the type.
    fn eta(&mut self, t: Term) -> Term {
        if let (Some((name, body)), Some((param, _))) = (t.as_lam(), t.ty().as_fun()) {
            let body = self.eta(body.clone());
            return Term::lam(name, param.clone(), body);
        }
        let Some((param, _)) = t.ty().as_fun() else { return t };
        let applied = if let Some(Pattern::Id) = t.as_pattern() {
            Term::var(0, param.clone())
        } else {
            Term::app(t.shift_up(1), self.eta(Term::var(0, param.clone())))
        };
        Term::lam("x", param.clone(), self.eta(applied))
    }
}

/// Shared values of a function move below its binders: the function's parameters come first.
fn below_binders(t: &Term) -> Term {
    if t.ty().as_fun().is_none() {
        return t.clone();
    }
    match t.expr() {
        Expr::Lam(_, b) => t.with_children(vec![below_binders(b)]),
        Expr::App(f, value) => match f.as_lam() {
            Some((name, body)) => sink(name, value, &below_binders(body)),
            None => t.clone(),
        },
        _ => t.clone(),
    }
}

/// `(\name. body) value`, with binders of the body first.
fn sink(name: &str, value: &Term, body: &Term) -> Term {
    if let (Some((inner, b)), Some((param, _))) = (body.as_lam(), body.ty().as_fun()) {
        // In `b` the parameter is 0 and the shared value 1: they change places.
        let swap = |i: u32| Some(if i < 2 { 1 - i } else { i });
        let b = b.rename(&swap).unwrap_or_else(|| b.clone());
        return Term::lam(inner, param.clone(), sink(name, &value.shift_up(1), &b));
    }
    Term::app(Term::lam(name, value.ty().clone(), body.clone()), value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::build as b;
    use crate::lang::nat::Nat;
    use crate::lang::ty::Type;

    fn vector() -> Type {
        Type::array(Nat::var("n"), Type::f32())
    }

    #[test]
    fn patterns_get_all_their_arguments() {
        let f = Type::f32();
        let plus = b::pattern(Pattern::Add, vec![], &[f.clone(), f.clone()]).unwrap();
        let t = b::lam("xs", vector(), |xs| b::reduce(plus.clone(), b::f32(0.0), xs)).unwrap();
        let normal = normalise(&t).unwrap();
        assert_eq!(format!("{normal:?}"), "(\\(((reduce (\\(\\((add %1) %0)))) 0.0) %0))");
        assert_eq!(normal.ty(), t.ty());
        assert!(normal.check().is_ok());
        assert_eq!(normalise(&normal).unwrap(), normal);
    }

    #[test]
    fn functions_unfold_and_data_stays_shared() {
        // (\f. \xs. (\s. f (s + s)) (reduce f xs ...)) with f a function
        let f = Type::f32();
        let body = b::lam("g", Type::fun(f.clone(), f.clone()), |g| {
            b::lam("x", f.clone(), |x| {
                let sum = b::add(x.clone(), x)?;
                b::share("s", sum, |s| b::app(g.clone(), b::mul(s.clone(), s)?))
            })
        })
        .unwrap();
        let neg = b::pattern(Pattern::Neg, vec![], &[f]).unwrap();
        let normal = normalise(&Term::app(body, neg)).unwrap();
        assert_eq!(format!("{normal:?}"), "(\\((\\(neg ((mul %0) %0))) ((add %0) %0)))");
        assert!(normal.check().is_ok());
    }

    #[test]
    fn values_that_functions_share_are_computed_once() {
        // map (let s = x + x in \y. s + y) over an array, and the function itself as a program
        let f = Type::f32();
        let g = |x: Term| {
            let sum = b::add(x.clone(), x)?;
            b::share("s", sum, |s| b::lam("y", Type::f32(), |y| b::add(s.clone(), y)))
        };
        let t = b::lam2(("x", f.clone()), ("ys", vector()), |x, ys| b::map(g(x)?, ys)).unwrap();
        let normal = normalise(&t).unwrap();
        assert!(normal.check().is_ok());
        let written = "(\\(\\((\\((map (\\((add %1) %0))) %1)) ((add %1) %1))))";
        assert_eq!(format!("{normal:?}"), written);

        let normal = normalise(&b::lam("x", f, g).unwrap()).unwrap();
        assert!(normal.check().is_ok());
        assert_eq!(format!("{normal:?}"), "(\\(\\((\\((add %0) %1)) ((add %1) %1))))");
    }

    #[test]
    fn unfolding_has_an_end() {
        // f_k = \x. f_{k-1} (f_{k-1} x), forty times
        let f = Type::f32();
        let ff = Type::fun(f.clone(), f.clone());
        let mut t = b::pattern(Pattern::Neg, vec![], std::slice::from_ref(&f)).unwrap();
        for _ in 0..40 {
            let twice = b::lam("f", ff.clone(), |g| {
                b::lam("x", f.clone(), |x| b::app(g.clone(), b::app(g.clone(), x)?))
            });
            t = Term::app(twice.unwrap(), t);
        }
        assert_eq!(normalise(&t).unwrap_err().code, "E0501");
    }
}
