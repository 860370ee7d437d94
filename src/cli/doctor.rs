//! `shine-tui doctor`: is all there that this tool works with, and what is to be installed?

use super::args::Json;
use super::exit::Exit;
use super::output;
use super::workers;
use crate::device::{Backend, DeviceInfo, DeviceKind, RunControl, threads};
use crate::lang::diag::{Diagnostic, Sources};
use crate::lang::path::Path as Position;
use crate::session::Session;
use crate::session::action::{Action, Outcome, Sizes};
use crate::session::auto;
use crate::session::bench::target_of;
use crate::session::files::{self, Places, Text, Texts};
use crate::session::whole::{is_full, nearest, room_for};
use crate::session::workspace::Workspace;
use crate::ui::capabilities::{Capabilities, ColourChoice, is_dumb};
use crate::ui::run::problems_of_configuration;
use crate::ui::screen;
use crate::view::Alphabet;
use crate::view::problem::in_a_line;
use serde_json::json;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How much a finding matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Something is missing that the tool works without.
    Without,
    /// Something does not work that should.
    Wrong,
}

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    state: State,
    found: String,
    advice: Option<String>,
}

impl Finding {
    fn good(what: &'static str, found: impl Into<String>) -> Finding {
        Finding { what, state: State::Good, found: found.into(), advice: None }
    }

    fn bad(what: &'static str, state: State, found: impl Into<String>, advice: &str) -> Finding {
        let advice = (!advice.is_empty()).then(|| advice.to_owned());
        Finding { what, state, found: found.into(), advice }
    }
}

const COMPILER: &str = "Install a C compiler, such as gcc (Debian, Ubuntu: `apt install gcc`; Fedora: `dnf install gcc`; \
                        macOS: `xcode-select --install`), or name one in CC.";
const OPENMP: &str = "Kernels run on one thread. gcc has OpenMP; for clang install its runtime (Debian, Ubuntu: `apt install libomp-dev`).";
const OPENCL: &str = "For OpenCL install a loader and a driver (Debian, Ubuntu: `apt install ocl-icd-libopencl1 \
                      pocl-opencl-icd`; of GPUs the maker's driver).";

/// Looks, and tells. Exits with 3 when something does not work that should.
pub fn run(args: &Json) -> Result<Exit, Exit> {
    let mut findings = Vec::new();
    let temporary = temporary();
    // Without temporary files nothing is compiled, whatever compilers there are.
    if temporary.state == State::Good {
        devices(&mut findings);
    } else {
        let found = "Nothing was looked at, since temporary files cannot be written.";
        findings.push(Finding::bad("devices", State::Without, found, ""));
    }
    findings.push(temporary);
    terminal(&mut findings);
    folders(&mut findings);
    let wrong = findings.iter().any(|f| f.state == State::Wrong);
    if args.json {
        let all: Vec<_> = findings
            .iter()
            .map(|f| {
                let state = match f.state {
                    State::Good => "good",
                    State::Without => "without",
                    State::Wrong => "wrong",
                };
                json!({ "what": f.what, "state": state, "found": f.found, "advice": f.advice })
            })
            .collect();
        output::json(&json!({ "version": env!("CARGO_PKG_VERSION"), "findings": all }))?;
    } else {
        output::print(&format!("shine-tui {}\n", env!("CARGO_PKG_VERSION")))?;
        for f in &findings {
            let sign = match f.state {
                State::Good => "good   ",
                State::Without => "without",
                State::Wrong => "WRONG  ",
            };
            output::print(&format!("{sign}  {:<14}{}\n", f.what, f.found))?;
            if let Some(advice) = &f.advice {
                output::print(&format!("{:25}{advice}\n", ""))?;
            }
        }
    }
    Ok(if wrong { Exit::Environment } else { Exit::Done })
}

fn devices(out: &mut Vec<Finding>) {
    let cancel = AtomicBool::new(false);
    let mut control = RunControl { cancel: &cancel, progress: &mut |_| {} };
    let backend: Arc<dyn Backend> = Arc::new(workers::devices());
    let list = match backend.list(&mut control) {
        Ok(list) => list,
        Err(problem) => {
            let advice = problem.hint.as_deref().unwrap_or_default();
            return out.push(Finding::bad("worker", State::Wrong, problem.to_string(), advice));
        }
    };
    // That of the compiler is the first.
    let mut notes = list.notes.iter().peekable();
    let mut host_works = true;
    for device in &list.devices {
        let host = device.kind == DeviceKind::Host;
        let what = if host { "C compiler" } else { "OpenCL" };
        if let Some(problem) = &device.problem {
            // A note says what can be done, too.
            let note = notes.next_if(|_| host);
            let advice = if host && note.is_none() { COMPILER } else { "" };
            let problem = note.unwrap_or(problem);
            host_works &= !host;
            out.push(Finding::bad(what, State::Wrong, format!("{}: {problem}", device.id), advice));
            continue;
        }
        let about: Vec<&str> =
            [&*device.id, &device.version, &device.driver].into_iter().filter(|t| !t.is_empty()).collect();
        out.push(Finding::good(what, about.join(", ")));
        let (finding, threads) = tried(device, &backend);
        if host && !device.openmp {
            out.push(Finding::bad("OpenMP", State::Without, "The compiler knows no OpenMP.", OPENMP));
        } else if host {
            out.push(threads_of(device, threads, &backend.surroundings()));
        }
        out.push(finding);
    }
    if list.devices.iter().all(|device| device.kind == DeviceKind::Host) {
        let does_without = if host_works { "The device `cpu` does without. " } else { "" };
        let found = match notes.next() {
            Some(note) => Finding::bad("OpenCL", State::Without, note.clone(), ""),
            None => {
                let advice = format!("{does_without}{OPENCL}");
                Finding::bad("OpenCL", State::Without, "No OpenCL device was found.", &advice)
            }
        };
        out.push(found);
    } else {
        out.extend(notes.map(|note| Finding::bad("OpenCL", State::Without, note.clone(), "")));
    }
}

/// On how many threads parallel loops ran, how these run, and what of that is set in the environment.
fn threads_of(device: &DeviceInfo, ran: Option<u32>, set: &[String]) -> Finding {
    const WHAT: &str = "threads";
    let most = device.compute_units;
    let threads = match ran {
        Some(ran) if ran < most => format!("{ran} of {most}"),
        Some(ran) => ran.to_string(),
        None => format!("{most} at the most"),
    };
    let found = match set {
        [] => format!("{threads}, each on a processor of its own, which wait for each other awake"),
        set => format!("{threads}, and as the environment says: {}", set.join(" ")),
    };
    match threads::slow(set) {
        Some(slow) => Finding::bad(WHAT, State::Without, found, &slow),
        None => Finding::good(WHAT, found),
    }
}

/// A small program is compiled, run and checked on the device; on how many threads of the host, if it could be.
fn tried(device: &DeviceInfo, backend: &Arc<dyn Backend>) -> (Finding, Option<u32>) {
    const WHAT: &str = "a program";
    let mut threads = None;
    let texts = own_program();
    let sizes: Sizes = [("n".into(), 37), ("m".into(), 53)].into_iter().collect();
    let session = Session::open(&texts, None, &sizes, backend.clone(), Arc::new(|| {}));
    let ran = session.map_err(|problems| problems.first()).and_then(|mut session| {
        let target = target_of(&device.id);
        let text = auto::for_target("auto", target, session.workspace()).to_owned();
        session.perform_now(Action::Strategy { text, at: Position::root() })?;
        let done = session.perform_now(Action::Bench { device: device.id.clone() });
        threads = session.threads();
        done
    });
    let finding = match ran {
        Ok(Outcome::Measured(m)) => Finding::good(WHAT, format!("runs on {}: {}", device.id, m.check)),
        Ok(_) => Finding::bad(WHAT, State::Wrong, format!("{} gave no time.", device.id), ""),
        Err(problem) => {
            let hint = problem.hints.first().cloned().unwrap_or_default();
            Finding::bad(WHAT, State::Wrong, format!("{}: {}", device.id, problem.message), &hint)
        }
    };
    (finding, threads)
}

fn terminal(out: &mut Vec<Finding>) {
    let env = |name: &str| std::env::var(name).ok();
    let what = "terminal";
    if !std::io::stdout().is_terminal() {
        let found = "The output is no terminal, so nothing was looked at.";
        return out.push(Finding::bad(what, State::Without, found, ""));
    }
    if is_dumb(&env) {
        let found = "The terminal cannot place a cursor (TERM is unset or `dumb`).";
        return out.push(Finding::bad(
            what,
            State::Without,
            found,
            "`shine-tui line` does without a screen.",
        ));
    }
    let known = Capabilities::decide(ColourChoice::Auto, ColourChoice::Auto, false, &env);
    let (columns, rows) = screen::size().unwrap_or_default();
    let name = env("TERM").unwrap_or_default();
    let depth = match known.depth {
        crate::ui::capabilities::Depth::Mono => "no colours",
        crate::ui::capabilities::Depth::Ansi16 => "16 colours",
        crate::ui::capabilities::Depth::Ansi256 => "256 colours",
        crate::ui::capabilities::Depth::True => "all colours",
    };
    out.push(Finding::good(what, format!("{name}, {columns} columns and {rows} rows, {depth}")));
    if known.alphabet == Alphabet::Ascii {
        let advice = "Set a UTF-8 locale, such as LANG=C.UTF-8, for the characters of RISE.";
        out.push(Finding::bad("locale", State::Without, "The locale is not UTF-8; ASCII is shown.", advice));
    }
    if columns < 80 || rows < 24 {
        let found = format!("At {columns} columns and {rows} rows one pane is shown at a time.");
        out.push(Finding::bad("size", State::Without, found, "From 120 columns and 30 rows on four are."));
    }
}

fn folders(out: &mut Vec<Finding>) {
    match files::state_folder() {
        Some(folder) => out.push(writable("sessions", &folder)),
        None => out.push(Finding::bad(
            "sessions",
            State::Wrong,
            "There is no folder for sessions, so none is recorded.",
            "Set HOME, or SHINE_STATE_DIR.",
        )),
    }
    let Some(folder) = files::config_folder() else { return };
    let mut problems = problems_of_configuration(&folder);
    problems.extend(problems_of_definitions(&folder));
    if !folder.is_dir() && folder.exists() {
        problems.push(format!("{} is no folder.", folder.display()));
    }
    if problems.is_empty() {
        let is_there = folder.is_dir();
        let none = if is_there { "" } else { ", which is not there: all is as it comes" };
        out.push(Finding::good("configuration", format!("{}{none}", folder.display())));
    }
    out.extend(problems.into_iter().map(|p| Finding::bad("configuration", State::Wrong, p, "")));
}

/// What is wrong with the rules and strategies of the configuration folder, which every command reads.
fn problems_of_definitions(folder: &Path) -> Vec<String> {
    let places = Places { rules: vec![], config: Some(folder.to_path_buf()) };
    let found = match files::read_definitions(&places, &[]) {
        Ok(files) => Workspace::load(&Texts { files, ..own_program() }, None),
        Err(problem) => return vec![problem.message],
    };
    let place = |problem: &Diagnostic, sources: &Sources| {
        let file = problem.span().and_then(|span| Some(sources.get(span.file)?.name.to_string()));
        let said = in_a_line(problem);
        file.map_or(said.clone(), |file| format!("{file}: {said}"))
    };
    match found {
        Ok(workspace) => workspace.errors().map(|problem| place(problem, &workspace.sources)).collect(),
        Err(problems) => problems.list.iter().map(|problem| place(problem, &problems.sources)).collect(),
    }
}

/// The program that is tried.
fn own_program() -> Texts {
    let program = Text {
        label: "doctor.rise".to_owned(),
        text: "def sums (a: n.m.f32): n.f32 = a |> map (reduce (+) 0)".to_owned(),
    };
    Texts { program, files: vec![], default_sizes: Default::default(), origin: Default::default() }
}

/// Whether a file can be made in the folder of temporary files, which nobody else makes.
fn temporary() -> Finding {
    let folder = std::env::temp_dir();
    match folder.is_dir() {
        true => writable("temporary", &folder),
        false => Finding::bad(
            "temporary",
            State::Wrong,
            format!("There is no folder {}.", folder.display()),
            "Make it, or name another one in TMPDIR.",
        ),
    }
}

/// As much is written to try a folder, in bytes: on a full disk a file can often be made, but nothing be put into it.
const TRIED: usize = 16 << 10;

/// Whether a file can be written in a folder, or the folder itself be made; it is not made for that.
fn writable(what: &'static str, folder: &Path) -> Finding {
    let is_there = folder.is_dir();
    let name = format!(".doctor-{}", std::process::id());
    let tried = room_for(folder).and_then(|()| {
        if !is_there {
            // Where one folder can be made, another can.
            let other = nearest(folder).join(&name);
            return std::fs::create_dir(&other).and_then(|()| std::fs::remove_dir(&other));
        }
        let file = folder.join(&name);
        let mut new = std::fs::OpenOptions::new().write(true).create_new(true).open(&file)?;
        let written = new.write_all(&[b' '; TRIED]).and_then(|()| new.sync_data());
        std::fs::remove_file(&file).and(written)
    });
    match tried {
        Ok(()) if is_there => Finding::good(what, folder.display().to_string()),
        Ok(()) => Finding::good(what, format!("{}, which is made when it is needed", folder.display())),
        Err(e) => Finding::bad(
            what,
            State::Wrong,
            format!("Nothing can be written to {}: {e}.", folder.display()),
            match e.kind() {
                _ if is_full(&e) => "Make room there, or name another folder (SHINE_STATE_DIR, TMPDIR).",
                ErrorKind::NotADirectory => {
                    "Move that file away, or name another folder (SHINE_STATE_DIR, TMPDIR)."
                }
                _ => {
                    "Give yourself the right to write there, or name another folder (SHINE_STATE_DIR, TMPDIR)."
                }
            },
        ),
    }
}
