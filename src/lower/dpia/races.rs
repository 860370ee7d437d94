//! May the iterations of loops run at once? What an iteration writes must be its own: memory that is allocated in it, or
//! cells whose address tells the number of the iteration. No other iteration may read them.
//!
//! In: an imperative program whose views are resolved. That 𝒜 writes every cell once makes its loops so; the check holds
//! passes to it. The proof reads the iteration off an address as a digit of a number in a mixed base, whatever the sizes
//! are. What it does not reach (divisions that may leave a remainder, say) is tried at small sizes. Addresses that depend on
//! data are believed: `scatter` is promised indices that differ. The answer says of each loop which of these it was.

use super::effects::{self, Effect};
use super::{Kind, Loop, LoopKind, Phrase, Workers, condition};
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Atom, Name, Nat, NatVar, Ranges};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Why it is taken for granted that the iterations of a loop keep apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trust {
    /// They do at small sizes.
    Tried,
    /// No small sizes fit what the addresses divide by.
    Untried,
    /// They use cells that data tell.
    Data,
}

/// A loop in parallel, by its variable, of which it was not proved that its iterations keep apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unproved {
    pub var: Name,
    pub trust: Trust,
}

impl std::fmt::Display for Unproved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let i = &self.var;
        match self.trust {
            Trust::Tried => write!(f, "it was tried, not proved, that the iterations over {i} keep apart"),
            Trust::Untried => write!(
                f,
                "it was not proved, and could not be tried, that the iterations over {i} keep apart"
            ),
            Trust::Data => {
                write!(f, "that the iterations over {i} keep apart depends on data, and is believed")
            }
        }
    }
}

/// The loops whose iterations run at once, by their variables, each with why it is believed that its iterations keep
/// apart; nothing where that is proved.
pub type Checked = BTreeMap<Name, Option<Trust>>;

/// What was found of loops whose iterations run at once, by their bodies, which are kept so that no other one takes their
/// place.
#[derive(Clone, Default, Debug)]
pub struct Known {
    loops: FxHashMap<usize, Iterations>,
    /// The same of each component of memory that a loop uses, by what is used of it: passes that change the body
    /// often leave that as it is.
    components: Components,
    /// What held of the sizes.
    constraints: Vec<SizeConstraint>,
}

/// By the variable of the loop and the component: how many iterations use what of it, and why they keep apart.
type Components = FxHashMap<(Name, Component), (Nat, Vec<Use>, Option<Trust>)>;

/// A loop's iterations, and why they keep apart.
#[derive(Clone, Debug)]
struct Iterations {
    var: Name,
    n: Nat,
    body: Phrase,
    /// Of the loops around, and what is known there.
    ranges: Ranges,
    trust: Option<Trust>,
}

/// The loops of a program, outermost first, of which it was not proved.
///
/// `checked`: from before the loops were shared out among work-items, too.
pub fn unproved(p: &Phrase, checked: &Checked) -> Vec<Unproved> {
    let mut found = vec![];
    let _ = p.any(&mut |c| {
        if let Kind::For(l) = c.kind()
            && let Some(Some(trust)) = checked.get(&l.var)
        {
            found.push(Unproved { var: l.var.clone(), trust: *trust });
        }
        false
    });
    found
}

/// What is known of each loop whose iterations run at once; `constraints` is what holds of the sizes, and `known` is from
/// programs that were checked before.
///
/// # Errors
/// A sentence that names the loop and the memory.
pub fn check(p: &Phrase, constraints: &[SizeConstraint], known: &mut Known) -> Result<Checked, String> {
    let mut checked = Checked::default();
    if known.constraints != constraints {
        *known = Known { constraints: constraints.to_vec(), ..Known::default() };
    }
    command(p, constraints, &mut SizeConstraint::ranges(constraints), known, &mut checked)?;
    Ok(checked)
}

fn command(
    p: &Phrase,
    constraints: &[SizeConstraint],
    ranges: &mut Ranges,
    known: &mut Known,
    checked: &mut Checked,
) -> Result<(), String> {
    match p.kind() {
        Kind::For(l) => {
            ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
            let at_once = match l.kind {
                LoopKind::Parallel(Workers::Threads) | LoopKind::Lanes => true,
                // Once they are shared out, a work-item runs its iterations in order.
                LoopKind::Parallel(_) => l.init.is_zero(),
                LoopKind::Sequential | LoopKind::Unrolled => false,
            };
            let several = l.n.as_constant().is_none_or(|n| n > 1);
            if at_once {
                let trust = if several { trust(l, constraints, ranges, known)? } else { None };
                checked.insert(l.var.clone(), trust);
            }
            command(&l.body, constraints, ranges, known, checked)?;
            ranges.remove(&l.var);
            Ok(())
        }
        Kind::If(c, then, otherwise) => {
            let either =
                [(condition::where_true(c), then), (Vec::from_iter(condition::where_false(c)), otherwise)];
            either.into_iter().try_for_each(|(natural, p)| {
                let before = ranges.clone();
                natural.iter().for_each(|n| ranges.assume(n));
                let checked = command(p, constraints, ranges, known, checked);
                *ranges = before;
                checked
            })
        }
        Kind::Seq(_) | Kind::New(..) | Kind::Kernel(..) => {
            p.children().into_iter().try_for_each(|c| command(c, constraints, ranges, known, checked))
        }
        _ => Ok(()),
    }
}

/// A component of memory: its name, and the projections that lead to it.
type Component = (Name, Vec<bool>);

/// The address of a cell within its component.
#[derive(Clone, PartialEq, Debug)]
struct Use {
    address: Nat,
    writes: bool,
    is_computed: bool,
    /// The loops around it: all of them, and those within the iteration.
    ranges: Ranges,
    inner: Vec<(Name, Nat)>,
    /// What is at least zero where the cell is used.
    known: Vec<Nat>,
}

impl Use {
    /// `ranges`: of the loops around the command.
    fn new(e: &Effect, ranges: &Ranges) -> Use {
        let mut ranges = ranges.clone();
        e.loops.iter().for_each(|l| ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone()));
        e.known.iter().for_each(|n| ranges.assume(n));
        // The variables of loops with one iteration are zero.
        let is_once = |v: &NatVar| {
            let once = |x: &Name| e.loops.iter().any(|l| l.var == *x && l.n == Nat::constant(1));
            matches!(v, NatVar::Named(x) if once(x))
        };
        Use {
            address: e.place.offset().subst(&|v| is_once(v).then(|| Nat::constant(0))),
            writes: e.writes,
            is_computed: !e.place.computed.is_empty(),
            known: ranges.known().to_vec(),
            ranges,
            inner: e.loops.iter().map(|l| (l.var.clone(), l.n.clone())).collect(),
        }
    }
}

/// Why it is believed that the iterations of the loop keep apart, which may be known.
fn trust(
    l: &Loop,
    constraints: &[SizeConstraint],
    ranges: &Ranges,
    known: &mut Known,
) -> Result<Option<Trust>, String> {
    if let Some(k) = known.loops.get(&l.body.piece())
        && k.body.is_same(&l.body)
        && (&k.var, &k.n, &k.ranges) == (&l.var, &l.n, ranges)
    {
        return Ok(k.trust);
    }
    let trust = iterations((&l.var, &l.n), &l.body, constraints, ranges, &mut known.components)?;
    let (var, n, body, ranges) = (l.var.clone(), l.n.clone(), l.body.clone(), ranges.clone());
    known.loops.insert(body.piece(), Iterations { var, n, body, ranges, trust });
    Ok(trust)
}

/// Why it is believed that iterations keep apart; nothing when it is proved.
fn iterations(
    (var, n): (&Name, &Nat),
    body: &Phrase,
    constraints: &[SizeConstraint],
    ranges: &Ranges,
    known: &mut Components,
) -> Result<Option<Trust>, String> {
    let mut shared = effects::written(body);
    let _ = body.any(&mut |p| {
        if let Kind::New(_, _, x, _) = p.kind() {
            shared.remove(x);
        }
        false
    });
    let mut used: BTreeMap<Component, Vec<Use>> = BTreeMap::new();
    for e in effects::of_some(body, &|x| shared.contains(x)) {
        let component = (e.memory.clone(), e.place.component());
        used.entry(component).or_default().push(Use::new(&e, ranges));
    }
    let mut worst = None;
    for (component, uses) in used {
        if !uses.iter().any(|u| u.writes) {
            continue;
        }
        let key = (var.clone(), component);
        // The ranges of the loops around are part of the uses.
        let trust = match known.get(&key) {
            Some((end, before, trust)) if end == n && *before == uses => *trust,
            _ => {
                let trust = apart((var, n), &key.1.0, &uses, constraints, ranges)?;
                known.insert(key, (n.clone(), uses, trust));
                trust
            }
        };
        worst = worst.max(trust);
    }
    Ok(worst)
}

/// Why it is believed that the iterations keep apart in what they use of one component; nothing when it is proved.
fn apart(
    (var, n): (&Name, &Nat),
    memory: &Name,
    uses: &[Use],
    constraints: &[SizeConstraint],
    ranges: &Ranges,
) -> Result<Option<Trust>, String> {
    if are_apart(var, n, uses) {
        return Ok(None);
    }
    if uses.iter().any(|u| u.is_computed) {
        return Ok(Some(Trust::Data));
    }
    match meet((var, n), uses, constraints, ranges) {
        Some(true) => {
            Err(format!("iterations over {var} write or read the same cells of `{memory}` at once"))
        }
        Some(false) => Ok(Some(Trust::Tried)),
        None => Ok(Some(Trust::Untried)),
    }
}

/// Do the addresses that one iteration uses differ from those of every other one, whatever the sizes are?
fn are_apart(var: &Name, n: &Nat, uses: &[Use]) -> bool {
    if uses.iter().any(|u| u.is_computed) {
        return false;
    }
    let mut all: Vec<(Nat, Ranges)> =
        uses.iter().map(|u| (u.address.simplify(&u.ranges), u.ranges.clone())).collect();
    // A variable that is divided becomes the two variables that division tells apart.
    let mut parts: Vec<(Name, Nat)> = vec![(var.clone(), n.clone())];
    let mut k = 0;
    while let Some((x, n)) = parts.get(k).cloned() {
        let Some(d) = all.iter().find_map(|(a, _)| a.divisor_of(&x)) else {
            k += 1;
            continue;
        };
        let quotient = n.exact_div(&d);
        if parts.len() > MAX_PARTS || !quotient.is_evidently_integral() {
            return false;
        }
        let (high, low): (Name, Name) = (format!("{x}'").into(), format!("{x}\"").into());
        let (v, value) = (NatVar::Named(x), d.mul(&Nat::var(&high)).add(&Nat::var(&low)));
        for (a, ranges) in &mut all {
            ranges.insert(high.clone(), Nat::constant(0), quotient.clone());
            ranges.insert(low.clone(), Nat::constant(0), d.clone());
            *a = a.subst(&|y| (*y == v).then(|| value.clone())).simplify(ranges);
        }
        parts.splice(k..=k, [(high, quotient), (low, d)]);
    }
    // What is written from its end is told apart as from its start.
    for (u, (a, ranges)) in uses.iter().zip(&mut all) {
        for (y, n) in &u.inner {
            if falls(a, y, ranges) {
                *a = mirrored(a, y, n);
            }
        }
    }
    for (x, n) in &parts {
        if all.iter().all(|(a, ranges)| falls(a, x, ranges)) {
            all.iter_mut().for_each(|(a, _)| *a = mirrored(a, x, n));
        }
    }
    // Where the memory's part begins that the loop works on is the same for all iterations.
    let inner: BTreeSet<&Name> = uses.iter().flat_map(|u| &u.inner).map(|(x, _)| x).collect();
    let varies =
        |v: &NatVar| matches!(v, NatVar::Named(x) if inner.contains(x) || parts.iter().any(|(y, _)| x == y));
    // Divisions of anything else are the same for all iterations.
    let divides = |(a, _): &(Atom, i32)| match a {
        Atom::Floor(x, n) | Atom::Mod(x, n) => x.vars().iter().chain(&n.vars()).any(varies),
        _ => false,
    };
    if all.iter().any(|(a, _)| a.terms().iter().flat_map(|(m, _)| m).any(divides)) {
        return false;
    }
    let starts: BTreeSet<Nat> =
        all.iter().map(|(a, _)| a.subst(&|v| varies(v).then(|| Nat::constant(0)))).collect();
    starts.iter().any(|start| {
        parts.iter().all(|(x, n)| {
            let Some((first, ranges)) = all.first() else { return false };
            let Some(step) = first.step_of(x) else { return false };
            // Where rows have room for more than the loop's iterations, the next digit counts by their lengths.
            let lengths = inner.iter().filter_map(|y| Some(first.step_of(y)?.exact_div(&step)));
            let is_base = |b: &Nat| b.is_evidently_integral() && b.sub(&Nat::constant(1)).is_natural(ranges);
            let mut bases = std::iter::once(n.clone()).chain(lengths.filter(is_base));
            bases.any(|base| all.iter().all(|(a, ranges)| is_digit(&a.sub(start), x, &base, &step, ranges)))
        })
    })
}

/// Does the number fall as the variable grows?
fn falls(number: &Nat, x: &Name, ranges: &Ranges) -> bool {
    number.step_of(x).is_some_and(|s| Nat::constant(-1).sub(&s).is_natural(ranges))
}

/// The number where the variable, below `n`, counts down.
fn mirrored(number: &Nat, x: &Name, n: &Nat) -> Nat {
    let v = NatVar::Named(x.clone());
    let down = n.sub(&Nat::constant(1)).sub(&Nat::variable(v.clone()));
    number.subst(&|y| (*y == v).then(|| down.clone()))
}

/// Is `x` the digit of the number that counts by `step`, where the next digit counts by `base * step`?
fn is_digit(number: &Nat, x: &Name, base: &Nat, step: &Nat, ranges: &Ranges) -> bool {
    let is_x = |digit: &Nat| matches!(digit.as_variable(), Some(NatVar::Named(y)) if y == x);
    if !step.sub(&Nat::constant(1)).is_natural(ranges) {
        return false;
    }
    let digits = number.floor_div(step).simplify(ranges);
    is_x(&digits) || is_x(&digits.modulo(base).simplify(ranges))
}

/// More divisions than this are not followed.
const MAX_PARTS: usize = 8;

/// Sizes at which iterations are tried, and the most cells that they may use there.
const TRIALS: i64 = 12;
const MAX_CELLS: usize = 20_000;
/// No iteration.
const NOBODY: i64 = -1;

/// Do two iterations meet at one of some small sizes? Nothing when none of them could be tried.
///
/// `constraints`: what holds of the sizes; `ranges`: of the loops around.
fn meet(
    (var, n): (&Name, &Nat),
    uses: &[Use],
    constraints: &[SizeConstraint],
    ranges: &Ranges,
) -> Option<bool> {
    let bound = |x: &Name| x == var || uses.iter().any(|u| u.inner.iter().any(|(y, _)| x == y));
    let ends: Vec<(&Name, &Nat)> = ranges.ends().filter(|(x, _)| *x != var).collect();
    let numbers = || {
        let used =
            uses.iter().flat_map(|u| u.inner.iter().map(|(_, n)| n).chain([&u.address]).chain(&u.known));
        used.chain(ends.iter().map(|(_, end)| *end)).chain([n])
    };
    let free: BTreeSet<Name> = numbers()
        .flat_map(Nat::vars)
        .filter_map(|v| if let NatVar::Named(x) = v { Some(x) } else { None })
        .filter(|x| !bound(x))
        .collect();
    // Sizes that are divided are multiples of what they are divided by.
    let divisor = numbers().filter_map(|n| n.as_fraction().1.as_constant()).fold(1, lcm);
    let mut tried = false;
    for trial in 0..TRIALS {
        // The sizes differ from each other, and from trial to trial; some are multiples of usual divisors.
        let unit = divisor * [1, 1, 1, 4, 2, 12][(trial % 6) as usize];
        let value = |i: usize| unit * (1 + (trial * (2 * i as i64 + 1) + i as i64) % 5);
        let mut values: FxHashMap<Name, i64> =
            free.iter().enumerate().map(|(i, x)| (x.clone(), value(i))).collect();
        if constraints.iter().any(|c| c.holds(&|x| values.get(x).copied()) == Ok(false)) {
            continue;
        }
        // The loops around are at some iteration that they have.
        let end_of = |end: &Nat, values: &FxHashMap<Name, i64>| {
            end.eval(&|x| values.get(x).copied()).ok().filter(|n| *n > 0)
        };
        for (i, (x, end)) in ends.iter().enumerate() {
            let end = end_of(end, &values).unwrap_or(1);
            values.insert((*x).clone(), (trial + i as i64) % end);
        }
        let within = |(x, end): &(&Name, &Nat)| end_of(end, &values).is_some_and(|n| values[*x] < n);
        match ends.iter().all(within).then(|| meet_at(var, n, uses, values)).flatten() {
            Some(true) => return Some(true),
            Some(false) => tried = true,
            None => {}
        }
    }
    tried.then_some(false)
}

/// The least common multiple, as far as trials can count.
fn lcm(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let least = (a / x.max(1)).saturating_mul(b);
    if (1..=MOST_DIVISOR).contains(&least) { least } else { a }
}

/// Sizes need not be multiples of more.
const MOST_DIVISOR: i64 = 4096;

fn meet_at(var: &Name, n: &Nat, uses: &[Use], mut values: FxHashMap<Name, i64>) -> Option<bool> {
    let number = |n: &Nat, values: &FxHashMap<Name, i64>| n.eval(&|x| values.get(x).copied()).ok();
    // The iteration that used a cell, and whether it wrote it.
    let mut cells: FxHashMap<i64, (i64, bool)> = FxHashMap::default();
    let mut left = MAX_CELLS;
    for i in 0..number(n, &values)?.min(MAX_CELLS as i64) {
        values.insert(var.clone(), i);
        for u in uses {
            let mut at = vec![0; u.inner.len()];
            'cells: loop {
                let mut k = 0;
                while let Some((x, n)) = u.inner.get(k) {
                    values.insert(x.clone(), at[k]);
                    if at[k] < number(n, &values)? {
                        k += 1;
                        continue;
                    }
                    // Carry to the loop around.
                    at[k..].fill(0);
                    let Some(outer) = k.checked_sub(1) else { break 'cells };
                    at[outer] += 1;
                    k = outer;
                }
                if u.known.iter().all(|n| number(n, &values).is_none_or(|n| n >= 0)) {
                    let address = number(&u.address, &values)?;
                    let (by, written) = *cells.entry(address).or_insert((i, u.writes));
                    if by != i && (written || u.writes) {
                        return Some(true);
                    }
                    // What several iterations read is none's: whoever writes it meets another.
                    let by = if by == i { i } else { NOBODY };
                    cells.insert(address, (by, written || u.writes));
                }
                left -= 1;
                let Some(last) = at.last_mut().filter(|_| left > 0) else { break };
                *last += 1;
            }
            if left == 0 {
                return Some(false);
            }
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::super::PhraseType;
    use super::*;
    use crate::lang::ty::{Scalar, Type};

    fn at(n: &Nat, bound: i64) -> Phrase {
        Phrase::number(n.clone(), Type::index(Nat::constant(bound)))
    }

    /// A loop over 8 iterations of the kind, which stores what it finds at `from(i)` of `x` at `to(i)` of `x`.
    fn moves(kind: LoopKind, from: impl Fn(&Nat) -> Nat, to: impl Fn(&Nat) -> Nat) -> Phrase {
        let (i, x): (Name, Name) = ("i".into(), "x".into());
        let var = Nat::var(&i);
        let array = Type::array(Nat::constant(32), Type::f32());
        let read = Phrase::idx(at(&from(&var), 32), Phrase::var(&x, PhraseType::read(array.clone())));
        let write = Phrase::idx_acc(at(&to(&var), 32), Phrase::var(&x, PhraseType::Acc(array)));
        Phrase::for_each(kind, i, Nat::constant(8), Phrase::assign(write, read))
    }

    fn check(p: &Phrase) -> Result<Checked, String> {
        super::check(p, &[], &mut Known::default())
    }

    fn trusted(p: &Phrase) -> Result<Vec<Unproved>, String> {
        check(p).map(|checked| unproved(p, &checked))
    }

    const PARALLEL: LoopKind = LoopKind::Parallel(Workers::Threads);

    #[test]
    fn cells_of_an_iteration_are_its_own() {
        let c = Nat::constant;
        assert!(check(&moves(PARALLEL, Nat::clone, Nat::clone)).is_ok());
        assert!(check(&moves(PARALLEL, |i| i.mul(&c(4)).add(&c(3)), |i| i.mul(&c(4)))).is_ok());
        assert!(check(&moves(PARALLEL, |i| i.add(&c(8)), |i| i.add(&c(16)))).is_ok());
    }

    #[test]
    fn what_iterations_share_is_refused() {
        let c = Nat::constant;
        for kind in [PARALLEL, LoopKind::Lanes, LoopKind::Parallel(Workers::Global(0))] {
            // One cell for all, a neighbour's cell, and blocks that overlap.
            let why = check(&moves(kind, Nat::clone, |_| c(3))).unwrap_err();
            assert!(why.contains("`x`") && why.contains("over i"), "{why}");
            assert!(check(&moves(kind, |i| i.add(&c(1)), Nat::clone)).is_err());
            assert!(check(&moves(kind, |i| i.mul(&c(2)).add(&c(2)), |i| i.mul(&c(2)))).is_err());
        }
        assert!(check(&moves(LoopKind::Sequential, |i| i.add(&c(1)), |_| c(3))).is_ok());
    }

    #[test]
    fn iterations_of_an_outer_loop_do_not_matter() {
        let (i, o) = (Nat::var("i"), Nat::var("o"));
        let inner = moves(PARALLEL, |i| i.add(&o), |i| i.add(&o));
        let outer = Phrase::for_each(LoopKind::Sequential, "o".into(), Nat::constant(5), inner);
        assert!(check(&outer).is_ok());
        let mirrored = Nat::constant(7).sub(&i);
        assert!(check(&moves(PARALLEL, |_| mirrored.clone(), |_| mirrored.clone())).is_ok());
        assert!(check(&moves(PARALLEL, |_| mirrored.clone(), Nat::clone)).is_err());
        // Divided, and put together again in another order.
        let swapped = i.modulo(&Nat::constant(4)).mul(&Nat::constant(2)).add(&i.floor_div(&Nat::constant(4)));
        assert!(check(&moves(PARALLEL, |_| swapped.clone(), |_| swapped.clone())).is_ok());
        // What an outer loop's number is divided by says nothing of the iterations.
        let half = |n: &Nat| n.floor_div(&Nat::constant(2));
        let (apart, shared) = (i.mul(&Nat::constant(3)).add(&half(&o)), half(&i.add(&o)));
        for (cell, is_apart) in [(apart, true), (shared, false)] {
            let inner = moves(PARALLEL, |_| cell.clone(), |_| cell.clone());
            let outer = Phrase::for_each(LoopKind::Sequential, "o".into(), Nat::constant(5), inner);
            assert_eq!(trusted(&outer).is_ok_and(|left| left.is_empty()), is_apart, "{cell}");
        }
    }

    /// A loop in parallel over `i < n` and one over `j < m` that stores at `to(i, j)`.
    fn fills(n: &Nat, m: &Nat, to: impl Fn(&Nat, &Nat) -> Nat) -> Phrase {
        let (i, j) = (Nat::var("i"), Nat::var("j"));
        let array = Type::array(Nat::var("l"), Type::f32());
        let cell = Phrase::number(to(&i, &j), Type::index(Nat::var("l")));
        let write = Phrase::idx_acc(cell, Phrase::var(&"x".into(), PhraseType::Acc(array)));
        let store =
            Phrase::assign(write, Phrase::lit(crate::lang::literal::Literal::float(1.0, Scalar::F32)));
        let inner = Phrase::for_each(LoopKind::Sequential, "j".into(), m.clone(), store);
        Phrase::for_each(PARALLEL, "i".into(), n.clone(), inner)
    }

    /// Rows and columns whose lengths are sums and products, forwards and backwards: proved, not tried.
    #[test]
    fn rows_of_any_symbolic_length_are_apart() {
        let c = Nat::constant;
        let [n, m, k] = ["n", "m", "k"].map(Nat::var);
        let lengths = [
            m.add(&c(1)),
            m.add(&k),
            m.mul(&c(2)).add(&k).add(&c(3)),
            m.mul(&k).add(&c(2)),
            m.add(&c(1)).mul(&k.add(&c(2))),
            m.sub(&c(1)),
            m.mul(&k).sub(&k),
            m.mul(&k).sub(&c(2)),
            c(7),
        ];
        for rows in &lengths {
            for columns in &lengths {
                let proved = |to: &dyn Fn(&Nat, &Nat) -> Nat| {
                    assert_eq!(trusted(&fills(rows, columns, to)), Ok(vec![]), "{rows} by {columns}");
                };
                proved(&|i, j| i.mul(columns).add(j));
                proved(&|i, j| j.mul(rows).add(i));
                proved(&|i, j| j.mul(&rows.add(&c(3))).add(i));
                proved(&|i, j| i.add(&n).mul(columns).add(j).add(&k));
                proved(&|i, j| i.add(&c(1)).mul(columns).sub(&c(1)).sub(j));
                proved(&|i, j| rows.sub(&c(1)).sub(i).mul(columns).add(j));
                proved(&|i, j| j.add(&c(1)).mul(rows).sub(&c(1)).sub(i));
                // A cell too many, a row too short, and diagonals.
                let refused = |to: &dyn Fn(&Nat, &Nat) -> Nat| {
                    assert!(check(&fills(rows, &columns.add(&c(1)), to)).is_err(), "{rows} by {columns}");
                };
                refused(&|i, j| i.mul(columns).add(j).sub(&j.mul(&c(2))));
                refused(&|i, j| i.mul(&columns.sub(&c(1))).add(j));
                refused(&|i, j| i.add(j));
            }
        }
    }

    /// What is not proved is tried: three may not divide the length.
    #[test]
    fn what_is_not_proved_is_tried() {
        let c = Nat::constant;
        let n = Nat::var("n");
        let swapped = |i: &Nat, _: &Nat| i.floor_div(&c(3)).add(&n.mul(&i.modulo(&c(3))));
        let tried = Unproved { var: "i".into(), trust: Trust::Tried };
        assert_eq!(trusted(&fills(&n, &c(1), swapped)), Ok(vec![tried.clone()]));
        // Where the length is said to be a multiple, trials keep to it.
        let rows = n.exact_div(&c(40));
        let swapped = |i: &Nat, _: &Nat| i.floor_div(&c(3)).add(&rows.mul(&i.modulo(&c(3))));
        assert_eq!(trusted(&fills(&rows, &c(1), swapped)), Ok(vec![tried]));
        assert!(check(&fills(&rows, &c(1), |i, _| i.floor_div(&c(3)))).is_err());
        assert!(check(&fills(&n, &c(1), |i, _| i.floor_div(&c(3)))).is_err());
        assert!(check(&fills(&n, &c(1), |i, _| i.modulo(&c(3)))).is_err());
    }

    /// An iteration of a loop around is tried only where there is one: rows of two, in a loop over two.
    #[test]
    fn loops_around_are_tried_within_their_ranges() {
        let c = Nat::constant;
        let o = Nat::var("o");
        let inner =
            |n: &Nat| fills(n, &c(1), |i, _| i.modulo(&c(7)).add(&i.floor_div(&c(7)).mul(&o.add(&c(6)))));
        let outer = |n: Nat| Phrase::for_each(LoopKind::Sequential, "o".into(), n, inner(&c(9)));
        // At o = 0 the eighth iteration writes the cell of the seventh.
        assert!(check(&outer(c(1))).is_err());
        let apart =
            |n: &Nat| fills(n, &c(1), |i, _| i.modulo(&c(7)).add(&i.floor_div(&c(7)).mul(&c(8).sub(&o))));
        // At o = 2 it does so here, and there is no such iteration unless the loop has three.
        assert!(check(&Phrase::for_each(LoopKind::Sequential, "o".into(), c(1), apart(&c(9)))).is_ok());
        assert!(check(&Phrase::for_each(LoopKind::Sequential, "o".into(), c(3), apart(&c(9)))).is_err());
    }

    #[test]
    fn memory_of_an_iteration_is_its_own() {
        let inner = moves(LoopKind::Sequential, |i| i.clone(), |_| Nat::constant(3));
        let array = Type::array(Nat::constant(32), Type::f32());
        let space = crate::target::Storage::Private;
        let own = Phrase::new_in(space, array.clone(), "x".into(), inner.clone());
        let n = Nat::constant(4);
        assert!(check(&Phrase::for_each(PARALLEL, "j".into(), n.clone(), own)).is_ok());
        let shared = Phrase::for_each(PARALLEL, "j".into(), n, inner);
        assert!(check(&Phrase::new_in(space, array, "x".into(), shared)).is_err());
    }
}
