//! Each construct of each language, as a tree.

use super::super::ast::Language;
use super::super::*;
use super::dump;
use crate::diag::{Diagnostic, FileId};

fn clean<T>((tree, problems): (T, Vec<Diagnostic>)) -> T {
    assert!(problems.is_empty(), "{problems:#?}");
    tree
}

fn expr(text: &str) -> String {
    dump::expr(&clean(parse_expr(FileId(0), text)))
}

fn side(text: &str) -> String {
    dump::expr(&clean(parse_rule_side(FileId(0), text)))
}

fn ty(text: &str) -> String {
    dump::ty(&clean(parse_type(FileId(0), text)))
}

fn sketch(text: &str) -> String {
    dump::expr(&clean(parse_sketch(FileId(0), text)))
}

fn strategy(text: &str) -> String {
    dump::strategy(&clean(parse_strategy(FileId(0), text)))
}

fn file(language: Language, text: &str) -> String {
    dump::file(&clean(parse(language, FileId(0), text)))
}

#[test]
fn numbers() {
    assert_eq!(expr("0"), "0");
    assert_eq!(expr("3.3"), "3.3");
    assert_eq!(expr("1e-3"), "1e-3");
    assert_eq!(expr("2.5E+2"), "2.5e2");
    assert_eq!(expr("2.5f64"), "2.5_f64");
    assert_eq!(expr("3i32"), "3_i32");
    assert_eq!(expr("1_000_000u64"), "1000000_u64");
    assert_eq!(expr("1e3f32"), "1e3_f32");
    assert_eq!(expr("f 1.5 2"), "(f 1.5 2)");
    assert_eq!(expr(r"\x.3.5"), r"(\x. 3.5)");
}

#[test]
fn application_binds_tightest_and_pipelines_loosest() {
    assert_eq!(expr("f x y"), "(f x y)");
    assert_eq!(expr("f (g x) y"), "(f (g x) y)");
    assert_eq!(expr("(f x) y"), "((f x) y)");
    assert_eq!(expr("x |> f a |> g"), "(|> x (f a) g)");
    assert_eq!(expr("x |> f >> g |> h"), "(|> x (>> f g) h)");
    assert_eq!(expr("(x |> f) |> g"), "(|> (|> x f) g)");
    assert_eq!(expr("x ▷ f >> g"), expr("x |> f >> g"));
    assert_eq!(
        expr("zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0"),
        "(|> (zip a b) (map (\\p. ((fst p) * (snd p)))) (reduce op:+ 0))"
    );
}

#[test]
fn infix_operators() {
    assert_eq!(expr("a + b * c - d / e % f"), "(a + (b * c) - (d / e % f))");
    assert_eq!(expr("a - (b - c)"), "(a - (b - c))");
    assert_eq!(expr("(a - b) - c"), "((a - b) - c)");
    assert_eq!(expr("n div 32 + 1"), "((n div 32) + 1)");
    assert_eq!(expr("div a b"), "(div a b)");
    assert_eq!(expr("zipWith (div) a"), "(zipWith div a)");
    assert_eq!(expr("a + 1 <= b * 2"), "((a + 1) <= (b * 2))");
    assert_eq!(expr("a ≤ b"), "(a <= b)");
    assert_eq!(expr("a == b"), "(a == b)");
    assert_eq!(expr("(a < b) == c"), "((a < b) == c)");
    assert_eq!(expr("-a ^ 2 ^ n"), "(neg (a ^ (2 ^ n)))");
    assert_eq!(expr("a ^ -b"), "(a ^ (neg b))");
    assert_eq!(expr("- - a"), "(neg (neg a))");
    assert_eq!(expr("a - -b"), "(a - (neg b))");
    assert_eq!(expr("f -1"), "(f - 1)");
    assert_eq!(expr("f (-1)"), "(f (neg 1))");
    assert_eq!(expr("a × b · c − d"), "((a * b * c) - d)");
    assert_eq!(
        expr("[(+), (-), (*), (/), (%), (<), (>), (<=), (>=), (==), (^)]"),
        "(array op:+ op:- op:* op:/ op:% op:< op:> op:<= op:>= op:== op:^)"
    );
}

#[test]
fn functions() {
    assert_eq!(expr(r"\x y. x"), r"(\x y. x)");
    assert_eq!(expr(r"\(x: f32) _ (a b: n.t). x"), r"(\(x: f32) _ (a b: (array n t)). x)");
    assert_eq!(expr("λx. x"), r"(\x. x)");
    assert_eq!(expr("λx.x"), r"(\x. x)");
    assert_eq!(expr(r"/\n (m: nat). split n"), r"(/\n (m: nat). (split n))");
    assert_eq!(expr("Λn. n"), r"(/\n. n)");
    assert_eq!(expr(r"\x. f x |> g"), r"(\x. (|> (f x) g))");
    assert_eq!(expr(r"a |> \x. x + 1"), r"(|> a (\x. (x + 1)))");
    assert_eq!(expr(r"map \x. x"), r"(map (\x. x))");
}

#[test]
fn brackets() {
    assert_eq!(expr("[]"), "(array)");
    assert_eq!(expr("[a, -1, [2.5]]"), "(array a (neg 1) (array 2.5))");
    assert_eq!(expr("[a, b,]"), "(array a b)");
    assert_eq!(expr("(a, b)"), "(tuple a b)");
    assert_eq!(expr("(a, b + c, d)"), "(tuple a (b + c) d)");
    assert_eq!(expr("(e : n.f32)"), "(e : (array n f32))");
    assert_eq!(expr(r"(\x. x : f32 -> f32)"), r"((\x. x) : (f32 -> f32))");
    assert_eq!(expr("f [a]"), "(f (array a))");
    assert_eq!(expr("mapGlobal(0) f x"), "(mapGlobal 0 f x)");
    assert_eq!(expr("oclRun (1, 2) (n/4, 1) x"), "(oclRun (tuple 1 2) (tuple (n / 4) 1) x)");
}

#[test]
fn the_surface_let_and_the_pattern_let() {
    assert_eq!(expr("let x = f a in g x"), "(let x (f a) (g x))");
    assert_eq!(expr("let x = f a\ng x"), "(let x (f a) (g x))");
    assert_eq!(expr("let x = f\n  a\n  b\ng x"), "(let x (f a b) (g x))");
    assert_eq!(expr("let x = (f\na\n)\ng x"), "(let x (f a) (g x))", "brackets suspend the rule of lines");
    assert_eq!(expr("let x =\nf in\ng x"), "(let x f (g x))", "`in` too");
    assert_eq!(expr("let x = a\nlet y = b in\nx + y"), "(let x a (let y b (x + y)))");
    assert_eq!(expr("let x = let y = 1 in y\nx"), "(let x (let y 1 y) x)");
    assert_eq!(expr("  let x = a\n  let y = b\n  x"), "(let x a (let y b x))");
    assert_eq!(expr("f (\\v. let x = a\n       g x) b"), "(f (\\v. (let x a (g x))) b)");
    assert_eq!(expr(r"let (toMem e) (\x. b)"), r"(let (toMem e) (\x. b))");
    assert_eq!(expr("let a f"), "(let a f)");
    assert_eq!(expr("(let)"), "let");
    assert_eq!(expr("x |> toMem |> let"), "(|> x toMem let)");
}

#[test]
fn types() {
    assert_eq!(ty("f32"), "f32");
    assert_eq!(ty("3.3.f32"), "(array 3 (array 3 f32))");
    assert_eq!(ty("m.k.f32"), "(array m (array k f32))");
    assert_eq!(ty("(n*p).s"), "(array (n * p) s)");
    assert_eq!(ty("(sp*n + sz - sp).t"), "(array ((sp * n) + sz - sp) t)");
    assert_eq!(ty("m/32.f32"), "(array (m / 32) f32)");
    assert_eq!(ty("(n div 32).(n % 4).f32"), "(array (n div 32) (array (n % 4) f32))");
    assert_eq!(ty("(m*n^k).t"), "(array (m * (n ^ k)) t)");
    assert_eq!(ty("(-n + m).t"), "(array ((neg n) + m) t)");
    assert_eq!(ty("<4>f32"), "(vec 4 f32)");
    assert_eq!(ty("m.<n>(s * t)"), "(array m (vec n (pair s t)))");
    assert_eq!(ty("(s × t)"), "(pair s t)");
    assert_eq!(ty("(s * (t * n.u))"), "(pair s (pair t (array n u)))");
    assert_eq!(ty("((s * t) * u)"), "(pair (pair s t) u)");
    assert_eq!(ty("((n + 1)*2).s"), "(array ((n + 1) * 2) s)");
    assert_eq!(ty("idx[n + 1]"), "(idx (n + 1))");
    assert_eq!(ty("n.idx[m]"), "(array n (idx m))");
    assert_eq!(ty("s -> t -> u"), "(s -> (t -> u))");
    assert_eq!(ty("(s -> t) → u"), "((s -> t) -> u)");
    assert_eq!(ty("(s * t) -> u"), "((pair s t) -> u)");
    assert_eq!(ty("(n m: nat) -> n.t"), "(forall n m: nat (array n t))");
    assert_eq!(
        ty("{n m: nat}{t: data} n.t"),
        "(forall-implicit n m: nat (forall-implicit t: data (array n t)))"
    );
    assert_eq!(ty("{n: nat} -> t"), "(forall-implicit n: nat t)");
    assert_eq!(
        ty("((l: nat) -> (l*n).t -> l.t) -> t"),
        "((forall l: nat ((array (l * n) t) -> (array l t))) -> t)"
    );
    assert_eq!(ty("(a: addr = private) (d: dim = 0) t"), "(forall a: addr = private (forall d: dim = 0 t))");
}

#[test]
fn every_type_scheme_of_the_table_parses() {
    for row in crate::pattern::all() {
        let tree = clean(parse_type(FileId(0), row.scheme));
        let again = clean(parse_type(FileId(0), &print::ty(&tree, &print::Options::default())));
        assert_eq!(tree, again, "{}", row.scheme);
    }
}

#[test]
fn sizes() {
    let size = |text| dump::expr(&clean(parse_size(FileId(0), text)));
    assert_eq!(size("m/32"), "(m / 32)");
    assert_eq!(size("2*n + 3 - m"), "((2 * n) + 3 - m)");
    assert_eq!(size("n*(m div 4) % k"), "(n * (m div 4) % k)");
}

#[test]
fn definitions() {
    let program = |text| file(Language::Program, text);
    assert_eq!(
        program("def dot (a: k.f32) (b: k.f32): f32 = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0"),
        "def dot (a: (array k f32)) (b: (array k f32)): f32 = (|> (zip a b) (map (\\p. ((fst p) * (snd p)))) (reduce op:+ 0))\n"
    );
    assert_eq!(program("def dot a b = zip a b"), "def dot a b = (zip a b)\n");
    assert_eq!(
        program("def f {rows cols: nat} (sz: nat) {t: data} (a b: rows.t) c = a"),
        "def f {rows cols: nat} (sz: nat) {t: data} (a b: (array rows t)) c = a\n"
    );
    assert_eq!(
        program("def f : n.f32 -> f32 = reduce (+) 0"),
        "def f: ((array n f32) -> f32) = (reduce op:+ 0)\n"
    );
    assert_eq!(program("def f = a def g = b"), "def f = a\ndef g = b\n");
    assert_eq!(
        program("pattern stencil : (sz: nat) -> {n: nat} n.t = slide sz 1\npattern opaque : t -> t"),
        "pattern stencil : (forall sz: nat (forall-implicit n: nat (array n t))) = (slide sz 1)\npattern opaque : (t -> t)\n"
    );
    assert_eq!(program("declare assoc f\ndeclare neutral f 0"), "declare (assoc f)\ndeclare (neutral f 0)\n");
    assert_eq!(program("import lib.stencils"), "import lib stencils\n");
}

#[test]
fn documentation_belongs_to_what_follows() {
    let text = "-- a comment\n--| One.\n--|  Two.\ndef f = a --| not this\n--| lost\n\n--| Three.\n-- cut\n--| Four.\ndef g = b\n";
    assert_eq!(
        file(Language::Program, text),
        "doc:\"One.\" doc:\" Two.\" def f = a\ndoc:\"Four.\" def g = b\n"
    );
}

#[test]
fn rules() {
    let rules = |text| file(Language::Rules, text);
    assert_eq!(
        rules("rule mapFusion = map f (map g x) ~> map (\\y. f (g y)) x"),
        "rule mapFusion = (map f (map g x)) ~> (map (\\y. (f (g y))) x)\n"
    );
    assert_eq!(
        rules("rule splitJoin(p) = map f (x : (n*p).s) ↦ join (map (map f) (split p x)) where p divides n"),
        "rule splitJoin p = (map f (x : (array (n * p) s))) ~> (join (map (map f) (split p x))) where (divides p n)\n"
    );
    assert_eq!(
        rules(
            "rule r(p: nat, a: addr) [reassociates] = a ~> b where x notin f, x ∉ g y, p | n, a <= b + 1, assoc f, neutral f (-1), usedOnce"
        ),
        "rule r (p: nat) (a: addr) [reassociates] = a ~> b where (notin x f) where (notin x (g y)) where (divides p n) \
         where (<= a (b + 1)) where (assoc f) where (neutral f (neg 1)) where (usedOnce)\n"
    );
    assert_eq!(side("b[e/x]"), "(subst b e x)");
    assert_eq!(side("f b[(g y)/x] z"), "(f (subst b (g y) x) z)");
    assert_eq!(side("b[a*c/x]"), "(subst b (a * c) x)");
    assert_eq!(side("b[a/x][c/y]"), "(subst (subst b a x) c y)");
    assert_eq!(side("(f b)[a/x]"), "(subst (f b) a x)");
    assert_eq!(side("f [a/x]"), "(f (array (a / x)))");
    assert_eq!(side("vectorise n f"), "(vectorise n f)");
    assert_eq!(
        rules(
            "rules splitRules = { mapFission, splitJoin(32), pad(n.f32, <4>f32, m/2, global), }\nrules none = {}\nrules tiles(x, y = 2*4) = { splitJoin(x) }"
        ),
        "rules splitRules = (set mapFission (splitJoin 32) (pad type:(array n f32) type:(vec 4 f32) (m / 2) global))\nrules none = (set)\nrules tiles x (y = (2 * 4)) = (set (splitJoin x))\n"
    );
    assert_eq!(rules("alias splitJoin32 = splitJoin(32)"), "alias splitJoin32 = (splitJoin 32)\n");
}

#[test]
fn examples_belong_to_their_rule() {
    assert_eq!(
        file(
            Language::Rules,
            "--| Splits.\nrule splitJoin(p) = map f x ~> y\n  --| By four.\n  example(4) {n: nat} (a: (4*n).f32) = map neg a ~> a\n  example (a b: f32) = a ~> b\nrule r = a ~> b"
        ),
        "doc:\"Splits.\" rule splitJoin p = (map f x) ~> y\n  \
           doc:\"By four.\" example (args 4) {n: nat} (a: (array (4 * n) f32)) = (map neg a) ~> a\n  \
           example (args) (a b: f32) = a ~> b\nrule r = a ~> b\n"
    );
}

#[test]
fn strategies() {
    assert_eq!(strategy("topDown(reduceMapFusion)"), "(topDown reduceMapFusion)");
    assert_eq!(strategy("a ; b ;; c <+ d @ e ; f"), "(<+ (a ; b ;; c) ((@ d e) ; f))");
    assert_eq!(strategy("a ; (b ; c)"), "(a ; (b ; c))");
    assert_eq!(strategy("a <+ b <+ id"), "(<+ a b id)");
    assert_eq!(
        strategy("tile(32, 32) @ outermost(mapNest(2)) @ inLambda"),
        "(@ (tile 32 32) (outermost (mapNest 2)) inLambda)"
    );
    assert_eq!(strategy("reorder([1,2,5,6,3,4])"), "(reorder (list 1 2 5 6 3 4))");
    assert_eq!(strategy("position(n - 1, s)"), "(position (n - 1) s)");
    assert_eq!(strategy("splitJoin(m/32*2 + 1)"), "(splitJoin ((m / 32 * 2) + 1))");
    assert_eq!(strategy("1 :: 2 :: ns"), "(1 :: (2 :: ns))");
    assert_eq!(strategy("let t = try(s) in t ; t"), "(let t (try s) (t ; t))");
    assert_eq!(strategy("let t = try(s)\nt ; t"), "(let t (try s) (t ; t))");
    assert_eq!(
        strategy(
            "reach split32 using splitRules ; reach ? + contains(?*?) using { a, b(3) } with (nodes: 200000, normal: BENF, memory: 4GiB)"
        ),
        "((reach split32 (using splitRules) (with)) ; (reach (? + (call:contains (? * ?))) (using a (b 3)) (with nodes: 200000 normal: BENF memory: 4_GiB)))"
    );
    assert_eq!(
        strategy("reach s with (nodes: 3) ; reach t(2) <+ try(reach u or v) ; reach w using {}"),
        "(<+ ((reach s guided (with nodes: 3)) ; (reach (call:t 2) guided (with))) ((try (reach (or u v) guided (with))) ; (reach w (using) (with))))"
    );
    assert_eq!(
        strategy("repeat(reach s : n.f32 using r)"),
        "(repeat (reach (s : (array n f32)) (using r) (with)))"
    );
}

#[test]
fn strategy_definitions() {
    let elevate = |text| file(Language::Elevate, text);
    assert_eq!(
        elevate("strategy lowerDot = topDown(reduceMapFusion)"),
        "strategy lowerDot = (topDown reduceMapFusion)\n"
    );
    assert_eq!(
        elevate(
            "strategy tileList([]) = id\nstrategy tileList([n]) = splitJoin(n)\nstrategy tileList(n :: ns, _, 0) = a"
        ),
        "strategy tileList (list) = id\nstrategy tileList (list n) = (splitJoin n)\nstrategy tileList (n :: ns) _ 0 = a\n"
    );
    assert_eq!(
        elevate("strategy s(p) = a ; b(2) where a = try(p), b(n) = a @ n"),
        "strategy s p = (a ; (b 2)) where a = (try p) where b n = (@ a n)\n"
    );
    assert_eq!(
        elevate("rules all = { a, b }\nalias c = a\nimport lib"),
        "rules all = (set a b)\nalias c = a\nimport lib\n"
    );
}

#[test]
fn sketches() {
    assert_eq!(sketch("?"), "?");
    assert_eq!(sketch("? + contains(?*?)"), "(? + (call:contains (? * ?)))");
    assert_eq!(sketch("? + contains((×))"), "(? + (call:contains op:*))");
    assert_eq!(
        sketch("contains((map : ?t -> n.?dt -> ?t) f)"),
        "(call:contains ((map : (?t -> ((array n ?dt) -> ?t))) f))"
    );
    assert_eq!(
        sketch("containsMap(m/32, containsMap(32, ?))"),
        "(call:containsMap (m / 32) (call:containsMap 32 ?))"
    );
    assert_eq!(sketch("containsMap(32.f32, ?)"), "(call:containsMap type:(array 32 f32) ?)");
    assert_eq!(
        sketch("containsMap(1.<32>f32, f32)"),
        "(call:containsMap type:(array 1 (vec 32 f32)) type:f32)"
    );
    assert_eq!(
        sketch("f(n.k.f32, (m/2).t, m/2.t, ?n.?dt, ?t -> ?u, 3.5, 3.5.f32)"),
        "(call:f type:(array n (array k f32)) type:(array (m / 2) t) type:(array (m / 2) t) type:(array ?n ?dt) type:(?t -> ?u) 3.5 type:(array 3 (array 5 f32)))"
    );
    assert_eq!(sketch("f((a : t), a : t)"), "(call:f (a : t) (a : t))");
    assert_eq!(sketch("a or b and c or d"), "(or a (and b c) d)");
    assert_eq!(sketch("a ∨ b ∧ c"), "(or a (and b c))");
    assert_eq!(
        sketch(r"contains(\x. x + fst x * snd x)"),
        r"(call:contains (\x. (x + ((fst x) * (snd x)))))"
    );
    assert_eq!(sketch("contains (x)"), "(contains x)");
    assert_eq!(
        file(
            Language::Elevate,
            "sketch packB(n: nat, dt: data, f) = containsMap(n, f) or containsMap(dt, f)"
        ),
        "sketch packB (n: nat) (dt: data) f = (or (call:containsMap n f) (call:containsMap dt f))\n"
    );
}

#[test]
fn spans_cover_what_was_written() {
    let text = "def f (a: n.f32) = map (\\x. x * 2) a |> join";
    let tree = clean(parse_program(FileId(0), text));
    let mut seen = Vec::new();
    let mut open = Vec::new();
    tree.items[0].for_each_part(&mut |part| open.push(part));
    while let Some(part) = open.pop() {
        seen.push(&text[part.span().start as usize..part.span().end as usize]);
        part.for_each(&mut |below| open.push(below));
    }
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            "2",
            "\\x. x * 2",
            "a",
            "f32",
            "join",
            "map",
            "map (\\x. x * 2) a",
            "map (\\x. x * 2) a |> join",
            "n",
            "n.f32",
            "x",
            "x * 2"
        ]
    );
    assert_eq!((tree.items[0].span.start, tree.items[0].span.end as usize), (0, text.len()));
}
