//! The inputs that rules are tested on.
//!
//! A rule may be right on small whole numbers alone: one that rounds, or one that looks at a value, `select (x == 7) a b`.
//! So the inputs of an instance take turns: small whole numbers; among them what the rule itself mentions, what
//! is next to it, and halves; and any numbers at all.

use crate::lang::diag::Diagnostic;
use crate::lang::eval::Sizes;
use crate::lang::eval::inputs::{self, Kind, Rng};
use crate::lang::literal::Literal;
use crate::lang::ty::Type;
use crate::lang::value::Value;
use crate::rewrite::rule::Rule;
use crate::rewrite::rule::pat::{Pat, PatNode};

/// The largest number of a rule that is put among the inputs: products of larger ones are no longer exact.
const LARGEST: f64 = 1e6;

/// Draws inputs for one rule.
pub(super) struct Drawing {
    /// The numbers of the rule, and those next to them.
    mentioned: Vec<f64>,
    /// Floats may only be such that sums and products of them are exact.
    exact: bool,
}

impl Drawing {
    pub fn of(rule: &Rule) -> Drawing {
        let equations = rule.equations();
        let sides = equations.iter().map(|eq| &eq.sides).flat_map(|s| [&s.lhs, &s.rhs]);
        let mut mentioned: Vec<f64> = sides.flat_map(Pat::nodes).filter_map(number).collect();
        mentioned.retain(|v| v.abs() <= LARGEST);
        mentioned.sort_by(f64::total_cmp);
        mentioned.dedup();
        let mentioned = mentioned.into_iter().flat_map(|v| [v - 1.0, v, v + 1.0]).collect();
        Drawing { mentioned, exact: rule.reassociates }
    }

    /// The `i`-th inputs of an instance whose type and sizes these are.
    ///
    /// # Errors
    /// As [`inputs::for_program`].
    pub fn inputs(&self, i: u64, ty: &Type, sizes: &Sizes, seed: u64) -> Result<Vec<Value>, Diagnostic> {
        let kind = if i % 3 == 2 && !self.exact { Kind::Uniform } else { Kind::SmallIntegers };
        let mut values = inputs::for_program(ty, sizes, seed, kind)?;
        if i % 3 == 1 {
            let mut rng = Rng::new(seed ^ 0x5bd1_e995);
            values = values.iter().map(|v| self.sprinkled(v, &mut rng)).collect();
        }
        Ok(values)
    }

    /// The value with some of its numbers replaced.
    fn sprinkled(&self, v: &Value, rng: &mut Rng) -> Value {
        let one_in_three = |rng: &mut Rng| rng.below(3) == 0;
        match v {
            Value::Pair(p) => Value::pair(self.sprinkled(&p.0, rng), self.sprinkled(&p.1, rng)),
            Value::Array(cells) => Value::array(cells.iter().map(|c| self.sprinkled(c, rng)).collect()),
            Value::Vector(cells) => Value::vector(cells.iter().map(|c| self.sprinkled(c, rng)).collect()),
            Value::Int(_, scalar) => match self.pick(rng) {
                Some(n) if one_in_three(rng) => Value::int(n as i128, *scalar),
                _ => v.clone(),
            },
            Value::F32(x) if !self.exact && one_in_three(rng) => {
                Value::F32(self.pick(rng).map_or(x + 0.5, |n| n as f32))
            }
            Value::F64(x) if !self.exact && one_in_three(rng) => {
                Value::F64(self.pick(rng).unwrap_or(x + 0.5))
            }
            other => other.clone(),
        }
    }

    /// A number of the rule, or none for any other.
    fn pick(&self, rng: &mut Rng) -> Option<f64> {
        self.mentioned.get(rng.below(self.mentioned.len() as u64 + 1) as usize).copied()
    }
}

fn number(pat: &Pat) -> Option<f64> {
    match &pat.node {
        PatNode::Lit(Literal::Int(v, _)) => Some(*v as f64),
        PatNode::Lit(Literal::Float(bits, _)) => Some(f64::from_bits(*bits)).filter(|v| v.is_finite()),
        _ => None,
    }
}
