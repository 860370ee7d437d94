//! What to write instead, in the words of the text: the hints that repeat what the user wrote.

use super::codes;
use super::conversions::{applies, has_fraction};
use super::report::of_a_pair;
use super::state::Infer;
use super::tree::Tree;
use crate::constraint::SizeConstraint;
use crate::diag::{Charset, Diagnostic, Span};
use crate::math;
use crate::nat::{Name, Nat};
use crate::pattern::Pattern;
use crate::syntax::ast::{Expr, ExprKind, Op};
use crate::syntax::print::{self, Options};
use crate::syntax::{elsewhere, is_reserved};
use crate::ty::{Scalar, Type, TypeKind, TypeSubst};

/// Longer texts are not repeated.
const MAX_QUOTE: usize = 72;

/// An application that ends with a function without parentheses, which may have taken in what was meant to follow it.
pub struct OpenFunction {
    /// What is applied, up to the function.
    pub call: String,
    pub function: Expr,
}

/// On one line.
pub(super) const WIDE: Options = Options { charset: Charset::Ascii, width: usize::MAX / 2 };

pub(super) fn short(text: String) -> String {
    if text.chars().count() > MAX_QUOTE || text.contains("<error>") { "…".into() } else { text }
}

/// Where the text of a place is, with the parentheses around its first and last part, which stand outside of what these are.
fn balanced(text: &str, start: usize, end: usize) -> Option<std::ops::Range<usize>> {
    let (mut before, mut open) = (0usize, 0usize);
    for c in text.get(start..end)?.chars() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => before += 1,
            ')' => open -= 1,
            _ => {}
        }
    }
    let mut from = text.get(..start)?;
    for _ in 0..before {
        from = from.trim_end().strip_suffix('(')?;
    }
    let mut rest = text.get(end..)?;
    for _ in 0..open {
        rest = rest.trim_start().strip_prefix(')')?;
    }
    Some(from.len()..text.len() - rest.len())
}

/// Does a text end with an operator between values?
fn ends_with_operator(text: &str) -> bool {
    let text = text.trim_end();
    let is_other = ["|>", "->", "~>", "=>"].iter().any(|sign| text.ends_with(sign));
    let is_compared = ["==", "!=", "<=", ">="].iter().any(|sign| text.ends_with(sign));
    let last = text.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    is_compared
        || !is_other && text.ends_with(['+', '-', '*', '/', '%', '^', '<', '>'])
        || matches!(last, "and" | "or")
}

/// Does a text start with an operator between values?
fn starts_with_operator(text: &str) -> bool {
    let text = text.trim_start();
    let is_other = ["--", "->", "/\\"].iter().any(|sign| text.starts_with(sign));
    let is_compared = ["==", "!="].iter().any(|sign| text.starts_with(sign));
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    is_compared
        || !is_other && text.starts_with(['+', '-', '*', '/', '%', '^', '<', '>'])
        || matches!(first, "and" | "or")
}

/// Is an expression nested no deeper than this?
fn is_shallow(e: &Expr, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let all = |parts: &[Expr]| parts.iter().all(|e| is_shallow(e, depth));
    match &e.kind {
        ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Section(_) => true,
        ExprKind::App(head, args) => is_shallow(head, depth) && all(args),
        ExprKind::Pipe(first, stages) => is_shallow(first, depth) && all(stages),
        ExprKind::Infix(first, rest) => {
            is_shallow(first, depth) && rest.iter().all(|(_, e)| is_shallow(e, depth))
        }
        ExprKind::Lam(_, body) => is_shallow(body, depth),
        _ => false,
    }
}

/// What stands in parentheses wherever it is put.
pub(super) fn in_parentheses(text: String) -> String {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    if text.chars().all(part) { text } else { format!("({text})") }
}

/// Is the first of its arguments a function, and none before it a size or a type?
fn takes_a_function_first(pattern: Pattern) -> bool {
    let scheme = super::scheme::Scheme::of(pattern);
    scheme.explicit.is_empty()
        && scheme.ty.signature().0.first().is_some_and(|first| first.as_fun().is_some())
}

/// Is it known of this size that it is no index below the other, whatever the sizes are?
pub fn is_never_below(i: &Nat, n: &Nat) -> bool {
    SizeConstraint::of_index(i, n).iter().any(|c| c.decide() == Some(false))
}

/// The last index below a size, as it is written.
pub fn last_index(n: &Nat) -> String {
    format!("natAsIndex {} {}", n.as_atom_text(), n.sub(&Nat::constant(1)).as_atom_text())
}

/// Does a text have numbers and operators alone?
pub fn is_of_numbers(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    text.split(|c| !part(c)).all(|w| w.is_empty() || w.starts_with(|c: char| c.is_ascii_digit()))
}

/// How deep arrays are nested, and of what scalars they are.
pub fn depth_and_element(t: &Type) -> (usize, Option<Scalar>) {
    let mut depth = 0;
    let mut t = t;
    while let Some((_, element)) = t.as_array() {
        (depth, t) = (depth + 1, element);
    }
    (depth, t.as_scalar())
}

/// What `map` takes for an array of arrays of so many dimensions: `(map sqrt)` of two.
pub fn mapped(function: &str, depth: usize) -> String {
    (1..depth).fold(function.to_owned(), |f, _| format!("(map {f})"))
}

/// What stands beside an operator: an application as it is, another operator in parentheses.
fn operand(text: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.' | ' ');
    let is_word = |w: &str| matches!(w, "div" | "and" | "or");
    let plain = text.chars().all(part) && !text.split(' ').any(is_word);
    if plain { text.to_string() } else { in_parentheses(text.to_string()) }
}

/// Are these matrices of which the first has as many columns as the second has rows?
pub fn are_factors(l: &Type, r: &Type) -> bool {
    let columns = l.as_array().and_then(|(_, row)| row.as_array()).map(|(n, _)| n);
    let rows = r.as_array().map(|(n, _)| n);
    columns.is_some() && columns == rows && depth_and_element(l).0 == 2 && depth_and_element(r).0 == 2
}

/// An operator between two values, or a function before them.
fn between(op: &str, x: &str, y: &str) -> String {
    if op.starts_with(char::is_alphabetic) { format!("{op} {x} {y}") } else { format!("{x} {op} {y}") }
}

impl Infer {
    /// The text at a place of the program's own text, on one line and not too long.
    pub fn written(&self, span: Span) -> Option<String> {
        let (file, text) = self.text.as_ref()?;
        let place = balanced(text, span.start as usize, span.end as usize).filter(|_| *file == span.file)?;
        let text = text.get(place)?;
        let short =
            text.len() <= MAX_QUOTE && !text.contains('\n') && !text.contains("--") && !text.is_empty();
        short.then(|| text.to_string())
    }

    /// Does an operator stand before or behind this?
    pub fn is_beside_operators(&self, span: Span) -> bool {
        let Some((file, text)) = self.text.as_ref().filter(|(file, _)| *file == span.file) else {
            return false;
        };
        let Some(place) = balanced(text, span.start as usize, span.end as usize) else { return false };
        let before = text.get(..place.start).is_some_and(ends_with_operator);
        *file == span.file && (before || text.get(place.end..).is_some_and(starts_with_operator))
    }

    /// A hint of what to write in the place of this: in parentheses where what stands beside it would be taken in.
    pub fn in_place_of(&self, span: Span, hint: String) -> String {
        if self.is_beside_operators(span) { elsewhere::in_its_place(&hint) } else { hint }
    }

    /// What stands in the line before this.
    pub fn before(&self, span: Span) -> Option<&str> {
        let (file, text) = self.text.as_ref()?;
        let before = text.get(..span.start as usize).filter(|_| *file == span.file)?;
        before.lines().next_back()
    }

    /// An expression as an argument is written.
    pub fn argument(&self, e: &Expr) -> String {
        let whole = matches!(
            e.kind,
            ExprKind::Array(_) | ExprKind::Section(_) | ExprKind::Tuple(_) | ExprKind::Ascribe(..)
        );
        match self.written(e.span) {
            Some(text) if whole => text,
            Some(text) => in_parentheses(text),
            None => short(print::argument(e, &WIDE)),
        }
    }

    pub fn plain(&self, e: &Expr) -> String {
        self.written(e.span).unwrap_or_else(|| short(print::expr(e, &WIDE)))
    }

    /// As [`Self::written`], as an argument is written.
    pub fn written_argument(&self, span: Span) -> Option<String> {
        self.written(span).map(in_parentheses)
    }

    /// The sizes of an array of this type as they are written, outermost first, as far as they are known.
    pub fn written_sizes_of(&mut self, ty: &Type) -> Vec<Nat> {
        let mut ty = self.u.zonk(ty);
        let names = self.names();
        let mut sizes = vec![];
        while let Some((n, element)) = ty.as_array().map(|(n, element)| (n.clone(), element.clone())) {
            if n.has_metas() {
                break;
            }
            sizes.push(n.subst(&|v| names.nat(v)));
            ty = element;
        }
        sizes
    }

    /// The type of what is given to a name that is not known.
    pub fn type_of_given(&mut self, e: &Expr) -> Option<Type> {
        // Names within each other that are not known would be read again and again.
        let plain = !self.scope.open && !matches!(e.kind, ExprKind::Name(_)) && is_shallow(e, 5);
        self.local_type(e).or_else(|| if plain { self.type_in_passing(e) } else { None })
    }

    /// What a name is called here, that other languages have, with what it is given. It stands at a place.
    pub fn written_here(
        &mut self,
        name: &Name,
        span: Span,
        args: &[Expr],
        piped: Option<(Span, Type)>,
    ) -> Option<String> {
        let whole = Span {
            start: piped.as_ref().map_or(span.start, |(span, _)| span.start),
            end: args.last().map_or(span.end, |last| last.span.end),
            ..span
        };
        let hint = self.called_here(name, args, piped)?;
        Some(self.in_place_of(whole, hint))
    }

    fn called_here(&mut self, name: &Name, args: &[Expr], piped: Option<(Span, Type)>) -> Option<String> {
        // `clip(x, 0, 1)`: what others call with commas between.
        let args = match args {
            [Expr { kind: ExprKind::Tuple(parts), .. }] if piped.is_none() => parts,
            args => args,
        };
        let name = &self.of_matrices(name, args);
        let mut all: Vec<String> = args.iter().map(|e| self.argument(e)).collect();
        let mut types: Vec<Option<Type>> = args.iter().map(|e| self.type_of_given(e)).collect();
        // An element behind an array.
        if let ("append", [_, x], [_, Some(ty)]) = (&**name, all.as_mut_slice(), types.as_slice())
            && ty.as_scalar().is_some()
        {
            *x = format!("[{x}]");
        }
        // Where it is known which is the array, it stands behind its sizes.
        let is_array = |e: Option<&Expr>| e.is_some_and(|e| self.is_array(e));
        let sizes_first = matches!(&**name, "reshape" | "slice");
        if sizes_first && is_array(args.first()) && !is_array(args.last()) {
            all.rotate_left(1);
            types.rotate_left(1);
        }
        let is_alone = args.is_empty() && piped.is_none();
        if let Some((span, ty)) = piped {
            all.push(self.written_argument(span).unwrap_or_else(|| "xs".into()));
            types.push(Some(ty));
        }
        if let Some(ty) = elsewhere::scalar_here(name) {
            all.push(ty.into());
        }
        if let Some(known) = name.strip_suffix('\'')
            && self.scope.value(known).is_some()
        {
            return Some(format!(
                "`'` is a part of a name: the rows and columns of `{known}` are exchanged by `transpose {known}`."
            ));
        }
        // The size that stands before the array is missing.
        if let ([_], [Some(ty)]) = (all.as_slice(), types.as_slice())
            && ty.as_array().is_some()
            && elsewhere::takes_a_size_first(name)
        {
            return elsewhere::written_of(name, &[], None);
        }
        let sizes: Vec<Vec<Nat>> = if is_alone {
            let element = self.mapped_over.clone();
            element.iter().map(|ty| self.written_sizes_of(ty)).collect()
        } else {
            types.iter().flatten().map(|ty| self.written_sizes_of(ty)).collect()
        };
        if let ([array], [sizes], false) = (all.as_mut_slice(), sizes.as_slice(), is_alone)
            && sizes.len() > 1
            && elsewhere::is_of_all(name)
        {
            // Of a matrix all elements, as one row.
            *array = (1..sizes.len()).fold(array.clone(), |rest, _| format!("(join {rest})"));
            let size = sizes.iter().fold(Nat::constant(1), |all, n| all.mul(n));
            return elsewhere::written_of(name, &all, Some(&size.as_atom_text()));
        }
        let from = usize::from(elsewhere::is_sized_by_weights(name) && !is_alone);
        let size = sizes.iter().skip(from).find_map(|sizes| sizes.first()).map(Nat::as_atom_text);
        if is_alone {
            let known = elsewhere::as_function(name, size.as_deref());
            return known.or_else(|| elsewhere::written_of(name, &[], size.as_deref()));
        }
        elsewhere::written_of(name, &all, size.as_deref())
    }

    /// Is it a name of an array?
    pub fn is_array(&self, e: &Expr) -> bool {
        self.depth_of(e) > 0
    }

    /// How deep the arrays are nested that a name stands for.
    fn depth_of(&self, e: &Expr) -> usize {
        let mut ty = self.local_type(e);
        let mut depth = 0;
        while let Some(element) =
            ty.as_ref().and_then(Type::as_array).map(|(_, element)| self.u.resolve(element))
        {
            (depth, ty) = (depth + 1, Some(element));
        }
        depth
    }

    /// What other languages call one product of whatever has two: of matrices and vectors each is written in its own way.
    fn of_matrices(&self, name: &Name, args: &[Expr]) -> Name {
        let [a, b] = args else { return name.clone() };
        if !matches!(&**name, "matmul" | "mm" | "gemm" | "dot" | "matvec" | "mv" | "gemv") {
            return name.clone();
        }
        match (self.depth_of(a), self.depth_of(b)) {
            (1, 1) => "dot".into(),
            (2, 1) => "matvec".into(),
            (1, 2) => "vecmat".into(),
            (2, 2) => "matmul".into(),
            _ => name.clone(),
        }
    }

    /// `select (xs > 0) xs 0`: the choice for each element of the arrays that stand in it.
    pub fn select_of_arrays(&self, args: &[Expr]) -> Option<Diagnostic> {
        let [condition, ..] = args else { return None };
        let compares = |e: &Expr| match &e.kind {
            ExprKind::Infix(_, rest) => rest.iter().all(|(op, _)| op.is_comparison()),
            _ => false,
        };
        let is_truth = match &condition.kind {
            ExprKind::And(all) | ExprKind::Or(all) => all.iter().all(compares),
            _ => compares(condition),
        };
        if args.len() != 3 || !is_truth {
            return None;
        }
        let mut arrays: Vec<(Name, usize)> = vec![];
        self.arrays_in(condition, &mut arrays)?;
        // By one truth value arrays are chosen as wholes.
        if arrays.is_empty() {
            return None;
        }
        for e in args {
            self.arrays_in(e, &mut arrays)?;
        }
        let texts: Vec<String> = args.iter().map(|e| self.argument(e)).collect();
        let all: Vec<&str> = texts.iter().map(String::as_str).collect();
        let x = elsewhere::fresh("x", &all);
        let y = elsewhere::fresh("y", &[&all[..], &[&x]].concat());
        let of_elements = |names: &[(&Name, &String)]| {
            let element =
                |w: &str| names.iter().find(|(name, _)| &***name == w).map_or(w, |(_, v)| v).to_owned();
            texts.iter().map(|t| elsewhere::in_words(t, &element)).collect::<Vec<_>>().join(" ")
        };
        let written = match arrays.as_slice() {
            [(a, depth)] => {
                let one = format!("\\{x}. select {}", of_elements(&[(a, &x)]));
                let f = (1..*depth).fold(one, |f, _| format!("map ({f})"));
                format!("map ({f}) {a}")
            }
            [(a, 1), (b, 1)] => {
                format!("zip {a} {b} |> map (\\({x}, {y}). select {})", of_elements(&[(a, &x), (b, &y)]))
            }
            _ => return None,
        };
        let problem = Diagnostic::error(
            codes::OPERAND,
            "`select` chooses by one truth value, and an array is compared.",
        );
        Some(problem.label(condition.span, "here").hint(format!("For every element, write `{written}`.")))
    }

    /// The names of arrays among numbers, values and operators, and how deep each is; none where there is anything else.
    fn arrays_in(&self, e: &Expr, out: &mut Vec<(Name, usize)>) -> Option<()> {
        match &e.kind {
            ExprKind::Number(_) => {}
            ExprKind::Neg(inner) => self.arrays_in(inner, out)?,
            ExprKind::And(all) | ExprKind::Or(all) => {
                for e in all {
                    self.arrays_in(e, out)?;
                }
            }
            ExprKind::Name(name) => {
                let depth = self.depth_of(e);
                if depth > 0 && !out.iter().any(|(known, _)| known == name) {
                    out.push((name.clone(), depth));
                }
            }
            ExprKind::Infix(first, rest) => {
                self.arrays_in(first, out)?;
                for (_, e) in rest {
                    self.arrays_in(e, out)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// An index that is computed, which is written at a place: as an index again where one is meant, else as a number.
    pub fn computed_index(&mut self, span: Span, n: &Nat) -> Option<String> {
        let text = self.written(span)?;
        let names = self.names();
        let n = n.subst(&|v| names.nat(v));
        let is_index = |w: &str| {
            // The one that was bound last before it.
            let named = self.locals.iter().filter(|l| &*l.name == w && l.span.start < span.start);
            let local = named.max_by_key(|l| l.span.start);
            local.is_some_and(|l| self.u.resolve(&l.ty).as_index().is_some())
        };
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let plain = |c: char| part(c) || ". +-*/%()".contains(c);
        if !text.chars().all(plain) || applies(&text) || !text.split(|c| !part(c)).any(is_index) {
            return None;
        }
        let put = |before: &str, after: &str| {
            elsewhere::in_words(&text, &|w| match is_index(w) {
                true => format!("{before}{w}{after}"),
                false => w.to_owned(),
            })
        };
        let as_number = put("(cast (indexAsNat ", if has_fraction(&text) { ") : f32)" } else { ") : i32)" });
        let as_index = put("indexAsNat ", "");
        let before = self
            .before(span)
            .map(|text| text.trim_end().trim_end_matches('(').trim_end())
            .unwrap_or_default();
        let is_read = before.ends_with("idx") && n.as_constant().is_none_or(|n| n > 0);
        Some(match is_read {
            true => format!(
                "As an index it is `natAsIndex {} ({as_index})`, as long as that lies below `{n}` and not below zero: `padCst` and \
                 `padClamp` give an array neighbours at its ends.",
                n.as_atom_text()
            ),
            false => format!(
                "An index is no number: write `{as_number}`, with the type that is meant, or `natAsIndex {} ({as_index})` where an \
                 index below `{n}` is meant.",
                n.as_atom_text()
            ),
        })
    }

    /// The type of an expression that is read only to tell; none where something is wrong in it.
    pub fn type_in_passing(&mut self, e: &Expr) -> Option<Type> {
        let (problems, checks, joints) = (self.problems.len(), self.checks.len(), self.joints.len());
        let ty = self.expr(e, None).ty;
        let read = self.problems.len() == problems;
        self.problems.truncate(problems);
        self.checks.truncate(checks);
        self.joints.truncate(joints);
        read.then(|| self.u.resolve(&ty))
    }

    /// A call whose arguments are in another order or number than the pattern takes them, or that lacks one that is usual
    /// elsewhere.
    pub fn misplaced_arguments(
        &self,
        pattern: Pattern,
        name: &Name,
        args: &[Expr],
        piped: Option<&Tree>,
    ) -> Option<Diagnostic> {
        let is_array = |e: &Expr| self.is_array(e);
        let is_size = |e: &Expr| match &e.kind {
            ExprKind::Number(_) => true,
            ExprKind::Name(n) => self.scope.value(n).is_none() && self.scope.sizes.contains_key(n),
            _ => false,
        };
        let whole = || args.first().zip(args.last()).map(|(a, b)| a.span.to(b.span));
        let error = |message: String| {
            Some(Diagnostic::error(codes::NOT_A_FUNCTION, message).label(whole()?, "these arguments"))
        };
        match (pattern, args) {
            // As a function that combines the elements has it.
            (Pattern::Zip, [f, xs, ys])
                if piped.is_none()
                    && matches!(f.kind, ExprKind::Section(_) | ExprKind::Lam(..) | ExprKind::Name(_))
                    && !is_array(f)
                    && (is_array(xs) || is_array(ys)) =>
            {
                error(format!("`{name}` takes two arrays, and no function."))?
                    .hint(self.of_two_arrays([f, xs, ys]))
                    .into()
            }
            (Pattern::Zip, [a, b, c]) if piped.is_none() => error("`zip` takes two arrays.".into())?
                .hint(format!(
                    "Write `{name} {} ({name} {} {})`.",
                    self.argument(a),
                    self.argument(b),
                    self.argument(c)
                ))
                .into(),
            (Pattern::Map, [f, xs, ys])
                if piped.is_none()
                    && !is_array(f)
                    && is_array(ys)
                    && (is_array(xs) || matches!(xs.kind, ExprKind::App(..))) =>
            {
                error(format!("`{name}` takes one array."))?.hint(self.of_two_arrays([f, xs, ys])).into()
            }
            // `map (\v. max v, 0) xs`
            (_, [Expr { kind: ExprKind::Tuple(parts), .. }, rest @ ..])
                if let Some(function) = self.with_commas(parts) =>
            {
                let all = std::iter::once(function).chain(rest.iter().map(|e| self.argument(e)));
                let all: Vec<String> = all.collect();
                error("Arguments are separated by spaces, without commas.".into())?
                    .hint(format!("Write `{name} {}`.", all.join(" ")))
                    .into()
            }
            (Pattern::Idx, [a, i]) if is_array(a) && !is_array(i) => {
                error("The index stands before the array.".into())?
                    .hint(format!("Write `{name} {} {}`.", self.argument(i), self.argument(a)))
                    .into()
            }
            (Pattern::PadCst, [_, _])
                if piped.is_some_and(|tree| self.u.resolve(&tree.ty).as_array().is_some()) =>
            {
                let sizes: Vec<String> = args.iter().map(|e| self.argument(e)).collect();
                error("The number to pad with is missing.".into())?
                    .hint(format!("Write it behind the sizes: `{name} {} 0`.", sizes.join(" ")))
                    .into()
            }
            (Pattern::Map, [xs, Expr { kind: ExprKind::Infix(..), span }])
                if is_array(xs) && self.written(*span).is_some() =>
            {
                let (array, body) = (self.argument(xs), self.written(*span).unwrap_or_default());
                let v = elsewhere::fresh("v", &[&body]);
                let of_element =
                    elsewhere::in_words(&body, &|w| if w == array { v.clone() } else { w.into() });
                error("The function stands before the array.".into())?
                    .hint(format!("Write `{name} (\\{v}. {of_element}) {array}`."))
                    .into()
            }
            (Pattern::Generate, [n, f]) if is_size(n) => {
                error("The number of elements stands in the type.".into())?
                    .hint(format!(
                        "Write `({name} {} : {}.f32)`, with the type of the elements that is meant.",
                        self.argument(f),
                        self.argument(n)
                    ))
                    .into()
            }
            (p, [xs, rest @ ..]) if !rest.is_empty() && is_array(xs) && takes_a_function_first(p) => {
                let rest: Vec<String> = rest.iter().map(|e| self.argument(e)).collect();
                error("The function stands before the array.".into())?
                    .hint(format!("Write `{name} {} {}`.", rest.join(" "), self.argument(xs)))
                    .into()
            }
            (p, [first, rest @ ..])
                if super::scheme::Scheme::of(p)
                    .explicit
                    .first()
                    .is_some_and(|e| matches!(e.kind, super::scheme::ExplicitKind::Nat))
                    && is_array(first)
                    && !rest.is_empty()
                    && rest.iter().all(is_size) =>
            {
                let sizes: Vec<String> = rest.iter().map(|e| self.argument(e)).collect();
                error("Sizes stand before the array.".into())?
                    .hint(format!("Write `{name} {} {}`.", sizes.join(" "), self.argument(first)))
                    .into()
            }
            _ => None,
        }
    }

    /// A function of two values for the elements of two arrays.
    fn of_two_arrays(&self, [f, xs, ys]: [&Expr; 3]) -> String {
        let (f, xs, ys) = (self.argument(f), self.argument(xs), self.argument(ys));
        let pair = of_a_pair(&f).or_else(|| of_a_pair(elsewhere::without_parentheses(&f)));
        let pair = pair.unwrap_or_else(|| format!("\\(x, y). {f} x y"));
        format!("Write `zip {xs} {ys} |> map ({pair})`.")
    }

    /// The function that is meant by `\v. max v, 0`, which is a pair: what stands behind the commas lacks before them.
    fn with_commas(&self, parts: &[Expr]) -> Option<String> {
        let [Expr { kind: ExprKind::Lam(_, body), span }, behind @ ..] = parts else { return None };
        let ExprKind::App(head, given) = &body.kind else { return None };
        let ExprKind::Name(name) = &head.kind else { return None };
        let pattern = Pattern::from_name(name).filter(|_| self.scope.value(name).is_none())?;
        if crate::build::arity(pattern, &[])? != given.len() + behind.len() {
            return None;
        }
        let behind: Vec<String> = behind.iter().map(|e| self.argument(e)).collect();
        Some(format!("({} {})", self.written(*span)?, behind.join(" ")))
    }

    /// The type of a name that a function or a `let` binds.
    pub(super) fn local_type(&self, e: &Expr) -> Option<Type> {
        let ExprKind::Name(name) = &e.kind else { return None };
        Some(self.u.resolve(&self.locals[self.scope.value(name)? as usize].ty))
    }

    /// `map (-1) xs`: a negative number where a function is needed.
    pub fn negative_section(&self, e: &Expr, wanted: &Type) -> Option<Diagnostic> {
        let ExprKind::Neg(inner) = &e.kind else { return None };
        self.u.resolve(wanted).as_fun()?;
        let number = self.argument(inner);
        Some(
            Diagnostic::error(codes::NOT_DATA, "This is a number, and a function is needed.")
                .label(e.span, "a negative number")
                .hint(format!("The function that subtracts is `\\x. x - {number}`.")),
        )
    }

    /// What is applied is no function, or takes fewer arguments: perhaps the function around it was meant to end before.
    pub fn swallowed(&self, span: Span, taken: usize) -> Option<String> {
        let open = self.open_functions.last()?;
        let inside = open.function.span.start < span.start && open.function.span.end == span.end;
        let (function, rest) = without_last(&open.function, taken).filter(|_| inside)?;
        let rest: Vec<String> = rest.iter().map(|e| self.argument(e)).collect();
        Some(format!(
            "A function reaches as far as it can: write `{} ({}) {}`.",
            open.call,
            self.plain(&function),
            rest.join(" ")
        ))
    }

    /// Does this stand right behind a bracket, as the first element of an array?
    pub fn in_brackets(&self, span: Span) -> bool {
        self.before(span).is_some_and(|text| text.trim_end().ends_with('['))
    }

    /// The function of numbers that stands among the arguments of another one: `sin x cos x`.
    pub fn function_among(&self, span: Span) -> Option<String> {
        let text = self.written(span)?;
        let mut words = text.split_whitespace().skip(2);
        let is_function = |w: &&str| Pattern::from_name(w).is_some_and(|p| math::of(p).is_some());
        words.find(is_function).map(str::to_owned)
    }

    /// `map map f xs`: the inner function without its parentheses.
    pub fn nested_map(&self, span: Span) -> Option<String> {
        let text = self.written(span)?;
        let [outer, inner, f, xs] = text.split_whitespace().collect::<Vec<_>>()[..] else { return None };
        let is_map = |word: &str| Pattern::from_name(word) == Some(Pattern::Map);
        let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
        let array = Expr { kind: ExprKind::Name(xs.into()), span };
        // Of an array of numbers one of them is one too many.
        let written = match self.depth_of(&array) {
            1 => format!("{outer} {f} {xs}"),
            _ => format!("{outer} ({inner} {f}) {xs}"),
        };
        (is_map(outer) && is_map(inner) && plain(f) && plain(xs)).then(|| format!("Write `{written}`."))
    }

    /// `x^k`
    pub fn power(&self, base: &Expr, exponent: &Expr) -> String {
        let x = self.argument(base);
        match &exponent.kind {
            ExprKind::Number(n) if matches!(n.as_int(), Some(2..=4)) => {
                let times = n.as_int().and_then(|k| usize::try_from(k).ok()).unwrap_or(2);
                let product = vec![x.clone(); times].join(" * ");
                format!("Write `{product}`, or `bitXor {x} {}` for the bits of integers.", n.digits)
            }
            _ => {
                let y = self.argument(exponent);
                let whole = elsewhere::product(&x, &y)
                    .or_else(|| (x == "2").then(|| format!("shiftLeft 1 {y}")))
                    .map_or_else(String::new, |whole| format!(", `{whole}` for whole ones"));
                format!(
                    "Write `pow {x} {y}` for floating-point numbers{whole}; `bitXor {x} {y}` is of the bits of integers."
                )
            }
        }
    }

    /// How a vector and a matrix meet: for each row of it, where they are as long, or one element a row.
    fn rows_with(op: &str, (l, lt): (&str, &Type), (r, rt): (&str, &Type)) -> Option<String> {
        let size = |t: &Type| t.as_array().map(|(n, t)| (n.clone(), t.clone()));
        let matrix_first = depth_and_element(lt).0 == 2;
        if depth_and_element(lt).0 + depth_and_element(rt).0 != 3 {
            return None;
        }
        let (matrix, vector) = if matrix_first { (lt, rt) } else { (rt, lt) };
        let ((rows, row), (length, _)) = (size(matrix)?, size(vector)?);
        let (columns, _) = size(&row)?;
        let (m, v) = if matrix_first { (l, r) } else { (r, l) };
        let r = elsewhere::fresh("r", &[m, v]);
        let s = elsewhere::fresh("s", &[m, v, &r, "x", "y"]);
        let body = |a: &str, b: &str| between(op, a, b);
        Some(match (columns == length, rows == length) {
            (true, _) if matrix_first => {
                format!("map (\\{r}. zip {r} {v} |> map (\\(x, y). {})) {m}", body("x", "y"))
            }
            (true, _) => format!("map (\\{r}. zip {v} {r} |> map (\\(x, y). {})) {m}", body("x", "y")),
            (false, true) if matrix_first => {
                format!("zip {m} {v} |> map (\\({r}, {s}). map (\\x. {}) {r})", body("x", &s))
            }
            (false, true) => format!("zip {m} {v} |> map (\\({r}, {s}). map (\\x. {}) {r})", body(&s, "x")),
            _ => return None,
        })
    }

    /// What an operator on arrays stands for.
    pub fn for_every_element(&mut self, op: &str, span: Span, depth: usize) -> String {
        let operands = self.operands.get(&span).cloned();
        let is_word = op.starts_with(char::is_alphabetic);
        let [l, r] = [0, 1].map(|i| {
            let (span, ty) = operands.clone()?[i].clone();
            let text = self.written(span)?;
            // The type of a number is that of what stands with it.
            let ty = (!is_of_numbers(&text)).then(|| self.u.zonk(&ty));
            let depth = ty.as_ref().map_or(0, |t| depth_and_element(t).0);
            Some((text, ty, depth))
        });
        let is_of_pairs = |operand: &Option<(String, Option<Type>, usize)>| {
            let mut ty = operand.as_ref().and_then(|(_, ty, _)| ty.clone());
            while let Some((_, element)) = ty.as_ref().and_then(Type::as_array) {
                ty = Some(element.clone());
            }
            ty.is_some_and(|ty| matches!(ty.kind(), TypeKind::Pair(..)))
        };
        if is_of_pairs(&l) || is_of_pairs(&r) {
            return "The elements of arrays are given to functions by `map`; the components of a pair `p` are `fst p` and `snd p`."
                .into();
        }
        let (Some((l, lt, l_depth)), Some((r, rt, r_depth))) = (l, r) else {
            return match self.written(span) {
                Some(text) if text.starts_with('-') => {
                    let xs = in_parentheses(text.trim_start_matches('-').trim().to_string());
                    let f = mapped("neg", depth);
                    format!("For every element, write `map {f} {xs}`.")
                }
                Some(text) if text.starts_with('(') => format!(
                    "The operator is of numbers: of each row of a matrix write `map (reduce ({op}) 0) xs`, of all its numbers \
                     `join xs |> reduce ({op}) 0`. Of two arrays, write `zip a b |> map (\\(x, y). x {op} y)`."
                ),
                _ => format!("For every element, write `zip a b |> map (\\(x, y). x {op} y)`."),
            };
        };
        let group = |t: &str| in_parentheses(t.to_string());
        // What is not known here may be one value.
        let of_all = |text: &str| {
            text.split_once(' ').is_some_and(|(name, _)| {
                elsewhere::is_of_all(name) && self.scope.value(name).is_none() && !is_reserved(name)
            })
        };
        let (l_depth, r_depth) = match (of_all(&l), of_all(&r)) {
            (true, false) => (0, r_depth.max(1)),
            (false, true) => (l_depth.max(1), 0),
            _ => (l_depth, r_depth),
        };
        if l_depth > 0 && r_depth > 0 {
            let deep = (1..l_depth.min(r_depth))
                .fold(between(op, "x", "y"), |body, _| format!("zip x y |> map (\\(x, y). {body})"));
            let (l, r) = (group(&l), group(&r));
            if let (false, Some(lt), Some(rt)) = (l_depth == r_depth, &lt, &rt) {
                return match Infer::rows_with(op, (&l, lt), (&r, rt)) {
                    Some(written) => format!("Of a matrix and a vector, write `{written}`."),
                    None => "Each row of a matrix is an array, which `map` gives to a function: `zip` pairs its elements with those of \
                             another one that is as long."
                        .into(),
                };
            }
            let dot = match self.written(span) {
                Some(text) if text.contains('·') => {
                    format!(" Their dot product is `zip {l} {r} |> map (\\(x, y). {deep}) |> reduce (+) 0`.")
                }
                _ => String::new(),
            };
            if let (true, "*", Some(lt), Some(rt)) = (lt != rt, op, &lt, &rt)
                && are_factors(lt, rt)
            {
                let row = elsewhere::fresh("r", &[&l, &r]);
                let column = elsewhere::fresh("c", &[&l, &r, &row]);
                return format!(
                    "The product of two matrices is `{l} |> map (\\{row}. transpose {r} |> map (\\{column}. zip {row} {column} |> map \
                     (\\(x, y). x * y) |> reduce (+) 0))`."
                );
            }
            return format!("For every element, write `zip {l} {r} |> map (\\(x, y). {deep})`.{dot}");
        }
        // A function that knows no name of what it is given.
        let v = &elsewhere::fresh("x", &[&l, &r]);
        let converted = |text: &str, ty: &Option<Type>, of: &Option<Type>| {
            let element = of.as_ref().and_then(|t| depth_and_element(t).1);
            match (ty.as_ref().map(Type::kind), element) {
                (Some(TypeKind::NatType | TypeKind::Index(_)), Some(s)) => {
                    format!("(cast {} : {})", group(text), s.name())
                }
                (Some(TypeKind::Scalar(own)), Some(s)) if *own != s => {
                    format!("(cast {} : {})", group(text), s.name())
                }
                _ => operand(text),
            }
        };
        let is_loose = |text: &str| is_word && text.contains(' ') && !text.starts_with('(');
        let value = |text: String| if is_loose(&text) { format!("({text})") } else { text };
        let (function, depth, xs) = if l_depth > 0 {
            (format!("\\{v}. {}", between(op, v, &value(converted(&r, &rt, &lt)))), l_depth, group(&l))
        } else {
            (format!("\\{v}. {}", between(op, &value(converted(&l, &lt, &rt)), v)), r_depth, group(&r))
        };
        let function = (1..depth).fold(function, |f, _| format!("map ({f})"));
        format!("For every element, write `map ({function}) {xs}`.")
    }

    /// `max -x`, `abs -x`: what is meant by an operator behind a function.
    pub fn negated_argument(&self, function: &Expr, right: &Expr) -> Option<String> {
        // `exp -x * 2`: the sign belongs to the first of what follows, and the others stay.
        if let ExprKind::Infix(first, rest) = &right.kind {
            let last = &rest.last()?.1;
            let behind = self.written(Span { start: first.span.end, ..last.span })?;
            return Some(format!("{} {}", self.negated_argument(function, first)?, behind.trim()));
        }
        let (ExprKind::Name(_) | ExprKind::App(..)) = &right.kind else { return None };
        let (operand, rest) = match &right.kind {
            ExprKind::App(head, args) => (&**head, args.as_slice()),
            _ => (right, &[][..]),
        };
        let known = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if !is_reserved(n));
        let rest: String = rest.iter().map(|a| format!(" {}", self.argument(a))).collect();
        known(operand).then(|| format!("{} (-{}){rest}", self.plain(function), self.argument(operand)))
    }
}

/// The expression without the arguments behind the first `keep` of the application that ends it, and those.
fn without_last(e: &Expr, keep: usize) -> Option<(Expr, Vec<Expr>)> {
    let to = |end: Span, kind: ExprKind| Expr { span: Span { end: end.end, ..e.span }, kind };
    Some(match &e.kind {
        ExprKind::Lam(params, body) => {
            let (body, rest) = without_last(body, keep)?;
            (to(body.span, ExprKind::Lam(params.clone(), Box::new(body))), rest)
        }
        ExprKind::Infix(first, operands) => {
            let (last, before) = operands.split_last()?;
            let (end, rest) = without_last(&last.1, keep)?;
            let span = end.span;
            let operands: Vec<(Op, Expr)> = before.iter().cloned().chain([(last.0, end)]).collect();
            (to(span, ExprKind::Infix(first.clone(), operands)), rest)
        }
        ExprKind::App(head, args) if args.len() > keep => {
            let (kept, rest) = args.split_at(keep);
            let head = match kept.last() {
                None => (**head).clone(),
                Some(last) => to(last.span, ExprKind::App(head.clone(), kept.to_vec())),
            };
            (head, rest.to_vec())
        }
        _ => return None,
    })
}
