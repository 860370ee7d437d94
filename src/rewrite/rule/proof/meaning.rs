//! What each pattern means at symbolic sizes: the counterpart of `lang::eval::naive`, element by element.

use super::context::{Context, function, lane};
use super::value::{Fold, Neutral, Operation, Role, Symbol, Value};
use crate::lang::literal::Literal;
use crate::lang::nat::Nat;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Type, TypeKind};
use crate::rule::condition::Condition;
use crate::rule::pat::{Pat, PatArg, PatNode};
use crate::rule::vectorise::lane_type;
use std::rc::Rc;

/// The values of the binders, innermost first.
#[derive(Clone)]
pub(super) struct Scope(Option<Rc<(Value, Scope)>>);

impl Scope {
    pub fn empty() -> Scope {
        Scope(None)
    }
    fn with(&self, value: Value) -> Scope {
        Scope(Some(Rc::new((value, self.clone()))))
    }
    fn get(&self, index: u32) -> Option<&Value> {
        let mut scope = self;
        for _ in 0..index {
            scope = &scope.0.as_ref()?.1;
        }
        scope.0.as_ref().map(|pair| &pair.0)
    }
}

/// Reads sides. Cloning is cheap.
#[derive(Clone)]
pub(super) struct Reader(pub Rc<Context>);

/// An application of a pattern to all its arguments.
#[derive(Clone)]
struct Call {
    reader: Reader,
    pattern: Pattern,
    args: Vec<PatArg>,
    params: Vec<Type>,
    result: Type,
    given: Vec<Value>,
}

impl Reader {
    pub fn read(&self, p: &Pat, scope: &Scope) -> Value {
        if !self.0.step() {
            return Value::Stuck;
        }
        match &p.node {
            PatNode::Var(v, args) => {
                let scope = args.iter().map(|a| self.read(a, scope)).collect();
                self.variable(*v, scope)
            }
            PatNode::Bound(i) => scope.get(*i).cloned().unwrap_or(Value::Stuck),
            PatNode::Lam(_, body) => {
                let (this, body, scope) = (self.clone(), Rc::new(Pat::clone(body)), scope.clone());
                Value::function(move |x| this.read(&body, &scope.with(x)))
            }
            PatNode::App(f, e) => self.read(f, scope).apply(self.read(e, scope)),
            PatNode::Prim(pattern, args) => {
                let (params, result) = p.ty.signature();
                let (reader, args) = (self.clone(), args.clone());
                Call { reader, pattern: *pattern, args, params, result, given: vec![] }.partial()
            }
            PatNode::Lit(Literal::Nat(n)) => Value::Nat(n.clone()),
            PatNode::Lit(Literal::Index(i, n)) if self.0.is_below(i, n) => Value::Nat(i.clone()),
            PatNode::Lit(Literal::Index(..)) => Value::Stuck,
            PatNode::Lit(l) => Value::literal(l.clone()),
            PatNode::Vectorise(_, v) if !self.0.eq.vars[*v].scope.is_empty() => Value::Stuck,
            PatNode::Vectorise(n, v) => {
                let f = self.variable(*v, vec![]);
                lanes(n, &self.0.ty(&self.0.eq.vars[*v].ty), Rc::new(move |_| f.clone()))
            }
        }
    }

    /// What a variable of the rule is, where the binders of its scope are these.
    fn variable(&self, variable: usize, scope: Vec<Value>) -> Value {
        let ty = self.0.ty(&self.0.eq.vars[variable].ty);
        let symbol = |role| Neutral::Symbol(Symbol { variable, role, scope: scope.clone() });
        if self.0.says(|c| *c == Condition::Additive(variable))
            && let Some((acc, rest)) = ty.as_fun()
            && let Some((element, sum)) = rest.as_fun()
        {
            let addend = symbol(Role::Addend).value(&Type::fun(element.clone(), sum.clone()));
            let (acc, sum, reader) = (acc.clone(), sum.clone(), self.clone());
            return Value::function(move |a| {
                let (addend, reader, acc, sum) = (addend.clone(), reader.clone(), acc.clone(), sum.clone());
                Value::function(move |y| {
                    let (params, given) = (vec![acc.clone(), acc.clone()], vec![a.clone(), addend.apply(y)]);
                    let (pattern, args, reader, result) = (Pattern::Add, vec![], reader.clone(), sum.clone());
                    Call { reader, pattern, args, params, result, given }.computed()
                })
            });
        }
        if self.0.says(|c| *c == Condition::Lanewise(variable))
            && let Some((n, scalar)) = lane_type(&ty)
        {
            let f = symbol(Role::Lane).value(&scalar);
            return lanes(&n, &scalar, Rc::new(move |_| f.clone()));
        }
        symbol(Role::Itself).value(&ty)
    }

    /// A pattern of which nothing is known but that it is a function of what it is given.
    fn operation(
        &self,
        pattern: Pattern,
        args: Vec<PatArg>,
        params: Vec<Type>,
        result: &Type,
        operands: Vec<Value>,
    ) -> Value {
        Neutral::Operation(Operation { pattern, args, params, result: result.clone(), operands })
            .value(result)
    }

    /// A choice that nothing decides, part by part.
    fn choice(&self, condition: &Type, result: &Type, operands: Vec<Value>) -> Value {
        let (this, truth) = (self.clone(), condition.clone());
        match result.kind() {
            TypeKind::Array(_, t) | TypeKind::Vector(_, t) => {
                let t = t.clone();
                Value::array(move |i| {
                    // A vector of truths chooses lane by lane.
                    let (c, truth) = match truth.as_vector() {
                        Some((_, lane)) => (operands[0].at(i), lane),
                        None => (operands[0].clone(), &truth),
                    };
                    this.select(truth, &t, vec![c, operands[1].at(i), operands[2].at(i)])
                })
            }
            TypeKind::Pair(a, b) => {
                let [c, x, y] = operands.as_slice() else { return Value::Stuck };
                let of = |x: Value, y: Value, t| this.select(&truth, t, vec![c.clone(), x, y]);
                Value::pair(of(x.first(), y.first(), a), of(x.second(), y.second(), b))
            }
            _ => {
                let params = vec![condition.clone(), result.clone(), result.clone()];
                self.operation(Pattern::Select, vec![], params, result, operands)
            }
        }
    }

    pub fn select(&self, condition: &Type, result: &Type, operands: Vec<Value>) -> Value {
        let (this, condition, result) = (self.clone(), condition.clone(), result.clone());
        operands[0].clone().through(move |c| match (truth(c), negated(c)) {
            (Some(true), _) => operands[1].clone(),
            (Some(false), _) => operands[2].clone(),
            (None, Some(c)) => {
                let operands = vec![c, operands[2].clone(), operands[1].clone()];
                this.select(&condition, &result, operands)
            }
            (None, None) => {
                let operands = vec![c.clone(), operands[1].clone(), operands[2].clone()];
                this.choice(&condition, &result, operands)
            }
        })
    }

    /// What a reduction gives. Of arrays that are combined element by element, each element is a reduction.
    pub fn fold(&self, fold: Fold) -> Value {
        match fold.ty.clone().kind() {
            TypeKind::Pair(a, b) => {
                let part = |ty: &Type, other: &Type, first: bool| {
                    let put =
                        move |x: Value, y: Value| if first { Value::pair(x, y) } else { Value::pair(y, x) };
                    let take = move |p: &Value| if first { p.first() } else { p.second() };
                    self.part(&fold, ty, other, Rc::new(put), Rc::new(take)).unwrap_or_else(|| {
                        let whole = Rc::new(Neutral::Fold(fold.clone()));
                        (if first { Neutral::First(whole) } else { Neutral::Second(whole) }).value(ty)
                    })
                };
                Value::pair(part(a, b, true), part(b, a, false))
            }
            TypeKind::Array(_, t) | TypeKind::Vector(_, t) => {
                let (this, t) = (self.clone(), t.clone());
                Value::array(move |i| {
                    let (reader, at, here) = (this.clone(), i.clone(), i.clone());
                    let put = move |x: Value, others: Value| {
                        let (reader, at) = (reader.clone(), at.clone());
                        Value::array(move |j| if reader.0.same(j, &at) { x.clone() } else { others.clone() })
                    };
                    let take = move |xs: &Value| xs.at(&here);
                    this.part(&fold, &t, &t, Rc::new(put), Rc::new(take)).unwrap_or_else(|| {
                        Neutral::At(Rc::new(Neutral::Fold(fold.clone())), i.clone()).value(&t)
                    })
                })
            }
            _ => Value::Unknown(Rc::new(Neutral::Fold(fold))),
        }
    }

    /// The reduction of one part of what is accumulated, if a step needs no other part for it.
    fn part(
        &self,
        fold: &Fold,
        ty: &Type,
        others: &Type,
        put: Rc<dyn Fn(Value, Value) -> Value>,
        take: Rc<dyn Fn(&Value) -> Value>,
    ) -> Option<Value> {
        let hidden = self.0.variable();
        let rest = Neutral::Fresh(hidden).value(others);
        let (whole, select) = (fold.step.clone(), take.clone());
        let step = move |x: Value, k: &Nat| select(&whole(put(x, rest.clone()), k));
        let probe = step(self.0.unknown(ty), &self.0.index(&fold.length));
        if self.mentions(&probe, ty, hidden) {
            return None;
        }
        let start = take(&fold.start);
        Some(self.fold(Fold { length: fold.length.clone(), start, step: Rc::new(step), ty: ty.clone() }))
    }
}

/// The value at vectors of `n` whose lanes are these values of the type.
fn lanes(n: &Nat, ty: &Type, of: Rc<dyn Fn(&Nat) -> Value>) -> Value {
    match ty.kind() {
        TypeKind::Pair(a, b) => {
            let second = of.clone();
            Value::pair(
                lanes(n, a, Rc::new(move |l| of(l).first())),
                lanes(n, b, Rc::new(move |l| second(l).second())),
            )
        }
        TypeKind::Fun(a, b) => {
            let (n, a, b) = (n.clone(), a.clone(), b.clone());
            Value::function(move |x| {
                let (of, a) = (of.clone(), a.clone());
                lanes(&n, &b, Rc::new(move |l| of(l).apply(lane(&x, &a, l))))
            })
        }
        _ => Value::array(move |l| of(l)),
    }
}

fn truth(c: &Value) -> Option<bool> {
    match c {
        Value::Unknown(n) => match &**n {
            Neutral::Literal(Literal::Bool(b)) => Some(*b),
            _ => None,
        },
        _ => None,
    }
}

/// The truth that this one is the opposite of.
fn negated(c: &Value) -> Option<Value> {
    let Value::Unknown(n) = c else { return None };
    match &**n {
        Neutral::Operation(o) if o.pattern == Pattern::Not => o.operands.first().cloned(),
        _ => None,
    }
}

fn boolean(b: bool) -> Value {
    Value::literal(Literal::Bool(b))
}

impl Call {
    /// A function of the arguments that are missing, or what it is when none is.
    fn partial(self) -> Value {
        if self.given.len() == self.params.len() {
            return if self.reader.0.step() { self.meaning() } else { Value::Stuck };
        }
        Value::function(move |x| {
            let mut next = self.clone();
            next.given.push(x);
            next.partial()
        })
    }

    fn size(&self, i: usize) -> Nat {
        let mut sizes = self.args.iter().filter_map(|a| if let PatArg::Nat(n) = a { Some(n) } else { None });
        sizes.nth(i).cloned().unwrap_or_else(Nat::poison)
    }

    /// The length of the array that is the i-th argument.
    fn length(&self, i: usize) -> Nat {
        let ty = &self.params[i];
        ty.as_array().or_else(|| ty.as_vector()).map_or_else(Nat::poison, |(n, _)| n.clone())
    }

    fn meaning(self) -> Value {
        use Pattern as P;
        let x = |i: usize| self.given[i].clone();
        let ctx = self.reader.0.clone();
        match self.pattern {
            P::Id | P::ToMem | P::OclRun => x(0),
            P::Let => x(1).apply(x(0)),
            P::MakePair => Value::pair(x(0), x(1)),
            P::Fst => x(0).first(),
            P::Snd => x(0).second(),
            P::MapFst => Value::pair(x(0).apply(x(1).first()), x(1).second()),
            P::MapSnd => Value::pair(x(1).first(), x(0).apply(x(1).second())),
            p if p.is_map() => {
                let (f, xs) = (x(0), x(1));
                Value::array(move |i| f.apply(xs.at(i)))
            }
            // Another grouping is another value, but for what says that it is not.
            p if p.is_reduce() && (p != P::ReduceLocal || self.reader.regroups(&x(0), &self.result)) => {
                let (f, xs) = (x(0), x(2));
                let step = Rc::new(move |acc: Value, k: &Nat| f.apply(acc).apply(xs.at(k)));
                let fold = Fold { length: self.length(2), start: x(1), step, ty: self.result.clone() };
                self.reader.fold(fold)
            }
            P::ScanSeq => {
                let Some((_, ty)) = self.result.as_array() else { return Value::Stuck };
                let (f, start, xs, ty, reader) = (x(0), x(1), x(2), ty.clone(), self.reader.clone());
                Value::array(move |i| {
                    let (f, xs) = (f.clone(), xs.clone());
                    let step = Rc::new(move |acc: Value, k: &Nat| f.apply(xs.at(k)).apply(acc));
                    let length = i.add(&Nat::constant(1));
                    reader.fold(Fold { length, start: start.clone(), step, ty: ty.clone() })
                })
            }
            P::Iterate if self.params[0].as_fun().is_some_and(|(a, b)| a == b) => {
                let f = x(0);
                let step = Rc::new(move |acc: Value, _: &Nat| f.apply(acc));
                self.reader.fold(Fold { length: self.size(0), start: x(1), step, ty: self.result.clone() })
            }
            P::Split | P::AsVector | P::AsVectorAligned => {
                let (n, xs) = (self.size(0), x(0));
                Value::array(move |i| {
                    let (start, xs) = (i.mul(&n), xs.clone());
                    Value::array(move |j| xs.at(&start.add(j)))
                })
            }
            P::Join | P::AsScalar => {
                let Some((_, row)) = self.params[0].as_array() else { return Value::Stuck };
                let row = row.as_array().or_else(|| row.as_vector());
                let Some((n, _)) = row else { return Value::Stuck };
                let (n, xs) = (n.clone(), x(0));
                Value::array(move |i| xs.at(&ctx.div(i, &n)).at(&ctx.modulo(i, &n)))
            }
            P::Transpose => {
                let xs = x(0);
                Value::array(move |i| {
                    let (i, xs) = (i.clone(), xs.clone());
                    Value::array(move |j| xs.at(j).at(&i))
                })
            }
            P::Reorder => {
                let [PatArg::Nat(n), PatArg::Fun(f), _] = self.args.as_slice() else { return Value::Stuck };
                let (n, f, xs) = (n.clone(), f.clone(), x(0));
                Value::array(move |i| match function(&f) {
                    Some(f) => ctx.permuted(&n, f, i).map_or(Value::Stuck, |i| xs.at(&i)),
                    None => {
                        let i = ctx.simplified(&f.apply(i));
                        if ctx.is_natural(&i) && ctx.is_below(&i, &n) { xs.at(&i) } else { Value::Stuck }
                    }
                })
            }
            P::Slide => windows(&self.size(1), move |i| self.given[0].at(i)),
            P::CircularBuffer | P::RotateValues => {
                let (f, xs) = (x(0), x(1));
                let step = self.size(if self.pattern == P::CircularBuffer { 2 } else { 1 });
                windows(&step, move |i| f.apply(xs.at(i)))
            }
            P::Zip => {
                let (a, b) = (x(0), x(1));
                Value::array(move |i| Value::pair(a.at(i), b.at(i)))
            }
            P::Unzip => {
                let (a, b) = (x(0), x(0));
                Value::pair(Value::array(move |i| a.at(i).first()), Value::array(move |i| b.at(i).second()))
            }
            P::Generate => {
                let f = x(0);
                Value::array(move |i| f.apply(Value::Nat(i.clone())))
            }
            P::Idx => self.element(),
            P::Gather => {
                let (Some((_, index)), Some((_, element))) =
                    (self.params[0].as_array(), self.result.as_array())
                else {
                    return Value::Stuck;
                };
                let (index, element, this) = (index.clone(), element.clone(), self.clone());
                Value::array(move |i| {
                    let params = vec![index.clone(), this.params[1].clone()];
                    let given = vec![this.given[0].at(i), this.given[1].clone()];
                    let (pattern, args, result) = (P::Idx, vec![], element.clone());
                    Call { pattern, args, params, result, given, reader: this.reader.clone() }.element()
                })
            }
            P::MakeArray => {
                let items = Rc::new(self.given.clone());
                Value::array(move |i| item(&items, 0, i))
            }
            P::Reverse => {
                let (last, xs) = (self.length(0).sub(&Nat::constant(1)), x(0));
                Value::array(move |i| xs.at(&last.sub(i)))
            }
            P::Take => x(0),
            P::Drop => {
                let (n, xs) = (self.size(0), x(0));
                Value::array(move |i| xs.at(&i.add(&n)))
            }
            P::Concat => {
                let (n, a, b) = (self.length(0), x(0), x(1));
                Value::array(move |i| {
                    let (first, second, a, b) = (i.clone(), i.sub(&n), a.clone(), b.clone());
                    Value::cases(second.clone(), move || b.at(&second), move || a.at(&first))
                })
            }
            P::PadCst | P::PadClamp => {
                let clamps = self.pattern == P::PadClamp;
                let (l, n) = (self.size(0), self.length(if clamps { 0 } else { 1 }));
                let xs = x(if clamps { 0 } else { 1 });
                let last = n.sub(&Nat::constant(1));
                let (before, after) =
                    if clamps { (xs.at(&Nat::constant(0)), xs.at(&last)) } else { (x(0), x(0)) };
                Value::array(move |i| {
                    let (i, before, after, xs, last) =
                        (i.sub(&l), before.clone(), after.clone(), xs.clone(), last.clone());
                    let natural = i.clone();
                    let inner = move || {
                        let (i, after, xs) = (i.clone(), after.clone(), xs.clone());
                        Value::cases(last.sub(&i), move || xs.at(&i), move || after.clone())
                    };
                    Value::cases(natural, inner, move || before.clone())
                })
            }
            P::PadEmpty => {
                let (n, xs) = (self.length(0), x(0));
                Value::array(move |i| {
                    let (at, xs) = (i.clone(), xs.clone());
                    Value::cases(i.sub(&n), || Value::Undefined, move || xs.at(&at))
                })
            }
            P::VectorFromScalar => {
                let s = x(0);
                Value::array(move |_| s.clone())
            }
            P::Select => self.reader.select(&self.params[0], &self.result, self.given.clone()),
            P::And | P::Or => {
                let or = self.pattern == P::Or;
                // In every lane of a vector.
                let decided = match self.result.as_vector() {
                    Some(_) => Value::array(move |_| boolean(or)),
                    None => boolean(or),
                };
                let choices = if or { vec![x(0), decided, x(1)] } else { vec![x(0), x(1), decided] };
                self.reader.select(&self.result, &self.result, choices)
            }
            P::IndexAsNat | P::NatAsIndex => self.computed(),
            p if p.is_lanewise() => self.computed(),
            // Of any other nothing is known but that it is a function.
            _ => {
                let Call { reader, pattern, args, params, result, given } = self;
                reader.operation(pattern, args, params, &result, given)
            }
        }
    }

    /// The element at an index that is a number; at another, nothing is known of it: it may be undefined.
    fn element(self) -> Value {
        self.given[0].clone().through(move |i| match i {
            Value::Nat(i) => self.given[1].at(i),
            _ => {
                let Call { reader, pattern, args, params, result, .. } = self.clone();
                let given = vec![i.clone(), self.given[1].clone()];
                reader.operation(pattern, args, params, &result, given)
            }
        })
    }

    /// What is computed of scalars, case by case; undefined if any of them is.
    fn computed(self) -> Value {
        if self.result.as_vector().is_some() {
            let Call { reader, pattern, args, params, result, given } = self;
            let scalars: Vec<Type> =
                params.iter().map(|t| t.as_vector().map_or(t, |(_, t)| t).clone()).collect();
            let Some((_, lane)) = result.as_vector() else { return Value::Stuck };
            let lane = lane.clone();
            return Value::array(move |l| {
                let given = given.iter().zip(&params);
                let given = given.map(|(x, t)| if t.as_vector().is_some() { x.at(l) } else { x.clone() });
                let (given, params, result) = (given.collect(), scalars.clone(), lane.clone());
                Call { reader: reader.clone(), pattern, args: args.clone(), params, result, given }.computed()
            });
        }
        self.operand(0)
    }

    fn operand(self, i: usize) -> Value {
        if i == self.given.len() {
            return self.number();
        }
        self.given[i].clone().through(move |x| {
            let mut next = self.clone();
            next.given[i] = x.clone();
            next.operand(i + 1)
        })
    }

    /// Sizes and indices are computed with as numbers.
    fn number(self) -> Value {
        use Pattern as P;
        let ctx = &self.reader.0;
        let known: Option<Vec<&Nat>> =
            self.given.iter().map(|x| if let Value::Nat(n) = x { Some(n) } else { None }).collect();
        let one = Nat::constant(1);
        let is = |natural: Nat| Value::cases(natural, || boolean(true), || boolean(false));
        match (self.pattern, known.as_deref()) {
            (P::IndexAsNat, Some([n])) => Value::Nat((*n).clone()),
            (P::NatAsIndex, Some([n])) if ctx.is_natural(n) && ctx.is_below(n, &self.size(0)) => {
                Value::Nat((*n).clone())
            }
            (P::Cast, Some([n])) if self.result == Type::nat_type() => Value::Nat((*n).clone()),
            (P::Add, Some([a, b])) => Value::Nat(a.add(b)),
            (P::Sub, Some([a, b])) => Value::Nat(a.sub(b)),
            (P::Mul, Some([a, b])) => Value::Nat(a.mul(b)),
            // Towards zero, which is down for natural numbers alone.
            (P::Div, Some([a, b])) if ctx.is_natural(a) && ctx.is_natural(&b.sub(&one)) => {
                Value::Nat(ctx.div(a, b))
            }
            (P::Mod, Some([a, b])) if ctx.is_natural(a) && ctx.is_natural(&b.sub(&one)) => {
                Value::Nat(ctx.modulo(a, b))
            }
            (P::Lt, Some([a, b])) => is(b.sub(a).sub(&one)),
            (P::Gt, Some([a, b])) => is(a.sub(b).sub(&one)),
            (P::Ge, Some([a, b])) => is(a.sub(b)),
            (P::Le, Some([a, b])) => is(b.sub(a)),
            _ => {
                let Call { reader, pattern, args, params, result, given } = self;
                reader.operation(pattern, args, params, &result, given)
            }
        }
    }
}

/// The windows that start at each multiple of the step.
fn windows(step: &Nat, at: impl Fn(&Nat) -> Value + 'static) -> Value {
    let (step, at) = (step.clone(), Rc::new(at));
    Value::array(move |i| {
        let (start, at) = (i.mul(&step), at.clone());
        Value::array(move |j| at(&start.add(j)))
    })
}

/// The element of a literal array at an index that is not before `from`.
fn item(items: &Rc<Vec<Value>>, from: usize, i: &Nat) -> Value {
    if from + 1 >= items.len() {
        return items.last().cloned().unwrap_or(Value::Stuck);
    }
    let (first, rest, at) = (items.clone(), items.clone(), i.clone());
    let beyond = i.sub(&Nat::constant(from as i64 + 1));
    Value::cases(beyond, move || item(&rest, from + 1, &at), move || first[from].clone())
}
