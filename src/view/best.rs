//! The best programs of a search, ranked by their time while they are measured.

use super::bars::{Time, bar};
use super::figures::{self, digits, time};
use super::loops;
use super::problem;
use super::text::{Alphabet, Line, Role, one_line};
use crate::lang::path::Path;
use crate::session::action::Target;
use crate::session::best::{Candidate, Doing, Fate, Standing};

/// What it does now, in a few words.
pub fn doing(standing: &Standing) -> String {
    let of = standing.candidates.len();
    match standing.doing {
        Doing::Searching => "searching".to_owned(),
        Doing::Reference => format!("computing what {} must give", programs(of)),
        Doing::Checking(rank) => format!("compiling and checking program {rank} of {of}"),
        Doing::Turns(turn, turns) => format!("the fastest take turns, {} of {turns}", turn + 1),
        Doing::Way(rank) => format!("writing down how rank {rank}, the fastest, is found"),
        Doing::Over => format!("{} measured", programs(of)),
        Doing::Stopped => "stopped".to_owned(),
        Doing::Failed => "failed".to_owned(),
    }
}

fn programs(n: usize) -> String {
    if n == 1 { "one program".to_owned() } else { format!("{n} programs") }
}

/// The columns of the figures before a bar: rank, weight, median, interval.
const FIGURES: usize = 5 + 8 + 11 + 23;
/// The narrowest bar that is drawn, and the widest.
const BARS: (usize, usize) = (6, 40);

/// What stands above the rows.
pub fn head(standing: &Standing, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let sizes: Vec<String> = standing.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let at = if sizes.is_empty() { String::new() } else { format!(" at {}", sizes.join(" ")) };
    let mut lines = vec![
        Line::of(Role::Title, format!("the best {} of {}", standing.best, one_line(&standing.search)))
            .fit(width, alphabet),
        Line::plain(format!("on {}{at}, from revision {}", standing.device, standing.base))
            .fit(width, alphabet),
    ];
    let (role, text) = match standing.doing {
        Doing::Over => (Role::Good, verdict(standing)),
        Doing::Stopped => (Role::Warning, format!("Stopped. {}", verdict(standing))),
        Doing::Failed => (Role::Error, standing.problem.as_ref().map(problem::in_a_line).unwrap_or_default()),
        _ => (Role::Warning, doing(standing)),
    };
    lines.extend(Line::of(role, text).wrap(width, 2));
    if !standing.candidates.is_empty() {
        let wide = width >= FIGURES;
        let interval = if wide { "95 % interval" } else { "" };
        lines.push(
            Line::of(Role::Dim, format!("{:>4} {:>7} {:>10}  {interval}", "rank", "weight", "median"))
                .fit(width, alphabet),
        );
    }
    lines
}

/// A line a program, the fastest first.
pub fn rows(standing: &Standing, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let highs = standing.candidates.iter().filter_map(Candidate::summary).map(|s| s.interval.high);
    let longest = highs.fold(1.0, f64::max);
    standing
        .fastest_first()
        .into_iter()
        .map(|c| row(c, standing.is_over(), longest, width, alphabet))
        .collect()
}

fn row(candidate: &Candidate, over: bool, longest: f64, width: usize, alphabet: Alphabet) -> Line {
    let Candidate { rank, weight, fate, .. } = candidate;
    let mut line = Line::of(Role::Number, format!("{rank:>4} "));
    line.push(Role::Dim, format!("{:>7} ", figures::count(u64::from(*weight))));
    match fate {
        Fate::Waiting if over => line.push(Role::Dim, "   not measured"),
        Fate::Waiting => line.push(Role::Dim, "   waiting"),
        Fate::Same(other) => line.push(Role::Dim, format!("   same code as rank {other}")),
        Fate::Failed { code, why } => line.push(Role::Error, format!("   {code}: {why}")),
        Fate::Timed { summary, .. } => {
            let interval = summary.interval;
            line.push(Role::Number, format!("{:>10}  ", time(summary.median)));
            if width >= FIGURES {
                let ends = match interval.confidence >= 0.95 {
                    true => format!("{} to {}", time(interval.low), time(interval.high)),
                    false => "too few runs".to_owned(),
                };
                line.push(Role::Plain, format!("{ends:<22} "));
            }
            let room = width.saturating_sub(line.width()).min(BARS.1);
            if room >= BARS.0 {
                let shown = Time { low: interval.low, median: summary.median, high: interval.high };
                line.append(bar(shown, longest, room, Role::Good, alphabet));
            }
        }
    }
    line.fit(width, alphabet)
}

/// What the times say.
fn verdict(standing: &Standing) -> String {
    let leaders = standing.leaders();
    let Some(first) = leaders.first() else { return "None of the programs was measured.".to_owned() };
    let timed = standing.candidates.iter().filter(|c| c.summary().is_some());
    let slowest = timed.max_by(|a, b| median(a).total_cmp(&median(b)));
    let lead = match leaders.as_slice() {
        [one] => format!("Rank {} is the fastest", one.rank),
        several => {
            let ranks: Vec<String> = several.iter().map(|c| c.rank.to_string()).collect();
            format!("Of ranks {} none is measurably the fastest", ranks.join(", "))
        }
    };
    let cheapest = standing.candidates.first().filter(|c| c.summary().is_some());
    let foretold = match cheapest {
        Some(c) if leaders.iter().any(|l| l.rank == c.rank) => "; rank 1 is among them".to_owned(),
        Some(c) => {
            format!("; rank 1, the cheapest, takes {} times as long", digits(median(c) / median(first)))
        }
        None => String::new(),
    };
    let foretold =
        if leaders.len() == 1 && first.rank == 1 { ", as its weight foretold".to_owned() } else { foretold };
    let spread = match slowest {
        Some(last) if leaders.iter().all(|l| l.rank != last.rank) => {
            format!("; the slowest takes {} times as long", digits(median(last) / median(first)))
        }
        _ => String::new(),
    };
    format!("{lead}{foretold}{spread}.")
}

fn median(candidate: &Candidate) -> f64 {
    candidate.summary().map_or(f64::INFINITY, |s| s.median)
}

/// What came of it, for a message.
pub fn says(standing: &Standing) -> String {
    let sizes: Vec<String> = standing.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let on = [standing.device.clone()].into_iter().chain(sizes).collect::<Vec<_>>().join(" ");
    format!("{} of the search on {on}: {}", programs(standing.candidates.len()), verdict(standing))
}

/// What is said of one of them: its loops, of which the first are seen where there are few rows, and how it was checked.
pub fn details(candidate: &Candidate, target: Target, alphabet: Alphabet) -> Vec<Line> {
    let nest = loops::rows(&candidate.term, &Path::root(), target, alphabet);
    let mut lines: Vec<Line> = nest.into_iter().map(|row| row.line).collect();
    match &candidate.fate {
        Fate::Timed { summary, check, .. } => lines.push(
            Line::plain(format!("{} runs; ", summary.runs))
                .with(Role::Good, format!("{check}; the output agrees with plain C")),
        ),
        // Why there is no time is what is asked of it.
        Fate::Failed { code, why } => lines.insert(0, Line::of(Role::Error, format!("{code}: {why}"))),
        Fate::Same(_) | Fate::Waiting => {}
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::stats::summary;
    use crate::lang::build;
    use crate::lang::digest::Digest;
    use crate::session::action::Sizes;

    /// Programs with these times in microseconds, by their rank; none for one that was not measured.
    fn standing(times: &[Option<u64>], doing: Doing) -> Standing {
        let candidate = |(at, time): (usize, &Option<u64>)| {
            let fate = match time {
                Some(us) => {
                    let samples_ns: Vec<u64> = (0..20).map(|i| us * (1000 + i % 5)).collect();
                    let summary = summary(&samples_ns).unwrap();
                    let (kernel, check) = (Digest::of(b"kernel"), "agrees with the interpreter".to_owned());
                    Fate::Timed { kernel, samples_ns, summary, check }
                }
                None if doing == Doing::Over => {
                    Fate::Failed { code: "E0820", why: "It is wrong.".to_owned() }
                }
                None => Fate::Waiting,
            };
            Candidate { rank: at + 1, weight: 20 + at as u32, term: build::f32(0.0), fate, way: None }
        };
        Standing {
            search: "reach contains(map)".to_owned(),
            best: times.len(),
            base: 0,
            device: "cpu".to_owned(),
            sizes: Sizes::from_iter([("n".into(), 64)]),
            doing,
            candidates: times.iter().enumerate().map(candidate).collect(),
            problem: None,
        }
    }

    fn shown(standing: &Standing, width: usize) -> String {
        let lines =
            head(standing, width, Alphabet::Ascii).into_iter().chain(rows(standing, width, Alphabet::Ascii));
        lines.map(|line| line.text().trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn programs_are_ranked_by_their_time_while_they_are_measured() {
        let now = standing(&[Some(40), Some(10), None, Some(20)], Doing::Checking(3));
        insta::assert_snapshot!(shown(&now, 70), @r"
        the best 4 of reach contains(map)
        on cpu at n=64, from revision 0
        compiling and checking program 3 of 4
        rank  weight     median  95 % interval
           2      21   10.02 µs  10.01 µs to 10.03 µs   #####-
           4      23   20.04 µs  20.02 µs to 20.06 µs   ###########
           1      20   40.08 µs  40.04 µs to 40.12 µs   ######################
           3      22    waiting
        ");
        for width in 0..90 {
            let lines =
                head(&now, width, Alphabet::Ascii).into_iter().chain(rows(&now, width, Alphabet::Ascii));
            assert!(lines.into_iter().all(|line| line.width() <= width.max(4)), "{width}");
        }
    }

    #[test]
    fn what_the_times_say_is_said() {
        let says = |times: &[Option<u64>]| verdict(&standing(times, Doing::Over));
        assert_eq!(
            says(&[Some(40), Some(10), None]),
            "Rank 2 is the fastest; rank 1, the cheapest, takes 4.000 times as long; the slowest takes 4.000 times as long."
        );
        assert_eq!(
            says(&[Some(10), Some(40)]),
            "Rank 1 is the fastest, as its weight foretold; the slowest takes 4.000 times as long."
        );
        assert_eq!(
            says(&[Some(10), Some(10)]),
            "Of ranks 1, 2 none is measurably the fastest; rank 1 is among them."
        );
        assert_eq!(says(&[None, None]), "None of the programs was measured.");
        assert_eq!(says(&[None, Some(10)]), "Rank 2 is the fastest.");
    }
}
