//! Generated code and the stages on the way to it.

use super::code::{self, Dialect};
use super::text::{Line, Role};
use crate::lang::columns;

/// The lines of a stage, numbered.
pub fn lines(stage: &str, text: &str) -> Vec<Line> {
    let dialect = match stage {
        "c" | "opencl" | "header" | "library" | "host" => Dialect::C,
        _ => Dialect::Rise,
    };
    let lines = code::highlight(text, dialect);
    let all = lines.len();
    let numbered = |(i, line): (usize, Line)| {
        let mut out = Line::of(Role::Dim, number(i, all));
        out.append(line);
        out
    };
    lines.into_iter().enumerate().map(numbered).collect()
}

/// The number of a line, counted from 0, of so many.
pub fn number(line: usize, all: usize) -> String {
    let digits = all.to_string().len();
    format!("{} ", columns::right(&(line + 1).to_string(), digits))
}

/// The names of the stages with the shown one in brackets; where there is no room, the first ones are left out.
pub fn stages(names: &[String], shown: &str, width: usize) -> Line {
    let at = names.iter().position(|name| name == shown).unwrap_or(0);
    let line = |from: usize| {
        let mut line = if from > 0 { Line::of(Role::Dim, "… › ") } else { Line::empty() };
        for (i, name) in names.iter().enumerate().skip(from) {
            if i > from {
                line.push(Role::Dim, " › ");
            }
            if name == shown {
                line.push(Role::Title, format!("[{name}]"));
            } else {
                line.push(Role::Dim, name.clone());
            }
        }
        line
    };
    (0..at).map(line).find(|line| line.width() <= width).unwrap_or_else(|| line(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_the_stage_is_named() {
        let text: Vec<String> = lines("c", &"x;\n".repeat(10)).iter().map(Line::text).collect();
        assert_eq!((text[0].as_str(), text[9].as_str()), (" 1 x;", "10 x;"));
        let names = ["dpia".to_owned(), "c".to_owned()];
        assert_eq!(stages(&names, "c", 20).text(), "dpia › [c]");
        assert_eq!(stages(&names, "c", 8).text(), "… › [c]");
    }
}
