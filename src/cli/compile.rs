//! `shine-tui compile`: code, or any stage on the way to it.

use super::args::Compile;
use super::exit::Exit;
use super::load::{fail, note_missing_sizes, rewritten};
use super::output;
use super::outputs::{self, Output, Replaces};
use crate::emit::{self, Compiled, Stage, host};
use crate::lang::diag::Diagnostic;
use crate::lang::loops;
use crate::lang::origin::{Line, Part};
use crate::lang::term::Term;
use crate::lower::{self, nest};
use crate::session::action::{Action, Target};
use crate::view::loops::caveat;
use crate::view::origins;
use serde_json::{Value, json};
use std::mem::ManuallyDrop;
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
    if args.explain_barriers && target == Some(Target::C) {
        let problem = Diagnostic::error("E0905", "Code in C has no barriers that could be explained.")
            .note("Barriers are where the work-items of an OpenCL work-group wait for each other.")
            .hint("Leave `--target c` out, or give `--target opencl`.");
        return Err(fail(&problem));
    }
    let emit = if args.explain_barriers { Some("reasons") } else { args.emit.as_deref() };
    // A stage that code in C has not got is one of OpenCL.
    let is_of_opencl = |stage: &str| !has_stage(Target::C, stage) && has_stage(Target::OpenCl, stage);
    let of_stage =
        |stage: &str| if is_of_opencl(stage) { Some(Target::OpenCl) } else { Target::from_name(stage) };
    let target = target.or_else(|| emit.and_then(of_stage));
    // The system takes the memory back at once, where dropping would take a twentieth of the time.
    let mut session = ManuallyDrop::new(rewritten(&args.rewriting, args.session.as_deref(), target)?);
    // The two stages before any lowering are there for programs that cannot be compiled, too.
    match emit.filter(|_| !args.explain_lines) {
        Some("rise") => {
            let target = target.unwrap_or_else(|| Target::natural(session.term()));
            return print_stage(args, target, "rise", &session.workspace().print(session.term()))
                .map(|()| Exit::Done);
        }
        Some("loops") => {
            let target = target.unwrap_or_else(|| Target::natural(session.term()));
            let runs = session.workspace().what_runs(session.term(), target, session.sizes());
            let nest = nest(&runs, session.sizes());
            if let Some(caveat) = caveat(nest.drawn) {
                output::complain(&format!("note: {caveat}\n"));
            }
            return print_stage(args, target, "loops", &loops::text(&nest.lines)).map(|()| Exit::Done);
        }
        _ => {}
    }
    note_missing_sizes(&session, &args.rewriting);
    let target = target.unwrap_or_else(|| Target::natural(session.term()));
    if let Err(problem) = session.perform_now(Action::Compile { target }) {
        // The stages before the failure are there to be looked at; E0598 says that the last of them is ill-formed.
        let made = session.workspace().attempt(session.term(), target, session.sizes());
        let made = made.map(|made| made.stages).unwrap_or_default();
        return match made.iter().find(|s| Some(s.name) == emit) {
            Some(stage) => {
                print_stage(args, target, stage.name, stage.text())?;
                let is_last = made.last().is_some_and(|last| last.name == stage.name);
                if is_last && problem.code == "E0598" { Err(fail(&problem)) } else { Ok(Exit::Done) }
            }
            None => Err(fail(&problem)),
        };
    }
    let compiled = session.compiled(session.current(), target);
    let compiled = compiled.as_ref().as_ref().map_err(fail)?;
    if let Some(folder) = &args.output {
        const FILES: [&str; 8] = ["c", "h", "cl", "cpp", "py", "txt", "o", "so"];
        let ending = folder.extension().and_then(|e| e.to_str());
        if !folder.is_dir() && ending.is_some_and(|e| FILES.contains(&e)) {
            let name = folder.display();
            let problem =
                Diagnostic::error("E0901", format!("`-o` names a folder, and `{name}` looks like a file."));
            return Err(fail(&problem.hint(format!(
                "A text alone is printed: `shine-tui compile {} --emit {} > {name}`.",
                args.rewriting.file.display(),
                if target == Target::OpenCl { "opencl" } else { "c" }
            ))));
        }
        let files = files(compiled, target, folder, "-o");
        if args.json.json {
            outputs::place(&files, args.force)?;
            let written: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
            let value = json!({ "target": target.name(), "entry": compiled.module.name, "files": written });
            return output::json(&value).map(|()| Exit::Done);
        }
        return outputs::write(&files, args.force).map(|()| Exit::Done);
    }
    if args.json.json {
        let mut value = as_json(compiled, target);
        // The positions are those of the term as it is shown; what it was lowered to is another stage.
        value["stages"]["lowered"] = value["stages"]["rise"].take();
        value["stages"]["rise"] = json!(session.workspace().print(session.term()));
        if args.explain_lines {
            let with_lines = compiled.stages.iter().filter(|s| s.has_lines());
            for stage in with_lines {
                let lines = lines_as_json(stage, session.term());
                if stage.name == target.name() {
                    value["lines"] = lines.clone();
                }
                value["linesOf"][stage.name] = lines;
            }
        }
        return output::json(&value).map(|()| Exit::Done);
    }
    let stage = emit.unwrap_or(target.name());
    let text = compiled.stage(stage).ok_or_else(|| {
        let known: Vec<&str> = compiled.stages.iter().map(|s| s.name).collect();
        let problem = Diagnostic::error("E0905", format!("There is no stage `{stage}`."));
        if has_stage(target, stage) {
            return fail(
                &Diagnostic::error("E0905", format!("There is no stage `{stage}` of this program."))
                    .note(WITHOUT_PYTHON),
            );
        }
        let others = [Target::C, Target::OpenCl].into_iter().find(|other| has_stage(*other, stage));
        let problem = match others {
            Some(other) => problem.hint(format!("It is one of those for {0}: `--target {0}`.", other.name())),
            None => problem.did_you_mean(stage, known.iter().copied()),
        };
        fail(&problem.hint(format!("The stages for {} are {}.", target.name(), known.join(", "))))
    })?;
    match compiled.stages.iter().find(|s| s.name == stage).filter(|_| args.explain_lines) {
        Some(stage) if !stage.has_lines() => return Err(fail(&without_lines(stage.name, compiled))),
        Some(stage) => {
            let mark = if stage.name == "python" { "#" } else { "//" };
            output::print(&origins::explained(session.term(), text, stage.lines(), mark))?;
        }
        None => print_text(text)?,
    }
    Ok(Exit::Done)
}

/// Is there a stage of this name on the way to code for the target?
fn has_stage(target: Target, name: &str) -> bool {
    let target = match target {
        Target::C => lower::Target::C,
        Target::OpenCl => lower::Target::OpenCl,
    };
    emit::stages(target).contains(&name)
}

/// A stage whose lines say nothing of where they come from.
fn without_lines(stage: &str, compiled: &Compiled) -> Diagnostic {
    let all = compiled.stages.iter().filter(|s| s.has_lines());
    let others: Vec<&str> = all.map(|s| s.name).collect();
    Diagnostic::error("E0905", format!("The lines of the stage `{stage}` do not say where they come from."))
        .hint(format!("Those of these stages do: {}.", others.join(", ")))
}

/// Why a program has no module of Python, the only stage that may be missing.
const WITHOUT_PYTHON: &str =
    "Python cannot give a function in C a float of 16 bits by itself, which this one takes.";

/// A stage where there are no others to be printed with it.
fn print_stage(args: &Compile, target: Target, name: &str, text: &str) -> Result<(), Exit> {
    match args.json.json {
        true => output::json(&json!({ "target": target.name(), "stages": { name: text } })),
        false => print_text(text),
    }
}

/// The text of a stage, as whole lines.
fn print_text(text: &str) -> Result<(), Exit> {
    output::print(text)?;
    if text.ends_with('\n') { Ok(()) } else { output::print("\n") }
}

/// All files of a kernel, which go into a folder that `option` names. A file that is not of our making, or was changed since,
/// is left alone.
pub(super) fn files(compiled: &Compiled, target: Target, folder: &Path, option: &'static str) -> Vec<Output> {
    let name = &compiled.module.name;
    let of_target = match target {
        Target::C => vec![("c", format!("{name}.c"))],
        Target::OpenCl => vec![("opencl", format!("{name}.cl")), ("library", format!("{name}.c"))],
    };
    let both = [
        ("header", format!("{name}.h")),
        ("host", format!("{name}_host.c")),
        ("python", format!("{}.py", host::module_name(name))),
    ];
    let stages = of_target.into_iter().chain(both);
    let stages = stages.filter_map(|(stage, file)| Some((file, compiled.stage(stage)?.to_owned())));
    if compiled.stage("python").is_none() {
        output::complain(&format!("note: There is no module of Python. {WITHOUT_PYTHON}\n"));
    }
    let runtime = host::RUNTIME.into_iter().filter(|_| target == Target::OpenCl);
    let runtime = runtime.map(|(file, text)| (file.to_owned(), text.to_owned()));
    let of = |(file, text): (String, String)| Output {
        replaces: Replaces::Generated,
        path: folder.join(file),
        text,
        option,
    };
    stages.chain(runtime).map(of).collect()
}

/// The lines of a stage that come from parts of the term.
fn lines_as_json(stage: &Stage, term: &Term) -> Value {
    let one = |(i, line): (usize, &Line)| {
        let (part, name) = match &line.part {
            Part::Loop(x) => ("loop", Some(x)),
            Part::Memory(x) => ("memory", Some(x)),
            Part::Barrier => ("barrier", None),
            Part::Statement => ("statement", None),
            Part::Around | Part::Outside => return None,
        };
        let source = origins::source_of(term, line);
        let from: Vec<Value> = source
            .parts(term)
            .map(|at| json!({ "at": at.to_string(), "text": origins::text_at(term, &at, 200) }))
            .collect();
        Some(json!({ "line": i + 1, "part": part, "name": name, "from": from }))
    };
    stage.lines().iter().enumerate().filter_map(one).collect()
}

fn as_json(compiled: &Compiled, target: Target) -> Value {
    let stages: serde_json::Map<String, Value> =
        compiled.stages.iter().map(|s| (s.name.to_string(), json!(s.text()))).collect();
    json!({ "target": target.name(), "entry": compiled.module.name, "stages": stages })
}
