//! `shine-tui apply`: rewriting without a screen.

use super::args::Apply;
use super::exit::Exit;
use super::load::{fail, rewritten};
use super::output;
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::session::Session;
use crate::session::action::{Action, RevisionId};
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
    let mut session = rewritten(&args.rewriting, args.session.as_deref())?;
    for rule in &args.apply {
        let action = Action::Apply { rule: rule.clone(), at: at.clone() };
        session.perform_now(action).map_err(|d| fail(&d))?;
    }
    if args.json.json {
        output::json(&as_json(&session))?;
    } else {
        if args.steps {
            output::print(&steps(&session))?;
        }
        output::print(&format!("{}\n", session.workspace().print(session.term())))?;
        let constraints = session.workspace().constraints(session.term());
        if !constraints.is_empty() {
            output::print(&format!("-- where {}\n", constraints.join(", ")))?;
        }
    }
    Ok(Exit::Done)
}

/// Every rewrite from the program as written to the current term, as diffs.
fn steps(session: &Session) -> String {
    let mut text = String::new();
    let all = line_of_steps(session);
    let count = all.len();
    for (before, step) in all {
        let print = |t| session.workspace().print(t);
        text += &format!("-- {} at {}\n", step.rule, step.at);
        text += &output::diff(&print(&before), &print(&step.after));
        text += "\n";
    }
    let rewrites = if count == 1 { "rewrite" } else { "rewrites" };
    text += &format!("-- {count} {rewrites} of {} tried\n", tried(session));
    text
}

fn line_of_steps(session: &Session) -> Vec<(crate::lang::term::Term, crate::session::history::RevisionStep)> {
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
    let history = session.history();
    let mut line = vec![history.current()];
    while let Some(parent) = line.last().and_then(|r| history.parent(*r)) {
        line.push(parent);
    }
    line.reverse();
    line
}

/// How many rule applications were tried on the way.
fn tried(session: &Session) -> u64 {
    line(session).into_iter().filter_map(|id| session.history().revision(id)).map(|r| r.counts.tried).sum()
}

fn as_json(session: &Session) -> Value {
    let step = |s: crate::session::history::RevisionStep| json!({ "rule": s.rule, "at": s.at.to_string(), "after": s.after.digest().to_string() });
    json!({
        "program": session.workspace().print(session.term()),
        "digest": session.term().digest().to_string(),
        "nodes": session.term().size(),
        "tried": tried(session),
        "constraints": session.workspace().constraints(session.term()),
        "steps": line_of_steps(session).into_iter().map(|(_, s)| step(s)).collect::<Vec<_>>(),
    })
}
