use super::*;
use crate::lang::diag::Sources;
use crate::rewrite::rule::RuleSet;

#[test]
fn library() {
    let (rules, _) = RuleSet::builtin(&mut Sources::new());
    let began = std::time::Instant::now();
    let mut n = 0;
    for rule in rules.rules() {
        let t = std::time::Instant::now();
        let r = prove(rule);
        n += usize::from(r.is_ok());
        println!("{:10} {:36} {:?} {:?}", rule.theme, rule.name, t.elapsed(), r);
    }
    println!("{n} of {} in {:?}", rules.rules().count(), began.elapsed());
}
