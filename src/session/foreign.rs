//! Foreign functions in the interpreter: their values come from the device, table by table.
//!
//! The interpreter asks for a function's value as it goes. What is not in the table yet is noted and undefined for now;
//! then a kernel that applies the function to everything that was noted fills the table, and the program is evaluated
//! again, until nothing is missing. So foreign text runs where kernels run, in a worker process, and nowhere else.

use crate::lang::build as b;
use crate::lang::declared::{Declared, used_in};
use crate::lang::diag::Diagnostic;
use crate::lang::eval::{Foreign, failure};
use crate::lang::nat::{Name, Nat};
use crate::lang::pattern::Pattern;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::lang::value::Value;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Calls that depend on each other deeper than this are not followed.
const MAX_ROUNDS: usize = 200;

/// The foreign functions of a term.
pub fn functions(term: &Term) -> Vec<Declared> {
    used_in(term).into_iter().filter(|d| d.foreign().is_some()).collect()
}

/// Values that are known, and calls whose value is not. Arguments are told apart by their text, which is exact.
#[derive(Debug, Default)]
struct Table {
    known: Mutex<HashMap<(Declared, String), Value>>,
    missing: Mutex<IndexMap<Declared, IndexSet<String>>>,
    arguments: Mutex<HashMap<String, Vec<Value>>>,
}

fn key(args: &[Value]) -> String {
    args.iter().map(|a| format!("{a:?};")).collect()
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Foreign for Table {
    fn call(&self, function: Declared, args: &[Value]) -> Result<Value, Diagnostic> {
        let key = key(args);
        if let Some(value) = lock(&self.known).get(&(function, key.clone())) {
            return Ok(value.clone());
        }
        lock(&self.arguments).insert(key.clone(), args.to_vec());
        lock(&self.missing).entry(function).or_default().insert(key);
        Ok(Value::Undefined)
    }
}

/// What applies a function to arrays of arguments.
pub type Apply<'a> = dyn Fn(Declared, &Term, &Name, Vec<Vec<Value>>) -> Result<Vec<Value>, Diagnostic> + 'a;

/// Evaluates with foreign functions. `apply` is given the program `\xs ys. map f …` of a function, the size of its
/// arrays and the arrays, and returns what it computes.
///
/// # Errors
/// What `eval` or `apply` return, and calls that depend on each other too deeply.
pub fn evaluate(
    eval: &dyn Fn(&dyn Foreign) -> Result<Value, Diagnostic>,
    apply: &Apply<'_>,
) -> Result<Value, Diagnostic> {
    let table = Table::default();
    for _ in 0..MAX_ROUNDS {
        let result = eval(&table);
        let missing = std::mem::take(&mut *lock(&table.missing));
        if missing.is_empty() {
            return result;
        }
        for (function, calls) in missing {
            let args: Vec<Vec<Value>> = {
                let all = lock(&table.arguments);
                calls.iter().filter_map(|c| all.get(c).cloned()).collect()
            };
            let columns =
                (0..function.arity()).map(|i| args.iter().filter_map(|a| a.get(i).cloned()).collect());
            let size: Name = "n".into();
            let program = over_arrays(function, &size).map_err(|m| failure::ill_typed(m.to_string()))?;
            let values = apply(function, &program, &size, columns.collect())?;
            lock(&table.known).extend(calls.into_iter().map(|c| (function, c)).zip(values));
        }
    }
    Err(Diagnostic::error(
        "E0188",
        "Foreign functions depend on each other too deeply to be checked at small sizes.",
    )
    .note(format!(
        "Their values were asked for {MAX_ROUNDS} times, each time for arguments that follow from the last."
    )))
}

/// `\x0 x1 …. generate (\i. f (idx i x0) (idx i x1) …)`
fn over_arrays(function: Declared, size: &Name) -> b::Built {
    let (params, result) = function.scheme().ty.signature();
    let n = Nat::var(size);
    let call = |args: Vec<Term>| -> b::Built {
        let ty = Type::function(&params, result.clone());
        Ok(Term::apps(Term::prim(Pattern::Declared(function), vec![], ty), args))
    };
    fn parameters(
        params: &[Type],
        n: &Nat,
        taken: Vec<Term>,
        body: &dyn Fn(Vec<Term>) -> b::Built,
    ) -> b::Built {
        let Some((first, rest)) = params.split_first() else { return body(taken) };
        b::lam("x", Type::array(n.clone(), first.clone()), |x| {
            let mut taken = taken;
            taken.push(x);
            parameters(rest, n, taken, body)
        })
    }
    parameters(&params, &n, vec![], &|arrays| {
        let index = Type::index(n.clone());
        b::generate(b::lam("i", index, |i| {
            let args = arrays.iter().map(|a| b::idx(i.clone(), a.clone()));
            call(args.collect::<Result<_, _>>()?)
        })?)
    })
}
