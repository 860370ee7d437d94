//! Looking in the background: which rules apply here, what the code is, which devices there are, which steps a
//! strategy takes.
//!
//! Nothing here changes the session or its log. At most one look of a kind runs at a time; while it runs, the
//! newest wish of its kind waits and older ones are forgotten, so that scrolling through a large term never queues
//! work.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::device::{Backend, DeviceList, RunControl};
use crate::emit::Compiled;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::syntax::ast::{self, Part, StrategyKind};
use crate::lang::term::Term;
use crate::rewrite::rule::{Marks, RuleUse, apply_at};
use crate::rewrite::strategy::Script;
use crate::session::action::{RevisionId, Sizes, Target};
use crate::session::history::RevisionStep;
use crate::session::jobs::{Control, JobId, Jobs};
use crate::session::searching::Replayed;
use crate::session::state::{Progress, Session};
use crate::session::workspace::Workspace;

/// A rule at a position: what it makes of the term, or why it does not apply.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The rule with its arguments, as text.
    pub call: String,
    /// What the rule may change in floating-point results.
    pub marks: Marks,
    /// One line about it.
    pub doc: String,
    /// Whether arguments have to be typed before it can be applied.
    pub open: bool,
    /// The term after it, or why not, in a sentence.
    pub result: Result<Term, String>,
    /// What it assumes of the sizes.
    pub assumed: Vec<String>,
    /// The position at which the match stops, when it does not apply.
    pub stops: Option<Path>,
    /// How many nodes matched.
    pub depth: u32,
}

impl Candidate {
    /// The rule with its marks, and where it is tried.
    pub fn heading(&self, at: &Path) -> String {
        let between = if self.marks.is_empty() { "" } else { " " };
        format!("{}{between}{} at {at}", self.call, self.marks)
    }
}

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
    /// See [`Want::Kernel`].
    Kernel(Arc<Result<Compiled, Diagnostic>>),
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

type Kernel = Arc<Result<Compiled, Diagnostic>>;

/// How many kernels are kept.
const KERNELS: usize = 16;

/// The looks that run, that wait, and what they saw.
pub struct Looks {
    jobs: Jobs<Progress, Seen>,
    running: Vec<(JobId, Want)>,
    waiting: Vec<Want>,
    kernels: VecDeque<(Want, Kernel)>,
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
            kernels: VecDeque::new(),
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
            Want::Rules { revision, .. } | Want::Kernel { revision, .. } | Want::Steps { revision, .. } => {
                *revision
            }
            Want::Devices => session.current(),
        };
        let Some(term) = session.history().revision(revision).map(|r| r.term.clone()) else { return };
        let wish = want.clone();
        let progress = Progress::Strategy { tried: 0, applied: 0 };
        let started = self.jobs.start("look".to_owned(), progress, move |control| {
            look(&wish, &workspace, &term, &sizes, &*backend, control)
        });
        // Without a thread there is nothing to see; the next message asks again.
        if let Ok(id) = started {
            self.running.push((id, want));
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
                Seen::Rules(_) | Seen::Steps(_) => {}
            }
            out.push((want, seen));
        }
        for want in std::mem::take(&mut self.waiting) {
            self.want(session, want);
        }
        out
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
    control: &Control<Progress>,
) -> Seen {
    match want {
        Want::Rules { at, .. } => Seen::Rules(rules(workspace, term, at)),
        Want::Kernel { target, .. } => Seen::Kernel(Arc::new(workspace.compile(term, *target, sizes))),
        Want::Devices => {
            let mut control = RunControl { cancel: &control.cancel_flag(), progress: &mut |_| {} };
            let nothing = |_| DeviceList { devices: Vec::new(), notes: Vec::new() };
            Seen::Devices(backend.list(&mut control).unwrap_or_else(nothing))
        }
        Want::Steps { text, at, .. } => Seen::Steps(steps(workspace, term, text, at, control)),
    }
}

/// Every rule at a position: those that apply first, then by how much of them matches.
fn rules(workspace: &Workspace, term: &Term, at: &Path) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    let rules = &workspace.rules;
    for rule in rules.rules() {
        // A rule with parameters is tried with the arguments that some set gives it.
        let mut uses: Vec<RuleUse> = Vec::new();
        if rule.params.is_empty() {
            uses.push(RuleUse { rule: rule.clone(), args: Vec::new() });
        }
        for candidate in rules.sets().flat_map(|set| &set.rules) {
            if candidate.rule == *rule && !candidate.args.is_empty() && !uses.contains(candidate) {
                uses.push(candidate.clone());
            }
        }
        out.extend(uses.iter().map(|rule_use| tried(rule_use, term, at)));
        if !rule.params.is_empty() {
            let words: Vec<String> =
                rule.params.iter().map(|p| format!("{} is {}", p.name, p.kind.word())).collect();
            let names: Vec<&str> = rule.params.iter().map(|p| &*p.name).collect();
            out.push(Candidate {
                call: format!("{}({})", rule.name, names.join(", ")),
                marks: rule.marks,
                doc: rule.summary(),
                open: true,
                result: Err(format!("it needs arguments: {}", words.join(", "))),
                assumed: Vec::new(),
                stops: None,
                depth: 0,
            });
        }
    }
    out.sort_by_key(|c| (c.result.is_err(), std::cmp::Reverse(c.depth)));
    out
}

/// A rule, tried at a position.
fn tried(rule_use: &RuleUse, term: &Term, at: &Path) -> Candidate {
    let (result, assumed, stops, depth) = match apply_at(term, at, &rule_use.rule, &rule_use.args) {
        Ok(done) => {
            let assumed = done.assumed.iter().map(ToString::to_string).collect();
            (Ok(done.term), assumed, None, 0)
        }
        Err(why) => (Err(why.to_string()), Vec::new(), Some(at.join(&why.at)), why.depth),
    };
    let doc = rule_use.rule.summary();
    Candidate {
        call: rule_use.to_string(),
        marks: rule_use.rule.marks,
        doc,
        open: false,
        result,
        assumed,
        stops,
        depth,
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

/// Whether a strategy, or one that it calls, runs a search.
pub fn searches(workspace: &Workspace, text: &str) -> bool {
    let Ok(strategy) = workspace.parse_strategy(text) else { return false };
    let mut known: BTreeSet<Name> = BTreeSet::new();
    reaches(&strategy.tree, &workspace.script, &mut known)
}

fn reaches(strategy: &ast::Strategy, script: &Script, known: &mut BTreeSet<Name>) -> bool {
    let called = match &strategy.kind {
        StrategyKind::Reach(_) => return true,
        StrategyKind::Name(name) => Some(name),
        StrategyKind::Call(name, _) => Some(&name.kind),
        _ => None,
    };
    if let Some(definition) = called.and_then(|name| script.strategy(name))
        && known.insert(definition.name.clone())
        && definition.clauses.iter().any(|clause| reaches(&clause.def.body, script, known))
    {
        return true;
    }
    let mut found = false;
    Part::Strategy(strategy).for_each(&mut |part| {
        if let Part::Strategy(inner) = part {
            found = found || reaches(inner, script, known);
        }
    });
    found
}
