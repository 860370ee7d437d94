//! What a term asks of its sizes, and checking it with values.

use super::codes;
use crate::constraint::{SizeConstraint, is_nothing_with};
use crate::declared::unfolded;
use crate::diag::Diagnostic;
use crate::literal::Literal;
use crate::nat::{Name, Nat, NatError, NatFun, NatVar};
use crate::path::Path;
use crate::pattern::Pattern;
use crate::permutation::{self, Fault, MOST};
use crate::steps;
use crate::term::{Arg, Expr, Prim, Term};
use crate::ty::{Type, TypeKind};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashSet;

/// Values for the sizes of a program.
pub type Sizes = IndexMap<Name, i64>;

/// Everything that a term's types and sizes ask for that is not evident, each condition once, in the order in which
/// the term has them. Arrays have at least one element.
pub fn constraints_of(term: &Term) -> Vec<SizeConstraint> {
    let mut out = Collector::default();
    out.term(term);
    // What the meanings of declared patterns ask for.
    if term.has_declared() {
        out.term(&unfolded(term));
    }
    let found: Vec<SizeConstraint> = out.found.into_iter().collect();
    // Of several lower bounds of one size the greatest says it all; of divisors, a multiple of the others.
    let implied = |c: &SizeConstraint| match c {
        SizeConstraint::AtMost(a, n) => a.as_constant().is_some_and(|a| {
            let greater = |b: &Nat| b.as_constant().is_some_and(|b| b > a);
            found.iter().any(|d| matches!(d, SizeConstraint::AtMost(b, m) if m == n && greater(b)))
        }),
        SizeConstraint::Divides(a, n) => a.as_constant().is_some_and(|a| {
            let multiple = |b: &Nat| b.as_constant().is_some_and(|b| b > a && a > 0 && b % a == 0);
            found.iter().any(|d| matches!(d, SizeConstraint::Divides(b, m) if m == n && multiple(b)))
        }),
        SizeConstraint::Equal(..) | SizeConstraint::Permutes(..) => false,
    };
    found.iter().filter(|c| !implied(c)).cloned().collect()
}

/// The innermost part of a term that asks for a condition by itself, the last of several.
pub fn asks_for(term: &Term, constraint: &SizeConstraint) -> Option<Path> {
    let asks = |t: &Term| {
        let mut own = Collector::default();
        own.part(t);
        own.found.contains(constraint)
    };
    term.positions().into_iter().rfind(|(_, t)| asks(t)).map(|(path, _)| path)
}

fn names(constraint: &SizeConstraint) -> Vec<Name> {
    let vars = match constraint {
        SizeConstraint::Divides(a, b) | SizeConstraint::AtMost(a, b) | SizeConstraint::Equal(a, b) => {
            [a.vars(), b.vars()].concat()
        }
        SizeConstraint::Permutes(n, f, g) => [n.vars(), f.vars(), g.vars()].concat(),
    };
    let named = vars.into_iter().filter_map(|v| match v {
        NatVar::Named(name) => Some(name),
        NatVar::Meta(_) | NatVar::Worker(_) => None,
    });
    named.collect::<IndexSet<Name>>().into_iter().collect()
}

/// Is it evident that no sizes of the program meet the condition?
fn holds_never(constraint: &SizeConstraint) -> bool {
    let is_plain = match constraint {
        SizeConstraint::Divides(..) => true,
        // What a division leaves over, or how often it goes, may be nothing.
        SizeConstraint::AtMost(a, b) | SizeConstraint::Equal(a, b) => !a.has_division() && !b.has_division(),
        SizeConstraint::Permutes(..) => false,
    };
    is_plain && !names(constraint).is_empty() && constraint.decide() == Some(false)
}

/// Checks a condition with values for the sizes.
///
/// # Errors
/// `E0150` when it does not hold, `E0151` when a size in it has no value.
pub fn check_constraint(constraint: &SizeConstraint, sizes: &Sizes) -> Result<(), Diagnostic> {
    if holds_never(constraint) {
        return Err(Diagnostic::error(
            "E0150",
            format!("The sizes do not fit: it must hold that {constraint}."),
        )
        .note("It holds for no sizes.")
        .hint("Change what asks for it, or the sizes in the types."));
    }
    let problem = match constraint.holds(&|name| sizes.get(name).copied()) {
        Ok(true) => return Ok(()),
        Err(NatError::Unknown(missing)) => {
            return Err(Diagnostic::error("E0151", format!("The size `{missing}` has no value."))
                .note(format!("It must be known to check that {constraint}."))
                .hint(format!("Give one with `--size {missing}=1024`.")));
        }
        Ok(false) if matches!(constraint, SizeConstraint::Permutes(..)) => {
            return Err(no_permutation(constraint, sizes));
        }
        Ok(false) => {
            Diagnostic::error("E0150", format!("The sizes do not fit: it must hold that {constraint}."))
        }
        Err(error) => {
            Diagnostic::error("E0150", format!("The sizes do not fit: it must hold that {constraint}."))
                .note(format!("With these sizes, {error}."))
        }
    };
    let given: Vec<String> =
        names(constraint).iter().filter_map(|n| Some(format!("{n} = {}", sizes.get(n)?))).collect();
    let problem =
        if given.is_empty() { problem } else { problem.note(format!("Here, {}.", given.join(", "))) };
    Err(match constraint {
        SizeConstraint::Divides(by, of) => match by.eval(&|name| sizes.get(name).copied()) {
            Ok(by) if by > 1 => problem.hint(format!("Choose sizes for which {of} is a multiple of {by}.")),
            _ => problem,
        },
        SizeConstraint::AtMost(less, more) if !given.is_empty() => {
            let is_given = |n: &Nat| {
                n.vars().iter().any(|v| matches!(v, NatVar::Named(name) if sizes.contains_key(name)))
            };
            problem.hint(match (is_given(less), is_given(more)) {
                (true, true) => format!("Choose sizes for which {less} is at most {more}."),
                (true, false) => "Choose smaller sizes.".to_owned(),
                (false, _) => "Choose larger sizes.".to_owned(),
            })
        }
        SizeConstraint::AtMost(least, _) if least.as_constant() == Some(1) => {
            problem.note("Arrays have at least one element, and `iterate` takes at least one step.")
        }
        SizeConstraint::AtMost(..) | SizeConstraint::Equal(..) | SizeConstraint::Permutes(..) => problem,
    })
}

/// Why a function is no permutation, or another not its inverse; without sizes, as far as that can be said.
pub(super) fn no_permutation(constraint: &SizeConstraint, sizes: &Sizes) -> Diagnostic {
    let SizeConstraint::Permutes(n, there, back) = constraint else {
        return Diagnostic::error("E0150", format!("It must hold that {constraint}."));
    };
    let given: Vec<String> =
        names(constraint).iter().filter_map(|n| Some(format!("{n} = {}", sizes.get(n)?))).collect();
    let here = if given.is_empty() { String::new() } else { format!(" Here, {}.", given.join(", ")) };
    let error = |message: String| Diagnostic::error(codes::NO_PERMUTATION, message);
    let inverse = format!("{back} is not the inverse of {there} below {n}.");
    let fault = permutation::check(n, there, back, &|name| sizes.get(name).copied());
    match fault {
        Ok(Err(Fault::Undefined(i, why))) => error(format!("{there} or {back} has no value."))
            .note(format!("For {i}, {why}.{here}"))
            .hint("In functions of sizes, `div` rounds down and `/` divides without remainder."),
        Ok(Err(Fault::Outside(i, to))) => error(format!("{there} leads out of the {n} elements."))
            .note(format!("It leads from {i} to {to}.{here}"))
            .hint("A function for `reorder` keeps within the size, e.g. with `% n`."),
        Ok(Err(Fault::NotBack(i, to, again))) => error(inverse)
            .note(format!("From {i}, the first leads to {to}, and the second from there to {again}.{here}"))
            .hint("Where the first moves by s and then by n/s, its inverse moves by n/s and then by s."),
        Ok(Err(Fault::TooMany(count))) => error(format!(
            "Nothing shows that {back} is the inverse of {there} below {n}."
        ))
        .note(format!("Of {count} elements, not each is looked at: these are more than {MOST}.{here}"))
        .hint("Choose smaller sizes, or write the functions with the products of which the size is made."),
        Ok(Ok(())) | Err(_) => {
            error(format!("{there} does not permute the numbers below {n}, or {back} is not its inverse."))
                .note("The first number or the last shows it, whatever the sizes are.")
                .hint("To reverse an array, for instance, both are `/\\i. n - 1 - i`.")
        }
    }
}

/// How many elements a pattern at this type leaves aside, where no other of its sizes says it: what is behind those that
/// `take` takes.
pub fn left_aside(pattern: Pattern, ty: &Type) -> Option<Nat> {
    let (all, taken) = (pattern == Pattern::Take).then(|| ty.as_fun())??;
    Some(all.as_array()?.0.sub(taken.as_array()?.0))
}

/// The pattern that computes in a kernel what it is applied to.
fn launching(f: &Term) -> Option<&Prim> {
    f.as_prim().filter(|prim| prim.pattern == Pattern::OclRun)
}

/// How many iterations the loops have that a kernel shares out in a dimension; none where it cannot be told of all. Whatever
/// a kernel gives is written in such loops, of each dimension that it uses (E0523).
pub fn shared_out(value: &Term, d: u8) -> Vec<Nat> {
    let mut out = vec![];
    for (_, t) in value.positions() {
        match t.expr() {
            Expr::Prim(p) if matches!(p.pattern, Pattern::MapGlobal | Pattern::MapWorkGroup) => {
                let result = t.ty().as_fun().and_then(|(_, mapped)| mapped.as_fun()?.1.as_array());
                let Some((n, _)) = result else { return vec![] };
                if p.args.contains(&Arg::Dim(d)) {
                    out.push(n.clone());
                }
            }
            // It may be a loop.
            Expr::Var(..) if t.ty().as_fun().is_some() => return vec![],
            _ => {}
        }
    }
    out
}

#[derive(Default)]
struct Collector {
    found: IndexSet<SizeConstraint>,
    types: FxHashSet<Type>,
}

impl Collector {
    fn ty(&mut self, ty: &Type) {
        if !self.types.insert(ty.clone()) {
            return;
        }
        match ty.kind() {
            TypeKind::Index(n) => self.length(n),
            TypeKind::Vector(n, t) | TypeKind::Array(n, t) => {
                self.length(n);
                self.ty(t);
            }
            TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
                self.ty(a);
                self.ty(b);
            }
            _ => {}
        }
    }

    fn length(&mut self, n: &Nat) {
        self.found.extend(SizeConstraint::of_divisors(n));
        self.found.extend(SizeConstraint::of_length(n));
    }

    fn permutation(&mut self, n: &Nat, there: &NatFun, back: &NatFun) {
        for f in [there, back] {
            self.found.extend(permutation::conditions(f).into_iter().flatten());
        }
        let permutes = SizeConstraint::Permutes(n.clone(), there.clone(), back.clone());
        if permutes.decide() != Some(true) {
            self.found.insert(permutes);
        }
    }

    /// The work-items of a group in each dimension, then all of them, for a value where it is known.
    fn launch(&mut self, args: &[Arg], value: Option<&Term>) {
        let (local, global) = args.split_at(args.len() / 2);
        for (d, pair) in (0u8..).zip(local.iter().zip(global)) {
            if let (Arg::Nat(local), Arg::Nat(global)) = pair {
                let shared = value.map(|value| shared_out(value, d)).unwrap_or_default();
                self.found.extend(SizeConstraint::of_launch(local, global, &shared));
            }
        }
    }

    /// What a pattern at this type asks for, beside what a launch does.
    fn pattern(&mut self, prim: &Prim, ty: &Type) {
        if let [Arg::Nat(n), Arg::Fun(there), Arg::Fun(back)] = prim.args.as_slice() {
            self.permutation(n, there, back);
        }
        if let Some(rest) = left_aside(prim.pattern, ty) {
            self.found.extend(SizeConstraint::of_size(&rest));
        }
        // The first and the last element are repeated, so there must be one, even where an array may have none; unless there
        // are none of the repeated ones either.
        if let (Pattern::PadClamp, Some((padded, result))) = (prim.pattern, ty.as_fun())
            && let (Some((n, _)), Some((all, _))) = (padded.as_array(), result.as_array())
            && !is_nothing_with(all, n)
            && prim.args.iter().any(|arg| *arg != Arg::Nat(Nat::constant(0)))
        {
            self.found.extend(SizeConstraint::of_size(&n.sub(&Nat::constant(1))));
        }
        for arg in &prim.args {
            if let Arg::Nat(n) = arg {
                self.found.extend(SizeConstraint::of_divisors(n));
                self.found.extend(SizeConstraint::of_size(n));
            }
        }
    }

    /// What a part of a term asks for beside what its own parts do.
    fn part(&mut self, t: &Term) {
        self.ty(t.ty());
        match t.expr() {
            Expr::Prim(prim) => {
                if prim.pattern == Pattern::OclRun {
                    self.launch(&prim.args, None);
                }
                self.pattern(prim, t.ty());
            }
            Expr::App(f, value) => {
                if let Some(prim) = launching(f) {
                    self.ty(f.ty());
                    self.launch(&prim.args, Some(value));
                    self.pattern(prim, f.ty());
                }
            }
            // An index is below what it indexes.
            Expr::Lit(Literal::Index(i, n)) => {
                self.found.extend(SizeConstraint::of_divisors(i));
                self.found.extend(SizeConstraint::of_index(i, n));
            }
            Expr::Lit(Literal::Nat(n)) => self.found.extend(SizeConstraint::of_number(n)),
            _ => {}
        }
    }

    fn term(&mut self, term: &Term) {
        // Outermost first; an explicit stack, so that no nesting is too deep. To find parts that are equal and not shared
        // would take digests, and more time than to look at them again.
        let (mut stack, mut seen) = (vec![term], FxHashSet::default());
        while let Some(t) = stack.pop() {
            if !seen.insert(t.node()) {
                continue;
            }
            self.part(t);
            // What a step asks for is known of each step by itself.
            let changes_size = t.as_app().is_some_and(|(f, _)| {
                f.as_pattern() == Some(Pattern::Iterate) && steps::of(f.ty()).is_some()
            });
            // What a launch asks for depends on what it computes.
            if let Some((_, value)) = t.as_app().filter(|(f, _)| launching(f).is_some()) {
                stack.push(value);
            } else if !changes_size {
                stack.extend(t.children().into_iter().rev());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(list: &[(&str, i64)]) -> Sizes {
        list.iter().map(|(n, v)| ((*n).into(), *v)).collect()
    }

    #[test]
    fn an_index_is_below_what_it_indexes() {
        let index = |i: Nat| Term::lit(Literal::Index(i, Nat::var("n")));
        let asked =
            |i: Nat| constraints_of(&index(i)).iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        assert_eq!(asked(Nat::constant(0)), "");
        assert_eq!(asked(Nat::constant(1)), "2 <= n");
        assert_eq!(asked(Nat::var("n").sub(&Nat::constant(1))), "");
        assert_eq!(asked(Nat::var("n").sub(&Nat::constant(3))), "3 <= n");
        assert_eq!(asked(Nat::var("m")), "m + 1 <= n");
    }

    #[test]
    fn what_is_taken_is_there() {
        let asked = |text: &str| {
            let found = crate::infer::tests::good(text).constraints;
            found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(asked("def f (a: k.f32) = a |> take 7 |> reduce (+) 0.0"), "7 <= k");
        assert_eq!(asked("def f (n: nat) (a: k.f32) = a |> take n |> reduce (+) 0.0"), "n <= k");
        assert_eq!(asked("def f (a: (k + 2).f32) = a |> take 3 |> map sqrt"), "");
        assert_eq!(asked("def f (k: nat) (a: (2*k).f32) = a |> take k |> map sqrt"), "");
        assert_eq!(
            asked("def first {n: nat} (a: n.f32) = take 5 a\ndef f (a: (2*k).f32) = first a"),
            "5 <= 2*k"
        );
    }

    #[test]
    fn checks_say_what_is_wrong() {
        let k = SizeConstraint::Divides(Nat::constant(32), Nat::var("m"));
        assert!(check_constraint(&k, &sizes(&[("m", 64)])).is_ok());
        let problem = check_constraint(&k, &sizes(&[("m", 100)])).unwrap_err();
        insta::assert_snapshot!(problem.render(&crate::diag::Sources::new()), @r"
        error[E0150]: The sizes do not fit: it must hold that 32 divides m.
         = Here, m = 100.
         = hint: Choose sizes for which m is a multiple of 32.
        ");
        let problem = check_constraint(&k, &sizes(&[("n", 100)])).unwrap_err();
        insta::assert_snapshot!(problem.render(&crate::diag::Sources::new()), @r"
        error[E0151]: The size `m` has no value.
         = It must be known to check that 32 divides m.
         = hint: Give one with `--size m=1024`.
        ");
    }
}
