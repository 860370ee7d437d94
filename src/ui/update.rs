//! From messages to a changed state.

use crossterm::event::KeyEvent;

use super::app::App;
use super::command::{Command, Context};
use super::event::Msg;
use super::keys::{Chord, Meaning, spell};
use super::layout::Pane;
use super::movement::{self, FAR, Search, page};
use super::panes::{bench, best, history, jobs, kernel, rules, sketch};
use super::popup::{Entry, EntryKind, Page, Popup, Purpose};
use super::splits::{self, Turn};
use super::{
    accept, actions, branches, frozen, holding, leaving, line, lists, mouse, panes, program, results,
    stepping, strategies, typing,
};
use crate::view::Role;

/// Takes one message in. Keys that are typed ahead, and a mouse that is faster than the screen, mean what stands there after those
/// before them, not the rows of the last frame.
pub fn update(app: &mut App, msg: Msg) {
    if matches!(msg, Msg::Key(..) | Msg::Mouse(_) | Msg::Paste(_)) {
        app.settle();
    }
    match msg {
        Msg::Key(key, _) => press(app, key),
        Msg::Mouse(event) => mouse::mouse(app, event),
        Msg::Paste(text) => typing::paste(app, &text),
        Msg::Resize(width, height) => {
            app.resize((width, height));
            refit(app);
        }
        Msg::News | Msg::Tick => actions::news(app),
        Msg::Continued => app.requests.repaint = true,
        Msg::Suspend => app.requests.suspend = true,
        Msg::Terminate(_) | Msg::Gone => app.requests.quit = true,
    }
}

/// Prints the difference that is shown anew, for another width.
fn refit(app: &mut App) {
    match app.popups.last() {
        Some(Popup::Page(page)) if page.purpose == Purpose::Apply => rules::preview(app),
        Some(Popup::Page(page)) if page.purpose == Purpose::Trail => history::show_trail(app),
        Some(Popup::Page(page)) if page.purpose == Purpose::Steps => stepping::show(app),
        Some(Popup::Page(page)) if page.purpose == Purpose::Code => history::show_code(app),
        _ => {}
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
            if keys.len() == 1 && typing::key(app, key) {
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
            if let Some(Popup::Page(page)) = app.popups.last()
                && page.title != lists::KEYS_OF_PAGE
                && app.setup.keys.meaning(Context::Screen, &keys) == Meaning::Command(Command::Help)
            {
                return lists::help_of_page(app);
            }
            if let Some(Popup::Page(Page { purpose: Purpose::Result, .. })) = app.popups.last()
                && let Meaning::Command(command) = app.setup.keys.meaning(Context::Screen, &keys)
            {
                app.popups.pop();
                return run(app, command);
            }
            // A page may say which command helps: it makes room for the line to type it in, for the list of all, and for a pane. What
            // asked for the page closes it again.
            if let Some(Popup::Page(page)) = app.popups.last()
                && let Meaning::Command(command) = app.setup.keys.meaning(Context::Screen, &keys)
            {
                let closes = command == Command::Why && page.purpose == Purpose::Read;
                let leads_on = matches!(command, Command::Palette | Command::Help)
                    || panes::reached_by(command).is_some();
                if closes || leads_on {
                    close_page(app);
                }
                if leads_on {
                    return run(app, command);
                }
                if closes {
                    return;
                }
            }
            let help = app.setup.keys.key(Command::Help).unwrap_or_default();
            // What is typed or asked has its keys in the line below.
            let lists = if matches!(context, Context::Screen | Context::Page) {
                format!("; {help} lists the keys")
            } else {
                String::new()
            };
            app.say(Role::Hint, format!("{} means nothing here{lists}.", spell(&keys)));
        }
    }
}

/// Runs a command, if it can be used now; else says why not.
pub fn run(app: &mut App, command: Command) {
    run_with(app, command, "");
}

/// Runs a command with the arguments that were typed after it.
pub fn run_with(app: &mut App, command: Command, arguments: &str) {
    // Who has just saved a file asks for what it holds now, and the last look may be a second old.
    if command == Command::Reload {
        app.look_at_file();
    }
    if let Err(reason) = command.enabled(&app.facts()) {
        let reason = app.setup.keys.fill(&reason);
        app.say(Role::Warning, reason);
        return;
    }
    use Command as C;
    match command {
        C::Help => lists::help(app),
        C::Palette => lists::palette(app),
        C::Back => back(app),
        C::Interrupt if app.session.is_idle() && !app.queries.cancel_steps() => leaving::quit(app),
        C::Interrupt => jobs::cancel(app),
        C::Quit => leaving::quit(app),
        C::Open => panes::open(app),
        C::Apply if arguments.is_empty() => panes::open(app),
        C::Apply => rules::apply(app, arguments),
        C::Preview => panes::preview(app),
        C::Everywhere => rules::everywhere(app),
        C::Why => rules::why(app, arguments),
        C::AllRules => {
            app.rules.all = !app.rules.all;
            app.touch(&[Pane::Rules]);
        }
        C::Undo => history::undo(app),
        C::Redo => history::redo(app),
        C::Without => history::without(app),
        C::Fold => panes::fold(app),
        C::Fastest => history::fastest(app),
        C::Better => branches::better(app),
        C::Strategy => enter(app, EntryKind::Strategy, arguments, ""),
        C::Step if arguments.is_empty() => stepping::step(app),
        C::Step => enter(app, EntryKind::Step, arguments, ""),
        C::Run if arguments.is_empty() => stepping::run_all(app),
        C::Run => enter(app, EntryKind::Strategy, arguments, ""),
        C::Place | C::TypingPlace => strategies::switch_place(app),
        C::Search => strategies::search_again(app),
        C::Sketch => match sketch::search(app, &strategies::place(app)) {
            Some(pointed) if arguments.is_empty() => {
                // It is there to be changed.
                app.popups.push(Popup::Entry(Box::new(Entry::new(EntryKind::Sketch, &pointed))));
            }
            _ => {
                let last = app.search.clone().unwrap_or_default();
                enter(app, EntryKind::Sketch, arguments, &last);
            }
        },
        C::Hold => holding::hold(app),
        C::Frozen => frozen::write(app, arguments),
        C::Best => best::best(app, arguments),
        C::Point => sketch::point(app),
        C::Narrow => sketch::narrow(app),
        C::Cancel => jobs::cancel(app),
        C::Select => line::select(app, arguments),
        C::Status => {
            let status = app.status().text();
            app.say(Role::Plain, status.trim().to_owned());
        }
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
        C::Up => movement::vertical(app, -1),
        C::Down => movement::vertical(app, 1),
        C::Left => movement::horizontal(app, -1),
        C::Right => movement::horizontal(app, 1),
        C::Top => movement::vertical(app, -FAR),
        C::Bottom => movement::vertical(app, FAR),
        C::HalfUp => movement::vertical(app, -(page(app) / 2).max(1)),
        C::HalfDown => movement::vertical(app, (page(app) / 2).max(1)),
        C::PageUp => movement::vertical(app, -page(app)),
        C::PageDown => movement::vertical(app, page(app)),
        C::Find => {
            let last = app.window(app.focus.pane).find.clone();
            enter(app, EntryKind::Find, arguments, &last);
            if let Some(Popup::Entry(entry)) = app.popups.last_mut() {
                entry.before = last;
            }
        }
        C::FindNext => movement::find(app, Search::Next),
        C::FindPrevious => movement::find(app, Search::Previous),
        C::NextPane => go(app, app.focus.pane.cycle(1)),
        C::PreviousPane => go(app, app.focus.pane.cycle(-1)),
        C::Term
        | C::Loops
        | C::Rules
        | C::SearchPane
        | C::SketchPane
        | C::BestPane
        | C::Kernel
        | C::BenchPane
        | C::History
        | C::Jobs => {
            if let Some(pane) = panes::reached_by(command) {
                go(app, pane);
            }
        }
        C::Wider => splits::turn(app, Turn::Wider),
        C::Narrower => splits::turn(app, Turn::Narrower),
        C::Taller => splits::turn(app, Turn::Taller),
        C::Shorter => splits::turn(app, Turn::Shorter),
        C::Borders => splits::reset(app),
        C::Zoom => {
            app.focus.zoomed = !app.focus.zoomed;
            app.touch_all();
        }
        C::NextStage => kernel::stage(app, 1),
        C::PreviousStage => kernel::stage(app, -1),
        C::Target => kernel::target(app),
        C::Bench => bench::measure(app),
        C::Tune => bench::tune(app, arguments),
        C::Compare => bench::compare(app),
        C::Results => results::again(app),
        C::Roofline => bench::roofline(app),
        C::Sweep => bench::sweep(app, arguments),
        C::Dispatch => bench::dispatch(app, arguments),
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
        C::Explain => lists::explain(app, arguments),
        C::Pin => history::pin(app),
        C::Diff => history::diff(app),
        C::Copy => panes::copy(app),
        C::CopyCommand => program::copy_command(app),
        C::Save => enter(app, EntryKind::Save, arguments, ""),
        C::Replay => program::replay(app),
        C::Export => enter(app, EntryKind::Export, arguments, ""),
        C::Reload => program::reload(app),
        C::Edit => program::edit(app),
        C::Suspend => app.requests.suspend = true,
        C::Theme => lists::theme(app, arguments),
        C::Mouse => mouse::switch(app, arguments),
        C::Repaint => app.requests.repaint = true,
        C::ChoiceUp => lists::step(app, -1),
        C::ChoiceDown => lists::step(app, 1),
        C::ChoicePageUp => lists::step(app, -10),
        C::ChoicePageDown => lists::step(app, 10),
        C::ChoiceComplete => lists::take_over(app),
        C::ChoiceAccept => lists::choose(app),
        C::ChoiceBack | C::EntryBack => typing::close(app),
        C::PageClose => close_page(app),
        C::QuestionNo => leaving::decline(app),
        C::PageLineUp => movement::scroll(app, -1, 0),
        C::PageLineDown => movement::scroll(app, 1, 0),
        C::PageLeft => movement::scroll(app, 0, -8),
        C::PageRight => movement::scroll(app, 0, 8),
        C::PageBackScreen => movement::scroll(app, -15, 0),
        C::PageForwardScreen => movement::scroll(app, 15, 0),
        C::PageTop => movement::scroll(app, -FAR, -FAR),
        C::PageBottom => movement::scroll(app, FAR, 0),
        C::PageAccept => accept::page(app),
        C::PageNext => stepping::next(app),
        C::PagePrevious => stepping::previous(app),
        C::PageView => rules::next_preview(app),
        C::PageRun => stepping::run_all(app),
        C::EntryAccept => accept::entry(app),
        C::TypingClear => typing::clear_line(app),
        C::EntryComplete => typing::complete(app),
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

pub(super) fn go(app: &mut App, pane: Pane) {
    app.focus.go(pane);
    app.touch(&[pane]);
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

fn close_page(app: &mut App) {
    app.popups.pop();
    app.trail = None;
    app.mending = None;
}

/// Opens an entry that offers a text, or takes at once what was typed after the command.
pub(super) fn enter(app: &mut App, kind: EntryKind, arguments: &str, text: &str) {
    let entry = match arguments {
        "" => Entry::offering(kind, text),
        typed => Entry::new(kind, typed),
    };
    app.popups.push(Popup::Entry(Box::new(entry)));
    if !arguments.is_empty() {
        accept::entry(app);
    }
}
