//! Where code comes from: every loop, every memory, every barrier and every statement of the programs of `kernels/` is led
//! back to a part of the term, plain, for threads and for OpenCL, and that part says the same as the code.

use crate::emit_common;
use crate::kernels_reference::all;
use crate::random::strategies;
use crate::strategy_loops;
use shine_tui::emit::Attempt;
use shine_tui::emit::syntax::{Line, Part};
use shine_tui::lang::eval;
use shine_tui::lang::infer::Program;
use shine_tui::lang::nat::Nat;
use shine_tui::lang::pattern::Pattern;
use shine_tui::lang::preorder::path_of;
use shine_tui::lang::term::Term;
use shine_tui::lang::ty::Type;
use shine_tui::lower::dpia::{Kind, Phrase};
use shine_tui::lower::{Target, default_lowering, pipeline};
use shine_tui::session::action;
use shine_tui::session::files::{Places, read};
use shine_tui::session::workspace::Workspace;
use shine_tui::view::origins;
use std::path::Path;

fn workspace(kernel: &str) -> (Workspace, eval::Sizes) {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(kernel).join(format!("{kernel}.rise"));
    let texts = read(&file, &Places::default()).unwrap();
    let sizes = eval::sizes(texts.default_sizes.iter().map(|(name, value)| (name.as_str(), *value)));
    (Workspace::load(&texts, None).unwrap_or_else(|p| panic!("{}", p.first())), sizes)
}

/// The lines of the code, each with its text.
fn lines(attempt: &Attempt, target: action::Target) -> Vec<(&str, &Line)> {
    let module = attempt.module.as_ref();
    module.unwrap_or_else(|d| panic!("{d}"));
    let stage = attempt.stages.iter().find(|s| s.name == target.name()).unwrap();
    assert_eq!(stage.text().lines().count(), stage.lines().len());
    stage.text().lines().zip(stage.lines()).collect()
}

fn leaf(term: &Term, number: u32) -> Term {
    let leaf = term.at(&path_of(term, number).unwrap()).unwrap();
    assert!(leaf.children().is_empty());
    leaf.clone()
}

/// Checks that each line of the code has an origin, and that operations on numbers lead to lines with their sign. Strategies
/// leave out some of them: loops of rests that have no iteration, and one of two equal values.
fn check(label: &str, term: &Term, code: &[(&str, &Line)], is_plain: bool) {
    for (text, line) in code {
        let text = text.trim();
        let of_body = match line.part {
            Part::Loop(_) => text.starts_with("for ("),
            Part::Barrier => text.starts_with("barrier("),
            Part::Memory(_) | Part::Statement => text.ends_with([';', '{', ',']) || !text.contains(' '),
            Part::Around => text == "{" || text.starts_with('}') || text.starts_with("#pragma "),
            Part::Outside => {
                assert!(!text.starts_with("for (") && !text.starts_with("barrier("), "{label}: {text}");
                continue;
            }
        };
        assert!(of_body || text.contains('*'), "{label}: {text} is no {:?}", line.part);
        assert!(!line.origin.is_none(), "{label}: where does `{text}` come from?");
        line.origin.numbers().for_each(|n| drop(leaf(term, n)));
        let places: Vec<_> = origins::source_of(term, line).parts(term).collect();
        assert!(!places.is_empty(), "{label}: {text}");
        for at in &places {
            // What a line comes from leads to the line.
            let found = origins::code_of(term, &[(*line).clone()], at);
            assert_eq!(found.lines, [0], "{label}: {text} at {at}");
        }
    }
    for (number, (at, t)) in term.positions().into_iter().enumerate() {
        let symbol = match t.as_pattern() {
            Some(Pattern::Add) => "+",
            Some(Pattern::Mul) => "*",
            Some(Pattern::Sub) => "-",
            Some(Pattern::Div) => "/",
            Some(Pattern::Sqrt) => "sqrt",
            Some(Pattern::Sin) => "sin",
            Some(Pattern::Cos) => "cos",
            Some(Pattern::Exp) => "exp",
            _ => continue,
        };
        if t.ty().signature().1.lane().as_scalar().is_none() {
            continue;
        }
        let number = number as u32;
        let found = code.iter().filter(|(_, line)| line.origin.numbers().any(|n| n == number));
        let found: Vec<&str> = found.map(|(text, _)| *text).collect();
        let is_there = found.iter().any(|text| text.contains(symbol)) || (!is_plain && found.is_empty());
        assert!(is_there, "{label}: {t:?} at {at} in {found:?}");
    }
}

/// Loops, memory and what is computed in DPIA lead back, and so do the lines of libraries that name kernels.
fn check_stages(label: &str, term: &Term, attempt: &Attempt) {
    let with_lines: Vec<_> = attempt.stages.iter().filter(|s| s.has_lines()).collect();
    for needed in ["dpia", "imperative", "simplify"] {
        assert!(with_lines.iter().any(|s| s.name == needed), "{label}: {needed}");
    }
    for stage in with_lines {
        let (text, lines) = (stage.text(), stage.lines());
        assert_eq!(text.lines().count(), lines.len(), "{label}, {}:\n{text}", stage.name);
        for (text, line) in text.lines().zip(lines) {
            line.origin.numbers().for_each(|n| drop(leaf(term, n)));
            let is_made = matches!(line.part, Part::Loop(_) | Part::Memory(_));
            assert!(!is_made || !line.origin.is_none(), "{label}, {}: {text}", stage.name);
            if let Part::Loop(x) = &line.part {
                assert!(text.contains(&format!(" {x} ")), "{label}, {}: {text}", stage.name);
            }
        }
    }
    let module = attempt.module.as_ref().unwrap();
    if let Some(library) = attempt.stages.iter().find(|s| s.name == "library") {
        for kernel in module.sections.iter().filter(|_| module.only().is_none()) {
            let name = format!("\"{}\"", kernel.kernel.name);
            let mut named = library.text().lines().zip(library.lines()).filter(|(t, _)| t.contains(&name));
            assert!(named.any(|(_, line)| !line.origin.is_none()), "{label}: {name}\n{}", library.text());
        }
    }
}

/// What a loop of one iteration was is said by what is left of it.
#[test]
fn loops_that_run_once_are_led_back() {
    let text = "def f (a: n.m.f32): n.m.f32 = a |> mapSeq (mapSeq (\\x. x * 2))";
    let program = emit_common::parse(text);
    let sizes = eval::sizes([("n", 1), ("m", 7)]);
    let attempt = shine_tui::emit::attempt(
        &program.with_term(program.term.numbered()),
        shine_tui::lower::Target::C,
        Some(&sizes),
    );
    let code = lines(&attempt, action::Target::C);
    let code: Vec<Line> = code.iter().map(|(_, line)| (*line).clone()).collect();
    for (at, t) in program.term.positions() {
        if t.as_pattern() == Some(Pattern::MapSeq) {
            assert!(!origins::code_of(&program.term, &code, &at).loops.is_empty(), "{at}");
        }
    }
}

#[test]
fn every_line_of_every_program_is_led_back_to_the_term() {
    let kernels = all();
    std::thread::scope(|scope| {
        for some in kernels.chunks(kernels.len().div_ceil(4)) {
            scope.spawn(move || {
                for reference in some {
                    let (workspace, sizes) = workspace(reference.kernel);
                    let program = &workspace.program;
                    let threads =
                        strategies::apply_within(strategies::OF_PIPELINES, program, "auto").unwrap();
                    for (how, term, target) in [
                        ("plain", &program.term, action::Target::C),
                        ("auto", &threads.term, action::Target::C),
                        ("auto(opencl)", &program.term, action::Target::OpenCl),
                    ] {
                        let attempt = workspace.attempt(term, target, &sizes).unwrap();
                        let label = format!("{}, {how}", reference.kernel);
                        check(&label, term, &lines(&attempt, target), how == "plain");
                        check_stages(&label, term, &attempt);
                    }
                }
            });
        }
    });
}

#[test]
fn what_strategies_made_is_led_back_too() {
    let of_matmul =
        strategy_loops::after_each_strategy().map(|(strategy, program)| ("matmul", strategy, program));
    let of_pipelines = ["bufferedPipeline(4, 3)", "rotatedPipeline(8, 2, 16)"].map(|strategy| {
        let program =
            strategies::apply_within(strategies::OF_PIPELINES, &workspace("harris").0.program, strategy)
                .unwrap();
        ("harris", strategy.to_string(), program)
    });
    for (kernel, strategy, program) in of_matmul.chain(of_pipelines) {
        let (workspace, _) = workspace(kernel);
        let target = action::Target::C;
        let attempt = workspace.attempt(&program.term, target, &eval::Sizes::new()).unwrap();
        let code = lines(&attempt, target);
        check(&format!("{kernel}, {strategy}"), &program.term, &code, false);
        if !strategy.starts_with("arrayPacking") {
            continue;
        }
        // The packed copy of `b` is one piece of memory, written in three loops, and one over the threads that share them out.
        let lines: Vec<Line> = code.iter().map(|(_, line)| (*line).clone()).collect();
        let part = |wanted: Pattern| {
            let leaf = program.term.positions().into_iter().find(|(_, t)| t.as_pattern() == Some(wanted));
            leaf.unwrap().0.parent().unwrap()
        };
        let packing = origins::code_of(&program.term, &lines, &part(Pattern::ToMem));
        assert_eq!((packing.memory.as_slice(), packing.loops.len()), (["t0".to_string()].as_slice(), 4));
        let said = packing.line().text();
        assert!(said.starts_with("The selection is lines ") && said.contains("memory t0"), "{said}");
        // Within it, `transpose b` has no code of its own.
        let view = origins::code_of(&program.term, &lines, &part(Pattern::Transpose));
        assert!(!view.computes && view.lines.iter().all(|line| packing.lines.contains(line)), "{view:?}");
        assert!(view.line().text().starts_with("The selection only says where values are, in line"));
    }
}

/// Is it an extent of an array in the type?
fn has_extent(t: &Type, n: &Nat) -> bool {
    if let Some((a, b)) = t.as_fun().or_else(|| t.as_pair()) {
        return has_extent(a, n) || has_extent(b, n);
    }
    match t.as_array().or_else(|| t.as_vector()) {
        Some((m, element)) => m == n || has_extent(element, n),
        None => false,
    }
}

fn mentions(t: &Type, part: &Type) -> bool {
    let parts = t.as_fun().or_else(|| t.as_pair());
    let element = t.as_array().map(|(_, element)| element);
    t == part
        || parts.is_some_and(|(a, b)| mentions(a, part) || mentions(b, part))
        || element.is_some_and(|t| mentions(t, part))
}

fn check_types(label: &str, given: &Term, program: &Program) -> (usize, usize) {
    let lowered = default_lowering(program).unwrap();
    let lowered = pipeline::lower(&lowered.term, &program.sizes, Target::C).unwrap();
    let (name, first) = &lowered.imperative[0];
    assert_eq!(*name, "imperative");
    let (mut loops, mut memory) = (0, 0);
    let _ = first.body.any(&mut |p: &Phrase| {
        let (x, holds): (_, &dyn Fn(&Type) -> bool) = match p.kind() {
            Kind::For(l) => {
                loops += 1;
                (&l.var, &|t| has_extent(t, &l.n))
            }
            Kind::New(_, ty, x, _) => {
                memory += 1;
                (x, &|t| mentions(t, ty))
            }
            _ => return false,
        };
        let origin = lowered.origins.get(x).unwrap_or_else(|| panic!("{label}: {x}"));
        let from: Vec<Term> = origin.numbers().map(|n| leaf(given, n)).collect();
        assert!(from.iter().any(|t| holds(t.ty())), "{label}: {p} does not come from {from:?}");
        false
    });
    (loops, memory)
}

/// Loops run as often as the arrays of their patterns have elements; memory holds what their patterns make.
#[test]
fn loops_and_memory_fit_the_types_of_the_patterns_they_come_from() {
    let (mut loops, mut memory) = (0, 0);
    for reference in all() {
        let program = workspace(reference.kernel).0.program;
        let (l, m) = check_types(reference.kernel, &program.term, &program);
        loops += l;
        memory += m;
    }
    assert!(loops > 60 && memory > 20, "{loops} loops, {memory} in memory");
}
