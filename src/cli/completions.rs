//! `shine-tui completions`: what a shell completes, made of the same table as `--help`.

use super::args::Cli;
use super::exit::Exit;
use super::{output, unguided};
use crate::emit;
use crate::lower::Target;
use crate::session::action;
use crate::ui::assets;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

/// Prints the completions of a shell.
pub fn run(shell: Shell) -> Result<Exit, Exit> {
    output::print(&script(shell))?;
    Ok(Exit::Done)
}

fn script(shell: Shell) -> String {
    let mut script = vec![];
    clap_complete::generate(shell, &mut with_values(Cli::command(), shell), "shine-tui", &mut script);
    let hidden = hidden(&Cli::command());
    without(&hidden, &mended(&String::from_utf8_lossy(&script)))
}

/// The command with the values of options that are more than a list of their names where they are read, since others are told more of.
fn with_values(command: Command, shell: Shell) -> Command {
    let of = command.get_name().to_owned();
    let valued = |arg: Arg| match values(&of, arg.get_id().as_str(), shell) {
        values if values.is_empty() => arg,
        values => arg.value_parser(PossibleValuesParser::new(values)),
    };
    command.mut_args(valued).mut_subcommands(|sub| with_values(sub, shell))
}

/// What an option or argument of a command takes; nothing where that is not known.
fn values(of: &str, name: &str, shell: Shell) -> Vec<&'static str> {
    let mut all = match name {
        "target" => [action::Target::C, action::Target::OpenCl].map(action::Target::name).to_vec(),
        "emit" => [Target::C, Target::OpenCl].into_iter().flat_map(emit::stages).collect(),
        "theme" => assets::theme_names(),
        "goal" => unguided::goals(),
        // Only bash still offers files, too, of which a program is one.
        "what" if of == "unguided" && shell == Shell::Bash => unguided::tables(),
        _ => vec![],
    };
    let mut seen = std::collections::HashSet::new();
    all.retain(|value| seen.insert(*value));
    all
}

/// The options that no help shows.
fn hidden(command: &Command) -> Vec<String> {
    let own = command.get_arguments().filter(|arg| arg.is_hide_set()).filter_map(Arg::get_long);
    let own: Vec<String> = own.map(str::to_owned).collect();
    own.into_iter().chain(command.get_subcommands().flat_map(hidden)).collect()
}

/// The script without these options. Each has a line of its own, but where one line holds all: there it is a word.
fn without(hidden: &[String], script: &str) -> String {
    let is_of = |line: &str, name: &str| {
        let starts = ["'--", "cand --", "[CompletionResult]::new('--"];
        let begins = starts.iter().any(|start| line.trim_start().starts_with(&format!("{start}{name}")));
        begins || line.starts_with("complete ") && line.contains(&format!(" -l {name} "))
    };
    let kept = script.split_inclusive('\n').filter(|line| hidden.iter().all(|name| !is_of(line, name)));
    let kept: String = kept.collect();
    hidden.iter().fold(kept, |text, name| {
        text.replace(&format!(" --{name} "), " ").replace(&format!(" {name}= "), " ")
    })
}

/// What generated scripts get wrong. Of a name with a hyphen bash finds out by one word which subcommand it is, and looks by another
/// what that takes; zsh takes a subcommand for the file that may stand in its place, or for the name of a rule.
fn mended(script: &str) -> String {
    let script = script.replace("shine__subcmd__tui", "shine__tui").replace("$line[2]", "$line[1]");
    let lines: Vec<&str> = script.split_inclusive('\n').collect();
    let is_next = |i: usize| lines.get(i + 1).is_some_and(|next| next.starts_with("\":: :_shine-tui"));
    let kept = lines.iter().enumerate().filter(|(i, line)| !(line.starts_with("'::") && is_next(*i)));
    let kept: String = kept.map(|(_, line)| *line).collect();
    kept.replace("\":: :_shine-tui_commands\"", "\":: :{_shine-tui_commands; _files}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zsh_knows_which_subcommand_it_completes() {
        let script = script(Shell::Zsh);
        assert!(!script.contains("$line[2]") && script.contains("case $line[1] in"), "{script}");
        assert!(script.contains("\":: :{_shine-tui_commands; _files}\""), "{script}");
        // Nothing may stand where a subcommand does.
        let lines: Vec<&str> = script.lines().collect();
        let before = |pair: &[&str]| pair[1].starts_with("\":: :") && pair[0].starts_with("'::");
        assert!(!lines.windows(2).any(before), "{script}");
    }

    /// What can stand after an option stands there, and what no help shows does not.
    #[test]
    fn values_are_completed_and_hidden_options_are_not() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let script = script(shell);
            for line in script.lines().filter(|line| line.contains("frame-stats")) {
                // Who has typed it is helped with its value.
                assert!(shell == Shell::Bash && line.trim() == "--frame-stats)", "{shell}: {line}");
            }
            if let Shell::Bash | Shell::Zsh | Shell::Fish = shell {
                for value in ["opencl", "imperative", "reasons", "high-contrast"] {
                    assert!(script.contains(value), "{shell}: {value}");
                }
            }
        }
        let bash = script(Shell::Bash);
        for values in ["\"c opencl\"", "\"default high-contrast mono\""] {
            assert!(bash.contains(values), "{values}");
        }
        assert_eq!(bash.lines().filter(|line| line.contains(" encodings ")).count(), 1);
    }
}
