//! What made a state, searches above all, as a strategy of single rewrites that needs no search.

use std::path::PathBuf;

use super::app::App;
use super::layout::Pane;
use super::panes::history;
use super::popup::{Page, Popup, Purpose};
use super::queries::Query;
use crate::lang::diag::Diagnostic;
use crate::session::action::RevisionId;
use crate::session::whole::{Asked, Whole, not_written};
use crate::view::code::{self, Dialect};
use crate::view::{Line, Role};

/// The state that is looked at: in the history the highlighted one, else the present one.
pub fn looked_at(app: &App) -> Option<RevisionId> {
    match app.focus.pane {
        Pane::History => history::highlighted(app),
        _ => Some(app.session.current()),
    }
}

/// The columns of a comment beside its sign.
const COMMENT: usize = 73;

/// Of what the rewrites are, as a comment: each line of what is shown is ELEVATE, so that it can be taken from there.
fn comment(of: &str) -> Vec<Line> {
    let text = format!("{} without a search", of.replace('\n', " "));
    let commented = |line: &Line| Line::of(Role::Dim, format!("-- {}", line.text().trim()));
    Line::plain(text).wrap(COMMENT, 0).iter().map(commented).collect()
}

/// Asks for the rewrites that made the state; they are put into a file if one is named.
pub fn write(app: &mut App, file: &str) {
    let past = app.session.history();
    let Some((id, base)) = looked_at(app).and_then(|id| Some((id, past.parent(id)?))) else { return };
    let Some(made) = past.revision(id) else { return };
    let text = made.elevate.clone().unwrap_or_else(|| made.label.clone());
    let query = Query::Frozen { revision: base, text, file: file.to_owned() };
    app.queries.ask(&app.session, query);
    let text = "Its rewrites are written down; a search is done again for that. {interrupt} stops it.";
    app.say(Role::Hint, app.setup.keys.fill(text));
}

/// They are known: they are shown and copied, or put into the file.
pub fn known(app: &mut App, of: &str, file: &str, written: Result<String, Diagnostic>) {
    let text = match written {
        Ok(text) => text,
        Err(problem) => return super::actions::show_problem(app, &problem),
    };
    if !file.is_empty() {
        let mut path = PathBuf::from(file);
        if path.extension().is_none() {
            path.set_extension("elevate");
        }
        let done = Whole::write(&path, false, |out| out.write_all(text.as_bytes())).and_then(Whole::place);
        return match done {
            Ok(()) => app.tell(Role::Good, format!("The strategy is written to {}", path.display())),
            Err(e) => {
                let asked = Asked { by: ":as-strategy", force: false };
                super::actions::show_problem(app, &not_written(&path, &e, asked));
            }
        };
    }
    let mut lines = comment(of);
    lines.extend(code::highlight(text.trim_end(), Dialect::Rise));
    app.popups.push(Popup::Page(Page::new("As a strategy", lines, Purpose::Read)));
    app.requests.copy = Some(text);
    let text = "The strategy is copied to the terminal's clipboard; `:as-strategy FILE.elevate` puts it into a file.";
    app.say(Role::Good, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_long_comment_is_one() {
        let lines = comment(&"reach containsMap(p, containsMap(m/8, ?)) using someRules".repeat(4));
        assert!(
            lines.len() > 2 && lines.iter().all(|line| line.text().starts_with("-- ") && line.width() <= 76)
        );
    }
}
