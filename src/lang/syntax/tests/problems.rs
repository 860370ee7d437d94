//! What each mistake is answered with: code, place, cause, hint. One test a code.

use super::super::ast::Language;
use super::super::*;
use super::dump;
use crate::diag::{Charset, Sources, render_all};

/// The problems of a text, as they are printed, and the tree that was read all the same.
fn answer(language: Language, text: &str) -> String {
    let mut sources = Sources::new();
    let name = match language {
        Language::Program => "a.rise",
        Language::Rules => "a.rules",
        Language::Elevate => "a.elevate",
    };
    let id = sources.add(name, text);
    let (tree, problems) = parse(language, id, text);
    format!("{}\n{}", render_all(&problems, &sources, Charset::Ascii), dump::file(&tree))
}

fn program(text: &str) -> String {
    answer(Language::Program, text)
}

fn rules(text: &str) -> String {
    answer(Language::Rules, text)
}

fn elevate(text: &str) -> String {
    answer(Language::Elevate, text)
}

#[test]
fn e0033_no_definition() {
    insta::assert_snapshot!(program(""), @r"
    error[E0033]: There is no definition here.
      --> a.rise:1:1
      |
    1 |
      | ^ no definition in this text
      |
      = hint: A program is a `def`, e.g. `def double (x: n.f32) = map (\v. v + v) x`.
    ");
    insta::assert_snapshot!(program("-- only a comment\n"), @r"
    error[E0033]: There is no definition here.
      --> a.rise:1:1
      |
    1 | -- only a comment
      | ^ no definition in this text
      |
      = hint: A program is a `def`, e.g. `def double (x: n.f32) = map (\v. v + v) x`.
    ");
    assert_eq!(rules(""), "\n");
    assert_eq!(elevate("-- nothing\n"), "\n");
}

#[test]
fn e0010_unknown_character() {
    insta::assert_snapshot!(program("def f a = a # b\ndef g = été\ndef h = \"text\""), @r#"
    error[E0010]: `#` starts no comment here.
      --> a.rise:1:13
      |
    1 | def f a = a # b
      |             ^ a comment of other languages
      |
      = hint: Comments start with `--`: `-- b`.

    error[E0010]: The character `é` means nothing here.
      --> a.rise:2:9
      |
    2 | def g = été
      |         ^ not part of the language
      |
      = hint: Names are made of a-z, A-Z, 0-9, `_` and `'`.

    error[E0020]: Expected an expression, found `"text"`.
      --> a.rise:3:9
      |
    3 | def h = "text"
      |         ^^^^^^ expected an expression
      |
      = hint: There is no text in programs, but for the C of a `foreign def`.

    def f a = a
    def g = été
    def h = !
    "#);
}

#[test]
fn e0011_numbers() {
    insta::assert_snapshot!(program("def f = 3f23 + 2n + 2.5i32 + 1e\ndef g (a: 2.5e1.f32) = 1.\ndef h (a: 3i32.f32) = .5"), @r"
    error[E0011]: `f23` is no type of numbers.
      --> a.rise:1:9
      |
    1 | def f = 3f23 + 2n + 2.5i32 + 1e
      |         ^^^^ this number
      |
      = hint: Did you mean `f32`?

    error[E0011]: `n` is no type of numbers.
      --> a.rise:1:16
      |
    1 | def f = 3f23 + 2n + 2.5i32 + 1e
      |                ^^ this number
      |
      = hint: The types of numbers are `i8`, `i16`, `i32`, `i64`, `u8`, `u16`, `u32`, `u64`, `f16`, `f32` or `f64`; a product is written `2*n`.

    error[E0011]: A number of type `i32` has no decimal point and no exponent.
      --> a.rise:1:21
      |
    1 | def f = 3f23 + 2n + 2.5i32 + 1e
      |                     ^^^^^^ this number

    error[E0011]: `e` is no type of numbers.
      --> a.rise:1:30
      |
    1 | def f = 3f23 + 2n + 2.5i32 + 1e
      |                              ^^ this number
      |
      = hint: An exponent has digits: `1e3`.

    error[E0011]: A size is a whole number without a type.
      --> a.rise:2:13
      |
    2 | def g (a: 2.5e1.f32) = 1.
      |             ^^^ this number

    error[E0020]: Expected the end of the definition, found `.`.
      --> a.rise:2:25
      |
    2 | def g (a: 2.5e1.f32) = 1.
      |                         ^ expected the end of the definition
      |
      = hint: A number has digits before and after its point: `1.0`.

    error[E0011]: A size is a whole number without a type.
      --> a.rise:3:11
      |
    3 | def h (a: 3i32.f32) = .5
      |           ^^^^ this number
      |
      = hint: Write `3`.

    error[E0020]: Expected an expression, found `.`.
      --> a.rise:3:23
      |
    3 | def h (a: 3i32.f32) = .5
      |                       ^ expected an expression
      |
      = hint: A number has digits before and after its point: `0.5`.

    def f = (3 + 2 + 2.5_i32 + 1)
    def g (a: (array 2 (array 5 f32))) = 1
    def h (a: (array 3 f32)) = (! 5)
    ");
}

#[test]
fn e0020_something_else_was_expected() {
    insta::assert_snapshot!(program("def f a b\n  map a b\ndef g (x) y = x\ndef h = map (\\x x) |> |> join\ndef i = a : b"), @r"
    error[E0020]: Expected a parameter, `:` or `=`, found the end of the definition.
      --> a.rise:2:10
      |
    2 |   map a b
      |          ^ expected a parameter, `:` or `=`

    error[E0020]: A parameter in parentheses has a type.
      --> a.rise:3:7
      |
    3 | def g (x) y = x
      |       ^ not here
      |
      = hint: Write `def g (x: f32) = …`, with the types that are meant.

    error[E0020]: Expected `.` and the body of the function, found `)`.
      --> a.rise:4:18
      |
    4 | def h = map (\x x) |> |> join
      |                  ^ expected `.` and the body of the function
      |
      = hint: Functions are written `\x. x * 2`: a `.` stands before the body.

    error[E0020]: Expected an expression, found `|>`.
      --> a.rise:4:23
      |
    4 | def h = map (\x x) |> |> join
      |                       ^^ expected an expression
      |
      = hint: What is given to the function stands before `|>`: `xs |> map f`.

    error[E0020]: Expected the end of the definition, found `:`.
      --> a.rise:5:11
      |
    5 | def i = a : b
      |           ^ expected the end of the definition
      |
      = hint: A type stands with its expression in parentheses: `(cast x : i32)`.

    def f a b map a b = !
    def g = x
    def h = (|> (map (\x x. !)) ! join)
    def i = a
    ");
    insta::assert_snapshot!(program("def f (a :: f32) = (a :: f32) where b\ndef g : f32 => f32 = \\x => x\ndef h = a = b\ndef i = f . g"), @r"
    error[E0020]: A parameter in parentheses has a type.
      --> a.rise:1:7
      |
    1 | def f (a :: f32) = (a :: f32) where b
      |       ^ not here
      |
      = hint: Write `def f (a: f32) = …`, with the types that are meant.

    error[E0020]: Expected `:`, found `::`.
      --> a.rise:1:23
      |
    1 | def f (a :: f32) = (a :: f32) where b
      |                       ^^ expected `:`
      |
      = hint: A type is given with one colon: `e : t`.

    error[E0020]: Expected the end of the definition, found `where`.
      --> a.rise:1:31
      |
    1 | def f (a :: f32) = (a :: f32) where b
      |                               ^^^^^ expected the end of the definition
      |
      = hint: A value gets its name before it is used: `let x = 3 in e`. Sizes have no conditions of their own, their types say them: `(n + 4).f32` has at least four elements.

    error[E0020]: Expected `=`, found `=>`.
      --> a.rise:2:13
      |
    2 | def g : f32 => f32 = \x => x
      |             ^^ expected `=`
      |
      = hint: What a definition computes stands behind `=`.

    error[E0020]: A `.` stands before the body of a function, not `=>`.
      --> a.rise:2:25
      |
    2 | def g : f32 => f32 = \x => x
      |                         ^^ expected `.`
      |
      = hint: Write `\x. …`.

    error[E0020]: Expected the end of the definition, found `=`.
      --> a.rise:3:11
      |
    3 | def h = a = b
      |           ^ expected the end of the definition
      |
      = hint: Equality is `==`; `=` stands in definitions.

    error[E0020]: `.` does not compose functions.
      --> a.rise:4:11
      |
    4 | def i = f . g
      |           ^ a sign of other languages
      |
      = hint: `>>` composes functions, and the left one is applied first: `g >> f`.

    def f = (a : f32)
    def g: f32 = (\x. x)
    def h = a
    def i = !
    ");
    insta::assert_snapshot!(program("def = a\ndef f {n: size} (a n.f32) = [a, , b c, d +]\ndef g (a: ) = a"), @r"
    error[E0020]: Expected the name of the definition, found `=`.
      --> a.rise:1:5
      |
    1 | def = a
      |     ^ expected the name of the definition

    error[E0020]: Expected a kind (`nat`, `data`, `addr`, `dim`, `depth`, `nat2nat` or `nat2data`), found `size`.
      --> a.rise:2:11
      |
    2 | def f {n: size} (a n.f32) = [a, , b c, d +]
      |           ^^^^ expected a kind (`nat`, `data`, `addr`, `dim`, `depth`, `nat2nat` or `nat2data`)

    error[E0020]: A parameter in parentheses has a type.
      --> a.rise:2:17
      |
    2 | def f {n: size} (a n.f32) = [a, , b c, d +]
      |                 ^ not here
      |
      = hint: Write `def f (a: n.f32) = …`, with the types that are meant.

    error[E0020]: Expected an expression, found `,`.
      --> a.rise:2:33
      |
    2 | def f {n: size} (a n.f32) = [a, , b c, d +]
      |                                 ^ expected an expression
      |
      = hint: Remove the comma, or write what stands behind it.

    error[E0020]: Expected an expression, found `]`.
      --> a.rise:2:43
      |
    2 | def f {n: size} (a n.f32) = [a, , b c, d +]
      |                                           ^ expected an expression
      |
      = hint: The operator before it needs a second value; with one value, write `\x. x + 1`.

    error[E0020]: Expected a type, found `)`.
      --> a.rise:3:10
      |
    3 | def g (a: ) = a
      |          ^ expected a type

    !
    def f {n: nat} = (array a ! (b c) (d + !))
    def g (a: !) = a
    ");
    insta::assert_snapshot!(rules("rule r map f x -> f\nrule s = a = b\nrule t = a ~> b where f x notin y, (a, b), 3\nrules u = a, b\nrules v = { a b, 3, c }"), @r"
    error[E0020]: Expected `=`, found `map`.
      --> a.rules:1:8
      |
    1 | rule r map f x -> f
      |        ^^^ expected `=`

    error[E0020]: Expected `~>` and what the left side becomes, found `->`.
      --> a.rules:1:16
      |
    1 | rule r map f x -> f
      |                ^^ expected `~>` and what the left side becomes
      |
      = hint: Rules are written `lhs ~> rhs`.

    error[E0020]: Expected `~>` and what the left side becomes, found `=`.
      --> a.rules:2:12
      |
    2 | rule s = a = b
      |            ^ expected `~>` and what the left side becomes
      |
      = hint: Rules are written `lhs ~> rhs`.

    error[E0020]: Only a variable can be `notin` an expression.
      --> a.rules:3:23
      |
    3 | rule t = a ~> b where f x notin y, (a, b), 3
      |                       ^^^ expected a name

    error[E0020]: This is not a condition.
      --> a.rules:3:36
      |
    3 | rule t = a ~> b where f x notin y, (a, b), 3
      |                                    ^^^^^^ expected a condition
      |
      = hint: Conditions are `x notin f`, `p divides n`, `a <= b`, or a property and its operands: `assoc f`.

    error[E0020]: This is not a condition.
      --> a.rules:3:44
      |
    3 | rule t = a ~> b where f x notin y, (a, b), 3
      |                                            ^ expected a condition
      |
      = hint: Conditions are `x notin f`, `p divides n`, `a <= b`, or a property and its operands: `assoc f`.

    error[E0020]: Expected `{` and rules, found `a`.
      --> a.rules:4:11
      |
    4 | rules u = a, b
      |           ^ expected `{` and rules

    error[E0020]: Expected `,` or `}`, found `b`.
      --> a.rules:5:15
      |
    5 | rules v = { a b, 3, c }
      |               ^ expected `,` or `}`

    error[E0020]: Expected the name of a rule, found `3`.
      --> a.rules:5:18
      |
    5 | rules v = { a b, 3, c }
      |                  ^ expected the name of a rule

    rule r = (map f x) ~> !
    rule s = a ~> !
    rule t = a ~> b where ! where ! where !
    rules u = (set)
    rules v = (set a c)
    ");
    insta::assert_snapshot!(elevate("strategy s = a ; ; b ;\nstrategy t(s = s\nstrategy u = reach ? with (nodes 3)\nstrategy v = reach s using r with nodes: 3\nsketch w = contains(\nsketch x = f(a, b"), @r"
    error[E0020]: Expected a strategy, found `;`.
      --> a.elevate:1:18
      |
    1 | strategy s = a ; ; b ;
      |                  ^ expected a strategy
      |
      = hint: What joins two strategies stands between them: write the second one, or leave it out.

    error[E0020]: Expected a strategy, found the end of the definition.
      --> a.elevate:1:23
      |
    1 | strategy s = a ; ; b ;
      |                       ^ expected a strategy
      |
      = hint: What joins two strategies stands between them: write the second one, or leave it out.

    error[E0021]: This `(` is never closed.
      --> a.elevate:2:11
      |
    2 | strategy t(s = s
      |           ^     - `)` is missing here at the latest
      |           |
      |           opened here
      |
      = hint: Add the `)`, or remove the `(`.

    error[E0020]: Expected `=`, found the end of the definition.
      --> a.elevate:2:17
      |
    2 | strategy t(s = s
      |                 ^ expected `=`

    error[E0020]: Expected `:` and a value, found `3`.
      --> a.elevate:3:34
      |
    3 | strategy u = reach ? with (nodes 3)
      |                                  ^ expected `:` and a value
      |
      = hint: An option has a colon before its value: write `nodes: 3`.

    error[E0020]: Expected `(` and options, e.g. `(nodes: 200000)`, found `nodes`.
      --> a.elevate:4:35
      |
    4 | strategy v = reach s using r with nodes: 3
      |                                   ^^^^^ expected `(` and options, e.g. `(nodes: 200000)`
      |
      = hint: What follows `with` stands in parentheses: write `with (nodes: 3)`.

    error[E0020]: Expected the end of the definition, found `:`.
      --> a.elevate:4:40
      |
    4 | strategy v = reach s using r with nodes: 3
      |                                        ^ expected the end of the definition

    error[E0021]: This `(` is never closed.
      --> a.elevate:5:20
      |
    5 | sketch w = contains(
      |                    ^ opened here
      |
      = hint: Add the `)`, or remove the `(`.

    error[E0021]: This `(` is never closed.
      --> a.elevate:6:13
      |
    6 | sketch x = f(a, b
      |             ^    - `)` is missing here at the latest
      |             |
      |             opened here
      |
      = hint: Add the `)`, or remove the `(`.

    strategy s = (a ; ! ; b ; !)
    strategy t (s = s) = !
    strategy u = (reach ? guided (with nodes: 3))
    strategy v = !
    sketch w = (call:contains)
    sketch x = (call:f a b)
    ");
}

#[test]
fn e0021_e0022_brackets() {
    insta::assert_snapshot!(program("def f a =\n  map (\\x. g (x a\n  |> join\n\ndef g = [a, (b, c]\ndef h = a) + b]"), @r"
    error[E0021]: This `(` is never closed.
      --> a.rise:2:7
      |
    2 |   map (\x. g (x a
      |       ^ opened here
    3 |   |> join
      |          - `)` is missing here at the latest
      |
      = hint: Add the `)`, or remove the `(`.

    error[E0021]: This `(` is never closed.
      --> a.rise:2:14
      |
    2 |   map (\x. g (x a
      |              ^ opened here
    3 |   |> join
      |          - `)` is missing here at the latest
      |
      = hint: Add the `)`, or remove the `(`.

    error[E0021]: This `(` is never closed.
      --> a.rise:5:13
      |
    5 | def g = [a, (b, c]
      |             ^    - `)` is missing before this `]`
      |             |
      |             opened here
      |
      = hint: Add the `)`, or remove the `(`.

    error[E0022]: This `)` closes nothing.
      --> a.rise:6:10
      |
    6 | def h = a) + b]
      |          ^ no bracket is open here
      |
      = hint: Remove it, or add the opening bracket.

    error[E0022]: This `]` closes nothing.
      --> a.rise:6:15
      |
    6 | def h = a) + b]
      |               ^ no bracket is open here
      |
      = hint: Remove it, or add the opening bracket.

    def f a = (map (\x. (g (|> (x a) join))))
    def g = (array a (tuple b c))
    def h = (a + b)
    ");
}

#[test]
fn e0023_what_is_no_definition() {
    insta::assert_snapshot!(program("deff f = a\nstrategy s = a\ndef g = b"), @r"
    error[E0023]: Expected a definition, found `deff`.
      --> a.rise:1:1
      |
    1 | deff f = a
      | ^^^^ no definition starts here
      |
      = A definition starts with `def`, `pattern`, `foreign`, `declare` or `import`.
      = hint: Did you mean `def`?

    error[E0023]: `strategy` does not stand in a program.
      --> a.rise:2:1
      |
    2 | strategy s = a
      | ^^^^^^^^ not here
      |
      = hint: Move it into a file of strategies (`.elevate`).

    !
    def g = b
    ");
    insta::assert_snapshot!(rules("def f = a\nsketch s = ?"), @r"
    error[E0023]: `def` does not stand in a file of rules.
      --> a.rules:1:1
      |
    1 | def f = a
      | ^^^ not here
      |
      = hint: Move it into a program (`.rise`).

    error[E0023]: `sketch` does not stand in a file of rules.
      --> a.rules:2:1
      |
    2 | sketch s = ?
      | ^^^^^^ not here
      |
      = hint: Move it into a file of strategies (`.elevate`).

    !
    !
    ");
    insta::assert_snapshot!(elevate("topDown(s)\nrule r = a ~> b"), @r"
    error[E0023]: Expected a definition, found `topDown`.
      --> a.elevate:1:1
      |
    1 | topDown(s)
      | ^^^^^^^ no definition starts here
      |
      = A definition starts with `strategy`, `sketch`, `rules`, `alias` or `import`.
      = hint: Is one of these words missing before it?

    error[E0023]: `rule` does not stand in a file of strategies.
      --> a.elevate:2:1
      |
    2 | rule r = a ~> b
      | ^^^^ not here
      |
      = hint: Move it into a file of rules (`.rules`).

    !
    ");
}

#[test]
fn e0024_a_let_without_a_body() {
    insta::assert_snapshot!(program("def f a =\n  let x = g a\n    x\n\ndef g a =\n  let y = a in\n\ndef h = (let z = 1) + 2"), @r"
    error[E0024]: `let x` is not followed by an expression that uses it.
      --> a.rise:2:3
      |
    2 |   let x = g a
      |   ^^^ this `let`
    3 |     x
      |      - nothing follows here
      |
      = hint: Write `let x = v in e`, or put `e` on a line of its own, not indented more than `let`.

    error[E0024]: `let y` is not followed by an expression that uses it.
      --> a.rise:6:3
      |
    6 |   let y = a in
      |   ^^^         - nothing follows here
      |   |
      |   this `let`
      |
      = hint: Write `let x = v in e`, or put `e` on a line of its own, not indented more than `let`.

    error[E0024]: `let z` is not followed by an expression that uses it.
      --> a.rise:8:10
      |
    8 | def h = (let z = 1) + 2
      |          ^^^      - nothing follows here
      |          |
      |          this `let`
      |
      = hint: Write `let x = v in e`, or put `e` on a line of its own, not indented more than `let`.

    def f a = (let x (g a x) !)
    def g a = (let y a !)
    def h = ((let z 1 !) + 2)
    ");
}

#[test]
fn e0025_reserved_words() {
    insta::assert_snapshot!(program("def using a = a\ndef f in = in\ndef g = \\with. map in with"), @r"
    error[E0025]: `using` is a reserved word and cannot be a name.
      --> a.rise:1:5
      |
    1 | def using a = a
      |     ^^^^^ the name of the definition is needed here
      |
      = hint: Choose another name, e.g. `using1`.

    error[E0025]: `in` is a reserved word and cannot be a name.
      --> a.rise:2:7
      |
    2 | def f in = in
      |       ^^ a name is needed here
      |
      = hint: Choose another name, e.g. `in1`.

    error[E0025]: `with` is a reserved word and cannot be a name.
      --> a.rise:3:10
      |
    3 | def g = \with. map in with
      |          ^^^^ a name is needed here
      |
      = hint: Choose another name, e.g. `with1`.

    def using a = a
    def f = !
    def g = !
    ");
    insta::assert_snapshot!(rules("rule rule = a ~> b\nrule s = map f in ~> in"), @r"
    error[E0025]: `rule` is a reserved word and cannot be a name.
      --> a.rules:1:6
      |
    1 | rule rule = a ~> b
      |      ^^^^ the name of the rule is needed here
      |
      = hint: Choose another name, e.g. `rule1`.

    error[E0020]: Expected the name of the rule, found `=`.
      --> a.rules:1:11
      |
    1 | rule rule = a ~> b
      |           ^ expected the name of the rule

    error[E0020]: Expected `~>` and what the left side becomes, found `in`.
      --> a.rules:2:16
      |
    2 | rule s = map f in ~> in
      |                ^^ expected `~>` and what the left side becomes
      |
      = hint: `in` belongs to `let x = v in e`; for each element of an array write `map (\x. x * 2) xs`.

    error[E0020]: Expected an expression, found `in`.
      --> a.rules:2:22
      |
    2 | rule s = map f in ~> in
      |                      ^^ expected an expression
      |
      = hint: `in` belongs to `let x = v in e`; for each element of an array write `map (\x. x * 2) xs`.

    !
    !
    rule s = (map f) ~> !
    ");
}

#[test]
fn e0026_comparisons() {
    insta::assert_snapshot!(program("def f a b c = a < b <= c + 1"), @r"
    error[E0026]: A comparison cannot be compared with another value.
      --> a.rise:1:21
      |
    1 | def f a b c = a < b <= c + 1
      |                     ^^ the second comparison
      |
      = hint: Write `a < b and b <= c + 1`, or put the comparison that is compared into parentheses.

    def f a b c = (a < b <= (c + 1))
    ");
}

#[test]
fn e0027_e0028_types() {
    insta::assert_snapshot!(program("def f (a: (s, t)) (b: (s * t * u)) = a\ndef g (a: (n + 1)) (b: n*2 f32) (c: 4) = a"), @r"
    error[E0027]: The components of a pair type are separated by `*`.
      --> a.rise:1:13
      |
    1 | def f (a: (s, t)) (b: (s * t * u)) = a
      |             ^ expected `*`
      |
      = hint: Write `(s * t)`.

    error[E0027]: A pair type has two components.
      --> a.rise:1:30
      |
    1 | def f (a: (s, t)) (b: (s * t * u)) = a
      |                              ^ a third one
      |
      = hint: Write `(s * (t * u))`.

    error[E0028]: This size is not followed by the type of the elements.
      --> a.rise:2:12
      |
    2 | def g (a: (n + 1)) (b: n*2 f32) (c: 4) = a
      |            ^^^^^- expected `.` and a type
      |            |
      |            a size
      |
      = hint: An array type is `n.f32`, a pair type `(s * t)`.

    error[E0020]: Expected `)`, found `*`.
      --> a.rise:2:25
      |
    2 | def g (a: (n + 1)) (b: n*2 f32) (c: 4) = a
      |                         ^ expected `)`
      |
      = hint: Products of sizes and pairs of types stand in parentheses: `(n*p).t`, `(s * t)`.

    error[E0028]: This size is not followed by the type of the elements.
      --> a.rise:2:37
      |
    2 | def g (a: (n + 1)) (b: n*2 f32) (c: 4) = a
      |                                     ^- expected `.` and a type
      |                                     |
      |                                     a size
      |
      = hint: An array type is `n.f32`, a pair type `(s * t)`.

    def f (a: (pair s t)) (b: (pair s t)) = a
    def g (a: !) (b: n) (c: !) = a
    ");
}

/// What others write between strategies is answered with what is written here.
#[test]
fn signs_between_strategies() {
    for (body, hint) in [
        ("= a || b", "`s <+ t`"),
        ("= a | b", "`s <+ t`"),
        ("= reach contains(map) | contains(reduce)", "`s or t`"),
        ("= reach contains(map) using {a} | b", "`s <+ t`"),
        ("= a or b", "`s <+ t`"),
        ("= a <|> b", "`s <+ t`"),
        ("= a && b", "`s ; t`"),
        ("= a and b", "`s ; t`"),
        ("= a >> b", "`s ; t`"),
        ("= a |> b", "`s ; t`"),
        ("= !a", "`not(s)`"),
        ("= a, b", "`s ; t`"),
        ("= if a then b else c", "`ifThenElse(s, t, u)`"),
        ("= a ;", "stands between them"),
        ("= a // b", "`--`"),
        ("= s if n > 3", "`ifThenElse(s, t, u)`"),
        ("= search contains(map)", "`reach contains(mapPar)`"),
        ("= map sqrt", "as in `topDown(s)`"),
        ("= reach contains(map) using {a; b}", "commas between them"),
        ("= reach contains(map) using [a, b]", "`using {a, b}`"),
        ("= reach contains(map) using (a, b)", "`using {a, b}`"),
        ("= reach contains(map) using a, b", "`using {a, b}`"),
        ("= reach contains(map) using a and b", "`using {a, b}`"),
        ("= reach contains(map) using a b", "`using {a, b}`"),
        ("= reach contains(map), contains(reduce)", "`s and t`"),
        ("= reach contains(map) with (time = 10s)", "`time: 10s`"),
        ("= reach contains(map) with (time: 10 seconds)", "`10s`"),
        ("= id when n > 3", "`ifThenElse(s, t, u)`"),
        ("= reach contains(map) with (time: 10 s)", "`10s`"),
        ("= reach contains(map) with (memory: 1 GiB, nodes: 5)", "`1GiB`"),
        ("n = a", "`strategy s(n, t) = …`"),
        ("(n: nat) = a", "`strategy s(n, t) = …`"),
    ] {
        let said = elevate(&format!("strategy s {body}"));
        assert!(said.contains("hint: ") && said.contains(hint), "{body}\n{said}");
        assert_eq!(said.matches("error[").count(), 1, "{body}\n{said}");
    }
}

#[test]
fn e0029_calls() {
    insta::assert_snapshot!(elevate("strategy s = topDown mapFusion ; (try s) (try t) ; [1 2]"), @r"
    error[E0029]: Strategies are applied with parentheses.
      --> a.elevate:1:22
      |
    1 | strategy s = topDown mapFusion ; (try s) (try t) ; [1 2]
      |                      ^^^^^^^^^ an argument without parentheses, or a missing `;`
      |
      = hint: What a strategy is given stands in parentheses, as in `topDown(s)`; two strategies have `;` between them.

    error[E0029]: Strategies are applied with parentheses.
      --> a.elevate:1:39
      |
    1 | strategy s = topDown mapFusion ; (try s) (try t) ; [1 2]
      |                                       ^ an argument without parentheses, or a missing `;`
      |
      = hint: What a strategy is given stands in parentheses, as in `topDown(s)`; two strategies have `;` between them.

    error[E0029]: Strategies are applied with parentheses.
      --> a.elevate:1:42
      |
    1 | strategy s = topDown mapFusion ; (try s) (try t) ; [1 2]
      |                                          ^ an argument without parentheses, or a missing `;`
      |
      = hint: Put `;` between two strategies.

    error[E0029]: Strategies are applied with parentheses.
      --> a.elevate:1:47
      |
    1 | strategy s = topDown mapFusion ; (try s) (try t) ; [1 2]
      |                                               ^ an argument without parentheses, or a missing `;`
      |
      = hint: What a strategy is given stands in parentheses, as in `topDown(s)`; two strategies have `;` between them.

    error[E0020]: A comma is missing between two arguments.
      --> a.elevate:1:55
      |
    1 | strategy s = topDown mapFusion ; (try s) (try t) ; [1 2]
      |                                                       ^ a comma is missing before this
      |
      = hint: Write `1, 2`.

    strategy s = ((topDown mapFusion) ; ! ; (list !))
    ");
}

#[test]
fn e0030_substitutions() {
    insta::assert_snapshot!(rules("rule beta = (\\x. b) e ~> b[x] + b[e + a/x] + b[1, 2]"), @r"
    error[E0030]: This is not a substitution.
      --> a.rules:1:28
      |
    1 | rule beta = (\x. b) e ~> b[x] + b[e + a/x] + b[1, 2]
      |                            ^ expected `e/x`
      |
      = In rules, a bracket that touches what stands before it substitutes: `b[e/x]` is `b` with `e` for `x`.
      = hint: Put looser operators into parentheses, `b[(a + c)/x]`; put a space before an array.

    error[E0030]: This is not a substitution.
      --> a.rules:1:35
      |
    1 | rule beta = (\x. b) e ~> b[x] + b[e + a/x] + b[1, 2]
      |                                   ^^^^^^^ expected `e/x`
      |
      = In rules, a bracket that touches what stands before it substitutes: `b[e/x]` is `b` with `e` for `x`.
      = hint: Put looser operators into parentheses, `b[(a + c)/x]`; put a space before an array.

    error[E0030]: This is not a substitution.
      --> a.rules:1:48
      |
    1 | rule beta = (\x. b) e ~> b[x] + b[e + a/x] + b[1, 2]
      |                                                ^ expected `e/x`
      |
      = In rules, a bracket that touches what stands before it substitutes: `b[e/x]` is `b` with `e` for `x`.
      = hint: Put looser operators into parentheses, `b[(a + c)/x]`; put a space before an array.

    rule beta = ((\x. b) e) ~> (! + ! + !)
    ");
}

#[test]
fn e0031_examples() {
    insta::assert_snapshot!(rules("example (a: f32) = a ~> a\nrule r = a ~> b\n  example (a) = a -> b\nrules s = {}\nexample = a ~> a"), @r"
    error[E0031]: This example follows no rule.
      --> a.rules:1:1
      |
    1 | example (a: f32) = a ~> a
      | ^^^^^^^ an example of what?
      |
      = hint: Put it below its rule.

    error[E0020]: Expected `~>` and what the left side becomes, found `->`.
      --> a.rules:3:19
      |
    3 |   example (a) = a -> b
      |                   ^^ expected `~>` and what the left side becomes
      |
      = hint: Rules are written `lhs ~> rhs`.

    error[E0031]: This example follows no rule.
      --> a.rules:5:1
      |
    5 | example = a ~> a
      | ^^^^^^^ an example of what?
      |
      = hint: Put it below its rule.

    rule r = a ~> b
      example (args a) = a ~> !
    rules s = (set)
    ");
}

#[test]
fn e0032_holes() {
    insta::assert_snapshot!(program("def f (a: ?n.f32) = map ? a"), @r"
    error[E0032]: `?n` stands for anything only in sketches.
      --> a.rise:1:11
      |
    1 | def f (a: ?n.f32) = map ? a
      |           ^^ not in a sketch
      |
      = hint: Write what is meant.

    error[E0032]: `?` stands for anything only in sketches.
      --> a.rise:1:25
      |
    1 | def f (a: ?n.f32) = map ? a
      |                         ^ not in a sketch
      |
      = hint: Write what is meant.

    def f (a: (array ?n f32)) = (map ? a)
    ");
    insta::assert_snapshot!(rules("rule r = map ?f x ~> x"), @r"
    error[E0032]: `?f` stands for anything only in sketches.
      --> a.rules:1:14
      |
    1 | rule r = map ?f x ~> x
      |              ^^ not in a sketch
      |
      = hint: In rules every free name is a variable: a plain name matches anything.

    rule r = (map ?f x) ~> x
    ");
}

/// The codes and the first hints of a program's problems.
fn hints(text: &str) -> Vec<(&'static str, String)> {
    let (_, problems) = parse_program(Sources::new().add("a.rise", text), text);
    problems.iter().map(|p| (p.code, p.hints.first().cloned().unwrap_or_default())).collect()
}

#[test]
fn what_other_languages_write_is_one_problem_that_says_what_to_write() {
    for (text, code, hint) in [
        ("def f a = map (\\x. if x > 0 then x else 0) a", "E0020", "`select (x > 0) x 0`"),
        ("def f a = if a then if a then 1 else 2 else (if a then 3 else 4)", "E0020", "`select a "),
        ("def f a = map (\\(x: f32, y: f32). x + y) a", "E0020", "`(x: f32) (y: f32)`"),
        ("def f a = map (\\(x). x) a", "E0020", "`\\x. …`"),
        ("def f a = map (\\(x, y + 1). x) a", "E0020", "`(a, b)`"),
        ("def f a = let (x, 1) = a in x", "E0020", "`(a, b)`"),
        ("def f (a, b) = a", "E0020", "`def f (a: f32) (b: f32) = …`"),
        ("def f (a: f32, b: i32) = a", "E0020", "`(a: f32) (b: i32)`"),
        ("def f (a: [n]f32) = a", "E0020", "`n.f32`"),
        ("// f\ndef f a = a", "E0010", "`-- f`"),
        ("def f a = a // b", "E0010", "`--`"),
        ("def f a = select (a = 1) a a", "E0020", "`==`"),
        ("def f a = map sqrt $ a", "E0010", "`a |> map sqrt`"),
        ("def f（a: n.f32) = a", "E0010", "write `(`"),
        ("def f a = a – 1", "E0010", "write `-`"),
        ("def f\u{a0}a = a", "E0010", "a space"),
        ("def f a\u{200b} = a", "E0010", "cannot be seen"),
        ("def naïveté (α: n.f32) = 1", "E0010", "Names are made of"),
    ] {
        let found = hints(text);
        assert!(
            !found.is_empty() && found.iter().all(|(c, h)| *c == code && h.contains(hint)),
            "{text}: {found:?}"
        );
        let most = if text.contains('ï') { 3 } else { 1 };
        assert!(found.len() <= most, "{text}: {found:?}");
    }
}

/// The text has one problem, with a hint that has this part.
fn one_problem_hints(language: Language, text: &str, part: &str) {
    let (_, problems) = parse(language, Sources::new().add("a", text), text);
    let hints: Vec<_> = problems.iter().flat_map(|p| p.hints.clone()).collect();
    assert!(problems.len() == 1 && hints.iter().any(|h| h.contains(part)), "{text}: {problems:?}");
}

#[test]
fn signs_in_sketches_and_sets_are_told_in_the_words_of_the_text() {
    for (text, hint) in [
        ("sketch s = contains(mapSeq & mapPar)", "`mapSeq and mapPar`"),
        ("sketch s = contains(mapSeq && mapPar)", "`mapSeq and mapPar`"),
        ("sketch s = contains(mapSeq || mapPar)", "`mapSeq or mapPar`"),
        ("sketch s = contains(mapSeq | mapPar)", "`s or t`"),
        ("sketch s = !contains(mapPar)", "`not(contains(mapPar))`"),
        ("strategy s = reach ? using a(1, 2), b and c", "write `using {a(1, 2), b, c}`"),
        ("strategy s = reach ? using { {a}, b }", "one pair of braces"),
        ("strategy s = reach ? using a with (nodes: -3)", "not below zero"),
        ("strategy s = topDown(splitJoin(p = 4))", "the value of `p` alone"),
    ] {
        one_problem_hints(Language::Elevate, text, hint);
    }
}

#[test]
fn definitions_are_named_as_they_are_written() {
    for (text, hint) in [
        ("let f a = reduce (+) 0 a", "`def f (a: n.f32) = …`"),
        ("f a = reduce (+) 0 a", "`def f (a: n.f32) = …`"),
        ("f = \\a. reduce (+) 0 a", "`def f = …`"),
        ("float g(float* a) { return a[0]; }", "`def g (a: n.f32) = …`"),
        ("def f {n} (a: n.f32): n.f32 = a", "`{n: nat}`"),
        ("def f {n, m} (a: n.m.f32) = a", "`{n m: nat}`"),
        ("def f (a: n.f32) { a }", "`= a`"),
        ("def f (a: n.(f32 * f32)) = map (\\p. p._1) a", "`fst p`"),
    ] {
        one_problem_hints(Language::Program, text, hint);
    }
}

#[test]
fn parts_of_strategies_and_rules_are_told_how_they_are_separated() {
    for (text, part) in [
        ("strategy s = tile(4 4)", "Write `4, 4`."),
        ("strategy s = reorder([2 1])", "Write `2, 1`."),
        ("strategy s = reorder([1..2])", "with commas between them"),
        ("strategy s = \"mapFusion\"", "without quotes"),
        ("strategy s = tile(\"4\", 4)", "without quotes"),
    ] {
        one_problem_hints(Language::Elevate, text, part);
    }
    for (text, part) in [
        ("rule r(p) = map f xs ~> map f xs where p > 1; p < 9", "`where p > 1, p < 9`"),
        ("rule r(4) = map f xs ~> map f xs", "`rule r(p) = …`"),
    ] {
        one_problem_hints(Language::Rules, text, part);
    }
}

#[test]
fn conditions_of_rules_that_stand_elsewhere_are_told_where_they_belong() {
    for (text, hint) in [
        ("rule r = reduce f i xs ~> reduce f i (reverse xs) if commutative f", "behind `where`"),
        ("rule r = map f xs ~> xs when x notin f, y notin f", "behind `where`"),
        ("rule r where commutative f = reduce f i xs ~> reduce f i (reverse xs)", "at the end of a rule"),
    ] {
        one_problem_hints(Language::Rules, text, hint);
    }
}

#[test]
fn a_function_in_the_place_of_a_strategy_is_told_where_parameters_belong() {
    for text in ["strategy s = \\x. id", "strategy s = topDown(\\x. id)"] {
        let told = elevate(text);
        assert!(told.contains("acts on the program without naming it"), "{told}");
        assert!(told.contains("`strategy s(p) = splitJoin(p)`"), "{told}");
    }
}
