//! The names that binders get: their hints, made unique among what is in scope.

use crate::nat::{Name, Nat, NatVar};
use crate::pattern::{self, AddressSpace, Pattern};
use crate::steps;
use crate::syntax;
use crate::term::{Expr, Term};
use crate::ty::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The variables in scope, innermost last, and the names that no binder may have.
pub(super) struct Scope {
    names: Vec<Name>,
    taken: FxHashMap<Name, usize>,
    reserved: FxHashSet<Name>,
    /// For each stem the last number that was tried, so that many binders of one hint stay cheap.
    last: FxHashMap<Name, u32>,
}

impl Scope {
    /// A scope whose innermost `free` are the free variables of the term, the first being variable 0.
    pub fn new(term: &Term, free: &[Name], also: &[Name]) -> Scope {
        let mut reserved: FxHashSet<Name> = sizes_of(term).into_iter().collect();
        reserved.extend(also.iter().cloned());
        let mut scope =
            Scope { names: vec![], taken: FxHashMap::default(), reserved, last: FxHashMap::default() };
        for name in free.iter().rev() {
            scope.names.push(name.clone());
            *scope.taken.entry(name.clone()).or_default() += 1;
        }
        scope
    }

    pub fn get(&self, index: u32) -> Option<&Name> {
        self.names.len().checked_sub(1 + index as usize).and_then(|i| self.names.get(i))
    }

    fn is_free(&self, name: &str) -> bool {
        !self.taken.contains_key(name) && !self.reserved.contains(name) && !means_something(name)
    }

    /// Enters a binder and gives it a name.
    pub fn push(&mut self, hint: &str) -> Name {
        let name = self.fresh(hint);
        *self.taken.entry(name.clone()).or_default() += 1;
        self.names.push(name.clone());
        name
    }

    pub fn pop(&mut self) {
        let Some(name) = self.names.pop() else { return };
        if let Some(count) = self.taken.get_mut(&name) {
            *count -= 1;
            if *count == 0 {
                self.taken.remove(&name);
            }
        }
    }

    fn fresh(&mut self, hint: &str) -> Name {
        let hint = if is_name(hint) { hint } else { "x" };
        if self.is_free(hint) {
            return hint.into();
        }
        let stem: Name = match hint.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "" => "x".into(),
            stem => stem.into(),
        };
        let mut number = self.last.get(&stem).copied().unwrap_or(0);
        // Numbers of binders that have been left are given again.
        while number > 0 && self.is_free(&format!("{stem}{number}")) {
            number -= 1;
        }
        loop {
            number += 1;
            let name = format!("{stem}{number}");
            if self.is_free(&name) {
                self.last.insert(stem, number);
                return name.into();
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && text != "_"
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
        && text.len() <= 64
}

/// Does the word mean something to the parser or to type inference?
fn means_something(word: &str) -> bool {
    // Every other name of the table is checked before the words, being the longest list.
    Pattern::from_name(word).is_some()
        || pattern::all().iter().any(|row| row.names.contains(&word))
        || syntax_word(word)
        || AddressSpace::from_name(word).is_some()
        || Scalar::from_name(word).is_some()
        || matches!(word, "true" | "false" | "natType" | "nat" | "data" | "addr" | "let")
}

fn syntax_word(word: &str) -> bool {
    syntax::is_reserved(word)
}

/// The names of sizes anywhere in the term.
pub(super) fn sizes_of(term: &Term) -> BTreeSet<Name> {
    let mut out = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut types = FxHashSet::default();
    let mut todo = vec![term];
    let mut note = |vars: Vec<NatVar>| {
        out.extend(vars.into_iter().filter_map(|v| if let NatVar::Named(n) = v { Some(n) } else { None }));
    };
    while let Some(t) = todo.pop() {
        // Sub-terms are shared: each is looked at once.
        if !seen.insert(t.digest()) {
            continue;
        }
        if types.insert(t.ty().digest()) {
            t.ty().for_each_nat(&mut |n| note(n.vars()));
        }
        if let Expr::Prim(p) = t.expr() {
            p.args.iter().for_each(|a| note(a.vars()));
        }
        todo.extend(t.children());
    }
    out
}

/// The names of the sizes that steps of `iterate` know.
pub(super) fn sizes_of_steps(term: &Term) -> BTreeSet<Name> {
    let mut out = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut todo = vec![term];
    while let Some(t) = todo.pop() {
        if !t.has_declared() || !seen.insert(t.digest()) {
            continue;
        }
        if t.as_pattern() == Some(Pattern::Iterate)
            && let Some(steps) = steps::of(t.ty())
        {
            out.insert(steps.size);
        }
        todo.extend(t.children());
    }
    out
}

/// The term in which the sizes that steps of `iterate` know have names that can be written.
pub(super) fn with_sizes_of_steps(term: &Term) -> Term {
    fn go(t: &Term, taken: &mut BTreeSet<Name>) -> Term {
        if !t.has_declared() {
            return t.clone();
        }
        let named = match t.as_app() {
            Some((f, _)) if f.as_pattern() == Some(Pattern::Iterate) => steps::of(f.ty()).map(|steps| {
                let numbered = (1..).map(|i| Name::from(format!("l{i}")));
                let name = std::iter::once("l".into()).chain(numbered).find(|n| !taken.contains(n));
                let name = name.unwrap_or_else(|| steps.size.clone());
                taken.insert(name.clone());
                t.map_types(&steps::Put(&steps.size, Nat::var(&name)))
            }),
            _ => None,
        };
        let t = named.as_ref().unwrap_or(t);
        let children = t.children().into_iter().map(|c| go(c, taken)).collect::<Vec<_>>();
        if children.is_empty() { t.clone() } else { t.with_children(children) }
    }
    if sizes_of_steps(term).is_empty() {
        return term.clone();
    }
    let mut taken = sizes_of(term);
    go(term, &mut taken)
}
