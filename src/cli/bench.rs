//! `shine-tui bench`: compile, check, measure.

use super::args::{Bench, ProgramOptions, Rewriting};
use super::exit::Exit;
use super::load::{fail, opened, opened_beside, run_strategies, sizes};
use super::output;
use super::stop::Stops;
use crate::device::roofline::{self, Work};
use crate::device::stats::Verdict;
use crate::lang::diag::Diagnostic;
use crate::lang::term::Term;
use crate::lang::work;
use crate::rewrite::strategy::in_order;
use crate::session::Session;
use crate::session::action::{Action, Measurement, Outcome};
use crate::session::bench::{Inputs, Outputs, Pair, of_comparison, target_of};
use crate::session::data::Fitted;
use crate::session::dispatch::{self, Side};
use crate::session::peak;
use crate::session::state::Progress;
use crate::session::sweep::{self, Point, values_of};
use crate::session::whole::Asked;
use crate::session::workspace::Workspace;
use crate::view::bench as view;
use crate::view::figures::{digits, time};
use crate::view::{Alphabet, jobs};
use crate::view::{roofline as roofline_view, sweep as sweep_view};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Measures the program on a device and prints the result.
pub fn run(args: &Bench) -> Result<Exit, Exit> {
    let mut session = opened(&args.rewriting, args.session.as_deref())?;
    if args.allow_foreign {
        session.allow_foreign();
    }
    let given = prepared(&mut session, args).map_err(|d| fail(&d))?;
    foresee(&session);
    if let Some(against) = &args.against {
        return in_turns(args, &mut session, against, given.as_ref());
    }
    let m = if let Some(inputs) = given {
        session.measure(&args.device, true, Some(&inputs)).map_err(|d| fail(&d))?
    } else {
        let action = Action::Bench { device: args.device.clone() };
        let shown = output::Standing::default();
        let measured = session.perform_watched(action, &|job| shown.show(&jobs::brief(job)));
        drop(shown);
        let Outcome::Measured(m) = measured.map_err(|d| fail(&d))? else {
            return Ok(Exit::Finding);
        };
        m
    };
    let allowed = if args.roofline {
        let peak = peak(&args.device, &**session.backend(), &AtomicBool::new(false));
        Some(peak.map_err(|d| fail(&d))?)
    } else {
        None
    };
    if args.json.json {
        let mut value = as_json(&m);
        if let Some((_, peak)) = &allowed {
            // Of what computes nothing in floating point, memory alone is known to allow so much.
            let work = m.bytes.map(|bytes| Work { flops: m.flops.unwrap_or_default(), bytes });
            let rate = work.map(|work| roofline::rate(work, m.median_ns, Some(*peak)));
            value["roofline"] = json!({
                "gflops": peak.gflops, "gbytes": peak.gbytes, "share": rate.as_ref().and_then(|r| r.share),
                "memory_bound": rate.as_ref().filter(|_| m.flops.is_some()).and_then(|r| r.memory_bound),
                "busy": peak.busy, "mind": peak.mind(),
            });
        }
        output::json(&value)?;
    } else {
        output::print(&in_words(&m))?;
        if let Some((device, peak)) = allowed {
            let alphabet = if output::unicode() { Alphabet::Unicode } else { Alphabet::Ascii };
            let all = [(session.current(), &m)];
            let lines = roofline_view::page(&device, peak, &all, None, 100, alphabet).lines();
            output::print(
                &lines.iter().map(|line| line.text().trim_end().to_owned() + "\n").collect::<String>(),
            )?;
        }
    }
    Ok(Exit::Done)
}

/// Says at once of what is checked that it may take longer than it may run.
fn foresee(session: &Session) {
    let work = work::of(&session.workspace().program.term, session.sizes());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    if let Some(text) = view::foreseen(work.flops + work.integer_operations, threads) {
        output::complain(&format!("note: {text}\n"));
    }
}

/// Measures two programs in turns: a revision of the session, or another program or session, as it stands. Both run on the
/// same inputs.
fn in_turns(
    args: &Bench,
    session: &mut Session,
    against: &str,
    given: Option<&Inputs>,
) -> Result<Exit, Exit> {
    let file = &args.rewriting.file;
    let revision = against.parse::<usize>().ok().filter(|_| !Path::new(against).exists());
    if revision.is_none() && !Path::new(against).exists() {
        let problem =
            Diagnostic::error("E0004", format!("`{against}` cannot be read: there is no such file."));
        let hint = "`--against` takes a program (.rise), a session (.ron), or the number of a revision of the session.";
        return Err(fail(&problem.hint(hint)));
    }
    let options = Rewriting {
        file: if revision.is_some() { file.clone() } else { against.into() },
        strategies: vec![],
        ..args.rewriting.clone()
    };
    let options = match revision {
        Some(_) => options,
        // The sizes are those of the first.
        None => {
            Rewriting { program: ProgramOptions { sizes: vec![], def: None, ..options.program }, ..options }
        }
    };
    let mut other = opened_beside(&options, None, Some(file))?;
    if args.allow_foreign {
        other.allow_foreign();
    }
    if let Some(revision) = revision {
        other.perform_now(Action::Goto { revision }).map_err(|d| fail(&d))?;
    }
    comparable(session, &other, (file, against), given.is_some())?;
    let names = match revision {
        Some(revision) => [file.display().to_string(), format!("revision {revision}")],
        None => [file.display().to_string(), against.to_owned()],
    };
    let alike = names[0] == names[1];
    let by = |name: &str| match args.rewriting.strategies.as_slice() {
        [] => format!("{name} as it stands"),
        all => format!("{name} by {}", in_order(all, " ; ")),
    };
    // What each of the two is.
    let abouts = [by(&names[0]), if alike { format!("{} as it stands", names[1]) } else { names[1].clone() }];
    let names = if alike { ["first".to_owned(), "second".to_owned()] } else { names };
    // Which of the two is which is not to be guessed.
    let legend = match alike {
        true => format!("first   {}\nsecond  {}\n", abouts[0], abouts[1]),
        false => String::new(),
    };
    if let Some(sweep) = &args.sweep {
        let told = Told { names: [&names[0], &names[1]], abouts: [&abouts[0], &abouts[1]], legend: &legend };
        return swept(args, session, &other, &told, sweep);
    }
    let shown = output::Standing::default();
    let report = |p| shown.show(&jobs::progress(&Progress::Bench(p)));
    let pair = session.measure_in_turns(&args.device, &other, given, &AtomicBool::new(false), &report);
    drop(shown);
    let pair = pair.map_err(|d| fail(&d))?;
    if args.json.json {
        output::json(&pair_json(&pair))?;
        return Ok(Exit::Done);
    }
    let lines = view::in_turns([&names[0], &names[1]], &pair);
    output::print(&(legend + &lines.iter().map(|line| line.text() + "\n").collect::<String>()))?;
    Ok(Exit::Done)
}

/// How two programs are told apart.
struct Told<'a> {
    names: [&'a str; 2],
    /// What each of them is.
    abouts: [&'a str; 2],
    /// The same, to be printed, where their names do not say it.
    legend: &'a str,
}

/// Can the two be measured at the same sizes, and on the same inputs where some are given? Of programs of other types it is
/// told that outputs are not compared.
fn comparable(
    session: &Session,
    other: &Session,
    (file, against): (&Path, &str),
    is_given: bool,
) -> Result<(), Exit> {
    let (ours, theirs) = (&session.workspace().program, &other.workspace().program);
    let only_there = theirs.sizes.iter().filter(|size| !ours.sizes.contains(size));
    let only_there: Vec<String> = only_there.map(|size| format!("`{size}`")).collect();
    if !only_there.is_empty() {
        let (of, file) = (only_there.join(" and "), file.display());
        let problem = format!(
            "`{against}` has the size {of}, which `{file}` has not, and the two run at the same sizes."
        );
        return Err(fail(
            &Diagnostic::error("E0152", problem)
                .hint("Compare programs that take the same inputs; a size that is the same one has to have the same name."),
        ));
    }
    if is_given && ours.term.ty().signature().0 != theirs.term.ty().signature().0 {
        let problem = format!(
            "`{against}` takes other parameters than `{}`, so that what is given does not fit both.",
            file.display()
        );
        let hint = "Leave out `--input`: what each of the two runs on is then drawn.";
        return Err(fail(&Diagnostic::error("E0914", problem).hint(hint)));
    }
    if ours.term.ty() != theirs.term.ty() {
        output::complain(
            "note: The two programs take or give other things. Each is checked against what is written in it; their outputs \
             cannot be compared with each other.\n",
        );
    }
    Ok(())
}

fn pair_json(pair: &Pair) -> Value {
    let interval = pair.comparison.interval;
    json!({
        "first": as_json(&pair.first),
        "second": as_json(&pair.second),
        "ratio": pair.comparison.ratio,
        "interval": [interval.low, interval.high],
        "confidence": interval.confidence,
        "warnings": of_comparison(&pair.comparison).into_iter().collect::<Vec<_>>(),
        "verdict": match pair.comparison.verdict {
            Verdict::FirstFaster => "first",
            Verdict::SecondFaster => "second",
            Verdict::Close => "close",
            Verdict::NoMeasurableDifference => "no measurable difference",
            Verdict::SameCode => "same code",
            Verdict::DisturbedUnlike => "disturbed unlike",
        },
        "outputs": match &pair.outputs {
            Outputs::Agree => "agree",
            Outputs::Differ(_) => "differ",
            Outputs::OfOtherTypes => "of other types",
        },
        "difference": match &pair.outputs {
            Outputs::Differ(d) => json!({
                "cell": d.cell, "first": d.values[0], "second": d.values[1], "differing": d.number.0, "cells": d.number.1,
            }),
            Outputs::Agree | Outputs::OfOtherTypes => Value::Null,
        },
    })
}

/// Measures two programs in turns at several values of a size.
fn swept(
    args: &Bench,
    session: &mut Session,
    other: &Session,
    told: &Told<'_>,
    text: &str,
) -> Result<Exit, Exit> {
    let Told { names, abouts, legend } = *told;
    let of = values_of(text).map_err(|why| {
        let problem = Diagnostic::error("E0901", format!("`--sweep {text}` names no sizes: {why}."));
        fail(&problem.hint("Write it as k=1024..65536, which doubles, or as k=1000,5000,20000; m=n=k=256..2048 is of sizes that are alike."))
    })?;
    // What is in the way is not found out only when all is measured.
    if let Some(folder) = &args.dispatch {
        let [a, b] = [side(session, abouts[0]), side(other, abouts[1])];
        let sides = [&a, &b].map(|(workspace, term, about)| Side { workspace, term, about });
        dispatch::in_the_way(sides, &args.device, folder, args.force, DISPATCH).map_err(|d| fail(&d))?;
    }
    let cancel = Arc::new(AtomicBool::new(false));
    for size in of.values.iter().copied() {
        let could = session.could_measure_in_turns(&args.device, other, &of.sizes(size), &cancel);
        could.map_err(|d| fail(&d))?;
    }
    let mut points = vec![];
    let shown = output::Standing::default();
    let name = of.name();
    // The first signal ends the sweep, which prints what it has; another Ctrl-C ends the program.
    let stops = Stops::set_once(&cancel);
    let stopped = of.values.iter().copied().try_for_each(|size| {
        shown.show(&format!("{name}={size}"));
        session.perform_now(Action::Sizes { sizes: of.sizes(size) })?;
        let pair = session.measure_in_turns(&args.device, other, None, &cancel, &|p| {
            shown.show(&format!("{name}={size}: {}", jobs::progress(&Progress::Bench(p))));
        })?;
        points.push(Point { size, pair });
        Ok(())
    });
    drop(shown);
    drop(stops);
    if points.is_empty() {
        return stopped.map(|()| Exit::Done).map_err(|d: Diagnostic| fail(&d));
    }
    if args.json.json {
        let crossover = |c: &sweep::Crossover| {
            json!({ "between": [c.between.0, c.between.1], "near": c.near,
                    "faster_from_there": if c.to_second { "second" } else { "first" } })
        };
        let crossovers: Vec<Value> = sweep::crossovers(&points).iter().map(crossover).collect();
        let shown_points: Vec<Value> =
            points.iter().map(|p| json!({ "size": p.size, "pair": pair_json(&p.pair) })).collect();
        output::json(&json!({ "swept": name, "points": shown_points, "crossovers": crossovers }))?;
    } else {
        let alphabet = if output::unicode() { Alphabet::Unicode } else { Alphabet::Ascii };
        // What differs at one size differs.
        let differing = points.iter().find_map(|point| view::differing(names, &point.pair));
        let chart = sweep_view::chart(&name, names, &points, alphabet);
        let lines: Vec<_> = differing.into_iter().chain(chart).collect();
        let shown: String = lines.iter().map(|line| line.text().trim_end().to_owned() + "\n").collect();
        output::print(&(legend.to_owned() + &shown))?;
    }
    // What was measured before is worth having; the function that chooses needs all of it.
    stopped.map_err(|d| fail(&d))?;
    if let Some(folder) = &args.dispatch {
        let written = dispatched(args, session, other, abouts, (&name, &points), folder);
        let written = written.map_err(|d| fail(&d))?;
        // What is read as JSON is JSON alone.
        if !args.json.json {
            output::print(&written.iter().map(|path| format!("{}\n", path.display())).collect::<String>())?;
        }
    }
    Ok(Exit::Done)
}

/// What names the folder of the function.
const DISPATCH: Asked<'static> = Asked { by: "--dispatch", force: true };

/// What a side of the function is made of, with how it is told.
fn side<'a>(session: &Session, about: &'a str) -> (Arc<Workspace>, Term, &'a str) {
    (session.workspace().clone(), session.term().clone(), about)
}

/// Writes the function that chooses one of the two by the size, with all that it needs.
fn dispatched(
    args: &Bench,
    session: &Session,
    other: &Session,
    abouts: [&str; 2],
    (sizes, points): (&str, &[Point]),
    folder: &Path,
) -> Result<Vec<PathBuf>, Diagnostic> {
    let [a, b] = [side(session, abouts[0]), side(other, abouts[1])];
    let sides = [&a, &b].map(|(workspace, term, about)| Side { workspace, term, about });
    let files = dispatch::files(sides, &args.device, sizes, points)?;
    dispatch::write(folder, &files, args.force, DISPATCH)
}

/// Runs the strategies, which know the sizes of the data that is given, if any is. The rest of the data is drawn.
fn prepared(session: &mut Session, args: &Bench) -> Result<Option<Inputs>, Diagnostic> {
    let inputs = &args.data.inputs;
    let given = if inputs.is_empty() {
        None
    } else {
        let given = session.fit(inputs, false, &sizes(&args.rewriting.program)?)?;
        session.perform_now(Action::Sizes { sizes: given.sizes.clone() })?;
        Some(given)
    };
    run_strategies(session, &args.rewriting, Some(target_of(&args.device)))?;
    given.map(|Fitted { inputs, .. }| session.with_drawn(&args.device, inputs)).transpose()
}

fn in_words(m: &Measurement) -> String {
    let sizes: Vec<String> = m.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let mut text = format!("device    {}\n", m.device);
    if !sizes.is_empty() {
        text += &format!("sizes     {}\n", sizes.join(" "));
    }
    text += &format!("check     {}\n", m.check);
    text += &format!(
        "time      {} (median of {} runs; {} to {})\n",
        time(m.median_ns),
        m.runs,
        time(m.interval_ns.0),
        time(m.interval_ns.1)
    );
    m.parts.iter().for_each(|p| text += &format!("  {:<8}{}\n", p.name, time(p.median_ns)));
    if let Some(g) = m.gflops() {
        text += &format!("compute   {} GFLOP/s\n", digits(g));
    }
    if let Some(g) = m.integer_gops() {
        text += &format!("integers  {} billion operations a second\n", digits(g));
    }
    if let Some(g) = m.gbytes() {
        text += &format!("memory    {} GB/s of inputs and output\n", digits(g));
    }
    m.warnings.iter().for_each(|w| text += &format!("warning   {w}\n"));
    text
}

fn as_json(m: &Measurement) -> Value {
    json!({
        "device": m.device,
        "kernel": m.kernel.to_string(),
        "sizes": m.sizes.iter().map(|(n, v)| (n.to_string(), json!(v))).collect::<serde_json::Map<_, _>>(),
        "median_ns": m.median_ns,
        "interval_ns": [m.interval_ns.0, m.interval_ns.1],
        "runs": m.runs,
        "parts": m.parts.iter().map(|p| json!({ "name": p.name, "median_ns": p.median_ns })).collect::<Vec<_>>(),
        "gflops": m.gflops(),
        "integer_gops": m.integer_gops(),
        "gbytes": m.gbytes(),
        "check": m.check,
        "max_error": m.max_error,
        "warnings": m.warnings,
    })
}
