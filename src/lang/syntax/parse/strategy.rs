//! Strategies: `<+` binds loosest, then `;` and `;;`, then `else` and `with`, `@`, `::`, comparisons, `+ -`, `* / % div`; calls are
//! `f(x, y)`.

use super::super::ast::{
    Among, Ident, Local, Node, Op, Open, ParamKind, Reach, RuleRef, SeqOp, Shape, ShapeKind, Strategy,
    StrategyKind,
};
use super::super::codes;
use super::super::lexer::Tok;
use super::expr::LetIn;
use super::foreign::strategies::{CHOICE, OPTIONS, VALUES};
use super::{Parser, name};
use crate::diag::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq)]
enum Joint {
    Choice,
    Seq(SeqOp),
    Else,
    With,
    At,
    Cons,
    Compare(Op),
    Infix(Op),
}

impl Joint {
    fn tightness(self) -> u8 {
        match self {
            Joint::Choice => 1,
            Joint::Seq(_) => 2,
            Joint::Else | Joint::With => 3,
            Joint::At => 4,
            Joint::Cons => 5,
            Joint::Compare(_) => 6,
            Joint::Infix(Op::Add | Op::Sub) => 7,
            Joint::Infix(_) => 8,
        }
    }
}

impl Parser<'_> {
    pub(super) fn strategy(&mut self) -> Strategy {
        self.strategy_above(0)
    }

    fn strategy_above(&mut self, least: u8) -> Strategy {
        self.deeper(StrategyKind::Error, |p| {
            let start = p.here();
            let mut left = p.strategy_operand();
            let mut chain = None;
            while let Some(joint) = p.strategy_joint()
                && joint.tightness() >= least
            {
                let tightness = joint.tightness();
                p.bump();
                if joint == Joint::Else {
                    let Some(text) = p.quoted("what to say where the strategy fails, in double quotes")
                    else {
                        break;
                    };
                    left = Node::new(p.since(start), StrategyKind::Else(Box::new(left), text));
                    chain = None;
                    continue;
                }
                if joint == Joint::With {
                    let values = p.options_with("what is left open, e.g. `tile`", VALUES);
                    left = Node::new(p.since(start), StrategyKind::With(Box::new(left), values));
                    chain = None;
                    continue;
                }
                // `::` groups to the right, all others to the left.
                let right = p.strategy_above(tightness + u8::from(joint != Joint::Cons));
                left = p.join_strategies(start, left, joint, right, chain == Some(tightness));
                chain = Some(tightness);
            }
            left
        })
    }

    fn strategy_joint(&self) -> Option<Joint> {
        Some(match self.peek() {
            Tok::LeftChoice => Joint::Choice,
            Tok::Semi => Joint::Seq(SeqOp::Then),
            Tok::SemiSemi => Joint::Seq(SeqOp::ThenNormal),
            Tok::At => Joint::At,
            Tok::Cons => Joint::Cons,
            Tok::Less => Joint::Compare(Op::Lt),
            Tok::Greater => Joint::Compare(Op::Gt),
            Tok::LessEq => Joint::Compare(Op::Le),
            Tok::GreaterEq => Joint::Compare(Op::Ge),
            Tok::EqEq => Joint::Compare(Op::Eq),
            Tok::Plus => Joint::Infix(Op::Add),
            Tok::Minus => Joint::Infix(Op::Sub),
            Tok::Star => Joint::Infix(Op::Mul),
            Tok::Slash => Joint::Infix(Op::Div),
            Tok::Percent => Joint::Infix(Op::Rem),
            Tok::Word if self.at_word("div") => Joint::Infix(Op::FloorDiv),
            Tok::Word if self.at_word("else") => Joint::Else,
            Tok::Word if self.at_word("with") => Joint::With,
            _ => return None,
        })
    }

    fn join_strategies(
        &self,
        start: Span,
        left: Strategy,
        joint: Joint,
        right: Strategy,
        continues: bool,
    ) -> Strategy {
        let kind = match (joint, left.kind) {
            (Joint::Choice, StrategyKind::Choice(mut all)) if continues => {
                all.push(right);
                StrategyKind::Choice(all)
            }
            (Joint::Seq(op), StrategyKind::Seq(head, mut rest)) if continues => {
                rest.push((op, right));
                StrategyKind::Seq(head, rest)
            }
            (Joint::At, StrategyKind::At(head, mut rest)) if continues => {
                rest.push(right);
                StrategyKind::At(head, rest)
            }
            (Joint::Infix(op), StrategyKind::Infix(head, mut rest)) if continues => {
                rest.push((op, right));
                StrategyKind::Infix(head, rest)
            }
            (joint, kind) => {
                let left = Node::new(left.span, kind);
                match joint {
                    Joint::Choice => StrategyKind::Choice(vec![left, right]),
                    Joint::Seq(op) => StrategyKind::Seq(Box::new(left), vec![(op, right)]),
                    Joint::At => StrategyKind::At(Box::new(left), vec![right]),
                    Joint::Cons => StrategyKind::Cons(Box::new(left), Box::new(right)),
                    Joint::Infix(op) => StrategyKind::Infix(Box::new(left), vec![(op, right)]),
                    Joint::Compare(op) => StrategyKind::Compare(Box::new(left), op, Box::new(right)),
                    // They have no right side.
                    Joint::Else | Joint::With => left.kind,
                }
            }
        };
        Node::new(self.since(start), kind)
    }

    fn strategy_operand(&mut self) -> Strategy {
        let start = self.here();
        let operand = self.strategy_atom();
        if !self.at_strategy_atom() {
            return operand;
        }
        // `topDown s`: applied as in a program.
        let here = self.here();
        let head = match &operand.kind {
            StrategyKind::Name(head) => Some(Node::new(operand.span, head.clone())),
            _ => None,
        };
        // `tile(4 4)` and `[2 1]`: a number is neither applied nor run.
        let is_number = matches!(operand.kind, StrategyKind::Number(_));
        let in_brackets =
            self.tokens.get(self.limit).is_some_and(|t| matches!(t.tok, Tok::RParen | Tok::RBracket));
        if is_number && in_brackets {
            if let Some(unit) = self.unit_apart() {
                self.report(|| {
                    Diagnostic::error(codes::UNEXPECTED, "A unit stands apart from its number.")
                        .label(here, "this unit")
                        .hint(unit)
                });
                self.bump();
                return Node::new(self.since(start), StrategyKind::Error);
            }
            let written = self.quote(self.at - 1, self.at).zip(self.quote(self.at, self.at + 1));
            self.report(|| {
                let problem =
                    Diagnostic::error(codes::UNEXPECTED, "A comma is missing between two arguments.")
                        .label(here, "a comma is missing before this");
                match written {
                    Some((a, b)) => problem.hint(format!("Write `{a}, {b}`.")),
                    None => problem,
                }
            });
            while self.at_strategy_atom() {
                self.strategy_atom();
            }
            return Node::new(self.since(start), StrategyKind::Error);
        }
        let conditional =
            ["if", "when", "unless"].iter().any(|word| self.at_word(word)) || self.peek() == Tok::Hole;
        let rules = if matches!(operand.kind, StrategyKind::Reach(_)) { self.names_rules() } else { None };
        self.report(|| {
            let problem = Diagnostic::error(codes::CALL, "Strategies are applied with parentheses.")
                .label(here, "an argument without parentheses, or a missing `;`");
            match &head {
                Some(head) if &*head.kind == "if" => problem.hint(CHOICE),
                _ if let Some(rules) = &rules => {
                    problem.hint(format!("Rules of a search stand in one pair of braces: write `using {rules}`."))
                }
                _ if conditional => problem.hint(CHOICE),
                Some(head) if matches!(&*head.kind, "search" | "find") => {
                    problem.hint("A search is written `reach SKETCH`, as in `reach contains(mapPar)`.")
                }
                Some(_) => problem.hint(
                    "What a strategy is given stands in parentheses, as in `topDown(s)`; two strategies have `;` between them.",
                ),
                None => problem.hint("Put `;` between two strategies."),
            }
        });
        if conditional || head.as_ref().is_some_and(|head| &*head.kind == "if") {
            // What follows would be told to be wrong as well.
            while self.peek() != Tok::End {
                self.bump();
            }
            return Node::new(self.since(start), StrategyKind::Error);
        }
        let mut args = Vec::new();
        while self.at_strategy_atom() {
            args.push(self.strategy_atom());
        }
        let span = self.since(start);
        match head {
            Some(head) => Node::new(span, StrategyKind::Call(head, args)),
            None => Node::new(span, StrategyKind::Error),
        }
    }

    fn at_strategy_atom(&self) -> bool {
        match self.peek() {
            Tok::Number | Tok::LParen | Tok::LBracket | Tok::Hole => true,
            Tok::Word => {
                (self.nth_is_name(0) && !self.at_word("div"))
                    || self.at_word("reach")
                    || self.at_word("satisfies")
            }
            _ => false,
        }
    }

    fn strategy_atom(&mut self) -> Strategy {
        let start = self.here();
        match self.peek() {
            Tok::Number => {
                let (span, number) = self.number_token();
                Node::new(span, StrategyKind::Number(number))
            }
            Tok::Word if self.at_surface_let() => {
                let LetIn { param, value, body } = self.let_in(|p| p.strategy());
                let ParamKind::Bare(name) = param.kind else { return Node::new(start, StrategyKind::Error) };
                Node::new(self.since(start), StrategyKind::Let { name, value, body })
            }
            Tok::Word if self.at_word("satisfies") => {
                self.bump();
                let sketch = self.sketch();
                Node::new(self.since(start), StrategyKind::Satisfies(Box::new(sketch)))
            }
            Tok::Word if self.at_word("reach") => {
                self.bump();
                let reach = self.reach();
                Node::new(self.since(start), StrategyKind::Reach(Box::new(reach)))
            }
            Tok::Word if self.nth_is_name(0) => {
                let word = self.spelling(self.at);
                let span = self.bump();
                if self.peek() != Tok::LParen {
                    return Node::new(span, StrategyKind::Name(name(word)));
                }
                let head: Ident = Node::new(span, name(word));
                let args = self.strategies("`,` or `)`");
                Node::new(self.since(start), StrategyKind::Call(head, args))
            }
            Tok::Hole => {
                let open = self.open();
                Node::new(self.since(start), StrategyKind::Open(open))
            }
            Tok::LParen => {
                let outside = self.enter();
                let inner = self.strategy();
                self.leave(outside, "`)`");
                inner
            }
            Tok::LBracket => {
                let all = self.strategies("`,` or `]`");
                Node::new(self.since(start), StrategyKind::List(all))
            }
            _ => {
                self.unexpected("a strategy");
                Node::new(start, StrategyKind::Error)
            }
        }
    }

    /// Strategies in the bracket that comes next, separated by commas.
    fn strategies(&mut self, expected: &str) -> Vec<Strategy> {
        let outside = self.enter();
        let all = self.list(expected, |p| Some(p.strategy()));
        self.leave(outside, expected);
        all
    }

    /// What follows the word `reach`.
    fn reach(&mut self) -> Reach {
        let sketch = self.sketch();
        let rules = self.eat_word("using").then(|| self.rules_of_reach());
        let mut options = Vec::new();
        if self.eat_word("with") {
            options = self.options_with("the name of an option, e.g. `nodes`", OPTIONS);
        }
        Reach { sketch, rules, options }
    }

    /// What follows the word `with`.
    fn options_with(&mut self, name: &str, all: &str) -> Vec<(Ident, Strategy)> {
        if self.peek() != Tok::LParen {
            self.unexpected(all);
            return Vec::new();
        }
        let outside = self.enter();
        let options = self.list("`,` or `)`", |p| {
            let option = p.ident(name)?;
            p.expect(Tok::Colon, "`:` and a value");
            Some((option, p.strategy()))
        });
        self.leave(outside, "`,` or `)`");
        options
    }

    /// `?tile`, and what may stand for it: `in {4, 8..16}`.
    fn open(&mut self) -> Open {
        let name = self.spelling(self.at).strip_prefix('?').filter(|s| !s.is_empty()).map(name);
        self.bump();
        // A `let` may end here, but nothing that follows its `in` begins with a brace.
        if !(self.at_word("in") && self.nth(1) == Tok::LBrace) {
            return Open { name, among: None };
        }
        self.bump();
        let outside = self.enter();
        let among = self.list("`,` or `}`", |p| {
            if p.peek() == Tok::Minus && p.nth(1) == Tok::Number {
                let start = p.here();
                p.bump();
                p.bump();
                let problem = Diagnostic::error(codes::NUMBER, "What is left open is at least 1.");
                p.problems.push(problem.label(p.since(start), "less than that").hint("Write e.g. `4..16`."));
                return None;
            }
            let first = p.strategy();
            if !(p.peek() == Tok::Dot && p.nth(1) == Tok::Dot) {
                return Some(Among::One(first));
            }
            p.bump();
            p.bump();
            let low = match first.kind {
                StrategyKind::Number(number) => Node::new(first.span, number),
                _ => {
                    let problem = Diagnostic::error(codes::NUMBER, "A range begins with a whole number.");
                    p.problems.push(problem.label(first.span, "this is none").hint("Write e.g. `4..16`."));
                    return None;
                }
            };
            if p.peek() != Tok::Number {
                p.unexpected("the number that the range ends with");
                return None;
            }
            let (span, high) = p.number_token();
            Some(Among::Range(low, Node::new(span, high)))
        });
        self.leave(outside, "`,` or `}`");
        Open { name, among: Some(among) }
    }

    fn rules_of_reach(&mut self) -> Vec<RuleRef> {
        if let (Tok::LParen | Tok::LBracket, Some(close)) = (self.peek(), self.mate(self.at)) {
            self.unexpected(super::A_RULE);
            self.at = close + 1;
            return vec![];
        }
        if self.peek() == Tok::LBrace { self.rule_refs() } else { self.rule_ref().into_iter().collect() }
    }

    // --- definitions ---

    /// `(s, [n], first :: rest, size = 32)`, or nothing.
    pub(super) fn shape_list(&mut self) -> Vec<Shape> {
        if self.peek() != Tok::LParen {
            return Vec::new();
        }
        let outside = self.enter();
        let shapes = self.list("`,` or `)`", |p| Some(p.param()));
        self.leave(outside, "`,` or `)`");
        shapes
    }

    /// A shape, or `name = value`.
    fn param(&mut self) -> Shape {
        let start = self.here();
        let shape = self.shape();
        match shape.kind {
            ShapeKind::Name(name) if self.eat(Tok::Equals) => {
                let value = self.strategy();
                Node::new(self.since(start), ShapeKind::Default(name, Box::new(value)))
            }
            _ => shape,
        }
    }

    fn shape(&mut self) -> Shape {
        self.deeper(ShapeKind::Error, |p| {
            let start = p.here();
            let first = match p.peek() {
                Tok::Number => {
                    let (span, number) = p.number_token();
                    match number.as_int() {
                        Some(value) => Node::new(span, ShapeKind::Number(value)),
                        None => {
                            p.problems.push(
                                Diagnostic::error(
                                    codes::NUMBER,
                                    "A parameter of a strategy is a whole number.",
                                )
                                .label(span, "this number"),
                            );
                            Node::new(span, ShapeKind::Error)
                        }
                    }
                }
                Tok::LBracket => {
                    let outside = p.enter();
                    let all = p.list("`,` or `]`", |p| Some(p.shape()));
                    p.leave(outside, "`,` or `]`");
                    Node::new(p.since(start), ShapeKind::List(all))
                }
                Tok::LParen => {
                    let outside = p.enter();
                    let inner = p.shape();
                    p.leave(outside, "`)`");
                    inner
                }
                _ => match p.ident("a parameter") {
                    Some(word) => Node::new(word.span, ShapeKind::Name(word.kind)),
                    None => Node::new(start, ShapeKind::Error),
                },
            };
            if p.eat(Tok::Cons) {
                let rest = p.shape();
                return Node::new(p.since(start), ShapeKind::Cons(Box::new(first), Box::new(rest)));
            }
            first
        })
    }

    /// `a = s, b(x) = t`
    pub(super) fn locals(&mut self) -> Vec<Local> {
        self.list("`,`", |p| {
            let name = p.ident("the name of a local strategy")?;
            let params = p.shape_list();
            p.expect(Tok::Equals, "`=`");
            let body = p.strategy();
            Some(Local { name, params, body })
        })
    }
}
