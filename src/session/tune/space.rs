//! The space of a tuning: what a strategy leaves open, with the values that each part may have.

use super::tree::{Open, Tree};
use crate::device::{Choice, Flag, Settings};
use crate::lang::diag::{Charset, Diagnostic};
use crate::lang::eval::inputs::Rng;
use crate::lang::nat::Name;
use crate::lang::syntax::ast::Strategy;
use crate::lang::syntax::print::{self, Options};
use crate::rewrite::strategy::Script;
use crate::rewrite::strategy::open::{self, Domain, Parameter};
use crate::session::action::Sizes;

/// A point: of each dimension which value, counted from 0.
pub type Point = Vec<u64>;

/// What a dimension decides.
pub enum Decides {
    /// What a strategy leaves open.
    Open(Parameter),
    /// Whether kernels are compiled with this flag.
    Flag(&'static Flag),
    /// How many threads there are.
    Threads,
}

/// Something that is left open, with its values in order.
pub struct Dimension {
    pub decides: Decides,
    /// Of each pair all numbers from the one to the other.
    ranges: Vec<(i64, i64)>,
    /// Of many values the numbers of those that divide a size or are powers of two, in order: few others fit.
    likely: Vec<u64>,
}

/// Of so many values none is likelier than others.
const FEW: u64 = 16;

impl Dimension {
    /// The number of values.
    pub fn values(&self) -> u64 {
        self.ranges.iter().map(|(a, b)| b.abs_diff(*a).saturating_add(1)).fold(0, u64::saturating_add)
    }

    /// The value of this number.
    pub fn value(&self, index: u64) -> i64 {
        let mut left = index;
        for (from, to) in &self.ranges {
            let len = to.abs_diff(*from).saturating_add(1);
            if left < len {
                return from.saturating_add_unsigned(left);
            }
            left -= len;
        }
        self.ranges.last().map_or(1, |(_, to)| *to)
    }

    fn index(&self, value: i64) -> Option<u64> {
        let mut before = 0;
        for (from, to) in &self.ranges {
            if (*from..=*to).contains(&value) {
                return Some(before + value.abs_diff(*from));
            }
            before += to.abs_diff(*from).saturating_add(1);
        }
        None
    }

    /// The numbers of the values that are likely to fit; empty where all are as likely.
    pub fn likely(&self) -> &[u64] {
        &self.likely
    }

    /// Is it a strategy that leaves this open, and not the device?
    pub fn is_open(&self) -> bool {
        matches!(self.decides, Decides::Open(_))
    }

    /// Is one of several strategies taken?
    fn is_choice(&self) -> bool {
        matches!(&self.decides, Decides::Open(parameter) if matches!(parameter.domain, Domain::Ways(_)))
    }

    /// Do its values lie in no order?
    pub fn is_way(&self) -> bool {
        self.is_choice() || matches!(self.decides, Decides::Flag(_))
    }

    /// What is decided, as it is shown.
    pub fn name(&self) -> Name {
        match &self.decides {
            Decides::Open(parameter) => parameter.name.clone(),
            Decides::Flag(flag) => flag.name.into(),
            Decides::Threads => "threads".into(),
        }
    }

    /// A value as it is shown: a number, the strategy that is taken, or whether a flag is.
    pub fn shown(&self, index: u64) -> String {
        let value = self.value(index);
        match &self.decides {
            Decides::Open(Parameter { domain: Domain::Ways(ways), .. }) => {
                let way = usize::try_from(value - 1).ok().and_then(|i| ways.get(i));
                way.map_or(value.to_string(), line)
            }
            Decides::Flag(_) => if value == 0 { "no" } else { "yes" }.to_owned(),
            _ => value.to_string(),
        }
    }
}

/// A strategy on one line.
fn line(s: &Strategy) -> String {
    print::strategy(s, &Options { charset: Charset::Ascii, width: usize::MAX })
}

/// All points.
pub struct Space {
    /// The strategy with names for all that it leaves open.
    pub strategy: Strategy,
    /// The part of the device's name by which it is chosen, and what is not left open for it.
    device: String,
    settings: Settings,
    pub dimensions: Vec<Dimension>,
    /// Where tuning starts.
    start: Point,
    /// The points that differ, or of too many alternatives all points.
    tree: Tree,
    is_counted: bool,
}

impl Space {
    /// Reads what a strategy leaves open, and what is left open for a device. Values that are not given are those that divide
    /// one of the sizes.
    ///
    /// # Errors
    /// `E0314`: what is written is no space. `E0316`: nothing is left open, or there is no size to divide.
    pub fn read(
        strategy: &Strategy,
        script: &Script,
        sizes: &Sizes,
        device: Choice<'_>,
    ) -> Result<Space, Diagnostic> {
        let parameters = open::parameters(strategy, script).map_err(|problem| *problem)?;
        if parameters.is_empty() && device.open.is_empty() && device.threads.is_empty() {
            let problem = Diagnostic::error("E0316", "This strategy leaves nothing open.");
            return Err(problem.hint(
                "Write `?` for a size that is to be chosen, `?tile in {4, 8, 16}` for one of these, and \
                 `choose(s, t)` for one of two strategies.",
            ));
        }
        let divisors = divisors(sizes);
        let dimension = |parameter: Parameter| {
            let ranges = match &parameter.domain {
                Domain::Sizes(Some(ranges)) => apart(ranges),
                Domain::Sizes(None) => divisors.iter().map(|d| (*d, *d)).collect(),
                Domain::Ways(ways) => vec![(1, ways.len() as i64)],
            };
            if ranges.is_empty() {
                let message =
                    format!("`?{}` has no values: the program has no size to divide.", parameter.name);
                return Err(Diagnostic::error("E0316", message)
                    .label(parameter.span, "left open")
                    .hint(format!("Write them: `?{} in {{4, 8, 16}}`.", parameter.name)));
            }
            let mut dimension = Dimension { decides: Decides::Open(parameter), ranges, likely: vec![] };
            if dimension.values() > FEW {
                let powers = (0..63).map(|i| 1_i64 << i);
                let likely = divisors.iter().copied().chain(powers).filter_map(|v| dimension.index(v));
                dimension.likely = likely.collect();
                dimension.likely.sort_unstable();
                dimension.likely.dedup();
            }
            Ok(dimension)
        };
        let mut dimensions = parameters.into_iter().map(dimension).collect::<Result<Vec<_>, _>>()?;
        let beside = |decides, ranges| Dimension { decides, ranges, likely: vec![] };
        dimensions.extend(device.open.iter().map(|flag| beside(Decides::Flag(flag), vec![(0, 1)])));
        if !device.threads.is_empty() {
            let numbers = device.threads.iter().map(|n| (i64::from(*n), i64::from(*n))).collect();
            dimensions.push(beside(Decides::Threads, numbers));
        }
        let (device, settings) = (device.name.to_owned(), device.settings);
        let start = start(&dimensions);
        let open = opened(&dimensions);
        let tree = Tree::of(&open);
        let is_counted = tree.is_some();
        let tree = tree.unwrap_or_else(|| Tree::flat(&open));
        Ok(Space { strategy: strategy.clone(), device, settings, dimensions, start, tree, is_counted })
    }

    /// The number of points that differ, or where they are not [counted](Self::is_counted) no less; of more than 2^128 this
    /// number less one.
    pub fn count(&self) -> u128 {
        self.tree.count()
    }

    /// Is it known how many points differ? Of very many alternatives within each other it is not.
    pub fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// All points that differ.
    pub fn list(&self) -> Vec<Point> {
        self.tree.list(&self.start)
    }

    /// Any point, each as likely as another.
    pub fn draw(&self, rng: &mut Rng) -> Point {
        let mut point = self.start.clone();
        self.tree.draw(rng, &mut point);
        self.canonical(&point)
    }

    /// Does this dimension decide anything at a point? What is left open within an alternative does where that is taken.
    fn is_met(&self, dimension: usize, point: &Point) -> bool {
        let Decides::Open(parameter) = &self.dimensions[dimension].decides else { return true };
        parameter.is_met(&|name| {
            let named = |d: &Dimension| matches!(&d.decides, Decides::Open(p) if p.name == *name);
            let at = self.dimensions.iter().position(named)?;
            Some(self.dimensions[at].value(*point.get(at)?))
        })
    }

    /// The dimensions of the alternatives within which this one stands.
    pub fn around(&self, dimension: usize) -> Vec<usize> {
        let Decides::Open(parameter) = &self.dimensions[dimension].decides else { return vec![] };
        let names = || parameter.places().iter().flatten().map(|(name, _)| name);
        let is_around =
            |d: &Dimension| matches!(&d.decides, Decides::Open(p) if names().any(|n| *n == p.name));
        (0..self.dimensions.len()).filter(|d| is_around(&self.dimensions[*d])).collect()
    }

    /// The dimensions of alternatives that decide something at a point.
    pub fn choices(&self, point: &Point) -> impl Iterator<Item = usize> {
        (0..self.dimensions.len()).filter(|d| self.dimensions[*d].is_choice() && self.is_met(*d, point))
    }

    /// The same point, with values to start from in the place of those that decide nothing: of points that are the same in all
    /// but these one is tried.
    pub fn canonical(&self, point: &Point) -> Point {
        let value = |(d, at): (usize, &u64)| if self.is_met(d, point) { *at } else { self.start[d] };
        point.iter().enumerate().map(value).collect()
    }

    /// Where tuning starts.
    pub fn start(&self) -> Point {
        self.start.clone()
    }

    /// The strategy of a point: its values stand for what was left open.
    pub fn strategy_at(&self, point: &Point) -> Strategy {
        let mut values: Vec<(&Parameter, i64)> = vec![];
        for (k, (d, i)) in self.dimensions.iter().zip(point).enumerate() {
            if let Decides::Open(parameter) = &d.decides
                && self.is_met(k, point)
            {
                values.push((parameter, d.value(*i)));
            }
        }
        open::with_values(&self.strategy, &values)
    }

    /// The text by which the device of a point is chosen, with how kernels are compiled and run on it.
    pub fn device_at(&self, point: &Point) -> String {
        let mut settings = self.settings.clone();
        for (d, i) in self.dimensions.iter().zip(point) {
            match &d.decides {
                Decides::Flag(flag) if d.value(*i) == 1 => settings.flags.push(flag.name.to_owned()),
                Decides::Threads => settings.threads = u32::try_from(d.value(*i)).ok(),
                _ => {}
            }
        }
        settings.on(&self.device)
    }

    /// The strategy of a point as text.
    pub fn text_at(&self, point: &Point) -> String {
        line(&self.strategy_at(point))
    }

    /// The values of a point that decide anything, by their names.
    pub fn values_at(&self, point: &Point) -> Vec<(Name, String)> {
        let met = (0..self.dimensions.len()).filter(|d| self.is_met(*d, point));
        met.map(|d| (self.dimensions[d].name(), self.dimensions[d].shown(point[d]))).collect()
    }
}

/// Where each dimension is met.
fn opened(dimensions: &[Dimension]) -> Vec<Open> {
    let taken = |(name, value): &(Name, i64)| {
        let named = |d: &Dimension| matches!(&d.decides, Decides::Open(p) if p.name == *name);
        let at = dimensions.iter().position(named)?;
        Some((at, dimensions[at].index(*value)?))
    };
    let open = |d: &Dimension| {
        let places = match &d.decides {
            // A place is not met where what leads there cannot be taken.
            Decides::Open(p) => {
                p.places().iter().filter_map(|ways| ways.iter().map(taken).collect()).collect()
            }
            Decides::Flag(_) | Decides::Threads => vec![vec![]],
        };
        Open { values: d.values(), places }
    };
    dimensions.iter().map(open).collect()
}

/// Where tuning starts: from the values that parameters have anyway, else the first that are listed; of values that follow
/// from the sizes from the one next to 16. Flags are not taken, and threads are as many as may be.
fn start(dimensions: &[Dimension]) -> Point {
    let start = |d: &Dimension| {
        let parameter = match &d.decides {
            Decides::Open(parameter) => parameter,
            Decides::Flag(_) => return 0,
            Decides::Threads => return d.values().saturating_sub(1),
        };
        let usual = parameter.usual.and_then(|value| d.index(value));
        usual.unwrap_or_else(|| match parameter.domain {
            Domain::Sizes(None) => {
                (0..d.values()).min_by_key(|i| d.value(*i).abs_diff(16)).unwrap_or_default()
            }
            _ => 0,
        })
    };
    dimensions.iter().map(start).collect()
}

/// The same numbers, none of them twice, in their order.
fn apart(ranges: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut out: Vec<(i64, i64)> = vec![];
    for range in ranges {
        // What is left of this one when the ones before are taken out.
        let mut left = vec![*range];
        for (from, to) in &out {
            left = left
                .into_iter()
                .flat_map(|(a, b)| {
                    let below = (a, b.min(from.saturating_sub(1)));
                    let above = (a.max(to.saturating_add(1)), b);
                    if b < *from || *to < a { vec![(a, b)] } else { vec![below, above] }
                })
                .filter(|(a, b)| a <= b)
                .collect();
        }
        out.extend(left);
    }
    out
}

/// What divides one of the sizes, in order.
fn divisors(sizes: &Sizes) -> Vec<i64> {
    let mut all = vec![];
    for size in sizes.values() {
        let root = size.isqrt();
        // A size of this many digits has no use for more: 2^20 numbers are looked at.
        for d in (1..=root.min(1 << 20)).filter(|d| size % d == 0) {
            all.extend([d, size / d]);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
