//! What a command reads and writes: the cells, and the loops around each use.
//!
//! Views must be resolved: an expression or acceptor is then a chain of indices and projections that starts at memory.
//! Whoever asks which cells are used, in which loops, asks here: races, work-items, layout, updates in place.

use super::{Kind, Layout, Loop, LoopKind, Phrase, PhraseType, condition, extent};
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A step from memory towards a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The element at an index, of so many; no index where it depends on data.
    At(Option<Nat>, Nat),
    First,
    Second,
}

/// A cell, or a part of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// None for a literal array.
    pub memory: Option<Name>,
    /// Outermost first.
    pub steps: Vec<Step>,
    /// The indices that depend on data.
    pub computed: Vec<Phrase>,
}

impl Place {
    /// Where the expression or acceptor leads, if it is a place.
    pub fn of(p: &Phrase) -> Option<Place> {
        let (whole, step, computed) = match p.kind() {
            Kind::Var(x) => {
                return Some(Place { memory: Some(x.clone()), steps: vec![], computed: vec![] });
            }
            Kind::Pattern(Pattern::MakeArray, ..) => {
                return Some(Place { memory: None, steps: vec![], computed: vec![] });
            }
            Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => {
                let [i, whole] = ps.as_slice() else { return None };
                let known = i.as_number().filter(|(_, parts)| parts.is_empty()).map(|(n, _)| n);
                let computed = if known.is_none() { Some(i) } else { None };
                (whole, Step::At(known, extent(&whole.data())), computed)
            }
            Kind::Pattern(Pattern::Fst, _, ps) | Kind::Acceptor(Layout::First, ps) => {
                (ps.first()?, Step::First, None)
            }
            Kind::Pattern(Pattern::Snd, _, ps) | Kind::Acceptor(Layout::Second, ps) => {
                (ps.first()?, Step::Second, None)
            }
            _ => return None,
        };
        let mut place = Place::of(whole)?;
        place.steps.push(step);
        place.computed.extend(computed.cloned());
        Some(place)
    }

    /// The projections that lead to the component; true is the second.
    pub fn component(&self) -> Vec<bool> {
        let projection = |s: &Step| match s {
            Step::At(..) => None,
            Step::First => Some(false),
            Step::Second => Some(true),
        };
        self.steps.iter().filter_map(projection).collect()
    }

    /// The index in each dimension.
    pub fn indices(&self) -> Vec<Option<&Nat>> {
        let steps = self.steps.iter();
        steps.filter_map(|s| if let Step::At(i, _) = s { Some(i.as_ref()) } else { None }).collect()
    }

    /// The row-major offset within the component; what is known of it, where indices depend on data.
    pub fn offset(&self) -> Nat {
        self.steps.iter().fold(Nat::constant(0), |offset, s| match s {
            Step::At(Some(i), n) => offset.mul(n).add(i),
            _ => offset,
        })
    }
}

/// A loop around a use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Around {
    pub kind: LoopKind,
    pub var: Name,
    pub init: Nat,
    pub n: Nat,
    pub step: Nat,
    /// Whether it goes through every number below its end.
    pub is_plain: bool,
}

impl Around {
    pub fn of(l: &Loop) -> Around {
        let (kind, var, init, n, step) = (l.kind, l.var.clone(), l.init.clone(), l.n.clone(), l.step.clone());
        let is_plain = init.is_zero() && step == Nat::constant(1);
        Around { kind, var, init, n, step, is_plain }
    }
}

/// A use of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    pub memory: Name,
    pub place: Place,
    pub writes: bool,
    /// The loops of the command that it stands in, outermost first.
    pub loops: Arc<[Around]>,
    /// Numbers that are at least zero where it happens: what the choices say that it stands in.
    pub known: Arc<[Nat]>,
}

/// Every use of memory by a command or an expression, in the order in which they stand: what indices read comes before
/// the cell, and what is stored before where.
pub fn of(p: &Phrase) -> Vec<Effect> {
    of_some(p, &|_| true)
}

/// The uses of one memory.
pub fn of_memory(p: &Phrase, memory: &Name) -> Vec<Effect> {
    of_some(p, &|x| x == memory)
}

/// The uses of the memory that is asked for.
pub fn of_some(p: &Phrase, is_asked: &dyn Fn(&Name) -> bool) -> Vec<Effect> {
    let mut walk = Walk { is_asked, around: Arc::default(), known: Arc::default(), found: vec![] };
    walk.phrase(p);
    walk.found
}

/// The memory that a command writes.
pub fn written(p: &Phrase) -> FxHashSet<Name> {
    let mut found = FxHashSet::default();
    let _ = p.any(&mut |c| {
        if let (Kind::Var(x), PhraseType::Acc(_)) = (c.kind(), c.ty()) {
            found.insert(x.clone());
        }
        false
    });
    found
}

struct Walk<'a> {
    is_asked: &'a dyn Fn(&Name) -> bool,
    around: Arc<[Around]>,
    known: Arc<[Nat]>,
    found: Vec<Effect>,
}

impl Walk<'_> {
    fn knowing(&mut self, natural: impl IntoIterator<Item = Nat>, p: &Phrase) {
        let before = self.known.clone();
        self.known = before.iter().cloned().chain(natural).collect();
        self.phrase(p);
        self.known = before;
    }

    fn phrase(&mut self, p: &Phrase) {
        match p.kind() {
            Kind::For(l) => {
                let before = self.around.clone();
                self.around = before.iter().cloned().chain([Around::of(l)]).collect();
                self.phrase(&l.body);
                self.around = before;
            }
            Kind::If(c, then, otherwise) => {
                self.phrase(c);
                self.knowing(condition::where_true(c), then);
                self.knowing(condition::where_false(c), otherwise);
            }
            Kind::Assign(to, value) => {
                self.phrase(value);
                self.phrase(to);
            }
            // What tells the cell may still be asked for.
            _ if self.is_of_another(p) => p.children().into_iter().for_each(|c| self.phrase(c)),
            _ => match Place::of(p) {
                Some(place) if let Some(memory) = place.memory.clone() => {
                    place.computed.iter().for_each(|i| self.phrase(i));
                    let writes = matches!(p.ty(), PhraseType::Acc(_));
                    let (loops, known) = (self.around.clone(), self.known.clone());
                    self.found.push(Effect { memory, place, writes, loops, known });
                }
                _ => p.children().into_iter().for_each(|c| self.phrase(c)),
            },
        }
    }

    /// Is this a cell, or a part, of memory that is not asked for?
    fn is_of_another(&self, p: &Phrase) -> bool {
        match p.kind() {
            Kind::Var(x) => !(self.is_asked)(x),
            Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => {
                matches!(ps.as_slice(), [_, whole] if self.is_of_another(whole))
            }
            Kind::Pattern(Pattern::Fst | Pattern::Snd, _, ps)
            | Kind::Acceptor(Layout::First | Layout::Second, ps) => {
                ps.first().is_some_and(|whole| self.is_of_another(whole))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::ty::Type;

    /// `for i < n { t[i].fst = b[a[i]] }`, with what is read of it and written.
    #[test]
    fn uses_are_found_in_order() {
        let (n, i) = (Nat::var("n"), Nat::var("i"));
        let of_n = |t: Type| Type::array(n.clone(), t);
        let at = || Phrase::number(i.clone(), Type::index(n.clone()));
        let read = |x: &str, t: Type| Phrase::var(&x.into(), PhraseType::read(t));
        let index = Phrase::idx(at(), read("a", of_n(Type::index(n.clone()))));
        let value = Phrase::idx(index, read("b", of_n(Type::f32())));
        let pairs = of_n(Type::pair(Type::f32(), Type::f32()));
        let to = Phrase::fst_acc(Phrase::idx_acc(at(), Phrase::var(&"t".into(), PhraseType::Acc(pairs))));
        let command =
            Phrase::for_each(LoopKind::Sequential, "i".into(), n.clone(), Phrase::assign(to, value));
        let found = super::of(&command);
        let summary: Vec<(&str, bool, usize)> =
            found.iter().map(|e| (&*e.memory, e.writes, e.place.computed.len())).collect();
        assert_eq!(summary, [("a", false, 0), ("b", false, 1), ("t", true, 0)]);
        assert!(found.iter().all(|e| e.loops.len() == 1 && e.loops[0].is_plain && e.loops[0].n == n));
        assert_eq!(found[1].place.indices(), [None]);
        assert_eq!(found[2].place.steps, [Step::At(Some(i.clone()), n.clone()), Step::First]);
        assert_eq!((found[2].place.component(), found[2].place.offset()), (vec![false], i));
        // Of one memory they are those of all that are its own, what tells another's cells included.
        for x in ["a", "b", "t"] {
            let own: Vec<Effect> = found.iter().filter(|e| &*e.memory == x).cloned().collect();
            assert_eq!(super::of_memory(&command, &x.into()), own);
        }
        assert_eq!(super::written(&command), FxHashSet::from_iter([Name::from("t")]));
    }
}
