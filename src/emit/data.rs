//! Values as kernels see them: one flat array for each component of a type ([`super::code::leaves`]).

use super::code::{Leaf, leaves};
use crate::lang::diag::Diagnostic;
use crate::lang::eval::{Sizes, failure};
use crate::lang::ty::{Type, TypeKind};
use crate::lang::value::{Buffer, Value, eval_nat};

/// The components of a value, in the order of the type's leaves; undefined cells become zero.
///
/// # Errors
/// When this is no value of the type at the given sizes.
pub fn split(value: &Value, ty: &Type, sizes: &Sizes) -> Result<Vec<Buffer>, Diagnostic> {
    if !value.fits(ty, sizes) {
        return Err(failure::no_value_of(ty));
    }
    Ok(leaves(ty)
        .iter()
        .map(|leaf| {
            let mut out = Buffer::with_capacity(leaf.scalar(), 0);
            each_scalar(value, &leaf.path, &mut |scalar| out.push(scalar));
            out
        })
        .collect())
}

/// Where the components of a value, in the order of [`split`], are undefined.
pub fn holes(value: &Value, ty: &Type) -> Vec<Vec<usize>> {
    let of = |leaf: &Leaf| {
        let (mut holes, mut at) = (vec![], 0);
        each_scalar(value, &leaf.path, &mut |scalar| {
            if *scalar == Value::Undefined {
                holes.push(at);
            }
            at += 1;
        });
        holes
    };
    leaves(ty).iter().map(of).collect()
}

fn each_scalar(value: &Value, path: &[bool], see: &mut dyn FnMut(&Value)) {
    match (value, path.split_first()) {
        (Value::Pair(p), Some((second, rest))) => each_scalar(if *second { &p.1 } else { &p.0 }, rest, see),
        (Value::Array(vs) | Value::Vector(vs), _) => vs.iter().for_each(|v| each_scalar(v, path, see)),
        (scalar, _) => see(scalar),
    }
}

/// The value whose components these are.
///
/// # Errors
/// When the components are not those of a value of the type.
pub fn join(components: &[Buffer], ty: &Type, sizes: &Sizes) -> Result<Value, Diagnostic> {
    join_defined(components, ty, sizes, &|_, _| false)
}

/// As [`join`], without the cells of components that are undefined.
///
/// # Errors
/// As [`join`].
pub fn join_defined(
    components: &[Buffer],
    ty: &Type,
    sizes: &Sizes,
    is_undefined: &dyn Fn(usize, usize) -> bool,
) -> Result<Value, Diagnostic> {
    let leaves = leaves(ty);
    let mut at = vec![0; components.len()];
    let from = From { leaves: &leaves, components, is_undefined };
    let value = read(ty, &mut vec![], &from, &mut at, sizes)?;
    for (leaf, (buffer, read)) in leaves.iter().zip(components.iter().zip(&at)) {
        if buffer.len() != *read || buffer.scalar() != Some(leaf.scalar()) {
            return Err(failure::wrong_length(ty, buffer.len(), *read));
        }
    }
    Ok(value)
}

/// What a value is read from.
struct From<'a> {
    leaves: &'a [Leaf],
    components: &'a [Buffer],
    is_undefined: &'a dyn Fn(usize, usize) -> bool,
}

fn read(
    ty: &Type,
    path: &mut Vec<bool>,
    from: &From<'_>,
    at: &mut [usize],
    sizes: &Sizes,
) -> Result<Value, Diagnostic> {
    match ty.kind() {
        TypeKind::Array(n, t) | TypeKind::Vector(n, t) => {
            let n = eval_nat(n, sizes).map_err(failure::size)?;
            let cells = (0..n).map(|_| read(t, path, from, at, sizes)).collect::<Result<Vec<_>, _>>()?;
            Ok(if ty.as_vector().is_some() { Value::vector(cells) } else { Value::array(cells) })
        }
        TypeKind::Pair(a, b) => {
            path.push(false);
            let a = read(a, path, from, at, sizes)?;
            path.pop();
            path.push(true);
            let b = read(b, path, from, at, sizes)?;
            path.pop();
            Ok(Value::pair(a, b))
        }
        _ => {
            let From { leaves, components, is_undefined } = from;
            let k = leaves.iter().position(|l| l.path == *path);
            let k = k.filter(|k| *k < components.len()).ok_or_else(|| failure::no_data(ty))?;
            let value = components[k]
                .get(at[k])
                .ok_or_else(|| failure::wrong_length(ty, components[k].len(), at[k] + 1))?;
            at[k] += 1;
            if is_undefined(k, at[k] - 1) {
                return Ok(Value::Undefined);
            }
            Ok(match (value, ty.kind()) {
                (Value::Int(v, _), TypeKind::NatType | TypeKind::Index(_)) => Value::Nat(v as i64),
                (v, _) => v,
            })
        }
    }
}
