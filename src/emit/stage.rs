//! A stage of the compilation, printed when somebody reads it.

use crate::lang::nat::Name;
use crate::lang::origin::{Line, Origin, Part};
use crate::lower::dpia::{Phrase, print};
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
            Made::Phrases(..) => &self.printed().0,
        }
    }

    /// What its lines are, and where they come from; nothing where none says it.
    pub fn lines(&self) -> &[Line] {
        match &self.made {
            Made::Text(_, lines) => lines,
            Made::Phrases(..) => &self.printed().1,
        }
    }

    /// Do its lines say where they come from?
    pub fn has_lines(&self) -> bool {
        match &self.made {
            Made::Text(_, lines) => !lines.is_empty(),
            Made::Phrases(_, origins) => !origins.is_empty(),
        }
    }

    fn printed(&self) -> &(String, Vec<Line>) {
        self.printed.get_or_init(|| {
            let (mut text, mut lines) = (String::new(), vec![]);
            let Made::Phrases(phrases, origins) = &self.made else { return (text, lines) };
            for (section, p) in phrases {
                if !text.is_empty() {
                    text.push('\n');
                    lines.push(Line::default());
                }
                if let Some(section) = section {
                    text.push_str(&format!("-- {section}\n"));
                    lines.push(Line::default());
                }
                let (more, of_phrase) = print::lines(p, origins);
                text.push_str(&more);
                lines.extend(of_phrase);
            }
            (text.trim_end().to_owned(), lines)
        })
    }
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
