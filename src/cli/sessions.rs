//! `shine-tui sessions`: what was recorded on this machine.

use super::args::Sessions;
use super::exit::Exit;
use super::load::fail;
use super::output;
use crate::session::files::no_state_folder;
use crate::session::listing::{self, Listed, State};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Lists the sessions, the one that was changed last first.
pub fn run(args: &Sessions) -> Result<Exit, Exit> {
    if let Some(problem) = no_state_folder() {
        return Err(fail(&problem));
    }
    let is_shown = |one: &Listed| match one.state {
        State::Open | State::Damaged => true,
        State::Unfinished | State::Left => args.all || one.actions > 0,
    };
    let (shown, empty): (Vec<Listed>, Vec<Listed>) = listing::all().into_iter().partition(is_shown);
    if args.json.json {
        return output::json(&Value::Array(shown.iter().map(as_json).collect())).map(|()| Exit::Done);
    }
    let mut text = String::new();
    if shown.is_empty() {
        text += "No session in which something was done was recorded on this machine yet.\n";
    }
    for one in &shown {
        let program = one.program.as_deref().map_or("?".into(), in_a_line);
        let actions = actions(one.actions);
        let about = match one.state {
            State::Left => actions,
            State::Damaged => "damaged: it does not begin as a session does".to_owned(),
            other => format!("{actions}, {}", other.name()),
        };
        text += &format!("{}  {program}  ({about})\n  {}\n", when(one.changed), in_a_line(&one.session));
    }
    if shown.iter().any(|one| one.state != State::Damaged) {
        text += "`shine-tui SESSION.ron` goes on with one.\n";
    }
    text += &untouched(empty.len(), !shown.is_empty());
    output::print(&text).map(|()| Exit::Done)
}

/// That there are sessions in which nothing was done, beside others that are listed or not.
fn untouched(count: usize, others: bool) -> String {
    let (more, too) = if others { (" more", " too") } else { ("", "") };
    match count {
        0 => String::new(),
        1 => format!("In one{more} nothing was done; `--all` lists it{too}.\n"),
        all => format!("In {all}{more} nothing was done; `--all` lists them{too}.\n"),
    }
}

/// A file's name on one line: a line break in it would begin another one of the list.
fn in_a_line(path: &Path) -> String {
    let text = path.display().to_string();
    let shown = |c: char| if c.is_control() { c.escape_unicode().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// A number of actions, in words.
pub(super) fn actions(n: usize) -> String {
    if n == 1 { "1 action".into() } else { format!("{n} actions") }
}

/// The time in UTC, to the minute.
pub(super) fn when(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let (year, month, day) = date(days);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// Year, month and day of a day since 1970, by counting the years and months off.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

fn as_json(one: &Listed) -> Value {
    json!({
        "session": one.session.display().to_string(),
        "program": one.program.as_ref().map(|p| p.display().to_string()),
        "changed": one.changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        "actions": one.actions,
        "state": one.state.name(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn moments_are_told_as_days() {
        for (seconds, told) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
        ] {
            assert_eq!(when(UNIX_EPOCH + Duration::from_secs(seconds)), told);
        }
    }

    #[test]
    fn more_are_told_of_only_beside_others() {
        assert_eq!(untouched(1, true), "In one more nothing was done; `--all` lists it too.\n");
        assert_eq!(untouched(1, false), "In one nothing was done; `--all` lists it.\n");
        assert_eq!(untouched(2, false), "In 2 nothing was done; `--all` lists them.\n");
    }
}
