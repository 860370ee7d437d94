//! Noticing that the program's file has changed, or its rules and strategies, and saying so.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use indexmap::IndexMap;

use super::app::{App, Changed};
use super::command::Command;
use super::program;
use crate::lang::source::harmless;
use crate::session::files::{Text, Texts, read_text};
use crate::view::{Role, problem};

/// The files of rules and strategies, those that appear beside the program or in a folder that was given included.
#[derive(Debug, Default)]
pub struct Definitions {
    watches: IndexMap<String, Watch>,
    gone: Vec<Gone>,
    news: u64,
}

impl Definitions {
    /// What has another text than the one that is open, if a file has: modules are parts of the program.
    pub fn look(&mut self, open: &Texts) -> Option<Changed> {
        let of = |t: &Text| Some((t.label.clone(), open.origin.files.get(&t.label)?.clone()));
        let mut files: Vec<(String, PathBuf)> = open.files.iter().filter_map(of).collect();
        files.extend(open.origin.unread().into_iter().map(|path| (path.display().to_string(), path)));
        let mut changed = None;
        self.gone.clear();
        // What appeared and is not there any more is as if it had never been there.
        let before = self.watches.len();
        self.watches.retain(|label, _| files.iter().any(|(there, _)| there == label));
        self.news += (before - self.watches.len()) as u64;
        for (label, path) in files {
            let known = open.files.iter().find(|t| t.label == label).cloned();
            let text = known.unwrap_or_else(|| Text { label: label.clone(), text: String::new() });
            let is_open = open.files.iter().any(|t| t.label == label);
            let watch = self.watches.entry(label).or_default();
            let before = (watch.times(), watch.is_gone());
            let is_module = path.extension().is_some_and(|e| e == "rise");
            if watch.look(&path, &text).is_some() && changed != Some(Changed::Program) {
                changed = Some(if is_module { Changed::Program } else { Changed::Definitions });
            }
            self.news += u64::from((watch.times(), watch.is_gone()) != before);
            if is_open && watch.is_gone() {
                self.gone.push(watch.gone(&text.label));
            }
        }
        changed
    }

    /// The files that are gone and that are open.
    pub fn gone(&self) -> &[Gone] {
        &self.gone
    }

    /// How often files were read, or went.
    pub fn news(&self) -> u64 {
        self.news
    }

    /// All rules and strategies with the changed texts of files that are there.
    pub fn changed(&self, open: &Texts) -> Vec<Text> {
        let mut files = open.files.clone();
        let there = self.watches.values().filter(|watch| !watch.is_gone());
        for changed in there.filter_map(|watch| watch.changed.clone()) {
            match files.iter_mut().find(|t| t.label == changed.label) {
                Some(known) => *known = changed,
                None => {
                    let place = open.origin.place_of(Path::new(&changed.label), &files);
                    files.insert(place, changed);
                }
            }
        }
        files
    }

    /// The changed texts are taken over.
    pub fn taken(&mut self) {
        self.watches.values_mut().for_each(|watch| watch.changed = None);
    }
}

/// The program's file, looked at again and again.
#[derive(Debug, Default)]
pub struct Watch {
    /// When the file was written and how long it is, as seen last.
    stamp: Option<(SystemTime, u64)>,
    changed: Option<Text>,
    times: u64,
    /// So many looks in a row found nothing to read.
    missed: u32,
    /// Why the last look could not read what is there.
    why: Option<String>,
}

/// A file that cannot be read any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gone {
    label: String,
    /// What is wrong with it, where something is there.
    why: Option<String>,
}

/// What is said where files are gone.
pub fn gone_text(files: &[Gone]) -> String {
    let missing = files.iter().filter(|file| file.why.is_none()).map(|file| &*file.label);
    let missing = missing.collect::<Vec<_>>();
    let mut said: Vec<String> = match missing.as_slice() {
        [] => vec![],
        [one] => vec![format!("The file {one} is gone from the disk.")],
        all => vec![format!("The files {} are gone from the disk.", all.join(", "))],
    };
    let unread = files.iter().filter_map(|file| Some((&file.label, file.why.as_ref()?)));
    said.extend(unread.map(|(label, why)| match why.contains(label.as_str()) {
        true => why.clone(),
        false => format!("{label} cannot be read: {why}"),
    }));
    said.push("What is open is kept.".to_owned());
    said.join(" ")
}

/// A file that so many looks in a row cannot read is gone: editors replace files in two steps.
const GONE: u32 = 2;

impl Watch {
    /// What the file holds, if that is another text than `open`. The file is only read when its time or its length
    /// has changed; one that cannot be read counts as unchanged until it is gone.
    pub fn look(&mut self, file: &Path, open: &Text) -> Option<&Text> {
        let meta = fs::metadata(file).ok().filter(fs::Metadata::is_file);
        let stamp = meta.and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        let is_new = stamp != self.stamp;
        let is_read = stamp.is_some() && !is_new;
        let read = match file.symlink_metadata() {
            _ if is_read => Ok(None),
            Ok(_) => {
                read_text(file).map(Some).map_err(|problem| Some(harmless(&problem.message).into_owned()))
            }
            Err(_) => Err(None),
        };
        match read {
            Err(why) => {
                self.missed = self.missed.saturating_add(1);
                self.why = why;
            }
            Ok(read) => {
                self.missed = 0;
                if let Some(read) = read {
                    self.stamp = stamp;
                    self.times += 1;
                    let text = Text { label: open.label.clone(), text: read.text };
                    self.changed = (text.digest() != open.digest()).then_some(text);
                }
            }
        }
        self.changed.as_ref().filter(|_| !self.is_gone())
    }

    /// Is there nothing to read any more?
    pub fn is_gone(&self) -> bool {
        self.missed >= GONE
    }

    /// The file as one that is gone.
    fn gone(&self, label: &str) -> Gone {
        Gone { label: harmless(label).into_owned(), why: self.why.clone() }
    }

    /// How often the file was read.
    pub fn times(&self) -> u64 {
        self.times
    }

    /// The changed text.
    pub fn changed(&self) -> Option<&Text> {
        self.changed.as_ref()
    }

    /// The changed text is taken over.
    pub fn taken(&mut self) {
        self.changed = None;
    }
}

impl App {
    /// Looks whether another program has changed the program's file, its rules and strategies, or the session's log.
    pub fn look_at_the_disk(&mut self) {
        self.look_at_file();
        if let Some(news) = self.session.look_at_log() {
            self.tell(Role::Warning, news);
        }
    }

    /// What is wrong with what has changed, in a line, and the file it is in where that is another than the changed one:
    /// beside a program that is right the rules may be wrong.
    fn wrong_in_a_line(&self, changed: Changed) -> Option<(String, Option<String>)> {
        let problems = program::wrong_on_disk(self, changed)?;
        let program = &self.session.workspace().texts.program.label;
        let file = problems.file().filter(|file| changed == Changed::Program && file != program);
        let beside = file.map(|file| harmless(&file).into_owned());
        Some((problem::in_a_line(&problems.first()), beside))
    }

    /// Looks whether the program's file has changed on the disk.
    pub fn look_at_file(&mut self) {
        let texts = self.session.last_read();
        let program = texts.origin.program.as_deref();
        let program = program.is_some_and(|file| self.file.look(file, &texts.program).is_some());
        let definitions = self.definitions.look(texts);
        let program_gone = self.file.is_gone().then(|| self.file.gone(&texts.program.label));
        let gone = program_gone.into_iter().chain(self.definitions.gone().iter().cloned()).collect();
        let before = std::mem::replace(&mut self.gone, gone);
        let news: Vec<Gone> = self.gone.iter().filter(|file| !before.contains(file)).cloned().collect();
        if !news.is_empty() {
            self.tell(Role::Warning, gone_text(&news));
        }
        if self.file.is_gone() {
            (self.changed, self.wrong) = (None, None);
            return;
        }
        let changed = if program { Some(Changed::Program) } else { definitions };
        let reads = self.file.times() + self.definitions.news();
        // The first look reads every file, changed or not.
        let saved = self.reads.replace(reads).is_some_and(|before| before != reads);
        if saved && self.mending.is_some() {
            self.wrong = changed.and_then(|changed| self.wrong_in_a_line(changed)).map(|(why, _)| why);
            self.changed = changed;
            program::mended(self);
            return;
        }
        let (wrong, beside) = match changed {
            // What was read before is as right or wrong as it was.
            Some(_) if !saved && changed == self.changed => (self.wrong.take(), None),
            Some(changed) => {
                self.wrong_in_a_line(changed).map_or((None, None), |(why, beside)| (Some(why), beside))
            }
            None => (None, None),
        };
        let mended = self.wrong.is_some() && wrong.is_none();
        if let Some(now) = changed.filter(|_| changed != self.changed || saved && (wrong.is_some() || mended))
        {
            let key = self.setup.keys.key(Command::Reload).unwrap_or_default();
            let (what, have) = match now {
                Changed::Definitions => ("The rules or strategies", "have changed on the disk"),
                Changed::Program => ("The program", "has changed on the disk"),
            };
            let news = match (&wrong, &beside, now) {
                (Some(why), Some(file), _) => {
                    format!("{what} {have}, and {file} beside it is wrong; {key} shows why: {why}")
                }
                (Some(why), None, _) => {
                    format!("{what} {have} and cannot be used so; {key} shows why: {why}")
                }
                (None, _, Changed::Definitions) => format!("{what} {have}; {key} takes them over."),
                (None, _, Changed::Program) => format!("{what} {have}; {key} starts again from it."),
            };
            self.tell(if wrong.is_some() { Role::Error } else { Role::Warning }, news);
        }
        self.wrong = wrong;
        if changed.is_none() && self.gone.is_empty() && (self.changed.is_some() || !before.is_empty()) {
            self.tell(Role::Hint, "The files on the disk hold again what is open.");
        }
        self.changed = changed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::files::Origin;

    #[test]
    fn only_another_text_counts_as_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rise");
        // A label is no path: nothing is opened by it.
        let text = |text: &str| Text { label: "/dev/full".into(), text: text.to_owned() };
        let mut watch = Watch::default();
        assert_eq!(watch.look(&path, &text("one")), None);
        fs::write(&path, "one").unwrap();
        assert_eq!(watch.look(&path, &text("one")), None);
        fs::write(&path, "other").unwrap();
        assert_eq!(watch.look(&path, &text("one")), Some(&text("other")));
        fs::remove_file(&path).unwrap();
        assert_eq!(watch.look(&path, &text("one")), Some(&text("other")));
        assert!(!watch.is_gone());
        assert_eq!(watch.look(&path, &text("one")), None);
        assert!(watch.is_gone());
        fs::create_dir(&path).unwrap();
        assert_eq!(watch.look(&path, &text("one")), None);
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "other").unwrap();
        assert_eq!(watch.look(&path, &text("one")), Some(&text("other")));
        assert_eq!(watch.changed(), Some(&text("other")));
        watch.taken();
        fs::write(&path, [0xff; 9]).unwrap();
        assert_eq!(watch.look(&path, &text("other")), None);
    }

    #[test]
    fn what_appears_in_a_folder_is_read_as_if_it_had_been_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["config", "rules"] {
            fs::create_dir(path(name)).unwrap();
        }
        let mut origin =
            Origin { rules: vec![path("rules")], config: Some(path("config")), ..Origin::default() };
        let mut files = vec![];
        for name in ["config/b.elevate", "rules/b.rules", "own.elevate"] {
            fs::write(path(name), "one").unwrap();
            let label = path(name).display().to_string();
            origin.files.insert(label.clone(), path(name));
            files.push(Text { label, text: "one".to_owned() });
        }
        let program = Text { label: "p.rise".to_owned(), text: String::new() };
        let open = Texts { program, files, default_sizes: Default::default(), origin };
        let mut definitions = Definitions::default();
        // The same file by another path is known.
        std::os::unix::fs::symlink(path("own.elevate"), path("rules/same.elevate")).unwrap();
        fs::write(path("rules/notes.txt"), "no rules").unwrap();
        assert_eq!(definitions.look(&open), None);
        for name in ["rules/c.elevate", "config/a.rules", "config/aa.rules", "config/c.rules"] {
            fs::write(path(name), "new").unwrap();
        }
        assert_eq!(definitions.look(&open), Some(Changed::Definitions));
        // One that went again was never there.
        let before = definitions.news();
        fs::write(path("rules/d.rules"), "wrong").unwrap();
        definitions.look(&open);
        fs::remove_file(path("rules/d.rules")).unwrap();
        definitions.look(&open);
        assert_eq!(definitions.news(), before + 2);
        let order: Vec<String> = definitions.changed(&open).into_iter().map(|text| text.label).collect();
        let due = [
            "config/a.rules",
            "config/aa.rules",
            "config/b.elevate",
            "config/c.rules",
            "rules/b.rules",
            "rules/c.elevate",
            "own.elevate",
        ];
        assert_eq!(order, due.map(|name| path(name).display().to_string()));
    }

    #[test]
    fn a_module_is_a_part_of_the_program_and_what_is_gone_is_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let text = |label: &str| Text { label: label.to_owned(), text: "one".to_owned() };
        let mut origin = Origin::default();
        for label in ["m.rise", "s.elevate"] {
            fs::write(folder.path().join(label), "one").unwrap();
            origin.files.insert(label.to_owned(), folder.path().join(label));
        }
        let files = vec![text("m.rise"), text("s.elevate")];
        let open = Texts { program: text("p.rise"), files, default_sizes: Default::default(), origin };
        let mut definitions = Definitions::default();
        assert_eq!(definitions.look(&open), None);
        fs::write(folder.path().join("s.elevate"), "other").unwrap();
        assert_eq!(definitions.look(&open), Some(Changed::Definitions));
        fs::write(folder.path().join("m.rise"), "other").unwrap();
        assert_eq!(definitions.look(&open), Some(Changed::Program));
        ["m.rise", "s.elevate"].iter().for_each(|label| fs::remove_file(folder.path().join(label)).unwrap());
        definitions.look(&open);
        assert_eq!(definitions.look(&open), None);
        let gone: Vec<&str> = definitions.gone().iter().map(|file| &*file.label).collect();
        assert_eq!(gone, ["m.rise", "s.elevate"]);
        let both = "The files m.rise, s.elevate are gone from the disk. What is open is kept.";
        assert_eq!(gone_text(definitions.gone()), both);
        // What is there and cannot be read says why.
        fs::write(folder.path().join("m.rise"), "a\0b").unwrap();
        definitions.look(&open);
        let said = gone_text(definitions.gone());
        assert!(
            said.starts_with("The file s.elevate is gone from the disk. ") && said.contains("m.rise"),
            "{said}"
        );
    }
}
