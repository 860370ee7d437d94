//! What each pane shows, made of views.

use super::app::App;
use super::command::Command;
use super::layout::Pane;
use super::looks::{Candidate, Want};
use super::pane::{Body, occurrences};
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::session::action::RevisionId;
use crate::view::diff::Counts;
use crate::view::term::Printed;
use crate::view::{Alphabet, Line, Mark, Role, bench, diff, history, jobs, kernel, loops, rules, search};

/// What a pane shows, for a width.
pub fn body(app: &App, pane: Pane, width: usize) -> Body {
    let mut body = match pane {
        Pane::Term => term(app),
        Pane::Loops => loop_nest(app),
        Pane::Rules => rule_list(app, width),
        Pane::Search => searching(app, width),
        Pane::Kernel => code(app, width),
        Pane::Bench => benches(app, width),
        Pane::History => tree(app),
        Pane::Jobs => job_list(app, width),
    };
    let find = &app.window(pane).find;
    if !find.is_empty() && pane != Pane::Rules {
        let count = body.lines.iter().map(|line| occurrences(&line.text(), find).len()).sum::<usize>();
        body.note = Line::of(Role::Hint, format!(" /{find}: {count} "));
    }
    body
}

fn alphabet(app: &App) -> Alphabet {
    app.setup.caps.alphabet
}

fn term(app: &App) -> Body {
    let focused = app.focus.pane == Pane::Term;
    let mark = if focused { Mark::Selected } else { Mark::Remembered };
    let selected = app.session.term().at(&app.selection);
    let ty = selected.map(|t| t.ty().to_string()).unwrap_or_default();
    // Marking everything would say nothing.
    let whole = app.selection.is_root();
    let place = if whole { "all".to_owned() } else { app.selection.to_string() };
    let mut head = vec![Line::of(Role::Dim, format!("{place} : ")).with(Role::Type, ty)];
    // What a pattern does, from the table or from the program that declares it.
    head.extend(selected.and_then(Term::as_pattern).map(|p| {
        let doc = p.row().doc.lines().next().unwrap_or_default();
        Line::of(Role::Dim, format!("{p}: {doc}"))
    }));
    let lines = if whole { app.printed.lines().to_vec() } else { app.printed.marked(&app.selection, mark) };
    Body {
        head,
        lines,
        sight: app.printed.place(&app.selection).map(|(first, last, _)| (first, last)),
        ..Body::default()
    }
}

fn loop_nest(app: &App) -> Body {
    let nest = loops::rows(app.session.term(), &app.selection, alphabet(app));
    if nest.is_empty() {
        return Body::says(vec![Line::of(Role::Dim, "The term has no loops.")]);
    }
    Body { lines: nest.into_iter().map(|row| row.line).collect(), list: true, ..Body::default() }
}

/// The sub-term of the highlighted loop.
pub fn highlighted_loop(app: &App) -> Option<Path> {
    let nest = loops::rows(app.session.term(), &app.selection, alphabet(app));
    nest.get(app.window(Pane::Loops).cursor).map(|row| row.path.clone())
}

/// The rules that are listed, in order.
pub fn shown_rules(app: &App) -> Vec<&Candidate> {
    let find = &app.window(Pane::Rules).find;
    let known =
        app.rules.asked.as_ref().is_some_and(|(id, at)| (*id, at) == (app.session.current(), &app.selection));
    let all = app.rules.candidates.iter().filter(|_| known);
    all.filter(|c| app.rules.all || c.result.is_ok())
        .filter(|c| find.is_empty() || !occurrences(&c.call, find).is_empty())
        .collect()
}

fn rule_list(app: &App, width: usize) -> Body {
    let known =
        app.rules.asked.as_ref().is_some_and(|(id, at)| (*id, at) == (app.session.current(), &app.selection));
    if !known {
        return Body::says(vec![Line::of(Role::Dim, "Looking which rules apply …")]);
    }
    let shown = shown_rules(app);
    let find = &app.window(Pane::Rules).find;
    let applying = app.rules.candidates.iter().filter(|c| c.result.is_ok()).count();
    let total = app.rules.candidates.len();
    let mut head = Line::of(Role::Hint, format!("{applying} of {total} apply here"));
    if !find.is_empty() {
        head.push(Role::Hint, format!(", with `{find}`: {}", shown.len()));
    }
    let cursor = app.window(Pane::Rules).cursor.min(shown.len().saturating_sub(1));
    let foot = match shown.get(cursor) {
        None if find.is_empty() => {
            let key = |command| app.setup.keys.key(command).unwrap_or_default();
            let (shrink, all, why) = (key(Command::Shrink), key(Command::AllRules), key(Command::Why));
            let text = format!(
                "No rule rewrites all of this part at once. {shrink} selects a part of it, {all} lists the other rules \
                 and {why} says why one does not apply."
            );
            Line::of(Role::Dim, text).wrap(width, 0)
        }
        None => Vec::new(),
        Some(candidate) => match &candidate.result {
            Ok(after) => {
                let old = Printed::of(app.session.term(), width.saturating_sub(2), alphabet(app));
                let new = Printed::of(after, width.saturating_sub(2), alphabet(app));
                let (lines, _) = diff::of_lines(old.lines(), new.lines(), Some(1));
                lines
            }
            Err(_) => why(app, candidate).iter().flat_map(|line| line.wrap(width, 2)).collect(),
        },
    };
    let lines = shown.iter().map(|c| rules::line(&c.call, &c.doc, &c.result, alphabet(app))).collect();
    Body { head: vec![head], lines, foot, list: true, ..Body::default() }
}

/// Why a rule applies here or does not.
pub fn why(app: &App, candidate: &Candidate) -> Vec<Line> {
    let place = candidate.stops.as_ref().map(|path| (path.clone(), app.printed.text(path)));
    rules::why(&candidate.call, &candidate.doc, &candidate.result, place, candidate.depth)
}

fn searching(app: &App, width: usize) -> Body {
    let lines = search::lines(&app.found, width, alphabet(app));
    Body { lines, ..Body::default() }
}

/// The names of the stages of the present code.
pub fn stages(app: &App) -> Vec<String> {
    let kernel = app.looks.kernel(&want(app));
    match kernel.as_deref() {
        Some(Ok(compiled)) => compiled.stages.iter().map(|stage| stage.name.to_owned()).collect(),
        _ => Vec::new(),
    }
}

fn want(app: &App) -> Want {
    Want::Kernel { revision: app.session.current(), target: app.code.target }
}

/// The text of the shown stage.
pub fn code_text(app: &App) -> Option<String> {
    let kernel = app.looks.kernel(&want(app))?;
    let compiled = kernel.as_ref().as_ref().ok()?;
    let stage = shown_stage(app)?;
    compiled.stage(&stage).map(str::to_owned)
}

/// The stage that was chosen, else the kernel's own code.
pub fn shown_stage(app: &App) -> Option<String> {
    let stages = stages(app);
    let code = app.code.target.name().to_owned();
    let chosen = app.code.stage.clone().unwrap_or(code);
    stages.iter().find(|stage| **stage == chosen).or(stages.last()).cloned()
}

fn code(app: &App, width: usize) -> Body {
    let Some(kernel) = app.looks.kernel(&want(app)) else {
        return Body::says(vec![Line::of(Role::Dim, "Generating code …")]);
    };
    match &*kernel {
        Err(problem) => {
            Body::says(app.problem(problem).iter().flat_map(|line| line.wrap(width, 3)).collect())
        }
        Ok(_) => {
            let stage = shown_stage(app).unwrap_or_default();
            let text = code_text(app).unwrap_or_default();
            let head = kernel::stages(&stages(app), &stage, width);
            Body { head: vec![head], lines: kernel::lines(&stage, &text), ..Body::default() }
        }
    }
}

fn benches(app: &App, width: usize) -> Body {
    let history = app.session.history();
    let table = bench::table(history, width, alphabet(app));
    if table.rows.is_empty() {
        let key = app.setup.keys.key(super::command::Command::Bench).unwrap_or_default();
        return Body::says(vec![
            Line::of(Role::Dim, "Nothing has been measured yet."),
            Line::of(Role::Hint, format!("{key} measures the present state on `{}`.", app.device)),
        ]);
    }
    let all = bench::measurements(history);
    let cursor = app.window(Pane::Bench).cursor.min(all.len().saturating_sub(1));
    let foot = all.get(cursor).map(|(id, m)| bench::details(*id, m)).unwrap_or_default();
    let foot = foot.iter().flat_map(|line| line.wrap(width, 8)).collect();
    Body { head: vec![table.head], lines: table.rows, foot, list: true, ..Body::default() }
}

fn tree(app: &App) -> Body {
    let rows = history::rows(app.session.history(), app.pinned, alphabet(app));
    Body { lines: rows.into_iter().map(|row| row.line).collect(), list: true, ..Body::default() }
}

/// The revision that is highlighted in the history.
pub fn highlighted_revision(app: &App) -> Option<RevisionId> {
    let cursor = app.window(Pane::History).cursor;
    app.session.history().outline().get(cursor).map(|(id, _)| *id)
}

fn job_list(app: &App, width: usize) -> Body {
    let running = app.session.jobs();
    let mut lines: Vec<Line> = running.iter().map(jobs::line).collect();
    if running.is_empty() {
        lines.push(Line::of(Role::Dim, "Nothing is running."));
    }
    for message in app.messages.iter().rev() {
        lines.extend(Line::of(message.role, message.text.clone()).wrap(width, 2));
    }
    Body { lines, list: true, ..Body::default() }
}

/// The difference of two terms, as they are printed in a popup.
pub fn difference(app: &App, old: &Term, new: &Term, context: Option<usize>) -> (Vec<Line>, Counts) {
    let width = usize::from(app.size.0).saturating_sub(8).clamp(20, 120);
    let print = |term: &Term| Printed::of(term, width, alphabet(app));
    diff::of_lines(print(old).lines(), print(new).lines(), context)
}

/// The text of the selected sub-term.
pub fn selected_text(app: &App) -> String {
    app.printed.text(&app.selection)
}
