//! `shine-tui PROGRAM.rise` and `shine-tui SESSION.ron`: the screen.

use super::args::{ColorChoice, Screen};
use super::exit::Exit;
use super::workers;
use super::{load, output, sessions};
use crate::lang::diag::Diagnostic;
use crate::session::files::{self, shell};
use crate::session::listing;
use crate::session::record::{SaveState, WAY_OUT};
use crate::session::replay::{self, Place};
use crate::session::state::Session;
use crate::session::workspace::Problems;
use crate::ui::capabilities::{ColourChoice, Depth};
use crate::ui::keeper;
use crate::ui::leaving;
use crate::ui::run::{self, Ending, Failure, NotOpened, Notifier, Opened, Options, Unfinished};
use crate::ui::screen::has_shell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Where stray output and faults go.
pub fn log() -> PathBuf {
    files::state_folder().unwrap_or_else(std::env::temp_dir).join("shine-tui.log")
}

/// Opens the screen. `kept` is what a kept process was told, `started` when the program was started.
pub fn run(args: &Screen, kept: Option<keeper::Kept>, started: Instant) -> Result<Exit, Exit> {
    let Some(mut file) = args.file.clone() else {
        return Err(load::fail(
            &Diagnostic::error("E0900", "No program is named.")
                .hint("`shine-tui PROGRAM.rise` opens a program, `shine-tui SESSION.ron` a saved session.")
                .hint("`shine-tui --help` shows what else can be done."),
        ));
    };
    // That it is not there is said without a terminal, too, rather than that there is no screen.
    if !file.exists() {
        let missing = match file.to_str().filter(|word| !super::is_file(word)) {
            Some(word) => {
                let problem = format!("There is neither a file nor a command `{word}`.");
                Some(Diagnostic::error("E0901", problem).hint(super::instead(word)))
            }
            None if load::is_session(&file) => load::read_log(&file).err(),
            None => files::read(&file, &load::places(&args.program.rules)).err(),
        };
        if let Some(problem) = missing {
            return Err(load::fail(&problem));
        }
    }
    let options = Options {
        colour: match args.color {
            ColorChoice::Auto => ColourChoice::Auto,
            ColorChoice::Never => ColourChoice::Depth(Depth::Mono),
            ColorChoice::Sixteen => ColourChoice::Depth(Depth::Ansi16),
            ColorChoice::TwoHundredFiftySix => ColourChoice::Depth(Depth::Ansi256),
            ColorChoice::True => ColourChoice::Depth(Depth::True),
        },
        ascii: args.ascii,
        theme: args.theme.clone(),
        config: files::config_folder(),
        log: log(),
        shell: kept.map_or_else(has_shell, |kept| kept.shell),
        inputs: args.inputs.iter().map(|given| format!("{}={}", given.name, given.from)).collect(),
        state: files::state_folder(),
        frame_stats: args.frame_stats.clone(),
        started,
    };
    if kept.is_some_and(|kept| !keeper::die_with_the_keeper(kept)) {
        // Nobody is there to give the terminal back to.
        return Ok(Exit::Signal(signal_hook::consts::SIGTERM));
    }
    let ended = loop {
        match run::run(&options, &file, &|notify| open(args, &file, notify)) {
            Ok(Ending::GoOn(session)) => file = session,
            ended => break ended,
        }
    };
    match ended {
        Ok(Ending::Left(session)) => {
            say_where(session.as_deref())?;
            Ok(Exit::Done)
        }
        Ok(Ending::GoOn(_)) => Ok(Exit::Done),
        Ok(Ending::Signal(number, save)) => {
            output::complain(&ended_by(number, kept, &save));
            Ok(Exit::Signal(number))
        }
        Err(Failure::Session(problems)) => Err(load::fail_all(&problems)),
        Err(Failure::Refused(text)) => {
            output::complain(&format!("{text}\n"));
            Err(Exit::BadInput)
        }
        Err(Failure::Terminal(error)) => {
            output::complain(&format!("error: The terminal cannot be used: {error}.\n"));
            Err(Exit::Environment)
        }
        Err(Failure::Fault) => Err(Exit::Fault),
    }
}

/// Reads the program or the session, and begins to record.
pub(super) fn open(args: &Screen, file: &Path, notify: Notifier) -> Result<Opened, NotOpened> {
    let backend = Arc::new(workers::devices());
    let failed = |problem: Diagnostic| NotOpened::Failed(Box::new(Problems::one(problem)));
    if load::is_session(file) {
        let bytes = load::read_log(file).map_err(failed)?;
        let place = match args.session.as_deref() {
            Some(other) if other != file => Place::New(other),
            _ => Place::FileIfWritable,
        };
        let watch = load::opening(file);
        let resumed = replay::resume(file, &bytes, place, backend, notify, &watch);
        drop(watch);
        let (session, warnings) = resumed.map_err(NotOpened::Failed)?;
        return Ok(Opened { session, warnings, unfinished: None });
    }
    let texts = files::read(file, &load::places(&args.program.rules)).map_err(failed)?;
    let sizes = load::sizes(&args.program).map_err(failed)?;
    let def = args.program.def.as_deref();
    let mut session = Session::open(&texts, def, &sizes, backend, notify).map_err(NotOpened::Wrong)?;
    let warnings = session.workspace().problems.iter().filter(|problem| !problem.is_error());
    let mut warnings: Vec<String> = warnings.map(|warning| warning.message.clone()).collect();
    if let Err(problem) = session.start_log(args.session.as_deref()) {
        // A place that the user named must work; the state folder may be missing, and the work goes on.
        if args.session.is_some() {
            return Err(failed(problem));
        }
        warnings.push(format!("This session is not on the disk. {} {WAY_OUT}", problem.message));
    }
    // A place that was named for this session is for this one.
    let unfinished = if args.session.is_none() { unfinished(file) } else { None };
    Ok(Opened { session, warnings, unfinished })
}

/// The session of the program that was never left.
fn unfinished(program: &Path) -> Option<Unfinished> {
    let found = listing::unfinished(program)?;
    let what = format!("{}, last on {}", sessions::actions(found.actions), sessions::when(found.changed));
    Some(Unfinished { session: found.session, what })
}

/// What is said after a signal, to whoever still reads it.
fn ended_by(number: i32, kept: Option<keeper::Kept>, save: &SaveState) -> String {
    let name = match kept {
        Some(kept) if !kept.lives() => "the end of the process that keeps its terminal",
        _ => signal_hook::low_level::signal_name(number).unwrap_or("a signal"),
    };
    let (lost, what) = match leaving::unsaved(save) {
        None => (String::new(), "Nothing that you did is lost: the session"),
        Some(why) => (format!(" {why}"), "What was done before"),
    };
    let session = save.path.as_ref().map_or_else(String::new, |path| {
        format!(" {what} is in {} ; `shine-tui {}` opens it again.", path.display(), shell(path))
    });
    format!("shine-tui was ended by {name}.{lost}{session}\n")
}

/// Says where the session is, for whoever wants to go on with it.
fn say_where(session: Option<&Path>) -> Result<(), Exit> {
    let Some(path) = session else { return Ok(()) };
    let path: PathBuf = path.to_owned();
    output::print(&format!("The session is in {}\n", path.display()))
}
