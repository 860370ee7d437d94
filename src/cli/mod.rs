//! The program's door: arguments, subcommands and exit codes.

mod apply;
mod args;
mod bench;
mod compile;
mod completions;
mod devices;
mod doctor;
mod exit;
mod explain;
mod export;
mod fmt;
mod line;
mod load;
mod man;
mod output;
mod outputs;
mod patterns;
mod replay;
mod rules;
mod run;
mod screen;
mod search;
mod sessions;
mod stop;
mod strategies;
mod tune;
mod unguided;
mod workers;

use crate::lang::diag::{Diagnostic, nearest};
use crate::ui::keeper;
use args::{Cli, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use exit::Exit;
use rustix::process::{Resource, getrlimit};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Stack of the thread that the program runs on, in bytes: terms nest deeply. Untouched pages cost nothing.
const STACK: usize = 256 << 20;

/// What a limit on stacks (`ulimit -s`) must leave to the first thread, in bytes.
const LEAST_STACK: u64 = 256 << 10;

/// What a limit on memory (`ulimit -v`) must leave to start with, in bytes: the stacks of this thread, of a job and of what
/// looks something up meanwhile, with what the allocator sets aside for each, and those of a run.
const LEAST_MEMORY: u64 = 1700 << 20;

/// What is wrong with the arguments, with the code that such problems have.
fn usage(message: &str) -> String {
    // No name of anything here begins with dashes, so what comes of the advice to pass it on is the next error.
    let useful = |line: &&str| !line.trim_start().starts_with("tip: to pass '");
    let message = message.split_inclusive('\n').filter(useful).collect::<String>().replace("\n\n\n", "\n\n");
    match message.strip_prefix("error:") {
        Some(rest) => format!("error[E0901]:{rest}"),
        None => format!("error[E0901]: No command is named.\n\n{message}"),
    }
}

/// What other tools call the commands.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["check", "typecheck", "build", "lint", "emit", "codegen", "cc"], "compile"),
    (&["benchmark", "time", "measure", "profile", "perf"], "bench"),
    (&["optimise", "optimize", "autotune", "schedule"], "tune"),
    (&["exec", "execute", "eval", "test"], "run"),
    (&["format", "pretty"], "fmt"),
    (&["rewrite", "transform", "step"], "apply"),
    (&["saturate", "explore"], "search"),
    (&["history", "recent"], "sessions"),
];

/// The command whose name is nearly this, or that is called so elsewhere.
fn nearly(word: &str) -> Option<String> {
    if let Some((_, command)) = ELSEWHERE.iter().find(|(words, _)| words.contains(&word)) {
        return Some((*command).to_owned());
    }
    let cli = Cli::command();
    nearest(word, cli.get_subcommands().filter(|c| !c.is_hide_set()).map(clap::Command::get_name))
        .map(str::to_owned)
}

/// What to do instead of a command that there is not.
fn instead(word: &str) -> String {
    if matches!(word, "version" | "ver") || nearest(word, ["version"]).is_some() {
        return "`shine-tui --version` says which version this is.".to_owned();
    }
    let all = || {
        "`shine-tui --help` lists the commands. A program is opened by `shine-tui PROGRAM.rise`.".to_owned()
    };
    nearly(word).map_or_else(all, |near| format!("Did you mean the command `{near}`?"))
}

/// Is it the name of a file that the screen opens, or one that is there?
fn is_file(word: &str) -> bool {
    let path = std::path::Path::new(word);
    path.exists() || path.extension().is_some_and(|e| e == "rise" || e == "ron")
}

/// What is said where the first word was meant for a command, or the command stands behind its program.
fn misplaced_command(arguments: &[OsString]) -> Option<Diagnostic> {
    let first = arguments.get(1)?.to_str()?;
    let second = arguments.get(2).and_then(|second| second.to_str());
    let cli = Cli::command();
    let is_command = |word: &str| cli.find_subcommand(word).is_some();
    if first.starts_with('-') || is_command(first) {
        return None;
    }
    // `help` is a command that explains others.
    let first = second.filter(|_| first == "help").unwrap_or(first);
    if is_file(first) {
        let command = second.filter(|second| is_command(second))?;
        let problem =
            Diagnostic::error("E0901", format!("The command `{command}` stands behind its program."));
        return Some(problem.hint(format!("Write `shine-tui {command} {first}`.")));
    }
    let problem = Diagnostic::error("E0901", format!("There is no command `{first}`."));
    Some(problem.hint(instead(first)))
}

/// What is said where options of the screen stand before a command.
fn of_the_screen(problem: &clap::Error, arguments: &[OsString]) -> Option<Diagnostic> {
    if problem.kind() != ErrorKind::ArgumentConflict {
        return None;
    }
    let cli = Cli::command();
    let words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let command = words.clone().find(|word| cli.find_subcommand(word).is_some())?;
    let option = words.take_while(|word| *word != command).find(|word| word.starts_with('-'))?;
    let message = format!("`{option}` is an option of the screen, and `{command}` opens none.");
    let hint = format!("`shine-tui {command} --help` lists what the command takes, behind its name.");
    Some(Diagnostic::error("E0901", message).hint(hint))
}

/// `rules show NAME`, where the name alone is enough.
fn shown_hint(arguments: &[OsString]) -> Option<String> {
    let word = |i: usize| arguments.get(i).and_then(|a| a.to_str());
    let (command, verb, name) = (word(1)?, word(2)?, word(3)?);
    let shows = matches!(command, "rules" | "strategies" | "patterns" | "explain");
    let asks =
        matches!(verb, "show" | "info" | "describe" | "get" | "view" | "print" | "explain" | "cat" | "help");
    (shows && asks && !name.starts_with('-'))
        .then(|| format!("\n = hint: Its name alone is enough: `shine-tui {command} {name}`.\n"))
}

/// What may have been meant by an argument that a command does not take: a strategy where it takes one by an option, or the
/// value of a size.
fn argument_hint(problem: &clap::Error, arguments: &[OsString]) -> Option<String> {
    let ContextValue::String(unexpected) = problem.get(ContextKind::InvalidArg)? else { return None };
    let name = arguments.get(1)?.to_str()?;
    let command = Cli::command();
    let takes_one = command.find_subcommand(name)?.get_arguments().any(|a| a.get_long() == Some("strategy"));
    let at = arguments.iter().position(|a| a.to_str() == Some(unexpected))?;
    let before = |n: usize| at.checked_sub(n).and_then(|i| arguments.get(i)?.to_str());
    // A name and its value with a space between them.
    if let (Some("--size"), Some(size)) = (before(2), before(1))
        && !size.contains('=')
        && !unexpected.starts_with('-')
    {
        return Some(format!("\n = hint: Write `--size {size}={unexpected}`.\n"));
    }
    let takes_data = command.find_subcommand(name)?.get_arguments().any(|a| a.get_long() == Some("input"));
    if takes_data && crate::session::data::is_data(std::path::Path::new(unexpected)) {
        return Some(format!(
            "\n = hint: What a parameter is stands behind `--input`, with its name: `--input NAME={unexpected}`.\n"
        ));
    }
    let unknown = problem.kind() == ErrorKind::UnknownArgument;
    let meant = unknown && takes_one && !unexpected.starts_with('-') && !is_file(unexpected);
    meant.then(|| {
        format!(
            "\n = hint: A strategy is given by `-s`, as in `shine-tui {name} PROGRAM.rise -s 'tile(4, 4)'`.\n"
        )
    })
}

/// How a command ends that only prints what is asked for.
fn printed(done: io::Result<()>) -> Exit {
    match done.and_then(|()| io::stdout().flush()) {
        Ok(()) => Exit::Done,
        Err(e) => output::unwritten(&e),
    }
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let started = Instant::now();
    if std::env::args_os().nth(1).is_some_and(|argument| argument == crate::device::worker::FLAG) {
        return crate::device::worker::main();
    }
    // Reading the command line takes more of this thread's stack than that.
    if let Some(limit) = getrlimit(Resource::Stack).current.filter(|limit| *limit < LEAST_STACK) {
        output::complain(&format!(
            "error[E0811]: The stack is limited to {} KiB, and {} KiB are the least to start with.\n = hint: Raise the limit \
             (`ulimit -s`).\n",
            limit >> 10,
            LEAST_STACK >> 10
        ));
        return Exit::Environment.into();
    }
    // A write beyond the limit for the size of files (`ulimit -f`) is to fail as it does on a full disk, where the
    // signal alone would end the program. If this cannot be had, the program is as it was.
    let _ = signal_hook::flag::register(libc::SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let (kept, arguments) = keeper::kept(std::env::args_os().collect());
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(e) => {
            if !e.use_stderr() {
                return printed(e.print()).into();
            }
            if let Some(problem) = misplaced_command(&arguments).or_else(|| of_the_screen(&e, &arguments)) {
                return load::fail(&problem).into();
            }
            output::complain(&usage(&e.render().to_string()));
            if let Some(hint) = shown_hint(&arguments).or_else(|| argument_hint(&e, &arguments)) {
                output::complain(&hint);
            }
            return Exit::BadInput.into();
        }
    };
    if let Some(limit) = getrlimit(Resource::As).current.filter(|limit| *limit < LEAST_MEMORY) {
        output::complain(&format!(
            "error[E0811]: Memory is limited to {} MiB, and {} MiB are the least to start with.\n = hint: Raise the limit \
             (`ulimit -v`).\n",
            limit >> 20,
            LEAST_MEMORY >> 20
        ));
        return Exit::Environment.into();
    }
    cli.worker.iter().for_each(|command| workers::start_by(command));
    if let (None, None, Some(_)) = (kept, &cli.command, &cli.screen.file)
        && let Some(code) = keeper::keep(&arguments, &screen::log())
    {
        return ExitCode::from(code);
    }
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || run(&cli, kept, started).unwrap_or_else(|exit| exit));
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(exit)) => exit.into(),
        // The panic has said what happened.
        Ok(Err(_)) => ExitCode::from(4),
        Err(e) => {
            output::complain(&format!("error[E0811]: No thread can be started: {e}.\n"));
            Exit::Environment.into()
        }
    }
}

fn run(cli: &Cli, kept: Option<keeper::Kept>, started: Instant) -> Result<Exit, Exit> {
    match &cli.command {
        None => screen::run(&cli.screen, kept, started),
        Some(Command::Line(args)) => line::run(args),
        Some(Command::Worker) => {
            output::complain(&format!(
                "error[E0706]: The worker cannot be started: {}.\n",
                crate::device::worker::serve()
            ));
            Err(Exit::Environment)
        }
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Export(args)) => export::run(args),
        Some(Command::Replay(args)) => replay::run(args),
        Some(Command::Compile(args)) => compile::run(args),
        Some(Command::Apply(args)) => apply::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Tune(args)) => tune::run(args),
        Some(Command::Search(args)) => search::run(args),
        Some(Command::Unguided(args)) => unguided::run(args),
        Some(Command::Sessions(args)) => sessions::run(args),
        Some(Command::Devices(args)) => devices::run(args),
        Some(Command::Rules(args)) => rules::run(args),
        Some(Command::Strategies(args)) => strategies::run(args),
        Some(Command::Patterns(args)) => patterns::run(args),
        Some(Command::Fmt(args)) => fmt::run(args),
        Some(Command::Explain(args)) => explain::run(args),
        Some(Command::Man { folder }) => man::run(folder.as_deref()),
        Some(Command::Completions { shell }) => completions::run(*shell),
    }
}
