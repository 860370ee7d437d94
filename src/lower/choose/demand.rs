//! How often the elements of a value are read: the question on which it depends whether a computed array must be
//! stored or can be computed where it is read.

use crate::lang::pattern::Pattern;
use crate::lang::term::{Arg, Expr, Prim, Term};
use rustc_hash::FxHashMap;

/// How often each element of an array is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Usage {
    Once,
    Many,
}

/// How often the elements of a variable's value are read, by component where it is a pair; two is many.
#[derive(Clone, Copy, Default)]
struct Count {
    whole: u32,
    first: u32,
    second: u32,
}

impl Count {
    fn plus(self, o: Count) -> Count {
        Count {
            whole: (self.whole + o.whole).min(2),
            first: (self.first + o.first).min(2),
            second: (self.second + o.second).min(2),
        }
    }
    fn many_times(self) -> Count {
        self.plus(self)
    }
    fn total(self) -> u32 {
        self.whole + self.first.max(self.second)
    }
}

/// What was counted, by the node, which is kept so that no other one takes its place.
#[derive(Default)]
pub struct Demands {
    known: FxHashMap<(*const (), u32, Usage), (Count, Term)>,
}

impl Demands {
    /// How often a function's body reads each element of its parameter, when each element of the body's value is read
    /// as `of_result` says. A value without arrays is computed once in any case.
    pub fn of_parameter(&mut self, body: &Term, parameter_has_array: bool, of_result: Usage) -> Usage {
        if !parameter_has_array || self.count(body, 0, of_result).total() <= 1 {
            Usage::Once
        } else {
            Usage::Many
        }
    }

    fn count(&mut self, t: &Term, x: u32, usage: Usage) -> Count {
        if !t.has_free(x) {
            return Count::default();
        }
        let key = (t.node(), x, usage);
        if let Some((known, _)) = self.known.get(&key) {
            return *known;
        }
        let count = self.count_new(t, x, usage);
        self.known.insert(key, (count, t.clone()));
        count
    }

    fn count_new(&mut self, t: &Term, x: u32, usage: Usage) -> Count {
        let times = if usage == Usage::Once { 1 } else { 2 };
        let (head, args) = t.spine();
        match head.expr() {
            Expr::Var(_) => Count { whole: times, ..Count::default() },
            Expr::Lit(_) => Count::default(),
            Expr::Lam(_, body) => match args.split_first() {
                // A shared value is stored when it is used often.
                Some((value, _)) => self.count(value, x, Usage::Once).plus(self.count(body, x + 1, usage)),
                None => self.count(body, x + 1, usage).many_times(),
            },
            Expr::App(..) => Count::default(),
            Expr::Prim(p) => self.count_pattern(p, &args, x, usage, times),
        }
    }

    fn count_pattern(&mut self, p: &Prim, args: &[&Term], x: u32, usage: Usage, times: u32) -> Count {
        let is_x = |t: &Term| matches!(t.expr(), Expr::Var(i) if *i == x);
        match (p.pattern, args) {
            (Pattern::Fst, [e]) if is_x(e) => Count { first: times, ..Count::default() },
            (Pattern::Snd, [e]) if is_x(e) => Count { second: times, ..Count::default() },
            (Pattern::Let, [value, f]) => {
                let inside = f.as_lam().map_or_else(Count::default, |(_, b)| self.count(b, x + 1, usage));
                self.count(value, x, Usage::Many).plus(inside)
            }
            (map, [f, xs]) if map.is_map() => {
                let Some((_, body)) = f.as_lam() else { return self.count(xs, x, Usage::Many) };
                let of_body = if map == Pattern::Map { usage } else { Usage::Once };
                let inside = self.count(body, x + 1, of_body).many_times();
                let elements = element_has_array(xs);
                let of_xs = self.of_parameter(body, elements, of_body);
                // A lazy map reads its argument again whenever it is read again.
                let of_xs = if map == Pattern::Map { of_xs.max(usage) } else { of_xs };
                inside.plus(self.count(xs, x, of_xs))
            }
            (reduce, [op, start, xs]) if reduce.is_reduce() => {
                let Some(body) = op.as_lam().and_then(|(_, b)| b.as_lam()).map(|(_, b)| b) else {
                    return self.count(xs, x, Usage::Many);
                };
                let inside = self.count(body, x + 2, Usage::Once).many_times();
                let of_xs = self.of_parameter(body, element_has_array(xs), Usage::Once);
                inside.plus(self.count(start, x, Usage::Once)).plus(self.count(xs, x, of_xs))
            }
            (pattern, _) => {
                let of_array = if duplicates(p) { Usage::Many } else { usage };
                let mut sum = Count::default();
                for a in args {
                    let of = match pattern {
                        Pattern::Gather if std::ptr::eq(*a, args[0]) => usage,
                        _ => of_array,
                    };
                    let count = self.count(a, x, of);
                    sum = sum.plus(if a.ty().as_fun().is_some() { count.many_times() } else { count });
                }
                sum
            }
        }
    }
}

pub fn element_has_array(xs: &Term) -> bool {
    xs.ty().as_array().is_some_and(|(_, t)| t.has_array())
}

/// Does the pattern show one element at several places?
pub fn duplicates(p: &Prim) -> bool {
    match p.pattern {
        Pattern::Slide => match p.args.as_slice() {
            [Arg::Nat(size), Arg::Nat(step)] => {
                size != step && size.sub(step).as_constant().is_none_or(|overlap| overlap > 0)
            }
            _ => true,
        },
        Pattern::Gather | Pattern::PadClamp => true,
        _ => false,
    }
}
