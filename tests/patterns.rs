//! Every row of the table of patterns through every stage: its example is read, typed, printed and read back,
//! interpreted in both ways, shown as loops, and compiled and run on the devices that there are.

use crate::device_common;
use crate::emit_common::{batch, cases_of_program};
use shine_tui::device::Mode;
use shine_tui::lang::diag::{Charset, Diagnostic, Sources, render_all};
use shine_tui::lang::eval::{self, Limits, Sizes, inputs, naive};
use shine_tui::lang::infer::{self, Program};
use shine_tui::lang::pattern::{Level, Pattern, Row, all};
use shine_tui::lang::syntax::{self, print as syntax_print};
use shine_tui::lang::term::Term;
use shine_tui::lang::value::Tolerance;
use shine_tui::lang::{loops, print, work};
use shine_tui::lower::Target as Language;
use shine_tui::session::action::Target;
use shine_tui::session::bench::{Asked, measure};
use shine_tui::session::files::{Text, Texts};
use shine_tui::session::workspace::Workspace;
use std::sync::atomic::AtomicBool;

/// Rows whose example there is no code for, with the language and what is said.
const REFUSED: &[(Pattern, Target, &str)] = &[
    (Pattern::MapPar, Target::OpenCl, "E0521"),
    (Pattern::MapGlobal, Target::C, "E0520"),
    (Pattern::MapWorkGroup, Target::C, "E0520"),
    (Pattern::MapLocal, Target::C, "E0520"),
    (Pattern::ReduceLocal, Target::C, "E0520"),
    (Pattern::OclRun, Target::C, "E0520"),
];

fn example(row: &Row) -> Result<&'static str, String> {
    row.example.ok_or("no example".into())
}

/// The program of a text without problems, warnings included.
fn parse(text: &str) -> Result<Program, String> {
    let mut sources = Sources::new();
    let file = sources.add("example.rise", text);
    let (tree, mut problems) = syntax::parse_program(file, text);
    let (program, found) = infer::program(&tree, None);
    problems.extend(found);
    let said = render_all(&problems, &sources, Charset::Ascii);
    program.filter(|_| problems.is_empty()).ok_or(format!("{text}\n{said}"))
}

fn uses(term: &Term, pattern: Pattern) -> bool {
    term.as_pattern() == Some(pattern) || term.children().into_iter().any(|c| uses(c, pattern))
}

/// The first sizes that fit the program, from these.
fn sizes_of(program: &Program, from: &[i64]) -> Result<Sizes, String> {
    fn fill(program: &Program, from: &[i64], sizes: &mut Sizes) -> bool {
        let Some(name) = program.sizes.get(sizes.len()) else { return program.check_sizes(sizes).is_empty() };
        from.iter().any(|value| {
            sizes.insert(name.clone(), *value);
            fill(program, from, sizes) || sizes.pop().is_none()
        })
    }
    let mut sizes = Sizes::new();
    if fill(program, from, &mut sizes) { Ok(sizes) } else { Err("no sizes fit".into()) }
}

fn workspace() -> Workspace {
    let program = Text { label: "example.rise".into(), text: "def f (x: f32) = x".into() };
    let texts =
        Texts { program, files: vec![], default_sizes: Default::default(), origin: Default::default() };
    Workspace::load(&texts, None).unwrap_or_else(|problems| panic!("{}", problems.first()))
}

/// Looks at every row, on two threads, and fails with all that is wrong.
fn each_row(check: impl Fn(&Row) -> Result<(), String> + Sync) {
    each_row_with(|| (), |(), row| check(row));
}

/// As [`each_row`], with something that each thread makes once.
fn each_row_with<T>(make: impl Fn() -> T + Sync, check: impl Fn(&mut T, &Row) -> Result<(), String> + Sync) {
    let all_of = |rows: &[Row]| {
        let mut made = make();
        let said = |row: &Row| Some(format!("{}: {}", row.names[0], check(&mut made, row).err()?));
        rows.iter().filter_map(said).collect::<Vec<_>>()
    };
    let (first, second) = all().split_at(all().len() / 2);
    let mut wrong = std::thread::scope(|scope| {
        let other = scope.spawn(|| all_of(second));
        let mut wrong = all_of(first);
        wrong.extend(other.join().unwrap());
        wrong
    });
    let rest = wrong.split_off(wrong.len().min(20)).len();
    assert!(wrong.is_empty(), "{}\nand {rest} more", wrong.join("\n\n"));
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

#[test]
fn examples_use_their_pattern_and_are_in_the_standard_layout() {
    each_row(|row| {
        let text = example(row)?;
        let program = parse(text)?;
        program.term.check()?;
        ensure(uses(&program.term, row.pattern), || format!("{text} does not use it"))?;
        let file = Sources::new().add("example.rise", text);
        let options = syntax_print::Options::default();
        let layout = syntax::format(syntax::ast::Language::Program, file, text, &options).unwrap_or_default();
        ensure(layout.trim_end() == text, || format!("the standard layout of\n{text} is\n{layout}"))
    });
}

#[test]
fn examples_print_and_read_back() {
    each_row(|row| {
        let program = parse(example(row)?)?;
        for unicode in [false, true] {
            for width in [20, 100] {
                let options = print::Options { unicode, width, ..print::Options::default() };
                let text = print::program(&program.name, &program.sizes, &program.term, &options).text;
                let again = parse(&text)?.term;
                ensure(again.digest() == program.term.digest(), || format!("{text} is another program"))?;
            }
        }
        Ok(())
    });
}

#[test]
fn both_interpreters_agree_on_examples() {
    use inputs::Kind;
    each_row(|row| {
        let program = parse(example(row)?)?;
        for (seed, from) in [[2, 3, 4, 6, 8], [5, 7, 4, 6, 8], [1, 2, 4, 6, 8]].iter().enumerate() {
            let sizes = sizes_of(&program, from)?;
            for kind in [Kind::Uniform, Kind::SmallIntegers, Kind::Edges] {
                let said = |problem: Diagnostic| format!("at {sizes:?}, {kind:?}: {problem}");
                let inputs = inputs::for_program(&program.ty, &sizes, seed as u64, kind).map_err(said)?;
                let fast = eval::run(&program.term, &sizes, &inputs, &Limits::TEST).map_err(said)?;
                let plain = naive::run(&program.term, &sizes, &inputs, &Limits::TEST).map_err(said)?;
                let both = fast.agrees(&plain, Tolerance::Exact).and(plain.agrees(&fast, Tolerance::Exact));
                both.map_err(|why| format!("at {sizes:?}, {kind:?}: {why}"))?;
            }
        }
        Ok(())
    });
}

#[test]
fn examples_have_loops_and_work() {
    each_row(|row| {
        let program = parse(example(row)?)?;
        ensure(!loops::text(&loops::of(&program.term)).trim().is_empty(), || "no loops".into())?;
        ensure(work::counts(&program.term).is_some(), || "no work".into())
    });
}

/// Compiles, runs and checks on a device; or what was said.
fn run(workspace: &Workspace, device: &str, sizes: &Sizes) -> Result<String, Diagnostic> {
    let term = &workspace.program.term;
    let asked = Asked {
        workspace,
        term,
        sizes,
        device,
        inputs: None,
        mode: Mode::Once,
        foreign: false,
        limit_s: None,
        known: None,
    };
    Ok(measure(&asked, device_common::devices(), &AtomicBool::new(false), &|_| ())?.check)
}

/// Whether there is code for a row's example in a language as the table says, and if not, whether the reason says what to do.
fn code_is_as_listed<T>(
    row: &Row,
    target: Target,
    result: Result<T, Diagnostic>,
) -> Result<Option<T>, String> {
    let refused = REFUSED.iter().find(|(p, t, _)| (*p, *t) == (row.pattern, target)).map(|r| r.2);
    let name = target.name();
    match result {
        Ok(found) => {
            ensure(refused.is_none(), || format!("there is code for {name}"))?;
            Ok(Some(found))
        }
        Err(problem) => {
            let said = || format!("{name}: {problem} {:?} {:?}", problem.notes, problem.hints);
            ensure(Some(problem.code) == refused, said)?;
            ensure(!problem.hints.is_empty(), said)?;
            Ok(None)
        }
    }
}

/// All examples in C are one translation unit: a compiler that is started for each takes longer than they do.
#[test]
fn examples_become_c_that_computes_what_they_mean() {
    let mut cases = vec![];
    let mut workspace = workspace();
    let mut number = 0;
    for row in all() {
        let mut listed = || {
            let text = example(row)?;
            workspace.program = parse(text)?;
            let sizes = sizes_of(&workspace.program, &[9, 10, 8, 4])?;
            let code = workspace.compile(&workspace.program.term, Target::C, &Sizes::new());
            let Some(_) = code_is_as_listed(row, Target::C, code)? else { return Ok(()) };
            let sizes: Vec<(&str, i64)> = sizes.iter().map(|(name, value)| (&**name, *value)).collect();
            cases.extend(cases_of_program(&workspace.program, text, &[&sizes], Language::C, &mut number));
            Ok::<(), String>(())
        };
        listed().unwrap_or_else(|why| panic!("{}: {why}", row.names[0]));
    }
    let refused = REFUSED.iter().filter(|(_, target, _)| *target == Target::C).count();
    // With sizes as parameters, and as constants.
    assert_eq!(cases.len(), 2 * (all().len() - refused));
    // Examples compute with cells that nothing defines, where that is what they show.
    // The level of optimisation is that of kernels.
    let flags = ["-O3", "-fopenmp", "-Wno-uninitialized", "-Wno-maybe-uninitialized", "-Wno-type-limits"];
    batch::check(&cases, &batch::run(&batch::unit(&cases), &flags));
}

#[test]
fn examples_become_opencl_that_computes_what_they_mean() {
    let opencl = device_common::opencl();
    // Rules and strategies are not looked at, so they are loaded once for many programs.
    each_row_with(workspace, |workspace, row| {
        workspace.program = parse(example(row)?)?;
        let device = opencl.as_deref().filter(|_| row.level == Level::OpenCl);
        let Some(device) = device else {
            let code = workspace.compile(&workspace.program.term, Target::OpenCl, &Sizes::new());
            return code_is_as_listed(row, Target::OpenCl, code).map(|_| ());
        };
        let sizes = sizes_of(&workspace.program, &[9, 10, 8, 4])?;
        let said = code_is_as_listed(row, Target::OpenCl, run(workspace, device, &sizes))?;
        let checked = said.as_ref().is_none_or(|said| said.contains("agrees with the interpreter"));
        ensure(checked, || format!("it was not compared with the interpreter: {said:?}"))
    });
}
