//! What the commands do to the session. Every change goes through `Session::perform`.

use std::path::PathBuf;

use super::app::{App, Changed, Trail};
use super::bodies;
use super::layout::Pane;
use super::looks::{Seen, Want, searches};
use super::popup::{About, Choice, Entry, EntryKind, Item, Page, Popup, Purpose, Question, Value};
use super::stepping;
use super::update::{Search, find};
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::rewrite::strategy::script::Definition;
use crate::session::action::{Action, Outcome, RevisionId, Sizes, Target};
use crate::session::files::{self, Text};
use crate::session::state::{JobResult, Performed};
use crate::view::{Line, Role, bench as bench_view, diff as diff_view, figures, problem};

/// Takes an action. A problem is shown; true when there was none.
pub(super) fn perform(app: &mut App, action: Action) -> bool {
    match app.session.perform(action) {
        Ok(performed) => {
            if let Performed::Done(outcome) = &performed {
                done(app, outcome);
            }
            app.touch_all();
            true
        }
        Err(problem) => {
            show_problem(app, &problem);
            false
        }
    }
}

/// Says what came of an action.
fn done(app: &mut App, outcome: &Outcome) {
    match outcome {
        Outcome::Term { revision, .. } => {
            let Some(made) = app.session.history().revision(*revision) else { return };
            let mut text = format!("Revision {revision}: {}", made.label);
            if let Some(elevate) = app.session.history().elevate(*revision).filter(|text| *text != made.label)
            {
                text += &format!(", in ELEVATE {elevate}");
            }
            if made.steps.len() > 1 {
                text += &format!(" ({} rewrites of {} tried)", made.steps.len(), made.counts.tried);
            }
            app.tell(Role::Good, text);
        }
        Outcome::Unchanged { reason, .. } => app.tell(Role::Warning, reason.clone()),
        Outcome::Measured(m) => {
            let time = figures::time(m.median_ns);
            app.tell(Role::Good, format!("{} on {}, checked: {}", time, m.device, m.check));
        }
        Outcome::Kernel { .. } | Outcome::Done => {}
    }
}

/// Shows a problem: in one line where one is enough, else to be read.
pub(super) fn show_problem(app: &mut App, problem: &Diagnostic) {
    app.tell(Role::Error, problem::in_a_line(problem));
    if !(problem.notes.is_empty() && problem.hints.is_empty() && problem.labels.is_empty()) {
        let lines = app.problem(problem);
        app.popups.push(Popup::Page(Page::new("Not done", lines, Purpose::Read)));
    }
}

/// Fetches what jobs and looks have done.
pub fn news(app: &mut App) {
    // The last word of a search is there until its result is fetched.
    if app.found.watch(&app.session.jobs()) {
        app.touch(&[Pane::Search]);
    }
    for result in app.session.poll() {
        finished(app, result);
    }
    for (want, seen) in app.looks.poll(&app.session) {
        match (want, seen) {
            (Want::Rules { revision, at }, Seen::Rules(candidates)) => {
                app.rules.candidates = candidates.into();
                app.rules.asked = Some((revision, at));
                app.touch(&[Pane::Rules]);
            }
            (_, Seen::Kernel(_)) => app.touch(&[Pane::Kernel]),
            (_, Seen::Devices(_)) => app.touch(&[Pane::Bench]),
            (Want::Steps { revision, text, .. }, Seen::Steps(steps)) => {
                stepping::known(app, revision, text, steps)
            }
            _ => {}
        }
    }
    if !app.session.is_idle() {
        app.touch(&[Pane::Jobs]);
    }
}

/// A job has ended.
fn finished(app: &mut App, result: JobResult) {
    let searched = match &result.action {
        Action::Strategy { text, .. } => searches(app.session.workspace(), text),
        _ => false,
    };
    match result.result {
        Ok(outcome) => {
            app.found.ended(&outcome);
            done(app, &outcome);
            if let (Action::Strategy { .. }, Outcome::Term { revision, .. }) = (&result.action, &outcome) {
                let steps = app.session.history().revision(*revision).map_or(0, |r| r.steps.len());
                if searched && steps > 0 {
                    let key = app.setup.keys.key(super::command::Command::Preview).unwrap_or_default();
                    let steps = if steps == 1 { "one step".to_owned() } else { format!("{steps} steps") };
                    app.tell(
                        Role::Good,
                        format!("Found in {steps}, revision {revision}; {key} in the history shows how."),
                    );
                }
            }
        }
        Err(problem) => {
            if searched {
                app.found.failed(&problem);
            }
            let typed = match &result.action {
                Action::Strategy { text, .. } if app.popups.is_empty() => typed_last(app, text),
                _ => None,
            };
            match typed {
                // What was typed comes back with what is wrong with it, unless the user stopped it.
                Some((kind, text)) if !searched && problem.code != STOPPED => {
                    app.tell(Role::Error, problem::in_a_line(&problem));
                    let mut entry = Entry::new(kind, &text);
                    entry.problems = problem::brief(&problem);
                    app.popups.push(Popup::Entry(Box::new(entry)));
                }
                _ if searched || problem.code == STOPPED => app.tell(Role::Warning, problem.message.clone()),
                _ => show_problem(app, &problem),
            }
        }
    }
    app.touch_all();
}

/// The code of what the user stopped.
const STOPPED: &str = "E0709";

/// The strategy that was typed last, if it is this one.
fn typed_last(app: &App, text: &str) -> Option<(EntryKind, String)> {
    let last = |kind: EntryKind| {
        app.recall.get(kind, 0).filter(|last| *last == text).map(|last| (kind, last.to_owned()))
    };
    last(EntryKind::Strategy).or_else(|| last(EntryKind::Sketch))
}

/// Leaves, after a question when something would be lost.
pub fn quit(app: &mut App) {
    let jobs = app.session.jobs();
    let save = app.session.save_state();
    let mut lines: Vec<Line> = jobs
        .iter()
        .map(|job| Line::plain(format!("`{}` is still running and would be stopped.", job.label)))
        .collect();
    if save.unsaved > 0 {
        let why = save.problem.unwrap_or_else(|| "the disk is slow".to_owned());
        lines.push(Line::of(
            Role::Warning,
            format!("{} actions of this session are not on the disk: {why}.", save.unsaved),
        ));
    }
    if lines.is_empty() {
        app.effects.quit = true;
        return;
    }
    let can_save = !save.named;
    lines.push(Line::plain(if can_save {
        "Leave? y yes, s save under a name first, n no"
    } else {
        "Leave? y yes, n no"
    }));
    app.popups.push(Popup::Question(Question { about: About::Quit, lines, can_save }));
}

/// A question was answered with yes.
pub fn answer(app: &mut App, save: bool) {
    let Some(Popup::Question(question)) = app.popups.last() else { return };
    let about = question.about;
    if save && !question.can_save {
        return;
    }
    app.popups.pop();
    match about {
        About::Quit if save => app.popups.push(Popup::Entry(Box::new(Entry::new(EntryKind::Save, "")))),
        About::Quit => app.effects.quit = true,
        About::Reload => reload_now(app),
    }
}

/// Stops the highlighted job, or the first.
pub fn cancel(app: &mut App) {
    if app.looks.cancel_steps() {
        app.say(Role::Warning, "Stopping the strategy …");
        return;
    }
    let jobs = app.session.jobs();
    let chosen = if app.focus.pane == Pane::Jobs { jobs.get(app.window(Pane::Jobs).cursor) } else { None };
    let Some(job) = chosen.or(jobs.first()) else { return };
    app.session.cancel(job.id);
    app.tell(Role::Warning, format!("Stopping `{}` …", job.label));
}

/// Enter: what it does depends on the pane.
pub fn open(app: &mut App) {
    match app.focus.pane {
        Pane::Term | Pane::Rules => {
            let Some(candidate) = app.candidate().cloned() else { return };
            if candidate.open {
                let text = candidate.call.clone();
                app.popups.push(Popup::Entry(Box::new(Entry::new(EntryKind::Rule, &text))));
            } else {
                apply(app, &candidate.call);
            }
        }
        Pane::Loops => {
            if let Some(path) = bodies::highlighted_loop(app) {
                app.select(path);
                app.focus.go(Pane::Term);
            }
        }
        Pane::History => {
            if let Some(revision) = bodies::highlighted_revision(app) {
                perform(app, Action::Goto { revision });
            }
        }
        Pane::Bench => {
            let cursor = app.window(Pane::Bench).cursor;
            let all = bench_view::measurements(app.session.history());
            if let Some((id, m)) = all.get(cursor) {
                let lines = bench_view::details(*id, m);
                app.popups.push(Popup::Page(Page::new("Measurement", lines, Purpose::Read)));
            }
        }
        Pane::Search => trail(app, app.session.current()),
        Pane::Kernel | Pane::Jobs => {}
    }
}

/// Applies a rule at the selection.
pub fn apply(app: &mut App, rule: &str) {
    let at = app.selection.clone();
    perform(app, Action::Apply { rule: rule.to_owned(), at });
}

/// Shows what Enter would do; in the history, the steps that led to the highlighted state.
pub fn preview(app: &mut App) {
    if app.focus.pane == Pane::History {
        if let Some(revision) = bodies::highlighted_revision(app) {
            trail(app, revision);
        }
        return;
    }
    let Some(candidate) = app.candidate() else { return };
    let Ok(after) = &candidate.result else { return };
    let title = format!("{} at {}", candidate.call, app.selection);
    let (lines, _) = bodies::difference(app, app.session.term(), after, Some(3));
    app.popups.push(Popup::Page(Page::difference(title, lines, Purpose::Apply)));
}

/// Enter on a page.
pub fn accept_page(app: &mut App) {
    let Some(Popup::Page(page)) = app.popups.last() else { return };
    match page.purpose {
        Purpose::Apply => {
            app.popups.pop();
            open(app);
        }
        Purpose::Steps => stepping::next(app),
        Purpose::Read | Purpose::Trail => {
            app.popups.pop();
            app.trail = None;
        }
    }
}

/// Says why the highlighted rule does or does not apply.
pub fn why(app: &mut App) {
    let Some(candidate) = app.candidate() else { return };
    let title = format!("{} at {}", candidate.call, app.selection);
    let lines = bodies::why(app, candidate);
    app.popups.push(Popup::Page(Page::new(title, lines, Purpose::Read)));
}

pub fn undo(app: &mut App) {
    match app.session.undo_action() {
        Ok(action) => {
            perform(app, action);
        }
        Err(reason) => app.say(Role::Warning, reason),
    }
}

pub fn redo(app: &mut App) {
    match app.session.redo_action() {
        Ok(action) => {
            perform(app, action);
        }
        Err(reason) => app.say(Role::Warning, reason),
    }
}

/// The strategies of the program and of the library as entries of a list.
pub fn strategy_items(app: &App) -> Vec<Item> {
    let script = &app.session.workspace().script;
    // The user's own come first; those that need arguments have to be typed.
    let mut all: Vec<_> = script.strategies().filter(|s| s.required() == 0).collect();
    all.sort_by_key(|s| s.library);
    let item = |strategy: &Definition| Item {
        name: strategy.name.to_string(),
        key: "strategy".to_owned(),
        doc: strategy.doc().lines().next().unwrap_or_default().to_owned(),
        disabled: None,
        value: Value::Strategy(strategy.name.to_string()),
    };
    all.into_iter().map(item).collect()
}

/// Runs a strategy as one action. False when its text is wrong.
pub(super) fn run_strategy(app: &mut App, text: &str) -> bool {
    let at = Path::root();
    if searches(app.session.workspace(), text) {
        app.search = Some(text.to_owned());
        app.found.begun(text);
        app.focus.show(Pane::Search);
    }
    perform(app, Action::Strategy { text: text.to_owned(), at })
}

/// Runs the last search again.
pub fn search_again(app: &mut App) {
    if let Some(text) = app.search.clone() {
        run_strategy(app, &text);
    }
}

/// Shows the steps that led to a revision, one by one.
fn trail(app: &mut App, revision: RevisionId) {
    let steps = app.session.history().revision(revision).map_or(0, |r| r.steps.len());
    if steps == 0 {
        app.say(Role::Warning, format!("No single steps are recorded for revision {revision}."));
        return;
    }
    app.trail = Some(Trail { revision, at: 0 });
    show_trail(app);
}

pub(super) fn step_trail(app: &mut App, by: isize) {
    if let Some(trail) = &mut app.trail {
        let steps = app.session.history().revision(trail.revision).map_or(0, |r| r.steps.len());
        trail.at = trail.at.saturating_add_signed(by).min(steps.saturating_sub(1));
    }
    show_trail(app);
}

fn show_trail(app: &mut App) {
    let Some(trail) = &app.trail else { return };
    let history = app.session.history();
    let Some(revision) = history.revision(trail.revision) else { return };
    let Some(step) = revision.steps.get(trail.at) else { return };
    let parent = history.parent(trail.revision).and_then(|id| history.revision(id));
    let before = match trail.at.checked_sub(1).and_then(|i| revision.steps.get(i)) {
        Some(previous) => Some(&previous.after),
        None => parent.map(|r| &r.term),
    };
    let Some(before) = before else { return };
    let (number, of) = (trail.at + 1, revision.steps.len());
    let title = format!("revision {}: step {number} of {of}, {} at {}", trail.revision, step.rule, step.at);
    let (lines, _) = bodies::difference(app, before, &step.after, Some(3));
    let page = Page::difference(title, lines, Purpose::Trail);
    super::stepping::close_pages(app, &Purpose::Trail);
    app.popups.push(Popup::Page(page));
}

/// Shows another stage on the way to code.
pub fn stage(app: &mut App, by: isize) {
    let stages = bodies::stages(app);
    let Some(last) = stages.len().checked_sub(1) else {
        app.say(Role::Warning, "There is no code yet.");
        return;
    };
    let shown = bodies::shown_stage(app);
    let now = stages.iter().position(|s| Some(s) == shown.as_ref()).unwrap_or(last);
    app.code.stage = stages.get(now.saturating_add_signed(by).min(last)).cloned();
    app.focus.show(Pane::Kernel);
    app.touch(&[Pane::Kernel]);
}

/// Switches between C and OpenCL.
pub fn target(app: &mut App) {
    app.code.target = match app.code.target {
        Target::C => Target::OpenCl,
        Target::OpenCl => Target::C,
    };
    app.code.stage = None;
    app.focus.show(Pane::Kernel);
    app.touch(&[Pane::Kernel]);
}

pub fn bench(app: &mut App) {
    let device = app.device.clone();
    if perform(app, Action::Bench { device }) {
        app.focus.show(Pane::Bench);
    }
}

/// Lets foreign functions run, if that is what is wanted.
pub fn allow_foreign(app: &mut App, answer: &str) {
    if answer.trim() != "yes" {
        app.say(
            Role::Hint,
            "Read the foreign functions of the program first, then type `:allow-foreign yes`.",
        );
        return;
    }
    app.session.allow_foreign();
    app.tell(Role::Good, "Foreign functions may run until this session is closed.".to_owned());
}

/// Chooses a device by a part of its name, or asks which.
pub fn device(app: &mut App, name: &str) {
    let Some(list) = &app.looks.devices else {
        app.say(Role::Hint, "The devices are still being looked for; try again in a moment.");
        return;
    };
    if !name.is_empty() {
        match crate::device::select(&list.devices, name) {
            Ok(info) => {
                app.device = info.id.clone();
                let text = format!("Measuring on {} from now on.", info.id);
                app.tell(Role::Good, text);
            }
            Err(error) => app.tell(Role::Error, error.to_string()),
        }
        return;
    }
    let items = list
        .devices
        .iter()
        .map(|info| Item {
            name: info.id.clone(),
            key: String::new(),
            doc: format!("{} compute units, {}", info.compute_units, info.version),
            disabled: info.problem.clone(),
            value: Value::Device(info.id.clone()),
        })
        .collect();
    app.popups.push(Popup::Choice(Box::new(Choice::new("Measure on which device?", items, false))));
}

pub fn pin(app: &mut App) {
    let id = bodies::highlighted_revision(app).filter(|_| app.focus.pane == Pane::History);
    let id = id.unwrap_or(app.session.current());
    app.pinned = Some(id);
    app.touch(&[Pane::History]);
    app.say(Role::Good, format!("Revision {id} is pinned; `d` shows the difference from it."));
}

/// The difference from the pinned state, of the term or of the code.
pub fn diff(app: &mut App) {
    let Some(id) = app.pinned else { return };
    let Some(pinned) = app.session.history().revision(id) else { return };
    let now = app.session.current();
    let title = |what: &str| format!("{what}: revision {id} (-) and revision {now} (+)");
    let page = if app.focus.pane == Pane::Kernel {
        let old = app.session.compiled(id, app.code.target);
        let new = app.session.compiled(now, app.code.target);
        match (&*old, &*new) {
            (Ok(old), Ok(new)) => {
                let (lines, _) = diff_view::of_texts(&old.kernel.text, &new.kernel.text, Some(3));
                Page::difference(title("code"), lines, Purpose::Read)
            }
            (Err(problem), _) | (_, Err(problem)) => {
                Page::new("No code to compare", app.problem(problem), Purpose::Read)
            }
        }
    } else {
        let (lines, counts) = bodies::difference(app, &pinned.term, app.session.term(), Some(3));
        let lines =
            if counts == Default::default() { vec![Line::plain("Both terms are the same.")] } else { lines };
        Page::difference(title("term"), lines, Purpose::Read)
    };
    app.popups.push(Popup::Page(page));
}

/// Copies the selection: the sub-term, or the highlighted line, or the code.
pub fn copy(app: &mut App) {
    let text = match app.focus.pane {
        Pane::Term => bodies::selected_text(app),
        pane if app.body(pane).list => {
            app.body(pane).lines.get(app.window(pane).cursor).map(Line::text).unwrap_or_default()
        }
        Pane::Kernel => bodies::code_text(app).unwrap_or_default(),
        pane => app.body(pane).lines.iter().map(Line::text).collect::<Vec<_>>().join("\n"),
    };
    app.say(Role::Good, format!("Copied {} characters to the terminal's clipboard.", text.chars().count()));
    app.effects.copy = Some(text);
}

/// Copies the command line that repeats the last step.
pub fn copy_command(app: &mut App) {
    let history = app.session.history();
    let label = history.revision(app.session.current()).map(|r| r.label.clone()).unwrap_or_default();
    let program = &app.session.workspace().texts.program.label;
    let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let mut text = format!("shine-tui apply {}", quote(program));
    if history.parent(app.session.current()).is_some() {
        let strategy = history.elevate(app.session.current()).unwrap_or(label);
        text += &format!(" --strategy {}", quote(&strategy));
    }
    app.say(Role::Good, format!("Copied: {text}"));
    app.effects.copy = Some(text);
}

/// Asks whether to start again from the changed file.
pub fn reload(app: &mut App) {
    if app.changed == Some(Changed::Definitions) {
        let files = app.definitions.changed(&app.session.workspace().texts);
        if perform(app, Action::Definitions { files }) {
            app.definitions.taken();
            app.changed = None;
            app.rules.asked = None;
            app.tell(Role::Good, "The changed rules and strategies hold from now on.");
            app.touch_all();
        }
        return;
    }
    let label = &app.session.workspace().texts.program.label;
    let lines = vec![
        Line::plain(format!("{label} has changed on the disk.")),
        Line::plain("Start again from it? The present states stay in the history."),
        Line::plain("y yes, n no"),
    ];
    app.popups.push(Popup::Question(Question { about: About::Reload, lines, can_save: false }));
}

fn reload_now(app: &mut App) {
    let Some(Text { label, text }) = app.file.take() else { return };
    app.changed = None;
    if perform(app, Action::Reload { label, text }) {
        app.looks.forget_kernels();
        app.rules.asked = None;
        app.select(Path::root());
    }
}

/// Opens the program, or one of the files beside it, in the editor.
pub fn edit(app: &mut App) {
    let program = PathBuf::from(&app.session.workspace().texts.program.label);
    let beside = files::beside(&program).into_iter().filter(|path| path.is_file());
    let all: Vec<PathBuf> = std::iter::once(program.clone()).chain(beside).collect();
    if all.len() == 1 {
        app.effects.edit = Some(program);
        return;
    }
    let item = |path: PathBuf| Item {
        name: path.display().to_string(),
        key: String::new(),
        doc: match path.extension().and_then(|e| e.to_str()) {
            Some("rules") => "rules".to_owned(),
            Some("elevate") => "strategies and sketches".to_owned(),
            _ => "the program".to_owned(),
        },
        disabled: None,
        value: Value::File(path),
    };
    let items = all.into_iter().map(item).collect();
    app.popups.push(Popup::Choice(Box::new(Choice::new("Edit which file?", items, false))));
}

/// Enter in an entry.
pub fn accept_entry(app: &mut App) {
    let Some(Popup::Entry(entry)) = app.popups.last() else { return };
    let (kind, text) = (entry.kind, entry.text().trim().to_owned());
    if text.is_empty() && kind != EntryKind::Find {
        app.popups.pop();
        return;
    }
    app.recall.add(kind, &text);
    let problems = match kind {
        EntryKind::Strategy | EntryKind::Sketch => run_typed(app, kind, &text),
        EntryKind::Rule => typed(app, Action::Apply { rule: text.clone(), at: app.selection.clone() }),
        EntryKind::Sizes => match sizes(&text) {
            Ok(sizes) => {
                app.looks.forget_kernels();
                typed(app, Action::Sizes { sizes })
            }
            Err(reason) => Err(vec![Line::of(Role::Error, reason)]),
        },
        EntryKind::Save => save(app, &text),
        EntryKind::Find => {
            app.popups.pop();
            let pane = app.focus.pane;
            app.pane_mut(pane).1.find = text.to_lowercase();
            app.touch(&[pane]);
            // The list of rules is narrowed instead.
            if pane == Pane::Rules {
                app.pane_mut(pane).1.cursor = 0;
            } else if !text.is_empty() {
                find(app, Search::Here);
            }
            return;
        }
    };
    match (problems, app.popups.last_mut()) {
        (Err(lines), Some(Popup::Entry(entry))) => entry.problems = lines,
        (Ok(()), Some(Popup::Entry(_))) => {
            app.popups.pop();
        }
        _ => {}
    }
}

/// Takes an action that was typed; what is wrong is shown under the text.
fn typed(app: &mut App, action: Action) -> Result<(), Vec<Line>> {
    match app.session.perform(action) {
        Ok(performed) => {
            if let Performed::Done(outcome) = &performed {
                done(app, outcome);
            }
            app.touch_all();
            Ok(())
        }
        Err(problem) => Err(problem::brief(&problem)),
    }
}

/// Runs a strategy or a search that was typed.
fn run_typed(app: &mut App, kind: EntryKind, text: &str) -> Result<(), Vec<Line>> {
    if kind == EntryKind::Sketch && !searches(app.session.workspace(), text) {
        return Err(vec![
            Line::of(Role::Error, "A search begins with `reach`."),
            Line::of(Role::Hint, format!("For example: {}", kind.example())),
        ]);
    }
    let searches = searches(app.session.workspace(), text);
    let at = Path::root();
    typed(app, Action::Strategy { text: text.to_owned(), at })?;
    if searches {
        app.search = Some(text.to_owned());
        app.found.begun(text);
        app.focus.show(Pane::Search);
    }
    Ok(())
}

/// Reads `m=1024 n=512`.
fn sizes(text: &str) -> Result<Sizes, String> {
    text.split(|c: char| c.is_whitespace() || c == ',')
        .filter(|piece| !piece.is_empty())
        .map(|piece| {
            let (name, value) = piece
                .split_once('=')
                .ok_or_else(|| format!("`{piece}` gives no size; write it as NAME=VALUE, such as m=1024."))?;
            let value: i64 = value.parse().map_err(|_| format!("`{value}` is no whole number."))?;
            if value < 1 {
                return Err(format!("{name} must be at least 1."));
            }
            Ok((name.into(), value))
        })
        .collect()
}

/// Gives the session a name.
fn save(app: &mut App, name: &str) -> Result<(), Vec<Line>> {
    let mut path = std::path::PathBuf::from(name);
    if path.extension().is_none() {
        path.set_extension("ron");
    }
    match app.session.save_as(&path) {
        Ok(()) => {
            app.tell(Role::Good, format!("The session is saved in {}", path.display()));
            Ok(())
        }
        Err(problem) => Err(problem::brief(&problem)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_or_explained() {
        assert_eq!(
            sizes("m=4, n=8").unwrap().into_iter().collect::<Vec<_>>(),
            [("m".into(), 4), ("n".into(), 8)]
        );
        assert!(sizes("m").unwrap_err().contains("NAME=VALUE"));
        assert!(sizes("m=x").unwrap_err().contains("`x`"));
        assert!(sizes("m=0").unwrap_err().contains("at least 1"));
    }
}
