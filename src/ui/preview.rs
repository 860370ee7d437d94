//! The differences that a rewrite would make: in the term, in its loops, in the code.

use super::app::App;
use super::compared::{self, Shape};
use super::queries::{Query, code};
use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::rewrite::names::named;
use crate::view::{Line, Role, diff, loops};

/// Which difference is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preview {
    /// In the term.
    #[default]
    Term,
    /// In the loops that it stands for.
    Loops,
    /// In the generated code.
    Code,
}

impl Preview {
    /// The one after it, around the end.
    pub fn next(self) -> Preview {
        match self {
            Preview::Term => Preview::Loops,
            Preview::Loops => Preview::Code,
            Preview::Code => Preview::Term,
        }
    }

    /// What differs, in a word.
    pub fn word(self) -> &'static str {
        match self {
            Preview::Term => "term",
            Preview::Loops => "loops",
            Preview::Code => "code",
        }
    }

    /// The difference from the present term, and whether there is more to ask for first.
    pub fn difference(self, app: &App, after: &Term) -> (Vec<Line>, bool) {
        let alphabet = app.setup.terminal.alphabet;
        match self {
            Preview::Term => {
                (compared::lines(app, &compared::by_rule(app, after, Shape::page(app))).to_vec(), false)
            }
            Preview::Loops => {
                let nest = |term: &Term| -> Vec<Line> {
                    loops::rows(term, app.session.sizes(), &Path::root(), app.code.target, alphabet)
                        .into_iter()
                        .map(|row| row.line)
                        .collect()
                };
                let after = named(after, &app.session.workspace().program.term);
                let (old, new) = (nest(app.session.term()), nest(&after));
                if old == new {
                    return (vec![Line::of(Role::Dim, "The loops stay as they are.")], false);
                }
                (diff::of_lines(&old, &new, None).0, false)
            }
            Preview::Code => {
                let queries = queries(app, after);
                let known = queries.each_ref().map(|query| app.queries.kernel(query));
                let [Some(old), Some(new)] = &known else {
                    return (vec![Line::of(Role::Dim, "Generating code …")], true);
                };
                let lines = match (code(old), code(new)) {
                    (Ok(old), Ok(new)) if old == new => {
                        vec![Line::of(Role::Dim, "The code stays as it is.")]
                    }
                    (Ok(old), Ok(new)) => diff::of_texts(&old, &new, Some(3)).0,
                    (Err(problem), _) | (_, Err(problem)) => app.problem(&problem),
                };
                (lines, false)
            }
        }
    }

    /// Asks in the background for what the difference needs.
    pub fn ask(self, app: &mut App, after: Term) {
        let after = named(&after, &app.session.workspace().program.term);
        for query in queries(app, &after) {
            if app.queries.kernel(&query).is_none() {
                app.queries.ask(&app.session, query);
            }
        }
    }
}

/// The code of the present term, and that of another one.
fn queries(app: &App, after: &Term) -> [Query; 2] {
    let target = app.code.target;
    [Query::Kernel { revision: app.session.current(), target }, Query::Code { term: after.clone(), target }]
}
