//! What is computed with numbers of one type, as text, with numbers of another: what it is computed from is converted.

use super::report::ends_in_reduce;
use super::state::Infer;
use super::words::is_of_numbers;
use crate::pattern::Pattern;
use crate::sort::{Operands, Sort};
use crate::syntax::{elsewhere, is_reserved};
use crate::ty::Scalar;

impl Infer {
    /// What takes numbers of one kind alone with what it is computed from converted: `sqrt x`, `pow x 2` or one with a fraction
    /// for floating-point numbers, `bitAnd x 1` for whole ones.
    pub fn converted_from(&self, text: &str, to: Scalar) -> Option<String> {
        let plain = elsewhere::without_parentheses(text);
        let mut words = plain.split(' ');
        let function = words.next().filter(|f| Pattern::from_name(f).is_some_and(|p| is_of_kind(p, to)));
        if let Some(function) = function.filter(|_| plain.contains(' ')) {
            let is_name = |w: &str| w.chars().all(|c| c.is_alphanumeric() || c == '_');
            let one = |w: &str| match is_of_numbers(w) {
                true => Some(w.to_owned()),
                false => is_name(w).then(|| format!("(cast {w} : {})", to.name())),
            };
            let values: Option<Vec<String>> = words.map(one).collect();
            return Some(format!("{function} {}", values?.join(" ")));
        }
        if to.is_float() && has_fraction(plain) { self.converted(plain, to) } else { None }
    }

    /// The text of a computation with every value in it converted; none where it is more than numbers, values and signs.
    pub fn converted(&self, text: &str, to: Scalar) -> Option<String> {
        let text = elsewhere::without_parentheses(text);
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let plain = |c: char| part(c) || " .+-*/()".contains(c) || c == '%' && !to.is_float();
        let is_number = |w: &str| w.starts_with(|c: char| c.is_ascii_digit());
        let is_other =
            |w: &str| is_reserved(w) || w == "div" || is_number(w) && !w.chars().all(|c| c.is_ascii_digit());
        if !text.chars().all(plain) || applies(text) || text.split(|c| !part(c)).any(is_other) {
            return None;
        }
        let one = |w: &str| match is_number(w) {
            true => w.to_owned(),
            false => format!("(cast {w} : {})", to.name()),
        };
        Some(elsewhere::in_words(text, &one))
    }

    /// What is computed with a type of numbers that is too small, with a wider one: what it is computed from is converted. None
    /// where nothing is computed, as where a name stands alone.
    pub fn widened(&self, text: &str, to: Scalar) -> Option<String> {
        let plain = elsewhere::without_parentheses(text);
        let name = to.name();
        let words: Vec<&str> = plain.split(' ').collect();
        let of_numbers = |w: &str| Pattern::from_name(w).is_some_and(|p| matches!(p.sort(), Sort::Scalar(_)));
        let of_each = format!(
            "`cast` converts what it is computed from, `(cast x : {name})` for each number `x` in it."
        );
        if words.windows(2).any(|pair| pair[0].ends_with("reduce") && matches!(pair[1], "max" | "min")) {
            return None;
        }
        // A function in it may compute as well.
        if ends_in_reduce(text) && plain.contains('\\') {
            return Some(of_each);
        }
        if ends_in_reduce(text) {
            return Some(match summed(plain, name) {
                Some(all) => format!("`cast` converts what it is computed from: `{all}`."),
                None => format!(
                    "`cast` converts what it is computed from: `map (\\v. (cast v : {name}))` of the elements before `reduce`."
                ),
            });
        }
        let has_signs = plain.contains(['+', '-', '*', '/']);
        let is_computed = match words.as_slice() {
            [_] => has_signs,
            [f, ..] => elsewhere::is_loose(plain) || has_signs && of_numbers(f),
            [] => false,
        };
        let computed = is_computed && !plain.contains(['\\', '<', '=', '|', '%']);
        computed.then(|| match self.converted(plain, to) {
            Some(all) => format!("`cast` converts what it is computed from: `{all}`."),
            None => of_each.clone(),
        })
    }
}

/// Does a function take numbers of this kind alone?
fn is_of_kind(pattern: Pattern, kind: Scalar) -> bool {
    match pattern.sort() {
        Sort::Scalar(Operands::Floats) => kind.is_float(),
        Sort::Scalar(Operands::Bits | Operands::Integers) => kind.is_integer(),
        _ => false,
    }
}

/// `reduce (+) 0 xs` and `xs |> reduce (+) 0` of elements that are converted first.
fn summed(text: &str, to: &str) -> Option<String> {
    let each = format!("map (\\v. (cast v : {to}))");
    let last = text.rsplit("|>").next()?.trim();
    let start = last.strip_prefix("reduce (+) ").or_else(|| last.strip_prefix("reduce (*) "))?;
    let (op, _) = last.split_at(last.len() - start.len());
    let (before, is_piped) = match text.rsplit_once("|>") {
        Some((before, _)) => (before.trim(), true),
        None => ("", false),
    };
    match start.split_once(' ') {
        None if is_piped && is_of_numbers(start) => Some(format!("{before} |> {each} |> {op}{start}")),
        Some((start, xs)) if !is_piped && is_of_numbers(start) => Some(format!("{op}{start} ({each} {xs})")),
        _ => None,
    }
}

/// Does a conversion from one type of numbers to the other keep what is computed in the other from being lost?
pub fn is_wider(to: Scalar, from: Scalar) -> bool {
    match (to.is_float(), from.is_float()) {
        (true, false) => from.is_integer(),
        (false, true) => false,
        _ => to.is_integer() == from.is_integer() && to.bytes() > from.bytes(),
    }
}

/// Is a function applied in a text of numbers, names and operators?
pub(super) fn applies(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ')');
    let mut rest = text;
    while let Some(space) = rest.find(' ') {
        let (before, after) = rest.split_at(space);
        let after = after.trim_start();
        if before.ends_with(part)
            && after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '('))
        {
            return true;
        }
        rest = after;
    }
    false
}

/// Is there a number with a point in the text?
pub(super) fn has_fraction(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    text.split(|c| !part(c)).any(|w| w.starts_with(|c: char| c.is_ascii_digit()) && w.contains('.'))
}
