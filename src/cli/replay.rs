//! `shine-tui replay`: do recorded sessions still hold?

use super::args::{LevelChoice, Replay, SearchChoice};
use super::exit::Exit;
use super::load::{fail, fail_all, log_bytes, read_log};
use super::output;
use super::outputs::{self, Output, Replaces};
use super::workers;
use crate::lang::diag::Diagnostic;
use crate::session::beside::{self, Changed, Gone};
use crate::session::files::gives_sizes;
use crate::session::renew::{Renewal, renew};
use crate::session::replay::{Divergence, Event, Level, Note, Options, Times, Verdict, replay};
use crate::session::searching::SearchMode;
use crate::session::whole::{Asked, Whole, not_written};
use crate::session::workspace::Problems;
use crate::view::figures;
use crate::view::html::escaped;
use crate::view::text::one_line;
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What names the report.
const JUNIT: Asked<'static> = Asked { by: "--junit", force: false };

/// Replays every file and ends with the worst exit code of all.
pub fn run(args: &Replay) -> Result<Exit, Exit> {
    let options = Options {
        level: match args.level {
            LevelChoice::Terms => Level::Terms,
            LevelChoice::Kernels => Level::Kernels,
            LevelChoice::Results => Level::Results,
            LevelChoice::Performance => Level::Performance,
        },
        search: match args.search {
            SearchChoice::Trail => SearchMode::Trail,
            SearchChoice::Exact => SearchMode::Exact,
            SearchChoice::Free => SearchMode::Free,
        },
        device: args.device.clone(),
        backend: Arc::new(workers::devices()),
        foreign: args.allow_foreign,
        texts: IndexMap::new(),
    };
    if let Some(report) = &args.junit {
        not_replayed(report, &args.files)?;
        outputs::look(&[report_at(report, String::new())], args.force)?;
    }
    let mut worst = Exit::Done;
    let sessions = sessions(&args.files);
    if args.bless || args.repair {
        for file in sessions {
            worst =
                worst.worse(anew(file, &options, args.with_files, args.repair).unwrap_or_else(|exit| exit));
        }
        return Ok(worst);
    }
    let mut reports = vec![];
    let mut cases = vec![];
    for file in sessions {
        // One unreadable file does not keep the others from being replayed.
        let exit = match one(file, (&options, args.with_files), args.json.json, &mut reports, &mut cases) {
            Ok(exit) | Err(Failed::Told(exit)) => exit,
            Err(Failed::NotReplayed(problems)) => {
                let (file, why) = (file.display().to_string(), problems.first());
                reports.push(report(&file, "not replayed", 0, &[], &Value::Null, Some(&why)));
                cases.push(Case { file, outcome: Outcome::NotReplayed(why), told: vec![] });
                fail_all(&problems)
            }
        };
        worst = worst.worse(exit);
    }
    if args.json.json {
        output::json(&Value::Array(reports))?;
    }
    if let Some(report) = &args.junit {
        outputs::place(&[report_at(report, junit(&cases))], args.force)?;
    }
    Ok(worst)
}

/// The files without those that give sizes to programs, which `*.ron` names beside sessions; that they are left out is told.
/// Where there is no other, what is wrong with them is.
fn sessions(files: &[PathBuf]) -> Vec<&PathBuf> {
    let (sizes, sessions): (Vec<_>, Vec<_>) = files.iter().partition(|file| gives_sizes(file));
    if sessions.is_empty() {
        return sizes;
    }
    for file in sizes {
        output::complain(&format!(
            "{}: gives sizes to programs and is no session; it is left out\n",
            file.display()
        ));
    }
    sessions
}

/// The report as a file, which takes the place of an earlier one.
fn report_at(path: &Path, text: String) -> Output {
    let replaces = Replaces::Beginning(JUNIT_BEGINS, "no report of a replay");
    Output { path: path.to_path_buf(), text, replaces, option: "--junit" }
}

/// A session is not replaced by the report of its replay, whatever is forced and by whichever name it is reached.
fn not_replayed(report: &Path, sessions: &[PathBuf]) -> Result<(), Exit> {
    let place = |path: &Path| path.metadata().ok().map(|there| (there.dev(), there.ino()));
    let Some(there) = place(report) else { return Ok(()) };
    if sessions.iter().all(|session| place(session) != Some(there)) {
        return Ok(());
    }
    let problem = format!("`{}` is a session that is to be replayed.", report.display());
    let hint = "Name another place for the report with `--junit`.";
    Err(fail(&Diagnostic::error("E0918", problem).hint(hint)))
}

/// Writes a session that holds again: in its place what is accepted, beside it what was repaired.
fn anew(file: &Path, options: &Options, with_files: bool, repair: bool) -> Result<Exit, Exit> {
    let bytes = log_bytes(file)?;
    let (changed, gone) = (beside::changed(file, &bytes), beside::gone(file, &bytes));
    let options = &with_texts((options, with_files), &changed, &gone).map_err(|problem| fail(&problem))?;
    let how = if repair { Renewal::Repair } else { Renewal::Bless };
    let shown = output::Standing::default();
    let renewed = renew(&bytes, options, how, &|done, of| shown.show(&far(file, done, of)));
    drop(shown);
    let renewed = renewed.map_err(|problems| fail_all(&problems))?;
    let name = file.display();
    if renewed.is_as_it_was() && options.texts.is_empty() {
        output::print(&format!("{name}: agrees; nothing is written\n"))?;
        return Ok(Exit::Done);
    }
    if repair && renewed.is_as_it_was() {
        let text = "agrees with what is there now, so there is nothing to repair; nothing is written, and `--bless` takes it up";
        output::print(&format!("{name}: {text}\n"))?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{name}:\n");
    for Changed { path, held, there } in changed.values().filter(|_| with_files) {
        text += &format!("  `{}` is taken up:\n", path.display());
        output::diff(held, there).lines().for_each(|line| text += &format!("  {line}\n"));
    }
    renewed.accepted.iter().for_each(|d| text += &in_words(d));
    for (line, action, instead) in &renewed.repaired {
        text += &format!("  line {line}: {action} no longer leads to its state\n  instead: {instead}\n");
    }
    renewed.left_out.iter().for_each(|why| text += &format!("  {why}\n"));
    let place = if repair { file.with_extension("repaired.ron") } else { file.to_path_buf() };
    let written = Whole::write(&place, !repair, |out| out.write_all(renewed.text.as_bytes()));
    written.and_then(Whole::place).map_err(|e| {
        let mut problem = not_written(&place, &e, JUNIT);
        // Its name follows from the session's.
        problem.hints = vec![
            "Move away what lies there, or make its folder writable; the session is as it was.".to_owned(),
        ];
        fail(&problem)
    })?;
    output::print(&format!("{text}  written: {}\n", place.display()))?;
    Ok(Exit::Done)
}

/// Why there is no verdict on a file.
enum Failed {
    /// It cannot be read, or not replayed as it was asked for.
    NotReplayed(Box<Problems>),
    /// What was found out cannot be written, which was told.
    Told(Exit),
}

/// What came of a file, for programs. All files have the same fields.
fn report(
    file: &str,
    verdict: &str,
    records: usize,
    notes: &[String],
    divergence: &Value,
    error: Option<&Diagnostic>,
) -> Value {
    let error = error.map(|e| json!({ "code": e.code, "message": e.message, "notes": e.notes }));
    json!({
        "file": file, "verdict": verdict, "records": records, "notes": notes, "divergence": divergence,
        "error": error,
    })
}

/// What is said of a record that agrees, with its times.
fn said(note: &Note) -> String {
    let Some(Times { now_ns, recorded_ns, device }) = &note.times else { return note.text.clone() };
    let now = now_ns.map(|ns| format!("{}, ", figures::time(ns))).unwrap_or_default();
    format!("{}; {now}recorded {} on {device}", note.text, figures::time(*recorded_ns))
}

fn one(
    file: &Path,
    (options, with_files): (&Options, bool),
    json: bool,
    reports: &mut Vec<Value>,
    cases: &mut Vec<Case>,
) -> Result<Exit, Failed> {
    let bytes = read_log(file).map_err(|problem| Failed::NotReplayed(Box::new(Problems::one(problem))))?;
    let mut steps = 0;
    let mut notes = vec![];
    let (changed, gone) = (beside::changed(file, &bytes), beside::gone(file, &bytes));
    let options = &with_texts((options, with_files), &changed, &gone)
        .map_err(|problem| Failed::NotReplayed(Box::new(Problems::one(problem))))?;
    let shown = output::Standing::default();
    let verdict = replay(&bytes, options, &mut |event| match event {
        Event::Warning(text) => notes.push(format!("warning: {text}")),
        Event::Step { record, of, action, note } => {
            shown.show(&far(file, record, of));
            steps = record;
            let note = said(&note);
            if !note.is_empty() {
                notes.push(format!("{record}/{of} {action}: {note}"));
            }
        }
    });
    drop(shown);
    let verdict = verdict.map_err(Failed::NotReplayed)?;
    let what = match with_files {
        true => "and it is what is there now that was replayed",
        false => "and it is this session's text that was replayed; `--files` takes what is there now",
    };
    notes.extend(changed.values().map(|Changed { path, .. }| {
        format!("note: `{}` has another text now than this session holds, {what}", path.display())
    }));
    notes.extend(gone.others.iter().filter(|_| with_files).map(|label| {
        format!("note: there is no file for `{label}` here, and it is this session's text that was replayed")
    }));
    let (exit, word) = match &verdict {
        Verdict::Agrees => (Exit::Done, "agrees"),
        Verdict::NoDevice(_) => (Exit::Environment, "no device"),
        Verdict::Diverges(_) => (Exit::Finding, "diverges"),
    };
    let is_told = |n: &&String| n.starts_with("warning") || n.starts_with("note: ");
    cases.push(Case {
        told: notes.iter().filter(is_told).cloned().collect(),
        file: file.display().to_string(),
        outcome: match &verdict {
            Verdict::Agrees => Outcome::Agrees,
            Verdict::NoDevice(why) => Outcome::Skipped(why.clone()),
            Verdict::Diverges(d) => Outcome::Differs(d.what.clone(), in_words(d)),
        },
    });
    if json {
        let divergence = if let Verdict::Diverges(d) = &verdict { divergence_json(d) } else { Value::Null };
        reports.push(report(&file.display().to_string(), word, steps, &notes, &divergence, None));
        return Ok(exit);
    }
    let actions = super::sessions::actions(steps);
    let mut text = match &verdict {
        Verdict::Agrees => format!("{}: agrees ({actions})\n", file.display()),
        Verdict::NoDevice(why) => format!("{}: a device is missing: {why}\n", file.display()),
        Verdict::Diverges(d) => format!("{}: diverges\n{}", file.display(), in_words(d)),
    };
    let shown = notes.iter().filter(|n| is_told(n) || options.level == Level::Performance);
    shown.for_each(|n| text += &format!("  {n}\n"));
    output::print(&text).map_err(Failed::Told)?;
    Ok(exit)
}

/// How far a session is replayed, for who waits.
fn far(file: &Path, done: usize, of: usize) -> String {
    let name = one_line(&file.display().to_string());
    format!("{name}: {done} of {} replayed", super::sessions::actions(of))
}

/// The options, with what is in the files now in the place of what the session holds, where that is asked for.
///
/// # Errors
/// `E0004` where the program, or rules or strategies of its name, are not there any more.
fn with_texts(
    (options, with_files): (&Options, bool),
    changed: &IndexMap<String, Changed>,
    gone: &Gone,
) -> Result<Options, Diagnostic> {
    if !with_files {
        return Ok(options.clone());
    }
    if let Some(path) = gone.of_program.first() {
        let message = format!("`{}` cannot be read, from which this session was made.", path.display());
        return Err(Diagnostic::error("E0004", message).hint(
            "Put it there, or leave `--files` away: then the text that the session holds is replayed.",
        ));
    }
    Ok(Options { texts: changed.clone(), ..options.clone() })
}

/// A session in the report for systems of continuous integration.
struct Case {
    file: String,
    outcome: Outcome,
    /// What is told beside that.
    told: Vec<String>,
}

enum Outcome {
    Agrees,
    /// A device is missing.
    Skipped(String),
    /// What differs, and all about it.
    Differs(String, String),
    /// It cannot be read, or not replayed as it was asked for.
    NotReplayed(Diagnostic),
}

/// How a report begins, by which an earlier one is known.
const JUNIT_BEGINS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"shine-tui replay\"";

/// The report in the form of JUnit, which systems of continuous integration read. Texts are escaped as in HTML.
fn junit(cases: &[Case]) -> String {
    let count = |f: fn(&Outcome) -> bool| cases.iter().filter(|case| f(&case.outcome)).count();
    let mut out = format!(
        "{JUNIT_BEGINS} tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        cases.len(),
        count(|o| matches!(o, Outcome::Differs(..))),
        count(|o| matches!(o, Outcome::NotReplayed(_))),
        count(|o| matches!(o, Outcome::Skipped(_))),
    );
    for case in cases {
        let inside = match &case.outcome {
            Outcome::Agrees => String::new(),
            Outcome::Skipped(why) => format!("<skipped message=\"{}\"/>", escaped(why)),
            Outcome::Differs(what, all) => {
                format!("<failure message=\"{}\">{}</failure>", escaped(what), escaped(all))
            }
            Outcome::NotReplayed(why) => {
                let all = std::iter::once(&why.message).chain(&why.notes).cloned().collect::<Vec<_>>();
                format!(
                    "<error type=\"{}\" message=\"{}: {}\">{}</error>",
                    why.code,
                    why.code,
                    escaped(&why.message),
                    escaped(&all.join("\n"))
                )
            }
        };
        let told = match case.told.as_slice() {
            [] => String::new(),
            told => format!("<system-out>{}</system-out>", escaped(&told.join("\n"))),
        };
        out += &format!(
            "  <testcase classname=\"replay\" name=\"{}\">{inside}{told}</testcase>\n",
            escaped(&case.file)
        );
    }
    out + "</testsuite>\n"
}

fn in_words(d: &Divergence) -> String {
    let mut text = format!("  action {} (line {}): {}\n  {}:\n", d.record, d.line, d.action, d.what);
    output::diff(&d.expected, &d.found).lines().for_each(|l| text += &format!("  {l}\n"));
    if let Some(cause) = &d.cause {
        text += &format!("  likely cause: {cause}\n");
    }
    text
}

fn divergence_json(d: &Divergence) -> Value {
    json!({
        "record": d.record, "line": d.line, "action": d.action, "what": d.what,
        "expected": d.expected, "found": d.found, "cause": d.cause,
    })
}
