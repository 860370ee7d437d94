//! Named values move out of arguments and loops: what does not depend on a loop's variable is computed once before it,
//! and equal values are computed once (thesis appendix C.2, "let expressions are hoisted as much as possible").
//!
//! In: a term in the form of [`super::normal`]. Out: an equal one, in which `let`s stand around whole programs, bodies of
//! loops and branches of `select`. Terms are pure, so only the amount of work changes. It can only shrink: nothing leaves
//! the branch of a `select` or a kernel, and loops are taken to run at least once.

use super::bind::let_in;
use crate::lang::digest::Digest;
use crate::lang::nat::Name;
use crate::lang::pattern::{AddressSpace, Level, Pattern};
use crate::lang::root::Root;
use crate::lang::term::{Arg, Expr, Term};
use std::collections::HashMap;

/// The term with its named values as far out as they can go.
pub fn hoist(t: &Term) -> Term {
    if !names_values(t) {
        return t.clone();
    }
    merge_equal(&around_program(t))
}

fn names_values(t: &Term) -> bool {
    // Every term knows what may be in it.
    !t.roots().has_none_of(Root::pattern(Pattern::Let, 0).into())
        && t.has_leaf(&|leaf| leaf.as_pattern() == Some(Pattern::Let))
}

fn around_program(t: &Term) -> Term {
    match (t.as_lam(), t.ty().as_fun()) {
        (Some((x, body)), Some((param, _))) => Term::lam(x, param.clone(), around_program(body)),
        _ => block(t),
    }
}

/// A named value; it may mention the bindings before it, the last of which is its variable 0.
struct Binding {
    name: Name,
    value: Term,
}

/// A term that mentions the bindings, the last of which is its variable 0.
struct Floated {
    bindings: Vec<Binding>,
    term: Term,
}

impl Floated {
    fn plain(term: Term) -> Floated {
        Floated { bindings: vec![], term }
    }

    fn wrap(self) -> Term {
        self.bindings.into_iter().rev().fold(self.term, |body, b| let_in(&b.name, b.value, body))
    }
}

/// The term with its named values around it.
fn block(t: &Term) -> Term {
    float(t).wrap()
}

fn float(t: &Term) -> Floated {
    if !names_values(t) {
        return Floated::plain(t.clone());
    }
    let (head, args) = t.spine();
    match (head.expr(), args.as_slice()) {
        (Expr::Prim(p), [value, f]) if p.pattern == Pattern::Let => named(t, value, f),
        (Expr::Prim(p), [_, ..]) => application(head, p.pattern, &args),
        (Expr::Lam(..), [value]) => {
            let Floated { mut bindings, term: value } = float(value);
            let f = function(&head.shift_up(bindings.len() as u32), 1, &|_| true);
            let value = value.shift_up(f.bindings.len() as u32);
            bindings.extend(f.bindings);
            Floated { bindings, term: Term::app(f.term, value) }
        }
        _ => Floated::plain(t.clone()),
    }
}

/// `let value f`
fn named(t: &Term, value: &Term, f: &Term) -> Floated {
    let Floated { mut bindings, term: value } = float(value);
    let f = f.shift_up(bindings.len() as u32);
    let Some((x, body)) = f.as_lam() else { return Floated::plain(t.clone()) };
    if matches!(value.expr(), Expr::Var(_) | Expr::Lit(_)) {
        let body = float(&body.subst0(&value));
        bindings.extend(body.bindings);
        return Floated { bindings, term: body.term };
    }
    bindings.push(Binding { name: x.clone(), value });
    let body = float(body);
    bindings.extend(body.bindings);
    Floated { bindings, term: body.term }
}

fn application(head: &Term, pattern: Pattern, args: &[&Term]) -> Floated {
    let mut bindings: Vec<Binding> = vec![];
    let mut done: Vec<Term> = vec![];
    for (i, arg) in args.iter().enumerate() {
        let arg = arg.shift_up(bindings.len() as u32);
        let floated = if arg.ty().as_fun().is_some() {
            function(&arg, u32::MAX, &|value| may_leave(pattern, value))
        } else if pattern == Pattern::OclRun || (pattern == Pattern::Select && i > 0) {
            Floated::plain(block(&arg))
        } else {
            float(&arg)
        };
        done = done.iter().map(|d| d.shift_up(floated.bindings.len() as u32)).collect();
        bindings.extend(floated.bindings);
        done.push(floated.term);
    }
    Floated { bindings, term: Term::apps(head.clone(), done) }
}

/// May a value that does not depend on its iterations leave the function of a pattern?
///
/// Work-items of OpenCL that share a loop each run what stands outside: they may do so with what is private, and what
/// they do not compute together.
fn may_leave(pattern: Pattern, value: &Term) -> bool {
    fn is_shared(t: &Term) -> bool {
        t.as_prim().is_some_and(|p| {
            p.pattern.level() == Level::OpenCl
                || p.args.iter().any(|a| matches!(a, Arg::Addr(a) if *a != AddressSpace::Private))
        }) || t.children().into_iter().any(is_shared)
    }
    pattern.level() != Level::OpenCl || !is_shared(value)
}

/// Where a binding of a function's body goes, with its number among those that go there.
#[derive(Clone, Copy)]
enum Goes {
    Out(u32),
    Nowhere(u32),
}

/// The function of at most `most` parameters, with the values that leave it.
fn function(f: &Term, most: u32, may_leave: &dyn Fn(&Term) -> bool) -> Floated {
    let mut params = vec![];
    let mut body = f;
    while let (Some((x, b)), Some((ty, _))) = (body.as_lam(), body.ty().as_fun())
        && (params.len() as u32) < most
    {
        params.push((x.clone(), ty.clone()));
        body = b;
    }
    let k = params.len() as u32;
    let Floated { bindings, term } = float(body);

    // Out: their values mention neither a parameter nor what stays.
    let mut goes: Vec<Goes> = vec![];
    let mut out: Vec<Binding> = vec![];
    for (j, b) in bindings.iter().enumerate() {
        let (j, r) = (j as u32, out.len() as u32);
        let outside = b.value.rename(&|i| match i.checked_sub(j) {
            None => match goes[(j - 1 - i) as usize] {
                Goes::Out(rank) => Some(r - 1 - rank),
                Goes::Nowhere(_) => None,
            },
            Some(i) => Some(r + i.checked_sub(k)?),
        });
        match outside.filter(|v| may_leave(v)) {
            Some(value) => {
                goes.push(Goes::Out(r));
                out.push(Binding { name: b.name.clone(), value });
            }
            None => goes.push(Goes::Nowhere(j - r)),
        }
    }

    // Within: the parameters and what leaves change places.
    let left = out.len() as u32;
    let within = |t: &Term, j: u32, s: u32| {
        t.rename(&|i| {
            Some(match i.checked_sub(j) {
                None => match goes[(j - 1 - i) as usize] {
                    Goes::Out(rank) => s + k + left - 1 - rank,
                    Goes::Nowhere(rank) => s - 1 - rank,
                },
                Some(p) if p < k => s + p,
                Some(p) => s + left + p,
            })
        })
        .unwrap_or_else(|| t.clone())
    };
    let mut stays = vec![];
    for (j, (b, goes)) in bindings.iter().zip(&goes).enumerate() {
        if let Goes::Nowhere(s) = goes {
            stays.push(Binding { name: b.name.clone(), value: within(&b.value, j as u32, *s) });
        }
    }
    let term = within(&term, bindings.len() as u32, stays.len() as u32);
    let body = Floated { bindings: stays, term }.wrap();
    let f = params.into_iter().rev().fold(body, |body, (x, ty)| Term::lam(&x, ty, body));
    Floated { bindings: out, term: f }
}

/// `let v (\x. … let v (\y. b) …)` becomes `let v (\x. … b …)` with `x` for `y`.
fn merge_equal(t: &Term) -> Term {
    Merging::default().term(t)
}

/// A walk from the outside to the inside, in which each value is looked up among those that are named around it: there may be thousands.
/// Binders are told by their levels, the outermost of all being 0, since these stay while one goes further in.
#[derive(Default)]
struct Merging {
    /// For each binder around a part, the one that stands for it now.
    stands_for: Vec<u32>,
    /// How many binders there are around it now.
    depth: u32,
    /// The binders of the values that are named around it, by the digests of these with levels for variables.
    named: HashMap<Digest, u32>,
}

impl Merging {
    fn term(&mut self, t: &Term) -> Term {
        if !names_values(t) {
            return self.renamed(t);
        }
        if let Some((p, args)) = t.as_pattern_app()
            && p.pattern == Pattern::Let
            && let [value, f] = args.as_slice()
            && let Some((x, body)) = f.as_lam()
        {
            let value = self.term(value);
            let by_levels = value.rename(&|i| self.depth.checked_sub(1 + i)).map(|value| value.digest());
            if let Some(known) = by_levels.and_then(|digest| self.named.get(&digest)) {
                return self.below(*known, body);
            }
            by_levels.map(|digest| self.named.insert(digest, self.depth));
            let body = self.below_its_own(body);
            by_levels.map(|digest| self.named.remove(&digest));
            return let_in(x, value, body);
        }
        let children: Vec<Term> = match t.as_lam() {
            Some((_, body)) => vec![self.below_its_own(body)],
            None => t.children().into_iter().map(|part| self.term(part)).collect(),
        };
        if children.is_empty() { t.clone() } else { t.with_children(children) }
    }

    /// What stands below a binder for which another one stands.
    fn below(&mut self, level: u32, body: &Term) -> Term {
        self.stands_for.push(level);
        let body = self.term(body);
        self.stands_for.pop();
        body
    }

    /// What stands below a binder that stays.
    fn below_its_own(&mut self, body: &Term) -> Term {
        self.depth += 1;
        let body = self.below(self.depth - 1, body);
        self.depth -= 1;
        body
    }

    /// A part without named values, with the variables that it has now.
    fn renamed(&self, t: &Term) -> Term {
        let before = self.stands_for.len() as u32;
        if before == self.depth {
            return t.clone();
        }
        let now = |i: u32| match self.stands_for.iter().rev().nth(i as usize) {
            Some(level) => self.depth - 1 - level,
            None => i - before + self.depth,
        };
        t.rename(&|i| Some(now(i))).unwrap_or_else(|| t.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::hoist;
    use crate::choose::normal::normalise;
    use crate::lang::diag::Sources;
    use crate::lang::eval::{self, Limits, inputs};
    use crate::lang::infer;
    use crate::lang::print;
    use crate::lang::syntax::parse_program;

    /// Checks what hoisting makes of a program's body, and that it means the same.
    fn check(head: &str, before: &str, after: &str) {
        let program = |body: &str| {
            let text = format!("def f {head} = {body}");
            let (file, problems) = parse_program(Sources::new().add("test.rise", &text), &text);
            assert!(problems.is_empty(), "{text}: {problems:?}");
            let (program, problems) = infer::program(&file, None);
            program.unwrap_or_else(|| panic!("{text}: {problems:?}"))
        };
        let (p, expected) = (program(before), program(after));
        let found = hoist(&normalise(&p.term).unwrap());
        found.check().unwrap();
        assert_eq!(
            found,
            normalise(&expected.term).unwrap(),
            "{}",
            print::term(&found, &print::Options::default()).text
        );
        assert_eq!(hoist(&found), found);
        let sizes = eval::sizes(p.sizes.iter().map(|x| (&**x, 3)));
        let inputs = inputs::for_program(&p.ty, &sizes, 1, inputs::Kind::SmallIntegers).unwrap();
        let run = |t| eval::run(t, &sizes, &inputs, &Limits::TEST).unwrap();
        assert_eq!(run(&p.term), run(&found));
    }

    #[test]
    fn values_leave_loops_that_they_do_not_depend_on() {
        check(
            "(a: n.f32) (b: m.f32): n.m.f32",
            "a |> mapPar (\\x. let (toMem (mapSeq (\\v. v * 2) b)) (\\s. s |> mapSeq (\\y. y + x)))",
            "let (toMem (mapSeq (\\v. v * 2) b)) (\\s. a |> mapPar (\\x. s |> mapSeq (\\y. y + x)))",
        );
        check(
            "(a: n.m.f32) (b: m.f32): n.m.f32",
            "a |> mapSeq (\\r. let (toMem (mapSeq (\\v. v * 2) r)) (\\s. let (toMem (mapSeq (\\v. v * 3) b)) (\\t.
               zip s t |> mapSeq (\\p. fst p + snd p))))",
            "let (toMem (mapSeq (\\v. v * 3) b)) (\\t. a |> mapSeq (\\r. let (toMem (mapSeq (\\v. v * 2) r)) (\\s.
               zip s t |> mapSeq (\\p. fst p + snd p))))",
        );
        check(
            "(a: n.f32) (b: m.f32): m.f32",
            "a |> reduceSeq (\\acc x. let (toMem (mapSeq (\\v. v * 2) b)) (\\s.
               zip acc s |> mapSeq (\\p. fst p + snd p * x))) (mapSeq (\\v. v) b) |> mapSeq (\\v. v)",
            "let (toMem (mapSeq (\\v. v * 2) b)) (\\s. a |> reduceSeq (\\acc x.
               zip acc s |> mapSeq (\\p. fst p + snd p * x)) (mapSeq (\\v. v) b) |> mapSeq (\\v. v))",
        );
    }

    #[test]
    fn values_that_depend_on_an_iteration_stay_in_it() {
        let stays = "a |> mapSeq (\\r. let (toMem (mapSeq (\\v. v * 2) r)) (\\s. s |> mapSeq (\\y. y + 1)))";
        check("(a: n.m.f32): n.m.f32", stays, stays);
        let chain = "a |> mapSeq (\\r. let (toMem (mapSeq (\\v. v * 2) r)) (\\s.
                       let (toMem (mapSeq (\\v. v + 1) s)) (\\t. t |> mapSeq (\\y. y + 1))))";
        check("(a: n.m.f32): n.m.f32", chain, chain);
    }

    #[test]
    fn values_leave_arguments() {
        check(
            "(a: n.f32) (b: n.f32): n.(f32 * f32)",
            "zip (let (toMem (mapSeq exp a)) (\\x. x)) (let (toMem (mapSeq exp b)) (\\y. y))",
            "let (toMem (mapSeq exp a)) (\\x. let (toMem (mapSeq exp b)) (\\y. zip x y))",
        );
        check(
            "(a: n.f32): n.f32",
            "let (let (toMem (mapSeq exp a)) (\\x. toMem (mapSeq exp x))) (\\y. mapSeq exp y)",
            "let (toMem (mapSeq exp a)) (\\x. let (toMem (mapSeq exp x)) (\\y. mapSeq exp y))",
        );
    }

    #[test]
    fn equal_values_are_computed_once() {
        check(
            "(a: n.f32) (b: n.f32): n.(f32 * (f32 * f32))",
            "zip (let (toMem (mapSeq exp a)) (\\x. x))
               (zip (let (toMem (mapSeq exp b)) (\\y. y)) (let (toMem (mapSeq exp a)) (\\z. z)))",
            "let (toMem (mapSeq exp a)) (\\x. let (toMem (mapSeq exp b)) (\\y. zip x (zip y x)))",
        );
        // Values that are equal once what is named in them is, and those that are made of equal ones.
        let squares = "toMem (mapSeq (\\r. let (toMem (r * r)) (\\s. let (toMem (r * r)) (\\t. s + t))) a)";
        check(
            "(a: n.f32): n.(f32 * f32)",
            &format!(
                "zip (let ({squares}) (\\x. let (toMem (mapSeq exp x)) (\\v. v)))
                   (let ({squares}) (\\y. let (toMem (mapSeq exp y)) (\\w. w)))"
            ),
            "let (toMem (mapSeq (\\r. let (toMem (r * r)) (\\s. s + s)) a)) (\\x.
               let (toMem (mapSeq exp x)) (\\v. zip v v))",
        );
    }

    /// A branch that is not taken computes nothing, and work-items do not all compute what they share.
    #[test]
    fn no_work_is_added() {
        let branch = "a |> mapSeq (\\x. select (x > 0) (let (toMem (reduceSeq (+) 0 b)) (\\s. s)) (let (toMem (x * x)) (\\y. y)))";
        check("(a: n.f32) (b: m.f32): n.f32", branch, branch);
        let shared = "a |> mapGlobal (\\x. let (toMem global (mapSeq (\\v. v * 2) b)) (\\s. s |> mapSeq (\\y. y + x)))";
        check("(a: n.f32) (b: m.f32): n.m.f32", shared, shared);
    }
}
