//! The real binary in a pseudo-terminal, with sessions and programs that mean harm, and with ends that come unasked.

use crate::pty_common::{PATIENCE, Terminal, folder, in_world, size};
use portable_pty::native_pty_system;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const SHINE: &str = env!("CARGO_BIN_EXE_shine-tui");

/// Runs a subcommand in a folder, with its state in the folder `state` of it.
fn shine(folder: &Path, state: &str, args: &[&str]) {
    let mut command = Command::new(SHINE);
    command.args(args).current_dir(folder).env("SHINE_STATE_DIR", folder.join(state));
    let ran = command.env("SHINE_CONFIG_DIR", folder.join("config")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// An editor that writes down what it was asked to do.
fn editor(folder: &Path) -> String {
    script(folder, "editor", "for a; do echo \"$a\" >> \"$(dirname \"$0\")/edited\"; done")
}

/// A log names files as it likes; what is opened is what this machine itself knows of.
#[test]
fn labels_of_a_session_are_neither_paths_nor_options() {
    let names = ["-c:!touch PWNED", "+!touch PWNED", "$(touch PWNED)", "secret.rise", "-", "/dev/tty"];
    let opened = |name: &str| {
        let folder = folder();
        let at = folder.path().to_owned();
        std::fs::write(at.join("secret.rise"), "def secret (x: f32): f32 = x").unwrap();
        let apply = ["apply", "dot.rise", "-s", "topDown(reduceMapFusion)", "--session", "s.ron"];
        shine(&at, "elsewhere", &apply);
        let log = std::fs::read_to_string(at.join("s.ron")).unwrap();
        let forged = unsealed(&log).replacen("label: \"dot.rise\"", &format!("label: {name:?}"), 1);
        std::fs::write(at.join("forged.ron"), forged).unwrap();
        let editor = editor(&at);
        let command = [SHINE, "forged.ron"];
        let mut terminal = Terminal::run_in(folder, &command, 150, 30, &[("EDITOR", &editor)]);
        terminal.until_text("rev 1/1");
        terminal.press("e");
        terminal.until_text("not recorded here");
        // Nor is it watched, nor part of the command line that is copied to be typed.
        std::fs::write(at.join("secret.rise"), "def secret (x: f32): f32 = x + 1").unwrap();
        std::thread::sleep(Duration::from_millis(1300));
        assert!(!terminal.text().contains("changed on the disk"), "{}", terminal.text());
        terminal.press("Y");
        terminal.until_text("Where the program of this session lies is not known here.");
        terminal.press("q");
        assert_eq!(terminal.end(), 0);
        assert!(!at.join("edited").exists() && !at.join("PWNED").exists(), "{name}");
    };
    // Each is watched for a while.
    std::thread::scope(|s| names.iter().for_each(|name| drop(s.spawn(|| opened(name)))));
}

/// The same log without the seals of its lines.
fn unsealed(log: &str) -> String {
    let plain =
        |line: &str| line.rsplit_once(", seal: \"").map_or(line.to_owned(), |(open, _)| format!("{open})"));
    log.lines().map(|line| plain(line) + "\n").collect()
}

/// A log that is deleted, changed or replaced while it is open loses nothing.
#[test]
fn what_happens_to_the_log_of_an_open_session_is_noticed() {
    let mut terminal = Terminal::assistant(150, 30, &[]);
    terminal.until_text("? help");
    terminal.press("atopDown(reduceMapFusion)\r");
    terminal.until_text("rev 1/1");
    let state = terminal.folder.path().join("state/sessions");
    let logs = || std::fs::read_dir(&state).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    let log = logs().into_iter().next().unwrap();
    terminal.until("the record", |_| std::fs::read_to_string(&log).unwrap().lines().count() == 2);
    let before = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    terminal.until_text("was gone");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), before);
    std::fs::write(&log, "rubbish").unwrap();
    terminal.until_text("changed by another program");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), before);
    let kept = std::path::PathBuf::from(format!("{}.damaged", log.display()));
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "rubbish");
    let other = state.join("other");
    std::fs::write(&other, "mine").unwrap();
    std::fs::rename(&other, &log).unwrap();
    terminal.until_text("taken the place");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "mine");
    assert!(logs().iter().any(|l| std::fs::read_to_string(l).unwrap() == before));
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_session_of_this_machine_knows_its_files() {
    let folder = folder();
    let at = folder.path().to_owned();
    std::fs::rename(at.join("dot.rise"), at.join("-c:!touch PWNED.rise")).unwrap();
    shine(
        &at,
        "state",
        &["apply", "-s", "topDown(reduceMapFusion)", "--session", "s.ron", "--", "-c:!touch PWNED.rise"],
    );
    let editor = editor(&at);
    let mut terminal = Terminal::run_in(folder, &[SHINE, "s.ron"], 150, 30, &[("EDITOR", &editor)]);
    terminal.until_text("rev 1/1");
    terminal.press("e");
    let edited = || std::fs::read_to_string(at.join("edited")).unwrap_or_default();
    terminal.until("the editor", |_| edited().ends_with('\n'));
    let edited = edited();
    assert_eq!(edited.trim(), at.canonicalize().unwrap().join("-c:!touch PWNED.rise").display().to_string());
    terminal.until_text("? help");
    terminal.press("Y");
    terminal.until_text("shine-tui apply '/");
    std::fs::write(at.join("-c:!touch PWNED.rise"), "def twice (x: f32): f32 = x + x").unwrap();
    terminal.until_text("changed on the disk");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

/// The number of the process that has the screen, which is not the one that was started.
fn screen_of(terminal: &Terminal) -> String {
    child_of(&terminal.child.0.process_id().unwrap().to_string())
}

fn child_of(parent: &str) -> String {
    let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap();
    children.trim().to_owned()
}

fn kill(signal: &str, process: &str) {
    let sent = Command::new("sh").args(["-c", &format!("kill {signal} {process}")]).status();
    assert!(sent.unwrap().success());
}

/// Whatever ends the screen, the terminal is the shell's again, and the session is there.
#[test]
fn whatever_ends_the_screen_the_terminal_is_given_back() {
    for (fault, signal, code, says) in [
        ("memory", "", 134, "ran out of memory"),
        ("stack", "", 134, "ran out of stack"),
        ("", "-KILL", 137, "want of memory"),
        ("", "-FPE", 136, "ended by signal 8"),
        ("", "-ABRT", 134, "aborted"),
        ("", "-QUIT", 131, "ended by SIGQUIT. Nothing that you did is lost: the session is in"),
        ("", "-TERM", 143, "ended by SIGTERM. Nothing that you did is lost: the session is in"),
    ] {
        let environment = [("SHINE_FAULT", fault)];
        let environment = if fault.is_empty() { &[][..] } else { &environment[..] };
        let mut terminal = Terminal::assistant(100, 30, environment);
        if fault.is_empty() {
            terminal.until_text("? help");
            kill(signal, &screen_of(&terminal));
        }
        assert_eq!(terminal.end(), code, "{fault}{signal}: {}", terminal.text());
        terminal.assert_restored();
        if !says.is_empty() {
            // However its lines are broken; what was written last is still on its way.
            terminal.until(says, |seen| {
                let text = seen.parser.screen().contents().replace('\n', "");
                text.contains(says) && text.contains("Nothing that you did is lost")
            });
        }
        assert_eq!(terminal.session_logs(), 1);
    }
}

/// A thread of the screen that never comes back takes no messages; signals and Ctrl-C end the program all the same.
#[test]
fn a_screen_that_hangs_can_be_ended() {
    let ends = [("-TERM", 143), ("-INT", 130), ("-HUP", 129), ("-QUIT", 131), ("\x03", 130)];
    let cases = ends.into_iter().flat_map(|(how, code)| [false, true].map(|alone| (how, code, alone)));
    let ended = |how: &str, code: u32, alone: bool| {
        let mut terminal = Terminal::assistant(100, 30, &[("SHINE_FAULT", "hang")]);
        terminal.until_text("? help");
        match (how, alone) {
            ("\x03", _) => terminal.press(how),
            (_, false) => terminal.signal(how),
            (_, true) => kill(how, &screen_of(&terminal)),
        }
        assert_eq!(terminal.end(), code, "{how}: {}", terminal.text());
        terminal.assert_restored();
        terminal.until_text("did not answer");
    };
    // Each waits a while for an answer.
    std::thread::scope(|s| {
        for (how, code, alone) in cases.filter(|(how, _, alone)| (*how, *alone) != ("\x03", true)) {
            s.spawn(move || ended(how, code, alone));
        }
    });
}

/// A program for the shell, in a folder.
fn script(folder: &Path, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file.display().to_string()
}

/// An editor has the terminal; the signals are for the program all the same, and take the editor with it.
#[test]
fn a_signal_ends_the_program_while_an_editor_runs() {
    // One that ends by itself in no time that matters, one that does not obey, one in another, and one that has stopped.
    let editors = [
        "exec sleep 600",
        "trap '' TERM HUP; while :; do sleep 1; done",
        "sleep 600; :",
        "while :; do kill -STOP $$; done",
    ];
    let ended = |editor: &str, how: &str, code: u32, alone: bool| {
        let folder = folder();
        let begun = folder.path().join("begun");
        let editor = format!("echo $$ > {}\n{editor}", begun.display());
        let editor = script(folder.path(), "editor", &editor);
        let mut terminal = Terminal::run_in(folder, &[SHINE, "dot.rise"], 100, 30, &[("EDITOR", &editor)]);
        terminal.until_text("? help");
        terminal.press("e");
        let number = || std::fs::read_to_string(&begun).unwrap_or_default();
        terminal.until("the editor", |_| number().ends_with('\n'));
        match alone {
            false => terminal.signal(how),
            true => kill(how, &screen_of(&terminal)),
        }
        assert_eq!(terminal.end(), code, "{how}: {}", terminal.text());
        terminal.assert_restored();
        terminal.until("the session", |seen| {
            seen.parser.screen().contents().replace('\n', "").contains("Nothing that you did is lost")
        });
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", number().trim())).unwrap_or_default();
        terminal.until("the end of the editor", |_| state().is_empty() || state().contains(") Z "));
    };
    std::thread::scope(|s| {
        for editor in editors {
            for (how, code) in [("-TERM", 143), ("-HUP", 129)] {
                s.spawn(move || ended(editor, how, code, how == "-HUP"));
            }
        }
    });
}

/// An editor that stops gives the terminal to the shell, whose `fg` goes on with it; without a shell it goes on by itself.
#[test]
fn an_editor_that_stops_does_not_hang() {
    let stopping = |folder: &Path| script(folder, "editor", "kill -STOP $$; echo '-- more' >> \"$1\"");
    let edited = |at: &Path| std::fs::read_to_string(at.join("dot.rise")).unwrap().contains("-- more");
    let alone = folder();
    let (at, editor) = (alone.path().to_owned(), stopping(alone.path()));
    let mut terminal = Terminal::run_in(alone, &[SHINE, "dot.rise"], 100, 30, &[("EDITOR", &editor)]);
    terminal.until_text("? help");
    terminal.press("e");
    terminal.until("the editor", |_| edited(&at));
    // The screen is there again, and has seen what was edited.
    terminal.until_text("on the disk");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);

    let in_shell = folder();
    let (at, editor) = (in_shell.path().to_owned(), stopping(in_shell.path()));
    let mut terminal = Terminal::run_in(in_shell, &["sh", "-i"], 100, 30, &[("EDITOR", &editor)]);
    terminal.press(&format!("{SHINE} dot.rise\r"));
    terminal.until_text("? help");
    terminal.press("e");
    terminal.until("the shell", |seen| !seen.parser.screen().alternate_screen());
    terminal.until_text("Stopped");
    assert!(!edited(&at));
    terminal.press("fg\r");
    terminal.until("the editor", |_| edited(&at));
    // The screen is there again, and has seen what was edited.
    terminal.until_text("on the disk");
    terminal.press("q");
    terminal.until_text("The session is in");
    terminal.press("exit\r");
    terminal.end();
}

/// The keeper itself may be killed; then the screen goes too, and gives the terminal back itself.
#[test]
fn without_its_keeper_the_screen_ends() {
    let mut terminal = Terminal::assistant(100, 30, &[]);
    terminal.until_text("? help");
    let screen = screen_of(&terminal);
    terminal.signal("-KILL");
    terminal.end();
    terminal.assert_restored();
    let gone = || !Path::new(&format!("/proc/{screen}")).exists();
    terminal.until("the end of the screen", |_| gone());
}

/// So it is in a shell, which takes the terminal to itself as soon as the keeper is gone.
#[test]
fn in_a_shell_a_screen_without_its_keeper_gives_the_terminal_back() {
    let mut terminal = Terminal::run(&["sh", "-i"], 100, 30, &[]);
    terminal.press(&format!("{SHINE} dot.rise\r"));
    terminal.until_text("? help");
    let keeper = screen_of(&terminal);
    let screen = child_of(&keeper);
    kill("-KILL", &keeper);
    let gone = || !Path::new(&format!("/proc/{screen}")).exists();
    terminal.until("the end of the screen", |_| gone());
    terminal.assert_restored();
    terminal.until_text("the end of the process that keeps its terminal");
    terminal.press("exit\r");
    terminal.end();
}

/// A window that is closed is no fault: no panic, and the session can be gone on with.
#[test]
fn closing_the_terminal_is_no_panic() {
    for _ in 0..5 {
        let folder = folder();
        let pty = native_pty_system().openpty(size(100, 30)).unwrap();
        let command = in_world(folder.path(), &[SHINE, "dot.rise"], &[]);
        let mut child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let (mut seen, mut buffer) = (vec![], [0; 4096]);
        while !String::from_utf8_lossy(&seen).contains("help") {
            let count = reader.read(&mut buffer).unwrap();
            seen.extend_from_slice(&buffer[..count]);
        }
        drop((reader, pty.master));
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(status.exit_code(), 129, "{status:?}");
        let log = std::fs::read_to_string(folder.path().join("state/shine-tui.log")).unwrap_or_default();
        assert!(!log.contains("panic"), "{log}");
    }
}

/// After a kill, opening the program again offers what was not left, once.
#[test]
fn an_unfinished_session_is_offered() {
    let mut terminal = Terminal::assistant(120, 30, &[]);
    terminal.until_text("? help");
    terminal.press("atopDown(reduceMapFusion)\r");
    terminal.until_text("rev 1/1");
    kill("-KILL", &screen_of(&terminal));
    assert_eq!(terminal.end(), 137);
    let at = terminal.folder.path().to_owned();
    let run = |args: &[&str]| {
        let mut command = Command::new(SHINE);
        command.args(args).current_dir(&at).env("SHINE_STATE_DIR", at.join("state"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let listed: serde_json::Value = serde_json::from_str(&run(&["sessions", "--json"])).unwrap();
    assert_eq!((&listed[0]["state"], &listed[0]["actions"]), (&"unfinished".into(), &1.into()), "{listed}");
    assert!(listed[0]["program"].as_str().unwrap().ends_with("dot.rise"));
    assert!(run(&["sessions"]).contains("(1 action, unfinished)"));
    // Offered and taken.
    let mut terminal = Terminal::run_in(terminal.folder, &[SHINE, "dot.rise"], 120, 30, &[]);
    terminal.until_text("was never left");
    terminal.press("y");
    terminal.until_text("rev 1/1");
    assert!(run(&["sessions"]).contains("(1 action, open)"));
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    assert_eq!(terminal.session_logs(), 1);
    // Left, it is not offered again.
    let mut terminal = Terminal::run_in(terminal.folder, &[SHINE, "dot.rise"], 120, 30, &[]);
    terminal.until_text("? help");
    assert!(!terminal.text().contains("never left"), "{}", terminal.text());
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

/// In a terminal Ctrl-C stops what runs, and the session without a screen goes on; with nothing running it ends that, in order.
#[test]
fn an_interrupt_stops_what_runs_and_then_the_dialogue() {
    let command = [SHINE, "line", "dot.rise", "--size", "k=4194304"];
    let mut terminal = Terminal::run(&command, 160, 50, &[]);
    terminal.until_text("> ");
    terminal.press("bench\r");
    std::thread::sleep(Duration::from_millis(300));
    terminal.press("\x03");
    terminal.until_text("The run was stopped.");
    terminal.press("topDown(reduceMapFusion)\r");
    terminal.until_text("Revision 1: topDown(reduceMapFusion)");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 130);
    let mut command = Command::new(SHINE);
    command.arg("sessions").env("SHINE_STATE_DIR", terminal.folder.path().join("state"));
    let listed = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(listed.contains("action") && !listed.contains("unfinished"), "{listed}");
}
