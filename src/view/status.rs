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
    /// What the revision asks of its sizes that they do not meet.
    pub broken: Option<&'a str>,
    /// How the revision's kernel was checked, if it was.
    pub check: Option<Check<'a>>,
    /// How saving stands.
    pub save: &'a SaveState,
    /// What is running, in words.
    pub job: Option<String>,
    /// How many more are running.
    pub more: usize,
    /// Lines that were written past the screen.
    pub stray: usize,
    /// Whether something has changed on the disk.
    pub changed: bool,
    /// The key that takes it over, where that is read.
    pub reload: Option<&'a str>,
    /// Whether something is wrong with that.
    pub wrong: bool,
}

/// A check of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// The largest relative error; none where that is not known.
    pub error: Option<f64>,
    /// The sizes at which it was.
    pub sizes: &'a Sizes,
    /// The device on which it was.
    pub device: &'a str,
}

impl Check<'_> {
    /// Where it was instead, if sizes or device are others now: `at k=64 on cpu`.
    fn elsewhere(&self, now: &Sizes, device: &str) -> String {
        let others = self.sizes.iter().filter(|(name, value)| now.get(*name) != Some(value));
        let others: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        let at = (!others.is_empty()).then(|| format!("at {}", others.join(" ")));
        let on = (self.device != device).then(|| format!("on {}", own_name(self.device)));
        at.into_iter().chain(on).collect::<Vec<_>>().join(" ")
    }
}

/// The name of a device without that of the platform before it.
fn own_name(device: &str) -> &str {
    device.split_once(" / ").map_or(device, |(_, own)| own)
}

/// What a part is, which decides what becomes of it where there is no room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Stray,
    File,
    Unchecked,
    Checked,
    Sizes,
    Job,
    Device,
    Always,
}

/// What can be missed before sizes and what runs are said shorter, the first first.
const MISSED: [Part; 4] = [Part::Stray, Part::File, Part::Unchecked, Part::Checked];

/// The line; what matters most now comes first. Where it does not fit the width a long name of the device is cut, and what
/// can be missed is left out, so that the device, for which times and code are, stays.
pub fn line(status: &Status<'_>, width: usize, alphabet: Alphabet) -> Line {
    let mut parts = parts(status, alphabet);
    let joined = |parts: &[(Part, Role, String)]| {
        let mut line = Line::empty();
        for (_, role, text) in parts {
            if !line.is_empty() {
                line.push(Role::Dim, alphabet.pick(" · ", " | "));
            }
            line.push(*role, text.clone());
        }
        line
    };
    let over = |parts: &[(Part, Role, String)]| joined(parts).width().saturating_sub(width);
    // A device is told by its own name, as where it stands beside a time, before that is cut.
    if over(&parts) > 0
        && let Some(device) = parts.iter_mut().find(|part| part.0 == Part::Device)
    {
        device.2 = own_name(&device.2).to_owned();
    }
    let too_many = over(&parts);
    shorten(&mut parts, Part::Device, too_many, alphabet);
    let mut left_out = vec![];
    for missed in MISSED {
        // Sizes of one value say the same in fewer columns.
        if missed == Part::Checked
            && over(&parts) > 0
            && let Some(sizes) = parts.iter_mut().find(|part| part.0 == Part::Sizes)
        {
            sizes.2 = equal(&sizes.2).unwrap_or(std::mem::take(&mut sizes.2));
        }
        if over(&parts) > 0 {
            left_out.extend(parts.iter().position(|part| part.0 == missed).map(|at| (at, parts.remove(at))));
        }
    }
    // What runs is said in fewer columns before sizes are left out, and then in as many as these had.
    let least = |parts: &[(Part, Role, String)]| {
        let job = parts.iter().find(|part| part.0 == Part::Job).map_or(0, |part| part.2.chars().count());
        over(parts).saturating_sub(job.saturating_sub(SHORTEST))
    };
    if least(&parts) > 0 {
        parts.retain(|part| part.0 != Part::Sizes);
    }
    let too_many = over(&parts);
    shorten(&mut parts, Part::Job, too_many, alphabet);
    // What was left out before something longer may have room again, the last of it first.
    for (at, part) in left_out.into_iter().rev() {
        let mut with = parts.clone();
        with.insert(at.min(with.len()), part);
        if over(&with) == 0 {
            parts = with;
        }
    }
    joined(&parts)
}

/// Says a part in as many fewer columns as there are too many.
fn shorten(parts: &mut [(Part, Role, String)], which: Part, over: usize, alphabet: Alphabet) {
    if over > 0
        && let Some(part) = parts.iter_mut().find(|part| part.0 == which)
    {
        let room = part.2.chars().count().saturating_sub(over).max(SHORTEST);
        part.2 = Line::plain(std::mem::take(&mut part.2)).fit(room, alphabet).text();
    }
}

/// What is said of a job or a device in fewer columns says nothing.
const SHORTEST: usize = 16;

/// The most columns of a condition on sizes; the Kernel pane has all of it.
const BROKEN: usize = 28;

/// Sizes of one value with that value once: `m=n=k=1024`.
fn equal(sizes: &str) -> Option<String> {
    let pairs: Option<Vec<(&str, &str)>> = sizes.split(' ').map(|size| size.rsplit_once('=')).collect();
    let pairs = pairs?;
    let (_, value) = pairs.first()?;
    let names: Vec<&str> = pairs.iter().map(|(name, _)| *name).collect();
    pairs.iter().all(|(_, other)| other == value).then(|| format!("{}={value}", names.join("=")))
}

fn parts(status: &Status<'_>, alphabet: Alphabet) -> Vec<(Part, Role, String)> {
    let mut parts = vec![];
    let mut part = |what: Part, role: Role, text: String| parts.push((what, role, text));
    if let Some(job) = &status.job {
        let more = if status.more > 0 { format!(" (+{} more)", status.more) } else { String::new() };
        part(Part::Job, Role::Warning, format!("{job}{more}"));
    }
    part(Part::Always, Role::Title, status.program.to_owned());
    part(
        Part::Always,
        Role::Status,
        format!("rev {}/{}", status.revision, status.revisions.saturating_sub(1)),
    );
    if status.changed {
        let says = if status.wrong { "file has errors" } else { "file changed" };
        let does = if status.wrong { "shows them" } else { "reloads" };
        let how = status.reload.map(|key| format!(", {key} {does}"));
        part(Part::Always, Role::Warning, format!("{says}{}", how.unwrap_or_default()));
    }
    if let Some(problem) = &status.save.problem {
        // What keeps a session from being begun was told when that was tried.
        let why = status.save.path.as_ref().map(|_| format!(": {problem}"));
        part(Part::Always, Role::Error, format!("not saved{}", why.unwrap_or_default()));
    } else if status.save.unsaved > 0 {
        part(Part::Always, Role::Warning, format!("{} unsaved", status.save.unsaved));
    } else if status.save.path.is_none() {
        part(Part::Always, Role::Warning, "not recorded".to_owned());
    }
    if let Some(broken) = status.broken {
        part(
            Part::Always,
            Role::Error,
            Line::plain(format!("not met: {broken}")).fit(BROKEN, alphabet).text(),
        );
    }
    match status.check {
        Some(check) => {
            let error = check.error.map(|error| format!(" {error:.0e}")).unwrap_or_default();
            let text = format!("check {}{error}", alphabet.pick("✓", "ok"));
            // Of other sizes, or of another device, it says little.
            match check.elsewhere(status.sizes, status.device) {
                there if there.is_empty() => part(Part::Checked, Role::Good, text),
                there => part(Part::Unchecked, Role::Dim, format!("{text} {there} only")),
            }
        }
        None => part(Part::Unchecked, Role::Dim, "not checked".to_owned()),
    }
    let sizes = status.sizes.iter().map(|(n, v)| format!("{n}={v}"));
    let missing = status.missing.iter().map(|n| format!("{n}=?"));
    let all: Vec<String> = sizes.chain(missing).collect();
    if !all.is_empty() {
        let role = if status.missing.is_empty() { Role::Status } else { Role::Warning };
        part(Part::Sizes, role, all.join(" "));
    }
    part(Part::Device, Role::Status, status.device.to_owned());
    if status.stray > 0 {
        part(Part::Stray, Role::Dim, format!("{} lines logged", status.stray));
    }
    if let (Some(path), true) = (&status.save.path, status.save.named)
        && let Some(name) = path.file_name()
    {
        part(Part::File, Role::Dim, name.to_string_lossy().into_owned());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a program in the first of two revisions, of which nothing is to be said.
    fn plain<'a>(save: &'a SaveState, sizes: &'a Sizes) -> Status<'a> {
        Status {
            program: "matmul",
            sizes,
            missing: &[],
            device: "cpu",
            revision: 1,
            revisions: 2,
            broken: None,
            check: None,
            save,
            job: None,
            more: 0,
            stray: 0,
            changed: false,
            reload: None,
            wrong: false,
        }
    }

    #[test]
    fn everything_is_said_in_words() {
        let save = SaveState { unsaved: 2, ..SaveState::default() };
        let sizes = [("m".into(), 64)].into_iter().collect();
        let status = Status {
            missing: &["n".to_owned()],
            revision: 3,
            revisions: 8,
            check: Some(Check { error: Some(2e-7), sizes: &sizes, device: "cpu" }),
            job: Some("search 3.1 s".to_owned()),
            more: 1,
            stray: 4,
            changed: true,
            reload: Some("R"),
            ..plain(&save, &sizes)
        };
        assert_eq!(
            line(&status, usize::MAX, Alphabet::Ascii).text(),
            "search 3.1 s (+1 more) | matmul | rev 3/7 | file changed, R reloads | 2 unsaved | check ok 2e-7 | \
             m=64 n=? | cpu | 4 lines logged"
        );
        // What was checked at other sizes was not checked at these.
        let others = [("m".into(), 1024)].into_iter().collect();
        let status =
            Status { check: Some(Check { error: Some(2e-7), sizes: &others, device: "cpu" }), ..status };
        let text = line(&status, usize::MAX, Alphabet::Ascii).text();
        assert!(text.contains(" | check ok 2e-7 at m=1024 only | m=64 n=? | "), "{text}");
        // Neither was it checked on another device.
        let on = |device| Status { device, ..status.clone() };
        let text = line(&on("Platform / pthread"), usize::MAX, Alphabet::Ascii).text();
        assert!(text.contains(" | check ok 2e-7 at m=1024 on cpu only | "), "{text}");
        let check = Some(Check { error: Some(2e-7), sizes: &sizes, device: "Platform / pthread" });
        let text = line(&Status { check, ..on("cpu[finite]") }, usize::MAX, Alphabet::Ascii).text();
        assert!(text.contains(" | check ok 2e-7 on pthread only | m=64 n=? | cpu[finite]"), "{text}");
    }

    #[test]
    fn the_device_is_said_in_few_columns_too() {
        let save = SaveState { path: Some("a/session.ron".into()), named: true, ..SaveState::default() };
        let sizes = ["m", "n", "k"].map(|name| (name.into(), 1024)).into_iter().collect();
        let status = Status { device: "opencl:gpu", revision: 12, revisions: 40, ..plain(&save, &sizes) };
        let text = |status: &Status<'_>, width| line(status, width, Alphabet::Ascii).text();
        assert_eq!(text(&status, 60), "matmul | rev 12/39 | m=1024 n=1024 k=1024 | opencl:gpu");
        assert_eq!(text(&status, 50), "matmul | rev 12/39 | m=n=k=1024 | opencl:gpu");
        assert_eq!(text(&status, 40), "matmul | rev 12/39 | opencl:gpu");
        let named = Status { device: "Portable Computing Language / pthread-skylake-avx512", ..status };
        let check = Some(Check { error: None, sizes: &sizes, device: named.device });
        let named = Status { check, ..named };
        let said = text(&named, 79);
        assert!(said.contains("check ok") && said.contains("k=1024 | pthread-skyla"), "{said}");
        let status = Status { check: None, device: "opencl:gpu", ..named };
        let job = Some("measuring 3.2 s, checking at small sizes against the interpreter".to_owned());
        let busy = Status { job, ..status };
        let short = text(&busy, 60);
        assert!(short.starts_with("measuring 3.2 s") && short.ends_with("opencl:gpu"), "{short}");
        assert!(short.chars().count() <= 60, "{short}");
        // What runs is there in the fewest columns, rather than all sizes.
        let least = text(&busy, 50);
        assert!(least.starts_with("measuring 3.2") && least.ends_with("opencl:gpu"), "{least}");
        let wrong = Status { changed: true, reload: Some("R"), wrong: true, ..busy };
        assert!(text(&wrong, 60).contains("file has errors, R shows them"), "{}", text(&wrong, 60));
        // Where they are shown, the key means nothing.
        let shown = Status { reload: None, ..wrong };
        assert!(text(&shown, 60).contains("file has errors") && !text(&shown, 60).contains("shows them"));
    }

    #[test]
    fn a_check_is_said_where_there_is_room_for_it() {
        let save = SaveState {
            path: Some("a/a-session-of-a-long-name.ron".into()),
            named: true,
            ..SaveState::default()
        };
        let sizes = ["m", "n", "k"].map(|name| (name.into(), 64)).into_iter().collect();
        let check = |sizes| Some(Check { error: Some(2e-7), sizes, device: "cpu" });
        let status = Status { check: check(&sizes), ..plain(&save, &sizes) };
        let text = |status: &Status<'_>, width| line(status, width, Alphabet::Ascii).text();
        assert_eq!(text(&status, 50), "matmul | rev 1/1 | check ok 2e-7 | m=n=k=64 | cpu");
        // What was left out before something longer has room again.
        let (few, elsewhere) = (Sizes::new(), [("m".into(), 1_000_000)].into_iter().collect());
        let status = Status { stray: 3, sizes: &few, check: check(&elsewhere), ..status };
        for width in 20..120 {
            let text = text(&status, width);
            let left = width.saturating_sub(text.chars().count());
            assert!(left < " | 3 lines logged".len() || text.contains("3 lines logged"), "{width}: {text}");
        }
    }

    #[test]
    fn what_sizes_do_not_meet_is_said_in_few_columns_too() {
        let save = SaveState { path: Some("a/session.ron".into()), ..SaveState::default() };
        let sizes = [("m".into(), 1024)].into_iter().collect();
        let status = Status { broken: Some("5 divides m"), ..plain(&save, &sizes) };
        for width in [50, 80, 120] {
            let text = line(&status, width, Alphabet::Ascii).text();
            assert!(text.contains("not met: 5 divides m"), "{text}");
        }
    }
}
