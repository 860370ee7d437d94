//! Where a cell lies: the memory, the component of it, and the row-major offset in that.

use super::{Kind, Layout, Phrase, extent};
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;

pub struct Address {
    /// None for a literal array.
    pub memory: Option<Name>,
    /// The projections that lead to the component; true is `snd`.
    pub component: Vec<bool>,
    /// What is known of the offset: indices that depend on data are left out of it.
    pub offset: Nat,
    pub computed: Vec<Phrase>,
}

/// The address of a cell, or of a part of memory, as expression or as acceptor; views must be resolved.
pub fn of(p: &Phrase) -> Option<Address> {
    let component = |whole: &Phrase, second: bool| {
        let mut a = of(whole)?;
        a.component.push(second);
        Some(a)
    };
    match p.kind() {
        Kind::Var(x) => Some(start(Some(x.clone()))),
        Kind::Pattern(Pattern::MakeArray, ..) => Some(start(None)),
        Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) => {
            let [i, whole] = ps.as_slice() else { return None };
            let mut a = of(whole)?;
            match i.as_number() {
                Some((n, parts)) if parts.is_empty() => {
                    a.offset = a.offset.mul(&extent(&whole.data())).add(&n);
                }
                _ => a.computed.push(i.clone()),
            }
            Some(a)
        }
        Kind::Pattern(q @ (Pattern::Fst | Pattern::Snd), _, ps) => component(ps.first()?, *q == Pattern::Snd),
        Kind::Acceptor(l @ (Layout::First | Layout::Second), ps) => {
            component(ps.first()?, *l == Layout::Second)
        }
        _ => None,
    }
}

fn start(memory: Option<Name>) -> Address {
    Address { memory, component: vec![], offset: Nat::constant(0), computed: vec![] }
}
