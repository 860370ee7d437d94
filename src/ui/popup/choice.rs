//! A list that is narrowed by typing: help, palette, devices, strategies.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui_textarea::TextArea;

use super::EntryKind;
use crate::lang::columns;
use crate::lang::path::Path;
use crate::lang::syntax::without_comments;
use crate::ui::command::Command;
use crate::view::text::Span;
use crate::view::{Line, Role};

/// What an entry stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Run this command.
    Command(Command),
    /// A strategy, and what to do with it.
    Strategy(How, String),
    /// The beginning of a strategy whose arguments have to be typed.
    Call(How, String),
    /// A search to be typed, and changed into what is wanted.
    Search(String),
    /// Apply this rule here.
    Rule(String, Path),
    /// Type other arguments of this rule.
    OtherArguments(String),
    /// Use this device.
    Device(String),
    /// A theme.
    Theme(String),
    /// Open this file in the editor.
    File(std::path::PathBuf),
    /// Show this result again, by its place among those that are kept.
    Result(usize),
}

/// What is done with a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Run it whole.
    Run,
    /// Take it rewrite by rewrite.
    Step,
}

impl How {
    /// The prompt in which it is typed.
    pub fn entry(self) -> EntryKind {
        match self {
            How::Run => EntryKind::Strategy,
            How::Step => EntryKind::Step,
        }
    }
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
    /// What is done with a strategy that is typed; nothing where only entries can be taken.
    pub typed: Option<How>,
    /// Of which rule other arguments can be typed, and where it is applied.
    rule: Option<(String, Path)>,
}

impl Choice {
    /// A list with all its entries. With `typed`, typed text can also be taken as a strategy.
    pub fn new(title: impl Into<String>, items: Vec<Item>, typed: Option<How>) -> Choice {
        let shown = (0..items.len()).collect();
        Choice {
            title: title.into(),
            area: TextArea::default(),
            items,
            shown,
            selected: 0,
            typed,
            rule: None,
        }
    }

    /// A list of calls of a rule, of which other arguments can be typed, by themselves or with its name.
    pub fn of_rule(title: impl Into<String>, items: Vec<Item>, rule: &str, at: Path) -> Choice {
        Choice { rule: Some((rule.to_owned(), at)), ..Choice::new(title, items, None) }
    }

    /// Whether something of this name can be chosen.
    pub fn has(&self, name: &str) -> bool {
        self.items.iter().any(|item| item.name == name)
    }

    /// Decides again which commands can be taken.
    pub fn renew(&mut self, why_not: &dyn Fn(Command) -> Option<String>) {
        for item in &mut self.items {
            if let Value::Command(command) = item.value {
                item.disabled = why_not(command);
            }
        }
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

    /// Decides again which entries match what is typed.
    pub fn narrow(&mut self) {
        let text = self.text();
        let text = text.trim();
        self.selected = 0;
        self.items.retain(|item| item.key != TYPED);
        if text.is_empty() {
            self.shown = (0..self.items.len()).collect();
            return;
        }
        // Only the first word names a command; the others are its arguments.
        let exact = text.split_whitespace().next().unwrap_or_default();
        let mut matcher = Matcher::new(Config::DEFAULT);
        let parse = |text: &str| Pattern::parse(text, CaseMatching::Ignore, Normalization::Smart);
        let (whole, word) = (parse(text), parse(exact));
        let mut buffer = Vec::new();
        let mut score = |item: &Item| {
            let takes = matches!(item.value, Value::Command(c) if c.arguments().is_some());
            let pattern = if takes { &word } else { &whole };
            pattern.score(Utf32Str::new(&item.name, &mut buffer), &mut matcher)
        };
        let lower = text.to_lowercase();
        let mut found: Vec<(u64, usize)> = Vec::new();
        for (i, item) in self.items.iter().enumerate() {
            // What follows the word of a search is no argument.
            let named = item.name == exact && !text.starts_with("reach ")
                || matches!(item.value, Value::Command(c) if Command::from_name(exact) == Some(c));
            let rank = if named {
                u64::MAX
            } else if let Some(score) = score(item) {
                u64::from(score) + (1 << 32)
            } else if item.doc.to_lowercase().contains(&lower) {
                1
            } else {
                continue;
            };
            found.push((rank, i));
        }
        // Of names that match alike, the one of which most was typed: `til` means `tile` before `tileStored`.
        let rest = |i: usize| self.items.get(i).map_or(0, |item| item.name.len());
        found.sort_by_key(|&(rank, i)| (std::cmp::Reverse(rank), if rank > 1 { rest(i) } else { 0 }, i));
        self.shown = found.iter().map(|&(_, i)| i).collect();
        if let Some((rule, at)) = &self.rule
            && text.contains(|c: char| c.is_ascii_digit())
        {
            let name = if text.starts_with(&**rule) {
                text.to_owned()
            } else {
                format!("{rule}({})", without_comments(text))
            };
            if self.items.iter().all(|item| item.name != name) {
                let value = Value::Rule(name.clone(), at.clone());
                let doc = "Apply it with these arguments.".to_owned();
                self.shown.insert(0, self.items.len());
                self.items.push(Item { name, key: TYPED.to_owned(), doc, disabled: None, value });
            }
        }
        if let Some(how) = self.typed {
            let named = found.first().is_some_and(|&(rank, _)| rank == u64::MAX);
            let at = if !named && reads_as_strategy(text) { 0 } else { self.shown.len() };
            self.shown.insert(at, self.items.len());
            let doc = match how {
                How::Run => "Run this text as a strategy.",
                How::Step => "Take this text as a strategy, rewrite by rewrite.",
            };
            self.items.push(Item {
                name: text.to_owned(),
                key: TYPED.to_owned(),
                doc: doc.to_owned(),
                disabled: None,
                value: Value::Strategy(how, text.to_owned()),
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

    /// What is said below the list of the highlighted entry.
    pub fn about(&self) -> Option<String> {
        self.highlighted().map(about)
    }

    /// The rows and columns that the list takes with all its entries.
    pub fn room(&self) -> Room {
        let all = || self.items.iter().filter(|item| item.key != TYPED);
        let names = all().map(|item| width(&item.name)).max().unwrap_or(0).min(NAMES);
        let keys = all().map(|item| item.key.len()).max().unwrap_or(0);
        let why_not = |item: &Item| item.disabled.as_deref().map_or(0, |why| NOT_NOW.len() + width(why));
        let says = |item: &Item| width(&item.doc) + why_not(item);
        let columns = all().map(|item| keys + 3 + names.max(width(&item.name)) + says(item)).max();
        Room { rows: all().count(), columns: columns.unwrap_or(0) }
    }

    /// The most rows that [`Choice::about`] takes in so many columns, whichever entry is highlighted.
    pub fn room_about(&self, columns: usize) -> usize {
        let rows = |item: &Item| {
            let said = about(item);
            if said.len() <= columns { 1 } else { Line::plain(said).wrap(columns, 0).len() }
        };
        self.items.iter().map(rows).max().unwrap_or(0)
    }

    /// The entries that match, in order; those that cannot be taken are dim and say why, behind what they do. In few columns names take a
    /// quarter of them, so that what they do is seen.
    pub fn lines(&self, columns: usize) -> Vec<Line> {
        let shown = || self.shown.iter().filter_map(|&i| self.items.get(i));
        let most = NAMES.min(columns / 4);
        let names = shown().map(|item| Line::plain(item.name.clone()).width()).max().unwrap_or(0).min(most);
        let keys = shown().map(|item| item.key.len()).max().unwrap_or(0);
        let line = |item: &Item| {
            let role = if item.disabled.is_some() { Role::Dim } else { Role::Plain };
            let mut line = Line::of(Role::Key, format!("{} ", columns::left(&item.key, keys)));
            let name = Line::of(role, item.name.clone());
            line.append(name.pad(names));
            line.push(Role::Plain, "  ");
            line.push(if item.disabled.is_some() { Role::Dim } else { Role::Hint }, item.doc.clone());
            if let Some(reason) = &item.disabled {
                line.push(Role::Dim, format!("{NOT_NOW}{reason}"));
            }
            line
        };
        shown().map(line).collect()
    }
}

/// How much room a list takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// An entry has one.
    pub rows: usize,
    /// The longest has so many.
    pub columns: usize,
}

/// Longer names are not aligned.
const NAMES: usize = 28;
/// What stands before the reason why an entry cannot be taken.
const NOT_NOW: &str = " Not now: ";

fn width(text: &str) -> usize {
    Span::new(Role::Plain, text.to_owned()).width()
}

fn about(item: &Item) -> String {
    let reason = item.disabled.as_ref().map(|reason| format!("{NOT_NOW}{reason}")).unwrap_or_default();
    format!("{}{reason}", item.doc)
}

/// The note of the entry that is the typed text itself.
const TYPED: &str = "typed";

/// Whether a text looks like a strategy rather than like words to look for.
fn reads_as_strategy(text: &str) -> bool {
    text.contains(['(', ';', '@', '<', '{']) || text.starts_with("reach ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(typed: Option<How>) -> Choice {
        let item = |command: Command| Item {
            name: command.name().to_owned(),
            key: String::new(),
            doc: command.doc().to_owned(),
            disabled: None,
            value: Value::Command(command),
        };
        Choice::new("Commands", Command::ALL.iter().map(|c| item(*c)).collect(), typed)
    }

    fn first(text: &str) -> Value {
        let mut choice = choice(Some(How::Run));
        choice.set_text(text);
        choice.highlighted().unwrap().value.clone()
    }

    #[test]
    fn an_exact_name_comes_first_even_with_arguments() {
        assert_eq!(first("save my-session"), Value::Command(Command::Save));
        assert_eq!(first("term"), Value::Command(Command::Term));
        assert_eq!(first("sketch reach contains(map) using all"), Value::Command(Command::Sketch));
        // Another name for it is as good.
        assert_eq!(first("stop"), Value::Command(Command::Cancel));
    }

    /// One long name does not push what all others do off the screen.
    #[test]
    fn in_few_columns_names_leave_room_for_what_they_do() {
        let mut choice = choice(Some(How::Run));
        let long =
            Item { name: "aStrategyOfTheLibrary(withParameters)".to_owned(), ..choice.items[0].clone() };
        choice.items.push(long);
        choice.set_text("");
        for (columns, most) in [(48, 12), (78, 19), (118, 28)] {
            let lines = choice.lines(columns);
            let undo =
                lines.iter().map(Line::text).find(|line| line.trim_start().starts_with("undo ")).unwrap();
            let starts = undo.find(Command::Undo.doc()).unwrap();
            assert!(starts <= most + 3, "{columns}: {undo}");
        }
    }

    #[test]
    fn what_was_in_the_way_goes_when_it_has_ended() {
        let mut choice = choice(Some(How::Run));
        choice.renew(&|command| (command == Command::Tune).then(|| "A measurement is running.".to_owned()));
        choice.set_text("tune");
        assert!(choice.lines(100)[0].text().contains("Not now: A measurement"), "{:?}", choice.lines(100)[0]);
        choice.renew(&|_| None);
        assert!(!choice.lines(100)[0].text().contains("Not now"), "{:?}", choice.lines(100)[0]);
        assert_eq!(choice.text(), "tune", "what is typed stays");
    }

    #[test]
    fn letters_of_a_name_are_enough() {
        assert_eq!(first("und"), Value::Command(Command::Undo));
        assert_eq!(first("cpc"), Value::Command(Command::CopyCommand));
        assert_eq!(first("siz k=64"), Value::Command(Command::Sizes));
    }

    #[test]
    fn of_names_that_begin_alike_the_shortest_comes_first() {
        let items = ["tileStored", "tile", "tilesOnThreads"].map(|name| Item {
            name: name.to_owned(),
            key: String::new(),
            doc: String::new(),
            disabled: None,
            value: Value::Strategy(How::Run, name.to_owned()),
        });
        let mut choice = Choice::new("", items.to_vec(), None);
        choice.set_text("til");
        assert_eq!(choice.highlighted().unwrap().name, "tile");
    }

    #[test]
    fn other_arguments_of_a_rule_are_taken_as_they_are_typed() {
        let call = |text: &str| Value::Rule(text.to_owned(), Path::root());
        let item = |name: &str| Item {
            name: name.to_owned(),
            key: String::new(),
            doc: String::new(),
            disabled: None,
            value: call(name),
        };
        let items = ["splitJoin(32)", "splitJoin(1024)"].map(item).to_vec();
        let mut choice = Choice::of_rule("", items, "splitJoin", Path::root());
        for (text, taken) in [
            ("7", "splitJoin(7)"),
            ("10", "splitJoin(10)"),
            ("32", "splitJoin(32)"),
            ("splitJoin(12)", "splitJoin(12)"),
            ("n / 4", "splitJoin(n / 4)"),
        ] {
            choice.set_text(text);
            assert_eq!(choice.highlighted().map(|item| item.value.clone()), Some(call(taken)), "{text}");
        }
        choice.set_text("");
        assert_eq!(choice.lines(100).len(), 2);
    }

    #[test]
    fn a_strategy_is_run_as_one() {
        let typed = |text: &str| Value::Strategy(How::Run, text.to_owned());
        for text in ["topDown(mapFusion)", "reach baseline using all", "zzzz"] {
            assert_eq!(first(text), typed(text));
        }
        let mut stepped = choice(Some(How::Step));
        stepped.set_text("blocking(16, 8, 4)");
        let value = stepped.highlighted().unwrap().value.clone();
        assert_eq!(value, Value::Strategy(How::Step, "blocking(16, 8, 4)".to_owned()));
        let mut closed = choice(None);
        closed.set_text("zzzz");
        assert!(closed.highlighted().is_none() && closed.lines(100).is_empty());
        closed.step(5);
        assert_eq!(closed.selected(), 0);
    }
}
