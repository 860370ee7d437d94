//! Sizes and types in sketches.

use super::{Meaning, Reader, Scope};
use crate::lang::constraint::SizeConstraint;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::nat::Nat;
use crate::lang::permutation;
use crate::lang::syntax::ast::{self, ExprKind, Op};
use crate::lang::ty::Scalar;
use crate::sketch::holes::hole;
use crate::sketch::{Comparison, NatSketch, Shape, SizeCondition, Sketch, TypeSketch};
use indexmap::IndexSet;

/// Is there a hole with a name in the size, or a parameter that stands for a size?
fn is_named(e: &ast::Expr, scope: &Scope) -> bool {
    match &e.kind {
        ExprKind::Hole(name) => name.is_some(),
        ExprKind::Name(name) => matches!(scope.param(name), Some(Meaning::Size(_))),
        ExprKind::Neg(x) => is_named(x, scope),
        ExprKind::Infix(first, rest) => {
            is_named(first, scope) || rest.iter().any(|(_, x)| is_named(x, scope))
        }
        _ => false,
    }
}

impl Reader<'_> {
    /// Whether an argument is meant as a size: so that an unknown name is reported as one.
    pub(super) fn looks_like_size(&self, e: &ast::Expr, scope: &Scope) -> bool {
        match &e.kind {
            ExprKind::Hole(_) | ExprKind::Error => true,
            // One that is too large is told as that.
            ExprKind::Number(n) => n.as_int().is_some() || !n.is_float() && n.suffix.is_none(),
            ExprKind::Name(name) => match scope.param(name) {
                Some(Meaning::Size(_)) => true,
                Some(_) => false,
                None => {
                    !scope.binders.contains(name)
                        && self.library.patterns.find(name).is_none()
                        && self.library.get(name).is_empty()
                        && Scalar::from_name(name).is_none()
                }
            },
            ExprKind::Neg(x) => self.looks_like_size(x, scope),
            ExprKind::Infix(first, rest) => {
                self.looks_like_size(first, scope) && rest.iter().all(|(_, x)| self.looks_like_size(x, scope))
            }
            _ => false,
        }
    }

    /// What is said of sizes beside a sketch, as `?t >= 8` or `not (?t == 16)`: a comparison of sizes of which one has a name
    /// here, or what such a one is not.
    pub(super) fn size_condition(&mut self, e: &ast::Expr, scope: &Scope) -> Option<Sketch> {
        if let ExprKind::App(f, args) = &e.kind
            && let [compared] = args.as_slice()
            && Self::is_not(f, scope)
        {
            let said = self.size_condition(compared, scope)?;
            return Some(match said.shape() {
                Shape::Sizes(SizeCondition::Compared(left, is, right)) => {
                    let other = SizeCondition::Compared(left.clone(), is.negated(), right.clone());
                    Sketch::new(Shape::Sizes(other))
                }
                _ => said,
            });
        }
        let ExprKind::Infix(first, rest) = &e.kind else { return None };
        let [(op, right)] = rest.as_slice() else { return None };
        let is = Comparison::of(*op)?;
        let sizes = self.looks_like_size(first, scope) && self.looks_like_size(right, scope);
        if !sizes || !(is_named(first, scope) || is_named(right, scope)) {
            return None;
        }
        let quotients = self.quotients.len();
        let (left, right) = (self.known(first, scope), self.known(right, scope));
        // What is compared need not be whole.
        self.quotients.truncate(quotients);
        let (Some(left), Some(right)) = (left, right) else { return Some(Sketch::any()) };
        Some(Sketch::new(Shape::Sizes(SizeCondition::Compared(left, is, right))))
    }

    /// A sketch together with what is said of the quotients that are written in its sizes, but for those that stand in it.
    pub(super) fn with_quotients(&self, sketch: Sketch, mut quotients: Vec<Nat>) -> Sketch {
        // What is left out is not there where a size is none.
        quotients.retain(|n| !self.negated && !SizeConstraint::of_size(n).is_empty());
        if quotients.is_empty() {
            return sketch;
        }
        sketch.each_size(&mut |n| quotients.retain(|q| q != n));
        let whole = quotients.into_iter().collect::<IndexSet<Nat>>().into_iter();
        let said: Vec<Sketch> = whole.map(|n| Sketch::new(Shape::Sizes(SizeCondition::Whole(n)))).collect();
        if said.is_empty() { sketch } else { Sketch::new(Shape::And([vec![sketch], said].concat())) }
    }

    pub(super) fn size(&mut self, e: &ast::Size, scope: &Scope) -> NatSketch {
        if let ExprKind::Hole(name) = &e.kind {
            self.hole(e.span, name.as_ref(), true);
            return name.as_ref().map_or(NatSketch::Any, |n| NatSketch::Is(hole(n)));
        }
        if let ExprKind::Error = e.kind {
            return NatSketch::Any;
        }
        match self.nat(e, scope) {
            Some(n) => n,
            None => NatSketch::Any,
        }
    }

    /// The size of something that programs have none of with no elements.
    fn length(&mut self, e: &ast::Size, scope: &Scope) -> NatSketch {
        let n = self.size(e, scope);
        self.counts_from_one(
            &n,
            e.span,
            "Nothing has less than one element, so that no program satisfies this.",
        );
        n
    }

    /// Reports a number that is less than one, where `why` says what that means.
    pub(super) fn counts_from_one(&mut self, n: &NatSketch, span: Span, why: &str) {
        if let NatSketch::Is(n) = n
            && let Some(number) = n.as_constant().filter(|n| *n < 1)
        {
            let d = Diagnostic::error("E0409", why).label(span, format!("this is {number}"));
            self.problem(d.hint("Write 1 or more, or `?` for any size."));
        }
    }

    /// The size, or none after a problem was reported.
    pub(super) fn nat(&mut self, e: &ast::Size, scope: &Scope) -> Option<NatSketch> {
        let refuse = |reader: &mut Self, what: &str| {
            let d = Diagnostic::error("E0409", "This is not a size.");
            reader.problem(d.label(e.span, what.to_owned()));
            None
        };
        let n = match &e.kind {
            ExprKind::Number(n) => match n.as_size() {
                Ok(i) => Nat::constant(i),
                Err([message, label, hint]) => {
                    let d = Diagnostic::error("E0409", message).label(e.span, label);
                    self.problem(d.hint(hint));
                    return None;
                }
            },
            ExprKind::Name(name) => match scope.param(name) {
                Some(Meaning::Size(n)) => {
                    // What an abbreviation is called with has been read.
                    if let (NatSketch::Is(n), true) = (n, self.unfolding.is_empty()) {
                        self.quotients.push(n.clone());
                    }
                    return Some(n.clone());
                }
                Some(_) => return refuse(self, "this name stands for something else"),
                None if self.sizes.contains(name) => Nat::var(name),
                None => {
                    let known: Vec<&str> = self.sizes.iter().map(|n| &**n).collect();
                    let mut d =
                        Diagnostic::error("E0403", format!("The program has no size called `{name}`."))
                            .label(e.span, "not a size of the program");
                    d = if known.is_empty() {
                        d.note("The program has no named sizes.")
                    } else {
                        d.note(format!("Its sizes are {}.", known.join(", ")))
                    };
                    self.problem(d.did_you_mean(name, known));
                    return None;
                }
            },
            ExprKind::Neg(x) => Nat::constant(0).sub(&self.known(x, scope)?),
            ExprKind::Infix(first, rest) => {
                let mut n = self.known(first, scope)?;
                for (op, x) in rest {
                    let m = self.known(x, scope)?;
                    n = match op {
                        Op::Add => n.add(&m),
                        Op::Sub => n.sub(&m),
                        Op::Mul => n.mul(&m),
                        Op::Div if !permutation::divides_evenly(&n, &m) => n.floor_div(&m),
                        Op::Div => {
                            let quotient = n.exact_div(&m);
                            self.quotients.push(quotient.clone());
                            quotient
                        }
                        Op::FloorDiv => n.floor_div(&m),
                        Op::Rem => n.modulo(&m),
                        Op::Pow => match m.as_constant().and_then(|c| u32::try_from(c).ok()) {
                            Some(c) => n.pow(c),
                            None => return refuse(self, "an exponent must be a number"),
                        },
                        _ => return refuse(self, "comparisons are no sizes"),
                    };
                }
                n
            }
            _ => return refuse(self, "sizes are made of names, numbers and + - * / % div ^"),
        };
        if n.is_poison() {
            return refuse(self, "out of range, or a division by zero");
        }
        Some(NatSketch::Is(n))
    }

    /// A size within a larger one, where a hole would say nothing.
    pub(super) fn known(&mut self, e: &ast::Size, scope: &Scope) -> Option<Nat> {
        let n = if let ExprKind::Hole(_) = e.kind { Some(self.size(e, scope)) } else { self.nat(e, scope) };
        match n? {
            NatSketch::Is(n) => Some(n),
            NatSketch::Any => {
                let d = Diagnostic::error("E0409", "A hole must be a whole size, or have a name.");
                self.problem(
                    d.label(e.span, "part of a larger one")
                        .hint("Write `?` for the whole size, or name it, as in `m/?t`."),
                );
                None
            }
        }
    }

    pub(super) fn ty(&mut self, t: &ast::Type, scope: &Scope) -> TypeSketch {
        use ast::TypeKind as T;
        match &t.kind {
            T::Hole(name) => {
                self.hole(t.span, name.as_ref(), false);
                TypeSketch::Any
            }
            T::Error => TypeSketch::Any,
            T::Name(name) => match (scope.param(name), Scalar::from_name(name)) {
                (Some(Meaning::Type(t)), _) => t.clone(),
                (None, Some(s)) => TypeSketch::Scalar(s),
                (None, None) if &**name == "natType" => TypeSketch::NatType,
                _ => {
                    let params = scope.params.iter().map(|(n, _)| &**n);
                    let known: Vec<&str> = Scalar::ALL.iter().map(|s| s.name()).chain(params).collect();
                    let d = Diagnostic::error("E0403", format!("There is no type called `{name}`."));
                    self.problem(
                        d.label(t.span, "not known")
                            .did_you_mean(name, known)
                            .hint("Write `?` for any type."),
                    );
                    TypeSketch::Any
                }
            },
            T::Array(n, t) => TypeSketch::Array(self.length(n, scope), Box::new(self.ty(t, scope))),
            T::Vector(n, t) => TypeSketch::Vector(self.length(n, scope), Box::new(self.ty(t, scope))),
            T::Index(n) => TypeSketch::Index(self.length(n, scope)),
            T::Pair(a, b) => TypeSketch::Pair(Box::new(self.ty(a, scope)), Box::new(self.ty(b, scope))),
            T::Fun(a, b) => TypeSketch::fun(self.ty(a, scope), self.ty(b, scope)),
            T::Forall { .. } => {
                let d = Diagnostic::error("E0401", "Sketches speak of types without parameters.");
                self.problem(d.label(t.span, "write `?` for what may vary"));
                TypeSketch::Any
            }
        }
    }
}
