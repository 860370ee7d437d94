//! What other languages call things, and how they are written here.

/// Names that mean nothing here, each with what to write.
const NAMES: &[(&[&str], &str)] = &[
    (&["sum"], "Write `reduce (+) 0 xs`."),
    (&["product", "prod"], "Write `reduce (*) 1 xs`."),
    (
        &["fold", "foldl", "foldr", "foldl'", "inject", "accumulate"],
        "Write `reduce (+) 0 xs`, or `reduceSeq f z xs` for an `f` that is not associative.",
    ),
    (&["maximum", "amax"], "Write `reduce max (-3.4e38) xs`."),
    (&["minimum", "amin"], "Write `reduce min 3.4e38 xs`."),
    (&["mean", "average", "avg"], "Write `reduce (+) 0 xs / cast n` for `n` elements."),
    (&["any"], "Write `reduce (or) false (map (\\x. x > 0) xs)`."),
    (&["all"], "Write `reduce (and) true (map (\\x. x > 0) xs)`."),
    (&["dot", "inner"], "Write `zip xs ys |> map (\\(x, y). x * y) |> reduce (+) 0`."),
    (
        &["len", "length", "size", "shape"],
        "The size of an array is in its type: of `(xs: n.f32)` it is `n`, as a number `(cast n : f32)`.",
    ),
    (
        &["range", "iota", "arange", "indices"],
        "Write `(generate (\\i. cast (indexAsNat i)) : n.i32)` for the numbers from 0.",
    ),
    (&["enumerate"], "Write `zip (generate (\\i. i)) xs`."),
    (&["zipWith", "map2", "zipMap"], "Write `zip xs ys |> map (\\(x, y). x + y)`."),
    (&["zip3"], "Write `zip xs (zip ys zs)`; its elements are taken apart by `\\(x, y, z). …`."),
    (
        &["filter", "compress", "takeWhile", "dropWhile"],
        "Sizes do not depend on values. `map (\\x. select (x > 0) x 0) xs` keeps all places.",
    ),
    (&["scan", "scanl", "scanl1", "cumsum", "prefixSum"], "Write `scanSeq (\\x acc. acc + x) 0 xs`."),
    (&["flatten", "ravel", "flatMap", "concatMap"], "Write `join xss` for an array of arrays."),
    (
        &["reshape", "chunks", "chunksOf", "chunk", "unflatten", "tile", "block"],
        "Write `split 4 xs` for rows of 4 elements; `join` makes one array of rows.",
    ),
    (&["window", "windows", "sliding", "stencil"], "Write `slide 3 1 xs` for windows of 3 elements."),
    (&["pad"], "Write `padClamp 1 1 xs` or `padCst 1 1 0 xs`."),
    (&["head", "first"], "Write `idx 0 xs`."),
    (&["last"], "Write `idx (natAsIndex n (n - 1)) xs` for `n` elements."),
    (&["tail"], "Write `drop 1 xs`."),
    (&["init"], "Write `take (n - 1) xs` for `n` elements."),
    (&["slice"], "Write `take 4 (drop 2 xs)`."),
    (&["get", "at", "elem", "nth"], "Write `idx i xs`."),
    (&["append"], "Write `concat xs ys`."),
    (&["replicate", "repeat", "full", "fill", "zeros", "ones"], "Write `(generate (\\i. 0) : n.f32)`."),
    (
        &["toLocal", "toGlobal", "toPrivate"],
        "Write `toMem local xs`, with `global` or `private` for other memory.",
    ),
    (&["xor"], "Write `bitXor x y`; truth values are compared by `x != y`."),
    (&["shl", "lshift"], "Write `shiftLeft x y`."),
    (&["shr", "rshift"], "Write `shiftRight x y`."),
    (&["mod", "rem", "modulo"], "Write `x % y`."),
    (&["quot"], "Write `x / y`."),
    (&["power", "powf"], "Write `pow x y`."),
    (&["sqr", "square"], "Write `x * x`."),
    (&["rsqrt"], "Write `1 / sqrt x`."),
    (&["clamp", "clip"], "Write `max 0 (min 1 x)`."),
    (&["relu"], "Write `max 0 x`."),
    (&["negate"], "Write `-x`."),
    (
        &["as", "int", "float", "double", "toInt", "toFloat", "fromIntegral"],
        "Write `(cast x : i32)`, with the type that is meant.",
    ),
    (&["True", "TRUE"], "Write `true`."),
    (&["False", "FALSE"], "Write `false`."),
    (&["return"], "What a definition computes stands behind its `=`: leave `return` out."),
    (
        &["for", "while", "foreach"],
        "Write `map (\\x. x * 2) xs` for each element; `reduce` makes one value of all.",
    ),
    (&["lambda", "fun", "fn", "func", "function"], "Write `\\x. x * 2`."),
    (&["if", "then", "else", "ifThenElse", "cond"], crate::lang::syntax::SELECT),
    (&["print", "printf", "trace", "show"], "A program shows its result and nothing else: leave it out."),
    (&["compose"], "Write `f >> g`, which applies `f` first."),
];

/// What to write for a name of other languages.
pub fn written_here(name: &str) -> Option<&'static str> {
    if crate::lang::ty::Scalar::from_name(name).is_some() {
        return written_here("as");
    }
    NAMES.iter().find(|(names, _)| names.contains(&name)).map(|(_, hint)| *hint)
}

/// Words that other languages write between two operands.
pub fn is_infix(name: &str) -> bool {
    matches!(name, "as" | "mod" | "rem" | "quot" | "xor" | "shl" | "shr")
}
