//! A list that is narrowed by typing: help, palette, devices, strategies.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui_textarea::TextArea;

use crate::ui::command::Command;
use crate::view::{Line, Role};

/// What an entry stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Run this command.
    Command(Command),
    /// Run this strategy.
    Strategy(String),
    /// Run whatever was typed, as a strategy.
    Typed,
    /// Use this device.
    Device(String),
    /// Open this file in the editor.
    File(std::path::PathBuf),
}

/// An entry of the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// What is matched first.
    pub name: String,
    /// A key that does the same, or another short note.
    pub key: String,
    /// One line about it; matched after the name.
    pub doc: String,
    /// Why it cannot be taken now.
    pub disabled: Option<String>,
    /// What it stands for.
    pub value: Value,
}

/// A list to choose from.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What is chosen.
    pub title: String,
    /// The line that is typed in.
    pub area: TextArea<'static>,
    items: Vec<Item>,
    shown: Vec<usize>,
    selected: usize,
    /// Whether text that matches no entry can be run as it is.
    free: bool,
}

impl Choice {
    /// A list with all its entries. With `free`, typed text can also be run as a strategy.
    pub fn new(title: impl Into<String>, items: Vec<Item>, free: bool) -> Choice {
        let shown = (0..items.len()).collect();
        Choice { title: title.into(), area: TextArea::default(), items, shown, selected: 0, free }
    }

    /// What is typed.
    pub fn text(&self) -> String {
        self.area.lines().join(" ")
    }

    /// Replaces what is typed.
    pub fn set_text(&mut self, text: &str) {
        self.area = TextArea::new(vec![text.to_owned()]);
        self.area.move_cursor(ratatui_textarea::CursorMove::End);
        self.narrow();
    }

    /// Looks again which entries match what is typed.
    pub fn narrow(&mut self) {
        let text = self.text();
        let text = text.trim();
        self.selected = 0;
        self.items.retain(|item| item.value != Value::Typed);
        if text.is_empty() {
            self.shown = (0..self.items.len()).collect();
            return;
        }
        // Only the first word names a command; the others are its arguments.
        let exact = text.split_whitespace().next().unwrap_or_default();
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(text, CaseMatching::Ignore, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut score = |text: &str| pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher);
        let lower = text.to_lowercase();
        let mut found: Vec<(u64, usize)> = Vec::new();
        for (i, item) in self.items.iter().enumerate() {
            let rank = if item.name == exact {
                u64::MAX
            } else if let Some(score) = score(&item.name) {
                u64::from(score) + (1 << 32)
            } else if item.doc.to_lowercase().contains(&lower) {
                1
            } else {
                continue;
            };
            found.push((rank, i));
        }
        found.sort_by_key(|&(rank, i)| (std::cmp::Reverse(rank), i));
        self.shown = found.iter().map(|&(_, i)| i).collect();
        if self.free {
            let named = found.first().is_some_and(|&(rank, _)| rank == u64::MAX);
            let at = if !named && reads_as_strategy(text) { 0 } else { self.shown.len() };
            self.shown.insert(at, self.items.len());
            self.items.push(Item {
                name: text.to_owned(),
                key: String::new(),
                doc: "Run this text as a strategy.".to_owned(),
                disabled: None,
                value: Value::Typed,
            });
        }
    }

    /// Moves the highlight by so many entries, stopping at the ends.
    pub fn step(&mut self, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// The highlighted entry.
    pub fn highlighted(&self) -> Option<&Item> {
        self.items.get(*self.shown.get(self.selected)?)
    }

    /// The place of the highlight in the list.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// The entries that match, in order; those that cannot be taken are dim and say why.
    pub fn lines(&self) -> Vec<Line> {
        let shown = || self.shown.iter().filter_map(|&i| self.items.get(i));
        let names = shown().map(|item| Line::plain(item.name.clone()).width()).max().unwrap_or(0).min(28);
        let keys = shown().map(|item| item.key.len()).max().unwrap_or(0);
        let line = |item: &Item| {
            let role = if item.disabled.is_some() { Role::Dim } else { Role::Plain };
            let mut line = Line::of(Role::Key, format!("{:keys$} ", item.key));
            let name = Line::of(role, item.name.clone());
            line.append(name.pad(names));
            line.push(Role::Plain, "  ");
            match &item.disabled {
                Some(reason) => line.push(Role::Dim, format!("not now: {reason}")),
                None => line.push(Role::Hint, item.doc.clone()),
            }
            line
        };
        shown().map(line).collect()
    }
}

/// Whether a text looks like a strategy rather than like words to look for.
fn reads_as_strategy(text: &str) -> bool {
    text.contains(['(', ';', '@', '<', '{']) || text.starts_with("reach ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(free: bool) -> Choice {
        let item = |command: Command| Item {
            name: command.name().to_owned(),
            key: String::new(),
            doc: command.doc().to_owned(),
            disabled: None,
            value: Value::Command(command),
        };
        Choice::new("Commands", Command::ALL.iter().map(|c| item(*c)).collect(), free)
    }

    fn first(text: &str) -> Value {
        let mut choice = choice(true);
        choice.set_text(text);
        choice.highlighted().unwrap().value.clone()
    }

    #[test]
    fn an_exact_name_comes_first_even_with_arguments() {
        assert_eq!(first("save my-session"), Value::Command(Command::Save));
        assert_eq!(first("term"), Value::Command(Command::Term));
        assert_eq!(first("sketch reach contains(map) using all"), Value::Command(Command::Sketch));
    }

    #[test]
    fn letters_of_a_name_are_enough() {
        assert_eq!(first("und"), Value::Command(Command::Undo));
        assert_eq!(first("cpc"), Value::Command(Command::CopyCommand));
    }

    #[test]
    fn a_strategy_is_run_as_one() {
        assert_eq!(first("topDown(mapFusion)"), Value::Typed);
        assert_eq!(first("reach baseline using all"), Value::Typed);
        assert_eq!(first("zzzz"), Value::Typed);
        let mut closed = choice(false);
        closed.set_text("zzzz");
        assert!(closed.highlighted().is_none() && closed.lines().is_empty());
        closed.step(5);
        assert_eq!(closed.selected(), 0);
    }
}
