//! Side conditions as they are written.

use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::Nat;
use crate::lang::syntax::ast::{self, ConditionKind, Expr, ExprKind, Op};
use crate::rule::condition::Condition;
use crate::rule::equation::Equation;

type Read<T> = Result<T, Box<Diagnostic>>;

const KNOWN: &[&str] = &[
    "notin",
    "divides",
    "assoc",
    "neutral",
    "commutative",
    "idempotent",
    "additive",
    "anyOrder",
    "zero",
    "separable",
    "scalarFun",
    "vectorisable",
    "lanewise",
    "usedOnce",
    "uses",
    "notVariable",
    "notLambda",
    "computes",
    "scalar",
];

/// Is it a property of operators, whose operands have one type?
pub(super) fn is_of_operators(property: &str) -> bool {
    matches!(property, "assoc" | "commutative" | "idempotent" | "neutral")
}

fn problem(message: impl Into<String>, span: Span, label: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0217", message).label(span, label))
}

/// Reads a condition; none when it needs no check at matching.
/// `known` says what the names of sizes stand for, in the rule's numbers.
pub(super) fn read(
    c: &ast::Condition,
    eq: &Equation,
    known: &dyn Fn(&str) -> Option<Nat>,
) -> Read<Option<Condition>> {
    let size = |e: &Expr| super::size(e, known);
    Ok(Some(match &c.kind {
        ConditionKind::NotIn(..) | ConditionKind::Error => return Ok(None),
        ConditionKind::Divides(a, b) => Condition::Size(SizeConstraint::Divides(size(a)?, size(b)?)),
        ConditionKind::Compare(op, a, b) => {
            let (a, b) = (size(a)?, size(b)?);
            let one = Nat::constant(1);
            Condition::Size(match op {
                Op::Le => SizeConstraint::AtMost(a, b),
                Op::Ge => SizeConstraint::AtMost(b, a),
                Op::Lt => SizeConstraint::AtMost(a.add(&one), b),
                Op::Gt => SizeConstraint::AtMost(b.add(&one), a),
                Op::Eq => SizeConstraint::Equal(a, b),
                _ => return Err(problem("This is no comparison.", c.span, "not understood")),
            })
        }
        ConditionKind::Predicate(name, args) => predicate(name, args, c.span, eq, known)?,
    }))
}

fn predicate(
    name: &ast::Ident,
    args: &[Expr],
    span: Span,
    eq: &Equation,
    known: &dyn Fn(&str) -> Option<Nat>,
) -> Read<Condition> {
    let var = |e: &Expr| -> Read<usize> {
        match &e.kind {
            ExprKind::Name(n) => eq.var(n).ok_or_else(|| {
                let known: Vec<String> = eq.vars.iter().map(|v| v.name.to_string()).collect();
                let missing =
                    problem(format!("`{n}` is no variable of the left side."), e.span, "not on the left");
                Box::new(missing.did_you_mean(n, known.iter().map(String::as_str)))
            }),
            _ => Err(problem("A condition is about variables of the left side.", e.span, "no variable")),
        }
    };
    // A binder of a variable's scope.
    let scoped = |binder: &Expr, of: &Expr| -> Read<(usize, usize)> {
        let v = var(of)?;
        let ExprKind::Name(b) = &binder.kind else {
            return Err(problem("A binder is needed here.", binder.span, "no name"));
        };
        match eq.vars[v].scope.iter().position(|(n, _)| n == b) {
            Some(i) => Ok((v, i)),
            None => Err(problem(
                format!("`{}` does not stand under a binder `{b}` that it may mention.", eq.vars[v].name),
                binder.span,
                "no such binder",
            )),
        }
    };
    Ok(match (&*name.kind, args) {
        ("assoc", [f]) => Condition::Assoc(var(f)?),
        ("commutative", [f]) => Condition::Commutative(var(f)?),
        ("idempotent", [f]) => Condition::Idempotent(var(f)?),
        ("neutral", [f, z]) => Condition::Neutral(var(f)?, var(z)?),
        ("additive", [f]) => Condition::Additive(var(f)?),
        ("anyOrder", [f]) => Condition::AnyOrder(var(f)?),
        ("zero", [z]) => Condition::Zero(var(z)?),
        ("separable", [m, v, h]) => Condition::Separable(var(m)?, var(v)?, var(h)?),
        ("separable", [m]) => Condition::Product(var(m)?),
        ("scalarFun", [f]) => Condition::ScalarFun(var(f)?),
        ("vectorisable", [n, f]) => Condition::Vectorisable(super::size(n, known)?, var(f)?),
        ("lanewise", [f]) => Condition::Lanewise(var(f)?),
        ("usedOnce", [x, e]) => {
            let (v, i) = scoped(x, e)?;
            Condition::UsedOnce(v, i)
        }
        ("uses", [x, e]) => {
            let (v, i) = scoped(x, e)?;
            Condition::Uses(v, i)
        }
        ("notVariable", [e]) => Condition::NotVariable(var(e)?),
        ("notLambda", [f]) => Condition::NotLambda(var(f)?),
        ("computes", [f]) => Condition::Computes(var(f)?),
        ("scalar", [t]) => match &t.kind {
            ExprKind::Name(n) => match eq.types.iter().position(|v| v.name == *n) {
                Some(i) => Condition::ScalarType(i),
                None => {
                    return Err(problem(
                        format!("`{n}` is no type variable of the left side."),
                        t.span,
                        "not known",
                    ));
                }
            },
            _ => return Err(problem("`scalar` takes a type variable.", t.span, "no type variable")),
        },
        (known, _) if KNOWN.contains(&known) => {
            let wrong = problem(format!("`{known}` has another number of operands."), span, "here");
            return Err(Box::new(wrong.hint("rules/README.md lists the conditions with their operands.")));
        }
        (unknown, _) => {
            let missing = problem(format!("There is no condition `{unknown}`."), name.span, "not known");
            let all = format!("The conditions are {}.", KNOWN.join(", "));
            // `f is commutative`
            let named = args.iter().find_map(|arg| match &arg.kind {
                ExprKind::Name(name) => KNOWN.iter().find(|known| **known == &**name),
                _ => None,
            });
            if let Some(known) = named {
                let hint = format!("A condition stands before what it is of: `{known} {unknown}`.");
                return Err(Box::new(missing.hint(hint)));
            }
            return Err(Box::new(missing.did_you_mean_or(unknown, KNOWN.iter().copied(), all)));
        }
    })
}
