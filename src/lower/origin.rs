//! Which part of a term a problem of its code comes from.
//!
//! Passes see memory, loops and choices, not the patterns that they come from. Where one of them finds memory of which the
//! address space is wrong, the first pattern of the term that asks for such memory is its place, and what to write there the
//! hint.

use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::path::Path;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::sort::{How, Sort};
use crate::lang::term::{Arg, Expr, Prim, Term};

/// Names the place of the problem, and what can be done there, where the term tells it.
pub fn placed(problem: Diagnostic, term: &Term) -> Diagnostic {
    let found = match problem.code {
        "E0511" => memory(term).into_iter().find(|m| m.space == AddressSpace::Local && !m.has_group),
        "E0525" => memory(term).into_iter().find(|m| m.space == AddressSpace::Private && m.is_shared_out()),
        "E0530" => {
            let decides = problem.message.contains(" decides");
            return match shared_choice(term).filter(|_| decides) {
                Some(at) => problem.about(Subject::At(at)),
                None => problem,
            };
        }
        _ => return problem,
    };
    let Some(found) = found else { return problem };
    let mut problem = problem.about(Subject::At(found.at.clone()));
    problem.hints = found.hints();
    problem
}

/// The positions of all patterns that ask for local memory.
pub fn local_memory(term: &Term) -> Vec<Path> {
    memory(term).into_iter().filter(|m| m.space == AddressSpace::Local).map(|m| m.at).collect()
}

/// The choice between values of which work-items together compute one, where there is one alone.
fn shared_choice(term: &Term) -> Option<Path> {
    let is_it = |t: &Term| match t.spine() {
        (head, args) if head.as_pattern() == Some(Pattern::Select) && args.len() == 3 => {
            args[1..].iter().any(|a| has(a, &|p| p == Pattern::MapLocal))
        }
        _ => false,
    };
    let positions = term.positions();
    let mut found = positions.iter().filter(|(_, t)| is_it(t));
    let (at, _) = found.next().filter(|_| found.next().is_none())?;
    Some(at.child(0).child(0).child(0))
}

/// A pattern that asks for memory.
struct Asked<'a> {
    pattern: Pattern,
    space: AddressSpace,
    at: Path,
    /// What is written to the memory: values, and functions of what they return.
    written: Vec<&'a Term>,
    /// Whether its kernel has work-groups, and whether it stands in one.
    has_group: bool,
    in_group: bool,
}

impl Asked<'_> {
    fn is_shared_out(&self) -> bool {
        self.written.iter().any(|t| is_shared_out(t))
    }

    fn hints(&self) -> Vec<String> {
        let p = self.pattern;
        if p == Pattern::ScanSeq {
            return vec![format!(
                "What `{p}` accumulates is private: compute it with `mapSeq`, or use `reduceSeq`."
            )];
        }
        let of_groups = |t: &&Term| has(t, &|p| p == Pattern::MapWorkGroup);
        let mut spaces = vec![];
        if self.in_group && !self.written.iter().any(of_groups) {
            spaces.push(format!("`{p} local`"));
        }
        if !self.is_shared_out() {
            spaces.push(format!("`{p} private`"));
        }
        spaces.push(format!("`{p} global`"));
        let mut hints = vec![format!("Write {}.", spaces.join(" or "))];
        if self.space == AddressSpace::Local {
            hints.push(
                "Or put `mapWorkGroup` around it, and `mapLocal` within: local memory is a work-group's."
                    .into(),
            );
        }
        hints
    }
}

/// Everything in the term that asks for memory, outermost first.
fn memory(term: &Term) -> Vec<Asked<'_>> {
    let positions = term.positions();
    let kernels: Vec<(&Path, &Term)> = positions
        .iter()
        .filter(|(_, t)| t.as_app().is_some_and(|(f, _)| f.as_pattern() == Some(Pattern::OclRun)))
        .map(|(path, t)| (path, *t))
        .collect();
    let mut found: Vec<Asked> = vec![];
    for (path, t) in &positions {
        let (head, args) = t.spine();
        let Some((prim, count)) = head.as_prim().and_then(|p| Some((p, writes(p)?))) else { continue };
        // Of an application to several arguments this is the part with the last one that is written.
        if args.len() != count {
            continue;
        }
        let kernel = kernels.iter().find(|(k, _)| path.strip_prefix(k).is_some());
        if !kernels.is_empty() && kernel.is_none() {
            continue;
        }
        let kernel = kernel.map_or(term, |(_, k)| *k);
        found.push(Asked {
            pattern: prim.pattern,
            space: space(prim),
            at: args.iter().fold(path.clone(), |at, _| at.child(0)),
            written: args,
            has_group: has(kernel, &|p| matches!(p, Pattern::MapWorkGroup | Pattern::MapLocal)),
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
        Sort::Reduce(How::Sequential | How::Unrolled) => Some(2),
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
    t.as_pattern().is_some_and(wanted) || t.children().into_iter().any(|c| has(c, wanted))
}

fn stands_in_group(term: &Term, path: &Path) -> bool {
    let above = std::iter::successors(path.parent(), Path::parent);
    above
        .filter_map(|at| term.at(&at)?.as_app())
        .any(|(f, e)| f.as_pattern() == Some(Pattern::MapWorkGroup) && e.ty().as_fun().is_some())
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::{FileId, Subject};
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::lower::{Target, default_lowering, pipeline};

    /// The code, the pattern at its place and the first hint of a refused program.
    fn refused(body: &str) -> Option<(&'static str, String, String)> {
        let (file, problems) = parse_program(FileId::NOWHERE, &format!("def f (a: n.(m + 2).f32) = {body}"));
        assert!(problems.is_empty(), "{body}: {problems:?}");
        let program = infer::program(&file, None).0.unwrap_or_else(|| panic!("{body}"));
        let lowered = default_lowering(&program).unwrap_or_else(|d| panic!("{body}: {d}"));
        let problem = pipeline::lower(&lowered.term, &program.sizes, Target::OpenCl).err()?;
        let Some(Subject::At(path)) = problem.context.as_ref().and_then(|c| c.subject.clone()) else {
            panic!("{body}: {problem} has no place");
        };
        let at = lowered.term.at(&path).and_then(|t| t.as_pattern()).map(|p| p.to_string());
        Some((problem.code, at.unwrap_or_default(), problem.hints.first().cloned().unwrap_or_default()))
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
