//! From roles and marks to styles.
//!
//! A theme is a RON file: `roles` and `marks`, each name with colours and modifiers. Three are embedded; a file
//! of the same name in the configuration folder's `themes` lays its entries over the embedded one, and a file of
//! another name over `default`. Colours beyond the terminal's depth become the nearest that it has; with none,
//! only the modifiers stay. What must hold: in every theme the selection has a modifier or a background.

use std::fmt::Write as _;
use std::path::Path;

use indexmap::IndexMap;
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::assets;
use super::capabilities::Depth;
use crate::view::{Mark, Pixels, Role};

/// The style of every role and mark, at one depth.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Theme {
    /// Its name.
    pub name: String,
    roles: Vec<Style>,
    marks: Vec<Style>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    roles: IndexMap<String, Entry>,
    #[serde(default)]
    marks: IndexMap<String, Entry>,
}

#[derive(Deserialize, Debug, Clone, Default)]
#[serde(deny_unknown_fields, default)]
struct Entry {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underlined: bool,
    reversed: bool,
    crossed: bool,
}

impl Theme {
    /// The theme of a name, for a depth. `overlay` is the text of the user's file of that name, if there is one.
    /// A theme that does not exist or does not read is an error in a full sentence, naming what to do.
    pub fn load(name: &str, overlay: Option<&str>, depth: Depth) -> Result<Theme, String> {
        let embedded = assets::theme(name);
        if embedded.is_none() && overlay.is_none() {
            let names = assets::theme_names().join(", ");
            return Err(format!("There is no theme `{name}`; the built-in ones are {names}."));
        }
        let blank = vec![Style::new(); Role::ALL.len().max(Mark::ALL.len())];
        let mut theme = Theme { name: name.to_owned(), roles: blank.clone(), marks: blank };
        let base = embedded.or_else(|| assets::theme("default"));
        for text in base.into_iter().chain(overlay) {
            theme.lay(text, depth).map_err(|cause| format!("The theme `{name}` cannot be read: {cause}."))?;
        }
        Ok(theme)
    }

    /// The theme of a name, with what the user's folder has of it.
    ///
    /// # Errors
    /// As [`Theme::load`], and where the name is none of a file.
    pub fn read(folder: Option<&Path>, name: &str, depth: Depth) -> Result<Theme, String> {
        let file = folder.map(|folder| folder.join("themes").join(format!("{name}.ron")));
        let plain = Path::new(name).file_name().is_some_and(|file| file == name);
        let overlay = file.filter(|_| plain).map_or(Ok(None), |file| assets::own(&file))?;
        Theme::load(name, overlay.as_deref(), depth)
    }

    /// The style of a piece of text.
    pub fn style(&self, role: Role, mark: Mark) -> Style {
        let role = self.roles.get(role as usize).copied().unwrap_or_default();
        role.patch(self.marks.get(mark as usize).copied().unwrap_or_default())
    }

    /// Lays the entries of a file over what is there.
    fn lay(&mut self, text: &str, depth: Depth) -> Result<(), String> {
        let file: File = assets::read(text)?;
        self.name = file.name;
        for (name, entry) in file.roles {
            let role = Role::from_name(&name).ok_or_else(|| unknown("role", &name, Role::ALL, Role::name))?;
            self.roles[role as usize] = entry.style(depth)?;
        }
        for (name, entry) in file.marks {
            let mark = Mark::from_name(&name).ok_or_else(|| unknown("mark", &name, Mark::ALL, Mark::name))?;
            self.marks[mark as usize] = entry.style(depth)?;
        }
        Ok(())
    }
}

/// The names of all themes: those that are built in, and those of the user's folder.
pub fn names(folder: Option<&Path>) -> Vec<String> {
    let mut names: Vec<String> = assets::theme_names().into_iter().map(str::to_owned).collect();
    let files = folder.and_then(|folder| std::fs::read_dir(folder.join("themes")).ok());
    let own = files.into_iter().flatten().flatten().map(|entry| entry.path());
    let own = own.filter(|path| path.extension().is_some_and(|end| end == "ron"));
    names.extend(own.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())));
    names.sort_unstable();
    names.dedup();
    names
}

fn unknown<T: Copy>(kind: &str, found: &str, all: &[T], name: fn(T) -> &'static str) -> String {
    let mut text = format!("`{found}` is no {kind}; the {kind}s are");
    for member in all {
        let _ = write!(text, " {}", name(*member));
    }
    text
}

impl Entry {
    fn style(&self, depth: Depth) -> Result<Style, String> {
        let mut style = Style::new();
        if let Some(colour) = &self.fg {
            style.fg = reduce(parse_colour(colour)?, depth);
        }
        if let Some(colour) = &self.bg {
            style.bg = reduce(parse_colour(colour)?, depth);
            if depth == Depth::Mono && !matches!(colour.as_str(), "black" | "default") {
                style = style.add_modifier(Modifier::REVERSED);
            }
        }
        for (wanted, modifier) in [
            (self.bold, Modifier::BOLD),
            (self.dim, Modifier::DIM),
            (self.italic, Modifier::ITALIC),
            (self.underlined, Modifier::UNDERLINED),
            (self.reversed, Modifier::REVERSED),
            (self.crossed, Modifier::CROSSED_OUT),
        ] {
            if wanted {
                style = style.add_modifier(modifier);
            }
        }
        Ok(style)
    }
}

/// The sixteen colours by name, in the terminal's order.
const NAMES: [(&str, Color); 16] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

fn parse_colour(text: &str) -> Result<Color, String> {
    if text == "default" {
        return Ok(Color::Reset);
    }
    if let Some((_, colour)) = NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(*colour);
    }
    let wrong = || {
        format!(
            "`{text}` is no colour; use a name such as `red` or `bright-blue`, a number to 255 or `#rrggbb`"
        )
    };
    if let Some(hex) = text.strip_prefix('#').filter(|hex| hex.len() == 6) {
        let rgb = u32::from_str_radix(hex, 16).map_err(|_| wrong())?.to_be_bytes();
        return Ok(Color::Rgb(rgb[1], rgb[2], rgb[3]));
    }
    text.parse::<u8>().map(Color::Indexed).map_err(|_| wrong())
}

/// The style with the colours of a piece of a picture: the upper half is its foreground.
pub fn with_pixels(style: Style, pixels: Pixels, depth: Depth) -> Style {
    let colour = |[r, g, b]: [u8; 3]| reduce(Color::Rgb(r, g, b), depth);
    match (colour(pixels.upper), colour(pixels.lower)) {
        (Some(upper), Some(lower)) => style.fg(upper).bg(lower),
        _ => style,
    }
}

/// The nearest colour that a terminal of this depth has.
fn reduce(colour: Color, depth: Depth) -> Option<Color> {
    match (depth, colour) {
        (Depth::Mono, _) => None,
        (_, Color::Reset) | (Depth::True, _) => Some(colour),
        (Depth::Ansi256, Color::Rgb(r, g, b)) => Some(Color::Indexed(nearest(r, g, b, 16..=255))),
        (Depth::Ansi16, Color::Rgb(r, g, b)) => Some(NAMES[usize::from(nearest(r, g, b, 0..=15))].1),
        (Depth::Ansi16, Color::Indexed(i)) => {
            let (r, g, b) = rgb_of(i);
            Some(NAMES[usize::from(nearest(r, g, b, 0..=15))].1)
        }
        _ => Some(colour),
    }
}

/// The entry of the 256-colour table, within `range`, that is nearest to a colour.
fn nearest(r: u8, g: u8, b: u8, range: std::ops::RangeInclusive<u8>) -> u8 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    let distance = |i: u8| {
        let (x, y, z) = rgb_of(i);
        square(x, r) + square(y, g) + square(z, b)
    };
    range.min_by_key(|&i| distance(i)).unwrap_or(7)
}

/// What xterm shows for an entry of the 256-colour table.
pub(super) fn rgb_of(index: u8) -> (u8, u8, u8) {
    const BASE: [(u8, u8, u8); 16] = [
        (0, 0, 0),
        (205, 0, 0),
        (0, 205, 0),
        (205, 205, 0),
        (0, 0, 238),
        (205, 0, 205),
        (0, 205, 205),
        (229, 229, 229),
        (127, 127, 127),
        (255, 0, 0),
        (0, 255, 0),
        (255, 255, 0),
        (92, 92, 255),
        (255, 0, 255),
        (0, 255, 255),
        (255, 255, 255),
    ];
    match index {
        0..=15 => BASE[usize::from(index)],
        16..=231 => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let i = index - 16;
            (level(i / 36), level(i / 6 % 6), level(i % 6))
        }
        _ => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTHS: [Depth; 4] = [Depth::Mono, Depth::Ansi16, Depth::Ansi256, Depth::True];

    #[test]
    fn every_built_in_theme_reads_at_every_depth() {
        assert_eq!(assets::theme_names(), ["default", "high-contrast", "mono"]);
        for name in assets::theme_names() {
            for depth in DEPTHS {
                let theme = Theme::load(name, None, depth).unwrap();
                assert_eq!(theme.name, *name);
            }
        }
    }

    #[test]
    fn the_selection_never_depends_on_a_foreground_colour() {
        for name in assets::theme_names() {
            for depth in DEPTHS {
                let theme = Theme::load(name, None, depth).unwrap();
                for role in Role::ALL {
                    let selected = theme.style(*role, Mark::Selected);
                    let visible = selected.add_modifier.contains(Modifier::REVERSED) || selected.bg.is_some();
                    assert!(visible, "{name} {depth:?} {role:?}");
                    assert_ne!(selected, theme.style(*role, Mark::None));
                }
            }
        }
    }

    #[test]
    fn without_colours_no_colour_is_left() {
        for name in assets::theme_names() {
            let theme = Theme::load(name, None, Depth::Mono).unwrap();
            for role in Role::ALL {
                for mark in Mark::ALL {
                    let style = theme.style(*role, *mark);
                    assert_eq!((style.fg, style.bg), (None, None), "{name} {role:?} {mark:?}");
                }
            }
        }
    }

    #[test]
    fn a_file_lays_over_the_built_in_theme() {
        let overlay = r##"(name: "default", roles: {"keyword": (fg: "#ff8000")})"##;
        let theme = Theme::load("default", Some(overlay), Depth::True).unwrap();
        assert_eq!(theme.style(Role::Keyword, Mark::None).fg, Some(Color::Rgb(255, 128, 0)));
        assert_eq!(theme.style(Role::Error, Mark::None).fg, Some(Color::Red));
        let theme = Theme::load("mine", Some(overlay), Depth::Ansi256).unwrap();
        assert_eq!(theme.style(Role::Keyword, Mark::None).fg, Some(Color::Indexed(208)));
    }

    #[test]
    fn mistakes_are_named() {
        let load = |text| Theme::load("default", Some(text), Depth::True).unwrap_err();
        assert!(load(r#"(name: "x", roles: {"keywrd": ()})"#).contains("`keywrd` is no role"));
        assert!(load(r#"(name: "x", roles: {"keyword": (fg: "mauve")})"#).contains("`mauve` is no colour"));
        assert!(load("(").contains("cannot be read"));
        assert!(Theme::load("nope", None, Depth::True).unwrap_err().contains("default, high-contrast, mono"));
    }
}
