//! Sums that gcc 12.2 gets wrong, written so that it gets them right.
//!
//! Where one sum of floats goes on over several iterations of a loop, and each adds several elements, in an inner loop or one
//! after the other, gcc may take these for a vector. If they do not lie from front to back, as those of rows that are
//! reversed, the elements that it then adds are others. It leaves a loop as it is that has an empty statement of assembly
//! language in it; as the order of a sum of floats is kept, vectors would gain nothing. Sums side by side, each of which an
//! iteration of the inner loop adds one element to, it gets right, and there they gain.

use crate::rotation::memory;
use crate::syntax::{Expr, Stmt, What};
use std::collections::BTreeMap;

/// Keeps loops as they are in which a sum goes on that does not read from front to back.
pub fn keep_loops(body: &mut [Stmt]) {
    body.iter_mut().for_each(|s| keep(s, &mut vec![]));
}

/// `around` are the variables of the loops around it, the outermost first.
fn keep(s: &mut Stmt, around: &mut Vec<String>) {
    match &mut s.what {
        What::For { pragma, var, body, .. } => {
            around.push(var.clone());
            let outer = Outer::of(body);
            outer.keep_loops(body, around);
            if pragma.is_none() && outer.adds_out_of_order(body, around) {
                body.push(barrier(&body[0]));
            }
            body.iter_mut().for_each(|s| keep(s, around));
            around.pop();
        }
        What::Block(body) => body.iter_mut().for_each(|s| keep(s, around)),
        What::If { then, otherwise, .. } => then.iter_mut().chain(otherwise).for_each(|s| keep(s, around)),
        _ => {}
    }
}

fn barrier(like: &Stmt) -> Stmt {
    let text = Expr::Text("__asm__ volatile (\"\")".into());
    Stmt { what: What::Expr(text), origin: like.origin.clone() }
}

/// What each iteration of a loop has for itself, with the variable that it starts as, where it is one.
struct Outer(BTreeMap<String, Option<String>>);

impl Outer {
    fn of(body: &[Stmt]) -> Outer {
        fn own(body: &[Stmt], all: &mut BTreeMap<String, Option<String>>) {
            for s in body {
                match &s.what {
                    What::Declare { name, init, .. } => {
                        all.insert(name.clone(), init.as_ref().and_then(name_of));
                    }
                    What::Name { name, value, .. } => {
                        all.insert(name.clone(), name_of(value));
                    }
                    What::Table { name, .. } => {
                        all.insert(name.clone(), None);
                    }
                    What::Block(body) => own(body, all),
                    _ => {}
                }
            }
        }
        let mut all = BTreeMap::new();
        own(body, &mut all);
        Outer(all)
    }

    /// Keeps the inner loops as they are.
    fn keep_loops(&self, body: &mut [Stmt], around: &mut Vec<String>) {
        for s in body {
            match &mut s.what {
                What::For { pragma: None, var, body, .. } => {
                    around.push(var.clone());
                    let keeps_order = || body.iter().all(|s| reads_onwards(s, around));
                    if self.adds(body) && !self.adds_apart(body, var) && !keeps_order() {
                        body.push(barrier(&body[0]));
                    }
                    around.pop();
                }
                What::Block(body) => self.keep_loops(body, around),
                _ => {}
            }
        }
    }

    /// Is what the name stands for handed on from one iteration to the next?
    fn goes_on(&self, name: &str) -> bool {
        let mut name = name;
        // What starts as itself is an error elsewhere.
        for _ in 0..=self.0.len() {
            match self.0.get(name) {
                None => return true,
                Some(None) => return false,
                Some(Some(start)) => name = start,
            }
        }
        false
    }

    /// What is added to, and what in which order, where a statement adds to a sum that goes on over the iterations.
    fn sum<'s>(&self, s: &'s Stmt) -> Option<(&'s Expr, Vec<&'s Expr>)> {
        let What::Assign { to, op, value } = &s.what else { return None };
        let added = match *op {
            "+=" => vec![value],
            "=" => added_to(to, value)?,
            _ => return None,
        };
        let goes_on = match to {
            Expr::Name(x) => self.goes_on(x),
            _ => !self.0.keys().any(|x| to.mentions(x)),
        };
        goes_on.then_some((to, added))
    }

    /// Are there statements that add to such sums, and nothing but what is computed for them?
    fn adds(&self, body: &[Stmt]) -> bool {
        let is_for_it = |s: &Stmt| matches!(s.what, What::Declare { .. } | What::Name { .. });
        let is_sum = |s: &Stmt| self.sum(s).is_some();
        body.iter().any(is_sum) && body.iter().all(|s| is_for_it(s) || is_sum(s))
    }

    /// Does every iteration over the variable add one element to each of some cells, which are its own?
    fn adds_apart(&self, body: &[Stmt], var: &str) -> bool {
        let sums: Vec<_> = body.iter().filter_map(|s| self.sum(s)).collect();
        let is_apart = |(to, added): &(&Expr, Vec<&Expr>)| {
            let moves = matches!(to, Expr::Index(_, i) if slope(i, var).is_some_and(|slope| slope != 0));
            moves && added.len() == 1
        };
        let targets = || sums.iter().enumerate();
        sums.iter().all(is_apart)
            && targets()
                .all(|(k, (to, _))| targets().all(|(l, (other, _))| k == l || memory(to) != memory(other)))
    }

    /// Are several elements added to one sum one after the other, of which a later one lies before?
    fn adds_out_of_order(&self, body: &[Stmt], around: &[String]) -> bool {
        let sums = body.iter().filter_map(|s| self.sum(s));
        let added: Vec<(&Expr, &Expr)> =
            sums.flat_map(|(to, added)| added.into_iter().map(move |value| (to, value))).collect();
        added.iter().zip(added.iter().skip(1)).any(|((to, value), (other, next))| {
            to == other && (!ascends(value, around) || !ascends(next, around) || !follows(value, next))
        })
    }
}

/// What is added in `to + a + b`.
fn added_to<'e>(to: &Expr, value: &'e Expr) -> Option<Vec<&'e Expr>> {
    let Expr::Binary("+", rest, last) = value else { return None };
    let mut added = if **rest == *to { vec![] } else { added_to(to, rest)? };
    added.push(last);
    Some(added)
}

fn name_of(e: &Expr) -> Option<String> {
    if let Expr::Name(x) = e { Some(x.clone()) } else { None }
}

/// Does what a statement reads move on, if at all, as the loops go on?
fn reads_onwards(s: &Stmt, around: &[String]) -> bool {
    let mut onwards = true;
    s.for_each_own_expr(&mut |e| onwards &= ascends(e, around));
    onwards
}

/// Does what is read move on, if at all, as the loops go on?
fn ascends(value: &Expr, around: &[String]) -> bool {
    let mut ascends = true;
    value.for_each(&mut |e| {
        match e {
            Expr::Index(_, i) => {
                ascends &= around.iter().all(|var| slope(i, var).is_some_and(|slope| slope >= 0));
            }
            // Elements of one array that are chosen by the loop come in any order.
            Expr::Conditional(c, x, y) if around.iter().any(|var| c.mentions(var)) => {
                let (x, y) = (reads(x), reads(y));
                ascends &= x.iter().all(|(array, _)| y.iter().all(|(other, _)| other != array));
            }
            _ => {}
        }
    });
    ascends
}

/// What is read, as arrays and indices.
fn reads(e: &Expr) -> Vec<(Expr, Expr)> {
    let mut out = vec![];
    e.for_each(&mut |e| {
        if let Expr::Index(array, i) = e {
            out.push(((**array).clone(), (**i).clone()));
        }
    });
    out
}

/// Is nothing that the second reads known to lie before what the first does in the same array, nor somewhere else?
fn follows(first: &Expr, second: &Expr) -> bool {
    let (first, second) = (reads(first), reads(second));
    first.iter().all(|(array, i)| {
        second.iter().filter(|(other, _)| other == array).all(|(_, j)| {
            let (mut difference, mut of_i) = (Terms::new(), Terms::new());
            let known = add_terms(j, 1, &mut difference) && add_terms(i, 1, &mut of_i);
            of_i.into_iter().for_each(|(term, factor)| *difference.entry(term).or_default() -= factor);
            known && difference.iter().all(|(term, factor)| *factor == 0 || term.is_empty() && *factor > 0)
        })
    })
}

/// A sum of terms with their factors; the constant is that without a text.
type Terms = BTreeMap<String, i64>;

/// Adds a number so many times; says whether it is a sum whose factors are known.
fn add_terms(e: &Expr, times: i64, out: &mut Terms) -> bool {
    match e {
        Expr::Text(_) if constant(e).is_some() => {
            let constant = constant(e).unwrap_or_default();
            *out.entry(String::new()).or_default() += times.saturating_mul(constant);
            true
        }
        Expr::Cast(_, e) | Expr::Wrapped(_, e) => add_terms(e, times, out),
        Expr::Binary("+", a, b) => add_terms(a, times, out) && add_terms(b, times, out),
        Expr::Binary("-", a, b) => add_terms(a, times, out) && add_terms(b, -times, out),
        Expr::Binary("*", a, b) => match (constant(a), constant(b)) {
            (Some(n), _) => add_terms(b, times.saturating_mul(n), out),
            (_, Some(n)) => add_terms(a, times.saturating_mul(n), out),
            _ => {
                *out.entry(e.to_string()).or_default() += times;
                true
            }
        },
        // What is chosen, as where a picture ends, is no part of a vector.
        Expr::Conditional(..) | Expr::Call(..) | Expr::Name(_) => {
            *out.entry(e.to_string()).or_default() += times;
            true
        }
        _ => false,
    }
}

fn constant(e: &Expr) -> Option<i64> {
    if let Expr::Text(t) = e { t.trim_end_matches('L').parse().ok() } else { None }
}

/// How the number grows with the variable, as far as its sign goes; of what is no sum nothing is said.
fn slope(e: &Expr, var: &str) -> Option<i64> {
    if !e.mentions(var) {
        return Some(0);
    }
    match e {
        Expr::Name(_) => Some(1),
        // What is chosen, as where a picture ends, is no part of a vector.
        Expr::Conditional(..) | Expr::Call(..) => Some(0),
        Expr::Cast(_, e) | Expr::Wrapped(_, e) => slope(e, var),
        Expr::Unary("-", e) => slope(e, var)?.checked_neg(),
        Expr::Binary("+", a, b) => slope(a, var)?.checked_add(slope(b, var)?),
        Expr::Binary("-", a, b) => slope(a, var)?.checked_sub(slope(b, var)?),
        // Sizes are not negative.
        Expr::Binary("*", a, b) => match (slope(a, var)?, slope(b, var)?) {
            (0, s) => s.checked_mul(constant(a).unwrap_or(1)),
            (s, 0) => s.checked_mul(constant(b).unwrap_or(1)),
            _ => None,
        },
        _ => None,
    }
}
