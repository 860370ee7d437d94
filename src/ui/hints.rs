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
    let own = |command: &Command| panes::operation(facts.pane, *command).and_then(|operation| operation.word);
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
    for (command, word) in commands {
        let Some(key) = keys.key(*command) else { continue };
        if command.enabled(facts).is_err() {
            continue;
        }
        let mut shown = Line::plain(if line.is_empty() { "" } else { "  " });
        shown.append(match word {
            Some(word) => Line::of(Role::Key, key).with(Role::Hint, format!(" {word}")),
            None => hint(&key, *command, keys),
        });
        if line.width() + shown.width() > width {
            break;
        }
        line.append(shown);
    }
    line
}

/// So many columns a pane's own keys have at least, beside those that can always be pressed.
const OWN: usize = 30;

/// The keys of the pane, and on the right those that can always be pressed; in few columns of these the help alone, which lists
/// the others.
pub fn of_panes(facts: &Facts, keys: &Keymap, width: usize) -> Line {
    let all = hints_of_context(Context::Screen);
    let few = |commands: &[Command]| hints(commands, facts, keys, width);
    let always = Some(few(all)).filter(|line| line.width() + OWN <= width);
    let always = always.unwrap_or_else(|| few(&[Command::Help]));
    let room = width.saturating_sub(always.width());
    // While something runs, the way to stop it comes first.
    let stop = facts.running.iter().map(|_| Command::Cancel);
    let own = panes::of(facts.pane).hints.iter().copied().filter(|c| *c != Command::Cancel);
    let own: Vec<Command> = stop.chain(own).collect();
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
        for width in [50, 80] {
            let line = of_panes(&facts, &keys, width);
            assert!(line.width() <= width && line.text().contains("u undo"), "{}", line.text());
            assert!(line.text().contains("? help"), "{}", line.text());
        }
    }
}
