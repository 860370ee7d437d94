//! Whole programs, and what is said about those that are wrong.

mod generated;
mod lanes;
mod newcomers;
mod problems;
mod programs;

use super::{Program, program};
use crate::diag::{Sources, render_all};
use crate::syntax::parse_program;

pub const DOT: &str =
    "def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0\n";
pub const MATMUL: &str = "def matmul (a: m.k.f32) (b: k.n.f32): m.n.f32 =
  a |> map (\\row. transpose b |> map (\\col. dot row col))\n";

/// The program of a text that must have no problems.
#[track_caller]
pub fn good(text: &str) -> Program {
    let mut sources = Sources::new();
    let id = sources.add("p.rise", text);
    let (file, mut problems) = parse_program(id, text);
    let (program, more) = program(&file, None);
    problems.extend(more);
    assert!(problems.is_empty(), "{}", render_all(&problems, &sources, Default::default()));
    let program = program.expect("a program without problems");
    program.term.check().expect("a well-typed term");
    assert_eq!(&program.ty, program.term.ty());
    program
}

/// Type and conditions of a good program, then its term without names.
pub fn shown(text: &str) -> String {
    let program = good(text);
    let conditions: Vec<String> = program.constraints.iter().map(ToString::to_string).collect();
    let conditions =
        if conditions.is_empty() { String::new() } else { format!(" where {}", conditions.join(", ")) };
    format!("{}{conditions}\n{:?}", program.ty, program.term)
}

/// The problems of a text that has some, as they are shown.
#[track_caller]
pub fn bad(text: &str) -> String {
    let mut sources = Sources::new();
    let id = sources.add("p.rise", text);
    let (file, mut problems) = parse_program(id, text);
    let (program, more) = program(&file, None);
    assert!(program.is_none() || more.is_empty(), "there is a program");
    problems.extend(more);
    assert!(!problems.is_empty(), "there is no problem");
    render_all(&problems, &sources, crate::diag::Charset::Ascii)
}
