//! Types and sizes as they are written, to types and sizes.

use super::check::What;
use super::codes;
use super::state::{Infer, Undeclared};
use crate::diag::{Diagnostic, Span};
use crate::nat::{MAX_EXPONENT, Name, Nat, TOO_LARGE};
use crate::permutation;
use crate::syntax::ast::{self, ExprKind, Op, TypeKind};
use crate::syntax::elsewhere;
use crate::ty::{Scalar, Type};

impl Infer {
    /// The type that is written. Mistakes are reported, and unknowns stand for them.
    pub fn ty(&mut self, t: &ast::Type) -> Type {
        match &t.kind {
            TypeKind::Name(name) => self.type_name(name, t.span),
            TypeKind::Array(n, e) => {
                let n = self.size(n);
                Type::array(n, self.data_ty(e))
            }
            TypeKind::Vector(n, e) => {
                let n = self.size(n);
                let lane = self.data_ty(e);
                // Of a variable it is known where the definition is used.
                self.check_later(What::Lane, &lane, e.span);
                Type::vector(n, lane)
            }
            TypeKind::Index(n) => Type::index(self.size(n)),
            TypeKind::Pair(a, b) => {
                let a = self.data_ty(a);
                Type::pair(a, self.data_ty(b))
            }
            TypeKind::Fun(a, b) => {
                let a = self.ty(a);
                Type::fun(a, self.ty(b))
            }
            TypeKind::Hole(_) | TypeKind::Error => self.any(),
            TypeKind::Forall { .. } => {
                self.problem(
                    Diagnostic::error(codes::MISPLACED, "Only a whole type can be generic.")
                        .label(t.span, "not inside a type")
                        .hint("Declare the names as parameters of the definition: `def f {n: nat} ...`."),
                );
                self.any()
            }
        }
    }

    fn data_ty(&mut self, t: &ast::Type) -> Type {
        let ty = self.ty(t);
        if ty.is_data() {
            return ty;
        }
        self.problem(
            Diagnostic::error(codes::NOT_DATA, "Arrays, vectors and pairs hold data, not functions.")
                .label(t.span, "this is a function")
                .note("Functions cannot be stored in memory."),
        );
        self.data()
    }

    fn type_name(&mut self, name: &Name, span: Span) -> Type {
        if &**name == "natType" {
            return Type::nat_type();
        }
        if let Some(scalar) = Scalar::from_name(name) {
            return Type::scalar(scalar);
        }
        if let Some(known) = self.scope.types.get(name) {
            return known.clone();
        }
        let one_letter = name.chars().count() == 1;
        match self.scope.undeclared {
            Undeclared::OneLetter if one_letter && !self.scope.sizes.contains_key(name) => {
                let ty = Type::named(name);
                self.scope.types.insert(name.clone(), ty.clone());
                return ty;
            }
            Undeclared::Unknown if name.chars().count() <= 2 && !self.scope.sizes.contains_key(name) => {
                let ty = self.data();
                self.scope.types.insert(name.clone(), ty.clone());
                return ty;
            }
            _ => {}
        }
        let problem = Diagnostic::error(codes::UNKNOWN_TYPE, format!("There is no type `{name}`."));
        let problem = problem.label(span, "not declared");
        self.problems.push(if self.scope.sizes.contains_key(name) {
            problem
                .note(format!("`{name}` is a size."))
                .hint(format!("An array of that size is `{name}.f32`."))
        } else {
            let known: Vec<Name> = self.scope.types.keys().cloned().collect();
            let scalars = Scalar::ALL.iter().map(|s| s.name()).chain(["natType"]);
            let named = match elsewhere::type_here(name) {
                None if let Some(vector) = elsewhere::vector_here(name) => problem.hint(format!("Write `{vector}`.")),
                None if elsewhere::is_kind_of_sizes(name) => problem
                    .note("A size is no element of arrays.")
                    .hint("Declare a parameter that is a size as `(n: nat)`; whole numbers are `i32`."),
                Some(here) => problem.hint(format!("Did you mean `{here}`?")),
                None => problem.did_you_mean(name, scalars.chain(known.iter().map(|n| &**n))),
            };
            if named.hints.is_empty() {
                let scalars: Vec<&str> = Scalar::ALL.iter().map(|s| s.name()).collect();
                named
                    .note(format!("The scalar types are {}.", scalars.join(", ")))
                    .hint(match self.scope.undeclared {
                        Undeclared::Unknown => "In a rule a type variable has one or two letters: `(xs : n.t)`, `(e : t)`.",
                        Undeclared::Refuse => {
                            "Types are declared with the sizes, `def f {elem: data} ...`. In a rule one or two letters are a type, which \
                             stands on the left side, too: `(x : t) ~> …`."
                        }
                        Undeclared::OneLetter => "A type variable has one letter or is declared: `def f {elem: data} ...`.",
                    })
            } else {
                named
            }
        });
        self.data()
    }

    /// The size that is written. Mistakes are reported, and unknowns stand for them.
    pub fn size(&mut self, e: &ast::Size) -> Nat {
        self.size_of(e, Op::Div)
    }

    /// The same, where `/` stands for `quotient`: sizes are divided without a rest, and plain numbers down.
    fn size_of(&mut self, e: &ast::Size, quotient: Op) -> Nat {
        match &e.kind {
            ExprKind::Name(name) => self.size_name(name, e.span),
            ExprKind::Number(n) => match n.as_size() {
                Ok(value) => Nat::constant(value),
                Err([message, label, hint]) => {
                    let problem = Diagnostic::error(codes::EXPLICIT, message);
                    self.problem(problem.label(e.span, label).hint(hint));
                    self.u.fresh_nat()
                }
            },
            ExprKind::Neg(inner) => Nat::constant(0).sub(&self.size_of(inner, quotient)),
            ExprKind::Infix(first, rest) => {
                let mut left = self.size_of(first, quotient);
                for (op, right) in rest {
                    let right_size = self.size_of(right, quotient);
                    let op = if *op == Op::Div { quotient } else { *op };
                    left = self.combine(op, &left, &right_size, e.span);
                }
                left
            }
            ExprKind::Hole(_) | ExprKind::Error => self.u.fresh_nat(),
            _ => {
                self.problem(
                    Diagnostic::error(codes::EXPLICIT, "A size is needed here.")
                        .label(e.span, "this is no size")
                        .note("Sizes are made of names, whole numbers and `+ - * / div %`."),
                );
                self.u.fresh_nat()
            }
        }
    }

    fn combine(&mut self, op: Op, a: &Nat, b: &Nat, span: Span) -> Nat {
        let out = match op {
            Op::Add => a.add(b),
            Op::Sub => a.sub(b),
            Op::Mul => a.mul(b),
            // What a function takes is a multiple of nothing.
            Op::Div if !permutation::divides_evenly(a, b) => a.floor_div(b),
            Op::Div => a.exact_div(b),
            Op::FloorDiv => a.floor_div(b),
            Op::Rem => a.modulo(b),
            Op::Pow => match b.as_constant().and_then(|c| u32::try_from(c).ok()) {
                Some(exponent) if exponent <= MAX_EXPONENT => a.pow(exponent),
                _ => Nat::poison(),
            },
            Op::Lt | Op::Gt | Op::Le | Op::Ge | Op::Eq | Op::Ne | Op::And | Op::Or => {
                let problem = Diagnostic::error(codes::EXPLICIT, "A comparison is no size.");
                self.problem(problem.label(span, "a size is needed here"));
                return self.u.fresh_nat();
            }
        };
        if out.is_writable() || a.is_poison() || b.is_poison() {
            return out;
        }
        let why = match op {
            Op::Div | Op::FloorDiv | Op::Rem if b.is_zero() => "This size divides by zero.",
            Op::Pow if b.as_constant().is_none_or(|k| !(0..=i64::from(MAX_EXPONENT)).contains(&k)) => {
                "The exponent of a size is a number from 0 to 64."
            }
            _ => "This size is too large.",
        };
        let mut problem = Diagnostic::error(codes::EXPLICIT, why).label(span, "here");
        if why.ends_with("too large.") {
            problem = problem.note(TOO_LARGE).hint("Give a part of it a size of its own, of one letter.");
        }
        self.problem(problem);
        self.u.fresh_nat()
    }

    fn size_name(&mut self, name: &Name, span: Span) -> Nat {
        if self.scope.functions.contains(name) {
            let problem = Diagnostic::error(codes::EXPLICIT, "A size is needed here.");
            self.problem(problem.label(span, format!("`{name}` is a function of sizes")));
            return self.u.fresh_nat();
        }
        if let Some(known) = self.scope.sizes.get(name) {
            return known.clone();
        }
        let free = !self.scope.types.contains_key(name);
        match self.scope.undeclared {
            Undeclared::OneLetter if free && name.chars().count() == 1 => {
                let size = Nat::var(name);
                self.scope.sizes.insert(name.clone(), size.clone());
                return size;
            }
            Undeclared::Unknown if free => {
                let size = self.u.fresh_nat();
                self.scope.sizes.insert(name.clone(), size.clone());
                return size;
            }
            _ => {}
        }
        let problem = Diagnostic::error(codes::UNKNOWN_SIZE, format!("There is no size `{name}`."));
        let problem = problem.label(span, "not declared");
        self.problems.push(if Scalar::from_name(name).is_some() {
            problem
                .note(format!("`{name}` is a type of numbers."))
                .hint(format!("The size stands first: an array of n of them is `n.{name}`."))
        } else if self.scope.value(name).is_some() {
            problem
                .note(format!("`{name}` is a value, which is known only when the program runs."))
                .hint(format!("Declare `({name}: nat)` as a size if it does not depend on the data."))
        } else if self.scope.types.contains_key(name) {
            problem
                .note(format!("`{name}` is a type."))
                .hint("Use another letter for one of them: one name is a size or a type.")
        } else {
            let known: Vec<Name> = self.scope.sizes.keys().cloned().collect();
            let declare = if self.scope.undeclared == Undeclared::Refuse {
                format!("Declare it as a parameter, `({name}: nat)`. In a rule it stands on the left side, or is a parameter: `rule r({name}) = …`.")
            } else {
                format!("Declare it as a parameter: `def f ({name}: nat) ...`.")
            };
            problem.did_you_mean_or(name, known.iter().map(|n| &**n), declare)
        });
        self.u.fresh_nat()
    }

    /// The size that an expression is, if it is made of declared sizes and numbers, and has a size in it. It is a plain number
    /// there, of which a quotient is rounded down.
    pub fn as_size(&mut self, e: &ast::Expr) -> Option<Nat> {
        fn only_sizes(infer: &Infer, e: &ast::Expr, some: &mut bool) -> bool {
            match &e.kind {
                ExprKind::Name(name) => {
                    let is = infer.scope.value(name).is_none() && infer.scope.sizes.contains_key(name);
                    *some |= is;
                    is
                }
                ExprKind::Number(n) => n.as_int().is_some(),
                ExprKind::Infix(first, rest) => {
                    only_sizes(infer, first, some)
                        && rest.iter().all(|(op, e)| !op.is_comparison() && only_sizes(infer, e, some))
                }
                _ => false,
            }
        }
        let mut some = false;
        (only_sizes(self, e, &mut some) && some).then(|| self.size_of(e, Op::FloorDiv))
    }
}
