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
        (_, Place::Option) => OPTIONS.iter().map(|name| of(format!("{name}: "), "")).collect(),
    };
    // Behind `using` there are names only, the sets first.
    let anything = kind == EntryKind::Sizes || matches!(place, Place::Option | Place::Rules);
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
    let mut word = String::new();
    for c in text.chars() {
        if is_word(c) {
            word.push(c);
            continue;
        }
        place = match word.as_str() {
            "reach" | "satisfies" => Place::Sketch,
            "using" => Place::Rules,
            "with" => Place::Option,
            _ => place,
        };
        match c {
            '(' | '[' | '{' => open.push((c, std::mem::take(&mut word))),
            ')' | ']' | '}' => drop(open.pop()),
            ';' | '@' | '<' => place = Place::Strategy,
            _ => {}
        }
        word.clear();
    }
    place = match word.as_str() {
        "reach" | "satisfies" => Place::Sketch,
        "using" => Place::Rules,
        "with" => Place::Option,
        _ => place,
    };
    let calls = open.into_iter().filter(|(c, name)| *c == '(' && !name.is_empty() && name != "with");
    (place, calls.map(|(_, name)| name).collect())
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
