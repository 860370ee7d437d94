//! What a sketch asks for and rules never make of a program: patterns, numbers, and values of scalar types.

use super::forecast::{listed, required};
use crate::lang::literal::Literal;
use crate::lang::pattern::Pattern;
use crate::lang::sort::Operands;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::{Scalar, Type, TypeKind, TypeVar};
use crate::rule::builtin::{self, Numbers};
use crate::rule::makes::{Makes, all_made};
use crate::rule::offer::is_for_strategies;
use crate::rule::operators::neutral_values;
use crate::rule::pat::{Pat, PatNode};
use crate::rule::{Body, Equation, ParamKind, Rule, RuleArg, RuleSet, RuleUse, Searched};
use crate::sketch::{Number, Shape, Sketch, TypeSketch};
use indexmap::IndexSet;
use std::collections::{BTreeSet, HashSet};
use std::fmt;

/// That the sketch asks for what the program does not have and no rule of the library makes, with whatever arguments.
pub fn unmade_by_all(sketch: &Sketch, start: &Term, library: &RuleSet) -> Option<String> {
    let (asked, had) = asked_of(sketch, start)?;
    let mut made = vec![];
    for rule in library.rules() {
        let of_rule = match &*rule.body {
            Body::Procedure(_) => of_procedure(rule, &[])?,
            _ => rule.equations().iter().map(Made::of).collect(),
        };
        let given = rule.params.iter().any(|p| matches!(p.kind, ParamKind::Term(..)));
        made.extend(of_rule.into_iter().map(|m| match given {
            true => Made {
                open: Open { sizes: true, of_sizes: true, numbers: true, factors: true, types: true },
                ..m
            },
            false => m,
        }));
    }
    told(never_made(asked, had, made), "no rule of the library")
}

/// That the sketch asks for what the program does not have and none of these rules makes, with what of the library makes it. Nothing is
/// said where a rule does not say in equations what it makes.
pub(super) fn unmade(sketch: &Sketch, start: &Term, rules: &[RuleUse], library: &RuleSet) -> Option<String> {
    let (asked, had) = asked_of(sketch, start)?;
    let mut made = vec![];
    for rule in rules {
        let mut of_rule = match rule.rule.equation(&rule.args) {
            Some(equation) => vec![Made::of(equation)],
            None if matches!(&*rule.rule.body, Body::Procedure(_)) => of_procedure(&rule.rule, &rule.args)?,
            None => return None,
        };
        for arg in &rule.args {
            if let RuleArg::Term(given) = arg {
                let given = Had::by(given);
                of_rule.iter_mut().for_each(|m| m.takes(&given));
            }
        }
        made.extend(of_rule);
    }
    let there = all_made(made.iter().map(|m| m.patterns.clone()), &had.patterns);
    let unmade = never_made(asked, had, made);
    let makers = listed(unmade.iter().filter_map(|asked| maker(asked, &there, library)));
    let text = told(unmade, "no rule here")?;
    Some(if makers.is_empty() { text } else { format!("{text} The library has {makers}.") })
}

/// The simplest rule of the library that makes what is asked for of what is there, with what it makes.
fn maker(asked: &Asked, there: &BTreeSet<Pattern>, library: &RuleSet) -> Option<String> {
    let Asked::Pattern(pattern) = asked else { return None };
    let rules = library.rules().filter(|r| !r.is_right_to_left() && !is_for_strategies(r));
    let makers = rules.filter_map(|rule| {
        let makes = |equation: &&Equation| {
            let Makes { from, made } = Makes::of(equation);
            made.contains(pattern) && from.is_subset(there)
        };
        let effort = |equation: &Equation| {
            equation.sides.lhs.nodes().len() + equation.sides.rhs.nodes().len() + equation.conditions.len()
        };
        Some((rule.equations().iter().filter(makes).map(effort).min()?, rule))
    });
    let (_, rule) = makers.min_by_key(|(effort, _)| *effort)?;
    Some(format!("`{}`, which makes {asked}", rule.name))
}

/// What a sketch asks a program to have.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Asked {
    Pattern(Pattern),
    Number(Number),
    /// A number that is computed with.
    Operand(Number),
    Scalar(Scalar),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Pattern(p) => write!(f, "`{p}`"),
            Asked::Number(n) | Asked::Operand(n) => write!(f, "`{}`", Sketch::new(Shape::Number(n.clone()))),
            Asked::Scalar(s) => write!(f, "values of type `{}`", s.name()),
        }
    }
}

/// What there is in a term that can be asked for.
#[derive(Default)]
struct Had {
    patterns: BTreeSet<Pattern>,
    numbers: HashSet<Literal>,
    scalars: BTreeSet<Scalar>,
    /// Sizes are computed with as values.
    of_sizes: bool,
}

impl Had {
    fn by(term: &Term) -> Had {
        let mut had = Had::default();
        for (_, t) in term.positions() {
            scalars_of(t.ty(), &mut had.scalars);
            match t.expr() {
                Expr::Lit(literal) => {
                    had.patterns.extend(written_by(literal));
                    had.numbers.insert(literal.clone());
                }
                _ => {
                    had.patterns.extend(t.as_pattern());
                    had.of_sizes |=
                        computed(t.as_pattern(), t.ty()).is_some_and(|ty| *ty == Type::nat_type());
                }
            }
        }
        had
    }

    fn has(&self, asked: &Asked) -> bool {
        match asked {
            Asked::Pattern(p) => self.patterns.contains(p),
            Asked::Number(n) | Asked::Operand(n) => self.numbers.iter().any(|literal| n.is(literal)),
            Asked::Scalar(s) => self.scalars.contains(s),
        }
    }
}

/// What a rule makes of what.
struct Made {
    patterns: Makes,
    numbers: HashSet<Literal>,
    scalars: BTreeSet<Scalar>,
    /// What is not known of its right side before it is applied.
    open: Open,
}

/// That there may be any: a size that is written as a value, and one that is computed with, a number, factors of those that there
/// are, a scalar type.
#[derive(Clone, Copy, Default)]
struct Open {
    sizes: bool,
    of_sizes: bool,
    numbers: bool,
    factors: bool,
    types: bool,
}

impl Made {
    fn of(equation: &Equation) -> Made {
        let mut made = Made {
            patterns: Makes::of(equation),
            numbers: HashSet::new(),
            scalars: BTreeSet::new(),
            open: Open::default(),
        };
        let (mut had, mut computes) = (HashSet::new(), false);
        let pattern = |pat: &Pat| if let PatNode::Prim(p, _) = &pat.node { Some(*p) } else { None };
        for pat in equation.sides.lhs.nodes() {
            pat.ty.for_each_var(&mut |v| _ = had.insert(v.clone()));
            computes |= computed(pattern(pat), &pat.ty).is_some();
        }
        for pat in equation.sides.rhs.nodes() {
            made.is_of(&pat.ty, &had);
            // What the left side computes with sizes was there.
            let of_any = |ty: &Type| matches!(ty.kind(), TypeKind::Var(_)) && !computes;
            made.open.of_sizes |=
                computed(pattern(pat), &pat.ty).is_some_and(|ty| *ty == Type::nat_type() || of_any(ty));
            match &pat.node {
                PatNode::Lit(literal) => {
                    made.patterns.made.extend(written_by(literal));
                    if let Literal::Index(value, _) | Literal::Nat(value) = literal {
                        made.open.sizes |= value.has_metas();
                    }
                    made.numbers.insert(literal.clone());
                }
                PatNode::Vectorise(..) => made.patterns.made.extend(builtin::SPREAD),
                _ => {}
            }
        }
        made
    }

    /// Its right side has a value of this type, its left side types with these variables.
    fn is_of(&mut self, ty: &Type, had: &HashSet<TypeVar>) {
        let types = &mut self.open.types;
        ty.for_each_var(&mut |v| *types |= !had.contains(v));
        scalars_of(ty, &mut self.scalars);
    }

    /// It is given a term with these.
    fn takes(&mut self, given: &Had) {
        self.patterns.made.extend(&given.patterns);
        self.numbers.extend(given.numbers.iter().cloned());
        self.scalars.extend(&given.scalars);
    }
}

/// What a procedure makes in searches, of what its left sides say. Its values are of the types that there were.
fn of_procedure(rule: &Rule, args: &[RuleArg]) -> Option<Vec<Made>> {
    let (patterns, computed) = builtin::makes(&rule.name)?;
    let sides = rule.in_searches(args).unwrap_or_default();
    let numbers = if computed == Numbers::Neutral { neutral_values() } else { HashSet::new() };
    let open = match computed {
        Numbers::None | Numbers::Neutral => Open::default(),
        Numbers::Factors => Open { factors: true, ..Open::default() },
        Numbers::Work => Open { sizes: true, ..Open::default() },
    };
    let made = |side: Searched<'_>| {
        let Makes { mut from, .. } = Makes::of(side.equation);
        if computed == Numbers::Factors {
            from.insert(Pattern::MakeArray);
        }
        Made {
            patterns: Makes { from, made: patterns.iter().copied().collect() },
            numbers: numbers.clone(),
            scalars: BTreeSet::new(),
            open,
        }
    };
    Some(sides.into_iter().map(made).collect())
}

/// What of this is not made of what a program has.
fn never_made(asked: IndexSet<Asked>, had: Had, made: Vec<Made>) -> Vec<Asked> {
    let there = all_made(made.iter().map(|m| m.patterns.clone()), &had.patterns);
    let (mut all, mut open) = (had, Open::default());
    for m in made.into_iter().filter(|m| m.patterns.from.is_subset(&there)) {
        open.sizes |= m.open.sizes;
        open.of_sizes |= m.open.of_sizes;
        open.numbers |= m.open.numbers;
        open.factors |= m.open.factors;
        open.types |= m.open.types;
        all.numbers.extend(m.numbers);
        all.scalars.extend(m.scalars);
    }
    all.patterns = there;
    if !open.types {
        let scalars = &all.scalars;
        all.numbers.retain(|n| n.ty().as_scalar().is_none_or(|s| scalars.contains(&s)));
    }
    // Of zeros and ones no other factors are made.
    let is_factor = |n: &Literal| match n {
        Literal::Int(v, _) => !matches!(v, 0 | 1),
        Literal::Float(bits, _) => ![0.0, 1.0].contains(&f64::from_bits(*bits)),
        Literal::Bool(_) | Literal::Index(..) | Literal::Nat(_) => false,
    };
    // Factors are of the type of what they are factors of.
    let factors = all.numbers.iter().filter(|n| open.factors && is_factor(n));
    let factors: BTreeSet<Scalar> = factors.filter_map(|n| n.ty().as_scalar()).collect();
    let is_factor = |n: &Number| factors.iter().any(|scalar| n.may_be(*scalar));
    let of_sizes = open.sizes && (open.of_sizes || all.of_sizes);
    let is_size = |n: &Number| n.scalar.is_none() && n.digits.parse::<i64>().is_ok();
    let may_be = |asked: &Asked| match asked {
        Asked::Number(n) if open.numbers || is_factor(n) || open.sizes && is_size(n) => true,
        Asked::Operand(n) if open.numbers || is_factor(n) || of_sizes && is_size(n) => true,
        Asked::Scalar(_) if open.types => true,
        asked => all.has(asked),
    };
    asked.into_iter().filter(|a| !may_be(a)).collect()
}

/// What the sketch asks for and the program does not have, if there is such, with what the program has.
fn asked_of(sketch: &Sketch, start: &Term) -> Option<(IndexSet<Asked>, Had)> {
    let mut asked = IndexSet::new();
    collect(&required(sketch), &mut asked);
    let had = Had::by(start);
    asked.retain(|a| !had.has(a));
    (!asked.is_empty()).then_some((asked, had))
}

fn collect(sketch: &Sketch, out: &mut IndexSet<Asked>) {
    match sketch.shape() {
        Shape::Pattern(p, _) => _ = out.insert(Asked::Pattern(*p)),
        Shape::Number(n) => _ = out.insert(Asked::Number(n.clone())),
        Shape::App(f, e) => {
            collect(f, out);
            return match operand(f, e) {
                Some(n) => _ = out.insert(Asked::Operand(n.clone())),
                None => collect(e, out),
            };
        }
        Shape::Typed(_, ty) => out.extend(scalars_asked(ty).into_iter().map(Asked::Scalar)),
        _ => {}
    }
    sketch.children().into_iter().for_each(|s| collect(s, out));
}

/// The number that an operator is applied to, as `e` or behind another operand.
fn operand<'s>(f: &'s Sketch, e: &'s Sketch) -> Option<&'s Number> {
    let operator = match f.bare().shape() {
        Shape::App(operator, _) => operator.bare(),
        _ => f.bare(),
    };
    match (operator.shape(), e.bare().shape()) {
        (Shape::Pattern(p, _), Shape::Number(n)) if is_operator(*p) => Some(n),
        _ => None,
    }
}

/// Does it compute with numbers, and with no indices?
fn is_operator(p: Pattern) -> bool {
    matches!(p.operands(), Some(Operands::Numbers | Operands::Integers | Operands::Floats | Operands::Bits))
}

/// The type of what an operator computes with.
fn computed(pattern: Option<Pattern>, ty: &Type) -> Option<&Type> {
    pattern.filter(|p| is_operator(*p)).and_then(|_| Some(ty.as_fun()?.0))
}

fn scalars_asked(ty: &TypeSketch) -> Vec<Scalar> {
    match ty {
        TypeSketch::Any | TypeSketch::NatType | TypeSketch::Index(_) => vec![],
        TypeSketch::Scalar(s) => vec![*s],
        TypeSketch::Vector(_, t) | TypeSketch::Array(_, t) => scalars_asked(t),
        TypeSketch::Pair(a, b) | TypeSketch::Fun(a, b) => [scalars_asked(a), scalars_asked(b)].concat(),
    }
}

fn scalars_of(ty: &Type, out: &mut BTreeSet<Scalar>) {
    match ty.kind() {
        TypeKind::Scalar(s) => _ = out.insert(*s),
        TypeKind::Vector(_, t) | TypeKind::Array(_, t) => scalars_of(t, out),
        TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
            scalars_of(a, out);
            scalars_of(b, out);
        }
        TypeKind::NatType | TypeKind::Index(_) | TypeKind::Var(_) | TypeKind::Ill => {}
    }
}

/// The pattern that a literal is written with.
fn written_by(literal: &Literal) -> Option<Pattern> {
    matches!(literal, Literal::Index(..)).then_some(Pattern::NatAsIndex)
}

fn told(unmade: Vec<Asked>, no_rule: &str) -> Option<String> {
    if unmade.is_empty() {
        return None;
    }
    let verb = if unmade.len() == 1 { "makes it" } else { "makes them" };
    let asked = listed(unmade.iter().map(ToString::to_string));
    let mut text =
        format!("The sketch asks for {asked}. There is none, and {no_rule} {verb} of what is there.");
    if unmade.contains(&Asked::Pattern(Pattern::Not)) {
        text += " Before a value, `not` is the pattern; `not contains(…)` is what leaves programs out.";
    }
    Some(text)
}
