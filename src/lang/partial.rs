//! Programs that have a result on some inputs and none on others: those that divide by a number of theirs, read where one says, or
//! write there.

use super::declared::unfolded;
use super::pattern::Pattern;
use super::term::{Expr, Term};
use super::ty::{Type, TypeKind};

/// May the inputs decide whether there is a result? Where only sizes and places can, the answer is no.
pub fn depends_on_inputs(program: &Term) -> bool {
    let term = unfolded(program);
    may_have_none(&term, term.ty().signature().0.iter().any(has_whole_number) || makes_whole_numbers(&term))
}

/// `of_data` says whether whole numbers may come from the inputs.
fn may_have_none(t: &Term, of_data: bool) -> bool {
    let (head, args) = t.spine();
    let is_known = |place: usize| args.get(place).is_some_and(|arg| matches!(arg.expr(), Expr::Lit(_)));
    let here = match head.as_pattern() {
        Some(Pattern::Scatter) => true,
        Some(Pattern::NatAsIndex) => of_data && !is_known(0),
        Some(Pattern::Div | Pattern::Mod) => {
            of_data && !is_known(1) && has_whole_number(&head.ty().signature().1)
        }
        Some(_) => false,
        None => head.children().into_iter().any(|c| may_have_none(c, of_data)),
    };
    here || args.into_iter().any(|arg| may_have_none(arg, of_data))
}

/// Is there a cast of a float to a whole number, or what is foreign, in there?
fn makes_whole_numbers(t: &Term) -> bool {
    let here = t.as_pattern().is_some_and(|pattern| match pattern {
        Pattern::Cast => has_whole_number(&t.ty().signature().1),
        Pattern::Declared(_) => true,
        _ => false,
    });
    here || t.children().into_iter().any(makes_whole_numbers)
}

fn has_whole_number(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Scalar(s) => s.is_integer(),
        TypeKind::NatType | TypeKind::Index(_) => true,
        TypeKind::Pair(a, b) => has_whole_number(a) || has_whole_number(b),
        TypeKind::Array(_, t) | TypeKind::Vector(_, t) => has_whole_number(t),
        TypeKind::Fun(..) | TypeKind::Var(_) | TypeKind::Ill => false,
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
            ("map (\\v. 100 / v) x", false),
            ("generate (\\i. idx (natAsIndex n ((indexAsNat i + 1) % n)) x)", false),
            ("map (\\v. idx (natAsIndex n 0) a + v) a", false),
            ("gather p x", false),
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
