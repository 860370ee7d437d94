//! Truth values that loops gather, as numbers.
//!
//! In: the statements of a function in C. Out: the same, where `bool t = false; for (…) t = t || e;` is
//! `int t = false; for (…) t |= e;`, and `&&` likewise. gcc 12 makes vectors of the second alone: a `||` is a jump, and a `bool`
//! that is carried from iteration to iteration is narrower than what it is made of. Both sides of a truth value are always there, so
//! nothing is read that would not be; where `e` calls what takes its time, it is not computed once the result is known.

use crate::code::Generator;
use crate::syntax::{Expr, Stmt, What};
use std::collections::BTreeSet;

/// Makes numbers of truth values that loops gather.
pub fn as_numbers(body: &mut [Stmt], g: &Generator) {
    block(body, &g.inlined());
}

/// `inlined` are the functions that compilers put in the place of their calls.
fn block(body: &mut [Stmt], inlined: &BTreeSet<String>) {
    for at in 0..body.len() {
        let (before, after) = body.split_at_mut(at + 1);
        let Some(declared) = before.last_mut() else { continue };
        match &mut declared.what {
            What::For { body, .. } | What::Block(body) => block(body, inlined),
            What::If { then, otherwise, .. } => {
                block(then, inlined);
                block(otherwise, inlined);
            }
            What::Declare { ty, name, len: None, .. } if ty == "bool" => {
                let mut found = Gathering { name, inlined, is_gathered: false, is_other: false };
                after.iter().for_each(|s| found.look(s, false));
                if found.is_gathered && !found.is_other {
                    *ty = "int".to_owned();
                    after.iter_mut().for_each(|s| gather(s, name, false));
                }
            }
            _ => {}
        }
    }
}

/// How a truth value is assigned to.
struct Gathering<'a> {
    name: &'a str,
    inlined: &'a BTreeSet<String>,
    /// A loop gathers it.
    is_gathered: bool,
    /// A loop does something else with it.
    is_other: bool,
}

impl Gathering<'_> {
    fn look(&mut self, s: &Stmt, in_loop: bool) {
        if let What::Assign { to, value, .. } = &s.what
            && is_name(to, self.name)
            && in_loop
        {
            match gathered(value, self.name) {
                Some((_, e)) if e.calls_only(self.inlined) => self.is_gathered = true,
                _ => self.is_other = true,
            }
        }
        let in_loop = in_loop || matches!(s.what, What::For { .. });
        s.bodies().into_iter().flatten().for_each(|s| self.look(s, in_loop));
    }
}

/// What a value adds to the truth value of this name, and how.
fn gathered<'e>(value: &'e Expr, name: &str) -> Option<(&'static str, &'e Expr)> {
    let (op, e) = match value {
        Expr::Binary(op @ ("||" | "&&"), a, b) if is_name(a, name) => (op, b),
        Expr::Binary(op @ ("||" | "&&"), a, b) if is_name(b, name) => (op, a),
        _ => return None,
    };
    (!e.mentions(name)).then_some((if *op == "||" { "|=" } else { "&=" }, e))
}

fn gather(s: &mut Stmt, name: &str, in_loop: bool) {
    match &mut s.what {
        What::Assign { to, op, value } if in_loop && is_name(to, name) => {
            if let Some((other, e)) = gathered(value, name) {
                let e = e.clone();
                (*op, *value) = (other, e);
            }
        }
        What::For { body, .. } => body.iter_mut().for_each(|s| gather(s, name, true)),
        What::Block(body) => body.iter_mut().for_each(|s| gather(s, name, in_loop)),
        What::If { then, otherwise, .. } => {
            then.iter_mut().chain(otherwise).for_each(|s| gather(s, name, in_loop));
        }
        _ => {}
    }
}

fn is_name(e: &Expr, name: &str) -> bool {
    matches!(e, Expr::Name(x) if x == name)
}
