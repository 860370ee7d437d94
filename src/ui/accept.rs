//! Enter in what lies over the panes: what is typed is taken, what is shown is done.

use super::actions::typed;
use super::app::App;
use super::layout::Pane;
use super::movement::{Search, find};
use super::panes::{self, bench, best};
use super::popup::{EntryKind, Popup, Purpose};
use super::program::{export, save};
use super::stepping;
use super::strategies::run_typed;
use super::update::run_with;
use crate::session::action::Action;
use crate::view::{Line, Role, problem};

/// Enter in an entry.
pub fn entry(app: &mut App) {
    let Some(Popup::Entry(entry)) = app.popups.last() else { return };
    let (kind, text, leads_on) = (entry.kind, entry.text().trim().to_owned(), entry.then.is_some());
    if text.is_empty() && kind != EntryKind::Find {
        app.popups.pop();
        return;
    }
    app.recall.add(kind, &text);
    let problems = match kind {
        EntryKind::Strategy | EntryKind::Sketch => run_typed(app, kind, &text),
        EntryKind::Step => match app.session.workspace().parse_strategy(&text) {
            Ok(_) => {
                app.popups.pop();
                return stepping::start(app, &text);
            }
            Err(problem) => Err(problem::brief(&problem)),
        },
        EntryKind::Rule => typed(app, Action::Apply { rule: text.clone(), at: app.selection.clone() }),
        EntryKind::Sizes => match bench::sizes(&text) {
            // What is to be done with the present state cannot be done at sizes that it cannot have.
            Ok(sizes) => if leads_on { bench::can_have(app, &sizes) } else { Ok(()) }.and_then(|()| {
                app.queries.forget_kernels();
                // Which values of a rule's parameters divide a size is another question now.
                app.rules.asked = None;
                typed(app, Action::Sizes { sizes })
            }),
            Err(reason) => Err(vec![Line::of(Role::Error, reason)]),
        },
        EntryKind::Data => bench::show(app, &text),
        EntryKind::Tune => bench::start_tuning(app, &text),
        EntryKind::Best => best::start(app, &text),
        EntryKind::Sweep => bench::start_sweep(app, &text),
        EntryKind::Dispatch => bench::write_dispatch(app, &text),
        EntryKind::Save => save(app, &text),
        EntryKind::Export => export(app, &text),
        EntryKind::Find => return found(app, &text),
    };
    match (problems, app.popups.last_mut()) {
        (Err(lines), Some(Popup::Entry(entry))) => {
            // It is to be mended, not typed anew.
            entry.area.cancel_selection();
            entry.problems = lines;
        }
        (Ok(()), Some(Popup::Entry(entry))) => {
            let then = entry.then.take();
            app.popups.pop();
            if let Some((command, arguments)) = then {
                run_with(app, command, &arguments);
            }
        }
        _ => {}
    }
}

/// What was looked for is there: in a list of rules the best match is highlighted, elsewhere it is gone to.
fn found(app: &mut App, text: &str) {
    let pane = app.focus.pane;
    let (was_narrowed, cursor) = (app.window(pane).find == narrowed_by(text), app.window(pane).cursor);
    filter(app, text);
    if pane == Pane::Rules && !text.is_empty() {
        // The highlight may have been moved while the list was narrowed.
        if was_narrowed {
            app.pane_mut(pane).1.cursor = cursor;
        }
        let Some(candidate) = app.candidate() else {
            let text = match app.knows_all_rules() {
                true => format!("No rule that is listed has `{text}` in its name."),
                false => {
                    format!("No rule that was found so far has `{text}` in its name; more are looked for.")
                }
            };
            return app.say(Role::Warning, text);
        };
        let call = candidate.named(&narrowed_by(text)).unwrap_or(&candidate.call).to_owned();
        let applies = candidate.result.is_ok();
        app.popups.pop();
        let then = match applies {
            true => format!("{{open}} applies `{call}`, {{back}} lists all again."),
            false => format!("`{call}` does not apply here, and {{why}} says why; {{back}} lists all again."),
        };
        let text = app.setup.keys.fill(&then);
        return app.say(Role::Hint, text);
    }
    app.popups.pop();
    if !text.is_empty() {
        find(app, Search::Here);
    }
}

/// What is looked for, of what is typed.
fn narrowed_by(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Looks for a text in the pane that has the keys. The list of rules is narrowed, best match first.
pub fn filter(app: &mut App, text: &str) {
    let pane = app.focus.pane;
    let (_, window) = app.pane_mut(pane);
    window.find = narrowed_by(text);
    if pane == Pane::Rules {
        window.cursor = 0;
        app.touch(&[Pane::Term]);
    }
    app.touch(&[pane]);
}

/// Enter on a page.
pub fn page(app: &mut App) {
    let Some(Popup::Page(page)) = app.popups.last() else { return };
    match page.purpose {
        Purpose::Apply => {
            app.popups.pop();
            panes::rules::take(app);
        }
        Purpose::Steps => stepping::next(app),
        Purpose::Read | Purpose::Result | Purpose::Code | Purpose::Trail | Purpose::Mend => {
            app.popups.pop();
            app.trail = None;
            app.mending = None;
        }
    }
}
