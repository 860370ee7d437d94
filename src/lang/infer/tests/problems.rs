//! What is said about programs that are wrong: one of each kind.

use super::{Sources, bad, parse_program, program};

#[test]
fn unknown_name() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = mpa sqrt a"), @r"
    error[E0101]: There is no `mpa` here.
      --> p.rise:1:20
      |
    1 | def f (a: n.f32) = mpa sqrt a
      |                    ^^^ not defined
      |
      = hint: Did you mean `map`?
    ");
}

#[test]
fn unknown_type() {
    insta::assert_snapshot!(bad("def f (a: n.f23) (b: n.elem) = a"), @r"
    error[E0103]: There is no type `f23`.
      --> p.rise:1:13
      |
    1 | def f (a: n.f23) (b: n.elem) = a
      |             ^^^ not declared
      |
      = hint: Did you mean `f32`?

    error[E0103]: There is no type `elem`.
      --> p.rise:1:24
      |
    1 | def f (a: n.f23) (b: n.elem) = a
      |                        ^^^^ not declared
      |
      = The scalar types are bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64.
      = hint: A type variable has one letter or is declared: `def f {elem: data} ...`.
    ");
}

#[test]
fn a_size_as_a_type() {
    insta::assert_snapshot!(bad("def f (n: Size) (a: n.f32) = a"), @r"
    error[E0103]: There is no type `Size`.
      --> p.rise:1:11
      |
    1 | def f (n: Size) (a: n.f32) = a
      |           ^^^^ not declared
      |
      = A size is no element of arrays.
      = hint: Declare a parameter that is a size as `(n: nat)`; whole numbers are `i32`.
    ");
}

#[test]
fn unknown_size() {
    insta::assert_snapshot!(bad("def f {rows: nat} (a: rows.f32) = split row a"), @r"
    error[E0102]: There is no size `row`.
      --> p.rise:1:41
      |
    1 | def f {rows: nat} (a: rows.f32) = split row a
      |                                         ^^^ not declared
      |
      = hint: Did you mean `rows`?
    ");
}

#[test]
fn size_that_is_a_value() {
    insta::assert_snapshot!(bad("def f (a: n.f32) (k: i32) = take (k + 1) a"), @r"
    error[E0102]: There is no size `k`.
      --> p.rise:1:35
      |
    1 | def f (a: n.f32) (k: i32) = take (k + 1) a
      |                                   ^ not declared
      |
      = `k` is a value, which is known only when the program runs.
      = hint: Declare `(k: nat)` as a size if it does not depend on the data.
    ");
}

#[test]
fn vectors_of_what_is_no_scalar() {
    insta::assert_snapshot!(bad("def f (a: n.<4>(f32 * f32)) = a"), @r"
    error[E0117]: Vectors hold scalars, but found a pair: `(f32 * f32)`.
      --> p.rise:1:16
      |
    1 | def f (a: n.<4>(f32 * f32)) = a
      |                ^^^^^^^^^^^ here
    ");
    for text in [
        "def f (a: <2>(3.f32)): f32 = 1",
        "def f (a: n.<4><4>f32) = a",
        "def f (x: f32): <4>idx[5] = generate (\\i. i)",
        "def g {t: data} (v: n.<4>t): n.<4>t = v\ndef f (a: n.<4>(f32 * i8)) = g a",
        "def f (a: n.f32) = a |> map (\\x. (\\(v: <4>(f32 * f32)). x) (generate (\\i. (x, x))))",
        "def g {t: data} (x: t) (h: <4>t -> t): t = x\ndef f (x: f32) (y: i32) = g (x, y) (\\v. (x, y))",
        "pattern p : {t: data} -> t -> <4>t -> t = \\x v. x\ndef f (x: f32) = p (x, x)",
    ] {
        let said = bad(text);
        assert!(said.contains("E0117") && said.contains("Vectors hold scalars"), "{text}\n{said}");
    }
}

#[test]
fn taken_names() {
    insta::assert_snapshot!(bad("def map (a: n.f32) = a\ndef f (a: n.f32) = a\ndef f (a a: n.f32) = a"), @r"
    error[E0104]: `map` is the name of a pattern.
      --> p.rise:1:5
      |
    1 | def map (a: n.f32) = a
      |     ^^^ taken
      |
      = hint: Choose another name for the definition.

    error[E0104]: `f` is defined twice.
      --> p.rise:3:5
      |
    2 | def f (a: n.f32) = a
      |     - first defined here
    3 | def f (a a: n.f32) = a
      |     ^ defined again
      |
      = hint: Choose another name for one of them, or remove one.
    ");
}

#[test]
fn cycle() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = g a\ndef g (a: n.f32) = h a\ndef h (a: n.f32) = f a"), @r"
    error[E0105]: These definitions need each other: `f` -> `g` -> `h` -> `f`.
      --> p.rise:3:20
      |
    1 | def f (a: n.f32) = g a
      |     - part of the cycle
    2 | def g (a: n.f32) = h a
      |     - part of the cycle
    3 | def h (a: n.f32) = f a
      |     -              ^ this closes the cycle
      |     |
      |     part of the cycle
      |
      = Definitions always unfold, so one that needs itself has no end.
      = hint: Use a pattern to repeat: `map`, `reduce`, `generate`.
    ");
}

#[test]
fn cycle_of_one() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map f a"), @r"
    error[E0105]: `f` is defined by itself.
      --> p.rise:1:24
      |
    1 | def f (a: n.f32) = map f a
      |     -                  ^ this closes the cycle
      |     |
      |     part of the cycle
      |
      = Definitions always unfold, so one that needs itself has no end.
      = hint: Use a pattern to repeat: `map`, `reduce`, `generate`.
    ");
}

#[test]
fn argument() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map (\\p. fst p) a"), @r"
    error[E0110]: This is `f32`, but `(t * s)` is needed.
      --> p.rise:1:33
      |
    1 | def f (a: n.f32) = map (\p. fst p) a
      |                                 ^ this is `f32`
      |
      = It is the first argument of `fst`.
      = `t` and `s` are types that are not known yet.
      = hint: `(a, b)` makes a pair, and the elements of `zip a b` are pairs.
    ");
}

#[test]
fn argument_given_by_a_bar() {
    insta::assert_snapshot!(bad("def f (a: f32) = a |> map sqrt"), @r"
    error[E0110]: This is `f32`, but `n.t` is needed.
      --> p.rise:1:18
      |
    1 | def f (a: f32) = a |> map sqrt
      |                  ^ this is `f32`
      |
      = It is given to `map` by `|>`.
      = `t` is a type that is not known yet.
      = `n` is a size that is not known yet.
      = hint: An array is needed here: is there a `map`, `join` or `reduce` too many before it?
    ");
}

#[test]
fn result() {
    insta::assert_snapshot!(bad("def f (a: n.f32): f32 = a |> map (\\x. x * x)"), @r"
    error[E0110]: This is `n.f32`, but `f32` is needed.
      --> p.rise:1:25
      |
    1 | def f (a: n.f32): f32 = a |> map (\x. x * x)
      |                         ^^^^^^^^^^^^^^^^^^^^ this is `n.f32`
      |
      = `f` is declared to return another type.
      = hint: Declare the result as `n.f32`, or compute a `f32`. One value of all elements is made by `reduce`; `join` makes one array of the rows of a matrix.
    ");
}

#[test]
fn ascription() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map sqrt (a : n.f64)"), @r"
    error[E0110]: This is `n.f32`, but `n.f64` is needed.
      --> p.rise:1:30
      |
    1 | def f (a: n.f32) = map sqrt (a : n.f64)
      |                              ^ this is `n.f32`
      |
      = Another type is written here.
      = Where `f64` is needed, there is `f32`.
      = hint: `cast` converts between scalar types, those of an array by `map (\x. (cast x : f64))`.
    ");
}

#[test]
fn operands() {
    insta::assert_snapshot!(bad("def f (a: n.f32) (b: i32) = map (\\x. x + b) a"), @r"
    error[E0110]: This is `i32`, but `f32` is needed.
      --> p.rise:1:42
      |
    1 | def f (a: n.f32) (b: i32) = map (\x. x + b) a
      |                                          ^ this is `i32`
      |
      = Both operands of `+` have one type.
      = hint: `cast` converts between scalar types: `(cast b : f32)`.
    ");
}

#[test]
fn elements() {
    insta::assert_snapshot!(bad("def f (a: f32) (b: i32) = [a, b]"), @r"
    error[E0110]: This is `i32`, but `f32` is needed.
      --> p.rise:1:31
      |
    1 | def f (a: f32) (b: i32) = [a, b]
      |                               ^ this is `i32`
      |
      = All elements of an array have one type.
      = hint: `cast` converts between scalar types: `(cast b : f32)`.
    ");
}

#[test]
fn rigid_types() {
    insta::assert_snapshot!(bad("def f (x: s): t = x"), @r"
    error[E0110]: This is `s`, but `t` is needed.
      --> p.rise:1:19
      |
    1 | def f (x: s): t = x
      |                   ^ this is `s`
      |
      = `f` is declared to return another type.
      = hint: `t` may be any type here.
    ");
}

#[test]
fn sizes() {
    insta::assert_snapshot!(bad("def f (a: n.f32) (b: m.f32) = zip a b"), @r"
    error[E0111]: The sizes `n` and `m` are not equal.
      --> p.rise:1:37
      |
    1 | def f (a: n.f32) (b: m.f32) = zip a b
      |                                     ^ this is `m.f32`
      |
      = It is the second argument of `zip`.
      = What is needed is `n.t`.
      = `t` is a type that is not known yet.
      = hint: `n` and `m` may be any two sizes. Use one name where they must be equal.
    ");
}

#[test]
fn sizes_in_a_definition() {
    insta::assert_snapshot!(bad("def first (a: k.f32): 3.f32 = a\ndef f (a: 3.f32) = first a"), @r"
    error[E0111]: The sizes `3` and `k` are not equal.
      --> p.rise:1:31
      |
    1 | def first (a: k.f32): 3.f32 = a
      |                               ^ this is `k.f32`
      |
      = `first` is declared to return another type.
      = What is needed is `3.f32`.
      = hint: `k` may be any size here.
    ");
}

#[test]
fn sizes_at_a_use() {
    insta::assert_snapshot!(bad("def id2 (a: k.f32): k.f32 = a\ndef f (a: 3.f32) (b: 4.f32) = zip (id2 a) (id2 b)"), @r"
    error[E0111]: The sizes `3` and `4` are not equal.
      --> p.rise:2:44
      |
    2 | def f (a: 3.f32) (b: 4.f32) = zip (id2 a) (id2 b)
      |                                            ^^^^^ this is `4.f32`
      |
      = It is the second argument of `zip`.
      = What is needed is `3.t`.
      = `t` is a type that is not known yet.
      = hint: The other one has 1 more: `take 3 xs` are the first of them.
    ");
}

#[test]
fn size_that_does_not_divide() {
    insta::assert_snapshot!(bad("def f (a: 100.f32) = split 32 a"), @r"
    error[E0111]: No whole size `n` makes `32*n` equal to `100`.
      --> p.rise:1:31
      |
    1 | def f (a: 100.f32) = split 32 a
      |                               ^ this is `100.f32`
      |
      = It is the second argument of `split`.
      = What is needed is `(32*n).t`.
      = `t` is a type that is not known yet.
      = `n` is a size that is not known yet.
      = hint: Is the array too short or too long for `split`? Say how its size depends on others, as in `(n + 2).f32`.
    ");
}

#[test]
fn window_that_does_not_fit() {
    insta::assert_snapshot!(bad("def f (a: 8.f32) = slide 3 2 a"), @r"
    error[E0111]: No whole size `n` makes `2*n + 1` equal to `8`.
      --> p.rise:1:30
      |
    1 | def f (a: 8.f32) = slide 3 2 a
      |                              ^ this is `8.f32`
      |
      = It is the third argument of `slide`.
      = What is needed is `(2*n + 1).t`.
      = `t` is a type that is not known yet.
      = `n` is a size that is not known yet.
      = hint: Is the array too short or too long for `slide`? Say how its size depends on others, as in `(n + 2).f32`.
    ");
}

#[test]
fn infinite() {
    insta::assert_snapshot!(bad("def f x = x x"), @r"
    error[E0112]: The type of this would have to contain itself.
      --> p.rise:1:13
      |
    1 | def f x = x x
      |             ^ this is `t -> s`
      |
      = It is the first argument of `x`.
      = What is needed is `t`.
      = `t` and `s` are types that are not known yet.
      = hint: Is another name meant, or is one argument too many?
    ");
}

#[test]
fn function_as_data() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map (\\x. \\y. x) a"), @r"
    error[E0113]: This is a function, `s -> f32`, but data is needed.
      --> p.rise:1:29
      |
    1 | def f (a: n.f32) = map (\x. \y. x) a
      |                             ^^^^^ this is `s -> f32`
      |
      = `s` is a type that is not known yet.
      = hint: Is an argument missing?
    ");
}

#[test]
fn function_in_an_array() {
    insta::assert_snapshot!(bad("def f (a: n.(f32 -> f32)) = a"), @r"
    error[E0113]: Arrays, vectors and pairs hold data, not functions.
      --> p.rise:1:14
      |
    1 | def f (a: n.(f32 -> f32)) = a
      |              ^^^^^^^^^^ this is a function
      |
      = Functions cannot be stored in memory.
    ");
}

#[test]
fn data_as_function() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map 3 a"), @r"
    error[E0113]: This is data, but `t -> s` is needed.
      --> p.rise:1:24
      |
    1 | def f (a: n.f32) = map 3 a
      |                        ^ this is data
      |
      = It is the first argument of `map`.
      = `t` and `s` are types that are not known yet.
      = hint: Are the arguments of `map` in the right order?
    ");
}

#[test]
fn missing_argument() {
    insta::assert_snapshot!(bad("def f (a: n.f32): n.(f32 * f32) = zip a"), @r"
    error[E0110]: This is `n.t -> n.(f32 * t)`, but `n.(f32 * f32)` is needed.
      --> p.rise:1:35
      |
    1 | def f (a: n.f32): n.(f32 * f32) = zip a
      |                                   ^^^^^ this is `n.t -> n.(f32 * t)`
      |
      = `f` is declared to return another type.
      = `t` is a type that is not known yet.
      = hint: Is an argument missing?
    ");
}

#[test]
fn too_many_arguments() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = zip a a a"), @r"
    error[E0114]: `zip` takes two arrays.
      --> p.rise:1:24
      |
    1 | def f (a: n.f32) = zip a a a
      |                        ^^^^^ these arguments
      |
      = hint: Write `zip a (zip a a)`.
    ");
}

#[test]
fn no_function() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = a 3"), @r"
    error[E0114]: `a` is no function, but is applied.
      --> p.rise:1:20
      |
    1 | def f (a: n.f32) = a 3
      |                    ^ this is `n.f32`
      |
      = hint: An element is read by `idx 0 xs`, with its index first; arguments are separated by spaces, elements of a literal array by commas.
    ");
}

#[test]
fn missing_size() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = split a"), @r"
    error[E0115]: `split` needs the size `n`.
      --> p.rise:1:20
      |
    1 | def f (a: n.f32) = split a
      |                    ^^^^^ the size is missing
      |
      = hint: Write it first, e.g. `split 4 ...`.
    ");
}

#[test]
fn no_size() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = split [1] a |> take 0.5"), @r"
    error[E0115]: `split` needs the size `n`.
      --> p.rise:1:20
      |
    1 | def f (a: n.f32) = split [1] a |> take 0.5
      |                    ^^^^^ the size is missing
      |
      = hint: Write it first, e.g. `split 4 ...`.

    error[E0115]: `take` needs the size `n`.
      --> p.rise:1:35
      |
    1 | def f (a: n.f32) = split [1] a |> take 0.5
      |                                   ^^^^ the size is missing
      |
      = hint: Write it first, e.g. `take 4 ...`.
    ");
}

#[test]
fn division_by_zero() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = split (n/0) a"), @r"
    error[E0115]: This size divides by zero.
      --> p.rise:1:27
      |
    1 | def f (a: n.f32) = split (n/0) a
      |                           ^^^ here
    ");
}

#[test]
fn no_dimension() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = mapGlobal 3 sqrt a"), @r"
    error[E0115]: A dimension is 0, 1 or 2.
      --> p.rise:1:30
      |
    1 | def f (a: n.f32) = mapGlobal 3 sqrt a
      |                              ^ this is none of them
    ");
}

#[test]
fn no_address_space() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = toMem globl a"), @r"
    error[E0115]: There is no address space `globl`.
      --> p.rise:1:26
      |
    1 | def f (a: n.f32) = toMem globl a
      |                          ^^^^^ not known
      |
      = hint: Did you mean `global`?
    ");
}

#[test]
fn operator() {
    insta::assert_snapshot!(bad("def f (a: n.(f32 * f32)) = reduce (+) 0 a"), @r"
    error[E0117]: `+` needs numbers, but found a pair: `(f32 * f32)`.
      --> p.rise:1:35
      |
    1 | def f (a: n.(f32 * f32)) = reduce (+) 0 a
      |                                   ^^^ here
      |
      = hint: The components of a pair `p` are `fst p` and `snd p`.
    ");
}

#[test]
fn operator_on_arrays() {
    insta::assert_snapshot!(bad("def f (a b: n.f32) = a * b"), @r"
    error[E0117]: `*` needs numbers, but found an array: `n.f32`.
      --> p.rise:1:22
      |
    1 | def f (a b: n.f32) = a * b
      |                      ^^^^^ here
      |
      = hint: For every element, write `zip a b |> map (\(x, y). x * y)`.
    ");
}

#[test]
fn operator_in_a_definition() {
    insta::assert_snapshot!(bad("def sq x = x * x\ndef f (a: n.(f32 * f32)) = map sq a"), @r"
    error[E0117]: `*` needs numbers, but found a pair: `(f32 * f32)`.
      --> p.rise:1:12
      |
    1 | def sq x = x * x
      |            ^^^^^ here
    2 | def f (a: n.(f32 * f32)) = map sq a
      |                                -- used here
      |
      = hint: The components of a pair `p` are `fst p` and `snd p`.
    ");
}

#[test]
fn float_function() {
    insta::assert_snapshot!(bad("def f (a: n.i32) = map sqrt a"), @r"
    error[E0117]: `sqrt` needs floating-point numbers, but found a whole number: `i32`.
      --> p.rise:1:24
      |
    1 | def f (a: n.i32) = map sqrt a
      |                        ^^^^ here
      |
      = hint: `cast` converts between scalar types: `(\v. sqrt (cast v : f32))` in its place.
    ");
}

#[test]
fn whole_numbers() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map (\\x. x % 2.0) a"), @r"
    error[E0117]: `%` needs whole numbers, but found a floating-point number: `f32`.
      --> p.rise:1:29
      |
    1 | def f (a: n.f32) = map (\x. x % 2.0) a
      |                             ^^^^^^^ here
      |
      = hint: Write `x - 2.0 * trunc (x / 2.0)` for the rest of a division, `(cast x : i32) % 2` for that of whole numbers.
    ");
}

#[test]
fn comparison() {
    insta::assert_snapshot!(bad("def f (a: n.(f32 * f32)) = map (\\x. x == x) a"), @r"
    error[E0117]: `==` compares scalars, but found a pair: `(f32 * f32)`.
      --> p.rise:1:37
      |
    1 | def f (a: n.(f32 * f32)) = map (\x. x == x) a
      |                                     ^^^^^^ here
    ");
}

#[test]
fn vector_of_pairs() {
    insta::assert_snapshot!(bad("def f (a: n.(f32 * f32)) = asVector 4 a"), @r"
    error[E0117]: Vectors hold scalars, but found a pair: `(f32 * f32)`.
      --> p.rise:1:28
      |
    1 | def f (a: n.(f32 * f32)) = asVector 4 a
      |                            ^^^^^^^^ here
    ");
}

#[test]
fn conversion() {
    insta::assert_snapshot!(bad("def f (a: n.(f32 * f32)): n.f32 = map cast a"), @r"
    error[E0117]: There is no conversion from `(f32 * f32)` to `f32`.
      --> p.rise:1:39
      |
    1 | def f (a: n.(f32 * f32)): n.f32 = map cast a
      |                                       ^^^^ here
      |
      = `cast` converts between scalar types, and between vectors of one length.
    ");
}

#[test]
fn number_out_of_range() {
    insta::assert_snapshot!(bad("def f (a: n.i8) = map (\\x. x + 300) a"), @r"
    error[E0118]: The number 300 does not fit the type `i8`.
      --> p.rise:1:32
      |
    1 | def f (a: n.i8) = map (\x. x + 300) a
      |                                ^^^ `i8` is needed here
      |
      = `i8` holds whole numbers from -128 to 127.
      = hint: Choose another number, or convert to a larger type first: `cast`.
    ");
}

#[test]
fn fraction() {
    insta::assert_snapshot!(bad("def f (a: n.i32) = map (\\x. x + 0.5) a"), @r"
    error[E0118]: The number 0.5 does not fit the type `i32`.
      --> p.rise:1:33
      |
    1 | def f (a: n.i32) = map (\x. x + 0.5) a
      |                                 ^^^ `i32` is needed here
      |
      = `i32` holds whole numbers.
      = hint: Write a whole number, or convert what it stands with: `(cast x : f32)`.
    ");
}

#[test]
fn number_for_an_index() {
    insta::assert_snapshot!(bad("def f (a: 3.f32) = idx 3 a"), @r"
    error[E0118]: The index 3 is not below 3.
      --> p.rise:1:24
      |
    1 | def f (a: 3.f32) = idx 3 a
      |                        ^ `idx[3]` is needed here
      |
      = hint: Indices are whole numbers from 0.
    ");
    assert!(bad("def f (a: 3.f32) = idx 1.5 a").contains("This is a number, but an index is needed"));
}

#[test]
fn number_suffix() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map (\\x. x + 1f3) a"), @r"
    error[E0011]: `f3` is no type of numbers.
      --> p.rise:1:33
      |
    1 | def f (a: n.f32) = map (\x. x + 1f3) a
      |                                 ^^^ this number
      |
      = hint: The types of numbers are `i8`, `i16`, `i32`, `i64`, `u8`, `u16`, `u32`, `u64`, `f16`, `f32` or `f64`; a product is written `1*f3`.
    ");
}

#[test]
fn index_out_of_range() {
    insta::assert_snapshot!(bad("def f (a: 4.f32) = idx (natAsIndex 4 4) a"), @r"
    error[E0118]: The index 4 is not below 4.
      --> p.rise:1:38
      |
    1 | def f (a: 4.f32) = idx (natAsIndex 4 4) a
      |                                      ^ out of range
    ");
}

#[test]
fn undetermined_size() {
    insta::assert_snapshot!(bad("def f a b = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0"), @r"
    error[E0119]: The types of `a` and `b` are not determined.
      --> p.rise:1:7
      |
    1 | def f a b = zip a b |> map (\p. fst p * snd p) |> reduce (+) 0
      |       ^ - this is `n.i32`
      |       |
      |       this is `n.i32`
      |
      = `n` is a size that is not known yet.
      = hint: Write the types that are meant, such as `(a: n.i32) (b: n.i32)`.
    ");
}

#[test]
fn undetermined_type() {
    insta::assert_snapshot!(bad("def f (x: f32) = fst (x, \\y. y)\ndef g (a: n.f32) = map (\\x. snd (a, generate (\\i. x))) a"), @r"
    error[E0113]: This is a function, `s -> s`, but data is needed.
      --> p.rise:1:26
      |
    1 | def f (x: f32) = fst (x, \y. y)
      |                          ^^^^^ this is `s -> s`
      |
      = It is the second argument of `makePair`.
      = `s` is a type that is not known yet.
      = `g` does not use `f`, but a file is read as a whole.
      = hint: Is an argument missing?
      = hint: Mend `f`, or remove it; `--def g` reads only what `g` uses.
    ");
}

#[test]
fn function_as_parameter() {
    insta::assert_snapshot!(bad("def f (g: f32 -> f32) (a: n.f32) = map g a"), @r"
    error[E0120]: The program `f` takes a function: `g`.
      --> p.rise:1:8
      |
    1 | def f (g: f32 -> f32) (a: n.f32) = map g a
      |        ^ this is `f32 -> f32`
      |
      = A program's parameters come from memory, and functions cannot be stored.
      = hint: Choose another definition with `--def`, or apply this one in a further `def`.
    ");
}

#[test]
fn function_as_result() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = (\\(g: f32 -> f32). map g a)"), @r"
    error[E0120]: The program `f` takes a function.
      --> p.rise:1:21
      |
    1 | def f (a: n.f32) = (\(g: f32 -> f32). map g a)
      |                     ^^^^^^^^^^^^^^^^^^^^^^^^^ this is `(f32 -> f32) -> n.f32`
      |
      = A program's parameters come from memory, and functions cannot be stored.
    ");
}

#[test]
fn generic_program() {
    insta::assert_snapshot!(bad("def f (a: n.t) = a"), @r"
    error[E0122]: The program `f` works for any type `t`.
      --> p.rise:1:5
      |
    1 | def f (a: n.t) = a
      |     ^ a program has one type
      |
      = hint: Write a type for `t`, e.g. `f32`, or choose another definition.
    ");
}

#[test]
fn size_function_inside() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map (/\\n. a) a"), @r"
    error[E0123]: A function of sizes stands only where a definition starts, or as an argument that is one.
      --> p.rise:1:25
      |
    1 | def f (a: n.f32) = map (/\n. a) a
      |                         ^^^^^^ not here
      |
      = `iterate k` and `reorder n` take functions of sizes.
      = hint: Declare the size as a parameter of a definition: `def f (n: nat) ...`.
    ");
}

#[test]
fn sizes_of_lambdas() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map (\\(k: nat). a) a"), @r"
    error[E0123]: A function inside a program takes values, not sizes.
      --> p.rise:1:26
      |
    1 | def f (a: n.f32) = map (\(k: nat). a) a
      |                          ^^^^^^^^ not here
      |
      = hint: Declare the size as a parameter of the definition.

    error[E0110]: This is `n.f32`, but `f32 -> t` is needed.
      --> p.rise:1:36
      |
    1 | def f (a: n.f32) = map (\(k: nat). a) a
      |                                    ^ this is `n.f32`
      |
      = `t` is a type that is not known yet.
      = hint: It takes no arguments: is there one too many, or is `\x. ...` missing?
    ");
}

#[test]
fn operators_of_sizes() {
    insta::assert_snapshot!(bad("def f (a: n.f32) = map (\\x. (x ^ 2, x div 2)) a"), @r"
    error[E0123]: `^` is for sizes, not for values.
      --> p.rise:1:30
      |
    1 | def f (a: n.f32) = map (\x. (x ^ 2, x div 2)) a
      |                              ^^^^^ here
      |
      = hint: Write `x * x`, or `bitXor x 2` for the bits of integers.

    error[E0123]: `div` divides sizes, not values.
      --> p.rise:1:37
      |
    1 | def f (a: n.f32) = map (\x. (x ^ 2, x div 2)) a
      |                                     ^^^^^^^ here
      |
      = hint: Write `x / 2`: of integers it rounds towards zero.
    ");
}

#[test]
fn pattern_without_meaning() {
    insta::assert_snapshot!(bad("pattern sort : {n: nat} n.f32 -> n.f32\ndef f (a: n.f32) = sort a"), @r"
    error[E0127]: The pattern `sort` is declared without a meaning.
      --> p.rise:1:9
      |
    1 | pattern sort : {n: nat} n.f32 -> n.f32
      |         ^^^^ its type is known, and not what it computes
      |
      = hint: Say after its type what it computes, as in `pattern sort : ... = \x. ...`.
      = hint: A function of scalars can be written in C instead, as a `foreign def`.
    ");
}

#[test]
fn no_program() {
    insta::assert_snapshot!(bad("pattern sq : f32 -> f32 = \\x. x * x"), @r"
    error[E0121]: There is no program: the text has no `def`.
     = hint: Write one, e.g. `def double (a: n.f32): n.f32 = map (\x. x + x) a`.
    ");
    for text in ["declare a", "declare assoc f"] {
        assert!(bad(text).contains("E0121"), "{text}: {}", bad(text));
    }
}

#[test]
fn several_at_once() {
    insta::assert_snapshot!(bad("def f (a: n.f32) (b: m.flt): n.f32 =\n  a |> mapp sqrt |> map (\\x. x + c) |> reduce (+) 0\ndef g (a: n.f32) = f (zip a a)"), @r"
    error[E0103]: There is no type `flt`.
      --> p.rise:1:24
      |
    1 | def f (a: n.f32) (b: m.flt): n.f32 =
      |                        ^^^ not declared
      |
      = The scalar types are bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64.
      = hint: A type variable has one letter or is declared: `def f {elem: data} ...`.

    error[E0101]: There is no `mapp` here.
      --> p.rise:2:8
      |
    2 |   a |> mapp sqrt |> map (\x. x + c) |> reduce (+) 0
      |        ^^^^ not defined
      |
      = hint: Did you mean `map`?

    error[E0117]: `+` needs numbers, but found an array: `n.f32`.
      --> p.rise:2:30
      |
    2 |   a |> mapp sqrt |> map (\x. x + c) |> reduce (+) 0
      |                              ^^^^^ here
      |
      = hint: For every element, write `zip x c |> map (\(x, y). x + y)`.

    error[E0101]: There is no `c` here.
      --> p.rise:2:34
      |
    2 |   a |> mapp sqrt |> map (\x. x + c) |> reduce (+) 0
      |                                  ^ not defined
      |
      = hint: Names come from `def`, parameters, `\x.` and `let`; `shine-tui patterns` lists the patterns.

    error[E0110]: This is `n.(f32 * f32)`, but `k.f32` is needed.
      --> p.rise:3:23
      |
    3 | def g (a: n.f32) = f (zip a a)
      |                       ^^^^^^^ this is `n.(f32 * f32)`
      |
      = It is the first argument of `f`.
      = Where `f32` is needed, there is `(f32 * f32)`.
      = `k` is a size that is not known yet.
      = hint: Arguments are separated by spaces, `f a b`; the components of a pair `p` are `fst p` and `snd p`.
    ");
}

#[test]
fn what_is_too_large() {
    let sum = format!("def f (x: f32) = x{}", " + x".repeat(900));
    insta::assert_snapshot!(bad(&sum), @r"
    error[E0124]: These are 900 parts, more than 800.
     = p.rise:1:18, at `x + x + x + x + x + x + x + x + x + x +`: too long
    ");
    let doubled: String =
        (1..100).map(|i| format!("def d{i} (x: f32): f32 = d{} x + d{} x\n", i - 1, i - 1)).collect();
    insta::assert_snapshot!(bad(&format!("def d0 (x: f32): f32 = x\n{doubled}")), @r"
    error[E0124]: `d99` is too large: its definitions unfold to more than 200000 parts.
      --> p.rise:4:24
      |
    4 | def d3 (x: f32): f32 = d2 x + d2 x
      |                        ^^^^^^^^^^^ while this unfolds
      |
      = hint: Share values with `let`: it does not unfold.
    ");
    let nested: String =
        (1..2000).map(|i| format!("def d{i} (x: f32): f32 = sqrt (d{} x)\n", i - 1)).collect();
    insta::assert_snapshot!(bad(&format!("def d0 (x: f32): f32 = x\n{nested}")), @r"
    error[E0124]: `d1999` nests more than 1600 calls once its definitions are unfolded.
        --> p.rise:400:32
        |
    400 | def d399 (x: f32): f32 = sqrt (d398 x)
        |                                ^^^^^^ while this unfolds
        |
        = hint: Write chains of functions with `>>` or `|>`, or use a pattern to repeat.
    ");
    let pairs: String = (1..13).map(|i| format!("def d{i} x = (d{} x, d{} x)\n", i - 1, i - 1)).collect();
    insta::assert_snapshot!(bad(&format!("def d0 (x: f32) = x\n{pairs}")), @r"
    error[E0124]: The type of this has more than 4096 parts.
       --> p.rise:12:5
       |
    12 | def d11 x = (d10 x, d10 x)
       |     ^^^ pairs of pairs, or functions of functions
       |
       = hint: Use arrays for many values of one type, and return fewer components.
    ");
    let lets: String = (1..99).map(|i| format!("  let x{i} = (x{}, x{})\n", i - 1, i - 1)).collect();
    insta::assert_snapshot!(bad(&format!("def f (x0: f32) =\n{lets}  fst x98\n")), @r"
    error[E0124]: The type of this has more than 4096 parts.
      --> p.rise:1:5
      |
    1 | def f (x0: f32) =
      |     ^ pairs of pairs, or functions of functions
      |
      = hint: Use arrays for many values of one type, and return fewer components.
    ");
}

/// The first problem of a program, its code and what is said below the source line.
fn told(text: &str, code: &str, what: &str) {
    let found = bad(text);
    assert!(found.starts_with(&format!("error[{code}]")) && found.contains(what), "{text}\n{found}");
}

#[test]
fn mistakes_say_what_to_write() {
    told(
        "def f (xs: n.f32): f32 = reduce 0 (+) xs",
        "E0113",
        "Are the arguments of `reduce` in the right order?",
    );
    told("def f (xs: n.f32): n.f32 = map xs sqrt", "E0114", "Write `map sqrt xs`");
    told("def f (a b: n.f32) = zip (a, b)", "E0114", "Write `zip a b`");
    told("def f (a: n.f32): f32 = a[0]", "E0114", "Write `idx 0 a`");
    told("def f (a: n.f32) = map \\x. x * 2 a", "E0114", "write `map (\\x. x * 2) a`");
    told("def f {n: nat} {n: nat} (a: n.f32) = a", "E0104", "Two parameters are called `n`");
    told("def f (x: n.f32) (k: i32): k.f32 = take k x", "E0104", "declare it as one, `(k: nat)`");
    told("def f (x: n.f32) (n: f32) = reduce (+) n x", "E0104", "`n` is a value, and a size");
    told("def f (a: f32.n) = a", "E0102", "an array of n of them is `n.f32`");
    told("def f (a: n.float) = a", "E0103", "Did you mean `f32`?");
    told("def f (a: 99999999999999999999.f32) = a", "E0115", "This size is too large");
    told("def f (a: n.m.f32) = map sqrt a", "E0117", "`(map sqrt)`");
    told("def f (a: n.f32): f32 = let b = generate (\\i. 0) in 1", "E0119", "A `let` has one type");
    told("def f (a: f32): f32 = if a", "E0101", "`select c a b`");
    // Of a call with too many arguments only that is said.
    let found = bad("def f (xs: n.f32): f32 = reduce (+) 0 map sqrt xs");
    assert_eq!(found.matches("error[").count(), 1, "{found}");
}

/// What a stranger writes, and the part of it that is to be replaced by what the hint says.
const STRANGERS: &[(&str, &str, &str)] = &[
    ("def f (xs: n.f32) = sum xs", "sum xs", "reduce (+) 0 xs"),
    ("def f (xs: n.f32) = product xs", "product xs", "reduce (*) 1 xs"),
    ("def f (xs: n.f32) = foldl (+) 0 xs", "foldl (+) 0 xs", "reduce (+) 0 xs"),
    ("def f (xs: n.f32) = maximum xs", "maximum xs", "reduce max (-1 / 0) xs"),
    ("def f (xs: n.f32) = minimum xs", "minimum xs", "reduce min (1 / 0) xs"),
    ("def f (xs: n.f32): f32 = max xs", "max xs", "reduce max (-1 / 0) xs"),
    ("def f (xs: n.f32) = mean xs", "mean xs", "reduce (+) 0 xs / cast n"),
    ("def f (xs: n.f32) = any xs", "any xs", "reduce (or) false (map (\\x. x > 0) xs)"),
    ("def f (xs: n.f32) = all xs", "all xs", "reduce (and) true (map (\\x. x > 0) xs)"),
    ("def f (xs ys: n.f32) = dot xs ys", "dot xs ys", "zip xs ys |> map (\\(x, y). x * y) |> reduce (+) 0"),
    ("def f (xs: n.f32) = len xs", "len xs", "(cast n : f32)"),
    ("def f (xs: n.f32) = zip xs (range n)", "(range n)", "(generate (\\i. cast (indexAsNat i)) : n.i32)"),
    ("def f (xs: n.f32) = enumerate xs", "enumerate xs", "zip (generate (\\i. i)) xs"),
    ("def f (xs ys: n.f32) = zipWith (+) xs ys", "zipWith (+) xs ys", "zip xs ys |> map (\\(x, y). x + y)"),
    ("def f (xs ys zs: n.f32) = zip3 xs ys zs", "zip3 xs ys zs", "zip xs (zip ys zs)"),
    (
        "def f (xs: n.f32) = filter (\\x. x > 0) xs",
        "filter (\\x. x > 0) xs",
        "map (\\x. select (x > 0) x 0) xs",
    ),
    ("def f (xs: n.f32) = scan (+) 0 xs", "scan (+) 0 xs", "scanSeq (\\x acc. acc + x) 0 xs"),
    ("def f (xss: n.m.f32) = flatten xss", "flatten xss", "join xss"),
    ("def f (xs: (4*n).f32) = chunks 4 xs", "chunks 4 xs", "split 4 xs"),
    ("def f (xs: (n + 2).f32) = windows 3 xs", "windows 3 xs", "slide 3 1 xs"),
    ("def f (xs: n.f32) = pad xs", "pad xs", "padClamp 1 1 xs"),
    ("def f (xs: n.f32) = head xs", "head xs", "idx 0 xs"),
    ("def f (xs: n.f32) = last xs", "last xs", "idx (natAsIndex n (n - 1)) xs"),
    ("def f (xs: (n + 1).f32) = tail xs", "tail xs", "drop 1 xs"),
    ("def f (xs: n.f32) (i: idx[n]) = get xs i", "get xs i", "idx i xs"),
    ("def f (xs ys: n.f32) = append xs ys", "append xs ys", "concat xs ys"),
    ("def f (xs: n.f32) = zip xs (zeros n)", "(zeros n)", "(generate (\\i. 0) : n.f32)"),
    ("def f (x y: u32) = x xor y", "x xor y", "bitXor x y"),
    ("def f (x y: u32) = x shl y", "x shl y", "shiftLeft x y"),
    ("def f (x y: u32) = x rem y", "x rem y", "x % y"),
    ("def f (x: f32) = square x", "square x", "x * x"),
    ("def f (x: f32) = rsqrt x", "rsqrt x", "1 / sqrt x"),
    ("def f (x: f32) = clamp x 0 1", "clamp x 0 1", "max 0 (min 1 x)"),
    ("def f (x: f32) = relu x", "relu x", "max 0 x"),
    ("def f (x: f32) = x as i32", "x as i32", "(cast x : i32)"),
    ("def f (x: f32) = i32 x", "i32 x", "(cast x : i32)"),
    ("def f (x: f32) = x == 0 and True", "True", "true"),
    ("def f (x y: bool) = x && y", "&&", "and"),
    ("def f (x y: bool) = x || y", "||", "or"),
    ("def f (a b: f32) = a /= b", "a /= b", "a != b"),
    ("def f (a b: f32) = a === b", "a === b", "a == b"),
    ("def f (x: f32) = x ** 2", "x ** 2", "x * x"),
    ("def f (x y: u32) = x & y", "x & y", "bitAnd x y"),
    ("def f (x y: u32) = x | y", "x | y", "bitOr x y"),
    ("def f (x: u32) = ~x", "~x", "bitNot x"),
    ("def f (x y: u32) = x << y", "x << y", "shiftLeft x y"),
    ("def f (x: u32) = x >> 1", "x >> 1", "shiftRight x 1"),
    ("def f (a: n.f32) = reduce max -3.4e38 a", "-3.4e38", "(-3.4e38)"),
    ("def f (a: n.f32) = reduce + 0 a", " + ", "(+)"),
    ("def f (a: n.bool) = reduce and true a", " and ", "(and)"),
    ("def f (a: n.f32): n.i32 = map (\\x. cast x : i32) a", "cast x : i32", "(cast x : i32)"),
    ("def f (a: n.f32) = map (\\x. x / n) a", "/ n", "(cast n : f32)"),
    ("def f (a b: n.f32) = map (+) (zip a b)", "(+)", "\\(x, y). x + y"),
    ("def f (a b: n.f32) = a == b", "a == b", "zip a b |> map (\\(x, y). x == y)"),
    ("def f (a b: n.f32) = a + b", "a + b", "zip a b |> map (\\(x, y). x + y)"),
    ("def f (a: n.f32) = reduce (+) a", "reduce (+) a", "reduce (+) 0 a"),
    ("def f (a b: f32) = max(a, b)", "max(a, b)", "max a b"),
    ("def f (x: bool) (y: f32) = not y > 0", "not y > 0", "not (x > 0)"),
    ("def f (xs: n.f32) = idx 0 xs |> float", "idx 0 xs |> float", "(cast (idx 0 xs) : f32)"),
    // In the order of other languages, with what is written there.
    ("def f (x: n.f32) = map (\\y. clamp 0 1 y) x", "clamp 0 1 y", "max 0 (min 1 y)"),
    ("def f (x: n.i32) = map (\\y. y >> 2) x", "y >> 2", "shiftRight y 2"),
    ("def f (x: n.f32) = reduce `max` 0 x", "`max`", "max"),
    ("def f (x: n.bool) = all x", "all x", "reduce (and) true x"),
    ("def f (x y: n.f32) = concatenate x y", "concatenate x y", "concat x y"),
];

#[test]
fn what_strangers_write_is_one_problem_whose_hint_can_be_written() {
    let problems = |text: &str| {
        let (file, mut problems) = parse_program(Sources::new().add("p.rise", text), text);
        let found = program(&file, None).1;
        problems.extend(file.news(&problems.clone(), found));
        problems
    };
    let mut wrong = vec![];
    for (text, part, hint) in STRANGERS {
        let found = problems(text);
        let said: String = found.iter().flat_map(|p| p.hints.clone()).collect::<Vec<_>>().join(" ");
        if found.len() != 1 || !said.contains(hint) {
            let all: Vec<&str> = found.iter().map(|p| p.message.as_str()).collect();
            wrong.push(format!("{text}: {all:?} {said}"));
            continue;
        }
        // Some hints speak of an example, or are put with what is around them.
        let put = match *part {
            "/ n" => "/ (cast n : f32)".to_string(),
            " + " | " and " => format!(" {hint} "),
            "(+)" => format!("({hint})"),
            "not y > 0" => "not (y > 0)".to_string(),
            _ => hint.to_string(),
        };
        let right = text.replacen(part, &put, 1);
        let left: Vec<String> = problems(&right).iter().map(|p| p.message.clone()).collect();
        if !left.is_empty() {
            wrong.push(format!("{right}: {left:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn untyped_parameters_are_one_problem_that_says_what_types_would_do() {
    for (text, hint) in [
        ("def f a b = zip a b |> map (\\(x, y). x * y) |> reduce (+) 0", "`(a: n.i32) (b: n.i32)`"),
        ("def f a b = zip a b", "`(a: n.f32) (b: n.f32)`"),
        ("def f x y = x", "`(x: f32) (y: f32)`"),
        ("def f (k: i32) a = a |> map (\\r. reduce max (idx 0 r) r)", "`(a: n.m.f32)`"),
    ] {
        let (file, _) = parse_program(Sources::new().add("p.rise", text), text);
        let found = program(&file, None).1;
        let said: Vec<String> = found.iter().flat_map(|p| p.hints.clone()).collect();
        if found.len() == 1 && said.iter().any(|s| s.contains(hint)) {
            continue;
        }
        // The usual type of a number may have settled everything.
        assert!(found.is_empty() && hint.contains("i32"), "{text}: {said:?}");
    }
}

#[test]
fn numbers_are_vectors_where_vectors_are_needed() {
    let text = |e: &str| format!("def f (a: (4*n).f32) = a |> asVector 4 |> mapSeq (\\v. {e}) |> asScalar");
    let (written, meant) = (
        super::good(&text("max 0 (v * -2)")),
        super::good(&text("max (vectorFromScalar 0) (v * vectorFromScalar (-2))")),
    );
    assert_eq!(written.term, meant.term);
    assert!(bad(&text("v + 1i32")).contains("E0110"));
    assert!(
        bad("def f (a: (4*n).u8) = a |> asVector 4 |> mapSeq (\\v. v + 300) |> asScalar")
            .contains("does not fit")
    );
}

#[test]
fn what_other_languages_write_is_answered_with_what_is_written_here() {
    for (text, hint) in [
        ("def f (a: n.f32): n.f32 = map std::abs a", "`abs`"),
        ("def f (a: n.f32): n.i32 = map (\\x. static_cast<int>(x)) a", "`(cast x : i32)`"),
        ("def f (a: n.f32): f32 = s := reduce (+) 0 a in s", "`let s = e in "),
        ("def f (a: &[f32]): f32 = reduce (+) 0 a", "`n.f32`"),
        ("def f (a: n.m.f32): n.f32 = sum(a, axis=1)", "`map (reduce (+) 0) a`"),
        ("def f (i: idx[n]) (j: idx[m]) (a: n.m.f32): f32 = idx i j a", "`idx j (idx i a)`"),
        ("def f (a: n.f32): n.f32 = map (\\x. (x > 0) + 1) a", "`select c 1 0`"),
        ("def f (a: n.f32): n.f32 = a |> map $ \\x. x + 1", "`a |> map (\\x. x + 1)`"),
        ("def f (a: n.f32): n.f32 = a |> map sqrt // roots", "starts with `--`"),
        ("def f (float a) = a", "`def f (a: f32) = …`"),
        ("def f (float a, int b) = a", "`def f (a: f32) (b: i32) = …`"),
        ("def f (a: n.f32): n.f32 = a |> roll 1", "`concat (drop (n - 1) a) (take (n - 1) a)`"),
        ("def f (a: n.f32) = a |> window 3", "`slide 3 1 a`"),
        ("def f (a: n.f32) = mapGlb sqrt a", "`mapGlobal sqrt a`"),
        ("def f (a: n.(f32 * f32)) = map (\\p. p[0]) a", "`fst p` and `snd p`"),
        ("def f (a: 9999999999999999999999.f32) = a", "up to 2^63 - 1"),
        (
            "def f (x: n.i32): i32 = x |> map (\\v. v == 2) |> reduce (+) 0",
            "`map (\\c. (cast c : i32))` before it",
        ),
        ("def f (a: n.f32): f32 = reduce (\\x, y. x + y) 0 a", "`\\x y. …`"),
        ("def f (a: n.f32): f32 = reduce (+) a 0", "`reduce (+) 0 xs`"),
        ("def f (a: n.f32): f32 = (reduce (+) 0 a) > 0.0", "Declare the result as `bool`"),
        ("def f (a: n.m.f32): f32 = a |> map (\\r. reduce (+) 0 r)", "One value of all elements"),
    ] {
        let said = bad(text);
        assert!(said.contains("hint: ") && said.contains(hint), "{text}\n{said}");
    }
}
