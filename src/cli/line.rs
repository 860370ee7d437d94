//! `shine-tui line`: the assistant as plain text.

use super::args::Line as Args;
use super::exit::Exit;
use super::{load, output, screen, stop};
use crate::lang::diag::Diagnostic;
use crate::session::files::shell;
use crate::session::workspace::Problems;
use crate::ui::actions;
use crate::ui::app::{App, Setup};
use crate::ui::capabilities::{Capabilities, ColourChoice, Depth};
use crate::ui::keys::Keymap;
use crate::ui::leaving;
use crate::ui::line::Dialogue;
use crate::ui::panes::jobs;
use crate::ui::queries::Queries;
use crate::ui::run::{NotOpened, Notifier, Opened};
use crate::ui::splits::Splits;
use crate::ui::theme::Theme;
use crate::view::Role;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use std::collections::VecDeque;
use std::io::{BufRead, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// What arrives while the dialogue waits.
enum Input {
    Line(String),
    /// A line that is too long, which was left out.
    TooLong,
    /// No line follows.
    End,
    /// Something that runs has news.
    News,
    /// Ctrl-C.
    Interrupt,
    /// Another signal to end.
    Ended(i32),
}

/// How a dialogue ended.
#[derive(PartialEq, Eq)]
enum Ending {
    /// It was left, or no line follows.
    Left,
    /// By Ctrl-C.
    Interrupted,
    /// By another signal.
    Signal(i32),
}

/// How often it is looked whether something has changed that nobody told of.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long it may take to end because of a signal.
const LEAVING: Duration = Duration::from_secs(10);

/// A line longer than this is refused, in bytes: nobody types one.
const LONGEST: usize = 1 << 20;

/// Reads lines until the end of the input or `quit`. Exits with 1 where a line was refused and nobody sat there to read why.
pub fn run(args: &Args) -> Result<Exit, Exit> {
    let (sender, inputs) = channel();
    let news = std::sync::Mutex::new(sender.clone());
    let notify: Notifier = Arc::new(move || {
        let sender = news.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = sender.send(Input::News);
    });
    let Opened { session, warnings, unfinished } = open(args, notify.clone())?;
    let env = |name: &str| std::env::var(name).ok();
    let terminal =
        Capabilities::decide(ColourChoice::Depth(Depth::Mono), ColourChoice::Auto, args.screen.ascii, &env);
    let inputs_of = |given: &crate::session::data::Given| format!("{}={}", given.name, given.from);
    let setup = Setup {
        folder: None,
        mouse: false,
        splits: Splits::default(),
        terminal,
        theme: Theme::default(),
        keys: Keymap::of_names(),
        editor: None,
        inputs: args.screen.inputs.iter().map(inputs_of).collect::<Vec<_>>().join(" "),
    };
    let complain = |text: String| output::complain(&terminal.alphabet.printed(text));
    let app = App::new(session, setup, Queries::new(notify), (args.columns, 100));
    let mut dialogue = Dialogue::new(app, args.columns);
    dialogue.app().session.set_open(true);
    for warning in warnings {
        complain(format!("warning: {warning}\n"));
    }
    if let Some(unfinished) = unfinished {
        complain(format!(
            "note: A session of this program was never left, with {}: `shine-tui line {}` goes on with it.\n",
            unfinished.what,
            shell(&unfinished.session)
        ));
    }
    let reads_a_person = std::io::stdin().is_terminal();
    let unheard = hear_signals(sender.clone())?;
    read_lines(sender)?;
    let (mut dialogue, ending) = talk(dialogue, &inputs, reads_a_person, &unheard)?;
    let left = dialogue.has_left();
    let session = &mut dialogue.app().session;
    session.look_at_log_last();
    // What a signal has ended was never left.
    session.set_open(matches!(ending, Ending::Signal(_)));
    // Who left was asked, and has answered.
    if let Some(why) = leaving::unsaved(&session.save_state()).filter(|_| !left) {
        complain(format!(
            "error[E0805]: {why}\n = hint: No line follows that could save it, so it is gone. Make room for it and run this again, or write \
             `save FILE` as the last line, which puts all of it in another place.\n"
        ));
        return Err(Exit::Environment);
    }
    Ok(match ending {
        Ending::Interrupted => Exit::Interrupted,
        Ending::Signal(number) => Exit::Signal(number),
        Ending::Left if dialogue.refused() > 0 && !reads_a_person => Exit::Finding,
        Ending::Left => Exit::Done,
    })
}

fn open(args: &Args, notify: Notifier) -> Result<Opened, Exit> {
    let Some(file) = &args.screen.file else {
        let problem = Diagnostic::error("E0901", "No program is named.").hint(
            "`shine-tui line PROGRAM.rise` opens a program, `shine-tui line SESSION.ron` a saved session.",
        );
        return Err(load::fail_all(&Problems::one(problem)));
    };
    match screen::open(&args.screen, file, notify) {
        Ok(opened) => Ok(opened),
        Err(NotOpened::Wrong(problems) | NotOpened::Failed(problems)) => Err(load::fail_all(&problems)),
    }
}

/// Reads the input on a thread of its own, so that news are heard meanwhile.
fn read_lines(sender: Sender<Input>) -> Result<(), Exit> {
    beside(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut bytes = Vec::new();
            let limit = LONGEST as u64 + 1;
            let read = std::io::Read::take(&mut input, limit).read_until(b'\n', &mut bytes);
            let said = match read {
                Ok(n) if n > 0 && n <= LONGEST => Input::Line(String::from_utf8_lossy(&bytes).into_owned()),
                Ok(n) if n > LONGEST => Input::TooLong,
                _ => Input::End,
            };
            let (ends, rest) = (matches!(said, Input::End), matches!(said, Input::TooLong));
            if sender.send(said).is_err() || ends {
                return;
            }
            // What follows of a line that is too long is no line of its own.
            if rest && bytes.last() != Some(&b'\n') && input.skip_until(b'\n').is_err() {
                let _ = sender.send(Input::End);
                return;
            }
        }
    })
}

/// Listens to signals that end it on a thread of its own. What it gives is set while a Ctrl-C was not answered yet; a second
/// one then ends the program as if nobody listened. So does another signal that is not answered for long: `timeout` sends
/// each twice.
fn hear_signals(sender: Sender<Input>) -> Result<Arc<AtomicBool>, Exit> {
    let mut signals = Signals::new(stop::ending()).map_err(|e| {
        load::fail(&Diagnostic::error("E0805", format!("Signals cannot be listened to: {e}.")))
    })?;
    let unheard = Arc::new(AtomicBool::new(false));
    let waits = unheard.clone();
    beside(move || {
        for signal in signals.forever() {
            if signal != SIGINT {
                let _ = beside(move || {
                    std::thread::sleep(LEAVING);
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                });
                if sender.send(Input::Ended(signal)).is_err() {
                    return;
                }
                continue;
            }
            if waits.swap(true, Ordering::Relaxed) {
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
            if sender.send(Input::Interrupt).is_err() {
                return;
            }
        }
    })?;
    Ok(unheard)
}

fn beside(work: impl FnOnce() + Send + 'static) -> Result<(), Exit> {
    std::thread::Builder::new().spawn(work).map(|_| ()).map_err(|e| {
        output::complain(&format!("error[E0811]: No thread can be started: {e}.\n"));
        Exit::Environment
    })
}

fn talk(
    mut dialogue: Dialogue,
    inputs: &Receiver<Input>,
    person: bool,
    unheard: &AtomicBool,
) -> Result<(Dialogue, Ending), Exit> {
    // A line that was too long is none.
    let mut waiting: VecDeque<Option<String>> = VecDeque::new();
    let mut ended = false;
    let mut prompted = false;
    // Whether a line was: what runs before that nobody asked for.
    let mut taken = false;
    // Whether what runs was interrupted.
    let mut interrupted = false;
    loop {
        let next = waiting.front().and_then(Option::as_deref);
        if dialogue.is_busy() && taken && next.is_some_and(is_of_what_runs) {
            if let Some(Some(line)) = waiting.pop_front() {
                dialogue.take(&line);
                output::print(&dialogue.output())?;
            }
            continue;
        }
        if !dialogue.is_busy() {
            output::print(&dialogue.output())?;
            if dialogue.has_left() {
                return Ok((dialogue, Ending::Left));
            }
            // Who wrote a script is not there to say how it goes on.
            if std::mem::replace(&mut interrupted, false) && !person {
                return Ok((dialogue, Ending::Interrupted));
            }
            if waiting.front().is_some_and(|line| line.as_ref().is_some_and(|line| dialogue.awaits(line))) {
                continue;
            }
            if let Some(line) = waiting.pop_front() {
                match line {
                    Some(line) => {
                        taken = true;
                        dialogue.take(&line);
                    }
                    None => dialogue.app().say(Role::Error, too_long()),
                }
                prompted = false;
                continue;
            }
            if ended {
                return Ok((dialogue, Ending::Left));
            }
            if person && !std::mem::replace(&mut prompted, true) {
                output::print("> ")?;
            }
        }
        match inputs.recv_timeout(PATIENCE) {
            // What the system had no thread for is tried again.
            Ok(Input::News) | Err(RecvTimeoutError::Timeout) => {
                actions::news(dialogue.app());
                dialogue.app().settle();
            }
            // Who is there means what runs now, whatever was typed behind it.
            Ok(Input::Line(line)) if person && dialogue.is_busy() && is_of_what_runs(&line) => {
                dialogue.take(&line);
                output::print(&dialogue.output())?;
            }
            Ok(Input::Line(line)) => {
                prompted = false;
                waiting.push_back(Some(line));
            }
            Ok(Input::TooLong) => waiting.push_back(None),
            Ok(Input::Interrupt) => {
                unheard.store(false, Ordering::Relaxed);
                // What runs is stopped, and says how far it came. What does not end then is not waited for.
                if !dialogue.is_busy() || std::mem::replace(&mut interrupted, true) {
                    output::print("\n")?;
                    return Ok((dialogue, Ending::Interrupted));
                }
                jobs::cancel(dialogue.app());
                output::print(&dialogue.output())?;
            }
            // What runs keeps what it has; there may be nobody any more who reads of it.
            Ok(Input::Ended(signal)) => {
                dialogue.app().session.stop_all();
                actions::news(dialogue.app());
                let _ = output::print(&dialogue.output());
                return Ok((dialogue, Ending::Signal(signal)));
            }
            Ok(Input::End) => ended = true,
            Err(RecvTimeoutError::Disconnected) => return Ok((dialogue, Ending::Left)),
        }
    }
}

/// What runs can be stopped and asked after; all other lines wait for its end.
fn is_of_what_runs(line: &str) -> bool {
    ["cancel", "jobs"].contains(&line.trim())
}

/// What is said of a line that is too long.
fn too_long() -> String {
    format!(
        "A line of more than {} MiB was left out: none may be longer. What is long is written into a file beside the program, as a \
         strategy with a name.",
        LONGEST >> 20
    )
}
