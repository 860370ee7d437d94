//! The borders between panes: where they were moved to, by keys or with the mouse, kept from one run to the next.
//!
//! A border that was not moved is where the layout puts it. Places are kept in thousandths of the screen, so that they mean
//! something at another size.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::app::App;
use super::layout::{Edge, Layout, layout};
use crate::session::whole::Whole;
use crate::view::Role;

/// How many columns there are, which decides which borders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Columns {
    Two,
    /// Two, of which the left one has panes above each other.
    Stacked,
    Three,
}

/// A border.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// Between the column of this number and the next.
    Column(usize),
    /// Between the panes of these numbers that are above each other, from the top.
    Row(usize),
}

/// Where borders were moved to, in thousandths of the width, or of the height of the column; none for those that were not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Splits {
    two: Option<u16>,
    stacked: Option<u16>,
    three: [Option<u16>; 2],
    /// Of panes above each other beside one other column, and beside two.
    rows: [[Option<u16>; 2]; 2],
}

impl Splits {
    /// Where a border was moved to.
    pub fn get(&self, columns: Columns, split: Split) -> Option<u16> {
        match (columns, split) {
            (Columns::Two, Split::Column(_)) => self.two,
            (Columns::Stacked, Split::Column(_)) => self.stacked,
            (Columns::Three, Split::Column(i)) => self.three.get(i).copied().flatten(),
            (columns, Split::Row(i)) => {
                self.rows[usize::from(columns == Columns::Three)].get(i).copied().flatten()
            }
        }
    }

    /// Moves a border.
    pub(super) fn set(&mut self, columns: Columns, split: Split, to: u16) {
        let place = match (columns, split) {
            (Columns::Two, Split::Column(_)) => Some(&mut self.two),
            (Columns::Stacked, Split::Column(_)) => Some(&mut self.stacked),
            (Columns::Three, Split::Column(i)) => self.three.get_mut(i),
            (columns, Split::Row(i)) => self.rows[usize::from(columns == Columns::Three)].get_mut(i),
        };
        if let Some(place) = place {
            *place = Some(to.min(1000));
        }
    }
}

/// How far a key moves a border, in columns and in rows.
const STEP: (i32, i32) = (4, 2);

/// What a key does to the pane that has the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    Wider,
    Narrower,
    Taller,
    Shorter,
}

fn edges(app: &App) -> (Vec<Edge>, Option<ratatui::layout::Rect>) {
    let area = ratatui::layout::Rect::new(0, 0, app.size.0, app.size.1);
    match layout(area, app.focus, app.wishes()) {
        Layout::TooSmall => (vec![], None),
        Layout::Panes { places, edges, .. } => {
            let here = places.iter().find(|place| place.pane == app.focus.pane).map(|place| place.area);
            (edges, here)
        }
    }
}

/// Moves a border of the pane that has the keys: the one after it, or else the one before it.
pub fn turn(app: &mut App, turn: Turn) {
    let (edges, here) = edges(app);
    let across = matches!(turn, Turn::Wider | Turn::Narrower);
    let Some(here) = here else { return };
    let grows = matches!(turn, Turn::Wider | Turn::Taller);
    let touches = |edge: &&Edge| match edge.split {
        Split::Column(_) => across,
        Split::Row(_) => !across && edge.column.x <= here.x && here.x < edge.column.right(),
    };
    let (end, begin) = if across { (here.right(), here.x) } else { (here.bottom(), here.y) };
    let after = edges.iter().filter(touches).find(|edge| edge.at == end);
    let before = edges.iter().filter(touches).find(|edge| edge.at == begin);
    let Some((edge, sign)) = after.map(|edge| (*edge, 1)).or(before.map(|edge| (*edge, -1))) else {
        let what = if across { "beside" } else { "above or below" };
        return app
            .say(Role::Warning, format!("No other pane is {what} this one, so there is no border to move."));
    };
    let step = if across { STEP.0 } else { STEP.1 };
    let by = if grows { sign * step } else { -sign * step };
    drag(app, edge, (i32::from(edge.at) + by).clamp(0, i32::from(u16::MAX)) as u16);
}

/// The border under the mouse.
pub fn under(app: &App, column: u16, row: u16) -> Option<Edge> {
    let (edges, _) = edges(app);
    edges.into_iter().find(|edge| match edge.split {
        // The frames of both sides.
        Split::Column(_) => (edge.at == column || edge.at == column + 1) && row < edge.column.bottom(),
        // The frame above; in the one below there are tabs.
        Split::Row(_) => edge.at == row + 1 && edge.column.x <= column && column < edge.column.right(),
    })
}

/// Puts a border at a column or a row, as far as there is room.
pub fn drag(app: &mut App, edge: Edge, to: u16) {
    let (from, whole) = match edge.split {
        Split::Column(_) => (edge.column.x, edge.column.width),
        Split::Row(_) => (edge.column.y, edge.column.height),
    };
    let part = u32::from(to.saturating_sub(from)) * 1000 + u32::from(whole) / 2;
    let part = part / u32::from(whole.max(1));
    app.focus.splits.set(edge.columns, edge.split, u16::try_from(part).unwrap_or(1000));
    app.touch_all();
}

/// Puts all borders back where the layout has them.
pub fn reset(app: &mut App) {
    app.focus.splits = Splits::default();
    app.touch_all();
    app.say(Role::Hint, "The panes share the screen by what they show again.");
}

/// The file's own form.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct File {
    two: Option<u16>,
    stacked: Option<u16>,
    three: [Option<u16>; 2],
    rows: [Option<u16>; 2],
    rows_beside_two: [Option<u16>; 2],
}

/// The name of the file in the state folder.
const NAME: &str = "panes.ron";

/// Where borders were when the screen was left last. What cannot be read is nothing that anybody wrote.
pub fn load(folder: Option<&Path>) -> Splits {
    let text = folder.and_then(|folder| std::fs::read_to_string(folder.join(NAME)).ok());
    let file: File = text.and_then(|text| super::assets::read(&text).ok()).unwrap_or_default();
    let File { two, stacked, three, rows, rows_beside_two } = file;
    Splits { two, stacked, three, rows: [rows, rows_beside_two] }
}

/// Keeps where borders are. Where nothing can be written the next screen begins as ever.
pub fn keep(folder: Option<&Path>, splits: Splits) {
    let Some(folder) = folder else { return };
    let Splits { two, stacked, three, rows: [rows, rows_beside_two] } = splits;
    let file = File { two, stacked, three, rows, rows_beside_two };
    let Ok(text) = ron::to_string(&file) else { return };
    let written = Whole::write(&folder.join(NAME), true, |out| out.write_all(text.as_bytes()));
    let _ = written.and_then(Whole::place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_borders_are_is_kept_from_one_run_to_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("state");
        assert_eq!(load(Some(&folder)), Splits::default());
        let mut splits = Splits::default();
        splits.set(Columns::Stacked, Split::Column(0), 400);
        splits.set(Columns::Three, Split::Column(1), 700);
        splits.set(Columns::Three, Split::Row(0), 1234);
        keep(Some(&folder), splits);
        assert_eq!(load(Some(&folder)), splits);
        assert_eq!(splits.get(Columns::Three, Split::Row(0)), Some(1000));
        assert_eq!(splits.get(Columns::Two, Split::Column(0)), None);
        std::fs::write(folder.join(NAME), "(nonsense: 3)").unwrap();
        assert_eq!(load(Some(&folder)), Splits::default());
        keep(None, splits);
    }
}
