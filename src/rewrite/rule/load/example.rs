//! Examples of rules: before and after, over the same variables.

use crate::lang::declared::Patterns;
use crate::lang::diag::Diagnostic;
use crate::lang::infer::Open;
use crate::lang::nat::Nat;
use crate::lang::pattern::AddressSpace;
use crate::lang::syntax::ast::{self, ExprKind};
use crate::lang::syntax::print;
use crate::rule::{Example, ParamKind, RuleArg, RuleParam};

/// Reads an example of a rule with these parameters.
///
/// # Errors
/// All problems.
pub(super) fn read(
    rule: &str,
    params: &[RuleParam],
    example: &ast::Example,
    patterns: &Patterns,
) -> Result<Example, Vec<Diagnostic>> {
    let args = arguments(rule, params, example).map_err(|p| vec![*p])?;
    let mut open = Open::new();
    open.know(patterns);
    open.declare_params(&example.params);
    let before = open.expr(&example.before, None);
    let ty = open.type_of(&before);
    let after = open.expr(&example.after, Some(&ty));
    open.solve();
    let terms = open.term(&before).and_then(|before| Some((before, open.term(&after)?)));
    let problems = open.problems();
    let options = print::Options::default();
    match terms {
        Some((before, after)) if !problems.iter().any(Diagnostic::is_error) => Ok(Example {
            args,
            context: open.context(),
            before,
            after,
            text: (print::expr(&example.before, &options), print::expr(&example.after, &options)),
            doc: example.doc.join("\n"),
        }),
        _ => Err(problems),
    }
}

fn arguments(
    rule: &str,
    params: &[RuleParam],
    example: &ast::Example,
) -> Result<Vec<RuleArg>, Box<Diagnostic>> {
    if params.len() != example.args.len() {
        let message = format!(
            "`{rule}` takes {} arguments, and this example gives {}.",
            params.len(),
            example.args.len()
        );
        return Err(Box::new(
            Diagnostic::error("E0210", message).label(example.span, "write them behind `example`"),
        ));
    }
    let declared = |name: &str| {
        let names = example.params.iter().filter(|p| {
            matches!(
                p.kind,
                ast::ParamKind::Kinded(_, ast::Kind::Nat) | ast::ParamKind::Implicit(_, ast::Kind::Nat)
            )
        });
        names.flat_map(|p| p.kind.names()).any(|n| &*n.kind == name).then(|| Nat::var(name))
    };
    let mut out = vec![];
    for (param, arg) in params.iter().zip(&example.args) {
        let wrong = || {
            let message = format!("The argument `{}` of `{rule}` is {}.", param.name, param.kind.word());
            Box::new(Diagnostic::error("E0210", message).label(arg.span(), "something else"))
        };
        let ast::Arg::Expr(e) = arg else { return Err(wrong()) };
        out.push(match (&param.kind, &e.kind) {
            (ParamKind::Nat(_) | ParamKind::Depth, _) => RuleArg::Nat(super::size(e, &declared)?),
            (ParamKind::Dim(_), _) => {
                let d = super::size(e, &declared)?.as_constant().and_then(|d| u8::try_from(d).ok());
                RuleArg::Dim(d.filter(|d| *d < 3).ok_or_else(wrong)?)
            }
            (ParamKind::Addr(_), ExprKind::Name(n)) => {
                RuleArg::Addr(AddressSpace::from_name(n).ok_or_else(wrong)?)
            }
            _ => return Err(wrong()),
        });
    }
    Ok(out)
}
