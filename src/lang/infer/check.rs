//! What unification cannot say: which types have `+`, which numbers fit a type. Looked at when the types are known.

use super::codes;
use super::constraint::{Sizes, no_permutation};
use super::relation::{Relation, Settled};
use super::report::Why;
use super::report::of_all_elements;
use super::scheme::{Choice, Scheme};
use super::state::Infer;
use super::tree::Tree;
use super::words::is_of_numbers;
use crate::constraint::SizeConstraint;
use crate::diag::{Diagnostic, Span};
use crate::literal::Literal;
use crate::nat::{Name, Nat, NatFun};
use crate::pattern::Pattern;
use crate::permutation;
use crate::sort::{Operands, Sort};
use crate::syntax::elsewhere;
use crate::ty::{Scalar, Type, TypeKind, TypeSubst, TypeVar};
use crate::value::half;
use rustc_hash::FxHashSet;

/// A condition on a type.
#[derive(Clone, Debug)]
pub struct Check {
    pub what: What,
    pub ty: Type,
    pub span: Span,
    pub used_at: Option<Span>,
}

impl Check {
    /// The condition where a definition is used, for what its sizes and types are there.
    pub fn at_use(&self, chosen: &dyn TypeSubst, span: Span) -> Check {
        let nat = |n: &Nat| n.subst(&|v| chosen.nat(v));
        let what = match &self.what {
            What::CastTo(to) => What::CastTo(to.subst(chosen)),
            What::Below { value, size } => What::Below { value: nat(value), size: nat(size) },
            What::Related(relation, of) => What::Related(relation.map(&mut |t| t.subst(chosen)), of),
            other => other.clone(),
        };
        Check { what, ty: self.ty.subst(chosen), span: self.span, used_at: Some(span) }
    }
}

#[derive(Clone, Debug)]
pub enum What {
    /// Numbers, or vectors of them.
    Numeric(&'static str),
    /// Floating-point numbers, or vectors of them.
    Float(&'static str),
    /// Whole numbers, or vectors of them.
    Integer(&'static str),
    /// Integers of a number of bits, or vectors of them.
    Bits(&'static str),
    /// Scalars that have an order, or vectors of them.
    Ordered(&'static str),
    /// Scalars that can be equal, or vectors of them.
    Comparable(&'static str),
    /// What a vector holds.
    Lane,
    /// What holds between types, of which the condition's is that which it is about; and of what pattern.
    Related(Relation, &'static str),
    /// What the type can be converted to.
    CastTo(Type),
    /// A number as it is written; is it one with a point or exponent?
    Number { digits: Name, negative: bool, float: bool },
    /// A constant below a size; the type is that of the index.
    Below { value: Nat, size: Nat },
    /// A permutation of the numbers below a size, and its inverse.
    Permutes { size: Nat, there: NatFun, back: NatFun },
}

/// The conditions on the types of a pattern: on which of its type variables.
pub fn of_pattern(pattern: Pattern) -> Option<(What, &'static str)> {
    use Pattern as P;
    let name = pattern.operator().unwrap_or(pattern.name());
    Some(match pattern {
        P::Neg => (What::Numeric("-"), "t"),
        P::VectorFromScalar | P::AsVector | P::AsVectorAligned | P::AsScalar => (What::Lane, "t"),
        other => {
            let Sort::Scalar(operands) = other.sort() else { return None };
            let what = match operands {
                Operands::Numbers => What::Numeric(name),
                Operands::Integers => What::Integer(name),
                Operands::Floats => What::Float(name),
                Operands::Bits => What::Bits(name),
                Operands::Ordered => What::Ordered(name),
                Operands::Equal => What::Comparable(name),
                Operands::Truth | Operands::Convertible => return None,
            };
            (what, "t")
        }
    })
}

/// Does the condition hold? None when the type is not known well enough.
fn holds(what: &What, t: &Type) -> Option<bool> {
    if let TypeKind::Var(_) = t.lane().kind() {
        return None;
    }
    let scalar = |t: &Type, f: &dyn Fn(Scalar) -> bool| t.as_scalar().is_some_and(f);
    let nat = matches!(t.kind(), TypeKind::NatType);
    let index = t.as_index().is_some();
    Some(match what {
        What::Numeric(_) => nat || scalar(t.lane(), &|s| s != Scalar::Bool),
        What::Float(_) => scalar(t.lane(), &Scalar::is_float),
        What::Integer(_) => nat || scalar(t.lane(), &Scalar::is_integer),
        What::Bits(_) => scalar(t.lane(), &Scalar::is_integer),
        What::Ordered(_) => nat || index || scalar(t.lane(), &|s| s != Scalar::Bool),
        What::Comparable(_) => nat || index || scalar(t.lane(), &|_| true),
        What::Lane => scalar(t, &|_| true),
        // [`Infer::relate`] drops those that are done.
        What::Related(..) => return None,
        What::CastTo(to) => {
            let plain = |t: &Type| t.as_scalar().is_some() || matches!(t.kind(), TypeKind::NatType);
            if t.as_vector().is_none() && !plain(t) && !index {
                return Some(false);
            }
            if matches!(to.lane().kind(), TypeKind::Var(_)) {
                return None;
            }
            match (t.as_vector(), to.as_vector()) {
                (None, None) => (plain(t) || index) && plain(to),
                (Some((n, a)), Some((m, b))) => {
                    (n == m || n.has_metas() || m.has_metas()) && plain(a) && plain(b)
                }
                _ => false,
            }
        }
        What::Number { digits, negative, float } => match t.kind() {
            TypeKind::NatType => !negative && !float,
            // Below a size that is not known yet: checked when it is given.
            TypeKind::Index(n) => {
                !*negative && digits.parse::<i64>().is_ok_and(|i| n.as_constant().is_none_or(|size| i < size))
            }
            TypeKind::Scalar(s) => literal(digits, *negative, *s).is_some(),
            // In every lane.
            TypeKind::Vector(_, t) => t.as_scalar().is_some_and(|s| literal(digits, *negative, s).is_some()),
            _ => false,
        },
        What::Below { value, size } => match (value.as_constant(), size.as_constant()) {
            (Some(v), Some(n)) => v >= 0 && v < n,
            _ => true,
        },
        What::Permutes { size, there, back } => permutation::decide(size, there, back) != Some(false),
    })
}

/// The number at a scalar type, if the type has it.
pub fn literal(digits: &str, negative: bool, scalar: Scalar) -> Option<Literal> {
    if scalar.is_float() {
        // Each type is read by itself: rounded twice, a number may be another one.
        let (value, nearest) = match scalar {
            Scalar::F32 => {
                let nearest = f64::from(digits.parse::<f32>().ok()?);
                (nearest, nearest)
            }
            Scalar::F16 => {
                let value: f64 = digits.parse().ok()?;
                (value, f64::from(half::round_f64(value)))
            }
            _ => {
                let value: f64 = digits.parse().ok()?;
                (value, value)
            }
        };
        let value = if negative { -value } else { value };
        return nearest.is_finite().then(|| Literal::float(value, scalar));
    }
    let value: i128 = digits.parse().ok()?;
    Literal::number(if negative { -value } else { value }, scalar)
}

impl Infer {
    pub fn check_later(&mut self, what: What, ty: &Type, span: Span) {
        self.checks.push(Check { what, ty: ty.clone(), span, used_at: None });
    }

    /// Remembers what a pattern asks of its types: those of the variables of its scheme.
    pub fn checks_of_pattern(&mut self, pattern: Pattern, types: &[(Name, Type)], span: Span) {
        if let Some((what, on)) = of_pattern(pattern)
            && let Some((_, t)) = types.iter().find(|(n, _)| &**n == on)
        {
            self.check_later(what, t, span);
        }
        if let Some(relation) = Relation::of(pattern, &Choice { nats: &[], types }) {
            self.relate_later(relation, pattern.operator().unwrap_or(pattern.name()), span);
        }
        if let (Pattern::Cast, [(_, s), (_, t)]) = (pattern, types) {
            self.check_later(What::CastTo(t.clone()), s, span);
        }
    }

    pub fn relate_later(&mut self, relation: Relation, of: &'static str, span: Span) {
        let subject = relation.subject().clone();
        self.check_later(What::Related(relation, of), &subject, span);
    }

    /// Says where the truth value stands that a pattern needs, which has been used since the condition of this number.
    pub fn needed_at(&mut self, since: usize, pattern: Option<Pattern>, span: Span) {
        let needs = |p: Pattern| matches!(p, Pattern::Select | Pattern::And | Pattern::Or | Pattern::Not);
        if pattern.is_some_and(needs)
            && let Some(check) = self.checks.get_mut(since..).and_then(|all| all.first_mut())
            && matches!(check.what, What::Related(..))
        {
            check.span = span;
        }
    }

    /// Makes types known that follow from others by the conditions from this number on.
    pub fn relate(&mut self, since: usize) {
        loop {
            let before = self.checks.len();
            for check in self.checks.split_off(since.min(before)) {
                if !self.is_settled(&check) {
                    self.checks.push(check);
                }
            }
            self.report_failures();
            // What is known now may say more of others.
            if self.checks.len() == before {
                return;
            }
        }
    }

    /// Has the condition said all that it can of how types are related?
    fn is_settled(&mut self, check: &Check) -> bool {
        let What::Related(relation, of) = &check.what else { return false };
        let why = match relation {
            Relation::Compares { .. } => Why::Truth(of, true),
            Relation::Chooses { .. } | Relation::Truth(_) => Why::Truth(of, false),
            Relation::Converts { .. } => Why::Lanes(of),
        };
        let origin = self.place(check.span, why);
        self.places[origin as usize].used_at = check.used_at;
        match relation.settle(&mut self.u, origin) {
            Settled::Open => {
                self.places.pop();
                return false;
            }
            Settled::Done => {}
            Settled::Differ(mismatch) => self.report_mismatch(&mismatch),
            Settled::NoLanes { condition, choice } => {
                self.no_lanes(&condition, &choice, check.span, check.used_at);
            }
        }
        true
    }

    fn no_lanes(&mut self, condition: &Type, choice: &Type, span: Span, used_at: Option<Span>) {
        let names = self.names();
        let what = describe(choice);
        let (lanes, shown) = (self.show(condition, &names), self.show(choice, &names));
        let message = format!("`select` chooses lane by lane here, but finds {what} to choose: {shown}.");
        let problem = Diagnostic::error(codes::OPERAND, message)
            .label(span, format!("this is {lanes}"))
            .note("A truth value for each lane chooses between vectors, a `bool` between any two values.");
        let problem = match used_at {
            Some(span) => problem.label(span, "used here"),
            None => problem,
        };
        let problem = match choice.kind() {
            TypeKind::Scalar(_) => problem.hint("`vectorFromScalar x` has the scalar `x` in every lane."),
            _ => problem.hint("Choose by one truth value, which compares scalars."),
        };
        self.problem(names.explain(problem));
    }

    /// Gives what nothing says the usual type: numbers `f32` with a point, else `i32`, truth values `bool`. A use may
    /// still say the types in `open`.
    pub fn defaults(&mut self, open: &FxHashSet<u32>) {
        // What must be a truth value is no number; what a comparison is depends on its numbers.
        let stages: [&dyn Fn(&Relation) -> bool; 2] = [&|r| matches!(r, Relation::Truth(_)), &|_| true];
        for (i, stage) in stages.into_iter().enumerate() {
            self.relate(0);
            if i > 0 {
                self.default_numbers(open);
                self.relate(0);
            }
            let related: Vec<(Relation, Span)> = self
                .checks
                .iter()
                .filter_map(|c| match &c.what {
                    What::Related(relation, _) if stage(relation) => Some((relation.clone(), c.span)),
                    _ => None,
                })
                .collect();
            for (relation, span) in related {
                let place = self.place(span, Why::Context);
                relation.default(&mut self.u, place, &|id| open.contains(&id));
            }
        }
        self.relate(0);
    }

    /// A value and an array behind an operator do not fit: says what to write in the place of that, since the problem
    /// of this number, and whether that is so.
    pub fn value_with_array(
        &mut self,
        pattern: Pattern,
        left: &Tree,
        right: &Tree,
        since: usize,
        span: Span,
    ) -> bool {
        let [problem] = self.problems.get(since..).unwrap_or_default() else { return false };
        let of_right = problem.code == codes::MISMATCH && problem.span() == Some(right.span);
        let (left, ty) = (self.u.zonk(&left.ty), self.u.zonk(&right.ty));
        let is_value = matches!(left.kind(), TypeKind::Scalar(_) | TypeKind::NatType | TypeKind::Index(_));
        let Some((what, _)) = of_pattern(pattern).filter(|_| of_right && is_value && ty.as_array().is_some())
        else {
            return false;
        };
        self.problems.truncate(since);
        self.report_check(&Check { what, ty, span, used_at: None });
        true
    }

    /// An array does not fit what stands beside it, one of another depth or a value, or an index one of another array: that the
    /// operator is none of arrays and indices says it all, and is told later. Of the problems since this number, and whether that is so.
    pub fn array_beside(&mut self, pattern: Pattern, left: &Tree, right: &Tree, since: usize) -> bool {
        let [problem] = self.problems.get(since..).unwrap_or_default() else { return false };
        let [l, r] = [left, right].map(|t| super::words::depth_and_element(&self.u.zonk(&t.ty)).0);
        // That arrays of one depth are not as long is another mistake.
        let of_right =
            matches!(problem.code, codes::MISMATCH | codes::SIZES) && problem.span() == Some(right.span);
        let takes_none = of_pattern(pattern)
            .is_some_and(|(what, _)| holds(&what, &self.u.resolve(&left.ty)) == Some(false));
        let indices = [left, right].iter().all(|t| self.u.resolve(&t.ty).as_index().is_some());
        let [left, right] = [left, right].map(|t| self.u.zonk(&t.ty));
        let is_product = pattern == Pattern::Mul && super::words::are_factors(&left, &right);
        let is_told = of_right && takes_none && (l > 0 && l != r || indices || is_product);
        if is_told {
            self.problems.truncate(since);
        }
        is_told
    }

    /// Is this a condition of a number, or of an operator between numbers?
    fn is_of_numbers(&self, check: &Check) -> bool {
        match check.what {
            What::Number { .. } => true,
            What::Numeric(_) | What::Integer(_) => {
                self.written(check.span).is_some_and(|t| is_of_numbers(&t))
            }
            _ => false,
        }
    }

    /// Looks at the conditions; keeps those that cannot be decided yet.
    pub fn run_checks(&mut self) {
        self.relate(0);
        let mut open = vec![];
        // Unknowns of which it has been said that what stands for them does not do: once is enough.
        let mut told: FxHashSet<u32> = FxHashSet::default();
        let mut wrong: Vec<Type> = vec![];
        // Numbers are last: what they stand with says what they are.
        let (numbers, others): (Vec<Check>, Vec<Check>) =
            std::mem::take(&mut self.checks).into_iter().partition(|c| self.is_of_numbers(c));
        for mut check in others.into_iter().chain(numbers) {
            let root = self.u.root(&check.ty);
            check.ty = self.u.zonk(&check.ty);
            if let What::CastTo(to) = &mut check.what {
                *to = self.u.zonk(to);
            }
            if let What::Related(relation, _) = &mut check.what {
                *relation = relation.map(&mut |t| self.u.zonk(t));
            }
            if let What::Below { value, size } = &mut check.what {
                *value = self.u.zonk_nat(value);
                *size = self.u.zonk_nat(size);
            }
            if let What::Permutes { size, there, back } = &mut check.what {
                *size = self.u.zonk_nat(size);
                *there = there.with_body(self.u.zonk_nat(there.body()));
                *back = back.with_body(self.u.zonk_nat(back.body()));
            }
            match holds(&check.what, &check.ty) {
                Some(true) => {}
                Some(false) => {
                    // Nor is a number beside it news.
                    let known = matches!(check.what, What::Number { .. }) && wrong.contains(&check.ty);
                    if root.is_none_or(|id| told.insert(id)) && !known {
                        self.report_check(&check);
                    }
                    wrong.push(check.ty.clone());
                }
                None => open.push(check),
            }
        }
        self.checks = open;
    }

    /// Gives numbers whose type nothing says the usual one: `f32` with a point, else `i32`. A use may still say the
    /// types in `open`.
    fn default_numbers(&mut self, open: &FxHashSet<u32>) {
        let numbers = self.checks.iter().filter_map(|c| match c.what {
            What::Number { float, .. } => Some((float, c.ty.clone(), c.span)),
            _ => None,
        });
        let mut numbers: Vec<(bool, Type, Span)> = numbers.collect();
        numbers.sort_by_key(|(float, ..)| !*float);
        for (float, ty, span) in numbers {
            let ty = self.u.resolve(&ty);
            // In every lane.
            let ty = self.u.resolve(ty.lane());
            if matches!(ty.kind(), TypeKind::Var(TypeVar::Meta(id)) if !open.contains(id)) {
                let usual = if float { Scalar::F32 } else { Scalar::I32 };
                let place = self.place(span, super::report::Why::Context);
                // A bare unknown can be anything that is data.
                let _ = self.u.unify(&ty, &Type::scalar(usual), place);
            }
        }
    }

    /// The operand of an operator that is a truth value, as an argument is written, and the type of the other one.
    fn truth_among_operands(&mut self, span: Span) -> Option<(String, &'static str)> {
        let operands = self.operands.get(&span).cloned()?;
        let types = operands.clone().map(|(_, ty)| self.u.zonk(&ty).as_scalar());
        let (at, _) = operands.into_iter().zip(types).find(|(_, ty)| *ty == Some(Scalar::Bool))?.0;
        let number = types.into_iter().flatten().find(|s| *s != Scalar::Bool).unwrap_or(Scalar::I32);
        let text = self.written_argument(at).filter(|text| !is_of_numbers(text))?;
        Some((text, number.name()))
    }

    /// The operands of an operator or of a function of two numbers, each as an argument is written.
    fn written_operands(&self, span: Span) -> Option<[String; 2]> {
        let [(left, _), (right, _)] = self.operands.get(&span)?;
        Some([self.written_argument(*left)?, self.written_argument(*right)?])
    }

    /// A function of two numbers with those converted that are not of its kind; to the type of the other one, where that is.
    fn of_converted(
        &mut self,
        function: &str,
        span: Span,
        is_right: &dyn Fn(Scalar) -> bool,
        else_to: Scalar,
    ) -> Option<String> {
        let texts = self.written_operands(span)?;
        let types = self.operands.get(&span)?.clone().map(|(_, ty)| self.u.zonk(&ty).as_scalar());
        // A number that is written takes the type of what stands with it.
        let own = |i: usize| types[i].filter(|s| is_right(*s) && !is_of_numbers(&texts[i]));
        let to = own(0).or(own(1)).unwrap_or(else_to);
        let one = |i: usize| match is_of_numbers(&texts[i]) || own(i).is_some() {
            true => texts[i].clone(),
            false => format!("(cast {} : {})", elsewhere::without_parentheses(&texts[i]), to.name()),
        };
        Some(format!("{function} {} {}", one(0), one(1)))
    }

    /// What stands on the other side of an operator, as an argument is written.
    fn beside(&self, span: Span) -> Option<String> {
        let other = |[(l, _), (r, _)]: &[(Span, Type); 2]| match span {
            span if span == *l => Some(*r),
            span if span == *r => Some(*l),
            _ => None,
        };
        self.written_argument(self.operands.values().find_map(other)?)
    }

    fn report_check(&mut self, check: &Check) {
        let names = self.names();
        let ty = self.show(&check.ty, &names);
        let what = describe(&check.ty);
        let error = |message: String| Diagnostic::error(codes::OPERAND, message).label(check.span, "here");
        let problem = match &check.what {
            What::Numeric(op) => error(format!("`{op}` needs numbers, but found {what}: {ty}.")),
            What::Float(op) => error(format!("`{op}` needs floating-point numbers, but found {what}: {ty}.")),
            What::Integer(op) => error(format!("`{op}` needs whole numbers, but found {what}: {ty}.")),
            What::Bits(op) => {
                let problem = error(format!("`{op}` needs integers, but found {what}: {ty}."));
                match check.ty.lane().kind() {
                    TypeKind::NatType => problem.hint("Say of how many bits: `(cast x : u32)`."),
                    TypeKind::Scalar(Scalar::Bool) => {
                        problem.hint("Truth values are joined by `and`, `or` and `!=`, and negated by `not`.")
                    }
                    _ => problem,
                }
            }
            What::Ordered(op) => error(format!("`{op}` compares numbers, but found {what}: {ty}.")),
            What::Comparable(op) => error(format!("`{op}` compares scalars, but found {what}: {ty}.")),
            What::Related(..) => return,
            What::Lane => error(format!("Vectors hold scalars, but found {what}: {ty}.")),
            What::CastTo(to) => {
                let to = self.show(to, &names);
                error(format!("There is no conversion from {ty} to {to}."))
                    .note("`cast` converts between scalar types, and between vectors of one length.")
            }
            What::Below { value, size } => {
                Diagnostic::error(codes::LITERAL, format!("The index {value} is not below {size}."))
                    .label(check.span, "out of range")
            }
            What::Permutes { size, there, back } => {
                let constraint = SizeConstraint::Permutes(size.clone(), there.clone(), back.clone());
                no_permutation(&constraint, &Sizes::new()).label(check.span, "this reorders nothing")
            }
            What::Number { digits, negative, .. } => {
                let number = short(format!("{}{digits}", if *negative { "-" } else { "" }));
                let message = if check.ty.lane().as_scalar().is_some() {
                    format!("The number {number} does not fit the type {ty}.")
                } else if let (TypeKind::Index(n), Ok(_)) = (check.ty.kind(), number.parse::<i64>()) {
                    let n = n.subst(&|v| names.nat(v));
                    format!("The index {number} is not below {n}.")
                } else {
                    format!("This is a number, but {what} is needed: {ty}.")
                };
                let problem = Diagnostic::error(codes::LITERAL, message)
                    .label(check.span, format!("{ty} is needed here"));
                match check.ty.lane().kind() {
                    TypeKind::Index(_) => problem.hint("Indices are whole numbers from 0."),
                    TypeKind::Scalar(s) if s.is_integer() && digits.contains(['.', 'e']) => {
                        let beside = self.beside(check.span).unwrap_or_else(|| "x".into());
                        problem.note(format!("`{}` holds whole numbers.", s.name())).hint(format!(
                            "Write a whole number, or convert what it stands with: `(cast {beside} : f32)`."
                        ))
                    }
                    TypeKind::Scalar(s) if s.is_integer() => {
                        let range = range(*s);
                        problem
                            .note(format!("`{}` holds whole numbers {range}.", s.name()))
                            .hint("Choose another number, or convert to a larger type first: `cast`.")
                    }
                    TypeKind::Scalar(Scalar::Bool) => problem.hint(format!(
                        "Truth values are joined, and each compares: `x == 1 or x == {digits}`."
                    )),
                    TypeKind::Scalar(s) => problem.hint(format!(
                        "The largest number of `{}` is {}.",
                        s.name(),
                        match s {
                            Scalar::F16 => "65504",
                            Scalar::F32 => "3.4028235e38",
                            _ => "1.7976931348623157e308",
                        }
                    )),
                    _ => problem,
                }
            }
        };
        let problem = match check.used_at {
            Some(span) => problem.label(span, "used here"),
            None => problem,
        };
        let xs = self.last_arguments.get(&check.span).and_then(|span| self.written_argument(*span));
        let problem = match (&check.what, check.ty.kind()) {
            (
                What::Numeric(op) | What::Integer(op) | What::Ordered(op) | What::Comparable(op),
                TypeKind::Array(..),
            ) if op.chars().all(|c| !c.is_alphabetic()) => {
                let (depth, _) = super::words::depth_and_element(&check.ty);
                problem.hint(self.for_every_element(op, check.span, depth))
            }
            (
                What::Numeric(op) | What::Float(op) | What::Integer(op) | What::Bits(op) | What::Ordered(op),
                TypeKind::Array(..),
            ) => {
                // `max 0`, which is given to a `map`.
                let next = self.last_arguments.get(&check.span).is_some_and(|last| last.start == check.span.end + 1);
                if next && xs.as_deref().is_some_and(super::words::is_of_numbers) {
                    let one = format!("({op} {})", xs.unwrap_or_default());
                    let problem = problem.hint(format!(
                        "For each element of an array it is `map {one}`, for each of the rows of a matrix `map (map {one})`."
                    ));
                    self.problems.push(names.explain(problem));
                    return;
                }
                if self.operands.contains_key(&check.span) {
                    let (depth, _) = super::words::depth_and_element(&check.ty);
                    let problem = problem.hint(self.for_every_element(op, check.span, depth));
                    self.problems.push(names.explain(problem));
                    return;
                }
                let is_given = xs.is_some();
                let xs = xs.unwrap_or_else(|| "xs".into());
                let (depth, _) = super::words::depth_and_element(&check.ty);
                // Of a matrix the elements of all rows.
                let all = (1..depth).fold(xs.clone(), |xs, _| format!("(join {xs})"));
                problem.hint(match of_all_elements(&format!("{op} {all}")) {
                    Some(all) => format!("Of all elements, write {all}. Of one array and another, write `zip a b |> map (\\(x, y). {op} x y)`."),
                    None if takes_two(op) => format!("For every element `x` of an array, write `map (\\x. {op} x y)`; of two arrays, write `zip xs ys |> map (\\(x, y). {op} x y)`."),
                    None => {
                        // As deep as the array is, and no deeper than it is where this stands.
                        let (depth, _) = super::words::depth_and_element(&check.ty);
                        let f = super::words::mapped(op, depth);
                        match is_given {
                            true => format!("For every element, write `map {f} {xs}`."),
                            false => format!("For every element, write `(map {f})` in its place."),
                        }
                    }
                })
            }
            (What::Bits(op), TypeKind::Scalar(s)) if s.is_float() => {
                match self.of_converted(op, check.span, &|s| s.is_integer(), Scalar::I32) {
                    Some(all) => problem.hint(format!("Bits are those of integers: `{all}`.")),
                    None => problem.hint("Bits are those of integers; `cast` makes one of a number."),
                }
            }
            (What::Float(op), TypeKind::Pair(..)) if &**op != "pow" && xs.as_deref().is_some_and(is_a_pair) => {
                problem.hint(format!("`{op}` takes one number, without a pair around it: `{op} x`."))
            }
            (What::Numeric(_) | What::Float(_), TypeKind::Pair(..)) => {
                problem.hint("The components of a pair `p` are `fst p` and `snd p`.")
            }
            (What::Float(op), TypeKind::Index(_)) => {
                let i = xs.unwrap_or_else(|| "i".into());
                problem.hint(format!("An index is no number: `{op} (cast (indexAsNat {i}) : f32)`."))
            }
            (What::Numeric(_) | What::Integer(_), TypeKind::Index(n)) => {
                let written = self.computed_index(check.span, n);
                problem.hint(written.unwrap_or_else(|| {
                    "`indexAsNat i` is an index as a number; `natAsIndex n k` makes an index of a number `k` below `n`, `cast` one of \
                     another type."
                        .into()
                }))
            }
            (What::Numeric(_), TypeKind::Scalar(Scalar::Bool)) => match self.truth_among_operands(check.span)
            {
                Some((x, to)) => problem.hint(format!(
                    "A truth value becomes 1 or 0 by `cast`: `(cast {x} : {to})`; of whatever type the other numbers have, \
                     `select c 1 0` is one of `c`."
                )),
                None => problem,
            },
            (What::Integer(_), TypeKind::Scalar(s)) if s.is_float() => match self.written_operands(check.span) {
                Some([x, y]) => {
                    let rest = self.in_place_of(check.span, format!("Write `{}`", rest_of_floats(&x, &y)));
                    let [x, y] = [whole(&x), whole(&y)];
                    problem.hint(format!("{rest} for the rest of a division, `{x} % {y}` for that of whole numbers."))
                }
                None => problem,
            },
            (What::Float(op), TypeKind::Scalar(s)) if s.is_integer() && takes_two(op) => {
                match self.of_converted(op, check.span, &|s| s.is_float(), Scalar::F32) {
                    Some(all) => problem.hint(format!("`cast` converts between scalar types: `{all}`.")),
                    None => problem,
                }
            }
            (What::Float(op), TypeKind::Scalar(s)) if s.is_integer() => problem.hint(match xs {
                None => format!("`cast` converts between scalar types: `(\\v. {op} (cast v : f32))` in its place."),
                Some(x) => {
                    // What is computed of whole numbers may have wrapped.
                    let computed = Some(elsewhere::without_parentheses(&x)).filter(|x| elsewhere::is_loose(x));
                    match computed.and_then(|x| self.converted(x, Scalar::F32)) {
                        Some(all) => format!("`cast` converts between scalar types, as in `{op} ({all})`."),
                        None => format!("`cast` converts between scalar types, as in `{op} (cast {x} : f32)`."),
                    }
                }
            }),
            _ => problem,
        };
        let problem = names.explain(problem);
        self.problems.push(problem);
    }
}

/// Is it `(x, 2)`?
fn is_a_pair(written: &str) -> bool {
    written.starts_with('(') && written.contains(',')
}

/// The numbers that a type of whole numbers holds, in words.
fn range(s: Scalar) -> &'static str {
    match s {
        Scalar::I8 => "from -128 to 127",
        Scalar::I16 => "from -32768 to 32767",
        Scalar::I32 => "from -2^31 to 2^31 - 1",
        Scalar::I64 => "from -2^63 to 2^63 - 1",
        Scalar::U8 => "from 0 to 255",
        Scalar::U16 => "from 0 to 65535",
        Scalar::U32 => "from 0 to 2^32 - 1",
        Scalar::U64 => "from 0 to 2^64 - 1",
        Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => "alone",
    }
}

/// What sort of thing has this type, with its article.
pub fn describe(t: &Type) -> &'static str {
    match t.kind() {
        TypeKind::Scalar(Scalar::Bool) => "a truth value",
        TypeKind::Scalar(s) if s.is_float() => "a floating-point number",
        TypeKind::Scalar(_) | TypeKind::NatType => "a whole number",
        TypeKind::Index(_) => "an index",
        TypeKind::Vector(_, lane) => match lane.as_scalar() {
            Some(Scalar::Bool) => "a vector of truth values",
            Some(s) if s.is_float() => "a vector of floating-point numbers",
            Some(_) => "a vector of whole numbers",
            None => "a vector",
        },
        TypeKind::Pair(..) => "a pair",
        TypeKind::Array(..) => "an array",
        TypeKind::Fun(..) => "a function",
        TypeKind::Var(_) | TypeKind::Ill => "something else",
    }
}

/// A number of which no more than its beginning is told, if it is long.
fn short(number: String) -> String {
    const LONGEST: usize = 48;
    if number.len() <= LONGEST {
        number
    } else {
        format!("{}…", number.get(..LONGEST / 2).unwrap_or_default())
    }
}

/// What `x % y` is for floating-point numbers.
pub(super) fn rest_of_floats(x: &str, y: &str) -> String {
    format!("{x} - {y} * trunc ({x} / {y})")
}

/// An operand as a whole number: one that is written, or what `cast` makes.
fn whole(x: &str) -> String {
    let written = x.strip_suffix(".0").unwrap_or(x);
    match written.chars().all(|c| c.is_ascii_digit()) {
        true => written.to_owned(),
        false => format!("(cast {x} : i32)"),
    }
}

/// Is this a pattern of two arguments?
fn takes_two(name: &str) -> bool {
    Pattern::from_name(name).is_some_and(|p| Scheme::of(p).ty.signature().0.len() == 2)
}
