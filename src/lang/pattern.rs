//! The patterns of RISE: one table, a row a pattern (thesis sections 3.1.2, 3.3.1, 4.2.2).
//!
//! To add a pattern, add a row. What kind of thing it is ([`Sort`]) tells most of the tool how to treat it. A high-level
//! pattern then needs its meaning in `eval`; a low-level one also its translation in `lower`. Names, types, access
//! annotations and help are printed from here.
//!
//! The types are in the notation of the parser: `{n: nat}` is inferred, `(n: nat)` an explicit argument,
//! `(a: addr = private)` and `(sp: nat = 1)` explicit arguments that may be left out. The access column has the shape of the type:
//! `r` reads, `w` writes, `s` reads once and in order, as a stream; `a` is one access throughout the row, `b` the same or,
//! where that is `r`, a stream. An empty column marks a pattern that must be rewritten before code can be generated.
//!
//! What a program declares for itself is a pattern too: [`Pattern::Declared`], see [`super::declared`].

use super::declared::Declared;
use super::sort::{How::*, Operands::*, Sort, Sort::*, View::*, arrows};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::LazyLock;

/// Where a pattern belongs (thesis section 3.1.2): what to compute, or how.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Says what to compute.
    High,
    /// Says how, on every target.
    Low,
    /// Says how, with threads of the host.
    OpenMp,
    /// Says how, with work-items of an OpenCL device.
    OpenCl,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::High => "high",
            Level::Low => "low",
            Level::OpenMp => "openmp",
            Level::OpenCl => "opencl",
        }
    }
}

/// Memory that an OpenCL program can name. C has only `Private`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AddressSpace {
    Global,
    Local,
    Private,
    Constant,
}

impl AddressSpace {
    pub const ALL: [AddressSpace; 4] =
        [AddressSpace::Global, AddressSpace::Local, AddressSpace::Private, AddressSpace::Constant];

    pub fn name(self) -> &'static str {
        match self {
            AddressSpace::Global => "global",
            AddressSpace::Local => "local",
            AddressSpace::Private => "private",
            AddressSpace::Constant => "constant",
        }
    }

    pub fn from_name(name: &str) -> Option<AddressSpace> {
        AddressSpace::ALL.into_iter().find(|a| a.name() == name)
    }
}

/// A row of the table.
pub struct Row {
    pub pattern: Pattern,
    /// The name in programs, and the names that other implementations use for it.
    pub names: &'static [&'static str],
    pub level: Level,
    /// What kind of thing it is.
    pub sort: Sort,
    /// The type scheme. For [`Pattern::MakeArray`], whose arity is its argument, the scheme of arity one.
    pub scheme: &'static str,
    /// How many parameters the scheme has.
    pub parameters: usize,
    pub access: &'static str,
    pub doc: &'static str,
    /// A program that uses it; none for what a program declares.
    pub example: Option<&'static str>,
}

macro_rules! table {
    ($($variant:ident $names:expr, $level:ident, $sort:expr, $scheme:literal, $access:literal, $doc:literal; $example:literal;)*) => {
        /// A pattern. What is known of it stands in its [`Row`].
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Pattern {
            $($variant,)*
            /// A pattern or foreign function that a program declares.
            Declared(Declared),
        }

        #[repr(u8)]
        enum Number { $($variant),* }

        /// The pattern's place in the table; none for what a program declares.
        pub fn number(pattern: Pattern) -> Option<usize> {
            match pattern {
                $(Pattern::$variant => Some(Number::$variant as usize),)*
                Pattern::Declared(_) => None,
            }
        }

        static ROWS: &[Row] = &[$(Row {
            pattern: Pattern::$variant, names: &$names, level: Level::$level, sort: $sort,
            scheme: $scheme, parameters: arrows($scheme), access: $access, doc: $doc,
            example: Some($example),
        }),*];
    };
}

table! {
    // Scalars
    Id ["id"], High, View(Same), "{t: data} t -> t", "", "The value itself.";
        "def f (a: n.f32) = map id a";
    Neg ["neg"], High, Scalar(Numbers), "{t: data} t -> t", "r -> r", "The negated number; written -x.";
        "def f (a: n.f32) = map (\\x. -x) a";
    Add ["add"], High, Scalar(Numbers), "{t: data} t -> t -> t", "r -> r -> r", "The sum of two numbers or vectors; written x + y.";
        "def f (a b: n.f32) = zip a b |> map (\\p. fst p + snd p)";
    Sub ["sub"], High, Scalar(Numbers), "{t: data} t -> t -> t", "r -> r -> r", "The difference of two numbers or vectors; written x - y.";
        "def f (a b: n.f32) = zip a b |> map (\\p. fst p - snd p)";
    Mul ["mul"], High, Scalar(Numbers), "{t: data} t -> t -> t", "r -> r -> r", "The product of two numbers or vectors; written x * y.";
        "def f (a b: n.f32) = zip a b |> map (\\p. fst p * snd p)";
    Div ["div"], High, Scalar(Numbers), "{t: data} t -> t -> t", "r -> r -> r", "The quotient of two numbers or vectors; written x / y. Integers round towards zero, plain numbers (natType) down, sizes that are used as such included; in types `/` divides without a rest.";
        "def f (a b: n.f32) = zip a b |> map (\\p. fst p / snd p)";
    Mod ["mod"], High, Scalar(Integers), "{t: data} t -> t -> t", "r -> r -> r", "The remainder of two integers; written x % y. It has the sign of x; that of plain numbers (natType) is never negative.";
        "def f (a: n.i32) = map (\\x. x % 3) a";
    Not ["not"], High, Scalar(Truth), "{b: data} b -> b", "r -> r", "Negation of a bool, or of a <n>bool lane by lane.";
        "def f (a: n.f32) = map (\\x. not (x > 1)) a";
    Gt ["gt"], High, Scalar(Ordered), "{t b: data} t -> t -> b", "r -> r -> r", "Is the first number greater? Written x > y; false where one is NaN. Of scalars a bool, of vectors <n>t lane by lane a <n>bool.";
        "def f (a b: n.f32) = zip a b |> map (\\p. fst p > snd p)";
    Lt ["lt"], High, Scalar(Ordered), "{t b: data} t -> t -> b", "r -> r -> r", "Is the first number less? Written x < y; false where one is NaN. Of scalars a bool, of vectors <n>t lane by lane a <n>bool.";
        "def f (a b: n.f32) = zip a b |> map (\\p. fst p < snd p)";
    Ge ["ge"], High, Scalar(Ordered), "{t b: data} t -> t -> b", "r -> r -> r", "Is the first number greater or equal? Written x >= y; false where one is NaN. Of scalars a bool, of vectors <n>t lane by lane a <n>bool.";
        "def f (a b: n.f32) = zip a b |> map (\\p. fst p >= snd p)";
    Le ["le"], High, Scalar(Ordered), "{t b: data} t -> t -> b", "r -> r -> r", "Is the first number less or equal? Written x <= y; false where one is NaN. Of scalars a bool, of vectors <n>t lane by lane a <n>bool.";
        "def f (a b: n.f32) = zip a b |> map (\\p. fst p <= snd p)";
    Equal ["equal"], High, Scalar(Equal), "{t b: data} t -> t -> b", "r -> r -> r", "Are the two scalars equal? Written x == y; NaN is equal to nothing. Of scalars a bool, of vectors <n>t lane by lane a <n>bool.";
        "def f (a b: n.i32) = zip a b |> map (\\p. fst p == snd p)";
    NotEqual ["notEqual"], High, Scalar(Equal), "{t b: data} t -> t -> b", "r -> r -> r", "Do the two scalars differ? Written x != y; NaN differs from everything. Of scalars a bool, of vectors <n>t lane by lane a <n>bool.";
        "def f (a b: n.i32) = zip a b |> map (\\p. fst p != snd p)";
    And ["and"], High, Scalar(Truth), "{b: data} b -> b -> b", "", "Are both true? Written x and y; what is y is computed only where x is true. Of bools, or of <n>bools lane by lane.";
        "def f (a: n.f32) = map (\\x. x >= 0 and x < 1) a";
    Or ["or"], High, Scalar(Truth), "{b: data} b -> b -> b", "", "Is one of both true? Written x or y; what is y is computed only where x is false. Of bools, or of <n>bools lane by lane.";
        "def f (a: n.f32) = map (\\x. x < 0 or x > 1) a";
    BitAnd ["bitAnd"], High, Scalar(Bits), "{t: data} t -> t -> t", "r -> r -> r", "The bits that are set in both integers.";
        "def f (a: n.u32) = map (\\x. bitAnd x 255) a";
    BitOr ["bitOr"], High, Scalar(Bits), "{t: data} t -> t -> t", "r -> r -> r", "The bits that are set in one of two integers.";
        "def f (a: n.u32) = map (\\x. bitOr x 1) a";
    BitXor ["bitXor"], High, Scalar(Bits), "{t: data} t -> t -> t", "r -> r -> r", "The bits in which two integers differ.";
        "def f (a: n.u32) = reduce bitXor 0 a";
    BitNot ["bitNot"], High, Scalar(Bits), "{t: data} t -> t", "r -> r", "The bits that are not set in an integer.";
        "def f (a: n.i32) = map bitNot a";
    ShiftLeft ["shiftLeft"], High, Scalar(Bits), "{t: data} t -> t -> t", "r -> r -> r", "The first integer times two to the power of the second, which counts modulo the number of bits.";
        "def f (a: n.u32) = map (\\x. bitOr (shiftLeft x 7) (shiftRight x 25)) a";
    ShiftRight ["shiftRight"], High, Scalar(Bits), "{t: data} t -> t -> t", "r -> r -> r", "The first integer divided by two to the power of the second, rounded down; the second counts modulo the number of bits.";
        "def f (a: n.i32) = map (\\x. shiftRight x 1) a";
    Select ["select"], High, Choice, "{b t: data} b -> t -> t -> t", "r -> a -> a -> a", "The second argument where the condition holds, else the third: by a bool one of any two values, by a <n>bool lane by lane of two vectors <n>t.";
        "def f (a: n.f32) = map (\\x. select (x > 0) x (-x)) a";
    Cast ["cast"], High, Scalar(Convertible), "{s t: data} s -> t", "r -> r", "The number at another scalar type: integers keep their lowest bits; of a float it is the nearest integer towards zero that the type has, and 0 of NaN.";
        "def f (a: n.i32): n.f32 = map cast a";
    IndexAsNat ["indexAsNat"], High, View(Same), "{n: nat} idx[n] -> natType", "r -> r", "The index as a plain number.";
        "def f (a: n.f32): n.f32 = generate (\\i. idx (natAsIndex n (n - 1 - indexAsNat i)) a)";
    NatAsIndex ["natAsIndex"], High, View(Same), "(n: nat) natType -> idx[n]", "r -> r", "A plain number as an index below n.";
        "def f (a: n.f32) = gather (generate (\\i. natAsIndex n (n - 1 - indexAsNat i)) : n.idx[n]) a";
    Sqrt ["sqrt"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The square root of a floating-point number.";
        "def f (a: n.f32) = map sqrt a";
    Exp ["exp"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The exponential of a floating-point number.";
        "def f (a: n.f32) = map exp a";
    Log ["log"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The natural logarithm of a floating-point number.";
        "def f (a: n.f32) = map log a";
    Sin ["sin"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The sine of a floating-point number.";
        "def f (a: n.f32) = map sin a";
    Cos ["cos"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The cosine of a floating-point number.";
        "def f (a: n.f32) = map cos a";
    Exp2 ["exp2"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "Two to the power of a floating-point number.";
        "def f (a: n.f32) = map exp2 a";
    Log2 ["log2"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The logarithm to base two of a floating-point number.";
        "def f (a: n.f32) = map log2 a";
    Log10 ["log10"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The logarithm to base ten of a floating-point number.";
        "def f (a: n.f32) = map log10 a";
    Tan ["tan"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The tangent of a floating-point number.";
        "def f (a: n.f32) = map tan a";
    Asin ["asin"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The arc sine of a floating-point number.";
        "def f (a: n.f32) = map asin a";
    Acos ["acos"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The arc cosine of a floating-point number.";
        "def f (a: n.f32) = map acos a";
    Atan ["atan"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The arc tangent of a floating-point number.";
        "def f (a: n.f32) = map atan a";
    Sinh ["sinh"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The hyperbolic sine of a floating-point number.";
        "def f (a: n.f32) = map sinh a";
    Cosh ["cosh"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The hyperbolic cosine of a floating-point number.";
        "def f (a: n.f32) = map cosh a";
    Tanh ["tanh"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The hyperbolic tangent of a floating-point number.";
        "def f (a: n.f32) = map tanh a";
    Floor ["floor"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The greatest whole number that is not greater, still a float.";
        "def f (a: n.f32) = map floor a";
    Ceil ["ceil"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The least whole number that is not less, still a float.";
        "def f (a: n.f32) = map ceil a";
    Round ["round"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The nearest whole number, halves away from zero, still a float.";
        "def f (a: n.f32) = map round a";
    Trunc ["trunc"], High, Scalar(Floats), "{t: data} t -> t", "r -> r", "The whole part, still a float.";
        "def f (a: n.f32) = map trunc a";
    Pow ["pow"], High, Scalar(Floats), "{t: data} t -> t -> t", "r -> r -> r", "The first floating-point number to the power of the second.";
        "def f (a b: n.f32) = zip a b |> map (\\p. pow (fst p) (snd p))";
    Atan2 ["atan2"], High, Scalar(Floats), "{t: data} t -> t -> t", "r -> r -> r", "The angle of the point (x, y), given y and then x.";
        "def f (a b: n.f32) = zip a b |> map (\\p. atan2 (fst p) (snd p))";
    Abs ["abs", "fabs"], High, Scalar(Numbers), "{t: data} t -> t", "r -> r", "The absolute value of a number.";
        "def f (a: n.f32) = map abs a";
    Min ["min"], High, Scalar(Numbers), "{t: data} t -> t -> t", "r -> r -> r", "The smaller of two numbers: where one is NaN the other, of equal ones (zeros of either sign too) the first.";
        "def f (a b: n.f32) = zip a b |> map (\\p. min (fst p) (snd p))";
    Max ["max"], High, Scalar(Numbers), "{t: data} t -> t -> t", "r -> r -> r", "The greater of two numbers: where one is NaN the other, of equal ones (zeros of either sign too) the first.";
        "def f (a: n.f32) = map (max 0) a";
    // Pairs
    MakePair ["makePair", "pair"], High, View(Parts), "{s t: data} s -> t -> (s * t)", "a -> a -> a", "A pair of two values.";
        "def f (a: n.f32) = map (\\x. (x, x * x)) a";
    Fst ["fst"], High, View(Parts), "{s t: data} (s * t) -> s", "r -> r", "The first component of a pair.";
        "def f (a: n.(f32 * i32)) = map fst a";
    Snd ["snd"], High, View(Parts), "{s t: data} (s * t) -> t", "r -> r", "The second component of a pair.";
        "def f (a: n.(f32 * i32)) = map snd a";
    MapFst ["mapFst"], High, Lazy, "{s u t: data} (s -> u) -> (s * t) -> (u * t)", "(a -> a) -> a -> a", "Applies a function to the first component of a pair.";
        "def f (a: n.(f32 * i32)) = map (mapFst sqrt) a";
    MapSnd ["mapSnd"], High, Lazy, "{s t u: data} (t -> u) -> (s * t) -> (s * u)", "(a -> a) -> a -> a", "Applies a function to the second component of a pair.";
        "def f (a: n.(f32 * i32)) = map (mapSnd (\\k. k + 1)) a";
    // Memory
    Let ["let"], Low, Memory, "{s t: data} s -> (s -> t) -> t", "r -> (r -> b) -> b", "Names a value that is in memory: let (toMem e) (\\x. b).";
        "def f (a: n.f32) = let (toMem (reduceSeq (+) 0 a)) (\\s. mapSeq (\\x. x / s) a)";
    ToMem ["toMem", "oclToMem"], Low, Memory, "(a: addr = private) {t: data} t -> t", "w -> r", "Stores a value in the given address space, private where none is given.";
        "def f (a: n.m.f32) = a |> mapSeq (\\r. let (toMem (mapSeq (\\x. x * x) r)) (reduceSeq (+) 0))";
    // Arrays: what to compute, and layout
    Map ["map"], High, Map(Open), "{n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(a -> a) -> b -> b", "Applies a function to each element of an array.";
        "def f (a: n.f32) = map (\\x. x * x) a";
    Reduce ["reduce"], High, Reduce(Open), "{n: nat} {t: data} (t -> t -> t) -> t -> n.t -> t", "", "Reduces an array with an operator, starting from its neutral element.";
        "def f (a: n.f32) = reduce (+) 0 a";
    Split ["split"], High, View(Moved), "(n: nat) {m: nat} {t: data} (m*n).t -> m.n.t", "a -> a", "Splits an array into chunks of n elements.";
        "def f (a: (4*n).f32) = a |> split 4 |> map (reduce (+) 0)";
    Join ["join"], High, View(Moved), "{n m: nat} {t: data} n.m.t -> (n*m).t", "a -> a", "Joins the chunks of an array of arrays.";
        "def f (a: n.m.f32) = a |> join |> reduce max 0";
    Transpose ["transpose"], High, View(Moved), "{n m: nat} {t: data} n.m.t -> m.n.t", "a -> a", "Swaps the two outer dimensions.";
        "def f (a: n.m.f32) = a |> transpose |> map (reduce (+) 0)";
    Reverse ["reverse"], High, View(Moved), "{n: nat} {t: data} n.t -> n.t", "", "The elements from the last to the first.";
        "def f (a: n.f32) = zip a (reverse a)";
    Reorder ["reorder"], High, View(Moved), "(n: nat) (f: nat2nat) (g: nat2nat) {t: data} n.t -> n.t", "a -> a", "The elements in another order: f says where each comes from, and its inverse g where each goes.";
        "def f (a: (4*n).f32) = reorder (4*n) (/\\i. i div n + 4 * (i % n)) (/\\i. i div 4 + n * (i % 4)) a";
    Slide ["slide"], High, View(Shown), "(sz sp: nat) {n: nat} {t: data} (sp*n + sz - sp).t -> n.sz.t", "r -> r", "Windows of sz elements, each sp elements after the last.";
        "def f (a: (n + 2).f32) = a |> slide 3 1 |> map (reduce (+) 0)";
    Zip ["zip"], High, View(Parts), "{n: nat} {s t: data} n.s -> n.t -> n.(s * t)", "b -> b -> b", "Pairs the elements of two arrays.";
        "def f (a: n.f32) (b: n.i32) = zip a b";
    Unzip ["unzip"], High, View(Parts), "{n: nat} {s t: data} n.(s * t) -> (n.s * n.t)", "a -> a", "The pair of arrays of an array of pairs.";
        "def f (a: n.(f32 * i32)) = unzip a";
    Generate ["generate"], High, Lazy, "{n: nat} {t: data} (idx[n] -> t) -> n.t", "(r -> r) -> r", "The array of a function's values at each index.";
        "def f (a: n.f32) = generate (\\i. idx i a * 2)";
    Idx ["idx"], High, View(Shown), "{n: nat} {t: data} idx[n] -> n.t -> t", "r -> r -> r", "The element at an index.";
        "def f (i: idx[n]) (a: n.f32) = idx i a";
    MakeArray ["makeArray"], High, View(Shown), "(k: nat) {t: data} t -> k.t", "r -> r", "The array of the given elements; written [x, y, z].";
        "def f (x y: f32) = [x, x + y, y]";
    Take ["take"], High, View(Shown), "(n: nat) {m: nat} {t: data} (n + m).t -> n.t", "a -> a", "The first n elements.";
        "def f (a: (n + 3).f32) = take 3 a";
    Drop ["drop"], High, View(Shown), "(n: nat) {m: nat} {t: data} (n + m).t -> m.t", "r -> r", "All but the first n elements.";
        "def f (a: (n + 3).f32) = drop 3 a";
    Concat ["concat"], High, Written, "{n m: nat} {t: data} n.t -> m.t -> (n + m).t", "a -> a -> a", "Two arrays, one after the other.";
        "def f (a: n.f32) (b: m.f32) = concat a b";
    Gather ["gather"], High, View(Sought), "{n m: nat} {t: data} m.idx[n] -> n.t -> m.t", "r -> r -> r", "The elements at the given indices.";
        "def f (i: m.idx[n]) (a: n.f32) = gather i a";
    Scatter ["scatter"], High, Written, "{n m: nat} {t: data} n.idx[m] -> n.t -> m.t", "r -> w -> w", "Writes each element at the given index; an index may occur once at most.";
        "def f (a: n.f32) = scatter (generate (\\i. natAsIndex n (n - 1 - indexAsNat i))) a";
    PadCst ["padCst"], High, View(Sought), "(l r: nat) {n: nat} {t: data} t -> n.t -> (l + n + r).t", "r -> r -> r", "Pads with a constant, l elements before and r after.";
        "def f (a: n.f32) = a |> padCst 1 1 0 |> slide 3 1 |> map (reduce (+) 0)";
    PadClamp ["padClamp"], High, View(Sought), "(l r: nat) {n: nat} {t: data} n.t -> (l + n + r).t", "r -> r", "Pads with the first element l times and the last r times.";
        "def f (a: n.f32) = a |> padClamp 1 1 |> slide 3 1 |> map (reduce (+) 0)";
    PadEmpty ["padEmpty"], High, Written, "(r: nat) {n: nat} {t: data} n.t -> (n + r).t", "a -> a", "Makes room for r more elements, which stay undefined.";
        "def f (a: n.f32) = a |> padEmpty 3 |> take n";
    // Vectors
    VectorFromScalar ["vectorFromScalar"], Low, View(Shown), "{n: nat} {t: data} t -> <n>t", "r -> r", "A vector with the value in every lane.";
        "def f (s: f32) (a: (4*n).f32) = a |> asVector 4 |> mapSeq (\\v. v * vectorFromScalar s) |> asScalar";
    AsVector ["asVector"], Low, View(Moved), "(n: nat) {m: nat} {t: data} (m*n).t -> m.<n>t", "a -> a", "Reads an array as vectors of n elements.";
        "def f (a: (4*n).f32) = a |> asVector 4 |> mapSeq (\\v. v * v) |> asScalar";
    AsVectorAligned ["asVectorAligned"], Low, View(Moved), "(n: nat) {m: nat} {t: data} (m*n).t -> m.<n>t", "a -> a", "Reads an array as vectors of n elements, with aligned loads where alignment is known.";
        "def f (a: (4*n).f32) = a |> asVectorAligned 4 |> mapSeq (\\v. v * v) |> asScalar";
    AsScalar ["asScalar"], Low, View(Moved), "{n m: nat} {t: data} m.<n>t -> (m*n).t", "a -> a", "Reads an array of vectors as scalars.";
        "def f (a: (4*n).f32) = a |> asVector 4 |> reduceSeq (+) (vectorFromScalar 0) |> (\\v. asScalar [v])";
    // How: sequential
    MapSeq ["mapSeq"], Low, Map(Sequential), "{n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(r -> w) -> r -> w", "map as a sequential loop.";
        "def f (a: n.f32) = mapSeq (\\x. x * x) a";
    MapSeqUnroll ["mapSeqUnroll"], Low, Map(Unrolled), "{n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(r -> w) -> r -> w", "map as a sequential loop that is unrolled.";
        "def f (a: n.4.f32) = a |> mapSeq (mapSeqUnroll (\\x. x * x))";
    MapStream ["mapStream"], Low, Map(Stream), "{n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(r -> r) -> s -> s", "map over a stream, element by element as the consumer asks; its result is a stream.";
        "def f (a: n.f32) = a |> mapStream (\\x. x * x) |> iterateStream (\\x. x + 1)";
    IterateStream ["iterateStream"], Low, Map(Consumer), "{n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(r -> w) -> s -> w", "Writes a stream's elements in order, each by a function.";
        "def f (a: (n + 2).f32) = a |> slide 3 1 |> iterateStream (reduceSeq (+) 0)";
    ReduceSeq ["reduceSeq", "oclReduceSeq"], Low, Reduce(Sequential), "(a: addr = private) {n: nat} {s t: data} (t -> s -> t) -> t -> n.s -> t", "(r -> r -> w) -> w -> r -> r", "reduce as a sequential loop with an accumulator.";
        "def f (a: n.f32) = reduceSeq (\\acc x. acc + x * x) 0 a";
    ReduceSeqUnroll ["reduceSeqUnroll", "oclReduceSeqUnroll"], Low, Reduce(Unrolled), "(a: addr = private) {n: nat} {s t: data} (t -> s -> t) -> t -> n.s -> t", "(r -> r -> w) -> w -> r -> r", "reduce as an unrolled sequential loop.";
        "def f (a: n.4.f32) = a |> mapSeq (reduceSeqUnroll (+) 0)";
    ScanSeq ["scanSeq"], Low, Scan, "{n: nat} {s t: data} (s -> t -> t) -> t -> n.s -> n.t", "(r -> r -> w) -> w -> r -> w", "The running results of a sequential reduction.";
        "def f (a: n.f32) = scanSeq (\\x acc. acc + x) 0 a";
    Iterate ["iterate", "oclIterate"], High, Repeated, "(k: nat) {n: nat} {t: data} (n.t -> n.t) -> n.t -> n.t", "", "Applies a function k times. A step that changes the size is written /\\l. f and takes l*n elements to l, for any l; k is then a number up to 64.";
        "def f (a: n.f32) = iterate 3 (map (\\x. x * x)) a";
    CircularBuffer ["circularBuffer", "oclCircularBuffer"], Low, Buffer, "(a: addr = private) (alloc sz: nat) (sp: nat = 1) {n: nat} {s t: data} (s -> t) -> (sp*n + sz - sp).s -> n.sz.t", "(r -> w) -> s -> s", "A stream of windows of sz elements, each sp after the last, kept in a buffer of alloc elements that is written round and round. Each element is loaded once; where sp > sz, those between the windows are not.";
        "def f (a: (n + 2).f32) = a |> circularBuffer 3 3 (\\x. x * x) |> iterateStream (reduceSeq (+) 0)";
    RotateValues ["rotateValues", "oclRotateValues"], Low, Buffer, "(a: addr = private) (sz: nat) (sp: nat = 1) {n: nat} {t: data} (t -> t) -> (sp*n + sz - sp).t -> n.sz.t", "(r -> w) -> s -> s", "A stream of windows of sz elements, each sp after the last, kept in sz variables that are shifted along; where sp > sz, the elements between the windows are skipped.";
        "def f (a: (n + 2).f32) = a |> rotateValues 3 (\\x. x) |> iterateStream (reduceSeq (+) 0)";
    // How: parallel
    MapPar ["mapPar"], OpenMp, Map(Threads), "{n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(r -> w) -> r -> w", "map as a loop whose iterations run in parallel threads, where there is enough to compute for them.";
        "def f (a: n.f32) = mapPar (\\x. x * x) a";
    MapGlobal ["mapGlobal"], OpenCl, Map(Global), "(d: dim = 0) {n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(r -> w) -> r -> w", "map over the work-items of dimension d.";
        "def f (a: n.f32) = mapGlobal (\\x. x * x) a";
    MapWorkGroup ["mapWorkGroup"], OpenCl, Map(WorkGroup), "(d: dim = 0) {n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(r -> w) -> r -> w", "map over the work-groups of dimension d.";
        "def f (a: (4*n).f32) = a |> split 4 |> mapWorkGroup (mapLocal (\\x. x * x)) |> join";
    MapLocal ["mapLocal"], OpenCl, Map(Local), "(d: dim = 0) {n: nat} {s t: data} (s -> t) -> n.s -> n.t", "(r -> w) -> r -> w", "map over the work-items of a work-group, in dimension d.";
        "def f (a: n.4.f32) = a |> mapWorkGroup (mapLocal (\\x. x * x))";
    ReduceLocal ["reduceLocal"], OpenCl, Reduce(Local), "(p: nat) (d: dim = 0) {n: nat} {t: data} (t -> t -> t) -> t -> n.t -> t", "(r -> r -> w) -> w -> r -> r", "reduce by the work-items of a work-group, in dimension d: they reduce p parts of the array, and what these give in a tree in local memory. The operator must be associative; where it is known that the order of its operands does not matter, a part is every p-th element.";
        "def f (a: n.m.f32) = a |> mapWorkGroup (reduceLocal 4 (+) 0)";
    OclRun ["oclRun"], OpenCl, Memory, "(ls0 ls1 ls2 gs0 gs1 gs2: nat) {t: data} t -> t", "w -> w", "Computes the value in a kernel of its own: so many work-items in a work-group, and in all, in each dimension.";
        "def f (a: (4*n).f32) = oclRun 4 1 1 (4*n) 1 1 (mapGlobal (\\x. x * x) a)";
}

impl Pattern {
    pub fn row(self) -> &'static Row {
        match self {
            Pattern::Declared(declared) => declared.row(),
            listed => &ROWS[number(listed).unwrap_or(0)],
        }
    }
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Declared(declared) => declared.name(),
            listed => listed.row().names[0],
        }
    }
    pub fn level(self) -> Level {
        match self {
            Pattern::Declared(_) => Level::High,
            listed => listed.row().level,
        }
    }
    /// The pattern that the program declares, if it is one.
    pub fn declared(self) -> Option<Declared> {
        if let Pattern::Declared(declared) = self { Some(declared) } else { None }
    }
    /// Is there no such pattern with an explicit size of 0?
    pub fn needs_one(self) -> bool {
        use Pattern as P;
        matches!(
            self,
            P::Split
                | P::AsVector
                | P::AsVectorAligned
                | P::Slide
                | P::CircularBuffer
                | P::RotateValues
                | P::NatAsIndex
                | P::Iterate
        )
    }
    /// A pattern of the table. [`super::declared::Patterns::find`] knows also what a program declares.
    pub fn from_name(name: &str) -> Option<Pattern> {
        static NAMED: LazyLock<FxHashMap<&str, Pattern>> = LazyLock::new(|| {
            ROWS.iter().flat_map(|r| r.names.iter().map(|name| (*name, r.pattern))).collect()
        });
        NAMED.get(name).copied()
    }
    /// The infix symbol that programs use, if any.
    pub fn operator(self) -> Option<&'static str> {
        Some(match self {
            Pattern::Add => "+",
            Pattern::Sub => "-",
            Pattern::Mul => "*",
            Pattern::Div => "/",
            Pattern::Mod => "%",
            Pattern::Gt => ">",
            Pattern::Lt => "<",
            Pattern::Ge => ">=",
            Pattern::Le => "<=",
            Pattern::Equal => "==",
            Pattern::NotEqual => "!=",
            Pattern::And => "and",
            Pattern::Or => "or",
            _ => return None,
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

/// Every row, in the order of the table.
pub fn all() -> &'static [Row] {
    ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_stands_once_and_rows_are_in_place() {
        let names: Vec<&str> = ROWS.iter().flat_map(|r| r.names).copied().collect();
        let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), unique.len());
        for row in ROWS {
            assert_eq!(Pattern::from_name(row.names[0]), Some(row.pattern));
            assert_eq!(row.pattern.row().names, row.names);
            assert!(row.doc.ends_with('.') || row.doc.ends_with(')'), "{}", row.doc);
        }
    }
}
