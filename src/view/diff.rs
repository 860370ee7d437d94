//! The difference of two texts, line by line, with the changed words marked.
//!
//! Every line of the result begins with `+ `, `- ` or two spaces, so that it can be read without colours.
//! Unchanged stretches are folded to a few lines of context.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::text::{Alphabet, Line, Mark, Role, Span};

/// Beyond this many edits (lines of one side times lines of the other) a stretch is shown as replaced whole:
/// finding the shortest difference takes time in proportion, and nobody reads it.
const TOO_DIFFERENT: usize = 4_000_000;
/// The same for the words of a pair of lines.
const TOO_MANY_WORDS: usize = 10_000;

/// How two texts differ, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Lines only in the new text.
    pub inserted: usize,
    /// Lines only in the old text.
    pub deleted: usize,
}

/// The difference of two lists of lines, with `context` unchanged lines around each change (`None` shows all).
pub fn of_lines(old: &[Line], new: &[Line], context: Option<usize>) -> (Vec<Line>, Counts) {
    let old_text: Vec<String> = old.iter().map(Line::text).collect();
    let new_text: Vec<String> = new.iter().map(Line::text).collect();
    let ops = operations(&old_text, &new_text, TOO_DIFFERENT);
    let mut out = Vec::new();
    let mut counts = Counts::default();
    let last = ops.len().saturating_sub(1);
    for (i, op) in ops.iter().enumerate() {
        let (old_range, new_range) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            let lines = &new[new_range];
            let before = if i == 0 { 0 } else { context.unwrap_or(lines.len()) };
            let after = if i == last { 0 } else { context.unwrap_or(lines.len()) };
            same(lines, before, after, context.is_none(), &mut out);
            continue;
        }
        let (deleted, inserted) = (&old[old_range], &new[new_range]);
        counts.deleted += deleted.len();
        counts.inserted += inserted.len();
        let paired = deleted.len() == inserted.len();
        let mut minus = Vec::new();
        let mut plus = Vec::new();
        for i in 0..deleted.len().max(inserted.len()) {
            match (deleted.get(i), inserted.get(i)) {
                (Some(old), Some(new)) if paired => {
                    let (old, new) = words(old, new);
                    minus.push(gutter('-', old));
                    plus.push(gutter('+', new));
                }
                (old, new) => {
                    minus.extend(old.map(|line| gutter('-', line.clone().marked(Mark::Deleted))));
                    plus.extend(new.map(|line| gutter('+', line.clone().marked(Mark::Inserted))));
                }
            }
        }
        out.extend(minus);
        out.extend(plus);
    }
    (out, counts)
}

/// Two texts beside each other in so many columns, equal lines in the same row, with `context` of them around each change.
pub fn beside(old: &[Line], new: &[Line], context: usize, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let column = width.saturating_sub(3) / 2;
    let row = |left: Option<Line>, right: Option<Line>| {
        let left = left.unwrap_or_default().fit(column, alphabet).pad(column);
        let mut out = left.with(Role::Dim, alphabet.pick(" │ ", " | "));
        out.append(right.unwrap_or_default().fit(column, alphabet));
        out
    };
    let texts = |lines: &[Line]| lines.iter().map(Line::text).collect::<Vec<_>>();
    let ops = operations(&texts(old), &texts(new), TOO_DIFFERENT);
    let last = ops.len().saturating_sub(1);
    let mut out = Vec::new();
    for (i, op) in ops.iter().enumerate() {
        let (left, right) = (&old[op.old_range()], &new[op.new_range()]);
        if matches!(op, DiffOp::Equal { .. }) {
            let pairs = left.iter().zip(right);
            let all: Vec<Line> =
                pairs.map(|(a, b)| row(Some(gutter(' ', a.clone())), Some(gutter(' ', b.clone())))).collect();
            let (before, after) = (if i == 0 { 0 } else { context }, if i == last { 0 } else { context });
            if all.len() <= before + after + 1 {
                out.extend(all);
            } else {
                let hidden = all.len() - before - after;
                out.extend_from_slice(&all[..before]);
                out.push(Line::of(Role::Dim, format!("  ⋯ {hidden} lines unchanged")));
                out.extend_from_slice(&all[all.len() - after..]);
            }
            continue;
        }
        for i in 0..left.len().max(right.len()) {
            let pair = match (left.get(i), right.get(i)) {
                (Some(a), Some(b)) => {
                    let (a, b) = words(a, b);
                    (Some(gutter('-', a)), Some(gutter('+', b)))
                }
                (a, b) => (
                    a.map(|a| gutter('-', a.clone().marked(Mark::Deleted))),
                    b.map(|b| gutter('+', b.clone().marked(Mark::Inserted))),
                ),
            };
            out.push(row(pair.0, pair.1));
        }
    }
    out
}

/// The difference of two plain texts.
pub fn of_texts(old: &str, new: &str, context: Option<usize>) -> (Vec<Line>, Counts) {
    let lines = |text: &str| super::text::lines_of(Role::Plain, text);
    of_lines(&lines(old), &lines(new), context)
}

/// As much of a difference as fits so many rows, such that both sides are seen: first the context goes, then whole stretches at
/// the end, then what is in the middle of the sides of the first.
pub fn fitted(lines: &[Line], rows: usize) -> Vec<Line> {
    let sign = |line: &Line| line.spans.first().and_then(|span| span.text.chars().next());
    if lines.len() <= rows {
        return lines.to_vec();
    }
    let changed: Vec<&Line> = lines.iter().filter(|line| matches!(sign(line), Some('+' | '-'))).collect();
    if changed.len() <= rows {
        return changed.into_iter().cloned().collect();
    }
    // A stretch that changes ends where a `-` follows a `+`.
    let ends = changed.windows(2).enumerate();
    let ends: Vec<usize> = ends
        .filter(|(_, w)| sign(w[0]) == Some('+') && sign(w[1]) == Some('-'))
        .map(|(at, _)| at + 1)
        .collect();
    // As many as are seen whole, with the line that says what is missing; else what fits of the first.
    let whole = ends.iter().rev().find(|end| **end < rows);
    let (first, later) = changed.split_at(whole.or(ends.first()).copied().unwrap_or(changed.len()));
    if whole.is_some() {
        let more = Line::of(Role::Dim, format!("  ⋯ {} more changed lines", later.len()));
        return first.iter().map(|line| (*line).clone()).chain([more]).collect();
    }
    let (minus, plus): (Vec<&Line>, Vec<&Line>) = first.iter().partition(|line| sign(line) == Some('-'));
    let all = rows;
    let rows = all.saturating_sub(usize::from(!later.is_empty()));
    let half = rows / 2;
    let (old, new) = match (minus.len(), plus.len()) {
        (m, p) if m <= half => (m, p.min(rows - m)),
        (m, p) if p <= rows - half => (m.min(rows - p), p),
        _ => (half, rows - half),
    };
    let mut out = cut(&minus, old);
    out.extend(cut(&plus, new));
    if !later.is_empty() {
        out.push(Line::of(Role::Dim, format!("  ⋯ {} more changed lines", later.len())));
    }
    out.truncate(all);
    out
}

/// At most so many lines, of which the last says how many are missing, unless there is room for one alone.
fn cut(lines: &[&Line], rows: usize) -> Vec<Line> {
    let whole = lines.len() <= rows || rows == 1;
    let shown = if whole { rows } else { rows.saturating_sub(1) };
    let mut out: Vec<Line> = lines.iter().take(shown).map(|line| (*line).clone()).collect();
    if !whole && rows > 0 {
        out.push(Line::of(Role::Dim, format!("  ⋯ {} more lines", lines.len() - shown)));
    }
    out
}

/// An unchanged stretch: `before` lines after the change above it, `after` lines before the change below it.
fn same(lines: &[Line], before: usize, after: usize, all: bool, out: &mut Vec<Line>) {
    let plain = |line: &Line| gutter(' ', line.clone());
    if all || lines.len() <= before + after + 1 {
        out.extend(lines.iter().map(plain));
        return;
    }
    let hidden = lines.len() - before - after;
    out.extend(lines[..before].iter().map(plain));
    out.push(Line::of(Role::Dim, format!("  ⋯ {hidden} lines unchanged")));
    out.extend(lines[lines.len() - after..].iter().map(plain));
}

/// A line with its sign in front.
fn gutter(sign: char, line: Line) -> Line {
    let mark = match sign {
        '+' => Mark::Inserted,
        '-' => Mark::Deleted,
        _ => Mark::None,
    };
    let mut out = Line { spans: vec![Span { mark, ..Span::new(Role::Plain, format!("{sign} ")) }] };
    out.append(line);
    out
}

/// A changed pair of lines, with only the words marked that differ.
fn words(old: &Line, new: &Line) -> (Line, Line) {
    let (old_text, new_text) = (old.text(), new.text());
    let (old_words, new_words) = (split_words(&old_text), split_words(&new_text));
    let (mut old, mut new) = (old.clone(), new.clone());
    let offset = |words: &[&str], i: usize| words[..i].iter().map(|w| w.len()).sum::<usize>();
    for op in operations(&old_words, &new_words, TOO_MANY_WORDS) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (o, n) = (op.old_range(), op.new_range());
        old.mark(offset(&old_words, o.start)..offset(&old_words, o.end), Mark::Deleted);
        new.mark(offset(&new_words, n.start)..offset(&new_words, n.end), Mark::Inserted);
    }
    (old, new)
}

/// Words, runs of spaces and single symbols; together they are the text.
fn split_words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        ' ' => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (i, c) in text.char_indices() {
        let kind = class(c);
        if previous.is_some_and(|p| p != kind || kind == 2) {
            words.push(&text[start..i]);
            start = i;
        }
        previous = Some(kind);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// The shortest edit, or one replacement where looking for it would take too long.
fn operations<T: std::hash::Hash + Eq + Ord>(old: &[T], new: &[T], limit: usize) -> Vec<DiffOp> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (m, n) = (old_rest.len() - suffix, new_rest.len() - suffix);
    if m.saturating_mul(n) <= limit {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let mut ops = Vec::new();
    if prefix > 0 {
        ops.push(DiffOp::Equal { old_index: 0, new_index: 0, len: prefix });
    }
    ops.push(DiffOp::Replace { old_index: prefix, old_len: m, new_index: prefix, new_len: n });
    if suffix > 0 {
        ops.push(DiffOp::Equal { old_index: prefix + m, new_index: prefix + n, len: suffix });
    }
    ops
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(lines: &[Line]) -> Vec<String> {
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn only_the_changed_words_are_marked() {
        let (lines, counts) = of_texts("a\nmap f (map g x)\nb", "a\nmap f (mapSeq g x)\nb", Some(1));
        assert_eq!(texts(&lines), ["  a", "- map f (map g x)", "+ map f (mapSeq g x)", "  b"]);
        assert_eq!(counts, Counts { inserted: 1, deleted: 1 });
        let marked: Vec<_> =
            lines[2].spans.iter().filter(|s| s.mark == Mark::Inserted).map(|s| s.text.as_ref()).collect();
        assert_eq!(marked, ["+ ", "mapSeq"]);
    }

    #[test]
    fn of_a_difference_that_does_not_fit_both_sides_are_seen() {
        let numbers = |from: usize, to: usize| (from..to).map(|i| format!("{i}\n")).collect::<String>();
        let old = numbers(0, 10) + "same\n" + &numbers(10, 12);
        let new = numbers(20, 40) + "same\n" + &numbers(50, 52);
        let (lines, _) = of_texts(&old, &new, Some(1));
        for rows in 0..lines.len() + 2 {
            let shown = texts(&fitted(&lines, rows));
            assert!(shown.len() <= rows, "{rows}: {shown:?}");
            let has = |sign| shown.iter().any(|line| line.starts_with(sign));
            assert!(rows < 6 || has('-') && has('+'), "{rows}: {shown:?}");
        }
        // The first stretch is seen whole where there is room for it.
        let most = texts(&fitted(&lines, 32));
        assert_eq!((most.len(), most[30].as_str()), (31, "  ⋯ 4 more changed lines"));
        assert_eq!(
            texts(&fitted(&lines, 6)),
            ["- 0", "  ⋯ 9 more lines", "+ 20", "+ 21", "  ⋯ 18 more lines", "  ⋯ 4 more changed lines",]
        );
    }

    #[test]
    fn unchanged_stretches_are_folded() {
        let old: String = (0..20).map(|i| format!("{i}\n")).collect();
        let new = old.replace("10\n", "ten\n");
        let (lines, _) = of_texts(&old, &new, Some(2));
        assert_eq!(
            texts(&lines),
            ["  ⋯ 8 lines unchanged", "  8", "  9", "- 10", "+ ten", "  11", "  12", "  ⋯ 7 lines unchanged"]
        );
    }

    #[test]
    fn beside_each_other_equal_lines_share_a_row() {
        let lines = |text: &str| super::super::text::lines_of(Role::Plain, text);
        let shown = beside(&lines("a\nb\nc"), &lines("a\nx\ny\nc"), 1, 19, Alphabet::Unicode);
        assert_eq!(texts(&shown), ["  a      │   a", "- b      │ + x", "         │ + y", "  c      │   c"]);
    }

    #[test]
    fn a_difference_too_large_to_search_is_a_replacement() {
        let side = |tag: &str| (0..3000).map(|i| format!("{tag}{i}")).collect::<Vec<_>>();
        let (old, new) = (side("a"), side("b"));
        assert_eq!(operations(&old, &new, TOO_DIFFERENT).len(), 1);
    }

    proptest! {
        #[test]
        fn both_sides_can_be_read_off(old in "[ab\n]{0,20}", new in "[ab\n]{0,20}") {
            let (lines, _) = of_texts(&old, &new, None);
            let side = |drop: char| -> Vec<String> {
                texts(&lines).iter().filter(|l| !l.starts_with(drop)).map(|l| l[2..].to_owned()).collect()
            };
            prop_assert_eq!(side('+'), old.lines().map(str::to_owned).collect::<Vec<_>>());
            prop_assert_eq!(side('-'), new.lines().map(str::to_owned).collect::<Vec<_>>());
        }
    }
}
