//! Streams have no memory: they stand where they are consumed, once.

use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};

/// The normal term with named streams in the place where they are read.
///
/// # Errors
/// A stream that is read more than once, with its place in the term that was `given`.
pub fn in_place(t: &Term, given: &Term) -> Result<Term, Diagnostic> {
    if let Some((f, value)) = t.as_app()
        && let Some((_, body)) = f.as_lam()
        && let Some(maker) = maker(value)
    {
        return match uses(body, 0) {
            0 | 1 => in_place(&body.subst0(value), given),
            n => Err(read_again(value, maker, n, given)),
        };
    }
    let children = t.children();
    if children.is_empty() {
        return Ok(t.clone());
    }
    let children = children.into_iter().map(|c| in_place(c, given)).collect::<Result<Vec<_>, _>>()?;
    Ok(t.with_children(children))
}

fn read_again(value: &Term, maker: Pattern, uses: u32, given: &Term) -> Diagnostic {
    let place = given.positions().into_iter().find(|(_, t)| *t == value).map(|(path, _)| path);
    let how_often = match uses {
        IN_LOOP.. => "It stands in a function that may be applied many times.".to_string(),
        n => format!("It is used {n} times."),
    };
    let message = format!("The result of `{maker}` is a stream, but is read more than once.");
    Diagnostic::error("E0533", message)
        .note(how_often)
        .note("The elements of a stream are there one after the other, each until the next one is asked for, so it is read once and in order.")
        .hint("Keep its elements, `toMem (iterateStream (\\x. x) …)`; or write it wherever it is read, so that it is computed each time.")
        .about(place.map_or(Subject::Pattern(maker), Subject::At))
}

/// A use in a function that may be applied many times counts as so many.
const IN_LOOP: u32 = 1000;

/// How often a variable is used.
fn uses(t: &Term, x: u32) -> u32 {
    if !t.has_free(x) {
        return 0;
    }
    match t.expr() {
        Expr::Var(i) => u32::from(*i == x),
        Expr::Lam(_, b) => uses(b, x + 1).saturating_mul(IN_LOOP),
        Expr::App(f, e) => {
            // The functions of shared and of named values are applied once.
            let once = |f: &Term| f.as_lam().map_or_else(|| uses(f, x), |(_, b)| uses(b, x + 1));
            let of_let = f.spine().0.as_pattern() == Some(Pattern::Let);
            once(f).saturating_add(if of_let { once(e) } else { uses(e, x) })
        }
        _ => 0,
    }
}

/// The pattern that makes the value a stream, if it is one.
fn maker(t: &Term) -> Option<Pattern> {
    let (head, args) = t.spine();
    let of_body = |f: &Term| f.as_lam().and_then(|(_, body)| maker(body));
    match (head.as_pattern(), args.as_slice()) {
        (Some(p), _) if p.is_stream() => t.ty().is_data().then_some(p),
        (Some(Pattern::Map), [_, xs]) => maker(xs),
        (Some(Pattern::Zip), [a, b]) => maker(a).or_else(|| maker(b)),
        (Some(Pattern::Let), [_, f]) => of_body(f),
        (None, [_]) => of_body(head),
        _ => None,
    }
}

/// Is the value of the normal term a stream?
pub fn is_stream(t: &Term) -> bool {
    maker(t).is_some()
}
