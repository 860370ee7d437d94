//! Marks: what a rule may change in floating-point results, written after its name, `rule r [reassociates] = …`.
//!
//! Floats are IEEE's. A rule without a mark keeps every result to the bit: NaN (any as good as another), infinities, the
//! sign of zero, rounding. What a mark admits is admitted for this rule alone, and said wherever the rule is shown.

use std::fmt;

/// One mark.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// Results may be rounded differently.
    Reassociates,
    /// Only where nothing is NaN or infinite.
    Finite,
    /// Zeros may have the other sign.
    UnsignedZeros,
}

impl Mark {
    pub const ALL: [Mark; 3] = [Mark::Reassociates, Mark::Finite, Mark::UnsignedZeros];

    pub fn name(self) -> &'static str {
        match self {
            Mark::Reassociates => "reassociates",
            Mark::Finite => "finite",
            Mark::UnsignedZeros => "unsignedZeros",
        }
    }

    pub fn from_name(name: &str) -> Option<Mark> {
        Mark::ALL.into_iter().find(|m| m.name() == name)
    }

    /// What may differ after the rule, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Mark::Reassociates => {
                "Floating-point results may be rounded differently, overflow or underflow where they did not, and have \
                 zeros of the other sign; over the rational numbers, and on integers, they are the same."
            }
            Mark::Finite => {
                "Results may differ where an operand or a result on the left side is NaN or infinite \
                 (as under -ffinite-math-only)."
            }
            Mark::UnsignedZeros => "Zeros may have the other sign (as under -fno-signed-zeros).",
        }
    }
}

/// The marks of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Marks {
    pub reassociates: bool,
    pub finite: bool,
    pub unsigned_zeros: bool,
}

impl Marks {
    pub const NONE: Marks = Marks { reassociates: false, finite: false, unsigned_zeros: false };
    pub const REASSOCIATES: Marks = Marks { reassociates: true, ..Marks::NONE };

    pub fn has(self, mark: Mark) -> bool {
        match mark {
            Mark::Reassociates => self.reassociates,
            Mark::Finite => self.finite,
            Mark::UnsignedZeros => self.unsigned_zeros,
        }
    }

    pub fn is_empty(self) -> bool {
        self == Marks::NONE
    }

    pub fn iter(self) -> impl Iterator<Item = Mark> {
        Mark::ALL.into_iter().filter(move |m| self.has(*m))
    }
}

impl FromIterator<Mark> for Marks {
    fn from_iter<I: IntoIterator<Item = Mark>>(marks: I) -> Marks {
        marks.into_iter().fold(Marks::NONE, |all, mark| match mark {
            Mark::Reassociates => Marks { reassociates: true, ..all },
            Mark::Finite => Marks { finite: true, ..all },
            Mark::UnsignedZeros => Marks { unsigned_zeros: true, ..all },
        })
    }
}

/// As they are written: `[reassociates, finite]`; nothing where there are none.
impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Mark::name).collect();
        if names.is_empty() { Ok(()) } else { write!(f, "[{}]", names.join(", ")) }
    }
}
