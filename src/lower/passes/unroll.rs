//! Unrolls the loops that `mapSeqUnroll` and `reduceSeqUnroll` make, and short ones in which the number of the iteration
//! decides what is computed: which element of a literal array, whether it is in the padding. Nobody writes a loop for these.

use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase};
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::nat::{Nat, NatVar};
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::target::Storage;

/// More copies than this make no kernel faster, and compilers choke on them.
const MAX_COPIES: i64 = 4096;

/// A loop that decides something is unrolled if it has at most so many iterations, and becomes no more phrases than that.
const MAX_DECIDED: i64 = 16;
const MAX_PHRASES: i64 = 4000;

/// # Errors
/// A loop with too many iterations, or with a number of iterations that is not known.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let mut copies = 0;
    p.body = unroll(&p.body, names, 1, &mut copies)?;
    Ok(p)
}

fn unroll(c: &Phrase, names: &mut Names, outer: i64, copies: &mut i64) -> Result<Phrase, Diagnostic> {
    let Kind::For(l) = c.kind() else {
        return c.map_children(&mut |d| unroll(d, names, outer, copies));
    };
    if l.kind != LoopKind::Unrolled && !decides(l) {
        return c.map_children(&mut |d| unroll(d, names, outer, copies));
    }
    let iterations = l.n.sub(&l.init).as_constant().filter(|_| l.step == Nat::constant(1));
    let place = || Subject::Made(l.var.clone());
    let Some(n) = iterations else { return Err(unknown(&l.n).about(place())) };
    let all = copies.saturating_add(outer.saturating_mul(n));
    if all > MAX_COPIES {
        if l.kind != LoopKind::Unrolled {
            return c.map_children(&mut |d| unroll(d, names, outer, copies));
        }
        return Err(too_many(n).about(place()));
    }
    *copies = all;
    let body = unroll(&l.body, names, outer.saturating_mul(n), copies)?;
    let at = |i: i64, names: &mut Names| body.at_iteration(&l.var, &l.init.add(&Nat::constant(i)), names);
    Ok(Phrase::seq((0..n).map(|i| at(i, names)).collect::<Vec<_>>()))
}

/// Is it a short loop in whose iterations it is known what choices in it choose? Not where a work-group has memory for an
/// iteration: each copy of the body would have its own.
fn decides(l: &Loop) -> bool {
    let is_plain = l.kind == LoopKind::Sequential && l.init.is_zero() && l.step == Nat::constant(1);
    let Some(n) = l.n.as_constant().filter(|n| is_plain && *n <= MAX_DECIDED) else { return false };
    let is_decided = |c: &Phrase| {
        let Kind::Pattern(Pattern::Lt, _, ps) = c.kind() else { return false };
        let mut vars = vec![];
        for e in ps {
            match e.as_number() {
                Some((number, parts)) if parts.is_empty() => vars.extend(number.vars()),
                _ => return false,
            }
        }
        !vars.is_empty() && vars.iter().all(|v| *v == NatVar::Named(l.var.clone()))
    };
    n.saturating_mul(l.body.size().into()) <= MAX_PHRASES
        && l.body.any(&mut |p| match p.kind() {
            Kind::If(c, ..) => is_decided(c),
            Kind::Pattern(Pattern::Select, _, ps) => ps.first().is_some_and(is_decided),
            _ => false,
        })
        && !l.body.any(&mut |p| matches!(p.kind(), Kind::New(Storage::Asked(AddressSpace::Local), ..)))
}

fn too_many(n: i64) -> Diagnostic {
    Diagnostic::error("E0510", format!("Unrolling makes more than {MAX_COPIES} copies of loop bodies."))
        .note(format!("The loop that is too much runs to {n}."))
        .hint("Use `mapSeq` or `reduceSeq` there, or split the loop and unroll its inner part.")
}

fn unknown(n: &Nat) -> Diagnostic {
    let sizes: Vec<String> = n.vars().iter().map(|v| format!("`--size {v}=…`")).collect();
    Diagnostic::error(
        "E0527",
        format!("A loop to {n} cannot be unrolled: {n} is not known when code is generated."),
    )
    .note("`mapSeqUnroll` and `reduceSeqUnroll` make a copy of the loop's body for each iteration.")
    .hint(format!(
        "Give the sizes ({}), or `split` the array by a constant and unroll the loop over a chunk.",
        sizes.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use crate::Target;
    use crate::lang::diag::Sources;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::pipeline;

    fn lowered(body: &str) -> Result<String, &'static str> {
        let text = format!("def f (a: n.f32) (b: 8.f32): {body}");
        let (file, _) = parse_program(Sources::new().add("test.rise", &text), &text);
        let (program, problems) = infer::program(&file, None);
        let program = program.unwrap_or_else(|| panic!("{text}: {problems:?}"));
        let lowered = pipeline::lower(&program.term, &program.sizes, Target::C).map_err(|d| d.code)?;
        let (_, p) = lowered.imperative.iter().find(|(name, _)| *name == "unroll").unwrap();
        Ok(p.body.to_string())
    }

    #[test]
    fn loops_become_copies() {
        assert_eq!(lowered("8.f32 = mapSeqUnroll (\\x. x + 1) b").unwrap().matches("output").count(), 8);
        let inner = lowered("(n/4).4.f32 = split 4 a |> mapSeq (mapSeqUnroll (\\x. x + 1))").unwrap();
        assert_eq!((inner.matches("output").count(), inner.matches("for").count()), (4, 1));
    }

    /// What is computed in an iteration is known; what depends on sizes as well is not.
    #[test]
    fn short_loops_that_decide_are_unrolled() {
        let loops = |body: &str| lowered(body).unwrap().matches("for").count();
        assert_eq!(loops("n.2.f32 = a |> mapSeq (\\x. [x, x * x] |> mapSeq (\\y. y + 1))"), 1);
        assert_eq!(loops("10.f32 = b |> padCst 1 1 0 |> mapSeq (\\x. x + 1)"), 0);
        assert_eq!(loops("(n+2).f32 = a |> padCst 1 1 0 |> mapSeq (\\x. x + 1)"), 1);
        assert_eq!(loops("24.f32 = b |> padCst 8 8 0 |> mapSeq (\\x. x + 1)"), 1);
        assert_eq!(loops("8.f32 = b |> mapSeq (\\x. x + 1)"), 1);
    }

    #[test]
    fn what_cannot_be_unrolled_is_said() {
        assert_eq!(lowered("n.f32 = mapSeqUnroll (\\x. x + 1) a"), Err("E0527"));
        assert_eq!(lowered("f32 = reduceSeqUnroll (+) 0 a"), Err("E0527"));
        let many = "8.8.8.8.8.f32 = b |> mapSeqUnroll (\\v. b |> mapSeqUnroll (\\w. b |> mapSeqUnroll (\\x.
            b |> mapSeqUnroll (\\y. b |> mapSeqUnroll (\\z. v + w + x + y + z)))))";
        assert_eq!(lowered(many), Err("E0510"));
    }
}
