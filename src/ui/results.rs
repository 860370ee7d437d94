//! Pages that come of what ran in the background, at a time that nobody chose: one waits while something else is typed or read, and a
//! key that means nothing in it is for what lies under it.

use super::app::App;
use super::popup::{Choice, Item, Page, Popup, Purpose, Value};

/// Pages to read that the news has brought since so many popups were open: they are results, and wait where something was open.
pub fn came(app: &mut App, open: usize) {
    let from = open.min(app.popups.len());
    for popup in app.popups.split_off(from) {
        match popup {
            Popup::Page(mut page) if page.purpose == Purpose::Read => {
                page.purpose = Purpose::Result;
                keep(app, &page);
                app.results.push_back(page);
            }
            other => app.popups.push(other),
        }
    }
}

/// The heading of what says why something was not done, which is no result.
pub const NOT_DONE: &str = "Not done";

/// So many pages are kept.
const KEPT: usize = 9;

/// Keeps a page to be shown again; the newest comes first.
fn keep(app: &mut App, page: &Page) {
    if page.title != NOT_DONE {
        app.kept.push_front(page.clone());
        app.kept.truncate(KEPT);
    }
}

/// Shows again what came of work in the background; of several results asks which.
pub fn again(app: &mut App) {
    if app.kept.len() == 1 {
        return show(app, 0);
    }
    let item = |(i, page): (usize, &Page)| Item {
        name: format!("{} {}", i + 1, page.title),
        key: if i == 0 { "newest".to_owned() } else { String::new() },
        doc: page
            .lines
            .iter()
            .map(|line| line.text().trim().to_owned())
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
        disabled: None,
        value: Value::Result(i),
    };
    let items = app.kept.iter().enumerate().map(item).collect();
    app.popups.push(Popup::Choice(Box::new(Choice::new("Show which result again?", items, None))));
}

/// Shows a result again.
pub fn show(app: &mut App, which: usize) {
    if let Some(page) = app.kept.get(which) {
        app.popups.push(Popup::Page(page.clone()));
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
