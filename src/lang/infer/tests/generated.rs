//! Programs made at random to be well typed: they must infer to the type that they were made for.

use super::good;
use crate::print;
use proptest::prelude::*;

/// The types that programs are made of.
#[derive(Clone, PartialEq, Debug)]
enum Ty {
    F32,
    Pair(Box<Ty>, Box<Ty>),
    /// The length as text, and as one that the text may have instead.
    Array(&'static str, Box<Ty>),
}

impl Ty {
    fn text(&self) -> String {
        match self {
            Ty::F32 => "f32".into(),
            Ty::Pair(a, b) => format!("({} * {})", a.text(), b.text()),
            Ty::Array(n, t) => format!("({n}).{}", t.text()),
        }
    }
}

fn array(n: &'static str, t: Ty) -> Ty {
    Ty::Array(n, Box::new(t))
}

/// Makes expressions out of a list of random numbers.
struct Maker {
    entropy: Vec<u32>,
    at: usize,
    names: usize,
    scope: Vec<(String, Ty)>,
}

impl Maker {
    fn pick(&mut self, below: usize) -> usize {
        self.at += 1;
        self.entropy.get(self.at).map_or(0, |e| *e as usize % below)
    }

    fn small_type(&mut self) -> Ty {
        match self.pick(4) {
            0 => Ty::Pair(Box::new(Ty::F32), Box::new(Ty::F32)),
            1 => array("m", Ty::F32),
            _ => Ty::F32,
        }
    }

    fn function(&mut self, from: Ty, to: &Ty, fuel: usize) -> String {
        self.names += 1;
        let name = format!("x{}", self.names);
        self.scope.push((name.clone(), from));
        let body = self.make(to, fuel);
        self.scope.pop();
        format!("(\\{name}. {body})")
    }

    /// A closed expression of the type, in brackets where needed.
    fn make(&mut self, ty: &Ty, fuel: usize) -> String {
        let known: Vec<String> = self.scope.iter().filter(|(_, t)| t == ty).map(|(n, _)| n.clone()).collect();
        if fuel == 0 || self.pick(5) == 0 {
            if !known.is_empty() {
                let i = self.pick(known.len());
                return known[i].clone();
            }
            return match ty {
                Ty::F32 => ["0", "1.5", "(-2)", "c"][self.pick(4)].to_string(),
                Ty::Pair(a, b) => format!("({}, {})", self.make(a, 0), self.make(b, 0)),
                Ty::Array(n, t) => {
                    let element = self.make(t, 0);
                    let elements = |n| format!("[{}]", vec![element.clone(); n].join(", "));
                    match *n {
                        "3" => elements(3),
                        "4" => elements(4),
                        "n" => format!("(map (\\_. {element}) a)"),
                        "4*n" => format!("(map (\\_. {element}) d)"),
                        "n + 2" => format!("(map (\\_. {element}) e)"),
                        _ => format!("(map (\\_. {element}) (idx (natAsIndex n 0) b))"),
                    }
                }
            };
        }
        let fuel = fuel - 1;
        match self.pick(6) {
            0 => {
                let from = self.small_type();
                let f = self.function(from.clone(), ty, fuel);
                format!("({f} {})", self.make(&from, fuel))
            }
            1 => {
                let from = self.small_type();
                let value = self.make(&from, fuel);
                self.names += 1;
                let name = format!("v{}", self.names);
                self.scope.push((name.clone(), from));
                let body = self.make(ty, fuel);
                self.scope.pop();
                format!("(let {name} = {value} in {body})")
            }
            2 => {
                let other = self.small_type();
                let (a, b) = (self.make(ty, fuel), self.make(&other, fuel));
                if self.pick(2) == 0 { format!("(fst ({a}, {b}))") } else { format!("(({b}, {a}) |> snd)") }
            }
            3 => format!(
                "(select ({} > {}) {} {})",
                self.make(&Ty::F32, fuel),
                self.make(&Ty::F32, fuel),
                self.make(ty, fuel),
                self.make(ty, fuel)
            ),
            _ => match ty {
                Ty::F32 => match self.pick(4) {
                    0 => {
                        let n = ["n", "m", "4*n"][self.pick(3)];
                        format!("(reduce (+) 0 {})", self.make(&array(n, Ty::F32), fuel))
                    }
                    1 => format!("(-{})", self.make(ty, fuel)),
                    2 => format!("({} |> sqrt |> (\\y. y * 2))", self.make(ty, fuel)),
                    _ => format!(
                        "({} {} {})",
                        self.make(ty, fuel),
                        ["+", "*", "-"][self.pick(3)],
                        self.make(ty, fuel)
                    ),
                },
                Ty::Pair(a, b) => format!("({}, {})", self.make(a, fuel), self.make(b, fuel)),
                Ty::Array(n, t) => self.make_array(n, t, fuel),
            },
        }
    }

    fn make_array(&mut self, n: &'static str, t: &Ty, fuel: usize) -> String {
        let from = self.small_type();
        match (n, t, self.pick(5)) {
            (_, Ty::Pair(a, b), 0 | 1) => {
                let (a, b) = (array(n, (**a).clone()), array(n, (**b).clone()));
                format!("(zip {} {})", self.make(&a, fuel), self.make(&b, fuel))
            }
            ("4*n", _, 0) => {
                format!("(join {})", self.make(&array("n", array("4", t.clone())), fuel))
            }
            ("n", Ty::Array("4", t), 0) => {
                format!("(split 4 {})", self.make(&array("4*n", (**t).clone()), fuel))
            }
            ("n", Ty::Array("3", t), 0) => {
                format!("({} |> slide 3 1)", self.make(&array("n + 2", (**t).clone()), fuel))
            }
            (_, Ty::Array(m, t), 1) => {
                format!("(transpose {})", self.make(&array(m, array(n, (**t).clone())), fuel))
            }
            ("n", _, 2) if *t == Ty::F32 => {
                let windows = array("n", array("3", Ty::F32));
                format!("({} |> map (reduce (+) 0))", self.make(&windows, fuel))
            }
            (_, _, 3) => {
                let f = self.function(from.clone(), t, fuel);
                format!("({} |> map {f})", self.make(&array(n, from), fuel))
            }
            (_, _, 4) => {
                let (f, g) = (self.function(from.clone(), t, fuel), self.function(t.clone(), t, fuel));
                format!("({} |> (map {f} >> map {g}))", self.make(&array(n, from), fuel))
            }
            _ => {
                let f = self.function(from.clone(), t, fuel);
                format!("(map {f} {})", self.make(&array(n, from), fuel))
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn well_typed_programs_have_their_type(entropy in prop::collection::vec(any::<u32>(), 20..200), which in 0usize..6) {
        let scope = vec![
            ("a".to_string(), array("n", Ty::F32)),
            ("b".to_string(), array("n", array("m", Ty::F32))),
            ("c".to_string(), Ty::F32),
            ("d".to_string(), array("4*n", Ty::F32)),
            ("e".to_string(), array("n + 2", Ty::F32)),
        ];
        let params: String = scope.iter().map(|(n, t)| format!(" ({n}: {})", t.text())).collect();
        let mut maker = Maker { entropy, at: 0, names: 0, scope };
        let ty = match which {
            0 => Ty::F32,
            1 => array("n", array("m", Ty::F32)),
            2 => array("n", array("4", Ty::F32)),
            3 => array("n", Ty::Pair(Box::new(Ty::F32), Box::new(array("m", Ty::F32)))),
            4 => array("n", array("3", Ty::F32)),
            _ => array("4*n", Ty::F32),
        };
        let body = maker.make(&ty, 5);
        let written = good(&format!("def f{params}: {} = {body}\n", ty.text()));
        // The type follows from the body alone, and from the text that the printer makes of the term.
        let inferred = good(&format!("def f{params} = {body}\n"));
        prop_assert_eq!(&written.term, &inferred.term);
        let text = print::program(&written.name, &written.sizes, &written.term, &print::Options::default()).text;
        prop_assert_eq!(&good(&text).term, &written.term, "{}", text);
    }
}
