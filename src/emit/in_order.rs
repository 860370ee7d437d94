//! Sums that gcc 12.2 gets wrong, written so that it gets them right.
//!
//! Where one sum of floats goes over two loops, and the inner loop has so few iterations that gcc writes them out, it takes
//! what they read for one vector. If they do not read it from front to back, as of rows that are reversed, the elements
//! that it then adds are others. With the inner loop left as a loop the sum is right; as the order of a sum of floats is
//! kept, vectors would gain nothing.

use crate::syntax::{Expr, Pragma, Stmt, What};

/// Keeps loops as loops that one sum goes over, and that do not read from front to back.
pub fn keep_loops(body: &mut [Stmt]) {
    for s in body {
        match &mut s.what {
            What::For { body, .. } => {
                let declared: Vec<String> = body.iter().filter_map(declared).collect();
                body.iter_mut().for_each(|s| keep_loop(s, &declared));
                keep_loops(body);
            }
            What::Block(body) => keep_loops(body),
            What::If { then, otherwise, .. } => {
                keep_loops(then);
                keep_loops(otherwise);
            }
            _ => {}
        }
    }
}

fn declared(s: &Stmt) -> Option<String> {
    match &s.what {
        What::Declare { name, .. } | What::Table { name, .. } | What::Name { name, .. } => Some(name.clone()),
        _ => None,
    }
}

/// The inner loop; `declared` is what each iteration of the outer one has for itself.
fn keep_loop(s: &mut Stmt, declared: &[String]) {
    let What::For { pragma: pragma @ None, var, body, .. } = &mut s.what else { return };
    let [Stmt { what: What::Assign { to, op: "+=", value }, .. }] = body.as_slice() else { return };
    let is_own = mentions(to, var) || declared.iter().any(|name| mentions(to, name));
    let mut ascends = true;
    value.for_each(&mut |e| {
        if let Expr::Index(_, i) = e {
            ascends &= slope(i, var).is_some_and(|slope| slope >= 0);
        }
    });
    if !is_own && !ascends {
        *pragma = Some(Pragma::Text("GCC unroll 1"));
    }
}

fn mentions(e: &Expr, name: &str) -> bool {
    let mut found = false;
    e.for_each(&mut |e| found |= matches!(e, Expr::Name(x) if x == name));
    found
}

/// How the number grows with the variable, as far as its sign goes; nothing is said of what is no sum.
fn slope(e: &Expr, var: &str) -> Option<i64> {
    if !mentions(e, var) {
        return Some(0);
    }
    match e {
        Expr::Name(_) => Some(1),
        Expr::Cast(_, e) | Expr::Wrapped(_, e) => slope(e, var),
        Expr::Unary("-", e) => slope(e, var)?.checked_neg(),
        Expr::Binary("+", a, b) => slope(a, var)?.checked_add(slope(b, var)?),
        Expr::Binary("-", a, b) => slope(a, var)?.checked_sub(slope(b, var)?),
        // Sizes are not negative.
        Expr::Binary("*", a, b) => match (slope(a, var)?, slope(b, var)?) {
            (0, s) => s.checked_mul(factor(a)),
            (s, 0) => s.checked_mul(factor(b)),
            _ => None,
        },
        _ => None,
    }
}

fn factor(e: &Expr) -> i64 {
    if let Expr::Text(t) = e { t.trim_end_matches('L').parse().unwrap_or(1) } else { 1 }
}
