//! The state of the screen: the session, and what the user looks at.
//!
//! [`App`] owns the session and changes it through actions alone. Everything else here is about looking: focus,
//! selection, scroll positions, popups. What is slow to look at (which rules apply, what the code is) comes from
//! [`super::looks`] in the background; what is shown meanwhile says that it is on its way.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::candidates::Candidate;
use super::caps::Caps;
use super::command::{Command, Facts};
use super::disk::{Definitions, Watch};
use super::draw;
use super::keys::{Keymap, Sequence};
use super::layout::{Focus, Layout, Pane, Wishes, layout};
use super::looks::{Looks, Want};
use super::mending::Mending;
use super::panes;
use super::popup::{Popup, Recall};
use super::program;
use super::theme::Theme;
use super::window::{Body, Window};
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::session::action::{Action, RevisionId, Target};
use crate::session::bench::target_of;
use crate::session::files::Text;
use crate::session::history::RevisionStep;
use crate::session::state::{Progress, Session, follow};
use crate::session::workspace::Problems;
use crate::view::term::Printed;
use crate::view::{Line, Role, jobs, problem, search, status};

/// What is fixed while the screen is up.
pub struct Setup {
    /// What the terminal can show.
    pub caps: Caps,
    /// The styles.
    pub theme: Theme,
    /// The keys.
    pub keys: Keymap,
    /// The editor of the environment.
    pub editor: Option<String>,
    /// What the program runs on unless other files are typed, as `NAME=FILE`s.
    pub inputs: String,
}

/// What the loop around the screen has to do for it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Effects {
    /// Leave.
    pub quit: bool,
    /// Go to the shell.
    pub suspend: bool,
    /// Draw everything again.
    pub repaint: bool,
    /// Open a file in the editor.
    pub edit: Option<PathBuf>,
    /// Put a text on the clipboard.
    pub copy: Option<String>,
    /// Go on with another session.
    pub go_on: Option<PathBuf>,
}

/// What has changed on the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changed {
    /// The program, which means to start again.
    Program,
    /// Rules or strategies, which can be used at once.
    Definitions,
}

/// A strategy that is taken step by step.
#[derive(Clone, Debug)]
pub struct Stepping {
    /// Its text.
    pub text: String,
    /// Where it runs.
    pub at: Path,
    /// All of its steps from where it was started.
    pub steps: Vec<RevisionStep>,
    /// Why it gets no further than these steps, where it does not get to its end.
    pub stuck: Option<Diagnostic>,
    /// The revisions before the first step and after each step that was ever taken.
    pub revisions: Vec<RevisionId>,
    /// The rules and strategies that the steps follow from.
    pub definitions: Vec<Text>,
}

impl Stepping {
    /// How many steps lead from its start to a revision, if that is one of its own.
    pub fn taken(&self, revision: RevisionId) -> Option<usize> {
        self.revisions.iter().position(|r| *r == revision)
    }
}

/// The steps that led to a revision, looked at one by one.
#[derive(Clone, Debug)]
pub struct Trail {
    /// The revision.
    pub revision: RevisionId,
    /// Which step is shown.
    pub at: usize,
}

/// What is known of the rules at the selection and inside of it.
#[derive(Debug, Default)]
pub struct Rules {
    /// Whether those are shown too that do not apply.
    pub all: bool,
    /// In the order in which they are listed.
    pub candidates: Vec<Candidate>,
    /// The revision and the position that the candidates are for.
    pub asked: Option<(RevisionId, Path)>,
    /// Whether more may be found.
    pub looking: bool,
}

/// Which code is shown.
#[derive(Debug)]
pub struct Code {
    /// In which language.
    pub target: Target,
    /// At which stage; the kernel's own code unless chosen.
    pub stage: Option<String>,
}

/// A message of some time ago.
#[derive(Clone, Debug)]
pub struct Message {
    /// What kind of message.
    pub role: Role,
    /// What happened.
    pub text: String,
}

/// The most messages that are kept.
const MESSAGES: usize = 200;

/// The state of the screen.
pub struct App {
    /// The session.
    pub session: Session,
    /// What is fixed.
    pub setup: Setup,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Which pane has the keys.
    pub focus: Focus,
    /// What lies over the panes.
    pub popups: Vec<Popup>,
    /// The beginning of a sequence of keys.
    pub pending: Sequence,
    /// What has just happened, until the next key.
    pub notice: Option<Line>,
    /// What was typed before.
    pub recall: Recall,
    /// The selected sub-term of the present term.
    pub selection: Path,
    /// The present term, printed.
    pub printed: Printed,
    /// The rules at the selection.
    pub rules: Rules,
    /// The code of the present term.
    pub code: Code,
    /// The device to measure on.
    pub device: String,
    /// The state to compare with.
    pub pinned: Option<RevisionId>,
    /// Whether strategies run on the whole program, not at the selection.
    pub whole: bool,
    /// The strategy that is taken step by step.
    pub stepping: Option<Stepping>,
    /// The search whose rewrites are shown when it has found something.
    pub walk: Option<String>,
    /// The steps that are looked at.
    pub trail: Option<Trail>,
    /// The problems that are looked at.
    pub mending: Option<Mending>,
    /// How often files had been read when they were looked at last.
    reads: Option<u64>,
    /// The last search that was typed.
    pub search: Option<String>,
    /// The last state of a search, running or not, and what came of it.
    pub found: search::Last,
    /// What happened, newest last.
    pub messages: VecDeque<Message>,
    /// Lines that something wrote past the screen.
    pub stray: usize,
    /// The program's file.
    pub file: Watch,
    /// Its rules and strategies.
    pub definitions: Definitions,
    /// Whether one of them has changed on the disk.
    pub changed: Option<Changed>,
    /// Work in the background that only looks.
    pub looks: Looks,
    /// What the loop has to do.
    pub effects: Effects,
    /// The revision that `selection` is in.
    revision: RevisionId,
    /// How wide `printed` is.
    printed_for: Option<(RevisionId, usize)>,
    bodies: [Body; Pane::ALL.len()],
    windows: [Window; Pane::ALL.len()],
    stale: [bool; Pane::ALL.len()],
    /// The rows and columns that each pane's body was made for.
    made_for: [Option<(usize, usize)>; Pane::ALL.len()],
    wishes: Wishes,
}

impl App {
    /// The screen of a session.
    pub fn new(session: Session, setup: Setup, looks: Looks, size: (u16, u16)) -> App {
        let revision = session.current();
        let target = Target::natural(session.term());
        let mut app = App {
            session,
            setup,
            size,
            focus: Focus::default(),
            popups: Vec::new(),
            pending: Sequence::new(),
            notice: None,
            recall: Recall::default(),
            selection: Path::root(),
            printed: Printed::default(),
            rules: Rules::default(),
            code: Code { target, stage: None },
            device: "cpu".to_owned(),
            pinned: None,
            whole: false,
            stepping: None,
            walk: None,
            trail: None,
            mending: None,
            reads: None,
            search: None,
            found: search::Last::default(),
            messages: VecDeque::new(),
            stray: 0,
            file: Watch::default(),
            definitions: Definitions::default(),
            changed: None,
            looks,
            effects: Effects::default(),
            revision,
            printed_for: None,
            bodies: Default::default(),
            windows: Default::default(),
            stale: [true; Pane::ALL.len()],
            made_for: Default::default(),
            wishes: Wishes::default(),
        };
        app.looks.want(&app.session, Want::Devices);
        let workspace = app.session.workspace();
        if workspace.errors().next().is_some() {
            let problems = Problems { sources: workspace.sources.clone(), list: workspace.problems.clone() };
            program::mend(&mut app, problems, program::OTHERS_WORK);
        }
        app.settle();
        app
    }

    /// The terminal has this size now.
    pub fn resize(&mut self, size: (u16, u16)) {
        if size != self.size {
            self.size = size;
            self.touch_all();
        }
    }

    /// Looks whether the program's file has changed on the disk.
    pub fn look_at_file(&mut self) {
        let texts = &self.session.workspace().texts;
        let program = texts.origin.program.as_deref();
        let program = program.is_some_and(|file| self.file.look(file, &texts.program).is_some());
        let changed = match (program, self.definitions.look(texts)) {
            (true, _) => Some(Changed::Program),
            (false, true) => Some(Changed::Definitions),
            (false, false) => None,
        };
        let reads = self.file.times() + self.definitions.times();
        // The first look reads every file, changed or not.
        let saved = self.reads.replace(reads).is_some_and(|before| before != reads);
        if saved && self.mending.is_some() {
            self.changed = changed;
            program::mended(self);
            return;
        }
        if changed.is_some() && changed != self.changed {
            let key = self.setup.keys.key(Command::Reload).unwrap_or_default();
            let news = match changed {
                Some(Changed::Definitions) => {
                    format!("The rules or strategies have changed on the disk; {key} takes them over.")
                }
                _ => format!("The program has changed on the disk; {key} starts again from it."),
            };
            self.tell(Role::Warning, news);
        }
        self.changed = changed;
    }

    /// What a pane shows.
    pub fn body(&self, pane: Pane) -> &Body {
        &self.bodies[pane as usize]
    }

    /// Which part of a pane is seen.
    pub fn window(&self, pane: Pane) -> &Window {
        &self.windows[pane as usize]
    }

    /// The pane with its window, to move in it.
    pub fn pane_mut(&mut self, pane: Pane) -> (&Body, &mut Window) {
        (&self.bodies[pane as usize], &mut self.windows[pane as usize])
    }

    /// Says that what some panes show has changed.
    pub fn touch(&mut self, panes: &[Pane]) {
        for pane in panes {
            self.stale[*pane as usize] = true;
        }
    }

    /// Says that what all panes show has changed.
    pub fn touch_all(&mut self) {
        self.stale = [true; Pane::ALL.len()];
    }

    /// Says something on the line of hints.
    pub fn say(&mut self, role: Role, text: impl Into<String>) {
        self.notice = Some(Line::of(role, text.into()));
    }

    /// Says something and keeps it with the messages.
    pub fn tell(&mut self, role: Role, text: impl Into<String>) {
        let text = text.into();
        self.say(role, text.clone());
        if self.messages.len() == MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(Message { role, text });
        self.touch(&[Pane::Jobs]);
    }

    /// A problem as lines, with its place.
    pub fn problem(&self, diagnostic: &Diagnostic) -> Vec<Line> {
        problem::lines(diagnostic, &self.session.workspace().sources, self.setup.caps.alphabet)
    }

    /// Brings everything that is shown up to date after a change. Called after every message.
    pub fn settle(&mut self) {
        self.follow_revision();
        let shown = self.shown_panes();
        self.print();
        self.ask(&shown);
        for pane in &shown {
            self.show(*pane);
        }
        // What panes show decides how they divide the rows, and some show as much as they have rows for.
        for pane in shown {
            if self.made_for[pane as usize] != draw::room(self, pane) {
                self.touch(&[pane]);
                self.show(pane);
            }
            let Some((height, _)) = draw::room(self, pane) else { continue };
            let rows = self.bodies[pane as usize].rows(height).body;
            let before = self.windows[pane as usize].cursor;
            self.windows[pane as usize].settle(&self.bodies[pane as usize], rows);
            if self.windows[pane as usize].cursor != before {
                self.moved(pane);
            }
        }
    }

    /// Brings a pane on the screen up to date, and what it wishes for.
    fn show(&mut self, pane: Pane) {
        let room = draw::room(self, pane);
        let Some((_, width)) = room else { return };
        let at = pane as usize;
        if std::mem::take(&mut self.stale[at]) {
            self.bodies[at] = panes::body(self, pane, width);
            self.made_for[at] = room;
            self.wishes[at] = panes::wish(pane, &self.bodies[at]);
        }
    }

    /// How many rows each pane has something to show in.
    pub fn wishes(&self) -> &Wishes {
        &self.wishes
    }

    /// The highlight of a pane has moved: what hangs on it is shown anew.
    pub fn moved(&mut self, pane: Pane) {
        match pane {
            // The term shows where the highlighted rule applies.
            Pane::Rules => self.touch(&[Pane::Rules, Pane::Term]),
            // What is said of the highlighted line.
            Pane::Bench | Pane::Kernel | Pane::History => self.touch(&[pane]),
            _ => {}
        }
    }

    /// Is the pane on the screen?
    pub fn shows(&self, pane: Pane) -> bool {
        self.shown_panes().contains(&pane)
    }

    /// The panes on the screen.
    fn shown_panes(&self) -> Vec<Pane> {
        let area = ratatui::layout::Rect::new(0, 0, self.size.0, self.size.1);
        match layout(area, self.focus, &self.wishes) {
            Layout::TooSmall => Vec::new(),
            Layout::Panes { places, .. } => places.iter().map(|place| place.pane).collect(),
        }
    }

    /// When the session is at another revision, the selection goes along.
    fn follow_revision(&mut self) {
        let now = self.session.current();
        if now != self.revision {
            self.selection = follow(self.session.history(), self.revision, now, &self.selection);
            self.revision = now;
            let outline = self.session.history().outline();
            let place = outline.iter().position(|(id, _)| *id == now);
            self.windows[Pane::History as usize].cursor = place.unwrap_or_default();
            self.touch_all();
        }
    }

    /// Selects a sub-term.
    pub fn select(&mut self, path: Path) {
        if path != self.selection {
            self.selection = path;
            self.windows[Pane::Rules as usize].cursor = 0;
            self.touch(&[Pane::Term, Pane::Loops, Pane::Rules, Pane::Kernel]);
        }
    }

    /// Prints the term for the width of its pane.
    fn print(&mut self) {
        let width = draw::room(self, Pane::Term).map_or(80, |(_, width)| width);
        if self.printed_for != Some((self.revision, width)) {
            self.printed = Printed::of(self.session.term(), width, self.setup.caps.alphabet);
            self.printed_for = Some((self.revision, width));
            self.touch(&[Pane::Term]);
        }
    }

    /// Asks in the background for what the panes on the screen need.
    fn ask(&mut self, shown: &[Pane]) {
        // The rules are always needed: Enter applies the highlighted one from the term's pane too.
        if !self.knows_rules() {
            let want = Want::Rules { revision: self.revision, at: self.selection.clone() };
            self.looks.want(&self.session, want);
        }
        if shown.contains(&Pane::Kernel) {
            // What is shown, and what would be measured.
            let mut targets = vec![self.code.target, target_of(&self.device)];
            targets.dedup();
            for target in targets {
                let want = Want::Kernel { revision: self.revision, target };
                if self.looks.kernel(&want).is_none() {
                    self.looks.want(&self.session, want);
                }
            }
        }
    }

    /// Whether the rules at the selection are known.
    pub fn knows_rules(&self) -> bool {
        let asked = self.rules.asked.as_ref();
        asked.is_some_and(|(id, at)| (*id, at) == (self.session.current(), &self.selection))
    }

    /// The rules have changed: which of them apply is looked for anew.
    pub fn forget_rules(&mut self) {
        self.rules.asked = None;
        self.looks.forget_rules();
    }

    /// The rule that Enter would apply.
    pub fn candidate(&self) -> Option<&Candidate> {
        let cursor = self.window(Pane::Rules).cursor;
        panes::rules::shown(self).get(cursor).copied()
    }

    /// What the table of commands needs to know.
    pub fn facts(&self) -> Facts {
        let history = self.session.history();
        let target = target_of(&self.device);
        let kernel = self.looks.kernel(&Want::Kernel { revision: self.revision, target });
        let highlighted = panes::history::highlighted(self);
        Facts {
            pane: self.focus.pane,
            at_root: self.printed.parent(&self.selection).is_none(),
            at_leaf: !self.printed.has_parts(&self.selection),
            can_undo: history.undo_target().is_some(),
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
            kernel: match kernel.as_deref().map(|made| made.as_ref().and_then(|made| made.module.as_ref())) {
                Some(Err(problem)) => Err(problem.message.clone()),
                // They are asked for.
                _ if !self.session.missing_sizes().is_empty() => Ok(()),
                _ => self.session.enabled(&Action::Bench { device: self.device.clone() }),
            },
            foreign: self.session.forbids_foreign(),
            pinned: self.pinned.is_some(),
            finding: !self.window(self.focus.pane).find.is_empty(),
            file_changed: self.changed.is_some(),
            at_present: highlighted.is_none_or(|id| id == self.revision),
            editor: self.setup.editor.is_some(),
            file: self.session.workspace().texts.origin.program.is_some(),
        }
    }

    /// The status line.
    pub fn status(&self) -> Line {
        let history = self.session.history();
        let running = self.session.jobs();
        let workspace = self.session.workspace();
        let reload = self.setup.keys.key(Command::Reload);
        let measured = history.revision(self.revision).and_then(|r| r.measurements.last());
        status::line(
            &status::Status {
                program: &workspace.program.name,
                sizes: self.session.sizes(),
                device: &self.device,
                revision: self.revision,
                revisions: history.len(),
                check: measured.map(|m| m.max_error),
                save: &self.session.save_state(),
                missing: &self.session.missing_sizes(),
                job: running.first().map(jobs::brief),
                more: running.len().saturating_sub(1),
                stray: self.stray,
                changed: reload.as_deref().filter(|_| self.changed.is_some()),
            },
            self.setup.caps.alphabet,
        )
    }

    /// Whether something on the screen moves by itself, and how often it is worth looking.
    pub fn pace(&self) -> std::time::Duration {
        let jobs = self.session.jobs();
        let measuring = jobs.iter().any(|job| matches!(job.progress, Progress::Bench(_)));
        std::time::Duration::from_millis(if jobs.is_empty() || measuring { 1000 } else { 100 })
    }
}
