//! Lines of spans with roles: the vocabulary of every view.
//!
//! A [`Span`] is text with a [`Role`] (what it is) and a [`Mark`] (what is going on with it: selected, found,
//! inserted, deleted). Colours come later, from a theme. Widths are display columns by `unicode-width`.

use std::borrow::Cow;
use std::ops::Range;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Declares an enumeration together with the name and the map letter of each member.
macro_rules! named {
    ($(#[$meta:meta])* $enum:ident { $($(#[$doc:meta])* $member:ident $name:literal $letter:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $enum { $($(#[$doc])* $member,)* }

        impl $enum {
            /// Every member, in the order of declaration.
            pub const ALL: &'static [$enum] = &[$($enum::$member,)*];

            /// The name that themes use.
            pub fn name(self) -> &'static str {
                match self { $($enum::$member => $name,)* }
            }

            /// One letter, for maps of a screen in tests and dumps.
            pub fn letter(self) -> char {
                match self { $($enum::$member => $letter,)* }
            }

            /// The member with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some($enum::$member),)* _ => None }
            }
        }
    };
}

named! {
    /// What a piece of text is.
    Role {
        /// Text of no special kind.
        Plain "plain" '.',
        /// A word of the language: `def`, `let`, `rule`, `for`.
        Keyword "keyword" 'k',
        /// A pattern of the high level: `map`, `reduce`.
        PatternHigh "pattern-high" 'H',
        /// A pattern of the low level: `mapSeq`, `toMem`.
        PatternLow "pattern-low" 'L',
        /// A pattern that only OpenCL has: `mapGlobal`.
        PatternOpencl "pattern-opencl" 'O',
        /// A bound or free name.
        Variable "variable" 'v',
        /// A number or truth value in a program.
        Literal "literal" '0',
        /// A type.
        Type "type" 't',
        /// A symbolic size.
        Size "size" 'z',
        /// `|>`, `~>`, `+`, `;`.
        Operator "operator" 'o',
        /// A comment.
        Comment "comment" 'c',
        /// Brackets, commas.
        Punctuation "punctuation" ',',
        /// The heading of a pane, of a popup, of a column.
        Title "title" 'T',
        /// A key to press.
        Key "key" 'K',
        /// The frame of a pane.
        Border "border" 'b',
        /// The frame of the pane that has the keys.
        Focus "focus" 'B',
        /// The status line.
        Status "status" 's',
        /// A line of hints.
        Hint "hint" 'h',
        /// Something wrong.
        Error "error" 'E',
        /// Something to mind.
        Warning "warning" 'W',
        /// Less important than its surroundings, or not available.
        Dim "dim" 'd',
        /// A check that holds, a goal that is reached.
        Good "good" 'g',
        /// A check that fails.
        Bad "bad" 'x',
        /// A measured or counted figure.
        Number "number" 'n',
        /// A directive, a pragma, a preprocessor line.
        Directive "directive" '#',
    }
}

named! {
    /// What is going on with a piece of text, on top of what it is.
    Mark {
        /// Nothing.
        None "none" ' ',
        /// It is the selection of the pane that has the keys.
        Selected "selected" 'S',
        /// It is the selection of another pane.
        Remembered "remembered" 'R',
        /// It answers what was searched for.
        Found "found" 'F',
        /// It is new, in a difference.
        Inserted "inserted" '+',
        /// It is gone, in a difference.
        Deleted "deleted" '-',
    }
}

/// Which characters may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alphabet {
    /// `λ → × ▷`, box drawing.
    Unicode,
    /// Printable ASCII only.
    Ascii,
}

impl Alphabet {
    /// One of two spellings.
    pub fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Alphabet::Unicode => unicode,
            Alphabet::Ascii => ascii,
        }
    }

    /// The text in this alphabet, with everything that could disturb a terminal made visible: tabs become
    /// spaces, control characters `.`; in ASCII, symbols become their twins and what has none becomes `?`.
    pub fn clean<'a>(self, text: &'a str) -> Cow<'a, str> {
        let fits = |c: char| match self {
            Alphabet::Unicode => !c.is_control() && !disturbs(c),
            Alphabet::Ascii => c.is_ascii() && !c.is_ascii_control(),
        };
        if text.chars().all(fits) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                _ if fits(c) => out.push(c),
                '\t' => out.push_str("    "),
                _ if c.is_control() => out.push('.'),
                _ if self == Alphabet::Ascii => out.push_str(ascii_twin(c)),
                _ => out.push('.'),
            }
        }
        Cow::Owned(out)
    }

    /// Lines that are printed one below the other: in ASCII each is [cleaned](Alphabet::clean).
    pub fn printed(self, lines: String) -> String {
        if self == Alphabet::Unicode || lines.is_ascii() {
            return lines;
        }
        lines.split('\n').map(|line| self.clean(line)).collect::<Vec<_>>().join("\n")
    }
}

/// Characters that are not controls and yet move or hide other text: directions and invisible separators.
fn disturbs(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// The ASCII spelling of a symbol.
fn ascii_twin(c: char) -> &'static str {
    match c {
        'λ' => "\\",
        'Λ' => "/\\",
        '→' | '⟶' => "->",
        '↦' | '⇝' | '↝' => "~>",
        '▷' => "|>",
        '×' | '·' | '∗' => "*",
        '∧' => "and",
        '∨' => "or",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '⇒' => "=>",
        '∈' => "in",
        '∉' => "notin",
        '∤' => "does not divide",
        '∣' => "|",
        '…' | '⋯' => "...",
        '–' | '—' | '−' => "-",
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        '✓' => "ok",
        '✗' => "no",
        '±' => "+-",
        '≈' => "~",
        '╱' => "/",
        'µ' | 'μ' => "u",
        '█' | '▓' | '▒' | '░' | '■' | '▀' | '▄' | '▁' | '▂' | '▃' | '▅' | '▆' | '▇' => {
            "#"
        }
        '▏' | '▎' | '▍' | '▌' | '▋' | '▊' | '▉' => "-",
        '│' | '┃' | '║' => "|",
        '─' | '━' | '═' => "-",
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╰' | '╯' => {
            "+"
        }
        '•' | '●' | '◦' | '∘' => "*",
        '○' => "o",
        '▸' | '▶' | '›' => ">",
        '◂' | '◀' | '‹' => "<",
        '▾' | '▼' | '↓' => "v",
        '▴' | '▲' | '↑' => "^",
        '←' => "<-",
        '²' => "2",
        '³' => "3",
        '₀' => "0",
        '₁' => "1",
        '₂' => "2",
        'Δ' => "d",
        'α' => "a",
        'β' => "b",
        'δ' => "d",
        'η' => "eta",
        'ν' => "nu",
        '\u{a0}' => " ",
        _ => "?",
    }
}

/// A piece of text with a role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The text, without line ends.
    pub text: Cow<'static, str>,
    /// What it is.
    pub role: Role,
    /// What is going on with it.
    pub mark: Mark,
    /// The colours of a piece of a picture, which no theme gives.
    pub pixels: Option<Pixels>,
}

/// The colours of the upper and of the lower half of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pixels {
    /// Red, green and blue of the upper half.
    pub upper: [u8; 3],
    /// Red, green and blue of the lower half.
    pub lower: [u8; 3],
}

impl Span {
    /// A span without a mark.
    pub fn new(role: Role, text: impl Into<Cow<'static, str>>) -> Span {
        Span { text: text.into(), role, mark: Mark::None, pixels: None }
    }

    /// Width in columns.
    pub fn width(&self) -> usize {
        self.text.width()
    }
}

/// A line of spans.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// The spans, left to right.
    pub spans: Vec<Span>,
}

impl Line {
    /// A line without text.
    pub fn empty() -> Line {
        Line::default()
    }

    /// A line of one span.
    pub fn of(role: Role, text: impl Into<Cow<'static, str>>) -> Line {
        Line { spans: vec![Span::new(role, text)] }
    }

    /// A line of plain text.
    pub fn plain(text: impl Into<Cow<'static, str>>) -> Line {
        Line::of(Role::Plain, text)
    }

    /// The line with one more span at its end.
    pub fn with(mut self, role: Role, text: impl Into<Cow<'static, str>>) -> Line {
        self.push(role, text);
        self
    }

    /// Adds a span at the end.
    pub fn push(&mut self, role: Role, text: impl Into<Cow<'static, str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.spans.push(Span::new(role, text));
        }
    }

    /// Adds the spans of another line at the end.
    pub fn append(&mut self, other: Line) {
        self.spans.extend(other.spans);
    }

    /// Width in columns.
    pub fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }

    /// The text alone.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_ref()).collect()
    }

    /// Length of the text in bytes.
    pub fn len(&self) -> usize {
        self.spans.iter().map(|span| span.text.len()).sum()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The line in an alphabet, without anything that could disturb a terminal.
    pub fn clean(mut self, alphabet: Alphabet) -> Line {
        for span in &mut self.spans {
            if let Cow::Owned(text) = alphabet.clean(&span.text) {
                span.text = Cow::Owned(text);
            }
        }
        self
    }

    /// The bytes of the spaces that it begins with.
    pub fn indent(&self) -> usize {
        let chars = self.spans.iter().flat_map(|span| span.text.chars());
        chars.take_while(|c| c.is_whitespace()).map(char::len_utf8).sum()
    }

    /// The whole line with a mark.
    pub fn marked(mut self, mark: Mark) -> Line {
        for span in &mut self.spans {
            span.mark = mark;
        }
        self
    }

    /// Marks the bytes of `range`, splitting spans where it begins and ends. Positions beyond the line or
    /// inside a character are moved to the next boundary.
    pub fn mark(&mut self, range: Range<usize>, mark: Mark) {
        *self = self.with_marks(&[(range, mark)]);
    }

    /// The line with more marks.
    pub fn with_marks(&self, marks: &[(Range<usize>, Mark)]) -> Line {
        Line { spans: self.pieces(marks).map(|piece| piece.spelt(piece.text.to_owned())).collect() }
    }

    /// The spans, split where marks begin and end. Of marks over each other the last counts.
    fn pieces<'a>(&'a self, marks: &'a [(Range<usize>, Mark)]) -> impl Iterator<Item = Piece<'a>> {
        let mut start = 0;
        self.spans.iter().flat_map(move |span| {
            let begin = start;
            start += span.text.len();
            let within = |at: usize| ceil_boundary(&span.text, at.clamp(begin, start) - begin);
            let over = marks.iter().filter(|(range, _)| range.start < start && range.end > begin);
            let over: Vec<(Range<usize>, Mark)> =
                over.map(|(range, mark)| (within(range.start)..within(range.end), *mark)).collect();
            let mut ends: Vec<usize> = over.iter().flat_map(|(range, _)| [range.start, range.end]).collect();
            ends.extend([0, span.text.len()]);
            ends.sort_unstable();
            ends.dedup();
            let piece = |ends: &[usize]| {
                let last = over.iter().rev().find(|(range, _)| range.contains(&ends[0]));
                let text = span.text.get(ends[0]..ends[1]).unwrap_or_default();
                Piece { text, span, mark: last.map_or(span.mark, |(_, mark)| *mark) }
            };
            ends.windows(2).map(piece).collect::<Vec<_>>()
        })
    }

    /// The columns `from .. from + width`; a wide character that is cut is replaced by a space.
    pub fn columns(&self, from: usize, width: usize) -> Line {
        columns_of(self.pieces(&[]), from, width, |text| Cow::Borrowed(text))
    }

    /// The columns of the line in an alphabet, with more marks. What is beyond them is not looked at, so that long lines are shown as
    /// soon as short ones.
    pub fn shown(
        &self,
        marks: &[(Range<usize>, Mark)],
        from: usize,
        width: usize,
        alphabet: Alphabet,
    ) -> Line {
        columns_of(self.pieces(marks), from, width, |text| alphabet.clean(text))
    }

    /// The line cut to `width` columns, with an ellipsis where something is missing.
    pub fn fit(&self, width: usize, alphabet: Alphabet) -> Line {
        if self.width() <= width {
            return self.clone();
        }
        let dots = alphabet.pick("…", "...");
        let room = width.saturating_sub(dots.width());
        if room == 0 {
            return self.columns(0, width);
        }
        let mut line = self.columns(0, room);
        let last = line.spans.last().map_or((Role::Dim, Mark::None), |span| (Role::Dim, span.mark));
        line.spans.push(Span { mark: last.1, ..Span::new(last.0, dots) });
        line
    }

    /// The line in at most so many columns with both of its ends: what lines differ in at their ends is seen of each.
    pub fn fit_ends(&self, width: usize, alphabet: Alphabet) -> Line {
        let (total, dots) = (self.width(), alphabet.pick("…", "..."));
        let room = width.saturating_sub(dots.width());
        if total <= width || room < SHORTEST_ENDS {
            return self.fit(width, alphabet);
        }
        let end = room / 2;
        let mut line = self.columns(0, room - end);
        line.push(Role::Dim, dots);
        line.append(self.columns(total - end, end));
        line
    }

    /// The line followed by spaces up to `width` columns; the spaces take the mark of the last span.
    pub fn pad(mut self, width: usize) -> Line {
        let missing = width.saturating_sub(self.width());
        if missing > 0 {
            let mark = self.spans.last().map_or(Mark::None, |span| span.mark);
            self.spans.push(Span { mark, ..Span::new(Role::Plain, " ".repeat(missing)) });
        }
        self
    }

    /// The line broken into lines of at most `width` columns, at spaces where there are some; continuation
    /// lines are indented by `indent` columns.
    pub fn wrap(&self, width: usize, indent: usize) -> Vec<Line> {
        self.wrapped(width, indent).collect()
    }

    /// The same line by line: of a long line that has few rows, what is beyond them is not looked at.
    pub fn wrapped(&self, width: usize, indent: usize) -> impl Iterator<Item = Line> {
        let width = width.max(1);
        let indent = if indent < width { indent } else { 0 };
        let mut rest = Some(Place::default());
        std::iter::from_fn(move || {
            let from = rest.take()?;
            let first = from == Place::default();
            let room = if first { width } else { width - indent };
            let (to, next) = self.broken(from, room);
            rest = next;
            let mut line = self.between(from, to).columns(0, room);
            if !first && indent > 0 {
                line.spans.insert(0, Span::new(Role::Plain, " ".repeat(indent)));
            }
            Some(line)
        })
    }

    /// Where a row that begins here ends, and where the next one begins, if something is left to be seen.
    fn broken(&self, from: Place, room: usize) -> (Place, Option<Place>) {
        let after = |at: Place| Place { byte: at.byte + 1, ..at };
        let (mut column, mut space) = (0, None);
        for (at, c) in self.places(from) {
            let wide = c.width().unwrap_or(0);
            if c == ' ' && column > 0 {
                space = Some(at);
            }
            column += wide;
            if column <= room || wide == 0 {
                continue;
            }
            let (to, next) = match space {
                Some(space) => (space, after(space)),
                // A first character that is wider than the room is cut rather than looped on.
                None if column == wide => {
                    let behind = Place { byte: at.byte + c.len_utf8(), ..at };
                    (behind, behind)
                }
                None => (at, at),
            };
            let is_seen = |(_, c): (Place, char)| c.width().unwrap_or(0) > 0;
            return (to, Some(next).filter(|next| self.places(*next).any(is_seen)));
        }
        (Place { span: self.spans.len(), byte: 0 }, None)
    }

    /// The characters from a place on, each with its place.
    fn places(&self, from: Place) -> impl Iterator<Item = (Place, char)> {
        self.spans.iter().enumerate().skip(from.span).flat_map(move |(span, Span { text, .. })| {
            let begin = if span == from.span { from.byte } else { 0 };
            let chars = text.get(begin..).unwrap_or_default().char_indices();
            chars.map(move |(byte, c)| (Place { span, byte: begin + byte }, c))
        })
    }

    /// What is between two places.
    fn between(&self, from: Place, to: Place) -> Line {
        let spans = self.spans.iter().enumerate().skip(from.span).take_while(|(span, _)| *span <= to.span);
        let spans = spans.map(|(at, span)| {
            let begin = if at == from.span { from.byte } else { 0 };
            let end = if at == to.span { to.byte } else { span.text.len() };
            let text = span.text.get(begin..end).unwrap_or_default();
            Span { text: Cow::Owned(text.to_owned()), ..*span }
        });
        Line { spans: spans.collect() }
    }
}

/// A part of a span with the mark that it has then.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    span: &'a Span,
    mark: Mark,
}

impl Piece<'_> {
    /// A span of its own, with this text.
    fn spelt(&self, text: String) -> Span {
        Span { text: Cow::Owned(text), mark: self.mark, ..*self.span }
    }
}

/// The columns `from .. from + width` of what stands one after the other, as it is spelt.
fn columns_of<'a>(
    pieces: impl Iterator<Item = Piece<'a>>,
    from: usize,
    width: usize,
    spelt: impl Fn(&str) -> Cow<'_, str>,
) -> Line {
    let mut line = Line::empty();
    let mut column = 0;
    let end = from.saturating_add(width);
    for piece in pieces {
        let mut text = String::new();
        for c in spelt(piece.text).chars() {
            let w = c.width().unwrap_or(0);
            if w > 0 && column >= end {
                break;
            }
            let (first, last) = (column, column + w);
            column = last;
            if w == 0 {
                if first > from && first <= end {
                    text.push(c);
                }
            } else if first >= from && last <= end {
                text.push(c);
            } else if first < end && last > from {
                text.push_str(&" ".repeat(last.min(end) - first.max(from)));
            }
        }
        if !text.is_empty() {
            line.spans.push(piece.spelt(text));
        }
        if column >= end {
            break;
        }
    }
    line
}

/// Where a character stands in a line.
#[derive(Clone, Copy, PartialEq, Default)]
struct Place {
    span: usize,
    byte: usize,
}

/// In fewer columns only the beginning of a line is shown.
const SHORTEST_ENDS: usize = 16;

/// The first character boundary at or after `index`.
fn ceil_boundary(text: &str, index: usize) -> usize {
    (index..text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len())
}

/// A text without its line ends and indentation.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text broken at line ends into lines of one role.
pub fn lines_of(role: Role, text: &str) -> Vec<Line> {
    text.lines().map(|line| Line::of(role, line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_and_letters_are_unique() {
        let mut names: Vec<_> = Role::ALL.iter().map(|r| r.name()).collect();
        let mut letters: Vec<_> = Role::ALL.iter().map(|r| r.letter()).collect();
        names.sort_unstable();
        letters.sort_unstable();
        names.dedup();
        letters.dedup();
        assert_eq!((names.len(), letters.len()), (Role::ALL.len(), Role::ALL.len()));
        for role in Role::ALL {
            assert_eq!(Role::from_name(role.name()), Some(*role));
        }
    }

    #[test]
    fn ascii_twins_are_ascii() {
        let text = "λx. x ▷ map → n×m ⋯ 日本\u{1b}[31m\ttab";
        let clean = Alphabet::Ascii.clean(text);
        assert_eq!(clean, "\\x. x |> map -> n*m ... ??.[31m    tab");
        assert_eq!(Alphabet::Unicode.clean("a\u{202e}b\u{7}"), "a.b.");
        assert_eq!(Alphabet::Ascii.printed("5 µs\n✓ … ›\n".to_owned()), "5 us\nok ... >\n");
        assert_eq!(Alphabet::Unicode.printed("5 µs\n".to_owned()), "5 µs\n");
    }

    #[test]
    fn marking_splits_spans() {
        let mut line = Line::of(Role::Keyword, "let").with(Role::Plain, " x = 1");
        line.mark(2..5, Mark::Selected);
        let marked: Vec<_> = line.spans.iter().map(|s| (s.text.as_ref(), s.mark)).collect();
        assert_eq!(
            marked,
            [("le", Mark::None), ("t", Mark::Selected), (" x", Mark::Selected), (" = 1", Mark::None)]
        );
    }

    #[test]
    fn wide_characters_are_cut_to_spaces() {
        let line = Line::plain("a日b");
        assert_eq!(line.width(), 4);
        assert_eq!(line.columns(0, 2).text(), "a ");
        assert_eq!(line.columns(2, 2).text(), " b");
        assert_eq!(line.fit(3, Alphabet::Unicode).text(), "a …");
    }

    #[test]
    fn lines_that_differ_at_their_ends_do_so_in_few_columns() {
        let long = |end: &str| Line::plain(format!("`reduce over k (map over n ...)`: {end}"));
        let shown = |end| long(end).fit_ends(32, Alphabet::Unicode).text();
        assert!(shown("anything").ends_with(": anything"), "{}", shown("anything"));
        assert!(shown("only what it contains").ends_with("it contains"));
        assert_ne!(shown("anything"), shown("over any number"));
        assert_eq!(long("anything").fit_ends(80, Alphabet::Unicode), long("anything"));
    }

    #[test]
    fn wrapping_prefers_spaces_and_indents() {
        let lines: Vec<_> =
            Line::plain("split 32 |> map reduce").wrap(12, 2).iter().map(Line::text).collect();
        assert_eq!(lines, ["split 32 |>", "  map reduce"]);
        // Wide characters are kept where a line is broken before them.
        let lines = |width| Line::plain("ab日本 c").wrap(width, 0).iter().map(Line::text).collect::<Vec<_>>();
        assert_eq!((lines(2), lines(3)), (vec_of(["ab", "日", "本", "c"]), vec_of(["ab", "日", "本", "c"])));
        assert_eq!(lines(1), ["a", "b", " ", " ", " ", "c"]);
        let spans = Line::of(Role::Good, "one tw").with(Role::Bad, "o  three");
        let lines: Vec<_> = spans.wrap(7, 0).iter().map(Line::text).collect();
        assert_eq!(lines, ["one two", " three"]);
    }

    /// However long a line is, what is left of it is not looked at again for each of its rows.
    #[test]
    fn a_line_of_a_million_rows_is_broken() {
        let line = Line::plain("ab ".repeat(1_000_000));
        assert_eq!(line.wrap(2, 0).len(), 1_000_000);
        assert_eq!(line.wrapped(2, 0).nth(2).map(|line| line.text()), Some("ab".to_owned()));
    }

    fn vec_of<const N: usize>(texts: [&str; N]) -> Vec<String> {
        texts.map(str::to_owned).to_vec()
    }

    proptest! {
        #[test]
        fn cutting_never_exceeds_its_width(text in "\\PC{0,40}", from in 0usize..50, width in 0usize..50) {
            let line = Line::plain(Alphabet::Unicode.clean(&text).into_owned());
            prop_assert!(line.columns(from, width).width() <= width);
            prop_assert!(line.fit(width, Alphabet::Unicode).width() <= width);
            prop_assert!(line.fit(width, Alphabet::Ascii).width() <= width);
            prop_assert!(line.fit_ends(width, Alphabet::Unicode).width() <= width);
            prop_assert!(line.fit_ends(width, Alphabet::Ascii).width() <= width);
            for piece in line.wrap(width, from) {
                prop_assert!(piece.width() <= width.max(1));
            }
        }

        #[test]
        fn marking_keeps_the_text(text in "\\PC{0,40}", a in 0usize..80, b in 0usize..80) {
            let mut line = Line::plain(text.clone()).with(Role::Type, text.clone());
            line.mark(a..b, Mark::Found);
            prop_assert_eq!(line.text(), format!("{text}{text}"));
        }

        #[test]
        fn clean_ascii_is_printable_ascii(text in any::<String>()) {
            prop_assert!(Alphabet::Ascii.clean(&text).chars().all(|c| (' '..='~').contains(&c)));
            prop_assert!(!Alphabet::Unicode.clean(&text).chars().any(char::is_control));
        }
    }
}
