//! The inputs of a program.

use super::cells::{at_width, buffer, host_data};
use super::drawn::Draw;
use crate::device::HostData;
use crate::emit::code::{Leaf, leaves};
use crate::emit::data;
use crate::lang::diag::Diagnostic;
use crate::lang::eval::inputs::{self, Kind};
use crate::lang::rounding;
use crate::lang::term::Term;
use crate::lang::ty::Type;
use crate::lang::value::{Buffer, Value};
use crate::session::action::Sizes;

/// The seed of every input.
const SEED: u64 = 0x5EED;

/// How far seeds of one turn are from those of the next.
const APART: u64 = 1 << 20;

/// The inputs of a program: for each parameter its components, in the order of a kernel's parameters.
pub struct Inputs(pub Vec<Vec<HostData>>);

impl Inputs {
    /// Inputs from a seed, the same for ever.
    ///
    /// # Errors
    /// A parameter that there is no data of, or a size without a value.
    pub fn random(term: &Term, sizes: &Sizes, kind: Kind) -> Result<Inputs, Diagnostic> {
        Inputs::drawn(vec![], term, sizes, Draw { kind, turn: 0 })
    }

    /// Looks whether there could be inputs at these sizes, without drawing any.
    ///
    /// # Errors
    /// As [`Inputs::random`].
    pub fn could_be_drawn(term: &Term, sizes: &Sizes) -> Result<(), Diagnostic> {
        term.ty().signature().0.iter().try_for_each(|ty| inputs::drawn(ty, sizes).map(|_| ()))
    }

    /// What is given, and the rest drawn from a seed.
    ///
    /// # Errors
    /// As [`Inputs::random`].
    pub fn drawn(
        given: Vec<Option<Vec<HostData>>>,
        term: &Term,
        sizes: &Sizes,
        Draw { kind, turn }: Draw,
    ) -> Result<Inputs, Diagnostic> {
        let (params, _) = term.ty().signature();
        let given = given.into_iter().chain(std::iter::repeat(None));
        let one = |((i, ty), given): ((usize, &Type), Option<Vec<HostData>>)| {
            let seed = SEED + i as u64 + turn * APART;
            Ok(match given {
                Some(given) => given,
                None if has_pair(ty) => components(&inputs::random(ty, sizes, seed, kind)?, ty, sizes)?,
                None => vec![host_data(&inputs::random_flat(ty, sizes, seed, kind)?)],
            })
        };
        params.iter().enumerate().zip(given).map(one).collect::<Result<Vec<_>, _>>().map(Inputs)
    }

    /// The same with the magnitudes of all floats.
    pub fn magnitudes(&self) -> Inputs {
        let positive = |data: &HostData| match data {
            HostData::F32(v) => HostData::F32(v.iter().map(|x| x.abs()).collect()),
            HostData::F64(v) => HostData::F64(v.iter().map(|x| x.abs()).collect()),
            other => other.clone(),
        };
        Inputs(self.0.iter().map(|parts| parts.iter().map(positive).collect()).collect())
    }

    /// The same with floats moved by a few units in their last place, in another way in each turn and further in later ones:
    /// by what a sum of some thousands of them may lose to rounding.
    pub fn in_last_digits(&self, turn: u32) -> Inputs {
        let by = |i: usize| rounding::moved_by(i, turn);
        let single = |(i, x): (usize, &f32)| match x.is_normal() {
            true => f32::from_bits(x.to_bits().wrapping_add_signed(by(i))),
            false => *x,
        };
        let double = |(i, x): (usize, &f64)| match x.is_normal() {
            true => f64::from_bits(x.to_bits().wrapping_add_signed(by(i).into())),
            false => *x,
        };
        let one = |data: &HostData| match data {
            HostData::F32(v) => HostData::F32(v.iter().enumerate().map(single).collect()),
            HostData::F64(v) => HostData::F64(v.iter().enumerate().map(double).collect()),
            other => other.clone(),
        };
        Inputs(self.0.iter().map(|parts| parts.iter().map(one).collect()).collect())
    }

    /// The same with floats as wide as those of a term that takes them.
    pub fn at_widths_of(&self, term: &Term) -> Inputs {
        let (params, _) = term.ty().signature();
        let one = |(parts, ty): (&Vec<HostData>, &Type)| {
            let wide = |(data, leaf): (&HostData, Leaf)| at_width(data.clone(), leaf.scalar());
            parts.iter().zip(leaves(ty)).map(wide).collect()
        };
        Inputs(self.0.iter().zip(&params).map(one).collect())
    }

    /// As values of the interpreter.
    ///
    /// # Errors
    /// Components that are not those of the parameter's type at these sizes.
    pub fn values(&self, term: &Term, sizes: &Sizes) -> Result<Vec<Value>, Diagnostic> {
        let (params, _) = term.ty().signature();
        let one = |(parts, ty): (&Vec<HostData>, &Type)| {
            let parts: Vec<Buffer> = parts.iter().map(buffer).collect();
            data::join(&parts, ty, sizes)
        };
        self.0.iter().zip(&params).map(one).collect()
    }
}

/// The components of a value.
///
/// # Errors
/// When this is no value of the type at the given sizes.
pub fn components(value: &Value, ty: &Type, sizes: &Sizes) -> Result<Vec<HostData>, Diagnostic> {
    Ok(data::split(value, ty, sizes)?.iter().map(host_data).collect())
}

fn has_pair(ty: &Type) -> bool {
    match (ty.as_pair(), ty.as_array().or(ty.as_vector())) {
        (Some(_), _) => true,
        (None, Some((_, element))) => has_pair(element),
        (None, None) => false,
    }
}
