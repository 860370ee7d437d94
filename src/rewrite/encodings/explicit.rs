//! The rules that carry out explicit substitution step by step: of names as in the lambda calculus of egg's examples, of
//! indices as in the λs-calculus of Kamareddine and Ríos (thesis section 5.2.1).

use super::node::{Graph, Kind, Node};
use super::place::Builder;
use egg::{Id, Language};

/// A substitution or a shift of one member of a class.
#[derive(Clone, Debug)]
pub struct Step {
    pub class: Id,
    kind: Kind,
    value: Option<Id>,
    member: Node,
}

/// The steps that a class asks for.
pub fn steps(graph: &Graph, class: Id, out: &mut Vec<Step>) {
    for node in &graph[class].nodes {
        let value = match node.kind {
            Kind::Subst(_) => Some(node.children()[1]),
            Kind::Shift(..) => None,
            _ => continue,
        };
        for member in &graph[graph.find(node.children()[0])].nodes {
            if !matches!(member.kind, Kind::Subst(_) | Kind::Shift(..)) {
                out.push(Step { class, kind: node.kind, value, member: member.clone() });
            }
        }
    }
}

/// What a step makes; none where there is nothing that it could be.
pub fn result(builder: &mut Builder<'_>, step: &Step) -> Option<Id> {
    let part = |i: usize| step.member.children()[i];
    let below = |b: &mut Builder<'_>, kind: Kind, part: Id| match step.value {
        Some(value) => b.graph.add(Node::two(kind, part, value)),
        None => b.graph.add(Node::one(kind, part)),
    };
    let named = builder.graph.analysis.named;
    let new = match (step.member.kind, step.kind) {
        (Kind::Constant(_), _) => step.member.clone(),
        (Kind::App, _) => {
            let function = below(builder, step.kind, part(0));
            Node::two(Kind::App, function, below(builder, step.kind, part(1)))
        }
        (Kind::Var(x), Kind::Subst(name)) if named => {
            if x == name {
                return step.value;
            }
            step.member.clone()
        }
        (Kind::Var(i), Kind::Subst(at)) if i == at => {
            let value = step.value?;
            if at == 0 {
                return Some(value);
            }
            Node::one(Kind::Shift(at as i32, 0), value)
        }
        (Kind::Var(i), Kind::Subst(at)) => Node::leaf(Kind::Var(if i > at { i - 1 } else { i })),
        (Kind::Var(i), Kind::Shift(by, cutoff)) => {
            Node::leaf(Kind::Var(if i < cutoff { i } else { i.checked_add_signed(by)? }))
        }
        (Kind::Lam(x), Kind::Subst(name)) if named => {
            if x == name {
                step.member.clone()
            } else {
                let other = builder.uncaptured(step.class, x, part(0), &[(name, step.value?)]);
                let body = if other == x {
                    part(0)
                } else {
                    let variable = builder.graph.add(Node::leaf(Kind::Var(other)));
                    builder.graph.add(Node::two(Kind::Subst(x), part(0), variable))
                };
                Node::one(Kind::Lam(other), below(builder, step.kind, body))
            }
        }
        (Kind::Lam(x), Kind::Subst(at)) => {
            Node::one(Kind::Lam(x), below(builder, Kind::Subst(at + 1), part(0)))
        }
        (Kind::Lam(x), Kind::Shift(by, cutoff)) => {
            Node::one(Kind::Lam(x), below(builder, Kind::Shift(by, cutoff + 1), part(0)))
        }
        _ => return None,
    };
    Some(builder.graph.add(new))
}
