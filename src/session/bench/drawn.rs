//! Inputs on which the program as written has a result: a check on others says nothing of its kernel. What is given is looked at,
//! and what is drawn is drawn in another way where there is none.

use super::checked::Checked;
use super::inputs::Inputs;
use crate::device::HostData;
use crate::lang::diag::Diagnostic;
use crate::lang::eval::Limits;
use crate::lang::eval::failure::{is_limit, is_of_inputs};
use crate::lang::eval::inputs::Kind;
use crate::lang::partial;
use crate::session::action::Sizes;
use std::sync::atomic::Ordering;

/// The interpreter takes no more steps to look whether there is a result: some seconds.
const STEPS: u64 = 30_000_000;

/// A way to draw inputs.
#[derive(Clone, Copy)]
pub struct Draw {
    pub kind: Kind,
    /// Which of those that are drawn so.
    pub turn: u64,
}

/// The ways to draw inputs, the usual one first. Of whole numbers that are few, small or no zeros, one is below a length or is a divisor.
pub const DRAWS: [Draw; 9] = [
    Draw { kind: Kind::Uniform, turn: 0 },
    Draw { kind: Kind::Uniform, turn: 1 },
    Draw { kind: Kind::Uniform, turn: 2 },
    Draw { kind: Kind::Between(0, 2), turn: 0 },
    Draw { kind: Kind::Between(1, 3), turn: 0 },
    Draw { kind: Kind::Between(2, 9), turn: 0 },
    Draw { kind: Kind::Between(50, 100), turn: 0 },
    Draw { kind: Kind::Between(1, 1), turn: 0 },
    Draw { kind: Kind::Between(0, 0), turn: 0 },
];

/// Inputs, and what is to be said of how they were found.
pub struct Drawn {
    pub inputs: Inputs,
    pub warning: Option<String>,
}

impl Checked<'_> {
    /// What is given, and the rest drawn such that the program as written has a result, as far as the interpreter is asked.
    ///
    /// # Errors
    /// There is no data of a parameter's type, or the program has no result on any that is drawn.
    pub(super) fn drawn(&self, given: &[Option<Vec<HostData>>]) -> Result<Drawn, Diagnostic> {
        let (term, sizes) = (self.asked.term, self.asked.sizes);
        let drawn = |draw: Draw| Inputs::drawn(given.to_vec(), term, sizes, draw);
        if !partial::depends_on_inputs(&self.asked.workspace.program.term) {
            let [usual, ..] = DRAWS;
            return Ok(Drawn { inputs: drawn(usual)?, warning: None });
        }
        let mut why = None;
        for draw in DRAWS {
            let inputs = drawn(draw)?;
            match self.has_result(&inputs, sizes) {
                Ok(_) => {
                    let warning = why.map(|why: Diagnostic| {
                        format!(
                            "On inputs as they are usually drawn the program has no result ({}), so others were drawn: {}.",
                            why.message.trim_end_matches('.'),
                            draw.in_words()
                        )
                    });
                    return Ok(Drawn { inputs, warning });
                }
                Err(problem) => why = why.or(Some(problem)),
            }
        }
        Err(none_found(why, sizes))
    }

    /// The inputs that are drawn, where they are not given nor drawn as usual.
    pub(super) fn drawn_unusually(&self) -> Result<Option<Drawn>, Diagnostic> {
        let term = &self.asked.workspace.program.term;
        if self.asked.inputs.is_some() || !partial::depends_on_inputs(term) {
            return Ok(None);
        }
        Ok(Some(self.drawn(&[])?).filter(|drawn| drawn.warning.is_some()))
    }

    /// Looks whether the program as written has a result on these inputs; false where that would take too long.
    ///
    /// # Errors
    /// It has none.
    pub(super) fn has_result(&self, inputs: &Inputs, sizes: &Sizes) -> Result<bool, Diagnostic> {
        let limits = Limits { steps: STEPS, cancel: Some(self.cancel), ..Limits::default() };
        match self.interpreted(&limits, &self.asked.workspace.program.term, inputs, sizes) {
            Ok(_) => Ok(true),
            Err(problem) if is_of_inputs(&problem) => Err(problem),
            Err(problem) if is_limit(&problem) && !self.cancel.load(Ordering::Relaxed) => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    /// Looks at inputs that are given as [`Self::has_result`]; what is to be said where that would take too long.
    pub(super) fn given_have_result(&self, inputs: &Inputs) -> Result<Option<String>, Diagnostic> {
        if !partial::depends_on_inputs(&self.asked.workspace.program.term) {
            return Ok(None);
        }
        match self.has_result(inputs, self.asked.sizes) {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some(
                "At these sizes it takes too long to look whether the program has a result on these inputs: whether each number \
                 that reads or writes in an array lies in it, `scatter` is given no place twice, no integer is divided by zero, and no \
                 number of `natType` becomes too large."
                    .to_owned(),
            )),
            Err(problem) if is_of_inputs(&problem) => {
                Err(problem.note("So it is with the inputs that are given, in the program as it is written."))
            }
            Err(problem) => Err(problem),
        }
    }
}

impl Draw {
    fn in_words(self) -> String {
        match self.kind {
            Kind::Between(least, most) if least == most => format!("every number is {least}"),
            Kind::Between(least, most) => format!("whole numbers from {least} to {most}"),
            _ => "as usual, from another seed".to_owned(),
        }
    }
}

/// No way of drawing leads to a result.
pub(super) fn none_found(why: Option<Diagnostic>, sizes: &Sizes) -> Diagnostic {
    let problem = why.unwrap_or_else(|| Diagnostic::error("E0190", "There are no inputs."));
    let at = super::checked::at(sizes);
    problem
        .note(format!(
            "This was met{at} on inputs that were drawn, and no other way to draw them gave such that the program as written has a \
             result. What a kernel computes on them proves nothing, so none was run."
        ))
        .hint("Give inputs on which it has one: `run` and `bench` take them with `--input NAME=FILE`.")
}
