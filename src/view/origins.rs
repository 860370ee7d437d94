//! Which lines of code a part of the term has become, and which parts a line comes from.

use super::text::{Line, Role};
use crate::lang::nat::Name;
use crate::lang::origin::{Line as CodeLine, Part};
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::preorder::{application, path_of};
use crate::lang::print;
use crate::lang::sort::{How, Sort};
use crate::lang::term::{Expr, Term};
use std::collections::BTreeSet;

/// What a part of a term has become.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Code {
    /// The numbers of its lines, from 0.
    pub lines: Vec<usize>,
    /// The variables of its loops.
    pub loops: Vec<String>,
    /// The names of its memory.
    pub memory: Vec<String>,
    pub barriers: usize,
    /// Does it do more than say where values are read or written?
    pub computes: bool,
}

/// The code of a part of a term.
pub fn code_of(term: &Term, lines: &[CodeLine], part: &Path) -> Code {
    let (mut code, mut stated) = (Code::default(), BTreeSet::new());
    let Some(numbers) = term.numbers_at(part) else { return code };
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| line.origin.is_in(&numbers)) {
        code.lines.push(i);
        match &line.part {
            Part::Loop(x) => code.loops.push(x.clone()),
            // What several kernels are given has its name in each.
            Part::Memory(x) if code.memory.contains(x) => {}
            Part::Memory(x) => code.memory.push(x.clone()),
            Part::Barrier => code.barriers += 1,
            Part::Statement => stated.extend(line.origin.numbers().filter(|n| numbers.contains(n))),
            Part::Around | Part::Outside => {}
        }
    }
    let mut stated = stated.into_iter().filter_map(|n| kind(term, n));
    code.computes = !code.loops.is_empty()
        || !code.memory.is_empty()
        || code.barriers > 0
        || stated.any(|kind| kind == Kind::Computes);
    code
}

impl Code {
    /// The code in a sentence.
    pub fn line(&self) -> Line {
        if self.lines.is_empty() {
            return Line::of(Role::Dim, "No line of the code comes from the selection.");
        }
        let word = if self.lines.len() == 1 { "line" } else { "lines" };
        let lines = format!("{word} {}", some_of(&ranges(&self.lines)));
        if !self.computes {
            return Line::of(Role::Dim, format!("The selection only says where values are, in {lines}."));
        }
        let mut line = Line::of(Role::Title, format!("The selection is {lines}"));
        let mut parts: Vec<(Role, String)> = vec![];
        match self.loops.as_slice() {
            [] => {}
            [x] => parts.push((Role::Keyword, format!("loop {x}"))),
            all => parts.push((Role::Keyword, format!("{} loops {}", all.len(), some_of(all)))),
        }
        if !self.memory.is_empty() {
            parts.push((Role::PatternLow, format!("memory {}", some_of(&self.memory))));
        }
        match self.barriers {
            0 => {}
            1 => parts.push((Role::PatternOpencl, "1 barrier".into())),
            n => parts.push((Role::PatternOpencl, format!("{n} barriers"))),
        }
        for (i, (role, text)) in parts.into_iter().enumerate() {
            line.push(Role::Dim, if i == 0 { ": " } else { "; " });
            line.push(role, text);
        }
        line
    }
}

/// More names than this are not listed.
const NAMES: usize = 6;

fn some_of(names: &[String]) -> String {
    match names.get(..NAMES) {
        Some(first) if names.len() > NAMES => {
            format!("{} and {} more", first.join(", "), names.len() - NAMES)
        }
        _ => names.join(", "),
    }
}

/// `3-5, 8`, of lines counted from 0.
fn ranges(lines: &[usize]) -> Vec<String> {
    let mut runs: Vec<(usize, usize)> = vec![];
    for line in lines.iter().map(|i| i + 1) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => runs.push((line, line)),
        }
    }
    let one = |(first, last): (usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    runs.into_iter().map(one).collect()
}

/// What a leaf of a term does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Computes,
    /// Says where values lie.
    Places,
    /// A name or a literal.
    Value,
}

/// What the leaf of this number does.
fn kind(term: &Term, number: u32) -> Option<Kind> {
    let at = path_of(term, number)?;
    Some(kind_of(term.at(&at)?, term, &at))
}

/// What the leaf at a position of a term does.
fn kind_of(leaf: &Term, term: &Term, at: &Path) -> Kind {
    match leaf.expr() {
        Expr::Prim(_) if only_places(leaf, term, at) => Kind::Places,
        Expr::Prim(_) => Kind::Computes,
        _ => Kind::Value,
    }
}

/// The leaves with some numbers, in their order. A line may come from all of a large term: it is gone through once.
fn leaves(term: &Term, mut numbers: impl Iterator<Item = u32>) -> Vec<(Kind, Path)> {
    let mut out = vec![];
    let Some(mut wanted) = numbers.next() else { return out };
    let mut todo = vec![(term, 0u32, Path::root())];
    while let Some((t, number, at)) = todo.pop() {
        if wanted >= number.saturating_add(t.size()) {
            continue;
        }
        if wanted == number {
            out.push((kind_of(t, term, &at), at.clone()));
            match numbers.next() {
                Some(next) => wanted = next,
                None => return out,
            }
        }
        let mut next = number.saturating_add(1);
        let first = todo.len();
        for (i, child) in (0..).zip(t.children()) {
            todo.push((child, next, at.child(i)));
            next = next.saturating_add(child.size());
        }
        todo[first..].reverse();
    }
    out
}

/// Does the pattern say where values lie, or is it a `map` of such patterns that has no order of its own?
fn only_places(leaf: &Term, term: &Term, at: &Path) -> bool {
    fn moves(f: &Term) -> bool {
        match f.as_pattern().map(Pattern::sort) {
            Some(sort) => matches!(sort, Sort::View(_) | Sort::Map(How::Open)),
            None => f.children().into_iter().all(moves),
        }
    }
    match leaf.as_pattern().map(Pattern::sort) {
        Some(Sort::View(_)) => true,
        Some(Sort::Map(How::Open)) => {
            at.parent().and_then(|above| term.at(&above)?.as_app()).is_some_and(|(_, f)| moves(f))
        }
        _ => false,
    }
}

/// What a line comes from.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Source {
    /// Patterns that compute something; where there are none, those that say where values are, and where there are none of these
    /// either, names and literals.
    leaves: Vec<Path>,
    /// How many more there are that only say where the values are which the line reads and writes.
    pub more: usize,
}

/// The parts of the term that a line comes from.
pub fn source_of(term: &Term, line: &CodeLine) -> Source {
    let found = leaves(term, line.origin.numbers());
    let first = found.iter().map(|(kind, _)| *kind).min();
    let of = |wanted: Kind| found.iter().filter(move |(kind, _)| *kind == wanted);
    let more = if first == Some(Kind::Computes) { of(Kind::Places).count() } else { 0 };
    Source { leaves: first.into_iter().flat_map(of).map(|(_, path)| path.clone()).collect(), more }
}

impl Source {
    /// The largest applications of its patterns.
    pub fn parts(&self, term: &Term) -> impl Iterator<Item = Path> {
        self.leaves.iter().map(|leaf| application(term, leaf.clone()))
    }

    /// What is not listed when so many parts are.
    pub fn unlisted(&self, listed: usize) -> Option<String> {
        let places = match self.more {
            0 => None,
            1 => Some("1 that says where".to_owned()),
            more => Some(format!("{more} that say where")),
        };
        let parts = match self.leaves.len().saturating_sub(listed) {
            0 => None,
            parts => Some(format!("{parts} more")),
        };
        let all: Vec<String> = parts.into_iter().chain(places).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}

/// The pattern of a part of the term, if it is the application of one.
pub fn pattern_at(term: &Term, at: &Path) -> Option<String> {
    term.at(at)?.as_pattern_app().map(|(p, _)| p.pattern.to_string())
}

/// The pattern of a part of the term, or its text where it is no application of one, and its position.
fn named(term: &Term, at: &Path) -> String {
    format!("{} at {at}", pattern_at(term, at).unwrap_or_else(|| text_at(term, at, TEXT)))
}

/// Of texts so many characters are shown.
const TEXT: usize = 60;

/// The text of a part of the term, on one line.
pub fn text_at(term: &Term, at: &Path, characters: usize) -> String {
    let free: Vec<Name> = term.binders_at(at).into_iter().rev().map(|(name, _)| name).collect();
    term.at(at).map(|t| print::short(t, &free, characters)).unwrap_or_default()
}

/// How many parts are named of a line.
pub const PARTS: usize = 3;

/// The code with a comment behind each line that says which parts of the term it comes from; `mark` begins comments.
pub fn explained(term: &Term, text: &str, lines: &[CodeLine], mark: &str) -> String {
    let widest = text.lines().map(|l| l.chars().count()).filter(|n| *n <= WIDE).max().unwrap_or(0);
    let mut out = String::new();
    for (code, line) in text.lines().zip(lines) {
        out.push_str(code);
        if !line.origin.is_none() && line.part != Part::Around {
            let source = source_of(term, line);
            let mut said: Vec<String> = source.parts(term).take(PARTS).map(|at| named(term, &at)).collect();
            said.extend(source.unlisted(PARTS));
            let text = source.parts(term).next().map(|at| text_at(term, &at, TEXT)).unwrap_or_default();
            let gap = widest.saturating_sub(code.chars().count());
            out.push_str(&format!("{}  {mark} {}: {text}", " ".repeat(gap), said.join(", ")));
        }
        out.push('\n');
    }
    out
}

/// Comments are not aligned behind lines that are longer.
const WIDE: usize = 80;
