//! Where a sub-term is, in words: the patterns that it is within, outermost first, as in `let g › map › reduce`.

use super::text::Alphabet;
use crate::lang::path::Path;
use crate::lang::term::{Expr, Term};

/// The patterns around a position, and what is there.
pub fn of(term: &Term, path: &Path) -> Vec<String> {
    let (parts, last) = walk(term, path);
    let around = parts.into_iter().filter_map(name);
    around.chain(last.and_then(|here| name(here).or_else(|| variable(term, path, here)))).collect()
}

/// The last so many of these.
pub fn nearest(term: &Term, path: &Path, most: usize) -> Vec<String> {
    let (parts, last) = walk(term, path);
    let here = last.and_then(|here| name(here).or_else(|| variable(term, path, here)));
    let mut names: Vec<String> =
        here.into_iter().chain(parts.into_iter().rev().filter_map(name)).take(most).collect();
    names.reverse();
    names
}

/// The parts around a position that may have a name, outermost first, and what is there, unless that belongs to the last of them.
fn walk<'t>(term: &'t Term, path: &Path) -> (Vec<&'t Term>, Option<&'t Term>) {
    let (mut parts, mut here) = (vec![], term);
    // The function and the arguments of an application are one step.
    let mut within = false;
    for step in path.steps() {
        let is_app = matches!(here.expr(), Expr::App(..));
        if !within && is_app {
            parts.push(here);
        }
        within = *step == 0 && is_app;
        let Some(child) = here.children().get(usize::from(*step)).copied() else { return (parts, None) };
        here = child;
    }
    (parts, Some(here).filter(|_| !within))
}

/// Longer positions are said by the patterns around them alone.
const LONG: usize = 9;

/// A position in words, in about so many columns; with its numbers, by which commands take it, where these are few.
pub fn place(term: &Term, path: &Path, width: usize, alphabet: Alphabet) -> String {
    let numbers = path.to_string();
    let crumbs = of(term, path);
    let words = line(&crumbs, width, alphabet);
    match (crumbs.is_empty(), numbers.len() <= LONG) {
        (true, _) => numbers,
        (false, true) => format!("{words} ({numbers})"),
        (false, false) => words,
    }
}

/// The name of what is at a position, where that is a variable.
fn variable(term: &Term, path: &Path, here: &Term) -> Option<String> {
    let Expr::Var(index) = here.expr() else { return None };
    let (mut at, mut names) = (term, vec![]);
    for step in path.steps() {
        if let Expr::Lam(name, _) = at.expr() {
            names.push(name);
        }
        at = at.children().get(usize::from(*step)).copied()?;
    }
    names.into_iter().rev().nth(usize::try_from(*index).ok()?).map(ToString::to_string)
}

/// The parameter of the innermost function that a position is in.
pub fn parameter(term: &Term, path: &Path) -> Option<String> {
    let (mut here, mut found) = (term, None);
    for step in path.steps() {
        if let Expr::Lam(name, _) = here.expr() {
            found = Some(name);
        }
        here = here.children().get(usize::from(*step)).copied()?;
    }
    found.map(ToString::to_string)
}

/// The last of them, in at most so many columns; the whole where there is room.
pub fn line(crumbs: &[String], width: usize, alphabet: Alphabet) -> String {
    let between = alphabet.pick(" › ", " > ");
    let mut text = crumbs.join(between);
    let mut first = 0;
    while text.chars().count() > width && first + 1 < crumbs.len() {
        first += 1;
        text = format!("{}{between}{}", alphabet.pick("…", "~"), crumbs[first..].join(between));
    }
    text
}

/// What a term is: the pattern that it applies, and of a `let` the name that it gives.
fn name(term: &Term) -> Option<String> {
    let (head, args) = term.spine();
    match head.expr() {
        Expr::Prim(p) => Some(p.pattern.name().to_owned()),
        Expr::Lam(name, _) if args.is_empty() => Some(format!("\\{name}")),
        Expr::Lam(name, _) => Some(format!("let {name}")),
        Expr::Lit(literal) => Some(literal.to_string()),
        Expr::Var(_) | Expr::App(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;

    #[test]
    fn a_position_is_said_by_the_patterns_around_it() {
        let text = "def f (a: n.m.f32) = let g = map sqrt in a |> map (\\r. g r |> reduce (+) 0)";
        let term = program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term;
        let at = |wanted: &str| {
            let found = term.positions().into_iter().map(|(path, _)| of(&term, &path));
            found.map(|c| line(&c, 80, Alphabet::Unicode)).any(|c| c == wanted)
        };
        assert!(at("let g › map › reduce") && at("let g › map › sqrt") && at("let g › map › reduce › add"));
        for (path, _) in term.positions() {
            let all = of(&term, &path);
            for most in 0..4 {
                assert_eq!(nearest(&term, &path, most), all[all.len().saturating_sub(most)..]);
            }
        }
        // Variables have names too; short positions are told as commands take them as well.
        assert!(at("let g › map › reduce › r"));
        let in_words = |path: &str| place(&term, &Path::parse(path).unwrap(), 80, Alphabet::Unicode);
        assert!(in_words("0").ends_with("let g (0)"), "{}", in_words("0"));
        let crumbs: Vec<String> = ["map", "map", "reduce"].map(str::to_owned).to_vec();
        assert_eq!(line(&crumbs, 14, Alphabet::Unicode), "… › reduce");
        assert_eq!(line(&crumbs, 3, Alphabet::Ascii), "~ > reduce");
    }
}
