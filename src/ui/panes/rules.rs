//! The rules that apply: listed, previewed, explained, applied.

use super::alphabet;
use crate::session::action::Action;
use crate::ui::app::App;
use crate::ui::command::Command;
use crate::ui::doing::perform;
use crate::ui::layout::Pane;
use crate::ui::looks::Candidate;
use crate::ui::popup::{Entry, EntryKind, Page, Popup, Purpose};
use crate::ui::window::{Body, occurrences};
use crate::view::term::Printed;
use crate::view::{Line, Role, diff, rules};

/// The rules that are listed, in order.
pub fn shown(app: &App) -> Vec<&Candidate> {
    let find = &app.window(Pane::Rules).find;
    let known =
        app.rules.asked.as_ref().is_some_and(|(id, at)| (*id, at) == (app.session.current(), &app.selection));
    let all = app.rules.candidates.iter().filter(|_| known);
    all.filter(|c| app.rules.all || c.result.is_ok())
        .filter(|c| find.is_empty() || !occurrences(&c.call, find).is_empty())
        .collect()
}

/// What the pane shows.
pub fn body(app: &App, width: usize) -> Body {
    let known =
        app.rules.asked.as_ref().is_some_and(|(id, at)| (*id, at) == (app.session.current(), &app.selection));
    if !known {
        return Body::says(vec![Line::of(Role::Dim, "Looking which rules apply …")]);
    }
    let shown = shown(app);
    let find = &app.window(Pane::Rules).find;
    let applying = app.rules.candidates.iter().filter(|c| c.result.is_ok()).count();
    let total = app.rules.candidates.len();
    let mut head = Line::of(Role::Hint, format!("{applying} of {total} apply here"));
    if !find.is_empty() {
        head.push(Role::Hint, format!(", with `{find}`: {}", shown.len()));
    }
    let cursor = app.window(Pane::Rules).cursor.min(shown.len().saturating_sub(1));
    let foot = match shown.get(cursor) {
        None if find.is_empty() => {
            let key = |command| app.setup.keys.key(command).unwrap_or_default();
            let (shrink, all, why) = (key(Command::Shrink), key(Command::AllRules), key(Command::Why));
            let text = format!(
                "No rule rewrites all of this part at once. {shrink} selects a part of it, {all} lists the other rules \
                 and {why} says why one does not apply."
            );
            Line::of(Role::Dim, text).wrap(width, 0)
        }
        None => Vec::new(),
        Some(candidate) => match &candidate.result {
            Ok(after) => {
                let old = Printed::of(app.session.term(), width.saturating_sub(2), alphabet(app));
                let new = Printed::of(after, width.saturating_sub(2), alphabet(app));
                let (lines, _) = diff::of_lines(old.lines(), new.lines(), Some(1));
                lines
            }
            Err(_) => reasons(app, candidate).iter().flat_map(|line| line.wrap(width, 2)).collect(),
        },
    };
    let lines = shown.iter().map(|c| rules::line(&c.call, &c.doc, &c.result, alphabet(app))).collect();
    Body { head: vec![head], lines, foot, list: true, ..Body::default() }
}

/// Why a rule applies here or does not.
fn reasons(app: &App, candidate: &Candidate) -> Vec<Line> {
    let place = candidate.stops.as_ref().map(|path| (path.clone(), app.printed.text(path)));
    rules::why(&candidate.call, &candidate.doc, &candidate.result, place, candidate.depth)
}

/// Applies a rule at the selection.
pub fn apply(app: &mut App, rule: &str) {
    let at = app.selection.clone();
    perform(app, Action::Apply { rule: rule.to_owned(), at });
}

/// Shows what Enter would do.
pub fn preview(app: &mut App) {
    let Some(candidate) = app.candidate() else { return };
    let Ok(after) = &candidate.result else { return };
    let title = candidate.heading(&app.selection);
    let (lines, _) = super::difference(app, app.session.term(), after, Some(3));
    app.popups.push(Popup::Page(Page::difference(title, lines, Purpose::Apply)));
}

/// Says why the highlighted rule does or does not apply.
pub fn why(app: &mut App) {
    let Some(candidate) = app.candidate() else { return };
    let title = candidate.heading(&app.selection);
    let lines = reasons(app, candidate);
    app.popups.push(Popup::Page(Page::new(title, lines, Purpose::Read)));
}

/// Applies the highlighted rule, after asking for its arguments where it needs some.
pub fn open(app: &mut App) {
    let Some(candidate) = app.candidate().cloned() else { return };
    if candidate.open {
        let text = candidate.call.clone();
        app.popups.push(Popup::Entry(Box::new(Entry::new(EntryKind::Rule, &text))));
    } else {
        apply(app, &candidate.call);
    }
}
