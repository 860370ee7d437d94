//! The generated code, at any stage.

use super::{Description, Operation, lines_and_about, rules};
use crate::emit::syntax::Line as CodeLine;
use crate::lang::path::Path;
use crate::session::action::Target;
use crate::ui::app::App;
use crate::ui::command::{Command as C, always};
use crate::ui::layout::Pane;
use crate::ui::queries::Query;
use crate::ui::window::Content;
use crate::view::origins::{self, Source};
use crate::view::{Line, Mark, Role, kernel};

/// The pane.
pub const PANE: Description = Description {
    title: "Kernel",
    reached_by: C::Kernel,
    content,
    wish: lines_and_about,
    follow: &[Pane::Kernel],
    open: Operation { word: Some("select"), enabled: always, run: open },
    preview: rules::PREVIEW,
    copied: |app| text(app).unwrap_or_default(),
    hints: &[C::Open, C::NextStage, C::Target, C::Bench, C::Find, C::Device, C::Sizes],
};

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let Some(kernel) = app.queries.kernel(&query(app)) else {
        return Content::says(vec![Line::of(Role::Dim, "Generating code …")]);
    };
    match &*kernel {
        Err(problem) => {
            Content::says(app.problem(problem).iter().flat_map(|line| line.wrap(width, 3)).collect())
        }
        Ok(attempt) => {
            let stage = shown_stage(app).unwrap_or_default();
            let text = text(app).unwrap_or_default();
            let head = kernel::stages(&stages(app), &stage, width);
            // Where the way to code ends early, what was made so far is shown below the reason.
            let why = attempt.module.as_ref().err().map(|problem| {
                let said = app.problem(problem);
                said.iter().flat_map(|line| line.wrap(width, 3)).chain([Line::empty()]).collect()
            });
            let mut lines: Vec<Line> = why.unwrap_or_default();
            lines.extend(kernel::lines(&stage, &text));
            let mut content = Content { head: vec![head], lines, ..Content::default() };
            if let Some(code) = attempt.stages.iter().find(|s| s.name == stage).filter(|s| s.has_lines()) {
                show_selection(app, code.lines(), width, &mut content);
            }
            content
        }
    }
}

/// Marks the lines that come from the selection, and says where the highlighted line comes from.
fn show_selection(app: &App, code: &[CodeLine], width: usize, content: &mut Content) {
    let term = app.session.term();
    content.list = true;
    if !app.selection.is_root() {
        let found = origins::code_of(term, code, &app.selection);
        content.head.extend(found.line().wrap(width, 2));
        content.sight = found.lines.first().copied().zip(found.lines.last().copied());
        for i in found.lines {
            if let Some(line) = content.lines.get_mut(i) {
                *line = std::mem::take(line).marked(Mark::Remembered);
            }
        }
    }
    let source = highlighted(app, code);
    let part = |at: &Path| {
        let text = app.printed.text(at).split_whitespace().collect::<Vec<_>>().join(" ");
        let pattern = origins::pattern_at(term, at).map(|p| format!("{p}: ")).unwrap_or_default();
        Line::of(Role::Title, pattern).with(Role::Plain, text)
    };
    content.foot = source.parts.iter().take(origins::PARTS).map(part).collect();
    content
        .foot
        .extend(source.unlisted(origins::PARTS).map(|text| Line::of(Role::Dim, format!("and {text}"))));
}

/// What the highlighted line comes from.
fn highlighted(app: &App, code: &[CodeLine]) -> Source {
    let line = code.get(app.window(Pane::Kernel).cursor);
    line.map(|line| origins::source_of(app.session.term(), line)).unwrap_or_default()
}

/// Selects the part of the term that the highlighted line comes from: of several the one after the selected one.
pub fn open(app: &mut App) {
    let kernel = app.queries.kernel(&query(app));
    let stage = shown_stage(app);
    let code = kernel.as_deref().and_then(|made| {
        made.as_ref().ok()?.stages.iter().find(|s| Some(s.name) == stage.as_deref() && s.has_lines())
    });
    let Some(code) = code else {
        let shown = app.code.target.name();
        app.say(Role::Warning, format!("Only the lines of the stage `{shown}` lead back to the term."));
        return;
    };
    let places = highlighted(app, code.lines()).parts;
    let next = places.iter().position(|at| *at == app.selection).map_or(0, |i| i + 1);
    let Some(at) = places.get(next % places.len().max(1)).cloned() else {
        app.say(Role::Warning, "This line comes from no part of the term.");
        return;
    };
    let number = next % places.len() + 1;
    app.say(
        Role::Good,
        match places.len() {
            1 => "What the line comes from is selected.".to_owned(),
            n => format!("Part {number} of {n} that the line comes from; the same key goes to the next."),
        },
    );
    app.select(at);
    if !app.shows(Pane::Term) {
        app.focus.go(Pane::Term);
    }
}

/// The names of the stages of the present code, as far as it could be made.
pub fn stages(app: &App) -> Vec<String> {
    let kernel = app.queries.kernel(&query(app));
    match kernel.as_deref() {
        Some(Ok(attempt)) => attempt.stages.iter().map(|stage| stage.name.to_owned()).collect(),
        _ => Vec::new(),
    }
}

fn query(app: &App) -> Query {
    Query::Kernel { revision: app.session.current(), target: app.code.target }
}

/// The text of the shown stage.
pub fn text(app: &App) -> Option<String> {
    let kernel = app.queries.kernel(&query(app))?;
    let attempt = kernel.as_ref().as_ref().ok()?;
    let stage = shown_stage(app)?;
    attempt.stages.iter().find(|s| s.name == stage).map(|s| s.text().to_owned())
}

/// The stage that was chosen, else the kernel's own code.
pub fn shown_stage(app: &App) -> Option<String> {
    let stages = stages(app);
    let code = app.code.target.name().to_owned();
    let chosen = app.code.stage.clone().unwrap_or(code);
    stages.iter().find(|stage| **stage == chosen).or(stages.last()).cloned()
}

/// Shows another stage on the way to code.
pub fn stage(app: &mut App, by: isize) {
    let stages = stages(app);
    let Some(last) = stages.len().checked_sub(1) else {
        app.say(Role::Warning, "There is no code yet.");
        return;
    };
    let shown = shown_stage(app);
    let now = stages.iter().position(|s| Some(s) == shown.as_ref()).unwrap_or(last);
    app.code.stage = stages.get(now.saturating_add_signed(by).min(last)).cloned();
    app.focus.show(Pane::Kernel);
    app.touch(&[Pane::Kernel]);
}

/// Switches between C and OpenCL.
pub fn target(app: &mut App) {
    let other = match app.code.target {
        Target::C => Target::OpenCl,
        Target::OpenCl => Target::C,
    };
    show_target(app, other);
    app.focus.show(Pane::Kernel);
}

/// Shows the code for a target; its stages may have other names.
pub fn show_target(app: &mut App, target: Target) {
    if app.code.target != target {
        app.code.target = target;
        app.code.stage = None;
        app.touch(&[Pane::Kernel]);
    }
}
