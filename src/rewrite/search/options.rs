//! The bounds of a search, and `with (nodes: 200000, time: 60s, memory: 1GiB, normal: BENF)`.

use super::StopPoint;
use super::cost::Cost;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::syntax::ast::{Ident, Number, Op, Strategy, StrategyKind};
use crate::rewrite::egraph::Filter;
use std::time::Duration;

/// When to give up, and what not to build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Budget {
    pub nodes: usize,
    pub iterations: usize,
    pub time: Duration,
    /// Of the whole process, in bytes.
    pub memory: u64,
    pub filter: Filter,
    /// By what it chooses.
    pub cost: Cost,
    /// It goes on until so many programs satisfy the sketch, within its bounds.
    pub best: usize,
    /// Start and end in beta-eta normal form.
    pub normal: bool,
    /// Repeats a search that was stopped here.
    pub stop_at: Option<StopPoint>,
}

/// 2 million nodes, a minute, 1 GiB; arrays of at most six dimensions, as the thesis's searches have it.
impl Default for Budget {
    fn default() -> Budget {
        Budget {
            nodes: 2_000_000,
            iterations: 60,
            time: Duration::from_secs(60),
            memory: 1 << 30,
            filter: Filter { dims: 6, ..Filter::default() },
            cost: Cost::Size,
            best: 1,
            normal: true,
            stop_at: None,
        }
    }
}

/// So many programs are asked for at most.
pub const MOST_BEST: usize = 1000;

/// The names of the options.
pub const OPTIONS: [&str; 9] =
    ["nodes", "iterations", "time", "memory", "dims", "size", "normal", "cost", "best"];

/// What the names in options mean.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// A size that a parameter stands for.
    pub size: &'a dyn Fn(&str) -> Option<Nat>,
    pub pattern: &'a dyn Fn(&str) -> Option<Pattern>,
    /// What a strategy without parameters is defined as.
    pub strategy: &'a dyn Fn(&str) -> Option<&'a Strategy>,
}

impl Budget {
    /// The default, changed by what a strategy says.
    ///
    /// # Errors
    /// An option that there is not, or a value that it cannot have.
    pub fn read<'a>(options: &'a [(Ident, Strategy)], names: Names<'a>) -> Result<Budget, Diagnostic> {
        let mut budget = Budget::default();
        for (name, value) in options {
            budget.set(name, value, names)?;
        }
        Ok(budget)
    }

    fn set<'a>(&mut self, name: &Ident, value: &'a Strategy, names: Names<'a>) -> Result<(), Diagnostic> {
        let wrong = |wanted: &str| {
            Diagnostic::error("E0412", format!("The option `{}` takes {wanted}.", name.kind))
                .label(value.span, "not this")
        };
        let number = if let StrategyKind::Number(n) = &value.kind { Some(n) } else { None };
        let given = || size(value, names.size)?.as_constant().and_then(|n| u64::try_from(n).ok());
        let count = |wanted: &str| {
            let n = number.map_or_else(given, plain).filter(|n| *n > 0);
            n.and_then(|n| usize::try_from(n).ok()).ok_or_else(|| {
                wrong(wanted).note(
                    "A parameter can stand for it, as in `strategy search(n) = reach … with (nodes: n)`.",
                )
            })
        };
        match &*name.kind {
            "nodes" => self.nodes = count("a number of e-nodes above 0, as in `nodes: 200000`")?,
            "iterations" => self.iterations = count("a number above 0, as in `iterations: 30`")?,
            "best" => self.best = count("a number of programs above 0, as in `best: 10`")?.min(MOST_BEST),
            "dims" => {
                let n = count("a number of array dimensions above 0, as in `dims: 6`")?;
                self.filter.dims = u8::try_from(n).unwrap_or(u8::MAX);
            }
            "size" => {
                let n = count("a size of terms above 0, as in `size: 300`")?;
                self.filter.size = u32::try_from(n).unwrap_or(u32::MAX).min(Filter::default().size);
            }
            "time" => {
                let whole = || given().filter(|s| (1..1 << 40).contains(s)).map(Duration::from_secs);
                let seconds = number.map_or_else(whole, seconds);
                self.time = seconds.ok_or_else(|| wrong("seconds, as in `time: 60s`"))?;
            }
            "memory" => {
                let bytes = number.and_then(bytes);
                self.memory = bytes.ok_or_else(|| wrong("an amount of memory, as in `memory: 2GiB`"))?;
            }
            "cost" => self.cost = Cost::read(value, names.pattern, names.strategy)?,
            "normal" => match &value.kind {
                StrategyKind::Name(n) if &**n == "BENF" => self.normal = true,
                StrategyKind::Name(n) if &**n == "none" => self.normal = false,
                _ => return Err(wrong("a normal form: `BENF` or `none`")),
            },
            other => {
                return Err(Diagnostic::error("E0412", format!("A search has no option `{other}`."))
                    .label(name.span, "not an option")
                    .did_you_mean(other, OPTIONS)
                    .note(format!("The options are {}.", OPTIONS.join(", "))));
            }
        }
        Ok(())
    }
}

/// A size that is made of numbers and parameters.
fn size(value: &Strategy, known: &dyn Fn(&str) -> Option<Nat>) -> Option<Nat> {
    match &value.kind {
        StrategyKind::Number(n) => Some(Nat::constant(i64::try_from(plain(n)?).ok()?)),
        StrategyKind::Name(name) => known(name),
        StrategyKind::Infix(first, rest) => rest.iter().try_fold(size(first, known)?, |n, (op, m)| {
            let m = size(m, known)?;
            Some(match op {
                Op::Add => n.add(&m),
                Op::Sub => n.sub(&m),
                Op::Mul => n.mul(&m),
                Op::Div => n.floor_div(&m),
                _ => return None,
            })
        }),
        _ => None,
    }
}

/// A whole number without a unit.
fn plain(n: &Number) -> Option<u64> {
    if n.suffix.is_some() { None } else { n.digits.parse().ok() }
}

fn scaled(n: &Number, units: &[(&str, f64)], default: Option<f64>) -> Option<f64> {
    let factor = match &n.suffix {
        None => default?,
        Some(s) => units.iter().find(|(u, _)| *u == &**s)?.1,
    };
    let value = n.digits.parse::<f64>().ok()? * factor;
    (value > 0.0 && value < 1e15).then_some(value)
}

fn seconds(n: &Number) -> Option<Duration> {
    let units = [("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0)];
    scaled(n, &units, Some(1.0)).map(Duration::from_secs_f64)
}

fn bytes(n: &Number) -> Option<u64> {
    let units = [
        ("KiB", 1024.0),
        ("MiB", 1048576.0),
        ("GiB", 1073741824.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("B", 1.0),
    ];
    scaled(n, &units, None).map(|b| b as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::Span;
    use crate::lang::syntax::parse_strategy;

    fn options(text: &str) -> Result<Budget, Diagnostic> {
        let text = format!("reach ? using r with ({text})");
        let (tree, problems) = parse_strategy(Span::NOWHERE.file, &text);
        assert!(problems.is_empty(), "{problems:?}");
        let StrategyKind::Reach(reach) = &tree.kind else { panic!("{tree:?}") };
        let names = Names {
            size: &|name| (name == "n").then(|| Nat::constant(500)),
            pattern: &|name| crate::lang::declared::Patterns::default().find(name),
            strategy: &|_| None,
        };
        Budget::read(&reach.options, names)
    }

    #[test]
    fn options_change_the_bounds() {
        let b = options(
            "nodes: 200000, time: 90s, memory: 2GiB, dims: 4, size: 300, iterations: 7, normal: BENF",
        )
        .unwrap();
        assert_eq!((b.nodes, b.iterations, b.memory), (200_000, 7, 2 << 30));
        assert_eq!((b.time, b.filter), (Duration::from_secs(90), Filter { dims: 4, size: 300 }));
        assert_eq!(options("nodes: 2 * n, time: n").unwrap().nodes, 1000);
        let cost = options("cost: [mapPar(3), map(7)]").unwrap().cost;
        assert_eq!(cost, Cost::Table([(Pattern::MapPar, 3), (Pattern::Map, 7)].into()));
        assert_eq!(options("cost: size").unwrap().cost, Cost::Size);
        assert!(b.normal && !options("normal: none").unwrap().normal);
        for wrong in [
            "node: 3",
            "nodes: 0",
            "nodes: many",
            "time: 5GiB",
            "memory: 3",
            "normal: CNF",
            "size: 1.5",
            "cost: 3",
            "cost: cheap",
            "cost: [map]",
            "cost: [map(0)]",
            "cost: [mapp(2)]",
            "nodes: n / 1000",
        ] {
            let d = options(wrong).unwrap_err();
            assert_eq!(d.code, "E0412", "{wrong}");
        }
    }
}
