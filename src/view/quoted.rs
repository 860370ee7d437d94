//! Problems in few columns: sentences are broken, and lines that are quoted are moved sideways, so that what marks a part of them
//! stands under that part.

use super::text::{Alphabet, Line, Role};

/// The rows of a problem, or of other sentences, in so many columns; what follows a sentence's first row is indented so far.
pub fn rows(lines: &[Line], width: usize, indent: usize) -> Vec<Line> {
    let mut out = vec![];
    let mut rest = lines;
    while let Some((first, after)) = rest.split_first() {
        out.extend(first.wrap(width, indent));
        rest = after;
        if let Some((border, alphabet)) = begins(first) {
            let many = rest.iter().take_while(|line| is_quoted(line, border)).count();
            let (quoted, after) = rest.split_at(many);
            out.extend(moved(quoted, border + 2, width, alphabet));
            rest = after;
        }
    }
    out
}

/// The column of the border of what is quoted after this line, where it is the one that says from where.
fn begins(line: &Line) -> Option<(usize, Alphabet)> {
    let text = line.text();
    let said = text.trim_start_matches(' ');
    let border = text.len() - said.len();
    let begins = |sign: &str| said.starts_with(sign);
    if begins("┌─ ") {
        Some((border, Alphabet::Unicode))
    } else if begins("--> ") {
        Some((border, Alphabet::Ascii))
    } else {
        None
    }
}

/// Whether a line is quoted, or marks something in one: behind its number, or none, is the border.
fn is_quoted(line: &Line, border: usize) -> bool {
    let text = line.text();
    let mut chars = text.chars();
    let number = chars.by_ref().take(border).all(|c| c == ' ' || c.is_ascii_digit());
    number && chars.next().is_some_and(|c| "│|·.".contains(c))
}

/// The quoted lines, of which the text begins in a column, with what is marked in sight.
fn moved(lines: &[Line], from: usize, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let is_source = |line: &Line| line.text().trim_start().starts_with(|c: char| c.is_ascii_digit());
    let body = |line: &Line| line.columns(from, line.width().saturating_sub(from));
    let room = width.saturating_sub(from).max(1);
    let widest =
        lines.iter().filter(|line| is_source(line)).map(|line| body(line).width()).max().unwrap_or(0);
    let marks = |sign: char| {
        let mark = |line: &Line| {
            let text = body(line).text();
            let begin = text.chars().position(|c| c == sign)?;
            let long = text.chars().skip(begin).take_while(|c| *c == sign).count();
            Some((begin, begin + long))
        };
        lines.iter().filter(|line| !is_source(line)).find_map(mark)
    };
    let marked = marks('^').or_else(|| marks('-'));
    let left = match marked {
        Some((begin, end)) if widest > room && end >= room => {
            // Some of what stands before it is seen too.
            let before = room.saturating_sub(end - begin) / 2;
            begin.saturating_sub(before.max(2)).min(widest.saturating_sub(room))
        }
        _ => 0,
    };
    let dots = alphabet.pick("…", "...");
    let row = |line: &Line| -> Vec<Line> {
        let mut shown = line.columns(0, from);
        let text = body(line);
        let rest = text.columns(left, text.width().saturating_sub(left));
        if is_source(line) {
            if left > 0 && text.width() > left {
                let cut = dots.chars().count();
                shown.push(Role::Dim, dots);
                shown.append(rest.columns(cut, rest.width().saturating_sub(cut)));
            } else {
                shown.append(rest);
            }
            return vec![shown.fit(width, alphabet)];
        }
        let under = marked.map_or(0, |(begin, _)| begin.saturating_sub(left));
        shown.append(rest);
        shown.wrap(width, (from + under).min(width / 2))
    };
    lines.iter().flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::{Diagnostic, Sources, Span};
    use crate::view::problem;

    /// A long line with a name that nothing has, near its end.
    fn shown(width: usize, alphabet: Alphabet) -> Vec<String> {
        let text = format!(
            "def f (a: n.f32): n.f32 = a |> map (\\x. x * {}) |> mpa sqrt |> map abs\n",
            "1.0 + ".repeat(8) + "x"
        );
        let mut sources = Sources::new();
        let file = sources.add("a.rise", &text);
        let at = text.find("mpa").unwrap() as u32;
        let problem = Diagnostic::error(
            "E0101",
            "There is no `mpa`, neither in this file nor in the library that all see.",
        )
        .label(Span { file, start: at, end: at + 3 }, "this name has no meaning here, and none elsewhere")
        .hint("Did you mean `map`?");
        rows(&problem::lines(&problem, &sources, alphabet), width, 3).iter().map(Line::text).collect()
    }

    #[test]
    fn what_marks_a_part_of_a_long_line_stands_under_it() {
        for alphabet in [Alphabet::Unicode, Alphabet::Ascii] {
            for width in [44, 60, 74, 200] {
                let rows = shown(width, alphabet);
                let text = rows.join("\n");
                assert!(rows.iter().all(|row| Line::plain(row.clone()).width() <= width), "{width}:\n{text}");
                let source = rows.iter().position(|row| row.contains("mpa sqrt")).unwrap();
                let column = |row: &str, what: &str| row[..row.find(what).unwrap()].chars().count();
                assert_eq!(
                    column(&rows[source], "mpa"),
                    column(&rows[source + 1], "^^^"),
                    "{width}:\n{text}"
                );
                let said: Vec<&str> = text.split_whitespace().collect();
                assert!(
                    said.join(" ").contains("this name has no meaning here, and none elsewhere"),
                    "{text}"
                );
            }
        }
        // Where there is room it is as it was.
        assert!(shown(200, Alphabet::Unicode).iter().any(|row| row.contains("1 │ def f")));
    }
}
