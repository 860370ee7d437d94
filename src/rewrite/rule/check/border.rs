//! Where the two sides of a rule may begin to differ: what is compared in them, as equations between scalars.
//!
//! A rule that is wrong at one number, `x ~> select (x * 7 == 5) 0 x`, is right on nearly all that is drawn. Its text does
//! not mention the number either: it is the solution of an equation (`solve`). What is no arithmetic of scalars (an
//! element, a component, a parameter) is an unknown of it.

use super::solve::compared;
use crate::lang::build;
use crate::lang::declared::unfolded;
use crate::lang::eval::{self, Arithmetic, Sizes};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::lang::value::Value;
use crate::normal::normal_form;
use crate::rule::Rule;
use crate::rule::pat::{Pat, PatNode};
use std::cmp::Ordering;

/// More comparisons are not looked at.
const MOST_BORDERS: usize = 8;

/// Numbers that what is rounded to whole ones may be, odd ones, of which halves are rounded up: a quotient and a product that is
/// to be it part below few of them.
const WHOLE: [f64; 4] = [1.0, 5.0, 21.0, 85.0];

/// Reductions of as many elements are looked at step by step.
const FEW_STEPS: i64 = 3;

/// Larger terms are not looked at.
const MOST_NODES: u32 = 2000;

/// What terms with the same parameters compare, and what they compare it of.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Compared {
    pub unknowns: Vec<Unknown>,
    /// Each once.
    pub borders: Vec<Border>,
    /// What is rounded to whole numbers, and some that it may be: these hold by themselves, and say nothing of others.
    pub rounded: Vec<Border>,
}

/// Two scalars that are compared.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Border {
    pub left: Node,
    pub right: Node,
    /// How they compare where the comparison is true; equal if that says nothing.
    pub truth: Ordering,
    /// Something compares them; they are no operands of another sort, as of a quotient.
    pub is_compared: bool,
}

impl Border {
    /// How the left compares with the right where the unknowns have these values.
    pub fn order(&self, arithmetic: Arithmetic, unknowns: &[Value]) -> Option<Ordering> {
        compared(&self.left.value(arithmetic, unknowns)?, &self.right.value(arithmetic, unknowns)?)
    }

    pub fn has(&self, unknown: usize) -> bool {
        self.left.has(unknown) || self.right.has(unknown)
    }

    /// The same with other numbers for the unknowns.
    pub fn renumbered(&self, number: &dyn Fn(usize) -> usize) -> Border {
        let side = |node: &Node| node.renumbered(number);
        Border { left: side(&self.left), right: side(&self.right), ..*self }
    }
}

/// A scalar that an equation is solved for.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Unknown {
    pub scalar: Scalar,
    /// Where the inputs have it, if it is one of them or a part of one.
    pub place: Option<Place>,
    /// Seen from its innermost variable, and which binder of the whole term that is.
    term: Term,
    binder: Option<usize>,
}

/// A part of the inputs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Place {
    /// Of the whole term.
    pub parameter: usize,
    /// From the parameter inwards.
    pub parts: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Part {
    First,
    Second,
    Element(usize),
    /// Some element: it depends on what is no number.
    Elements,
}

/// Arithmetic of scalars.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Node {
    Unknown(usize),
    Constant(Value),
    /// A pattern that goes lane by lane, or `select`, with the type of its result.
    Computed(Pattern, Type, Vec<Node>),
}

impl Node {
    /// The value where the unknowns have these; none where there is none.
    pub fn value(&self, arithmetic: Arithmetic, unknowns: &[Value]) -> Option<Value> {
        match self {
            Node::Unknown(i) => unknowns.get(*i).cloned(),
            Node::Constant(v) => Some(v.clone()),
            Node::Computed(Pattern::Select, _, parts) => match parts.first()?.value(arithmetic, unknowns)? {
                Value::Bool(test) => parts.get(if test { 1 } else { 2 })?.value(arithmetic, unknowns),
                _ => None,
            },
            Node::Computed(p, result, parts) => {
                let parts: Vec<Value> =
                    parts.iter().map(|e| e.value(arithmetic, unknowns)).collect::<Option<_>>()?;
                eval::scalar(arithmetic, *p, &parts, result).ok()
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

    /// Is this pattern in it?
    pub fn computes(&self, pattern: Pattern) -> bool {
        matches!(self, Node::Computed(p, _, parts)
            if *p == pattern || parts.iter().any(|part| part.computes(pattern)))
    }

    /// The numbers in it that are no unknowns.
    pub fn constants(&self) -> Vec<&Value> {
        match self {
            Node::Unknown(_) => vec![],
            Node::Constant(v) => vec![v],
            Node::Computed(_, _, parts) => parts.iter().flat_map(Node::constants).collect(),
        }
    }

    fn renumbered(&self, number: &dyn Fn(usize) -> usize) -> Node {
        match self {
            Node::Unknown(i) => Node::Unknown(number(*i)),
            Node::Constant(v) => Node::Constant(v.clone()),
            Node::Computed(p, s, parts) => {
                Node::Computed(*p, s.clone(), parts.iter().map(|part| part.renumbered(number)).collect())
            }
        }
    }
}

/// What is compared in closed terms with the same parameters.
pub(super) fn compared_in(terms: &[&Term], sizes: &Sizes) -> Compared {
    let mut all = Compared::default();
    for term in terms {
        let term = unfolded(term);
        if term.size() > MOST_NODES || !compares(&term) {
            continue;
        }
        let term = without_lets(&term);
        let term = normal_form(&term).filter(|t| t.size() <= MOST_NODES).unwrap_or(term);
        let parameters = std::iter::successors(Some(&term), |t| t.as_lam().map(|(_, body)| body)).count() - 1;
        Reader { parameters, sizes, binders: vec![], seen: 0, all: &mut all }.collect(&term);
    }
    all
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

/// Does it make whole numbers of others, from a float of this type?
fn rounds(p: Pattern, ty: &Type) -> bool {
    let is_float = |t: &Type| lane(t).is_some_and(Scalar::is_float);
    match p {
        Pattern::Floor | Pattern::Ceil | Pattern::Round | Pattern::Trunc => true,
        Pattern::Cast => {
            ty.as_fun().is_some_and(|(from, to)| is_float(from) && !is_float(to) && lane(to).is_some())
        }
        _ => false,
    }
}

/// How two numbers compare where this comparison of them is true; equal if that says nothing.
pub(super) fn truth(comparison: Pattern) -> Ordering {
    match comparison {
        Pattern::Lt | Pattern::Le => Ordering::Less,
        Pattern::Gt | Pattern::Ge => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

/// Does the rule itself compare anything? What is drawn for its variables may, too, and says nothing of it.
pub(super) fn rule_compares(rule: &Rule) -> bool {
    let sides = rule.equations().iter().flat_map(|eq| [&eq.sides.lhs, &eq.sides.rhs]);
    let mut nodes = sides.flat_map(Pat::nodes);
    nodes.any(|node| matches!(&node.node, PatNode::Prim(p, _) if is_border(*p) || rounds(*p, &node.ty)))
}

fn compares(t: &Term) -> bool {
    t.as_prim().is_some_and(|p| is_border(p.pattern) || rounds(p.pattern, t.ty()))
        || t.children().into_iter().any(compares)
}

fn zero(s: Scalar) -> Option<Node> {
    let zero = if s.is_float() { Value::float(0.0, s)? } else { Value::int(0, s) };
    (s != Scalar::Bool).then_some(Node::Constant(zero))
}

/// The type of a scalar, or of one lane of a vector. Natural numbers and indices are solved for as numbers of 64 bits.
fn lane(t: &Type) -> Option<Scalar> {
    match t.kind() {
        TypeKind::Vector(_, t) => t.as_scalar(),
        TypeKind::NatType | TypeKind::Index(_) => Some(Scalar::I64),
        _ => t.as_scalar(),
    }
}

struct Reader<'a> {
    parameters: usize,
    sizes: &'a Sizes,
    /// What is bound here, the outermost first: the how many-th binder of the term each is.
    binders: Vec<usize>,
    /// So many binders were met.
    seen: usize,
    all: &'a mut Compared,
}

impl Reader<'_> {
    fn collect(&mut self, t: &Term) {
        if self.all.borders.len() >= MOST_BORDERS {
            return;
        }
        if let Some((op, args)) = t.as_pattern_app()
            && is_border(op.pattern)
            && let [a, b] = args.as_slice()
            && let Some(s) = lane(a.ty())
        {
            let known = self.all.unknowns.len();
            let border = match op.pattern {
                Pattern::Div | Pattern::Mod => self.node(b).zip(zero(s)),
                _ => self.node(a).and_then(|left| Some((left, self.node(b)?))),
            };
            let (truth, is_compared) = (truth(op.pattern), op.pattern.is_comparison());
            match border.map(|(left, right)| Border { left, right, truth, is_compared }) {
                Some(border) => {
                    let has_unknowns = (0..self.all.unknowns.len()).any(|i| border.has(i));
                    if has_unknowns && !self.all.borders.contains(&border) {
                        self.all.borders.push(border);
                    }
                }
                None => self.all.unknowns.truncate(known),
            }
        }
        if let Some((op, args)) = t.as_pattern_app()
            && let [rounded] = args.as_slice()
            && rounds(op.pattern, &Type::fun(rounded.ty().clone(), t.ty().clone()))
            && let Some(s) = lane(rounded.ty())
            && self.all.rounded.len() < MOST_BORDERS
        {
            self.rounded(rounded, s, if op.pattern == Pattern::Round { 2.0 } else { 1.0 });
        }
        let is_binder = t.as_lam().is_some();
        if is_binder {
            self.binders.push(self.seen);
            self.seen += 1;
        }
        t.children().into_iter().for_each(|child| self.collect(child));
        if is_binder {
            self.binders.pop();
        }
    }

    /// What is rounded is near to whole numbers, or to halves, on either side.
    fn rounded(&mut self, t: &Term, s: Scalar, parts: f64) {
        let known = self.all.unknowns.len();
        let Some(left) = self.node(t).filter(|node| matches!(node, Node::Computed(..))) else {
            self.all.unknowns.truncate(known);
            return;
        };
        for whole in WHOLE {
            let right = Value::float(whole / parts, s).map(Node::Constant);
            let border =
                |right| Border { left: left.clone(), right, truth: Ordering::Equal, is_compared: false };
            self.all.rounded.extend(right.map(border).filter(|b| !self.all.rounded.contains(b)));
        }
    }

    fn node(&mut self, t: &Term) -> Option<Node> {
        if let Expr::Lit(l) = t.expr() {
            return match Value::literal(l, self.sizes).ok()? {
                Value::Nat(v) => Some(Node::Constant(Value::int(v.into(), Scalar::I64))),
                v => Some(Node::Constant(v)),
            };
        }
        let scalar = lane(t.ty());
        if let Some((op, args)) = t.as_pattern_app() {
            let number = |t: &&Term| lane(t.ty()).is_some();
            let computes = op.pattern.is_lanewise() || op.pattern == Pattern::Select;
            if computes && !args.is_empty() && args.iter().all(number) {
                let parts = args.into_iter().map(|a| self.node(a)).collect::<Option<_>>()?;
                return Some(Node::Computed(op.pattern, Type::scalar(scalar?), parts));
            }
            if let (Pattern::VectorFromScalar, [lane]) = (op.pattern, args.as_slice()) {
                return self.node(lane);
            }
            if op.pattern.is_reduce()
                && let Some(steps) = self.steps(&args)
            {
                return self.node(&steps);
            }
        }
        let unknown = self.unknown(t, scalar?);
        let known = self.all.unknowns.iter().position(|u| *u == unknown);
        Some(Node::Unknown(known.unwrap_or_else(|| {
            self.all.unknowns.push(unknown);
            self.all.unknowns.len() - 1
        })))
    }

    /// A reduction of few numbers of the inputs, step by step.
    fn steps(&self, args: &[&Term]) -> Option<Term> {
        let [step, init, array] = args else { return None };
        let (n, _) = array.ty().as_array()?;
        let count = n.eval(&|x| self.sizes.get(x).copied()).ok().filter(|n| *n <= FEW_STEPS)?;
        let whole = (0..count).try_fold((*init).clone(), |acc, i| {
            let element = self.element(array, i)?;
            Some(Term::app(Term::app((*step).clone(), acc), element))
        })?;
        normal_form(&whole).filter(|t| t.size() <= MOST_NODES)
    }

    /// An element of an array of the inputs, or of what a function makes of each of one's.
    fn element(&self, array: &Term, i: i64) -> Option<Term> {
        if let Some((op, args)) = array.as_pattern_app()
            && op.pattern.is_map()
            && let [f, array] = args.as_slice()
        {
            return Some(Term::app((*f).clone(), self.element(array, i)?));
        }
        self.place(array)?;
        let (n, _) = array.ty().as_array()?;
        let index = Term::lit(Literal::Index(Nat::constant(i), n.clone()));
        build::apply(Pattern::Idx, vec![], vec![index, array.clone()]).ok()
    }

    fn unknown(&self, t: &Term, scalar: Scalar) -> Unknown {
        let depth = self.binders.len();
        let innermost = (0..depth).find(|i| t.has_free(*i as u32));
        let seen = innermost.and_then(|i| t.shift_down(i as u32)).unwrap_or_else(|| t.clone());
        let binder = innermost.and_then(|i| self.binders.get(depth - 1 - i)).copied();
        Unknown { scalar, place: self.place(t), term: seen, binder }
    }

    /// Where the inputs have it.
    fn place(&self, t: &Term) -> Option<Place> {
        if let Expr::Var(i) = t.expr() {
            let parameter = self.binders.len().checked_sub(1 + *i as usize)?;
            return (parameter < self.parameters).then(|| Place { parameter, parts: vec![] });
        }
        let (op, args) = t.as_pattern_app()?;
        let (whole, part) = match (op.pattern, args.as_slice()) {
            (Pattern::IndexAsNat, [index]) => return self.place(index),
            (Pattern::Fst, [pair]) => (pair, Part::First),
            (Pattern::Snd, [pair]) => (pair, Part::Second),
            (Pattern::Idx, [index, array]) => {
                let known = match index.expr() {
                    Expr::Lit(l) => Value::literal(l, self.sizes).ok(),
                    _ => None,
                };
                let at = match known {
                    Some(Value::Nat(at)) => usize::try_from(at).ok().map(Part::Element),
                    _ => None,
                };
                (array, at.unwrap_or(Part::Elements))
            }
            _ => return None,
        };
        let mut place = self.place(whole)?;
        place.parts.push(part);
        Some(place)
    }
}
