//! The recorded sessions of `sessions/` still hold, whichever way their searches are taken again.

use shine_tui::device::fake::FakeDevices;
use shine_tui::session::replay::{Level, Options, Verdict, replay};
use shine_tui::session::searching::SearchMode;
use std::sync::Arc;

fn holds(search: SearchMode) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "ron") {
            let bytes = std::fs::read(&path).unwrap();
            let backend = Arc::new(FakeDevices::new());
            let options = Options { level: Level::Kernels, search, device: None, backend, foreign: false };
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
