//! How much a sketch describes: sub-terms of the program, and what the graph of a search has, classes and terms.
//!
//! Before anything was searched for there is no such graph. Then one grows for a moment from the program, by the rules that a search
//! without rules would take, so that a sketch is seen to be too vague or too precise before it is searched for.

use super::jobs::Control;
use super::searching::{Shelf, ask_kept, resident_bytes};
use super::state::Progress;
use super::workspace::Workspace;
use crate::lang::digest::Digest;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::term::{Expr, Term};
use crate::rewrite::guide::{self, Breadth, Step};
use crate::rewrite::normal::{all_params, normal_form, normal_form_with, written_params};
use crate::rewrite::search::{self, Budget, Search};
use crate::rewrite::sketch::Sketch;
use crate::rewrite::sketch::count::Counted;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How much a sketch describes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Meter {
    /// Sub-terms of the program.
    pub terms: usize,
    /// Classes of the graph; none where it was not asked.
    pub classes: Option<usize>,
    /// Terms of the graph; none where it was not asked.
    pub in_graph: Option<Counted>,
}

/// Which graph was asked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Asked {
    /// That of the last search.
    Kept,
    /// One that grew for a moment, by so many iterations of the rules.
    Grown(usize),
    /// None: the program is too large for one.
    #[default]
    Nothing,
}

/// How much sketches describe, of as many as there was time for.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Metered {
    pub of: Asked,
    /// How many sub-terms the program has, in the form in which they are counted.
    pub sub_terms: usize,
    /// That is its normal form, as in graphs, where it is written otherwise.
    pub normal: bool,
    pub each: Vec<Meter>,
}

/// The graph that grew from a program last, and by how many iterations.
#[derive(Default)]
pub struct Grown(Mutex<Option<(Digest, usize, Search)>>);

/// For how long sketches are asked that nobody has chosen yet; tests ask what is found, however busy the machine is.
const MOMENT: Duration = if cfg!(test) { Duration::from_secs(60) } else { Duration::from_millis(400) };

/// A graph that is made for this alone stays small.
const ITERATIONS: usize = 2;
const NODES: usize = 10_000;

/// Meters sketches, of which the first is the one that is looked at: its terms are counted as well.
pub fn metered(
    workspace: &Workspace,
    term: &Term,
    sketches: &[Sketch],
    (shelf, grown): (Option<&Shelf>, &Grown),
    control: &Control<Progress>,
) -> Metered {
    let begun = control.elapsed();
    let over = |times: u32| control.cancelled() || control.elapsed() - begun > MOMENT * times;
    let in_time = |times: u32| sketches.iter().enumerate().take_while(move |(i, _)| *i == 0 || !over(times));
    let normal = as_searched(term, &Path::root()).filter(|normal| normal != term);
    let counted = normal.as_ref().unwrap_or(term);
    let terms: Vec<usize> = in_time(1).map(|(_, sketch)| sketch.count_in(counted)).collect();
    let ask = |search: &Search| {
        let classes: Vec<Option<usize>> = in_time(2).map(|(_, sketch)| search.classes_like(sketch)).collect();
        let in_graph = sketches.first().and_then(|first| search.terms_like(first, &|| over(3)));
        (classes, in_graph)
    };
    let kept = shelf.and_then(|shelf| ask_kept(shelf, &ask)).map(|said| (Asked::Kept, said));
    let said = kept.or_else(|| grown.ask(workspace, term, control, &ask));
    let (of, (classes, in_graph)) = said.unwrap_or((Asked::Nothing, (vec![], None)));
    let meter = |(i, terms)| Meter {
        terms,
        classes: classes.get(i).copied().flatten(),
        in_graph: in_graph.filter(|_| i == 0),
    };
    let (sub_terms, normal) = (counted.positions().len(), normal.is_some());
    Metered { of, sub_terms, normal, each: terms.into_iter().enumerate().map(meter).collect() }
}

/// The sub-term at a position as searches see it: they begin and end in normal form, in which what a `let` names has no name, and the
/// parameters of the program are written out. Of a function that is given its value there, what it computes is seen, of which it is not
/// said what the value is. None where it is out of bounds.
pub fn as_searched(term: &Term, at: &Path) -> Option<Term> {
    let part = term.at(at)?;
    if let Some((_, computed)) = part.as_lam().filter(|_| is_given_its_value(term, at)) {
        return normal_form(computed);
    }
    let params = all_params(term);
    // A function has one part.
    match params.get(at.len()..).filter(|_| at.len() <= written_params(term).len()) {
        Some(params) if at.steps().iter().all(|step| *step == 0) => normal_form_with(params, part),
        _ => normal_form(part),
    }
}

/// Is what stands there given a value, as the function of a `let` is?
fn is_given_its_value(term: &Term, at: &Path) -> bool {
    let Some((around, last)) = at.parent().zip(at.steps().last()) else { return false };
    let Some(around) = term.at(&around) else { return false };
    match around.as_pattern_app() {
        Some((p, args)) => p.pattern == Pattern::Let && args.len() == 2 && *last == 1,
        None => *last == 0 && matches!(around.expr(), Expr::App(..)),
    }
}

impl Grown {
    /// Asks the graph of this program, which is made where there is none.
    fn ask<T>(
        &self,
        workspace: &Workspace,
        term: &Term,
        control: &Control<Progress>,
        ask: &dyn Fn(&Search) -> T,
    ) -> Option<(Asked, T)> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.take_if(|(of, ..)| *of != term.digest());
        if held.is_none() {
            *held = grow(workspace, term, control)
                .map(|(iterations, search)| (term.digest(), iterations, search));
        }
        held.as_ref().map(|(_, iterations, search)| (Asked::Grown(*iterations), ask(search)))
    }
}

/// Lets a graph grow from a program for a moment; none where it is too large for one.
fn grow(workspace: &Workspace, term: &Term, control: &Control<Progress>) -> Option<(usize, Search)> {
    let step = Step { sketch: &Sketch::any(), sizes: &[], makes: &[], exchanges: false };
    let rules = guide::rules(&workspace.rules, term, &step, Breadth::Narrow);
    let budget = Budget { iterations: ITERATIONS, nodes: NODES, time: MOMENT, ..Budget::default() };
    // Nothing is looked for, so it ends by its bounds.
    let mut search = Search::new(term, &Sketch::nothing(), &rules, &budget).ok()?;
    let cancel = control.cancel_flag();
    let now = || control.elapsed();
    let mut world =
        search::Control { cancel: &cancel, now: &now, rss: &resident_bytes, progress: &mut |_| {} };
    let iterations = search.run(&mut world).stop.iteration;
    search.put_in_order(&mut world);
    Some((iterations, search))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::sketch;
    use crate::session::files::{Origin, Text, Texts};
    use crate::session::searching::Shelf;

    /// What is said of sketches of a program, with this graph.
    fn meter(texts: &[&str], shelf: Option<&Shelf>) -> Metered {
        let text = "def f (a: n.f32): f32 = a |> map sqrt |> map abs |> reduce (+) 0".to_owned();
        let program = Text { label: "f.rise".to_owned(), text };
        let texts_of =
            Texts { program, files: vec![], default_sizes: Default::default(), origin: Origin::default() };
        let workspace = Workspace::load(&texts_of, None).unwrap_or_else(|p| panic!("{}", p.first()));
        let read = |text: &&str| {
            let (tree, problems) =
                crate::lang::syntax::parse_sketch(crate::lang::diag::Span::NOWHERE.file, text);
            assert!(problems.is_empty(), "{problems:?}");
            sketch::read(&tree, &workspace.sketches, &workspace.program.sizes).unwrap()
        };
        let sketches: Vec<Sketch> = texts.iter().map(read).collect();
        let control = Control::unwatched(Progress::Strategy { tried: 0, applied: 0 });
        let term = &workspace.program.term;
        metered(&workspace, term, &sketches, (shelf, &Grown::default()), &control)
    }

    #[test]
    fn before_any_search_a_graph_tells_how_much_a_sketch_describes() {
        // Fused, the program is like it; as it stands, it is not.
        let fused = "containsReduceSeq(n, contains(sqrt) and contains(abs))";
        let Metered { of, each, .. } = meter(&[fused, "?"], Some(&Shelf::default()));
        assert_eq!(of, Asked::Grown(ITERATIONS));
        let [fused, all] = each.as_slice() else { panic!("{each:?}") };
        assert_eq!(fused.terms, 0);
        assert!(fused.classes.is_some_and(|n| n > 0), "{fused:?}");
        assert!(fused.in_graph.is_some_and(|n| n.terms > 0.0), "{fused:?}");
        assert!(all.classes > fused.classes, "{all:?}");
        let Metered { each, .. } = meter(&["contains(mapPar)"], None);
        assert_eq!(each[0].classes, Some(0));
        assert!(each[0].in_graph.is_some_and(|n| n.terms == 0.0), "{each:?}");
    }

    /// What someone points at is found where it stands, also in what a `let` names and where that is used.
    #[test]
    fn what_is_pointed_at_is_described() {
        let text = "def f (a: (n + 2).f32): n.f32 =
                      let b = a |> map (\\x. x * x)
                      let s = b |> reduce (+) 0
                      b |> slide 3 1 |> map (\\w. let m = reduce max 0 w in (reduce (+) 0 w - m) / s)";
        let program = Text { label: "f.rise".to_owned(), text: text.to_owned() };
        let texts =
            Texts { program, files: vec![], default_sizes: Default::default(), origin: Origin::default() };
        let workspace = Workspace::load(&texts, None).unwrap_or_else(|p| panic!("{}", p.first()));
        let (term, sizes) = (&workspace.program.term, &workspace.program.sizes);
        let whole = as_searched(term, &Path::root()).unwrap();
        let mut missed = vec![];
        for (at, part) in term.positions() {
            let seen = as_searched(term, &at).unwrap();
            let described = sketch::widen::exactly(&seen, sizes).count_in(&whole);
            if described == 0 {
                missed.push(format!("{at}: {part:?}"));
            }
        }
        assert!(missed.is_empty(), "{missed:#?}");
    }
}
