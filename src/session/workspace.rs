//! Everything that a session is made of, read and checked: the program, the rules, the strategies; and what can be
//! done with them. Nothing here changes once it is loaded.

use super::action::{SearchOutcome, Sizes, Target};
use super::auto::{self, Unasked};
use super::files::{Text, Texts, shell};
use super::history::RevisionStep;
use super::jobs::Control;
use super::log::{convert, v1};
use super::searching::{self, Examined, Found, REACH, Replayed, Searcher, Shelf};
use super::state::{Change, Progress};
use super::stuck;
use super::written::{Written, printed};
use crate::emit::{self, Compiled, Kernel};
use crate::lang::constraint::SizeConstraint;
use crate::lang::declared::Patterns;
use crate::lang::diag::{Diagnostic, FileId, Sources, Span, Subject};
use crate::lang::digest::Digest;
use crate::lang::eval::failure::is_without_value;
use crate::lang::infer::{self, Program};
use crate::lang::nat::Name;
use crate::lang::path::Path;
use crate::lang::pattern::Pattern;
use crate::lang::print;
use crate::lang::syntax::{self, ast};
use crate::lang::term::{Expr, Term};
use crate::lower;
use crate::rewrite::guide::{self, Enabling, enabling};
use crate::rewrite::names::named;
use crate::rewrite::normal::{Redex, reduce, written_params};
use crate::rewrite::rule::load::Source;
use crate::rewrite::rule::right_to_left::RIGHT_TO_LEFT;
use crate::rewrite::rule::{self, Marks, Rewritten, RuleSet, library};
use crate::rewrite::sketch;
use crate::rewrite::strategy::{self, Cause, Script, open};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::Path as File;
use std::sync::atomic::AtomicBool;

/// The seed of everything random in a session.
pub const SEED: u64 = 1;

/// Problems with the texts that they are in.
#[derive(Clone, Debug)]
pub struct Problems {
    pub sources: Sources,
    pub list: Vec<Diagnostic>,
}

impl Problems {
    /// A problem that is in no text.
    pub fn one(problem: Diagnostic) -> Problems {
        Problems { sources: Sources::new(), list: vec![problem] }
    }

    /// The file of the first problem, by its label.
    pub fn file(&self) -> Option<String> {
        Some(self.sources.get(self.list.first()?.span()?.file)?.name.to_string())
    }

    /// The first problem, with the texts it is in.
    pub fn first(&self) -> Diagnostic {
        let first = self.list.first().cloned();
        first.unwrap_or_else(|| Diagnostic::error("E0811", "The cause is not known.")).within(&self.sources)
    }
}

/// A loaded program with its rules and strategies.
pub struct Workspace {
    pub texts: Texts,
    /// The definition that was asked for, where it is not the last one.
    pub def: Option<String>,
    pub sources: Sources,
    pub program: Program,
    pub rules: RuleSet,
    pub script: Script,
    pub sketches: sketch::Library,
    /// Warnings, and what is wrong with rules and strategies: those that are right can be used without the others.
    pub problems: Vec<Diagnostic>,
}

/// A strategy as it was typed, with the texts that problems with it point into.
pub struct StrategyText {
    pub tree: ast::Strategy,
    texts: Sources,
    /// What sizes were given where it runs.
    pub(super) known: Sizes,
}

/// A part of what a strategy did: a search, or rewrites of its own.
pub struct Leg {
    /// For a search, what it started from and what it found.
    pub reach: Option<(Digest, Digest)>,
    /// Where the search was made.
    pub at: Path,
    /// The whole program before.
    pub before: Term,
    /// Each rewrite with the whole program after it.
    pub steps: Vec<RevisionStep>,
}

/// A strategy that was run for what its searches know.
pub struct Examination {
    pub end: StrategyEnd,
    pub searches: Vec<Examined>,
    /// How it came to its end, if it did.
    pub way: Vec<Leg>,
}

/// A function in C that takes its sizes, and what must hold of them.
pub struct Generic {
    pub kernel: Kernel,
    pub constraints: Vec<SizeConstraint>,
}

/// How a strategy ended.
pub struct StrategyEnd {
    pub result: Result<Change, Diagnostic>,
    /// The searches that it ran, in order, whether or not it got to its end.
    pub searches: Vec<SearchOutcome>,
    /// Where it did not: the steps before, of which nothing would have been taken back.
    pub before: Vec<RevisionStep>,
}

impl StrategyText {
    /// The texts that problems with it point into.
    pub fn texts(&self) -> &Sources {
        &self.texts
    }

    /// Another tree whose places are in the same texts.
    pub fn with_tree(&self, tree: ast::Strategy) -> StrategyText {
        StrategyText { tree, texts: self.texts.clone(), known: self.known.clone() }
    }

    /// The strategy where these sizes were given.
    #[must_use]
    pub fn knowing(self, sizes: &Sizes) -> StrategyText {
        StrategyText { known: sizes.clone(), ..self }
    }
}

/// So many of the conditions that sizes do not meet are named.
const NAMED: usize = 3;

impl Workspace {
    /// A name that nothing has, nor is to have: the first of these.
    pub fn free_name(&self, mut names: impl Iterator<Item = String>, taken: &[String]) -> Option<String> {
        names.find(|name| {
            !taken.contains(name)
                && !self.script.is_taken(name, &self.rules)
                && self.sketches.names().all(|n| **n != **name)
        })
    }

    /// Reads and checks all texts. Rules and strategies with errors are left out, and their errors kept.
    ///
    /// # Errors
    /// All problems, with the texts they are in, when the program itself is wrong.
    pub fn load(texts: &Texts, def: Option<&str>) -> Result<Workspace, Box<Problems>> {
        let mut sources = Sources::new();
        let mut problems = vec![];
        let file = sources.add(&texts.program.label, &texts.program.text);
        let (mut tree, found) = syntax::parse_program(file, &texts.program.text);
        let mut imported = vec![];
        for text in texts.files.iter().filter(|t| t.label.ends_with(".rise")) {
            let (tree, found) = syntax::parse_program(sources.add(&text.label, &text.text), &text.text);
            imported.extend(tree.items);
            problems.extend(found);
        }
        tree.items.splice(0..0, imported);
        let patterns = infer::patterns(&tree);
        let mut beside = vec![];
        let own = Own::of(&texts.program.label, &tree);
        let (mut rules, script, sketches) =
            library(&patterns, &texts.files, Some(&own), &mut sources, &mut beside);
        let (declared, stated) = rule::load::in_program(&tree);
        rules.believe(declared);
        let (program, meant) = infer::program(&tree, def);
        let meant = tree.news(&found, stated.into_iter().chain(meant).collect());
        problems.extend(found);
        problems.extend(meant);
        let failed = problems.iter().any(Diagnostic::is_error);
        problems.extend(beside);
        match program {
            Some(program) if !failed => Ok(Workspace {
                texts: texts.clone(),
                def: def.map(str::to_string),
                sources,
                program,
                rules,
                script,
                sketches,
                problems,
            }),
            _ => Err(Box::new(Problems { sources, list: problems })),
        }
    }

    /// What is wrong with rules and strategies.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.problems.iter().filter(|problem| problem.is_error())
    }

    /// Checks values for the program's sizes.
    ///
    /// # Errors
    /// A name that is no size of the program, or sizes that the program as written cannot have.
    pub fn check_sizes(&self, sizes: &Sizes) -> Result<(), Diagnostic> {
        let known = &self.program.sizes;
        if let Some(name) = sizes.keys().find(|n| !known.contains(n)) {
            return Err(self.without_size(name));
        }
        refuted(&self.program, sizes).map_or(Ok(()), |problem| Err(problem.within(&self.sources)))
    }

    /// `E0152`: a name that is no size of the program, with those that are.
    pub fn without_size(&self, name: &str) -> Diagnostic {
        let known = &self.program.sizes;
        let problem = Diagnostic::error("E0152", format!("The program has no size `{name}`."));
        let all: Vec<String> = known.iter().map(|n| format!("`{n}`")).collect();
        let has = match all.as_slice() {
            [] => return problem.hint("All of its sizes are fixed."),
            [one] => format!("Its only size is {one}."),
            all => format!("Its sizes are {}.", all.join(", ")),
        };
        problem.did_you_mean(name, known.iter().map(|n| &**n)).note(has)
    }

    /// What must hold of the sizes for a term to make sense, as text.
    pub fn constraints(&self, term: &Term) -> Vec<String> {
        let all = self.program.constraints_with(term);
        SizeConstraint::telling(&all).map(ToString::to_string).collect()
    }

    /// All that a term asks of sizes and these do not meet, in words; what is asked of sizes without a value may be met.
    pub fn broken(&self, term: &Term, sizes: &Sizes) -> Option<String> {
        let value = |name: &str| sizes.get(name).copied();
        let asked = self.program.constraints_with(term).into_iter().filter(|c| c.holds(&value) == Ok(false));
        let mut broken: Vec<String> = asked.map(|c| c.to_string()).collect();
        let more = broken.len().saturating_sub(NAMED);
        broken.truncate(NAMED);
        broken.extend((more > 0).then(|| format!("{more} more")));
        let last = broken.pop()?;
        Some(if broken.is_empty() { last } else { format!("{} and {last}", broken.join(", ")) })
    }

    /// The term as a program in RISE, in ASCII, as it is recorded.
    pub fn print(&self, term: &Term) -> String {
        printed(&self.program.name, &self.program.sizes, term)
    }

    /// The same text, for when somebody reads it.
    pub fn written(&self, term: &Term) -> Written {
        Written::of(&self.program.name, &self.program.sizes, term)
    }

    /// The header of a session of this workspace.
    pub fn header(&self, sizes: &Sizes) -> v1::Header {
        let embed = |t: &Text| v1::Text {
            label: t.label.clone(),
            digest: t.digest().to_string(),
            text: t.text.clone(),
        };
        v1::Header {
            format: 1,
            tool: concat!("shine-tui ", env!("CARGO_PKG_VERSION")).into(),
            program: embed(&self.texts.program),
            def: self.def.clone(),
            files: self.texts.files.iter().map(embed).collect(),
            rules: self.rule_digests(),
            sizes: convert::sizes_out(sizes),
            seed: SEED,
            seal: String::new(),
        }
    }

    /// The digest of every rule by its name.
    pub fn rule_digests(&self) -> IndexMap<String, String> {
        self.rules.rules().map(|r| (r.name.to_string(), r.digest.to_string())).collect()
    }

    /// Runs a strategy that does not search, to its end.
    ///
    /// # Errors
    /// Where it failed, and why.
    pub(super) fn run_without_search(
        &self,
        tree: &ast::Strategy,
        term: &Term,
        known: Option<&Sizes>,
    ) -> Result<Rewritten, Box<strategy::Stuck>> {
        let env = strategy::Env { rules: &self.rules, sizes: &self.program.sizes, known };
        let (never, mut none) = (AtomicBool::new(false), strategy::NoSearch);
        let mut control = strategy::Control { cancel: &never, fuel: strategy::FUEL, search: &mut none };
        strategy::run(tree, term, &self.script, &env, &mut control)
    }

    /// Applies a rule, written with its arguments, at a position.
    ///
    /// # Errors
    /// The text is no rule, or the rule does not apply there, with the reason.
    pub fn apply(&self, term: &Term, text: &str, at: &Path) -> Result<Rewritten, Diagnostic> {
        let StrategyText { tree: call, texts, .. } = self.parse_strategy(text)?;
        let head = called(&call);
        let Some(rule) = head.and_then(|name| self.rules.get(name)) else {
            let problem = Diagnostic::error("E0209", format!("`{text}` is no rule."));
            return Err(problem
                .did_you_mean(head.map_or(text, |n| n), self.rules.names().map(|n| &**n))
                .hint("`shine-tui rules` lists them."));
        };
        let Some(part) = term.at(at) else {
            return Err(no_position(at));
        };
        let done = self.run_without_search(&call, part, None).map_err(|stuck| match &stuck.cause {
            Cause::NotApplicable { why, .. } => {
                let to = |at: &Path| match at.is_root() {
                    true => "to the whole program".to_owned(),
                    false => format!("at {at}"),
                };
                let problem = Diagnostic::error("E0312", format!("`{text}` does not apply {}.", to(at)))
                    .note(format!("{}.", told(term, at, rule, why)));
                let problem = match self.nearest(term, &call, at) {
                    Some((place, 1)) => problem.hint(format!("It applies only {}.", to(&place))),
                    Some((place, all)) => {
                        let place =
                            if place.is_root() { "the whole program".into() } else { place.to_string() };
                        problem.hint(format!("It applies at {all} places; the nearest is {place}."))
                    }
                    None => problem,
                };
                let problem = match self.enabling(term, &call, at) {
                    Some(first) => problem.hint(first.told(text, at)),
                    None => problem,
                };
                match self.shown_by(&rule.name) {
                    Some(how) => problem.hint(how),
                    None => problem,
                }
            }
            _ => self.told_stuck(&stuck, &call, at).within(&texts),
        })?;
        let whole = term.replace_at(at, done.term.clone());
        let whole =
            whole.ok_or_else(|| Diagnostic::error("E0811", "A rewritten part does not fit its place."))?;
        self.can_be_met(term, &whole)?;
        Ok(Rewritten { term: whole, paths: done.paths.below(at), ..done })
    }

    /// What shows a rule, of the library or of this program's files, where it is known which these are.
    fn shown_by(&self, rule: &str) -> Option<String> {
        let own = || {
            let folders = self.texts.origin.rules.iter().map(|folder| ("--rules", folder));
            let files = folders.chain([("--program", self.texts.origin.program.as_ref()?)]);
            let places: String = files.map(|(option, file)| format!(" {option} {}", shell(file))).collect();
            Some(format!("`shine-tui rules{places} {rule}` shows the rule."))
        };
        library::shown_by(rule).or_else(own)
    }

    /// Is there nothing that the rewritten program asks of its sizes and that holds at none? What a rule asks of the size of a step,
    /// as of `iterate`, stands for several sizes, which only the whole program tells.
    ///
    /// # Errors
    /// There is something that the program before did not ask.
    fn can_be_met(&self, before: &Term, after: &Term) -> Result<(), Diagnostic> {
        let never = |c: &SizeConstraint| c.holds(&|_| None) == Ok(false);
        let broken = self.program.constraints_with(after).into_iter().find(never);
        let Some(never) = broken.filter(|c| !self.program.constraints_with(before).contains(c)) else {
            return Ok(());
        };
        let text = format!("The program would ask of its sizes that {never}, which never holds.");
        let problem = Diagnostic::error("E0312", text);
        let steps = after.positions().iter().any(|(_, t)| t.as_pattern() == Some(Pattern::Iterate));
        Err(match steps {
            true => problem
                .note("A length within a step, as of `iterate`, is a different one in each step.")
                .hint("Choose another size, or rewrite outside of the step."),
            false => problem.hint("Choose another size."),
        })
    }

    /// The rewrite after which a rule applies at a position where it does not, if one step of the library's is enough.
    pub fn enabling_rewrite(&self, term: &Term, text: &str, at: &Path) -> Option<Enabling> {
        self.enabling(term, &self.parse_strategy(text).ok()?.tree, at)
    }

    /// A strategy that did not get to its end on the part at a position; where that is for a rule or a sketch, with the rewrite that would
    /// make it apply or hold, and where something in its text is not what its place takes, with that.
    fn told_stuck(&self, stuck: &strategy::Stuck, tree: &ast::Strategy, part: &Path) -> Diagnostic {
        let problem = stuck::diagnostic(stuck, &self.script);
        if let Some((place, sketch, term)) = stuck::outside(stuck) {
            let lead = guide::lead_into(&self.rules, sketch, term);
            return lead.into_iter().fold(problem, |p, lead| p.hint(lead.told(&part.join(&place))));
        }
        match &stuck.cause {
            // What is given to the library and is no strategy is met within it.
            Cause::Invalid(inside)
                if matches!(inside.code, "E0306" | "E0307")
                    && inside.span().is_some_and(|at| at.file != tree.span.file) =>
            {
                let sizes = |file| (file == tree.span.file).then_some(&*self.program.sizes);
                let (rules, sketches) = (&self.rules, &self.sketches);
                let known = strategy::Known { rules, sketches, sizes: &sizes };
                self.script.wrong_in(tree, &known).into_iter().next().unwrap_or(problem)
            }
            // What was taken back makes room for nothing.
            Cause::NotApplicable { strategy, .. }
                if stuck.on.is_some()
                    && stuck.on == stuck.so_far.term.at(&stuck.at).map(|stands| stands.digest()) =>
            {
                match self.enabling_rewrite(&stuck.so_far.term, strategy, &stuck.at) {
                    Some(first) => problem.hint(first.below(part).told(strategy, &part.join(&stuck.at))),
                    None => problem,
                }
            }
            _ => problem,
        }
    }

    /// All places where a rule, written with its arguments, applies.
    pub fn places_of(&self, term: &Term, text: &str) -> Vec<Path> {
        self.parse_strategy(text).map_or_else(|_| vec![], |read| self.applying(term, &read.tree))
    }

    fn applying(&self, term: &Term, call: &ast::Strategy) -> Vec<Path> {
        let applies = |part: &Term| self.run_without_search(call, part, None).is_ok();
        term.positions().into_iter().filter(|(_, part)| applies(part)).map(|(place, _)| place).collect()
    }

    /// The place where a rule applies that is the fewest steps in the term away from another one, of how many.
    fn nearest(&self, term: &Term, call: &ast::Strategy, from: &Path) -> Option<(Path, usize)> {
        let places = self.applying(term, call);
        let away = |place: &&Path| {
            let shared = place.steps().iter().zip(from.steps()).take_while(|(a, b)| a == b).count();
            place.len() + from.len() - 2 * shared
        };
        Some((places.iter().min_by_key(away)?.clone(), places.len()))
    }

    fn enabling(&self, term: &Term, call: &ast::Strategy, at: &Path) -> Option<Enabling> {
        enabling(&self.rules, term, at, &|part| Some(self.run_without_search(call, part, None).ok()?.term))
    }

    /// Reads a program in the form that [`Workspace::print`] writes.
    pub fn parse_program(&self, text: &str) -> Option<Term> {
        let mut sources = Sources::new();
        let file = sources.add("the recorded program", text);
        let (tree, problems) = syntax::parse_program(file, text);
        // What the text declares again is what the program declared.
        let own: Vec<_> = tree.items.iter().filter_map(|i| i.kind.name()).map(|n| &*n.kind).collect();
        let others = self.program.patterns.declared().filter(|d| !own.contains(&&**d.name()));
        let (program, found) = infer::program_with(&tree, None, &others.collect());
        let failed = problems.iter().chain(&found).any(Diagnostic::is_error);
        program.filter(|_| !failed).map(|p| p.term)
    }

    /// As [`Workspace::parse_program`], of a text that was recorded with the digest of its program: where that has not all of its
    /// parameters written out, as after eta reduction, neither has this.
    pub fn parse_recorded(&self, text: &str, digest: Digest) -> Option<Term> {
        let read = self.parse_program(text)?;
        let with_fewer = |term: &Term| {
            let params = written_params(term).len().checked_sub(1)?;
            let innermost = (0..params).fold(Path::root(), |at, _| at.child(0));
            let (redex, after) = reduce(term.at(&innermost)?)?;
            (redex == Redex::Eta).then(|| term.replace_at(&innermost, after))?
        };
        let mut forms = std::iter::successors(Some(read.clone()), with_fewer);
        Some(forms.find(|term| term.digest() == digest).unwrap_or(read))
    }

    /// As [`Workspace::apply`], ready to become a revision.
    ///
    /// # Errors
    /// As [`Workspace::apply`].
    pub fn apply_as_change(&self, term: &Term, text: &str, at: &Path) -> Result<Change, Diagnostic> {
        let done = self.apply(term, text, at)?;
        let rules = done.steps.iter().filter_map(|s| self.rules.of_step(s));
        let marks = rules.flat_map(|used| used.rule.changes().iter()).collect();
        let step = RevisionStep { rule: text.to_string(), marks, at: at.clone(), after: done.term.clone() };
        let term = named(&done.term, &self.program.term);
        let (paths, counts, asked_sizes) = (done.paths, done.counts, done.asked_sizes);
        Ok(Change { term, paths, steps: vec![step], counts, asked_sizes })
    }

    /// Reads a strategy.
    ///
    /// # Errors
    /// The text is none.
    pub fn parse_strategy(&self, text: &str) -> Result<StrategyText, Diagnostic> {
        let mut texts = self.sources.clone();
        let file = texts.add("the strategy", text);
        let (tree, problems) = syntax::parse_strategy(file, text);
        match problems.into_iter().find(Diagnostic::is_error) {
            Some(problem) => Err(problem.within(&texts)),
            None => Ok(StrategyText { tree: open::named(&tree, &self.script), texts, known: Sizes::new() }),
        }
    }

    /// Runs a strategy on the sub-term at a position.
    pub fn run_strategy(
        &self,
        term: &Term,
        strategy: &StrategyText,
        at: &Path,
        replayed: &Replayed,
        control: &Control<Progress>,
    ) -> StrategyEnd {
        self.run_keeping(term, strategy, at, replayed, None, control)
    }

    /// As [`Workspace::run_strategy`]; the graph of a search that does not get to its end is kept there, and what is there is
    /// gone on with, or dropped at the end.
    pub fn run_keeping(
        &self,
        term: &Term,
        strategy: &StrategyText,
        at: &Path,
        replayed: &Replayed,
        shelf: Option<&Shelf>,
        control: &Control<Progress>,
    ) -> StrategyEnd {
        let Some(part) = term.at(at) else {
            return StrategyEnd { result: Err(no_position(at)), searches: vec![], before: vec![] };
        };
        let mut searcher = Searcher::new(self, replayed.clone(), control);
        if let Some(shelf) = shelf {
            searching::begin(shelf);
            searcher = searcher.keeping(shelf);
        }
        let done = self.run_with(term, part, strategy, at, searcher, control).end;
        shelf.into_iter().for_each(searching::end);
        done
    }

    /// Runs a strategy on the whole program, and tells all that its searches know, each with so many of the programs that
    /// satisfy its sketch.
    pub fn examine(
        &self,
        term: &Term,
        strategy: &StrategyText,
        best: usize,
        control: &Control<Progress>,
    ) -> Examination {
        self.examine_more(term, strategy, (best, best), control)
    }

    /// The same, with more programs of the graphs with which the searches end, up to so many.
    pub fn examine_more(
        &self,
        term: &Term,
        strategy: &StrategyText,
        (best, most): (usize, usize),
        control: &Control<Progress>,
    ) -> Examination {
        let searcher = Searcher::new(self, Replayed::none(), control).examining(best).telling(most);
        self.run_with(term, term, strategy, &Path::root(), searcher, control)
    }

    fn run_with(
        &self,
        term: &Term,
        part: &Term,
        strategy: &StrategyText,
        at: &Path,
        mut searcher: Searcher<'_>,
        control: &Control<Progress>,
    ) -> Examination {
        let env =
            strategy::Env { rules: &self.rules, sizes: &self.program.sizes, known: Some(&strategy.known) };
        let cancel = control.cancel_flag();
        let done = {
            let mut limits =
                strategy::Control { cancel: &cancel, fuel: strategy::FUEL, search: &mut searcher };
            strategy::run(&strategy.tree, part, &self.script, &env, &mut limits)
        };
        let way = done.as_ref().map_or(vec![], |done| self.legs(term, at, done, &searcher));
        let (result, before) = match done {
            Ok(done) => (self.change(term, at, &done, &way), vec![]),
            Err(stuck) => {
                let before = self.steps(term, at, &stuck.so_far, &searcher);
                (Err(self.told_stuck(&stuck, &strategy.tree, at).within(&strategy.texts)), before)
            }
        };
        let searches = searcher.take_examined();
        Examination { end: StrategyEnd { result, searches: searcher.into_taken(), before }, searches, way }
    }

    /// A rewritten part in its place, with every step as the term after it.
    fn change(&self, root: &Term, at: &Path, done: &Rewritten, way: &[Leg]) -> Result<Change, Diagnostic> {
        let misplaced = || Diagnostic::error("E0811", "A rewritten part does not fit its place.");
        let term = root.replace_at(at, done.term.clone()).ok_or_else(misplaced)?;
        term.check().map_err(|why| misplaced().note(why))?;
        self.can_be_met(root, &term)?;
        let term = named(&term, &self.program.term);
        let steps = way.iter().flat_map(|leg| leg.steps.iter().cloned()).collect();
        let (paths, counts, asked_sizes) = (done.paths.below(at), done.counts, done.asked_sizes);
        Ok(Change { term, paths, steps, counts, asked_sizes })
    }

    /// Every step of a rewriting as the whole term after it.
    fn steps(&self, root: &Term, at: &Path, done: &Rewritten, searcher: &Searcher<'_>) -> Vec<RevisionStep> {
        self.legs(root, at, done, searcher).into_iter().flat_map(|leg| leg.steps).collect()
    }

    /// The rewrites of a strategy, those of each search apart.
    fn legs(&self, root: &Term, at: &Path, done: &Rewritten, searcher: &Searcher<'_>) -> Vec<Leg> {
        let mut now = root.clone();
        let mut legs: Vec<Leg> = vec![];
        for step in &done.steps {
            let place = at.join(&step.at);
            let added = match self.rules.of_step(step) {
                Some(rule) => now.replace_at(&place, step.after.clone()).map(|after| {
                    let (rule, marks) = (rule.to_string(), rule.rule.changes());
                    vec![RevisionStep { rule, marks, at: place.clone(), after }]
                }),
                None => searcher.found(step).and_then(|found| found_at(&now, &place, found)),
            };
            // The steps only tell how the term came about; it stands without them.
            let Some(added) = added else { break };
            let after = added.last().map_or(now.clone(), |step: &RevisionStep| step.after.clone());
            let reach = (*step.rule == *REACH).then(|| (step.before.digest(), step.after.digest()));
            match legs.last_mut() {
                Some(leg) if leg.reach.is_none() && reach.is_none() => leg.steps.extend(added),
                _ => legs.push(Leg { reach, at: place, before: now, steps: added }),
            }
            now = after;
        }
        legs
    }

    /// The code of a term: with values for all sizes specialised to them, else generic.
    ///
    /// # Errors
    /// The term cannot be lowered or the sizes do not fit it.
    pub fn compile(&self, term: &Term, target: Target, sizes: &Sizes) -> Result<Compiled, Diagnostic> {
        self.compile_telling(term, target, sizes).map(|(compiled, _)| compiled)
    }

    /// As [`Workspace::compile`], with what a strategy did that nobody asked for.
    ///
    /// # Errors
    /// As [`Workspace::compile`].
    pub fn compile_telling(
        &self,
        term: &Term,
        target: Target,
        sizes: &Sizes,
    ) -> Result<(Compiled, Option<Unasked>), Diagnostic> {
        let (emit::Attempt { stages, module }, unasked) = self.attempt_telling(term, target, sizes)?;
        Ok((Compiled { stages, module: module? }, unasked))
    }

    /// The function in C that a term is, under this name and with all sizes as parameters, and what must hold of these.
    ///
    /// # Errors
    /// As [`Workspace::compile`].
    pub fn generic(&self, term: &Term, name: &str) -> Result<Generic, Diagnostic> {
        let program = self.program.with_term(with_plain_names(term, &self.program.params).numbered());
        let program = Program { name: name.into(), ..program };
        let lowered =
            lower::default_lowering(&program).map_err(|problem| self.located(problem, &program.term))?;
        let compiled = emit::compile(&lowered, lower::Target::C, None);
        let compiled = compiled.map_err(|problem| self.located(problem, &lowered.term))?;
        Ok(Generic { kernel: compiled.into_kernel(), constraints: lowered.constraints })
    }

    /// The stages on the way to the code of a term, as far as it can be compiled.
    ///
    /// # Errors
    /// As [`Workspace::compile`], where there is no stage at all.
    pub fn attempt(&self, term: &Term, target: Target, sizes: &Sizes) -> Result<emit::Attempt, Diagnostic> {
        self.attempt_telling(term, target, sizes).map(|(attempt, _)| attempt)
    }

    fn attempt_telling(
        &self,
        term: &Term,
        target: Target,
        sizes: &Sizes,
    ) -> Result<(emit::Attempt, Option<Unasked>), Diagnostic> {
        let program = self.program.with_term(with_plain_names(term, &self.program.params).numbered());
        let target = match target {
            Target::C => lower::Target::C,
            Target::OpenCl => lower::Target::OpenCl,
        };
        let complete = program.sizes.iter().all(|s| sizes.contains_key(s));
        // What was not rewritten has its places in the text.
        let checked = if *term == self.program.term { &self.program } else { &program };
        if let Some(problem) = refuted(checked, sizes) {
            return Err(self.located(problem, &checked.term));
        }
        let sizes = complete.then_some(sizes);
        let mut unasked = None;
        if target == lower::Target::OpenCl
            && let Some(shared_out) = auto::on_work_items(self, &program.term, sizes)
        {
            let attempt = self.attempt_of(&program.with_term(shared_out.term.clone()), target, sizes);
            match attempt.and_then(|emit::Attempt { stages, module }| Ok((stages, module?))) {
                Ok((stages, module)) => {
                    return Ok((emit::Attempt { stages, module: Ok(module) }, Some(shared_out)));
                }
                Err(problem) => unasked = Some(shared_out.not_compiled(problem)),
            }
        }
        self.attempt_of(&program, target, sizes).map(|attempt| (attempt, unasked))
    }

    /// The program that runs for a target: the term, or what is made of it where nobody asked for a strategy.
    pub fn what_runs(&self, term: &Term, target: Target, sizes: &Sizes) -> Term {
        let known = Some(sizes).filter(|_| self.program.sizes.iter().all(|s| sizes.contains_key(s)));
        let made = match target {
            Target::C => None,
            Target::OpenCl => auto::on_work_items(self, term, known),
        };
        let compiles = |made: &Term| {
            let attempt =
                self.attempt_of(&self.program.with_term(made.clone()), lower::Target::OpenCl, known);
            attempt.is_ok_and(|attempt| attempt.module.is_ok())
        };
        made.map(|made| made.term).filter(compiles).unwrap_or_else(|| term.clone())
    }

    /// The stages of a program as it stands.
    fn attempt_of(
        &self,
        program: &Program,
        target: lower::Target,
        sizes: Option<&Sizes>,
    ) -> Result<emit::Attempt, Diagnostic> {
        let lowered =
            lower::default_lowering(program).map_err(|problem| self.located(problem, &program.term))?;
        let mut attempt = emit::attempt(&lowered, target, sizes);
        attempt.module = attempt.module.map_err(|problem| self.located(problem, &lowered.term));
        Ok(attempt)
    }

    /// The problem with a term, shown in the program's text.
    pub fn located(&self, problem: Diagnostic, term: &Term) -> Diagnostic {
        self.placed(problem, term).within(&self.sources)
    }

    /// Shows in the program's text what a problem with a term is about: parts of it that stand in the text too.
    fn placed(&self, problem: Diagnostic, term: &Term) -> Diagnostic {
        let written = &self.program.term;
        let span = |path: &Path| self.program.spans.at(path);
        let mut what = "here";
        let mut spans: Vec<Span> = match problem.context.as_ref().and_then(|c| c.subject.as_ref()) {
            None | Some(Subject::From(_) | Subject::PatternFrom(..) | Subject::Made(_)) => return problem,
            _ if !problem.labels.is_empty() => return problem,
            Some(Subject::At(path)) => {
                let in_text = |path: &Path| span(&counterpart(term, written, path)?);
                let mut at = Some(path.clone());
                // What the text does not have stands within something that it has.
                let mut found = in_text(path);
                while found.is_none()
                    && let Some(parent) = at.as_ref().and_then(Path::parent)
                {
                    what = "within this";
                    found = in_text(&parent);
                    at = Some(parent);
                }
                found.into_iter().collect()
            }
            Some(Subject::Pattern(p)) => {
                let all = written.positions().into_iter().filter(|(_, t)| t.as_pattern() == Some(*p));
                all.filter_map(|(path, _)| span(&path)).collect()
            }
            Some(Subject::With(p, args)) => {
                let all = written.positions().into_iter().filter(|(_, t)| t.as_pattern() == Some(*p));
                let (exact, others): (Vec<_>, Vec<_>) =
                    all.partition(|(_, t)| t.as_prim().is_some_and(|prim| prim.args == *args));
                let all = if exact.is_empty() { others } else { exact };
                all.into_iter().filter_map(|(path, _)| span(&path)).collect()
            }
            Some(Subject::Outside(p)) => {
                lower::origin::outside(written, *p).iter().filter_map(span).collect()
            }
        };
        if spans.is_empty() {
            what = "in this program";
            spans.extend(span(&Path::new(vec![0; self.program.params.len()])));
        }
        let mut seen = HashSet::new();
        spans.retain(|s| seen.insert(*s));
        if spans.len() > 1 && is_without_value(&problem) {
            what = "one of these";
        }
        spans.into_iter().fold(problem, |p, span| p.label(span, what))
    }
}

/// Where a part of a term stands in another one that has it, too: of several places the one that has most of what is around it.
fn counterpart(term: &Term, other: &Term, path: &Path) -> Option<Path> {
    let mut best = None;
    let mut around = Some(path.clone());
    while let Some(at) = around {
        let part = term.at(&at)?;
        let below = Path::new(path.steps()[at.steps().len()..].to_vec());
        let places: Vec<Path> =
            other.positions().into_iter().filter(|(_, t)| *t == part).map(|(place, _)| place).collect();
        let same = places.iter().find(|place| **place == at);
        match (same.or(places.first()), places.len()) {
            (None, _) => break,
            (Some(place), 1) => return Some(place.join(&below)),
            (Some(place), _) => best = Some(place.join(&below)),
        }
        around = at.parent();
    }
    best
}

/// The name of the rule that is applied in a text, in either direction.
fn called(text: &ast::Strategy) -> Option<&Name> {
    match &text.kind {
        ast::StrategyKind::Name(name) => Some(name),
        ast::StrategyKind::Call(name, args) if &*name.kind == RIGHT_TO_LEFT => called(args.first()?),
        ast::StrategyKind::Call(name, _) => Some(&name.kind),
        _ => None,
    }
}

/// The steps of a search that was run on a part of a term; the search itself where they are not known.
fn found_at(whole: &Term, place: &Path, found: &Found) -> Option<Vec<RevisionStep>> {
    let step = |rule: &str, marks: Marks, at: Path, part: &Term| {
        let after = whole.replace_at(place, part.clone())?;
        Some(RevisionStep { rule: rule.to_string(), marks, at, after })
    };
    if found.steps.is_empty() {
        return Some(vec![step(REACH, found.marks, place.clone(), &found.term)?]);
    }
    found.steps.iter().map(|s| step(&s.rule, s.marks, place.join(&s.at), &s.after)).collect()
}

/// The term with the program's names for its parameters and one name for every binder inside. Equal terms may differ
/// in these names, and must have the same code.
fn with_plain_names(term: &Term, params: &[Name]) -> Term {
    fn go(t: &Term, params: &[Name], memo: &mut HashMap<(Digest, usize), Term>) -> Term {
        if let Some(done) = memo.get(&(t.digest(), params.len())) {
            return done.clone();
        }
        let out = match (t.expr(), t.ty().as_fun()) {
            (Expr::Lam(_, body), Some((param, _))) => {
                let (name, rest) = params.split_first().map_or(("x", params), |(name, rest)| (&**name, rest));
                Term::lam(name, param.clone(), go(body, rest, memo))
            }
            (Expr::App(f, e), _) => Term::app(go(f, &[], memo), go(e, &[], memo)),
            _ => t.clone(),
        };
        memo.insert((t.digest(), params.len()), out.clone());
        out
    }
    go(term, params, &mut HashMap::new())
}

/// What a program asks of its sizes that these do not meet, whatever those are that have no value.
fn refuted(program: &Program, sizes: &Sizes) -> Option<Diagnostic> {
    program.check_sizes(sizes).into_iter().find(|problem| problem.code != "E0151")
}

fn no_position(at: &Path) -> Diagnostic {
    Diagnostic::error("E0310", format!("The program has no position {at}."))
        .note("A position lists children from the root, each counted from 0.")
        .hint("On the screen the position of the selection stands at the top of the pane Term, and in `shine-tui line` \
               `select` says it; the root is `.`.")
}

/// Why a rule does not apply, with the place in the program and what stands there.
fn told(root: &Term, at: &Path, rule: &rule::Rule, why: &rule::WhyNot) -> String {
    let written = |t: &Term, place: &Path| {
        let names: Vec<Name> = root.binders_at(place).into_iter().rev().map(|(n, _)| n).collect();
        let options = print::Options { unicode: false, ..print::Options::default() };
        let text = print::open_term(t, &names, &options).text;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match text.char_indices().nth(60) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text,
        }
    };
    let place = at.join(&why.at);
    let plain = |v: &Name| {
        let eq = rule.equations().first();
        eq.and_then(|eq| Some(eq.vars[eq.var(v)?].scope.is_empty())).unwrap_or(false)
    };
    let mut text = match &why.reason {
        rule::why::Reason::Differs { variable, first, found } if plain(variable) => {
            let (first, here) = (written(first, at), written(found, &place));
            return format!("`{variable}` is `{first}` at first and `{here}` at {place}");
        }
        _ => rule::WhyNot { at: Path::root(), ..why.clone() }.to_string(),
    };
    if !why.at.is_root()
        && let Some(part) = root.at(&place)
    {
        text += &format!(" (at {place}: `{}`)", written(part, &place));
    }
    text
}

/// What is known of the program that files stand beside.
pub struct Own {
    /// The name of its file, without its ending.
    stem: Option<OsString>,
    /// What its sizes may be called, as far as it says so. A program of fixed sizes says nothing: strategies beside it may be
    /// those of the same program for any size.
    sizes: Option<Vec<Name>>,
}

impl Own {
    pub fn of(label: &str, program: &ast::File) -> Own {
        Own { stem: stem(label), sizes: program.names_of_sizes().filter(|sizes| !sizes.is_empty()) }
    }
}

fn stem(label: &str) -> Option<OsString> {
    File::new(label).file_stem().map(OsStr::to_owned)
}

/// The built-in rules, strategies and sketches with the user's. `own` is the program, where there is one: what stands beside it may
/// name its sizes and no others; what stands elsewhere those of any program.
pub fn library(
    patterns: &Patterns,
    files: &[Text],
    own: Option<&Own>,
    sources: &mut Sources,
    problems: &mut Vec<Diagnostic>,
) -> (RuleSet, Script, sketch::Library) {
    let (mut set, found) = RuleSet::builtin(sources);
    problems.extend(found);
    set.declare(patterns);
    let of = |ending: &'static str| files.iter().filter(move |t| t.label.ends_with(ending));
    let rules: Vec<Source<'_>> = of(".rules").map(|t| Source { label: &t.label, text: &t.text }).collect();
    problems.extend(set.load(sources, &rules));
    let mut script = Script::default();
    let mut sketches = sketch::Library::builtin();
    sketches.patterns = patterns.clone();
    for source in rule::library::strategies() {
        let file = sources.add(source.label, source.text);
        problems.extend(sketches.add(&script.add_later(file, source.text)));
    }
    let mut beside = vec![];
    for source in of(".elevate") {
        let file = sources.add(&source.label, &source.text);
        let (tree, found) = syntax::parse_elevate(file, &source.text);
        problems.extend(found);
        problems.extend(script.add(&tree, false));
        problems.extend(sketches.add(&tree));
        if own.is_some_and(|own| own.stem == stem(&source.label)) {
            beside.push(file);
        }
    }
    problems.extend(script.hidden(&set, patterns));
    problems.extend(script.taken_from_the_language(sources));
    // What is left out because it is wrong is no name that nothing has.
    if !problems.iter().any(Diagnostic::is_error) {
        let sizes =
            |file: FileId| own.filter(|_| beside.contains(&file)).and_then(|own| own.sizes.as_deref());
        let known = strategy::Known { rules: &set, sketches: &sketches, sizes: &sizes };
        problems.extend(script.wrong(&known));
    }
    (set, script, sketches)
}
