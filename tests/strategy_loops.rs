//! Tiling and reordering loops: the seven strategies of matrix multiplication (thesis 4.1.2, appendix B), and other
//! programs. The loops of the C that they lead to, and its results, for the sizes and tiles of the thesis, others, and
//! symbolic sizes.

use crate::device_common;
use crate::emit_common::simulator::{oclgrind, simulate};
use crate::emit_common::{batch, cases_of_program};
use shine_tui::device::{HostData, Param};
use shine_tui::emit::{ParamKind, compile};
use shine_tui::lang::diag::{FileId, Sources, Span};
use shine_tui::lang::eval::{self, Limits, inputs};
use shine_tui::lang::infer::{Program, program};
use shine_tui::lang::syntax::{parse_program, parse_strategy};
use shine_tui::lang::ty::Scalar;
use shine_tui::lower::Target;
use shine_tui::lower::default_lowering;
use shine_tui::rewrite::rule::RuleSet;
use shine_tui::rewrite::rule::load::Source;
use shine_tui::rewrite::strategy::{self, Cause, Control, Env, FUEL, NoSearch, Script, Stuck};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const RISE: &str = include_str!("../kernels/matmul/matmul.rise");
const ELEVATE: &str = include_str!("../kernels/matmul/matmul.elevate");

/// Sizes m, n, k, then rows x, columns y and products z of a tile, and the width v of vectors.
type Setting = [i64; 7];

const THESIS: Setting = [1024, 1024, 1024, 32, 32, 4, 32];
const OTHER: Setting = [96, 160, 224, 16, 8, 4, 8];
const SMALL: Setting = [20, 42, 15, 10, 6, 3, 2];

/// The strategies with their loops: `p` is a parallel loop, `s` a SIMD one, `.` a statement.
fn strategies([m, n, k, x, y, z, v]: Setting) -> [(String, String); 7] {
    let (mx, ny, kz) = (m / x, n / y, k / z);
    let block = |update: &str| format!("{mx}{{{ny}{{.{x}{{{y}{{.}}}}{kz}{{{update}}}{x}{{{y}{{.}}}}}}}}");
    let vector = if y == v { format!("s{y}{{.}}") } else { format!("{}{{s{v}{{.}}}}", y / v) };
    // An accumulator that fits vector registers is copied in and out, as in the thesis; a larger one is not.
    let whole = |sum: String| {
        let copied = format!("{x}{{{y}{{.}}}}");
        block(&if x * y * 4 <= 512 { format!(".{copied}{sum}{copied}") } else { sum })
    };
    let by_row = |sum: String| block(&format!("{x}{{.{y}{{.}}{sum}{y}{{.}}}}"));
    let permuted = by_row(format!("{z}{{{vector}}}"));
    // A row that is one vector is numbers in its loop, which nothing copies in and out.
    let unrolled = if y == v {
        block(&format!("{x}{{{vector}}}"))
    } else {
        by_row(vector.repeat(usize::try_from(z).unwrap()))
    };
    let packing = format!("p{ny}{{{k}{{{vector}}}}}");
    let packed = |loops: String| format!(".{packing}{loops}.");
    let tile = format!("({x}, {y}, {z})");
    let tile_and_vector = format!("({x}, {y}, {z}, {v})");
    let with = |name: &str, loops: String| (format!("{name}{tile_and_vector}"), loops);
    [
        ("baseline".into(), format!("{m}{{{n}{{.{k}{{.}}.}}}}")),
        (format!("blocking{tile}"), whole(format!("{z}{{{x}{{{y}{{.}}}}}}"))),
        with("vectorization", whole(format!("{z}{{{x}{{{vector}}}}}"))),
        with("loopPerm", permuted.clone()),
        with("arrayPacking", packed(permuted)),
        with("cacheBlocks", packed(unrolled.clone())),
        with("parallel", packed(format!("p{unrolled}"))),
    ]
}

fn read(text: &str) -> Program {
    let (file, problems) = parse_program(FileId::NOWHERE, text);
    assert!(problems.is_empty());
    program(&file, None).0.unwrap()
}

fn matmul() -> Program {
    read(RISE)
}

/// Matrix multiplication after each of the strategies, for small tiles, by its name.
pub fn after_each_strategy() -> impl Iterator<Item = (String, Program)> {
    strategies(OTHER).into_iter().map(|(strategy, _)| {
        let program = rewritten(&matmul(), &strategy);
        (strategy, program)
    })
}

fn rewritten(start: &Program, strategy: &str) -> Program {
    attempt(start, strategy).unwrap_or_else(|stuck| panic!("{strategy}: {stuck}"))
}

/// The program after a strategy, or why it did not get to its end.
fn attempt(start: &Program, strategy: &str) -> Result<Program, String> {
    ended(start, strategy).map_err(|(stuck, _)| stuck.to_string())
}

fn ended(start: &Program, strategy: &str) -> Result<Program, (Box<Stuck>, Sources)> {
    let mut sources = Sources::new();
    let (rules, _) = RuleSet::builtin(&mut sources);
    let (mut script, _) = Script::library(&mut sources);
    let problems = script.load(&mut sources, &[Source { label: "matmul.elevate", text: ELEVATE }], false);
    assert!(problems.is_empty(), "{}", problems[0].render(&sources));
    let (tree, problems) = parse_strategy(sources.add("typed", strategy), strategy);
    assert!(problems.is_empty());
    let env = Env { rules: &rules, sizes: &start.sizes, known: None };
    let mut search = NoSearch;
    let mut control = Control { cancel: &AtomicBool::new(false), fuel: FUEL, search: &mut search };
    let done = strategy::run(&tree, &start.term, &script, &env, &mut control);
    let done = done.map_err(|stuck| (stuck, sources))?;
    done.term.check().unwrap();
    Ok(start.with_term(done.term))
}

/// The loops of a program for these sizes, as [`strategies`] writes them, before threads share any out; and its code.
fn loops(program: &Program, sizes: &eval::Sizes) -> (String, String) {
    let compiled = compile(&default_lowering(program).unwrap(), Target::C, Some(sizes)).unwrap();
    let last = compiled.stages.iter().take_while(|s| s.name != "c").last().unwrap();
    let (mut out, mut kinds) = (String::new(), vec![]);
    for line in last.text().lines().map(str::trim) {
        if let Some((head, bound)) = line.strip_suffix(" {").and_then(|line| line.split_once(" < ")) {
            let prefix = match head.split_once(' ').unwrap().0 {
                "parFor" if !kinds.contains(&"p") => "p",
                "forLanes" => "s",
                _ => "",
            };
            out += &format!("{prefix}{}{{", bound.split(' ').next().unwrap());
            kinds.push(prefix);
        } else if line == "}" {
            out.push('}');
            kinds.pop();
        } else if !line.is_empty() && !out.ends_with('.') {
            out.push('.');
        }
    }
    (out, compiled.into_kernel().text)
}

/// Compiles for the sizes or for any, runs on `cpu`, compares with three plain loops.
fn check(program: &Program, [m, n, k, ..]: Setting, fixed: bool, label: &str) {
    let sizes = eval::sizes([("m", m), ("n", n), ("k", k)]);
    let kernel = compile(program, Target::C, fixed.then_some(&sizes)).unwrap().into_kernel();
    let cell = |i: i64, j: i64| ((i * 7 + j * 3) % 11 - 5) as f32;
    let fill = |rows: i64, columns: i64| {
        HostData::F32((0..rows * columns).map(|at| cell(at / columns, at % columns)).collect())
    };
    let mut matrices = [fill(m, k), fill(k, n)].into_iter();
    let params = kernel.params.iter().map(|p| match &p.kind {
        ParamKind::Output(_) => Param::Output { elem: Scalar::F32, len: (m * n) as usize },
        ParamKind::Input(..) => Param::Input(matrices.next().unwrap()),
        ParamKind::Size(x) => Param::Int(sizes[x]),
        other => panic!("{other:?}"),
    });
    let request = device_common::request("cpu", &kernel.text, &kernel.name, params.collect());
    let report = device_common::run(device_common::devices(), &request).unwrap();
    let expected = (0..m * n).map(|at| {
        let products = (0..k).map(|l| cell(at / n, l) * cell(l, at % n));
        products.sum::<f32>()
    });
    assert!(report.outputs == [HostData::F32(expected.collect())], "{label}\n{}", kernel.text);
}

#[test]
fn the_loops_are_those_of_the_thesis() {
    for setting in [THESIS, OTHER, SMALL] {
        let start = matmul();
        for (strategy, expected) in strategies(setting) {
            let done = rewritten(&start, &strategy);
            let sizes = eval::sizes([("m", setting[0]), ("n", setting[1]), ("k", setting[2])]);
            // Large temporaries are allocated and freed, small ones are not.
            let (found, c) = loops(&done, &sizes);
            let [found, expected] = [&found, &expected].map(|l| l.trim_matches('.'));
            assert_eq!(found, expected, "{strategy} at {setting:?}\n{c}");
        }
    }
}

#[test]
fn the_results_are_right_at_fixed_and_at_symbolic_sizes() {
    for (setting, fixed) in [(OTHER, true), (SMALL, false)] {
        for (strategy, _) in strategies(setting) {
            let done = default_lowering(&rewritten(&matmul(), &strategy)).unwrap();
            check(&done, setting, fixed, &format!("{strategy} at {setting:?}"));
        }
    }
}

/// A strategy for tiles that need not divide the sizes.
fn at_any_size(strategy: &str, [_, _, _, x, y, z, _]: Setting) -> String {
    format!("anySize({x}, {y}, {z}, {strategy})")
}

#[test]
fn sizes_that_tiles_divide_have_no_loops_of_rests() {
    for (strategy, expected) in strategies(OTHER) {
        let sizes = eval::sizes([("m", OTHER[0]), ("n", OTHER[1]), ("k", OTHER[2])]);
        let (found, c) = loops(&rewritten(&matmul(), &at_any_size(&strategy, OTHER)), &sizes);
        assert_eq!(found.trim_matches('.'), expected.trim_matches('.'), "{strategy}\n{c}");
    }
}

/// With rests of every dimension and of some; with no whole tile; with a row, a column or a product only.
#[test]
fn what_tiles_do_not_divide_has_loops_of_its_own() {
    let tiles = |[m, n, k]: [i64; 3]| [m, n, k, 4, 6, 3, 2];
    let sizes = [[9, 13, 7], [8, 13, 6], [3, 5, 2], [9, 6, 1], [1, 12, 7]];
    for (strategy, _) in strategies(tiles(sizes[0])) {
        let strategy = at_any_size(&strategy, tiles(sizes[0]));
        let done = default_lowering(&rewritten(&matmul(), &strategy)).unwrap();
        for (i, size) in sizes.into_iter().enumerate() {
            check(&done, tiles(size), i % 2 == 0, &format!("{strategy} at {size:?}"));
        }
        check(&done, tiles(sizes[0]), false, &strategy);
    }
    // Sizes that are numbers in the program: what is known to be empty has no loops.
    for size @ [m, n, k] in sizes.into_iter().chain([[8, 12, 6], [3, 4, 1], [13, 12, 2]]) {
        let text =
            RISE.replace("m.k.f32", &format!("{m}.{k}.f32")).replace("k.n.f32", &format!("{k}.{n}.f32"));
        let start = read(&text.replace("m.n.f32", &format!("{m}.{n}.f32")));
        let done = rewritten(&start, &at_any_size("blocking(4, 6, 3)", tiles(size)));
        check(&default_lowering(&done).unwrap(), tiles(size), false, &format!("{size:?}"));
    }
}

/// No access is out of bounds: each is checked, in C and in OpenCL.
#[test]
fn rests_stay_within_their_arrays() {
    let sizes: [&[(&str, i64)]; 2] = [&[("m", 9), ("n", 13), ("k", 7)], &[("m", 3), ("n", 6), ("k", 2)]];
    let of = |strategies: &[&str], target| {
        let mut number = 0;
        let mut cases = vec![];
        for strategy in strategies {
            let done = rewritten(&matmul(), &format!("anySize(4, 6, 3, {strategy})"));
            cases.extend(cases_of_program(&done, strategy, &sizes, target, &mut number));
        }
        cases
    };
    let mut cases = of(&["blocking(4, 6, 3)", "parallel(4, 6, 3, 2), inParallel"], Target::C);
    // Tiles in registers: all rests, only some, and no whole tile.
    let sizes: [&[(&str, i64)]; 3] =
        [&[("m", 7), ("n", 27), ("k", 5)], &[("m", 8), ("n", 16), ("k", 1)], &[("m", 1), ("n", 3), ("k", 2)]];
    let tiles = [
        "registerTiles(2, 16, 4, 4)",
        "registerTiles(2, 16, 4, 4, columnsInPlace)",
        "registerTilesByColumns(2, 16, 4, 4)",
    ];
    for (number, tiles) in tiles.into_iter().enumerate() {
        let strategy = format!("inLambda(DFNF ; {tiles})");
        let done = rewritten(&matmul(), &strategy);
        cases.extend(cases_of_program(&done, &strategy, &sizes, Target::C, &mut (1000 * (number + 1))));
    }
    let checked = ["-O0", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
    batch::check(&cases, &batch::run(&batch::unit(&cases), &checked));
    if oclgrind() {
        for case in of(&["loopPerm(4, 6, 3, 2)"], Target::OpenCl) {
            simulate(&case).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}

/// Where few steps are summed, rows of tiles are written in vectors, and with what is made of the sums.
#[test]
fn tiles_of_few_steps_are_written_with_what_is_made_of_them() {
    let sum = "(zip x y |> map (\\p. fst p * snd p) |> reduce (+) 0)";
    for (of, is_vector) in [(sum.to_owned(), true), (format!("max 0 ({sum} - 1)"), false)] {
        let program = read(&format!(
            "def f (a: (8*m).12.f32) (b: (8*n).12.f32): (8*m).(8*n).f32 = a |> map (\\x. b |> map (\\y. {of}))"
        ));
        let done = rewritten(&program, "inLambda(fusedStages ; pairsInTiles(2, 4, 4))");
        let sizes: [&[(&str, i64)]; 2] = [&[("m", 1), ("n", 2)], &[("m", 2), ("n", 1)]];
        let cases = sizes.iter().flat_map(|s| {
            cases_of_program(&done, "few", &[*s], Target::OpenCl, &mut 0).into_iter().map(|c| (*s, c))
        });
        for (sizes, mut case) in cases {
            let text = &case.kernel.text;
            // Nothing is kept for a kernel that would make more of it.
            assert!(text.matches("\nkernel ").count() == 1 && text.contains("local "), "{text}");
            assert!(!is_vector || text.contains("(global float4*)output"), "{text}");
            case.global = [sizes[1].1, sizes[0].1, 1].map(|n| 2 * n as u64);
            case.global[2] = 1;
            if oclgrind() {
                simulate(&case).unwrap_or_else(|why| panic!("{why}"));
            }
        }
    }
}

/// Matrices of reductions are computed in tiles in registers by `auto`, wherever they stand and whatever is made of them.
#[test]
fn matrices_of_auto_are_right() {
    let dot = |x: &str, y: &str| format!("(zip {x} {y} |> map (\\p. fst p * snd p) |> reduce (+) 0)");
    let (rows, transposed) = (dot("r", "c"), "a |> map (\\r. transpose b |> map (\\c.");
    let programs = [
        // Columns that lie one behind the other.
        "def f (a: m.k.f32) (b: n.k.f32): m.n.f32 =
           a |> map (\\r. b |> map (\\c. zip r c |> map (\\p. abs (fst p - snd p)) |> reduce max 0))"
            .to_owned(),
        // What is made of the sums, by what else there is of rows and columns.
        format!("def f (a: m.k.f32) (b: k.n.f32): m.n.f32 = {transposed} max 0 ({rows} - 1)))"),
        format!(
            "def f (a: m.k.f32) (b: n.k.f32) (x: m.f32) (y: n.f32): m.n.f32 =
               zip a x |> map (\\r. zip b y |> map (\\c. {} * snd r + snd c))",
            dot("(fst r)", "(fst c)")
        ),
        format!(
            "def f (a: m.k.f32) (b: n.k.f32): m.n.f32 =
               a |> map (\\r. let s = b |> map (\\c. {rows}) in let t = reduce max 0 s in s |> map (\\x. x - t))"
        ),
        // One behind the other, and one for each element.
        format!(
            "def f (a: m.k.f32) (b: k.n.f32) (d: n.k.f32): m.k.f32 =
               {transposed} {rows})) |> map (\\r. transpose d |> map (\\c. {rows}))"
        ),
        format!(
            "def f (a: 3.m.k.f32) (b: 3.n.k.f32): 3.m.n.f32 =
               zip a b |> map (\\p. fst p |> map (\\r. snd p |> map (\\c. {rows})))"
        ),
    ];
    let sizes: [&[(&str, i64)]; 2] = [&[("m", 31), ("n", 27), ("k", 5)], &[("m", 6), ("n", 8), ("k", 1)]];
    let mut cases = vec![];
    for (number, text) in programs.iter().enumerate() {
        let done = rewritten(&read(text), "inLambda(fusedStages ; onThreads(id))");
        let of_program = cases_of_program(&done, text, &sizes, Target::C, &mut (1000 * number));
        // Six rows by sixteen columns are summed at once, where there are so many.
        assert!(of_program.iter().any(|case| case.kernel.text.contains("[96];")), "{text}");
        cases.extend(of_program);
    }
    let checked = ["-O0", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
    batch::check(&cases, &batch::run(&batch::unit(&cases), &checked));
}

/// A tile for each work-item, and work-items that have none.
#[test]
fn tiles_of_work_items_are_right() {
    let done = rewritten(&matmul(), "workItems(4, 6, 2, 4, 4)");
    let text = compile(&default_lowering(&done).unwrap(), Target::OpenCl, None).unwrap().into_kernel().text;
    assert!(text.contains("get_global_id(1)") && text.contains("vload2"), "{text}");
    if oclgrind() {
        let sizes: [&[(&str, i64)]; 1] = [&[("m", 8), ("n", 36), ("k", 5)]];
        for mut case in cases_of_program(&done, "workItems", &sizes, Target::OpenCl, &mut 0) {
            case.global = [8, 4, 1];
            simulate(&case).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}

/// Tiles of groups in local memory: whole ones, and those that stand out; whole chunks of steps, what they leave over, and
/// none. Where both arrays lie, which operands come first and what is made of them is all the same.
#[test]
fn tiles_of_groups_are_right() {
    let pairs = |rows: &str, columns: &str, of: &str| {
        read(&format!(
            "def f (a: m.k.f32) (b: {columns}): m.n.f32 = a |> map (\\x. {rows} |> map (\\y. {of}))"
        ))
    };
    let programs = [
        matmul(),
        pairs("b", "n.k.f32", "zip x y |> map (\\p. fst p * snd p) |> reduce (+) 0"),
        pairs("transpose b", "k.n.f32", "zip y (map abs x) |> map (\\p. fst p - snd p) |> reduce max 0"),
    ];
    let sizes: [&[(&str, i64)]; 3] =
        [&[("m", 9), ("n", 5), ("k", 7)], &[("m", 8), ("n", 4), ("k", 6)], &[("m", 1), ("n", 2), ("k", 2)]];
    let small = programs.iter().zip(&sizes).map(|(program, sizes)| (program, *sizes, 2, 3, false));
    // Columns of a work-item in blocks apart; vectors that are written across.
    let sizes: [&[(&str, i64)]; 3] = [
        &[("m", 19), ("n", 33), ("k", 12)],
        &[("m", 16), ("n", 16), ("k", 9)],
        &[("m", 1), ("n", 2), ("k", 8)],
    ];
    let large = programs.iter().zip(&sizes).map(|(program, sizes)| (program, *sizes, 8, 4, false));
    // Of which there are two chunks for certain, so that the next one is read ahead.
    let steps = |columns: &str, rows: &str| {
        read(&format!(
            "def f (a: m.(4*k+4).f32) (b: {columns}.f32): m.n.f32 = a |> map (\\x. {rows} |> map (\\y. zip x y |> map (\\p. fst p * snd p) |> reduce (+) 0))"
        ))
    };
    let ahead = [steps("(4*k+4).n", "transpose b"), steps("n.(4*k+4)", "b")];
    // Columns in whole tiles: Oclgrind takes a vector that is made of numbers for one without values.
    let sizes: [&[(&str, i64)]; 2] = [&[("m", 9), ("n", 32), ("k", 3)], &[("m", 16), ("n", 21), ("k", 1)]];
    let ahead =
        ahead.iter().zip(&sizes).flat_map(|(p, sizes)| [(p, *sizes, 8, 4, true), (p, *sizes, 2, 4, true)]);
    for (program, sizes, keep, depth, is_ahead) in small.chain(large).chain(ahead) {
        let done = rewritten(program, &format!("inLambda(fusedStages ; pairsInTiles(2, {keep}, {depth}))"));
        for mut case in cases_of_program(&done, "tiles", &[sizes], Target::OpenCl, &mut 0) {
            let text = &case.kernel.text;
            // Of less than a chunk there are no tiles; accumulators are in registers.
            assert!(text.contains("local ") || sizes[2].1 < depth, "{text}");
            // Each step of a reduction has the same tiles in local memory, however few steps there are.
            let tiles = text.lines().filter(|l| l.trim_start().starts_with("local ")).count();
            assert!(tiles <= 4, "{text}");
            // What is read ahead are vectors that are a work-item's own.
            assert!(text.contains("float4 t") || !is_ahead, "{text}");
            let arrays = |l: &&str| l.trim_start().starts_with("float t") && l.contains('[');
            // What a work-item keeps of an array on the way is a vector.
            assert!(text.lines().filter(arrays).all(|l| depth == 4 && l.ends_with("[4];")), "{text}");
            case.global = [sizes[1].1, sizes[0].1, 4].map(|n| 2 * (n as u64).div_ceil(2 * keep));
            case.global[2] = 1;
            if oclgrind() {
                simulate(&case).unwrap_or_else(|why| panic!("{why}"));
            }
        }
    }
}

/// Stencils one behind the other in one kernel: what a stage hands on stays with its work-item, whole lines are read and
/// written in vectors, where they are whole vectors.
#[test]
fn stages_of_a_pipeline_are_one_kernel_that_stores_nothing_between_them() {
    let harris = include_str!("../kernels/harris/harris.rise");
    let blurs = include_str!("../kernels/twoBlurs/twoBlurs.rise");
    let jacobi = include_str!("../kernels/jacobi4/jacobi4.rise");
    let of_tiles = |text: &str, border: i64| {
        let input = format!("(n + {border}).(m + {border}).f32): n.m.f32 =");
        let (start, last) = text.rsplit_once(&input).unwrap();
        read(&format!(
            "{start}(4*n + {}).(4*m + {}).f32): (4*n + 4).(4*m + 4).f32 ={last}",
            border + 4,
            border + 4
        ))
    };
    let programs = [of_tiles(harris, 4), of_tiles(blurs, 4), of_tiles(jacobi, 8)];
    let sizes: [&[(&str, i64)]; 2] = [&[("n", 1), ("m", 2)], &[("n", 1), ("m", 1)]];
    // What Harris subtracts is nearly equal in some pictures, of which the difference is mostly what was rounded.
    let sizes = [&sizes[..1], &sizes[..], &sizes[..]];
    for (program, sizes) in programs.iter().zip(sizes) {
        for (columns, in_vectors) in [(4, true), (2, false)] {
            let strategy = format!("inLambda(fusedStages ; stagesOnItems(4, {columns}, 3))");
            let done = rewritten(program, &strategy);
            let kernel =
                compile(&default_lowering(&done).unwrap(), Target::OpenCl, None).unwrap().into_kernel();
            let writes =
                kernel.text.lines().filter(|l| l.trim_start().starts_with("((global float4*)output)"));
            assert_eq!(writes.count(), usize::from(in_vectors), "{}", kernel.text);
            assert!(!kernel.text.contains("local float"), "{}", kernel.text);
            for mut case in cases_of_program(&done, "stages", sizes, Target::OpenCl, &mut 0) {
                case.global = [128, 2, 1];
                if oclgrind() {
                    simulate(&case).unwrap_or_else(|why| panic!("{why}"));
                }
            }
        }
    }
}

/// The code of the seven strategies at the sizes of the thesis, as reviewed. `BLESS=1` writes what is there now.
#[test]
fn the_code_of_the_strategies_is_as_reviewed() {
    let sizes = eval::sizes([("m", 1024), ("n", 1024), ("k", 1024)]);
    let code = |strategy: &str| {
        let lowered = default_lowering(&rewritten(&matmul(), strategy)).unwrap();
        let kernel = compile(&lowered, Target::C, Some(&sizes)).unwrap().into_kernel();
        kernel.text
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/lower/strategies");
    for (strategy, _) in strategies(THESIS) {
        let name = strategy.split('(').next().unwrap();
        let (file, text) = (folder.join(format!("{name}.c")), code(&strategy));
        assert_eq!(text, code(&strategy), "{name}: the text differs from run to run");
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let reviewed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(reviewed == text, "{} differs from\n{text}", file.display());
    }
}

#[test]
fn left_out_arguments_are_the_tiles_of_the_thesis() {
    let start = matmul();
    for (strategy, _) in strategies(THESIS) {
        let name = strategy.split('(').next().unwrap();
        assert_eq!(rewritten(&start, name).term, rewritten(&start, &strategy).term, "{name}");
    }
}

/// The loops of a program after a strategy, which must not change what it computes.
fn loops_after(start: &Program, strategy: &str, sizes: &[(&str, i64)]) -> String {
    let done = rewritten(start, strategy);
    let sizes = eval::sizes(sizes.iter().copied());
    let inputs = inputs::for_program(&start.ty, &sizes, 3, inputs::Kind::SmallIntegers).unwrap();
    let value = |p: &Program| eval::run(&p.term, &sizes, &inputs, &Limits::TEST).unwrap();
    assert_eq!(value(start), value(&done), "{strategy}");
    loops(&done, &sizes).0
}

#[test]
fn any_order_of_the_loops_of_matmul_can_be_asked_for() {
    let start = matmul();
    let sizes = [("m", 3), ("n", 4), ("k", 5)];
    let orders = [
        ("[1, 2, 3]", "3{4{.5{.}.}}"),
        ("[1, 3, 2]", "3{.4{.}5{4{.}}4{.}}"),
        ("[2, 1, 3]", "4{3{.5{.}.}}"),
        ("[2, 3, 1]", "4{.3{.}5{3{.}}3{.}}"),
        ("[3, 1, 2]", ".3{4{.}}5{3{4{.}}}3{4{.}}"),
        ("[3, 2, 1]", ".3{4{.}}5{4{3{.}}}3{4{.}}"),
        // What is left out stays inside.
        ("[2]", "4{3{.5{.}.}}"),
    ];
    for (order, expected) in orders {
        assert_eq!(loops_after(&start, &format!("baseline ; reorder({order})"), &sizes), expected, "{order}");
    }
    // Reductions that are left open, and those of which more is computed.
    let sum = "(w |> map (\\x. x * x) |> reduce (+) 0)";
    for body in ["reduce (+) 0 w", "2 * reduce (+) 0 w", "reduce (+) 0 w / 3", &format!("{sum} / 3")] {
        let start = read(&format!("def rs (a: m.n.f32): m.f32 = a |> map (\\w. {body})"));
        let loops = loops_after(&start, "reorder([2, 1])", &sizes[..2]);
        assert!(loops.contains("4{3{"), "{body}: {loops}");
    }
}

#[test]
fn an_order_that_is_none_is_refused() {
    for (strategy, why) in [
        // Two reductions do not change places.
        ("blocked(2, 2, 2) ;; reorder([6, 5])", "the last loop of this nest is number 5"),
        ("baseline ; reorder([1, 1, 2])", "one comes twice"),
        ("baseline ; reorder([2, 3, 2])", "one comes twice"),
        ("baseline ; reorder([0, 1])", "counts from 1"),
        ("baseline ; reorder([4, 1])", "the last loop of this nest is number 3"),
        ("baseline ; reorder([2, m])", "An order is a list of numbers, and `m` is none"),
        ("reorder([[1], 2])", "and `[1]` is none"),
        ("reorder([1, mapFusion])", "and `mapFusion` is none"),
    ] {
        let stuck = attempt(&matmul(), strategy).map(|done| done.term).unwrap_err();
        assert!(stuck.contains(why), "{strategy}: {stuck}");
    }
}

#[test]
fn a_failure_tells_its_cause_and_the_users_call() {
    let gemv = read(include_str!("../kernels/gemv/gemv.rise"));
    let jacobi = read(include_str!("../kernels/jacobi2d/jacobi2d.rise"));
    let wrong = [
        (
            "vectorization(32, 32, 4, 3)",
            "`vectorizeAfter(3)` does not apply: 3 does not divide 32",
            "vectorize(v)",
        ),
        (
            "parallel(32, 32, 4, 5)",
            "`vectorizeAfter(5)` does not apply: 5 does not divide 32",
            "vectorize(v)",
        ),
        ("blocking(32, 0, 4)", "0 is no size of a tile", "tile(x, y)"),
        ("blocking(32, 32, 0)", "its argument p is 0, and sizes count from 1", "blockedReduce(z)"),
        ("vectorization(32, 32, 4, 0)", "0 is no length of a vector", "vectorize(v)"),
        ("reorder([5, 1])", "the last loop of this nest is number 3", "reorder([5, 1])"),
        ("reorder([1, 2, 3, 4])", "the last loop of this nest is number 3", "reorder([1, 2, 3, 4])"),
        ("baseline ; reorder([2, 1, 5])", "the last loop of this nest is number 3", "reorder([2, 1, 5])"),
        ("interchange(3)", "no loop starts here", "interchange(3)"),
        ("inLambda(interchange(3))", "the last loop of this nest is number 3", "interchange(3)"),
        ("tile(4, 0)", "0 is no size of a tile: sizes count from 1", "tile(4, 0)"),
        ("tile(4, 0) @ outermost(mapNest(2))", "0 is no size of a tile", "tile(4, 0)"),
        ("tile(4, 4)", "a tile needs a map for each of [4, 4]", "tile(4, 4)"),
        ("DFNF ; interchange(9) @ topDown", "the last loop of this nest is number 3", "interchange(9)"),
        ("DFNF ; topDown(atLevel(7, id))", "the last loop of this nest is number 3", "atLevel(7, id)"),
        ("interchange(0) @ topDown", "loops are counted from 1", "interchange(0)"),
        ("moveOutwards(0)", "loops are counted from 1, and here is 0", "moveOutwards(0)"),
        ("id ; repeatN(1 - 2, id)", "-1 is no number of times", "repeatN(1 - 2, id)"),
        ("id ; fail ; id", "`fail` fails", "fail"),
        ("id ; not(isLambda)", "`not(isLambda)` fails, as `isLambda` can be applied", "not(isLambda)"),
        ("reorder(3)", "`reorder` takes a list, and `3` stands in its place", "reorder(3)"),
        (
            "tileList(4) @ outermost(mapNest(2))",
            "`tileList` takes a list, and `4` stands in its place",
            "tileList(4)",
        ),
        ("onThreads", "`onThreads` takes 1 to 4 arguments and is given none", "onThreads"),
        ("tile(4)", "`tile` takes 2 arguments and is given 1", "tile(4)"),
        // What failed behind a test that held is nearer than where the test failed.
        ("topDown(isFullyAppliedReduce ; splitJoin(5))", "`splitJoin(5)` does not apply", "splitJoin(5)"),
        ("topDown(useMapSeq) @ outermost(isReduce)", "`useMapSeq` does not apply", "useMapSeq"),
        ("id @ outermost(mapNest(9))", "a nest of 9 maps is not here", "mapNest(9)"),
        ("topDown(id ; splitJoin(0)) <+ topDown(fstReduction)", "its argument p is 0", "splitJoin(0)"),
    ];
    let start = matmul();
    let small = (&gemv, &jacobi);
    let wrong = wrong.iter().map(|case| (&start, *case)).chain([
        (small.0, ("reorder([2, 1])", "these loops cannot be exchanged", "reorder([2, 1])")),
        (small.1, ("reorder([1, 5])", "the last loop of this nest is number 2", "reorder([1, 5])")),
    ]);
    for (start, (strategy, cause, call)) in wrong {
        let (stuck, sources) = ended(start, strategy).map(|done| done.term).unwrap_err();
        assert!(stuck.to_string().contains(cause), "{strategy}: {stuck}");
        let text = |span: Span| {
            sources.get(span.file).unwrap().text[span.start as usize..span.end as usize].to_owned()
        };
        assert_eq!(text(stuck.calls[0]), call, "{strategy}: {stuck}");
        // From the call to what was typed.
        let typed = *stuck.calls.last().unwrap();
        assert_eq!(
            (&*sources.get(typed.file).unwrap().name, strategy.contains(&text(typed))),
            ("typed", true)
        );
    }
}

#[test]
fn a_strategy_says_in_words_why_it_failed() {
    let fails = |text: &str| attempt(&matmul(), text).map(|done| done.term).unwrap_err();
    for (strategy, why) in [
        ("baseline ;; unrolled(3)", "no `reduceSeq` here has a number of elements that 3 is known to divide"),
        ("baseline ;; unrolled(0)", "0 is no length of chunks"),
        ("chunks(4)", "there is no `reduceSeq` here"),
    ] {
        assert!(fails(strategy).starts_with(why), "{strategy}: {}", fails(strategy));
    }
    let gemv = read(include_str!("../kernels/gemv/gemv.rise"));
    let stuck = attempt(&gemv, "blocking").map(|done| done.term).unwrap_err();
    assert!(stuck.starts_with("there are no two nested maps here"), "{stuck}");
    // Of places that come equally far the first is told, and that there were others.
    let squares = read("def f (a: n.f32): n.f32 = a |> map (\\x. x * x)");
    let sum = read("def f (a: n.f32): f32 = a |> reduce (+) 0");
    for (start, strategy, why, others) in [
        (&gemv, "tile(4, 4) @ outermost(mapNest(2))", "a nest of 2 maps is not here", true),
        (&gemv, "mapNest(2)", "a nest of 2 maps is not here", false),
        (&squares, "try(topDown(useReduceSeq)) ; mapNest(2)", "a nest of 2 maps is not here", false),
        (&squares, "topDown(pairsInNarrowTiles)", "pairs are those of two nested maps", true),
        (&squares, "topDown(reduceLanes(4))", "there is no `reduce` here", true),
        (&sum, "reduceLanes(4)", "there is no `reduce` here", false),
        (&squares, "topDown(atLevel(7, id))", "the last loop of this nest is number 1, and 6 more", true),
        (&squares, "topDown(inBins(64, id))", "no number is asked for here", true),
        (&sum, "topDown(inBins(64, id))", "there is no map here", true),
        (&sum, "reductionsPaired(64)", "this is a function", false),
        (&sum, "topDown(reductionsPaired(64))", "there are no two reductions here", true),
    ] {
        let (stuck, _) = ended(start, strategy).map(|done| done.term).unwrap_err();
        assert!(stuck.to_string().starts_with(why), "{strategy}: {stuck}");
        assert_eq!(stuck.elsewhere, others, "{strategy}: {stuck}");
        // What a rule was to be tried on by a question of the library is nobody's who asked for pairs.
        assert!(
            !strategy.contains("Paired") || matches!(stuck.cause, Cause::Told { adds: false, .. }),
            "{strategy}"
        );
    }
    // What is in braces is the value of a parameter; what is none stays.
    assert!(fails("let p = 3 in fail else \"{p} of {q}\"").starts_with("3 of {q}"));
    // The innermost message is the nearest one.
    assert!(fails("(fail else \"inner\") else \"outer\"").starts_with("inner"));
    assert!(fails("topDown(fail else \"no\")").starts_with("no"));
    for (wrong, hint) in [
        ("topDown(isMapp)", "Did you mean `isMap`?"),
        ("topDown(isRedcue)", "Did you mean `isReduce`?"),
        ("onThreads", "Write `onThreads(marked)`; `part`, `block`, `lanes` have values of their own."),
        ("id @ outermost", "Write `outermost(p, s)`, or `s @ outermost(p)`"),
        ("topDown(blockedReduceSeq(private, 5))", "Write `blockedReduceSeq(p)`"),
        ("reorder(3)", "`[3]`"),
        ("auto(fast)", "`auto(opencl)`"),
    ] {
        let (stuck, _) = ended(&matmul(), wrong).map(|done| done.term).unwrap_err();
        let Cause::Invalid(problem) = &stuck.cause else { panic!("{wrong}: {stuck}") };
        let told = [problem.hints.join(" "), problem.notes.join(" ")].concat();
        assert!(told.contains(hint), "{wrong}: {problem:?}");
    }
    // A failure that is caught says nothing.
    assert!(attempt(&matmul(), "(fail else \"no\") <+ id").is_ok());
    assert!(attempt(&matmul(), "1 < 2 else \"no\" ; m > 0 ; 2 == 2 ; 3 >= 3 ; 3 <= 4").is_ok());
    assert!(fails("2 > 3").starts_with("`2 > 3` does not apply: 2 > 3 does not hold"));
}

#[test]
fn stencils_are_tiled() {
    let start = read(
        "def jacobi (a: (h + 2).(w + 2).f32): h.w.f32 =
           a |> map (slide 3 1) |> slide 3 1 |> map transpose
             |> map (map (\\nbh. join nbh |> reduce (+) 0))",
    );
    let found = loops_after(&start, "tile(4, 2) @ outermost(mapNest(2))", &[("h", 8), ("w", 6)]);
    assert_eq!(found, "2{3{4{2{.3{3{.}}.}}}}");
    let found =
        loops_after(&start, "(tile(4, 2) @ outermost(mapNest(2))) ;; reorder([2, 1])", &[("h", 8), ("w", 6)]);
    assert_eq!(found, "3{2{4{2{.3{3{.}}.}}}}");
}

#[test]
fn three_loops_of_a_batch_are_tiled() {
    let start = read(
        "def dot (a b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
         def batched {b: nat} (xs: b.m.k.f32) (ys: b.k.n.f32): b.m.n.f32 =
           zip xs ys |> map (\\p. fst p |> map (\\row. transpose (snd p) |> map (\\col. dot row col)))",
    );
    let sizes = [("b", 4), ("m", 6), ("n", 10), ("k", 3)];
    let tiled = "DFNF ; (fuseReduceMap @ topDown) ; (tileList([2, 3, 5]) @ outermost(mapNest(3)))";
    assert_eq!(loops_after(&start, tiled, &sizes), "2{2{2{2{3{5{.3{.}.}}}}}}");
    let reordered = "DFNF ; (fuseReduceMap @ topDown) ; reorder([1, 4, 2, 3])";
    assert_eq!(loops_after(&start, reordered, &sizes), "4{.6{10{.}}3{6{10{.}}}6{10{.}}}");
}

/// Applied to what it made, `auto` changes nothing: neither what sizes decide, nor what threads copy or compute.
#[test]
fn auto_leaves_what_it_made_as_it_is() {
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels")).unwrap();
    let mut programs: Vec<(String, String)> = folders
        .map(|folder| {
            let name = folder.unwrap().file_name().into_string().unwrap();
            let file = format!("{}/kernels/{name}/{name}.rise", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(file).unwrap();
            (name, text)
        })
        .collect();
    programs.sort();
    let others = [
        // Choices within other values, in a pair, and beside a shared one.
        "def f (a b: n.f32) (c: m.f32): f32 =
           sqrt (zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0) + (c |> reduce (+) 0)",
        "def f (a: n.f32) (b: m.f32): (f32 * f32) = (reduce (+) 0 a, reduce (+) 0 b)",
        "def f (a: n.f32) (b: m.n.f32): m.f32 =
           let s = a |> reduce (+) 0 in b |> map (\\r. s + (r |> reduce (+) 0))",
        // Rows that threads share out already.
        "def f (a: m.n.f32): m.f32 = a |> mapPar (\\r. r |> reduce (+) 0)",
        // What is put together, and what running results are taken of, before other loops read it.
        "def f (a: (n + 2).f32): (n + 2).f32 =
           concat (drop (n + 1) a) (concat a (take 1 a)) |> slide 3 1 |> map (reduce (+) 0)",
        "def f (a: n.m.f32): n.f32 = a |> map (reduce (+) 0) |> scanSeq (\\x s. max (0.5 * s) x) 0",
    ];
    programs.extend(others.map(|text| (text.to_owned(), text.to_owned())));
    for (name, text) in programs {
        let once = rewritten(&read(&text), "auto");
        let twice = rewritten(&once, "auto");
        assert_eq!(once.term.digest(), twice.term.digest(), "{name}");
    }
}

#[test]
fn auto_makes_loops_that_compute_nothing_twice_for_long() {
    let sizes = [("n", 8), ("m", 7)];
    let programs = [
        // Windows of many elements read what is computed once.
        (
            "def f (a: (n + 30).f32): n.f32 = a |> map (\\x. x * x) |> slide 31 1 |> map (reduce (+) 0)",
            ".p38{.}p8{.s2{.}15{s2{.}}.2{.}.}",
        ),
        // So do small windows where that takes long, but not where it is little work.
        (
            "def f (a: (n + 2).f32): n.f32 = a |> map exp |> slide 3 1 |> map (reduce (+) 0)",
            ".p10{.}p8{.3{.}.}",
        ),
        (
            "def f (a: (n + 2).f32): n.f32 = a |> map (\\x. x * x) |> slide 3 1 |> map (reduce (+) 0)",
            "p8{.3{.}.}",
        ),
        // What a reduction reads is stored once, each part on threads, and not for each part of the reduction.
        (
            "def f (a: n.f32) (b: m.f32): f32 = concat (map exp a) (map sin b) |> reduce (+) 0",
            ".p8{.}p7{.}.p3{.s2{.}2{s2{.}}.2{.}.}.3{.}.3{.}.",
        ),
        // Little work is not worth threads, and what is scattered is in its place.
        ("def f (a: 9.f32): 9.f32 = map (\\x. x + 1) a", "9{.}"),
        ("def f (i: n.idx[n]) (a: n.f32): n.f32 = scatter i (map (\\x. x + 1) a)", "p8{.}"),
        // A row is reduced where the result is used, on threads, and the greatest is found in lanes from any start.
        (
            "def f (a: n.m.f32): n.m.f32 =
               zip a (map (reduce max 0) a) |> map (\\p. fst p |> map (\\x. x - snd p))",
            "p8{.s2{.}3{s2{.}}.2{.}.7{.}}",
        ),
        // Lanes for reductions without a name for their rows.
        ("def f (a: n.m.f32): n.f32 = map (reduce (+) 0) a", "p8{.s2{.}3{s2{.}}.2{.}.}"),
        // Sums of small windows are not stored, and whole numbers are left to the compiler.
        (
            "def f (a: (n + 1).f32) (b: n.f32): n.f32 =
               zip (a |> slide 2 1 |> map (reduce (+) 0)) b |> map (\\p. fst p * snd p)",
            "p8{.2{.}.}",
        ),
        ("def f (a: n.m.i32): n.i32 = map (reduce (+) 0) a", "p8{.7{.}.}"),
        // Sums along the first or second dimension take what lies side by side, whatever is transposed on the way. Long
        // windows are added up side by side, too. Those of a few numbers take lanes for each.
        (
            "def f (a: n.m.4.f32): m.4.f32 = a |> transpose |> map (transpose >> map (reduce (+) 0))",
            "p7{.16{4{.}}.4{.}16{4{.}}4{.}8{4{.}}4{.}}",
        ),
        (
            "def f (a: (n + 30).f32): n.f32 = a |> slide 31 1 |> map (reduce (+) 0)",
            "p2{.3{.}31{s3{.}}3{.}}.2{.}31{2{.}}2{.}",
        ),
        // What is made of pairs part by part is reduced on threads.
        (
            "def f (a: n.f32): (f32 * f32) =
               a |> map (\\x. (x, x)) |> reduce (\\(a, b) (c, d). (a + c, max b d)) (0, 0)",
            ".p2{.3{.}.}.2{.}.",
        ),
        // Several reductions of rows go through memory together, whatever is made of them and wherever they are named.
        (
            "def f (a b: n.m.f32): n.f32 =
               zip a b |> map (\\r. let s = reduce (+) 0 (fst r) in s / reduce max 0 (snd r) + (fst r |> map (\\x. x * x) |> reduce (+) 0))",
            "p8{.s2{.}s2{.}s2{.}3{s2{.}s2{.}s2{.}}.2{.}.}",
        ),
        ("def f (a: n.m.i32): n.(i32 * i32) = a |> map (\\r. (reduce max 0 r, reduce (+) 0 r))", "p8{.7{.}.}"),
        // But not those of other lengths, which are computed once if no row changes them, and not where one side of a choice
        // alone takes them.
        (
            "def f (a: n.m.i32) (b: n.i32): n.i32 = a |> map (\\r. reduce (+) 0 r * reduce max 0 b)",
            ".p2{.4{.}.}.2{.}.p8{.7{.}.}",
        ),
        (
            "def f (a: n.m.i32) (b: n.i32): n.i32 =
               zip a b |> map (\\p. select (snd p < 0) (reduce (+) 0 (fst p)) (reduce max 0 (fst p)))",
            "p8{.0i32{.7{.}.7{.}.}.}",
        ),
        // Values of rows that are summed with them are computed where each row is read, in blocks of rows.
        (
            "def f (a: n.m.i32) (x: m.i32): m.i32 =
               let r = a |> map (\\v. zip v x |> map (\\p. fst p * snd p) |> reduce (+) 0) in
               transpose a |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0)",
            ".p2{.7{.}3{.7{.}7{.}}7{.}}.p2{.3{.}2{s3{.}}3{.}}.2{.}.2{.7{.}7{.}}7{.}",
        ),
        // But not values that are needed besides.
        (
            "def f (a: n.m.i32): (m.i32 * n.i32) =
               let r = a |> map (reduce max 0) in
               (transpose a |> map (\\c. zip c r |> map (\\p. fst p * snd p) |> reduce (+) 0), r)",
            ".p8{.7{.}.}p2{.3{.}8{s3{.}}3{.}}.8{.}.p8{.}",
        ),
        // What is in order in memory across rows only is taken by blocks of rows, in tiles.
        ("def f (a: 40.33.f32): 33.40.f32 = transpose a", "p2{2{16{s16{.}}}16{8{.}}}40{.}"),
        // The first step reads what there is, and the last one writes the result.
        (
            "def f (a: 5000.f32): 5000.f32 = a |> iterate 5 (map (\\x. x * 2 + 1))",
            ".p5000{.}.p5000{.}p5000{.}.p5000{.}p5000{.}",
        ),
        // Columns side by side, also where a name hides that they are, and inside of another map.
        (
            "def f (a: 8.m.f32): m.m.f32 =
               let t = transpose a
               t |> map (\\r. t |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))",
            "p2{7{.3{.}8{s3{.}}3{.}}}p2{.3{.}8{s3{.}}3{.}}.8{.}.",
        ),
        // Where more is summed there are tiles of six rows; of too few columns for vectors these, and what is left, are as above.
        (
            "def f (a: n.m.f32): m.m.f32 =
               let t = transpose a
               t |> map (\\r. t |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))",
            "p2{7{.3{.}8{s3{.}}3{.}}}p2{.3{.}8{s3{.}}3{.}}.8{.}.",
        ),
        // Columns side by side where more is made of each sum, which is stored for that.
        (
            "def f (a: n.m.f32) (y: m.f32): m.f32 =
               zip (transpose a) y |> map (\\p. snd p + reduce (+) 0 (fst p) / 7)",
            "p2{.3{.}8{s3{.}}3{.}}.8{.}.",
        ),
        // What does not lie side by side is not taken by lanes, whatever its name says.
        ("def f (a: n.2.f32): 2.f32 = transpose a |> map (\\c. reduce (+) 0 c / 7)", "p2{.8{.}.}"),
    ];
    let found = programs
        .map(|(text, _)| loops_after(&read(text), "inLambda(fusedStages ; onThreads(id, 4, 3, 2))", &sizes));
    assert_eq!(found, programs.map(|(_, expected)| expected));
}
