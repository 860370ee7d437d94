//! Oclgrind, which knows races and uses of what was never written.

use super::Case;
use shine_tui::emit::ParamKind;
use shine_tui::lang::ty::Scalar;
use shine_tui::lang::value::Value;
use std::fmt::Write;
use std::process::Command;

/// Is there a simulator? Says so loudly where there is none.
pub fn oclgrind() -> bool {
    let there = Command::new("oclgrind-kernel").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        assert!(std::env::var_os("SHINE_REQUIRE_OPENCL").is_none(), "Oclgrind is required");
        // Past the capture of tests, so that it is seen where all passes.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"SKIPPED: this test needs Oclgrind.\n");
    }
    there
}

fn cl_type(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool | Scalar::U8 => "uchar",
        Scalar::I8 => "char",
        Scalar::I16 => "short",
        Scalar::U16 => "ushort",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::I64 => "long",
        Scalar::U64 => "ulong",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::F16 => "half",
    }
}

fn text(v: &Value) -> String {
    match v {
        Value::F32(x) => format!("{x:?}"),
        Value::F64(x) => format!("{x:?}"),
        Value::Bool(b) => u8::from(*b).to_string(),
        Value::Int(i, _) => i.to_string(),
        other => panic!("{other}"),
    }
}

/// Runs the kernel in the simulator; fails at races, uninitialised reads and accesses outside memory, and where the
/// result is another one.
pub fn simulate(case: &Case) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("kernel.cl"), &case.kernel.text).unwrap();
    let [x, y, z] = case.global;
    let [lx, ly, lz] = case.local().unwrap_or([1; 3]);
    let mut sim = format!("kernel.cl\n{}\n{x} {y} {z}\n{lx} {ly} {lz}\n", case.kernel.name);
    let mut inputs = case.input_components().into_iter();
    for p in &case.kernel.params {
        let (ty, len) = (cl_type(p.scalar), case.len(p));
        let bytes = len * p.scalar.bytes();
        match &p.kind {
            ParamKind::Size(x) => {
                let _ = writeln!(sim, "<size=4 int>\n{}", case.sizes[x]);
            }
            ParamKind::Input(..) => {
                let buffer = inputs.next().unwrap();
                let values: Vec<String> = (0..len).map(|i| text(&buffer.get(i).unwrap())).collect();
                let _ = writeln!(sim, "<size={bytes} {ty}>\n{}", values.join(" "));
            }
            ParamKind::Output(_) => {
                let _ = writeln!(sim, "<size={bytes} {ty} noinit dump>");
            }
            ParamKind::Temp => {
                let _ = writeln!(sim, "<size={bytes} {ty} noinit>");
            }
            ParamKind::Local => {
                let _ = writeln!(sim, "<size={bytes}>");
            }
        }
    }
    std::fs::write(dir.path().join("kernel.sim"), &sim).unwrap();
    let simulated = |checks: &[&str]| {
        let mut simulator = Command::new("oclgrind-kernel");
        simulator.args(checks).arg("kernel.sim").current_dir(dir.path()).output().unwrap()
    };
    let mut ran = simulated(&["--data-races", "--uninitialized"]);
    // An instruction that the check does not know: the compiler makes it of a quotient and a remainder by one unknown.
    if String::from_utf8_lossy(&ran.stderr).contains("Unsupported instruction: freeze") {
        ran = simulated(&["--data-races"]);
    }
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    if !ran.status.success() || !err.trim().is_empty() {
        return Err(format!("{}\n{err}\n{}\n{sim}", case.label, case.kernel.text));
    }
    let mut words = out.lines().filter_map(|l| l.split_once(" = ")).map(|(_, v)| v.trim());
    case.compare(|scalar| {
        let word = words.next().unwrap_or_else(|| panic!("{}: {out}", case.label));
        match scalar {
            Scalar::Bool => Value::Bool(word != "0"),
            s if s.is_float() => Value::float(word.parse().unwrap(), s).unwrap(),
            s => Value::Int(word.parse().unwrap(), s),
        }
    })
}
