//! `shine-tui search`: a search with all that it knows.

use super::args::Search;
use super::exit::Exit;
use super::load::{fail, forecasts, opened, run_strategies, warn_of_sizes};
use super::output;
use super::stop::Stops;
use crate::lang::diag::Diagnostic;
use crate::lang::print;
use crate::session::jobs::Control;
use crate::session::searching::Examined;
use crate::session::state::Progress;
use crate::session::workspace::{Examination, Workspace};
use crate::session::{derivation, guides};
use crate::view::examined::{Shown, lines};
use crate::view::text::Alphabet;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// Runs a strategy that searches, and prints what each of its searches knows.
pub fn run(args: &Search) -> Result<Exit, Exit> {
    let mut session = opened(&args.rewriting, None)?;
    run_strategies(&mut session, &args.rewriting, None).map_err(|d| fail(&d))?;
    let workspace = session.workspace();
    let strategy = workspace.parse_strategy(&args.search).map_err(|d| fail(&d))?.knowing(session.sizes());
    let control = Control::telling(Progress::Strategy { tried: 0, applied: 0 }, forecasts());
    let stopped = control.cancel_flag();
    // A second Ctrl-C also ends what is told.
    let stops = Stops::set_once(&stopped);
    let Examination { end, searches, way } =
        workspace.examine(session.term(), &strategy, args.best, &control);
    if searches.is_empty() && end.result.is_ok() {
        let problem = Diagnostic::error("E0915", "This strategy searches for nothing.");
        return Err(fail(
            &problem.hint("Write `reach SKETCH using RULES`, `reach SKETCH`, or a strategy that does."),
        ));
    }
    if args.elevate {
        let text = match &end.result {
            Ok(_) => derivation::written(workspace, &searches, &way)
                .map_err(|why| fail(&derivation::not_written(why)))?,
            Err(stuck) => return Err(fail(stuck)),
        };
        output::print(&text)?;
        return Ok(Exit::Done);
    }
    if args.guides {
        if let Err(stuck) = &end.result {
            return Err(fail(stuck));
        }
        let text = guides::written(workspace, session.sizes(), &searches).map_err(|why| {
            let problem = Diagnostic::error("E0421", "There are no guides that can be written.").note(why);
            fail(&problem.hint("`--elevate` writes the rewrites that a search found."))
        })?;
        output::print(&text)?;
        return Ok(Exit::Done);
    }
    if args.json.json {
        output::json(&Value::Array(searches.iter().map(|s| as_json(s, workspace)).collect()))?;
    } else {
        let alphabet = if output::unicode() { Alphabet::Unicode } else { Alphabet::Ascii };
        for (i, search) in searches.iter().enumerate() {
            let shown = Shown { width: 100, alphabet };
            let text: String = lines(search, workspace, shown)
                .iter()
                .map(|l| l.text().trim_end().to_owned() + "\n")
                .collect();
            output::print(&(if i > 0 { "\n".to_owned() } else { String::new() } + &text))?;
        }
        let last = searches.last().into_iter().flat_map(|search| &search.best.terms);
        let several = last.clone().count() > 1;
        for (i, found) in last.enumerate() {
            let which = if several { format!("program {}", i + 1) } else { "the program".to_owned() };
            warn_of_sizes(&session, &found.term, &which);
        }
    }
    match &end.result {
        Err(_) if stopped.load(Ordering::Relaxed) => Ok(stops.exit()),
        Ok(_) => Ok(Exit::Done),
        Err(problem) => Err(fail(problem)),
    }
}

fn as_json(search: &Examined, workspace: &Workspace) -> Value {
    let seconds = |d: std::time::Duration| d.as_secs_f64();
    let parts = search.insight.parts.iter().map(|p| {
        json!({
            "part": p.report.label,
            "depth": p.report.depth,
            "classes": p.report.classes,
            "whole": p.report.at_root,
            "at": p.places.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "as": p.witness.as_ref().map(|t| print::short(t, &[], 1000)),
        })
    });
    let rules = search.report.rules.iter().map(|r| {
        json!({
            "rule": r.label, "matches": r.matches, "applied": r.applied, "unions": r.unions, "nodes": r.nodes,
            "bytes": r.memory, "seconds": seconds(r.time), "way": search.on_the_way.contains(&r.label),
        })
    });
    let best = search.best.terms.iter().zip(&search.last).map(|(t, last)| {
        json!({
            "weight": t.cost, "digest": t.term.digest().to_string(), "program": workspace.print(&t.term),
            "last": last.told(), "times": last.times,
        })
    });
    let nearest = search.insight.nearest.as_ref().filter(|_| search.report.found().is_none());
    json!({
        "sketch": search.sketch,
        "guide": search.guide.as_ref().map(|made| &made.what),
        "warning": search.warning,
        "result": search.report.to_string(),
        "found": search.report.found().is_some(),
        "hints": search.report.hints(),
        "seconds": seconds(search.report.elapsed),
        "iterations": search.report.iterations.len(),
        "growth": search.report.iterations.iter().enumerate().map(|(at, i)| json!({
            "nodes": i.nodes, "classes": i.classes, "matches": i.matches, "unions": i.unions,
            "seconds": seconds(i.check + i.search + i.apply + i.rebuild),
            "memory": search.report.grown.get(at).map(|then| then.rss),
            "parts": search.report.grown.get(at).map(|then| then.parts),
        })).collect::<Vec<_>>(),
        "nodes": search.report.nodes,
        "classes": search.report.classes,
        "parts": parts.collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
        "best": best.collect::<Vec<_>>(),
        "complete": search.best.complete,
        "looked_at": search.best.of,
        "extraction": seconds(search.extraction),
        "nearest": nearest.map(|n| json!({
            "levels": n.levels, "of": n.of, "but_for_sizes": n.but_for_sizes, "program": workspace.print(&n.term),
        })),
        "cut_short": search.insight.cut_short,
        "steps": search.steps.as_ref().map(Vec::len).ok(),
    })
}
