//! `declare assoc f`, `declare commutative f`, `declare idempotent f` and `declare neutral f z`: properties of a user's
//! operators, each tested before it is believed.

use super::no_mark;
use crate::lang::declared::used_in;
use crate::lang::diag::Diagnostic;
use crate::lang::infer;
use crate::lang::source::Span;
use crate::lang::syntax::ast::{self, ConditionKind, Def, Expr, ExprKind, Item, ItemKind, Node};
use crate::lang::syntax::parse_type;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::rule::check::property::{
    Property, Tested, UNKNOWN, computes_floats, has_unknown_functions, tested,
};
use crate::rule::{Mark, Properties};

/// The name of the definition that an operator is read through; no text can have it.
const HERE: &str = "the operator";

/// The properties that a program declares of its definitions.
pub fn in_program(file: &ast::File) -> (Properties, Vec<Diagnostic>) {
    let (mut declared, mut problems) = (Properties::default(), vec![]);
    for item in &file.items {
        let ItemKind::Declare(declare) = &item.kind else { continue };
        match one(declare, &file.items) {
            Ok(property) => declared.add(property),
            Err(found) => problems.extend(found),
        }
    }
    (declared, problems)
}

/// Reads and tests one declaration; the items are the definitions that it may name.
///
/// # Errors
/// What is not understood, not well-typed, or not so.
pub(super) fn one(declare: &ast::Declare, items: &[Item]) -> Result<Properties, Vec<Diagnostic>> {
    let condition = &declare.condition;
    let span = condition.span;
    for mark in &declare.marks {
        match Mark::from_name(&mark.kind) {
            Some(Mark::Finite) => {}
            Some(_) => {
                return Err(vec![
                    Diagnostic::error("E0213", format!("`{}` is no mark of a declaration.", mark.kind))
                        .label(mark.span, "not needed")
                        .note("What is declared of an operator on floats is meant without rounding and signed zeros.")
                        .hint("Leave it out; `[finite]` is for what holds where nothing is NaN or infinite."),
                ]);
            }
            None => return Err(vec![no_mark(mark)]),
        }
    }
    let finite = declare.marks.first();
    let no =
        |message: &str| {
            vec![Diagnostic::error("E0212", message.to_owned()).label(span, "not possible").hint(
                "Declare `assoc f`, `commutative f`, `idempotent f`, or `neutral f z` with its value z.",
            )]
        };
    let ConditionKind::Predicate(name, args) = &condition.kind else {
        return Err(if condition.kind == ConditionKind::Error {
            vec![]
        } else {
            no("This cannot be declared.")
        });
    };
    let condition_name = &name.kind;
    let (property, f, z) = match (&*name.kind, args.as_slice()) {
        ("assoc", [f]) => (Property::Associative, read(f, span, items)?, None),
        ("commutative", [f]) => (Property::Commutative, read(f, span, items)?, None),
        ("idempotent", [f]) => (Property::Idempotent, read(f, span, items)?, None),
        ("neutral", [f, z]) => {
            let (f, z) = operator_and_value(f, z, span, items)?;
            (Property::Neutral(z.clone()), f, Some(z))
        }
        ("assoc" | "commutative" | "idempotent" | "neutral", _) => {
            return Err(no(&format!("`{}` has another number of operands.", name.kind)));
        }
        _ => return Err(no(&format!("`{}` cannot be declared.", name.kind))),
    };
    if !is_operator(f.ty()) {
        return Err(vec![no_operator(span, &format!(": its type is {}", f.ty()))]);
    }
    let has_floats = computes_floats(&f);
    if let Some(mark) = finite.filter(|_| !has_floats) {
        return Err(vec![
            Diagnostic::error("E0213", "`[finite]` says nothing of an operator without floating-point numbers.")
                .label(mark.span, "not needed")
                .note("Whole numbers are never NaN or infinite, so what is declared of them holds everywhere or not at all.")
                .hint("Leave it out."),
        ]);
    }
    if let Some(foreign) = used_in(&f).into_iter().find(|declared| declared.foreign().is_some()) {
        let message =
            format!("The foreign function `{}` is not run here, so this is not believed.", foreign.name());
        return Err(vec![
            Diagnostic::error("E0218", message)
                .label(span, "declared here")
                .note("What is declared is tested, and what a foreign function computes is said by C text alone.")
                .hint("Write the operator in this language, or leave the declaration out."),
        ]);
    }
    let verdict = tested(&f, &property, finite.is_some());
    if verdict == Tested::Not {
        return Err(vec![
            Diagnostic::error("E0218", "The operator is too large to be tested, so this is not believed.")
                .label(span, "declared here")
                .hint(match finite.is_none() && has_floats && tested(&f, &property, true) == Tested::Held {
                    true => format!("Declare it of an operator on smaller arrays, or where nothing is NaN or infinite: `declare {condition_name} [finite] …`."),
                    false => "Declare it of an operator on smaller arrays.".to_owned(),
                }),
        ]);
    }
    if let Tested::Refuted(counterexample) = verdict {
        let what = match property {
            Property::Associative => "associative",
            Property::Commutative => "commutative",
            Property::Idempotent => "idempotent",
            Property::Neutral(_) => "neutral",
        };
        let subject = if z.is_some() { "The value" } else { "The operator" };
        let problem =
            Diagnostic::error("E0218", format!("{subject} is not {what}, so this is not believed."));
        let problem = problem.label(span, "declared here");
        let problem = counterexample.into_iter().fold(problem, Diagnostic::note);
        let is_so_where_finite =
            finite.is_none() && has_floats && tested(&f, &property, true) == Tested::Held;
        let problem = match is_so_where_finite {
            false => problem,
            true => problem.hint(format!(
                "It is where nothing is NaN or infinite: `declare {} [finite] …` says so, and rules that rely on it have that mark.",
                condition_name
            )),
        };
        return Err(vec![if has_unknown_functions(&f) { problem.note(UNKNOWN) } else { problem }]);
    }
    let mut known = Properties::default();
    let out = if finite.is_some() { known.finite.get_or_insert_default() } else { &mut known };
    match property {
        Property::Associative => out.associative.push(f),
        Property::Commutative => out.commutative.push(f),
        Property::Idempotent => out.idempotent.push(f),
        Property::Neutral(z) => out.neutral.push((f, z)),
    }
    Ok(known)
}

/// `t -> t -> t` for data of known form.
fn is_operator(ty: &Type) -> bool {
    let (params, result) = ty.signature();
    params.len() == 2 && params.iter().all(|p| *p == result) && result.is_data() && !result.has_metas()
}

fn no_operator(span: Span, why: &str) -> Diagnostic {
    Diagnostic::error("E0212", format!("This is no operator{why}."))
        .label(span, "does not take two values of one type to give a third")
        .hint("Where the type is open, give the parameters types: `\\(a: f32) (b: f32). …`.")
}

/// The operator of `neutral f z` and its value, which is of the type of its operands.
fn operator_and_value(
    f: &Expr,
    z: &Expr,
    span: Span,
    items: &[Item],
) -> Result<(Term, Term), Vec<Diagnostic>> {
    let is_value_an_operator = || read(z, span, items).is_ok_and(|z| is_operator(z.ty()));
    let exchanged =
        |problem: Diagnostic| problem.hint("The operator stands first, then its value: `neutral f z`.");
    let f = match read(f, span, items) {
        Ok(f) if is_operator(f.ty()) => f,
        Ok(f) => return Err(vec![exchanged(no_operator(span, &format!(": its type is {}", f.ty())))]),
        Err(_) if is_value_an_operator() => return Err(vec![exchanged(no_operator(span, ""))]),
        Err(problems) => return Err(problems),
    };
    let operand = f.ty().as_fun().map_or_else(Type::ill, |(p, _)| p.clone());
    let (ty, _) = parse_type(span.file, &operand.to_string());
    let ascribed = ExprKind::Ascribe(Box::new(z.clone()), Box::new(ty));
    match read(&Node::new(span, ascribed), span, items) {
        Ok(z) => Ok((f, z)),
        // The type that it should have stands nowhere in the text, so a problem there has been left out.
        Err(problems)
            if problems.is_empty() && read(z, span, items).err().is_none_or(|all| !all.is_empty()) =>
        {
            let message = format!("The value of `neutral` is a `{operand}`, and this is none.");
            Err(vec![Diagnostic::error("E0212", message).label(z.span, "not such a value")])
        }
        Err(problems) => Err(problems),
    }
}

/// What to do about an operator that could be one of any type.
const AT_A_TYPE: &str = "Say at which type it is so: `\\(a: f32) (b: f32). a + b`.";

/// The term that an expression is among these definitions.
fn read(e: &Expr, span: Span, items: &[Item]) -> Result<Term, Vec<Diagnostic>> {
    let name = Node::new(e.span, HERE.into());
    let def = Def { name, params: vec![], result: None, body: e.clone() };
    let definitions = items.iter().filter(|i| !matches!(i.kind, ItemKind::Declare(_)));
    let mut items: Vec<Item> = definitions.cloned().collect();
    items.push(Item { span: e.span, doc: vec![], kind: ItemKind::Def(def) });
    let (program, problems) =
        infer::program(&ast::File { file: span.file, items, text: "".into() }, Some(HERE));
    match program {
        Some(program) => Ok(program.term),
        // What is wrong with other definitions is said elsewhere.
        None if problems.iter().any(|p| p.code == "E0120") => Err(vec![no_operator(span, "")]),
        None => Err(problems
            .into_iter()
            .filter(|p| {
                p.span().is_none_or(|s| s.file == span.file && s.start >= span.start && s.end <= span.end)
            })
            .map(|p| match p.code {
                "E0119" => Diagnostic { hints: vec![AT_A_TYPE.into()], ..p },
                _ => p,
            })
            .collect()),
    }
}
