//! Elements of arrays that are read by brackets, as in other languages: what to write instead.

use super::codes;
use super::state::Infer;
use super::words::{WIDE, in_parentheses, is_never_below, last_index, short};
use crate::diag::Diagnostic;
use crate::nat::{Name, Nat};
use crate::syntax::ast::{Expr, ExprKind, Op};
use crate::syntax::{elsewhere, print};
use crate::ty::{Type, TypeKind, TypeSubst};

impl Infer {
    /// What stands in brackets, as `idx` takes it of an array of `n` elements.
    fn as_index(&mut self, e: &Expr, n: &Nat) -> Option<String> {
        let n = self.u.zonk_nat(n);
        let names = self.names();
        let shown = n.subst(&|v| names.nat(v));
        let of = |i: &str| format!("(natAsIndex {} {i})", shown.as_atom_text());
        let last = || format!("({})", last_index(&shown));
        let number = |e: &Expr| match &e.kind {
            ExprKind::Number(k) => k.as_int().map(Nat::constant),
            _ => None,
        };
        // `xs[end - 1]`
        let ends = |e: &Expr| matches!(&e.kind, ExprKind::Name(end) if &**end == "end" && self.scope.value(end).is_none());
        match &e.kind {
            _ if n.has_metas() => {}
            ExprKind::Infix(end, rest) if ends(end) => {
                let [(Op::Sub, k)] = rest.as_slice() else { return None };
                let k = number(k)?.add(&Nat::constant(1));
                let i = shown.sub(&k);
                return (!is_never_below(&i, &shown)).then(|| of(&i.as_atom_text()));
            }
            _ if ends(e) => return Some(last()),
            _ => {}
        }
        if let Some(k) = number(e) {
            return Some(if is_never_below(&k, &n) { last() } else { self.argument(e) });
        }
        let from_the_end = match &e.kind {
            ExprKind::Neg(k) => number(k),
            _ => None,
        };
        let size = self.as_size(e);
        if from_the_end.is_none() && size.is_none() {
            let ty = self.type_of_part(e);
            let is_known = ty.as_ref().is_some_and(|t| !matches!(t.kind(), TypeKind::Var(_)));
            let is_index = ty.as_ref().is_some_and(|t| t.as_index().is_some());
            let is_number = |t: &Type| matches!(t.kind(), TypeKind::Scalar(_) | TypeKind::NatType);
            if !matches!(e.kind, ExprKind::Name(_) | ExprKind::App(..) | ExprKind::Infix(..))
                || is_known && !is_index && !ty.as_ref().is_some_and(is_number)
            {
                return None;
            }
            if is_index || !is_known && !matches!(e.kind, ExprKind::Infix(..)) {
                return Some(self.argument(e));
            }
        }
        if n.has_metas() {
            return None;
        }
        Some(match (from_the_end, size) {
            (Some(k), _) => match shown.sub(&k) {
                i if is_never_below(&i, &shown) => last(),
                i => of(&i.as_atom_text()),
            },
            (_, Some(i)) if is_never_below(&i, &n) => last(),
            _ => {
                let converted = self.as_size_of_values(e);
                of(&short(print::argument(&converted, &WIDE)))
            }
        })
    }

    /// `a[i]`: an array that is applied to a literal one which touches it.
    pub fn index_in_brackets(&mut self, head: &Expr, args: &[Expr]) -> Option<Diagnostic> {
        let ExprKind::Name(name) = &head.kind else { return None };
        let written = self.element_in_brackets(head, args)?;
        let span = head.span.to(args.last()?.span);
        let hint = self.chosen_in_brackets(name, args).unwrap_or_else(|| format!("Write `{written}`."));
        Some(
            Diagnostic::error(codes::NOT_A_FUNCTION, "An element of an array is not read by brackets.")
                .label(span, format!("`{name}` is applied to an array here"))
                .hint(hint),
        )
    }

    /// `a[a > 0]`: a condition in brackets.
    fn chosen_in_brackets(&self, name: &Name, args: &[Expr]) -> Option<String> {
        let [Expr { kind: ExprKind::Array(of), .. }] = args else { return None };
        let [condition] = of.as_slice() else { return None };
        let ExprKind::Infix(_, rest) = &condition.kind else { return None };
        rest.iter().find(|(op, _)| op.is_comparison())?;
        let all = [self.argument(condition), name.to_string(), "0".to_owned()];
        let hint = elsewhere::where_of_arrays(&all);
        let hint = hint.as_deref().and_then(|hint| hint.strip_prefix("Write ")?.strip_suffix('.'));
        let all = hint.unwrap_or("`select c v 0` in a function that `map` takes");
        Some(format!("Sizes do not depend on values: {all} keeps all places."))
    }

    /// `sqrt a[0]` and `max a[0] a[1]`: elements in brackets among the arguments of a function.
    pub fn indices_among(&mut self, head: &Expr, args: &[Expr]) -> Option<Diagnostic> {
        let may_be_read = |pair: &[Expr]| {
            let touch = pair[0].span.file == pair[1].span.file && pair[0].span.end == pair[1].span.start;
            touch && matches!(pair[0].kind, ExprKind::Name(_)) && matches!(pair[1].kind, ExprKind::Array(_))
        };
        // Nothing is printed for others, of which there are many.
        if !args.windows(2).any(may_be_read) {
            return None;
        }
        let mut written = vec![self.plain(head)];
        let mut found = None;
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let brackets = args[at + 1..].iter().take_while(|e| matches!(e.kind, ExprKind::Array(_))).count();
            let brackets = &args[at + 1..at + 1 + brackets];
            match self.element_in_brackets(arg, brackets) {
                Some(element) => {
                    found = found.or(brackets.last().map(|last| arg.span.to(last.span)));
                    written.push(in_parentheses(element));
                    at += 1 + brackets.len();
                }
                None => {
                    written.push(self.argument(arg));
                    at += 1;
                }
            }
        }
        let problem =
            Diagnostic::error(codes::NOT_A_FUNCTION, "An element of an array is not read by brackets.");
        Some(
            problem
                .label(found?, "two arguments, an array and another")
                .hint(format!("Write `{}`.", written.join(" "))),
        )
    }

    /// The element that brackets read which touch the name of an array.
    fn element_in_brackets(&mut self, head: &Expr, args: &[Expr]) -> Option<String> {
        let ExprKind::Name(name) = &head.kind else { return None };
        let mut ty = self.u.resolve(&self.locals[self.scope.value(name)? as usize].ty);
        let first = args.first()?;
        let touches = first.span.file == head.span.file && first.span.start == head.span.end;
        ty.as_array().filter(|_| touches)?;
        let mut written = name.to_string();
        for arg in args {
            let ExprKind::Array(indices) = &arg.kind else { return None };
            for index in indices {
                let (n, element) = ty.as_array().map(|(n, e)| (n.clone(), e.clone()))?;
                let index = self.as_index(index, &n)?;
                written = format!(
                    "idx {index} {}",
                    if written.contains(' ') { format!("({written})") } else { written }
                );
                ty = self.u.resolve(&element);
            }
        }
        Some(written)
    }

    /// A computed index as a size is written: indices and numbers in it are converted.
    fn as_size_of_values(&mut self, e: &Expr) -> Expr {
        let node = |kind: ExprKind| Expr { span: e.span, kind };
        let call = |f: &str| node(ExprKind::App(Box::new(node(ExprKind::Name(f.into()))), vec![e.clone()]));
        let is =
            |t: &Option<Type>, what: &dyn Fn(&TypeKind) -> bool| t.as_ref().is_some_and(|t| what(t.kind()));
        let mut types = vec![];
        self.types_of_parts(e, &mut types);
        // Whole numbers are divided as numbers, sizes as sizes.
        if !types.is_empty() && types.iter().all(|t| is(t, &|k| matches!(k, TypeKind::Scalar(_)))) {
            return call("cast");
        }
        match &e.kind {
            ExprKind::Infix(first, rest) => {
                let first = Box::new(self.as_size_of_values(first));
                let rest = rest.iter().map(|(op, e)| (*op, self.as_size_of_values(e))).collect();
                node(ExprKind::Infix(first, rest))
            }
            _ if types.iter().any(|t| is(t, &|k| matches!(k, TypeKind::Index(_)))) => call("indexAsNat"),
            _ => e.clone(),
        }
    }

    /// The types of the operands of an index that is computed.
    fn types_of_parts(&mut self, e: &Expr, out: &mut Vec<Option<Type>>) {
        match &e.kind {
            ExprKind::Infix(first, rest) => {
                self.types_of_parts(first, out);
                for (_, e) in rest {
                    self.types_of_parts(e, out);
                }
            }
            ExprKind::Number(_) => {}
            _ => out.push(self.type_of_part(e)),
        }
    }

    /// What a part of an index is, which is read only to tell.
    fn type_of_part(&mut self, e: &Expr) -> Option<Type> {
        if let Some(ty) = self.local_type(e) {
            return Some(ty);
        }
        let (ExprKind::App(..), false) = (&e.kind, self.scope.open) else { return None };
        self.type_in_passing(e)
    }
}
