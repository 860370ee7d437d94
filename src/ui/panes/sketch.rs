//! A sketch of what was pointed at: the steps that widen it, and how much it then describes.

use super::{Description, Operation, alphabet, head_lines_and_about};
use crate::lang::columns;
use crate::lang::path::Path;
use crate::lang::print;
use crate::lang::syntax::ast::StrategyKind;
use crate::lang::syntax::print as syntax_print;
use crate::rewrite::guide::Writer;
use crate::rewrite::guide::nest::Nest;
use crate::rewrite::sketch::count::Counted;
use crate::rewrite::sketch::widen::{Widening, exactly, widenings};
use crate::rewrite::sketch::{Shape, Sketch};
use crate::session::action::RevisionId;
use crate::session::metering::{Asked, Meter, Metered, as_searched};
use crate::ui::app::App;
use crate::ui::command::{Command as C, Enabled, require};
use crate::ui::draw::{cut, how_to_see_all, room};
use crate::ui::facts::Facts;
use crate::ui::layout::Pane;
use crate::ui::queries::Query;
use crate::ui::update::go;
use crate::ui::window::Content;
use crate::view::{Alphabet, Line, Role, figures};

/// The pane.
pub const PANE: Description = Description {
    title: "Sketch",
    reached_by: C::SketchPane,
    content,
    wish: head_lines_and_about,
    follow: &[Pane::Sketch],
    open: Operation {
        word: Some("widen"),
        doc: "Take the highlighted step: the sketch asks for less.",
        enabled: widens,
        run: widen,
    },
    preview: Operation {
        word: Some("search with it"),
        doc: "Type the search for the sketch, to be changed into what is wanted.",
        enabled: pointed,
        run: type_search,
    },
    fold: None,
    copied: |app| app.sketching.as_ref().map(|s| text(app, &s.now())).unwrap_or_default(),
    hints: &[C::Open, C::Narrow, C::Preview, C::Best, C::Point],
};

fn pointed(facts: &Facts) -> Enabled {
    require(facts.pointed, "There is no sketch yet; {point} makes one of the selected sub-term.")
}

fn widens(facts: &Facts) -> Enabled {
    pointed(facts)?;
    require(facts.widens, "Nothing more can be left out of this sketch.")
}

/// A sketch that is being widened.
#[derive(Clone, Debug)]
pub struct Sketching {
    /// What was pointed at, in a few words.
    of: String,
    at: Path,
    /// The sketch from the beginning, after each step.
    steps: Vec<Sketch>,
    /// What can be asked less of the last of them.
    widenings: Vec<Widening>,
    /// How much that one describes, and each that a step leads to, of which revision.
    meter: Option<(RevisionId, Metered)>,
}

impl Sketching {
    fn new(of: String, at: Path, sketch: Sketch) -> Sketching {
        let widenings = widenings(&sketch);
        Sketching { of, at, steps: vec![sketch], widenings, meter: None }
    }

    /// Whether a step can be taken back.
    pub fn is_widened(&self) -> bool {
        self.steps.len() > 1
    }

    /// Whether a step can be taken.
    pub fn widens(&self) -> bool {
        !self.widenings.is_empty()
    }

    fn now(&self) -> Sketch {
        self.steps.last().cloned().unwrap_or_else(Sketch::any)
    }

    fn turn_to(&mut self, sketch: &Sketch) {
        self.widenings = widenings(sketch);
        self.meter = None;
    }

    /// All that is to be metered.
    fn sketches(&self) -> Vec<Sketch> {
        let each = self.widenings.iter().map(|w| w.sketch.clone());
        std::iter::once(self.now()).chain(each).collect()
    }
}

/// How much of what was pointed at is shown.
const SHOWN: usize = 60;

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    let Some(sketching) = &app.sketching else {
        let key = app.setup.keys.key(C::Point).unwrap_or_default();
        let text = format!(
            "There is no sketch. {key} makes one of the selected sub-term: it describes exactly such programs, and each step \
             here makes it describe more, until it is what a search is to reach."
        );
        return Content::says(Line::of(Role::Dim, text).wrap(width, 0));
    };
    let of = format!("of {}, at {}", sketching.of, in_words(&sketching.at));
    let mut head = vec![Line::of(Role::Dim, of).fit(width, alphabet(app))];
    let sketch = Line::of(Role::Title, text(app, &sketching.now())).wrap(width, 2);
    let mut below = meter(sketching).wrap(width, 2);
    let known = sketching.meter.as_ref().map(|(_, meter)| meter.each.as_slice()).unwrap_or_default();
    let columns = Columns::of(known, width);
    let row = |(i, widening): (usize, &Widening)| {
        let mut line = columns.row(known.get(i + 1));
        let room = width.saturating_sub(line.width());
        line.append(step(widening, room, alphabet(app)));
        line.fit(width, alphabet(app))
    };
    let lines: Vec<Line> = sketching.widenings.iter().enumerate().map(row).collect();
    if lines.is_empty() {
        let text = match sketching.is_widened() {
            true => "Nothing more can be left out: it describes everything.".to_owned(),
            false => app.setup.keys.fill(
                "It describes everything, so nothing can be left out: {term} and {grow} select more of the program, and {point} \
                 makes a sketch of that.",
            ),
        };
        below.extend(Line::of(Role::Hint, text).wrap(width, 2));
    } else {
        below.push(
            Line::of(Role::Dim, format!("{}  asking less of it:", columns.head())).fit(width, alphabet(app)),
        );
    }
    // How much it describes and some steps are seen, however long the sketch is.
    let height = room(app, Pane::Sketch).map_or(usize::MAX, |(rows, _)| rows);
    let others = head.len() + below.len() + lines.len().min(STEPS);
    let shown =
        cut(&sketch, height.saturating_sub(others).max(BEGINNING), &how_to_see_all(app, Pane::Sketch));
    let unseen = sketch.len() - shown.len();
    head.extend(shown.into_iter().map(|line| line.fit(width, alphabet(app))));
    head.extend(below);
    let cursor = app.window(Pane::Sketch).cursor;
    let after = sketching.widenings.get(cursor).map(|w| text(app, &w.sketch)).unwrap_or_default();
    let foot = if after.is_empty() { vec![] } else { Line::plain(after).wrap(width, 2) };
    Content { head, unseen, list: !lines.is_empty(), lines: lines.into(), foot, ..Content::default() }
}

/// So many steps have room below a sketch that is longer than the pane, unless of that hardly anything would be seen.
const STEPS: usize = 4;
const BEGINNING: usize = 2;

/// With less room figures take as few columns as they need.
const ROOMY: usize = 60;

/// The columns of figures before the steps: their names, and how wide they are.
struct Columns {
    terms: (&'static str, usize),
    /// There is none without a graph.
    classes: Option<(&'static str, usize)>,
}

impl Columns {
    fn of(known: &[Meter], width: usize) -> Columns {
        let (terms, classes) = if width < ROOMY { ("terms", "classes") } else { ("sub-terms", " classes") };
        let wide = |name: &'static str, figures: &mut dyn Iterator<Item = usize>| {
            (name, figures.map(|n| count(n).len()).chain([name.len()]).max().unwrap_or_default())
        };
        let graph = known.first().is_some_and(|m| m.classes.is_some());
        Columns {
            terms: wide(terms, &mut known.iter().map(|m| m.terms)),
            classes: graph.then(|| wide(classes, &mut known.iter().filter_map(|m| m.classes))),
        }
    }

    fn head(&self) -> String {
        let named = |(name, wide): (&str, usize)| columns::right(name, wide);
        let classes = self.classes.map_or(String::new(), |column| format!(" {}", named(column)));
        named(self.terms) + &classes
    }

    /// The figures of a step, or room for them while they are counted.
    fn row(&self, figures: Option<&Meter>) -> Line {
        let wide = self.terms.1;
        let terms = figures.map_or(String::new(), |m| count(m.terms));
        let mut line = Line::of(Role::Number, columns::right(&terms, wide));
        if let Some((_, wide)) = self.classes {
            let classes = figures.and_then(|m| m.classes).map_or(String::new(), count);
            line.push(Role::Number, format!(" {}", columns::right(&classes, wide)));
        }
        line.push(Role::Plain, "  ");
        line
    }
}

/// What a step asks less in so many columns: where all words have no room, fewer, `map m` for `map over m`; the part is cut before what is still
/// asked of it, since steps of one part differ in that.
fn step(widening: &Widening, room: usize, alphabet: Alphabet) -> Line {
    let whole = Line::plain(widening.what());
    if whole.width() <= room {
        return whole;
    }
    let (part, less) = widening.shortly();
    let brief = |text: &str| text.replacen(" over ", " ", 1);
    let fits = |part: &str, less: &str| Line::plain(format!("{part}: {less}")).width() <= room;
    let (part, less) = if fits(&part, &less) { (part, less) } else { (brief(&part), brief(&less)) };
    let less = Line::plain(format!(": {less}"));
    let part = Line::plain(part).fit_ends(room.saturating_sub(less.width()).max(room / 2), alphabet);
    let left = room.saturating_sub(part.width());
    let mut line = part;
    line.append(less.fit(left, alphabet));
    line
}

fn in_words(at: &Path) -> String {
    if at.is_root() { "the whole program".to_owned() } else { at.to_string() }
}

fn count(n: usize) -> String {
    figures::count(n as u64)
}

/// How much the sketch describes.
fn meter(sketching: &Sketching) -> Line {
    let metered = sketching.meter.as_ref().and_then(|(_, meter)| Some((meter, meter.each.first()?)));
    let Some((meter, now)) = metered else {
        return Line::of(Role::Dim, "How much it describes is being counted …");
    };
    let of = meter.of;
    let mut said = format!("{} of {} sub-terms of the program", count(now.terms), count(meter.sub_terms));
    if meter.normal {
        said += ", as searches see it, in normal form";
    }
    let graph = match of {
        Asked::Kept => "the kept graph".to_owned(),
        Asked::Grown(1) => "what one iteration of rules makes of it".to_owned(),
        Asked::Grown(n) => format!("what {n} iterations of rules make of it"),
        Asked::Nothing => String::new(),
    };
    match now.classes {
        Some(1) => said += &format!(", and one class of {graph}"),
        Some(n) => said += &format!(", and {} classes of {graph}", count(n)),
        None => said += "; no graph can be asked of it",
    }
    // Without a class there is no term, however large, so that none is left to count.
    let whole = |counted: Counted| Counted { whole: counted.whole || now.classes == Some(0), ..counted };
    said += &now.in_graph.map(whole).map_or(String::new(), in_the_graph);
    Line::plain("describes ").with(Role::Good, said)
}

/// How many terms of the graph a sketch describes, of those that there was time to count.
fn in_the_graph(Counted { terms, size, whole }: Counted) -> String {
    let number =
        if terms == 1.0 { "one term".to_owned() } else { format!("{} terms", figures::count_of(terms)) };
    match (whole, size) {
        (true, 0) => String::new(),
        (true, _) => format!(", with {number} of up to {size} nodes"),
        (false, 0) => ", whose terms were not counted in time".to_owned(),
        (false, _) if terms == 0.0 => {
            format!(", whose terms have more than {size} nodes and were not counted in time")
        }
        (false, _) => format!(", with {number} of up to {size} nodes; larger ones were not counted in time"),
    }
}

/// A sketch as it is typed, with abbreviations where they say the same.
fn text(app: &App, sketch: &Sketch) -> String {
    let workspace = app.session.workspace();
    Writer::new(&workspace.sketches, &workspace.program.sizes).write(&Nest::read(sketch)).0
}

/// Makes a sketch of the selected sub-term, and gives it the keys.
pub fn point(app: &mut App) {
    let term = app.session.term();
    let Some(part) = term.at(&app.selection) else { return };
    let names: Vec<_> = term.binders_at(&app.selection).into_iter().rev().map(|(name, _)| name).collect();
    let of = format!("`{}`", print::short(part, &names, SHOWN));
    let normal = as_searched(term, &app.selection).unwrap_or_else(|| part.clone());
    let sketch = exactly(&normal, &app.session.workspace().program.sizes);
    app.sketching = Some(Sketching::new(of, app.selection.clone(), sketch));
    app.pane_mut(Pane::Sketch).1.cursor = 0;
    go(app, Pane::Sketch);
}

/// Takes the highlighted step.
fn widen(app: &mut App) {
    let cursor = app.window(Pane::Sketch).cursor;
    let Some(sketching) = &mut app.sketching else { return };
    let Some(chosen) = sketching.widenings.get(cursor).cloned() else { return };
    sketching.turn_to(&chosen.sketch);
    sketching.steps.push(chosen.sketch);
    turned(app);
}

/// Takes the last step back.
pub fn narrow(app: &mut App) {
    let Some(sketching) = &mut app.sketching else { return };
    if sketching.is_widened() {
        sketching.steps.pop();
        let now = sketching.now();
        sketching.turn_to(&now);
    }
    turned(app);
}

fn turned(app: &mut App) {
    app.pane_mut(Pane::Sketch).1.cursor = 0;
    app.touch(&[Pane::Sketch]);
}

/// The search for the sketch, where its pane has the keys: with the rules of the last search, or with those that it chooses. There is
/// none for a sketch of everything.
pub fn search(app: &App, at: &Path) -> Option<String> {
    let sketching = app.sketching.as_ref().filter(|_| app.focus.pane == Pane::Sketch)?;
    let now = Some(sketching.now()).filter(|now| !matches!(now.shape(), Shape::Any))?;
    let everywhere = matches!(now.shape(), Shape::Any | Shape::Contains(_));
    let sketch = if *at == sketching.at || everywhere { now } else { Sketch::contains(now) };
    let workspace = app.session.workspace();
    let alone = format!("reach {}", text(app, &sketch));
    let with_rules = || {
        let last = workspace.parse_strategy(app.search.as_ref()?).ok()?;
        let mut made = workspace.parse_strategy(&alone).ok()?.tree;
        let (StrategyKind::Reach(last), StrategyKind::Reach(reach)) = (&last.tree.kind, &mut made.kind)
        else {
            return None;
        };
        (reach.rules, reach.options) = (last.rules.clone(), last.options.clone());
        Some(syntax_print::strategy(&made, &syntax_print::Options::default()))
    };
    Some(with_rules().unwrap_or(alone))
}

/// Types the search for the sketch, to be changed into what is wanted.
fn type_search(app: &mut App) {
    crate::ui::update::run(app, C::Sketch);
}

/// What is to be counted for the pane, if it is not known.
pub fn unmetered(app: &App) -> Option<Query> {
    let sketching = app.sketching.as_ref()?;
    let revision = app.session.current();
    let known = sketching.meter.as_ref().is_some_and(|(of, _)| *of == revision);
    (!known).then(|| Query::Meter { revision, sketches: sketching.sketches() })
}

/// It has been counted how much sketches describe.
pub fn metered(app: &mut App, revision: RevisionId, sketches: &[Sketch], meter: Metered) {
    if let Some(sketching) = app.sketching.as_mut().filter(|s| s.sketches() == sketches) {
        sketching.meter = Some((revision, meter));
        app.touch(&[Pane::Sketch]);
    }
}

/// What was counted may not hold any more.
pub fn forget_meter(app: &mut App) {
    if let Some(sketching) = &mut app.sketching {
        sketching.meter = None;
        app.touch(&[Pane::Sketch]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was not counted is not said to be none.
    #[test]
    fn terms_that_there_was_no_time_to_count_are_told_as_such() {
        let said = |terms, size, whole| in_the_graph(Counted { terms, size, whole });
        assert_eq!(said(1.0, 200, true), ", with one term of up to 200 nodes");
        assert_eq!(said(0.0, 0, true), "");
        assert_eq!(said(0.0, 0, false), ", whose terms were not counted in time");
        assert_eq!(
            said(0.0, 154, false),
            ", whose terms have more than 154 nodes and were not counted in time"
        );
        assert_eq!(
            said(12.0, 154, false),
            ", with 12 terms of up to 154 nodes; larger ones were not counted in time"
        );
    }
}
