//! `shine-tui compile`: code, or any stage on the way to it.

use super::args::Compile;
use super::exit::Exit;
use super::load::{fail, rewritten};
use super::output;
use crate::emit::Compiled;
use crate::lang::diag::Diagnostic;
use crate::lang::loops;
use crate::lang::pattern::Level;
use crate::lang::term::Term;
use crate::session::action::{Action, Target};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Compiles and prints a stage, or writes the kernel and its host program to a folder.
pub fn run(args: &Compile) -> Result<Exit, Exit> {
    let target = match args.target.as_deref() {
        None => None,
        Some(name) => Some(Target::from_name(name).ok_or_else(|| {
            fail(
                &Diagnostic::error("E0904", format!("There is no target `{name}`."))
                    .hint("The targets are c and opencl."),
            )
        })?),
    };
    let mut session = rewritten(&args.rewriting, args.session.as_deref())?;
    let emit = args.emit.as_deref();
    // The two stages before any lowering are there for programs that cannot be compiled, too.
    match emit {
        Some("rise") => {
            return output::print(&format!("{}\n", session.workspace().print(session.term())))
                .map(|()| Exit::Done);
        }
        Some("loops") => return output::print(&loops::text(&loops::of(session.term()))).map(|()| Exit::Done),
        _ => {}
    }
    let target =
        target.or_else(|| emit.and_then(Target::from_name)).unwrap_or_else(|| natural_target(session.term()));
    if let Err(problem) = session.perform_now(Action::Compile { target }) {
        // The stages before the failure are there to be looked at; E0598 says that the last of them is ill-formed.
        let made = session.workspace().attempt(session.term(), target, session.sizes());
        let made = made.map(|made| made.stages).unwrap_or_default();
        return match made.iter().find(|s| Some(s.name) == emit) {
            Some(stage) => {
                print_text(&stage.text)?;
                let is_last = made.last().is_some_and(|last| last.name == stage.name);
                if is_last && problem.code == "E0598" { Err(fail(&problem)) } else { Ok(Exit::Done) }
            }
            None => Err(fail(&problem)),
        };
    }
    let compiled = session.compiled(session.current(), target);
    let compiled = compiled.as_ref().as_ref().map_err(fail)?;
    if let Some(folder) = &args.output {
        return write(compiled, target, folder);
    }
    if args.json.json {
        return output::json(&as_json(compiled, target)).map(|()| Exit::Done);
    }
    let stage = emit.unwrap_or(target.name());
    let text = compiled.stage(stage).ok_or_else(|| {
        let known: Vec<&str> = compiled.stages.iter().map(|s| s.name).collect();
        let problem = Diagnostic::error("E0905", format!("There is no stage `{stage}`."));
        let problem = problem.did_you_mean(stage, known.iter().copied());
        fail(&problem.hint(format!("The stages for {} are {}.", target.name(), known.join(", "))))
    })?;
    print_text(text)?;
    Ok(Exit::Done)
}

/// The text of a stage, as whole lines.
fn print_text(text: &str) -> Result<(), Exit> {
    output::print(text)?;
    if text.ends_with('\n') { Ok(()) } else { output::print("\n") }
}

/// OpenCL for programs that use its patterns, else C.
fn natural_target(term: &Term) -> Target {
    let opencl = |t: &Term| t.as_pattern().is_some_and(|p| p.level() == Level::OpenCl);
    if term.positions().iter().any(|(_, t)| opencl(t)) { Target::OpenCl } else { Target::C }
}

fn write(compiled: &Compiled, target: Target, folder: &Path) -> Result<Exit, Exit> {
    let name = &compiled.kernel.name;
    let kernel = format!("{name}.{}", if target == Target::C { "c" } else { "cl" });
    let others = [
        ("header", format!("{name}.h")),
        ("host", format!("{name}_host.c")),
        ("python", format!("{name}.py")),
    ];
    let others = others.into_iter().filter_map(|(stage, file)| Some((file, compiled.stage(stage)?)));
    let files = [(kernel, compiled.kernel.text.as_str())].into_iter().chain(others);
    let cannot = |e: std::io::Error| {
        fail(
            &Diagnostic::error("E0906", format!("`{}` cannot be written: {e}.", folder.display()))
                .hint("`-o` takes a folder, which is made if it is not there."),
        )
    };
    std::fs::create_dir_all(folder).map_err(cannot)?;
    for (file, text) in files {
        let path = folder.join(file);
        // What lies there is replaced, not written into: it may be a link to another file.
        let mut new = tempfile::Builder::new();
        let mut new =
            new.permissions(std::fs::Permissions::from_mode(0o644)).tempfile_in(folder).map_err(cannot)?;
        new.write_all(text.as_bytes()).map_err(cannot)?;
        new.persist(&path).map_err(|e| cannot(e.error))?;
        output::print(&format!("{}\n", path.display()))?;
    }
    Ok(Exit::Done)
}

fn as_json(compiled: &Compiled, target: Target) -> Value {
    let stages: serde_json::Map<String, Value> =
        compiled.stages.iter().map(|s| (s.name.to_string(), json!(s.text))).collect();
    json!({ "target": target.name(), "entry": compiled.kernel.name, "stages": stages })
}
