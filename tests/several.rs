//! Several reductions at once: what `auto` makes of long windows, of arrays of filters and of long rows is right at odd and
//! even sizes, on the host and on OpenCL devices, and is what it should be.

use crate::device_common::opencl;
use crate::modules;
use shine_tui::device::Mode;
use shine_tui::session::action::Target;

/// What is reduced from long windows: of an array, with what is made of it, and of rows.
const WINDOWS: [(&str, &str); 4] = [
    (
        "def f (a: (n + 64).f32) (w: 65.f32): n.f32 =
           a |> slide 65 1 |> map (\\x. zip x w |> map (\\p. fst p * snd p) |> reduce (+) 0)",
        "n=131777",
    ),
    (
        "def f (a: (n + 30).f32): n.f32 =
           a |> slide 31 1 |> map (\\x. sqrt (x |> map (\\y. y * y) |> reduce (+) 0 |> (\\s. s / 31)))",
        "n=147456",
    ),
    ("def f (a: (n + 8).i32): n.i32 = a |> slide 9 1 |> map (reduce max (-100))", "n=131073"),
    (
        "def f (a: b.(n + 32).f32) (w: 33.f32): b.n.f32 =
           a |> map (\\r. r |> slide 33 1 |> map (\\x. zip x w |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        "b=7 n=2500",
    ),
];

/// What is reduced for each filter and for all pixels of several planes, alone and with more made of it.
const FILTERS: [&str; 2] = [
    "def f (image: c.(h + 2).(v + 2).f32) (w: k.c.3.3.f32): k.h.v.f32 =
       w |> map (\\filter. image |> windows |> map (map (\\x. zip x filter |> products)))",
    "def f (image: c.(h + 2).(v + 2).f32) (w: k.c.3.3.f32) (b: k.f32): k.h.v.f32 =
       zip w b |> map (\\filter. image |> windows |> map (map (\\x. max 0 (snd filter + (zip x (fst filter) |> products)))))",
];
const OF_FILTERS: &str = "def windows (image: c.(h + 2).(v + 2).f32): h.v.c.3.3.f32 =
  image |> map (map (slide 3 1) >> slide 3 1 >> map transpose) |> transpose |> map transpose
def products (p: c.(3.3.f32 * 3.3.f32)): f32 =
  p |> map (\\q. zip (join (fst q)) (join (snd q)) |> map (\\r. fst r * snd r) |> reduce (+) 0) |> reduce (+) 0
";

/// What belongs to each of `k` numbers: how often each occurs, the greatest, sums of rows by columns, by places and as written
/// for one loop, and their means.
const OF_NUMBERS: [(&str, &str); 7] = [
    (
        "def f (keys: n.i32): k.i32 =
           generate (\\c. keys |> map (\\l. select (l == cast (indexAsNat c)) 1 0) |> reduce (+) 0)",
        "n=1003 k=60",
    ),
    (
        "def f (a: n.i32) (keys: n.i32): k.i32 = generate (\\c. zip a keys
           |> map (\\p. select (snd p == cast (indexAsNat c)) (fst p) (-2147483648)) |> reduce max (-2147483648))",
        "n=1003 k=60",
    ),
    (
        "def f (rows: n.d.f32) (keys: n.i32): k.d.f32 = generate (\\c. transpose rows |> map (\\column.
           zip column keys |> map (\\p. select (snd p == cast (indexAsNat c)) (fst p) 0) |> reduce (+) 0))",
        "n=1003 d=5 k=60",
    ),
    (
        "def f (rows: n.d.f32) (keys: n.i32): k.d.f32 = generate (\\c. generate (\\j. generate (\\i.
           select (cast (indexAsNat c) == idx i keys) (idx j (idx i rows)) 0) |> reduce (+) 0))",
        "n=1003 d=5 k=60",
    ),
    (
        "def f (rows: n.d.f32) (keys: n.i32): k.d.f32 = zip rows keys
           |> map (\\p. generate (\\c. fst p |> map (\\x. select (snd p == cast (indexAsNat c)) x 0)))
           |> reduce (\\a b. zip a b |> map (\\r. zip (fst r) (snd r) |> map (\\e. fst e + snd e)))
                (generate (\\c. generate (\\j. 0)))",
        "n=1003 d=5 k=60",
    ),
    (
        "def f (rows: n.d.f32) (keys: n.i32): k.d.f32 = generate (\\c.
           let mine = keys |> map (\\l. select (l == cast (indexAsNat c)) 1 0) in
           transpose rows |> map (\\column. zip mine column |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        "n=1003 d=5 k=60",
    ),
    (
        "def f (rows: n.d.f32) (keys: n.i32): k.d.f32 = generate (\\c.
           let count = keys |> map (\\l. select (l == cast (indexAsNat c)) 1 0) |> reduce (+) 0 in
           transpose rows |> map (\\column.
             (zip column keys |> map (\\p. select (snd p == cast (indexAsNat c)) (fst p) 0) |> reduce (+) 0) / max 1 count))",
        "n=1003 d=5 k=60",
    ),
];

/// No number is compared with all others, in blocks of any length.
#[test]
fn what_belongs_to_each_of_several_numbers_is_reduced_in_one_loop() {
    let in_blocks = "inLambda(try(generateAsMap) ; (inBins(64, id) <+ binsOnThreads(64)))";
    let all =
        OF_NUMBERS.iter().map(|case| (in_blocks, case)).chain(OF_NUMBERS.last().map(|case| ("auto", case)));
    for (strategy, (text, sizes)) in all {
        let kernel = modules::ran_by(strategy, text, sizes, "cpu");
        let asked = kernel.contains("== (int)") || kernel.contains("(int)i");
        assert!(kernel.contains("if (0 <= ") && !asked, "{strategy}: {kernel}");
    }
}

/// Long reductions for each of a few numbers: sums of columns, with and without weights, the greatest from any start, several
/// of each column, products of matrices of few rows and columns, and long rows.
const OF_FEW: [(&str, &[&str]); 6] = [
    (
        "def f (a: n.m.f32): m.f32 = transpose a |> map (reduce (+) 0)",
        &["n=50021 m=7", "n=70001 m=3", "n=1031 m=301", "n=400003 m=1"],
    ),
    (
        "def f (a: n.m.f32) (w: n.f32): m.f32 =
           transpose a |> map (\\c. zip c w |> map (\\p. fst p * snd p) |> reduce (+) 0)",
        &["n=4096 m=33"],
    ),
    ("def f (a: n.m.f32): m.f32 = transpose a |> map (reduce max 1)", &["n=50021 m=7"]),
    (
        "def f (a: n.m.f32): m.f32 = transpose a |> map (\\c.
           let s = reduce (+) 0 c in (c |> map (\\x. x * x) |> reduce (+) 0) - s * s)",
        &["n=50021 m=7"],
    ),
    (
        "def f (a: m.k.f32) (b: k.n.f32): m.n.f32 = a |> map (\\r. transpose b |> map (\\c.
           zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))",
        &["m=2 k=70001 n=3", "m=1 k=400003 n=1", "m=1 k=5000 n=31"],
    ),
    ("def f (a: n.m.f32): n.f32 = map (reduce (+) 0) a", &["n=1 m=400009", "n=3 m=262144"]),
];

/// Threads share what is reduced, where the numbers are too few to be shared out.
#[test]
fn few_long_reductions_are_shared_by_threads() {
    for (text, all) in OF_FEW {
        for sizes in all {
            let kernel = modules::ran_by("auto", text, sizes, "cpu");
            // Once, also for several reductions of a column.
            assert_eq!(kernel.matches("omp parallel").count(), 1, "{sizes}: {kernel}");
        }
    }
}

/// What the sizes say is short, or what is no sum in any order, stays one loop.
#[test]
fn few_short_reductions_are_not_shared() {
    let sums = "def f (a: n.m.f32): m.f32 = transpose a |> map (reduce (+) 0)";
    for (strategy, sizes) in [("auto", "n=1000 m=7"), ("auto(exact)", "n=50021 m=7")] {
        let kernel = modules::ran_by(strategy, sums, sizes, "cpu");
        assert_eq!(kernel.matches("omp parallel").count(), 0, "{kernel}");
    }
}

/// Pairs are reduced in lanes: component by component where the operator takes them so, and else both at once.
#[test]
fn pairs_are_reduced_in_lanes() {
    let product = "def times (a b: (f32 * f32)): (f32 * f32) =
         (fst a * fst b - snd a * snd b, fst a * snd b + snd a * fst b)
       declare assoc [finite] times
       declare commutative [finite] times
       declare neutral [finite] times (1, 0)
       def f (a: n.f32): (f32 * f32) =
         a |> map (\\x. (1 + x * 0.001, x * 0.001)) |> reduce times (1, 0)";
    let programs = [
        "def f (a: n.f32): (f32 * f32) = a |> map (\\x. (x, x))
           |> reduce (\\p q. (min (fst p) (fst q), max (snd p) (snd q))) (3, -3)",
        "def f (a b: n.f32): (f32 * f32) = zip a b
           |> map (\\p. (fst p * fst p - snd p * snd p, 2 * fst p * snd p))
           |> reduce (\\p q. (fst p + fst q, snd p + snd q)) (0, 0)",
        product,
    ];
    for text in programs {
        for sizes in ["n=1", "n=64", "n=101", "n=9001"] {
            let kernel = modules::ran_by("auto", text, sizes, "cpu");
            assert!(sizes == "n=1" || kernel.contains("[32];"), "{sizes}: {kernel}");
        }
    }
}

/// Several long reductions of as many elements are one loop on threads, whether a pair is made of them or a number.
#[test]
fn long_reductions_of_one_array_read_it_once() {
    let squares = "a |> map (\\x. x * x) |> reduce (+) 0";
    for made in [format!("(reduce (+) 0 a, {squares})"), "(reduce min 7 a, reduce max 0 a)".to_owned()] {
        let text = format!("def f (a: n.f32): (f32 * f32) = {made}");
        let kernel = modules::ran_by("auto", &text, "n=300007", "cpu");
        assert_eq!(kernel.matches("omp parallel").count(), 1, "{kernel}");
    }
    let text = format!("def f (a: n.f32): f32 = reduce (+) 0 a / sqrt ({squares})");
    let kernel = modules::ran_by("auto", &text, "n=300007", "cpu");
    assert_eq!(kernel.matches("omp parallel").count(), 1, "{kernel}");
    // Of which no parts can be reduced together.
    let text = format!("def f (a: n.f32): (f32 * f32) = (reduce max 1 a, {squares})");
    modules::ran_by("auto", &text, "n=300007", "cpu");
}

#[test]
fn long_windows_are_reduced_side_by_side() {
    let Some(device) = opencl() else { return };
    for (text, sizes) in WINDOWS {
        let kernel = modules::ran_by("auto(opencl)", text, sizes, &device);
        // A tile of 64 times 9 windows in local memory, and what they give.
        assert!(kernel.contains("t1[576];") && kernel.contains("[9];"), "{kernel}");
    }
}

#[test]
fn filters_are_taken_four_at_a_time() {
    let device = opencl();
    for filter in FILTERS {
        let text = format!("{OF_FILTERS}{filter}");
        let on = |sizes: &str, strategy: &str, device: &str| modules::ran_by(strategy, &text, sizes, device);
        // Four filters by 16 pixels on the host, and by one, two or four rows on work-items.
        assert!(on("k=8 c=3 h=5 v=32", "auto", "cpu").contains("[64];"));
        assert!(!on("k=6 c=3 h=5 v=33", "auto", "cpu").contains("[64];"));
        if let Some(device) = &device {
            for (sizes, sums) in
                [("k=8 c=3 h=9 v=33", 4), ("k=4 c=5 h=50 v=7", 8), ("k=12 c=3 h=132 v=9", 16)]
            {
                let kernel = on(sizes, "auto(opencl)", device);
                assert!(kernel.contains(&format!("t0[{sums}];")), "{sizes}: {kernel}");
            }
            on("k=8 c=3 h=9 v=33", "auto(opencl, exact)", device);
        }
    }
}

/// Groups of more rows of work-items compute what square ones do, whatever stands out of the tiles.
#[test]
fn tiles_may_be_taller_than_they_are_wide() {
    let Some(device) = opencl() else { return };
    let product = "def f (a: m.k.f32) (b: k.n.f32): m.n.f32 = a |> map (\\row.
       transpose b |> map (\\col. zip row col |> map (\\p. fst p * snd p) |> reduce (+) 0))";
    for (taller, group, sizes) in [
        (1, "(16, 16, 1)", "m=261 n=267 k=37"),
        (2, "(16, 18, 1)", "m=261 n=267 k=37"),
        (3, "(16, 20, 1)", "m=320 n=256 k=64"),
    ] {
        let strategy = format!("autoBy(onWorkItems, id) with (taller: {taller})");
        let kernel = modules::ran_by(&strategy, product, sizes, &device);
        assert!(kernel.contains(&format!("in groups of {group}")), "{taller}: {kernel}");
    }
}

/// Rows that are read again for what is made of them: groups of more work-items keep longer ones, each element in a register.
#[test]
fn long_rows_are_read_once_by_groups_that_have_room_for_them() {
    let Some(device) = opencl() else { return };
    let softmax = "def f (a: n.m.f32): n.m.f32 =
       a |> map (\\row.
         let top = reduce max (-3.4e38) row in
         let e = row |> map (\\x. exp (x - top)) in
         let s = reduce (+) 0 e in
         e |> map (\\x. x / s))";
    for (number, items, m, once) in [
        ("f32", 256, 8192, true),
        ("f32", 256, 32768, true),
        ("f32", 256, 65536, false),
        ("f64", 256, 16384, true),
        ("f64", 256, 32768, false),
        ("f32", 512, 16384, true),
        ("f32", 1024, 32768, true),
        ("f32", 1024, 9001, false),
    ] {
        let strategy = format!("autoBy(onWorkItems, id) with (items: {items})");
        let softmax = softmax.replace("f32", number);
        let kernel = modules::ran_by(&strategy, &softmax, &format!("n=3 m={m}"), &device);
        let (group, reads) = (format!("({items}, 1, 1)"), kernel.matches("a[").count());
        let is_kept = kernel.contains(&group) && reads == m / items;
        assert_eq!(is_kept, once, "{number}, {items}, {m}: {reads} reads\n{kernel}");
    }
}

/// Columns of which each is made again with what is reduced from it: the work-items that reduce one write it together.
#[test]
fn columns_are_written_by_the_work_items_that_reduce_them() {
    let Some(device) = opencl() else { return };
    let head = "def f (x: n.m.f32): n.m.f32 = x |> transpose |> map (\\c.";
    let numbers = "let s = c |> map (\\v. v * v) |> reduce (+) 0 in let top = c |> reduce max 0 in c |> map (\\v. (v + top) / (1 + sqrt s))";
    let softmax = "let top = c |> reduce max (-3.4e38) in let e = c |> map (\\v. exp (v - top)) in let s = e |> reduce (+) 0 in e |> map (\\v. v / s)";
    for column in [numbers, softmax] {
        let text = format!("{head} {column}) |> transpose");
        for sizes in ["n=40 m=64", "n=67 m=75", "n=5 m=33"] {
            let kernel = modules::ran_by("auto(opencl)", &text, sizes, &device);
            let alone = kernel.split("== 0) {").skip(1);
            let alone: Vec<&str> =
                alone.filter_map(|rest| rest.split_once("\n    }\n").map(|(own, _)| own)).collect();
            assert!(
                kernel.contains("output[") && alone.iter().all(|own| !own.contains("output[")),
                "{kernel}"
            );
            // Work-items side by side read columns side by side.
            assert!(!kernel.contains("m * l_id_0"), "{kernel}");
        }
    }
}

/// Programs that reduce rows by what is no sum, and how many arrays of each show what is not the same for all rows.
const IN_ORDER: [(&str, usize); 10] = [
    ("(a: n.m.f32): n.f32 = a |> map (\\row. row |> reduce (\\s x. s / 2 + x) 0)", 1),
    ("(a: n.m.f32): n.f32 = a |> map (\\row. 1 - (row |> map exp |> reduce (\\s x. s / 2 + x) 0))", 1),
    (
        "(a: n.m.f32): n.i32 = a |> map (\\row.
           zip row (generate (\\i. cast (indexAsNat i))) |> reduce nearer (3.4e38, 0) |> snd)",
        1,
    ),
    (
        "(a b: n.m.f32): n.f32 = zip a b |> map (\\p. zip (fst p) (snd p) |> reduceSeq (\\s x. s * fst x + snd x) 1)",
        2,
    ),
    (
        "(a: n.m.(f32 * i8)): n.f32 = a |> map (\\row. row |> reduceSeq (\\s x. s / 2 + fst x * cast (snd x)) 1)",
        2,
    ),
    (
        "(a: n.m.f32) (x: m.f32): n.f32 = a |> map (\\row. zip row x |> reduceSeq (\\s p. s / 2 + fst p * snd p) 0)",
        1,
    ),
    (
        "(a: n.m.f32) (x: m.f32): n.f32 = a |> map (\\row. zip x row |> reduceSeq (\\s p. s / 2 + fst p * snd p) 0)",
        1,
    ),
    (
        "(a: n.m.f32): n.(f32 * f32) = a |> map (\\row. row |> reduceSeq (\\s x. (snd s, fst s / 2 + x)) (0, 1))",
        1,
    ),
    (
        "(a: n.m.f32): n.(i32 * f32) = a |> map (\\row. let x = zip row (generate (\\i. cast (indexAsNat i))) in
           (x |> reduce nearer (3.4e38, 0) |> snd, x |> reduceSeq (\\s p. s / 2 - fst p) 0))",
        1,
    ),
    ("(a: n.(m + 1).i8): n.i64 = a |> map (\\row. drop 1 row |> reduceSeq (\\s x. s * 3 + cast x) 1)", 1),
];
const NEARER: &str = "def nearer (a b: (f32 * i32)): (f32 * i32) = select (fst b < fst a) b a\n";

#[test]
fn rows_are_reduced_in_order_by_groups_that_read_them_together() {
    let Some(device) = opencl() else { return };
    let copied = |text: &str| {
        let kernels = modules::compiled(text, Target::OpenCl).module.sections;
        // A number more a row, so that what work-items read lies in different banks.
        kernels.iter().map(|k| k.kernel.text.matches("[1056];").count()).sum::<usize>()
    };
    for (number, (text, arrays)) in IN_ORDER.into_iter().enumerate() {
        let text = format!("{NEARER}def f {text}");
        assert_eq!(copied(&text), arrays, "{text}");
        let others = [(64, 96), (5, 3)];
        for (n, m) in [(37, 101)].iter().chain(others.get(number)).copied() {
            let ran = modules::ran(&text, &modules::sizes(&[("n", n), ("m", m)]), &device, Mode::Once);
            assert!(ran.check.is_some(), "{text} {n} {m}");
        }
    }
    // Wide elements leave room for fewer rows at a time in the local memory that every device has, or for none.
    for (arrays, elements) in [(3, "[1056];"), (4, "[272];"), (22, "nothing")] {
        let text = of_arrays_of_f64(arrays);
        let kernels = modules::compiled(&text, Target::OpenCl).module.sections;
        let copies =
            |cells: &str| kernels.iter().map(|k| k.kernel.text.matches(cells).count()).sum::<usize>();
        for cells in ["[1056];", "[272];"] {
            assert_eq!(copies(cells), if cells == elements { arrays } else { 0 }, "{text}");
        }
        let ran = modules::ran(&text, &modules::sizes(&[("n", 37), ("m", 101)]), &device, Mode::Once);
        assert!(ran.check.is_some(), "{text}");
    }
    // What takes reductions of its own is no row to read.
    let text = "def f (a: n.m.f32) (b: k.m.f32): n.f32 = a |> map (\\row.
       b |> map (\\r. zip row r |> map (\\p. fst p * snd p) |> reduce (+) 0) |> reduceSeq (\\s x. s / 2 + x) 0)";
    assert_eq!(copied(text), 0);
}

/// Rows of so many arrays, reduced in order.
fn of_arrays_of_f64(arrays: usize) -> String {
    let name = |i: usize| format!("a{i}");
    let parameters: String = (0..arrays).map(|i| format!("({}: n.m.f64) ", name(i))).collect();
    // The array i of what was zipped, and all from i on.
    let (mut zipped, mut of_row) = (name(arrays - 1), path(arrays - 1, arrays, "r"));
    let mut summed = path(arrays - 1, arrays, "x");
    for i in (0..arrays - 1).rev() {
        zipped = format!("zip {} ({zipped})", name(i));
        of_row = format!("zip ({}) ({of_row})", path(i, arrays, "r"));
        summed = format!("{} + {summed}", path(i, arrays, "x"));
    }
    format!(
        "def f {parameters}: n.f64 = {zipped} |> map (\\r. {of_row} |> reduceSeq (\\s x. s / 2 + {summed}) 0)"
    )
}

/// The component i of n in pairs of pairs.
fn path(i: usize, n: usize, of: &str) -> String {
    let rest = (0..i).fold(of.to_owned(), |p, _| format!("snd ({p})"));
    if i + 1 == n { rest } else { format!("fst ({rest})") }
}

/// On threads four rows at once, which are in registers, and what is left over one by one.
#[test]
fn rows_are_reduced_in_order_side_by_side() {
    let last_of_four = |text: &str, sizes: &str, strategy: &str| {
        modules::ran_by(strategy, text, sizes, "cpu").contains("_3")
    };
    for (text, _) in IN_ORDER {
        let text = format!("{NEARER}def f {text}");
        assert!(last_of_four(&text, "n=47 m=101", "auto"), "{text}");
        assert!(!last_of_four(&text, "n=17 m=203", "auto"), "{text}");
    }
    let sums = "def f (a: n.m.f32): n.f32 = a |> map (reduce (+) 0)";
    let of_sums = |strategy: &str| last_of_four(sums, "n=47 m=101", strategy);
    assert_eq!([of_sums("auto(exact)"), of_sums("auto")], [true, false]);
}

/// Work-items share a reduction only where all of them compute it: not what one chooses and another does not.
#[test]
fn what_is_chosen_is_reduced_by_each_work_item() {
    let Some(device) = opencl() else { return };
    for result in [
        "select (v > 0) 1 (reduce max v a)",
        "v + select (v > 0) 1 (a |> map (\\w. w * v) |> reduce (+) 0)",
        "select (v > 3 or reduce (+) v a > 7) (reduce min v a) 1",
        "select (reduce max v a > 40) 1 (v * v)",
    ] {
        for strategy in ["auto(opencl)", "auto(opencl, exact)"] {
            let text = format!("def f (a: n.i32): n.i32 = a |> map (\\v. {result})");
            modules::ran_by(strategy, &text, "n=301", &device);
        }
    }
}
