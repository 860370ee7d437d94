//! `shine-tui export`: a session for those who have not got this tool.

use super::args::Export;
use super::compile;
use super::exit::Exit;
use super::load::{fail, rewritten};
use super::output;
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path as Position;
use crate::lang::term::Term;
use crate::session::Session;
use crate::session::action::Target;
use crate::session::files::Whole;
use crate::view::html::{self, Section};
use crate::view::term::Printed;
use crate::view::text::lines_of;
use crate::view::{Alphabet, Line, Role, bench, diff, history, kernel, loops, problem};

use std::path::Path;

/// Columns of what is printed on the page.
const WIDTH: usize = 100;

/// Writes the page, the folder, or both.
pub fn run(args: &Export) -> Result<Exit, Exit> {
    let target = match args.target.as_deref() {
        None => None,
        Some(name) => Some(Target::from_name(name).ok_or_else(|| {
            let problem = Diagnostic::error("E0904", format!("There is no target `{name}`."));
            fail(&problem.hint("The targets are c and opencl."))
        })?),
    };
    let session = rewritten(&args.rewriting, None, target)?;
    let target = target.unwrap_or_else(|| Target::natural(session.term()));
    if let Some(folder) = &args.folder {
        sources(&session, target, folder, args.force)?;
    }
    if let Some(file) = &args.html {
        let page = html::page(&title(&session), &sections(&session, target));
        write(file, &page, args.force)?;
        output::print(&format!("{}\n", file.display()))?;
    }
    Ok(Exit::Done)
}

fn title(session: &Session) -> String {
    format!("shine-tui: {}", session.workspace().program.name)
}

/// The parts of the page, what was asked first.
fn sections(session: &Session, target: Target) -> Vec<Section> {
    let (workspace, history) = (session.workspace(), session.history());
    let plain = |text: &str| lines_of(Role::Plain, text);
    let mut out = vec![Section::new("Program", plain(&workspace.texts.program.text))];
    let sizes: Vec<String> = session.sizes().iter().map(|(n, v)| format!("{n} = {v}")).collect();
    if !sizes.is_empty() {
        out.push(Section::new("Sizes", plain(&sizes.join("\n"))));
    }
    let rows = history::rows(history, history::Looked::default(), Alphabet::Unicode);
    let rows = rows.into_iter().map(|row| row.line).collect();
    out.push(Section::new("History", rows));
    let measured = bench::table(history, WIDTH, Alphabet::Unicode);
    if !measured.rows.is_empty() {
        let mut lines = vec![measured.head];
        lines.extend(measured.rows);
        for (id, m) in bench::measurements(history) {
            lines.push(Line::empty());
            lines.extend(bench::details(id, m, None));
        }
        out.push(Section::new("Measured times", lines));
    }
    out.push(Section::new("The program now", printed(session.term()).lines().to_vec()));
    let nest = loops::rows(session.term(), &Position::root(), Alphabet::Unicode);
    out.push(Section::new("Its loops", nest.into_iter().map(|row| row.line).collect()));
    if let Some(strategy) = strategy(session) {
        out.push(Section::new("The strategy that leads to it, in ELEVATE", plain(&strategy)));
    }
    for id in 1..history.len() {
        let (Some(revision), Some(parent)) = (history.revision(id), history.parent(id)) else { continue };
        let Some(before) = history.revision(parent) else { continue };
        let label: String = revision.label.split_whitespace().collect::<Vec<_>>().join(" ");
        let (mut lines, _) =
            diff::of_lines(printed(&before.term).lines(), printed(&revision.term).lines(), Some(3));
        if revision.steps.len() > 1 {
            lines.push(Line::empty());
            lines.extend(revision.steps.iter().map(|step| Line::of(Role::Dim, step.to_string())));
        }
        out.push(Section::folded(format!("Revision {id}, from {parent}: {label}"), lines));
    }
    let compiled = session.compiled(session.current(), target);
    match &*compiled {
        Ok(compiled) => {
            for stage in &compiled.stages {
                let name = format!("Code: {}", stage.name);
                let lines = kernel::lines(stage.name, stage.text());
                let main = stage.name == target.name();
                out.push(if main { Section::new(name, lines) } else { Section::folded(name, lines) });
            }
        }
        Err(why) => {
            out.push(Section::new("No code", problem::lines(why, &workspace.sources, Alphabet::Unicode)))
        }
    }
    for text in &workspace.texts.files {
        out.push(Section::folded(format!("File: {}", text.label), plain(&text.text)));
    }
    let mut devices: Vec<String> =
        bench::measurements(history).iter().map(|(_, m)| format!("measured on {}", m.device)).collect();
    devices.sort();
    devices.dedup();
    let mut environment = vec![
        format!("shine-tui {}", env!("CARGO_PKG_VERSION")),
        format!("written on {} ({})", std::env::consts::OS, std::env::consts::ARCH),
    ];
    environment.extend(devices);
    out.push(Section::new("Environment", plain(&environment.join("\n"))));
    out
}

fn printed(term: &Term) -> Printed {
    Printed::of(term, WIDTH, Alphabet::Unicode)
}

/// The strategy for the whole program that leads to the present revision; none where the program was read again, or nothing
/// was done.
fn strategy(session: &Session) -> Option<String> {
    let history = session.history();
    let line = history.line(session.current());
    let steps: Option<Vec<String>> =
        line.iter().skip(1).map(|id| history.revision(*id)?.elevate.clone()).collect();
    let steps = steps.filter(|steps| !steps.is_empty())?;
    let name: String = session.workspace().program.name.chars().filter(|c| c.is_alphanumeric()).collect();
    let body: Vec<String> = steps.iter().map(|step| format!("({step})")).collect();
    Some(format!("strategy {name}Exported =\n  {}\n", body.join("\n  ; ")))
}

/// The generated code with what it came from, and how it is built.
fn sources(session: &Session, target: Target, folder: &Path, force: bool) -> Result<(), Exit> {
    let compiled = session.compiled(session.current(), target);
    let compiled = compiled.as_ref().as_ref().map_err(fail)?;
    compile::write(compiled, target, folder, force)?;
    let (workspace, name) = (session.workspace(), &compiled.module.name);
    let mut files = vec![
        ("program.rise".to_owned(), workspace.texts.program.text.clone()),
        ("rewritten.rise".to_owned(), format!("{}\n", workspace.print(session.term()))),
        ("Makefile".to_owned(), makefile(name, target)),
    ];
    files.extend(strategy(session).map(|text| ("strategy.elevate".to_owned(), text)));
    for (file, text) in files {
        let path = folder.join(file);
        write(&path, &text, force)?;
        output::print(&format!("{}\n", path.display()))?;
    }
    Ok(())
}

fn makefile(name: &str, target: Target) -> String {
    let (more, libraries, what) = match target {
        Target::C => ("", "-lm", "a C compiler"),
        Target::OpenCl => (" shine_opencl.c", "-lOpenCL -lm", "a C compiler and OpenCL's headers and loader"),
    };
    format!(
        "# Builds lib{name}.so with {what}. {name}.h says how to call it.\n\
         CC ?= cc\nCFLAGS ?= -O3 -march=native -fno-trapping-math -fopenmp\n\n\
         lib{name}.so: {name}.c{more} {name}.h\n\t$(CC) $(CFLAGS) -fPIC -shared {name}.c{more} {libraries} -o $@\n\n\
         clean:\n\trm -f lib{name}.so\n\n.PHONY: clean\n"
    )
}

fn write(file: &Path, text: &str, force: bool) -> Result<(), Exit> {
    let cannot = |e: std::io::Error| {
        fail(
            &Diagnostic::error("E0906", format!("`{}` cannot be written: {e}.", file.display()))
                .hint("Name another place; `--force` replaces what is there."),
        )
    };
    Whole::write(file, force, |out| out.write_all(text.as_bytes())).and_then(Whole::place).map_err(cannot)
}
