//! Types, sizes, and the binders that types and definitions share.
//!
//! A size in a type is a name, a number, a hole or stands in parentheses; `(n*p).s` and `(s * t)` are told apart by the
//! dot that follows the bracket.

use super::super::ast::{
    Expr, ExprKind, Ident, Kind, Language, Node, Op, Param, ParamKind, Size, Type, TypeKind,
};
use super::super::codes;
use super::super::lexer::Tok;
use super::{Parser, name};
use crate::diag::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Type {
        self.deeper(TypeKind::Error, |p| p.ty_here())
    }

    fn ty_here(&mut self) -> Type {
        let start = self.here();
        let implicit = self.peek() == Tok::LBrace;
        if implicit || self.at_binder() {
            let outside = self.enter();
            let names = self.names();
            self.expect(Tok::Colon, "`:` and a kind");
            let kind = self.kind();
            let default = if self.eat(Tok::Equals) { Some(Box::new(self.default_argument())) } else { None };
            self.leave(outside, if implicit { "`}`" } else { "`)`" });
            self.eat(Tok::Arrow);
            let body = Box::new(self.ty());
            let kind = TypeKind::Forall { implicit, names, kind, default, body };
            return Node::new(self.since(start), kind);
        }
        let from = self.ty_atom();
        if self.eat(Tok::Arrow) {
            let to = self.ty();
            return Node::new(self.since(start), TypeKind::Fun(Box::new(from), Box::new(to)));
        }
        from
    }

    fn default_argument(&mut self) -> Expr {
        self.size()
    }

    /// Whether a bracket with `name name:` comes next.
    pub(super) fn at_binder(&self) -> bool {
        if self.peek() != Tok::LParen {
            return false;
        }
        let mut n = 1;
        while self.nth(n) == Tok::Word && (self.nth_is_name(n)) {
            n += 1;
        }
        n > 1 && self.nth(n) == Tok::Colon
    }

    pub(super) fn names(&mut self) -> Vec<Ident> {
        let mut names = Vec::new();
        while self.nth_is_name(0) {
            names.extend(self.ident("a name"));
        }
        if names.is_empty() {
            names.extend(self.ident("a name"));
        }
        names
    }

    fn kind(&mut self) -> Kind {
        if let Some(kind) = self.word().and_then(Kind::from_word) {
            self.bump();
            return kind;
        }
        let known: Vec<&str> = Kind::ALL.iter().map(|k| k.word()).collect();
        self.unexpected(&format!("a kind ({})", super::one_of(&known)));
        if self.peek() != Tok::End {
            self.at = self.limit;
        }
        Kind::Nat
    }

    /// Reads `names: kind` or `names: type` up to the limit.
    pub(super) fn binder(&mut self, start: Span, implicit: bool) -> Param {
        let (from, names) = (self.at, self.names());
        if !implicit && self.peek() == Tok::Comma {
            self.commas_between_parameters(from);
            let ty = Node::new(self.here(), TypeKind::Error);
            return Node::new(self.since(start), ParamKind::Typed(names, ty));
        }
        self.expect(Tok::Colon, "`:` and a type or kind");
        let kind = if implicit { ParamKind::Implicit(names, self.kind()) } else { self.annotation(names) };
        if !implicit && self.peek() == Tok::Comma {
            self.commas_between_parameters(from);
        }
        Node::new(self.since(start), kind)
    }

    /// Says so of the parameters from a token on.
    fn commas_between_parameters(&mut self, from: usize) {
        let here = self.here();
        let written = self.parameters_apart(from);
        self.report(|| {
            Diagnostic::error(codes::UNEXPECTED, "Parameters are not separated by commas.")
                .label(here, "not here")
                .hint(format!("Write `{written}`; `\\(a, b). a + b` takes the components of a pair."))
        });
        self.at = self.limit;
    }

    /// Reads the type or kind of these names.
    pub(super) fn annotation(&mut self, names: Vec<Ident>) -> ParamKind {
        if self.word().and_then(Kind::from_word).is_some() {
            ParamKind::Kinded(names, self.kind())
        } else {
            ParamKind::Typed(names, self.ty())
        }
    }

    /// A type without a top-level arrow.
    fn ty_atom(&mut self) -> Type {
        self.deeper(TypeKind::Error, |p| p.ty_atom_here())
    }

    fn ty_atom_here(&mut self) -> Type {
        let (start, from) = (self.here(), self.at);
        if self.at_size() {
            let size = self.size();
            if self.peek() == Tok::Comma && self.sizes_with_commas(from) {
                return Node::new(self.since(start), TypeKind::Error);
            }
            if !self.eat(Tok::Dot) {
                let here = self.here();
                self.report(|| {
                    Diagnostic::error(
                        codes::SIZE_WITHOUT_ELEMENTS,
                        "This size is not followed by the type of the elements.",
                    )
                    .label(size.span, "a size")
                    .label(here, "expected `.` and a type")
                    .hint("An array type is `n.f32`, a pair type `(s * t)`.")
                });
                return Node::new(self.since(start), TypeKind::Error);
            }
            let element = self.ty_atom();
            return Node::new(self.since(start), TypeKind::Array(Box::new(size), Box::new(element)));
        }
        match self.peek() {
            Tok::Word if self.at_word("idx") && self.nth(1) == Tok::LBracket => {
                self.bump();
                let outside = self.enter();
                let size = self.size();
                self.leave(outside, "`]`");
                Node::new(self.since(start), TypeKind::Index(Box::new(size)))
            }
            Tok::Word => {
                let from = self.at;
                match self.ident("a type") {
                    Some(_) if self.foreign_array(from) => Node::new(start, TypeKind::Error),
                    Some(word) => Node::new(word.span, TypeKind::Name(word.kind)),
                    None => Node::new(start, TypeKind::Error),
                }
            }
            Tok::Hole => {
                let hole = self.hole();
                Node::new(start, TypeKind::Hole(hole))
            }
            Tok::Less => {
                self.bump();
                let size = self.size();
                self.expect(Tok::Greater, "`>`");
                let element = self.ty_atom();
                Node::new(self.since(start), TypeKind::Vector(Box::new(size), Box::new(element)))
            }
            Tok::LParen => {
                let outside = self.enter();
                let ty = self.ty_in_parens(start);
                self.leave(outside, "`)`");
                match ty.kind {
                    TypeKind::Pair(..) => Node::new(self.since(start), ty.kind),
                    _ => ty,
                }
            }
            _ => {
                if !self.foreign_array(self.at) {
                    self.unexpected("a type");
                }
                Node::new(start, TypeKind::Error)
            }
        }
    }

    /// `4,4.f32`, at the first comma: says so where sizes and an element follow, up to the end of the bracket.
    fn sizes_with_commas(&mut self, from: usize) -> bool {
        let Some(text) = self.quote(from, self.limit) else { return false };
        let parts: Vec<&str> = text.split([',', '.']).map(str::trim).collect();
        let Some((element, sizes)) = parts.split_last() else { return false };
        let is_size = |t: &&str| !t.is_empty() && t.chars().all(|c| c.is_alphanumeric() || c == '_');
        if crate::ty::Scalar::from_name(element).is_none()
            || !sizes.iter().all(is_size)
            || !text.contains('.')
        {
            return false;
        }
        let here = self.here();
        self.report(|| {
            Diagnostic::error(codes::UNEXPECTED, "Sizes of an array type have no commas between them.")
                .label(here, "not here")
                .hint(format!("Write `{}`.", parts.join(".")))
        });
        self.at = self.limit;
        true
    }

    fn ty_in_parens(&mut self, start: Span) -> Type {
        let from = self.at;
        let first = self.ty();
        let separator = self.peek();
        if separator != Tok::Star && separator != Tok::Comma {
            return first;
        }
        if separator == Tok::Comma {
            self.pair_problem(from, "The components of a pair type are separated by `*`.", "expected `*`");
        }
        self.bump();
        let second = self.ty();
        if matches!(self.peek(), Tok::Star | Tok::Comma) {
            self.pair_problem(from, "A pair type has two components.", "a third one");
            self.at = self.limit;
        }
        Node::new(self.since(start), TypeKind::Pair(Box::new(first), Box::new(second)))
    }

    fn pair_problem(&mut self, from: usize, message: &str, label: &str) {
        let here = self.here();
        let written = self.nested_pair(from);
        self.report(|| {
            let problem = Diagnostic::error(codes::PAIR_TYPE, message).label(here, label);
            match written {
                Some(written) => problem.hint(format!("Write `{written}`.")),
                None => problem.hint("Write `(s * t)`, and `(s * (t * u))` for more."),
            }
        });
    }

    pub(super) fn hole(&mut self) -> Option<std::sync::Arc<str>> {
        let spelling = self.spelling(self.at);
        if !self.in_sketch {
            let (here, language) = (self.here(), self.language);
            self.report(|| {
                Diagnostic::error(codes::HOLE, format!("`{spelling}` stands for anything only in sketches."))
                    .label(here, "not in a sketch")
                    .hint(if language == Language::Rules {
                        "In rules every free name is a variable: a plain name matches anything."
                    } else {
                        "Write what is meant."
                    })
            });
        }
        self.bump();
        spelling.strip_prefix('?').filter(|s| !s.is_empty()).map(name)
    }

    /// Whether the next tokens are a size rather than a type: up to a dot or a sign that no type has.
    fn at_size(&self) -> bool {
        let after = match self.peek() {
            Tok::Number | Tok::Minus => return true,
            Tok::Word if self.nth_is_name(0) => 1,
            Tok::Hole => 1,
            Tok::LParen => match self.mate(self.at) {
                Some(close) => close + 1 - self.at,
                None => return false,
            },
            _ => return false,
        };
        match self.nth(after) {
            Tok::Dot | Tok::Plus | Tok::Minus | Tok::Slash | Tok::Percent | Tok::Caret => true,
            Tok::Word => self.nth_word(after) == Some("div"),
            _ => false,
        }
    }

    /// A symbolic size.
    pub(super) fn size(&mut self) -> Size {
        self.size_above(0)
    }

    fn size_above(&mut self, least: u8) -> Size {
        self.deeper(ExprKind::Error, |p| {
            let start = p.here();
            let first = p.size_operand();
            p.infix(start, first, least, |p| p.size_operator(), |p, above| p.size_above(above))
        })
    }

    fn size_operator(&self) -> Option<(Op, u8)> {
        Some(match self.peek() {
            Tok::Plus => (Op::Add, 1),
            Tok::Minus => (Op::Sub, 1),
            Tok::Star => (Op::Mul, 2),
            Tok::Slash => (Op::Div, 2),
            Tok::Percent => (Op::Rem, 2),
            Tok::Word if self.at_word("div") => (Op::FloorDiv, 2),
            _ => return None,
        })
    }

    fn size_operand(&mut self) -> Size {
        let start = self.here();
        if self.eat(Tok::Minus) {
            let inner = self.deeper(ExprKind::Error, |p| p.size_operand());
            return Node::new(self.since(start), ExprKind::Neg(Box::new(inner)));
        }
        let base = match self.peek() {
            Tok::Number => self.whole_number(),
            Tok::Word if self.nth_is_name(0) => {
                let word = self.spelling(self.at);
                Node::new(self.bump(), ExprKind::Name(name(word)))
            }
            Tok::Hole => {
                let hole = self.hole();
                Node::new(start, ExprKind::Hole(hole))
            }
            Tok::LParen => {
                let outside = self.enter();
                let inner = self.size();
                self.leave(outside, "`)`");
                inner
            }
            _ => {
                self.unexpected("a size");
                return Node::new(start, ExprKind::Error);
            }
        };
        if self.eat(Tok::Caret) {
            let exponent = self.deeper(ExprKind::Error, |p| p.size_operand());
            let rest = vec![(Op::Pow, exponent)];
            return Node::new(self.since(start), ExprKind::Infix(Box::new(base), rest));
        }
        base
    }

    /// Reads operators that bind at least as tightly as `least`, and their operands, after a first operand.
    /// Operators of one tightness make one flat chain.
    pub(super) fn infix(
        &mut self,
        start: Span,
        first: Expr,
        least: u8,
        operator: impl Fn(&Self) -> Option<(Op, u8)>,
        operand: impl Fn(&mut Self, u8) -> Expr,
    ) -> Expr {
        let mut left = first;
        // The tightness of the chain that `left` is, if this loop made it.
        let mut chain = None;
        while let Some((op, tightness)) = operator(self)
            && tightness >= least
        {
            self.bump();
            let right = operand(self, tightness + 1);
            left = match left.kind {
                ExprKind::Infix(head, mut rest) if chain == Some(tightness) => {
                    rest.push((op, right));
                    Node::new(self.since(start), ExprKind::Infix(head, rest))
                }
                kind => {
                    let head = Box::new(Node::new(left.span, kind));
                    Node::new(self.since(start), ExprKind::Infix(head, vec![(op, right)]))
                }
            };
            chain = Some(tightness);
        }
        left
    }
}
