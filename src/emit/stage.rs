//! A stage of the compilation, printed when somebody reads it.

use crate::lang::nat::Name;
use crate::lang::origin::{Line, Origin, Part};
use crate::lang::print;
use crate::lang::term::Term;
use crate::lower::access::Annotated;
use crate::lower::dpia::{self, Phrase};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Where loops and memory come from, by their names.
pub type Origins = Arc<BTreeMap<Name, Origin>>;

#[derive(Clone, Debug)]
pub struct Stage {
    pub name: &'static str,
    made: Made,
    printed: OnceLock<(String, Vec<Line>)>,
}

#[derive(Clone, Debug)]
enum Made {
    Text(String, Vec<Line>),
    /// A program's term, with its name and its sizes.
    Program(String, Vec<Name>, Term),
    /// A term, with the accesses of its parts.
    Accesses(Term, Annotated),
    /// DPIA: of a program in several sections what was made of each, with its name.
    Phrases(Vec<(Option<String>, Phrase)>, Origins),
}

impl Stage {
    /// Text whose lines say this; none where they say nothing of where they come from.
    pub fn of_text(name: &'static str, text: String, lines: Vec<Line>) -> Stage {
        Stage { name, made: Made::Text(text, lines), printed: OnceLock::new() }
    }

    pub fn of_phrase(name: &'static str, section: Option<&str>, p: &Phrase) -> Stage {
        let phrases = vec![(section.map(str::to_owned), p.clone())];
        Stage { name, made: Made::Phrases(phrases, Origins::default()), printed: OnceLock::new() }
    }

    pub fn of_program(name: &'static str, program: &str, sizes: &[Name], term: &Term) -> Stage {
        let made = Made::Program(program.to_owned(), sizes.to_vec(), term.clone());
        Stage { name, made, printed: OnceLock::new() }
    }

    pub fn of_accesses(name: &'static str, term: &Term, annotated: &Annotated) -> Stage {
        Stage { name, made: Made::Accesses(term.clone(), annotated.clone()), printed: OnceLock::new() }
    }

    /// Adds what the stage made of another section.
    pub fn add(&mut self, section: Option<&str>, p: &Phrase) {
        if let Made::Phrases(phrases, _) = &mut self.made {
            phrases.push((section.map(str::to_owned), p.clone()));
        }
    }

    /// Knows from now on where loops and memory come from.
    pub fn come_from(&mut self, all: &Origins) {
        if let Made::Phrases(_, origins) = &mut self.made {
            *origins = all.clone();
        }
    }

    pub fn text(&self) -> &str {
        match &self.made {
            Made::Text(text, _) => text,
            _ => &self.printed().0,
        }
    }

    /// What its lines are, and where they come from; nothing where none says it.
    pub fn lines(&self) -> &[Line] {
        match &self.made {
            Made::Text(_, lines) => lines,
            _ => &self.printed().1,
        }
    }

    /// The commands of its sections, where it is one of imperative programs.
    pub fn phrases(&self) -> &[(Option<String>, Phrase)] {
        if let Made::Phrases(phrases, _) = &self.made { phrases } else { &[] }
    }

    /// Do its lines say where they come from?
    pub fn has_lines(&self) -> bool {
        match &self.made {
            Made::Text(_, lines) => !lines.is_empty(),
            Made::Program(..) | Made::Accesses(..) => false,
            Made::Phrases(_, origins) => !origins.is_empty(),
        }
    }

    fn printed(&self) -> &(String, Vec<Line>) {
        self.printed.get_or_init(|| {
            let (mut text, mut lines) = (String::new(), vec![]);
            let (phrases, origins) = match &self.made {
                Made::Phrases(phrases, origins) => (phrases, origins),
                Made::Accesses(term, annotated) => return (accesses(term, annotated), lines),
                Made::Program(name, sizes, term) => {
                    return (print::program(name, sizes, term, &print::Options::default()).text, lines);
                }
                Made::Text(..) => return (text, lines),
            };
            for (section, p) in phrases {
                if !text.is_empty() {
                    text.push('\n');
                    lines.push(Line::default());
                }
                if let Some(section) = section {
                    text.push_str(&format!("-- {section}\n"));
                    lines.push(Line::default());
                }
                let (more, of_phrase) = dpia::print::lines(p, origins);
                text.push_str(&more);
                lines.extend(of_phrase);
            }
            (text.trim_end().to_owned(), lines)
        })
    }
}

/// Each part of the term that is data, with its access.
fn accesses(term: &Term, annotated: &Annotated) -> String {
    fn go(t: &Term, a: &Annotated, free: &mut Vec<Name>, depth: usize, out: &mut String) {
        use std::fmt::Write;
        let (head, args) = t.spine();
        if head.as_lam().is_none() || !args.is_empty() {
            let line = print::short(t, &free.iter().rev().cloned().collect::<Vec<_>>(), 70);
            let _ = writeln!(out, "{}{line} : {}", "  ".repeat(depth), a.accesses);
        }
        let mut at = a;
        let mut arguments = vec![];
        for e in args.iter().rev() {
            if let [f, x] = at.children.as_slice() {
                arguments.push((*e, x));
                at = f;
            }
        }
        if let (Some((name, body)), [inner]) = (head.as_lam(), at.children.as_slice()) {
            free.push(name.clone());
            go(body, inner, free, depth, out);
            free.pop();
        }
        for (e, x) in arguments.into_iter().rev() {
            go(e, x, free, depth + 1, out);
        }
    }
    let mut out = String::new();
    go(term, annotated, &mut vec![], 0, &mut out);
    out
}

/// Of text that names kernels, buffers and the like: each line comes from what it names.
pub fn lines_by_name(text: &str, names: &BTreeMap<String, (Part, Origin)>) -> Vec<Line> {
    let is_of_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let line = |text: &str| {
        let named = text.split(|c| !is_of_name(c)).filter_map(|word| names.get(word));
        named.fold(Line::default(), |line, (part, origin)| Line {
            part: if line.part == Part::Outside { part.clone() } else { line.part },
            origin: line.origin.with(origin),
        })
    };
    let lines: Vec<Line> = text.lines().map(line).collect();
    if lines.iter().all(|line| line.origin.is_none()) { vec![] } else { lines }
}
