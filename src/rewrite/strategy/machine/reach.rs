//! Searches as steps of strategies: `reach SKETCH using RULES`, and the question whether a term is in a sketch.

use super::super::names::no_rule;
use super::super::value::{StrategyId, Value};
use super::super::{Cause, ReachRequest, open};
use super::failure::Halt;
use super::{Change, Machine, Outcome};
use crate::lang::diag::Diagnostic;
use crate::lang::nat::{Name, Nat};
use crate::lang::path::Path;
use crate::lang::syntax::ast;
use crate::lang::term::Term;
use crate::rule::WhyNot;
use crate::rule::apply::Step;
use crate::rule::load;
use crate::rule::why::Reason;

impl<'a> Machine<'a> {
    /// The sizes that parameters stand for, innermost first.
    fn sizes_of(&self, scope: u32) -> Vec<(Name, Nat)> {
        let mut sizes = vec![];
        let mut at = Some(scope);
        while let Some(i) = at {
            let scope = &self.scopes[i as usize];
            for (name, value) in scope.bindings.iter().rev() {
                if let Value::Nat(n) = value {
                    sizes.push((name.clone(), n.clone()));
                }
            }
            at = scope.parent;
        }
        sizes
    }

    pub(super) fn satisfies(&mut self, s: StrategyId, n: u32, t: &Term) -> Outcome {
        let (sketch, scope) = self.tests[n as usize];
        let sizes = self.sizes_of(scope);
        match self.control.search.unsatisfied(t, sketch, self.env.sizes, &sizes) {
            Ok(None) => Ok(t.clone()),
            Ok(Some(sketch)) => {
                self.fail(s, Some(WhyNot::here(Reason::NotInSketch { sketch, term: t.clone() })))
            }
            Err(problem) => self.invalid(problem),
        }
    }

    pub(super) fn reach(&mut self, s: StrategyId, n: u32, t: &Term) -> Outcome {
        // A search is not run twice.
        if !self.tells {
            return Err(Halt::Repeat);
        }
        self.tells_until = None;
        let (reach, scope) = self.reaches[n as usize];
        let sizes = self.sizes_of(scope);
        let mut rules = reach.rules.as_ref().map(|_| vec![]);
        for reference in reach.rules.iter().flatten() {
            self.rules_of(reference, &sizes, rules.get_or_insert_default(), 0)?;
        }
        let options = match self.options(reach, scope) {
            Ok(options) => options,
            Err(problem) => return self.invalid(problem),
        };
        let request = ReachRequest {
            sketch: &reach.sketch,
            rules,
            options: &options,
            sizes,
            script: self.script,
            known: self.env.known,
        };
        self.asked_sizes = true;
        match self.control.search.reach(t, &request) {
            Ok(found) if found.term.ty() == t.ty() => {
                let at = Path::new(self.path.iter().copied());
                let steps =
                    found.steps.into_iter().map(|step| Step { at: at.join(&step.at), ..step }).collect();
                self.trace.push(Change { steps, paths: found.paths.below(&at), assumed: found.assumed });
                Ok(found.term)
            }
            Ok(_) => self.fail(s, Some(WhyNot::condition("the search found a term of another type"))),
            Err(super::super::SearchFailure::NotFound { text, hints }) => {
                self.fail(s, Some(WhyNot::here(Reason::NotReached { text, hints })))
            }
            Err(super::super::SearchFailure::Stopped) => self.stop(Cause::Cancelled),
            Err(super::super::SearchFailure::Invalid(problem)) => self.invalid(problem),
        }
    }

    /// The options of a search, with what was chosen for what they leave open.
    fn options(
        &mut self,
        reach: &'a ast::Reach,
        scope: u32,
    ) -> Result<Vec<(ast::Ident, ast::Strategy)>, Box<Diagnostic>> {
        let mut problem = None;
        let mut one = |value: &'a ast::Strategy| {
            let mut values = vec![];
            for open in open::sizes_in(value) {
                match self.open_value(open, value.span, scope) {
                    Ok(Value::Nat(n)) => values.push(n.to_string()),
                    Ok(_) => {}
                    Err(why) => _ = problem.get_or_insert(why),
                }
            }
            let mut values = values.into_iter();
            open::replaced(value, &mut |part| {
                let ast::StrategyKind::Open(open) = &part.kind else { return None };
                let digits = values.next().filter(|_| open.is_size())?.into();
                let number = ast::Number { digits, suffix: None };
                Some(ast::Node::new(part.span, ast::StrategyKind::Number(number)))
            })
        };
        let options = reach.options.iter().map(|(name, value)| (name.clone(), one(value))).collect();
        problem.map_or(Ok(options), Err)
    }

    /// The rules that a name in `using` stands for: a set of either language, or a rule.
    fn rules_of(
        &mut self,
        reference: &'a ast::RuleRef,
        values: &[(Name, Nat)],
        out: &mut Vec<crate::rule::RuleUse>,
        nesting: usize,
    ) -> Result<(), Halt> {
        let name = &reference.name;
        if nesting < 16
            && let Some(set) = self.script.set(&name.kind)
        {
            let known = self.known(values);
            let inner = match load::bound(&set.def, reference, &known) {
                Ok(inner) => inner,
                Err(problem) => return self.invalid(problem),
            };
            for each in &set.def.rules {
                self.rules_of(each, &inner, out, nesting + 1)?;
            }
            return Ok(());
        }
        if let Some(set) = self.env.rules.set(&name.kind) {
            let known = self.known(values);
            match set.given.0(reference, &known) {
                Ok(rules) => rules.into_iter().for_each(|each| {
                    if !out.contains(&each) {
                        out.push(each);
                    }
                }),
                Err(problem) => return self.invalid(problem),
            }
            return Ok(());
        }
        let found = match self.env.rules.get(&name.kind) {
            None => Err(Box::new(no_rule(self.env.rules, name))),
            Some(_) => self.rule_use(reference, values),
        };
        match found {
            Ok(found) => {
                if !out.contains(&found) {
                    out.push(found);
                }
                Ok(())
            }
            Err(problem) => self.invalid(problem),
        }
    }

    fn rule_use(
        &mut self,
        reference: &'a ast::RuleRef,
        values: &[(Name, Nat)],
    ) -> Result<crate::rule::RuleUse, Box<Diagnostic>> {
        load::rule_use(self.env.rules, reference, &self.known(values))
    }

    /// What the name of a size stands for: a parameter, or a size of the program.
    fn known<'v>(&self, values: &'v [(Name, Nat)]) -> impl Fn(&str) -> Option<Nat> + use<'a, 'v> {
        let sizes: &'a [Name] = self.env.sizes;
        move |n: &str| {
            let value = values.iter().find(|(name, _)| &**name == n).map(|(_, value)| value.clone());
            value.or_else(|| sizes.iter().any(|s| &**s == n).then(|| Nat::var(n)))
        }
    }
}
