//! Names for parts of indices that are computed again and again.
//!
//! In: the statements of a function. Out: the same, where what a loop does not change stands before the loop, and what
//! takes some work and is needed several times is computed once. These are sums and products of whole numbers, divided
//! by constants alone, so that it does not matter if some are computed that nothing asks for. What stands in a branch
//! stays in it.

use super::names::Namer;
use super::number::Width;
use super::syntax::{Expr, Stmt, What};
use crate::lang::nat::Worker;
use crate::lang::origin::Origin;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// The whole numbers that have a name, and whether each is a `long`.
pub type Widths = BTreeMap<String, bool>;

/// Names the numbers that work-items are told, where they occur more than once, or beside what is taken away or negative:
/// OpenCL tells them without a sign, which a name gives them. `numbers` are these and near what name.
pub fn name_workers(
    body: &mut Vec<Stmt>,
    numbers: &[(Worker, String)],
    width: Width,
    namer: &mut Namer,
) -> Widths {
    let mut widths = Widths::new();
    let mut declared = vec![];
    for (worker, hint) in numbers {
        let is_told = |e: &Expr| matches!(e, Expr::Worker(w) if w == worker);
        let (mut count, mut is_signed) = (0, false);
        let mut look = |root: &Expr| {
            let (before, mut takes_away) = (count, false);
            root.for_each(&mut |e| {
                count += usize::from(is_told(e));
                takes_away |= matches!(e, Expr::Binary("-", ..) | Expr::Unary("-", _));
            });
            is_signed |= takes_away && count > before;
        };
        body.iter().for_each(|s| s.for_each_expr(&mut look));
        if count == 0 || count < 2 && !is_signed {
            continue;
        }
        let name = namer.name(hint);
        let replace = &mut |e: &Expr| is_told(e).then(|| Expr::name(&name));
        body.iter_mut().for_each(|s| s.replace(replace));
        declared.push(declaration(&name, width == Width::Long, Expr::Worker(*worker), Origin::default()));
        widths.insert(name, width == Width::Long);
    }
    body.splice(0..0, declared);
    widths
}

/// Names parts of indices made of these numbers and the variables of loops.
pub fn name_parts(body: &mut Vec<Stmt>, mut widths: Widths, namer: &mut Namer) {
    let visible = widths.keys().cloned().collect();
    body.iter().for_each(|s| variables(s, &mut widths));
    let mut sharing = Sharing { widths, made: 0 };
    sharing.block(body, &visible);
    // They are numbered as they come in the text.
    let mut names = BTreeMap::new();
    body.iter().for_each(|s| numbered(s, namer, &mut names));
    body.iter_mut().for_each(|s| named(s, &names));
}

fn numbered(s: &Stmt, namer: &mut Namer, names: &mut BTreeMap<String, String>) {
    if let What::Name { name, .. } = &s.what
        && is_provisional(name)
    {
        names.insert(name.clone(), namer.name(&format!("at{}", names.len())));
    }
    s.bodies().into_iter().flatten().for_each(|s| numbered(s, namer, names));
}

fn named(s: &mut Stmt, names: &BTreeMap<String, String>) {
    s.replace(&mut |e| if let Expr::Name(x) = e { names.get(x).map(|x| Expr::name(x)) } else { None });
    s.for_each_name(&mut |x| {
        if let Some(name) = names.get(x) {
            x.clone_from(name);
        }
    });
}

/// Names that no identifier is like.
fn provisional(k: usize) -> String {
    format!("#{k}")
}
fn is_provisional(name: &str) -> bool {
    name.starts_with('#')
}

fn declaration(name: &str, long: bool, value: Expr, origin: Origin) -> Stmt {
    let ty = if long { Width::Long } else { Width::Int }.name().to_string();
    Stmt { what: What::Name { ty, name: name.to_string(), value }, origin }
}

fn variables(s: &Stmt, widths: &mut Widths) {
    if let What::For { ty, var, .. } = &s.what {
        widths.insert(var.clone(), ty == Width::Long.name());
    }
    s.bodies().into_iter().flatten().for_each(|s| variables(s, widths));
}

/// Numbers that are used, each with how often, and whether in a loop.
#[derive(Default)]
struct Found(Vec<(Expr, usize, bool)>);

impl Found {
    fn add(&mut self, e: &Expr, in_loop: bool) {
        match self.0.iter_mut().find(|(other, ..)| other == e) {
            Some((_, count, looped)) => {
                *count += 1;
                *looped |= in_loop;
            }
            None => self.0.push((e.clone(), 1, in_loop)),
        }
    }
}

struct Sharing {
    widths: Widths,
    /// How many numbers got a name.
    made: usize,
}

impl Sharing {
    /// `visible`: the numbers that are known at the start of the block.
    fn block(&mut self, block: &mut Vec<Stmt>, visible: &BTreeSet<String>) {
        let mut visible = visible.clone();
        // What takes a choice or a division leaves all loops that it can.
        let mut left = BTreeSet::new();
        while let Some(e) = self.largest_choice(block, &visible, &left) {
            left.insert(e.to_string());
            visible.extend(self.define(block, &e, false));
        }
        // Where a row begins is said before the loop through it.
        let mut rows = Found::default();
        for s in block.iter() {
            if let What::For { body, .. } = &s.what {
                body.iter().for_each(|s| self.rows_in(s, &visible, &mut rows));
            }
        }
        rows.0.sort_by_key(|(e, ..)| std::cmp::Reverse(terms(e).len()));
        for (e, ..) in rows.0 {
            visible.extend(self.define(block, &e, true));
        }
        // What is compared with an end and needed again is computed once.
        let mut compared = Found::default();
        block.iter().for_each(|s| self.compared_in(s, &visible, &mut compared));
        for (e, ..) in compared.0 {
            if block.iter().map(|s| uses(s, &e)).sum::<usize>() > 1 {
                visible.extend(self.define(block, &e, true));
            }
        }
        for s in block {
            self.within(s, &visible);
        }
    }

    fn within(&mut self, s: &mut Stmt, visible: &BTreeSet<String>) {
        let with = |var: &String| visible.iter().cloned().chain([var.clone()]).collect();
        match &mut s.what {
            What::For { var, body, .. } => self.block(body, &with(var)),
            What::If { then, otherwise, .. } => {
                self.block(then, visible);
                self.block(otherwise, visible);
            }
            What::Block(body) => self.block(body, visible),
            _ => {}
        }
    }

    /// The largest number with a choice or a division in it that is needed in a loop or several times, so that no part of
    /// it gets a name that only it needs; of equals the first.
    fn largest_choice(
        &self,
        block: &[Stmt],
        visible: &BTreeSet<String>,
        left: &BTreeSet<String>,
    ) -> Option<Expr> {
        let mut found = Found::default();
        block.iter().for_each(|s| self.choices_in(s, false, visible, &mut found));
        let pays = |(e, count, in_loop): &&(Expr, usize, bool)| {
            (*in_loop || *count > 1) && !left.contains(&e.to_string())
        };
        found.0.iter().filter(pays).rev().max_by_key(|(e, ..)| e.nodes()).map(|(e, ..)| e.clone())
    }

    fn choices_in(&self, s: &Stmt, in_loop: bool, visible: &BTreeSet<String>, found: &mut Found) {
        match &s.what {
            What::For { body, .. } => body.iter().for_each(|s| self.choices_in(s, true, visible, found)),
            What::Block(body) => body.iter().for_each(|s| self.choices_in(s, in_loop, visible, found)),
            _ => s.for_each_own_expr(&mut |e| {
                // Most have none, which a glance tells.
                let mut has_choice = false;
                e.for_each(&mut |e| has_choice |= is_choice(e));
                if has_choice {
                    self.choices(e, visible, &mut |e| found.add(e, in_loop));
                }
            }),
        }
    }

    /// Adds the numbers with a choice or a division in them, other than sums, and says of the whole what that takes: from
    /// the parts outwards, so that each is looked at once.
    fn choices(&self, e: &Expr, visible: &BTreeSet<String>, add: &mut dyn FnMut(&Expr)) -> Seen {
        let parts: SmallVec<[Seen; 3]> =
            e.children().into_iter().map(|e| self.choices(e, visible, add)).collect();
        let widths: SmallVec<[Option<bool>; 3]> = parts.iter().map(|p| p.width).collect();
        let seen = Seen {
            has_choice: is_choice(e) || parts.iter().any(|p| p.has_choice),
            is_visible: !matches!(e, Expr::Name(x) if !visible.contains(x))
                && parts.iter().all(|p| p.is_visible),
            width: self.width_of(e, &widths),
        };
        let is_sum = matches!(e, Expr::Binary("+", ..));
        if seen.has_choice && seen.is_visible && seen.width.is_some() && !is_sum && is_arithmetic(e) {
            add(e);
        }
        seen
    }

    /// Adds the sums of more than two parts that are compared.
    fn compared_in(&self, s: &Stmt, visible: &BTreeSet<String>, found: &mut Found) {
        match &s.what {
            What::For { body, .. } | What::Block(body) => {
                body.iter().for_each(|s| self.compared_in(s, visible, found));
            }
            _ => s.for_each_own_expr(&mut |e| {
                e.for_each(&mut |e| {
                    if let Expr::Binary("<" | "==", a, b) = e {
                        let is_long_sum =
                            |e: &&Expr| matches!(e, Expr::Binary("+" | "-", ..)) && e.nodes() > 3;
                        let sums = [&**a, &**b].into_iter().filter(is_long_sum);
                        sums.filter(|e| self.is_known(e, visible)).for_each(|e| found.add(e, false));
                    }
                });
            }),
        }
    }

    /// Adds what the sums in a statement of a loop have that was known before it, if it is a product of named numbers.
    fn rows_in(&self, s: &Stmt, visible: &BTreeSet<String>, found: &mut Found) {
        match &s.what {
            What::For { .. } | What::If { .. } => {}
            What::Block(body) => body.iter().for_each(|s| self.rows_in(s, visible, found)),
            _ => s.for_each_own_expr(&mut |e| self.rows(e, visible, found)),
        }
    }

    fn rows(&self, e: &Expr, visible: &BTreeSet<String>, found: &mut Found) {
        let is_added = |e: &Expr| !is_constant(e) && self.is_known(e, visible);
        let (known, others): (Vec<_>, Vec<_>) = terms(e).into_iter().partition(|t| is_added(t));
        let row =
            if others.is_empty() && known.len() == 1 { Some(e.clone()) } else { self.sum_of(e, &known) };
        if let Some(row) = row.filter(has_product) {
            found.add(&row, true);
        } else {
            known.into_iter().flat_map(Expr::children).for_each(|e| self.rows(e, visible, found));
        }
        others.into_iter().flat_map(Expr::children).for_each(|e| self.rows(e, visible, found));
    }

    fn is_known(&self, e: &Expr, visible: &BTreeSet<String>) -> bool {
        let mut known = true;
        e.for_each(&mut |e| known &= !matches!(e, Expr::Name(x) if !visible.contains(x)));
        known && self.width(e).is_some()
    }

    /// Gives the number a name before the statement that uses it first, if one still does: a part of it may have got a name.
    /// `whole`: what others with a name are made of stays.
    fn define(&mut self, block: &mut Vec<Stmt>, e: &Expr, whole: bool) -> Option<String> {
        let name = provisional(self.made);
        self.made += 1;
        let long = self.width(e).unwrap_or(true);
        self.widths.insert(name.clone(), long);
        let mut first = None;
        for (k, s) in block.iter_mut().enumerate() {
            if whole && matches!(&s.what, What::Name { name, .. } if is_provisional(name)) {
                continue;
            }
            s.replace(&mut |other| self.with_name(other, e, &name));
            let mut uses = false;
            s.for_each_expr(&mut |e| e.for_each(&mut |e| uses |= matches!(e, Expr::Name(x) if *x == name)));
            if uses && first.is_none() {
                first = Some(k);
            }
        }
        let first = first?;
        let origin = block.get(first).map(|s| s.origin.clone()).unwrap_or_default();
        block.insert(first, declaration(&name, long, e.clone(), origin));
        Some(name)
    }

    /// The expression with the name in place of what it stands for, if it is that, or a sum of it and more.
    fn with_name(&self, whole: &Expr, e: &Expr, name: &str) -> Option<Expr> {
        if whole == e {
            return Some(Expr::name(name));
        }
        let is_sum = |e: &Expr| matches!(e, Expr::Binary("+", ..));
        if !is_sum(whole) || !is_sum(e) {
            return None;
        }
        let (terms, parts) = (terms(whole), terms(e));
        if parts.len() < 2 || terms.len() <= parts.len() || self.width(whole)? != self.width(e)? {
            return None;
        }
        let narrow = |e: &Expr| match e {
            Expr::Cast(_, e) => (**e).clone(),
            e => e.clone(),
        };
        let mut left = parts.into_iter().map(narrow).peekable();
        let rest: Vec<&Expr> =
            terms.into_iter().filter(|t| left.next_if(|p| *p == narrow(t)).is_none()).collect();
        if left.peek().is_some() {
            return None;
        }
        // Constants come first, as ever.
        let constants = rest.iter().take_while(|e| is_constant(e)).count();
        let mut sum: Vec<Expr> = rest.into_iter().cloned().collect();
        sum.insert(constants, Expr::name(name));
        sum.into_iter().reduce(|a, b| Expr::binary("+", a, b))
    }

    /// The sum of some terms of a sum, in which nothing overflows if nothing does in all of it.
    fn sum_of(&self, whole: &Expr, terms: &[&Expr]) -> Option<Expr> {
        if terms.is_empty() {
            return None;
        }
        let long = terms.len() > 1 && self.width(whole)?;
        let mut terms: Vec<Expr> = terms.iter().map(|t| (*t).clone()).collect();
        if long && !terms.iter().take(2).any(|t| self.width(t) == Some(true)) {
            let first = terms.first_mut()?;
            *first = first.clone().cast(Width::Long.name());
        }
        terms.into_iter().reduce(|a, b| Expr::binary("+", a, b))
    }

    /// Of a whole number that is computed from named ones, whether it is a `long`.
    fn width(&self, e: &Expr) -> Option<bool> {
        let parts: SmallVec<[Option<bool>; 3]> = e.children().into_iter().map(|e| self.width(e)).collect();
        self.width_of(e, &parts)
    }

    /// The same, where it is known of the parts.
    fn width_of(&self, e: &Expr, parts: &[Option<bool>]) -> Option<bool> {
        let any = || parts.iter().try_fold(false, |long, part| Some(long | (*part)?));
        match e {
            Expr::Text(number) => {
                let digits = number.strip_suffix('L').unwrap_or(number);
                digits.parse::<u64>().is_ok().then_some(digits.len() < number.len())
            }
            Expr::Name(x) => self.widths.get(x).copied(),
            Expr::Binary("/" | "%", _, b) if !is_divisor(b) => None,
            Expr::Unary("-", _) | Expr::Binary("+" | "-" | "*" | "/" | "%", ..) => any(),
            Expr::Binary("<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||", ..) => any().map(|_| false),
            Expr::Conditional(..) => {
                any().and_then(|_| Some(parts.get(1).copied()?? | parts.get(2).copied()??))
            }
            Expr::Cast(ty, _) if ty == Width::Long.name() => any().map(|_| true),
            Expr::Call(f, args) if is_floor(f) => match args.as_slice() {
                [_, b] if is_divisor(b) => any().map(|_| true),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What is known of a number from its parts.
struct Seen {
    has_choice: bool,
    /// Are all names in it those of numbers that are known?
    is_visible: bool,
    /// Whether it is a `long`, where it is a whole number.
    width: Option<bool>,
}

/// How often the number stands in a statement.
fn uses(s: &Stmt, number: &Expr) -> usize {
    let mut n = 0;
    s.for_each_expr(&mut |e| e.for_each(&mut |e| n += usize::from(e == number)));
    n
}

fn is_divisor(e: &Expr) -> bool {
    matches!(e, Expr::Text(t) if t != "0" && t != "0L")
}

fn is_floor(function: &str) -> bool {
    matches!(function, "floor_div" | "floor_mod")
}

/// Is it a number, rather than a truth value or a part of one?
fn is_arithmetic(e: &Expr) -> bool {
    matches!(e, Expr::Binary("+" | "-" | "*" | "/" | "%", ..) | Expr::Conditional(..) | Expr::Call(..))
}

fn is_constant(e: &Expr) -> bool {
    matches!(e, Expr::Text(_))
}

/// Is it a choice or a division?
fn is_choice(e: &Expr) -> bool {
    match e {
        Expr::Conditional(..) | Expr::Binary("/" | "%", ..) => true,
        Expr::Call(f, _) => is_floor(f),
        _ => false,
    }
}

/// Is there a product in it, other than by a constant?
fn has_product(e: &Expr) -> bool {
    has(e, &|e| matches!(e, Expr::Binary("*", a, b) if !is_constant(a) && !is_constant(b)))
}

fn has(e: &Expr, is: &dyn Fn(&Expr) -> bool) -> bool {
    is(e) || e.children().into_iter().any(|e| has(e, is))
}

/// What is added up in a sum; anything else is the only term of itself.
fn terms(e: &Expr) -> Vec<&Expr> {
    let mut out = vec![];
    let mut e = e;
    while let Expr::Binary("+", a, b) = e {
        out.push(&**b);
        e = a;
    }
    out.push(e);
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::super::Language;
    use super::super::syntax::Lines;
    use super::*;

    fn stmt(what: What) -> Stmt {
        Stmt { what, origin: Origin::default() }
    }
    fn text(body: &[Stmt]) -> String {
        let mut lines = Lines::default();
        lines.print(body, 0);
        lines.text
    }
    fn n(x: &str) -> Expr {
        Expr::name(x)
    }
    fn product(a: Expr, b: Expr) -> Expr {
        Expr::binary("*", a, b)
    }
    fn sum(a: Expr, b: Expr) -> Expr {
        Expr::binary("+", a, b)
    }
    fn loop_over(var: &str, body: Vec<Stmt>) -> Stmt {
        let (init, end, step) = (Expr::int(0), n("n"), Expr::int(1));
        stmt(What::For { pragma: None, ty: "int".into(), var: var.into(), init, end, step, body })
    }
    fn store(index: Expr) -> Stmt {
        stmt(What::Assign { to: n("out").index(index.clone()), op: "=", value: n("a").index(index) })
    }
    /// The text with names for parts made of the sizes `m` and `n`, of which the latter is a `long`.
    fn shared(body: Vec<Stmt>) -> String {
        let mut body = body;
        let sizes = [("m".to_string(), false), ("n".to_string(), true)];
        name_parts(&mut body, sizes.into(), &mut Namer::new(Language::C));
        text(&body)
    }
    fn choice(x: Expr) -> Expr {
        let at_least = Expr::binary("<", x.clone(), Expr::int(2));
        Expr::Conditional(Box::new(at_least), Box::new(Expr::int(0)), Box::new(x))
    }

    #[test]
    fn what_a_loop_does_not_change_stands_before_it() {
        let offset = sum(sum(n("j"), n("i")), product(n("i"), n("m")));
        let text = shared(vec![loop_over("i", vec![loop_over("j", vec![store(offset)])])]);
        assert_eq!(
            text,
            "for (int i = 0; i < n; i++) {\n  int at0 = i + i * m;\n  for (int j = 0; j < n; j++) {\n    \
             out[at0 + j] = a[at0 + j];\n  }\n}\n"
        );
    }

    #[test]
    fn a_sum_of_longs_stays_one() {
        let [row, square] = [product(n("i"), n("m")), product(n("m"), n("m"))];
        let offset = sum(sum(sum(n("j"), n("n")), row.clone()), square.clone());
        // Without the first term the first product must become a long.
        let only_products = sum(sum(product(n("j"), n("n")), row), square);
        let stores = vec![store(offset), store(only_products)];
        let text = shared(vec![loop_over("i", vec![loop_over("j", stores)])]);
        assert!(text.contains("long at0 = n + i * m + m * m;"), "{text}");
        assert!(text.contains("long at1 = (long)(i * m) + m * m;"), "{text}");
        assert!(text.contains("out[at0 + j]") && text.contains("out[at1 + j * n]"), "{text}");
    }

    #[test]
    fn what_nothing_needs_any_more_gets_no_name() {
        let row = product(n("m"), n("i"));
        let end = Expr::binary("-", sum(n("m"), row.clone()), Expr::int(1));
        let body = vec![store(sum(n("j"), row)), store(Expr::binary("-", end, n("j")))];
        let text = shared(vec![loop_over("i", vec![loop_over("j", body)])]);
        assert_eq!(text.matches("int at").count() + text.matches("long at").count(), 1, "{text}");
        assert!(text.contains("out[j + at0]") && text.contains("out[m + at0 - 1 - j]"), "{text}");
    }

    #[test]
    fn choices_that_are_needed_twice_are_made_once_and_numbered_as_they_come() {
        let body =
            vec![store(sum(choice(n("m")), choice(n("n")))), store(sum(choice(n("n")), choice(n("n"))))];
        let text = shared(body);
        let order: Vec<_> = text.match_indices(" = ").map(|(k, _)| text[..k].rsplit(' ').next()).collect();
        assert_eq!(order[..2], [Some("at0"), Some("at1")], "{text}");
        assert_eq!(text.matches(" ? ").count(), 2, "{text}");
        assert!(!text.contains('#'), "{text}");
    }

    #[test]
    fn products_by_constants_and_values_of_the_program_are_left_alone() {
        let body = vec![
            store(sum(n("i"), product(Expr::int(4), n("m")))),
            store(sum(n("i"), choice(n("x")))),
            store(sum(n("i"), choice(n("x")))),
        ];
        let before = loop_over("i", body);
        let plain = text(std::slice::from_ref(&before));
        assert_eq!(shared(vec![before]), plain);
    }

    #[test]
    fn sums_that_are_compared_and_used_are_computed_once() {
        let at = sum(sum(n("i"), product(Expr::int(8), n("m"))), product(Expr::int(4), n("j")));
        let below = Expr::binary("<", at.clone(), n("n"));
        let read = Expr::Conditional(Box::new(below.clone()), Box::new(n("a").index(at)), Box::new(n("b")));
        let body = |value| vec![stmt(What::Assign { to: n("t"), op: "+=", value })];
        let text = shared(vec![loop_over("i", vec![loop_over("j", body(read))])]);
        assert!(text.contains("    int at0 = i + 8 * m + 4 * j;\n    t += at0 < n ? a[at0] : b;"), "{text}");
        let text = shared(vec![loop_over("i", vec![loop_over("j", body(below))])]);
        assert!(text.contains("    t += i + 8 * m + 4 * j < n;"), "{text}");
    }

    /// A size may be zero where the loop has no iteration.
    #[test]
    fn no_division_by_a_size_leaves_its_loop_and_nothing_its_branch() {
        let divided = store(sum(n("i"), Expr::binary("/", Expr::int(1000), n("m"))));
        let text = shared(vec![loop_over("i", vec![divided])]);
        assert!(text.starts_with("for"), "{text}");
        let inner = loop_over("j", vec![store(sum(n("j"), product(n("m"), n("n"))))]);
        let branch = stmt(What::If { condition: n("c"), then: vec![inner], otherwise: vec![] });
        let text = shared(vec![branch]);
        assert!(text.starts_with("if (c) {\n  long at0 = m * n;\n  for"), "{text}");
    }

    #[test]
    fn what_a_work_item_is_told_once_stays() {
        let id = Worker::GlobalId;
        let mut body = vec![store(Expr::Worker(id(0))), stmt(What::Expr(Expr::Worker(id(1))))];
        let numbers = [0, 1].map(|d| (id(d), format!("gl_id_{d}")));
        let widths = name_workers(&mut body, &numbers, Width::Int, &mut Namer::new(Language::OpenCl));
        assert_eq!(
            text(&body),
            "int gl_id_0 = get_global_id(0);\nout[gl_id_0] = a[gl_id_0];\nget_global_id(1);\n"
        );
        assert_eq!(widths, [("gl_id_0".to_string(), false)].into());
        // What a work-item is told has no sign, and neither has what it is taken away from.
        let less = Expr::binary("-", Expr::int(3), Expr::Worker(id(0)));
        let mut body = vec![stmt(What::Expr(less))];
        name_workers(&mut body, &numbers, Width::Int, &mut Namer::new(Language::OpenCl));
        assert_eq!(text(&body), "int gl_id_0 = get_global_id(0);\n3 - gl_id_0;\n");
    }
}
