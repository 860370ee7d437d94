//! What other languages call things, and how they are written here.
//!
//! A row has the names, the arguments that they take there, and what to write. Arguments that the text gives take the place of
//! their names in what to write, so that the hint can be copied.

use crate::ty::Scalar;

/// `f` and `g` are functions, `xs` to `zs` arrays, `x` to `z` values, `i` is an index, `n` a size.
type Row = (&'static [&'static str], &'static str, &'static str);

/// What takes the place of `if`.
pub const SELECT: &str = "`select c a b` is `a` where `c` holds, else `b`.";

/// What takes the place of `match` and `case`.
pub const MATCH: &str =
    "`let (a, b) = p in e` takes a pair apart, and `select c a b` is `a` where `c` holds, else `b`.";

const NAMES: &[Row] = &[
    (&["sum", "add_reduce"], "xs", "Write `reduce (+) 0 xs`."),
    (&["product", "prod"], "xs", "Write `reduce (*) 1 xs`."),
    (
        &["fold", "foldl", "foldl'", "inject", "accumulate", "foldl1"],
        "f z xs",
        "Write `reduce f z xs`, or `reduceSeq f z xs` for a function that is not associative.",
    ),
    (
        &["foldr", "foldr'", "foldr1", "foldRight"],
        "f z xs",
        "Write `reduce f z xs`, or `reduceSeq (\\acc x. f x acc) z (reverse xs)` for a function that is not associative.",
    ),
    (&["redomap", "mapreduce", "foldMap"], "f g z xs", "Write `map g xs |> reduce f z`."),
    (
        &["maximum", "amax"],
        "xs",
        "Write `reduce max (-1 / 0) xs`; of whole numbers with the least one of their type in the place of `-1 / 0`.",
    ),
    (
        &["minimum", "amin"],
        "xs",
        "Write `reduce min (1 / 0) xs`; of whole numbers with the greatest one of their type in the place of `1 / 0`.",
    ),
    (
        &["isnan", "isNaN", "isNan", "is_nan"],
        "x",
        "Write `x != x`: only what is no number differs from itself.",
    ),
    (&["mean", "average", "avg"], "xs", "Write `(reduce (+) 0 xs / cast n)` for `n` elements."),
    (&["norm", "nrm2", "norm2"], "xs", "Write `sqrt (map (\\x. x * x) xs |> reduce (+) 0)`."),
    (
        &["var", "variance"],
        "xs",
        "Write `let m = reduce (+) 0 xs / cast n in map (\\x. (x - m) * (x - m)) xs |> reduce (+) 0 |> (\\s. s / cast n)` for \
         `n` elements.",
    ),
    (
        &["std", "stdev", "stddev", "sd"],
        "xs",
        "Write `let m = reduce (+) 0 xs / cast n in map (\\x. (x - m) * (x - m)) xs |> reduce (+) 0 |> (\\s. sqrt (s / cast n))` \
         for `n` elements.",
    ),
    (&["softmax"], "xs", "Write `let e = map exp xs in let s = reduce (+) 0 e in map (\\x. x / s) e`."),
    (&["diff"], "xs", "Write `zip (drop 1 xs) (take (n - 1) xs) |> map (\\(x, y). x - y)` for `n` elements."),
    (&["outer"], "xs ys", "Write `map (\\x. map (\\y. x * y) ys) xs`."),
    (&["count", "countIf", "count_if"], "f xs", "Write `map (\\x. select (f x) 1 0) xs |> reduce (+) 0`."),
    (
        &["argmax"],
        "xs",
        "Write `zip (generate (\\i. (cast (indexAsNat i) : i32))) xs |> reduceSeq (\\p q. select (snd p < snd q) q p) (0, idx 0 xs) |> fst`.",
    ),
    (
        &["argmin"],
        "xs",
        "Write `zip (generate (\\i. (cast (indexAsNat i) : i32))) xs |> reduceSeq (\\p q. select (snd q < snd p) q p) (0, idx 0 xs) |> fst`.",
    ),
    (
        &["mapi", "imap", "mapIndexed", "map_indexed", "mapWithIndex"],
        "f xs",
        "Write `zip (generate (\\i. i)) xs |> map (\\(i, x). f i x)`.",
    ),
    (&["rotate"], "n xs", "Write `concat (drop n xs) (take n xs)`."),
    (
        &HOW,
        "",
        "How a program runs is no part of it: rules and strategies say that, which `shine-tui rules` and `shine-tui strategies` list.",
    ),
    (
        &["any"],
        "xs",
        "Write `reduce (or) false xs` of truth values, `reduce (or) false (map (\\x. x > 0) xs)` of numbers.",
    ),
    (
        &["all"],
        "xs",
        "Write `reduce (and) true xs` of truth values, `reduce (and) true (map (\\x. x > 0) xs)` of numbers.",
    ),
    (&["dot", "inner", "vdot"], "xs ys", "Write `zip xs ys |> map (\\(x, y). x * y) |> reduce (+) 0`."),
    (
        &["matmul", "mm", "gemm"],
        "xs ys",
        "Write `xs |> map (\\r. transpose ys |> map (\\c. zip r c |> map (\\(x, y). x * y) |> reduce (+) 0))`.",
    ),
    (
        &["len", "length", "size", "shape", "numel", "ndims"],
        "xs",
        "The size of an array is in its type: of `(xs: n.f32)` it is `n`, as a number `cast n`, or `(cast n : f32)` where nothing \
         else says which type.",
    ),
    (
        &["range", "iota", "arange", "indices", "linspace"],
        "n",
        "Write `generate (\\i. cast (indexAsNat i))` for the numbers from 0, or `(generate (\\i. cast (indexAsNat i)) : n.i32)` where \
         nothing else says how many they are, and of which type.",
    ),
    (&["enumerate"], "xs", "Write `zip (generate (\\i. i)) xs`."),
    (&["zipWith", "map2", "zipMap", "zip_with"], "f xs ys", "Write `zip xs ys |> map (\\(x, y). f x y)`."),
    (&["zip3"], "xs ys zs", "Write `zip xs (zip ys zs)`; its elements are taken apart by `\\(x, y, z). …`."),
    (
        &["filter", "compress", "takeWhile", "dropWhile"],
        "f xs",
        "Sizes do not depend on values. `map (\\x. select (f x) x 0) xs` keeps all places.",
    ),
    (
        &["scan", "scanl", "scanl1", "prefixSum", "inclusive_scan", "exclusive_scan"],
        "f z xs",
        "Write `scanSeq (\\x acc. f acc x) z xs`.",
    ),
    (&["cumsum"], "xs", "Write `scanSeq (\\x acc. acc + x) 0 xs`."),
    (&["flatten", "ravel"], "xss", "Write `join xss` for an array of arrays."),
    (
        &["concatenate", "hstack"],
        "xs ys",
        "Write `concat xs ys` for one array after the other, `join xss` for an array of arrays.",
    ),
    (&["flatMap", "concatMap"], "f xs", "Write `join (map f xs)`."),
    (
        &["chunks", "chunksOf", "chunk", "unflatten"],
        "n xs",
        "Write `split n xs` for rows of so many elements; `join` makes one array of rows.",
    ),
    (
        &["reshape", "tile", "block"],
        "xs",
        "Write `split 4 xs` for rows of 4 elements; `join` makes one array of rows.",
    ),
    (&["window", "windows", "sliding"], "n xs", "Write `slide n 1 xs` for windows of so many elements."),
    (&["stencil"], "xs", "Write `slide 3 1 xs` for windows of 3 elements."),
    (&["pad"], "xs", "Write `padClamp 1 1 xs` or `padCst 1 1 0 xs`."),
    (&["roll"], "xs n", "Write `concat (drop (m - n) xs) (take (m - n) xs)` for `m` elements."),
    (&["flip", "rev", "fliplr", "flipud"], "xs", "Write `reverse xs`."),
    (&["T", "transposed"], "xs", "Write `transpose xs`."),
    (&["sort", "sorted", "argsort"], "xs", "There is no sorting: what is done does not depend on values."),
    (&["head"], "xs", "Write `idx 0 xs`."),
    (
        &["first"],
        "xs",
        "Write `idx 0 xs` for the first element of an array, `fst p` for the first component of a pair.",
    ),
    (
        &["second"],
        "xs",
        "Write `idx 1 xs` for the second element of an array, `snd p` for the second component of a pair.",
    ),
    (&["_1"], "p", "Write `fst p` for the first component of a pair."),
    (&["_2"], "p", "Write `snd p` for the second component of a pair."),
    (&["last"], "xs", "Write `idx (natAsIndex n (n - 1)) xs` for `n` elements."),
    (&["tail"], "xs", "Write `drop 1 xs`."),
    (&["init"], "xs", "Write `take (n - 1) xs` for `n` elements."),
    (&["slice"], "xs", "Write `take 4 (drop 2 xs)`."),
    (&["get", "at", "elem", "nth"], "xs i", "Write `idx i xs`."),
    (&["append"], "xs ys", "Write `concat xs ys`."),
    (
        &["replicate", "repeat", "full", "fill"],
        "n x",
        "Write `(generate (\\i. x) : n.f32)`, with the type that is meant.",
    ),
    (&["zeros"], "n", "Write `(generate (\\i. 0) : n.f32)`."),
    (&["ones"], "n", "Write `(generate (\\i. 1) : n.f32)`."),
    (&["toLocal", "toShared"], "xs", "Write `toMem local xs`, with `global` or `private` for other memory."),
    (&["mapGlb"], "f xs", "Write `mapGlobal f xs`."),
    (&["mapWrg"], "f xs", "Write `mapWorkGroup f xs`."),
    (&["mapLcl"], "f xs", "Write `mapLocal f xs`."),
    (&["toGlobal"], "xs", "Write `toMem global xs`, with `local` or `private` for other memory."),
    (&["toPrivate"], "xs", "Write `toMem private xs`, with `global` or `local` for other memory."),
    (&["xor"], "x y", "Write `bitXor x y`; truth values are compared by `x != y`."),
    (&["shl", "lshift"], "x y", "Write `shiftLeft x y`."),
    (&["shr", "rshift"], "x y", "Write `shiftRight x y`."),
    (&["mod", "rem", "modulo"], "x y", "Write `x % y`."),
    (&["quot"], "x y", "Write `x / y`."),
    (&["power", "powf"], "x y", "Write `pow x y`."),
    (&["sqr", "square"], "x", "Write `x * x`."),
    (&["rsqrt"], "x", "Write `1 / sqrt x`."),
    (
        &["clamp", "clip"],
        "x low high",
        "Write `max low (min high x)` for one number between `low` and `high`, `map (\\v. max low (min high v)) x` for each of an array.",
    ),
    (&["fma", "fmaf", "mad"], "x y z", "Write `x * y + z`."),
    (&["relu"], "x", "Write `max 0 x` for one number, `map (\\v. max 0 v) x` for each of an array."),
    (&["sigmoid"], "x", "Write `1 / (1 + exp (-x))`."),
    (&["negate", "neg"], "x", "Write `-x`."),
    (&["subtract"], "x y", "Write `y - x`."),
    (&["copy", "clone"], "xs", "A value needs no copy: write `xs`."),
    (&["shift"], "k xs", "Write `take n (padCst k 0 0 xs)` for `n` elements, which begins with `k` zeros."),
    (&["fabs", "absolute"], "x", "Write `abs x`."),
    (&["fmax", "fmaxf", "maxf"], "x y", "Write `max x y`."),
    (&["fmin", "fminf", "minf"], "x y", "Write `min x y`."),
    (&["sqrtf"], "x", "Write `sqrt x`."),
    (&["expf"], "x", "Write `exp x`."),
    (&["where"], "c x y", "Write `select c x y`."),
    (&["as"], "e t", "Write `(cast e : t)`, with the number and the type that are meant."),
    (&["int", "toInt", "astype"], "e", "Write `(cast e : i32)`, with the type that is meant."),
    (
        &["float", "toFloat", "fromIntegral", "realToFrac"],
        "e",
        "Write `(cast e : f32)`, with the type that is meant.",
    ),
    (&["double", "f64", "float64"], "e", "Write `(cast e : f64)`."),
    (&["f32", "float32"], "e", "Write `(cast e : f32)`."),
    (&["i32", "int32"], "e", "Write `(cast e : i32)`."),
    (&["True", "TRUE"], "", "Write `true`."),
    (&["False", "FALSE"], "", "Write `false`."),
    (&INFINITY, "", "Write `(1 / 0)`, or the largest number: `3.4e38` is that of `f32`."),
    (&["nan", "NaN", "NAN"], "", "Write `(0 / 0)`."),
    (&["pi", "PI", "M_PI"], "", "Write `3.141592653589793`."),
    (
        &["None", "null", "nil", "Nothing", "undefined", "NULL"],
        "",
        "There is always a value: write the one that is meant, such as `0`.",
    ),
    (&["_"], "", "A function names its value: `\\x. x * 2`."),
    (&["return"], "x", "What a definition computes stands behind its `=`: leave `return` out."),
    (
        &["for", "while", "foreach", "forM_", "loop", "do"],
        "",
        "Write `map (\\x. x * 2) xs` for each element; `reduce` makes one value of all.",
    ),
    (&["pmap", "fmap", "forEach", "parMap", "apply"], "f xs", "Write `map f xs`."),
    (&["lambda", "fun", "fn", "func", "function"], "", "Write `\\x. x * 2`."),
    (&["if", "then", "else", "ifThenElse", "cond", "ifelse"], "c a b", SELECT),
    (&["match", "case", "switch"], "", MATCH),
    (&["print", "printf", "trace", "show"], "", "A program shows its result and nothing else: leave it out."),
    (&["compose"], "f g", "Write `f >> g`, which applies `f` first."),
    (&["id", "identity"], "x", "Write `\\x. x`."),
];

/// Is what other languages call so one value of all elements of an array?
pub fn is_of_all(name: &str) -> bool {
    let of_all = ["reduce ", "(reduce ", "sqrt (map "];
    let row = NAMES.iter().find(|(names, params, _)| names.contains(&name) && *params == "xs");
    row.is_some_and(|(_, _, hint)| {
        let written = hint.strip_prefix("Write `").unwrap_or_default();
        of_all.iter().any(|start| written.starts_with(start))
    })
}

/// `select` for every element of the one array that the arguments of `where` name.
pub fn where_of_arrays(args: &[String]) -> Option<String> {
    let [c, x, y] = args else { return None };
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut names: Vec<&str> = args
        .iter()
        .flat_map(|a| a.split(|c| !part(c)))
        .filter(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .collect();
    names.sort_unstable();
    names.dedup();
    let [array] = names[..] else { return None };
    let v = if array == "x" { "v" } else { "x" };
    let of_element = |text: &str| in_words(text, &|w| if w == array { v.to_owned() } else { w.to_owned() });
    Some(format!(
        "Write `map (\\{v}. select {} {} {}) {array}`.",
        of_element(c),
        of_element(x),
        of_element(y)
    ))
}

/// What other languages have in programs to say how they run.
pub const HOW: [&str; 8] =
    ["vectorize", "vectorise", "parallel", "parallelize", "parallelise", "unroll", "prange", "jit"];

/// How other languages write what is greater than all numbers.
pub const INFINITY: [&str; 5] = ["inf", "infinity", "Infinity", "INFINITY", "Inf"];

/// What to write for a name of other languages, with these arguments in the place of the row's where their number fits.
pub fn written_here(name: &str, args: &[String]) -> Option<String> {
    let is_type = scalar_here(name).is_some();
    let name = if is_type && args.len() == 2 { "as" } else { name };
    let own = match name {
        "reshape" => reshaped(args),
        "range" | "arange" | "iota" => between(args),
        _ => None,
    };
    if own.is_some() {
        return own;
    }
    let (_, params, hint) = NAMES.iter().find(|(names, ..)| names.contains(&name))?;
    let params: Vec<&str> = params.split_whitespace().collect();
    if params.len() != args.len() || args.is_empty() {
        return Some((*hint).to_string());
    }
    // Some languages have the bounds before what they bound, others after it.
    let mut args = args.to_vec();
    let numbers: Vec<bool> =
        args.iter().map(|a| a.starts_with(|c: char| c.is_ascii_digit() || c == '-')).collect();
    if params.contains(&"low") {
        match numbers[..] {
            [true, true, false] => args.rotate_right(1),
            [false, true, true] => {}
            _ => return Some((*hint).to_string()),
        }
    }
    // Some have the array before the numbers, and what is piped into a call is an array.
    if let Some(array) = params.iter().position(|p| *p == "xs")
        && numbers[array]
        && let [other] = (0..args.len()).filter(|i| !numbers[*i]).collect::<Vec<_>>()[..]
    {
        args.swap(array, other);
    }
    let put = |word: &str| match params.iter().position(|p| *p == word) {
        Some(at) => args[at].clone(),
        None => word.to_string(),
    };
    // Only what stands in backquotes is text of the language; a function that is written there binds its own names.
    let parts = hint
        .split('`')
        .enumerate()
        .map(|(i, part)| if i % 2 == 1 { in_words(part, &put) } else { part.to_string() });
    Some(parts.collect::<Vec<_>>().join("`"))
}

/// What a method is given, and what it is called on, in the order of the name's row: that is the first value or array of it,
/// and the last one of a name without a row that fits.
pub fn with_receiver(name: &str, args: &[String], receiver: String) -> Vec<String> {
    let row = NAMES.iter().find(|(names, ..)| names.contains(&name));
    let params: Vec<&str> = row.map_or("", |(_, params, _)| params).split_whitespace().collect();
    let is_value = |p: &&str| matches!(*p, "x" | "xs" | "xss" | "p" | "e");
    let at = params.iter().position(is_value).filter(|_| params.len() == args.len() + 1);
    let mut all = args.to_vec();
    // Some languages have the start of a reduction before its function.
    if let ["f", "z", ..] = params[..]
        && let [z, _] = all.as_slice()
        && z.starts_with(|c: char| c.is_ascii_digit() || c == '-')
    {
        all.swap(0, 1);
    }
    all.insert(at.unwrap_or(all.len()), receiver);
    all
}

/// What is written in one pair of brackets with commas between, as parts.
fn in_brackets(text: &str) -> Option<Vec<String>> {
    let inside = text.strip_prefix(['(', '['])?.strip_suffix([')', ']'])?;
    let plain = inside.contains(',') && !inside.contains(['(', '[']);
    plain.then(|| inside.split(',').map(|part| part.trim().to_owned()).collect())
}

/// An array in another shape, whose sizes stand in brackets or one by one: the first follows from the others.
fn reshaped(args: &[String]) -> Option<String> {
    let (sizes, array) = match args {
        [a, b] => match (in_brackets(a), in_brackets(b)) {
            (Some(sizes), None) => (sizes, b),
            (None, Some(sizes)) => (sizes, a),
            _ => return None,
        },
        [sizes @ .., array] if sizes.len() > 1 => (sizes.to_vec(), array),
        _ => return None,
    };
    let rows = sizes.get(1..)?;
    if rows.iter().any(|n| n.is_empty() || n.starts_with('-')) {
        return None;
    }
    let part = |c: char| c.is_alphanumeric() || "_()".contains(c);
    let size = |n: &String| if n.chars().all(part) { n.clone() } else { format!("({n})") };
    let split = |xs: String, n: &String| match xs == *array {
        true => format!("split {} {xs}", size(n)),
        false => format!("split {} ({xs})", size(n)),
    };
    let written = rows.iter().rev().fold(array.clone(), split);
    Some(format!("Write `{written}` for an array without rows; `join` makes one of rows."))
}

/// The numbers from one up to another.
fn between(args: &[String]) -> Option<String> {
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

/// What other languages write to go through an array, or to keep what was made of one: here nothing does.
pub fn is_going_through(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "iter",
        "iter_mut",
        "into_iter",
        "par_iter",
        "into_par_iter",
        "collect",
        "to_vec",
        "copied",
        "cloned",
        "stream",
        "tolist",
        "toList",
    ];
    NAMES.contains(&name)
}

/// What to write for a name of other languages where it is a function that is given to another.
pub fn as_function(name: &str) -> Option<String> {
    let (_, params, hint) = NAMES.iter().find(|(names, ..)| names.contains(&name))?;
    let names: Vec<&str> = params.split_whitespace().collect();
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let of_params = |text: &str| {
        let has = |p: &&str| text.split(|c| !part(c)).any(|w| w == *p);
        !names.is_empty() && !text.starts_with('\\') && names.iter().all(has)
    };
    let parts = hint.split('`').enumerate().map(|(i, text)| match text.strip_suffix(&format!(" {params}")) {
        _ if i % 2 == 0 || !of_params(text) => text.to_string(),
        Some(function) if is_prefix(function) && !of_params(function) => format!("({function})"),
        _ => format!("(\\{params}. {text})"),
    });
    Some(parts.collect::<Vec<_>>().join("`"))
}

/// Is a text a function with what it is given first, and no operator between others?
fn is_prefix(text: &str) -> bool {
    let is_sign = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_punctuation() && !"()".contains(c));
    let mut open = 0;
    for word in text.split(' ') {
        if open == 0 && is_sign(word) {
            return false;
        }
        open += word.matches('(').count();
        open = open.saturating_sub(word.matches(')').count());
    }
    true
}

/// The text with its words replaced, but for those that its functions bind.
pub fn in_words(text: &str, put: &dyn Fn(&str) -> String) -> String {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let binders: Vec<&str> = text
        .split('\\')
        .skip(1)
        .flat_map(|f| f.split('.').next().unwrap_or("").split(|c| !part(c)))
        .collect();
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(part) {
        let end = rest[start..].find(|c| !part(c)).map_or(rest.len(), |n| start + n);
        out.push_str(&rest[..start]);
        let word = &rest[start..end];
        rest = &rest[end..];
        if binders.contains(&word) {
            out.push_str(word);
            continue;
        }
        let put = put(word);
        let is_argument =
            out.ends_with(' ') && out.trim_end().ends_with(|c: char| part(c) || ")]".contains(c));
        // An operator is written between what a function binds.
        let operands = rest.strip_prefix(' ').and_then(|r| r.split_once(' '));
        match (operator(&put), operands) {
            (Some(op), Some((a, more))) if binders.contains(&a) && more.starts_with(part) => {
                let end = more.find(|c| !part(c)).unwrap_or(more.len());
                out.push_str(&format!("{a} {op} {}", &more[..end]));
                rest = &more[end..];
            }
            _ => match applied(&put, rest).filter(|_| !is_argument) {
                Some((body, more)) => {
                    out.push_str(&body);
                    rest = more;
                }
                None => out.push_str(&put),
            },
        }
    }
    out + rest
}

/// The body of a function `(\e. e + 1)` that is applied to a name, with that name, and what follows.
fn applied<'b>(function: &str, rest: &'b str) -> Option<(String, &'b str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let (param, body) = function.strip_prefix("(\\")?.strip_suffix(')')?.split_once(". ")?;
    let rest = rest.strip_prefix(' ')?;
    let (name, more) = rest.split_at(rest.find(|c| !part(c)).unwrap_or(rest.len()));
    // What the body knows by that name, or binds, would be another.
    let known = body.contains('\\') || param != name && body.split(|c| !part(c)).any(|w| w == name);
    let is_name = !name.is_empty() && param.chars().all(part);
    (is_name && !known).then(|| (in_words(body, &|w| if w == param { name.into() } else { w.into() }), more))
}

/// The operator that stands alone in parentheses.
fn operator(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    (!inside.is_empty() && inside.chars().all(|c| c.is_ascii_punctuation() && c != '(')).then_some(inside)
}

/// Words that other languages write between two operands.
pub fn is_infix(name: &str) -> bool {
    matches!(name, "as" | "mod" | "rem" | "quot" | "xor" | "shl" | "shr")
}

/// Names that other languages put before those of functions.
pub fn is_module(name: &str) -> bool {
    const MODULES: [&str; 14] = [
        "np", "numpy", "jnp", "jax", "lax", "math", "Math", "cmath", "std", "torch", "tf", "scipy", "f32",
        "f64",
    ];
    MODULES.contains(&name)
}

/// What a type of numbers, of this language or of another one, is called here.
pub fn scalar_here(name: &str) -> Option<&'static str> {
    type_here(name).or(Scalar::from_name(name).map(Scalar::name))
}

/// What a type of another language is here.
pub fn type_here(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" | "Float" | "float32" | "Float32" | "real" | "Real" | "single" | "float32_t" | "float_t" => {
            "f32"
        }
        "double" | "Double" | "float64" | "Float64" | "float64_t" | "double_t" => "f64",
        "half" | "Half" | "float16" | "Float16" | "__half" => "f16",
        "int" | "Int" | "int32" | "Int32" | "int32_t" | "integer" | "Integer" | "signed" => "i32",
        "long" | "int64" | "Int64" | "int64_t" | "isize" | "Long" => "i64",
        "short" | "int16" | "Int16" | "int16_t" => "i16",
        "int8" | "Int8" | "int8_t" => "i8",
        "uint" | "unsigned" | "uint32" | "UInt32" | "uint32_t" | "Word32" | "nat32" => "u32",
        "ulong" | "uint64" | "UInt64" | "uint64_t" | "size_t" | "usize" | "Word64" => "u64",
        "ushort" | "uint16" | "UInt16" | "uint16_t" | "Word16" => "u16",
        "char" | "byte" | "uchar" | "uint8" | "UInt8" | "uint8_t" | "Word8" | "Byte" => "u8",
        "Bool" | "boolean" | "Boolean" | "bool_" => "bool",
        _ => return None,
    })
}

/// Is it what other languages, or this one, call the kind of a size?
pub fn is_kind_of_sizes(name: &str) -> bool {
    matches!(name, "nat" | "Nat" | "natural" | "Natural" | "size" | "Size" | "dim" | "Dim")
}

#[cfg(test)]
mod tests {
    use super::{NAMES, in_words, written_here};

    #[test]
    fn arguments_take_the_place_of_names_but_not_of_bound_ones() {
        let args = |all: &[&str]| all.iter().map(|a| (*a).to_string()).collect::<Vec<_>>();
        assert_eq!(written_here("sum", &args(&["a"])).unwrap(), "Write `reduce (+) 0 a`.");
        assert_eq!(
            written_here("zipWith", &args(&["max", "x", "y"])).unwrap(),
            "Write `zip x y |> map (\\(x, y). max x y)`."
        );
        assert_eq!(
            written_here("map2", &args(&["(*)", "a", "(f b)"])).unwrap(),
            "Write `zip a (f b) |> map (\\(x, y). x * y)`."
        );
        assert_eq!(
            written_here("flatMap", &args(&["(\\r. map sqrt r)", "a"])).unwrap(),
            "Write `join (map (\\r. map sqrt r) a)`."
        );
        assert_eq!(written_here("sum", &[]).unwrap(), "Write `reduce (+) 0 xs`.");
        assert_eq!(in_words("f (\\x. x + y)", &|w| format!("<{w}>")), "<f> (\\x. x + <y>)");
    }

    #[test]
    fn no_name_is_in_two_rows() {
        let mut all: Vec<&str> = NAMES.iter().flat_map(|(names, ..)| names.iter().copied()).collect();
        let total = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), total);
    }
}
