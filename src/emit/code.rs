//! From imperative DPIA to statements of C.
//!
//! In: a command whose views are resolved ([`crate::lower::imperative::views`]). Out: statements, with what they need around them.
//! Memory is flat and row-major; a value with pairs in it is kept as one array for each component, so that a pair
//! needs no record and every array has one scalar type.

use super::Language;
use super::interval::never_wraps;
use super::mathematics::{self, InLanes};
use super::names::Namer;
use super::nan::NeverNan;
use super::number::{Printer, Variable, Width};
use super::prefetch::{Ahead, rows_ahead};
use super::rotation::{UNROLLED, rotates};
use super::scalar;
use super::syntax::{Expr, Pragma, Stmt, What, aligned_type};
use super::vector::Loads;
use crate::lang::constraint::SizeConstraint;
use crate::lang::declared::Declared;
use crate::lang::diag::Diagnostic;
use crate::lang::literal::Literal;
use crate::lang::math;
use crate::lang::nat::{Name, Nat, NatVar, Ranges};
use crate::lang::origin::Origin;
use crate::lang::pattern::Pattern;
use crate::lang::ty::{Scalar, Type, TypeKind};
use crate::lang::value::half;
use crate::lower::dpia::{self, Barrier, Kind, Layout, Loop, LoopKind, Phrase, PhraseType, Workers, extent};
use crate::lower::imperative::views::is_table;
use crate::lower::target::Storage;
use num_traits::Signed;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A component of a value: an array of scalars, or a scalar when it has no dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The projections that lead to it: `false` is `fst`.
    pub path: Vec<bool>,
    pub dims: Vec<Nat>,
    /// A scalar, index or size type.
    pub elem: Type,
}

impl Leaf {
    /// The number of elements.
    pub fn len(&self) -> Nat {
        self.dims.iter().fold(Nat::constant(1), |n, d| n.mul(d))
    }
    /// Whether it is a single scalar.
    pub fn is_scalar(&self) -> bool {
        self.dims.is_empty()
    }
    /// The scalar type in memory.
    pub fn scalar(&self) -> Scalar {
        self.elem.in_memory().unwrap_or(Scalar::I32)
    }
    /// What the names of the components have behind the value's own.
    pub fn suffix(&self) -> String {
        self.path.iter().map(|second| if *second { "_snd" } else { "_fst" }).collect()
    }
}

/// The components of a data type, first components first.
pub fn leaves(ty: &Type) -> Vec<Leaf> {
    match ty.kind() {
        TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
            let mut out = leaves(t);
            out.iter_mut().for_each(|l| l.dims.insert(0, n.clone()));
            out
        }
        TypeKind::Pair(a, b) => {
            let part = |t: &Type, second: bool| {
                leaves(t).into_iter().map(move |mut l| {
                    l.path.insert(0, second);
                    l
                })
            };
            part(a, false).chain(part(b, true)).collect()
        }
        _ => vec![Leaf { path: vec![], dims: vec![], elem: ty.clone() }],
    }
}

/// A component in the generated text.
#[derive(Clone, Debug)]
pub struct Place {
    pub leaf: Leaf,
    pub name: String,
    /// Whether it is memory (or a variable of its own when it is a scalar).
    pub is_array: bool,
    pub lies: Lies,
    /// Whether it is kept as vectors of OpenCL.
    pub lanes: Option<Lanes>,
}

/// Where a parameter or temporary lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lies {
    /// Where it is declared; a scalar input is passed by value.
    Near,
    Input,
    Global,
    Local,
}

/// Local arrays of as many bytes or more begin at a multiple of so many.
pub const LOCAL_ALIGNMENT: i64 = 16;

/// C computes narrower integers as `int`, which has so many bytes.
const C_INT: usize = 4;

/// What is stored at once has at most so many bytes. gcc 12 stores half as many to arrays on the stack as if these began at a multiple
/// of that, and does not see to it that they do.
const WIDEST_STORE: i64 = 64;

impl Place {
    /// Is it a local array of which it is said where it begins?
    pub fn is_aligned_array(&self) -> bool {
        let bytes = self.leaf.len().mul(&Nat::constant(self.leaf.scalar().bytes() as i64)).as_constant();
        self.lies == Lies::Local && bytes.is_some_and(|bytes| bytes >= LOCAL_ALIGNMENT)
    }
}

/// What the lanes of a place that is kept as vectors are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// Its last dimension.
    Last,
    /// What each iteration of the loop over this variable has of its own.
    Of(Name),
}

/// Code while it is generated.
#[derive(Clone)]
pub struct Generator {
    pub language: Language,
    pub width: Width,
    pub namer: Namer,
    pub ranges: Ranges,
    /// The names of sizes and loop variables.
    numbers: BTreeMap<Name, Variable>,
    pub(super) places: BTreeMap<Name, Vec<Place>>,
    /// Loop variables that stand for a number: lanes that are written out.
    pub(super) fixed: BTreeMap<Name, Nat>,
    /// What the statement of vectors at hand loads.
    pub(super) loads: Loads,
    /// Memory that is not kept as vectors, because of what is done with its lanes.
    pub apart: BTreeSet<Name>,
    /// Of a size that is a multiple of a constant, the constant.
    multiples: BTreeMap<Name, i64>,
    /// Constant tables, at the start of the function.
    pub tables: Vec<Stmt>,
    table_names: Vec<(Phrase, String)>,
    /// Helper functions that are used.
    pub helpers: BTreeSet<Helper>,
    /// The headers and extensions that are used.
    pub uses: BTreeSet<Feature>,
    /// What loops ask for ahead, by their variables.
    ahead: BTreeMap<Name, Vec<Ahead>>,
    /// Whether the code runs within a loop over threads.
    in_threads: bool,
    /// Whether there are loops that threads share out.
    pub has_threads: bool,
    /// In C, what is set where a division has no result, if there is any that may have none.
    pub undefined: Option<String>,
    /// Memory that holds no NaN.
    pub(super) never_nan: NeverNan,
    /// Cells that stand in choices and exist whatever is chosen, as text, each with the type of its elements.
    pub(super) existing: BTreeMap<String, &'static str>,
    /// Whether what is printed stands in a choice.
    in_choice: bool,
    /// Where loops and memory come from.
    origins: Arc<BTreeMap<Name, Origin>>,
    /// Where the command at hand comes from.
    at: Origin,
}

/// Functions that a kernel brings along.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Helper {
    Allocate,
    FloorDiv,
    /// `/` or `%` of integers of a type, or of whole numbers, by what may be zero.
    Quotient(Pattern, Option<Scalar>),
    /// The operation on numbers of a type; a conversion is from another.
    Scalar(Pattern, Scalar, Option<Scalar>),
    /// The minimum or maximum of floats of which the first is no NaN, or the absolute value of an integer that has one.
    Eased(Pattern, Scalar),
    /// The operation on vectors of so many lanes.
    Lanes(Pattern, Scalar, u8),
    /// So many floats of the second type as integers of the first.
    Nearest(Scalar, Scalar, u8),
    /// The program's own function.
    Foreign(Declared),
}

impl Helper {
    /// `min_i32`, `cast_f32_u8`, `foreign_logistic`
    pub fn name(self) -> String {
        match self {
            Helper::Allocate => "allocate".into(),
            Helper::FloorDiv => "floor_div".into(),
            Helper::Quotient(p, s) => format!("{}_{}", p.name(), s.map_or("number", Scalar::name)),
            Helper::Scalar(p, s, None) => format!("{}_{}", p.name(), s.name()),
            Helper::Scalar(p, s, Some(from)) => format!("{}_{}_{}", p.name(), from.name(), s.name()),
            Helper::Eased(p, s) => {
                let known = if p == Pattern::Abs { "small" } else { "number" };
                format!("{}_{known}_{}", p.name(), s.name())
            }
            Helper::Lanes(p, s, n) => format!("{}_{}x{n}", p.name(), s.name()),
            Helper::Nearest(to, from, n) => format!("cast_{}_{}x{n}", from.name(), to.name()),
            Helper::Foreign(function) => format!("foreign_{}", function.name()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Feature {
    Math,
    /// A function of mathematics of numbers of this type that may be computed lane by lane.
    Lanes(InLanes, Scalar),
    StdBool,
    StdInt,
    Half,
    Double,
    Prefetch,
    /// Vectors as wide as registers.
    Wide,
}

pub(super) type Emitted<T> = Result<T, Diagnostic>;

pub(super) fn broken(what: &str) -> Diagnostic {
    Diagnostic::error("E0699", format!("Code generation met {what}."))
        .note("This is a mistake of the tool, not of the program.")
}

impl Generator {
    pub fn new(language: Language, width: Width, origins: Arc<BTreeMap<Name, Origin>>) -> Generator {
        Generator {
            language,
            width,
            namer: Namer::new(language),
            ranges: Ranges::default(),
            numbers: BTreeMap::new(),
            places: BTreeMap::new(),
            fixed: BTreeMap::new(),
            loads: Loads::default(),
            apart: BTreeSet::new(),
            multiples: BTreeMap::new(),
            tables: vec![],
            table_names: vec![],
            helpers: BTreeSet::new(),
            uses: BTreeSet::new(),
            ahead: BTreeMap::new(),
            in_threads: false,
            has_threads: false,
            undefined: None,
            never_nan: NeverNan::default(),
            existing: BTreeMap::new(),
            in_choice: false,
            origins,
            at: Origin::default(),
        }
    }

    /// Names a size.
    pub fn size(&mut self, name: &Name) -> String {
        let text = self.namer.name(name);
        self.numbers.insert(name.clone(), Variable { expr: Expr::Name(text.clone()), long: false });
        text
    }

    /// Names the components of a parameter or temporary; scalars that lie in memory are arrays of one element.
    pub fn place(&mut self, name: &Name, ty: &Type, lies: Lies) -> Vec<Place> {
        let in_memory = matches!(lies, Lies::Global | Lies::Local);
        let places: Vec<Place> = leaves(ty)
            .into_iter()
            .map(|leaf| {
                let text = self.namer.name(&format!("{name}{}", leaf.suffix()));
                Place { is_array: in_memory || !leaf.is_scalar(), name: text, leaf, lies, lanes: None }
            })
            .collect();
        self.places.insert(name.clone(), places.clone());
        places
    }

    pub fn scalar_type(&mut self, s: Scalar) -> &'static str {
        let c = self.language == Language::C;
        match s {
            Scalar::Bool if c => self.uses.insert(Feature::StdBool),
            Scalar::F16 => self.uses.insert(Feature::Half),
            Scalar::F64 => self.uses.insert(Feature::Double),
            Scalar::I32 | Scalar::F32 | Scalar::Bool => false,
            _ => self.uses.insert(Feature::StdInt),
        };
        match (s, c) {
            (Scalar::Bool, true) => "bool",
            // `bool` is no type of memory in OpenCL.
            (Scalar::Bool, false) => "uchar",
            (Scalar::I8, true) => "int8_t",
            (Scalar::I8, false) => "char",
            (Scalar::I16, true) => "int16_t",
            (Scalar::I16, false) => "short",
            (Scalar::I32, _) => "int",
            (Scalar::I64, true) => "int64_t",
            (Scalar::I64, false) => "long",
            (Scalar::U8, true) => "uint8_t",
            (Scalar::U8, false) => "uchar",
            (Scalar::U16, true) => "uint16_t",
            (Scalar::U16, false) => "ushort",
            (Scalar::U32, true) => "uint32_t",
            (Scalar::U32, false) => "uint",
            (Scalar::U64, true) => "uint64_t",
            (Scalar::U64, false) => "ulong",
            (Scalar::F16, true) => "_Float16",
            (Scalar::F16, false) => "half",
            (Scalar::F32, _) => "float",
            (Scalar::F64, _) => "double",
        }
    }

    /// Functions that compilers put in the place of their calls.
    pub(super) fn inlined(&self) -> BTreeSet<String> {
        let inlined = self.helpers.iter().filter(|h| matches!(h, Helper::Scalar(..) | Helper::Eased(..)));
        inlined.map(|h| h.name()).collect()
    }

    /// The names of sizes, and whether each is a `long`.
    pub fn size_widths(&self) -> BTreeMap<String, bool> {
        let named = |v: &Variable| if let Expr::Name(x) = &v.expr { Some((x.clone(), v.long)) } else { None };
        self.numbers.values().filter_map(named).collect()
    }

    pub fn number(&mut self, n: &Nat) -> Expr {
        self.number_with(n, &BTreeMap::new())
    }

    /// Knows from now on that these hold of sizes.
    pub fn assume(&mut self, constraints: &[SizeConstraint]) {
        for c in constraints {
            if let SizeConstraint::Divides(by, n) = c
                && let (Some(by), Some(NatVar::Named(x))) = (by.as_constant(), n.as_variable())
            {
                let known = self.multiples.entry(x.clone()).or_insert(1);
                *known = (*known).max(by);
            }
        }
    }

    /// The number divided by another, where that is surely whole.
    pub(super) fn whole_part(&self, n: &Nat, by: i64) -> Option<Nat> {
        let quotient = n.exact_div(&Nat::constant(by));
        let in_multiples = quotient.subst(&|v| match v {
            NatVar::Named(x) => Some(Nat::constant(*self.multiples.get(x)?).mul(&Nat::var(x))),
            _ => None,
        });
        in_multiples.is_evidently_integral().then_some(quotient)
    }

    /// The number with the lanes that are written out.
    pub(super) fn at_lane(&self, n: &Nat) -> Nat {
        n.subst(&|v| if let NatVar::Named(x) = v { self.fixed.get(x).cloned() } else { None })
    }

    pub(super) fn number_with(&mut self, n: &Nat, parts: &BTreeMap<Name, Variable>) -> Expr {
        let n = self.at_lane(n).simplify(&self.ranges);
        let variable = |v: &NatVar| {
            let known = match v {
                NatVar::Named(x) => parts.get(x).or_else(|| self.numbers.get(x)).cloned(),
                // Which one it is gets a name, of the type of loops; how many there are is a `size_t`.
                NatVar::Worker(w) => {
                    let long = w.end().is_none() || self.width == Width::Long;
                    Some(Variable { expr: Expr::Worker(*w), long })
                }
                NatVar::Meta(_) => None,
            };
            known.unwrap_or_else(|| Variable { expr: Expr::Name(v.to_string()), long: true })
        };
        let mut printer = Printer { ranges: &self.ranges, variable: &variable, rounds_down: false };
        let e = printer.number(&n);
        if printer.rounds_down {
            self.helpers.insert(Helper::FloorDiv);
        }
        let mut e = e;
        self.guard(&mut e, parts);
        e
    }

    /// A command as statements.
    pub fn command(&mut self, c: &Phrase) -> Emitted<Vec<Stmt>> {
        let mut out = vec![];
        self.statements(c, true, &mut out)?;
        Ok(out)
    }

    /// A statement of the command at hand.
    pub(super) fn stmt(&self, what: What) -> Stmt {
        Stmt { what, origin: self.at.clone() }
    }

    /// What is made for a command comes from where it comes from.
    pub(super) fn made_for<T>(&mut self, c: &Phrase, f: impl FnOnce(&mut Generator) -> T) -> T {
        let origin = dpia::origin_of(c, &self.origins);
        let around = std::mem::replace(&mut self.at, origin);
        let made = f(self);
        self.at = around;
        made
    }

    /// `last`: nothing follows in the block, so that allocations need no block of their own.
    fn statements(&mut self, c: &Phrase, last: bool, out: &mut Vec<Stmt>) -> Emitted<()> {
        if let Kind::Seq(cs) = c.kind() {
            let end = cs.len().saturating_sub(1);
            return cs.iter().enumerate().try_for_each(|(i, c)| self.statements(c, last && i == end, out));
        }
        self.made_for(c, |g| g.statement(c, last, out))
    }

    fn statement(&mut self, c: &Phrase, last: bool, out: &mut Vec<Stmt>) -> Emitted<()> {
        match c.kind() {
            Kind::Skip => Ok(()),
            Kind::Seq(_) => self.statements(c, last, out),
            Kind::Assign(to, value) => {
                let s = self.assignment(to, value)?;
                push_assignment(s, out);
                Ok(())
            }
            Kind::New(storage, ty, x, body) => {
                let mut block = if last { std::mem::take(out) } else { vec![] };
                let free = self.declare(*storage, ty, x, body, &mut block)?;
                self.statements(body, true, &mut block)?;
                block.extend(free);
                if last {
                    *out = block
                } else {
                    out.push(self.stmt(What::Block(block)))
                }
                Ok(())
            }
            Kind::Barrier(b) => {
                out.push(self.stmt(What::Barrier(barrier(b))));
                Ok(())
            }
            Kind::For(l) if self.language == Language::OpenCl && l.kind == LoopKind::Lanes => {
                self.lanes_statements(l, out)
            }
            Kind::For(l) => {
                let s = self.loop_around(l, |g| g.command(&l.body))?;
                out.push(s);
                Ok(())
            }
            Kind::If(c, a, b) => {
                let condition = self.value(c)?;
                let then = self.command(a)?;
                let otherwise = self.command(b)?;
                out.push(self.stmt(What::If { condition, then, otherwise }));
                Ok(())
            }
            _ => Err(broken("an expression where a command is needed")),
        }
    }

    /// Declares memory that a command uses; returns what frees it.
    fn declare(
        &mut self,
        storage: Storage,
        ty: &Type,
        x: &Name,
        body: &Phrase,
        out: &mut Vec<Stmt>,
    ) -> Emitted<Vec<Stmt>> {
        let mut free = vec![];
        let mut places = self.place(x, ty, Lies::Near);
        if self.language == Language::OpenCl && storage.is_near() {
            self.keep_as_vectors(&mut places, x, body, out);
        }
        for place in places.into_iter().filter(|place| place.lanes.is_none()) {
            let elem = self.scalar_type(place.leaf.scalar());
            let len = place.leaf.len();
            if !place.is_array {
                let what = What::Declare { ty: elem.into(), name: place.name, len: None, init: None };
                out.push(self.stmt(what));
                continue;
            }
            if storage == Storage::Heap {
                self.helpers.insert(Helper::Allocate);
                let size = Expr::Call("sizeof".into(), vec![Expr::Name(elem.into())]);
                let count = self.number(&len);
                let amount = Expr::binary("*", size, count);
                let init = Some(Expr::call("allocate", vec![amount]));
                let (ty, name) = (format!("{elem}* restrict"), place.name.clone());
                out.push(self.stmt(What::Declare { ty, name, len: None, init }));
                free.push(self.stmt(What::Expr(Expr::call("free", vec![Expr::Name(place.name)]))));
                continue;
            }
            match storage {
                Storage::Global | Storage::Parameter | Storage::Local => {
                    return Err(broken("shared memory that is allocated within a kernel"));
                }
                Storage::Asked(_) => return Err(broken("memory of which it is not decided where it is")),
                _ => {}
            }
            // What is not on the heap may be less than its most.
            let most = place.leaf.dims.iter().try_fold(1, |n: i64, d| n.checked_mul(d.most()?));
            let bytes = most.map(|n| n.saturating_mul(place.leaf.scalar().bytes() as i64));
            let aligned = self.language == Language::C && bytes.is_none_or(|bytes| bytes >= WIDEST_STORE / 2);
            let ty = if aligned { aligned_type(elem, WIDEST_STORE) } else { elem.into() };
            let len = Some(self.number(&most.map_or(len, Nat::constant)));
            out.push(self.stmt(What::Declare { ty, name: place.name, len, init: None }));
        }
        free.reverse();
        Ok(free)
    }

    /// Memory of a work-group, at the start of a kernel. Compilers load and store several of its elements at once where they
    /// know that it begins where vectors may.
    pub fn local_array(&mut self, memory: &Name, place: &Place) -> Stmt {
        let aligned = match place.is_aligned_array() {
            true => format!("__attribute__((aligned({LOCAL_ALIGNMENT}))) "),
            false => String::new(),
        };
        let ty = format!("local {aligned}{}", self.scalar_type(place.leaf.scalar()));
        let len = Some(self.number(&place.leaf.len()));
        let origin = self.origins.get(memory).cloned().unwrap_or_default();
        Stmt { what: What::Declare { ty, name: place.name.clone(), len, init: None }, origin }
    }

    /// The loop, with what is made of its body.
    pub(super) fn loop_around<E: From<Diagnostic>>(
        &mut self,
        l: &Loop,
        body: impl FnOnce(&mut Generator) -> Result<Vec<Stmt>, E>,
    ) -> Result<Stmt, E> {
        let var = self.namer.name(&l.var);
        let (init, end, step) = (self.number(&l.init), self.number(&l.n), self.number(&l.step));
        let variable = Variable { expr: Expr::Name(var.clone()), long: self.width == Width::Long };
        self.numbers.insert(l.var.clone(), variable);
        self.ranges.insert(l.var.clone(), Nat::constant(0), l.n.clone());
        // Threads are shared out once, over the outermost loop that asks for them.
        let is_first = l.kind == LoopKind::Parallel(Workers::Threads) && !self.in_threads;
        let threads = if is_first { self.threads(l) } else { None };
        self.in_threads |= is_first;
        self.plan_ahead(l);
        let mut ahead = self.asked_ahead(l);
        let body = body(self);
        self.in_threads &= !is_first;
        self.ranges.remove(&l.var);
        ahead.extend(body?);
        let body = ahead;
        let pragma = match (self.language, l.kind) {
            (Language::C, LoopKind::Parallel(Workers::Threads)) => threads.map(Pragma::Threads),
            (Language::C, LoopKind::Lanes) => {
                self.note_wide(l, &body);
                Some(Pragma::Text("omp simd"))
            }
            (Language::OpenCl, LoopKind::Sequential) if rotates(&body, &|name| self.is_near(name)) => {
                Some(Pragma::Text(UNROLLED))
            }
            _ => None,
        };
        let ty = self.width.name().into();
        Ok(self.stmt(What::For { pragma, ty, var, init, end, step, body }))
    }

    /// Decides what the loops in a loop over rows ask for ahead.
    fn plan_ahead(&mut self, l: &Loop) {
        if self.language != Language::C {
            return;
        }
        // Offsets of a row ahead of the last one must be numbers of the type of offsets, too.
        let has_room = |place: &Place| {
            self.width == Width::Long || place.leaf.len().as_constant().is_some_and(|len| len < 1 << 30)
        };
        let is_input = |name: &Name| {
            let places = self.places.get(name).into_iter().flatten();
            places.clone().count() > 0
                && places.into_iter().all(|p| p.is_array && p.lies == Lies::Input && has_room(p))
        };
        for (var, ahead) in rows_ahead(l, &is_input) {
            self.ahead.entry(var).or_default().push(ahead);
        }
    }

    /// What the loop asks for ahead.
    fn asked_ahead(&mut self, l: &Loop) -> Vec<Stmt> {
        let asked = self.ahead.remove(&l.var).unwrap_or_default();
        let mut statements = vec![];
        for Ahead { memory, component, offset, step } in asked {
            let place = self.places.get(&memory).and_then(|ps| ps.iter().find(|p| p.leaf.path == component));
            let Some(place) = place.map(|p| Expr::Name(p.name.clone())) else { continue };
            let cell = Expr::Unary("&", Box::new(place.index(self.number(&offset))));
            let next = Expr::binary("+", cell, self.number(&step));
            self.uses.insert(Feature::Prefetch);
            statements.push(self.stmt(What::Expr(Expr::call("__builtin_prefetch", vec![next]))));
        }
        statements
    }

    /// Is it memory of a work-item's own?
    fn is_near(&self, name: &str) -> bool {
        self.places.values().flatten().any(|place| place.lies == Lies::Near && place.name == name)
    }

    fn assignment(&mut self, to: &Phrase, value: &Phrase) -> Emitted<Stmt> {
        if let Kind::Pattern(Pattern::Cast, _, ps) = value.kind()
            && let [e] = ps.as_slice()
            && e.data().as_scalar().is_some_and(Scalar::is_float)
            && let Some((name, offset)) = self.given_half(to)?
        {
            let e = self.value(e)?;
            return Ok(self.stmt(What::Expr(Expr::call("vstore_half", vec![e, offset, name]))));
        }
        let target = self.cell(to)?;
        if let Kind::Pattern(p, _, ps) = value.kind()
            && let [a, b] = ps.as_slice()
            && value.data().in_memory().is_some_and(|s| s.is_float() || scalar::wraps(s))
        {
            let op = match p {
                Pattern::Add => Some("+="),
                Pattern::Mul => Some("*="),
                Pattern::Sub => Some("-="),
                Pattern::Div => Some("/="),
                _ => None,
            };
            let commutes = matches!(p, Pattern::Add | Pattern::Mul);
            if let Some(op) = op {
                for (old, change) in [(a, b), (b, a)] {
                    if (std::ptr::eq(old, a) || commutes) && self.is_cell(old) && self.cell(old)? == target {
                        let value = self.value(change)?;
                        return Ok(self.stmt(What::Assign { to: target, op, value }));
                    }
                }
            }
        }
        let value = self.value(value)?;
        Ok(self.stmt(What::Assign { to: target, op: "=", value }))
    }

    /// A half in memory that an OpenCL kernel is given, which reads and writes it as a number of another type without having
    /// halves itself.
    fn given_half(&mut self, e: &Phrase) -> Emitted<Option<(Expr, Expr)>> {
        if !self.is_given_half(e)? {
            return Ok(None);
        }
        let (place, indices) = self.place_of(e)?;
        let offset = self.offset(&indices, &place.leaf.dims)?;
        Ok(Some((Expr::Name(place.name), offset)))
    }

    pub(super) fn is_given_half(&self, e: &Phrase) -> Emitted<bool> {
        let is_half = self.language == Language::OpenCl && e.data().as_scalar() == Some(Scalar::F16);
        if !is_half || !(self.is_cell(e) || matches!(e.kind(), Kind::Acceptor(..) | Kind::Var(_))) {
            return Ok(false);
        }
        let (place, _) = self.place_of(e)?;
        Ok(place.is_array && matches!(place.lies, Lies::Global | Lies::Input))
    }

    pub(super) fn is_cell(&self, e: &Phrase) -> bool {
        match e.kind() {
            Kind::Var(_) => true,
            Kind::Pattern(Pattern::Idx | Pattern::Fst | Pattern::Snd, _, ps) => {
                ps.last().is_some_and(|x| self.is_cell(x))
            }
            _ => false,
        }
    }

    /// A cell of memory, from an expression or an acceptor.
    pub(super) fn cell(&mut self, e: &Phrase) -> Emitted<Expr> {
        let (place, mut indices) = self.place_of(e)?;
        if place.leaf.scalar() == Scalar::F16 {
            self.uses.insert(Feature::Half);
        }
        let lane = match &place.lanes {
            None => None,
            Some(Lanes::Of(x)) => Some(self.at_lane(&Nat::var(x)).as_constant()),
            Some(Lanes::Last) => match indices.pop() {
                Some(i) => Some(i.as_number().and_then(|(n, _)| self.at_lane(&n).as_constant())),
                None => return Err(broken("a vector without its lane")),
            },
        };
        if lane == Some(None) {
            // Which lane it is turns out when the kernel runs: the code is made again, with scalars.
            let _ = self.take_apart(e);
        }
        let exists =
            self.language == Language::C && self.in_choice && self.exists(&indices, &place.leaf.dims);
        let elem = place.leaf.scalar();
        let whole = match place.is_array {
            true => {
                let offset = self.offset(&indices, &place.leaf.dims)?;
                Expr::Name(place.name).index(offset)
            }
            false => Expr::Name(place.name),
        };
        if exists {
            let elem = self.scalar_type(elem);
            self.existing.insert(whole.to_string(), elem);
        }
        Ok(match lane.flatten() {
            None => whole,
            Some(k) => Expr::Member(Box::new(whole), format!("s{k:x}")),
        })
    }

    /// Are these surely indices of an array of these dimensions, none of which depends on data?
    fn exists(&self, indices: &[&Phrase], dims: &[Nat]) -> bool {
        indices.iter().zip(dims).all(|(i, n)| {
            let known = i.as_number().filter(|(_, parts)| parts.is_empty());
            known.is_some_and(|(i, _)| i.is_natural(&self.ranges) && i.is_less(n, &self.ranges) == Some(true))
        })
    }

    /// The component that an expression or an acceptor is a cell of, with the indices.
    pub(super) fn place_of<'p>(&self, e: &'p Phrase) -> Emitted<(Place, Vec<&'p Phrase>)> {
        let mut path = vec![];
        let mut indices = vec![];
        let mut e = e;
        let name = loop {
            match e.kind() {
                Kind::Var(x) => break x,
                Kind::Pattern(Pattern::Idx, _, ps) | Kind::Acceptor(Layout::Index, ps) if ps.len() == 2 => {
                    indices.push(&ps[0]);
                    e = &ps[1];
                }
                Kind::Pattern(Pattern::Fst, _, ps) | Kind::Acceptor(Layout::First, ps) if ps.len() == 1 => {
                    path.push(false);
                    e = &ps[0];
                }
                Kind::Pattern(Pattern::Snd, _, ps) | Kind::Acceptor(Layout::Second, ps) if ps.len() == 1 => {
                    path.push(true);
                    e = &ps[0];
                }
                _ => return Err(broken("a view that is not resolved")),
            }
        };
        path.reverse();
        indices.reverse();
        let place = self.places.get(name).and_then(|ps| ps.iter().find(|p| p.leaf.path == path)).cloned();
        let Some(place) = place else { return Err(broken(&format!("the unknown memory `{name}`"))) };
        if indices.len() != place.leaf.dims.len() {
            return Err(broken(&format!("{} indices for `{name}`", indices.len())));
        }
        Ok((place, indices))
    }

    /// The row-major offset of indices.
    pub(super) fn offset(&mut self, indices: &[&Phrase], dims: &[Nat]) -> Emitted<Expr> {
        let mut parts = BTreeMap::new();
        let offset = self.offset_number(indices, dims, &mut parts)?;
        let e = self.number_with(&offset, &parts);
        self.forget(&parts);
        Ok(e)
    }

    /// The same as a number; the ranges of its parts are known until they are forgotten.
    pub(super) fn offset_number(
        &mut self,
        indices: &[&Phrase],
        dims: &[Nat],
        parts: &mut BTreeMap<Name, Variable>,
    ) -> Emitted<Nat> {
        let mut offset = Nat::constant(0);
        for (i, n) in indices.iter().zip(dims) {
            let index = self.index(i, parts)?;
            // What is an index as it is lies below the number of elements.
            if let Some(NatVar::Named(x)) = index.as_variable()
                && parts.contains_key(x)
            {
                self.ranges.insert(x.clone(), Nat::constant(0), n.clone());
            }
            offset = offset.mul(n).add(&index);
        }
        Ok(offset)
    }

    pub(super) fn forget(&mut self, parts: &BTreeMap<Name, Variable>) {
        parts.keys().for_each(|x| self.ranges.remove(x));
    }

    /// An index with its computed parts, whose ranges are known until the number is printed.
    fn index(&mut self, i: &Phrase, parts: &mut BTreeMap<Name, Variable>) -> Emitted<Nat> {
        let Some((nat, named)) = i.as_number() else { return Err(broken("an index that is no number")) };
        for (x, e) in named {
            let bound = e.data().as_index().cloned();
            // A plain number may be any of 64 bits.
            let (low, high) = match &bound {
                Some(n) => (Nat::constant(0), n.clone()),
                None => (Nat::constant(i64::MIN), Nat::constant(i64::MAX)),
            };
            self.ranges.insert(x.clone(), low, high);
            // What is selected may be a sum of `int`.
            let long = bound.is_none() && !matches!(e.kind(), Kind::Pattern(Pattern::Select, ..));
            parts.insert(x, Variable { expr: self.value(&e)?, long });
        }
        Ok(nat)
    }

    /// A scalar value.
    pub fn value(&mut self, e: &Phrase) -> Emitted<Expr> {
        match e.kind() {
            Kind::Lit(l) => Ok(self.literal(l)),
            Kind::Number(..) => {
                let mut parts = BTreeMap::new();
                let n = self.index(e, &mut parts)?;
                let text = self.number_with(&n, &parts);
                self.forget(&parts);
                Ok(text)
            }
            Kind::Pattern(Pattern::Idx, ..) if self.table(e).is_some() => self.table_cell(e),
            _ if self.is_cell(e) => self.cell(e),
            Kind::Pattern(Pattern::Lt, _, ps) if let Some((a, b)) = compared(ps) => {
                Ok(Expr::binary("<", self.number(&a), self.number(&b)))
            }
            Kind::Pattern(Pattern::Select, _, ps) if let Some((symbol, a, b)) = both_or_either(ps) => {
                Ok(Expr::binary(symbol, self.value(a)?, self.chosen_value(b)?))
            }
            Kind::Pattern(Pattern::Cast, _, ps)
                if let [half] = ps.as_slice()
                    && let Some(to) = e.data().as_scalar().filter(|s| s.is_float() && *s != Scalar::F16)
                    && let Some((name, offset)) = self.given_half(half)? =>
            {
                let load = Expr::call("vload_half", vec![offset, name]);
                Ok(if to == Scalar::F32 { load } else { load.cast(self.scalar_type(to)) })
            }
            Kind::Pattern(Pattern::Select, _, ps) if let [condition, then, otherwise] = ps.as_slice() => {
                let condition = self.value(condition)?;
                let (then, otherwise) = (self.chosen_value(then)?, self.chosen_value(otherwise)?);
                Ok(Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)))
            }
            Kind::Pattern(p, _, ps) => {
                let operands = ps.iter().map(|q| self.value(q)).collect::<Emitted<Vec<_>>>()?;
                self.operation(*p, e, ps, operands)
            }
            _ => Err(broken("an expression that has no code")),
        }
    }

    /// A value that is computed where it is chosen.
    fn chosen_value(&mut self, e: &Phrase) -> Emitted<Expr> {
        let around = std::mem::replace(&mut self.in_choice, true);
        let value = self.value(e);
        self.in_choice = around;
        value
    }

    /// The literal array that an element is taken of.
    fn table(&self, e: &Phrase) -> Option<Phrase> {
        match e.kind() {
            Kind::Pattern(Pattern::Idx, _, ps) => self.table(ps.get(1)?),
            Kind::Pattern(Pattern::MakeArray, ..) if is_table(e) => Some(e.clone()),
            _ => None,
        }
    }

    fn table_cell(&mut self, e: &Phrase) -> Emitted<Expr> {
        let Some(table) = self.table(e) else { return Err(broken("a table that is none")) };
        let mut indices = vec![];
        let mut at = e;
        while let Kind::Pattern(Pattern::Idx, _, ps) = at.kind() {
            if let [i, x] = ps.as_slice() {
                indices.push(i);
                at = x;
            } else {
                break;
            }
        }
        indices.reverse();
        let known = self.table_names.iter().find(|(t, _)| *t == table).map(|(_, n)| n.clone());
        let name = match known {
            Some(n) => {
                // Equal tables of the program are one, which comes from all of them.
                let mut stmts = self.tables.iter_mut();
                let same = |s: &&mut Stmt| matches!(&s.what, What::Table { name, .. } if *name == n);
                if let Some(stmt) = stmts.find(same) {
                    stmt.origin = stmt.origin.with(&table.origins());
                }
                n
            }
            None => {
                let name = self.namer.name("table");
                let mut values = vec![];
                self.flatten(&table, &mut values)?;
                let elem = leaves(&table.data()).first().map_or(Scalar::F32, Leaf::scalar);
                let ty = self.scalar_type(elem);
                let ty = if self.language == Language::C {
                    format!("static const {ty}")
                } else {
                    format!("const {ty}")
                };
                let origin = table.origins();
                self.tables.push(Stmt { what: What::Table { ty, name: name.clone(), values }, origin });
                self.table_names.push((table.clone(), name.clone()));
                name
            }
        };
        let dims = leaves(&table.data()).first().map(|l| l.dims.clone()).unwrap_or_default();
        let offset = self.offset(&indices, &dims)?;
        Ok(Expr::Name(name).index(offset))
    }

    fn flatten(&mut self, table: &Phrase, out: &mut Vec<Expr>) -> Emitted<()> {
        match table.kind() {
            Kind::Pattern(Pattern::MakeArray, _, ps) => ps.iter().try_for_each(|p| self.flatten(p, out)),
            _ => {
                out.push(self.value(table)?);
                Ok(())
            }
        }
    }

    pub(super) fn literal(&mut self, l: &Literal) -> Expr {
        match l {
            Literal::Bool(b) => {
                if self.language == Language::C {
                    self.uses.insert(Feature::StdBool);
                }
                Expr::Text(b.to_string())
            }
            Literal::Int(v, s) => {
                let suffix = match s {
                    Scalar::U32 => "u",
                    Scalar::I64 => "L",
                    Scalar::U64 => "UL",
                    _ => "",
                };
                // The least integers have no literal: their absolute value has no type.
                match (*v, s) {
                    (v, Scalar::I32) if v == i128::from(i32::MIN) => {
                        Expr::binary("-", Expr::int(i128::from(i32::MIN) + 1), Expr::int(1))
                    }
                    (v, Scalar::I64) if v == i128::from(i64::MIN) => {
                        Expr::binary("-", Expr::int(format!("{}L", i64::MIN + 1)), Expr::int(1))
                    }
                    (v, _) => Expr::int(format!("{v}{suffix}")),
                }
            }
            Literal::Float(bits, s) => {
                let mut v = f64::from_bits(*bits);
                // What a cast from `float` makes of the number may be another half.
                let nearest = half::round_f64(v);
                if *s == Scalar::F16 && (half::round(v as f32) != nearest || !nearest.is_finite()) {
                    v = f64::from(nearest);
                }
                if !v.is_finite() {
                    if self.language == Language::C {
                        self.uses.insert(Feature::Math);
                    }
                    let text = Expr::name(if v.is_nan() { "NAN" } else { "INFINITY" });
                    return if v < 0.0 { Expr::Unary("-", Box::new(text)) } else { text };
                }
                match s {
                    Scalar::F64 => {
                        self.uses.insert(Feature::Double);
                        Expr::int(format!("{v:?}"))
                    }
                    Scalar::F16 => {
                        let ty = self.scalar_type(Scalar::F16);
                        Expr::int(format!("{:?}f", v as f32)).cast(ty)
                    }
                    _ => Expr::int(format!("{:?}f", v as f32)),
                }
            }
            Literal::Index(n, _) | Literal::Nat(n) => self.number(n),
        }
    }

    fn operation(&mut self, p: Pattern, e: &Phrase, ps: &[Phrase], operands: Vec<Expr>) -> Emitted<Expr> {
        let result = e.data();
        let ty = ps.first().map_or_else(|| result.clone(), Phrase::data);
        let scalar = ty.in_memory();
        let is_number = result == Type::nat_type();
        let missing = || broken(&format!("`{p}` without its arguments"));
        if let (Some(symbol), Some(s)) = (scalar::ring(p), result.in_memory())
            && !s.is_float()
            && !scalar::wraps(s)
            && !(s.bytes() >= C_INT && never_wraps(p, ps, s))
        {
            return Ok(self.wrapping(symbol, s, operands));
        }
        let is_float = scalar.is_some_and(Scalar::is_float);
        let mut operands = operands.into_iter();
        let mut next = || operands.next().ok_or_else(missing);
        let symbol = match p {
            Pattern::Add => "+",
            Pattern::Sub => "-",
            Pattern::Mul => "*",
            Pattern::Div => "/",
            Pattern::Mod => "%",
            p if p.is_comparison() => p.operator().unwrap_or_default(),
            Pattern::BitAnd => "&",
            Pattern::BitOr => "|",
            Pattern::BitXor => "^",
            _ => "",
        };
        Ok(match p {
            Pattern::Mod if is_float => {
                let args = vec![next()?, next()?];
                self.math("fmod", scalar, args)
            }
            Pattern::Div | Pattern::Mod if is_number => self.quotient(p, None, next()?, next()?),
            Pattern::Div | Pattern::Mod if !scalar::is_divisible(&result, ps.get(1)) => {
                self.quotient(p, scalar, next()?, next()?)
            }
            // Compilers may go on with more digits than halves have, where no cast takes them off.
            _ if !symbol.is_empty()
                && self.language == Language::C
                && result.in_memory() == Some(Scalar::F16) =>
            {
                Expr::binary(symbol, next()?, next()?).cast(self.scalar_type(Scalar::F16))
            }
            _ if !symbol.is_empty() => Expr::binary(symbol, next()?, next()?),
            Pattern::ShiftLeft | Pattern::ShiftRight => {
                let (a, count) = (next()?, next()?);
                self.shift(p, scalar.unwrap_or(Scalar::I32), a, count)
            }
            Pattern::BitNot => self.complement(scalar.unwrap_or(Scalar::I32), next()?),
            Pattern::Neg => Expr::Unary("-", Box::new(next()?)),
            Pattern::Not => Expr::Unary("!", Box::new(next()?)),
            Pattern::IndexAsNat | Pattern::NatAsIndex => next()?,
            Pattern::Cast => {
                let e = next()?;
                let to = result.in_memory().unwrap_or(Scalar::I32);
                match (to, scalar) {
                    // A cast to the byte that holds a truth value would cut off digits.
                    (Scalar::Bool, _) if self.language == Language::OpenCl => {
                        Expr::binary("!=", e, Expr::int(0))
                    }
                    (Scalar::Bool, _) => e.cast(self.scalar_type(to)),
                    (_, Some(from)) if from.is_float() && !to.is_float() => {
                        self.helper(Helper::Scalar(p, to, Some(from)), vec![e])
                    }
                    _ => e.cast(self.scalar_type(to)),
                }
            }
            p if let Some(row) = math::of(p) => {
                let mut args = vec![next()?];
                if math::is_binary(p) {
                    args.push(next()?);
                }
                self.math(row.c_name, scalar, args)
            }
            Pattern::Declared(function) if function.foreign().is_some() => {
                let mut args = vec![];
                for _ in ps {
                    args.push(next()?);
                }
                self.helper(Helper::Foreign(function), args)
            }
            Pattern::Abs if is_float => {
                let args = vec![next()?];
                self.math("fabs", scalar, args)
            }
            Pattern::Abs if scalar.is_some_and(|s| !s.is_signed_integer()) => next()?,
            Pattern::Abs | Pattern::Min | Pattern::Max => {
                let mut args = vec![next()?];
                if p != Pattern::Abs {
                    args.push(next()?);
                }
                self.of_type(p, scalar.unwrap_or(Scalar::I32), ps, args)
            }
            _ => return Err(broken(&format!("`{p}`, which is no operation of scalars"))),
        })
    }

    /// A call of a function of floats.
    pub(super) fn math(&mut self, f: &str, s: Option<Scalar>, args: Vec<Expr>) -> Expr {
        if self.language == Language::OpenCl {
            return Expr::call(f, args);
        }
        self.uses.insert(Feature::Math);
        let width = if s == Some(Scalar::F64) { Scalar::F64 } else { Scalar::F32 };
        self.uses.extend(mathematics::in_lanes(f, width));
        match s {
            Some(Scalar::F64) => Expr::call(f, args),
            // C has none for halves, and with a float what follows would not be rounded to a half.
            Some(Scalar::F16) => Expr::Call(format!("{f}f"), args).cast(self.scalar_type(Scalar::F16)),
            _ => Expr::Call(format!("{f}f"), args),
        }
    }
}

fn barrier(b: &Barrier) -> Expr {
    let fence = |used: bool, name: &str| used.then(|| Expr::name(name));
    let both = [fence(b.is_local(), "CLK_LOCAL_MEM_FENCE"), fence(b.is_global(), "CLK_GLOBAL_MEM_FENCE")];
    let flags = both.into_iter().flatten().reduce(|a, b| Expr::binary("|", a, b));
    Expr::call("barrier", flags.into_iter().collect())
}

/// A choice that says that both of two conditions hold, or either.
fn both_or_either(choice: &[Phrase]) -> Option<(&'static str, &Phrase, &Phrase)> {
    let [condition, then, otherwise] = choice else { return None };
    match (then.kind(), otherwise.kind()) {
        (Kind::Lit(Literal::Bool(_)), Kind::Lit(Literal::Bool(_))) => None,
        (Kind::Lit(Literal::Bool(true)), _) => Some(("||", condition, otherwise)),
        (_, Kind::Lit(Literal::Bool(false))) => Some(("&&", condition, then)),
        _ => None,
    }
}

/// Two sizes or indices that are compared, with what is added to both left out.
fn compared(ps: &[Phrase]) -> Option<(Nat, Nat)> {
    let of = |p: &Phrase| p.as_number().filter(|(_, parts)| parts.is_empty()).map(|(n, _)| n);
    let [a, b] = ps else { return None };
    let (a, b) = (of(a)?, of(b)?);
    let added = |n: &Nat| n.terms().iter().find(|(m, c)| m.is_empty() && c.is_positive()).map(|(_, c)| *c);
    let both = Nat::rational(added(&a)?.min(added(&b)?));
    Some((a.sub(&both), b.sub(&both)))
}

/// The number of elements of all dimensions of a phrase's type together.
pub fn total(ty: &Type) -> Nat {
    leaves(ty).iter().fold(Nat::constant(0), |n, l| n.add(&l.len()))
}

/// Adds an assignment; the first one to a variable declares it.
pub(super) fn push_assignment(s: Stmt, out: &mut Vec<Stmt>) {
    if let What::Assign { to: Expr::Name(x), op: "=", value } = &s.what {
        let is_flat =
            |s: &&Stmt| matches!(s.what, What::Declare { .. } | What::Name { .. } | What::Assign { .. });
        let start = out.len() - out.iter().rev().take_while(is_flat).count();
        let declared = out[start..]
            .iter()
            .position(|s| matches!(&s.what, What::Declare { name, len: None, init: None, .. } if name == x));
        if let Some(k) = declared
            && let Stmt { what: What::Declare { ty, name, len, .. }, origin } = out.remove(start + k)
        {
            let what = What::Declare { ty, name, len, init: Some(value.clone()) };
            out.push(Stmt { what, origin: origin.with(&s.origin) });
            return;
        }
    }
    out.push(s);
}

/// The largest extent that `int` counts to in steps of as many work-items, which are no more than that.
pub const MOST_STRIDED: i64 = 1 << 30;

/// Does the command have loops over work-items, whose counters go beyond their ends by up to the number of work-items?
pub fn is_strided(c: &Phrase) -> bool {
    c.any(&mut |p| matches!(p.kind(), Kind::For(l) if l.step.as_constant().is_none()))
}

/// Whether every offset of every array in the command fits an `int`: because sizes are known and small enough, or
/// because no array has more elements than a size, which is an `int` itself. So do the counters of loops, which go
/// beyond their ends by a step.
pub fn width(c: &Phrase, params: &[(Name, Type)]) -> Width {
    let none = Ranges::default();
    let fits = |n: &Nat| {
        n.as_constant().is_some_and(|n| n <= i64::from(i32::MAX))
            || n.vars().into_iter().any(|v| Nat::variable(v).sub(n).is_natural(&none))
    };
    let small = |ty: &Type| leaves(ty).iter().all(|l| fits(&l.len()));
    let mut all = params.iter().all(|(_, t)| small(t));
    let _ = c.any(&mut |p| {
        all &= match p.kind() {
            Kind::New(_, t, _, _) => small(t),
            Kind::For(l) => match l.step.as_constant() {
                Some(step) => fits(&l.n.add(&Nat::constant(step - 1))),
                None => fits(&l.n) && l.n.as_constant().is_none_or(|n| n <= MOST_STRIDED),
            },
            _ => match p.ty() {
                PhraseType::Exp(t, _) | PhraseType::Acc(t) if t.as_array().is_some() => fits(&extent(t)),
                _ => true,
            },
        };
        !all
    });
    if all { Width::Int } else { Width::Long }
}
