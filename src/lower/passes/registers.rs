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
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// # Errors
/// None: it is a pass.
pub fn run(mut p: Imperative, names: &mut Names) -> Result<Imperative, Diagnostic> {
    let mut uses = Uses::default();
    uses.add(&p.body);
    let mut registers =
        Registers { target: p.target, uses: uses.of_memory, names, variables: FxHashMap::default() };
    p.body = unread::dropped(&registers.phrase(&p.body));
    Ok(p)
}

/// How something is used.
#[derive(Default)]
struct Use {
    /// Its elements at known indices.
    elements: BTreeMap<i64, Use>,
    /// Other than for these.
    otherwise: bool,
}

/// How all memory is used, in one walk.
#[derive(Default)]
struct Uses {
    /// What is in scope.
    open: FxHashMap<Name, Use>,
    /// By the piece that allocates it.
    of_memory: FxHashMap<usize, Use>,
}

impl Uses {
    fn add(&mut self, p: &Phrase) {
        if let Kind::New(_, _, x, body) = p.kind() {
            let outer = self.open.insert(x.clone(), Use::default());
            self.add(body);
            if let Some(found) = self.open.remove(x) {
                self.of_memory.insert(p.piece(), found);
            }
            self.open.extend(outer.map(|outer| (x.clone(), outer)));
            return;
        }
        let (mut whole, mut indices) = (p, vec![]);
        while let Some((i, array)) = indexed(whole) {
            indices.push(i);
            whole = array;
        }
        let Kind::Var(x) = whole.kind() else {
            p.children().into_iter().for_each(|c| self.add(c));
            return;
        };
        if let Some(mut here) = self.open.get_mut(x) {
            while let Some(k) = indices.last().and_then(|i| constant(i)) {
                here = here.elements.entry(k).or_default();
                indices.pop();
            }
            here.otherwise = true;
        }
        indices.into_iter().for_each(|i| self.add(i));
    }
}

struct Registers<'a> {
    target: Target,
    uses: FxHashMap<usize, Use>,
    names: &'a mut Names,
    /// Of the arrays in scope that become variables, which for which element.
    variables: FxHashMap<Name, BTreeMap<i64, Name>>,
}

impl Registers<'_> {
    /// The phrase with variables for arrays.
    fn phrase(&mut self, p: &Phrase) -> Phrase {
        // Another memory of this name was somewhere else.
        if let Kind::New(_, _, x, _) = p.kind() {
            self.variables.remove(x);
        }
        if let Kind::New(storage @ Storage::Asked(space), ty, x, body) = p.kind()
            && (*space == AddressSpace::Private || self.target == Target::C)
            && let Some(of) = self.uses.remove(&p.piece())
        {
            let variables = self.split(ty, x, &of);
            // The piece may stand at several places.
            self.uses.insert(p.piece(), of);
            if let Some(variables) = variables {
                let body = self.phrase(body);
                let allocated = |body, (y, ty)| Phrase::new_in(*storage, ty, y, body);
                return variables.into_iter().rev().fold(body, allocated);
            }
        }
        let Ok(p) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(self.phrase(c)));
        match self.variable(&p) {
            Some(y) => Phrase::var(y, p.ty().clone()),
            None => p,
        }
    }

    /// Variables for the elements of an array that are used, and for theirs, with their types; none where it is used in another way.
    fn split(&mut self, ty: &Type, x: &Name, of: &Use) -> Option<Vec<(Name, Type)>> {
        let (n, element) = ty.as_array()?;
        let n = n.as_constant()?;
        if of.otherwise || !of.elements.keys().all(|k| (0..n).contains(k)) {
            return None;
        }
        let origin = self.names.origin(x);
        let elements: BTreeMap<i64, Name> =
            of.elements.keys().map(|k| (*k, self.names.element(x, *k))).collect();
        elements.values().for_each(|y| self.names.comes_from(y, &origin));
        let mut variables = vec![];
        for (y, of) in elements.values().zip(of.elements.values()) {
            match self.split(element, y, of) {
                Some(parts) => variables.extend(parts),
                None => variables.push((y.clone(), element.clone())),
            }
        }
        self.variables.insert(x.clone(), elements);
        Some(variables)
    }

    /// The variable, where the phrase is an element for which there is one.
    fn variable(&self, p: &Phrase) -> Option<&Name> {
        let (i, array) = indexed(p)?;
        let Kind::Var(x) = array.kind() else { return None };
        self.variables.get(x)?.get(&constant(i)?)
    }
}

/// The index and the array, when the phrase is an element of one.
fn indexed(p: &Phrase) -> Option<(&Phrase, &Phrase)> {
    match p.kind() {
        Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => match ps.as_slice() {
            [i, array] => Some((i, array)),
            _ => None,
        },
        _ => None,
    }
}

/// The index, when it is known.
fn constant(index: &Phrase) -> Option<i64> {
    let (k, parts) = index.as_number()?;
    k.as_constant().filter(|_| parts.is_empty())
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
