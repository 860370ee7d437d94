//! Goals that ask for more loops within each other than a program has, and do not say over how many elements: of a program with
//! one loop `containsMapPar(?, containsMap(?, ?))` asks for that loop in two parts. All sizes will do, so that no rule is told by
//! what to split; with sizes that fit such a goal is one like others.

use super::nest::{Loop, LoopSketch, Nest, applied};
use crate::lang::nat::Nat;
use crate::sketch::Sketch;
use crate::sketch::holes::hole;

/// Ways to say which loops of the goal are parts of which of the program that are looked at, and that are taken.
const MOST_LOOKED_AT: usize = 1_000;
const MOST_TAKEN: usize = 4;

/// The goal with sizes for its loops, and holes where a loop of the program may have parts of several sizes: those that
/// split least first. None where the program has as many loops as are asked for.
pub(super) fn sized(goal: &Sketch, programs: &[Vec<Loop>]) -> Vec<Sketch> {
    let nest = Nest::read(&applied(goal));
    let (spine, _) = nest.spine();
    let is_open = spine.iter().any(|l| l.size().is_none());
    if !is_open || programs.iter().any(|program| has(program, &spine)) {
        return vec![];
    }
    let mut ways: Vec<(&Vec<Loop>, Vec<usize>)> = vec![];
    for program in programs {
        parts_of(program, &spine, &mut vec![], &mut |of| ways.push((program, of.to_vec())), &mut 0);
    }
    // Which loops of the program are asked for at all, and the first of them in parts.
    ways.sort_by_key(|(program, of)| {
        let used = (0..program.len()).filter(|p| of.contains(p)).count();
        (spine.len() - used, program.len() - used, of.clone())
    });
    let mut out: Vec<Sketch> = vec![];
    for (program, of) in ways {
        let sized = with_sizes(program, &spine, &of).map(|loops| nest.with_spine(&loops).sketch());
        out.extend(sized.filter(|goal| !out.contains(goal)));
    }
    out.truncate(MOST_TAKEN);
    out
}

/// May this be that loop of the program, whole?
fn is_whole(l: &LoopSketch, of: &Loop) -> bool {
    l.pattern.is_reduce() == of.reduces && l.size().is_none_or(|n| *n == of.size)
}

/// Has the program these loops within each other, with others between them or not?
fn has(program: &[Loop], spine: &[LoopSketch]) -> bool {
    let mut left = program.iter();
    spine.iter().all(|l| left.any(|of| is_whole(l, of)))
}

/// Calls `f` with all ways to say which loop of the program each of these is a part of, in the order of both.
fn parts_of(
    program: &[Loop],
    spine: &[LoopSketch],
    of: &mut Vec<usize>,
    f: &mut dyn FnMut(&[usize]),
    looked_at: &mut usize,
) {
    *looked_at += 1;
    if *looked_at > MOST_LOOKED_AT {
        return;
    }
    let Some(l) = spine.get(of.len()) else { return f(of) };
    for p in of.last().copied().unwrap_or(0)..program.len() {
        if program[p].reduces == l.pattern.is_reduce() {
            of.push(p);
            parts_of(program, spine, of, f, looked_at);
            of.pop();
        }
    }
}

/// The loops with sizes of which those of one loop of the program make its size, where that is possible: the outermost that says
/// nothing of its size goes over what the others leave.
fn with_sizes(program: &[Loop], spine: &[LoopSketch], of: &[usize]) -> Option<Vec<LoopSketch>> {
    let mut loops = spine.to_vec();
    for (p, whole) in program.iter().enumerate() {
        let parts: Vec<usize> = (0..of.len()).filter(|i| of[*i] == p).collect();
        let mut open = parts.iter().copied().filter(|i| spine[*i].size().is_none());
        let outermost = open.next();
        for i in open {
            loops[i] = loops[i].over(hole(&format!("part{i}")));
        }
        let said = parts.iter().filter_map(|i| loops[*i].size());
        let product = said.fold(Nat::constant(1), |all, n| all.mul(n));
        match outermost {
            Some(i) => {
                let rest = whole.size.exact_div(&product);
                if parts.len() > 1 && rest.as_constant() == Some(1) {
                    return None;
                }
                loops[i] = loops[i].over(rest);
            }
            None if parts.is_empty() || product == whole.size => {}
            None => return None,
        }
    }
    Some(loops)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::syntax::parse_sketch;
    use crate::sketch::{Library, read};

    /// The goals with sizes for a program of maps over these sizes.
    fn goals(text: &str, sizes: &[&str]) -> Vec<String> {
        let (tree, problems) = parse_sketch(FileId::NOWHERE, text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        let goal = read(&tree, &Library::builtin(), &["m".into(), "n".into()]).unwrap();
        let program = sizes.iter().map(|n| Loop { reduces: false, size: Nat::var(n) }).collect();
        sized(&goal, &[program]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn loops_without_sizes_are_parts_of_those_of_the_program() {
        let of = |text: &str| goals(text, &["n"]);
        assert_eq!(of("containsMapPar(?, containsMap(?, ?))").len(), 1);
        // As many as the program has need no sizes, and where all are said there is nothing to say.
        assert!(of("containsMapPar(?, ?)").is_empty());
        assert!(of("containsMap(n/8, containsMap(8, ?))").is_empty());
        assert_eq!(goals("containsMap(?, containsMap(?, ?))", &["m", "n"]), Vec::<String>::new());
        // One of two is split, then one of them twice and the other left out: the outer one first.
        assert_eq!(goals("containsMap(?, containsMap(?, containsMap(?, ?)))", &["m", "n"]).len(), 4);
        // A sum is no part of a map.
        assert!(of("containsMap(?, containsReduceSeq(?, ?))").is_empty());
    }
}
