//! The one table of commands: name, one line of help, context, and whether each can be used now.
//!
//! Help, palette, the line of hints and the documents are printed from this table (keys come from
//! [`super::keys`]). A command that cannot be used now is never hidden: it says why. The table knows the state
//! only through [`Facts`].

use super::keys::Keymap;
use super::layout::Pane;
use crate::view::table::{self, Column};
use crate::view::{Alphabet, Line, Role};

/// Where keys are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// The panes.
    Screen,
    /// A list with a line to type in.
    Choice,
    /// Text to read.
    Page,
    /// A line or a text to type in.
    Entry,
    /// A question.
    Question,
    /// Wherever a text is typed: lists and entries.
    Typing,
}

impl Context {
    /// Every context.
    pub const ALL: &'static [Context] = &[
        Context::Screen,
        Context::Choice,
        Context::Page,
        Context::Entry,
        Context::Question,
        Context::Typing,
    ];
}

/// What the table needs to know of the state to say which commands can be used.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// The pane that has the keys.
    pub pane: Pane,
    /// Whether the selected sub-term is the whole program, and whether it has parts.
    pub at_root: bool,
    /// See `at_root`.
    pub at_leaf: bool,
    /// Whether something can be undone.
    pub can_undo: bool,
    /// Whether something undone can be done again.
    pub can_redo: bool,
    /// The name of the highlighted rule, and why it does not apply if it does not; none without a rule.
    pub rule: Option<(String, Result<(), String>)>,
    /// The name of the job that is running.
    pub running: Option<String>,
    /// The strategy that is being stepped, with the number of steps left.
    pub stepping: Option<(String, usize)>,
    /// Whether a search has been entered.
    pub search: bool,
    /// Whether a search has found something.
    pub found: bool,
    /// Why there is no kernel, if there is none.
    pub kernel: Result<(), String>,
    /// Whether there are foreign functions that may not run.
    pub foreign: bool,
    /// Whether a state has been pinned.
    pub pinned: bool,
    /// Whether something has been searched for with `/`.
    pub finding: bool,
    /// Whether the program's file differs from what the session holds.
    pub file_changed: bool,
    /// Whether the highlighted entry of the history is the present state.
    pub at_present: bool,
    /// Whether an external editor is named in the environment.
    pub editor: bool,
    /// Whether it is known where the program's file lies.
    pub file: bool,
}

/// Why a command cannot be used.
type Enabled = Result<(), String>;

/// Declares the commands: `Variant "name" Context [arguments] check "help";`.
macro_rules! commands {
    ($($variant:ident $name:literal $context:ident $arguments:expr, $check:expr, $doc:literal;)*) => {
        /// A command.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Command { $(#[doc = $doc] $variant,)* }

        impl Command {
            /// Every command, in the order of the help.
            pub const ALL: &'static [Command] = &[$(Command::$variant,)*];

            /// The name to type after `:`.
            pub fn name(self) -> &'static str {
                match self { $(Command::$variant => $name,)* }
            }

            /// One line of help.
            pub fn doc(self) -> &'static str {
                match self { $(Command::$variant => $doc,)* }
            }

            /// Where its keys are read.
            pub fn context(self) -> Context {
                match self { $(Command::$variant => Context::$context,)* }
            }

            /// The arguments that it takes when typed.
            pub fn arguments(self) -> Option<&'static str> {
                match self { $(Command::$variant => $arguments,)* }
            }

            /// Whether it can be used now, and if not, why; names of commands in braces stand for their keys.
            pub fn enabled(self, facts: &Facts) -> Enabled {
                let check: fn(&Facts) -> Enabled = match self { $(Command::$variant => $check,)* };
                check(facts)
            }

            /// The command with this name.
            pub fn from_name(name: &str) -> Option<Command> {
                match name { $($name => Some(Command::$variant),)* _ => None }
            }
        }
    };
}

commands! {
    Help "help" Screen None, always, "List the commands of this pane and of all panes; typing filters, Enter runs.";
    Palette "palette" Screen None, always, "Run any command by name, or type a strategy or `reach SKETCH using RULES`.";
    Back "back" Screen None, always, "Take one step out; nothing is lost.";
    Interrupt "interrupt" Screen None, always, "Stop the running job; with none running, the same as `quit`.";
    Quit "quit" Screen None, always, "Leave; asks only while a job runs or something is not saved.";

    Open "open" Screen None, open, "Apply the highlighted rule; in other panes, open what is highlighted.";
    Apply "apply" Screen Some("RULE"), always, "Apply a rule at the selected sub-term.";
    Preview "preview" Screen None, preview, "Show what Enter would do as a difference; in the history and after a search, the rewrites that led there.";
    Why "why" Screen None, rule_chosen, "Say why the highlighted rule does or does not apply here, and where the match stops.";
    AllRules "all-rules" Screen None, always, "Show also the rules that do not apply here, or only those that do.";
    Undo "undo" Screen None, can_undo, "Go back one step of the history; nothing is lost.";
    Redo "redo" Screen None, can_redo, "Go forward again along the branch that was left last.";
    Strategy "strategy" Screen Some("STRATEGY"), always, "Type a strategy in ELEVATE and run it.";
    Step "step" Screen Some("STRATEGY"), always, "Show the next step of the strategy as a difference, with its place; without one, ask which.";
    Run "run" Screen Some("STRATEGY"), always, "Take all steps of the strategy that are left; without one, ask which.";
    Place "whole" Screen None, always, "Run strategies and searches on the whole program, or at the selection again.";
    Search "search" Screen None, search, "Run the last search again from the present term.";
    Sketch "sketch" Screen Some("reach SKETCH using RULES"), always, "Type a sketch, the rules and the limits, and search for it.";
    Cancel "cancel" Screen None, running, "Stop the running job and keep what it has found.";

    Grow "grow" Screen None, grow, "Select the parent of the selected sub-term.";
    Shrink "shrink" Screen None, shrink, "Select the first part of the selected sub-term.";
    Up "up" Screen None, always, "Move up.";
    Down "down" Screen None, always, "Move down.";
    Left "left" Screen None, always, "Move left: the previous sub-term, or scroll.";
    Right "right" Screen None, always, "Move right: the next sub-term, or scroll.";
    Top "top" Screen None, always, "Move to the top.";
    Bottom "bottom" Screen None, always, "Move to the bottom.";
    HalfUp "half-page-up" Screen None, always, "Move half a page up.";
    HalfDown "half-page-down" Screen None, always, "Move half a page down.";
    PageUp "page-up" Screen None, always, "Move a page up.";
    PageDown "page-down" Screen None, always, "Move a page down.";
    Find "find" Screen Some("TEXT"), always, "Find text in this pane; in the list of rules, show only those that match.";
    FindNext "find-next" Screen None, finding, "Go to the next place found.";
    FindPrevious "find-previous" Screen None, finding, "Go to the previous place found.";

    NextPane "next-pane" Screen None, always, "Give the keys to the next pane.";
    PreviousPane "previous-pane" Screen None, always, "Give the keys to the previous pane.";
    Term "term" Screen None, always, "The typed term, with the selected sub-term.";
    Loops "loops" Screen None, always, "The loop nest that the term stands for.";
    Rules "rules" Screen None, always, "The rules that apply at the selected sub-term.";
    SearchPane "search-pane" Screen None, always, "The e-graph while a search grows, and what was found.";
    Kernel "kernel" Screen None, always, "The code that would be generated, at any stage: the lines of the selection are marked, and a line leads back to what it comes from.";
    BenchPane "bench-pane" Screen None, always, "Measured times.";
    History "history" Screen None, always, "All states of the session, as a tree.";
    Jobs "jobs" Screen None, always, "What runs, what ran, and the messages.";
    Zoom "zoom" Screen None, always, "Show this pane alone, or all again.";

    NextStage "next-stage" Screen None, always, "Show the next stage on the way to code.";
    PreviousStage "previous-stage" Screen None, always, "Show the previous stage on the way to code.";
    Target "target" Screen None, always, "Switch between C and OpenCL.";
    Bench "bench" Screen None, kernel, "Run the kernel on the device, check its output, measure it.";
    AllowForeign "allow-foreign" Screen Some("yes"), foreign, "Let the program's foreign functions, which are C text, run until the session is closed.";
    Data "data" Screen Some("image=photo.png weights=w.npy"), always, "Run once on data from files, check the result, and show both; pictures are shown as pictures.";
    Sizes "sizes" Screen Some("m=1024 n=512"), always, "Give the sizes their values.";
    Device "device" Screen Some("NAME"), always, "Choose the device to run on.";

    Pin "pin" Screen None, always, "Keep this state to compare with.";
    Diff "diff" Screen None, pinned, "Show the difference from the pinned state in the pane's own text.";
    Copy "copy" Screen None, always, "Copy the selection to the clipboard.";
    CopyCommand "copy-command" Screen None, always, "Copy the command line that makes the present program of the file.";
    Save "save" Screen Some("NAME"), always, "Give the session a name.";
    Reload "reload" Screen None, reload, "Start again from the file on the disk, which has changed.";
    Edit "edit" Screen None, edit, "Open the program in `$EDITOR`.";
    Explain "explain" Screen Some("CODE"), always, "Show what the code of a problem means, with an example.";
    Suspend "suspend" Screen None, always, "Go to the shell; `fg` comes back.";
    Repaint "repaint" Screen None, always, "Draw the whole screen again.";

    ChoiceUp "choice-up" Choice None, always, "Move up.";
    ChoiceDown "choice-down" Choice None, always, "Move down.";
    ChoicePageUp "choice-page-up" Choice None, always, "Move a page up.";
    ChoicePageDown "choice-page-down" Choice None, always, "Move a page down.";
    ChoiceComplete "choice-complete" Choice None, always, "Take over the highlighted name.";
    ChoiceAccept "choice-accept" Choice None, always, "Take the highlighted entry.";
    ChoiceBack "choice-back" Choice None, always, "Close.";

    PageLineUp "page-line-up" Page None, always, "Move up.";
    PageLineDown "page-line-down" Page None, always, "Move down.";
    PageLeft "page-left" Page None, always, "Scroll left.";
    PageRight "page-right" Page None, always, "Scroll right.";
    PageBackScreen "page-back-screen" Page None, always, "Move a page up.";
    PageForwardScreen "page-forward-screen" Page None, always, "Move a page down.";
    PageTop "page-top" Page None, always, "Move to the top.";
    PageBottom "page-bottom" Page None, always, "Move to the bottom.";
    PageAccept "page-accept" Page None, always, "Do what is shown.";
    PageNext "page-next" Page None, always, "Take this step and show the next.";
    PagePrevious "page-previous" Page None, always, "Show the previous step.";
    PageRun "page-run" Page None, always, "Take all steps.";
    PageClose "page-close" Page None, always, "Close.";

    EntryAccept "entry-accept" Entry None, always, "Run what is typed.";
    EntryComplete "entry-complete" Entry None, always, "Complete the name that is typed; in a filter, go back to the list.";
    EntryNewline "entry-newline" Entry None, always, "Begin a new line.";
    EntryOlder "entry-older" Entry None, always, "Bring back what was typed before.";
    EntryNewer "entry-newer" Entry None, always, "Go forward again in what was typed.";
    EntryBack "entry-back" Entry None, always, "Close; what is typed is kept.";

    TypingClear "typing-clear" Typing None, always, "Delete the line up to the cursor.";
    TypingPlace "typing-place" Typing None, always, "Run on the whole program, or at the selection again.";

    QuestionYes "question-yes" Question None, always, "Yes.";
    QuestionSave "question-save" Question None, always, "Save first, then yes.";
    QuestionNo "question-no" Question None, always, "No.";
}

impl Command {
    /// The command that gives the keys to a pane.
    pub fn of_pane(pane: Pane) -> Command {
        match pane {
            Pane::Term => Command::Term,
            Pane::Loops => Command::Loops,
            Pane::Rules => Command::Rules,
            Pane::Search => Command::SearchPane,
            Pane::Kernel => Command::Kernel,
            Pane::Bench => Command::BenchPane,
            Pane::History => Command::History,
            Pane::Jobs => Command::Jobs,
        }
    }
}

fn always(_: &Facts) -> Enabled {
    Ok(())
}

/// `Ok` when `holds`, else the reason.
fn require(holds: bool, reason: &str) -> Enabled {
    if holds { Ok(()) } else { Err(reason.to_owned()) }
}

fn grow(facts: &Facts) -> Enabled {
    require(!facts.at_root, "The whole program is selected already.")
}

fn shrink(facts: &Facts) -> Enabled {
    require(!facts.at_leaf, "The selected sub-term has no parts.")
}

fn rule_chosen(facts: &Facts) -> Enabled {
    require(facts.rule.is_some(), "No rule is highlighted.")
}

fn rule(facts: &Facts) -> Enabled {
    rule_chosen(facts)?;
    match &facts.rule {
        Some((_, applies)) => applies.clone(),
        None => Ok(()),
    }
}

fn found(facts: &Facts) -> Enabled {
    require(facts.found, "No search has found anything yet; {sketch} types one.")
}

fn preview(facts: &Facts) -> Enabled {
    match facts.pane {
        Pane::History => Ok(()),
        Pane::Search => found(facts),
        _ => rule(facts),
    }
}

fn open(facts: &Facts) -> Enabled {
    match facts.pane {
        Pane::Term | Pane::Rules => rule(facts),
        Pane::History => require(!facts.at_present, "This state is the present one."),
        Pane::Search => found(facts),
        Pane::Loops | Pane::Bench | Pane::Kernel => Ok(()),
        Pane::Jobs => Err("There is nothing to open in this pane.".to_owned()),
    }
}

fn can_undo(facts: &Facts) -> Enabled {
    require(facts.can_undo, "This is the beginning of the session.")
}

fn can_redo(facts: &Facts) -> Enabled {
    require(facts.can_redo, "Nothing follows this state.")
}

fn search(facts: &Facts) -> Enabled {
    require(facts.search, "No search has been typed yet; {sketch} types one.")
}

fn running(facts: &Facts) -> Enabled {
    require(facts.running.is_some(), "Nothing is running.")
}

fn kernel(facts: &Facts) -> Enabled {
    facts.kernel.clone()
}

fn foreign(facts: &Facts) -> Enabled {
    require(facts.foreign, "The program has no foreign functions that would have to be allowed.")
}

fn pinned(facts: &Facts) -> Enabled {
    require(facts.pinned, "No state is pinned; {pin} pins the present one.")
}

fn finding(facts: &Facts) -> Enabled {
    require(facts.finding, "Nothing has been looked for; {find} looks for a text.")
}

fn reload(facts: &Facts) -> Enabled {
    require(facts.file_changed, "The file on the disk is the one that is open.")
}

fn edit(facts: &Facts) -> Enabled {
    require(facts.editor, "The environment names no editor; set EDITOR.")?;
    require(
        facts.file,
        "This session was not recorded here, so it is not known where its files lie; open the program itself.",
    )
}

/// The commands worth a hint in a pane, most useful first.
pub fn hints_of(pane: Pane) -> &'static [Command] {
    use Command as C;
    match pane {
        Pane::Term => &[C::Open, C::Preview, C::Grow, C::Shrink, C::Undo, C::Strategy, C::Sketch, C::Bench],
        Pane::Loops => &[C::Open, C::Undo, C::Strategy, C::Sketch, C::Bench],
        Pane::Rules => &[C::Open, C::Preview, C::Why, C::AllRules, C::Find, C::Undo, C::Strategy],
        Pane::Search => &[C::Cancel, C::Preview, C::Sketch, C::Search, C::Undo],
        Pane::Kernel => &[C::Open, C::NextStage, C::Target, C::Bench, C::Find, C::Device, C::Sizes],
        Pane::Bench => &[C::Bench, C::Data, C::Pin, C::Device, C::Sizes],
        Pane::History => &[C::Open, C::Preview, C::Undo, C::Redo, C::Pin, C::Diff],
        Pane::Jobs => &[C::Cancel, C::Find],
    }
}

/// The commands worth a hint in a popup.
pub fn hints_of_context(context: Context) -> &'static [Command] {
    use Command as C;
    match context {
        Context::Screen => &[C::Help, C::Palette, C::NextPane, C::Quit],
        Context::Choice => {
            &[C::ChoiceAccept, C::ChoiceDown, C::ChoiceComplete, C::TypingPlace, C::ChoiceBack]
        }
        Context::Page => &[C::PageAccept, C::PageNext, C::PageRun, C::PageLineDown, C::PageClose],
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

/// The line of hints: keys and labels of the commands that can be used, as many as fit; help always fits.
pub fn hints(commands: &[Command], facts: &Facts, keys: &Keymap, width: usize) -> Line {
    let mut line = Line::empty();
    for command in commands {
        let Some(key) = keys.key(*command) else { continue };
        if command.enabled(facts).is_err() {
            continue;
        }
        let mut hint = Line::plain(if line.is_empty() { "" } else { "  " });
        hint.append(match command {
            Command::Open | Command::Preview => {
                let own = word_in(*command, facts.pane).unwrap_or(keys.label(*command));
                Line::of(Role::Key, key).with(Role::Hint, format!(" {own}"))
            }
            _ => self::hint(&key, *command, keys),
        });
        if line.width() + hint.width() > width {
            break;
        }
        line.append(hint);
    }
    line
}

/// What Enter and the preview do in panes that list no rules.
fn word_in(command: Command, pane: Pane) -> Option<&'static str> {
    match (command, pane) {
        (Command::Open, Pane::Loops | Pane::Kernel) => Some("select"),
        (Command::Open, Pane::History) => Some("go there"),
        (Command::Open, Pane::Bench) => Some("all about it"),
        (Command::Open | Command::Preview, Pane::Search) | (Command::Preview, Pane::History) => Some("how"),
        _ => None,
    }
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

    /// A state in which nothing is possible.
    fn nothing() -> Facts {
        Facts {
            pane: Pane::Term,
            at_root: true,
            at_leaf: true,
            can_undo: false,
            can_redo: false,
            rule: None,
            running: None,
            stepping: None,
            search: false,
            found: false,
            kernel: Err("There is no kernel.".to_owned()),
            foreign: false,
            pinned: false,
            finding: false,
            file_changed: false,
            at_present: true,
            editor: false,
            file: false,
        }
    }

    #[test]
    fn every_command_explains_itself_in_a_sentence() {
        let mut names: Vec<_> = Command::ALL.iter().map(|c| c.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Command::ALL.len());
        for command in Command::ALL {
            assert!(command.doc().ends_with('.') && !command.doc().contains('\n'), "{}", command.name());
            assert_eq!(Command::from_name(command.name()), Some(*command));
            if let Err(reason) = command.enabled(&nothing()) {
                assert!(reason.ends_with('.'), "{}: {reason}", command.name());
            }
        }
    }

    #[test]
    fn a_rule_that_does_not_apply_says_so_through_the_commands_that_need_it() {
        let mut facts = nothing();
        facts.rule = Some(("mapFusion".to_owned(), Err("`mapFusion` needs a second `map`.".to_owned())));
        assert_eq!(Command::Open.enabled(&facts), Err("`mapFusion` needs a second `map`.".to_owned()));
        assert!(Command::Why.enabled(&facts).is_ok());
        facts.rule = Some(("mapFusion".to_owned(), Ok(())));
        assert!(Command::Open.enabled(&facts).is_ok() && Command::Preview.enabled(&facts).is_ok());
    }

    #[test]
    fn hints_show_only_what_can_be_used_and_what_fits() {
        let keys = Keymap::load(None).unwrap();
        let line = hints(hints_of(Pane::Term), &nothing(), &keys, 80);
        assert!(!line.text().contains("undo"), "{}", line.text());
        let mut facts = nothing();
        facts.can_undo = true;
        assert!(hints(hints_of(Pane::Term), &facts, &keys, 80).text().contains("u undo"));
        for width in 0..80 {
            assert!(hints(hints_of_context(Context::Screen), &facts, &keys, width).width() <= width);
        }
    }
}
