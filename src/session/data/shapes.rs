//! The sizes that follow from the shapes of arrays: one by one, where one shape tells one size, else from several together.

use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Atom, Name, Nat, NatVar, Solution, reduced, roots, solve};
use crate::session::action::Sizes;
use indexmap::IndexMap;

/// Where a size comes from that the user named.
const GIVEN: &str = "was given";

const OTHER_SHAPE: &str = "Give an input of another shape.";

/// So many values are tried to find out whether several fit.
const TRIED: u32 = 10_000;

/// Values of sizes, and where each comes from.
type Known = IndexMap<Name, (i64, String)>;

/// Values of sizes that fit.
type Fitting = Vec<(Name, i64)>;

/// What a shape says: a size of the program's types, and a number.
pub struct Equation {
    pub size: Nat,
    pub is: usize,
    /// Where it stands, as the beginning of a sentence.
    pub place: String,
    /// The type that it stands in.
    pub ty: String,
}

/// The values of these sizes. `fixed` are those that the user named; `others` are taken for sizes that no shape determines.
///
/// # Errors
/// `E0914` for shapes that do not fit, `E0151` for a size that nothing determines.
pub fn sizes(names: &[Name], all: &[Equation], fixed: &Sizes, others: &Sizes) -> Result<Sizes, Diagnostic> {
    let mut known = Known::new();
    for (name, value) in fixed {
        known.insert(name.clone(), (*value, GIVEN.to_owned()));
    }
    loop {
        if let Some((name, value, from)) = by_one(all, &known)? {
            known.insert(name, (value, format!("follows from {}", lower_first(&from.place))));
            continue;
        }
        let Some(open) = names.iter().find(|n| !known.contains_key(*n)) else { break };
        if let Some((name, value)) = together(all, &known)? {
            known.insert(name, (value, "follows from the shapes together".to_owned()));
            continue;
        }
        // What no shape determines is as the program's own sizes say.
        let Some(value) = others.get(open) else { return Err(open_size(open, all, &known)) };
        known.insert(open.clone(), (*value, "is the one that the program comes with".to_owned()));
    }
    for equation in all {
        let is = equation.size.eval(&|n| known.get(n).map(|(v, _)| *v)).ok();
        if is.and_then(|n| usize::try_from(n).ok()) != Some(equation.is) {
            return Err(mismatch(equation, is, &known));
        }
    }
    let in_order = names.iter().filter_map(|n| known.get(n).map(|(v, _)| (n.clone(), *v)));
    Ok(in_order.collect())
}

/// A size that follows from one shape.
fn by_one<'a>(all: &'a [Equation], known: &Known) -> Result<Option<(Name, i64, &'a Equation)>, Diagnostic> {
    // Without an unknown the sizes are compared when all of them are known.
    for equation in all.iter().filter(|e| e.has_unknown(known)) {
        match values_of(&equation.sum(known)).as_deref() {
            Some([(name, value)]) => return Ok(Some((name.clone(), *value, equation))),
            Some([]) => return Err(no_size(equation, known)),
            _ => {}
        }
    }
    Ok(None)
}

/// What the only unknown of a sum may be where the sum is zero, or one that follows whatever the others are: nothing at all where
/// nothing fits. None where that cannot be told.
fn values_of(sum: &Nat) -> Option<Fitting> {
    let (unknown, values) = match solve(sum, &Nat::constant(0), &|_| true) {
        Solution::Bind(v, n) if n.vars().is_empty() => (v, Vec::from_iter(n.as_constant())),
        Solution::Contradiction => return Some(vec![]),
        _ => roots(sum)?,
    };
    let NatVar::Named(name) = unknown else { return None };
    Some(values.into_iter().filter(|value| *value >= 1).map(|value| (name.clone(), value)).collect())
}

/// A size that follows from all shapes together: from equations that are made of theirs, or because nothing else fits.
fn together(all: &[Equation], known: &Known) -> Result<Option<(Name, i64)>, Diagnostic> {
    let open: Vec<&Equation> = all.iter().filter(|e| e.has_unknown(known)).collect();
    match Together::of(&open, known) {
        Together::Follows(name, value) => Ok(Some((name, value))),
        Together::NothingFits => Err(nothing_fits(open, known)),
        Together::Open(_) => Ok(None),
    }
}

enum Together {
    Follows(Name, i64),
    NothingFits,
    /// Several ways to fill in what is open, as far as that is known.
    Open(Vec<Fitting>),
}

impl Together {
    fn of(open: &[&Equation], known: &Known) -> Together {
        let sides: Vec<(Nat, Nat)> = open.iter().map(|e| (e.sum(known), Nat::constant(0))).collect();
        let sums = reduced(&sides, &|_| true);
        for values in sums.iter().filter_map(values_of) {
            match values.as_slice() {
                [] => return Together::NothingFits,
                [(name, value)] => return Together::Follows(name.clone(), *value),
                _ => {}
            }
        }
        let sums = sides.into_iter().map(|(sum, _)| sum).collect();
        let mut search = Search { left: TRIED, found: vec![] };
        let is_whole = search.fill(sums, &mut vec![]);
        match (is_whole, search.found.as_slice()) {
            (true, []) if !open.is_empty() => Together::NothingFits,
            (true, [only]) if let Some((name, value)) = only.first() => {
                Together::Follows(name.clone(), *value)
            }
            _ => Together::Open(search.found),
        }
    }
}

/// Looks for two ways to make all sums zero.
struct Search {
    left: u32,
    found: Vec<Fitting>,
}

impl Search {
    /// Fills in what is open in the sums; false where it did not get to the end.
    fn fill(&mut self, sums: Vec<Nat>, so_far: &mut Fitting) -> bool {
        let (open, closed): (Vec<Nat>, Vec<Nat>) = sums.into_iter().partition(|s| !s.vars().is_empty());
        if closed.iter().any(|s| !s.is_zero()) {
            return true;
        }
        let Some(next) = open.iter().min_by_key(|s| s.vars().len()) else {
            self.found.push(so_far.clone());
            return self.found.len() < 2;
        };
        if let Some(values) = values_of(next) {
            return values.iter().all(|(name, value)| self.with(name, *value, &open, so_far));
        }
        let Some(NatVar::Named(name)) = next.vars().into_iter().next() else { return false };
        // What grows with every size is too large for all that follow.
        let is_too_large =
            |value: i64| open.iter().any(|s| grows(s) && is_positive(&s.subst(&with(&name, value))));
        let values = (1..).take_while(|value| !is_too_large(*value));
        let mut values = values.map(|value| self.with(&name, value, &open, so_far));
        values.all(|goes_on| goes_on)
    }

    fn with(&mut self, name: &Name, value: i64, open: &[Nat], so_far: &mut Fitting) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        so_far.push((name.clone(), value));
        let done = self.fill(open.iter().map(|s| s.subst(&with(name, value))).collect(), so_far);
        so_far.pop();
        done
    }
}

fn with(name: &Name, value: i64) -> impl Fn(&NatVar) -> Option<Nat> {
    let of = NatVar::Named(name.clone());
    move |v| (*v == of).then(|| Nat::constant(value))
}

/// Does a sum grow with each of its sizes?
fn grows(sum: &Nat) -> bool {
    sum.terms().iter().all(|(m, c)| {
        m.is_empty() || (c.numer() > &0 && m.iter().all(|(a, e)| matches!(a, Atom::Var(_)) && *e > 0))
    })
}

/// Is a sum more than zero where all of its sizes are 1?
fn is_positive(sum: &Nat) -> bool {
    let least = sum.subst(&|_| Some(Nat::constant(1)));
    least.terms().first().is_some_and(|(_, value)| value.numer() > &0)
}

impl Equation {
    /// A full sentence.
    fn says(&self) -> String {
        let Equation { size, is, place, ty } = self;
        format!("{place} is {is}, and its type `{ty}` asks for {size}.")
    }

    fn has_unknown(&self, known: &Known) -> bool {
        self.size.vars().iter().any(|v| matches!(v, NatVar::Named(name) if !known.contains_key(name)))
    }

    /// What is zero where the shape fits, with what is known.
    fn sum(&self, known: &Known) -> Nat {
        let value = |v: &NatVar| match v {
            NatVar::Named(name) => known.get(name).map(|(v, _)| Nat::constant(*v)),
            NatVar::Meta(_) | NatVar::Worker(_) => None,
        };
        self.size.subst(&value).sub(&Nat::constant(i64::try_from(self.is).unwrap_or(i64::MAX)))
    }
}

/// A size that no shape determines.
fn open_size(open: &Name, all: &[Equation], known: &Known) -> Diagnostic {
    let told: Vec<&Equation> = all.iter().filter(|e| e.has_unknown(known)).collect();
    let is_told = told.iter().any(|e| e.size.vars().contains(&NatVar::Named(open.clone())));
    if !is_told {
        return Diagnostic::error("E0151", format!("The size `{open}` follows from none of the inputs."))
            .hint(format!("Give it, as in `--size {open}=1024`."));
    }
    let fitting = match Together::of(&told, known) {
        Together::Open(fitting) => fitting,
        _ => vec![],
    };
    let text =
        |fitting: &Fitting| fitting.iter().map(|(n, v)| format!("{n} = {v}")).collect::<Vec<_>>().join(", ");
    let value =
        fitting.first().and_then(|f| f.iter().find(|(name, _)| name == open)).map_or(1024, |(_, v)| *v);
    let message = format!("The shapes of the inputs leave the size `{open}` open.");
    let problem = told.iter().fold(Diagnostic::error("E0151", message), |problem, e| problem.note(e.says()));
    match fitting.as_slice() {
        [one, other] => {
            problem.note(format!("Several sizes fit, such as {} and {}.", text(one), text(other)))
        }
        _ => problem,
    }
    .hint(format!("Give it, as in `--size {open}={value}`."))
}

/// Nothing fits these shapes together; of those that can be left out none is told.
fn nothing_fits(mut open: Vec<&Equation>, known: &Known) -> Diagnostic {
    let mut at = 0;
    while at < open.len() {
        let left_out = open.remove(at);
        if !matches!(Together::of(&open, known), Together::NothingFits) {
            open.insert(at, left_out);
            at += 1;
        }
    }
    if let [only] = open.as_slice() {
        return no_size(only, known);
    }
    let problem = Diagnostic::error("E0914", "No sizes fit the shapes of the inputs.");
    let problem = open.iter().fold(problem, |problem, e| whence(problem.note(e.says()), &e.size, known));
    problem.hint(OTHER_SHAPE)
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| c.to_lowercase().chain(chars).collect())
}

/// No size makes it so.
fn no_size(equation: &Equation, known: &Known) -> Diagnostic {
    let problem = Diagnostic::error("E0914", equation.says());
    whence(problem, &equation.size, known)
        .note("No size makes it so: a size is a whole number, and at least 1.")
        .hint(way_out(equation, known, OTHER_SHAPE))
}

/// Says where the sizes in a type come from.
fn whence(mut problem: Diagnostic, size: &Nat, known: &Known) -> Diagnostic {
    for v in size.vars() {
        if let NatVar::Named(name) = v
            && let Some((value, why)) = known.get(&name)
        {
            problem = problem.note(format!("`{name}` = {value} {why}."));
        }
    }
    problem
}

/// What to do about a shape: where the user named a size in it, that may be what is wrong.
fn way_out(equation: &Equation, known: &Known, otherwise: &'static str) -> &'static str {
    let given =
        |v: &NatVar| matches!(v, NatVar::Named(n) if known.get(n).is_some_and(|(_, why)| *why == GIVEN));
    match equation.size.vars().iter().any(given) {
        true => "Leave `--size` out where a size follows from the inputs, or give inputs of that shape.",
        false => otherwise,
    }
}

fn mismatch(equation: &Equation, wanted: Option<i64>, known: &Known) -> Diagnostic {
    let Equation { size, is, place, ty } = equation;
    let wanted = wanted.map_or("no whole number".to_owned(), |n| n.to_string());
    let asks = if size.vars().is_empty() { wanted } else { format!("{size}, which is {wanted}") };
    let problem =
        Diagnostic::error("E0914", format!("{place} is {is}, and its type `{ty}` asks for {asks}."));
    let hint = way_out(equation, known, "Give inputs whose shapes agree, or turn one round in the program.");
    whence(problem, size, known).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shapes as text of sizes, with the numbers of cells.
    fn of(shapes: &[(Nat, usize)], others: &[(&str, i64)]) -> Result<Sizes, Diagnostic> {
        let names: Vec<Name> = ["n", "m", "k"].into_iter().map(Name::from).collect();
        let mentioned: Vec<Name> = names
            .into_iter()
            .filter(|n| shapes.iter().any(|(size, _)| size.vars().contains(&NatVar::Named(n.clone()))))
            .collect();
        let equation = |(i, (size, is)): (usize, &(Nat, usize))| {
            let place = format!("The length of `{}`", ["a", "b", "c"][i]);
            Equation { size: size.clone(), is: *is, place, ty: format!("({size}).f32") }
        };
        let all: Vec<Equation> = shapes.iter().enumerate().map(equation).collect();
        let others = others.iter().map(|(name, value)| (Name::from(*name), *value)).collect();
        sizes(&mentioned, &all, &Sizes::new(), &others)
    }

    #[test]
    fn sizes_in_products_and_sums_follow_from_shapes_together() {
        let [n, m, k] = ["n", "m", "k"].map(Nat::var);
        let c = Nat::constant;
        let found = |shapes: &[(Nat, usize)]| {
            let found = of(shapes, &[]).unwrap_or_else(|p| panic!("{shapes:?}: {p}"));
            found.values().copied().collect::<Vec<_>>()
        };
        assert_eq!(found(&[(n.mul(&n), 9)]), [3]);
        assert_eq!(found(&[(n.mul(&n).add(&n), 1_000_001_000_000)]), [1_000_000]);
        let lines = |a, b| [(c(3).mul(&n).add(&m), a), (n.add(&c(2).mul(&m)), b)];
        assert_eq!(found(&lines(7, 9)), [1, 4]);
        assert_eq!(found(&lines(4_000_000_000, 3_000_000_000)), [1_000_000_000, 1_000_000_000]);
        // A product of which one factor follows from a sum with it, and three at once.
        assert_eq!(found(&[(n.mul(&m).add(&n), 15), (n.mul(&m), 12)]), [3, 4]);
        assert_eq!(found(&[(n.add(&m), 5), (m.add(&k), 7), (n.add(&k), 6)]), [2, 3, 4]);
        // Sizes are at least 1, and the sum and the product of two that are equal have one way to be.
        assert_eq!(found(&[(n.add(&m), 2)]), [1, 1]);
        assert_eq!(found(&[(n.add(&m), 6), (n.mul(&m), 9)]), [3, 3]);
    }

    #[test]
    fn shapes_that_fit_no_sizes_are_named() {
        let [n, m] = ["n", "m"].map(Nat::var);
        let c = Nat::constant;
        let problem = |shapes: &[(Nat, usize)]| of(shapes, &[]).unwrap_err();
        let alone = problem(&[(n.mul(&n), 8)]);
        assert_eq!(
            (alone.code, &*alone.message),
            ("E0914", "The length of `a` is 8, and its type `(n*n).f32` asks for n*n.")
        );
        let pair = [(c(3).mul(&n).add(&m), 7), (n.add(&c(2).mul(&m)), 8)];
        let both = problem(&pair);
        assert_eq!((both.code, &*both.message), ("E0914", "No sizes fit the shapes of the inputs."));
        assert!(both.notes[0].contains("`a` is 7") && both.notes[1].contains("`b` is 8"), "{:?}", both.notes);
        // One that fits in any case is not named.
        let [first, second] = pair;
        let three = problem(&[first, (n.add(&m), 5), second]);
        assert_eq!(three.notes.len(), 2, "{:?}", three.notes);
    }

    #[test]
    fn where_several_sizes_fit_they_are_told() {
        let [n, m] = ["n", "m"].map(Nat::var);
        let product = [(n.mul(&m), 12)];
        let problem = of(&product, &[]).unwrap_err();
        assert_eq!(
            (problem.code, &*problem.message),
            ("E0151", "The shapes of the inputs leave the size `n` open.")
        );
        assert!(
            problem.notes.join(" ").contains("such as m = 1, n = 12 and m = 2, n = 6."),
            "{:?}",
            problem.notes
        );
        // What the program comes with decides, and the rest follows.
        assert_eq!(of(&product, &[("n", 3)]).unwrap().values().copied().collect::<Vec<_>>(), [3, 4]);
        let unread = of(&[(n.floor_div(&Nat::constant(4)), 2)], &[]).unwrap_err();
        assert!(
            unread.code == "E0151" && unread.notes.join(" ").contains("n = 8 and n = 9"),
            "{:?}",
            unread.notes
        );
    }
}
