//! May the operators of reductions that work-items share out be regrouped? It is known of some, and of others it is tried
//! out on many operands, as where a user declares it of one. Numbers that are bound around an operator are drawn, too; one
//! that uses anything else that is bound around it is believed.

use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::rule::Properties;
use crate::rewrite::rule::check::property::{Property, refute};

/// # Errors
/// The first operator that is not associative, with operands that show it.
pub fn check(t: &Term) -> Result<(), Diagnostic> {
    term(t, &Path::root())
}

fn term(t: &Term, at: &Path) -> Result<(), Diagnostic> {
    if let Some((f, op)) = t.as_app()
        && let Some(p) = f.as_pattern().filter(|p| p.is_reduce() && p.is_local())
        && !Properties::default().is_associative(op)
        && let Some(case) = refute(op, &Property::Associative)
    {
        let at = at.child(1);
        let message = format!("The operator of `{p}` is not associative.");
        let problem = case.into_iter().fold(Diagnostic::error("E0543", message), Diagnostic::note);
        return Err(problem
            .note(format!("Work-items reduce parts of the array and then what these gave. The operator stands at position {at} of the program."))
            .hint("Use `reduceSeq`, which goes from the first element to the last.")
            .about(Subject::At(at)));
    }
    t.children().into_iter().zip(0u8..).try_for_each(|(c, i)| term(c, &at.child(i)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;

    fn refused(op: &str) -> Option<(String, Vec<String>)> {
        let text =
            format!("def f (c: f32) (d: n.f32) (a: n.m.f32) = a |> mapWorkGroup (reduceLocal 4 ({op}) 0)");
        let (file, problems) = parse_program(FileId::NOWHERE, &text);
        assert!(problems.is_empty(), "{op}");
        let d = check(&infer::program(&file, None).0.unwrap().term).err()?;
        assert_eq!(d.code, "E0543");
        Some((d.message, d.notes))
    }

    #[test]
    fn operators_that_cannot_be_regrouped_are_refused_with_an_example() {
        for op in ["+", "\\a b. b", "\\a b. select (a == 0) b a", "\\a b. a + b + idx (natAsIndex n 0) d"] {
            assert_eq!(refused(op), None, "{op}");
        }
        for op in ["-", "\\a b. a + b * b", "\\a b. (a + b) / 2", "\\a b. a + b * c"] {
            let (message, notes) = refused(op).unwrap_or_else(|| panic!("{op}"));
            assert_eq!(message, "The operator of `reduceLocal` is not associative.");
            assert!(notes[0].starts_with("For a = ") && notes[0].contains("f (f a b) c = "), "{notes:?}");
        }
    }
}
