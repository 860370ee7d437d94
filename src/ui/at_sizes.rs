//! What is known of a term at sizes. To find it out may take longer than a frame: it is kept while both are the same.

use crate::lang::digest::Digest;
use crate::lang::term::Term;
use crate::session::action::Sizes;

/// What is known, and of which term at which sizes.
pub struct AtSizes<T> {
    known: Option<(Digest, Sizes, T)>,
}

impl<T> Default for AtSizes<T> {
    fn default() -> AtSizes<T> {
        AtSizes { known: None }
    }
}

impl<T> AtSizes<T> {
    /// What was found out last, if anything was.
    pub fn get(&self) -> Option<&T> {
        self.known.as_ref().map(|(_, _, what)| what)
    }

    /// Finds it out where the term or a size is another.
    pub fn refresh(&mut self, term: &Term, sizes: &Sizes, find_out: impl FnOnce() -> T) {
        let now = term.digest();
        if self.known.as_ref().is_none_or(|(of, at, _)| *of != now || at != sizes) {
            self.known = Some((now, sizes.clone(), find_out()));
        }
    }
}
