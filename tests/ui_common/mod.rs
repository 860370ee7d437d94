//! The screen without a terminal: the real state and the real update loop over a `TestBackend`.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crossterm::event::{KeyModifiers, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use shine_tui::device::fake::FakeDevices;
use shine_tui::session::action::Sizes;
use shine_tui::session::files::{Origin, Places, Texts, read};
use shine_tui::session::state::Session;
use shine_tui::ui::app::{App, Setup};
use shine_tui::ui::capabilities::{Capabilities, Depth};
use shine_tui::ui::draw::draw;
use shine_tui::ui::event::Msg;
use shine_tui::ui::keys::{Keymap, sequence};
use shine_tui::ui::queries::Queries;
use shine_tui::ui::splits::Splits;
use shine_tui::ui::theme::Theme;
use shine_tui::ui::update::update;
use shine_tui::view::{Alphabet, Mark, Role};

/// How long work in the background may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

pub const UNICODE: Capabilities = Capabilities { depth: Depth::Ansi16, alphabet: Alphabet::Unicode };
pub const ASCII_MONO: Capabilities = Capabilities { depth: Depth::Mono, alphabet: Alphabet::Ascii };

/// A screen under test.
pub struct TestApp {
    pub app: App,
    news: Receiver<()>,
    /// Holds the session's log.
    pub folder: tempfile::TempDir,
}

/// A program of `kernels/`, with the strategies and sizes beside it.
pub fn kernel(name: &str) -> Texts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(name);
    let mut texts = read(&folder.join(format!("{name}.rise")), &Places::default()).unwrap();
    // Labels are shown, and must not depend on where the project lies.
    for text in texts.files.iter_mut().chain([&mut texts.program]) {
        let file = Path::new(&text.label).file_name().unwrap().to_string_lossy().into_owned();
        text.label = file;
    }
    texts.origin = Origin {
        program: Some(texts.program.label.clone().into()),
        files: Default::default(),
        rules: vec![],
        config: None,
    };
    texts
}

impl TestApp {
    /// A screen on one of the kernels.
    pub fn new(name: &str, size: (u16, u16), capabilities: Capabilities) -> TestApp {
        TestApp::with(&kernel(name), size, capabilities, "default", FakeDevices::new())
    }

    pub fn with(
        texts: &Texts,
        size: (u16, u16),
        capabilities: Capabilities,
        theme: &str,
        devices: FakeDevices,
    ) -> TestApp {
        TestApp::opened(texts, (None, &Sizes::default()), size, capabilities, theme, devices)
    }

    /// A screen on a definition, at sizes.
    pub fn of_definition(texts: &Texts, def: &str, sizes: &Sizes) -> TestApp {
        TestApp::opened(texts, (Some(def), sizes), (120, 36), UNICODE, "default", FakeDevices::new())
    }

    fn opened(
        texts: &Texts,
        (def, sizes): (Option<&str>, &Sizes),
        size: (u16, u16),
        capabilities: Capabilities,
        theme: &str,
        devices: FakeDevices,
    ) -> TestApp {
        let (sender, news) = channel();
        let notify: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
            let _ = sender.send(());
        });
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::open(texts, def, sizes, Arc::new(devices), notify.clone()).ok().unwrap();
        session.start_log(Some(&folder.path().join("session.ron"))).unwrap();
        let setup = Setup {
            folder: None,
            mouse: true,
            splits: Splits::default(),
            terminal: capabilities,
            theme: Theme::load(theme, None, capabilities.depth).unwrap(),
            keys: Keymap::load(None).unwrap(),
            editor: None,
            inputs: String::new(),
        };
        let app = App::new(session, setup, Queries::new(notify), size);
        let mut test = TestApp { app, news, folder };
        test.idle();
        test
    }

    /// Sends a message and settles.
    pub fn send(&mut self, msg: Msg) {
        update(&mut self.app, msg);
        self.app.settle();
    }

    /// Presses keys, as `keys.ron` spells them, and waits for what they set off.
    pub fn press(&mut self, keys: &str) -> &mut TestApp {
        for key in sequence(keys).unwrap() {
            self.send(Msg::Key(key.into(), Instant::now()));
        }
        self.idle()
    }

    /// Presses keys that all arrive before the next frame, and waits for what they set off.
    pub fn burst(&mut self, keys: &str) -> &mut TestApp {
        for key in sequence(keys).unwrap() {
            update(&mut self.app, Msg::Key(key.into(), Instant::now()));
        }
        self.app.settle();
        self.idle()
    }

    /// Types a text, character by character.
    pub fn type_text(&mut self, text: &str) -> &mut TestApp {
        for c in text.chars() {
            let key = if c == ' ' { "Space".to_owned() } else { c.to_string() };
            self.press(&key);
        }
        self
    }

    /// Waits until nothing runs.
    pub fn idle(&mut self) -> &mut TestApp {
        let begin = Instant::now();
        loop {
            self.send(Msg::News);
            if self.app.session.is_idle() && self.app.queries.is_idle() {
                return self;
            }
            assert!(begin.elapsed() < PATIENCE, "something runs for too long");
            let _ = self.news.recv_timeout(Duration::from_millis(20));
        }
    }

    /// The mouse does something at a column and a row.
    pub fn mouse(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) -> &mut TestApp {
        self.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
        self.idle()
    }

    pub fn resize(&mut self, width: u16, height: u16) -> &mut TestApp {
        self.send(Msg::Resize(width, height));
        self.idle()
    }

    /// The cells of the screen.
    pub fn buffer(&self) -> ratatui::buffer::Buffer {
        let (width, height) = self.app.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(&self.app, frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The text of the screen.
    pub fn text(&self) -> String {
        let buffer = self.buffer();
        let rows: Vec<String> = (0..buffer.area.height)
            .map(|y| {
                // A wide character is followed by cells that it covers.
                let mut covered = 0;
                let mut text = String::new();
                for x in 0..buffer.area.width {
                    let symbol = buffer[(x, y)].symbol();
                    if covered == 0 {
                        text.push_str(symbol);
                        covered = unicode_width::UnicodeWidthStr::width(symbol);
                    }
                    covered = covered.saturating_sub(1);
                }
                text.trim_end().to_owned()
            })
            .collect();
        rows.join("\n")
    }

    /// One letter a cell: the role or the mark whose style it has.
    pub fn roles(&self) -> String {
        let buffer = self.buffer();
        let theme = &self.app.setup.theme;
        let mut styles: Vec<(Cell, char)> = Vec::new();
        for mark in Mark::ALL {
            for role in Role::ALL {
                let mut cell = Cell::default();
                cell.set_style(theme.style(*role, *mark));
                let letter = if *mark == Mark::None { role.letter() } else { mark.letter() };
                if !styles.iter().any(|(known, _)| same_style(known, &cell)) {
                    styles.push((cell, letter));
                }
            }
        }
        let letter = |cell: &Cell| {
            let style = styles.iter().find(|(known, _)| same_style(known, cell));
            style.map_or('?', |(_, letter)| *letter)
        };
        let rows: Vec<String> = (0..buffer.area.height)
            .map(|y| (0..buffer.area.width).map(|x| letter(&buffer[(x, y)])).collect())
            .collect();
        rows.join("\n")
    }
}

fn same_style(a: &Cell, b: &Cell) -> bool {
    (a.fg, a.bg, a.modifier) == (b.fg, b.bg, b.modifier)
}
