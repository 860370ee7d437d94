//! How a program is shown that a search found.

use super::Search;
use crate::clearing::cleared;
use crate::lang::term::Term;
use crate::names::named;
use crate::normal::normal_form_with;
use crate::search::goal::Form;
use crate::sharing::{amount, shared};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};

/// The forms of programs that are found. Many have one normal form, of which more is made once.
pub(super) struct Shown<'a> {
    search: &'a Search,
    /// The normal form of the program given.
    given: OnceCell<Option<Term>>,
    /// What was shared again, if anything was.
    again: RefCell<FxHashMap<Term, Option<Term>>>,
}

impl Shown<'_> {
    pub(super) fn of(search: &Search) -> Shown<'_> {
        Shown { search, given: OnceCell::new(), again: RefCell::default() }
    }

    /// The first that `holds` of the forms of a program: in normal form, if that was asked for, without views that cancel out; and
    /// with values shared again that it computes more often than the program from which the search started.
    pub(super) fn form(&self, t: &Term, holds: &dyn Fn(&Term) -> bool) -> Option<Form> {
        let as_it_stands = |term: Term| Form { term, cleared: vec![] };
        let again = |t: &Term| self.shared_again(t).filter(holds);
        let Search { budget, params, .. } = self.search;
        if !budget.normal {
            return again(t).map(as_it_stands);
        }
        let normal = normal_form_with(params, t)?;
        let is_met = holds(&normal);
        let steps = if budget.clears && is_met {
            cleared(&normal, params, self.search.clearing(), holds)
        } else {
            vec![]
        };
        // What takes views away keeps to the sketch.
        if let Some(clear) = steps.last().map(|last| last.program.clone()) {
            let term = again(&clear).unwrap_or(clear);
            return Some(Form { term, cleared: steps });
        }
        // Where only what is not in normal form is like the sketch, it is shared as it stands.
        let normal_again = again(&normal);
        if is_met { normal_again.or(Some(normal)) } else { normal_again.or_else(|| again(t)) }
            .map(as_it_stands)
    }

    fn shared_again(&self, plain: &Term) -> Option<Term> {
        if let Some(known) = self.again.borrow().get(plain) {
            return known.clone();
        }
        let made = self.share(plain);
        self.again.borrow_mut().insert(plain.clone(), made.clone());
        made
    }

    fn share(&self, plain: &Term) -> Option<Term> {
        let Search { amount: given, shares, params, program, .. } = self.search;
        let given = given.filter(|_| *shares)?;
        // The names that were given say more than new ones.
        if self.given.get_or_init(|| normal_form_with(params, program)).as_ref() == Some(plain) {
            return Some(program.clone());
        }
        // What cannot be counted since it is so much is more than all else.
        let computes = |t: &Term| amount(t).unwrap_or(f64::INFINITY);
        let now = computes(plain);
        let shared = if now > given { shared(plain)? } else { return None };
        (computes(&shared) < now).then(|| named(&shared, program))
    }
}
