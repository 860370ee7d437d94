//! Many kernels in one translation unit of C, compiled by the system's compiler and run.

use super::Case;
use shine_tui::emit::ParamKind;
use shine_tui::lang::ty::Scalar;
use shine_tui::lang::value::Value;
use std::fmt::Write;
use std::process::Command;

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
        Value::F16(x) | Value::F32(x) if !x.is_finite() => special(f64::from(*x)),
        Value::F64(x) if !x.is_finite() => special(*x),
        Value::F16(x) | Value::F32(x) => format!("{x:?}f"),
        Value::F64(x) => format!("{x:?}"),
        Value::Bool(b) => b.to_string(),
        Value::Int(i, _) => i.to_string(),
        other => panic!("{other}"),
    }
}

fn special(x: f64) -> String {
    let sign = if x.is_sign_negative() { "-" } else { "" };
    format!("{sign}{}", if x.is_nan() { "NAN" } else { "INFINITY" })
}

/// One translation unit with all kernels and a `main` that calls them and prints their outputs as numbers.
pub fn unit(cases: &[Case]) -> String {
    let mut out = String::from(
        "#include <inttypes.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n",
    );
    for (i, case) in cases.iter().enumerate() {
        for helper in helpers(&case.kernel.text) {
            let _ = writeln!(out, "#define {helper} {helper}{i}");
        }
        out.push_str(&super::on_threads(&case.kernel.text));
        for helper in helpers(&case.kernel.text) {
            let _ = writeln!(out, "#undef {helper}");
        }
    }
    out.push_str("#include <string.h>\n");
    let mut main = String::from("int main(void) {\n");
    for case in cases {
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
                    // What is not written must not look as if it were.
                    if p.scalar != Scalar::Bool {
                        let _ = writeln!(main, "    memset(p{k}, 0x5A, sizeof p{k});");
                    }
                    if matches!(p.kind, ParamKind::Output(_)) {
                        let format = match p.scalar {
                            s if s.is_float() => "\"%a \", (double)",
                            Scalar::U64 => "\"%\" PRIu64 \" \", ",
                            _ => "\"%\" PRIi64 \" \", (int64_t)",
                        };
                        let _ =
                            writeln!(prints, "    for (int i = 0; i < {len}; i++) printf({format}p{k}[i]);");
                    }
                }
                ParamKind::Local => panic!("C has no work-groups"),
            }
        }
        let _ = writeln!(
            main,
            "    {}({});\n{prints}    printf(\"\\n\");\n  }}",
            case.kernel.name,
            args.join(", ")
        );
    }
    main.push_str("  return 0;\n}\n");
    out + &main
}

/// Compiles and runs, with more flags; the lines that the program prints.
pub fn run(unit: &str, flags: &[&str]) -> Vec<String> {
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
        // Each operation on halves rounds, as in the interpreter: compilers may keep what is in between as floats.
        .args(unit.contains("_Float16").then_some("-fexcess-precision=16"))
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

pub fn check(cases: &[Case], lines: &[String]) {
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
