//! What can stand at the cursor of a prompt: names that go on what is typed, and how the call around it is written.

use super::app::App;
use super::popup::EntryKind;
use super::script::{only_asks, signature};
use crate::lang::pattern;
use crate::lang::summary;
use crate::rewrite::search::options::OPTIONS;
use crate::rewrite::strategy::native::{self, Changes};
use crate::session::data;

/// A name that fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// What replaces the word before the cursor.
    pub text: String,
    /// One line about it.
    pub doc: String,
}

/// What fits at the cursor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completion {
    /// The word before the cursor.
    pub word: String,
    /// What it may become, best first.
    pub offers: Vec<Offer>,
    /// How the call that the cursor is in is written.
    pub call: Option<String>,
}

impl Completion {
    /// What the word becomes: as far as all offers agree, or the first of them.
    pub fn taken(&self) -> Option<&str> {
        let first = self.offers.first()?.text.as_str();
        let mut common = first;
        for offer in &self.offers {
            let same = common.chars().zip(offer.text.chars()).take_while(|(a, b)| a == b);
            common = common.get(..same.map(|(c, _)| c.len_utf8()).sum()).unwrap_or_default();
        }
        Some(if common.len() > self.word.len() { common } else { first })
    }
}

/// What a word may be, from what stands before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Strategy,
    Sketch,
    Rules,
    Option,
    /// Behind the sketch of a search, or behind its rules: what may still be said of it.
    Clause {
        using: bool,
    },
    /// What is typed there has no names to choose from.
    Nothing,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What fits at the end of a text that is typed so far.
pub fn at(app: &App, kind: EntryKind, before: &str) -> Completion {
    let start =
        before.rfind(|c| !is_word(c)).map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
    let (rest, word) = before.split_at(start);
    let (place, calls) = read(rest);
    let workspace = app.session.workspace();
    let call = calls.last().and_then(|name| signature(workspace, name)).filter(|_| kind.is_elevate());
    let all = match (kind, place) {
        (EntryKind::Sizes | EntryKind::Sweep, _) => {
            app.session.workspace().program.sizes.iter().map(|n| of(format!("{n}="), "")).collect()
        }
        (EntryKind::Data, _) => {
            data::names(&workspace.program).into_iter().map(|n| of(format!("{n}="), "")).collect()
        }
        (EntryKind::Rule, _) => rules(app),
        (EntryKind::Save | EntryKind::Export | EntryKind::Find | EntryKind::Dispatch, _) => Vec::new(),
        (_, Place::Strategy) => strategies(app, !calls.is_empty()),
        (_, Place::Sketch) => {
            let own = workspace.script.sketches().map(|(s, doc)| of(s.name.kind.to_string(), doc));
            let known = workspace.sketches.names().map(|n| of(n.to_string(), ""));
            own.chain(known).collect()
        }
        (_, Place::Rules) => {
            let sets = workspace.rules.sets().map(|set| of(set.name.to_string(), &set.doc));
            sets.chain(rules(app)).collect()
        }
        (_, Place::Clause { using }) => {
            let rules =
                of("using ".to_owned(), "With which rules it searches; without, it chooses them itself.");
            let limits = of(
                "with (".to_owned(),
                "Limits of the search, rules that are held back, and what it prefers.",
            );
            using.then_some(rules).into_iter().chain([limits]).collect()
        }
        (_, Place::Nothing) => Vec::new(),
        (_, Place::Option) => OPTIONS.iter().map(|name| of(format!("{name}: "), "")).collect(),
    };
    // Behind `using` there are names only, the sets first.
    let anything =
        kind == EntryKind::Sizes || matches!(place, Place::Option | Place::Rules | Place::Clause { .. });
    let mut offers: Vec<Offer> = if word.is_empty() && !anything {
        Vec::new()
    } else {
        let lower = word.to_lowercase();
        let fits = |offer: &Offer| offer.text.to_lowercase().starts_with(&lower) && offer.text != word;
        all.into_iter().filter(fits).collect()
    };
    // What is typed as it is written comes before what differs in case.
    offers.sort_by_key(|offer| !offer.text.starts_with(word));
    let mut seen = Vec::new();
    offers.retain(|offer| {
        !seen.contains(&offer.text) && {
            seen.push(offer.text.clone());
            true
        }
    });
    Completion { word: word.to_owned(), offers, call }
}

fn of(text: String, doc: &str) -> Offer {
    Offer { text, doc: summary::of(doc) }
}

fn rules(app: &App) -> Vec<Offer> {
    let rules = app.session.workspace().rules.rules();
    let open = |n: usize| if n > 0 { "(" } else { "" };
    rules.map(|rule| of(format!("{}{}", rule.name, open(rule.params.len())), &rule.doc)).collect()
}

/// Strategies, natives and rules; inside a call also those that only ask.
fn strategies(app: &App, inside: bool) -> Vec<Offer> {
    let workspace = app.session.workspace();
    let mut own: Vec<_> = workspace.script.strategies().collect();
    own.sort_by_key(|s| s.library);
    let own = own.into_iter().filter(|s| inside || !only_asks(workspace, s));
    let open = |required: usize| if required > 0 { "(" } else { "" };
    let own = own.map(|s| of(format!("{}{}", s.name, open(s.required())), s.doc()));
    let natives = native::TABLE.iter().filter(|row| inside || row.native.changes() != Changes::Nothing);
    let natives = natives.map(|row| of(format!("{}{}", row.name, open(row.arity)), row.doc));
    let reach = of(
        "reach ".to_owned(),
        "Searches for a program that a sketch describes: reach SKETCH, or reach SKETCH using RULES.",
    );
    // isMap, isReduce, …: a question for each pattern.
    let declared = workspace.rules.patterns().declared().map(|pattern| pattern.name().to_string());
    let patterns = pattern::all()
        .iter()
        .filter_map(|row| Some((*row.names.first()?).to_owned()))
        .chain(declared)
        .filter(|_| inside);
    let question = |name: String| {
        let (first, rest) = name.split_at_checked(1)?;
        let text = format!("is{}{rest}", first.to_ascii_uppercase());
        Some(of(text, &format!("Is this {name}?")))
    };
    own.chain(natives).chain(rules(app)).chain([reach]).chain(patterns.filter_map(question)).collect()
}

/// What the end of a text expects, and the calls that are open there.
fn read(text: &str) -> (Place, Vec<String>) {
    let mut place = Place::Strategy;
    let mut open: Vec<(char, String)> = Vec::new();
    // How many brackets were open where the part of a search began that is being typed.
    let mut begun = 0;
    let mut word = String::new();
    for c in text.chars() {
        if is_word(c) {
            word.push(c);
            continue;
        }
        let begins = after_keyword(&word, place);
        if let Some(part) = begins {
            place = part;
            // What is asked by `satisfies` stands in its bracket.
            begun = open.len() + usize::from(word == "satisfies");
        }
        // A part ends with its name, or with the bracket that was opened in it.
        let named = begins.is_none() && !word.is_empty() && c.is_whitespace();
        match c {
            '(' | '[' | '{' => open.push((c, std::mem::take(&mut word))),
            ')' | ']' | '}' => drop(open.pop()),
            ';' | '@' | '<' => place = Place::Strategy,
            _ => {}
        }
        let ends = open.len() == begun && (named || matches!(c, ')' | ']' | '}'));
        place = match (place, c) {
            (Place::Sketch, _) if ends || c == '?' && open.len() == begun => Place::Clause { using: true },
            (Place::Rules, _) if ends => Place::Clause { using: false },
            (Place::Option | Place::Nothing, _) if ends => Place::Nothing,
            // A bracket that was open before the search closes around it.
            (
                Place::Clause { .. } | Place::Nothing | Place::Option | Place::Rules | Place::Sketch,
                ')' | ']' | '}',
            ) if open.len() < begun => Place::Strategy,
            (Place::Clause { .. }, ',') => Place::Strategy,
            // More of a sketch follows an operator.
            (Place::Clause { using: true }, '+' | '*' | ':') => Place::Sketch,
            (Place::Option, ':') => Place::Nothing,
            (Place::Nothing, ',') if open.len() == begun + 1 => Place::Option,
            (place, _) => place,
        };
        word.clear();
    }
    place = after_keyword(&word, place).unwrap_or(place);
    let calls = open.into_iter().filter(|(c, name)| *c == '(' && !name.is_empty() && name != "with");
    (place, calls.map(|(_, name)| name).collect())
}

/// What a word announces where something stands before it.
fn after_keyword(word: &str, before: Place) -> Option<Place> {
    match word {
        "reach" | "satisfies" => Some(Place::Sketch),
        "or" | "and" if before == (Place::Clause { using: true }) => Some(Place::Sketch),
        "using" => Some(Place::Rules),
        "with" => Some(Place::Option),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_says_what_may_follow() {
        let place = |text: &str| read(text).0;
        assert_eq!(place("topDown("), Place::Strategy);
        assert_eq!(place("reach "), Place::Sketch);
        assert_eq!(place("reach baseline using "), Place::Rules);
        assert_eq!(place("reach baseline using { mapFusion, "), Place::Rules);
        assert_eq!(place("reach baseline using all with (nodes: 10, "), Place::Option);
        assert_eq!(place("reach baseline using all ; "), Place::Strategy);
        // A part that is complete makes room for the next.
        assert_eq!(place("reach baseline "), Place::Clause { using: true });
        assert_eq!(place("reach containsMap(m, contains"), Place::Sketch);
        assert_eq!(place("reach containsMap(m, ?) "), Place::Clause { using: true });
        assert_eq!(place("reach a or "), Place::Sketch);
        assert_eq!(place("reach a + "), Place::Sketch);
        assert_eq!(place("reach baseline using all "), Place::Clause { using: false });
        assert_eq!(place("reach baseline using { a, b(3), "), Place::Rules);
        assert_eq!(place("reach baseline using { a, b(3) }"), Place::Clause { using: false });
        assert_eq!(place("reach baseline using { a } with (nodes: "), Place::Nothing);
        assert_eq!(place("reach a with (freeze: [mapFission(3), "), Place::Nothing);
        assert_eq!(place("reach a with (freeze: [mapFission(3)], "), Place::Option);
        assert_eq!(place("reach a with (nodes: 3) "), Place::Nothing);
        assert_eq!(place("try(reach a using all) ; "), Place::Strategy);
        assert_eq!(place("repeat(reach a using { b }, "), Place::Strategy);
        assert_eq!(place("reach ? "), Place::Clause { using: true });
        assert_eq!(place("satisfies(baseline) ; "), Place::Strategy);
        assert_eq!(read("outermost(isMap, tile(4, ").1, ["outermost", "tile"]);
        assert!(read("tile(4, 4)").1.is_empty());
    }

    #[test]
    fn the_word_grows_as_far_as_all_agree() {
        let offers = |names: &[&str]| names.iter().map(|n| of((*n).to_owned(), "")).collect();
        let completion = |word: &str, names: &[&str]| Completion {
            word: word.to_owned(),
            offers: offers(names),
            call: None,
        };
        assert_eq!(completion("to", &["topDown(", "topDownBy("]).taken(), Some("topDown"));
        assert_eq!(completion("topDown", &["topDown(", "topDownBy("]).taken(), Some("topDown("));
        assert_eq!(completion("x", &[]).taken(), None);
    }
}
