//! What can be done, said in the words of the screen.
//!
//! Whoever finds a problem does not know where it will be read, so hints name options of the command line. Between backticks
//! stand options and commands; here is what each of them is on the screen and in line mode, which take what follows `:`.

use super::text::{Line, Role};

/// A sentence with the commands of the screen in the place of options, where there are such. Where it names both, only that of
/// the screen is left.
pub fn on_the_screen(text: &str) -> String {
    let mut pieces: Vec<String> = text.split('`').map(str::to_owned).collect();
    // What is between backticks is at the odd places.
    if pieces.len().is_multiple_of(2) {
        return text.to_owned();
    }
    let mut at = 1;
    while let [code, between, next, ..] = pieces.get(at..).unwrap_or_default() {
        if is_of_the_command_line(code) && BOTH.contains(&between.as_str()) && next.starts_with(':') {
            pieces.drain(at..at + 2);
            if let Some(after) = pieces.get_mut(at + 1) {
                let rest = after.strip_prefix(" on the screen").unwrap_or(after);
                // The comma was there for what is left out.
                *after = rest.strip_prefix(',').unwrap_or(rest).to_owned();
            }
        } else {
            at += 2;
        }
    }
    for code in pieces.iter_mut().skip(1).step_by(2) {
        if let Some(own) = own(code) {
            *code = own;
        }
    }
    pieces.join("`")
}

/// Lines whose warnings are sentences, with the commands of the screen in them.
pub fn lines_on_the_screen(mut lines: Vec<Line>) -> Vec<Line> {
    let warnings =
        lines.iter_mut().flat_map(|line| &mut line.spans).filter(|span| span.role == Role::Warning);
    warnings.for_each(|span| span.text = on_the_screen(&span.text).into());
    lines
}

/// What stands between the way of the command line and that of the screen.
const BOTH: [&str; 3] = [", or ", ", or with ", ", or on the screen with "];

fn is_of_the_command_line(code: &str) -> bool {
    code.starts_with("--") || code.starts_with("shine-tui ")
}

/// The same on the screen; None where there is nothing like it.
fn own(code: &str) -> Option<String> {
    let (word, rest) = code.split_once(' ').unwrap_or((code, ""));
    let unquoted = rest.trim_matches('\'');
    let command = |name: &str| format!(":{name} {unquoted}").trim_end().to_owned();
    Some(match (word, rest) {
        ("--size", _) => command("sizes"),
        ("--for", _) => command("tune"),
        ("--device", _) => command("device"),
        ("--against", "") => ":compare".to_owned(),
        ("--allow-foreign", "") => ":allow-foreign yes".to_owned(),
        ("--session", file) if !file.is_empty() => command("save"),
        // These are typed as they are, where inputs or a strategy are asked for.
        ("--input" | "--strategy", given) if !given.is_empty() => unquoted.to_owned(),
        ("shine-tui", "rules") => ":all-rules".to_owned(),
        ("shine-tui", "strategies") => ":palette".to_owned(),
        ("shine-tui", "devices") => ":device".to_owned(),
        ("shine-tui", "tune") => ":tune".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_what_can_be_done_where_they_are_read() {
        for (text, shown) in [
            (
                "Give every size a value, as in `--size m=1024`.",
                "Give every size a value, as in `:sizes m=1024`.",
            ),
            (
                "Give one with `--size m=1024`, or `:sizes m=1024` on the screen.",
                "Give one with `:sizes m=1024`.",
            ),
            (
                "Give it more time: `--for 120s`, or `:tune 120s …` on the screen.",
                "Give it more time: `:tune 120s …`.",
            ),
            (
                "Give it more time, as in `--for 120s`, or choose.",
                "Give it more time, as in `:tune 120s`, or choose.",
            ),
            (
                "Read it, then allow it with `--allow-foreign`, or on the screen with `:allow-foreign yes`.",
                "Read it, then allow it with `:allow-foreign yes`.",
            ),
            (
                "name one with `--device`, or with `:device` on the screen; `shine-tui devices` lists them.",
                "name one with `:device`; `:device` lists them.",
            ),
            ("`shine-tui tune`, or `:tune` on the screen, chooses it.", "`:tune` chooses it."),
            ("(`--device 'cpu[scalar]'`)", "(`:device cpu[scalar]`)"),
            ("as in `--input alpha=2`.", "as in `alpha=2`."),
            ("`--strategy 'auto(exact)'` uses none", "`auto(exact)` uses none"),
            (
                "`shine-tui rules` lists the rules, `shine-tui strategies` the strategies.",
                "`:all-rules` lists the rules, `:palette` the strategies.",
            ),
            (
                "Set SHINE_STATE_DIR, or name a file with `--session FILE`.",
                "Set SHINE_STATE_DIR, or name a file with `:save FILE`.",
            ),
            (
                "compare two programs in turns with `--against`.",
                "compare two programs in turns with `:compare`.",
            ),
            // There is nothing like it on the screen.
            ("Choose another definition with `--def`.", "Choose another definition with `--def`."),
            ("`shine-tui rules beta` shows the rule.", "`shine-tui rules beta` shows the rule."),
            ("Did you mean `map`?", "Did you mean `map`?"),
            ("a ` alone", "a ` alone"),
        ] {
            assert_eq!(on_the_screen(text), shown);
        }
    }
}
