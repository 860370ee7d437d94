//! The best programs that a search finds, compiled, checked and measured in turns: what they cost only foretells which is the
//! fastest. It is no action; who takes one of them runs the search for that one, which the log then says.

use super::action::{Measurement, RevisionId, SearchOutcome, Sizes};
use super::bench::{self, Asked, Known};
use super::jobs::Control;
use super::searching::Replayed;
use super::state::{Change, Progress};
use super::tune::{of_point, started};
use super::workspace::{StrategyText, Workspace};
use crate::device::stats::{self, Summary};
use crate::device::{Backend, Mode};
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::syntax::ast::{Ident, Number, Reach, Strategy, StrategyKind};
use crate::lang::syntax::print;
use crate::lang::term::Term;
use crate::lang::work::Work;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// What became of a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    Waiting,
    /// Its code is that of another one, by its rank.
    Same(usize),
    /// It does not compile, or not for this device, crashes, or computes something else.
    Failed {
        code: &'static str,
        why: String,
    },
    /// Its output agrees with plain C at these sizes, and elsewhere with what is said.
    Timed {
        kernel: Digest,
        samples_ns: Vec<u64>,
        summary: Summary,
        check: String,
    },
}

/// A program that the search found.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its place among those that were found, the cheapest first, from 1.
    pub rank: usize,
    /// What it costs.
    pub weight: u32,
    pub term: Term,
    pub fate: Fate,
    /// How the search gets there, where that was written down.
    pub way: Option<Arc<Way>>,
}

/// What the search for a program came to, so that it can be taken without searching again.
#[derive(Debug)]
pub struct Way {
    pub(super) change: Change,
    pub(super) searches: Vec<SearchOutcome>,
    /// The texts that it holds for.
    pub(super) workspace: Weak<Workspace>,
}

impl Candidate {
    pub fn summary(&self) -> Option<&Summary> {
        if let Fate::Timed { summary, .. } = &self.fate { Some(summary) } else { None }
    }
}

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    Searching,
    /// Computing what the outputs must be.
    Reference,
    /// Compiling and checking this one.
    Checking(usize),
    /// So many times they have taken turns, of as many.
    Turns(usize, usize),
    /// Writing down how the search gets to this one, the fastest.
    Way(usize),
    Over,
    /// The user stopped it.
    Stopped,
    /// The search found nothing, or the device fails: for which reason is told.
    Failed,
}

/// How far it is, and what came of it.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The search, as it was asked for.
    pub search: String,
    /// So many programs were asked for.
    pub best: usize,
    /// So many were found, of which the first are looked at, until as many as were asked for have code of their own.
    pub found: usize,
    /// The state that it searches from.
    pub base: RevisionId,
    pub device: String,
    pub sizes: Sizes,
    pub doing: Doing,
    /// How long those took that have been checked.
    pub took: Duration,
    /// By their rank.
    pub candidates: Vec<Candidate>,
    /// Why it failed.
    pub problem: Option<Diagnostic>,
}

impl Standing {
    /// Whether nothing is done any more.
    pub fn is_over(&self) -> bool {
        matches!(self.doing, Doing::Over | Doing::Stopped | Doing::Failed)
    }

    /// The time of the program of this rank as a measurement of the state that it becomes, of a program that does this work;
    /// of one with the code of another one, that one's.
    pub fn measurement(&self, rank: usize, work: &Work) -> Option<Measurement> {
        let fate = |rank: usize| Some(&self.candidates.get(rank.checked_sub(1)?)?.fate);
        let timed = match fate(rank)? {
            Fate::Same(other) => fate(*other)?,
            own => own,
        };
        let Fate::Timed { kernel, summary, check, .. } = timed else { return None };
        Some(Measurement::beside_others(&self.device, *kernel, &self.sizes, summary.into(), work, check))
    }

    /// Of so many programs a rank is one, for a search that takes it.
    pub fn among(&self) -> usize {
        self.best.max(self.found)
    }

    /// The programs that have code of their own.
    pub fn distinct(&self) -> impl Iterator<Item = &Candidate> {
        self.candidates.iter().filter(|c| !matches!(c.fate, Fate::Same(_)))
    }

    /// The ranks of the programs with the code of this one.
    pub fn same_as(&self, rank: usize) -> impl Iterator<Item = usize> {
        self.candidates.iter().filter(move |c| c.fate == Fate::Same(rank)).map(|c| c.rank)
    }

    /// The programs that have code of their own, the fastest first, then those that are not measured yet or never.
    pub fn fastest_first(&self) -> Vec<&Candidate> {
        let mut all: Vec<&Candidate> = self.distinct().collect();
        let place = |c: &Candidate| match &c.fate {
            Fate::Timed { summary, .. } => (0, summary.median),
            Fate::Waiting => (1, 0.0),
            Fate::Same(_) | Fate::Failed { .. } => (2, 0.0),
        };
        all.sort_by(|a, b| {
            let ((x, m), (y, n)) = (place(a), place(b));
            x.cmp(&y).then(m.total_cmp(&n)).then(a.rank.cmp(&b.rank))
        });
        all
    }

    /// Those of which none is measurably slower than the fastest.
    pub fn leaders(&self) -> Vec<&Candidate> {
        let least = self.candidates.iter().filter_map(Candidate::summary).map(|s| s.interval.high);
        let least = least.fold(f64::INFINITY, f64::min);
        let leads = |c: &&Candidate| c.summary().is_some_and(|s| s.interval.low <= least);
        self.fastest_first().into_iter().filter(leads).collect()
    }
}

/// What is to be searched and measured.
pub(super) struct Wanted<'a> {
    pub workspace: &'a Arc<Workspace>,
    pub base: RevisionId,
    pub term: &'a Term,
    pub sizes: &'a Sizes,
    pub device: &'a str,
    pub search: &'a Search,
    pub foreign: bool,
}

/// One turn of a program: enough runs for an interval of their median.
const TURN: Mode = Mode::Measure { min_runs: 6, max_runs: 10, max_seconds: 0.5 };

/// So many turns those have that are no slower than this, in parts of the fastest one's time.
const TURNS: usize = 4;
const NEAR: f64 = 1.5;

/// A search whose best programs are looked at.
#[derive(Clone, Debug)]
pub struct Search {
    /// As it was typed.
    text: String,
    reach: Reach,
    span: crate::lang::diag::Span,
    pub best: usize,
}

/// So many are measured where nobody says how many.
pub const USUAL: usize = 10;
/// More are not measured at once.
pub const MOST: usize = 50;
/// So many times as many are looked at where several have the same code.
const LOOKED_AT: usize = 5;

impl Search {
    /// Reads `reach SKETCH using RULES`, or the name of a strategy that is one, with the number of programs in front or without.
    ///
    /// # Errors
    /// The text is no strategy, or one that does more than to search once.
    pub fn read(workspace: &Workspace, text: &str) -> Result<Search, Diagnostic> {
        let (first, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let (best, text) = match first.parse::<usize>() {
            Ok(best) => (best, rest.trim()),
            Err(_) => (USUAL, text.trim()),
        };
        if !(1..=MOST).contains(&best) {
            let message = format!("Between 1 and {MOST} programs can be measured, and not {best}.");
            return Err(
                Diagnostic::error("E0901", message).hint("Write the number first, as in `10 reach …`.")
            );
        }
        let strategy = workspace.parse_strategy(text)?;
        let called = match &strategy.tree.kind {
            StrategyKind::Name(name) => workspace.script.strategy(name).and_then(|found| found.plain()),
            _ => None,
        };
        let tree = called.unwrap_or(&strategy.tree);
        match &tree.kind {
            StrategyKind::Reach(reach) => {
                Ok(Search { text: text.to_owned(), reach: (**reach).clone(), span: tree.span, best })
            }
            _ => Err(Diagnostic::error("E0915", format!("`{text}` is not one search alone."))
                .note("The programs that are measured are those of one search, so that each of them can be asked for.")
                .hint("Write `reach SKETCH using RULES`; run what comes before it first.")),
        }
    }

    /// As it was typed, without the number of programs.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The search that holds a rule back after so many iterations, as text.
    pub fn holding(&self, rule: &str, iterations: usize) -> String {
        let part = |kind| Strategy { kind, span: self.span };
        let after =
            part(StrategyKind::Number(Number { digits: iterations.to_string().into(), suffix: None }));
        let held = part(StrategyKind::Call(Ident::new(self.span, rule.into()), vec![after]));
        let mut reach = self.reach.clone();
        let before = reach.options.iter_mut().find_map(|(name, value)| match &mut value.kind {
            StrategyKind::List(all) if &*name.kind == "freeze" => Some(all),
            _ => None,
        });
        match before {
            Some(all) => {
                all.retain(
                    |other| !matches!(&other.kind, StrategyKind::Call(name, _) if &*name.kind == rule),
                );
                all.push(held);
            }
            None => reach
                .options
                .push((Ident::new(self.span, "freeze".into()), part(StrategyKind::List(vec![held])))),
        }
        let tree = part(StrategyKind::Reach(Box::new(reach)));
        print::strategy(&tree, &print::Options::default())
    }

    /// The search that takes the program of this rank of so many, as text.
    pub fn taking(&self, rank: usize, of: usize) -> String {
        let mut reach = self.reach.clone();
        reach.options.retain(|(name, _)| !matches!(&*name.kind, "best" | "rank"));
        for (name, value) in [("best", of), ("rank", rank)] {
            let number = Number { digits: value.to_string().into(), suffix: None };
            let value = Strategy { kind: StrategyKind::Number(number), span: self.span };
            reach.options.push((Ident::new(self.span, name.into()), value));
        }
        let tree = Strategy { kind: StrategyKind::Reach(Box::new(reach)), span: self.span };
        print::strategy(&tree, &print::Options::default())
    }
}

/// Searches, and measures what was found; each change is reported. What was found and measured is there where it fails, too.
pub(super) fn best(
    wanted: &Wanted<'_>,
    backend: &dyn Backend,
    control: &Control<Progress>,
    report: &dyn Fn(&Standing),
) -> Standing {
    let Wanted { base, sizes, device, search, .. } = *wanted;
    let mut standing = Standing {
        search: search.text.clone(),
        best: search.best,
        found: 0,
        base,
        device: device.to_owned(),
        sizes: sizes.clone(),
        doing: Doing::Searching,
        took: Duration::ZERO,
        candidates: vec![],
        problem: None,
    };
    report(&standing);
    match measure(wanted, &mut standing, backend, control, report) {
        Ok(ended) => standing.doing = ended,
        Err(problem) if problem.code == "E0709" && control.cancelled() => standing.doing = Doing::Stopped,
        Err(problem) => {
            standing.doing = Doing::Failed;
            standing.problem = Some(problem);
        }
    }
    report(&standing);
    standing
}

/// Takes a search whose best programs are asked for to its end, which is told.
///
/// # Errors
/// Nothing was found, or the device fails.
fn measure(
    wanted: &Wanted<'_>,
    standing: &mut Standing,
    backend: &dyn Backend,
    control: &Control<Progress>,
    report: &dyn Fn(&Standing),
) -> Result<Doing, Diagnostic> {
    let Wanted { workspace, term, sizes, search, .. } = *wanted;
    bench::may_run(workspace, wanted.foreign)?;
    // The whole search as it is run for one of them.
    let strategy: StrategyText = workspace.parse_strategy(&search.taking(1, search.best))?.knowing(sizes);
    let mut examined =
        workspace.examine_more(term, &strategy, (search.best, LOOKED_AT * search.best), control);
    let (change, searches) = (examined.end.result?, examined.end.searches);
    let found = examined.searches.pop().map(|last| last.best.terms).unwrap_or_default();
    let candidate = |(at, found): (usize, crate::rewrite::sketch::extract::Extracted)| Candidate {
        rank: at + 1,
        weight: found.cost,
        term: found.term,
        fate: Fate::Waiting,
        way: None,
    };
    standing.found = found.len();
    let mut others = found.into_iter().enumerate().map(candidate);
    standing.candidates = others.by_ref().take(search.best).collect();
    if let Some(cheapest) = standing.candidates.first_mut() {
        cheapest.way = way(wanted, cheapest, change, searches);
    }
    standing.doing = Doing::Reference;
    report(standing);
    let known = Known::of_many();
    let flag = control.cancel_flag();
    let inputs = bench::drawn(&asked(wanted, term, &known), &[], backend, &flag)?.inputs;
    let expected = bench::expected(&asked(wanted, term, &known), &inputs, backend, &flag)?;
    let mut kernels: HashMap<Digest, usize> = HashMap::new();
    let mut ready = vec![];
    let begun = Instant::now();
    while let Some(candidate) = standing.candidates.get(ready.len()) {
        let (at, term) = (ready.len(), candidate.term.clone());
        (standing.doing, standing.took) = (Doing::Checking(at + 1), begun.elapsed());
        report(standing);
        let asked = asked(wanted, &term, &known);
        let timed = || -> Result<(Fate, bench::Ready), Diagnostic> {
            let code = bench::ready(&asked, backend, &flag)?;
            if let Some(other) = kernels.get(&code.digest) {
                return Ok((Fate::Same(*other), code));
            }
            let check = bench::checked_elsewhere(&asked, backend, &flag)?;
            let ran = bench::timed(&asked, &code, &inputs, &expected, backend, &flag)?;
            let fate = match stats::summary(&ran.samples_ns) {
                Some(summary) => {
                    Fate::Timed { kernel: code.digest, samples_ns: ran.samples_ns, summary, check }
                }
                None => Fate::Failed { code: "E0711", why: "The device gave no times.".to_owned() },
            };
            Ok((fate, code))
        };
        let (fate, code) = match started(timed) {
            Ok((fate, code)) => (fate, Some(code)),
            Err(problem) if problem.code == "E0709" && control.cancelled() => {
                return Ok(Doing::Stopped);
            }
            Err(problem) => {
                let (code, why) = of_point(problem)?;
                (Fate::Failed { code, why }, None)
            }
        };
        if let Some(code) = &code {
            kernels.entry(code.digest).or_insert(at + 1);
        }
        ready.push(code);
        // In the place of one whose code is known another one is looked at.
        if matches!(fate, Fate::Same(_)) {
            standing.candidates.extend(others.next());
        }
        standing.candidates[at].fate = fate;
    }
    for turn in 1..TURNS {
        standing.doing = Doing::Turns(turn, TURNS);
        report(standing);
        let medians = standing.candidates.iter().filter_map(|c| c.summary().map(|s| s.median));
        let near = NEAR * medians.fold(f64::INFINITY, f64::min);
        for at in 0..standing.candidates.len() {
            let Some(code) = ready.get(at).and_then(Option::as_ref) else { continue };
            let candidate = &mut standing.candidates[at];
            let term = candidate.term.clone();
            let Fate::Timed { samples_ns, summary, .. } = &mut candidate.fate else { continue };
            if summary.median > near {
                continue;
            }
            let asked = asked(wanted, &term, &known);
            match started(|| bench::timed(&asked, code, &inputs, &expected, backend, &flag)) {
                Ok(ran) => {
                    samples_ns.extend(ran.samples_ns);
                    if let Some(all) = stats::summary(samples_ns) {
                        *summary = all;
                    }
                }
                Err(problem) if problem.code == "E0709" && control.cancelled() => {
                    return Ok(Doing::Stopped);
                }
                Err(problem) => {
                    let (code, why) = of_point(problem)?;
                    candidate.fate = Fate::Failed { code, why };
                }
            }
            report(standing);
        }
    }
    let fastest = standing.fastest_first().first().filter(|c| c.summary().is_some()).map(|c| c.rank);
    if let Some(candidate) =
        fastest.and_then(|rank| standing.candidates.get(rank - 1)).filter(|c| c.way.is_none())
    {
        // Who takes one takes this one: its way is searched while the ranking is read.
        let (rank, candidate) = (candidate.rank, candidate.clone());
        standing.doing = Doing::Way(rank);
        report(standing);
        let strategy = workspace.parse_strategy(&search.taking(rank, standing.among()))?.knowing(sizes);
        let end = workspace.run_strategy(term, &strategy, &Path::root(), &Replayed::none(), control);
        standing.candidates[rank - 1].way =
            end.result.ok().and_then(|change| way(wanted, &candidate, change, end.searches));
    }
    Ok(Doing::Over)
}

/// What a search came to, if that is this program.
fn way(
    wanted: &Wanted<'_>,
    candidate: &Candidate,
    change: Change,
    searches: Vec<SearchOutcome>,
) -> Option<Arc<Way>> {
    let workspace = Arc::downgrade(wanted.workspace);
    (change.term.digest() == candidate.term.digest()).then(|| Arc::new(Way { change, searches, workspace }))
}

fn asked<'b>(wanted: &'b Wanted<'b>, term: &'b Term, known: &'b Known) -> Asked<'b> {
    let Wanted { workspace, sizes, device, foreign, .. } = *wanted;
    Asked { foreign, known: Some(known), ..Asked::new(workspace, term, sizes, device, TURN) }
}
