//! Making a session anew that no longer holds: what its actions lead to today is taken over, or what they led to is looked for.
//!
//! To *bless* a log is to accept each other outcome; every action has to be possible still. To *repair* it is to search, where an
//! action no longer leads to its state, for a way to that state. Either way the text of another log comes out, with seals of its
//! own; nothing is written here.

use super::action::{Action, Outcome};
use super::derivation::NORMAL;
use super::history::label;
use super::log::made::Made;
use super::log::{self, Entry, v1};
use super::replay::{
    Divergence, Options, measured_here, not_wrong, open, read, reopen, retaken, summary, unavailable,
};
use super::searching::SearchMode;
use super::state::Session;
use super::unreduced::of_normal_form;
use super::workspace::{Problems, Workspace};
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::print;
use crate::lang::term::Term;

/// What to do where a log no longer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Renewal {
    /// Accept what its actions lead to.
    Bless,
    /// Search for what they led to.
    Repair,
}

/// A log that holds again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renewed {
    /// The whole log.
    pub text: String,
    /// What is accepted that was recorded otherwise.
    pub accepted: Vec<Divergence>,
    /// What is done in the place of actions that no longer lead to their states: the line, the action, what takes its place.
    pub repaired: Vec<(usize, String, String)>,
    /// Measurements of other code that are left out, in words.
    pub left_out: Vec<String>,
}

impl Renewed {
    /// Whether the log held already.
    pub fn is_as_it_was(&self) -> bool {
        self.accepted.is_empty() && self.repaired.is_empty() && self.left_out.is_empty()
    }
}

/// The hint where nothing else helps.
const RECORD_AGAIN: &str = "Record the session again from there.";

/// The hint where no way to the recorded state is found.
const BLESS: &str = "The same command with `--bless` in the place of `--repair` accepts what the action leads to today, if it is still possible; else record the session again from there.";

/// The hint where a search found no way.
const SEARCH: &str =
    "`shine-tui search` takes such a search with rules and guides of your choice, and tells more of it.";

/// Makes a log anew. `watch` is told of how many records so many are done.
///
/// # Errors
/// The log cannot be read; `E0812` where an action is no longer possible, or no way leads to its state.
pub fn renew(
    bytes: &[u8],
    options: &Options,
    how: Renewal,
    watch: &dyn Fn(usize, usize),
) -> Result<Renewed, Box<Problems>> {
    let one = |d| Box::new(Problems::one(d));
    let mut log = log::parse(bytes).map_err(one)?;
    super::beside::take_over(&mut log, &options.texts);
    let mut session = open(&log.header, options.backend.clone())?;
    not_wrong(&session, options)?;
    let header = v1::Header { seed: log.header.seed, ..session.workspace().header(session.sizes()) };
    let mut new = Made::of(&header).map_err(one)?;
    let mut renewed = Renewed { text: String::new(), accepted: vec![], repaired: vec![], left_out: vec![] };
    for (i, entry) in log.entries.iter().enumerate() {
        watch(i, log.entries.len());
        let (line, record, sealed) = match entry {
            Entry::Known { line, record, sealed, .. } => (*line, record, *sealed),
            Entry::Unknown { line, reason, .. } => return Err(unavailable(*line, reason)),
        };
        let (action, recorded) = read(record, line)?;
        if let (Action::Bench { .. }, Outcome::Measured(_)) = (&action, &recorded) {
            if sealed && measured_here(&session, &action, &recorded) {
                new.record(&action, &recorded).map_err(one)?;
            } else {
                let of = if sealed { "it is of other code or sizes" } else { "its line has no seal" };
                renewed.left_out.push(format!("The measurement on line {line} is left out: {of}."));
            }
            continue;
        }
        let again = Again { number: i + 1, line, action: &action, recorded: &recorded };
        let (action, outcome) = match again.take(&mut session, options, how, &mut renewed).map_err(one)? {
            Some(taken) => taken,
            None => {
                // Where the action leads now is no part of the session.
                session = reopen(new.text.as_bytes(), options.backend.clone(), &|_, _| {})?;
                let (instead, outcome) = again.repair(&mut session).map_err(one)?;
                renewed.repaired.push((line, label(&action), label(&instead)));
                (instead, outcome)
            }
        };
        if matches!(action, Action::Reload { .. } | Action::Definitions { .. }) {
            not_wrong(&session, options)?;
        }
        new.record(&action, &outcome).map_err(one)?;
    }
    renewed.text = new.text;
    Ok(renewed)
}

/// A recorded action that is taken again.
struct Again<'a> {
    number: usize,
    line: usize,
    action: &'a Action,
    recorded: &'a Outcome,
}

impl Again<'_> {
    /// The action that stands in the new log and what came of it; none where it no longer leads where it led.
    fn take(
        &self,
        session: &mut Session,
        options: &Options,
        how: Renewal,
        renewed: &mut Renewed,
    ) -> Result<Option<(Action, Outcome)>, Diagnostic> {
        let found = match retaken(session, self.action, self.recorded, options) {
            // Where the recorded way of a search is gone, it is free to find another one.
            Err(_) if searched(self.recorded) => retaken(
                session,
                self.action,
                self.recorded,
                &Options { search: SearchMode::Free, ..options.clone() },
            ),
            found => found,
        };
        let found = match found {
            Ok(found) => found,
            Err(_) if how == Renewal::Repair && goal(self.recorded).is_some() => return Ok(None),
            Err(problem) => return Err(self.refused(problem.message, self.other_way(how))),
        };
        if kind(&found) != kind(self.recorded) {
            return Err(self.refused("What comes of it is of another kind.".to_owned(), RECORD_AGAIN));
        }
        if digest(&found) != digest(self.recorded) {
            if how == Renewal::Repair && goal(self.recorded).is_some() {
                return Ok(None);
            }
            renewed.accepted.push(self.divergence(&found));
        }
        match (self.recorded, &found) {
            // Its times are of other code: what it chose is a strategy like any other.
            (Outcome::Tuned { decision, .. }, Outcome::Tuned { revision, digest, text, searches, .. })
                if !measured_here(session, self.action, self.recorded) =>
            {
                let line = self.line;
                renewed.left_out.push(format!(
                    "The times of the tuning on line {line} are left out: they are of other code or sizes."
                ));
                let action = Action::Strategy { text: decision.strategy.clone(), at: Path::root() };
                let (revision, digest, text, searches) = (*revision, *digest, text.clone(), searches.clone());
                Ok(Some((action, Outcome::Term { revision, digest, text, searches })))
            }
            _ if digest(&found) == digest(self.recorded) => {
                Ok(Some((self.action.clone(), self.recorded.clone())))
            }
            _ => Ok(Some((self.action.clone(), found))),
        }
    }

    /// Looks for a way to the recorded state: by the same rule at another place, then by a search for the very program.
    fn repair(&self, session: &mut Session) -> Result<(Action, Outcome), Diagnostic> {
        let (text, was) =
            goal(self.recorded).ok_or_else(|| self.refused("It made no state.".to_owned(), RECORD_AGAIN))?;
        let program = session.workspace().parse_recorded(text, was);
        let program = program.filter(|term| term.digest() == was);
        let program = program.ok_or_else(|| {
            self.refused(
                "The recorded program cannot be read, or is not the one of its digest.".to_owned(),
                BLESS,
            )
        })?;
        if let Action::Apply { rule, .. } = self.action {
            let leads = |at: &Path| {
                let change = session.workspace().apply_as_change(session.term(), rule, at);
                change.is_ok_and(|change| change.term.digest() == was)
            };
            // Where it does not apply, why not would be found out at length.
            let places = session.workspace().places_of(session.term(), rule);
            if let Some(at) = places.into_iter().find(leads) {
                let action = Action::Apply { rule: rule.clone(), at };
                let outcome = session.perform_now(action.clone())?;
                return Ok((action, outcome));
            }
        }
        let action = Action::Strategy { text: searched_for(session.workspace(), &program), at: Path::root() };
        match session.perform_now(action.clone()) {
            Ok(outcome) if digest(&outcome) == Some(was) => Ok((action, outcome)),
            Ok(_) => Err(self.refused(
                "A search found a program of the same shape that is not the recorded one.".to_owned(),
                BLESS,
            )),
            Err(problem) => {
                let refused =
                    problem.notes.into_iter().fold(self.refused(problem.message, BLESS), Diagnostic::note);
                let tried = label(&action);
                Err(refused
                    .note(format!(
                        "What was tried in its place, with rules that were chosen for it: `{tried}`."
                    ))
                    .hint(SEARCH))
            }
        }
    }

    fn divergence(&self, found: &Outcome) -> Divergence {
        Divergence {
            record: self.number,
            line: self.line,
            action: label(self.action),
            what: "another outcome is accepted".to_owned(),
            expected: summary(self.recorded),
            found: summary(found),
            cause: None,
        }
    }

    /// What may help where the action is no longer possible: only a state can be searched for.
    fn other_way(&self, how: Renewal) -> &'static str {
        match (how, goal(self.recorded)) {
            (Renewal::Bless, Some(_)) => {
                "The same command with `--repair` in the place of `--bless` searches for what the action led to; where that finds no way, record the session again from there."
            }
            _ => RECORD_AGAIN,
        }
    }

    fn refused(&self, why: String, hint: &str) -> Diagnostic {
        let (number, line, action) = (self.number, self.line, label(self.action));
        Diagnostic::error(
            "E0812",
            format!("The session cannot be made anew from action {number} on, `{action}` (line {line})."),
        )
        .note(why)
        .hint(hint)
    }
}

/// A search for a program. Searches know normal forms, in which functions that say nothing are left out and what is shared is written
/// out: where the program is in none, that is searched for, and the program is made of it, if that can be written.
fn searched_for(workspace: &Workspace, program: &Term) -> String {
    let options = print::Options { unicode: false, width: usize::MAX, ..print::Options::default() };
    let search = |term: &Term| format!("reach ({})", one_line(&print::term(term, &options).text));
    match of_normal_form(workspace, program) {
        Some((normal, steps)) if !steps.is_empty() => {
            let ways = [search(&normal), NORMAL.to_owned()].into_iter().chain(steps);
            ways.collect::<Vec<_>>().join(" ; ")
        }
        _ => search(program),
    }
}

/// A text without its line ends.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The state that an outcome made: its program and the digest.
fn goal(o: &Outcome) -> Option<(&str, Digest)> {
    match o {
        Outcome::Term { text, digest, .. } | Outcome::Tuned { text, digest, .. } => {
            Some((text.text(), *digest))
        }
        _ => None,
    }
}

fn digest(o: &Outcome) -> Option<Digest> {
    match o {
        Outcome::Kernel { digest, .. } => Some(*digest),
        other => goal(other).map(|(_, digest)| digest),
    }
}

fn kind(o: &Outcome) -> std::mem::Discriminant<Outcome> {
    std::mem::discriminant(o)
}

fn searched(o: &Outcome) -> bool {
    matches!(o, Outcome::Term { searches, .. } | Outcome::Tuned { searches, .. } if !searches.is_empty())
}
