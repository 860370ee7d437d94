//! `shine-tui export`: a session for those who have not got this tool.

use super::args::Export;
use super::compile;
use super::exit::Exit;
use super::load::{fail, rewritten};
use super::output;
use crate::device::roofline::Peak;
use crate::device::{DeviceInfo, RunControl};
use crate::lang::diag::Diagnostic;
use crate::session::action::Target;
use crate::session::files::Whole;
use crate::session::{self, Session};
use crate::view::bench;
use crate::view::handover::{self, Beside};

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

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
        let peaks = if args.roofline { peaks(&session) } else { vec![] };
        let devices = devices(&session);
        let system = session::system();
        let beside = Beside { peaks: &peaks, devices: &devices, system: &system, ..Beside::default() };
        let page = handover::page(&session, target, beside);
        write(file, &page, args.force)?;
        output::print(&format!("{}\n", file.display()))?;
    }
    Ok(Exit::Done)
}

/// What devices allow, each on which a state was measured and that is there.
fn peaks(session: &Session) -> Vec<(String, Peak)> {
    let all = bench::measurements(session.history());
    let names: BTreeSet<&str> = all.iter().map(|(_, m)| m.device.as_str()).collect();
    let never = AtomicBool::new(false);
    let measured = |name: &str| match session::peak(name, &**session.backend(), &never) {
        // Times are told apart by the name with which they were measured.
        Ok((_, peak)) => Some((name.to_owned(), peak)),
        Err(problem) => {
            output::complain(&format!("warning: {name}: {}\n", problem.message));
            None
        }
    };
    names.into_iter().filter_map(measured).collect()
}

/// What there is to run on; nothing where that cannot be looked at.
fn devices(session: &Session) -> Vec<DeviceInfo> {
    let never = AtomicBool::new(false);
    let mut control = RunControl { cancel: &never, progress: &mut |_| {} };
    session.backend().list(&mut control).map(|list| list.devices).unwrap_or_default()
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
    files.extend(handover::strategy(session).map(|text| ("strategy.elevate".to_owned(), text)));
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
