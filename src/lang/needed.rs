//! What of a program its value depends on, as far as its shape tells: not the argument of a function that ignores it, nor
//! the component of a pair that nobody takes. Arrays are looked through: what is needed of one is what is needed of each
//! of its elements.

use super::pattern::Pattern;
use super::sort::{Sort, View};
use super::term::{Expr, Term};
use super::ty::{Type, TypeKind};
use rustc_hash::FxHashMap;

/// Stands for what nobody reads: a variable that no binder binds.
const UNREAD: u32 = 1 << 30;

/// What is read of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Need {
    Nothing,
    /// Of the two components of a pair, or of the pairs in an array.
    Both(Box<Need>, Box<Need>),
    All,
}

/// What is needed of variables, by their indices.
type Needs = FxHashMap<u32, Need>;

/// The term with a variable that nothing binds in the place of each part that computes something and that nobody reads.
pub fn needed(term: &Term) -> Term {
    term.with_stack(|| value(term, &Need::All, &mut Needs::default()))
}

/// Does this stand in [`needed`] in the place of what nobody reads?
pub fn stands_for_unread(t: &Term) -> bool {
    matches!(t.expr(), Expr::Var(UNREAD))
}

impl Need {
    fn both(first: Need, second: Need) -> Need {
        match (&first, &second) {
            (Need::Nothing, Need::Nothing) => Need::Nothing,
            (Need::All, Need::All) => Need::All,
            _ => Need::Both(Box::new(first), Box::new(second)),
        }
    }

    fn components(&self) -> (Need, Need) {
        match self {
            Need::Both(first, second) => ((**first).clone(), (**second).clone()),
            same => (same.clone(), same.clone()),
        }
    }

    fn join(&self, other: &Need) -> Need {
        match (self, other) {
            (Need::Nothing, need) | (need, Need::Nothing) => need.clone(),
            (Need::Both(a, b), Need::Both(c, d)) => Need::both(a.join(c), b.join(d)),
            _ => Need::All,
        }
    }

    /// The same of a value of this type, where it may be of another kind than the result is.
    fn of(&self, ty: &Type) -> Need {
        let mut element = ty;
        while let TypeKind::Array(_, t) = element.kind() {
            element = t;
        }
        match (self, element.kind()) {
            (Need::Nothing, _) => Need::Nothing,
            (need, TypeKind::Pair(..)) => need.clone(),
            _ => Need::All,
        }
    }
}

fn unread(t: &Term) -> Term {
    if t.children().is_empty() && t.as_prim().is_none() {
        t.clone()
    } else {
        Term::var(UNREAD, t.ty().clone())
    }
}

fn read(free: &mut Needs, index: u32, need: &Need) {
    if index < UNREAD / 2 {
        let known = free.entry(index).or_insert(Need::Nothing);
        *known = known.join(need);
    }
}

/// What is needed of a term where so much is needed of its value.
fn value(t: &Term, need: &Need, free: &mut Needs) -> Term {
    if *need == Need::Nothing {
        return unread(t);
    }
    if t.ty().as_fun().is_some() {
        let parameters = std::iter::successors(Some(t.ty()), |ty| ty.as_fun().map(|(_, to)| to)).count() - 1;
        return function(t, parameters, &Need::All, free).0;
    }
    let (head, args) = t.spine();
    let (head, needs) = match head.expr() {
        Expr::Var(i) => {
            read(free, *i, if args.is_empty() { need } else { &Need::All });
            (head.clone(), vec![])
        }
        Expr::Lam(..) => function(head, args.len(), need, free),
        Expr::Prim(prim) => return Term::apps(head.clone(), operands(prim.pattern, &args, need, free)),
        Expr::Lit(_) | Expr::App(..) => (head.clone(), vec![]),
    };
    let needs = needs.into_iter().chain(std::iter::repeat(Need::All));
    let args: Vec<Term> = args.into_iter().zip(needs).map(|(e, n)| value(e, &n, free)).collect();
    Term::apps(head, args)
}

/// What is needed of a function of so many parameters, and of what they stand for.
fn function(f: &Term, parameters: usize, need: &Need, free: &mut Needs) -> (Term, Vec<Need>) {
    let (mut binders, mut body) = (vec![], f);
    while let (true, Some((name, inner))) = (binders.len() < parameters, body.as_lam()) {
        binders.push((name.clone(), body.ty().as_fun().map_or_else(Type::ill, |(p, _)| p.clone())));
        body = inner;
    }
    // What is no abstraction is applied to new variables.
    let open = (parameters - binders.len()) as u32;
    let mut applied = body.shift_up(open);
    for i in (0..open).rev() {
        let param = applied.ty().as_fun().map_or_else(Type::ill, |(p, _)| p.clone());
        applied = Term::app(applied, Term::var(i, param));
    }
    let mut inside = Needs::default();
    let mut left = value(&applied, need, &mut inside);
    for _ in 0..open {
        left = left.as_app().map_or_else(|| left.clone(), |(f, _)| f.clone());
    }
    let left = left.shift_down(open).unwrap_or_else(|| body.clone());
    let whole = binders.into_iter().rfold(left, |body, (name, param)| Term::lam(&name, param, body));
    let parameters = parameters as u32;
    let of = (0..parameters).rev().map(|i| inside.get(&i).cloned().unwrap_or(Need::Nothing)).collect();
    for (index, need) in inside.iter().filter(|(index, _)| **index >= parameters) {
        read(free, index - parameters, need);
    }
    (whole, of)
}

/// A function whose result is its parameter of the next step: what is needed of a step's results, and of the others.
fn steps(
    f: &Term,
    parameters: usize,
    result: usize,
    need: &Need,
    free: &mut Needs,
) -> (Term, Need, Vec<Need>) {
    let mut now = need.clone();
    loop {
        let (left, of) = function(f, parameters, &now, free);
        let next = now.join(of.get(result).unwrap_or(&Need::All));
        if next == now {
            return (left, now, of);
        }
        now = next;
    }
}

/// What is needed of the operands of a pattern.
fn operands(pattern: Pattern, args: &[&Term], need: &Need, free: &mut Needs) -> Vec<Term> {
    let all = |free: &mut Needs| args.iter().map(|e| value(e, &Need::All, free)).collect();
    let same = |free: &mut Needs| args.iter().map(|e| value(e, &need.of(e.ty()), free)).collect();
    match (pattern.sort(), args) {
        (Sort::View(View::Parts), [a, b]) => {
            let (first, second) = need.components();
            vec![value(a, &first, free), value(b, &second, free)]
        }
        (Sort::View(View::Parts), [p]) => {
            let of = match pattern {
                Pattern::Fst => Need::both(need.clone(), Need::Nothing),
                Pattern::Snd => Need::both(Need::Nothing, need.clone()),
                _ => need.clone(),
            };
            vec![value(p, &of, free)]
        }
        (Sort::Lazy, [f, p]) if matches!(pattern, Pattern::MapFst | Pattern::MapSnd) => {
            let (first, second) = need.components();
            let mapped = if pattern == Pattern::MapFst { &first } else { &second };
            let (left, of) = match mapped {
                Need::Nothing => (unread(f), vec![Need::Nothing]),
                mapped => function(f, 1, mapped, free),
            };
            let of = of.into_iter().next().unwrap_or(Need::All);
            let of = if pattern == Pattern::MapFst { Need::both(of, second) } else { Need::both(first, of) };
            vec![left, value(p, &of, free)]
        }
        (Sort::Lazy, [f]) => vec![function(f, 1, need, free).0],
        (Sort::Map(_) | Sort::Buffer, [f, xs]) => {
            let (left, of) = function(f, 1, need, free);
            vec![left, value(xs, of.first().unwrap_or(&Need::All), free)]
        }
        (Sort::Memory, [e, f]) => {
            let (left, of) = function(f, 1, need, free);
            vec![value(e, of.first().unwrap_or(&Need::All), free), left]
        }
        (Sort::Reduce(_) | Sort::Scan, [f, start, xs]) => {
            let (accumulator, element) = if pattern.sort() == Sort::Scan { (1, 0) } else { (0, 1) };
            let (left, result, of) = steps(f, 2, accumulator, need, free);
            let element = of.get(element).unwrap_or(&Need::All);
            vec![left, value(start, &result, free), value(xs, element, free)]
        }
        (Sort::Repeated, [f, xs]) => {
            let (left, result, _) = steps(f, 1, 0, need, free);
            vec![left, value(xs, &result, free)]
        }
        (Sort::Choice, [c, a, b]) => {
            vec![value(c, &Need::All, free), value(a, need, free), value(b, need, free)]
        }
        (Sort::View(_) | Sort::Written | Sort::Memory, _) => same(free),
        _ => all(free),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arbitrary::Draw;
    use crate::eval::inputs::{self, Kind};
    use crate::eval::{self, Limits};
    use crate::infer;
    use crate::syntax::parse_program;

    fn term(text: &str) -> Term {
        let (tree, problems) = parse_program(crate::diag::Span::NOWHERE.file, text);
        assert!(problems.is_empty(), "{problems:?}");
        infer::program(&tree, None).0.unwrap_or_else(|| panic!("{text}")).term
    }

    fn parts_left_out(t: &Term) -> usize {
        let is_unread = |t: &Term| matches!(t.expr(), Expr::Var(i) if *i >= UNREAD / 2);
        t.positions().into_iter().filter(|(_, t)| is_unread(t)).count()
    }

    #[test]
    fn what_nobody_reads_is_left_out() {
        for (text, parts) in [
            ("def f (a: n.f32) = map sqrt a", 0),
            ("def f (a b: n.f32) = (\\x. map sqrt a) (map abs b)", 1),
            ("def f (a b: n.f32) = let (toMem (mapSeq abs b)) (\\x. mapSeq sqrt a)", 1),
            ("def f (a b: n.f32) = zip (map abs b) a |> map snd", 1),
            ("def f (a b: n.f32) = zip (map abs b) a |> split 4 |> map (map (\\p. snd p)) |> join", 1),
            ("def f (a b: n.f32) = fst (unzip (zip a (map abs b)))", 1),
            ("def f (a b: n.f32) = snd (makePair (map abs b) a)", 1),
            ("def f (a b: n.f32) = map (\\x. 1.0f32) (map abs b)", 1),
            ("def f (a: n.f32) = fst (reduceSeq (\\p x. (fst p + x, snd p * x)) (0.0f32, 1.0f32) a)", 1),
            ("def f (a: n.f32) = fst (reduceSeq (\\p x. (fst p + snd p, snd p * x)) (0.0f32, 1.0f32) a)", 0),
            ("def f (a: n.f32) (i: n.idx[n]) = gather i (map abs a)", 0),
            ("def f (a: n.(f32 * f32)) = map (mapFst abs) a |> map snd", 1),
            ("def f (a: n.f32) = map (\\x. (\\g. x) (\\(y: f32). y * 2)) a", 1),
        ] {
            let left = needed(&term(text));
            assert_eq!(parts_left_out(&left), parts, "{text}: {left:?}");
        }
    }

    /// Another value in the place of each part that nobody reads.
    fn refilled(t: &Term, draw: &mut Draw) -> Option<Term> {
        match t.expr() {
            Expr::Var(i) if *i >= UNREAD / 2 && t.ty().as_fun().is_none() => draw.term(t.ty(), 3).ok(),
            Expr::Var(i) if *i >= UNREAD / 2 => None,
            _ => {
                let children = t.children().into_iter().map(|c| refilled(c, draw)).collect::<Option<_>>()?;
                Some(t.with_children(children))
            }
        }
    }

    #[test]
    fn the_value_does_not_depend_on_what_is_not_needed() {
        let (mut compared, mut left_out) = (0, 0);
        for seed in 0..160 {
            let program = Draw::new(seed).program(30);
            let left = needed(&program);
            if parts_left_out(&left) == 0 {
                assert_eq!(left, program);
                continue;
            }
            left_out += 1;
            let mut draw = Draw::new(seed + 1_000_000);
            let Some(other) = refilled(&left, &mut draw) else { continue };
            other.check().unwrap();
            let sizes = eval::sizes([]);
            let inputs = inputs::for_program(program.ty(), &sizes, seed, Kind::SmallIntegers).unwrap();
            let run = |t: &Term| eval::run(t, &sizes, &inputs, &Limits::TEST);
            if let (Ok(a), Ok(b)) = (run(&program), run(&other)) {
                assert_eq!(format!("{a:?}"), format!("{b:?}"), "{seed}: {program:?}\n{other:?}");
                compared += 1;
            }
        }
        assert!(compared > 40, "{compared} of {left_out}");
    }
}
