//! Looking in the background: which rules apply here, what the code is, which devices there are, which steps a
//! strategy takes.
//!
//! Nothing here changes the session or its log. At most one look of a kind runs at a time; while it runs, the
//! newest wish of its kind waits and older ones are forgotten, so that scrolling through a large term never queues
//! work.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::candidates::{self, Candidate, Known};
use crate::device::{Backend, DeviceList, RunControl};
use crate::emit::Attempt;
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::session::action::{RevisionId, Sizes, Target};
use crate::session::history::RevisionStep;
use crate::session::jobs::{Control, JobId, Jobs};
use crate::session::searching::Replayed;
use crate::session::state::{Progress, Session};
use crate::session::workspace::Workspace;

/// What is wished for.
#[derive(Clone, PartialEq, Debug)]
pub enum Want {
    /// The rules at a position of a revision.
    Rules {
        /// Of which term.
        revision: RevisionId,
        /// Where in it.
        at: Path,
    },
    /// The rules that apply inside of a position of a revision.
    Inside {
        /// Of which term.
        revision: RevisionId,
        /// Where in it.
        at: Path,
        /// From which of its parts on, in the order of the text.
        from: usize,
    },
    /// The code of a revision.
    Kernel {
        /// Of which term.
        revision: RevisionId,
        /// In which language.
        target: Target,
    },
    /// The devices.
    Devices,
    /// The steps that a strategy takes from a revision.
    Steps {
        /// From which term.
        revision: RevisionId,
        /// The strategy.
        text: String,
        /// Where in the term.
        at: Path,
    },
}

/// What was seen.
pub enum Seen {
    /// See [`Want::Rules`].
    Rules(Vec<Candidate>),
    /// See [`Want::Inside`]: what was found, and where to look on.
    Inside(Vec<Candidate>, Option<usize>),
    /// See [`Want::Kernel`].
    Kernel(Arc<Result<Attempt, Diagnostic>>),
    /// See [`Want::Devices`].
    Devices(DeviceList),
    /// See [`Want::Steps`].
    Steps(Result<Walk, Diagnostic>),
}

impl Want {
    fn same_kind(&self, other: &Want) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

type Kernel = Arc<Result<Attempt, Diagnostic>>;

/// For how long rules are looked for inside of a position before what was found is shown.
const SLICE: Duration = Duration::from_millis(60);

/// How many kernels are kept.
const KERNELS: usize = 16;

/// The looks that run, that wait, and what they saw.
pub struct Looks {
    jobs: Jobs<Progress, Seen>,
    running: Vec<(JobId, Want)>,
    waiting: Vec<Want>,
    /// Why no thread could be started, and whether that was told.
    refused: Option<(String, bool)>,
    kernels: VecDeque<(Want, Kernel)>,
    known: Arc<Known>,
    /// The devices, once they are known.
    pub devices: Option<DeviceList>,
}

impl Looks {
    /// No looks yet; `notify` is called when [`Looks::poll`] has something.
    pub fn new(notify: Arc<dyn Fn() + Send + Sync>) -> Looks {
        Looks {
            jobs: Jobs::new(notify),
            running: Vec::new(),
            waiting: Vec::new(),
            refused: None,
            kernels: VecDeque::new(),
            known: Arc::default(),
            devices: None,
        }
    }

    /// Wishes for something. Wishing twice is wishing once.
    pub fn want(&mut self, session: &Session, want: Want) {
        if self.running.iter().any(|(_, running)| *running == want) {
            self.waiting.retain(|waiting| !waiting.same_kind(&want));
            return;
        }
        if self.running.iter().any(|(_, running)| running.same_kind(&want)) {
            self.waiting.retain(|waiting| !waiting.same_kind(&want));
            self.waiting.push(want);
            return;
        }
        self.start(session, want);
    }

    fn start(&mut self, session: &Session, want: Want) {
        let workspace = session.workspace().clone();
        let sizes = session.sizes().clone();
        let backend = session.backend().clone();
        let revision = match &want {
            Want::Rules { revision, .. }
            | Want::Inside { revision, .. }
            | Want::Kernel { revision, .. }
            | Want::Steps { revision, .. } => *revision,
            Want::Devices => session.current(),
        };
        let Some(term) = session.history().revision(revision).map(|r| r.term.clone()) else { return };
        let (wish, known) = (want.clone(), self.known.clone());
        let progress = Progress::Strategy { tried: 0, applied: 0 };
        let started = self.jobs.start("look".to_owned(), progress, move |control| {
            look(&wish, &workspace, &term, &sizes, &*backend, &known, control)
        });
        match started {
            Ok(id) => {
                self.running.push((id, want));
                self.refused = None;
            }
            Err(reason) => {
                self.refused.get_or_insert_with(|| (reason.to_string(), false));
                self.waiting.retain(|waiting| !waiting.same_kind(&want));
                self.waiting.push(want);
            }
        }
    }

    /// What has been seen since the last call. Kernels and devices are also kept here.
    pub fn poll(&mut self, session: &Session) -> Vec<(Want, Seen)> {
        let mut out = Vec::new();
        for (id, result) in self.jobs.poll() {
            let Some(at) = self.running.iter().position(|(running, _)| *running == id) else { continue };
            let (_, want) = self.running.remove(at);
            let seen = result.unwrap_or_else(|fault| failed(&want, &fault));
            match &seen {
                Seen::Kernel(kernel) => {
                    self.kernels.push_front((want.clone(), kernel.clone()));
                    self.kernels.truncate(KERNELS);
                }
                Seen::Devices(list) => self.devices = Some(list.clone()),
                Seen::Rules(_) | Seen::Inside(..) | Seen::Steps(_) => {}
            }
            out.push((want, seen));
        }
        for want in std::mem::take(&mut self.waiting) {
            self.want(session, want);
        }
        out
    }

    /// Why nothing can be looked at now, once: the system gives no thread. What is wished for waits for the next poll.
    pub fn refusal(&mut self) -> Option<String> {
        let (reason, told) = self.refused.as_mut()?;
        (!std::mem::replace(told, true)).then(|| reason.clone())
    }

    /// The code that was seen for this wish.
    pub fn kernel(&self, want: &Want) -> Option<Kernel> {
        self.kernels.iter().find(|(w, _)| w == want).map(|(_, kernel)| kernel.clone())
    }

    /// Forgets the code, because the sizes have changed or the program has.
    pub fn forget_kernels(&mut self) {
        self.kernels.clear();
        self.waiting.retain(|want| !matches!(want, Want::Kernel { .. }));
        self.running.retain(|(_, want)| !matches!(want, Want::Kernel { .. }));
    }

    /// Forgets which rules apply, because the rules have changed.
    pub fn forget_rules(&mut self) {
        self.known = Arc::default();
    }

    /// Whether nothing runs.
    pub fn is_idle(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }

    /// Stops the look for a strategy's steps.
    pub fn cancel_steps(&mut self) -> bool {
        let steps = |want: &Want| matches!(want, Want::Steps { .. });
        let running = self.running.iter().find(|(_, want)| steps(want)).map(|(id, _)| *id);
        running.is_some_and(|id| self.jobs.cancel(id))
    }
}

/// What is seen when looking itself has a fault: nothing, and the word of it where it can be shown.
fn failed(want: &Want, fault: &str) -> Seen {
    let problem = || {
        Diagnostic::error("E0890", "An internal error ended the look at this term.")
            .note(fault)
            .hint("The session itself is as it was. Please report this with the session's log.")
    };
    match want {
        Want::Rules { .. } => Seen::Rules(Vec::new()),
        Want::Inside { .. } => Seen::Inside(Vec::new(), None),
        Want::Kernel { .. } => Seen::Kernel(Arc::new(Err(problem()))),
        Want::Devices => Seen::Devices(DeviceList { devices: Vec::new(), notes: Vec::new() }),
        Want::Steps { .. } => Seen::Steps(Err(problem())),
    }
}

fn look(
    want: &Want,
    workspace: &Workspace,
    term: &Term,
    sizes: &Sizes,
    backend: &dyn Backend,
    known: &Known,
    control: &Control<Progress>,
) -> Seen {
    match want {
        Want::Rules { at, .. } => Seen::Rules(candidates::here(workspace, term, at)),
        Want::Inside { at, from, .. } => {
            let begun = control.elapsed();
            let (found, next) = candidates::inside(workspace, term, at, *from, known, &|| {
                control.cancelled() || control.elapsed() - begun > SLICE
            });
            Seen::Inside(found, next)
        }
        Want::Kernel { target, .. } => Seen::Kernel(Arc::new(workspace.attempt(term, *target, sizes))),
        Want::Devices => {
            let mut control = RunControl { cancel: &control.cancel_flag(), progress: &mut |_| {} };
            let nothing = |_| DeviceList { devices: Vec::new(), notes: Vec::new() };
            Seen::Devices(backend.list(&mut control).unwrap_or_else(nothing))
        }
        Want::Steps { text, at, .. } => Seen::Steps(steps(workspace, term, text, at, control)),
    }
}

/// The steps that a strategy takes, and why it got no further where it did not get to its end.
#[derive(Clone, Debug)]
pub struct Walk {
    pub steps: Vec<RevisionStep>,
    pub stuck: Option<Diagnostic>,
}

/// The steps that a strategy takes. It must not search.
fn steps(
    workspace: &Workspace,
    term: &Term,
    text: &str,
    at: &Path,
    control: &Control<Progress>,
) -> Result<Walk, Diagnostic> {
    let strategy = workspace.parse_strategy(text)?;
    let end = workspace.run_strategy(term, &strategy, at, &Replayed::none(), control);
    match end.result {
        Ok(change) => Ok(Walk { steps: change.steps, stuck: None }),
        Err(problem) if end.before.is_empty() => Err(problem),
        Err(problem) => Ok(Walk { steps: end.before, stuck: Some(problem) }),
    }
}
