//! The sizes at which what a rule compares of its sizes is equal: `n == 3*m + 17`, `n * m == 391`.
//!
//! There are few sizes: those of up to three variables whose product is small are tried one after the other. What is
//! linear in one of them or grows with it is solved for larger ones as well, one comparison after the other until all are true:
//! `n == m and m == k and k > 9`. Sizes that the rule's conditions rule out are none.

use super::border::truth;
use super::mentioned::value_of_side;
use super::solve::compared;
use crate::lang::eval::Sizes;
use crate::lang::nat::{Nat, NatVar};
use crate::lang::value::Value;
use crate::rule::Equation;
use crate::rule::condition::Condition;
use crate::rule::pat::{Pat, PatNode};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

/// Sizes that are tried have no larger product: of one, of two and of three variables.
const PRODUCTS: [i64; 3] = [20_000, 3000, 400];

/// No size that is solved for is larger.
const LARGEST: i64 = 100_000;

/// Nor is the product of all sizes larger: three of 101 are not.
const LARGEST_PRODUCT: i64 = 1 << 20;

/// What is solved for beside large sizes is beside ones like this.
const LARGE: i64 = 1009;

/// So many solutions are kept.
const MOST: usize = 32;

/// So many ways to take values next to them are looked at.
const MOST_AROUND: usize = 3000;

/// So many comparisons are made true one after the other, and from one to the next so many ways are kept.
const LONGEST_CHAIN: usize = 6;
const MOST_CHAINS: usize = 48;

/// Two numbers made of sizes.
struct Border {
    left: Pat,
    right: Pat,
    /// How they compare where the comparison is true; equal if that says nothing.
    truth: Ordering,
}

/// The sizes of the equation, in the order of its variables, at which what it compares of them comes out in every way that was
/// found; where much of it is true at once comes first, then where much is equal. `least`: the least that each size can be.
pub(super) fn solutions(eq: &Equation, least: &[i64]) -> Vec<Vec<i64>> {
    let borders = borders(eq);
    let names: Vec<usize> = (0..eq.nats.len())
        .filter(|i| borders.iter().any(|b| mentions(&b.left, eq, *i) || mentions(&b.right, eq, *i)))
        .collect();
    let Some(last) = names.len().checked_sub(1) else { return vec![] };
    // Of more variables there are too many ways: these are solved for alone.
    let most = PRODUCTS.get(last).copied().unwrap_or(1);
    let search = Search { eq, borders: &borders };
    let mut tried: Vec<Vec<i64>> = vec![];
    all_below(&names, most, &mut vec![1; eq.nats.len()], &mut tried);
    tried.sort_by_key(|sizes| sizes.iter().product::<i64>());
    let few = most.isqrt();
    let with_nothing = nothing(&names, least, tried.iter().take_while(|sizes| product(sizes) <= few));
    // Beside others that are large, the least of several is what it is compared with.
    let large = vec![LARGE; eq.nats.len()];
    let small = || {
        let few = tried.iter().take_while(|sizes| sizes.iter().product::<i64>() <= few);
        few.chain([&large])
    };
    let each = || (0..borders.len()).flat_map(|b| names.iter().map(move |name| (b, *name)));
    let of_border = |sizes: &Vec<i64>, (b, name)| Some((name, search.solved(b, name, sizes)?));
    let solved: Vec<(usize, Vec<i64>)> =
        small().flat_map(|sizes| each().filter_map(|border| of_border(sizes, border))).collect();
    let around = around(&names, &solved);
    let chained = search.chained(&names);
    // The first of those at which the comparisons come out in the same way; and the first that have several of everything, as
    // of a single element no order is seen.
    let mut found: IndexMap<(Vec<Option<Ordering>>, bool), Vec<i64>> = IndexMap::new();
    for sizes in with_nothing
        .iter()
        .cloned()
        .chain(tried)
        .chain(solved.into_iter().map(|(_, sizes)| sizes))
        .chain(around)
        .chain(chained)
    {
        let several = several(&sizes);
        for (sizes, is_several) in [(several, true), (sizes, false)] {
            if product(&sizes) > LARGEST_PRODUCT || are_ruled_out(eq, &|i| sizes.get(i).copied()) {
                continue;
            }
            let orders = (0..borders.len()).map(|b| search.order(b, &sizes)).collect();
            found.entry((orders, is_several)).or_insert(sizes);
        }
    }
    let equal = |orders: &[Option<Ordering>]| orders.iter().filter(|o| **o == Some(Ordering::Equal)).count();
    let holds = |orders: &[Option<Ordering>]| {
        orders.iter().zip(&borders).filter(|(order, border)| **order == Some(border.truth)).count()
    };
    found.sort_by_key(|(orders, _), _| Reverse((holds(orders), equal(orders))));
    let mut out: Vec<Vec<i64>> = vec![];
    for sizes in found.into_values() {
        if !out.contains(&sizes) {
            out.push(sizes);
        }
    }
    out.truncate(MOST);
    out
}

/// Do the conditions of the equation rule out that some of its sizes are these numbers?
pub(super) fn are_ruled_out(eq: &Equation, size: &dyn Fn(usize) -> Option<i64>) -> bool {
    let put = |v: &NatVar| match v {
        NatVar::Meta(i) => size(*i as usize).map(Nat::constant),
        _ => None,
    };
    eq.conditions.iter().any(|c| matches!(c, Condition::Size(c) if c.subst(&put).decide() == Some(false)))
}

/// The same with one of the sizes that may be none, and with all of them.
fn nothing<'a>(names: &[usize], least: &[i64], sizes: impl Iterator<Item = &'a Vec<i64>>) -> Vec<Vec<i64>> {
    let none: Vec<usize> = names.iter().copied().filter(|i| least.get(*i) == Some(&0)).collect();
    let without = |sizes: &Vec<i64>, which: &[usize]| {
        let mut sizes = sizes.clone();
        which.iter().for_each(|i| sizes[*i] = 0);
        sizes
    };
    let ways = |sizes: &'a Vec<i64>| {
        none.chunks(1)
            .chain((none.len() > 1).then_some(&none[..]))
            .map(|which| without(sizes, which))
            .collect::<Vec<_>>()
    };
    sizes.flat_map(ways).collect()
}

fn product(sizes: &[i64]) -> i64 {
    sizes.iter().fold(1i64, |p, v| p.saturating_mul(*v))
}

/// The same with no size that is one.
fn several(sizes: &[i64]) -> Vec<i64> {
    sizes.iter().map(|n| if *n == 1 { 3 } else { *n }).collect()
}

/// All ways to take for each of these variables a value that was solved for, or one next to it: where two comparisons of two sizes
/// are true, neither needs to be an equation.
fn around(names: &[usize], solved: &[(usize, Vec<i64>)]) -> Vec<Vec<i64>> {
    let Some((_, first)) = solved.first() else { return vec![] };
    let mut out = vec![vec![1; first.len()]];
    for name in names {
        let of_name = solved.iter().filter(|(solved, _)| solved == name).map(|(_, sizes)| sizes[*name]);
        let mut values: BTreeSet<i64> = of_name.flat_map(|v| [v - 1, v, v + 1]).filter(|v| *v > 0).collect();
        values.insert(1);
        let with = |sizes: &Vec<i64>, value: i64| {
            let mut sizes = sizes.clone();
            sizes[*name] = value;
            sizes
        };
        out = out
            .iter()
            .flat_map(|sizes| values.iter().map(move |v| with(sizes, *v)))
            .take(MOST_AROUND)
            .collect();
    }
    out
}

/// All values of these variables whose product is not larger.
fn all_below(names: &[usize], most: i64, sizes: &mut Vec<i64>, out: &mut Vec<Vec<i64>>) {
    let Some((name, rest)) = names.split_first() else {
        out.push(sizes.clone());
        return;
    };
    for value in 1..=most {
        sizes[*name] = value;
        all_below(rest, most / value, sizes, out);
    }
    sizes[*name] = 1;
}

/// What is compared on both sides and has sizes and no other variables.
fn borders(eq: &Equation) -> Vec<Border> {
    let mut found: Vec<Border> = vec![];
    for node in [&eq.sides.lhs, &eq.sides.rhs].into_iter().flat_map(Pat::nodes) {
        let PatNode::App(f, right) = &node.node else { continue };
        let PatNode::App(op, left) = &f.node else { continue };
        let PatNode::Prim(p, _) = &op.node else { continue };
        if !p.is_comparison() {
            continue;
        }
        let border = Border { left: named(left, eq), right: named(right, eq), truth: truth(*p) };
        let any: Sizes = eq.nats.iter().map(|name| (name.clone(), 1)).collect();
        let is_number = |side: &Pat| value_of_side(side, &any).is_some();
        let is_new = !found.iter().any(|b| b.left == border.left && b.right == border.right);
        if is_new && is_number(&border.left) && is_number(&border.right) {
            found.push(border);
        }
    }
    found
}

/// The same with the rule's sizes by name.
fn named(p: &Pat, eq: &Equation) -> Pat {
    let node = match &p.node {
        PatNode::Lit(l) => PatNode::Lit(l.map_sizes(&|n| eq.readable_size(n))),
        PatNode::App(f, x) => PatNode::App(Box::new(named(f, eq)), Box::new(named(x, eq))),
        other => other.clone(),
    };
    Pat::new(node, p.ty.clone())
}

fn mentions(p: &Pat, eq: &Equation, name: usize) -> bool {
    p.nodes().into_iter().any(|node| match &node.node {
        PatNode::Lit(l) => l
            .sizes()
            .iter()
            .any(|n| n.vars().iter().any(|v| matches!(v, NatVar::Named(n) if *n == eq.nats[name]))),
        _ => false,
    })
}

struct Search<'a> {
    eq: &'a Equation,
    borders: &'a [Border],
}

impl Search<'_> {
    fn sides(&self, border: usize, sizes: &[i64]) -> Option<(Value, Value)> {
        let sizes: Sizes = self.eq.nats.iter().cloned().zip(sizes.iter().copied()).collect();
        let Border { left, right, .. } = &self.borders[border];
        Some((value_of_side(left, &sizes)?, value_of_side(right, &sizes)?))
    }

    fn order(&self, border: usize, sizes: &[i64]) -> Option<Ordering> {
        let (left, right) = self.sides(border, sizes)?;
        compared(&left, &right)
    }

    fn difference(&self, border: usize, sizes: &[i64]) -> Option<i128> {
        let whole = |v: Value| match v {
            Value::Nat(v) => Some(i128::from(v)),
            Value::Int(v, _) => Some(v),
            _ => None,
        };
        let (left, right) = self.sides(border, sizes)?;
        whole(left)?.checked_sub(whole(right)?)
    }

    /// Sizes that are reached from the smallest by making one comparison true after the other, each by one of the variables.
    fn chained(&self, names: &[usize]) -> Vec<Vec<i64>> {
        let mut now = vec![vec![1; self.eq.nats.len()]];
        let mut all = now.clone();
        for _ in 0..LONGEST_CHAIN {
            let missing = |sizes: &[i64], b: &usize| !self.is_true(*b, sizes);
            let mut next: Vec<Vec<i64>> = vec![];
            for sizes in &now {
                for b in (0..self.borders.len()).filter(|b| missing(sizes, b)) {
                    next.extend(names.iter().filter_map(|name| self.made_true(b, *name, sizes)));
                }
            }
            let mut seen: FxHashSet<Vec<i64>> = all.iter().cloned().collect();
            next.retain(|sizes| product(sizes) <= LARGEST_PRODUCT && seen.insert(sizes.clone()));
            // Where most is true already, the least is missing; and small sizes are tested in a moment.
            let missing = |sizes: &[i64]| (0..self.borders.len()).filter(|b| missing(sizes, b)).count();
            next.sort_by_cached_key(|sizes| (missing(sizes), product(sizes)));
            next.truncate(MOST_CHAINS);
            all.extend(next.iter().cloned());
            now = next;
        }
        all
    }

    fn is_true(&self, border: usize, sizes: &[i64]) -> bool {
        self.order(border, sizes) == Some(self.borders[border].truth)
    }

    /// The same sizes but for one, at which the comparison is true: where both sides are equal, or next to it.
    fn made_true(&self, border: usize, name: usize, sizes: &[i64]) -> Option<Vec<i64>> {
        let solved = self.solved(border, name, sizes)?;
        let next_to = [0, 1, -1].map(|by| {
            let mut sizes = solved.clone();
            sizes[name] += by;
            sizes
        });
        next_to.into_iter().find(|sizes| sizes[name] > 0 && self.is_true(border, sizes))
    }

    /// The same sizes but for one, at which the border is equal, if it is linear in it or passes through zero once.
    fn solved(&self, border: usize, name: usize, sizes: &[i64]) -> Option<Vec<i64>> {
        let with = |value: i64| {
            let mut sizes = sizes.to_vec();
            sizes[name] = value;
            sizes
        };
        let difference = |value: i64| self.difference(border, &with(value));
        let is_equal = |value: &i64| self.order(border, &with(*value)) == Some(Ordering::Equal);
        let value = linear(&difference).filter(is_equal).or_else(|| between(&difference).filter(is_equal))?;
        Some(with(value))
    }
}

/// Where a difference that is linear is nothing.
fn linear(difference: &dyn Fn(i64) -> Option<i128>) -> Option<i64> {
    let (one, two) = (difference(1)?, difference(2)?);
    let by = one.checked_sub(two).filter(|by| *by != 0 && one % by == 0)?;
    i64::try_from(1 + one / by).ok().filter(|v| (1..=LARGEST).contains(v))
}

/// The first number at which a difference that grows or shrinks has no more the sign that it begins with: a quotient or a square
/// that reaches what it is compared with.
fn between(difference: &dyn Fn(i64) -> Option<i128>) -> Option<i64> {
    let begins = difference(1)?.signum();
    let is_before = |value: i64| difference(value).is_some_and(|d| d.signum() == begins);
    let (mut before, mut behind) = (1, 2);
    while is_before(behind) {
        (before, behind) = (behind, 2 * behind);
        if behind > LARGEST {
            return None;
        }
    }
    while behind - before > 1 {
        let middle = before + (behind - before) / 2;
        if is_before(middle) {
            before = middle;
        } else {
            behind = middle;
        }
    }
    Some(behind)
}
