//! Work that the components of a pair share. What is computed where it is read is computed for each component by itself,
//! so what stands before the pair, such as a `let` around it or a reduction to pairs, would be repeated.

use super::bind::let_stored;
use super::work::is_work;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Type;

/// Would reading the components of the value, or of its elements, one by one repeat work?
pub fn repeats(t: &Term) -> bool {
    use Pattern as P;
    if !scalar_pair(t) {
        return false;
    }
    let (head, args) = t.spine();
    let of_result = |f: &Term| f.as_lam().is_some_and(|(_, body)| repeats(body));
    match (head.expr(), args.as_slice()) {
        (Expr::Lam(_, body), [value]) => is_work(value) || repeats(body),
        (Expr::Prim(p), args) => match (p.pattern, args) {
            (P::Let, _) => true,
            (P::ToMem, _) => false,
            (p, _) if p.is_reduce() => true,
            (P::Map | P::MapStream, [f, xs]) => of_result(f) || repeats(xs),
            (P::Generate, [f]) => of_result(f),
            (_, args) => args.iter().any(|a| repeats(a)),
        },
        _ => false,
    }
}

/// Is the value a pair without arrays, or an array of such pairs?
fn scalar_pair(t: &Term) -> bool {
    let mut ty = t.ty();
    while let Some((_, element)) = ty.as_array() {
        ty = element;
    }
    ty.as_pair().is_some() && !ty.has_array()
}

/// The function of a loop over `xs`, which keeps an element of which it reads several components if that saves work.
/// The element is variable `x` of the body under the function's parameters.
pub fn kept_element(f: Term, params: u32, x: u32, xs: &Term) -> Term {
    let Some((_, element)) = xs.ty().as_array().filter(|(_, t)| t.as_pair().is_some() && repeats(xs)) else {
        return f;
    };
    fn within(f: &Term, params: u32, x: u32, element: &Type) -> Option<Term> {
        if params == 0 {
            (f.occurrences(x) > 1).then_some(())?;
            let kept = f.rename(&|i| Some(if i == x { 0 } else { i + 1 }))?;
            return Some(let_stored("x", Term::var(x, element.clone()), kept));
        }
        let ((name, body), (param, _)) = (f.as_lam()?, f.ty().as_fun()?);
        Some(Term::lam(name, param.clone(), within(body, params - 1, x, element)?))
    }
    within(&f, params, x, element).unwrap_or(f)
}

#[cfg(test)]
mod tests {
    use crate::dpia::Kind;
    use crate::lang::diag::Sources;
    use crate::lang::infer;
    use crate::lang::pattern::Pattern;
    use crate::lang::syntax::parse_program;
    use crate::{Target, default_lowering, pipeline};

    /// How often the code of a program computes an exponential.
    fn exponentials(text: &str) -> usize {
        let (file, problems) = parse_program(Sources::new().add("test.rise", text), text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        let program = infer::program(&file, None).0.unwrap_or_else(|| panic!("{text}"));
        let lowered = default_lowering(&program).unwrap();
        let lowered = pipeline::lower(&lowered.term, &program.sizes, Target::C).unwrap();
        let mut count = 0;
        let _ = lowered.imperative.last().unwrap().1.body.any(&mut |p| {
            count += usize::from(matches!(p.kind(), Kind::Pattern(Pattern::Exp, ..)));
            false
        });
        count
    }

    #[test]
    fn what_components_share_is_computed_once() {
        let pairs = "map (\\x. let e = exp x in (e * x, e + x)) a";
        let sums = "reduce (\\p q. (fst p + fst q, snd p + snd q)) (0, 0)";
        for body in [
            pairs.to_string(),
            format!("{pairs} |> {sums}"),
            format!("{pairs} |> map (\\p. fst p + snd p)"),
            format!("zip a ({pairs}) |> map (\\p. fst p + fst (snd p) * snd (snd p))"),
            format!("{pairs} |> map (\\p. fst p / snd p) |> reduce (+) 0"),
            format!("{pairs} |> scanSeq (\\p s. fst p + snd p * s) 0"),
            format!("a |> map (\\y. {pairs} |> {sums}) |> map (\\p. fst p / snd p)"),
            "map (\\x. let p = (let e = exp x in (e * x, e + x)) in fst p / snd p) a".to_string(),
        ] {
            assert_eq!(exponentials(&format!("def f (a: n.f32) = {body}")), 1, "{body}");
        }
    }
}
