//! `shine-tui apply`: rewriting without a screen.

use super::args::Apply;
use super::exit::Exit;
use super::load::{fail, opened, run_strategies, warn_of_sizes};
use super::output;
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::rule::Mark;
use crate::session::Session;
use crate::session::action::{Action, RevisionId};
use crate::session::history::RevisionStep;
use serde_json::{Value, json};

/// Applies strategies, then rules, and prints the program.
pub fn run(args: &Apply) -> Result<Exit, Exit> {
    let at = match &args.at {
        None => Path::root(),
        Some(text) => Path::parse(text).ok_or_else(|| {
            let problem = Diagnostic::error("E0903", format!("`{text}` is not a position."));
            fail(
                &problem
                    .hint("A position lists children from the root, as in `0.1.1`; the root itself is `.`."),
            )
        })?,
    };
    let mut session = opened(&args.rewriting, args.session.as_deref())?;
    if let Err(problem) = rewrite(&mut session, args, &at) {
        // What was done before the failure tells how it came about.
        let all = line_of_steps(&session).into_iter().chain(steps_before_failure(&session)).collect();
        if args.json.json {
            output::json(&as_json(&session, all, Some(&problem)))?;
        } else if args.steps {
            output::print(&steps(&session, all))?;
        }
        return Err(fail(&problem));
    }
    if args.json.json {
        output::json(&as_json(&session, line_of_steps(&session), None))?;
    } else {
        if args.steps {
            output::print(&steps(&session, line_of_steps(&session)))?;
            output::print(&summary(&session))?;
        }
        output::print(&format!("{}\n", session.workspace().print(session.term())))?;
        let constraints = session.workspace().constraints(session.term());
        if !constraints.is_empty() {
            output::print(&format!("-- where {}\n", constraints.join(", ")))?;
        }
    }
    warn_of_sizes(&session, session.term(), "the program");
    for told in untold(&session) {
        output::complain(&format!("warning: {told}\n"));
    }
    Ok(Exit::Done)
}

/// What holds of sizes where what searches found is like their sketches, and the program does not tell.
fn untold(session: &Session) -> Vec<String> {
    let made = line(session).into_iter().filter_map(|id| session.history().revision(id));
    made.flat_map(|revision| &revision.searches).filter_map(|search| search.untold.clone()).collect()
}

/// The strategies, then the rules.
fn rewrite(session: &mut Session, args: &Apply, at: &Path) -> Result<(), Diagnostic> {
    run_strategies(session, &args.rewriting, None)?;
    for rule in &args.apply {
        session.perform_now(Action::Apply { rule: rule.clone(), at: at.clone() })?;
    }
    Ok(())
}

type Rewrite = (Term, RevisionStep);

/// Rewrites as diffs.
fn steps(session: &Session, all: Vec<Rewrite>) -> String {
    let mut text = String::new();
    for (before, step) in all {
        let print = |t| session.workspace().print(t);
        text += &format!("-- {step}\n");
        text += &output::diff(&print(&before), &print(&step.after));
        text += "\n";
    }
    text
}

fn summary(session: &Session) -> String {
    let count = line_of_steps(session).len();
    let rewrites = if count == 1 { "rewrite" } else { "rewrites" };
    match tried(session) {
        // Searches try no rules one by one.
        tried if tried < count as u64 => format!("-- {count} {rewrites}\n"),
        tried => format!("-- {count} {rewrites} of {tried} tried\n"),
    }
}

/// The rewrites of a strategy before it failed.
fn steps_before_failure(session: &Session) -> Vec<Rewrite> {
    let mut before = session.term().clone();
    let steps = session.before_failure().iter();
    steps.map(|step| (std::mem::replace(&mut before, step.after.clone()), step.clone())).collect()
}

/// Every rewrite from the program as written to the current term.
fn line_of_steps(session: &Session) -> Vec<Rewrite> {
    let history = session.history();
    let line = line(session);
    let mut out = vec![];
    for pair in line.windows(2) {
        let (Some(parent), Some(child)) = (history.revision(pair[0]), history.revision(pair[1])) else {
            continue;
        };
        let mut before = parent.term.clone();
        for step in &child.steps {
            out.push((before, step.clone()));
            before = step.after.clone();
        }
    }
    out
}

/// The revisions from the program as it was read to the present one.
fn line(session: &Session) -> Vec<RevisionId> {
    session.history().line(session.history().current())
}

/// How many rule applications were tried on the way.
fn tried(session: &Session) -> u64 {
    line(session).into_iter().filter_map(|id| session.history().revision(id)).map(|r| r.counts.tried).sum()
}

/// The program that there is and the steps to it; after a failure, those before it, and what it says.
fn as_json(session: &Session, steps: Vec<Rewrite>, problem: Option<&Diagnostic>) -> Value {
    let step = |s: RevisionStep| {
        let marks: Vec<&str> = s.marks.iter().map(Mark::name).collect();
        let after = s.after.digest().to_string();
        json!({ "rule": s.rule, "marks": marks, "at": s.at.to_string(), "after": after })
    };
    let mut value = json!({
        "program": session.workspace().print(session.term()),
        "digest": session.term().digest().to_string(),
        "nodes": session.term().size(),
        "tried": tried(session),
        "constraints": session.workspace().constraints(session.term()),
        "steps": steps.into_iter().map(|(_, s)| step(s)).collect::<Vec<_>>(),
    });
    if let Some(problem) = problem {
        value["error"] = json!({ "code": problem.code, "message": problem.message });
    }
    value
}
