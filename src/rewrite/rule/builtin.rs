//! The rules that are procedures, because no equation between two terms says what they do. Each has examples and is
//! under the same tests as the others (`rules/README.md`).

use super::apply::Applied;
use super::instance::is_gentle;
use super::load::{Source, Sources};
use super::operators::{factors, is_neutral, with_neutral};
use super::vectorise::vectorise_loops;
use super::why::WhyNot;
use super::{
    Body, Equation, Later, Marks, ParamKind, Procedure, Rule, RuleArg, RuleData, RuleParam, RuleSet, Shape,
    Shapes,
};
use crate::lang::build::{self as b, Misfit};
use crate::lang::digest::Digest;
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::root::{Head, Root};
use crate::lang::steps;
use crate::lang::term::{Arg, Expr, Term};
use crate::lang::ty::Type;
use crate::lang::work;
use num_rational::Ratio;
use num_traits::ToPrimitive;

type Procedural = Result<Applied, WhyNot>;

/// A line of the list.
struct Row {
    name: &'static str,
    /// Part of the rule's digest: raise it when its meaning changes.
    version: u32,
    params: &'static [(&'static str, ParamKind)],
    doc: &'static str,
    /// Sides in words.
    text: &'static str,
    marks: Marks,
    run: fn(&Term, &[RuleArg]) -> Procedural,
    /// Every pattern that may be in what it makes and was not in what it was made of.
    makes: &'static [Pattern],
    numbers: Numbers,
    /// The roots of all terms that it rewrites; none where these may be any.
    roots: Option<&'static [Root]>,
    searched: InSearches,
}

/// The numbers in what a procedure makes that were not in what it was made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    None,
    /// Neutral values of operators.
    Neutral,
    /// Factors of those that a literal array has.
    Factors,
    /// How much is computed, which is a size.
    Work,
}

/// How searches use a procedure.
enum InSearches {
    /// They match these left sides, each with its conditions; the procedure looks into these variables of them.
    Matches { sides: &'static [&'static str], reads: &'static [&'static str] },
    /// They do not, for this reason.
    Never(&'static str),
}

/// What separates dot products.
const JOINED_DOT: InSearches = InSearches::Matches {
    sides: &[
        "reduce (+) z (map (\\p. fst p * snd p) (zip (join (w : r.c.t)) (join (xs : r.c.t)))) where zero z, separable w",
        "reduce (+) z (map (\\p. fst p * snd p) (zip (join (xs : r.c.t)) (join (w : r.c.t)))) where zero z, separable w",
    ],
    reads: &[],
};

/// Two dot products with arrays of constants.
const SEPARATED: &[Pattern] = &[
    Pattern::Reduce,
    Pattern::Add,
    Pattern::Map,
    Pattern::Mul,
    Pattern::Fst,
    Pattern::Snd,
    Pattern::Zip,
    Pattern::Transpose,
    Pattern::MakeArray,
];

/// The operators that have a neutral value, as a function of two.
const FROM_NEUTRAL: &[Pattern] =
    &[Pattern::Reduce, Pattern::Add, Pattern::Mul, Pattern::Min, Pattern::Max, Pattern::And, Pattern::Or];

/// What vectorises a function keeps its patterns; a value from outside is put into every lane.
pub const SPREAD: &[Pattern] =
    &[Pattern::VectorFromScalar, Pattern::MakePair, Pattern::Fst, Pattern::Snd, Pattern::Map, Pattern::Idx];

/// As [`SPREAD`], of components that are zipped again.
const VECTORIZED: &[Pattern] = &[
    Pattern::VectorFromScalar,
    Pattern::MakePair,
    Pattern::Fst,
    Pattern::Snd,
    Pattern::Map,
    Pattern::Idx,
    Pattern::AsVector,
    Pattern::AsVectorAligned,
    Pattern::Zip,
    Pattern::Unzip,
    Pattern::Transpose,
];

/// Every pattern that a built-in rule may make and that was not in what it was made of, and its numbers; none where there is no such
/// rule.
pub fn makes(name: &str) -> Option<(&'static [Pattern], Numbers)> {
    ROWS.iter().find(|row| row.name == name).map(|row| (row.makes, row.numbers))
}

/// The built-in rules.
const ROWS: &[Row] = &[
    Row {
        name: "gentleBeta",
        version: 1,
        params: &[],
        doc: "betaReduction where it duplicates no work: the argument is cheap, or used at most once and not in a \
              function that may run more than once.",
        text: "(\\x. b) e ~> b[e/x]",
        marks: Marks::NONE,
        run: gentle_beta,
        makes: &[],
        numbers: Numbers::None,
        roots: Some(&[Root { head: Head::Lambda, args: 1 }]),
        // All that it makes is made by beta reduction, which every search has.
        searched: InSearches::Matches { sides: &["(\\x. b) e"], reads: &[] },
    },
    Row {
        name: "idxReduction",
        version: 1,
        params: &[],
        doc: "The element of a literal array at a constant index.",
        text: "idx i [e0, e1, …] ~> ei",
        marks: Marks::NONE,
        run: idx_reduction,
        makes: &[],
        numbers: Numbers::None,
        roots: Some(&[Root::pattern(Pattern::Idx, 2)]),
        searched: InSearches::Matches { sides: &["idx i xs"], reads: &["i", "xs"] },
    },
    Row {
        name: "subexpressionElimination",
        version: 1,
        params: &[("x", ParamKind::Position)],
        doc: "Shares a part: every occurrence of it becomes one variable. As a strategy it takes a predicate and \
              shares the first part that it holds of and that can be shared: it mentions no variable that is bound within; or the \
              position of a part as the list of its steps, `[0, 1]`.",
        text: "e ~> (\\y. e[y/x]) x",
        marks: Marks::NONE,
        run: subexpression_elimination,
        makes: &[],
        numbers: Numbers::None,
        roots: None,
        searched: InSearches::Never(
            "It shares a part at a position of one program, and a search has many programs at once.",
        ),
    },
    Row {
        name: "separateDotVH",
        version: 1,
        params: &[],
        doc: "The dot product with a matrix of constants that is the product of a column and a row, on either side: columns first.",
        text: "dot (join (v h)) (join xs) ~> dot h (map (dot v) (transpose xs))",
        marks: Marks::REASSOCIATES,
        run: |t, _| separate_dot(t, true),
        makes: SEPARATED,
        numbers: Numbers::Factors,
        roots: None,
        searched: JOINED_DOT,
    },
    Row {
        name: "separateDotHV",
        version: 1,
        params: &[],
        doc: "The dot product with a matrix of constants that is the product of a column and a row, on either side: rows first.",
        text: "dot (join (v h)) (join xs) ~> dot v (map (dot h) xs)",
        marks: Marks::REASSOCIATES,
        run: |t, _| separate_dot(t, false),
        makes: SEPARATED,
        numbers: Numbers::Factors,
        roots: None,
        searched: JOINED_DOT,
    },
    Row {
        name: "reduceFromNeutral",
        version: 1,
        params: &[],
        doc: "A reduction of scalars from any start by an operator of which the neutral value is known: the start, and the \
              reduction from that value.",
        text: "reduce op init xs ~> op init (reduce op z xs), z neutral for op",
        marks: Marks::REASSOCIATES,
        run: |t, _| reduce_from_neutral(t),
        makes: FROM_NEUTRAL,
        numbers: Numbers::Neutral,
        roots: Some(&[Root::pattern(Pattern::Reduce, 3)]),
        searched: InSearches::Matches { sides: &["reduce f init xs"], reads: &["f", "init"] },
    },
    Row {
        name: "chooseByWork",
        version: 1,
        params: &[("p", ParamKind::Nat(0))],
        doc: "A value twice, of which others are better where there is little to compute and where there is much: less than p \
              operations and elements, roughly. How much there is must depend on sizes that are not known.",
        text: "e ~> select (w < p) e e, w the work of e in sizes",
        marks: Marks::NONE,
        run: choose_by_work,
        makes: &[Pattern::Lt, Pattern::Select, Pattern::Cast],
        numbers: Numbers::Work,
        roots: None,
        searched: InSearches::Never("It would choose between every value of every program and itself."),
    },
    Row {
        name: "mapOfComponent",
        version: 1,
        params: &[],
        doc: "A map that takes of zipped arrays the elements of one alone is a map over that one.",
        text: "map (\\p. f (fst p)) (zip a b) ~> map f a, map (\\p. f (snd p)) (zip a b) ~> map f b",
        marks: Marks::NONE,
        run: |t, _| map_of_component(t),
        makes: &[Pattern::Map],
        numbers: Numbers::None,
        roots: Some(&[Root::pattern(Pattern::Map, 2)]),
        searched: InSearches::Matches { sides: &["map f (zip a b)"], reads: &["f"] },
    },
    Row {
        name: "vectorizeMap",
        version: 2,
        params: &[],
        doc: "Computes with vectors what was computed before vectors were made, whatever pairs and arrays of scalars \
              the function takes, mapping and reducing them.",
        text: "asVector v (map f xs) ~> map (vectorise v f) (the components of xs as vectors, zipped)",
        marks: Marks::NONE,
        run: vectorize_map,
        makes: VECTORIZED,
        numbers: Numbers::None,
        roots: None,
        searched: InSearches::Matches {
            sides: &["asVector v (map f xs)", "asVectorAligned v (map f xs)"],
            reads: &["f", "xs"],
        },
    },
];

/// Every built-in rule, in the order of the list.
pub fn all() -> Vec<Rule> {
    ROWS.iter()
        .map(|row| {
            let params = row.params.iter();
            Rule::new(RuleData {
                name: row.name.into(),
                theme: "built-in".into(),
                params: params
                    .map(|(n, k)| RuleParam { name: (*n).into(), kind: k.clone() })
                    .collect::<Vec<_>>()
                    .into(),
                body: Body::Procedure(Procedure {
                    run: row.run,
                    roots: row.roots,
                    searched: row.searched.read(),
                })
                .into(),
                marks: row.marks.into(),
                doc: row.doc.to_owned().into(),
                examples: vec![].into(),
                digest: Digest::of(format!("built-in rule {} {}", row.name, row.version).as_bytes()).into(),
                span: None,
                text: row.text.to_owned().into(),
            })
        })
        .collect()
}

impl InSearches {
    fn read(&self) -> Result<Later<Shapes>, &'static str> {
        match *self {
            InSearches::Matches { sides, reads } => Ok(Later::new(move || {
                let shapes = sides.iter().filter_map(|side| {
                    let equation = shape(side)?;
                    let reads: Option<Vec<usize>> = reads.iter().map(|name| equation.var(name)).collect();
                    Some(Shape { equation, reads: reads? })
                });
                shapes.collect()
            })),
            InSearches::Never(why) => Err(why),
        }
    }
}

/// The equation whose left side is this, and so is its right side; none if the text is no such side, which tests say of
/// none in the list.
fn shape(text: &str) -> Option<Equation> {
    let (side, conditions) = text.split_once(" where ").unwrap_or((text, ""));
    let conditions = if conditions.is_empty() { String::new() } else { format!(" where {conditions}") };
    let rule = format!("rule shape = {side} ~> {side}{conditions}");
    let mut rules = RuleSet::default();
    rules.load(&mut Sources::new(), &[Source { label: "shape.rules", text: &rule }]);
    rules.get("shape").and_then(|r| r.equation(&[]).cloned())
}

fn misfit(m: Misfit) -> WhyNot {
    WhyNot::condition(m.to_string())
}

fn applied(term: Term, moved: Vec<(Path, Path)>) -> Procedural {
    Ok(Applied { term, moved, assumed: vec![] })
}

fn gentle_beta(t: &Term, _: &[RuleArg]) -> Procedural {
    let Some((function, argument)) = t.as_app() else {
        return Err(WhyNot::shape("a function \\x. … applied to an argument", t));
    };
    let Some((name, body)) = function.as_lam() else {
        return Err(WhyNot::shape("a function \\x. …", function).below(&Path::new([0])));
    };
    if !is_gentle(body, argument) {
        return Err(WhyNot::condition(format!("putting in {name} would compute it more often")));
    }
    let mut moved = vec![(Path::new([0, 0]), Path::root())];
    if let Some(at) = super::instance::first_occurrence(body, 0) {
        moved.push((Path::new([1]), Path::new(at)));
    }
    applied(body.subst0(argument), moved)
}

fn idx_reduction(t: &Term, _: &[RuleArg]) -> Procedural {
    let Some((prim, args)) = t.as_pattern_app() else { return Err(WhyNot::shape("an applied idx", t)) };
    let (Pattern::Idx, [index, array]) = (prim.pattern, args.as_slice()) else {
        return Err(WhyNot::shape("an applied idx", t));
    };
    let at = constant_index(index)
        .ok_or_else(|| WhyNot::shape("a constant index", index).below(&Path::new([0, 1])))?;
    let elements = match array.as_pattern_app() {
        Some((p, elements)) if p.pattern == Pattern::MakeArray => elements,
        _ => return Err(WhyNot::shape("a literal array", array).below(&Path::new([1]))),
    };
    let Some(element) = elements.get(at) else {
        return Err(WhyNot::condition(format!("there is no element {at} among {}", elements.len())));
    };
    let from = Path::new(std::iter::once(1).chain(vec![0; elements.len() - 1 - at]).chain([1]));
    applied((*element).clone(), vec![(from, Path::root())])
}

fn choose_by_work(t: &Term, args: &[RuleArg]) -> Procedural {
    let [RuleArg::Nat(least)] = args else { return Err(WhyNot::condition("it takes a number".to_owned())) };
    if !t.ty().is_data() {
        return Err(WhyNot::shape("a value", t));
    }
    let work = work::roughly(t).ok_or_else(|| {
        WhyNot::condition("how much this computes is not a sum of products of sizes".to_owned())
    })?;
    if work.as_constant().is_some() {
        return Err(WhyNot::condition(format!("this always computes about {work} operations and elements")));
    }
    // Of one product it is said from which value on there is enough.
    let (work, least) = match (work.terms(), least.as_constant()) {
        ([(product, c)], Some(least)) => {
            let product = Nat::from_terms([(product.clone(), 1.into())]);
            (
                product,
                Nat::constant((Ratio::from_integer(i128::from(least)) / *c).ceil().to_i64().unwrap_or(least)),
            )
        }
        _ => (work, least.clone()),
    };
    let number = |n: Nat| Term::lit(Literal::Nat(n));
    let less = b::apply(Pattern::Lt, vec![], vec![number(work), number(least)]).map_err(misfit)?;
    let both = b::apply(Pattern::Select, vec![], vec![less, t.clone(), t.clone()]).map_err(misfit)?;
    applied(both, vec![(Path::root(), Path::new([1]))])
}

fn constant_index(t: &Term) -> Option<usize> {
    let n = match t.expr() {
        Expr::Lit(Literal::Index(i, _)) => i.as_constant()?,
        Expr::Lit(Literal::Nat(n)) => n.as_constant()?,
        Expr::Lit(Literal::Int(v, _)) => i64::try_from(*v).ok()?,
        Expr::App(f, e) if f.as_pattern() == Some(Pattern::NatAsIndex) => return constant_index(e),
        _ => return None,
    };
    usize::try_from(n).ok()
}

fn reduce_from_neutral(t: &Term) -> Procedural {
    let (f, init, xs) = match t.as_pattern_app() {
        Some((p, args)) if p.pattern == Pattern::Reduce => match args.as_slice() {
            [f, init, xs] => (*f, *init, *xs),
            _ => return Err(WhyNot::shape("reduce op init xs", t)),
        },
        _ => return Err(WhyNot::shape("reduce op init xs", t)),
    };
    let Some((op, z)) = with_neutral(f) else {
        let why = "no neutral value is known of the operator: `+` and `*` of scalars have one, `and` and `or`, and `min` and `max` of integers";
        return Err(WhyNot::condition(why.to_owned()).below(&Path::new([0, 0, 1])));
    };
    if is_neutral(f, init) {
        let why = "the reduction starts from the neutral value already";
        return Err(WhyNot::condition(why.to_owned()).below(&Path::new([0, 1])));
    }
    let build = || -> b::Built {
        let ty = t.ty().clone();
        let reduced = b::reduce(f.clone(), Term::lit(z.clone()), xs.clone())?;
        let op = b::pattern(op, vec![], &[ty.clone(), ty])?;
        Ok(Term::app(Term::app(op, init.clone()), reduced))
    };
    let moved = [([0, 1].as_slice(), [0, 1].as_slice()), (&[1], &[1, 1]), (&[0, 0, 1], &[1, 0, 0, 1])];
    let path = |steps: &[u8]| Path::new(steps.iter().copied());
    applied(build().map_err(misfit)?, moved.map(|(from, to)| (path(from), path(to))).to_vec())
}

fn map_of_component(t: &Term) -> Procedural {
    let expected = "map (\\p. …) (zip a b)";
    let shape = || WhyNot::shape(expected, t);
    let Some((map, args)) = t.as_pattern_app() else { return Err(shape()) };
    let (Pattern::Map, [f, xs]) = (map.pattern, args.as_slice()) else { return Err(shape()) };
    let Some((name, body)) = f.as_lam() else { return Err(shape()) };
    let Some((zip, arrays)) = xs.as_pattern_app() else { return Err(shape()) };
    let (Pattern::Zip, [a, b]) = (zip.pattern, arrays.as_slice()) else { return Err(shape()) };
    let parts = [(Pattern::Fst, *a, [1, 0, 1].as_slice()), (Pattern::Snd, *b, &[1, 1])];
    let found = parts.into_iter().find_map(|(part, array, at)| {
        let (_, element) = array.ty().as_array()?;
        let body = component_alone(body, part, element, 0)?;
        let f = Term::lam(name, element.clone(), body);
        Some((b::map(f, array.clone()), at))
    });
    let Some((built, at)) = found else {
        let why = "the function takes both components, or none alone";
        return Err(WhyNot::condition(why.to_owned()).below(&Path::new([0, 1])));
    };
    applied(built.map_err(misfit)?, vec![(Path::new(at.iter().copied()), Path::new([1]))])
}

/// The body of a function of a pair as that of a function of this component; none where the pair is used otherwise.
fn component_alone(t: &Term, part: Pattern, element: &Type, depth: u32) -> Option<Term> {
    if let Some((p, args)) = t.as_pattern_app()
        && p.pattern == part
        && args.iter().any(|x| matches!(x.expr(), Expr::Var(i) if *i == depth))
    {
        return Some(Term::var(depth, element.clone()));
    }
    if matches!(t.expr(), Expr::Var(i) if *i == depth) {
        return None;
    }
    let under = u32::from(t.as_lam().is_some());
    let children = t.children().into_iter().map(|c| component_alone(c, part, element, depth + under));
    let children: Vec<Term> = children.collect::<Option<_>>()?;
    Some(if children.is_empty() { t.clone() } else { t.with_children(children) })
}

/// Replaces every occurrence of a closed-over part by one variable.
fn subexpression_elimination(t: &Term, args: &[RuleArg]) -> Procedural {
    let [RuleArg::Position(path)] = args else { return Err(WhyNot::condition("a position is needed")) };
    let term = part_shared(t, path)?;
    // The part itself is now the argument; nothing else has moved but down.
    let moved = if path.is_root() {
        vec![(Path::root(), Path::new([1]))]
    } else {
        let mut moved = vec![(path.clone(), Path::new([1]))];
        for n in 0..path.len() {
            let above = Path::new(path.steps()[..n].iter().copied());
            let siblings = t.at(&above).map_or(0, |t| t.children().len() as u8);
            for i in (0..siblings).filter(|i| *i != path.steps()[n]) {
                let sibling = above.child(i);
                moved.push((sibling.clone(), Path::new([0, 0]).join(&sibling)));
            }
        }
        moved
    };
    applied(term, moved)
}

/// A term with every occurrence of the part at a position as one variable.
///
/// # Errors
/// Why it cannot be shared.
pub fn part_shared(t: &Term, path: &Path) -> Result<Term, WhyNot> {
    let Some(part) = t.at(path) else {
        return Err(WhyNot::condition(format!("there is no position {path} here")));
    };
    let binders = t.binders_at(path).len() as u32;
    let Some(value) = part.shift_down(binders) else {
        let why = WhyNot::condition("the part mentions a variable that is bound between here and there");
        return Err(why.below(path));
    };
    if !value.ty().is_data() {
        return Err(WhyNot::condition("only data can be shared, not a function").below(path));
    }
    if steps::around(t, path).iter().any(|size| steps::mentions(&value, size)) {
        let why = WhyNot::condition("the part has another size in each step of `iterate` around it");
        return Err(why.below(path));
    }
    let body = t.shift_up(1);
    let shared = replace(&body, &value.shift_up(1), 0);
    Ok(Term::app(Term::lam("y", value.ty().clone(), shared), value))
}

/// `t` with every occurrence of `value` replaced by variable `depth`. Both are in the same context.
fn replace(t: &Term, value: &Term, depth: u32) -> Term {
    if t.size() < value.size() {
        return t.clone();
    }
    if t.size() == value.size() && *t == value.shift_up(depth) {
        return Term::var(depth, value.ty().clone());
    }
    let under = u32::from(t.as_lam().is_some());
    let children: Vec<Term> = t.children().into_iter().map(|c| replace(c, value, depth + under)).collect();
    if children.is_empty() { t.clone() } else { t.with_children(children) }
}

/// `reduce add 0 (map (\x. fst x * snd x) (zip (join w) (join xs)))`, where either of the two matrices is of weights.
fn separate_dot(t: &Term, columns_first: bool) -> Procedural {
    let expected = "a dot product of two joined matrices";
    let (first, second) = joined_dot(t).ok_or_else(|| WhyNot::shape(expected, t))?;
    let ways = [(first, second), (second, first)];
    let separated = |(weights, image)| factors(weights).map(|(column, row)| (column, row, image));
    let (column, row, image) = ways.into_iter().find_map(separated).ok_or_else(|| {
        WhyNot::condition("neither matrix is the product of a column and a row of constants")
    })?;
    let element = match t.ty().as_scalar() {
        Some(s) => s,
        None => return Err(WhyNot::shape(expected, t)),
    };
    let literal = |values: Vec<f64>| -> b::Built {
        let constants = values.into_iter().map(|v| {
            if element.is_float() {
                Ok(Term::lit(Literal::float(v, element)))
            } else {
                b::number(v as i64, element)
            }
        });
        b::make_array(constants.collect::<Result<_, _>>()?)
    };
    let scalar = Type::scalar(element);
    let dot = |weights: &Term, xs: Term| -> b::Built {
        let pair = Type::pair(scalar.clone(), scalar.clone());
        let times = b::lam("x", pair, |p| b::mul(b::fst(p.clone())?, b::snd(p)?))?;
        let plus = b::pattern(Pattern::Add, vec![], &[scalar.clone(), scalar.clone()])?;
        b::reduce(plus, b::number(0, element)?, b::map(times, b::zip(weights.clone(), xs)?)?)
    };
    let build = || -> b::Built {
        let (column, row) = (literal(column)?, literal(row)?);
        let (inner, outer) = if columns_first { (column, row) } else { (row, column) };
        let lines = if columns_first { b::transpose(image.clone())? } else { image.clone() };
        let line = match lines.ty().as_array() {
            Some((_, line)) => line.clone(),
            None => Type::ill(),
        };
        let each = b::lam("line", line, |line| dot(&inner, line))?;
        dot(&outer, b::map(each, lines)?)
    };
    applied(build().map_err(misfit)?, vec![])
}

fn vectorize_map(t: &Term, _: &[RuleArg]) -> Procedural {
    let expected = "asVector of a map";
    // A function that stands alone, as in `map (asVector 4)`, has no arguments.
    let Some((vectors, mapped)) = t.as_pattern_app().and_then(|(p, args)| match (p.pattern, &args[..]) {
        (Pattern::AsVector | Pattern::AsVectorAligned, [mapped]) => Some((p, *mapped)),
        _ => None,
    }) else {
        return Err(WhyNot::shape(expected, t));
    };
    let Some((f, xs)) = mapped.as_pattern_app().and_then(|(p, args)| match (p.pattern, &args[..]) {
        (Pattern::Map, [f, xs]) => Some((*f, *xs)),
        _ => None,
    }) else {
        return Err(WhyNot::shape(expected, t));
    };
    let Some(Arg::Nat(n)) = vectors.args.first() else { return Err(WhyNot::shape(expected, t)) };
    let f = vectorise_loops(n, f).map_err(|why| why.below(&Path::new([1, 0, 1])))?;
    let as_vectors = |xs: Term| b::apply(vectors.pattern, vectors.args.clone(), vec![xs]);
    let vectors = in_vectors(xs.clone(), &as_vectors).map_err(misfit)?;
    applied(b::map(f, vectors).map_err(misfit)?, vec![(Path::new([1, 1]), Path::new([1]))])
}

/// The arrays of scalars that an array of pairs and arrays is made of, each as vectors, put together as they were.
fn in_vectors(xs: Term, as_vectors: &dyn Fn(Term) -> b::Built) -> b::Built {
    let Some((_, element)) = xs.ty().as_array() else { return as_vectors(xs) };
    if let Some((_, inner)) = element.as_array() {
        let columns = b::transpose(xs.clone())?;
        let row = columns.ty().as_array().map_or_else(|| inner.clone(), |(_, row)| row.clone());
        return b::transpose(b::map(b::lam("row", row, |row| in_vectors(row, as_vectors))?, columns)?);
    }
    if element.as_pair().is_none() {
        return as_vectors(xs);
    }
    let (first, second) = match xs.as_pattern_app() {
        Some((p, args)) if p.pattern == Pattern::Zip => (args[0].clone(), args[1].clone()),
        _ => (b::fst(b::unzip(xs.clone())?)?, b::snd(b::unzip(xs.clone())?)?),
    };
    b::zip(in_vectors(first, as_vectors)?, in_vectors(second, as_vectors)?)
}

/// The two matrices of a dot product.
fn joined_dot(t: &Term) -> Option<(&Term, &Term)> {
    let app = |t: &'_ Term, p: Pattern| -> Option<()> {
        let (prim, _) = t.as_pattern_app()?;
        (prim.pattern == p).then_some(())
    };
    let (prim, args) = t.as_pattern_app()?;
    let [op, zero, summed] = args.as_slice() else { return None };
    if prim.pattern != Pattern::Reduce
        || op.as_pattern().is_none_or(|p| p != Pattern::Add) && !super::operators::is_sum(op)
        || !super::operators::is_neutral(op, zero)
    {
        return None;
    }
    app(summed, Pattern::Map)?;
    let (_, args) = summed.as_pattern_app()?;
    let [times, zipped] = args.as_slice() else { return None };
    let (_, body) = times.as_lam()?;
    let (mul, factors) = body.as_pattern_app()?;
    let projects = |t: &Term, p: Pattern| matches!(t.as_pattern_app(), Some((q, a)) if q.pattern == p && a.len() == 1 && matches!(a[0].expr(), Expr::Var(0)));
    let [x, y] = factors.as_slice() else { return None };
    if mul.pattern != Pattern::Mul || !projects(x, Pattern::Fst) || !projects(y, Pattern::Snd) {
        return None;
    }
    app(zipped, Pattern::Zip)?;
    let (_, ends) = zipped.as_pattern_app()?;
    let [a, b] = ends.as_slice() else { return None };
    app(a, Pattern::Join)?;
    app(b, Pattern::Join)?;
    Some((a.as_app()?.1, b.as_app()?.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::nat::Nat;

    fn rule(name: &str) -> Rule {
        all().into_iter().find(|r| &*r.name == name).unwrap()
    }

    #[test]
    fn the_shapes_are_left_sides() {
        let mut sides_of_all = 0;
        for (rule, row) in all().iter().zip(ROWS) {
            let InSearches::Matches { sides, .. } = row.searched else { continue };
            let shapes = rule.in_searches(&[]).map(|searched| searched.len());
            assert_eq!(shapes.ok(), Some(sides.len()), "{}", rule.name);
            sides_of_all += sides.len();
        }
        assert!(sides_of_all >= 8);
    }

    #[test]
    fn gentle_beta_keeps_what_it_would_duplicate() {
        let work = b::add(Term::var(0, Type::f32()), b::f32(1.0)).unwrap();
        let once = b::share("x", work.clone(), |x| b::mul(x, b::f32(2.0))).unwrap();
        let twice = b::share("x", work, |x| b::mul(x.clone(), x)).unwrap();
        let done = rule("gentleBeta").apply(&once, &[]).unwrap();
        assert_eq!(format!("{:?}", done.term), "((mul ((add %0) 1.0)) 2.0)");
        let why = rule("gentleBeta").apply(&twice, &[]).unwrap_err();
        assert!(why.to_string().contains("more often"), "{why}");
    }

    #[test]
    fn a_choice_by_work_asks_for_the_products_that_grow_fastest() {
        let chosen = |ty: Type| {
            let times = b::lam("x", Type::f32(), |x| b::mul(x.clone(), b::add(x, b::f32(1.0))?)).unwrap();
            let body = match ty.as_array() {
                Some((_, row)) if row.as_array().is_some() => {
                    b::map(b::lam("r", row.clone(), |r| b::map(times, r)).unwrap(), Term::var(0, ty.clone()))
                }
                _ => b::map(times, Term::var(0, ty.clone())),
            };
            rule("chooseByWork").apply(&body.unwrap(), &[RuleArg::Nat(Nat::constant(1000))])
        };
        let f32s = |n: Nat, t: Type| Type::array(n, t);
        let said = |ty: Type| format!("{:?}", chosen(ty).unwrap().term);
        // Two operations and an element.
        assert!(said(f32s(Nat::var("n"), Type::f32())).starts_with("(((select ((lt n) 334)) "));
        let (n, m) = (Nat::var("n"), Nat::var("m"));
        let rows = f32s(n.add(&Nat::constant(2)), f32s(m, Type::f32()));
        assert!(said(rows.clone()).starts_with("(((select ((lt m*n) 334)) "), "{}", said(rows));
        let why = chosen(f32s(Nat::constant(8), Type::f32())).unwrap_err();
        assert!(why.to_string().contains("always computes about 24"), "{why}");
    }

    #[test]
    fn vectors_of_no_map_stay() {
        let four = Arg::Nat(Nat::constant(4));
        let ty = Type::array(Nat::var("n").mul(&Nat::constant(4)), Type::f32());
        let alone = b::lam("x", ty.clone(), |x| b::apply(Pattern::AsVector, vec![four], vec![x])).unwrap();
        let of_map = b::map(Term::var(1, Type::fun(Type::f32(), Type::f32())), Term::var(0, ty)).unwrap();
        for t in alone.positions().into_iter().chain(of_map.positions()).map(|(_, t)| t) {
            let why = rule("vectorizeMap").apply(t, &[]).unwrap_err();
            assert!(why.to_string().contains("asVector of a map"), "{why}");
        }
    }

    #[test]
    fn a_map_that_takes_one_component_is_a_map_over_that() {
        let array = |i| Term::var(i, Type::array(Nat::var("n"), Type::f32()));
        let pair = Type::pair(Type::f32(), Type::f32());
        let mapped = |f: fn(Term) -> b::Built| {
            b::map(b::lam("p", pair.clone(), f).unwrap(), b::zip(array(0), array(1)).unwrap()).unwrap()
        };
        let of = |t: &Term| rule("mapOfComponent").apply(t, &[]).map(|done| format!("{:?}", done.term));
        let square_of_second = mapped(|p| b::mul(b::snd(p.clone())?, b::snd(p)?));
        assert_eq!(of(&square_of_second).unwrap(), "((map (\\((mul %0) %0))) %1)");
        let sqrt_of_first = mapped(|p| b::add(b::fst(p)?, b::f32(1.0)));
        assert_eq!(of(&sqrt_of_first).unwrap(), "((map (\\((add %0) 1.0))) %0)");
        let of_both = mapped(|p| b::mul(b::fst(p.clone())?, b::snd(p)?));
        assert!(of(&of_both).unwrap_err().to_string().contains("both components"));
    }

    #[test]
    fn a_part_that_occurs_twice_is_shared_once() {
        let xs = Term::var(0, Type::array(Nat::var("n"), Type::f32()));
        let sum = |xs: Term| {
            let plus = b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap();
            b::reduce(plus, b::f32(0.0), xs).unwrap()
        };
        let t = b::mul(sum(xs.clone()), sum(xs.clone())).unwrap();
        let at = RuleArg::Position(Path::parse("1").unwrap());
        let done = rule("subexpressionElimination").apply(&t, &[at]).unwrap();
        assert!(done.term.ty() == t.ty());
        assert_eq!(format!("{:?}", done.term), "((\\((mul %0) %0)) (((reduce add) 0.0) %0))");
        // A part that mentions an inner binder stays.
        let f = b::lam("x", Type::f32(), |x| b::mul(x.clone(), x)).unwrap();
        let mapped = b::map(f, xs).unwrap();
        let at = RuleArg::Position(Path::parse("0.1.0").unwrap());
        let why = rule("subexpressionElimination").apply(&mapped, &[at]).unwrap_err();
        assert!(why.to_string().contains("bound between"), "{why}");
    }
}
