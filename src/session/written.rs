//! A program as text that is printed when somebody reads it: of the programs on the way to what a search found, a log has
//! the texts, and most of what looks at the way does not.

use crate::lang::declared::used_in;
use crate::lang::nat::Name;
use crate::lang::print;
use crate::lang::term::Term;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A program as it is recorded: in RISE, in ASCII.
pub fn printed(name: &Name, sizes: &[Name], term: &Term) -> String {
    let options = print::Options { unicode: false, width: 100, ..print::Options::default() };
    let declared: String = used_in(term).into_iter().map(|d| format!("{}\n", d.text())).collect();
    declared + &print::program(name, sizes, term, &options).text
}

/// The text of a program.
#[derive(Clone)]
pub struct Written(Arc<Inner>);

struct Inner {
    text: OnceLock<String>,
    /// What it is printed from: the program's name, the names of its sizes, and the term.
    of: Option<(Name, Vec<Name>, Term)>,
}

impl Written {
    /// What will be the text of a program with this name and these sizes.
    pub fn of(name: &Name, sizes: &[Name], term: &Term) -> Written {
        let of = Some((name.clone(), sizes.to_vec(), term.clone()));
        Written(Arc::new(Inner { text: OnceLock::new(), of }))
    }

    pub fn text(&self) -> &str {
        let print = |of: &(Name, Vec<Name>, Term)| printed(&of.0, &of.1, &of.2);
        self.0.text.get_or_init(|| self.0.of.as_ref().map(print).unwrap_or_default())
    }
}

impl From<String> for Written {
    fn from(text: String) -> Written {
        Written(Arc::new(Inner { text: text.into(), of: None }))
    }
}

impl PartialEq for Written {
    fn eq(&self, other: &Written) -> bool {
        self.text() == other.text()
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}
