//! Where everything is: from the size of the terminal and the focus to rectangles.
//!
//! Pure. What must hold at every size: rectangles lie within the area and do not overlap, and the focused pane is
//! among those shown unless the terminal is too small for any.

use ratatui::layout::Rect;

use super::splits::{Columns, Split, Splits};

/// The panes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pane {
    /// The typed term.
    Term,
    /// The loop nest it stands for.
    Loops,
    /// The rules that apply.
    Rules,
    /// The e-graph while a search grows.
    Search,
    /// The generated code.
    Kernel,
    /// Measured times.
    Bench,
    /// The tree of states.
    History,
    /// The best programs of a search, measured.
    Best,
    /// A sketch of what was pointed at.
    Sketch,
    /// What runs, and the messages.
    Jobs,
}

impl Pane {
    /// Every pane, in the order of the keys that jump to them.
    pub const ALL: [Pane; 10] = [
        Pane::Term,
        Pane::Loops,
        Pane::Rules,
        Pane::Search,
        Pane::Kernel,
        Pane::Bench,
        Pane::History,
        Pane::Best,
        Pane::Sketch,
        Pane::Jobs,
    ];

    /// The pane `by` places further in the order, around the ends.
    pub fn cycle(self, by: isize) -> Pane {
        let count = Pane::ALL.len() as isize;
        Pane::ALL[(self as isize + by).rem_euclid(count) as usize]
    }
}

/// The panes that share a place on a wide terminal.
const TOP: &[Pane] = &[Pane::Rules, Pane::Search, Pane::History, Pane::Best, Pane::Sketch];
const BOTTOM: &[Pane] = &[Pane::Kernel, Pane::Bench, Pane::Jobs];
/// The panes that share a place on a middling one.
const LEFT: &[Pane] = ORDER.split_at(2).0;
const RIGHT: &[Pane] = ORDER.split_at(2).1;
const ORDER: &[Pane] = &Pane::ALL;

/// The smallest terminal with three columns, with two of two places each, with two places, and at all: columns and rows.
pub const WIDEST: (u16, u16) = (180, 30);
/// See [`WIDEST`].
pub const WIDE: (u16, u16) = (120, 30);
/// See [`WIDEST`].
pub const MIDDLING: (u16, u16) = (80, 24);
/// See [`WIDEST`].
pub const LEAST: (u16, u16) = (50, 15);

/// Whether the pane that has the keys is shown alone.
pub fn is_alone(size: (u16, u16), focus: Focus) -> bool {
    focus.zoomed || size.0 < MIDDLING.0 || size.1 < MIDDLING.1
}

/// A place on the screen: the pane shown, and those that could be shown there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Where, with its frame.
    pub area: Rect,
    /// Which pane.
    pub pane: Pane,
    /// The tabs of its frame.
    pub tabs: &'static [Pane],
}

/// A border between panes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub split: Split,
    pub columns: Columns,
    /// The first column or row behind it.
    pub at: u16,
    /// What it divides.
    pub column: Rect,
}

/// Which pane has the keys, and which were shown last where several share a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Focus {
    /// The pane that has the keys.
    pub pane: Pane,
    /// Whether it is shown alone.
    pub zoomed: bool,
    /// Where borders were moved to.
    pub splits: Splits,
    left: Pane,
    right: Pane,
    top: Pane,
    bottom: Pane,
}

impl Default for Focus {
    fn default() -> Self {
        Focus {
            pane: Pane::Term,
            zoomed: false,
            splits: Splits::default(),
            left: Pane::Term,
            right: Pane::Rules,
            top: Pane::Rules,
            bottom: Pane::Kernel,
        }
    }
}

impl Focus {
    /// As at the beginning, with borders that were moved.
    pub fn with(splits: Splits) -> Focus {
        Focus { splits, ..Focus::default() }
    }

    /// Gives the keys to a pane.
    pub fn go(&mut self, pane: Pane) {
        self.show(pane);
        self.pane = pane;
    }

    /// Shows a pane where it shares a place, without giving it the keys.
    pub fn show(&mut self, pane: Pane) {
        for (slot, group) in [
            (&mut self.left, LEFT),
            (&mut self.right, RIGHT),
            (&mut self.top, TOP),
            (&mut self.bottom, BOTTOM),
        ] {
            if group.contains(&pane) {
                *slot = pane;
            }
        }
    }
}

/// The whole screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Too small for any pane.
    TooSmall,
    /// The panes and the two lines below them.
    Panes {
        /// The panes, left to right, top to bottom.
        places: Vec<Place>,
        /// The borders between them that can be moved.
        edges: Vec<Edge>,
        /// One line: the state of things.
        status: Rect,
        /// One line: what can be pressed.
        hints: Rect,
    },
}

/// How much room each pane has something to show in, by [`Pane::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wishes {
    pub rows: [usize; Pane::ALL.len()],
    /// How many of these are there for what may be said, and are done without where the content of another pane has no room.
    pub spare: [usize; Pane::ALL.len()],
    /// The longest line; 0 where that is not known.
    pub columns: [usize; Pane::ALL.len()],
}

/// Lays out the screen. Panes above each other divide the rows as they need them. Of three columns the first leaves to code what it
/// does not need; all others depend on the size alone.
pub fn layout(area: Rect, focus: Focus, wishes: &Wishes) -> Layout {
    let fits = |size: (u16, u16)| area.width >= size.0 && area.height >= size.1;
    if !fits(LEAST) {
        return Layout::TooSmall;
    }
    let (body, foot) = split_rows(area, area.height - 2);
    let (status, hints) = split_rows(foot, 1);
    let place = |area, pane, tabs| Place { area, pane, tabs };
    // Frames take two rows.
    let wish = |pane: Pane| wishes.rows[pane as usize].saturating_add(2);
    // What the program is stands on the left, from the term to its code; what can become of it on the right.
    let mut edges: Vec<Edge> = vec![];
    let stacked =
        |column: Rect, columns: Columns, panes: &[(Pane, &'static [Pane], u16)], edges: &mut Vec<Edge>| {
            let all: usize = panes.iter().fold(0, |all, (pane, ..)| all.saturating_add(wish(*pane)));
            let spare = |pane: Pane| {
                if all > usize::from(column.height) { wishes.spare[pane as usize] } else { 0 }
            };
            let want = |pane: Pane| wish(pane).saturating_sub(spare(pane));
            let wants: Vec<(usize, u16)> =
                panes.iter().map(|(pane, _, usual)| (want(*pane), *usual)).collect();
            let mut rest = column;
            let mut places = vec![];
            let (all, mut usual) = (u16::try_from(panes.len()).unwrap_or(0), 0);
            for (i, ((pane, tabs, _), rows)) in panes.iter().zip(shares(column.height, &wants)).enumerate() {
                let (split, after) = (Split::Row(i), all.saturating_sub(1 + u16::try_from(i).unwrap_or(0)));
                usual += rows;
                let moved = focus.splits.get(columns, split).map(|part| thousandths(part, column.height));
                let begin = rest.y - column.y;
                let least = begin + LEAST_ROWS.min(rest.height);
                let most = column.height.saturating_sub(after * LEAST_ROWS).max(least);
                let end = if after == 0 { column.height } else { moved.unwrap_or(usual).clamp(least, most) };
                let (area, below) = split_rows(rest, end - begin);
                places.push(place(area, *pane, *tabs));
                if after > 0 {
                    edges.push(Edge { split, columns, at: below.y, column });
                }
                rest = below;
            }
            places
        };
    // The first column of what is behind a border between columns.
    let mut beside = |columns: Columns, number: usize, usual: u16, least: u16, most: u16| {
        let split = Split::Column(number);
        let moved = focus.splits.get(columns, split).map(|part| thousandths(part, body.width));
        let at = moved.unwrap_or(usual).clamp(least, most.max(least));
        edges.push(Edge { split, columns, at: body.x + at, column: body });
        at
    };
    let (term, loops) = ((Pane::Term, &LEFT[..1]), (Pane::Loops, &LEFT[1..]));
    let places = if is_alone((area.width, area.height), focus) {
        vec![place(body, focus.pane, &Pane::ALL)]
    } else if !fits(WIDE) {
        let at = beside(Columns::Two, 0, body.width / 2, LEAST_COLUMNS, body.width - LEAST_COLUMNS);
        let (left, right) = split_columns(body, at);
        vec![place(left, focus.left, LEFT), place(right, focus.right, RIGHT)]
    } else if !fits(WIDEST) {
        let usual = body.width * 11 / 20;
        let at = beside(Columns::Stacked, 0, usual, LEAST_COLUMNS, body.width - LEAST_COLUMNS);
        let (left, right) = split_columns(body, at);
        let panes = [(term.0, term.1, 2), (loops.0, loops.1, 2), (focus.bottom, BOTTOM, 3)];
        let mut places = stacked(left, Columns::Stacked, &panes, &mut edges);
        places.push(place(right, focus.top, TOP));
        places
    } else {
        let usual_first = body.width * 3 / 8;
        let usual_middle = (body.width - usual_first) / 2;
        let needs = |pane: Pane| {
            let columns = wishes.columns[pane as usize];
            u16::try_from(columns.saturating_add(2)).ok().filter(|_| columns > 0)
        };
        let kept = needs(Pane::Term).into_iter().chain(needs(Pane::Loops)).max().unwrap_or(usual_first);
        let missing = needs(focus.bottom).unwrap_or(0).saturating_sub(usual_middle);
        let left = usual_first.saturating_sub(kept.max(body.width * 3 / 10)).min(missing);
        let first =
            beside(Columns::Three, 0, usual_first - left, LEAST_COLUMNS, body.width - 2 * LEAST_COLUMNS);
        let usual = match focus.splits.get(Columns::Three, Split::Column(0)) {
            Some(_) => first + (body.width - first) / 2,
            None => usual_first + usual_middle,
        };
        let second = beside(Columns::Three, 1, usual, first + LEAST_COLUMNS, body.width - LEAST_COLUMNS);
        let (left, rest) = split_columns(body, first);
        let (middle, right) = split_columns(rest, second - first);
        let panes = [(term.0, term.1, 3), (loops.0, loops.1, 2)];
        let mut places = stacked(left, Columns::Three, &panes, &mut edges);
        places.extend([place(middle, focus.bottom, BOTTOM), place(right, focus.top, TOP)]);
        places
    };
    Layout::Panes { places, edges, status, hints }
}

/// The inside of a framed area.
pub fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
    .intersection(area)
}

/// A popup of at most this size in the middle of the area.
pub fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

/// No place above or below others has fewer rows, with its frame.
const LEAST_ROWS: u16 = 4;
/// No place beside others has fewer columns, with its frame.
const LEAST_COLUMNS: u16 = 24;

/// So many thousandths of a length.
fn thousandths(part: u16, of: u16) -> u16 {
    u16::try_from((u32::from(part) * u32::from(of) + 500) / 1000).unwrap_or(of)
}

/// How many of these rows each of some places gets, which are above each other: what it wants, and its part, by weight, of
/// what is over. Where not all have what they want, who wants less than its part has that, and the others divide the rest.
fn shares(height: u16, wants: &[(usize, u16)]) -> Vec<u16> {
    let wants: Vec<(u32, u32)> = wants
        .iter()
        .map(|(rows, weight)| {
            (u32::try_from(*rows).unwrap_or(u32::MAX).clamp(LEAST_ROWS.into(), 1 << 16), u32::from(*weight))
        })
        .collect();
    let mut content: Vec<bool> = vec![false; wants.len()];
    loop {
        let taken: u32 = wants.iter().zip(&content).filter(|(_, c)| **c).map(|((rows, _), _)| rows).sum();
        let left = u32::from(height).saturating_sub(taken);
        let everyone = content.iter().all(|c| *c);
        let weights: u32 =
            wants.iter().zip(&content).filter(|(_, c)| everyone || !**c).map(|((_, w), _)| w).sum();
        let part = |weight: u32| left * weight / weights.max(1);
        let more: Vec<bool> =
            wants.iter().zip(&content).map(|((rows, w), c)| *c || !everyone && *rows <= part(*w)).collect();
        if more == content {
            let rows = wants.iter().zip(&content).map(|((rows, w), c)| match (everyone, c) {
                (true, _) => rows + part(*w),
                (false, true) => *rows,
                (false, false) => part(*w),
            });
            let mut rows: Vec<u16> = rows.map(|n| u16::try_from(n).unwrap_or(u16::MAX)).collect();
            // What rounding leaves is the last one's.
            if let Some((last, others)) = rows.split_last_mut() {
                *last = height.saturating_sub(others.iter().sum());
            }
            return rows;
        }
        content = more;
    }
}

fn split_rows(area: Rect, first: u16) -> (Rect, Rect) {
    let first = first.min(area.height);
    let below = Rect { y: area.y + first, height: area.height - first, ..area };
    (Rect { height: first, ..area }, below)
}

fn split_columns(area: Rect, first: u16) -> (Rect, Rect) {
    let first = first.min(area.width);
    let right = Rect { x: area.x + first, width: area.width - first, ..area };
    (Rect { width: first, ..area }, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(width: u16, height: u16, focus: Focus) -> Vec<Pane> {
        match layout(
            Rect::new(0, 0, width, height),
            focus,
            &Wishes { rows: [1; Pane::ALL.len()], ..Wishes::default() },
        ) {
            Layout::TooSmall => Vec::new(),
            Layout::Panes { places, .. } => places.iter().map(|place| place.pane).collect(),
        }
    }

    #[test]
    fn the_number_of_panes_follows_the_size() {
        let focus = Focus::default();
        assert_eq!(shown(180, 30, focus), [Pane::Term, Pane::Loops, Pane::Kernel, Pane::Rules]);
        assert_eq!(shown(120, 30, focus), [Pane::Term, Pane::Loops, Pane::Kernel, Pane::Rules]);
        assert_eq!(shown(80, 24, focus), [Pane::Term, Pane::Rules]);
        assert_eq!(shown(50, 15, focus), [Pane::Term]);
        assert_eq!(shown(49, 15, focus), []);
    }

    #[test]
    fn who_needs_fewer_rows_than_its_part_leaves_them_to_the_others() {
        assert_eq!(shares(35, &[(100, 2), (100, 1), (100, 2)]), [14, 7, 14]);
        assert_eq!(shares(35, &[(8, 2), (100, 1), (usize::MAX, 2)]), [8, 9, 18]);
        assert_eq!(shares(35, &[(8, 2), (6, 1), (100, 2)]), [8, 6, 21]);
        // Ten rows are over.
        assert_eq!(shares(35, &[(10, 2), (5, 1), (10, 2)]), [14, 7, 14]);
        assert_eq!(shares(28, &[(0, 2), (0, 1)]), [17, 11]);
    }

    /// Rows that are kept free go to the pane whose content is cut, and only then.
    #[test]
    fn no_pane_is_cut_where_another_has_rows_to_spare() {
        let heights = |term: usize| {
            let mut wishes = Wishes::default();
            for (pane, rows, spare) in [(Pane::Term, term, 0), (Pane::Loops, 2, 0), (Pane::Kernel, 15, 4)] {
                (wishes.rows[pane as usize], wishes.spare[pane as usize]) = (rows, spare);
            }
            match layout(Rect::new(0, 0, 120, 36), Focus::default(), &wishes) {
                Layout::Panes { places, .. } => [0, 1, 2].map(|i| places[i].area.height),
                Layout::TooSmall => [0; 3],
            }
        };
        assert_eq!(heights(400), [17, 4, 13]);
        assert_eq!(heights(11), [13, 4, 17]);
    }

    #[test]
    fn code_has_the_columns_that_the_term_leaves() {
        let columns = |term, loops, kernel| {
            let mut wishes = Wishes::default();
            wishes.columns[Pane::Term as usize] = term;
            wishes.columns[Pane::Loops as usize] = loops;
            wishes.columns[Pane::Kernel as usize] = kernel;
            match layout(Rect::new(0, 0, 200, 60), Focus::default(), &wishes) {
                Layout::Panes { places, .. } => [0, 2, 3].map(|i| places[i].area.width),
                Layout::TooSmall => [0; 3],
            }
        };
        let usual = columns(0, 0, 0);
        assert_eq!(usual, [75, 62, 63]);
        // The right column stays where it is; what nobody needs stays where it was.
        assert_eq!(columns(40, 60, 90), [62, 75, 63]);
        assert_eq!(columns(40, 50, 65), [70, 67, 63]);
        assert_eq!(columns(73, 10, 90), usual);
        assert_eq!(columns(3, 3, 200), [60, 77, 63]);
    }

    #[test]
    fn panes_cycle_around() {
        assert_eq!(Pane::Jobs.cycle(1), Pane::Term);
        assert_eq!(Pane::Term.cycle(-1), Pane::Jobs);
    }

    proptest! {
        #[test]
        fn rectangles_fit_and_do_not_overlap(
            width in 0u16..=300, height in 0u16..=100, pane in 0..Pane::ALL.len(), zoomed in any::<bool>(),
            rows in prop::array::uniform10(prop_oneof![0usize..60, Just(usize::MAX)]),
            columns in prop::array::uniform10(prop_oneof![0usize..200, Just(usize::MAX)]),
            spare in prop::array::uniform10(0usize..10),
            moved in prop::option::of(prop::array::uniform4(0u16..=1000))
        ) {
            let wishes = Wishes { rows, spare, columns };
            let area = Rect::new(0, 0, width, height);
            let mut focus = Focus { zoomed, ..Focus::default() };
            focus.go(Pane::ALL[pane]);
            // Wherever borders are moved to, what must hold holds.
            for parts in moved.iter() {
                for columns in [Columns::Two, Columns::Stacked, Columns::Three] {
                    for (i, part) in parts.iter().enumerate() {
                        let split = if i < 2 { Split::Column(i) } else { Split::Row(i - 2) };
                        focus.splits.set(columns, split, *part);
                    }
                }
            }
            if let Layout::Panes { places, edges, status, hints } = layout(area, focus, &wishes) {
                for edge in edges {
                    let begins = |place: &Place| match edge.split {
                        Split::Column(_) => place.area.x == edge.at,
                        Split::Row(_) => place.area.y == edge.at && place.area.x == edge.column.x,
                    };
                    prop_assert!(places.iter().any(begins));
                }
                for place in &places {
                    prop_assert!(place.area.width >= LEAST_COLUMNS && place.area.height >= LEAST_ROWS);
                }
                let mut all: Vec<Rect> = places.iter().map(|place| place.area).collect();
                all.extend([status, hints]);
                prop_assert!(places.iter().any(|place| place.pane == focus.pane));
                for place in &places {
                    prop_assert!(place.tabs.contains(&place.pane));
                }
                prop_assert_eq!(all.iter().map(|r| r.area()).sum::<u32>(), area.area());
                for (i, a) in all.iter().enumerate() {
                    prop_assert_eq!(a.intersection(area), *a);
                    for b in &all[i + 1..] {
                        prop_assert!(a.intersection(*b).is_empty());
                    }
                }
            } else {
                prop_assert!(width < LEAST.0 || height < LEAST.1);
            }
            let popup = centred(area, 60, 20);
            prop_assert_eq!(popup.intersection(area), popup);
        }
    }
}
