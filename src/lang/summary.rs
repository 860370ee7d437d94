//! What a comment on a definition says first: as much of it as a row of a list has room for.

/// The first sentence, on one line, however the comment is broken into lines. A stop between backquotes is code and ends none.
pub fn of(doc: &str) -> String {
    let paragraph =
        doc.lines().map(str::trim).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let text = paragraph.collect::<Vec<_>>().join(" ");
    let mut is_code = false;
    let end = text.char_indices().find(|(i, c)| {
        is_code ^= *c == '`';
        let mut after = text[i + c.len_utf8()..].chars();
        matches!(c, '.' | '?' | '!')
            && !is_code
            && after.next() == Some(' ')
            && !after.next().is_some_and(char::is_lowercase)
    });
    end.map_or(text.as_str(), |(i, _)| &text[..=i]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_does_not_end_with_its_line() {
        let doc = "Good code: `auto`, or\nboth. Producers are fused\nwhere nothing is lost.";
        assert_eq!(of(doc), "Good code: `auto`, or both.");
        assert_eq!(
            of("Applies `\\x. F x` to all, i.e. everywhere. Then stops."),
            "Applies `\\x. F x` to all, i.e. everywhere."
        );
        assert_eq!(of("Is this so? Then"), "Is this so?");
        assert_eq!(of("Of 1.5 parts"), "Of 1.5 parts");
        assert_eq!(of("\nA part\n\nAnother."), "A part");
        assert_eq!(of("Größe. Äpfel."), "Größe.");
        assert_eq!(of(""), "");
    }
}
