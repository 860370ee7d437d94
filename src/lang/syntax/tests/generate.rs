//! Random trees, of the shapes that the parser makes.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::strategy::Strategy;

use super::super::ast::{self, Component, *};
use crate::diag::{FileId, Span};
use std::sync::Arc;

fn node<T>(kind: T) -> Node<T> {
    Node::new(Span::NOWHERE, kind)
}

/// What may occur in an expression.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    Program,
    Rule,
    Sketch,
}

fn name() -> impl Strategy<Value = Name> {
    let known = ["f", "g", "x", "n", "m", "map", "let", "idx", "a'", "_", "longerName", "e3"];
    prop_oneof![prop::sample::select(known.map(String::from).to_vec()), "[a-z]{1,3}[A-Z][0-9]?"]
        .prop_map(Name::from)
}

fn ident() -> impl Strategy<Value = Ident> {
    name().prop_map(node)
}

fn expr_name() -> impl Strategy<Value = Name> {
    prop_oneof![9 => name(), 1 => Just(Name::from("div"))]
}

fn number() -> impl Strategy<Value = Number> {
    let digits = prop_oneof!["[0-9]{1,3}", "[0-9]{1,2}\\.[0-9]{1,2}", "[0-9]{1,2}(\\.[0-9]{1,2})?e-?[0-9]"];
    let floats = prop::sample::select(vec!["f32", "f64", "f16"]);
    let integers = prop::sample::select(vec!["i8", "u64", "f32"]);
    (digits, option::of(floats), option::of(integers)).prop_map(|(digits, float, integer)| {
        let number = Number { digits: digits.into(), suffix: None };
        let suffix = if number.is_float() { float } else { integer };
        Number { suffix: suffix.map(Name::from), ..number }
    })
}

fn hole_name() -> impl Strategy<Value = Option<Name>> {
    option::of(prop::sample::select(vec!["t", "dt", "n"]).prop_map(Name::from))
}

fn infix_ops() -> impl Strategy<Value = Vec<Op>> {
    prop_oneof![
        vec(prop::sample::select(vec![Op::Add, Op::Sub]), 1..3),
        vec(prop::sample::select(vec![Op::Mul, Op::Div, Op::Rem, Op::FloorDiv]), 1..3),
    ]
}

fn expr_ops() -> impl Strategy<Value = Vec<Op>> {
    prop_oneof![
        2 => infix_ops(),
        1 => vec(prop::sample::select(vec![Op::Lt, Op::Gt, Op::Le, Op::Ge, Op::Eq, Op::Ne]), 1..2),
        1 => Just(vec![Op::Pow]),
    ]
}

fn chain<T>(ops: Vec<Op>, mut operands: Vec<T>) -> (T, Vec<(Op, T)>) {
    let first = operands.remove(0);
    (first, ops.into_iter().zip(operands).collect())
}

pub fn size(mode: Mode) -> BoxedStrategy<Size> {
    let leaf = prop_oneof![
        3 => name().prop_map(ExprKind::Name),
        2 => "[0-9]{1,3}".prop_map(|d| ExprKind::Number(Number { digits: d.into(), suffix: None })),
        1 => hole_name().prop_map(move |h| if mode == Mode::Sketch { ExprKind::Hole(h) } else { ExprKind::Name("k".into()) }),
    ]
    .prop_map(node);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let ops = prop_oneof![3 => infix_ops(), 1 => Just(vec![Op::Pow])];
        prop_oneof![
            4 => (ops, vec(inner.clone(), 3)).prop_map(|(ops, operands)| {
                let (first, rest) = chain(ops, operands);
                node(ExprKind::Infix(Box::new(first), rest))
            }),
            1 => inner.prop_map(|e| node(ExprKind::Neg(Box::new(e)))),
        ]
    })
    .boxed()
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

pub fn ty(mode: Mode) -> BoxedStrategy<Type> {
    let leaf = prop_oneof![
        2 => prop::sample::select(vec!["f32", "i32", "t", "s"]).prop_map(|s| TypeKind::Name(s.into())),
        1 => size(mode).prop_map(|n| TypeKind::Index(Box::new(n))),
        1 => hole_name().prop_map(move |h| if mode == Mode::Sketch { TypeKind::Hole(h) } else { TypeKind::Name("u".into()) }),
    ]
    .prop_map(node);
    leaf.prop_recursive(4, 16, 2, move |inner| {
        let pair = (inner.clone(), inner.clone());
        let default = option::of(size(mode).prop_map(Box::new));
        prop_oneof![
            3 => (size(mode), inner.clone()).prop_map(|(n, t)| TypeKind::Array(Box::new(n), Box::new(t))),
            1 => (size(mode), inner.clone()).prop_map(|(n, t)| TypeKind::Vector(Box::new(n), Box::new(t))),
            1 => pair.clone().prop_map(|(a, b)| TypeKind::Pair(Box::new(a), Box::new(b))),
            2 => pair.prop_map(|(a, b)| TypeKind::Fun(Box::new(a), Box::new(b))),
            1 => (any::<bool>(), vec(ident(), 1..3), kind(), default, inner).prop_map(
                |(implicit, names, kind, default, body)| TypeKind::Forall {
                    implicit,
                    names,
                    kind,
                    default,
                    body: Box::new(body)
                }
            ),
        ]
        .prop_map(node)
    })
    .boxed()
}

fn param(mode: Mode, implicit: bool) -> impl Strategy<Value = Param> {
    let names = || vec(ident(), 1..3);
    prop_oneof![
        4 => ident().prop_map(ParamKind::Bare),
        2 => (names(), ty(mode)).prop_map(|(names, t)| ParamKind::Typed(names, t)),
        1 => (names(), kind()).prop_map(|(names, k)| ParamKind::Kinded(names, k)),
        u32::from(implicit) => (names(), kind()).prop_map(|(names, k)| ParamKind::Implicit(names, k)),
    ]
    .prop_map(node)
}

fn listed_param(mode: Mode) -> impl Strategy<Value = Param> {
    prop_oneof![
        ident().prop_map(ParamKind::Bare),
        (ident(), ty(mode)).prop_map(|(name, t)| ParamKind::Typed(vec![name], t)),
        (ident(), kind()).prop_map(|(name, k)| ParamKind::Kinded(vec![name], k)),
    ]
    .prop_map(node)
}

fn argument(mode: Mode, e: impl Strategy<Value = Expr>) -> impl Strategy<Value = Arg> {
    // Types that show by their look that they are types.
    let types = prop_oneof![
        Just(TypeKind::Name("f32".into())),
        (size(mode), ty(mode)).prop_map(|(n, t)| TypeKind::Array(Box::new(n), Box::new(t))),
        (size(mode), ty(mode)).prop_map(|(n, t)| TypeKind::Vector(Box::new(n), Box::new(t))),
        (ty(mode), ty(mode)).prop_filter_map("binders look otherwise", |(a, b)| {
            let shown = !matches!(a.kind, TypeKind::Pair(..) | TypeKind::Forall { .. });
            shown.then(|| TypeKind::Fun(Box::new(a), Box::new(b)))
        }),
    ];
    prop_oneof![3 => e.prop_map(Arg::Expr), 1 => types.prop_map(|t| Arg::Type(node(t)))]
}

fn pair() -> impl Strategy<Value = Param> {
    let leaf = ident().prop_map(Component::Name);
    let component = leaf.prop_recursive(2, 6, 3, |inner| vec(inner, 2..4).prop_map(Component::Pair));
    vec(component, 2..4).prop_map(ParamKind::Pair).prop_map(node)
}

pub fn expr(mode: Mode) -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        4 => expr_name().prop_map(ExprKind::Name),
        2 => number().prop_map(ExprKind::Number),
        1 => prop::sample::select(vec![Op::Add, Op::Mul, Op::Sub, Op::Lt, Op::Ge, Op::Ne, Op::Pow, Op::And, Op::Or]).prop_map(ExprKind::Section),
        1 => hole_name().prop_map(move |h| if mode == Mode::Sketch { ExprKind::Hole(h) } else { ExprKind::Name("y".into()) }),
    ]
    .prop_map(node);
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let some = |least: usize| vec(inner.clone(), least..least + 2);
        let boxed = || inner.clone().prop_map(Box::new);
        let common = prop_oneof![
            4 => (boxed(), some(1)).prop_map(|(f, args)| ExprKind::App(f, args)),
            2 => (vec(param(mode, false), 1..3), boxed()).prop_map(|(ps, b)| ExprKind::Lam(ps, b)),
            1 => (vec(pair(), 1..3), boxed()).prop_map(|(ps, b)| ExprKind::Lam(ps, b)),
            1 => (vec(param(mode, false), 1..3), boxed()).prop_map(|(ps, b)| ExprKind::NatLam(ps, b)),
            2 => (boxed(), some(1)).prop_map(|(a, rest)| ExprKind::Pipe(a, rest)),
            1 => (boxed(), some(1)).prop_map(|(a, rest)| ExprKind::Compose(a, rest)),
            3 => (expr_ops(), vec(inner.clone(), 3)).prop_map(|(ops, operands)| {
                let (first, rest) = chain(ops, operands);
                ExprKind::Infix(Box::new(first), rest)
            }),
            1 => boxed().prop_map(ExprKind::Neg),
            1 => some(0).prop_map(ExprKind::Array),
            1 => some(2).prop_map(ExprKind::Tuple),
            2 => (prop_oneof![ident().prop_map(ParamKind::Bare).prop_map(node), pair()], boxed(), boxed())
                .prop_map(|(param, value, body)| ExprKind::Let { param, value, body }),
            1 => (boxed(), ty(mode)).prop_map(|(e, t)| ExprKind::Ascribe(e, Box::new(t))),
            1 => some(2).prop_map(ExprKind::Or),
            1 => some(2).prop_map(ExprKind::And),
        ];
        let special = match mode {
            Mode::Program => Just(ExprKind::Section(Op::Add)).boxed(),
            Mode::Rule => (boxed(), boxed(), ident())
                .prop_map(|(body, value, var)| ExprKind::Subst { body, value, var })
                .boxed(),
            Mode::Sketch => (ident(), vec(argument(mode, inner.clone()), 0..3))
                .prop_map(|(f, args)| ExprKind::Call(f, args))
                .boxed(),
        };
        prop_oneof![5 => common, 1 => special].prop_map(node)
    })
    .boxed()
}

fn rule_ref() -> impl Strategy<Value = RuleRef> {
    (ident(), vec(argument(Mode::Program, expr(Mode::Program)), 0..2))
        .prop_map(|(name, args)| RuleRef { name, args })
}

fn elevate_rule_ref() -> impl Strategy<Value = RuleRef> {
    (ident(), vec(argument(Mode::Program, size(Mode::Program)), 0..2))
        .prop_map(|(name, args)| RuleRef { name, args })
}

fn among(one: impl Strategy<Value = ast::Strategy>) -> impl Strategy<Value = Among> {
    let whole = || (0..1000u32).prop_map(|n| Number { digits: n.to_string().into(), suffix: None });
    let range = (whole(), whole()).prop_map(|(a, b)| Among::Range(node(a), node(b)));
    prop_oneof![2 => one.prop_map(Among::One), 1 => range]
}

pub fn strategy() -> BoxedStrategy<ast::Strategy> {
    let units = prop::sample::select(vec!["GiB", "s", "min"]);
    let number = (number(), option::of(units)).prop_map(|(n, unit)| match unit {
        Some(unit) => Number { suffix: Some(unit.into()), ..n },
        None => n,
    });
    let leaf = prop_oneof![
        4 => name().prop_map(StrategyKind::Name),
        1 => number.prop_map(StrategyKind::Number),
    ]
    .prop_map(node);
    leaf.prop_recursive(5, 30, 4, |inner| {
        let some = |least: usize| vec(inner.clone(), least..least + 2);
        let boxed = || inner.clone().prop_map(Box::new);
        let seq = prop::sample::select(vec![SeqOp::Then, SeqOp::ThenNormal]);
        let reach = (
            expr(Mode::Sketch),
            prop::option::of(vec(elevate_rule_ref(), 0..3)),
            vec((ident(), inner.clone()), 0..2),
        );
        prop_oneof![
            3 => (ident(), some(0)).prop_map(|(f, args)| StrategyKind::Call(f, args)),
            1 => some(0).prop_map(StrategyKind::List),
            1 => (boxed(), boxed()).prop_map(|(a, b)| StrategyKind::Cons(a, b)),
            1 => (infix_ops(), vec(inner.clone(), 3)).prop_map(|(ops, operands)| {
                let (first, rest) = chain(ops, operands);
                StrategyKind::Infix(Box::new(first), rest)
            }),
            3 => (boxed(), vec((seq, inner.clone()), 1..3)).prop_map(|(a, rest)| StrategyKind::Seq(a, rest)),
            2 => some(2).prop_map(StrategyKind::Choice),
            2 => (boxed(), some(1)).prop_map(|(a, rest)| StrategyKind::At(a, rest)),
            1 => (boxed(), prop::sample::select(vec![Op::Lt, Op::Gt, Op::Le, Op::Ge, Op::Eq]), boxed())
                .prop_map(|(a, op, b)| StrategyKind::Compare(a, op, b)),
            1 => (boxed(), prop::sample::select(vec!["no", "{x} is \"none\"", ""]))
                .prop_map(|(s, text)| StrategyKind::Else(s, node(text.into()))),
            1 => (option::of(name()), option::of(vec(among(inner.clone()), 0..3)))
                .prop_map(|(name, among)| StrategyKind::Open(Open { name, among })),
            1 => (boxed(), vec((ident(), inner.clone()), 0..3))
                .prop_map(|(s, values)| StrategyKind::With(s, values)),
            1 => expr(Mode::Sketch).prop_map(|sketch| StrategyKind::Satisfies(Box::new(sketch))),
            1 => reach.prop_map(|(sketch, rules, options)| {
                StrategyKind::Reach(Box::new(Reach { sketch, rules, options }))
            }),
            1 => (ident(), boxed(), boxed()).prop_map(|(name, value, body)| StrategyKind::Let { name, value, body }),
        ]
        .prop_map(node)
    })
    .boxed()
}

fn shape() -> BoxedStrategy<Shape> {
    let leaf =
        prop_oneof![3 => name().prop_map(ShapeKind::Name), 1 => (0..1000i64).prop_map(ShapeKind::Number)]
            .prop_map(node);
    leaf.prop_recursive(3, 6, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(ShapeKind::List),
            (inner.clone(), inner).prop_map(|(a, b)| ShapeKind::Cons(Box::new(a), Box::new(b))),
        ]
        .prop_map(node)
    })
    .boxed()
}

/// A parameter of a strategy.
fn strategy_param() -> BoxedStrategy<Shape> {
    let default =
        (name(), strategy()).prop_map(|(name, value)| node(ShapeKind::Default(name, Box::new(value))));
    prop_oneof![4 => shape(), 1 => default].boxed()
}

fn condition() -> impl Strategy<Value = Condition> {
    let e = || expr(Mode::Rule);
    prop_oneof![
        (ident(), e()).prop_map(|(x, e)| ConditionKind::NotIn(x, e)),
        (e(), e()).prop_map(|(a, b)| ConditionKind::Divides(a, b)),
        (prop::sample::select(vec![Op::Le, Op::Lt, Op::Eq]), e(), e())
            .prop_map(|(op, a, b)| ConditionKind::Compare(op, a, b)),
        (ident(), vec(e(), 0..3)).prop_map(|(name, args)| ConditionKind::Predicate(name, args)),
    ]
    .prop_map(node)
}

fn doc() -> impl Strategy<Value = Vec<Name>> {
    let line = prop_oneof![3 => "[a-z ]{0,8}[a-z.]", 1 => Just(String::new())];
    prop_oneof![3 => Just(Vec::new()), 1 => vec(line.prop_map(Name::from), 1..3)]
}

fn rule() -> impl Strategy<Value = Rule> {
    let e = || expr(Mode::Rule);
    let example = (doc(), vec(argument(Mode::Rule, e()), 0..2), vec(param(Mode::Rule, true), 0..3), e(), e())
        .prop_map(|(doc, args, params, before, after)| Example {
            span: Span::NOWHERE,
            doc,
            args,
            params,
            before,
            after,
        });
    (
        ident(),
        vec(listed_param(Mode::Rule), 0..3),
        vec(ident(), 0..2),
        e(),
        e(),
        vec(condition(), 0..3),
        vec(example, 0..2),
    )
        .prop_map(|(name, params, marks, lhs, rhs, conditions, examples)| Rule {
            name,
            params,
            marks,
            lhs,
            rhs,
            conditions,
            examples,
        })
}

fn item(language: Language) -> impl Strategy<Value = Item> {
    let set_param =
        (ident(), option::of(size(Mode::Rule))).prop_map(|(name, default)| SetParam { name, default });
    let rule_set = (ident(), vec(set_param, 0..3), vec(rule_ref(), 0..3))
        .prop_map(|(name, params, rules)| ItemKind::RuleSet(RuleSet { name, params, rules }));
    let alias = (ident(), rule_ref()).prop_map(|(name, target)| ItemKind::Alias(Alias { name, target }));
    let import = vec(ident(), 1..3).prop_map(ItemKind::Import);
    let kinds = match language {
        Language::Program => {
            let e = || expr(Mode::Program);
            let def = (ident(), vec(param(Mode::Program, true), 0..3), option::of(ty(Mode::Program)), e())
                .prop_map(|(name, params, result, body)| ItemKind::Def(Def { name, params, result, body }));
            let pattern = (ident(), ty(Mode::Program), option::of(e()))
                .prop_map(|(name, ty, body)| ItemKind::Pattern(PatternDecl { name, ty, body }));
            let text =
                "[a-z0-9 ;\"\n(){}*/+-]{0,24}".prop_map(|t: String| Node::new(Span::NOWHERE, t.into()));
            let foreign = (ident(), vec(param(Mode::Program, true), 0..3), ty(Mode::Program), text).prop_map(
                |(name, params, result, body)| ItemKind::Foreign(ForeignDef { name, params, result, body }),
            );
            prop_oneof![5 => def, 1 => pattern, 1 => foreign, 1 => import].boxed()
        }
        Language::Rules => {
            let declare = (condition(), vec(ident(), 0..3)).prop_map(|(mut condition, mut marks)| {
                match &mut condition.kind {
                    // What stands where marks do would be these.
                    ConditionKind::Predicate(_, args) => {
                        args.retain(|arg| !matches!(arg.kind, ExprKind::Array(_)));
                    }
                    _ => marks.clear(),
                }
                ItemKind::Declare(Declare { condition, marks })
            });
            let rule = rule().prop_map(|r| ItemKind::Rule(Arc::new(r)));
            prop_oneof![5 => rule, 1 => declare, 1 => rule_set, 1 => alias, 1 => import].boxed()
        }
        Language::Elevate => {
            let local = (ident(), vec(strategy_param(), 0..3), strategy())
                .prop_map(|(name, params, body)| Local { name, params, body });
            let def = (ident(), vec(strategy_param(), 0..3), strategy(), vec(local, 0..3)).prop_map(
                |(name, params, body, locals)| ItemKind::Strategy(StrategyDef { name, params, body, locals }),
            );
            let sketch = (ident(), vec(listed_param(Mode::Program), 0..3), expr(Mode::Sketch))
                .prop_map(|(name, params, body)| ItemKind::Sketch(SketchDef { name, params, body }));
            prop_oneof![5 => def, 2 => sketch, 1 => rule_set, 1 => alias, 1 => import].boxed()
        }
    };
    (doc(), kinds).prop_map(|(doc, kind)| Item { span: Span::NOWHERE, doc, kind })
}

pub fn file(language: Language) -> impl Strategy<Value = File> {
    vec(item(language), 0..4).prop_map(|items| File { file: FileId(0), items, text: "".into() })
}
