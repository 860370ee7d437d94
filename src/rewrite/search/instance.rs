//! What a match of the e-graph means for terms: the left side and the right side with the best members of classes
//! in the place of variables. The builder of the e-graph does the same on classes, so both sides are members of the
//! classes that the match makes equal.

use crate::lang::term::{Arg, Term};
use crate::lang::ty::{Type, TypeSubst};
use crate::rewrite::egraph::Graph;
use crate::rewrite::egraph::build::Builder;
use crate::rewrite::egraph::compile::{Build, Place, Program, Target};
use crate::rewrite::egraph::matcher::{Match, SizeMemo};
use crate::rewrite::egraph::tables::Leaf;
use crate::rewrite::rule::pat::{Pat, PatNode};
use crate::rewrite::rule::vectorise::vectorise;

/// Both sides of a rule for a match.
pub struct Instance {
    pub left: Term,
    pub right: Term,
}

/// None when a part is out of bounds.
pub fn instance(graph: &mut Graph, program: &Program, memo: &mut SizeMemo, m: Match<'_>) -> Option<Instance> {
    let mut decoder = graph.decoder();
    let mut terms = Vec::with_capacity(program.places.len());
    for v in 0..program.places.len() {
        terms.push(match m.class(v) {
            Some(class) => Some(decoder.best(class)?),
            None => None,
        });
    }
    let mut builder = Builder { graph, program, memo };
    let left = left_side(&mut builder, &terms, m)?;
    let right = build(&mut builder, &program.build, &terms, m)?;
    Some(Instance { left, right })
}

/// The left side is built as if it were a right side.
fn left_side(b: &mut Builder<'_>, terms: &[Option<Term>], m: Match<'_>) -> Option<Term> {
    let places = b.program.places.clone();
    left(b, &b.program.equation.sides.lhs.clone(), 0, &places, terms, m)
}

fn left(
    b: &mut Builder<'_>,
    pat: &Pat,
    depth: u32,
    places: &[Option<Place>],
    terms: &[Option<Term>],
    m: Match<'_>,
) -> Option<Term> {
    Some(match &pat.node {
        PatNode::Var(v, args) => {
            let place = places.get(*v)?.as_ref()?;
            let scope = args.iter().map(|a| if let PatNode::Bound(i) = a.node { Some(i) } else { None });
            let scope = scope.collect::<Option<Vec<u32>>>()?;
            let term = terms.get(*v)?.as_ref()?;
            term.rename(&|i| {
                if i >= place.depth {
                    return Some(i - place.depth + depth);
                }
                scope.get(place.scope.iter().position(|s| *s == i)?).copied()
            })?
        }
        PatNode::Bound(i) => Term::var(*i, b.instantiate_type(&pat.ty, m)?),
        PatNode::Lam(name, body) => {
            let param = b.instantiate_type(pat.ty.as_fun()?.0, m)?;
            Term::lam(name, param, left(b, body, depth + 1, places, terms, m)?)
        }
        PatNode::App(f, e) => {
            let f = left(b, f, depth, places, terms, m)?;
            Term::app(f, left(b, e, depth, places, terms, m)?)
        }
        PatNode::Prim(p, args) => {
            let args = args.iter().map(|a| b.instantiate_arg(a, m)).collect::<Option<Vec<Arg>>>()?;
            Term::prim(*p, args, b.instantiate_type(&pat.ty, m)?)
        }
        PatNode::Lit(l) => {
            let values = Values { program: b.program, tables: b.graph.tables(), m };
            let literal = l.map_sizes(&|n| n.subst(&|v| TypeSubst::nat(&values, v)));
            if literal.has_metas() {
                return None;
            }
            Term::lit(literal)
        }
        PatNode::Vectorise(..) => return None,
    })
}

fn build(b: &mut Builder<'_>, side: &Build, terms: &[Option<Term>], m: Match<'_>) -> Option<Term> {
    Some(match side {
        Build::Var { var, local, outside } => variable(b, *var, local, *outside, terms, m)?,
        Build::Bound(i, ty) => {
            let ty = b.ty(ty, m)?;
            Term::var(*i, b.graph.tables().ty_of(ty))
        }
        Build::Lam(param, body) => {
            let param = b.ty(param, m)?;
            let param = b.graph.tables().ty_of(param);
            Term::lam("x", param, build(b, body, terms, m)?)
        }
        Build::App(f, e) => {
            let f = build(b, f, terms, m)?;
            Term::app(f, build(b, e, terms, m)?)
        }
        Build::Prim(pattern, args, ty) => {
            let ty = b.ty(ty, m)?;
            let args = args.iter().map(|a| b.arg(*a, m)).collect::<Option<Vec<_>>>()?;
            let tables = b.graph.tables();
            Term::prim(*pattern, args.into_iter().map(|a| tables.arg_of(a)).collect(), tables.ty_of(ty))
        }
        Build::Lit(leaf) => match b.graph.tables().leaf_of(*leaf) {
            Leaf::Lit(l) => Term::lit(l.clone()),
            Leaf::Prim(..) => return None,
        },
        Build::Number(number) => Term::lit(b.number(*number, m)?),
        Build::Vectorise { size, var, local, outside } => {
            let size = b.program.size(b.graph.tables_mut(), m, *size, b.memo)?;
            let n = b.graph.tables().nat_of(size).clone();
            vectorise(&n, &variable(b, *var, local, *outside, terms, m)?).ok()?
        }
    })
}

fn variable(
    b: &mut Builder<'_>,
    var: usize,
    local: &[Target],
    outside: u32,
    terms: &[Option<Term>],
    m: Match<'_>,
) -> Option<Term> {
    let term = terms.get(var)?.as_ref()?;
    let mut built = vec![];
    for t in local {
        if let Target::Build(side) = t {
            built.push(build(b, side, terms, m)?);
        }
    }
    // What is put in stands innermost until it is substituted.
    let count = built.len() as u32;
    let depth = local.len() as u32;
    let slot = |i: u32| local[..i as usize].iter().filter(|t| matches!(t, Target::Build(_))).count() as u32;
    let mut term = term.rename(&|i| match local.get(i as usize) {
        Some(Target::Index(j)) => Some(j + count),
        Some(Target::Gone) => None,
        Some(Target::Build(_)) => Some(slot(i)),
        None => Some(i - depth + outside + count),
    })?;
    for (k, value) in built.iter().enumerate() {
        term = term.subst0(&value.shift_up(count - 1 - k as u32));
    }
    Some(term)
}

impl Builder<'_> {
    fn instantiate_type(&mut self, t: &Type, m: Match<'_>) -> Option<Type> {
        if !t.has_metas() {
            return Some(t.clone());
        }
        let tables = self.graph.tables();
        let t = t.subst(&Values { program: self.program, tables, m });
        (!t.has_metas()).then_some(t)
    }

    fn instantiate_arg(&mut self, a: &crate::rewrite::rule::pat::PatArg, m: Match<'_>) -> Option<Arg> {
        use crate::rewrite::rule::pat::PatArg;
        let tables = self.graph.tables();
        Some(match a {
            PatArg::Addr(a) => Arg::Addr(*a),
            PatArg::Dim(d) => Arg::Dim(*d),
            PatArg::Slot(i) => tables.arg_of(m.slot(self.program, *i)?),
            PatArg::Fun(f) => {
                let values = Values { program: self.program, tables, m };
                let f = f.subst(&|v| crate::lang::ty::TypeSubst::nat(&values, v));
                if f.body().has_metas() {
                    return None;
                }
                Arg::Fun(f)
            }
            PatArg::Nat(n) => {
                let values = Values { program: self.program, tables, m };
                let n = n.subst(&|v| crate::lang::ty::TypeSubst::nat(&values, v));
                if n.has_metas() {
                    return None;
                }
                Arg::Nat(n)
            }
        })
    }
}

struct Values<'a> {
    program: &'a Program,
    tables: &'a crate::rewrite::egraph::tables::Tables,
    m: Match<'a>,
}

impl crate::lang::ty::TypeSubst for Values<'_> {
    fn ty(&self, v: &crate::lang::ty::TypeVar) -> Option<Type> {
        let crate::lang::ty::TypeVar::Meta(i) = v else { return None };
        Some(self.tables.ty_of(self.m.ty(self.program, *i as usize)?))
    }
    fn nat(&self, v: &crate::lang::nat::NatVar) -> Option<crate::lang::nat::Nat> {
        let crate::lang::nat::NatVar::Meta(i) = v else { return None };
        Some(self.tables.nat_of(self.m.nat(self.program, *i as usize)?).clone())
    }
}
