//! The code that follows from a sweep: two states and the program as it was written, each with all sizes as parameters, and a
//! function that chooses one of them by the sizes.

use super::action::{Measurement, Target};
use super::bench::target_of;
use super::generated;
use super::sweep::{Point, all_the_same, reaches};
use super::whole::{self, Asked, Whole, not_written};
use super::workspace::{Generic, Workspace};
use crate::device::stats::Verdict;
use crate::emit::dispatch::{Way, alike, dispatch};
use crate::emit::host;
use crate::emit::kernel::Kernel;
use crate::emit::names::Namer;
use crate::emit::{C_FLAGS, Language};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::term::Term;
use std::io;
use std::path::{Path, PathBuf};

/// One of the two states.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub workspace: &'a Workspace,
    pub term: &'a Term,
    /// As it is told in the head of its file.
    pub about: &'a str,
}

fn refused(why: String) -> Diagnostic {
    Diagnostic::error("E0917", why).hint("`shine-tui compile` writes the code of each state by itself.")
}

/// The program as it was written and the two states, each with its sizes as parameters.
fn kernels(sides: [Side<'_>; 2], device: &str) -> Result<[Generic; 3], Diagnostic> {
    if target_of(device) != Target::C {
        return Err(refused(format!(
            "The function chooses between kernels in C, and what runs on `{device}` is OpenCL."
        )));
    }
    let workspace = sides[0].workspace;
    let program = &workspace.program;
    let named = |suffix: &str| format!("{}_{suffix}", program.name);
    let plain = workspace.generic(&program.term, &named("plain"))?;
    let [a, b] =
        [(sides[0], "a"), (sides[1], "b")].map(|(s, suffix)| s.workspace.generic(s.term, &named(suffix)));
    let (a, b) = (a?, b?);
    if [&a, &b].iter().any(|side| !alike(&side.kernel, &plain.kernel)) {
        return Err(refused("The two do not take the same parameters.".to_owned()));
    }
    Ok([plain, a, b])
}

/// What one of the two asks of the sizes beyond the program as it was written.
fn needs(kernel: &Generic, plain: &Generic) -> Vec<SizeConstraint> {
    let own = kernel.constraints.iter().filter(|c| !plain.constraints.contains(c));
    SizeConstraint::telling(&own.cloned().collect::<Vec<_>>()).cloned().collect()
}

/// The files, with their names, the first of which is the one to include. The points are of one size, or of several that are alike:
/// `m=n=k`.
///
/// # Errors
/// `E0917`: neither is faster anywhere, they take other parameters, or C cannot ask for what one of them needs; and what
/// keeps a state from being compiled with its sizes as parameters.
pub fn files(
    sides: [Side<'_>; 2],
    device: &str,
    sizes: &str,
    points: &[Point],
) -> Result<Vec<(String, String)>, Diagnostic> {
    let [plain, a, b] = kernels(sides, device)?;
    let program = &sides[0].workspace.program;
    // Of sizes that were alike the first decides.
    let size = sizes.split('=').next().unwrap_or_default();
    let alike_too = match sizes == size {
        true => String::new(),
        false => format!(" where {} are the same", sizes.replace('=', ", ")),
    };
    let reaches = reaches(points);
    if reaches.is_empty() {
        let why = match all_the_same(points) {
            true => {
                "The two have the same code at all of the sizes that were measured, so there is nothing to choose."
            }
            false => "At none of the sizes that were measured is one of the two faster.",
        };
        return Err(refused(why.to_owned()));
    }
    let of = |second: bool| if second { &b } else { &a };
    let mut ways: Vec<Way<'_>> = vec![];
    for (i, reach) in reaches.iter().enumerate() {
        let kernel = of(reach.second);
        let below = reaches.get(i + 1).and_then(|next| next.from);
        ways.push(Way { kernel: &kernel.kernel, from: reach.from, below, needs: needs(kernel, &plain) });
    }
    // Where the faster one cannot have the sizes, the other one can have them, or the program as it was written.
    for second in [false, true] {
        let kernel = of(second);
        ways.push(Way { kernel: &kernel.kernel, from: None, below: None, needs: needs(kernel, &plain) });
    }
    ways.push(Way { kernel: &plain.kernel, from: None, below: None, needs: vec![] });
    // What is asked only where one of those before was chosen is never called.
    let mut kept: Vec<Way<'_>> = vec![];
    for way in ways {
        if !always_before(&kept, &way) {
            kept.push(way);
        }
    }
    // What is asked last is there for all sizes that are left.
    if let Some(last) = kept.last_mut() {
        (last.from, last.below) = (None, None);
    }
    let at = |m: &Measurement| m.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(" ");
    let first = points.first().map(|p| &p.pair.first);
    let device = first.map(|m| m.device.clone()).unwrap_or_default();
    let mut about = vec![
        format!("{}: {}", program.name, program.ty),
        format!(
            "Chooses a kernel by {size}, as they were measured on {device}{alike_too}, each compiled for these sizes:"
        ),
    ];
    for point in points {
        let time = |m: &Measurement| format!("{:.3} us", m.median_ns / 1e3);
        let (a, b) = (&point.pair.first, &point.pair.second);
        let mind = match point.pair.comparison.verdict {
            Verdict::NoMeasurableDifference => ", no measurable difference",
            Verdict::SameCode => ", the same code",
            Verdict::DisturbedUnlike => {
                ", disturbed unlike by other programs, so it is not known which is faster"
            }
            Verdict::Close | Verdict::FirstFaster | Verdict::SecondFaster => "",
        };
        about.push(format!("  {}: {} and {}{mind}", at(a), time(a), time(b)));
    }
    let is_used = |kernel: &Kernel| kept.iter().any(|way| way.kernel.name == kernel.name);
    for (side, made) in sides.iter().zip([&a, &b]) {
        let unused = if is_used(&made.kernel) { "" } else { " (chosen at no size, so it is not written)" };
        about.push(format!("{}{unused}: {}", made.kernel.name, side.about));
    }
    let chosen = dispatch(&program.name, size, &kept, &about).map_err(refused)?;
    let name = &chosen.name;
    let used = [&a, &b, &plain].map(|g| &g.kernel);
    let used: Vec<&Kernel> = used.into_iter().filter(|kernel| is_used(kernel)).collect();
    let sources: Vec<String> = used.iter().map(|kernel| format!("{}.c", kernel.name)).collect();
    let generated = |text: &str| format!("{}\n{text}", host::MARKS[0]);
    let mut out = vec![
        (format!("{name}.h"), host::header(&chosen, &about, &sources)),
        (format!("{name}.c"), generated(&chosen.text)),
        (format!("{name}_host.c"), host::host(&chosen, &sources, &plain.constraints)),
    ];
    let makefile = makefile(name, &sources.join(" "));
    out.extend(sources.into_iter().zip(used.iter().map(|kernel| generated(&kernel.text))));
    out.push(("Makefile".to_owned(), makefile));
    Ok(out)
}

/// Whether one of these is chosen wherever a way could be: those that ask for nothing else than it does leave it no size.
fn always_before(kept: &[Way<'_>], way: &Way<'_>) -> bool {
    let no_more = |k: &&Way<'_>| k.needs.iter().all(|need| way.needs.contains(need));
    let mut ranges: Vec<(Option<i64>, Option<i64>)> =
        kept.iter().filter(no_more).map(|k| (k.from, k.below)).collect();
    ranges.sort_unstable();
    // How far the ranges go from the smallest size on: not at all, up to a size, or for ever.
    let mut up_to = Some(way.from.unwrap_or(i64::MIN));
    for (from, below) in ranges {
        let Some(end) = up_to else { break };
        if from.unwrap_or(i64::MIN) <= end {
            up_to = below.map(|below| below.max(end));
        }
    }
    up_to.is_none_or(|end| way.below.is_some_and(|below| end >= below))
}

/// Writes the files into a folder, which is made if it is not there, and gives their paths. What was generated before and
/// nobody changed is replaced, all else only where that is asked for.
///
/// # Errors
/// As [`not_written`]; then none is in its place.
pub fn write(
    folder: &Path,
    files: &[(String, String)],
    replace: bool,
    asked: Asked<'_>,
) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut written = vec![];
    for (name, text) in files {
        let path = folder.join(name);
        let text = generated::sealed(&path, text);
        let file = Whole::write(&path, may_replace(&path, replace), |out| out.write_all(text.as_bytes()));
        written.push((path.clone(), file.map_err(|e| not_replaced(&path, &e, asked))?));
    }
    written
        .into_iter()
        .map(|(path, file)| file.place().map(|()| path.clone()).map_err(|e| not_replaced(&path, &e, asked)))
        .collect()
}

fn may_replace(path: &Path, replace: bool) -> bool {
    replace || generated::is_as_written(path)
}

/// As [`not_written`], with why what lies there is not replaced.
fn not_replaced(path: &Path, e: &io::Error, asked: Asked<'_>) -> Diagnostic {
    let problem = not_written(path, e, asked);
    if e.kind() == io::ErrorKind::AlreadyExists { problem.note(generated::OTHERWISE) } else { problem }
}

/// Looks, before anything is measured, whether there can be such a function of these two, and whether its files can be written.
///
/// # Errors
/// As [`files`] and [`write()`], but for what the times decide: each of the two can be chosen, if only where the other one is not there.
pub fn in_the_way(
    sides: [Side<'_>; 2],
    device: &str,
    folder: &Path,
    replace: bool,
    asked: Asked<'_>,
) -> Result<(), Diagnostic> {
    let [plain, a, b] = kernels(sides, device)?;
    for side in [&a, &b] {
        let way = Way { kernel: &side.kernel, from: None, below: None, needs: needs(side, &plain) };
        way.can_be_asked().map_err(refused)?;
    }
    let name = Namer::new(Language::C).name(&sides[0].workspace.program.name);
    let endings = [".h", ".c", "_host.c", "_a.c", "_b.c", "_plain.c"].map(|ending| format!("{name}{ending}"));
    for file in endings.iter().map(String::as_str).chain(["Makefile"]) {
        let path = folder.join(file);
        let looked = whole::in_the_way(&path, may_replace(&path, replace));
        looked.map_err(|e| not_replaced(&path, &e, asked))?;
    }
    Ok(())
}

fn makefile(name: &str, kernels: &str) -> String {
    format!(
        "{mark}\n# Builds lib{name}.so with a C compiler; {name}.h says how to call it. `make {name}` builds a program that calls it.\n\
         CC ?= cc\nCFLAGS ?= -O3 -march=native {flags} -fopenmp\n\n\
         lib{name}.so: {name}.c {kernels} {name}.h\n\t$(CC) $(CFLAGS) -fPIC -shared {name}.c {kernels} -lm -o $@\n\n\
         {name}: {name}_host.c {name}.c {kernels} {name}.h\n\t$(CC) $(CFLAGS) {name}_host.c {name}.c {kernels} -lm -o $@\n\n\
         clean:\n\trm -f lib{name}.so {name}\n\n.PHONY: clean\n",
        mark = host::MARKS[1],
        flags = C_FLAGS.join(" ")
    )
}
