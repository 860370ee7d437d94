//! `shine-tui bench`: compile, check, measure.

use super::args::Bench;
use super::exit::Exit;
use super::load::{fail, rewritten, sizes};
use super::output;
use crate::lang::diag::Diagnostic;
use crate::lang::eval::inputs::Kind;
use crate::session::Session;
use crate::session::action::{Action, Measurement, Outcome, Sizes};
use crate::session::bench::{Inputs, target_of};
use crate::session::data::Fitted;
use crate::view::figures::{digits, time};
use serde_json::{Value, json};

/// Measures the program on a device and prints the result.
pub fn run(args: &Bench) -> Result<Exit, Exit> {
    let mut session = rewritten(&args.rewriting, args.session.as_deref(), Some(target_of(&args.device)))?;
    if args.allow_foreign {
        session.allow_foreign();
    }
    let m = if args.data.inputs.is_empty() {
        let action = Action::Bench { device: args.device.clone() };
        let Outcome::Measured(m) = session.perform_now(action).map_err(|d| fail(&d))? else {
            return Ok(Exit::Finding);
        };
        m
    } else {
        let fixed = sizes(&args.rewriting.program);
        on_own_data(&mut session, args, &fixed).map_err(|d| fail(&d))?
    };
    if args.json.json {
        output::json(&as_json(&m))?;
    } else {
        output::print(&in_words(&m))?;
    }
    Ok(Exit::Done)
}

/// Measures on what the user gives; other parameters are drawn as ever.
fn on_own_data(session: &mut Session, args: &Bench, fixed: &Sizes) -> Result<Measurement, Diagnostic> {
    let Fitted { inputs, sizes } = session.fit(&args.data.inputs, false, fixed)?;
    session.perform_now(Action::Sizes { sizes: sizes.clone() })?;
    let all = Inputs::drawn(inputs, session.term(), &sizes, Kind::Uniform)?;
    session.measure(&args.device, true, Some(&all))
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
        "gbytes": m.gbytes(),
        "check": m.check,
        "max_error": m.max_error,
        "warnings": m.warnings,
    })
}
