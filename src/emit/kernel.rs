//! A kernel: the text of one function, and how to call it.

use super::Language;
use super::code::{Feature, Generator, Helper, Leaf, Lies, MOST_STRIDED, Place, is_strided, leaves, width};
use super::mathematics;
use super::nan::NeverNan;
use super::number::Width;
use super::share;
use super::syntax::{Expr, Line, Lines, Part, Stmt, What};
use super::threads;
use super::vector;
use super::wide::WIDE;
use crate::lang::declared::Declared;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, NatVar, Worker};
use crate::lang::origin::Origin;
use crate::lang::ty::{Scalar, Type};
use crate::lower::Target;
use crate::lower::dpia::{Imperative, Kind, LoopKind, Phrase, PhraseType, Workers, barriers};
use crate::lower::separate::Turn;
use crate::lower::target::{Launch, Storage};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// Generated code with its calling convention. Parameters come in the order of the function's: the output's
/// components, the sizes, the inputs' components, temporaries.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    pub language: Language,
    /// The name of the function.
    pub name: String,
    /// The head of the function, without a semicolon.
    pub prototype: String,
    /// The whole text, ready for a compiler.
    pub text: String,
    /// What the function needs before it: headers, functions of its own.
    pub prelude: Vec<String>,
    /// The function alone.
    pub function: String,
    /// Each line of the function.
    pub lines: Vec<Line>,
    pub params: Vec<KernelParam>,
    /// Of the components of outputs, inputs and temporaries that are no local memory, in this order: is there a parameter?
    pub passed: Vec<bool>,
    /// The inputs whose indices a `scatter` takes: each occurs once.
    pub scattered: BTreeSet<usize>,
    /// How many work-items each dimension can use, or what `oclRun` asks for; 1 where it is not used. For C all are 1.
    pub global_size: [Nat; 3],
    /// The work-items of a work-group, where `oclRun` says how many, or the code shares out work to groups.
    pub local_size: Option<[Nat; 3]>,
    /// The local memory that a work-group uses.
    pub local_memory: Vec<LocalMemory>,
    /// The `oclRun` that it is of, where there is one.
    pub origin: Origin,
    /// Whether the code uses OpenMP threads.
    pub parallel: bool,
    /// Does it divide integers by what may be zero? A function in C returns 1 where it did, and else 0.
    pub divides: bool,
    /// The most that a size may be. Sizes are `int`.
    pub most: i64,
    /// The most work-items in a dimension, where counters of loops would overflow with more.
    pub most_items: Option<i64>,
}

/// An array in local memory, and which part of the program asks for it.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalMemory {
    pub bytes: Nat,
    pub origin: Origin,
}

#[derive(Clone, PartialEq, Debug)]
pub struct KernelParam {
    /// The name in the text.
    pub name: String,
    pub kind: ParamKind,
    /// The type of one element; sizes are `i32`.
    pub scalar: Scalar,
    /// The number of elements; may depend on sizes and, for temporaries, on the number of work-items.
    pub len: Nat,
    /// Scalars are passed by value, everything else by pointer.
    pub by_value: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// A component of the result.
    Output(Leaf),
    Size(Name),
    /// A component of the input with this number.
    Input(usize, Leaf),
    /// Memory to work with, not initialised.
    Temp,
    /// The same, of each work-group its own.
    Local,
}

/// What a kernel needs beside its code.
pub struct Request<'a> {
    pub name: &'a str,
    /// Sizes that stay parameters, in order.
    pub sizes: &'a [Name],
    /// Those among them that are iterations of the host's loops.
    pub turns: &'a [Turn],
    /// Comments at the head of the text.
    pub comments: &'a [String],
    /// Is it the whole program, whose parameters follow from its type? Of parts only the host calls, which knows them.
    pub is_whole: bool,
    /// Where loops and memory come from.
    pub origins: &'a Arc<BTreeMap<Name, Origin>>,
    /// The `oclRun` that it is of, where there is one.
    pub origin: &'a Origin,
}

/// The text of an imperative program.
///
/// # Errors
/// Views or patterns that no pass has removed.
pub fn generate(p: &Imperative, target: Target, request: &Request) -> Result<Kernel, Diagnostic> {
    let language = match target {
        Target::C => Language::C,
        Target::OpenCl => Language::OpenCl,
    };
    let mut memory = p.inputs.clone();
    memory.extend(p.outputs.iter().cloned());
    memory.extend(p.temporaries.iter().map(|t| (t.name.clone(), t.ty.clone())));
    let bounds = index_bounds(&p.body, &memory);
    if let Some(n) = bounds.iter().find(|n| n.as_constant().is_some_and(|n| n > MOST_INDICES)) {
        return Err(too_many_indices(n));
    }
    let mut g = Generator::new(language, width(&p.body, &memory), request.origins.clone());
    g.ranges = p.ranges();
    g.assume(&p.constraints);
    for turn in request.turns {
        g.ranges.insert(turn.name.clone(), Nat::constant(0), turn.n.clone());
    }
    g.never_nan = NeverNan::of(p);
    let name = g.namer.function(request.name);

    let mut params = vec![];
    let mut signature = vec![];
    let (mut locals, mut local_memory) = (vec![], vec![]);
    // Which parameters are memory that the program asks for.
    let mut asked: Vec<(String, Origin)> = vec![];
    let origin = |x: &Name| request.origins.get(x).cloned().unwrap_or_default();
    let waits = language == Language::OpenCl && p.body.has_barrier();
    let is_exchanged = |x: &Name| waits && is_read(&p.body, x);
    let (outputs, inputs);
    {
        outputs = p
            .outputs
            .iter()
            .flat_map(|(x, ty)| g.place(x, ty, Lies::Global).into_iter().map(|place| (x.clone(), place)))
            .collect::<Vec<_>>();
        for (x, place) in &outputs {
            asked.push((place.name.clone(), origin(x)));
            signature.push(pointer(&mut g, place, Memory::Written { exchanged: is_exchanged(x) }));
            params.push(param(place, ParamKind::Output(place.leaf.clone())));
        }
        for size in request.sizes {
            let text = g.size(size);
            signature.push(format!("int {text}"));
            params.push(KernelParam {
                name: text,
                kind: ParamKind::Size(size.clone()),
                scalar: Scalar::I32,
                len: Nat::constant(1),
                by_value: true,
            });
        }
        inputs = p.inputs.iter().map(|(x, ty)| g.place(x, ty, Lies::Input)).collect::<Vec<_>>();
        for (i, places) in inputs.iter().enumerate() {
            for place in places {
                asked.push((place.name.clone(), origin(&p.inputs[i].0)));
                signature.push(if place.is_array {
                    pointer(&mut g, place, Memory::ReadOnly)
                } else {
                    value(&mut g, place)
                });
                params.push(param(place, ParamKind::Input(i, place.leaf.clone())));
            }
        }
        for t in &p.temporaries {
            let is_local = t.storage == Storage::Local;
            for place in g.place(&t.name, &t.ty, if is_local { Lies::Local } else { Lies::Global }) {
                if is_local {
                    let bytes = place.leaf.len().mul(&Nat::constant(place.leaf.scalar().bytes() as i64));
                    local_memory.push(LocalMemory { bytes, origin: origin(&t.name) });
                }
                if is_local && place.leaf.len().as_constant().is_some() {
                    locals.push((t.name.clone(), place));
                    continue;
                }
                asked.push((place.name.clone(), origin(&t.name)));
                signature.push(if is_local {
                    local_pointer(&mut g, &place, is_exchanged(&t.name))
                } else {
                    pointer(&mut g, &place, Memory::Written { exchanged: is_exchanged(&t.name) })
                });
                params.push(param(&place, if is_local { ParamKind::Local } else { ParamKind::Temp }));
            }
        }
    }
    let mut body: Vec<Stmt> = locals.iter().map(|(x, place)| g.local_array(x, place)).collect();
    let mut whole = g.size_widths();
    body.extend(commands(&mut g, &p.body)?);
    match language {
        Language::OpenCl => vector::halves::keep_bits(&mut body),
        Language::C => {
            crate::gathered::as_numbers(&mut body, &g);
            crate::choice::load_before(&mut body, &mut g);
            crate::in_order::keep_loops(&mut body);
        }
    }
    whole.extend(share::name_workers(&mut body, &identities(), g.width, &mut g.namer));
    share::name_parts(&mut body, whole, &mut g.namer);
    let divides = g.helpers.iter().any(|h| matches!(h, Helper::Quotient(..)));
    if let Some(name) = &g.undefined {
        tell_undefined(&mut body, name);
    }
    let used: Vec<bool> = params.iter().map(|p| request.is_whole || is_named(&body, &p.name)).collect();
    let is_memory = |p: &KernelParam| !matches!(p.kind, ParamKind::Size(_) | ParamKind::Local);
    let passed = params.iter().zip(&used).filter(|(p, _)| is_memory(p)).map(|(_, used)| *used).collect();
    let (mut of_text, mut of_kind) = (used.iter().copied(), used.iter().copied());
    signature.retain(|_| of_text.next().unwrap_or(true));
    params.retain(|_| of_kind.next().unwrap_or(true));
    let named: Vec<(String, String)> =
        params.iter().map(|p| p.name.clone()).zip(signature.iter().cloned()).collect();
    let of_chunk = |name: &str, params: &[String]| prototype("static void", name, params);
    let chunks = threads::to_functions(&mut body, &name, &named, &mut g.namer, &of_chunk);
    let head = head(language, !request.is_whole, g.undefined.is_some(), required_group(p.launch.as_ref()));
    let prototype = prototype(&head, &name, &signature);
    let mut comments = request.comments.to_vec();
    let is_strided = is_strided(&p.body);
    // Work-items are counted in an `int`, too.
    let of_items = || if is_strided { MOST_STRIDED } else { i32::MAX.into() };
    let most_items = (language == Language::OpenCl && g.width == Width::Int).then(of_items);
    if g.width == Width::Int && is_strided && !request.sizes.is_empty() {
        comments.push(format!("sizes and the numbers of work-items are at most {MOST_STRIDED}"));
    }
    if divides {
        comments.push(format!(
            "{} {UNDEFINED}",
            if g.undefined.is_some() { "returns 1 where" } else { "takes the quotient as 0 where" }
        ));
    }
    let long = bounds.iter().filter(|n| n.as_constant().is_none() && n.as_variable().is_none());
    comments.extend(long.map(|n| format!("{n} is at most {MOST_INDICES}")));
    let most = most_items.unwrap_or(i32::MAX.into());
    let mut prelude = headers(&mut g);
    if !chunks.is_empty() {
        let includes = prelude.iter().take_while(|part| part.starts_with("#include")).count();
        prelude.insert(includes, threads::HEADER.into());
    }
    let mut out = Lines::default();
    chunks.iter().for_each(|chunk| chunk.print(&g.tables, &mut out));
    let before = out.lines.len();
    out.add(&format!("{prototype} {{\n"));
    out.print(&threads::tables_of(&g.tables, &body), 1);
    out.print(&body, 1);
    out.add("}\n");
    let Lines { text: function, mut lines } = out;
    let asked = asked.iter().filter_map(|(x, origin)| {
        let at = params.iter().position(|p| p.name == *x)?;
        Some((at, x.as_str(), origin))
    });
    tell_memory(&mut lines[before..], head.lines().count(), &prototype, asked);
    let text = assemble(&comments, std::iter::once(&prelude), std::iter::once(&*function));
    let mut global_size = [Nat::constant(1), Nat::constant(1), Nat::constant(1)];
    extents(&p.body, &mut global_size);
    let (global_size, local_size) = match (&p.launch, groups(&p.body)) {
        (Some(l), _) => (l.global.clone(), Some(l.local.clone())),
        (None, Some((global, local))) => (global, Some(local)),
        (None, None) => (global_size, None),
    };
    Ok(Kernel {
        language,
        name,
        prototype,
        text,
        prelude,
        function,
        lines,
        params,
        passed,
        scattered: BTreeSet::new(),
        global_size,
        local_size,
        local_memory,
        origin: request.origin.clone(),
        parallel: g.has_threads,
        divides,
        most,
        most_items,
    })
}

/// The statements of the body. Memory is kept as vectors until something is met that no vector can do.
fn commands(g: &mut Generator, body: &Phrase) -> Result<Vec<Stmt>, Diagnostic> {
    loop {
        let mut attempt = g.clone();
        let made = attempt.command(body);
        if attempt.apart == g.apart {
            *g = attempt;
            return made;
        }
        g.apart = attempt.apart;
    }
}

/// Has a function in C return whether a division had no result. It is kept in an array, which functions of its loops are given.
fn tell_undefined(body: &mut Vec<Stmt>, name: &str) {
    let stmt = |what| Stmt { what, origin: Origin::default() };
    let first = || Expr::name(name).index(Expr::int(0));
    let (ty, len) = ("int".to_owned(), Some(Expr::int(1)));
    body.splice(
        0..0,
        [
            stmt(What::Declare { ty, name: name.to_owned(), len, init: None }),
            stmt(What::Assign { to: first(), op: "=", value: Expr::int(0) }),
        ],
    );
    body.push(stmt(What::Return(first())));
}

/// Does an expression of the statements name the number?
fn is_named(body: &[Stmt], name: &str) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| e.for_each(&mut |e| found |= matches!(e, Expr::Name(x) if x == name));
    body.iter().for_each(|s| s.for_each_expr(&mut look));
    found
}

/// What tells work-items apart, with the names that this gets.
fn identities() -> Vec<(Worker, String)> {
    let of = |d| {
        [(Worker::GlobalId(d), "gl_id"), (Worker::GroupId(d), "wg_id"), (Worker::LocalId(d), "l_id")]
            .map(|(id, name)| (id, format!("{name}_{d}")))
    };
    (0..3).flat_map(of).collect()
}

fn param(place: &Place, kind: ParamKind) -> KernelParam {
    KernelParam {
        name: place.name.clone(),
        kind,
        scalar: place.leaf.scalar(),
        len: place.leaf.len(),
        by_value: !place.is_array,
    }
}

/// What a kernel does with an array that it gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    ReadOnly,
    /// `exchanged` says whether work-items may read what others have written.
    Written {
        exchanged: bool,
    },
}

/// `restrict` promises that nobody else writes there: what another work-item wrote before a barrier would not be read after it.
fn restrict(exchanged: bool) -> &'static str {
    if exchanged { "" } else { "restrict " }
}

/// Does a command read the memory?
fn is_read(body: &Phrase, memory: &Name) -> bool {
    body.any(
        &mut |p| matches!(p.kind(), Kind::Var(x) if x == memory && matches!(p.ty(), PhraseType::Exp(..))),
    )
}

fn pointer(g: &mut Generator, place: &Place, memory: Memory) -> String {
    let ty = match (g.language, place.leaf.scalar()) {
        // Pointers to halves are there without halves.
        (Language::OpenCl, Scalar::F16) => "half",
        (_, s) => g.scalar_type(s),
    };
    let space = if g.language == Language::OpenCl { "global " } else { "" };
    let constant = if memory == Memory::ReadOnly { "const " } else { "" };
    let restrict = restrict(memory == Memory::Written { exchanged: true });
    format!("{space}{constant}{ty}* {restrict}{}", place.name)
}

fn local_pointer(g: &mut Generator, place: &Place, exchanged: bool) -> String {
    format!("local {}* {}{}", g.scalar_type(place.leaf.scalar()), restrict(exchanged), place.name)
}

/// What a kernel says of its work-groups, where their shape is a number.
fn required_group(launch: Option<&Launch>) -> Option<String> {
    let shape: Option<Vec<i64>> = launch?.local.iter().map(Nat::as_constant).collect();
    let [x, y, z] = shape?[..] else { return None };
    Some(format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))"))
}

fn value(g: &mut Generator, place: &Place) -> String {
    format!("{} {}", g.scalar_type(place.leaf.scalar()), place.name)
}

/// What stands before a function's name. One in C may tell that a division has no result.
fn head(language: Language, is_static: bool, tells: bool, attribute: Option<String>) -> String {
    match (language, attribute) {
        (Language::C, _) => {
            format!("{}{}", if is_static { "static " } else { "" }, if tells { "int" } else { "void" })
        }
        (Language::OpenCl, None) => "kernel void".into(),
        (Language::OpenCl, Some(attribute)) => format!("kernel {attribute}\nvoid"),
    }
}

fn prototype(head: &str, name: &str, signature: &[String]) -> String {
    let one_line = format!("{head} {name}({})", signature.join(", "));
    if one_line.len() <= 108 {
        return one_line;
    }
    format!(
        "{head} {name}(
    {}
)",
        signature.join(
            ",
    "
        )
    )
}

/// Says of a function's head which memory it names that the program asks for.
fn tell_memory<'a>(
    lines: &mut [Line],
    head: usize,
    prototype: &str,
    asked: impl Iterator<Item = (usize, &'a str, &'a Origin)>,
) {
    let is_one_line = prototype.lines().count() == head;
    for (i, name, origin) in asked.filter(|(_, _, origin)| !origin.is_none()) {
        let Some(line) = lines.get_mut(if is_one_line { head - 1 } else { head + i }) else { continue };
        line.origin = line.origin.with(origin);
        line.part = match &line.part {
            Part::Memory(others) => Part::Memory(format!("{others}, {name}")),
            _ => Part::Memory(name.to_owned()),
        };
    }
}

/// A text of functions: comments, what they need before them, each once, and the functions.
pub fn assemble<'a>(
    comments: &[String],
    preludes: impl Iterator<Item = &'a Vec<String>>,
    functions: impl Iterator<Item = &'a str>,
) -> String {
    let mut out = String::new();
    for comment in comments.iter().flat_map(|c| c.lines()) {
        let _ = writeln!(out, "// {}", comment.trim_end());
    }
    let mut parts: Vec<&str> = vec![];
    for part in preludes.flatten() {
        if !parts.contains(&part.as_str()) {
            parts.push(part);
        }
    }
    let prelude = parts.concat();
    let mut add = |part: &str| {
        if !out.is_empty() && !part.is_empty() {
            out.push('\n');
        }
        out.push_str(part);
    };
    add(prelude.trim_start_matches('\n'));
    functions.for_each(add);
    out
}

/// Headers and extensions, then functions.
fn headers(g: &mut Generator) -> Vec<String> {
    let mut functions = vec![];
    for helper in g.helpers.clone() {
        functions.push(match helper {
            Helper::Quotient(p, s) => g.quotient_function(p, s),
            Helper::Scalar(p, s, from) => g.scalar_function(p, s, from),
            Helper::Eased(p, s) => g.eased_function(p, s),
            Helper::Lanes(p, s, n) => g.vector_function(p, s, n),
            Helper::Nearest(to, from, n) => g.nearest_function(to, from, n),
            Helper::Foreign(function) => foreign_function(g, function),
            Helper::Allocate | Helper::FloorDiv => continue,
        });
    }
    let mut out = vec![];
    let uses = |f: Feature| g.uses.contains(&f);
    let helper = |h: Helper| g.helpers.contains(&h);
    if g.language == Language::C {
        let headers = [
            (uses(Feature::Math), "math.h"),
            (uses(Feature::StdBool), "stdbool.h"),
            (uses(Feature::StdInt), "stdint.h"),
            (helper(Helper::Allocate), "stdio.h"),
            (helper(Helper::Allocate), "stdlib.h"),
        ];
        let used = headers.into_iter().filter(|(used, _)| *used);
        out.extend(used.map(|(_, header)| format!("#include <{header}>\n")));
        out.extend(mathematics::declarations(&g.uses));
        if uses(Feature::Prefetch) {
            out.push(PREFETCH.to_string());
        }
        if uses(Feature::Wide) {
            out.push(WIDE.to_string());
        }
    } else {
        let extensions = [(uses(Feature::Half), "cl_khr_fp16"), (uses(Feature::Double), "cl_khr_fp64")];
        let used = extensions.into_iter().filter(|(used, _)| *used);
        out.extend(used.map(|(_, extension)| format!("#pragma OPENCL EXTENSION {extension} : enable\n")));
    }
    if helper(Helper::Allocate) {
        out.push(ALLOCATE.to_string());
    }
    if helper(Helper::FloorDiv) {
        out.push(floor_functions(g.language));
    }
    out.extend(functions);
    out
}

/// The largest plain number (`natType`) that an input may hold.
pub const LARGEST_NUMBER: i64 = i32::MAX as i64;

/// What has no result, in words.
pub const UNDEFINED: &str = "an integer is divided by zero, or the least one by -1";

/// What compilers without it do instead of asking for memory ahead: nothing.
const PREFETCH: &str = "#ifndef __GNUC__\n#define __builtin_prefetch(address)\n#endif\n";

/// Division of numbers that may be negative, rounded down, and what it leaves.
pub(super) fn floor_functions(language: Language) -> String {
    let inline = if language == Language::C { "static inline long" } else { "long" };
    format!(
        "\n{inline} floor_div(long a, long b) {{\n  return a / b - (a % b < 0) * (b < 0 ? -1 : 1);\n}}\n\n\
         {inline} floor_mod(long a, long b) {{\n  return a - b * floor_div(a, b);\n}}\n"
    )
}

/// The program's own function, with its text as it was written.
fn foreign_function(g: &mut Generator, function: Declared) -> String {
    let Some(foreign) = function.foreign() else { return String::new() };
    // The text may call whatever C has for numbers.
    g.uses.insert(Feature::Math);
    let params: Vec<String> =
        foreign.params.iter().map(|(name, s)| format!("{} {name}", g.scalar_type(*s))).collect();
    let (result, name) = (g.scalar_type(foreign.result), Helper::Foreign(function).name());
    let inline = if g.language == Language::C { "static inline " } else { "" };
    let body: String = foreign.body.lines().map(|l| format!("  {}\n", l.trim())).collect();
    format!("\n{inline}{result} {name}({}) {{\n{body}}}\n", params.join(", "))
}

/// Aligned so that vector loads of any width are, and never a null pointer. Where a compiler knows no `aligned_alloc`, it takes
/// the pointer for an `int`, and only warns.
const ALLOCATE: &str = r#"
#if __STDC_VERSION__ < 201112L
#error "aligned_alloc is a function of C11: compile this file with -std=c11 or a later one"
#endif

static void* allocate(size_t bytes) {
  void* memory = aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (memory == NULL) {
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    abort();
  }
  return memory;
}
"#;

/// A shape for work that is shared out among groups, where none is asked for: all work-items, and those of a group. It is
/// usual; the code is right for every other one.
fn groups(c: &Phrase) -> Option<([Nat; 3], [Nat; 3])> {
    let one = || [Nat::constant(1), Nat::constant(1), Nat::constant(1)];
    let (mut groups, mut items) = (one(), one());
    let mut used = [false; 3];
    let _ = c.any(&mut |p| {
        if let Kind::For(l) = p.kind()
            && let LoopKind::Parallel(workers) = l.kind
        {
            match workers {
                Workers::WorkGroup(d) => {
                    let size = &mut groups[usize::from(d)];
                    *size = larger(size, &l.n);
                }
                Workers::Local(d) => {
                    used[usize::from(d)] = true;
                    let size = &mut items[usize::from(d)];
                    *size = larger(size, &l.n);
                }
                Workers::Global(_) | Workers::Threads => {}
            }
        }
        false
    });
    if !barriers::has_groups(c) && groups == one() {
        return None;
    }
    // 128 work-items, most of them along the innermost dimension.
    let most: &[i64] = match used.iter().filter(|u| **u).count() {
        0 | 1 => &[128],
        2 => &[16, 8],
        _ => &[8, 4, 4],
    };
    let mut most = most.iter();
    let mut local = one();
    for d in (0..3).filter(|d| used[*d]) {
        let most = most.next().copied().unwrap_or(1);
        local[d] = Nat::constant(items[d].as_constant().map_or(most, |n| n.clamp(1, most)));
    }
    let global = [0, 1, 2].map(|d| groups[d].mul(&local[d]));
    Some((global, local))
}

/// How many work-items each dimension can use.
fn extents(c: &Phrase, global: &mut [Nat; 3]) {
    let _ = c.any(&mut |p| {
        if let Kind::For(l) = p.kind()
            && let LoopKind::Parallel(Workers::Global(d)) = l.kind
            && let Some(size) = global.get_mut(usize::from(d))
        {
            *size = larger(size, &l.n);
        }
        false
    });
}

/// The larger of two extents where that is known, else the second.
fn larger(a: &Nat, b: &Nat) -> Nat {
    match (a.as_constant(), b.as_constant()) {
        (Some(x), Some(y)) => Nat::constant(x.max(y)),
        (None, Some(_)) => a.clone(),
        _ => b.clone(),
    }
}

/// So many indices have a number in 32 bits.
const MOST_INDICES: i64 = 1 << 31;

/// What the indices that are kept in memory are below.
fn index_bounds(c: &Phrase, params: &[(Name, Type)]) -> BTreeSet<Nat> {
    let bounds =
        |ty: &Type| leaves(ty).into_iter().filter_map(|l| l.elem.as_index().cloned()).collect::<Vec<_>>();
    let mut found: BTreeSet<Nat> = params.iter().flat_map(|(_, ty)| bounds(ty)).collect();
    let _ = c.any(&mut |p| {
        if let Kind::New(_, ty, _, _) = p.kind() {
            found.extend(bounds(ty));
        }
        false
    });
    found
}

fn too_many_indices(n: &Nat) -> Diagnostic {
    Diagnostic::error("E0515", format!("Indices below {n} are kept in memory, which has 32 bits for each."))
        .note(format!("There is room for indices below {MOST_INDICES}."))
        .hint("Keep an index for each dimension, or the numbers that indices are made of as `natType`.")
}

/// A size that is more than kernels count to.
pub fn too_large(size: &str, n: i64, most: i64) -> Diagnostic {
    let d = Diagnostic::error("E0515", format!("The size `{size}` is {n}, which is more than {most}."));
    let d = match most < i32::MAX.into() {
        true => {
            d.note("In this kernel loops count to sizes in 32-bit integers, in steps of as many work-items.")
        }
        false => d.note("In kernels, sizes are 32-bit integers."),
    };
    d.hint("Give it a smaller value.")
}

impl Kernel {
    /// The bytes of local memory that a work-group uses.
    pub fn local_bytes(&self) -> Nat {
        self.local_memory.iter().fold(Nat::constant(0), |all, m| all.add(&m.bytes))
    }

    /// Does the kernel count right with these sizes, and so many work-items in each dimension?
    ///
    /// # Errors
    /// The first size or number of work-items that is too large.
    pub fn check_counts(
        &self,
        sizes: &dyn Fn(&str) -> Option<i64>,
        global: [u64; 3],
    ) -> Result<(), Diagnostic> {
        for p in &self.params {
            if let ParamKind::Size(x) = &p.kind
                && let Some(n) = sizes(x).filter(|n| *n > self.most)
            {
                return Err(too_large(x, n, self.most));
            }
        }
        let Some(most) = self.most_items else { return Ok(()) };
        let too_many = global.iter().position(|n| i64::try_from(*n).map_or(true, |n| n > most));
        too_many.map_or(Ok(()), |d| {
            let n = global[d];
            Err(Diagnostic::error("E0515", format!("{n} work-items in dimension {d} are more than {most}."))
                .note(match most < i32::MAX.into() {
                    true => "In this kernel loops count in 32-bit integers, in steps of as many work-items.",
                    false => "In this kernel work-items are numbered with 32-bit integers.",
                })
                .hint("Ask `oclRun` for fewer: each of them runs several iterations then."))
        })
    }

    /// The work-items of a group in each dimension, where it is said how many.
    ///
    /// # Errors
    /// A size without a value.
    pub fn local(
        &self,
        sizes: &dyn Fn(&str) -> Option<i64>,
    ) -> Result<Option<[u64; 3]>, crate::lang::nat::NatError> {
        let Some(local) = &self.local_size else { return Ok(None) };
        let mut out = [1; 3];
        for (n, local) in out.iter_mut().zip(local) {
            let value = local.eval(sizes)?;
            *n = u64::try_from(value).map_err(|_| crate::lang::nat::NatError::Overflow(local.to_string()))?;
        }
        Ok(Some(out))
    }

    /// The value of a length for sizes and global sizes.
    ///
    /// # Errors
    /// A size without a value.
    pub fn len(
        &self,
        param: &KernelParam,
        sizes: &dyn Fn(&str) -> Option<i64>,
        global: [u64; 3],
    ) -> Result<usize, crate::lang::nat::NatError> {
        let n = param.len.at_launch(global, self.local(sizes)?).eval(sizes)?;
        usize::try_from(n).map_err(|_| crate::lang::nat::NatError::Overflow(param.len.to_string()))
    }
}

/// Every size that types and code mention, in order of first appearance.
pub fn sizes_of(p: &Imperative) -> Vec<Name> {
    let mut out: Vec<Name> = vec![];
    let mut note = |n: &Nat| {
        for v in n.vars() {
            if let NatVar::Named(x) = v
                && !out.contains(&x)
            {
                out.push(x);
            }
        }
    };
    let mut types: Vec<&Type> = p.inputs.iter().map(|(_, t)| t).collect();
    types.extend(p.outputs.iter().map(|(_, t)| t));
    types.iter().for_each(|t| t.for_each_nat(&mut note));
    out
}
