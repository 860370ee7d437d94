//! Private pairs of arrays, as memory for each component.
//!
//! An accumulator that is a pair is used by components: what holds of the cells of one, as which work-item uses them, need
//! not hold of those of the other.

use super::elide::is_private;
use crate::dpia::{Kind, Layout, Names, Phrase};
use crate::lang::nat::Name;
use crate::lang::pattern::Pattern;
use crate::lang::ty::Type;
use crate::target::Storage;

/// The command with private pairs of arrays taken apart, where nothing uses them as a whole.
pub fn apart(c: &Phrase, names: &mut Names) -> Phrase {
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(apart(d, names)));
    match c.kind() {
        Kind::New(storage, ty, x, body) if is_private(*storage) => {
            components(*storage, ty, x, body, names).unwrap_or(c)
        }
        _ => c,
    }
}

/// The allocation of a pair as one for each of its components.
fn components(storage: Storage, ty: &Type, x: &Name, body: &Phrase, names: &mut Names) -> Option<Phrase> {
    let (first, second) = ty.as_pair()?;
    if !has_array(ty) || is_whole(body, x) {
        return None;
    }
    let origin = names.origin(x);
    let parts = [0, 1].map(|k| names.element(x, k));
    parts.iter().for_each(|y| names.comes_from(y, &origin));
    let body = by_component(body, x, &parts);
    let [y, z] = &parts;
    let mut of = |ty: &Type, y: &Name, body: Phrase| {
        components(storage, ty, y, &body, names)
            .unwrap_or_else(|| Phrase::new_in(storage, ty.clone(), y.clone(), body))
    };
    let body = of(second, z, body);
    Some(of(first, y, body))
}

fn has_array(ty: &Type) -> bool {
    ty.as_array().is_some() || ty.as_pair().is_some_and(|(a, b)| has_array(a) || has_array(b))
}

/// Which component of the pair `x` the phrase is.
fn component_of(p: &Phrase, x: &Name) -> Option<usize> {
    let (k, ps) = match p.kind() {
        Kind::Pattern(Pattern::Fst, _, ps) | Kind::Acceptor(Layout::First, ps) => (0, ps),
        Kind::Pattern(Pattern::Snd, _, ps) | Kind::Acceptor(Layout::Second, ps) => (1, ps),
        _ => return None,
    };
    matches!(ps.as_slice(), [whole] if matches!(whole.kind(), Kind::Var(y) if y == x)).then_some(k)
}

/// Is the pair used as a whole?
fn is_whole(p: &Phrase, x: &Name) -> bool {
    match p.kind() {
        _ if component_of(p, x).is_some() => false,
        Kind::Var(y) => y == x,
        _ => p.children().into_iter().any(|c| is_whole(c, x)),
    }
}

/// The phrase with variables for the components.
fn by_component(p: &Phrase, x: &Name, parts: &[Name; 2]) -> Phrase {
    if let Some(y) = component_of(p, x).and_then(|k| parts.get(k)) {
        return Phrase::var(y, p.ty().clone());
    }
    let Ok(p) = p.map_children::<std::convert::Infallible>(&mut |c| Ok(by_component(c, x, parts)));
    p
}
