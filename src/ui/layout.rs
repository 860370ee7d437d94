//! Where everything is: from the size of the terminal and the focus to rectangles.
//!
//! Pure. What must hold at every size: rectangles lie within the area and do not overlap, and the focused pane is
//! among those shown unless the terminal is too small for any.

use ratatui::layout::Rect;

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
    /// What runs, and the messages.
    Jobs,
}

impl Pane {
    /// Every pane, in the order of the keys that jump to them.
    pub const ALL: [Pane; 8] = [
        Pane::Term,
        Pane::Loops,
        Pane::Rules,
        Pane::Search,
        Pane::Kernel,
        Pane::Bench,
        Pane::History,
        Pane::Jobs,
    ];

    /// The word on its tab.
    pub fn title(self) -> &'static str {
        match self {
            Pane::Term => "Term",
            Pane::Loops => "Loops",
            Pane::Rules => "Rules",
            Pane::Search => "Search",
            Pane::Kernel => "Kernel",
            Pane::Bench => "Bench",
            Pane::History => "History",
            Pane::Jobs => "Jobs",
        }
    }

    /// The pane `by` places further in the order, around the ends.
    pub fn cycle(self, by: isize) -> Pane {
        let count = Pane::ALL.len() as isize;
        Pane::ALL[(self as isize + by).rem_euclid(count) as usize]
    }
}

/// The panes that share a place on a wide terminal.
const TOP: &[Pane] = &[Pane::Rules, Pane::Search, Pane::History];
const BOTTOM: &[Pane] = &[Pane::Kernel, Pane::Bench, Pane::Jobs];
/// The panes that share a place on a middling one.
const LEFT: &[Pane] = &[Pane::Term, Pane::Loops];
const RIGHT: &[Pane] = &[Pane::Rules, Pane::Search, Pane::Kernel, Pane::Bench, Pane::History, Pane::Jobs];

/// The smallest terminal with three panes, with two, and at all: columns and rows.
pub const WIDE: (u16, u16) = (120, 30);
/// See [`WIDE`].
pub const MIDDLING: (u16, u16) = (80, 24);
/// See [`WIDE`].
pub const LEAST: (u16, u16) = (50, 15);

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

/// Which pane has the keys, and which were shown last where several share a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Focus {
    /// The pane that has the keys.
    pub pane: Pane,
    /// Whether it is shown alone.
    pub zoomed: bool,
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
            left: Pane::Term,
            right: Pane::Rules,
            top: Pane::Rules,
            bottom: Pane::Kernel,
        }
    }
}

impl Focus {
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
        /// One line: the state of things.
        status: Rect,
        /// One line: what can be pressed.
        hints: Rect,
    },
}

/// Lays out the screen.
pub fn layout(area: Rect, focus: Focus) -> Layout {
    let fits = |size: (u16, u16)| area.width >= size.0 && area.height >= size.1;
    if !fits(LEAST) {
        return Layout::TooSmall;
    }
    let (body, foot) = split_rows(area, area.height - 2);
    let (status, hints) = split_rows(foot, 1);
    let place = |area, pane, tabs| Place { area, pane, tabs };
    let places = if focus.zoomed || !fits(MIDDLING) {
        vec![place(body, focus.pane, &Pane::ALL)]
    } else if !fits(WIDE) {
        let (left, right) = split_columns(body, body.width / 2);
        vec![place(left, focus.left, LEFT), place(right, focus.right, RIGHT)]
    } else {
        let (left, right) = split_columns(body, body.width * 11 / 20);
        let (term, loops) = split_rows(left, left.height * 2 / 3);
        let (top, bottom) = split_rows(right, right.height / 2);
        vec![
            place(term, Pane::Term, &LEFT[..1]),
            place(loops, Pane::Loops, &LEFT[1..]),
            place(top, focus.top, TOP),
            place(bottom, focus.bottom, BOTTOM),
        ]
    };
    Layout::Panes { places, status, hints }
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
        match layout(Rect::new(0, 0, width, height), focus) {
            Layout::TooSmall => Vec::new(),
            Layout::Panes { places, .. } => places.iter().map(|place| place.pane).collect(),
        }
    }

    #[test]
    fn the_number_of_panes_follows_the_size() {
        let focus = Focus::default();
        assert_eq!(shown(120, 30, focus), [Pane::Term, Pane::Loops, Pane::Rules, Pane::Kernel]);
        assert_eq!(shown(80, 24, focus), [Pane::Term, Pane::Rules]);
        assert_eq!(shown(50, 15, focus), [Pane::Term]);
        assert_eq!(shown(49, 15, focus), []);
    }

    #[test]
    fn panes_cycle_around() {
        assert_eq!(Pane::Jobs.cycle(1), Pane::Term);
        assert_eq!(Pane::Term.cycle(-1), Pane::Jobs);
    }

    proptest! {
        #[test]
        fn rectangles_fit_and_do_not_overlap(
            width in 0u16..=300, height in 0u16..=100, pane in 0usize..8, zoomed in any::<bool>()
        ) {
            let area = Rect::new(0, 0, width, height);
            let mut focus = Focus { zoomed, ..Focus::default() };
            focus.go(Pane::ALL[pane]);
            if let Layout::Panes { places, status, hints } = layout(area, focus) {
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
