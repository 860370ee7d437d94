//! Rules as steps of strategies: their arguments, where they are tried, what is kept of them.

use super::super::Cause;
use super::super::value::{StrategyId, Value};
use super::failure::Halt;
use super::{Change, Machine, Outcome};
use crate::lang::diag::Diagnostic;
use crate::lang::path::{Path, PathMap};
use crate::lang::term::Term;
use crate::rule::apply::{Step, fits};
use crate::rule::right_to_left::RIGHT_TO_LEFT;
use crate::rule::why::Reason;
use crate::rule::{ParamKind, Rule, RuleArg, RuleParam, WhyNot, library};

impl<'a> Machine<'a> {
    pub(super) fn apply_rule(&mut self, s: StrategyId, id: u32, args: &[Value], t: &Term) -> Outcome {
        let rule = self.rules[id as usize].clone();
        let args = match self.rule_arguments(s, &rule, args, t)? {
            Some(args) => args,
            None => {
                let asked = args.iter().find(|a| matches!(a, Value::Strategy(_))).map(|p| self.show(p));
                let asked = asked.map_or("the predicate".to_owned(), |p| format!("`{p}`"));
                let why = WhyNot::condition(format!("no part of it is what {asked} asks for"));
                return self.fail(s, Some(why));
            }
        };
        self.counts.tried += 1;
        match rule.apply_telling(t, &args, self.tells) {
            // A strategy that goes on without it would end in something half done.
            Err(WhyNot { reason: Reason::TooLarge, .. }) => self.too_large(s),
            Err(why) => self.fail_on(s, Some(t), Some(why)),
            Ok(applied) => {
                let at = Path::new(self.path.iter().copied());
                if !fits(&at, &applied.term) {
                    return self.too_large(s);
                }
                self.counts.succeeded += 1;
                let step = Step {
                    rule: rule.forwards().name.clone(),
                    args,
                    right_to_left: rule.is_right_to_left(),
                    at: at.clone(),
                    before: t.clone(),
                    after: applied.term.clone(),
                };
                let paths = PathMap::rewrite(at, applied.moved);
                self.trace.push(Change { steps: vec![step], paths, assumed: applied.assumed });
                Ok(applied.term)
            }
        }
    }

    fn too_large<T>(&self, s: StrategyId) -> Result<T, Halt> {
        self.stop(Cause::TooLarge { strategy: self.describe(s), repeated: None })
    }

    /// The arguments as the rule takes them; none when a predicate holds nowhere in the term.
    fn rule_arguments(
        &mut self,
        s: StrategyId,
        rule: &Rule,
        args: &[Value],
        t: &Term,
    ) -> Result<Option<Vec<RuleArg>>, Halt> {
        let mut out = vec![];
        for (i, param) in rule.params.iter().enumerate() {
            let given = args.get(i);
            let arg = match (&param.kind, given) {
                (ParamKind::Position, Some(Value::Strategy(p))) => match self.find(*p, rule, t)? {
                    Some(path) => Some(RuleArg::Position(path)),
                    None => return Ok(None),
                },
                (kind, given) => given.and_then(|given| plain_argument(kind, given)),
            };
            let Some(arg) = arg else {
                let (name, kind) = (&param.name, param.kind.word());
                let Some(given) = given else {
                    let all: Vec<&str> = rule.params.iter().map(|p| &*p.name).collect();
                    let message = format!("`{}` needs its argument `{name}`, {kind}.", self.describe(s));
                    let problem = Diagnostic::error("E0308", message);
                    let call = format!("{}({})", rule.forwards().name, all.join(", "));
                    let call =
                        if rule.is_right_to_left() { format!("{RIGHT_TO_LEFT}({call})") } else { call };
                    let hint = format!("Write `{call}` with values.");
                    return self.invalid(Box::new(problem.hint(hint)));
                };
                let got = self.show(given);
                let message =
                    format!("`{}` takes {kind} as its argument `{name}`, not {got}.", self.describe(s));
                let problem = Diagnostic::error("E0308", message);
                let problem = match library::shown_by(&rule.name) {
                    Some(how) => problem.hint(how),
                    None => problem,
                };
                return self.invalid(Box::new(problem));
            };
            out.push(arg);
        }
        Ok(Some(out))
    }

    /// The first sub-term on which a predicate succeeds and that the rule can take, outside in, functions before
    /// arguments. Where it can take none of them, the first, of which it says why.
    pub(super) fn find(
        &mut self,
        predicate: StrategyId,
        rule: &Rule,
        t: &Term,
    ) -> Result<Option<Path>, Halt> {
        let mut first = None;
        for (path, part) in t.positions() {
            let mark = self.trace.len();
            match self.attempt(predicate, part) {
                Ok(_) => self.trace.truncate(mark),
                Err(Halt::Failed(_)) => continue,
                Err(stopped) => return Err(stopped),
            }
            if rule.apply_telling(t, &[RuleArg::Position(path.clone())], false).is_ok() {
                return Ok(Some(path));
            }
            first = first.or(Some(path));
        }
        Ok(first)
    }
}

/// The arguments as the rule takes them, where they are of its kinds and there is nothing to look for.
pub(super) fn plain_arguments(rule: &Rule, args: &[Value]) -> Option<Vec<RuleArg>> {
    let of = |(i, param): (usize, &RuleParam)| plain_argument(&param.kind, args.get(i)?);
    rule.params.iter().enumerate().map(of).collect()
}

fn plain_argument(kind: &ParamKind, given: &Value) -> Option<RuleArg> {
    match (kind, given) {
        (ParamKind::Nat(_) | ParamKind::Depth, Value::Nat(n)) => Some(RuleArg::Nat(n.clone())),
        (ParamKind::Dim(_), Value::Nat(n)) => {
            n.as_constant().and_then(|d| u8::try_from(d).ok()).filter(|d| *d < 3).map(RuleArg::Dim)
        }
        (ParamKind::Addr(_), Value::Addr(a)) => Some(RuleArg::Addr(*a)),
        (ParamKind::Position, Value::List(steps)) => position(steps).map(RuleArg::Position),
        _ => None,
    }
}

/// A position as a list of numbers.
fn position(steps: &[Value]) -> Option<Path> {
    let step = |v: &Value| if let Value::Nat(n) = v { u8::try_from(n.as_constant()?).ok() } else { None };
    Some(Path::new(steps.iter().map(step).collect::<Option<Vec<u8>>>()?))
}
