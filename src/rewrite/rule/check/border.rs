//! Where the two sides of a rule may begin to differ: what is compared in them, as equations between scalars.
//!
//! A rule that is wrong at one number, `x ~> select (x * 7 == 5) 0 x`, is right on nearly all that is drawn. Its text does
//! not mention the number either: it is the solution of an equation (`solve`). What is no arithmetic of scalars (an
//! element, a component, a parameter) is an unknown of it.

use crate::lang::declared::unfolded;
use crate::lang::eval::{self, Sizes};
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::lang::value::Value;
use crate::rewrite::normal::normal_form;
use crate::rewrite::rule::Rule;
use crate::rewrite::rule::pat::{Pat, PatNode};

/// More comparisons of one term are not looked at.
const MOST_BORDERS: usize = 8;

/// Larger terms are not looked at.
const MOST_NODES: u32 = 2000;

/// Two scalars that are compared.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Border {
    pub left: Node,
    pub right: Node,
    pub unknowns: Vec<Unknown>,
}

impl Border {
    /// Has the other the same solutions, whatever its unknowns are in the term?
    pub fn is_same_equation(&self, other: &Border) -> bool {
        let scalars = |b: &Border| -> Vec<Scalar> { b.unknowns.iter().map(|u| u.scalar).collect() };
        self.left == other.left && self.right == other.right && scalars(self) == scalars(other)
    }
}

/// A scalar that an equation is solved for.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Unknown {
    pub scalar: Scalar,
    /// Which parameter of the whole term it is, if it is one.
    pub parameter: Option<usize>,
    term: Term,
}

/// Arithmetic of scalars.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Node {
    Unknown(usize),
    Constant(Value),
    /// A pattern that goes lane by lane, or `select`, with the type of its result.
    Computed(Pattern, Scalar, Vec<Node>),
}

impl Node {
    /// The value where the unknowns have these; none where there is none.
    pub fn value(&self, unknowns: &[Value]) -> Option<Value> {
        match self {
            Node::Unknown(i) => unknowns.get(*i).cloned(),
            Node::Constant(v) => Some(v.clone()),
            Node::Computed(Pattern::Select, _, parts) => match parts.first()?.value(unknowns)? {
                Value::Bool(test) => parts.get(if test { 1 } else { 2 })?.value(unknowns),
                _ => None,
            },
            Node::Computed(p, s, parts) => {
                let parts: Vec<Value> = parts.iter().map(|e| e.value(unknowns)).collect::<Option<_>>()?;
                eval::scalar(*p, &parts, &Type::scalar(*s)).ok()
            }
        }
    }

    /// Has it this unknown?
    pub fn has(&self, unknown: usize) -> bool {
        match self {
            Node::Unknown(i) => *i == unknown,
            Node::Constant(_) => false,
            Node::Computed(_, _, parts) => parts.iter().any(|part| part.has(unknown)),
        }
    }
}

/// What is compared in a closed term with parameters, each comparison once.
pub(super) fn borders(term: &Term, sizes: &Sizes) -> Vec<Border> {
    let term = unfolded(term);
    if term.size() > MOST_NODES || !compares(&term) {
        return vec![];
    }
    let term = without_lets(&term);
    let term = normal_form(&term).filter(|t| t.size() <= MOST_NODES).unwrap_or(term);
    let mut found = vec![];
    let parameters = std::iter::successors(Some(&term), |t| t.as_lam().map(|(_, body)| body)).count() - 1;
    collect(&term, 0, parameters, sizes, &mut found);
    found
}

/// What is bound by `let`, in its place.
fn without_lets(t: &Term) -> Term {
    let t = t.with_children(t.children().into_iter().map(without_lets).collect());
    if let Some((op, args)) = t.as_pattern_app()
        && op.pattern == Pattern::Let
        && let [value, function] = args.as_slice()
    {
        return Term::app((*function).clone(), (*value).clone());
    }
    t
}

/// The operands of what has a border: comparisons, the smaller and the larger, quotients (where they have no value).
fn is_border(p: Pattern) -> bool {
    p.is_comparison() || matches!(p, Pattern::Min | Pattern::Max | Pattern::Div | Pattern::Mod)
}

/// Does the rule itself compare anything? What is drawn for its variables may, too, and says nothing of it.
pub(super) fn rule_compares(rule: &Rule) -> bool {
    let sides = rule.equations().iter().flat_map(|eq| [&eq.sides.lhs, &eq.sides.rhs]);
    let mut nodes = sides.flat_map(Pat::nodes);
    nodes.any(|node| matches!(&node.node, PatNode::Prim(p, _) if is_border(*p)))
}

fn compares(t: &Term) -> bool {
    t.as_prim().is_some_and(|p| is_border(p.pattern)) || t.children().into_iter().any(compares)
}

fn collect(t: &Term, depth: usize, parameters: usize, sizes: &Sizes, found: &mut Vec<Border>) {
    if found.len() >= MOST_BORDERS {
        return;
    }
    if let Some((op, args)) = t.as_pattern_app()
        && is_border(op.pattern)
        && let [a, b] = args.as_slice()
        && let Some(s) = lane(a.ty())
    {
        let mut reader = Reader { depth, parameters, sizes, unknowns: vec![] };
        let (left, right) = match op.pattern {
            Pattern::Div | Pattern::Mod => (reader.node(b), zero(s)),
            _ => (reader.node(a), reader.node(b)),
        };
        if let (Some(left), Some(right)) = (left, right) {
            let border = Border { left, right, unknowns: reader.unknowns };
            if !border.unknowns.is_empty() && !found.contains(&border) {
                found.push(border);
            }
        }
    }
    let below = depth + usize::from(t.as_lam().is_some());
    t.children().into_iter().for_each(|child| collect(child, below, parameters, sizes, found));
}

fn zero(s: Scalar) -> Option<Node> {
    let zero = if s.is_float() { Value::float(0.0, s)? } else { Value::int(0, s) };
    (s != Scalar::Bool).then_some(Node::Constant(zero))
}

/// The type of a scalar, or of one lane of a vector.
fn lane(t: &Type) -> Option<Scalar> {
    match t.kind() {
        TypeKind::Vector(_, t) => t.as_scalar(),
        _ => t.as_scalar(),
    }
}

struct Reader<'a> {
    depth: usize,
    parameters: usize,
    sizes: &'a Sizes,
    unknowns: Vec<Unknown>,
}

impl Reader<'_> {
    fn node(&mut self, t: &Term) -> Option<Node> {
        if let Expr::Lit(l) = t.expr() {
            return Value::literal(l, self.sizes).ok().map(Node::Constant);
        }
        let scalar = lane(t.ty());
        if let Some((op, args)) = t.as_pattern_app() {
            let number = |t: &&Term| lane(t.ty()).is_some() || t.ty().kind() == &TypeKind::NatType;
            let computes = op.pattern.is_lanewise() || op.pattern == Pattern::Select;
            if computes && !args.is_empty() && args.iter().all(number) {
                let parts = args.into_iter().map(|a| self.node(a)).collect::<Option<_>>()?;
                return Some(Node::Computed(op.pattern, scalar?, parts));
            }
            if let (Pattern::VectorFromScalar, [lane]) = (op.pattern, args.as_slice()) {
                return self.node(lane);
            }
        }
        let scalar = scalar?;
        if let Some(known) = self.unknowns.iter().position(|u| u.term == *t) {
            return Some(Node::Unknown(known));
        }
        let level = match t.expr() {
            Expr::Var(i) => self.depth.checked_sub(1 + *i as usize),
            _ => None,
        };
        let parameter = level.filter(|level| *level < self.parameters);
        self.unknowns.push(Unknown { scalar, parameter, term: t.clone() });
        Some(Node::Unknown(self.unknowns.len() - 1))
    }
}
