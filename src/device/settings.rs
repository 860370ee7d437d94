//! How a kernel is compiled and run where somebody wants it otherwise than usual: flags of compilers, and how many threads
//! there are.
//!
//! The flags are a closed table: logs name them, and no log may say more to a compiler.
use super::{Cause, DeviceError};
use crate::lang::source::harmless;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A flag that may be asked for.
#[derive(Debug)]
pub struct Flag {
    pub name: &'static str,
    /// What it is for C compilers and for those of OpenCL; nothing where they have none like it.
    c: Option<&'static [&'static str]>,
    opencl: Option<&'static str>,
    /// What it may change of results, as the marks of rules say it; nothing for most.
    pub marks: &'static str,
    /// What it does, as a sentence.
    pub what: &'static str,
}

/// The flag by which compilers make no vectors.
pub const SCALAR: &str = "scalar";

/// All flags. What is marked may change results, as a rule of that mark may (see `rules/README.md`, 8).
pub const FLAGS: [Flag; 10] = [
    of_c("O2", &["-O2"], "Optimise less than usual (-O3): loops stay shorter."),
    of_c("unroll", &["-funroll-loops"], "Repeat the bodies of loops."),
    of_c(
        SCALAR,
        &["-fno-tree-vectorize"],
        "Make no vectors of numbers in loops, for whether these are wrong.",
    ),
    of_c("vectors256", &["-mprefer-vector-width=256"], "Vectors of at most 256 bits."),
    of_c("vectors512", &["-mprefer-vector-width=512"], "Vectors of up to 512 bits."),
    of_opencl("registers64", "-cl-nv-maxrregcount=64", "At most 64 registers a work-item (NVIDIA)."),
    of_opencl("registers128", "-cl-nv-maxrregcount=128", "At most 128 registers a work-item (NVIDIA)."),
    Flag {
        marks: "reassociates",
        ..of_c(
            "reassociates",
            &["-fassociative-math", "-freciprocal-math", "-fno-signed-zeros"],
            "Sums and products may be re-ordered.",
        )
    },
    Flag {
        marks: "finite",
        opencl: Some("-cl-finite-math-only"),
        ..of_c("finite", &["-ffinite-math-only"], "Nothing is NaN or infinite.")
    },
    Flag {
        marks: "unsignedZeros",
        opencl: Some("-cl-no-signed-zeros"),
        ..of_c("unsignedZeros", &["-fno-signed-zeros"], "The sign of zero does not matter.")
    },
];

const fn of_c(name: &'static str, c: &'static [&'static str], what: &'static str) -> Flag {
    Flag { name, c: Some(c), opencl: None, marks: "", what }
}

const fn of_opencl(name: &'static str, opencl: &'static str, what: &'static str) -> Flag {
    Flag { name, c: None, opencl: Some(opencl), marks: "", what }
}

impl Flag {
    /// The flag of this name.
    pub fn named(name: &str) -> Option<&'static Flag> {
        FLAGS.iter().find(|flag| flag.name == name)
    }

    /// Does the compiler know it: that of the host, or those of OpenCL?
    pub fn is_for(&self, host: bool) -> bool {
        if host { self.c.is_some() } else { self.opencl.is_some() }
    }
}

/// At most so many threads may be asked for.
pub const MAX_THREADS: u32 = 4096;

/// What is asked for beside what every kernel gets. A name that is no flag means nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Settings {
    /// The names of flags, each once.
    pub flags: Vec<String>,
    /// Threads of OpenMP; as many as the machine has where nothing is said.
    pub threads: Option<u32>,
}

impl Settings {
    pub fn are_usual(&self) -> bool {
        *self == Settings::default()
    }

    fn known(&self) -> impl Iterator<Item = &'static Flag> {
        self.flags.iter().filter_map(|name| Flag::named(name))
    }

    /// What is said to a C compiler.
    pub fn for_c(&self) -> Vec<&'static str> {
        self.known().filter_map(|flag| flag.c).flatten().copied().collect()
    }

    /// What is said to a compiler of OpenCL.
    pub fn for_opencl(&self) -> Vec<&'static str> {
        self.known().filter_map(|flag| flag.opencl).collect()
    }

    /// What results may no longer be the same in, as the marks of rules say it: each once, in the order of the table.
    pub fn marks(&self) -> Vec<&'static str> {
        let asked = |flag: &&Flag| self.flags.iter().any(|name| *name == flag.name);
        FLAGS.iter().filter(asked).map(|flag| flag.marks).filter(|marks| !marks.is_empty()).collect()
    }

    /// Why the device of this kind cannot be asked for it, as a sentence; `host` is the kind of `cpu`.
    pub fn refused(&self, host: bool) -> Option<String> {
        let compiler = if host { "C compilers" } else { "compilers of OpenCL" };
        if let Some(flag) = self.known().find(|flag| !flag.is_for(host)) {
            let names: Vec<&str> = FLAGS.iter().filter(|f| f.is_for(host)).map(|f| f.name).collect();
            return Some(format!(
                "`{}` is no flag of {compiler}, which are {}.",
                flag.name,
                names.join(", ")
            ));
        }
        let counted = self.threads.is_some() && !host;
        counted.then(|| "Threads are counted on `cpu` only: other devices have as many as they have.".into())
    }

    /// The text by which a device is chosen with these settings.
    pub fn on(&self, name: &str) -> String {
        if self.are_usual() { name.to_owned() } else { format!("{name}[{self}]") }
    }
}

/// A device as a user chooses it: part of its name, and in brackets how kernels are compiled and run on it, where that is
/// not as usual: `cpu[vectors512, 2 threads]`. What tuning is to choose is left open: `cpu[vectors512?, 1|2|4 threads]`.
#[derive(Clone, Debug, Default)]
pub struct Choice<'a> {
    pub name: &'a str,
    /// Without what is left open.
    pub settings: Settings,
    /// Flags to be tried with and without.
    pub open: Vec<&'static Flag>,
    /// Numbers of threads to be tried; two at least, or none.
    pub threads: Vec<u32>,
}

/// The name in the text by which a device is chosen.
pub fn name_in(text: &str) -> &str {
    parts(text).0
}

fn parts(text: &str) -> (&str, &str) {
    let inside = text.trim_end().strip_suffix(']').and_then(|text| text.split_once('['));
    inside.map_or((text, ""), |(name, settings)| (name.trim_end(), settings))
}

impl Choice<'_> {
    /// Reads the text by which a device is chosen.
    ///
    /// # Errors
    /// What stands in the brackets is no setting, or stands there twice.
    pub fn read(text: &str) -> Result<Choice<'_>, DeviceError> {
        let (name, inside) = parts(text);
        let mut choice = Choice { name, ..Choice::default() };
        for item in inside.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            choice.add(item).map_err(|why| {
                let names: Vec<&str> = FLAGS.iter().map(|flag| flag.name).collect();
                DeviceError::new(Cause::NoDevice, format!("`{}` names no device: {why}", harmless(text)))
                    .hint(format!(
                        "In brackets stand flags ({}) and a number of threads, as in `cpu[vectors512, 2 threads]`.",
                        names.join(", ")
                    ))
            })?;
        }
        Ok(choice)
    }

    /// The processor with these settings, where its compiler makes vectors: without.
    pub fn without_vectors(&self) -> Option<String> {
        let is_host = self.name == "cpu";
        let makes = !self.settings.flags.iter().any(|flag| flag == SCALAR);
        (is_host && makes).then(|| {
            let mut settings = self.settings.clone();
            settings.flags.push(SCALAR.into());
            settings.on(self.name)
        })
    }

    fn add(&mut self, item: &str) -> Result<(), String> {
        let shown = harmless(item);
        if let Some(numbers) = item.strip_suffix("threads").or_else(|| item.strip_suffix("thread")) {
            let number = |text: &str| {
                let number = text.trim().parse().ok().filter(|n| (1..=MAX_THREADS).contains(n));
                number.ok_or_else(|| format!("`{shown}` is no number of threads from 1 to {MAX_THREADS}."))
            };
            let mut numbers = numbers.split('|').map(number).collect::<Result<Vec<u32>, _>>()?;
            if self.settings.threads.is_some() || !self.threads.is_empty() {
                return Err("it numbers threads twice.".into());
            }
            numbers.sort_unstable();
            numbers.dedup();
            match numbers[..] {
                [one] => self.settings.threads = Some(one),
                _ => self.threads = numbers,
            }
            return Ok(());
        }
        let (word, is_open) = item.strip_suffix('?').map_or((item, false), |word| (word.trim_end(), true));
        let flag = Flag::named(word).ok_or_else(|| format!("`{shown}` is no flag."))?;
        let there = self.settings.flags.iter().any(|name| name == flag.name);
        if there || self.open.iter().any(|open| open.name == flag.name) {
            return Err(format!("`{word}` stands in it twice."));
        }
        match is_open {
            true => self.open.push(flag),
            false => self.settings.flags.push(flag.name.to_owned()),
        }
        Ok(())
    }

    /// The settings, of which none may be left open.
    ///
    /// # Errors
    /// Something is.
    pub fn decided(self) -> Result<Settings, DeviceError> {
        let threads = (!self.threads.is_empty()).then(|| "the number of threads".to_owned());
        let Some(open) = self.open.first().map(|flag| format!("`{}?`", flag.name)).or(threads) else {
            return Ok(self.settings);
        };
        let message = format!("On `{}` {open} is left open, which only a tuning may.", harmless(self.name));
        Err(DeviceError::new(Cause::NoDevice, message)
            .hint("`shine-tui tune`, or `:tune` on the screen, chooses it by measuring."))
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.threads.map(|n| format!("{n} thread{}", if n == 1 { "" } else { "s" }));
        let all: Vec<&str> = self.flags.iter().map(String::as_str).chain(threads.as_deref()).collect();
        f.write_str(&all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_apart_and_each_flag_is_for_some_compiler() {
        for (i, flag) in FLAGS.iter().enumerate() {
            assert!(FLAGS[..i].iter().all(|before| before.name != flag.name), "{}", flag.name);
            assert!(flag.c.is_some() || flag.opencl.is_some(), "{}", flag.name);
            assert!(flag.what.ends_with('.'), "{}", flag.name);
        }
    }

    #[test]
    fn what_is_no_flag_is_never_said_to_a_compiler() {
        let settings = Settings { flags: vec!["-fplugin=x".into(), "O2".into()], threads: None };
        assert_eq!(settings.for_c(), ["-O2"]);
        assert!(settings.for_opencl().is_empty() && settings.marks().is_empty());
    }

    #[test]
    fn what_is_chosen_is_read_and_written() {
        let read = |text| Choice::read(text).map(|choice| (choice.name.to_owned(), choice.decided()));
        for text in
            ["cpu", "cpu[vectors512]", "cpu[vectors512, 1 thread]", "H100[registers64]", "cpu[8 threads]"]
        {
            let (name, settings) = read(text).unwrap();
            assert_eq!(settings.unwrap().on(&name), text);
        }
        let open = Choice::read("cpu[unroll?, 1|4|2 threads, O2]").unwrap();
        assert_eq!(
            (open.open[0].name, &*open.threads, &*open.settings.flags),
            ("unroll", &[1, 2, 4][..], &["O2".to_owned()][..])
        );
        assert!(open.decided().unwrap_err().message.contains("unroll?"));
        for wrong in [
            "cpu[-O2]",
            "cpu[0 threads]",
            "cpu[O2, O2?]",
            "cpu[1 thread, 2 threads]",
            "cpu[\u{1b}[31m]",
            "cpu[O2 unroll]",
        ] {
            let problem = read(wrong).unwrap_err();
            assert!(problem.hint.is_some() && !problem.message.contains('\u{1b}'), "{wrong}");
        }
        assert_eq!((name_in("cpu[O2]"), name_in("a [b"), name_in("PoCL")), ("cpu", "a [b", "PoCL"));
    }

    #[test]
    fn flags_are_for_their_compilers() {
        let settings = |text| Choice::read(text).unwrap().decided().unwrap();
        assert!(settings("x[vectors512]").refused(false).is_some_and(|why| why.contains("registers64")));
        assert!(settings("cpu[registers64]").refused(true).is_some());
        assert!(settings("x[2 threads]").refused(false).is_some());
        assert_eq!(
            (settings("cpu[finite]").refused(true), settings("x[finite]").refused(false)),
            (None, None)
        );
        assert_eq!(settings("cpu[finite, unroll]").marks(), ["finite"]);
    }
}
