//! The rules that apply: listed, previewed, explained, applied.

use super::{Description, Operation, alphabet, lines_and_about};
use crate::lang::diag;
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::session::action::{Action, RevisionId, Target};
use crate::session::costs::Costs;
use crate::ui::actions::{close_pages, perform};
use crate::ui::app::App;
use crate::ui::candidates::{Candidate, nearest, ordered, throughout};
use crate::ui::command::{Command, Command as C, Enabled, rule_chosen};
use crate::ui::compared::{self, Shape};
use crate::ui::draw::room;
use crate::ui::facts::Facts;
use crate::ui::layout::Pane;
use crate::ui::listed::{HEAD, Made};
use crate::ui::popup::{Choice, Entry, EntryKind, Item, Page, Popup, Purpose, Value};
use crate::ui::preview::Preview;
use crate::ui::queries::Query;
use crate::ui::strategies;
use crate::ui::window::{Content, most_below, occurrences};
use crate::view::dearer::Dearer;
use crate::view::{Line, Role, diff, figures, rules};
use std::collections::HashMap;
use std::rc::Rc;

/// The pane.
pub const PANE: Description = Description {
    title: "Rules",
    reached_by: C::Rules,
    content,
    wish: lines_and_about,
    // The term shows where the highlighted rule applies.
    follow: &[Pane::Rules, Pane::Term],
    open: OPEN,
    preview: PREVIEW,
    fold: None,
    copied: |app| app.candidate().map(|rule| rule.call.clone()).unwrap_or_default(),
    hints: &[C::Open, C::Preview, C::Everywhere, C::Why, C::AllRules, C::Find, C::Undo, C::Strategy],
};

/// Enter, wherever rules are applied.
pub(super) const OPEN: Operation = Operation {
    word: None,
    doc: "Apply the highlighted rule, after asking for its arguments where it takes some.",
    enabled: applies,
    run: open,
};

/// The preview, wherever rules are applied.
pub(super) const PREVIEW: Operation = Operation {
    word: None,
    doc: "Show what the highlighted rule would do as a difference.",
    enabled: applies,
    run: preview,
};

/// Whether the highlighted rule applies.
fn applies(facts: &Facts) -> Enabled {
    rule_chosen(facts)?;
    facts.rule.as_ref().map_or(Ok(()), |(_, applies)| applies.clone())
}

/// The rules at a position are known; those inside of it are looked for next.
pub fn known(app: &mut App, revision: RevisionId, at: Path, found: Vec<Candidate>) {
    app.rules.candidates = ordered(found, app.session.history(), app.rules.left);
    app.rules.changes += 1;
    app.rules.asked = Some((revision, at));
    app.rules.rest = Some(0);
    app.touch(&[Pane::Rules, Pane::Term]);
}

/// More is known of the rules inside of a position. The highlight stays on its rule.
pub fn known_inside(
    app: &mut App,
    revision: RevisionId,
    at: Path,
    found: Vec<Candidate>,
    next: Option<usize>,
) {
    if app.rules.asked.as_ref() != Some(&(revision, at)) {
        return;
    }
    app.rules.rest = next;
    order_anew(app, |all| all.extend(found));
}

/// Orders the rules after a change of what is known. The highlight stays on its rule.
fn order_anew(app: &mut App, change: impl FnOnce(&mut Vec<Candidate>)) {
    let cursor = app.window(Pane::Rules).cursor;
    let key = |c: &Candidate| (c.call.clone(), c.at.clone());
    let kept = app.candidate().map(key).filter(|_| cursor > 0);
    let mut all = std::mem::take(&mut app.rules.candidates);
    change(&mut all);
    app.rules.candidates = ordered(all, app.session.history(), app.rules.left);
    app.rules.changes += 1;
    if let Some(now) = kept.and_then(|kept| shown(app).into_iter().position(|c| key(c) == kept)) {
        app.pane_mut(Pane::Rules).1.cursor = now;
    }
    app.touch(&[Pane::Rules, Pane::Term]);
}

/// So many rows of the list are priced, those that come into their places included.
const PRICED_ROWS: usize = 24;

/// So many rows show a difference with a line of both sides.
const BOTH_SIDES: usize = 2;

/// What has to be asked so that the first rows tell what is dearer after them: of a small program, once all its rules are known.
pub fn unpriced_rows(app: &App) -> Option<Query> {
    let (target, before) = (app.code.target, app.session.term());
    if app.rules.resting || app.rules.rest.is_some() || before.size() > PRICED.0 {
        return None;
    }
    let apply = app.rules.candidates.iter().filter(|c| c.result.is_ok());
    let unpriced = apply.take(PRICED_ROWS).filter(|c| c.price.is_none_or(|(of, _)| of != target));
    let terms: Vec<Term> = unpriced.filter_map(|c| c.after(before)).collect();
    (!terms.is_empty()).then(|| Query::Prices { before: before.clone(), terms, target })
}

/// What rows cost is known.
pub fn rows_priced(app: &mut App, before: &Term, terms: &[Term], target: Target, costs: &[Costs]) {
    if app.session.term() != before {
        return;
    }
    let dearer = |at: usize| match (costs.first(), costs.get(at + 1)) {
        (Some(before), Some(after)) => Dearer::of(before, after),
        _ => Dearer::default(),
    };
    let known: HashMap<Digest, Dearer> =
        terms.iter().enumerate().map(|(at, term)| (term.digest(), dearer(at))).collect();
    order_anew(app, |all| {
        for c in all {
            let dearer = c.result.as_ref().ok().and_then(|made| known.get(&made.digest));
            c.price = dearer.map(|dearer| (target, *dearer)).or(c.price);
        }
    });
}

/// Which of the candidates are listed, in order. It is asked for several times a frame, and there may be thousands: it is kept while
/// what decides it is the same.
#[derive(Default, Debug)]
pub struct Order {
    made_of: Option<(u64, bool, String)>,
    /// The numbers of the candidates.
    numbers: Rc<[usize]>,
}

/// The numbers of the candidates that are listed, in order. With a text to find, those that begin with it come first.
pub fn order(app: &App) -> Rc<[usize]> {
    if !app.knows_rules() {
        return Rc::default();
    }
    let find = &app.window(Pane::Rules).find;
    let made_of = Some((app.rules.changes, app.rules.all, find.clone()));
    let mut kept = app.rules.order.borrow_mut();
    if kept.made_of != made_of {
        *kept = Order { made_of, numbers: ordered_by(app, find).into() };
    }
    kept.numbers.clone()
}

fn ordered_by(app: &App, find: &str) -> Vec<usize> {
    let all = app.rules.candidates.iter().enumerate().filter(|(_, c)| app.rules.all || c.result.is_ok());
    let finds = |c: &Candidate| c.calls().any(|call| !occurrences(call, find).is_empty());
    let mut shown: Vec<(usize, &Candidate)> = all.filter(|(_, c)| find.is_empty() || finds(c)).collect();
    if !find.is_empty() {
        let begins = |c: &Candidate| c.call.to_lowercase().starts_with(find);
        shown.sort_by_key(|(_, c)| (c.result.is_err(), c.named(find).is_none(), !begins(c)));
    }
    shown.into_iter().map(|(number, _)| number).collect()
}

/// The rules that are listed, in order.
pub fn shown(app: &App) -> Vec<&Candidate> {
    order(app).iter().filter_map(|number| app.rules.candidates.get(*number)).collect()
}

/// The rule that is listed in a row.
pub fn in_row(app: &App, row: usize) -> Option<&Candidate> {
    order(app).get(row).and_then(|number| app.rules.candidates.get(*number))
}

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    if !app.knows_rules() {
        return Content::says(vec![Line::of(Role::Dim, "Looking which rules apply …")]);
    }
    let listed = order(app).len();
    let find = &app.window(Pane::Rules).find;
    let cursor = app.window(Pane::Rules).cursor.min(listed.saturating_sub(1));
    let foot = match in_row(app, cursor) {
        None if find.is_empty() && app.rules.rest.is_none() => {
            let key = |command| app.setup.keys.key(command).unwrap_or_default();
            let (grow, all, why) = (key(Command::Grow), key(Command::AllRules), key(Command::Why));
            let text = format!(
                "No rule rewrites this part or a part of it. {grow} selects more of the program, {all} lists the other \
                 rules and {why} says why one does not apply."
            );
            Line::of(Role::Dim, text).wrap(width, 0)
        }
        None => Vec::new(),
        Some(candidate) => match candidate.after(app.session.term()) {
            Some(after) => {
                let lines = compared::lines(app, &compared::by_rule(app, &after, Shape::below(width)));
                let rows = room(app, Pane::Rules).map_or(lines.len(), |(rows, _)| rows);
                // In the list a sign may stand for the marks.
                let marked = (!candidate.marks.is_empty()).then(|| Line::of(Role::Hint, candidate.marked()));
                let most = most_below(rows.saturating_sub(HEAD), listed);
                let most = most.saturating_sub(usize::from(marked.is_some()));
                // Both sides of the difference come first: the list says in short what it buys.
                let priced = priced(app, &after, width).filter(|_| most > BOTH_SIDES);
                let lines = diff::fitted(&lines, most.saturating_sub(usize::from(priced.is_some())));
                let told = marked.into_iter().chain(priced).map(|line| line.fit(width, alphabet(app)));
                told.chain(lines).collect()
            }
            None => {
                let mut lines = vec![Line::plain(candidate.doc.clone()), verdict(candidate)];
                lines.extend(stopped(app, candidate));
                lines.iter().flat_map(|line| line.wrap(width, 2)).collect()
            }
        },
    };
    let Made { head, lines, .. } = &app.rules.rows.now;
    Content { head: head.clone(), lines: lines.clone(), foot, list: true, ..Content::default() }
}

/// The states of which the costs are compared: the present one, and what the highlighted rule makes of it.
fn compared_costs(app: &App, after: &Term) -> [Query; 2] {
    let target = app.code.target;
    [app.session.term(), after].map(|term| Query::Costs { term: term.clone(), target })
}

/// What the highlighted rule changes of what the program costs, as far as it is known.
fn priced(app: &App, after: &Term, width: usize) -> Option<Line> {
    let [before, after] = compared_costs(app, after);
    figures::costs(app.queries.costs(&before)?, app.queries.costs(&after)?, width, alphabet(app))
}

/// The largest program, and the longest code, of which each highlighted rule is priced: more would hold up what one looks at.
const PRICED: (u32, usize) = (500, 1000);

/// The term after the highlighted rule.
fn after(app: &App) -> Option<Term> {
    app.candidate()?.after(app.session.term())
}

/// What has to be asked so that the highlighted rule can be priced.
pub fn unpriced(app: &App) -> Option<Query> {
    let after = after(app)?;
    let (nodes, lines) = PRICED;
    if app.session.term().size() > nodes || app.content(Pane::Kernel).lines.len() > lines {
        return None;
    }
    compared_costs(app, &after).into_iter().find(|query| app.queries.costs(query).is_none())
}

/// What has to be asked so that the difference by the highlighted rule can be shown.
pub fn uncompared(app: &App) -> Option<Query> {
    let after = after(app)?;
    let query = compared::by_rule(app, &after, Shape::below(room(app, Pane::Rules)?.1));
    Some(query).filter(|query| compared::is_unknown(app, query))
}

/// Whether a rule applies here.
fn verdict(candidate: &Candidate) -> Line {
    // One that is looked for with arguments applies with the first of these.
    let applies = candidate.choices.first().filter(|_| candidate.result.is_ok());
    let call = applies.map_or(&candidate.call, |(call, _)| call);
    rules::applies(call, &candidate.result)
}

/// How far a rule that does not apply matches.
fn stopped(app: &App, candidate: &Candidate) -> Vec<Line> {
    if candidate.result.is_ok() {
        return Vec::new();
    }
    let place = candidate.stops.as_ref().map(|path| (path.clone(), app.printed.text(path)));
    rules::stopped(place, candidate.depth)
}

/// What a rule is.
fn what(app: &App, candidate: &Candidate) -> Vec<Line> {
    let rule = app.session.workspace().rules.get(name_of(&candidate.call));
    rules::what(&candidate.doc, rule.map_or("", |rule| &rule.text))
}

/// The name of a rule with arguments.
fn name_of(call: &str) -> &str {
    call.split('(').next().unwrap_or_default()
}

/// Where inside of the selection a rule that does not apply to it applies, or comes nearest to that. Every part is looked at,
/// which is too much for every frame.
fn nearest_inside(app: &App, candidate: &Candidate) -> Option<(Candidate, Vec<Line>)> {
    candidate.result.as_ref().err()?;
    let (session, at) = (&app.session, &candidate.at);
    let found = nearest(session.workspace(), session.term(), at, &candidate.call, session.sizes())?;
    let place = found.stops.as_ref().map(|path| (path.clone(), app.printed.text(path)));
    let lines = rules::nearest(&found.at, &found.result, place, found.depth);
    Some((found, lines))
}

/// Which rewrite would make room for a rule that does not apply. Rules are tried for it, which is too much for every frame.
fn makes_room(app: &App, candidate: &Candidate) -> Option<Line> {
    candidate.result.as_ref().err()?;
    let workspace = app.session.workspace();
    let first = workspace.enabling_rewrite(app.session.term(), &candidate.call, &candidate.at)?;
    Some(Line::of(Role::Good, first.told(&candidate.call, &candidate.at)))
}

/// Applies a rule that was typed, at the selection.
pub fn apply(app: &mut App, rule: &str) {
    let at = app.selection.clone();
    perform(app, Action::Apply { rule: rule.to_owned(), at });
}

/// Shows what Enter would do.
pub fn preview(app: &mut App) {
    let Some(candidate) = app.candidate() else { return };
    let Some(after) = after(app) else { return };
    let heading = match candidate.choices.first() {
        Some((call, _)) => format!("{call} at {}", candidate.at),
        None => candidate.heading(),
    };
    let (lines, ask) = app.preview.difference(app, &after);
    if ask {
        app.preview.ask(app, after);
    }
    let title = format!("{heading}: {}", app.preview.word());
    close_pages(app, &Purpose::Apply);
    app.popups.push(Popup::Page(Page::difference(title, lines, Purpose::Apply)));
}

/// Shows the next of the differences that Enter would make: in the term, in its loops, in the code.
pub fn next_preview(app: &mut App) {
    if previews(app) {
        app.preview = app.preview.next();
        preview(app);
    }
}

/// Whether the differences that the highlighted rule would make are shown on a page.
fn previews(app: &App) -> bool {
    matches!(app.popups.last(), Some(Popup::Page(Page { purpose: Purpose::Apply, .. })))
}

/// The term of which the difference is shown on a page.
fn previewed(app: &App) -> Option<Term> {
    (app.preview == Preview::Term && previews(app)).then(|| after(app))?
}

/// What has to be asked so that the page of the highlighted rule can show the difference in the term.
pub fn unpreviewed(app: &App) -> Option<Query> {
    let query = compared::by_rule(app, &previewed(app)?, Shape::page(app));
    Some(query).filter(|query| compared::is_unknown(app, query))
}

/// Code that the preview waits for may be there.
pub fn code_known(app: &mut App) {
    if app.preview == Preview::Code && previews(app) {
        preview(app);
    }
}

/// The difference that a query asked for is there.
pub fn difference_known(app: &mut App, query: &Query) {
    let waited = previewed(app).map(|after| compared::by_rule(app, &after, Shape::page(app)));
    if waited.as_ref() == Some(query) {
        preview(app);
    }
}

/// Whether a rule applies with these very arguments, or what is wrong with them.
fn with_arguments(app: &App, candidate: &Candidate, call: &str) -> Vec<Line> {
    let workspace = app.session.workspace();
    let mut lines = what(app, candidate);
    match workspace.apply_as_change(app.session.term(), call, &candidate.at) {
        Ok(change) => {
            lines.push(Line::of(Role::Good, format!("{call} applies here.")));
            if let Some(asked) = workspace.broken(&change.term, app.session.sizes()) {
                let text = format!("It asks that {asked}, which these sizes do not meet.");
                lines.push(Line::of(Role::Warning, text));
            }
        }
        Err(problem) => lines.extend(app.problem(&problem)),
    }
    lines
}

/// Shows the highlighted rule, or the one of this name, and says why it does or does not apply; with arguments, whether it does with these.
pub fn why(app: &mut App, call: &str) {
    let name = name_of(call);
    let is_it = |c: &&Candidate| c.at == app.selection && name_of(&c.call) == name;
    let found = match name {
        "" => app.candidate(),
        _ => app.rules.candidates.iter().find(is_it),
    };
    let Some(candidate) = found else {
        let names = app.session.workspace().rules.rules().map(|rule| &*rule.name);
        let hint =
            diag::nearest(name, names).map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
        return app.say(Role::Warning, format!("There is no rule `{name}`.{hint}"));
    };
    if call.contains('(') {
        let lines = with_arguments(app, candidate, call);
        let title = format!("{call} at {}", candidate.at);
        app.popups.push(Popup::Page(Page::sentences(title, lines, 2)));
        return;
    }
    let title = candidate.heading();
    let mut lines = what(app, candidate);
    lines.push(verdict(candidate));
    let (inside, more) = match nearest_inside(app, candidate) {
        // Of the selection itself nothing is left to say.
        Some((inside, more)) => (Some(inside), more),
        None => (None, stopped(app, candidate)),
    };
    lines.extend(more);
    // What was asked for is this place.
    let room = makes_room(app, candidate).or_else(|| makes_room(app, inside.as_ref()?));
    lines.extend(room);
    app.popups.push(Popup::Page(Page::sentences(title, lines, 2)));
}

/// Applies the highlighted rule, after asking for its arguments where it needs some.
pub fn open(app: &mut App) {
    if !shows_rules(app, C::Open) {
        take(app);
    }
}

/// Shows the rules where they are not to be seen: the key that applies one is pressed once more for that.
fn shows_rules(app: &mut App, command: Command) -> bool {
    let over = app.pane_over(Pane::Rules).filter(|_| app.candidate().is_some());
    if let Some(over) = over {
        app.focus.show(Pane::Rules);
        // Where there is one place for all, what is shown has the keys.
        if over == app.focus.pane {
            app.focus.go(Pane::Rules);
        }
        let key = app.setup.keys.key(command).unwrap_or_default();
        app.say(Role::Hint, format!("These are the rules; {key} applies the highlighted one."));
    }
    over.is_some()
}

/// Applies the highlighted rule, of which it was seen what it does.
pub fn take(app: &mut App) {
    let Some(candidate) = app.candidate().cloned() else { return };
    // Who looked for it with its arguments is not asked for them.
    let find = &app.window(Pane::Rules).find;
    let named = candidate.named(find).map(str::to_owned);
    if candidate.open && named.is_none() {
        return app.popups.push(arguments(&candidate));
    }
    let rule = named.filter(|_| candidate.open).unwrap_or(candidate.call);
    perform(app, Action::Apply { rule, at: candidate.at });
}

/// A rule was applied: what was looked for is found, and of the next term all rules are listed.
pub(in crate::ui) fn applied(app: &mut App) {
    let window = app.pane_mut(Pane::Rules).1;
    (window.find, window.cursor) = (String::new(), 0);
}

/// Asks for the arguments of a rule: one of those with which it applies, or others that are typed.
fn arguments(candidate: &Candidate) -> Popup {
    if candidate.choices.is_empty() {
        return Popup::Entry(Box::new(Entry::new(EntryKind::Rule, &candidate.call)));
    }
    let item = |name: &str, doc: String, value| Item {
        name: name.to_owned(),
        key: String::new(),
        doc,
        disabled: None,
        value,
    };
    let assumed = |text: &str| if text.is_empty() { String::new() } else { format!("where {text}") };
    let mut items: Vec<Item> = candidate
        .choices
        .iter()
        .map(|(call, a)| item(call, assumed(a), Value::Rule(call.clone(), candidate.at.clone())))
        .collect();
    let first = candidate.choices.first().map_or(candidate.call.as_str(), |(call, _)| call.as_str());
    items.push(item("other", "Type other arguments.".to_owned(), Value::OtherArguments(first.to_owned())));
    let title = format!("{} with which arguments?", candidate.call);
    let rule = name_of(&candidate.call);
    Popup::Choice(Box::new(Choice::of_rule(title, items, rule, candidate.at.clone())))
}

/// Applies the highlighted rule once at each part of the selection, those inside first.
pub fn everywhere(app: &mut App) {
    if shows_rules(app, C::Everywhere) {
        return;
    }
    let Some(candidate) = app.candidate() else { return };
    if !candidate.open {
        let (text, at) = (format!("tryAll({})", candidate.call), app.selection.clone());
        strategies::run(app, &text, at);
        return;
    }
    let (session, within) = (&app.session, strategies::place(app));
    let fits = throughout(session.workspace(), session.term(), &within, candidate, session.sizes());
    let none_fits = fits.is_none() && !candidate.choices.is_empty();
    let first = || candidate.choices.first().map(|(call, _)| call.clone());
    let call = fits.or_else(first).unwrap_or_else(|| candidate.call.clone());
    let text = format!("tryAll({call})");
    if none_fits {
        app.say(Role::Hint, "Of the values that were tried these sizes rule out each at some place.");
    }
    app.popups.push(Popup::Entry(Box::new(Entry::new(EntryKind::Strategy, &text))));
}
