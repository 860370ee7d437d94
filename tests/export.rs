//! What `compile -o` writes, used as its readers would: the header from C, the module from Python.
#![allow(clippy::print_stderr, reason = "a test tells what it does")]

use crate::cli_common;
use crate::device_common;
use std::path::Path;
use std::process::{Command, Output};

/// Writes the kernel of a program into the folder.
fn export(folder: &Path, program: &str, more: &[&str]) {
    std::fs::write(folder.join("program.rise"), program).unwrap();
    let ran = cli_common::run(folder, &[&["compile", "program.rise", "-o", "."], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// A Python with NumPy, or None where there is none and it is not required.
fn python() -> Option<&'static str> {
    let has = |python: &&str| {
        Command::new(python).args(["-c", "import numpy"]).output().is_ok_and(|o| o.status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has);
    assert!(found.is_some() || std::env::var_os("SHINE_REQUIRE_NUMPY").is_none(), "there is no NumPy");
    if found.is_none() {
        eprintln!("not tried: there is no Python with NumPy");
    }
    found
}

const BLUR: &str = "def blur (weight: f32) (image: (n + 2).m.f32): n.m.f32 =
  image |> slide 3 1 |> map transpose |> map (map (\\column. weight * reduce (+) 0 column))\n";

#[test]
fn the_header_declares_the_kernel_for_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    export(folder, BLUR, &[]);
    let main = "#include \"blur.h\"
#include <stdio.h>
int main(void) {
  const float image[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  float output[6];
  blur(output, 2, 3, 0.5f, image);
  for (int i = 0; i < 6; i++) printf(\"%g \", output[i]);
  return 0;
}
";
    std::fs::write(folder.join("main.c"), main).unwrap();
    let header = std::fs::read_to_string(folder.join("blur.h")).unwrap();
    for line in
        ["image   read: 2 + n by m cells of f32", "output  written: n by m cells of f32", "n       a size"]
    {
        assert!(header.contains(line), "{header}");
    }
    for flags in [&["-std=c99"][..], &["-std=c11", "-Wall", "-Werror", "-pedantic"]] {
        let mut cc = Command::new("cc");
        cc.args(flags).args(["main.c", "blur.c", "-lm", "-o", "main"]).current_dir(folder);
        said(&cc.output().unwrap());
        assert_eq!(said(&Command::new(folder.join("main")).output().unwrap()), "6 7.5 9 10.5 12 13.5 ");
    }
}

/// What allocates memory is C11: an older compiler would take the pointer for a number. Its header is for C++ as well.
#[test]
fn code_of_a_later_c_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "def twice (a: n.f32): n.f32 =
      let s = a |> map (\\x. x * x) in zip s (reverse s) |> map (\\p. fst p + snd p)\n";
    export(folder, text, &[]);
    let code = std::fs::read_to_string(folder.join("twice.c")).unwrap();
    assert!(code.contains("aligned_alloc"), "{code}");
    let compiled = |compiler: &str, args: &[&str]| {
        Command::new(compiler).args(args).current_dir(folder).output().unwrap()
    };
    for file in ["twice.c", "twice_host.c"] {
        let old = compiled("cc", &["-std=c99", "-c", file]);
        let told = String::from_utf8_lossy(&old.stderr).into_owned();
        assert!(!old.status.success() && told.contains("compile this file with -std=c11"), "{file}: {told}");
        for std in ["-std=c11", "-std=gnu11", "-std=c17"] {
            said(&compiled("cc", &[std, "-Wall", "-Werror", "-c", file]));
        }
    }
    std::fs::write(
        folder.join("user.cpp"),
        "#include \"twice.h\"\nint main() { return twice == nullptr; }\n",
    )
    .unwrap();
    if Command::new("c++").arg("--version").output().is_ok() {
        said(&compiled("c++", &["-std=c++11", "-c", "user.cpp"]));
    }
}

#[test]
fn the_example_of_the_readme_runs() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let matmul =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/matmul/matmul.rise"));
    export(folder, &matmul.unwrap(), &[]);
    let (_, example) = include_str!("../README.md").split_once("```python\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    assert_eq!(example.lines().count(), 4);
    std::fs::write(folder.join("example.py"), example).unwrap();
    let output = Command::new(python).arg("example.py").current_dir(folder).output().unwrap();
    assert_eq!(said(&output), "[129024. 129088. 129152.]\n");
}

/// What a user gives, and what a stranger gets wrong.
#[test]
fn the_module_takes_and_gives_arrays_of_numpy() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    export(folder, BLUR, &[]);
    let run = |script: &str| {
        std::fs::write(folder.join("script.py"), script).unwrap();
        said(&Command::new(python).arg("script.py").current_dir(folder).output().unwrap())
    };
    let readme = "import numpy as np, blur
image = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
print(blur.blur(0.5, image).tolist())
";
    assert_eq!(run(readme), "[[6.0, 7.5, 9.0], [10.5, 12.0, 13.5]]\n");
    // Neither the order of memory nor a view changes the result.
    let views = "import numpy as np, blur
image = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
wide = np.zeros((8, 6), np.float32)
wide[::2, ::2] = image
for view in [np.asfortranarray(image), wide[::2, ::2], image.tolist()]:
    assert (blur.blur(0.5, view) == blur.blur(0.5, image)).all()
for wrong in [image.astype(np.float64), image[0], image[:2], image.astype('>f4'), image[:, :0],
              np.ma.masked_array(image, image > 5)]:
    try:
        print('taken', blur.blur(0.5, wrong))
    except (TypeError, ValueError) as problem:
        print(problem)
";
    let text = run(views);
    for part in [
        "use image.astype(np.float32)",
        "has 1 dimensions and needs 2",
        "n cannot be 0",
        "m cannot be 0",
        "has masked cells",
    ] {
        assert!(text.contains(part) && !text.contains("taken"), "{text}");
    }
}

#[test]
fn every_type_pairs_and_sizes_that_no_shape_tells() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |script: &str| {
        std::fs::write(folder.join("script.py"), script).unwrap();
        said(&Command::new(python).arg("script.py").current_dir(folder).output().unwrap())
    };
    let pairs = "def pick (lambda: n.(f64 * i64)) (at: m.idx[n]): (m.f64 * i64) =
      (at |> map (\\i. fst (idx i lambda)), reduce (+) 0 (map snd lambda))\n";
    export(folder, pairs, &[]);
    let script = "import numpy as np, pick
floats, ints = np.array([0.5, 1.5]), np.array([2**40, 1])
print(pick.pick(floats, ints, np.array([1, 0, 1], np.int32)))
try:
    pick.pick(floats, ints, np.array([2], np.int32))
except ValueError as problem:
    print(problem)
";
    let text = run(script);
    assert!(text.contains("array([1.5, 0.5, 1.5]), 1099511627777"), "{text}");
    assert!(text.contains("at holds an index that is negative or not below 2"), "{text}");
    export(folder, "def put (at: k.idx[n]) (a: k.i32): n.i32 = scatter at a\n", &[]);
    let text = run("import numpy as np, put
try:
    put.put(np.array([2, 0, 2], np.int32), np.array([1, 2, 3], np.int32), n=3)
except ValueError as problem:
    print(problem)
");
    assert_eq!(text, "at holds an index twice in a row\n");
    for (ty, numpy) in [
        ("bool", "bool_"),
        ("i8", "int8"),
        ("u8", "uint8"),
        ("i16", "int16"),
        ("u16", "uint16"),
        ("u32", "uint32"),
        ("u64", "uint64"),
        ("f16", "float16"),
    ] {
        export(folder, &format!("def copy (x: (2 * n).{ty}): (2 * n).{ty} = x |> map (\\v. v)\n"), &[]);
        let script = format!(
            "import numpy as np, copy_ as copy\nx = np.array([0, 1, 1, 0], np.{numpy})\n\
             assert copy.copy_(x).dtype == x.dtype and (copy.copy_(x) == x).all()\n\
             try:\n    copy.copy_(x[:3])\nexcept ValueError as problem:\n    print(problem)\n"
        );
        assert!(run(&script).contains("the shape of x is (3,)"), "{ty}");
    }
    // What has no quotient ends no host: of narrow integers, by what wraps, of indices.
    let quotients = "def quot (a b: n.i8) (i j: n.idx[n]): (n.i8 * n.idx[n]) =
      (zip a b |> mapPar (\\p. fst p % snd p), zip i j |> map (\\p. natAsIndex n (indexAsNat (fst p) / indexAsNat (snd p))))\n";
    export(folder, quotients, &[]);
    let script = "import numpy as np, quot
def told(b, j):
    try:
        a, i = np.array([7, -128], np.int8), np.array([1, 0], np.int32)
        return [x.tolist() for x in quot.quot(a, np.array(b, np.int8), i, np.array(j, np.int32))]
    except ZeroDivisionError as problem:
        return str(problem)
print(told([2, 3], [1, 1]), told([0, 3], [1, 1]), told([2, -1], [1, 1]), told([2, 3], [0, 1]))
";
    let no = "an integer is divided by zero, or the least one by -1";
    assert_eq!(run(script), format!("[[1, -2], [1, 0]] {no} {no} {no}\n"));
    // Sizes and constraints are checked as Python's own numbers, which do not overflow.
    let grid = "def grid (a: f32): (n * n).f32 = generate (\\i. a)\n";
    export(folder, grid, &[]);
    let script = "import numpy as np, grid
assert len(grid.grid(1, np.int16(300))) == 90000
for wrong in [0, -1, 2**40, 1.5]:
    try:
        print('taken', len(grid.grid(1, wrong)))
    except (TypeError, ValueError) as problem:
        print(problem)
";
    assert!(!run(script).contains("taken"));
    let thirds = "def third (is: n.i32): ((n - 1) div 3).i32 = take ((n - 1) div 3) is\n";
    export(folder, thirds, &[]);
    let script = "import numpy as np, third
print(third.third(np.arange(10, dtype=np.int32)).tolist())
for wrong in [[1.5] * 10, [2**40] * 10]:
    try:
        print('taken', third.third(wrong))
    except (TypeError, ValueError) as problem:
        print(problem)
";
    let text = run(script);
    assert!(
        text.starts_with("[0, 1, 2]\n") && text.contains("beyond int32") && !text.contains("taken"),
        "{text}"
    );
    export(folder, "def ramp (a: f32): n.f32 = generate (\\i. a * cast (indexAsNat i))\n", &[]);
    assert_eq!(run("import ramp\nprint(ramp.ramp(2, 3).tolist())\n"), "[0.0, 2.0, 4.0]\n");
    // With fixed sizes no other shape is taken.
    export(folder, BLUR, &["--size", "n=2", "--size", "m=3"]);
    let script = "import numpy as np, blur
print(blur.blur(1, np.ones((4, 3), np.float32)).tolist())
try:
    blur.blur(1, np.ones((5, 3), np.float32))
except ValueError as problem:
    print(problem)
";
    assert_eq!(
        run(script),
        "[[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]]\nthe shape of image is (5, 3) and has to be (4, 3)\n"
    );
}

/// The same call as for C, on a device; names that the module has itself are arguments all the same.
#[test]
fn the_module_for_opencl_runs_on_a_device() {
    let Some((python, device)) = python().zip(device_common::opencl()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let two = "def two (device: (n + 2).f32) (half: f32): (n.f32 * f32) =
      let sums = device |> slide 3 1 |> map (reduce (+) 0) in (sums, half + reduce (+) 0 (map abs device))\n";
    export(folder, two, &["--target", "opencl", "--strategy", "auto(opencl)"]);
    let script = format!(
        "import numpy as np, two
for name in [None, {device:?}, 'no such device', None, 3]:
    try:
        print(two.two(np.arange(6, dtype=np.float32), 0.5, device=name))
    except (RuntimeError, TypeError) as problem:
        print(problem)
try:
    two.two([1.0, 2.0], 0.5)
except ValueError as problem:
    print(problem)
"
    );
    std::fs::write(folder.join("script.py"), script).unwrap();
    let headers = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/lower/include");
    let mut ran = Command::new(python);
    ran.arg("script.py").current_dir(folder).env("CPATH", headers);
    let text = said(&ran.output().unwrap());
    let lines: Vec<&str> = text.lines().collect();
    let found = "(array([ 3.,  6.,  9., 12.], dtype=float32), 15.5)";
    let plain: Vec<String> = lines.iter().map(|l| l.replace("np.float32(15.5)", "15.5")).collect();
    assert_eq!(plain.len(), 6, "{text}");
    assert_eq!([&plain[0], &plain[1], &plain[3]], [found; 3], "{text}");
    assert_eq!(lines[2], "there is no such OpenCL device");
    assert!(lines[4].contains("not int"), "{text}");
    assert_eq!(lines[5], "n cannot be 0");
}

/// Names of C++ and of Python, and files of the user's own.
#[test]
fn neither_names_nor_files_are_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    export(
        folder,
        "def pass (class: n.f32) (if if_: f32): n.f32 = class |> map (\\np. np * if + if_)\n",
        &[],
    );
    let header = std::fs::read_to_string(folder.join("pass.h")).unwrap();
    assert!(!header.contains(" class,") && !header.contains(" class)"), "{header}");
    if let Some(python) = python() {
        let script = "import numpy as np, pass_\nprint(pass_.pass_([1, 2], 3, 4).tolist())\n";
        std::fs::write(folder.join("script.py"), script).unwrap();
        let ran = Command::new(python).arg("script.py").current_dir(folder).output().unwrap();
        assert_eq!(said(&ran), "[7.0, 10.0]\n");
    }
    if let Some(python) = python() {
        for name in ["np", "issubclass", "float"] {
            export(folder, &format!("def {name} (int: n.f32): n.f32 = int\n"), &[]);
            let script = format!("import {name}_ as m\nprint(m.{name}_([1, 2]).tolist())\n");
            std::fs::write(folder.join("script.py"), script).unwrap();
            let ran = Command::new(python).arg("script.py").current_dir(folder).output().unwrap();
            assert_eq!(said(&ran), "[1.0, 2.0]\n");
        }
    }
    std::fs::write(folder.join("blur.py"), "print('mine')\n").unwrap();
    std::fs::write(folder.join("program.rise"), BLUR).unwrap();
    let compile =
        |more: &[&str]| cli_common::run(folder, &[&["compile", "program.rise", "-o", "."], more].concat());
    let refused = compile(&[]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("[E0918]"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(folder.join("blur.py")).unwrap(), "print('mine')\n");
    assert!(!folder.join("blur.c").exists(), "nothing is half-written");
    for more in [&["--force"][..], &[]] {
        let ran = compile(more);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}
