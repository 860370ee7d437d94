//! The bounds of a search, and `with (nodes: 200000, time: 60s, memory: 1GiB, normal: BENF)`.

use super::StopPoint;
use super::cost::Cost;
use crate::egraph::Filter;
use crate::lang::diag::Diagnostic;
use crate::lang::eval::Sizes;
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use crate::lang::syntax::ast::{Ident, Number, Op, Strategy, StrategyKind};
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
    /// Which of the programs that satisfy the sketch it takes, by what they cost: 1 is the cheapest.
    pub rank: usize,
    /// Which rules are held back, and when.
    pub held: Vec<Held>,
    /// Start and end in beta-eta normal form.
    pub normal: bool,
    /// In the end it takes views away that cancel out: no other search goes on from what it finds (`views: kept` where one does).
    pub clears: bool,
    /// Values that sizes were given: programs that these do not fit come last.
    pub sizes: Sizes,
    /// Repeats a search that was stopped here.
    pub stop_at: Option<StopPoint>,
}

/// A rule that a search uses for a while only: `freeze: [mapFission(3)]`, `cap: [mapFission(2000)]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Its name, whatever its arguments.
    pub rule: Name,
    pub when: When,
}

/// When a rule is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// After so many iterations.
    Iterations(usize),
    /// Once so many of its matches have been applied.
    Matches(usize),
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
            rank: 1,
            held: vec![],
            normal: true,
            clears: true,
            sizes: Sizes::new(),
            stop_at: None,
        }
    }
}

/// So many programs are asked for at most.
pub const MOST_BEST: usize = 1000;

/// The names of the options.
pub const OPTIONS: [&str; 13] = [
    "nodes",
    "iterations",
    "time",
    "memory",
    "dims",
    "size",
    "normal",
    "cost",
    "best",
    "rank",
    "freeze",
    "cap",
    "views",
];

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
        for (i, (name, value)) in options.iter().enumerate() {
            if let Some((first, _)) = options[..i].iter().find(|(first, _)| first.kind == name.kind) {
                return Err(Diagnostic::error("E0412", format!("The option `{}` stands twice.", name.kind))
                    .label(name.span, "again")
                    .label(first.span, "first here")
                    .hint("Remove one of them."));
            }
            budget.set(name, value, names)?;
        }
        Ok(budget)
    }

    /// So many programs have to satisfy the sketch before it ends of itself.
    pub fn wanted(&self) -> usize {
        self.best.max(self.rank).max(1)
    }

    /// Are all that is held back among these rules, which the search can use? `stands_for` is the rule that has a name besides its own.
    ///
    /// # Errors
    /// `E0412` for a rule that it cannot use.
    pub fn check_held(
        &self,
        rules: &[&str],
        stands_for: &dyn Fn(&str) -> Option<Name>,
    ) -> Result<(), Diagnostic> {
        let Some(Held { rule, .. }) = self.held.iter().find(|h| !rules.contains(&&*h.rule)) else {
            return Ok(());
        };
        let problem = Diagnostic::error("E0412", format!("This search does not use the rule `{rule}`."));
        let note = "`freeze` and `cap` take the names of rules without their arguments.";
        Err(match stands_for(rule).filter(|own| rules.contains(&&**own)) {
            Some(own) => {
                problem.note(note).hint(format!("`{rule}` stands for `{own}` with arguments: write `{own}`."))
            }
            None => problem.did_you_mean(rule, rules.iter().copied()).note(note),
        })
    }

    fn set<'a>(&mut self, name: &Ident, value: &'a Strategy, names: Names<'a>) -> Result<(), Diagnostic> {
        let wrong = |wanted: &str| {
            Diagnostic::error("E0412", format!("The option `{}` takes {wanted}.", name.kind))
                .label(value.span, "not this")
        };
        let number = if let StrategyKind::Number(n) = &value.kind { Some(n) } else { None };
        let whole =
            |value: &Strategy| size(value, names.size)?.as_constant().and_then(|n| u64::try_from(n).ok());
        let given = || whole(value);
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
            "best" => {
                let wanted = format!("a number of programs from 1 to {MOST_BEST}, as in `best: 10`");
                self.best = count(&wanted)?;
                if self.best > MOST_BEST {
                    return Err(wrong(&wanted));
                }
            }
            "rank" => {
                let wanted = format!(
                    "the number of a program among those that are found, the cheapest first, from 1 to {MOST_BEST}, as in `rank: 3`"
                );
                self.rank = count(&wanted)?;
                if self.rank > MOST_BEST {
                    return Err(wrong(&wanted));
                }
            }
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
            "cost" => self.cost = Cost::read(value, names.pattern, names.strategy, &whole)?,
            "freeze" => self.held.extend(held(value, &whole, When::Iterations).ok_or_else(|| {
                wrong("rules with the number of iterations, at least one, after which each is left out, as in `freeze: [mapFission(3)]`")
            })?),
            "cap" => self.held.extend(held(value, &whole, When::Matches).ok_or_else(|| {
                wrong("rules with how many matches of each, at least one, are applied at most, as in `cap: [mapFission(2000)]`")
            })?),
            "normal" => match &value.kind {
                StrategyKind::Name(n) if &**n == "BENF" => self.normal = true,
                StrategyKind::Name(n) if &**n == "none" => self.normal = false,
                _ => return Err(wrong("a normal form: `BENF` or `none`")),
            },
            "views" => match &value.kind {
                StrategyKind::Name(n) if &**n == "cleared" => self.clears = true,
                StrategyKind::Name(n) if &**n == "kept" => self.clears = false,
                _ => return Err(wrong("what becomes of views that cancel out: `cleared` or `kept`")),
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

/// What holds rules back, as options of a search.
pub fn held_as_options<'a>(held: impl Iterator<Item = &'a Held>) -> Vec<String> {
    let (mut freeze, mut cap) = (vec![], vec![]);
    for Held { rule, when } in held {
        match when {
            When::Iterations(n) => freeze.push(format!("{rule}({n})")),
            When::Matches(n) => cap.push(format!("{rule}({n})")),
        }
    }
    let both = [("freeze", freeze), ("cap", cap)].into_iter().filter(|(_, rules)| !rules.is_empty());
    both.map(|(name, rules)| format!("{name}: [{}]", rules.join(", "))).collect()
}

/// A list of rules, each with a number from 1 upwards, which is read by `number`.
fn held(
    value: &Strategy,
    number: &dyn Fn(&Strategy) -> Option<u64>,
    when: fn(usize) -> When,
) -> Option<Vec<Held>> {
    let StrategyKind::List(list) = &value.kind else { return None };
    let one = |entry: &Strategy| {
        let StrategyKind::Call(rule, args) = &entry.kind else { return None };
        let [n] = &args[..] else { return None };
        let n = number(n).and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0)?;
        Some(Held { rule: rule.kind.clone(), when: when(n) })
    };
    list.iter().map(one).collect()
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
        let Budget { cost, held, .. } = options("cost: [map(2 * n)], freeze: [mapFission(n)]").unwrap();
        assert_eq!(cost, Cost::Table([(Pattern::Map, 1000)].into()));
        assert_eq!(held[0].when, When::Iterations(500));
        let held = options("freeze: [mapFission(3)], cap: [mapFusion(20), splitJoin(5)]").unwrap().held;
        let held: Vec<_> = held.iter().map(|h| (&*h.rule, h.when)).collect();
        let (after, most) = (When::Iterations(3), When::Matches(20));
        assert_eq!(held, [("mapFission", after), ("mapFusion", most), ("splitJoin", When::Matches(5))]);
        let wanted = |text| options(text).unwrap().wanted();
        assert_eq!((b.wanted(), wanted("best: 8, rank: 3"), wanted("rank: 3")), (1, 8, 3));
        assert!(b.normal && !options("normal: none").unwrap().normal);
        let clears = |text| options(text).unwrap().clears;
        assert!(b.clears && clears("views: cleared") && !clears("views: kept"));
        for wrong in [
            "node: 3",
            "nodes: 0",
            "nodes: many",
            "time: 5GiB",
            "memory: 3",
            "normal: CNF",
            "views: none",
            "size: 1.5",
            "cost: 3",
            "cost: cheap",
            "cost: [map]",
            "cost: [map(0)]",
            "cost: [mapp(2)]",
            "freeze: mapFission",
            "freeze: [mapFission]",
            "freeze: [mapFission(0)]",
            "cap: [mapFission(2, 3)]",
            "cap: 7",
            "nodes: n / 1000",
            "rank: 0",
            "rank: first",
            "rank: 1001",
            "best: 1001",
            "nodes: 5, time: 3s, nodes: 7",
        ] {
            let d = options(wrong).unwrap_err();
            assert_eq!(d.code, "E0412", "{wrong}");
        }
    }
}
