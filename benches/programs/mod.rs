//! The programs that are measured.
#![allow(dead_code, reason = "each benchmark uses a part of it")]

use std::fmt::Write;
use std::path::Path;

/// Every program of `kernels/`, by name.
pub fn kernels() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let text =
        |name: &String| std::fs::read_to_string(folder.join(name).join(format!("{name}.rise"))).unwrap();
    names.iter().map(|name| (name.clone(), text(name))).collect()
}

/// A program with at least so many nodes.
type Shape = fn(usize) -> String;

pub const SHAPES: &[(&str, Shape)] = &[
    ("pipeline", pipeline),
    ("nested", nested),
    ("zips", zips),
    ("arithmetic", arithmetic),
    ("stencils", stencils),
    ("defs", defs),
];

/// Sources may nest 400 levels deep, and so long programs come in parts, one after the other: each takes an array `y`,
/// binds `y` again on each of its lines, and gives an array. `from` says what type it takes for how many lines.
fn in_parts(
    nodes: usize,
    nodes_of_line: usize,
    from: impl Fn(usize) -> String,
    line: impl Fn(usize) -> String,
) -> String {
    const LINES: usize = 200;
    let parts = nodes.div_ceil(nodes_of_line * LINES);
    let lines = nodes.div_ceil(nodes_of_line * parts);
    let mut text = String::new();
    for part in 0..parts {
        let _ = writeln!(text, "def part{part} (y: {}): {} =", from(lines), from(0));
        for i in 0..lines {
            let _ = writeln!(text, "  let y = {}", line(part * lines + i));
        }
        text += "  y\n\n";
    }
    let calls: String = (0..parts).map(|part| format!(" |> part{part}")).collect();
    text + &format!("def f (y: {}): {} = y{calls}\n", from(lines * parts), from(0))
}

fn vector(_: usize) -> String {
    "n.f32".into()
}

/// Pipelines of maps, each as long as sources may nest.
fn pipeline(nodes: usize) -> String {
    const STAGES: usize = 20;
    let stages: String = (0..STAGES).map(|s| format!(" |> map (\\v. v * {s} + 1)")).collect();
    in_parts(nodes, 9 * STAGES, vector, |_| format!("y{stages}"))
}

/// Maps in maps in maps, over arrays of six dimensions.
fn nested(nodes: usize) -> String {
    in_parts(
        nodes,
        16,
        |_| "a.b.c.d.e.g.f32".into(),
        |i| format!("y |> map (map (map (map (map (map (\\v. v + {i}))))))"),
    )
}

/// Trees of zips with their projections.
fn zips(nodes: usize) -> String {
    fn zip(depth: u32) -> String {
        if depth == 0 { "y".into() } else { format!("(zip {0} {0})", zip(depth - 1)) }
    }
    fn sum(p: &str, depth: u32) -> String {
        if depth == 0 {
            return p.to_string();
        }
        format!("{} + {}", sum(&format!("(fst {p})"), depth - 1), sum(&format!("(snd {p})"), depth - 1))
    }
    let line = format!("{} |> map (\\p. {})", zip(4), sum("p", 4));
    in_parts(nodes, 190, vector, |_| line.clone())
}

/// Functions with large formulas.
fn arithmetic(nodes: usize) -> String {
    let terms: String = (0..10).map(|k| format!(" + v * {k}")).collect();
    in_parts(nodes, 80, vector, |i| format!("y |> map (\\v. v * {i}{terms})"))
}

/// Stencils upon stencils: sizes are sums that inference has to solve for.
fn stencils(nodes: usize) -> String {
    in_parts(
        nodes,
        10,
        |lines| format!("(n + {}).f32", 2 * lines),
        |_| "y |> slide 3 1 |> map (\\w. w |> reduce (+) 0)".into(),
    )
}

/// Definitions of any type, each used at two types, by the one after it.
fn defs(nodes: usize) -> String {
    let count = nodes.div_ceil(24).min(180);
    let mut text = String::from("def f0 (a: n.s) (b: n.t): n.(s * t) = zip a b\n");
    let width = nodes.div_ceil(18 * count);
    for i in 1..=count {
        let _ = write!(text, "def f{i} (a: n.f32) (b: n.f32) =\n  zip a b");
        for _ in 0..width {
            let _ = write!(text, " |> map (\\p. (fst p * {i}, snd p))");
        }
        let _ = writeln!(text, " |> map (\\p. fst p + snd p)");
    }
    text += "def main (a b: n.f32): n.f32 =\n  let y = f0 a b |> map (\\p. fst p + snd p)\n";
    for i in 1..=count {
        let _ = writeln!(text, "  let y = f{i} y b");
    }
    text + "  y\n"
}
