//! The rules that could be applied at the selection.

use super::text::{Alphabet, Line, Role};
use crate::lang::path::Path;

/// A rule is cut to no fewer columns to make room for what it does.
const CALL: usize = 12;

/// A rule's name with its marks in so many columns. Where they do not fit, a sign stands for the marks, and then the name is
/// cut: that a rule has marks is always seen.
fn marked(call: &str, marks: &str, room: usize, alphabet: Alphabet) -> String {
    if marks.is_empty() {
        return Line::plain(call.to_owned()).fit(room, alphabet).text();
    }
    let whole = format!("{call} {marks}");
    if whole.chars().count() <= room {
        return whole;
    }
    let name = Line::plain(call.to_owned()).fit(room.saturating_sub(2), alphabet).text();
    format!("{} {}", name.trim_end(), alphabet.pick("≈", "~"))
}

/// A rule at a place, with its marks, and what it does and is about or why it does not apply. Where the width does not do for
/// all, the rule's name is cut rather than what it does; where that does not do either, what it does is said in brief.
#[expect(clippy::too_many_arguments, reason = "a row has so many parts")]
pub fn line<T>(
    place: &str,
    call: &str,
    marks: &str,
    [effect, brief]: [&str; 2],
    doc: &str,
    result: &Result<T, String>,
    width: usize,
    alphabet: Alphabet,
) -> Line {
    let before = 2 + place.chars().count() + call.chars().count().min(CALL) + 2;
    let effect = if before + effect.chars().count() > width { brief } else { effect };
    let gap = if effect.is_empty() { "" } else { "  " };
    match result {
        Ok(_) => Line::of(Role::Good, alphabet.pick("✓ ", "+ "))
            .with(Role::Number, place.to_owned())
            .with(Role::Plain, {
                let others = 2 + place.chars().count() + gap.len() + effect.chars().count();
                let room = width.saturating_sub(others).max(CALL);
                marked(call, marks, room, alphabet)
            })
            .with(Role::Size, format!("{gap}{effect}"))
            .with(Role::Hint, format!("  {doc}")),
        Err(why) => Line::of(Role::Dim, alphabet.pick("✗ ", "- "))
            .with(Role::Dim, place.to_owned())
            .with(Role::Dim, [call, marks].join(" ").trim_end().to_owned())
            .with(Role::Dim, format!("  {why}")),
    }
}

/// What a rule is: in words, and as it is written, since what is said of a match speaks of its variables.
pub fn what(doc: &str, text: &str) -> Vec<Line> {
    let written = text.trim_end().lines().map(|line| Line::of(Role::Title, format!("    {line}")));
    std::iter::once(Line::plain(doc.to_owned())).chain(written).collect()
}

/// Whether a rule applies here.
pub fn applies<T>(call: &str, result: &Result<T, String>) -> Line {
    match result {
        Ok(_) => Line::of(Role::Good, format!("{call} applies here.")),
        Err(why) => Line::of(Role::Error, format!("{call} does not apply here: {why}.")),
    }
}

/// Where inside of the selection a rule comes nearest to a match, and what stops it there; or that it applies there.
pub fn nearest<T>(
    at: &Path,
    result: &Result<T, String>,
    stops: Option<(Path, String)>,
    depth: u32,
) -> Vec<Line> {
    let why = match result {
        Ok(_) => return vec![Line::of(Role::Good, format!("Inside it applies, at {at}."))],
        Err(why) => why,
    };
    let nearest = Line::of(Role::Error, format!("Inside it comes nearest at {at}: {why}."));
    std::iter::once(nearest).chain(stopped(stops, depth)).collect()
}

/// How much of a left side matched, and where the match stopped.
pub fn stopped(stops: Option<(Path, String)>, depth: u32) -> Vec<Line> {
    let mut lines = vec![];
    if depth > 0 {
        let nodes = if depth == 1 { "node of its left side matches" } else { "nodes of its left side match" };
        lines.push(Line::plain(format!("{depth} {nodes}.")));
    }
    if let Some((path, text)) = stops {
        let at = if path.is_root() { "the whole program".to_owned() } else { path.to_string() };
        lines.push(Line::plain("The match stops at ").with(Role::Number, at));
        lines.extend(text.lines().take(8).map(|l| Line::of(Role::Warning, format!("    {l}"))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::effect::Effect;

    #[test]
    fn that_a_rule_has_marks_is_seen_at_every_width() {
        let at = |room, alphabet| marked("blockedReduce(p)", "[reassociates]", room, alphabet);
        assert_eq!(at(31, Alphabet::Unicode), "blockedReduce(p) [reassociates]");
        assert_eq!(at(30, Alphabet::Unicode), "blockedReduce(p) ≈");
        assert_eq!(at(12, Alphabet::Unicode), "blockedRe… ≈");
        assert_eq!(at(18, Alphabet::Ascii), "blockedReduce(p) ~");
        assert_eq!(marked("useMapSeq", "", 12, Alphabet::Unicode), "useMapSeq");
    }

    /// What a rule does is not cut where its name alone leaves no room for all words.
    #[test]
    fn what_a_rule_does_is_said_in_few_columns_too() {
        let effect = Effect::Loops { loops: (20, 23), stores: (0, 1) };
        let row = |width| {
            let effects = [&*effect.text(Alphabet::Unicode), &*effect.brief(Alphabet::Unicode)];
            line(
                "map 8/27 ",
                "useIterateStream",
                "",
                effects,
                "doc",
                &Ok::<(), _>(()),
                width,
                Alphabet::Unicode,
            )
            .shown(&[], 0, width, Alphabet::Unicode)
            .text()
        };
        assert_eq!(row(60), "✓ map 8/27 useIterateStream  loops 20 → 23, stores 0 → 1  do");
        assert_eq!(row(44), "✓ map 8/27 useIterateS…  loops +3, stores +1");
        let order = Effect::Order.brief(Alphabet::Unicode);
        assert_eq!(order, "reorders");
        let runs = Effect::Loop("for n".to_owned(), "for n (par)".to_owned());
        assert_eq!(
            (runs.text(Alphabet::Unicode).as_str(), runs.brief(Alphabet::Unicode).as_str()),
            ("n (par)", "(par)")
        );
    }
}
