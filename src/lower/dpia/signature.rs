//! The accesses of patterns, as the table of patterns has them.

use super::Access;
use crate::lang::pattern::{self, Pattern};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A row's access column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Signature {
    Fixed(Access),
    /// The one access that the whole row shares.
    Shared,
    /// As [`Signature::Shared`], or a stream where that is what is read.
    Through,
    Fun(Box<Signature>, Box<Signature>),
}

static SIGNATURES: LazyLock<Vec<Option<Signature>>> =
    LazyLock::new(|| pattern::all().iter().map(|row| parse_signature(row.access)).collect());

/// What the table says of a pattern; nothing for those that must be rewritten before.
pub(crate) fn signature(p: Pattern) -> Option<Cow<'static, Signature>> {
    match pattern::number(p) {
        Some(row) => SIGNATURES.get(row)?.as_ref().map(Cow::Borrowed),
        None => parse_signature(p.row().access).map(Cow::Owned),
    }
}

/// The access of what the pattern makes; nothing where that is the access of what it is given.
pub(crate) fn result(p: Pattern) -> Option<Access> {
    let whole = signature(p)?;
    let mut rest = &*whole;
    while let Signature::Fun(_, result) = rest {
        rest = result;
    }
    if let Signature::Fixed(access) = rest { Some(*access) } else { None }
}

/// Must the value of the pattern be written before it can be read?
pub(crate) fn is_written(p: Pattern) -> bool {
    result(p) == Some(Access::Write)
}

fn parse_signature(text: &str) -> Option<Signature> {
    fn sequence(tokens: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Signature> {
        let first = match tokens.next()? {
            'r' => Signature::Fixed(Access::Read),
            'w' => Signature::Fixed(Access::Write),
            's' => Signature::Fixed(Access::Stream),
            'a' => Signature::Shared,
            'b' => Signature::Through,
            '(' => {
                let inner = sequence(tokens)?;
                (tokens.next()? == ')').then_some(inner)?
            }
            _ => return None,
        };
        if tokens.peek() != Some(&'-') {
            return Some(first);
        }
        tokens.next();
        (tokens.next()? == '>').then_some(())?;
        Some(Signature::Fun(Box::new(first), Box::new(sequence(tokens)?)))
    }
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut tokens = compact.chars().peekable();
    let signature = sequence(&mut tokens)?;
    tokens.next().is_none().then_some(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_parses() {
        for row in pattern::all() {
            assert_eq!(row.access.is_empty(), signature(row.pattern).is_none(), "{}", row.pattern);
        }
    }
}
