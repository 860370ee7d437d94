//! Keys through the real update loop: what the user presses, and what is then on the screen.

use crate::ui_common::{TestApp, UNICODE, kernel};
use crossterm::event::{MouseButton, MouseEventKind};
use shine_tui::device::fake::FakeDevices;
use shine_tui::session::files::{Places, Text};
use shine_tui::ui::candidates::Candidate;
use shine_tui::ui::event::Msg;
use shine_tui::ui::keys::sequence;
use shine_tui::ui::layout::Pane;
use shine_tui::ui::popup::{About, EntryKind, Popup, Question};
use shine_tui::view::effect::Effect;
use shine_tui::view::{Line, Mark, Role};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A screen on `dot` with rules and a strategy of our own, so that the library can change.
fn dot() -> TestApp {
    sized(120, 36)
}

fn sized(width: u16, height: u16) -> TestApp {
    let mut texts = kernel("dot");
    texts.files = vec![
        Text {
            label: "own.rules".to_owned(),
            text: "--| Sums while it multiplies.\n\
                   rule ownFusion = reduce (+) i (map f x) ~> reduceSeq (\\a y. a + f y) i x\n\
                   rule ownSplit(p) = map f (x : (n*p).s) ~> join (map (map f) (split p x))\n\
                   rules ownRules = { ownFusion, ownSplit(4) }\n"
                .to_owned(),
        },
        Text {
            label: "own.elevate".to_owned(),
            text: "--| Fuses the sum with the product.\nstrategy ownDot = topDown(ownFusion)\n".to_owned(),
        },
    ];
    TestApp::with(&texts, (width, height), UNICODE, "default", FakeDevices::new())
}

/// Whether all of these are on the screen.
fn has(app: &TestApp, all: &[&str]) -> bool {
    let text = app.text();
    all.iter().all(|part| text.contains(part))
}

/// A screen on a program, at sizes.
fn screen_of(text: &str, sizes: &[(&str, i64)], (width, height): (u16, u16)) -> TestApp {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.rise"), text).unwrap();
    let texts = shine_tui::session::files::read(&folder.path().join("f.rise"), &Default::default()).unwrap();
    let sizes = sizes.iter().map(|(name, value)| ((*name).into(), *value)).collect();
    let mut app = TestApp::of_definition(&texts, "f", &sizes);
    app.resize(width, height);
    app
}

/// What a map shares for each element depends on much else: written out, it is computed again for each of them.
const SPREAD: &str = "def f (w: n.f32) (a: m.n.f32): m.f32 = a |> map (\\row.
  let mean = reduce (+) 0 row / 8 in
  zip w row |> map (\\p. fst p * (snd p - mean) * (snd p - mean)) |> reduce (+) 0)
";

/// Selects the application of `reduce`, which is the body of the program.
fn at_reduce() -> TestApp {
    let mut app = dot();
    app.press("J");
    assert!(app.text().contains("reduce (0.0) : f32"), "{}", app.text());
    app
}

#[test]
fn a_rule_is_found_previewed_applied_and_undone() {
    let mut app = at_reduce();
    app.press("3 / o w n");
    assert!(app.text().contains("ownFusion") && !app.text().contains("useReduceSeq "), "{}", app.text());
    app.press("F Tab");
    assert!(app.text().contains("✓ here ownFusion"), "{}", app.text());
    app.press("p");
    assert!(app.text().contains("+ ") && app.text().contains("reduceSeq"), "{}", app.text());
    assert_eq!(app.app.session.history().len(), 1, "a preview changes nothing");
    app.press("Enter");
    assert_eq!(app.app.session.current(), 1);
    assert!(app.text().contains("rev 1/1"), "{}", app.text());
    app.press("u");
    assert_eq!(app.app.session.current(), 0);
    app.press("C-r");
    assert_eq!(app.app.session.current(), 1);
}

#[test]
fn a_rule_that_does_not_apply_says_why_and_where() {
    let mut app = at_reduce();
    app.press("3 v / r e m o v e T");
    assert!(app.text().contains("✗ here removeTransposePair"), "{}", app.text());
    app.press("Enter");
    assert!(app.text().contains("expected"), "{}", app.text());
    assert_eq!(app.app.session.history().len(), 1);
    app.press("i");
    assert!(app.text().contains("does not apply here") && app.text().contains("stops at"), "{}", app.text());
    // What is said of the match speaks of the rule's variables.
    assert!(app.text().contains("rule removeTransposePair = "), "{}", app.text());
    // What opened it closes it.
    app.press("i");
    assert!(app.app.popups.is_empty());
    // Of the whole program it is said where inside of it the rule comes nearest.
    let mut app = dot();
    app.press("3 v").idle();
    app.press(":").type_text("why removeTransposePair").press("Enter");
    let text = app.text();
    assert!(
        text.contains("does not apply here") && text.contains("Inside it comes nearest at 0.0"),
        "{text}"
    );
    app.press("1");
    assert!(app.app.popups.is_empty() && app.app.focus.pane == Pane::Term, "{}", app.text());
    // Arguments that are given are those that are asked of.
    for (call, says) in
        [("ownSplit(4)", "does not apply"), ("mapFusion(3)", "takes no"), ("ownSplit(junk", "E0")]
    {
        app.press(":").type_text(&format!("why {call}")).press("Enter");
        assert!(app.text().contains(says) && app.text().contains("rule "), "{call}: {}", app.text());
        app.press("Esc");
    }
    // Of a rule that applies it is said what it is, too.
    app.press(":").type_text("why mapFission").press("Enter");
    assert!(app.text().contains("rule mapFission = map (\\x. f e) ~> \\xs. map f"), "{}", app.text());
    app.press("Esc");
    app.press(":").type_text("why removeTransposePai").press("Enter");
    assert!(app.text().contains("Did you mean `removeTransposePair`?"), "{}", app.text());
}

/// Of rules with parameters, too: arguments are asked for only where nothing else is missing.
#[test]
fn a_rule_with_parameters_says_where_it_stops() {
    let mut app = dot();
    app.press("3 v /").type_text("ownSplit").press("Enter").idle();
    assert!(app.text().contains("ownSplit"), "{}", app.text());
    let why = |app: &TestApp, call: &str| {
        let found = app.app.rules.candidates.iter().find(|c| c.call == call && c.at == app.app.selection);
        found.unwrap().result.as_ref().unwrap_err().clone()
    };
    let said = why(&app, "ownSplit(p)");
    assert!(said.starts_with("expected map with 2 arguments, found the function \\"), "{said}");
    assert!(!said.contains("it needs"), "{said}");
    app.press("j i").idle();
    assert!(app.text().contains("does not apply here: expected map with 2 arguments"), "{}", app.text());
    // Its left side matches, and none of the sizes that are tried divides the length.
    let mut texts = kernel("dot");
    texts.program.text = "def f (a: 7.f32): 7.f32 = a |> map sqrt".to_owned();
    texts.default_sizes.clear();
    let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    app.press("J 3 v").idle();
    assert_eq!(
        why(&app, "splitJoin(p)"),
        "it needs arguments: p is a size; with 32, for one, 32 does not divide 7"
    );
}

/// An argument that does not divide is taken, since other sizes may be given; that these do not fit is told at once.
#[test]
fn an_argument_that_does_not_divide_is_told_in_every_size_of_the_terminal() {
    for size in [(50, 15), (80, 24), (120, 36)] {
        let mut texts = kernel("dot");
        texts.program.text = "def f (a: m.f32): m.f32 = a |> map (\\x. x * x)".to_owned();
        texts.default_sizes = [("m".into(), 1024)].into_iter().collect();
        let mut app = TestApp::with(&texts, size, UNICODE, "default", FakeDevices::new());
        app.press("a").type_text("topDown(splitJoin(5))").press("Enter").idle();
        assert_eq!(app.app.session.current(), 1);
        assert!(app.text().contains("not met: 5 divides m"), "{}", app.text());
        let told = app.app.messages.back().map(|message| message.text.clone()).unwrap();
        assert!(told.starts_with("These sizes do not meet what revision 1 asks: 5 divides m."), "{told}");
        app.press("u");
        assert!(!app.text().contains("not met"), "{}", app.text());
        app.press("a").type_text("topDown(splitJoin(4))").press("Enter").idle();
        assert!(!app.text().contains("not met"), "{}", app.text());
    }
}

#[test]
fn a_strategy_is_typed_and_a_mistake_is_shown_under_it() {
    let mut app = dot();
    app.press("a").type_text("topDown(ownFusio)").press("Enter");
    assert!(app.text().contains("ownFusio"), "{}", app.text());
    assert_eq!(app.app.session.history().len(), 1);
    app.press("Backspace").type_text("n)").press("Enter");
    assert!(app.app.session.term().digest() != app.app.session.history().revision(0).unwrap().term.digest());
    assert!(app.text().contains("mapSeq") || app.text().contains("reduceSeq"), "{}", app.text());
}

#[test]
fn a_strategy_is_taken_step_by_step() {
    let mut app = dot();
    app.press("t").type_text("ownDot").press("Enter");
    assert!(app.text().contains("step 1 of 1"), "{}", app.text());
    assert_eq!(app.app.session.history().len(), 1, "looking changes nothing");
    app.press("t");
    assert_eq!(app.app.session.current(), 1);
    assert!(app.app.popups.is_empty() && app.text().contains("is done"), "{}", app.text());
    assert!(app.app.selection.is_root(), "the next strategy runs where this one was run");
}

#[test]
fn a_strategy_is_stepped_up_to_its_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("f.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. -x) |> map (\\x. x + 1)")
        .unwrap();
    std::fs::write(path("f.elevate"), "strategy twice = topDown(mapFusion) ; topDown(mapFusion)").unwrap();
    let texts = shine_tui::session::files::read(&path("f.rise"), &Default::default()).unwrap();
    let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    app.press("t").type_text("twice").press("Enter").idle();
    assert!(has(&app, &["step 1 of 1, mapFusion at ", ": twice"]), "{}", app.text());
    app.press("t").idle();
    assert_eq!(app.app.session.current(), 1, "what came before is taken");
    assert!(app.text().contains("gets no further"), "{}", app.text());
    assert!(
        app.text().contains("did not get to its end") && !app.text().contains("is done"),
        "{}",
        app.text()
    );
}

#[test]
fn the_palette_runs_commands_with_arguments_and_strategies() {
    let mut app = dot();
    app.press(":").type_text("sizes k=64").press("Enter");
    assert!(app.text().contains("k=64"), "{}", app.text());
    app.press(":").type_text("topDown(ownFusion)").press("Enter");
    assert_eq!(app.app.session.current(), 1);
    app.press(":").type_text("undo").press("Enter");
    assert_eq!(app.app.session.current(), 0);
    app.press(":").type_text("undo").press("Enter");
    assert!(app.text().contains("beginning of the session"), "a disabled command says why: {}", app.text());
}

#[test]
fn a_message_makes_room_for_the_command_that_it_names() {
    // However long, it leaves the screen to what else there is.
    let mut app = sized(80, 24);
    app.app.tell(Role::Good, format!("Revision 1: {}id", "topDown(mapFusion) <+ ".repeat(300)));
    let rows = app.text().lines().filter(|row| row.contains("mapFusion) <+")).count();
    assert!(rows < 9 && app.text().contains("all of it is with the messages: w"), "{}", app.text());
    let mut app = dot();
    app.press(":").type_text("explain E0189").press("Enter");
    assert_eq!(app.app.popups.len(), 1, "{}", app.text());
    app.press(":").type_text("sizes k=64").press("Enter");
    assert!(app.app.popups.is_empty() && app.text().contains("k=64"), "{}", app.text());
}

#[test]
fn wrong_sizes_are_refused_under_the_text() {
    let mut app = dot();
    app.press("z");
    app.type_text(" q=3").press("Enter");
    assert!(app.text().contains("no size"), "{}", app.text());
    assert!(!app.app.popups.is_empty());
    app.press("Esc");
    assert!(app.app.popups.is_empty());
}

#[test]
fn measuring_asks_for_sizes_that_have_no_value() {
    let mut texts = kernel("dot");
    texts.program.text = "def f (a: n.m.f32): n.m.f32 = a |> map (map sqrt)".to_owned();
    texts.default_sizes.clear();
    let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    app.press("z").press("C-u").type_text("m=5").press("Enter");
    app.press("b");
    assert!(app.text().contains("│m=5 n=1024"), "{}", app.text());
    app.press("Backspace").press("Enter").idle();
    let at: Vec<String> = app.app.session.sizes().iter().map(|(name, n)| format!("{name}={n}")).collect();
    assert_eq!(at, ["m=5", "n=102"]);
    assert!(app.app.popups.is_empty() && app.text().contains("[6 Bench]"), "{}", app.text());
    app.press("b").idle();
    assert!(app.app.popups.is_empty(), "what is known is not asked again: {}", app.text());
}

/// What is asked for is what the present state can have; what it cannot have is not kept.
#[test]
fn sizes_that_the_present_state_cannot_have_are_neither_offered_nor_kept() {
    let mut texts = kernel("dot");
    texts.program.text = "def f (a: n.f32): n.f32 = a |> map sqrt".to_owned();
    texts.default_sizes.clear();
    let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    // What the program costs cannot be told, and how it can be is.
    assert!(app.text().contains("`:sizes` gives values to `n`; then what this costs is"), "{}", app.text());
    app.press("a").type_text("topDown(splitJoin(7))").press("Enter").idle();
    assert_eq!(app.app.session.current(), 1, "{}", app.text());
    app.press("b");
    assert!(app.text().contains("│n=1048572"), "{}", app.text());
    app.press("C-u").type_text("n=1024").press("Enter").idle();
    assert!(app.text().contains("7 divides n") && app.text().contains("`:sizes`"), "{}", app.text());
    assert!(app.app.session.sizes().is_empty() && !app.app.popups.is_empty(), "{}", app.text());
    // The program as written can have them, and the present state is asked about again.
    app.press("Esc z").press("C-u").type_text("n=1024").press("Enter").idle();
    assert!(app.app.popups.is_empty() && !app.app.session.sizes().is_empty(), "{}", app.text());
    app.press("b");
    assert!(app.text().contains("│n=1022") && app.text().contains("7 divides n"), "{}", app.text());
    app.press("Enter").idle();
    assert_eq!(app.app.session.sizes().values().copied().collect::<Vec<_>>(), [1022]);
}

#[test]
fn what_was_typed_comes_back() {
    let mut app = dot();
    app.press("a").type_text("first").press("Esc");
    app.press("a").press("Up");
    assert!(app.text().contains("│first"), "{}", app.text());
}

#[test]
fn tabs_and_digits_move_the_focus() {
    let mut app = dot();
    for (keys, pane) in
        [("5", Pane::Kernel), ("Tab", Pane::Bench), ("S-Tab", Pane::Kernel), ("w", Pane::Jobs)]
    {
        app.press(keys);
        assert_eq!(app.app.focus.pane, pane, "{keys}");
    }
    app.press("f");
    assert!(app.app.focus.zoomed);
    app.press("Esc");
    assert!(!app.app.focus.zoomed);
}

#[test]
fn where_code_generation_fails_the_stages_before_are_shown_with_the_reason() {
    let mut texts = kernel("dot");
    texts.files.clear();
    texts.program.text = "def f (a: n.f32) = (mapGlobal 0 sqrt a, mapSeq sqrt a)\n".to_owned();
    let mut app = TestApp::with(&texts, (240, 60), UNICODE, "default", FakeDevices::new());
    app.press("5 f").idle();
    let text = app.text();
    assert!(text.contains("E0523") && text.contains("loops ›"), "{text}");
    app.press("[").idle();
    let earlier = app.text();
    assert!(earlier.contains("E0523") && earlier != text, "{earlier}");
    // What there is can be looked at, and not measured.
    assert!(app.app.facts().kernel.is_err());
}

#[test]
fn the_history_is_a_tree_one_can_move_in() {
    let mut app = dot();
    app.press(":").type_text("topDown(ownFusion)").press("Enter");
    app.press("u");
    app.press(":").type_text("sizes k=8").press("Enter");
    app.press(":").type_text("topDown(ownFusion)").press("Enter");
    assert_eq!(app.app.session.history().children(0).len(), 2);
    app.press("7 g g Enter");
    assert_eq!(app.app.session.current(), 0);
    app.press("7 ' G Enter");
    assert_eq!(app.app.session.current(), 2);
    app.press("d");
    assert!(app.text().contains("revision 0 (-) and revision 2 (+)"), "{}", app.text());
}

/// A strategy that is taken step by step is one row, which opens; so does what a strategy did at once.
#[test]
fn steps_are_one_row_of_the_history_that_opens() {
    let mut app = TestApp::new("matmul", (120, 36), UNICODE);
    app.press("t").type_text("blocked(16, 8, 4)").press("Enter").idle();
    let steps = app.app.stepping.as_ref().map_or(0, |s| s.steps.len());
    assert!(steps > 5, "{}", app.text());
    app.press("t T").idle();
    app.press("Esc 7").idle();
    let present = app.app.session.current();
    assert_eq!(present, steps);
    let rows = |app: &TestApp| app.app.content(Pane::History).lines.len();
    assert_eq!(rows(&app), 3, "{}", app.text());
    let cursor = |app: &TestApp| app.app.window(Pane::History).cursor;
    assert_eq!(cursor(&app), 2, "the present state is highlighted");
    app.press("k Space").idle();
    assert_eq!((rows(&app), cursor(&app)), (2 + steps, 1), "{}", app.text());
    // Closed from inside, the highlight is on what is closed.
    app.press("j j Space").idle();
    assert_eq!((rows(&app), cursor(&app)), (3, 1), "{}", app.text());
    app.press("Enter").idle();
    assert_eq!(app.app.session.current(), steps - 1, "the last of what is folded");
    app.press("g g Space");
    assert!(app.text().contains("nothing to open"), "{}", app.text());
    app.press("Enter 1 a").type_text("blocked(16, 8, 4)").press("Enter").idle();
    app.press("7 Space j j Enter");
    assert!(app.text().contains("step 2 of"), "a rewrite is shown: {}", app.text());
}

/// Keys that arrive before the next frame do what they do one by one: rows that one of them opens are those that the next moves in,
/// and so are the lines of another state.
#[test]
fn keys_that_are_typed_ahead_mean_what_those_before_them_show() {
    let stepped = || {
        let mut app = TestApp::new("matmul", (120, 36), UNICODE);
        app.press("t").type_text("blocked(16, 8, 4)").press("Enter").press("t T").press("Esc 7");
        assert_eq!(app.app.content(Pane::History).lines.len(), 3, "{}", app.text());
        app
    };
    for keys in ["k Space j j", "k Space G k Space", "k Space j j Enter k", "1 u u j j", "7 u u k", "6 u G k"]
    {
        let (mut one_by_one, mut ahead) = (stepped(), stepped());
        one_by_one.press(keys);
        ahead.burst(keys);
        assert_eq!(ahead.text(), one_by_one.text(), "{keys}");
    }
}

/// A click takes the tab, the pane and the row under it, and does nothing else; the wheel scrolls what is under it.
#[test]
fn the_mouse_selects_and_scrolls() {
    let mut app = TestApp::new("matmul", (120, 36), UNICODE);
    let place = |app: &TestApp, text: &str| {
        let shown = app.text();
        let found = shown.lines().zip(0..).find_map(|(line, row)| Some((line.split_once(text)?.0, row)));
        let (before, row) = found.unwrap_or_else(|| panic!("no `{text}` in {shown}"));
        (u16::try_from(before.chars().count()).unwrap(), row)
    };
    let at = place(&app, "transpose b");
    app.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert_eq!(app.app.focus.pane, Pane::Term);
    assert_eq!(app.app.printed.text(&app.app.selection), "transpose", "{}", app.text());
    let at = place(&app, "4 Search");
    app.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert_eq!(app.app.focus.pane, Pane::Search, "{}", app.text());
    app.press("1 K K K K K 3").idle();
    let at = place(&app, "✓ map ");
    app.press("1");
    app.mouse(MouseEventKind::Down(MouseButton::Left), (at.0, at.1 + 2));
    assert_eq!((app.app.focus.pane, app.app.window(Pane::Rules).cursor >= 2), (Pane::Rules, true));
    assert_eq!(app.app.session.history().len(), 1, "nothing is applied");
    // The wheel leaves the keys where they are.
    let at = place(&app, "void matmul");
    let cursor = |app: &TestApp| app.app.window(Pane::Kernel).cursor;
    let before = cursor(&app);
    app.mouse(MouseEventKind::ScrollDown, at);
    assert_eq!((app.app.focus.pane, cursor(&app)), (Pane::Rules, before + 3), "{}", app.text());
    // What lies over the panes keeps them from clicks.
    app.press("?");
    app.mouse(MouseEventKind::Down(MouseButton::Left), (1, 1));
    assert_eq!(app.app.focus.pane, Pane::Rules);
    app.press("Esc :").type_text("mouse").press("Enter");
    assert_eq!(app.app.requests.mouse, Some(false));
    for (column, row) in [(0, 0), (119, 35), (119, 0), (500, 500)] {
        app.mouse(MouseEventKind::Down(MouseButton::Left), (column, row));
        app.mouse(MouseEventKind::ScrollUp, (column, row));
    }
}

/// Borders between panes are moved by keys and with the mouse, and put back.
#[test]
fn borders_between_panes_are_moved() {
    let mut app = TestApp::new("matmul", (120, 36), UNICODE);
    let width = |app: &TestApp| app.text().lines().next().unwrap().split("┐").next().unwrap().chars().count();
    let height = |app: &TestApp| app.text().lines().position(|line| line.contains("2 Loops")).unwrap();
    let (before, rows) = (width(&app), height(&app));
    app.press("> >");
    assert_eq!(width(&app), before + 8, "{}", app.text());
    app.press("3 >");
    assert_eq!(width(&app), before + 4, "the pane on the right grows to the left: {}", app.text());
    app.press("1 +");
    assert_eq!(height(&app), rows + 2, "{}", app.text());
    // At the edge it stays.
    for _ in 0..60 {
        app.press("<");
    }
    assert_eq!(width(&app), 23, "{}", app.text());
    app.press("=");
    assert_eq!((width(&app), height(&app)), (before, rows), "{}", app.text());
    let border = u16::try_from(before).unwrap();
    // Beyond the edge, as while the terminal becomes smaller.
    app.mouse(MouseEventKind::Down(MouseButton::Left), (u16::MAX, u16::MAX));
    app.mouse(MouseEventKind::Drag(MouseButton::Left), (u16::MAX, u16::MAX));
    app.mouse(MouseEventKind::Down(MouseButton::Left), (border, 4));
    app.mouse(MouseEventKind::Drag(MouseButton::Left), (border - 20, 9));
    app.mouse(MouseEventKind::Up(MouseButton::Left), (border - 20, 9));
    assert!((before - 22..=before - 19).contains(&width(&app)), "{}", app.text());
    app.mouse(MouseEventKind::Drag(MouseButton::Left), (border, 9));
    assert!(width(&app) < before, "nothing is dragged any more");
    // One pane has no border.
    app.press("f >");
    assert!(app.text().contains("No other pane is beside this one"), "{}", app.text());
    for (width, height) in [(80, 24), (200, 60), (50, 15), (10, 3), (120, 36)] {
        app.resize(width, height).press("< > + - =");
    }
}

/// What is pointed at becomes a sketch, whose steps are counted, taken and taken back.
#[test]
fn a_sketch_is_pointed_at_widened_and_searched_for() {
    let mut app = TestApp::new("matmul", (120, 36), UNICODE);
    app.press("9");
    assert!(app.text().contains("There is no sketch"), "{}", app.text());
    app.press("1 P");
    assert_eq!(app.app.focus.pane, Pane::Sketch);
    assert!(app.text().contains("describes 1 of 38 sub-terms"), "{}", app.text());
    app.press("Backspace");
    assert!(app.text().contains("has not been widened"), "{}", app.text());
    app.press("j Enter");
    assert!(app.text().contains("containsMap(m, containsMap(n,"), "{}", app.text());
    assert!(app.text().contains("describes 4 of 38 sub-terms"), "{}", app.text());
    app.press("p");
    assert!(
        app.text().contains("reach containsMap(m, containsMap(n, containsReduce(k, ?)))"),
        "{}",
        app.text()
    );
    app.press("Esc Backspace");
    assert!(app.text().contains("describes 1 of 38 sub-terms"), "{}", app.text());
    // To ask nothing is the end.
    for _ in 0..200 {
        app.press("G Enter");
    }
    assert!(app.text().contains("Nothing more can be left out: it describes"), "{}", app.text());
    app.press("Enter");
    assert!(app.text().contains("Nothing more can be left out"), "{}", app.text());
    // Where there is little room, no two steps of the list read the same.
    let mut app = TestApp::new("matmul", (80, 24), UNICODE);
    app.press("1 P j Enter");
    let text = app.text();
    assert!(text.contains("terms classes  asking less of it"), "{text}");
    let (_, list) = text.split_once("asking less").unwrap();
    let steps: Vec<String> = list
        .lines()
        .filter_map(|row| row.rsplit_once("││"))
        .map(|(_, row)| row.split_whitespace().skip(2).collect::<Vec<_>>().join(" "))
        .filter(|step| step.contains(": "))
        .collect();
    assert!(steps.len() > 5 && steps.iter().collect::<BTreeSet<_>>().len() == steps.len(), "{text}");
    for step in ["map over m: any size", "map over m: anything", "map n: contains redu"] {
        assert!(steps.iter().any(|row| row.contains(step)), "{step}: {text}");
    }
    // A sketch alone is searched for; what is wrong with a search is told where it is typed.
    app.press("S C-u").type_text("reach containsMapSeq(m, ?").press("Enter");
    assert!(app.text().contains("never closed") && app.text().contains("Search on"), "{}", app.text());
    app.press("C-u").type_text("topDown(useMapSeq)").press("Enter");
    assert!(app.text().contains("This strategy does not search"), "{}", app.text());
    app.press("C-u").type_text("containsMapSeq(m, ?) using { useMapSeq }").press("Enter").idle();
    assert_eq!(app.app.search.as_deref(), Some("reach containsMapSeq(m, ?) using { useMapSeq }"));
}

/// However long a sketch is, how much it describes and the steps are seen, and so is that there is more of it.
#[test]
fn the_steps_of_a_long_sketch_are_seen() {
    let mut long = TestApp::new("harris", (80, 24), UNICODE);
    long.press("1");
    for mut app in [screen_of(SPREAD, &[], (50, 15)), long] {
        app.press("P");
        assert!(has(&app, &["describes ", "asking less of it", " more lines; "]), "{}", app.text());
        let before = app.roles();
        app.press("j j");
        assert_ne!(app.roles(), before, "the highlight is seen");
        app.press("Enter");
        assert!(has(&app, &["describes ", "asking less of it"]), "{}", app.text());
    }
    // Where there are rows, all of it is seen.
    let mut app = screen_of(SPREAD, &[], (200, 60));
    app.press("P");
    assert!(has(&app, &["describes ", "asking less of it"]), "{}", app.text());
    assert_eq!(app.app.content(Pane::Sketch).unseen, 0, "{}", app.text());
}

/// Rules by which more is computed come behind all others that do something.
#[test]
fn what_computes_more_is_listed_behind_others() {
    let app = screen_of(SPREAD, &[("n", 256), ("m", 64)], (120, 36));
    let rows = shine_tui::ui::panes::rules::shown(&app.app);
    let computes_more = |c: &Candidate| c.price.is_some_and(|(_, dearer)| dearer.takes_more());
    let leaves_no_code = |c: &Candidate| c.price.is_some_and(|(_, dearer)| dearer.leaves_no_code());
    let busy = rows.iter().filter(|c| !c.is_idle() && !leaves_no_code(c));
    let more: Vec<bool> = busy.map(|c| computes_more(c)).collect();
    assert!(more.contains(&true) && more.is_sorted(), "{more:?}");
}

/// What is listed is made once, and the highlight moves in it; what is found or applied makes other rows.
#[test]
fn rows_of_rules_stay_while_the_highlight_moves() {
    let mut app = at_reduce();
    let rows = |app: &TestApp| app.app.content(Pane::Rules).lines.bare().as_ptr();
    app.press("3");
    let (first, text) = (rows(&app), app.text());
    app.press("j");
    assert_eq!(rows(&app), first);
    assert_ne!(app.text(), text);
    app.press("v");
    assert_ne!(rows(&app), first, "others are listed: {}", app.text());
    app.press("v");
    assert_eq!(app.app.content(Pane::Rules).lines.len(), shine_tui::ui::panes::rules::shown(&app.app).len());
}

/// Which rules are listed is decided where that changes, and not with each key.
#[test]
fn which_rules_are_listed_is_decided_once() {
    let mut app = at_reduce();
    let order = |app: &TestApp| shine_tui::ui::panes::rules::order(&app.app);
    let first = order(&app);
    app.press("5 j j 7 1 3 j");
    assert!(Rc::ptr_eq(&first, &order(&app)));
    app.press("v");
    let all = order(&app);
    assert!(all.len() > first.len(), "{}", app.text());
    app.press("/").type_text("map").press("Enter");
    let found = order(&app);
    assert!(!found.is_empty() && found.len() < all.len(), "{}", app.text());
}

/// Of a rewrite the part that it makes is kept; with the rest of the program that is what applying it leads to.
#[test]
fn a_rewrite_that_is_kept_as_its_part_makes_the_whole_program() {
    let mut app = at_reduce();
    let shown: Vec<Candidate> = shine_tui::ui::panes::rules::shown(&app.app).into_iter().cloned().collect();
    assert!(shown.len() > 3);
    for rule in &shown {
        let after = rule.after(app.app.session.term()).unwrap();
        assert_eq!(after.digest(), rule.result.as_ref().unwrap().digest, "{}", rule.heading());
    }
    let rule = shown.iter().position(|rule| !rule.open).unwrap();
    let made = shown[rule].result.as_ref().unwrap().digest;
    app.press(&format!("3 {}", "j ".repeat(rule))).press("Enter").idle();
    assert_eq!(app.app.session.term().digest(), made);
}

/// Of several conditions that sizes do not meet all are told.
#[test]
fn all_that_sizes_do_not_meet_is_told() {
    let mut texts = kernel("dot");
    let sum = |of: &str| format!("({of} |> map sqrt |> reduce (+) 0)");
    texts.program.text = format!("def f (a: m.f32) (b: n.f32): f32 = {} + {}", sum("a"), sum("b"));
    texts.default_sizes = [("m".into(), 50), ("n".into(), 63)].into_iter().collect();
    let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    app.press("a").type_text("tryAll(splitJoin(4))").press("Enter").idle();
    let told = app.app.messages.back().map(|message| message.text.clone()).unwrap();
    assert!(told.contains(" asks: 4 divides m and 4 divides n. "), "{told}");
    assert!(app.text().contains("not met: 4 divides m and 4 …"), "{}", app.text());
}

/// While rules are still looked for, a name that none has so far is not said to be in none.
#[test]
fn rules_that_are_looked_for_may_still_have_the_name() {
    let mut app = at_reduce();
    let says = |app: &mut TestApp, rest| {
        app.press("3 /").type_text("nosuchrule");
        app.app.rules.rest = rest;
        app.press("Enter");
        let said = app.app.notice.as_ref().map(Line::text).unwrap_or_default();
        app.press("Esc Esc");
        said
    };
    assert!(says(&mut app, None).starts_with("No rule that is listed has "));
    let said = says(&mut app, Some(1));
    assert!(
        said.starts_with("No rule that was found so far has ") && said.contains("are looked for"),
        "{said}"
    );
}

/// What the present state computes is told beside what the program asks for, where these differ.
#[test]
fn operations_of_the_state_are_told_from_those_of_the_program() {
    let mut app = screen_of(SPREAD, &[("n", 256), ("m", 64)], (200, 60));
    let head = |app: &TestApp| {
        let lines = app.app.content(Pane::Term).head.iter().map(Line::text).collect::<Vec<_>>();
        lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(head(&app).contains(" operations, "), "{}", head(&app));
    app.press(":").type_text("run topDown(betaReduction)").press("Enter").idle();
    let told = head(&app);
    assert!(told.contains(" M operations; the program as it is written: "), "{told}");
}

/// What is wrong with a search whose programs are to be measured is said under it; where there is no device that answers, what
/// was found is told to have failed.
#[test]
fn the_best_programs_of_a_search_are_asked_for() {
    let mut app = TestApp::new("dot", (120, 36), UNICODE);
    app.press("8");
    assert!(app.text().contains("Nothing has been measured yet. m takes"), "{}", app.text());
    app.press("Enter");
    assert!(app.text().contains("m measures some"), "{}", app.text());
    app.press("m").type_text("id").press("Enter");
    assert!(app.text().contains("is not one search alone"), "{}", app.text());
    app.press("C-u").type_text("99 reach contains(reduceSeq)").press("Enter");
    assert!(app.text().contains("Between 1 and 50"), "{}", app.text());
    app.press("C-u").type_text("2 reach contains(reduceSeq) using { useReduceSeq }").press("Enter").idle();
    // The scripted device has nothing to say.
    assert!(app.text().contains("no reply left") && !app.text().contains("computing"), "{}", app.text());
    // The search itself is over, and says what it came to.
    app.press("4");
    assert!(app.text().contains("no reply left"), "{}", app.text());
    assert!(!app.text().contains("writing down"), "{}", app.text());
    app.press("8");
    assert_eq!(app.app.session.history().len(), 1);
    // Where there are few rows the programs have them, and what came of them is said below.
    let head = |app: &TestApp| app.app.content(Pane::Best).head.len();
    assert!(head(&app) > 2, "{}", app.text());
    app.resize(50, 15);
    assert!(head(&app) == 2 && app.text().contains("median"), "{}", app.text());
    assert!(app.text().contains("no reply left"), "{}", app.text());
}

/// Loops that ask for threads say so where there is too little work for them, alone on a screen too.
#[test]
fn loops_say_that_no_threads_share_them_out() {
    let mut app = TestApp::new("matmul", (50, 15), UNICODE);
    app.press("a").type_text("topDown(useMapPar)").press("Enter").idle();
    app.press("2").idle();
    assert!(app.text().contains("(par)") && !app.text().contains("no threads"), "{}", app.text());
    app.press(":").type_text("sizes m=n=k=4").press("Enter").idle();
    assert!(app.text().contains("no threads are started"), "{}", app.text());
    app.press("5").idle();
    assert!(app.text().contains("no threads are started"), "{}", app.text());
}

/// Who measures the best programs of a search for the sketch that was pointed at need not type it, and a number alone that was left
/// is no search to go on with.
#[test]
fn the_search_whose_best_are_measured_is_the_one_of_the_sketch() {
    let mut app = at_reduce();
    app.press("z C-u").type_text("k=64").press("Enter m Esc");
    app.press("P m");
    // What was pointed at is a part of what is measured, which is always the whole program.
    assert!(app.text().contains("10 reach containsReduce(k, add"), "{}", app.text());
    assert!(app.text().contains("Measure how many of which search, on the whole program"), "{}", app.text());
    app.press("C-u").type_text("2 reach contains(reduceSeq) using { useReduceSeq }").press("Enter").idle();
    app.press("1 m");
    assert!(app.text().contains("2 reach contains(reduceSeq)"), "{}", app.text());
    // What was typed last is replaced by what is typed, and stays where the cursor is moved; what was refused is not offered.
    app.type_text("3 reach containsNone(").press("Enter");
    assert!(app.text().contains("│3 reach containsNone("), "{}", app.text());
    app.press("Esc m End Backspace").type_text("!");
    assert!(app.text().contains("2 reach contains(reduceSeq) using { useReduceSeq !"), "{}", app.text());
    app.press("Esc");
    assert!(!app.app.selection.is_root());
    let told = |app: &TestApp| app.app.messages.iter().any(|m| m.text.contains("not on the selection"));
    assert!(told(&app), "{:?}", app.app.messages);
    // At the whole program there is nothing to be told.
    let mut app = dot();
    app.press("z C-u").type_text("k=64").press("Enter m C-u");
    app.type_text("2 reach contains(reduceSeq) using { useReduceSeq }").press("Enter").idle();
    assert!(!told(&app), "{:?}", app.app.messages);
}

/// A pane that is shown in the place of the one that has the keys gets them: `Enter` never acts on what is not seen.
#[test]
fn what_is_shown_in_the_place_of_a_pane_gets_its_keys() {
    for size in [(80, 24), (120, 36)] {
        let mut app = TestApp::new("dot", size, UNICODE);
        app.press("z C-u").type_text("k=64").press("Enter 3 m C-u");
        app.type_text("2 reach contains(reduceSeq) using { useReduceSeq }").press("Enter").idle();
        assert!(app.text().contains("[8 Best]"), "{}", app.text());
        // The device has nothing to say, but what the search found is there, and is taken: no rule is applied.
        app.press("Enter").idle();
        assert_eq!(app.app.session.history().len(), 2, "{}", app.text());
        assert!(app.text().contains("Found in one step, revision 1"), "{}", app.text());
        // Nor does it apply a rule from a list that is not shown: it shows the list first.
        app.press("u 1").idle();
        app.press("Enter").idle();
        assert_eq!(app.app.session.history().len(), 2, "{}", app.text());
        assert!(
            app.text().contains("[3 Rules]") && app.text().contains("These are the rules"),
            "{}",
            app.text()
        );
        // The first of them asks for a number, and the first that it offers is taken.
        app.press("Enter Enter").idle();
        assert_eq!(app.app.session.history().len(), 3, "{}", app.text());
    }
}

/// Neither does it where there is room for one pane: what was seen as a difference is applied, and of a list that is not shown nothing.
#[test]
fn no_rule_is_applied_unseen_where_one_pane_is_shown() {
    let mut app = TestApp::new("matmul", (50, 15), UNICODE);
    app.idle();
    assert!(app.text().contains("Enter the rules"), "{}", app.text());
    for key in ["Enter", "1 E"] {
        app.press(key).idle();
        assert_eq!(app.app.session.history().len(), 1, "{}", app.text());
        assert!(app.text().contains("[3 Rules]") && app.text().contains("These are"), "{}", app.text());
    }
    app.press("1 p Enter").idle();
    assert_eq!(app.app.session.history().len(), 2, "{}", app.text());
    app.press("3 Enter").idle();
    assert_eq!(app.app.session.history().len(), 3, "{}", app.text());
}

/// A text over the panes is broken for the size that the terminal has now, and a difference is printed for it.
#[test]
fn pages_fit_a_terminal_that_was_resized() {
    let mut app = TestApp::new("dot", (160, 40), UNICODE);
    app.press(":").type_text("explain E0705").press("Enter");
    let sentence = "No example: a fault of this program, which asks for what it generated. Please report it.";
    assert!(app.text().contains(sentence), "{}", app.text());
    app.resize(60, 40);
    assert!(
        app.text().contains("which asks for what│") && app.text().contains("Please report it."),
        "{}",
        app.text()
    );
    // The difference that a rule would make.
    let mut app = TestApp::new("dot", (160, 40), UNICODE);
    app.press("3 p").resize(64, 24);
    let frame = app.text();
    assert!(frame.lines().all(|line| line.chars().count() <= 64), "{frame}");
    assert!(frame.contains("reduce") && frame.contains("- "), "{frame}");
}

/// Before anything is measured the pane of measurements says what the program has to do at least.
#[test]
fn what_a_program_costs_is_said_before_it_is_measured() {
    let mut app = TestApp::new("dot", (80, 24), UNICODE);
    app.press("6");
    let frame = app.text();
    for said in ["The program computes 2.10 M", "8.0 MiB of inputs", "b measures", "O measures what"] {
        assert!(frame.contains(said), "{said}: {frame}");
    }
}

/// Colours are switched on the screen; what is no theme is told.
#[test]
fn themes_are_switched_on_the_screen() {
    let mut app = TestApp::new("dot", (120, 36), UNICODE);
    app.press(":").type_text("theme").press("Enter");
    assert!(app.text().contains("Which theme?") && app.text().contains("high-contrast"), "{}", app.text());
    app.press("Esc :").type_text("theme mono").press("Enter");
    assert_eq!(app.app.setup.theme.name, "mono", "{}", app.text());
    app.press(":").type_text("theme ../../etc").press("Enter");
    assert!(app.text().contains("There is no theme"), "{}", app.text());
    assert_eq!(app.app.setup.theme.name, "mono");
    // What was typed stays while it is wrong.
    for wrong in ["select 9.9", "mouse maybe", "device nosuch"] {
        app.idle().press("Esc :").type_text(wrong).press("Enter");
        assert!(app.text().contains(wrong) && app.text().contains("Command or strategy"), "{}", app.text());
    }
}

#[test]
fn the_selection_follows_the_eye_and_the_structure() {
    let mut app = sized(80, 24);
    let whole = app.app.selection.clone();
    app.press("j");
    assert_ne!(app.app.selection, whole);
    app.press("K K K K K K");
    assert_eq!(app.app.selection, whole);
    app.press("K");
    assert!(app.text().contains("selected already"), "{}", app.text());
}

#[test]
fn shrinking_and_growing_lead_there_and_back() {
    let mut app = sized(120, 36);
    let mut way = vec![app.app.selection.clone()];
    for _ in 0..4 {
        app.press("J");
        way.push(app.app.selection.clone());
    }
    for before in way.iter().rev().skip(1) {
        app.press("K");
        assert_eq!(app.app.selection, *before, "{way:?}");
    }
}

#[test]
fn finding_text_selects_the_sub_term_it_is_in() {
    let mut app = dot();
    app.press("/").type_text("snd").press("Enter");
    let text = shine_tui::ui::panes::term::selected_text(&app.app);
    assert_eq!(text, "snd");
    app.press("/").type_text("nowhere").press("Enter");
    assert!(app.text().contains("is not in this pane"), "{}", app.text());
}

#[test]
fn an_unknown_key_points_to_the_help() {
    let mut app = dot();
    app.press("Q");
    assert!(app.text().contains("Q means nothing here; ? lists the keys."), "{}", app.text());
}

#[test]
fn copying_goes_to_the_terminal() {
    let mut app = at_reduce();
    app.press("y");
    assert!(app.app.requests.copy.as_ref().unwrap().contains("reduce"));
    let file = |strategy: &str| format!("shine-tui apply 'dot.rise' --strategy '{strategy}'");
    app.press(":").type_text("topDown(ownFusion)").press("Enter").press("Y");
    assert_eq!(app.app.requests.copy, Some(file("body(body(topDown(ownFusion)))")));
    app.press("u").press(":").type_text("whole").press("Enter");
    app.press(":").type_text("topDown(ownFusion)").press("Enter").press("Y");
    assert_eq!(app.app.requests.copy, Some(file("topDown(ownFusion)")));
}

/// The program depends on which definition is taken, on rules of other folders and on sizes.
#[test]
fn the_command_that_is_copied_makes_the_same_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text = "def first (a: n.f32): n.f32 = map sqrt a\ndef second (a: n.f32): n.f32 = map abs a";
    std::fs::write(path("f.rise"), text).unwrap();
    std::fs::create_dir(path("more")).unwrap();
    std::fs::write(path("more/z.elevate"), "strategy mine = topDown(useMapPar)").unwrap();
    let places = Places { rules: vec![path("more")], config: None };
    let texts = shine_tui::session::files::read(&path("f.rise"), &places).unwrap();
    let sizes = [("n".into(), 35)].into_iter().collect();
    let mut app = TestApp::of_definition(&texts, "first", &sizes);
    app.press(":").type_text("mine").press("Enter").press("Y");
    let [file, more] = ["f.rise", "more"].map(|name| path(name).display().to_string());
    let command =
        format!("shine-tui apply '{file}' --def 'first' --rules '{more}' --size n=35 --strategy 'mine'");
    assert_eq!(app.app.requests.copy, Some(command));
}

#[test]
fn leaving_is_immediate_when_nothing_runs() {
    let mut app = dot();
    app.press("q");
    assert!(app.app.requests.quit);
}

#[test]
fn on_a_small_terminal_keys_still_work() {
    let mut app = sized(20, 5);
    assert!(app.text().replace('\n', " ").contains("needs 50×15"), "{}", app.text());
    app.press("q");
    assert!(app.app.requests.quit);
}

#[test]
fn a_strategy_is_stepped_back_and_forth_and_gone_on_with_after_its_file_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("f.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. -x) |> map (\\x. x + 1)")
        .unwrap();
    let write = |body: &str| std::fs::write(path("f.elevate"), format!("strategy both = {body}")).unwrap();
    write("topDown(mapFusion) ; topDown(useMapSeq)");
    let texts = shine_tui::session::files::read(&path("f.rise"), &Default::default()).unwrap();
    let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    app.press("t").type_text("both").press("Enter").idle();
    assert!(has(&app, &["step 1 of 2, mapFusion at ", ": both"]), "{}", app.text());
    app.press("t");
    assert!(has(&app, &["step 2 of 2, useMapSeq at ", ": both"]), "{}", app.text());
    assert_eq!(app.app.session.current(), 1);
    app.press("N");
    assert!(has(&app, &["step 1 of 2, ", ": both"]), "{}", app.text());
    assert_eq!(app.app.session.current(), 0);
    app.press("t");
    assert_eq!((app.app.session.current(), app.app.session.history().len()), (1, 2), "the same step again");
    // Left, changed after the first step, and gone on with.
    app.press("Esc");
    write("topDown(mapFusion) ; topDown(useMapPar) ; id");
    app.app.look_at_file();
    assert!(app.text().contains("strategies have changed"), "{}", app.text());
    app.press("R t").idle();
    assert!(has(&app, &["step 2 of 2, useMapPar at ", ": both"]), "{}", app.text());
    app.press("T").idle();
    assert_eq!(app.app.session.current(), 2);
    assert!(app.text().contains("mapPar"), "{}", app.text());
    // Changed before what was taken: back to where the ways part.
    write("topDown(useMapPar)");
    app.app.look_at_file();
    app.press("R t").idle();
    assert!(has(&app, &["step 1 of 1, useMapPar at ", ": both"]), "{}", app.text());
    assert_eq!(app.app.session.current(), 0);
    // A mistake leaves all as it is.
    app.press("Esc");
    write("topDown(");
    app.app.look_at_file();
    app.app.settle();
    // It is said before the key is pressed that there is one.
    assert!(app.text().contains("cannot be used so; R shows why"), "{}", app.text());
    app.press("j");
    assert!(app.text().contains("file has errors, R shows them"), "{}", app.text());
    app.press("R");
    assert!(app.text().contains("never closed"), "{}", app.text());
    assert_eq!(app.app.session.workspace().texts.files[0].text, "strategy both = topDown(useMapPar)");
}

#[test]
fn what_applies_anywhere_is_listed_best_first_and_idle_rules_last() {
    let mut app = dot();
    let shown = |app: &TestApp| -> Vec<(String, String)> {
        let all = shine_tui::ui::panes::rules::shown(&app.app);
        all.iter().map(|c| (c.call.clone(), c.at.to_string())).collect()
    };
    let all = shown(&app);
    let at = |name: &str| all.iter().position(|(call, _)| call == name);
    assert!(at("ownFusion") < at("useReduceSeq") && at("ownFusion").is_some(), "{all:?}");
    assert!(app.text().contains("best first"), "{}", app.text());
    // What changes the loops comes first; in each part a place is left once for all. After some there is no code, which stand behind
    // all that do something.
    let candidates = shine_tui::ui::panes::rules::shown(&app.app);
    let leaves_no_code = |c: &Candidate| c.price.is_some_and(|(_, dearer)| dearer.leaves_no_code());
    let busy: Vec<_> = candidates.iter().filter(|c| !c.is_idle() && !leaves_no_code(c)).collect();
    let last = candidates.iter().rposition(|c| !c.is_idle() && !leaves_no_code(c));
    assert!(
        candidates.iter().position(|c| leaves_no_code(c)).is_none_or(|first| Some(first) > last),
        "{all:?}"
    );
    assert!(candidates.iter().any(|c| leaves_no_code(c)), "{all:?}");
    assert!(busy.is_sorted_by_key(|c| c.keeps_loops()), "{all:?}");
    assert!(busy.iter().any(|c| !c.keeps_loops()) && busy.iter().any(|c| c.keeps_loops()));
    // Those whose arguments are to be chosen, and of which it is not known what they do, are a part of their own.
    let part = |c: &Candidate| (c.keeps_loops(), c.keeps_loops() && c.open, c.at.clone());
    let busy: Vec<_> = busy.iter().map(|c| part(c)).collect();
    let mut places = busy.clone();
    places.dedup();
    let mut distinct = places.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(places.len(), distinct.len(), "{places:?}");
    let idle = candidates.iter().position(|c| c.is_idle()).unwrap_or(candidates.len());
    assert!(candidates.iter().skip(idle).all(|c| c.is_idle()), "{all:?}");
    assert!(all.len() > idle || at("idAfter").is_none());
    // Each can be applied from here, and leaves a program that is listed anew.
    app.press("3 / o w n F Enter");
    assert_eq!(app.app.session.current(), 0);
    app.press("Enter");
    assert_eq!(app.app.session.current(), 1);
    assert!(shown(&app).iter().all(|(call, _)| call != "ownFusion"));
}

#[test]
fn an_array_has_its_idle_rules_last() {
    let mut app = dot();
    // The zip of both vectors.
    app.press("/").type_text("zip").press("Enter K K");
    let calls: Vec<String> =
        shine_tui::ui::panes::rules::shown(&app.app).iter().map(|c| c.call.clone()).collect();
    let at = |name: &str| {
        calls.iter().position(|call| call == name).unwrap_or_else(|| panic!("{name}: {calls:?}"))
    };
    assert!(at("zipSwap") < at("mapArray") && at("zipSwap") < at("idAfter"), "{calls:?}");
}

#[test]
fn a_strategy_runs_at_the_selection_or_on_the_whole_program_and_the_prompt_says_which() {
    let mut app = dot();
    app.press("/").type_text("snd").press("Enter");
    app.press("a");
    assert!(app.text().contains("Strategy on the selection reduce › map › mul › snd"), "{}", app.text());
    app.type_text("topDown(ownFusion)").press("Enter");
    assert_eq!(app.app.session.history().len(), 1, "there is no reduction in it");
    assert!(app.text().contains("It ran on the selection"), "{}", app.text());
    app.press("C-t");
    assert!(app.text().contains("Strategy on the whole program"), "{}", app.text());
    assert!(app.text().contains("It ran on the selection"), "what was wrong stays: {}", app.text());
    app.press("Enter");
    assert_eq!(app.app.session.history().len(), 2);
    app.press("u t");
    assert!(app.text().contains("on the whole program"), "{}", app.text());
}

#[test]
fn typed_strategies_are_stepped_and_commands_take_their_arguments() {
    for keys in ["t", ":"] {
        let mut app = dot();
        app.press(keys);
        if keys == ":" {
            app.type_text("step ");
        }
        app.type_text("topDown(ownFusion)").press("Enter").idle();
        assert!(has(&app, &["step 1 of 1, ", ": topDown(ownFusion)"]), "{}", app.text());
        assert_eq!(app.app.session.history().len(), 1);
    }
    let mut app = dot();
    app.press(":").type_text("run topDown(ownFusion)").press("Enter").idle();
    assert_eq!(app.app.session.current(), 1);
    app.press(":").type_text("undo all of it").press("Enter");
    assert!(app.text().contains("`undo` takes nothing after its name"), "{}", app.text());
    assert_eq!(app.app.session.current(), 1);
    app.press(":").type_text("siz k=64").press("Enter");
    assert!(app.text().contains("k=64"), "{}", app.text());
}

#[test]
fn the_palette_finds_library_strategies_and_asks_for_their_arguments() {
    let mut app = dot();
    app.press(":").type_text("splitJ");
    app.press("C-u").type_text("tile");
    assert!(app.text().contains("(x, y)  Tiles two nested maps"), "{}", app.text());
    app.press("Enter");
    assert!(app.text().contains("│tile(") && app.text().contains("│tile(x, y)"), "{}", app.text());
    app.press("Esc :").type_text("isLoop");
    assert!(!app.text().contains("Is this a loop?"), "predicates are no strategies to run: {}", app.text());
    app.press("Esc :").type_text("sizesOf");
    assert!(!app.text().contains("sizesOfTile"), "neither are those of numbers: {}", app.text());
    for (typed, question) in [("cutsL", "without some of its rows"), ("pairsRed", "Are these two maps")] {
        app.press("Esc :").type_text(typed);
        assert!(!app.text().contains(question), "nor is what asks by another name: {}", app.text());
    }
    app.press("Esc :").type_text("reach").press("Enter");
    assert!(app.text().contains("│reach "), "{}", app.text());
}

#[test]
fn prompts_complete_clear_and_wrap() {
    let mut app = dot();
    app.press("a").type_text("ownD").press("Tab");
    assert!(app.text().contains("│ownDot "), "{}", app.text());
    app.press("C-u").type_text("outermost(isRed");
    assert!(app.text().contains("outermost(p, s)"), "the call is shown as it is written: {}", app.text());
    assert!(app.text().contains("isReduce") || app.text().contains("isReduceSeq"), "{}", app.text());
    app.press("C-u").type_text("reach baseline using ownR").press("Tab");
    assert!(app.text().contains("using ownRules"), "{}", app.text());
    app.type_text(" with (no").press("Tab");
    assert!(app.text().contains("with (no"), "{}", app.text());
    app.type_text("x x").press("C-w");
    assert!(!app.text().contains("x x"), "{}", app.text());
    app.press("C-u");
    let long = "try(ownDot) ; ".repeat(12);
    app.type_text(&long);
    let shown: String = app.text().lines().filter(|l| l.contains("ownDot) ;")).collect();
    assert_eq!(shown.matches(';').count(), 12, "all of it is seen: {}", app.text());
    app.press("Esc z").press("C-u").type_text("k").press("Tab").type_text("8").press("Enter");
    assert!(app.text().contains("k=8"), "{}", app.text());
}

#[test]
fn a_filter_narrows_while_one_types_and_goes_when_it_is_left() {
    let mut app = dot();
    let count = |app: &TestApp| shine_tui::ui::panes::rules::shown(&app.app).len();
    let all = count(&app);
    app.press("3 /").type_text("own");
    let some = count(&app);
    assert!(some > 0 && some < all);
    app.press("C-u");
    assert_eq!(count(&app), all);
    app.type_text("own").press("Esc");
    assert_eq!(count(&app), all);
    app.press("/").type_text("nothing like it").press("Enter");
    assert!(app.text().contains("No rule that is listed"), "{}", app.text());
    assert_eq!(app.app.session.history().len(), 1);
}

/// A program with rules beside it, on the disk.
fn on_the_disk(rules: &str) -> (tempfile::TempDir, TestApp) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("f.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. -x) |> map (\\x. x + 1)")
        .unwrap();
    std::fs::write(path("f.elevate"), rules).unwrap();
    let texts = shine_tui::session::files::read(&path("f.rise"), &Default::default()).unwrap();
    let app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    (folder, app)
}

#[test]
fn an_error_in_a_changed_program_is_shown_in_its_own_text_until_it_is_right() {
    let (folder, mut app) = on_the_disk("");
    let program = folder.path().join("f.rise");
    app.app.look_at_file();
    std::fs::write(&program, "-- another text\ndef f (a: n.f32): n.f32 = a |> mpa (\\x. x)").unwrap();
    app.app.look_at_file();
    app.press("R");
    assert!(
        app.text().contains("There is no `mpa`")
            && app.text().contains("✗ 2  def f (a: n.f32): n.f32 = a |> mpa"),
        "{}",
        app.text()
    );
    // It is still another text than the one that is open, and can be read again.
    app.press("Esc");
    app.app.look_at_file();
    app.press("R");
    assert!(app.text().contains("There is no `mpa`"), "{}", app.text());
    // Live: other problems take its place, and then the question.
    std::fs::write(&program, "def f (a: n.f32): n.f32 = a |> map (\\x. x + ").unwrap();
    app.app.look_at_file();
    assert!(app.text().contains("problem 1 of") && !app.text().contains("|> mpa"), "{}", app.text());
    std::fs::write(&program, "def f (a: n.f32): n.f32 = a |> map (\\x. x + 7)").unwrap();
    app.app.look_at_file();
    assert!(app.text().contains("Start again from it?"), "{}", app.text());
    // Whoever says no is told of a file that is right.
    app.press("n");
    app.app.look_at_file();
    assert!(
        app.text().contains("file changed, R reloads") && !app.text().contains("file has errors"),
        "{}",
        app.text()
    );
    app.press("R y");
    assert!(app.text().contains("x + 7.0"), "{}", app.text());
    // What was before is there.
    app.press("u");
    assert!(app.text().contains("the program was read again"), "{}", app.text());
}

/// Each file that goes is told, whatever went before.
#[test]
fn every_file_that_is_gone_is_told() {
    let (folder, mut app) = on_the_disk("strategy good = topDown(mapFusion)");
    app.app.look_at_file();
    for name in ["f.elevate", "f.rise"] {
        std::fs::remove_file(folder.path().join(name)).unwrap();
        (0..2).for_each(|_| app.app.look_at_file());
        let said = app.text();
        assert!(said.contains(&format!("{name} is gone")), "{name}: {said}");
    }
}

#[test]
fn strategies_with_errors_are_shown_and_the_others_work() {
    let (folder, mut app) = on_the_disk("strategy bad = topDown(\nstrategy good = topDown(mapFusion)");
    assert!(app.text().contains("never closed") && app.text().contains("Esc goes on"), "{}", app.text());
    app.app.look_at_file();
    app.press("Esc t").type_text("good").press("Enter").idle();
    assert!(has(&app, &["step 1 of 1, mapFusion at ", ": good"]), "{}", app.text());
    app.press("Esc");
    std::fs::write(folder.path().join("f.elevate"), "strategy good = topDown(mapFusion)").unwrap();
    app.app.look_at_file();
    app.press("R");
    assert!(app.app.session.workspace().errors().next().is_none());
    assert!(app.text().contains("hold from now on"), "{}", app.text());
    // Wrong strategies are not taken over with a program that is right, and it is said which it is.
    std::fs::write(folder.path().join("f.elevate"), "strategy bad = topDown(").unwrap();
    app.app.look_at_file();
    std::fs::write(folder.path().join("f.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. x + 7)").unwrap();
    app.app.look_at_file();
    let said = app.app.messages.back().map(|m| m.text.clone()).unwrap_or_default();
    assert!(said.contains("f.elevate beside it is wrong") && said.contains("never closed"), "{said}");
    app.press("R");
    assert!(
        app.text().contains("f.elevate: problem 1 of 1") && app.text().contains("never closed"),
        "{}",
        app.text()
    );
    app.press("Esc");
    // A name that nothing has does not hold.
    std::fs::write(
        folder.path().join("f.rise"),
        "def f (a: n.f32): n.f32 = a |> map (\\x. -x) |> map (\\x. x + 1)",
    )
    .unwrap();
    std::fs::write(folder.path().join("f.elevate"), "strategy good = topDown(nosuch)").unwrap();
    app.app.look_at_file();
    app.press("R");
    assert!(app.text().contains("nosuch") && !app.text().contains("hold from now on"), "{}", app.text());
}

#[test]
fn a_search_can_be_looked_at_rewrite_by_rewrite() {
    let mut app = TestApp::new("matmul", (120, 36), UNICODE);
    app.press(":").type_text("reach baseline using baselineRules").press("Enter").idle();
    assert!(app.text().contains("4, then p shows how"), "{}", app.text());
    app.press("4 p");
    let steps = app.app.session.history().revision(1).unwrap().steps.len();
    assert!(steps > 1, "the derivation is known");
    assert!(app.text().contains(&format!("revision 1: step 1 of {steps}")), "{}", app.text());
    app.press("n");
    assert!(app.text().contains("step 2 of"), "{}", app.text());
    app.press("Esc 7 p");
    assert!(app.text().contains("step 1 of"), "{}", app.text());
    // The last step leads to what was found.
    let revision = app.app.session.history().revision(1).unwrap();
    assert_eq!(revision.steps.last().unwrap().after, revision.term);
}

/// What a prompt shows as an example can be typed.
#[test]
fn examples_in_prompts_run() {
    for kind in [EntryKind::Strategy, EntryKind::Sketch] {
        let mut app = TestApp::new("matmul", (120, 36), UNICODE);
        app.press(if kind == EntryKind::Sketch { "S" } else { "a" });
        let example = kind.example(app.app.session.workspace());
        assert!(app.text().contains(&example), "{}", app.text());
        app.type_text(&example).press("Enter").idle();
        assert_eq!(app.app.session.current(), 1, "{}", app.text());
    }
}

/// The kernel that is shown is the one for the device, and a program for OpenCL is shown as OpenCL from the start.
#[test]
fn the_kernel_is_shown_for_the_device() {
    let mut texts = kernel("dot");
    texts.program.text =
        "def f (a: n.f32): n.f32 = oclRun 4 1 1 16 1 1 (mapGlobal (\\x. x + 1) a)".to_owned();
    texts.default_sizes = [("n".into(), 64)].into_iter().collect();
    let mut app =
        TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new().device("NVIDIA CUDA", "GPU"));
    app.idle();
    assert!(app.text().contains("get_global_id"), "{}", app.text());
    for (name, sign) in [("GPU", "[opencl]"), ("cpu", "E0520"), ("GPU", "[opencl]")] {
        app.press(":").type_text(&format!("device {name}")).press("Enter").idle();
        assert!(app.text().contains(sign), "{name}: {}", app.text());
    }
}

/// A screen on a program of one size, with its value, and a rule that takes an argument.
fn negated() -> TestApp {
    let mut texts = kernel("dot");
    texts.program.text = "def f (a: n.f32): n.f32 = a |> map (\\x. -x) |> map (\\x. x + 1)".to_owned();
    texts.files = vec![Text {
        label: "own.rules".to_owned(),
        text: "rule ownSplit(p) = map f (x : (n*p).s) ~> join (map (map f) (split p x))".to_owned(),
    }];
    let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    app.press(":").type_text("sizes n=12").press("Enter J");
    app
}

#[test]
fn arguments_are_asked_for_in_place_with_values_that_divide() {
    let mut app = negated();
    app.press("3 /").type_text("ownSplit").press("Enter Enter").idle();
    let shown = app.text();
    for (call, fits) in [("4", true), ("3", true), ("6", true), ("2", true), ("8", false), ("32", false)] {
        assert_eq!(shown.contains(&format!("ownSplit({call})")), fits, "{call}: {shown}");
    }
    assert!(shown.contains("other"), "{shown}");
    app.type_text("ownSplit(6)").press("Enter");
    let history = app.app.session.history();
    let label = &history.revision(history.current()).unwrap().label;
    assert!(label.starts_with("ownSplit(6) at"), "{label}: {}", app.text());
}

#[test]
fn a_rule_is_applied_everywhere_at_once() {
    let mut app = negated();
    app.press("3 /").type_text("useMapSeq").press("Tab E").idle();
    let session = &app.app.session;
    let label = &session.history().revision(session.current()).unwrap().label;
    assert!(label.starts_with("tryAll(useMapSeq)"), "{label}");
    let text = session.workspace().print(session.term());
    assert_eq!(text.matches("mapSeq").count(), 2, "{text}");
}

#[test]
fn a_preview_is_of_the_term_of_the_loops_or_of_the_code() {
    let mut app = negated();
    app.press("3 /").type_text("useMapSeqUnroll").press("Tab p");
    assert!(app.text().contains(": term") && app.text().contains("+ "), "{}", app.text());
    app.press("Tab");
    assert!(app.text().contains(": loops") && app.text().contains("for n"), "{}", app.text());
    app.press("Tab").idle();
    assert!(app.text().contains(": code"), "{}", app.text());
    assert!(!app.text().contains("Generating code"), "{}", app.text());
    app.press("Tab");
    assert!(app.text().contains(": term"), "{}", app.text());
    assert_eq!(app.app.session.history().len(), 1, "a preview changes nothing");
}

#[test]
fn the_history_tells_what_is_the_same_and_what_a_step_was_worth() {
    let mut app = negated();
    app.press("K a").type_text("topDown(useMapSeq)").press("Enter").idle();
    app.press("a").type_text("bottomUp(useMapSeq)").press("Enter").idle();
    app.press("7").idle();
    assert!(app.text().contains("lines of code"), "{}", app.text());
    // Without the first of the two steps.
    app.press("g g j W").idle();
    let session = &app.app.session;
    assert_eq!(session.history().parent(session.current()), Some(0), "{}", app.text());
    let text = session.workspace().print(session.term());
    assert_eq!(text.matches("mapSeq").count(), 1, "{text}");
    // The same way once more leads to a state that there is.
    app.press("1 u a").type_text("bottomUp(useMapSeq)").press("Enter").idle();
    app.press("7").idle();
    assert!(app.text().contains("same as"), "{}", app.text());
}

#[test]
fn two_states_are_measured_in_turns_and_stand_beside_each_other() {
    let mut app = TestApp::with(&kernel("dot"), (200, 60), UNICODE, "default", FakeDevices::new());
    app.press("c");
    assert!(app.text().contains("No state is pinned"), "{}", app.text());
    app.press("'").press("a").type_text("topDown(useReduceSeq)").press("Enter").idle();
    app.press("d");
    let both = |line: &str| line.contains("reduce (+)") && line.contains("reduceSeq (+)");
    assert!(app.text().lines().any(both), "{}", app.text());
    app.press("Esc c");
    assert!(app.text().contains("k="), "the sizes are asked for: {}", app.text());
}

/// What would undo the last step is offered last, and says so; what it does is readable in a narrow pane.
#[test]
fn the_rule_that_leads_back_comes_last_and_effects_are_not_cut() {
    let mut app = TestApp::new("matmul", (80, 24), UNICODE);
    app.press("3").idle();
    assert!(app.text().contains("…  reorders"), "{}", app.text());
    app.press("/").type_text("mapInterchange").press("Enter").idle();
    // What was looked for is highlighted, and nothing is done yet.
    assert_eq!(app.app.session.current(), 0);
    assert!(app.text().contains("Enter applies `mapInterchange`"), "{}", app.text());
    app.press("Enter").idle();
    assert_eq!(app.app.session.current(), 1);
    app.press("3").idle();
    let offered: Vec<(String, Effect)> = app
        .app
        .rules
        .candidates
        .iter()
        .filter(|c| c.result.is_ok())
        .map(|c| (c.call.clone(), c.effect.clone()))
        .collect();
    let back: Vec<usize> =
        (0..offered.len()).filter(|i| matches!(offered[*i].1, Effect::LoopsOf(0))).collect();
    assert!(!back.is_empty() && back[0] + back.len() == offered.len(), "{offered:?}");
    assert!(offered[back[0]].0.starts_with("mapInterchange"), "{offered:?}");
}

/// A rule with a parameter is never applied with a value that nobody chose: values are offered, all of which divide the size.
#[test]
fn a_parameter_is_asked_for_with_values_that_divide_the_size() {
    let mut app = TestApp::new("matmul", (120, 36), UNICODE);
    app.press(":").type_text("sizes m=48 n=48 k=48").press("Enter").idle();
    app.press("3 /").type_text("splitJoin(").press("Enter Enter").idle();
    let shown = app.text();
    assert!(shown.contains("splitJoin(") && shown.contains("with which arguments?"), "{shown}");
    for (value, divides) in
        [("3", true), ("12", true), ("24", true), ("5", false), ("32", false), ("64", false)]
    {
        assert_eq!(shown.contains(&format!("splitJoin({value})")), divides, "{value}: {shown}");
    }
    assert_eq!(app.app.session.history().len(), 1);
    app.press("Enter").idle();
    assert_eq!(app.app.session.current(), 1, "{}", app.text());
    // With its value it is typed, and nothing is asked.
    app.press("3 /").type_text("splitJoin(12)").press("Enter Enter").idle();
    assert_eq!(app.app.session.current(), 2, "{}", app.text());
}

/// What is applied everywhere is proposed with a value that divides everywhere.
#[test]
fn a_rule_is_proposed_everywhere_with_a_value_that_divides_at_all_places() {
    let proposed = |sizes: &str| {
        let mut texts = kernel("dot");
        texts.files.clear();
        texts.default_sizes.clear();
        texts.program.text =
            "def f (a: n.f32) (b: (n + 2).f32): (n.f32 * (n + 2).f32) = pair (a |> map sqrt) (b |> map sqrt)"
                .to_owned();
        let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
        app.press(":").type_text(&format!("sizes {sizes}")).press("Enter").idle();
        app.press("3 /").type_text("splitJoin(p").press("Enter E").idle();
        app
    };
    let mut app = proposed("n=256");
    assert!(app.text().contains("tryAll(splitJoin(2))"), "{}", app.text());
    app.press("Enter").idle();
    assert_eq!(app.app.session.current(), 1, "{}", app.text());
    assert!(!app.text().contains("do not meet"), "{}", app.text());
    // Nothing divides both 9 and 11.
    let app = proposed("n=9");
    assert!(app.text().contains("tryAll(splitJoin("), "{}", app.text());
    assert!(app.text().contains("these sizes rule out each at some place"), "{}", app.text());
}

/// A program whose code asks for memory.
fn with_memory(size: (u16, u16)) -> TestApp {
    let mut texts = kernel("dot");
    texts.files.clear();
    texts.default_sizes.clear();
    texts.program.text =
        "def f (a: n.f32): n.f32 = a |> mapSeq (\\x. x * 2) |> toMem |> mapSeq (\\x. x + 1)\n".to_owned();
    TestApp::with(&texts, size, UNICODE, "default", FakeDevices::new())
}

/// What the code needs and no part of the program asks for is one line that opens; lines of the selection are marked whether it
/// is open or not.
#[test]
fn preambles_of_code_fold() {
    let mut app = with_memory((120, 36));
    app.press("5").idle();
    let folded = app.text();
    assert!(folded.contains(" 3 ▸ 15 lines: stdio.h, stdlib.h, allocate"), "{folded}");
    assert!(!folded.contains("aligned_alloc") && folded.contains("19 void f("), "{folded}");
    let marked = |app: &TestApp| -> Vec<String> {
        let lines = app.app.content(Pane::Kernel).lines.iter();
        let marked = |line: &Line| line.spans.iter().any(|span| span.mark != Mark::None);
        lines.filter(marked).map(|line| line.text()).collect()
    };
    let listed = |app: &TestApp| {
        app.app.content(Pane::Kernel).lines.iter().map(|line| line.text()).collect::<Vec<_>>().join("\n")
    };
    app.press("1 J J").idle();
    let selected = marked(&app);
    assert!(!selected.is_empty() && selected.iter().any(|line| line.contains("for (")), "{selected:?}");
    app.press("5 Space").idle();
    assert!(listed(&app).contains("aligned_alloc"), "{}", app.text());
    assert_eq!(marked(&app), selected);
    app.press("Space").idle();
    assert!(!listed(&app).contains("aligned_alloc"), "{}", app.text());
    // What is looked for is found where it is folded, and a line that is folded opens by Enter too.
    app.press("/").type_text("aligned").press("Enter").idle();
    assert!(listed(&app).contains("aligned_alloc"), "{}", app.text());
    app.press("Esc").idle();
    assert!(!listed(&app).contains("aligned_alloc"), "{}", app.text());
    app.press("g g j j Enter").idle();
    assert!(listed(&app).contains("aligned_alloc"), "{}", app.text());
    app.press("1 Space");
    assert!(app.text().contains("Nothing opens or closes in this pane"), "{}", app.text());
}

/// Lists are as large as what they show, and keep their size while they are narrowed.
#[test]
fn lists_grow_with_what_they_show() {
    let frame = |app: &TestApp| {
        let text = app.text();
        let top = text.lines().position(|row| row.contains("┌ Command or strategy")).unwrap();
        let below = text.lines().skip(top).position(|row| row.contains('└')).unwrap();
        below + 1
    };
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = sized(width, height);
        app.press(":");
        let whole = frame(&app);
        assert_eq!(whole, usize::from(height) - 2, "more commands than rows: {}", app.text());
        app.type_text("swe");
        assert_eq!(frame(&app), whole, "{}", app.text());
        // All that is said of the highlighted entry is there.
        let said: String = app.text().lines().map(|row| row.replace(['│', '┃'], " ")).collect();
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("doubled or listed, and say where which is faster."), "{}", app.text());
    }
    let mut app = sized(120, 36);
    app.press("Esc :").type_text("theme").press("Enter").idle();
    let few = app.text();
    let top = few.lines().position(|row| row.contains("┌ Which theme?")).unwrap();
    let below = few.lines().skip(top).position(|row| row.contains("└─")).unwrap();
    assert!(below < 12, "a list of few entries is small: {few}");
}

/// A message that does not fit into the last line takes more, until the next key; questions are broken where the screen ends.
#[test]
fn long_messages_are_said_whole() {
    let long = "word ".repeat(60) + "end.";
    for (width, height) in [(50, 15), (80, 24), (200, 60)] {
        let mut app = sized(width, height);
        app.app.tell(Role::Good, long.clone());
        let said = app.text();
        assert!(said.contains("end.") && said.matches("word").count() >= 60, "{said}");
        assert!(said.contains("rev 0/0"), "the state of things stays in sight: {said}");
        app.press("j");
        assert!(!app.text().contains("end."), "{}", app.text());
        let lines = vec![Line::plain(long.clone()), Line::plain("y yes, n no")];
        let question = Question { about: About::Quit, lines, can_save: false };
        app.app.popups.push(Popup::Question(question));
        let asked = app.text();
        assert!(asked.contains("end.") && asked.contains("y yes, n no"), "{asked}");
    }
}

/// A strategy that is known to fail is not run to its failure by one key: nothing of it is left in the history.
#[test]
fn the_steps_before_a_failure_are_taken_one_by_one_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("f.rise"), "def f (a: n.f32): n.f32 = a |> map (\\x. -x) |> map (\\x. x + 1)")
        .unwrap();
    let steps = "strategy hopeless = topDown(mapFusion) ; topDown(useMapSeq) ; topDown(useMapPar)";
    std::fs::write(path("f.elevate"), steps).unwrap();
    let texts = shine_tui::session::files::read(&path("f.rise"), &Default::default()).unwrap();
    let mut app = TestApp::with(&texts, (120, 36), UNICODE, "default", FakeDevices::new());
    app.press("t").type_text("hopeless").press("Enter").idle();
    assert!(
        app.text().contains("step 1 of 2")
            && app.text().contains("After the last of these steps the strategy fails"),
        "{}",
        app.text()
    );
    app.press("t").idle();
    assert_eq!(app.app.session.history().len(), 2);
    app.press("T").idle();
    assert_eq!(app.app.session.history().len(), 2, "{}", app.text());
    assert!(app.text().contains("were not taken"), "{}", app.text());
}

/// A step that what follows cannot do without is not left out: nobody is left at the state before it.
#[test]
fn a_step_that_cannot_be_left_out_leaves_the_state_as_it_was() {
    let mut app = dot();
    // Only what the fusion has made can be taken apart.
    for step in ["topDown(reduceMapFusion)", "topDown(reduceSeqMapFission)"] {
        app.press("a").type_text(step).press("Enter").idle();
    }
    assert_eq!(app.app.session.current(), 2, "{}", app.text());
    app.press("7 k W").idle();
    let text = app.text();
    assert!(text.contains("does not apply"), "{text}");
    let told =
        "What followed revision 1 was not done again without it; revision 2 is the present state, as before.";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{text}");
    assert_eq!(app.app.session.current(), 2, "{text}");
}

/// What a key does is said of the pane that has the keys, and only where it does something.
#[test]
fn hints_and_help_tell_what_keys_do_here() {
    let mut app = dot();
    app.press("7");
    let hints = |app: &TestApp| app.text().lines().last().unwrap_or_default().to_owned();
    // Of the program as it was read no rewrites are recorded, and it cannot be left out.
    for key in ["p ", "W "] {
        assert!(!hints(&app).split("  ").any(|hint| hint.starts_with(key)), "{}", hints(&app));
    }
    app.press("W");
    assert!(app.text().contains("nothing was done to leave out"), "{}", app.text());
    app.press("?").type_text("open");
    assert!(app.text().contains("Go to the highlighted state"), "{}", app.text());
    app.press("Esc");
    // In a filter of text nothing is completed.
    app.press("1 /").type_text("zi");
    assert!(hints(&app).contains("Enter find") && !hints(&app).contains("Tab"), "{}", hints(&app));
    app.press("Esc a").type_text("topDo");
    assert!(hints(&app).contains("Tab complete"), "{}", hints(&app));
    app.press("C-u").type_text("zzz");
    assert!(!hints(&app).contains("Tab complete"), "{}", hints(&app));
    app.press("Esc :").type_text("stop");
    assert!(app.text().contains("Nothing is running"), "{}", app.text());
}

/// A program that is like the sketch as it is takes no rewrite, and that is said.
#[test]
fn a_goal_that_is_met_at_once_is_said_to_be() {
    let mut app = dot();
    app.press("S").type_text("reach contains(reduce) using { useMapSeq }").press("Enter").idle();
    // It is warned of first.
    app.press("Enter").idle();
    assert!(app.app.popups.is_empty(), "{}", app.text());
    assert!(app.text().contains("is like the sketch as it is"), "{}", app.text());
    let history = app.app.session.history();
    assert!(history.revision(history.current()).unwrap().steps.is_empty(), "a rewrite that is none");
    assert!(
        !app.text().contains("Found in one step") && !app.text().contains("by 0 rewrites"),
        "{}",
        app.text()
    );
}

/// What a search cannot come to is said before it begins; who wants it all the same says so.
#[test]
fn a_search_that_is_known_to_be_hopeless_warns_before_it_begins() {
    let mut app = dot();
    app.press("S").type_text("reach contains(mapGlobal) using { useMapSeq }").press("Enter").idle();
    assert!(app.text().contains("no rule here") && app.text().contains("Enter once more"), "{}", app.text());
    assert!(app.app.session.is_idle() && app.app.search.is_none());
    app.press("Enter").idle();
    assert!(app.app.search.is_some(), "{}", app.text());
    // What was said of another text is over.
    let mut app = dot();
    app.press("S").type_text("reach contains(reduce)").press("Enter").idle();
    assert!(app.text().contains("is like this sketch as it is"), "{}", app.text());
    app.press("C-u").type_text("reach contains(mapSeq)");
    assert!(!app.text().contains("once more"), "{}", app.text());
    // What a part does not have the whole program may have.
    let mut app = dot();
    app.press(":")
        .type_text("select 0.0.1")
        .press("Enter S")
        .type_text("reach contains(reduceSeq)")
        .press("Enter");
    let text = app.text();
    assert!(text.contains("There is none, and no rule"), "{text}");
    assert!(text.contains("said of the selection") && text.contains("(0.0.1); C-t"), "{text}");
    app.press("C-t");
    assert!(!app.text().contains("once more"), "{}", app.text());
    // A sum in any order is not taken apart: of that it is known before rules are chosen for a search that names none.
    let mut app = dot();
    app.press("S").type_text("reach containsReduce(k/4, containsReduce(4, ?))").press("Enter").idle();
    assert!(app.text().contains("`containsReduceSeq`"), "{}", app.text());
    assert!(app.app.session.is_idle() && app.app.search.is_none());
    // So is what the best programs are to be measured of.
    let mut app = dot();
    app.press("z C-u").type_text("k=64").press("Enter m C-u");
    app.type_text("2 reach contains(mapGlobal) using { useMapSeq }").press("Enter").idle();
    assert!(app.text().contains("no rule here") && app.text().contains("Enter once more"), "{}", app.text());
    assert!(app.app.best.is_none() && app.app.session.is_idle(), "{}", app.text());
    app.press("Enter").idle();
    assert!(app.app.best.is_some(), "{}", app.text());
}

/// What comes of work in the background never lies over what one types in, and gives way to what one does next.
#[test]
fn results_wait_until_nothing_else_is_open_and_give_way() {
    let mut app = dot();
    // Why this strategy fails is told in a page.
    app.press("a").type_text("mapFusion").press("Enter a").type_text("topDown(").idle();
    assert!(matches!(app.app.popups.as_slice(), [Popup::Entry(_) | Popup::Choice(_)]), "{}", app.text());
    app.type_text("mapFusion)");
    assert!(app.text().contains("topDown(mapFusion)"), "{}", app.text());
    app.press("Esc");
    assert!(matches!(app.app.popups.as_slice(), [Popup::Page(_)]), "{}", app.text());
    assert!(app.text().contains("does not apply"), "{}", app.text());
    app.press("7");
    assert!(app.app.popups.is_empty() && app.app.focus.pane == Pane::History, "{}", app.text());
}

/// Each step of a strategy can be taken by itself, also one that shares the part at a position.
#[test]
fn the_steps_of_auto_are_taken_one_by_one() {
    let mut app = TestApp::new("gesummv", (120, 36), UNICODE);
    app.press("t").type_text("auto").press("Enter").idle();
    let all = app.app.stepping.as_ref().map_or(0, |stepping| stepping.steps.len());
    assert!(all > 10, "{}", app.text());
    for _ in 0..all {
        app.press("t").idle();
        assert!(!app.text().contains("error["), "{}", app.text());
    }
    let last = app.app.stepping.as_ref().and_then(|stepping| Some(stepping.steps.last()?.after.digest()));
    assert_eq!(Some(app.app.session.term().digest()), last);
}

/// Of two branches one is kept only where there are two, and where they could be measured.
#[test]
fn of_one_branch_none_is_better() {
    let mut app = dot();
    app.press(":").type_text("better").press("Enter");
    assert!(app.text().contains("one branch so far"), "{}", app.text());
    app.press("Esc a").type_text("topDown(ownFusion)").press("Enter").idle();
    app.press("u a").type_text("topDown(useReduceSeq)").press("Enter").idle();
    assert_eq!(app.app.session.current(), 2);
    // The device has no answer.
    app.press("H").idle();
    assert!(app.text().contains("E0705") && app.app.choosing.is_none(), "{}", app.text());
    assert_eq!(app.app.session.current(), 2);
}

/// The code of states that nobody has looked at is made in the background, and compared when it is there.
#[test]
fn code_that_is_not_at_hand_is_compared_when_it_is() {
    let mut app = dot();
    app.press("'").press("a").type_text("topDown(ownFusion)").press("Enter").idle();
    app.press("5 d");
    let waits = app.text();
    app.idle();
    let shown = app.text();
    assert!(waits.contains("code: revision 0 (-) and revision 1 (+)"), "{waits}");
    assert!(shown.contains("code: revision 0 (-) and revision 1 (+)"), "{shown}");
    assert!(!shown.contains("Generating code"), "{shown}");
    assert!(
        shown.lines().any(|line| line.contains('+') && line.contains("for (int"))
            || shown.contains("the same"),
        "{shown}"
    );
    app.press("Esc");
    assert!(!app.text().contains("(-) and"), "{}", app.text());
}

/// The page has what the screen knows, and replaces nothing.
#[test]
fn the_session_is_written_as_a_page_from_the_screen() {
    let mut app = dot();
    let file = app.folder.path().join("page.html");
    app.press(":").type_text(&format!("export {}", file.display())).press("Enter").idle();
    let page = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{e}: {}", app.text()));
    assert!(page.contains(">History</h2>") && page.contains(">Environment</h2>"), "{page}");
    app.press(":").type_text(&format!("export {}", file.display())).press("Enter").idle();
    assert!(app.text().contains("is there already. (E0918)"), "{}", app.text());
}

/// What is copied is what can be typed or read elsewhere, without what it is drawn with.
#[test]
fn what_is_copied_is_whole_and_has_no_decoration() {
    let mut app = sized(80, 24);
    app.press(":").type_text("ownDot").press("Enter").idle();
    app.press("7 y");
    assert_eq!(app.app.requests.copy.as_deref(), Some("ownDot"), "{}", app.text());
    app.press("g g y");
    assert_eq!(app.app.requests.copy.as_deref(), Some("dot"), "{}", app.text());
    let long = "A message that is longer than the pane is wide, so that it is broken into several rows there, and is copied whole.";
    app.app.tell(Role::Hint, long);
    app.press("w G g g j j y");
    assert_eq!(app.app.requests.copy.as_deref(), Some(long), "{}", app.text());
    app.press("u 3").idle();
    let call = app.app.candidate().map(|rule| rule.call.clone());
    app.press("y");
    assert_eq!(app.app.requests.copy, call, "{}", app.text());
    app.press("1 J P y");
    let sketch = app.app.requests.copy.clone().unwrap();
    assert!(sketch.starts_with("(reduce") && !sketch.contains("anything"), "{sketch}");
    app.press("2 j j y");
    let loops = app.app.requests.copy.clone().unwrap();
    assert!(!loops.starts_with(['│', ' ']) && !loops.is_empty(), "{loops}");
}

/// Whatever lies over the panes to be read, the key that lists all keys does.
#[test]
fn help_is_listed_wherever_it_is_promised() {
    let mut app = TestApp::new("matmul", (80, 24), UNICODE);
    app.press("t").type_text("blocked(16, 8, 4)").press("Enter").idle();
    assert!(app.text().contains("step 1 of"), "{}", app.text());
    app.press("Q");
    assert!(app.text().contains("? lists the keys"), "{}", app.text());
    // Of a page those of the page, then those of the pane below.
    app.press("?");
    let text = app.text();
    assert!(text.contains("Keys of the page") && text.contains("once more lists"), "{text}");
    app.press("Esc");
    assert!(app.text().contains("step 1 of"), "{}", app.text());
    app.press("? ?");
    assert!(app.text().contains("Help: "), "{}", app.text());
    // Where it is not listed that is not said.
    app.press("Esc");
    app.app.popups.push(Popup::Question(Question {
        about: About::Quit,
        lines: vec![Line::plain("Leave?")],
        can_save: false,
    }));
    app.press("?");
    assert!(app.text().contains("? means nothing here."), "{}", app.text());
}

/// In few columns, too, the first screen says what the program has to do, and what says what bounds that.
#[test]
fn the_first_screen_says_what_the_program_costs() {
    for size in [(80, 24), (120, 36), (200, 60)] {
        let app = TestApp::new("matmul", size, UNICODE);
        assert!(app.text().contains(" operations, 170.7 a byte; O"), "{}", app.text());
        let head: Vec<String> = app.app.content(Pane::Term).head.iter().map(Line::text).collect();
        let said = head.iter().flat_map(|row| row.split_whitespace()).collect::<Vec<_>>().join(" ");
        assert!(said.ends_with("170.7 a byte; O says what bounds them"), "{said}");
    }
}

/// The wheel moves what is seen of the term, and leaves the selection.
#[test]
fn the_wheel_scrolls_the_term() {
    let mut app = TestApp::new("harris", (80, 24), UNICODE);
    let (selected, first) = (app.app.selection.clone(), app.text().lines().nth(8).map(str::to_owned));
    app.mouse(MouseEventKind::ScrollDown, (10, 10));
    assert_eq!(app.app.selection, selected);
    assert_eq!(app.app.window(Pane::Term).top, 3, "{}", app.text());
    assert_ne!(app.text().lines().nth(8).map(str::to_owned), first);
    app.mouse(MouseEventKind::ScrollUp, (10, 10));
    assert_eq!(app.app.window(Pane::Term).top, 0, "{}", app.text());
}

/// What is cut off ends with dots: what a pattern does, and steps of a sketch, which differ at their ends.
#[test]
fn what_is_cut_is_seen_to_be_cut() {
    let mut app = TestApp::new("matmul", (80, 24), UNICODE);
    app.press("/").type_text("map").press("Enter").idle();
    let row = app
        .text()
        .lines()
        .find(|row| row.contains("map: Applies"))
        .map(|row| row.chars().take(40).collect::<String>());
    let row = row.unwrap_or_else(|| panic!("{}", app.text()));
    assert!(row.trim_end_matches(['│', ' ']).ends_with('…'), "{row}");
    app.press("1 K K K K K K K K P").idle();
    let shown = app.text();
    let steps: Vec<&str> = shown
        .lines()
        .filter_map(|row| Some(row.split_once('│')?.1))
        .filter(|row| row.contains('`'))
        .collect();
    let mut different = steps.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), steps.len(), "{shown}");
}

/// How a session is replayed is said on the screen, and where it is saved.
#[test]
fn how_to_replay_is_said() {
    let mut app = dot();
    app.press(":").type_text("replay").press("Enter");
    assert!(
        app.text().contains("`shine-tui replay ") && app.text().contains("session.ron"),
        "{}",
        app.text()
    );
    let named = app.folder.path().join("my own.ron");
    app.press("C-s").type_text(&named.display().to_string()).press("Enter");
    let told = app.app.messages.back().unwrap().text.clone();
    assert!(told.contains(&format!("`shine-tui replay '{}'`", named.display())), "{told}");
    // Nothing has come that could be shown again.
    app.press("r");
    assert!(app.text().contains("Nothing has come of work in the background yet"), "{}", app.text());
}

/// What a stopped search knew of the parts of its sketch stays in sight.
#[test]
fn the_parts_of_a_sketch_stay_after_a_search_was_stopped() {
    let mut app = TestApp::new("matmul", (120, 60), UNICODE);
    let search = "reach reorder2(32, 32, 4) using { splitJoin(32), splitJoin(4), blockedReduce(4), mapInterchange, mapFission, \
                  mapFusion, liftReduce, reduceMapFusion, transposePairAfter, transposeAround }";
    app.press("S C-u").type_text(search);
    let press = |app: &mut TestApp, key: &str| {
        for key in sequence(key).unwrap() {
            app.send(Msg::Key(key.into(), Instant::now()));
        }
    };
    press(&mut app, "Enter");
    // It may be warned of.
    if !app.app.popups.is_empty() {
        press(&mut app, "Enter");
    }
    let parts = |app: &TestApp| app.app.found.progress.as_ref().map_or(0, |p| p.now.parts.len());
    let begin = Instant::now();
    while parts(&app) == 0 || app.app.found.progress.as_ref().is_some_and(|p| p.now.iteration < 2) {
        app.send(Msg::News);
        assert!(begin.elapsed() < Duration::from_secs(120), "{}", app.text());
    }
    press(&mut app, "C-c");
    app.idle().press("4");
    assert!(parts(&app) > 0 && app.text().contains("nowhere yet"), "{}", app.text());
    assert!(app.text().contains("topped"), "{}", app.text());
}

/// What a search found is written as a strategy that needs none, and a rule of it is held back, by a key each.
#[test]
fn a_search_is_frozen_into_a_strategy_and_its_rules_are_held_back() {
    let mut app = TestApp::new("matmul", (80, 24), UNICODE);
    app.press("A");
    assert!(app.text().contains("it is the program as it was written"), "{}", app.text());
    app.press("F");
    assert!(app.text().contains("No search has been typed yet"), "{}", app.text());
    app.press("S C-u").type_text("baseline using baselineRules").press("Enter 4");
    // The rules that lead there are marked, and the keys for both are seen.
    app.press("G");
    assert!(app.text().contains("  yes  "), "{}", app.text());
    assert!(app.text().contains("F hold a rule back"), "{}", app.text());
    app.press("A");
    let copied = app.app.requests.copy.clone().unwrap_or_default();
    assert!(
        copied.contains("strategy baselineFound =") && app.text().contains("As a strategy"),
        "{}",
        app.text()
    );
    // It does the same without a search.
    let found = app.app.session.term().digest();
    let body =
        copied.split_once("=\n").map(|(_, body)| body.split_whitespace().collect::<Vec<_>>().join(" "));
    app.press("Esc 7 g g Enter a").type_text(&body.unwrap_or_default()).press("Enter");
    assert_eq!(app.app.session.term().digest(), found, "{}", app.text());
    let file = app.folder.path().join("found.elevate");
    let command = format!("as-strategy {}", file.display());
    app.press("7 g g j Esc :").type_text(&command).press("Enter");
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, copied, "{}", app.text());
    // A file is not replaced.
    app.press(":").type_text(&command).press("Enter");
    assert!(app.text().contains("Not done"), "{}", app.text());
    app.press("Esc 4 F");
    assert!(app.text().contains("Hold which rule back after 2 iterations?"), "{}", app.text());
    assert!(app.text().contains("on the way to what was found"), "{}", app.text());
    app.press("Enter");
    assert!(app.text().contains("with (freeze: [reduceSeqMapFusion(2)])"), "{}", app.text());
    // As many rewrites are told as are made, also where one line makes several.
    let mut app = TestApp::new("matmul", (80, 24), UNICODE);
    app.press("S")
        .type_text("containsMapSeq(m, containsMapSeq(n, ?)) using { useMapSeq }")
        .press("Enter")
        .idle();
    app.press("Esc A");
    let copied = app.app.requests.copy.clone().unwrap_or_default();
    assert!(
        copied.starts_with("--| 2 rewrites towards") && copied.contains("repeatN(2, "),
        "{copied}{}",
        app.text()
    );
}
