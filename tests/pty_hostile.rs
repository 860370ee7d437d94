//! The real binary in a pseudo-terminal, with sessions and programs that mean harm, and with ends that come unasked.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod pty_common;

use pty_common::{Terminal, folder};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

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
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("editor");
    std::fs::write(&file, "#!/bin/sh\nfor a; do echo \"$a\" >> \"$(dirname \"$0\")/edited\"; done\n")
        .unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file.display().to_string()
}

/// A log names files as it likes; what is opened is what this machine itself knows of.
#[test]
fn labels_of_a_session_are_neither_paths_nor_options() {
    let folder = folder();
    let at = folder.path().to_owned();
    std::fs::write(at.join("secret.rise"), "def secret (x: f32): f32 = x").unwrap();
    shine(&at, "elsewhere", &["apply", "dot.rise", "-s", "topDown(reduceMapFusion)", "--session", "s.ron"]);
    let log = std::fs::read_to_string(at.join("s.ron")).unwrap();
    let names = ["-c:!touch PWNED", "+!touch PWNED", "$(touch PWNED)", "secret.rise", "-", "/dev/tty"];
    for (i, name) in names.iter().enumerate() {
        let forged = unsealed(&log).replacen("label: \"dot.rise\"", &format!("label: {name:?}"), 1);
        std::fs::write(at.join(format!("{i}.ron")), forged).unwrap();
    }
    let editor = editor(&at);
    let mut folder = folder;
    for i in 0..names.len() {
        let file = format!("{i}.ron");
        let mut terminal = Terminal::run_in(folder, &[SHINE, &file], 150, 30, &[("EDITOR", &editor)]);
        terminal.until_text("reduceSeq");
        terminal.press("e");
        terminal.until_text("not recorded here");
        // Nor is it watched, nor part of the command line that is copied to be typed.
        std::fs::write(at.join("secret.rise"), format!("def secret (x: f32): f32 = x + {i}")).unwrap();
        std::thread::sleep(Duration::from_millis(1300));
        assert!(!terminal.text().contains("changed on the disk"), "{}", terminal.text());
        terminal.press("Y");
        terminal.until_text(&format!("shine-tui apply '{file}'"));
        terminal.press("q");
        assert_eq!(terminal.end(), 0);
        folder = terminal.folder;
    }
    assert!(!at.join("edited").exists() && !at.join("PWNED").exists());
}

/// The same log without the seals of its lines.
fn unsealed(log: &str) -> String {
    log.to_owned()
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
    terminal.until_text("reduceSeq");
    terminal.press("e");
    terminal.until("the editor", |_| at.join("edited").exists());
    let edited = std::fs::read_to_string(at.join("edited")).unwrap();
    assert_eq!(edited.trim(), at.canonicalize().unwrap().join("-c:!touch PWNED.rise").display().to_string());
    terminal.until_text("? help");
    terminal.press("Y");
    terminal.until_text("shine-tui apply '/");
    std::fs::write(at.join("-c:!touch PWNED.rise"), "def twice (x: f32): f32 = x + x").unwrap();
    terminal.until_text("changed on the disk");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}
