//! Pages that come of what ran in the background, at a time that nobody chose: one waits while something else is typed or read, and a
//! key that means nothing in it is for what lies under it.

use super::app::App;
use super::popup::{Popup, Purpose};

/// Pages to read that the news has brought since so many popups were open: they are results, and wait where something was open.
pub fn came(app: &mut App, open: usize) {
    let from = open.min(app.popups.len());
    for popup in app.popups.split_off(from) {
        match popup {
            Popup::Page(mut page) if page.purpose == Purpose::Read => {
                page.purpose = Purpose::Result;
                app.results.push_back(page);
            }
            other => app.popups.push(other),
        }
    }
}

/// Opens the next page, where nothing else is open.
pub fn open_next(app: &mut App) {
    if app.popups.is_empty()
        && let Some(page) = app.results.pop_front()
    {
        app.popups.push(Popup::Page(page));
    }
}
