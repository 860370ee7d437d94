//! Texts with problems: each problem with its text, until the files are right.
//!
//! A program that cannot be read has no session, so its problems are shown before there is one, and the assistant
//! opens as soon as the file is right. Within a session the same page shows what is wrong with a changed program, or
//! with rules and strategies, of which the right ones can be used meanwhile.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ratatui::layout::Rect;

use super::app::Setup;
use super::command::{Command, Context};
use super::draw::{draw_page, room_of_pages};
use super::editor::edit;
use super::event::{Events, Msg};
use super::hints;
use super::keys::{Chord, Meaning, Sequence, spell};
use super::paint::Painter;
use super::popup::{Page, Purpose};
use super::run::{Ending, NotOpened, Opened};
use super::screen::Screen;
use crate::session::record::SaveState;
use crate::session::workspace::Problems;
use crate::view::{Alphabet, Line, Role, problem, quoted};

/// What is wrong with some texts, and which problem is looked at.
#[derive(Clone, Debug)]
pub struct Mending {
    problems: Problems,
    at: usize,
    /// What happens when the files are right.
    then: String,
}

impl Mending {
    /// Errors come before warnings.
    pub fn new(mut problems: Problems, then: impl Into<String>) -> Mending {
        problems.list.sort_by_key(|problem| !problem.is_error());
        Mending { problems, at: 0, then: then.into() }
    }

    /// Whether there is another problem to look at.
    pub fn has_several(&self) -> bool {
        self.problems.list.len() > 1
    }

    /// Looks at another problem.
    pub fn step(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.problems.list.len().saturating_sub(1));
    }

    /// Other problems in place of these; the same one is looked at, if there are as many.
    pub fn replace(&mut self, problems: Problems, then: impl Into<String>) {
        *self = Mending { at: self.at, ..Mending::new(problems, then) };
        self.step(0);
    }

    /// The problem that is looked at, what becomes of it, and the text that it is in.
    pub fn page(&self, alphabet: Alphabet, width: usize) -> Page {
        let sources = &self.problems.sources;
        let Some(shown) = self.problems.list.get(self.at) else {
            return Page::new("No problems", Vec::new(), Purpose::Mend);
        };
        let file = shown.labels.iter().find_map(|label| sources.get(label.span.file));
        let file = file.or_else(|| sources.iter().next().map(|(_, file)| file));
        let name = file.map(|file| file_name(&file.name)).unwrap_or_default();
        let (number, of) = (self.at + 1, self.problems.list.len());
        let title = format!("{name}: problem {number} of {of}");
        let mut lines = quoted::rows(&problem::lines(shown, sources, alphabet), width, 3);
        lines.push(Line::empty());
        lines.extend(Line::of(Role::Hint, self.then.clone()).wrap(width, 0));
        if let Some(file) = file {
            lines.push(Line::empty());
            lines.extend(problem::text(file, &self.problems.list, sources, alphabet));
        }
        Page::new(title, lines, Purpose::Mend)
    }

    /// The files that the texts came from, as far as there are such files.
    pub fn files(&self) -> Vec<PathBuf> {
        let names = self.problems.sources.iter().map(|(_, file)| PathBuf::from(&*file.name));
        names.filter(|path| path.is_file()).collect()
    }
}

fn file_name(label: &str) -> String {
    Path::new(label).file_name().map_or_else(|| label.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// When files were written and how long they are: another state means that one of them has changed.
pub fn state_of(files: &[PathBuf]) -> Vec<Option<(SystemTime, u64)>> {
    let state = |path: &PathBuf| {
        let meta = std::fs::metadata(path).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    };
    files.iter().map(state).collect()
}

/// How often the files are looked at.
const POLL: Duration = Duration::from_millis(300);

/// What came of a program that could not be opened.
pub enum Mended {
    /// It can be opened now.
    Opened(Box<Opened>),
    /// The user left, or a signal ended it.
    Ended(Ending),
}

/// A screen that shows the problems of a program until it is right.
pub struct Workshop<'a> {
    /// The terminal.
    pub screen: &'a mut Screen,
    /// Keys and signals.
    pub events: &'a Events,
    /// Styles, keys and the editor.
    pub setup: &'a Setup,
    /// The program's file.
    pub file: &'a Path,
}

impl Workshop<'_> {
    /// Shows the problems, and tries to open the program again whenever a file of it is saved.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn until_right(
        &mut self,
        problems: Problems,
        open: &mut dyn FnMut() -> Result<Opened, NotOpened>,
    ) -> io::Result<Mended> {
        let then = "The assistant opens as soon as the file is saved without errors.";
        let mut mending = Mending::new(problems, then);
        let mut scroll = (0, 0);
        // What the last key came to, where that is not seen.
        let mut said = None;
        let mut keys = Sequence::new();
        let mut state = state_of(&self.files(&mending));
        loop {
            let (width, height) = self.screen.size()?;
            let alphabet = self.setup.terminal.alphabet;
            let mut page = mending.page(alphabet, usize::from(width).saturating_sub(6));
            page.scroll = scroll;
            self.draw(&page, mending.has_several(), said.as_deref())?;
            for msg in self.events.wait(POLL) {
                match msg {
                    Msg::Key(key, _) => {
                        keys.push(Chord::from(key));
                        let meaning = self.meaning(&keys);
                        if meaning == Meaning::Prefix {
                            continue;
                        }
                        let typed = std::mem::take(&mut keys);
                        said = self.says(&meaning, &typed);
                        let Meaning::Command(command) = meaning else { continue };
                        let rows = isize::try_from(height).unwrap_or(24) / 2;
                        let seen = room_of_pages(Rect::new(0, 0, width, height.saturating_sub(1)));
                        match command {
                            Command::Quit | Command::Interrupt => {
                                return Ok(Mended::Ended(Ending::Left(None)));
                            }
                            Command::Edit => self.edit()?,
                            Command::Suspend => drop(self.screen.suspend()),
                            Command::Repaint => self.screen.reclaim()?,
                            Command::PageNext => (mending.step(1), page.scroll = (0, 0)).1,
                            Command::PagePrevious => (mending.step(-1), page.scroll = (0, 0)).1,
                            Command::PageLineUp => page.scroll_by((-1, 0), seen),
                            Command::PageLineDown => page.scroll_by((1, 0), seen),
                            Command::PageLeft => page.scroll_by((0, -8), seen),
                            Command::PageRight => page.scroll_by((0, 8), seen),
                            Command::PageBackScreen => page.scroll_by((-rows, 0), seen),
                            Command::PageForwardScreen => page.scroll_by((rows, 0), seen),
                            Command::PageTop => page.scroll = (0, 0),
                            Command::PageBottom => page.scroll_by((isize::MAX / 4, 0), seen),
                            _ => {}
                        }
                    }
                    Msg::Terminate(number) => {
                        return Ok(Mended::Ended(Ending::Signal(number, SaveState::default())));
                    }
                    Msg::Gone => {
                        let hangup = signal_hook::consts::SIGHUP;
                        return Ok(Mended::Ended(Ending::Signal(hangup, SaveState::default())));
                    }
                    Msg::Suspend => drop(self.screen.suspend()),
                    Msg::Continued => self.screen.reclaim()?,
                    Msg::Mouse(_) | Msg::Paste(_) | Msg::Resize(..) | Msg::News | Msg::Tick => {}
                }
            }
            scroll = page.scroll;
            let now = state_of(&self.files(&mending));
            if now == state {
                continue;
            }
            match open() {
                Ok(opened) => return Ok(Mended::Opened(Box::new(opened))),
                // Editors replace files in two steps: for a moment there may be none.
                Err(NotOpened::Failed(problems) | NotOpened::Wrong(problems)) => {
                    mending.replace(*problems, then);
                    state = state_of(&self.files(&mending));
                }
            }
        }
    }

    fn files(&self, mending: &Mending) -> Vec<PathBuf> {
        let beside = crate::session::files::beside(self.file);
        std::iter::once(self.file.to_owned()).chain(beside).chain(mending.files()).collect()
    }

    /// What keys mean: leaving and editing as in the assistant, the others as on a page.
    fn meaning(&self, keys: &[Chord]) -> Meaning {
        use Command as C;
        let meaning = |context| self.setup.keys.meaning(context, keys);
        match meaning(Context::Screen) {
            found
            @ Meaning::Command(C::Quit | C::Interrupt | C::Edit | C::Suspend | C::Repaint | C::Help) => found,
            _ => meaning(Context::Page),
        }
    }

    /// What is said of keys that change nothing that is seen: what can be pressed, or why they do nothing.
    fn says(&self, meaning: &Meaning, typed: &[Chord]) -> Option<String> {
        use Command as C;
        match meaning {
            Meaning::Command(C::Edit) if self.setup.editor.is_none() => {
                Some("The environment names no editor; set EDITOR, or save the file in any other.".to_owned())
            }
            Meaning::Command(C::Help) => {
                let all = [
                    C::PageNext,
                    C::PagePrevious,
                    C::PageLineDown,
                    C::PageLineUp,
                    C::PageForwardScreen,
                    C::PageBackScreen,
                    C::PageTop,
                    C::PageBottom,
                    C::PageLeft,
                    C::PageRight,
                    C::Edit,
                    C::Suspend,
                    C::Quit,
                ];
                let keys = &self.setup.keys;
                let one =
                    |command: &Command| Some(format!("{} {}", keys.key(*command)?, keys.label(*command)));
                Some(all.iter().filter_map(one).collect::<Vec<_>>().join("  "))
            }
            Meaning::Nothing => {
                let help = self.setup.keys.key(C::Help).unwrap_or_default();
                Some(format!("{} means nothing here; {help} lists the keys.", spell(typed)))
            }
            _ => None,
        }
    }

    fn edit(&mut self) -> io::Result<()> {
        let Some(editor) = &self.setup.editor else { return Ok(()) };
        // Whether the editor did its work is seen from the file.
        edit(editor, self.file, self.screen, self.events).map(drop)
    }

    /// Draws the page, and below it what was said last, else what can be pressed.
    fn draw(&mut self, page: &Page, several: bool, said: Option<&str>) -> io::Result<()> {
        let Setup { theme, terminal, keys, editor, .. } = self.setup;
        let mut hints = Line::empty();
        let all =
            [Command::PageNext, Command::PagePrevious, Command::PageLineDown, Command::Edit, Command::Quit];
        let usable = |command: &&Command| match command {
            Command::Edit => editor.is_some(),
            Command::PageNext | Command::PagePrevious => several,
            _ => true,
        };
        for command in all.iter().filter(usable) {
            let key = keys.key(*command).unwrap_or_default();
            hints.append(hints::hint(&key, *command, keys));
            hints.push(Role::Plain, "  ");
        }
        self.screen.draw(|frame| {
            let area = frame.area();
            let mut painter = Painter::new(frame.buffer_mut(), theme, *terminal);
            painter.blank(area);
            let below = match said {
                Some(said) => Line::of(Role::Hint, said.to_owned()).wrap(usize::from(area.width), 2),
                None => vec![hints.clone()],
            };
            let rows = u16::try_from(below.len()).unwrap_or(1).min(area.height);
            let above = Rect { height: area.height.saturating_sub(1), ..area };
            draw_page(&mut painter, above, page);
            let place = Rect { y: area.bottom().saturating_sub(rows), height: rows, ..area };
            painter.blank(place);
            painter.lines(place, &below, (0, 0));
        })
    }
}
