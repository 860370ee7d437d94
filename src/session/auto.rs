//! The strategy `auto` for OpenCL: what a device runs of a program for which nobody asked for a strategy, and what `auto`
//! means there.

use super::action::Target;
use super::workspace::Workspace;
use crate::lang::diag::{Diagnostic, FileId};
use crate::lang::eval::Sizes;
use crate::lang::pattern::Pattern;
use crate::lang::syntax::parse_strategy;
use crate::lang::term::{Expr, Term};
use crate::lang::ty::Scalar;
use indexmap::IndexSet;

/// The library's strategy, and the one without rules that may change a result, its rounding included.
const STRATEGIES: [&str; 2] = ["auto(opencl)", "auto(opencl, exact)"];
/// The same where the user's own `auto` is another.
const BY_OTHER_NAMES: [&str; 2] = ["autoBy(onWorkItems, id)", "autoBy(onWorkItems, hasExactType)"];

/// How the sentence begins that names the rules by which a result may have changed.
pub const WHAT_RAN: &str = "What ran is what ";

/// What a strategy that nobody asked for made of a program.
pub struct Unasked {
    pub term: Term,
    strategy: &'static str,
    /// The rules that it used which may change a result, with their marks.
    marked: IndexSet<String>,
    /// Why the program ran as it stands instead.
    not_compiled: Option<Diagnostic>,
}

impl Unasked {
    /// The same, of which there is no code.
    pub fn not_compiled(self, problem: Diagnostic) -> Unasked {
        Unasked { not_compiled: Some(problem), ..self }
    }

    /// A sentence for who sees the result, where rules may have changed it, or where it is not the strategy's.
    pub fn warning(&self) -> Option<String> {
        if let Some(Diagnostic { code, message, .. }) = &self.not_compiled {
            return Some(format!(
                "What `{}` makes of the program cannot be compiled ({code}: {}), so the program ran as it stands, where \
                 only what it says itself is shared out among work-items.",
                self.strategy,
                message.trim_end_matches('.')
            ));
        }
        if self.marked.is_empty() {
            return None;
        }
        let rules: Vec<&str> = self.marked.iter().map(String::as_str).collect();
        let [_, exact] = if self.strategy == STRATEGIES[0] { STRATEGIES } else { BY_OTHER_NAMES };
        Some(format!(
            "{WHAT_RAN}`{}` makes of the program, by rules that may change a result of floats as their marks say: \
             {}. `--strategy '{exact}'` uses none of them on floats.",
            self.strategy,
            rules.join(", ")
        ))
    }
}

/// The strategy for a target that is known: the library's `auto` alone would be for threads, of which OpenCL has none.
pub fn for_target<'a>(text: &'a str, target: Target, workspace: &Workspace) -> &'a str {
    match (text.trim(), target) {
        _ if has_own(workspace) => text,
        ("auto", Target::OpenCl) => STRATEGIES[0],
        ("auto(exact)", Target::OpenCl) => STRATEGIES[1],
        _ => text,
    }
}

/// The strategy that is tuned where nobody names one, without what does not concern the target.
pub fn to_tune(target: Target, workspace: &Workspace) -> &'static str {
    match target {
        _ if has_own(workspace) => "auto",
        Target::OpenCl => STRATEGIES[0],
        Target::C => "choose(auto, bufferedPipeline, rotatedPipeline)",
    }
}

/// Does a file of the user's define `auto`?
fn has_own(workspace: &Workspace) -> bool {
    workspace.script.strategy("auto").is_some_and(|definition| !definition.library)
}

/// The program on work-items, for these sizes where they are known. What was rewritten stays exact: a strategy may have been asked to be. None where the
/// strategy changes nothing, as where a program says itself what runs where.
pub fn on_work_items(workspace: &Workspace, program: &Term, known: Option<&Sizes>) -> Option<Unasked> {
    // Whoever gives threads something to do says where it runs; that `auto(opencl)` gives it to work-items is asked for.
    let on_threads = |t: &Term| matches!(t.expr(), Expr::Prim(p) if p.pattern == Pattern::MapPar);
    if program.positions().iter().any(|(_, t)| on_threads(t)) {
        return None;
    }
    let [usual, exact] = if has_own(workspace) { BY_OTHER_NAMES } else { STRATEGIES };
    let strategy = if *program == workspace.program.term { usual } else { exact };
    let (tree, _) = parse_strategy(FileId::NOWHERE, strategy);
    let done = workspace.run_without_search(&tree, program, known).ok()?;
    let rounds =
        done.term.positions().iter().any(|(_, t)| t.ty().lane().as_scalar().is_some_and(Scalar::is_float));
    let rules = done.steps.iter().filter_map(|step| workspace.rules.of_step(step)).map(|used| used.rule);
    let marked = rules
        .filter(|r| rounds && !r.changes().is_empty())
        .map(|r| format!("{} {}", r.name, r.changes()))
        .collect();
    (done.term != *program).then_some(Unasked { term: done.term, strategy, marked, not_compiled: None })
}
