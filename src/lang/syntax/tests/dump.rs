//! Trees as fully bracketed text, to compare with by eye.

use super::super::ast::*;

fn list<T>(head: &str, all: impl IntoIterator<Item = T>, f: impl Fn(T) -> String) -> String {
    let all: Vec<String> = all.into_iter().map(f).collect();
    if all.is_empty() { format!("({head})") } else { format!("({head} {})", all.join(" ")) }
}

fn names(all: &[Ident]) -> String {
    all.iter().map(|n| n.kind.to_string()).collect::<Vec<_>>().join(" ")
}

fn number(n: &Number) -> String {
    format!("{}{}", n.digits, n.suffix.as_deref().map(|s| format!("_{s}")).unwrap_or_default())
}

fn hole(name: &Option<Name>) -> String {
    format!("?{}", name.as_deref().unwrap_or(""))
}

pub fn param(p: &Param) -> String {
    match &p.kind {
        ParamKind::Bare(name) => name.kind.to_string(),
        ParamKind::Pair(all) => components(all),
        ParamKind::Typed(all, t) => format!("({}: {})", names(all), ty(t)),
        ParamKind::Kinded(all, kind) => format!("({}: {})", names(all), kind.word()),
        ParamKind::Implicit(all, kind) => format!("{{{}: {}}}", names(all), kind.word()),
    }
}

fn components(all: &[Component]) -> String {
    let all = all.iter().map(|c| match c {
        Component::Name(name) => name.kind.to_string(),
        Component::Pair(inner) => components(inner),
    });
    format!("({})", all.collect::<Vec<_>>().join(", "))
}

fn params(all: &[Param]) -> String {
    all.iter().map(param).collect::<Vec<_>>().join(" ")
}

pub fn arg(a: &Arg) -> String {
    match a {
        Arg::Expr(e) => expr(e),
        Arg::Type(t) => format!("type:{}", ty(t)),
    }
}

fn infix<T>(first: &T, rest: &[(Op, T)], f: impl Fn(&T) -> String) -> String {
    let rest: String = rest.iter().map(|(op, x)| format!(" {} {}", op.symbol(), f(x))).collect();
    format!("({}{rest})", f(first))
}

pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Number(n) => number(n),
        ExprKind::App(f, args) => list(&expr(f), args, expr),
        ExprKind::Lam(ps, body) => format!("(\\{}. {})", params(ps), expr(body)),
        ExprKind::NatLam(ps, body) => format!("(/\\{}. {})", params(ps), expr(body)),
        ExprKind::Pipe(a, rest) => list("|>", std::iter::once(&**a).chain(rest), expr),
        ExprKind::Compose(a, rest) => list(">>", std::iter::once(&**a).chain(rest), expr),
        ExprKind::Infix(a, rest) => infix(&**a, rest, expr),
        ExprKind::Neg(a) => format!("(neg {})", expr(a)),
        ExprKind::Section(op) => format!("op:{}", op.symbol()),
        ExprKind::Array(all) => list("array", all, expr),
        ExprKind::Tuple(all) => list("tuple", all, expr),
        ExprKind::Let { param: p, value, body } => {
            format!("(let {} {} {})", param(p), expr(value), expr(body))
        }
        ExprKind::Ascribe(a, t) => format!("({} : {})", expr(a), ty(t)),
        ExprKind::Subst { body, value, var } => {
            format!("(subst {} {} {})", expr(body), expr(value), var.kind)
        }
        ExprKind::Hole(name) => hole(name),
        ExprKind::Call(f, args) => list(&format!("call:{}", f.kind), args, arg),
        ExprKind::Or(all) => list("or", all, expr),
        ExprKind::And(all) => list("and", all, expr),
        ExprKind::Error => "!".into(),
    }
}

pub fn ty(t: &Type) -> String {
    match &t.kind {
        TypeKind::Name(name) => name.to_string(),
        TypeKind::Array(n, t) => format!("(array {} {})", expr(n), ty(t)),
        TypeKind::Vector(n, t) => format!("(vec {} {})", expr(n), ty(t)),
        TypeKind::Index(n) => format!("(idx {})", expr(n)),
        TypeKind::Pair(a, b) => format!("(pair {} {})", ty(a), ty(b)),
        TypeKind::Fun(a, b) => format!("({} -> {})", ty(a), ty(b)),
        TypeKind::Forall { implicit, names: all, kind, default, body } => {
            let default = default.as_ref().map(|d| format!(" = {}", expr(d))).unwrap_or_default();
            let sign = if *implicit { "forall-implicit" } else { "forall" };
            format!("({sign} {}: {}{default} {})", names(all), kind.word(), ty(body))
        }
        TypeKind::Hole(name) => hole(name),
        TypeKind::Error => "!".into(),
    }
}

fn shape(s: &Shape) -> String {
    match &s.kind {
        ShapeKind::Name(name) => name.to_string(),
        ShapeKind::Number(n) => n.to_string(),
        ShapeKind::List(all) => list("list", all, shape),
        ShapeKind::Cons(a, b) => format!("({} :: {})", shape(a), shape(b)),
        ShapeKind::Default(name, value) => format!("({name} = {})", strategy(value)),
        ShapeKind::Error => "!".into(),
    }
}

pub fn strategy(s: &Strategy) -> String {
    match &s.kind {
        StrategyKind::Name(name) => name.to_string(),
        StrategyKind::Number(n) => number(n),
        StrategyKind::Call(f, args) => list(&f.kind, args, strategy),
        StrategyKind::List(all) => list("list", all, strategy),
        StrategyKind::Cons(a, b) => format!("({} :: {})", strategy(a), strategy(b)),
        StrategyKind::Infix(a, rest) => infix(&**a, rest, strategy),
        StrategyKind::Seq(a, rest) => {
            let sign = |op| if op == SeqOp::Then { ";" } else { ";;" };
            let rest: String = rest.iter().map(|(op, s)| format!(" {} {}", sign(*op), strategy(s))).collect();
            format!("({}{rest})", strategy(a))
        }
        StrategyKind::Choice(all) => list("<+", all, strategy),
        StrategyKind::At(a, rest) => list("@", std::iter::once(&**a).chain(rest), strategy),
        StrategyKind::Compare(a, op, b) => format!("({} {} {})", strategy(a), op.symbol(), strategy(b)),
        StrategyKind::Else(s, text) => format!("({} else {:?})", strategy(s), &*text.kind),
        StrategyKind::Satisfies(sketch) => format!("(satisfies {})", expr(sketch)),
        StrategyKind::Reach(reach) => {
            let rules = reach.rules.as_ref().map_or("guided".to_owned(), |all| list("using", all, rule_ref));
            let options = list("with", &reach.options, |(k, v)| format!("{}: {}", k.kind, strategy(v)));
            format!("(reach {} {rules} {options})", expr(&reach.sketch))
        }
        StrategyKind::Open(open) => {
            let among = |among: &Among| match among {
                Among::One(s) => strategy(s),
                Among::Range(a, b) => format!("{}..{}", number(&a.kind), number(&b.kind)),
            };
            let name = open.name.as_deref().unwrap_or_default();
            open.among.as_ref().map_or(format!("?{name}"), |all| list(&format!("?{name}"), all, among))
        }
        StrategyKind::With(s, values) => {
            list(&format!("{} with", strategy(s)), values, |(k, v)| format!("{}: {}", k.kind, strategy(v)))
        }
        StrategyKind::Let { name, value, body } => {
            format!("(let {} {} {})", name.kind, strategy(value), strategy(body))
        }
        StrategyKind::Error => "!".into(),
    }
}

fn rule_ref(r: &RuleRef) -> String {
    if r.args.is_empty() { r.name.kind.to_string() } else { list(&r.name.kind, &r.args, arg) }
}

fn condition(c: &Condition) -> String {
    match &c.kind {
        ConditionKind::NotIn(x, e) => format!("(notin {} {})", x.kind, expr(e)),
        ConditionKind::Divides(a, b) => format!("(divides {} {})", expr(a), expr(b)),
        ConditionKind::Compare(op, a, b) => format!("({} {} {})", op.symbol(), expr(a), expr(b)),
        ConditionKind::Predicate(name, args) => list(&name.kind, args, expr),
        ConditionKind::Error => "!".into(),
    }
}

pub fn set_params(params: &[SetParam]) -> String {
    let each = params.iter().map(|p| match &p.default {
        Some(e) => format!(" ({} = {})", p.name.kind, expr(e)),
        None => format!(" {}", p.name.kind),
    });
    each.collect()
}

fn item(item: &Item) -> String {
    let doc: String = item.doc.iter().map(|line| format!("doc:{line:?} ")).collect();
    let shapes = |all: &[Shape]| all.iter().map(|s| format!(" {}", shape(s))).collect::<String>();
    let spaced = |text: String| if text.is_empty() { text } else { format!(" {text}") };
    doc + &match &item.kind {
        ItemKind::Def(d) => {
            let result = d.result.as_ref().map(|t| format!(": {}", ty(t))).unwrap_or_default();
            format!("def {}{}{result} = {}", d.name.kind, spaced(params(&d.params)), expr(&d.body))
        }
        ItemKind::Pattern(p) => {
            let body = p.body.as_ref().map(|e| format!(" = {}", expr(e))).unwrap_or_default();
            format!("pattern {} : {}{body}", p.name.kind, ty(&p.ty))
        }
        ItemKind::Foreign(d) => {
            let head = format!("foreign {}{}", d.name.kind, spaced(params(&d.params)));
            format!("{head}: {} = {:?}", ty(&d.result), d.body.kind)
        }
        ItemKind::Declare(d) if d.marks.is_empty() => format!("declare {}", condition(&d.condition)),
        ItemKind::Declare(d) => format!("declare [{}] {}", names(&d.marks), condition(&d.condition)),
        ItemKind::Rule(r) => {
            let marks = if r.marks.is_empty() { String::new() } else { format!(" [{}]", names(&r.marks)) };
            let head = format!("rule {}{}{marks}", r.name.kind, spaced(params(&r.params)));
            let conditions: String =
                r.conditions.iter().map(|c| format!(" where {}", condition(c))).collect();
            let examples: String = r
                .examples
                .iter()
                .map(|e| {
                    let doc: String = e.doc.iter().map(|line| format!("doc:{line:?} ")).collect();
                    let args = list("args", &e.args, arg);
                    let sides = format!("{} ~> {}", expr(&e.before), expr(&e.after));
                    format!("\n  {doc}example {args}{} = {sides}", spaced(params(&e.params)))
                })
                .collect();
            format!("{head} = {} ~> {}{conditions}{examples}", expr(&r.lhs), expr(&r.rhs))
        }
        ItemKind::RuleSet(s) => {
            format!("rules {}{} = {}", s.name.kind, set_params(&s.params), list("set", &s.rules, rule_ref))
        }
        ItemKind::Alias(a) => format!("alias {} = {}", a.name.kind, rule_ref(&a.target)),
        ItemKind::Strategy(s) => {
            let locals: String = s
                .locals
                .iter()
                .map(|l| format!(" where {}{} = {}", l.name.kind, shapes(&l.params), strategy(&l.body)))
                .collect();
            format!("strategy {}{} = {}{locals}", s.name.kind, shapes(&s.params), strategy(&s.body))
        }
        ItemKind::Sketch(s) => {
            format!("sketch {}{} = {}", s.name.kind, spaced(params(&s.params)), expr(&s.body))
        }
        ItemKind::Import(path) => format!("import {}", names(path)),
        ItemKind::Error => "!".into(),
    }
}

pub fn file(file: &File) -> String {
    file.items.iter().map(|i| item(i) + "\n").collect()
}
