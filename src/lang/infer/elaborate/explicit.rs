//! Arguments that are no terms: sizes, functions of sizes, address spaces, dimensions.

use super::super::codes;
use super::super::scheme::{ExplicitKind, Scheme, size_is_written};
use super::super::state::{Infer, Undeclared};
use super::super::tree::TreeArg;
use crate::diag::{Diagnostic, Span};
use crate::nat::{Name, Nat, NatFun};
use crate::pattern::{AddressSpace, Pattern};
use crate::syntax::ast::{Expr, ExprKind, ParamKind};

/// What to write for `iterate 0`.
pub(super) const NO_STEP: &str = "Without a step nothing changes: leave `iterate` and its function out.";

impl Infer {
    /// The address space that an argument names, if it names one.
    fn address(&self, e: &Expr) -> Option<TreeArg> {
        let ExprKind::Name(name) = &e.kind else { return None };
        if self.scope.value(name).is_some() {
            return None;
        }
        if self.scope.slots.contains(name) {
            return Some(TreeArg::Slot(name.clone()));
        }
        AddressSpace::from_name(name).map(TreeArg::Addr)
    }

    fn dimension(&self, e: &Expr) -> Option<Option<TreeArg>> {
        match &e.kind {
            ExprKind::Number(n) => {
                let dim = n.as_int().and_then(|i| u8::try_from(i).ok()).filter(|d| *d < 3);
                Some(dim.map(TreeArg::Dim))
            }
            ExprKind::Name(name) if self.scope.slots.contains(name) => {
                Some(Some(TreeArg::Slot(name.clone())))
            }
            _ => None,
        }
    }

    /// How many of the arguments are explicit arguments of the pattern.
    pub(super) fn explicit_count(&self, pattern: Pattern, args: &[Expr]) -> usize {
        let mut used = 0;
        for explicit in &Scheme::of(pattern).explicit {
            let Some(next) = args.get(used) else { break };
            used += usize::from(match explicit.kind {
                ExplicitKind::Nat | ExplicitKind::Fun => true,
                ExplicitKind::NatOr(_) => self.size_is_written(pattern, &args[used..]),
                ExplicitKind::Addr(_) => self.address(next).is_some(),
                ExplicitKind::Dim(_) => self.dimension(next).is_some(),
            });
        }
        used
    }

    /// Reports a name that means nothing but is near that of an address space.
    fn misspelt_address(&mut self, e: &Expr, one_too_many: bool) -> bool {
        let ExprKind::Name(name) = &e.kind else { return false };
        let known = self.def_names.contains_key(name)
            || self.scope.value(name).is_some()
            || self.scope.sizes.contains_key(name)
            || self.patterns.find(name).is_some()
            || self.scope.open;
        let spaces = AddressSpace::ALL.iter().map(|a| a.name());
        let near = crate::diag::nearest(name, spaces.clone()).is_some();
        if known || !near && !one_too_many {
            return false;
        }
        let problem = Diagnostic::error(codes::EXPLICIT, format!("There is no address space `{name}`."))
            .label(e.span, "not known");
        let problem = if near {
            problem.did_you_mean(name, spaces)
        } else {
            let spaces: Vec<_> = spaces.map(|s| format!("`{s}`")).collect();
            problem.hint(format!("Address spaces are {}.", spaces.join(", ")))
        };
        self.problem(problem);
        true
    }

    fn is_zero(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::Number(n) if n.as_int() == Some(0))
    }

    fn size_is_written(&self, pattern: Pattern, args: &[Expr]) -> bool {
        let is_size = |e: &Expr| match &e.kind {
            ExprKind::Name(name) => self.scope.value(name).is_none() && self.scope.sizes.contains_key(name),
            _ => false,
        };
        size_is_written(pattern, args, is_size) && !args.first().is_some_and(|e| self.is_value(e))
    }

    /// Reads the explicit arguments of a pattern; says also how many of the written ones they are.
    pub(super) fn explicit(
        &mut self,
        pattern: Pattern,
        name: &Name,
        args: &[Expr],
        span: Span,
    ) -> (Option<Vec<TreeArg>>, usize) {
        let mut out = vec![];
        let mut used = 0;
        for explicit in &Scheme::of(pattern).explicit {
            let next = args.get(used);
            if let ExplicitKind::NatOr(left_out) = explicit.kind
                && !self.size_is_written(pattern, args.get(used..).unwrap_or_default())
            {
                out.push(TreeArg::Nat(Nat::constant(left_out)));
                continue;
            }
            let arg = match explicit.kind {
                ExplicitKind::Nat | ExplicitKind::NatOr(_)
                    if next.is_some_and(|e| self.is_zero(e) && pattern.needs_one()) =>
                {
                    let span = next.map_or(span, |e| e.span);
                    self.problem(
                        Diagnostic::error(
                            codes::EXPLICIT,
                            format!("`{}` of `{name}` is at least 1.", explicit.name),
                        )
                        .label(span, "this is 0")
                        .hint(if pattern == Pattern::Iterate {
                            NO_STEP
                        } else {
                            "Write 1 or more."
                        }),
                    );
                    return (None, used + 1);
                }
                ExplicitKind::Nat | ExplicitKind::NatOr(_) => match next {
                    Some(Expr { kind: ExprKind::Name(value), span })
                        if self.is_number_value(value) && used + 1 < args.len() =>
                    {
                        self.problem(
                            Diagnostic::error(
                                codes::EXPLICIT,
                                format!(
                                    "`{name}` needs the size `{}`, and `{value}` is a value.",
                                    explicit.name
                                ),
                            )
                            .label(*span, "sizes do not depend on values")
                            .hint(format!(
                                "Write a number, or a parameter that is a size: `({value}: nat)`."
                            )),
                        );
                        return (None, used + 1);
                    }
                    Some(e) if self.is_value(e) => {
                        self.missing_size(name, &explicit.name, &sizes_of(pattern), span);
                        return (None, used);
                    }
                    Some(e) => {
                        used += 1;
                        TreeArg::Nat(self.size(e))
                    }
                    None => {
                        self.missing_size(name, &explicit.name, &sizes_of(pattern), span);
                        return (None, used);
                    }
                },
                ExplicitKind::Fun => match next {
                    Some(e) => {
                        used += 1;
                        match self.nat_function(e) {
                            Some(f) => TreeArg::Fun(f),
                            None => {
                                // Functions behind it belong to the pattern too.
                                let more = args[used..].iter();
                                used += more.take_while(|e| matches!(e.kind, ExprKind::NatLam(..))).count();
                                return (None, used);
                            }
                        }
                    }
                    None => {
                        self.missing_function(name, &explicit.name, span);
                        return (None, used);
                    }
                },
                ExplicitKind::Addr(default) => match next.and_then(|e| self.address(e)) {
                    Some(arg) => {
                        used += 1;
                        arg
                    }
                    None => {
                        let one_too_many = args.len().saturating_sub(used) > behind_address(pattern);
                        used += usize::from(next.is_some_and(|e| self.misspelt_address(e, one_too_many)));
                        TreeArg::Addr(default)
                    }
                },
                ExplicitKind::Dim(default) => match next.and_then(|e| Some((e, self.dimension(e)?))) {
                    Some((e, arg)) => {
                        used += 1;
                        arg.unwrap_or_else(|| {
                            self.problems.push(
                                Diagnostic::error(codes::EXPLICIT, "A dimension is 0, 1 or 2.")
                                    .label(e.span, "this is none of them"),
                            );
                            TreeArg::Dim(default)
                        })
                    }
                    None => TreeArg::Dim(default),
                },
            };
            out.push(arg);
        }
        (Some(out), used)
    }

    fn missing_function(&mut self, of: &Name, function: &Name, span: Span) {
        self.problem(
            Diagnostic::error(codes::EXPLICIT, format!("`{of}` needs the function of sizes `{function}`."))
                .label(span, "the function is missing")
                .hint("Write it as `(/\\i. n - 1 - i)`."),
        );
    }

    /// A function of sizes, `/\i. size`, or a variable of a rule that stands for one.
    fn nat_function(&mut self, e: &Expr) -> Option<NatFun> {
        let problem =
            |message: &str, label: &str| Diagnostic::error(codes::EXPLICIT, message).label(e.span, label);
        let (params, body) = match &e.kind {
            ExprKind::NatLam(params, body) => (params, body),
            ExprKind::Name(name) if self.scope.undeclared == Undeclared::Unknown => {
                return self.function_variable(name, e.span);
            }
            ExprKind::Name(name) if self.scope.functions.contains(name) => {
                return self.function_variable(name, e.span);
            }
            ExprKind::Error => return None,
            kind => {
                let problem = problem("A function of sizes is needed here.", "this is none");
                self.problem(match kind {
                    ExprKind::Lam(..) => problem
                        .note("This is a function of values.")
                        .hint("Write `/\\` in the place of `\\`."),
                    _ => problem.hint("Write one as `(/\\i. n - 1 - i)`."),
                });
                return None;
            }
        };
        let names: Vec<&Name> = params.iter().flat_map(|p| p.kind.names()).map(|n| &n.kind).collect();
        let sizes = params.iter().all(|p| {
            matches!(p.kind, ParamKind::Bare(_) | ParamKind::Kinded(_, crate::syntax::ast::Kind::Nat))
        });
        let ([name], true) = (names.as_slice(), sizes) else {
            let problem = problem("This function takes one size.", "not one parameter that is a size");
            self.problem(problem.hint("Write it as `(/\\i. n - 1 - i)`."));
            return None;
        };
        let outer = self.scope.sizes.insert((*name).clone(), NatFun::parameter());
        let before = self.problems.len();
        let size = self.size(body);
        match outer {
            Some(size) => self.scope.sizes.insert((*name).clone(), size),
            None => self.scope.sizes.shift_remove(*name),
        };
        if self.problems.len() > before {
            return None;
        }
        if self.scope.open && size.as_variable().is_some_and(|_| !NatFun::is_inside(&size)) {
            let problem = problem("This function does not use its parameter.", "always the same number");
            self.problem(problem.hint("For any function of sizes, write a name."));
            return None;
        }
        Some(NatFun::new(name, size))
    }

    /// The function that a variable of a rule stands for: any, which is the variable as the body.
    fn function_variable(&mut self, name: &Name, span: Span) -> Option<NatFun> {
        if self.scope.functions.contains(name) {
            let body = self.scope.sizes.get(name)?.clone();
            return Some(NatFun::new("i", body));
        }
        if self.scope.sizes.contains_key(name) {
            self.problem(
                Diagnostic::error(codes::EXPLICIT, "A function of sizes is needed here.")
                    .label(span, format!("`{name}` is a size")),
            );
            return None;
        }
        let body = self.u.fresh_nat();
        self.scope.sizes.insert(name.clone(), body.clone());
        self.scope.functions.push(name.clone());
        Some(NatFun::new("i", body))
    }

    /// Says that a size is missing, of those that stand behind a name.
    pub fn missing_size(&mut self, of: &Name, size: &Name, all: &[Name], span: Span) {
        let hint = match all {
            [_] => format!("Write it first, e.g. `{of} 4 ...`."),
            _ => {
                let all: Vec<_> = all.iter().map(|n| n.as_ref()).collect();
                format!("Its sizes stand first: `{of} {} ...`.", all.join(" "))
            }
        };
        self.problem(
            Diagnostic::error(codes::EXPLICIT, format!("`{of}` needs the size `{size}`."))
                .label(span, "the size is missing")
                .hint(hint),
        );
    }
}

/// The sizes that are written behind a pattern.
fn sizes_of(pattern: Pattern) -> Vec<Name> {
    let explicit = Scheme::of(pattern).explicit.iter();
    explicit.filter(|e| matches!(e.kind, ExplicitKind::Nat)).map(|e| e.name.clone()).collect()
}

/// How many arguments, sizes and values, can stand behind the address space of a pattern.
fn behind_address(pattern: Pattern) -> usize {
    let scheme = Scheme::of(pattern);
    let explicit = scheme.explicit.iter().skip_while(|e| !matches!(e.kind, ExplicitKind::Addr(_))).skip(1);
    explicit.count() + scheme.ty.signature().0.len()
}
