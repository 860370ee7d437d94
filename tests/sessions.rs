//! The recorded sessions of `sessions/` still hold, whichever way their searches are taken again.

use crate::ui_common::kernel;
use shine_tui::device::fake::FakeDevices;
use shine_tui::lang::path::Path;
use shine_tui::session::action::{Action, Sizes, Target};
use shine_tui::session::files::{Text, Texts};
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
    assert_eq!(agreement(&bytes), Verdict::Agrees, "{text}");
}

/// States of a program that was read again since are still those of that program: with its sizes, its code, and in the log.
#[test]
fn states_belong_to_the_program_that_they_were_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("s.ron");
    let file = |text: &str| Text { label: "f.rise".into(), text: text.into() };
    let texts = Texts {
        program: file("def f (a: n.f32): n.f32 = a |> map (\\x. x + 1)\n"),
        files: vec![],
        default_sizes: Default::default(),
        origin: Default::default(),
    };
    let (devices, quiet) = (Arc::new(FakeDevices::new()), Arc::new(|| {}));
    let sizes = Sizes::from_iter([("n".into(), 1000)]);
    let mut session = Session::open(&texts, None, &sizes, devices, quiet).unwrap();
    session.start_log(Some(&log)).unwrap();
    let step = |text: &str| Action::Strategy { text: text.to_owned(), at: Path::root() };
    session.perform_now(step("topDown(useMapSeq)")).unwrap();
    let code = |session: &Session, id| {
        let compiled = session.compiled(id, Target::C);
        compiled.as_ref().as_ref().unwrap().module.text()
    };
    let before = code(&session, 1);
    let Text { label, text } = file("def g (b: m.k.f32): m.f32 = b |> map (reduce (+) 0)\n");
    session.perform_now(Action::Reload { label, text }).unwrap();
    assert!(session.sizes().is_empty() && session.missing_sizes() == ["m", "k"]);
    session
        .perform_now(Action::Sizes { sizes: Sizes::from_iter([("m".into(), 8), ("k".into(), 4)]) })
        .unwrap();
    session.perform_now(step("topDown(useReduceSeq)")).unwrap();
    // Looked at from the other program, and from its own.
    assert_eq!(code(&session, 1), before);
    assert!(session.program_of(1).texts.program.text.contains("x + 1") && !session.was_read_again());
    session.perform_now(Action::Goto { revision: 1 }).unwrap();
    assert_eq!((code(&session, 1), session.sizes()), (before, &sizes));
    assert!(session.workspace().texts.program.text.contains("x + 1") && session.was_read_again());
    assert!(session.last_read().program.text.contains("def g"));
    session.perform_now(Action::Goto { revision: 0 }).unwrap();
    session.perform_now(step("topDown(splitJoin(10))")).unwrap();
    session.perform_now(Action::Goto { revision: 3 }).unwrap();
    assert_eq!(session.sizes().get("k"), Some(&4));
    assert!(session.are_of_one_program(1, 4) && !session.are_of_one_program(1, 3));
    drop(session);
    assert_eq!(agreement(&std::fs::read(&log).unwrap()), Verdict::Agrees);
}

/// What a replay of the log says.
fn agreement(log: &[u8]) -> Verdict {
    let options = Options {
        level: Level::Kernels,
        search: SearchMode::Exact,
        device: None,
        backend: Arc::new(FakeDevices::new()),
        foreign: false,
        texts: Default::default(),
    };
    replay(log, &options, &mut |_| {}).map_err(|p| p.first()).unwrap()
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
