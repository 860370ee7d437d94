//! Rules as programs for the e-graph: instructions that match the left side, a tree that builds the right side.
//!
//! In: a rule's equation and its arguments. Out: a [`Program`]. Types are matched only where they do not follow
//! from what was matched before, terms being well-typed (thesis section 5.4.5).

use super::Graph;
use super::rename::{Renaming, To};
use super::tables::{Leaf, LeafArg, LeafId, NatId, TypeId};
use crate::lang::literal::Literal;
use crate::lang::nat::{Nat, NatVar};
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Type, TypeKind, TypeVar};
use crate::rule::equation::{Equation, Sides};
use crate::rule::pat::{Pat, PatArg, PatNode};
use crate::rule::{Condition, ParamKind, RuleArg, RuleParam, Run, Searched};

/// A place of the left side, while it is matched.
pub type Reg = usize;

/// A size in a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NatPat {
    Var(usize),
    Ground(NatId),
    /// A size with variables in it: a number into [`Program::sizes`].
    Size(usize),
}

/// A type in a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypePat {
    /// A type variable; whether it stands for data only.
    Var(usize, bool),
    Ground(TypeId),
    Index(NatPat),
    Vector(NatPat, Box<TypePat>),
    Pair(Box<TypePat>, Box<TypePat>),
    Array(NatPat, Box<TypePat>),
    Fun(Box<TypePat>, Box<TypePat>),
    /// No term has it.
    Never,
}

/// An explicit argument of a pattern in a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgPat {
    Nat(NatPat),
    Fun(NatPat),
    Is(LeafArg),
    Slot(usize),
}

/// A literal whose sizes have variables of the rule: a size as a value, or an index and what it is below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberPat {
    Nat(NatPat),
    Index(NatPat, NatPat),
}

#[derive(Clone, Debug)]
pub enum Instr {
    /// For every application of the class in `from`: its children.
    App {
        from: Reg,
        f: Reg,
        e: Reg,
    },
    Lam {
        from: Reg,
        body: Reg,
    },
    Var {
        from: Reg,
        index: u32,
    },
    /// For every leaf of the pattern in the class: its arguments.
    Prim {
        from: Reg,
        pattern: Pattern,
        args: Vec<ArgPat>,
    },
    Lit {
        from: Reg,
        leaf: LeafId,
    },
    /// For every index or size as a value in the class: its sizes.
    Number {
        from: Reg,
        number: NumberPat,
    },
    Type {
        of: Reg,
        ty: TypePat,
    },
    /// Binders outside of a variable's scope that it must not mention.
    NotIn {
        of: Reg,
        binders: Vec<u32>,
    },
    /// The class is the one in `first`, seen from other binders.
    Same {
        first: Reg,
        of: Reg,
        renaming: Renaming,
    },
}

/// Where matching starts: at the classes that have one of the leaves, or the operator, and from there so many
/// times from a function to its application.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Anchor {
    Prim(Pattern),
    Lit(LeafId),
    Lam,
    App,
    Any,
}

/// How a variable's binders on the left become those on the right.
#[derive(Clone, Debug)]
pub enum Target {
    Index(u32),
    Gone,
    Build(Build),
}

#[derive(Clone, Debug)]
pub enum Build {
    /// What a variable stands for: what becomes of the binders that it was matched under, and under how many it stands.
    Var {
        var: usize,
        local: Vec<Target>,
        outside: u32,
    },
    /// Types are numbers into [`Program::types`].
    Bound(u32, usize),
    Lam(usize, Box<Build>),
    App(Box<Build>, Box<Build>),
    Prim(Pattern, Vec<ArgPat>, usize),
    /// A pattern whose arguments no match decides.
    Leaf(LeafId, usize),
    Lit(LeafId),
    Number(NumberPat),
    Vectorise {
        size: NatPat,
        var: usize,
        local: Vec<Target>,
        outside: u32,
    },
}

impl Build {
    fn substitutes(&self) -> bool {
        match self {
            Build::Var { local, .. } | Build::Vectorise { local, .. } => {
                local.iter().any(|to| matches!(to, Target::Build(_)))
            }
            Build::Lam(_, body) => body.substitutes(),
            Build::App(f, e) => f.substitutes() || e.substitutes(),
            Build::Bound(..) | Build::Prim(..) | Build::Leaf(..) | Build::Lit(_) | Build::Number(_) => false,
        }
    }
}

/// Where a variable was first met: its register, and what its scope's binders are there, outermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub reg: Reg,
    /// The number of binders above.
    pub depth: u32,
    pub scope: Vec<u32>,
}

/// A further occurrence of a variable: its register, and what makes the first occurrence of it.
#[derive(Clone, Debug)]
pub struct Other {
    pub var: usize,
    pub reg: Reg,
    pub renaming: Renaming,
}

/// How far below its root a match reads the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// So many levels down for the members of classes, and for what is known of them.
    Levels { members: u8, data: u8 },
    /// An occurrence of a variable is looked up under other binders, which reads whatever the term is made of.
    Anywhere,
}

impl Reach {
    /// The levels that have to be known.
    pub fn levels(self) -> u8 {
        if let Reach::Levels { members, data } = self { members.max(data) } else { 0 }
    }
}

/// A compiled rule.
#[derive(Clone, Debug)]
pub struct Program {
    pub equation: Equation,
    pub anchor: Anchor,
    /// Applications from the anchor up to the root.
    pub height: usize,
    pub instrs: Vec<Instr>,
    pub registers: usize,
    pub reach: Reach,
    /// The registers of classes whose members a match reads, and of its root, each once.
    pub opened: Vec<Reg>,
    pub places: Vec<Option<Place>>,
    pub sizes: Vec<Nat>,
    /// The types that are built, each once.
    pub types: Vec<TypePat>,
    pub build: Build,
    /// What makes the right side of the term on the left, where `build` does not.
    pub computed: Option<(Run, Vec<RuleArg>)>,
    /// The variables whose terms decide what is made on the right, beside what matching says of them: a function that the
    /// right side has on vectors, and what a procedure looks into.
    pub reads: Vec<usize>,
    /// The left side, as what is built of the variables.
    pub left: Build,
    /// Occurrences of variables, after their first ones, that stand under other binders.
    pub others: Vec<Other>,
    /// What the rule's arguments say.
    pub given_nats: Vec<Option<NatId>>,
    pub given_types: Vec<Option<TypeId>>,
    pub given_slots: Vec<Option<LeafArg>>,
    /// Variables whose term is an argument of the rule: their registers, with the class.
    pub given_terms: Vec<(usize, super::Id)>,
    /// The variables whose terms a condition looks at, by condition, and all of them.
    pub conditions: Vec<(Condition, Vec<usize>)>,
    pub asked: Vec<usize>,
    /// Does the right side put terms into the place of binders, as beta reduction does?
    pub substitutes: bool,
}

/// Why a rule cannot be used in a search, in words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub String);

struct Compiler<'a> {
    graph: &'a mut Graph,
    eq: &'a Equation,
    sizes: Vec<Nat>,
    types: Vec<TypePat>,
    instrs: Vec<Instr>,
    registers: usize,
    places: Vec<Option<Place>>,
    others: Vec<Other>,
    /// The sizes that arguments say.
    given: Vec<Option<NatId>>,
}

/// Compiles a rule for given arguments.
///
/// # Errors
/// When the arguments do not fit, or the rule says something that only terms can answer.
pub fn compile(
    graph: &mut Graph,
    searched: Searched<'_>,
    params: &[RuleParam],
    args: &[RuleArg],
) -> Result<Program, Unusable> {
    let Searched { equation: eq, computed } = searched;
    let mut c = Compiler {
        graph,
        eq,
        sizes: vec![],
        types: vec![],
        instrs: vec![],
        registers: 1,
        places: vec![None; eq.vars.len()],
        others: vec![],
        given: vec![],
    };
    let mut given_nats = vec![None; eq.nats.len()];
    let mut given_types = vec![None; eq.types.len()];
    let mut given_slots = vec![None; eq.slots.len()];
    let mut given_terms = vec![];
    if params.len() != args.len() {
        return Err(Unusable(format!("It takes {} arguments, but has {} here.", params.len(), args.len())));
    }
    for (param, arg) in params.iter().zip(args) {
        match (&param.kind, arg) {
            (ParamKind::Nat(i), RuleArg::Nat(n)) => {
                let id = c.graph.tables_mut().nat(n);
                if !c.graph.tables().is_size(id) {
                    return Err(Unusable(format!("{} must be a positive size.", param.name)));
                }
                given_nats[*i] = Some(id);
            }
            // The equation is that of the depth.
            (ParamKind::Depth, RuleArg::Nat(_)) => {}
            (ParamKind::Addr(i), RuleArg::Addr(a)) => given_slots[*i] = Some(LeafArg::Addr(*a)),
            (ParamKind::Dim(i), RuleArg::Dim(d)) => given_slots[*i] = Some(LeafArg::Dim(*d)),
            (ParamKind::Term(i, _), RuleArg::Term(t)) => {
                let class =
                    c.graph.encode(t).ok_or_else(|| Unusable(format!("{} is no term.", param.name)))?;
                let reg = c.register();
                c.places[*i] = Some(Place { reg, depth: 0, scope: vec![] });
                given_terms.push((reg, class));
                bind_given(&eq.vars[*i].ty, t.ty(), c.graph, &mut given_types, &mut given_nats);
            }
            _ => return Err(Unusable(format!("{} must be {}.", param.name, param.kind.word()))),
        }
    }
    c.given = given_nats.clone();
    let Sides { lhs, rhs } = &eq.sides;
    let (anchor, height) = c.anchor(lhs);
    c.pattern(lhs, 0, 0, false)?;
    let build = c.build(rhs, 0)?;
    let left = c.build(lhs, 0)?;
    let vectorised = rhs.nodes().iter().find_map(|p| match p.node {
        PatNode::Vectorise(_, v) => Some(v),
        _ => None,
    });
    let conditions: Vec<_> = eq.conditions.iter().map(|k| (k.clone(), k.vars())).collect();
    let mut asked: Vec<usize> = conditions.iter().flat_map(|(_, vars)| vars.iter().copied()).collect();
    asked.sort_unstable();
    asked.dedup();
    let substitutes = build.substitutes();
    Ok(Program {
        equation: eq.clone(),
        anchor,
        height,
        reach: reach(&c.instrs, c.registers, &c.others),
        opened: opened(&c.instrs),
        instrs: c.instrs,
        registers: c.registers,
        places: c.places,
        sizes: c.sizes,
        types: c.types,
        build,
        computed: computed.map(|(run, _)| (run, args.to_vec())),
        reads: match computed {
            Some((_, reads)) => reads.to_vec(),
            None => vectorised.into_iter().collect(),
        },
        left,
        others: c.others,
        given_nats,
        given_types,
        given_slots,
        given_terms,
        conditions,
        asked,
        substitutes,
    })
}

fn opened(instrs: &[Instr]) -> Vec<Reg> {
    let read = instrs.iter().flat_map(|instr| match instr {
        Instr::App { from, .. }
        | Instr::Lam { from, .. }
        | Instr::Var { from, .. }
        | Instr::Prim { from, .. }
        | Instr::Lit { from, .. }
        | Instr::Number { from, .. } => vec![*from],
        // Whether two classes are one is known of the classes themselves.
        Instr::Same { first, of, .. } => vec![*first, *of],
        Instr::Type { .. } | Instr::NotIn { .. } => vec![],
    });
    let mut all: Vec<Reg> = read.chain([0]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn reach(instrs: &[Instr], registers: usize, others: &[Other]) -> Reach {
    if others.iter().any(|o| o.renaming.moves()) {
        return Reach::Anywhere;
    }
    let mut levels = vec![0u8; registers];
    let (mut members, mut data) = (0, 0);
    for instr in instrs {
        match instr {
            Instr::App { from, f, e } => {
                levels[*f] = levels[*from].saturating_add(1);
                levels[*e] = levels[*f];
                members = members.max(levels[*from]);
            }
            Instr::Lam { from, body } => {
                levels[*body] = levels[*from].saturating_add(1);
                members = members.max(levels[*from]);
            }
            Instr::Var { from, .. }
            | Instr::Prim { from, .. }
            | Instr::Lit { from, .. }
            | Instr::Number { from, .. } => members = members.max(levels[*from]),
            // Whether two classes are one is known of the classes themselves.
            Instr::Same { first, of, .. } => members = members.max(levels[*first]).max(levels[*of]),
            Instr::Type { .. } | Instr::NotIn { .. } => {}
        }
        data = data.max(levels.iter().copied().max().unwrap_or(0));
    }
    Reach::Levels { members, data }
}

/// Takes from a closed argument's type what it says of the rule's variables.
fn bind_given(
    pattern: &Type,
    found: &Type,
    graph: &mut Graph,
    types: &mut [Option<TypeId>],
    nats: &mut [Option<NatId>],
) {
    let mut nat = |graph: &mut Graph, p: &Nat, n: &Nat| {
        if let Some(NatVar::Meta(i)) = p.as_variable() {
            nats[*i as usize].get_or_insert(graph.tables_mut().nat(n));
        }
    };
    match (pattern.kind(), found.kind()) {
        (TypeKind::Var(TypeVar::Meta(i)), _) => {
            types[*i as usize].get_or_insert(graph.tables_mut().ty(found));
        }
        (TypeKind::Index(p), TypeKind::Index(n)) => nat(graph, p, n),
        (TypeKind::Array(p, s), TypeKind::Array(n, t)) | (TypeKind::Vector(p, s), TypeKind::Vector(n, t)) => {
            nat(graph, p, n);
            bind_given(s, t, graph, types, nats);
        }
        (TypeKind::Pair(a, b), TypeKind::Pair(s, t)) | (TypeKind::Fun(a, b), TypeKind::Fun(s, t)) => {
            bind_given(a, s, graph, types, nats);
            bind_given(b, t, graph, types, nats);
        }
        _ => {}
    }
}

impl Compiler<'_> {
    fn register(&mut self) -> Reg {
        self.registers += 1;
        self.registers - 1
    }

    fn anchor(&mut self, lhs: &Pat) -> (Anchor, usize) {
        let (mut at, mut height) = (lhs, 0);
        while let PatNode::App(f, _) = &at.node {
            at = f;
            height += 1;
        }
        match &at.node {
            PatNode::Prim(p, _) => (Anchor::Prim(*p), height),
            PatNode::Lit(l) if !l.has_metas() => (Anchor::Lit(self.literal(l)), height),
            PatNode::Lam(..) => (Anchor::Lam, height),
            _ if height > 0 => (Anchor::App, height - 1),
            _ => (Anchor::Any, 0),
        }
    }

    fn literal(&mut self, l: &Literal) -> LeafId {
        self.graph.tables_mut().leaf(Leaf::Lit(l.clone()))
    }

    fn number(&mut self, l: &Literal) -> Option<NumberPat> {
        match l {
            Literal::Nat(n) if l.has_metas() => Some(NumberPat::Nat(self.nat(n))),
            Literal::Index(i, n) if l.has_metas() => Some(NumberPat::Index(self.nat(i), self.nat(n))),
            _ => None,
        }
    }

    /// Emits what matches `pat` in a register. `typed`: its type follows from what was matched before.
    fn pattern(&mut self, pat: &Pat, reg: Reg, depth: u32, typed: bool) -> Result<(), Unusable> {
        match &pat.node {
            PatNode::Var(v, args) => {
                if !typed {
                    let ty = self.ty(&pat.ty);
                    self.instrs.push(Instr::Type { of: reg, ty });
                }
                self.variable(*v, args, reg, depth)?;
            }
            PatNode::Bound(i) => self.instrs.push(Instr::Var { from: reg, index: *i }),
            PatNode::Lam(_, body) => {
                if !typed {
                    let ty = self.ty(&pat.ty);
                    self.instrs.push(Instr::Type { of: reg, ty });
                }
                let b = self.register();
                self.instrs.push(Instr::Lam { from: reg, body: b });
                self.pattern(body, b, depth + 1, true)?;
            }
            PatNode::App(f, e) => {
                let (rf, re) = (self.register(), self.register());
                self.instrs.push(Instr::App { from: reg, f: rf, e: re });
                self.pattern(f, rf, depth, false)?;
                self.pattern(e, re, depth, true)?;
            }
            PatNode::Prim(p, args) => {
                let args = self.args(args);
                self.instrs.push(Instr::Prim { from: reg, pattern: *p, args });
                if !typed {
                    let ty = self.ty(&pat.ty);
                    self.instrs.push(Instr::Type { of: reg, ty });
                }
            }
            PatNode::Lit(l) => {
                let instr = match self.number(l) {
                    Some(number) => Instr::Number { from: reg, number },
                    None => Instr::Lit { from: reg, leaf: self.literal(l) },
                };
                self.instrs.push(instr);
            }
            PatNode::Vectorise(..) => {
                return Err(Unusable("Its left side asks for a vectorised function.".into()));
            }
        }
        Ok(())
    }

    fn variable(&mut self, v: usize, args: &[Pat], reg: Reg, depth: u32) -> Result<(), Unusable> {
        let scope: Option<Vec<u32>> =
            args.iter().map(|a| if let PatNode::Bound(i) = a.node { Some(i) } else { None }).collect();
        let scope =
            scope.ok_or_else(|| Unusable("Its left side applies a variable to more than binders.".into()))?;
        let binders: Vec<u32> = (0..depth).filter(|i| !scope.contains(i)).collect();
        if !binders.is_empty() {
            self.instrs.push(Instr::NotIn { of: reg, binders });
        }
        match &self.places[v] {
            None => self.places[v] = Some(Place { reg, depth, scope }),
            Some(first) => {
                // The first occurrence, seen from here.
                let local = (0..first.depth).map(|i| match first.scope.iter().position(|s| *s == i) {
                    Some(j) => scope.get(j).map_or(To::Gone, |i| To::Index(*i)),
                    None => To::Gone,
                });
                let renaming = Renaming::new(local.collect(), depth);
                self.others.push(Other { var: v, reg, renaming: renaming.clone() });
                self.instrs.push(Instr::Same { first: first.reg, of: reg, renaming });
            }
        }
        Ok(())
    }

    fn build(&mut self, pat: &Pat, depth: u32) -> Result<Build, Unusable> {
        Ok(match &pat.node {
            PatNode::Var(v, args) => {
                let local = self.targets(*v, args, depth)?;
                Build::Var { var: *v, local, outside: depth }
            }
            PatNode::Bound(i) => Build::Bound(*i, self.built_type(&pat.ty)),
            PatNode::Lam(_, body) => {
                let param = pat.ty.as_fun().map_or_else(Type::ill, |(p, _)| p.clone());
                let param = self.built_type(&param);
                Build::Lam(param, Box::new(self.build(body, depth + 1)?))
            }
            PatNode::App(f, e) => {
                Build::App(Box::new(self.build(f, depth)?), Box::new(self.build(e, depth)?))
            }
            PatNode::Prim(p, args) => {
                let (args, ty) = (self.args(args), self.built_type(&pat.ty));
                let known = |a: &ArgPat| match *a {
                    ArgPat::Is(a) => Some(a),
                    ArgPat::Nat(NatPat::Ground(n)) => Some(LeafArg::Nat(n)),
                    ArgPat::Nat(NatPat::Var(i)) => self.given.get(i).copied().flatten().map(LeafArg::Nat),
                    _ => None,
                };
                match args.iter().map(known).collect() {
                    Some(args) => Build::Leaf(self.graph.tables_mut().leaf(Leaf::Prim(*p, args)), ty),
                    None => Build::Prim(*p, args, ty),
                }
            }
            PatNode::Lit(l) => match self.number(l) {
                Some(number) => Build::Number(number),
                None => Build::Lit(self.literal(l)),
            },
            PatNode::Vectorise(n, v) => {
                let local = self.targets(*v, &[], depth)?;
                Build::Vectorise { size: self.nat(n), var: *v, local, outside: depth }
            }
        })
    }

    /// What becomes of the binders above a variable's first occurrence.
    fn targets(&mut self, v: usize, args: &[Pat], depth: u32) -> Result<Vec<Target>, Unusable> {
        let place = self.places.get(v).cloned().flatten();
        let place = place
            .ok_or_else(|| Unusable("Its right side has a variable that its left side has not.".into()))?;
        (0..place.depth)
            .map(|i| match place.scope.iter().position(|s| *s == i).and_then(|j| args.get(j)) {
                None => Ok(Target::Gone),
                Some(Pat { node: PatNode::Bound(to), .. }) => Ok(Target::Index(*to)),
                Some(arg) => Ok(Target::Build(self.build(arg, depth)?)),
            })
            .collect()
    }

    fn args(&mut self, args: &[PatArg]) -> Vec<ArgPat> {
        let one = |c: &mut Self, a: &PatArg| match a {
            PatArg::Nat(n) => ArgPat::Nat(c.nat(n)),
            PatArg::Fun(f) => ArgPat::Fun(c.nat(f.body())),
            PatArg::Addr(a) => ArgPat::Is(LeafArg::Addr(*a)),
            PatArg::Dim(d) => ArgPat::Is(LeafArg::Dim(*d)),
            PatArg::Slot(i) => ArgPat::Slot(*i),
        };
        args.iter().map(|a| one(self, a)).collect()
    }

    fn nat(&mut self, n: &Nat) -> NatPat {
        if let Some(NatVar::Meta(i)) = n.as_variable() {
            return NatPat::Var(*i as usize);
        }
        if !n.has_metas() {
            return NatPat::Ground(self.graph.tables_mut().nat(n));
        }
        NatPat::Size(self.sizes.iter().position(|s| s == n).unwrap_or_else(|| {
            self.sizes.push(n.clone());
            self.sizes.len() - 1
        }))
    }

    /// The number of a type among those that are built.
    fn built_type(&mut self, t: &Type) -> usize {
        let ty = self.ty(t);
        self.types.iter().position(|known| *known == ty).unwrap_or_else(|| {
            self.types.push(ty);
            self.types.len() - 1
        })
    }

    fn ty(&mut self, t: &Type) -> TypePat {
        if !t.has_metas() && !matches!(t.kind(), TypeKind::Ill) {
            return TypePat::Ground(self.graph.tables_mut().ty(t));
        }
        match t.kind() {
            TypeKind::Var(TypeVar::Meta(i)) => {
                let data = self.eq.types.get(*i as usize).is_none_or(|t| t.data);
                TypePat::Var(*i as usize, data)
            }
            TypeKind::Index(n) => TypePat::Index(self.nat(n)),
            TypeKind::Vector(n, t) => TypePat::Vector(self.nat(n), Box::new(self.ty(t))),
            TypeKind::Array(n, t) => TypePat::Array(self.nat(n), Box::new(self.ty(t))),
            TypeKind::Pair(a, b) => TypePat::Pair(Box::new(self.ty(a)), Box::new(self.ty(b))),
            TypeKind::Fun(a, b) => TypePat::Fun(Box::new(self.ty(a)), Box::new(self.ty(b))),
            TypeKind::Ill | TypeKind::Scalar(_) | TypeKind::NatType | TypeKind::Var(TypeVar::Named(_)) => {
                TypePat::Never
            }
        }
    }
}
