//! Loops that threads share out, as functions over a range of iterations.
//!
//! A compiler moves what OpenMP runs in parallel into a function of its own, and gcc forgets there that memory does not
//! overlap (`restrict`), and how long loops are: it vectorises less than in a loop without threads. So the range of a thread is
//! a function of ours, with `restrict` in its head, in which the loop is what it would be without threads. Where there is
//! too little to compute to start threads, it is called for all iterations at once.

use super::code::Generator;
use super::names::Namer;
use super::syntax::{Expr, Lines, Pragma, Stmt, Threads, What, element_type};
use crate::lang::nat::{Atom, Monomial, Nat, NatVar};
use crate::lang::origin::Origin;
use crate::lower::dpia::{Kind, Loop, Phrase, effort};
use num_traits::{Signed, ToPrimitive};
use std::collections::BTreeSet;

/// The least effort ([`effort`]) for which threads are started. Measured for 13 programs with gcc on a Xeon: two threads are
/// faster than one from 40,000 to 300,000 (what takes one thread 3 microseconds), sixteen from 50,000 to 400,000.
const LEAST_EFFORT: f64 = 300_000.0;

/// A length that what is not known may have.
const SOME: f64 = 16.0;

/// The number of threads, where the compiler knows OpenMP.
pub const HEADER: &str = "#ifdef _OPENMP\n#include <omp.h>\n#else\n#define omp_get_max_threads() 1\n#endif\n";

impl Generator {
    /// How threads share out a loop, unless there is too little to compute.
    pub(super) fn threads(&mut self, l: &Loop) -> Option<Threads> {
        let effort = effort::of_loop(l);
        if effort.as_constant().is_some_and(|n| (n as f64) < LEAST_EFFORT) {
            return None;
        }
        self.has_threads = true;
        // Where the inner loop has no loop in it, it is left to be vectorised.
        let is_loop = |p: &Phrase| matches!(p.kind(), Kind::For(_));
        let both = match l.body.kind() {
            Kind::For(inner) => {
                let is_fixed = !inner.n.vars().contains(&NatVar::Named(l.var.clone()));
                inner.kind == l.kind && is_fixed && inner.body.any(&mut |p| is_loop(p))
            }
            _ => false,
        };
        Some(Threads { too_little: self.too_little(&effort), both })
    }

    /// Whether the effort is less than the least, as far as that depends on sizes.
    fn too_little(&mut self, effort: &Nat) -> Option<Expr> {
        if effort.is_poison() || effort.as_constant().is_some() {
            return None;
        }
        // What grows no faster than another term counts with it, as if what it lacks of that were of some length.
        let degree = |m: &Monomial| m.iter().map(|(_, e)| *e).sum::<i32>();
        let mut terms: Vec<(Monomial, f64)> = vec![];
        let mut all: Vec<_> = effort.terms().iter().filter(|(_, c)| c.is_positive()).collect();
        all.sort_by_key(|(m, _)| std::cmp::Reverse(degree(m)));
        for (m, c) in all {
            let c = c.to_f64()?;
            match terms.iter_mut().find(|(other, _)| divides(m, other)) {
                Some((other, sum)) => *sum += c / SOME.powi(degree(other) - degree(m)),
                None => terms.push((m.clone(), c)),
            }
        }
        if let [(m, c)] = terms.as_slice() {
            let bound = two_digits(LEAST_EFFORT / c);
            let product = self.product(m, None)?;
            return (bound > 1).then(|| Expr::binary("<", product, Expr::int(bound)));
        }
        let products: Option<Vec<Expr>> = terms.iter().map(|(m, c)| self.product(m, Some(*c))).collect();
        let sum = products?.into_iter().reduce(|a, b| Expr::binary("+", a, b))?;
        Some(Expr::binary("<", sum, Expr::int(LEAST_EFFORT as i64)))
    }

    /// A product of sizes in a type that holds it.
    fn product(&mut self, m: &Monomial, factor: Option<f64>) -> Option<Expr> {
        let mut factors = vec![];
        let mut divisors = vec![];
        for (atom, e) in m {
            let value = match atom {
                Atom::Sum(n) => n.clone(),
                other => Nat::atom(other.clone()),
            };
            let list = if *e > 0 { &mut factors } else { &mut divisors };
            for _ in 0..e.unsigned_abs() {
                list.push(self.number(&value));
            }
        }
        let many = factors.len() > 2 || !divisors.is_empty();
        match (factors.first_mut(), factor) {
            (_, Some(c)) => factors.insert(0, Expr::int(format!("{:.1}", c.max(0.1)))),
            (None, None) => return None,
            (Some(first), None) if many => *first = first.clone().cast("double"),
            (Some(first), None) if m.len() > 1 || m.iter().any(|(_, e)| *e > 1) => {
                *first = first.clone().cast("long");
            }
            _ => {}
        }
        let product = factors.into_iter().reduce(|a, b| Expr::binary("*", a, b))?;
        Some(divisors.into_iter().fold(product, |a, b| Expr::binary("/", a, b)))
    }
}

/// Does the second product have all factors of the first?
fn divides(a: &Monomial, b: &Monomial) -> bool {
    a.iter().all(|(x, e)| b.iter().any(|(y, f)| x == y && f >= e))
        && b.iter().all(|(y, f)| *f > 0 || a.iter().any(|(x, e)| x == y && e == f))
}

/// A number as a person says it.
fn two_digits(n: f64) -> i64 {
    let unit = 10f64.powf((n.log10().floor() - 1.0).max(0.0));
    ((n / unit).ceil() * unit) as i64
}

/// A function over a range of the iterations of a loop.
pub struct Chunk {
    head: String,
    body: Vec<Stmt>,
}

impl Chunk {
    /// The text. Tables that it uses are its own.
    pub fn print(&self, tables: &[Stmt], out: &mut Lines) {
        out.add(&format!("{} {{\n", self.head));
        out.print(&tables_of(tables, &self.body), 1);
        out.print(&self.body, 1);
        out.add("}\n\n");
    }
}

/// The tables that statements use.
pub fn tables_of(tables: &[Stmt], body: &[Stmt]) -> Vec<Stmt> {
    let used = names(body);
    let is_used = |s: &&Stmt| matches!(&s.what, What::Table { name, .. } if used.contains(name));
    tables.iter().filter(is_used).cloned().collect()
}

/// Makes functions of the loops that threads share out, and calls them.
///
/// `function`: the name of the function that the statements are of; `params`: its parameters by their names, as they are
/// declared; `head`: writes the head of a function of a name and such declarations.
pub fn to_functions(
    body: &mut Vec<Stmt>,
    function: &str,
    params: &[(String, String)],
    namer: &mut Namer,
    head: &dyn Fn(&str, &[String]) -> String,
) -> Vec<Chunk> {
    let scope = params.iter().map(|(name, text)| Declared::new(name, text.clone())).collect();
    if !has(body, &mut |s| matches!(&s.what, What::For { pragma: Some(Pragma::Threads(_)), .. })) {
        return vec![];
    }
    let names = Names {
        threads: namer.name("threads"),
        thread: [namer.name("thread"), namer.name("thread")],
        begin: [namer.name("begin"), namer.name("begin")],
        end: [namer.name("end"), namer.name("end")],
    };
    let mut making = Making { function, names, head, scope, made: vec![] };
    making.block(body);
    making.made
}

fn has(body: &[Stmt], is: &mut dyn FnMut(&Stmt) -> bool) -> bool {
    body.iter().any(|s| is(s) || s.bodies().into_iter().any(|b| has(b, is)))
}

/// All names that expressions have.
fn names(body: &[Stmt]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    body.iter().for_each(|s| {
        s.for_each_expr(&mut |e| {
            e.for_each(&mut |e| {
                if let Expr::Name(x) = e {
                    out.insert(x.clone());
                }
            });
        });
    });
    out
}

/// The variables that statements set.
fn set_variables(body: &[Stmt]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let _ = has(body, &mut |s| {
        if let What::Assign { to: Expr::Name(x), .. } = &s.what {
            out.insert(x.clone());
        }
        false
    });
    out
}

/// A loop, with what it allocates on the heap around it, once for all iterations.
fn with_memory_around(mut s: Stmt) -> Vec<Stmt> {
    let mut own = BTreeSet::new();
    let _ = has(std::slice::from_ref(&s), &mut |s| {
        if let What::Declare { name, .. } | What::Name { name, .. } | What::For { var: name, .. } = &s.what {
            own.insert(name.clone());
        }
        false
    });
    let (mut before, mut after) = (vec![], vec![]);
    if let What::For { body, .. } = &mut s.what {
        take_memory(body, &own, &mut before, &mut after);
    }
    before.push(s);
    before.extend(after);
    before
}

/// Takes the heap's memory out of statements whose size they do not decide: what allocates it, and what frees it.
fn take_memory(block: &mut Vec<Stmt>, own: &BTreeSet<String>, before: &mut Vec<Stmt>, after: &mut Vec<Stmt>) {
    for mut s in std::mem::take(block) {
        let is_taken =
            |x: &String| before.iter().any(|b| matches!(&b.what, What::Declare { name, .. } if name == x));
        match &mut s.what {
            What::Declare { init: Some(Expr::Call(f, args)), .. } if f == "allocate" => {
                let mut is_own = false;
                let mut look = |e: &Expr| is_own |= matches!(e, Expr::Name(x) if own.contains(x));
                args.iter().for_each(|e| e.for_each(&mut look));
                if !is_own {
                    before.push(s);
                    continue;
                }
            }
            What::Expr(Expr::Call(f, args)) if f == "free" => {
                if matches!(args.as_slice(), [Expr::Name(x)] if is_taken(x)) {
                    after.push(s);
                    continue;
                }
            }
            What::Block(inner) | What::For { pragma: None, body: inner, .. } => {
                take_memory(inner, own, before, after);
            }
            _ => {}
        }
        block.push(s);
    }
}

/// A name that statements see, and how it is declared as a parameter.
struct Declared {
    name: String,
    text: String,
}

impl Declared {
    fn new(name: &str, text: String) -> Declared {
        Declared { name: name.to_string(), text }
    }
    /// Is it passed by value?
    fn is_value(&self) -> bool {
        !self.text.contains('*')
    }
}

/// The names of what shares out iterations, by level.
struct Names {
    threads: String,
    thread: [String; 2],
    begin: [String; 2],
    end: [String; 2],
}

struct Making<'a> {
    function: &'a str,
    names: Names,
    head: &'a dyn Fn(&str, &[String]) -> String,
    scope: Vec<Declared>,
    made: Vec<Chunk>,
}

/// A range that is shared out: its type and its end.
struct Range {
    ty: String,
    end: Expr,
}

impl Making<'_> {
    fn block(&mut self, block: &mut Vec<Stmt>) {
        let outside = self.scope.len();
        for s in block {
            self.statement(s);
        }
        self.scope.truncate(outside);
    }

    fn statement(&mut self, s: &mut Stmt) {
        if let Some(made) = self.shared_out(s) {
            s.what = made;
            return;
        }
        match &mut s.what {
            What::Declare { ty, name, len, .. } => {
                let text = match len {
                    Some(_) => format!("{}* restrict {name}", element_type(ty)),
                    None => format!("{ty} {name}"),
                };
                self.scope.push(Declared::new(name, text));
            }
            What::Name { ty, name, .. } => self.scope.push(Declared::new(name, format!("{ty} {name}"))),
            What::For { ty, var, body, .. } => {
                self.scope.push(Declared::new(var, format!("{ty} {var}")));
                self.block(body);
                self.scope.pop();
            }
            What::If { then, otherwise, .. } => {
                self.block(then);
                self.block(otherwise);
            }
            What::Block(body) => self.block(body),
            _ => {}
        }
    }

    /// What calls the function that is made of a loop; nothing where it is no loop of threads, or sets variables outside.
    fn shared_out(&mut self, s: &Stmt) -> Option<What> {
        let mut whole = s.clone();
        let What::For { pragma: pragma @ Some(Pragma::Threads(_)), .. } = &mut whole.what else {
            return None;
        };
        let Some(Pragma::Threads(threads)) = pragma.take() else { return None };
        let mut ranges = vec![self.range(&mut whole, 0)?];
        if threads.both
            && let What::For { body, .. } = &mut whole.what
            && let Some(inner) = body.last_mut()
        {
            ranges.extend(self.range(inner, 1));
        }
        let body = with_memory_around(whole);
        let used = names(&body);
        let set = set_variables(&body);
        let free: Vec<&Declared> = self.scope.iter().filter(|d| used.contains(&d.name)).collect();
        if free.iter().any(|d| d.is_value() && set.contains(&d.name)) {
            return None;
        }
        let name = format!("{}_chunk{}", self.function, self.made.len());
        let bounds = ranges
            .iter()
            .enumerate()
            .flat_map(|(k, r)| [&self.names.begin[k], &self.names.end[k]].map(|x| format!("{} {x}", r.ty)));
        let declared: Vec<String> = bounds.chain(free.iter().map(|d| d.text.clone())).collect();
        let head = (self.head)(&name, &declared);
        let call = |bounds: Vec<Expr>| {
            let args = bounds.into_iter().chain(free.iter().map(|d| Expr::name(&d.name))).collect();
            Stmt { what: What::Expr(Expr::call(&name, args)), origin: s.origin.clone() }
        };
        let all = ranges.iter().flat_map(|r| [Expr::int(0), r.end.clone()]).collect();
        let at_once = self.by_threads(&ranges, &call, &s.origin);
        let made = match threads.too_little {
            Some(condition) => What::If { condition, then: vec![call(all)], otherwise: at_once },
            None => What::Block(at_once),
        };
        self.made.push(Chunk { head, body });
        Some(made)
    }

    /// The range of a loop, which becomes one over a part of it; nothing where its ends are not known here.
    fn range(&self, s: &mut Stmt, level: usize) -> Option<Range> {
        let What::For { ty, init, end, step, .. } = &mut s.what else { return None };
        let is = |e: &Expr, n: &str| matches!(e, Expr::Text(t) if t == n);
        let mut known = true;
        end.for_each(&mut |e| {
            known &= !matches!(e, Expr::Name(x) if !self.scope.iter().any(|d| d.name == *x))
        });
        if !known || !is(init, "0") || !is(step, "1") {
            return None;
        }
        let whole = std::mem::replace(end, Expr::name(&self.names.end[level]));
        *init = Expr::name(&self.names.begin[level]);
        Some(Range { ty: ty.clone(), end: whole })
    }

    /// A loop over threads, or two, which call the function for their part of each range.
    fn by_threads(&self, ranges: &[Range], call: &dyn Fn(Vec<Expr>) -> Stmt, origin: &Origin) -> Vec<Stmt> {
        let threads = || Expr::name(&self.names.threads);
        let part = |end: &Expr, thread: Expr| {
            let whole = match end {
                Expr::Text(digits) => Expr::Text(format!("{digits}L")),
                other => other.clone().cast("long"),
            };
            Expr::binary("/", Expr::binary("*", whole, thread), threads())
        };
        let bounds = ranges.iter().zip(&self.names.thread).flat_map(|(r, thread)| {
            let thread = Expr::name(thread);
            let next = Expr::binary("+", thread.clone(), Expr::int(1));
            [part(&r.end, thread), part(&r.end, next)]
        });
        let mut body = vec![call(bounds.collect())];
        for (k, _) in ranges.iter().enumerate().rev() {
            let pragma = (k == 0).then_some(Pragma::Text(match ranges {
                [_] => "omp parallel for",
                _ => "omp parallel for collapse(2) schedule(dynamic)",
            }));
            let (var, end) = (self.names.thread[k].clone(), threads());
            let (init, step) = (Expr::int(0), Expr::int(1));
            let what = What::For { pragma, ty: "int".into(), var, init, end, step, body };
            body = vec![Stmt { what, origin: origin.clone() }];
        }
        let (name, value) = (self.names.threads.clone(), Expr::call("omp_get_max_threads", vec![]));
        let what = What::Name { ty: "int".into(), name, value };
        body.insert(0, Stmt { what, origin: origin.clone() });
        body
    }
}

#[cfg(test)]
mod tests {
    use super::super::Language;
    use super::*;

    fn n(x: &str) -> Expr {
        Expr::name(x)
    }
    fn stmt(what: What) -> Stmt {
        Stmt { what, origin: Origin::default() }
    }
    fn loop_over(var: &str, end: Expr, pragma: Option<Pragma>, body: Vec<Stmt>) -> Stmt {
        let (init, step) = (Expr::int(0), Expr::int(1));
        stmt(What::For { pragma, ty: "int".into(), var: var.into(), init, end, step, body })
    }
    fn threads(too_little: Option<Expr>, both: bool) -> Option<Pragma> {
        Some(Pragma::Threads(Threads { too_little, both }))
    }
    fn set(to: Expr, value: Expr) -> Stmt {
        stmt(What::Assign { to, op: "=", value })
    }
    /// The functions that are made, and what is left of the statements, for parameters `out`, `n` and `m`.
    fn made(mut body: Vec<Stmt>) -> (String, String) {
        let params = [("out", "float* restrict out"), ("n", "int n"), ("m", "int m")];
        let params = params.map(|(name, text)| (name.to_string(), text.to_string()));
        let head = |name: &str, params: &[String]| format!("static void {name}({})", params.join(", "));
        let chunks = to_functions(&mut body, "f", &params, &mut Namer::new(Language::C), &head);
        let (mut functions, mut rest) = (Lines::default(), Lines::default());
        chunks.iter().for_each(|chunk| chunk.print(&[], &mut functions));
        rest.print(&body, 0);
        (functions.text, rest.text)
    }

    #[test]
    fn a_loop_of_threads_is_a_function_of_what_it_uses() {
        let row = stmt(What::Name { ty: "int".into(), name: "at0".into(), value: n("m") });
        let body = vec![set(n("out").index(n("i")), n("at0"))];
        let little = Expr::binary("<", n("n"), Expr::int(9));
        let (functions, rest) = made(vec![row, loop_over("i", n("n"), threads(Some(little), false), body)]);
        assert_eq!(
            functions,
            "static void f_chunk0(int begin, int end, float* restrict out, int at0) {\n  \
             for (int i = begin; i < end; i++) {\n    out[i] = at0;\n  }\n}\n\n"
        );
        assert_eq!(
            rest,
            "int at0 = m;\nif (n < 9) {\n  f_chunk0(0, n, out, at0);\n} else {\n  \
             int threads = omp_get_max_threads();\n  #pragma omp parallel for\n  for (int thread = 0; thread < threads; thread++) {\n    \
             f_chunk0((long)n * thread / threads, (long)n * (thread + 1) / threads, out, at0);\n  }\n}\n"
        );
    }

    #[test]
    fn two_loops_that_are_shared_out_together_are_parts_of_both() {
        let inner = loop_over("j", n("m"), None, vec![set(n("out").index(n("j")), n("i"))]);
        let (functions, rest) = made(vec![loop_over("i", n("n"), threads(None, true), vec![inner])]);
        assert!(functions.contains("(int begin, int end, int begin_1, int end_1, float* restrict out) {"));
        assert!(functions.contains("j = begin_1; j < end_1; j++"), "{functions}");
        assert!(rest.contains("#pragma omp parallel for collapse(2) schedule(dynamic)\n"), "{rest}");
        assert!(
            rest.contains("(long)m * thread_1 / threads, (long)m * (thread_1 + 1) / threads, out"),
            "{rest}"
        );
        // The end of the inner loop must be known before the outer one.
        let inner = loop_over("j", n("i"), None, vec![set(n("out").index(n("j")), n("m"))]);
        let (functions, rest) = made(vec![loop_over("i", n("n"), threads(None, true), vec![inner])]);
        assert!(functions.contains("j = 0; j < i; j++"), "{functions}");
        assert!(rest.contains("#pragma omp parallel for\n"), "{rest}");
    }

    #[test]
    fn memory_of_an_iteration_is_that_of_the_next_one() {
        let memory = |name: &str, size: &str| {
            let init = Some(Expr::call("allocate", vec![n(size)]));
            stmt(What::Declare { ty: "float* restrict".into(), name: name.into(), len: None, init })
        };
        let free = |name: &str| stmt(What::Expr(Expr::call("free", vec![n(name)])));
        let inner = stmt(What::Block(vec![memory("u", "m"), set(n("u").index(n("i")), n("m")), free("u")]));
        let body = vec![memory("t", "m"), memory("v", "i"), inner, free("v"), free("t")];
        let (functions, _) = made(vec![loop_over("i", n("n"), threads(None, false), body)]);
        let at = |text: &str| functions.find(text).unwrap();
        let outside = ["* restrict t = allocate(m)", "* restrict u = allocate(m)", "for (int i"];
        assert!(outside.windows(2).all(|w| at(w[0]) < at(w[1])), "{functions}");
        // What an iteration decides the size of stays in it.
        assert!(
            at("for (int i") < at("restrict v = allocate(i)") && at("free(v)") < at("free(u)"),
            "{functions}"
        );
        assert!(at("free(u)") < at("free(t)"), "{functions}");
    }

    /// A function could not set them.
    #[test]
    fn a_loop_that_sets_a_variable_outside_stays_where_it_is() {
        let declare = What::Declare { ty: "float".into(), name: "t".into(), len: None, init: None };
        let body = vec![set(n("t"), n("i"))];
        let (functions, rest) =
            made(vec![stmt(declare), loop_over("i", Expr::int(1), threads(None, false), body)]);
        assert_eq!(functions, "");
        assert!(
            rest.starts_with("float t;\n#pragma omp parallel for\nfor (int i = 0; i < 1; i++) {"),
            "{rest}"
        );
    }
}
