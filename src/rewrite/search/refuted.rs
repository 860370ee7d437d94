//! What can be said of a sketch whatever the rules of a search are: that no program is like it, or none in one of several ways.

use super::forecast::{listed, required};
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::Nat;
use crate::lang::term::Term;
use crate::sketch::holes::{fill, holes_in};
use crate::sketch::variants::{Variant, variants};
use crate::sketch::{Shape, Sketch};
use indexmap::IndexSet;

/// That what the sketch says of types, of sizes or of what is not to be there cannot be met. `given` puts in the values of the
/// program's sizes that are known.
pub fn contradiction(sketch: &Sketch, given: &dyn Fn(&Nat) -> Nat) -> Option<String> {
    if let Some(why) = sketch.ill_typed() {
        return Some(format!("No program is like the sketch: {why}."));
    }
    let never = never_whole(sketch, given);
    if !never.is_empty() {
        let sizes = listed(never.iter().map(as_given));
        return Some(format!(
            "No program is like the sketch: it asks for {sizes}, and sizes are whole numbers."
        ));
    }
    if let Some((with, not)) = sketch.opposed() {
        return Some(format!(
            "No program is like the sketch: what is like `{with}` has what `{not}` rules out."
        ));
    }
    let Some(said) = sketch.contradiction_at(given) else {
        return never_parted(&sketch.said_at(given), given);
    };
    let conditions = listed(said.iter().map(|c| format!("`{c}`")));
    Some(match said.iter().any(|c| !c.holes().is_empty()) {
        true if said.len() > 1 => {
            format!("No program is like the sketch: no sizes meet {conditions} together.")
        }
        true => format!("No program is like the sketch: no size meets {conditions}."),
        false => format!(
            "No program is like the sketch: that {conditions} is not known to hold, whatever the program's sizes are."
        ),
    })
}

/// A size that is asked for, and what it is with the values that are given.
type Given = (Nat, Nat);

fn as_given((n, here): &Given) -> String {
    if n == here { format!("`{n}`") } else { format!("`{n}`, which is {here} here") }
}

/// Is it known that this is no size?
pub(crate) fn is_never_whole(here: &Nat) -> bool {
    let is_no_number = here.vars().is_empty() && here.as_constant().is_none_or(|n| n < 0);
    is_no_number || SizeConstraint::of_size(here).iter().any(|c| c.decide() == Some(false))
}

/// The sizes that every program like the sketch has to have.
fn required_sizes(sketch: &Sketch) -> Vec<Nat> {
    let mut asked: Vec<Nat> = sketch.whole().into_iter().cloned().collect();
    required(sketch).each_size(&mut |n| asked.push(n.clone()));
    asked
}

/// The sizes of the sketch that are none, if no program can be like it for that reason: where it leaves several ways, those of all.
fn never_whole(sketch: &Sketch, given: &dyn Fn(&Nat) -> Nat) -> IndexSet<Given> {
    let asked = required_sizes(sketch).into_iter().map(|n| (n.clone(), given(&n)));
    let mut never: IndexSet<Given> = asked.filter(|(_, here)| is_never_whole(here)).collect();
    let mut left = vec![sketch];
    while let Some(part) = left.pop() {
        match part.shape() {
            Shape::Or(ways) => {
                let each: Vec<_> = ways.iter().map(|way| never_whole(way, given)).collect();
                if each.iter().all(|never| !never.is_empty()) {
                    never.extend(each.into_iter().flatten());
                }
            }
            Shape::Not(_) => {}
            _ => left.extend(part.children()),
        }
    }
    never
}

/// The sketch without those of several ways which ask for sizes that are none: what was reached by one of these would not be like it.
pub fn possible(sketch: &Sketch, given: &dyn Fn(&Nat) -> Nat) -> Sketch {
    let go = |s: &Sketch| possible(s, given);
    Sketch::new(match sketch.shape() {
        Shape::Or(ways) => {
            let mut left: Vec<Sketch> =
                ways.iter().filter(|way| never_whole(way, given).is_empty()).map(go).collect();
            match (left.pop(), left.is_empty()) {
                (Some(alone), true) => return alone,
                (last, _) => Shape::Or(left.into_iter().chain(last).collect()),
            }
        }
        Shape::And(all) => Shape::And(all.iter().map(go).collect()),
        Shape::Contains(s) => Shape::Contains(go(s)),
        Shape::Lam(s) => Shape::Lam(go(s)),
        Shape::App(f, e) => Shape::App(go(f), go(e)),
        Shape::Typed(s, t) => Shape::Typed(go(s), t.clone()),
        Shape::Named(label, s) => Shape::Named(label.clone(), go(s)),
        Shape::Any
        | Shape::Var(_)
        | Shape::Pattern(..)
        | Shape::Number(_)
        | Shape::Not(_)
        | Shape::Sizes(_) => return sketch.clone(),
    })
}

/// That no number which meets what is said of a hole leaves the sizes with that hole whole.
fn never_parted(sketch: &Sketch, given: &dyn Fn(&Nat) -> Nat) -> Option<String> {
    let asked = required_sizes(sketch);
    sketch.holes().into_iter().find_map(|hole| {
        let with_hole: Vec<Given> = asked
            .iter()
            .filter(|n| holes_in(n).contains(&hole))
            .map(|n| (n.clone(), given(n)))
            .collect();
        // A number is divided by none that is greater.
        let divided = |(_, here): &Given| here.mul(&Nat::var(&hole)).as_constant();
        let numbers = sketch.numbers(&hole, with_hole.iter().filter_map(divided).min())?;
        let leaves_whole = |number: &i64| {
            let filling = [(hole.clone(), Nat::constant(*number))];
            with_hole.iter().all(|(_, here)| !is_never_whole(&fill(here, &filling)))
        };
        (!numbers.iter().any(leaves_whole)).then(|| {
            let sizes = listed(with_hole.iter().collect::<IndexSet<_>>().into_iter().map(as_given));
            format!(
                "No program is like the sketch: no size in the place of `{}` that meets what is said of it makes a whole number of {sizes}.",
                Nat::var(&hole)
            )
        })
    })
}

/// What may have been meant by a sketch whose types contradict each other, if anything is known that has types.
pub fn meant(sketch: &Sketch, start: &Term) -> Option<String> {
    sketch.ill_typed()?;
    let Variant { part, instead, sketch } =
        variants(sketch).into_iter().find(|v| v.sketch.ill_typed().is_none())?;
    let so = if sketch.satisfied_by(start) { "the sketch is met" } else { "its types agree" };
    Some(format!("With `{instead}` in the place of `{part}` {so}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::FileId;
    use crate::lang::nat::{Name, NatVar};
    use crate::lang::syntax::parse_sketch;
    use crate::sketch::{Library, read};

    #[test]
    fn sizes_that_are_no_whole_numbers_are_asked_for_in_vain() {
        let said = |sketch: &str, given: &[(&str, i64)]| {
            let tree = parse_sketch(FileId::NOWHERE, sketch).0;
            let sketch = read(&tree, &Library::builtin(), &["n".into(), "m".into()]).unwrap();
            let value = |name: &Name| Some(Nat::constant(given.iter().find(|(n, _)| **n == **name)?.1));
            let named = |v: &NatVar| if let NatVar::Named(name) = v { value(name) } else { None };
            contradiction(&sketch, &|n| n.subst(&named))
        };
        let never = |asked: &str| {
            Some(format!("No program is like the sketch: it asks for {asked}, and sizes are whole numbers."))
        };
        assert_eq!(said("containsMap(n/3, ?)", &[]), None);
        assert_eq!(said("containsMap(n/3, ?)", &[("n", 1023), ("m", 1024)]), None);
        assert_eq!(said("containsMap(n/3, ?)", &[("n", 1024)]), never("`n/3`, which is 1024/3 here"));
        assert_eq!(said("containsMap(n/3, ?) or containsMap(n, ?)", &[("n", 1024)]), None);
        assert_eq!(
            said("containsMap(n/3, ?) or contains(containsMap(n/5 * 5, ?))", &[("n", 1024)]),
            never("`n/3`, which is 1024/3 here and `n/5`, which is 1024/5 here")
        );
        let parts = |of: &str| said(&format!("containsMap(m, containsMap(n/?t, ?)) and {of}"), &[("n", 30)]);
        assert_eq!(parts("?t > 3 and ?t < 7"), None);
        assert_eq!(parts("?t > 6"), None);
        assert_eq!(parts("?t % 4 == 2"), None);
        assert_eq!(parts("?t * ?t == 25"), None);
        // Values of sizes are known only where they are given.
        let below =
            |given: &[(&str, i64)]| said("containsMap(m/?t, ?) and ?t < m and ?t < 8 and ?t > 4", given);
        assert_eq!(below(&[]), None);
        assert_eq!(below(&[("m", 30)]), None);
        assert_eq!(
            below(&[("m", 4)]).as_deref(),
            Some("No program is like the sketch: no sizes meet `?t < m`, `?t < 8` and `?t > 4` together.")
        );
        for never in ["?t == 8", "?t > 6 and ?t < 10", "?t % 4 == 0", "?t * ?t == 49", "?t > 30"] {
            assert!(parts(never).unwrap().ends_with("makes a whole number of `n/?t`, which is 30/?t here."));
        }
        assert_eq!(said("containsMap(1024/3, ?)", &[]), never("`1024/3`"));
        assert_eq!(said("containsMap(n/(n + 1), ?)", &[]), never("`n/(n + 1)`"));
    }
}
