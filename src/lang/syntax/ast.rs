//! Syntax trees of the four languages: what was written, before any name has a meaning.
//!
//! Every node has a [`Span`]; equality ignores spans, so `parse(print(tree)) == tree` can be asked. Left-associative
//! chains (`f a b`, `a |> f |> g`, `a + b - c`) are flat, so a tree is nested hardly more
//! than [`MAX_DEPTH`](crate::MAX_DEPTH) levels.
//! Where the text had a mistake, an `Error` node stands (and a diagnostic says why): whoever meets one stays silent.
//!
//! Sizes have no tree of their own: in types and as arguments they are the [`Expr`]s made of names, numbers, holes,
//! `+ - * / % div ^` and unary minus. Sketches are [`Expr`]s too, with holes and calls; their `or` and `and` join sets.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::diag::{Diagnostic, FileId, Span};

pub type Name = Arc<str>;

/// A piece of syntax and where it stands.
#[derive(Clone)]
pub struct Node<T> {
    pub span: Span,
    pub kind: T,
}

impl<T> Node<T> {
    pub fn new(span: Span, kind: T) -> Node<T> {
        Node { span, kind }
    }
}

impl<T: PartialEq> PartialEq for Node<T> {
    fn eq(&self, other: &Node<T>) -> bool {
        self.kind == other.kind
    }
}

impl<T: Eq> Eq for Node<T> {}

impl<T: fmt::Debug> fmt::Debug for Node<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

pub type Ident = Node<Name>;
pub type Expr = Node<ExprKind>;
pub type Type = Node<TypeKind>;
pub type Param = Node<ParamKind>;
pub type Condition = Node<ConditionKind>;
pub type Strategy = Node<StrategyKind>;
/// An [`Expr`] read as a sketch: a set of programs.
pub type Sketch = Expr;
/// An [`Expr`] read as a symbolic size.
pub type Size = Expr;

/// Which of the four languages a text is in. Types and expressions are common to all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// `.rise`: definitions and user-declared patterns
    Program,
    /// `.rules`: rewrite rules, rule sets, aliases
    Rules,
    /// `.elevate`: strategies, sketches, rule sets
    Elevate,
}

impl Language {
    /// The language of a file, by the end of its name.
    pub fn of_path(path: &str) -> Option<Language> {
        match path.rsplit_once('.')?.1 {
            "rise" => Some(Language::Program),
            "rules" => Some(Language::Rules),
            "elevate" => Some(Language::Elevate),
            _ => None,
        }
    }
}

/// A whole source text.
#[derive(Clone, Debug)]
pub struct File {
    pub file: FileId,
    pub items: Vec<Item>,
    /// What was read, for messages that repeat parts of it.
    pub text: Name,
}

/// Trees are compared, not how they were written.
impl PartialEq for File {
    fn eq(&self, other: &File) -> bool {
        self.file == other.file && self.items == other.items
    }
}

impl Eq for File {}

impl File {
    /// Those problems with the meaning of a text that its mistakes of syntax have not caused: in a definition with such
    /// a mistake, what is said of its types is about what was understood instead of it.
    pub fn news(&self, mistakes: &[Diagnostic], found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let item = |p: &Diagnostic| {
            let span = p.span()?;
            self.items.iter().rposition(|i| i.span.file == span.file && i.span.start <= span.start)
        };
        let broken: Vec<usize> = mistakes.iter().filter(|p| p.is_error()).filter_map(item).collect();
        let is_news = |p: &Diagnostic| item(p).is_none_or(|i| !broken.contains(&i));
        found.into_iter().filter(is_news).collect()
    }
}

/// One top-level definition.
#[derive(Clone)]
pub struct Item {
    /// From the first keyword to the last token; documentation is not part of it.
    pub span: Span,
    /// The lines of its `--|` comments, without the mark and one following space.
    pub doc: Vec<Name>,
    pub kind: ItemKind,
}

impl PartialEq for Item {
    fn eq(&self, other: &Item) -> bool {
        self.doc == other.doc && self.kind == other.kind
    }
}

impl Eq for Item {}

impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.doc.is_empty() {
            write!(f, "{:?} ", self.doc)?;
        }
        self.kind.fmt(f)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemKind {
    Def(Def),
    Pattern(PatternDecl),
    Foreign(ForeignDef),
    /// `declare assoc max`: a property of a user's operator, which is tested before it is believed
    Declare(Declare),
    Rule(Arc<Rule>),
    RuleSet(RuleSet),
    Alias(Alias),
    Strategy(StrategyDef),
    Sketch(SketchDef),
    /// `import lib.tiling`
    Import(Vec<Ident>),
    Error,
}

impl ItemKind {
    /// The name that the item defines.
    pub fn name(&self) -> Option<&Ident> {
        match self {
            ItemKind::Def(x) => Some(&x.name),
            ItemKind::Pattern(x) => Some(&x.name),
            ItemKind::Foreign(x) => Some(&x.name),
            ItemKind::Rule(x) => Some(&x.name),
            ItemKind::RuleSet(x) => Some(&x.name),
            ItemKind::Alias(x) => Some(&x.name),
            ItemKind::Strategy(x) => Some(&x.name),
            ItemKind::Sketch(x) => Some(&x.name),
            ItemKind::Declare(_) | ItemKind::Import(_) | ItemKind::Error => None,
        }
    }
}

/// `declare assoc [finite] max`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declare {
    pub condition: Condition,
    pub marks: Vec<Ident>,
}

/// `def dot {k: nat} (a b: k.f32): f32 = body`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Def {
    pub name: Ident,
    pub params: Vec<Param>,
    pub result: Option<Type>,
    pub body: Expr,
}

/// `pattern stencil : type = body`: a high-level pattern, with its meaning if it is given
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternDecl {
    pub name: Ident,
    pub ty: Type,
    pub body: Option<Expr>,
}

/// `foreign def logistic (x: f32): f32 = "return 1.0f / (1.0f + expf(-x));"`: a scalar function in C
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignDef {
    pub name: Ident,
    pub params: Vec<Param>,
    pub result: Type,
    /// The statements of its body.
    pub body: Ident,
}

/// Parameters of definitions, lambdas, rules, sketches and examples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// `a`
    Bare(Ident),
    /// `(a b: k.f32)`; in the list of a rule or sketch `a: k.f32`, one name
    Typed(Vec<Ident>, Type),
    /// `(n m: nat)`; in the list of a rule or sketch `n: nat`, one name
    Kinded(Vec<Ident>, Kind),
    /// `{n m: nat}`
    Implicit(Vec<Ident>, Kind),
    /// `(a, (b, c))`, of a lambda or a `let`: the components of a pair, at least two
    Pair(Vec<Component>),
}

impl ParamKind {
    pub fn names(&self) -> Vec<&Ident> {
        match self {
            ParamKind::Bare(name) => vec![name],
            ParamKind::Typed(names, _) | ParamKind::Kinded(names, _) | ParamKind::Implicit(names, _) => {
                names.iter().collect()
            }
            ParamKind::Pair(components) => Component::names(components),
        }
    }
}

/// What a pair is taken apart to; `(a, b, c)` is `(a, (b, c))`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Component {
    Name(Ident),
    /// at least two
    Pair(Vec<Component>),
}

impl Component {
    pub fn names(all: &[Component]) -> Vec<&Ident> {
        all.iter()
            .flat_map(|c| match c {
                Component::Name(name) => vec![name],
                Component::Pair(inner) => Component::names(inner),
            })
            .collect()
    }

    /// Calls `f` on each name with the way to it: which component is taken first, the first or not.
    pub fn each<'a>(all: &'a [Component], path: &mut Vec<bool>, f: &mut dyn FnMut(&'a Ident, &[bool])) {
        let outer = path.len();
        for (i, component) in all.iter().enumerate() {
            let is_last = i + 1 == all.len();
            if !is_last {
                path.push(true);
            }
            match component {
                Component::Name(name) => f(name, path),
                Component::Pair(inner) => Component::each(inner, path, f),
            }
            if !is_last {
                path.pop();
                path.push(false);
            }
        }
        path.truncate(outer);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Nat,
    Data,
    Addr,
    /// a dimension of the index space of an OpenCL kernel: 0, 1 or 2
    Dim,
    /// how many maps something stands under, as a parameter of a rule
    Depth,
    Nat2Nat,
    Nat2Data,
}

impl Kind {
    pub const ALL: [Kind; 7] =
        [Kind::Nat, Kind::Data, Kind::Addr, Kind::Dim, Kind::Depth, Kind::Nat2Nat, Kind::Nat2Data];

    pub fn word(self) -> &'static str {
        match self {
            Kind::Nat => "nat",
            Kind::Data => "data",
            Kind::Addr => "addr",
            Kind::Dim => "dim",
            Kind::Depth => "depth",
            Kind::Nat2Nat => "nat2nat",
            Kind::Nat2Data => "nat2data",
        }
    }

    pub fn from_word(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.word() == word)
    }
}

/// A number as written, sign excluded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Number {
    /// `3`, `3.25`, `1e-3`: digits without `_`
    pub digits: Name,
    /// `f32` in `3f32`; in the options of a search also units (`4GiB`, `10s`)
    pub suffix: Option<Name>,
}

impl Number {
    /// Whether it has a decimal point or an exponent.
    pub fn is_float(&self) -> bool {
        self.digits.contains(['.', 'e'])
    }

    /// The value of a number without point, exponent or suffix, if it fits.
    pub fn as_int(&self) -> Option<i64> {
        if self.suffix.is_some() { None } else { self.digits.parse().ok() }
    }

    /// The value as a size, or why it is none: what is said, at its place, and what to do.
    ///
    /// # Errors
    /// It has a point, an exponent or a type, or is too large.
    pub fn as_size(&self) -> Result<i64, [&'static str; 3]> {
        self.as_int().ok_or(if self.is_float() || self.suffix.is_some() {
            ["A size is a whole number.", "this is none", "Write it without a point, an exponent and a type."]
        } else {
            ["This size is too large.", "too large", "Sizes go up to 2^63 - 1."]
        })
    }
}

/// Operators between two expressions, in the order of how tightly they bind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    Add,
    Sub,
    Mul,
    /// `/`: of sizes exact, of numbers the type's own
    Div,
    Rem,
    /// `div`: of sizes, rounding down
    FloorDiv,
    /// `^`: of sizes, right-associative
    Pow,
    /// `(and)`; between operands it is [`ExprKind::And`]
    And,
    /// `(or)`; between operands it is [`ExprKind::Or`]
    Or,
}

impl Op {
    pub const ALL: [Op; 15] = [
        Op::Lt,
        Op::Gt,
        Op::Le,
        Op::Ge,
        Op::Eq,
        Op::Ne,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Rem,
        Op::FloorDiv,
        Op::Pow,
        Op::And,
        Op::Or,
    ];

    pub fn symbol(self) -> &'static str {
        match self {
            Op::Lt => "<",
            Op::Gt => ">",
            Op::Le => "<=",
            Op::Ge => ">=",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Rem => "%",
            Op::FloorDiv => "div",
            Op::Pow => "^",
            Op::And => "and",
            Op::Or => "or",
        }
    }

    pub fn is_comparison(self) -> bool {
        matches!(self, Op::Lt | Op::Gt | Op::Le | Op::Ge | Op::Eq | Op::Ne)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    Name(Name),
    Number(Number),
    /// `f a b`, at least one argument
    App(Box<Expr>, Vec<Expr>),
    /// `\x (y: f32). e`
    Lam(Vec<Param>, Box<Expr>),
    /// `/\n (m: nat). e`
    NatLam(Vec<Param>, Box<Expr>),
    /// `e |> f |> g`, at least one stage
    Pipe(Box<Expr>, Vec<Expr>),
    /// `f >> g >> h`, at least one more
    Compose(Box<Expr>, Vec<Expr>),
    /// `a + b - c`: operators of one tightness, grouped from the left. A comparison and `^` stand alone (one operator);
    /// `a ^ b ^ c` is `a ^ (b ^ c)`.
    Infix(Box<Expr>, Vec<(Op, Expr)>),
    Neg(Box<Expr>),
    /// `(+)`
    Section(Op),
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `(a, b)`, at least two
    Tuple(Vec<Expr>),
    /// `let x = value in body`: shares the value; `let (a, b) = …` takes it apart. The pattern `let` is `Name("let")`.
    Let {
        param: Param,
        value: Box<Expr>,
        body: Box<Expr>,
    },
    /// `(e : t)`
    Ascribe(Box<Expr>, Box<Type>),
    /// `b[e/x]`, on the right side of rules
    Subst {
        body: Box<Expr>,
        value: Box<Expr>,
        var: Ident,
    },
    /// `?` or `?x`, in sketches and in sizes of sketches
    Hole(Option<Name>),
    /// `f(x, y)` with no space before the bracket, in sketches
    Call(Ident, Vec<Arg>),
    /// `a or b`, at least two: truth values, and in sketches sets of programs
    Or(Vec<Expr>),
    /// `a and b`, at least two: truth values, and in sketches sets of programs
    And(Vec<Expr>),
    Error,
}

impl Expr {
    /// The expression with what `f` makes of the expressions just below it in their place.
    pub fn map_parts(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let Ok(mapped) = self.try_map_parts::<std::convert::Infallible>(&mut |e| Ok(f(e)));
        mapped
    }

    /// As [`Self::map_parts`], where `f` may fail.
    ///
    /// # Errors
    /// The first one of `f`.
    pub fn try_map_parts<E>(&self, f: &mut dyn FnMut(&Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        let two = |f: &mut dyn FnMut(&Expr) -> Result<Expr, E>, first: &Expr, rest: &[Expr]| {
            Ok::<_, E>((Box::new(f(first)?), rest.iter().map(f).collect::<Result<Vec<_>, E>>()?))
        };
        let kind = match &self.kind {
            ExprKind::Array(list) => ExprKind::Array(list.iter().map(f).collect::<Result<_, E>>()?),
            ExprKind::Tuple(list) => ExprKind::Tuple(list.iter().map(f).collect::<Result<_, E>>()?),
            ExprKind::Or(list) => ExprKind::Or(list.iter().map(f).collect::<Result<_, E>>()?),
            ExprKind::And(list) => ExprKind::And(list.iter().map(f).collect::<Result<_, E>>()?),
            ExprKind::App(first, rest) => {
                let (first, rest) = two(f, first, rest)?;
                ExprKind::App(first, rest)
            }
            ExprKind::Pipe(first, rest) => {
                let (first, rest) = two(f, first, rest)?;
                ExprKind::Pipe(first, rest)
            }
            ExprKind::Compose(first, rest) => {
                let (first, rest) = two(f, first, rest)?;
                ExprKind::Compose(first, rest)
            }
            ExprKind::Infix(first, rest) => {
                let first = Box::new(f(first)?);
                let rest = rest.iter().map(|(op, e)| Ok((*op, f(e)?))).collect::<Result<_, E>>()?;
                ExprKind::Infix(first, rest)
            }
            ExprKind::Lam(params, body) => ExprKind::Lam(params.clone(), Box::new(f(body)?)),
            ExprKind::NatLam(params, body) => ExprKind::NatLam(params.clone(), Box::new(f(body)?)),
            ExprKind::Neg(inner) => ExprKind::Neg(Box::new(f(inner)?)),
            ExprKind::Let { param, value, body } => {
                ExprKind::Let { param: param.clone(), value: Box::new(f(value)?), body: Box::new(f(body)?) }
            }
            ExprKind::Ascribe(inner, ty) => ExprKind::Ascribe(Box::new(f(inner)?), ty.clone()),
            ExprKind::Subst { body, value, var } => {
                ExprKind::Subst { body: Box::new(f(body)?), value: Box::new(f(value)?), var: var.clone() }
            }
            ExprKind::Call(head, args) => {
                let args = args.iter().map(|arg| match arg {
                    Arg::Expr(e) => Ok(Arg::Expr(f(e)?)),
                    Arg::Type(t) => Ok(Arg::Type(t.clone())),
                });
                ExprKind::Call(head.clone(), args.collect::<Result<_, E>>()?)
            }
            ExprKind::Name(_)
            | ExprKind::Number(_)
            | ExprKind::Section(_)
            | ExprKind::Hole(_)
            | ExprKind::Error => self.kind.clone(),
        };
        Ok(Node::new(self.span, kind))
    }
}

/// An argument of a sketch or a rule: told apart by how it looks (`32.f32` and `?t -> ?u` are types; a lone name is
/// an expression, except the name of a scalar type).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    Expr(Expr),
    Type(Type),
}

impl Arg {
    pub fn span(&self) -> Span {
        match self {
            Arg::Expr(e) => e.span,
            Arg::Type(t) => t.span,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// a scalar type, `natType`, or a type variable
    Name(Name),
    /// `n.t`
    Array(Box<Size>, Box<Type>),
    /// `<4>f32`
    Vector(Box<Size>, Box<Type>),
    /// `idx[n]`
    Index(Box<Size>),
    /// `(s * t)`
    Pair(Box<Type>, Box<Type>),
    /// `s -> t`
    Fun(Box<Type>, Box<Type>),
    /// `(n m: nat) -> t`, implicit: `{n m: nat} t`; the arrow may be left out. With a default the argument may be
    /// left out: `(a: addr = private) -> t`.
    Forall {
        implicit: bool,
        names: Vec<Ident>,
        kind: Kind,
        default: Option<Box<Expr>>,
        body: Box<Type>,
    },
    /// `?` or `?t`, in sketches
    Hole(Option<Name>),
    Error,
}

/// `rule name(p) [marks] = lhs ~> rhs where conditions`, then its examples
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    pub name: Ident,
    pub params: Vec<Param>,
    /// `[reassociates]`: the rule re-associates floats
    pub marks: Vec<Ident>,
    pub lhs: Expr,
    pub rhs: Expr,
    pub conditions: Vec<Condition>,
    pub examples: Vec<Example>,
}

/// `example(32) {n: nat} (a: n.f32) = before ~> after`
#[derive(Clone)]
pub struct Example {
    pub span: Span,
    pub doc: Vec<Name>,
    /// What the rule's parameters are.
    pub args: Vec<Arg>,
    /// The variables of both sides.
    pub params: Vec<Param>,
    pub before: Expr,
    pub after: Expr,
}

impl PartialEq for Example {
    fn eq(&self, o: &Example) -> bool {
        (&self.doc, &self.args, &self.params, &self.before, &self.after)
            == (&o.doc, &o.args, &o.params, &o.before, &o.after)
    }
}

impl Eq for Example {}

impl fmt::Debug for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Example")
            .field("args", &self.args)
            .field("params", &self.params)
            .field("before", &self.before)
            .field("after", &self.after)
            .finish()
    }
}

/// A side condition of a rule, or a declared property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConditionKind {
    /// `x notin f`
    NotIn(Ident, Expr),
    /// `p divides n`, also written `p | n`
    Divides(Size, Size),
    /// `a <= b`
    Compare(Op, Size, Size),
    /// `assoc f`, `neutral f z`, `usedOnce x`: a name and its arguments
    Predicate(Ident, Vec<Expr>),
    Error,
}

/// `rules name(x, y = 4) = { a, b(x), c }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSet {
    pub name: Ident,
    pub params: Vec<SetParam>,
    pub rules: Vec<RuleRef>,
}

/// `y = 4`: a size that a set of rules is given, perhaps with its value where a use leaves it out
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetParam {
    pub name: Ident,
    pub default: Option<Size>,
}

/// A rule, a set of rules or an alias by name, with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleRef {
    pub name: Ident,
    pub args: Vec<Arg>,
}

/// `alias fuseReduceMap = reduceMapFusion`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    pub name: Ident,
    pub target: RuleRef,
}

/// `strategy name(params) = body where locals`; several with one name are tried in order, by their parameters' shapes
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrategyDef {
    pub name: Ident,
    pub params: Vec<Shape>,
    pub body: Strategy,
    pub locals: Vec<Local>,
}

/// `name(params) = body` after `where`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    pub name: Ident,
    pub params: Vec<Shape>,
    pub body: Strategy,
}

/// A parameter of a strategy.
pub type Shape = Node<ShapeKind>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShapeKind {
    /// anything, by this name (`_`: unnamed)
    Name(Name),
    /// just this number
    Number(i64),
    /// a list of just this length
    List(Vec<Shape>),
    /// `first :: rest`
    Cons(Box<Shape>, Box<Shape>),
    /// `name = value`: anything, and the value where a call leaves it out; only as a whole parameter
    Default(Name, Box<Strategy>),
    Error,
}

impl ShapeKind {
    /// The names that it gives to what it takes.
    pub fn names(&self) -> Vec<Name> {
        match self {
            ShapeKind::Name(name) | ShapeKind::Default(name, _) => vec![name.clone()],
            ShapeKind::List(shapes) => shapes.iter().flat_map(|s| s.kind.names()).collect(),
            ShapeKind::Cons(first, rest) => [first.kind.names(), rest.kind.names()].concat(),
            ShapeKind::Number(_) | ShapeKind::Error => vec![],
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SeqOp {
    /// `;`
    Then,
    /// `;;`: with the data-flow normal form between
    ThenNormal,
}

/// Strategies, and what stands in their arguments: numbers, sizes and lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StrategyKind {
    Name(Name),
    Number(Number),
    /// `f(x, y)`
    Call(Ident, Vec<Strategy>),
    /// `[1, 2, 3]`
    List(Vec<Strategy>),
    /// `first :: rest`
    Cons(Box<Strategy>, Box<Strategy>),
    /// sizes, as [`ExprKind::Infix`]
    Infix(Box<Strategy>, Vec<(Op, Strategy)>),
    /// `s ; t ;; u`, at least one more
    Seq(Box<Strategy>, Vec<(SeqOp, Strategy)>),
    /// `s <+ t <+ u`, at least two
    Choice(Vec<Strategy>),
    /// `s @ f @ g` is `g(f(s))`
    At(Box<Strategy>, Vec<Strategy>),
    /// `p > 0`, of sizes
    Compare(Box<Strategy>, Op, Box<Strategy>),
    /// `s else "text"`: the text says why, where s fails
    Else(Box<Strategy>, Node<Name>),
    /// `?tile`: what is left open, for tuning to choose
    Open(Open),
    /// `s with (tile: 8)`: what is left open in s, and in what it calls, by its name
    With(Box<Strategy>, Vec<(Ident, Strategy)>),
    Reach(Box<Reach>),
    /// `satisfies sketch`: changes nothing, and succeeds where the term is in the sketch
    Satisfies(Box<Sketch>),
    /// `let x = value in body`
    Let {
        name: Ident,
        value: Box<Strategy>,
        body: Box<Strategy>,
    },
    Error,
}

/// `?tile`, or `?tile in {4, 8, 16..32}`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    pub name: Option<Name>,
    /// Without them, the values follow from the sizes of the program.
    pub among: Option<Vec<Among>>,
}

/// What may stand for something that is left open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Among {
    One(Strategy),
    /// `16..32`: all whole numbers from the one to the other
    Range(Node<Number>, Node<Number>),
}

impl Open {
    /// Are these sizes, rather than strategies of which one is taken?
    pub fn is_size(&self) -> bool {
        let number = |among: &Among| match among {
            Among::One(s) => matches!(s.kind, StrategyKind::Number(_)),
            Among::Range(..) => true,
        };
        self.among.as_ref().is_none_or(|all| all.iter().all(number))
    }
}

/// `reach sketch using rules with (option: value, …)`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reach {
    pub sketch: Sketch,
    /// Without them, the search chooses rules and guides itself.
    pub rules: Option<Vec<RuleRef>>,
    pub options: Vec<(Ident, Strategy)>,
}

/// `sketch name(params) = body`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SketchDef {
    pub name: Ident,
    pub params: Vec<Param>,
    pub body: Sketch,
}

/// A part of a tree, for walks that do not care about the rest.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    Expr(&'a Expr),
    Type(&'a Type),
    Strategy(&'a Strategy),
}

impl<'a> Part<'a> {
    pub fn span(self) -> Span {
        match self {
            Part::Expr(x) => x.span,
            Part::Type(x) => x.span,
            Part::Strategy(x) => x.span,
        }
    }

    /// Calls `f` on the parts just below, in source order.
    pub fn for_each(self, f: &mut dyn FnMut(Part<'a>)) {
        match self {
            Part::Expr(e) => each_in_expr(e, f),
            Part::Type(t) => each_in_type(t, f),
            Part::Strategy(s) => each_in_strategy(s, f),
        }
    }
}

/// Collects the names of sizes that stand in types.
fn names_in_types(part: Part<'_>, of_type: bool, out: &mut Vec<Name>) {
    let inside = of_type || matches!(part, Part::Type(_));
    match part {
        Part::Expr(e) => {
            if let ExprKind::Lam(params, _) | ExprKind::NatLam(params, _) = &e.kind {
                names_of_kinds(params, out);
            }
            if let (ExprKind::Name(name), true) = (&e.kind, of_type) {
                out.push(name.clone());
            }
        }
        Part::Type(_) | Part::Strategy(_) => {}
    }
    part.for_each(&mut |inner| names_in_types(inner, inside, out));
}

/// Collects the names of parameters that are sizes.
fn names_of_kinds(params: &[Param], out: &mut Vec<Name>) {
    for param in params {
        if let ParamKind::Kinded(names, Kind::Nat) | ParamKind::Implicit(names, Kind::Nat) = &param.kind {
            out.extend(names.iter().map(|name| name.kind.clone()));
        }
    }
}

impl File {
    /// The names that may be sizes of a program in this file: those in its types, and of its parameters that are sizes. None where
    /// a parameter has no type, so that others are found for its sizes.
    pub fn names_of_sizes(&self) -> Option<Vec<Name>> {
        let mut out = vec![];
        for item in &self.items {
            let ItemKind::Def(def) = &item.kind else { continue };
            if def.params.iter().any(|param| matches!(param.kind, ParamKind::Bare(_))) {
                return None;
            }
            names_of_kinds(&def.params, &mut out);
            each_param(&def.params, &mut |part| names_in_types(part, true, &mut out));
            def.result.iter().for_each(|t| names_in_types(Part::Type(t), true, &mut out));
            names_in_types(Part::Expr(&def.body), false, &mut out);
        }
        let mut seen = HashSet::new();
        out.retain(|name| seen.insert(name.clone()));
        Some(out)
    }
}

fn each_param<'a>(params: &'a [Param], f: &mut dyn FnMut(Part<'a>)) {
    for param in params {
        if let ParamKind::Typed(_, ty) = &param.kind {
            f(Part::Type(ty));
        }
    }
}

fn each_arg<'a>(args: &'a [Arg], f: &mut dyn FnMut(Part<'a>)) {
    for arg in args {
        match arg {
            Arg::Expr(e) => f(Part::Expr(e)),
            Arg::Type(t) => f(Part::Type(t)),
        }
    }
}

fn each_in_expr<'a>(e: &'a Expr, f: &mut dyn FnMut(Part<'a>)) {
    match &e.kind {
        ExprKind::Name(_)
        | ExprKind::Number(_)
        | ExprKind::Section(_)
        | ExprKind::Hole(_)
        | ExprKind::Error => {}
        ExprKind::App(first, rest) | ExprKind::Pipe(first, rest) | ExprKind::Compose(first, rest) => {
            f(Part::Expr(first));
            rest.iter().for_each(|e| f(Part::Expr(e)));
        }
        ExprKind::Infix(first, rest) => {
            f(Part::Expr(first));
            rest.iter().for_each(|(_, e)| f(Part::Expr(e)));
        }
        ExprKind::Lam(params, body) | ExprKind::NatLam(params, body) => {
            each_param(params, f);
            f(Part::Expr(body));
        }
        ExprKind::Array(all) | ExprKind::Tuple(all) | ExprKind::Or(all) | ExprKind::And(all) => {
            all.iter().for_each(|e| f(Part::Expr(e)));
        }
        ExprKind::Neg(inner) => f(Part::Expr(inner)),
        ExprKind::Let { value, body, .. } => {
            f(Part::Expr(value));
            f(Part::Expr(body));
        }
        ExprKind::Subst { body, value, .. } => {
            f(Part::Expr(body));
            f(Part::Expr(value));
        }
        ExprKind::Ascribe(inner, ty) => {
            f(Part::Expr(inner));
            f(Part::Type(ty));
        }
        ExprKind::Call(_, args) => each_arg(args, f),
    }
}

fn each_in_type<'a>(t: &'a Type, f: &mut dyn FnMut(Part<'a>)) {
    match &t.kind {
        TypeKind::Name(_) | TypeKind::Hole(_) | TypeKind::Error => {}
        TypeKind::Array(size, inner) | TypeKind::Vector(size, inner) => {
            f(Part::Expr(size));
            f(Part::Type(inner));
        }
        TypeKind::Index(size) => f(Part::Expr(size)),
        TypeKind::Pair(a, b) | TypeKind::Fun(a, b) => {
            f(Part::Type(a));
            f(Part::Type(b));
        }
        TypeKind::Forall { default, body, .. } => {
            default.iter().for_each(|e| f(Part::Expr(e)));
            f(Part::Type(body));
        }
    }
}

fn each_in_strategy<'a>(s: &'a Strategy, f: &mut dyn FnMut(Part<'a>)) {
    match &s.kind {
        StrategyKind::Name(_) | StrategyKind::Number(_) | StrategyKind::Error => {}
        StrategyKind::Call(_, all) | StrategyKind::List(all) | StrategyKind::Choice(all) => {
            all.iter().for_each(|s| f(Part::Strategy(s)));
        }
        StrategyKind::Cons(first, rest) => {
            f(Part::Strategy(first));
            f(Part::Strategy(rest));
        }
        StrategyKind::Infix(first, rest) => {
            f(Part::Strategy(first));
            rest.iter().for_each(|(_, s)| f(Part::Strategy(s)));
        }
        StrategyKind::Seq(first, rest) => {
            f(Part::Strategy(first));
            rest.iter().for_each(|(_, s)| f(Part::Strategy(s)));
        }
        StrategyKind::At(first, rest) => {
            f(Part::Strategy(first));
            rest.iter().for_each(|s| f(Part::Strategy(s)));
        }
        StrategyKind::Let { value, body, .. } => {
            f(Part::Strategy(value));
            f(Part::Strategy(body));
        }
        StrategyKind::Compare(a, _, b) => {
            f(Part::Strategy(a));
            f(Part::Strategy(b));
        }
        StrategyKind::Else(s, _) => f(Part::Strategy(s)),
        StrategyKind::Open(open) => {
            for among in open.among.iter().flatten() {
                if let Among::One(s) = among {
                    f(Part::Strategy(s));
                }
            }
        }
        StrategyKind::With(s, values) => {
            f(Part::Strategy(s));
            values.iter().for_each(|(_, s)| f(Part::Strategy(s)));
        }
        StrategyKind::Satisfies(sketch) => f(Part::Expr(sketch)),
        StrategyKind::Reach(reach) => {
            f(Part::Expr(&reach.sketch));
            reach.rules.iter().flatten().for_each(|r| each_arg(&r.args, f));
            reach.options.iter().for_each(|(_, s)| f(Part::Strategy(s)));
        }
    }
}

fn each_default<'a>(params: &'a [Shape], f: &mut dyn FnMut(Part<'a>)) {
    for param in params {
        if let ShapeKind::Default(_, value) = &param.kind {
            f(Part::Strategy(value));
        }
    }
}

impl Item {
    /// Calls `f` on the topmost expressions, types and strategies, in source order.
    pub fn for_each_part<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        match &self.kind {
            ItemKind::Def(def) => {
                each_param(&def.params, f);
                def.result.iter().for_each(|t| f(Part::Type(t)));
                f(Part::Expr(&def.body));
            }
            ItemKind::Pattern(pattern) => {
                f(Part::Type(&pattern.ty));
                pattern.body.iter().for_each(|e| f(Part::Expr(e)));
            }
            ItemKind::Foreign(def) => {
                each_param(&def.params, f);
                f(Part::Type(&def.result));
            }
            ItemKind::Declare(declare) => each_in_condition(&declare.condition, f),
            ItemKind::Rule(rule) => {
                each_param(&rule.params, f);
                f(Part::Expr(&rule.lhs));
                f(Part::Expr(&rule.rhs));
                rule.conditions.iter().for_each(|c| each_in_condition(c, f));
                rule.examples.iter().for_each(|e| e.for_each_part(f));
            }
            ItemKind::RuleSet(set) => {
                set.params.iter().flat_map(|p| &p.default).for_each(|e| f(Part::Expr(e)));
                set.rules.iter().for_each(|r| each_arg(&r.args, f));
            }
            ItemKind::Alias(alias) => each_arg(&alias.target.args, f),
            ItemKind::Strategy(def) => {
                each_default(&def.params, f);
                f(Part::Strategy(&def.body));
                for local in &def.locals {
                    each_default(&local.params, f);
                    f(Part::Strategy(&local.body));
                }
            }
            ItemKind::Sketch(def) => {
                each_param(&def.params, f);
                f(Part::Expr(&def.body));
            }
            ItemKind::Import(_) | ItemKind::Error => {}
        }
    }
}

impl Example {
    /// As [`Item::for_each_part`].
    pub fn for_each_part<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        each_arg(&self.args, f);
        each_param(&self.params, f);
        f(Part::Expr(&self.before));
        f(Part::Expr(&self.after));
    }
}

fn each_in_condition<'a>(c: &'a Condition, f: &mut dyn FnMut(Part<'a>)) {
    match &c.kind {
        ConditionKind::NotIn(_, e) => f(Part::Expr(e)),
        ConditionKind::Divides(a, b) | ConditionKind::Compare(_, a, b) => {
            f(Part::Expr(a));
            f(Part::Expr(b));
        }
        ConditionKind::Predicate(_, args) => args.iter().for_each(|e| f(Part::Expr(e))),
        ConditionKind::Error => {}
    }
}
