//! `shine-tui replay`: do recorded sessions still hold?

use super::args::{LevelChoice, Replay, SearchChoice};
use super::exit::Exit;
use super::load::{fail_all, log_bytes};
use super::output;
use crate::device::Devices;
use crate::session::replay::{Divergence, Event, Level, Options, Verdict, replay};
use crate::session::searching::SearchMode;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

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
        backend: Arc::new(Devices::new()),
        foreign: args.allow_foreign,
    };
    let mut worst = Exit::Done;
    let mut reports = vec![];
    for file in &args.files {
        // One unreadable file does not keep the others from being replayed.
        let exit = one(file, &options, args.json.json, &mut reports).unwrap_or_else(|exit| exit);
        worst = worst.worse(exit);
    }
    if args.json.json {
        output::json(&Value::Array(reports))?;
    }
    Ok(worst)
}

fn one(file: &Path, options: &Options, json: bool, reports: &mut Vec<Value>) -> Result<Exit, Exit> {
    let bytes = log_bytes(file)?;
    let mut steps = 0;
    let mut notes = vec![];
    let verdict = replay(&bytes, options, &mut |event| match event {
        Event::Warning(text) => notes.push(format!("warning: {text}")),
        Event::Step { record, of, action, note } => {
            steps = record;
            if !note.is_empty() {
                notes.push(format!("{record}/{of} {action}: {note}"));
            }
        }
    })
    .map_err(|problems| fail_all(&problems))?;
    let (exit, word) = match &verdict {
        Verdict::Agrees => (Exit::Done, "agrees"),
        Verdict::NoDevice(_) => (Exit::Environment, "no device"),
        Verdict::Diverges(_) => (Exit::Finding, "diverges"),
    };
    if json {
        reports.push(json!({
            "file": file.display().to_string(),
            "verdict": word,
            "records": steps,
            "notes": notes,
            "divergence": if let Verdict::Diverges(d) = &verdict { divergence_json(d) } else { Value::Null },
        }));
        return Ok(exit);
    }
    let actions = super::sessions::actions(steps);
    let mut text = match &verdict {
        Verdict::Agrees => format!("{}: agrees ({actions})\n", file.display()),
        Verdict::NoDevice(why) => format!("{}: a device is missing: {why}\n", file.display()),
        Verdict::Diverges(d) => format!("{}: diverges\n{}", file.display(), in_words(d)),
    };
    let shown = notes.iter().filter(|n| n.starts_with("warning") || options.level == Level::Performance);
    shown.for_each(|n| text += &format!("  {n}\n"));
    output::print(&text)?;
    Ok(exit)
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
