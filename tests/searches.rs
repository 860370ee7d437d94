//! Searches from the command line: sketches and sets with parameters, sizes that are left open, what is left out, costs.

use crate::cli_common::{Ran, run};
use shine_tui::lang::path::Path as Position;
use shine_tui::session::files::{Places, read};
use shine_tui::session::jobs::Control;
use shine_tui::session::searching::{Replayed, Shelf};
use shine_tui::session::state::Progress;
use shine_tui::session::workspace::Workspace;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

fn matmul() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/matmul/matmul.rise")
}

/// Runs a strategy on a program that has these definitions beside it.
fn apply(program: &str, rules: &str, elevate: &str, strategy: &str) -> Ran {
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), program).unwrap();
    std::fs::write(world.path().join("p.rules"), rules).unwrap();
    std::fs::write(world.path().join("p.elevate"), elevate).unwrap();
    run(world.path(), &["apply", "p.rise", "--strategy", strategy])
}

const SCALE: &str = "def scale (a: (64*n).f32): (64*n).f32 = a |> map sqrt";

#[test]
fn the_searches_of_matmul_take_tiles() {
    let world = tempfile::tempdir().unwrap();
    let program = matmul();
    let of = |strategy: &str| run(world.path(), &["apply", program.to_str().unwrap(), "-s", strategy]);
    let packed = of("searchParallel(16, 8, 2, 4)");
    assert_eq!(packed.code, 0, "{}", packed.err);
    for part in ["split 16 a", "split 8", "split 2", "asVector 4", "mapPar", "reduceSeqUnroll", "toMem"] {
        assert!(packed.out.contains(part), "{part}: {}", packed.out);
    }
    assert!(packed.out.contains("16 divides m, 8 divides n, 2 divides k"), "{}", packed.out);
}

#[test]
fn sets_have_parameters_in_both_languages() {
    let rules = "rules halves(p) = { splitJoin(p), splitJoin(2*p) }\nrules both(p = 4, q = 2) = { halves(p), halves(q) }";
    let elevate = "rules mine(p, q = 8) = { both(p, q), useMapSeq }\n\
                   strategy blocks(p, most) = reach containsMap(p, ?) using mine(p) with (nodes: 10 * most)\n\
                   strategy never(most) = reach contains(gather) using mine(4) with (nodes: 10 * most)";
    let of = |strategy: &str| apply(SCALE, rules, elevate, strategy);
    for (strategy, shown) in [
        ("reach contains(split 4) using both", "split 4"),
        ("reach contains(split 2) using both", "split 2"),
        ("reach contains(split 32) using both(16)", "split 32"),
        ("reach contains(split 16) using mine(4)", "split 16"),
        ("blocks(16, 1000)", "split"),
    ] {
        let ran = of(strategy);
        assert!(ran.code == 0 && ran.out.contains(shown), "{strategy}: {}{}", ran.out, ran.err);
    }
    let ran = of("never(3)");
    assert!(ran.err.contains("nodes, of 30 allowed"), "{}", ran.err);
    for (strategy, wrong) in [
        ("reach contains(split 3) using halves", "E0210"),
        ("reach contains(split 3) using mine(1, 2, 3)", "E0210"),
        ("reach contains(split 3) using both(w)", "E0220"),
    ] {
        let ran = of(strategy);
        assert!(ran.err.contains(wrong), "{strategy}: {}", ran.err);
    }
    let ran = apply(SCALE, "rules wrong(p) = { splitJion(p) }", "", "id");
    assert!(ran.err.contains("splitJion") && ran.err.contains("E0209"), "{}", ran.err);
}

/// Nor by a strategy: a rule that is right from some size on applies where the sizes are known to be that large.
#[test]
fn a_condition_that_nothing_would_remember_is_not_assumed() {
    let rules = "rule longAsIs = (xs : n.t) ~> select (4 <= n) xs (reverse xs) where 4 <= n\n\
                 rule evenAsIs = (xs : (2*n).f32) ~> map (\\x. x) xs\n\
                 rule inFours = map f (xs : n.t) ~> join (map (map f) (split 4 xs)) where 4 divides n";
    let ways = [
        ("topDown(longAsIs)", "reach contains(reverse) using {longAsIs}", ["n", "2*n"], ["n + 3", "8*n"]),
        (
            "topDown(evenAsIs)",
            "reach contains(map (\\x. x)) using {evenAsIs}",
            ["n", "n + 2"],
            ["2*n", "8*n + 6"],
        ),
    ];
    let of =
        |size: &str, way: &str| apply(&format!("def f (a: ({size}).f32) = a |> map sqrt"), rules, "", way);
    for (strategy, search, unknown, known) in ways {
        for size in unknown {
            let ran = of(size, strategy);
            assert!(ran.code == 1 && ran.err.contains("nothing says that"), "{strategy} {size}: {}", ran.err);
            assert_eq!(of(size, search).code, 1, "{search} {size}");
        }
        for size in known {
            assert_eq!((of(size, strategy).code, of(size, search).code), (0, 0), "{strategy} {size}");
        }
    }
    // What the result asks for is remembered.
    for way in ["topDown(inFours)", "reach contains(split 4) using {inFours}"] {
        let ran = of("n", way);
        assert!(ran.code == 0 && ran.out.contains("where 4 divides n"), "{way}: {}{}", ran.out, ran.err);
    }
}

/// `\v acc. v + acc` is `(+)`, and among the programs that equal it there are deeper and deeper ones.
#[test]
fn a_search_ends_where_all_that_is_left_is_deeper() {
    let program = r"def f (x: n.f32): n.f32 = scanSeq (\v acc. v + acc) 0 x";
    let ran = apply(program, "", "", "reach containsReduce(n, ?) using {useReduceSeq}");
    assert!(ran.err.contains("these rules have nothing more to say after"), "{}", ran.err);
    assert!(ran.err.contains("this search is incomplete"), "{}", ran.err);
}

/// A class that does not depend on a variable has members that mention it, where the variable is of another type.
#[test]
fn members_that_mean_nothing_under_a_binder_are_not_put_there() {
    let program = "def total (a: n.m.f32): f32 = a |> map (reduce (+) 0) |> reduce (+) 0";
    let ran = apply(
        program,
        "",
        "",
        "reach containsReduceSeq(m, containsReduceSeq(n, ?)) using {mapSharedFission, mapOutsideZip2, mapFusion, \
         etaAbstraction, liftReduceFrom, useReduceSeq} with (nodes: 60000)",
    );
    assert!(ran.err.contains("nodes, of 60000 allowed"), "{}", ran.err);
}

/// What only rules make that take an address space, or a size which the sketch does not name.
#[test]
fn a_search_of_its_own_rules_chooses_where_things_are_kept() {
    let blur = r"def f (a: (n+2).f32): n.f32 = a |> map (\v. v * 2) |> slide 3 1 |> map (reduce (+) 0)";
    let sums = r"def f (a: n.m.f32): n.f32 = a |> map (map (\v. v * v) >> reduce (+) 0)";
    for (program, sketch, made) in [
        (blur, "rotateValues", "rotateValues 3"),
        (blur, "circularBuffer", "circularBuffer 3 3"),
        (blur, "circularBuffer global 3 3", "circularBuffer global 3 3"),
        (blur, "toMem local", "toMem local"),
        (sums, "reduceLocal", "reduceLocal"),
    ] {
        let ran = apply(program, "", "", &format!("reach contains({sketch})"));
        assert!(ran.code == 0 && ran.out.contains(made), "{sketch}: {}{}", ran.out, ran.err);
        assert!(!ran.err.contains("no rule"), "{sketch}: {}", ran.err);
    }
}

#[test]
fn sizes_can_be_left_open_and_patterns_left_out() {
    let of = |strategy: &str| apply(SCALE, "", "", strategy);
    let ran = of("reach containsMap(64*n/?t, containsMap(?t, ?)) using { splitJoin(16) }");
    assert!(ran.code == 0 && ran.out.contains("split 16"), "{}{}", ran.out, ran.err);
    let ran = of("reach containsMap(4*?t, containsMap(?t, ?)) using { splitJoin(16) } with (iterations: 3)");
    assert_eq!(ran.code, 1, "{}", ran.out);
    for (condition, code) in [
        ("?t >= 8", 0),
        ("?t % 4 == 0 and ?t < 17", 0),
        ("?t > 16", 1),
        ("?t % 3 == 0", 1),
        ("2 * ?t == 32", 0),
        ("not (?t < 16)", 0),
        ("not (?t <= 16)", 1),
    ] {
        let ran = of(&format!(
            "reach containsMap(64*n/?t, containsMap(?t, ?)) and {condition} using {{ splitJoin(16), splitJoin(2) }} with (iterations: 1)"
        ));
        assert_eq!(ran.code, code, "{condition}: {}{}", ran.out, ran.err);
        assert!(code == 1 || ran.out.contains("split 16"), "{condition}: {}", ran.out);
    }
    let ran = of("reach contains(mapSeq) and not contains(map) using { useMapSeq, splitJoin(16) }");
    assert!(ran.code == 0 && !ran.out.contains("map "), "{}{}", ran.out, ran.err);
}

#[test]
fn the_cost_decides_among_what_satisfies_a_sketch() {
    let elevate = "strategy dearPar = [mapPar(50), mapSeq(2)]
        strategy dear(w) = reach not contains(map) using { useMapSeq, useMapPar } with (cost: [mapSeq(w)])";
    let of = |cost: &str| {
        let strategy = format!("reach not contains(map) using {{ useMapSeq, useMapPar }} with ({cost})");
        apply(SCALE, "", elevate, &strategy)
    };
    for (cost, shown) in [
        ("cost: [mapSeq(50)]", "mapPar"),
        ("cost: dearPar", "mapSeq"),
        ("cost: [mapPar(3), mapSeq(4)]", "mapPar"),
    ] {
        let ran = of(cost);
        assert!(ran.code == 0 && ran.out.contains(shown), "{cost}: {}{}", ran.out, ran.err);
    }
    assert!(of("cost: cheap").err.contains("E0412"));
    assert!(of("cost: [mapPra(3)]").err.contains("Did you mean `mapPar`?"));
    // A parameter stands for a weight.
    let ran = apply(SCALE, "", elevate, "dear(50)");
    assert!(ran.code == 0 && ran.out.contains("mapPar"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_search_tells_the_best_programs_and_the_way_there() {
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), SCALE).unwrap();
    let search = "reach contains(mapSeq) and not contains(map) using { splitJoin(16), splitJoin(4), useMapSeq, useMapPar } with (iterations: 3)";
    let ran = run(world.path(), &["search", "p.rise", search, "--best", "5", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let best = found[0]["best"].as_array().unwrap();
    assert_eq!(best.len(), 5, "{}", ran.out);
    let weights: Vec<u64> = best.iter().map(|b| b["weight"].as_u64().unwrap()).collect();
    assert!(weights.is_sorted());
    let digests: std::collections::HashSet<&str> =
        best.iter().map(|b| b["digest"].as_str().unwrap()).collect();
    assert_eq!(digests.len(), 5);
    for b in best {
        let program = b["program"].as_str().unwrap();
        assert!(program.contains("mapSeq") && !program.contains("map "), "{program}");
    }
    // The way as a strategy makes the same program, without a search.
    let told = run(world.path(), &["search", "p.rise", search, "--elevate"]);
    assert_eq!(told.code, 0, "{}", told.err);
    std::fs::write(world.path().join("p.elevate"), &told.out).unwrap();
    assert!(!told.out.contains("reach"), "{}", told.out);
    let name = told.out.split_once("strategy ").unwrap().1.split_whitespace().next().unwrap();
    let [by_strategy, by_search] = [name, search].map(|s| {
        let ran = run(world.path(), &["apply", "p.rise", "-s", s, "--json"]);
        assert_eq!(ran.code, 0, "{}\n{}", told.out, ran.err);
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["digest"].clone()
    });
    assert_eq!(by_strategy, by_search);
}

/// The digest of what a strategy makes of a program.
fn made(world: &Path, program: &str, strategy: &str) -> serde_json::Value {
    let ran = run(world, &["apply", program, "-s", strategy, "--json"]);
    assert_eq!(ran.code, 0, "{strategy}: {}", ran.err);
    serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["digest"].clone()
}

/// Writes what a strategy with searches found as a strategy, and runs that beside the definitions that there are.
fn replays(world: &Path, strategy: &str, definitions: &str) -> String {
    let told = run(world, &["search", "p.rise", strategy, "--elevate"]);
    assert_eq!(told.code, 0, "{strategy}: {}", told.err);
    assert!(!told.out.contains("reach"), "{}", told.out);
    let found = made(world, "p.rise", strategy);
    std::fs::write(world.join("p.elevate"), format!("{definitions}\n{}", told.out)).unwrap();
    let last = told.out.rsplit_once("strategy ").unwrap().1.split_whitespace().next().unwrap();
    assert_eq!(made(world, "p.rise", last), found, "{strategy}: {}", told.out);
    std::fs::write(world.join("p.elevate"), definitions).unwrap();
    told.out
}

/// Of the goals of the thesis, those whose ways turn back most, and some that no file mentions.
#[test]
fn ways_that_turn_back_are_written_by_a_shorter_one() {
    let world = tempfile::tempdir().unwrap();
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let program = |name: &str| {
        let text = std::fs::read_to_string(kernels.join(name).join(format!("{name}.rise"))).unwrap();
        std::fs::write(world.path().join("p.rise"), text).unwrap();
    };
    program("matmul");
    let own = std::fs::read_to_string(kernels.join("matmul/matmul.elevate")).unwrap();
    std::fs::write(world.path().join("p.elevate"), &own).unwrap();
    for goal in ["searchBlocking", "searchVectorization(7, 9, 3, 3)", "searchParallel"] {
        let told = replays(world.path(), goal, &own);
        assert!(told.lines().count() < 100, "{goal}: {told}");
    }
    std::fs::remove_file(world.path().join("p.elevate")).unwrap();
    program("nBody");
    replays(world.path(), "reach containsMapPar(n/9, containsMapSeq(9, containsReduceSeq(n, ?)))", "");
    // What a last step leaves of views is told by a detour, from right to left.
    let sum = "def at (i: nat) (xs: n.t): t = xs |> idx (natAsIndex n i)
def f (a: (n+2).f32): n.f32 = slide 3 1 a |> map (\\w. 0.2 * (at 0 w + at 1 w + at 2 w))";
    std::fs::write(world.path().join("p.rise"), sum).unwrap();
    let told = replays(world.path(), "reach containsMap(n/16, contains(((? + ?) : <16>f32)))", "");
    assert!(!told.contains("rightToLeft"), "{told}");
    // What is found is not in normal form.
    program("scal");
    replays(world.path(), "reach containsMapPar(n/12, containsMapSeq(3, contains(((? * ?) : <4>f32))))", "");
}

/// Rules that match only what is not in normal form: an operator with its arrays, a function that does nothing but apply
/// another, and what is shared, once for all that read it.
#[test]
fn ways_whose_programs_are_not_in_normal_form_are_written() {
    let world = tempfile::tempdir().unwrap();
    let rows = "def f (a: m.n.f32) (x: n.f32): m.f32 =
  a |> map (\\r. zip r x |> map (\\q. fst q * snd q) |> reduce (+) 0)";
    let normed = "def f (a: m.k.f32) (b: n.k.f32): m.n.f32 =
  a |> map (\\r. b |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0)) |> map (\\s.
    let t = reduce (+) 0 s in s |> map (\\x. x / t))";
    let read_twice = "def f (q: n.d.f32) (k: m.d.f32): n.m.f32 = q |> map (\\r.
  let s = k |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0) in
  let t = s |> map exp |> reduce (+) 0 in s |> map (\\x. exp x / t))";
    for (program, search) in [
        (rows, "containsMapPar(m, containsReduceSeq(n/8, contains(asVector)))"),
        (
            rows,
            "containsMap(4, contains(reduceSeq)) using {splitJoinNest(1, 4), reduceInParts(4), mapSharedFission, mapFission, blockedReduce(4)}",
        ),
        (
            normed,
            "contains(join (contains(mapPar))) using {liftReduce, reduceMapFusion, rowsAsOne, sinkReduce, useMapPar}",
        ),
        (
            read_twice,
            "containsMap(4, contains(reduceSeq)) using {splitBeforeMap, reduceInParts(4), blockedReduce(4)} with (iterations: 4, normal: none)",
        ),
    ] {
        std::fs::write(world.path().join("p.rise"), program).unwrap();
        replays(world.path(), &format!("reach {search}"), "");
    }
}

/// Vectors of a length that no list has, sums in lanes, and pairs of vectors, without rules and guides.
#[test]
fn a_search_of_its_own_rules_finds_lanes_of_any_length() {
    let world = tempfile::tempdir().unwrap();
    let dot = "def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0";
    let axpy = "def f (al: f32) (x: n.f32) (y: n.f32): n.f32 = zip x y |> map (\\p. al * fst p + snd p)";
    let rows = "def f (a: m.n.f32): m.f32 = a |> map (\\row. row |> map (\\x. x * x) |> reduce (+) 0)";
    for (program, goal) in [
        (dot, "containsReduceSeq(k/5, containsAddMulVec)"),
        (dot, "containsReduceSeq(k/32, containsReduceSeq(4, containsAddMulVec))"),
        (axpy, "containsMapPar(n/24, containsMap(4.(<6>f32 * <6>f32), ?))"),
        (rows, "containsMapPar(m, contains((reduceSeq : ? -> ? -> (n/4).<4>f32 -> ?)))"),
    ] {
        std::fs::write(world.path().join("p.rise"), program).unwrap();
        let ran = run(world.path(), &["search", "p.rise", &format!("reach {goal}")]);
        assert_eq!(ran.code, 0, "{goal}: {}", ran.err);
    }
}

#[test]
fn a_way_with_rewrites_between_searches_is_written_and_replays() {
    let world = tempfile::tempdir().unwrap();
    let program = "def scale (a: (64*n).f32): (64*n).f32 = a |> map abs |> map sqrt";
    std::fs::write(world.path().join("p.rise"), program).unwrap();
    let split = "reach contains(split 16) using { splitJoin(16) }";
    let lower = "reach not contains(map) using { useMapSeq }";
    let told = replays(world.path(), &format!("{split} ; topDown(splitJoin(4)) ; {lower}"), "");
    assert!(told.contains("strategy rewrites =") && told.contains("topDown(splitJoin(4))"), "{told}");
    // Before the first search, and where a search is made on a part.
    replays(world.path(), &format!("topDown(mapFusion) ; body({split}) ; DFNF ; {lower}"), "");
    // A search that came to nothing, and one whose result was taken back, are no part of the way.
    let none = "reach contains(gather) using { splitJoin(16) } with (iterations: 1)";
    let told =
        replays(world.path(), &format!("({lower} ; fail <+ {none} <+ {split}) ; topDown(splitJoin(4))"), "");
    assert!(!told.contains("useMapSeq"), "{told}");
}

#[test]
fn the_ways_of_matmul_are_written_and_replay() {
    let world = tempfile::tempdir().unwrap();
    let folder = matmul();
    let definitions = std::fs::read_to_string(folder.with_extension("elevate")).unwrap();
    std::fs::copy(&folder, world.path().join("p.rise")).unwrap();
    std::fs::write(world.path().join("p.elevate"), &definitions).unwrap();
    let all =
        ["Baseline", "Blocking", "Vectorization", "LoopPerm", "ArrayPacking", "CacheBlocks", "Parallel"];
    let which =
        if std::env::var("SEARCHES").is_ok_and(|which| which == "all") { &all[..] } else { &all[3..4] };
    for search in which {
        let told = replays(world.path(), &format!("search{search}"), &definitions);
        // Where rules lead on from left to right, none is read backwards.
        assert!(!told.contains("rightToLeft"), "{told}");
    }
    if which.len() > 1 {
        replays(world.path(), "searchParallel(16, 8, 2, 4)", &definitions);
    }
}

/// The searches of a strategy as JSON, and the end of what was written.
fn examined(program: &str, elevate: &str, strategy: &str, code: i32) -> (Vec<serde_json::Value>, String) {
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), program).unwrap();
    std::fs::write(world.path().join("p.elevate"), elevate).unwrap();
    let ran = run(world.path(), &["search", "p.rise", strategy, "--json"]);
    assert_eq!(ran.code, code, "{strategy}: {}", ran.err);
    (serde_json::from_str(&ran.out).unwrap(), ran.err)
}

fn kernel(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(name);
    std::fs::read_to_string(folder.join(format!("{name}.rise"))).unwrap()
}

/// Loops of programs that no set of rules was made for, in tiles that no file mentions, reordered, vectorised, in parallel.
#[test]
fn searches_make_their_guides_and_choose_their_rules() {
    let elevate = "
        sketch tiled(a: nat, b: nat) = containsMap(s, containsMap(m/a, containsMap(n/b, containsReduceSeq(k,
          containsMap(a, containsMap(b, containsAddMul))))))
        sketch short(a: nat, b: nat, c: nat) = containsMap(s, containsMap(m/a, containsMap(n/b, containsReduceSeq(k/c,
          containsMap(a, containsMap(b, contains((*))))))))
        sketch grid(a: nat, b: nat) = containsMapPar(n/a, containsMap(m/b, containsMap(a, containsMap(b, contains((*))))))
        sketch rows(a: nat, b: nat) = containsMapPar(m/a, containsMap(a, containsReduceSeq(n/b, containsReduceSeq(b, containsAddMul))))
        sketch open = containsMapPar(m/?t, containsMap(?t, containsReduceSeq(n/?u, containsReduceSeq(?u, containsAddMul))))";
    for (name, goal, least) in [
        ("batchedMatmul", "tiled(6, 10)", 5),
        // The chunks of what is summed are not named.
        ("batchedMatmul", "short(9, 21, 7)", 6),
        ("jacobi2d", "grid(3, 7)", 4),
        ("gemv", "rows(12, 5)", 4),
        ("gemv", "open", 4),
    ] {
        let (searches, _) = examined(&kernel(name), elevate, &format!("reach {goal}"), 0);
        assert!(searches.len() >= least, "{name}: {searches:#?}");
        for search in &searches {
            assert!(search["found"] == true && search["guide"].is_string(), "{name}: {search}");
            assert!(search["steps"].is_u64(), "{name}: {search}");
        }
        // Of a goal with holes it is said how they were filled.
        let last = searches.last().unwrap()["sketch"].as_str().unwrap();
        assert!(
            last == goal || goal == "open" && last.contains("m/32") && !last.contains("?t"),
            "{name}: {last}"
        );
    }
}

/// The goal is found by guides, each in a small graph.
fn leads_by_small_graphs(program: &str, goal: &str) {
    let (searches, _) = examined(program, "", &format!("reach {goal}"), 0);
    assert!(searches.iter().all(|s| s["found"] == true), "{goal}: {searches:#?}");
    let most = searches.iter().filter_map(|s| s["nodes"].as_u64()).max();
    assert!(most.is_some_and(|nodes| nodes <= 100_000), "{goal}: {most:?} nodes");
}

/// Vectors in sums are those of a loop around it, lanes of its own, or of each of several sums side by side; the loops of what is
/// summed up are those of the sum once it takes them up, and loops that a goal does not name are within those that it does. Vectors of
/// pairs are made before their loop is split. Each is found by few rules, so the graphs stay small.
#[test]
fn guides_lead_to_vectors_in_sums() {
    let rows = "def rows (a: m.n.f32) (x: n.f32): m.f32 =
        a |> map (\\row. zip row x |> map (\\p. fst p * snd p) |> reduce (+) 0)";
    let all = "def all (a: m.n.f32): f32 = a |> map (\\row. row |> map (\\x. x * x) |> reduce (+) 0) |> reduce (+) 0";
    let both = "def both (a: n.f32): n.(f32 * f32) = a |> map (\\x. (x + 1, x * x))";
    let blur = "def blur (w: 3.3.f32) (x: (n+2).(m+2).f32): n.m.f32 =
        x |> map (slide 3 1) |> slide 3 1 |> map transpose
          |> map (map (\\nb. zip (join w) (join nb) |> map (\\p. fst p * snd p) |> reduce (+) 0))";
    let tensors = "def tensors (a: p.q.r.f32) (b: s.q.r.f32): p.s.f32 =
        a |> map (\\x. b |> map (\\y. zip x y |> map (\\z. zip (fst z) (snd z) |> map (\\v. fst v * snd v)
          |> reduce (+) 0) |> reduce (+) 0))";
    let line = "def line (a b: n.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0";
    for (text, goal) in [
        (rows, "containsMap(m/4, containsReduceSeq(n, contains(((*) : <4>f32 -> ?))))"),
        (rows, "containsMapPar(m/24, containsMap(3, containsReduceSeq(n, contains(((*) : <8>f32 -> ?)))))"),
        (rows, "containsMap(m, containsReduceSeq(n/8, contains(((*) : <8>f32 -> ?))))"),
        (all, "containsReduceSeq(m, containsReduceSeq(n/8, contains(((*) : <8>f32 -> ?))))"),
        (all, "containsMapPar(m/10, containsReduceSeq(10, containsReduceSeq(n, ?)))"),
        (both, "containsMapPar(n/24, containsMapSeq(3, contains(((*) : <8>f32 -> ?))))"),
        (blur, "containsMapPar(n, containsMap(m/4, contains(((*) : <4>f32 -> ?))))"),
        (
            tensors,
            "containsMapPar(p, containsMap(s/8, containsReduceSeq(q, containsReduceSeq(r, containsAddMulVec))))",
        ),
        (line, "containsReduceSeq(n/28, containsReduceSeq(7, contains(((*) : <4>f32 -> ?))))"),
        (line, "containsMapPar(n/96, containsReduceSeq(12, contains(((*) : <8>f32 -> ?))))"),
    ] {
        leads_by_small_graphs(text, goal);
    }
}

/// Two maps change places by rules that know nothing of what else the program computes, as a stage before them. What is computed beside a
/// sum is set apart from it before the sum's loop is put outside of others, and windows in three dimensions are
/// split although they are deeper than searches take arrays to be.
#[test]
fn guides_lead_past_what_stands_in_the_way() {
    let onto = "def onto (s t: f32) (a: m.k.f32) (b: k.n.f32) (c: m.n.f32): m.n.f32 =
        zip a c |> map (\\p. zip (transpose b) (snd p) |> map (\\q.
          s * (zip (fst p) (fst q) |> map (\\r. fst r * snd r) |> reduce (+) 0) + t * snd q))";
    let cube = "def cube (g: (l+2).(n+2).(m+2).f32): l.n.m.f32 =
        g |> map (map (slide 3 1)) |> map (slide 3 1) |> map (map transpose) |> slide 3 1 |> map transpose |> map (map transpose)
          |> map (map (map (\\c. c |> map (\\p. p |> map (\\x. reduce (+) 0 x) |> reduce (+) 0) |> reduce (+) 0)))";
    let tensors = "def tensors (a: p.q.r.f32) (b: s.q.r.f32): p.s.f32 =
        a |> map (\\x. b |> map (\\y. zip x y |> map (\\z. zip (fst z) (snd z) |> map (\\v. fst v * snd v)
          |> reduce (+) 0) |> reduce (+) 0))";
    let sigmoid = "def sigmoid (x: m.k.f32) (w: n.k.f32): m.n.f32 =
        x |> map (\\r. w |> map (\\p. 1 / (1 + exp (0 - (zip r p |> map (\\q. fst q * snd q) |> reduce (+) 0)))))";
    let permuted =
        "def permuted (a: i.j.k.f32): k.j.i.f32 = a |> map transpose |> transpose |> map transpose";
    let complex = "def complex (a b: n.(f32 * f32)): n.(f32 * f32) = zip a b |> map (\\p.
        (fst (fst p) * fst (snd p) - snd (fst p) * snd (snd p), fst (fst p) * snd (snd p) + snd (fst p) * fst (snd p)))";
    let tiles = |inner: &str| {
        format!(
            "containsMapPar(l/2, containsMap(n/6, containsMap(m/10, containsMap(2, containsMap(6, containsMap(10, {inner}))))))"
        )
    };
    let separable = kernel("separableConvolution");
    let stages = "containsMapPar(n/4, containsMapSeq(m/8, containsMapSeq(4, containsMapSeq(8, containsReduceSeq(5, ?)))))";
    for (text, goal) in [
        (&*separable, stages.into()),
        (onto, "containsMap(m/8, containsMap(n/16, containsReduceSeq(k, containsMap(8, containsMap(16, containsAddMul)))))".into()),
        (onto, "containsMapPar(m/8, containsMap(n/16, containsReduceSeq(k, containsMap(8, containsMap(2, containsAddMulVec)))))".into()),
        (cube, tiles("containsReduceSeq(27, ?)")),
        (tensors, "containsReduceSeq(q, containsReduceSeq(r, containsAddMul))".into()),
        (tensors, "containsMap(p/8, containsMap(s/8, containsReduceSeq(q/4, containsReduceSeq(r/8, containsReduceSeq(4, containsReduceSeq(8,
           containsMap(8, containsMap(8, containsAddMul))))))))".into()),
        (sigmoid, "containsMapPar(m/4, containsMap(n/8, containsReduceSeq(k, containsMap(4, containsMap(8, containsAddMul)))))".into()),
        (permuted, "containsMap(k/4, containsMap(j, containsMap(i/4, containsMap(4, containsMap(4, ?)))))".into()),
        (complex, "containsMapPar(n/8, contains(((*) : <8>f32 -> ?)))".into()),
        (cube, tiles("?")),
    ] {
        leads_by_small_graphs(text, &goal);
    }
}

/// What a goal asks for beside its loops: weights that are separated, layouts, wider windows, each with loops in tiles.
#[test]
fn guides_make_what_stands_beside_the_loops() {
    let separated = "
        sketch sums(inner) = containsMap(n/9, containsMap(m/4, containsMap(9, containsMap(4, containsReduceSeq(3, ?)))), inner)
        sketch images = sums(containsMap(n, containsMap(m + 2, containsReduceSeq(3, ?))))
        sketch lines = containsMap(n/9, containsMap(9, containsMap(m, containsReduce(3, ?), containsMap(m + 2, containsReduce(3, ?)))))";
    let packed = "
        sketch blocks(a: nat, b: nat) = containsMap(m/a, containsMap(n/b, containsReduceSeq(k, containsMap(a, containsMap(b, containsAddMul)))))
        sketch ofB = blocks(9, 5) and containsPacked(k, n, 5, ?)
        sketch ofA = blocks(9, 5) and containsPacked(m, k, 9, ?)
        sketch ofBoth = containsMapPar(m/16, containsMap(n/8, containsReduceSeq(k/2, containsReduceSeq(2, containsMap(16, containsMap(8, containsAddMul))))))
          and containsPacked(k, n, 8, ?) and containsColumnOrder(m, k, ?)";
    let windows = "
        sketch tiles = containsMapPar(n/6, containsMap(m/10, containsMap(6, containsMap(10, contains((*)))), contains(slide 12 10)), contains(slide 8 6))";
    for (name, elevate, goals) in [
        ("binomialFilter", separated, &["images", "lines"][..]),
        ("matmul", packed, &["ofB", "ofA", "ofBoth"]),
        ("jacobi2d", windows, &["tiles"]),
    ] {
        for goal in goals {
            let (searches, _) = examined(&kernel(name), elevate, &format!("reach {goal}"), 0);
            assert!(searches.len() > 1, "{name}: {searches:#?}");
            assert!(searches.iter().all(|s| s["found"] == true), "{name}: {searches:#?}");
            assert_eq!(searches.last().unwrap()["sketch"].as_str(), Some(*goal));
        }
    }
}

/// A program is equal to others in which nobody reads a part, and that part may have variables that are bound elsewhere: it is
/// not taken where they are not.
#[test]
fn what_is_found_stands_within_its_binders() {
    let world = tempfile::tempdir().unwrap();
    let text = "def sums (a: m.n.f32): m.f32 = a |> map (\\row. reduce (+) 0 row)";
    std::fs::write(world.path().join("p.rise"), text).unwrap();
    for goal in [
        "containsMapPar(m, containsReduceSeq(n/16, containsMap(16, ?)))",
        "containsMapSeq(m, containsReduceSeq(n/4, containsMapSeq(4, ?)))",
        "containsMapSeq(m/6, containsMapSeq(8, ?))",
    ] {
        let (searches, _) = examined(text, "", &format!("reach {goal}"), 0);
        assert!(searches.iter().all(|s| s["found"] == true), "{goal}");
        let strategy = format!("reach {goal}");
        let ran =
            run(world.path(), &["bench", "p.rise", "-s", &strategy, "--size", "m=12", "--size", "n=32"]);
        assert_eq!(ran.code, 0, "{goal}: {}{}", ran.out, ran.err);
    }
}

/// Sums of sums become one, over numbers of elements or sizes.
#[test]
fn guides_make_one_loop_of_rows() {
    for (program, goal) in [
        (
            "def f (a: m.3.5.7.f32): m.f32 = a |> map (\\w. w |> map (\\x. x |> map (\\y. reduce (+) 0 y) |> reduce (+) 0) |> reduce (+) 0)",
            "containsMapPar(m, containsReduceSeq(105, ?))",
        ),
        (
            "def f (a: m.p.q.r.f32): m.f32 = a |> map (\\w. w |> map (map (reduce (+) 0) >> reduce (+) 0) |> reduce (+) 0)",
            "containsReduceSeq(p*q*r, ?)",
        ),
    ] {
        let (searches, _) = examined(program, "", &format!("reach {goal}"), 0);
        assert!(searches.len() > 2 && searches.iter().all(|s| s["found"] == true), "{goal}: {searches:#?}");
    }
}

/// What a program has and is not to have is made something else; what a sketch both asks for and rules out is told at once.
#[test]
fn what_is_ruled_out_is_made_something_else() {
    for goal in [
        "not contains(map) and not contains(reduce)",
        "containsMapPar(m, ?) and not contains(map)",
        "not contains(map or reduce)",
    ] {
        let (searches, _) = examined(&kernel("matmul"), "", &format!("reach {goal}"), 0);
        assert!(searches.iter().all(|s| s["found"] == true), "{goal}: {searches:#?}");
    }
    let opposed = "reach containsReduceSeq(k, ?) and not contains(reduceSeq)";
    let (_, told) = examined(&kernel("matmul"), "", opposed, 1);
    assert!(told.contains("`not contains(reduceSeq)` rules out"), "{told}");
}

/// Holes stand for sizes that divide those of the program, as they are written or given.
#[test]
fn holes_are_filled_with_sizes_that_divide_those_of_the_program() {
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), "def f (a: 21.f32): 21.f32 = a |> map (\\x. x + 1.5)")
        .unwrap();
    std::fs::write(world.path().join("m.rise"), kernel("matmul")).unwrap();
    let found = |program: &str, sizes: &[&str], goal: &str| {
        let ran = run(world.path(), &[&["search", program, &format!("reach {goal}")], sizes].concat());
        assert_eq!(ran.code, 0, "{goal}: {}{}", ran.out, ran.err);
        ran.out
    };
    // Loops that are named alone are parts of those of the program.
    let parts = "containsMap(?a, containsMap(?b, ?))";
    assert!(found("p.rise", &[], &format!("{parts} and ?a <= 5 and ?b <= 10")).contains("split 7"));
    let tiled = "containsMap(21/?t, containsMap(?t, ?))";
    assert!(found("p.rise", &[], &format!("{tiled} and ?t > 1")).contains("split 7"));
    assert!(found("p.rise", &[], &format!("{tiled} and ?t < 7")).contains("split 3"));
    let sizes = ["--size", "m=49"];
    let rows = "containsMap(m/?t, containsMap(?t, ?))";
    assert!(found("m.rise", &[], rows).contains("split 32"));
    assert!(found("m.rise", &sizes, rows).contains("split 7"));
    assert!(found("m.rise", &sizes, &format!("{rows} and m % ?t == 0 and ?t > 7")).contains("split 49"));
    // What is said of several holes together decides which sizes they stand for.
    let outer = "def f (a: n.f32) (b: m.f32): n.m.f32 = a |> map (\\x. b |> map (\\y. x * y))";
    std::fs::write(world.path().join("outer.rise"), outer).unwrap();
    let tiles = "containsMap(n/?a, containsMap(m/?b, containsMap(?a, containsMap(?b, ?))))";
    for (said, a, b) in [
        ("?a == 3 * ?b", 6, 2),
        ("?a == ?b + 3 and ?b == 9", 12, 9),
        ("?a * ?b == 48 and ?a > ?b and ?b > 3", 8, 6),
        ("?a + ?b == 15 and ?a >= 2 * ?b", 11, 4),
    ] {
        let shown = found("outer.rise", &[], &format!("{tiles} and {said}"));
        assert!(shown.contains(&format!("split {a}")) && shown.contains(&format!("split {b}")), "{shown}");
    }
    // Sizes that are given decide which tiles fit, also where the loops around them are not named.
    let given = ["--size", "n=22", "--size", "m=10"];
    for (goal, size) in [
        ("containsMap(n, containsMap(?t, containsMap(?u, ?))) and ?t > ?u and ?u > 1", "split 10"),
        ("containsMap(?t, containsMap(2, ?)) and ?t > 3 and ?t < 8", "split 10"),
    ] {
        let shown = found("outer.rise", &given, goal);
        assert!(shown.contains(size), "{shown}");
    }
    // What is stored is as large as what the program has.
    let each = "def f (a: n.m.f32): n.m.f32 = a |> map (map (\\x. x + 1.0))";
    std::fs::write(world.path().join("each.rise"), each).unwrap();
    assert!(found("each.rise", &[], "containsAlignedRows(n, ?q, 8, ?)").contains("toMem a"));
    let given = ["--size", "n=4", "--size", "m=24"];
    assert!(
        !found("each.rise", &given, "containsAlignedRows(n, ?q, 8, ?) and ?q * 8 == m").contains("split")
    );
    // What nothing else tells is said where it is not known.
    let told = "The program is like the sketch where 8 divides m";
    assert!(found("each.rise", &[], "containsAlignedRows(n, m/8, 8, ?)").contains(told));
    assert!(!found("each.rise", &given, "containsAlignedRows(n, m/8, 8, ?)").contains(told));
    // Whether some hold depends on a value.
    let ran = run(
        world.path(),
        &["search", "m.rise", "reach containsMap(m/?t, containsMap(?t, ?)) and ?t < n with (nodes: 2000)"],
    );
    let said = "Whether `?t < n` holds is known where `n` has a value";
    assert!(ran.code == 1 && ran.err.contains(said), "{}{}", ran.out, ran.err);
    // Where no size is known to do, little is searched.
    let square = "reach containsMap(m/?t, containsMap(?t, ?)) and ?t * ?t == m";
    let ran = run(world.path(), &["search", "m.rise", square, "--json"]);
    let searched: Vec<serde_json::Value> = serde_json::from_str(&ran.out).unwrap();
    let few = searched.iter().all(|s| s["nodes"].as_u64().is_some_and(|nodes| nodes < 6_000));
    let said = "Whether `?t*?t == m` holds is known where `m` has a value";
    assert!(ran.code == 1 && few && ran.err.contains(said), "{}{}", ran.out, ran.err);
    let given = ["--size", "n=20"];
    assert!(found("m.rise", &given, "containsMap(m/?t, containsMap(?t, ?)) and ?t < n").contains("split 8"));
    // A size that is no whole number is told at once.
    let ran = run(
        world.path(),
        &[
            "search",
            "each.rise",
            "reach containsAlignedRows(n, m/8, 8, ?)",
            "--size",
            "n=4",
            "--size",
            "m=30",
        ],
    );
    let said = "it asks for `m/8`, which is 15/4 here, and sizes are whole numbers";
    assert!(ran.code == 1 && ran.out.is_empty() && ran.err.contains(said), "{}{}", ran.out, ran.err);
    let ran = run(world.path(), &["search", "p.rise", "reach containsMap(21/4, ?)"]);
    let said = "it asks for `21/4`, and sizes are whole numbers";
    assert!(ran.code == 1 && ran.out.is_empty() && ran.err.contains(said), "{}{}", ran.out, ran.err);
}

/// Where a goal needs a rule that takes a size, and names none.
#[test]
fn sizes_that_a_goal_does_not_name_are_usual_ones() {
    let box3 = "def f (image: (n+2).(m+2).f32): n.m.f32 =
      image |> map (slide 3 1) |> slide 3 1 |> map transpose |> map (map (\\w. reduce (+) 0 (join w)))\n";
    for (goal, shown) in [
        ("contains(asVector)", "asVector 4"),
        ("contains(asVector ?v ?)", "asVector 4"),
        ("contains(asVector ?v ?) and ?v > 10", "asVector 32"),
        ("contains(mapPar) and contains(asVector)", "asVector 4"),
        ("contains(asVectorAligned)", "asVectorAligned 4"),
    ] {
        let ran = apply(box3, "", "", &format!("reach {goal} with (time: 30s)"));
        assert!(ran.code == 0 && ran.out.contains(shown), "{goal}: {}{}", ran.out, ran.err);
    }
    // Or divisors of a size that none of these divides.
    for (size, shown) in
        [("15", "asVector 3"), ("22", "asVector 2"), ("6.14", "asVector 2"), ("7", "asVector 7")]
    {
        let text = format!(
            "def f (a: {size}.f32): {size}.f32 = a |> {}",
            if size.contains('.') { "map (map sqrt)" } else { "map sqrt" }
        );
        let ran = apply(&text, "", "", "reach contains(asVector) with (time: 30s)");
        assert!(ran.code == 0 && ran.out.contains(shown), "{size}: {}{}", ran.out, ran.err);
    }
    // Holes that are said to be equal to something are that, and what is multiplied again is a whole number all the same.
    let rows = "def f (a: m.n.f32): m.f32 = a |> map (\\row. reduce (+) 0 row)";
    let world = tempfile::tempdir().unwrap();
    let equal = "containsMapPar(?a, containsMap(?b, ?)) and ?a * ?b == m";
    let ran = apply(rows, "", "", &format!("reach {equal} ; satisfies {equal}"));
    assert!(ran.code == 0 && ran.out.contains(" divides m"), "{}{}", ran.out, ran.err);
    std::fs::write(world.path().join("p.rise"), rows).unwrap();
    for (goal, told) in
        [("containsMap(?t*4, ?)", "4 divides m"), ("containsAlignedRows(m, ?q, 8, ?)", "8 divides n")]
    {
        let ran = run(world.path(), &["search", "p.rise", &format!("reach {goal}")]);
        assert!(
            ran.code == 0 && ran.out.contains(&format!("{told}; nothing else says so")),
            "{goal}: {}",
            ran.out
        );
        let ran = apply(rows, "", "", &format!("reach {goal}"));
        assert!(ran.code == 0 && ran.err.contains(told), "{goal}: {}", ran.err);
    }
    // What no rule ever makes is not looked for until memory ends.
    for never in ["contains(42)", "contains((? : bool))"] {
        let ran = apply(rows, "", "", &format!("reach {never}"));
        assert!(ran.code == 1 && !ran.err.contains("Raise"), "{never}: {}", ran.err);
    }
    // Within `contains` another one says no more.
    let deep = format!("reach {}mapSeq{}", "contains(".repeat(300), ")".repeat(300));
    assert!(apply(rows, "", "", &deep).out.contains("mapSeq"));
    // One answer tells one limit: the time that was given, not what was left of it for the last search. Memory is not what ends
    // it, however fast the machine is.
    let seventeen = "def f (a: 17.f32): 17.f32 = a |> map sqrt";
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), seventeen).unwrap();
    let search = "reach contains(asVector) and not contains(padEmpty) with (time: 2s, memory: 16GiB, nodes: 1000000000)";
    let ran = run(world.path(), &["search", "p.rise", search]);
    let told = "Not found within the bounds: 2.0 s";
    assert!(ran.code == 1 && ran.out.contains(told) && ran.err.contains(told), "{}{}", ran.out, ran.err);
}

/// Where a goal asks for more loops than the program has and does not say how large they are, a loop of the program is split by usual
/// sizes, or by divisors of a number of elements.
#[test]
fn loops_that_a_goal_gives_no_sizes_are_parts_of_those_of_the_program() {
    let scal = "def scal (alpha: f32) (x: n.f32): n.f32 = x |> map (\\v. alpha * v)";
    let dot = "def dot (a b: n.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0";
    let odd = "def odd (a: 77.f32): 77.f32 = a |> map sqrt";
    let matmul = kernel("matmul");
    let deep = |depth: usize, inner: &str| {
        format!("containsMapPar(?, {}{inner}{})", "containsMap(?, ".repeat(depth), ")".repeat(depth))
    };
    for (program, goal) in [
        (scal, deep(1, "?")),
        (scal, deep(2, "?")),
        (scal, "containsMapPar(?t, containsMap(?u, ?))".to_owned()),
        (dot, deep(1, "?")),
        (odd, deep(1, "?")),
        (matmul.as_str(), deep(3, "?")),
        (matmul.as_str(), deep(2, "containsReduceSeq(?, ?)")),
    ] {
        leads_by_small_graphs(program, &goal);
    }
}

/// What a rule of the library makes in a step or two is found by the rules that make it, whatever sizes these take and whatever else
/// they bring.
#[test]
fn what_few_rules_make_is_found_in_a_small_graph() {
    let world = tempfile::tempdir().unwrap();
    let rule = "rule plusPad = map f (xs : n.s) ~> take n (map f (padEmpty 3 xs))\n";
    std::fs::write(world.path().join("p.rules"), rule).unwrap();
    std::fs::write(world.path().join("p.rise"), "def f (a: n.f32): n.f32 = a |> map sqrt").unwrap();
    for asked in
        ["drop", "take", "padClamp", "padEmpty", "split", "join", "idx", "circularBuffer", "rotateValues"]
    {
        let goal = format!("reach contains({asked})");
        let ran = run(world.path(), &["search", "p.rise", &goal, "--json"]);
        assert_eq!(ran.code, 0, "{goal}: {}", ran.err);
        let searches: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let nodes = searches.as_array().unwrap().iter().filter_map(|s| s["nodes"].as_u64()).max();
        assert!(nodes.is_some_and(|nodes| nodes <= 20_000), "{goal}: {nodes:?} nodes");
    }
}

/// What is printed is an ordinary strategy of searches, which finds what was found.
#[test]
fn guides_are_kept_as_text() {
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), kernel("matmul")).unwrap();
    let goal = "sketch goal = containsMap(m/20, containsMap(n, containsReduceSeq(k, containsMap(20, containsAddMul))))\n";
    std::fs::write(world.path().join("p.elevate"), goal).unwrap();
    let kept = run(world.path(), &["search", "p.rise", "reach goal", "--guides"]);
    assert_eq!(kept.code, 0, "{}", kept.err);
    for part in [
        "sketch guide1 =",
        "containsMap(m/20, containsMap(20, ",
        "splitJoin(20)",
        "reach goal using",
        "strategy guided1 =",
    ] {
        assert!(kept.out.contains(part), "{part}: {}", kept.out);
    }
    std::fs::write(world.path().join("p.elevate"), format!("{goal}{}", kept.out)).unwrap();
    let again = run(world.path(), &["apply", "p.rise", "-s", "guided1"]);
    let direct = run(world.path(), &["apply", "p.rise", "-s", "reach goal"]);
    assert_eq!((again.code, &again.out), (0, &direct.out), "{}", again.err);
    let ran = run(
        world.path(),
        &["search", "p.rise", "reach goal using baselineRules with (nodes: 100)", "--guides"],
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let ran = run(world.path(), &["search", "p.rise", "reach contains(mapSeq) using useMapSeq", "--guides"]);
    assert!(ran.code == 1 && ran.err.contains("E0421"), "{}", ran.err);
}

/// What a guide leads to has views that cancel out, which other searches take away, and of several programs one is asked for.
#[test]
fn guides_find_as_text_just_what_was_found() {
    let world = tempfile::tempdir().unwrap();
    let two = "def two (a: m.n.f32): (m.f32 * m.f32) =
  let q = a |> map (map (\\x. x * x)) in (map (reduce (+) 0) q, map (reduce max 0) q)";
    let rows = "def rows (a: m.n.f32): m.f32 = a |> map (\\r. r |> map abs |> reduce (+) 0)";
    for (program, goal, option) in [
        (
            two,
            "containsMapPar(m/8, containsReduceSeq(n/4, containsReduceSeqUnroll(4, containsMapSeq(8, ?))))",
            "views: kept",
        ),
        (rows, "containsMapPar(m/8, containsMap(8, ?)) with (best: 9, rank: 4)", "best: 9, rank: 4"),
    ] {
        std::fs::write(world.path().join("p.rise"), program).unwrap();
        let kept = run(world.path(), &["search", "p.rise", &format!("reach {goal}"), "--guides"]);
        assert!(kept.code == 0 && kept.out.contains(option), "{goal}: {}{}", kept.out, kept.err);
        std::fs::write(world.path().join("p.elevate"), &kept.out).unwrap();
        let again = made(world.path(), "p.rise", "guided1");
        assert_eq!(again, made(world.path(), "p.rise", &format!("reach {goal}")), "{goal}: {}", kept.out);
        std::fs::remove_file(world.path().join("p.elevate")).unwrap();
    }
}

/// A search that chose its rules never says that there is no way.
#[test]
fn a_search_of_its_own_rules_does_not_say_impossible() {
    let slow = "containsMap(4*n, containsMap(8, containsMap(2, contains(asVector))))";
    let (searches, err) = examined(SCALE, "", &format!("reach {slow} with (nodes: 20)"), 1);
    assert!(err.contains("of 20 allowed") && err.contains("`with (nodes: 40)`"), "{err}");
    assert!(!err.contains("can be reached"), "{err}");
    assert_eq!(searches.last().unwrap()["found"], false);
    let (_, err) = examined(SCALE, "", &format!("reach {slow} with (time: 1ms)"), 1);
    assert!(err.contains("within the bounds") && err.contains("`with (time: 2ms)`"), "{err}");
    let (_, err) = examined(SCALE, "", &format!("reach {slow} with (memory: 1MiB)"), 1);
    assert!(err.contains("of 1 MiB allowed") && err.contains("`with (memory: "), "{err}");
    assert!(err.contains("Before the search began the process held"), "{err}");
    // Rules make another `gather` of one, and none of what has none.
    for (goal, asked) in [
        ("contains(gather)", "`gather`"),
        ("containsMap(64*n, contains(scatter))", "`scatter`"),
        ("contains(2.5)", "`2.5`"),
        ("contains((? : i32))", "values of type `i32`"),
    ] {
        let (searches, err) = examined(SCALE, "", &format!("reach {goal}"), 1);
        let said =
            format!("asks for {asked}. There is none, and no rule of the library makes it of what is there");
        assert!(searches.is_empty() && err.contains(&said), "{err}");
    }
}

#[test]
fn a_search_that_fails_tells_how_far_it_came() {
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), SCALE).unwrap();
    let search = "reach containsMap(n, containsMap(64, contains(abs))) using { splitJoin(64), splitJoin(6) } with (iterations: 2)";
    let ran = run(world.path(), &["search", "p.rise", search]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    for part in [
        "No part of any program met so far is like",
        "nowhere yet  containsMap(n,",
        "2 of 3 nested `contains` hold of it",
        "for n:",
        "| for 64:",
        "splitJoin(64)",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let never = "reach containsMap(48, ?) using { splitJoin(32) } with (iterations: 2)";
    let ran = run(world.path(), &["apply", "p.rise", "-s", never]);
    assert!(
        ran.err.contains("asks for `48`.") && ran.err.contains("rules have 32 and 64, which never make it"),
        "{}",
        ran.err
    );
    // A number in the text of a rule is among those that there are; where there are none, that is what is said.
    let program = "def f (a: n.m.f32): n.m.f32 = a |> map (map sqrt)";
    let of_own = |own: &str, sketch: &str| {
        let ran = apply(program, own, "", &format!("reach {sketch} using {{ own }} with (iterations: 2)"));
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        ran.err
    };
    let line = "rule own = map f (xs : (7*n).t) ~> join (map (map f) (split 7 xs))";
    let err = of_own(line, "containsMap(5, ?)");
    assert!(err.contains("the program and the rules have 7, which never make it."), "{err}");
    let err = of_own("rule own = map f (map g xs) ~> map (\\x. f (g x)) xs", "containsMap(5, ?)");
    assert!(err.contains("neither the program nor the rules have any number, so "), "{err}");
    assert!(!err.contains("no numbers"), "{err}");
    // What contradicts itself is not searched for, with rules or without.
    for using in ["", " using { splitJoin(2) }"] {
        let search = format!("reach containsMap(64*n/?t, containsMap(?t, ?)) and ?t > 21 and ?t < 20{using}");
        let ran = run(world.path(), &["search", "p.rise", &search]);
        let said = "no sizes meet `?t > 21` and `?t < 20` together";
        assert!(ran.code == 1 && ran.out.is_empty() && ran.err.contains(said), "{}{}", ran.out, ran.err);
    }
    // What the filter leaves out is no reason where no size that the rules make meets what is said of a hole.
    let of = |rule: &str, code| {
        let tile = "containsMap(64*n/?t, containsMap(?t, ?)) and ?t > 64";
        examined(SCALE, "", &format!("reach {tile} using {{ {rule} }}"), code).1
    };
    let err = of("splitJoin(2)", 1);
    assert!(err.contains("what the sketch says of `?t`") && !err.contains("dims"), "{err}");
    assert!(!of("splitJoin(128)", 0).contains("what the sketch says"));
    let ran = run(world.path(), &["search", "p.rise", "id"]);
    assert!(ran.code == 2 && ran.err.contains("E0915"), "{}", ran.err);
}

/// What no rule makes of the program's loops and sums is said before anything is searched for; of a limit while which nothing more was
/// met it is not said to raise it.
#[test]
fn limits_are_not_to_be_raised_for_what_does_not_come() {
    let four = "def f (a: (4*n).f32): (4*n).f32 = map sqrt a";
    let windows = "def f (w: 3.f32) (x: (n+2).f32): n.f32 = x |> slide 3 1 |> map (\\v. zip v w |> map (\\p. fst p * snd p) |> reduce (+) 0)";
    for (program, goal, said) in [
        (four, "containsMap(3*n, ?)", "go over `4*n`, of which that is no part"),
        (four, "containsMap(n/3, containsMap(13, ?))", "over `n/3` and `13` elements"),
        (
            windows,
            "containsMap(n/16, containsMap(16, containsReduce(3, containsAddMul)))",
            "Write `containsReduceSeq` for it",
        ),
    ] {
        let (searches, err) = examined(program, "", &format!("reach {goal}"), 1);
        assert!(searches.is_empty() && err.contains(said) && !err.contains("Raise"), "{goal}: {err}");
    }
    for met in
        ["containsMap(n/3, containsMap(12, ?))", "containsMap(n/5, ?)", "containsMap(n/3, containsMap(6, ?))"]
    {
        assert!(
            !apply(four, "", "", &format!("reach {met} with (nodes: 20000)")).err.contains("no part"),
            "{met}"
        );
    }
    let mm = "def f (a: m.k.f32) (b: k.n.f32): m.n.f32 = a |> map (\\r. transpose b |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))";
    let ran = apply(mm, "", "", "reach not contains(zip) with (nodes: 20000)");
    assert!(ran.err.contains("may not be enough") && !ran.err.contains("Raise"), "{}", ran.err);
}

/// What is computed in an operand of a zip comes into the loop over the zip before that is split.
#[test]
fn sums_take_up_what_zips_are_made_of() {
    let zipped = "def f (x: m.f32) (a: m.n.f32): f32 = a |> map (\\r. reduce (+) 0 r) |> zip x |> map (\\p. fst p * snd p) |> reduce (+) 0";
    let bilinear = "
        def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
        def f (x: m.f32) (a: m.n.f32) (y: n.f32): f32 = a |> map (\\r. dot r y) |> dot x";
    for program in [zipped, bilinear] {
        let ran = apply(
            program,
            "",
            "",
            "reach containsMapPar(m/8, containsReduceSeq(8, containsReduceSeq(n, ?)))",
        );
        assert!(ran.code == 0 && ran.out.contains("mapPar"), "{program}: {}{}", ran.out, ran.err);
    }
}

/// A product of matrices by rows, without a transpose; and a factor that becomes one of each summand.
#[test]
fn rows_of_products_and_factors_of_sums_are_found() {
    let mm = "def f (a: m.k.f32) (b: k.n.f32): m.n.f32 = a |> map (\\r. transpose b |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))";
    let rows = "reach containsMap(m, containsReduceSeq(k, containsMap(n, containsAddMul))) and not contains(transpose)";
    let ran = apply(mm, "", "", rows);
    assert!(ran.code == 0 && !ran.out.contains("transpose"), "{}{}", ran.out, ran.err);
    let weighted = "def f (x: m.f32) (a: m.n.f32): f32 = zip x a |> map (\\p. fst p * reduce (+) 0 (snd p)) |> reduce (+) 0";
    let ran = apply(weighted, "", "", "reach containsReduceSeq(n, containsReduceSeq(m, ?))");
    assert!(ran.code == 0 && ran.out.contains("reduceSeq (reduceSeq"), "{}{}", ran.out, ran.err);
}

/// Programs that stand behind heavier ones say why.
#[test]
fn the_best_programs_say_why_they_come_last() {
    let world = tempfile::tempdir().unwrap();
    let program = "def f (x: (n+4).f32): n.f32 = x |> slide 3 1 |> map (\\w. reduce (+) 0 w) |> slide 3 1 |> map (\\w. reduce (+) 0 w)";
    std::fs::write(world.path().join("p.rise"), program).unwrap();
    let search = ["search", "p.rise", "reach ?", "--best", "40"];
    let ran = run(world.path(), &[&search[..], &["--json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let best = found[0]["best"].as_array().unwrap();
    let (last, others): (Vec<_>, Vec<_>) = best.iter().partition(|b| b["last"].is_string());
    assert!(!last.is_empty() && last.iter().all(|b| b["times"].as_u64() >= Some(2)), "{}", ran.out);
    for sorted in [last, others[1..].to_vec()] {
        assert!(sorted.is_sorted_by_key(|b| b["weight"].as_u64()), "{}", ran.out);
    }
    let ran = run(world.path(), &search);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = [", comes last: it computes about ", "stand behind heavier ones"];
    assert!(said.iter().all(|part| words.contains(part)), "{}", ran.out);
}

/// A search that is stopped by a signal prints what it knows.
#[cfg(unix)]
#[test]
fn a_search_that_is_stopped_tells_what_it_knows() {
    let world = tempfile::tempdir().unwrap();
    let chain = "
        def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
        def mm (a: m.k.f32) (b: k.n.f32): m.n.f32 = a |> map (\\r. transpose b |> map (\\c. dot r c))
        def f (a: m.k.f32) (b: k.n.f32) (c: n.p.f32): m.p.f32 = mm (mm a b) c";
    std::fs::write(world.path().join("p.rise"), chain).unwrap();
    let search = "reach not contains(zip) with (nodes: 100000000, time: 600s, memory: 16GiB)";
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_shine-tui"));
    command.args(["search", "p.rise", search]).current_dir(world.path()).stdin(std::process::Stdio::null());
    command
        .env("SHINE_CONFIG_DIR", world.path().join("config"))
        .env("SHINE_STATE_DIR", world.path().join("state"));
    let child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let ended = child.wait_with_output().unwrap();
    let out = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(130), "{out}");
    assert!(out.contains("Stopped in iteration") && out.contains("sketch"), "{out}");
}

/// By a size that is left open no guide splits a loop; that is told where there are more loops than the program has, and with names
/// for the sizes there is nothing to tell.
#[test]
fn sizes_that_are_left_open_are_told_to_be_named() {
    let told = |search: &str| apply(SCALE, "", "", search);
    // A map within a reduction is no part of the map around it as it stands.
    let rows = "def f (a: r.c.f32): r.f32 = a |> map (reduce (+) 0)";
    let search =
        "reach containsMapPar(?, containsReduceSeq(?, containsMapSeq(?, ?))) with (nodes: 2000, time: 5s)";
    let ran = apply(rows, "", "", search);
    assert!(ran.code == 1 && ran.err.contains("`containsMap(n/?t, containsMap(?t, ?))`"), "{}", ran.err);
    let ran = told("reach containsMap(?, contains(gather)) with (nodes: 200, time: 5s)");
    assert!(ran.code == 1 && !ran.err.contains("containsMap(n/?t"), "{}", ran.err);
    assert_eq!(told("reach containsMap(64*n/?t, containsMapPar(?t, contains(sqrt)))").code, 0);
}

/// The rule that a search did not have, and that leads on from what comes nearest.
#[test]
fn a_search_that_fails_names_the_rule_that_leads_on() {
    let hints = |strategy: &str| {
        let (searches, err) = examined(&kernel("matmul"), "", strategy, 1);
        let hints = searches[0]["hints"].to_string();
        assert!(!hints.contains("leads on") || err.contains("leads on"), "{err}");
        hints
    };
    let baseline = |rules: &str| {
        let levels = "containsMap(m, containsMap(n, containsReduceSeq(k, containsAddMul)))";
        hints(&format!("reach {levels} using {{{rules}}}"))
    };
    let told = baseline("useReduceSeq");
    assert!(told.contains("`reduceSeqMapFusion`, which is not in `using`, leads on"), "{told}");
    assert!(told.contains("after it that is like the sketch"), "{told}");
    let told = hints("reach containsMapPar(m, ?) using {useMapSeq}");
    assert!(told.contains("`useMapPar`, which is not in `using`"), "{told}");
    // What has no types is not searched for.
    for using in ["", " using {useMapSeq}"] {
        let sketch = format!("reach containsMap(m, map ? ?){using}");
        let (searches, told) = examined(&kernel("matmul"), "", &sketch, 1);
        assert!(searches.is_empty() && told.contains("`map ? ?` has type `?.?`"), "{told}");
        assert!(
            told.contains("With `contains(map ? ?)` in the place of `map ? ?` the sketch is met."),
            "{told}"
        );
    }
    // No rule makes both at once.
    let told =
        hints("reach containsMap(m/3, containsMap(3, contains(gather ? (scatter ? ?)))) using {useMapSeq}");
    assert!(!told.contains("gather`, which"), "{told}");
    let told = hints("reach contains(gather ? (scatter ? ?)) using {useMapSeq}");
    assert!(!told.contains("leads on"), "{told}");
}

/// The Harris corner detection as a pipeline by searches alone, from the program as it is written: fused, which the thesis did not
/// find, in strips, by one loop where the same windows are read, in circular buffers, and on vectors.
#[test]
fn harris_is_found_by_searches() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/harris");
    let strategy = "searchFused ; searchSplit(32) ; searchTogether ; searchBuffered ; searchInOrder ;
        satisfies containsGrayLine and containsSobelLine and containsCoarsityLine";
    let buffered = run(&folder, &["compile", "harris.rise", "-s", strategy, "--emit", "loops"]);
    assert_eq!(buffered.code, 0, "{}", buffered.err);
    assert_eq!(buffered.out.matches("next into a circular buffer of 3").count(), 4, "{}", buffered.out);
    for strategy in ["searchFused", "searchCbuf(8, 7)"] {
        let bench = ["bench", "harris.rise", "-s", strategy, "--size", "n=37", "--size", "m=29"];
        let ran = run(&folder, &bench);
        assert!(ran.code == 0 && ran.out.contains("1073 cells agree with plain C"), "{}", ran.err);
    }
}

/// Weights that are a product are separated by searches that choose their rules, whatever they are.
#[test]
fn a_search_of_its_own_rules_separates_weights() {
    let elevate = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/binomialFilter/binomialFilter.elevate"),
    );
    let (elevate, program) = (elevate.unwrap(), kernel("binomialFilter"));
    let weights = "[[1 / 16, 2 / 16, 1 / 16], [2 / 16, 4 / 16, 2 / 16], [1 / 16, 2 / 16, 1 / 16]]";
    assert!(program.contains(weights));
    for other in [weights, "[[2, 3, 5], [4, 6, 10], [0.5, 0.75, 1.25]]"] {
        let (searches, _) = examined(&program.replace(weights, other), &elevate, "reach scanline", 0);
        assert!(searches.last().unwrap()["found"] == true, "{searches:#?}");
    }
}

/// What is stored in another layout is found by rules that move arrays alone.
#[test]
fn a_search_of_its_own_rules_stores_in_layouts() {
    for goal in
        ["containsPacked(k, n, 5, ?)", "containsColumnOrder(m, k, ?)", "containsAlignedRows(m, k/4, 4, ?)"]
    {
        let (searches, _) = examined(&kernel("matmul"), "", &format!("reach {goal}"), 0);
        assert!(searches.last().unwrap()["found"] == true, "{goal}: {searches:#?}");
    }
}

/// A hole that is asked for several times stands for a part of a size that the program has, rather than for a number.
#[test]
fn holes_stand_for_parts_of_the_programs_sizes() {
    for goal in ["containsAlignedRows(m, ?q, 8, ?)", "containsAlignedRows(n, ?q, 4, ?)"] {
        let ran = apply(&kernel("matmul"), "", "", &format!("reach {goal}"));
        let is_stored = ran.out.contains("toMem") && !ran.out.contains("split");
        assert!(ran.code == 0 && is_stored, "{goal}: {}{}", ran.out, ran.err);
    }
}

/// What a program shares is shared in what is found, where the normal form of the search has written it out; the rewrites that
/// share it are told, too.
#[test]
fn what_a_program_shares_is_shared_in_what_is_found() {
    let softmax = "def f (x: n.m.f32): n.m.f32 = x |> map (\\row.
  let top = reduce max (-3.4e38) row
  let es = row |> map (\\v. exp (v - top))
  let s = reduce (+) 0 es
  es |> map (\\e. e / s))\n";
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), softmax).unwrap();
    for goal in ["containsMapPar(n, containsReduceSeq(m, ?))", "containsMapPar(n/4, containsMap(4, ?))"] {
        let search = format!("reach {goal}");
        let direct = run(world.path(), &["apply", "p.rise", "-s", &search]);
        let names = ["let top =", "let es =", "let s ="];
        assert!(
            direct.code == 0
                && direct.out.matches("let ").count() == 3
                && names.iter().all(|n| direct.out.contains(n)),
            "{goal}: {}{}",
            direct.out,
            direct.err
        );
        assert_eq!(direct.out.matches("reduce").count(), 2, "{goal}: {}", direct.out);
        let written = run(world.path(), &["search", "p.rise", &search, "--elevate"]);
        assert_eq!(written.code, 0, "{}", written.err);
        std::fs::write(world.path().join("p.elevate"), &written.out).unwrap();
        let last = written.out.lines().rev().find_map(|l| l.strip_prefix("strategy ")).unwrap();
        let again = run(world.path(), &["apply", "p.rise", "-s", last.trim_end_matches(" =")]);
        // But for the name of the parameter, which reductions in between may write anew.
        let body = |out: &str| out.split_once("mapPar").map(|(_, body)| body.to_owned());
        assert_eq!((again.code, body(&again.out)), (0, body(&direct.out)), "{goal}: {}", again.err);
        std::fs::remove_file(world.path().join("p.elevate")).unwrap();
    }
    // The sketch asks for what shares nothing: it is told how much more that computes.
    let apart = "reach contains(map (\\v. exp (v - reduce max ? ?)))";
    for (args, to_err) in
        [(["search", "p.rise", apart].as_slice(), false), (&["apply", "p.rise", "-s", apart], true)]
    {
        let told = run(world.path(), args);
        let said = if to_err { &told.err } else { &told.out };
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_said = words.matches("times as much as the program given").count() == 1;
        assert!(told.code == 0 && is_said, "{args:?}: {}{}", told.out, told.err);
    }
}

/// Several sums side by side, whose parts lie side by side, are made of one that sums up everything; of vectors too.
/// Who asks for more programs gets no fewer: those of a smaller graph stay where the larger one has many that are alike.
#[test]
fn more_programs_that_are_asked_for_are_no_fewer() {
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), "def asum (x: l.f32): f32 = x |> map abs |> reduce (+) 0")
        .unwrap();
    let goal = "reach containsReduceSeq(l/48, containsMap(48, ?))";
    let mut before = vec![];
    for k in ["10", "40", "100"] {
        let ran = run(world.path(), &["search", "p.rise", goal, "--best", k, "--json"]);
        assert_eq!(ran.code, 0, "{k}: {}", ran.err);
        let searches: Vec<serde_json::Value> = serde_json::from_str(&ran.out).unwrap();
        let best = searches.last().unwrap()["best"].as_array().unwrap();
        let weights: Vec<u64> = best.iter().map(|b| b["weight"].as_u64().unwrap()).collect();
        assert!(weights.len() >= before.len(), "{k}: {before:?} {weights:?}");
        // Nor are they heavier.
        assert!(weights.iter().zip(&before).all(|(now, then)| now <= then), "{k}: {before:?} {weights:?}");
        before = weights;
    }
    assert!(before.len() > 40, "{before:?}");
}

/// Of the programs that are like the sketch, one that computes much more than the program given is taken where no other is found.
#[test]
fn what_computes_much_more_is_found_last() {
    let attention = "def dot (a b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0
def f (q: n.d.f32) (k: m.d.f32) (v: m.d.f32): n.d.f32 = q |> map (\\r.
  let e = k |> map (\\c. exp (dot r c)) in
  let t = reduce (+) 0 e in
  transpose v |> map (\\col. dot e col / t))";
    // What computes little has a sum within a map, of which there are many variants that are lighter as they stand in the graph.
    let softmax = "def f (x: r.c.f32): r.c.f32 = x |> map (\\row.
  let s = split 8 row |> transpose |> map (reduceSeq (\\v v1. v + exp v1) 0.0) |> reduce (+) 0.0
  row |> map (\\v. exp v / s))";
    for (program, goal) in [
        (attention, "containsReduceSeq(m, ?)"),
        (attention, "containsMapPar(n, containsReduceSeq(m, ?))"),
        (
            attention,
            "containsMapPar(n/6, containsMapSeq(6, containsReduceSeq(m/10, containsReduceSeq(10, ?))))",
        ),
        (softmax, "containsMap(r, containsReduceSeq(c/8, containsMap(8, contains(exp))))"),
    ] {
        let world = tempfile::tempdir().unwrap();
        std::fs::write(world.path().join("p.rise"), program).unwrap();
        let ran = run(world.path(), &["search", "p.rise", &format!("reach {goal}")]);
        assert!(ran.code == 0 && !ran.out.contains("times as much"), "{goal}: {}{}", ran.out, ran.err);
    }
}

/// Where all programs that meet a sketch first compute much more, an iteration or two later there may be one that does not. How many
/// iterations the user allows holds.
#[test]
fn what_computes_much_more_is_not_the_end() {
    let squares = "def f (a: n.n.f32): n.n.f32 =
  let b = transpose a |> map (\\c. a |> map (\\r. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0)) in
  a |> map (\\r. b |> split 3 |> map (map (zip r)) |> map (map (reduceSeq (\\x p. x + fst p * snd p) 0)) |> join)";
    let goal =
        "containsMap(n, containsMap(n/3, containsMap(3, containsReduceSeq(n/2, containsReduceSeq(2, ?)))))";
    let rules = "mapFusion, reduceMapFusion, blockedReduceSeq(2), splitBeforeMap";
    for (options, iterations, dear) in [("", 3, false), ("with (iterations: 2)", 2, true)] {
        let (searches, _) = examined(squares, "", &format!("reach {goal} using {{{rules}}} {options}"), 0);
        let [search] = &searches[..] else { panic!("{searches:#?}") };
        assert_eq!(search["iterations"].as_u64(), Some(iterations), "{search:#?}");
        assert_eq!(search["best"][0]["times"].is_u64(), dear, "{search:#?}");
    }
}

/// A step that has nothing to do for a program that is in no normal form is written as such.
#[test]
fn ways_without_steps_are_written() {
    let world = tempfile::tempdir().unwrap();
    for (text, goal) in [
        (
            "def f (a: n.f32): n.f32 = let t = reduce (+) 0 a in a |> map (\\x. x / t)",
            "containsReduceSeq(n/10, ?)",
        ),
        ("def f (a: n.f32): f32 = let t = reduce (+) 0 a in t * t", "contains(reduce)"),
        (
            "def f (a: n.f32): f32 = let t = reduceSeq (+) 0 a in t * t",
            "containsReduceSeq(n, ?) using {mapFusion}",
        ),
    ] {
        std::fs::write(world.path().join("p.rise"), text).unwrap();
        let strategy = format!("reach {goal}");
        let found = run(world.path(), &["apply", "p.rise", "-s", &strategy]);
        let written = run(world.path(), &["search", "p.rise", &strategy, "--elevate"]);
        assert_eq!(written.code, 0, "{text}: {}", written.err);
        std::fs::write(world.path().join("p.elevate"), &written.out).unwrap();
        let last = written.out.lines().rev().find_map(|l| l.strip_prefix("strategy ")).unwrap();
        let name = last.split([' ', '=']).next().unwrap();
        let again = run(world.path(), &["apply", "p.rise", "-s", name]);
        assert_eq!(again.out, found.out, "{}{}", written.out, again.err);
        std::fs::remove_file(world.path().join("p.elevate")).unwrap();
    }
}

#[test]
fn guides_make_several_sums_of_one() {
    // Without views that cancel out.
    for (program, goal, shown) in [
        ("dot", "containsReduceSeq(k/16, containsMap(16, containsAddMul))", "split 16"),
        ("gemv", "containsMap(m, containsReduceSeq(n/12, containsMap(12, containsAddMul)))", "split 12"),
        (
            "gemv",
            "containsMapPar(m, containsReduceSeq(n/32, containsMap(4, containsAddMulVec)))",
            "asVector 8",
        ),
        ("asum", "containsReduceSeq(n/24, containsMap(24, contains(abs)))", "split 24"),
    ] {
        let ran = apply(&kernel(program), "", "", &format!("reach {goal} with (time: 60s)"));
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = ran.code == 0 && ran.out.contains(shown) && !words.contains("|> transpose |> transpose");
        assert!(found, "{goal}: {}{}", ran.out, ran.err);
    }
}

/// What views that cancel out leave is found, and the rewrites that take them away are told, too; what the sketch asks for stays.
#[test]
fn views_that_cancel_out_are_taken_away_at_the_end() {
    let world = tempfile::tempdir().unwrap();
    let dot = "def f (a b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0";
    let gemv = "def f (a: m.n.f32) (x: n.f32): m.f32 = a |> map (\\r. zip r x |> map (\\p. fst p * snd p) |> reduce (+) 0)";
    let left = "|> transpose |> transpose";
    for (program, goal) in [
        (dot, "containsReduceSeq(k/16, containsMap(16, containsAddMul))"),
        (gemv, "containsMap(m, containsReduceSeq(n/12, containsMap(12, containsAddMul)))"),
    ] {
        std::fs::write(world.path().join("p.rise"), program).unwrap();
        let strategy = format!("reach {goal}");
        let ran = run(world.path(), &["apply", "p.rise", "-s", &strategy]);
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(ran.code == 0 && !words.contains(left), "{goal}: {}{}", ran.out, ran.err);
        replays(world.path(), &strategy, "");
    }
    let kept = "reach contains(transpose (transpose ?)) using { transposePairAfter, removeTransposePair }";
    let ran = apply("def f (x: n.m.f32): n.m.f32 = x |> map (map sqrt)", "", "", kept);
    assert!(ran.code == 0 && ran.out.contains("transpose"), "{}{}", ran.out, ran.err);
}

/// Rules whose right sides no equation says are matched by the left sides that they have.
#[test]
fn windows_are_separated_where_their_weights_are_a_product() {
    let world = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/binomialFilter/binomialFilter.rise");
    let ran = run(world.path(), &["search", program.to_str().unwrap(), "searchScanline"]);
    assert!(ran.code == 0 && ran.out.contains("separateDotVH"), "{}{}", ran.out, ran.err);
    for part in ["zip [1.0, 2.0, 1.0]", "zip [0.0625, 0.125, 0.0625]"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    // Of another shape and type, and rows first.
    let dot = |weights: &str| {
        format!(
            "def dot (a: k.i32) (b: k.i32): i32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0\n\
             def weights: 2.3.i32 = {weights}\n\
             def f (xs: n.2.3.i32): n.i32 = xs |> map (\\x. dot (join weights) (join x))"
        )
    };
    let search = "reach contains(map (\\line. ?) ?) and not contains(join) using { separateDotHV }";
    let ran = apply(&dot("[[4, 6, 10], [6, 9, 15]]"), "", "", search);
    assert!(ran.code == 0 && ran.out.contains("zip [2i32, 3i32, 5i32]"), "{}{}", ran.out, ran.err);
    // The weights may stand on either side.
    let turned =
        dot("[[4, 6, 10], [6, 9, 15]]").replace("dot (join weights) (join x)", "dot (join x) (join weights)");
    let ran = apply(&turned, "", "", search);
    assert!(ran.code == 0 && ran.out.contains("zip [2i32, 3i32, 5i32]"), "{}{}", ran.out, ran.err);
    let ran = apply(&turned, "", "", "topDown(separateDotVH)");
    assert!(ran.code == 0 && ran.out.contains("transpose"), "{}{}", ran.out, ran.err);
    let ran = apply(&turned.replace("15", "16"), "", "", "topDown(separateDotVH)");
    assert!(ran.code == 1 && ran.err.contains("neither matrix is the product"), "{}{}", ran.out, ran.err);
    let ran = apply(&dot("[[4, 6, 10], [6, 9, 16]]"), "", "", search);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("No program like this can be reached"), "{}", ran.err);
}

/// Loops of work-items within each other have dimensions of their own where the sketch names none.
#[test]
fn nested_loops_of_work_items_are_found_with_dimensions_that_can_be_run() {
    let program = "def f (a: n.m.f32): n.m.f32 = a |> map (map sqrt)";
    let sketch = "reach containsMapGlobal(n, containsMapGlobal(m, ?))";
    for search in [sketch, &format!("{sketch} using {{ useMapGlobal(0), useMapGlobal(1) }}")] {
        let world = tempfile::tempdir().unwrap();
        std::fs::write(world.path().join("p.rise"), program).unwrap();
        let ran =
            run(world.path(), &["compile", "p.rise", "-s", search, "--target", "opencl", "--emit", "opencl"]);
        assert!(ran.code == 0 && ran.out.contains("get_global_id(1)"), "{search}: {}{}", ran.out, ran.err);
    }
}

/// Procedures are asked what they make of what their left sides match.
#[test]
fn procedures_work_in_searches() {
    let pairs = "def f (a: (4*n).f32) (b: (4*n).f32) = zip a b |> map (\\p. fst p + snd p * 2.0)";
    for (program, search, shown) in [
        (
            "def f (x: f32) (y: f32) = sqrt (idx (natAsIndex 2 1) [x, y])",
            "not contains(idx) using { idxReduction }",
            "sqrt y",
        ),
        (
            "def f (z: f32) (a: n.f32) = a |> reduce (+) z",
            "contains(? + reduce ? ? ?) using { reduceFromNeutral }",
            "z + ",
        ),
        (
            "def f (a: n.f32) (b: n.f32) = zip a b |> map (\\p. sqrt (snd p))",
            "not contains(zip) using { mapOfComponent }",
            "map sqrt b",
        ),
        (
            pairs,
            "contains(zip (asVector 4 ?) (asVector 4 ?)) using { vectorizeAfter(4), vectorizeMap }",
            "asScalar",
        ),
        (
            pairs,
            "contains(zip (asVectorAligned 4 ?) (asVectorAligned 4 ?)) using { vectorizeAlignedAfter(4), vectorizeMap }",
            "asScalar",
        ),
        (SCALE, "contains(mapSeq) using { useMapSeq, gentleBeta }", "mapSeq sqrt a"),
    ] {
        let ran = apply(program, "", "", &format!("reach {search}"));
        assert!(ran.code == 0 && ran.out.contains(shown), "{search}: {}{}", ran.out, ran.err);
    }
    // The literal is not the lightest of the arrays that are equal to it.
    let rules = "rule mapOfTwo = map f [x, y] ~> [f x, f y]\n\
                 example (a: f32) (b: f32) = map sqrt [a, b] ~> [sqrt a, sqrt b]";
    let program =
        "def f (x: f32) (y: f32) = [x, y] |> map (\\v. v * v + v / 3.0 - 1.0) |> idx (natAsIndex 2 0)";
    let ran = apply(program, rules, "", "reach not contains(idx) using { mapOfTwo, idxReduction }");
    assert!(ran.code == 0 && ran.out.contains("x * x"), "{}{}", ran.out, ran.err);
    let ran = apply(program, rules, "", "reach not contains(idx) using { idxReduction }");
    assert!(
        ran.code == 1 && ran.err.contains("No program like this can be reached"),
        "{}{}",
        ran.out,
        ran.err
    );
    let ran = apply(SCALE, "", "", "reach contains(join) using { chooseByWork(100) }");
    assert!(ran.code == 2 && ran.err.contains("E0414") && ran.err.contains("every value"), "{}", ran.err);
}

#[test]
fn lanes_and_families_of_rules_work_in_searches() {
    let sum = "def sum (a: (8*n).f32): f32 = a |> reduce (+) 0";
    let maps = "def f (a: n.(4*m).f32): n.(4*m).f32 = a |> map (map sqrt)";
    for (program, search, shown) in [
        (sum, "contains(asVector 8) using { reduceInLanes(8) }", "asVector 8"),
        (maps, "contains(map (split 4)) using { splitJoinNest(1, 4) }", "map (split 4)"),
        (maps, "contains(transpose) using { transposeAroundNest(0) }", "transpose"),
    ] {
        let ran = apply(program, "", "", &format!("reach {search}"));
        assert!(ran.code == 0 && ran.out.contains(shown), "{search}: {}{}", ran.out, ran.err);
    }
}

/// A search that makes its guides goes on after what it had searched when it was stopped, and comes to what it comes to in
/// one go.
#[test]
fn a_search_without_guides_goes_on_after_what_it_had_searched() {
    let texts = read(&matmul(), &Places::default()).unwrap();
    let workspace = Workspace::load(&texts, None).unwrap_or_else(|p| panic!("{}", p.first()));
    let start = &workspace.program.term;
    let strategy = workspace.parse_strategy("reach reorder2(6, 10, 5)").unwrap();
    let (root, none) = (Position::root(), Replayed::none());
    let begin = || Progress::Strategy { tried: 0, applied: 0 };
    // How many guides there were, each time that a search told how far it was.
    let run = |shelf: Option<&Shelf>, stop_at: usize| {
        let seen: Arc<Mutex<Vec<usize>>> = Arc::default();
        let cancel: Arc<Mutex<Option<Arc<AtomicBool>>>> = Arc::default();
        let (told, flag) = (seen.clone(), cancel.clone());
        let control = Control::telling(begin(), move |progress| {
            let Progress::Search(search) = progress else { return };
            told.lock().unwrap().push(search.guides.len());
            if search.guides.len() >= stop_at {
                flag.lock().unwrap().iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
            }
        });
        *cancel.lock().unwrap() = Some(control.cancel_flag());
        let end = workspace.run_keeping(start, &strategy, &root, &none, shelf, &control);
        let seen = seen.lock().unwrap().clone();
        (end.result.map(|change| change.term), seen)
    };
    let (whole, guides) = run(None, usize::MAX);
    let all = guides.iter().copied().max().unwrap();
    assert!(all >= 4, "{guides:?}");
    let shelf = Shelf::default();
    let (stopped, _) = run(Some(&shelf), all);
    assert!(stopped.is_err());
    let (found, guides) = run(Some(&shelf), usize::MAX);
    assert_eq!(found.unwrap().digest(), whole.unwrap().digest());
    assert!(guides.iter().all(|n| *n == all), "{guides:?}");
    // What was found is no longer kept.
    let (_, guides) = run(Some(&shelf), usize::MAX);
    assert!(guides.contains(&1), "{guides:?}");
}

/// The rows of a table.
fn table(args: &[&str], code: i32) -> Vec<serde_json::Value> {
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), SCALE).unwrap();
    let ran = run(world.path(), &[&["unguided", "--json"], args].concat());
    assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
    serde_json::from_str::<serde_json::Value>(&ran.out).unwrap().as_array().unwrap().clone()
}

/// Who makes the guides is compared; written and derived ones lead to each goal.
#[test]
fn ways_to_make_guides_are_compared() {
    let rows = table(&["guides", "--goal", "baseline"], 0);
    let found = |row: &serde_json::Value| row["found"] == true && row["searches"] == 1;
    assert!(rows.len() == 4 && rows.iter().all(found), "{rows:?}");
    let rows = table(&["guides", "--goal", "blocking", "--method", "library"], 0);
    assert!(rows.len() == 1 && rows.iter().all(found), "{rows:?}");
    let rows = table(&["guides", "--method", "derived", "--method", "written"], 0);
    assert!(rows.len() == 14 && rows.iter().all(|row| row["found"] == true), "{rows:?}");
}

#[test]
fn encodings_are_compared_on_the_goals_of_the_thesis() {
    let efficient = table(&["--encoding", "extraction-indices", "--encoding", "typed"], 0);
    assert_eq!(efficient.len(), 6, "three goals");
    for row in &efficient {
        assert!(row["found"] == true && row["rules"].as_u64() > Some(10), "{row}");
        assert!(row["nodes"].as_u64() >= row["classes"].as_u64(), "{row}");
        assert!(row["megabytes"].as_f64() > Some(1.0), "{row}");
    }
    let names = ["--encoding", "explicit-named", "--encoding", "extraction-named"];
    let reduced = table(&[&["--goal", "reduction"], &names[..]].concat(), 0);
    assert!(reduced.iter().all(|row| row["found"] == true), "{reduced:?}");
    // What names and substitution as rules make of a fission fills any memory, and no more than it may.
    let never =
        table(&["--goal", "fission", "--encoding", "explicit-named", "--memory", "150", "--for", "100"], 1);
    assert!(never[0]["end"] == "memory" && never[0]["found"] == false, "{never:?}");
    assert!(never[0]["megabytes"].as_f64() < Some(1.1 * 150.0 * 1.048_576), "{never:?}");
    // Nor does it take any time, though to restore congruence cannot be stopped.
    let never = table(&["--goal", "fission", "--encoding", "explicit-named", "--for", "2"], 1);
    assert!(never[0]["end"] == "time" && never[0]["seconds"].as_f64() < Some(3.0), "{never:?}");
}

/// Twice so many functions of each element of nested arrays, two more arguments each, as so many after as many.
#[test]
fn functions_of_nested_maps_are_parted_in_small_graphs() {
    // Far inside bodies that others are put into, what is said of a body must not hide what it is made of: the first of
    // these was found in no graph of any size.
    for (dims, half, most) in [(1, 2, 200), (1, 7, 4_000), (2, 5, 3_000), (2, 10, 17_000)] {
        let world = tempfile::tempdir().unwrap();
        let chain = |from: usize, to: usize| {
            let applied = (from..=to).fold("x".to_owned(), |x, i| format!("f{i} a b ({x})"));
            (0..dims).fold(format!("(\\x. {applied})"), |function, _| format!("(map {function})"))
        };
        let all = 2 * half;
        let functions =
            (1..=all).map(|i| format!("pattern f{i} : f32 -> f32 -> f32 -> f32 = \\a b x. a * x + b\n"));
        let array = ["n.f32", "n.m.f32"][dims - 1];
        let program = functions.collect::<String>()
            + &format!("def grid (a: f32) (b: f32) (xs: {array}): {array} = {} xs", chain(1, all));
        let sketch = format!("sketch parted = \\a b xs. {} ({} xs)", chain(half + 1, all), chain(1, half));
        std::fs::write(world.path().join("grid.rise"), program).unwrap();
        std::fs::write(world.path().join("grid.elevate"), sketch).unwrap();
        let search = "reach parted using { mapFusion, mapFission } with (normal: none)";
        let ran = run(world.path(), &["unguided", "grid.rise", search, "--encoding", "typed", "--json"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let rows: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let nodes = rows[0]["nodes"].as_u64().unwrap();
        assert!(rows[0]["found"] == true && nodes < most, "{rows}");
    }
}

#[test]
fn encodings_are_compared_on_any_search() {
    let rows = table(&["p.rise", "reach \\a. mapSeq sqrt a using { useMapSeq }"], 0);
    assert!(rows.len() == 5 && rows.iter().all(|row| row["found"] == true), "{rows:?}");
    // Types are told apart by the one that has them, and seen to be missing in the others.
    let rows = table(&["p.rise", "reach contains(mapSeq : ? -> (64*n).? -> ?) using { useMapSeq }"], 0);
    let ends: Vec<&str> = rows.iter().map(|row| row["end"].as_str().unwrap()).collect();
    assert_eq!(ends, ["types", "types", "types", "types", "found"]);
    // Substitution by rules need not come to an end, also where there is nothing to be found.
    let at_once =
        ["--encoding", "extraction-named", "--encoding", "extraction-indices", "--encoding", "typed"];
    let never = ["p.rise", "reach contains(gather) using { useMapSeq }"];
    let rows = table(&[&never[..], &at_once].concat(), 1);
    assert!(rows.iter().all(|row| row["end"] == "saturated"), "{rows:?}");
    let baseline = table(&["matmul", "--goal", "baseline"], 0);
    assert!(baseline.len() == 1 && baseline[0]["found"] == true, "{baseline:?}");
    let world = tempfile::tempdir().unwrap();
    std::fs::write(world.path().join("p.rise"), SCALE).unwrap();
    for (args, code) in [
        (&["unguided", "matmul", "--goal", "blocked"][..], "E0916"),
        (&["unguided", "nothing"], "E0916"),
        (&["unguided", "nothing.rise", "id"], "E0004"),
        (&["unguided", "--for", "0"], "E0901"),
        (&["unguided", "guides", "--encoding", "typed"], "E0916"),
        (&["unguided", "encodings", "--method", "derived"], "E0916"),
        (&["unguided", "matmul", "reach contains(map) using {}"], "E0916"),
        (&["unguided", "matmul", "--size", "m=7"], "E0916"),
        (&["unguided", "p.rise", "id", "--goal", "baseline"], "E0916"),
        (
            &[
                "unguided",
                "p.rise",
                "reach contains(mapSeq) using {useMapSeq} ; id ; reach contains(mapPar) using {useMapPar}",
            ],
            "E0915",
        ),
        // What names no rules is refused before the head of the table.
        (&["unguided", "p.rise", "reach contains(mapSeq)"], "E0915"),
    ] {
        let ran = run(world.path(), args);
        assert!(
            ran.code == 2 && ran.out.is_empty() && ran.err.contains(code),
            "{args:?}: {}{}",
            ran.out,
            ran.err
        );
    }
}

/// What is stored lies as its type says, so that sketches ask for layouts.
#[test]
fn sketches_ask_how_arrays_are_laid_out() {
    let product = "def f (a: m.k.f32) (v: k.n.f32): m.n.f32 = a |> map (\\r. transpose v |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))";
    let rows = "def g (x: h.w.f32): h.w.f32 = x |> map (map (\\y. y * y)) |> map (map sqrt)";
    let padded = "def g (x: h.(8*w).f32): h.(8*w).f32 = x |> map (map (\\y. y * y)) |> map (map sqrt)";
    let store = "using { storeToMem, transposePairAfter }";
    for (program, sketch, rules, stored) in [
        (product, "containsRowOrder(k, n, ?)", store, "toMem v"),
        (product, "containsColumnOrder(k, n, ?)", store, "transpose v |> toMem"),
        (
            product,
            "containsPacked(k, n, 8, ?)",
            "using { storeToMem, splitJoin2(8), mapArray, transposePairAfter, mapFission } with (dims: 3, size: 60)",
            "split 8",
        ),
        (rows, "containsColumnOrder(h, w, ?)", store, "toMem"),
        (padded, "containsAlignedRows(h, ?q, 8, ?)", store, "toMem"),
        (
            product,
            "alignedVectors(4)",
            "using { vectorizeAfter(4), useAsVectorAligned }",
            "asVectorAligned 4",
        ),
    ] {
        let ran = apply(program, "", "", &format!("reach {sketch} {rules}"));
        assert!(ran.code == 0 && ran.out.contains(stored), "{sketch}: {}{}", ran.out, ran.err);
    }
    let windows = "def h (x: (4*n + 4).f32): (4*n).f32 = x |> slide 5 1 |> map (\\w. w |> reduce (+) 0)";
    for (program, sketch, rules) in [
        (rows, "containsAlignedRows(h, ?q, 8, ?)", "using { storeToMem } with (iterations: 3)"),
        // Windows begin anywhere, and so do vectors of them.
        (windows, "alignedVectors(4)", "using { vectorizeAlignedAfter(4), vectorizeAlignedBeforeMapReduce }"),
    ] {
        let ran = apply(program, "", "", &format!("reach {sketch} {rules}"));
        assert_eq!(ran.code, 1, "{}", ran.out);
    }
}

#[test]
fn rules_can_be_held_back() {
    let of = |options: &str| {
        let strategy = format!(
            "reach contains(split 16 (map ? ?)) using {{ splitJoin(16), mapFission }} with ({options})"
        );
        apply(SCALE, "", "", &strategy)
    };
    let ran = of("iterations: 4, freeze: [splitJoin(1)], cap: [mapFission(7)]");
    assert!(ran.code == 1 && ran.err.contains("held back by `freeze` or `cap`"), "{}{}", ran.out, ran.err);
    let ran = of("freeze: [splitJion(1)]");
    assert!(ran.err.contains("E0412") && ran.err.contains("Did you mean `splitJoin`?"), "{}", ran.err);
    let strategy = "reach contains(gather) using { transposeAroundM } with (freeze: [transposeAroundM(1)])";
    let ran = apply(SCALE, "", "", strategy);
    assert!(ran.err.contains("E0412") && ran.err.contains("write `transposeAroundNest`"), "{}", ran.err);
    // Where the search chooses its rules, any of the library can be held back.
    let ran = apply(SCALE, "", "", "reach contains(mapPar) with (cap: [useMapPar(2)])");
    assert!(ran.code == 0 && ran.out.contains("mapPar"), "{}{}", ran.out, ran.err);
    let ran = apply(SCALE, "", "", "reach contains(mapPar) with (cap: [useMapParr(2)])");
    assert!(ran.err.contains("E0412") && ran.err.contains("Did you mean `useMapPar`?"), "{}", ran.err);
}

/// One match of a thorough iteration, which takes all members of classes, may build thousands of terms.
#[test]
fn the_limit_of_nodes_holds_in_every_iteration() {
    let product = "def f (a: m.k.f32) (b: k.n.f32): m.n.f32 = a |> map (\\r. transpose b |> map (\\c. zip r c |> map (\\p. fst p * snd p) |> reduce (+) 0))";
    for limit in [500, 1000] {
        let options = format!("(nodes: {limit}, freeze: [mapFission(2)])");
        let rules = "{ splitJoin(2), mapFusion, mapFission }";
        let ran = apply(product, "", "", &format!("reach contains(mapStream) using {rules} with {options}"));
        let reached = ran.err.split(" nodes, of").next().and_then(|text| text.split_whitespace().last());
        let reached: usize = reached.and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{}", ran.err));
        assert!((limit..=limit + limit / 10).contains(&reached), "{limit}: {reached}");
    }
}

#[test]
fn the_program_as_written_is_met_and_functions_written_out_are() {
    let squares = r"def f (a: n.f32) (b: m.f32): n.m.f32 = a |> map (\x. b |> map (\y. x * y))";
    for (program, strategy) in [
        (
            r"def f (a: n.f32): n.f32 = a |> map (\y. abs y)",
            r"reach contains(map (\y. abs y)) using {mapArray} with (iterations: 2)",
        ),
        (squares, r"reach contains(map (\x. map (\y. x * y) ?)) using {mapArray} with (iterations: 2)"),
        (squares, r"reach contains(map (\y. ? * y)) using {useMapSeq} with (iterations: 2)"),
        (
            "def f (a: n.m.f32): f32 = a |> map (reduce (+) 0) |> reduce (+) 0",
            "reach containsReduceSeq(m, containsReduceSeq(n, ?))",
        ),
        (
            "def f (a: n.m.f32): f32 = a |> map (reduce (+) 0) |> reduce (+) 0",
            "reach containsReduceSeq(n*m, ?)",
        ),
    ] {
        let ran = apply(program, "", "", strategy);
        assert_eq!(ran.code, 0, "{strategy}: {}", ran.err);
    }
}
