//! Whole screens: how they look at the sizes that are promised, that no size breaks them, and that whatever is pressed
//! leaves a session that replays.

use crate::ui_common::{ASCII_MONO, TestApp, UNICODE};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use shine_tui::device::fake::FakeDevices;
use shine_tui::session::replay::{Level, Options, Verdict, replay};
use shine_tui::session::searching::SearchMode;
use shine_tui::ui::capabilities::Capabilities;
use std::cell::RefCell;
use std::sync::Arc;

/// A screen as text, and below it one letter a cell for the role that its style shows.
fn picture(size: (u16, u16), capabilities: Capabilities) -> String {
    let mut app = TestApp::new("dot", size, capabilities);
    // The term, its loops and the selection are what the picture is about; the library of rules may grow.
    app.press("J 1");
    let text: Vec<String> =
        app.text().lines().map(|l| l.replace(|c: char| c.is_ascii_digit(), "#")).collect();
    format!("{}\n\n{}", text.join("\n"), app.roles())
}

#[test]
fn the_promised_sizes_look_as_they_should() {
    for (name, size) in [("wide", (120, 36)), ("usual", (80, 24)), ("small", (50, 15))] {
        for (how, capabilities) in [("unicode", UNICODE), ("ascii_mono", ASCII_MONO)] {
            insta::assert_snapshot!(format!("{name}_{how}"), picture(size, capabilities));
        }
    }
}

/// One screen goes through all sizes, as a terminal's does.
#[test]
fn no_size_breaks_a_screen() {
    let app = RefCell::new(TestApp::new("dot", (80, 24), UNICODE));
    let sizes = proptest::collection::vec((0u16..=300, 0u16..=100), 1..4);
    let mut runner = TestRunner::new(ProptestConfig { cases: 48, ..ProptestConfig::default() });
    let shown = runner.run(&(sizes, 1u8..8), |(sizes, pane)| {
        let mut app = app.borrow_mut();
        app.press("Esc Esc").press(&pane.to_string());
        for (width, height) in sizes {
            app.resize(width, height);
            prop_assert!(app.buffer().area.width == width);
        }
        app.resize(100, 30);
        app.press("?");
        app.resize(7, 3);
        prop_assert!(app.buffer().area.height == 3);
        Ok(())
    });
    shown.unwrap_or_else(|e| panic!("{e}"));
}

/// Keys that a monkey presses: moving, choosing, applying, undoing, opening and closing. Not those that leave the
/// program or start another.
const KEYS: [&str; 24] = [
    "j", "k", "J", "K", "h", "l", "Tab", "1", "2", "3", "5", "7", "Enter", "Esc", "u", "C-r", "p", "v", "i",
    "]", "[", "?", "Down", "Up",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_pressed_the_log_replays_to_the_same_program(keys in proptest::collection::vec(0..KEYS.len(), 10..40)) {
        let mut app = TestApp::new("dot", (100, 30), UNICODE);
        for key in keys {
            app.press(KEYS[key]);
        }
        app.press("Esc Esc Esc");
        let log = std::fs::read(app.folder.path().join("session.ron")).unwrap();
        let backend = Arc::new(FakeDevices::new());
        let options = Options { level: Level::Kernels, search: SearchMode::Trail, device: None, backend: backend.clone(), foreign: false, texts: Default::default() };
        let verdict = replay(&log, &options, &mut |_| {}).map_err(|p| p.first()).unwrap();
        prop_assert_eq!(verdict, Verdict::Agrees);
        let again = shine_tui::session::replay::reopen(&log, backend, &|_, _| {}).map_err(|p| p.first()).unwrap();
        prop_assert_eq!(again.term(), app.app.session.term());
        let start = app.app.session.history().revision(0).unwrap().term.clone();
        while let Ok(undo) = app.app.session.undo_action() {
            app.app.session.perform(undo).unwrap();
        }
        prop_assert_eq!(app.app.session.term(), &start);
    }
}
