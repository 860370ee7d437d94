//! When two results count as equal: wherever the reference is defined, the other must be defined and near enough.

use super::Value;

/// How near two floats must be. Everything else must be equal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// Equal as numbers, and zeros of one sign; NaN agrees with NaN, whatever its bits.
    Identical,
    /// Equal as numbers; NaN agrees with NaN.
    Exact,
    /// `|a - b| <= relative * max(|a|, |b|, floor)`: a relative error for numbers above `floor`, an absolute one below.
    Relative { relative: f64, floor: f64 },
}

/// The first place where two values differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// The indices of the place, outermost first; 0 and 1 select the components of a pair.
    pub at: Vec<usize>,
    pub reference: String,
    pub found: String,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place: Vec<String> = self.at.iter().map(usize::to_string).collect();
        write!(f, "at [{}] the reference has {} but this is {}", place.join(", "), self.reference, self.found)
    }
}

impl Value {
    /// Does `found` agree with this reference?
    ///
    /// # Errors
    /// The first place where it does not.
    pub fn agrees(&self, found: &Value, tolerance: Tolerance) -> Result<(), Disagreement> {
        go(self, found, tolerance, &mut vec![])
    }
}

fn go(a: &Value, b: &Value, tolerance: Tolerance, at: &mut Vec<usize>) -> Result<(), Disagreement> {
    let equal = match (a, b) {
        (Value::Undefined, _) => true,
        (Value::F16(x) | Value::F32(x), Value::F16(y) | Value::F32(y))
            if std::mem::discriminant(a) == std::mem::discriminant(b) =>
        {
            near((*x).into(), (*y).into(), tolerance)
        }
        (Value::F64(x), Value::F64(y)) => near(*x, *y, tolerance),
        (Value::Pair(p), Value::Pair(q)) => {
            for (i, (a, b)) in [(&p.0, &q.0), (&p.1, &q.1)].into_iter().enumerate() {
                at.push(i);
                go(a, b, tolerance, at)?;
                at.pop();
            }
            true
        }
        (Value::Array(p), Value::Array(q)) | (Value::Vector(p), Value::Vector(q)) if p.len() == q.len() => {
            for (i, (a, b)) in p.iter().zip(q.iter()).enumerate() {
                at.push(i);
                go(a, b, tolerance, at)?;
                at.pop();
            }
            true
        }
        (a, b) => a == b,
    };
    if equal {
        return Ok(());
    }
    Err(Disagreement { at: at.clone(), reference: a.to_string(), found: b.to_string() })
}

fn near(a: f64, b: f64, tolerance: Tolerance) -> bool {
    if a == b || (a.is_nan() && b.is_nan()) {
        return tolerance != Tolerance::Identical || a != 0.0 || a.is_sign_negative() == b.is_sign_negative();
    }
    match tolerance {
        _ if !a.is_finite() || !b.is_finite() => false,
        Tolerance::Identical | Tolerance::Exact => false,
        Tolerance::Relative { relative, floor } => {
            (a - b).abs() <= relative * a.abs().max(b.abs()).max(floor)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement() {
        let xs = |v: &[f32]| Value::array(v.iter().map(|x| Value::F32(*x)).collect());
        let close = Tolerance::Relative { relative: 1e-3, floor: 1.0 };
        assert!(xs(&[1.0, f32::NAN]).agrees(&xs(&[1.0, f32::NAN]), Tolerance::Exact).is_ok());
        assert!(xs(&[1.0]).agrees(&xs(&[1.0005]), close).is_ok());
        assert!(xs(&[0.0]).agrees(&xs(&[0.0005]), close).is_ok());
        let why = xs(&[1.0, 2.0]).agrees(&xs(&[1.0, 2.5]), close).unwrap_err();
        assert_eq!(why.to_string(), "at [1] the reference has 2.0 but this is 2.5");
        assert!(xs(&[1.0]).agrees(&xs(&[f32::INFINITY]), close).is_err());
        assert!(xs(&[f32::INFINITY]).agrees(&xs(&[1.0]), close).is_err());
        assert!(Value::F32(1.0).agrees(&Value::F64(1.0), close).is_err());
        assert!(xs(&[0.0]).agrees(&xs(&[-0.0]), Tolerance::Exact).is_ok());
        assert!(xs(&[0.0]).agrees(&xs(&[-0.0]), Tolerance::Identical).is_err());
        assert!(xs(&[-0.0, f32::NAN]).agrees(&xs(&[-0.0, -f32::NAN]), Tolerance::Identical).is_ok());
        let hole = Value::array(vec![Value::Undefined, Value::F32(2.0)]);
        assert!(hole.agrees(&xs(&[7.0, 2.0]), Tolerance::Exact).is_ok());
        assert!(xs(&[7.0, 2.0]).agrees(&hole, Tolerance::Exact).is_err());
    }
}
