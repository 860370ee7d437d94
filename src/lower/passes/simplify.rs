//! Simplifies with what is known of loop variables: divisions and remainders in indices, comparisons of padding,
//! loops of no or one iteration, memory that nothing reads, elements of literal arrays at constant indices, and
//! operations with literal zeros and ones where every bit of the result stays as it was. So a product of floats with a
//! literal zero stays: it is NaN where the other factor is infinite. Only a zero that was found here, as a weight of an unrolled stencil is, takes its
//! product with it: what a weight of zero hides is not computed.

use super::unread;
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, Workers, condition};
use crate::lang::diag::Diagnostic;
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::ty::Scalar;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = Simplifier { ranges: p.ranges(), names }.phrase(&p.body);
    Ok(p)
}

struct Simplifier<'a> {
    ranges: Ranges,
    names: &'a mut Names,
}

impl Simplifier<'_> {
    fn phrase(&mut self, p: &Phrase) -> Phrase {
        match p.kind() {
            Kind::For(l) => self.for_loop(l),
            Kind::New(storage, ty, x, body) => {
                let body = self.phrase(body);
                passed_on(x, &body).unwrap_or_else(|| unread::new_in(*storage, ty, x, body))
            }
            Kind::If(c, a, b) => self.choice(p, c, a, b),
            Kind::Seq(_) => joined_choices(self.children(p)),
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

    fn choice(&mut self, p: &Phrase, c: &Phrase, a: &Phrase, b: &Phrase) -> Phrase {
        let c = condition::plain(self.phrase(c), &self.ranges);
        if let Kind::Lit(Literal::Bool(holds)) = c.kind() {
            return self.phrase(if *holds { a } else { b });
        }
        let a = self.knowing(&condition::where_true(&c), a);
        let b = self.knowing(condition::where_false(&c).as_slice(), b);
        // Of two questions within each other the second answers the first.
        if let (Kind::If(inner, _, or), Kind::Skip) = (a.kind(), b.kind())
            && matches!(or.kind(), Kind::Skip)
            && condition::follows(&c, inner, &self.ranges)
        {
            return a.with_origin(&a.origin().with(p.origin()));
        }
        unread::without_nothing(Phrase::if_else(c, a, b).with_origin(p.origin()))
    }

    /// The phrase where the numbers are at least zero.
    fn knowing(&mut self, natural: &[Nat], p: &Phrase) -> Phrase {
        if natural.is_empty() {
            return self.phrase(p);
        }
        let before = self.ranges.clone();
        natural.iter().for_each(|n| self.ranges.assume(n));
        let p = self.phrase(p);
        self.ranges = before;
        p
    }

    fn for_loop(&mut self, l: &Loop) -> Phrase {
        if l.init.sub(&l.n).is_natural(&self.ranges) {
            return Phrase::skip();
        }
        // Work-items share even a single iteration: one of them runs it.
        if !l.kind.is_of_work_items()
            && l.is_at_most_once(&self.ranges)
            && l.init.is_less(&l.n, &self.ranges) == Some(true)
        {
            let body = Phrase::only_iteration(l, self.names);
            return self.phrase(&body);
        }
        self.ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
        let body = self.phrase(&l.body);
        self.ranges.remove(&l.var);
        let l = Loop { body, ..l.clone() };
        match self.to_last_iteration(&l) {
            Some(shorter) => self.for_loop(&shorter),
            None => unread::without_nothing(Phrase::for_loop(l)),
        }
    }

    /// The loop without the last iterations, where these do nothing: its body asks whether it is one of the others.
    fn to_last_iteration(&self, l: &Loop) -> Option<Loop> {
        if !matches!(l.kind, LoopKind::Sequential | LoopKind::Parallel(Workers::Local(_))) {
            return None;
        }
        let Kind::If(c, body, or) = l.body.kind() else { return None };
        let [natural] = condition::where_true(c).try_into().ok()?;
        let n = natural.add(&Nat::var(&l.var)).add(&Nat::constant(1));
        let is_shorter = !n.vars().contains(&NatVar::Named(l.var.clone()))
            && matches!(or.kind(), Kind::Skip)
            && l.n.sub(&n).is_natural(&self.ranges);
        (is_shorter && !body.has_barrier()).then(|| Loop { n, body: body.clone(), ..l.clone() })
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
        let is_zero = |v: &NatVar| matches!(v, NatVar::Worker(w) if self.ranges.is_first(*w));
        let n = n.subst(&|v| is_zero(v).then(|| Nat::constant(0))).simplify(&self.ranges);
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
                _ if matches!(
                    (a.kind(), b.kind()),
                    (Kind::Lit(Literal::Bool(true)), Kind::Lit(Literal::Bool(false)))
                ) =>
                {
                    c.clone()
                }
                _ => p,
            },
            (Pattern::Equal, [a, b]) => self.equal(a, b).map_or(p, |l| Phrase::lit(Literal::Bool(l))),
            (Pattern::Lt, [a, b]) => match self.less(a, b) {
                Some(holds) => Phrase::lit(Literal::Bool(holds)),
                // What both sides have is not compared.
                None if have_common(a, b) => condition::plain(p.clone(), &self.ranges),
                None => p,
            },
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

    fn equal(&self, a: &Phrase, b: &Phrase) -> Option<bool> {
        match (self.less(a, b)?, self.less(b, a)?) {
            (false, false) => Some(true),
            _ => Some(false),
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

/// Is there something that both numbers have?
fn have_common(a: &Phrase, b: &Phrase) -> bool {
    let vars = |p: &Phrase| p.as_number().map_or(vec![], |(n, _)| n.vars());
    vars(a).iter().any(|v| vars(b).contains(v))
}

/// `t := e; c := t` is `c := e`, where nothing else uses `t`.
fn passed_on(x: &Name, body: &Phrase) -> Option<Phrase> {
    let is_all = |p: &Phrase| matches!(p.kind(), Kind::Var(y) if y == x);
    let Kind::Seq(commands) = body.kind() else { return None };
    let [first, second] = commands.as_slice() else { return None };
    let (Kind::Assign(memory, value), Kind::Assign(to, read)) = (first.kind(), second.kind()) else {
        return None;
    };
    let is_passed = is_all(memory) && is_all(read) && !value.mentions(x) && !to.mentions(x);
    is_passed
        .then(|| Phrase::assign(to.clone(), value.clone()).with_origin(&first.origin().with(second.origin())))
}

/// The commands, where choices that follow each other and ask the same are one.
fn joined_choices(p: Phrase) -> Phrase {
    let Kind::Seq(cs) = p.kind() else { return p };
    let mut out: Vec<Phrase> = vec![];
    for c in cs {
        let Some(last) = out.last_mut() else {
            out.push(c.clone());
            continue;
        };
        match (last.kind(), c.kind()) {
            (Kind::If(asked, a, a_or), Kind::If(again, b, b_or))
                if asked == again
                    && !condition::where_true(asked).is_empty()
                    && [a_or, b_or].iter().all(|or| matches!(or.kind(), Kind::Skip)) =>
            {
                let origin = last.origin().with(c.origin());
                let both = Phrase::seq([a.clone(), b.clone()]);
                *last = Phrase::if_else(asked.clone(), both, Phrase::skip()).with_origin(&origin);
            }
            _ => out.push(c.clone()),
        }
    }
    Phrase::seq(out)
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
