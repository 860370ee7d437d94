//! `shine-tui completions`: what a shell completes, made of the same table as `--help`.

use super::args::Cli;
use super::exit::Exit;
use super::output;
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints the completions of a shell.
pub fn run(shell: Shell) -> Result<Exit, Exit> {
    let mut script = vec![];
    clap_complete::generate(shell, &mut Cli::command(), "shine-tui", &mut script);
    output::print(&mended(&String::from_utf8_lossy(&script)))?;
    Ok(Exit::Done)
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
        let mut script = vec![];
        clap_complete::generate(Shell::Zsh, &mut Cli::command(), "shine-tui", &mut script);
        let script = mended(&String::from_utf8(script).unwrap());
        assert!(!script.contains("$line[2]") && script.contains("case $line[1] in"), "{script}");
        assert!(script.contains("\":: :{_shine-tui_commands; _files}\""), "{script}");
        // Nothing may stand where a subcommand does.
        let lines: Vec<&str> = script.lines().collect();
        let before = |pair: &[&str]| pair[1].starts_with("\":: :") && pair[0].starts_with("'::");
        assert!(!lines.windows(2).any(before), "{script}");
    }
}
