//! Times with their intervals as bars: full up to the interval's lower end, half beyond it up to its upper end.

use super::text::{Alphabet, Line, Role};

/// A time with the ends of its interval, all in the same unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Time {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

/// A bar of exactly this width, of which the longest time fills all.
pub fn bar(time: Time, longest: f64, width: usize, role: Role, alphabet: Alphabet) -> Line {
    let place = |value: f64| {
        let part = if longest > 0.0 { (value / longest).clamp(0.0, 1.0) } else { 0.0 };
        ((part * width as f64).round() as usize).min(width)
    };
    // Every time is seen, and so is every interval that is wider than a column.
    let low = place(time.low).max(1).min(width);
    let high = place(if time.high.is_finite() { time.high } else { time.median }).max(low);
    let drawn = |sign: &'static str, count: usize| sign.repeat(count);
    Line::of(role, drawn(alphabet.pick("█", "#"), low))
        .with(role, drawn(alphabet.pick("░", "-"), high - low))
        .with(Role::Plain, " ".repeat(width - high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bar_is_full_up_to_its_interval() {
        let text =
            |low, median, high| bar(Time { low, median, high }, 20.0, 10, Role::Good, Alphabet::Ascii).text();
        assert_eq!(text(10.0, 12.0, 20.0), "#####-----");
        assert_eq!(text(4.0, 5.0, 6.0), "##-       ");
        assert_eq!(text(0.001, 0.001, 0.001), "#         ");
        // Of too few runs nothing is known but the median.
        assert_eq!(text(0.0, 10.0, f64::INFINITY), "#----     ");
    }

    proptest! {
        #[test]
        fn every_bar_has_its_width(low in 0.0f64..1e9, more in 0.0f64..1e9, longest in 0.0f64..1e9, width in 1usize..60) {
            let time = Time { low, median: low + more / 2.0, high: low + more };
            for alphabet in [Alphabet::Unicode, Alphabet::Ascii] {
                prop_assert_eq!(bar(time, longest, width, Role::Plain, alphabet).width(), width);
            }
        }
    }
}
