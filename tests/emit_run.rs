//! Generated C, compiled by the system's compiler and run, against the interpreter: at several sizes, with sizes as
//! parameters and as constants.

#![allow(clippy::unwrap_used, clippy::panic, reason = "this is a test")]

mod emit_common;

use emit_common::{CORPUS, Case, cases_of};
use shine_tui::emit::ParamKind;
use shine_tui::lang::ty::Scalar;
use shine_tui::lang::value::Value;
use shine_tui::lower::passes::Target;
use std::fmt::Write;
use std::process::Command;

/// Functions that kernels bring along: here each kernel gets its own.
/// The functions that a kernel brings along.
fn helpers(kernel: &str) -> Vec<&str> {
    let names = kernel.lines().filter(|l| l.starts_with("static ")).filter_map(|l| l.split_once('('));
    names.filter_map(|(head, _)| head.split_whitespace().last()).collect()
}

fn c_type(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8_t",
        Scalar::I16 => "int16_t",
        Scalar::I32 => "int32_t",
        Scalar::I64 => "int64_t",
        Scalar::U8 => "uint8_t",
        Scalar::U16 => "uint16_t",
        Scalar::U32 => "uint32_t",
        Scalar::U64 => "uint64_t",
        Scalar::F16 => "_Float16",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

fn c_value(v: &Value) -> String {
    match v {
        Value::F32(x) => format!("{x:?}f"),
        Value::F64(x) => format!("{x:?}"),
        Value::Bool(b) => b.to_string(),
        Value::Int(i, _) => i.to_string(),
        other => panic!("{other}"),
    }
}

/// One translation unit with all kernels and a `main` that calls them and prints their outputs as numbers.
fn unit(cases: &[Case]) -> String {
    let mut out = String::from(
        "#include <inttypes.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n",
    );
    for (i, case) in cases.iter().enumerate() {
        for helper in helpers(&case.kernel.text) {
            let _ = writeln!(out, "#define {helper} {helper}{i}");
        }
        out.push_str(&case.kernel.text);
        for helper in helpers(&case.kernel.text) {
            let _ = writeln!(out, "#undef {helper}");
        }
    }
    let mut main = String::from("int main(void) {\n");
    for (i, case) in cases.iter().enumerate() {
        let mut components = case.input_components().into_iter();
        let mut args = vec![];
        let mut prints = String::new();
        main.push_str("  {\n");
        for (k, p) in case.kernel.params.iter().enumerate() {
            let ty = c_type(p.scalar);
            let len = case.len(p);
            match &p.kind {
                ParamKind::Size(x) => args.push(case.sizes[x].to_string()),
                ParamKind::Input(..) => {
                    let buffer = components.next().unwrap();
                    assert_eq!(buffer.len(), len, "{}", case.label);
                    let values: Vec<String> = (0..len).map(|e| c_value(&buffer.get(e).unwrap())).collect();
                    if p.by_value {
                        args.push(values[0].clone());
                    } else {
                        let _ = writeln!(main, "    static {ty} p{k}[] = {{{}}};", values.join(", "));
                        args.push(format!("p{k}"));
                    }
                }
                ParamKind::Output(_) | ParamKind::Temp => {
                    let _ = writeln!(main, "    static {ty} p{k}[{}];", len.max(1));
                    args.push(format!("p{k}"));
                    if matches!(p.kind, ParamKind::Output(_)) {
                        let format = if p.scalar.is_float() {
                            "\"%a \", (double)"
                        } else {
                            "\"%\" PRIi64 \" \", (int64_t)"
                        };
                        let _ =
                            writeln!(prints, "    for (int i = 0; i < {len}; i++) printf({format}p{k}[i]);");
                    }
                }
            }
        }
        let _ = writeln!(
            main,
            "    {}({});\n{prints}    printf(\"\\n\");\n  }}",
            case.kernel.name,
            args.join(", ")
        );
        assert!(case.kernel.name == format!("case{i}"));
    }
    main.push_str("  return 0;\n}\n");
    out + &main
}

/// Compiles and runs, with more flags; the lines that the program prints.
fn run(unit: &str, flags: &[&str]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("unit.c");
    std::fs::write(&source, unit).unwrap();
    let binary = dir.path().join("unit");
    let compiled = Command::new("cc")
        .args([
            "-std=c11",
            "-O1",
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
        ])
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}\n{unit}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&binary).output().unwrap();
    assert!(ran.status.success(), "{:?} {}", ran.status, String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().lines().map(str::to_string).collect()
}

/// Reads `%a`.
fn hex_float(text: &str) -> f64 {
    let (sign, rest) = text.strip_prefix('-').map_or((1.0, text), |r| (-1.0, r));
    match rest {
        "inf" => return sign * f64::INFINITY,
        "nan" => return f64::NAN,
        _ => {}
    }
    let (mantissa, exponent) = rest.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap() as f64;
    sign * digits * 2f64.powi(exponent.parse::<i32>().unwrap() - 4 * fraction.len() as i32)
}

fn check(cases: &[Case], lines: &[String]) {
    assert_eq!(cases.len(), lines.len());
    for (case, line) in cases.iter().zip(lines) {
        let mut words = line.split_whitespace();
        case.check(|scalar| {
            let word = words.next().unwrap();
            if scalar.is_float() {
                Value::float(hex_float(word), scalar).unwrap()
            } else {
                Value::Int(word.parse().unwrap(), scalar)
            }
        });
    }
}

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

/// The files that `compile -o` writes: a kernel and a program around it.
#[test]
fn the_host_program_runs_the_kernel() {
    let texts = [
        "def dot (a: n.f32) (b: n.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0",
        "def pick (i: m.idx[n]) (a: n.(f32 * bool)): m.(f32 * bool) = gather i a",
    ];
    for text in texts {
        let program = shine_tui::lower::default_lowering(&emit_common::parse(text)).unwrap();
        let kernel = shine_tui::emit::compile(&program, Target::C, None).unwrap().kernel;
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
