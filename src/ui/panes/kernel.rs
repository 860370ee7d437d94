//! The generated code, at any stage, with what barriers and memory are for. What it needs and no part of the program asks for is folded.

use super::{Description, Folding, Operation, alphabet, lines_and_about, loops, rules};
use crate::emit::syntax::Line as CodeLine;
use crate::emit::{Attempt, Stage};
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::session::action::Target;
use crate::ui::app::App;
use crate::ui::command::{Command as C, always};
use crate::ui::draw;
use crate::ui::layout::Pane;
use crate::ui::queries::Query;
use crate::ui::window::Content;
use crate::view::origins::{self, Source};
use crate::view::{Line, Lines, Mark, Role, fold, kernel, quoted, reasons};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The pane.
pub const PANE: Description = Description {
    title: "Kernel",
    reached_by: C::Kernel,
    content,
    wish: lines_and_about,
    follow: &[Pane::Kernel],
    open: Operation {
        word: Some("select"),
        doc: "Select the part of the term that the highlighted line comes from; of several, the next one.",
        enabled: always,
        run: open,
    },
    preview: rules::PREVIEW,
    fold: Some(Folding {
        can: |app| app.code.listing.folds,
        nothing: "No lines of this text are apart from the program; there is nothing to open or close.",
        run: toggle,
    }),
    copied: |app| text(app).unwrap_or_default(),
    hints: &[C::Open, C::Fold, C::NextStage, C::Target, C::Bench, C::Find, C::Device, C::Sizes],
};

/// The text of a stage as it is shown, made again when it is another one.
#[derive(Default)]
pub struct Listing {
    made_for: Option<MadeFor>,
    /// Whether what no part of the program asks for is shown line by line.
    opened: bool,
    /// Whether there is something of that kind.
    folds: bool,
    /// The lines of the text that a row stands for.
    rows: Vec<Range<usize>>,
    /// What is shown in it.
    lines: Lines,
    /// All lines of the text.
    all: Lines,
    /// What the line of this number comes from, which was highlighted last.
    source: Option<(usize, Source)>,
}

/// What a listing depends on.
struct MadeFor {
    kernel: Arc<Result<Attempt, Diagnostic>>,
    stage: String,
    opened: bool,
}

impl MadeFor {
    /// Whether it is the same text.
    fn shows(&self, other: &MadeFor) -> bool {
        Arc::ptr_eq(&self.kernel, &other.kernel) && self.stage == other.stage
    }
}

impl Listing {
    /// The row in which a line of the text is.
    fn row_of(&self, line: usize) -> usize {
        self.rows.partition_point(|lines| lines.end <= line)
    }
}

/// Makes the listing again where the code, its stage or what is open is another, and finds out where the highlighted line comes
/// from where it is another one.
pub fn refresh(app: &mut App) {
    refresh_lines(app);
    let line = highlighted_row(app).map(|lines| lines.start);
    if line == app.code.listing.source.as_ref().map(|(line, _)| *line) {
        return;
    }
    let kernel = app.queries.kernel(&query(app));
    let code = kernel.as_deref().and_then(|made| {
        let stage = shown_stage(app)?;
        made.as_ref().ok()?.stages.iter().find(|s| s.name == stage && s.has_lines())
    });
    app.code.listing.source =
        code.zip(line).map(|(code, line)| (line, highlighted(app, code.lines()).into_owned()));
}

fn refresh_lines(app: &mut App) {
    let (Some(kernel), Some(stage)) = (app.queries.kernel(&query(app)), shown_stage(app)) else {
        app.code.listing = Listing { opened: app.code.listing.opened, ..Listing::default() };
        return;
    };
    // What is looked for may be in a line that is folded.
    let opened = app.code.listing.opened || !app.window(Pane::Kernel).find.is_empty();
    let now = MadeFor { kernel, stage, opened };
    let before = app.code.listing.made_for.as_ref().filter(|before| before.shows(&now));
    if before.is_some_and(|before| before.opened == now.opened) {
        return;
    }
    let before = before.map(|_| app.code.listing.all.clone());
    let attempt = now.kernel.as_ref().as_ref().ok();
    let Some(made) = attempt.and_then(|attempt| attempt.stages.iter().find(|s| s.name == now.stage)) else {
        return;
    };
    let text = made.text();
    let preambles = if made.has_lines() { fold::preambles(text, made.lines()) } else { vec![] };
    let all = before.unwrap_or_else(|| kernel::lines(&now.stage, text).into());
    let (rows, lines) = match opened || preambles.is_empty() {
        true => ((0..all.len()).map(|i| i..i + 1).collect(), all.clone()),
        false => folded(app, text, &preambles, all.bare()),
    };
    app.code.listing = Listing {
        opened: app.code.listing.opened,
        folds: !preambles.is_empty(),
        made_for: Some(now),
        rows,
        lines,
        all,
        source: None,
    };
    app.touch(&[Pane::Kernel]);
}

/// The rows that are shown, and the lines of the text that each stands for, where these preambles are one row each.
fn folded(app: &App, text: &str, preambles: &[Range<usize>], all: &[Line]) -> (Vec<Range<usize>>, Lines) {
    let texts: Vec<&str> = text.lines().collect();
    let mut folded = preambles.iter().peekable();
    let (mut rows, mut shown) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
    for (i, line) in all.iter().enumerate() {
        while folded.next_if(|lines| lines.end <= i).is_some() {}
        match folded.peek().filter(|lines| lines.contains(&i)) {
            None => {
                rows.push(i..i + 1);
                shown.push(line.clone());
            }
            Some(lines) if lines.start == i => {
                let mut said = Line::of(Role::Dim, kernel::number(i, texts.len()));
                said.append(fold::line(texts.get((*lines).clone()).unwrap_or_default(), alphabet(app)));
                rows.push((*lines).clone());
                shown.push(said);
            }
            Some(_) => {}
        }
    }
    (rows, shown.into())
}

/// Shows what no part of the program asks for line by line, or as one line again. The highlight stays on its line.
fn toggle(app: &mut App) {
    let before = highlighted_row(app).map(|lines| lines.start);
    app.code.listing.opened = !app.code.listing.opened;
    refresh(app);
    if let Some(line) = before {
        let row = said(app, room(app)).len() + app.code.listing.row_of(line);
        app.pane_mut(Pane::Kernel).1.cursor = row;
    }
    if app.code.listing.made_for.as_ref().is_some_and(|made| made.opened) && !app.code.listing.opened {
        app.say(Role::Hint, "While something is looked for here, every line is shown.");
    }
}

fn room(app: &App) -> usize {
    draw::room(app, Pane::Kernel).map_or(80, |(_, width)| width)
}

/// Why the way to code ends early, above what was made so far.
fn said(app: &App, width: usize) -> Vec<Line> {
    let kernel = app.queries.kernel(&query(app));
    let problem = kernel.as_deref().and_then(|made| made.as_ref().ok()?.module.as_ref().err());
    let lines = problem.map(|problem| {
        let said = app.problem(problem);
        quoted::rows(&said, width, 3).into_iter().chain([Line::empty()]).collect()
    });
    lines.unwrap_or_default()
}

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let Some(kernel) = app.queries.kernel(&query(app)) else {
        return Content::says(vec![Line::of(Role::Dim, "Generating code …")]);
    };
    match &*kernel {
        Err(problem) => Content::says(quoted::rows(&app.problem(problem), width, 3)),
        Ok(attempt) => {
            let stage = shown_stage(app).unwrap_or_default();
            let head = kernel::stages(&stages(app), &stage, width);
            let listing = &app.code.listing;
            let said = said(app, width);
            let first = said.len();
            let lines = match first {
                0 => listing.lines.clone(),
                _ => said.into_iter().chain(listing.lines.bare().iter().cloned()).collect(),
            };
            let mut content = Content { head: vec![head], lines, ..Content::default() };
            if stage == app.code.target.name() {
                let said = loops::threadless(app).map(|text| Line::of(Role::Dim, text).wrap(width, 2));
                content.head.extend(said.into_iter().flatten());
            }
            if let Some(code) = attempt.stages.iter().find(|s| s.name == stage).filter(|s| s.has_lines()) {
                show_selection(app, code.lines(), (first, width), &mut content);
                let reasons = attempt.stages.iter().find(|s| s.name == "reasons").map(Stage::text);
                let about = highlighted_row(app).zip(reasons);
                let about = about.map(|(row, told)| reasons::of_line(code.text(), row.start, told));
                let told = |text: &str| Line::of(Role::Hint, text.to_owned()).wrap(width, 2);
                content.foot.splice(..0, about.into_iter().flatten().flat_map(told));
            }
            content
        }
    }
}

/// Marks the lines that come from the selection, and says where the highlighted line comes from. The text begins at a row of the
/// content.
fn show_selection(app: &App, code: &[CodeLine], (first, width): (usize, usize), content: &mut Content) {
    let term = app.session.term();
    content.list = true;
    if !app.selection.is_root() {
        let found = origins::code_of(term, code, &app.selection);
        content.head.extend(found.line().wrap(width, 2));
        let row = |line: &usize| first + app.code.listing.row_of(*line);
        content.sight = found.lines.first().map(row).zip(found.lines.last().map(row));
        for i in found.lines.iter().map(row) {
            content.lines.mark(i, 0..usize::MAX, Mark::Remembered);
        }
    }
    let source = highlighted(app, code);
    let part = |at: Path| {
        let text = app.printed.text(&at).split_whitespace().collect::<Vec<_>>().join(" ");
        let pattern = origins::pattern_at(term, &at).map(|p| format!("{p}: ")).unwrap_or_default();
        Line::of(Role::Title, pattern).with(Role::Plain, text)
    };
    content.foot = source.parts(term).take(origins::PARTS).map(part).collect();
    content
        .foot
        .extend(source.unlisted(origins::PARTS).map(|text| Line::of(Role::Dim, format!("and {text}"))));
}

/// The row of the text that is highlighted.
fn highlighted_row(app: &App) -> Option<&Range<usize>> {
    let row = app.window(Pane::Kernel).cursor.checked_sub(said(app, room(app)).len())?;
    app.code.listing.rows.get(row)
}

/// What the highlighted line comes from.
fn highlighted<'a>(app: &'a App, code: &[CodeLine]) -> Cow<'a, Source> {
    let line = highlighted_row(app).map(|lines| lines.start);
    match &app.code.listing.source {
        Some((known, source)) if Some(*known) == line => Cow::Borrowed(source),
        _ => {
            let source = line.and_then(|line| Some(origins::source_of(app.session.term(), code.get(line)?)));
            Cow::Owned(source.unwrap_or_default())
        }
    }
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
    if highlighted_row(app).is_some_and(|lines| lines.len() > 1) {
        return toggle(app);
    }
    let places: Vec<Path> = highlighted(app, code.lines()).parts(app.session.term()).collect();
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

/// What asks for the code of the present state.
pub fn query(app: &App) -> Query {
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
        app.touch(&[Pane::Kernel, Pane::Loops]);
    }
}
