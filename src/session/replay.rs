//! Replaying a recorded session: the same actions again, each outcome compared with the recorded one.

use super::action::{Action, Decision, Outcome};
use super::beside::{self, Changed};
use super::files::{Origin, Text, Texts};
use super::known;
use super::log::{self, Entry, LogError, convert, v1};
use super::record::{self, Recorder};
use super::searching::{Replayed, SearchMode};
use super::state::Session;
use super::workspace::Problems;
use crate::device::{Backend, DeviceInfo, RunControl};
use crate::lang::diag::Diagnostic;
use crate::lang::digest::Digest;
use crate::lang::source::refuse_harmful;
use indexmap::IndexMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a replay compares. Each level includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The term after each action.
    Terms,
    /// The text of generated kernels.
    Kernels,
    /// The output of measured kernels, with the reference.
    Results,
    /// Measures again and reports; times never decide.
    Performance,
}

/// How a replay is done.
#[derive(Clone)]
pub struct Options {
    pub level: Level,
    pub search: SearchMode,
    /// The device to use in place of the recorded one.
    pub device: Option<String>,
    pub backend: Arc<dyn Backend>,
    /// May foreign functions run?
    pub foreign: bool,
    /// The files whose text stands in the place of what the session holds, by label.
    pub texts: IndexMap<String, Changed>,
}

/// How a replay ended, worst last but for a missing device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Agrees,
    /// A device is missing, so that not everything could be compared.
    NoDevice(String),
    Diverges(Box<Divergence>),
}

/// The first action with another outcome than recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// The record's number, and its line in the log.
    pub record: usize,
    pub line: usize,
    pub action: String,
    pub what: String,
    pub expected: String,
    pub found: String,
    /// The likely cause, when there is one.
    pub cause: Option<String>,
}

/// Where a session that was opened goes on.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// In its file.
    File,
    /// In its file; where that cannot be written, nowhere until it is given another one.
    FileIfWritable,
    /// In a new file, with all that was done before. Its own stays as it is.
    New(&'a Path),
}

/// What happens while a replay runs, for those who watch.
#[derive(Clone, Debug)]
pub enum Event {
    Warning(String),
    /// A record was replayed and agrees, or was not compared at this level.
    Step {
        record: usize,
        of: usize,
        action: String,
        note: Note,
    },
}

/// What is said of a record that agrees.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Note {
    pub text: String,
    pub times: Option<Times>,
}

/// What a record says that a kernel takes, and what it takes now where that was measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    pub now_ns: Option<f64>,
    pub recorded_ns: f64,
    /// The name of the device on which it was recorded.
    pub device: String,
}

impl<T: Into<String>> From<T> for Note {
    fn from(text: T) -> Note {
        Note { text: text.into(), times: None }
    }
}

/// Replays a log.
///
/// # Errors
/// The log cannot be read, or what it holds is no program (bad input).
pub fn replay(
    bytes: &[u8],
    options: &Options,
    watch: &mut dyn FnMut(Event),
) -> Result<Verdict, Box<Problems>> {
    let mut log = log::parse(bytes).map_err(|d| Box::new(Problems::one(d)))?;
    beside::take_over(&mut log, &options.texts);
    let unsealed = without_seals(&log);
    log.warnings.iter().chain(&unsealed).for_each(|w| watch(Event::Warning(w.clone())));
    let mut session = open(&log.header, options.backend.clone())?;
    if options.foreign {
        session.allow_foreign();
    }
    not_wrong(&session, options)?;
    let since = Since::of(&log.header, &session, options);
    let of = log.entries.len();
    let mut missing = None;
    for (i, entry) in log.entries.iter().enumerate() {
        let (line, record) = match entry {
            Entry::Known { line, record, .. } => (*line, record),
            Entry::Unknown { line, reason, .. } => return Err(unavailable(*line, reason)),
        };
        let (action, recorded) = read(record, line)?;
        let name = super::history::label(&action);
        let result = step(&mut session, &action, &recorded, options).map(|step| match step {
            Step::Agrees(note) => faithful(&session, &action, &recorded)
                .map_or(Step::Agrees(note), |found| {
                    differs("what is recorded does not fit together", &recorded, &found)
                }),
            other => other,
        });
        let note = match result {
            Ok(Step::Agrees(note)) => note,
            Ok(Step::NoDevice(why)) => {
                missing.get_or_insert(why.clone());
                Note { text: why, times: None }
            }
            Ok(Step::Differs { what, expected, found }) => {
                let of_code = [OTHER_KERNEL, OTHER_CODE, OTHER_TUNED].contains(&&*what);
                let cause = match of_code {
                    true => since.program().or_else(|| of_generator(options)),
                    false => since.cause(&action),
                };
                let record = i + 1;
                return Ok(Verdict::Diverges(Box::new(Divergence {
                    record,
                    line,
                    action: name,
                    what,
                    expected,
                    found,
                    cause,
                })));
            }
            // That it may not run is no other outcome.
            Err(problem) if problem.code == "E0189" => return Err(Box::new(Problems::one(problem))),
            Err(problem) => {
                let is_wrong = problem.code == "E0820";
                let as_recorded = runs_as_recorded(&session, &action, &recorded);
                let elsewhere = of_device(&action, options).filter(|_| as_recorded);
                let (what, cause) = match elsewhere {
                    Some(cause) if is_wrong => (WRONG, Some(cause)),
                    Some(cause) => ("The action cannot be taken on this device", Some(cause)),
                    None if is_wrong && as_recorded => (WRONG, Some(OF_COMPILER.to_owned())),
                    None if is_wrong => (WRONG, since.cause(&action)),
                    None => ("The action can no longer be taken", since.cause(&action)),
                };
                let found =
                    std::iter::once(problem.message).chain(problem.notes).collect::<Vec<_>>().join("\n");
                return Ok(Verdict::Diverges(Box::new(Divergence {
                    record: i + 1,
                    line,
                    action: name,
                    what: what.into(),
                    expected: summary(&recorded),
                    found,
                    cause,
                })));
            }
        };
        if matches!(action, Action::Reload { .. } | Action::Definitions { .. }) {
            not_wrong(&session, options)?;
        }
        if let (Action::Tune { device, .. }, Outcome::Tuned { decision, .. }) = (&action, &recorded) {
            let here = options.device.as_deref().unwrap_or(device);
            let warning = tuned_elsewhere(here, decision, &devices_of(&*options.backend));
            warning.into_iter().for_each(|w| watch(Event::Warning(w)));
        }
        watch(Event::Step { record: i + 1, of, action: name, note });
    }
    Ok(missing.map_or(Verdict::Agrees, Verdict::NoDevice))
}

/// For those who wait until a long session is opened: how many of its actions are done, and how many there are.
pub type Opening<'a> = &'a dyn Fn(usize, usize);

/// Opens a saved session to go on with it: everything is replayed by its trails, and a damaged tail is cut off.
///
/// # Errors
/// The log cannot be read or written, or no longer leads where it led.
pub fn resume(
    path: &Path,
    bytes: &[u8],
    place: Place<'_>,
    backend: Arc<dyn Backend>,
    notify: Arc<dyn Fn() + Send + Sync>,
    watch: Opening<'_>,
) -> Result<(Session, Vec<String>), Box<Problems>> {
    let mut log = log::parse(bytes).map_err(|d| Box::new(Problems::one(d)))?;
    let origin = known::of(path, &log.header_line).map(|known| known.origin()).unwrap_or_default();
    let mut session = rebuild(&log, &origin, backend, notify, watch)?;
    log.warnings.extend(without_seals(&log));
    session.decision = decision(&log.entries);
    let recorder = match place {
        Place::New(new) => Recorder::copy_of(new, &log, &origin),
        Place::File => Recorder::resume(path, &log, &origin).map_err(|e| record::diagnostic(&e)),
        Place::FileIfWritable => match Recorder::resume(path, &log, &origin) {
            Err(e @ LogError::Io { .. }) => {
                let why = format!("What is done from here on is not on the disk. {e} {}", record::WAY_OUT);
                log.warnings.push(why);
                Ok(Recorder::beside(&log, &origin, e.to_string()))
            }
            other => other.map_err(|e| record::diagnostic(&e)),
        },
    };
    session.set_recorder(recorder.map_err(|d| Box::new(Problems::one(d)))?);
    Ok((session, log.warnings))
}

/// Opens a saved session without going on with its log.
///
/// # Errors
/// As [`resume`].
pub fn reopen(bytes: &[u8], backend: Arc<dyn Backend>, watch: Opening<'_>) -> Result<Session, Box<Problems>> {
    let log = log::parse(bytes).map_err(|d| Box::new(Problems::one(d)))?;
    rebuild(&log, &Origin::default(), backend, Arc::new(|| {}), watch)
}

fn rebuild(
    log: &log::Log,
    origin: &Origin,
    backend: Arc<dyn Backend>,
    notify: Arc<dyn Fn() + Send + Sync>,
    watch: Opening<'_>,
) -> Result<Session, Box<Problems>> {
    let mut session = open_with(&log.header, origin, backend.clone(), notify)?;
    let options = by_trails(backend);
    for (done, entry) in log.entries.iter().enumerate() {
        watch(done, log.entries.len());
        again(&mut session, entry, &options)?;
    }
    Ok(session)
}

/// As a session is opened: searches by their trails, and nothing measured.
fn by_trails(backend: Arc<dyn Backend>) -> Options {
    let (level, search, texts) = (Level::Terms, SearchMode::Trail, IndexMap::new());
    Options { level, search, device: None, backend, foreign: false, texts }
}

/// Takes the action of an entry again; what was measured is taken over from it.
fn again(
    session: &mut Session,
    entry: &Entry,
    options: &Options,
) -> Result<(Action, Outcome), Box<Problems>> {
    let one = |d| Box::new(Problems::one(d));
    let (line, record, sealed) = match entry {
        Entry::Known { line, record, sealed, .. } => (*line, record, *sealed),
        Entry::Unknown { line, reason, .. } => return Err(unavailable(*line, reason)),
    };
    let (action, recorded) = read(record, line)?;
    match step(session, &action, &recorded, options) {
        // A time is shown for this very kernel, and where it is as it was recorded.
        Ok(Step::Agrees(_) | Step::NoDevice(_)) => {
            if sealed && measured_here(session, &action, &recorded) {
                session.keep_measurement(&action, &recorded);
            }
            Ok((action, recorded))
        }
        Ok(Step::Differs { what, .. }) => {
            let problem = format!("The session cannot be resumed: on line {line}, {what}.");
            Err(one(Diagnostic::error("E0807", problem).hint("`shine-tui replay` shows the difference.")))
        }
        Err(d) => Err(one(d.note(format!("This happened while line {line} of the session was replayed.")))),
    }
}

/// A saved session that is played action by action, for those who watch.
pub struct Playback {
    entries: std::vec::IntoIter<Entry>,
    options: Options,
    /// What is to be told of the log.
    pub warnings: Vec<String>,
}

impl Playback {
    /// The session of a file as it began, and what was done in it. Nothing of it is run: `backend` says what there is to run on.
    ///
    /// # Errors
    /// As [`resume`].
    pub fn open(
        path: &Path,
        bytes: &[u8],
        backend: Arc<dyn Backend>,
        notify: Arc<dyn Fn() + Send + Sync>,
    ) -> Result<(Session, Playback), Box<Problems>> {
        let mut log = log::parse(bytes).map_err(|d| Box::new(Problems::one(d)))?;
        log.warnings.extend(without_seals(&log));
        let mut session = open_with(&log.header, &Origin::default(), backend.clone(), notify)?;
        session.set_recorder(Recorder::reading(path));
        let (entries, warnings) = (log.entries.into_iter(), log.warnings);
        Ok((session, Playback { entries, options: by_trails(backend), warnings }))
    }

    /// How many actions follow.
    pub fn left(&self) -> usize {
        self.entries.len()
    }

    /// Takes the next action, and says what it was and what came of it; nothing at the end.
    ///
    /// # Errors
    /// As [`resume`].
    pub fn next(&mut self, session: &mut Session) -> Result<Option<(Action, Outcome)>, Box<Problems>> {
        self.entries.next().map(|entry| again(session, &entry, &self.options)).transpose()
    }
}

/// What is said of a log whose lines have no seals.
fn without_seals(log: &log::Log) -> Option<String> {
    let open = log.entries.iter().filter(|e| matches!(e, Entry::Known { sealed: false, .. })).count();
    (open > 0).then(|| {
        "Lines of this log have no seals, as older versions wrote them, so that changes of them are not seen: what they \
         lead to is compared, but times in them are not shown."
            .to_owned()
    })
}

/// What of a recorded outcome does not fit to the rest of the log: texts to their digests, measurements to the kernel
/// and the sizes of this place.
fn faithful(session: &Session, action: &Action, recorded: &Outcome) -> Option<Outcome> {
    match recorded {
        Outcome::Term { revision, digest, text, searches } => {
            let found = session.workspace().parse_recorded(text.text(), *digest);
            let other = found.map(|t| t.digest()).filter(|found| found != digest)?;
            let (revision, text, searches) = (*revision, text.clone(), searches.clone());
            Some(Outcome::Term { revision, digest: other, text, searches })
        }
        Outcome::Tuned { revision, digest, text, searches, decision } => {
            let found = session.workspace().parse_recorded(text.text(), *digest);
            let other = found.map(|t| t.digest()).filter(|found| found != digest)?;
            let (revision, text, searches) = (*revision, text.clone(), searches.clone());
            Some(Outcome::Tuned { revision, digest: other, text, searches, decision: decision.clone() })
        }
        Outcome::Measured(_) if !measured_here(session, action, recorded) => Some(Outcome::Unchanged {
            reason: "another kernel, other sizes, or no measurement".into(),
            searches: vec![],
        }),
        _ => None,
    }
}

/// Is a measurement of the kernel, the sizes and the work of this place, and are its numbers those of one?
pub(super) fn measured_here(session: &Session, action: &Action, recorded: &Outcome) -> bool {
    let kernel = |device: &str| session.kernel_of(device);
    if let (Action::Tune { device, .. }, Outcome::Tuned { decision, .. }) = (action, recorded) {
        let (low, high) = decision.interval_ns.unwrap_or((0.0, f64::MAX));
        return kernel(device) == Some(decision.kernel)
            && decision.sizes == *session.sizes()
            && decision.runs > 0
            && low >= 0.0
            && high.is_finite()
            && (low..=high).contains(&decision.median_ns);
    }
    let (Action::Bench { device }, Outcome::Measured(m)) = (action, recorded) else { return false };
    let work = crate::lang::work::of(&session.workspace().program.term, session.sizes());
    let numbers = [m.median_ns, m.interval_ns.0, m.interval_ns.1, m.max_error.unwrap_or_default()];
    kernel(device) == Some(m.kernel)
        && m.sizes == *session.sizes()
        && m.flops == (work.flops > 0.0).then_some(work.flops)
        && m.integer_operations.is_none_or(|n| n == work.integer_operations)
        && m.bytes == Some(work.bytes)
        && m.runs > 0
        && numbers.iter().all(|n| n.is_finite() && *n >= 0.0)
        && (m.interval_ns.0..=m.interval_ns.1).contains(&m.median_ns)
}

/// Whether an action measures the very code that it measured when it was recorded.
fn runs_as_recorded(session: &Session, action: &Action, recorded: &Outcome) -> bool {
    match (action, recorded) {
        (Action::Bench { device }, Outcome::Measured(m)) => session.kernel_of(device) == Some(m.kernel),
        _ => false,
    }
}

pub(super) fn unavailable(line: usize, reason: &str) -> Box<Problems> {
    Box::new(Problems::one(
        Diagnostic::error(
            "E0806",
            format!("Line {line} of the session log holds an action that this version does not have."),
        )
        .note(reason.to_string())
        .hint("Use the version of shine-tui that wrote it, or a newer one."),
    ))
}

pub(super) fn read(record: &v1::Record, line: usize) -> Result<(Action, Outcome), Box<Problems>> {
    let bad = |why: String| {
        Box::new(Problems::one(
            Diagnostic::error("E0803", format!("The session log is damaged on line {line}.")).note(why),
        ))
    };
    let action = Action::try_from(&record.action).map_err(bad)?;
    let outcome = Outcome::try_from(&record.outcome).map_err(bad)?;
    let texts: Vec<(&str, &str)> = match &action {
        Action::Reload { label, text } => vec![(label, text)],
        Action::Definitions { files } => files.iter().map(|t| (&*t.label, &*t.text)).collect(),
        _ => vec![],
    };
    if let Some(problem) = texts.into_iter().find_map(|(label, text)| refuse_harmful(label, text)) {
        return Err(Box::new(Problems::one(problem)));
    }
    if let Outcome::Kernel { text, digest, .. } = &outcome
        && Digest::of(text.as_bytes()) != *digest
    {
        let problem = format!(
            "The code on line {line} of the session log does not have the digest that stands beside it."
        );
        return Err(Box::new(Problems::one(
            Diagnostic::error("E0804", problem)
                .hint("The log was changed by hand or damaged. Record the session again."),
        )));
    }
    Ok((action, outcome))
}

pub(super) fn open(header: &v1::Header, backend: Arc<dyn Backend>) -> Result<Session, Box<Problems>> {
    open_with(header, &Origin::default(), backend, Arc::new(|| {}))
}

fn open_with(
    header: &v1::Header,
    origin: &Origin,
    backend: Arc<dyn Backend>,
    notify: Arc<dyn Fn() + Send + Sync>,
) -> Result<Session, Box<Problems>> {
    let text = |t: &v1::Text| Text { label: t.label.clone(), text: t.text.clone() };
    let texts = Texts {
        program: text(&header.program),
        files: header.files.iter().map(text).collect(),
        default_sizes: IndexMap::new(),
        origin: origin.clone(),
    };
    Session::open(&texts, header.def.as_deref(), &convert::sizes_in(&header.sizes), backend, notify)
}

enum Step {
    Agrees(Note),
    NoDevice(String),
    Differs { what: String, expected: String, found: String },
}

/// Takes one recorded action again.
fn step(
    session: &mut Session,
    action: &Action,
    recorded: &Outcome,
    options: &Options,
) -> Result<Step, Diagnostic> {
    let agrees = |note: &str| Ok(Step::Agrees(note.into()));
    match (action, recorded) {
        (Action::Compile { .. }, _) if options.level < Level::Kernels => agrees("not compared at this level"),
        (Action::Bench { .. }, _) if options.level < Level::Kernels => agrees("not compared at this level"),
        (Action::Bench { device }, Outcome::Measured(was)) if options.level < Level::Results => {
            other_kernel(session, device, was.kernel, OTHER_KERNEL)
                .map_or_else(|| agrees(&was.kernel.to_string()), Ok)
        }
        (Action::Bench { device }, Outcome::Measured(was)) => {
            let kernel = Some(was.kernel);
            let recorded = Recorded { asked: device, kernel, ns: was.median_ns, device: &was.device };
            ran_again(session, &recorded, options)
        }
        (Action::Tune { device, .. }, Outcome::Tuned { decision, .. }) => {
            let found = retaken(session, action, recorded, options)?;
            match compare(recorded, &found, options) {
                Step::Agrees(_) => tuned_again(session, device, decision, options),
                other => Ok(other),
            }
        }
        // What changed nothing is not done again: a search that was stopped or failed, a tuning that found nothing faster.
        (Action::Strategy { .. } | Action::Tune { .. }, Outcome::Unchanged { reason, .. }) => agrees(reason),
        _ => {
            let found = retaken(session, action, recorded, options)?;
            Ok(compare(recorded, &found, options))
        }
    }
}

/// What comes of an action today, which is no measurement: searches are taken again as they were recorded, decisions are kept.
pub(super) fn retaken(
    session: &mut Session,
    action: &Action,
    recorded: &Outcome,
    options: &Options,
) -> Result<Outcome, Diagnostic> {
    match (action, recorded) {
        (Action::Strategy { text, at }, Outcome::Term { searches, .. }) if !searches.is_empty() => {
            let again = Replayed::new(options.search, searches.clone());
            session.strategy_as_recorded(action, text, at, &again)
        }
        (Action::Tune { .. }, Outcome::Tuned { searches, decision, .. }) => {
            let again = Replayed::new(options.search, searches.clone());
            session.decided(session.current(), action, decision.clone(), &again)
        }
        // What changed nothing is not done again.
        (Action::Strategy { .. } | Action::Tune { .. }, Outcome::Unchanged { .. }) => Ok(recorded.clone()),
        _ => session.perform_now(action.clone()),
    }
}

/// What a record says of a kernel that ran.
struct Recorded<'a> {
    /// What it was asked to run on.
    asked: &'a str,
    /// None where it is not known of these sizes.
    kernel: Option<Digest>,
    ns: f64,
    /// The name of the device that it ran on.
    device: &'a str,
}

impl Recorded<'_> {
    fn times(&self, now_ns: Option<f64>) -> Option<Times> {
        Some(Times { now_ns, recorded_ns: self.ns, device: self.device.to_owned() })
    }
}

/// Runs the kernel of this state as it was run, and checks what it computes.
fn ran_again(session: &Session, was: &Recorded<'_>, options: &Options) -> Result<Step, Diagnostic> {
    let device = options.device.as_deref().unwrap_or(was.asked);
    let timed = options.level == Level::Performance;
    let now = match session.measure(device, timed, None) {
        Ok(now) => now,
        Err(d) if d.code == "E0703" || d.code == "E0701" => return Ok(Step::NoDevice(d.message)),
        Err(d) => return Err(d),
    };
    if let Some(kernel) = was.kernel.filter(|kernel| now.kernel != *kernel && options.device.is_none()) {
        let (expected, found) = (kernel.to_string(), now.kernel.to_string());
        return Ok(Step::Differs { what: OTHER_KERNEL.into(), expected, found });
    }
    let times = if timed { was.times(Some(now.median_ns)) } else { None };
    Ok(Step::Agrees(Note { text: now.check, times }))
}

/// The code of what was tuned again, and what it computes, as far as that is compared. No other point is measured.
fn tuned_again(
    session: &Session,
    device: &str,
    decision: &Decision,
    options: &Options,
) -> Result<Step, Diagnostic> {
    let is_of_these_sizes = decision.sizes == *session.sizes();
    if options.level >= Level::Kernels
        && is_of_these_sizes
        && let Some(other) = other_kernel(session, device, decision.kernel, OTHER_TUNED)
    {
        return Ok(other);
    }
    let recorded = Recorded {
        asked: if decision.chosen.is_empty() { device } else { &decision.chosen },
        kernel: is_of_these_sizes.then_some(decision.kernel),
        ns: decision.median_ns,
        device: &decision.device,
    };
    if options.level < Level::Results {
        let times = recorded.times(None);
        return Ok(Step::Agrees(Note { text: decision.strategy.clone(), times }));
    }
    Ok(match ran_again(session, &recorded, options)? {
        Step::Agrees(Note { text, times }) => {
            let text = format!("{}; {text}", decision.strategy);
            Step::Agrees(Note { text, times: times.or_else(|| recorded.times(None)) })
        }
        other => other,
    })
}

/// The code of the present state for a device, where it is another one than when it was recorded, or there is none.
fn other_kernel(session: &Session, device: &str, was: Digest, what: &str) -> Option<Step> {
    let compiled = session.compiled(session.current(), super::bench::target_of(device));
    let text = compiled.as_ref().as_ref().map(|compiled| compiled.module.text());
    let found = match text {
        Ok(text) => Digest::of(text.as_bytes()).to_string(),
        Err(problem) => problem.message.clone(),
    };
    let expected = was.to_string();
    (found != expected).then_some(Step::Differs { what: what.to_owned(), expected, found })
}

impl Session {
    /// The digest of the code of the present state for a device, where there is code.
    fn kernel_of(&self, device: &str) -> Option<Digest> {
        let compiled = self.compiled(self.current(), super::bench::target_of(device));
        compiled.as_ref().as_ref().ok().map(|compiled| Digest::of(compiled.module.text().as_bytes()))
    }

    /// Whether the log that is gone on with has a decision of a tuning.
    pub fn is_tuned(&self) -> bool {
        self.decision.is_some()
    }

    /// What is said of the last decision of the log that is gone on with, where it was not taken on one of these devices. Who has no
    /// list of them need not wait for one.
    pub fn tuned_away(&self, devices: &[DeviceInfo]) -> Option<String> {
        let (device, decision) = self.decision.as_ref()?;
        tuned_elsewhere(device, decision, devices)
    }
}

/// The last decision of a log, and for which device it was asked.
fn decision(entries: &[Entry]) -> Option<(String, Decision)> {
    let decision = |entry: &Entry| match entry {
        Entry::Known { line, record, .. } if matches!(record.outcome, v1::Outcome::Tuned { .. }) => {
            read(record, *line).ok()
        }
        _ => None,
    };
    match entries.iter().rev().find_map(decision)? {
        (Action::Tune { device, .. }, Outcome::Tuned { decision, .. }) => Some((device, decision)),
        _ => None,
    }
}

/// The devices that there are; none where they cannot be listed.
pub fn devices_of(backend: &dyn Backend) -> Vec<DeviceInfo> {
    let never = AtomicBool::new(false);
    let mut control = RunControl { cancel: &never, progress: &mut |_| {} };
    backend.list(&mut control).map(|list| list.devices).unwrap_or_default()
}

/// What is said where a decision was not taken on this device.
fn tuned_elsewhere(here: &str, decision: &Decision, devices: &[DeviceInfo]) -> Option<String> {
    let was = &decision.device;
    let elsewhere = match crate::device::select(devices, here) {
        Ok(info) if super::tune::name_of(info) != *was => format!("on {was}, and not on this device"),
        Ok(info) if super::tune::compiler_of(info) != decision.compiler => {
            format!("on {was} with another compiler or driver, {}", decision.compiler)
        }
        Ok(_) => return None,
        Err(_) => format!("on {was}, which is not here"),
    };
    let strategy = &decision.strategy;
    Some(format!("`{strategy}` was tuned {elsewhere}. `shine-tui tune` measures what is best here."))
}

fn compare(recorded: &Outcome, found: &Outcome, options: &Options) -> Step {
    match (recorded, found) {
        (Outcome::Term { digest: a, searches, .. }, Outcome::Term { digest: b, .. }) if a != b => {
            if options.search == SearchMode::Free && !searches.is_empty() {
                return Step::Agrees("the sketch holds; the search found another program".into());
            }
            differs("the term is another one", recorded, found)
        }
        (Outcome::Kernel { digest: a, .. }, Outcome::Kernel { digest: b, .. }) if a != b => {
            differs(OTHER_CODE, recorded, found)
        }
        (Outcome::Term { digest, .. }, Outcome::Term { .. }) => Step::Agrees(digest.to_string().into()),
        (Outcome::Kernel { digest, .. }, Outcome::Kernel { .. }) => Step::Agrees(digest.to_string().into()),
        (Outcome::Tuned { digest: a, .. }, Outcome::Tuned { digest: b, .. }) if a != b => {
            differs("the term is another one", recorded, found)
        }
        (Outcome::Tuned { digest, .. }, Outcome::Tuned { .. }) => Step::Agrees(digest.to_string().into()),
        (Outcome::Done, Outcome::Done) => Step::Agrees(Note::default()),
        _ => differs("the outcome is of another kind", recorded, found),
    }
}

fn differs(what: &str, recorded: &Outcome, found: &Outcome) -> Step {
    Step::Differs { what: what.into(), expected: summary(recorded), found: summary(found) }
}

/// The text of an outcome, for a diff.
pub(super) fn summary(o: &Outcome) -> String {
    match o {
        // A digest that was changed by hand stands beside a text that was not: both are shown.
        Outcome::Term { text, digest, .. } | Outcome::Tuned { text, digest, .. } => {
            format!("{digest}\n{}", text.text())
        }
        Outcome::Kernel { text, digest, .. } => format!("{digest}\n{text}"),
        Outcome::Done => "done".into(),
        Outcome::Measured(m) => m.check.clone(),
        Outcome::Unchanged { reason, .. } => reason.clone(),
    }
}

/// What is taken from files is not wrong: rules and strategies with errors would be left out, and the session replayed without them.
pub(super) fn not_wrong(session: &Session, options: &Options) -> Result<(), Box<Problems>> {
    let workspace = session.workspace();
    let is_taken = |problem: &&Diagnostic| {
        let file = problem.span().and_then(|span| workspace.sources.get(span.file));
        file.is_some_and(|file| options.texts.contains_key(&*file.name))
    };
    let list: Vec<Diagnostic> = workspace.errors().filter(is_taken).cloned().collect();
    match list.is_empty() {
        true => Ok(()),
        false => Err(Box::new(Problems { sources: workspace.sources.clone(), list })),
    }
}

/// What is another one than when a session was recorded.
struct Since {
    /// Rules, and whether they are still there.
    rules: Vec<(String, bool)>,
    /// The label of the program.
    program: String,
    /// The labels of texts, and the files that others were taken from.
    files: Vec<(String, String)>,
}

const OTHER_TEXT: &str = " now is another text than the session holds.";

/// Whether what a session holds by this label are rules or strategies.
fn is_of_strategies(label: &str) -> bool {
    label.ends_with(".rules") || label.ends_with(".elevate")
}

impl Since {
    fn of(header: &v1::Header, session: &Session, options: &Options) -> Since {
        let now = session.workspace().rule_digests();
        let changed = |(name, digest): (&String, &String)| match now.get(name) {
            Some(there) => (there != digest).then(|| (name.clone(), true)),
            None => Some((name.clone(), false)),
        };
        let rules = header.rules.iter().filter_map(changed).collect();
        let file = |(label, file): (&String, &Changed)| (label.clone(), file.path.display().to_string());
        let program = header.program.label.clone();
        Since { rules, program, files: options.texts.iter().map(file).collect() }
    }

    /// That the text of the program is another one, from which code takes its names: of what else there is, the term tells.
    fn program(&self) -> Option<String> {
        let is_program = |label: &str| label == self.program || !is_of_strategies(label);
        let files = self.files.iter().filter(|(label, _)| is_program(label)).map(|(_, file)| file).collect();
        listed(files, "What is in ", OTHER_TEXT)
    }

    /// What an action's other outcome likely comes from: rules that it names, else any; and files, whose rules are told as such.
    fn cause(&self, action: &Action) -> Option<String> {
        let text = match action {
            Action::Apply { rule, .. } => rule,
            Action::Strategy { text, .. } | Action::Tune { strategy: text, .. } => text,
            _ => "",
        };
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let named: Vec<_> = self.rules.iter().filter(|(rule, _)| words.contains(&rule.as_str())).collect();
        let rules = match named.is_empty() {
            false => named,
            true if text.is_empty() => vec![],
            true => self.rules.iter().collect(),
        };
        let of = |there: bool| rules.iter().filter(|rule| rule.1 == there).map(|rule| &rule.0).collect();
        let told = |(label, _): &&(String, String)| rules.is_empty() || !label.ends_with(".rules");
        let files = self.files.iter().filter(told).map(|(_, file)| file).collect();
        let told: Vec<String> = [
            listed(of(true), "The text of ", " has changed since the session was recorded."),
            listed(of(false), "There is no rule ", " any more."),
            listed(files, "What is in ", OTHER_TEXT),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!told.is_empty()).then(|| told.join(" "))
    }
}

/// A sentence about names, of which the first five are told; none without any.
fn listed(names: Vec<&String>, before: &str, after: &str) -> Option<String> {
    let told: Vec<String> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
    let more = match names.len().checked_sub(told.len())? {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!told.is_empty()).then(|| format!("{before}{}{more}{after}", told.join(", ")))
}

/// What is said where code differs.
const OTHER_KERNEL: &str = "the measured kernel is another one";
const OTHER_CODE: &str = "the generated code is another one";
const OTHER_TUNED: &str = "the code of what was tuned is another one";

const WRONG: &str = "the kernel computes something else";

/// Why code that is as recorded computes something else.
const OF_COMPILER: &str = "The code is as recorded, so it is what compiles and runs it that has changed: the compiler, the device or its driver.";

/// That something is measured on another device than it was recorded on.
fn of_device(action: &Action, options: &Options) -> Option<String> {
    let (Action::Bench { device }, Some(here)) = (action, &options.device) else { return None };
    let kind = match super::bench::target_of(here) == super::bench::target_of(device) {
        true => "another device",
        false => "a device of another kind, which runs other code",
    };
    (here != device).then(|| format!("It was recorded on `{device}`, and `--device {here}` is {kind}."))
}

/// Why the code of a state may differ. All terms before were compared, unless searches are free to find others.
fn of_generator(options: &Options) -> Option<String> {
    (options.search != SearchMode::Free).then(|| {
        "The term that it is generated from is as recorded, so it is the code generator that has changed."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule is named by its whole name, one that is gone has not changed, and files are named where they may matter.
    #[test]
    fn the_likely_cause_is_what_an_action_names() {
        let of = |rules: &[(&str, bool)], files: &[&str], text: &str| {
            let rules = rules.iter().map(|(name, there)| ((*name).to_owned(), *there)).collect();
            let files = files.iter().map(|file| ((*file).to_owned(), format!("there/{file}"))).collect();
            let since = Since { rules, program: "f.rise".to_owned(), files };
            let at = crate::lang::path::Path::root();
            since.cause(&Action::Strategy { text: text.to_owned(), at }).unwrap_or_default()
        };
        let two = [("useMapSeq", true), ("useMapPar", true)];
        let changed =
            |names: &str| format!("The text of {names} has changed since the session was recorded.");
        assert_eq!(of(&two, &[], "topDown(useMapSeq)"), changed("`useMapSeq`"));
        assert_eq!(of(&two, &[], "topDown(useMapSeqUnroll)"), changed("`useMapSeq`, `useMapPar`"));
        assert_eq!(of(&two[..1], &["f.rules"], "own"), changed("`useMapSeq`"));
        assert_eq!(of(&[("mine", false)], &["f.rules"], "mine"), "There is no rule `mine` any more.");
        let now = "What is in `there/f.rise`, `there/f.elevate` now is another text than the session holds.";
        assert_eq!(of(&[], &["f.rise", "f.elevate"], "own"), now);
        assert_eq!(of(&[], &[], "own"), "");
    }
}
