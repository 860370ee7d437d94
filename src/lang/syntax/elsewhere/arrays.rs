//! What others do with whole arrays, and with functions, where more than the names of a row decides what is written.

use super::{SIZE, code_of, fresh, in_brackets, is_name, is_of_two, operator, without_parentheses};
use crate::pattern::Pattern;

/// `roll xs 1` and `rotate (-1) xs`: the elements that come round to the other end are the last ones.
pub(super) fn turned(name: &str, args: &[String]) -> Option<String> {
    let number = |text: &str| text.trim_matches(['(', ')']).parse::<i64>().ok();
    let (by, array) = match args {
        [a, b] if number(a).is_some() => (number(a)?, b),
        [a, b] if number(b).is_some() => (number(b)?, a),
        _ => return None,
    };
    let to_left = if name == "roll" { by.checked_neg()? } else { by };
    let at = match to_left {
        0 => return Some(format!("It changes nothing: write `{array}`.")),
        1.. => to_left.to_string(),
        _ => format!("({SIZE} - {})", to_left.unsigned_abs()),
    };
    let known = if to_left > 0 { "" } else { " for `#` elements" };
    Some(format!("Write `concat (drop {at} {array}) (take {at} {array})`{known}."))
}

/// `concatenate([x, y])`: one array after the other.
pub(super) fn concatenated(args: &[String]) -> Option<String> {
    let [one] = args else { return None };
    let parts = in_brackets(one).filter(|parts| parts.iter().all(|p| is_name(p)))?;
    let (last, init) = parts.split_last()?;
    let written = init.iter().rev().fold(last.clone(), |rest, part| {
        let rest = if rest.contains(' ') { format!("({rest})") } else { rest };
        format!("concat {part} {rest}")
    });
    Some(format!("Write `{written}`."))
}

/// `concatenate([x, y], axis=1)`: each row after that of the other matrix.
pub fn concatenated_along(args: &[String], axis: &str) -> Option<String> {
    let [one] = args else { return None };
    match (axis, in_brackets(one)?.as_slice()) {
        ("0", _) => concatenated(args),
        ("1", [x, y]) => Some(format!("Write `zip {x} {y} |> map (\\(r, s). concat r s)`.")),
        _ => None,
    }
}

/// `slice 1 3 xs`: the elements from one number up to, but without, another.
pub(super) fn sliced(args: &[String]) -> Option<String> {
    let is_number = |t: &String| t.chars().all(|c| c.is_ascii_digit());
    let (a, b, xs) = match args {
        [xs, a, b] if is_number(b) => (a, b, xs),
        [a, b, xs] if !is_number(xs) => (a, b, xs),
        _ => return None,
    };
    let count = match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => b.checked_sub(a).filter(|n| *n > 0)?.to_string(),
        _ if is_name(a) && is_name(b) => format!("({b} - {a})"),
        _ => return None,
    };
    Some(match a.as_str() {
        "0" => format!("Write `take {b} {xs}` for the elements from 0 up to, but without, {b}."),
        _ => {
            format!("Write `take {count} (drop {a} {xs})` for the elements from {a} up to, but without, {b}.")
        }
    })
}

/// `tile xs 2`: an array several times, one behind the other; `tile 4 xs` are rows.
pub(super) fn tiled(args: &[String]) -> Option<String> {
    let [a, b] = args else { return None };
    if a.parse::<u64>().is_ok() {
        return Some(format!("Write `split {a} {b}` for rows of {a} elements."));
    }
    let times = b.parse::<usize>().ok().filter(|k| (2..=4).contains(k))?;
    let all = (1..times).fold(a.clone(), |rest, _| match rest == *a {
        true => format!("concat {a} {rest}"),
        false => format!("concat {a} ({rest})"),
    });
    Some(format!("Write `{all}`."))
}

/// `append xs 0`: an element behind an array.
pub(super) fn appended(args: &[String]) -> Option<String> {
    let [xs, x] = args else { return None };
    let is_number = x.trim_matches(['(', ')', '-']).starts_with(|c: char| c.is_ascii_digit());
    is_number.then(|| format!("Write `concat {xs} [{}]`.", without_parentheses(x)))
}

/// `repeat 3 f x`: a function again and again.
pub(super) fn repeated(args: &[String]) -> Option<String> {
    let [n, f, x] = args else { return None };
    Some(format!("Write `iterate {n} {f} {x}`."))
}

/// `powi x 3`
pub(super) fn power(args: &[String]) -> Option<String> {
    let [x, k] = args else { return None };
    Some(format!("Write `{}`.", product(x, k)?))
}

/// `x * x * x`, where the exponent is a small number.
pub fn product(x: &str, exponent: &str) -> Option<String> {
    let most = if is_name(x) { 8 } else { 4 };
    let times = exponent.parse::<usize>().ok().filter(|k| (2..=most).contains(k))?;
    Some(vec![x; times].join(" * "))
}

/// An array in another shape, whose sizes stand in brackets or one by one: the first follows from the others.
pub(super) fn reshaped(args: &[String]) -> Option<String> {
    // As one row.
    if let [a, b] = args
        && let Some(array) = match (a.trim_matches(['(', ')']), b.trim_matches(['(', ')'])) {
            (_, "-1") => Some(a),
            ("-1", _) => Some(b),
            _ => None,
        }
    {
        return Some(format!("Write `join {array}` for an array of rows."));
    }
    let (sizes, array) = match args {
        [a, b] => match (in_brackets(a), in_brackets(b)) {
            (Some(sizes), None) => (sizes, b),
            (None, Some(sizes)) => (sizes, a),
            _ => return None,
        },
        // Of names alone it is not known here which is the array: it is mostly the last.
        [array, sizes @ ..]
            if sizes.len() > 1 && !is_computed(array) && sizes.last().is_some_and(|n| is_computed(n)) =>
        {
            (sizes.to_vec(), array)
        }
        [sizes @ .., array] if sizes.len() > 1 => (sizes.to_vec(), array),
        _ => return None,
    };
    let rows = sizes.get(1..)?;
    if rows.iter().any(|n| n.is_empty() || n.starts_with('-')) {
        return None;
    }
    let size = |n: &String| if n.starts_with('(') || is_name(n) { n.clone() } else { format!("({n})") };
    let split = |xs: String, n: &String| match xs == *array {
        true => format!("split {} {xs}", size(n)),
        false => format!("split {} ({xs})", size(n)),
    };
    let written = rows.iter().rev().fold(array.clone(), split);
    Some(format!("Write `{written}` for an array without rows; `join` makes one of rows."))
}

/// The numbers from one up to another.
pub(super) fn between(args: &[String]) -> Option<String> {
    let bounds = match args {
        [bounds] => in_brackets(bounds)?,
        bounds => bounds.to_vec(),
    };
    let [low, high] = bounds.as_slice() else { return None };
    let whole = |text: &str| text.parse::<i64>().ok();
    let (count, from) = match (whole(low), whole(high)) {
        (Some(0), _) => (high.clone(), String::new()),
        (Some(a), Some(b)) if a < b => (b.checked_sub(a)?.to_string(), format!(" + {low}")),
        _ => (format!("({high} - {low})"), format!(" + {low}")),
    };
    Some(format!(
        "Write `(generate (\\i. cast (indexAsNat i){from}) : {count}.i32)`, with the type that is meant."
    ))
}

/// `flip f`, `flip f x` and `flip f x y`, where what is flipped is a function.
pub(super) fn flipped(args: &[String]) -> Option<String> {
    let f = args.first()?;
    let is_function =
        f.starts_with("(\\") || operator(f).is_some() || Pattern::from_name(f).is_some() || is_of_two(f);
    let of = |x: &str, y: &str| match operator(f) {
        Some(op) => format!("{x} {op} {y}"),
        None if Pattern::from_name(f).is_none() && is_of_two(f) => {
            code_of(f, &[x.to_owned(), y.to_owned()], None).unwrap_or_default()
        }
        None => format!("{f} {x} {y}"),
    };
    let written = match &args[1..] {
        [] => format!("(\\x y. {})", of("y", "x")),
        [y] => {
            let x = fresh("x", &[y.as_str(), f.as_str()]);
            format!("(\\{x}. {})", of(&x, y))
        }
        [y, x] => of(x, y),
        _ => return None,
    };
    is_function.then(|| format!("Write `{written}`."))
}

/// Is a size that is written as an argument a number, or computed?
fn is_computed(size: &str) -> bool {
    size.starts_with(|c: char| c.is_ascii_digit())
        || size.starts_with('(') && size.contains(['+', '-', '*', '/'])
}
