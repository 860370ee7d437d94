//! Input that means harm, or came to it: real files with pieces cut, doubled and exchanged, and nesting without end.
//! Whatever the text is, it is answered, and what is well-typed is so.

use proptest::prelude::*;
use shine_tui::emit;
use shine_tui::lang::diag::{Charset, Diagnostic, FileId, Sources, render_all};
use shine_tui::lang::syntax::{self, ast::Language, print::Options};
use shine_tui::lang::{MAX_DEPTH, eval, infer, loops, print, work};
use shine_tui::lower::{self, Target};
use shine_tui::rewrite::rule::{RuleSet, load::Source};
use shine_tui::rewrite::sketch;
use shine_tui::rewrite::strategy::Script;
use shine_tui::session::log;
use std::path::Path;
use std::sync::OnceLock;

/// The files of this repository with an ending.
fn files(ending: &str) -> Vec<String> {
    fn walk(dir: &Path, ending: &str, out: &mut Vec<String>) {
        let mut entries: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, ending, out);
            } else if path.extension().is_some_and(|e| e == ending) {
                out.push(std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut out = vec![];
    for folder in ["kernels", "rules", "sessions"] {
        walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), ending, &mut out);
    }
    assert!(!out.is_empty(), "there are files that end in .{ending}");
    out
}

/// A change of a text: where, how many characters are taken away, what comes in their place.
type Slip = (prop::sample::Index, usize, prop::sample::Index, usize);

fn slips() -> impl Strategy<Value = (prop::sample::Index, Vec<Slip>)> {
    let slip = (any::<prop::sample::Index>(), 0..12usize, any::<prop::sample::Index>(), 0..24usize);
    (any::<prop::sample::Index>(), prop::collection::vec(slip, 1..5))
}

/// A piece of a real file, no longer than this, with its slips: other pieces of the same file in wrong places.
fn slipped(files: &[String], which: prop::sample::Index, slips: &[Slip]) -> String {
    let mut text: Vec<char> = which.get(files).chars().take(4000).collect();
    for (at, remove, from, length) in slips {
        if text.is_empty() {
            break;
        }
        let (at, from) = (at.index(text.len()), from.index(text.len()));
        let piece: Vec<char> = text[from..(from + length).min(text.len())].to_vec();
        let end = (at + remove).min(text.len());
        text.splice(at..end, piece);
    }
    text.into_iter().collect()
}

fn shown(problems: &[Diagnostic], sources: &Sources) {
    let text = render_all(&problems[..problems.len().min(5)], sources, Charset::Ascii);
    assert!(problems.is_empty() || !text.is_empty());
}

/// A text without mistakes can be formatted, which changes nothing but its looks, and once is enough.
fn formats(language: Language, text: &str) {
    let options = Options::default();
    let (tree, problems) = syntax::parse(language, FileId(0), text);
    if problems.is_empty() {
        let once = syntax::format(language, FileId(0), text, &options).unwrap();
        let (again, problems) = syntax::parse(language, FileId(0), &once);
        assert_eq!((again.items, problems), (tree.items, vec![]), "{once}");
        assert_eq!(syntax::format(language, FileId(0), &once, &options).unwrap(), once);
    }
}

fn program(text: &str) {
    formats(Language::Program, text);
    let mut sources = Sources::new();
    let id = sources.add("a.rise", text);
    let (tree, problems) = syntax::parse_program(id, text);
    let (program, found) = infer::program(&tree, None);
    shown(&problems, &sources);
    shown(&found, &sources);
    if !problems.iter().chain(&found).any(Diagnostic::is_error) {
        program.expect("a program without problems").term.check().expect("well-typed");
    }
}

fn rules(text: &str) {
    formats(Language::Rules, text);
    let mut sources = Sources::new();
    let found = RuleSet::default().load(&mut sources, &[Source { label: "a.rules", text }]);
    shown(&found, &sources);
}

fn strategies(text: &str) {
    formats(Language::Elevate, text);
    static SCRIPT: OnceLock<Script> = OnceLock::new();
    let mut script = SCRIPT.get_or_init(|| Script::library(&mut Sources::new()).0).clone();
    let mut sources = Sources::new();
    let id = sources.add("a.elevate", text);
    let (tree, problems) = syntax::parse_elevate(id, text);
    shown(&problems, &sources);
    shown(&script.add(&tree, false), &sources);
    sketches(text);
}

fn sketches(text: &str) {
    let mut sources = Sources::new();
    let id = sources.add("a sketch", text);
    let (tree, problems) = syntax::parse_sketch(id, text);
    shown(&problems, &sources);
    if let Err(found) = sketch::read(&tree, &sketch::Library::builtin(), &["n".into()]) {
        shown(&found, &sources);
    }
}

fn session(text: &str) {
    if let Err(problem) = log::parse(text.as_bytes()) {
        shown(&[problem], &Sources::new());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_with_slips_are_answered((which, slips) in slips()) {
        program(&slipped(&files("rise"), which, &slips));
    }

    #[test]
    fn rules_with_slips_are_answered((which, slips) in slips()) {
        rules(&slipped(&files("rules"), which, &slips));
    }

    #[test]
    fn strategies_with_slips_are_answered((which, slips) in slips()) {
        strategies(&slipped(&files("elevate"), which, &slips));
    }

    #[test]
    fn sessions_with_slips_are_answered((which, slips) in slips()) {
        session(&slipped(&files("ron"), which, &slips));
    }
}

/// Nesting far beyond every limit is answered, on the stack that the program gives its threads.
#[test]
fn nesting_without_end_is_refused() {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(nest_without_end).unwrap();
    thread.join().expect("no panic");
}

/// As `cli::main` has it.
const STACK: usize = 256 << 20;

fn nest_without_end() {
    let deep = 100_000;
    let around = |open: &str, inner: &str, close: &str| open.repeat(deep) + inner + &close.repeat(deep);
    for body in [
        around("(", "x", ")"),
        around("(", "", ""),
        around("\\x. ", "x", ""),
        around("[", "x", "]"),
        around("(sqrt ", "x", ")"),
        around("- ", "x", ""),
        around("x |> ", "sqrt", ""),
        around("sqrt >> ", "sqrt", ""),
        around("x + ", "x", ""),
        around("let y = x in ", "x", ""),
    ] {
        program(&format!("def f (x: f32) = {body}"));
        rules(&format!("rule r = {body} ~> x"));
        sketches(&body);
    }
    sketches(&format!("contains({})", around("(", "x", ")")));
    for ty in [around("n.", "f32", ""), around("(", "f32", " * f32)"), around("f32 -> ", "f32", "")] {
        program(&format!("def f (x: {ty}) = x"));
    }
    for body in [
        around("try(", "id", ")"),
        around("id ; ", "id", ""),
        around("id <+ ", "id", ""),
        around("contains(", "?", ")"),
        around("1 :: ", "[]", ""),
    ] {
        strategies(&format!("strategy s = {body}"));
        sketches(&body);
    }
    session(&around("(", "", ")"));
    session(&format!("session(format: {})", around("[", "", "]")));
    session(&format!("session(format: 1, program: {})", around("Some(", "1", ")")));
}

/// The deepest programs that are accepted go through every stage, on the small stack of a thread that nobody prepared.
#[test]
fn the_deepest_programs_go_through_every_stage() {
    let prepared = |deepest: fn()| std::thread::Builder::new().stack_size(2 << 20).spawn(deepest).unwrap();
    let threads = [deepest_expressions, deepest_of_other_forms].map(prepared);
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
}

fn deepest_expressions() {
    for (open, inner, close) in [
        ("let y = sqrt x in y * ", "x", ""),
        ("select (x > 1) (", "x", ") x"),
        ("fst (", "x", ", x)"),
        ("x + ", "x", ""),
    ] {
        stages(&|n| format!("def f (x: f32) = {}{inner}{}", open.repeat(n), close.repeat(n)));
    }
    stages(&|n| {
        let calls = (0..n).map(|i| format!("def f{} (x: f32) = sqrt (f{i} (x + 1))\n", i + 1));
        format!("def f0 (x: f32) = x\n{}def f (x: f32) = f{n} x", calls.collect::<String>())
    });
}

fn deepest_of_other_forms() {
    for (open, inner, close) in [
        ("reduce (+) 0 (map (\\x. ", "x", ") [x])"),
        ("reduceSeq (\\x y. ", "x", ") x [x]"),
        ("let (toMem (", "x", ")) (\\y. y * y)"),
        ("idx (natAsIndex 1 0) (iterate 1 (map (\\y. ", "y", ")) [x])"),
    ] {
        stages(&|n| format!("def f (x: f32) = {}{inner}{}", open.repeat(n), close.repeat(n)));
    }
    stages(&|n| format!("def f (x: 1.f32) = {}x{}", "map sqrt (".repeat(n), ")".repeat(n)));
}

/// The program of a text, if there is nothing wrong with it.
fn accepted(text: &str) -> Option<infer::Program> {
    let (tree, problems) = syntax::parse_program(FileId(0), text);
    let (program, found) = infer::program(&tree, None);
    program.filter(|_| !problems.iter().chain(&found).any(Diagnostic::is_error))
}

/// The deepest of the programs that is accepted goes through every stage.
fn stages(text: &dyn Fn(usize) -> String) {
    let (mut least, mut most) = (MAX_DEPTH / 5, 2 * MAX_DEPTH);
    while least < most {
        let middle = (least + most).div_ceil(2);
        (least, most) = if accepted(&text(middle)).is_some() { (middle, most) } else { (least, middle - 1) };
    }
    let program = accepted(&text(least)).expect("at least a fifth of the levels");
    let term = &program.term;
    term.check().unwrap();
    assert!(print::term(term, &print::Options::default()).ranges().len() > least);
    assert!(!loops::of(term).is_empty());
    assert!(work::counts(term).is_some());
    let (sizes, limits) = (eval::sizes([]), eval::Limits::TEST);
    let inputs = eval::inputs::for_program(term.ty(), &sizes, 1, eval::inputs::Kind::SmallIntegers).unwrap();
    let value = eval::run(term, &sizes, &inputs, &limits).unwrap();
    assert_eq!(eval::naive::run(term, &sizes, &inputs, &limits).unwrap().to_string(), value.to_string());
    emit::compile(&lower::default_lowering(&program).unwrap(), Target::C, None).unwrap();
}

/// Sizes that would have more terms than there is memory for are refused, wherever a size can stand and however it grows.
#[test]
fn sizes_without_end_are_refused() {
    let sum = "(a + b + c + d + e + f + g + h)";
    let product = ('a'..='r').map(|c| format!("({c} + 1)")).collect::<Vec<_>>().join(" * ");
    let within =
        |times: usize, size: &dyn Fn(&str) -> String| (0..times).fold("7".to_owned(), |s, _| size(&s));
    let nested = (0..9).fold("n".to_owned(), |n, i| format!("({n} div {} + {n} % 7)", i + 2));
    for size in [
        format!("{sum}^16"),
        format!("({sum}^3)^3"),
        format!("1 / {sum}^9"),
        product,
        nested,
        // Each step looks at the last one more than once.
        within(60, &|s| format!("n % ({s})")),
        within(60, &|s| format!("(n + m) % (2 * ({s}) + 1)")),
        within(60, &|s| format!("(n * m) % (n * ({s}))")),
        within(60, &|s| format!("(n % ({s} + 1)) * (m % 3)")),
        within(120, &|s| format!("n / ({s} + 1)")),
        within(60, &|s| format!("(n + m) / ({s} + m)")),
        "n^64 * n^64".to_owned(),
        "9223372036854775807 * n * 9223372036854775807".to_owned(),
        "4294967296 * 4294967296 * n".to_owned(),
    ] {
        let text = format!("def f (x: ({size}).f32) = x\n");
        program(&text);
        assert!(accepted(&text).is_none(), "{size}");
        rules(&format!("rule r = map f (x: ({size}).s) ~> map f x"));
        rules(&format!("rules r = {{ splitJoin({size}) }}"));
        strategies(&format!("strategy s = splitJoin({size})"));
        sketches(&format!("containsMap({size}, ?)"));
    }
    // Grown by what stands in the program: each step multiplies the size out once more.
    let grown = |step: &str, times: usize| {
        let calls = (0..times).map(|i| format!("def d{} (x: n.f32) = d{i} (d{i} x)\n", i + 1));
        format!(
            "def d0 (x: n.f32) = {step}\n{}def f (x: (a + b + 1).f32) = d{times} x\n",
            calls.collect::<String>()
        )
    };
    for text in [
        grown("x |> map (\\v. [v, v]) |> join", 8),
        grown("x |> slide 3 1 |> join", 7),
        grown("x |> map (\\v. (generate (\\i. v) : n.f32)) |> join", 4),
    ] {
        program(&text);
        assert!(accepted(&text).is_none(), "{text}");
    }
}
