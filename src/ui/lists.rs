//! Lists over the panes: of all commands, of strategies, of codes; and taking an entry of one.

use super::actions::perform;
use super::app::App;
use super::command::{Command, Context};
use super::draw;
use super::facts::Facts;
use super::keys::spell;
use super::panes::{self, bench};
use super::popup::{Choice, Entry, EntryKind, How, Item, Page, Popup, Value};
use super::results;
use super::strategies;
use super::theme::{self, Theme};
use super::update::{enter, run, run_with};
use crate::lang::explain;
use crate::session::action::Action;
use crate::view::text::lines_of;
use crate::view::{Line, Role};

/// Moves the highlight of a list.
pub fn step(app: &mut App, by: isize) {
    if let Some(Popup::Choice(choice)) = app.popups.last_mut() {
        choice.step(by);
    }
}

/// The commands that can be given here as entries of a list, those of the pane first.
fn command_items(app: &App) -> Vec<Item> {
    let facts = app.facts();
    let here = panes::of(app.focus.pane).hints;
    let rest = Command::ALL.iter().filter(|c| c.context() == Context::Screen && !here.contains(c));
    here.iter()
        .chain(rest)
        .filter(|command| app.has_a_screen || !command.needs_a_screen())
        .map(|command| {
            let keys: Vec<String> = app.setup.keys.keys(*command).iter().map(|k| spell(k)).collect();
            Item {
                name: command.name().to_owned(),
                key: keys.join(" "),
                doc: match (panes::operation(app.focus.pane, *command), command.arguments()) {
                    (Some(here), _) => here.doc.to_owned(),
                    (None, Some(arguments)) => format!("{} Takes: {arguments}", command.doc()),
                    (None, None) => command.doc().to_owned(),
                },
                disabled: why_not(app, *command, &facts),
                value: Value::Command(*command),
            }
        })
        .collect()
}

/// Why a command cannot be taken now.
fn why_not(app: &App, command: Command, facts: &Facts) -> Option<String> {
    command.enabled(facts).err().map(|reason| app.setup.keys.fill(&reason))
}

/// What was in the way of the commands of a list may have ended while it is open.
pub fn renew(app: &mut App) {
    if !app.popups.iter().any(|popup| matches!(popup, Popup::Choice(_))) {
        return;
    }
    let facts = app.facts();
    let mut popups = std::mem::take(&mut app.popups);
    for popup in &mut popups {
        if let Popup::Choice(choice) = popup {
            choice.renew(&|command| why_not(app, command, &facts));
        }
    }
    app.popups = popups;
}

/// Lists the commands, those of the pane first.
pub fn help(app: &mut App) {
    let title = format!("Help: {} pane first", panes::of(app.focus.pane).title);
    let items = command_items(app);
    app.popups.push(Popup::Choice(Box::new(Choice::new(title, items, None))));
}

/// What stands above the keys of a page.
pub const KEYS_OF_PAGE: &str = "Keys of the page";

/// Lists the keys of the page that is open over it, so that closing the list leads back to the page.
pub fn help_of_page(app: &mut App) {
    let Some(popup) = app.popups.last() else { return };
    let unused = draw::unused(popup);
    let commands = Command::ALL.iter().filter(|c| c.context() == Context::Page && !unused.contains(c));
    let keys = &app.setup.keys;
    let all: Vec<(String, String)> = commands
        .map(|command| {
            let each: Vec<String> = keys.keys(*command).iter().map(|k| spell(k)).collect();
            (each.join(" "), command.doc().to_owned())
        })
        .filter(|(keys, _)| !keys.is_empty())
        .collect();
    let widest = all.iter().map(|(keys, _)| keys.chars().count()).max().unwrap_or(0) + 2;
    let mut lines: Vec<Line> = all
        .into_iter()
        .map(|(keys, doc)| Line::of(Role::Key, keys).pad(widest).with(Role::Plain, doc))
        .collect();
    let pane = panes::of(app.focus.pane).title;
    let help = keys.key(Command::Help).unwrap_or_default();
    lines.push(Line::of(Role::Hint, format!("{help} once more lists the commands of the {pane} pane.")));
    app.popups.push(Popup::Page(Page::sentences(KEYS_OF_PAGE, lines, widest)));
}

/// Shows the page of a code, or the codes that have a word in their titles; without one, or with one that there is not, all
/// codes.
pub fn explain(app: &mut App, code: &str) {
    let (title, text) = match explain::page(code) {
        Some(page) => (page.code, page.text()),
        None if code.is_empty() => ("All codes", explain::listing()),
        None => match explain::with_word(code) {
            Some(found) => ("Codes with this word", found),
            None => {
                let meant = explain::meant(code);
                let meant = meant.map(|page| format!(" Did you mean {}: {}?", page.code, page.title));
                let meant = meant.unwrap_or_default();
                ("All codes", format!("There is no code `{code}`.{meant}\n\n{}", explain::listing()))
            }
        },
    };
    let lines = lines_of(Role::Plain, &text);
    app.popups.push(Popup::Page(Page::sentences(title, lines, 0)));
}

/// Switches the colours; without a name, lists what there is.
pub fn theme(app: &mut App, name: &str) {
    let folder = app.setup.folder.clone();
    if name.is_empty() {
        let item = |name: String| Item {
            key: if name == app.setup.theme.name { "now".to_owned() } else { String::new() },
            doc: String::new(),
            disabled: None,
            value: Value::Theme(name.clone()),
            name,
        };
        let items = theme::names(folder.as_deref()).into_iter().map(item).collect();
        app.popups.push(Popup::Choice(Box::new(Choice::new("Which theme?", items, None))));
        return;
    }
    match Theme::read(folder.as_deref(), name, app.setup.terminal.depth) {
        Ok(theme) => {
            app.setup.theme = theme;
            let keep = format!(
                "`(theme: \"{name}\")` in config.ron keeps it, a file in the folder that `shine-tui doctor` names."
            );
            app.tell(Role::Good, format!("The theme is {name}. {keep}"));
        }
        Err(problem) => app.tell(Role::Error, problem),
    }
}

/// Lists the commands and the strategies; other strategies and searches can be typed.
pub fn palette(app: &mut App) {
    let mut items = command_items(app);
    items.extend(strategies::items(app, How::Run));
    items.push(Item {
        name: "reach".to_owned(),
        key: "search".to_owned(),
        doc: "Search for a program that is like a sketch: `reach SKETCH`, or `reach SKETCH using RULES`."
            .to_owned(),
        disabled: None,
        value: Value::Call(How::Run, "reach ".to_owned()),
    });
    let choice = Choice::new("Command or strategy", items, Some(How::Run));
    app.popups.push(Popup::Choice(Box::new(choice)));
}

/// Takes the highlighted entry of a list.
pub fn choose(app: &mut App) {
    let Some(Popup::Choice(choice)) = app.popups.last() else { return };
    let text = choice.text().trim().to_owned();
    let Some(item) = choice.highlighted().cloned() else {
        let text = app.setup.keys.fill("Nothing matches; {choice-back} closes the list.");
        return app.say(Role::Warning, text);
    };
    if let Some(reason) = &item.disabled {
        app.say(Role::Warning, reason.clone());
        return;
    }
    let (depth, list) = (app.popups.len(), app.popups.pop());
    let (of_rule, has_arguments) = match item.value {
        Value::Rule(..) => (true, !text.is_empty()),
        Value::Command(_) => (false, text.contains(char::is_whitespace)),
        _ => (false, false),
    };
    take(app, item.value, &text);
    // What is wrong is mended where it was typed, unless more is open that says so.
    let is_wrong = app.notice.iter().flat_map(|said| &said.spans).any(|span| span.role == Role::Error);
    let is_open = app.popups.len() >= depth;
    if let Some(list) = list.filter(|_| has_arguments && is_wrong && (of_rule || !is_open)) {
        app.popups.insert(app.popups.len().min(depth - 1), list);
    }
}

/// Does what an entry of a list stands for, of which a text was typed.
fn take(app: &mut App, value: Value, text: &str) {
    match value {
        Value::Command(command) => {
            // The first word names the command, in full or in part; what follows are its arguments.
            let (word, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            match command.arguments() {
                Some(_) => run_with(app, command, arguments.trim()),
                None if word == command.name() && !arguments.is_empty() => {
                    let text = format!("`{word}` takes nothing after its name; it was not run.");
                    app.say(Role::Warning, text);
                }
                None => run(app, command),
            }
        }
        Value::Strategy(how, text) => enter(app, how.entry(), &text, ""),
        Value::Call(how, text) => enter(app, how.entry(), "", &text),
        Value::Search(text) => enter(app, EntryKind::Sketch, "", &text),
        Value::Theme(name) => theme(app, &name),
        Value::Device(id) => bench::device(app, &id),
        Value::Rule(call, at) => {
            perform(app, Action::Apply { rule: call, at });
        }
        Value::OtherArguments(call) => {
            app.popups.push(Popup::Entry(Box::new(Entry::new(EntryKind::Rule, &call))));
        }
        Value::File(path) => app.requests.edit = Some(path),
        Value::Result(which) => results::show(app, which),
    }
}

/// Types the name of the highlighted entry.
pub fn take_over(app: &mut App) {
    if let Some(Popup::Choice(choice)) = app.popups.last_mut()
        && let Some((name, value)) = choice.highlighted().map(|item| match &item.value {
            Value::Call(_, call) => (call.clone(), item.value.clone()),
            value => (item.name.clone(), value.clone()),
        })
    {
        let end = if matches!(value, Value::Command(_)) { " " } else { "" };
        choice.set_text(&format!("{name}{end}"));
    }
}
