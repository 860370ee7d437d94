//! Rules by name, their other names, and named sets of rules.

use super::right_to_left::RIGHT_TO_LEFT;
use super::{Later, Properties, Rule, RuleArg, Step};
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::{Name, Nat};
use crate::lang::syntax::ast;
use indexmap::IndexMap;
use std::fmt;
use std::sync::Arc;

/// A rule with its arguments: `splitJoin(32)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleUse {
    pub rule: Rule,
    pub args: Vec<RuleArg>,
}

impl fmt::Display for RuleUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> = self.args.iter().map(RuleArg::to_string).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        let name = &self.rule.forwards().name;
        if self.rule.is_right_to_left() {
            write!(f, "{RIGHT_TO_LEFT}({name}{args})")
        } else {
            write!(f, "{name}{args}")
        }
    }
}

/// A named set: what `reach … using` takes.
#[derive(Clone, Debug)]
pub struct NamedSet {
    pub name: Name,
    /// Its parameters, with what they are where a use leaves them out.
    pub params: Vec<(Name, Option<Nat>)>,
    /// Its rules with the names of the parameters.
    pub open: Later<Vec<RuleUse>>,
    /// Its rules where a use leaves out what has a value, if all parameters have one.
    pub rules: Later<Vec<RuleUse>>,
    pub given: Given,
    pub doc: String,
}

/// Reads the rules of a set for the arguments of a use.
#[derive(Clone)]
pub struct Given(pub Arc<Reading>);

type Reading = dyn Fn(&ast::RuleRef, Known<'_>) -> Result<Vec<RuleUse>, Box<Diagnostic>> + Send + Sync;

/// What names stand for where a set is used.
pub type Known<'a> = &'a dyn Fn(&str) -> Option<Nat>;

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Given")
    }
}

/// Another name of a rule.
#[derive(Clone, Debug)]
struct Alias {
    /// The rule with the first arguments, if there is one.
    target: Later<Option<RuleUse>>,
    /// Where it is written.
    span: Span,
}

/// All rules of a session, in the order of their definition.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: IndexMap<Name, Rule>,
    /// Other names, with the first arguments, which they fix.
    aliases: IndexMap<Name, Alias>,
    sets: IndexMap<Name, NamedSet>,
    patterns: Patterns,
    /// What is declared of operators, for the conditions of all rules.
    declared: Arc<Properties>,
}

impl RuleSet {
    /// Makes the patterns that a program declares known to rules that are loaded from now on, and adds for each the rule
    /// that puts its meaning in its place.
    pub fn declare(&mut self, patterns: &Patterns) {
        self.patterns = patterns.clone();
        for rule in patterns.declared().filter_map(super::unfold::rule) {
            self.insert(rule);
        }
    }

    /// The patterns that the rules know.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Adds a rule; what has the same name is replaced, and returned if it is a rule.
    pub fn insert(&mut self, rule: Rule) -> Option<Rule> {
        self.aliases.shift_remove(&rule.name);
        self.rules.insert(rule.name.clone(), rule)
    }
    /// Adds another name of a rule; what has this name already is replaced. Where it stands for nothing the name is not
    /// known.
    pub fn insert_alias(&mut self, name: Name, target: Later<Option<RuleUse>>, span: Span) {
        self.rules.shift_remove(&name);
        self.aliases.insert(name, Alias { target, span });
    }
    pub fn insert_set(&mut self, set: NamedSet) -> Option<NamedSet> {
        self.sets.insert(set.name.clone(), set)
    }

    /// Makes properties of operators known to the conditions of all rules.
    pub fn believe(&mut self, declared: Properties) {
        if declared.is_empty() {
            return;
        }
        Arc::make_mut(&mut self.declared).add(declared);
        let known = &self.declared;
        let knowing = |known: &Arc<Properties>, u: &RuleUse| RuleUse {
            rule: u.rule.knowing(known),
            args: u.args.clone(),
        };
        for rule in self.rules.values_mut() {
            *rule = rule.knowing(known);
        }
        for alias in self.aliases.values_mut() {
            let (before, known) = (alias.target.clone(), known.clone());
            alias.target = Later::new(move || before.as_ref().map(|u| knowing(&known, u)));
        }
        for set in self.sets.values_mut() {
            let (before, known) = (set.rules.clone(), known.clone());
            let (given, with) = (set.given.clone(), known.clone());
            set.rules = Later::new(move || before.iter().map(|u| knowing(&known, u)).collect());
            set.given = Given(Arc::new(move |reference, names| {
                Ok(given.0(reference, names)?.iter().map(|u| knowing(&with, u)).collect())
            }));
        }
    }

    /// The rule of this name, or that this is another name of.
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.rules.get(name).or_else(|| self.alias(name).map(|u| &u.rule))
    }

    fn alias(&self, name: &str) -> Option<&RuleUse> {
        self.aliases.get(name).and_then(|alias| Option::as_ref(&alias.target))
    }

    /// The rule of this name with the arguments, after those that an alias has fixed.
    pub fn use_of(&self, name: &str, args: Vec<RuleArg>) -> Option<RuleUse> {
        if let Some(rule) = self.rules.get(name) {
            return Some(RuleUse { rule: rule.clone(), args });
        }
        let mut target = self.alias(name)?.clone();
        target.args.extend(args);
        Some(target)
    }

    /// The rule that a step applied, in its direction.
    pub fn of_step(&self, step: &Step) -> Option<RuleUse> {
        let rule = self.get(&step.rule)?;
        let rule = if step.right_to_left { rule.right_to_left().ok()? } else { rule.clone() };
        Some(RuleUse { rule, args: step.args.clone() })
    }

    /// The named set.
    pub fn set(&self, name: &str) -> Option<&NamedSet> {
        self.sets.get(name)
    }

    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.values()
    }
    pub fn sets(&self) -> impl Iterator<Item = &NamedSet> {
        self.sets.values()
    }
    pub fn aliases(&self) -> impl Iterator<Item = (&Name, &RuleUse)> {
        self.aliases.iter().filter_map(|(name, alias)| Some((name, Option::as_ref(&alias.target)?)))
    }

    /// Every name by which a rule is called, with the place of its definition if it has one.
    pub fn callable(&self) -> impl Iterator<Item = (&Name, Option<Span>)> {
        let rules = self.rules.iter().map(|(name, rule)| (name, rule.span));
        rules.chain(self.aliases.iter().map(|(name, alias)| (name, Some(alias.span))))
    }
    pub fn len(&self) -> usize {
        self.rules.len()
    }
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Every name that a rule, an alias or a set has.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.rules.keys().chain(self.aliases.keys()).chain(self.sets.keys())
    }
}
