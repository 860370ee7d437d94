//! Vectors of halves that are read ahead stay halves until they are used.
//!
//! A load that converts is waited for where it stands, and then nothing is gained by reading before the numbers are needed.
//! So a variable that takes over what a later iteration uses keeps the bits, and whoever uses it converts them: on an H100
//! a product of matrices of halves then takes as long as one of floats, where it took a quarter longer.

use crate::syntax::{Expr, Stmt, What};
use std::collections::BTreeMap;

/// What happens to a variable that holds a vector of floats.
#[derive(Default)]
struct Uses {
    lanes: String,
    /// Loads of halves that it is given.
    loads: usize,
    /// As many of these as are not in its declaration.
    assigned: usize,
    /// Uses of the whole vector as a value.
    reads: usize,
    /// All mentions of its name outside of its declaration.
    mentions: usize,
}

impl Uses {
    /// Is it given halves alone, at several places, so that some are used in another iteration than they are loaded in?
    fn is_read_ahead(&self) -> bool {
        self.loads > 1 && self.reads > 0 && self.mentions == self.assigned + self.reads
    }
}

type Variables = BTreeMap<String, Uses>;

/// Lets variables that are read ahead keep halves as bits.
pub fn keep_bits(body: &mut [Stmt]) {
    let mut all = Variables::new();
    body.iter().for_each(|s| declared(s, &mut all));
    if all.is_empty() {
        return;
    }
    body.iter().for_each(|s| count(s, &mut all));
    all.retain(|_, uses| uses.is_read_ahead());
    body.iter_mut().for_each(|s| rewrite(s, &all));
}

fn declared(s: &Stmt, all: &mut Variables) {
    if let What::Declare { ty, name, len: None, init } = &s.what
        && let Some(lanes) = ty.strip_prefix("float").filter(|n| n.parse::<u8>().is_ok())
        && init.as_ref().is_none_or(|e| bits(e, lanes).is_some())
    {
        let loads = usize::from(init.is_some());
        all.insert(name.clone(), Uses { lanes: lanes.to_owned(), loads, ..Uses::default() });
    }
    s.bodies().into_iter().flatten().for_each(|s| declared(s, all));
}

fn count(s: &Stmt, all: &mut Variables) {
    if let What::Assign { to: Expr::Name(x), op: "=", value } = &s.what
        && let Some(uses) = all.get_mut(x)
        && bits(value, &uses.lanes).is_some()
    {
        uses.loads += 1;
        uses.assigned += 1;
    }
    read_as_value(s, &mut |x| {
        if let Some(uses) = all.get_mut(x) {
            uses.reads += 1;
        }
    });
    s.for_each_own_expr(&mut |e| {
        e.for_each(&mut |e| {
            if let Expr::Name(x) = e
                && let Some(uses) = all.get_mut(x)
            {
                uses.mentions += 1;
            }
        });
    });
    s.bodies().into_iter().flatten().for_each(|s| count(s, all));
}

/// Names whose value the statement itself stores: `to = x;`, `vstore4(x, 0, to);`
fn read_as_value(s: &Stmt, f: &mut dyn FnMut(&String)) {
    match &s.what {
        What::Assign { value: Expr::Name(x), .. } => f(x),
        What::Expr(Expr::Call(g, args)) if g.starts_with("vstore") => {
            if let Some(Expr::Name(x)) = args.first() {
                f(x);
            }
        }
        _ => {}
    }
}

/// The load of the bits, where this is one of so many halves.
fn bits(load: &Expr, lanes: &str) -> Option<Expr> {
    let Expr::Call(f, args) = load else { return None };
    let [at, from] = args.as_slice() else { return None };
    match f.strip_suffix(lanes)? {
        "vloada_half" => {
            let vectors = from.clone().cast(&format!("global const ushort{lanes}*"));
            Some(vectors.index(at.clone()))
        }
        "vload_half" => {
            let cells = from.clone().cast("global const ushort*");
            Some(Expr::call(&format!("vload{lanes}"), vec![at.clone(), cells]))
        }
        _ => None,
    }
}

/// The floats that a variable's bits are.
fn floats(x: &str, lanes: &str) -> Expr {
    let address = Expr::Unary("&", Box::new(Expr::name(x))).cast("const half*");
    Expr::call(&format!("vload_half{lanes}"), vec![Expr::int(0), address])
}

fn rewrite(s: &mut Stmt, all: &Variables) {
    match &mut s.what {
        What::Declare { ty, name, init, .. } if let Some(uses) = all.get(name) => {
            *ty = format!("ushort{}", uses.lanes);
            *init = init.take().and_then(|e| bits(&e, &uses.lanes));
        }
        What::Assign { to: Expr::Name(x), value, .. } if let Some(uses) = all.get(x) => {
            if let Some(load) = bits(value, &uses.lanes) {
                *value = load;
            }
        }
        What::For { body, .. } | What::Block(body) => body.iter_mut().for_each(|s| rewrite(s, all)),
        What::If { then, otherwise, .. } => {
            then.iter_mut().chain(otherwise).for_each(|s| rewrite(s, all));
        }
        _ => s.replace(&mut |e| match e {
            Expr::Name(x) => all.get(x).map(|uses| floats(x, &uses.lanes)),
            _ => None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::origin::Origin;
    use crate::syntax::Lines;

    fn stmt(what: What) -> Stmt {
        Stmt { what, origin: Origin::default() }
    }

    fn assign(to: Expr, value: Expr) -> Stmt {
        stmt(What::Assign { to, op: "=", value })
    }

    fn declare(name: &str, init: Option<Expr>) -> Stmt {
        stmt(What::Declare { ty: "float4".into(), name: name.into(), len: None, init })
    }

    fn loop_over(body: Vec<Stmt>) -> Stmt {
        stmt(What::For {
            pragma: None,
            ty: "int".into(),
            var: "i".into(),
            init: Expr::int(0),
            end: Expr::int(9),
            step: Expr::int(1),
            body,
        })
    }

    fn aligned(at: &str) -> Expr {
        Expr::call("vloada_half4", vec![Expr::name(at), Expr::name("a")])
    }

    #[test]
    fn what_is_read_ahead_keeps_its_bits() {
        let cell = Expr::Unary("&", Box::new(Expr::name("b").index(Expr::name("i"))));
        let unaligned = Expr::call("vload_half4", vec![Expr::int(0), cell]);
        let mut body = vec![
            declare("t", Some(aligned("k"))),
            loop_over(vec![assign(Expr::name("to"), Expr::name("t")), assign(Expr::name("t"), unaligned)]),
        ];
        keep_bits(&mut body);
        let mut lines = Lines::default();
        lines.print(&body, 0);
        let expected = "ushort4 t = ((global const ushort4*)a)[k];\n\
                        for (int i = 0; i < 9; i++) {\n  to = vload_half4(0, (const half*)&t);\n  \
                        t = vload4(0, (global const ushort*)&b[i]);\n}\n";
        assert_eq!(lines.text, expected);
    }

    #[test]
    fn what_is_used_at_once_or_in_parts_is_converted_as_it_is_loaded() {
        let used = |value: Expr| {
            vec![
                declare("t", Some(aligned("k"))),
                loop_over(vec![assign(Expr::name("to"), value), assign(Expr::name("t"), aligned("i"))]),
            ]
        };
        let at_once = vec![loop_over(vec![
            declare("t", Some(aligned("i"))),
            assign(Expr::name("to"), Expr::name("t")),
        ])];
        let mut computed = used(Expr::name("t"));
        computed.push(assign(Expr::name("t"), Expr::call("sqrt", vec![Expr::name("u")])));
        let parts = used(Expr::Member(Box::new(Expr::name("t")), "s0".into()));
        for body in [at_once, computed, parts] {
            let mut kept = body.clone();
            keep_bits(&mut kept);
            assert_eq!(kept, body);
        }
    }
}
