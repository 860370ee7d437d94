//! Is a term in the set that a sketch describes? By definition, one case each (thesis section 5.3.2).
//!
//! A program satisfies a sketch only by what its value depends on: what nobody reads can be anything, so that it says
//! nothing of how the program computes.

use super::{ArgSketch, Shape, Sketch, holes, index};
use crate::egraph::MAX_NESTING;
use crate::lang::literal::Literal;
use crate::lang::needed::needed;
use crate::lang::term::{Arg, Expr, Prim, Term};
use rustc_hash::FxHashMap;

impl Sketch {
    /// Is the program in the set, and still is without what nobody reads?
    pub fn satisfied_by(&self, program: &Term) -> bool {
        self.describes_up_to(true, program) && {
            let needed = needed(program);
            needed == *program || self.describes_up_to(true, &needed)
        }
    }

    /// How many sub-terms of the term, itself included, are in the set; of a sketch with holes for sizes, with any size in their
    /// place.
    pub fn count_in(&self, term: &Term) -> usize {
        let (relaxed, mut matcher) = (self.filled(&[]), Matcher::default());
        term.with_stack(|| term.positions().iter().filter(|(_, part)| matcher.has(&relaxed, part, 0)).count())
    }

    /// Is the term in the set as it is written, for some sizes in the place of its holes?
    pub fn describes(&self, term: &Term) -> bool {
        self.describes_up_to(false, term)
    }

    /// Is the term in the set, or with functions in normal form that the sketch writes out?
    fn describes_up_to(&self, eta: bool, term: &Term) -> bool {
        let mut holds = |sketch: &Sketch| Matcher { eta, ..Matcher::default() }.has(sketch, term, 0);
        if self.holes().is_empty() {
            return holds(self);
        }
        let relaxed = holds(&self.filled(&[]));
        relaxed && !holes::solutions(self, &holes::sizes_in(term), 1, &mut holds).is_empty()
    }
}

/// Answers by sketch and term; shared sub-terms are asked once.
#[derive(Default)]
struct Matcher {
    memo: FxHashMap<(*const Shape, Term), bool>,
    /// Is a function that the sketch writes out met in normal form, too?
    eta: bool,
    /// What functions of the sketch are in normal form, each by its address.
    functions: FxHashMap<*const Shape, Option<Sketch>>,
}

impl Matcher {
    fn has(&mut self, sketch: &Sketch, term: &Term, depth: usize) -> bool {
        if depth > MAX_NESTING {
            return false;
        }
        // The sketch outlives the matcher, so that its parts keep their addresses.
        let key = (sketch.shape() as *const Shape, term.clone());
        if let Some(known) = self.memo.get(&key) {
            return *known;
        }
        let yes = match (sketch.shape(), term.expr()) {
            (Shape::Any, _) => true,
            (Shape::Var(i), Expr::Var(j)) => i == j,
            (Shape::Lam(s), Expr::Lam(_, body)) => self.has(s, body, depth + 1),
            (Shape::Lam(_), _) if self.eta => {
                let function = self.functions.entry(key.0).or_insert_with(|| sketch.eta_reduced()).clone();
                function.is_some_and(|function| self.has(&function, term, depth + 1))
            }
            (Shape::App(s, t), Expr::App(f, e)) => self.has(s, f, depth + 1) && self.has(t, e, depth + 1),
            (Shape::Pattern(p, args), Expr::Prim(prim)) => *p == prim.pattern && args_match(args, prim),
            (Shape::Number(n), Expr::Lit(l)) => n.is(l),
            (Shape::Pattern(..) | Shape::App(..), Expr::Lit(Literal::Index(i, n))) => {
                index::is_like(sketch, i, n)
            }
            (Shape::Contains(s), _) => {
                self.has(s, term, depth + 1)
                    || term.children().into_iter().any(|child| self.has(sketch, child, depth + 1))
            }
            (Shape::Or(all), _) => all.iter().any(|s| self.has(s, term, depth + 1)),
            (Shape::And(all), _) => all.iter().all(|s| self.has(s, term, depth + 1)),
            (Shape::Typed(s, t), _) => t.has(term.ty()) && self.has(s, term, depth + 1),
            (Shape::Sizes(c), _) => c.holds(),
            (Shape::Not(s), _) => !self.has(s, term, depth + 1),
            (Shape::Named(_, s), _) => self.has(s, term, depth + 1),
            _ => false,
        };
        self.memo.insert(key, yes);
        yes
    }
}

fn args_match(wanted: &[ArgSketch], prim: &Prim) -> bool {
    wanted.iter().zip(&prim.args).all(|(w, a)| match (w, a) {
        (ArgSketch::Any, _) => true,
        (ArgSketch::Nat(n), Arg::Nat(m)) => n.has(m),
        (ArgSketch::Fun(f), Arg::Fun(g)) => f == g,
        (ArgSketch::Addr(a), Arg::Addr(b)) => a == b,
        (ArgSketch::Dim(d), Arg::Dim(e)) => d == e,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::lang::build as b;
    use crate::lang::nat::{Name, Nat};
    use crate::lang::pattern::Pattern;
    use crate::lang::syntax::parse_sketch;
    use crate::lang::term::Term;
    use crate::lang::ty::Type;
    use crate::sketch::{Library, read};

    fn holds(text: &str, t: &Term) -> bool {
        let (tree, problems) = parse_sketch(crate::lang::diag::Span::NOWHERE.file, text);
        assert!(problems.is_empty(), "{problems:?}");
        let sizes: Vec<Name> = vec!["m".into(), "n".into()];
        read(&tree, &Library::builtin(), &sizes).unwrap().satisfied_by(t)
    }

    #[test]
    fn sketches_describe_terms() {
        let row = Type::array(Nat::var("n"), Type::f32());
        let matrix = Type::array(Nat::var("m"), row);
        // \a. map (\r. map (\x. x * 2 + x) r) a
        let t = b::lam("a", matrix, |a| {
            let scale = b::lam("x", Type::f32(), |x| b::add(b::mul(x.clone(), b::f32(2.0))?, x))?;
            let (_, row) = a.ty().as_array().map(|(n, r)| (n.clone(), r.clone())).unwrap();
            b::map(b::lam("r", row, |r| b::map(scale, r))?, a)
        })
        .unwrap();
        for yes in [
            "?",
            "contains(mul)",
            "containsMap(m, containsMap(n, ?))",
            "containsMap(m.n.f32, ?)",
            "containsMap(m, ?) and containsMap(n, ?)",
            "containsMap(32, ?) or contains(2 : f32)",
            "contains(mul ? 2) and contains(2f32)",
            r"contains(\x. x * 2 + x)",
            r"\a. map (\r. map ? r) a",
            "contains(mul + ?)".replace("mul + ?", "mul ? ? + ?").as_str(),
        ] {
            assert!(holds(yes, &t), "{yes}");
        }
        for no in [
            "map ? ?",
            "containsAddMul",
            "containsMap(n, containsMap(m, ?))",
            "containsMap(n, contains(map))",
            "contains(2i32)",
            "contains(reduce)",
            "containsMap(m, ?) and contains(reduce)",
            r"contains(\x. x + x * 2)",
        ] {
            assert!(!holds(no, &t), "{no}");
        }
        let t = b::lam("y", Type::f32(), |y| b::partial(Pattern::Add, vec![], vec![y], &[Type::f32()]));
        let t = t.unwrap();
        for yes in [r"\y x. y + x", r"\y. add y", r"\y x. ? + x", "?"] {
            assert!(holds(yes, &t), "{yes}");
        }
        let add = b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()]).unwrap();
        assert!(holds(r"\y x. y + x", &add) && holds(r"\y. add y", &add) && !holds(r"\y x. x + y", &add));
        for no in [r"\y x. x + y", r"\y x. x + x", r"\y x. ? x", r"\y x. add x", r"\y x. y * x"] {
            assert!(!holds(no, &t), "{no}");
        }
    }
}
