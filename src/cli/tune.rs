//! `shine-tui tune`: what a strategy leaves open, chosen by measuring.

use super::args::{Rewriting, Tune};
use super::exit::Exit;
use super::load::{fail, opened};
use super::output;
use crate::device::stats::Verdict;
use crate::lang::diag::Diagnostic;
use crate::session::Session;
use crate::session::auto;
use crate::session::bench::target_of;
use crate::session::files::Whole;
use crate::session::jobs::Control;
use crate::session::tune::kept::{self, Kept};
use crate::session::tune::{Ending, Fate, Standing, Tried, Tuned, reasons};
use crate::view::figures::{digits, time};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{self, IsTerminal};

/// So many points are shown, unless all are asked for.
const SHOWN: usize = 10;

/// Tunes a program, and prints what was tried and what came of it.
pub fn run(args: &Tune) -> Result<Exit, Exit> {
    let Some(file) = &args.file else { return measurements(args) };
    let output_there = args.output.as_ref().filter(|path| path.exists() && !args.force);
    if let Some(path) = output_there {
        let problem = Diagnostic::error("E0906", format!("`{}` is there already.", path.display()));
        return Err(fail(&problem.hint("`--force` replaces it.")));
    }
    let rewriting = Rewriting { file: file.clone(), program: args.program.clone(), strategies: vec![] };
    let mut session = opened(&rewriting, args.session.as_deref())?;
    if args.allow_foreign {
        session.allow_foreign();
    }
    let text = match args.strategies.as_slice() {
        [] => auto::to_tune(target_of(&args.device), session.workspace()).to_owned(),
        [one] => one.clone(),
        all => all.iter().map(|s| format!("({s})")).collect::<Vec<_>>().join(" ; "),
    };
    let control = Control::silent();
    // The first signal ends the tuning, which prints what it has.
    let stop = signal_hook::flag::register(signal_hook::consts::SIGINT, control.cancel_flag());
    let shown = RefCell::new(String::new());
    let watched = io::stderr().is_terminal();
    let report = |standing: &Standing| {
        if watched {
            let line = progress(standing);
            let width = shown.borrow().chars().count();
            output::complain(&format!("\r{line:width$}"));
            *shown.borrow_mut() = line;
        }
    };
    let tuned = session.tune(&text, &args.device, args.time, &control, &report);
    if watched {
        output::complain(&format!("\r{:width$}\r", "", width = shown.borrow().chars().count()));
    }
    if let Ok(id) = stop {
        signal_hook::low_level::unregister(id);
    }
    let tuned = tuned.map_err(|d| fail(&d))?;
    if args.json.json {
        output::json(&as_json(&tuned))?;
    } else {
        output::print(&in_words(&tuned, args.all))?;
    }
    if let Some(path) = &args.output {
        let text = definition(&tuned, &session, &file.display().to_string());
        let written = Whole::write(path, args.force, |out| out.write_all(text.as_bytes()));
        written.and_then(Whole::place).map_err(|e| {
            let problem = format!("`{}` cannot be written: {e}.", path.display());
            fail(&Diagnostic::error("E0906", problem))
        })?;
    }
    Ok(if tuned.ending == Ending::Stopped { Exit::Interrupted } else { Exit::Done })
}

/// Shows or forgets the measurements of earlier tunings.
fn measurements(args: &Tune) -> Result<Exit, Exit> {
    let path = kept::path().map_or("nowhere".to_owned(), |path| path.display().to_string());
    if args.forget {
        let done = kept::forget()
            .map_err(|e| fail(&Diagnostic::error("E0906", format!("`{path}` cannot be removed: {e}."))))?;
        let text = if done { "All measurements are forgotten.\n" } else { "There were no measurements.\n" };
        output::print(text)?;
        return Ok(Exit::Done);
    }
    let (all, problem) = Kept::open();
    let devices = all.by_device();
    if args.json.json {
        let devices =
            devices.iter().map(|(device, count)| json!({ "device": device, "measurements": count }));
        output::json(&json!({ "file": path, "devices": devices.collect::<Vec<_>>(), "problem": problem }))?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{} measurements in {path}\n", devices.iter().map(|(_, n)| n).sum::<usize>());
    devices.iter().for_each(|(device, n)| text += &format!("{n:>8}  {device}\n"));
    problem.iter().for_each(|p| text += &format!("warning   {p}\n"));
    output::print(&text)?;
    Ok(Exit::Done)
}

fn progress(standing: &Standing) -> String {
    let best = standing.best.as_ref().map(|(text, ns)| format!(", best {} by {text}", time(*ns)));
    let what = if standing.comparing { ", the last few take turns" } else { "" };
    let line = format!("{} tried{}{what}", standing.tried, best.unwrap_or_default());
    line.chars().take(100).collect()
}

fn in_words(tuned: &Tuned, all: bool) -> String {
    let count = |kept: &dyn Fn(&Fate) -> bool| tuned.tried.iter().filter(|t| kept(&t.fate)).count();
    let measured = count(&|f| matches!(f, Fate::Measured { .. }));
    let mut text = format!("device    {}\n", tuned.device);
    text += &format!(
        "points    {}, of which {} tried{}: {measured} measured, {} ruled out, {} failed, {} like others{}\n",
        points(tuned.points),
        match tuned.tried.len() {
            1 => "1 was".to_owned(),
            n => format!("{n} were"),
        },
        match tuned.ending {
            Ending::All => "",
            Ending::Time => " in the time",
            Ending::Stopped => " until it was stopped",
            Ending::Device => " until the device failed",
        },
        count(&|f| matches!(f, Fate::RuledOut { .. })),
        count(&|f| matches!(f, Fate::Failed { .. })),
        count(&|f| matches!(f, Fate::Same(_))),
        match count(&|f| matches!(f, Fate::Unfinished)) {
            0 => "",
            _ => ", the last was not finished",
        },
    );
    text += "\n";
    text += &table(tuned, all);
    for (why, number) in reasons(&tuned.tried).into_iter().take(if all { usize::MAX } else { 5 }) {
        text += &format!("{number:>5} × {why}\n");
    }
    text += "\n";
    if let Some(best) = tuned.best() {
        text += &format!("best      {}\n", best.strategy);
    }
    text += &format!("check     {}; the output agrees with plain C\n", tuned.check);
    let interval = tuned.interval_ns.map(|(low, high)| format!("; {} to {}", time(low), time(high)));
    let (median, runs) = (time(tuned.median_ns), tuned.runs);
    text += &format!("time      {median} (median of {runs} runs{})\n", interval.unwrap_or_default());
    text += &format!("start     {}\n", verdict(tuned));
    tuned.warnings.iter().for_each(|w| text += &format!("warning   {w}\n"));
    text
}

fn points(n: u128) -> String {
    match n {
        u128::MAX => "more than 10^38".into(),
        1 => "1 point".into(),
        n => format!("{n} points"),
    }
}

/// The points that were tried, the fastest first.
fn table(tuned: &Tuned, all: bool) -> String {
    let mut sorted: Vec<(usize, &Tried)> = tuned.tried.iter().enumerate().collect();
    let rank = |t: &Tried| t.median_ns().unwrap_or(f64::INFINITY);
    sorted.sort_by(|(_, a), (_, b)| rank(a).total_cmp(&rank(b)));
    let least = sorted.first().map_or(1.0, |(_, t)| rank(t)).max(1.0);
    let kept = |t: &Tried| all || t.median_ns().is_some();
    let limit = if all { usize::MAX } else { SHOWN };
    let mut text = String::new();
    for (number, tried) in sorted.into_iter().filter(|(_, t)| kept(t)).take(limit) {
        let values: Vec<String> = tried.values.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let what = match &tried.fate {
            Fate::Measured { median_ns, known, .. } => {
                let known = if *known { "  (known)" } else { "" };
                format!("{:>9}  {:>6}×{known}", time(*median_ns), digits(median_ns / least))
            }
            Fate::Same(other) => format!("as number {}", other + 1),
            Fate::RuledOut { why, .. } => format!("ruled out: {why}"),
            Fate::Failed { why, .. } => format!("failed: {why}"),
            Fate::Unfinished => "not finished".to_owned(),
        };
        let start = if number == 0 { "  (start)" } else { "" };
        text += &format!("{:>5}  {}  {what}{start}\n", number + 1, values.join(" "));
    }
    text
}

fn verdict(tuned: &Tuned) -> String {
    if tuned.best == 0 {
        return "nothing that was tried is faster than the start".into();
    }
    let start = tuned.tried.first();
    match (tuned.comparison, start.map(|t| &t.fate)) {
        (Some(c), _) if c.verdict == Verdict::NoMeasurableDifference => {
            format!(
                "no measurable difference from the best ({} to {} times its time)",
                digits(c.interval.low),
                digits(c.interval.high)
            )
        }
        (Some(c), _) => format!(
            "takes {} times as long ({} to {}, in turns)",
            digits(c.ratio),
            digits(c.interval.low),
            digits(c.interval.high)
        ),
        (None, Some(Fate::Measured { .. })) => {
            format!("takes {} times as long, by few runs", tuned.ratio().map(digits).unwrap_or_default())
        }
        (None, Some(Fate::RuledOut { why, .. } | Fate::Failed { why, .. })) => format!("does not run: {why}"),
        _ => "was not measured".into(),
    }
}

/// The best as a definition that strategies may call.
fn definition(tuned: &Tuned, session: &Session, file: &str) -> String {
    let sizes: Vec<String> = session.sizes().iter().map(|(n, v)| format!(" {n}={v}")).collect();
    let at = if sizes.is_empty() { String::new() } else { format!(" at{}", sizes.concat()) };
    // The name of a file is any text: it must not end the comment.
    let (file, device) = (file.escape_debug(), tuned.device.escape_debug());
    let best = tuned.best().map_or("id", |t| &*t.strategy);
    format!(
        "--| Tuned for {file}{at} on {device}: {}, the median of {} runs.\nstrategy tuned = {best}\n",
        time(tuned.median_ns),
        tuned.runs
    )
}

fn as_json(tuned: &Tuned) -> Value {
    let tried = tuned.tried.iter().map(|t| {
        let values: serde_json::Map<_, _> = t.values.iter().map(|(n, v)| (n.to_string(), json!(v))).collect();
        let mut value =
            json!({ "strategy": t.strategy, "values": values, "kernel": t.kernel.map(|k| k.to_string()) });
        match &t.fate {
            Fate::Measured { median_ns, runs, known } => {
                value["fate"] = json!("measured");
                value["known"] = json!(known);
                value["median_ns"] = json!(median_ns);
                value["runs"] = json!(runs);
            }
            Fate::Same(other) => {
                value["fate"] = json!("same");
                value["as"] = json!(other);
            }
            Fate::RuledOut { code, why } => {
                value["fate"] = json!("ruled out");
                value["code"] = json!(code);
                value["why"] = json!(why);
            }
            Fate::Unfinished => value["fate"] = json!("not finished"),
            Fate::Failed { code, why } => {
                value["fate"] = json!("failed");
                value["code"] = json!(code);
                value["why"] = json!(why);
            }
        }
        value
    });
    let verdict = match tuned.comparison.map(|c| c.verdict) {
        Some(Verdict::FirstFaster) => "start faster",
        Some(Verdict::SecondFaster) => "best faster",
        Some(Verdict::NoMeasurableDifference) => "no measurable difference",
        None if tuned.best == 0 => "the start is the best",
        None => "few runs",
    };
    let interval = tuned.comparison.map(|c| [c.interval.low, c.interval.high]);
    // What the start took is null where it does not run.
    let start_ns = tuned.tried.first().and_then(Tried::median_ns);
    let start = start_ns.map(
        |ns| json!({ "median_ns": ns, "ratio": tuned.ratio(), "interval": interval, "verdict": verdict }),
    );
    json!({
        "device": tuned.device,
        "compiler": tuned.compiler,
        "points": tuned.points.to_string(),
        "tried": tried.collect::<Vec<_>>(),
        "best": tuned.best().map(|t| json!({ "strategy": t.strategy, "kernel": t.kernel.map(|k| k.to_string()) })),
        "median_ns": tuned.median_ns,
        "interval_ns": tuned.interval_ns.map(|(low, high)| [low, high]),
        "runs": tuned.runs,
        "check": tuned.check,
        "start": start,
        "ending": match tuned.ending {
            Ending::All => "all points",
            Ending::Time => "time",
            Ending::Stopped => "stopped",
            Ending::Device => "device",
        },
        "warnings": tuned.warnings,
    })
}
