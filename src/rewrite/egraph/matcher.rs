//! Finding the matches of a compiled rule: backtracking over the members of classes.
//!
//! The graph is only read. Work is counted, so that a search can be stopped within one rule.

use super::Graph;
use super::analysis::Indices;
use super::changes::Changes;
use super::compile::{Anchor, ArgPat, Instr, NatPat, NumberPat, Program, Reach, TypePat};
use super::congruence::{EGraph, Nodes};
use super::gaps::{Gap, Gaps};
use super::members::{Answer, MOST_MEMBERS, some_without};
use super::node::{Id, Kind, Op};
use super::rename::Renaming;
use super::tables::{Leaf, LeafArg, LeafId, NatId, Tables, TypeId, TypeRow};
use crate::lang::constraint::SizeConstraint;
use crate::lang::literal::Literal;
use crate::lang::nat::{Name, Nat, NatFun, NatVar, Solution, solve};
use crate::lang::term::Term;
use crate::rule::Condition;
use crate::rule::bindings::{Bindings, Bound};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// So many ways to choose members are asked whether conditions hold.
pub(super) const MOST_CHOICES: usize = 256;
/// Between two polls the matcher looks at about this many nodes.
const POLL: u32 = 4096;

/// So many matches lie behind each other. What is there never moves, so that more of them take no more memory than they are.
const IN_CHUNK: usize = 1 << 14;

/// Matches of one rule, flat: each is its root class, then the classes of the variables' places, types, sizes and
/// slots, in the order of the rule's lists, the classes of further occurrences of variables, and the terms that
/// conditions were asked of.
#[derive(Clone, Debug)]
pub struct Matches {
    stride: usize,
    /// All but the last are full.
    chunks: Vec<Vec<u32>>,
}

/// One match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Match<'a>(&'a [u32]);

const UNBOUND: u32 = u32::MAX;

impl Matches {
    pub fn new(program: &Program) -> Matches {
        let eq = &program.equation;
        let stride = 1
            + eq.vars.len()
            + eq.types.len()
            + eq.nats.len()
            + eq.slots.len()
            + program.others.len()
            + program.asked.len();
        Matches { stride, chunks: vec![] }
    }
    pub fn len(&self) -> usize {
        let Some((last, full)) = self.chunks.split_last() else { return 0 };
        full.len() * IN_CHUNK + last.len() / self.stride
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Keeps the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.chunks.truncate(len.div_ceil(IN_CHUNK));
        if let Some(last) = self.chunks.get_mut(len / IN_CHUNK) {
            last.truncate(len % IN_CHUNK * self.stride);
        }
    }
    #[inline]
    pub fn get(&self, i: usize) -> Match<'_> {
        let from = i % IN_CHUNK * self.stride;
        Match(&self.chunks[i / IN_CHUNK][from..from + self.stride])
    }
    /// Where the next match is to be written.
    fn end(&mut self) -> &mut Vec<u32> {
        let is_full = |last: &Vec<u32>| last.len() == IN_CHUNK * self.stride;
        if self.chunks.last().is_none_or(is_full) {
            self.chunks.push(vec![]);
        }
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }
    /// The matches, each with classes as what represents them now.
    #[cfg(test)]
    pub fn canonical(&self, graph: &Graph, p: &Program) -> Vec<Vec<u32>> {
        let (vars, rest) = (p.equation.vars.len(), p.others.len() + p.asked.len());
        let is_class = |i: usize| i <= vars || i >= self.stride - rest;
        let find = |(i, id): (usize, &u32)| match *id {
            id if is_class(i) && id != UNBOUND => usize::from(graph.find(Id::from(id as usize))) as u32,
            id => id,
        };
        self.iter().map(|m| m.0.iter().enumerate().map(find).collect()).collect()
    }

    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * 4).sum()
    }
    pub fn iter(&self) -> impl Iterator<Item = Match<'_>> {
        self.from(0)
    }
    fn from(&self, first: usize) -> impl Iterator<Item = Match<'_>> {
        (first..self.len()).map(|i| self.get(i))
    }
    #[cfg(test)]
    pub fn extend(&mut self, others: &Matches) {
        others.iter().for_each(|m| self.end().extend_from_slice(m.0));
    }
    /// The bytes that it takes to tidy so many matches.
    fn tidying(&self, matches: usize) -> u64 {
        (matches * (self.stride * size_of::<u32>() + size_of::<&[u32]>())) as u64
    }
    /// Sorts the matches from number `from` on, and drops those that stand twice.
    fn tidy(&mut self, from: usize) {
        let tail: Vec<u32> = self.from(from).flat_map(|m| m.0).copied().collect();
        self.truncate(from);
        let mut all: Vec<&[u32]> = tail.chunks_exact(self.stride).collect();
        all.sort_unstable();
        all.dedup();
        for m in all {
            self.end().extend_from_slice(m);
        }
    }
}

impl Match<'_> {
    #[inline]
    pub fn root(&self) -> Id {
        Id::from(self.0[0] as usize)
    }
    #[inline]
    pub fn class(&self, var: usize) -> Option<Id> {
        let id = *self.0.get(1 + var)?;
        (id != UNBOUND).then(|| Id::from(id as usize))
    }
    #[inline]
    pub fn ty(&self, p: &Program, i: usize) -> Option<TypeId> {
        let id = *self.0.get(1 + p.equation.vars.len() + i)?;
        (id != UNBOUND).then_some(TypeId(id))
    }
    #[inline]
    pub fn nat(&self, p: &Program, i: usize) -> Option<NatId> {
        let id = *self.0.get(1 + p.equation.vars.len() + p.equation.types.len() + i)?;
        (id != UNBOUND).then_some(NatId(id))
    }
    /// All types and sizes.
    #[inline]
    fn types_and_nats(&self, p: &Program) -> &[u32] {
        let eq = &p.equation;
        &self.0[1 + eq.vars.len()..][..eq.types.len() + eq.nats.len()]
    }
    #[inline]
    pub fn slot(&self, p: &Program, i: usize) -> Option<LeafArg> {
        let eq = &p.equation;
        decode_slot(*self.0.get(1 + eq.vars.len() + eq.types.len() + eq.nats.len() + i)?)
    }
    /// The class of a further occurrence of a variable.
    pub fn other(&self, p: &Program, i: usize) -> Option<Id> {
        let eq = &p.equation;
        let at = 1 + eq.vars.len() + eq.types.len() + eq.nats.len() + eq.slots.len() + i;
        self.0.get(at).map(|id| Id::from(*id as usize))
    }
    /// The variables that conditions look at, each with the term that they were asked of.
    pub fn asked(&self, p: &Program) -> impl Iterator<Item = (usize, Id)> {
        let terms = self.0[self.0.len() - p.asked.len()..].iter();
        p.asked.iter().copied().zip(terms.map(|id| Id::from(*id as usize)))
    }
}

fn encode_slot(a: Option<LeafArg>) -> u32 {
    use crate::lang::pattern::AddressSpace;
    match a {
        None => UNBOUND,
        // Slots are address spaces and dimensions.
        Some(LeafArg::Nat(n) | LeafArg::Fun(n)) => n.0,
        Some(LeafArg::Dim(d)) => (1 << 30) + u32::from(d),
        Some(LeafArg::Addr(a)) => {
            (2 << 30) + AddressSpace::ALL.iter().position(|b| *b == a).unwrap_or(0) as u32
        }
    }
}

fn decode_slot(code: u32) -> Option<LeafArg> {
    use crate::lang::pattern::AddressSpace;
    match code >> 30 {
        0 => Some(LeafArg::Nat(NatId(code))),
        1 => Some(LeafArg::Dim((code & 0xff) as u8)),
        2 => Some(LeafArg::Addr(AddressSpace::ALL[(code & 3) as usize])),
        _ => None,
    }
}

/// What an equation between a rule's size and a term's says, for given values of the rule's other variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Solved {
    Equal,
    Bind(usize, NatId),
    Stuck,
    Never,
}

/// The types of the built terms are known for matches with so many different types and sizes.
const MOST_TYPED: usize = 1 << 8;

/// The types that a rule builds for matches with the same types and sizes: their place in the list of all.
#[derive(Default, Debug)]
struct BuiltTypes {
    places: FxHashMap<Box<[u32]>, usize>,
    list: Vec<u32>,
}

impl BuiltTypes {
    fn place(&mut self, p: &Program, m: Match<'_>) -> usize {
        let key = m.types_and_nats(p);
        if let Some(place) = self.places.get(key) {
            return *place;
        }
        if self.places.len() >= MOST_TYPED {
            *self = BuiltTypes::default();
        }
        let place = self.list.len();
        self.list.resize(place + p.types.len(), UNBOUND);
        self.places.insert(key.into(), place);
        place
    }
}

/// Answers that stay right for a whole search: of equations between sizes, of sums and products, and the types that are
/// built.
#[derive(Default, Debug)]
pub struct SizeMemo {
    types: BuiltTypes,
    solved: FxHashMap<(usize, Vec<u32>, NatId), Solved>,
    values: FxHashMap<(usize, Vec<u32>), Option<NatId>>,
    needs: FxHashMap<Vec<u32>, bool>,
}

impl SizeMemo {
    /// Where the types are that a rule builds for a match.
    pub(super) fn types_of(&mut self, p: &Program, m: Match<'_>) -> usize {
        self.types.place(p, m)
    }
    /// A type that was built there.
    #[inline]
    pub(super) fn built_type(&self, place: usize) -> Option<TypeId> {
        Some(self.types.list[place]).filter(|id| *id != UNBOUND).map(TypeId)
    }
    #[inline]
    pub(super) fn note_type(&mut self, place: usize, ty: TypeId) {
        self.types.list[place] = ty.0;
    }
}

/// The whole search was told to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Halted;

/// The number of a match that was not kept.
const NOT_KEPT: u32 = u32::MAX;
/// Bytes of a match in the table of those that are known, with what a table leaves free.
const KNOWN_BYTES: usize = (size_of::<(u64, (u32, u32))>() + 1) * 8 / 7;

/// Searches the matches of a rule, root class by root class, each once: all of them, or those that may be new since there
/// were these changes.
///
/// # Errors
/// [`Halted`] as soon as `poll` says so, which hears how many bytes are about to be needed; what was found so far is then
/// incomplete.
pub fn search(
    graph: &mut Graph,
    program: &Program,
    memo: &mut SizeMemo,
    changes: Option<&Changes>,
    poll: &mut dyn FnMut(u64) -> bool,
) -> Result<Matches, Halted> {
    let mut roots = candidates(graph, program);
    if let Some(changes) = changes {
        roots.retain(|root| changes.concern(*root, program.reach));
    }
    // One member stands for the body that others are put into. What is said of the body itself, which is further in, may
    // make a lighter one equal to it, of which the same says nothing new: so what is further out comes first.
    if program.substitutes {
        roots.sort_by_key(|root| graph.data(*root).free.end());
    }
    let mut found = Matches::new(program);
    {
        let thorough = graph.thorough;
        let (egraph, tables, gaps) = graph.split();
        let mut m = Machine {
            egraph,
            tables,
            gaps,
            thorough,
            program,
            memo,
            changes: changes.filter(|_| program.reach != Reach::Anywhere),
            regs: vec![Id::from(0); program.registers],
            types: program.given_types.clone(),
            nats: program.given_nats.clone(),
            slots: program.given_slots.clone(),
            pending: vec![],
            found: &mut found,
            work: 0,
            poll,
        };
        for (reg, class) in &program.given_terms {
            m.regs[*reg] = egraph.find(*class);
        }
        for root in roots {
            let before = m.found.len();
            m.regs[0] = root;
            m.step(0)?;
            let new = m.found.len() - before;
            if new > 1 {
                if new > IN_CHUNK && (m.poll)(m.found.tidying(new)) {
                    return Err(Halted);
                }
                m.found.tidy(before);
            }
        }
    }
    if program.conditions.iter().any(|(c, _)| !matches!(c, Condition::Size(_))) {
        let mut kept = Matches::new(program);
        // By what a match is but for its root: the number of a match, and of what was kept of it.
        let mut known: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
        for at in 0..found.len() {
            // That there is no memory for the table has to be known before it grows.
            let is_full = known.len() == known.capacity();
            let coming = if is_full { 2 * (known.len() + 1) * KNOWN_BYTES } else { 0 };
            if (is_full || at % 64 == 63) && poll(coming as u64) {
                return Err(Halted);
            }
            let m = found.get(at);
            let plain = m.0.len() - program.asked.len();
            // What a condition sees of a match does not depend on its root.
            let seen = FxBuildHasher.hash_one(&m.0[1..]);
            let asked = match known.get(&seen) {
                Some((same, kept_as)) if found.get(*same as usize).0[1..] == m.0[1..] => {
                    (*kept_as != NOT_KEPT).then(|| kept.get(*kept_as as usize).0[plain..].to_vec())
                }
                _ => {
                    let asked = asked(graph, program, m);
                    let kept_as = if asked.is_some() { kept.len() as u32 } else { NOT_KEPT };
                    known.insert(seen, (at as u32, kept_as));
                    asked
                }
            };
            if let Some(asked) = asked {
                let end = kept.end();
                end.extend_from_slice(&m.0[..plain]);
                end.extend(asked);
            }
        }
        return Ok(kept);
    }
    Ok(found)
}

/// The classes that may be roots, sorted.
fn candidates(graph: &Graph, program: &Program) -> Vec<Id> {
    let mut level: Vec<Id> = match &program.anchor {
        Anchor::Any => return graph.class_ids(),
        Anchor::Prim(p) => {
            let leaves = graph.tables().leaves_of(*p).iter();
            leaves.flat_map(|l| graph.classes_with(Op::leaf(*l))).collect()
        }
        Anchor::Lit(l) => graph.classes_with(Op::leaf(*l)).collect(),
        Anchor::Lam => graph.classes_with(Op::LAM).collect(),
        Anchor::App => graph.classes_with(Op::APP).collect(),
    };
    for _ in 0..program.height {
        level.sort_unstable();
        level.dedup();
        let above = level.iter().flat_map(|c| {
            graph.parents(*c).filter_map(|(node, class)| (node.as_app()?.0 == *c).then_some(class))
        });
        level = above.collect();
    }
    level.sort_unstable();
    level.dedup();
    level
}

/// The terms that the conditions hold of, for each variable that they look at.
fn asked(graph: &mut Graph, program: &Program, m: Match<'_>) -> Option<Vec<u32>> {
    let chosen = choice(graph, program, m)?;
    let term = |v: &usize| match chosen.iter().find(|(c, _)| c == v) {
        Some((_, term)) => graph.encode_exactly(term),
        None => Some(graph.data(m.class(*v)?).best().term),
    };
    program.asked.iter().map(term).map(|id| Some(usize::from(id?) as u32)).collect()
}

/// Do the conditions hold that look at terms? They are asked of each class's best member; thoroughly, of others too.
/// Where other members were chosen for that, with these.
fn choice(graph: &mut Graph, program: &Program, m: Match<'_>) -> Option<Vec<(usize, Term)>> {
    // None where a best member mentions a binder that it must not; another member may not.
    let asked = bindings(graph, program, m, &[]).map(|b| failing(program, &b));
    if matches!(asked, Some(None)) {
        return Some(vec![]);
    }
    let failed = asked.flatten();
    if !graph.thorough || failed.is_some_and(Condition::is_of_types) {
        return None;
    }
    // One member for each variable that a condition looks at.
    let mut choices: Vec<Vec<(usize, Term)>> = vec![vec![]];
    let mut all = true;
    for v in program.asked.iter().copied() {
        let members = graph.members(m.class(v)?, MOST_MEMBERS);
        all &= members.all;
        let with = |c: &Vec<(usize, Term)>, t: &Term| c.iter().cloned().chain([(v, t.clone())]).collect();
        choices = choices.iter().flat_map(|c| members.terms.iter().map(move |t| with(c, t))).collect();
        all &= choices.len() <= MOST_CHOICES;
        choices.truncate(MOST_CHOICES);
    }
    let holds = |c: &Vec<(usize, Term)>| {
        bindings(graph, program, m, c).is_some_and(|b| failing(program, &b).is_none())
    };
    if let Some(found) = choices.into_iter().find(holds) {
        return Some(found);
    }
    let looks = || program.conditions.iter().find(|(_, vars)| !vars.is_empty()).map(|(c, _)| c);
    if !all && let Some(failed) = failed.or_else(looks) {
        let text: Name = failed.text(&program.equation).into();
        let rule = graph.gaps.rule.clone();
        graph.gaps.note(Gap::Condition(rule, text), 0);
    }
    None
}

/// The first condition that does not hold.
fn failing<'p>(program: &'p Program, b: &Bindings) -> Option<&'p Condition> {
    let mut assumed = vec![];
    let mut conditions = program.conditions.iter().map(|(c, _)| c);
    conditions.find(|c| c.check(&program.equation, b, &mut assumed).is_err())
}

/// What a match says, as the rule's own bindings; of terms only those that conditions look at, the best ones where
/// nothing else is chosen.
fn bindings(graph: &Graph, p: &Program, m: Match<'_>, chosen: &[(usize, Term)]) -> Option<Bindings> {
    let eq = &p.equation;
    let mut b = Bindings::new(eq.vars.len(), eq.types.len(), eq.nats.len(), eq.slots.len());
    let tables = graph.tables();
    for i in 0..eq.types.len() {
        b.types[i] = m.ty(p, i).map(|t| tables.ty_of(t));
    }
    for i in 0..eq.nats.len() {
        b.nats[i] = m.nat(p, i).map(|n| tables.nat_of(n).clone());
    }
    for i in 0..eq.slots.len() {
        b.slots[i] = m.slot(p, i).map(|a| tables.arg_of(a));
    }
    let mut decoder = graph.decoder();
    for v in &p.asked {
        let place = p.places[*v].as_ref()?;
        let term = match chosen.iter().find(|(c, _)| c == v) {
            Some((_, term)) => term.clone(),
            None => decoder.best(m.class(*v)?)?,
        };
        let k = place.scope.len() as u32;
        let term = term.rename(&|i| match place.scope.iter().position(|s| *s == i) {
            Some(j) => Some(k - 1 - j as u32),
            None => Some(i.checked_sub(place.depth)? + k),
        })?;
        b.terms[*v] = Some(Bound { term, at: None });
    }
    Some(b)
}

struct Machine<'a> {
    egraph: &'a EGraph,
    tables: &'a mut Tables,
    gaps: &'a mut Gaps,
    thorough: bool,
    program: &'a Program,
    memo: &'a mut SizeMemo,
    /// Only what may be new since then is a match.
    changes: Option<&'a Changes>,
    regs: Vec<Id>,
    types: Vec<Option<TypeId>>,
    nats: Vec<Option<NatId>>,
    slots: Vec<Option<LeafArg>>,
    /// Equations between sizes that could not be solved when they were met.
    pending: Vec<(usize, NatId)>,
    found: &'a mut Matches,
    work: u32,
    poll: &'a mut dyn FnMut(u64) -> bool,
}

impl<'a> Machine<'a> {
    #[inline]
    fn tick(&mut self) -> Result<(), Halted> {
        self.work += 1;
        if self.work >= POLL {
            self.work = 0;
            if (self.poll)(0) {
                return Err(Halted);
            }
        }
        Ok(())
    }

    /// The members of a class; the borrow is the graph's, not the machine's.
    #[inline]
    fn nodes(&self, reg: usize) -> Nodes<'a> {
        let egraph: &'a EGraph = self.egraph;
        egraph.members(self.regs[reg])
    }

    /// Runs the instructions from `at` on, for every choice.
    fn step(&mut self, at: usize) -> Result<(), Halted> {
        let program = self.program;
        let Some(instr) = program.instrs.get(at) else { return self.finish() };
        self.tick()?;
        match instr {
            Instr::App { from, f, e } => {
                for node in self.nodes(*from) {
                    if let Some((a, b)) = node.as_app() {
                        self.regs[*f] = a;
                        self.regs[*e] = b;
                        self.step(at + 1)?;
                    }
                }
            }
            Instr::Lam { from, body } => {
                for node in self.nodes(*from) {
                    if let Some(b) = node.as_lam() {
                        self.regs[*body] = b;
                        self.step(at + 1)?;
                    }
                }
            }
            Instr::Var { from, index } => {
                if self.nodes(*from).any(|n| n.op == Op::var(*index)) {
                    self.step(at + 1)?;
                }
            }
            Instr::Lit { from, leaf } => {
                if self.nodes(*from).any(|n| n.op == Op::leaf(*leaf)) {
                    self.step(at + 1)?;
                }
            }
            Instr::Number { from, number } => {
                for node in self.nodes(*from) {
                    let Kind::Leaf(leaf) = node.op.kind() else { continue };
                    self.with_undo(|m| m.number_matches(*number, leaf), at)?;
                }
            }
            Instr::Prim { from, pattern, args } => {
                for node in self.nodes(*from) {
                    let Kind::Leaf(leaf) = node.op.kind() else { continue };
                    if self.is_pattern(leaf, *pattern) {
                        self.with_undo(|m| m.args_match(leaf, args), at)?;
                    }
                }
            }
            Instr::Type { of, ty } => {
                let found = self.egraph.data(self.regs[*of]).ty;
                self.with_undo(|m| m.ty_matches(ty, found), at)?;
            }
            Instr::NotIn { of, binders } => {
                if self.mentions_none(self.regs[*of], binders) {
                    self.step(at + 1)?;
                }
            }
            Instr::Same { first, of, renaming } => {
                let seen = self.egraph.find(self.regs[*first]);
                let here = self.egraph.find(self.regs[*of]);
                if self.sends(renaming, seen, here) {
                    self.step(at + 1)?;
                }
            }
        }
        Ok(())
    }

    /// Has the class a member that mentions none of the binders? In general that is asked of all members together.
    fn mentions_none(&mut self, class: Id, binders: &[u32]) -> bool {
        let free = self.egraph.data(class).free;
        if binders.iter().all(|i| !free.contains(*i)) {
            return true;
        }
        let binders = binders.iter().fold(Indices::NONE, |all, i| all.union(Indices::one(*i)));
        self.thorough && self.known(some_without(self.egraph, class, binders), Gap::Mentions)
    }

    /// Has one class a member that becomes one of the other's? In general that is asked of the best member.
    fn sends(&mut self, renaming: &Renaming, from: Id, to: Id) -> bool {
        renaming.sends(self.egraph, from, to)
            || (self.thorough && self.known(renaming.may_send(self.egraph, from, to), Gap::Differs))
    }

    /// The answer, or no with a gap where there is none.
    fn known(&mut self, answer: Answer, gap: fn(Name) -> Gap) -> bool {
        if answer.is_none() {
            self.gaps.some_members(gap);
        }
        answer.flatten().is_some()
    }

    fn is_pattern(&self, leaf: LeafId, pattern: crate::lang::pattern::Pattern) -> bool {
        matches!(self.tables.leaf_of(leaf), Leaf::Prim(p, _) if *p == pattern)
    }

    /// Goes on if `test` holds, and takes back what it bound.
    fn with_undo(&mut self, test: impl FnOnce(&mut Self) -> bool, at: usize) -> Result<(), Halted> {
        let (types, nats, slots) = (Saved::of(&self.types), Saved::of(&self.nats), Saved::of(&self.slots));
        let pending = self.pending.len();
        let result = if test(self) { self.step(at + 1) } else { Ok(()) };
        types.restore(&mut self.types);
        nats.restore(&mut self.nats);
        slots.restore(&mut self.slots);
        self.pending.truncate(pending);
        result
    }

    fn args_match(&mut self, leaf: LeafId, wanted: &[ArgPat]) -> bool {
        for (i, w) in wanted.iter().enumerate() {
            let Leaf::Prim(_, args) = self.tables.leaf_of(leaf) else { return false };
            let Some(found) = args.get(i).copied() else { return false };
            let fits = match (w, found) {
                (ArgPat::Nat(n), LeafArg::Nat(m)) | (ArgPat::Fun(n), LeafArg::Fun(m)) => {
                    self.nat_matches(*n, m)
                }
                (ArgPat::Is(a), b) => *a == b,
                (ArgPat::Slot(s), b) => *self.slots[*s].get_or_insert(b) == b,
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        true
    }

    fn number_matches(&mut self, wanted: NumberPat, leaf: LeafId) -> bool {
        let Leaf::Lit(found) = self.tables.leaf_of(leaf) else { return false };
        match (wanted, found.clone()) {
            (NumberPat::Nat(n), Literal::Nat(m)) => self.size_matches(n, &m),
            (NumberPat::Index(i, n), Literal::Index(j, m)) => {
                self.size_matches(i, &j) && self.size_matches(n, &m)
            }
            _ => false,
        }
    }

    fn size_matches(&mut self, wanted: NatPat, found: &Nat) -> bool {
        let found = self.tables.nat(found);
        self.nat_matches(wanted, found)
    }

    fn ty_matches(&mut self, wanted: &TypePat, found: TypeId) -> bool {
        match (wanted, self.tables.row_of(found)) {
            (TypePat::Ground(t), _) => *t == found,
            (TypePat::Var(i, data), _) => match self.types[*i] {
                Some(bound) => bound == found,
                None if *data && !self.tables.facts(found).data => false,
                None => {
                    self.types[*i] = Some(found);
                    true
                }
            },
            (TypePat::Index(n), TypeRow::Index(m)) => self.nat_matches(*n, m),
            (TypePat::Array(n, s), TypeRow::Array(m, t)) | (TypePat::Vector(n, s), TypeRow::Vector(m, t)) => {
                self.ty_matches(s, t) && self.nat_matches(*n, m)
            }
            (TypePat::Pair(a, b), TypeRow::Pair(s, t)) | (TypePat::Fun(a, b), TypeRow::Fun(s, t)) => {
                self.ty_matches(a, s) && self.ty_matches(b, t)
            }
            _ => false,
        }
    }

    fn nat_matches(&mut self, wanted: NatPat, found: NatId) -> bool {
        match wanted {
            NatPat::Ground(n) => n == found,
            NatPat::Var(i) => *self.nats[i].get_or_insert(found) == found,
            NatPat::Size(size) => match self.solve(size, found) {
                Solved::Equal => true,
                Solved::Bind(i, n) => {
                    self.nats[i] = Some(n);
                    true
                }
                Solved::Stuck => {
                    self.pending.push((size, found));
                    true
                }
                Solved::Never => false,
            },
        }
    }

    fn solve(&mut self, size: usize, found: NatId) -> Solved {
        let key = (size, self.nat_codes(), found);
        if let Some(known) = self.memo.solved.get(&key) {
            return *known;
        }
        let known = self.substituted(&self.program.sizes[size]);
        let target = self.tables.nat_of(found).clone();
        let solved = match solve(&known, &target, &|v| matches!(v, NatVar::Meta(_))) {
            Solution::Equal => Solved::Equal,
            Solution::Stuck => Solved::Stuck,
            // What it is follows once the others are known.
            Solution::Bind(_, n) if n.has_metas() => Solved::Stuck,
            Solution::Bind(NatVar::Meta(i), n)
                if n.as_constant() != Some(0) && !is_no_size(&n) && !NatFun::is_inside(&n) =>
            {
                Solved::Bind(i as usize, self.tables.nat(&n))
            }
            Solution::Bind(..) | Solution::Contradiction => Solved::Never,
        };
        self.memo.solved.insert(key, solved);
        solved
    }

    fn nat_codes(&self) -> Vec<u32> {
        self.nats.iter().map(|n| n.map_or(UNBOUND, |n| n.0)).collect()
    }

    fn substituted(&self, n: &Nat) -> Nat {
        n.subst(&|v| match v {
            NatVar::Meta(i) => Some(self.tables.nat_of((*self.nats.get(*i as usize)?)?).clone()),
            NatVar::Named(_) | NatVar::Worker(_) => None,
        })
    }

    /// All instructions hold: what was put off is solved, conditions on sizes are checked.
    fn finish(&mut self) -> Result<(), Halted> {
        if !self.may_be_new() {
            return Ok(());
        }
        let saved = Saved::of(&self.nats);
        if self.settle() && self.sizes_hold() {
            self.record();
        }
        saved.restore(&mut self.nats);
        Ok(())
    }

    /// A match was there before if it reads no class that has new members, and nothing new is known of those that variables
    /// stand for.
    fn may_be_new(&self) -> bool {
        let Some(changes) = self.changes else { return true };
        let program = self.program;
        let opened = program.opened.iter().map(|reg| self.regs[*reg]);
        let places = program.places.iter().flatten().map(|place| place.reg);
        let variables = places.chain(program.others.iter().map(|other| other.reg));
        changes.touch(opened, variables.map(|reg| self.regs[reg]))
    }

    fn settle(&mut self) -> bool {
        let mut open: Vec<(usize, NatId)> = self.pending.clone();
        while !open.is_empty() {
            let before = open.len();
            let mut still = vec![];
            for (size, found) in open {
                match self.solve(size, found) {
                    Solved::Equal => {}
                    Solved::Bind(i, n) => self.nats[i] = Some(n),
                    Solved::Stuck => still.push((size, found)),
                    Solved::Never => return false,
                }
            }
            if still.len() == before {
                return false;
            }
            open = still;
        }
        true
    }

    /// What the sizes must fulfil holds, or the rule's sides ask for it, too.
    fn sizes_hold(&mut self) -> bool {
        let eq = &self.program.equation;
        let of_sizes = |c: &(Condition, Vec<usize>)| matches!(c.0, Condition::Size(_));
        if eq.needs.is_empty()
            && self.program.sizes.is_empty()
            && !self.program.conditions.iter().any(of_sizes)
        {
            return true;
        }
        let key = self.nat_codes();
        if let Some(known) = self.memo.needs.get(&key) {
            return *known;
        }
        let known = |i: usize| Some(self.tables.nat_of((*self.nats.get(i)?)?));
        let value = |v: &NatVar| if let NatVar::Meta(i) = v { known(*i as usize).cloned() } else { None };
        let solved = (0..self.nats.len()).filter_map(known).flat_map(SizeConstraint::of_size);
        let needs = eq.needs.iter().flat_map(|n| SizeConstraint::of_size(&n.subst(&value)));
        let conditions = eq.conditions.iter().filter_map(|c| match c {
            Condition::Size(c) => Some(c.subst(&value)),
            _ => None,
        });
        let holds =
            solved.chain(needs).chain(conditions).all(|c| c.decide().unwrap_or_else(|| eq.keeps(&c, &value)));
        self.memo.needs.insert(key, holds);
        holds
    }

    fn record(&mut self) {
        let out = self.found.end();
        out.push(usize::from(self.regs[0]) as u32);
        for place in &self.program.places {
            out.push(place.as_ref().map_or(UNBOUND, |p| usize::from(self.regs[p.reg]) as u32));
        }
        out.extend(self.types.iter().map(|t| t.map_or(UNBOUND, |t| t.0)));
        out.extend(self.nats.iter().map(|n| n.map_or(UNBOUND, |n| n.0)));
        out.extend(self.slots.iter().map(|s| encode_slot(*s)));
        out.extend(self.program.others.iter().map(|o| usize::from(self.regs[o.reg]) as u32));
        out.extend(self.program.asked.iter().map(|_| UNBOUND));
    }
}

/// Is this certainly not a size, whatever the program's sizes are?
fn is_no_size(n: &Nat) -> bool {
    n.is_poison() || SizeConstraint::of_size(n).iter().any(|c| c.decide() == Some(false))
}

/// Bindings as they were.
enum Saved<T> {
    Small([Option<T>; 4], usize),
    Large(Vec<Option<T>>),
}

impl<T: Copy> Saved<T> {
    fn of(now: &[Option<T>]) -> Saved<T> {
        if now.len() <= 4 {
            let mut small = [None; 4];
            small[..now.len()].copy_from_slice(now);
            Saved::Small(small, now.len())
        } else {
            Saved::Large(now.to_vec())
        }
    }
    fn restore(&self, to: &mut [Option<T>]) {
        match self {
            Saved::Small(small, len) => to.copy_from_slice(&small[..*len]),
            Saved::Large(all) => to.copy_from_slice(all),
        }
    }
}

impl Program {
    /// The size, for a match.
    pub fn size(&self, tables: &mut Tables, m: Match<'_>, n: NatPat, memo: &mut SizeMemo) -> Option<NatId> {
        match n {
            NatPat::Ground(n) => Some(n),
            NatPat::Var(i) => m.nat(self, i),
            NatPat::Size(size) => {
                let eq = &self.equation;
                let at = 1 + eq.vars.len() + eq.types.len();
                let key = (size, m.0[at..at + eq.nats.len()].to_vec());
                if let Some(known) = memo.values.get(&key) {
                    return *known;
                }
                let value = self.sizes[size].subst(&|v| match v {
                    NatVar::Meta(i) => Some(tables.nat_of(m.nat(self, *i as usize)?).clone()),
                    NatVar::Named(_) | NatVar::Worker(_) => None,
                });
                let id = if value.has_metas() || value.is_poison() { None } else { Some(tables.nat(&value)) };
                memo.values.insert(key, id);
                id
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_of_many_chunks_are_those_that_were_written() {
        let mut found = Matches { stride: 2, chunks: vec![] };
        let most = 2 * IN_CHUNK + 5;
        (0..most as u32).for_each(|n| found.end().extend([n / 2, 7]));
        assert_eq!((found.len(), found.chunks.len(), found.is_empty()), (most, 3, false));
        assert_eq!(found.get(most - 1).0, [(most as u32 - 1) / 2, 7]);
        // Each stands twice, but for those before the chunk that is tidied, and the last.
        found.tidy(IN_CHUNK);
        assert_eq!(found.len(), IN_CHUNK + IN_CHUNK / 2 + 3);
        assert!(found.iter().map(|m| m.0[0]).is_sorted());
        for len in [IN_CHUNK + 1, IN_CHUNK, 3, 0] {
            found.truncate(len);
            assert_eq!((found.len(), found.iter().count()), (len, len));
        }
        found.end().extend([1, 2]);
        assert_eq!(found.len(), 1);
    }
}
