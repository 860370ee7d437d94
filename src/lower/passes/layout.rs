//! Temporary arrays are laid out in the order in which they are written, where that makes the innermost loops walk
//! through memory without jumps.
//!
//! `t[k][32*jb + j] := …` in loops over `jb`, `k` and `j` becomes `t[jb][k][j] := …`, and an element that was read at `[e][f]`
//! is read at `[f/32][e][f % 32]`, when no division is left in that. This is what packing a matrix is for (thesis section
//! 4.5): the program says which elements are computed in which loops, not where they lie.
//!
//! The new indices are the digits of the old ones, so each element keeps a cell of its own whatever the accesses are.

use crate::dpia::effects::{self, Effect};
use crate::dpia::{Imperative, Kind, Layout, Names, Phrase, PhraseType, element, extent};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat, Ranges};
use crate::lang::pattern::Pattern;
use crate::lang::ty::Type;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = lay_out(&p.body, &mut vec![]);
    Ok(p)
}

/// A loop's variable and bound.
type Loop = (Name, Nat);

/// `around`: the loops around the command, outermost first.
fn lay_out(c: &Phrase, around: &mut Vec<Loop>) -> Phrase {
    let go = |around: &mut Vec<Loop>| {
        let Ok(d) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(lay_out(d, around)));
        d
    };
    match c.kind() {
        Kind::For(l) => {
            around.push((l.var.clone(), l.n.clone()));
            let d = go(around);
            around.pop();
            d
        }
        Kind::New(space, ty, x, body) => {
            let body = lay_out(body, around);
            if let Some((ty, body)) = better(x, ty, &body, around) {
                return Phrase::new_in(*space, ty, x.clone(), body);
            }
            Phrase::new_in(*space, ty.clone(), x.clone(), body)
        }
        Kind::Seq(_) | Kind::If(..) => go(around),
        _ => c.clone(),
    }
}

/// One use of a cell.
struct Site {
    indices: Vec<Nat>,
    /// The loops around it, those outside the memory first.
    loops: Vec<Loop>,
    writes: bool,
}

/// A digit of an old index, which becomes an index of its own.
#[derive(PartialEq)]
struct Digit {
    dimension: usize,
    /// What one step of the digit is in the old index.
    step: Nat,
    extent: Nat,
    /// Whether no digit of the dimension stands before it.
    is_first: bool,
}

fn better(x: &Name, ty: &Type, body: &Phrase, around: &[Loop]) -> Option<(Type, Phrase)> {
    let (mut dims, mut scalar) = (vec![], ty.clone());
    while scalar.as_array().is_some() || scalar.as_vector().is_some() {
        dims.push(extent(&scalar));
        scalar = element(&scalar);
    }
    if dims.is_empty() || scalar.as_pair().is_some() {
        return None;
    }
    let sites = sites(body, x, dims.len(), around)?;
    let mut writes = sites.iter().filter(|s| s.writes);
    let (write, None) = (writes.next()?, writes.next()) else { return None };
    let digits = digits(write, &dims, &write.loops[around.len()..])?;

    let new_dims: Vec<Nat> = digits.iter().map(|d| d.extent.clone()).collect();
    let (mut before, mut after) = (0u64, 0u64);
    for site in &sites {
        let indices = at_digits(&site.indices, &digits, &site.ranges())?;
        before += site.cost(&site.indices, &dims);
        after += site.cost(&indices, &new_dims);
    }
    if after >= before {
        return None;
    }
    let new_ty = new_dims.iter().rev().fold(scalar, |t, n| Type::array(n.clone(), t));
    let body = redirect(body, x, &new_ty, &digits, &mut ranges_of(around))?;
    Some((new_ty, body))
}

impl Site {
    fn ranges(&self) -> Ranges {
        ranges_of(&self.loops)
    }

    /// What jumping through memory costs, in proportion to how often it happens.
    fn cost(&self, indices: &[Nat], dims: &[Nat]) -> u64 {
        let address = indices.iter().zip(dims).fold(Nat::constant(0), |a, (i, n)| a.mul(n).add(i));
        let jumps = self.loops.iter().rev().find_map(|(x, _)| {
            let step = address.step_of(x)?;
            (!step.is_zero()).then(|| step.as_constant() != Some(1))
        });
        let often = 16u64.saturating_pow(self.loops.len() as u32);
        if jumps == Some(true) { often } else { 0 }
    }
}

fn ranges_of(loops: &[Loop]) -> Ranges {
    let mut ranges = Ranges::default();
    loops.iter().for_each(|(x, n)| ranges.insert(x.clone(), Nat::constant(0), n.clone()));
    ranges
}

/// Every use of the memory; nothing when it is used in another way than cell by cell, in loops over all of their numbers.
fn sites(body: &Phrase, x: &Name, rank: usize, around: &[Loop]) -> Option<Vec<Site>> {
    let site = |e: Effect| {
        let indices: Option<Vec<Nat>> = e.place.indices().into_iter().map(|i| i.cloned()).collect();
        let by_cell = e.place.steps.len() == rank && e.loops.iter().all(|l| l.is_plain);
        let loops =
            around.iter().cloned().chain(e.loops.iter().map(|l| (l.var.clone(), l.n.clone()))).collect();
        Some(Site { indices: indices.filter(|_| by_cell)?, loops, writes: e.writes })
    };
    effects::of_memory(body, x).into_iter().map(site).collect()
}

/// The indices of a chain that leads to the memory, outermost first.
fn indices_of(p: &Phrase, x: &Name) -> Option<Vec<Phrase>> {
    match p.kind() {
        Kind::Var(y) => (x == y).then(Vec::new),
        Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => {
            let mut indices = indices_of(ps.get(1)?, x)?;
            indices.push(ps.first()?.clone());
            Some(indices)
        }
        _ => None,
    }
}

/// The loops as digits of the indices, when the loops together write every cell exactly once.
fn digits(write: &Site, dims: &[Nat], loops: &[Loop]) -> Option<Vec<Digit>> {
    let mut digits: Vec<Option<Digit>> = loops.iter().map(|_| None).collect();
    for (dimension, (index, dim)) in write.indices.iter().zip(dims).enumerate() {
        let mut step = Nat::constant(1);
        let mut rest = index.clone();
        let mut last = None;
        while step != *dim {
            let (k, (_, n)) = loops
                .iter()
                .enumerate()
                .find(|(k, (x, _))| digits[*k].is_none() && index.step_of(x).as_ref() == Some(&step))?;
            rest = rest.sub(&step.mul(&Nat::var(&loops[k].0)));
            digits[k] = Some(Digit { dimension, step: step.clone(), extent: n.clone(), is_first: false });
            last = Some(k);
            step = step.mul(n);
        }
        // A dimension of one element has no digits.
        rest.is_zero().then_some(())?;
        if let Some(digit) = last.and_then(|k| digits[k].as_mut()) {
            digit.is_first = true;
        }
    }
    // A loop whose variable is no digit writes the same cells again.
    digits.into_iter().collect()
}

/// The new indices, when they are free of divisions.
fn at_digits(indices: &[Nat], digits: &[Digit], ranges: &Ranges) -> Option<Vec<Nat>> {
    let digit = |d: &Digit| {
        let value = indices.get(d.dimension)?.floor_div(&d.step);
        let value = if d.is_first { value } else { value.modulo(&d.extent) };
        let value = value.simplify(ranges);
        (!value.has_division()).then_some(value)
    };
    digits.iter().map(digit).collect()
}

fn redirect(p: &Phrase, x: &Name, ty: &Type, digits: &[Digit], ranges: &mut Ranges) -> Option<Phrase> {
    if let Some(indices) = indices_of(p, x) {
        let indices = indices.iter().map(|i| Some(i.as_number()?.0)).collect::<Option<Vec<_>>>()?;
        let indices = at_digits(&indices, digits, ranges)?.into_iter().zip(digits);
        let indices = indices.map(|(i, d)| Phrase::number(i, Type::index(d.extent.clone())));
        return Some(match p.ty() {
            PhraseType::Acc(_) => {
                let whole = Phrase::var(x, PhraseType::Acc(ty.clone()));
                indices.fold(whole, |a, i| Phrase::idx_acc(i, a))
            }
            _ => indices.fold(Phrase::var(x, PhraseType::read(ty.clone())), |a, i| Phrase::idx(i, a)),
        });
    }
    if let Kind::For(l) = p.kind() {
        ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
    }
    p.map_children(&mut |c| redirect(c, x, ty, digits, ranges).ok_or(())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;
    use crate::lang::diag::Sources;
    use crate::lang::infer;
    use crate::lang::syntax::parse_program;
    use crate::pipeline;

    /// The type of the first temporary before the pass and after it.
    fn layouts(text: &str) -> (String, String) {
        let (file, problems) = parse_program(Sources::new().add("test.rise", text), text);
        assert!(problems.is_empty(), "{problems:?}");
        let (program, problems) = infer::program(&file, None);
        let program = program.unwrap_or_else(|| panic!("{problems:?}"));
        let stages = pipeline::lower(&program.term, &program.sizes, Target::C).unwrap();
        let temporary = |name: &str| {
            let (_, p) = stages.imperative.iter().find(|(n, _)| *n == name).unwrap();
            let mut found = String::new();
            p.body.any(&mut |c| match c.kind() {
                Kind::New(_, ty, ..) => {
                    found = ty.to_string();
                    true
                }
                _ => false,
            });
            found
        };
        (temporary("simplify"), temporary("layOut"))
    }

    const SUMS: &str = "mapSeq (reduceSeq (+) 0)";

    #[test]
    fn blocks_are_packed() {
        let text = format!(
            "def f (a: n.m.f32): n.f32 =
               let (toMem (join (mapSeq (\\b. transpose (mapSeq (mapSeq (\\x. x * 2)) (transpose b))) (split 4 a))))
                   (\\s. split 4 s |> map transpose |> mapSeq (\\b. transpose b |> {SUMS}) |> join)"
        );
        // Its sums walk along rows: as it is, that is along memory.
        assert_eq!(layouts(&text), ("n.m.f32".into(), "n.m.f32".into()));
        let text = format!(
            "def f (a: n.m.f32): (n/4).m.f32 =
               let (toMem (join (mapSeq (\\b. transpose (mapSeq (mapSeq (\\x. x * 2)) (transpose b))) (split 4 a))))
                   (\\s. split 4 s |> map transpose |> mapSeq ({SUMS}))"
        );
        assert_eq!(layouts(&text), ("n.m.f32".into(), "(n/4).m.4.f32".into()));
    }

    #[test]
    fn what_would_need_divisions_stays() {
        let text = format!(
            "def f (a: n.m.f32): m.f32 =
               let (toMem (join (mapSeq (\\b. transpose (mapSeq (mapSeq (\\x. x * 2)) (transpose b))) (split 4 a))))
                   (\\s. transpose s |> {SUMS})"
        );
        assert_eq!(layouts(&text), ("n.m.f32".into(), "n.m.f32".into()));
    }

    #[test]
    fn what_is_written_twice_stays() {
        let text = format!(
            "def f (a: n.m.f32): m.f32 =
               let (toMem (transpose (mapSeqUnroll (mapSeq (\\x. x * 2)) (take 2 a)))) (\\s. s |> {SUMS})"
        );
        assert_eq!(layouts(&text), ("m.2.f32".into(), "m.2.f32".into()));
    }
}
