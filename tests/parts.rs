//! Parts of arrays that are reduced, and of which more is made with that: what `auto(opencl)` makes of them is one kernel, in
//! which each part has a group of work-items. What is made of a number that a kernel gives is made in that kernel.

use crate::device_common::opencl;
use crate::modules;

/// The text of the kernels that `auto(opencl)` makes of a program, which agree with plain C on a device.
fn kernels(text: &str, sizes: &str, device: &str) -> String {
    modules::ran_by("auto(opencl)", text, sizes, device)
}

const MOMENTS: &str = "def moments {n: nat} {t: data} (f: f32 -> f32 -> t) (xs: n.f32): t =
  let mean = (xs |> reduce (+) 0) / 100 in
  let variance = (xs |> map (\\x. (x - mean) * (x - mean)) |> reduce (+) 0) / 100 in
  f mean (sqrt (variance + 0.001))
";

/// Sizes, and how often the text reads what is normed.
type Shape = (&'static str, usize);

/// Group norm and the like, with sizes, and how often the text reads what is normed: once for each register of rows that are whole
/// parts for the work-items of a group, otherwise for the sum, twice for the variance, and for what is written.
const NORMS: [(&str, &str, &[Shape]); 5] = [
    // A factor for each channel comes with the channel.
    (
        "(x: b.c.m.f32) (gamma beta: c.f32): b.c.m.f32",
        "zip (zip image gamma) beta |> split 4 |> map (\\group.
           group |> map (\\p. fst (fst p)) |> join |> moments (\\mean d.
             group |> map (\\p. fst (fst p) |> map (\\v. (v - mean) / d * snd (fst p) + snd p)))) |> join",
        &[("b=3 c=12 m=49", 4), ("b=2 c=32 m=256", 16), ("b=1 c=8 m=16", 2)],
    ),
    // It comes after the groups were joined.
    (
        "(x: b.c.m.f32) (gamma beta: c.f32): b.c.m.f32",
        "zip (image |> split 4 |> map (\\group.
           group |> join |> moments (\\mean d. group |> map (map (\\v. (v - mean) / d)))) |> join) (zip gamma beta)
         |> map (\\p. fst p |> map (\\v. v * fst (snd p) + snd (snd p)))",
        &[("b=3 c=12 m=49", 4), ("b=2 c=32 m=256", 16)],
    ),
    // Channels are pictures.
    (
        "(x: b.c.h.w.f32) (gamma: c.f32): b.c.h.w.f32",
        "zip gamma (image |> split 2 |> map (\\group.
           group |> join |> join |> moments (\\mean d. group |> map (map (map (\\v. (v - mean) / d))))) |> join)
         |> map (\\p. snd p |> map (map (\\v. v * fst p)))",
        &[("b=3 c=6 h=7 w=9", 4), ("b=2 c=4 h=8 w=16", 8)],
    ),
    // Channels come last.
    (
        "(x: b.m.c.f32) (gamma: c.f32): b.m.c.f32",
        "zip (transpose image) gamma |> split 4 |> map (\\group.
           group |> map fst |> join |> moments (\\mean d.
             group |> map (\\p. fst p |> map (\\v. (v - mean) / d * snd p)))) |> join |> transpose",
        &[("b=3 c=12 m=49", 4), ("b=2 c=32 m=64", 4)],
    ),
    // There is no factor, and the parts are there already.
    (
        "(x: b.g.c.m.f32): b.g.c.m.f32",
        "image |> map (\\group. group |> join |> moments (\\mean d. group |> map (map (\\v. (v - mean) / d))))",
        &[("b=3 g=2 c=3 m=25", 4), ("b=2 g=4 c=4 m=64", 16)],
    ),
];

#[test]
fn a_second_reduction_stays_in_the_group_of_the_first() {
    let Some(device) = opencl() else { return };
    for (types, norm, shapes) in NORMS {
        let text = format!("{MOMENTS}def f {types} = x |> map (\\image. {norm})");
        for (sizes, reads) in shapes {
            let kernel = kernels(&text, sizes, &device);
            let text = format!("{sizes}: {kernel}");
            assert!(kernel.contains("get_local_id(0)"), "{text}");
            assert_eq!(kernel.matches("kernel __attribute__").count(), 1, "{text}");
            assert_eq!(kernel.matches(" x[").count() + kernel.matches("(x[").count(), *reads, "{text}");
        }
    }
}

/// Programs that make more of numbers which are reduced, and how many kernels that takes, of which each is long.
const OF_NUMBERS: [(&str, usize); 6] = [
    ("(x: n.f32): n.f32 = let mean = (x |> reduce (+) 0) / 100 in x |> map (\\v. v - mean)", 3),
    ("(x: n.f32): n.f32 = x |> moments (\\mean d. x |> map (\\v. (v - mean) / d))", 5),
    ("(x: n.f32) (c: f32): f32 = x |> moments (\\mean d. mean * mean / d + c)", 4),
    ("(x: n.f32): (f32 * f32) = let s = (x |> reduce (+) 0) / 2 in (s * s, s / 3)", 2),
    ("(x: n.i32): i32 = reduce (+) 7 x", 2),
    ("(x: n.i32): n.i32 = let s = reduce max (-100) x in let t = s * s - s in x |> map (\\v. v + t)", 3),
];

#[test]
fn what_is_made_of_a_number_is_made_where_it_is_reduced() {
    let Some(device) = opencl() else { return };
    for (program, launches) in OF_NUMBERS {
        let text = format!("{MOMENTS}def f {program}");
        for sizes in ["n=300001", "n=262144"] {
            let kernel = kernels(&text, sizes, &device);
            assert_eq!(kernel.matches("kernel __attribute__").count(), launches, "{program}: {kernel}");
            assert!(!kernel.contains("groups of (1, 1, 1)"), "{program}: {kernel}");
        }
    }
}
