//! A saved session as a picture that moves: what the screen shows after each of its actions.
//!
//! The screen is the real one, without a terminal: the actions are taken again as they are recorded, and nothing is run or
//! measured. What must hold: the same log makes the same picture, so nothing is shown that depends on this machine or on time.

use std::fmt::{Display, Formatter};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::actions::{done, news};
use super::app::{App, Setup};
use super::capabilities::{Capabilities, Depth};
use super::draw::draw;
use super::keys::Keymap;
use super::layout::{LEAST, Pane};
use super::queries::Queries;
use super::splits::Splits;
use super::svg::Film;
use super::theme::Theme;
use crate::device::{Backend, Cause, DeviceError, DeviceList, RunControl, RunReport, RunRequest};
use crate::session::action::{Action, Outcome};
use crate::session::history::label;
use crate::session::replay::Playback;
use crate::session::workspace::Problems;
use crate::view::text::one_line;
use crate::view::{Alphabet, Line, Role};

/// So many actions are shown at most, the last ones: a picture of more is slow to load, and nobody looks at it to its end.
pub const MOST: usize = 60;

/// Columns and rows of the screen that is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

impl Size {
    /// The largest, which bounds how large a picture can be.
    const LARGEST: Size = Size { columns: 240, rows: 80 };
}

/// Panes are beside each other, and what a README has room for can be read.
impl Default for Size {
    fn default() -> Size {
        Size { columns: 120, rows: 36 }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.columns, self.rows)
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let parts = text.split_once('x').and_then(|(c, r)| Some((c.parse().ok()?, r.parse().ok()?)));
        let (columns, rows) = parts.ok_or("Columns and rows are written as in 120x36.")?;
        let Size { columns: most_columns, rows: most_rows } = Size::LARGEST;
        if !(LEAST.0..=most_columns).contains(&columns) || !(LEAST.1..=most_rows).contains(&rows) {
            let (columns, rows) = LEAST;
            return Err(format!(
                "A screen has {columns}x{rows} cells at least and {} at most.",
                Size::LARGEST
            ));
        }
        Ok(Size { columns, rows })
    }
}

/// A picture, and what is to be told of how it was made.
pub struct Recording {
    pub picture: String,
    pub warnings: Vec<String>,
}

/// Plays the log of a session and draws what the screen shows after each action.
///
/// # Errors
/// The log cannot be read, or no longer leads where it led.
pub fn record(path: &Path, bytes: &[u8], size: Size, theme: Theme) -> Result<Recording, Box<Problems>> {
    let (sender, heard) = channel();
    let notify: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
        let _ = sender.send(());
    });
    let (session, mut playback) = Playback::open(path, bytes, Arc::new(NoDevices), notify.clone())?;
    let setup = Setup {
        terminal: Capabilities { depth: Depth::True, alphabet: Alphabet::Unicode },
        theme,
        // The keys of this machine's user are not those of who looks at the picture.
        keys: Keymap::load(None).unwrap_or_default(),
        editor: None,
        folder: None,
        mouse: false,
        splits: Splits::default(),
        inputs: String::new(),
    };
    let mut app = App::new(session, setup, Queries::new(notify), (size.columns, size.rows));
    let name = one_line(&app.session.workspace().program.name);
    let mut film = Film::new(format!("shine-tui: {name}"));
    let mut warnings = std::mem::take(&mut playback.warnings);
    let all = playback.left();
    let skipped = all.saturating_sub(MOST);
    if skipped > 0 {
        warnings.push(format!(
            "The session has {all} actions, and the recording shows what the last {MOST} of them did."
        ));
    }
    let begin = format!("The program {name}, as it was opened");
    app.focus.go(Pane::History);
    app.say(Role::Good, begin.clone());
    let mut shown = (skipped == 0).then_some(begin);
    loop {
        if let Some(caption) = shown.take() {
            film.add(&still(&mut app, &heard), caption);
        }
        let from = app.session.current();
        let Some((action, outcome)) = playback.next(&mut app.session)? else { break };
        look(&mut app, &action, &outcome, from);
        // The state before the first action that is shown is seen, too.
        if playback.left() <= MOST {
            shown = Some(caption(&action));
        }
    }
    Ok(Recording { picture: film.picture(), warnings })
}

/// An action in words for those who do not see what it changed. Texts of strategies can be long.
fn caption(action: &Action) -> String {
    Line::plain(one_line(&label(action))).fit(CAPTION, Alphabet::Unicode).text()
}

/// The most columns of a caption.
const CAPTION: usize = 400;

/// Turns to what an action changed, and says what came of it.
fn look(app: &mut App, action: &Action, outcome: &Outcome, from: usize) {
    match action {
        // What is known of rules and code holds for the program and the sizes before.
        Action::Sizes { .. } | Action::Reload { .. } | Action::Definitions { .. } => {
            app.queries.forget_kernels();
            app.forget_rules();
        }
        Action::Compile { target } => app.code.target = *target,
        _ => {}
    }
    app.notice = None;
    done(app, outcome);
    if app.notice.is_none() {
        app.say(Role::Good, label(action));
    }
    // The line below is one line here: whoever used the screen could go on to the next key.
    let width = usize::from(app.size.0);
    app.notice = app.notice.take().map(|line| line.fit(width, Alphabet::Unicode));
    let searched = match (action, outcome) {
        (
            Action::Strategy { text, .. },
            Outcome::Term { searches, .. } | Outcome::Unchanged { searches, .. },
        ) if !searches.is_empty() => {
            app.found.begun(text, from);
            app.found.ended(outcome);
            true
        }
        _ => false,
    };
    match outcome {
        Outcome::Measured(_) | Outcome::Tuned { .. } => {
            // Which states were measured stands in the history.
            app.focus.show(Pane::History);
            app.focus.go(Pane::Bench);
        }
        Outcome::Kernel { .. } => app.focus.go(Pane::Kernel),
        Outcome::Term { .. } | Outcome::Unchanged { .. } | Outcome::Done => {
            app.focus.show(Pane::Kernel);
            app.focus.go(if searched { Pane::Search } else { Pane::History });
        }
    }
    app.touch_all();
}

/// What the screen shows when all is there that it asks for.
fn still(app: &mut App, heard: &Receiver<()>) -> Buffer {
    loop {
        // News of what was looked at says nothing of the action that is shown.
        let notice = app.notice.clone();
        news(app);
        app.notice = notice;
        app.settle();
        // Nobody is there to read a page and close it; what is wrong with a file of the session lies over none of its states.
        app.popups.clear();
        if app.session.is_idle() && app.queries.is_idle() {
            break;
        }
        let _ = heard.recv_timeout(Duration::from_millis(20));
    }
    let (columns, rows) = app.size;
    let Ok(mut terminal) = Terminal::new(TestBackend::new(columns, rows));
    let Ok(_) = terminal.draw(|frame| draw(app, frame));
    terminal.backend().buffer().clone()
}

/// What there is to run on while a session is played: nothing.
struct NoDevices;

impl NoDevices {
    fn refuse<T>() -> Result<T, DeviceError> {
        Err(DeviceError::new(Cause::NoDevice, "Nothing is run while a session is recorded as a picture."))
    }
}

impl Backend for NoDevices {
    fn list(&self, _: &mut RunControl<'_>) -> Result<DeviceList, DeviceError> {
        Ok(DeviceList { devices: vec![], notes: vec![] })
    }

    fn run(&self, _: &RunRequest, _: &mut RunControl<'_>) -> Result<RunReport, DeviceError> {
        Self::refuse()
    }

    fn run_pair(
        &self,
        _: &RunRequest,
        _: &RunRequest,
        _: &mut RunControl<'_>,
    ) -> Result<(RunReport, RunReport), DeviceError> {
        Self::refuse()
    }
}
