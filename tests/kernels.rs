//! The programs of `kernels/`: each in the standard layout, printed so that it reads back, and computing what its
//! reference does, in the interpreter and as generated C on the device `cpu`.

use crate::device_common;
use crate::emit_common;
use crate::kernels_reference::{Expected, Given, Reference, all};
use crate::random::auto::ON_WORK_ITEMS;
use crate::random::{modules, strategies};
use shine_tui::device::{Devices, FloatMode, HostData, Mode, Param};
use shine_tui::emit::{Kernel, KernelParam, ParamKind, compile, data};
use shine_tui::lang::diag::Charset;
use shine_tui::lang::eval::{self, Limits, Sizes, inputs};
use shine_tui::lang::infer::{self, Program};
use shine_tui::lang::loops;
use shine_tui::lang::syntax::ast::Language;
use shine_tui::lang::syntax::{self, print as syntax_print};
use shine_tui::lang::ty::{Scalar, Type};
use shine_tui::lang::value::{Tolerance, Value};
use shine_tui::lang::{diag, print};
use shine_tui::lower::Target;
use shine_tui::lower::default_lowering;
use shine_tui::session::bench::cells::host_data;
use shine_tui::session::bench::{Inputs, request};
use shine_tui::session::files::{Places, Texts, read};
use shine_tui::session::workspace::Workspace;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The seed of all inputs.
const SEED: u64 = 11;

fn folder(kernel: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(kernel)
}

fn texts(kernel: &str) -> Texts {
    read(&folder(kernel).join(format!("{kernel}.rise")), &Places::default()).unwrap()
}

fn load(kernel: &str) -> Program {
    parse(&texts(kernel).program.text).unwrap_or_else(|problems| panic!("{kernel}: {problems}"))
}

/// The program of a text, or what is to be said against it, be it a warning.
fn parse(text: &str) -> Result<Program, String> {
    let mut sources = diag::Sources::new();
    let id = sources.add("program", text);
    let (file, mut problems) = syntax::parse_program(id, text);
    let (program, found) = infer::program(&file, None);
    problems.extend(found);
    let said: Vec<String> = problems.iter().map(|d| d.render(&sources)).collect();
    program.filter(|_| said.is_empty()).ok_or(said.join("\n"))
}

/// The program's inputs at the sizes, as values and as the components that kernels take.
fn inputs_of(program: &Program, sizes: &Sizes) -> (Vec<Value>, Given) {
    let ty = &program.ty;
    let values = inputs::for_program(ty, sizes, SEED, inputs::Kind::Uniform).unwrap();
    let params = ty.signature().0;
    let components = params
        .iter()
        .zip(&values)
        .flat_map(|(ty, v)| data::split(v, ty, sizes).unwrap())
        .map(|b| host_data(&b));
    let given = Given { sizes: sizes.clone(), inputs: components.collect() };
    (values, given)
}

/// Fails unless the components are what the reference says.
fn check(reference: &Reference, at: &str, expected: &[Expected], found: &[HostData]) {
    let label = format!("{} at {at}", reference.kernel);
    assert_eq!(expected.len(), found.len(), "{label}");
    for (component, pair) in expected.iter().zip(found).enumerate() {
        match pair {
            (Expected::Ints(expected), HostData::I32(found)) => assert_eq!(expected, found, "{label}"),
            (Expected::Floats(expected), HostData::F32(found)) => {
                assert_eq!(expected.len(), found.len(), "{label}");
                let largest =
                    expected.iter().fold(0.0f32, |m, x| if x.is_nan() { m } else { m.max(x.abs()) });
                for (i, (e, f)) in expected.iter().zip(found).enumerate() {
                    let off = f64::from((e - f).abs());
                    let near = e.is_nan() || off <= reference.tolerance * f64::from(largest);
                    assert!(near, "{label}: cell {i} of component {component} should be {e} and is {f}");
                }
            }
            (_, found) => panic!("{label}: component {component} is {found:?}"),
        }
    }
}

/// Each reference with its program, at each of its sizes.
fn each(run: impl Fn(&Reference, &Program, &Sizes, &str)) {
    for reference in all() {
        let program = load(reference.kernel);
        for pairs in reference.sizes {
            let sizes = eval::sizes(pairs.iter().copied());
            assert!(program.check_sizes(&sizes).is_empty(), "{} at {pairs:?}", reference.kernel);
            run(&reference, &program, &sizes, &format!("{pairs:?}"));
        }
    }
}

#[test]
fn each_folder_holds_a_program_with_sizes_and_a_reference() {
    let entries = std::fs::read_dir(folder("")).unwrap();
    let folders: BTreeSet<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    let references: BTreeSet<String> = all().iter().map(|r| r.kernel.to_string()).collect();
    assert_eq!(
        folders, references,
        "a folder of kernels/ has no reference in tests/kernels_reference/, or none is left"
    );
    for kernel in folders {
        let (texts, program) = (texts(&kernel), load(&kernel));
        assert_eq!(*program.name, *kernel, "the last definition has the name of the folder");
        let sizes = texts.default_sizes.iter().map(|(name, value)| (name.as_str(), *value));
        let sizes = eval::sizes(sizes);
        assert_eq!(sizes.len(), program.sizes.len(), "{kernel}: sizes.ron");
        assert!(program.check_sizes(&sizes).is_empty(), "{kernel}: sizes.ron");
        if !texts.files.is_empty() {
            let workspace = Workspace::load(&texts, None).map(|w| w.problems);
            assert!(workspace.is_ok_and(|warnings| warnings.is_empty()), "{kernel}: its strategies");
        }
    }
}

fn is_in_the_standard_layout(label: &str, text: &str) {
    let language = match label.rsplit_once('.') {
        Some((_, "rise")) => Language::Program,
        Some((_, "rules")) => Language::Rules,
        _ => Language::Elevate,
    };
    let id = diag::Sources::new().add(label, text);
    let layout = syntax::format(language, id, text, &syntax_print::Options::default()).unwrap();
    assert_eq!(layout, text, "{label}");
    let unicode = syntax_print::Options { charset: Charset::Unicode, ..Default::default() };
    let unicode = syntax::format(language, id, text, &unicode).unwrap();
    let back = syntax::format(language, id, &unicode, &syntax_print::Options::default()).unwrap();
    assert_eq!(back, text, "{label} by way of Unicode");
}

#[test]
fn texts_are_in_the_standard_layout() {
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/elevate")).unwrap() {
        let path = file.unwrap().path();
        is_in_the_standard_layout(path.to_str().unwrap(), &std::fs::read_to_string(&path).unwrap());
    }
    for reference in all() {
        let texts = texts(reference.kernel);
        for text in texts.files.iter().chain([&texts.program]) {
            is_in_the_standard_layout(&text.label, &text.text);
        }
        for (comment, def) in texts.program.text.split("\n\n").filter_map(|part| part.split_once("def ")) {
            assert!(
                comment.contains("--|"),
                "{}: `{}` has no comment",
                reference.kernel,
                def.lines().next().unwrap()
            );
        }
    }
}

#[test]
fn printed_terms_read_back() {
    for reference in all() {
        let program = load(reference.kernel);
        let lowered = default_lowering(&program).unwrap();
        for program in [&program, &lowered] {
            for (unicode, width) in
                [(false, 40), (true, 40), (false, 80), (true, 80), (false, 120), (true, 120)]
            {
                let options = print::Options { unicode, width, ..print::Options::default() };
                let text = print::program(&program.name, &program.sizes, &program.term, &options).text;
                assert!(unicode || text.is_ascii(), "{text}");
                let back = parse(&text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
                assert_eq!(back.term.digest(), program.term.digest(), "{text}");
            }
        }
        assert!(!loops::of(&program.term).is_empty(), "{}", reference.kernel);
    }
}

#[test]
fn the_interpreter_agrees_with_the_references() {
    each(|reference, program, sizes, at| {
        let (values, given) = inputs_of(program, sizes);
        let value = eval::run(&program.term, sizes, &values, &Limits::TEST).unwrap();
        let (_, result) = program.ty.signature();
        let found: Vec<HostData> =
            data::split(&value, &result, sizes).unwrap().iter().map(host_data).collect();
        check(reference, at, &(reference.compute)(&given), &found);
    });
}

/// The strategy `auto` with blocks so small that all of them occur at the sizes of the tests.
const AUTO: &str = "inLambda(fusedStages ; onThreads(id, 4, 4, 2))";

/// Each program as it is, and after `auto`. A compiler takes its time for each text, so the kernels of several programs, at all of their sizes, are one.
#[test]
fn generated_c_agrees_with_the_references() {
    let devices = device_common::devices();
    let references = all();
    std::thread::scope(|scope| {
        for some in references.chunks(references.len().div_ceil(4)) {
            scope.spawn(|| {
                let variants = some.iter().flat_map(|reference| {
                    let written = load(reference.kernel);
                    let rewritten =
                        strategies::apply_within(strategies::OF_PIPELINES, &written, AUTO).unwrap();
                    [written, rewritten].map(|program| Variant {
                        reference,
                        program,
                        sizes: &reference.sizes,
                    })
                });
                check_generated_c(devices, &variants.collect::<Vec<_>>());
            });
        }
    });
}

/// Rows of cells that are moved to where they belong are computed by work-items of both dimensions.
#[test]
fn work_items_have_both_dimensions_of_what_is_moved() {
    let program = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/demosaic/demosaic.rise");
    let args = ["compile", program.to_str().unwrap(), "--target", "opencl", "-s", "auto(opencl)"];
    let ran = crate::cli_common::run(program.parent().unwrap(), &args);
    assert!(ran.out.contains("// k2 runs on (1280, 768, 1) work-items"), "{}{}", ran.out, ran.err);
}

/// What `auto(opencl)` makes, with groups so small that there are several of them, in a simulator that finds races. By turns
/// with sizes as constants and as parameters.
#[test]
fn what_auto_makes_for_work_items_does_not_race() {
    let Some(simulator) = modules::simulator() else { return };
    let references = all();
    let check_one = |n: usize, reference: &Reference| {
        let strategy = ON_WORK_ITEMS[1 + n % 2];
        let program =
            strategies::apply_within(strategies::OF_PIPELINES, &load(reference.kernel), strategy).unwrap();
        let sizes = eval::sizes(reference.sizes[1].iter().copied());
        let (values, given) = inputs_of(&program, &sizes);
        let parts =
            |(ty, v): (&Type, &Value)| data::split(v, ty, &sizes).unwrap().iter().map(host_data).collect();
        let inputs = Inputs(program.ty.signature().0.iter().zip(&values).map(parts).collect());
        let lowered = default_lowering(&program).unwrap();
        let module = compile(&lowered, Target::OpenCl, n.is_multiple_of(3).then_some(&sizes)).unwrap().module;
        let request = request(simulator.id, &module, &sizes, &inputs, Mode::Once, FloatMode::Strict).unwrap();
        let report = device_common::run(simulator.devices, &request)
            .unwrap_or_else(|e| panic!("{}: {e}\n{}", reference.kernel, module.text()));
        assert!(report.stderr.is_empty(), "{}: {}\n{}", reference.kernel, report.stderr, module.text());
        check(reference, "its odd sizes", &(reference.compute)(&given), &report.outputs);
    };
    std::thread::scope(|scope| {
        for half in [0, 1] {
            let some = references.iter().enumerate().filter(move |(n, _)| n % 2 == half);
            scope.spawn(move || some.for_each(|(n, reference)| check_one(n, reference)));
        }
    });
}

/// Programs of which the sizes decide what `auto(opencl)` makes, the sizes, and what the kernels must have then: rows of
/// few numbers side by side in a group, long rows in local memory, planes and channels in strips, parts of a few very
/// long reductions, tiles for attention, whole strips of lines that they do not divide, lines with empty cells at their ends, and
/// rows of a few.
const BY_SIZES: [(&str, &[&str], &str); 10] = [
    (
        "def f (rows: n.m.f32): n.m.f32 = rows |> map (\\row.
           let most = row |> reduce max (0 - 1000000000)
           let powers = row |> map (\\x. exp (x - most))
           let total = powers |> reduce (+) 0
           powers |> map (\\x. x / total))",
        &["n=4128", "m=33"],
        "groups of (8, 32, 1)",
    ),
    (
        "def f (rows: n.m.f32): n.m.f32 = rows |> map (\\row.
           let total = row |> reduce (+) 0
           row |> map (\\x. x / (1 + abs total)))",
        &["n=9", "m=2100"],
        "float t0[2100]",
    ),
    (
        "def f (a: (l + 2).(m + 2).(n + 2).f32): l.m.n.f32 = a |> slide 3 1 |> map (\\planes.
           planes |> map (slide 3 1) |> transpose |> map (\\rows.
             rows |> map (map (slide 3 1) >> transpose) |> transpose |> map (\\nbh.
               nbh |> map join |> join |> reduce (+) 0)))",
        &["l=36", "m=11", "n=13"],
        "runs on (32, 16, 4) work-items",
    ),
    (
        "def f (w: c.9.f32) (a: c.(h + 2).(v + 2).f32): c.h.v.f32 = zip w a |> map (\\p.
           snd p |> map (slide 3 1) |> slide 3 1 |> map (transpose >> map (\\nbh.
             zip (fst p) (join nbh) |> map (\\q. fst q * snd q) |> reduce (+) 0)))",
        &["c=9", "h=36", "v=33"],
        "runs on (64, 8, 9) work-items",
    ),
    (
        "def f (points: n.d.f32) (labels: n.i32) (numbers: k.i32): k.d.f32 = numbers |> map (\\c.
           let count = labels |> map (\\l. select (l == c) 1.0 0.0) |> reduce (+) 0
           points |> transpose |> map (\\column.
             (zip column labels |> map (\\p. select (snd p == c) (fst p) 0.0) |> reduce (+) 0) / max 1 count))",
        &["n=65600", "k=3", "d=5"],
        "k0 runs on (2048, 1, 1) work-items, in groups of (256, 1, 1)",
    ),
    (
        "def dot (a b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
         def f (q: n.d.f32) (k: m.d.f32) (v: m.d.f32): n.d.f32 = q |> map (\\x.
           let scores = k |> map (\\y. dot x y)
           let most = scores |> reduce max (0 - 1000000000)
           let powers = scores |> map (\\s. exp (s - most))
           let total = powers |> reduce (+) 0
           v |> transpose |> map (\\column. dot powers column / total))",
        &["n=70", "m=66", "d=16"],
        "in groups of (16, 16, 1)",
    ),
    (
        include_str!("../kernels/twoBlurs/twoBlurs.rise"),
        &["n=521", "m=516"],
        "? 4 + i",
    ),
    (
        include_str!("../kernels/harrisPadded/harrisPadded.rise"),
        &["h=516", "w=524"],
        "// runs on (256, 43, 1) work-items, in groups of (128, 1, 1)",
    ),
    (
        "def fir (w: k.f32) (x: (n + k - 1).f32): n.f32 =
           x |> slide k 1 |> map (\\v. zip w v |> map (\\p. fst p * snd p) |> reduce (+) 0)
         def f (x: (n + 6).f32): n.f32 = x |> fir [0.25, 0.5, 0.25] |> fir [1, 2, 4, 2, 1]",
        &["n=65539"],
        "// runs on (16512, 1, 1) work-items",
    ),
    (
        "def f (a: (n + 1).m.f32): n.2.m.f32 = a |> slide 2 1 |> map (\\w.
           [w |> idx (natAsIndex 2 0) |> map abs, w |> transpose |> map (reduce (+) 0)])",
        &["n=50", "m=70"],
        "runs on (96, 56, 1) work-items",
    ),
];

#[test]
fn what_auto_makes_by_sizes_is_right_and_as_it_should_be() {
    let Some(device) = device_common::opencl() else { return };
    for (text, sizes, has) in BY_SIZES {
        let kernels = crate::modules::ran_by("auto(opencl)", text, &sizes.join(" "), &device);
        assert!(kernels.contains(has), "{has}\n{kernels}");
    }
}

/// Long running results are taken in chunks, on threads and in groups of work-items, in the order of their elements; also where
/// no chunk is whole, and in each of several rows.
#[test]
fn running_results_are_taken_in_chunks() {
    let sums = "def f (a: n.f32): n.f32 = scanSeq (+) 0 a";
    let most = "def f (a: n.f32): n.f32 = a |> map (\\x. x * x) |> scanSeq max 0.5 |> map sqrt";
    // The last that is not zero: of an operator that has an order, and of which no neutral value is known.
    let last = "declare assoc pick
        def pick (x y: i32): i32 = select (x % 3 == 0) y x
        def f (a: n.i32): n.i32 = scanSeq pick 7 a";
    let costly = "def f (a: n.f32): n.f32 = a |> map (\\x. exp (sin x) * log (x * x + 1)) |> scanSeq (+) 0";
    let doubles = "def f (a: n.f64): n.f64 = scanSeq (+) 0 a";
    let in_chunks = [
        (sums, "n=70003", "runs on (4352, 1, 1) work-items"),
        (sums, "n=81920", "runs on (5120, 1, 1) work-items"),
        (sums, "n=300007", "runs on (18688, 1, 1) work-items"),
        (sums, "n=5", "void f"),
        (most, "n=70003", "runs on (4352, 1, 1) work-items"),
        (last, "n=70003", "runs on (4352, 1, 1) work-items"),
        (costly, "n=70003", "runs on (4352, 1, 1) work-items"),
        (doubles, "n=70003", "runs on (8704, 1, 1) work-items"),
    ];
    let device = device_common::opencl();
    for (text, sizes, has) in in_chunks {
        let threads = crate::modules::ran_by("auto", text, sizes, "cpu");
        assert_eq!(threads.contains("4096"), sizes != "n=5", "{text}\n{threads}");
        assert!(threads.contains("omp parallel") || sizes != "n=300007", "{text}\n{threads}");
        let Some(device) = &device else { continue };
        let kernels = crate::modules::ran_by("auto(opencl)", text, sizes, device);
        assert!(kernels.contains(has), "{has}\n{kernels}");
    }
    let Some(device) = device else { return };
    let rows = "def f (a: m.n.f32): m.n.f32 = a |> map (scanSeq (+) 0)";
    let kernels = crate::modules::ran_by("auto(opencl)", rows, "m=37 n=300", &device);
    assert!(kernels.contains("runs on (9472, 1, 1) work-items"), "{kernels}");
    let exact = crate::modules::ran_by("auto(opencl, exact)", sums, "n=70003", &device);
    assert!(exact.contains("runs on (1, 1, 1) work-items"), "{exact}");
}

/// The strategies for pipelines on all of them, at sizes that strips and vectors do not divide, and smaller ones.
#[test]
fn buffered_pipelines_agree_with_the_references() {
    type Sizes = [(&'static str, i64)];
    const PLAIN: [&Sizes; 3] = [&[("n", 7), ("m", 45)], &[("n", 6), ("m", 28)], &[("n", 1), ("m", 2)]];
    const PADDED: [&Sizes; 3] = [&[("h", 7), ("w", 45)], &[("h", 6), ("w", 32)], &[("h", 1), ("w", 5)]];
    let references = all();
    let mut variants = vec![];
    for (kernel, strategy, buffers) in [
        ("harris", "bufferedPipeline(4, 3)", 2),
        ("harrisPadded", "bufferedPipeline(8, 3)", 2),
        ("twoBlurs", "bufferedPipeline(4, 3)", 1),
        ("unsharpMask", "bufferedPipeline(8, 2)", 1),
        ("jacobi4", "bufferedPipeline(8, 3)", 3),
        ("canny", "bufferedPipeline(4, 3)", 2),
        ("gaussianPyramid", "bufferedPipeline(4, 3)", 1),
        ("localLaplacian", "bufferedPipeline(4, 3)", 2),
        ("demosaic", "bufferedPipeline(8, 3)", 1),
        ("jacobi2d", "bufferedPipeline(8, 3)", 1),
        ("binomialFilter", "bufferedPipeline(4, 3)", 1),
        ("separableConvolution", "bufferedPipeline(4, 3)", 1),
        ("convolution", "bufferedPipeline(4, 3)", 1),
        ("harris", "rotatedPipeline(8, 2, 16)", 2),
        ("harris", "rotatedPipeline(16, 5, 16)", 2),
        ("harrisPadded", "rotatedPipeline(4, 3, 4)", 2),
        ("twoBlurs", "rotatedPipeline(4, 3, 8)", 1),
        ("unsharpMask", "rotatedPipeline(4, 3, 8)", 1),
        ("gaussianPyramid", "rotatedPipeline(4, 3, 8)", 1),
        ("canny", "rotatedPipeline(4, 3, 8)", 2),
        ("binomialFilter", "rotatedPipeline(4, 3, 4)", 1),
    ] {
        let reference = references.iter().find(|r| r.kernel == kernel).unwrap();
        let program = strategies::apply_within(strategies::OF_PIPELINES, &load(kernel), strategy).unwrap();
        let shown =
            print::program(&program.name, &program.sizes, &program.term, &print::Options::default()).text;
        // Whole strips, and what they leave over.
        // Lines in which blocks move along: one of each stage but that of the brightness.
        let rotated = shown.matches("rotateValues ").count();
        assert_eq!(rotated > 0, strategy.starts_with("rotated"), "{kernel}\n{shown}");
        for (pattern, often) in
            [("circularBuffer ", 2 * buffers), ("iterateStream ", 2 + rotated), ("mapPar ", 1)]
        {
            assert_eq!(shown.matches(pattern).count(), often, "{kernel}: {pattern}\n{shown}");
        }
        assert!(shown.contains("asVector "), "{kernel}\n{shown}");
        let sizes = if kernel == "harrisPadded" { &PADDED } else { &PLAIN };
        variants.push(Variant { reference, program, sizes });
    }
    check_each(&variants);
}

/// Where one stencil reads lines that another computes, `auto` makes a pipeline on threads, and nowhere else.
#[test]
fn auto_makes_pipelines_of_stencils_one_behind_the_other() {
    let pipelines = ["harris", "canny", "localLaplacian", "gaussianPyramid", "twoBlurs", "jacobi4"];
    let others = ["jacobi2d", "convolution", "binomialFilter", "matmul", "dot", "kMeans"];
    for kernel in pipelines.into_iter().chain(others) {
        for strategy in [AUTO, "auto(exact)"] {
            let program =
                strategies::apply_within(strategies::OF_PIPELINES, &load(kernel), strategy).unwrap();
            let shown =
                print::program(&program.name, &program.sizes, &program.term, &print::Options::default());
            let buffered = shown.text.contains("circularBuffer ") && shown.text.contains("mapPar ");
            assert_eq!(buffered, pipelines.contains(&kernel), "{kernel}, {strategy}\n{}", shown.text);
        }
    }
}

/// What a pipeline does not go through, as padding or rows in reverse, `auto` stores, each stage on threads; and chunks of lines are
/// windows like others.
#[test]
fn auto_runs_each_stage_on_threads_where_no_pipeline_goes_through() {
    const WORDS: &str = "
        def blur (im: (n + 2).(m + 2).f32): n.m.f32 =
          im |> map (slide 3 1) |> slide 3 1 |> map (transpose >> map (\\w. reduce (+) 0 (join w) / 9))
        def clamped (im: n.m.f32): n.m.f32 = im |> map (padClamp 1 1) |> padClamp 1 1 |> blur
        def twice (x: (m + 1).f32): (2*m).f32 =
          x |> slide 2 1 |> map (\\w. let sum = reduce (+) 0 w in [sum - 1, sum + 1]) |> join
        def greatest (im: (2*n).(2*m).f32): n.m.f32 =
          im |> split 2 |> map (transpose >> map (reduce max (-9)) >> split 2 >> map (reduce max (-9)))\n";
    let programs = [
        ("(im: n.m.f32): n.m.f32 = im |> clamped |> clamped |> clamped", 3, false),
        ("(im: (n + 4).(m + 4).f32): n.m.f32 = im |> blur |> map reverse |> reverse |> blur", 2, false),
        ("(im: (n + 2).(m + 2).f32): m.n.f32 = im |> blur |> map reverse |> transpose", 1, false),
        ("(im: n.m.u8): n.m.f32 = im |> map (map (\\x. cast x)) |> clamped", 1, false),
        ("(im: (2*n + 2).(2*m + 2).f32): n.m.f32 = im |> blur |> greatest", 1, true),
        // Of lines as they lie, not of columns one after the other.
        (
            "(im: (n + 1).(m + 1).f32): (2*n).(2*m).f32 = im |> map twice |> transpose |> map twice |> transpose",
            1,
            true,
        ),
    ];
    for (text, threads, buffered) in programs {
        let written = parse(&format!("{WORDS}def p {text}")).unwrap();
        let shown = agrees_with_itself(&written, "auto", &[[("n", 37), ("m", 21)], [("n", 1), ("m", 2)]]);
        assert_eq!(shown.contains("circularBuffer "), buffered, "{text}\n{shown}");
        assert_eq!(shown.matches("mapPar ").count(), threads, "{text}\n{shown}");
    }
}

/// Large windows are reduced column by column by `auto` on threads, where they can be and results may differ; small ones are
/// left to compilers.
#[test]
fn auto_separates_large_windows_on_threads() {
    let programs = [
        (7, 7, "f32", "reduce (+) 0 (join w) / 49", "auto", true),
        (7, 7, "f32", "reduce (+) 0 (join w) / 49", "auto(exact)", false),
        (5, 4, "u8", "reduce max 0 (join w)", "auto(exact)", true),
        (
            6,
            3,
            "f32",
            "reduce min (w |> idx (natAsIndex 6 2) |> idx (natAsIndex 3 1)) (join w)",
            "auto",
            true,
        ),
        (3, 3, "f32", "reduce (+) 0 (join w) / 9", "auto", false),
        (5, 2, "f32", "reduce (+) 0 (join w)", "auto", false),
        (
            7,
            7,
            "f32",
            "join w |> map (\\x. abs (x - (w |> idx (natAsIndex 7 3) |> idx (natAsIndex 7 3)))) |> reduce (+) 0",
            "auto",
            false,
        ),
    ];
    for (rows, columns, ty, text, strategy, separated) in programs {
        let written = format!(
            "def p (im: (n + {}).(m + {}).{ty}): n.m.{ty} =
               im |> map (slide {columns} 1) |> slide {rows} 1 |> map (transpose >> map (\\w. {text}))",
            rows - 1,
            columns - 1
        );
        let sizes = [[("n", 34), ("m", 261)], [("n", 33), ("m", 2)], [("n", 1), ("m", 1)]];
        let shown = agrees_with_itself(&parse(&written).unwrap(), strategy, &sizes);
        assert_eq!(shown.contains("rotateValues "), separated, "{text}, {strategy}\n{shown}");
    }
}

/// Of pictures of which several things are made, `auto` stores pixels and not the windows that show them, puts no view of what
/// is stored in twice, and lets no work-item compute what others compute as well; and what running results are taken of runs
/// on threads.
#[test]
fn auto_stores_and_computes_once_what_is_shown_several_times() {
    const WORDS: &str = "
        def pairs (a: n.m.s) (b: n.m.t): n.m.(s * t) = zip a b |> map (\\r. zip (fst r) (snd r))
        def product (a b: n.m.f32): n.m.f32 = pairs a b |> map (map (\\p. fst p * snd p))
        def windows (a: (n + 2).(m + 2).s): n.m.3.3.s = a |> map (slide 3 1) |> slide 3 1 |> map transpose
        def at (y x: nat) (w: 3.3.f32): f32 = w |> idx (natAsIndex 3 y) |> idx (natAsIndex 3 x)
        def dx (w: 3.3.f32): f32 = at 1 2 w - at 1 0 w
        def dy (w: 3.3.f32): f32 = at 2 1 w - at 0 1 w
        def down (a: (n + 2).m.f32): n.m.f32 = a |> slide 3 1 |> map (transpose >> map (reduce (+) 0))
        def box (a: (n + 4).(m + 4).f32): n.m.f32 =
          a |> slide 5 1 |> map (transpose >> map (reduce (+) 0)) |> map (slide 5 1 >> map (reduce (+) 0))
        def wrapped (a: (n + 2).t): (n + 4).t = concat (drop (n + 1) a) (concat a (take 1 a))\n";
    let squared = "(a: (n + 2).(m + 2).f32): n.m.f32 = let y = a |> map (map (\\x. x * x))";
    let named = format!("{squared} |> windows in product (y |> map (map dx)) (y |> map (map dy))");
    let unnamed =
        format!("{squared} in product (y |> windows |> map (map dx)) (y |> windows |> map (map dy))");
    // What a program of the strategy has, how often, and what it has not.
    let programs: [(&str, &str, &str, usize, &str); 14] = [
        // Sums of products of all pairs of three pictures.
        (
            "(a b c: (n + 2).m.f32): n.m.f32 =
               pairs (down (product a a)) (pairs (down (product a b)) (pairs (down (product b b))
                 (pairs (down (product a c)) (down (product b c)))))
               |> map (map (\\(p, (q, (r, (s, t)))). p + q + r + s + t))",
            "auto",
            "circularBuffer ",
            0,
            "zip y ",
        ),
        // Little work before windows is done for columns.
        (
            "(a: (n + 4).m.f32): n.m.f32 =
               a |> map (map (\\x. x * x)) |> slide 5 1 |> map (transpose >> map (reduce (+) 0))",
            "auto(opencl)",
            "oclRun ",
            2,
            "|> transpose",
        ),
        (
            "(a: (n + 2).(m + 2).12.f32): n.m.10.f32 =
               a |> map (map (map (\\x. x * x)))
                 |> map (map (slide 3 1)) |> map (slide 3 1) |> map (map transpose) |> slide 3 1 |> map transpose
                 |> map (map transpose) |> map (map (map (\\w. w |> map join |> join |> reduce (+) 0)))",
            "auto(opencl)",
            "oclRun ",
            1,
            "|> transpose",
        ),
        (&unnamed, "auto(opencl)", "oclRun ", 2, "let ys"),
        (&named, "auto(opencl)", "slide 3 1", 4, "let ys"),
        (&named, "auto", "circularBuffer ", 2, "mapPar (\\y. transpose"),
        // Planes one by one.
        (
            "(a: 3.(n + 4).(m + 4).f32): 3.n.m.f32 = a |> map box",
            "auto(opencl)",
            "oclRun ",
            2,
            "|> slide 5 1 |>",
        ),
        // Running results of few numbers, of which each takes long; of rows, and of columns of these.
        (
            "(a: n.m.i32): 16.i32 =
               generate (\\(i: idx[16]). a |> join |> map (\\x. select (x == cast (indexAsNat i)) 1 0) |> reduce (+) 0)
                 |> scanSeq (\\x s. x + s) 0",
            "auto",
            "mapPar ",
            1,
            "mapGlobal",
        ),
        (
            "(a: n.m.f32): n.f32 = a |> map (reduce (+) 0) |> scanSeq (\\x s. max (0.5 * s) x) 0",
            "auto",
            "mapPar ",
            1,
            "mapGlobal",
        ),
        (
            "(a: n.m.f32): n.m.f32 =
               a |> map (scanSeq (\\x s. x + s) 0) |> transpose |> map (scanSeq (\\x s. x + s) 0) |> transpose",
            "auto",
            "mapPar ",
            3,
            "map (scanSeq",
        ),
        // What is put together of parts.
        (
            "(a: (n + 2).(m + 2).f32): (n + 4).(m + 4).f32 = a |> map wrapped |> wrapped",
            "auto",
            "concat ",
            6,
            "map (\\y1. y1)",
        ),
        (
            "(a: (n + 2).f32) (b: m.f32): (n + 2).f32 = wrapped a |> slide 3 1 |> map (reduce (+) 0)",
            "auto",
            "mapPar ",
            2,
            "let ",
        ),
        (
            "(a: n.f32) (b: m.f32): ((n + m).f32 * (n + m).f32) =
               let h = concat (reverse a) b in (h |> map (\\x. x + 1), reverse h)",
            "auto",
            "concat ",
            1,
            "mapGlobal",
        ),
        // Bytes are taken by vectors as long as a register.
        (
            "(a: (n + 4).(m + 4).u8): n.m.u8 =
               a |> windows |> map (map (\\w. reduce min 255 (join w))) |> windows |> map (map (\\w. reduce max 0 (join w)))",
            "auto",
            "iterateStream ",
            6,
            "asVector 16",
        ),
    ];
    for (text, strategy, there, often, not_there) in programs {
        let written = parse(&format!("{WORDS}def f {text}")).unwrap();
        let shown = agrees_with_itself(&written, strategy, &[[("n", 11), ("m", 13)], [("n", 1), ("m", 1)]]);
        assert_eq!(shown.matches(there).count(), often, "{strategy}, {text}\n{shown}");
        assert!(!shown.contains(not_there), "{strategy}, {text}\n{shown}");
    }
}

/// Results of the same elements are written in one loop, colours that lie side by side are computed number by number, and truth
/// values are reduced as numbers, in lanes.
#[test]
fn auto_makes_one_loop_of_pairs_colours_and_truths() {
    const WORDS: &str = "
        def windows (a: (n + 2).(m + 2).s): n.m.3.3.s = a |> map (slide 3 1) |> slide 3 1 |> map transpose
        def at (y x: nat) (w: 3.3.f32): f32 = w |> idx (natAsIndex 3 y) |> idx (natAsIndex 3 x)
        def slope (w: 3.3.f32): (f32 * f32) = (at 1 2 w - at 1 0 w, at 2 1 w - at 0 1 w)\n";
    // What a program of the strategy has, how often, and what it has not.
    let programs: [(&str, &str, &str, usize, &str); 13] = [
        (
            "(a: (n + 2).(m + 2).f32): (n.m.f32 * n.m.f32) =
               let g = a |> windows |> map (map slope) in (g |> map (map fst), g |> map (map snd))",
            "auto",
            "mapPar ",
            1,
            "let g",
        ),
        (
            "(a: (n + 2).(m + 2).f32): (n.m.f32 * n.m.f32) =
               let g = a |> windows |> map (map slope) in (g |> map (map fst), g |> map (map snd))",
            "auto(opencl)",
            "oclRun ",
            2,
            "let g",
        ),
        (
            "(a: n.m.f32): (n.f32 * n.m.f32) =
               let s = a |> map (reduce (+) 0)
               (s, zip a s |> map (\\(r, s). r |> map (\\x. x / (1 + abs s))))",
            "auto(opencl)",
            "oclRun ",
            1,
            "toMem global",
        ),
        ("(a: n.m.f32): (n.m.f32 * n.m.f32) = (a, a |> map (map (\\x. x * x)))", "auto", "mapPar ", 1, "let "),
        // A pair in a pair is written in the same loop, on whichever side it stands.
        (
            "(a: n.m.f32): (n.m.f32 * (n.m.f32 * n.m.f32)) =
               (a |> map (map (\\x. x * 2)), (a |> map (map (\\x. x + 1)), a |> map (map (\\x. x * x))))",
            "auto",
            "map (\\",
            1,
            "mapPar (map",
        ),
        (
            "(a: n.m.f32): (n.m.f32 * (n.m.f32 * n.m.f32)) =
               (a |> map (map (\\x. x * 2)), (a |> map (map (\\x. x + 1)), a |> map (map (\\x. x * x))))",
            "auto(opencl)",
            "mapGlobal ",
            2,
            "oclRun 1 1 1",
        ),
        (
            "(a: n.m.f32): ((n.f32 * n.m.f32) * n.m.f32) =
               ((a |> map (reduce (+) 0), a |> map (map (\\x. x + 1))), a |> map (map (\\x. x * x)))",
            "auto",
            "mapPar ",
            1,
            "let ",
        ),
        // So is what a program takes apart itself.
        (
            "(a: n.m.f32): (n.m.f32 * (n.m.f32 * n.m.f32)) =
               a |> map (map (\\x. (x * 2, (x + 1, x * x)))) |> map unzip |> unzip |> mapSnd (map unzip >> unzip)",
            "auto(opencl)",
            "mapGlobal ",
            2,
            "oclRun 1 1 1",
        ),
        // A matrix product keeps its tiles.
        (
            "(a: n.m.f32) (b: m.n.f32): (n.n.f32 * n.n.f32) =
               let p = a |> map (\\r. transpose b |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))
               (p, p |> map (map (\\x. x + 1)))",
            "auto(opencl)",
            "mapWorkGroup 1",
            1,
            "mapGlobal 2",
        ),
        (
            "(a: (n + 2).(m + 2).3.f32): n.m.3.f32 = a |> map (slide 3 1) |> slide 3 1
               |> map (transpose >> map (\\w. w |> join |> transpose |> map (\\c. reduce (+) 0 c / 9)))",
            "auto",
            "split 3",
            1,
            "map (map",
        ),
        (
            "(a: n.m.f32): n.bool = a |> map (\\r. r |> map (\\x. x > 0.5) |> reduce (or) false)",
            "auto",
            "generate (\\i. select false 1i32 0i32)",
            1,
            "1u8",
        ),
        (
            "(a: n.m.u8): n.bool = a |> map (\\r. r |> map (\\x. x > 1) |> reduce (and) true)",
            "auto",
            "select true 1u8 0u8",
            2,
            "1i32",
        ),
        // What comes behind the one that decides has no result.
        (
            "(a: n.m.i32): n.bool = a |> map (\\r. r |> map (\\x. 6 / (x + 9) > 1) |> reduce (or) false)",
            "auto",
            "generate",
            0,
            "1u8",
        ),
    ];
    for (text, strategy, there, often, not_there) in programs {
        let written = parse(&format!("{WORDS}def f {text}")).unwrap();
        let sizes = [[("n", 11), ("m", 13)], [("n", 1), ("m", 1)], [("n", 37), ("m", 101)]];
        let shown = agrees_with_itself(&written, strategy, &sizes);
        assert_eq!(shown.matches(there).count(), often, "{strategy}, {text}\n{shown}");
        assert!(!shown.contains(not_there), "{strategy}, {text}\n{shown}");
    }
}

/// What a strategy makes of a program, which computes the same at each of the sizes.
fn agrees_with_itself(written: &Program, strategy: &str, sizes: &[[(&str, i64); 2]]) -> String {
    let program = strategies::apply_within(strategies::OF_PIPELINES, written, strategy).unwrap();
    let shown = print::program(&program.name, &program.sizes, &program.term, &print::Options::default());
    for &sizes in sizes {
        let sizes = eval::sizes(sizes);
        let inputs = inputs::for_program(&written.ty, &sizes, 5, inputs::Kind::SmallIntegers).unwrap();
        let expected = eval::run(&written.term, &sizes, &inputs, &Limits::TEST).unwrap();
        let found = eval::run(&program.term, &sizes, &inputs, &Limits::TEST).unwrap();
        let close = Tolerance::Relative { relative: 1e-5, floor: 1e-5 };
        expected.agrees(&found, close).unwrap_or_else(|why| panic!("{strategy}: {why}\n{}", shown.text));
    }
    shown.text
}

/// Each by itself: a compiler takes long for what is unrolled, and one run is given two minutes, on a busy machine too.
fn check_each(variants: &[Variant]) {
    std::thread::scope(|scope| {
        for some in variants.chunks(variants.len().div_ceil(2)) {
            scope.spawn(|| {
                for one in some.chunks(1) {
                    check_generated_c(device_common::devices(), one);
                }
            });
        }
    });
}

/// The strategies for pipelines where stages read another input beside what is computed, in the middle, at the end and
/// after a stride, where columns are computed first, of two results, and of several pictures: the programs are nobody's.
#[test]
fn pipelines_go_beside_other_inputs() {
    const STAGES: &str = "
        def mean3 (image: (n + 2).(m + 2).f32): n.m.f32 =
          image |> map (slide 3 1) |> slide 3 1
          |> map (transpose >> map (\\nbh. reduce (+) 0 (join nbh) / 9))
        def byHand (image: (n + 2).(m + 2).f32): n.m.f32 =
          image |> slide 3 1
          |> map (transpose >> map (reduce (+) 0) >> slide 3 1 >> map (\\w. reduce (+) 0 w / 9))
        def times (a b: n.m.f32): n.m.f32 =
          zip a b |> map (\\rows. zip (fst rows) (snd rows) |> map (\\p. fst p * snd p))
        def halved (image: (2*n + 1).(2*m + 1).f32): n.m.f32 =
          image |> slide 3 2 |> map (transpose >> map (reduce (+) 0) >> slide 3 2 >> map (reduce (+) 0))\n";
    fn mean3(image: &[f32], m: usize) -> Vec<f32> {
        let (n, wide) = (image.len() / (m + 2) - 2, m + 2);
        let mean =
            |y: usize, x: usize| (0..9).map(|i| image[(y + i / 3) * wide + x + i % 3]).sum::<f32>() / 9.0;
        (0..n * m).map(|i| mean(i / m, i % m)).collect()
    }
    fn times(a: &[f32], b: &[f32]) -> Vec<f32> {
        a.iter().zip(b).map(|(a, b)| a * b).collect()
    }
    fn separated(g: &Given) -> Vec<Expected> {
        let m = g.size("m");
        vec![Expected::Floats(mean3(&mean3(g.floats(0), m + 2), m))]
    }
    fn at_the_end(g: &Given) -> Vec<Expected> {
        let m = g.size("m");
        vec![Expected::Floats(times(&mean3(&mean3(g.floats(0), m + 2), m), g.floats(1)))]
    }
    fn in_the_middle(g: &Given) -> Vec<Expected> {
        let m = g.size("m");
        vec![Expected::Floats(mean3(&times(&mean3(g.floats(0), m + 2), g.floats(1)), m))]
    }
    fn two_results(g: &Given) -> Vec<Expected> {
        let mean = mean3(g.floats(0), g.size("m") + 2);
        let means = mean3(&mean, g.size("m"));
        let squares = times(&means, &means);
        vec![Expected::Floats(means), Expected::Floats(squares)]
    }
    fn of_planes(g: &Given) -> Vec<Expected> {
        let m = g.size("m");
        let planes = g.floats(0).chunks((g.size("n") + 4) * (m + 4));
        vec![Expected::Floats(planes.flat_map(|plane| mean3(&mean3(plane, m + 2), m)).collect())]
    }
    fn of_pixels(g: &Given) -> Vec<Expected> {
        let [Expected::Floats(planes)] = &of_planes(g)[..] else { return vec![] };
        let all = planes.len() / 3;
        vec![Expected::Floats((0..3 * all).map(|i| planes[i % 3 * all + i / 3]).collect())]
    }
    fn after_a_stride(g: &Given) -> Vec<Expected> {
        let (n, m) = (g.size("n"), g.size("m"));
        let fine = mean3(g.floats(0), 2 * m + 1);
        let sum = |y: usize, x: usize| {
            (0..9).map(|i| fine[(2 * y + i / 3) * (2 * m + 1) + 2 * x + i % 3]).sum::<f32>()
        };
        let halved: Vec<f32> = (0..n * m).map(|i| sum(i / m, i % m)).collect();
        vec![Expected::Floats(times(&halved, g.floats(1)))]
    }
    const SIZES: [&[(&str, i64)]; 2] = [&[("n", 7), ("m", 45)], &[("n", 1), ("m", 2)]];
    let of = |kernel, compute| Reference { kernel, sizes: SIZES, tolerance: 1e-6, compute };
    let programs = [
        (of("separated", separated), "(a: (n + 4).(m + 4).f32): n.m.f32 = a |> byHand |> byHand"),
        (
            of("atTheEnd", at_the_end),
            "(a: (n + 4).(m + 4).f32) (b: n.m.f32): n.m.f32 = times (a |> mean3 |> mean3) b",
        ),
        (
            of("inTheMiddle", in_the_middle),
            "(a: (n + 4).(m + 4).f32) (b: (n + 2).(m + 2).f32): n.m.f32 = times (mean3 a) b |> mean3",
        ),
        (
            of("twoResults", two_results),
            "(a: (n + 4).(m + 4).f32): (n.m.f32 * n.m.f32) =
              let s = mean3 a
              (byHand s, times (mean3 s) (mean3 s))",
        ),
        (of("ofPlanes", of_planes), "(a: 3.(n + 4).(m + 4).f32): 3.n.m.f32 = a |> map (mean3 >> mean3)"),
        (
            of("ofPixels", of_pixels),
            "(a: 3.(n + 4).(m + 4).f32): n.m.3.f32 = a |> map (mean3 >> mean3) |> transpose |> map transpose",
        ),
        (
            of("ofBatches", of_planes),
            "(a: 2.3.(n + 4).(m + 4).f32): 2.3.n.m.f32 = a |> map (map (mean3 >> mean3))",
        ),
        (
            of("afterAStride", after_a_stride),
            "(a: (2*n + 3).(2*m + 3).f32) (b: n.m.f32): n.m.f32 = times (a |> mean3 |> halved) b",
        ),
    ];
    let mut variants = vec![];
    for (reference, text) in &programs {
        let written = parse(&format!("{STAGES}def {} {text}", reference.kernel)).unwrap();
        for strategy in ["bufferedPipeline(4, 3)", "rotatedPipeline(4, 3, 8)"] {
            let program = strategies::apply_within(strategies::OF_PIPELINES, &written, strategy).unwrap();
            let shown =
                print::program(&program.name, &program.sizes, &program.term, &print::Options::default());
            // Lines are cut into strips, not planes, and those of both results are on vectors.
            for pattern in ["n div 3", "mapPar ", "asVector 4"] {
                assert!(shown.text.contains(pattern), "{strategy}: {pattern}\n{}", shown.text);
            }
            variants.push(Variant { reference, program, sizes: &SIZES });
        }
    }
    check_each(&variants);
}

/// Where no column of a window is reduced by itself nothing moves along, and the pipeline is as good as that without; pictures that
/// are put together are computed in strips each. The programs are nobody's.
#[test]
fn pipelines_without_columns_are_buffered_and_those_of_several_pictures_each() {
    const WORDS: &str = "
        def windows (a: (n + 2).(m + 2).s): n.m.3.3.s = a |> map (slide 3 1) |> slide 3 1 |> map transpose
        def each (f: s -> t) (a: n.m.s): n.m.t = a |> map (map f)
        def mid (a b c: f32): f32 = max (min a b) (min (max a b) c)
        def mid3 (r: 3.f32): f32 = mid (idx (natAsIndex 3 0) r) (idx (natAsIndex 3 1) r) (idx (natAsIndex 3 2) r)
        def mean (w: 3.3.f32): f32 = reduce (+) 0 (join w) / 9
        def weight (c x: f32): f32 = exp (neg 8 * (x - c) * (x - c))
        def by (w: 3.f32) (p: 3.u8): f32 = zip p w |> map (\\q. cast (fst q) * snd q) |> reduce (+) 0\n";
    let programs = [
        // The Laplacian of a Gaussian, a median, and a bilateral filter.
        (
            "(a: (n + 2).(m + 2).f32): n.m.f32 = windows a |> each (\\w.
              zip (join [[0, 1, 0], [1, -4, 1], [0, 1, 0]]) (join w) |> map (\\p. fst p * snd p) |> reduce (+) 0)",
            0,
        ),
        (
            "(a: (n + 2).(m + 2).f32): n.m.f32 = windows a |> each (\\w. let c = transpose w in
              mid (c |> map (reduce min 9) |> reduce max (-9)) (c |> map mid3 |> mid3)
                (c |> map (reduce max (-9)) |> reduce min 9))",
            0,
        ),
        (
            "(a: (n + 2).(m + 2).f32): n.m.f32 = windows a |> each (\\w.
              let here = w |> idx (natAsIndex 3 1) |> idx (natAsIndex 3 1) in
              (join w |> map (\\x. weight here x * x) |> reduce (+) 0) / (join w |> map (weight here) |> reduce (+) 0))",
            0,
        ),
        // Two colours of pixels, each blurred.
        (
            "(a: (n + 2).(m + 2).3.u8): 2.n.m.f32 =
              [a |> each (by [0.5, -0.25, 1]) |> windows |> each mean,
               a |> each (by [-0.5, 0.25, 2]) |> windows |> each mean]",
            2,
        ),
    ];
    let sizes = eval::sizes([("n", 7), ("m", 21)]);
    for (text, rotated) in programs {
        let written = parse(&format!("{WORDS}def p {text}")).unwrap();
        let inputs = inputs::for_program(&written.ty, &sizes, 5, inputs::Kind::SmallIntegers).unwrap();
        let expected = eval::run(&written.term, &sizes, &inputs, &Limits::TEST).unwrap();
        let of = |strategy| strategies::apply_within(strategies::OF_PIPELINES, &written, strategy).unwrap();
        let (buffered, moving) = (of("bufferedPipeline(4, 3)"), of("rotatedPipeline(4, 3, 8)"));
        assert_eq!(buffered.term == moving.term, rotated == 0, "{text}");
        for program in [buffered, moving] {
            let shown =
                print::program(&program.name, &program.sizes, &program.term, &print::Options::default()).text;
            for pattern in ["n div 3", "mapPar ", "asVector 4", "circularBuffer "] {
                assert!(shown.contains(pattern), "{pattern}\n{shown}");
            }
            let found = eval::run(&program.term, &sizes, &inputs, &Limits::TEST).unwrap();
            let close = Tolerance::Relative { relative: 1e-5, floor: 1e-5 };
            expected.agrees(&found, close).unwrap_or_else(|why| panic!("{text}: {why}"));
        }
    }
}

/// Windows that are reduced by any operator whose order does not matter are reduced column by column first, however that is
/// written, and columns move along in blocks.
#[test]
fn windows_are_reduced_column_by_column_by_any_operator() {
    const WINDOWS: &str = "
        def windows (a: (n + 4).(m + 2).s): n.m.5.3.s = a |> map (slide 3 1) |> slide 5 1 |> map transpose
        def each (f: s -> t) (a: n.m.s): n.m.t = a |> map (map f)
        ";
    fn reduced(g: &Given, op: impl Fn(f32, f32) -> f32, start: f32) -> Vec<f32> {
        let (n, m, a) = (g.size("n"), g.size("m"), g.floats(0));
        let window = |i: usize| (0..15).map(move |k| a[(i / m + k / 3) * (m + 2) + i % m + k % 3]);
        (0..n * m).map(|i| window(i).fold(start, &op)).collect()
    }
    fn greatest(g: &Given) -> Vec<Expected> {
        vec![Expected::Floats(reduced(g, f32::max, -0.5))]
    }
    fn least(g: &Given) -> Vec<Expected> {
        vec![Expected::Floats(reduced(g, f32::min, 0.5))]
    }
    fn least_of_all(g: &Given) -> Vec<Expected> {
        vec![Expected::Floats(reduced(g, f32::min, f32::INFINITY))]
    }
    fn sum(g: &Given) -> Vec<Expected> {
        vec![Expected::Floats(reduced(g, |a, b| a + b, 0.0))]
    }
    fn sum_of_squares(g: &Given) -> Vec<Expected> {
        vec![Expected::Floats(reduced(g, |a, b| a + b * b, 0.0))]
    }
    fn gradient(g: &Given) -> Vec<Expected> {
        let (high, low) = (reduced(g, f32::max, -0.5), reduced(g, f32::min, 0.5));
        vec![Expected::Floats(high.iter().zip(low).map(|(high, low)| high - low).collect())]
    }
    fn spread(g: &Given) -> Vec<Expected> {
        let (sums, squares) = (reduced(g, |a, b| a + b, 0.0), reduced(g, |a, b| a + b * b, 0.0));
        let of = |(sum, squares): (&f32, f32)| 15.0 * squares - sum * sum;
        vec![Expected::Floats(sums.iter().zip(squares).map(of).collect())]
    }
    const SIZES: [&[(&str, i64)]; 2] = [&[("n", 7), ("m", 45)], &[("n", 1), ("m", 2)]];
    let of = |compute| Reference { kernel: "reduced", sizes: SIZES, tolerance: 1e-5, compute };
    let programs: [(Reference, &str); 11] = [
        (of(greatest), "join w |> reduce max (-0.5)"),
        (of(least_of_all), "join w |> reduce min (w |> idx (natAsIndex 5 3) |> idx (natAsIndex 3 1))"),
        (of(greatest), "w |> map (reduce max (-0.5)) |> reduce max (-0.5)"),
        (of(greatest), "transpose w |> map (reduce max (-0.5)) |> reduce max (-0.5)"),
        (of(least), "join w |> reduce (\\x y. min x y) 0.5"),
        (of(least), "w |> map (\\r. reduce min 0.5 r) |> reduce min 0.5"),
        (of(sum), "w |> map (reduce (+) 0) |> reduce (+) 0"),
        (of(sum_of_squares), "join w |> map (\\x. x * x) |> reduce (+) 0"),
        (of(gradient), "(join w |> reduce max (-0.5)) - (join w |> reduce min 0.5)"),
        (
            of(spread),
            "let sum = join w |> reduce (+) 0
             15 * (join w |> map (\\x. x * x) |> reduce (+) 0) - sum * sum",
        ),
        (of(gradient), "(w |> map (reduce max (-0.5)) |> reduce max (-0.5)) - (join w |> reduce min 0.5)"),
    ];
    let mut variants = vec![];
    for (reference, text) in &programs {
        let written = format!(
            "{WINDOWS}def reduced (a: (n + 4).(m + 2).f32): n.m.f32 = windows a |> each (\\w. {text})"
        );
        let written = parse(&written).unwrap();
        let separated = "fuseOperators ; separateConvolutions";
        let program = strategies::apply_within(strategies::OF_PIPELINES, &written, separated).unwrap();
        let shown =
            print::program(&program.name, &program.sizes, &program.term, &print::Options::default()).text;
        // Of a window nothing is left but its column and its row.
        assert!(!shown.contains("join") && !shown.contains("map (slide"), "{text}\n{shown}");
        let rotated = "rotatedPipeline(4, 3, 8)";
        let program = strategies::apply_within(strategies::OF_PIPELINES, &written, rotated).unwrap();
        variants.push(Variant { reference, program, sizes: &SIZES });
    }
    check_each(&variants);
}

/// Functions of mathematics within lines on vectors are computed lane by lane where the C library can, to its last places.
#[test]
fn functions_of_mathematics_are_on_vectors() {
    fn bilateral(g: &Given) -> Vec<Expected> {
        let (n, m, a) = (g.size("n"), g.size("m"), g.floats(0));
        let at = |y: usize, x: usize| f64::from(a[y * (m + 2) + x]);
        let weight = |by: f64| (-8.0 * by * by).exp();
        let pixel = |y: usize, x: usize| {
            let window = || (0..9).map(move |k| at(y + k / 3, x + k % 3));
            let here = at(y + 1, x + 1);
            let all: f64 = window().map(|v| weight(v - here)).sum();
            window().map(|v| weight(v - here) * v).sum::<f64>() / all
        };
        vec![Expected::Floats((0..n * m).map(|i| pixel(i / m, i % m) as f32).collect())]
    }
    const SIZES: [&[(&str, i64)]; 2] = [&[("n", 7), ("m", 45)], &[("n", 1), ("m", 2)]];
    const TEXT: &str = "
        def weight (c x: f32): f32 = exp (neg 8 * (x - c) * (x - c))
        def bilateral (a: (n + 2).(m + 2).f32): n.m.f32 =
          a |> map (slide 3 1) |> slide 3 1 |> map transpose |> map (map (\\w.
            let here = w |> idx (natAsIndex 3 1) |> idx (natAsIndex 3 1)
            (join w |> map (\\x. weight here x * x) |> reduce (+) 0) /
              (join w |> map (weight here) |> reduce (+) 0)))
        ";
    let reference = Reference { kernel: "bilateral", sizes: SIZES, tolerance: 1e-5, compute: bilateral };
    let written = parse(TEXT).unwrap();
    let strategy = "bufferedPipeline(4, 3)";
    let program = strategies::apply_within(strategies::OF_PIPELINES, &written, strategy).unwrap();
    let module = compile(&default_lowering(&program).unwrap(), Target::C, None).unwrap().module;
    let code: String =
        module.kernels(shine_tui::emit::Language::C).map(|kernel| kernel.text.clone()).collect();
    let declared = "extern float expf(float) __attribute__((__simd__(\"notinbranch\")));\n";
    assert!(code.contains(declared) && code.contains("#pragma omp simd"), "{code}");
    check_each(&[Variant { reference: &reference, program, sizes: &SIZES }]);
}

/// Which of the strategies for pipelines apply to which program, as `rules/README.md` says.
#[test]
fn the_table_of_pipelines_is_true() {
    const STEPS: [&str; 8] = [
        "splitPipeline(4)",
        "separateConvolutions",
        "computeWith",
        "circularBufferStages",
        "vectorizeReductions(4)",
        "rotateValuesAndConsumeLines(4)",
        "usePrivateMemory",
        "unrollReductions",
    ];
    let (_, text) = include_str!("../rules/README.md").split_once("## Pipelines").unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 12);
    for row in rows {
        let kernel = row[0].trim_matches('`');
        let program = load(kernel);
        let fused = strategies::apply_within(strategies::OF_PIPELINES, &program, "fuseOperators").unwrap();
        let separated = strategies::apply_within(strategies::OF_PIPELINES, &fused, "separateConvolutions");
        let streams = "try(computeWith) ; circularBufferStages";
        let last =
            strategies::apply_within(strategies::OF_PIPELINES, separated.as_ref().unwrap_or(&fused), streams);
        for (step, says) in STEPS.iter().zip(&row[1..]) {
            let from = match *step {
                "rotateValuesAndConsumeLines(4)" | "usePrivateMemory" => last.as_ref(),
                _ => Some(&fused),
            };
            let before = |p: &Program| p.term.digest();
            let after =
                from.and_then(|p| Some((p, strategies::apply_within(strategies::OF_PIPELINES, p, step)?)));
            let applies = after.is_some_and(|(p, after)| before(p) != before(&after));
            assert_eq!(applies, *says == "yes", "{kernel}: {step}");
        }
    }
}

/// A program that computes what the reference does, and at which sizes it is compared.
struct Variant<'a> {
    reference: &'a Reference,
    program: Program,
    sizes: &'a [&'static [(&'static str, i64)]],
}

fn check_generated_c(devices: &Devices, variants: &[Variant]) {
    let (mut texts, mut calls) = (String::new(), String::new());
    let (mut params, mut given_all) = (vec![], vec![]);
    for (n, Variant { reference, program, sizes }) in variants.iter().enumerate() {
        let mut lowered = default_lowering(program).unwrap();
        lowered.name = format!("{}{n}", lowered.name).into();
        let kernel = compile(&lowered, Target::C, None).unwrap().into_kernel();
        let text = emit_common::on_threads(&kernel.text);
        // Helpers have the same names in every text.
        let helpers = text.lines().filter_map(|line| {
            let (head, _) = line.strip_prefix("static ")?.split_once('(')?;
            head.rsplit([' ', '*']).next()
        });
        let helpers: BTreeSet<&str> = helpers.chain(["allocate"]).collect();
        let defined = |helper: &&str| format!("#define {helper} {helper}_{}\n", kernel.name);
        texts += &helpers.iter().map(defined).collect::<String>();
        texts += &text;
        texts += &helpers.iter().map(|helper| format!("#undef {helper}\n")).collect::<String>();
        for pairs in *sizes {
            let sizes = eval::sizes(pairs.iter().copied());
            let (_, given) = inputs_of(program, &sizes);
            let first = params.len();
            params.extend(params_of(&kernel, &given));
            let names: Vec<String> = (first..params.len()).map(|i| format!("p{i}")).collect();
            calls += &format!("  {}({});\n", kernel.name, names.join(", "));
            given_all.push((*reference, pairs, given));
        }
    }
    let named = params.iter().enumerate().map(|(i, (ty, _))| format!("{ty} p{i}"));
    let head: Vec<String> = named.collect();
    let source = format!("{texts}void all({}) {{\n{calls}}}\n", head.join(", "));
    let params = params.into_iter().map(|(_, param)| param).collect();
    let mut request = device_common::request("cpu", &source, "all", params);
    request.float = FloatMode::Strict;
    let report = device_common::run(devices, &request).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut outputs = report.outputs.as_slice();
    for (reference, pairs, given) in given_all {
        let expected = (reference.compute)(&given);
        let (found, rest) = outputs.split_at(expected.len());
        outputs = rest;
        check(reference, &format!("{pairs:?}"), &expected, found);
    }
    assert!(outputs.is_empty());
}

/// The arguments of a kernel, with the C types of its parameters.
fn params_of(kernel: &Kernel, given: &Given) -> Vec<(&'static str, Param)> {
    let elem = |scalar| match scalar {
        Scalar::F32 => (Scalar::F32, "float*"),
        Scalar::I32 => (Scalar::I32, "int*"),
        other => panic!("{other:?}"),
    };
    let mut inputs = given.inputs.iter();
    let param = |p: &KernelParam| {
        let len = kernel.len(p, &|x| given.sizes.get(x).copied(), [1; 3]).unwrap();
        let (elem, ty) = elem(p.scalar);
        match &p.kind {
            ParamKind::Output(_) => (ty, Param::Output { elem, len }),
            ParamKind::Temp => (ty, Param::Temp { elem, len }),
            ParamKind::Local => (ty, Param::Local { bytes: elem.bytes() * len }),
            ParamKind::Size(x) => ("int", Param::Int(given.sizes[x])),
            ParamKind::Input(..) => match inputs.next().unwrap() {
                data if p.by_value => (ty.trim_end_matches('*'), Param::Scalar(data.get(0).unwrap())),
                data => (ty, Param::Input(data.clone())),
            },
        }
    };
    kernel.params.iter().map(param).collect()
}

#[test]
fn opencl_is_generated() {
    for reference in all() {
        let lowered = default_lowering(&load(reference.kernel)).unwrap();
        let kernel = compile(&lowered, Target::OpenCl, None)
            .unwrap_or_else(|d| panic!("{}: {d} {:?}", reference.kernel, d.notes))
            .into_kernel();
        assert!(kernel.text.contains(&format!("kernel void {}(", kernel.name)), "{}", kernel.text);
    }
}
