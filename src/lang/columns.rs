//! Text in columns. The widths of `format!` end at 65,535, beyond which it panics, and a name may be longer.

use unicode_width::UnicodeWidthStr as _;

/// The most columns of names that stand before what is said of them: a longer one does not push all others to the right.
pub const NAMES: usize = 60;

/// The columns of the widest text, at most so many.
pub fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, most: usize) -> usize {
    texts.into_iter().map(|text| text.as_ref().width()).max().unwrap_or(0).min(most)
}

/// The text, and spaces to its right up to so many columns.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", missing(text, columns))
}

/// The text, and spaces to its left up to so many columns.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", missing(text, columns))
}

fn missing(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(text.width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_are_aligned() {
        assert_eq!((left("ab", 4), right("ab", 4)), ("ab  ".to_owned(), "  ab".to_owned()));
        assert_eq!(left("漢", 4), "漢  ");
        let long = "r".repeat(70_000);
        assert_eq!((left(&long, 3), right("", 70_000).len()), (long.clone(), 70_000));
        assert_eq!((widest(["a", &long], NAMES), widest(Vec::<String>::new(), NAMES)), (NAMES, 0));
    }
}
