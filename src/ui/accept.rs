//! Enter in what lies over the panes: what is typed is taken, what is shown is done.

use super::app::App;
use super::doing::typed;
use super::layout::Pane;
use super::panes::{self, bench};
use super::popup::{EntryKind, Popup, Purpose};
use super::program::save;
use super::stepping;
use super::strategies::run_typed;
use super::update::{Search, find};
use crate::session::action::Action;
use crate::view::{Line, Role};

/// Enter in an entry.
pub fn entry(app: &mut App) {
    let Some(Popup::Entry(entry)) = app.popups.last() else { return };
    let (kind, text) = (entry.kind, entry.text().trim().to_owned());
    if text.is_empty() && kind != EntryKind::Find {
        app.popups.pop();
        return;
    }
    app.recall.add(kind, &text);
    let problems = match kind {
        EntryKind::Strategy | EntryKind::Sketch => run_typed(app, kind, &text),
        EntryKind::Rule => typed(app, Action::Apply { rule: text.clone(), at: app.selection.clone() }),
        EntryKind::Sizes => match bench::sizes(&text) {
            Ok(sizes) => {
                app.looks.forget_kernels();
                typed(app, Action::Sizes { sizes })
            }
            Err(reason) => Err(vec![Line::of(Role::Error, reason)]),
        },
        EntryKind::Save => save(app, &text),
        EntryKind::Find => {
            app.popups.pop();
            let pane = app.focus.pane;
            app.pane_mut(pane).1.find = text.to_lowercase();
            app.touch(&[pane]);
            // The list of rules is narrowed instead.
            if pane == Pane::Rules {
                app.pane_mut(pane).1.cursor = 0;
            } else if !text.is_empty() {
                find(app, Search::Here);
            }
            return;
        }
    };
    match (problems, app.popups.last_mut()) {
        (Err(lines), Some(Popup::Entry(entry))) => entry.problems = lines,
        (Ok(()), Some(Popup::Entry(_))) => {
            app.popups.pop();
        }
        _ => {}
    }
}

/// Enter on a page.
pub fn page(app: &mut App) {
    let Some(Popup::Page(page)) = app.popups.last() else { return };
    match page.purpose {
        Purpose::Apply => {
            app.popups.pop();
            panes::open(app);
        }
        Purpose::Steps => stepping::next(app),
        Purpose::Read | Purpose::Trail | Purpose::Mend => {
            app.popups.pop();
            app.trail = None;
            app.mending = None;
        }
    }
}
