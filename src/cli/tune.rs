//! `shine-tui tune`: what a strategy leaves open, chosen by measuring.

use super::args::{Rewriting, Tune};
use super::exit::Exit;
use super::load::{fail, opened};
use super::output;
use super::stop::Stops;
use crate::device::name_in;
use crate::device::stats::Verdict;
use crate::lang::diag::Diagnostic;
use crate::rewrite::strategy::in_order;
use crate::session::Session;
use crate::session::amounts::{Amounts, Rates};
use crate::session::auto;
use crate::session::bench::target_of;
use crate::session::files::no_state_folder;
use crate::session::jobs::Control;
use crate::session::state::Progress;
use crate::session::tune::kept::{self, Kept};
use crate::session::tune::{Ending, Fate, Standing, Tried, Tuned};
use crate::session::whole::{Asked, Whole, in_the_way, not_written};
use crate::view::figures::time;
use crate::view::{jobs, tune};
use serde_json::{Value, json};

/// What names the file of the best.
const OUTPUT: Asked<'static> = Asked { by: "-o", force: true };

/// Tunes a program, and prints what was tried and what came of it.
pub fn run(args: &Tune) -> Result<Exit, Exit> {
    let Some(file) = &args.file else { return measurements(args) };
    // What is in the way is not found out only when the time is over.
    if let Some(path) = &args.output {
        in_the_way(path, args.force).map_err(|e| fail(&not_written(path, &e, OUTPUT)))?;
    }
    let rewriting = Rewriting { file: file.clone(), program: args.program.clone(), strategies: vec![] };
    let mut session = opened(&rewriting, args.session.as_deref())?;
    if args.allow_foreign {
        session.allow_foreign();
    }
    let text = match args.strategies.as_slice() {
        [] => auto::to_tune(target_of(&args.device), session.workspace()).to_owned(),
        all => in_order(all, " ; "),
    };
    let control = Control::silent();
    // A signal ends the tuning, which keeps and prints what it has.
    let stops = Stops::set(&control.cancel_flag());
    let shown = output::Standing::default();
    let report = |standing: &Standing| shown.show(&jobs::progress(&Progress::Tune(standing.clone())));
    let tuned = session.tune(&text, &args.device, args.time, &control, &report);
    drop(shown);
    let tuned = tuned.map_err(|d| match (fail(&d), control.cancelled()) {
        (_, true) => stops.exit(),
        (exit, false) => exit,
    })?;
    // Before anything is printed, as there may be no terminal any more.
    let written = args.output.as_ref().map(|path| {
        let text = definition(&tuned, &session, &file.display().to_string());
        let written = Whole::write(path, args.force, |out| out.write_all(text.as_bytes()));
        written.and_then(Whole::place).map_err(|e| not_written(path, &e, OUTPUT))
    });
    if args.json.json {
        output::json(&as_json(&tuned))?;
    } else {
        let lines = tune::report(&tuned, args.all);
        output::print(&lines.iter().map(|line| line.text() + "\n").collect::<String>())?;
    }
    written.transpose().map_err(|d| fail(&d))?;
    Ok(if tuned.ending == Ending::Stopped { stops.exit() } else { Exit::Done })
}

/// Shows or forgets the measurements of earlier tunings.
fn measurements(args: &Tune) -> Result<Exit, Exit> {
    let path = kept::path().map_or("nowhere".to_owned(), |path| path.display().to_string());
    if args.forget {
        let done = kept::forget().map_err(|e| {
            let problem = Diagnostic::error("E0906", format!("`{path}` cannot be removed: {e}."))
                .hint("A folder or what others may not change has to be moved away by hand.");
            fail(&no_state_folder().unwrap_or(problem))
        })?;
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

/// The best as a definition that strategies may call.
fn definition(tuned: &Tuned, session: &Session, file: &str) -> String {
    let sizes: Vec<String> = session.sizes().iter().map(|(n, v)| format!(" {n}={v}")).collect();
    let at = if sizes.is_empty() { String::new() } else { format!(" at{}", sizes.concat()) };
    // The name of a file is any text: it must not end the comment.
    let (file, device) = (file.escape_debug(), tuned.device.escape_debug());
    let best = tuned.best().map_or("id", |t| &*t.strategy);
    // Flags and threads are no part of a strategy: they are said beside it.
    let chosen = tuned.best().filter(|t| name_in(&t.device) != t.device);
    let chosen = chosen.map(|t| format!(" (`--device '{}'`)", t.device.escape_debug())).unwrap_or_default();
    let changing = tuned.best().and_then(Tried::changing).map(|said| format!(" {said}")).unwrap_or_default();
    let took = format!("{}, the median of {} runs.{changing}", time(tuned.median_ns), tuned.runs);
    match tuned.before.as_ref().filter(|before| before.stays) {
        // What was found slower is for nobody to call.
        Some(before) => {
            let says = before.says();
            format!(
                "--| Tuned for {file}{at} on {device}. {says}\n-- The best was `{best}`{chosen}: {took}\nstrategy tuned = id\n"
            )
        }
        None => format!("--| Tuned for {file}{at} on {device}{chosen}: {took}\nstrategy tuned = {best}\n"),
    }
}

/// What a point does, and how long it should take at least.
fn predicted(amounts: Option<Amounts>, rates: Rates) -> Value {
    let Some(amounts) = amounts else { return Value::Null };
    let least = rates.least(&amounts);
    let Amounts { operations, moved, read, local, private, lanes } = amounts;
    json!({
        "operations": operations,
        "bytes_moved": moved,
        "bytes_read": read,
        "local_bytes": local,
        "private_bytes": private,
        "lanes": lanes,
        "median_ns": least.map(|(_, ns)| ns),
        "bound": least.map(|(bound, _)| tune::word(bound)),
    })
}

fn as_json(tuned: &Tuned) -> Value {
    let rates = tuned.rates();
    let tried = tuned.tried.iter().map(|t| {
        let values: serde_json::Map<_, _> = t.values.iter().map(|(n, v)| (n.to_string(), json!(v))).collect();
        let mut value =
            json!({ "strategy": t.strategy, "on": t.device, "values": values, "kernel": t.kernel.map(|k| k.to_string()) });
        match &t.fate {
            Fate::Measured { median_ns, runs, known } => {
                value["fate"] = json!("measured");
                value["known"] = json!(known);
                value["median_ns"] = json!(median_ns);
                value["runs"] = json!(runs);
                value["predicted"] = predicted(t.amounts, rates);
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
    let verdict = match tuned.comparison {
        // Another than the start is the best only where it is faster.
        Some(_) => "best faster",
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
        "best": tuned.best().map(|t| json!({ "strategy": t.strategy, "on": t.device, "kernel": t.kernel.map(|k| k.to_string()) })),
        "median_ns": tuned.median_ns,
        "interval_ns": tuned.interval_ns.map(|(low, high)| [low, high]),
        "runs": tuned.runs,
        "check": tuned.check,
        "start": start,
        "before": tuned.before.as_ref().map(|before| json!({
            "ratio": before.ratio,
            "interval": before.comparison.map(|c| [c.interval.low, c.interval.high]),
            "verdict": match before.comparison.map(|c| c.verdict) {
                _ if before.stays => "the state before is faster",
                Some(Verdict::SecondFaster) => "best faster",
                Some(_) => "no difference",
                None => "few runs",
            },
        })),
        "ending": match tuned.ending {
            Ending::All => "all points",
            Ending::Alike => "the others are alike",
            Ending::Time => "time",
            Ending::Stopped => "stopped",
            Ending::Device => "device",
        },
        "peak": tuned.peak.map(|p| json!({ "gflops": p.gflops, "gbytes": p.gbytes, "busy": p.busy, "mind": p.mind() })),
        "warnings": tuned.warnings,
    })
}
