//! The rewrite that makes room for another one, which does not apply where it is wanted: found by trying the rules of the
//! library, one step, from there inwards.

use crate::lang::path::Path;
use crate::lang::term::Term;
use crate::normal::normal_form;
use crate::rule::RuleSet;

/// Programs of so many nodes in all are made and looked at, so that what is told does not depend on how fast the machine is.
const MOST_NODES: u64 = 60_000;

/// A rule without arguments, and where it is applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enabling {
    pub rule: String,
    pub at: Path,
}

impl Enabling {
    /// Seen from the whole of which it was asked a part.
    pub fn below(self, above: &Path) -> Enabling {
        Enabling { at: above.join(&self.at), ..self }
    }

    /// That it makes room for what is wanted at a place.
    pub fn told(&self, wanted: &str, place: &Path) -> String {
        let at = |path: &Path| if path.is_root() { "to the whole".to_owned() } else { format!("at {path}") };
        format!("`{wanted}` applies {} once `{}` was applied {}.", at(place), self.rule, at(&self.at))
    }
}

/// The rewrite, nearest to the place, after which what is wanted can be `applied` to what stands there, and makes something
/// else of it.
pub fn enabling(
    library: &RuleSet,
    whole: &Term,
    place: &Path,
    applied: &dyn Fn(&Term) -> Option<Term>,
) -> Option<Enabling> {
    let start = whole.at(place)?;
    let normal = normal_form(start);
    let mut positions = start.positions();
    positions.sort_by_key(|(at, _)| at.steps().len());
    let rules: Vec<_> = library.rules().filter(|rule| rule.params.is_empty()).collect();
    let mut looked_at = 0;
    for (at, part) in positions {
        for rule in &rules {
            let Ok(after) = rule.apply(part, &[]) else { continue };
            let after = start.replace_at(&at, after.term)?;
            // What writes more into the program makes room for nearly every rule, and for nothing that was there.
            if after.size() > start.size() {
                continue;
            }
            looked_at += u64::from(after.size());
            if looked_at > MOST_NODES {
                return None;
            }
            let made = || normal_form(&applied(&after)?);
            if made().is_some_and(|made| normal.as_ref() != Some(&made)) {
                return Some(Enabling { rule: rule.name.to_string(), at: place.join(&at) });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::{FileId, Sources};
    use crate::lang::infer::program;
    use crate::lang::syntax::parse_program;

    #[test]
    fn the_rewrite_that_makes_room_is_found() {
        let set = RuleSet::builtin(&mut Sources::new()).0;
        let found = |body: &str, wanted: &str| {
            let text = format!("def f (a: (4*n).m.f32) = {body}");
            let term = program(&parse_program(FileId::NOWHERE, &text).0, None).0.unwrap().term;
            let rule = set.use_of(wanted, vec![]).unwrap();
            let place = Path::new(vec![0]);
            assert!(rule.rule.apply(term.at(&place).unwrap(), &[]).is_err(), "{body}");
            enabling(&set, &term, &place, &|part| Some(rule.rule.apply(part, &[]).ok()?.term))
                .map(|e| e.told(wanted, &place))
        };
        let after = |rule: &str, at: &str| {
            Some(format!("`mapFusion` applies at 0 once `{rule}` was applied at {at}."))
        };
        let maps = "map (map abs)";
        assert_eq!(
            found(&format!("a |> {maps} |> split 4 |> join |> {maps}"), "mapFusion"),
            after("removeSplitJoin", "0.1")
        );
        assert_eq!(
            found(&format!("a |> {maps} |> transpose |> transpose |> {maps}"), "mapFusion"),
            after("removeTransposePair", "0.1")
        );
        assert_eq!(found("a", "mapFusion"), None);
        assert_eq!(found(&format!("a |> {maps}"), "mapFusion"), None);
    }
}
