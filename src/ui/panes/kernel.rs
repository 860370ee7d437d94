//! The generated code, at any stage.

use crate::session::action::Target;
use crate::ui::app::App;
use crate::ui::layout::Pane;
use crate::ui::looks::Want;
use crate::ui::window::Body;
use crate::view::{Line, Role, kernel};

/// What the pane shows.
pub fn body(app: &App, width: usize) -> Body {
    let Some(kernel) = app.looks.kernel(&want(app)) else {
        return Body::says(vec![Line::of(Role::Dim, "Generating code …")]);
    };
    match &*kernel {
        Err(problem) => {
            Body::says(app.problem(problem).iter().flat_map(|line| line.wrap(width, 3)).collect())
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
            Body { head: vec![head], lines, ..Body::default() }
        }
    }
}

/// The names of the stages of the present code, as far as it could be made.
pub fn stages(app: &App) -> Vec<String> {
    let kernel = app.looks.kernel(&want(app));
    match kernel.as_deref() {
        Some(Ok(attempt)) => attempt.stages.iter().map(|stage| stage.name.to_owned()).collect(),
        _ => Vec::new(),
    }
}

fn want(app: &App) -> Want {
    Want::Kernel { revision: app.session.current(), target: app.code.target }
}

/// The text of the shown stage.
pub fn text(app: &App) -> Option<String> {
    let kernel = app.looks.kernel(&want(app))?;
    let attempt = kernel.as_ref().as_ref().ok()?;
    let stage = shown_stage(app)?;
    attempt.stages.iter().find(|s| s.name == stage).map(|s| s.text.clone())
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
