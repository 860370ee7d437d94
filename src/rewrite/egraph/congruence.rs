//! Classes of equal nodes: hash-consing, union-find and congruence (Willsey et al. 2021), with a log of why.
//!
//! An id is a node as it was added. Its children are ids too, so an id is one term for ever, whatever becomes equal to
//! it. Ids that are equal form a class. Its members are the nodes that differ up to equal children; other ids of the
//! class are copies, which are there to be terms: the lightest one of a class, or both sides of a rule. Every union is
//! in the [`Log`], so that what was found can be derived (`rewrite::search::trail`).

use super::analysis::{Data, Typing};
use super::log::{Log, Reason};
use super::node::{Id, Kind, Node, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Of an id that represents its class: where the class is. Otherwise an id nearer to the one that does.
const ROOT: u32 = 1 << 31;
const NONE: u32 = u32::MAX;
/// Whether to leave the rest for later is asked after so many steps.
const ASKED_AFTER: usize = 4096;

/// What a class is, beside its members.
struct Class {
    /// The first and the last of its list of members.
    first: Id,
    last: Id,
    /// Ids, copies included.
    size: u32,
    /// Members of classes that have this one as a child; one may stand twice.
    parents: Vec<Id>,
    data: Data,
}

/// Bytes that a class takes.
pub const CLASS_BYTES: usize = std::mem::size_of::<Class>();
/// Bytes that an id takes in all lists together: the node, its class, the next member, and the log.
pub const ID_BYTES: usize = 16 + 4 + 4 + super::log::ID_BYTES;

#[derive(Default)]
pub struct EGraph {
    nodes: Vec<Node>,
    up: Vec<u32>,
    /// The next member of the class.
    next: Vec<u32>,
    /// Nodes with representatives as children, and copies as they are.
    memo: FxHashMap<Node, Id>,
    classes: Vec<Class>,
    /// Places in `classes` that are not used.
    unused: Vec<u32>,
    members: usize,
    by_op: FxHashMap<Op, Vec<Id>>,
    /// Members whose children may have changed their class, and those whose children know something new.
    pending: Vec<Id>,
    uninformed: Vec<Id>,
    /// Those of them that are told next, in rounds, each once: most children have lower numbers than what is around them. The next one
    /// stands last.
    round: Vec<Id>,
    /// Congruence is being restored.
    restoring: bool,
    /// Classes in which one node may stand twice.
    untidy: Vec<Id>,
    touched: Touched,
    /// A node was asked for and another one taken, which is the same up to equal children.
    pub took_another: bool,
    pub typing: Typing,
    pub log: Log,
}

/// What has changed: classes, in no order.
#[derive(Clone, Default, Debug)]
pub struct Touched {
    /// Those with new members.
    pub members: Vec<Id>,
    /// Those of which something new is known.
    pub data: Vec<Id>,
}

/// The members of a class, with representatives as children.
pub struct Nodes<'a> {
    graph: &'a EGraph,
    at: u32,
}

impl Iterator for Nodes<'_> {
    type Item = Node;
    #[inline]
    fn next(&mut self) -> Option<Node> {
        if self.at == NONE {
            return None;
        }
        let at = self.at as usize;
        self.at = self.graph.next[at];
        Some(self.graph.canonical(self.graph.nodes[at]))
    }
}

impl EGraph {
    /// The id that represents the class.
    #[inline]
    pub fn find(&self, id: Id) -> Id {
        let mut at = id.0;
        loop {
            let up = self.up[at as usize];
            if up & ROOT != 0 {
                return Id(at);
            }
            at = up;
        }
    }

    #[inline]
    fn class(&self, id: Id) -> &Class {
        let root = self.find(id);
        &self.classes[(self.up[root.0 as usize] & !ROOT) as usize]
    }
    #[inline]
    fn class_mut(&mut self, id: Id) -> &mut Class {
        let root = self.find(id);
        &mut self.classes[(self.up[root.0 as usize] & !ROOT) as usize]
    }

    #[inline]
    pub fn data(&self, id: Id) -> &Data {
        &self.class(id).data
    }
    /// The node as it was added.
    #[inline]
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id.0 as usize]
    }
    #[inline]
    pub fn members(&self, id: Id) -> Nodes<'_> {
        Nodes { graph: self, at: self.class(id).first.0 }
    }
    /// The members of a class, as ids.
    pub fn member_ids(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let next = |id: &Id| Some(self.next[id.0 as usize]).filter(|n| *n != NONE).map(Id);
        std::iter::successors(Some(self.class(id).first), next)
    }
    /// Members of classes that have this one as a child; one may come twice.
    #[inline]
    pub fn parents(&self, id: Id) -> &[Id] {
        &self.class(id).parents
    }
    /// Ids whose nodes have this operator; one class may come twice.
    pub fn with_op(&self, op: Op) -> &[Id] {
        self.by_op.get(&op).map_or(&[], Vec::as_slice)
    }
    /// The representatives of all classes, in their order.
    pub fn roots(&self) -> impl Iterator<Item = Id> + '_ {
        self.up.iter().enumerate().filter(|(_, up)| **up & ROOT != 0).map(|(i, _)| Id(i as u32))
    }
    pub fn class_count(&self) -> usize {
        self.classes.len() - self.unused.len()
    }
    /// The number of members of all classes; between a union and a rebuild some stand twice.
    pub fn member_count(&self) -> usize {
        self.members
    }
    pub fn entries(&self) -> usize {
        self.memo.len()
    }
    /// Members whose children have other representatives by now.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }
    #[inline]
    pub fn ids(&self) -> usize {
        self.nodes.len()
    }
    /// What has changed since this was last asked.
    pub fn take_touched(&mut self) -> Touched {
        std::mem::take(&mut self.touched)
    }

    /// The node with representatives as children.
    #[inline]
    pub fn canonical(&self, node: Node) -> Node {
        node.map_children(|c| self.find(c))
    }

    /// The class of a node, if it is there.
    #[inline]
    pub fn lookup(&self, node: Node) -> Option<Id> {
        self.memo.get(&self.canonical(node)).map(|id| self.find(*id))
    }

    /// Adds a node; where there is one up to equal children, that one.
    #[inline]
    pub fn add(&mut self, node: Node) -> Id {
        let key = self.canonical(node);
        // Between a union and a rebuild the very node may be there under the children that it had.
        let known =
            if key == node { None } else { self.memo.get(&node).filter(|id| self.node(**id) == node) };
        match known.or_else(|| self.memo.get(&key)) {
            Some(id) => {
                self.took_another |= self.node(*id) != node;
                *id
            }
            None => self.insert(key, node),
        }
    }

    /// Adds a node as it is.
    #[inline]
    pub fn add_exactly(&mut self, node: Node) -> Id {
        if let Some(id) = self.memo.get(&node).copied()
            && self.node(id) == node
        {
            return id;
        }
        let key = self.canonical(node);
        match self.memo.get(&key).copied() {
            Some(id) if self.node(id) == node => id,
            Some(id) => self.copy(node, id),
            None => self.insert(key, node),
        }
    }

    #[inline]
    fn new_id(&mut self, node: Node, up: u32) -> Id {
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node);
        self.up.push(up);
        self.next.push(NONE);
        self.log.new_id();
        id
    }

    fn insert(&mut self, key: Node, node: Node) -> Id {
        let slot = self.unused.pop().unwrap_or(self.classes.len() as u32);
        let id = self.new_id(node, ROOT | slot);
        let class = Class { first: id, last: id, size: 1, parents: vec![], data: Data::unknown(node.ty) };
        match self.classes.get_mut(slot as usize) {
            Some(unused) => *unused = class,
            None => self.classes.push(class),
        }
        self.memo.insert(key, id);
        self.by_op.entry(node.op).or_default().push(id);
        for child in node.children() {
            self.class_mut(*child).parents.push(id);
        }
        self.members += 1;
        let (data, lightest) = self.weighed(id);
        self.class_mut(id).data = self.with_term(id, data, lightest);
        self.touched.members.push(id);
        id
    }

    /// A node that has an equal one up to equal children, as a term of its own.
    fn copy(&mut self, node: Node, of: Id) -> Id {
        let root = self.find(of);
        let id = self.new_id(node, root.0);
        self.class_mut(root).size += 1;
        self.memo.insert(node, id);
        self.log.union(root, id, (of, id), Reason::Congruence);
        id
    }

    /// What is known of a class by one of its members, and the lightest term that the member stands for.
    fn weighed(&self, id: Id) -> (Data, Node) {
        let node = self.node(id);
        let of = |c: Id| self.data(c);
        match node.op.kind() {
            Kind::Var(i) => (Data::var(node.ty, i), node),
            Kind::Leaf(leaf) => (Data::leaf(node.ty, self.typing.weight(leaf)), node),
            Kind::Lam => {
                let body = of(node.children()[0]);
                (Data::lam(node.ty, body), node.map_children(|_| body.best().term))
            }
            Kind::App => {
                let [f, e] = [0, 1].map(|i| of(node.children()[i]));
                let mut terms = [f.head().term, e.best().term].into_iter();
                (Data::app(node.ty, f, e), node.map_children(|c| terms.next().unwrap_or(c)))
            }
        }
    }

    /// What a member says, with the id of its lightest term.
    #[inline]
    fn with_term(&mut self, id: Id, data: Data, lightest: Node) -> Data {
        let term = if lightest == self.node(id) { id } else { self.exactly_like(lightest, id) };
        data.with_term(term)
    }

    /// The id of a node that is known to be in a class.
    #[inline]
    fn exactly_like(&mut self, node: Node, of: Id) -> Id {
        match self.memo.get(&node).copied() {
            Some(id) if self.node(id) == node => id,
            _ => self.copy(node, of),
        }
    }

    /// Makes the classes of two ids one, for a reason that holds of these very terms. Says whether they were two.
    pub fn union(&mut self, left: Id, right: Id, reason: Reason) -> bool {
        let (mut a, mut b) = (self.find(left), self.find(right));
        if a == b {
            return false;
        }
        if self.class(a).size < self.class(b).size {
            std::mem::swap(&mut a, &mut b);
        }
        self.log.union(a, b, (left, right), reason);
        let slot = self.up[b.0 as usize] & !ROOT;
        self.up[b.0 as usize] = a.0;
        let nothing =
            Class { first: b, last: b, size: 0, parents: vec![], data: Data::unknown(self.node(b).ty) };
        let gone = std::mem::replace(&mut self.classes[slot as usize], nothing);
        self.unused.push(slot);
        self.pending.extend(&gone.parents);
        let kept = (self.up[a.0 as usize] & !ROOT) as usize;
        let (new_to_kept, new_to_gone) = self.classes[kept].data.merge(&gone.data, &mut self.typing);
        if new_to_kept {
            self.uninformed.extend(&self.classes[kept].parents);
        }
        if new_to_gone {
            self.uninformed.extend(&gone.parents);
        }
        let ids = self.nodes.len();
        let lists =
            [&mut self.pending, &mut self.uninformed, &mut self.touched.members, &mut self.touched.data];
        lists.into_iter().for_each(|list| keep_once(list, ids));
        let class = &mut self.classes[kept];
        self.next[class.last.0 as usize] = gone.first.0;
        class.last = gone.last;
        class.size += gone.size;
        class.parents.extend(gone.parents);
        self.touched.members.push(a);
        // Whatever they weigh: one of the two terms no longer stands for its class.
        self.touched.data.push(a);
        true
    }

    /// Restores congruence after unions. `over`, which is asked now and then, says whether to leave that for later, when it goes on
    /// where it was. With the number of classes that congruence merged, whether it is restored.
    pub fn rebuild_until(&mut self, over: &mut dyn FnMut(&EGraph) -> bool) -> (usize, bool) {
        let (mut unions, mut steps) = (0, 0_usize);
        self.restoring |= !self.pending.is_empty();
        let mut is_over = |graph: &EGraph| {
            steps += 1;
            steps.is_multiple_of(ASKED_AFTER) && over(graph)
        };
        while !self.pending.is_empty() || !self.round.is_empty() || !self.uninformed.is_empty() {
            while let Some(id) = self.pending.pop() {
                if is_over(self) {
                    self.pending.push(id);
                    return (unions, false);
                }
                let key = self.canonical(self.node(id));
                let Some(other) = self.memo.insert(key, id) else { continue };
                if other != id {
                    self.untidy.push(id);
                    unions += usize::from(self.union(other, id, Reason::Congruence));
                }
            }
            if self.round.is_empty() {
                std::mem::swap(&mut self.round, &mut self.uninformed);
                self.round.sort_unstable_by(|a, b| b.cmp(a));
                self.round.dedup();
            }
            while let Some(id) = self.round.pop() {
                if is_over(self) {
                    self.round.push(id);
                    return (unions, false);
                }
                let (mut news, lightest) = self.weighed(id);
                let slot = (self.up[self.find(id).0 as usize] & !ROOT) as usize;
                // Only what stands for its class needs an id.
                if news.is_lighter_than(&self.classes[slot].data) {
                    news = self.with_term(id, news, lightest);
                }
                if self.classes[slot].data.merge(&news, &mut self.typing).0 {
                    self.uninformed.extend(&self.classes[slot].parents);
                    self.touched.data.push(id);
                    let ids = self.nodes.len();
                    keep_once(&mut self.uninformed, ids);
                    keep_once(&mut self.touched.data, ids);
                }
            }
        }
        if std::mem::take(&mut self.restoring) {
            self.tidy();
            for i in 0..self.up.len() {
                if self.up[i] & ROOT == 0 {
                    self.up[i] = self.find(Id(i as u32)).0;
                }
            }
        }
        (unions, true)
    }

    /// Of members that are the same up to equal children keeps one.
    fn tidy(&mut self) {
        let mut untidy = std::mem::take(&mut self.untidy);
        untidy.iter_mut().for_each(|id| *id = self.find(*id));
        untidy.sort_unstable();
        untidy.dedup();
        let mut seen = FxHashSet::default();
        for class in untidy {
            seen.clear();
            let mut last = self.class(class).first;
            seen.insert(self.canonical(self.node(last)));
            let mut at = self.next[last.0 as usize];
            while at != NONE {
                let next = self.next[at as usize];
                if seen.insert(self.canonical(self.nodes[at as usize])) {
                    self.next[last.0 as usize] = at;
                    last = Id(at);
                } else {
                    self.members -= 1;
                }
                at = next;
            }
            self.next[last.0 as usize] = NONE;
            self.class_mut(class).last = last;
        }
    }

    /// What must hold after a rebuild, for tests.
    #[cfg(test)]
    pub fn check(&self) {
        let mut seen = FxHashMap::default();
        for root in self.roots() {
            for (id, node) in self.member_ids(root).zip(self.members(root)) {
                assert_eq!(self.find(id), root);
                assert_eq!(seen.insert(node, root), None, "{node:?}");
                assert_eq!(self.lookup(node), Some(root));
                for child in node.children() {
                    assert!(self.parents(*child).iter().any(|p| self.find(*p) == root));
                }
            }
            for best in [self.data(root).plain(), self.data(root).lambda()].into_iter().flatten() {
                assert_eq!(self.find(best.term), root);
            }
        }
        assert_eq!(seen.len(), self.member_count());
    }
}

/// The same ids are noted again and again: each is kept once where they are many more than there are ids.
fn keep_once(noted: &mut Vec<Id>, ids: usize) {
    if noted.len() > 2 * ids {
        noted.sort_unstable();
        noted.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::{LeafId, TypeId};
    use super::*;
    use egg::{Symbol, SymbolLang};
    use proptest::prelude::*;

    /// What is done to both graphs; ids are counted in the order in which terms came.
    #[derive(Clone, Debug)]
    enum Step {
        Leaf(u32),
        Var(u32),
        Lam(usize),
        App(usize, usize),
        Exactly(usize, usize),
        Union(usize, usize),
        Rebuild,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            2 => (0..4u32).prop_map(Step::Leaf),
            1 => (0..2u32).prop_map(Step::Var),
            2 => any::<usize>().prop_map(Step::Lam),
            6 => any::<(usize, usize)>().prop_map(|(f, e)| Step::App(f, e)),
            2 => any::<(usize, usize)>().prop_map(|(f, e)| Step::Exactly(f, e)),
            4 => any::<(usize, usize)>().prop_map(|(a, b)| Step::Union(a, b)),
            2 => Just(Step::Rebuild),
        ]
    }

    proptest! {
        /// After the same steps the same terms are equal here and in egg.
        #[test]
        fn the_classes_are_those_of_egg(steps in prop::collection::vec(step(), 1..120)) {
            let ty = TypeId(0);
            let mut ours = EGraph::default();
            let mut eggs: egg::EGraph<SymbolLang, ()> = egg::EGraph::default();
            let (mut terms, mut same) = (vec![ours.add(Node::leaf(LeafId(0), ty))], vec![]);
            same.push(eggs.add(SymbolLang::leaf("leaf0")));
            for step in steps {
                let of = |i: usize| i % terms.len();
                let added = match step {
                    Step::Leaf(k) => Some((Node::leaf(LeafId(k), ty), format!("leaf{k}"), vec![])),
                    Step::Var(k) => Some((Node::var(k, ty), format!("var{k}"), vec![])),
                    Step::Lam(b) => Some((Node::lam(terms[of(b)], ty), "lam".into(), vec![same[of(b)]])),
                    Step::App(f, e) | Step::Exactly(f, e) => {
                        let node = Node::app(terms[of(f)], terms[of(e)], ty);
                        Some((node, "app".to_owned(), vec![same[of(f)], same[of(e)]]))
                    }
                    Step::Union(a, b) => {
                        ours.union(terms[of(a)], terms[of(b)], Reason::Given);
                        eggs.union(same[of(a)], same[of(b)]);
                        None
                    }
                    Step::Rebuild => {
                        ours.rebuild_until(&mut |_| false);
                        eggs.rebuild();
                        ours.check();
                        None
                    }
                };
                if let Some((node, name, children)) = added {
                    // Between a union and a rebuild neither graph knows what congruence makes equal.
                    ours.rebuild_until(&mut |_| false);
                    eggs.rebuild();
                    let exactly = matches!(step, Step::Exactly(..));
                    terms.push(if exactly { ours.add_exactly(node) } else { ours.add(node) });
                    same.push(eggs.add(SymbolLang { op: Symbol::from(name), children }));
                }
            }
            ours.rebuild_until(&mut |_| false);
            eggs.rebuild();
            ours.check();
            for (a, b) in terms.iter().zip(&same) {
                for (c, d) in terms.iter().zip(&same) {
                    prop_assert_eq!(ours.find(*a) == ours.find(*c), eggs.find(*b) == eggs.find(*d));
                }
            }
            prop_assert_eq!(ours.class_count(), eggs.number_of_classes());
            prop_assert_eq!(ours.member_count(), eggs.total_number_of_nodes());
        }
    }
}
