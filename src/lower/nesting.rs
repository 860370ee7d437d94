//! Do the maps over work-items stand in each other as they can be shared out? Work-groups are shared out first, then the
//! work-items of each, every dimension once.

use crate::lang::diag::{Diagnostic, Subject};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::sort::{How, Sort};
use crate::lang::term::{Arg, Prim, Term};
use crate::target::Launch;

/// A map over work-items, and its dimension.
type Shared = (Pattern, u8);

/// # Errors
/// The first map that stands in a wrong place, with its position.
pub fn check(t: &Term) -> Result<(), Diagnostic> {
    Walk::default().term(t, &Path::root())
}

#[derive(Default)]
struct Walk {
    /// Outermost first.
    around: Vec<Shared>,
    /// The first of those that the kernel uses.
    first: Option<Pattern>,
    /// Is it a kernel of one group, which has nothing to share out to others?
    is_one_group: bool,
}

impl Walk {
    fn term(&mut self, t: &Term, at: &Path) -> Result<(), Diagnostic> {
        let (head, args) = t.spine();
        let depth = |up: usize| (0..up).fold(at.clone(), |p, _| p.child(0));
        let Some(prim) = head.as_prim() else {
            for (i, c) in t.children().into_iter().enumerate() {
                self.term(c, &at.child(i as u8))?;
            }
            return Ok(());
        };
        if prim.pattern == Pattern::OclRun {
            let launch = Launch::of(&prim.args);
            let is_one_group = launch.is_some_and(|l| l.local == l.global);
            let kernel = std::mem::replace(self, Walk { is_one_group, ..Walk::default() });
            let inner = self.arguments(&args, &depth);
            *self = kernel;
            return inner;
        }
        let Some(map) = shared(prim) else { return self.arguments(&args, &depth) };
        self.enters(map).map_err(|d| {
            let at = depth(args.len());
            d.note(format!("It stands at position {at} of the program.")).about(Subject::At(at))
        })?;
        if let [f, rest @ ..] = args.as_slice() {
            self.around.push(map);
            let inner = self.term(f, &depth(rest.len()).child(1));
            self.around.pop();
            inner?;
            self.arguments(rest, &depth)?;
        }
        Ok(())
    }

    /// The last arguments of an application.
    fn arguments(&mut self, args: &[&Term], depth: &dyn Fn(usize) -> Path) -> Result<(), Diagnostic> {
        let all = args.iter().rev().enumerate();
        all.into_iter().try_for_each(|(i, e)| self.term(e, &depth(i).child(1)))
    }

    fn enters(&mut self, (map, d): Shared) -> Result<(), Diagnostic> {
        let is_of_groups = |p: Pattern| p != Pattern::MapGlobal;
        let first = *self.first.get_or_insert(map);
        if is_of_groups(first) != is_of_groups(map) {
            let reduces = [first, map].iter().any(|p| p.is_reduce());
            return Err(Diagnostic::error("E0529", format!("`{map}` and `{first}` stand in one kernel."))
                .note("`mapGlobal` shares out work among all work-items; `mapWorkGroup` among groups, and `mapLocal` among the work-items of each.")
                .hint(if reduces {
                    "Use `mapWorkGroup` in place of `mapGlobal`, or `reduceSeq` in place of `reduceLocal`."
                } else {
                    "Use `mapWorkGroup` and `mapLocal` for both, `mapGlobal` for both, or two kernels."
                }));
        }
        let is_again = |(p, e): &&Shared| *e == d && (*p == map || p.is_local() && map.is_local());
        if let Some((outer, _)) = self.around.iter().find(is_again) {
            let (sequential, where_all_meet) = match map.is_reduce() {
                true => (Pattern::ReduceSeq, " where no condition decides which work-items reduce"),
                false => (Pattern::MapSeq, ""),
            };
            let is_taken = |e: u8| self.around.iter().any(|(p, d)| *d == e && p.is_local() == map.is_local());
            let free: Vec<String> = (0..3).filter(|e| !is_taken(*e)).map(|e| e.to_string()).collect();
            let hint = match free.as_slice() {
                [] => format!("Use `{sequential}` for the inner one."),
                _ => format!(
                    "Use `{sequential}` for the inner one, or dimension {}{where_all_meet}.",
                    free.join(" or ")
                ),
            };
            return Err(Diagnostic::error("E0522", format!("`{map}({d})` stands within `{outer}({d})`."))
                .note("The work-items of a dimension can be shared out once only.")
                .hint(hint));
        }
        let is_of_group = |p: Pattern| p == Pattern::MapWorkGroup;
        match map {
            _ if map.is_local()
                && !self.is_one_group
                && !self.around.iter().any(|(p, _)| is_of_group(*p)) =>
            {
                Err(Diagnostic::error("E0528", format!("`{map}({d})` stands outside `mapWorkGroup`."))
                    .note("It shares out work among the work-items of a work-group, and there is none.")
                    .hint(if map.is_reduce() {
                        "Put `mapWorkGroup` around it, which gives each group an array to reduce, or use `reduceSeq`."
                    } else {
                        "Put `mapWorkGroup` around it, or use `mapGlobal`."
                    }))
            }
            _ if is_of_group(map)
                && let Some((inner, e)) = self.around.iter().find(|(p, _)| p.is_local()) =>
            {
                Err(Diagnostic::error("E0528", format!("`{map}({d})` stands within `{inner}({e})`."))
                    .note("A work-item is in one work-group, so it has none to share out work to.")
                    .hint("Put `mapLocal` into `mapWorkGroup`."))
            }
            _ => Ok(()),
        }
    }
}

fn shared(prim: &Prim) -> Option<Shared> {
    let d = prim.args.iter().find_map(|a| if let Arg::Dim(d) = a { Some(*d) } else { None }).unwrap_or(0);
    match prim.pattern.sort() {
        Sort::Map(How::Global | How::WorkGroup | How::Local) | Sort::Reduce(How::Local) => {
            Some((prim.pattern, d))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;

    fn refusal(body: &str) -> Option<Diagnostic> {
        let (file, problems) = parse_program(FileId::NOWHERE, &format!("def f (a: n.m.k.f32) = {body}"));
        assert!(problems.is_empty(), "{body}");
        check(&infer::program(&file, None).0.unwrap().term).err()
    }

    fn refused(body: &str) -> Option<(&'static str, String)> {
        refusal(body).map(|d| (d.code, d.message))
    }

    #[test]
    fn no_dimension_that_is_taken_is_recommended() {
        for (body, hint) in [
            (
                "mapWorkGroup (mapLocal (mapLocal sqrt)) a",
                "Use `mapSeq` for the inner one, or dimension 1 or 2.",
            ),
            (
                "mapWorkGroup (mapLocal 1 (\\x. mapLocal 1 (\\y. y + reduceLocal 4 1 (+) 0 x) x)) a",
                "Use `mapSeq` for the inner one, or dimension 0 or 2.",
            ),
            (
                "mapWorkGroup (mapLocal 1 (\\x. reduceLocal 4 1 (+) 0 x)) a",
                "Use `reduceSeq` for the inner one, or dimension 0 or 2 where no condition decides which work-items reduce.",
            ),
        ] {
            assert_eq!(refusal(body).unwrap_or_else(|| panic!("{body}")).hints, [hint], "{body}");
        }
    }

    #[test]
    fn groups_are_around_work_items_and_dimensions_are_used_once() {
        assert_eq!(refused("mapWorkGroup 0 (mapWorkGroup 1 (mapLocal 0 sqrt)) a"), None);
        assert_eq!(refused("mapWorkGroup 1 (mapLocal 1 (mapLocal 0 sqrt)) a"), None);
        // One after the other is no nesting.
        let twice = "mapWorkGroup (\\x. mapSeq sqrt (toMem local (mapLocal sqrt (join x)))) a";
        assert_eq!(refused(twice), None);
        // One group has all of it.
        assert_eq!(refused("oclRun 8 1 1 8 1 1 (mapLocal (mapSeq (mapSeq sqrt)) a)"), None);
        for (body, code, first) in [
            ("mapSeq (mapLocal (mapSeq sqrt)) a", "E0528", "`mapLocal(0)` stands outside"),
            (
                "oclRun 8 1 1 16 1 1 (mapLocal (mapSeq (mapSeq sqrt)) a)",
                "E0528",
                "`mapLocal(0)` stands outside",
            ),
            ("mapWorkGroup (mapLocal 2 (mapWorkGroup 1 sqrt)) a", "E0528", "`mapWorkGroup(1)` stands within"),
            ("mapWorkGroup (mapLocal (mapLocal sqrt)) a", "E0522", "`mapLocal(0)` stands within"),
            ("mapWorkGroup 1 (mapWorkGroup 1 (mapSeq sqrt)) a", "E0522", "`mapWorkGroup(1)` stands within"),
            ("mapWorkGroup (mapGlobal 1 (mapSeq sqrt)) a", "E0529", "`mapGlobal` and `mapWorkGroup`"),
            ("mapWorkGroup (\\x. x) (toMem global (mapGlobal (mapSeq (mapSeq sqrt)) a))", "E0529", "`map"),
        ] {
            let (found, message) = refused(body).unwrap_or_else(|| panic!("{body}"));
            assert!(found == code && message.starts_with(first), "{body}: {message}");
        }
    }
}
