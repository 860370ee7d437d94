//! Frames of the screen as one SVG that plays by itself: no script, no font and no picture from elsewhere.
//!
//! A row that stays as it is through several frames is drawn once. Each run of cells says how wide it is, so that every
//! monospaced font fits. Who asks for no motion, or cannot show any, sees the last frame.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use indexmap::IndexSet;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

use super::theme::rgb_of;
use crate::view::html::escaped;

/// The width and the height of a cell, and the size of its font and where that stands on.
const CELL: (usize, usize) = (9, 18);
const FONT: usize = 15;
const BASE: usize = 14;
/// The room around the cells.
const MARGIN: usize = 12;

/// For how long a frame is seen, and for how much longer the last one, in milliseconds.
const FRAME: usize = 3000;
const LAST: usize = 3000;

/// The colours of what has none of its own: text and what is behind it.
const TEXT: Rgb = (0xe6, 0xe6, 0xe6);
const BACK: Rgb = (0x16, 0x18, 0x1c);

/// The sixteen colours that terminals choose themselves, in the order of their numbers; each can be read on [`BACK`].
const SIXTEEN: [Rgb; 16] = [
    BACK,
    (0xff, 0x8f, 0x8f),
    (0x8f, 0xdc, 0x95),
    (0xff, 0xc6, 0x6d),
    (0x8c, 0xc4, 0xff),
    (0xcf, 0xa7, 0xff),
    (0x7f, 0xd7, 0xd7),
    (0xc8, 0xc8, 0xc8),
    (0x8a, 0x8a, 0x8a),
    (0xff, 0xb0, 0xb0),
    (0xb5, 0xf0, 0xb9),
    (0xff, 0xe0, 0x8a),
    (0xb5, 0xd8, 0xff),
    (0xe3, 0xcb, 0xff),
    (0xb0, 0xf0, 0xf0),
    (0xff, 0xff, 0xff),
];

type Rgb = (u8, u8, u8);

/// How text looks, beside what is behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Look {
    colour: Rgb,
    modifier: Modifier,
}

/// A row that is seen from one frame to another, and what it shows.
struct Row {
    from: usize,
    to: usize,
    markup: String,
}

/// Frames, one behind the other.
pub struct Film {
    title: String,
    captions: Vec<String>,
    /// Columns and rows.
    size: (usize, usize),
    looks: IndexSet<Look>,
    /// What each row of the screen shows, in the order of time.
    rows: Vec<Vec<Row>>,
    frames: usize,
}

impl Film {
    /// A film of this title, without a frame.
    pub fn new(title: String) -> Film {
        let (captions, looks, rows) = (vec![], IndexSet::new(), vec![]);
        Film { title, captions, size: (0, 0), looks, rows, frames: 0 }
    }

    /// Adds a frame, and what is said of it to those who do not see it. One that looks as the one before is none.
    pub fn add(&mut self, cells: &Buffer, caption: String) {
        let size = (usize::from(cells.area.width), usize::from(cells.area.height));
        self.size = (self.size.0.max(size.0), self.size.1.max(size.1));
        let rows: Vec<String> = (0..cells.area.height).map(|y| row(cells, y, &mut self.looks)).collect();
        let same = |(y, markup): (usize, &String)| {
            self.rows.get(y).and_then(|row| row.last()).is_some_and(|last| last.markup == *markup)
        };
        if self.frames > 0 && rows.iter().enumerate().all(same) {
            return;
        }
        let now = self.frames;
        self.frames += 1;
        self.captions.push(caption);
        self.rows.resize_with(self.rows.len().max(rows.len()), Vec::new);
        for (known, markup) in self.rows.iter_mut().zip(rows) {
            match known.last_mut() {
                Some(last) if last.markup == markup => last.to = self.frames,
                _ => known.push(Row { from: now, to: self.frames, markup }),
            }
        }
    }

    /// The picture.
    pub fn picture(&self) -> String {
        let (columns, lines) = self.size;
        let (width, height) = (columns * CELL.0 + 2 * MARGIN, lines * CELL.1 + 2 * MARGIN);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
             <title>{}</title>\n<desc>{}</desc>\n<style>\n{}</style>\n\
             <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{}\"/>\n",
            text(&self.title),
            self.captions.iter().map(|caption| text(caption)).collect::<Vec<_>>().join("\n"),
            self.styles(),
            hex(BACK),
        );
        for (y, versions) in self.rows.iter().enumerate() {
            for row in versions.iter().filter(|row| !row.markup.is_empty()) {
                let class = match self.moves(row) {
                    true => format!(" class=\"{}\"", frames_of(row)),
                    false => String::new(),
                };
                let (x, y) = (MARGIN, MARGIN + y * CELL.1);
                let _ = writeln!(out, "<g{class} transform=\"translate({x} {y})\">{}</g>", row.markup);
            }
        }
        out + "</svg>\n"
    }

    /// Whether a row is not seen all the time.
    fn moves(&self, row: &Row) -> bool {
        row.to - row.from < self.frames
    }

    /// How all looks, and when it is seen.
    fn styles(&self) -> String {
        let mut out = format!("text{{font:{FONT}px monospace;fill:{}}}\n", hex(TEXT));
        for (i, look) in self.looks.iter().enumerate() {
            let _ = writeln!(out, ".t{i}{{{}}}", look.style());
        }
        let all: BTreeSet<(usize, usize)> = self
            .rows
            .iter()
            .flatten()
            .filter(|row| self.moves(row) && !row.markup.is_empty())
            .map(|row| (row.from, row.to))
            .collect();
        if all.is_empty() {
            return out;
        }
        let gone = all.iter().filter(|(_, to)| *to < self.frames).map(|span| format!(".{}", class_of(*span)));
        let gone: Vec<String> = gone.collect();
        if !gone.is_empty() {
            let _ = writeln!(out, "{}{{visibility:hidden}}", gone.join(","));
        }
        let whole = self.frames * FRAME + LAST;
        out += "@media (prefers-reduced-motion:no-preference){\n";
        for (from, to) in all {
            let name = class_of((from, to));
            let mut steps = String::new();
            if from > 0 {
                steps += "0%{visibility:hidden}";
            }
            let _ = write!(steps, "{}{{visibility:visible}}", part(from * FRAME, whole));
            if to < self.frames {
                let _ = write!(steps, "{}{{visibility:hidden}}", part(to * FRAME, whole));
            } else {
                steps += "100%{visibility:visible}";
            }
            let seconds = format!("{}.{:03}s", whole / 1000, whole % 1000);
            let _ = writeln!(
                out,
                "@keyframes {name}{{{steps}}}\n.{name}{{animation:{name} {seconds} step-end infinite}}"
            );
        }
        out + "}\n"
    }
}

/// The class of what is seen in some frames.
fn frames_of(row: &Row) -> String {
    class_of((row.from, row.to))
}

fn class_of((from, to): (usize, usize)) -> String {
    format!("f{from}-{to}")
}

/// A part of a time as a percentage.
fn part(of: usize, whole: usize) -> String {
    let thousandths = of * 100_000 / whole.max(1);
    format!("{}.{:03}%", thousandths / 1000, thousandths % 1000)
}

impl Look {
    fn style(self) -> String {
        let mut out = String::new();
        if self.colour != TEXT {
            let _ = write!(out, "fill:{};", hex(self.colour));
        }
        for (modifier, style) in [
            (Modifier::BOLD, "font-weight:bold;"),
            (Modifier::ITALIC, "font-style:italic;"),
            (Modifier::DIM, "fill-opacity:.65;"),
            (Modifier::UNDERLINED, "text-decoration:underline;"),
            (Modifier::CROSSED_OUT, "text-decoration:line-through;"),
        ] {
            if self.modifier.contains(modifier) {
                out += style;
            }
        }
        out
    }
}

fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn rgb(colour: Color, otherwise: Rgb) -> Rgb {
    let number = match colour {
        Color::Reset => return otherwise,
        Color::Rgb(r, g, b) => return (r, g, b),
        Color::Indexed(number) => usize::from(number),
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    let beyond = || rgb_of(u8::try_from(number).unwrap_or(u8::MAX));
    SIXTEEN.get(number).copied().unwrap_or_else(beyond)
}

/// The look of a cell, and the colour behind it.
fn look(cell: &Cell) -> (Look, Rgb) {
    let (mut colour, mut back) = (rgb(cell.fg, TEXT), rgb(cell.bg, BACK));
    if cell.modifier.contains(Modifier::REVERSED) {
        (colour, back) = (back, colour);
    }
    let seen =
        Modifier::BOLD | Modifier::ITALIC | Modifier::DIM | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    (Look { colour, modifier: cell.modifier & seen }, back)
}

/// Cells of one look beside each other.
struct Run {
    at: usize,
    columns: usize,
    look: Look,
    text: String,
}

/// What a row shows, as if it were the topmost one.
fn row(cells: &Buffer, y: u16, looks: &mut IndexSet<Look>) -> String {
    // Colours behind the text: where from, how many columns, which.
    let mut backs: Vec<(usize, usize, Rgb)> = vec![];
    let mut runs: Vec<Run> = vec![];
    let mut x = 0;
    while x < cells.area.width {
        let cell = &cells[(x, y)];
        // A wide character covers the cell behind it.
        let columns = cell.symbol().width().max(1);
        let (at, (look, back)) = (usize::from(x), look(cell));
        match backs.last_mut() {
            Some((from, wide, colour)) if *colour == back && *from + *wide == at => *wide += columns,
            _ => backs.push((at, columns, back)),
        }
        match runs.last_mut() {
            Some(run) if run.look == look && run.at + run.columns == at => {
                run.columns += columns;
                run.text += cell.symbol();
            }
            _ => runs.push(Run { at, columns, look, text: cell.symbol().to_owned() }),
        }
        x = x.saturating_add(u16::try_from(columns).unwrap_or(1));
    }
    let mut out = String::new();
    for (at, columns, colour) in backs.into_iter().filter(|(_, _, colour)| *colour != BACK) {
        let (x, width) = (at * CELL.0, columns * CELL.0);
        let _ =
            write!(out, "<rect x=\"{x}\" width=\"{width}\" height=\"{}\" fill=\"{}\"/>", CELL.1, hex(colour));
    }
    for run in runs {
        for (at, words) in words(&run.text) {
            let class = looks.insert_full(run.look).0;
            let (x, length) = ((run.at + at) * CELL.0, words.width() * CELL.0);
            let _ = write!(
                out,
                "<text class=\"t{class}\" x=\"{x}\" y=\"{BASE}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                text(words)
            );
        }
    }
    out
}

/// The parts of a text between which there is more than one space, each with its column: how many spaces there are is up to
/// whoever shows the picture.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out = vec![];
    let (mut column, mut rest) = (0, text);
    while !rest.is_empty() {
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let (_, from) = rest.split_at(spaces);
        let (words, behind) = from.split_at(from.find("  ").unwrap_or(from.len()));
        column += spaces;
        let shown = words.trim_end_matches(' ');
        if !shown.is_empty() {
            out.push((column, shown));
        }
        column += words.width();
        rest = behind;
    }
    out
}

/// A text without markup, and without the characters that no XML may have.
fn text(text: &str) -> String {
    let allowed =
        |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let kept: String = text.chars().map(|c| if allowed(c) { c } else { '\u{fffd}' }).collect();
    escaped(&kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    fn frame(lines: &[&str]) -> Buffer {
        Buffer::with_lines(lines.iter().copied())
    }

    fn film(frames: &[&[&str]]) -> Film {
        let mut film = Film::new("a <b>".to_owned());
        frames.iter().for_each(|lines| film.add(&frame(lines), lines.concat()));
        film
    }

    #[test]
    fn frames_that_look_alike_are_one_and_a_row_that_stays_is_drawn_once() {
        let film = film(&[&["top", "one"], &["top", "one"], &["top", "two"]]);
        let picture = film.picture();
        assert_eq!(film.frames, 2);
        assert_eq!(picture.matches(">top</text>").count(), 1, "{picture}");
        assert!(picture.contains("<g class=\"f0-1\"") && picture.contains("<g class=\"f1-2\""), "{picture}");
        // Without motion the last frame is seen alone.
        assert!(picture.contains("\n.f0-1{visibility:hidden}\n"), "{picture}");
        assert!(picture.contains("0.000%{visibility:visible}33.333%{visibility:hidden}"), "{picture}");
    }

    #[test]
    fn one_frame_does_not_move() {
        let picture = film(&[&["still"]]).picture();
        assert!(!picture.contains("keyframes") && !picture.contains("hidden"), "{picture}");
    }

    #[test]
    fn texts_are_no_markup_and_each_says_its_columns() {
        let picture = film(&[&["<&\"'>   日本 x"]]).picture();
        assert!(picture.contains("<title>a &lt;b&gt;</title>"), "{picture}");
        assert!(
            picture.contains(
                "textLength=\"45\" lengthAdjust=\"spacingAndGlyphs\">&lt;&amp;&quot;&#39;&gt;</text>"
            )
        );
        assert!(
            picture.contains(
                "x=\"72\" y=\"14\" textLength=\"54\" lengthAdjust=\"spacingAndGlyphs\">日本 x</text>"
            )
        );
        assert_eq!(text("a\u{1}\u{ffff}"), "a\u{fffd}\u{fffd}");
    }

    #[test]
    fn reversed_cells_swap_their_colours() {
        let mut cells = frame(&["ab"]);
        cells[(1, 0)].set_style(Style::new().fg(Color::Blue).add_modifier(Modifier::REVERSED));
        let mut film = Film::new(String::new());
        film.add(&cells, String::new());
        let picture = film.picture();
        assert!(picture.contains("<rect x=\"9\" width=\"9\" height=\"18\" fill=\"#8cc4ff\"/>"), "{picture}");
        assert!(picture.contains(".t1{fill:#16181c;}"), "{picture}");
    }
}
