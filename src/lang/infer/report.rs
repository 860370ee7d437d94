//! What inference says when something does not fit: full sentences, with the names that the program uses.

use super::codes;
use super::conversions::{has_fraction, is_wider};
use super::elaborate::SIZE_OF_STEP;
use super::scheme::Scheme;
use super::state::Infer;
use super::unify::{Cause, Mismatch};
use super::words::{in_parentheses, is_never_below, is_of_numbers, last_index};
use crate::diag::{Diagnostic, Span};
use crate::math;
use crate::nat::{Name, Nat, NatVar};
use crate::pattern::Pattern;
use crate::syntax::elsewhere;
use crate::ty::{Scalar, Type, TypeKind, TypeSubst, TypeVar};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Where an equation comes from.
#[derive(Clone, Debug)]
pub struct Place {
    pub span: Span,
    pub why: Why,
    /// Where the definition was used in which it stands.
    pub used_at: Option<Span>,
}

/// Why two types had to be equal.
#[derive(Clone, Debug)]
pub enum Why {
    /// The argument of this number, from 1, of what is named.
    Argument(Option<Name>, usize),
    /// What stands before `|>` is given to what stands behind it.
    Piped,
    /// The same, where the function has a name.
    PipedInto(Option<Name>),
    /// What a definition says it returns.
    Returned(Name),
    /// A type that was written down.
    Ascribed,
    /// An operand of an operator.
    Operand(&'static str),
    /// An element of an array.
    Element,
    /// A pair that is taken apart.
    TakenApart,
    /// The truth value, or one a lane, that a pattern has as its result or is given.
    Truth(&'static str, bool),
    /// Vectors that have as many lanes.
    Lanes(&'static str),
    /// Its surroundings.
    Context,
}

/// Gives unknowns readable names within one message, none of which the program has.
#[derive(Default)]
pub struct Names {
    taken: FxHashSet<Name>,
    types: RefCell<Vec<u32>>,
    nats: RefCell<Vec<u32>>,
    /// The sizes of steps of `iterate`.
    steps: Vec<Name>,
    /// What the text calls types and sizes that are not known yet.
    written_types: FxHashMap<u32, Name>,
    written_nats: FxHashMap<u32, Name>,
}

const TYPES: &str = "tsuvw";
const SIZES: &str = "nmkpq";

impl TypeSubst for Names {
    fn ty(&self, v: &TypeVar) -> Option<Type> {
        let TypeVar::Meta(id) = v else { return None };
        Some(match self.written_types.get(id) {
            Some(name) => Type::named(name),
            None => Type::named(&self.letter(&self.types, *id, TYPES)),
        })
    }
    fn nat(&self, v: &NatVar) -> Option<Nat> {
        match v {
            NatVar::Meta(id) => Some(match self.written_nats.get(id) {
                Some(name) => Nat::var(name),
                None => Nat::var(&self.letter(&self.nats, *id, SIZES)),
            }),
            NatVar::Worker(_) => None,
            // As it is written.
            NatVar::Named(name) => {
                let number = name.strip_prefix(SIZE_OF_STEP)?.parse::<usize>().ok()?;
                Some(Nat::var(self.steps.get(number)?))
            }
        }
    }
}

/// Is this the size that a step of `iterate` knows?
fn is_size_of_step(v: &NatVar) -> bool {
    matches!(v, NatVar::Named(name) if name.starts_with(SIZE_OF_STEP))
}

impl Names {
    fn letter(&self, seen: &RefCell<Vec<u32>>, id: u32, letters: &str) -> String {
        let mut seen = seen.borrow_mut();
        let at = seen.iter().position(|i| *i == id).unwrap_or_else(|| {
            seen.push(id);
            seen.len() - 1
        });
        let first = letters.get(..1).unwrap_or("t");
        let plain = letters.chars().map(String::from);
        let numbered = (1..).map(|i| format!("{first}{i}"));
        let mut free = plain.chain(numbered).filter(|name| !self.taken.contains(name.as_str()));
        free.nth(at).unwrap_or_default()
    }

    /// Explains the unknowns that the problem names, if there are any.
    pub fn explain(&self, problem: Diagnostic) -> Diagnostic {
        let labels = problem.labels.iter().map(|l| &l.message);
        let said: String =
            std::iter::once(&problem.message).chain(labels).chain(&problem.notes).cloned().collect();
        let words: FxHashSet<&str> = said.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let name = |list: &RefCell<Vec<u32>>, letters| {
            let ids = list.borrow().clone();
            let names = ids.into_iter().map(|id| self.letter(list, id, letters));
            names.filter(|n| words.contains(n.as_str())).map(|n| format!("`{n}`")).collect::<Vec<_>>()
        };
        let sentence = |names: Vec<String>, what: &str| match names.as_slice() {
            [] => None,
            [one] => Some(format!("{one} is a {what} that is not known yet.")),
            [init @ .., last] => {
                Some(format!("{} and {last} are {what}s that are not known yet.", init.join(", ")))
            }
        };
        let problem = match sentence(name(&self.types, TYPES), "type") {
            Some(note) => problem.note(note),
            None => problem,
        };
        match sentence(name(&self.nats, SIZES), "size") {
            Some(note) => problem.note(note),
            None => problem,
        }
    }
}

/// Types of more parts than this are not printed.
const LARGE: u64 = 200;

/// The number of parts of a type, where no more than a limit matter.
fn weight(t: &Type, budget: &mut u64) {
    if *budget == 0 {
        return;
    }
    *budget -= 1;
    match t.kind() {
        TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
            weight(a, budget);
            weight(b, budget);
        }
        TypeKind::Array(_, t) | TypeKind::Vector(_, t) => weight(t, budget),
        _ => {}
    }
}

pub fn ordinal(n: usize) -> String {
    match n {
        1 => "first".into(),
        2 => "second".into(),
        3 => "third".into(),
        4 => "fourth".into(),
        5 => "fifth".into(),
        n => format!("{n}th"),
    }
}

impl Why {
    fn sentence(&self) -> Option<String> {
        Some(match self {
            Why::Argument(Some(of), n) => format!("It is the {} argument of `{of}`.", ordinal(*n)),
            Why::Argument(None, n) => format!("It is the {} argument of a function.", ordinal(*n)),
            Why::PipedInto(Some(name)) => format!("It is given to `{name}` by `|>`."),
            Why::Piped | Why::PipedInto(None) => "What stands before `|>` is given to it.".into(),
            Why::Returned(name) => format!("`{name}` is declared to return another type."),
            Why::Ascribed => "Another type is written here.".into(),
            Why::Operand(op) => format!("Both operands of `{op}` have one type."),
            Why::Element => "All elements of an array have one type.".into(),
            Why::TakenApart => "`(a, b)` takes the two components of a pair.".into(),
            Why::Truth(of, true) => {
                format!("`{of}` of vectors has a truth value for each lane, of scalars one.")
            }
            Why::Truth(of, false) => format!("`{of}` needs a truth value, or one for each lane of vectors."),
            Why::Lanes(of) => format!("`{of}` of a vector has as many lanes."),
            Why::Context => return None,
        })
    }
}

impl Why {
    /// The function whose argument it is, if that has a name.
    fn argument_of(&self) -> Option<&Name> {
        if let Why::Argument(of, _) = self { of.as_ref() } else { None }
    }
}

/// The innermost parts in which two types differ.
enum Difference {
    Types(Type, Type),
    Sizes(Nat, Nat),
}

fn difference(a: &Type, b: &Type) -> Option<Difference> {
    use TypeKind as K;
    if a == b {
        return None;
    }
    match (a.kind(), b.kind()) {
        (K::Array(n, s), K::Array(m, t)) | (K::Vector(n, s), K::Vector(m, t)) => {
            if n != m && !n.has_metas() && !m.has_metas() {
                return Some(Difference::Sizes(n.clone(), m.clone()));
            }
            difference(s, t)
        }
        (K::Index(n), K::Index(m)) => Some(Difference::Sizes(n.clone(), m.clone())),
        (K::Pair(s, t), K::Pair(u, v)) | (K::Fun(s, t), K::Fun(u, v)) => {
            difference(s, u).or_else(|| difference(t, v))
        }
        (K::Var(TypeVar::Meta(_)), _) | (_, K::Var(TypeVar::Meta(_))) => None,
        _ => Some(Difference::Types(a.clone(), b.clone())),
    }
}

/// Is what is written, as an argument is, the result of `reduce`?
pub(super) fn ends_in_reduce(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let last = inner.rsplit("|>").next().unwrap_or(inner).trim();
    let mut open = 0i32;
    let whole = last.chars().all(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open >= 0 && !(open == 0 && "<>=+*/%".contains(c))
    });
    last.starts_with("reduce ") && whole && open == 0
}

/// Does a reduction, as it is written, start from a number?
fn starts_from_number(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let mut words = inner.split_whitespace().rev().skip(usize::from(!inner.contains("|>")));
    words.next().is_some_and(is_of_numbers)
}

impl Infer {
    /// Names for the unknowns of a message.
    pub fn names(&self) -> Names {
        let mut taken: FxHashSet<Name> =
            self.scope.sizes.keys().chain(self.scope.types.keys()).cloned().collect();
        for local in &self.locals {
            taken.insert(local.name.clone());
            local.ty.for_each_var(&mut |v| {
                if let TypeVar::Named(name) = v {
                    taken.insert(name.clone());
                }
            });
            local.ty.for_each_nat(&mut |n| {
                taken.extend(n.vars().into_iter().filter_map(|v| match v {
                    NatVar::Named(name) => Some(name),
                    NatVar::Meta(_) | NatVar::Worker(_) => None,
                }));
            });
        }
        let mut names = Names { taken, steps: self.steps.clone(), ..Names::default() };
        // The first name of those that are the same.
        for (name, size) in self.scope.sizes.iter().rev() {
            names.written_nats.extend(self.u.unknown_nat(size).map(|id| (id, name.clone())));
        }
        for (name, ty) in self.scope.types.iter().rev() {
            if let TypeKind::Var(TypeVar::Meta(id)) = self.u.resolve(ty).kind() {
                names.written_types.insert(*id, name.clone());
            }
        }
        names
    }

    /// A type as text, with what is known put in.
    pub fn show(&mut self, t: &Type, names: &Names) -> String {
        let t = self.u.zonk(t);
        let mut budget = LARGE;
        weight(&t, &mut budget);
        if budget == 0 { "a very large type".into() } else { format!("`{}`", t.subst(names)) }
    }

    pub fn show_nat(&mut self, n: &Nat, names: &Names) -> String {
        let n = self.u.zonk_nat(n);
        format!("`{}`", n.subst(&|v| names.nat(v)))
    }

    /// Reports an equation that cannot hold.
    pub fn report_mismatch(&mut self, m: &Mismatch) {
        let Place { span, why, used_at } = self.places[m.origin as usize].clone();
        let names = self.names();
        let types = m.types.as_ref().map(|(a, b)| (self.u.zonk(a), self.u.zonk(b)));
        let cause = match &m.cause {
            Cause::Shape(a, b) => {
                let (a, b) = (self.u.zonk(a), self.u.zonk(b));
                match difference(&a, &b) {
                    Some(Difference::Sizes(n, m)) => Cause::Size(n, m),
                    Some(Difference::Types(a, b)) => Cause::Shape(a, b),
                    None => Cause::Shape(a, b),
                }
            }
            other => other.clone(),
        };
        if let Cause::Size(a, b) = &cause
            && (a.is_poison() || b.is_poison())
        {
            return self.problem(super::program::size_too_large(span));
        }
        let is_mended =
            types.as_ref().is_some_and(|(needed, found)| self.is_mended_as_a_whole(needed, found, span));
        if matches!(why, Why::Returned(_)) && !is_mended {
            self.returned.push(span);
        }
        // Is it what was found that has the function, or what was needed?
        let found_function = types.as_ref().is_none_or(|(a, b)| {
            b.signature().0.len() > a.signature().0.len() || b.as_fun().is_some() && a.as_fun().is_none()
        });
        let whole = types.as_ref().map(|(a, b)| (self.show(a, &names), self.show(b, &names)));
        let mut problem = match &cause {
            Cause::Shape(..) => {
                let (expected, found) = whole.clone().unwrap_or_default();
                Diagnostic::error(codes::MISMATCH, format!("This is {found}, but {expected} is needed."))
            }
            Cause::Size(a, b) => {
                let unknown = a.vars().into_iter().chain(b.vars()).find(|v| matches!(v, NatVar::Meta(_)));
                let unknown = unknown.and_then(|v| names.nat(&v)).map(|n| n.to_string());
                let (a, b) = (self.show_nat(a, &names), self.show_nat(b, &names));
                let message = match unknown {
                    Some(n) => format!("No whole size `{n}` makes {a} equal to {b}."),
                    None => format!("The sizes {a} and {b} are not equal."),
                };
                Diagnostic::error(codes::SIZES, message)
            }
            Cause::Infinite(..) => {
                Diagnostic::error(codes::INFINITE, "The type of this would have to contain itself.")
            }
            Cause::NotData(_) => match &whole {
                Some((_, found)) if found_function => Diagnostic::error(
                    codes::NOT_DATA,
                    format!("This is a function, {found}, but data is needed."),
                ),
                Some((expected, _)) => {
                    Diagnostic::error(codes::NOT_DATA, format!("This is data, but {expected} is needed."))
                }
                None => Diagnostic::error(codes::NOT_DATA, "A function cannot be stored."),
            },
        };
        let label = match &whole {
            Some(_) if matches!(&cause, Cause::NotData(_)) && !found_function => "this is data".into(),
            Some((_, found)) => format!("this is {found}"),
            None => "here".into(),
        };
        problem = problem.label(span, label);
        if let Some(used) = used_at {
            problem = problem.label(used, "used here");
        }
        if let Some(sentence) = why.sentence() {
            problem = problem.note(sentence);
        }
        if let (Cause::Size(..) | Cause::Infinite(..), Some((expected, _))) = (&cause, &whole) {
            problem = problem.note(format!("What is needed is {expected}."));
        }
        if let (Cause::Shape(a, b), Some((x, y))) = (&cause, &types)
            && (a, b) != (x, y)
        {
            let (a, b) = (self.show(a, &names), self.show(b, &names));
            problem = problem.note(format!("Where {a} is needed, there is {b}."));
        }
        problem = names.explain(problem);
        let start = self.written(span).as_deref().and_then(without_start);
        problem = match &cause {
            Cause::Size(a, b) if a.vars().iter().chain(&b.vars()).any(is_size_of_step) => problem
                .hint("A step `/\\l. f` of `iterate` must do for every `l`: from `l*n` elements to `l`."),
            Cause::Size(a, b) if matches!(why, Why::Element) => {
                let [a, b] = [a, b].map(|n| n.subst(&|v| names.nat(v)));
                problem.hint(format!("One row has {b} elements and another one {a}: all rows of an array are as long."))
            }
            Cause::Size(a, b) if a.sub(b).as_constant().is_some_and(|d| d != 0) && matches!(why, Why::Returned(_)) => {
                match a.sub(b).as_constant() {
                    Some(d) if d > 0 => problem.hint(format!(
                        "There are {d} too few. Make what it is made from longer by {d}, `(x: (n + {d}).f32)` where it was `(x: n.f32)`, or pad: `padClamp {} {} xs`.",
                        d / 2,
                        d - d / 2
                    )),
                    _ => {
                        let n = a.subst(&|v| names.nat(v));
                        problem.hint(format!(
                            "There are too many: `take {} xs` are the first `{n}` of them.",
                            n.as_atom_text()
                        ))
                    }
                }
            }
            Cause::Size(a, b) => match (a.as_variable(), b.as_variable()) {
                (Some(NatVar::Named(a)), Some(NatVar::Named(b)))
                    if self.written(span).is_some_and(|text| text.starts_with(&format!("split {a} "))) =>
                {
                    problem.hint(format!("The number behind `split` is how long each row is: `split {b}`."))
                }
                (Some(NatVar::Named(a)), Some(NatVar::Named(b))) => problem.hint(format!(
                    "`{a}` and `{b}` may be any two sizes. Use one name where they must be equal."
                )),
                _ if let Some(d) = a.sub(b).as_constant() => {
                    let (short, by) = if d < 0 { (a, -d) } else { (b, d) };
                    let short = short.subst(&|v| names.nat(v));
                    let is_plain = short.as_constant().is_some() || short.as_variable().is_some();
                    let short = if is_plain { short.to_string() } else { format!("({short})") };
                    problem.hint(format!("The other one has {by} more: `take {short} xs` are the first of them."))
                }
                (_, None) if let Some(all) = self.arrays_in_brackets(types.as_ref(), span) => {
                    problem.hint(format!("Brackets make an array of arrays. One array after the other is `{all}`."))
                }
                (Some(NatVar::Named(_)), None) if matches!(why, Why::Returned(_)) => {
                    let b = b.subst(&|v| names.nat(v));
                    let atom = b.as_atom_text();
                    problem.hint(format!("The result has `{b}` elements: if that is meant, its type is `{atom}.…`."))
                }
                (Some(NatVar::Named(name)), _) | (_, Some(NatVar::Named(name))) => {
                    problem.hint(format!("`{name}` may be any size here."))
                }
                _ => match &why {
                    Why::Argument(Some(of), _) | Why::PipedInto(Some(of)) => problem.hint(format!("Is the array too short or too long for `{of}`? Say how its size depends on others, as in `(n + 2).f32`.")),
                    _ => problem.hint("Change the sizes that are written, or what makes them."),
                },
            },
            Cause::Shape(_, b) | Cause::NotData(b) if b.as_fun().is_some() && start.is_some() => {
                start.into_iter().fold(problem, Diagnostic::hint)
            }
            Cause::Shape(a, b) if b.as_fun().is_some() && a.as_fun().is_none() => {
                self.swapped(missing_arguments(problem, types.as_ref(), b, self.written(span)), &why)
            }
            Cause::NotData(b) if found_function => self.swapped(missing_arguments(problem, types.as_ref(), b, self.written(span)), &why),
            Cause::Shape(a, _) if a.as_fun().is_some() => self.swapped(
                problem.hint("It takes no arguments: is there one too many, or is `\\x. ...` missing?"),
                &why,
            ),
            Cause::Shape(a, b) if matches!(why, Why::TakenApart) && (a.as_array().is_some() || b.as_array().is_some()) => {
                let of_pairs = [a, b].iter().any(|t| t.as_array().is_some_and(|(_, t)| matches!(t.kind(), TypeKind::Pair(..))));
                let xs = self.written_argument(span).unwrap_or_else(|| "xs".into());
                problem.hint(if of_pairs {
                    format!("An array of pairs becomes a pair of arrays by `unzip {xs}`.")
                } else {
                    // The names that it is taken apart to are no value.
                    let xs = if xs.contains(',') { "xs".to_owned() } else { xs };
                    format!("An array is no pair: one element of it is `idx 0 {xs}`, the next `idx 1 {xs}`.")
                })
            }
            Cause::Shape(a, b) if matches!(why, Why::TakenApart) && (a.as_index().is_some() || b.as_index().is_some()) => problem
                .hint("An index is one number: a row and an element of it have one each, `generate (\\i. generate (\\j. …))`."),
            Cause::Shape(..) if matches!(why, Why::TakenApart) => problem.hint(
                "Write as many names as there are components; a function of two values is `\\a b. …`, of one `\\a. …`.",
            ),
            Cause::Shape(_, b) if matches!(b.kind(), TypeKind::Pair(..)) && why.argument_of().is_some() => {
                problem.hint(format!(
                    "Arguments are separated by spaces, `{} a b`; the components of a pair `p` are `fst p` and `snd p`.",
                    why.argument_of().map_or("f", |name| &**name)
                ))
            }
            Cause::Shape(a, b)
                if matches!(why, Why::Truth("not", _)) && (a.as_array().is_some() || b.as_array().is_some()) =>
            {
                let (depth, _) = super::words::depth_and_element(if a.as_array().is_some() { a } else { b });
                let (f, xs) = (super::words::mapped("not", depth), self.written_argument(span));
                problem.hint(format!("For every element, write `map {f} {}`.", xs.unwrap_or_else(|| "xs".into())))
            }
            Cause::Shape(..) if matches!(why, Why::Truth("not", _)) => {
                problem.hint("`not` takes what stands right behind it: `not (x > 0)`.")
            }
            Cause::Shape(a, b) => match (rigid(a), rigid(b)) {
                (Some(t), _) | (_, Some(t)) => problem.hint(format!("`{t}` may be any type here.")),
                _ => match self.bridge(a, b, span, &why, types.as_ref()) {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                },
            },
            Cause::Infinite(..) => problem.hint("Is another name meant, or is one argument too many?"),
            Cause::NotData(_) => self.swapped(problem, &why),
        };
        self.problems.push(problem);
    }

    /// A function where data should be, or data where a function should be: the arguments of a pattern that takes both
    /// may be in another order.
    fn swapped(&self, problem: Diagnostic, why: &Why) -> Diagnostic {
        let takes_both = |name: &Name| {
            let scheme = Scheme::of(self.patterns.find(name)?);
            let params = scheme.ty.signature().0;
            (params.len() > 1 && params.iter().any(|p| p.as_fun().is_some())).then_some(())
        };
        match why.argument_of().filter(|name| takes_both(name).is_some()) {
            Some(of) => problem.hint(format!("Are the arguments of `{of}` in the right order?")),
            None => problem,
        }
    }
}

/// `\\x y. e` as a function of a pair.
pub(super) fn of_a_pair(function: &str) -> Option<String> {
    if let Some(op) = function.strip_prefix('(').and_then(|f| f.strip_suffix(')')) {
        return op.chars().all(|c| c.is_ascii_punctuation()).then(|| format!("\\(x, y). x {op} y"));
    }
    if !function.is_empty() && function.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Some(format!("\\(x, y). {function} x y"));
    }
    let (params, body) = function.strip_prefix('\\')?.split_once('.')?;
    let params: Vec<&str> = params.split_whitespace().collect();
    let [a, b] = params.as_slice() else { return None };
    Some(format!("\\({a}, {b}).{body}"))
}

/// `\\i j. e` as it is given to `generate`, for an array of arrays.
fn of_two_indices(function: &str) -> Option<String> {
    let (params, body) = function.strip_prefix('\\')?.split_once('.')?;
    let params: Vec<&str> = params.split_whitespace().collect();
    let [a, b] = params.as_slice() else { return None };
    Some(format!("\\{a}. generate (\\{b}.{body})"))
}

/// `max xs` as it is in languages where that is of a whole array.
pub(super) fn of_all_elements(written: &str) -> Option<String> {
    let (operator, xs) = written.split_once(' ')?;
    let (start, which) = match operator {
        "max" => ("-1 / 0", "least"),
        "min" => ("1 / 0", "greatest"),
        _ => return None,
    };
    Some(format!(
        "`reduce {operator} ({start}) {xs}`; of whole numbers with the {which} one of their type in the place of `{start}`"
    ))
}

/// `reduce (+)` without the value that it starts from.
fn without_start(written: &str) -> Option<String> {
    let (name, operator) = written.split_once(' ')?;
    if !matches!(name, "reduce" | "reduceSeq") {
        return None;
    }
    let start = elsewhere::start_of(operator)?;
    let more = match operator {
        "max" => "; of whole numbers with the least one of their type in the place of `-1 / 0`",
        "min" => "; of whole numbers with the greatest one of their type in the place of `1 / 0`",
        _ => "",
    };
    Some(format!(
        "`{name}` starts from a value, which is missing here: write `{name} {operator} {start}`{more}."
    ))
}

fn missing_arguments(
    problem: Diagnostic,
    whole: Option<&(Type, Type)>,
    function: &Type,
    written: Option<String>,
) -> Diagnostic {
    let arity = |t: &Type| t.signature().0.len();
    if whole.is_some_and(|(needed, found)| arity(needed) == 1 && arity(found) == 2) {
        let of_index =
            whole.and_then(|(needed, _)| needed.as_fun()).is_some_and(|(a, _)| a.as_index().is_some());
        if let Some(nested) = written.as_deref().and_then(of_two_indices).filter(|_| of_index) {
            return problem.hint(format!("A row and an element of it have an index each: write `{nested}`."));
        }
        let pair = written.and_then(|w| of_a_pair(&w)).unwrap_or_else(|| "\\(x, y). x + y".into());
        return problem.hint(format!("It takes two values, one after the other. On pairs, write `{pair}`."));
    }
    let (params, _) = function.signature();
    let of_arrays = params.iter().all(|p| p.as_array().is_some());
    if let Some(all) = written.as_deref().and_then(of_all_elements).filter(|_| of_arrays) {
        return problem
            .hint(format!("It takes two values, one after the other. Of all elements, write {all}."));
    }
    let rows = written.as_deref().and_then(|w| w.strip_prefix("concat ")).filter(|_| params.len() == 1);
    if let Some(rows) = rows {
        return problem.hint(format!("`concat` takes two arrays. Of the rows of one, write `join {rows}`."));
    }
    match params.len() {
        1 => problem.hint("Is an argument missing?"),
        n => problem.hint(format!("Are {n} arguments missing?")),
    }
}

impl Infer {
    /// `[a, b]` of arrays where one array is needed that has their elements.
    fn arrays_in_brackets(&self, types: Option<&(Type, Type)>, span: Span) -> Option<String> {
        let (needed, found) = types?;
        let depth = |t: &Type| super::words::depth_and_element(t).0;
        let text = self.written(span).filter(|_| depth(found) == depth(needed) + 1)?;
        concatenated(&elements(&text)?)
    }

    /// Is something else wrong in a part of this?
    fn has_problem_within(&self, span: Span) -> bool {
        let within = |s: Span| s.file == span.file && span.start <= s.start && s.end <= span.end && s != span;
        self.problems.iter().filter_map(Diagnostic::span).any(within)
    }

    /// Is what a definition returns told how to be another type by all of it, rather than by what is wrong in it?
    fn is_mended_as_a_whole(&self, needed: &Type, found: &Type, span: Span) -> bool {
        let (Some(needed), Some(text)) = (needed.as_scalar(), self.written_argument(span)) else {
            return false;
        };
        let Some(found) = found.as_scalar() else {
            return found.as_array().is_some() && ends_in_reduce(&text) && !starts_from_number(&text);
        };
        let converts = needed.is_float() && !found.is_float() && has_fraction(&text);
        found == Scalar::Bool && ends_in_reduce(&text) || converts && self.converted(&text, needed).is_some()
    }

    /// How to get from what there is, which is written at the place, to what is needed.
    fn bridge(
        &self,
        needed: &Type,
        found: &Type,
        span: Span,
        why: &Why,
        whole: Option<&(Type, Type)>,
    ) -> Option<String> {
        use TypeKind as K;
        // Only what differs as a whole is what is written.
        let is_whole = whole.is_none_or(|(a, b)| a == needed && b == found);
        let written = if is_whole { self.written_argument(span) } else { None };
        let or = |name: &str| written.clone().unwrap_or_else(|| name.to_string());
        let pair = written.as_deref().and_then(two_names);
        if let (Why::Returned(_), true, false) =
            (why, is_whole, found.has_metas() || found.as_fun().is_some())
        {
            let reduced = written.as_ref().is_some_and(|text| ends_in_reduce(text));
            if let (true, K::Scalar(s), K::Scalar(Scalar::Bool)) = (reduced, needed.kind(), found.kind()) {
                return Some(format!(
                    "`reduce` computes with what its elements are, and these are truth values: `map (\\c. (cast c : {}))` before \
                     it makes numbers of them, of which a sum is how many are true.",
                    s.name()
                ));
            }
            let cast = match (needed.kind(), found.kind()) {
                (K::Scalar(_), K::Array(..)) if reduced => {
                    format!(
                        " `reduce` gives what its start is, here a `{found}`: the start stands before the array, as in `reduce (+) 0 xs`."
                    )
                }
                (K::Scalar(s), K::NatType) if *s != Scalar::Bool => {
                    format!(" A size becomes a number by `(cast {} : {})`.", or("n"), s.name())
                }
                (K::Scalar(Scalar::Bool), K::Scalar(_)) => {
                    format!(" A comparison is a truth value: `{} != 0`.", or("x"))
                }
                // What is within it is told first.
                (K::Scalar(_), K::Scalar(_)) if self.has_problem_within(span) => String::new(),
                (K::Scalar(s), K::Scalar(found))
                    if is_wider(*s, *found)
                        && let Some(all) = written.as_ref().and_then(|text| self.widened(text, *s)) =>
                {
                    format!(" {all}")
                }
                (K::Scalar(s), K::Scalar(found)) => {
                    let fraction = |text: &&String| s.is_float() && !found.is_float() && has_fraction(text);
                    let converted = written.as_ref().filter(fraction).map(|text| self.converted(text, *s));
                    match converted {
                        None => format!(" `cast` converts to it: `(cast {} : {})`.", or("x"), s.name()),
                        Some(Some(all)) => format!(" `cast` converts what it is computed from: `{all}`."),
                        Some(None) => String::new(),
                    }
                }
                (K::Array(n, _), K::Pair(..)) if let Some(all) = written.as_deref().and_then(|w| in_brackets(w, n)) => {
                    format!(" An array of these elements is `{all}`.")
                }
                (K::Scalar(_), K::Array(..)) => " One value of all elements is made by `reduce`; `join` makes one array of the rows of a matrix.".into(),
                (_, K::Pair(..)) if written.as_ref().is_some_and(|text| text.contains("reduce ")) => {
                    " `reduce` gives what its elements are: compute them by `map` before it, or write `reduceSeq`, which gives \
                     what its start is."
                        .into()
                }
                _ => String::new(),
            };
            return Some(format!("Declare the result as `{found}`, or compute a `{needed}`.{cast}"));
        }
        let hint = match (needed.kind(), found.kind()) {
            (K::Scalar(s), K::NatType | K::Index(_)) if written.as_ref().is_some_and(|w| w.contains(' ')) => {
                // Each size in it is converted, since a quotient of sizes is a size.
                let all = written.as_deref().and_then(|text| {
                    self.converted_from(text, *s).or_else(|| Some(in_parentheses(self.converted(text, *s)?)))
                });
                return Some(match all {
                    Some(all) => format!("A size or an index is no such number: `{all}` converts it first."),
                    None => {
                        "A size or an index is no such number: `cast` converts each, before anything is computed of it."
                            .into()
                    }
                });
            }
            (K::Scalar(s), K::NatType | K::Index(_)) => {
                return Some(format!(
                    "A size or an index is no such number: `(cast {} : {})` converts it.",
                    or("n"),
                    s.name()
                ));
            }
            (K::NatType, K::Scalar(_)) => {
                return Some(format!(
                    "A number is no size or index: `(cast {})` converts it; a size becomes a number by `(cast n : f32)`.",
                    or("x")
                ));
            }
            (K::NatType, K::Index(_)) => {
                return Some(format!("`indexAsNat {}` is the index as a number.", or("i")));
            }
            (K::Pair(..), _) => "`(a, b)` makes a pair, and the elements of `zip a b` are pairs.",
            (K::Scalar(s), K::Pair(..)) if *s != Scalar::Bool && pair.is_some() => {
                return pair.map(|(x, y)| {
                    format!("A pair is made here, and one number is needed: `{x}`, `{y}`, or what is computed of both, such as `{x} + {y}`.")
                });
            }
            (K::Array(n, _), K::Pair(..))
                if let Some(all) = written.as_deref().and_then(|w| in_brackets(w, n)) =>
            {
                return Some(format!("Parentheses make a pair: an array of these elements is `{all}`."));
            }
            (_, K::Pair(..)) if let Some(of) = written.as_deref().and_then(given_a_pair) => {
                return Some(format!("`{of}` takes one number, without a pair around it: `{of} x`."));
            }
            (_, K::Pair(..)) => {
                let p = written.clone().filter(|w| !w.contains(',')).unwrap_or_else(|| "p".into());
                return Some(format!("The components of a pair `{p}` are `fst {p}` and `snd {p}`."));
            }
            (K::Scalar(Scalar::Bool), K::Scalar(_)) if matches!(why, Why::Operand(op) if matches!(&**op, "and" | "or")) =>
            {
                return Some(format!(
                    "`and` and `or` join truth values, such as `{} != 0`; of two numbers one is chosen by `select`: {}",
                    or("x"),
                    elsewhere::SELECT
                ));
            }
            (K::Scalar(Scalar::Bool), K::Scalar(_)) => {
                return Some(format!(
                    "A comparison is a truth value, and stands in parentheses where it is given to a function: `({} > 0)`.",
                    or("x")
                ));
            }
            (K::Scalar(s), K::Scalar(Scalar::Bool))
                if *s != Scalar::Bool
                    && let Some(c) = &written =>
            {
                return Some(format!(
                    "A truth value is no number: `select {c} 1 0` is one, and so is `(cast {c} : {})`.",
                    s.name()
                ));
            }
            (K::Scalar(s), K::Scalar(Scalar::Bool)) if *s != Scalar::Bool => {
                return Some(format!(
                    "A truth value is no number: `select c 1 0` is one, of a condition `c`, or `(cast c : {})`.",
                    s.name()
                ));
            }
            (K::Scalar(s), K::Scalar(of)) if written.is_some() => {
                let from = written.as_deref().filter(|_| s.is_float() != of.is_float());
                if let Some(all) = from.and_then(|text| self.converted_from(text, *s)) {
                    return Some(format!("`cast` converts what it is computed from: `{all}`."));
                }
                let all = written.as_deref().filter(|_| is_wider(*s, *of));
                if let Some(all) = all.and_then(|text| self.widened(text, *s)) {
                    return Some(all);
                }
                let here = format!("`(cast {} : {})`", or("x"), s.name());
                // The wider one of two types can hold both.
                let left = self
                    .left_operands
                    .get(&span)
                    .filter(|_| is_wider(*of, *s) && s.is_float() == of.is_float());
                if let Some(left) = left.and_then(|left| self.written_argument(*left)) {
                    return Some(self.widened(&left, *of).unwrap_or_else(|| {
                        format!("`cast` converts between scalar types: `(cast {left} : {})`.", of.name())
                    }));
                }
                // Beside a floating-point number a whole one is mostly meant to be one as well.
                let beside = self.left_operands.get(&span).filter(|_| !s.is_float() && of.is_float());
                return Some(match beside.and_then(|left| self.written_argument(*left)) {
                    Some(left) => format!(
                        "`cast` converts between scalar types: `(cast {left} : {})`, or {here} where a whole number is meant.",
                        of.name()
                    ),
                    None => format!("`cast` converts between scalar types: {here}."),
                });
            }
            (K::Scalar(s), K::Scalar(_)) => {
                return Some(format!(
                    "`cast` converts between scalar types, those of an array by `map (\\x. (cast x : {}))`.",
                    s.name()
                ));
            }
            (K::Array(..), K::Array(..)) => return None,
            (K::Array(..), _) => {
                "An array is needed here: is there a `map`, `join` or `reduce` too many before it?"
            }
            (_, K::Array(..)) => "For every element of an array, use `map`.",
            (K::Scalar(Scalar::Bool), K::Vector(_, lane)) if lane.as_scalar() == Some(Scalar::Bool) => {
                "Vectors are compared lane by lane: a single truth value is that of scalars."
            }
            (K::Vector(..), _) => {
                "`asVector n` makes vectors of an array, `vectorFromScalar` one of a scalar."
            }
            (_, K::Vector(..)) => "`asScalar` makes scalars of an array of vectors.",
            (K::Index(n), K::NatType | K::Scalar(_)) if n.has_metas() => {
                "An index below a size `n` is made of a number `i` that is below it by `natAsIndex n i`."
            }
            (K::Index(n), K::NatType | K::Scalar(_)) => {
                let names = self.names();
                let n = n.subst(&|v| names.nat(v));
                let size = self.written_sizes.get(&span).map(|size| size.subst(&|v| names.nat(v)));
                return Some(match size {
                    Some(size) if is_never_below(&size, &n) => {
                        format!("`{size}` is not below `{n}`: the last index is `{}`.", last_index(&n))
                    }
                    _ => {
                        let i = match found.kind() {
                            K::Scalar(_) => format!("(cast {})", or("i")),
                            _ => or("i"),
                        };
                        format!("`natAsIndex {} {i}` makes an index below `{n}`.", n.as_atom_text())
                    }
                });
            }
            _ => return None,
        };
        Some(hint.into())
    }
}

/// What is written as a pair or nested pairs with a component for each element of an array, as an array.
fn in_brackets(text: &str, size: &Nat) -> Option<String> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0;
    let mut commas = 0;
    for c in inside.chars() {
        depth += i64::from(matches!(c, '(' | '[')) - i64::from(matches!(c, ')' | ']'));
        commas += i64::from(c == ',' && depth == 0);
        if depth < 0 {
            return None;
        }
    }
    (size.as_constant() == Some(commas + 1)).then(|| format!("[{inside}]"))
}

/// The function of one number in `(log(x, 2))`.
fn given_a_pair(text: &str) -> Option<&str> {
    let text = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let (function, args) = text.split_once('(')?;
    let of_one = Pattern::from_name(function.trim()).is_some_and(|p| math::of(p).is_some());
    (of_one && args.contains(',')).then(|| function.trim())
}

/// The elements of a literal array, as they are written, where there are several.
fn elements(text: &str) -> Option<Vec<&str>> {
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    let plain = inside.contains(',') && !inside.contains(['(', '[', '\\']);
    plain.then(|| inside.split(',').map(str::trim).collect())
}

/// One array after the other.
fn concatenated(parts: &[&str]) -> Option<String> {
    let argument = |t: &str| if t.contains(' ') { format!("({t})") } else { t.to_owned() };
    let (last, init) = parts.split_last()?;
    Some(init.iter().rev().fold(argument(last), |rest, part| {
        let rest = if rest.starts_with("concat ") { format!("({rest})") } else { rest };
        format!("concat {} {rest}", argument(part))
    }))
}

/// The names in `(x, y)`.
fn two_names(text: &str) -> Option<(&str, &str)> {
    let (x, y) = text.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    let is_name =
        |w: &str| w.starts_with(char::is_alphabetic) && w.chars().all(|c| c.is_alphanumeric() || c == '_');
    let (x, y) = (x.trim(), y.trim());
    (is_name(x) && is_name(y)).then_some((x, y))
}

fn rigid(t: &Type) -> Option<Name> {
    if let TypeKind::Var(TypeVar::Named(name)) = t.kind() { Some(name.clone()) } else { None }
}
