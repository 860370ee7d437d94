//! The definitions of sketch abbreviations: the embedded ones, then the user's, which win.

use super::read::{CONTAINS, NOT};
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::Name;
use crate::lang::syntax::ast::{File, Item, ItemKind, ParamKind, SketchDef};
use crate::lang::syntax::parse_elevate;
use indexmap::IndexMap;

/// The text of the embedded definitions.
pub const BUILTIN: &str = include_str!("library.elevate");

/// Definitions by name. One name may have several, told apart by the kinds and the number of their parameters.
#[derive(Clone, Default, Debug)]
pub struct Library {
    definitions: IndexMap<Name, Vec<Definition>>,
    /// The patterns that sketches know.
    pub patterns: Patterns,
}

#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub def: SketchDef,
    pub doc: Vec<Name>,
}

impl Library {
    /// The embedded definitions.
    pub fn builtin() -> Library {
        let mut library = Library::default();
        drop(library.add(&parse_elevate(Span::NOWHERE.file, BUILTIN).0));
        library
    }

    /// Adds a file's sketches. Those of one file that share a name stand beside each other; they replace what
    /// earlier files say of that name for the same number of arguments.
    ///
    /// # Errors
    /// `E0422` for those that nothing could call, which are left out.
    pub fn add(&mut self, file: &File) -> Vec<Diagnostic> {
        let mut fresh: IndexMap<Name, Vec<Definition>> = IndexMap::new();
        let mut problems = vec![];
        for Item { doc, kind, .. } in &file.items {
            if let ItemKind::Sketch(def) = kind {
                if let Some(problem) = self.taken(def) {
                    problems.push(problem);
                    continue;
                }
                let new = Definition { def: def.clone(), doc: doc.clone() };
                fresh.entry(def.name.kind.clone()).or_default().push(new);
            }
        }
        for (name, mut new) in fresh {
            let old = self.definitions.entry(name).or_default();
            old.retain(|o| new.iter().all(|n| arity(&n.def) != arity(&o.def)));
            new.append(old);
            *old = new;
        }
        problems
    }

    /// What is wrong with a name that means something else in every sketch.
    fn taken(&self, def: &SketchDef) -> Option<Diagnostic> {
        let name = &def.name.kind;
        let what = match &**name {
            CONTAINS | NOT => "a word of sketches",
            _ if self.patterns.find(name).is_some() => "a pattern",
            _ => return None,
        };
        let problem =
            Diagnostic::error("E0422", format!("A sketch cannot be called `{name}`, which is {what}."));
        Some(problem.label(def.name.span, "taken").hint("Choose another name."))
    }

    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.definitions.keys()
    }

    /// What the first definition of a name says of itself.
    pub fn doc(&self, name: &str) -> Option<String> {
        let first = self.definitions.get(name)?.first()?;
        Some(first.doc.join(" "))
    }

    pub(super) fn get(&self, name: &str) -> &[Definition] {
        self.definitions.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The number of arguments that a definition takes.
pub(super) fn arity(def: &SketchDef) -> usize {
    def.params
        .iter()
        .map(|p| if let ParamKind::Implicit(..) = p.kind { 0 } else { p.kind.names().len() })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_definitions_are_well_formed() {
        let (file, problems) = parse_elevate(Span::NOWHERE.file, BUILTIN);
        assert!(problems.is_empty(), "{problems:?}");
        assert!(file.items.iter().all(|i| matches!(i.kind, ItemKind::Sketch(_))));
        let mut library = Library::builtin();
        assert!(library.add(&file).is_empty());
        assert_eq!(library.get("containsMap").len(), 4);
        assert!(library.doc("containsAddMul").unwrap().starts_with("Somewhere, a sum"));
    }
}
