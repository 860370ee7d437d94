//! What newcomers from other languages type: each is one problem, whose hint has what to write in the words of the text.

use crate::diag::{Diagnostic, Sources};
use crate::infer::program;
use crate::syntax::parse_program;

fn problems(text: &str) -> Vec<Diagnostic> {
    let (file, mut problems) = parse_program(Sources::new().add("p.rise", text), text);
    let found = program(&file, None).1;
    problems.extend(file.news(&problems.clone(), found));
    problems
}

/// The one problem of a text.
#[track_caller]
fn only(text: &str) -> Diagnostic {
    match <[Diagnostic; 1]>::try_from(problems(text)) {
        Ok([problem]) => problem,
        Err(found) => panic!("{text}: {found:?}"),
    }
}

/// The text of a program, the code of its one problem, and a part of the hint.
const TYPED: &[(&str, &str, &str)] = &[
    ("import lib/tiling\ndef f (a: n.f32) = map sqrt a", "E0020", "`import lib.tiling`"),
    ("import \"lib.rise\"\ndef f (a: n.f32) = map sqrt a", "E0020", "without the ending"),
    ("import ../../lib\ndef f (a: n.f32) = map sqrt a", "E0020", "`import lib.tiling`"),
    ("import lib::tiling\ndef f (a: n.f32) = map sqrt a", "E0020", "`import lib.tiling`"),
    ("import lib.*\ndef f (a: n.f32) = map sqrt a", "E0010", "`import lib.tiling`"),
    ("def f (a: (n, m).f32) = map (map sqrt) a", "E0020", "`n.m.f32`"),
    ("def f (a: n.f32) = map(a, sqrt)", "E0114", "`map sqrt a`"),
    ("def f (a: n.f32) = map a sqrt", "E0114", "`map sqrt a`"),
    ("def f (a: n.f32): f32 = reduce a (+) 0", "E0114", "`reduce (+) 0 a`"),
    ("def f (a: n.f32) = map (\\x. sqrt(x, 2)) a", "E0117", "`sqrt` takes one number"),
    ("def f (a: n.f32) = clamp a 0.0 1.0", "E0101", "`map (\\v. max 0.0 (min 1.0 v)) a`"),
    ("def f (a: n.f32) = map (\\x. x > 0 and x or 0) a", "E0110", "`select c a b`"),
    ("def f (x: f32) f32 = x + 1.0", "E0020", "`: f32`"),
    ("def f (x: f32) float = x + 1.0", "E0020", "`: f32`"),
    ("def f (a: n.m.f32) = map (max 0) a", "E0117", "`map (map (max 0))`"),
    ("for (int i = 0; i < n; i++) { b[i] = a[i]; }", "E0023", "`def name (x: n.f32) = map"),
    ("def f (a b: n.f32): f32 = a · b", "E0117", "|> reduce (+) 0`"),
    ("def f (a: n.m.f32) = sum a axis=1", "E0020", "`map (reduce (+) 0) a`"),
    ("def f (a: n.m.f32) = sqrt a", "E0117", "`map (map sqrt) a`"),
    ("def f (a: n.m.f32) = map sqrt a", "E0117", "`(map sqrt)` in its place"),
    ("def f (a: n.m.f32) = -a", "E0117", "`map (map neg) a`"),
    ("def f (x: n.f32) (k: i32) = iterate k (map sqrt) x", "E0115", "`(k: nat)`"),
    ("def f (a: n.2.f32): n.f32 = map (\\(x, y). x + y) a", "E0110", "`idx 0 xs`"),
    ("def f (a: n.f32) = map (\\v. v) [1 2]", "E0114", "`[1, 2]`"),
    ("def f: 2.2.f32 = [1, 2; 3, 4]", "E0020", "`[[1, 2], [3, 4]]`"),
    ("def f: 2.3.f32 = [[1, 2, 3], [4, 5]]", "E0111", "One row has"),
    ("def f (x: n.f32) = map(v -> v * 2, x)", "E0020", "`map (\\v. v * 2) x`"),
    ("def f (x: n.f32) = reduce((a, b) => a + b, 0, x)", "E0020", "`reduce (\\a b. a + b) 0 x`"),
    ("def f (x: n.f32) = map(x, x * 2)", "E0114", "`map (\\v. v * 2) x`"),
    ("def f (a: n.f32): f32 = map (\\v. s = s + v) a", "E0020", "`reduce (+) 0 xs`"),
    ("def f (a: n.f32) = a |> padCst 1 1 |> slide 3 1 |> map (reduce (+) 0)", "E0114", "`padCst 1 1 0`"),
    ("def f (a: (n*m).f32): n.m.f32 = split n a", "E0111", "`split m`"),
    ("def f (a: n.f32): i32 = n", "E0110", "`(cast n : i32)`"),
    ("const k = 3", "E0023", "`def k = …`"),
    ("f :: n.f32 -> n.f32", "E0023", "`def f (a: n.f32): n.f32 = …`"),
    ("use lib::tiling;", "E0023", "`import lib.tiling`"),
    ("def f (x: f32) = sin x cos x", "E0114", "before `cos`"),
    ("def f (float* x) (int n) = x", "E0020", "(x: n.f32)"),
    ("import lib as t\ndef f (a: n.f32) = map sqrt a", "E0020", "leave `as` out"),
    ("def f (a: n.f32) n.f32 = map sqrt a", "E0020", "`: n.f32`"),
    ("def f (a: n.m f32): n.m.f32 = a", "E0020", "`n.m.f32`"),
    ("def f (a: n.f32): n.f32 = map sqrt a;", "E0020", "leave `;` out"),
    ("def f (a: n.f32): n.f32 = { map sqrt a }", "E0020", "without braces"),
    ("def f (a: n.f32): n.f32 = map (\\v. v --1) a", "E0021", "`--` starts a comment"),
    ("def f (a: n.f32) = take n-1 a", "E0113", "`(n - 1)`"),
    ("def f (a: n.(f32 * f32)) = map max a", "E0113", "`\\(x, y). max x y`"),
    ("def f (a: n.i32): n.f32 = map (\\v. sqrt v) a", "E0110", "`sqrt (cast v : f32)`"),
    ("def f (a: n.f32): n.f64 = map f64 a", "E0101", "`(\\e. (cast e : f64))`"),
    ("def f (a: n.f32): f32 = std a", "E0101", "sqrt (s / cast n)"),
    (
        "def f (x: n.f32): n.f32 = for (int i = 0; i < n; i++) x[i] = 1;",
        "E0020",
        "`map (\\x. x * 2) xs` for each element",
    ),
    ("def f (x: n.f32): n.f32 = do { x }", "E0020", "without braces"),
    ("def f (v: f32): f32 = v +. 1", "E0020", "leave the `.` out"),
    ("def f (v: f32): f32 = v *. 1.5", "E0020", "leave the `.` out"),
    // Python and NumPy
    ("# roots\ndef f (a: n.f32) = map sqrt a", "E0010", "`-- roots`"),
    ("def f (a: n.f32) = map sqrt a # of \"a\" (all", "E0010", "`-- of \"a\" (all`"),
    ("def f (x: f32) = 0 < x < 1", "E0026", "`0 < x and x < 1`"),
    ("def f (x y: f32) = x == y == 1", "E0026", "`x == y and y == 1`"),
    ("def f (x: i32) = x > 0 AND x < 3", "E0026", "`x > 0 and x < 3`"),
    ("def f (x: i32) = x > 0 OR x + 1 < 3", "E0026", "`x > 0 or x + 1 < 3`"),
    ("def f (a: n.f32) = map (\\v. var w = v * v in w) a", "E0020", "`let w = v * v in …`"),
    ("def f (a: n.f32) = map (\\v. w = v * v in w) a", "E0020", "`let w = v * v in …`"),
    ("def f (a: n.f32) = map (\\v. const w = v * v; w) a", "E0020", "`let w = v * v in …`"),
    ("def f (x: f32) = is", "E0101", "`x == y`"),
    ("def f (a: n.f32) = reduce min inf a", "E0101", "`3.4028235e38` is that of `f32`"),
    ("def f (a: n.f32) = a[i]", "E0114", "`idx i a`"),
    ("def f (v: n.f32) (k: idx[n]) = v[k]", "E0114", "`idx k v`"),
    ("def f (v: n.f32) (k: i32) = v[k]", "E0114", "`idx (natAsIndex n (cast k)) v`"),
    ("def f (a: n.m.f32) = a[0, 1]", "E0114", "`idx 1 (idx 0 a)`"),
    ("def f (a: n.m.f32) = a[0][1]", "E0114", "`idx 1 (idx 0 a)`"),
    ("def f (a: 8.f32) = a[1:3]", "E0020", "`take 2 (drop 1 a)`"),
    ("def f (a: 8.f32) = a[2:]", "E0020", "`drop 2 a`"),
    ("def f (a: 8.f32) = a[:2]", "E0020", "`take 2 a`"),
    ("def f (a: n.f32) = a[::-1]", "E0020", "`reverse a`"),
    ("def f (v: n.f32) = v.sum()", "E0020", "`reduce (+) 0 v`"),
    ("def f (v: n.m.f32) = v.T", "E0020", "`transpose v`"),
    ("def f (v: n.f32) = np.sum(v)", "E0020", "`reduce (+) 0 v`"),
    ("def f (v: f32) = np.sqrt(v)", "E0020", "`sqrt v`"),
    ("def f (v w: n.f32) = jnp.dot(v, w)", "E0020", "`zip v w |> map"),
    ("def f (v: n.f32) = len(v)", "E0101", "`(v: n.f32)`"),
    ("def f (v: n.f32) = for e in v: e * 2", "E0020", "`map (\\e. e * 2) v`"),
    ("def f (v: n.f32) = for k in range(n): v[k]", "E0020", "`generate (\\k. …)`"),
    ("def f (v: n.f32) = [e * 2 for e in v]", "E0020", "`map (\\e. e * 2) v`"),
    ("def f (v: n.f32) = [e * 2 for e in v if e > 0]", "E0020", "`map (\\e. e * 2) v`"),
    ("def f (v: f32) = v if v > 0 else 0", "E0020", "`select (v > 0) v 0`"),
    ("def f (v: f32) = v ** 2", "E0010", "`v * v`"),
    ("def f (v w: f32) = (v + w) ** w", "E0010", "`pow (v + w) w`"),
    ("def f (v: i32) = v // 2", "E0010", "`v / 2`"),
    ("def f (a: n.k.f32) (b: k.m.f32) = a @ b", "E0010", "`a |> map (\\r. transpose b"),
    ("def f (v: n.f32) = map (lambda e: e * 2) v", "E0020", "`(\\e. e * 2)`"),
    ("def f (v: n.f32) = map lambda e: e * 2 v", "E0020", "`(\\e. …)`"),
    ("def f(v): return v", "E0020", "`def f (v: f32) = …`"),
    ("def f(v: f32): return v", "E0020", "`=` in the place of `return`"),
    ("def f (v: f32) = return v", "E0101", "leave `return` out"),
    ("def f(v: f32) -> f32 = v", "E0020", "`: f32`"),
    ("def f(v: n.m.f32) -> n.m.f32 = v", "E0020", "`: n.m.f32`"),
    ("def f (v: f32) = None", "E0101", "always a value"),
    ("def f (v: i32) = v & 3", "E0010", "`bitAnd v 3`"),
    ("def f (v: n.f32) = v . map sqrt", "E0020", "`v |> map sqrt`"),
    ("def f (v: n.f32) = v |> slide 3", "E0115", "`slide sz sp ...`"),
    ("def f (v: n.f32) = toMem stack (mapSeq sqrt v)", "E0115", "Address spaces are"),
    ("def f (v: f32) = not v > 0", "E0110", "`not (x > 0)`"),
    ("def f (v: f32) = v > 0 & v < 1", "E0010", "`v > 0 and v < 1`"),
    ("\"\"\"The roots.\"\"\"\ndef f (a: n.f32) = map sqrt a", "E0010", "`-- The roots.`"),
    // Haskell
    ("def f (v: n.f32) = map sqrt . map abs $ v", "E0020", "`v |> map abs |> map sqrt`"),
    ("def f (v: n.f32) = (map sqrt . map abs) v", "E0020", "`map abs >> map sqrt`"),
    ("def f (v: n.f32) = reduce (+) 0 $ map sqrt $ v", "E0010", "`v |> map sqrt |> reduce (+) 0`"),
    ("def f (v: n.f32) = map \\e. e * 2 v", "E0114", "`map (\\e. e * 2) v`"),
    ("def f (v: n.f32) = map \\e. sqrt e v", "E0114", "`map (\\e. sqrt e) v`"),
    ("def f (v: n.f32) = map (- 1) v", "E0113", "`\\x. x - 1`"),
    ("def f (v: n.f32) = map (* 2) v", "E0020", "`(\\x. x * 2)`"),
    ("def f (v: n.f32) = map (2 -) v", "E0020", "`(\\x. 2 - x)`"),
    ("def f (x: n.f32) = map (> 0) x", "E0020", "`(\\x. x > 0)`"),
    ("def f (x: n.f32) (y: f32) = map (* y) x", "E0020", "`(\\x. x * y)`"),
    ("def f (v: n.f32) = map (\\e -> e * 2) v", "E0020", "`\\e. e * 2`"),
    ("def f (v: n.f32) = map (λe → e * 2) v", "E0020", "`λe. e * 2`"),
    ("def f (v: n.f32) = reduce (\\p q -> p + q) 0 v", "E0020", "`\\p q. p + q`"),
    ("def f (v: n.f32) = v !! 0", "E0010", "`idx 0 v`"),
    ("def f (v w: n.f32) = v ++ w", "E0010", "`concat v w`"),
    ("def f (v: i32) = v `mod` 2", "E0010", "`v % 2`"),
    ("def f (v w: f32) = v `max` w", "E0010", "`max v w`"),
    ("def f (v: n.f32) = [e * 2 | e <- v]", "E0020", "`map (\\e. e * 2) v`"),
    ("def f (v: n.f32) = foldr (+) 0 v", "E0101", "`reduce (+) 0 v`"),
    ("def f (v: n.f32) = filter (\\e. e > 1) v", "E0101", "`map (\\x. select (x > 1) x 0) v`"),
    ("def f (v w: n.f32) = zipWith max v w", "E0101", "`zip v w |> map (\\(x, y). max x y)`"),
    ("def f (v: f32) = v + w where w = 2", "E0020", "`let w = 2 in v + w`"),
    ("def f (p: (f32 * f32)) = case p of (a, b) -> a", "E0020", "`let (a, b) = p in a`"),
    ("def f (v: Float) = v", "E0103", "`f32`"),
    ("f v = v + 1", "E0023", "`def f (v: n.f32) = …`"),
    ("def f (v: f32) = v\ng w = w", "E0020", "`def g w = …`"),
    ("{- roots -}\ndef f (a: n.f32) = map sqrt a", "E0010", "`-- roots`"),
    // C, C++, JavaScript, Halide
    ("def f (v: f32) = v > 0 ? v : 0", "E0020", "`select (v > 0) v 0`"),
    ("def f (v: f32) = if v > 0 then v else 0", "E0020", "`select (v > 0) v 0`"),
    ("def f (v: f32) = if (v > 0) { v } else { 0 }", "E0020", "`select (v > 0) v 0`"),
    ("def f (v: f32) = if (v > 0) v else 0", "E0020", "`select (v > 0) v 0`"),
    ("def f (v: f32) = v > 0 && v < 1", "E0010", "`v > 0 and v < 1`"),
    ("def f (v: f32) = v > 0 || v < 1", "E0010", "`v > 0 or v < 1`"),
    ("def f (v: f32) = !(v > 0)", "E0010", "`not (v > 0)`"),
    ("def f (v: f32) = v + 1e-3f", "E0011", "`1e-3f32`"),
    ("def f (v: i32) = v + 0xff", "E0011", "`255`"),
    ("def f (v: i32) = v + 0b101", "E0011", "`5`"),
    ("def f (v: f32) = v + .5", "E0020", "`0.5`"),
    ("def f (v: f32) = v * 5.", "E0020", "`5.0`"),
    ("def f (v: f32) = v^3", "E0123", "`v * v * v`"),
    ("def f (v: f32) = v += 1", "E0010", "keeps its value"),
    ("def f (v: f32) = v++", "E0010", "`x + 1`"),
    ("def f (v: f32) = let w = 1; v + w", "E0020", "`let w = 1 in v + w`"),
    ("def f (v: u32) = v & 3", "E0010", "`bitAnd v 3`"),
    ("def f (v: u32) = v | 3", "E0010", "`bitOr v 3`"),
    ("def f (v: u32) = v << 3", "E0010", "`shiftLeft v 3`"),
    ("def f (v: n.f32) = map((e) => e * 2, v)", "E0020", "`map (\\e. e * 2) v`"),
    ("def f (v: n.f32) = v.map(sqrt)", "E0020", "`v |> map sqrt`"),
    ("def f (v: n.f32) = v.map(e => e * 2).sum()", "E0020", "|> reduce (+) 0`"),
    ("def f (v: n.f32) = v |> map(|e| e * 2)", "E0020", "`(\\e. e * 2)`"),
    ("def f (v: f32, w: i32) = v", "E0020", "`(v: f32) (w: i32)`"),
    ("def f (v w: f32) = max(v, w)", "E0114", "`max v w`"),
    ("def f (v: n.f32) = v |> slide(3, 1)", "E0114", "`slide 3 1`"),
    ("def f (v: n.f32) = reduce(+, 0, v)", "E0020", "`reduce (+) 0 v`"),
    ("def f (v: f32) { v }", "E0020", "`= v`"),
    ("fn f(v: f32) -> f32 { v }", "E0023", "`def f (v: f32) = …`"),
    ("fun f(v: m.n.f64, k: 4.i32) = v", "E0023", "`def f (v: m.n.f64) (k: 4.i32) = …`"),
    ("Func blur(v) = v + 1", "E0023", "`def blur (v: f32) = …`"),
    ("void scale(float* v, float k) { v[0] *= k; }", "E0023", "`def scale (v: n.f32) (k: f32) = …`"),
    ("fn f(v: &[f64], k: usize) -> f64 { v[k] }", "E0023", "`def f (v: n.f64) (k: u64) = …`"),
    ("def f (a: n.f32): n.f32 where n > 3 = a", "E0020", "`(n + 4).f32`"),
    ("float f(float v) { return v; }", "E0023", "`def f (v: f32) = …`"),
    ("def f (v: f32) = /* the same */ v", "E0010", "`-- the same`"),
    ("def f (v: double) = v", "E0103", "`f64`"),
    ("def f (v: size_t) = v", "E0103", "`u64`"),
    ("def f (v: f32[n]) = map sqrt v", "E0020", "`n.f32`"),
    ("def f (v: float[n][m]) = v", "E0020", "`n.m.f32`"),
    // Futhark, Julia, Rust, ML
    ("def f (v: [n]f32) = map sqrt v", "E0020", "`n.f32`"),
    ("def f (v: [n][m]f64) = v", "E0020", "`n.m.f64`"),
    ("def f (v: [f32; 8]) = v", "E0020", "`8.f32`"),
    ("def f (v: n m f32) = v", "E0020", "`n.m.f32`"),
    ("def f (v: n * f32) = v", "E0020", "`n.f32`"),
    ("def f (p: f32 * f32) = fst p", "E0020", "`(f32 * f32)`"),
    ("def f (p: (f32, i32)) = fst p", "E0027", "`(f32 * i32)`"),
    ("def f (p: (f32 * i32 * f64)) = fst p", "E0027", "`(f32 * (i32 * f64))`"),
    ("def f (p: (f32 * f32)) = p.1", "E0020", "`snd p`"),
    ("def f [n] (v: n.f32) = v", "E0020", "`(a: n.f32)`"),
    ("def f (v: n.f32) = map (fun e -> e * 2) v", "E0020", "`(\\e. e * 2)`"),
    ("def f (v w: n.f32) = zip v w |> map ((p, q) -> p * q)", "E0020", "`(\\(p, q). p * q)`"),
    ("def f (v w: n.f32) = zip v w |> map (\\p q. p * q)", "E0113", "`\\(p, q). p * q`"),
    ("def f (v w: n.f32) = map2 (*) v w", "E0101", "`zip v w |> map (\\(x, y). x * y)`"),
    ("def f (v: n.f32) = redomap (+) sqrt 0 v", "E0101", "`map sqrt v |> reduce (+) 0`"),
    ("def f (v: n.f32) = scan (+) 0 v", "E0101", "`scanSeq (\\x acc. acc + x) 0 v`"),
    ("def f (v: n.f32) = loop acc = 0 for i < n do acc", "E0020", "`reduce`"),
    ("def f (v: n.f32) = loop acc = 0 for i < n do acc + v[i]", "E0020", "`reduce (\\acc x. acc + x) 0 v`"),
    ("def f (v w: n.f32) = loop acc = 0 for i < n do acc + v[i] * w[i]", "E0020", "`reduce` makes one value"),
    ("def f (a: (n*m).f32): n.m.f32 = reshape (n, m) a", "E0101", "`split m a`"),
    ("def f (a: (n*m).f32): n.m.f32 = np.reshape(a, (n, m))", "E0020", "`split m a`"),
    ("def f (a: (n*m*8).f32): n.m.8.f32 = a.reshape(n, m, 8)", "E0020", "`split m (split 8 a)`"),
    ("def f (a: (n*m).f32): n.m.f32 = a |> reshape (-1, m)", "E0101", "`split m a`"),
    ("from lib.a import sq\ndef f (a: n.f32): n.f32 = map sqrt a", "E0023", "`import lib.a`"),
    ("def f (v: n.f32): n.f32 = v.iter().map(|x| x * 2).collect()", "E0020", "`v |> map (\\x. x * 2)`"),
    ("def f (v: n.f32): n.f32 = v.to_vec()", "E0020", "write `v`, without `to_vec`"),
    ("def f: 10.i32 = range 0 10", "E0101", "`(generate (\\i. cast (indexAsNat i)) : 10.i32)`"),
    ("def f: 7.i32 = range(3, 10)", "E0101", "`(generate (\\i. cast (indexAsNat i) + 3) : 7.i32)`"),
    ("def f (x y z: f32) = fma x y z", "E0101", "`x * y + z`"),
    ("def f (v: n.f32) = loop s = 0 for x in v do s + x", "E0020", "`reduce (\\s x. s + x) 0 v`"),
    ("def f (v: n.f32) =\n  let s := 0\n  for x in v: s += x\n  s", "E0020", "`reduce (\\s x. s + x) 0 v`"),
    (
        "def f (v: n.f32) =\n  s = 1\n  for e in v:\n    s = s * e\n  s",
        "E0020",
        "`reduce (\\s e. s * e) 1 v`",
    ),
    (
        "def f (v: n.f32) = let mut s = 0; for x in v { s += x * x; } s",
        "E0020",
        "`reduce (\\s x. s + (x * x)) 0 v`",
    ),
    ("def f (v: n.f32) = let s := 0 in s + idx 0 v", "E0020", "`let s = 0 in …`"),
    ("def f (v: f32) = -v + +v", "E0020", "leave it out"),
    ("def f (v: n.f32) = sqrt.(v)", "E0020", "`map sqrt v`"),
    ("def f (v w: n.f32) = v .* w", "E0010", "`zip v w |> map (\\(v, w). v * w)`"),
    ("def f (v: n.f32) = v .+ 1", "E0010", "`map (\\v. v + 1) v`"),
    ("def f (v: f32) = let w: f32 = 1 in v + w", "E0020", "`let w = (1 : f32) in …`"),
    ("def f (v: f32) = let mut w = 1 in v + w", "E0020", "`let w = … in …`"),
    ("def f (v: f32) = let g w = w in g v", "E0020", "`let g = \\w. … in …`"),
    ("def f (v: f32) = let w = 1, z = 2 in v", "E0020", "`let w = 1 in let z = …`"),
    ("def f (v: f32) =\n  w = v * 2\n  w + 1", "E0020", "`let w = …`"),
    // What is called, or compared, is repeated as a whole
    ("def f (a: (2*n).f32) = split(2, a).map(sum)", "E0020", "`split 2 a |> map sum`"),
    ("def f (x m: i32) = x & m == 0", "E0010", "`bitAnd x m == 0` for the bits of integers"),
    ("def f (x m: i32) = x == m & 3", "E0010", "into parentheses"),
    ("def f (a: n.f32): f32 = x = reduce (+) 0 a in x + 1", "E0020", "`let x = reduce (+) 0 a in …`"),
    ("def f (a: n.f32) = a |> map { it * 2 }", "E0020", "`(\\it. it * 2)`"),
    ("def f (a: n.f32) = a with [0] = 1", "E0020", "`map f xs` of each element"),
    ("def f (k: i32) = f32.i32 k", "E0020", "`(cast x : f32)`"),
    ("def f (a: n.f32) = torch.relu(a)", "E0020", "`map (\\v. max 0 v) a`"),
    ("def f (a b: n.f32) = np.maximum(a, b)", "E0020", "`zip a b |> map (\\(v, w). max v w)`"),
    ("def f (x y: f32) = np.subtract(x, y)", "E0020", "`x - y`"),
    // Of this language, but in another place or number
    ("def f (v w z: n.f32) = zip v w z", "E0114", "`zip v (zip w z)`"),
    ("def f (v: n.f32) (i: idx[n]) = idx v i", "E0114", "`idx i v`"),
    ("def f (v: n.f32) (i: i32) = idx i v", "E0110", "`natAsIndex n (cast i)`"),
    ("def f (v: n.f32) = slide v 3 1", "E0114", "`slide 3 1 v`"),
    ("def f (v: (4*n).f32) = split v 4", "E0114", "`split 4 v`"),
    ("def f (v: n.f32) = generate n (\\i. 0)", "E0114", "`(generate (\\i. 0) : n.f32)`"),
    ("def f (v: n.f32) = v |> reduce (+)", "E0114", "`reduce (+) 0`"),
    ("def f (v: n.f32) = map sqrt >> v", "E0113", "`v |> f`"),
    ("def f (v: f32) = abs -v", "E0113", "`abs (-v)`"),
    ("def f (v: f32) = max v -1", "E0113", "`(-1)`"),
    ("def f (v: n.f32) = v * 2", "E0117", "`map (\\x. x * 2) v`"),
    ("def f (v: n.f32) = 2 * v", "E0117", "`map (\\x. 2 * x) v`"),
    ("def f (v: n.f32) (s: f32) = v * s", "E0117", "`map (\\x. x * s) v`"),
    ("def f (v w: n.f32) = v - w", "E0117", "`zip v w |> map (\\(x, y). x - y)`"),
    ("def f (v: n.f32) = sqrt v", "E0117", "`map sqrt v`"),
    ("def f (k: i32) = sqrt k", "E0117", "`sqrt (cast k : f32)`"),
    ("def f (v: n.f64) (s: f32) = map (\\e. e * s) v", "E0110", "`(cast s : f64)`"),
    ("def f (v: n.f64) (w: n.f32) = zip v w |> map (\\(p, q). p * q)", "E0110", "`(cast q : f64)`"),
    ("def f (v: n.f32) (k: i32) = map (\\e. e * k) v", "E0110", "`(cast k : f32)`"),
    ("def f (v: n.f32) = reduce (+) 0 v / n", "E0110", "`(cast n : f32)`"),
    ("def f (k: i32) = k / 2.5", "E0118", "whole number"),
    ("def f (v: n.f16) = map (\\e. e * 1e39) v", "E0118", "65504"),
    ("def f (v: n.f16) = map (\\e. e + 65520.0) v", "E0118", "65504"),
    ("def f (v: n.f32) = map (\\e. select (e == 1 or 2) 1 0) v", "E0118", "`x == 1 or x == 2`"),
    ("def f (v: n.f32) = zip v (drop 1 v)", "E0111", "`take (n - 1) xs`"),
    ("def f (v: n.f32): n.f32 = concat v v", "E0111", "`(2*n).…`"),
    ("def f (v: n.f32) = map (\\e. isnan e) v", "E0101", "`e != e`"),
    ("def f (v: n.f32, m.f32): n.f32 = v", "E0020", "`(v: n.f32) (a: m.f32)`"),
    ("def f (v: n.f32): n.f32 = for i in n: v[i] * 2", "E0020", "`generate (\\i. …)`"),
    ("def f (v: 2n.f32) = v", "E0011", "`2*n`"),
    ("def f (k: i32) = k div 2", "E0123", "`k / 2`"),
    ("def f (k: i32) = k ^ 5", "E0123", "`bitXor k 5`"),
    ("def f (k: f32) = select (k = 0) 1 2", "E0020", "`k == 0`"),
    ("def f (v: n.f32): f32 = v", "E0110", "`n.f32`"),
    ("def f (v: n.m.f32) = v'", "E0101", "`transpose v`"),
    ("def f (v: n.f32) = reduce max (-inf) v", "E0101", "`3.4028235e38`"),
    ("def f (v: n.f32) = reduce max -inf v", "E0113", "`(-1 / 0)`"),
    ("def f (v: n.f32) = pow v 2", "E0117", "`map (\\x. pow x 2) v`"),
    ("def f (v: n.f32) = map (\\e. subtract 1 e) v", "E0101", "`e - 1`"),
    ("def f (v: n.f32) = copy v", "E0101", "write `v`"),
    ("def f (v: n.f32): n.f32 = shift 1 v", "E0101", "`take n (padCst 1 0 0 v)`"),
    ("def f (v: n.f32) = map (\\e. where y = e) v", "E0020", "`let y = e in e`"),
    ("function y = f(x)\n y = x + 1", "E0023", "`def f (x: f32) = …`"),
    ("function [y] = f(x, n)\n y = x + 1", "E0023", "`def f (x: f32) (n: f32) = …`"),
    ("Func f; Var x, y;", "E0023", "`def f … = …`"),
    ("Var x, y;", "E0023", "a function names its values"),
    ("def f (v: i32) = v `mod` 2", "E0010", "the sign of `v`"),
    ("def f (p: (f32 * (f32 * f32))) = p.2", "E0020", "`snd p` for the second of two"),
    ("def f (v: n.f32) = v.re", "E0020", "have no fields"),
    ("def f (v: f32): f32 = bitAnd v 1", "E0117", "`bitAnd (cast v : i32) 1`"),
    ("def f (a: n.f32) = np.median(a)", "E0020", "no sorting"),
    ("def f (a: n.f32) = np.interp(a)", "E0020", "There are no modules"),
    ("def f (a: n.f32) = np.any(a > b)", "E0020", "the pairs of two"),
    ("def f (a: k.m.n.f32) (b: n.f32) = a + b", "E0117", "that is as long"),
    ("def f (a: n.f32): f32 = a.reduce(|s, x| s + x)", "E0020", "the value that it starts from"),
    ("def f (n: nat): n.f32 = generate (\\i. exp (2 * i))", "E0110", "before anything is computed"),
    ("def f (a: n.f32) = std::max(a, 0)", "E0020", "stands alone"),
    ("def f (a: n.f32) =\n  b := map sqrt a\n  b", "E0020", "`let b = e in …`"),
    ("def f (p: n.(f32 * f32)) = max p 0", "E0117", "`fst p`"),
    ("def f (x: (n*m).f32): n.m.f32 = unflatten x", "E0101", "`split n xs`"),
    ("def f (x: n.f32): (n-3).f32 = take n x |> drop 2", "E0111", "`take (n - 3) xs`"),
    ("def f (x: i32): i64 = abs (x * x)", "E0110", "`(cast x : i64)` for each number"),
    (
        "def f (x: n.i32): i64 = x |> map (\\v. v * v) |> reduce (+) 0",
        "E0110",
        "`(cast x : i64)` for each number",
    ),
    ("def f (x: f32): f32 = min inf x", "E0101", "`(1.0 / 0.0)`"),
    ("def f (x: i32): i32 = x `mod` 3", "E0010", "`(x % 3 + 3) % 3`"),
    ("def f (a: n.f32) = map (\\x. log(x, 2)) a", "E0117", "`log` takes one number"),
    ("def f (a: m.n.f32): m.n.f32 = generate (\\(i, j). idx j (idx i a))", "E0110", "have one each"),
    ("def f (a: n.f32): n.f32 -> map sqrt a", "E0020", "stands behind `=`"),
    ("def f (a: n.f32): n.f32 <- map sqrt a", "E0020", "stands behind `=`"),
    (
        "def f (a: 4.f32): 4.f32 = take 4 (gather (generate (\\i. natAsIndex 4 (indexAsNat i))) a)",
        "E0119",
        "`(generate f : n.t)`",
    ),
];

#[test]
fn each_is_one_problem_whose_hint_names_the_way_in_the_words_of_the_text() {
    let mut wrong = vec![];
    for (text, code, part) in TYPED {
        let found = problems(text);
        let said: String = found.iter().flat_map(|p| p.hints.clone()).collect::<Vec<_>>().join(" ");
        let one = found.len() == 1 && found.iter().all(|p| p.code == *code && !p.labels.is_empty());
        if !one || !said.contains(part) {
            let all: Vec<String> = found.iter().map(|p| format!("{p}")).collect();
            wrong.push(format!("{text}: {all:?} {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text of a program up to what is wrong, that, the code of its one problem, what its hint says to write there, and
/// the end of the text: what the hint says is a program.
const DONE: &[(&str, &str, &str, &str, &str)] = &[
    // What a definition returns is what is computed, and that is told where it is computed.
    ("def f (xs: n.m.f32): f32 = ", "xs |> reduce (+) 0", "E0117", "join xs |> reduce (+) 0", ""),
    (
        "def f (xs: n.m.f32): n.f32 = ",
        "xs |> map (map (\\x. x * x)) |> reduce (+) 0",
        "E0117",
        "map (reduce (+) 0) xs",
        "",
    ),
    ("def f (a: n.i32): f32 = a |> map (\\x. ", "x", "E0118", "(cast x : f32)", " * 0.5) |> reduce (+) 0"),
    ("def f (a: n.i32): n.f32 = a |> map (\\v. ", "v", "E0118", "(cast v : f32)", " * 0.5)"),
    ("def f (a: n.i32): n.f32 = a |> map (\\v. 0.5 * ", "v", "E0118", "(cast v : f32)", ")"),
    ("def f (a: n.u8): n.f32 = a |> map (\\x. ", "x", "E0118", "(cast x : f32)", " / 255.0)"),
    ("def f (a: n.i32): n.f32 = a |> map (\\x. ", "sqrt x", "E0117", "sqrt (cast x : f32)", ")"),
    (
        "def f (a: n.i32) (b: n.f32): n.f32 = zip a b |> map (\\(x, y). ",
        "x",
        "E0110",
        "(cast x : f32)",
        " * y)",
    ),
    (
        "def f (a: n.f32) (b: n.i32): n.f32 = zip a b |> map (\\(x, y). x * ",
        "y",
        "E0110",
        "(cast y : f32)",
        ")",
    ),
    ("def f (a: n.f32): f32 = a |> reduce (\\x y. ", "(x, y)", "E0110", "x + y", ") 0"),
    (
        "def f (a: (3*n).f32): n.f32 = a |> split 3 |> map (\\p. ",
        "let [x] = p in",
        "E0020",
        "let x = idx 0 p in",
        " x)",
    ),
    (
        "def f (a: (2*n).f32): n.f32 = a |> split 2 |> map (\\p. ",
        "let [x, y] = p in",
        "E0020",
        "let x = idx 0 p in let y = idx 1 p in",
        " x * y)",
    ),
    // Indices
    ("def f (a: n.f32): f32 = idx ", "n", "E0110", "(natAsIndex n (n - 1))", " a"),
    ("def f (a: k.f32): f32 = idx ", "k", "E0110", "(natAsIndex k (k - 1))", " a"),
    ("def f (a: n.f32): f32 = idx ", "(n + 1)", "E0110", "(natAsIndex n (n - 1))", " a"),
    ("def f (a: n.f32): f32 = a |> idx ", "(2 * n)", "E0110", "(natAsIndex n (n - 1))", ""),
    ("def f (a: (2*m).f32): f32 = idx ", "(2 * m)", "E0110", "(natAsIndex (2*m) (2*m - 1))", " a"),
    ("def f (a: n.f32): f32 = idx ", "(n - 1)", "E0110", "(natAsIndex n (n - 1))", " a"),
    ("def f (a: m.f32) (b: k.f32): f32 = idx ", "k", "E0110", "(natAsIndex m k)", " a"),
    ("def f (a: m.f32) (k: i32): f32 = idx ", "k", "E0110", "(natAsIndex m (cast k))", " a"),
    ("def f (a: n.f32): f32 = ", "a[n-1]", "E0114", "idx (natAsIndex n (n - 1)) a", ""),
    ("def f (a: n.f32): f32 = ", "a[n]", "E0114", "idx (natAsIndex n (n - 1)) a", ""),
    ("def f (a: n.f32): f32 = ", "a[n + 1]", "E0114", "idx (natAsIndex n (n - 1)) a", ""),
    ("def f (a: n.f32): f32 = ", "a[-1]", "E0114", "idx (natAsIndex n (n - 1)) a", ""),
    ("def f (a: 8.f32): f32 = ", "a[8]", "E0114", "idx (natAsIndex 8 7) a", ""),
    ("def f (a: 8.f32): f32 = ", "a[-2]", "E0114", "idx (natAsIndex 8 6) a", ""),
    (
        "def f (a: n.f32) = (generate (\\i. ",
        "a[n-1-i]",
        "E0114",
        "idx (natAsIndex n (n - 1 - indexAsNat i)) a",
        ") : n.f32)",
    ),
    (
        "def f (a: n.f32) = (generate (\\i. ",
        "a[(i + 1) % n]",
        "E0114",
        "idx (natAsIndex n ((indexAsNat i + 1) % n)) a",
        ") : n.f32)",
    ),
    ("def f (a: n.f32) (b: m.idx[n]): f32 = ", "a[idx 0 b]", "E0114", "idx (idx 0 b) a", ""),
    ("def f (a: n.f32) (k: i32): f32 = ", "a[k / 2]", "E0114", "idx (natAsIndex n (cast (k/2))) a", ""),
    ("def f (a: n.f32) (k: i32): f32 = ", "a[n - k]", "E0114", "idx (natAsIndex n (n - cast k)) a", ""),
    ("def f (a: n.m.f32): f32 = ", "a[n - 1][0]", "E0114", "idx 0 (idx (natAsIndex n (n - 1)) a)", ""),
    // Parameters with types
    ("def f (a: n.f32) = map (", "\\x: f32. x + 1", "E0020", "\\(x: f32). x + 1", ") a"),
    ("def f (a: n.f32) = map (", "\\x:f32.x+1", "E0020", "\\(x: f32). x+1", ") a"),
    ("def f (a: n.f32) = map (", "\\x: f32 -> x + 1", "E0020", "\\(x: f32). x + 1", ") a"),
    ("def f (a: n.m.f32) = map (", "\\r: m.f32. map sqrt r", "E0020", "\\(r: m.f32). map sqrt r", ") a"),
    ("def f (a: n.f32) = reduce (", "\\x y: f32. x + y", "E0020", "\\(x y: f32). x + y", ") 0 a"),
    (
        "def f (a: n.f32) = reduce (",
        "\\x: f32, y: f32. x + y",
        "E0020",
        "\\(x: f32) (y: f32). x + y",
        ") 0 a",
    ),
    ("def f (a: n.f32) = reduce (", "\\x: f32 y: f32. x + y", "E0020", "\\(x: f32) (y: f32). x + y", ") 0 a"),
    (
        "def f (a b: n.f32) = zip a b |> map (",
        "\\(x, y): (f32 * f32). x + y",
        "E0020",
        "\\(x, y). x + y",
        ")",
    ),
    (
        "def f (a b: n.f32) = zip a b |> map (",
        "\\p: (f32 * f32). fst p",
        "E0020",
        "\\(p: (f32 * f32)). fst p",
        ")",
    ),
    // Operators between an array and a value, on either side
    ("def f (a: n.f32): n.f32 = ", "2 * a", "E0117", "map (\\x. 2 * x) a", ""),
    ("def f (a: n.f32): n.f32 = ", "a * 2", "E0117", "map (\\x. x * 2) a", ""),
    ("def f (a: n.f32): n.f32 = ", "1.5 - a", "E0117", "map (\\x. 1.5 - x) a", ""),
    ("def f (a: n.i32): n.i32 = ", "7 % a", "E0117", "map (\\x. 7 % x) a", ""),
    ("def f (a: n.f32): n.f32 = ", "(1 + 2) * a", "E0117", "map (\\x. (1 + 2) * x) a", ""),
    ("def f (a: n.f32) (k: f32): n.f32 = ", "(k + 1) * a", "E0117", "map (\\x. (k + 1) * x) a", ""),
    ("def f (a: n.f32) (k: f32) = ", "a > k", "E0117", "map (\\x. x > k) a", ""),
    ("def f (a: n.f32): n.f32 = ", "n * a", "E0117", "map (\\x. (cast n : f32) * x) a", ""),
    ("def f (a: n.f32) (k: i32): n.f32 = ", "a / k", "E0117", "map (\\x. x / (cast k : f32)) a", ""),
    ("def f (a: n.m.f32): n.m.f32 = ", "2 * a", "E0117", "map (map (\\x. 2 * x)) a", ""),
    (
        "def f (a b: n.m.f32): n.m.f32 = ",
        "a + b",
        "E0117",
        "zip a b |> map (\\(x, y). zip x y |> map (\\(x, y). x + y))",
        "",
    ),
    ("def f (a: n.f32): n.f32 = ", "2 * map sqrt a", "E0117", "map (\\x. 2 * x) (map sqrt a)", ""),
    ("def f (a: n.i32): n.f32 = map (\\x. ", "float x", "E0101", "(cast x : f32)", ") a"),
    ("def f (a: n.f32): n.f64 = map (\\x. ", "double x", "E0101", "(cast x : f64)", ") a"),
    // Powers and rests
    ("def f (a: n.f32): n.f32 = map ", "(^2)", "E0020", "(\\x. x * x)", " a"),
    ("def f (a: n.f32): n.f32 = map ", "(** 3)", "E0020", "(\\x. x * x * x)", " a"),
    ("def f (a: n.f32): n.f32 = a |> map ", "(** 0.5)", "E0020", "(\\x. pow x 0.5)", ""),
    ("def f (a: n.f32): n.f32 = map ", "(2 **)", "E0020", "(\\x. pow 2 x)", " a"),
    ("def f (a: n.f32): n.f32 = map (\\x. ", "x mod 2", "E0114", "x - 2 * trunc (x / 2)", ") a"),
    ("def f (a: n.i32): n.i32 = map (\\x. ", "x mod 2", "E0114", "mod x 2", ") a"),
    // Calls before a method, of several values, and among others
    ("def f (a: n.f32): n.f32 = ", "reverse(a).map(sqrt)", "E0020", "reverse(a) |> map sqrt", ""),
    ("def f (a: n.f32): n.f32 = ", "map(sqrt, a).reverse()", "E0020", "map sqrt a |> reverse", ""),
    ("def f (a b: n.f32): n.f32 = ", "zip(a, b).map(\\p. fst p)", "E0020", "zip a b |> map (\\p. fst p)", ""),
    ("def f (a: 8.f32): 2.f32 = ", "reverse(a)[1:3]", "E0020", "take 2 (drop 1 (reverse(a)))", ""),
    ("def f (a: n.f32): n.f32 = map sqrt ", "a.map(abs)", "E0020", "(a |> map abs)", ""),
    ("def f (a: n.f32): f32 = 1 + ", "a.map(sqrt).sum()", "E0020", "(a |> map sqrt |> reduce (+) 0)", ""),
    ("def f (a: n.f32): f32 = ", "a.sum()", "E0020", "reduce (+) 0 a", " / 2"),
    ("def f (a: n.f32): f32 = ", "np.sum(a).sqrt()", "E0020", "reduce (+) 0 a |> sqrt", ""),
    ("def f (a b: n.f32): n.(f32 * f32) = ", "a.zip(b)", "E0020", "zip a b", ""),
    ("def f (a b: n.f32): n.(f32 * f32) = ", "a.map(sqrt).zip(b)", "E0020", "zip (a |> map sqrt) b", ""),
    ("def f (a b: n.f32): (2*n).f32 = ", "a.append(b)", "E0020", "concat a b", ""),
    ("def f (x y: f32): f32 = ", "x.pow(y)", "E0020", "pow x y", ""),
    ("def f (a: n.f32): f32 = ", "a.map(abs).fold(0, (+))", "E0020", "a |> map abs |> reduce (+) 0", ""),
    // Signs that bind as they do there
    ("def f (x: i32): i32 = ", "x + 1 << 2", "E0010", "shiftLeft (x + 1) 2", ""),
    ("def f (x: i32): i32 = ", "x << 2 + 1", "E0010", "shiftLeft x (2 + 1)", ""),
    ("def f (x: i32): i32 = ", "x - 1 >> 1", "E0113", "shiftRight (x - 1) 1", ""),
    ("def f (x: i32): bool = ", "x >> 1 == 0", "E0113", "shiftRight x 1 == 0", ""),
    ("def f (x: i32): bool = ", "x & 3 == 0", "E0010", "bitAnd x 3 == 0", ""),
    ("def f (x: i32): bool = ", "x | 1 != x", "E0010", "bitOr x 1 != x", ""),
    ("def f (x: i32): i32 = ", "x + 1 & 7", "E0010", "bitAnd (x + 1) 7", ""),
    ("def f (a: n.f32): f32 = 2 * ", "a !! 0", "E0010", "idx 0 a", ""),
    ("def f (x y: f32): f32 = x * ", "y `max` x", "E0010", "max y x", ""),
    // A sign behind a function that stands behind an operator
    ("def f (x: f32): f32 = 1 / (1 + ", "exp -x", "E0113", "exp (-x)", ")"),
    ("def f (x: f32): f32 = 2 * ", "exp -x", "E0113", "exp (-x)", ""),
    ("def f (x: f32): f32 = sqrt x + ", "max 0 -x", "E0113", "max 0 (-x)", " + 1"),
    // Comprehensions
    (
        "def f (a b: n.f32): n.f32 = ",
        "[x * 2 + y for x, y in zip(a, b)]",
        "E0020",
        "map (\\(x, y). x * 2 + y) (zip a b)",
        "",
    ),
    (
        "def f (a b: n.f32): n.f32 = ",
        "[x * y | (x, y) <- zip a b]",
        "E0020",
        "map (\\(x, y). x * y) (zip a b)",
        "",
    ),
    (
        "def f (a: n.f32) (b: m.f32): (n*m).f32 = ",
        "[x * y for x in a for y in b]",
        "E0020",
        "join (map (\\x. map (\\y. x * y) b) a)",
        "",
    ),
    (
        "def f (a: n.f32) (b: m.f32): (n*m).f32 = ",
        "[x * y | x <- a, y <- b]",
        "E0020",
        "join (map (\\x. map (\\y. x * y) b) a)",
        "",
    ),
    // Choices within choices, and on lines of their own
    (
        "def f (a: n.i32): n.i32 = map (\\x. ",
        "x > 0 ? x > 1 ? 2 : 1 : 0",
        "E0020",
        "select (x > 0) (select (x > 1) 2 1) 0",
        ") a",
    ),
    (
        "def f (x: i32): i32 = ",
        "x > 1 ? 2 : x > 0 ? 1 : 0",
        "E0020",
        "select (x > 1) 2 (select (x > 0) 1 0)",
        "",
    ),
    ("def f (x: f32): f32 =\n  let y = ", "x > 0 ? x : 0", "E0020", "select (x > 0) x 0", "\n  y + 1"),
    // Calls
    ("def f (x: f32): f32 = ", "select(x > 0, x, 0)", "E0114", "select (x > 0) x 0", ""),
    ("def f (a: n.f32): n.f32 = ", "map(lambda x: max(x, 0), a)", "E0020", "map (\\x. max x 0) a", ""),
    (
        "def f (a: n.f32): f32 = ",
        "reduce((s, x) => max(s, x), 0, map(sqrt, a))",
        "E0020",
        "reduce (\\s x. max s x) 0 (map sqrt a)",
        "",
    ),
    // Parts of matrices
    ("def f (a: n.m.f32): n.f32 = ", "a[:, 0]", "E0020", "map (\\r. idx 0 r) a", ""),
    ("def f (a: n.m.f32): m.f32 = ", "a[0, :]", "E0020", "idx 0 a", ""),
    ("def f (a: n.f32): n.f32 = ", "np.maximum(a, 0)", "E0020", "map (\\v. max v 0) a", ""),
    // Methods that are given functions
    ("def f (a: n.f32): n.f32 = ", "a.map(x -> x+1)", "E0020", "a |> map (\\x. x+1)", ""),
    ("def f (a: n.f32): n.f32 = ", "a.map(|x| x + 1)", "E0020", "a |> map (\\x. x + 1)", ""),
    ("def f (a: n.f32): n.f32 = ", "a.map(lambda x: x + 1)", "E0020", "a |> map (\\x. x + 1)", ""),
    ("def f (a: n.f32): f32 = ", "a.reduce((s, x) => s + x, 0)", "E0020", "a |> reduce (\\s x. s + x) 0", ""),
    // A value before or behind functions that are composed by a dot
    ("def f (a: n.f32): n.f32 = ", "a . map sqrt", "E0020", "a |> map sqrt", ""),
    ("def f (b a: n.f32): n.f32 = ", "a . map sqrt . map abs", "E0020", "a |> map sqrt |> map abs", ""),
    ("def f (a: n.f32): n.f32 = ", "map sqrt . map abs . a", "E0020", "a |> map abs |> map sqrt", ""),
    ("def f (a: n.f32): n.f32 = a |> ", "(map sqrt . map abs)", "E0020", "(map abs >> map sqrt)", ""),
    // Parentheses around nothing
    ("def f (a: n.f32): n.f32 = map ", "sqrt()", "E0020", "sqrt", " a"),
    ("def f (a: n.f32): n.f32 = a |> map ", "sqrt ()", "E0020", "sqrt", ""),
    // Reductions without a start
    ("def f (a: n.m.f32): n.f32 = a |> map ", "(reduce (+))", "E0113", "(reduce (+) 0)", ""),
    ("def f (a: n.m.i32): n.i32 = map ", "(reduce (*))", "E0113", "(reduce (*) 1)", " a"),
    ("def f (a: n.m.f32): n.f32 = a |> map ", "(reduce max)", "E0113", "(reduce max (-1 / 0))", ""),
    // Numbers below zero as operands of properties
    (
        "def o (a: i32) (b: i32): i32 = max a b\ndeclare ",
        "neutral o -2147483648",
        "E0020",
        "neutral o (-2147483648)",
        "\ndef f (a: n.i32): i32 = reduce o (-2147483648) a",
    ),
    // What is taken apart
    ("def f (a: n.f32): f32 = ", "let (x, y) = a in x", "E0110", "idx 0 a", ""),
    ("def f (a b: n.f32): n.f32 = let (x, y) = ", "zip a b", "E0110", "unzip (zip a b)", " in x"),
    // Names of other languages as functions
    ("def f (a: n.m.f32) = map ", "sum", "E0101", "(reduce (+) 0)", " a"),
    ("def f (a: n.m.f32) = a |> map ", "maximum", "E0101", "(reduce max (-1 / 0))", ""),
    ("def f (a: n.f32) = map ", "square", "E0101", "(\\x. x * x)", " a"),
    ("def f (a: n.f32) = map ", "rsqrt", "E0101", "(\\x. 1 / sqrt x)", " a"),
    ("def f (a: n.f32) = map ", "identity", "E0101", "\\x. x", " a"),
    ("def f (a: n.f32) = ", "toShared a", "E0101", "toMem local a", ""),
    ("def f (a: n.f32) = ", "toGlobal a", "E0101", "toMem global a", ""),
    // What a result is computed from
    ("def f (x: i32): f32 = ", "x * 2.0", "E0110", "(cast x : f32) * 2.0", ""),
    ("def f (x y: i32): f64 = ", "x * 2.0 + y", "E0110", "(cast x : f64) * 2.0 + (cast y : f64)", ""),
    ("def f (x: bool): i32 = ", "x", "E0117", "(cast x : i32)", " + 1"),
    // Functions without their parentheses, or with other signs
    ("def f (a: n.m.f32): n.m.f32 = ", "map map sqrt a", "E0114", "map (map sqrt) a", ""),
    ("def f (a: n.f32): n.f32 = ", "sqrt <$> a", "E0010", "map sqrt a", ""),
    ("def f (a: n.f32): f32 = reduce ", "(x y => x + y)", "E0020", "(\\x y. x + y)", " 0 a"),
    ("def f (x: i32): i32 = ", "x << 2", "E0010", "shiftLeft x 2", ""),
    ("def f (x: ", "*float", "E0020", "n.f32", "): f32 = 0"),
    ("def f (a: m.n.f32): (m*n).f32 = ", "concat a", "E0110", "join a", ""),
    ("def f: n.i32 = ", "[0..n-1]", "E0020", "generate (\\i. cast (indexAsNat i))", ""),
    ("def f: n.f32 = ", "iota n", "E0101", "generate (\\i. cast (indexAsNat i))", ""),
    // Parts and reductions of NumPy
    ("def f (a: 10.f32): 5.f32 = ", "a[::2]", "E0020", "split 2 a |> map (\\c. idx 0 c)", ""),
    ("def f (a: n.f32): n.f32 = ", "np.where(a > 0, a, 0)", "E0020", "map (\\x. select (x > 0) x 0) a", ""),
    ("def f (a: m.n.f32): n.f32 = ", "a.sum(axis=0)", "E0020", "map (\\r. reduce (+) 0 r) (transpose a)", ""),
    ("def f (a: m.n.f32): m.f32 = ", "np.sum(a, axis=1)", "E0020", "map (\\r. reduce (+) 0 r) a", ""),
    // Names of other libraries
    ("def f (a: n.f32): f32 = ", "norm a", "E0101", "sqrt (map (\\x. x * x) a |> reduce (+) 0)", ""),
    (
        "def f (a: n.f32): n.f32 = ",
        "softmax a",
        "E0101",
        "let e = map exp a in let s = reduce (+) 0 e in map (\\x. x / s) e",
        "",
    ),
    (
        "def f (a: n.f32): (n-1).f32 = ",
        "diff a",
        "E0101",
        "zip (drop 1 a) (take (n - 1) a) |> map (\\(x, y). x - y)",
        "",
    ),
    ("def f (a: n.f32) (b: m.f32): n.m.f32 = ", "outer a b", "E0101", "map (\\x. map (\\y. x * y) b) a", ""),
    (
        "def f (a: n.f32): i32 = ",
        "count (\\v. v > 0) a",
        "E0101",
        "map (\\x. select (x > 0) 1 0) a |> reduce (+) 0",
        "",
    ),
    ("def f (a: n.bool): i32 = ", "count a", "E0101", "map (\\x. select x 1 0) a |> reduce (+) 0", ""),
    (
        "def f (a: n.f32): n.f32 = ",
        "tabulate n (\\i. idx i a)",
        "E0101",
        "(generate (\\i. idx i a) : n.f32)",
        "",
    ),
    ("def f (a: n.f32): n.f32 = zip a a |> map (", "uncurry (+)", "E0101", "\\(x, y). x + y", ")"),
    (
        "def f (a: n.f32): i32 = ",
        "argmax a",
        "E0101",
        "zip (generate (\\i. (cast (indexAsNat i) : i32))) a |> reduceSeq (\\p q. select (snd p < snd q) q p) (0, idx 0 a) |> fst",
        "",
    ),
    ("def f (a: 8.f32): 8.f32 = ", "rotate 3 a", "E0101", "concat (drop 3 a) (take 3 a)", ""),
    (
        "def f (a: n.f32) = ",
        "mapi (\\k v. (k, v)) a",
        "E0101",
        "zip (generate (\\i. i)) a |> map (\\(k, v). (k, v))",
        "",
    ),
    // Operators that are functions, of arrays
    ("def f (a: n.f32): n.f32 = ", "max a 0", "E0117", "map (\\x. max x 0) a", ""),
    ("def f (a: n.f32): n.f32 = ", "min 1 a", "E0117", "map (\\x. min 1 x) a", ""),
    ("def f (a: n.f32) (k: f32): n.f32 = ", "max a k", "E0117", "map (\\x. max x k) a", ""),
    ("def f (a: n.i32) (k: i64): n.i32 = ", "max a k", "E0117", "map (\\x. max x (cast k : i32)) a", ""),
    ("def f (a b: n.f32): n.f32 = ", "pow a b", "E0117", "zip a b |> map (\\(x, y). pow x y)", ""),
    ("def f (a: n.m.i32): n.m.i32 = ", "bitAnd a 1", "E0117", "map (map (\\x. bitAnd x 1)) a", ""),
    // A matrix and a vector
    (
        "def f (a: m.n.f32) (b: n.f32): m.n.f32 = ",
        "a + b",
        "E0117",
        "map (\\r. zip r b |> map (\\(x, y). x + y)) a",
        "",
    ),
    (
        "def f (a: m.n.f32) (b: n.f32): m.n.f32 = ",
        "b - a",
        "E0117",
        "map (\\r. zip b r |> map (\\(x, y). x - y)) a",
        "",
    ),
    (
        "def f (a: m.n.f32) (b: m.f32): m.n.f32 = ",
        "a / b",
        "E0117",
        "zip a b |> map (\\(r, s). map (\\x. x / s) r)",
        "",
    ),
    (
        "def f (a: m.n.f32) (r: n.f32): m.n.f32 = ",
        "max a r",
        "E0117",
        "map (\\x. zip x r |> map (\\(x, y). max x y)) a",
        "",
    ),
    (
        "def f (a: m.n.f32) (x: n.f32): m.f32 = ",
        "matmul a x",
        "E0101",
        "a |> map (\\r. zip r x |> map (\\(x, y). x * y) |> reduce (+) 0)",
        "",
    ),
    (
        "def f (a: m.n.f32) (x: m.f32): n.f32 = ",
        "matmul x a",
        "E0101",
        "transpose a |> map (\\c. zip x c |> map (\\(x, y). x * y) |> reduce (+) 0)",
        "",
    ),
    (
        "def f (a: m.n.f32) (b: n.f32): m.f32 = ",
        "a @ b",
        "E0010",
        "a |> map (\\r. zip r b |> map (\\(v, w). v * w) |> reduce (+) 0)",
        "",
    ),
    // Choices of elements
    ("def f (a: n.f32): n.f32 = ", "select (a > 0) a 0", "E0117", "map (\\x. select (x > 0) x 0) a", ""),
    (
        "def f (a x: n.f32): n.f32 = ",
        "select (a > x) a x",
        "E0117",
        "zip a x |> map (\\(v, y). select (v > y) v y)",
        "",
    ),
    (
        "def f (a: m.n.f32) (k: f32): m.n.f32 = ",
        "select (a > k and a < 9) k a",
        "E0117",
        "map (map (\\x. select (x > k and x < 9) k x)) a",
        "",
    ),
    ("def f (a: n.f32): n.f32 = ", "select(a > 0, a, 0)", "E0117", "map (\\x. select (x > 0) x 0) a", ""),
    // Indices that are computed with
    (
        "def f (a: n.f32): n.f32 = generate (\\i. idx ",
        "(i - 1)",
        "E0117",
        "(natAsIndex n (indexAsNat i - 1))",
        " a)",
    ),
    (
        "def f (a: n.f32): n.f32 = generate (\\i. idx ",
        "(i * 2)",
        "E0117",
        "(natAsIndex n (indexAsNat i * 2))",
        " a)",
    ),
    ("def f (n: nat): n.i32 = generate (\\i. ", "i * 2", "E0117", "(cast (indexAsNat i) : i32) * 2", ")"),
    (
        "def f (n: nat): n.i32 = generate (\\i. ",
        "2 * i + 1",
        "E0117",
        "2 * (cast (indexAsNat i) : i32) + 1",
        ")",
    ),
    ("def f (n: nat): n.f32 = generate (\\i. ", "i * 2.5", "E0117", "(cast (indexAsNat i) : f32) * 2.5", ")"),
    ("def f (n: nat): n.i32 = generate (\\i. ", "i % 2", "E0117", "(cast (indexAsNat i) : i32) % 2", ")"),
    (
        "def f (n: nat) (m: nat): n.m.i32 = generate (\\i. generate (\\j. ",
        "i * j",
        "E0117",
        "(cast (indexAsNat i) : i32) * (cast (indexAsNat j) : i32)",
        "))",
    ),
    ("def f (n: nat): n.f32 = generate (\\i. ", "sqrt i", "E0110", "sqrt (cast i : f32)", ")"),
    (
        "def f (a: m.n.f32): m.n.f32 = generate (",
        "\\i j. idx j (idx i a) * 2",
        "E0110",
        "\\i. generate (\\j. idx j (idx i a) * 2)",
        ")",
    ),
    // Functions that others have
    ("def f (a: n.f32): n.f32 = map (\\x. 2 * ", "fmod x 3", "E0101", "(x - 3 * trunc (x / 3))", ") a"),
    (
        "def f (a: n.f32): n.f32 = map ",
        "sign",
        "E0101",
        "(\\x. select (x > 0) 1 (select (x < 0) (-1) 0))",
        " a",
    ),
    ("def f (a: n.f32): n.f32 = map ", "ln", "E0101", "(log)", " a"),
    ("def f (x y: f32): f32 = ", "hypot x y", "E0101", "sqrt (x * x + y * y)", ""),
    (
        "def f (a: n.f32): n.f32 = map ",
        "cbrt",
        "E0101",
        "(\\x. select (x < 0) (-pow (-x) (1 / 3)) (pow x (1 / 3)))",
        " a",
    ),
    ("def f (a: n.f32): n.f32 = map ", "recip", "E0101", "(\\x. 1 / x)", " a"),
    ("def f (a: n.f32): n.f32 = map (", "const 0", "E0101", "\\_. 0", ") a"),
    ("def f (a: n.f32): n.f32 = ", "parmap sqrt a", "E0101", "map sqrt a", ""),
    ("def f (a: m.n.f32): m.n.f32 = ", "map2d sqrt a", "E0101", "map (map sqrt) a", ""),
    (
        "def f (x: u32): u32 = ",
        "popcount x",
        "E0101",
        "((generate (\\bit. bitAnd (shiftRight x (cast (indexAsNat bit))) 1) : 32.u32) |> reduce (+) 0)",
        "",
    ),
    ("def f (a: n.f32): n.f32 = map ", "(subtract 1)", "E0101", "(\\y. y - 1)", " a"),
    ("def f (a: n.f32): n.f32 = map ", "(flip sub 1)", "E0101", "(\\x. sub x 1)", " a"),
    ("def f (a: n.f32): n.f32 = map ", "(flip (-) 1)", "E0101", "(\\x. x - 1)", " a"),
    ("def f (v: ", "float4", "E0103", "<4>f32", "): <4>f32 = v"),
    ("def f (x: f32): <4>f32 = ", "float4 1 2 3 x", "E0101", "idx 0 (asVector 4 [1, 2, 3, x])", ""),
    ("def f (x: f32): <4>f32 = ", "make_float4(1, 2, 3, x)", "E0101", "idx 0 (asVector 4 [1, 2, 3, x])", ""),
    ("def f (a: n.i32): i32 = reduce max ", "INT_MIN", "E0101", "(-2147483648)", " a"),
    ("def f (a: n.i64): i64 = reduce min ", "INT64_MAX", "E0101", "9223372036854775807", " a"),
    ("def f (a: n.f32): f32 = reduce min ", "f32::MAX", "E0020", "3.4028235e38", " a"),
    (
        "def f (a: (n+2).f32): n.f32 = ",
        "np.convolve(a, [1,2,1])",
        "E0020",
        "slide 3 1 a |> map (\\w. zip w [1,2,1] |> map (\\(x, y). x * y) |> reduce (+) 0)",
        "",
    ),
    (
        "def f (x: (n+2).f32) (w: 3.f32): n.f32 = ",
        "convolve x w",
        "E0101",
        "slide 3 1 x |> map (\\v. zip v w |> map (\\(x, y). x * y) |> reduce (+) 0)",
        "",
    ),
    (
        "def f (a: n.u8): 256.i32 = ",
        "np.histogram(a, 256)",
        "E0020",
        "(generate (\\b. map (\\x. select (x == cast (indexAsNat b)) 1 0) a |> reduce (+) 0) : 256.i32)",
        "",
    ),
    ("def f (a: n.f32) (x: m.f32): n.m.f32 = ", "outer a x", "E0101", "map (\\v. map (\\y. v * y) x) a", ""),
    // Reductions of all elements, of rows and without a start
    ("def f (a: n.f32): f32 = ", "a.max()", "E0020", "reduce max (-1 / 0) a", ""),
    ("def f (a: n.f32): f32 = ", "np.min(a)", "E0020", "reduce min (1 / 0) a", ""),
    ("def f (a: m.n.f32): m.f32 = ", "a.max(axis=1)", "E0020", "map (\\r. reduce max (-1 / 0) r) a", ""),
    ("def f (a: m.n.f32): m.f32 = ", "np.sum(a, 1)", "E0020", "map (\\r. reduce (+) 0 r) a", ""),
    ("def f (a: m.n.f32): m.f32 = ", "sum(a, 2)", "E0101", "map (\\r. reduce (+) 0 r) a", ""),
    ("def f (a: n.f32): f32 = ", "a.reduce(0, +)", "E0020", "a |> reduce (+) 0", ""),
    ("def f (a: n.f32): f32 = ", "a.reduce(max)", "E0020", "a |> reduce max (-1 / 0)", ""),
    ("def f (a: n.f32): f32 = ", "reduce(+, a)", "E0020", "reduce (+) 0 a", ""),
    ("def f (a: n.f32): f32 = ", "reduce(max, a)", "E0114", "reduce max (-1 / 0) a", ""),
    ("def f (a: n.f32): f32 = ", "foldl((+), 0, a)", "E0101", "reduce (+) 0 a", ""),
    ("def f (a: n.f32): bool = ", "np.any(a > 0)", "E0020", "reduce (or) false (map (\\x. x > 0) a)", ""),
    (
        "def f (x: n.f32): i32 = ",
        "np.sum(x > 0)",
        "E0020",
        "reduce (+) 0 (map (\\v. select (v > 0) 1 0) x)",
        "",
    ),
    ("def f (a: (4*n).f32): n.4.f32 = ", "reshape a (n/4) 4", "E0101", "split 4 a", ""),
    ("def f (a: (4*n).f32): 4.n.f32 = ", "reshape a 4 n", "E0101", "split n a", ""),
    // Of MATLAB, Julia and Rust
    ("def f (x: f32): bool = ", "x ~= 0", "E0010", "x != 0", ""),
    ("def f (x: f32): bool = ", "x =< 0", "E0010", "x <= 0", ""),
    ("def f (a: n.f32): n.f32 = ", "a .^ 2", "E0010", "map (\\v. v * v) a", ""),
    ("def f (a: n.f32): n.f32 = ", "2 ./ a", "E0010", "map (\\v. 2 / v) a", ""),
    (
        "def f (a b: n.f32): n.f32 = ",
        "map sqrt a .- b",
        "E0020",
        "zip (map sqrt a) b |> map (\\(v, w). v - w)",
        "",
    ),
    ("def f (a: n.f32): n.f32 = ", "a .- 0.5", "E0020", "map (\\v. v - 0.5) a", ""),
    ("def f (a: n.f32): n.f32 = ", "arrayfun(@(v) v + 1, a)", "E0020", "map (\\v. v + 1) a", ""),
    ("def f (a: n.f32): n.f32 = map ", "@sqrt", "E0020", "sqrt", " a"),
    (
        "def f (a b: n.f32): n.f32 = ",
        "a.iter().zip(b.iter()).map(|(x, y)| x * y)",
        "E0020",
        "zip a b |> map (\\(x, y). x * y)",
        "",
    ),
    ("def f (x: f32): f32 = ", "|x|", "E0020", "abs x", " + 1"),
    ("def f (x y: f32): f32 = ", "|x - y|", "E0020", "abs (x - y)", ""),
    ("def f (x: f32): f32 = ", "exp -x * 2", "E0113", "exp (-x) * 2", ""),
    ("def f (x y: f32): f32 = 1 + ", "max x -y * 2", "E0113", "max x (-y) * 2", ""),
    ("def f (x: u32): u32 = ", "x >>> 2", "E0010", "shiftRight x 2", ""),
    ("def f (x: u32): u32 = ", "x <<< 2", "E0010", "shiftLeft x 2", ""),
    // Types, results and definitions
    ("def f ", "(a: n,m.f32)", "E0020", "(a: n.m.f32)", ": n.m.f32 = a"),
    ("def f (a: ", "4,4.f32", "E0020", "4.4.f32", "): 4.4.f32 = a"),
    ("def f (a: n.f32): n.2.f32 = map (\\v. ", "(v, v)", "E0110", "[v, v]", ") a"),
    ("def f (a: n.f32): 3.f32 = ", "(idx 0 a, 1, 2)", "E0110", "[idx 0 a, 1, 2]", ""),
    ("def f (a b: n.f32): (2*n).f32 = ", "[a, b]", "E0111", "concat a b", ""),
    ("def f (v: <4>f32): f32 = ", "v.y", "E0020", "idx 1 (asScalar [v])", ""),
    ("def f (a: n.f32): n.f32 =\n  ", "var b = map sqrt a", "E0020", "let b = map sqrt a", "\n  map sqrt b"),
    ("def f (a: n.f32): n.f32 ", ":=", "E0020", "=", " map sqrt a"),
    // Characters that look like others
    ("def f (x: f32): f32 = x + ", "１", "E0010", "1", ""),
    ("def f (x: f32): f32 = x * ", "٢", "E0010", "2", ""),
    ("def f (x: f32): f32 = ", "х", "E0010", "x", " + 1"),
    ("def f (x: f32): f32 = x ", "∕", "E0010", "/", " 2"),
    // With names, parts and paths around them
    ("def f (a: m.n.f32): m.f32 = ", "a.sum(dim=1)", "E0020", "map (\\r. reduce (+) 0 r) a", ""),
    ("def f (a: n.f32): n.f32 = ", "a.map(Math.sqrt)", "E0020", "a |> map sqrt", ""),
    ("def f (a: m.n.f32): f32 = ", "max a", "E0117", "reduce max (-1 / 0) (join a)", ""),
    (
        "def f (n: nat): n.f32 = generate (\\i. ",
        "1.5 / (i + 1)",
        "E0117",
        "1.5 / ((cast (indexAsNat i) : f32) + 1)",
        ")",
    ),
    (
        "def f (a: n.f32): n.f32 = generate (\\i. let j = ",
        "i + 1",
        "E0117",
        "natAsIndex n (indexAsNat i + 1)",
        " in idx j a)",
    ),
    (
        "def f (a: n.f32): n.f32 = ",
        "np.sign(a)",
        "E0020",
        "map (\\v. select (v > 0) 1 (select (v < 0) (-1) 0)) a",
        "",
    ),
    (
        "def f (a b: n.f32): n.f32 = ",
        "np.hypot(a, b)",
        "E0020",
        "zip a b |> map (\\(v, w). sqrt (v * v + w * w))",
        "",
    ),
    (
        "def f (a: n.i32): 10.i32 = ",
        "np.bincount(a, minlength=10)",
        "E0020",
        "(generate (\\b. map (\\x. select (x == cast (indexAsNat b)) 1 0) a |> reduce (+) 0) : 10.i32)",
        "",
    ),
    ("def f (a: n.f32): f32 = ", "a.fold(0.0, |s, x| s + x)", "E0020", "reduce (\\s x. s + x) 0.0 a", ""),
    (
        "def f (a: n.f32): f32 = ",
        "a.iter().fold(f32::MIN, f32::max)",
        "E0020",
        "a |> reduce max (-3.4028235e38)",
        "",
    ),
    ("def f (a: n.m.f32): (n*m).f32 = ", "a.reshape(-1)", "E0020", "join a", ""),
    (
        "def f (a: m.n.f32) (b: n.k.f32): m.k.f32 = ",
        "a * b",
        "E0117",
        "a |> map (\\r. transpose b |> map (\\c. zip r c |> map (\\(x, y). x * y) |> reduce (+) 0))",
        "",
    ),
    (
        "def f (a: m.n.f32) (b: n.f32): m.f32 = ",
        "np.dot(a, b)",
        "E0020",
        "a |> map (\\r. zip r b |> map (\\(x, y). x * y) |> reduce (+) 0)",
        "",
    ),
    ("def f (x: f32): bool = ", "~(x > 0)", "E0010", "not (x > 0)", ""),
    ("def f (a: n.i32): n.i32 = ", "a .% 2", "E0020", "map (\\v. v % 2) a", ""),
    (
        "def f (a b: n.f32): n.f32 = ",
        "a.zip(&b).map(|(x, y)| { x * y })",
        "E0020",
        "zip a b |> map (\\(x, y). x * y)",
        "",
    ),
    // Rows, columns and all elements
    ("def f (img: h.w.f32): h.w.f32 = ", "fliplr img", "E0101", "map reverse img", ""),
    ("def f (img: h.w.f32): h.w.f32 = ", "np.fliplr(img)", "E0020", "map reverse img", ""),
    ("def f (img: h.w.f32): h.w.f32 = ", "np.flip(img, axis=1)", "E0020", "map (\\r. reverse r) img", ""),
    (
        "def f (x: n.m.k.f32): n.m.f32 = ",
        "x.sum(axis=2)",
        "E0020",
        "map (\\p. map (\\r. reduce (+) 0 r) p) x",
        "",
    ),
    (
        "def f (x: n.m.k.f32): n.k.f32 = ",
        "x.sum(axis=1)",
        "E0020",
        "map (\\p. map (\\r. reduce (+) 0 r) (transpose p)) x",
        "",
    ),
    (
        "def f (x: n.m.f32): n.m.f32 = ",
        "np.cumsum(x, axis=0)",
        "E0020",
        "transpose (map (\\r. scanSeq (\\x acc. acc + x) 0 r) (transpose x))",
        "",
    ),
    (
        "def f (x: n.m.f32): n.f32 = ",
        "np.sum(x, axis=1, keepdims=True)",
        "E0020",
        "map (\\r. reduce (+) 0 r) x",
        "",
    ),
    ("def f (x: n.m.f32): f32 = ", "x.sum()", "E0020", "reduce (+) 0 (join x)", ""),
    ("def f (x: n.m.f32): f32 = ", "sum x", "E0101", "reduce (+) 0 (join x)", ""),
    ("def f (x: n.m.f32): f32 = ", "x |> maximum", "E0101", "reduce max (-1 / 0) (join x)", ""),
    ("def f (a: n.n.f32): f32 = ", "trace a", "E0101", "generate (\\i. idx i (idx i a)) |> reduce (+) 0", ""),
    (
        "def f (a: n.n.f32): f32 = ",
        "np.trace(a)",
        "E0020",
        "generate (\\i. idx i (idx i a)) |> reduce (+) 0",
        "",
    ),
    // As many elements as there are
    (
        "def f (x: k.m.f32): k.f32 = ",
        "np.mean(x, axis=1)",
        "E0020",
        "map (\\r. (reduce (+) 0 r / cast m)) x",
        "",
    ),
    ("def f (x: n.m.f32): n.f32 = map ", "mean", "E0101", "(\\xs. reduce (+) 0 xs / cast m)", " x"),
    (
        "def f (xs: (n+2).f32): n.f32 = slide 3 1 xs |> map ",
        "mean",
        "E0101",
        "(\\xs. reduce (+) 0 xs / cast 3)",
        "",
    ),
    (
        "def f (x: n.m.f32): n.f32 = ",
        "x.var(axis=1)",
        "E0020",
        "map (\\r. let mean = reduce (+) 0 r / cast m in map (\\x. (x - mean) * (x - mean)) r |> reduce (+) 0 |> (\\s. s / cast m)) x",
        "",
    ),
    ("def f (x: n.m.f32): f32 = ", "np.mean(x)", "E0020", "(reduce (+) 0 (join x) / cast (n * m))", ""),
    ("def f (x: n.m.f32): n.f32 = map ", "last", "E0101", "(idx (natAsIndex m (m - 1)))", " x"),
    ("def f (x: n.m.f32): n.(m-1).f32 = map ", "init", "E0101", "(take (m - 1))", " x"),
    ("def f (x: (n+1).f32): n.f32 = ", "init x", "E0101", "take ((n + 1) - 1) x", ""),
    ("def f (x: n.f32): n.f32 = ", "roll x 1", "E0101", "concat (drop (n - 1) x) (take (n - 1) x)", ""),
    ("def f (x: n.f32): n.f32 = ", "np.roll(x, -1)", "E0020", "concat (drop 1 x) (take 1 x)", ""),
    ("def f (x: n.f32): n.f32 = ", "rotate (-1) x", "E0101", "concat (drop (n - 1) x) (take (n - 1) x)", ""),
    (
        "def f (x: n.f32): n.f32 = ",
        "exclusive_scan (+) 0 x",
        "E0101",
        "take n (concat [0] (scanSeq (\\x acc. acc + x) 0 x))",
        "",
    ),
    (
        "def f (x: n.f32): (n+1).f32 = ",
        "scanl (+) 0 x",
        "E0101",
        "concat [0] (scanSeq (\\x acc. acc + x) 0 x)",
        "",
    ),
    (
        "def f (x: n.f32): n.f32 = ",
        "scanl1 (+) x",
        "E0101",
        "concat [idx 0 x] (scanSeq (\\x acc. acc + x) (idx 0 x) (drop 1 x))",
        "",
    ),
    ("def f (x: n.f32): f32 = ", "foldl1 max x", "E0101", "reduceSeq max (idx 0 x) (drop 1 x)", ""),
    (
        "def f (x: n.f32) (w: 5.f32): (n-4).f32 = ",
        "np.convolve(x, w)",
        "E0020",
        "slide 5 1 x |> map (\\v. zip v w |> map (\\(x, y). x * y) |> reduce (+) 0)",
        "",
    ),
    // Names that are the text's own
    (
        "def f (x y: n.f32): n.f32 = ",
        "select (x > y) x y",
        "E0117",
        "zip x y |> map (\\(v, w). select (v > w) v w)",
        "",
    ),
    (
        "def f (r: m.n.f32) (s: m.f32): m.n.f32 = ",
        "r / s",
        "E0117",
        "zip r s |> map (\\(x, v). map (\\x. x / v) x)",
        "",
    ),
    ("def f (a: n.f32) (x: f32): n.f32 = ", "a * (x + 1)", "E0117", "map (\\v. v * (x + 1)) a", ""),
    ("def f (x: n.f32) (v: f32): n.f32 = ", "map(x, x * v)", "E0114", "map (\\w. w * v) x", ""),
    (
        "def f (s: m.n.f32) (t: m.f32): m.n.f32 = ",
        "t / s",
        "E0117",
        "zip s t |> map (\\(r, v). map (\\x. v / x) r)",
        "",
    ),
    (
        "def f (a: m.n.f32) (r: n.f32): m.f32 = ",
        "a @ r",
        "E0010",
        "a |> map (\\x. zip x r |> map (\\(v, w). v * w) |> reduce (+) 0)",
        "",
    ),
    (
        "def f (c: m.n.f32) (r: n.m.f32): m.m.f32 = ",
        "c * r",
        "E0117",
        "c |> map (\\x. transpose r |> map (\\v. zip x v |> map (\\(x, y). x * y) |> reduce (+) 0))",
        "",
    ),
    // What is computed is converted before
    ("def f (x: n.u8): n.f32 = map (\\v. ", "v / 255", "E0110", "(cast v : f32) / 255", ") x"),
    ("def f (x: n.u8): i32 = ", "reduce (+) 0 x", "E0110", "reduce (+) 0 (map (\\v. (cast v : i32)) x)", ""),
    (
        "def f (x: n.u8): i32 = ",
        "x |> reduce (+) 0",
        "E0110",
        "x |> map (\\v. (cast v : i32)) |> reduce (+) 0",
        "",
    ),
    ("def f (x: i32): f32 = ", "sqrt (x * x)", "E0117", "sqrt ((cast x : f32) * (cast x : f32))", ""),
    ("def f (x: n.u8): i32 = ", "reduce max 0 x", "E0110", "(cast (reduce max 0 x) : i32)", ""),
    ("def f (x: i32): i64 = ", "x * x", "E0110", "(cast x : i64) * (cast x : i64)", ""),
    ("def f (x: i64): i32 = ", "x * x", "E0110", "(cast (x * x) : i32)", ""),
    ("def f (x: i32) (y: i64): i64 = ", "x", "E0110", "(cast x : i64)", " + y"),
    ("def f (x: i64) (y: i32): i64 = x + ", "y", "E0110", "(cast y : i64)", ""),
    ("def f (x: i32) (y: i64): i64 = max ", "x", "E0110", "(cast x : i64)", " y"),
    // Powers and several arrays
    ("def f (x: i32): i32 = ", "x ** 3", "E0010", "x * x * x", ""),
    ("def f (x: i32): i32 = ", "x ** 4", "E0010", "x * x * x * x", ""),
    ("def f (x: i32): i32 = ", "2 ** x", "E0010", "shiftLeft 1 x", ""),
    ("def f (x: f32): f32 = ", "2 ** x", "E0010", "pow 2 x", ""),
    ("def f (x: f32): f32 = ", "x.powi(2)", "E0020", "x * x", ""),
    ("def f (x y: n.f32): n.f32 = ", "map (*) x y", "E0114", "zip x y |> map (\\(x, y). x * y)", ""),
    ("def f (x y: n.f32): n.f32 = ", "map max x y", "E0114", "zip x y |> map (\\(x, y). max x y)", ""),
    ("def f (x y: n.f32): (2*n).f32 = ", "np.concatenate([x, y])", "E0020", "concat x y", ""),
    (
        "def f (x y: n.m.f32): n.(2*m).f32 = ",
        "np.concatenate([x, y], axis=1)",
        "E0020",
        "zip x y |> map (\\(r, s). concat r s)",
        "",
    ),
    ("def f (x: (n*m).f32): n.m.f32 = ", "unflatten n m x", "E0101", "split m x", ""),
    ("def f (x: n.f32): (2*n).f32 = ", "tile x 2", "E0101", "concat x x", ""),
    ("def f (x: n.f32): n.f32 = ", "repeat 3 (map sqrt) x", "E0101", "iterate 3 (map sqrt) x", ""),
    ("def f (x: n.f32): (n+1).f32 = ", "0 : x", "E0020", "concat [0] x", ""),
    ("def f (x: n.f32): (n+1).f32 = ", "append x 0", "E0101", "concat x [0]", ""),
    ("def f (x: n.f32) (y: f32): (n+1).f32 = ", "append x y", "E0101", "concat x [y]", ""),
    ("def f (x: n.f32): 3.f32 = ", "slice 0 3 x", "E0101", "take 3 x", ""),
    ("def f (x: n.f32): 2.f32 = ", "x.slice(1, 3)", "E0020", "take 2 (drop 1 x)", ""),
    // Functions and signs of others
    ("def f (x: n.f32): n.f32 = map ", "(`max` 0)", "E0020", "(\\x. max x 0)", " x"),
    ("def f (x: n.i32): n.i32 = map ", "(7 `mod`)", "E0020", "(\\x. 7 % x)", " x"),
    ("def f (x: n.f32): n.f32 = ", "max.(x, 0)", "E0020", "map (\\v. max v 0) x", ""),
    ("def f (x: n.f32): n.f32 = ", "ifelse.(x .> 0, x, 0)", "E0020", "map (\\v. select (v > 0) v 0) x", ""),
    ("def f (x: n.i32): n.i32 = map ", "(flip shl 3)", "E0101", "(\\x. shiftLeft x 3)", " x"),
    ("def f (x: n.f32): f32 = ", "Math.max(...x)", "E0020", "reduce max (-1 / 0) x", ""),
    ("def f (x: n.f32): f32 = reduce max ", "-1/0", "E0113", "(-1 / 0)", " x"),
    ("def f (x: n.bool): n.bool = ", "not x", "E0110", "map not x", ""),
    // Elements and parts in brackets
    ("def f (x: n.f32): f32 = ", "x[end]", "E0114", "idx (natAsIndex n (n - 1)) x", ""),
    ("def f (x: n.f32): f32 = ", "x[end-1]", "E0114", "idx (natAsIndex n (n - 2)) x", ""),
    ("def f (x: n.f32): 1.n.f32 = ", "x[None, :]", "E0020", "[x]", ""),
    ("def f (x: n.f32): n.1.f32 = ", "x[:, None]", "E0020", "map (\\v. [v]) x", ""),
    ("def f (x: n.f32): n.f32 = ", "x[x > 0]", "E0114", "map (\\v. select (v > 0) v 0) x", ""),
    ("def f (x: n.f32): f32 = ", "sqrt x[0]", "E0114", "sqrt (idx 0 x)", ""),
    ("def f (x: n.f32): f32 = ", "max x[0] x[1]", "E0114", "max (idx 0 x) (idx 1 x)", ""),
    // Names of the text, which are there
    ("def f (x: n.f32): f32 = reduce (+) 0 x / ", "(n * 2)", "E0110", "((cast n : f32) * 2)", ""),
    ("def f (x: n.f32): n.f32 = map (\\v. v * ", "(n / 2)", "E0110", "((cast n : f32) / 2)", ") x"),
    ("def f (x: n.f32): n.f32 = map (\\v. v / ", "(n - 1)", "E0110", "((cast n : f32) - 1)", ") x"),
    ("def f (x: n.f32): n.f32 = map (\\v. v * ", "(1 / n)", "E0110", "(1 / (cast n : f32))", ") x"),
    ("def f (x: n.f32): n.f32 = map (\\v. ", "v % 2", "E0117", "v - 2 * trunc (v / 2)", ") x"),
    ("def f (x: n.f32): n.f32 = map (\\v. 1 / ", "(v % 2)", "E0117", "(v - 2 * trunc (v / 2))", ") x"),
    ("def f (a: n.i32) = map (\\v. ", "pow v 2", "E0117", "pow (cast v : f32) 2", ") a"),
    ("def f (a: n.i32): n.f32 = map (\\v. ", "pow v 2", "E0110", "pow (cast v : f32) 2", ") a"),
    ("def f (a: n.f32): n.i32 = map (\\v. ", "bitAnd v 1", "E0110", "bitAnd (cast v : i32) 1", ") a"),
    ("def f (x: n.f32): n.f32 = map (\\v. v * ", "(v > 0)", "E0110", "(cast (v > 0) : f32)", ") x"),
    (
        "def f (a: n.i32) (k: i32) = map (\\v. ",
        "pow v k",
        "E0117",
        "pow (cast v : f32) (cast k : f32)",
        ") a",
    ),
    ("def f (a: n.f32) = map (\\v. ", "bitAnd v 1", "E0117", "bitAnd (cast v : i32) 1", ") a"),
    ("def f (x: n.i32): n.f32 = map ", "sqrt", "E0117", "(\\v. sqrt (cast v : f32))", " x"),
    ("def f (x: n.f32): n.f32 = map (\\v. ", "(v > 0)", "E0117", "(cast (v > 0) : f32)", " * v) x"),
    ("def f (x y: n.f32): n.f32 = ", "zip (+) x y", "E0114", "zip x y |> map (\\(x, y). x + y)", ""),
    ("def f (x y: n.f32): n.f32 = ", "zip max x y", "E0114", "zip x y |> map (\\(x, y). max x y)", ""),
    (
        "def f (x y: n.f32): n.f32 = ",
        "zip (\\a b. a + b) x y",
        "E0114",
        "zip x y |> map (\\(a, b). a + b)",
        "",
    ),
    ("def f (x: n.f32): n.f32 = ", "map map sqrt x", "E0114", "map sqrt x", ""),
    ("def f (x: n.m.f32): n.m.f32 = ", "map map sqrt x", "E0114", "map (map sqrt) x", ""),
    ("def f (x: n.f32): n.f32 = ", "map (\\v. max v, 0) x", "E0114", "map (\\v. max v 0) x", ""),
    (
        "def f (x: n.f32): n.f32 = ",
        "map (\\v. select (v > 0), v, 0) x",
        "E0114",
        "map (\\v. select (v > 0) v 0) x",
        "",
    ),
    ("def f (x: n.f32): n.f32 = map ", "(function(v) { return v })", "E0020", "(\\v. v)", " x"),
    ("def f (x: n.f32): n.f32 = map ", "(function(v) { return v * 2; })", "E0020", "(\\v. v * 2)", " x"),
    ("def f (x: n.f32): n.f32 = map ", "(v => { return v * 2; })", "E0020", "(\\v. v * 2)", " x"),
    ("def f (x: n.f32): n.f32 = map ", "(v => { v * 2 })", "E0020", "(\\v. v * 2)", " x"),
];

/// Programs with more than one problem: what is typed and what hints say to write in the place of each part, one after the
/// other; then the program is one.
const DONE_IN_STEPS: &[(&str, &[(&str, &str)])] = &[
    (
        "def f (a: n.f32): n.f32 = a - mean a",
        &[("a - mean a", "map (\\x. x - mean a) a"), ("mean a", "(reduce (+) 0 a / cast n)")],
    ),
    (
        "def f (a: n.f32): n.f32 = a / sum a",
        &[("a / sum a", "map (\\x. x / sum a) a"), ("sum a", "reduce (+) 0 a")],
    ),
    ("def f (x: f32) (y: f64): f64 = x * y", &[("x", "(cast x : f64)")]),
    ("def f(a: n.f32) -> f32: return reduce (+) 0 a", &[("-> f32", ": f32")]),
];

/// What stands beside operators: the text of a program up to what is wrong, that, and the end of the text; and exactly what the
/// hint says to write there, so that it is computed before what stands beside it.
const BESIDE: &[(&str, &str, &str, &str)] = &[
    ("def f (x: f32): f32 = 1 / ", "x^2", "", "(x * x)"),
    ("def f (x: f32): f32 = 1 / ", "x**2", "", "(x * x)"),
    ("def f (x: f32): f32 = 1 / ", "square x", "", "(x * x)"),
    ("def f (x: f32): f32 = 1 / ", "x.square()", "", "(x * x)"),
    ("def f (x: f32): f32 = 1 / ", "x.powi(3)", "", "(x * x * x)"),
    ("def f (x: f32): f32 = ", "square x", " + 1", "(x * x)"),
    ("def f (x: f32): f32 = 2 / ", "sigmoid x", "", "(1 / (1 + exp (-x)))"),
    ("def f (x: f32): f32 = 2 / ", "rsqrt x", "", "(1 / sqrt x)"),
    ("def f (x: i32) (y: i32): i32 = y * ", "rem x 3", "", "(x % 3)"),
    ("def f (x: i32) (y: i32): i32 = y / ", "quot x 3", "", "(x / 3)"),
    ("def f (x: i32): i32 = 2 * ", "subtract 1 x", "", "(x - 1)"),
    ("def f (x: n.f32): f32 = 1 + ", "dot x x", "", "(zip x x |> map (\\(x, y). x * y) |> reduce (+) 0)"),
    ("def f (x: n.f32): f32 = ", "dot x x", " / 2", "(zip x x |> map (\\(x, y). x * y) |> reduce (+) 0)"),
    ("def f (x: n.f32): f32 = ", "sum x", " / 2", "reduce (+) 0 x"),
    ("def f (x: f32): f32 = sqrt (", "square x", ")", "x * x"),
    ("def f (x: f32): f32 = let y = ", "square x", " in y", "x * x"),
    (
        "def f (x: n.f32): f32 = 1 + ",
        "std x",
        "",
        "(let mean = reduce (+) 0 x / cast n in map (\\x. (x - mean) * (x - mean)) x |> reduce (+) 0 |> (\\s. sqrt (s / cast n)))",
    ),
];

#[test]
fn what_stands_beside_operators_is_told_with_its_parentheses() {
    let mut wrong = vec![];
    for (start, typed, end, hint) in BESIDE {
        let text = format!("{start}{typed}{end}");
        let found = problems(&text);
        let said: String = found.iter().flat_map(|p| p.hints.clone()).collect::<Vec<_>>().join(" ");
        if found.len() != 1 || !said.contains(&format!("`{hint}`")) {
            wrong.push(format!("{text}: {said}"));
        }
        let done = problems(&format!("{start}{hint}{end}"));
        if !done.is_empty() {
            wrong.push(format!("{start}{hint}{end}: {done:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is converted in a hint is something of the text, or what the hint itself has given a name.
#[test]
fn hints_convert_nothing_that_is_not_there() {
    let bodies = [
        "map sqrt qs",
        "map (pow 2) qs",
        "map (\\zeta. sqrt zeta) qs",
        "map (\\zeta. sqrt (zeta + 1)) qs",
        "map (\\zeta. pow zeta 2) qs",
        "map (\\zeta. pow 2 zeta) qs",
        "map (\\zeta. pow (zeta + 1) (zeta * 2)) qs",
        "map (\\zeta. bitAnd zeta 1) qs",
        "map (\\zeta. bitNot zeta) qs",
        "map (\\zeta. shiftLeft 1 (zeta + 1)) qs",
        "map (\\zeta. zeta % 2) qs",
        "map (\\zeta. (zeta + 1) % 2) qs",
        "map (\\zeta. 5 % zeta) qs",
        "map (\\zeta. zeta * kappa) qs",
        "map (\\zeta. zeta * (kappa * 2)) qs",
        "map (\\zeta. zeta / (kappa - 1)) qs",
        "map (\\zeta. zeta + (1 / kappa)) qs",
        "map (\\zeta. (zeta > 0) * zeta) qs",
        "map (\\zeta. zeta * (zeta > 0)) qs",
        "map (\\zeta. zeta + 0.5) qs",
        "map (\\zeta. max zeta 0.5) qs",
        "map (\\zeta. zeta and zeta) qs",
        "zip (generate (\\place. place)) qs |> map (\\(place, zeta). zeta * place)",
        "zip (generate (\\place. place)) qs |> map (\\(place, zeta). zeta * (place + 1))",
        "zip (generate (\\place. place)) qs |> map (\\(place, zeta). sqrt place)",
        "map (\\zeta. reduce (+) 0 qs / (kappa * 2)) qs",
    ];
    let types = ["f32", "f64", "i32", "u8", "bool"];
    let words = |text: &str| -> Vec<String> {
        let all = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        all.filter(|w| w.starts_with(char::is_alphabetic)).map(str::to_owned).collect()
    };
    let of_types = |body: &&str| {
        types.map(|from| types.map(|to| format!("def f (qs: kappa.{from}): kappa.{to} = {body}"))).concat()
    };
    let mut wrong = vec![];
    for text in bodies.iter().flat_map(of_types) {
        for hint in problems(&text).iter().flat_map(|p| p.hints.clone()) {
            for converted in hint.split("(cast ").skip(1) {
                let value = converted.split_once(" : ").map_or(converted, |(value, _)| value);
                let is_there = |w: &String| {
                    let bound = hint.contains(&format!("\\{w}.")) || hint.contains(&format!("number `{w}`"));
                    bound || words(&text).contains(w) || crate::pattern::Pattern::from_name(w).is_some()
                };
                if !words(value).iter().all(is_there) {
                    wrong.push(format!("{text}: {hint}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_names_of_one_function_are_two() {
    for text in [
        "def f (p: n.(f32 * f32)): n.f32 = map (\\(v, v). v) p",
        "def f (p: n.(f32 * (f32 * f32))): n.f32 = map (\\(v, w, v). v) p",
        "def f (x: n.f32): f32 = reduce (\\a a. a) 0 x",
        "def f (p: (f32 * f32)): f32 = let (v, v) = p in v",
    ] {
        let problem = only(text);
        assert!(problem.code == "E0104" && problem.labels.len() == 2, "{text}: {problem:?}");
        assert!(problem.hints.join(" ").contains("another name"), "{text}: {problem:?}");
    }
    for text in [
        "def f (x: n.f32): n.f32 = map (\\_. 0) x",
        "def f (p: n.(f32 * f32)): n.f32 = map (\\(_, _). 0) p",
        "def f (x: n.m.f32): n.m.f32 = map (\\x. map (\\x. x) x) x",
    ] {
        assert!(problems(text).is_empty(), "{text}: {:?}", problems(text));
    }
}

#[test]
fn a_reserved_word_in_the_place_of_a_name_is_told_as_that() {
    for text in [
        "def f (in: f32): f32 = in",
        "def f x in = x + in",
        "def f (and: f32): f32 = and",
        "def f (else: f32): f32 = else",
        "def f (where: f32): f32 = where",
        "def f (x with: f32): f32 = x",
        "def f (x: f32) (or: f32): f32 = x",
        "def f (x: n.f32): n.f32 = map (\\in. in) x",
        "def f (x: n.f32): f32 = reduce (\\x where. x) 0 x",
        "def f (x: f32): f32 = let where = x in where",
    ] {
        let problem = only(text);
        assert!(problem.code == "E0025" && !problem.labels.is_empty(), "{text}: {problem:?}");
        assert!(problem.hints.join(" ").contains("another name"), "{text}: {problem:?}");
    }
}

#[test]
fn a_condition_that_no_sizes_meet_is_told_where_it_is_asked_for() {
    for text in [
        "def f (x: (2*n).f32) = slide 3 2 x |> map (reduce (+) 0)",
        "def f (x: (4*n + 6).f32) = split 4 x |> map (reduce (+) 0)",
    ] {
        let problem = only(text);
        assert!(problem.code == "E0150" && !problem.labels.is_empty(), "{text}: {problem:?}");
        assert!(!format!("{problem:?}").contains("Choose sizes"), "{text}: {problem:?}");
    }
    for text in [
        "def f (x: (2*n + 1).f32) = slide 3 2 x |> map (reduce (+) 0)",
        "def f (x: (4*n + 6).f32) = split 2 x |> map (reduce (+) 0)",
        "def f (x: (2*n).f32) = slide 3 3 x |> map (reduce (+) 0)",
    ] {
        assert!(problems(text).is_empty(), "{text}: {:?}", problems(text));
    }
}

#[test]
fn the_number_of_elements_is_told_where_it_is_known_alone() {
    for text in [
        "def f (g: f32 -> n.f32) (x: m.f32): m.f32 = map (\\v. (mean >> sqrt) (g v)) x",
        "def f (x: n.m.f32): n.f32 = x |> map (map sqrt >> last)",
        "def f (x: n.m.f32): n.f32 = map (\\r. r.map(sqrt).mean()) x",
    ] {
        let said: String = problems(text).iter().flat_map(|p| p.hints.clone()).collect();
        assert!(
            said.contains('…') && !said.contains("cast n") && !said.contains("Index n"),
            "{text}: {said}"
        );
    }
}

#[test]
fn what_hints_say_one_after_the_other_is_a_program() {
    for (text, steps) in DONE_IN_STEPS {
        let mut text = (*text).to_owned();
        for (typed, hint) in *steps {
            let said: Vec<String> = problems(&text).iter().flat_map(|p| p.hints.clone()).collect();
            assert!(said.iter().any(|s| s.contains(&format!("`{hint}`"))), "{text}: {said:?}");
            let at = text.rfind(typed).unwrap();
            text.replace_range(at..at + typed.len(), hint);
        }
        let left: Vec<String> = problems(&text).iter().map(|p| format!("{p} {:?}", p.hints)).collect();
        // What stands behind the colon of a definition is told next.
        let told = text.contains("return") && left.len() == 1 && left[0].contains("behind `=`");
        assert!(left.is_empty() || told, "{text}: {left:?}");
    }
}

#[test]
fn what_says_how_a_program_runs_is_told_to_be_no_part_of_it() {
    for text in [
        "def f (a: n.f32): n.f32 = vectorize 4 sqrt a",
        "def f (a: n.f32): n.f32 = a |> parallel",
        "def f (a: n.f32): n.f32 = a.parallel().vectorize()",
    ] {
        let said: String = problems(text).iter().flat_map(|p| p.hints.clone()).collect();
        assert!(said.contains("rules and strategies say that") && !said.contains("map f"), "{text}: {said}");
    }
    // No text of the language is said where none is known to be meant.
    for (text, never) in [
        ("def f (a: n.f32): n.f32 = map . map sqrt a", "map |>"),
        ("def f (a: n.f32): n.f32 = a[-3:]", "take k"),
        ("def f (a: n.f32): n.f32 = map |x| x * 2 a", "map or x"),
        ("def f (a: n.f32) (g: f32 -> n.f32 -> n.f32): n.f32 = g(1)(a).map(sqrt)", "(a) |>"),
        ("def f (a: n.m.f32): m.f32 = a[0].map(sqrt)", "[0] |>"),
        ("def f (a: n.f32): n.f32 = a[1:end-1]", "take ("),
        ("def f (a: 3.3.3.f32) = a[:, 0, :]", "idx"),
        ("def f (a: n.f32): n.f32 = a.blur(3)", "|> blur"),
        ("def f (a: n.f32): f32 = a[1:-1].sum()", "0 a"),
        ("def f (a: n.f32) = a with [0] = 1", "reserved word"),
        ("def f (x y: i32): i32 = x << !y", "shiftLeft x b"),
        ("def f (x y: bool): bool = !x || y", "a or y"),
    ] {
        let said: String = problems(text).iter().flat_map(|p| p.hints.clone()).collect();
        assert!(!said.is_empty() && !said.contains(never), "{text}: {said}");
    }
}

#[test]
fn what_a_hint_says_to_write_is_a_program() {
    let mut wrong = vec![];
    for (start, typed, code, hint, end) in DONE {
        let text = format!("{start}{typed}{end}");
        let found = problems(&text);
        let said: String = found.iter().flat_map(|p| p.hints.clone()).collect::<Vec<_>>().join(" ");
        let inner = hint.strip_prefix('(').and_then(|h| h.strip_suffix(')')).unwrap_or(hint);
        let says = said.contains(&format!("`{hint}`")) || said.contains(&format!("`{inner}`"));
        if found.len() != 1 || found[0].code != *code || !says {
            let all: Vec<String> = found.iter().map(|p| format!("{p}")).collect();
            wrong.push(format!("{text}: {all:?} {said}"));
        }
        // A function on its own ends where the text around it goes on.
        let hint = if hint.starts_with('\\') && !end.starts_with(')') {
            format!("({hint})")
        } else {
            (*hint).into()
        };
        let done = problems(&format!("{start}{hint}{end}"));
        if !done.is_empty() {
            wrong.push(format!("{start}{hint}{end}: {done:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_step_and_no_index_are_told_with_their_place_and_a_way() {
    for (text, code, message, hint) in [
        ("def f (a: n.f32) = iterate 0 (/\\l. map sqrt) a", "E0115", "1 to 64", "leave `iterate`"),
        ("def f (a: n.f32) = iterate 0 (map sqrt) a", "E0115", "at least 1", "leave `iterate`"),
        ("def f (a: n.f32) = iterate 65 (/\\l. map sqrt) a", "E0115", "1 to 64", "from 1: `iterate k f`"),
        ("def f (a: n.f32) = idx (natAsIndex n n) a", "E0150", "n is not below n", "`natAsIndex n (n - 1)`"),
        (
            "def f (a: n.f32) = idx (natAsIndex n (n + 1)) a",
            "E0150",
            "n + 1 is not below n",
            "`natAsIndex n (n - 1)`",
        ),
    ] {
        let problem = only(text);
        let all = format!("{problem}");
        assert!(problem.code == code && !problem.labels.is_empty(), "{text}: {all}");
        assert!(
            problem.message.contains(message) && problem.hints.join(" ").contains(hint),
            "{text}: {problem:?}"
        );
    }
    let found = problems("def f (a: (-1).f32): f32 = 0");
    assert!(found.len() == 1 && found[0].message.contains("1 <= -1"), "{found:?}");
    let found = problems(&format!("def f (x: i32): i32 = x + {}", "9".repeat(100_000)));
    assert!(found.len() == 1 && found[0].message.len() < 100, "{}", found[0].message.len());
    // What is no index is not made one.
    for text in
        ["def f (a: n.f32) = a[a]", "def f (a: n.f32) = a[1.5]", "def f (a: n.f32) (p: (i32 * i32)) = a[p]"]
    {
        let found = problems(text);
        assert!(found.len() == 1 && !found[0].hints.join(" ").contains("Write"), "{text}: {found:?}");
    }
    assert!(problems("def f (a: n.f32) = iterate 65 (map sqrt) a").is_empty());
}

#[test]
fn hints_repeat_what_is_written_also_of_pairs_that_are_taken_apart() {
    let text = "def f (v w: n.f32) = zip v w |> map (\\(p, q). max(p, q))";
    let found = problems(text);
    assert!(found.len() == 1 && found[0].hints[0].contains("`max p q`"), "{found:?}");
}

#[test]
fn hostile_texts_of_these_forms_are_read_in_a_moment() {
    // Each form looks ahead, but not for ever, and repeats what is short.
    for form in [
        "if ",
        "let a ",
        "for x in ",
        "a.b(",
        "a[1:",
        "lambda x ",
        "x ++ ",
        "f . ",
        "(* ",
        "[x for ",
        "fun fun ",
        "\\(x) -> ",
        "match ",
        "a ? b ",
        "# ",
        "x = ",
        "f $ ",
        "`mod` ",
        "(x, ",
        "!",
    ] {
        let text = format!("def f (a: n.f32) = {}", form.repeat(20_000));
        let start = std::time::Instant::now();
        let _ = parse_program(Sources::new().add("p.rise", &text), &text);
        assert!(start.elapsed().as_secs() < 20, "{form} takes {:?}", start.elapsed());
    }
}
