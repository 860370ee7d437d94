//! The nodes of a term by their number in preorder, function before argument: a place in four bytes.
//!
//! Numbers saturate in terms that unfold to more than `u32::MAX` nodes; places behind that point are then wrong, but
//! nothing worse happens.

use super::nat::Name;
use super::path::Path;
use super::term::Term;

/// A node and its number.
#[derive(Clone, Copy)]
pub struct At<'t> {
    pub term: &'t Term,
    pub id: u32,
    /// The term stands for the node of this number without being it, so its parts have the same number.
    stands: bool,
}

impl<'t> At<'t> {
    pub fn root(term: &'t Term) -> At<'t> {
        At { term, id: 0, stands: false }
    }

    /// A term that stands for the node of this number.
    pub fn standing_for(term: &'t Term, id: u32) -> At<'t> {
        At { term, id, stands: true }
    }

    fn part(self, term: &'t Term, before: u32) -> At<'t> {
        let id = if self.stands { self.id } else { self.id.saturating_add(1).saturating_add(before) };
        At { term, id, ..self }
    }

    /// The name of the parameter, and the body.
    pub fn lam(self) -> Option<(&'t Name, At<'t>)> {
        let (name, body) = self.term.as_lam()?;
        Some((name, self.part(body, 0)))
    }

    /// Function and argument.
    pub fn app(self) -> Option<(At<'t>, At<'t>)> {
        let (f, e) = self.term.as_app()?;
        Some((self.part(f, 0), self.part(e, f.size())))
    }
}

/// The number of the node at a path.
pub fn number_of(term: &Term, path: &Path) -> Option<u32> {
    let mut id = 0u32;
    let mut t = term;
    for step in path.steps() {
        let children = t.children();
        let before = children.iter().take(usize::from(*step)).fold(0u32, |n, c| n.saturating_add(c.size()));
        id = id.saturating_add(1).saturating_add(before);
        t = children.get(usize::from(*step))?;
    }
    Some(id)
}

/// The path of the node with a number.
pub fn path_of(term: &Term, id: u32) -> Option<Path> {
    let mut steps = vec![];
    let mut t = term;
    let mut at = 0u32;
    while at != id {
        let mut next = at.checked_add(1)?;
        let mut found = None;
        for (i, child) in t.children().into_iter().enumerate() {
            let end = next.saturating_add(child.size());
            if id < end {
                found = Some((i, child));
                break;
            }
            next = end;
        }
        let (i, child) = found?;
        steps.push(i as u8);
        t = child;
        at = next;
    }
    Some(Path::new(steps))
}

/// The largest application of what stands at a position.
pub fn application(term: &Term, mut at: Path) -> Path {
    while at.steps().last() == Some(&0)
        && let Some(above) = at.parent()
        && term.at(&above).is_some_and(|t| t.as_app().is_some())
    {
        at = above;
    }
    at
}
