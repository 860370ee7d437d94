//! From elaborated trees, with every type known, to terms. Definitions unfold here.
//!
//! Unfolding a definition puts arguments for parameters, but never repeats work: an argument that computes something
//! and is used more than once, or inside a function, stays in front as a `let`, that is, `(\x. body) argument`.
//! Functions, constants and views of arrays (`transpose a`, `fst p`) compute nothing and are put in.

use super::check;
use super::program::Spans;
use super::state::{Infer, Joining};
use super::tree::{Instance, Local, Node, Steps, Tree, TreeArg};
use crate::MAX_DEPTH;
use crate::diag::Span;
use crate::literal::Literal;
use crate::nat::{Name, Nat, NatVar};
use crate::pattern::Pattern;
use crate::steps::{self, size_of_step};
use crate::term::{Arg, Expr, Term};
use crate::ty::{Type, TypeKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The most nodes that a program may unfold to.
pub const MAX_NODES: usize = 200_000;

/// The most parts that one type may have.
pub const MAX_TYPE: u64 = 4096;

/// An argument of no more nodes than this may be repeated, if that repeats no work.
const SMALL: usize = 16;

/// The deepest term: calls nest one level an argument, so terms are deeper than what was written.
pub const MAX_TERM_DEPTH: u32 = 4 * MAX_DEPTH as u32;

/// Why no term was built.
#[derive(Clone, Debug)]
pub enum Unbuilt {
    /// The definitions unfold to too much.
    TooLarge(Span),
    TooDeep(Span),
    /// A type is too large.
    TypeTooLarge(Span),
    /// A size in a type is too large.
    SizeTooLarge(Span),
    /// Something was left unknown at this place.
    Unknown(Span),
    /// The size of a step is known outside of it.
    SizeOfStep(Span),
}

/// A term and where its parts were written.
pub type Built = Result<(Term, Spans), Unbuilt>;

/// One unfolding of a definition: what its variables stand for.
struct Frame<'a> {
    /// What was chosen for the definition's sizes and types; nothing for the program itself.
    chosen: Rc<Instance>,
    locals: RefCell<FxHashMap<Local, Bound<'a>>>,
    types: RefCell<FxHashMap<Type, Type>>,
}

impl<'a> Frame<'a> {
    fn new(chosen: Instance) -> Frame<'a> {
        Frame { chosen: Rc::new(chosen), locals: RefCell::default(), types: RefCell::default() }
    }
}

#[derive(Clone)]
enum Bound<'a> {
    /// The binder at this depth, counted from outside.
    Level(u32),
    /// What stands for the variable, and how many nodes it has if it computes nothing.
    Argument(Closure<'a>, Option<usize>),
}

/// An expression with the frame that it is read in.
#[derive(Clone)]
enum Closure<'a> {
    Tree(&'a Tree, Rc<Frame<'a>>),
    /// The variable that is bound at this depth.
    Variable(u32, Type, Span),
    /// `f >> g >> …` applied to an argument.
    Composed(&'a [Tree], Rc<Frame<'a>>, Rc<Closure<'a>>),
}

pub struct Builder<'a> {
    infer: &'a Infer,
    nodes: usize,
    steps: usize,
    /// How many definitions are being unfolded, one within the other.
    unfolding: u32,
    /// How many steps of `iterate` are being built, one within the other.
    steps_above: u32,
}

impl<'a> Builder<'a> {
    pub fn new(infer: &'a Infer) -> Builder<'a> {
        Builder { infer, nodes: 0, steps: 0, unfolding: 0, steps_above: 0 }
    }

    /// The term of `\params. body`. Variables of `context` are free: the last one is variable 0. If the body is a
    /// function, `extra` has the types of parameters of its that get names here.
    pub fn build(
        &mut self,
        context: &[Local],
        params: &[Local],
        body: &'a Tree,
        extra: &[(Name, Type)],
    ) -> Built {
        let frame: Rc<Frame<'a>> = Rc::new(Frame::new(Instance::default()));
        for (level, local) in context.iter().enumerate() {
            frame.locals.borrow_mut().insert(*local, Bound::Level(level as u32));
        }
        let depth = context.len() as u32;
        let span = body.span;
        if extra.is_empty() {
            return self.lambdas(params, body, &frame, depth, span);
        }
        for (i, local) in params.iter().enumerate() {
            frame.locals.borrow_mut().insert(*local, Bound::Level(depth + i as u32));
        }
        let inside = depth + params.len() as u32;
        let mut args = vec![];
        for (i, (_, ty)) in extra.iter().enumerate() {
            args.push(Closure::Variable(inside + i as u32, self.ty(ty, &frame, span)?, span));
        }
        let (mut term, mut spans) = self.spine(body, &frame, args, span, inside + extra.len() as u32)?;
        let named = params.iter().map(|l| &self.infer.locals[*l as usize]).map(|l| (&l.name, &l.ty));
        let all: Vec<(&Name, &Type)> = named.chain(extra.iter().map(|(n, t)| (n, t))).collect();
        for (name, ty) in all.into_iter().rev() {
            let ty = self.ty(ty, &frame, span)?;
            term = self.made(Term::lam(name, ty, term), span)?;
            spans = Spans::new(span, vec![spans]);
        }
        Ok((term, spans))
    }

    fn lambdas(
        &mut self,
        params: &[Local],
        body: &'a Tree,
        frame: &Rc<Frame<'a>>,
        depth: u32,
        span: Span,
    ) -> Built {
        for (i, local) in params.iter().enumerate() {
            frame.locals.borrow_mut().insert(*local, Bound::Level(depth + i as u32));
        }
        let (mut term, mut spans) = self.tree(body, frame, depth + params.len() as u32)?;
        for local in params.iter().rev() {
            let info = &self.infer.locals[*local as usize];
            let ty = self.ty(&info.ty, frame, info.span)?;
            term = self.made(Term::lam(&info.name, ty, term), span)?;
            spans = Spans::new(span, vec![spans]);
        }
        Ok((term, spans))
    }

    fn made(&mut self, term: Term, span: Span) -> Result<Term, Unbuilt> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Unbuilt::TooLarge(span));
        }
        if term.depth() > MAX_TERM_DEPTH { Err(Unbuilt::TooDeep(span)) } else { Ok(term) }
    }

    /// A type as it is in this unfolding.
    fn ty(&self, t: &Type, frame: &Rc<Frame<'a>>, span: Span) -> Result<Type, Unbuilt> {
        if let Some(done) = frame.types.borrow().get(t) {
            return Ok(done.clone());
        }
        let known = self.infer.u.known(t);
        if is_large(&known) {
            return Err(Unbuilt::TypeTooLarge(span));
        }
        let out = if frame.chosen.is_empty() { known } else { known.subst(&*frame.chosen) };
        if is_large(&out) {
            return Err(Unbuilt::TypeTooLarge(span));
        }
        if has_poison(&out) {
            return Err(Unbuilt::SizeTooLarge(span));
        }
        if out.has_metas() {
            return Err(Unbuilt::Unknown(span));
        }
        if has_size_of_step(&out) {
            return Err(Unbuilt::SizeOfStep(span));
        }
        frame.types.borrow_mut().insert(t.clone(), out.clone());
        Ok(out)
    }

    /// What a use of a definition chose, as it is in the unfolding in which the use stands.
    fn chosen(&self, instance: &Instance, frame: &Rc<Frame<'a>>, span: Span) -> Result<Instance, Unbuilt> {
        let mut out = Instance::default();
        for (v, n) in &instance.nats {
            out.nats.insert(v.clone(), self.nat(n, frame, span)?);
        }
        for (v, t) in &instance.types {
            out.types.insert(v.clone(), self.ty(t, frame, span)?);
        }
        Ok(out)
    }

    fn nat(&self, n: &Nat, frame: &Rc<Frame<'a>>, span: Span) -> Result<Nat, Unbuilt> {
        match self.ty(&Type::index(n.clone()), frame, span)?.as_index() {
            Some(n) => Ok(n.clone()),
            None => Err(Unbuilt::Unknown(span)),
        }
    }

    fn tree(&mut self, t: &'a Tree, frame: &Rc<Frame<'a>>, depth: u32) -> Built {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.spine(t, frame, vec![], t.span, depth))
    }

    fn closure(&mut self, c: &Closure<'a>, depth: u32) -> Built {
        match c {
            Closure::Tree(t, frame) => self.tree(t, frame, depth),
            Closure::Variable(level, ty, span) => {
                let index = depth.checked_sub(level + 1).ok_or(Unbuilt::Unknown(*span))?;
                Ok((self.made(Term::var(index, ty.clone()), *span)?, Spans::new(*span, vec![])))
            }
            Closure::Composed(stages, frame, argument) => {
                let span = stages.last().map_or(Span::NOWHERE, |s| s.span);
                stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || {
                    self.composed(stages, frame, argument, vec![], span, depth)
                })
            }
        }
    }

    /// The last stage applied to the stages before it applied to the argument.
    fn composed(
        &mut self,
        stages: &'a [Tree],
        frame: &Rc<Frame<'a>>,
        argument: &Rc<Closure<'a>>,
        rest: Vec<Closure<'a>>,
        span: Span,
        depth: u32,
    ) -> Built {
        match stages {
            [] => {
                let (mut term, mut spans) = self.closure(argument, depth)?;
                for e in rest {
                    (term, spans) = self.applied((term, spans), &e, span, depth)?;
                }
                Ok((term, spans))
            }
            [init @ .., last] => {
                let inner = match init {
                    [] => (**argument).clone(),
                    _ => Closure::Composed(init, frame.clone(), argument.clone()),
                };
                let mut args = vec![inner];
                args.extend(rest);
                self.spine(last, frame, args, span, depth)
            }
        }
    }

    /// A literal; one that is a vector has it in every lane.
    fn literal(&mut self, literal: Literal, t: &Tree, frame: &Rc<Frame<'a>>) -> Built {
        let whole = self.ty(&t.ty, frame, t.span)?;
        let lane = (self.made(Term::lit(literal), t.span)?, Spans::new(t.span, vec![]));
        if whole == *lane.0.ty() {
            return Ok(lane);
        }
        let spread = Type::fun(lane.0.ty().clone(), whole);
        let spread = self.made(Term::prim(Pattern::VectorFromScalar, vec![], spread), t.span)?;
        let spans = Spans::new(t.span, vec![Spans::new(t.span, vec![]), lane.1]);
        Ok((self.made(Term::app(spread, lane.0), t.span)?, spans))
    }

    fn applied(&mut self, f: (Term, Spans), e: &Closure<'a>, span: Span, depth: u32) -> Built {
        let (e, e_spans) = self.closure(e, depth)?;
        let (f, f_spans) = f;
        // A constant index is a literal.
        if let (Expr::Prim(p), Expr::Lit(Literal::Nat(i))) = (f.expr(), e.expr())
            && let (Pattern::NatAsIndex, [Arg::Nat(n)]) = (p.pattern, p.args.as_slice())
        {
            let term = self.made(Term::lit(Literal::Index(i.clone(), n.clone())), span)?;
            return Ok((term, Spans::new(span, vec![])));
        }
        let term = self.made(Term::app(f, e), span)?;
        Ok((term, Spans::new(span, vec![f_spans, e_spans])))
    }

    /// A tree applied to arguments, the first one first.
    fn spine(
        &mut self,
        mut t: &'a Tree,
        frame: &Rc<Frame<'a>>,
        mut args: Vec<Closure<'a>>,
        span: Span,
        depth: u32,
    ) -> Built {
        self.steps += 1;
        if self.steps > 4 * MAX_NODES {
            return Err(Unbuilt::TooLarge(span));
        }
        // The span of what each argument makes when it is applied, where the text has it.
        let mut spans = vec![span; args.len()];
        args.reverse();
        spans.reverse();
        loop {
            match &t.node {
                Node::App(f, e) => {
                    args.push(Closure::Tree(e, frame.clone()));
                    spans.push(t.span);
                    t = f;
                }
                Node::Joint(id, x, f) if self.infer.joinings[*id] == Joining::Apply => {
                    args.push(Closure::Tree(x, frame.clone()));
                    spans.push(t.span);
                    t = f;
                }
                _ => break,
            }
        }
        args.reverse();
        spans.reverse();
        let mut used = 0;
        let (mut term, mut at) = match &t.node {
            Node::Compose(_) | Node::Joint(..) if !args.is_empty() => {
                let argument = Rc::new(args.remove(0));
                return match &t.node {
                    Node::Compose(stages) => self.composed(stages, frame, &argument, args, span, depth),
                    Node::Joint(_, x, f) => {
                        let inner = Closure::Composed(std::slice::from_ref(&**x), frame.clone(), argument);
                        args.insert(0, inner);
                        self.spine(f, frame, args, span, depth)
                    }
                    _ => Err(Unbuilt::Unknown(t.span)),
                };
            }
            Node::Def(def, instance) => {
                let infer = self.infer;
                let definition = &infer.defs[*def];
                let inner: Rc<Frame<'a>> = Rc::new(Frame::new(self.chosen(instance, frame, t.span)?));
                let params: Vec<Local> = definition.params().collect();
                return self.unfold(&params, &definition.body, &inner, args, span, depth);
            }
            Node::Local(local) => {
                let bound = frame.locals.borrow().get(local).cloned();
                match bound {
                    Some(Bound::Level(level)) => {
                        let ty = self.ty(&t.ty, frame, t.span)?;
                        let index = depth.checked_sub(level + 1).ok_or(Unbuilt::Unknown(t.span))?;
                        (self.made(Term::var(index, ty), t.span)?, Spans::new(t.span, vec![]))
                    }
                    Some(Bound::Argument(Closure::Tree(tree, frame), _)) => {
                        // A function that was put for a parameter unfolds like a definition.
                        let mut params = vec![];
                        let mut body = tree;
                        while let Node::Lam(local, inner) = &body.node
                            && params.len() < args.len()
                        {
                            params.push(*local);
                            body = inner;
                        }
                        if params.is_empty() {
                            return self.spine(tree, &frame, args, span, depth);
                        }
                        let inner = Rc::new(Frame {
                            chosen: frame.chosen.clone(),
                            locals: RefCell::new(frame.locals.borrow().clone()),
                            types: RefCell::default(),
                        });
                        return self.unfold(&params, body, &inner, args, span, depth);
                    }
                    Some(Bound::Argument(variable @ Closure::Variable(..), _)) => {
                        self.closure(&variable, depth)?
                    }
                    Some(Bound::Argument(Closure::Composed(stages, frame, argument), _)) => {
                        return self.composed(stages, &frame, &argument, args, span, depth);
                    }
                    None => return Err(Unbuilt::Unknown(t.span)),
                }
            }
            Node::Lam(..) => {
                let mut params = vec![];
                let mut body = t;
                while let Node::Lam(local, inner) = &body.node {
                    params.push(*local);
                    body = inner;
                }
                self.lambdas(&params, body, frame, depth, t.span)?
            }
            Node::Compose(_) | Node::Joint(..) => {
                let (from, _) = match self.ty(&t.ty, frame, t.span)?.as_fun() {
                    Some((a, b)) => (a.clone(), b.clone()),
                    None => return Err(Unbuilt::Unknown(t.span)),
                };
                let argument = Rc::new(Closure::Variable(depth, from.clone(), t.span));
                let (body, spans) = match &t.node {
                    Node::Compose(stages) => {
                        self.composed(stages, frame, &argument, vec![], t.span, depth + 1)?
                    }
                    Node::Joint(_, x, f) => {
                        let inner = Closure::Composed(std::slice::from_ref(&**x), frame.clone(), argument);
                        self.spine(f, frame, vec![inner], t.span, depth + 1)?
                    }
                    _ => return Err(Unbuilt::Unknown(t.span)),
                };
                let term = self.made(Term::lam("x", from, body), t.span)?;
                (term, Spans::new(t.span, vec![spans]))
            }
            Node::Prim(pattern, written) => {
                let mut explicit = vec![];
                for arg in written {
                    explicit.push(match arg {
                        TreeArg::Nat(n) => Arg::Nat(self.nat(n, frame, t.span)?),
                        TreeArg::Fun(f) => Arg::Fun(f.with_body(self.nat(f.body(), frame, t.span)?)),
                        TreeArg::Addr(a) => Arg::Addr(*a),
                        TreeArg::Dim(d) => Arg::Dim(*d),
                        // A variable of a rule has no value: its name stands for it.
                        TreeArg::Slot(name) => Arg::Nat(Nat::var(name)),
                    });
                }
                let ty = self.ty(&t.ty, frame, t.span)?;
                (self.made(Term::prim(*pattern, explicit, ty), t.span)?, Spans::new(t.span, vec![]))
            }
            Node::Steps(steps) => self.steps(steps, frame, t.span, depth)?,
            Node::Bool(b) => self.literal(Literal::Bool(*b), t, frame)?,
            Node::Size(n) => {
                let n = self.nat(n, frame, t.span)?;
                (self.made(Term::lit(Literal::Nat(n)), t.span)?, Spans::new(t.span, vec![]))
            }
            Node::Number { digits, negative } => {
                let whole = self.ty(&t.ty, frame, t.span)?;
                let ty = whole.as_vector().map_or(&whole, |(_, lane)| lane);
                let literal = match ty.kind() {
                    TypeKind::NatType => digits.parse().ok().map(|i| Literal::Nat(Nat::constant(i))),
                    TypeKind::Index(n) => {
                        digits.parse().ok().map(|i| Literal::Index(Nat::constant(i), n.clone()))
                    }
                    TypeKind::Scalar(s) => check::literal(digits, *negative, *s),
                    _ => None,
                };
                self.literal(literal.ok_or(Unbuilt::Unknown(t.span))?, t, frame)?
            }
            Node::App(..) | Node::Error => return Err(Unbuilt::Unknown(t.span)),
        };
        while used < args.len() {
            let here = spans.get(used).copied().unwrap_or(span);
            (term, at) = self.applied((term, at), &args[used], here, depth)?;
            used += 1;
        }
        Ok((term, at))
    }

    /// `iterate k step`, the size of its step by the name that it has at this depth. What keeps the size is at one size.
    fn steps(&mut self, steps: &'a Steps, frame: &Rc<Frame<'a>>, span: Span, depth: u32) -> Built {
        let (factor, left) = (self.nat(&steps.factor, frame, span)?, self.nat(&steps.left, frame, span)?);
        let element = self.ty(&steps.element, frame, span)?;
        let size = match factor.as_constant() {
            Some(1) => left.clone(),
            _ => Nat::var(&size_of_step(self.steps_above)),
        };
        let mut chosen = Instance { nats: frame.chosen.nats.clone(), types: frame.chosen.types.clone() };
        chosen.nats.insert(NatVar::Named(steps.size.clone()), size.clone());
        let inner = Rc::new(Frame {
            chosen: Rc::new(chosen),
            locals: RefCell::new(frame.locals.borrow().clone()),
            types: RefCell::default(),
        });
        let before = self.nodes;
        self.steps_above += 1;
        let built = self.tree(&steps.step, &inner, depth);
        self.steps_above -= 1;
        let (step, step_spans) = built?;
        // Before it runs, the step is written out as often as it is done.
        self.nodes += (self.nodes - before).saturating_mul(steps.count as usize);
        let ty = steps::ty(steps.count, &size, &factor, &left, &element);
        let count = Arg::Nat(Nat::constant(steps.count.into()));
        let prim = self.made(Term::prim(Pattern::Iterate, vec![count], ty), span)?;
        let prim_spans = Spans::new(span, vec![]);
        Ok((self.made(Term::app(prim, step), span)?, Spans::new(span, vec![prim_spans, step_spans])))
    }

    /// The body of a definition with arguments for its parameters, and the rest of the arguments behind it.
    fn unfold(
        &mut self,
        params: &[Local],
        body: &'a Tree,
        frame: &Rc<Frame<'a>>,
        args: Vec<Closure<'a>>,
        span: Span,
        depth: u32,
    ) -> Built {
        if self.unfolding >= MAX_TERM_DEPTH {
            return Err(Unbuilt::TooDeep(span));
        }
        self.unfolding += 1;
        let built = self.unfold_here(params, body, frame, args, span, depth);
        self.unfolding -= 1;
        built
    }

    fn unfold_here(
        &mut self,
        params: &[Local],
        body: &'a Tree,
        frame: &Rc<Frame<'a>>,
        mut args: Vec<Closure<'a>>,
        span: Span,
        depth: u32,
    ) -> Built {
        let taken = params.len().min(args.len());
        let rest = args.split_off(taken);
        let (given, missing) = params.split_at(taken);
        let mut kept = vec![];
        for (local, argument) in given.iter().zip(args) {
            // A variable that stands for an argument itself stands for that argument.
            let bound = match &argument {
                Closure::Tree(Tree { node: Node::Local(inner), .. }, outer) => {
                    outer.locals.borrow().get(inner).cloned()
                }
                _ => None,
            };
            let bound = bound.unwrap_or_else(|| {
                let view = self.view_size(&argument);
                Bound::Argument(argument.clone(), view)
            });
            let replaced = match &bound {
                Bound::Level(_) => true,
                Bound::Argument(Closure::Tree(t, outer), _) if self.is_function(t, outer) => true,
                Bound::Argument(_, Some(size)) if *size <= SMALL => true,
                Bound::Argument(_, view) => match self.uses(*local, body, frame) {
                    Uses::None | Uses::Once => true,
                    Uses::OnceInside => view.is_some(),
                    Uses::Many => false,
                },
            };
            if replaced {
                frame.locals.borrow_mut().insert(*local, bound);
            } else {
                kept.push((*local, argument));
            }
        }
        for (i, (local, _)) in kept.iter().enumerate() {
            frame.locals.borrow_mut().insert(*local, Bound::Level(depth + i as u32));
        }
        let inside = depth + kept.len() as u32;
        let (mut term, mut spans) = if missing.is_empty() && kept.is_empty() {
            return self.spine(body, frame, rest, span, inside);
        } else if missing.is_empty() {
            self.spine(body, frame, rest, span, inside)?
        } else {
            self.lambdas(missing, body, frame, inside, span)?
        };
        for (i, (local, argument)) in kept.iter().enumerate().rev() {
            let info = &self.infer.locals[*local as usize];
            let ty = self.ty(&info.ty, frame, info.span)?;
            let lam = self.made(Term::lam(&info.name, ty, term), span)?;
            let f = (lam, Spans::new(span, vec![spans]));
            (term, spans) = self.applied(f, argument, span, depth + i as u32)?;
        }
        Ok((term, spans))
    }

    fn is_function(&self, t: &Tree, frame: &Rc<Frame<'a>>) -> bool {
        self.ty(&t.ty, frame, t.span).is_ok_and(|t| t.as_fun().is_some())
    }

    /// The number of nodes of an argument that can be repeated without computing anything more often.
    fn view_size(&self, c: &Closure<'a>) -> Option<usize> {
        match c {
            Closure::Tree(t, frame) => {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.tree_view_size(t, frame))
            }
            Closure::Variable(..) => Some(1),
            Closure::Composed(..) => None,
        }
    }

    fn tree_view_size(&self, t: &Tree, frame: &Rc<Frame<'a>>) -> Option<usize> {
        if self.is_function(t, frame) {
            // Its own arguments may compute something, but only where it is applied: then they do so anyway.
            return Some(SMALL);
        }
        let mut head = t;
        let mut size = 1;
        loop {
            let (f, e) = match &head.node {
                Node::App(f, e) => (f, e),
                Node::Joint(id, x, f) if self.infer.joinings[*id] == Joining::Apply => (f, x),
                _ => break,
            };
            size += 1 + self.tree_view_size(e, frame)?;
            head = f;
        }
        match &head.node {
            Node::Local(local) if size == 1 => match frame.locals.borrow().get(local) {
                Some(Bound::Argument(_, view)) => *view,
                Some(Bound::Level(_)) | None => Some(1),
            },
            Node::Bool(_) | Node::Number { .. } | Node::Size(_) if size == 1 => Some(1),
            // A definition without parameters is a constant.
            Node::Def(def, _) if size == 1 => {
                let none: Rc<Frame<'a>> = Rc::new(Frame::new(Instance::default()));
                self.tree_view_size(&self.infer.defs[*def].body, &none)
            }
            Node::Prim(pattern, _) if pattern.is_view() => Some(size),
            _ => None,
        }
    }

    /// How often, and where, a parameter stands in a body.
    fn uses(&self, local: Local, body: &Tree, frame: &Rc<Frame<'a>>) -> Uses {
        let mut found = Uses::None;
        // Each tree with: whether it may run more than once, and whether it is a function that runs just here.
        let mut stack = vec![(body, false, false)];
        while let Some((t, repeated, applied)) = stack.pop() {
            match &t.node {
                Node::Local(l) if *l == local => {
                    found = match found {
                        Uses::None if repeated => Uses::OnceInside,
                        Uses::None => Uses::Once,
                        _ => return Uses::Many,
                    };
                }
                Node::Lam(_, b) => stack.push((b, repeated || !applied, applied)),
                Node::Steps(s) => stack.push((&s.step, true, false)),
                Node::App(f, e) => self.parts_of_call(f, e, t, (repeated, applied), frame, &mut stack),
                Node::Joint(id, x, f) if self.infer.joinings[*id] == Joining::Apply => {
                    self.parts_of_call(f, x, t, (repeated, applied), frame, &mut stack);
                }
                _ => stack.extend(t.parts().into_iter().map(|p| (p, repeated || !applied, applied))),
            }
        }
        found
    }

    fn parts_of_call<'t>(
        &self,
        f: &'t Tree,
        e: &'t Tree,
        whole: &Tree,
        (repeated, applied): (bool, bool),
        frame: &Rc<Frame<'a>>,
        stack: &mut Vec<(&'t Tree, bool, bool)>,
    ) {
        let complete = applied || !self.is_function(whole, frame);
        stack.push((f, repeated || !complete, complete));
        stack.push((e, repeated || !complete || self.is_function(e, frame), false));
    }
}

/// How a body uses a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Uses {
    None,
    /// Once, where the body itself runs.
    Once,
    /// Once, inside a function that may run often.
    OnceInside,
    Many,
}

/// Has the type, of something outside of every step of `iterate`, the size that a step knows?
pub fn has_size_of_step(ty: &Type) -> bool {
    let is = |v: &NatVar| matches!(v, NatVar::Named(n) if n.starts_with(super::elaborate::SIZE_OF_STEP));
    let mut found = false;
    ty.for_each_nat(&mut |n| found |= n.vars().iter().any(is));
    found
}

/// Is a size in the type out of range?
pub fn has_poison(ty: &Type) -> bool {
    let mut found = false;
    if ty.has_metas() {
        ty.for_each_nat(&mut |n| found |= n.is_poison());
    }
    found
}

/// Has the type too many parts, counted as often as they stand in it?
pub fn is_large(t: &Type) -> bool {
    fn spend(t: &Type, budget: &mut u64) {
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        match t.kind() {
            TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
                spend(a, budget);
                spend(b, budget);
            }
            TypeKind::Array(_, t) | TypeKind::Vector(_, t) => spend(t, budget),
            _ => {}
        }
    }
    let mut budget = MAX_TYPE;
    // What is nested this deep is too large before it is walked.
    t.depth() > MAX_TERM_DEPTH || {
        spend(t, &mut budget);
        budget == 0
    }
}
