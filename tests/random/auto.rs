//! What `auto` makes of programs.

use crate::emit_common::Trial;

/// Its usual blocks, small ones, and without rules that change rounding.
pub const ALL: [&str; 3] = ["auto", SMALL, "inLambda(onThreads(hasExactType, 2, 2, 2))"];

/// With blocks so small that test sizes have several of them.
pub const SMALL: &str = "inLambda(onThreads(id, 4, 3, 2))";

/// On work-items: with its usual groups, small ones of a number that is no power of two, and without rules that change
/// rounding.
pub const ON_WORK_ITEMS: [&str; 3] =
    ["auto(opencl)", "inLambda(onWorkItems(id, 12, 3, 2))", "inLambda(onWorkItems(hasExactType, 5, 2, 3))"];

/// Programs of many kinds, with the sizes to try them at.
pub const PROGRAMS: &[Trial] = &[
    (
        "def wave (a: (n + 4).f32): n.f32 = a |> slide 3 1 |> map (reduce (+) 0) |> slide 3 1 |> map (reduce max 0)",
        &[&[("n", 1)], &[("n", 9)]],
    ),
    (
        "def blur (a: n.m.f32): n.m.f32 =
           a |> map (padClamp 1 1) |> padClamp 1 1 |> map (map (\\x. x * 2)) |> map (slide 3 1) |> slide 3 1 |> map transpose
             |> map (map (join >> reduce (+) 0))",
        &[&[("n", 1), ("m", 1)], &[("n", 4), ("m", 7)]],
    ),
    (
        "def heat (a: (n + 2).(m + 2).(k + 2).f32): n.m.k.f32 =
           a |> map (map (map (\\x. 2 * x))) |> map (map (slide 3 1)) |> map (slide 3 1) |> map (map transpose)
             |> slide 3 1 |> map transpose |> map (map transpose)
             |> map (map (map (\\w. w |> map join |> join |> reduce (+) 0)))",
        &[&[("n", 2), ("m", 3), ("k", 4)]],
    ),
    (
        "def rows (a: n.m.f32): n.(f32 * f32) = a |> map (\\r. (reduce (+) 0 r, r |> map (\\x. x * x) |> reduce (+) 0))",
        &[&[("n", 3), ("m", 1)], &[("n", 2), ("m", 9)]],
    ),
    (
        "def both (a: n.m.f32) (b: n.m.f32) (x: m.f32): n.f32 = zip a b |> map (\\r. 2 * (zip (fst r) x |> map (\\p. fst p * snd p) |> reduce (+) 0)
           + 3 * (zip (snd r) x |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        &[&[("n", 3), ("m", 1)], &[("n", 2), ("m", 70)]],
    ),
    (
        "def three (a: n.m.f32): n.f32 = a |> map (\\r. let s = reduce (+) 0 r in let q = r |> map (\\x. x * x) |> reduce (+) 0 in
           q - s * (reduce max 0 r) + s)",
        &[&[("n", 3), ("m", 2)], &[("n", 2), ("m", 67)]],
    ),
    (
        "def mixed (a: n.m.f32) (c: n.i32): n.(f32 * (i32 * f32)) = a |> map (\\r. (reduce (-) 1 r, (reduce (+) 0 c,
           select (idx (natAsIndex n 0) c < 2) (reduce (+) 0 r / reduce max 1 r) (reduce (+) 0 r))))",
        &[&[("n", 66), ("m", 5)], &[("n", 3), ("m", 66)], &[("n", 2), ("m", 5)]],
    ),
    (
        "def across (a b: n.m.f32): m.n.f32 = zip a b |> map (\\r. zip (fst r) (snd r) |> map (\\p. fst p - snd p)) |> transpose",
        &[&[("n", 17), ("m", 35)], &[("n", 3), ("m", 5)]],
    ),
    (
        "def shown (a: n.3.(f32 * f32)): (n + 1).3.f32 = a |> padCst 1 0 (generate (\\i. (0.0, 0.0)))
           |> map (map (\\p. (snd p, fst p))) |> map (map fst)",
        &[&[("n", 1)], &[("n", 5)]],
    ),
    (
        "def shownOfReduced (a: n.2.3.(f32 * f32)): 2.3.f32 = a |> reduce (\\x y. zip x y |> map (\\q. zip (fst q) (snd q) |> map (\\r.
           (max (fst (fst r)) (fst (snd r)), snd (fst r) + snd (snd r))))) (generate (\\i. generate (\\j. (0.0, 0.0))))
           |> map (\\s. s |> map (\\y. (snd y, fst y)) |> map (\\p. fst p))",
        &[&[("n", 1)], &[("n", 29)]],
    ),
    (
        "def columns (a: n.m.f32) (s: f32): m.f32 = a |> transpose |> map (\\c. s * reduce (+) 0 c)",
        &[&[("n", 1), ("m", 1)], &[("n", 7), ("m", 8)], &[("n", 9), ("m", 5)]],
    ),
    (
        "def down (w: 3.f32) (a: (n + 2).m.f32) (b: n.m.f32): (n.m.f32 * n.m.f32) =
           let weighted = \\x. zip x w |> map (\\p. fst p * snd p) |> reduce (+) 0 in
           (a |> transpose |> map (slide 3 1 >> map weighted) |> transpose,
            b |> transpose |> map (padClamp 1 1 >> slide 3 1 >> map weighted) |> transpose)",
        &[&[("n", 1), ("m", 1)], &[("n", 11), ("m", 5)]],
    ),
    (
        "def everything (a: n.m.f32): f32 = a |> map (map abs) |> join |> reduce (+) 0",
        &[&[("n", 1), ("m", 1)], &[("n", 5), ("m", 7)]],
    ),
    (
        "def norm (a: n.f32): n.f32 = let s = a |> map (\\x. x * x) |> reduce (+) 0 in a |> map (\\x. x * s)",
        &[&[("n", 1)], &[("n", 4)], &[("n", 11)]],
    ),
    (
        "def results (a: n.f32) (b: m.f32): (n.f32 * (m.(f32 * f32) * f32)) =
           (a |> map (\\x. x + 1), (b |> map (\\y. (y, y * 2)), zip b b |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        &[&[("n", 1), ("m", 9)], &[("n", 6), ("m", 4)]],
    ),
    (
        "def padded (a: n.m.f32): (m + 3).n.f32 = a |> map (map (\\x. x + 1)) |> transpose |> padCst 1 2 (generate (\\i. 0))",
        &[&[("n", 2), ("m", 5)]],
    ),
    (
        "def turned (a: n.m.f32): (m * n).f32 = a |> transpose |> map reverse |> join",
        &[&[("n", 3), ("m", 4)]],
    ),
    (
        "def running (a: n.f32): n.f32 = a |> map (\\x. x * 2) |> scanSeq (\\x s. x + s) 0 |> map (\\x. x + 1)",
        &[&[("n", 1)], &[("n", 8)]],
    ),
    (
        "def bin (x: f32): i32 = select (x < 2) 0 1
         def histogram (a: n.f32): 2.i32 =
           generate (\\i. a |> map (\\x. select (bin x == cast (indexAsNat i)) 1 0) |> reduce (+) 0)",
        &[&[("n", 5)], &[("n", 12)]],
    ),
    (
        "def smallest (a: n.i32): i32 = reduce min 2147483647 a",
        &[&[("n", 2)], &[("n", 13)]],
    ),
    (
        "def planes (a: 3.n.m.f32): 3.n.m.f32 = a |> map (\\p. p |> map (\\r. let s = reduce (+) 0 r in r |> map (\\x. x - s)))",
        &[&[("n", 2), ("m", 5)]],
    ),
    (
        "def steps (a: n.f32): n.f32 = iterate 3 (\\x. x |> padClamp 1 1 |> slide 3 1 |> map (reduce (+) 0)) a",
        &[&[("n", 1)], &[("n", 6)]],
    ),
    (
        "def mine (a: n.m.f32): n.m.f32 = a |> mapPar (\\r. r |> mapSeq (\\x. x + reduceSeq (+) 0 r))",
        &[&[("n", 3), ("m", 2)]],
    ),
    (
        "def twice (a: m.k.f32) (b: k.n.f32) (c: n.l.f32): m.l.f32 =
           let ab = a |> map (\\r. transpose b |> map (\\x. zip r x |> map (\\p. fst p * snd p) |> reduce (+) 0))
           ab |> map (\\r. transpose c |> map (\\x. zip r x |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        &[&[("m", 2), ("k", 7), ("n", 8), ("l", 5)]],
    ),
    (
        "def shown (a: n.m.f32): m.m.f32 =
           let t = transpose a
           t |> map (\\r. t |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        &[&[("n", 5), ("m", 7)]],
    ),
    (
        "def wide (a: (n + 3).(m + 7).f32): n.m.f32 =
           a |> map (map (\\x. x * x)) |> map (slide 8 1) |> slide 4 1 |> map transpose |> map (map (join >> reduce (+) 0))",
        &[&[("n", 2), ("m", 3)]],
    ),
    (
        "def joined (a: n.f32) (b: m.f32): f32 = concat (a |> map abs) (b |> map (\\x. x * x)) |> reduce (+) 0",
        &[&[("n", 4), ("m", 5)]],
    ),
    (
        "def rowsOfSums (a: m.n.f32): f32 =
           a |> reduce (\\p q. zip p q |> map (\\z. fst z + snd z)) (generate (\\i. 0)) |> reduce max 0",
        &[&[("n", 9), ("m", 3)]],
    ),
    (
        "def put (i: n.idx[n]) (x: n.f32): f32 = scatter i (x |> map (\\v. v * 2)) |> iterate 2 (map (\\v. v + 1)) |> reduce (+) 0",
        &[&[("n", 9)]],
    ),
    (
        "def normalised (a: n.m.f32): n.m.f32 =
           let mx = a |> map (reduce max (-9))
           let e = zip a mx |> map (\\(row, x). row |> map (\\v. (v - x) * 2))
           zip e (e |> map (reduce (+) 0)) |> map (\\(row, s). row |> map (\\v. v - s))",
        &[&[("n", 3), ("m", 9)]],
    ),
    (
        "def largest (a: n.f32): f32 = a |> map abs |> reduce max 3",
        &[&[("n", 1)], &[("n", 40)]],
    ),
    (
        "def centred (a: n.f32): n.f32 = a |> map (\\x. 4 * x - (a |> map abs |> reduce (+) 0))",
        &[&[("n", 1)], &[("n", 37)]],
    ),
    (
        "def rowsWithin (a: n.m.f32): (f32 * n.f32) =
           let sums = a |> map (\\r. 2 * (r |> map abs |> reduce (+) 0))
           (reduce (+) 0 sums, a |> map (\\r. reduce max 1 r + reduce (+) 0 sums))",
        &[&[("n", 2), ("m", 13)], &[("n", 41), ("m", 5)]],
    ),
    (
        "def manySteps (a: n.m.f32): n.m.f32 =
           a |> iterate 5 (\\x.
             x |> map (padClamp 1 1) |> padClamp 1 1 |> map (slide 3 1) |> slide 3 1 |> map transpose
               |> map (map (join >> reduce (+) 0)))",
        &[&[("n", 4), ("m", 5)], &[("n", 1), ("m", 1)]],
    ),
    (
        "def evenSteps (a: n.f32): n.f32 =
           a |> map abs |> iterate 4 (\\x. zip x (reverse x) |> map (\\p. fst p * 2 + snd p)) |> iterate 1 (map (\\x. x + 1))",
        &[&[("n", 7)], &[("n", 1)]],
    ),
    (
        "def sums (a: n.m.f32): m.f32 =
           a |> reduce (\\p q. zip p q |> map (\\z. fst z + snd z)) (generate (\\i. 0)) |> map (\\x. x * 2)",
        &[&[("n", 9), ("m", 3)], &[("n", 41), ("m", 2)]],
    ),
    (
        "def started (a: n.m.f32): (f32 * (n.f32 * m.f32)) =
           (a |> join |> reduce (+) 3, (a |> map (\\r. 1 + reduce (+) 2 r), a |> transpose |> map (\\c. 2 * reduce (+) 5 c)))",
        &[&[("n", 41), ("m", 9)], &[("n", 2), ("m", 33)]],
    ),
    (
        "def softened (a: n.m.f32): n.m.f32 =
           a |> map (\\row.
             let mx = reduce max (-9) row
             let e = row |> map (\\x. (x - mx) * 2)
             let s = reduce (+) 0 e
             e |> map (\\x. x - s))",
        &[&[("n", 3), ("m", 40)], &[("n", 2), ("m", 1)]],
    ),
    (
        "def separable (w: 3.f32) (a: n.m.f32): n.m.f32 =
           a |> padClamp 1 1 |> slide 3 1
             |> map (transpose >> map (\\c. zip w c |> map (\\p. fst p * snd p) |> reduce (+) 0))
             |> map (padClamp 1 1 >> slide 3 1 >> map (reduce (+) 0))",
        &[&[("n", 5), ("m", 7)], &[("n", 1), ("m", 1)]],
    ),
    (
        "def parts (a: n.f32) (b: m.f32): ((n + m).f32 * f32) =
           (concat (a |> map abs) (b |> map (\\x. x * x)) |> map (\\x. x + 1), concat (a |> map abs) b |> reduce (+) 0)",
        &[&[("n", 4), ("m", 5)], &[("n", 1), ("m", 1)]],
    ),
    (
        "def larger (a b: (i32 * i32)): (i32 * i32) = select (fst b > fst a) b a
         declare assoc larger
         def place (a: n.i32): (i32 * i32) =
           zip a (generate (\\i. cast (indexAsNat i))) |> reduce larger (-2147483648, 0)",
        &[&[("n", 2)], &[("n", 50)]],
    ),
    (
        "def g (x: n.f32): n.f32 = x |> padClamp 2 2 |> slide 5 1 |> map (reduce (+) 0)
         def bothWays (a: n.m.f32): n.m.f32 = a |> map g |> transpose |> map g |> transpose",
        &[&[("n", 5), ("m", 7)], &[("n", 1), ("m", 1)]],
    ),
    (
        "def leastOfColumns (a: n.m.f32): m.f32 = a |> transpose |> map (\\c. (1 + (c |> map abs |> reduce min 5)) * 2)",
        &[&[("n", 41), ("m", 3)]],
    ),
    (
        "def along (x: n.k.m.f32): k.m.f32 = x |> transpose |> map (transpose >> map (reduce (+) 2))",
        &[&[("n", 9), ("k", 7), ("m", 8)]],
    ),
    (
        "def both (a: n.f32): (f32 * f32) =
           a |> map (\\x. (x, x)) |> reduce (\\(a, b) (c, d). (a + c, max b d)) (0, 0)",
        &[&[("n", 50)]],
    ),
    (
        "def centre (a: n.3.f32): 3.f32 = a |> reduce (\\p q. zip p q |> map (\\z. fst z + snd z)) [0, 0, 0]",
        &[&[("n", 50)]],
    ),
    (
        "def first (a: n.i32): (i32 * i32) =
           zip a (generate (\\i. cast (indexAsNat i))) |> reduce (\\a b. select (fst b > fst a) b a) (-2147483648, 0)",
        &[&[("n", 50)]],
    ),
    (
        "def means (a: (n + 1).f32) (b: n.f32): n.f32 =
           zip (a |> slide 2 1 |> map (reduce (+) 0)) b |> map (\\p. fst p * snd p)",
        &[&[("n", 11)]],
    ),
    (
        "def add3 (a b: 3.f32): 3.f32 = zip a b |> map (\\p. fst p + snd p)
         def pulled (a: n.3.f32) (w: k.3.f32): n.(3.f32 * f32) =
           a |> map (\\x.
             let s = w |> map (\\y. zip x y |> map (\\p. snd p - fst p)) |> reduce add3 [0, 0, 0]
             (add3 s x, reduce (+) 0 s))",
        &[&[("n", 1), ("k", 1)], &[("n", 7), ("k", 43)]],
    ),
    (
        "def listed (a: n.3.f32) (i: m.k.idx[n]): m.3.f32 =
           i |> map (\\r. gather r a |> reduce (\\p q. zip p q |> map (\\z. fst z + snd z)) [0, 0, 0])",
        &[&[("n", 3), ("m", 4), ("k", 37)]],
    ),
    (
        "def longSums (a: n.(m + 5).i32): n.m.i32 = a |> map (map (\\x. x + 1) >> slide 6 1 >> map (reduce (+) 0))",
        &[&[("n", 2), ("m", 27)]],
    ),
    (
        "def longWindows (w: 7.f32) (a: n.m.f32): n.m.f32 =
           a |> map (padClamp 3 3 >> slide 7 1 >> map (\\v. zip v w |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        &[&[("n", 1), ("m", 5)], &[("n", 2), ("m", 27)]],
    ),
    // A component of what is taken apart is moved, or read, and not where it is computed.
    (
        "def firstOfPairs (a: n.((f32 * f32) * f32)): (n.f32 * n.f32) =
           mapFst (\\w. let s = w in s) (a |> map (\\v. fst v) |> unzip)",
        &[&[("n", 1)], &[("n", 9)]],
    ),
    (
        "def paddedFirst (a: n.(f32 * f32)): ((n + 2).f32 * n.f32) =
           mapFst (\\w. padEmpty 2 w) (a |> map (\\v. (fst v * 2, snd v)) |> unzip)",
        &[&[("n", 1)], &[("n", 9)]],
    ),
    // Columns that take several reductions, and of which arrays are made.
    (
        "def shiftedColumns (a: n.m.f32): n.m.f32 = transpose a |> map (\\c.
           let top = reduce max (-3.0e38) c
           let e = c |> map (\\x. (x - top) * 2)
           let total = reduce (+) 0 e
           e |> map (\\x. x - total)) |> transpose",
        &[&[("n", 1), ("m", 1)], &[("n", 9), ("m", 131)], &[("n", 70), ("m", 64)]],
    ),
    (
        "def varianceOfColumns (a: n.m.f32): m.f32 = transpose a |> map (\\c.
           let sum = reduce (+) 0 c
           c |> map (\\x. (x - sum) * (x - sum)) |> reduce (+) 0)",
        &[&[("n", 1), ("m", 1)], &[("n", 9), ("m", 131)]],
    ),
    (
        "def shiftedInBatches (a: b.n.m.f32): b.n.m.f32 = a |> map (\\s. transpose s |> map (\\c.
           let top = reduce max (-3.0e38) c
           let e = c |> map (\\x. (x - top) * 2)
           let total = reduce (+) 0 e
           e |> map (\\x. x - total)) |> transpose)",
        &[&[("b", 1), ("n", 1), ("m", 1)], &[("b", 3), ("n", 5), ("m", 67)]],
    ),
    // What is reduced of a row or of a column alone.
    (
        "def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
         def alike (a: n.k.f32) (b: m.k.f32): n.m.f32 =
           a |> map (\\x. b |> map (\\y. dot x y - (dot x x + 2 * dot y y)))",
        &[&[("n", 1), ("m", 1), ("k", 1)], &[("n", 7), ("m", 10), ("k", 9)]],
    ),
    (
        "def distance2 (a b: d.f32): f32 = zip a b |> map (\\p. (fst p - snd p) * (fst p - snd p)) |> reduce (+) 0
         def distances (a: n.d.f32) (b: m.d.f32): n.m.f32 = a |> map (\\x. b |> map (\\y. 2 * distance2 x y))",
        &[&[("n", 1), ("m", 1), ("d", 1)], &[("n", 9), ("m", 10), ("d", 3)], &[("n", 7), ("m", 9), ("d", 9)]],
    ),
    // What is read across.
    (
        "def lastFirst (a: l.n.m.f32): m.l.n.f32 = a |> map transpose |> transpose",
        &[&[("l", 1), ("n", 1), ("m", 1)], &[("l", 18), ("n", 17), ("m", 35)]],
    ),
    (
        "def reversed (a: l.n.m.f32): m.n.l.f32 = a |> map transpose |> transpose |> map transpose",
        &[&[("l", 1), ("n", 1), ("m", 1)], &[("l", 18), ("n", 17), ("m", 35)]],
    ),
    ("def planes (a: n.m.3.f32): 3.n.m.f32 = a |> map transpose |> transpose", &[&[("n", 1), ("m", 1)], &[("n", 9), ("m", 67)]]),
    (
        "def normalised (means: 3.(f32 * f32)) (a: n.m.3.f32): 3.n.m.f32 = zip (a |> map transpose |> transpose) means
           |> map (\\p. fst p |> map (map (\\x. (x - fst (snd p)) * snd (snd p))))",
        &[&[("n", 1), ("m", 1)], &[("n", 9), ("m", 67)]],
    ),
    // The same array reduced in order for each element, and channels reduced for a batch.
    (
        "def polynomial (c: k.f32) (xs: n.f32): n.f32 = xs |> map (\\x. c |> reduceSeq (\\acc a. acc * x + a) 0)",
        &[&[("k", 1), ("n", 1)], &[("k", 3), ("n", 131)]],
    ),
    (
        "def means (a: b.n.3.f32): b.3.f32 = a |> map (\\p. transpose p |> map (\\c. 3 * reduce (+) 0 c))",
        &[&[("b", 1), ("n", 1)], &[("b", 3), ("n", 131)]],
    ),
    // Pairs in pairs.
    (
        "def three (a: n.m.f32): (n.m.f32 * (m.n.f32 * n.f32)) =
           (a |> map (map (\\x. x * 2)), (a |> map (map (\\x. x + 1)) |> transpose, a |> map (reduce (+) 0)))",
        &[&[("n", 1), ("m", 1)], &[("n", 7), ("m", 37)]],
    ),
    (
        "def threeAtOnce (a: n.m.f32): ((n.m.f32 * n.m.f32) * n.m.f32) =
           a |> map (map (\\x. ((x * 2, x + 1), x * x)) >> unzip >> mapFst unzip) |> unzip |> mapFst unzip",
        &[&[("n", 1), ("m", 1)], &[("n", 7), ("m", 37)]],
    ),
    (
        "def movedInPairs (a: n.(f32 * f32)) (b: m.n.f32): (n.f32 * (n.f32 * n.m.f32)) =
           (a |> unzip |> fst, (a |> map (\\p. fst p + snd p), transpose b))",
        &[&[("n", 1), ("m", 1)], &[("n", 40), ("m", 37)]],
    ),
    // Results of the same elements, interleaved colours, and truth values.
    (
        "def edges (a: (n + 2).f32): (n.f32 * n.f32) =
           let d = a |> slide 3 1 |> map (\\w. (idx (natAsIndex 3 2) w - idx (natAsIndex 3 0) w, reduce max 0 w))
           (d |> map fst, d |> map snd)",
        &[&[("n", 1)], &[("n", 37)]],
    ),
    (
        "def colours (a: (n + 4).(m + 4).3.i32): n.m.3.i32 = a |> map (slide 5 1) |> slide 5 1
           |> map (transpose >> map (\\w. w |> join |> transpose |> map (reduce max 0)))",
        &[&[("n", 1), ("m", 1)], &[("n", 5), ("m", 19)]],
    ),
    (
        "def allOrAny (a: n.m.i32): (n.bool * n.bool) =
           (a |> map (\\r. r |> map (\\x. x > 1) |> reduce (or) false), a |> map (\\r. r |> map (\\x. x < 3) |> reduce (and) true))",
        &[&[("n", 1), ("m", 1)], &[("n", 3), ("m", 101)]],
    ),
];
