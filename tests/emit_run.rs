//! Generated C, compiled by the system's compiler and run, against the interpreter: at several sizes, with sizes as
//! parameters and as constants.

use crate::emit_common;
use crate::emit_common::batch::{check, run, unit};
use crate::emit_common::{CORPUS, Case, cases_of};
use shine_tui::emit::ParamKind;
use shine_tui::lower::Target;
use std::process::Command;

#[test]
fn generated_c_agrees_with_the_interpreter() {
    let mut number = 0;
    let cases: Vec<Case> =
        CORPUS.iter().flat_map(|(text, sizes)| cases_of(text, sizes, Target::C, &mut number)).collect();
    let unit = unit(&cases);
    // With and without OpenMP, and with every access checked.
    check(&cases, &run(&unit, &["-fopenmp"]));
    check(
        &cases,
        &run(&unit, &["-Wno-unknown-pragmas", "-fsanitize=address,undefined", "-fno-sanitize-recover"]),
    );
}

/// C computes functions of floats and conversions of halves in `float`: what follows has halves again.
#[test]
fn halves_are_rounded_after_every_operation() {
    let texts = [
        "def f (a: n.f16): n.f16 = a |> map (\\v. sqrt (abs v) - v + 0.0f16)",
        "def f (a: n.f16): n.f16 = a |> map (\\v. sqrt (abs v) * v + exp (v * 0.125f16))",
        "def f (a: n.f16) (b: n.f16): n.f16 = zip a b |> map (\\p. abs (fst p) * snd p + floor (snd p) * 1.3f16)",
    ];
    let sizes: &[&[(&str, i64)]] = &[&[("n", 61)]];
    let mut number = 0;
    let cases: Vec<Case> =
        texts.iter().flat_map(|text| cases_of(text, sizes, Target::C, &mut number)).collect();
    check(&cases, &run(&unit(&cases), &[]));
}

/// The files that `compile -o` writes: a kernel and a program around it.
#[test]
fn the_host_program_runs_the_kernel() {
    let texts = [
        "def dot (a: n.f32) (b: n.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0",
        "def pick (i: m.idx[n]) (a: n.(f32 * bool)): m.(f32 * bool) = gather i a",
    ];
    for text in texts {
        let program = shine_tui::lower::default_lowering(&emit_common::parse(text)).unwrap();
        let kernel = shine_tui::emit::compile(&program, Target::C, None).unwrap().into_kernel();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("kernel.c"), &kernel.text).unwrap();
        std::fs::write(dir.path().join("host.c"), shine_tui::emit::host::host(&kernel)).unwrap();
        let cc = |args: &[&str]| Command::new("cc").args(args).current_dir(dir.path()).output().unwrap();
        let built = cc(&[
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
            "kernel.c",
            "host.c",
            "-lm",
            "-o",
            "host",
        ]);
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let host = |args: &[&str]| Command::new(dir.path().join("host")).args(args).output().unwrap();
        let sizes: Vec<&str> = program.sizes.iter().map(|_| "1000").collect();
        let ran = host(&sizes);
        assert!(ran.status.success());
        let printed = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(
            printed.lines().count(),
            kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Output(_))).count()
        );
        assert!(printed.starts_with("output"), "{printed}");
        assert_eq!(host(&[]).status.code(), Some(2));
    }
}
