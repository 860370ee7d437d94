//! The searches of the thesis for matrix multiplication by who makes the guides: nobody, the tool, or a person.

use super::{GOALS, Goal, apart, ended, megabytes, memory, seconds};
use crate::cli::args::Unguided;
use crate::cli::exit::Exit;
use crate::cli::load::fail;
use crate::cli::output;
use crate::lang::diag::Diagnostic;
use crate::rewrite::encodings::{Bounds, Found};
use crate::rewrite::search::{Limit, Outcome, Report};
use crate::session::jobs::Control;
use crate::session::state::Progress;
use crate::session::unguided;
use crate::session::workspace::{Examination, Workspace};
use serde_json::{Value, json};
use std::fmt;

/// The name of this table.
pub const TABLE: &str = "guides";

/// Who makes the guides, and who chooses the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Method {
    /// One search with the rules of all steps of the thesis
    None,
    /// One search with the rules of the library that can help
    Library,
    /// Guides and rules that are derived from the goal
    Derived,
    /// The guides and rules that the thesis gives
    Written,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::None => "none",
            Method::Library => "library",
            Method::Derived => "derived",
            Method::Written => "written",
        })
    }
}

impl Method {
    const ALL: [Method; 4] = [Method::None, Method::Library, Method::Derived, Method::Written];

    /// The strategy that searches for the goal.
    fn search(self, goal: &Goal) -> &'static str {
        match self {
            Method::None => goal.search,
            Method::Library | Method::Derived => goal.search.split(" using ").next().unwrap_or(goal.search),
            Method::Written => goal.written.unwrap_or(goal.search),
        }
    }
}

/// What a row is about.
struct Task {
    goal: &'static Goal,
    method: Method,
}

pub fn run(args: &Unguided) -> Result<Exit, Exit> {
    let goals = || GOALS.iter().filter(|goal| goal.written.is_some());
    if let Some(name) = args.goal.iter().find(|name| goals().all(|goal| goal.name != **name)) {
        return Err(fail(&super::no_goal(name, goals())));
    }
    let asked = |goal: &&Goal| args.goal.is_empty() || args.goal.iter().any(|name| *name == goal.name);
    let methods: &[Method] = if args.method.is_empty() { &Method::ALL } else { &args.method };
    let tasks: Vec<Task> = goals()
        .filter(asked)
        .flat_map(|goal| methods.iter().map(move |method| Task { goal, method: *method }))
        .collect();
    if args.alone {
        let Some(task) = tasks.first() else { return Ok(Exit::Done) };
        output::json(&alone(args, task)?)?;
        return Ok(Exit::Done);
    }
    let mut rows = vec![];
    if !args.json.json {
        output::print(&line(&HEADS.map(str::to_owned)))?;
    }
    for Task { goal, method } in &tasks {
        let which = ["--method", &method.to_string(), "--goal", goal.name, TABLE].map(str::to_owned);
        let mut row = apart(args, &which)?;
        (row["goal"], row["guides"]) = (json!(goal.name), json!(method.to_string()));
        if !args.json.json {
            output::print(&line(&cells(&row)))?;
        }
        rows.push(row);
    }
    ended(args, rows)
}

/// A search in this process.
fn alone(args: &Unguided, task: &Task) -> Result<Value, Exit> {
    let workspace = super::loaded(task.goal)?;
    let search = task.method.search(task.goal);
    let bounds = Bounds { time: args.time(), memory: args.bytes() };
    let one = match task.method {
        Method::None => Some(unguided::run(&workspace, search, None, &bounds)),
        Method::Library => Some(unguided::with_library(&workspace, search, &bounds)),
        Method::Derived | Method::Written => None,
    };
    match one {
        Some(row) => Ok(super::as_json(&row.map_err(|problem| fail(&problem))?)),
        None => guided(&workspace, search).map_err(|problem| fail(&problem)),
    }
}

/// One search after the other, within their own bounds.
fn guided(workspace: &Workspace, search: &str) -> Result<Value, Diagnostic> {
    let strategy = workspace.parse_strategy(search)?;
    let control = Control::unwatched(Progress::Strategy { tried: 0, applied: 0 });
    let began = std::time::Instant::now();
    let Examination { end, searches, .. } =
        workspace.examine(&workspace.program.term, &strategy, 1, &control);
    let end = match (&end.result, searches.last().map(|search| &search.report.outcome)) {
        (Ok(_), _) => Found::Yes,
        (Err(_), Some(Outcome::Limit(Limit::Memory { .. }))) => Found::OutOfMemory,
        (Err(_), Some(Outcome::Limit(_) | Outcome::Stopped)) => Found::OutOfTime,
        (Err(_), _) => Found::Saturated,
    };
    let most = |of: &dyn Fn(&Report) -> usize| searches.iter().map(|s| of(&s.report)).max();
    let sum = |of: &dyn Fn(&Report) -> usize| -> usize { searches.iter().map(|s| of(&s.report)).sum() };
    Ok(json!({
        "found": end == Found::Yes,
        "end": super::name_of(end),
        "seconds": began.elapsed().as_secs_f64(),
        "megabytes": megabytes(),
        "searches": searches.len(),
        "rules": sum(&|report| report.rules.iter().map(|r| r.unions).sum()),
        "nodes": most(&|report| report.nodes),
        "classes": most(&|report| report.classes),
        "iterations": sum(&|report| report.iterations.len()),
    }))
}

const HEADS: [&str; 9] =
    ["goal", "guides", "found", "time", "memory", "searches", "nodes", "classes", "iterations"];

fn line(cells: &[String; 9]) -> String {
    let [goal, guides, found, rest @ ..] = cells;
    let rest: String = rest.iter().map(|cell| format!(" {cell:>10}")).collect();
    format!("{goal:<16} {guides:<8} {found:<15}{rest}\n")
}

fn cells(row: &Value) -> [String; 9] {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let number = |key: &str| row[key].as_u64().map_or_else(|| "-".to_owned(), |n| n.to_string());
    let found = match &*text("end") {
        "found" => "yes".to_owned(),
        end => format!("no: {end}"),
    };
    [
        text("goal"),
        text("guides"),
        found,
        seconds(row),
        memory(row),
        number("searches"),
        number("nodes"),
        number("classes"),
        number("iterations"),
    ]
}
