//! What code for processors asks of memory ahead is what the next row reads; and where it asks for registers of 64 bytes.

use crate::cli_common::run;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Marks which pieces of 64 bytes of the input were asked for, runs the kernel, and prints how many were, of how many, and
/// how often something outside the input was asked for.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static const char *begin, *end;
static char *asked;
static long outside;
static void note(const void *p) {
  const char *c = p;
  if (c < begin || c >= end) outside++; else asked[(c - begin) / 64] = 1;
}
#define __builtin_prefetch(p) note(p)
#include "kernel.c"
int main(void) {
  long n = IN, pieces = n / 16, found = 0;
  float *in = aligned_alloc(64, n * 4), *out = malloc(OUT * 4L);
  for (long i = 0; i < n; i++) in[i] = i % 97;
  begin = (char *)in, end = (char *)(in + n), asked = calloc(pieces, 1);
  CALL;
  for (long i = 0; i < pieces; i++) found += asked[i];
  printf("%ld %ld %ld\n", found, pieces, outside);
  free(in), free(out), free(asked);
}
"#;

/// The C code of a program of `kernels/`, with sizes.
fn code(program: &str, strategy: &str, sizes: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(program);
    let mut args = vec!["compile", file.to_str().unwrap(), "--strategy", strategy];
    args.extend(sizes.iter().flat_map(|size| ["--size", size]));
    let ran = run(dir.path(), &args);
    assert_eq!(ran.code, 0, "{program}: {}", ran.err);
    ran.out
}

/// The share of an input that was asked for, and how often something else was.
fn asked(code: &str, input: usize, output: usize, call: &str) -> (f64, i64) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("kernel.c"), code).unwrap();
    let driver = DRIVER
        .replace("IN,", &format!("{input},"))
        .replace("OUT *", &format!("{output} *"))
        .replace("CALL", call);
    fs::write(dir.path().join("driver.c"), driver).unwrap();
    let flags = ["-O1", "-fsanitize=address,undefined", "-o", "driver", "driver.c", "-lm"];
    let cc = Command::new("cc").args(flags).current_dir(dir.path()).output().unwrap();
    assert!(cc.status.success(), "{}", String::from_utf8_lossy(&cc.stderr));
    let ran = Command::new(dir.path().join("driver")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let numbers: Vec<f64> =
        String::from_utf8(ran.stdout).unwrap().split_whitespace().map(|n| n.parse().unwrap()).collect();
    (numbers[0] / numbers[1], numbers[2] as i64)
}

#[test]
fn pipelines_ask_for_the_next_row_of_each_input_while_they_compute() {
    for (program, strategy, sizes, input, output, call) in [
        (
            "harris/harris.rise",
            "cbuf(8, 32)",
            ["n=124", "m=508"],
            3 * 128 * 512,
            124 * 508,
            "harris(out, in)",
        ),
        (
            "harris/harris.rise",
            "cbufRrot(16, 64, 128)",
            ["n=128", "m=900"],
            3 * 132 * 904,
            128 * 900,
            "harris(out, in)",
        ),
        (
            "twoBlurs/twoBlurs.rise",
            "rotatedPipeline(8, 32, 64)",
            ["n=126", "m=700"],
            130 * 704,
            126 * 700,
            "twoBlurs(out, in)",
        ),
    ] {
        let code = code(program, strategy, &sizes);
        let (share, outside) = asked(&code, input, output, call);
        assert!(share > 0.75, "{program}: {strategy} asks for {share} of its input\n{code}");
        // Behind the last row nothing is read: of each part of the input at most a row is asked for there.
        assert!(outside < 3 * 1024 / 8, "{program}: {strategy} asks {outside} times for what is no input");
    }
}

#[test]
fn where_all_is_one_loop_nothing_is_asked_for() {
    for (program, strategy) in [
        ("jacobi2d/jacobi2d.rise", "auto"),
        ("scal/scal.rise", "auto"),
        ("matmul/matmul.rise", "parallel(32, 32, 4, 32)"),
    ] {
        let code = code(program, strategy, &[]);
        assert!(!code.contains("prefetch"), "{program}:\n{code}");
    }
}

/// Tiles that stay in registers are of whole ones where there are registers of 64 bytes; other code is as compilers have it.
#[test]
fn tiles_in_registers_are_of_whole_registers() {
    for (program, strategy, is_wide) in [
        ("matmul/matmul.rise", "auto", true),
        ("batchedMatmul/batchedMatmul.rise", "auto with (tiles: 9)", true),
        ("matmul/matmul.rise", "parallel(32, 32, 4, 32)", false),
        ("scal/scal.rise", "auto", false),
    ] {
        let code = code(program, strategy, &[]);
        assert_eq!(code.contains("prefer-vector-width=512"), is_wide, "{program}: {strategy}\n{code}");
    }
}
