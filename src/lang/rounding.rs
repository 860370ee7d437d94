//! What rounding may do to a program: what its results may be compared with, and how closely.

use super::declared::unfolded;
use super::eval::Sizes;
use super::literal::Literal;
use super::math;
use super::pattern::Pattern;
use super::sort::Sort;
use super::term::{Expr, Prim, Term};
use super::ty::{Scalar, Type, TypeKind};
use super::value::half;

/// The term computed in double precision, which rounds so little that results say how far others are off, and of which components
/// of its result it does: not of those in which floats decide something, by a comparison or as integers, for there a little is
/// much. None where that is so of all, and where foreign functions have types of their own.
pub fn in_doubles(term: &Term) -> Option<(Term, Vec<bool>)> {
    let term = unfolded(term);
    let undecided = undecided(&term);
    undecided.contains(&true).then(|| (of_floats(&term, Scalar::F64), undecided))
}

/// The term computed in single precision, which rounds so much more than double precision that results say how far that is
/// off. None where there is none in double precision.
pub fn in_singles(term: &Term) -> Option<Term> {
    let term = unfolded(term);
    undecided(&term).contains(&true).then(|| of_floats(&term, Scalar::F32))
}

/// What double precision rounds of what single precision does.
pub const DOUBLE_OF_SINGLE: f64 = f64::EPSILON / f32::EPSILON as f64;

/// Does something in the program make a step of a small difference of floats?
pub fn decides_somewhere(term: &Term) -> bool {
    undecided(&unfolded(term)).contains(&false)
}

/// For each component of an unfolded program's result, whether floats decide nothing of what it is made of.
fn undecided(term: &Term) -> Vec<bool> {
    let is_foreign = !all(term, &|p, _| !matches!(p.pattern, Pattern::Declared(_)));
    let decided = Decided { bound: vec![] }.components(term);
    decided.into_iter().map(|decided| !decided && !is_foreign).collect()
}

/// Which parts of a program floats decide.
struct Decided {
    /// Of the variables that are bound, the innermost last.
    bound: Vec<bool>,
}

impl Decided {
    /// Of each component of what the term results in.
    fn components(&mut self, t: &Term) -> Vec<bool> {
        if let Some((_, body)) = t.as_lam() {
            return self.below(false, body);
        }
        let (head, args) = t.spine();
        if let (Some((_, body)), [value]) = (head.as_lam(), args.as_slice()) {
            return self.below(self.anything(value, 0), body);
        }
        match (head.as_pattern(), args.as_slice()) {
            (Some(Pattern::MakePair | Pattern::Zip), [a, b]) => {
                let mut all = self.components(a);
                all.extend(self.components(b));
                all
            }
            (Some(Pattern::Let), [value, f]) if let Some((_, body)) = f.as_lam() => {
                self.below(self.anything(value, 0), body)
            }
            (Some(p), [f, array])
                if matches!(p.sort(), Sort::Map(_))
                    && let Some((_, body)) = f.as_lam() =>
            {
                self.below(self.anything(array, 0), body)
            }
            _ => vec![self.anything(t, 0); components(t.ty())],
        }
    }

    fn below(&mut self, bound: bool, body: &Term) -> Vec<bool> {
        self.bound.push(bound);
        let all = self.components(body);
        self.bound.pop();
        all
    }

    /// Is there something in the term, or in what its variables stand for, below so many binders of its own?
    fn anything(&self, t: &Term, own: usize) -> bool {
        match t.expr() {
            Expr::Var(x) => {
                let outer = (*x as usize).checked_sub(own);
                outer.is_some_and(|x| self.bound.iter().rev().nth(x).is_some_and(|decided| *decided))
            }
            Expr::Lam(_, body) => self.anything(body, own + 1),
            Expr::Prim(p) => decides(p.pattern, t.ty()),
            _ => t.children().into_iter().any(|child| self.anything(child, own)),
        }
    }
}

/// How many components a result of this type has.
fn components(ty: &Type) -> usize {
    match ty.kind() {
        TypeKind::Array(_, t) | TypeKind::Vector(_, t) => components(t),
        TypeKind::Pair(a, b) => components(a) + components(b),
        _ => 1,
    }
}

/// Does the pattern make a step of a small difference of floats?
fn decides(p: Pattern, ty: &Type) -> bool {
    let (params, result) = ty.signature();
    let of_floats = params.first().is_some_and(has_float);
    match p {
        Pattern::Cast => of_floats && !has_float(&result),
        Pattern::Floor | Pattern::Ceil | Pattern::Round | Pattern::Trunc => true,
        Pattern::Mod => of_floats,
        p => p.is_comparison() && of_floats,
    }
}

/// Do all patterns of the term satisfy it, at their types?
fn all(term: &Term, holds: &dyn Fn(&Prim, &Type) -> bool) -> bool {
    let here = term.as_prim().is_none_or(|p| holds(p, term.ty()));
    here && term.children().into_iter().all(|c| all(c, holds))
}

/// Does the type have floats in it, also as parameters and results of functions?
pub fn has_float(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Scalar(s) => s.is_float(),
        TypeKind::Array(_, t) | TypeKind::Vector(_, t) => has_float(t),
        TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => has_float(a) || has_float(b),
        _ => false,
    }
}

fn of_floats(t: &Term, float: Scalar) -> Term {
    let go = |t: &Term| of_floats(t, float);
    let typed = |ty: &Type| type_of_floats(ty, float);
    match t.expr() {
        Expr::Var(i) => Term::var(*i, typed(t.ty())),
        Expr::Lam(x, body) => {
            let param = t.ty().as_fun().map_or_else(Type::ill, |(p, _)| typed(p));
            Term::lam(x, param, go(body))
        }
        Expr::App(f, e) => Term::app(go(f), go(e)),
        Expr::Prim(p) => Term::prim(p.pattern, p.args.clone(), typed(t.ty())),
        Expr::Lit(Literal::Float(bits, s)) => {
            let rounded = |v: f64, s: Scalar| match s {
                Scalar::F16 => half::round_f64(v).into(),
                Scalar::F32 => f64::from(v as f32),
                _ => v,
            };
            let v = rounded(rounded(f64::from_bits(*bits), *s), float);
            Term::lit(Literal::Float(v.to_bits(), float))
        }
        Expr::Lit(_) => t.clone(),
    }
}

fn type_of_floats(ty: &Type, float: Scalar) -> Type {
    let go = |ty: &Type| type_of_floats(ty, float);
    match ty.kind() {
        TypeKind::Scalar(s) if s.is_float() => Type::scalar(float),
        TypeKind::Array(n, t) => Type::array(n.clone(), go(t)),
        TypeKind::Vector(n, t) => Type::vector(n.clone(), go(t)),
        TypeKind::Pair(a, b) => Type::pair(go(a), go(b)),
        TypeKind::Fun(a, b) => Type::fun(go(a), go(b)),
        _ => ty.clone(),
    }
}

/// After so many turns numbers are moved as little as in the first ones, in other ways.
const ROUND: u32 = 12;

/// By how many units in the last place the number at this position is moved in a turn, to see what rounding decides: further
/// in later turns of a round.
pub fn moved_by(position: usize, turn: u32) -> i32 {
    let most = 2 << (turn % ROUND / 2);
    // A hash whose lower bits are as good as any.
    let hash = (position as u32 ^ turn.wrapping_mul(0x9E37_79B9)).wrapping_mul(0x85EB_CA6B);
    let by = ((hash ^ (hash >> 13)).wrapping_mul(0xC2B2_AE35) >> 8) % (2 * most + 1);
    by as i32 - most as i32
}

/// From this turn on, what each operation gives is moved, too: of a small number the last digits are less than what is rounded
/// of greater ones that it is added to.
const OPERATIONS_FROM: u32 = 6;

/// The term with its numbers, and floats that are made of integers, moved by a few units in their last place: in another way
/// in each turn, and in later ones with what operations give.
pub fn in_last_digits(term: &Term, turn: u32) -> Term {
    moved(&unfolded(term), turn, &mut 0)
}

fn moved(t: &Term, turn: u32, position: &mut usize) -> Term {
    let mut by = || {
        *position += 1;
        moved_by(*position, turn)
    };
    match t.expr() {
        Expr::Lit(Literal::Float(bits, s)) => float(f64::from_bits(*bits), *s, by()),
        Expr::App(f, e) if is_cast_of_integers(f) => {
            let near_one = float(1.0, t.ty().as_scalar().unwrap_or(Scalar::F64), by());
            let whole = Term::app(f.clone(), moved(e, turn, position));
            Term::apps(multiplication(t.ty()), [whole, near_one])
        }
        _ => {
            let near_one = rounded(t).filter(|_| turn >= OPERATIONS_FROM).map(|s| float(1.0, s, by() % 3));
            let children = t.children().into_iter().map(|child| moved(child, turn, position)).collect();
            let whole = t.with_children(children);
            match near_one {
                Some(near_one) => Term::apps(multiplication(t.ty()), [whole, near_one]),
                None => whole,
            }
        }
    }
}

/// The type of an operation that rounds what it gives.
fn rounded(t: &Term) -> Option<Scalar> {
    let scalar = t.ty().as_scalar().filter(|s| s.is_float())?;
    let (p, args) = t.as_pattern_app()?;
    (p.pattern.is_constant_arithmetic() && args.len() == 2).then_some(scalar)
}

/// A float of the type, so many units in its last place from another.
fn float(v: f64, s: Scalar, by: i32) -> Term {
    let v = match s {
        Scalar::F32 if (v as f32).is_normal() => {
            f64::from(f32::from_bits((v as f32).to_bits().wrapping_add_signed(by)))
        }
        Scalar::F64 if v.is_normal() => f64::from_bits(v.to_bits().wrapping_add_signed(by.into())),
        _ => v,
    };
    Term::lit(Literal::Float(v.to_bits(), s))
}

fn is_cast_of_integers(f: &Term) -> bool {
    let of_integers = |ty: &Type| {
        ty.as_fun().is_some_and(|(from, to)| {
            let (from, to) = (from.as_scalar(), to.as_scalar());
            from.is_some_and(|s| !s.is_float()) && to.is_some_and(Scalar::is_float)
        })
    };
    f.as_pattern() == Some(Pattern::Cast) && of_integers(f.ty())
}

fn multiplication(ty: &Type) -> Term {
    Term::prim(Pattern::Mul, vec![], Type::function(&[ty.clone(), ty.clone()], ty.clone()))
}

/// About how many roundings follow one another on the way to a result: those of each reduction as often as it has terms,
/// and each operation beside once. Sums in parts have shorter ways than sums from left to right, and a reduction that goes
/// on with what one around it accumulates has as many as both lengths multiplied.
pub fn steps(term: &Term, sizes: &Sizes) -> f64 {
    term.with_stack(|| Roundings { sizes }.all(&unfolded(term)).max(1.0))
}

struct Roundings<'a> {
    sizes: &'a Sizes,
}

/// The roundings of a term: those on the way from a variable to the result, and others.
#[derive(Clone, Copy, Default)]
struct Steps {
    through: f64,
    beside: f64,
}

impl Roundings<'_> {
    fn all(&self, t: &Term) -> f64 {
        self.of(t, None).beside
    }

    /// `through`: the variable from which ways are counted.
    fn of(&self, t: &Term, through: Option<u32>) -> Steps {
        let has = |t: &Term| through.is_some_and(|x| t.has_free(x));
        match t.expr() {
            Expr::Lit(_) | Expr::Var(_) => return Steps::default(),
            Expr::Lam(_, body) => return self.of(body, through.map(|x| x + 1)),
            Expr::Prim(_) | Expr::App(..) => {}
        }
        let (head, args) = t.spine();
        let own = match head.as_prim() {
            Some(p) if p.pattern.accumulates() => self.reduction(p, head.ty(), &args),
            Some(p) if matches!(p.pattern, Pattern::Add | Pattern::Sub | Pattern::Mul | Pattern::Div) => 1.0,
            Some(_) => 0.0,
            None => self.of(head, None).beside,
        };
        // The operator of a reduction is counted by its length.
        let counted = head.as_prim().is_some_and(|p| p.pattern.accumulates());
        let args = &args[usize::from(counted).min(args.len())..];
        if !has(t) {
            let beside = own + args.iter().map(|a| self.all(a)).sum::<f64>();
            return Steps { through: 0.0, beside };
        }
        // What functions among the arguments compute, they compute of the others.
        let (mut longest, mut steps) = (0.0f64, Steps { through: own, beside: 0.0 });
        for a in args {
            if a.ty().as_fun().is_some() && !has(a) {
                steps.through += self.all(a);
                continue;
            }
            let of = self.of(a, through);
            longest = longest.max(of.through);
            steps.beside += of.beside;
        }
        steps.through += longest;
        steps
    }

    /// The roundings of the operator on the way of what is accumulated, for each element, and those beside once.
    fn reduction(&self, p: &Prim, ty: &Type, args: &[&Term]) -> f64 {
        // The last parameter is the array.
        let (params, _) = ty.signature();
        let length = params
            .last()
            .and_then(Type::as_array)
            .and_then(|(n, _)| n.eval(&|x| self.sizes.get(x).copied()).ok().map(|n| n as f64));
        let operator = args.first().and_then(|f| Some((f, f.as_lam()?.1.as_lam()?.1)));
        let accumulated = u32::from(p.pattern != Pattern::ScanSeq);
        let each = match operator {
            Some((_, body)) => self.of(body, Some(accumulated)),
            None => Steps { through: args.first().map_or(0.0, |f| self.all(f)), beside: 0.0 },
        };
        length.unwrap_or(1.0) * each.through.max(1.0) + each.beside
    }
}

/// Does the program sum floats, and compute from natural numbers natural numbers only, none of which is greater than the
/// result that it goes into? Then floats are exact in any order while the result is, at inputs that are at least one.
pub fn counts_up(term: &Term) -> bool {
    fn literals(t: &Term) -> bool {
        let natural = |v: f64| v >= 0.0 && v.fract() == 0.0;
        let here = match t.expr() {
            Expr::Lit(Literal::Float(bits, _)) => natural(f64::from_bits(*bits)),
            _ => true,
        };
        here && t.children().into_iter().all(literals)
    }
    let grows = |p: &Prim, ty: &Type| {
        let of_floats = has_float(ty);
        let shrinks =
            matches!(p.pattern, Pattern::Sub | Pattern::Neg | Pattern::Div | Pattern::Select | Pattern::Cast)
                || math::of(p.pattern).is_some()
                || matches!(p.pattern, Pattern::Declared(_));
        !(decides(p.pattern, ty) || of_floats && shrinks)
    };
    let term = unfolded(term);
    let sums = !all(&term, &|p, ty| !(p.pattern.accumulates() && has_float(ty)));
    sums && literals(&term) && all(&term, &grows)
}

/// The greatest natural number up to which all of them are of every float type in the type.
pub fn exact_up_to(ty: &Type) -> f64 {
    match ty.kind() {
        TypeKind::Scalar(Scalar::F16) => 2048.0,
        TypeKind::Scalar(Scalar::F32) => f64::from(1 << 24),
        TypeKind::Array(_, t) | TypeKind::Vector(_, t) => exact_up_to(t),
        TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => exact_up_to(a).min(exact_up_to(b)),
        _ => 2f64.powi(53),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{infer, syntax};

    fn term(text: &str) -> Term {
        let (file, problems) = syntax::parse_program(crate::diag::Sources::new().add("t.rise", text), text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        infer::program(&file, None).0.unwrap().term
    }

    #[test]
    fn numbers_move_by_their_last_digits() {
        let t = term("def f (a: n.u8): n.f32 = a |> map (\\x. (cast x : f32) * 0.3 + 0.0)");
        let moved: Vec<Term> = (0..6).map(|turn| in_last_digits(&t, turn)).collect();
        let numbers = |t: &Term| -> Vec<f64> {
            let number = |t: &Term| match t.expr() {
                Expr::Lit(Literal::Float(bits, Scalar::F32)) => Some(f64::from_bits(*bits)),
                _ => None,
            };
            t.positions().into_iter().filter_map(|(_, part)| number(part)).collect()
        };
        assert!(moved.iter().any(|m| *m != moved[0]));
        for m in &moved {
            m.check().unwrap();
            let found = numbers(m);
            // What an integer becomes is multiplied by a number near one; nothing is moved away from zero.
            let near =
                |want: f64| found.iter().any(|v| (v - want).abs() <= 20.0 * want * f64::from(f32::EPSILON));
            assert!(found.len() == 3 && near(0.3) && near(1.0) && found.contains(&0.0), "{found:?}");
        }
    }

    /// Of a small number that is added to a greater one the last digits do not matter, but what the sum is rounded by.
    #[test]
    fn what_operations_give_moves_in_later_turns() {
        let t = term(
            "def f (a: n.f32) (b: n.i32) = zip a b |> map (\\p. (fst p * fst p - 4, max (snd p + 1) 2))",
        );
        let near_one = |t: &Term| {
            let is_near = |v: f64| v != 1.0 && (v - 1.0).abs() <= 2.0 * f64::from(f32::EPSILON);
            let is_moved = |t: &Term| matches!(t.expr(), Expr::Lit(Literal::Float(bits, _)) if is_near(f64::from_bits(*bits)));
            t.positions().into_iter().filter(|(_, part)| is_moved(part)).count()
        };
        let by_turn: Vec<usize> = (0..12).map(|turn| near_one(&in_last_digits(&t, turn))).collect();
        assert!(by_turn[..6].iter().all(|n| *n == 0), "{by_turn:?}");
        assert!(by_turn[6..].contains(&2) && by_turn[6..].iter().all(|n| *n <= 2), "{by_turn:?}");
        (0..12).for_each(|turn| in_last_digits(&t, turn).check().unwrap());
    }

    #[test]
    fn what_decides_by_floats_stays_at_its_width() {
        for (text, doubles) in [
            ("def f (a: n.f32) = a |> map (\\x. sqrt x * 0.1) |> reduce (+) 0", true),
            ("def f (a: n.f32) = a |> map (max 0) |> reduce min 0", true),
            ("def f (a: n.f32) = a |> map (\\x. select (x > 0) x 1)", false),
            ("def f (a: n.f32): n.i32 = a |> map (\\x. cast (x * 255))", false),
            ("def f (a: n.f32) = a |> map floor", false),
            ("def f (a: n.i32): n.f32 = a |> map (\\x. select (x > 0) (cast x) 0.1)", true),
        ] {
            let t = term(text);
            let found = in_doubles(&t).map(|(doubles, _)| doubles);
            assert_eq!(found.is_some(), doubles, "{text}");
            if let Some(d) = found {
                d.check().unwrap();
                assert!(
                    d.ty().to_string().contains("f64") && !d.ty().to_string().contains("f32"),
                    "{}",
                    d.ty()
                );
            }
        }
    }

    #[test]
    fn what_floats_decide_is_told_apart_by_components() {
        for (text, undecided) in [
            ("def f (a: n.f32): (n.f32 * n.bool) = (map sqrt a, map (\\x. x < 0) a)", vec![true, false]),
            (
                "def f (a: n.f32): n.(f32 * bool) = a |> map (\\x. let y = x * 2 in (y, y < 0))",
                vec![true, false],
            ),
            ("def f (a: n.f32): n.(i32 * f32) = zip (map (\\x. cast x) a) (map sqrt a)", vec![false, true]),
            (
                "def f (a: n.f32): (f32 * f32) = let s = reduce (+) 0 a in (s, select (s < 1) s 1)",
                vec![true, false],
            ),
            (
                "def f (a: n.f32): (n.f32 * f32) = let c = map (\\x. select (x < 0) 0 x) a in (c, reduce (+) 0 a)",
                vec![false, true],
            ),
            (
                "def f (a: n.f32): (f32 * f32) = reduce (\\p q. select (fst p < fst q) p q) (0, 0) (zip a a)",
                vec![],
            ),
        ] {
            let found = in_doubles(&term(text));
            assert_eq!(found.map_or(vec![], |(_, undecided)| undecided), undecided, "{text}");
        }
    }

    #[test]
    fn sums_in_parts_round_less_often() {
        let sizes = [("n".into(), 4096)].into_iter().collect();
        let whole = steps(&term("def f (a: n.f32) = a |> reduce (+) 0"), &sizes);
        let parts =
            steps(&term("def f (a: n.f32) = a |> split 64 |> map (reduce (+) 0) |> reduce (+) 0"), &sizes);
        assert_eq!((whole, parts), (4096.0, 128.0));
    }

    #[test]
    fn reductions_that_go_on_multiply() {
        let sizes = [("n".into(), 64), ("m".into(), 32)].into_iter().collect();
        let of = |body: &str| steps(&term(&format!("def f (a: n.m.f32) (b: m.f32) = {body}")), &sizes);
        assert_eq!(of("a |> reduceSeq (\\s r. reduceSeq (+) s r) 0"), 64.0 * 32.0);
        assert_eq!(of("a |> reduceSeq (\\s r. s + reduce (+) 0 r) 0"), 64.0 + 32.0);
        assert_eq!(of("a |> reduceSeq (\\s r. zip s r |> map (\\p. fst p + snd p)) b"), 64.0);
        assert_eq!(of("a |> map (\\r. zip r b |> map (\\p. fst p * snd p) |> reduce (+) 0)"), 33.0);
        assert_eq!(of("b |> reduceSeq (\\s x. s * x + 1) 0"), 64.0);
        assert_eq!(of("b |> reduceSeq (\\s x. (fst s + x, snd s * x)) (0, 1)"), 32.0);
        assert_eq!(of("b |> scanSeq (\\x s. s + x) 0"), 32.0);
    }

    #[test]
    fn sums_and_products_of_natural_numbers_count_up() {
        for (text, counts) in [
            ("def f (a b: n.f32) = zip a b |> map (\\p. fst p * snd p) |> reduce (+) 0", true),
            ("def f (a: n.f32) = a |> map abs |> reduce (+) 0", true),
            ("def f (a: n.f32) = a |> map abs", false),
            ("def f (a: n.i32) = a |> reduce (+) 0", false),
            ("def f (a: n.f32) = a |> reduce (\\s x. s - x) 0", false),
            ("def f (a: n.f32) = a |> reduce (\\s x. s + 0.5 * x) 0", false),
            ("def f (a: n.f32) = a |> map sqrt |> reduce (+) 0", false),
        ] {
            assert_eq!(counts_up(&term(text)), counts, "{text}");
        }
    }
}
