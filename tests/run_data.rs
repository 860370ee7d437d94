//! `shine-tui run` on files: arrays and pictures go in and come out, sizes follow from shapes, and what does not fit is
//! refused before anything runs.

use crate::cli_common;
use crate::cli_common::Ran;
use std::path::Path;

/// Runs a program on inputs; the rest of the arguments are passed on.
fn run(dir: &Path, program: &str, args: &[&str]) -> Ran {
    std::fs::write(dir.join("program.rise"), program).unwrap();
    cli_common::run(dir, &[&["run", "program.rise"], args].concat())
}

#[track_caller]
fn result(ran: &Ran) -> String {
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let (_, result) = ran.out.split_once("result    ").expect("a result is printed");
    result.trim_end().to_owned()
}

const HOUSE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/pictures/house.png");

#[test]
fn sizes_follow_from_the_shapes_of_inputs() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let program = "def f (alpha: f32) (a: (n + 2).m.f32) (b: n.f32): n.f32 =
      zip (drop 2 a) b |> map (\\p. alpha * snd p + reduce (+) 0 (fst p))\n";
    std::fs::write(dir.join("a.csv"), "9,9,9\n9,9,9\n1,2,3\n4,5,6\n").unwrap();
    std::fs::write(dir.join("b.txt"), "10\n20\n").unwrap();
    let ran = run(dir, program, &["-i", "alpha=0.5", "-i", "a=a.csv", "-i", "b=b.txt"]);
    assert_eq!(result(&ran), "[11.0, 25.0]");
    assert!(ran.out.contains("sizes     n=2 m=3\n") && ran.out.contains("with plain C"), "{}", ran.out);
    let ran = run(dir, program, &["-i", "alpha=0.5", "-i", "a=a.csv", "-i", "b=b.txt", "--no-check"]);
    assert!(ran.out.contains("check     none, as --no-check asks\n"), "{}", ran.out);
    let ran = run(dir, program, &["-i", "alpha=0.5", "-i", "a=a.csv", "-i", "b=b.txt", "--size", "m=4"]);
    assert!(ran.err.contains("[E0914]") && ran.err.contains("`m` = 4 was given"), "{}", ran.err);
    // Bare cells say how many there are; the rest of the inputs says how they lie.
    std::fs::write(dir.join("a.raw"), [1f32; 12].map(f32::to_le_bytes).concat()).unwrap();
    let ran = run(dir, program, &["-i", "alpha=0", "-i", "a=a.raw", "-i", "b=b.txt"]);
    assert_eq!(result(&ran), "[3.0, 3.0]");
}

/// What one shape leaves open another may tell; what lies twice is one mistake.
#[test]
fn sizes_are_solved_together() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("ten.txt"), "1 2 3 4 5 6 7 8 9 10").unwrap();
    std::fs::write(dir.join("four.txt"), "1 1 1 1").unwrap();
    let program = "def f (a: (n + m).f32) (b: m.f32): m.f32 = zip (take m a) b |> map (\\p. fst p + snd p)\n";
    let ran = run(dir, program, &["-i", "a=ten.txt", "-i", "b=four.txt"]);
    assert_eq!(result(&ran), "[2.0, 3.0, 4.0, 5.0]");
    assert!(ran.out.contains("m=4") && ran.out.contains("n=6"), "{}", ran.out);
    std::fs::write(dir.join("none.txt"), "").unwrap();
    let ran = run(dir, "def f (a: n.f32): n.f32 = map sqrt a\n", &["-i", "a=none.txt"]);
    assert!(ran.err.contains("[E0914]") && ran.err.contains("length of `a` is 0"), "{}", ran.err);
    let at = "def f (k: natType) (a: n.f32): f32 = idx (natAsIndex n k) a\n";
    let ran = run(dir, at, &["-i", "k=-5", "-i", "a=four.txt"]);
    assert!(ran.err.contains("[E0914]") && ran.err.contains("is -5"), "{}", ran.err);
    let pair = "def f (a: n.f32): (n.f32 * n.f32) = (map sqrt a, a)\n";
    let ran = run(dir, pair, &["-i", "a=ten.txt", "-o", "fst=o.npy", "-o", "snd=o.npy", "--force"]);
    assert!(ran.err.contains("[E0911]") && !dir.join("o.npy").exists(), "{}", ran.err);
    let grey = "def f (a: n.f32): n.m.f32 = map (\\x. generate (\\i. x)) a\n";
    let ran = run(dir, grey, &["-i", "a=ten.txt", "--size", "m=2", "-o", "o.ppm"]);
    assert!(ran.err.contains("[E0914]") && ran.err.contains("grey"), "{}", ran.err);
}

/// Decimal commas would be twice as many numbers.
#[test]
fn numbers_are_separated_in_one_way() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let copy = "def f (a: n.m.f32): n.m.f32 = a |> map (map (\\x. x + 0))\n";
    for (text, said) in [
        ("1,5;2,5\n3,5;4,5\n", "line 1 has both commas and semicolons between numbers"),
        ("1 2\n3,5 4\n", "line 2 has commas between numbers, and line 1 has spaces"),
    ] {
        std::fs::write(dir.join("a.csv"), text).unwrap();
        let ran = run(dir, copy, &["-i", "a=a.csv"]);
        assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
        let told = ["[E0912]", "`a.csv` cannot be the input `a`", said, "write points (`1.5`)"];
        assert!(told.iter().all(|part| ran.err.contains(part)), "{}", ran.err);
    }
    std::fs::write(dir.join("a.csv"), "1.5; 2.5\n3.5 ;4.5;\n").unwrap();
    let read = result(&run(dir, copy, &["-i", "a=a.csv"]));
    assert_eq!(read.split_whitespace().collect::<String>(), "[[1.5,2.5],[3.5,4.5]]");
}

#[test]
fn results_are_written_and_read_back_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("a.txt"), "0.5 -1 1e30\n0.1 0 3\n").unwrap();
    let copy = "def f (a: n.m.f32): n.m.f32 = a |> map (map (\\x. x + 0))\n";
    let sum = "def f (a: n.m.f32): n.f32 = a |> map (reduce (+) 0)\n";
    for file in ["b.npy", "b.csv", "b.txt", "b.raw"] {
        let ran = run(dir, copy, &["-i", "a=a.txt", "-o", file]);
        assert!(ran.out.contains(&format!("written   {file}\n")), "{}{}", ran.out, ran.err);
        let given = format!("a={file}");
        let sizes: &[&str] = if file == "b.raw" { &["--size", "n=2"] } else { &[] };
        let ran = run(dir, sum, &[&["-i", given.as_str()], sizes].concat());
        assert_eq!(result(&ran), "[1e30, 3.1]", "{file}");
    }
}

#[test]
fn pictures_are_arrays_as_the_type_says() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let house = format!("image={HOUSE}");
    let ends = |program: &str, file: &str| {
        let ran = run(dir, program, &["-i", &house, "-o", file, "--json"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        ran.out
    };
    // Planes of floats, and back: no sample changes.
    ends("def f (image: 3.n.m.f32): 3.n.m.f32 = image |> map (map (map (\\x. 1 - x)))\n", "negative.png");
    ends("def f (image: n.m.3.u8): n.m.3.u8 = image |> map (map (map (\\x. 255 - x)))\n", "negative.ppm");
    let differences = "def f (a: 3.n.m.u8) (b: n.m.3.u8): u64 =
      zip a (b |> map transpose |> transpose) |> map (\\ps. zip (fst ps) (snd ps) |> map (\\rows.
        zip (fst rows) (snd rows) |> map (\\p. select (fst p == snd p) 0 1) |> reduce (+) 0) |> reduce (+) 0)
      |> reduce (+) 0\n";
    let ran = run(dir, differences, &["-i", "a=negative.png", "-i", "b=negative.ppm"]);
    assert_eq!(result(&ran), "0");
    let ran = run(dir, differences, &["-i", &format!("a={HOUSE}"), "-i", "b=negative.ppm"]);
    assert_ne!(result(&ran), "0");
    let grey = ends(
        "def f (image: n.m.3.f32): n.m.f32 = image |> map (map (\\c. reduce (+) 0 c / 3))\n",
        "grey.pgm",
    );
    assert!(grey.contains("\"file\": \"grey.pgm\"") && grey.contains("\"checked\": true"), "{grey}");
    let ran = run(
        dir,
        "def f (image: n.m.u8): u8 = image |> map (reduce max 0) |> reduce max 0\n",
        &["-i", "image=grey.pgm"],
    );
    assert!(result(&ran).parse::<u8>().unwrap() > 100, "{}", ran.out);
}

/// A compiler may store to arrays on the stack as if they began where vectors may: gcc 12 does so at this size, and not at others.
#[test]
fn arrays_on_the_stack_begin_where_vectors_may() {
    let dir = tempfile::tempdir().unwrap();
    let program = "def windows (image: (n + 2).(m + 2).f32): n.m.3.3.f32 =
      image |> map (slide 3 1) |> slide 3 1 |> map transpose
    def grey (image: (n + 4).(m + 4).3.u8): n.m.u8 =
      image |> map (map (\\p. zip [0.3, 0.6, 0.1] p |> map (\\q. fst q * cast (snd q)) |> reduce (+) 0))
        |> windows |> map (map (\\w. join w |> reduce (+) 0 |> (\\s. s / 9)))
        |> windows |> map (map (\\w. join w |> reduce max 0 |> (\\x. cast (x + 0.5))))\n";
    std::fs::write(dir.path().join("grey.rise"), program).unwrap();
    for columns in [69, 70, 71] {
        let size = format!("m={columns}");
        let bench = ["bench", "grey.rise", "--size", "n=37", "--size", &size];
        let ran = cli_common::run(dir.path(), &bench);
        assert_eq!(ran.code, 0, "{columns}: {}", ran.err);
    }
}

#[test]
fn values_of_pairs_have_a_file_for_each_component() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("x.txt"), "1 2 3").unwrap();
    std::fs::write(dir.join("y.txt"), "10 20 30").unwrap();
    let program = "def f (p: n.(f32 * i32)): n.(i32 * f32) = p |> map (\\q. (snd q, fst q))\n";
    let both = ["-i", "p.fst=x.txt", "-i", "p.snd=y.txt"];
    assert_eq!(result(&run(dir, program, &both)), "[(10, 1.0), (20, 2.0), (30, 3.0)]");
    let ran = run(dir, program, &[&both[..], &["-o", "fst=i.txt", "-o", "snd=f.npy"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(std::fs::read_to_string(dir.join("i.txt")).unwrap(), "10 20 30\n");
    for (args, code) in [
        (vec!["-i", "p=x.txt"], "E0910"),
        (vec!["-i", "p.fst=x.txt"], "E0911"),
        (vec!["-i", "p.fst=x.txt", "-i", "p.fst=y.txt", "-i", "p.snd=y.txt"], "E0911"),
        ([&both[..], &["-o", "one.txt"]].concat(), "E0910"),
        ([&both[..], &["-o", "fst=1.txt", "-o", "fst=2.txt"]].concat(), "E0911"),
    ] {
        let ran = run(dir, program, &args);
        assert!(ran.err.contains(&format!("[{code}]")) && ran.code == 2, "{args:?} {}", ran.err);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let house = std::fs::read(HOUSE).unwrap();
    std::fs::write(dir.join("cut.png"), &house[..house.len() / 2]).unwrap();
    std::fs::write(dir.join("text.png"), "no picture").unwrap();
    std::fs::write(dir.join("empty.npy"), "").unwrap();
    std::fs::write(dir.join("three.txt"), "1 2 3").unwrap();
    std::fs::write(dir.join("ragged.txt"), "1 2\n3").unwrap();
    std::fs::write(dir.join("words.txt"), "1 two \x1b[31m").unwrap();
    std::fs::write(dir.join("seven.raw"), [0; 7]).unwrap();
    std::fs::write(dir.join("deep.pgm"), b"P5 1 1 65535 \0\0").unwrap();
    let npy = |version: u8, shape: &str| {
        let head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        let start = [&b"\x93NUMPY"[..], &[version, 0, head.len() as u8, 0]].concat();
        [start, head.into_bytes(), vec![0; 4]].concat()
    };
    std::fs::write(dir.join("scalar.npy"), npy(1, "()")).unwrap();
    std::fs::write(dir.join("one.npy"), npy(1, "(1,)")).unwrap();
    std::fs::write(dir.join("v9.npy"), npy(9, "(1,)")).unwrap();
    std::fs::create_dir(dir.join("folder.npy")).unwrap();
    std::fs::write(dir.join("big.txt"), "0 5").unwrap();
    let house = format!("x={HOUSE}");
    let vector = "def f (x: n.f32): n.f32 = x |> map (\\v. v + 1)\n";
    let matrix = "def f (x: n.m.f32): n.m.f32 = x |> map (map (\\v. v + 1))\n";
    let bytes = "def f (x: n.m.u8): n.m.u8 = x |> map (map (\\v. v + 1))\n";
    let colours = "def f (x: n.m.3.u8): n.m.3.u8 = x |> map (map (map (\\v. v + 1)))\n";
    let window = "def f (x: (n + 3).f32): n.f32 = take n x |> map (\\v. v + 1)\n";
    let halves = "def f (x: (2 * n).f32): n.f32 = take n x |> map (\\v. v + 1)\n";
    let gather = "def f (x: n.idx[n]): n.f32 = x |> map (\\i. cast (indexAsNat i))\n";
    // Shown where the program asks for it.
    let rows = "def f (x: n.f32): n.f32 = x |> split 2 |> join\n";
    let order = "def f (x: n.f32): n.f32 = x |> reorder n (/\\i. 2*i) (/\\i. i div 2)\n";
    for (program, input, code, said) in [
        (vector, "y=three.txt", "E0910", "no parameter `y`"),
        (vector, "n=4", "E0910", "`--size n=4`"),
        (vector, "x=missing.npy", "E0912", "cannot be read"),
        (vector, "x=three.dat", "E0912", "its ending tells no format"),
        (vector, "x=folder.npy", "E0912", "a folder"),
        (vector, "x=empty.npy", "E0912", "no array of NumPy"),
        (vector, "x=words.txt", "E0912", "`two` in line 1"),
        (matrix, "x=scalar.npy", "E0914", "it holds a single number"),
        (vector, "x=scalar.npy", "E0914", "it holds a single number"),
        (matrix, "x=one.npy", "E0914", "it has one dimension"),
        (vector, "x=v9.npy", "E0912", "version 9.0"),
        (vector, "x=seven.raw", "E0912", "7 bytes"),
        (matrix, "x=text.png", "E0912", "no PNG picture"),
        (colours, "x=cut.png", "E0912", "PNG"),
        (matrix, "x=cut.png", "E0914", "three colours"),
        (matrix, "x=ragged.txt", "E0914", "line 2 has 1 numbers"),
        (matrix, &house, "E0914", "three colours"),
        (vector, &house, "E0914", "three colours"),
        (bytes, "x=deep.pgm", "E0913", "from 0 to 65535"),
        (window, "x=three.txt", "E0914", "asks for n + 3"),
        (halves, "x=three.txt", "E0914", "asks for 2*n"),
        (gather, "x=big.txt", "E0914", "Cell 1 of `x` is 5"),
        (rows, "x=three.txt", "E0150", "x |> split 2 |> join"),
        (order, "x=three.txt", "E0153", "x |> reorder n"),
    ] {
        let ran = run(dir, program, &["--input", input]);
        assert_eq!(ran.code, 2, "{input}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(&format!("[{code}]")) && ran.err.contains(said), "{input}: {}", ran.err);
        assert!(!ran.err.contains('\x1b'), "{input}");
    }
}

#[test]
fn outputs_are_refused_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("x.txt"), "1 2 3").unwrap();
    std::fs::write(dir.join("there.txt"), "mine").unwrap();
    let program = "def f (x: n.f32): n.f32 = x |> map (\\v. v + 1)\n";
    for (output, code) in [
        ("there.txt", "E0918"),
        ("there.txt/y.txt", "E0918"),
        ("y.dat", "E0912"),
        ("y.png", "E0914"),
        (".", "E0912"),
    ] {
        let ran = run(dir, program, &["-i", "x=x.txt", "-o", output]);
        assert!(ran.err.contains(&format!("[{code}]")), "{output}: {}", ran.err);
        assert!(ran.out.is_empty(), "{output}: {}", ran.out);
    }
    assert_eq!(std::fs::read_to_string(dir.join("there.txt")).unwrap(), "mine");
    let ran = run(dir, program, &["-i", "x=x.txt", "-o", "there.txt", "--force"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(std::fs::read_to_string(dir.join("there.txt")).unwrap(), "2 3 4\n");
}

#[test]
fn bench_measures_on_what_is_given_and_draws_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("x.txt"), "1 2 3 4 5").unwrap();
    let program = "def f (x y: n.f32): n.f32 = zip x y |> map (\\p. fst p + snd p)\n";
    std::fs::write(dir.join("program.rise"), program).unwrap();
    let ran = cli_common::run(dir, &["bench", "program.rise", "--input", "x=x.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("sizes     n=5\n") && ran.out.contains("time "), "{}", ran.out);
    let ran = cli_common::run(dir, &["bench", "program.rise", "--input", "x=x.txt", "--session", "s.ron"]);
    assert!(ran.code == 2 && ran.err.contains("[E0901]"), "{}", ran.err);
}

#[test]
fn a_division_without_a_result_is_the_programs() {
    let dir = tempfile::tempdir().unwrap();
    let program = "def f (a b: n.i32): n.i32 = zip a b |> map (\\p. fst p / snd p)\n";
    std::fs::write(dir.path().join("program.rise"), program).unwrap();
    std::fs::write(dir.path().join("a.txt"), "4 -2147483648").unwrap();
    for (divisors, said) in [("2 0", "divides an integer by zero"), ("2 -1", "by -1")] {
        std::fs::write(dir.path().join("b.txt"), divisors).unwrap();
        for check in [&["--no-check"][..], &[]] {
            let given = ["run", "program.rise", "--input", "a=a.txt", "--input", "b=b.txt"];
            let ran = cli_common::run(dir.path(), &[&given[..], check].concat());
            assert!(ran.code == 2 && ran.err.contains("[E0193]") && ran.err.contains(said), "{}", ran.err);
            assert!(ran.err.contains("^^^^^^^^^^^^^ here"), "{}", ran.err);
        }
    }
}

/// A program, its inputs by name and text, more arguments, and what is said.
type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str], &'a str);

/// What the tool draws may have no result, and proves nothing then; what a user gives is looked at before the kernel's numbers are
/// believed, and what the program leaves undefined is shown as such.
#[test]
fn inputs_without_a_result_prove_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let look_up = "def f (p: k.i32) (a: n.i32): k.i32 = p |> map (\\j. idx (natAsIndex n (cast j)) a)\n";
    let put = "def f (p: k.idx[n]) (a: k.i32): n.i32 = scatter p a\n";
    let parts = "def f (p: n.f32) (a: f32): n.i32 = p |> map (\\x. 12 / (cast (x / a) : i32))\n";
    let padded = "def f (p: n.i32): (n + 2).i32 = p |> padEmpty 2 |> map (\\x. 100 / x)\n";
    let least = "def f (p: n.f32): f32 = p |> reduce min 1\n";
    let large =
        "def f (p: n.natType): n.f32 = p |> map (\\v. cast (v * 1152921504606846976 + 68719476737))\n";
    let zeros = [&["nan"; 5][..], &["-0.0", "0.0"].repeat(600)].concat().join(" ");
    let rows: [Row; 9] = [
        (large, &[("p", "1 1")], &[], "[1.1529216e18, 1.1529216e18]"),
        (large, &[("p", "1 8")], &[], "[E0187]: `mul` gives a number that `natType` does not hold."),
        (look_up, &[("p", "0 1 2 2 1"), ("a", "1 2 3")], &[], "[1, 2, 3, 3, 2]"),
        (parts, &[("p", "1 2 3"), ("a", "0.5")], &[], "[6, 3, 2]"),
        (put, &[("p", "4 0 5 2 1"), ("a", "1 2 3 4 5")], &["--size", "n=6"], "[2, 5, 4, _, 1, 3]"),
        (
            put,
            &[("p", "1 1 0"), ("a", "1 2 3")],
            &["--size", "n=3"],
            "[E0199]: `scatter` writes element 1 twice.",
        ),
        (
            look_up,
            &[("p", "0 3"), ("a", "1 2 3")],
            &[],
            "[E0192]: `natAsIndex` accesses element 3 of 3 elements.",
        ),
        (padded, &[("p", "1 2 3")], &[], "divides by a cell that `padEmpty` or `scatter` leaves undefined"),
        (
            least,
            &[("p", &zeros)],
            &["-s", "auto"],
            "the cell agrees with plain C, but for the sign of one zero\n",
        ),
    ];
    for (program, inputs, more, said) in rows {
        let given = inputs.iter().map(|(name, text)| {
            std::fs::write(dir.join(format!("{name}.txt")), text).unwrap();
            format!("{name}={name}.txt")
        });
        let given: Vec<String> = given.flat_map(|given| ["-i".to_owned(), given]).collect();
        let ran =
            run(dir, program, &given.iter().map(|s| &**s).chain(more.iter().copied()).collect::<Vec<_>>());
        assert!(format!("{}{}", ran.out, ran.err).contains(said), "{program}{}{}", ran.out, ran.err);
        assert_eq!(ran.code == 0, !ran.err.contains("error["), "{}", ran.err);
    }
    for (program, sizes, said) in [
        (look_up, ["k=100", "n=200"], "so others were drawn: whole numbers from 0 to 2."),
        (put, ["k=4", "n=3"], "Give inputs on which it has one"),
    ] {
        std::fs::write(dir.join("program.rise"), program).unwrap();
        let ran = cli_common::run(dir, &["bench", "program.rise", "--size", sizes[0], "--size", sizes[1]]);
        assert!(format!("{}{}", ran.out, ran.err).contains(said), "{program}{}{}", ran.out, ran.err);
    }
}

/// Numbers that are made of sizes alone are looked at before anything is compiled, and the others where code is made of them.
#[test]
fn numbers_that_sizes_make_too_large_are_refused_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let power = "def f (k: nat) (a: n.f32): n.f64 = map (\\v. cast (k * n * n * n)) a\n";
    let place = "def f (a: n.i64): n.i64 = generate (\\i. cast (indexAsNat i * n * n * n * n / (n * n * n)) + idx i a)\n";
    for (program, sizes, said, at) in [
        (
            power,
            &["k=100000", "n=100000"][..],
            "[E0150]: The sizes do not fit: it must hold that",
            "for this",
        ),
        (place, &["n=100000"], "[E0516]: An index or a number of `natType` becomes too large", "^"),
    ] {
        std::fs::write(dir.path().join("program.rise"), program).unwrap();
        let sizes = sizes.iter().flat_map(|size| ["--size", size]);
        let ran = cli_common::run(
            dir.path(),
            &["bench", "program.rise"].into_iter().chain(sizes).collect::<Vec<_>>(),
        );
        assert!(ran.code == 2 && ran.err.contains(said) && ran.err.contains(at), "{}", ran.err);
    }
}

/// What is drawn for truth values is never true everywhere, or nowhere, so that is looked at besides.
#[test]
fn kernels_are_checked_where_all_truth_values_are_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    std::fs::write(path("program.rise"), "def f (a: n.bool): bool = reduce (and) true a\n").unwrap();
    std::fs::create_dir(path("rules")).unwrap();
    let wrong = "rule wrong = reduce (and) true (xs : n.bool) ~> reduce (and) true xs and n < 100\n";
    std::fs::write(path("rules/own.rules"), wrong).unwrap();
    let bench = ["bench", "program.rise", "--size", "n=128"];
    let ran =
        cli_common::run(dir.path(), &[&bench[..], &["--rules", "rules", "-s", "topDown(wrong)"]].concat());
    assert!(
        ran.err.contains("[E0820]") && ran.err.contains("truth values are all true"),
        "{}{}",
        ran.out,
        ran.err
    );
    let ran = cli_common::run(dir.path(), &bench);
    assert!(ran.code == 0, "{}", ran.err);
}

/// What a `scatter` leaves unwritten may be anything, whatever the type, and so may what is computed of it; the rest is compared.
#[test]
fn cells_that_nothing_writes_are_not_compared() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("at.txt"), "0 2 5").unwrap();
    std::fs::write(dir.join("a.txt"), "7 8 9").unwrap();
    std::fs::write(dir.join("program.rules"), "rule tooMuch = (x : i16) + 1 ~> x + 2\n").unwrap();
    for (ty, strategy) in
        [("u8", "id"), ("i8", "id"), ("i16", "id"), ("u16", "auto"), ("i32", "id"), ("f32", "id")]
    {
        let program = format!(
            "def spread (at: n.idx[2*n]) (a: n.{ty}): (2*n).{ty} = scatter at a |> map (\\x. x + 1)\n"
        );
        let given = ["--input", "at=at.txt", "--input", "a=a.txt", "-s", strategy];
        let ran = run(dir, &program, &given);
        assert_eq!(ran.code, 0, "{ty}: {}", ran.err);
        assert!(ran.out.contains("3 cells agree with plain C exactly"), "{ty}: {}", ran.out);
        if ty == "i16" {
            let ran =
                run(dir, &program, &["--input", "at=at.txt", "--input", "a=a.txt", "-s", "topDown(tooMuch)"]);
            assert!(ran.code != 0 && ran.err.contains("3 of 3 cells are wrong"), "{}{}", ran.out, ran.err);
        }
    }
}

/// The reference rounds as much as the kernel, or more.
#[test]
fn long_sums_in_double_precision_agree() {
    let dir = tempfile::tempdir().unwrap();
    let program = "def f (a: n.f64): f64 = a |> map (\\x. x * x) |> reduce (+) 0\n";
    std::fs::write(dir.path().join("program.rise"), program).unwrap();
    for n in ["n=100003", "n=3000017"] {
        let ran = cli_common::run(dir.path(), &["bench", "program.rise", "--strategy", "auto", "--size", n]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}

/// One file is one output however it is named, and a link is written through.
/// Where a picture in bytes is weighted by thousandths, every thousandth pixel is as near to the next byte as can be: rounding
/// decides it, which is told and is no mistake. A wrong weight still is.
#[test]
fn bytes_that_rounding_decides_are_no_mistake() {
    let world = tempfile::tempdir().unwrap();
    let dir = world.path();
    let pixels = (0..300u32).flat_map(|i| (0..400u32).map(move |k| (i * 7 + k * 3, i + k * 11, i * k)));
    let bytes: Vec<u8> = pixels.clone().flat_map(|(r, g, b)| [r as u8, g as u8, b as u8]).collect();
    std::fs::write(dir.join("p.ppm"), [b"P6 400 300 255\n", &bytes[..]].concat()).unwrap();
    for (float, last) in [("f32", "0.114"), ("f64", "0.114"), ("f32", "0.1141")] {
        let part = |k: u32, weight: &str| format!("{weight} * (cast (idx (natAsIndex 3 {k}) px) : {float})");
        let sum = format!("{} + {} + {} + 0.5", part(0, "0.299"), part(1, "0.587"), part(2, last));
        let program =
            format!("def grey (rgb: n.m.3.u8): n.m.u8 = rgb |> map (map (\\px. (cast ({sum}) : u8)))\n");
        let ran = run(dir, &program, &["-i", "rgb=p.ppm", "-o", "o.pgm", "--force"]);
        assert!(ran.code == 0 && dir.join("o.pgm").exists(), "{}{}", ran.out, ran.err);
        let told = ran.out.lines().find(|line| line.starts_with("warning   Rounding decides "));
        let decided: usize = told.map_or(0, |line| line.split_whitespace().nth(3).unwrap().parse().unwrap());
        assert!(
            ran.out.contains(&format!("{} cells agree with plain C exactly", 120_000 - decided)),
            "{}",
            ran.out
        );
    }
    // Of a grey picture far more pixels are as near as that, and of counts of pixels each has some of them.
    let grey: Vec<u8> = pixels.map(|(r, ..)| r as u8).collect();
    std::fs::write(dir.join("g.pgm"), [b"P5 400 300 255\n", &grey[..]].concat()).unwrap();
    let thrice: Vec<u8> = grey.iter().flat_map(|v| [*v; 3]).collect();
    std::fs::write(dir.join("g.ppm"), [b"P6 400 300 255\n", &thrice[..]].concat()).unwrap();
    let part = |k: u32, weight: &str| format!("{weight} * (cast (idx (natAsIndex 3 {k}) px) : f32)");
    let light = format!("{} + {} + {}", part(0, "0.299"), part(1, "0.587"), part(2, "0.114"));
    let cut = format!("def f (a: n.m.3.u8): n.m.u8 = a |> map (map (\\px. (cast ({light}) : u8)))\n");
    let counted = "def f (a: (n + 2).(m + 2).u8): n.i32 = a |> map (slide 3 1) |> slide 3 1 |> map (transpose >> map (\\w.
        w |> join |> map (\\x. (cast x : f32) * (1 / 9)) |> reduce (+) 0 |> (\\x. select (x >= 128) (1 : i32) 0)) >> reduce (+) 0)\n";
    std::fs::write(dir.join("program.rules"), "rule heavy [reassociates] = 0.114 * (x : f32) ~> 0.115 * x\n")
        .unwrap();
    for (program, file, strategy, code) in [
        (&*cut, "a=g.ppm", "id", 0),
        (&*cut, "a=g.ppm", "auto", 0),
        (counted, "a=g.pgm", "id", 0),
        (&*cut, "a=g.ppm", "topDown(heavy)", 1),
    ] {
        let ran = run(dir, program, &["-i", file, "-o", "o.npy", "--force", "-s", strategy]);
        assert!(ran.code == code && ran.err.contains("E0820") == (code == 1), "{}{}", ran.out, ran.err);
    }
    // A kernel that is wrong in some hundredths of the pixels is found out.
    std::fs::write(
        dir.join("program.rules"),
        "rule heavier [reassociates] = (x : f32) * 0.114 ~> x * 0.1141\n",
    )
    .unwrap();
    let program = "def grey (rgb: n.m.3.u8): n.m.u8 = rgb |> map (map (\\px. (cast ((cast (idx (natAsIndex 3 2) px) : f32) * 0.114 + 0.5) : u8)))\n";
    let ran = run(dir, program, &["-i", "rgb=p.ppm", "-s", "topDown(heavier)"]);
    assert!(ran.code != 0 && ran.err.contains("E0820"), "{}{}", ran.out, ran.err);
}

/// Sums that a kernel adds up in another order are told by double precision, also where floats decide what stands beside them.
#[test]
fn sums_beside_what_floats_decide_are_no_mistake() {
    let world = tempfile::tempdir().unwrap();
    let dir = world.path();
    std::fs::write(dir.join("x.txt"), "0.999\n".repeat(1537)).unwrap();
    std::fs::write(
        dir.join("program.rules"),
        "rule more [reassociates] = scanSeq (+) 0 (x : n.f32) ~> scanSeq (+) 0 (map (\\v. v * 1.0001) x)\n",
    )
    .unwrap();
    let running = "scanSeq max 0 x |> scanSeq (+) 0";
    let [signs, last, largest] = [
        format!("(n.f32 * n.bool) = ({running}, map (\\v. v < 0) x)"),
        format!("(n.f32 * i32) = let t = {running} in (t, t |> map (\\v. (cast v : i32)) |> reduce max 0)"),
        format!(
            "(n.f32 * (f32 * i32)) = let t = {running} in
                (t, zip t (generate (\\i. (cast (indexAsNat i) : i32))) |> reduce (\\a b. select (fst b > fst a) b a) (0, (-1)))"
        ),
    ];
    let threads = "inLambda(onThreads(id, 4, 3, 2))";
    for (result, strategy, code) in [
        (&signs, threads, 0),
        (&last, threads, 0),
        (&largest, threads, 0),
        (&signs, "topDown(more)", 1),
        (&largest, "topDown(more)", 1),
    ] {
        let program = format!("def f (x: n.f32): {result}\n");
        let ran = run(dir, &program, &["-i", "x=x.txt", "-s", strategy]);
        assert!(
            ran.code == code && ran.err.contains("E0820") == (code == 1),
            "{result} {}{}",
            ran.out,
            ran.err
        );
    }
}

#[test]
fn outputs_are_compared_by_where_they_lie() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("x.txt"), "1 2 3").unwrap();
    std::fs::create_dir(dir.join("o")).unwrap();
    std::fs::write(dir.join("o/there.npy"), "mine").unwrap();
    std::os::unix::fs::symlink("o", dir.join("same")).unwrap();
    std::os::unix::fs::symlink("o/there.npy", dir.join("link.npy")).unwrap();
    let pair = "def f (x: n.f32): (n.f32 * n.f32) = (map (\\v. v + 1) x, map (\\v. v * 2) x)\n";
    for (a, b) in [
        ("o/s.npy", "o/../o/s.npy"),
        ("o/s.npy", "same/s.npy"),
        ("link.npy", "o/there.npy"),
        ("s.npy", "./s.npy"),
    ] {
        let (first, second) = (format!("fst={a}"), format!("snd={b}"));
        let ran = run(dir, pair, &["-i", "x=x.txt", "-o", &first, "-o", &second, "--force"]);
        assert!(ran.code == 2 && ran.err.contains("[E0911]"), "{a} {b}: {}{}", ran.out, ran.err);
    }
    assert_eq!(std::fs::read_to_string(dir.join("o/there.npy")).unwrap(), "mine");
    // What a link leads to is written, and the link stays; one that leads nowhere is refused.
    let add = "def f (x: n.f32): n.f32 = x |> map (\\v. v + 1)\n";
    std::os::unix::fs::symlink("o/there.txt", dir.join("link.txt")).unwrap();
    let ran = run(dir, add, &["-i", "x=x.txt", "-o", "link.txt", "--force"]);
    assert!(ran.code == 2 && ran.err.contains("a link to a file that is not there"), "{}", ran.err);
    std::fs::write(dir.join("o/there.txt"), "old").unwrap();
    let ran = run(dir, add, &["-i", "x=x.txt", "-o", "link.txt"]);
    assert!(ran.err.contains("there already"), "{}", ran.err);
    let ran = run(dir, add, &["-i", "x=x.txt", "-o", "link.txt", "--force"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(std::fs::read_to_string(dir.join("o/there.txt")).unwrap(), "2 3 4\n");
    assert!(dir.join("link.txt").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn pictures_say_how_much_of_a_result_they_do_not_show() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("x.txt"), "0 0.5 1\n-3 4 nan\n").unwrap();
    let copy = "def f (x: n.m.f32): n.m.f32 = x |> map (map (\\v. v * 1))\n";
    let ran = run(dir, copy, &["-i", "x=x.txt", "-o", "x.png"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("warning   `x.png` shows numbers from 0 to 1: 3 of 6 are less"), "{}", ran.out);
    let json = run(dir, copy, &["-i", "x=x.txt", "-o", "x.pgm", "--json"]);
    assert!(json.out.contains("`x.pgm` shows numbers from 0 to 1"), "{}", json.out);
    std::fs::write(dir.join("x.txt"), "0 0.5 1\n").unwrap();
    let ran = run(dir, copy, &["-i", "x=x.txt", "-o", "y.png"]);
    assert!(ran.code == 0 && !ran.out.contains("warning"), "{}", ran.out);
}
