//! Definitions of strategies and sketches, from the library and from the user's files.

use super::elsewhere;
use super::native::{Native, RENUMBER};
use super::open::{CHOOSE, named_definition};
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, FileId, Sources, Span};
use crate::lang::nat::Name;
use crate::lang::summary;
use crate::lang::syntax::ast::{
    File, Item, ItemKind, Language, Node, Param, RuleRef, RuleSet, Shape, ShapeKind, SketchDef, Strategy,
    StrategyDef,
};
use crate::lang::syntax::{outline, parse_elevate, parse_item};
use crate::rule::{self, Later, load::Source};
use crate::sketch::CONTAINS;
use indexmap::IndexMap;
use std::ops::Range;
use std::sync::Arc;

/// A clause of a strategy's definition.
#[derive(Clone, Debug)]
pub struct Clause {
    pub def: Arc<StrategyDef>,
    pub doc: String,
    pub span: Span,
}

/// A strategy: clauses that are tried in order, by the shapes of their parameters.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: Name,
    pub clauses: Later<Vec<Clause>>,
    /// Whether it is in the library or in a user's file.
    pub library: bool,
}

impl Definition {
    /// The number of parameters, which all clauses agree on.
    pub fn arity(&self) -> usize {
        self.clauses.first().map_or(0, |c| c.def.params.len())
    }

    /// The number of parameters that a call must give.
    pub fn required(&self) -> usize {
        let has_value = |shape: &&Shape| matches!(shape.kind, ShapeKind::Default(..));
        self.clauses.first().map_or(0, |c| c.def.params.len() - c.def.params.iter().filter(has_value).count())
    }

    /// What it is defined as, if it has no parameters.
    pub fn plain(&self) -> Option<&Strategy> {
        match self.clauses.as_slice() {
            [one] if one.def.params.is_empty() => Some(&one.def.body),
            _ => None,
        }
    }

    pub fn doc(&self) -> &str {
        self.clauses.iter().map(|c| c.doc.as_str()).find(|d| !d.is_empty()).unwrap_or("")
    }

    /// With its parameters as they are written, such as `tile(x, y)`.
    pub fn call(&self, sources: &Sources) -> String {
        let written = self.clauses.iter().map(|clause| sources.text(clause.span));
        // The clause that names its parameters; others are for special values of them.
        let named = self.params().into_iter().find(|p| &**p != "_");
        let named = named.as_deref().unwrap_or_default().to_owned();
        let heads: Vec<&str> = written.filter_map(|text| head(text, "strategy", &self.name)).collect();
        let best = heads.iter().find(|head| head.contains(&named)).or(heads.first());
        best.map_or_else(|| self.name.to_string(), |head| (*head).to_owned())
    }

    /// The names of the parameters, as far as they have one.
    pub fn params(&self) -> Vec<Name> {
        let longest = self.clauses.iter().map(|c| &c.def.params);
        let Some(params) = longest.max_by_key(|p| p.iter().filter(|s| named(&s.kind)).count()) else {
            return vec![];
        };
        names_of(params)
    }
}

/// `tile(x, y)` of `strategy tile(x, y) = …`; of a sketch likewise.
pub fn head<'a>(clause: &'a str, keyword: &str, name: &str) -> Option<&'a str> {
    let start = clause.find(&format!("{keyword} {name}"))? + keyword.len() + 1;
    let rest = clause.get(start..)?;
    let mut depth = 0i32;
    let end = rest.char_indices().find_map(|(i, c)| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        (depth == 0 && (c == ')' || c == '=')).then_some(if c == ')' { i + 1 } else { i })
    })?;
    rest.get(..end).map(str::trim)
}

/// The names of parameters, `_` where one has none.
pub fn names_of(params: &[Shape]) -> Vec<Name> {
    let name = |s: &Shape| match &s.kind {
        ShapeKind::Name(n) | ShapeKind::Default(n, _) => n.clone(),
        _ => "_".into(),
    };
    params.iter().map(name).collect()
}

/// The first parameter that a call cannot leave out although it can leave out one before.
fn after_a_default(def: &StrategyDef) -> Option<Span> {
    let has_value = |shape: &Shape| matches!(shape.kind, ShapeKind::Default(..));
    let optional = def.params.iter().skip_while(|p| !has_value(p));
    optional.into_iter().find(|p| !has_value(p)).map(|p| p.span)
}

/// The first name that an item gives to two of its parameters, with where it stands first and again.
fn repeated(item: &ItemKind) -> Option<(Name, Span, Span)> {
    let typed = |params: &[Param]| -> Vec<(Name, Span)> {
        params.iter().flat_map(|p| p.kind.names()).map(|name| (name.kind.clone(), name.span)).collect()
    };
    let shaped = |params: &[Shape]| -> Vec<(Name, Span)> {
        params.iter().flat_map(|p| p.kind.names().into_iter().map(|name| (name, p.span))).collect()
    };
    let lists = match item {
        ItemKind::Sketch(def) => vec![typed(&def.params)],
        ItemKind::RuleSet(set) => {
            vec![set.params.iter().map(|p| (p.name.kind.clone(), p.name.span)).collect()]
        }
        ItemKind::Strategy(def) => {
            [&def.params].into_iter().chain(def.locals.iter().map(|l| &l.params)).map(|p| shaped(p)).collect()
        }
        _ => vec![],
    };
    lists.into_iter().find_map(|names| {
        names.iter().enumerate().filter(|(_, (name, _))| &**name != "_").find_map(|(i, (name, again))| {
            let first = names[..i].iter().find(|(other, _)| other == name)?;
            Some((name.clone(), first.1, *again))
        })
    })
}

fn defined_twice(name: &Node<Name>, first: Span) -> Diagnostic {
    Diagnostic::error("E0303", format!("`{}` is defined twice.", name.kind))
        .label(name.span, "defined again here")
        .label(first, "first defined here")
        .hint("Choose another name for one of them.")
}

/// What is wrong with a name that is built in already.
fn taken(name: &Node<Name>) -> Option<Diagnostic> {
    let built_in =
        Native::find(&name.kind, &Patterns::default()).is_some() || [RENUMBER, CHOOSE].contains(&&*name.kind);
    let message = || format!("`{}` is built in and cannot be defined again.", name.kind);
    built_in
        .then(|| Diagnostic::error("E0305", message()).label(name.span, "taken").hint("Choose another name."))
}

/// The file of the library with what the language has beside what is built in.
const CORE: &str = "core.elevate";

/// Does the clause fit every call?
fn fits_anything(def: &StrategyDef) -> bool {
    def.params.iter().all(|p| matches!(p.kind, ShapeKind::Name(_) | ShapeKind::Default(..)))
}

fn named(shape: &ShapeKind) -> bool {
    matches!(shape, ShapeKind::Name(n) | ShapeKind::Default(n, _) if &**n != "_")
}

/// A set of rules that a file of strategies defines.
#[derive(Clone, Debug)]
pub struct LocalSet {
    pub def: RuleSet,
    pub span: Span,
    pub library: bool,
}

/// Another name for a call with its arguments.
#[derive(Clone, Debug)]
pub struct OtherName {
    pub target: RuleRef,
    pub span: Span,
    pub library: bool,
}

/// A strategy's definition as a clause.
fn clause(item: &Item) -> Option<Clause> {
    let ItemKind::Strategy(def) = &item.kind else { return None };
    Some(Clause { def: Arc::new(named_definition(def)), doc: item.doc.join("\n"), span: item.span })
}

/// Names that must differ from each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Space {
    Strategies,
    Sketches,
    Sets,
}

impl Space {
    fn of(item: &ItemKind) -> Space {
        match item {
            ItemKind::Sketch(_) => Space::Sketches,
            ItemKind::RuleSet(_) => Space::Sets,
            _ => Space::Strategies,
        }
    }
}

/// Everything that files of strategies define.
#[derive(Clone, Debug, Default)]
pub struct Script {
    strategies: IndexMap<Name, Definition>,
    /// Definitions of the library whose names the user's have taken. The library goes on with its own: a helper of the
    /// user's that happens to be called like one must not change what other strategies do.
    replaced: IndexMap<Name, Definition>,
    sketches: IndexMap<Name, (Arc<SketchDef>, String)>,
    sets: IndexMap<Name, LocalSet>,
    aliases: IndexMap<Name, OtherName>,
    imports: Vec<(String, Span)>,
    /// Where each name was defined last, and whether by the library.
    defined: IndexMap<(Space, Name), (Span, bool)>,
}

impl Script {
    /// The library: the texts of `rules/elevate`.
    pub fn library(sources: &mut Sources) -> (Script, Vec<Diagnostic>) {
        let mut script = Script::default();
        let problems = script.load(sources, &crate::rule::library::strategies(), true);
        (script, problems)
    }

    /// Adds the definitions of some files.
    pub fn load(&mut self, sources: &mut Sources, files: &[Source], library: bool) -> Vec<Diagnostic> {
        let mut problems = vec![];
        for source in files {
            let id = sources.add(source.label, source.text);
            let (file, found) = parse_elevate(id, source.text);
            problems.extend(found);
            problems.extend(self.add(&file, library));
        }
        problems
    }

    /// Adds the definitions of a file. What a user's file defines replaces the library's definition of that name, but for
    /// the library. Two files of the user's, or of the library's, do not define one name.
    pub fn add(&mut self, file: &File, library: bool) -> Vec<Diagnostic> {
        let mut problems = vec![];
        // Sketches and sets of rules stand where strategies cannot, so they may share their names.
        let mut here: IndexMap<(Space, Name), Span> = IndexMap::new();
        for item in &file.items {
            let name = item.kind.name();
            let space = Space::of(&item.kind);
            if let Some(name) = name
                && let Some(first) = here.get(&(space, name.kind.clone()))
                && !(matches!(item.kind, ItemKind::Strategy(_)) && self.strategies.contains_key(&name.kind))
            {
                problems.push(defined_twice(name, *first));
                continue;
            }
            if let Some(name) = name.filter(|name| !here.contains_key(&(space, name.kind.clone()))) {
                let before = self.defined.insert((space, name.kind.clone()), (name.span, library));
                if let Some((first, _)) = before.filter(|(_, by_library)| *by_library == library) {
                    problems.push(defined_twice(name, first));
                }
            }
            if let Some((name, first, again)) = repeated(&item.kind) {
                problems.push(
                    Diagnostic::error("E0303", format!("Two parameters are called `{name}`."))
                        .label(again, "again")
                        .label(first, "first here")
                        .hint("Choose another name for one of them."),
                );
            }
            match &item.kind {
                ItemKind::Strategy(_) => {
                    let Some(clause) = clause(item) else { continue };
                    let def = &clause.def.clone();
                    let known = here.contains_key(&(space, def.name.kind.clone()));
                    if let Some(existing) = self.strategies.get_mut(&def.name.kind)
                        && known
                    {
                        if existing.arity() != def.params.len() {
                            problems.push(
                                Diagnostic::error(
                                    "E0304",
                                    format!(
                                        "`{}` has {} here and {} in its first clause.",
                                        def.name.kind,
                                        match def.params.len() {
                                            1 => "1 parameter".to_owned(),
                                            n => format!("{n} parameters"),
                                        },
                                        existing.arity()
                                    ),
                                )
                                .label(def.name.span, "not as in the first clause")
                                .note("All clauses of a strategy have the same number of parameters.")
                                .hint("Add or remove parameters, or choose another name."),
                            );
                            continue;
                        }
                        if let Some(first) = existing.clauses.iter().find(|c| fits_anything(&c.def)) {
                            let message = format!("This clause of `{}` is never reached.", def.name.kind);
                            problems.push(
                                Diagnostic::error("E0303", message)
                                    .label(def.name.span, "never reached")
                                    .label(first.def.name.span, "this one fits whatever it is called with")
                                    .hint("Put the more special clause first, remove one, or choose another name."),
                            );
                            continue;
                        }
                        let before = existing.clauses.iter().cloned();
                        existing.clauses = before.chain([clause]).collect::<Vec<_>>().into();
                    } else {
                        let definition =
                            Definition { name: def.name.kind.clone(), clauses: vec![clause].into(), library };
                        self.replace(&def.name.kind, library);
                        self.strategies.insert(def.name.kind.clone(), definition);
                    }
                    if let Some(param) = after_a_default(def) {
                        problems.push(
                            Diagnostic::error(
                                "E0304",
                                "A parameter without a value stands after one that has one.",
                            )
                            .label(param, "give it a value too, or put it first"),
                        );
                    }
                    if let Some(problem) = taken(&def.name) {
                        problems.push(problem);
                        self.strategies.shift_remove(&def.name.kind);
                    }
                }
                ItemKind::Sketch(def) => {
                    let doc = item.doc.join("\n");
                    self.sketches.insert(def.name.kind.clone(), (Arc::new(def.clone()), doc));
                }
                ItemKind::RuleSet(set) => {
                    let local = LocalSet { def: set.clone(), span: item.span, library };
                    self.sets.insert(set.name.kind.clone(), local);
                }
                ItemKind::Alias(alias) => match taken(&alias.name) {
                    Some(problem) => problems.push(problem),
                    None => {
                        self.replace(&alias.name.kind, library);
                        let of = OtherName { target: alias.target.clone(), span: alias.name.span, library };
                        self.aliases.insert(alias.name.kind.clone(), of);
                    }
                },
                ItemKind::Import(parts) => {
                    let path: Vec<&str> = parts.iter().map(|p| &*p.kind).collect();
                    self.imports.push((path.join("."), item.span));
                }
                _ => {}
            }
            if let Some(name) = name {
                here.entry((space, name.kind.clone())).or_insert(name.span);
            }
        }
        problems
    }

    /// Adds the definitions of a file of the library, of which each strategy is read when it is first used. What else is
    /// defined there is returned.
    pub fn add_later(&mut self, file: FileId, text: &'static str) -> File {
        let mut rest = vec![];
        let mut strategies: IndexMap<&str, Vec<Range<usize>>> = IndexMap::new();
        for item in outline(text) {
            if item.word == "strategy" {
                strategies.entry(item.name).or_default().push(item.range);
            } else {
                rest.extend(parse_item(Language::Elevate, file, text, item.range));
            }
        }
        for (name, clauses) in strategies {
            let read = move |range| clause(&parse_item(Language::Elevate, file, text, range)?);
            let name: Name = name.into();
            let clauses = Later::new(move || clauses.into_iter().filter_map(read).collect());
            self.replace(&name, true);
            self.strategies.insert(name.clone(), Definition { name, clauses, library: true });
        }
        let rest = File { file, items: rest, text: text.into() };
        drop(self.add(&rest, true));
        rest
    }

    /// Makes room for a definition.
    fn replace(&mut self, name: &Name, library: bool) {
        self.aliases.shift_remove(name);
        if let Some(before) = self.strategies.shift_remove(name).filter(|d| d.library && !library) {
            self.replaced.insert(name.clone(), before);
        }
    }

    pub fn strategy(&self, name: &str) -> Option<&Definition> {
        self.strategies.get(name)
    }
    /// The library's definition where the user has taken its name.
    pub fn replaced(&self, name: &str) -> Option<&Definition> {
        self.replaced.get(name)
    }
    pub fn sketch(&self, name: &str) -> Option<&Arc<SketchDef>> {
        self.sketches.get(name).map(|(s, _)| s)
    }
    pub fn set(&self, name: &str) -> Option<&LocalSet> {
        self.sets.get(name)
    }
    pub fn alias(&self, name: &str) -> Option<&OtherName> {
        self.aliases.get(name)
    }
    pub fn aliases(&self) -> impl Iterator<Item = &OtherName> {
        self.aliases.values()
    }
    pub fn local_sets(&self) -> impl Iterator<Item = &LocalSet> {
        self.sets.values()
    }
    pub fn strategies(&self) -> impl Iterator<Item = &Definition> {
        self.strategies.values()
    }
    /// Sketches with their documentation.
    pub fn sketches(&self) -> impl Iterator<Item = (&Arc<SketchDef>, &str)> {
        self.sketches.values().map(|(s, d)| (s, d.as_str()))
    }
    /// The modules that the files import, for who reads files.
    pub fn imports(&self) -> impl Iterator<Item = (&str, Span)> {
        self.imports.iter().map(|(m, s)| (m.as_str(), *s))
    }

    /// Can a new strategy not have this name without a clash?
    pub fn is_taken(&self, name: &str, rules: &rule::RuleSet) -> bool {
        self.strategies.contains_key(name)
            || self.aliases.contains_key(name)
            || Native::find(name, rules.patterns()).is_some()
            || rules.get(name).is_some()
    }

    /// Traversals and the like that a user's strategy takes the place of: the texts of the user that call them mean another one
    /// now. Of all else in the library that is quite usual.
    pub fn taken_from_the_language(&self, sources: &Sources) -> Vec<Diagnostic> {
        let name_of = |d: &Definition| Some(d.clauses.first()?.def.name.span);
        let is_core = |span: Span| sources.get(span.file).is_some_and(|file| file.name.ends_with(CORE));
        let of_language = self.replaced.iter().filter(|(_, before)| name_of(before).is_some_and(is_core));
        let told = |(name, _): (&Name, &Definition)| {
            let strategy = self.strategies.get(name).and_then(name_of);
            let span = strategy.or_else(|| self.aliases.get(name).map(|alias| alias.span))?;
            let message = format!("`{name}` takes the place of the one that comes with the language.");
            let problem = Diagnostic::warning("E0305", message).label(span, "your texts call this one");
            Some(problem.hint("Choose another name, unless that is meant."))
        };
        of_language.filter_map(told).collect()
    }

    /// Names by which a strategy or its other name is called where a rule was meant, or the other way round. `patterns` are
    /// those that the program declares.
    pub fn hidden(&self, rules: &rule::RuleSet, patterns: &Patterns) -> Vec<Diagnostic> {
        let problem = |(name, of_rule): (&Name, Option<Span>)| {
            let strategy =
                self.strategies.get(name).map(|d| (d.library, d.clauses.first().map(|c| c.def.name.span)));
            let other = || self.aliases.get(name).map(|a| (a.library, Some(a.span)));
            let native = || Native::find(name, patterns).map(|_| (true, None));
            let (library, of_strategy) = strategy.or_else(other).or_else(native)?;
            let problem =
                Diagnostic::error("E0305", format!("`{name}` is the name of a rule and of a strategy."));
            // Of the two, the user wrote the strategy if it is not of the library.
            Some(match (of_strategy.filter(|_| !library), of_rule) {
                (Some(span), _) => {
                    problem.label(span, "a rule has this name").hint("Choose another name for the strategy.")
                }
                (None, Some(span)) => problem
                    .label(span, "a strategy has this name")
                    .hint("Choose another name for the rule: by this one the strategy is called."),
                (None, None) => problem,
            })
        };
        rules.callable().filter_map(problem).collect()
    }

    /// Where what is given to a strategy is a name that nothing has: what that strategy says of itself tells what it can be given.
    pub(super) fn told_what_is_taken(
        &self,
        problem: Diagnostic,
        callee: &Node<Name>,
        given: Span,
    ) -> Diagnostic {
        let is_unknown = problem.code == "E0301" && problem.span() == Some(given);
        match self.strategy(&callee.kind).map(|def| summary::of(def.doc())) {
            Some(said) if is_unknown && !said.is_empty() => {
                problem.note(format!("`{}`: {said}", callee.kind))
            }
            _ => problem,
        }
    }

    /// The diagnostic for a name that nothing has.
    pub fn unknown<'a>(
        &'a self,
        name: &Node<Name>,
        patterns: &Patterns,
        others: impl Iterator<Item = &'a Name>,
    ) -> Diagnostic {
        let natives = super::native::TABLE.iter().map(|r| r.name);
        let questions: Vec<String> =
            patterns.names().filter_map(|p| Some(Native::IsPattern(patterns.find(p)?).name())).collect();
        let defined = self.strategies.keys().chain(self.aliases.keys()).map(|n| &**n);
        let others: Vec<&Name> = others.collect();
        let problem =
            Diagnostic::error("E0301", format!("There is no strategy, rule or size `{}`.", name.kind));
        if others.contains(&&name.kind) {
            return problem.label(name.span, "no strategy").hint(format!(
                "Rules of sets and sizes are no strategies: a set is searched with, as in `reach SKETCH using {}`.",
                name.kind
            ));
        }
        if self.sketch(&name.kind).is_some() || &*name.kind == CONTAINS {
            return problem.label(name.span, "a sketch").hint(format!(
                "`{}` is a sketch, which says what a program is to be like: `reach SKETCH` searches for one.",
                name.kind
            ));
        }
        if let Some(hint) = elsewhere::named(&name.kind) {
            return problem.label(name.span, "not known").hint(hint);
        }
        problem.label(name.span, "not known").did_you_mean_or(
            &name.kind,
            natives
                .chain(questions.iter().map(String::as_str))
                .chain(defined)
                .chain(others.into_iter().map(|n| &**n)),
            "`shine-tui rules` lists the rules, `shine-tui strategies` the strategies.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_definition_is_what_a_call_looks_like() {
        let strategy = |text, name| head(text, "strategy", name);
        assert_eq!(strategy("strategy tile(x, y) = tileList([x, y])", "tile"), Some("tile(x, y)"));
        assert_eq!(strategy("strategy b(x = 32, y = f(3)) =\n  x", "b"), Some("b(x = 32, y = f(3))"));
        assert_eq!(strategy("--| Doc.\nstrategy tidy =\n  normalize(id)", "tidy"), Some("tidy"));
        assert_eq!(head("sketch lines(n: Size) = ?", "sketch", "lines"), Some("lines(n: Size)"));
    }

    #[test]
    fn two_files_do_not_define_one_name() {
        let (mut script, problems) = Script::library(&mut Sources::new());
        assert!(problems.is_empty(), "{problems:?}");
        let mut told = |text: &str, library: bool| -> Vec<String> {
            let problems = script.add(&parse_elevate(FileId::NOWHERE, text).0, library);
            problems.into_iter().map(|d| d.message).collect()
        };
        // A user's name may be the library's, and a sketch's a strategy's.
        assert!(
            told("strategy tile(x) = id\nsketch own = ?\nrules few = { splitJoin(4) }", false).is_empty()
        );
        assert!(told("strategy own([]) = id\nstrategy own(x) = id", false).is_empty());
        for (text, name) in [
            ("strategy tile(x) = fail", "tile"),
            ("alias own = id", "own"),
            ("sketch own(f) = f", "own"),
            ("rules few = { splitJoin(8) }", "few"),
        ] {
            assert_eq!(told(text, false), [format!("`{name}` is defined twice.")]);
        }
    }

    #[test]
    fn parameters_have_different_names() {
        let told = |text: &str| -> Vec<String> {
            let (file, problems) = parse_elevate(FileId::NOWHERE, text);
            assert!(problems.is_empty(), "{text}");
            Script::default().add(&file, false).into_iter().map(|d| d.message).collect()
        };
        let twice = ["Two parameters are called `x`."];
        assert_eq!(told("rules s(x, y, x) = { splitJoin(x) }"), twice);
        assert_eq!(told("sketch s(x: nat, x: nat) = containsMap(x, ?)"), twice);
        assert_eq!(told("strategy s(x, y :: x) = id"), twice);
        assert_eq!(told("strategy s(x = 3, x = 4) = id"), twice);
        assert_eq!(told("strategy s(n) = t(n) where t([x, x]) = id"), twice);
        assert!(told("strategy s(x, _, _) = t(x) where t(x) = id").is_empty());
    }
}
