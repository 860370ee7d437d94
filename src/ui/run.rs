//! The loop: wait, take messages in, draw.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::app::{App, Requests, Setup};
use super::assets;
use super::capabilities::{Capabilities, ColourChoice, Depth};
use super::draw::draw;
use super::editor::edit;
use super::event::{Events, Msg};
use super::keys::Keymap;
use super::latency::Latency;
use super::leaving::offer;
use super::mending::{Mended, Workshop};
use super::panic::Scene;
use super::queries::Queries;
use super::screen::{Screen, Stray, refusal};
use super::splits;
use super::theme::Theme;
use super::update::update;
use crate::session::record::SaveState;
use crate::session::state::Session;
use crate::session::workspace::Problems;
use crate::view::Role;

/// How often the disk is looked at.
const DISK: Duration = Duration::from_secs(1);

/// What the command line asks for.
pub struct Options {
    /// How many colours.
    pub colour: ColourChoice,
    /// Only ASCII.
    pub ascii: bool,
    /// Which theme.
    pub theme: Option<String>,
    /// The folder with the user's keys and themes.
    pub config: Option<PathBuf>,
    /// The file that stray output and faults go to.
    pub log: PathBuf,
    /// What the program runs on, as `NAME=FILE`.
    pub inputs: Vec<String>,
    /// The folder in which it is kept where the borders between panes are.
    pub state: Option<PathBuf>,
    /// Where to write how long the user waited.
    pub frame_stats: Option<PathBuf>,
    /// Is there a shell that would continue the program after a stop?
    pub shell: bool,
    /// When the program was started.
    pub started: Instant,
}

/// A session with what is to be said when its screen begins.
pub struct Opened {
    pub session: Session,
    pub warnings: Vec<String>,
    /// Another session of the same program, which was never left.
    pub unfinished: Option<Unfinished>,
}

/// A session that was never left.
pub struct Unfinished {
    /// The log.
    pub session: PathBuf,
    /// How long it is and when it was changed, in words.
    pub what: String,
}

/// How the screen ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// The user left. The session is here.
    Left(Option<PathBuf>),
    /// A signal of this number ended it. This is what is on the disk of the session, if there was one yet.
    Signal(i32, SaveState),
    /// The user wants to go on with another session.
    GoOn(PathBuf),
}

/// Why there is no session.
pub enum NotOpened {
    /// What is wrong with the texts of a program.
    Wrong(Box<Problems>),
    /// There are no such texts, or no session of them can be had.
    Failed(Box<Problems>),
}

/// Why there was no screen, or no longer.
#[derive(Debug)]
pub enum Failure {
    /// No screen can be shown here; what to run instead.
    Refused(String),
    /// The session cannot be opened.
    Session(Box<Problems>),
    /// The terminal cannot be used.
    Terminal(std::io::Error),
    /// A fault of the program; it has been reported.
    Fault,
}

/// The word for jobs to say that they have news.
pub type Notifier = Arc<dyn Fn() + Send + Sync>;

/// Shows the screen of a session until the user leaves.
///
/// # Errors
/// See [`Failure`]. The terminal is the shell's again in any case.
pub fn run(
    options: &Options,
    file: &Path,
    open: &dyn Fn(Notifier) -> Result<Opened, NotOpened>,
) -> Result<Ending, Failure> {
    let env = |name: &str| std::env::var(name).ok();
    if let Some(text) = refusal(&env) {
        return Err(Failure::Refused(text));
    }
    let mut warnings = Vec::new();
    let folder = options.config.as_deref();
    let config = load_config(folder, &mut warnings);
    let capabilities =
        Capabilities::decide(options.colour, config.colour, options.ascii || config.ascii, &env);
    let theme = options.theme.as_deref().or(config.theme.as_deref()).unwrap_or("default");
    let setup = Setup {
        terminal: capabilities,
        theme: load_theme(folder, theme, capabilities.depth, &mut warnings),
        keys: load_keys(folder, &mut warnings),
        editor: env("VISUAL").or_else(|| env("EDITOR")).filter(|editor| !editor.trim().is_empty()),
        folder: options.config.clone(),
        mouse: !config.no_mouse,
        splits: splits::load(options.state.as_deref()),
        inputs: options.inputs.join(" "),
    };
    let events = Events::default();
    let mut open = || open(events.notifier());
    let opened = match open() {
        Err(NotOpened::Failed(problems)) => return Err(Failure::Session(problems)),
        Err(NotOpened::Wrong(problems)) => Err(problems),
        Ok(opened) => Ok(opened),
    };
    let scene = Scene::new(options.log.clone());
    scene.install();
    let stray = Stray::new(&options.log);
    let signals = Events::arm().map_err(Failure::Terminal)?;
    let mut screen = Screen::enter(&options.log, options.shell).map_err(Failure::Terminal)?;
    screen.mouse(setup.mouse).map_err(Failure::Terminal)?;
    events.start(signals, &scene).map_err(Failure::Terminal)?;
    let mut opened = match opened {
        Ok(opened) => opened,
        Err(problems) => {
            let mut workshop = Workshop { screen: &mut screen, events: &events, setup: &setup, file };
            match workshop.until_right(*problems, &mut open).map_err(Failure::Terminal)? {
                Mended::Opened(opened) => *opened,
                Mended::Ended(ending) => return Ok(ending),
            }
        }
    };
    warnings.append(&mut opened.warnings);
    opened.session.set_open(true);
    let size = screen.size().map_err(Failure::Terminal)?;
    let mut app = App::new(opened.session, setup, Queries::new(events.notifier()), size);
    for warning in warnings {
        app.tell(Role::Warning, warning);
    }
    if let Some(unfinished) = opened.unfinished {
        offer(&mut app, unfinished);
    }
    let mut latency = Latency::new(options.started);
    let mut stage =
        Stage { app, screen: &mut screen, events: &events, scene: &scene, stray, disk: Instant::now() };
    // A fault has been logged, and the terminal restored, by the time it arrives here.
    let before = stage.app.focus.splits;
    let ended = catch_unwind(AssertUnwindSafe(|| stage.play(&mut latency)));
    let Stage { mut app, .. } = stage;
    let now = app.focus.splits;
    if now != before {
        splits::keep(options.state.as_deref(), now);
    }
    drop(screen);
    if let Some(path) = &options.frame_stats {
        let _ = write_stats(path, &latency);
    }
    match ended {
        // A terminal that was closed is told by a signal too, which may come later.
        Ok(Err(error)) if error.raw_os_error() == Some(libc::EIO) => {
            app.session.stop_all();
            Ok(Ending::Signal(signal_hook::consts::SIGHUP, app.session.save_state()))
        }
        Ok(ended) => ended.map_err(Failure::Terminal),
        Err(_) => Err(Failure::Fault),
    }
}

/// What the user's `config.ron` says about the screen.
#[derive(Default)]
struct Config {
    colour: ColourChoice,
    ascii: bool,
    theme: Option<String>,
    no_mouse: bool,
}

/// The file's own form.
#[derive(serde::Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct ConfigFile {
    color: Option<String>,
    ascii: bool,
    theme: Option<String>,
    mouse: Option<bool>,
}

fn load_config(folder: Option<&Path>, warnings: &mut Vec<String>) -> Config {
    let text = match folder.map_or(Ok(None), |folder| assets::own(&folder.join("config.ron"))) {
        Ok(Some(text)) => text,
        Ok(None) => return Config::default(),
        Err(problem) => {
            warnings.push(problem);
            return Config::default();
        }
    };
    let read = || -> Result<Config, String> {
        let file: ConfigFile = assets::read(&text)?;
        let colour = file.color.map_or(Ok(ColourChoice::Auto), |colour| colour.parse())?;
        let no_mouse = file.mouse == Some(false);
        Ok(Config { colour, ascii: file.ascii, theme: file.theme, no_mouse })
    };
    read().unwrap_or_else(|problem| {
        warnings.push(format!("`config.ron` cannot be read: {problem}."));
        Config::default()
    })
}

/// What is wrong with the user's `config.ron`, keys and themes.
pub fn problems_of_configuration(folder: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let config = load_config(Some(folder), &mut problems);
    load_keys(Some(folder), &mut problems);
    let theme = config.theme.as_deref().unwrap_or("default");
    load_theme(Some(folder), theme, Depth::True, &mut problems);
    problems
}

fn load_theme(folder: Option<&Path>, name: &str, depth: Depth, warnings: &mut Vec<String>) -> Theme {
    Theme::read(folder, name, depth).unwrap_or_else(|problem| {
        warnings.push(problem);
        Theme::load("default", None, depth).unwrap_or_default()
    })
}

fn load_keys(folder: Option<&Path>, warnings: &mut Vec<String>) -> Keymap {
    let file = folder.map(|folder| folder.join("keys.ron"));
    let overlay = file.map_or(Ok(None), |file| assets::own(&file));
    overlay.and_then(|overlay| Keymap::load(overlay.as_deref())).unwrap_or_else(|problem| {
        warnings.push(problem);
        Keymap::load(None).unwrap_or_default()
    })
}

fn write_stats(path: &Path, latency: &Latency) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    writeln!(file, "{:#}", latency.report())
}

/// Everything the loop works with.
struct Stage<'a> {
    app: App,
    screen: &'a mut Screen,
    events: &'a Events,
    scene: &'a Scene,
    stray: Stray,
    disk: Instant,
}

impl Stage<'_> {
    fn play(&mut self, latency: &mut Latency) -> std::io::Result<Ending> {
        loop {
            self.app.resize(self.screen.size()?);
            self.app.settle();
            // Of a session that is there in part it cannot be said that nothing is lost.
            let save = self.app.session.save_state();
            self.scene.set_session(save.path.filter(|_| save.unsaved == 0));
            let app = &self.app;
            self.screen.draw(|frame| draw(app, frame))?;
            latency.frame(Instant::now(), !app.session.is_idle());
            fault_on_request();
            let mut signal = None;
            for msg in self.events.wait(self.app.pace()) {
                match &msg {
                    Msg::Key(_, at) => latency.key(*at),
                    Msg::Terminate(number) => signal = Some(*number),
                    Msg::Gone => signal = Some(signal_hook::consts::SIGHUP),
                    _ => {}
                }
                update(&mut self.app, msg);
            }
            self.look_at_the_disk();
            let mut requests = std::mem::take(&mut self.app.requests);
            if let Some(other) = requests.go_on.take() {
                self.app.session.cancel_all();
                self.app.session.give_up();
                return Ok(Ending::GoOn(other));
            }
            if requests.quit {
                self.app.session.stop_all();
                return Ok(match signal {
                    Some(number) => Ending::Signal(number, self.app.session.save_state()),
                    None => {
                        self.app.session.set_open(false);
                        Ending::Left(self.app.session.save_state().path)
                    }
                });
            }
            if requests.suspend || requests.edit.is_some() {
                latency.forget();
            }
            self.take(requests)?;
        }
    }

    fn take(&mut self, requests: Requests) -> std::io::Result<()> {
        if requests.suspend
            && let Err(reason) = self.screen.suspend()
        {
            self.app.say(Role::Warning, reason);
        }
        if requests.repaint {
            self.screen.reclaim()?;
        }
        if let Some(on) = requests.mouse {
            self.screen.mouse(on)?;
        }
        if let Some(text) = requests.copy {
            self.screen.copy(&text)?;
        }
        if let Some(file) = requests.edit {
            self.edit(&file)?;
        }
        Ok(())
    }

    /// Opens a file in the editor.
    fn edit(&mut self, file: &Path) -> std::io::Result<()> {
        let Some(editor) = self.app.setup.editor.clone() else { return Ok(()) };
        match edit(&editor, file, self.screen, self.events)? {
            Ok(status) if status.success() => {}
            Ok(status) => self.app.tell(Role::Warning, format!("The editor ended with {status}.")),
            Err(error) => self.app.tell(Role::Error, format!("`{editor}` cannot be run: {error}.")),
        }
        self.disk = Instant::now();
        Ok(())
    }

    /// Notices a changed program file and lines in the log, once a second.
    fn look_at_the_disk(&mut self) {
        if self.disk > Instant::now() {
            return;
        }
        self.disk = Instant::now() + DISK;
        if self.stray.poll() {
            self.app.stray = self.stray.lines;
        }
        self.app.look_at_the_disk();
    }
}

/// A fault of the program, for whoever asks for one by the variable `SHINE_FAULT`: how faults are met is tried on the
/// very program that is released.
fn fault_on_request() {
    match std::env::var("SHINE_FAULT").as_deref() {
        Ok("memory") => drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 60))),
        Ok("stack") => drop(std::hint::black_box(descend(0))),
        Ok("hang") => loop {
            std::thread::park();
        },
        #[expect(clippy::panic, reason = "this is what is tried")]
        Ok(_) => panic!("asked for by SHINE_FAULT"),
        Err(_) => {}
    }
}

#[expect(unconditional_recursion, reason = "this is what is tried")]
fn descend(n: u64) -> u64 {
    std::hint::black_box([n; 64]).iter().sum::<u64>() + descend(n + 1)
}
