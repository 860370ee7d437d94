//! Cells in choices that are read before the choice is made.
//!
//! In: the statements of a function. Out: the same, where `c ? x[i] : y` in a loop reads the cell whatever `c` says, if it exists
//! in any case. gcc 12 makes vectors of a load that depends on data only where processors load under masks, and where the
//! index is not a sum in the choice; else it loads one number after the other, or gathers. A condition that compares
//! nothing but indices is left alone: it leaves out whole parts of arrays, which then need not be read.

use super::code::Generator;
use super::rotation::memory;
use super::syntax::{Expr, Stmt, What};
use std::collections::{BTreeMap, BTreeSet};

/// Reads cells before the choices that they stand in.
pub fn load_before(body: &mut Vec<Stmt>, g: &mut Generator) {
    if g.existing.is_empty() {
        return;
    }
    let inlined = g.inlined();
    let mut choices = Choices { g, inlined, written: BTreeSet::new() };
    choices.block(body, None);
}

struct Choices<'g> {
    g: &'g mut Generator,
    /// Functions that compilers put in the place of their calls.
    inlined: BTreeSet<String>,
    /// The memory that the outermost loop around writes: where threads run it, some of it may be written meanwhile.
    written: BTreeSet<String>,
}

/// A loop around: its variable, and what its iterations have of their own.
struct Around {
    var: String,
    own: BTreeSet<String>,
}

impl Choices<'_> {
    fn block(&mut self, body: &mut Vec<Stmt>, around: Option<&Around>) {
        let mut out = Vec::with_capacity(body.len());
        for mut s in body.drain(..) {
            match &mut s.what {
                What::For { var, body, .. } => {
                    if around.is_none() {
                        self.written = written(body);
                    }
                    let within = Around { var: var.clone(), own: own(body) };
                    self.block(body, Some(&within));
                }
                What::If { then, otherwise, .. } => {
                    self.block(then, around);
                    self.block(otherwise, around);
                }
                What::Block(body) => self.block(body, around),
                _ => {
                    if let Some(around) = around {
                        out.extend(self.loads(&mut s, around));
                    }
                }
            }
            out.push(s);
        }
        *body = out;
    }

    /// What the statement reads before, each cell under a name that takes its place.
    fn loads(&mut self, s: &mut Stmt, around: &Around) -> Vec<Stmt> {
        let value = match &s.what {
            What::Assign { value, .. } | What::Name { value, .. } => value,
            What::Declare { init: Some(value), .. } => value,
            _ => return vec![],
        };
        let mut cells = vec![];
        self.chosen(value, around, &mut cells);
        let mut names = BTreeMap::new();
        let mut out = vec![];
        for (cell, ty) in cells {
            let name = self.g.namer.name("chosen");
            names.insert(cell.to_string(), name.clone());
            let what = What::Name { ty: ty.to_owned(), name, value: cell };
            out.push(Stmt { what, origin: s.origin.clone() });
        }
        if !names.is_empty() {
            s.replace(&mut |e| match e {
                Expr::Index(..) => names.get(&e.to_string()).map(|name| Expr::name(name)),
                _ => None,
            });
        }
        out
    }

    /// The cells that are read where something is chosen by data of the iteration.
    fn chosen(&self, e: &Expr, around: &Around, out: &mut Vec<(Expr, &'static str)>) {
        let (condition, parts) = match e {
            Expr::Conditional(c, x, y) => (c, vec![&**x, &**y]),
            Expr::Binary("&&" | "||", a, b) => (a, vec![&**b]),
            _ => return e.children().into_iter().for_each(|e| self.chosen(e, around, out)),
        };
        self.chosen(condition, around, out);
        if around.decides(condition) && parts.iter().all(|e| e.calls_only(&self.inlined)) {
            parts.into_iter().for_each(|e| self.cells(e, condition, out));
        } else {
            parts.into_iter().for_each(|e| self.chosen(e, around, out));
        }
    }

    /// The cells that are read where the condition says so, but for those that it reads itself.
    fn cells(&self, e: &Expr, condition: &Expr, out: &mut Vec<(Expr, &'static str)>) {
        e.for_each(&mut |e| {
            let Expr::Index(_, i) = e else { return };
            let Some(ty) = self.g.existing.get(&e.to_string()) else { return };
            let is_free = memory(e).is_some_and(|x| !self.written.contains(x));
            let mut is_read = false;
            condition.for_each(&mut |other| is_read |= other == e);
            if is_free && !is_read && !reads(i) && !out.iter().any(|(other, _)| other == e) {
                out.push((e.clone(), ty));
            }
        });
    }
}

impl Around {
    /// Does the condition depend on what the iteration computed, or reads?
    fn decides(&self, condition: &Expr) -> bool {
        let mut decides = false;
        condition.for_each(&mut |e| {
            decides |= match e {
                Expr::Name(x) => self.own.contains(x),
                Expr::Index(_, i) => self.is_of_iteration(i),
                _ => false,
            }
        });
        decides
    }

    fn is_of_iteration(&self, i: &Expr) -> bool {
        let mut found = false;
        i.for_each(&mut |e| found |= matches!(e, Expr::Name(x) if *x == self.var));
        found
    }
}

fn reads(e: &Expr) -> bool {
    let mut reads = false;
    e.for_each(&mut |e| reads |= matches!(e, Expr::Index(..)));
    reads
}

/// The memory that statements write.
fn written(body: &[Stmt]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for s in body {
        if let What::Assign { to, .. } = &s.what {
            all.extend(memory(to).map(str::to_owned));
        }
        s.bodies().into_iter().for_each(|body| all.extend(written(body)));
    }
    all
}

/// What statements declare, but for the variables of loops.
fn own(body: &[Stmt]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for s in body {
        if let What::Declare { name, .. } | What::Name { name, .. } = &s.what {
            all.insert(name.clone());
        }
        s.bodies().into_iter().for_each(|body| all.extend(own(body)));
    }
    all
}
