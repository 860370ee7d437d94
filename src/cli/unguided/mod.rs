//! `shine-tui unguided`: equality saturation without guides, by encoding, as a table; and by who makes the guides
//! ([`methods`]).

pub mod methods;

use super::args::{EncodingChoice, ProgramOptions, Rewriting, Unguided};
use super::exit::Exit;
use super::load::{fail, fail_all, opened};
use super::output;
use crate::lang::diag::Diagnostic;
use crate::rewrite::encodings::{Bounds, Found, Outcome};
use crate::session::files::{Origin, Text, Texts};
use crate::session::unguided;
use crate::session::workspace::Workspace;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A goal of the thesis: a program with what stands beside it, and the search.
struct Goal {
    table: &'static str,
    name: &'static str,
    /// File names without ending, with the texts.
    texts: &'static [(&'static str, &'static str)],
    search: &'static str,
    /// The strategy that searches with the thesis's guides.
    written: Option<&'static str>,
}

const MATMUL: &[(&str, &str)] = &[
    ("matmul.rise", include_str!("../../../kernels/matmul/matmul.rise")),
    ("matmul.elevate", include_str!("../../../kernels/matmul/matmul.elevate")),
];

const fn encoding(
    name: &'static str,
    texts: &'static [(&'static str, &'static str)],
    search: &'static str,
) -> Goal {
    Goal { table: "encodings", name, texts, search, written: None }
}

const fn matmul(name: &'static str, written: &'static str, search: &'static str) -> Goal {
    Goal { table: "matmul", name, texts: MATMUL, search, written: Some(written) }
}

/// Thesis sections 5.5 (figures 5.7 to 5.9) and 5.7. A search without a guide has the rules of all steps.
const GOALS: &[Goal] = &[
    encoding(
        "reduction",
        &[
            ("reduction.rise", include_str!("../../../assets/goals/reduction.rise")),
            ("reduction.elevate", include_str!("../../../assets/goals/reduction.elevate")),
        ],
        "reach seven using betaReduction with (normal: none)",
    ),
    encoding(
        "fission",
        &[
            ("fission.rise", include_str!("../../../assets/goals/fission.rise")),
            ("fission.elevate", include_str!("../../../assets/goals/fission.elevate")),
        ],
        "reach fissioned using { mapFusion, mapFission }",
    ),
    encoding(
        "binomial",
        &[
            ("binomial.rise", include_str!("../../../assets/goals/binomial.rise")),
            ("binomial.rules", include_str!("../../../assets/goals/binomial.rules")),
            ("binomial.elevate", include_str!("../../../assets/goals/binomial.elevate")),
        ],
        "reach scanline using binomialRules",
    ),
    matmul("baseline", "searchBaseline", "reach baseline using baselineRules"),
    matmul(
        "blocking",
        "searchBlocking",
        "reach reorder1(32, 32, 4) using { splitRules, reorderRules } with (dims: 6, size: 200)",
    ),
    matmul(
        "vectorization",
        "searchVectorization",
        "reach lower1(32, 32, 4, 32) using { splitRules, reorderRules, lowerRules } with (dims: 6, size: 200)",
    ),
    matmul(
        "loopPerm",
        "searchLoopPerm",
        "reach lower2(32, 32, 4, 32) using { splitRules, reorderRules, lowerRules } with (dims: 6, size: 300)",
    ),
    matmul(
        "arrayPacking",
        "searchArrayPacking",
        "reach lower3(32, 32, 4, 32) using allRules with (dims: 6, size: 300)",
    ),
    matmul(
        "cacheBlocks",
        "searchCacheBlocks",
        "reach lower4(32, 32, 4, 32) using allRules with (dims: 6, size: 300)",
    ),
    matmul(
        "parallel",
        "searchParallel",
        "reach lower5(32, 32, 4, 32) using allRules with (dims: 6, size: 300)",
    ),
];

/// What a row is about.
struct Task<'a> {
    goal: Option<&'static Goal>,
    search: &'a str,
    encoding: EncodingChoice,
}

/// The names of all goals of the tables.
pub fn goals() -> Vec<&'static str> {
    GOALS.iter().map(|goal| goal.name).collect()
}

/// The names of the tables, some of them several times.
pub fn tables() -> Vec<&'static str> {
    GOALS.iter().map(|goal| goal.table).chain([methods::TABLE]).collect()
}

/// Runs each search in a process of its own, so that what one needs of memory is its own, and prints the rows as they
/// come.
pub fn run(args: &Unguided) -> Result<Exit, Exit> {
    if let Some(problem) = misused(args) {
        return Err(fail(&problem));
    }
    if args.what == methods::TABLE {
        return methods::run(args);
    }
    let tasks = tasks(args).map_err(|problem| fail(&problem))?;
    if args.alone {
        let Some(task) = tasks.first() else { return Ok(Exit::Done) };
        let row = alone(args, task)?;
        output::json(&row)?;
        return Ok(Exit::Done);
    }
    if let Some(Task { goal: None, search, .. }) = tasks.first() {
        unguided::check(&*program(args)?, search).map_err(|problem| fail(&problem))?;
    }
    let mut rows = vec![];
    if !args.json.json {
        output::print(&line(&HEADS.map(str::to_owned)))?;
    }
    for task in &tasks {
        let mut row = apart(args, &which(args, task))?;
        row["goal"] = json!(task.goal.map_or(task.search, |g| g.name));
        row["encoding"] = json!(task.encoding.to_string());
        if !args.json.json {
            output::print(&line(&cells(&row)))?;
        }
        rows.push(row);
    }
    ended(args, rows)
}

/// An option or an argument that says nothing of what is asked for.
fn misused(args: &Unguided) -> Option<Diagnostic> {
    let of_methods = args.what == methods::TABLE;
    let is_table = of_methods || GOALS.iter().any(|goal| *goal.table == *args.what);
    let own = "The programs of the tables are the tool's own.";
    let ProgramOptions { def, sizes, rules } = &args.program;
    let all = [
        ("A SEARCH", args.search.is_some(), !is_table, own),
        ("`--def`", def.is_some(), !is_table, own),
        ("`--size`", !sizes.is_empty(), !is_table, own),
        ("`--rules`", !rules.is_empty(), !is_table, own),
        ("`--goal`", !args.goal.is_empty(), is_table, "It chooses rows of a table."),
        ("`--method`", !args.method.is_empty(), of_methods, "It chooses rows of the table `guides`."),
        (
            "`--encoding`",
            !args.encoding.is_empty(),
            !of_methods,
            "The table `guides` is of typed terms alone.",
        ),
    ];
    let (what, .., why) = all.into_iter().find(|(_, given, says, _)| *given && !says)?;
    let of = if is_table { "the table" } else { "the program" };
    Some(
        Diagnostic::error("E0916", format!("{what} says nothing of {of} `{}`.", args.what))
            .note(why)
            .hint("Leave it out."),
    )
}

/// What is printed behind all rows, and the exit code.
fn ended(args: &Unguided, rows: Vec<Value>) -> Result<Exit, Exit> {
    let found = rows.iter().any(|row| row["found"] == true);
    if args.json.json {
        output::json(&Value::Array(rows))?;
    }
    Ok(if found { Exit::Done } else { Exit::Finding })
}

fn tasks(args: &Unguided) -> Result<Vec<Task<'_>>, Diagnostic> {
    let of_table = || GOALS.iter().filter(|g| *g.table == *args.what);
    let all = [
        EncodingChoice::ExplicitNamed,
        EncodingChoice::ExplicitIndices,
        EncodingChoice::ExtractionNamed,
        EncodingChoice::ExtractionIndices,
        EncodingChoice::Typed,
    ];
    let chosen = |default: &[EncodingChoice]| match &args.encoding[..] {
        [] => default.to_vec(),
        some => some.to_vec(),
    };
    if of_table().next().is_none() {
        let Some(search) = args.search.as_deref() else {
            let problem =
                Diagnostic::error("E0916", format!("`{}` is no table, and no search is given.", args.what));
            return Err(problem
                .hint("The tables are `encodings`, `matmul` and `guides`; for a program write `shine-tui unguided PROGRAM.rise 'reach SKETCH using RULES'`."));
        };
        let task = |encoding| Task { goal: None, search, encoding };
        return Ok(chosen(&all).into_iter().map(task).collect());
    }
    let default = if args.what == "matmul" { &all[4..] } else { &all[..] };
    if let Some(name) = args.goal.iter().find(|name| of_table().all(|g| g.name != **name)) {
        return Err(no_goal(name, of_table()));
    }
    let goals = of_table().filter(|g| args.goal.is_empty() || args.goal.iter().any(|name| *name == g.name));
    let task = |goal: &'static Goal, encoding| Task { goal: Some(goal), search: goal.search, encoding };
    Ok(goals.flat_map(|goal| chosen(default).into_iter().map(move |e| task(goal, e))).collect())
}

fn no_goal(name: &str, goals: impl Iterator<Item = &'static Goal>) -> Diagnostic {
    let known: Vec<&str> = goals.map(|goal| goal.name).collect();
    Diagnostic::error("E0916", format!("The table has no goal `{name}`."))
        .did_you_mean(name, known.iter().copied())
        .note(format!("Its goals are {}.", known.join(", ")))
}

/// The program of a goal, with what stands beside it.
fn loaded(goal: &Goal) -> Result<Arc<Workspace>, Exit> {
    let text = |(label, text): &(&str, &str)| Text { label: (*label).into(), text: (*text).into() };
    let mut all = goal.texts.iter().map(text);
    let Some(program) = all.next() else { return Err(Exit::BadInput) };
    let files = all.collect();
    let texts = Texts { program, files, default_sizes: Default::default(), origin: Origin::default() };
    Ok(Arc::new(Workspace::load(&texts, None).map_err(|problems| fail_all(&problems))?))
}

/// The user's program.
fn program(args: &Unguided) -> Result<Arc<Workspace>, Exit> {
    let file = Path::new(&args.what).to_owned();
    let options = Rewriting { file, program: args.program.clone(), strategies: vec![] };
    Ok(opened(&options, None)?.workspace().clone())
}

/// A search in this process.
fn alone(args: &Unguided, task: &Task<'_>) -> Result<Value, Exit> {
    let workspace = match task.goal {
        None => program(args)?,
        Some(goal) => loaded(goal)?,
    };
    let bounds = Bounds { time: args.time(), memory: args.bytes() };
    let row = unguided::run(&workspace, task.search, task.encoding.encoding(), &bounds);
    Ok(as_json(&row.map_err(|problem| fail(&problem))?))
}

fn as_json(row: &Outcome) -> Value {
    json!({
        "found": row.found == Found::Yes,
        "end": name_of(row.found),
        "seconds": row.time.as_secs_f64(),
        "megabytes": megabytes(),
        "searches": 1,
        "rules": row.applied,
        "nodes": row.nodes,
        "classes": row.classes,
        "iterations": row.iterations,
    })
}

fn name_of(end: Found) -> &'static str {
    match end {
        Found::Yes => "found",
        Found::Saturated => "saturated",
        Found::OutOfTime => "time",
        Found::OutOfMemory => "memory",
    }
}

/// The most memory that this process has held.
fn megabytes() -> Option<f64> {
    peak_kilobytes("self").map(|kb| kb as f64 / 1e3)
}

/// The most memory that a process has held; none where the system does not tell.
fn peak_kilobytes(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// For so long the process of a search reads what it is given.
const STARTING: Duration = Duration::from_millis(300);
/// After so long it is asked again whether that has ended.
const ASKED: Duration = Duration::from_millis(2);

/// Which search a process is to run.
fn which(args: &Unguided, task: &Task<'_>) -> Vec<String> {
    let mut all = vec!["--encoding".to_owned(), task.encoding.to_string()];
    let mut add = |more: &[&str]| all.extend(more.iter().map(|text| (*text).to_owned()));
    match task.goal {
        Some(goal) => add(&["--goal", goal.name, goal.table]),
        None => {
            for (names, value) in &args.program.sizes {
                add(&["--size", &format!("{}={value}", names.join("="))]);
            }
            if let Some(def) = &args.program.def {
                add(&["--def", def]);
            }
            for dir in &args.program.rules {
                add(&["--rules", &dir.to_string_lossy()]);
            }
            add(&["--", &args.what, task.search]);
        }
    }
    all
}

/// A search in a process of its own, which is ended where it does not keep to its time.
fn apart(args: &Unguided, which: &[String]) -> Result<Value, Exit> {
    let cannot = |why: String| {
        let problem =
            Diagnostic::error("E0706", format!("The process of a search cannot be started: {why}."));
        fail(
            &problem
                .hint("Each search runs in a second process of this program; check that it may be executed."),
        )
    };
    let binary = std::env::current_exe().map_err(|e| cannot(e.to_string()))?;
    let mut command = Command::new(binary);
    command.arg("unguided").arg("--alone");
    command.args(["--for", &args.seconds.to_string(), "--memory", &args.memory.to_string()]).args(which);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| cannot(e.to_string()))?;
    let (started, limit) = (Instant::now(), args.time());
    let most = limit.saturating_add(limit / 10).saturating_add(STARTING);
    while child.try_wait().map_err(|e| cannot(e.to_string()))?.is_none() {
        if started.elapsed() > most {
            // To restore congruence cannot be stopped, and may take several times the limit.
            let megabytes = peak_kilobytes(&child.id().to_string()).map(|kb| kb as f64 / 1e3);
            let ended = child.kill().and_then(|()| child.wait());
            ended.map_err(|e| cannot(e.to_string()))?;
            let seconds = started.elapsed().as_secs_f64();
            return Ok(json!({ "found": false, "end": "time", "seconds": seconds, "megabytes": megabytes }));
        }
        std::thread::sleep(ASKED);
    }
    let done = child.wait_with_output().map_err(|e| cannot(e.to_string()))?;
    let row = serde_json::from_slice::<Value>(&done.stdout).ok();
    match (done.status.code(), row) {
        (Some(0), Some(row)) => Ok(row),
        // The system, rather than the search, found that there is no more memory.
        (None, _) => Ok(json!({ "found": false, "end": "killed" })),
        (Some(_), _) => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let types = said.starts_with("error[E0420]");
            if types && args.encoding.len() != 1 {
                return Ok(json!({ "found": false, "end": "types", "said": said }));
            }
            output::complain(&said);
            Err(Exit::BadInput)
        }
    }
}

const HEADS: [&str; 10] =
    ["goal", "substitution", "binding", "found", "time", "memory", "rules", "nodes", "classes", "iterations"];

fn line(cells: &[String; 10]) -> String {
    let [goal, substitution, binding, found, rest @ ..] = cells;
    let goal =
        if goal.chars().count() > 24 { goal.chars().take(23).chain(['~']).collect() } else { goal.clone() };
    let rest: String = rest.iter().map(|cell| format!(" {cell:>10}")).collect();
    format!("{goal:<24} {substitution:<12} {binding:<10} {found:<15}{rest}\n")
}

fn seconds(row: &Value) -> String {
    row["seconds"].as_f64().map_or_else(|| "-".to_owned(), |s| format!("{s:.3} s"))
}

fn memory(row: &Value) -> String {
    row["megabytes"].as_f64().map_or_else(|| "-".to_owned(), |mb| format!("{mb:.1} MB"))
}

fn cells(row: &Value) -> [String; 10] {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let number = |key: &str| row[key].as_u64().map_or_else(|| "-".to_owned(), |n| n.to_string());
    let (substitution, binding) = match text("encoding").split_once('-') {
        Some((s, "indices")) => (s.to_owned(), "De Bruijn".to_owned()),
        Some((s, b)) => (s.to_owned(), b.to_owned()),
        None => ("extraction".to_owned(), "typed".to_owned()),
    };
    let found = match &*text("end") {
        "found" => "yes".to_owned(),
        "types" => "needs types".to_owned(),
        end => format!("no: {end}"),
    };
    [
        text("goal"),
        substitution,
        binding,
        found,
        seconds(row),
        memory(row),
        number("rules"),
        number("nodes"),
        number("classes"),
        number("iterations"),
    ]
}
