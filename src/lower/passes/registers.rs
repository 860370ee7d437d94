//! Private arrays of which only elements at known indices are used become a variable for each such element.
//!
//! After unrolling, `t[0] := …; t[1] := …; … t[0] + t[1]` needs no array: compilers would have to find out, and on GPUs an
//! array that stays one is in slow memory. Of the variables, those that nothing reads go. Elements that are arrays themselves are looked at in the same way; vectors stay.

use super::unread;
use crate::Target;
use crate::dpia::{Imperative, Kind, Layout, Names, Phrase};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Name;
use crate::lang::pattern::{AddressSpace, Pattern};
use crate::lang::ty::Type;
use crate::target::Storage;
use std::collections::{BTreeMap, BTreeSet};

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    p.body = unread::dropped(&to_registers(&p.body, p.target, names));
    Ok(p)
}

fn to_registers(c: &Phrase, target: Target, names: &mut Names) -> Phrase {
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(to_registers(d, target, names)));
    match c.kind() {
        Kind::New(storage @ Storage::Asked(space), ty, x, body)
            if *space == AddressSpace::Private || target == Target::C =>
        {
            split(*storage, ty, x, body, names).unwrap_or(c)
        }
        _ => c,
    }
}

/// The allocation of an array as one for each of its elements that is used.
fn split(storage: Storage, ty: &Type, x: &Name, body: &Phrase, names: &mut Names) -> Option<Phrase> {
    let (n, element) = ty.as_array()?;
    let n = n.as_constant()?;
    let mut used = BTreeSet::new();
    elements(body, x, n, &mut used)?;
    let origin = names.origin(x);
    let used: BTreeMap<i64, Name> = used.into_iter().map(|k| (k, names.element(x, k))).collect();
    used.values().for_each(|y| names.comes_from(y, &origin));
    let body = by_element(body, x, &used);
    Some(used.into_values().rev().fold(body, |body, y| {
        split(storage, element, &y, &body, names)
            .unwrap_or_else(|| Phrase::new_in(storage, element.clone(), y, body))
    }))
}

/// The index, when the phrase is an element of the array `x`.
fn element_of<'p>(p: &'p Phrase, x: &Name) -> Option<&'p Phrase> {
    match p.kind() {
        Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => match ps.as_slice() {
            [i, whole] if matches!(whole.kind(), Kind::Var(y) if y == x) => Some(i),
            _ => None,
        },
        _ => None,
    }
}

/// Adds the indices of the elements that are used; nothing where the array is used in another way.
fn elements(p: &Phrase, x: &Name, n: i64, used: &mut BTreeSet<i64>) -> Option<()> {
    if let Some(i) = element_of(p, x) {
        let (k, parts) = i.as_number()?;
        used.insert(k.as_constant().filter(|k| parts.is_empty() && (0..n).contains(k))?);
        return Some(());
    }
    match p.kind() {
        Kind::Var(y) if y == x => None,
        _ => p.children().into_iter().try_for_each(|c| elements(c, x, n, used)),
    }
}

/// The phrase with variables for the elements.
fn by_element(p: &Phrase, x: &Name, variables: &BTreeMap<i64, Name>) -> Phrase {
    let index = element_of(p, x).and_then(Phrase::as_number).and_then(|(k, _)| k.as_constant());
    if let Some(y) = index.and_then(|k| variables.get(&k)) {
        return Phrase::var(y, p.ty().clone());
    }
    let Ok(p) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(by_element(c, x, variables)));
    p
}

#[cfg(test)]
mod tests {
    use crate::Target;
    use crate::passes::tests::allocated_after;

    /// The types of what is allocated after the pass, outermost first.
    fn allocated(target: Target, body: &str) -> Vec<String> {
        let text = format!("def f (a: n.4.f32) (i: idx[4]): {body}");
        allocated_after("registers", &text, target).unwrap()
    }

    #[test]
    fn arrays_of_known_indices_are_variables() {
        let squares = |used: &str| {
            format!("n.f32 = a |> mapSeq (\\r. let (toMem (mapSeqUnroll (\\x. x * x) r)) (\\s. {used}))")
        };
        for target in [Target::C, Target::OpenCl] {
            assert_eq!(allocated(target, &squares("reduceSeqUnroll (+) 0 s")), ["f32"; 5]);
            // What is not read is not there.
            assert_eq!(allocated(target, &squares("idx 0 s + idx 3 s")), ["f32"; 2]);
            // An index that is not known keeps the array.
            assert_eq!(allocated(target, &squares("idx i s")), ["4.f32"]);
            assert_eq!(allocated(target, &squares("reduceSeq (+) 0 s")), ["4.f32", "f32"]);
        }
        let nested = "n.f32 = a |> mapSeq (\\r. let (toMem (split 2 r |> mapSeqUnroll (mapSeqUnroll (\\x. x * x)))) (\\s. s |> map (reduceSeqUnroll (+) 0) |> reduceSeqUnroll (*) 1))";
        assert_eq!(allocated(Target::C, nested), ["f32"; 7]);
        let rows = "n.f32 = a |> mapSeq (\\r. let (toMem (split 2 r |> mapSeqUnroll (mapSeq (\\x. x * x)))) (\\s. s |> map (reduceSeqUnroll (+) 0) |> reduceSeqUnroll (*) 1))";
        assert_eq!(allocated(Target::C, rows), ["2.f32", "2.f32", "f32", "f32", "f32"]);
    }
}
