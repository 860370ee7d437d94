//! The real binary in a pseudo-terminal: does it draw, and does it leave the terminal as it found it?

use crate::pty_common::{Seen, Terminal, folder, size};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn the_first_frame_shows_the_program_and_q_leaves() {
    let mut terminal = Terminal::assistant(100, 30, &[]);
    terminal.until_text("reduce (+) 0");
    terminal.until_text("? help");
    assert!(terminal.seen.lock().unwrap().parser.screen().alternate_screen());
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_restored();
    assert_eq!(terminal.session_logs(), 1);
}

/// Reports of the mouse beyond an edge and of the cursor, and what is no report at all.
#[test]
fn keys_are_read_after_any_report_of_the_terminal() {
    let mut terminal = Terminal::assistant(100, 30, &[]);
    terminal.until_text("? help");
    for sent in
        ["\x1b[<32;0;10M", "\x1b[<0;0;1M\x1b[<35;0;0M", "\x1b[<0;1;0M", "\x1b[M   ", "\x1b[0;0R", "\x1b[;;M"]
    {
        terminal.press(sent);
        std::thread::sleep(Duration::from_millis(400));
        terminal.press("?");
        terminal.until_text("Help");
        terminal.press("\x1b");
        terminal.until(sent, |seen| !seen.parser.screen().contents().contains("Help"));
    }
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_storm_of_sizes_is_survived() {
    let mut terminal = Terminal::assistant(100, 30, &[]);
    terminal.until_text("? help");
    let mut state = 7u32;
    for _ in 0..200 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (columns, rows) = ((state >> 8) % 200 + 1, (state >> 20) % 60 + 1);
        terminal.master.resize(size(columns as u16, rows as u16)).unwrap();
    }
    terminal.master.resize(size(100, 30)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    // What was drawn for other sizes means nothing on this one.
    terminal.seen.lock().unwrap().parser = vt100::Parser::new(30, 100, 0);
    terminal.press("\x0c");
    terminal.until_text("reduce (+) 0");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_small_terminal_is_told_what_is_needed() {
    let mut terminal = Terminal::assistant(40, 10, &[]);
    terminal.until_text("needs 50×15, you have 40×10");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn signals_end_it_with_the_terminal_restored_and_the_session_saved() {
    for (signal, code) in [("-TERM", 143), ("-HUP", 129), ("-INT", 130)] {
        let mut terminal = Terminal::assistant(100, 30, &[]);
        terminal.until_text("? help");
        terminal.signal(signal);
        assert_eq!(terminal.end(), code, "{signal}");
        terminal.assert_restored();
        assert_eq!(terminal.session_logs(), 1);
    }
}

#[test]
fn a_fault_restores_the_terminal_and_says_where_the_work_is() {
    let mut terminal = Terminal::assistant(100, 30, &[("SHINE_FAULT", "1")]);
    assert_eq!(terminal.end(), 4);
    terminal.assert_restored();
    terminal.until_text("shine-tui has a fault");
    terminal.until_text("replay");
    assert_eq!(terminal.session_logs(), 1);
}

/// The assistant, started from an interactive shell.
fn from_a_shell() -> Terminal {
    let mut terminal = Terminal::run(&["/bin/sh", "-i"], 100, 30, &[("PS1", "PROMPT "), ("ENV", "")]);
    terminal.until_text("PROMPT");
    terminal.press(&format!("set -m; {} dot.rise\n", env!("CARGO_BIN_EXE_shine-tui")));
    terminal
}

/// How often the shell has asked.
fn prompts(seen: &Seen) -> usize {
    seen.parser.screen().contents().matches("PROMPT").count()
}

fn is_drawn(seen: &Seen) -> bool {
    seen.parser.screen().alternate_screen() && seen.parser.screen().contents().contains("? help")
}

#[test]
fn the_shell_can_suspend_and_resume_it() {
    let mut terminal = from_a_shell();
    terminal.until_text("? help");
    terminal.press("\x1a");
    // Before the shell has its terminal back, what is typed is not for it.
    terminal.until("the prompt again", |seen| !seen.parser.screen().alternate_screen() && prompts(seen) == 2);
    terminal.assert_restored();
    terminal.press("fg\n");
    terminal.until("the screen again", is_drawn);
    terminal.press("q");
    terminal
        .until("the prompt at last", |seen| !seen.parser.screen().alternate_screen() && prompts(seen) == 3);
    terminal.press("exit\n");
    terminal.end();
}

#[test]
fn a_stop_that_the_parent_alone_gets_is_one_of_both() {
    let mut terminal = from_a_shell();
    let shell = terminal.child.0.process_id().unwrap();
    // Once by the shell's `fg`, once by a signal to the parent alone, which the shell notices too.
    for round in 2..4 {
        terminal.until("the screen", is_drawn);
        let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
        let keeper = children.split_whitespace().next().unwrap();
        // Right after it went on, a stop is taken for the one that it comes from.
        std::thread::sleep(std::time::Duration::from_secs(2));
        let sent = std::process::Command::new("sh").args(["-c", &format!("kill -TSTP {keeper}")]).status();
        assert!(sent.unwrap().success());
        terminal
            .until("the prompt", |seen| !seen.parser.screen().alternate_screen() && prompts(seen) == round);
        terminal.assert_restored();
        terminal.press("fg\n");
    }
    terminal.until("the screen again", is_drawn);
    terminal.press("q");
    terminal
        .until("the prompt at last", |seen| !seen.parser.screen().alternate_screen() && prompts(seen) == 4);
    terminal.press("exit\n");
    terminal.end();
}

#[test]
fn without_a_shell_suspending_is_refused() {
    let mut terminal = Terminal::assistant(100, 30, &[]);
    terminal.until_text("? help");
    terminal.press("\x1a");
    terminal.until_text("no shell to go to");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn without_colours_the_selection_is_still_seen() {
    let mut terminal = Terminal::assistant(100, 30, &[("NO_COLOR", "1")]);
    terminal.until_text("? help");
    terminal.press("J");
    terminal.until("a selection in reverse video", |seen| {
        let screen = seen.parser.screen();
        (0..30).any(|row| (0..50).any(|column| screen.cell(row, column).is_some_and(vt100::Cell::inverse)))
    });
    {
        let seen = terminal.seen.lock().unwrap();
        let screen = seen.parser.screen();
        let coloured = |row, column| {
            screen.cell(row, column).is_some_and(|cell| cell.fgcolor() != vt100::Color::Default)
        };
        assert!((0..30).all(|row| (0..100).all(|column| !coloured(row, column))));
    }
    terminal.press("q");
    terminal.end();
}

#[test]
fn a_changed_program_is_noticed_and_read_again() {
    let mut terminal = Terminal::assistant(120, 36, &[]);
    terminal.until_text("reduce (+) 0");
    let program = terminal.folder.path().join("dot.rise");
    let before = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, "def twice (a: k.f32): k.f32 = a |> map (\\x. 2 * x)\n").unwrap();
    terminal.until_text("file changed");
    std::fs::write(&program, before).unwrap();
    terminal.until_text("hold again what is open");
    // What has just been saved is what is read, whether or not it was noticed before.
    std::fs::write(&program, "def thrice (a: k.f32): k.f32 = a |> map (\\x. 3 * x)\n").unwrap();
    terminal.press("Ry");
    terminal.until_text("thrice");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

/// Until all that was done in a session is done again it is told how far that is, and nothing of it stays.
#[test]
fn opening_a_session_says_how_far_it_is() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_shine-tui");
    let steps = ["-s", "topDown(idAfter)", "-s", "topDown(removeId)", "--session", "s.ron"];
    let apply = [&[program, "apply", "dot.rise"], &steps[..]].concat();
    let mut applied = Terminal::run_in(folder, &apply, 100, 30, &[]);
    assert_eq!(applied.end(), 0, "{}", applied.text());
    let folder = std::mem::replace(&mut applied.folder, tempfile::tempdir().unwrap());
    let mut terminal = Terminal::run_in(folder, &[program, "s.ron"], 100, 30, &[]);
    terminal.until_text("? help");
    let written = String::from_utf8_lossy(&terminal.seen.lock().unwrap().bytes).into_owned();
    assert!(written.contains("Opening s.ron: 1 of 2 actions"), "{written}");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    assert!(!terminal.text().contains("Opening"), "{}", terminal.text());
}

#[test]
fn figures_of_the_wait_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frames.json");
    let command = [env!("CARGO_BIN_EXE_shine-tui"), "dot.rise", "--frame-stats", file.to_str().unwrap()];
    let mut terminal = Terminal::run(&command, 100, 30, &[]);
    terminal.until_text("? help");
    terminal.press("7");
    terminal.until_text("[7 History]");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    let stats: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(stats["first_frame_ms"].as_f64().unwrap() > 0.0);
    assert!(stats["key_to_frame_idle"]["count"].as_u64().unwrap() >= 1);
}

#[test]
fn a_dumb_terminal_is_refused_politely() {
    let mut terminal = Terminal::assistant(100, 30, &[("TERM", "dumb")]);
    assert_ne!(terminal.end(), 0);
    terminal.until_text("shine-tui --help");
    let seen = terminal.seen.lock().unwrap();
    assert!(!seen.bytes.contains(&0x1b), "no escape sequence reaches it");
}

/// Runs the assistant without a terminal.
fn without_terminal(stdin: Stdio) -> std::process::Output {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    command.arg("dot.rise").current_dir(folder.path()).env("TERM", "xterm").stdin(stdin);
    command.env("SHINE_STATE_DIR", Path::new(folder.path()).join("state"));
    command.output().unwrap()
}

#[test]
fn without_a_terminal_there_is_no_screen() {
    let output = without_terminal(Stdio::null());
    assert!(!output.status.success());
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("not a terminal") && text.contains("replay"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

/// A sweep that is stopped keeps the sizes that are done, and its page says which is faster before it says how that was measured.
#[test]
fn what_a_stopped_sweep_has_measured_is_kept() {
    let folder = folder();
    let program =
        "def slow (x: n.f32): n.f32 = x |> map (\\a. x |> map (\\b. sqrt (a * a + b * b)) |> reduce (+) 0)\n";
    std::fs::write(folder.path().join("slow.rise"), program).unwrap();
    let command = [env!("CARGO_BIN_EXE_shine-tui"), "slow.rise", "--size", "n=64"];
    let mut terminal = Terminal::run_in(folder, &command, 100, 40, &[]);
    terminal.until_text("? help");
    terminal.press("'a");
    terminal.until_text("Strategy on");
    terminal.press("topDown(useMapPar)\r");
    terminal.until_text("rev 1/");
    // The last takes minutes.
    terminal.press(":sweep n=64,128,200000\r");
    terminal.until_text("2 of 3 sizes done");
    terminal.press("x");
    terminal.until_text("At several sizes");
    terminal.until_text("2 of 3 sizes were measured.");
    terminal.until_text("n=128");
    terminal.press("\x1b:history\r");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

/// A program on a picture: what goes in, what comes out, and how they differ, as colours or as characters.
#[test]
fn the_program_runs_on_pictures_and_shows_them() {
    let started = |environment: &[(&str, &str)], arguments: &[&str]| {
        let folder = folder();
        let program = "def negative (p: 3.n.m.f32): 3.n.m.f32 = p |> map (map (map (\\x. 1.0 - x)))\n";
        std::fs::write(folder.path().join("negative.rise"), program).unwrap();
        let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures/house.png");
        std::fs::copy(house, folder.path().join("a house.png")).unwrap();
        let command = [&[env!("CARGO_BIN_EXE_shine-tui"), "negative.rise"], arguments].concat();
        let terminal = Terminal::run_in(folder, &command, 110, 60, environment);
        terminal.until_text("? help");
        terminal
    };
    let mut terminal = started(&[("COLORTERM", "truecolor")], &["--input", "p=a house.png"]);
    terminal.press("B");
    terminal.until_text("p=a house.png");
    terminal.press("\r");
    terminal.until_text("96 by 64 pixels; black is 0, white 1");
    terminal.until("a picture in colours", |seen| {
        let screen = seen.parser.screen();
        let (rows, columns) = screen.size();
        let cells = (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x)));
        let halves = cells.filter_map(|(y, x)| screen.cell(y, x)).filter(|cell| cell.contents() == "▀");
        let colours: Vec<_> = halves.map(|cell| (cell.fgcolor(), cell.bgcolor())).collect();
        let is_rgb = |colour: &vt100::Color| matches!(colour, vt100::Color::Rgb(..));
        colours.len() > 500 && colours.iter().all(|(up, down)| is_rgb(up) && is_rgb(down))
    });
    terminal.press("G");
    terminal.until_text("difference of p and result");
    terminal.press("\x1b");
    terminal.until("the end of the page", |seen| !seen.parser.screen().contents().contains("difference"));
    terminal.press("q");
    assert_eq!(terminal.end(), 0);

    let mut terminal = started(&[("NO_COLOR", "1"), ("LANG", "C")], &["--ascii"]);
    terminal.press(":data p=no such.png\r");
    terminal.until_text("E0912");
    terminal.press("\x1b");
    terminal.until("the end of the page", |seen| !seen.parser.screen().contents().contains("E0912"));
    terminal.press(":data q=1\r");
    terminal.until_text("E0910");
    terminal.press("\x1b");
    terminal.until("the end of the page", |seen| !seen.parser.screen().contents().contains("E0910"));
    terminal.press(":data p=a house.png\r");
    terminal.until_text("device  cpu");
    terminal.until("a picture in characters", |seen| {
        seen.parser.screen().contents().lines().filter(|line| line.contains("######")).count() > 3
    });
}

/// The page of a program that cannot be read says what its keys do, and why one does nothing; what marks a part of a long line stands
/// under it.
#[test]
fn a_page_of_problems_answers_to_keys() {
    let folder = folder();
    let long = "1.0 + ".repeat(9);
    let text = format!("def f (a: n.f32): n.f32 = a |> map (\\x. x * ({long}x)) |> mpa sqrt |> map abs\n");
    std::fs::write(folder.path().join("broken.rise"), text).unwrap();
    let command = [env!("CARGO_BIN_EXE_shine-tui"), "broken.rise"];
    let mut terminal = Terminal::run_in(folder, &command, 80, 24, &[("EDITOR", ""), ("VISUAL", "")]);
    terminal.until_text("There is no `mpa`");
    terminal.until("the mark under what it marks", |seen| {
        let rows: Vec<String> = seen.parser.screen().rows(0, 80).collect();
        let column = |row: &str, what: &str| Some(row.split_once(what)?.0.chars().count());
        rows.windows(2).any(|two| {
            let name = column(&two[0], "mpa sqrt");
            name.is_some() && name == column(&two[1], "^^^")
        })
    });
    terminal.press("?");
    terminal.until_text("q quit");
    terminal.press("e");
    terminal.until_text("names no editor");
    terminal.press("Q");
    terminal.until_text("Q means nothing here");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}
