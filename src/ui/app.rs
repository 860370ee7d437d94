//! The state of the screen: the session, and what the user looks at.
//!
//! [`App`] owns the session and changes it through actions alone. Everything else here is about looking: focus,
//! selection, scroll positions, popups. What is slow to look at (which rules apply, what the code is) comes from
//! [`super::queries`] in the background; what is shown meanwhile says that it is on its way.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use super::at_sizes::AtSizes;
use super::candidates::{Candidate, LeftLoops};
use super::capabilities::Capabilities;
use super::command::Command;
use super::disk::{Definitions, Gone, Watch};
use super::draw;
use super::keys::{Keymap, Sequence};
use super::layout::{Edge, Focus, Layout, Pane, WIDEST, Wishes, layout};
use super::listed::{self, Rows};
use super::mending::Mending;
use super::panes;
use super::popup::{Page, Popup, Recall};
use super::preview::Preview;
use super::program;
use super::queries::{Queries, Query};
use super::results;
use super::splits::Splits;
use super::theme::Theme;
use super::window::{Content, Window};
use crate::device::roofline::Peak;
use crate::lang::diag::Diagnostic;
use crate::lang::path::Path;
use crate::lang::work::{self, Work};
use crate::lower::Nest;
use crate::session::action::{RevisionId, Sizes, Target};
use crate::session::bench::target_of;
use crate::session::best::Standing;
use crate::session::files::Text;
use crate::session::history::RevisionStep;
use crate::session::state::{Progress, Session, follow};
use crate::session::sweep::Swept;
use crate::session::workspace::Problems;
use crate::view::surface::on_the_screen;
use crate::view::term::Printed;
use crate::view::{Line, Role, jobs, problem, search, status};

/// What is fixed while the screen is up.
pub struct Setup {
    /// What the terminal can show.
    pub terminal: Capabilities,
    /// The styles.
    pub theme: Theme,
    /// The keys.
    pub keys: Keymap,
    /// The editor of the environment.
    pub editor: Option<String>,
    /// The folder with the user's themes.
    pub folder: Option<PathBuf>,
    /// Whether the mouse is taken.
    pub mouse: bool,
    /// Where the borders between panes were.
    pub splits: Splits,
    /// What the program runs on unless other files are typed, as `NAME=FILE`s.
    pub inputs: String,
}

/// What the loop around the screen has to do for it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Requests {
    /// Leave.
    pub quit: bool,
    /// Go to the shell.
    pub suspend: bool,
    /// Draw everything again.
    pub repaint: bool,
    /// Open a file in the editor.
    pub edit: Option<PathBuf>,
    /// Take the mouse, or leave it to the terminal.
    pub mouse: Option<bool>,
    /// Put a text on the clipboard.
    pub copy: Option<String>,
    /// Go on with another session.
    pub go_on: Option<PathBuf>,
}

/// What has changed on the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changed {
    /// The program, which means to start again.
    Program,
    /// Rules or strategies, which can be used at once.
    Definitions,
}

/// A strategy that is taken step by step.
#[derive(Clone, Debug)]
pub struct Stepping {
    /// Its text.
    pub text: String,
    /// Where it runs.
    pub at: Path,
    /// All of its steps from where it was started.
    pub steps: Vec<RevisionStep>,
    /// Why it gets no further than these steps, where it does not get to its end.
    pub stuck: Option<Diagnostic>,
    /// The revisions before the first step and after each step that was ever taken.
    pub revisions: Vec<RevisionId>,
    /// The rules and strategies that the steps follow from.
    pub definitions: Vec<Text>,
}

impl Stepping {
    /// How many steps lead from its start to a revision, if that is one of its own.
    pub fn taken(&self, revision: RevisionId) -> Option<usize> {
        self.revisions.iter().position(|r| *r == revision)
    }
}

/// The steps that led to a revision, looked at one by one.
#[derive(Clone, Debug)]
pub struct Trail {
    /// The revision.
    pub revision: RevisionId,
    /// Which step is shown.
    pub at: usize,
}

/// What is known of the rules at the selection and inside of it.
#[derive(Debug, Default)]
pub struct Rules {
    /// Whether those are shown too that do not apply.
    pub all: bool,
    /// In the order in which they are listed.
    pub candidates: Vec<Candidate>,
    /// How often these have changed.
    pub changes: u64,
    /// Which of them are listed.
    pub order: RefCell<panes::rules::Order>,
    /// The rows that list them.
    pub rows: Rows,
    /// The revision and the position that the candidates are for.
    pub asked: Option<(RevisionId, Path)>,
    /// The loops of the state before the present one, where they are others.
    pub left: Option<LeftLoops>,
    /// From which part of the selection on they are still to be looked for, if they are.
    pub rest: Option<usize>,
    /// Whether it is left alone until somebody asks for them all. The screen always does.
    pub resting: bool,
}

/// Which code is shown.
pub struct Code {
    /// In which language.
    pub target: Target,
    /// At which stage; the kernel's own code unless chosen.
    pub stage: Option<String>,
    /// Its lines.
    pub listing: panes::kernel::Listing,
}

/// Two states of which one was faster where both were measured in turns.
#[derive(Clone, PartialEq, Debug)]
pub struct ToldApart {
    pub faster: RevisionId,
    pub slower: RevisionId,
    pub device: String,
    pub sizes: Sizes,
}

/// A message of some time ago.
#[derive(Clone, Debug)]
pub struct Message {
    /// What kind of message.
    pub role: Role,
    /// What happened.
    pub text: String,
}

/// The rows above a term: its type, and what its pattern does or what the whole program costs.
const HEAD: usize = 3;

/// The fewest columns and the most that a term may be broken for, and the rows that there are.
type TermRoom = (usize, usize, usize);

/// The most messages that are kept.
const MESSAGES: usize = 200;

/// What a pane shows now, and which part of it.
struct State {
    content: Content,
    window: Window,
    /// Whether what it shows has changed.
    stale: bool,
    /// The rows and columns that the content was made for.
    made_for: Option<(usize, usize)>,
}

impl Default for State {
    fn default() -> State {
        State { content: Content::default(), window: Window::default(), stale: true, made_for: None }
    }
}

/// The state of the screen.
pub struct App {
    /// The session.
    pub session: Session,
    /// What is fixed.
    pub setup: Setup,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether the mouse is taken.
    pub mouse: bool,
    /// The border that the mouse drags.
    pub dragged: Option<Edge>,
    /// Which pane has the keys.
    pub focus: Focus,
    /// Whether there is a screen: `line` prints what one would show.
    pub has_a_screen: bool,
    /// The pane that was said to have changed first since somebody asked last, which is the one that a command is about.
    pub changed_first: Option<Pane>,
    /// What lies over the panes.
    pub popups: Vec<Popup>,
    /// Pages that wait until none is.
    pub results: VecDeque<Page>,
    /// What came of work in the background, to be shown again; the newest first.
    pub kept: VecDeque<Page>,
    /// The beginning of a sequence of keys.
    pub pending: Sequence,
    /// What has just happened, until the next key.
    pub notice: Option<Line>,
    /// What was typed before.
    pub recall: Recall,
    /// The selected sub-term of the present term.
    pub selection: Path,
    /// The present term, printed.
    pub printed: Printed,
    /// In so many columns.
    printed_in: usize,
    /// The loops of the present term.
    pub nest: AtSizes<Nest>,
    /// What the present term asks of sizes that these sizes do not meet.
    pub broken: AtSizes<Option<String>>,
    /// How many operations the present term takes at these sizes.
    pub computes: AtSizes<Option<f64>>,
    /// What the program has to do at these sizes.
    pub work: AtSizes<Work>,
    /// The rules at the selection.
    pub rules: Rules,
    /// The code of the present term.
    pub code: Code,
    /// The device to measure on.
    pub device: String,
    /// The state to compare with.
    pub pinned: Option<RevisionId>,
    /// The rows of the history.
    pub past: panes::history::Rows,
    /// Whether strategies run on the whole program, not at the selection.
    pub whole: bool,
    /// The strategy that is taken step by step.
    pub stepping: Option<Stepping>,
    /// The search whose rewrites are shown when it has found something.
    pub walk: Option<String>,
    /// The steps that are looked at.
    pub trail: Option<Trail>,
    /// The states of two branches that are measured in turns, of which the faster one is gone to.
    pub choosing: Option<(RevisionId, RevisionId)>,
    /// What measurements in turns told of two states.
    pub told_apart: Vec<ToldApart>,
    /// What is done again without one of its steps.
    pub redone: Option<panes::history::Redone>,
    /// The states whose code is compared on a page.
    pub diffing: Option<(RevisionId, RevisionId)>,
    /// Which difference a preview shows.
    pub preview: Preview,
    /// The problems that are looked at.
    pub mending: Option<Mending>,
    /// How often files had been read when they were looked at last.
    pub(super) reads: Option<u64>,
    /// The last search that was typed.
    pub search: Option<String>,
    /// The search of which the best programs were measured, as it was typed, until another one runs.
    pub measured_search: Option<String>,
    /// The last state of a search, running or not, and what came of it.
    pub found: search::Last,
    /// The sketch of what was pointed at.
    pub sketching: Option<panes::sketch::Sketching>,
    /// What devices allow, as it was measured.
    pub peaks: Vec<(String, Peak)>,
    /// Two states that were measured at several sizes.
    pub swept: Option<Box<Swept>>,
    /// The best programs of a search, measured or being measured.
    pub best: Option<Arc<Standing>>,
    /// What happened, newest last.
    pub messages: VecDeque<Message>,
    /// How many messages there have been.
    pub told: usize,
    /// Lines that something wrote past the screen.
    pub stray: usize,
    /// The program's file.
    pub file: Watch,
    /// Its rules and strategies.
    pub definitions: Definitions,
    /// Whether one of them has changed on the disk.
    pub changed: Option<Changed>,
    /// One of them that is there no more.
    pub gone: Vec<Gone>,
    /// What is wrong with what has changed there, in a line.
    pub wrong: Option<String>,
    /// Work in the background that only looks.
    pub queries: Queries,
    /// What the loop has to do.
    pub requests: Requests,
    /// The revision that `selection` is in.
    revision: RevisionId,
    /// What `printed` was made for.
    printed_for: Option<(RevisionId, TermRoom)>,
    panes: [State; Pane::ALL.len()],
    wishes: Wishes,
}

impl App {
    /// The screen of a session.
    pub fn new(mut session: Session, setup: Setup, queries: Queries, size: (u16, u16)) -> App {
        session.keep_graphs();
        let revision = session.current();
        let target = Target::natural(session.term());
        let mut app = App {
            session,
            mouse: setup.mouse,
            dragged: None,
            focus: Focus::with(setup.splits),
            setup,
            size,
            has_a_screen: true,
            changed_first: None,
            popups: Vec::new(),
            results: VecDeque::new(),
            kept: VecDeque::new(),
            pending: Sequence::new(),
            notice: None,
            recall: Recall::default(),
            selection: Path::root(),
            printed: Printed::default(),
            printed_in: 0,
            nest: AtSizes::default(),
            broken: AtSizes::default(),
            computes: AtSizes::default(),
            work: AtSizes::default(),
            rules: Rules::default(),
            code: Code { target, stage: None, listing: panes::kernel::Listing::default() },
            device: "cpu".to_owned(),
            pinned: None,
            past: panes::history::Rows::default(),
            whole: false,
            stepping: None,
            walk: None,
            trail: None,
            choosing: None,
            told_apart: Vec::new(),
            redone: None,
            diffing: None,
            preview: Preview::default(),
            mending: None,
            reads: None,
            search: None,
            measured_search: None,
            found: search::Last::default(),
            sketching: None,
            peaks: Vec::new(),
            swept: None,
            best: None,
            messages: VecDeque::new(),
            told: 0,
            stray: 0,
            file: Watch::default(),
            definitions: Definitions::default(),
            changed: None,
            gone: Vec::new(),
            wrong: None,
            queries,
            requests: Requests::default(),
            revision,
            printed_for: None,
            panes: Default::default(),
            wishes: Wishes::default(),
        };
        app.queries.ask(&app.session, Query::Devices);
        let workspace = app.session.workspace();
        if workspace.errors().next().is_some() {
            let problems = Problems { sources: workspace.sources.clone(), list: workspace.problems.clone() };
            program::mend(&mut app, problems, program::OTHERS_WORK);
        }
        app.settle();
        app
    }

    /// The terminal has this size now.
    pub fn resize(&mut self, size: (u16, u16)) {
        if size != self.size {
            self.size = size;
            self.touch_all();
        }
    }

    /// What a pane shows.
    pub fn content(&self, pane: Pane) -> &Content {
        &self.panes[pane as usize].content
    }

    /// Which part of a pane is seen.
    pub fn window(&self, pane: Pane) -> &Window {
        &self.panes[pane as usize].window
    }

    /// The pane with its window, to move in it.
    pub fn pane_mut(&mut self, pane: Pane) -> (&Content, &mut Window) {
        let state = &mut self.panes[pane as usize];
        (&state.content, &mut state.window)
    }

    /// Says that what some panes show has changed.
    pub fn touch(&mut self, panes: &[Pane]) {
        self.changed_first = self.changed_first.or(panes.first().copied());
        for pane in panes {
            self.panes[*pane as usize].stale = true;
        }
    }

    /// Says that what all panes show has changed.
    pub fn touch_all(&mut self) {
        self.panes.iter_mut().for_each(|state| state.stale = true);
    }

    /// Says something on the line of hints.
    pub fn say(&mut self, role: Role, text: impl Into<String>) {
        self.notice = Some(Line::of(role, on_the_screen(&text.into())));
    }

    /// Says something and keeps it with the messages.
    pub fn tell(&mut self, role: Role, text: impl Into<String>) {
        let text = on_the_screen(&text.into());
        self.say(role, text.clone());
        if self.messages.len() == MESSAGES {
            self.messages.pop_front();
        }
        self.told += 1;
        self.messages.push_back(Message { role, text });
        self.touch(&[Pane::Jobs]);
    }

    /// A problem as lines, with its place.
    pub fn problem(&self, diagnostic: &Diagnostic) -> Vec<Line> {
        problem::lines(diagnostic, &self.session.workspace().sources, self.setup.terminal.alphabet)
    }

    /// Brings everything that is shown up to date after a change. Called after every message.
    pub fn settle(&mut self) {
        results::open_next(self);
        self.follow_revision();
        panes::history::refresh(self);
        panes::kernel::refresh(self);
        panes::loops::refresh(self);
        self.look_at_sizes();
        self.give_keys_to_what_is_seen();
        let shown = self.shown_panes();
        self.print();
        self.ask(&shown);
        for pane in &shown {
            self.show(*pane);
        }
        // What panes show decides how they divide the rows, and some show as much as they have rows for.
        for pane in shown {
            if self.panes[pane as usize].made_for != draw::room(self, pane) {
                self.touch(&[pane]);
                self.show(pane);
            }
            let Some((height, _)) = draw::room(self, pane) else { continue };
            let State { content, window, .. } = &mut self.panes[pane as usize];
            let (rows, before) = (content.rows(height).body, window.cursor);
            window.settle(content, rows);
            if window.cursor != before {
                self.moved(pane);
            }
        }
    }

    /// Looks whether the sizes meet what the present term asks of them, and what it and the program compute.
    pub(super) fn look_at_sizes(&mut self) {
        let (term, sizes, workspace) = (self.session.term(), self.session.sizes(), self.session.workspace());
        let program = &workspace.program.term;
        self.broken.refresh(term, sizes, || workspace.broken(term, sizes));
        self.computes.refresh(term, sizes, || work::flops(term, sizes));
        self.work.refresh(program, sizes, || work::of(program, sizes));
    }

    /// The pane that is shown in the place of one that is not in sight.
    pub fn pane_over(&self, pane: Pane) -> Option<Pane> {
        let area = ratatui::layout::Rect::new(0, 0, self.size.0, self.size.1);
        let Layout::Panes { places, .. } = layout(area, self.focus, &self.wishes) else { return None };
        let hidden = places.iter().all(|place| place.pane != pane);
        places.iter().find(|place| hidden && place.tabs.contains(&pane)).map(|place| place.pane)
    }

    /// Where another pane was shown in the place of the one that has the keys, it gets them: no key acts on what is not seen.
    fn give_keys_to_what_is_seen(&mut self) {
        self.focus.pane = self.pane_over(self.focus.pane).unwrap_or(self.focus.pane);
    }

    /// Brings a pane on the screen up to date, and what it wishes for.
    fn show(&mut self, pane: Pane) {
        let room = draw::room(self, pane);
        let Some((_, width)) = room else { return };
        let at = pane as usize;
        if std::mem::take(&mut self.panes[at].stale) {
            if pane == Pane::Rules {
                listed::refresh(self, width);
            }
            let content = panes::content(self, pane, width);
            let wish = (panes::of(pane).wish)(&content);
            (self.wishes.rows[at], self.wishes.spare[at]) = (wish.rows, wish.spare);
            // In fewer columns than these nothing hangs on it.
            if self.size.0 >= WIDEST.0 {
                self.wishes.columns[at] = content.lines.widest();
            }
            let state = &mut self.panes[at];
            (state.content, state.made_for) = (content, room);
        }
    }

    /// How many rows each pane has something to show in.
    pub fn wishes(&self) -> &Wishes {
        &self.wishes
    }

    /// The highlight of a pane has moved: what hangs on it is shown anew.
    pub fn moved(&mut self, pane: Pane) {
        self.touch(panes::of(pane).follow);
    }

    /// Is the pane on the screen?
    pub fn shows(&self, pane: Pane) -> bool {
        self.shown_panes().contains(&pane)
    }

    /// The panes on the screen.
    fn shown_panes(&self) -> Vec<Pane> {
        let area = ratatui::layout::Rect::new(0, 0, self.size.0, self.size.1);
        match layout(area, self.focus, &self.wishes) {
            Layout::TooSmall => Vec::new(),
            Layout::Panes { places, .. } => places.iter().map(|place| place.pane).collect(),
        }
    }

    /// When the session is at another revision, the selection goes along.
    fn follow_revision(&mut self) {
        let now = self.session.current();
        if now != self.revision {
            self.selection = follow(self.session.history(), self.revision, now, &self.selection);
            self.revision = now;
            self.touch_all();
        }
    }

    /// Selects a sub-term.
    pub fn select(&mut self, path: Path) {
        if path != self.selection {
            self.selection = path;
            self.panes[Pane::Rules as usize].window.cursor = 0;
            self.touch(&[Pane::Term, Pane::Loops, Pane::Rules, Pane::Kernel]);
        }
    }

    /// Prints the term for the width of its pane: so narrow that code has the columns that it needs, where there are rows for that.
    fn print(&mut self) {
        // Where the term is not shown what was printed of it stays.
        let before = self.printed_for.filter(|(revision, _)| *revision == self.revision);
        let unseen = before.map_or((80, 80, 0), |(_, room)| room);
        let room = draw::room_of_term(self).unwrap_or(unseen);
        if self.printed_for != Some((self.revision, room)) {
            let (least, most, rows) = room;
            let fits = |printed: &Printed| printed.lines().len() + HEAD <= rows;
            // To print a large term takes long: it is not done again for the same columns, nor for fewer where more are too few.
            let known = before.is_some().then_some(self.printed_in);
            if known != Some(most) && (known != Some(least) || !fits(&self.printed)) {
                self.print_in(most);
            }
            if least < self.printed_in && fits(&self.printed) {
                let wide = std::mem::take(&mut self.printed);
                self.print_in(least);
                if !fits(&self.printed) {
                    (self.printed, self.printed_in) = (wide, most);
                }
            }
            self.printed_for = Some((self.revision, room));
            self.touch(&[Pane::Term]);
        }
    }

    fn print_in(&mut self, columns: usize) {
        self.printed = Printed::of(self.session.term(), columns, self.setup.terminal.alphabet);
        self.printed_in = columns;
    }

    /// Asks in the background for what the panes on the screen need.
    fn ask(&mut self, shown: &[Pane]) {
        // The rules are always needed: Enter applies the highlighted one from the term's pane too.
        if !self.knows_rules() {
            let query = Query::Rules { revision: self.revision, at: self.selection.clone() };
            self.queries.ask(&self.session, query);
        } else if let Some(from) = self.rules.rest.filter(|_| !self.rules.resting) {
            let query = Query::Inside { revision: self.revision, at: self.selection.clone(), from };
            self.queries.ask(&self.session, query);
        } else if let Some(query) = panes::rules::unpriced_rows(self) {
            self.queries.ask(&self.session, query);
        }
        let unpriced = match shown.contains(&Pane::History) {
            true => panes::history::unpriced(self),
            false => panes::rules::unpriced(self).filter(|_| shown.contains(&Pane::Rules)),
        };
        if let Some(query) = unpriced {
            self.queries.ask(&self.session, query);
        }
        // A page is over the panes, and rules and history share a place: one of them asks.
        let uncompared = || match shown.contains(&Pane::History) {
            true => panes::history::uncompared(self),
            false if shown.contains(&Pane::Rules) => panes::rules::uncompared(self),
            false => None,
        };
        if let Some(query) = panes::rules::unpreviewed(self).or_else(uncompared) {
            self.queries.ask(&self.session, query);
        }
        if shown.contains(&Pane::Sketch)
            && let Some(query) = panes::sketch::unmetered(self)
        {
            self.queries.ask(&self.session, query);
        }
        if shown.contains(&Pane::Loops)
            && let Some(query) = panes::loops::unknown_threads(self)
        {
            self.queries.ask(&self.session, query);
        }
        if shown.contains(&Pane::Kernel) {
            // What is shown, and what would be measured.
            let mut targets = vec![self.code.target, target_of(&self.device)];
            targets.dedup();
            for target in targets {
                let query = Query::Kernel { revision: self.revision, target };
                if self.queries.kernel(&query).is_none() {
                    self.queries.ask(&self.session, query);
                }
            }
        }
    }

    /// Whether the rules at the selection are known.
    pub fn knows_rules(&self) -> bool {
        let asked = self.rules.asked.as_ref();
        asked.is_some_and(|(id, at)| (*id, at) == (self.session.current(), &self.selection))
    }

    /// Whether no more rules are looked for than are known, inside of the selection either.
    pub fn knows_all_rules(&self) -> bool {
        self.knows_rules() && (self.rules.rest.is_none() || self.rules.resting)
    }

    /// The rules have changed: which of them apply is looked for anew.
    pub fn forget_rules(&mut self) {
        self.rules.asked = None;
        self.queries.forget_rules();
    }

    /// The rule that Enter would apply.
    pub fn candidate(&self) -> Option<&Candidate> {
        panes::rules::in_row(self, self.window(Pane::Rules).cursor)
    }

    /// The status line, whole.
    pub fn status(&self) -> Line {
        self.status_in(usize::MAX)
    }

    /// The status line in so many columns.
    pub fn status_in(&self, width: usize) -> Line {
        let history = self.session.history();
        let running = self.session.jobs();
        let workspace = self.session.workspace();
        let reload = self.setup.keys.key(Command::Reload);
        let sizes = self.session.sizes();
        let all = history.revision(self.revision).map(|r| &*r.measurements).unwrap_or_default();
        let at_these = || all.iter().rev().filter(|m| m.sizes == *sizes);
        let measured = at_these().find(|m| m.device == self.device).or_else(|| at_these().next());
        let measured = measured.or(all.last());
        status::line(
            &status::Status {
                program: &workspace.program.name,
                sizes,
                device: &self.device,
                revision: self.revision,
                revisions: history.len(),
                broken: self.broken.get().and_then(Option::as_deref),
                check: measured.map(|m| status::Check {
                    error: m.max_error,
                    sizes: &m.sizes,
                    device: &m.device,
                }),
                save: &self.session.save_state(),
                missing: &self.session.missing_sizes(),
                job: running.first().map(jobs::brief),
                more: running.len().saturating_sub(1),
                stray: self.stray,
                changed: self.changed.is_some(),
                reload: reload.as_deref().filter(|_| self.popups.is_empty()),
                wrong: self.wrong.is_some(),
            },
            width,
            self.setup.terminal.alphabet,
        )
    }

    /// Whether something on the screen moves by itself, and how often it is worth looking.
    pub fn pace(&self) -> std::time::Duration {
        let jobs = self.session.jobs();
        let measuring = jobs.iter().any(|job| {
            matches!(
                job.progress,
                Progress::Bench(_) | Progress::Tune(_) | Progress::Best(_) | Progress::Sweep { .. }
            )
        });
        std::time::Duration::from_millis(if jobs.is_empty() || measuring { 1000 } else { 100 })
    }
}
