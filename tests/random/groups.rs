//! Random compositions of what a work-group does: loops over its work-items and sequential ones, over whole rows or
//! elements, one after the other through local and global memory, each reading what others wrote in some order. They run
//! in a simulator that finds races and barriers that not all reach; drivers hide the former and get some of the latter wrong.

use super::check::{self, Fate, Ran};
use super::choices::Choices;
use crate::emit_common::simulator::simulate;
use crate::emit_common::{Case, parse};
use shine_tui::emit::compile;
use shine_tui::lang::eval::{self, Sizes};
use shine_tui::lang::infer::Program;
use shine_tui::lower::{Target, default_lowering};

/// What may be refused: what all work-items would write, races between groups, private memory that is shared, a barrier
/// where not all work-items come, and more work-items than work.
const REFUSALS: [&str; 6] = ["E0523", "E0524", "E0525", "E0528", "E0530", "E0531"];

/// What the programs share.
const WORDS: &str = "
def rev {n: nat} {t: data} (xs: n.t): n.t = gather (generate (\\i. natAsIndex n (n - 1 - indexAsNat i))) xs
def revTo {n: nat} {t: data} (xs: n.t): n.t = scatter (generate (\\i. natAsIndex n (n - 1 - indexAsNat i))) xs
def sum {n: nat} (xs: n.f32): f32 = reduceSeq (+) 0 xs
def plus (p: (f32 * f32)): f32 = fst p + snd p
";

/// The least numbers of rows and columns at which programs are tried, and the numbers that stand for them.
const TRIALS: [[i64; 3]; 2] = [[3, 4, 6], [1, 5, 7]];

/// The program that the choices make, in groups of some shape, fewer than there are matrices or more.
pub fn program(choices: &mut Choices) -> (Program, [Sizes; 2]) {
    let mut draw = Draw { choices, names: 0 };
    let body = draw.matrix("x".into(), 4, 6);
    let [x, y] = [draw.pick(&[4, 1, 2, 3, 8]), draw.pick(&[1, 2, 3])];
    let groups = draw.below(3) + 1;
    let whole = format!("oclRun {x} {y} 1 {} {y} 1 (a |> mapWorkGroup 0 (\\x. {body}))", x * groups);
    let program = parse(&format!("{WORDS}\ndef f (a: n.m.k.f32) =\n  {whole}"));
    (program, TRIALS.map(|[n, m, k]| eval::sizes([("n", n), ("m", m), ("k", k)])))
}

/// Runs the program at its trials, with sizes as parameters and as constants.
pub fn check(choices: &mut Choices, simulator: bool) -> Result<Fate, String> {
    let (program, all) = program(choices);
    check::each_trial(program, all, &REFUSALS, |program, trial, is_fixed| {
        let sizes = &trial.sizes;
        let made = default_lowering(program)
            .and_then(|lowered| compile(&lowered, Target::OpenCl, is_fixed.then_some(sizes)));
        let kernel = match made {
            Ok(done) => done.into_kernel(),
            Err(d) => return Ok(Ran::Refused(d)),
        };
        let items = |d: usize| kernel.global_size[d].eval(&|x: &str| sizes.get(x).copied());
        let mut global = [1; 3];
        for (d, n) in global.iter_mut().enumerate() {
            *n = items(d).ok().and_then(|n| u64::try_from(n).ok()).ok_or("a number of work-items")?;
        }
        let case = Case {
            program: program.clone(),
            sizes: sizes.clone(),
            inputs: trial.inputs.clone(),
            expected: trial.expected.clone(),
            kernel,
            global,
            label: String::new(),
        };
        if simulator {
            simulate(&case)?;
        }
        Ok(Ran::Agrees)
    })
}

struct Draw<'a> {
    choices: &'a mut Choices,
    names: usize,
}

impl Draw<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.choices.below(n as u32) as usize
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("y{}", self.names)
    }

    fn memory(&mut self) -> &'static str {
        self.pick(&["local", "local", "global"])
    }

    /// A matrix that is written, made of one that can be read and has at least so many rows and columns.
    fn matrix(&mut self, e: String, rows: usize, columns: usize) -> String {
        let (e, rows, columns) = match self.below(6) {
            0 => (format!("({e} |> rev)"), rows, columns),
            1 => (format!("({e} |> map rev)"), rows, columns),
            2 => (format!("({e} |> transpose)"), columns, rows),
            3 if rows > 2 => (format!("({e} |> drop 1)"), rows - 1, columns),
            _ => (e, rows, columns),
        };
        let f = self.pick(&["(\\v. v + 1)", "(\\v. v + v)", "(\\v. v)"]);
        let row = self.name();
        let (written, columns) = match self.below(7) {
            0 => (format!("{e} |> mapLocal 1 (mapLocal 0 {f})"), columns),
            1 => (format!("{e} |> mapLocal 0 (mapLocal 1 {f})"), columns),
            2 => (format!("{e} |> mapSeq (mapLocal 0 {f})"), columns),
            3 => (format!("{e} |> mapLocal 0 (mapSeq {f})"), columns),
            4 => {
                let (body, columns) = self.vector(row.clone(), columns, &[0]);
                (format!("{e} |> mapLocal 1 (\\{row}. {body})"), columns)
            }
            5 => {
                let (body, columns) = self.vector(row.clone(), columns, &[0, 1]);
                (format!("{e} |> mapSeq (\\{row}. {body})"), columns)
            }
            _ => (format!("{e} |> mapSeq (mapSeq {f})"), columns),
        };
        let (written, rows, columns) = match self.below(4) {
            0 => (format!("{written} |> transpose"), columns, rows),
            1 => (format!("{written} |> revTo"), rows, columns),
            _ => (written, rows, columns),
        };
        let (memory, t) = (self.memory(), self.name());
        let next = match self.below(6) {
            0 | 1 => return written,
            2 => {
                let row = self.name();
                format!("{t} |> mapLocal 0 (\\{row}. {row} |> sum)")
            }
            3 => {
                let order = self.pick(&["acc", "(rev acc)"]);
                let d = self.below(2);
                format!(
                    "{t} |> reduceSeq local (\\acc r. zip {order} r |> mapLocal {d} plus) (mapLocal {d} (\\v. v) (generate (\\i. 1))) |> mapLocal 0 (\\v. v)"
                )
            }
            _ => self.matrix(t.clone(), rows, columns),
        };
        format!("let (toMem {memory} ({written})) (\\{t}. {next})")
    }

    /// A vector that is written, of at least how many elements, in these dimensions of work-items.
    fn vector(&mut self, e: String, length: usize, dimensions: &[usize]) -> (String, usize) {
        let (e, length) = match self.below(5) {
            0 => (format!("({e} |> rev)"), length),
            1 if length > 3 => (format!("({e} |> drop 1)"), length - 1),
            _ => (e, length),
        };
        let d = self.pick(dimensions);
        let (written, length) = match self.below(6) {
            0 if length > 3 => (format!("{e} |> slide 3 1 |> mapLocal {d} sum"), length - 2),
            1 => (format!("{e} |> mapSeq (\\v. v + 2)"), length),
            2 => {
                let (memory, t) = (self.memory(), self.name());
                let f = self.pick(&["mapSeq (\\v. v)", "mapLocal 0 (\\v. v)"]);
                let text = format!(
                    "let (toMem {memory} ({e} |> {f})) (\\{t}. zip {t} (rev {t}) |> mapLocal {d} plus)"
                );
                (text, length)
            }
            3 => {
                let (memory, t) = (self.memory(), self.name());
                let text = format!(
                    "let (toMem {memory} ({e} |> mapLocal {d} (\\v. v))) (\\{t}. {e} |> mapLocal {d} (\\v. v + sum {t}))"
                );
                (text, length)
            }
            _ => (format!("{e} |> mapLocal {d} (\\v. v + 3)"), length),
        };
        let written = if self.below(5) == 0 { format!("{written} |> revTo") } else { written };
        if self.below(2) == 0 {
            return (written, length);
        }
        let (memory, t) = (self.memory(), self.name());
        let (next, length) = self.vector(t.clone(), length, dimensions);
        (format!("let (toMem {memory} ({written})) (\\{t}. {next})"), length)
    }
}
