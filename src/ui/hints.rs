//! Which keys are worth a hint, and the table of all keys for documents.

use super::command::{Command, Context};
use super::facts::Facts;
use super::keys::Keymap;
use super::panes;
use crate::view::table::{self, Column};
use crate::view::{Alphabet, Line, Role};

/// The commands worth a hint in a popup.
pub fn hints_of_context(context: Context) -> &'static [Command] {
    use Command as C;
    match context {
        Context::Screen => &[C::Help, C::Palette, C::NextPane, C::Quit],
        Context::Choice => {
            &[C::ChoiceAccept, C::ChoiceDown, C::ChoiceComplete, C::TypingPlace, C::ChoiceBack]
        }
        Context::Page => &[
            C::PageAccept,
            C::PageView,
            C::PageNext,
            C::PagePrevious,
            C::PageRun,
            C::PageLineDown,
            C::PageClose,
        ],
        Context::Entry => &[
            C::EntryAccept,
            C::EntryComplete,
            C::TypingPlace,
            C::EntryNewline,
            C::EntryOlder,
            C::TypingClear,
            C::EntryBack,
        ],
        Context::Typing => &[C::TypingPlace, C::TypingClear],
        Context::Question => &[C::QuestionYes, C::QuestionSave, C::QuestionNo],
    }
}

/// The line of hints: keys and labels of the commands that can be used, as many as fit.
pub fn hints(commands: &[Command], facts: &Facts, keys: &Keymap, width: usize) -> Line {
    let own = |command: &Command| match command {
        Command::Open if facts.rules_hidden => Some("the rules"),
        _ => panes::operation(facts.pane, *command).and_then(|operation| operation.word),
    };
    let worded: Vec<(Command, Option<&str>)> = commands.iter().map(|c| (*c, own(c))).collect();
    worded_hints(&worded, facts, keys, width)
}

/// The same with other words for some commands.
pub fn worded_hints(
    commands: &[(Command, Option<&str>)],
    facts: &Facts,
    keys: &Keymap,
    width: usize,
) -> Line {
    let mut line = Line::empty();
    for shown in each(commands, facts, keys) {
        if line.width() + shown.width() > width {
            break;
        }
        line.append(shown);
    }
    line
}

/// The hints of a popup: the way out of it, which is the last of them, is among them in the fewest columns, too.
pub fn of_popup(commands: &[(Command, Option<&str>)], facts: &Facts, keys: &Keymap, width: usize) -> Line {
    let all = worded_hints(commands, facts, keys, usize::MAX);
    let Some((out, others)) = commands.split_last().filter(|_| all.width() > width) else { return all };
    let out = worded_hints(&[*out], facts, keys, width);
    let mut line = worded_hints(others, facts, keys, width.saturating_sub(out.width() + 2));
    line.push(Role::Plain, if line.is_empty() { "" } else { "  " });
    line.append(out);
    line
}

/// Each hint of what can be used now, those after the first with the space before it.
fn each<'a>(
    commands: &'a [(Command, Option<&'a str>)],
    facts: &'a Facts,
    keys: &'a Keymap,
) -> impl Iterator<Item = Line> + 'a {
    let usable = commands.iter().filter_map(|(command, word)| {
        let key = keys.key(*command).filter(|_| command.enabled(facts).is_ok())?;
        Some(match word {
            Some(word) => Line::of(Role::Key, key).with(Role::Hint, format!(" {word}")),
            None => hint(&key, *command, keys),
        })
    });
    usable.enumerate().map(|(i, shown)| {
        let mut line = Line::plain(if i == 0 { "" } else { "  " });
        line.append(shown);
        line
    })
}

/// Where there are so many columns, the way to all commands is seen beside the help.
const ROOMY: usize = 70;

/// The keys of the pane, and on the right those that can always be pressed, the help first: as many of these as leave room for what
/// can be done in the pane; the help lists the others.
pub fn of_panes(facts: &Facts, keys: &Keymap, width: usize) -> Line {
    // While something runs, the way to stop it comes first.
    let stop = facts.running.iter().map(|_| Command::Cancel);
    let own = panes::of(facts.pane).hints.iter().copied().filter(|c| *c != Command::Cancel);
    let own: Vec<Command> = stop.chain(own).collect();
    let all = hints_of_context(Context::Screen);
    let wanted = hints(&own, facts, keys, usize::MAX).width();
    let first = |n: usize| hints(all.get(..n).unwrap_or(all), facts, keys, width);
    let fits = |always: &Line| wanted + 2 + always.width() <= width;
    let least = if width < ROOMY { 1 } else { 2 };
    let always = (least..=all.len()).rev().map(first).find(fits).unwrap_or_else(|| first(least));
    let room = width.saturating_sub(always.width());
    let mut line = hints(&own, facts, keys, room.saturating_sub(2)).pad(room);
    line.append(always);
    line
}

/// A key and the label of its command.
pub fn hint(key: &str, command: Command, keys: &Keymap) -> Line {
    Line::of(Role::Key, key.to_owned()).with(Role::Hint, format!(" {}", keys.label(command)))
}

/// The table of all commands with their keys, for documents and `--help`.
pub fn reference(keys: &Keymap, width: usize, alphabet: Alphabet) -> Vec<Line> {
    const COLUMNS: &[Column] =
        &[Column::words("key"), Column::words("command"), Column::flexible("what it does")];
    let rows: Vec<Vec<Line>> = Command::ALL
        .iter()
        .filter(|command| command.context() == Context::Screen)
        .map(|command| {
            let all: Vec<String> = keys.keys(*command).iter().map(|k| super::keys::spell(k)).collect();
            let mut name = command.name().to_owned();
            if let Some(arguments) = command.arguments() {
                name = format!("{name} {arguments}");
            }
            vec![Line::of(Role::Key, all.join(", ")), Line::plain(name), Line::plain(command.doc())]
        })
        .collect();
    let (head, mut lines) = table::layout(COLUMNS, &rows, width, alphabet);
    lines.insert(0, head);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::facts::tests::nothing;
    use crate::ui::layout::Pane;

    #[test]
    fn hints_show_only_what_can_be_used_and_what_fits() {
        let keys = Keymap::load(None).unwrap();
        let line = hints(panes::of(Pane::Term).hints, &nothing(), &keys, 80);
        assert!(!line.text().contains("undo"), "{}", line.text());
        let mut facts = nothing();
        facts.undo = Ok(());
        assert!(hints(panes::of(Pane::Term).hints, &facts, &keys, 80).text().contains("u undo"));
        for width in 0..80 {
            assert!(hints(hints_of_context(Context::Screen), &facts, &keys, width).width() <= width);
        }
        // The keys of the pane are there in the fewest columns, and the help that lists the others.
        for width in [50, 60, 80, 120] {
            let line = of_panes(&facts, &keys, width);
            assert!(line.width() <= width && line.text().contains("u undo"), "{}", line.text());
            assert!(line.text().contains("? help"), "{}", line.text());
            // What can be done in the pane comes before what can be done everywhere.
            let (own, quit) = (line.text().contains("S sketch"), line.text().contains("q quit"));
            assert!(own || !quit, "{}", line.text());
        }
        // The way out of a popup is seen wherever its other keys are.
        let entry: Vec<_> = hints_of_context(Context::Entry).iter().map(|c| (*c, None)).collect();
        for width in 8..120 {
            let line = of_popup(&entry, &facts, &keys, width);
            assert!(line.width() <= width && line.text().ends_with("Esc back"), "{}", line.text());
        }
    }
}
