//! The one table of commands: name, one line of help, context, and whether each can be used now.
//!
//! Help, palette, the line of hints and the documents are printed from this table (keys come from
//! [`super::keys`]). A command that cannot be used now is never hidden: it says why. The table knows the state
//! only through [`Facts`].

use super::disk::gone_text;
use super::facts::Facts;
use super::layout::Pane;
use super::panes;

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

/// Why a command cannot be used.
pub type Enabled = Result<(), String>;

/// What commands are also called by those who type them.
const OTHER_NAMES: &[(&str, Command)] = &[("stop", Command::Cancel)];

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

            /// The command with this name, or one of which it is another name.
            pub fn from_name(name: &str) -> Option<Command> {
                let also = || OTHER_NAMES.iter().find(|(other, _)| *other == name).map(|(_, command)| *command);
                match name { $($name => Some(Command::$variant),)* _ => also() }
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
    Everywhere "everywhere" Screen None, rule_chosen, "Apply the highlighted rule once at every part of the selection where it applies, those inside first.";
    Why "why" Screen Some("RULE"), rule_chosen, "Show the highlighted rule, or the one that is named, and say why it does or does not apply here, and where the match stops.";
    AllRules "all-rules" Screen None, always, "Show also the rules that do not apply here, or only those that do.";
    Undo "undo" Screen None, can_undo, "Go back one step of the history; nothing is lost.";
    Redo "redo" Screen None, can_redo, "Go forward again along the branch that was left last.";
    Without "without" Screen None, without, "Skip the highlighted step of the history: go to the state before it and do again what followed.";
    Fold "fold" Screen None, folds, "Open or close the highlighted row of the history: single steps in one row, or the rewrites that a strategy or a search made; in code, the headers and helpers that no part of the program asks for.";
    Strategy "strategy" Screen Some("STRATEGY"), always, "Type a strategy in ELEVATE and run it.";
    Fastest "fastest" Screen None, measured, "Go to the fastest of the states that were measured on one device at the same sizes, say which may be as fast, and show the steps that lead there.";
    Better "better" Screen None, forked, "Of two branches of the history keep the faster one: go to it, measuring both in turns where their times do not tell.";
    Step "step" Screen Some("STRATEGY"), always, "Show the next step of the strategy as a difference, with its place; without one, ask which.";
    Run "run" Screen Some("STRATEGY"), always, "Take all steps of the strategy that are left; without one, ask which.";
    Place "whole" Screen None, always, "Run strategies and searches on the whole program, or at the selection again.";
    Search "search" Screen None, search, "Run the last search again from the present term, with its graph where that is kept.";
    Sketch "sketch" Screen Some("reach SKETCH using RULES"), always, "Type a sketch, the rules and the limits, and search for it.";
    Hold "hold" Screen None, holds, "Hold back a rule that grows the graph of the last search: choose it, and search on without it.";
    Frozen "as-strategy" Screen Some("FILE.elevate"), made, "Write what made the present state, in the history the highlighted one, as a strategy of single rewrites, which needs no search: shown and copied, or put into a file.";
    Best "best" Screen Some("10 reach SKETCH using RULES"), always, "Search, and measure the best programs that are found, which are ranked by their time; without one, the last search.";
    Point "point" Screen None, always, "Make a sketch of the selected sub-term, to be widened step by step, with how much it describes.";
    Narrow "narrow" Screen None, widened, "Take back the last step by which the sketch was widened.";
    Cancel "cancel" Screen None, running, "Stop the running job and keep what it has found; `stop` is the same.";

    Select "select" Screen Some("POSITION"), always, "Select the sub-term at a position, such as 0.1.1, or `.` for the whole program.";
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
    SketchPane "sketch-pane" Screen None, always, "The sketch of what was pointed at, and the steps that widen it.";
    BestPane "best-pane" Screen None, always, "The best programs of a search, as they are measured, the fastest first.";
    Kernel "kernel" Screen None, always, "The code that would be generated, at any stage: the lines of the selection are marked, and a line leads back to what it comes from.";
    BenchPane "bench-pane" Screen None, always, "Measured times.";
    History "history" Screen None, always, "All states of the session, as a tree.";
    Jobs "jobs" Screen None, always, "What runs, what ran, and the messages.";
    Wider "wider" Screen None, always, "Make this pane wider, at the cost of the one beside it.";
    Narrower "narrower" Screen None, always, "Make this pane narrower.";
    Taller "taller" Screen None, always, "Make this pane taller, at the cost of the one below or above it.";
    Shorter "shorter" Screen None, always, "Make this pane shorter.";
    Borders "borders" Screen None, always, "Put the borders between panes back to where the panes need them.";
    Zoom "zoom" Screen None, always, "Show this pane alone, or all again.";

    NextStage "next-stage" Screen None, always, "Show the next stage on the way to code.";
    PreviousStage "previous-stage" Screen None, always, "Show the previous stage on the way to code.";
    Target "target" Screen None, always, "Switch between C and OpenCL.";
    Bench "bench" Screen None, kernel, "Run the kernel on the device, check its output, measure it.";
    Tune "tune" Screen Some("30s blocking(?, ?, ?)"), kernel, "Choose what a strategy leaves open by measuring, and run it so; without one, what `auto` leaves open. Stopped at any moment, it keeps the best.";
    Compare "compare" Screen None, comparable, "Measure the present state and the pinned one in turns, and say which is faster.";
    Sweep "sweep" Screen Some("k=1024..65536"), comparable, "Measure the present state and the pinned one in turns at several values of a size, doubled or listed, and say where which is faster.";
    Dispatch "dispatch" Screen Some("FOLDER"), swept, "Write a function in C that chooses the faster of the two states by the size, as the last sweep measured them, with the code of both.";
    Results "results" Screen None, results, "Show again what came of work in the background: times in turns and at several sizes, tunings, runs on data.";
    Roofline "roofline" Screen None, always, "Measure what the device allows, and show how near to that the measured states come.";
    AllowForeign "allow-foreign" Screen Some("yes"), foreign, "Let the program's foreign functions, which are C text, run until the session is closed.";
    Data "data" Screen Some("image=photo.png weights=w.npy"), always, "Run once on data from files, check the result, and show both; pictures are shown as pictures.";
    Sizes "sizes" Screen Some("m=1024 n=512"), always, "Give the sizes their values.";
    Device "device" Screen Some("NAME"), always, "Choose the device to run on.";

    Pin "pin" Screen None, always, "Keep this state to compare with.";
    Diff "diff" Screen None, pinned, "Show the difference from the pinned state, in the history of the highlighted one, as code where that is looked at; beside each other where there is room.";
    Copy "copy" Screen None, always, "Copy the selection to the clipboard.";
    CopyCommand "copy-command" Screen None, always, "Copy the command line that makes the present program of the file.";
    Save "save" Screen Some("NAME"), always, "Give the session a name.";
    Replay "replay" Screen None, always, "Say with which command this session is replayed: done again and compared, here or on another machine.";
    Export "export" Screen Some("FILE.html"), always, "Write the session as one page that needs nothing else: program, history, times, sketches, code, and what was measured of devices, of the best programs and of several sizes.";
    Reload "reload" Screen None, reload, "Take over what has changed on the disk: start again from the program, or use the rules and strategies; what is wrong with it is shown instead.";
    Edit "edit" Screen None, edit, "Open the program in `$EDITOR`.";
    Explain "explain" Screen Some("CODE"), always, "Show what the code of a problem means, with an example.";
    Suspend "suspend" Screen None, always, "Go to the shell; `fg` comes back.";
    Status "status" Screen None, always, "Say which program, sizes, device and revision this is, and what runs.";
    Theme "theme" Screen Some("NAME"), always, "Switch the colours, at once and until the screen is left.";
    Mouse "mouse" Screen Some("on, or off"), always, "Leave the mouse to the terminal, which then selects text with it, or take it again.";
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
    PageView "page-view" Page None, always, "In the preview of a rule, show the difference in the term, in its loops or in the code.";
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
    /// Whether it is for a screen alone: it changes how that looks, or who has the terminal.
    pub fn needs_a_screen(self) -> bool {
        use Command as C;
        matches!(
            self,
            C::Wider
                | C::Narrower
                | C::Taller
                | C::Shorter
                | C::Borders
                | C::Zoom
                | C::Edit
                | C::Suspend
                | C::Theme
                | C::Mouse
                | C::Repaint
        )
    }
}

/// For what can always be used.
///
/// # Errors
/// Never.
pub fn always(_: &Facts) -> Enabled {
    Ok(())
}

/// `Ok` when `holds`.
///
/// # Errors
/// Else the reason.
pub fn require(holds: bool, reason: &str) -> Enabled {
    if holds { Ok(()) } else { Err(reason.to_owned()) }
}

fn grow(facts: &Facts) -> Enabled {
    require(!facts.at_root, "The whole program is selected already.")
}

fn shrink(facts: &Facts) -> Enabled {
    require(!facts.at_leaf, "The selected sub-term has no parts.")
}

/// Whether a rule is highlighted.
///
/// # Errors
/// When none is.
pub fn rule_chosen(facts: &Facts) -> Enabled {
    require(facts.rule.is_some(), "No rule is highlighted.")
}

fn preview(facts: &Facts) -> Enabled {
    (panes::of(facts.pane).preview.enabled)(facts)
}

fn open(facts: &Facts) -> Enabled {
    (panes::of(facts.pane).open.enabled)(facts)
}

fn can_undo(facts: &Facts) -> Enabled {
    facts.undo.clone()
}

fn can_redo(facts: &Facts) -> Enabled {
    require(facts.can_redo, "Nothing follows this state.")
}

fn search(facts: &Facts) -> Enabled {
    require(facts.search, "No search has been typed yet; {sketch} types one.")
}

fn holds(facts: &Facts) -> Enabled {
    search(facts)?;
    require(facts.running.is_none(), "The search is running; {cancel} stops it, and it goes on from there.")
}

fn made(facts: &Facts) -> Enabled {
    require(facts.made, "Nothing was done yet to come to this state: it is the program as it was written.")
}

fn swept(facts: &Facts) -> Enabled {
    require(facts.swept, "No two states have been measured at several sizes yet; `:sweep` does that.")
}

fn results(facts: &Facts) -> Enabled {
    let none =
        "Nothing has come of work in the background yet; {compare}, `:sweep`, `:tune` and {data} start some.";
    require(facts.results, none)
}

fn widened(facts: &Facts) -> Enabled {
    require(facts.widened, "The sketch has not been widened; {point} makes one of the selected sub-term.")
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

fn without(facts: &Facts) -> Enabled {
    require(facts.pane == Pane::History, "This is for the steps of the history; {history} goes there.")?;
    facts.without.clone()
}

fn forked(facts: &Facts) -> Enabled {
    require(facts.forks, "The history has one branch so far; there is nothing to choose from.")
}

fn folds(facts: &Facts) -> Enabled {
    let nothing = "Nothing opens or closes in this pane; rows of the history ({history}) and lines of code ({kernel}) do.";
    let fold = panes::of(facts.pane).fold.as_ref().ok_or(nothing)?;
    require(facts.folds, fold.nothing)
}

fn measured(facts: &Facts) -> Enabled {
    require(facts.measured, "Nothing has been measured yet; {bench} measures the present state.")
}

fn comparable(facts: &Facts) -> Enabled {
    pinned(facts)?;
    require(facts.pinned_elsewhere, "The pinned state is the present one; go to another state first.")?;
    kernel(facts)
}

fn finding(facts: &Facts) -> Enabled {
    require(facts.finding, "Nothing has been looked for; {find} looks for a text.")
}

fn reload(facts: &Facts) -> Enabled {
    if !facts.files_gone.is_empty() && !facts.file_changed {
        return Err(gone_text(&facts.files_gone));
    }
    require(facts.file_changed, "The file on the disk is the one that is open.")
}

fn edit(facts: &Facts) -> Enabled {
    require(facts.editor, "The environment names no editor; set EDITOR.")?;
    require(
        facts.file,
        "This session was not recorded here, so it is not known where its files lie; open the program itself.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::facts::tests::nothing;

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
}
