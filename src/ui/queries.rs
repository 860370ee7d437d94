//! What is asked in the background: which rules apply here, what the code is, which devices there are, which steps a
//! strategy takes.
//!
//! Nothing here changes the session or its log. At most one query of a kind runs at a time; while it runs, the
//! newest one of its kind waits and older ones are forgotten, so that scrolling through a large term never queues
//! work.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::candidates::{self, Candidate, Known, LeftLoops};
use crate::device::{Backend, DeviceError, DeviceList, RunControl};
use crate::emit::Attempt;
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::names::named;
use crate::rewrite::sketch::Sketch;
use crate::session::action::{RevisionId, Sizes, Target};
use crate::session::costs::Costs;
use crate::session::derivation;
use crate::session::history::RevisionStep;
use crate::session::jobs::{Control, JobId, Jobs};
use crate::session::metering::{Grown, Metered, metered};
use crate::session::searching::{Replayed, Shelf};
use crate::session::state::{Progress, Session};
use crate::session::workspace::Workspace;
use crate::view::term::Printed;
use crate::view::{Alphabet, Line, diff};

/// What is asked.
#[derive(Clone, PartialEq, Debug)]
pub enum Query {
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
    /// What a term costs, be it a state or not yet.
    Costs {
        /// The term.
        term: Term,
        /// In which language.
        target: Target,
    },
    /// What a term costs, and what each of the terms does that rules make of it.
    Prices {
        /// The term before.
        before: Term,
        /// The others.
        terms: Vec<Term>,
        /// In which language.
        target: Target,
    },
    /// The code of a term that is no state yet.
    Code {
        /// The term.
        term: Term,
        /// In which language.
        target: Target,
    },
    /// How much sketches describe of a revision: the first, and as many others as there is time for.
    Meter {
        /// Of which term.
        revision: RevisionId,
        /// The sketches.
        sketches: Vec<Sketch>,
    },
    /// How the texts of two terms differ.
    Difference {
        /// The one.
        old: Term,
        /// The other.
        new: Term,
        /// The program whose names the other gets, as applying a rule gives it them; none where it has its names.
        given: Option<Term>,
        /// How many equal lines stand around those that differ.
        context: usize,
        /// How wide they are printed, and in which characters.
        width: usize,
        /// See `width`.
        alphabet: Alphabet,
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
    /// The rewrites that a strategy makes of a revision, written as a strategy without searches.
    Frozen {
        /// Of which term.
        revision: RevisionId,
        /// The strategy.
        text: String,
        /// The file that it is put into, if it is.
        file: String,
    },
}

/// What was found out.
pub enum Answer {
    /// See [`Query::Rules`].
    Rules(Vec<Candidate>, Option<LeftLoops>),
    /// See [`Query::Inside`]: what was found, and where to look on.
    Inside(Vec<Candidate>, Option<usize>),
    /// See [`Query::Kernel`] and [`Query::Code`].
    Kernel(Arc<Result<Attempt, Diagnostic>>),
    /// See [`Query::Costs`].
    Costs(Costs),
    /// See [`Query::Prices`]: of the term before, and of each of the others; nothing where that failed.
    Prices(Vec<Costs>),
    /// See [`Query::Meter`].
    Meter(Metered),
    /// See [`Query::Difference`].
    Difference(Arc<Vec<Line>>),
    /// See [`Query::Devices`].
    Devices(DeviceList),
    /// See [`Query::Steps`].
    Steps(Result<Walk, Diagnostic>),
    /// See [`Query::Frozen`].
    Frozen(Result<String, Diagnostic>),
}

impl Query {
    fn same_kind(&self, other: &Query) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

type Kernel = Arc<Result<Attempt, Diagnostic>>;

/// For how long rules are looked for inside of a position before what was found is shown, and in which share of the parts that were
/// looked at before: each time all is ordered anew, so that of a large program this must not be done too often.
const SLICE: Duration = Duration::from_millis(60);
const SHARE: usize = 4;

/// Whether what was found in so many parts is shown, where so many had been looked at before.
fn is_worth_showing(parts: usize, before: usize, after: Duration) -> bool {
    after > SLICE && parts >= before / SHARE
}

/// How many kernels are kept, and how many differences.
const KERNELS: usize = 16;
/// How many costs are kept.
const COSTS: usize = 256;

/// The queries that run, that wait, and what was answered.
pub struct Queries {
    jobs: Jobs<Progress, Answer>,
    running: Vec<(JobId, Query)>,
    waiting: Vec<Query>,
    /// Why no thread could be started, and whether that was told.
    refused: Option<(String, bool)>,
    kernels: VecDeque<(Query, Kernel)>,
    costs: VecDeque<(Query, Costs)>,
    differences: VecDeque<(Query, Arc<Vec<Line>>)>,
    known: Arc<Known>,
    grown: Arc<Grown>,
    /// The devices, once they are known.
    pub devices: Option<DeviceList>,
}

impl Queries {
    /// No queries yet; `notify` is called when [`Queries::poll`] has something.
    pub fn new(notify: Arc<dyn Fn() + Send + Sync>) -> Queries {
        Queries {
            jobs: Jobs::new(notify),
            running: Vec::new(),
            waiting: Vec::new(),
            refused: None,
            kernels: VecDeque::new(),
            costs: VecDeque::new(),
            differences: VecDeque::new(),
            known: Arc::default(),
            grown: Arc::default(),
            devices: None,
        }
    }

    /// Asks something. Asking twice is asking once.
    pub fn ask(&mut self, session: &Session, query: Query) {
        if self.running.iter().any(|(_, running)| *running == query) {
            self.waiting.retain(|waiting| !waiting.same_kind(&query));
            return;
        }
        if self.running.iter().any(|(_, running)| running.same_kind(&query)) {
            self.waiting.retain(|waiting| !waiting.same_kind(&query));
            self.waiting.push(query);
            return;
        }
        self.start(session, query);
    }

    fn start(&mut self, session: &Session, query: Query) {
        let workspace = session.workspace().clone();
        let sizes = session.sizes().clone();
        let backend = session.backend().clone();
        let revision = match &query {
            Query::Rules { revision, .. }
            | Query::Inside { revision, .. }
            | Query::Kernel { revision, .. }
            | Query::Meter { revision, .. }
            | Query::Frozen { revision, .. }
            | Query::Steps { revision, .. } => *revision,
            Query::Devices
            | Query::Code { .. }
            | Query::Costs { .. }
            | Query::Prices { .. }
            | Query::Difference { .. } => session.current(),
        };
        let Some(term) = session.history().revision(revision).map(|r| r.term.clone()) else { return };
        let term = match &query {
            Query::Code { term, .. } | Query::Costs { term, .. } => term.clone(),
            _ => term,
        };
        let history = session.history();
        let before = matches!(query, Query::Rules { .. }).then(|| history.parent(revision)).flatten();
        let before = before.and_then(|id| Some((id, history.revision(id)?.term.clone())));
        let (wish, known, grown) = (query.clone(), self.known.clone(), self.grown.clone());
        let shelf = session.shelf().filter(|_| session.is_idle());
        let progress = Progress::Strategy { tried: 0, applied: 0 };
        let started = self.jobs.start("query".to_owned(), progress, move |control| {
            // What is listed of devices may be a process that measures later.
            if !matches!(wish, Query::Devices) {
                stand_back();
            }
            let shelf = shelf.as_deref();
            let looked = Looked { workspace: &workspace, sizes: &sizes, known: &known, grown: &grown, shelf };
            answer(&wish, &looked, (&term, before.as_ref()), &*backend, control)
        });
        match started {
            Ok(id) => {
                self.running.push((id, query));
                self.refused = None;
            }
            Err(reason) => {
                self.refused.get_or_insert_with(|| (reason.to_string(), false));
                self.waiting.retain(|waiting| !waiting.same_kind(&query));
                self.waiting.push(query);
            }
        }
    }

    /// What has been answered since the last call. Kernels and devices are also kept here.
    pub fn poll(&mut self, session: &Session) -> Vec<(Query, Answer)> {
        let mut out = Vec::new();
        for (id, result) in self.jobs.poll() {
            let Some(at) = self.running.iter().position(|(running, _)| *running == id) else { continue };
            let (_, query) = self.running.remove(at);
            let answer = result.unwrap_or_else(|fault| failed(&query, &fault));
            match &answer {
                Answer::Kernel(kernel) => {
                    self.kernels.push_front((query.clone(), kernel.clone()));
                    self.kernels.truncate(KERNELS);
                }
                Answer::Costs(costs) => {
                    self.costs.push_front((query.clone(), costs.clone()));
                    self.costs.truncate(COSTS);
                }
                Answer::Difference(lines) => {
                    self.differences.push_front((query.clone(), lines.clone()));
                    self.differences.truncate(KERNELS);
                }
                Answer::Devices(list) => self.devices = Some(list.clone()),
                Answer::Rules(..)
                | Answer::Inside(..)
                | Answer::Prices(_)
                | Answer::Steps(_)
                | Answer::Frozen(_)
                | Answer::Meter(_) => {}
            }
            out.push((query, answer));
        }
        for query in std::mem::take(&mut self.waiting) {
            self.ask(session, query);
        }
        out
    }

    /// Why nothing can be asked now, once: the system gives no thread. What was asked waits for the next poll.
    pub fn refusal(&mut self) -> Option<String> {
        let (reason, told) = self.refused.as_mut()?;
        (!std::mem::replace(told, true)).then(|| reason.clone())
    }

    /// The code that this query was answered with.
    pub fn kernel(&self, query: &Query) -> Option<Kernel> {
        self.kernels.iter().find(|(w, _)| w == query).map(|(_, kernel)| kernel.clone())
    }

    /// The costs that this query was answered with.
    pub fn costs(&self, query: &Query) -> Option<&Costs> {
        self.costs.iter().find(|(asked, _)| asked == query).map(|(_, costs)| costs)
    }

    /// The difference that this query was answered with.
    pub fn difference(&self, query: &Query) -> Option<Arc<Vec<Line>>> {
        self.differences.iter().find(|(asked, _)| asked == query).map(|(_, lines)| lines.clone())
    }

    /// Forgets the code, because the sizes have changed or the program has.
    pub fn forget_kernels(&mut self) {
        self.kernels.clear();
        self.costs.clear();
        self.waiting.retain(|query| !is_code(query));
        self.running.retain(|(_, query)| !is_code(query));
    }

    /// Forgets which rules apply, because the rules have changed.
    pub fn forget_rules(&mut self) {
        (self.known, self.grown) = (Arc::default(), Arc::default());
    }

    /// Whether nothing runs.
    pub fn is_idle(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }

    /// Stops the query for what a strategy does.
    pub fn cancel_steps(&mut self) -> bool {
        let steps = |query: &Query| matches!(query, Query::Steps { .. } | Query::Frozen { .. });
        let running = self.running.iter().find(|(_, query)| steps(query)).map(|(id, _)| *id);
        running.is_some_and(|id| self.jobs.cancel(id))
    }
}

/// The thread that asks this has the processor after the one that takes keys, where both want it. Only Linux has priorities of
/// threads.
fn stand_back() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 10);
}

fn is_code(query: &Query) -> bool {
    matches!(query, Query::Kernel { .. } | Query::Code { .. } | Query::Costs { .. } | Query::Prices { .. })
}

/// The answer to a query whose own work has a fault: nothing, and the word of it where it can be shown.
fn failed(query: &Query, fault: &str) -> Answer {
    let problem = || {
        Diagnostic::error("E0890", "An internal error ended the look at this term.")
            .note(fault)
            .hint("The session itself is as it was. Please report this with the session's log.")
    };
    match query {
        Query::Rules { .. } => Answer::Rules(Vec::new(), None),
        Query::Inside { .. } => Answer::Inside(Vec::new(), None),
        Query::Kernel { .. } | Query::Code { .. } => Answer::Kernel(Arc::new(Err(problem()))),
        Query::Costs { .. } => Answer::Costs(Costs::default()),
        Query::Prices { .. } => Answer::Prices(Vec::new()),
        Query::Meter { .. } => Answer::Meter(Metered::default()),
        Query::Difference { .. } => Answer::Difference(Arc::default()),
        Query::Devices => Answer::Devices(DeviceList { devices: Vec::new(), notes: Vec::new() }),
        Query::Steps { .. } => Answer::Steps(Err(problem())),
        Query::Frozen { .. } => Answer::Frozen(Err(problem())),
    }
}

/// What answers are made of, besides terms.
struct Looked<'a> {
    workspace: &'a Workspace,
    sizes: &'a Sizes,
    known: &'a Known,
    grown: &'a Grown,
    /// Where a graph may be kept, while no search uses it.
    shelf: Option<&'a Shelf>,
}

/// The code that was made.
///
/// # Errors
/// Why there is none.
pub fn code(made: &Result<Attempt, Diagnostic>) -> Result<String, Diagnostic> {
    let module = made.as_ref().map_err(Clone::clone)?.module.as_ref();
    module.map(|module| module.text()).map_err(Clone::clone)
}

/// The lines that differ, with those around them; none for another query.
pub fn difference(query: &Query) -> Vec<Line> {
    let Query::Difference { old, new, given, context, width, alphabet } = query else { return Vec::new() };
    let print = |term: &Term| Printed::of(term, *width, *alphabet);
    let named = given.as_ref().map(|given| named(new, given));
    let new = named.as_ref().unwrap_or(new);
    diff::of_lines(print(old).lines(), print(new).lines(), Some(*context)).0
}

/// What is to be said of a term, with the state before it where that is of use.
fn answer(
    query: &Query,
    &Looked { workspace, sizes, known, grown, shelf }: &Looked<'_>,
    (term, before): (&Term, Option<&(RevisionId, Term)>),
    backend: &dyn Backend,
    control: &Control<Progress>,
) -> Answer {
    match query {
        Query::Meter { sketches, .. } => {
            Answer::Meter(metered(workspace, term, sketches, (shelf, grown), control))
        }
        Query::Rules { at, .. } => {
            let left = candidates::left_loops(term, before, known);
            Answer::Rules(candidates::here(workspace, term, at, sizes, known), left)
        }
        Query::Inside { at, from, .. } => {
            let begun = control.elapsed();
            let (found, next) = candidates::inside(workspace, term, at, *from, sizes, known, &|parts| {
                control.cancelled() || is_worth_showing(parts, *from, control.elapsed() - begun)
            });
            Answer::Inside(found, next)
        }
        Query::Costs { target, .. } => Answer::Costs(Costs::of(workspace, term, *target, sizes)),
        Query::Prices { before, terms, target } => {
            let of = |term: &Term| Costs::of(workspace, term, *target, sizes);
            Answer::Prices(std::iter::once(before).chain(terms).map(of).collect())
        }
        Query::Kernel { target, .. } | Query::Code { target, .. } => {
            Answer::Kernel(Arc::new(workspace.attempt(term, *target, sizes)))
        }
        Query::Difference { .. } => Answer::Difference(Arc::new(difference(query))),
        Query::Devices => {
            let mut control = RunControl { cancel: &control.cancel_flag(), progress: &mut |_| {} };
            let nothing = |problem: DeviceError| DeviceList {
                devices: Vec::new(),
                notes: std::iter::once(problem.message).chain(problem.hint).collect(),
            };
            Answer::Devices(backend.list(&mut control).unwrap_or_else(nothing))
        }
        Query::Frozen { text, .. } => {
            let strategy = workspace.parse_strategy(text).map(|strategy| strategy.knowing(sizes));
            Answer::Frozen(strategy.and_then(|s| derivation::frozen(workspace, term, &s, control)))
        }
        Query::Steps { text, at, .. } => Answer::Steps(steps(workspace, (term, at), text, sizes, control)),
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
    (term, at): (&Term, &Path),
    text: &str,
    sizes: &Sizes,
    control: &Control<Progress>,
) -> Result<Walk, Diagnostic> {
    let strategy = workspace.parse_strategy(text)?.knowing(sizes);
    let end = workspace.run_strategy(term, &strategy, at, &Replayed::none(), control);
    match end.result {
        Ok(change) => Ok(Walk { steps: change.steps, stuck: None }),
        Err(problem) if end.before.is_empty() => Err(problem),
        Err(problem) => Ok(Walk { steps: end.before, stuck: Some(problem) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However long each part takes, the rules of a large program are not ordered anew for each few of them.
    #[test]
    fn what_is_inside_is_shown_in_few_pieces() {
        let (mut looked_at, mut pieces) = (0, 0);
        while looked_at < 20_000 {
            let parts = (1..).find(|parts| is_worth_showing(*parts, looked_at, 2 * SLICE));
            looked_at += parts.unwrap_or(usize::MAX - looked_at);
            pieces += 1;
        }
        assert!(pieces < 50, "{pieces}");
        assert!(!is_worth_showing(1000, 0, SLICE / 2));
    }
}
