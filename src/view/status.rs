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
    /// The key that takes over what has changed on the disk.
    pub changed: Option<&'a str>,
    /// Whether something is wrong with that.
    pub wrong: bool,
}

/// What can be missed where there is no room, the first first. What is no part of this is always said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Stray,
    File,
    Unchecked,
    Checked,
    Job,
    Sizes,
    Always,
}

/// The line; what matters most now comes first. What can be missed is left out where it does not fit the width, so that the
/// device, for which times and code are, stays.
pub fn line(status: &Status<'_>, width: usize, alphabet: Alphabet) -> Line {
    let mut parts = parts(status, alphabet);
    let joined = |parts: &[(Need, Role, String)]| {
        let mut line = Line::empty();
        for (_, role, text) in parts {
            if !line.is_empty() {
                line.push(Role::Dim, alphabet.pick(" · ", " | "));
            }
            line.push(*role, text.clone());
        }
        line
    };
    loop {
        let (line, least) = (joined(&parts), parts.iter().map(|part| part.0).min());
        let Some(least) = least.filter(|least| line.width() > width && *least < Need::Always) else {
            return line;
        };
        // What a job does is said shorter before it is left out.
        let over = line.width() - width;
        match parts.iter_mut().find(|part| part.0 == least) {
            Some(part) if least == Need::Job && part.2.chars().count() > over + SHORTEST => {
                let room = part.2.chars().count() - over;
                part.2 = Line::plain(part.2.clone()).fit(room, alphabet).text();
                part.0 = Need::Always;
            }
            Some(part) if least == Need::Sizes && equal(&part.2).is_some_and(|short| short != part.2) => {
                part.2 = equal(&part.2).unwrap_or_default();
            }
            _ => parts.retain(|part| part.0 != least),
        }
    }
}

/// Sizes of one value with that value once: `m=n=k=1024`.
fn equal(sizes: &str) -> Option<String> {
    let pairs: Option<Vec<(&str, &str)>> = sizes.split(' ').map(|size| size.rsplit_once('=')).collect();
    let pairs = pairs?;
    let (_, value) = pairs.first()?;
    let names: Vec<&str> = pairs.iter().map(|(name, _)| *name).collect();
    pairs.iter().all(|(_, other)| other == value).then(|| format!("{}={value}", names.join("=")))
}

/// What is said of a job in fewer columns says nothing.
const SHORTEST: usize = 14;

fn parts(status: &Status<'_>, alphabet: Alphabet) -> Vec<(Need, Role, String)> {
    let mut parts = vec![];
    let mut part = |need: Need, role: Role, text: String| parts.push((need, role, text));
    if let Some(job) = &status.job {
        let more = if status.more > 0 { format!(" (+{} more)", status.more) } else { String::new() };
        part(Need::Job, Role::Warning, format!("{job}{more}"));
    }
    part(Need::Always, Role::Title, status.program.to_owned());
    part(
        Need::Always,
        Role::Status,
        format!("rev {}/{}", status.revision, status.revisions.saturating_sub(1)),
    );
    if let Some(key) = status.changed {
        let says = if status.wrong { "file has errors" } else { "file changed" };
        let does = if status.wrong { "shows them" } else { "reloads" };
        part(Need::Always, Role::Warning, format!("{says}, {key} {does}"));
    }
    if let Some(problem) = &status.save.problem {
        part(Need::Always, Role::Error, format!("not saved: {problem}"));
    } else if status.save.unsaved > 0 {
        part(Need::Always, Role::Warning, format!("{} unsaved", status.save.unsaved));
    } else if status.save.path.is_none() {
        part(Need::Always, Role::Warning, "not recorded".to_owned());
    }
    match status.check {
        Some(None) => part(Need::Checked, Role::Good, format!("check {}", alphabet.pick("✓", "ok"))),
        Some(Some(error)) => {
            part(Need::Checked, Role::Good, format!("check {} {error:.0e}", alphabet.pick("✓", "ok")))
        }
        None => part(Need::Unchecked, Role::Dim, "not checked".to_owned()),
    }
    let sizes = status.sizes.iter().map(|(n, v)| format!("{n}={v}"));
    let missing = status.missing.iter().map(|n| format!("{n}=?"));
    let all: Vec<String> = sizes.chain(missing).collect();
    if !all.is_empty() {
        let role = if status.missing.is_empty() { Role::Status } else { Role::Warning };
        part(Need::Sizes, role, all.join(" "));
    }
    part(Need::Always, Role::Status, status.device.to_owned());
    if status.stray > 0 {
        part(Need::Stray, Role::Dim, format!("{} lines logged", status.stray));
    }
    if let (Some(path), true) = (&status.save.path, status.save.named)
        && let Some(name) = path.file_name()
    {
        part(Need::File, Role::Dim, name.to_string_lossy().into_owned());
    }
    parts
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
            wrong: false,
        };
        assert_eq!(
            line(&status, usize::MAX, Alphabet::Ascii).text(),
            "search 3.1 s (+1 more) | matmul | rev 3/7 | file changed, R reloads | 2 unsaved | check ok 2e-7 | \
             m=64 n=? | cpu | 4 lines logged"
        );
    }

    #[test]
    fn the_device_is_said_in_few_columns_too() {
        let save = SaveState { path: Some("a/session.ron".into()), named: true, ..SaveState::default() };
        let sizes = ["m", "n", "k"].map(|name| (name.into(), 1024)).into_iter().collect();
        let status = Status {
            program: "matmul",
            sizes: &sizes,
            missing: &[],
            device: "opencl:gpu",
            revision: 12,
            revisions: 40,
            check: None,
            save: &save,
            job: None,
            more: 0,
            stray: 0,
            changed: None,
            wrong: false,
        };
        let text = |status: &Status<'_>, width| line(status, width, Alphabet::Ascii).text();
        assert_eq!(text(&status, 60), "matmul | rev 12/39 | k=1024 m=1024 n=1024 | opencl:gpu");
        assert_eq!(text(&status, 50), "matmul | rev 12/39 | k=m=n=1024 | opencl:gpu");
        assert_eq!(text(&status, 40), "matmul | rev 12/39 | opencl:gpu");
        let job = Some("measuring 3.2 s, checking at small sizes against the interpreter".to_owned());
        let busy = Status { job, ..status };
        let short = text(&busy, 60);
        assert!(short.starts_with("measuring 3.2 s") && short.ends_with("opencl:gpu"), "{short}");
        assert!(short.chars().count() <= 60, "{short}");
        let wrong = Status { changed: Some("R"), wrong: true, ..busy };
        assert!(text(&wrong, 60).contains("file has errors, R shows them"), "{}", text(&wrong, 60));
    }
}
