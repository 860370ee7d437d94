//! From messages to a changed state.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::App;
use super::command::{Command, Context};
use super::event::Msg;
use super::keys::{Chord, Meaning, spell};
use super::layout::Pane;
use super::panes::{bench, history, jobs, kernel, rules};
use super::popup::{Choice, Entry, EntryKind, How, Item, Page, Popup, Purpose, Value};
use super::window::occurrences;
use super::{accept, complete, doing, leaving, panes, program, stepping, strategies};
use crate::lang::explain;
use crate::view::text::lines_of;
use crate::view::{Line, Role};

/// Takes one message in.
pub fn update(app: &mut App, msg: Msg) {
    match msg {
        Msg::Key(key, _) => press(app, key),
        Msg::Paste(text) => paste(app, &text),
        Msg::Resize(width, height) => app.resize((width, height)),
        Msg::News | Msg::Tick => doing::news(app),
        Msg::Continued => app.effects.repaint = true,
        Msg::Suspend => app.effects.suspend = true,
        Msg::Terminate(_) | Msg::Gone => app.effects.quit = true,
    }
}

/// A key was pressed.
fn press(app: &mut App, key: KeyEvent) {
    app.notice = None;
    let chord = Chord::from(key);
    let context = app.popups.last().map_or(Context::Screen, Popup::context);
    app.pending.push(chord);
    match app.setup.keys.meaning(context, &app.pending) {
        Meaning::Command(command) => {
            app.pending.clear();
            run(app, command);
        }
        Meaning::Prefix => {}
        Meaning::Nothing => {
            let keys = std::mem::take(&mut app.pending);
            if let (Context::Choice | Context::Entry, Meaning::Command(command)) =
                (context, app.setup.keys.meaning(Context::Typing, &keys))
            {
                return run(app, command);
            }
            if keys.len() == 1 && type_key(app, key) {
                return;
            }
            if let Some(Popup::Page(Page { purpose: Purpose::Mend, .. })) = app.popups.last()
                && app.setup.keys.meaning(Context::Screen, &keys) == Meaning::Command(Command::Edit)
            {
                return run(app, Command::Edit);
            }
            // What a strategy does next may have changed on the disk: the steps go on from what is there now.
            if let Some(Popup::Page(Page { purpose: Purpose::Steps, .. })) = app.popups.last()
                && app.setup.keys.meaning(Context::Screen, &keys) == Meaning::Command(Command::Reload)
            {
                app.popups.pop();
                return run(app, Command::Reload);
            }
            // A message may say which command helps: it makes room for the line to type it in.
            if let Some(Popup::Page(Page { purpose: Purpose::Read, .. })) = app.popups.last()
                && let Meaning::Command(command @ (Command::Palette | Command::Help)) =
                    app.setup.keys.meaning(Context::Screen, &keys)
            {
                app.popups.pop();
                run(app, command);
                return;
            }
            let help = app.setup.keys.key(Command::Help).unwrap_or_default();
            app.say(Role::Hint, format!("{} means nothing here; {help} lists the keys.", spell(&keys)));
        }
    }
}

/// Gives a key to the text that is being typed. False when none is.
fn type_key(app: &mut App, key: KeyEvent) -> bool {
    let recall = &app.recall;
    match app.popups.last_mut() {
        Some(Popup::Choice(choice)) => {
            // A line has no line ends.
            if !matches!(key.code, KeyCode::Enter) {
                choice.area.input(key);
                choice.narrow();
            }
            true
        }
        Some(Popup::Entry(entry)) if entry.kind == EntryKind::Find => {
            let by = match key.code {
                KeyCode::Up => -1,
                KeyCode::Down => 1,
                _ => 0,
            };
            if by == 0 {
                entry.area.input(key);
                let text = entry.text();
                accept::filter(app, &text);
            } else if app.focus.pane == Pane::Rules {
                vertical(app, by);
            }
            true
        }
        Some(Popup::Entry(entry)) => {
            match key.code {
                KeyCode::Up if entry.at_first_line() => entry.older(recall),
                KeyCode::Down if entry.at_last_line() => entry.newer(recall),
                KeyCode::Char('m') if key.modifiers == KeyModifiers::CONTROL => {}
                // What was wrong stays to be read while it is mended.
                _ => drop(entry.area.input(key)),
            }
            true
        }
        _ => false,
    }
}

/// Text was pasted: it goes where text is typed, and nowhere else, lest it be taken for keys.
fn paste(app: &mut App, text: &str) {
    match app.popups.last_mut() {
        Some(Popup::Choice(choice)) => {
            let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            choice.area.insert_str(line);
            choice.narrow();
        }
        Some(Popup::Entry(entry)) => entry.insert(text),
        _ => {
            let text =
                app.setup.keys.fill("There is nothing to paste into; press {palette} or {strategy} first.");
            app.say(Role::Hint, text);
        }
    }
}

/// Runs a command, if it can be used now; else says why not.
pub fn run(app: &mut App, command: Command) {
    run_with(app, command, "");
}

/// Runs a command with the arguments that were typed after it.
pub fn run_with(app: &mut App, command: Command, arguments: &str) {
    if let Err(reason) = command.enabled(&app.facts()) {
        let reason = app.setup.keys.fill(&reason);
        app.say(Role::Warning, reason);
        return;
    }
    use Command as C;
    match command {
        C::Help => help(app),
        C::Palette => palette(app),
        C::Back => back(app),
        C::Interrupt if app.session.is_idle() && !app.looks.cancel_steps() => leaving::quit(app),
        C::Interrupt => jobs::cancel(app),
        C::Quit => leaving::quit(app),
        C::Open => panes::open(app),
        C::Apply if arguments.is_empty() => panes::open(app),
        C::Apply => rules::apply(app, arguments),
        C::Preview => panes::preview(app),
        C::Why => rules::why(app),
        C::AllRules => {
            app.rules.all = !app.rules.all;
            app.touch(&[Pane::Rules]);
        }
        C::Undo => history::undo(app),
        C::Redo => history::redo(app),
        C::Strategy => enter(app, EntryKind::Strategy, arguments, ""),
        C::Step if arguments.is_empty() => stepping::step(app),
        C::Step => enter(app, EntryKind::Step, arguments, ""),
        C::Run if arguments.is_empty() => stepping::run_all(app),
        C::Run => enter(app, EntryKind::Strategy, arguments, ""),
        C::Place | C::TypingPlace => strategies::switch_place(app),
        C::Search => strategies::search_again(app),
        C::Sketch => {
            let last = app.search.clone().unwrap_or_default();
            enter(app, EntryKind::Sketch, arguments, &last);
        }
        C::Cancel => jobs::cancel(app),
        C::Grow => {
            if let Some(path) = app.printed.parent(&app.selection) {
                app.select(path);
            }
        }
        C::Shrink => {
            if let Some(path) = app.printed.first_part(&app.selection) {
                app.select(path);
            }
        }
        C::Up => vertical(app, -1),
        C::Down => vertical(app, 1),
        C::Left => horizontal(app, -1),
        C::Right => horizontal(app, 1),
        C::Top => vertical(app, -FAR),
        C::Bottom => vertical(app, FAR),
        C::HalfUp => vertical(app, -(page(app) / 2).max(1)),
        C::HalfDown => vertical(app, (page(app) / 2).max(1)),
        C::PageUp => vertical(app, -page(app)),
        C::PageDown => vertical(app, page(app)),
        C::Find => {
            let last = app.window(app.focus.pane).find.clone();
            enter(app, EntryKind::Find, arguments, &last);
            if let Some(Popup::Entry(entry)) = app.popups.last_mut() {
                entry.before = last;
            }
        }
        C::FindNext => find(app, Search::Next),
        C::FindPrevious => find(app, Search::Previous),
        C::NextPane => go(app, app.focus.pane.cycle(1)),
        C::PreviousPane => go(app, app.focus.pane.cycle(-1)),
        C::Term => go(app, Pane::Term),
        C::Loops => go(app, Pane::Loops),
        C::Rules => go(app, Pane::Rules),
        C::SearchPane => go(app, Pane::Search),
        C::Kernel => go(app, Pane::Kernel),
        C::BenchPane => go(app, Pane::Bench),
        C::History => go(app, Pane::History),
        C::Jobs => go(app, Pane::Jobs),
        C::Zoom => {
            app.focus.zoomed = !app.focus.zoomed;
            app.touch_all();
        }
        C::NextStage => kernel::stage(app, 1),
        C::PreviousStage => kernel::stage(app, -1),
        C::Target => kernel::target(app),
        C::Bench => bench::measure(app),
        C::Sizes => {
            let now: Vec<String> = app.session.sizes().iter().map(|(n, v)| format!("{n}={v}")).collect();
            enter(app, EntryKind::Sizes, arguments, &now.join(" "));
        }
        C::Data => {
            let last = app.recall.get(EntryKind::Data, 0).map_or(app.setup.inputs.clone(), str::to_owned);
            enter(app, EntryKind::Data, arguments, &last);
        }
        C::AllowForeign => bench::allow_foreign(app, arguments),
        C::Device => bench::device(app, arguments),
        C::Explain => explain(app, arguments),
        C::Pin => history::pin(app),
        C::Diff => history::diff(app),
        C::Copy => panes::copy(app),
        C::CopyCommand => program::copy_command(app),
        C::Save => enter(app, EntryKind::Save, arguments, ""),
        C::Reload => program::reload(app),
        C::Edit => program::edit(app),
        C::Suspend => app.effects.suspend = true,
        C::Repaint => app.effects.repaint = true,
        C::ChoiceUp => step_choice(app, -1),
        C::ChoiceDown => step_choice(app, 1),
        C::ChoicePageUp => step_choice(app, -10),
        C::ChoicePageDown => step_choice(app, 10),
        C::ChoiceComplete => {
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
        C::ChoiceAccept => choose(app),
        C::ChoiceBack | C::EntryBack => close_text(app),
        C::PageClose => close_page(app),
        C::QuestionNo => leaving::decline(app),
        C::PageLineUp => scroll(app, -1, 0),
        C::PageLineDown => scroll(app, 1, 0),
        C::PageLeft => scroll(app, 0, -8),
        C::PageRight => scroll(app, 0, 8),
        C::PageBackScreen => scroll(app, -15, 0),
        C::PageForwardScreen => scroll(app, 15, 0),
        C::PageTop => scroll(app, -FAR, -FAR),
        C::PageBottom => scroll(app, FAR, 0),
        C::PageAccept => accept::page(app),
        C::PageNext => stepping::next(app),
        C::PagePrevious => stepping::previous(app),
        C::PageRun => stepping::run_all(app),
        C::EntryAccept => accept::entry(app),
        C::TypingClear => clear_line(app),
        C::EntryComplete => complete(app),
        C::EntryNewline => {
            if let Some(Popup::Entry(entry)) = app.popups.last_mut()
                && entry.kind.is_multiline()
            {
                entry.area.insert_newline();
            }
        }
        C::EntryOlder => {
            if let Some(Popup::Entry(entry)) = app.popups.last_mut() {
                entry.older(&app.recall);
            }
        }
        C::EntryNewer => {
            if let Some(Popup::Entry(entry)) = app.popups.last_mut() {
                entry.newer(&app.recall);
            }
        }
        C::QuestionYes => leaving::answer(app, false),
        C::QuestionSave => leaving::answer(app, true),
    }
}

/// Further than any text is long, and far from the limits of the type.
const FAR: isize = isize::MAX / 4;

fn go(app: &mut App, pane: Pane) {
    app.focus.go(pane);
    app.touch(&[pane]);
}

/// The rows of the focused pane.
fn page(app: &App) -> isize {
    let rows = super::draw::room(app, app.focus.pane).map_or(1, |(rows, _)| rows);
    isize::try_from(rows).unwrap_or(1).max(1)
}

fn vertical(app: &mut App, by: isize) {
    let pane = app.focus.pane;
    if pane == Pane::Term {
        let path = match by {
            FAR.. => app.printed.step(&app.selection, by),
            i if i <= -FAR => Some(crate::lang::path::Path::root()),
            _ => app.printed.step_lines(&app.selection, by),
        };
        if let Some(path) = path {
            app.select(path);
        }
        return;
    }
    let (body, window) = app.pane_mut(pane);
    window.step(body, by);
    app.moved(pane);
}

fn horizontal(app: &mut App, by: isize) {
    let pane = app.focus.pane;
    if pane == Pane::Term {
        if let Some(path) = app.printed.step(&app.selection, by) {
            app.select(path);
        }
        return;
    }
    let (body, window) = app.pane_mut(pane);
    window.slide(body, by * 4);
}

/// Where to look for a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// From the present line on.
    Here,
    /// After it.
    Next,
    /// Before it.
    Previous,
}

/// Goes to a place that has what is looked for.
pub fn find(app: &mut App, search: Search) {
    let pane = app.focus.pane;
    let text = app.window(pane).find.clone();
    let present = match pane {
        Pane::Term => app.printed.place(&app.selection).map_or(0, |(line, _, _)| line),
        _ if app.body(pane).list => app.window(pane).cursor,
        _ => app.window(pane).top,
    };
    let from = if search == Search::Here { present.checked_sub(1) } else { Some(present) };
    let (body, window) = app.pane_mut(pane);
    let Some(line) = window.find_next(body, from, search != Search::Previous) else {
        app.say(Role::Warning, format!("`{text}` is not in this pane."));
        return;
    };
    if pane == Pane::Term {
        let shown = app.body(pane).lines.get(line).map(Line::text).unwrap_or_default();
        let range = occurrences(&shown, &text).into_iter().next();
        if let Some(path) = range.and_then(|range| app.printed.covering(line, range)) {
            app.select(path);
        }
    }
    app.moved(pane);
}

/// One step out; nothing is lost.
fn back(app: &mut App) {
    let pane = app.focus.pane;
    if app.popups.pop().is_some() {
        return;
    }
    let window = app.window(pane);
    if !window.find.is_empty() {
        accept::filter(app, "");
    } else if app.stepping.take().is_some() {
        app.say(Role::Hint, "The strategy is left where it is.");
    } else if app.focus.zoomed {
        app.focus.zoomed = false;
        app.touch_all();
    }
}

/// Closes a popup with typed text; what was typed can be brought back.
fn close_text(app: &mut App) {
    if let Some(Popup::Entry(entry)) = app.popups.pop() {
        app.recall.add(entry.kind, &entry.text());
        if entry.kind == EntryKind::Find {
            accept::filter(app, &entry.before);
        }
    }
}

/// Deletes the line that is typed, up to the cursor.
fn clear_line(app: &mut App) {
    match app.popups.last_mut() {
        Some(Popup::Choice(choice)) => {
            choice.area.delete_line_by_head();
            choice.narrow();
        }
        Some(Popup::Entry(entry)) => {
            entry.area.delete_line_by_head();
            let (kind, text) = (entry.kind, entry.text());
            if kind == EntryKind::Find {
                accept::filter(app, &text);
            }
        }
        _ => {}
    }
}

/// Completes the word that is typed; in a filter, goes back to the list and keeps it.
fn complete(app: &mut App) {
    let Some(Popup::Entry(entry)) = app.popups.last() else { return };
    if entry.kind == EntryKind::Find {
        app.popups.pop();
        return;
    }
    let fits = complete::at(app, entry.kind, &entry.before_cursor());
    let Some(text) = fits.taken().map(str::to_owned) else {
        return app.say(Role::Hint, "Nothing is known that goes on like this.");
    };
    if let Some(Popup::Entry(entry)) = app.popups.last_mut() {
        entry.replace_word(&fits.word, &text);
    }
}

fn close_page(app: &mut App) {
    app.popups.pop();
    app.trail = None;
    app.mending = None;
}

fn scroll(app: &mut App, lines: isize, columns: isize) {
    if let Some(Popup::Page(page)) = app.popups.last_mut() {
        page.scroll_by(lines, columns);
    }
}

fn step_choice(app: &mut App, by: isize) {
    if let Some(Popup::Choice(choice)) = app.popups.last_mut() {
        choice.step(by);
    }
}

/// Opens an entry, or takes its text at once where it was typed after the command.
fn enter(app: &mut App, kind: EntryKind, arguments: &str, text: &str) {
    let begin = if arguments.is_empty() { text } else { arguments };
    app.popups.push(Popup::Entry(Box::new(Entry::new(kind, begin))));
    if !arguments.is_empty() {
        accept::entry(app);
    }
}

/// The commands of the screen as entries of a list, those of the pane first.
fn command_items(app: &App) -> Vec<Item> {
    let facts = app.facts();
    let here = super::command::hints_of(app.focus.pane);
    let rest = Command::ALL.iter().filter(|c| c.context() == Context::Screen && !here.contains(c));
    here.iter()
        .chain(rest)
        .map(|command| {
            let keys: Vec<String> = app.setup.keys.keys(*command).iter().map(|k| spell(k)).collect();
            Item {
                name: command.name().to_owned(),
                key: keys.join(" "),
                doc: match command.arguments() {
                    Some(arguments) => format!("{} Takes: {arguments}", command.doc()),
                    None => command.doc().to_owned(),
                },
                disabled: command.enabled(&facts).err().map(|reason| app.setup.keys.fill(&reason)),
                value: Value::Command(*command),
            }
        })
        .collect()
}

fn help(app: &mut App) {
    let title = format!("Help: {} pane first", app.focus.pane.title());
    let items = command_items(app);
    app.popups.push(Popup::Choice(Box::new(Choice::new(title, items, None))));
}

/// Shows the page of a code; without one, or with one that there is not, all codes.
fn explain(app: &mut App, code: &str) {
    let meant = || explain::meant(code).first().copied().filter(|_| !code.is_empty());
    let (title, text) = match explain::page(code).or_else(meant) {
        Some(page) => (page.code, page.text()),
        None => ("All codes", explain::listing()),
    };
    let lines = lines_of(Role::Plain, &text);
    app.popups.push(Popup::Page(Page::new(title, lines, Purpose::Read)));
}

fn palette(app: &mut App) {
    let mut items = command_items(app);
    items.extend(strategies::items(app, How::Run));
    let choice = Choice::new("Command or strategy", items, Some(How::Run));
    app.popups.push(Popup::Choice(Box::new(choice)));
}

/// Takes the highlighted entry of a list.
fn choose(app: &mut App) {
    let Some(Popup::Choice(choice)) = app.popups.last() else { return };
    let text = choice.text().trim().to_owned();
    let Some(item) = choice.highlighted().cloned() else {
        app.say(Role::Warning, "Nothing matches; Esc closes the list.");
        return;
    };
    if let Some(reason) = &item.disabled {
        app.say(Role::Warning, reason.clone());
        return;
    }
    app.popups.pop();
    match item.value {
        Value::Command(command) => {
            // The first word names the command, in full or in part; what follows are its arguments.
            let (word, arguments) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
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
        Value::Device(id) => bench::device(app, &id),
        Value::File(path) => app.effects.edit = Some(path),
    }
}
