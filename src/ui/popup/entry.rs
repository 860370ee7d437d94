//! A text to type: a strategy, a search, sizes, a name, something to find.

use ratatui_textarea::{CursorMove, TextArea};

use crate::session::workspace::Workspace;
use crate::ui::command::Command;
use crate::view::Line;

/// What is typed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EntryKind {
    /// A strategy in ELEVATE.
    Strategy,
    /// A strategy to take rewrite by rewrite.
    Step,
    /// `reach SKETCH using RULES`.
    Sketch,
    /// A rule with its arguments.
    Rule,
    /// `m=1024 n=512`.
    Sizes,
    /// `image=photo.png weights=w.npy`.
    Data,
    /// `30s blocking(?, ?, ?)`.
    Tune,
    /// `10 reach SKETCH using RULES`.
    Best,
    /// `k=1024..65536`.
    Sweep,
    /// A folder for generated code.
    Dispatch,
    /// The name of the session.
    Save,
    /// A file for the page of the session.
    Export,
    /// Text to find in a pane.
    Find,
}

impl EntryKind {
    /// The heading of the popup.
    pub fn title(self) -> &'static str {
        match self {
            EntryKind::Strategy => "Strategy",
            EntryKind::Step => "Step by step",
            EntryKind::Sketch => "Search",
            EntryKind::Rule => "Rule",
            EntryKind::Sizes => "Sizes",
            EntryKind::Data => "Run on data from files",
            EntryKind::Tune => "Tune for how long, and what (nothing is `auto`)",
            EntryKind::Best => "Measure how many of which search, on the whole program",
            EntryKind::Sweep => "Measure both at which sizes",
            EntryKind::Dispatch => "Write the function that chooses into which folder",
            EntryKind::Save => "Save as",
            EntryKind::Export => "Write the page of the session to which file",
            EntryKind::Find => "Find",
        }
    }

    /// An example, shown while nothing is typed; of what has names of the program, with its own.
    pub fn example(self, workspace: &Workspace) -> String {
        let sizes: Vec<&str> = workspace.program.sizes.iter().map(|size| &**size).collect();
        let text = match self {
            EntryKind::Strategy | EntryKind::Step => "topDown(reduceMapFusion) ; normalize(betaReduction)",
            EntryKind::Sketch => {
                "reach containsMap(32, containsReduceSeq(?, ?)) using { splitJoin(32), useReduceSeq }"
            }
            EntryKind::Rule => "splitJoin(32)",
            EntryKind::Sizes if !sizes.is_empty() => {
                return sizes.iter().map(|size| format!("{size}=1024")).collect::<Vec<_>>().join(" ");
            }
            EntryKind::Sizes => "nothing, as all sizes of the program are fixed",
            EntryKind::Data => "image=photo.png weights=w.npy alpha=0.5",
            EntryKind::Tune => "60s topDown(splitJoin(?))",
            EntryKind::Best => "10 reach contains(mapPar) using { useMapPar, splitJoin(32), useMapSeq }",
            EntryKind::Sweep => {
                let Some(first) = sizes.first() else { return EntryKind::Sizes.example(workspace) };
                let alike = if sizes.len() > 1 {
                    format!("; {}=256..2048, all alike", sizes.join("="))
                } else {
                    String::new()
                };
                return format!("{first}=1000,5000,20000 (or {first}=1024..65536, doubling{alike})");
            }
            EntryKind::Dispatch => "chosen",
            EntryKind::Save => "matmul-blocking",
            EntryKind::Export => "matmul.html",
            EntryKind::Find => "text",
        };
        text.to_owned()
    }

    /// Whether the text may have several lines.
    pub fn is_multiline(self) -> bool {
        self.is_elevate()
    }

    /// Whether it is a strategy, which runs somewhere in the program.
    pub fn is_elevate(self) -> bool {
        matches!(self, EntryKind::Strategy | EntryKind::Step | EntryKind::Sketch)
    }
}

/// A text that is being typed.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// The text and its cursor.
    pub area: TextArea<'static>,
    /// What is wrong with what was tried last, shown under the text.
    pub problems: Vec<Line>,
    /// The text of which it was said that it will hardly get anywhere: taken again, it is run.
    pub warned: Option<String>,
    /// What was looked for before, to return to.
    pub before: String,
    /// What this is asked for: the command that follows when it is taken.
    pub then: Option<(Command, String)>,
    /// How far back in what was typed before; 0 is the present text.
    back: usize,
    draft: String,
}

impl Entry {
    /// An entry that begins with some text.
    pub fn new(kind: EntryKind, text: &str) -> Entry {
        let mut entry = Entry {
            kind,
            area: TextArea::default(),
            problems: Vec::new(),
            warned: None,
            before: String::new(),
            then: None,
            back: 0,
            draft: String::new(),
        };
        entry.set_text(text);
        entry
    }

    /// An entry that begins with what was typed last, which the first key replaces unless it moves the cursor.
    pub fn offering(kind: EntryKind, text: &str) -> Entry {
        let mut entry = Entry::new(kind, text);
        if !text.is_empty() {
            entry.area.select_all();
        }
        entry
    }

    /// Whether all of the text is what the next key replaces.
    pub fn is_offered(&self) -> bool {
        self.area.is_selecting()
    }

    /// A key was typed, or what is typed was pasted or deleted. What was said of another text is over; what is wrong stays to be read
    /// while it is mended.
    pub fn edited(&mut self) {
        if self.warned.as_ref().is_some_and(|warned| *warned != self.text().trim()) {
            self.forget_warning();
        }
    }

    /// What was said of the text is over.
    pub fn forget_warning(&mut self) {
        if self.warned.take().is_some() {
            self.problems.clear();
        }
    }

    /// What is typed.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Replaces what is typed.
    pub fn set_text(&mut self, text: &str) {
        let lines = text.lines().map(str::to_owned).collect();
        self.area = TextArea::new(lines);
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// Inserts text at the cursor; line ends become spaces where there is only one line.
    pub fn insert(&mut self, text: &str) {
        let clean: String = text
            .chars()
            .map(|c| match c {
                '\n' if self.kind.is_multiline() => '\n',
                '\r' | '\n' | '\t' => ' ',
                c => c,
            })
            .filter(|c| *c == '\n' || !c.is_control())
            .collect();
        self.area.insert_str(clean);
        self.edited();
    }

    /// What is typed before the cursor.
    pub fn before_cursor(&self) -> String {
        let cursor = self.area.cursor();
        let (row, column) = (cursor.0, cursor.1);
        let mut lines: Vec<String> = self.area.lines().iter().take(row).cloned().collect();
        lines.push(self.area.lines().get(row).map(|l| l.chars().take(column).collect()).unwrap_or_default());
        lines.join("\n")
    }

    /// Replaces the word before the cursor.
    pub fn replace_word(&mut self, word: &str, text: &str) {
        self.area.cancel_selection();
        for _ in word.chars() {
            self.area.delete_char();
        }
        self.area.insert_str(text);
    }

    /// Whether the cursor is on the first line.
    pub fn at_first_line(&self) -> bool {
        self.area.cursor().0 == 0
    }

    /// Whether the cursor is on the last line.
    pub fn at_last_line(&self) -> bool {
        self.area.cursor().0 + 1 >= self.area.lines().len()
    }

    /// Goes back in what was typed before.
    pub fn older(&mut self, recall: &Recall) {
        if self.back == 0 {
            self.draft = self.text();
        }
        if let Some(text) = recall.get(self.kind, self.back) {
            let text = text.to_owned();
            self.back += 1;
            self.set_text(&text);
        }
    }

    /// Goes forward again, at last to what was being typed.
    pub fn newer(&mut self, recall: &Recall) {
        if self.back == 0 {
            return;
        }
        self.back -= 1;
        let text = match self.back.checked_sub(1) {
            Some(i) => recall.get(self.kind, i).unwrap_or_default().to_owned(),
            None => self.draft.clone(),
        };
        self.set_text(&text);
    }
}

/// What was typed before, newest first, by kind.
#[derive(Clone, Debug, Default)]
pub struct Recall {
    texts: Vec<(EntryKind, String)>,
}

/// How many texts are kept.
const KEPT: usize = 200;

impl Recall {
    /// Remembers a text; the same text again only moves to the front.
    pub fn add(&mut self, kind: EntryKind, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.texts.retain(|(k, t)| *k != kind || t != text);
        self.texts.insert(0, (kind, text.to_owned()));
        self.texts.truncate(KEPT);
    }

    /// The text typed so many entries ago.
    pub fn get(&self, kind: EntryKind, ago: usize) -> Option<&str> {
        self.texts.iter().filter(|(k, _)| *k == kind).nth(ago).map(|(_, text)| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back_and_the_draft_is_kept() {
        let mut recall = Recall::default();
        for text in ["a", "b", "a", " "] {
            recall.add(EntryKind::Strategy, text);
        }
        recall.add(EntryKind::Find, "x");
        let mut entry = Entry::new(EntryKind::Strategy, "draft");
        let mut seen = Vec::new();
        for _ in 0..3 {
            entry.older(&recall);
            seen.push(entry.text());
        }
        for _ in 0..3 {
            entry.newer(&recall);
            seen.push(entry.text());
        }
        assert_eq!(seen, ["a", "b", "b", "a", "draft", "draft"]);
    }

    #[test]
    fn pasted_text_is_tamed() {
        let mut entry = Entry::new(EntryKind::Sizes, "");
        entry.insert("m=1\n\u{1b}[31mn=2\t");
        assert_eq!(entry.text(), "m=1 [31mn=2 ");
        let mut entry = Entry::new(EntryKind::Strategy, "");
        entry.insert("a ;\nb");
        assert_eq!(entry.text(), "a ;\nb");
        assert!(entry.at_last_line() && !entry.at_first_line());
    }
}
