//! The rules that could be applied at the selection.

use super::text::{Alphabet, Line, Role};
use crate::lang::path::Path;

/// A rule is cut to no fewer columns to make room for what it does.
const CALL: usize = 12;

/// A rule at a place, with what it does and is about or why it does not apply. Where the width does not do for both, the
/// rule's name is cut rather than what it does.
pub fn line<T>(
    place: &str,
    call: &str,
    effect: &str,
    doc: &str,
    result: &Result<T, String>,
    width: usize,
    alphabet: Alphabet,
) -> Line {
    let gap = if effect.is_empty() { "" } else { "  " };
    match result {
        Ok(_) => Line::of(Role::Good, alphabet.pick("✓ ", "+ "))
            .with(Role::Number, place.to_owned())
            .with(Role::Plain, {
                let others = 2 + place.chars().count() + gap.len() + effect.chars().count();
                let room = width.saturating_sub(others).max(CALL);
                Line::plain(call.to_owned()).fit(room, alphabet).text()
            })
            .with(Role::Size, format!("{gap}{effect}"))
            .with(Role::Hint, format!("  {doc}")),
        Err(why) => Line::of(Role::Dim, alphabet.pick("✗ ", "- "))
            .with(Role::Dim, place.to_owned())
            .with(Role::Dim, call.to_owned())
            .with(Role::Dim, format!("  {why}")),
    }
}

/// Everything about a rule here: what it is, whether it applies, and where the match stops if it does not.
pub fn why<T>(
    call: &str,
    doc: &str,
    result: &Result<T, String>,
    stops: Option<(Path, String)>,
    depth: u32,
) -> Vec<Line> {
    let mut lines = vec![Line::plain(doc.to_owned())];
    match result {
        Ok(_) => lines.push(Line::of(Role::Good, format!("{call} applies here."))),
        Err(why) => {
            lines.push(Line::of(Role::Error, format!("{call} does not apply here: {why}.")));
            if depth > 0 {
                lines.push(Line::plain(format!("{depth} nodes of its left side match.")));
            }
            if let Some((path, text)) = stops {
                lines.push(Line::plain("The match stops at ").with(Role::Number, path.to_string()));
                lines.extend(text.lines().take(8).map(|l| Line::of(Role::Warning, format!("    {l}"))));
            }
        }
    }
    lines
}
