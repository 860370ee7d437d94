//! Where a program's text must say a type, because it does not follow from the rest: `generate (\(i: idx[n]). …)`,
//! `(cast x : i32)`, functions that are never used.
//!
//! The term's types are forgotten but for those that are written anyway, and inferred again with the unifier of the
//! language; what stays unknown is given back its type, at the places where that reads best, until all is known.

use crate::build;
use crate::infer::relation::{Relation, Settled};
use crate::infer::scheme::{Choice, Scheme};
use crate::infer::unify::{Kind, Unifier};
use crate::literal::Literal;
use crate::nat::{Name, Nat};
use crate::pattern::Pattern;
use crate::preorder::At;
use crate::steps;
use crate::term::{Arg, Expr, Prim, Term};
use crate::ty::Type;
use rustc_hash::FxHashSet;

/// Nodes, by their number in preorder, whose text needs a type.
#[derive(Default)]
pub(super) struct Needed {
    /// Functions whose parameter needs one.
    pub params: FxHashSet<u32>,
    /// Anything else: `(e : t)`.
    pub values: FxHashSet<u32>,
}

/// What a type can be written at, in the order of how well that reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Where {
    /// The parameter of a function given to `generate`.
    Index,
    /// A conversion, a vector, or a number that is a size.
    Value,
    Param,
    Pattern,
}

struct Site {
    at: Where,
    id: u32,
    open: Type,
    known: Type,
}

/// The places of a program, a closed function whose parameters and result are written with their types.
pub(super) fn needed(program: &Term) -> Needed {
    let mut needed = Needed::default();
    if !may_be_open(program) {
        return needed;
    }
    let mut sites = Sites { u: Unifier::new(), list: vec![], relations: vec![], env: vec![] };
    let mut at = At::root(program);
    while let Some((_, body)) = at.lam() {
        let Some((param, _)) = at.term.ty().as_fun() else { return needed };
        sites.env.push(param.clone());
        at = body;
    }
    let open = sites.walk(at);
    sites.equal(at.term.ty(), &open);
    sites.solve();
    let mut list = std::mem::take(&mut sites.list);
    list.sort_by_key(|s| (s.at, s.id));
    for site in list {
        if !sites.u.zonk(&site.open).has_metas() {
            continue;
        }
        match site.at {
            Where::Index | Where::Param => needed.params.insert(site.id),
            Where::Value | Where::Pattern => needed.values.insert(site.id),
        };
        sites.equal(&site.open, &site.known);
        sites.solve();
    }
    needed
}

/// Could anything be unknown? Not in terms whose values all come from parameters: that is seen at a glance.
fn may_be_open(t: &Term) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        if !seen.insert(t.digest()) {
            continue;
        }
        match t.expr() {
            Expr::Prim(p) => {
                if matches!(p.pattern, Pattern::Generate | Pattern::Cast | Pattern::VectorFromScalar) {
                    return true;
                }
            }
            Expr::Lit(Literal::Nat(_)) => return true,
            // A function that has a name, or is given to one, may never meet its argument.
            Expr::App(f, e) if f.as_pattern_app().is_none() && !e.ty().is_data() => return true,
            _ => {}
        }
        todo.extend(t.children());
    }
    false
}

struct Sites {
    u: Unifier,
    list: Vec<Site>,
    /// What truth values say of types, as far as that is not known yet.
    relations: Vec<Relation>,
    /// The types of the variables, innermost last.
    env: Vec<Type>,
}

impl Sites {
    /// Makes known what follows from what is.
    fn solve(&mut self) {
        loop {
            self.u.solve_together();
            let before = self.relations.len();
            let u = &mut self.u;
            self.relations.retain(|r| matches!(r.settle(u, 0), Settled::Open));
            if self.relations.len() == before {
                return;
            }
        }
    }

    fn equal(&mut self, a: &Type, b: &Type) {
        // The term is well-typed, so equations hold; if one does not, more is annotated than need be.
        let _ = self.u.unify(a, b, 0);
    }

    fn site(&mut self, at: Where, id: u32, open: &Type, known: &Type) {
        self.list.push(Site { at, id, open: open.clone(), known: known.clone() });
    }

    fn walk(&mut self, at: At) -> Type {
        match at.term.expr() {
            Expr::Var(i) => {
                let index = self.env.len().checked_sub(1 + *i as usize);
                index.and_then(|i| self.env.get(i)).cloned().unwrap_or_else(Type::ill)
            }
            // A number that is a size is written like any other.
            Expr::Lit(Literal::Nat(n)) if n.as_constant().is_some() => {
                let open = self.u.fresh_type(Kind::Data);
                self.site(Where::Value, at.id, &open, at.term.ty());
                open
            }
            Expr::Lit(_) => at.term.ty().clone(),
            Expr::Lam(..) => self.function(at, Some(Where::Param)),
            Expr::Prim(p) => {
                let open = self.instance(p, at.term.ty());
                self.site(Where::Pattern, at.id, &open, at.term.ty());
                open
            }
            Expr::App(..) => {
                let Some((f, e)) = at.app() else { return Type::ill() };
                let pattern = f.term.as_prim().map(|p| p.pattern);
                // What a `let` names has the type of its value.
                let function = if f.term.as_lam().is_some() { self.function(f, None) } else { self.walk(f) };
                let argument = if pattern == Some(Pattern::Generate) && e.term.as_lam().is_some() {
                    self.function(e, Some(Where::Index))
                } else {
                    self.walk(e)
                };
                let result = self.u.fresh_type(Kind::Any);
                self.equal(&function, &Type::fun(argument, result.clone()));
                if matches!(pattern, Some(Pattern::Cast | Pattern::VectorFromScalar)) {
                    self.site(Where::Value, at.id, &result, at.term.ty());
                }
                result
            }
        }
    }

    fn function(&mut self, at: At, place: Option<Where>) -> Type {
        let (Some((_, body)), Some((known, _))) = (at.lam(), at.term.ty().as_fun()) else {
            return Type::ill();
        };
        let param = self.u.fresh_type(Kind::Any);
        if let Some(place) = place {
            self.site(place, at.id, &param, known);
        }
        self.env.push(param.clone());
        let body = self.walk(body);
        self.env.pop();
        Type::fun(param, body)
    }

    /// A fresh instance of a pattern's type, with its explicit arguments.
    fn instance(&mut self, p: &Prim, known: &Type) -> Type {
        let scheme = Scheme::of(p.pattern);
        if let (Pattern::Iterate, [Arg::Nat(k)]) = (p.pattern, p.args.as_slice())
            && let (Some(steps), Some(k)) = (steps::of(known), k.as_constant())
        {
            let (factor, left, element) =
                (self.u.fresh_nat(), self.u.fresh_nat(), self.u.fresh_type(Kind::Data));
            return steps::ty(k.unsigned_abs() as u32, &Nat::var(&steps.size), &factor, &left, &element);
        }
        if p.pattern == Pattern::MakeArray {
            let element = self.u.fresh_type(Kind::Data);
            return match build::arity(p.pattern, &p.args) {
                Some(k) => Scheme::of_array(k, &element),
                None => Type::ill(),
            };
        }
        let mut nats: Vec<(Name, Nat)> =
            scheme.nats.iter().map(|n| (n.clone(), self.u.fresh_nat())).collect();
        for (explicit, arg) in scheme.explicit.iter().zip(&p.args) {
            if let Arg::Nat(n) = arg
                && explicit.kind.is_nat()
            {
                nats.push((explicit.name.clone(), n.clone()));
            }
        }
        let types: Vec<(Name, Type)> =
            scheme.types.iter().map(|t| (t.clone(), self.u.fresh_type(Kind::Data))).collect();
        self.relations.extend(Relation::of(p.pattern, &Choice { nats: &nats, types: &types }));
        scheme.instantiate(&nats, &types)
    }
}
