//! What is computed in one of two cases: a `select` of which a side takes loops.

use super::{Env, Line, LineKind, Meaning, Reader};
use crate::decided::holds;
use crate::eval::Sizes;
use crate::pattern::Pattern;
use crate::preorder::At;
use crate::term::Prim;

/// `select condition yes no`.
pub(super) struct Choice<'t> {
    head: At<'t>,
    select: &'t Prim,
    condition: At<'t>,
    yes: At<'t>,
    no: At<'t>,
}

pub(super) fn choice(at: At<'_>) -> Option<Choice<'_>> {
    let (given, no) = at.app()?;
    let (given, yes) = given.app()?;
    let (head, condition) = given.app()?;
    let select = head.term.as_prim().filter(|p| p.pattern == Pattern::Select)?;
    Some(Choice { head, select, condition, yes, no })
}

impl<'t> Reader<'t> {
    /// A `select`. Where a side takes loops, each side is drawn below a line that says when it is computed; else it is a scalar
    /// like others, or an array that is read in part from both.
    pub(super) fn choose(&mut self, choice: Choice<'t>, at: At<'t>, env: &Env<'t>) -> Meaning<'t> {
        if let Some(holds) = holds(choice.condition.term, &Sizes::default()) {
            return self.eval(if holds { choice.yes } else { choice.no }, env);
        }
        let condition = self.eval(choice.condition, env);
        let header = match &condition {
            Meaning::Scalar(s) => format!("if {}:", s.value()),
            _ => "if ..:".to_owned(),
        };
        let (yes, drawn_yes) = self.aside(|r| r.eval(choice.yes, env));
        let (no, drawn_no) = self.aside(|r| r.eval(choice.no, env));
        let ty = at.term.ty();
        let is_apart = match (ty.has_array(), self.is_lowered) {
            // Each side writes the array itself; what it has only stored is read element by element from both.
            (true, true) => self.writes(&yes, &drawn_yes) && self.writes(&no, &drawn_no),
            (true, false) => true,
            (false, _) => !(drawn_yes.is_empty() && drawn_no.is_empty()),
        };
        if !is_apart {
            for line in drawn_yes.into_iter().chain(drawn_no) {
                self.drawn(Line { depth: line.depth.saturating_sub(1), ..line });
            }
            return self.pattern(choice.select, choice.head.term.ty(), vec![condition, yes, no], at.id);
        }
        let mut sides = vec![];
        for (value, drawn, part) in [(&yes, drawn_yes, choice.yes), (&no, drawn_no, choice.no)] {
            let ((), more) = self.aside(|r| r.compute(value, part.id));
            sides.push((
                drawn.into_iter().chain(more).collect::<Vec<_>>(),
                matches!(value, Meaning::Accumulated),
                part,
            ));
        }
        if sides.iter().any(|(lines, ..)| !lines.is_empty()) {
            for ((lines, stays, part), header) in sides.into_iter().zip([header, "else:".to_owned()]) {
                self.nest(LineKind::Choice, header, at.id, false, |r| match lines.is_empty() {
                    true if stays => {}
                    true => r.copy(ty, part.id),
                    false => lines.into_iter().for_each(|line| r.drawn(line)),
                });
            }
        }
        match (&yes, &no) {
            (Meaning::Accumulated, Meaning::Accumulated) => Meaning::Accumulated,
            _ => Meaning::Leaf,
        }
    }

    /// Is what is drawn of a side a loop that writes its result, or is that there already?
    fn writes(&self, value: &Meaning<'t>, drawn: &[Line]) -> bool {
        let is_loop = |line: &Line| matches!(line.kind, LineKind::Loop | LineKind::Choice);
        matches!(value, Meaning::Accumulated)
            || drawn.iter().any(|line| line.depth == self.depth + 1 && is_loop(line))
    }

    /// What is drawn one level deeper, without being part of the picture yet.
    fn aside<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> (T, Vec<Line>) {
        let before = self.lines.len();
        self.depth += 1;
        let value = draw(self);
        self.depth -= 1;
        (value, self.lines.split_off(before))
    }
}
