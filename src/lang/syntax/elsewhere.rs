//! What other languages call things, and how they are written here.
//!
//! A row has the names, the arguments that they take there, and what to write. Arguments that the text gives take the place of
//! their names in what to write, so that the hint can be copied.

mod arrays;

pub use arrays::{concatenated_along, product};

use crate::ty::Scalar;
use arrays::{appended, between, concatenated, flipped, power, repeated, reshaped, sliced, tiled, turned};

/// `f` and `g` are functions, `xs` to `zs` arrays, `x` to `z` values, `i` is an index, `n` a size, [`SIZE`] that of `xs`.
type Row = (&'static [&'static str], &'static str, &'static str);

/// The number of elements of an array, in what is written for a name.
const SIZE: &str = "#";

/// What takes the place of `if`.
pub const SELECT: &str = "`select c a b` is `a` where `c` holds, else `b`.";

/// What takes the place of `match` and `case`.
pub const MATCH: &str =
    "`let (a, b) = p in e` takes a pair apart, and `select c a b` is `a` where `c` holds, else `b`.";

const NAMES: &[Row] = &[
    (&["sum", "add_reduce"], "xs", "Write `reduce (+) 0 xs`."),
    (&["product", "prod"], "xs", "Write `reduce (*) 1 xs`."),
    (
        &["fold", "foldl", "foldl'", "inject", "accumulate"],
        "f z xs",
        "Write `reduce f z xs`, or `reduceSeq f z xs` for a function that is not associative.",
    ),
    (
        &["foldr", "foldr'", "foldRight"],
        "f z xs",
        "Write `reduce f z xs`, or `reduceSeq (\\acc x. f x acc) z (reverse xs)` for a function that is not associative.",
    ),
    (&["foldl1", "reduce1"], "f xs", "Write `reduceSeq f (idx 0 xs) (drop 1 xs)`."),
    (&["foldr1"], "f xs", "Write `reduceSeq (\\acc x. f x acc) (idx 0 (reverse xs)) (drop 1 (reverse xs))`."),
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
    (&["mean", "average", "avg"], "xs", "Write `(reduce (+) 0 xs / cast #)` for `#` elements."),
    (&["norm", "nrm2", "norm2"], "xs", "Write `sqrt (map (\\x. x * x) xs |> reduce (+) 0)`."),
    (
        &["var", "variance"],
        "xs",
        "Write `let mean = reduce (+) 0 xs / cast # in map (\\x. (x - mean) * (x - mean)) xs |> reduce (+) 0 |> (\\s. s / cast #)` for \
         `#` elements.",
    ),
    (
        &["std", "stdev", "stddev", "sd"],
        "xs",
        "Write `let mean = reduce (+) 0 xs / cast # in map (\\x. (x - mean) * (x - mean)) xs |> reduce (+) 0 |> (\\s. sqrt (s / cast #))` \
         for `#` elements.",
    ),
    (&["softmax"], "xs", "Write `let e = map exp xs in let s = reduce (+) 0 e in map (\\x. x / s) e`."),
    (&["diff"], "xs", "Write `zip (drop 1 xs) (take (# - 1) xs) |> map (\\(x, y). x - y)` for `#` elements."),
    (
        &["convolve", "convolve1d", "conv", "conv1d", "correlate", "correlate1d"],
        "xs ys",
        "Write `slide # 1 xs |> map (\\w. zip w ys |> map (\\(x, y). x * y) |> reduce (+) 0)`, with the number of weights in the \
         place of `#`; `padCst` before it makes room at the ends, and `reverse` turns the weights round.",
    ),
    (
        &["histogram", "hist", "bincount"],
        "xs n",
        "Write `(generate (\\b. map (\\x. select (x == cast (indexAsNat b)) 1 0) xs |> reduce (+) 0) : n.i32)`, where each element is the \
         number of its bin, from 0, and there are `n` bins.",
    ),
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
    (
        &["rotate"],
        "n xs",
        "Write `concat (drop n xs) (take n xs)`, which begins with the element of number `n`.",
    ),
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
    (
        &["dot", "inner", "vdot"],
        "xs ys",
        "Write `zip xs ys |> map (\\(x, y). x * y) |> reduce (+) 0` for two vectors, \
         `xs |> map (\\r. zip r ys |> map (\\(x, y). x * y) |> reduce (+) 0)` for a matrix and a vector.",
    ),
    (
        &["matmul", "mm", "gemm"],
        "xs ys",
        "Write `xs |> map (\\r. transpose ys |> map (\\c. zip r c |> map (\\(x, y). x * y) |> reduce (+) 0))` for two matrices, \
         `xs |> map (\\r. zip r ys |> map (\\(x, y). x * y) |> reduce (+) 0)` for a matrix and a vector.",
    ),
    (
        &["matvec", "matVec", "mv", "gemv"],
        "xs ys",
        "Write `xs |> map (\\r. zip r ys |> map (\\(x, y). x * y) |> reduce (+) 0)`.",
    ),
    (
        &["vecmat", "vecMat"],
        "xs ys",
        "Write `transpose ys |> map (\\c. zip xs c |> map (\\(x, y). x * y) |> reduce (+) 0)`.",
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
    (&["enumerate", "indexed"], "xs", "Write `zip (generate (\\i. i)) xs`."),
    (&["tabulate"], "n f", "Write `(generate f : n.f32)`, with the type of what `f` makes of an index."),
    (&["uncurry"], "f", "Write `\\(x, y). f x y`, a function of pairs."),
    (&["curry"], "f", "Write `\\x y. f (x, y)`."),
    (&["is"], "", "Equality is `==`: write `x == y`."),
    (&["zipWith", "map2", "zipMap", "zip_with"], "f xs ys", "Write `zip xs ys |> map (\\(x, y). f x y)`."),
    (&["zip3"], "xs ys zs", "Write `zip xs (zip ys zs)`; its elements are taken apart by `\\(x, y, z). …`."),
    (
        &["filter", "compress", "takeWhile", "dropWhile"],
        "f xs",
        "Sizes do not depend on values. `map (\\x. select (f x) x 0) xs` keeps all places.",
    ),
    (&["scan", "prefixSum", "inclusive_scan"], "f z xs", "Write `scanSeq (\\x acc. f acc x) z xs`."),
    // The start stands before all sums, or before all but the last.
    (&["scanl", "scanl'"], "f z xs", "Write `concat [z] (scanSeq (\\x acc. f acc x) z xs)`."),
    (
        &["exclusive_scan", "exscan", "prescan"],
        "f z xs",
        "Write `take # (concat [z] (scanSeq (\\x acc. f acc x) z xs))` for `#` elements.",
    ),
    (
        &["scanl1", "scan1"],
        "f xs",
        "Write `concat [idx 0 xs] (scanSeq (\\x acc. f acc x) (idx 0 xs) (drop 1 xs))`.",
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
        &["reshape", "block"],
        "xs",
        "Write `split 4 xs` for rows of 4 elements; `join` makes one array of rows.",
    ),
    (&["window", "windows", "sliding"], "n xs", "Write `slide n 1 xs` for windows of so many elements."),
    (&["stencil"], "xs", "Write `slide 3 1 xs` for windows of 3 elements."),
    (&["pad"], "xs", "Write `padClamp 1 1 xs` or `padCst 1 1 0 xs`."),
    (
        &["tile"],
        "xs",
        "Write `split 4 xs` for rows of 4 elements, `concat xs xs` for an array twice, one behind the other.",
    ),
    (&["roll"], "xs n", "Write `concat (drop (# - n) xs) (take (# - n) xs)` for `#` elements."),
    (&["flip", "rev", "flipud"], "xs", "Write `reverse xs`."),
    (&["fliplr"], "xs", "Write `map reverse xs`."),
    (&["T", "transposed"], "xs", "Write `transpose xs`."),
    (
        &["sort", "sorted", "argsort", "median", "quantile", "percentile", "unique", "topk"],
        "xs",
        "There is no sorting: what is done does not depend on values.",
    ),
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
    (&["last"], "xs", "Write `idx (natAsIndex # (# - 1)) xs` for `#` elements."),
    (&["tail"], "xs", "Write `drop 1 xs`."),
    (&["init"], "xs", "Write `take (# - 1) xs` for `#` elements."),
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
    (&["rem"], "x y", "Write `x % y`, which has the sign of the dividend."),
    (
        &["mod", "modulo"],
        "x y",
        "Write `x % y`, which has the sign of the dividend; `((x % y + y) % y)` has that of the divisor.",
    ),
    (&["fmod", "fmodf"], "x y", "Write `(x - y * trunc (x / y))`."),
    (&["sign", "signum", "sgn"], "x", "Write `select (x > 0) 1 (select (x < 0) (-1) 0)`."),
    (&["ln", "logf"], "x", "Write `log x`, which is the natural logarithm."),
    (&["log1p"], "x", "Write `log (1 + x)`."),
    (&["expm1"], "x", "Write `(exp x - 1)`."),
    (&["hypot", "hypotf"], "x y", "Write `sqrt (x * x + y * y)`."),
    (&["cbrt", "cbrtf"], "x", "Write `select (x < 0) (-pow (-x) (1 / 3)) (pow x (1 / 3))`."),
    (&["recip", "reciprocal"], "x", "Write `(1 / x)`."),
    (&["const", "constant"], "c", "Write `\\_. c`, a function that takes no notice of what it is given."),
    (
        &["popcount", "popc", "popCount", "bitcount", "count_ones", "popcll"],
        "x",
        "Write `((generate (\\bit. bitAnd (shiftRight x (cast (indexAsNat bit))) 1) : 32.u32) |> reduce (+) 0)`, with how \
         many bits there are and the type that is meant in the place of `32.u32`.",
    ),
    (&["quot"], "x y", "Write `x / y`."),
    (&["map2d", "map2D", "mapMap"], "f xs", "Write `map (map f) xs`."),
    (&["map3d", "map3D"], "f xs", "Write `map (map (map f)) xs`."),
    (&["power", "powf", "powi"], "x y", "Write `pow x y`."),
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
    (&["shift"], "k xs", "Write `take # (padCst k 0 0 xs)` for `#` elements, which begins with `k` zeros."),
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
    (&INFINITY, "", "Write `(1.0 / 0.0)`, or the largest number: `3.4028235e38` is that of `f32`."),
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
    (
        &[
            "pmap", "fmap", "forEach", "parMap", "parmap", "par_map", "mapP", "apply", "arrayfun", "cellfun",
            "vmap",
        ],
        "f xs",
        "Write `map f xs`.",
    ),
    (&["lambda", "fun", "fn", "func", "function"], "", "Write `\\x. x * 2`."),
    (&["if", "then", "else", "ifThenElse", "cond", "ifelse"], "c a b", SELECT),
    (&["match", "case", "switch"], "", MATCH),
    (&["print", "printf", "show"], "", "A program shows its result and nothing else: leave it out."),
    (
        &["trace"],
        "xs",
        "Write `generate (\\i. idx i (idx i xs)) |> reduce (+) 0` for the sum of a matrix's diagonal; nothing is printed while a \
         program runs.",
    ),
    (&["compose"], "f g", "Write `f >> g`, which applies `f` first."),
    (&["id", "identity"], "x", "Write `\\x. x`."),
];

/// The greatest and least numbers of types as other languages call them, as they are written here.
const LIMITS: &[(&[&str], &str)] = &[
    (&["INT_MIN", "INT32_MIN"], "(-2147483648)"),
    (&["INT_MAX", "INT32_MAX"], "2147483647"),
    (&["UINT_MAX", "UINT32_MAX"], "4294967295"),
    (&["SHRT_MIN", "INT16_MIN"], "(-32768)"),
    (&["SHRT_MAX", "INT16_MAX"], "32767"),
    (&["USHRT_MAX", "UINT16_MAX"], "65535"),
    (&["SCHAR_MIN", "INT8_MIN"], "(-128)"),
    (&["SCHAR_MAX", "INT8_MAX"], "127"),
    (&["UCHAR_MAX", "UINT8_MAX"], "255"),
    (&["LONG_MIN", "LLONG_MIN", "INT64_MIN"], "(-9223372036854775808)"),
    (&["LONG_MAX", "LLONG_MAX", "INT64_MAX"], "9223372036854775807"),
    (&["ULONG_MAX", "ULLONG_MAX", "UINT64_MAX", "SIZE_MAX"], "18446744073709551615"),
    (&["FLT_MAX"], "3.4028235e38"),
    (&["FLT_MIN"], "1.1754944e-38"),
    (&["FLT_EPSILON"], "1.1920929e-7"),
    (&["DBL_MAX"], "1.7976931348623157e308"),
    (&["DBL_MIN"], "2.2250738585072014e-308"),
    (&["DBL_EPSILON"], "2.220446049250313e-16"),
];

/// The values that reductions by operators start from.
const STARTS: &[(&str, &str)] = &[
    ("(+)", "0"),
    ("(*)", "1"),
    ("(or)", "false"),
    ("(and)", "true"),
    ("max", "(-1 / 0)"),
    ("min", "(1 / 0)"),
];

/// The value that a reduction by this operator starts from; of `max` and `min` that of floating-point numbers.
pub fn start_of(operator: &str) -> Option<&'static str> {
    STARTS.iter().find(|(op, _)| *op == operator).map(|(_, start)| *start)
}

/// What is said of a name that is a number by itself.
fn limit(name: &str) -> Option<String> {
    let (_, number) = LIMITS.iter().find(|(names, _)| names.contains(&name))?;
    Some(format!("Write `{number}`."))
}

/// How vectors are called elsewhere: `float4` is a type of four lanes. How many there are, and the type of a lane.
fn lanes_of(name: &str) -> Option<(usize, &'static str)> {
    let name = name.strip_prefix("make_").unwrap_or(name);
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = name.strip_prefix(scalar)?.parse().ok().filter(|n| matches!(n, 2 | 3 | 4 | 8 | 16))?;
    let lane = if scalar.eq_ignore_ascii_case("vec") { Some("f32") } else { type_here(scalar) };
    Some((lanes, lane.filter(|_| type_here(name).is_none())?))
}

/// The type of vectors that another language calls so.
pub fn vector_here(name: &str) -> Option<String> {
    lanes_of(name).map(|(lanes, scalar)| format!("<{lanes}>{scalar}"))
}

/// A vector of these lanes, or of one in each.
fn vector_of(name: &str, args: &[String]) -> Option<String> {
    let (lanes, _) = lanes_of(name)?;
    Some(match args {
        [one] => format!("Write `vectorFromScalar {one}` for a vector that has it in every lane."),
        all if all.len() == lanes => {
            format!("A vector is read of an array: write `idx 0 (asVector {lanes} [{}])`.", all.join(", "))
        }
        _ => {
            format!("`asVector {lanes} xs` makes vectors of an array, `vectorFromScalar x` one of a scalar.")
        }
    })
}

/// Is what other languages call so one value of all elements of an array?
pub fn is_of_all(name: &str) -> bool {
    let of_all = ["reduce ", "(reduce ", "sqrt (map ", "let mean = reduce ", "zip (generate (\\i. (cast"];
    let row = NAMES.iter().find(|(names, params, _)| names.contains(&name) && *params == "xs");
    row.is_some_and(|(_, _, hint)| {
        let written = hint.strip_prefix("Write `").unwrap_or_default();
        of_all.iter().any(|start| written.starts_with(start))
    })
}

/// Is it a function of values, none of which is an array?
pub fn takes_values(name: &str) -> bool {
    let row = NAMES.iter().find(|(names, ..)| names.contains(&name));
    row.is_some_and(|(_, params, _)| matches!(*params, "x" | "x y"))
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

/// What is left of a name's arguments without the brackets and signs around them.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty())
}

/// Does a text that is written as an argument compare something?
fn compares(text: &str) -> bool {
    let of_two = ["<", ">", "==", "!="].iter().any(|sign| text.contains(sign));
    of_two && !["|>", ">>", "->", "\\"].iter().any(|sign| text.contains(sign))
}

/// `any (xs > 0)` and the like, of the one array whose elements are compared.
fn of_compared(name: &str, args: &[String]) -> Option<String> {
    let [truth] = args else { return None };
    if !compares(truth) {
        return None;
    }
    let start = match name {
        "any" => "reduce (or) false",
        "all" => "reduce (and) true",
        "sum" | "count" | "count_nonzero" | "countnonzero" => "reduce (+) 0",
        _ => return None,
    };
    let mut names: Vec<&str> =
        words_of(truth).filter(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_')).collect();
    names.sort_unstable();
    names.dedup();
    let [array] = names[..] else {
        return Some(format!(
            "Write `{start}` of what `map` makes of each element of an array, or of the pairs of two, as `zip` makes them."
        ));
    };
    let v = if array == "x" { "v" } else { "x" };
    let of_element = in_words(truth, &|w| if w == array { v.to_owned() } else { w.to_owned() });
    let each = if start.contains('+') {
        format!("select {of_element} 1 0")
    } else {
        without_parentheses(&of_element).to_owned()
    };
    Some(format!("Write `{start} (map (\\{v}. {each}) {array})`."))
}

/// `count xs`, which has no function: its elements are truth values.
fn counted(name: &str, args: &[String]) -> Option<String> {
    match (name, args) {
        ("count" | "countIf" | "count_if", [xs]) if !xs.contains('\\') => {
            Some(format!("Write `map (\\x. select x 1 0) {xs} |> reduce (+) 0`, of truth values."))
        }
        _ => None,
    }
}

/// `sum(xs, 1)`: along which axis is another thing in each language.
fn of_rows_or_columns(name: &str, args: &[String]) -> Option<String> {
    let [xs, axis] = args else { return None };
    if !is_of_all(name) || !matches!(axis.as_str(), "0" | "1" | "2" | "(-1)") {
        return None;
    }
    let (of_row, of_column) = (of_one(name, "r", None)?, of_one(name, "c", None)?);
    Some(format!(
        "Write `map (\\r. {of_row}) {xs}` for each row, `map (\\c. {of_column}) (transpose {xs})` for each column."
    ))
}

/// What is written for a name with one argument, of which it may be known how many elements it has.
pub fn of_one(name: &str, arg: &str, size: Option<&str>) -> Option<String> {
    code_of(name, &[arg.to_owned()], size)
}

/// What is written for a function of two values.
pub fn of_two(name: &str, x: &str, y: &str) -> Option<String> {
    code_of(name, &[x.to_owned(), y.to_owned()], None).filter(|_| is_of_two(name))
}

/// Is it a function of two values?
fn is_of_two(name: &str) -> bool {
    NAMES.iter().any(|(names, params, _)| names.contains(&name) && *params == "x y")
}

/// The text of this language that is written for a name with these arguments.
fn code_of(name: &str, args: &[String], size: Option<&str>) -> Option<String> {
    let hint = written_of(name, args, size)?;
    Some(hint.strip_prefix("Write `")?.split('`').next()?.to_owned())
}

/// Is it a function of one array, of which each row has a result of its own?
pub fn takes_an_array(name: &str) -> bool {
    NAMES.iter().any(|(names, params, _)| names.contains(&name) && *params == "xs")
}

/// Is the first argument of a name a size, and the second one an array?
pub fn takes_a_size_first(name: &str) -> bool {
    NAMES.iter().any(|(names, params, _)| names.contains(&name) && *params == "n xs")
}

/// Does an operator, a `let` or a function in a text reach beyond it, where it stands beside other operators?
pub fn is_loose(text: &str) -> bool {
    let is_sign =
        |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_punctuation() && !"()[],_".contains(c));
    if text.starts_with(['-', '\\']) || text.starts_with("let ") {
        return true;
    }
    let mut open = 0usize;
    text.split(' ').any(|word| {
        let outside = open == 0;
        open += word.matches(['(', '[']).count();
        open = open.saturating_sub(word.matches([')', ']']).count());
        outside && (is_sign(word) || matches!(word, "and" | "or"))
    })
}

/// A hint with what it says to write in parentheses where that would reach further: what takes the place of a part.
pub fn in_its_place(hint: &str) -> String {
    let mut before = "";
    let parts = hint.split('`').enumerate().map(|(i, part)| {
        let is_written = before.ends_with("rite ") || before.ends_with(", ") || before.ends_with("or ");
        let put =
            if i % 2 == 1 && is_written && is_loose(part) { format!("({part})") } else { part.to_owned() };
        before = part;
        put
    });
    parts.collect::<Vec<_>>().join("`")
}

/// A hint with the number of elements in it where that is known, and nothing in its place where it is not.
fn with_size(hint: String, size: Option<&str>) -> String {
    if !hint.contains(SIZE) {
        return hint;
    }
    let Some(size) = size else {
        let said = hint.replace(OF_SIZE, SIZE_IN_ITS_PLACE).replace(SIZE, "…");
        let is_said = said.contains("in the place of `…`");
        return match said.strip_suffix('.').filter(|_| !is_said) {
            Some(hint) => format!("{hint}{SIZE_IN_ITS_PLACE}."),
            None => said,
        };
    };
    hint.replace(OF_SIZE, "")
        .replace(", with the number of weights in the place of `#`", "")
        .replace(SIZE, size)
}

/// Where the number of elements is named in a hint, and what is said where it is not known.
const OF_SIZE: &str = " for `#` elements";
const SIZE_IN_ITS_PLACE: &str = ", with the number of elements in the place of `…`";

/// Is it the number of weights that what is written for a name has in it, which are the second array?
pub fn is_sized_by_weights(name: &str) -> bool {
    name.starts_with("conv") || name.starts_with("correlate")
}

/// `convolve xs [1, 2, 1]`: of weights that are written there it is known how many they are.
fn convolved(name: &str, args: &[String]) -> Option<String> {
    let (names, _, hint) = NAMES.iter().find(|(names, ..)| names.contains(&name))?;
    let args = args.get(..2)?;
    let weights = in_brackets(args.get(1)?).filter(|_| names.contains(&"convolve"))?;
    let (written, _) = hint.split_once("`, with")?;
    let written = written.replace(SIZE, &weights.len().to_string());
    let hint = format!(
        "{written}`; `padCst` before it makes room at the ends, and `reverse` turns the weights round."
    );
    Some(put(&hint, &["xs", "ys"], args))
}

/// What to write for a name of other languages, with these arguments in the place of the row's where their number fits.
pub fn written_here(name: &str, args: &[String]) -> Option<String> {
    written_of(name, args, None)
}

/// The same, where it may be known how many elements the array has that it takes.
pub fn written_of(name: &str, args: &[String], size: Option<&str>) -> Option<String> {
    written_with_size(name, args).map(|hint| with_size(hint, size))
}

/// The same, with a sign for the number of elements.
fn written_with_size(name: &str, args: &[String]) -> Option<String> {
    // How many bins there are is mostly said elsewhere.
    if let ("histogram" | "hist" | "bincount", [xs]) = (name, args) {
        return written_with_size(name, &[xs.clone(), "256".to_owned()]);
    }
    let is_type = scalar_here(name).is_some();
    let name = if is_type && args.len() == 2 { "as" } else { name };
    let own = match name {
        "reshape" => reshaped(args),
        "unflatten" if args.len() > 2 => reshaped(args),
        "range" | "arange" | "iota" => between(args),
        "flip" => flipped(args),
        "roll" | "rotate" => turned(name, args),
        "concatenate" | "hstack" | "concat" => concatenated(args),
        "slice" => sliced(args),
        "tile" => tiled(args),
        "append" => appended(args),
        "repeat" | "replicate" => repeated(args),
        "powi" => power(args),
        _ => limit(name).or_else(|| vector_of(name, args)).or_else(|| of_compared(name, args)),
    };
    let own = own.or_else(|| of_rows_or_columns(name, args)).or_else(|| convolved(name, args));
    let own = own.or_else(|| counted(name, args));
    if own.is_some() {
        return own;
    }
    let (_, params, hint) = NAMES.iter().find(|(names, ..)| names.contains(&name))?;
    let params: Vec<&str> = params.split_whitespace().collect();
    if params.len() != args.len() || args.is_empty() {
        return Some(partly(&params, args, hint).unwrap_or_else(|| (*hint).to_string()));
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
    Some(put(hint, &params, &args))
}

/// A hint with arguments in the place of the names of its parameters.
fn put(hint: &str, params: &[&str], args: &[String]) -> String {
    let put = |word: &str| match params.iter().position(|p| *p == word) {
        Some(at) => args[at].clone(),
        None => word.to_string(),
    };
    // Only what stands in backquotes is text of the language; a function that is written there binds its own names.
    let parts = hint.split('`').enumerate().map(|(i, part)| match i % 2 {
        1 => called(in_words(&with_other_binders(part, params, args), &put)),
        _ => part.to_string(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// The text with the bodies of functions that were put where they are called: `\(x, y). x + y` for `\(x, y). (\a b. a + b) x y`.
fn called(text: String) -> String {
    let written = text.match_indices("(\\").find_map(|(at, _)| Call::at(&text, at)?.written());
    written.map_or(text, called)
}

/// A function in a text that is called there with names alone.
struct Call<'a> {
    before: &'a str,
    params: Vec<&'a str>,
    body: &'a str,
    args: Vec<&'a str>,
    behind: &'a str,
}

impl<'a> Call<'a> {
    /// The one whose parenthesis opens here.
    fn at(text: &'a str, at: usize) -> Option<Call<'a>> {
        let (before, function) = (text.get(..at)?, scope_of(text.get(at + 1..)?, 0));
        // Behind another function it is an argument.
        if !(before.is_empty() || before.ends_with(['(', ' ']) && before.trim_end().ends_with(['(', '.'])) {
            return None;
        }
        let mut body = function;
        let mut params = vec![];
        while let Some((head, rest)) = body.strip_prefix('\\').and_then(|f| f.split_once('.')) {
            params.extend(patterns(head.trim()));
            body = rest.trim_start();
        }
        let mut behind = text.get(at + 1 + function.len()..)?.strip_prefix(')')?;
        let mut args = vec![];
        while let Some(arg) =
            behind.strip_prefix(' ').and_then(|rest| words_of(rest).next().filter(|w| rest.starts_with(w)))
        {
            args.push(arg);
            behind = behind.get(1 + arg.len()..)?;
        }
        let is_call = args.len() == params.len() && (behind.is_empty() || behind.starts_with(')'));
        is_call.then_some(Call { before, params, body, args, behind })
    }

    fn written(&self) -> Option<String> {
        let Call { before, params, body, args, behind } = self;
        // Where it is all that another function does, that one takes what this one does.
        let outer =
            before.rsplit_once('\\').and_then(|(before, head)| Some((before, head.strip_suffix(". ")?)));
        if let Some((before, head)) = outer {
            let put =
                |word: &str| args.iter().position(|arg| *arg == word).map_or(word, |i| params[i]).to_owned();
            let all = words_of(head).all(|word| args.contains(&word));
            return all.then(|| format!("{before}\\{}. {body}{behind}", in_words(head, &put)));
        }
        let is_name = |param: &&str| param.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_taken = |arg: &&str| words_of(body).any(|word| word == *arg) && !params.contains(arg);
        let put =
            |word: &str| params.iter().position(|param| *param == word).map_or(word, |i| args[i]).to_owned();
        (params.iter().all(is_name) && !args.iter().any(is_taken))
            .then(|| format!("{before}{}{behind}", in_words(body, &put)))
    }
}

/// The parameters in the head of a function: `a` and `(b, c)` of `a (b, c)`.
fn patterns(head: &str) -> Vec<&str> {
    let mut open = 0;
    let between = |c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0 && c == ' '
    };
    head.split(between).filter(|pattern| !pattern.is_empty()).collect()
}

/// The names that the functions in a text bind.
fn binders(text: &str) -> Vec<&str> {
    text.split('\\').skip(1).flat_map(|f| words_of(f.split('.').next().unwrap_or(""))).collect()
}

/// The text with other names in functions that the arguments are put into, where a name would be taken for one in these.
fn with_other_binders(text: &str, params: &[&str], args: &[String]) -> String {
    let is_taken = |name: &str, scope: &str| {
        let inside = |p: &str| words_of(scope).any(|w| w == p);
        let knows = |arg: &str| words_of(arg).any(|w| w == name) && !binders(arg).contains(&name);
        params.iter().zip(args).any(|(p, arg)| inside(p) && knows(arg))
    };
    // What a `let` binds is known to its end.
    let lets = text.match_indices("let ").filter_map(|(at, word)| {
        let rest = text.get(at + word.len()..)?;
        Some((words_of(rest).next()?, rest))
    });
    let taken: Vec<&str> = text
        .match_indices('\\')
        .flat_map(|(at, _)| {
            binders(text.get(at..).and_then(|t| t.split_once('.')).map_or("", |(head, _)| head))
                .into_iter()
                .map(move |name| (name, scope_of(text, at)))
        })
        .chain(lets)
        .filter(|(name, scope)| is_taken(name, scope))
        .map(|(name, _)| name)
        .collect();
    taken.into_iter().fold(text.to_owned(), |out, name| {
        let all: Vec<&str> = args.iter().map(String::as_str).chain([out.as_str()]).collect();
        let other = fresh(name, &all);
        renamed(&out, name, &other)
    })
}

/// The text of a function that starts at a place, up to the parenthesis around it.
fn scope_of(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let mut open = 0;
    let closes = |c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open < 0
    };
    rest.split(closes).next().unwrap_or_default()
}

/// A name like this one that stands in none of the texts.
pub fn fresh(name: &str, texts: &[&str]) -> String {
    let is_free = |n: &String| !texts.iter().any(|t| words_of(t).any(|w| w == n));
    let letters = ["x", "v", "w", "u"].into_iter().filter(|n| n.len() == name.len()).map(str::to_owned);
    let numbered = (1..).map(|i| format!("{name}{i}"));
    std::iter::once(name.to_owned()).chain(letters).chain(numbered).find(is_free).unwrap_or_default()
}

/// A text with one word in the place of another.
fn renamed(text: &str, name: &str, other: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(part) {
        let end = rest[start..].find(|c| !part(c)).map_or(rest.len(), |n| start + n);
        let word = &rest[start..end];
        out.push_str(&rest[..start]);
        out.push_str(if word == name { other } else { word });
        rest = &rest[end..];
    }
    out + rest
}

/// What is written for a name whose last arguments are missing: a function of them.
fn partly(params: &[&str], args: &[String], hint: &str) -> Option<String> {
    let rest = params.get(args.len()..).filter(|rest| !args.is_empty() && !rest.is_empty())?;
    let numbers = args
        .iter()
        .zip(params)
        .any(|(a, p)| p.starts_with("xs") && a.starts_with(|c: char| c.is_ascii_digit()));
    let (before, written) = hint.split_once('`').filter(|(before, _)| *before == "Write ")?;
    let (written, behind) = written.split_once('`')?;
    let all = params.iter().all(|p| words_of(written).any(|w| w == *p));
    if numbers || !all || written.starts_with('\\') || params.contains(&"low") {
        return None;
    }
    // What is missing is called as nothing in what is given is.
    let given: Vec<&str> = args.iter().map(String::as_str).chain([written]).collect();
    let is_taken = |p: &&str| args.iter().any(|a| words_of(a).any(|w| w == *p));
    let mut names: Vec<String> = vec![];
    for p in rest {
        let others: Vec<&str> = given.iter().copied().chain(names.iter().map(String::as_str)).collect();
        names.push(if is_taken(p) { fresh(p, &others) } else { (*p).to_owned() });
    }
    let all: Vec<String> = args.iter().cloned().chain(names.iter().cloned()).collect();
    let function = format!("`(\\{}. ", names.join(" "));
    let written = put(&format!("`{written}`"), params, &all);
    let more = if behind.contains('.') { "." } else { "" };
    Some(format!("{before}{function}{})`{more}", without_parentheses(written.trim_matches('`'))))
}

/// A text without the parentheses that stand around all of it.
pub fn without_parentheses(text: &str) -> &str {
    let mut open = 0;
    let mut ends = text.char_indices().filter(|(_, c)| {
        open += i32::from(*c == '(') - i32::from(*c == ')');
        open == 0
    });
    let whole = ends.next().is_some_and(|(i, _)| i + 1 == text.len());
    let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    // A type stands in parentheses.
    inside.filter(|t| whole && !t.contains(" : ")).unwrap_or(text)
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
        && z.trim_start_matches('(').starts_with(|c: char| c.is_ascii_digit() || c == '-')
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

/// Is a text one word, which may be a number?
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
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
pub fn as_function(name: &str, size: Option<&str>) -> Option<String> {
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
        _ => format!("(\\{params}. {})", without_parentheses(text)),
    });
    Some(with_size(parts.collect::<Vec<_>>().join("`"), size))
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
    let binders = binders(text);
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
    const OTHERS: [&str; 9] =
        ["math", "Math", "cmath", "std", "f32", "f64", "functools", "itertools", "operator"];
    OTHERS.contains(&name) || is_module_of_arrays(name)
}

/// Names of libraries whose functions take arrays, and then an axis.
pub fn is_module_of_arrays(name: &str) -> bool {
    matches!(name, "np" | "numpy" | "jnp" | "jax" | "lax" | "torch" | "tf" | "scipy" | "cp" | "cupy")
}

/// Names of parts of such libraries.
pub fn is_part_of_module(name: &str) -> bool {
    matches!(
        name,
        "linalg" | "signal" | "nn" | "functional" | "fft" | "special" | "ndimage" | "numpy" | "lax" | "math"
    )
}

/// `i32::MIN`: the number by its name in this language.
pub fn limit_of_type(scalar: &str, which: &str) -> Option<String> {
    let float = |name: &str| match Scalar::from_name(name) {
        Some(Scalar::F32) => Some("FLT"),
        Some(Scalar::F64) => Some("DBL"),
        _ => None,
    };
    let name = match (float(scalar), which) {
        (Some(kind), "MAX" | "EPSILON") => format!("{kind}_{which}"),
        (Some(kind), "MIN_POSITIVE") => format!("{kind}_MIN"),
        (Some(_), "INFINITY") => return Some("(1 / 0)".into()),
        (Some(_), "NEG_INFINITY") => return Some("(-1 / 0)".into()),
        (Some(_), "NAN") => return Some("(0 / 0)".into()),
        (Some(kind), "MIN") => {
            let (_, most) = LIMITS.iter().find(|(names, _)| names.contains(&&*format!("{kind}_MAX")))?;
            return Some(format!("(-{most})"));
        }
        (None, "MIN") if scalar.starts_with('u') => return Scalar::from_name(scalar).map(|_| "0".into()),
        (None, "MAX" | "MIN") => {
            let (kind, bits) = scalar.split_at_checked(1)?;
            format!("{}INT{bits}_{which}", if kind == "u" { "U" } else { "" })
        }
        _ => return None,
    };
    LIMITS.iter().find(|(names, _)| names.contains(&&*name)).map(|(_, number)| (*number).to_owned())
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
        // What a function that is given does stands where it is called.
        for (name, given, hint) in [
            ("zipWith", ["(\\a b. a * b + 1)", "v", "w"].as_slice(), "zip v w |> map (\\(a, b). a * b + 1)"),
            ("zipWith", &["(\\x. \\y. max x y)", "v", "w"], "zip v w |> map (\\(x, y). max x y)"),
            (
                "zipWith",
                &["(\\(a, b) (c, d). a * c)", "v", "w"],
                "zip v w |> map (\\((a, b), (c, d)). a * c)",
            ),
            ("scan", &["(\\s a. s + a * 0.5)", "0", "v"], "scanSeq (\\a s. s + a * 0.5) 0 v"),
            ("count", &["(\\v. v > 1)", "a"], "map (\\x. select (x > 1) 1 0) a |> reduce (+) 0"),
            // Another `x` than the one of the hint.
            ("count", &["(\\v. v > x)", "a"], "map (\\w. select (w > x) 1 0) a |> reduce (+) 0"),
            ("zipWith", &["(\\a. f a)", "v", "w"], "zip v w |> map (\\(x, y). f x y)"),
        ] {
            assert_eq!(written_here(name, &args(given)).unwrap(), format!("Write `{hint}`."), "{given:?}");
        }
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
