//! Examples of rules.

use super::apply::apply_at;
use super::{Rule, RuleArg};
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::print;
use crate::lang::term::Term;
use crate::lang::ty::Type;

/// A before and after of a rule, both terms over the same free variables.
#[derive(Clone, Debug)]
pub struct Example {
    pub args: Vec<RuleArg>,
    /// The free variables of both terms, outermost first.
    pub context: Vec<(Name, Type)>,
    pub before: Term,
    pub after: Term,
    /// The example as text.
    pub text: (String, String),
    pub doc: String,
}

impl Example {
    /// How what the rule makes of it differs from what stands there; none where it is the same.
    pub fn differs(&self, rule: &Rule) -> Option<String> {
        let names: Vec<_> = self.context.iter().rev().map(|(n, _)| n.clone()).collect();
        let show = |t| print::open_term(t, &names, &print::Options::default()).text;
        match apply_at(&self.before, &Path::root(), rule, &self.args) {
            Ok(done) if done.term == self.after => None,
            Ok(done) => Some(format!(
                "{}\n  becomes   {}\n  and not   {}",
                show(&self.before),
                show(&done.term),
                show(&self.after)
            )),
            Err(why) => Some(format!("{}\n  stays as it is: {why}", show(&self.before))),
        }
    }
}
