//! What a sketch rules out though it asks for it: `containsReduceSeq(k, ?) and not contains(reduceSeq)`.

use super::{ArgSketch, NatSketch, Shape, Sketch, TypeSketch};

impl Sketch {
    /// A part that has what another one rules out, and that one.
    pub fn opposed(&self) -> Option<(&Sketch, &Sketch)> {
        let all = self.conjuncts();
        let without = |s: &Sketch| if let Shape::Not(s) = s.bare().shape() { Some(s.clone()) } else { None };
        all.iter().find_map(|not| {
            let out = without(not)?;
            let with = all.iter().find(|s| s.implies(&out))?;
            Some((*with, *not))
        })
    }

    /// What holds of every program that is like the sketch.
    fn conjuncts(&self) -> Vec<&Sketch> {
        match self.bare().shape() {
            Shape::And(all) => all.iter().flat_map(Sketch::conjuncts).collect(),
            _ => vec![self],
        }
    }

    /// Is every term that is like this sketch evidently like the other one?
    fn implies(&self, other: &Sketch) -> bool {
        let (this, other) = (self.bare(), other.bare());
        if this == other {
            return true;
        }
        match other.shape() {
            Shape::Any => return true,
            Shape::Or(all) if all.iter().any(|s| this.implies(s)) => return true,
            Shape::And(all) => return all.iter().all(|s| this.implies(s)),
            Shape::Contains(s) if this.implies(s) => return true,
            _ => {}
        }
        match (this.shape(), other.shape()) {
            (Shape::Or(all), _) => !all.is_empty() && all.iter().all(|s| s.implies(other)),
            (Shape::And(all), _) if all.iter().any(|s| s.implies(other)) => true,
            // A part that has it is enough.
            (Shape::Lam(_) | Shape::App(..) | Shape::Contains(_), Shape::Contains(_)) => {
                this.children().iter().any(|s| s.implies(other))
            }
            (Shape::Typed(s, t), Shape::Typed(of, u)) => s.implies(of) && t.is_within(u),
            (Shape::Typed(s, _), _) => s.implies(other),
            (Shape::Pattern(p, args), Shape::Pattern(q, of)) => {
                p == q && of.iter().enumerate().all(|(i, b)| args.get(i).is_some_and(|a| a.is_within(b)))
            }
            (Shape::Lam(s), Shape::Lam(of)) => s.implies(of),
            (Shape::App(f, e), Shape::App(g, of)) => f.implies(g) && e.implies(of),
            _ => false,
        }
    }
}

impl ArgSketch {
    fn is_within(&self, other: &ArgSketch) -> bool {
        self == other || matches!(other, ArgSketch::Any | ArgSketch::Nat(NatSketch::Any))
    }
}

impl TypeSketch {
    fn is_within(&self, other: &TypeSketch) -> bool {
        use TypeSketch as T;
        let size = |n: &NatSketch, m: &NatSketch| n == m || *m == NatSketch::Any;
        match (self, other) {
            (_, T::Any) => true,
            (T::Index(n), T::Index(m)) => size(n, m),
            (T::Array(n, a), T::Array(m, b)) | (T::Vector(n, a), T::Vector(m, b)) => {
                size(n, m) && a.is_within(b)
            }
            (T::Pair(a, b), T::Pair(c, d)) | (T::Fun(a, b), T::Fun(c, d)) => a.is_within(c) && b.is_within(d),
            _ => self == other,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::FileId;
    use crate::lang::syntax::parse_sketch;
    use crate::sketch::{Library, read};

    #[test]
    fn what_is_asked_for_and_ruled_out_is_told() {
        let opposed = |text: &str| {
            let (tree, problems) = parse_sketch(FileId::NOWHERE, text);
            assert!(problems.is_empty(), "{text}: {problems:?}");
            let sketch = read(&tree, &Library::builtin(), &["n".into()]).unwrap();
            sketch.opposed().map(|(with, not)| format!("{with} / {not}"))
        };
        for text in [
            "containsReduceSeq(n, ?) and not contains(reduceSeq)",
            "not contains(reduceSeq) and containsMap(4, containsReduceSeq(n, ?))",
            "contains(split 4) and not contains(split)",
            "contains(split 4) and not contains(split 4)",
            "contains(map ? or map) and not contains(map)",
            "contains(sqrt) and contains(abs) and not contains(sqrt)",
            "contains((mapSeq : ? -> n.<4>f32 -> ?)) and not contains((mapSeq : ? -> n.? -> ?))",
            "contains(\\x. sqrt x) and not contains(sqrt)",
        ] {
            assert!(opposed(text).is_some(), "{text}");
        }
        for text in [
            "containsReduce(n, ?) and not contains(reduceSeq)",
            "contains(split 4) and not contains(split 8)",
            "contains(split) and not contains(split 8)",
            "(contains(map) or contains(mapSeq)) and not contains(map)",
            "contains((mapSeq : ? -> n.f32 -> ?)) and not contains((mapSeq : ? -> n.<4>f32 -> ?))",
            "contains(map ?) and not contains(sqrt)",
        ] {
            assert_eq!(opposed(text), None, "{text}");
        }
    }
}
