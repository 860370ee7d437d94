//! The assistant as plain text: the session, the commands and the facts of the screen, line by line.
//!
//! In comes a line: a command as it is typed after `:`, a strategy, a number that picks from a list, or an answer to what was
//! asked; out comes what the screen would then show of it. [`App`] and its commands are the screen's own.

use super::app::App;
use super::command::{Command, Context};
use super::movement::FAR;
use super::panes;
use super::popup::{Choice, Entry, EntryKind, Page, Popup};
use super::script;
use super::update::{enter, run, run_with};
use crate::lang::diag::nearest;
use crate::lang::path::Path;
use crate::session::action::RevisionId;
use crate::ui::layout::Pane;
use crate::view::{Line, Mark, Role};

/// A session without a screen.
pub struct Dialogue {
    app: App,
    /// How many messages have been printed.
    told: usize,
    /// How many lines were refused.
    refused: usize,
    /// What was last said of the state of things.
    status: String,
    /// What lies over the panes and was printed since the last line: it is not printed again with each piece of news.
    shown: Vec<String>,
    /// What was said of the last search, where that failed.
    not_found: Vec<String>,
    /// What is to be printed of the pane that has the keys when all is done that a line began.
    then: Then,
    /// The pane that has the keys again after that, and what is to be printed of it.
    back: Option<(Pane, Then)>,
    /// The last line, if it was warned of: taken again, it is run.
    warned: Option<Warned>,
}

/// A line that was not run for a warning.
struct Warned {
    line: String,
    kind: EntryKind,
    text: String,
}

/// What was looked at before a line.
struct Before {
    revision: RevisionId,
    selection: Path,
    pane: Pane,
    told: usize,
    notice: Option<Line>,
    status: String,
}

impl Before {
    fn of(app: &App) -> Before {
        let (revision, selection) = (app.session.current(), app.selection.clone());
        let (told, notice, status) = (app.told, app.notice.clone(), app.status().text());
        Before { revision, selection, pane: app.focus.pane, told, notice, status }
    }

    /// Whether what was done since tells of itself, now or when it ends.
    fn is_answered(&self, app: &App) -> bool {
        let says = app.notice != self.notice || app.told != self.told || app.requests.copy.is_some();
        says || !app.popups.is_empty() || !app.session.is_idle() || app.status().text() != self.status
    }
}

/// So many rows have room for all that a pane says of what is highlighted.
const ROWS: u16 = 10_000;

/// What a line asks to see.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    /// A pane as a whole.
    Pane,
    /// What is highlighted in it.
    Highlight,
}

/// Whether a line is a command and picks nothing from a list.
fn is_another(choice: &Choice, line: &str) -> bool {
    let text = line.trim_start_matches(':');
    let word = text.split_whitespace().next().unwrap_or_default();
    let command = Command::from_name(word).is_some_and(|command| command.context() == Context::Screen);
    command && !choice.has(word) && !choice.has(text)
}

impl Dialogue {
    /// A dialogue in place of the screen; what is shown is made for so many columns.
    pub fn new(mut app: App, columns: u16) -> Dialogue {
        // One pane at a time, with room for all that it has to say.
        app.focus.zoomed = true;
        app.rules.resting = true;
        app.has_a_screen = false;
        app.resize((columns.max(super::layout::LEAST.0), ROWS));
        app.settle();
        let (status, shown) = (String::new(), vec![]);
        let not_found = vec![];
        Dialogue {
            app,
            told: 0,
            refused: 0,
            status,
            shown,
            not_found,
            then: Then::Nothing,
            back: None,
            warned: None,
        }
    }

    /// The session and what is looked at of it.
    pub fn app(&mut self) -> &mut App {
        &mut self.app
    }

    /// How many lines were refused.
    pub fn refused(&self) -> usize {
        self.refused
    }

    /// Whether something runs that the last line began.
    pub fn is_busy(&self) -> bool {
        !self.app.session.is_idle() || !self.app.queries.is_idle()
    }

    /// Whether the line before asked to leave.
    pub fn has_left(&self) -> bool {
        self.app.requests.quit
    }

    /// Whether a line has to wait: it asks about the rules inside of the selection, which are looked for only then.
    pub fn awaits(&mut self, line: &str) -> bool {
        let word = line.trim().trim_start_matches(':').split_whitespace().next().unwrap_or_default();
        let command = Command::from_name(word);
        let asks = word.parse::<usize>().is_ok() || command.is_some_and(|c| moves(c) || asks_about_rules(c));
        self.app.rules.resting = !(asks && self.app.popups.is_empty());
        self.app.settle();
        self.is_busy()
    }

    /// Takes a line. What there is to print is complete when nothing runs any more; see [`Dialogue::output`].
    pub fn take(&mut self, line: &str) {
        let line = line.trim();
        self.app.notice = None;
        self.then = Then::Nothing;
        self.shown.clear();
        self.app.look_at_the_disk();
        let warned = self.warned.take();
        let before = Before::of(&self.app);
        self.app.changed_first = None;
        match self.app.popups.last_mut() {
            _ if warned.as_ref().is_some_and(|warned| warned.line == line) => {
                warned.into_iter().for_each(|warned| self.once_more(&warned));
            }
            Some(Popup::Entry(entry)) if line.is_empty() => {
                let takes = is_proposal(entry);
                run(&mut self.app, if takes { Command::EntryAccept } else { Command::EntryBack });
            }
            Some(Popup::Entry(entry)) => {
                entry.set_text(line);
                run(&mut self.app, Command::EntryAccept);
            }
            // A command that is none of the choices leaves them.
            Some(Popup::Choice(choice)) if is_another(choice, line) => {
                run(&mut self.app, Command::ChoiceBack);
                self.ordinary(line);
            }
            Some(Popup::Choice(choice)) => match line.parse::<usize>() {
                _ if line.is_empty() => run(&mut self.app, Command::ChoiceBack),
                Ok(number) => {
                    choice.step(-FAR);
                    choice.step(isize::try_from(number.saturating_sub(1)).unwrap_or(FAR));
                    run(&mut self.app, Command::ChoiceAccept);
                }
                Err(_) => {
                    choice.set_text(line);
                    run(&mut self.app, Command::ChoiceAccept);
                }
            },
            Some(Popup::Question(_)) => run(
                &mut self.app,
                match line {
                    "y" | "yes" => Command::QuestionYes,
                    "s" | "save" => Command::QuestionSave,
                    _ => Command::QuestionNo,
                },
            ),
            Some(Popup::Page(_)) => {
                match Command::from_name(line).filter(|command| command.context() == Context::Page) {
                    Some(command) => run(&mut self.app, command),
                    None => {
                        run(&mut self.app, Command::PageClose);
                        self.ordinary(line);
                    }
                }
            }
            None => self.ordinary(line),
        }
        self.look_at_what_changed(&before);
        self.app.settle();
        if let Some(Popup::Entry(entry)) = self.app.popups.last()
            && let Some(text) = entry.warned.clone()
        {
            self.warned = Some(Warned { line: line.to_owned(), kind: entry.kind, text });
        }
    }

    /// What a line changes of what is seen is printed, where nothing else tells of it: the selection in the term, else all of the pane
    /// that the line is about. That pane has the keys until it is printed.
    fn look_at_what_changed(&mut self, before: &Before) {
        let app = &mut self.app;
        let pane = app.focus.pane;
        let same_state = app.session.current() == before.revision;
        if same_state && app.selection != before.selection {
            if pane != Pane::Term {
                self.back = Some((pane, self.then));
            }
            (app.focus.pane, self.then) = (Pane::Term, Then::Highlight);
        } else if same_state && self.then == Then::Nothing && !before.is_answered(app) {
            let other = Some(pane).filter(|pane| *pane != before.pane);
            if let Some(about) = other.or(app.changed_first) {
                self.back = Some((pane, Then::Nothing)).filter(|_| about != pane);
                (app.focus.pane, self.then) = (about, Then::Pane);
            }
        }
        // Both panes tell of the rule that is highlighted.
        let tells = matches!(app.focus.pane, Pane::Rules | Pane::Term) && self.then != Then::Nothing;
        app.rules.resting &= !tells;
    }

    /// What is to be printed of the pane that has the keys.
    fn seen(&self, then: Then) -> Vec<String> {
        match then {
            Then::Pane => pane_lines(&self.app, self.app.focus.pane),
            Then::Highlight => highlight_lines(&self.app, self.app.focus.pane),
            Then::Nothing => vec![],
        }
    }

    /// Runs what was warned of; that it was not run the first time is no refusal.
    fn once_more(&mut self, warned: &Warned) {
        self.refused = self.refused.saturating_sub(1);
        let mut entry = Entry::new(warned.kind, &warned.text);
        entry.warned = Some(warned.text.clone());
        self.app.popups.push(Popup::Entry(Box::new(entry)));
        run(&mut self.app, Command::EntryAccept);
    }

    /// A line that answers nothing.
    fn ordinary(&mut self, line: &str) {
        // Before a command of the screen stands a colon, which means nothing here.
        let line = line.strip_prefix(':').map_or(line, str::trim_start);
        let (word, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if line.is_empty() {
            return;
        }
        if let Ok(number) = line.parse::<usize>() {
            return self.highlight(number);
        }
        let Some(command) = Command::from_name(word) else {
            if let Some(reason) = self.unknown(line, word) {
                return self.refuse(reason);
            }
            // What is no command is a strategy, as in the list of the screen.
            return enter(&mut self.app, EntryKind::Strategy, line, "");
        };
        self.then = if panes::reached_by(command).is_some() || command == Command::Fold {
            Then::Pane
        } else if moves(command) {
            Then::Highlight
        } else {
            Then::Nothing
        };
        match command {
            _ if command.context() != Context::Screen => {
                self.refuse(format!("`{word}` means nothing here; `help` lists the commands."));
            }
            Command::Edit => {
                self.refuse("No editor is opened here; what it saves is taken over by `reload`.".to_owned());
            }
            _ if command.needs_a_screen() => {
                self.refuse(format!("`{word}` is for the screen; there is none here."));
            }
            _ if command.arguments().is_none() && !arguments.is_empty() => {
                self.refuse(format!("`{word}` takes nothing after its name; it was not run."));
            }
            _ => run_with(&mut self.app, command, arguments.trim()),
        }
    }

    /// What is said of a line whose first word nothing has for its name, with what may have been meant. Of such a word
    /// alone it is said as of a strategy, unless it is nearly a command.
    fn unknown(&self, line: &str, word: &str) -> Option<String> {
        let workspace = self.app.session.workspace();
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        // Words of the language are no names; what is a strategy as a whole says itself which name is not known.
        let alone = word == line;
        let is_strategy = |text: &str| workspace.parse_strategy(text).is_ok();
        if !word.chars().all(is_name)
            || script::is_known(workspace, word)
            || word.chars().all(|c| c != '-') && !is_strategy(word)
            || !alone && is_strategy(line)
        {
            return None;
        }
        let names = Command::ALL.iter().filter(|c| c.context() == Context::Screen).map(|c| c.name());
        let near = nearest(word, names);
        if alone && near.is_none() {
            return None;
        }
        let near = near.or_else(|| nearest(word, script::names(workspace)));
        let hint =
            near.map_or("`help` lists the commands.".to_owned(), |near| format!("Did you mean `{near}`?"));
        Some(format!("There is no command, strategy or rule `{word}`. {hint}"))
    }

    fn refuse(&mut self, reason: String) {
        self.app.say(Role::Warning, reason);
    }

    /// Highlights a line of the pane by its number.
    fn highlight(&mut self, number: usize) {
        let pane = self.app.focus.pane;
        let (content, window) = self.app.pane_mut(pane);
        if !content.list || number == 0 || number > content.lines.len() {
            let count = if content.list { content.lines.len() } else { 0 };
            return self.refuse(match count {
                0 => "There is no list here to pick from; `rules` and `history` show some.".to_owned(),
                n => format!("The list has the lines 1 to {n}."),
            });
        }
        window.cursor = number - 1;
        self.app.moved(pane);
        self.then = Then::Highlight;
    }

    /// What there is to print since the last call.
    pub fn output(&mut self) -> String {
        let mut out: Vec<String> = Vec::new();
        let new = self.app.told.saturating_sub(self.told).min(self.app.messages.len());
        let messages: Vec<String> = self.app.messages.iter().map(|m| m.text.clone()).collect();
        out.extend_from_slice(&messages[messages.len() - new..]);
        self.told = self.app.told;
        let copied = self.app.requests.copy.take();
        if let Some(notice) = self.app.notice.take().filter(|_| copied.is_none()) {
            let text = notice.text();
            // A warning that is kept with the messages tells of what was done; others say that nothing was.
            let told = new > 0 && messages.last() == Some(&text);
            let refuses = |role| role == Role::Error || role == Role::Warning && !told;
            self.refused += usize::from(notice.spans.iter().any(|s| refuses(s.role)));
            if messages.last() != Some(&text) || new == 0 {
                out.push(text);
            }
        }
        out.extend(self.not_found());
        // A page that opened with it shows it.
        out.extend(copied.filter(|_| !matches!(self.app.popups.last(), Some(Popup::Page(_)))));
        let then = std::mem::replace(&mut self.then, Then::Nothing);
        out.extend(self.seen(then));
        if let Some((pane, then)) = self.back.take() {
            self.app.focus.pane = pane;
            self.app.settle();
            out.extend(self.seen(then));
        }
        let popup = self.popup();
        if popup != self.shown {
            // What was said of a line as a message stands above what is wrong with it.
            let said = popup.first().is_some_and(|first| out.last() == Some(first));
            out.extend_from_slice(&popup[usize::from(said)..]);
            self.shown = popup;
        }
        let status = self.app.status().text().split_whitespace().collect::<Vec<_>>().join(" ");
        if status != self.status && !self.is_busy() {
            out.push(format!("[{status}]"));
            self.status = status;
        }
        let text = out.iter().map(|line| format!("{}\n", line.trim_end())).collect();
        // Whatever it comes from: a message, a file, a pane.
        self.app.setup.terminal.alphabet.printed(text)
    }

    /// Why a search failed since the last call, and what to do, which the screen shows in a pane; the message is told already.
    fn not_found(&mut self) -> Vec<String> {
        let end = self.app.found.end.iter().flatten();
        let (message, rest): (Vec<&Line>, _) =
            end.partition(|line| line.spans.iter().any(|s| s.role == Role::Error));
        let told: Vec<String> = match message.is_empty() {
            true => vec![],
            false => rest.into_iter().map(Line::text).collect(),
        };
        if told == self.not_found {
            return vec![];
        }
        self.not_found.clone_from(&told);
        told
    }

    /// What lies over the panes. A text that was refused is not asked for again.
    fn popup(&mut self) -> Vec<String> {
        let texts = |lines: &[Line]| lines.iter().map(Line::text).collect::<Vec<_>>();
        let (lines, close) = match self.app.popups.last() {
            None => return Vec::new(),
            Some(Popup::Page(page)) => (page_lines(page), false),
            Some(Popup::Question(question)) => (texts(&question.lines), false),
            Some(Popup::Choice(choice)) => {
                let numbered = choice.lines(usize::MAX).into_iter().enumerate();
                let numbered = numbered.map(|(i, line)| format!("{:>3}  {}", i + 1, line.text()));
                let mut lines =
                    vec![format!("== {} (a number or a name picks, an empty line goes back)", choice.title)];
                lines.extend(numbered);
                (lines, choice.typed.is_some() || choice.title.starts_with("Help"))
            }
            Some(Popup::Entry(entry)) => {
                let problems = texts(&entry.problems);
                let refused = !problems.is_empty();
                let lines = if refused { problems } else { asked(&self.app, entry) };
                self.refused += usize::from(refused);
                (lines, refused)
            }
        };
        if close {
            self.app.popups.pop();
        }
        lines
    }
}

/// What an entry asks for.
fn asked(app: &App, entry: &Entry) -> Vec<String> {
    let (begun, title) = (entry.text(), entry.kind.title());
    if entry.kind == EntryKind::Rule && !begun.is_empty() {
        // It is an example itself, and one of another rule is none.
        return vec![format!("{title}, now {begun}?")];
    }
    let example = entry.kind.example(app.session.workspace());
    vec![match entry.kind {
        _ if begun.is_empty() => format!("{title}? For example: {example}"),
        // What there is now stays with an empty line, and what is only proposed is taken with it.
        _ if is_proposal(entry) => {
            format!("{title}, proposed {begun} (an empty line takes that)? For example: {example}")
        }
        EntryKind::Sizes => format!("{title}, now {begun}? For example: {example}"),
        _ => format!("{title}, as in {begun}? For example: {example}"),
    }]
}

/// Whether what is asked for is needed to go on, with an answer that does.
fn is_proposal(entry: &Entry) -> bool {
    entry.then.is_some() && !entry.text().trim().is_empty()
}

fn page_lines(page: &Page) -> Vec<String> {
    let mut lines = vec![format!("== {}", page.title)];
    lines.extend(page.lines.iter().map(Line::text));
    lines
}

/// Whether a command does something with the rule that is highlighted, or says whether it could.
fn asks_about_rules(command: Command) -> bool {
    use Command as C;
    matches!(command, C::Open | C::Preview | C::Everywhere | C::Why | C::AllRules | C::Copy | C::Help)
}

/// Whether a command moves a highlight.
fn moves(command: Command) -> bool {
    use Command as C;
    matches!(
        command,
        C::Grow
            | C::Shrink
            | C::Up
            | C::Down
            | C::Left
            | C::Right
            | C::Top
            | C::Bottom
            | C::HalfUp
            | C::HalfDown
            | C::PageUp
            | C::PageDown
            | C::Find
            | C::FindNext
            | C::FindPrevious
            | C::Select
    )
}

/// All that a pane shows: lists with numbers, the highlighted line with `>`, lines of the selection with `*`.
pub fn pane_lines(app: &App, pane: Pane) -> Vec<String> {
    let content = app.content(pane);
    let mut out = vec![format!("== {}", panes::of(pane).title)];
    out.extend(content.head.iter().map(Line::text));
    let cursor = app.window(pane).cursor;
    for (i, line) in content.lines.iter().enumerate() {
        let marked = line.spans.iter().any(|span| span.mark != Mark::None);
        let sign = match (content.list && i == cursor, marked) {
            (true, _) => '>',
            (false, true) => '*',
            (false, false) => ' ',
        };
        out.push(match content.list {
            true => format!("{sign}{:>3}  {}", i + 1, line.text()),
            false => format!("{sign} {}", line.text()),
        });
    }
    if pane == Pane::Term && !app.selection.is_root() {
        out.push("selected:".to_owned());
        out.extend(app.printed.text(&app.selection).lines().map(|line| format!("* {line}")));
    }
    out.extend((!content.foot.is_empty()).then(|| "--".to_owned()));
    out.extend(content.foot.iter().map(Line::text));
    out
}

/// The highlighted line of a pane and what is said of it; in the term, the selected part.
fn highlight_lines(app: &App, pane: Pane) -> Vec<String> {
    let content = app.content(pane);
    let mut out = Vec::new();
    if pane == Pane::Term {
        out.extend(content.head.iter().map(Line::text));
        out.extend(app.printed.text(&app.selection).lines().map(|line| format!("* {line}")));
        return out;
    }
    let cursor = app.window(pane).cursor;
    out.extend(content.lines.bare().get(cursor).map(|line| format!(">{:>3}  {}", cursor + 1, line.text())));
    out.extend(content.foot.iter().map(Line::text));
    out
}

/// Selects a sub-term by its position.
pub fn select(app: &mut App, position: &str) {
    let path = Path::parse(position);
    match path.filter(|path| app.session.term().at(path).is_some()) {
        Some(path) => app.select(path),
        None => {
            // What is told as an example is there.
            let positions = app.session.term().positions();
            let deep = positions.iter().map(|(path, _)| path).find(|path| path.steps().len() >= 2);
            let such =
                deep.or(positions.last().map(|(path, _)| path)).map_or(".".to_owned(), Path::to_string);
            let problem = match position {
                "" => "Which position of the term is to be selected has to be said".to_owned(),
                position => format!("The term has no position `{position}`"),
            };
            let text = format!(
                "{problem}. It has {such}, for one: of each part on the way the number of the next, from 0."
            );
            app.say(Role::Error, text);
        }
    }
}
