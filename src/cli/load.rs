//! From a file named on the command line to a session, for the subcommands that need no screen.

use super::args::{ProgramOptions, Rewriting};
use super::exit::Exit;
use super::output;
use super::workers;
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, FileId};
use crate::lang::infer;
use crate::lang::path::Path;
use crate::lang::syntax::{ast, parse_program};
use crate::lang::term::Term;
use crate::session::Session;
use crate::session::action::{Action, Sizes, Target, give_size};
use crate::session::auto;
use crate::session::files::shell;
use crate::session::files::{self, Places, Text, Texts};
use crate::session::listing;
use crate::session::log::MAX_BYTES;
use crate::session::replay::{self, Place};
use crate::session::state::Progress;
use crate::session::workspace::{Own, Problems};
use std::io::Read;
use std::path::{Path as File, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Tells what is wrong, and how the program ends because of it.
pub fn fail(problem: &Diagnostic) -> Exit {
    output::diagnostic(problem);
    exit_of(problem)
}

/// As [`fail`], for problems in texts.
pub fn fail_all(problems: &Problems) -> Exit {
    output::diagnostics(&problems.list, &problems.sources);
    problems.list.iter().map(exit_of).fold(Exit::Done, Exit::worse)
}

/// What a diagnostic means for the exit code: devices and compilers are the environment, failed strategies,
/// searches and checks are findings, everything else is bad input.
pub fn exit_of(problem: &Diagnostic) -> Exit {
    let code = problem.code;
    let finding = code == "E0820" || code == "E0812" || ["E03", "E04"].iter().any(|c| code.starts_with(c));
    match code {
        // What a device refuses or has not got is alike, whatever it is.
        "E0701" | "E0702" | "E0703" | "E0705" | "E0706" | "E0710" | "E0711" | "E0713" | "E0714" => {
            Exit::Environment
        }
        // A name that several devices have can be written out.
        "E0704" => Exit::BadInput,
        "E0709" => Exit::Interrupted,
        // What cannot be written: what is in the way instead, E0918, can be named otherwise.
        "E0805" | "E0906" => Exit::Environment,
        // A machine that is too slow, or has no thread to give.
        "E0708" | "E0811" => Exit::Environment,
        // What a strategy leaves open is wrong, or nothing: it is not that it does not get to its end.
        "E0314" | "E0316" => Exit::BadInput,
        // The text of a strategy or of a sketch is wrong: nothing was tried.
        "E0410" | "E0411" | "E0412" | "E0414" | "E0417" | "E0418" | "E0422" => Exit::BadInput,
        _ if ["E030", "E040"].iter().any(|of| code.starts_with(of)) => Exit::BadInput,
        _ if finding || code.starts_with("E07") => Exit::Finding,
        _ => Exit::BadInput,
    }
}

/// Where rules and strategies come from.
pub fn places(rules: &[PathBuf]) -> Places {
    Places { rules: rules.to_vec(), config: files::config_folder() }
}

/// What a user has defined.
pub struct Definitions {
    /// The patterns that the program declares.
    pub patterns: Patterns,
    /// Rules and strategies: those beside the program, of the configuration folder and of `--rules`.
    pub files: Vec<Text>,
    pub own: Option<Own>,
    /// The program, as it is written.
    pub tree: Option<ast::File>,
}

/// Reads what the user has defined, for a program or without one.
///
/// # Errors
/// As [`files::read`].
pub fn definitions(program: Option<&File>, rules: &[PathBuf]) -> Result<Definitions, Exit> {
    let places = places(rules);
    let read = match program {
        Some(program) => files::read(program, &places).map(|texts| {
            let (tree, _) = parse_program(FileId::NOWHERE, &texts.program.text);
            let own = Some(Own::of(&texts.program.label, &tree));
            Definitions { patterns: infer::patterns(&tree), files: texts.files, own, tree: Some(tree) }
        }),
        None => files::read_definitions(&places, &[]).map(|files| Definitions {
            patterns: Patterns::default(),
            files,
            own: None,
            tree: None,
        }),
    };
    read.map_err(|d| fail(&d))
}

/// Reads a program and what belongs to it.
pub fn texts(file: &File, options: &ProgramOptions) -> Result<Texts, Exit> {
    files::read(file, &places(&options.rules)).map_err(|d| fail(&d))
}

/// The sizes of the command line.
///
/// # Errors
/// `E0901`: one has two values.
pub fn sizes(options: &ProgramOptions) -> Result<Sizes, Diagnostic> {
    let mut sizes = Sizes::new();
    for (names, value) in &options.sizes {
        let given = names.iter().try_for_each(|name| give_size(&mut sizes, name, *value));
        given.map_err(|why| Diagnostic::error("E0901", why).hint("Give it once with `--size`."))?;
    }
    Ok(sizes)
}

/// The bytes of a session log.
pub fn log_bytes(file: &File) -> Result<Vec<u8>, Exit> {
    read_log(file).map_err(|problem| fail(&problem))
}

/// As [`log_bytes`], without telling.
///
/// # Errors
/// `E0800` when it cannot be read.
pub fn read_log(file: &File) -> Result<Vec<u8>, Diagnostic> {
    let cannot = |e: std::io::Error| {
        Diagnostic::error("E0800", format!("`{}` cannot be read: {e}.", file.display()))
            .hint("A saved session is a file that ends in .ron, as `:save` and `--session` write it.")
    };
    let mut bytes = vec![];
    let handle = files::open_file(file).map_err(cannot)?;
    handle.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(cannot)?;
    Ok(bytes)
}

/// Says how far a session is while its actions are taken again, which takes its time where there are thousands.
pub fn opening(file: &File) -> impl Fn(usize, usize) {
    let shown = output::Standing::default();
    let name = file.file_name().unwrap_or_default().display().to_string();
    move |done, of| {
        // A slow terminal is told of each hundredth, and not of every action.
        if (done * 100) % of < 100 {
            shown.show(&format!("Opening {name}: {done} of {of} actions"));
        }
    }
}

/// Is the file a session rather than a program?
pub fn is_session(file: &File) -> bool {
    file.extension().is_some_and(|e| e == "ron")
}

/// Opens a program, or a session at its end, and runs the strategies that were asked for. `log` is where to
/// record what is done: a new file, or the session itself to go on with it. `target` is what it is for, where that is known beforehand.
pub fn rewritten(options: &Rewriting, log: Option<&File>, target: Option<Target>) -> Result<Session, Exit> {
    let mut session = opened(options, log)?;
    run_strategies(&mut session, options, target).map_err(|d| fail(&d))?;
    Ok(session)
}

/// Runs the strategies that were asked for, as they are for the target.
pub fn run_strategies(
    session: &mut Session,
    options: &Rewriting,
    target: Option<Target>,
) -> Result<(), Diagnostic> {
    let told = forecasts();
    for strategy in &options.strategies {
        let text = match target {
            Some(target) => auto::for_target(strategy, target, session.workspace()).to_owned(),
            None => strategy.clone(),
        };
        session.perform_watched(Action::Strategy { text, at: Path::root() }, &|job| told(&job.progress))?;
        let more = session.history().computes_more(session.current(), session.sizes());
        more.iter().for_each(|more| output::complain(&format!("note: {more}\n")));
    }
    Ok(())
}

/// Says what is known of a search before it runs, once.
pub fn forecasts() -> impl Fn(&Progress) + Send + Sync {
    let last = Mutex::new(None);
    move |progress| {
        let Progress::Search(search) = progress else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(warning) = search.warning.as_ref().filter(|w| last.as_ref() != Some(*w)) {
            output::complain(&format!("warning: {warning}\n"));
            *last = Some(warning.clone());
        }
    }
}

/// Opens a program, or a session at its end. `log` is as for [`rewritten`].
pub fn opened(options: &Rewriting, log: Option<&File>) -> Result<Session, Exit> {
    opened_beside(options, log, None)
}

/// As [`opened`], where another file was opened before: what was told of the same one is not told again.
pub fn opened_beside(
    options: &Rewriting,
    log: Option<&File>,
    before: Option<&File>,
) -> Result<Session, Exit> {
    let backend = Arc::new(workers::devices());
    let sizes = sizes(&options.program).map_err(|d| fail(&d))?;
    let mut session = if is_session(&options.file) {
        let bytes = log_bytes(&options.file)?;
        match log {
            Some(log) => {
                let place = if log == options.file { Place::File } else { Place::New(log) };
                let (notify, watch) = (Arc::new(|| {}), opening(&options.file));
                let resumed = replay::resume(&options.file, &bytes, place, backend, notify, &watch);
                drop(watch);
                let (mut session, warnings) = resumed.map_err(|p| fail_all(&p))?;
                session.set_open(false);
                let devices = || replay::devices_of(&**session.backend());
                let away = session.is_tuned().then(devices).and_then(|devices| session.tuned_away(&devices));
                warnings.iter().chain(&away).for_each(|w| output::complain(&format!("warning: {w}\n")));
                session
            }
            None => {
                let watch = opening(&options.file);
                let reopened = replay::reopen(&bytes, backend, &watch);
                drop(watch);
                reopened.map_err(|p| fail_all(&p))?
            }
        }
    } else {
        let texts = texts(&options.file, &options.program)?;
        let def = options.program.def.as_deref();
        let mut session =
            Session::open(&texts, def, &sizes, backend, Arc::new(|| {})).map_err(|p| fail_all(&p))?;
        let is_wrong = session.workspace().errors().next().is_some();
        if is_wrong || !before.is_some_and(|before| is_same(before, &options.file)) {
            tell(&session, &options.file);
        }
        if is_wrong {
            return Err(session.workspace().errors().map(exit_of).fold(Exit::Done, Exit::worse));
        }
        if log.is_some() {
            session.start_log(log).map_err(|d| fail(&d))?;
            session.set_open(false);
        }
        session
    };
    if is_session(&options.file) && !sizes.is_empty() {
        session.perform_now(Action::Sizes { sizes }).map_err(|d| fail(&d))?;
    }
    Ok(session)
}

/// Warns where the sizes that were given are none that a program can have.
pub fn warn_of_sizes(session: &Session, term: &Term, which: &str) {
    if let Some(asked) = session.workspace().broken(term, session.sizes()) {
        output::complain(&format!("warning: These sizes do not meet what {which} asks: {asked}.\n"));
    }
}

/// Notes that values which were given for some sizes are not put into the code, since others have none.
pub fn note_missing_sizes(session: &Session, options: &Rewriting) {
    let missing = session.missing_sizes();
    if let ([_, ..], [first, ..]) = (options.program.sizes.as_slice(), missing.as_slice()) {
        output::complain(&format!(
            "note: The size `{first}` has no value, so the code is for all sizes; those that are given are checked only. \
             `--size {first}=1024` gives it one.\n"
        ));
    }
}

/// Do both names lead to one file?
pub fn is_same(one: &File, other: &File) -> bool {
    let real = |path: &File| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// Tells what there is to be told of a program: what is wrong with its texts, and a session of it that was never left.
fn tell(session: &Session, file: &File) {
    output::diagnostics(&session.workspace().problems, &session.workspace().sources);
    if session.workspace().errors().next().is_none()
        && let Some(open) = listing::unfinished(file)
    {
        output::complain(&format!(
            "note: A session of this program was never left: `shine-tui {}` goes on with it.\n",
            shell(&open.session)
        ));
    }
}
