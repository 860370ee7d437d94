//! `shine-tui export`: a session for those who have not got this tool.

use super::args::Export;
use super::compile;
use super::exit::Exit;
use super::load::{fail, fail_all, is_same, is_session, log_bytes, note_missing_sizes, rewritten};
use super::output;
use super::outputs::{self, Output, Replaces};
use crate::device::DeviceInfo;
use crate::device::roofline::Peak;
use crate::emit::{C_FLAGS, host};
use crate::lang::diag::Diagnostic;
use crate::lang::syntax::ast::Language;
use crate::session::action::Target;
use crate::session::files::{Text, Texts};
use crate::session::{self, Session, files, generated};
use crate::ui::capabilities::Depth;
use crate::ui::recording::record;
use crate::ui::theme::Theme;
use crate::view::bench;
use crate::view::handover::{self, Beside};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Writes what was asked for: the page, the folder, the recording.
pub fn run(args: &Export) -> Result<Exit, Exit> {
    let own = [(&args.html, "--html"), (&args.recording, "--recording")];
    own.into_iter().try_for_each(|(file, option)| beside(file.as_deref(), option, &args.rewriting.file))?;
    let recording = args.recording.as_deref().map(|file| recording(args, file)).transpose()?;
    let mut files = match (&args.html, &args.folder) {
        (None, None) => vec![],
        _ => handed_over(args)?,
    };
    files.extend(recording);
    let earlier = match &args.folder {
        Some(folder) => of_earlier(folder, &files, args.force)?,
        None => vec![],
    };
    outputs::write(&files, args.force)?;
    for file in earlier {
        let said = match std::fs::remove_file(&file) {
            Ok(()) => {
                format!("note: {} is removed: it was of what was exported there before\n", file.display())
            }
            Err(e) => format!("warning: {} is of what was exported there before: {e}\n", file.display()),
        };
        output::complain(&said);
    }
    Ok(Exit::Done)
}

/// What an earlier export left in the folder and this one does not replace, as it was generated: it would not belong to what
/// lies beside it.
///
/// # Errors
/// `E0918` where some of it is of another program.
fn of_earlier(folder: &Path, files: &[Output], force: bool) -> Result<Vec<PathBuf>, Exit> {
    let is_export = generated::is_as_written(&folder.join(PROGRAM));
    let Some(entries) = folder.read_dir().ok().filter(|_| is_export) else { return Ok(vec![]) };
    let is_generated = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("c" | "h" | "cl" | "py" | "rules" | "elevate"))
            && generated::is_as_written(path)
    };
    let is_replaced = |path: &PathBuf| files.iter().any(|file| file.path == *path);
    let mut left: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    left.retain(|path| !is_replaced(path) && is_generated(path));
    left.sort_unstable();
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let name = files.iter().find(|file| file.path.extension().is_some_and(|e| e == "h"));
    let name = name.map(|file| stem(&file.path)).unwrap_or_default();
    let is_own = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("rules" | "elevate"))
            || host::RUNTIME.iter().any(|(file, _)| path.ends_with(file))
            || [&*name, &format!("{name}_host")].contains(&&*stem(path))
    };
    let (own, others): (Vec<PathBuf>, Vec<PathBuf>) = left.into_iter().partition(|path| is_own(path));
    match others.first() {
        Some(other) if !force => {
            let problem = format!("`{}` is of another program that was exported there.", other.display());
            Err(fail(&Diagnostic::error("E0918", problem).hint(
                "Name another folder with `--folder`, or remove what lies there; with `--force` it stays there.",
            )))
        }
        _ => Ok(own),
    }
}

/// The file of an exported folder that has the program.
const PROGRAM: &str = "program.rise";

/// What is exported is not replaced by what is made of it, whatever is forced.
fn beside(file: Option<&Path>, option: &str, exported: &Path) -> Result<(), Exit> {
    let Some(file) = file.filter(|file| is_same(file, exported)) else { return Ok(()) };
    let problem = Diagnostic::error("E0918", format!("`{}` is what is to be exported.", file.display()));
    Err(fail(&problem.hint(format!("Name another place with `{option}`."))))
}

/// The recording, which is looked at before it is made.
fn recording(args: &Export, file: &Path) -> Result<Output, Exit> {
    let output =
        |text| Output { path: file.to_path_buf(), text, replaces: Replaces::Nothing, option: "--recording" };
    let session = &args.rewriting.file;
    if !is_session(session) {
        let problem = format!("`{}` is no saved session, and only these are recorded.", session.display());
        return Err(fail(&Diagnostic::error("E0901", problem).hint(
            "`shine-tui apply PROGRAM.rise -s STRATEGY --session FILE.ron` saves one, and so does `:save` on the screen.",
        )));
    }
    outputs::look(&[output(String::new())], args.force)?;
    let theme = match args.theme.as_deref() {
        // Without a word the picture is the same everywhere.
        None => Theme::load("default", None, Depth::True),
        Some(name) => Theme::read(files::config_folder().as_deref(), name, Depth::True),
    };
    let theme = theme.map_err(|problem| fail(&Diagnostic::error("E0901", problem)))?;
    let made =
        record(session, &log_bytes(session)?, args.screen, theme).map_err(|problems| fail_all(&problems))?;
    made.warnings.iter().for_each(|warning| output::complain(&format!("warning: {warning}\n")));
    Ok(output(made.picture))
}

/// The page, the folder, or both.
fn handed_over(args: &Export) -> Result<Vec<Output>, Exit> {
    let target = match args.target.as_deref() {
        None => None,
        Some(name) => Some(Target::from_name(name).ok_or_else(|| {
            let problem = Diagnostic::error("E0904", format!("There is no target `{name}`."));
            fail(&problem.hint("The targets are c and opencl."))
        })?),
    };
    let session = rewritten(&args.rewriting, None, target)?;
    note_missing_sizes(&session, &args.rewriting);
    let target = target.unwrap_or_else(|| Target::natural(session.term()));
    let mut files = match &args.folder {
        Some(folder) => sources(&session, target, folder)?,
        None => vec![],
    };
    let page = |file: &Path, text| Output {
        path: file.to_path_buf(),
        text,
        replaces: Replaces::Nothing,
        option: "--html",
    };
    if let Some(file) = &args.html {
        // What is in the way is not found out only when the devices were measured.
        outputs::look(&[page(file, String::new())], args.force)?;
        outputs::look(&files, args.force)?;
        let peaks = if args.roofline { peaks(&session) } else { vec![] };
        let devices = devices(&session);
        let system = session::system();
        let beside = Beside { peaks: &peaks, devices: &devices, system: &system, ..Beside::default() };
        files.push(page(file, handover::page(&session, target, beside)));
    }
    Ok(files)
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
    session::replay::devices_of(&**session.backend())
}

/// The generated code with what it came from, and how it is built.
fn sources(session: &Session, target: Target, folder: &Path) -> Result<Vec<Output>, Exit> {
    const FOLDER: &str = "--folder";
    let compiled = session.compiled(session.current(), target);
    let compiled = compiled.as_ref().as_ref().map_err(fail)?;
    let (workspace, name) = (session.workspace(), &compiled.module.name);
    let mut beside = vec![
        (PROGRAM.to_owned(), program(&workspace.texts)),
        ("rewritten.rise".to_owned(), format!("{}\n", workspace.print(session.term()))),
        ("Makefile".to_owned(), makefile(name, target)),
    ];
    if let Some(strategy) = handover::strategy(session) {
        beside.push(("strategy.elevate".to_owned(), strategy));
        beside.extend(own_files(&workspace.texts));
    }
    let own = |(file, text)| Output {
        path: folder.join(file),
        text,
        replaces: Replaces::Generated,
        option: FOLDER,
    };
    let generated = compile::files(compiled, target, folder, FOLDER);
    Ok(generated.into_iter().chain(beside.into_iter().map(own)).collect())
}

/// The program with the definitions that it imports.
fn program(texts: &Texts) -> String {
    let modules = texts.files.iter().filter(|text| is_program(text)).map(files::without_imports);
    let modules: Vec<String> = modules.collect();
    if modules.is_empty() {
        return texts.program.text.clone();
    }
    modules.join("\n") + "\n" + &files::without_imports(&texts.program)
}

/// The rules and strategies that are not built in, by the names of the files in which they are read in the same order. Where
/// they lay is no business of a folder that is handed over.
fn own_files(texts: &Texts) -> Vec<(String, String)> {
    let own = texts.files.iter().filter(|text| !is_program(text));
    let named = own.enumerate().map(|(i, text)| {
        let file = text.label.rsplit('/').next().unwrap_or_default();
        let (name, ending) = file.rsplit_once('.').unwrap_or((file, "elevate"));
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
        (format!("{:03}-{name}.{ending}", i + 1), files::without_imports(text))
    });
    named.collect()
}

fn is_program(text: &Text) -> bool {
    Language::of_path(&text.label) == Some(Language::Program)
}

fn makefile(name: &str, target: Target) -> String {
    let (more, libraries, what) = match target {
        Target::C => ("", "-lm", "a C compiler"),
        Target::OpenCl => (" shine_opencl.c", "-lOpenCL -lm", "a C compiler and OpenCL's headers and loader"),
    };
    format!(
        "# Builds lib{name}.so with {what}. {name}.h says how to call it.\n\
         CC ?= cc\nCFLAGS ?= -O3 -march=native {} -fopenmp\n\n\
         lib{name}.so: {name}.c{more} {name}.h\n\t$(CC) $(CFLAGS) -fPIC -shared {name}.c{more} {libraries} -o $@\n\n\
         clean:\n\trm -f lib{name}.so\n\n.PHONY: clean\n",
        C_FLAGS.join(" ")
    )
}
