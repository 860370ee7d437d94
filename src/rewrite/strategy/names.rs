//! What is wrong with a user's definitions before any of them runs: names that nothing has, arguments that are too many, too
//! few or of another kind, searches whose sketch or rules cannot be read.
//!
//! Names mean what they mean when a strategy runs (`evaluate`). A parameter may stand for anything, unless a definition runs
//! it: then it is a strategy, and what is given for it has all of its arguments.

use super::elsewhere;
use super::evaluate::{arguments, number, too_many};
use super::native::{Native, RENUMBER};
use super::open;
use super::script::{Definition, Script};
use crate::lang::diag::{Diagnostic, FileId, Span};
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::AddressSpace;
use crate::lang::syntax::ast::{self, Among, Local, Shape, ShapeKind, Strategy, StrategyKind};
use crate::rule::right_to_left::RIGHT_TO_LEFT;
use crate::rule::{ParamKind, RuleSet, load};
use crate::sketch;
use std::collections::{HashMap, HashSet, VecDeque};

/// What definitions may refer to.
pub struct Known<'a> {
    pub rules: &'a RuleSet,
    pub sketches: &'a sketch::Library,
    /// The sizes of the program that a file belongs to; none of a file that may belong to any.
    pub sizes: &'a dyn Fn(FileId) -> Option<&'a [Name]>,
}

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// What runs: with all of its arguments.
    Strategy,
    Size,
    Any,
}

/// What a text stands for, as far as that is known.
#[derive(Clone)]
enum What {
    /// It takes these arguments, of which some must be given.
    Call(Call),
    /// A parameter by its number.
    Param(usize),
    Size,
    /// In words.
    Other(&'static str),
    Any,
}

#[derive(Clone)]
struct Call {
    name: Name,
    /// The arguments that it still takes, and how many of them it needs.
    takes: VecDeque<Wanted>,
    needs: usize,
    given: usize,
    /// The command that shows it.
    shown_by: &'static str,
}

type Scope = Vec<(Name, What)>;

/// What runs and takes nothing.
fn runs() -> What {
    called("", vec![], 0, "")
}

fn called(name: &str, takes: Vec<Wanted>, needs: usize, shown_by: &'static str) -> What {
    What::Call(Call { name: name.into(), takes: takes.into(), needs, given: 0, shown_by })
}

impl Script {
    /// What is wrong with what the user's files define.
    pub fn wrong<'a>(&'a self, known: &'a Known<'a>) -> Vec<Diagnostic> {
        self.problems(known, |reader| {
            for def in self.strategies().filter(|d| !d.library) {
                reader.clauses(def);
            }
            reader.others();
            reader.sketches();
        })
    }

    /// What is wrong with a strategy that was typed.
    pub fn wrong_in<'a>(&'a self, strategy: &'a Strategy, known: &'a Known<'a>) -> Vec<Diagnostic> {
        self.problems(known, |reader| drop(reader.value(strategy, &vec![], Wanted::Strategy)))
    }

    fn problems<'a>(&'a self, known: &'a Known<'a>, read: impl FnOnce(&mut Reader<'a>)) -> Vec<Diagnostic> {
        let mut reader = Reader {
            script: self,
            known,
            library: false,
            problems: vec![],
            params: 0,
            run: HashSet::new(),
            takes: HashMap::new(),
            open: vec![],
        };
        read(&mut reader);
        let mut seen = HashSet::new();
        let mut problems = reader.problems;
        problems.retain(|p| seen.insert((p.span(), p.message.clone())));
        problems
    }
}

struct Reader<'a> {
    script: &'a Script,
    known: &'a Known<'a>,
    /// The text is the library's: the user's names mean nothing to it.
    library: bool,
    problems: Vec<Diagnostic>,
    /// So many parameters were met.
    params: usize,
    /// Those of them that a definition runs.
    run: HashSet<usize>,
    /// What definitions take, by name and whether they were replaced.
    takes: HashMap<(Name, bool), Vec<Wanted>>,
    /// Those that are being read.
    open: Vec<(Name, bool)>,
}

impl<'a> Reader<'a> {
    fn problem(&mut self, code: &'static str, message: String, (span, label): (Span, &str), hint: &str) {
        self.problems.push(Diagnostic::error(code, message).label(span, label).hint(hint));
    }

    /// Reads all clauses of a definition, and returns what it takes.
    fn clauses(&mut self, def: &'a Definition) -> Vec<Wanted> {
        let mut takes = vec![Wanted::Any; def.arity()];
        for clause in def.clauses.iter() {
            let mut scope = vec![];
            let of_params = self.bind(&clause.def.params, &mut scope);
            self.locals(&clause.def.locals, &mut scope);
            // A definition may also be the name of a size, of a list, or of a table of weights.
            let body = &clause.def.body;
            let what = self.what(body, &scope, Wanted::Strategy);
            if !matches!(what, What::Size | What::Other(_)) {
                self.meet(&what, Wanted::Strategy, body.span);
            }
            self.note_run(&of_params, &mut takes);
        }
        takes
    }

    /// Gives numbers to parameters, and returns those of the ones that have names.
    fn bind(&mut self, params: &'a [Shape], scope: &mut Scope) -> Vec<Option<usize>> {
        let mut numbers = vec![];
        for param in params {
            if let ShapeKind::Default(_, value) = &param.kind {
                self.value(value, &vec![], Wanted::Any);
            }
            let named = matches!(param.kind, ShapeKind::Name(_) | ShapeKind::Default(..));
            numbers.push(named.then_some(self.params));
            for name in param.kind.names() {
                scope.push((name, What::Param(self.params)));
                self.params += 1;
            }
        }
        numbers
    }

    fn note_run(&self, numbers: &[Option<usize>], takes: &mut [Wanted]) {
        for (wanted, number) in takes.iter_mut().zip(numbers) {
            if number.is_some_and(|n| self.run.contains(&n)) {
                *wanted = Wanted::Strategy;
            }
        }
    }

    /// Reads what stands behind `where`: each may call all others.
    fn locals(&mut self, locals: &'a [Local], scope: &mut Scope) {
        let needs = |local: &Local| local.params.iter().filter(|p| !has_value(p)).count();
        let first = scope.len();
        for local in locals {
            let takes = vec![Wanted::Any; local.params.len()];
            scope.push((local.name.kind.clone(), called(&local.name.kind, takes, needs(local), "")));
        }
        for (i, local) in locals.iter().enumerate() {
            let mut inner = scope.clone();
            let of_params = self.bind(&local.params, &mut inner);
            self.value(&local.body, &inner, Wanted::Strategy);
            let mut takes = vec![Wanted::Any; local.params.len()];
            self.note_run(&of_params, &mut takes);
            scope[first + i].1 = called(&local.name.kind, takes, needs(local), "");
        }
    }

    /// What a definition takes. One that calls itself is not asked again.
    fn takes(&mut self, def: &'a Definition, replaced: bool) -> Vec<Wanted> {
        let key = (def.name.clone(), replaced);
        if let Some(known) = self.takes.get(&key) {
            return known.clone();
        }
        // Of what the library's own text calls it is not asked: that would read most of the library at every start.
        if self.open.contains(&key) || self.library && def.library {
            return vec![Wanted::Any; def.arity()];
        }
        let (problems, library) = (self.problems.len(), self.library);
        self.open.push(key.clone());
        self.library = def.library;
        let takes = self.clauses(def);
        self.open.pop();
        self.library = library;
        // What is wrong in it is told where it is read for itself.
        self.problems.truncate(problems);
        self.takes.insert(key, takes.clone());
        takes
    }

    /// What a text stands for, where something is wanted.
    fn value(&mut self, text: &'a Strategy, scope: &Scope, wanted: Wanted) -> What {
        let what = self.what(text, scope, wanted);
        let before = self.problems.len();
        self.meet(&what, wanted, text.span);
        let told = self.problems.split_off(before).into_iter();
        self.problems.extend(told.map(|problem| elsewhere::mended_lack(problem, text, self.script)));
        what
    }

    fn meet(&mut self, what: &What, wanted: Wanted, span: Span) {
        let kind = match (what, wanted) {
            (What::Param(n), Wanted::Strategy) => {
                self.run.insert(*n);
                return;
            }
            (What::Call(call), Wanted::Strategy) if call.needs > 0 => {
                let Call { name, needs, given, shown_by, .. } = call;
                let wanted = arguments(needs + given);
                let message = format!("`{name}` takes {wanted} and is given {}.", number(*given));
                return self.problem("E0308", message, (span, "too few"), &shown(name, shown_by));
            }
            (What::Any | What::Param(_) | What::Call(_), Wanted::Any | Wanted::Strategy)
            | (What::Any | What::Param(_) | What::Size, Wanted::Size)
            | (_, Wanted::Any) => return,
            (What::Size, _) => "a size",
            (What::Call(_), _) => "a strategy",
            (What::Other(kind), _) => kind,
        };
        match wanted {
            Wanted::Size => {
                let message = format!("Here {kind} stands instead of a size.");
                let hint = "Sizes are made of whole numbers, sizes of the program and `+ - * / % div`.";
                self.problem("E0307", message, (span, "no size"), hint);
            }
            _ => {
                let message = format!("Here {kind} stands instead of a strategy.");
                let hint = "A strategy is a rule, the name of one, or made of others: `topDown(s)`, `a ; b`, `a <+ b`.";
                self.problem("E0306", message, (span, "no strategy"), hint);
            }
        }
    }

    fn what(&mut self, text: &'a Strategy, scope: &Scope, wanted: Wanted) -> What {
        match &text.kind {
            StrategyKind::Name(name) => self.name(&ast::Node::new(text.span, name.clone()), scope, wanted),
            StrategyKind::Number(_) => What::Size,
            StrategyKind::Call(head, args) if *head.kind == *RENUMBER => {
                args.iter().for_each(|arg| drop(self.value(arg, scope, Wanted::Any)));
                What::Other("a list")
            }
            StrategyKind::Call(head, args) => {
                let mut callee = self.name(head, scope, Wanted::Strategy);
                for arg in args {
                    let before = self.problems.len();
                    callee = self.apply(callee, arg, scope, head.span);
                    let told = self.problems.split_off(before).into_iter();
                    self.problems.extend(told.map(|p| self.script.told_what_is_taken(p, head, arg.span)));
                }
                callee
            }
            StrategyKind::List(items) => {
                for item in items {
                    if !self.is_weight(item) {
                        self.value(item, scope, Wanted::Any);
                    }
                }
                What::Other("a list")
            }
            StrategyKind::Cons(first, rest) => {
                self.value(first, scope, Wanted::Any);
                self.value(rest, scope, Wanted::Any);
                What::Other("a list")
            }
            StrategyKind::Infix(first, rest) => {
                self.value(first, scope, Wanted::Size);
                rest.iter().for_each(|(_, other)| drop(self.value(other, scope, Wanted::Size)));
                What::Size
            }
            StrategyKind::Seq(first, rest) => {
                self.value(first, scope, Wanted::Strategy);
                rest.iter().for_each(|(_, next)| drop(self.value(next, scope, Wanted::Strategy)));
                runs()
            }
            StrategyKind::Choice(all) => {
                all.iter().for_each(|s| drop(self.value(s, scope, Wanted::Strategy)));
                runs()
            }
            StrategyKind::At(first, rest) => {
                // What runs it says what it has to be.
                let mut last: (What, Span) = (self.what(first, scope, Wanted::Strategy), first.span);
                for transformer in rest {
                    let callee = self.what(transformer, scope, Wanted::Strategy);
                    last = (self.given(callee, last, transformer.span), transformer.span);
                }
                last.0
            }
            StrategyKind::Compare(a, _, b) => {
                self.value(a, scope, Wanted::Size);
                self.value(b, scope, Wanted::Size);
                runs()
            }
            StrategyKind::Else(s, _) => {
                self.value(s, scope, Wanted::Strategy);
                runs()
            }
            StrategyKind::Satisfies(sketch) => {
                self.sketch(sketch, scope);
                runs()
            }
            StrategyKind::Reach(reach) => {
                self.sketch(&reach.sketch, scope);
                for reference in reach.rules.iter().flatten() {
                    self.rules_of(reference, &|name| is_bound(scope, name));
                }
                runs()
            }
            StrategyKind::Let { name, value, body } => {
                let value = self.value(value, scope, Wanted::Any);
                let mut inner = scope.clone();
                inner.push((name.kind.clone(), value));
                self.what(body, &inner, wanted)
            }
            StrategyKind::Open(open) => {
                for among in open.among.iter().flatten() {
                    if let (Among::One(way), false) = (among, open.is_size()) {
                        self.value(way, scope, wanted);
                    }
                }
                What::Any
            }
            StrategyKind::With(inner, values) => {
                let before = self.problems.len();
                values.iter().for_each(|(_, value)| drop(self.value(value, scope, Wanted::Size)));
                let told = self.problems.split_off(before).into_iter();
                self.problems.extend(told.map(|problem| match problem.code {
                    "E0307" => problem.hint(open::BY_NUMBER),
                    _ => problem,
                }));
                self.what(inner, scope, wanted)
            }
            StrategyKind::Error => What::Any,
        }
    }

    /// Is it what a pattern weighs, as in a table that `with (cost: …)` names?
    fn is_weight(&self, item: &Strategy) -> bool {
        let StrategyKind::Call(head, weights) = &item.kind else { return false };
        let is_number = |weight: &Strategy| matches!(weight.kind, StrategyKind::Number(_));
        self.known.rules.patterns().find(&head.kind).is_some() && weights.iter().all(is_number)
    }

    fn apply(&mut self, callee: What, arg: &'a Strategy, scope: &Scope, span: Span) -> What {
        let wanted = match &callee {
            What::Call(call) => call.takes.front().copied().unwrap_or(Wanted::Any),
            _ => Wanted::Any,
        };
        let what = self.what(arg, scope, wanted);
        self.given(callee, (what, arg.span), span)
    }

    /// The callee with one more argument.
    fn given(&mut self, callee: What, (arg, at): (What, Span), span: Span) -> What {
        let kind = match callee {
            What::Call(mut call) => {
                let Some(wanted) = call.takes.pop_front() else {
                    let Call { name, given, shown_by, .. } = &call;
                    let message = too_many(name, *given);
                    self.problem("E0308", message, (at, "too many"), &shown(name, shown_by));
                    return What::Any;
                };
                self.meet(&arg, wanted, at);
                call.needs = call.needs.saturating_sub(1);
                call.given += 1;
                return What::Call(call);
            }
            What::Any | What::Param(_) => return What::Any,
            What::Size => "a size",
            What::Other(kind) => kind,
        };
        let message = format!("Here {kind} is called as if it were a strategy.");
        let hint =
            "A strategy is a rule, the name of one, or made of others: `topDown(s)`, `a ; b`, `a <+ b`.";
        self.problem("E0306", message, (span, "takes no arguments"), hint);
        What::Any
    }

    /// What a name means, as `Machine::name` finds it.
    fn name(&mut self, name: &ast::Ident, scope: &Scope, wanted: Wanted) -> What {
        if let Some((_, what)) = scope.iter().rev().find(|(n, _)| *n == name.kind) {
            return what.clone();
        }
        let script = self.script;
        let replaced = script.replaced(&name.kind).filter(|_| self.library);
        let own = || script.strategy(&name.kind).filter(|d| d.library || !self.library);
        if let Some(def) = replaced.or_else(own) {
            let takes = self.takes(def, replaced.is_some());
            return called(&name.kind, takes, def.required(), "strategies");
        }
        if let Some(alias) = script.alias(&name.kind).filter(|a| a.library || !self.library) {
            return self.alias(&alias.target, 0);
        }
        let rules = self.known.rules;
        if let Some(native) = Native::find(&name.kind, rules.patterns()) {
            let takes = taken_by(native);
            let needs = takes.len();
            return called(&name.kind, takes, needs, "strategies");
        }
        if let Some(used) = rules.use_of(&name.kind, vec![]) {
            let left = used.rule.params.iter().skip(used.args.len());
            let takes: Vec<Wanted> = left
                .map(|p| match p.kind {
                    ParamKind::Nat(_) | ParamKind::Dim(_) | ParamKind::Depth => Wanted::Size,
                    ParamKind::Addr(_) | ParamKind::Term(..) | ParamKind::Position => Wanted::Any,
                })
                .collect();
            let needs = takes.len();
            return called(&name.kind, takes, needs, "rules");
        }
        let sizes = (self.known.sizes)(name.span.file);
        if sizes.is_some_and(|sizes| sizes.contains(&name.kind)) {
            return What::Size;
        }
        if rules.patterns().find(&name.kind).is_some() {
            return What::Other("a pattern");
        }
        if AddressSpace::from_name(&name.kind).is_some() {
            return What::Other("an address space");
        }
        if sizes.is_none() && wanted != Wanted::Strategy {
            return What::Any;
        }
        let others = rules.names().chain(sizes.into_iter().flatten());
        let problem = script.unknown(name, rules.patterns(), others);
        self.problems.push(problem);
        What::Any
    }

    /// The definition that another name stands for, with the arguments that it gives.
    fn alias(&mut self, target: &'a ast::RuleRef, nesting: usize) -> What {
        if nesting > 16 {
            return What::Any;
        }
        let mut callee = match self.script.alias(&target.name.kind) {
            Some(next) => self.alias(&next.target, nesting + 1),
            None => self.name(&target.name, &vec![], Wanted::Strategy),
        };
        for arg in &target.args {
            callee = self.given(callee, (What::Any, arg.span()), target.name.span);
        }
        callee
    }

    /// Other names and sets of rules that the user defines.
    fn others(&mut self) {
        let script = self.script;
        for alias in script.aliases().filter(|a| !a.library) {
            self.alias(&alias.target, 0);
        }
        for set in script.local_sets().filter(|s| !s.library) {
            let params: HashSet<&Name> = set.def.params.iter().map(|p| &p.name.kind).collect();
            for reference in &set.def.rules {
                self.rules_of(reference, &|name| params.iter().any(|p| ***p == *name));
            }
        }
    }

    /// A rule or a set of rules that a search or a set names.
    fn rules_of(&mut self, reference: &ast::RuleRef, is_param: &dyn Fn(&str) -> bool) {
        let name = &reference.name;
        let sizes = (self.known.sizes)(name.span.file);
        let is_size = |n: &str| sizes.is_none_or(|sizes| sizes.iter().any(|s| **s == *n));
        let rules = self.known.rules;
        let read = |param: &dyn Fn(&str) -> Nat| {
            let known = |n: &str| (is_param(n) || is_size(n)).then(|| param(n));
            if let Some(set) = self.script.set(&name.kind) {
                load::bound(&set.def, reference, &known).map(drop)
            } else if let Some(set) = rules.set(&name.kind) {
                set.given.0(reference, &known).map(drop)
            } else if rules.get(&name.kind).is_some() {
                load::rule_use(rules, reference, &known).map(drop)
            } else {
                Err(Box::new(no_rule(rules, name)))
            }
        };
        // What is bound may be any size, or the number of a dimension.
        let wrong = read(&Nat::var).err().filter(|_| read(&|_| Nat::constant(1)).is_err());
        self.problems.extend(wrong.map(|problem| *problem));
    }

    /// The sketch of a search, with what is bound around it.
    fn sketch(&mut self, sketch: &'a ast::Sketch, scope: &Scope) {
        let sketches = self.known.sketches;
        let read = |sizes: &[Name], value: &dyn Fn(&str) -> Nat| {
            let bound = scope.iter().rev().map(|(name, _)| (name.clone(), value(name)));
            sketch::read_with(sketch, sketches, sizes, &bound.collect::<Vec<_>>())
        };
        self.told(sketch, |sizes| match read(sizes, &|n| Nat::var(n)) {
            Err(problems) if read(sizes, &|_| Nat::constant(1)).is_err() => problems,
            _ => vec![],
        });
    }

    /// The sketches that the user defines: for programs with other sizes, too.
    fn sketches(&mut self) {
        let script = self.script;
        for (def, _) in script.sketches() {
            let sketches = self.known.sketches;
            self.told_of_any(&def.body, |sizes| sketch::wrong_definition(def, sketches, sizes));
        }
    }

    /// Keeps what is wrong with a sketch.
    fn told(&mut self, sketch: &ast::Sketch, read: impl Fn(&[Name]) -> Vec<Diagnostic>) {
        match (self.known.sizes)(sketch.span.file) {
            Some(sizes) => self.problems.extend(read(sizes)),
            None => self.told_of_any(sketch, read),
        }
    }

    /// The same where it is not known whose sizes are meant: every name may be a size.
    fn told_of_any(&mut self, sketch: &ast::Sketch, read: impl Fn(&[Name]) -> Vec<Diagnostic>) {
        let mut sizes = vec![];
        names_in(ast::Part::Expr(sketch), &mut sizes);
        let sketches = self.known.sketches;
        let has_meaning = |n: &Name| sketches.names().any(|s| s == n) || sketches.patterns.find(n).is_some();
        sizes.retain(|n| !has_meaning(n));
        self.problems.extend(read(&sizes).into_iter().filter(|p| p.code != "E0403"));
    }
}

fn names_in(part: ast::Part<'_>, out: &mut Vec<Name>) {
    if let ast::Part::Expr(e) = part
        && let ast::ExprKind::Name(name) = &e.kind
    {
        out.push(name.clone());
    }
    part.for_each(&mut |inner| names_in(inner, out));
}

/// `E0301`: a search is to use a rule that there is not.
pub(super) fn no_rule(rules: &RuleSet, name: &ast::Ident) -> Diagnostic {
    if *name.kind == *RIGHT_TO_LEFT {
        return Diagnostic::error("E0301", format!("`{RIGHT_TO_LEFT}` is a strategy, and no rule of a search."))
            .label(name.span, "stands in strategies")
            .hint("A search takes rules in the direction in which they are written. Another rule may lead back, or one of your own that is written the other way round.");
    }
    Diagnostic::error("E0301", format!("There is no rule or set of rules `{}`.", name.kind))
        .label(name.span, "not known")
        .did_you_mean(&name.kind, rules.names().map(|n| &**n))
        .hint("`shine-tui rules` lists them.")
}

fn is_bound(scope: &Scope, name: &str) -> bool {
    scope.iter().any(|(n, _)| **n == *name)
}

fn has_value(param: &Shape) -> bool {
    matches!(param.kind, ShapeKind::Default(..))
}

fn taken_by(native: Native) -> Vec<Wanted> {
    use Native as N;
    match native {
        N::ArgumentOf => vec![Wanted::Any, Wanted::Strategy],
        N::RightToLeft => vec![Wanted::Any],
        N::HasAtMost
        | N::HasMoreThan
        | N::HasMultipleOf
        | N::HasWholeParts
        | N::HasWideElements
        | N::CalculatesAtMost
        | N::ReducesColumns
        | N::ReducesRows => vec![Wanted::Size],
        _ => vec![Wanted::Strategy; native.arity()],
    }
}

fn shown(name: &Name, by: &str) -> String {
    match by {
        "" => format!("`{name}` is defined behind `where`."),
        by => format!("`shine-tui {by} {name}` shows it with its parameters."),
    }
}
