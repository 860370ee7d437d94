//! From the text of rules to rules.
//!
//! In: parsed files of rules. Out: a [`RuleSet`], and what is wrong, with its place; a rule with a mistake is left
//! out. `typing` infers both sides of a rule, `scope` finds what its variables may mention, `condition` reads side
//! conditions, `example` its examples.

mod condition;
mod declare;
mod example;
mod nest;
mod scope;
mod sizes;
mod typing;

use super::set::{Given, Known, NamedSet, RuleSet, RuleUse};
use super::{Body, Example, Later, Mark, ParamKind, Properties, Rule, RuleArg, RuleData, RuleParam};
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::digest::Digest;
use crate::lang::nat::{MAX_EXPONENT, Name, Nat};
use crate::lang::pattern::AddressSpace;
use crate::lang::syntax::ast::{self, ExprKind, Item, ItemKind, Language, Op};
use crate::lang::syntax::{outline, parse_item, parse_rules, print};
use indexmap::IndexMap;
use std::sync::Arc;

pub use crate::lang::source::Sources;
pub use declare::in_program;
pub(super) use typing::needs;

/// A file of rules: the label it is shown under, and its text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub label: &'a str,
    pub text: &'a str,
}

/// When the definitions of a file are read in full.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// At once, so that everything that is wrong with them is told.
    Now,
    /// Each when it is first used. For texts that nothing is wrong with, as tests say of `rules/`: most rules are
    /// never used, and to read all of them takes most of the time of a start.
    Used,
}

impl RuleSet {
    /// The built-in rules and sets: the procedures, and the texts of `rules/`, which are read when they are used.
    pub fn builtin(sources: &mut Sources) -> (RuleSet, Vec<Diagnostic>) {
        let mut rules = RuleSet::procedures();
        let problems = rules.load_later(sources, &super::library::rules());
        (rules, problems)
    }

    /// The built-in rules and sets, read in full at once, with all that is wrong with them.
    pub fn builtin_checked(sources: &mut Sources) -> (RuleSet, Vec<Diagnostic>) {
        let mut rules = RuleSet::procedures();
        let problems = rules.load(sources, &super::library::rules());
        (rules, problems)
    }

    fn procedures() -> RuleSet {
        let mut rules = RuleSet::default();
        for rule in super::builtin::all() {
            rules.insert(rule);
        }
        rules
    }

    /// Adds the rules of some files. A rule of a name that is known from before replaces it; two rules of one name
    /// in these files are a mistake. Sets and aliases may refer to rules of any file.
    pub fn load(&mut self, sources: &mut Sources, files: &[Source]) -> Vec<Diagnostic> {
        let mut problems = vec![];
        let mut items: Vec<(Item, Name)> = vec![];
        let mut read = vec![];
        for source in files {
            let id = sources.add(source.label, source.text);
            let (file, found) = parse_rules(id, source.text);
            items.extend(file.items.iter().map(|item| (item.clone(), stem(source.label))));
            read.push((file, found));
        }
        let mut meant = self.add(items, When::Now);
        for (file, found) in read {
            meant = file.news(&found, meant);
            problems.extend(found);
        }
        problems.extend(meant);
        problems
    }

    /// Adds the rules of files of the library, each of which is read when it is first used.
    pub(super) fn load_later(&mut self, sources: &mut Sources, files: &[Source<'static>]) -> Vec<Diagnostic> {
        let mut rest = vec![];
        for &Source { label, text } in files {
            let file = sources.add(label, text);
            for item in outline(text) {
                let (span, range) = (item.span(file), item.range.clone());
                let read = move || parse_item(Language::Rules, file, text, range);
                if item.word == "rule" {
                    let written = Later::new(|| Written::of(read()?));
                    self.insert(later_rule(item.name.into(), stem(label), span, written, self.patterns()).0);
                } else {
                    rest.extend(read().map(|item| (item, stem(label))));
                }
            }
        }
        self.add(rest, When::Used)
    }

    /// Adds the definitions of parsed files, each with its theme.
    fn add(&mut self, items: Vec<(Item, Name)>, when: When) -> Vec<Diagnostic> {
        let mut problems = vec![];
        let mut here: IndexMap<Name, Span> = IndexMap::new();
        let mut sets = vec![];
        let mut aliases = vec![];
        let mut declared = Properties::default();
        for (item, theme) in items {
            if let Some(name) = item.kind.name() {
                if let Some(first) = here.get(&name.kind) {
                    problems.push(
                        Diagnostic::error("E0206", format!("`{}` is defined twice.", name.kind))
                            .label(name.span, "defined again here")
                            .label(*first, "first defined here")
                            .hint("Choose another name for one of them."),
                    );
                    continue;
                }
                here.insert(name.kind.clone(), name.span);
            }
            match item.kind {
                ItemKind::Rule(_) => {
                    let span = item.span;
                    let Some(written) = Written::of(item) else { continue };
                    let (rule, found) = load_rule(written, theme, span, self.patterns());
                    problems.extend(found);
                    if let Some(rule) = rule {
                        self.insert(rule);
                    }
                }
                ItemKind::RuleSet(set) => sets.push((set, item.doc)),
                ItemKind::Alias(alias) => aliases.push((alias, item.span)),
                ItemKind::Declare(declare) => match declare::one(&declare, &[]) {
                    Ok(property) => declared.add(property),
                    Err(found) => problems.extend(found),
                },
                _ => {}
            }
        }
        for (alias, span) in aliases {
            let name = alias.name.kind.clone();
            let known = self.clone();
            let target = Later::new(move || first_arguments(&known, &alias.target, &|_| None));
            if when == When::Now
                && let Err(problem) = &*target
            {
                problems.push(Diagnostic::clone(problem));
                continue;
            }
            self.insert_alias(name, Later::new(move || target.as_ref().ok().cloned()), span);
        }
        let known = Arc::new((self.clone(), sets.iter().map(|(set, _)| set.clone()).collect::<Vec<_>>()));
        for (set, doc) in sets {
            let name = set.name.kind.clone();
            let given = {
                let (known, set) = (known.clone(), set.clone());
                move |reference: &ast::RuleRef, names: Known<'_>| {
                    let (rest, sets) = &*known;
                    let values = bound(&set, reference, names)?;
                    let (rules, problems) = rest.rules_in(&set, &values, sets);
                    problems.into_iter().next().map_or(Ok(rules), |problem| Err(Box::new(problem)))
                }
            };
            let open = {
                let (known, set) = (known.clone(), set.clone());
                Later::new(move || {
                    let (rest, sets) = &*known;
                    let of = |p: &ast::SetParam| (p.name.kind.clone(), Nat::var(&p.name.kind));
                    let values: Vec<(Name, Nat)> = set.params.iter().map(of).collect();
                    rest.rules_in(&set, &values, sets)
                })
            };
            let default = |p: &ast::SetParam| p.default.as_ref().map(|e| size(e, &|_| None));
            if when == When::Now {
                problems.extend(open.1.iter().cloned());
                problems.extend(set.params.iter().filter_map(|p| default(p)?.err()).map(|d| *d));
            }
            let open = Later::new(move || open.0.clone());
            let of = |p: &ast::SetParam| (p.name.kind.clone(), default(p).and_then(Result::ok));
            let params = set.params.iter().map(of).collect();
            let (usual, alone) = (given.clone(), ast::RuleRef { name: set.name.clone(), args: vec![] });
            let rules = Later::new(move || usual(&alone, &|_| None).unwrap_or_default());
            let given = Given(Arc::new(given));
            self.insert_set(NamedSet { name, params, open, rules, given, doc: doc.join("\n") });
        }
        self.believe(declared);
        problems
    }

    /// The rules of a set whose parameters have these values, and what is wrong with them.
    fn rules_in(
        &self,
        set: &ast::RuleSet,
        values: &[(Name, Nat)],
        sets: &[ast::RuleSet],
    ) -> (Vec<RuleUse>, Vec<Diagnostic>) {
        let (mut rules, mut problems) = (vec![], vec![]);
        let mut open = vec![set.name.kind.clone()];
        self.collect(set, values, sets, &mut open, &mut rules, &mut problems);
        (rules, problems)
    }

    /// The rules of a set, those of the sets in it included.
    fn collect(
        &self,
        set: &ast::RuleSet,
        values: &[(Name, Nat)],
        sets: &[ast::RuleSet],
        open: &mut Vec<Name>,
        out: &mut Vec<RuleUse>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let known = |name: &str| values.iter().find(|(n, _)| **n == *name).map(|(_, size)| size.clone());
        for reference in &set.rules {
            let name = &reference.name;
            if let Some(inner) = sets.iter().find(|s| s.name.kind == name.kind) {
                if open.contains(&name.kind) {
                    problems.push(
                        Diagnostic::error("E0218", format!("The set `{}` contains itself.", name.kind))
                            .label(name.span, "this leads back to it")
                            .hint("List the rules that are meant, or remove it."),
                    );
                    continue;
                }
                open.push(name.kind.clone());
                match bound(inner, reference, &known) {
                    Ok(values) => self.collect(inner, &values, sets, open, out, problems),
                    Err(problem) => problems.push(*problem),
                }
                open.pop();
                continue;
            }
            let found = match self.set(&name.kind) {
                Some(inner) => inner.given.0(reference, &known),
                None => rule_use(self, reference, &known).map(|r| vec![r]),
            };
            match found {
                Ok(found) => {
                    let new = |r: &RuleUse, out: &[RuleUse]| !out.contains(r);
                    found.into_iter().for_each(|r| {
                        if new(&r, out) {
                            out.push(r);
                        }
                    });
                }
                Err(problem) => problems.push(*problem),
            }
        }
    }
}

/// The theme of a file: its name without folder and extension.
fn stem(label: &str) -> Name {
    let file = label.rsplit(['/', '\\']).next().unwrap_or(label);
    file.strip_suffix(".rules").unwrap_or(file).into()
}

/// A rule as it is written.
struct Written {
    rule: Arc<ast::Rule>,
    doc: String,
}

impl Written {
    fn of(item: Item) -> Option<Written> {
        let ItemKind::Rule(rule) = item.kind else { return None };
        Some(Written { rule, doc: item.doc.join("\n") })
    }
}

/// Makes a rule of its text, and says what is wrong with it.
fn load_rule(
    written: Written,
    theme: Name,
    span: Span,
    patterns: &Patterns,
) -> (Option<Rule>, Vec<Diagnostic>) {
    let rule = written.rule.clone();
    let (loaded, sides) = later_rule(rule.name.kind.clone(), theme, span, Some(written).into(), patterns);
    let mut problems = vec![];
    match &*sides.typed {
        Ok((.., warnings)) => problems.extend(warnings.iter().cloned()),
        Err(problems) => return (None, problems.clone()),
    }
    problems.extend(sides.examples.iter().filter_map(|e| e.as_ref().err()).flatten().cloned());
    problems.extend(rule.marks.iter().filter(|m| Mark::from_name(&m.kind).is_none()).map(no_mark));
    (Some(loaded), problems)
}

fn no_mark(mark: &ast::Ident) -> Diagnostic {
    let known = Mark::ALL.map(Mark::name);
    let named: Vec<String> = known.iter().map(|m| format!("`{m}`")).collect();
    Diagnostic::error("E0213", format!("There is no mark `{}`.", mark.kind))
        .label(mark.span, "not known")
        .did_you_mean(&mark.kind, known)
        .hint(format!("The marks are {}.", named.join(", ")))
}

/// What a rule says, with what is wrong with it.
struct Sides {
    typed: Later<Result<RuleParts, Vec<Diagnostic>>>,
    examples: Later<Vec<Result<Example, Vec<Diagnostic>>>>,
}

/// Makes a rule of which everything but its name and its place is read when it is used.
fn later_rule(
    name: Name,
    theme: Name,
    span: Span,
    written: Later<Option<Written>>,
    patterns: &Patterns,
) -> (Rule, Sides) {
    let typed = {
        let (written, patterns) = (written.clone(), patterns.clone());
        Later::new(move || written.as_ref().map_or(Err(vec![]), |w| typed(&w.rule, &patterns)))
    };
    let examples = {
        let (written, typed, patterns) = (written.clone(), typed.clone(), patterns.clone());
        Later::new(move || {
            let params = typed.as_ref().map(|(params, ..)| &params[..]).unwrap_or_default();
            let Some(Written { rule, .. }) = &*written else { return vec![] };
            let read = |e| example::read(&rule.name.kind, params, e, &patterns);
            rule.examples.iter().map(read).collect::<Vec<_>>()
        })
    };
    // What of the text is asked for, where there is one.
    fn of<T: Default + Send + Sync + 'static>(
        written: &Later<Option<Written>>,
        part: impl Fn(&Written) -> T + Send + Sync + 'static,
    ) -> Later<T> {
        let written = written.clone();
        Later::new(move || written.as_ref().map(&part).unwrap_or_default())
    }
    let text = of(&written, move |w| canonical(&w.rule, span));
    let (digest, params, body, read) = (text.clone(), typed.clone(), typed.clone(), examples.clone());
    let rule = Rule::new(RuleData {
        name,
        theme,
        params: Later::new(move || params.as_ref().map(|(params, ..)| params.clone()).unwrap_or_default()),
        // Without equations a rule applies nowhere.
        body: Later::new(move || {
            body.as_ref().map_or_else(|_| Body::Family(vec![]), |(_, body, _)| body.clone())
        }),
        marks: of(&written, |w| w.rule.marks.iter().filter_map(|m| Mark::from_name(&m.kind)).collect()),
        doc: of(&written, |w| w.doc.clone()),
        examples: Later::new(move || read.iter().flatten().cloned().collect()),
        digest: Later::new(move || Digest::of(digest.as_bytes())),
        span: Some(span),
        text,
    });
    (rule, Sides { typed, examples })
}

/// A rule as text without examples and documentation, in one layout whatever it is written in: what it does, which is
/// what its digest covers.
fn canonical(rule: &ast::Rule, span: Span) -> String {
    let bare = ast::Rule { examples: vec![], ..rule.clone() };
    let item = Item { span, doc: vec![], kind: ItemKind::Rule(Arc::new(bare)) };
    print::item(&item, &print::Options { width: 100, ..print::Options::default() })
}

/// The parameters and the equations of a rule, and what is to be warned of.
type RuleParts = (Vec<RuleParam>, Body, Vec<Diagnostic>);

fn typed(rule: &ast::Rule, patterns: &Patterns) -> Result<RuleParts, Vec<Diagnostic>> {
    let single = |p: Box<Diagnostic>| vec![*p];
    let Some((place, depth)) = nest::parameter(rule).map_err(single)? else {
        let typed = typing::equation(&nest::at_depth(rule, None).map_err(single)?, patterns)?;
        return Ok((typed.params, Body::Equation(Box::new(typed.equation)), typed.warnings));
    };
    let mut members = vec![];
    let mut last = None;
    for k in nest::DEPTHS {
        let written = nest::at_depth(rule, Some((&depth.kind, k))).map_err(single)?;
        let at_depth = |p: Diagnostic| p.note(format!("This is so at {} = {k}.", depth.kind));
        let typed = typing::equation(&written, patterns)
            .map_err(|p| p.into_iter().map(at_depth).collect::<Vec<_>>())?;
        members.push(typed.equation);
        last = Some((typed.params, typed.warnings));
    }
    let (mut params, warnings) = last.unwrap_or_default();
    // Before those that were declared after it; what matching finds is no parameter any more.
    let after: Vec<Name> =
        rule.params.iter().flat_map(|p| p.kind.names()).skip(place + 1).map(|n| n.kind.clone()).collect();
    let at = params.iter().position(|p| after.contains(&p.name)).unwrap_or(params.len());
    params.insert(at, RuleParam { name: depth.kind, kind: ParamKind::Depth });
    Ok((params, Body::Family(members), warnings))
}

fn problem(code: &'static str, message: impl Into<String>, span: Span, label: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message).label(span, label))
}

fn no_size(message: impl Into<String>, span: Span, label: &str) -> Box<Diagnostic> {
    let problem = problem("E0219", message, span, label);
    Box::new(problem.hint("Sizes are made of whole numbers, names of sizes and `+ - * / % div ^`."))
}

/// Reads a size; `known` says what its names stand for.
///
/// # Errors
/// `E0219` when it is no size, `E0220` for an unknown name.
pub fn size(e: &ast::Expr, known: &dyn Fn(&str) -> Option<Nat>) -> Result<Nat, Box<Diagnostic>> {
    let n = match &e.kind {
        ExprKind::Name(name) => match known(name) {
            Some(n) => n,
            None => {
                let problem = problem("E0220", format!("There is no size `{name}`."), e.span, "not known");
                let hint = "Write a number, or a size that is declared where this stands.";
                return Err(Box::new(problem.hint(hint)));
            }
        },
        ExprKind::Number(number) => match number.as_size() {
            Ok(n) => Nat::constant(n),
            Err([message, label, hint]) => {
                return Err(Box::new(problem("E0219", message, e.span, label).hint(hint)));
            }
        },
        ExprKind::Neg(inner) => Nat::constant(0).sub(&size(inner, known)?),
        ExprKind::Infix(first, rest) => {
            let mut n = size(first, known)?;
            for (op, other) in rest {
                let m = size(other, known)?;
                n = match op {
                    Op::Add => n.add(&m),
                    Op::Sub => n.sub(&m),
                    Op::Mul => n.mul(&m),
                    Op::Div => n.exact_div(&m),
                    Op::FloorDiv => n.floor_div(&m),
                    Op::Rem => n.modulo(&m),
                    Op::Pow => match m.as_constant().and_then(|k| u32::try_from(k).ok()) {
                        Some(k) if k <= MAX_EXPONENT => n.pow(k),
                        _ => {
                            let message = "The exponent of a size is a small number.";
                            return Err(no_size(message, other.span, "this is none"));
                        }
                    },
                    _ => {
                        let message = format!("`{}` does not compute a size.", op.symbol());
                        return Err(no_size(message, e.span, "no size"));
                    }
                };
            }
            n
        }
        _ => return Err(no_size("This is no size.", e.span, "not a size")),
    };
    if n.is_poison() {
        return Err(no_size("This size cannot be computed.", e.span, "too large, or divided by zero"));
    }
    Ok(n)
}

/// A number of arguments, in words.
fn arguments(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "one argument".into(),
        n => format!("{n} arguments"),
    }
}

/// How a rule is written with its arguments.
fn form(rule: &Rule) -> String {
    let params: Vec<&str> = rule.params.iter().map(|p| &*p.name).collect();
    if params.is_empty() {
        format!("Write `{}` alone.", rule.name)
    } else {
        format!("Write `{}({})`.", rule.name, params.join(", "))
    }
}

/// A rule with its arguments, as it stands in a set: `splitJoin(32)`.
///
/// # Errors
/// When there is no such rule, or the arguments are not those that it takes.
pub fn rule_use(
    rules: &RuleSet,
    reference: &ast::RuleRef,
    known: &dyn Fn(&str) -> Option<Nat>,
) -> Result<RuleUse, Box<Diagnostic>> {
    let found = first_arguments(rules, reference, known)?;
    let (wanted, given) = (found.rule.params.len(), found.args.len());
    if wanted != given {
        let fixed = given.saturating_sub(reference.args.len());
        return Err(wrong_number(reference, wanted - fixed));
    }
    Ok(found)
}

fn wrong_number(reference: &ast::RuleRef, wanted: usize) -> Box<Diagnostic> {
    let name = &reference.name;
    let given = reference.args.len();
    let message = format!("`{}` takes {} and is given {given}.", name.kind, arguments(wanted));
    let hint = format!("`shine-tui rules {}` shows it with its parameters.", name.kind);
    Box::new(problem("E0210", message, name.span, "here").hint(hint))
}

/// What the parameters of a set stand for where it is used.
///
/// # Errors
/// `E0210` when the arguments are not as many as it takes, `E0220` when one is no size.
pub fn bound(
    set: &ast::RuleSet,
    reference: &ast::RuleRef,
    known: Known<'_>,
) -> Result<Vec<(Name, Nat)>, Box<Diagnostic>> {
    let (most, given) = (set.params.len(), reference.args.len());
    let mut values = vec![];
    for (i, param) in set.params.iter().enumerate() {
        let value = match (reference.args.get(i), &param.default) {
            (Some(ast::Arg::Expr(e)), _) => size(e, known)?,
            (Some(arg @ ast::Arg::Type(_)), _) => {
                let problem =
                    problem("E0210", "A type is no argument of a set of rules.", arg.span(), "a type");
                return Err(Box::new(problem.hint("A set of rules takes sizes.")));
            }
            (None, Some(default)) => size(default, &|_| None)?,
            (None, None) => break,
        };
        values.push((param.name.kind.clone(), value));
    }
    if values.len() < most || given > most {
        let message = format!("The set `{}` takes {} and is given {given}.", set.name.kind, arguments(most));
        let hint = format!("`shine-tui rules {}` shows it with its parameters.", set.name.kind);
        return Err(Box::new(problem("E0210", message, reference.name.span, "here").hint(hint)));
    }
    Ok(values)
}

/// A rule with its first arguments, others still to come: what an alias stands for.
fn first_arguments(
    rules: &RuleSet,
    reference: &ast::RuleRef,
    known: &dyn Fn(&str) -> Option<Nat>,
) -> Result<RuleUse, Box<Diagnostic>> {
    let name = &reference.name;
    let Some(found) = rules.use_of(&name.kind, vec![]) else {
        return Err(Box::new(
            Diagnostic::error("E0209", format!("There is no rule `{}`.", name.kind))
                .label(name.span, "not known")
                .did_you_mean(&name.kind, rules.names().map(|n| &**n))
                .hint("`shine-tui rules` lists them."),
        ));
    };
    if reference.args.is_empty() {
        return Ok(found);
    }
    let params = found.rule.params.get(found.args.len()..).unwrap_or(&[]);
    if reference.args.len() > params.len() {
        return Err(wrong_number(reference, params.len()));
    }
    let mut args = found.args.clone();
    for (param, arg) in params.iter().zip(&reference.args) {
        let ast::Arg::Expr(e) = arg else {
            let problem = problem("E0210", "A type is no argument of a rule.", arg.span(), "a type");
            return Err(Box::new(problem.hint(form(&found.rule))));
        };
        args.push(match (&param.kind, &e.kind) {
            (ParamKind::Nat(_) | ParamKind::Depth, _) => RuleArg::Nat(size(e, known)?),
            (ParamKind::Dim(_), _) => {
                match size(e, known)?.as_constant().and_then(|d| u8::try_from(d).ok()).filter(|d| *d < 3) {
                    Some(d) => RuleArg::Dim(d),
                    None => {
                        let problem = problem("E0210", "A dimension is 0, 1 or 2.", e.span, "no dimension");
                        return Err(Box::new(problem.hint("Write one of these numbers.")));
                    }
                }
            }
            (ParamKind::Addr(_), ExprKind::Name(n)) => match AddressSpace::from_name(n) {
                Some(a) => RuleArg::Addr(a),
                None => {
                    let spaces: Vec<&str> = AddressSpace::ALL.iter().map(|a| a.name()).collect();
                    let message = format!("There is no address space `{n}`.");
                    let problem = problem("E0210", message, e.span, "not known");
                    return Err(Box::new(problem.hint(format!("Choose one of {}.", spaces.join(", ")))));
                }
            },
            _ => {
                let message = format!("`{}` takes {} here.", name.kind, param.kind.word());
                return Err(Box::new(
                    problem("E0210", message, e.span, "something else").hint(form(&found.rule)),
                ));
            }
        });
    }
    Ok(RuleUse { rule: found.rule, args })
}
