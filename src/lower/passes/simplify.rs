//! Simplifies with what is known of loop variables: divisions and remainders in indices, comparisons of padding,
//! loops of no or one iteration, memory that nothing reads, elements of literal arrays at constant indices, and
//! operations with literal zeros and ones where every bit of the result stays as it was. So a product of floats with a
//! literal zero stays: it is NaN where the other factor is infinite. Only a zero that was found here, as a weight of an unrolled stencil is, takes its
//! product with it: what a weight of zero hides is not computed.

use super::unread;
use crate::lang::diag::Diagnostic;
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::ty::Scalar;
use crate::lower::dpia::{Imperative, Kind, LoopKind, Names, Phrase, Workers};

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = Simplifier { ranges: Ranges::default(), names }.phrase(&p.body);
    Ok(p)
}

struct Simplifier<'a> {
    ranges: Ranges,
    names: &'a mut Names,
}

impl Simplifier<'_> {
    fn phrase(&mut self, p: &Phrase) -> Phrase {
        match p.kind() {
            Kind::For(l) => self.for_loop(p, l),
            Kind::New(storage, ty, x, body) => {
                let body = self.phrase(body);
                unread::new_in(*storage, ty, x, body)
            }
            Kind::If(c, a, b) => {
                let c = self.phrase(c);
                match c.kind() {
                    Kind::Lit(Literal::Bool(true)) => self.phrase(a),
                    Kind::Lit(Literal::Bool(false)) => self.phrase(b),
                    _ => {
                        let a = self.phrase(a);
                        Phrase::if_else(c, a, self.phrase(b)).with_origin(p.origin())
                    }
                }
            }
            Kind::Number(n, parts) => self.number(p, n, parts),
            Kind::Pattern(..) => {
                let simpler = self.children(p);
                dead_product(p, &simpler).unwrap_or_else(|| self.expression(simpler))
            }
            _ => self.children(p),
        }
    }

    fn children(&mut self, p: &Phrase) -> Phrase {
        let Ok(q) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(self.phrase(c)));
        q
    }

    fn for_loop(&mut self, p: &Phrase, l: &crate::lower::dpia::Loop) -> Phrase {
        let shared = matches!(
            l.kind,
            LoopKind::Parallel(Workers::Global(_) | Workers::WorkGroup(_) | Workers::Local(_))
        );
        let left = l.n.sub(&l.init);
        if left.as_constant().is_some_and(|n| n <= 0) {
            return Phrase::skip();
        }
        // Work-items share even a single iteration: one of them runs it.
        if !shared && left.as_constant() == Some(1) {
            let body = l.body.at_iteration(&l.var, &l.init, self.names);
            return self.phrase(&body);
        }
        self.ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
        let out = self.children(p);
        self.ranges.remove(&l.var);
        unread::without_nothing(out)
    }

    fn number(&mut self, p: &Phrase, n: &Nat, parts: &[(Name, Phrase)]) -> Phrase {
        let mut n = n.clone();
        let mut kept: Vec<(Name, Phrase)> = vec![];
        for (x, e) in parts {
            let e = self.phrase(e);
            if let Some((value, more)) = e.as_number() {
                let var = NatVar::Named(x.clone());
                n = n.subst(&|v| (*v == var).then(|| value.clone()));
                kept.extend(
                    more.into_iter().filter(|(y, _)| !kept.iter().any(|(z, _)| z == y)).collect::<Vec<_>>(),
                );
            } else if !kept.iter().any(|(y, _)| y == x) {
                kept.push((x.clone(), e));
            }
        }
        for (x, e) in &kept {
            if let Some(bound) = e.data().as_index() {
                self.ranges.insert(x.clone(), Nat::constant(0), bound.clone());
            }
        }
        let n = n.simplify(&self.ranges);
        kept.iter().for_each(|(x, _)| self.ranges.remove(x));
        kept.retain(|(x, _)| n.vars().contains(&NatVar::Named(x.clone())));
        Phrase::new(Kind::Number(n, kept), p.ty().clone())
    }

    fn expression(&mut self, p: Phrase) -> Phrase {
        let Kind::Pattern(op, _, ps) = p.kind() else { return p };
        match (op, ps.as_slice()) {
            (Pattern::Select, [c, a, b]) => match c.kind() {
                Kind::Lit(Literal::Bool(true)) => a.clone(),
                Kind::Lit(Literal::Bool(false)) => b.clone(),
                _ if a == b => a.clone(),
                _ => p,
            },
            (Pattern::Lt, [a, b]) => self.less(a, b).map_or(p, |l| Phrase::lit(Literal::Bool(l))),
            (Pattern::Gt, [a, b]) => self.less(b, a).map_or(p, |l| Phrase::lit(Literal::Bool(l))),
            (Pattern::Ge, [a, b]) => self.less(a, b).map_or(p, |l| Phrase::lit(Literal::Bool(!l))),
            (Pattern::Le, [a, b]) => self.less(b, a).map_or(p, |l| Phrase::lit(Literal::Bool(!l))),
            (Pattern::Not, [a]) => match a.kind() {
                Kind::Lit(Literal::Bool(v)) => Phrase::lit(Literal::Bool(!v)),
                _ => p,
            },
            (Pattern::Idx, [i, x]) => {
                let constant =
                    i.as_number().and_then(|(n, _)| n.as_constant()).and_then(|n| usize::try_from(n).ok());
                match (x.kind(), constant) {
                    (Kind::Pattern(Pattern::MakeArray, _, es), Some(k)) if k < es.len() => es[k].clone(),
                    _ => p,
                }
            }
            (Pattern::Add, [a, b]) if adds_nothing(a) => b.clone(),
            (Pattern::Add, [a, b]) if adds_nothing(b) => a.clone(),
            (Pattern::Sub, [a, b]) if is_integer(b, 0) || is_float(b, 0.0) => a.clone(),
            (Pattern::Mul, [a, b]) if is_integer(a, 0) || is_one(b) => a.clone(),
            (Pattern::Mul, [a, b]) if is_integer(b, 0) || is_one(a) => b.clone(),
            (Pattern::Div, [a, b]) if is_one(b) => a.clone(),
            _ => match p.as_number() {
                Some((n, parts)) => self.number(&p, &n, &parts),
                None => p,
            },
        }
    }

    fn less(&self, a: &Phrase, b: &Phrase) -> Option<bool> {
        let ((m, p), (n, q)) = (a.as_number()?, b.as_number()?);
        if !p.is_empty() || !q.is_empty() {
            return None;
        }
        m.is_less(&n, &self.ranges)
    }
}

/// What a product of floats becomes when one of its factors has turned out to be zero: the zero that adds nothing to
/// any sum, whatever the sign of the sum.
fn dead_product(before: &Phrase, after: &Phrase) -> Option<Phrase> {
    let (Kind::Pattern(Pattern::Mul, _, old), Kind::Pattern(Pattern::Mul, _, new)) =
        (before.kind(), after.kind())
    else {
        return None;
    };
    let found = old.iter().zip(new).find(|(o, n)| number(o).is_none() && number(n).is_some_and(|v| v == 0.0));
    found.map(|(_, zero)| negative(zero))
}

/// The value of a literal float, or of a vector of one.
fn number(e: &Phrase) -> Option<f64> {
    match e.kind() {
        Kind::Lit(Literal::Float(bits, _)) => Some(f64::from_bits(*bits)),
        Kind::Pattern(Pattern::VectorFromScalar, _, es) => number(es.first()?),
        _ => None,
    }
}

/// The negative zero in the place of a literal float.
fn negative(zero: &Phrase) -> Phrase {
    match zero.kind() {
        Kind::Lit(Literal::Float(_, scalar)) => Phrase::lit(Literal::float(-0.0, *scalar)),
        _ => {
            let Ok(p) = zero.map_children::<std::convert::Infallible>(&mut |c| Ok(negative(c)));
            p
        }
    }
}

/// Is the phrase this literal integer?
fn is_integer(e: &Phrase, value: i128) -> bool {
    matches!(e.kind(), Kind::Lit(Literal::Int(v, s)) if *s != Scalar::Bool && *v == value)
}

/// Is the phrase this literal float, with this sign?
fn is_float(e: &Phrase, value: f64) -> bool {
    number(e).is_some_and(|v| v.to_bits() == value.to_bits())
}

fn is_one(e: &Phrase) -> bool {
    is_integer(e, 1) || is_float(e, 1.0)
}

/// A sum with a float's positive zero is not always the other summand: it is positive where that is the negative zero.
fn adds_nothing(e: &Phrase) -> bool {
    is_integer(e, 0) || is_float(e, -0.0)
}
