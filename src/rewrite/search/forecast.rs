//! What can be said of a search before it runs: that the patterns or sizes that its sketch asks for cannot be made of those
//! that there are, or hardly so.

use super::unmade::unmade;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::term::Term;
use crate::rule::pat::{Pat, PatArg, PatNode};
use crate::rule::{ParamKind, RuleArg, RuleSet, RuleUse};
use crate::sketch::holes::{holes_in, sizes_in};
use crate::sketch::{Shape, Sketch};
use indexmap::IndexSet;
use std::collections::BTreeSet;

/// What is said of a search before it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forecast {
    pub text: String,
    /// Whether no limit changes it: the sketch is satisfied by nothing that these rules make.
    pub never: bool,
}

/// That the sketch asks for patterns or sizes which these rules never make of the program's, or that it names numbers
/// which neither have, nor are a product of such, or a quotient of two: a tile of 64 where loops are split by 32.
/// None where neither is so.
pub fn unmet(sketch: &Sketch, start: &Term, rules: &[RuleUse], library: &RuleSet) -> Option<Forecast> {
    let told = |text, never| Some(Forecast { text, never });
    if let Some(text) = unmade(sketch, start, rules, library) {
        return told(text, true);
    }
    let mut said: BTreeSet<i64> = BTreeSet::new();
    sizes_in(start).iter().for_each(|n| numbers(n, &mut said));
    for rule in rules {
        for arg in &rule.args {
            if let RuleArg::Nat(n) = arg {
                numbers(n, &mut said);
            }
        }
        // What a rule says itself is among what it makes sizes of.
        let mut own = vec![];
        for side in rule.rule.equation(&rule.args).iter().flat_map(|eq| [&eq.sides.lhs, &eq.sides.rhs]) {
            sizes_of(side, &mut own);
        }
        own.iter().for_each(|n| numbers(n, &mut said));
    }
    let had = match listed(said.iter().map(ToString::to_string)) {
        text if text.is_empty() => "no numbers".to_owned(),
        text => text,
    };
    let numbers_had = |what_of_them: &str, what_of_none: &str| match said.is_empty() {
        true => format!("neither the program nor the rules have any number, so {what_of_none}"),
        false => format!("the program and the rules have {had}, {what_of_them}"),
    };
    let never = unreachable(sketch, start, rules);
    if !never.is_empty() {
        let sizes = listed(never.iter().map(|n| format!("`{n}`")));
        let them = if never.len() == 1 { "it" } else { "them" };
        let within = within_sizes(start, &never);
        let had =
            numbers_had(&format!("which never make {them}{within}"), &format!("they never make {them}"));
        let text = format!(
            "The sketch asks for {sizes}. These rules only multiply and divide the sizes of the program by their own; {had}."
        );
        return told(text, true);
    }
    let never = never_divided(sketch, start, rules);
    if !never.is_empty() {
        let sizes = listed(never.iter().map(|n| format!("`{n}`")));
        let had = numbers_had("of which no quotient is that", "no quotient of theirs is that");
        let text = format!(
            "The sketch asks for {sizes}. These rules make sizes by dividing alone, those of the program and their own by \
             their own; {had}."
        );
        return told(text, true);
    }
    if let Some(hole) = never_filled(sketch, start, rules) {
        let text = format!(
            "These rules make sizes by dividing alone, and none that they make of those of the program and their own ({had}) is \
             known to meet what the sketch says of `{hole}`."
        );
        return told(text, true);
    }
    let mut known = said;
    for rule in rules {
        let words = rule.rule.text.split(|c: char| !c.is_ascii_digit());
        known.extend(words.filter_map(|w| w.parse::<i64>().ok()).filter(|n| *n > 1));
    }
    let mut asked = BTreeSet::new();
    required(sketch).each_size(&mut |n| numbers(n, &mut asked));
    if rules.iter().any(adds) {
        return None;
    }
    let quotient = |n: i64, a: &i64| n.checked_mul(*a).is_some_and(|all| known.contains(&all));
    let made = |n: i64| is_product(n, &known) || known.iter().any(|a| quotient(n, a));
    let unmet: Vec<i64> = asked.into_iter().filter(|n| !made(*n)).collect();
    if unmet.is_empty() {
        return None;
    }
    let unmet = listed(unmet.iter().map(ToString::to_string));
    let text = format!(
        "The sketch asks for sizes with {unmet}, and the program and the rules have {had}: this is hardly ever met."
    );
    told(text, false)
}

/// That numbers of the program are there only as factors of sizes with variables, where they could make what is asked for if they stood alone.
fn within_sizes(start: &Term, asked: &[Nat]) -> String {
    let sizes = sizes_in(start);
    let alone: BTreeSet<i64> = sizes.iter().filter_map(Nat::as_constant).collect();
    let within = sizes.iter().filter(|n| n.as_constant().is_none()).filter(|n| {
        let mut own = BTreeSet::new();
        numbers(n, &mut own);
        own.difference(&alone).next().is_some()
    });
    let within: Vec<String> = within.map(|n| format!("`{n}`")).collect();
    match asked.iter().any(|n| n.as_constant().is_some()) && !within.is_empty() {
        true => format!(": the numbers in {} do not stand alone", listed(within.into_iter())),
        false => String::new(),
    }
}

/// Are all sizes that a rule says products of numbers and variables?
pub(crate) fn says_products(rule: &RuleUse) -> bool {
    let mut sizes = vec![];
    let mut sides = rule.rule.equation(&rule.args).into_iter().flat_map(|eq| [&eq.sides.lhs, &eq.sides.rhs]);
    sides.all(|side| sizes_of(side, &mut sizes)) && sizes.iter().all(|n| n.as_product().is_some())
}

/// Does a rule make sizes by adding others, as windows of windows have them?
fn adds(rule: &RuleUse) -> bool {
    let mut sizes = vec![];
    for side in rule.rule.equation(&rule.args).iter().flat_map(|eq| [&eq.sides.lhs, &eq.sides.rhs]) {
        sizes_of(side, &mut sizes);
    }
    sizes.iter().any(|n| n.terms().len() > 1)
}

/// Is it one of these numbers, or a product of some of them, each as often as it takes?
fn is_product(n: i64, of: &BTreeSet<i64>) -> bool {
    of.contains(&n) || of.iter().any(|a| *a > 1 && n % a == 0 && is_product(n / a, of))
}

/// That what is rewritten has another type than the sketch: rules change none.
pub fn other_type(sketch: &Sketch, start: &Term) -> Option<String> {
    let (asked, has) = sketch.other_type_than(start.ty())?;
    Some(format!(
        "Nothing is like the sketch that rules make of this: it has type `{has}`, and the sketch `{asked}`."
    ))
}

/// The sketch without what a program need not have to satisfy it.
pub(crate) fn required(sketch: &Sketch) -> Sketch {
    let all = |s: &[Sketch]| s.iter().map(required).collect();
    Sketch::new(match sketch.shape() {
        Shape::Or(_) | Shape::Not(_) | Shape::Sizes(_) => Shape::Any,
        Shape::Contains(s) => Shape::Contains(required(s)),
        Shape::Lam(s) => Shape::Lam(required(s)),
        Shape::App(f, e) => Shape::App(required(f), required(e)),
        Shape::And(s) => Shape::And(all(s)),
        Shape::Typed(s, t) => Shape::Typed(required(s), t.clone()),
        Shape::Named(label, s) => Shape::Named(label.clone(), required(s)),
        Shape::Any | Shape::Var(_) | Shape::Pattern(..) | Shape::Number(_) => return sketch.clone(),
    })
}

/// The sizes that a sketch asks for and that no program has which these rules make of this one. It is known where all
/// sizes are products of numbers and variables, of the program and of the rules alike: then whatever a rule makes, by
/// matching a product and dividing by its other factors, is a product of powers of what there was.
fn unreachable(sketch: &Sketch, start: &Term, rules: &[RuleUse]) -> Vec<Nat> {
    let mut given: IndexSet<Nat> = sizes_in(start);
    for rule in rules {
        let params: Vec<_> = rule.rule.params.iter().zip(&rule.args).collect();
        let Some(equation) = rule.rule.equation(&rule.args) else { return vec![] };
        let own = |v: &NatVar| match v {
            NatVar::Named(name) => params.iter().find_map(|(p, arg)| match (&p.kind, arg) {
                (ParamKind::Nat(_), RuleArg::Nat(n)) if p.name == *name => Some(n.clone()),
                _ => None,
            }),
            // What a rule matches is one of the sizes that there are.
            NatVar::Meta(_) => Some(Nat::constant(1)),
            NatVar::Worker(_) => None,
        };
        let sides = [&equation.sides.lhs, &equation.sides.rhs];
        let mut sizes = vec![];
        if !sides.into_iter().all(|side| sizes_of(side, &mut sizes)) {
            return vec![];
        }
        // Products stay products whatever their variables are.
        if sizes.iter().any(|n| n.as_product().is_none()) {
            return vec![];
        }
        given.extend(sizes.iter().map(|n| n.subst(&own)));
        given.extend(
            rule.args.iter().filter_map(|a| if let RuleArg::Nat(n) = a { Some(n.clone()) } else { None }),
        );
    }
    let mut asked: IndexSet<Nat> = IndexSet::new();
    required(sketch).each_size(&mut |n| {
        if holes_in(n).is_empty() {
            asked.insert(n.clone());
        }
    });
    let Some(mut products) = Products::of(given.iter().chain(&asked)) else { return vec![] };
    if !given.iter().all(|n| products.insert(n)) {
        return vec![];
    }
    asked.into_iter().filter(|n| !products.have(n)).collect()
}

/// The sizes that a sketch asks for and that are no quotients of those that there are by arguments of rules.
fn never_divided(sketch: &Sketch, start: &Term, rules: &[RuleUse]) -> Vec<Nat> {
    let Some(Quotients { given, divisors }) = Quotients::of(start, rules) else { return vec![] };
    let mut asked: IndexSet<Nat> = IndexSet::new();
    required(sketch).each_size(&mut |n| {
        if holes_in(n).is_empty() {
            asked.insert(n.clone());
        }
    });
    let made = |n: &Nat| given.iter().any(|from| is_quotient(from, n, &divisors));
    asked.into_iter().filter(|n| !made(n)).collect()
}

/// A hole that stands for a size by itself, where what is said of it is true of no size that these rules make.
fn never_filled(sketch: &Sketch, start: &Term, rules: &[RuleUse]) -> Option<Name> {
    let bounded: Vec<Name> = sketch.holes().into_iter().filter(|h| sketch.bounds(h).is_some()).collect();
    if bounded.is_empty() {
        return None;
    }
    let Quotients { given, divisors } = Quotients::of(start, rules)?;
    let mut alone = IndexSet::new();
    required(sketch).each_size(&mut |n| {
        alone.insert(n.clone());
    });
    let numbers: BTreeSet<i64> = given.iter().filter_map(Nat::as_constant).collect();
    bounded.into_iter().filter(|hole| alone.contains(&Nat::var(hole))).find(|hole| {
        let Some((low, high)) = sketch.bounds(hole) else { return false };
        // A size with a variable is as large as one likes, and is at least its number.
        let meets = |n: &Nat| match n.as_product() {
            Some((number, ..)) => high.is_none() && number >= low,
            None => true,
        };
        let mut of_numbers = numbers.iter().flat_map(|from| (1..=*from).map(move |n| (*from, n)));
        let made = |(from, n): (i64, i64)| {
            sketch.allows(hole, n) && is_quotient(&Nat::constant(from), &Nat::constant(n), &divisors)
        };
        let few = numbers.iter().all(|n| *n <= MOST_NUMBERS);
        few && !of_numbers.any(made) && !given.iter().any(|n| n.as_constant().is_none() && meets(n))
    })
}

/// The sizes that rules make which only divide: those that there are, by products of divisors.
struct Quotients {
    given: IndexSet<Nat>,
    divisors: IndexSet<Nat>,
}

impl Quotients {
    /// It is known where the right side of each rule has no sizes but those of its left side, its arguments, and what of a
    /// size of its left side is left when it is divided by arguments.
    fn of(start: &Term, rules: &[RuleUse]) -> Option<Quotients> {
        let mut given: IndexSet<Nat> = sizes_in(start);
        let mut divisors: IndexSet<Nat> = IndexSet::new();
        for rule in rules {
            let equation = rule.rule.equation(&rule.args)?;
            let own = |v: &NatVar| {
                let NatVar::Meta(i) = v else { return None };
                let mut params = rule.rule.params.iter().zip(&rule.args);
                params.find_map(|(p, arg)| match (&p.kind, arg) {
                    (ParamKind::Nat(at), RuleArg::Nat(n)) if *at == *i as usize => Some(n.clone()),
                    _ => None,
                })
            };
            let (mut left, mut right) = (vec![], vec![]);
            if !sizes_of(&equation.sides.lhs, &mut left) || !sizes_of(&equation.sides.rhs, &mut right) {
                return None;
            }
            let left: Vec<Nat> = left.iter().map(|n| n.subst(&own)).collect();
            for made in right.iter().map(|n| n.subst(&own)).filter(|n| !left.contains(n)) {
                if !made.has_metas() {
                    given.insert(made);
                    continue;
                }
                let divisor =
                    |n: &Nat| Some(n.exact_div(&made)).filter(|d| !d.has_metas() && is_whole_product(d));
                match left.iter().find_map(divisor) {
                    Some(divisor) => divisors.insert(divisor),
                    None => return None,
                };
            }
            let args = rule.args.iter();
            for arg in args {
                match arg {
                    RuleArg::Nat(n) => drop(given.insert(n.clone())),
                    RuleArg::Term(t) => given.extend(sizes_in(t)),
                    _ => {}
                }
            }
        }
        Some(Quotients { given, divisors })
    }
}

/// Is it a product of whole numbers and variables, and not known to be less than one?
fn is_whole_product(n: &Nat) -> bool {
    factors_of(n).is_some_and(|factors| factors.iter().all(|(_, e)| *e > 0))
}

/// Is the second what is left of the first when it is divided by some of these, each as often as one likes? Where that
/// cannot be told, it may be.
fn is_quotient(from: &Nat, to: &Nat, divisors: &IndexSet<Nat>) -> bool {
    if from == to {
        return true;
    }
    let (mut open, mut seen) = (vec![from.exact_div(to)], IndexSet::new());
    while let Some(left) = open.pop() {
        if left.as_constant() == Some(1) {
            return true;
        }
        let Some(factors) = factors_of(&left) else { return true };
        // What is no whole product is no product of divisors, which are.
        if factors.iter().any(|(_, e)| *e < 0) || !seen.insert(left.clone()) {
            continue;
        }
        if seen.len() > MOST_QUOTIENTS {
            return true;
        }
        open.extend(divisors.iter().filter(|d| d.as_constant() != Some(1)).map(|d| left.exact_div(d)));
    }
    false
}

/// The sizes in the types and arguments of a side of a rule. Says whether that is all that there is to know of them.
fn sizes_of(side: &Pat, out: &mut Vec<Nat>) -> bool {
    side.nodes().into_iter().all(|pat| {
        pat.ty.for_each_nat(&mut |n| out.push(n.clone()));
        match &pat.node {
            PatNode::Vectorise(n, _) => out.push(n.clone()),
            PatNode::Prim(_, args) => {
                for arg in args {
                    match arg {
                        PatArg::Nat(n) => out.push(n.clone()),
                        PatArg::Fun(_) => return false,
                        PatArg::Addr(_) | PatArg::Dim(_) | PatArg::Slot(_) => {}
                    }
                }
            }
            _ => {}
        }
        true
    })
}

/// A prime or a variable.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Factor {
    Prime(i64),
    Var(NatVar),
}

/// The products of powers, whole ones of either sign, of some sizes: the exponents of their factors are the sums of rows,
/// which are in echelon form.
struct Products {
    factors: IndexSet<Factor>,
    rows: Vec<Vec<i128>>,
}

impl Products {
    /// None yet, of the factors that these sizes have; none where one is no product.
    fn of<'a>(sizes: impl Iterator<Item = &'a Nat>) -> Option<Products> {
        let mut factors = IndexSet::new();
        for n in sizes {
            factors.extend(factors_of(n)?.into_iter().map(|(f, _)| f));
        }
        let rows = vec![vec![]; factors.len()];
        Some(Products { factors, rows })
    }

    fn exponents(&self, n: &Nat) -> Option<Vec<i128>> {
        let mut row = vec![0; self.factors.len()];
        for (factor, exponent) in factors_of(n)? {
            row[self.factors.get_index_of(&factor)?] += i128::from(exponent);
        }
        Some(row)
    }

    /// Says whether it could be told.
    fn insert(&mut self, n: &Nat) -> bool {
        let Some(mut row) = self.exponents(n) else { return false };
        for at in 0..row.len() {
            if row[at] == 0 {
                continue;
            }
            if self.rows[at].is_empty() {
                self.rows[at] = row;
                return true;
            }
            // Euclid's algorithm, on the two rows.
            while row[at] != 0 {
                let Some(left) = minus(&self.rows[at], self.rows[at][at] / row[at], &row) else {
                    return false;
                };
                self.rows[at] = std::mem::replace(&mut row, left);
            }
        }
        true
    }

    /// Is the size one of them? Where that cannot be told, it may be.
    fn have(&self, n: &Nat) -> bool {
        let Some(mut row) = self.exponents(n) else { return true };
        for at in 0..row.len() {
            if row[at] == 0 {
                continue;
            }
            match self.rows[at].get(at) {
                Some(step) if row[at] % step == 0 => match minus(&row, row[at] / step, &self.rows[at]) {
                    Some(left) => row = left,
                    None => return true,
                },
                _ => return false,
            }
        }
        true
    }
}

fn minus(a: &[i128], times: i128, b: &[i128]) -> Option<Vec<i128>> {
    a.iter().zip(b).map(|(a, b)| a.checked_sub(times.checked_mul(*b)?)).collect()
}

/// Numbers up to here are looked at one by one.
const MOST_NUMBERS: i64 = 4096;
/// So many products of divisors are looked at.
const MOST_QUOTIENTS: usize = 2000;
/// Primes up to here are found by trying.
const MOST_TRIED: i64 = 100_000;

/// What a size is the product of, with exponents; none where it is a sum, or it is not known.
fn factors_of(n: &Nat) -> Option<Vec<(Factor, i32)>> {
    let (number, divisor, vars) = n.as_product()?;
    let mut out: Vec<(Factor, i32)> = vars.into_iter().map(|(v, e)| (Factor::Var(v), e)).collect();
    for (mut left, sign) in [(number, 1), (divisor, -1)] {
        if left <= 0 {
            return None;
        }
        let mut prime = 2;
        while prime * prime <= left && prime <= MOST_TRIED {
            while left % prime == 0 {
                out.push((Factor::Prime(prime), sign));
                left /= prime;
            }
            prime += 1;
        }
        if left > MOST_TRIED * MOST_TRIED {
            return None;
        }
        if left > 1 {
            out.push((Factor::Prime(left), sign));
        }
    }
    Some(out)
}

/// The whole numbers other than one that a size is made of.
fn numbers(n: &Nat, out: &mut BTreeSet<i64>) {
    for (_, c) in n.terms() {
        let parts = [*c.numer(), *c.denom()];
        out.extend(parts.into_iter().filter_map(|n| i64::try_from(n).ok()).map(i64::abs).filter(|n| *n > 1));
    }
}

pub(crate) fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::{FileId, Sources};
    use crate::lang::infer::program;
    use crate::lang::syntax::{parse_program, parse_sketch};
    use crate::search::unmade::unmade_by_all;
    use crate::sketch::{Library, read};

    #[test]
    fn sizes_that_never_come_are_told_apart_from_those_that_hardly_do() {
        let set = RuleSet::builtin(&mut Sources::new()).0;
        let text = "def f (a: n.m.f32) = a |> map (reduce (+) 0)";
        let start = program(&parse_program(FileId::NOWHERE, text).0, None).0.unwrap().term;
        let said = |rules: &[(&str, &[i64])], sketch: &str| {
            let rules: Vec<RuleUse> = rules
                .iter()
                .map(|(name, args)| {
                    let args = args.iter().map(|n| RuleArg::Nat(Nat::constant(*n))).collect();
                    set.use_of(name, args).unwrap()
                })
                .collect();
            let (tree, problems) = parse_sketch(FileId::NOWHERE, sketch);
            assert!(problems.is_empty());
            let goal = read(&tree, &Library::builtin(), &["n".into(), "m".into()]).unwrap();
            unmet(&goal, &start, &rules, &set)
        };
        let split: &[(&str, &[i64])] =
            &[("splitJoin", &[32]), ("useReduceSeq", &[]), ("blockedReduce", &[4])];
        let never = |rules: &[(&str, &[i64])], sketch: &str| said(rules, sketch).is_some_and(|f| f.never);
        // 64 is 4 * 4 * 4, and 8 is 32 / 4; 2 of 32 alone is none, nor is 3 of any of them.
        assert_eq!(said(split, "containsMap(n/32, containsMap(32, ?))"), None);
        assert!(!never(split, "containsMap(n/64, ?)") && !never(split, "contains(map : ? -> 8.? -> ?)"));
        assert!(never(&split[..1], "containsMap(n/64, ?)"));
        assert!(never(split, "containsMap(n/3, ?)") && never(split, "contains(split 48 ?)"));
        assert!(never(split, "containsMap(n, ?) and containsReduceSeq(m/5, ?)"));
        // What need not be met is not asked; what windows and sums make is not known.
        assert_eq!(said(split, "containsMap(n/3, ?) or containsMap(n, ?)"), None);
        assert_eq!(said(split, "containsMap(n, ?) and not contains((map : ? -> 48.? -> ?))"), None);
        assert!(!never(&[("slideBeforeSplit", &[])], "containsMap(n/3, ?)"));
        // Of rules that only divide by their own it is known that no products come; of others that products do, and sums
        // do not.
        assert!(never(&[("splitJoin", &[7])], "containsMap(n*m, ?)"));
        assert!(never(&[("splitJoin", &[7])], "containsMap(49, ?)"));
        assert!(!never(&[("splitJoin", &[7])], "containsMap(n/49, ?)"));
        let all = set.set("splitRules").unwrap().rules.clone();
        let whole = |sketch: &str| {
            let (tree, _) = parse_sketch(FileId::NOWHERE, sketch);
            let goal = read(&tree, &Library::builtin(), &["n".into(), "m".into()]).unwrap();
            unmet(&goal, &start, &all, &set)
        };
        assert_eq!(whole("containsMap(n/32, containsMap(32, containsReduceSeq(m/4, ?)))"), None);
        assert!(whole("containsMap(n/64, containsMap(64, ?))").is_some_and(|f| f.never));
        assert!(never(&[("splitJoin", &[7])], "containsMap(n/14, ?)"));
        // So with patterns that nothing makes; what vectorises a function makes whatever that takes.
        let text =
            |rules: &[(&str, &[i64])], sketch: &str| said(rules, sketch).map(|f| f.text).unwrap_or_default();
        let sketch = "containsMap(n, contains(transpose (mapSeq ?)))";
        assert!(text(split, sketch).contains("asks for `transpose` and `mapSeq`"));
        let has = text(split, sketch);
        assert!(
            has.contains(" The library has `") && has.ends_with("`useMapSeq`, which makes `mapSeq`."),
            "{has}"
        );
        assert!(text(&[("useMapSeq", &[])], sketch).contains("for `transpose`. There is none"));
        assert_eq!(said(&[("useMapSeq", &[]), ("transposePairAfter", &[])], sketch), None);
        assert_eq!(said(split, "contains(mapSeq) or contains(map)"), None);
        // So are numbers and values of scalar types that nothing makes; a rule may make those of what it is given.
        let of_values = "contains((? : i32) + 2.0) and contains(not)";
        assert!(text(split, of_values).contains("asks for values of type `i32`, `2.0` and `not`"));
        assert!(text(split, "contains(0.0 : f64)").contains("for values of type `f64`. There is none"));
        assert!(never(split, "contains(0i32)") && !never(split, "contains(0.0f32 : f32)"));
        let from_neutral: &[(&str, &[i64])] = &[("reduceFromNeutral", &[])];
        assert!(!never(from_neutral, "contains(1)") && never(from_neutral, "contains(2)"));
        // Factors of numbers are made where there are some, in a literal array.
        let of_library = |sketch: &str| {
            let tree = parse_sketch(FileId::NOWHERE, sketch).0;
            let sketch = read(&tree, &Library::builtin(), &["n".into(), "m".into()]).unwrap();
            unmade_by_all(&sketch, &start, &set).unwrap_or_default()
        };
        assert!(
            of_library("contains(? + 2.0)").contains("asks for `2.0`")
                && of_library("contains(1.0)").is_empty()
        );
        // A size as a value is compared by a rule, and computed with by none.
        let by_length: &[(&str, &[i64])] = &[("reduceByLength", &[64])];
        assert!(!never(by_length, "contains(2)") && never(by_length, "contains(? + 2)"));
        assert!(never(&[("slideAfter2", &[])], "contains(2)") && never(split, "contains(2)"));
        assert!(!never(split, "not contains(2) and (contains(3) or ?)"));
        // An index that is known is written with a pattern, too.
        assert_eq!(said(&[("slideAfter2", &[])], "contains(natAsIndex)"), None);
        assert!(text(split, "contains(natAsIndex)").contains("for `natAsIndex`. There is none"));
        // What is said of a hole that is a size by itself is asked of all sizes that rules make which only divide.
        let two: &[(&str, &[i64])] = &[("splitJoin", &[14]), ("splitJoin", &[21])];
        let tile = |condition: &str| format!("containsMap(n/?t, containsMap(?t, ?)) and {condition}");
        assert!(text(two, &tile("?t > 21")).contains("what the sketch says of `?t`"));
        assert!(never(two, &tile("?t > 21")) && never(two, &tile("?t % 4 == 0 and ?t < 20")));
        assert!(!never(two, &tile("?t > 20")) && !never(two, &tile("?t % 7 == 0 and ?t < 20")));
        // Nothing is known of products, of a hole that is not by itself, and where the program has larger numbers.
        assert!(!never(split, &tile("?t > 21")) && !never(two, "containsMap(n/?t, ?) and ?t > 21"));
        assert!(!never(
            &[("vectorizeAfter", &[4]), ("vectorizeBeforeMap", &[])],
            "contains(vectorFromScalar)"
        ));
        // Where there is nothing that is vectorised, it makes nothing; nor is something made of itself.
        assert!(never(&[("vectorizeBeforeMap", &[])], "contains(vectorFromScalar)"));
        assert!(never(&[("gatherWholeVectors", &[4])], "contains(gather)"));
    }
}
