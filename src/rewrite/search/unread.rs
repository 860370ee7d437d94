//! What nobody reads in a program: a component that is not taken, the value of a name that is not used.

use crate::lang::needed::{needed, stands_for_unread};
use crate::lang::path::Path;
use crate::lang::print;
use crate::lang::term::Term;

/// So many characters of a part are shown.
const SHOWN: usize = 60;

/// The first part of a closed program that computes something and that nobody reads, as text.
pub fn unread(program: &Term) -> Option<String> {
    let kept = needed(program);
    let is_unread = |path: &Path| kept.at(path).is_some_and(stands_for_unread);
    let (path, part) = program.positions().into_iter().find(|(path, _)| is_unread(path))?;
    let names: Vec<_> = program.binders_at(&path).into_iter().rev().map(|(name, _)| name).collect();
    Some(print::short(part, &names, SHOWN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;

    #[test]
    fn the_part_that_nobody_reads_is_named() {
        for (body, part) in [
            ("snd (map sqrt a, b)", Some("map sqrt a")),
            ("let (toMem (map abs b)) (\\x. map sqrt a)", Some("abs")),
            ("zip (map abs b) a |> map (\\p. sqrt (snd p))", Some("map abs b")),
            ("map (\\x. fst (x, idx (natAsIndex n 0) b)) a", Some("idx")),
            ("map sqrt a", None),
        ] {
            let text = format!("def f (a b: n.f32) = {body}");
            let term = program(&parse_program(FileId::NOWHERE, &text).0, None).0.unwrap().term;
            let found = unread(&term);
            assert_eq!(found.is_some(), part.is_some(), "{body}: {found:?}");
            assert!(
                found.clone().unwrap_or_default().contains(part.unwrap_or_default()),
                "{body}: {found:?}"
            );
        }
    }
}
