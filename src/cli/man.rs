//! `shine-tui man`: the manual, made of the same table as `--help`.

use super::args::Cli;
use super::exit::Exit;
use super::load::fail;
use super::output;
use crate::session::whole::{Asked, not_written, room_for};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::path::Path;

/// Prints the page of the whole, or writes a page for each subcommand into a folder.
pub fn run(folder: Option<&Path>) -> Result<Exit, Exit> {
    let mut command = without_help(Cli::command());
    command.build();
    let Some(folder) = folder else {
        let mut page = vec![];
        // A vector takes all that is written into it.
        let _ = Man::new(command).render(&mut page);
        output::print(&String::from_utf8_lossy(&page))?;
        return Ok(Exit::Done);
    };
    let cannot =
        |file: &Path, e: &std::io::Error| fail(&not_written(file, e, Asked { by: "--folder", force: false }));
    room_for(folder).and_then(|()| std::fs::create_dir_all(folder)).map_err(|e| cannot(folder, &e))?;
    let mut pages = vec![];
    pages_of(&command, command.get_name(), &mut pages);
    for page in &pages {
        let file = folder.join(page.get_filename());
        let written = std::fs::File::create(&file).and_then(|mut out| page.render(&mut out));
        written.map_err(|e| cannot(&file, &e))?;
    }
    output::print(&format!("{} pages in {}\n", pages.len(), folder.display()))?;
    Ok(Exit::Done)
}

/// A page for a command and each below it: whatever a page refers to is there.
fn pages_of(command: &Command, name: &str, out: &mut Vec<Man>) {
    out.push(Man::new(command.clone().display_name(name.to_owned())));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        pages_of(sub, &format!("{name}-{}", sub.get_name()), out);
    }
}

/// The commands without `help`, which says no more than `--help` and has no page.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}
