//! Programs that have a result on some inputs and none on others: those that divide by a number of theirs, read where one says,
//! write there, or compute numbers of `natType` with it.

use super::declared::unfolded;
use super::pattern::Pattern;
use super::term::{Expr, Term};
use super::ty::{Scalar, Type, TypeKind};

/// May the inputs decide whether there is a result? Where only sizes and places can, the answer is no.
pub fn depends_on_inputs(program: &Term) -> bool {
    let term = unfolded(program);
    let inputs = term.ty().signature().0;
    let are_there = |kind: fn(&Type) -> bool| inputs.iter().any(|ty| has(ty, kind)) || makes(&term, kind);
    may_have_none(&term, OfData { integers: are_there(is_integer), places: are_there(is_place) })
}

/// Which numbers may come from the inputs.
#[derive(Clone, Copy)]
struct OfData {
    integers: bool,
    /// Those that places are made of.
    places: bool,
}

fn may_have_none(t: &Term, of_data: OfData) -> bool {
    let (head, args) = t.spine();
    let is_known = |place: usize| args.get(place).is_some_and(|arg| matches!(arg.expr(), Expr::Lit(_)));
    let here = match head.as_pattern() {
        Some(Pattern::Scatter) => true,
        Some(Pattern::NatAsIndex) => of_data.places && !is_known(0),
        // What is too large for a number of `natType`, or less than none, is no result.
        Some(Pattern::Add | Pattern::Sub | Pattern::Mul) => {
            of_data.places && matches!(head.ty().signature().1.kind(), TypeKind::NatType)
        }
        Some(Pattern::Div | Pattern::Mod) => {
            let (_, result) = head.ty().signature();
            !is_known(1)
                && (of_data.integers && has(&result, is_integer) || of_data.places && has(&result, is_place))
        }
        Some(_) => false,
        None => head.children().into_iter().any(|c| may_have_none(c, of_data)),
    };
    here || args.into_iter().any(|arg| may_have_none(arg, of_data))
}

/// Is there a cast to a number of this kind in there, or what is foreign?
fn makes(t: &Term, kind: fn(&Type) -> bool) -> bool {
    let here = t.as_pattern().is_some_and(|pattern| match pattern {
        Pattern::Cast | Pattern::Declared(_) => has(&t.ty().signature().1, kind),
        _ => false,
    });
    here || t.children().into_iter().any(|c| makes(c, kind))
}

fn is_integer(ty: &Type) -> bool {
    ty.as_scalar().is_some_and(Scalar::is_integer)
}

fn is_place(ty: &Type) -> bool {
    matches!(ty.kind(), TypeKind::NatType | TypeKind::Index(_))
}

/// Has a value of the type a part of this kind?
fn has(ty: &Type, kind: fn(&Type) -> bool) -> bool {
    match ty.kind() {
        TypeKind::Pair(a, b) => has(a, kind) || has(b, kind),
        TypeKind::Array(_, t) | TypeKind::Vector(_, t) => has(t, kind),
        _ => kind(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::depends_on_inputs;
    use crate::diag::FileId;
    use crate::infer;
    use crate::syntax::parse_program;

    #[test]
    fn inputs_decide_where_numbers_of_theirs_divide_read_or_write() {
        let rows = [
            ("map (\\j. idx (natAsIndex n (cast j)) a) a", true),
            ("map (\\v. 100 / v) a", true),
            ("map (\\v. 100 % (cast v : i32)) x", true),
            ("scatter p x", true),
            ("map (\\v. v / 3 + v % 7) a", false),
            ("(generate (\\i. idx (natAsIndex n ((indexAsNat i + 1) % n)) a) : n.i32)", false),
            ("map (\\i. idx (natAsIndex n ((indexAsNat i + 1) % n)) x) p", true),
            ("map (\\v. 100 / v) x", false),
            ("(generate (\\i. idx (natAsIndex n ((indexAsNat i + 1) % n)) x) : n.f32)", false),
            ("map (\\v. idx (natAsIndex n 0) a + v) a", false),
            ("gather p x", false),
            ("map (\\v. (cast v : natType) * (cast v : natType)) a", true),
            ("(generate (\\i. idx (natAsIndex n ((indexAsNat i * 3 + 1) % n)) a) : n.i32)", false),
        ];
        for (body, decides) in rows {
            // What is not asked for is no parameter, as its type says what numbers there are.
            let params: String = [("a", "n.i32"), ("x", "n.f32"), ("p", "n.idx[n]")]
                .iter()
                .filter(|(name, _)| body.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name))
                .map(|(name, ty)| format!(" ({name}: {ty})"))
                .collect();
            let (file, problems) = parse_program(FileId::NOWHERE, &format!("def f{params} = {body}"));
            assert!(problems.is_empty(), "{body}: {problems:?}");
            let term = infer::program(&file, None).0.unwrap_or_else(|| panic!("{body}")).term;
            assert_eq!(depends_on_inputs(&term), decides, "{body}");
        }
    }
}
