//! The ways that a sketch leaves of what it asks for: `f(a or b)` is `f(a)` or `f(b)`.

use super::{Shape, Sketch};

impl Sketch {
    /// Sketches without `or` of which whatever satisfies one satisfies this; where these are more than `most`, this alone. What is ruled
    /// out stays as it is.
    pub fn ways(&self, most: usize) -> Vec<Sketch> {
        let ways = self.each_way(most);
        if ways.len() > most { vec![self.clone()] } else { ways }
    }

    /// More than `most` may not be all.
    fn each_way(&self, most: usize) -> Vec<Sketch> {
        let of = |s: &Sketch, to: &dyn Fn(Sketch) -> Sketch| s.each_way(most).into_iter().map(to).collect();
        match self.shape() {
            Shape::Or(all) => all.iter().flat_map(|s| s.each_way(most)).take(most + 1).collect(),
            Shape::And(all) => {
                let together = |ways: Vec<Vec<Sketch>>, s: &Sketch| {
                    let own = s.each_way(most);
                    let with = |way: &Vec<Sketch>| {
                        let way = way.clone();
                        own.iter()
                            .map(move |s| way.iter().chain([s]).cloned().collect::<Vec<_>>())
                            .collect::<Vec<_>>()
                    };
                    ways.iter().flat_map(with).take(most + 1).collect()
                };
                let ways = all.iter().fold(vec![vec![]], together);
                ways.into_iter().map(|way| Sketch::new(Shape::And(way))).collect()
            }
            Shape::App(f, e) => {
                let arguments = e.each_way(most);
                let with = |f: Sketch| {
                    arguments.iter().map(|e| Sketch::app(f.clone(), e.clone())).collect::<Vec<_>>()
                };
                f.each_way(most).into_iter().flat_map(with).take(most + 1).collect()
            }
            Shape::Lam(s) => of(s, &|s| Sketch::new(Shape::Lam(s))),
            Shape::Contains(s) => of(s, &Sketch::contains),
            Shape::Typed(s, t) => of(s, &|s| Sketch::typed(s, t.clone())),
            Shape::Named(label, s) => of(s, &|s| Sketch::new(Shape::Named(label.clone(), s))),
            Shape::Any
            | Shape::Var(_)
            | Shape::Pattern(..)
            | Shape::Number(_)
            | Shape::Not(_)
            | Shape::Sizes(_) => vec![self.clone()],
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::diag::FileId;
    use crate::lang::syntax::parse_sketch;
    use crate::sketch::{Library, read};

    #[test]
    fn each_choice_is_taken() {
        let ways = |text: &str, most: usize| -> Vec<String> {
            let (tree, problems) = parse_sketch(FileId::NOWHERE, text);
            assert!(problems.is_empty(), "{text}: {problems:?}");
            let sketch = read(&tree, &Library::builtin(), &["n".into()]).unwrap();
            sketch.ways(most).iter().map(ToString::to_string).collect()
        };
        assert_eq!(ways("contains(abs or neg)", 4), ["contains(abs)", "contains(neg)"]);
        let both = "(abs or neg) and (contains(sqrt) or (not contains(sin)))";
        let each = [
            "abs and contains(sqrt)",
            "abs and (not contains(sin))",
            "neg and contains(sqrt)",
            "neg and (not contains(sin))",
        ];
        assert_eq!(ways(both, 4), each);
        assert_eq!(ways(both, 3), [both]);
    }
}
