//! What the table of commands needs to know of the state.

use super::app::App;
use super::disk::Gone;
use super::layout::Pane;
use super::panes::sketch::Sketching;
use super::panes::{self, bench};
use super::queries::Query;
use crate::session::action::{Action, Sizes};
use crate::session::bench::target_of;

/// What the table needs to know of the state to say which commands can be used.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// The pane that has the keys.
    pub pane: Pane,
    /// Whether the selected sub-term is the whole program, and whether it has parts.
    pub at_root: bool,
    /// See `at_root`.
    pub at_leaf: bool,
    /// Why nothing can be undone, if nothing can.
    pub undo: Result<(), String>,
    /// Whether something undone can be done again.
    pub can_redo: bool,
    /// The name of the highlighted rule, and why it does not apply if it does not; none without a rule.
    pub rule: Option<(String, Result<(), String>)>,
    /// The name of the job that is running.
    pub running: Option<String>,
    /// The strategy that is being stepped, with the number of steps left.
    pub stepping: Option<(String, usize)>,
    /// Whether a search has been entered.
    pub search: bool,
    /// Whether a search has found something.
    pub found: bool,
    /// Whether the state that is looked at was made of another one.
    pub made: bool,
    /// Whether there is a sketch of what was pointed at, and whether it was widened.
    pub pointed: bool,
    /// See `pointed`.
    pub widened: bool,
    /// Whether two states were measured at several sizes.
    pub swept: bool,
    /// Whether something that came of work in the background can be shown again.
    pub results: bool,
    /// Whether programs of a search are measured, or were.
    pub best: bool,
    /// Why there is no kernel, if there is none.
    pub kernel: Result<(), String>,
    /// Whether there are foreign functions that may not run.
    pub foreign: bool,
    /// Whether a state has been pinned.
    pub pinned: bool,
    /// Whether that is another one than the present one.
    pub pinned_elsewhere: bool,
    /// Whether a state has been measured.
    pub measured: bool,
    /// Whether something has been searched for with `/`.
    pub finding: bool,
    /// Whether a file on the disk differs from what the session holds.
    pub file_changed: bool,
    /// A file that is open and is there no more.
    pub files_gone: Vec<Gone>,
    /// Whether the highlighted entry of the history is the present state.
    pub at_present: bool,
    /// Whether something of the pane can be opened or closed.
    pub folds: bool,
    /// Why the highlighted step of the history cannot be left out, if it cannot.
    pub without: Result<(), String>,
    /// Whether branches part anywhere in the history.
    pub forks: bool,
    /// Whether the rules are not seen, so that Enter in the term first shows them.
    pub rules_hidden: bool,
    /// Whether single rewrites are recorded of the highlighted row of the history, or it opens to rows that have them.
    pub steps: bool,
    /// Whether the sketch of what was pointed at can ask for less.
    pub widens: bool,
    /// Whether an external editor is named in the environment.
    pub editor: bool,
    /// Whether it is known where the program's file lies.
    pub file: bool,
}

impl App {
    /// What the table of commands needs to know.
    pub fn facts(&self) -> Facts {
        let history = self.session.history();
        let target = target_of(&self.device);
        let kernel = self.queries.kernel(&Query::Kernel { revision: self.session.current(), target });
        Facts {
            pane: self.focus.pane,
            at_root: self.printed.parent(&self.selection).is_none(),
            at_leaf: !self.printed.has_parts(&self.selection),
            undo: self.session.undo_action().map(drop),
            can_redo: history.redo_target().is_some(),
            rule: self
                .candidate()
                .map(|c| (c.call.clone(), c.result.as_ref().map(|_| ()).map_err(Clone::clone))),
            running: self.session.jobs().first().map(|job| job.label.clone()),
            stepping: self.stepping.as_ref().and_then(|s| {
                let taken = s.taken(self.session.current())?;
                Some((s.text.clone(), s.steps.len() - taken))
            }),
            search: self.search.is_some(),
            found: self.found.revision.is_some(),
            made: super::frozen::looked_at(self).is_some_and(|id| history.parent(id).is_some()),
            pointed: self.sketching.is_some(),
            widened: self.sketching.as_ref().is_some_and(Sketching::is_widened),
            swept: self.swept.is_some(),
            results: !self.kept.is_empty(),
            best: self.best.is_some(),
            kernel: match kernel.as_deref().map(|made| made.as_ref().and_then(|made| made.module.as_ref())) {
                // Others are asked for.
                Some(Err(problem))
                    if problem.code == "E0150" && bench::can_have(self, &Sizes::new()).is_err() =>
                {
                    Ok(())
                }
                Some(Err(problem)) => Err(problem.message.clone()),
                // They are asked for.
                _ if !self.session.missing_sizes().is_empty() => Ok(()),
                _ => self.session.enabled(&Action::Bench { device: self.device.clone() }).map_err(|why| {
                    if self.session.is_idle() { why } else { format!("{why} {{cancel}} stops it.") }
                }),
            },
            foreign: self.session.forbids_foreign(),
            measured: (0..history.len())
                .any(|id| history.revision(id).is_some_and(|r| !r.measurements.is_empty())),
            pinned: self.pinned.is_some(),
            pinned_elsewhere: self.pinned.is_some_and(|pinned| pinned != self.session.current()),
            finding: !self.window(self.focus.pane).find.is_empty(),
            file_changed: self.changed.is_some(),
            files_gone: self.gone.clone(),
            at_present: panes::history::at_present(self),
            folds: panes::of(self.focus.pane).fold.as_ref().is_some_and(|fold| (fold.can)(self)),
            without: match self.focus.pane {
                Pane::History => panes::history::rest_without(self).map(|_| ()),
                _ => Err("No step is highlighted.".to_owned()),
            },
            forks: (0..history.len()).any(|id| history.branches(id)),
            rules_hidden: self.focus.pane == Pane::Term && self.pane_over(Pane::Rules).is_some(),
            steps: panes::history::has_steps(self),
            widens: self.sketching.as_ref().is_some_and(Sketching::widens),
            editor: self.setup.editor.is_some(),
            file: self.session.workspace().texts.origin.program.is_some(),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A state in which nothing is possible.
    pub fn nothing() -> Facts {
        Facts {
            pane: Pane::Term,
            at_root: true,
            at_leaf: true,
            undo: Err("This is the beginning of the session.".to_owned()),
            can_redo: false,
            rule: None,
            running: None,
            stepping: None,
            search: false,
            found: false,
            made: false,
            pointed: false,
            widened: false,
            swept: false,
            results: false,
            best: false,
            kernel: Err("There is no kernel.".to_owned()),
            foreign: false,
            pinned: false,
            pinned_elsewhere: false,
            measured: false,
            finding: false,
            file_changed: false,
            files_gone: Vec::new(),
            at_present: true,
            folds: false,
            without: Err("Nothing was done that could be left out.".to_owned()),
            forks: false,
            rules_hidden: false,
            steps: false,
            widens: false,
            editor: false,
            file: false,
        }
    }
}
