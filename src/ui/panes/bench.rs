//! Measured times, and on what and at which sizes to measure.

use super::{Description, Operation, highlighted_text, lines_and_about, rules};
use super::{alphabet, kernel};
use crate::device::name_in;
use crate::device::roofline::Peak;
use crate::device::stats::Verdict;
use crate::lang::work::{self, Work};
use crate::session::action::{Action, Measurement, RevisionId, Sizes, Target, give_size};
use crate::session::auto;
use crate::session::bench::target_of;
use crate::session::data::Given;
use crate::session::dispatch::{self, Side};
use crate::session::jobs::JobView;
use crate::session::shown::Shown;
use crate::session::state::{Compared, Progress};
use crate::session::sweep::{Swept, reaches, values_of};
use crate::session::trial;
use crate::session::tune::{Tuned, seconds};
use crate::session::whole::Asked;
use crate::ui::actions::{perform, show_problem, typed};
use crate::ui::app::{App, ToldApart};
use crate::ui::capabilities::Depth;
use crate::ui::command::Command;
use crate::ui::command::{Command as C, always};
use crate::ui::layout::Pane;
use crate::ui::popup::{Choice, Entry, EntryKind, Item, Page, Popup, Purpose, Value};
use crate::ui::update::enter;
use crate::ui::window::Content;
use crate::view::picture::{self, Form};
use crate::view::surface::lines_on_the_screen;
use crate::view::{
    Alphabet, Line, Role, bench as view, jobs, problem, roofline as roofline_view, sweep as sweep_view,
    tune as tune_view,
};
use std::path::Path;

/// The pane.
pub const PANE: Description = Description {
    title: "Bench",
    reached_by: C::BenchPane,
    content,
    wish: lines_and_about,
    follow: &[Pane::Bench],
    open: Operation {
        word: Some("all about it"),
        doc: "Show all about the highlighted measurement.",
        enabled: always,
        run: open,
    },
    preview: rules::PREVIEW,
    fold: None,
    copied: highlighted_text,
    hints: &[
        C::Bench,
        C::Tune,
        C::Compare,
        C::Sweep,
        C::Results,
        C::Roofline,
        C::Data,
        C::Pin,
        C::Device,
        C::Sizes,
    ],
};

/// So many seconds a tuning takes where nobody says how long.
const USUAL_S: f64 = 60.0;

/// What the pane shows.
pub fn content(app: &App, width: usize) -> Content {
    if let Some(lines) = tuning(app, width) {
        return Content { lines: lines.into(), ..Content::default() };
    }
    let history = app.session.history();
    let table = view::table(history, Some(app.session.sizes()), width, alphabet(app));
    if table.rows.is_empty() {
        return Content::says(unmeasured(app).iter().flat_map(|line| line.wrap(width, 2)).collect());
    }
    let all = view::measurements(history);
    let cursor = app.window(Pane::Bench).cursor.min(all.len().saturating_sub(1));
    let details = |(id, m): &(_, &Measurement)| details_on_the_screen(app, *id, m);
    let foot = all.get(cursor).map(details).unwrap_or_default();
    let foot = foot.iter().flat_map(|line| line.wrap(width, 8)).collect();
    let running = measuring(app).into_iter().flat_map(|line| line.wrap(width, 2));
    let head = running.chain([table.head]).collect();
    Content { head, lines: table.rows.into(), foot, list: true, ..Content::default() }
}

fn details_on_the_screen(app: &App, id: RevisionId, m: &Measurement) -> Vec<Line> {
    let state = app.session.history().revision(id);
    let computes = state.and_then(|state| work::flops(&state.term, &m.sizes));
    lines_on_the_screen(view::details(id, m, computes, peak_of(app, &m.device)))
}

/// What is known before anything was measured: what the program has to do, and what can be done.
fn unmeasured(app: &App) -> Vec<Line> {
    let key = |command| app.setup.keys.key(command).unwrap_or_default();
    let device = &app.device;
    let mut lines: Vec<Line> = measuring(app);
    if lines.is_empty() {
        lines.push(Line::of(Role::Dim, "Nothing has been measured yet."));
    }
    lines.extend(work_of(app).and_then(|work| view::least(work, device, peak_of(app, device))));
    if app.session.is_idle() {
        let text = format!("{} measures the present state on `{device}`.", key(Command::Bench));
        lines.push(Line::of(Role::Hint, text));
        if peak_of(app, device).is_none() {
            let text = format!(
                "{} measures what `{device}` allows: what bounds the program.",
                key(Command::Roofline)
            );
            lines.push(Line::of(Role::Hint, text));
        }
    }
    lines
}

/// What the program has to do, where its sizes are known.
fn work_of(app: &App) -> Option<Work> {
    let known = app.session.missing_sizes().is_empty();
    app.work.get().copied().filter(|_| known)
}

/// What the program costs at least and what bounds it, in few words.
pub(super) fn costs(app: &App) -> Option<Line> {
    let missing = app.session.missing_sizes();
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        let text =
            format!("`:sizes` gives values to {}; then what this costs is said here", names.join(", "));
        return Some(Line::of(Role::Dim, text));
    }
    let key = app.setup.keys.key(Command::Roofline).unwrap_or_default();
    let all = view::measurements(app.session.history());
    let now = all.iter().filter(|(_, m)| m.device == app.device && m.sizes == *app.session.sizes());
    let fastest = now.map(|(_, m)| m.median_ns).min_by(f64::total_cmp);
    let computes = app.computes.get().copied().flatten();
    view::least_in_brief(work_of(app)?, computes, &app.device, peak_of(app, &app.device), fastest, &key)
}

/// What is being measured, how far that is, for how long it goes on, and how it is stopped.
fn measuring(app: &App) -> Vec<Line> {
    let measures =
        |job: &&JobView<Progress>| matches!(job.progress, Progress::Bench(_) | Progress::Sweep { .. });
    let jobs = app.session.jobs();
    let Some(job) = jobs.iter().find(measures) else { return vec![] };
    let (key, left) = (app.setup.keys.key(Command::Cancel).unwrap_or_default(), jobs::left(job));
    vec![
        Line::of(Role::Warning, format!("{}: {}", job.label, jobs::brief(job))),
        Line::of(Role::Hint, format!("{}{key} stops it.", left.map(|left| left + " ").unwrap_or_default())),
    ]
}

/// What a device allows, where that was measured.
fn peak_of(app: &App, device: &str) -> Option<Peak> {
    app.peaks.iter().find(|(known, _)| *known == device).map(|(_, peak)| *peak)
}

/// Measures the present state, once its sizes are known.
pub fn measure(app: &mut App) {
    if asks_for_sizes(app, Command::Bench, "") {
        return;
    }
    let device = app.device.clone();
    if perform(app, Action::Bench { device }) {
        app.focus.show(Pane::Bench);
    }
}

/// How far a tuning is that runs.
fn tuning(app: &App, width: usize) -> Option<Vec<Line>> {
    let jobs = app.session.jobs();
    let standing =
        jobs.iter().find_map(|job| if let Progress::Tune(s) = &job.progress { Some(s) } else { None })?;
    let mut lines = tune_view::standing(standing, width, alphabet(app));
    let key = app.setup.keys.key(Command::Cancel).unwrap_or_default();
    lines.push(Line::of(Role::Hint, format!("{key} ends it with the best so far.")));
    Some(lines)
}

/// Tunes what was typed after the command, or asks for it.
pub fn tune(app: &mut App, text: &str) {
    if asks_for_sizes(app, Command::Tune, text) {
        return;
    }
    if text.is_empty() {
        let last = app.recall.get(EntryKind::Tune, 0).unwrap_or("60s ").to_owned();
        return enter(app, EntryKind::Tune, "", &last);
    }
    enter(app, EntryKind::Tune, text, "");
}

/// Starts to tune: `30s blocking(?, ?, ?)`, of which both parts may be left out. What is wrong is said under it.
pub(in crate::ui) fn start_tuning(app: &mut App, text: &str) -> Result<(), Vec<Line>> {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let is_time = first.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let (seconds, strategy) = match is_time {
        true => (seconds(first).map_err(|reason| vec![Line::of(Role::Error, reason)])?, rest.trim()),
        false => (USUAL_S, text),
    };
    let device = app.device.clone();
    let strategy = match strategy {
        "" => auto::to_tune(target_of(&device), app.session.workspace()).to_owned(),
        some => some.to_owned(),
    };
    typed(app, Action::Tune { strategy, device, seconds })?;
    app.focus.show(Pane::Bench);
    Ok(())
}

/// Shows what came of a tuning.
pub(in crate::ui) fn tuned(app: &mut App, tuned: &Tuned) {
    let lines = tune_view::page(tuned);
    app.popups.push(Popup::Page(Page::sentences("Tuned", lines, 10)));
}

/// Measures the present state and the pinned one in turns.
pub fn compare(app: &mut App) {
    let Some(pinned) = app.pinned else { return };
    if asks_for_sizes(app, Command::Compare, "") {
        return;
    }
    let device = app.device.clone();
    match app.session.compare(&device, pinned) {
        Ok(_) => app.touch(&[Pane::Jobs]),
        Err(problem) => show_problem(app, &problem),
    }
}

/// Shows what came of two states that were measured in turns.
pub(in crate::ui) fn compared(app: &mut App, ((first, second), pair): &Compared) {
    let names = [format!("revision {first}"), format!("revision {second}")];
    let lines = view::in_turns([&names[0], &names[1]], pair);
    let verdict = view::verdict_in_brief([&names[0], &names[1]], &pair.comparison).text();
    app.tell(Role::Good, format!("{verdict} They were measured in turns on {}.", pair.first.device));
    app.popups.push(Popup::Page(Page::sentences("In turns", lines, 2)));
    let (faster, slower) = match pair.comparison.verdict {
        Verdict::FirstFaster => (*first, *second),
        Verdict::SecondFaster => (*second, *first),
        _ => return,
    };
    let (device, sizes) = (pair.first.device.clone(), pair.first.sizes.clone());
    app.told_apart.push(ToldApart { faster, slower, device, sizes });
}

/// Measures the present state and the pinned one at the sizes that were typed after the command, or asks for them.
pub fn sweep(app: &mut App, text: &str) {
    let last = app.recall.get(EntryKind::Sweep, 0).unwrap_or_default().to_owned();
    enter(app, EntryKind::Sweep, text, &last);
}

/// Starts to measure at several sizes. What is wrong with them is said under the text.
pub(in crate::ui) fn start_sweep(app: &mut App, text: &str) -> Result<(), Vec<Line>> {
    let wrong = |reason: String| vec![Line::of(Role::Error, reason)];
    let Some(pinned) = app.pinned.filter(|pinned| *pinned != app.session.current()) else {
        return Err(wrong("The pinned state is the present one; go to another state first.".to_owned()));
    };
    let of = values_of(text).map_err(|why| wrong(format!("This names no sizes: {why}.")))?;
    let workspace = app.session.workspace();
    let all = &workspace.program.sizes;
    if let Some(name) = of.names.iter().find(|name| !all.iter().any(|size| **size == ***name)) {
        return Err(problem::brief(&workspace.without_size(name)));
    }
    let others = app.session.missing_sizes().into_iter().filter(|size| !of.names.contains(size));
    let others: Vec<String> = others.map(|size| format!("`{size}`")).collect();
    if !others.is_empty() {
        return Err(wrong(format!(
            "These sizes have no value yet: {}; `:sizes` gives them one.",
            others.join(", ")
        )));
    }
    let device = app.device.clone();
    app.session.sweep(&device, pinned, &of).map_err(|problem| problem::brief(&problem))?;
    app.touch(&[Pane::Jobs]);
    Ok(())
}

/// Shows what came of two states that were measured at several sizes.
pub(in crate::ui) fn swept(app: &mut App, swept: Box<Swept>) {
    let (first, second) = swept.of;
    let names = [format!("revision {first}"), format!("revision {second}")];
    let mut lines =
        sweep_view::chart(&swept.of_sizes.name(), [&names[0], &names[1]], &swept.points, alphabet(app));
    if !reaches(&swept.points).is_empty() && target_of(&app.device) == Target::C {
        let text = "`:dispatch FOLDER` writes a function in C that chooses the faster one by the size.";
        lines.push(Line::of(Role::Hint, text));
    }
    let (done, of) = (swept.points.len(), swept.of_sizes.values.len());
    let both = format!("{} and {}", names[0], names[1]);
    match &swept.ended {
        None => app.tell(Role::Good, format!("{both} were measured at {of} sizes.")),
        Some(why) => {
            app.tell(Role::Warning, format!("{both} were measured at {done} of {of} sizes: {}", why.message));
            lines.push(Line::of(Role::Warning, format!("{done} of {of} sizes were measured.")));
            lines.extend(problem::brief(why));
        }
    }
    app.swept = Some(swept);
    app.popups.push(Popup::Page(Page::sentences("At several sizes", lines, 4)));
}

/// Shows how near to what the device allows the measured states come; that is measured first, once.
pub fn roofline(app: &mut App) {
    let device = app.device.clone();
    if let Some(peak) = peak_of(app, &device) {
        return under_the_roof(app, &device, peak);
    }
    match app.session.measure_peak(&device) {
        Ok(_) => {
            app.say(Role::Hint, format!("What {device} allows is being measured; that takes some seconds."));
            app.touch(&[Pane::Jobs]);
        }
        Err(problem) => show_problem(app, &problem),
    }
}

/// It is known what a device allows.
pub(in crate::ui) fn peak(app: &mut App, device: String, peak: Peak) {
    app.tell(Role::Good, format!("What {device} allows was measured."));
    app.peaks.retain(|(known, _)| *known != device);
    app.peaks.push((device.clone(), peak));
    app.touch(&[Pane::Bench, Pane::Term]);
    under_the_roof(app, &device, peak);
}

fn under_the_roof(app: &mut App, device: &str, peak: Peak) {
    let width = usize::from(app.size.0).saturating_sub(8).clamp(20, 120);
    let all = view::measurements(app.session.history());
    let lines = roofline_view::page(device, peak, &all, work_of(app), width, alphabet(app)).lines();
    app.popups.push(Popup::Page(Page::sentences("Roofline", lines, 4)));
}

/// Writes the function that chooses by the size into the folder that was typed, or asks for one.
pub fn dispatch(app: &mut App, folder: &str) {
    enter(app, EntryKind::Dispatch, folder, "");
}

/// Writes it. What is wrong is said under the text.
pub(in crate::ui) fn write_dispatch(app: &mut App, folder: &str) -> Result<(), Vec<Line>> {
    let Some(swept) = &app.swept else { return Ok(()) };
    let history = app.session.history();
    let (first, second) = swept.of;
    let (Some(a), Some(b)) = (history.revision(first), history.revision(second)) else { return Ok(()) };
    let abouts = [format!("revision {first}, {}", a.label), format!("revision {second}, {}", b.label)];
    if !app.session.are_of_one_program(first, second) {
        let text = format!(
            "The program was read again between revisions {first} and {second}: a function chooses between states of one."
        );
        return Err(vec![Line::of(Role::Warning, text)]);
    }
    let side = |of, term, about| Side { workspace: app.session.program_of(of), term, about };
    let sides = [side(first, &a.term, &abouts[0]), side(second, &b.term, &abouts[1])];
    let files = dispatch::files(sides, &app.device, &swept.of_sizes.name(), &swept.points);
    let asked = Asked { by: ":dispatch", force: false };
    let written = files.and_then(|files| dispatch::write(Path::new(folder), &files, false, asked));
    let written = written.map_err(|problem| problem::brief(&problem))?;
    app.tell(Role::Good, format!("{} files of a function that chooses are in {folder}.", written.len()));
    Ok(())
}

/// Asks for sizes that have no value, or that the present state cannot have, before it goes on with a command and what was
/// typed behind it.
pub(in crate::ui) fn asks_for_sizes(app: &mut App, then: Command, arguments: &str) -> bool {
    let missing = app.session.missing_sizes();
    let refused = can_have(app, &Sizes::new()).err();
    if missing.is_empty() && refused.is_none() {
        return false;
    }
    let mut entry = Entry::new(EntryKind::Sizes, &proposed(app, &missing));
    entry.problems = refused.unwrap_or_default();
    entry.then = Some((then, arguments.to_owned()));
    app.popups.push(Popup::Entry(Box::new(entry)));
    true
}

/// Can the present state have the sizes that there are, with these? What is wrong is said with the way to others.
pub(in crate::ui) fn can_have(app: &App, more: &Sizes) -> Result<(), Vec<Line>> {
    let mut sizes = app.session.sizes().clone();
    sizes.extend(more.iter().map(|(name, n)| (name.clone(), *n)));
    trial::can_have(app.session.workspace(), app.session.term(), &sizes).map_err(|problem| {
        let mut lines = problem::brief(&problem);
        lines.push(Line::of(Role::Hint, "Another state may have them: `:sizes` gives sizes to all states."));
        lines
    })
}

/// The sizes that there are, and a value to begin with for each that is missing: arrays of about a million elements. They are
/// those that the present state can have, where there are some nearby.
fn proposed(app: &App, missing: &[String]) -> String {
    let workspace = app.session.workspace();
    let value = if workspace.program.sizes.len() == 1 { 1 << 20 } else { 1 << 10 };
    let mut wished = app.session.sizes().clone();
    wished.extend(missing.iter().map(|name| (name.as_str().into(), value)));
    let sizes = trial::near(workspace, app.session.term(), &wished);
    sizes.iter().map(|(name, n)| format!("{name}={n}")).collect::<Vec<_>>().join(" ")
}

/// Runs the present state once on data from files. What is wrong with what was typed is said under it.
pub(in crate::ui) fn show(app: &mut App, text: &str) -> Result<(), Vec<Line>> {
    let given = given(text).map_err(|reason| vec![Line::of(Role::Error, reason)])?;
    let device = app.device.clone();
    app.session.show(&device, given).map_err(|problem| problem::brief(&problem))?;
    app.touch(&[Pane::Jobs]);
    Ok(())
}

/// Reads `image=photo.png weights=w.npy`; what has no name of its own belongs to the file before it.
fn given(text: &str) -> Result<Vec<Given>, String> {
    let mut pieces: Vec<String> = vec![];
    for word in text.split_whitespace() {
        match pieces.last_mut().filter(|_| !word.contains('=')) {
            Some(last) => *last += &format!(" {word}"),
            None => pieces.push(word.to_owned()),
        }
    }
    pieces.iter().map(|piece| Given::read(piece)).collect()
}

/// Shows what came of a run on data from files.
pub(in crate::ui) fn shown(app: &mut App, shown: &Shown) {
    let (columns, rows) = app.size;
    // The frame of the page, and a column for how far it is scrolled.
    let (columns, rows) = (usize::from(columns).saturating_sub(5), usize::from(rows).saturating_sub(4));
    let capabilities = app.setup.terminal;
    let form = match (capabilities.alphabet, capabilities.depth) {
        (Alphabet::Unicode, depth) if depth > Depth::Ansi16 => Form::HalfBlocks,
        (alphabet, _) => Form::Shades(alphabet),
    };
    let lines = picture::page(shown, columns, rows, form);
    app.tell(Role::Good, format!("Ran on {}.", shown.ran.device));
    app.popups.push(Popup::Page(Page::new("The program on your data", lines, Purpose::Read)));
}

/// Lets foreign functions run, if that is what is wanted.
pub fn allow_foreign(app: &mut App, answer: &str) {
    if answer.trim() != "yes" {
        app.say(
            Role::Hint,
            "Read the foreign functions of the program first, then type `:allow-foreign yes`.",
        );
        return;
    }
    app.session.allow_foreign();
    app.tell(Role::Good, "Foreign functions may run until this session is closed.".to_owned());
}

/// Chooses a device by a part of its name, or asks which.
pub fn device(app: &mut App, name: &str) {
    let Some(list) = &app.queries.devices else {
        app.say(Role::Hint, "The devices are still being looked for; try again in a moment.");
        return;
    };
    if list.devices.is_empty() {
        // Where kernels run elsewhere, nobody may have answered.
        let why = list.notes.join(" ");
        return app.tell(Role::Error, if why.is_empty() { "There is no device.".to_owned() } else { why });
    }
    if !name.is_empty() {
        match crate::device::select(&list.devices, name) {
            Ok(info) => {
                // What stands in brackets may be left open, for a tuning.
                let choice = match crate::device::Choice::read(name) {
                    Ok(choice) => choice,
                    Err(error) => return app.tell(Role::Error, error.to_string()),
                };
                // As it stands beside what is measured, so that both are the same.
                let id = choice.decided().map_or_else(
                    |_| {
                        let settings = name.trim().strip_prefix(name_in(name)).unwrap_or_default();
                        format!("{}{}", info.id, settings.trim())
                    },
                    |settings| settings.on(&info.id),
                );
                app.tell(Role::Good, format!("Measuring on {id} from now on."));
                kernel::show_target(app, target_of(&id));
                app.device = id;
            }
            Err(error) => app.tell(Role::Error, error.to_string()),
        }
        return;
    }
    let items = list
        .devices
        .iter()
        .map(|info| Item {
            name: info.id.clone(),
            key: String::new(),
            doc: format!("{} compute units, {}", info.compute_units, info.version),
            disabled: info.problem.clone(),
            value: Value::Device(info.id.clone()),
        })
        .collect();
    app.popups.push(Popup::Choice(Box::new(Choice::new("Measure on which device?", items, None))));
}

/// Reads `m=1024 n=512`, and `m=n=1024` of sizes that have the same value.
pub(in crate::ui) fn sizes(text: &str) -> Result<Sizes, String> {
    let mut sizes = Sizes::new();
    for piece in text.split(|c: char| c.is_whitespace() || c == ',').filter(|piece| !piece.is_empty()) {
        let no_size = || format!("`{piece}` gives no size; write it as NAME=VALUE, such as m=1024.");
        let (names, value) = piece.rsplit_once('=').ok_or_else(no_size)?;
        let digits = !value.is_empty() && value.chars().all(|c| c.is_ascii_digit());
        let value: i64 = value.parse().map_err(|_| match digits {
            true => format!("`{value}` is too large for a size."),
            false => format!("`{value}` is no whole number."),
        })?;
        for name in names.split('=') {
            match name {
                "" => return Err(no_size()),
                _ if value < 1 => return Err(format!("{name} must be at least 1.")),
                _ => give_size(&mut sizes, name, value)?,
            }
        }
    }
    Ok(sizes)
}

/// Highlights a measurement that has just been made.
pub(in crate::ui) fn highlight(app: &mut App, measured: &Measurement) {
    let all = view::measurements(app.session.history());
    if let Some(row) = all.iter().rposition(|(_, m)| *m == measured) {
        app.pane_mut(Pane::Bench).1.cursor = row;
    }
}

/// Shows all about the highlighted measurement.
pub fn open(app: &mut App) {
    let cursor = app.window(Pane::Bench).cursor;
    let all = view::measurements(app.session.history());
    match all.get(cursor) {
        Some((id, m)) => {
            let lines = details_on_the_screen(app, *id, m);
            app.popups.push(Popup::Page(Page::sentences("Measurement", lines, 8)));
        }
        None => app.say(Role::Warning, "Nothing has been measured yet."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_with_their_spaces() {
        let read = |text| given(text).unwrap().into_iter().map(|g| (g.name, g.from)).collect::<Vec<_>>();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            read("a=x.png  b.fst=my  photo.npy c=2"),
            [pair("a", "x.png"), pair("b.fst", "my photo.npy"), pair("c", "2")]
        );
        assert!(given("x.png").unwrap_err().contains("NAME=FILE"));
        assert!(given("=x.png").unwrap_err().contains("NAME=FILE"));
    }

    #[test]
    fn sizes_are_read_or_explained() {
        assert_eq!(
            sizes("m=4, n=8").unwrap().into_iter().collect::<Vec<_>>(),
            [("m".into(), 4), ("n".into(), 8)]
        );
        // As the line below the panes says it.
        assert_eq!(
            sizes("m=n=k=256 b=2").unwrap().into_iter().collect::<Vec<_>>(),
            [("m".into(), 256), ("n".into(), 256), ("k".into(), 256), ("b".into(), 2)]
        );
        assert!(sizes("m=99999999999999999999").unwrap_err().contains("too large"));
        assert!(sizes("m==4").unwrap_err().contains("NAME=VALUE"));
        assert!(sizes("m=n=0").unwrap_err().contains("m must be at least 1"));
        assert!(sizes("m").unwrap_err().contains("NAME=VALUE"));
        assert!(sizes("m=x").unwrap_err().contains("`x`"));
        assert!(sizes("m=0").unwrap_err().contains("at least 1"));
        // Which of two values is meant is not guessed.
        assert_eq!(sizes("m=n=4 m=4").unwrap().len(), 2);
        for twice in ["m=4 m=8", "m=n=4,n=8 m=8"] {
            assert!(sizes(twice).unwrap_err().contains("is given twice, as 4 and as 8."), "{twice}");
        }
    }
}
