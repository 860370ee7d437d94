//! Is an integer divided where it can be seen that there is no result? C and OpenCL do not say what a kernel would compute
//! there, so no code is made of it.

use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::eval::{self, Limits, Sizes, failure};
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::value::Value;

/// For a divisor that is more than a number.
const LIMITS: Limits<'_> = Limits { steps: 10_000, elements: 1 << 10, cancel: None, foreign: None };

/// # Errors
/// The first division of constants that has no result, or by a constant that is zero.
pub fn check(t: &Term) -> Result<(), Diagnostic> {
    let (head, args) = t.spine();
    if let [a, b] = args.as_slice()
        && let Some(p @ (Pattern::Div | Pattern::Mod)) = head.as_pattern()
        && let Some(problem) = without_result(p, t, a, b)
    {
        return Err(problem.about(Subject::From(t.origin())));
    }
    t.children().into_iter().try_for_each(check)
}

fn without_result(p: Pattern, whole: &Term, a: &Term, b: &Term) -> Option<Diagnostic> {
    let value = |t: &Term| eval::run(t, &Sizes::new(), &[], &LIMITS);
    if !b.is_closed() {
        return None;
    }
    if a.is_closed() {
        return value(whole).err().filter(|problem| problem.code == "E0193");
    }
    matches!(value(b).ok()?, Value::Int(0, _) | Value::Nat(0)).then(|| failure::division_by_zero(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;

    fn refused(body: &str) -> Option<String> {
        let text = format!("def f (k: i32) (a: n.i32) (x: n.f32) = {body}");
        let (file, problems) = parse_program(FileId::NOWHERE, &text);
        assert!(problems.is_empty(), "{body}: {problems:?}");
        let term = infer::program(&file, None).0.unwrap_or_else(|| panic!("{body}")).term;
        let problem = check(&crate::choose::normal::normalise(&term).unwrap()).err()?;
        assert_eq!(problem.code, "E0193");
        Some(problem.message)
    }

    #[test]
    fn what_can_be_seen_to_have_no_result_is_refused() {
        let by_zero =
            ["7 / 0 + k", "reduce max (-1 / 0) a", "map (\\v. v % 0) a", "map (\\v. v / (2 - 2)) a"];
        let bound = ["let z = 0 in map (\\v. v / z) a", "map (\\v. (\\d. v / d) 0) a"];
        for body in by_zero.into_iter().chain(bound) {
            assert!(
                refused(body).unwrap_or_else(|| panic!("{body}")).ends_with("divides an integer by zero.")
            );
        }
        let least = refused("(-2147483647 - 1) / (-1) + k");
        assert!(least.is_some_and(|m| m.contains("by -1")));
        for body in ["map (\\v. v / 2) a", "map (\\v. v % k) a", "map (\\v. 7 / v) a", "map (\\v. v / 0) x"] {
            assert_eq!(refused(body), None, "{body}");
        }
        assert_eq!(refused("map (\\v. v / (cast n : i32)) a"), None);
    }
}
