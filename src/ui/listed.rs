//! The rows of the list of rules. They are kept while what they are made of is the same: there may be thousands, and most keys
//! move the highlight alone.

use super::app::App;
use super::candidates::Candidate;
use super::layout::Pane;
use super::panes::rules::shown;
use crate::lang::columns;
use crate::lang::path::Path;
use crate::lang::term::Expr;
use crate::session::action::RevisionId;
use crate::view::{Alphabet, Line, Lines, Role, crumbs, rules};
use std::collections::{BTreeSet, HashMap};

/// The rows, and what is said above them.
#[derive(Debug, Default)]
pub struct Rows {
    /// Those that are shown.
    pub now: Made,
    /// Those that were shown before: who goes from pane to pane sees them in two widths.
    before: Made,
    names: Names,
    /// What the names are of.
    named: Option<(RevisionId, Path, Alphabet)>,
}

/// Rows as they were made for a width.
#[derive(Debug, Default)]
pub struct Made {
    pub head: Vec<Line>,
    pub lines: Lines,
    of: Option<MadeOf>,
}

/// What decides how rows look.
#[derive(PartialEq, Debug)]
struct MadeOf {
    /// How often the candidates had changed.
    changes: u64,
    asked: Option<(RevisionId, Path)>,
    /// Whether more are looked for.
    looking: bool,
    all: bool,
    find: String,
    width: usize,
    alphabet: Alphabet,
}

/// What stands at the places of rules, in a word each.
#[derive(Debug, Default)]
struct Names(HashMap<Path, String>);

/// The rows above the list.
pub const HEAD: usize = 1;

/// Makes the rows anew for a width, if they are to be others.
pub fn refresh(app: &mut App, width: usize) {
    if !app.knows_rules() {
        return;
    }
    let rules = &app.rules;
    let made_of = MadeOf {
        changes: rules.changes,
        asked: rules.asked.clone(),
        looking: rules.rest.is_some(),
        all: rules.all,
        find: app.window(Pane::Rules).find.clone(),
        width,
        alphabet: alphabet(app),
    };
    let is_it = |made: &Made| made.of.as_ref() == Some(&made_of);
    if is_it(&rules.rows.now) {
        return;
    }
    if is_it(&rules.rows.before) {
        let Rows { now, before, .. } = &mut app.rules.rows;
        return std::mem::swap(now, before);
    }
    let of = made_of.asked.clone().map(|(revision, at)| (revision, at, made_of.alphabet));
    let before = std::mem::take(&mut app.rules.rows);
    let mut names = if before.named == of { before.names } else { Names::default() };
    let shown = shown(app);
    for c in &shown {
        if !names.0.contains_key(&c.at) {
            names.0.insert(c.at.clone(), place(app, &c.at));
        }
    }
    let (head, lines) = (head(app, &shown, width), lines(app, &shown, &names, width).into());
    // Of other rules none are kept.
    let is_of_these = |made: &Made| made.of.as_ref().is_some_and(|of| of.changes == made_of.changes);
    let before = if is_of_these(&before.now) { before.now } else { Made::default() };
    app.rules.rows = Rows { now: Made { head, lines, of: Some(made_of) }, before, names, named: of };
}

fn alphabet(app: &App) -> Alphabet {
    app.setup.terminal.alphabet
}

fn lines(app: &App, shown: &[&Candidate], names: &Names, width: usize) -> Vec<Line> {
    let places = places(app, shown, names, (width / 3).max(PLACE));
    let widest = columns::widest(&places, width);
    let mut lines = Vec::new();
    for (i, (c, place)) in shown.iter().zip(&places).enumerate() {
        // A place is named once.
        let again = i > 0 && shown[i - 1].at == c.at;
        let text = if again { "" } else { place.as_str() };
        lines.push(rules::line(
            &format!("{} ", columns::left(text, widest)),
            &c.call,
            &c.marks.to_string(),
            c.told(alphabet(app)).each_ref().map(String::as_str),
            &c.doc,
            &c.result,
            width,
            alphabet(app),
        ));
    }
    lines
}

/// The most columns of a place.
const PLACE: usize = 10;

/// Where each of the rules applies. Places of the same name at which a rule reads alike are told apart by the function that
/// they are in, or a pattern around them, and where that is the same, by numbers in the order of the program.
fn places(app: &App, shown: &[&Candidate], names: &Names, room: usize) -> Vec<String> {
    let mut names: Vec<String> = shown.iter().map(|c| names.0[&c.at].clone()).collect();
    let mut at_row: HashMap<(&str, &str), BTreeSet<&Path>> = HashMap::new();
    for (c, name) in shown.iter().zip(&names) {
        at_row.entry((name, &c.call)).or_default().insert(&c.at);
    }
    // A place has one name in all its rows, so that places that one rule does not tell apart are told apart for all.
    let mut alike: Vec<(String, BTreeSet<&Path>)> = vec![];
    for ((name, _), at) in at_row.into_iter().filter(|(_, at)| at.len() > 1) {
        let meet = |(n, others): &mut (String, BTreeSet<&Path>)| n == name && !others.is_disjoint(&at);
        let met: Vec<_> = alike.extract_if(.., meet).flat_map(|(_, others)| others).collect();
        alike.push((name.to_owned(), at.into_iter().chain(met).collect()));
    }
    let apart: HashMap<&Path, String> =
        alike.into_iter().flat_map(|(name, at)| told_apart(app, &name, &at, room)).collect();
    for (c, name) in shown.iter().zip(&mut names) {
        if let Some(longer) = apart.get(&c.at) {
            name.clone_from(longer);
        }
    }
    names
}

/// So many patterns around a place are looked at for one that tells it from others: what is further away says little of it.
const AROUND: usize = 4;

/// Names for places that have the same one.
fn told_apart<'a>(app: &App, name: &str, at: &BTreeSet<&'a Path>, room: usize) -> Vec<(&'a Path, String)> {
    let term = app.session.term();
    let around: Vec<Vec<String>> = at.iter().map(|path| crumbs::nearest(term, path, 1 + AROUND)).collect();
    // A map without its array, as it stands in a composition, is a place of its own.
    let is_applied = |path: &Path| {
        let above = path.parent().and_then(|above| term.at(&above));
        path.steps().last() == Some(&0) && above.is_some_and(|above| matches!(above.expr(), Expr::App(..)))
    };
    let own = |path: &Path| if is_applied(path) { format!("{name} alone") } else { name.to_owned() };
    let own: Vec<String> = at.iter().copied().map(own).collect();
    let within =
        |own: &String, what: Option<String>| what.map_or(own.clone(), |what| format!("{own} in {what}"));
    let lambda = alphabet(app).pick("λ", "\\");
    let of_function =
        |path: &Path| crumbs::parameter(term, path).map(|parameter| format!("{lambda}{parameter}"));
    let by_function = at.iter().zip(&own).map(|(path, own)| within(own, of_function(path))).collect();
    let by_pattern = (1..=AROUND).map(|distance| {
        let outer = |crumbs: &Vec<String>| crumbs.get(crumbs.len().checked_sub(1 + distance)?).cloned();
        around.iter().zip(&own).map(|(crumbs, own)| within(own, outer(crumbs))).collect::<Vec<String>>()
    });
    let numbered = (1..=at.len()).map(|i| format!("{name} {i}/{}", at.len())).collect();
    let tells = |names: &Vec<String>| {
        names.iter().collect::<BTreeSet<_>>().len() == at.len()
            && names.iter().all(|name| name.chars().count() <= room)
    };
    let names = [own.clone(), by_function].into_iter().chain(by_pattern).find(tells).unwrap_or(numbered);
    at.iter().copied().zip(names).collect()
}

/// Where a rule applies, for the eye: the pattern that is there. The term marks it.
fn place(app: &App, at: &Path) -> String {
    if *at == app.selection {
        return "here".to_owned();
    }
    let name = crumbs::nearest(app.session.term(), at, 1).pop().unwrap_or_else(|| at.to_string());
    Line::plain(name).fit(PLACE, alphabet(app)).text()
}

/// How much there is.
fn head(app: &App, shown: &[&Candidate], width: usize) -> Vec<Line> {
    let find = &app.window(Pane::Rules).find;
    let apply = shown.iter().filter(|c| c.result.is_ok()).count();
    let applying: Vec<&Candidate> = app.rules.candidates.iter().filter(|c| c.result.is_ok()).collect();
    let mut places: Vec<&Path> = applying.iter().map(|c| &c.at).collect();
    places.sort();
    places.dedup();
    let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let (rewrites, places) = (count(applying.len(), "rewrite"), count(places.len(), "place"));
    let others = shown.len() - apply;
    let mut text = match others {
        // In few columns all of it is to be seen.
        others if others > 0 && find.is_empty() => {
            let apply = if applying.len() == 1 { "applies" } else { "apply" };
            format!("{} {apply} in {places}, {others} do not here", applying.len())
        }
        _ => format!("{rewrites} in {places}"),
    };
    if !find.is_empty() {
        text = format!("with `{find}`: {apply} of {text}");
    }
    // In few columns fewer words say so, or none.
    let more: &[&str] = match () {
        () if app.rules.rest.is_some() => &[", still looking …", ", looking …", " …"],
        () if applying.len() > 1 && (others == 0 || !find.is_empty()) => &[", best first"],
        () => &[],
    };
    let left = width.saturating_sub(Line::plain(text.clone()).width());
    text += more.iter().find(|more| more.chars().count() <= left).copied().unwrap_or_default();
    if !find.is_empty() && others > 0 {
        text += &format!(", {others} that do not apply here");
    }
    vec![Line::of(Role::Hint, text).fit(width, alphabet(app))]
}
