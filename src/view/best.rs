//! The best programs of a search, ranked by their time while they are measured.

use super::bars::{Time, bar};
use super::figures::{self, digits, time, times};
use super::loops;
use super::problem;
use super::text::{Alphabet, Line, Role, one_line};
use crate::lang::path::Path;
use crate::session::action::{Target, beside_plain_c};
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
        Doing::Over => format!("{} measured", programs(standing.distinct().count())),
        Doing::Stopped => "stopped".to_owned(),
        Doing::Failed => "failed".to_owned(),
    }
}

fn programs(n: usize) -> String {
    if n == 1 { "one program".to_owned() } else { format!("{n} programs") }
}

/// The columns of the figures before a bar: rank, weight, median, interval. In fewer columns there is no bar, and the interval says
/// its unit once.
const FIGURES: usize = 5 + 8 + 11 + 23;
/// So many programs with the code of another one are named.
const NAMED: usize = 8;
/// The narrowest bar that is drawn, and the widest.
const BARS: (usize, usize) = (6, 40);

/// What stands above the rows.
pub fn head(standing: &Standing, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let mut lines = title(standing, width, alphabet);
    lines.extend(said(standing, width));
    lines.extend(columns(standing, width, alphabet));
    lines
}

/// What is measured, and where.
pub fn title(standing: &Standing, width: usize, alphabet: Alphabet) -> Vec<Line> {
    let sizes: Vec<String> = standing.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let at = if sizes.is_empty() { String::new() } else { format!(" at {}", sizes.join(" ")) };
    let mut lines = vec![
        Line::of(Role::Title, format!("the best {} of {}", standing.best, one_line(&standing.search)))
            .fit(width, alphabet),
    ];
    let on = Line::plain(format!("on {}{at}, from revision {}", standing.device, standing.base));
    lines.extend(on.wrap(width, 2));
    lines
}

/// What it does now, or what came of it.
pub fn said(standing: &Standing, width: usize) -> Vec<Line> {
    let (role, text) = match standing.doing {
        Doing::Over => (Role::Good, verdict(standing)),
        Doing::Stopped => (Role::Warning, format!("Stopped. {}", verdict(standing))),
        Doing::Failed => (Role::Error, standing.problem.as_ref().map(problem::in_a_line).unwrap_or_default()),
        _ => (Role::Warning, doing(standing)),
    };
    let mut lines = Line::of(role, text).wrap(width, 2);
    lines.extend(alike(standing).into_iter().flat_map(|text| Line::of(Role::Dim, text).wrap(width, 2)));
    lines
}

/// The names of the columns, where there are rows.
pub fn columns(standing: &Standing, width: usize, alphabet: Alphabet) -> Option<Line> {
    (!standing.candidates.is_empty()).then(|| {
        let head = match width >= FIGURES {
            true => format!("{:>4} {:>7} {:>10}  95 % interval", "rank", "weight", "median"),
            false => format!("{:>4} {:>6} {:>8}  95 % interval", "rank", "weight", "median"),
        };
        Line::of(Role::Dim, head).fit(width, alphabet)
    })
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
    let wide = width >= FIGURES;
    let mut line = Line::of(Role::Number, format!("{rank:>4} "));
    let weight = figures::count(u64::from(*weight));
    line.push(Role::Dim, if wide { format!("{weight:>7} ") } else { format!("{weight:>6} ") });
    match fate {
        Fate::Waiting if over => line.push(Role::Dim, "   not measured"),
        Fate::Waiting => line.push(Role::Dim, "   waiting"),
        // It stands with the one whose code it has.
        Fate::Same(_) => {}
        Fate::Failed { code, why } => line.push(Role::Error, format!("   {code}: {why}")),
        Fate::Timed { summary, .. } => {
            let interval = summary.interval;
            let median = time(summary.median);
            line.push(Role::Number, if wide { format!("{median:>10}  ") } else { format!("{median:>8}  ") });
            let ends = match interval.is_sure() {
                true if wide => format!("{} to {}", time(interval.low), time(interval.high)),
                true => times(interval.low, interval.high),
                false => "too few runs".to_owned(),
            };
            line.push(Role::Plain, if wide { format!("{ends:<22} ") } else { ends });
            let room = width.saturating_sub(line.width()).min(BARS.1);
            if wide && room >= BARS.0 {
                let shown = Time { low: interval.low, median: summary.median, high: interval.high };
                line.append(bar(shown, longest, room, Role::Good, alphabet));
            }
        }
    }
    line.fit(width, alphabet)
}

/// How many programs there are besides those that are listed, where several have the same code.
fn alike(standing: &Standing) -> Option<String> {
    let (all, own) = (standing.candidates.len(), standing.distinct().count());
    let text =
        || format!("Of the {all} lightest programs {own} have code of their own; the others have the same.");
    (1 < own && own < all).then(text)
}

/// What is said where there is nothing to compare the only time with.
fn alone(standing: &Standing, only: &Candidate) -> String {
    let own = standing.distinct().count();
    match standing.candidates.len() {
        1 => "It is the only program that was found, so there is nothing to rank.".to_owned(),
        all if own == 1 => format!("All {all} programs have the same code, so there is nothing to rank."),
        _ if standing.distinct().any(|c| c.fate == Fate::Waiting) => {
            format!("Of {own} programs rank {} alone was measured, so nothing is ranked.", only.rank)
        }
        _ => format!("Rank {} alone could be measured, so there is nothing to rank it against.", only.rank),
    }
}

/// What the times say.
fn verdict(standing: &Standing) -> String {
    if standing.candidates.is_empty() && standing.doing == Doing::Stopped {
        return "The search was stopped before its programs were known.".to_owned();
    }
    let leaders = standing.leaders();
    let Some(first) = leaders.first() else { return "None of the programs was measured.".to_owned() };
    let timed: Vec<&Candidate> = standing.distinct().filter(|c| c.summary().is_some()).collect();
    if let [only] = timed.as_slice() {
        return alone(standing, only);
    }
    let waiting = standing.distinct().filter(|c| c.fate == Fate::Waiting).count();
    let seen = if waiting > 0 {
        format!("Of {} programs {} were measured. ", timed.len() + waiting, timed.len())
    } else {
        String::new()
    };
    // Where others weigh as much, the weight foretold nothing.
    let foretells = timed.iter().all(|c| c.rank == first.rank || c.weight > first.weight);
    let slowest = timed.into_iter().max_by(|a, b| median(a).total_cmp(&median(b)));
    let lead = match leaders.as_slice() {
        [one] if waiting > 0 => format!("Rank {} is the fastest of these", one.rank),
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
            let which = if c.weight < first.weight { "the cheapest" } else { "which weighs as much" };
            format!("; rank 1, {which}, takes {} times as long", digits(median(c) / median(first)))
        }
        None => String::new(),
    };
    let foretold = if leaders.len() == 1 && first.rank == 1 && waiting == 0 {
        if foretells { ", as its weight foretold".to_owned() } else { String::new() }
    } else {
        foretold
    };
    let foretold =
        if leaders.len() == 1 && first.rank == 1 && waiting > 0 { String::new() } else { foretold };
    let spread = match slowest {
        Some(last) if leaders.iter().all(|l| l.rank != last.rank) => {
            format!("; the slowest takes {} times as long", digits(median(last) / median(first)))
        }
        _ => String::new(),
    };
    format!("{seen}{lead}{foretold}{spread}.")
}

fn median(candidate: &Candidate) -> f64 {
    candidate.summary().map_or(f64::INFINITY, |s| s.median)
}

/// What came of it, for a message.
pub fn says(standing: &Standing) -> String {
    if standing.doing == Doing::Stopped {
        return format!("Stopped. {}", verdict(standing));
    }
    let sizes: Vec<String> = standing.sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let on = [standing.device.clone()].into_iter().chain(sizes).collect::<Vec<_>>().join(" ");
    let alike = alike(standing).map(|text| format!(" {text}")).unwrap_or_default();
    format!("{} of the search on {on}: {}{alike}", programs(standing.distinct().count()), verdict(standing))
}

/// What is said of one of them: its loops, of which the first are seen where there are few rows, how it was checked, and which
/// others have its code.
pub fn details(standing: &Standing, candidate: &Candidate, target: Target, alphabet: Alphabet) -> Vec<Line> {
    let nest = loops::rows(&candidate.term, &standing.sizes, &Path::root(), target, alphabet);
    let mut lines: Vec<Line> = nest.into_iter().map(|row| row.line).collect();
    match &candidate.fate {
        Fate::Timed { summary, check, .. } => lines
            .push(Line::plain(format!("{} runs; ", summary.runs)).with(Role::Good, beside_plain_c(check))),
        // Why there is no time is what is asked of it.
        Fate::Failed { code, why } => lines.insert(0, Line::of(Role::Error, format!("{code}: {why}"))),
        Fate::Same(_) | Fate::Waiting => {}
    }
    let same: Vec<String> = standing.same_as(candidate.rank).map(|rank| rank.to_string()).collect();
    match same.as_slice() {
        [] => {}
        [one] => lines.push(Line::of(Role::Dim, format!("Rank {one} has the same code."))),
        several if several.len() <= NAMED => {
            lines.push(Line::of(Role::Dim, format!("Ranks {} have the same code.", several.join(", "))));
        }
        many => lines.push(Line::of(Role::Dim, format!("{} others have the same code.", many.len()))),
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
            found: times.len(),
            base: 0,
            device: "cpu".to_owned(),
            sizes: Sizes::from_iter([("n".into(), 64)]),
            doing,
            took: std::time::Duration::ZERO,
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
        // In few columns the interval is told rather than drawn.
        let few = shown(&now, 38);
        assert!(
            few.contains("   2     21 10.02 µs  10.01–10.03 µs") && few.contains("95 % interval"),
            "{few}"
        );
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
        // Where one alone has a time, nothing is ranked.
        assert_eq!(
            says(&[None, Some(10)]),
            "Rank 2 alone could be measured, so there is nothing to rank it against."
        );
        assert_eq!(says(&[Some(10)]), "It is the only program that was found, so there is nothing to rank.");
        let stopped = |times: &[Option<u64>]| verdict(&standing(times, Doing::Stopped));
        assert_eq!(stopped(&[]), "The search was stopped before its programs were known.");
        assert_eq!(
            stopped(&[Some(10), None, None]),
            "Of 3 programs rank 1 alone was measured, so nothing is ranked."
        );
        assert_eq!(
            stopped(&[Some(10), Some(40), None]),
            "Of 3 programs 2 were measured. Rank 1 is the fastest of these; the slowest takes 4.000 times as long."
        );
    }

    /// Programs with the code of another one are no rows of the ranking: they stand with the one whose code they have.
    #[test]
    fn programs_of_the_same_code_are_told_and_not_ranked() {
        let mut all = standing(&[Some(10), None, Some(40), None], Doing::Over);
        (all.candidates[1].fate, all.candidates[3].fate) = (Fate::Same(1), Fate::Same(1));
        insta::assert_snapshot!(shown(&all, 100), @r"
        the best 4 of reach contains(map)
        on cpu at n=64, from revision 0
        Rank 1 is the fastest, as its weight foretold; the slowest takes 4.000 times as long.
        Of the 4 lightest programs 2 have code of their own; the others have the same.
        rank  weight     median  95 % interval
           1      20   10.02 µs  10.01 µs to 10.03 µs   ##########
           3      22   40.08 µs  40.04 µs to 40.12 µs   ########################################
        ");
        let about = details(&all, &all.candidates[0], Target::C, Alphabet::Ascii);
        assert_eq!(about.last().map(Line::text).as_deref(), Some("Ranks 2, 4 have the same code."));
        all.candidates[2].fate = Fate::Same(1);
        assert_eq!(verdict(&all), "All 4 programs have the same code, so there is nothing to rank.");
        assert!(says(&all).starts_with("one program of the search on cpu n=64: All 4"), "{}", says(&all));
    }
}
