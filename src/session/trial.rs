//! The sizes at which a kernel is checked before it is measured.

use super::action::Sizes;
use super::workspace::Workspace;
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::Diagnostic;
use crate::lang::infer::check_constraint;
use crate::lang::nat::NatError;
use crate::lang::term::Term;
use crate::lang::work;

/// The most operations or bytes of a run at small sizes; the interpreter has to go through them.
const SMALL: f64 = 3e7;

/// Sizes that are asked for are small if a run has no more of either: another kernel at other sizes takes longer to compile than
/// the interpreter to go through them.
const SMALL_BY_THEMSELVES: f64 = 1e6;

/// The most operations of a run at odd sizes.
const ODD: f64 = 1e8;

/// The largest sizes below the given ones that both make sense of, odd ones where there are. `shrink` is how much smaller
/// the largest has to be at least.
pub fn odd(workspace: &Workspace, term: &Term, measured: &Sizes, shrink: f64) -> Sizes {
    /// Sizes to try before one is left as it is.
    const TRIES: i64 = 20_000;
    let constraints = workspace.program.constraints_with(term);
    let mut sizes = measured.clone();
    let mut shrink = shrink;
    loop {
        let names: Vec<_> = sizes.keys().cloned().collect();
        let largest = sizes.values().max().copied().unwrap_or(1);
        for name in names {
            let before = sizes.get(&name).copied().unwrap_or(1);
            let limit = if before == largest { (before as f64 / shrink) as i64 } else { before };
            let mut holds = |n: &i64| {
                sizes.insert(name.clone(), *n);
                !constraints.iter().any(|c| c.holds(&|x| sizes.get(x).copied()) == Ok(false))
            };
            let below = (1.max(limit - TRIES)..limit).rev();
            let found = below
                .clone()
                .filter(|n| n % 2 == 1)
                .find(&mut holds)
                .or_else(|| below.into_iter().find(&mut holds));
            sizes.insert(name, found.unwrap_or(before));
        }
        let is_small = work::of(&workspace.program.term, &sizes).flops <= ODD;
        if is_small || sizes.values().max().is_none_or(|n| *n >= largest) {
            return sizes;
        }
        shrink = 2.0;
    }
}

/// The sizes that both can have, each the nearest below what is wished or else above it; as wished where none is near. What
/// permutations ask for is not looked at, which takes as long as their arrays are.
pub fn near(workspace: &Workspace, term: &Term, wished: &Sizes) -> Sizes {
    /// Sizes to try before one is left as it is.
    const TRIES: i64 = 20_000;
    let constraints = quick(workspace, term);
    let mut sizes = Sizes::new();
    for (name, wish) in wished {
        let mut holds = |n: &i64| {
            sizes.insert(name.clone(), *n);
            let known = |x: &str| sizes.get(x).copied();
            constraints.iter().all(|c| matches!(c.holds(&known), Ok(true) | Err(NatError::Unknown(_))))
        };
        let below = (1.max(wish - TRIES)..=*wish).rev().find(&mut holds);
        let found = below.or_else(|| (wish + 1..wish.saturating_add(TRIES)).find(&mut holds));
        sizes.insert(name.clone(), found.unwrap_or(*wish));
    }
    sizes
}

/// Can the program as written and the term have these sizes, as far as they are given and that is quickly known?
///
/// # Errors
/// `E0150`: what does not hold.
pub fn can_have(workspace: &Workspace, term: &Term, sizes: &Sizes) -> Result<(), Diagnostic> {
    let refused = |c: &SizeConstraint| check_constraint(c, sizes).err().filter(|d| d.code == "E0150");
    quick(workspace, term).iter().find_map(refused).map_or(Ok(()), Err)
}

/// What both ask of sizes, but for permutations.
fn quick(workspace: &Workspace, term: &Term) -> Vec<SizeConstraint> {
    let mut all = workspace.program.constraints_with(term);
    all.retain(|c| !matches!(c, SizeConstraint::Permutes(..)));
    all
}

/// Small sizes at which the program as written and as rewritten both make sense, different from each other where
/// possible, so that mixed-up dimensions are seen. The second are larger, and the earlier of them largest: there may be a result
/// at these only. None when there are none.
pub fn small(workspace: &Workspace, term: &Term) -> impl Iterator<Item = Sizes> {
    const CANDIDATES: [i64; 18] = [3, 5, 4, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256, 512];
    const LARGER: [i64; 12] = [96, 64, 48, 32, 24, 128, 16, 12, 8, 160, 192, 256];
    /// Tiles may be larger than that.
    const LARGEST: i64 = 16_384;
    let least = move || {
        let rest = CANDIDATES.last().copied().unwrap_or(0) + 1..=LARGEST;
        small_of(workspace, term, &CANDIDATES)
            .or_else(|| small_of(workspace, term, &CANDIDATES.into_iter().chain(rest).collect::<Vec<_>>()))
    };
    let larger = move || small_of(workspace, term, &LARGER);
    std::iter::once_with(least).chain(std::iter::once_with(larger)).flatten()
}

fn small_of(workspace: &Workspace, term: &Term, candidates: &[i64]) -> Option<Sizes> {
    let names = &workspace.program.sizes;
    let constraints = workspace.program.constraints_with(term);
    let mut sizes = Sizes::new();
    // Each size in turn takes the first candidate that no constraint on known sizes forbids. Constraints mostly
    // concern one size; where they tie several together, all combinations of a few are tried.
    fn go(
        names: &[crate::lang::nat::Name],
        candidates: &[i64],
        constraints: &[SizeConstraint],
        sizes: &mut Sizes,
        tries: &mut u32,
    ) -> bool {
        let Some((name, rest)) = names.split_first() else { return true };
        let (fresh, taken): (Vec<i64>, Vec<i64>) =
            candidates.iter().partition(|c| sizes.values().all(|v| v != *c));
        for c in fresh.into_iter().chain(taken) {
            *tries += 1;
            if *tries > 20_000 {
                return false;
            }
            sizes.insert(name.clone(), c);
            let broken = |s: &SizeConstraint| s.holds(&|n| sizes.get(n).copied()) == Ok(false);
            if !constraints.iter().any(broken) && go(rest, candidates, constraints, sizes, tries) {
                return true;
            }
            sizes.shift_remove(name);
        }
        false
    }
    if !go(names, candidates, &constraints, &mut sizes, &mut 0) {
        return None;
    }
    let all_hold = constraints.iter().all(|c| check_constraint(c, &sizes).is_ok());
    (all_hold && scalars(workspace, &sizes) < SMALL).then_some(sizes)
}

/// Is the interpreter asked at these sizes themselves?
pub fn are_small(workspace: &Workspace, sizes: &Sizes) -> bool {
    scalars(workspace, sizes) < SMALL_BY_THEMSELVES
}

/// The operations of a run, or its bytes, whichever are more.
fn scalars(workspace: &Workspace, sizes: &Sizes) -> f64 {
    let work = work::of(&workspace.program.term, sizes);
    work.flops.max(work.bytes)
}
