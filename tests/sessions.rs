//! The recorded sessions of `sessions/` still hold, whichever way their searches are taken again.

use crate::ui_common::kernel;
use shine_tui::device::fake::FakeDevices;
use shine_tui::lang::path::Path;
use shine_tui::session::action::{Action, Sizes};
use shine_tui::session::replay::{Level, Options, Verdict, replay};
use shine_tui::session::searching::SearchMode;
use shine_tui::session::state::{Performed, Session};
use std::sync::Arc;

/// Sizes that are changed while something runs are not those that it runs at: it is recorded at its own, and replays.
#[test]
fn a_job_is_recorded_at_the_sizes_that_it_was_asked_for_at() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("s.ron");
    let (devices, quiet) = (Arc::new(FakeDevices::new()), Arc::new(|| {}));
    let sizes = |k: i64| Sizes::from_iter([("k".into(), k)]);
    let mut session = Session::open(&kernel("dot"), None, &sizes(1024), devices, quiet).unwrap();
    session.start_log(Some(&log)).unwrap();
    session.perform_now(Action::Sizes { sizes: sizes(64) }).unwrap();
    let strategy = Action::Strategy { text: "topDown(splitJoin(32))".to_owned(), at: Path::root() };
    assert!(matches!(session.perform(strategy).unwrap(), Performed::Started(_)));
    session.perform_now(Action::Sizes { sizes: sizes(96) }).unwrap();
    let done = loop {
        match session.poll().pop() {
            Some(done) => break done,
            None => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    };
    assert!(done.result.is_ok() && session.sizes() == &sizes(96), "{done:?}");
    drop(session);
    let bytes = std::fs::read(&log).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let recorded: Vec<&str> = text
        .split("action: ")
        .skip(1)
        .map(|record| record.split_once(['}', ',']).unwrap().0)
        .map(|action| action.split_once("\"k\": ").map_or("strategy", |(_, k)| k))
        .collect();
    assert_eq!(recorded, ["64", "96", "64", "strategy", "96"], "{text}");
    let backend = Arc::new(FakeDevices::new());
    let options = Options {
        level: Level::Kernels,
        search: SearchMode::Exact,
        device: None,
        backend,
        foreign: false,
        texts: Default::default(),
    };
    let verdict = replay(&bytes, &options, &mut |_| {}).map_err(|p| p.first()).unwrap();
    assert_eq!(verdict, Verdict::Agrees, "{text}");
}

fn holds(search: SearchMode) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "ron") {
            let bytes = std::fs::read(&path).unwrap();
            let backend = Arc::new(FakeDevices::new());
            let options = Options {
                level: Level::Kernels,
                search,
                device: None,
                backend,
                foreign: false,
                texts: Default::default(),
            };
            let verdict = replay(&bytes, &options, &mut |_| {}).map_err(|p| p.first()).unwrap();
            assert_eq!(verdict, Verdict::Agrees, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 2, "there are sessions to replay");
}

#[test]
fn recorded_sessions_hold_by_their_trails() {
    holds(SearchMode::Trail);
}

#[test]
fn recorded_sessions_hold_when_searched_again() {
    holds(SearchMode::Exact);
}
