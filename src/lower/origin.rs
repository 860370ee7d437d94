//! Which part of a term a problem of its code comes from.
//!
//! Passes see memory, loops and choices, and name the one that they have a problem with. Its place is the part of the term
//! that it comes from; where memory is in a wrong address space, what to write there is the hint.

use crate::dpia::Names;
use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::path::Path;
use crate::lang::pattern::{AddressSpace, Level, Pattern};
use crate::lang::sort::{How, Sort};
use crate::lang::term::{Arg, Expr, Parts, Prim, Term};

/// Names the place of a problem with what loops, memory and commands come from. Of memory it says what can be done there, if
/// that was tried and helps: `lower` says what comes of a changed term, with its place.
pub fn placed(
    problem: Diagnostic,
    term: &Term,
    names: &Names,
    lower: &dyn Fn(&Term) -> Result<(), Diagnostic>,
) -> Diagnostic {
    let mut problem = located(problem, term, names);
    let Some(at) = place(&problem).filter(|_| is_of_memory(&problem)) else { return problem };
    let Some(asked) = memory(term).into_iter().find(|m| m.at == at) else { return problem };
    let helps = |changed: Option<Term>| changed.is_some_and(|t| is_gone(&t, &asked.at, lower));
    problem.hints = asked.hints(&|change| helps(change.made(term, &asked)));
    problem
}

fn is_of_memory(problem: &Diagnostic) -> bool {
    ["E0511", "E0525"].contains(&problem.code)
}

fn place(problem: &Diagnostic) -> Option<Path> {
    match problem.context.as_ref()?.subject.as_ref()? {
        Subject::At(at) => Some(at.clone()),
        _ => None,
    }
}

/// The problem with a position for what it is about.
pub fn located(problem: Diagnostic, term: &Term, names: &Names) -> Diagnostic {
    let origin = match problem.context.as_ref().and_then(|c| c.subject.as_ref()) {
        Some(Subject::Made(name)) => names.origin(name),
        Some(Subject::From(origin) | Subject::PatternFrom(_, origin)) => origin.clone(),
        _ => return problem,
    };
    let is_asked = |t: &Term| match problem.context.as_ref().and_then(|c| c.subject.as_ref()) {
        Some(Subject::PatternFrom(pattern, _)) => t.as_pattern() == Some(*pattern),
        _ => true,
    };
    let comes_from = |at: &Path| {
        let own = term.at(at).map(Term::origin).unwrap_or_default();
        own.numbers().collect::<Vec<_>>().into_iter().any(|n| origin.is_in(&(n..n + 1)))
    };
    let asked = || memory(term).into_iter().map(|m| m.at).find(comes_from);
    let leaves = term.positions().into_iter().filter(|(_, t)| t.children().is_empty() && is_asked(t));
    let mut leaves = leaves.map(|(at, _)| at);
    match asked().filter(|_| is_of_memory(&problem)).or_else(|| leaves.find(comes_from)) {
        Some(at) => problem.about(Subject::At(at)),
        None => problem.without_subject(),
    }
}

/// Is there no problem left, or one with memory that is asked for elsewhere?
fn is_gone(changed: &Term, at: &Path, lower: &dyn Fn(&Term) -> Result<(), Diagnostic>) -> bool {
    let Err(problem) = lower(changed) else { return true };
    is_of_memory(&problem) && place(&problem).is_some_and(|next| next != *at)
}

/// What can be done where memory is asked for.
enum Change {
    /// Asking for memory of another address space.
    Space(AddressSpace),
    /// Asking for private memory, which each work-item fills for itself.
    Alone,
}

impl Change {
    fn made(&self, term: &Term, at: &Asked) -> Option<Term> {
        let in_space = |space: AddressSpace, t: &Term| {
            let prim = t.as_prim()?;
            let arg = |a: &Arg| if let Arg::Addr(_) = a { Arg::Addr(space) } else { a.clone() };
            let changed = Term::prim(prim.pattern, prim.args.iter().map(arg).collect(), t.ty().clone());
            Some(changed.with_origin(&t.origin()))
        };
        match self {
            Change::Space(space) => term.replace_at(&at.at, in_space(*space, term.at(&at.at)?)?),
            Change::Alone => {
                let whole = (0..at.written.len()).try_fold(at.at.clone(), |path, _| path.parent())?;
                let mut args = at.written.iter().map(|t| alone(t));
                let head = in_space(AddressSpace::Private, term.at(&at.at)?)?;
                term.replace_at(&whole, Term::apps(head, args.by_ref()))
            }
        }
    }
}

/// The term with loops of one work-item in the place of those that are shared out.
fn alone(t: &Term) -> Term {
    if let Expr::Prim(p) = t.expr()
        && let Sort::Map(How::Global | How::WorkGroup | How::Local) = p.pattern.sort()
    {
        return Term::prim(Pattern::MapSeq, vec![], t.ty().clone()).with_origin(&t.origin());
    }
    let children: Vec<Term> = t.children().into_iter().map(alone).collect();
    if children.is_empty() { t.clone() } else { t.with_children(children) }
}

/// The positions of all patterns that ask for local memory.
pub fn local_memory(term: &Term) -> Vec<Path> {
    memory(term).into_iter().filter(|m| m.space == AddressSpace::Local).map(|m| m.at).collect()
}

/// The parts of a term that are computed outside of every function of a pattern: its low-level patterns, or, where it has
/// none, the largest parts in which the pattern does not stand.
pub fn outside(term: &Term, p: Pattern) -> Vec<Path> {
    let positions = term.positions();
    let inside = |path: &Path| {
        let mut above = std::iter::successors(Some(path.clone()), Path::parent);
        above.any(|at| {
            let parent = at.parent().and_then(|parent| term.at(&parent)?.as_app());
            parent.is_some_and(|(f, e)| f.as_pattern() == Some(p) && term.at(&at) == Some(e))
        })
    };
    let works = |t: &Term| {
        let of_functions = t.ty().as_fun().is_some_and(|(f, _)| f.as_fun().is_some());
        t.as_pattern()
            .is_some_and(|q| q != p && (q == Pattern::ToMem || of_functions && q.level() != Level::High))
    };
    let loops = positions.iter().filter(|(path, t)| works(t) && !inside(path));
    let loops: Vec<Path> = loops.map(|(path, _)| path.clone()).collect();
    if !loops.is_empty() {
        return loops;
    }
    let stands_in = |t: &Term| has(t, &|q| q == p);
    // The function of an application is a part of it that nobody sees.
    let above = |path: &Path| {
        let mut at = path.parent()?;
        while let Some(parent) = at.parent().filter(|p| term.at(p).is_some_and(|t| t.as_app().is_some()))
            && at.steps().last() == Some(&0)
        {
            at = parent;
        }
        term.at(&at)
    };
    let is_part = |path: &Path, t: &Term| {
        let parent = above(path);
        // The array that is shared out is read, not computed.
        let shared_out = parent.is_some_and(|t| t.spine().0.as_pattern() == Some(p));
        t.ty().as_fun().is_none() && !stands_in(t) && parent.is_some_and(stands_in) && !shared_out
    };
    let parts = positions.iter().filter(|(path, t)| is_part(path, t) && !inside(path));
    parts.map(|(path, _)| path.clone()).collect()
}

/// A pattern that asks for memory.
struct Asked<'a> {
    pattern: Pattern,
    space: AddressSpace,
    at: Path,
    /// What is written to the memory: values, and functions of what they return.
    written: Parts<'a>,
    /// Whether it stands in a work-group.
    in_group: bool,
}

impl Asked<'_> {
    fn is_shared_out(&self) -> bool {
        self.written.iter().any(|t| is_shared_out(t))
    }

    /// What helps, of what could.
    fn hints(&self, helps: &dyn Fn(Change) -> bool) -> Vec<String> {
        let p = self.pattern;
        if p == Pattern::ScanSeq {
            return vec![format!(
                "What `{p}` accumulates is private: compute it with `mapSeq`, or use `reduceSeq`."
            )];
        }
        use AddressSpace as A;
        let spaces = [A::Local, A::Private, A::Global].into_iter().filter(|s| *s != self.space);
        let spaces = spaces.filter(|s| *s != A::Local || self.in_group).filter(|s| helps(Change::Space(*s)));
        let spaces: Vec<String> = spaces.map(|s| format!("`{p} {}`", s.name())).collect();
        let mut ways = vec![];
        if !spaces.is_empty() {
            ways.push(format!("write {}.", spaces.join(" or ")));
        }
        if self.is_shared_out() && helps(Change::Alone) {
            ways.push(format!(
                "compute it with `mapSeq`, so that each work-item has all of it: `{p} private`."
            ));
        }
        if self.space == A::Local {
            ways.push(
                "put `mapWorkGroup` around it, and `mapLocal` within: local memory is a work-group's.".into(),
            );
        }
        if ways.is_empty() {
            ways.push(
                "compute it in a kernel of its own, with an `oclRun` around it and one around what reads it."
                    .into(),
            );
        }
        let first = ways.remove(0);
        let capital = first.chars().next().map(|c| c.to_ascii_uppercase());
        let first: String = capital.into_iter().chain(first.chars().skip(1)).collect();
        std::iter::once(first).chain(ways.into_iter().map(|way| format!("Or {way}"))).collect()
    }
}

/// Everything in the term that asks for memory, outermost first.
fn memory(term: &Term) -> Vec<Asked<'_>> {
    let positions = term.positions();
    let kernels: Vec<&Path> = positions
        .iter()
        .filter(|(_, t)| t.as_app().is_some_and(|(f, _)| f.as_pattern() == Some(Pattern::OclRun)))
        .map(|(path, _)| path)
        .collect();
    let mut found: Vec<Asked> = vec![];
    for (path, t) in &positions {
        let (head, args) = t.spine();
        let Some((prim, count)) = head.as_prim().and_then(|p| Some((p, writes(p)?))) else { continue };
        // Of an application to several arguments this is the part with the last one that is written.
        if args.len() != count {
            continue;
        }
        if !kernels.is_empty() && !kernels.iter().any(|k| path.strip_prefix(k).is_some()) {
            continue;
        }
        found.push(Asked {
            pattern: prim.pattern,
            space: space(prim),
            at: args.iter().fold(path.clone(), |at, _| at.child(0)),
            written: args,
            in_group: stands_in_group(term, path),
        });
    }
    found
}

/// How many of its first arguments a pattern writes to memory of its own.
fn writes(prim: &Prim) -> Option<usize> {
    match prim.pattern.sort() {
        _ if prim.pattern == Pattern::ToMem => Some(1),
        Sort::Buffer => Some(1),
        Sort::Scan => Some(2),
        _ if prim.pattern.is_sequential_reduce() => Some(2),
        _ => None,
    }
}

fn space(prim: &Prim) -> AddressSpace {
    let given = prim.args.iter().find_map(|a| if let Arg::Addr(a) = a { Some(*a) } else { None });
    given.unwrap_or(AddressSpace::Private)
}

/// Do work-items together write the value, or what the function returns?
fn is_shared_out(t: &Term) -> bool {
    let (head, args) = t.spine();
    let Expr::Prim(prim) = head.expr() else {
        return head.as_lam().is_some_and(|(_, body)| is_shared_out(body));
    };
    match prim.pattern.sort() {
        Sort::Map(How::Global | How::WorkGroup | How::Local) => true,
        // What memory of its own is written to is copied from there.
        Sort::Memory | Sort::Reduce(_) | Sort::Scan | Sort::Buffer => {
            prim.pattern == Pattern::Let && args.last().is_some_and(|f| is_shared_out(f))
        }
        Sort::Map(How::Open) | Sort::View(_) | Sort::Written | Sort::Lazy => {
            args.iter().any(|a| is_shared_out(a))
        }
        Sort::Map(_) => args.first().is_some_and(|f| is_shared_out(f)),
        _ => false,
    }
}

fn has(t: &Term, wanted: &dyn Fn(Pattern) -> bool) -> bool {
    t.has_leaf(&|leaf| leaf.as_pattern().is_some_and(wanted))
}

fn stands_in_group(term: &Term, path: &Path) -> bool {
    let above = std::iter::successors(path.parent(), Path::parent);
    above
        .filter_map(|at| term.at(&at)?.as_app())
        .any(|(f, e)| f.as_pattern() == Some(Pattern::MapWorkGroup) && e.ty().as_fun().is_some())
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::{Diagnostic, FileId, Subject};
    use crate::lang::infer::{self, Program};
    use crate::lang::pattern::Pattern;
    use crate::lang::syntax::parse_program;
    use crate::lang::term::Term;
    use crate::{Target, default_lowering, pipeline};

    /// The problem with a refused program, and the low-level term that it is about.
    fn problem(body: &str) -> (Diagnostic, Term) {
        let lowered = lowered(body);
        let problem = pipeline::lower(&lowered.term, &lowered.sizes, Target::OpenCl).err();
        (problem.unwrap_or_else(|| panic!("{body}")), lowered.term)
    }

    fn lowered(body: &str) -> Program {
        let text = match body.starts_with("def ") {
            true => body.to_string(),
            false => format!("def f (a: n.(m + 2).f32) = {body}"),
        };
        let (file, problems) = parse_program(FileId::NOWHERE, &text);
        assert!(problems.is_empty(), "{body}: {problems:?}");
        let program = infer::program(&file, None).0.unwrap_or_else(|| panic!("{body}"));
        default_lowering(&program).unwrap_or_else(|d| panic!("{body}: {d}"))
    }

    /// The code, the pattern at its place and the first hint of a refused program.
    fn refused(body: &str) -> Option<(&'static str, String, String)> {
        let lowered = lowered(body);
        let problem = pipeline::lower(&lowered.term, &lowered.sizes, Target::OpenCl).err()?;
        let Some(Subject::At(path)) = problem.context.as_ref().and_then(|c| c.subject.clone()) else {
            panic!("{body}: {problem} has no place");
        };
        let at = lowered.term.at(&path).and_then(|t| t.as_pattern()).map(|p| p.to_string());
        Some((problem.code, at.unwrap_or_default(), problem.hints.first().cloned().unwrap_or_default()))
    }

    /// The problem is with the part that it comes from, whatever else there is of its kind.
    #[test]
    fn of_several_like_it_the_one_part_is_told() {
        for (body, code, pattern, number) in [
            (
                "def f (c: f32) (a: n.m.f32) = a |> mapWorkGroup (\\r.
                    select (c > 0) (r |> mapLocal 1 sqrt) (r |> mapLocal 1 (\\x. x)) |> toMem local |> mapLocal 1 (\\x.
                    select (x > 0) (r |> mapLocal sqrt |> toMem local |> reduceSeq (+) 0) x))",
                "E0530",
                Pattern::Select,
                0,
            ),
            (
                "a |> mapGlobal (mapSeq sqrt) |> toMem global |> mapGlobal (mapSeq sqrt) |> toMem global |> transpose |> mapGlobal (mapSeq sqrt)",
                "E0524",
                Pattern::ToMem,
                0,
            ),
            (
                "a |> mapGlobal (mapSeq sqrt) |> toMem global |> transpose |> mapGlobal (mapSeq sqrt) |> toMem global |> mapGlobal (mapSeq sqrt)",
                "E0524",
                Pattern::ToMem,
                1,
            ),
        ] {
            let (problem, term) = problem(body);
            let Some(Subject::At(path)) = problem.context.and_then(|c| c.subject) else {
                panic!("{body}: {} has no place", problem.message);
            };
            let all: Vec<_> = term.positions().into_iter().filter(|(_, t)| t.as_pattern() == Some(pattern)).collect();
            assert_eq!((problem.code, all.iter().position(|(at, _)| *at == path)), (code, Some(number)), "{body}");
        }
    }

    #[test]
    fn hints_that_lead_to_another_problem_are_not_given() {
        // In global memory each work-item would read what others write.
        let program =
            "(toMem private (mapGlobal sqrt (join a)) |> (\\b. mapGlobal (\\x. reduceSeq (+) x b) (join a)))";
        let hint = "Compute it with `mapSeq`, so that each work-item has all of it: `toMem private`.";
        assert_eq!(refused(program), Some(("E0525", "toMem".into(), hint.into())));
        assert_eq!(refused(&program.replace("private (mapGlobal", "private (mapSeq")), None);
        // In private memory other work-items would not find it; and private it is already.
        let program =
            "toMem local (mapGlobal sqrt (join a)) |> (\\b. mapGlobal (\\x. reduceSeq (+) x b) (join a))";
        let (code, _, first) = refused(program).unwrap();
        assert_eq!((code, &*first), ("E0511", hint));
    }

    #[test]
    fn what_stands_outside_is_found() {
        let of = |body: &str| {
            let (file, problems) = parse_program(FileId::NOWHERE, &format!("def f (a b: n.f32) = {body}"));
            assert!(problems.is_empty(), "{body}");
            let term = infer::program(&file, None).0.unwrap().term;
            let found = super::outside(&term, crate::lang::pattern::Pattern::MapGlobal);
            found.iter().map(|at| format!("{:?}", term.at(at).unwrap())).collect::<Vec<_>>()
        };
        assert_eq!(of("(mapGlobal sqrt a, mapSeq abs b)"), ["mapSeq"]);
        assert_eq!(of("(mapGlobal sqrt a, map abs b)"), ["((map abs) %0)"]);
        assert_eq!(of("(mapGlobal sqrt a, b)"), ["%0"]);
        assert_eq!(of("concat (reverse b) (mapGlobal (\\x. x * 2) (map sqrt a))"), ["(reverse %0)"]);
    }

    #[test]
    fn memory_of_a_wrong_address_space_is_told_where_it_is_asked_for() {
        let buffer = "a |> mapWorkGroup (\\r. [r, r, r] |> SPACED 3 (mapLocal sqrt)
            |> iterateStream (\\w. transpose w |> mapLocal (reduceSeq (+) 0)))";
        let circular = buffer.replace("SPACED", "SPACED 3");
        for (program, pattern, wrong, code, right) in [
            (
                "a |> mapWorkGroup (\\r. SPACED (mapLocal sqrt r) |> mapLocal sqrt)",
                "toMem",
                "private",
                "E0525",
                &["local", "global"][..],
            ),
            (
                "a |> mapWorkGroup 1 (\\r. SPACED (\\x y. mapLocal 1 (\\v. v + y) x) (mapLocal 1 sqrt r) r |> mapLocal 1 sqrt)",
                "reduceSeq",
                "private",
                "E0525",
                &["local", "global"],
            ),
            (&circular, "circularBuffer", "private", "E0525", &["local", "global"]),
            (buffer, "rotateValues", "private", "E0525", &["local", "global"]),
            (
                "SPACED (mapGlobal (mapSeq sqrt) a) |> mapGlobal (mapSeq sqrt)",
                "toMem",
                "private",
                "E0525",
                &["global"],
            ),
            (
                "SPACED (mapWorkGroup (mapLocal sqrt) a) |> mapWorkGroup (mapLocal sqrt)",
                "toMem",
                "private",
                "E0525",
                &["global"],
            ),
            (
                "a |> mapGlobal (\\r. SPACED (mapSeq sqrt r) |> mapSeq sqrt)",
                "toMem",
                "local",
                "E0511",
                &["private", "global"],
            ),
            ("a |> mapGlobal (SPACED (+) 0)", "reduceSeq", "local", "E0511", &["private", "global"]),
            (
                "a |> mapGlobal (\\r. SPACED 3 (\\x. x) r |> iterateStream (reduceSeq (+) 0))",
                "rotateValues",
                "local",
                "E0511",
                &["private", "global"],
            ),
            (
                "SPACED (mapGlobal (mapSeq sqrt) a) |> mapGlobal (mapSeq sqrt)",
                "toMem",
                "local",
                "E0511",
                &["global"],
            ),
            (
                "oclRun 1 1 1 n 1 1 (a |> mapGlobal (\\r. SPACED (mapSeq sqrt r) |> mapSeq sqrt)) |> toMem |> mapSeq (mapSeq sqrt)",
                "toMem",
                "local",
                "E0511",
                &["private", "global"],
            ),
        ] {
            let with = |space: &str| program.replace("SPACED", &format!("{pattern} {space}"));
            let body = with(wrong);
            let spaces: Vec<String> = right.iter().map(|s| format!("`{pattern} {s}`")).collect();
            let hint = format!("Write {}.", spaces.join(" or "));
            assert_eq!(refused(&body), Some((code, pattern.to_string(), hint)), "{body}");
            // Doing what the hint says helps.
            for space in right {
                assert_eq!(refused(&with(space)), None, "{}", with(space));
            }
        }
    }
}
