//! The line that says how things stand. Text first, colour second.

use super::text::{Alphabet, Line, Role};
use crate::session::action::{RevisionId, Sizes};
use crate::session::record::SaveState;

/// What the line is about.
#[derive(Clone, Debug)]
pub struct Status<'a> {
    /// The program.
    pub program: &'a str,
    /// The sizes that have values.
    pub sizes: &'a Sizes,
    /// The sizes that have none.
    pub missing: &'a [String],
    /// The device to measure on.
    pub device: &'a str,
    /// Which revision is shown, of how many.
    pub revision: RevisionId,
    /// See `revision`.
    pub revisions: usize,
    /// The largest relative error of the revision's kernel, if it was checked; none where that is not known.
    pub check: Option<Option<f64>>,
    /// How saving stands.
    pub save: &'a SaveState,
    /// What is running, in words.
    pub job: Option<String>,
    /// How many more are running.
    pub more: usize,
    /// Lines that were written past the screen.
    pub stray: usize,
    /// The key that reads the program's file again, where it has changed.
    pub changed: Option<&'a str>,
}

/// The line; what matters most now comes first, since the end may be cut off.
pub fn line(status: &Status<'_>, alphabet: Alphabet) -> Line {
    let mut line = Line::empty();
    let mut part = |role: Role, text: String| {
        if !line.is_empty() {
            line.push(Role::Dim, alphabet.pick(" · ", " | "));
        }
        line.push(role, text);
    };
    if let Some(job) = &status.job {
        let more = if status.more > 0 { format!(" (+{} more)", status.more) } else { String::new() };
        part(Role::Warning, format!("{job}{more}"));
    }
    part(Role::Title, status.program.to_owned());
    part(Role::Status, format!("rev {}/{}", status.revision, status.revisions.saturating_sub(1)));
    if let Some(key) = status.changed {
        part(Role::Warning, format!("file changed, {key} reloads"));
    }
    if let Some(problem) = &status.save.problem {
        part(Role::Error, format!("not saved: {problem}"));
    } else if status.save.unsaved > 0 {
        part(Role::Warning, format!("{} unsaved", status.save.unsaved));
    } else if status.save.path.is_none() {
        part(Role::Warning, "not recorded".to_owned());
    }
    match status.check {
        Some(None) => part(Role::Good, format!("check {}", alphabet.pick("✓", "ok"))),
        Some(Some(error)) => part(Role::Good, format!("check {} {error:.0e}", alphabet.pick("✓", "ok"))),
        None => part(Role::Dim, "not checked".to_owned()),
    }
    let sizes = status.sizes.iter().map(|(n, v)| format!("{n}={v}"));
    let missing = status.missing.iter().map(|n| format!("{n}=?"));
    let all: Vec<String> = sizes.chain(missing).collect();
    if !all.is_empty() {
        let role = if status.missing.is_empty() { Role::Status } else { Role::Warning };
        part(role, all.join(" "));
    }
    part(Role::Status, status.device.to_owned());
    if status.stray > 0 {
        part(Role::Dim, format!("{} lines logged", status.stray));
    }
    if let (Some(path), true) = (&status.save.path, status.save.named)
        && let Some(name) = path.file_name()
    {
        part(Role::Dim, name.to_string_lossy().into_owned());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_said_in_words() {
        let save = SaveState { unsaved: 2, ..SaveState::default() };
        let sizes = [("m".into(), 64)].into_iter().collect();
        let status = Status {
            program: "matmul",
            sizes: &sizes,
            missing: &["n".to_owned()],
            device: "cpu",
            revision: 3,
            revisions: 8,
            check: Some(Some(2e-7)),
            save: &save,
            job: Some("search 3.1 s".to_owned()),
            more: 1,
            stray: 4,
            changed: Some("R"),
        };
        assert_eq!(
            line(&status, Alphabet::Ascii).text(),
            "search 3.1 s (+1 more) | matmul | rev 3/7 | file changed, R reloads | 2 unsaved | check ok 2e-7 | \
             m=64 n=? | cpu | 4 lines logged"
        );
    }
}
