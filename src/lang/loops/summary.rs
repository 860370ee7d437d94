//! Scalar computations in brief: `.. += .. * ..`.

use crate::pattern::Pattern;
use std::rc::Rc;

/// What a scalar is computed from.
pub(super) enum Summary {
    /// Something that is there already.
    Leaf,
    /// The value that a reduction has so far.
    Accumulator,
    Constant(String),
    Apply {
        pattern: Pattern,
        operands: Vec<Rc<Summary>>,
        operations: u64,
    },
}

/// Longer computations are counted instead of shown.
const SHOWN: u64 = 6;

impl Summary {
    pub fn constant(text: String) -> Summary {
        Summary::Constant(text)
    }

    pub fn apply(pattern: Pattern, operands: Vec<Rc<Summary>>) -> Summary {
        let operations = operands.iter().fold(1u64, |n, o| n.saturating_add(o.operations()));
        Summary::Apply { pattern, operands, operations }
    }

    fn operations(&self) -> u64 {
        if let Summary::Apply { operations, .. } = self { *operations } else { 0 }
    }

    /// Is there an operation at all?
    pub fn computes(&self) -> bool {
        self.operations() > 0
    }

    pub fn text(&self) -> String {
        if self.operations() <= SHOWN
            && let Summary::Apply { pattern, operands, .. } = self
            && let (Some(op), [left, right]) = (pattern.operator(), operands.as_slice())
            && matches!(pattern, Pattern::Add | Pattern::Sub | Pattern::Mul | Pattern::Div)
        {
            let commutes = matches!(pattern, Pattern::Add | Pattern::Mul);
            if matches!(**left, Summary::Accumulator) {
                return format!(".. {op}= {}", right.inner(0));
            }
            if matches!(**right, Summary::Accumulator) && commutes {
                return format!(".. {op}= {}", left.inner(0));
            }
        }
        self.value()
    }

    /// The text of what is computed, whatever becomes of it.
    pub fn value(&self) -> String {
        if self.operations() > SHOWN {
            format!(".. ({} operations)", self.operations())
        } else {
            self.inner(0)
        }
    }

    /// The text in a place that asks for a tightness: 0 anything, then what is within `or`, `and`, a comparison, a sum,
    /// a product, and 6 an atom.
    fn inner(&self, place: u8) -> String {
        match self {
            Summary::Leaf | Summary::Accumulator => "..".into(),
            Summary::Constant(text) => text.clone(),
            Summary::Apply { pattern, operands, .. } => match (pattern.operator(), operands.as_slice()) {
                (Some(op), [left, right]) => {
                    let level = match pattern {
                        Pattern::Or => 1,
                        Pattern::And => 2,
                        p if p.is_comparison() => 3,
                        Pattern::Add | Pattern::Sub => 4,
                        _ => 5,
                    };
                    // A comparison does not compare comparisons.
                    let first = if level == 3 { 4 } else { level };
                    let text = format!("{} {op} {}", left.inner(first), right.inner(level + 1));
                    if level < place { format!("({text})") } else { text }
                }
                (None, [e]) if *pattern == Pattern::Neg => format!("-{}", e.inner(6)),
                _ => {
                    let operands: Vec<String> = operands.iter().map(|o| o.inner(0)).collect();
                    format!("{pattern}({})", operands.join(", "))
                }
            },
        }
    }
}
