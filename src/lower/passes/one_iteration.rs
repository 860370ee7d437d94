//! Runs one iteration of a loop instead of all of them, where each asks whether its number is the one that data say.
//!
//! `for i < k { t[i] = select(key == i, t[i] + x, t[i]) }` changes one cell at most: it becomes
//! `if 0 <= key and key < k { t[key] = t[key] + x }`. Counting how often each of `k` numbers occurs, or summing the rows that
//! belong to each of `k` groups, so takes a step for each element, and not one for each of them and each number.

use super::elide::is_idle;
use super::in_place;
use crate::dpia::effects;
use crate::dpia::{Imperative, Kind, Loop, LoopKind, Names, Phrase, PhraseType};
use crate::imperative::deferred::may_fail;
use crate::lang::diag::Diagnostic;
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use crate::lang::ty::{Scalar, Type};

/// Of so many numbers that are compared with, compilers compare all at once.
const FEW: i64 = 8;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = in_all(&p.body, names);
    Ok(p)
}

/// Outer loops come first: what they leave over of a condition, inner ones may ask.
fn in_all(c: &Phrase, names: &mut Names) -> Phrase {
    if c.ty() != &PhraseType::Comm {
        return c.clone();
    }
    let less = if let Kind::For(l) = c.kind() { one(l, names) } else { None };
    let inner = less.as_ref().unwrap_or(c);
    let Ok(inner) = inner.map_children::<std::convert::Infallible>(&mut |d| Ok(in_all(d, names)));
    if less.is_some() { on_lanes(&inner) } else { inner }
}

/// What is left of the loop, if at most one of its iterations changes anything.
fn one(l: &Loop, names: &mut Names) -> Option<Phrase> {
    let is_whole = l.kind == LoopKind::Sequential && l.init.is_zero() && l.step == Nat::constant(1);
    let is_short =
        l.n.as_constant().is_some_and(|n| n <= FEW) && !l.body.any(&mut |p| matches!(p.kind(), Kind::For(_)));
    if !is_whole || is_short || sizes_depend(&l.body, &l.var) {
        return None;
    }
    let (asked, body) = Asked::all_of(l).into_iter().find_map(|asked| {
        let body = asked.without(&l.body, &mut vec![])?;
        Some((asked, body))
    })?;
    let index = (names.fresh(&l.var), asked.index());
    let body = at_data(&body, &l.var, &index);
    let origin = names.origin(&l.var);
    Some(Phrase::if_else(asked.is_in_range(), body, Phrase::skip()).with_origin(&origin))
}

/// What each iteration of a loop asks.
struct Asked<'a> {
    of: &'a Loop,
    /// The question, as it stands there.
    question: Phrase,
    /// The number that the iteration's own is compared with, which is the same in all iterations.
    key: Phrase,
}

impl Asked<'_> {
    /// The questions that tell one iteration from all others.
    fn all_of(l: &Loop) -> Vec<Asked<'_>> {
        let mut all: Vec<Asked<'_>> = vec![];
        l.body.any(&mut |p| {
            let asked = compared_with(p, &l.var).map(|key| Asked { of: l, question: p.clone(), key });
            let is_new = |a: &Asked<'_>| all.iter().all(|b| b.question != a.question);
            all.extend(asked.filter(|a| is_new(a) && a.is_constant() && a.tells_numbers_apart()));
            false
        });
        all
    }

    /// Does the key have a value that stays the same, whatever the iterations do?
    fn is_constant(&self) -> bool {
        let mut own = effects::written(&self.of.body);
        own.insert(self.of.var.clone());
        self.of.body.any(&mut |p| {
            match p.kind() {
                Kind::For(l) => own.insert(l.var.clone()),
                Kind::New(_, _, x, _) => own.insert(x.clone()),
                _ => false,
            };
            false
        });
        !may_fail(&self.key) && !own.iter().any(|x| self.key.mentions(x))
    }

    /// Do all numbers of the loop differ as values of the key's type?
    fn tells_numbers_apart(&self) -> bool {
        let Some(scalar) = self.key.data().as_scalar() else { return self.key.data() == Type::nat_type() };
        if !scalar.is_integer() {
            return false;
        }
        let n = &self.of.n;
        match scalar {
            Scalar::I64 | Scalar::U64 => true,
            // A size has 31 bits.
            Scalar::I32 | Scalar::U32 if n.as_variable().is_some() => true,
            _ => n.as_constant().is_some_and(|n| Literal::number(i128::from(n) - 1, scalar).is_some()),
        }
    }

    /// Has the loop an iteration of the key's number?
    fn is_in_range(&self) -> Phrase {
        let n = Phrase::nat(self.of.n.clone());
        let zero = Phrase::nat(Nat::constant(0));
        // Numbers of 64 bits need not fit into those of places.
        let (key, zero, n) = match self.key.data().as_scalar() {
            Some(scalar @ (Scalar::I64 | Scalar::U64)) => {
                let to = |n| cast(n, Type::scalar(scalar));
                (self.key.clone(), to(zero), to(n))
            }
            _ => (self.number(), zero, n),
        };
        Phrase::and(Phrase::at_most(zero, key.clone()), Phrase::less(key, n))
    }

    fn number(&self) -> Phrase {
        if self.key.data() == Type::nat_type() {
            self.key.clone()
        } else {
            cast(self.key.clone(), Type::nat_type())
        }
    }

    /// The key as the number of an iteration.
    fn index(&self) -> Phrase {
        let (n, number) = (&self.of.n, self.number());
        let args = vec![Arg::Nat(n.clone())];
        let access = number.access();
        Phrase::pattern(Pattern::NatAsIndex, args, vec![number], Type::index(n.clone()), access)
    }

    /// The command of the iteration that is chosen, if the others do nothing; `own` is memory of each iteration. The question
    /// must be asked whatever else is: what it reads need not be there otherwise.
    fn without(&self, c: &Phrase, own: &mut Vec<Name>) -> Option<Phrase> {
        if effects::written(c).iter().all(|x| own.contains(x)) && !c.has_barrier() {
            return Some(c.clone());
        }
        let made = match c.kind() {
            Kind::Seq(cs) => {
                Phrase::seq(cs.iter().map(|c| self.without(c, own)).collect::<Option<Vec<_>>>()?)
            }
            Kind::New(storage, ty, x, body) => {
                own.push(x.clone());
                Phrase::new_in(*storage, ty.clone(), x.clone(), self.without(body, own)?)
            }
            Kind::For(l) => {
                (!matches!(l.kind, LoopKind::Parallel(_))).then_some(())?;
                Phrase::for_loop(Loop { body: self.without(&l.body, own)?, ..(**l).clone() })
            }
            Kind::If(condition, then, otherwise) if matches!(otherwise.kind(), Kind::Skip) => {
                match self.rest(condition)? {
                    Rest::Nothing => then.clone(),
                    Rest::Asked(rest) => Phrase::if_else(rest, then.clone(), Phrase::skip()),
                }
            }
            Kind::Assign(to, value) => {
                let Kind::Pattern(Pattern::Select, _, ps) = value.kind() else { return None };
                let [condition, then, otherwise] = ps.as_slice() else { return None };
                is_idle(&Phrase::assign(to.clone(), otherwise.clone())).then_some(())?;
                let value = match self.rest(condition)? {
                    Rest::Nothing => then.clone(),
                    Rest::Asked(rest) => Phrase::select(rest, then.clone(), otherwise.clone()),
                };
                Phrase::assign(to.clone(), value)
            }
            _ => return None,
        };
        Some(made.with_origin(c.origin()))
    }

    /// What a condition asks once the question is answered, which it asks first; none where it does not.
    fn rest(&self, condition: &Phrase) -> Option<Rest> {
        if *condition == self.question {
            return Some(Rest::Nothing);
        }
        // `a and b` is `b` where `a` holds.
        let Kind::Pattern(Pattern::Select, _, ps) = condition.kind() else { return None };
        let [a, b, otherwise] = ps.as_slice() else { return None };
        matches!(otherwise.kind(), Kind::Lit(Literal::Bool(false))).then_some(())?;
        Some(Rest::Asked(match self.rest(a)? {
            Rest::Nothing => b.clone(),
            Rest::Asked(rest) => Phrase::and(rest, b.clone()),
        }))
    }
}

/// What is left of a condition.
enum Rest {
    Nothing,
    Asked(Phrase),
}

/// Does a length, or the type of memory, depend on the variable of a loop? Only numbers can be data.
fn sizes_depend(p: &Phrase, var: &Name) -> bool {
    let has = |n: &Nat| n.vars().contains(&NatVar::Named(var.clone()));
    p.any(&mut |p| match p.kind() {
        Kind::For(l) => [&l.init, &l.n, &l.step].into_iter().any(has),
        Kind::New(_, ty, ..) => {
            let mut depends = false;
            ty.for_each_nat(&mut |n| depends |= has(n));
            depends
        }
        Kind::Pattern(_, args, _) => args.iter().any(|a| matches!(a, Arg::Nat(n) if has(n))),
        _ => false,
    })
}

fn cast(e: Phrase, to: Type) -> Phrase {
    let access = e.access();
    Phrase::pattern(Pattern::Cast, vec![], vec![e], to, access)
}

/// What the variable of a loop is compared with, if that is what the expression does.
fn compared_with(p: &Phrase, var: &Name) -> Option<Phrase> {
    let Kind::Pattern(Pattern::Equal, _, ps) = p.kind() else { return None };
    let [a, b] = ps.as_slice() else { return None };
    let is_variable = |p: &Phrase| {
        let number = match p.kind() {
            Kind::Pattern(Pattern::Cast, _, ps) => ps.first()?.as_number(),
            _ => p.as_number(),
        };
        let (n, parts) = number?;
        (parts.is_empty() && n.as_variable() == Some(&NatVar::Named(var.clone()))).then_some(())
    };
    if is_variable(b).is_some() { Some(a.clone()) } else { is_variable(a).map(|()| b.clone()) }
}

/// The command whose innermost loops, where their iterations keep apart, are told to be vectors: compilers take loops of few
/// iterations over a place that data say for single steps (gcc 12, rows of 16 floats: 4 times as slow).
fn on_lanes(c: &Phrase) -> Phrase {
    if c.ty() != &PhraseType::Comm {
        return c.clone();
    }
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(on_lanes(d)));
    match c.kind() {
        Kind::For(l) if l.kind == LoopKind::Sequential && in_place::keeps_apart(l) => {
            Phrase::for_loop(Loop { kind: LoopKind::Lanes, ..(**l).clone() })
        }
        _ => c,
    }
}

/// The phrase where data say the variable's value.
fn at_data(p: &Phrase, var: &Name, index: &(Name, Phrase)) -> Phrase {
    let Ok(p) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(at_data(c, var, index)));
    match p.kind() {
        Kind::Number(n, parts) if n.vars().contains(&NatVar::Named(var.clone())) => {
            let n = n.subst(&|v| matches!(v, NatVar::Named(x) if x == var).then(|| Nat::var(&index.0)));
            let parts = parts.iter().cloned().chain([index.clone()]).collect();
            Phrase::new(Kind::Number(n, parts), p.ty().clone()).with_origin(p.origin())
        }
        _ => p,
    }
}

#[cfg(test)]
mod tests {
    use crate::dpia::exec::{self, Options};
    use crate::lang::diag::FileId;
    use crate::lang::eval::{self, Limits, inputs};
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::lang::value::Tolerance;
    use crate::{Target, lower_term, pipeline};

    /// The program over arrays of `L` elements before and after the pass, as text, after it was run on data of which some are
    /// numbers of iterations.
    fn passed(text: &str) -> (String, String) {
        let text = &text.replace('L', "n");
        let (file, problems) = parse_program(FileId::NOWHERE, text);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        let (program, problems) = infer::program(&file, None);
        let p = program.unwrap_or_else(|| panic!("{text}: {problems:?}"));
        let lowered = lower_term(&p.term).unwrap();
        let stages = pipeline::lower(&lowered, &p.sizes, Target::C).unwrap_or_else(|d| panic!("{text}: {d}"));
        let at = stages.imperative.iter().position(|(name, _)| *name == "oneIteration").unwrap();
        for (n, kind) in
            [(1, inputs::Kind::SmallIntegers), (9, inputs::Kind::SmallIntegers), (5, inputs::Kind::Positive)]
        {
            let sizes = eval::sizes(p.sizes.iter().map(|x| (&**x, n)));
            let inputs = inputs::for_program(&p.ty, &sizes, 3, kind).unwrap();
            let expected = eval::run(&p.term, &sizes, &inputs, &Limits::TEST).unwrap();
            let found = exec::run(&stages.imperative[at].1, &sizes, &inputs, Options::default());
            let found = found.unwrap_or_else(|d| panic!("{text} at {n}: {d}"));
            let same = expected.agrees(&found, Tolerance::Exact);
            same.unwrap_or_else(|why| panic!("{text} at {n}: {why}\n{}", stages.imperative[at].1.body));
        }
        (stages.imperative[at - 1].1.body.to_string(), stages.imperative[at].1.body.to_string())
    }

    /// A reduction of `x` whose step changes one of `L` accumulators, by `a`.
    fn step(keys: &str, choice: &str) -> String {
        format!(
            "def f (a: m.{keys}) (x: m.f32): L.f32 = zip a x |> reduceSeq (\\acc v.
               zip acc (generate (\\i. i)) |> map (\\z. {choice})) (generate (\\i. 0.0))"
        )
    }

    #[test]
    fn one_iteration_is_left_where_all_ask_for_theirs() {
        let chosen = "select (fst v == cast (indexAsNat (snd z))) (fst z + snd v) (fst z)";
        for text in [
            step("i32", chosen),
            step("i64", chosen),
            step("u32", chosen),
            step("u8", chosen).replace('L', "200"),
            step("i8", chosen).replace('L', "100"),
            // On either side, of what is computed, and with more that is asked.
            step("i32", "select (cast (indexAsNat (snd z)) == fst v % 3) (fst z + snd v) (fst z)"),
            step("i32", "select (fst v == cast (indexAsNat (snd z)) and snd v > 1) (fst z * snd v) (fst z)"),
            // Numbers of places.
            "def f (a: m.idx[L]): L.f32 = a |> reduceSeq (\\acc v. zip acc (generate (\\i. i)) |> map (\\z.
               select (indexAsNat v == indexAsNat (snd z)) (fst z + 1.0) (fst z))) (generate (\\i. 0.0))".into(),
            // Rows.
            "def f (a: m.i32) (x: m.k.f32): L.k.f32 = zip a x |> reduceSeq (\\acc v. zip acc (generate (\\i. i)) |> map (\\z.
               zip (fst z) (snd v) |> map (\\e. select (fst v == cast (indexAsNat (snd z))) (fst e + snd e) (fst e))))
               (generate (\\i. generate (\\j. 0.0)))".into(),
            // In two dimensions.
            "def f (a b: m.i32): L.L.i32 = zip a b |> reduceSeq (\\acc v. zip acc (generate (\\i. i)) |> map (\\z.
               zip (fst z) (generate (\\j. j)) |> map (\\e.
                 select (fst v == cast (indexAsNat (snd z)) and snd v == cast (indexAsNat (snd e))) (fst e + 1) (fst e))))
               (generate (\\i. generate (\\j. 0)))".into(),
        ] {
            let (before, after) = passed(&text);
            assert!(before.contains("= select"), "{before}");
            assert_eq!(after.matches("= select").count(), usize::from(text.contains("snd v > 1")), "{after}");
            // What is left of rows is vectors.
            assert_eq!(after.matches("forLanes").count(), usize::from(text.contains("m.k.f32")), "{after}");
        }
    }

    #[test]
    fn loops_stay_where_more_iterations_may_do_something() {
        let chosen = "select (fst v == cast (indexAsNat (snd z))) (fst z + snd v) (fst z)";
        for text in [
            // Few numbers, and numbers that a type does not tell apart.
            step("i32", chosen).replace('L', "8"),
            step("u8", chosen),
            step("i8", chosen).replace('L', "200"),
            step("f32", chosen),
            // The others do something, too.
            step("i32", "select (fst v == cast (indexAsNat (snd z))) (fst z + snd v) 0"),
            step("i32", "select (fst v < cast (indexAsNat (snd z))) (fst z + snd v) (fst z)"),
            step("i32", "select (fst v == cast (indexAsNat (snd z)) or snd v > 1) (fst z + snd v) (fst z)"),
            // What the key reads is not there for all.
            step("i32", "select (snd v > 1 and fst v == cast (indexAsNat (snd z))) (fst z + snd v) (fst z)"),
            // The key is what the loop changes.
            "def f (a: m.i32): L.i32 = a |> reduceSeq (\\acc v. zip acc (generate (\\i. i)) |> map (\\z.
               select (fst z == cast (indexAsNat (snd z))) (fst z + v) (fst z))) (generate (\\i. 0))"
                .into(),
        ] {
            let (before, after) = passed(&text);
            assert_eq!(before, after, "{text}");
        }
    }
}
