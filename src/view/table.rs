//! Columns that line up.
//!
//! In come columns and rows of cells; out come lines no wider than the width given. One column may flex (it
//! gives and takes what is left); when even its least width does not fit, columns are left out from the right,
//! and the heading says so with an ellipsis.

use super::text::{Alphabet, Line, Role};
use std::collections::HashSet;

/// To which side the cells of a column go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The heading.
    pub title: &'static str,
    /// The side of its cells.
    pub align: Align,
    /// Whether it gives and takes what is left of the width.
    pub flex: bool,
}

impl Column {
    /// A column of words.
    pub const fn words(title: &'static str) -> Column {
        Column { title, align: Align::Left, flex: false }
    }

    /// A column of figures.
    pub const fn figures(title: &'static str) -> Column {
        Column { title, align: Align::Right, flex: false }
    }

    /// The column that gives and takes.
    pub const fn flexible(title: &'static str) -> Column {
        Column { title, align: Align::Left, flex: true }
    }
}

/// The least width of the column that flexes; more where that would make different texts look the same.
const LEAST: usize = 7;
/// Spaces between columns.
const GAP: usize = 2;

/// The heading and the rows, each at most `width` columns wide. Missing cells are empty.
pub fn layout(columns: &[Column], rows: &[Vec<Line>], width: usize, alphabet: Alphabet) -> (Line, Vec<Line>) {
    let clean = |line: &Line| line.clone().clean(alphabet);
    let cells: Vec<Vec<Line>> = rows.iter().map(|row| row.iter().map(clean).collect()).collect();
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| {
            let widest = cells.iter().filter_map(|row| row.get(i)).map(Line::width).max().unwrap_or(0);
            widest.max(Line::plain(column.title).width())
        })
        .collect();
    let least = columns.iter().position(|column| column.flex).map_or(LEAST, |i| {
        let texts: Vec<&Line> = cells.iter().filter_map(|row| row.get(i)).collect();
        telling(&texts, alphabet).min(width / 2)
    });
    let shown = shrink(columns, &mut widths, width, least.max(LEAST));
    let heading = columns.iter().map(|column| Line::of(Role::Title, column.title).clean(alphabet)).collect();
    let line = |cells: Vec<Line>| {
        let mut line = Line::empty();
        for (i, (column, &room)) in columns.iter().zip(&widths).take(shown).enumerate() {
            let cell = cells.get(i).cloned().unwrap_or_default().fit(room, alphabet);
            let space = room.saturating_sub(cell.width());
            let gap = if i == 0 { 0 } else { GAP };
            let (before, after) = match column.align {
                Align::Left => (0, space),
                Align::Right => (space, 0),
            };
            line.push(Role::Plain, " ".repeat(gap + before));
            line.append(cell);
            if i + 1 < shown {
                line.push(Role::Plain, " ".repeat(after));
            }
        }
        line.fit(width, alphabet)
    };
    let mut head: Line = line(heading);
    if shown < columns.len() && head.width() + 2 <= width {
        head.push(Role::Dim, alphabet.pick(" …", " >"));
    }
    (head, cells.into_iter().map(line).collect())
}

/// In so many columns, and no fewer, texts that differ are seen to differ.
fn telling(texts: &[&Line], alphabet: Alphabet) -> usize {
    let different = |width: usize| {
        let seen: HashSet<String> = texts.iter().map(|text| text.fit(width, alphabet).text()).collect();
        seen.len()
    };
    let widest = texts.iter().map(|text| text.width()).max().unwrap_or(0);
    let all = different(widest);
    (LEAST..widest).find(|width| different(*width) == all).unwrap_or(widest)
}

/// Fits the widths into `width` and returns how many columns are shown. The column that flexes has no fewer than `least`.
fn shrink(columns: &[Column], widths: &mut [usize], width: usize, least: usize) -> usize {
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    let mut shown = columns.len();
    loop {
        let over = total(&widths[..shown]).saturating_sub(width);
        let flexible = columns.iter().take(shown).position(|column| column.flex);
        if over == 0 {
            return shown;
        }
        if let Some(i) = flexible {
            let give = widths[i].saturating_sub(least).min(over);
            if give == over {
                widths[i] -= give;
                return shown;
            }
        }
        if shown <= 1 {
            if let Some(first) = widths.first_mut() {
                *first = width;
            }
            return shown;
        }
        shown -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows() -> Vec<Vec<Line>> {
        [("mapFusion", "12"), ("splitJoin(32)", "7"), ("transposePair", "1204")]
            .iter()
            .map(|(name, n)| vec![Line::plain(*name), Line::of(Role::Number, *n)])
            .collect()
    }

    const COLUMNS: &[Column] = &[Column::flexible("rule"), Column::figures("fired")];

    #[test]
    fn columns_line_up() {
        let (head, rows) = layout(COLUMNS, &rows(), 40, Alphabet::Unicode);
        assert_eq!(head.text(), "rule           fired");
        let texts: Vec<_> = rows.iter().map(Line::text).collect();
        assert_eq!(texts, ["mapFusion         12", "splitJoin(32)      7", "transposePair   1204"]);
    }

    #[test]
    fn the_flexible_column_gives_first_then_columns_go() {
        let (_, lines) = layout(COLUMNS, &rows(), 16, Alphabet::Unicode);
        assert_eq!(lines[1].text(), "splitJoi…      7");
        let (head, lines) = layout(COLUMNS, &rows(), 12, Alphabet::Unicode);
        assert_eq!(head.text(), "rule …");
        assert_eq!(lines[0].text(), "mapFusion");
    }

    /// Names that differ at their ends are seen to differ before figures are seen.
    #[test]
    fn different_names_are_not_cut_to_the_same_text() {
        let row = |name: &'static str| vec![Line::plain(name), Line::plain("1204"), Line::plain("1.500 ms")];
        let rows: Vec<Vec<Line>> = ["splitJoin(8)", "splitJoin(16)", "splitJoin(32)"].map(row).to_vec();
        let columns = [Column::flexible("rule"), Column::figures("fired"), Column::figures("time")];
        let (head, lines) = layout(&columns, &rows, 25, Alphabet::Unicode);
        assert_eq!(head.text(), "rule           fired …");
        let names: HashSet<String> = lines.iter().map(|line| line.columns(0, 13).text()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
    }

    proptest! {
        #[test]
        fn no_line_exceeds_the_width(width in 0usize..60, cells in prop::collection::vec("\\PC{0,12}", 0..12)) {
            let rows: Vec<Vec<Line>> =
                cells.chunks(3).map(|row| row.iter().map(|c| Line::plain(c.clone())).collect()).collect();
            let columns = [Column::words("name"), Column::flexible("what"), Column::figures("count")];
            for alphabet in [Alphabet::Unicode, Alphabet::Ascii] {
                let (head, lines) = layout(&columns, &rows, width, alphabet);
                for line in lines.iter().chain([&head]) {
                    prop_assert!(line.width() <= width);
                }
            }
        }
    }
}
