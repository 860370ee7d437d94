//! Searches with rules that a file of rules cannot have.

use super::*;
use crate::lang::build as b;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::rule::equation::{Equation, RuleType, RuleVar, Sides};
use crate::rule::pat::Pat;
use crate::rule::{Rule, RuleData, RuleParam};
use crate::search::Progress;
use crate::sketch::{Library, read};
use std::sync::atomic::AtomicBool;

fn var(name: &str, ty: Type) -> RuleVar {
    RuleVar { name: name.into(), scope: vec![], ty }
}

fn rule(
    name: &str,
    vars: Vec<RuleVar>,
    types: usize,
    nats: usize,
    params: Vec<RuleParam>,
    lhs: Term,
    rhs: Term,
) -> Rule {
    let arities: Vec<usize> = vars.iter().map(|v| v.scope.len()).collect();
    let equation = Equation {
        vars,
        types: (0..types).map(|i| RuleType { name: format!("t{i}").into(), data: true }).collect(),
        nats: (0..nats).map(|i| format!("n{i}").into()).collect(),
        slots: vec![],
        sides: Sides {
            lhs: Pat::from_term(&lhs, &arities).unwrap(),
            rhs: Pat::from_term(&rhs, &arities).unwrap(),
        },
        applied: None,
        conditions: vec![],
        needs: vec![],
        declared: std::sync::Arc::default(),
    };
    Rule::new(RuleData {
        name: name.into(),
        theme: "test".into(),
        params: params.into(),
        body: Body::Equation(Box::new(equation)).into(),
        marks: crate::rule::Marks::NONE.into(),
        doc: String::new().into(),
        examples: vec![].into(),
        digest: crate::lang::digest::Digest::of(name.as_bytes()).into(),
        span: None,
        text: String::new().into(),
    })
}

fn baseline_rules() -> Vec<RuleUse> {
    let (t, s, u, n) = (Type::meta(0), Type::meta(1), Type::meta(2), Nat::meta(0));
    let red = |t: &Type, n: &Nat| {
        Type::function(
            &[
                Type::function(&[t.clone(), t.clone()], t.clone()),
                t.clone(),
                Type::array(n.clone(), t.clone()),
            ],
            t.clone(),
        )
    };
    let use_seq = rule(
        "useReduceSeq",
        vec![],
        1,
        1,
        vec![],
        Term::prim(Pattern::Reduce, vec![], red(&t, &n)),
        Term::prim(
            Pattern::ReduceSeq,
            vec![crate::lang::term::Arg::Addr(crate::lang::pattern::AddressSpace::Private)],
            red(&t, &n),
        ),
    );
    // reduceSeq f init (map g in) ~> reduceSeq (\acc x. f acc (g x)) init in
    let fty = Type::function(&[t.clone(), s.clone()], t.clone());
    let gty = Type::fun(u.clone(), s.clone());
    let vars = vec![
        var("f", fty.clone()),
        var("init", t.clone()),
        var("g", gty.clone()),
        var("in", Type::array(n.clone(), u.clone())),
    ];
    let v = |i: usize| Term::var(3 - i as u32, vars[i].ty.clone());
    let seq = |f: Term, i: Term, x: Term| {
        b::apply(
            Pattern::ReduceSeq,
            vec![crate::lang::term::Arg::Addr(crate::lang::pattern::AddressSpace::Private)],
            vec![f, i, x],
        )
        .unwrap()
    };
    let lhs = seq(v(0), v(1), b::map(v(2), v(3)).unwrap());
    let f =
        b::lam2(("acc", t.clone()), ("x", u), |acc, x| b::app(b::app(v(0), acc)?, b::app(v(2), x)?)).unwrap();
    let rhs = seq(f, v(1), v(3));
    let fuse = rule("reduceSeqMapFusion", vars.clone(), 3, 1, vec![], lhs, rhs);
    [use_seq, fuse].into_iter().map(|rule| RuleUse { rule, args: vec![] }).collect()
}

fn matmul() -> Term {
    let a = Type::array(Nat::var("m"), Type::array(Nat::var("k"), Type::f32()));
    let bt = Type::array(Nat::var("k"), Type::array(Nat::var("n"), Type::f32()));
    let row_ty = Type::array(Nat::var("k"), Type::f32());
    b::lam2(("a", a), ("b", bt), |a, bm| {
        b::map(
            b::lam("row", row_ty.clone(), |row| {
                b::map(
                    b::lam("col", row_ty.clone(), |col| {
                        let pair = Type::pair(Type::f32(), Type::f32());
                        let times = b::lam("p", pair, |p| b::mul(b::fst(p.clone())?, b::snd(p)?))?;
                        let plus = b::pattern(Pattern::Add, vec![], &[Type::f32(), Type::f32()])?;
                        b::reduce(plus, b::f32(0.0), b::map(times, b::zip(row.clone(), col)?)?)
                    })?,
                    b::transpose(bm.clone())?,
                )
            })?,
            a,
        )
    })
    .unwrap()
}

#[test]
fn baseline() {
    let text = "containsMap(m, containsMap(n, containsReduceSeq(k, containsAddMul)))";
    let (tree, _) = crate::lang::syntax::parse_sketch(crate::lang::diag::Span::NOWHERE.file, text);
    let sketch = read(&tree, &Library::builtin(), &["m".into(), "n".into(), "k".into()]).unwrap();
    let now = std::time::Instant::now();
    let t = move || now.elapsed();
    let cancel = AtomicBool::new(false);
    let mut tell = |p: &Progress| eprintln!("{:?} {:?}", p.phase, p.nodes);
    let mut control = Control { cancel: &cancel, now: &t, rss: &|| 0, progress: &mut tell };
    let report = reach(&matmul(), &sketch, &baseline_rules(), &Budget::default(), &mut control).unwrap();
    eprintln!("{report} {report:#?}");
    let found = report.found().unwrap();
    assert!(found.term.check().is_ok());
    assert!(sketch.satisfied_by(&found.term));
    assert_eq!(found.term.ty(), matmul().ty());
}
