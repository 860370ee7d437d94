//! Ways to encode lambda terms in e-graphs, side by side (thesis section 5.5): names or De Bruijn indices, substitution
//! by rules or on extracted terms. An experiment beside the search (`rewrite/search`), whose own e-graph is typed.
//!
//! In: a program, a sketch, rules, an encoding. Out: whether equality saturation without a guide finds the sketch, and
//! what that took. Terms have no types here, so a rule or sketch that needs them is refused.

mod explicit;
mod goal;
mod node;
mod place;
mod rule;
mod run;
#[cfg(test)]
mod tests;

pub use run::{Bounds, Found, Outcome, World, run};

use std::fmt;

/// How variables and substitution are represented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// Variables have names, rather than De Bruijn indices.
    pub named: bool,
    /// Substitution is a node, carried out by rules, rather than done at once on extracted terms.
    pub explicit: bool,
}

impl Encoding {
    /// In the thesis's order.
    pub const ALL: [Encoding; 4] = [
        Encoding { explicit: true, named: true },
        Encoding { explicit: true, named: false },
        Encoding { explicit: false, named: true },
        Encoding { explicit: false, named: false },
    ];

    pub fn substitution(self) -> &'static str {
        if self.explicit { "explicit" } else { "extraction" }
    }
    pub fn binding(self) -> &'static str {
        if self.named { "named" } else { "De Bruijn" }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binding = if self.named { "named" } else { "indices" };
        write!(f, "{}-{binding}", self.substitution())
    }
}
