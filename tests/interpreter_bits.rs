//! The interpreter against generated C that a real compiler built without contraction and without fast-math: random
//! programs on random inputs agree in every bit, on infinities, NaN, zeros of both signs and denormals as well.
//! (Which NaN it is depends on the order in which a compiler puts operands, and is not compared.)

use crate::device_common;
use crate::emit_common;
use crate::emit_common::parse;
use shine_tui::device::{Devices, FloatMode, Param};
use shine_tui::emit::{ParamKind, compile, data};
use shine_tui::lang::eval::inputs::{Kind, Rng, random_flat};
use shine_tui::lang::eval::{self, Limits, Sizes};
use shine_tui::lang::infer::Program;
use shine_tui::lang::ty::{Scalar, Type};
use shine_tui::lang::value::{Buffer, Tolerance, Value};
use shine_tui::lang::{loops, print};
use shine_tui::lower::Target;
use shine_tui::lower::default_lowering;
use shine_tui::session::bench::cells::{buffer, host_data};
use std::sync::LazyLock;

/// The device `cpu` where whatever C leaves open ends the run.
const SANITISED: &str = "cpu, sanitised";
const SANITISER: &str = "cc -fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all";

/// Cells of an input, and of a row where it has rows.
const CELLS: i64 = 1200;
const COLUMNS: i64 = 40;

/// Neutral elements among them, which generated code leaves out where no bit depends on them.
const LITERALS: [&str; 8] = ["(-0.5)", "3.0", "1e-40", "1e30", "0.1", "0.0", "(-0.0)", "1.0"];

/// A random expression of a float, from the operations whose every bit is defined.
fn expression(rng: &mut Rng, depth: u32, names: &[&str]) -> String {
    if depth == 0 || rng.below(8) == 0 {
        return match rng.below(4) {
            0 => LITERALS[rng.below(LITERALS.len() as u64) as usize].to_string(),
            _ => names[rng.below(names.len() as u64) as usize].to_string(),
        };
    }
    let mut operand = || expression(rng, depth - 1, names);
    let (a, b, c, d) = (operand(), operand(), operand(), operand());
    match rng.below(10) {
        0 | 1 => format!("({a} + {b})"),
        2 | 3 => format!("({a} - {b})"),
        4 | 5 => format!("({a} * {b})"),
        6 => format!("({a} / {b})"),
        7 => format!("(sqrt {a})"),
        8 => format!("(select ({a} < {b}) {c} (-{d}))"),
        _ => format!("(let v = {a} in v * v - {b} * v)"),
    }
}

/// A program of many results: maps, reductions of rows, and stencils.
fn program(seed: u64, scalar: &str) -> String {
    let mut rng = Rng::new(seed);
    let mut results = vec![];
    for _ in 0..8 {
        let body = expression(&mut rng, 4, &["(fst p)", "(snd p)"]);
        results.push(format!("(zip x y |> map (\\p. {body}))"));
    }
    for _ in 0..3 {
        let (start, step) =
            (expression(&mut rng, 0, &["0.0"]), expression(&mut rng, 2, &["(fst p)", "(snd p)"]));
        results.push(format!(
            "(zip (split {COLUMNS} x) (split {COLUMNS} y) |> map (\\rows. \
             zip (fst rows) (snd rows) |> reduceSeq (\\a p. a + {step}) {start}))"
        ));
    }
    results.push("(x |> map (\\v. v * 0.3) |> slide 3 1 |> map (reduce (+) 0))".into());
    // No weight is zero: unrolled code leaves out what it hides, infinities as well.
    let weights: Vec<&str> = (0..3).map(|_| ["2.0", "(-1.0)", "0.1", "1.0"][rng.below(4) as usize]).collect();
    results.push(format!(
        "(x |> map (\\v. v * 0.3) |> slide 3 1 |> map (\\w. zip w [{}] \
         |> reduceSeqUnroll (\\a p. a + fst p * snd p) (-0.0)))",
        weights.join(", ")
    ));
    let last = results.pop().unwrap();
    let all = results.into_iter().rev().fold(last, |rest, first| format!("({first}, {rest})"));
    format!("def f (x y: {CELLS}.{scalar}) = {all}")
}

/// Inputs: small numbers, the edges of the type, and numbers of any bits, which are of any magnitude.
fn input(scalar: Scalar, seed: u64, which: usize) -> Buffer {
    let kind = [Kind::Uniform, Kind::Edges].get(which);
    let ty = Type::array(emit_common::c(CELLS), Type::scalar(scalar));
    if let Some(kind) = kind {
        return random_flat(&ty, &Sizes::new(), seed, *kind).unwrap();
    }
    let mut rng = Rng::new(seed);
    match scalar {
        Scalar::F32 => Buffer::F32((0..CELLS).map(|_| f32::from_bits(rng.bits() as u32)).collect()),
        _ => Buffer::F64((0..CELLS).map(|_| f64::from_bits(rng.bits())).collect()),
    }
}

/// What the interpreters make of the inputs, a component each.
fn expected(program: &Program, inputs: &[Buffer]) -> Vec<Buffer> {
    let sizes = Sizes::new();
    let (types, result) = program.ty.signature();
    let values: Vec<Value> =
        types.iter().zip(inputs).map(|(ty, b)| Value::from_flat(ty, b, &sizes).unwrap()).collect();
    let value = eval::run(&program.term, &sizes, &values, &Limits::TEST).unwrap();
    let plain = eval::naive::run(&program.term, &sizes, &values, &Limits::TEST).unwrap();
    assert_eq!(plain.agrees(&value, Tolerance::Exact).map_err(|why| why.to_string()), Ok(()));
    data::split(&value, &result, &sizes).unwrap()
}

/// What generated code on a device makes of them.
fn found(program: &Program, inputs: &[Buffer], device: &str) -> Result<Vec<Buffer>, String> {
    let target = if ["cpu", SANITISED].contains(&device) { Target::C } else { Target::OpenCl };
    let kernel = compile(&default_lowering(program).unwrap(), target, None).unwrap().into_kernel();
    let mut data = inputs.iter();
    let params = kernel.params.iter().map(|p| {
        let (elem, len) = (p.scalar, kernel.len(p, &|_| None, [1; 3]).unwrap());
        match p.kind {
            ParamKind::Output(_) => Param::Output { elem, len },
            ParamKind::Temp => Param::Temp { elem, len },
            _ => Param::Input(host_data(data.next().unwrap())),
        }
    });
    static SANITISING: LazyLock<Devices> =
        LazyLock::new(|| device_common::unknown_devices().env("CC", SANITISER));
    let devices = if device == SANITISED { &SANITISING } else { device_common::devices() };
    let device = if device == SANITISED { "cpu" } else { device };
    let mut request = device_common::request(device, &kernel.text, &kernel.name, params.collect());
    request.float = FloatMode::Strict;
    let report = device_common::run(devices, &request);
    let report = report.map_err(|e| format!("{e}\n{}", kernel.text))?;
    Ok(report.outputs.iter().map(buffer).collect())
}

/// A float's bits, all NaN alike.
fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

fn number(buffer: &Buffer, i: usize) -> f64 {
    match buffer.get(i).unwrap() {
        Value::F16(x) | Value::F32(x) => x.into(),
        Value::F64(x) => x,
        other => panic!("{other}"),
    }
}

#[test]
fn every_bit_is_that_of_c() {
    let mut seen = [0; 5];
    for seed in 0..6 {
        let (name, scalar) = [("f32", Scalar::F32), ("f64", Scalar::F64)][seed as usize % 2];
        let text = program(seed, name);
        let inputs =
            [input(scalar, 2 * seed, seed as usize / 2), input(scalar, 2 * seed + 1, seed as usize / 2)];
        let program = parse(&text);
        let (expected, found) = (expected(&program, &inputs), found(&program, &inputs, "cpu").unwrap());
        assert_eq!(expected.len(), found.len());
        for (component, (e, f)) in expected.iter().zip(&found).enumerate() {
            assert_eq!(e.len(), f.len());
            for i in 0..e.len() {
                let (e, f) = (number(e, i), number(f, i));
                assert_eq!(
                    bits(e),
                    bits(f),
                    "cell {i} of component {component} is {e:e} and in C {f:e}\n{text}"
                );
                let denormal = e != 0.0 && e.abs() < if scalar == Scalar::F32 { 1e-38 } else { 1e-307 };
                let kinds = [e.is_nan(), e.is_infinite(), e == 0.0 && e.is_sign_negative(), denormal, true];
                seen.iter_mut().zip(kinds).for_each(|(n, is)| *n += usize::from(is));
            }
        }
    }
    // NaN, infinities, negative zeros and denormals did occur.
    assert!(seen.iter().all(|n| *n > 20), "{seen:?}");
}

/// Functions of the C library may be off by some units in the last place: four, and the interpreter takes those of Rust.
#[test]
fn functions_are_within_four_units_of_the_last_place() {
    let functions = ["exp", "log", "sin", "cos"];
    let results: Vec<String> = functions.iter().map(|f| format!("(x |> map (\\v. {f} (4 * v)))")).collect();
    for (name, scalar, epsilon) in
        [("f32", Scalar::F32, f64::from(f32::EPSILON)), ("f64", Scalar::F64, f64::EPSILON)]
    {
        let text = format!(
            "def f (x: {CELLS}.{name}) = (({}), ({}))",
            results[..2].join(", "),
            results[2..].join(", ")
        );
        for which in [0, 1] {
            let (program, inputs) = (parse(&text), [input(scalar, 5, which)]);
            let (expected, found) = (expected(&program, &inputs), found(&program, &inputs, "cpu").unwrap());
            for (function, (e, f)) in functions.iter().zip(expected.iter().zip(&found)) {
                for i in 0..e.len() {
                    let (e, f) = (number(e, i), number(f, i));
                    let near = bits(e) == bits(f) || (e - f).abs() <= 4.0 * epsilon * e.abs();
                    assert!(near, "{function}: {e:e} and in C {f:e}");
                }
            }
        }
    }
}

/// What there is for the numbers of a type. No result depends on a division by zero.
fn operations(scalar: Scalar) -> Vec<String> {
    let mut all: Vec<&str> = vec!["x == y", "x != y", "select (x == y) x y"];
    if scalar == Scalar::Bool {
        all.extend(["not x", "x and y", "x or y", "x and not y or y", "(x or y) and x != y"]);
    } else {
        all.extend(["x > y", "x < y", "x >= y", "x <= y", "x >= y and x != y or y <= x", "not (x >= y)"]);
        all.extend(["x + y", "x - y", "x * y", "-x", "abs x", "min x y", "max x y"]);
        all.extend(if scalar.is_float() {
            ["x / y", "sqrt x", "floor x", "ceil x", "trunc x"].as_slice()
        } else {
            // At -1 the quotient of the least number is too large.
            [
                "select (y > 1) (x / y) x",
                "select (y > 1) (x % y) x",
                // C may believe that this never holds, and computes narrow numbers in `int`.
                "x + 1 < x",
                "x * y * x * y + x - y > x * y",
                "-(x * x - 3 * y)",
                "select (-(x - y) < 0 - y) (abs (x * y)) (2 - x)",
            ]
            .as_slice()
        });
    }
    if scalar.is_integer() {
        all.extend(["bitAnd x y", "bitOr x y", "bitXor x y", "bitNot x", "bitNot (bitAnd x (bitNot y))"]);
        // Counts of any size, negative ones too, and constant ones.
        all.extend(["shiftLeft x y", "shiftRight x y", "shiftLeft x 3", "shiftRight (x + y) 7"]);
        all.extend(["bitOr (shiftLeft x y) (shiftRight x (8 - y)) + 1"]);
    }
    if scalar.is_signed_integer() {
        all.extend(["select (y < (-1)) (x / y) x", "select (y < (-1)) (x % y) x"]);
        // The least number is its own absolute value.
        all.extend(["abs x < 0", "abs x / 3"]);
    }
    let mut all: Vec<String> = all.into_iter().map(str::to_string).collect();
    for to in Scalar::ALL {
        all.push(format!("(cast x : {})", to.name()));
    }
    all
}

/// As many numbers of each kind.
fn every_kind(scalar: Scalar, seed: u64) -> Buffer {
    let kinds = [Kind::Uniform, Kind::SmallIntegers, Kind::Edges];
    let ty = Type::array(emit_common::c(CELLS / kinds.len() as i64), Type::scalar(scalar));
    let mut values = vec![];
    for kind in kinds {
        let some = random_flat(&ty, &Sizes::new(), seed, kind).unwrap();
        values.extend((0..some.len()).map(|i| some.get(i).unwrap()));
    }
    // Some of them are what integer types end at, and what lies around.
    let limits = if scalar.is_float() { limits() } else { vec![] };
    for (value, limit) in values.iter_mut().step_by(2).zip(limits) {
        *value = Value::float(limit, scalar).unwrap();
    }
    let mut all = Buffer::with_capacity(scalar, CELLS as usize);
    values.iter().for_each(|v| all.push(v));
    all
}

/// Floats at, below and above the ends of every integer type.
fn limits() -> Vec<f64> {
    let ends = [7, 8, 15, 16, 31, 32, 63, 64].map(|bits| 2f64.powi(bits));
    let around = |x: f64| {
        let single = x as f32;
        let next = [single.next_down(), single.next_up()].map(f64::from);
        [x - 1.0, x - 0.5, x, x + 0.5, x + 1.0, x.next_down(), x.next_up(), next[0], next[1]]
    };
    let positive = ends.into_iter().chain([0.0]).flat_map(around);
    positive.flat_map(|x| [x, -x]).collect()
}

/// Not every device, and not every C compiler, has half precision. This is what they say.
const NO_HALVES: [&str; 2] = ["does not compute in `f16`", "has no half precision"];

#[test]
fn every_operation_of_every_scalar_type_is_that_of_devices() {
    let on_host = ["cpu", SANITISED].map(str::to_string);
    let devices: Vec<String> = on_host.into_iter().chain(device_common::opencl()).collect();
    let (first, second) = Scalar::ALL.split_at(Scalar::ALL.len() / 2);
    let mut wrong = std::thread::scope(|scope| {
        let others = scope.spawn(|| wrong_operations(second, &devices));
        let mut wrong = wrong_operations(first, &devices);
        wrong.extend(others.join().unwrap());
        wrong
    });
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn wrong_operations(scalars: &[Scalar], devices: &[String]) -> Vec<String> {
    let mut wrong = vec![];
    for &scalar in scalars {
        let uses_halves = |operation: &String| scalar == Scalar::F16 || operation.contains("f16");
        let (halves, others): (Vec<_>, Vec<_>) = operations(scalar).into_iter().partition(uses_halves);
        for (operations, may_be_refused) in [(halves, true), (others, false)] {
            for (device, result) in differences(scalar, &operations, devices) {
                match result {
                    Ok(found) => wrong.extend(found),
                    Err(why) if may_be_refused && NO_HALVES.iter().any(|no| why.contains(no)) => {}
                    Err(why) => wrong.push(format!("{} on {device}: {why}", scalar.name())),
                }
            }
        }
    }
    wrong
}

/// The first difference in each of the operations, or why they do not run, by device.
fn differences<'d>(
    scalar: Scalar,
    operations: &[String],
    devices: &'d [String],
) -> Vec<(&'d str, Result<Vec<String>, String>)> {
    let of_pair = |e: &String| format!("(zip a b |> map (\\p. let x = fst p in let y = snd p in {e}))");
    let results = operations.iter().map(of_pair).rev().reduce(|rest, first| format!("({first}, {rest})"));
    let Some(results) = results else { return vec![] };
    let name = scalar.name();
    let program = parse(&format!("def f (a b: {CELLS}.{name}) = {results}"));
    let printed = print::program("f", &[], &program.term, &print::Options::default()).text;
    assert_eq!(parse(&printed).term, program.term, "{printed}");
    assert!(!loops::of(&program.term).is_empty());
    let inputs = [1, 2].map(|seed| every_kind(scalar, seed));
    let expected = expected(&program, &inputs);
    let first_of = |device: &str, (operation, (expected, found)): (&String, (&Buffer, &Buffer))| {
        let value = |b: &Buffer, i: usize| b.get(i).unwrap();
        let same = |i: usize| match (value(expected, i), value(found, i)) {
            (e @ (Value::Bool(_) | Value::Int(..)), f) => e == f,
            _ => bits(number(expected, i)) == bits(number(found, i)),
        };
        let i = (0..expected.len()).find(|i| !same(*i))?;
        let (x, y, e, f) = (value(&inputs[0], i), value(&inputs[1], i), value(expected, i), value(found, i));
        Some(format!("`{operation}` for {name} {x} and {y} is {e} and on {device} {f}"))
    };
    let on = |device: &'d String| {
        let compared = found(&program, &inputs, device).map(|found| {
            let all = operations.iter().zip(expected.iter().zip(&found));
            all.filter_map(|one| first_of(device, one)).collect()
        });
        (device.as_str(), compared)
    };
    devices.iter().map(on).collect()
}
