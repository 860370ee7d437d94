//! Parsing, printing and formatting agree on any tree; no text whatsoever makes the parser panic or contradict itself.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::ast::{ExprKind, File, ItemKind, Language, Part, StrategyKind, TypeKind};
use super::super::print::{self, Options};
use super::super::*;
use super::generate::{self, Mode};
use crate::diag::{Charset, Diagnostic, FileId, Sources, Span};

const LANGUAGES: [Language; 3] = [Language::Program, Language::Rules, Language::Elevate];

fn options() -> impl Strategy<Value = Options> {
    (any::<bool>(), 1..120usize).prop_map(|(unicode, width)| Options {
        charset: if unicode { Charset::Unicode } else { Charset::Ascii },
        width,
    })
}

fn survives_printing(language: Language, tree: &File, options: &Options) -> Result<(), TestCaseError> {
    let text = print::file(tree, options);
    let (again, problems) = parse(language, FileId(0), &text);
    if language != Language::Program || !tree.items.is_empty() {
        prop_assert_eq!(problems, vec![], "{}", text);
    }
    prop_assert_eq!(&again, tree, "{}", text);
    prop_assert_eq!(print::file(&again, options), text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_survive_printing(tree in generate::file(Language::Program), options in options()) {
        survives_printing(Language::Program, &tree, &options)?;
    }

    #[test]
    fn rules_survive_printing(tree in generate::file(Language::Rules), options in options()) {
        survives_printing(Language::Rules, &tree, &options)?;
    }

    #[test]
    fn strategies_survive_printing(tree in generate::file(Language::Elevate), options in options()) {
        survives_printing(Language::Elevate, &tree, &options)?;
    }

    #[test]
    fn fragments_survive_printing(
        e in generate::expr(Mode::Program),
        side in generate::expr(Mode::Rule),
        sketch in generate::expr(Mode::Sketch),
        t in generate::ty(Mode::Program),
        s in generate::strategy(),
        options in options(),
    ) {
        let id = FileId(0);
        prop_assert_eq!(parse_expr(id, &print::expr(&e, &options)), (e, vec![]));
        prop_assert_eq!(parse_rule_side(id, &print::expr(&side, &options)), (side, vec![]));
        prop_assert_eq!(parse_sketch(id, &print::expr(&sketch, &options)), (sketch, vec![]));
        prop_assert_eq!(parse_type(id, &print::ty(&t, &options)), (t, vec![]));
        prop_assert_eq!(parse_strategy(id, &print::strategy(&s, &options)), (s, vec![]));
    }

    /// Comments anywhere: the tree stays, no comment is lost, and formatting again changes nothing.
    #[test]
    fn formatting_keeps_comments_and_settles(
        tree in generate::file(Language::Rules),
        options in options(),
        places in vec((any::<prop::sample::Index>(), any::<bool>()), 0..4),
    ) {
        let mut text = print::file(&tree, &options);
        for (place, own_line) in places {
            let gaps: Vec<usize> = text.match_indices([' ', '\n']).map(|(at, _)| at).collect();
            if !gaps.is_empty() {
                text.insert_str(*place.get(&gaps), if own_line { "\n-- note\n" } else { " -- note\n" });
            }
        }
        let (before, problems) = parse(Language::Rules, FileId(0), &text);
        prop_assume!(problems.is_empty());
        let once = format(Language::Rules, FileId(0), &text, &options).unwrap();
        let (after, _) = parse(Language::Rules, FileId(0), &once);
        prop_assert_eq!(&before, &after, "{}\n---\n{}", text, once);
        prop_assert_eq!(text.matches("-- note").count(), once.matches("-- note").count(), "{}\n---\n{}", text, once);
        prop_assert_eq!(format(Language::Rules, FileId(0), &once, &options).unwrap(), once);
    }

    #[test]
    fn any_bytes_are_answered(bytes in vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for language in LANGUAGES {
            is_consistent(language, &text)?;
        }
    }

    #[test]
    fn any_tokens_are_answered(tokens in vec(prop::sample::select(TOKENS.to_vec()), 0..60)) {
        let text: String = tokens.concat();
        for language in LANGUAGES {
            is_consistent(language, &text)?;
        }
    }

    /// A text with one token too many, too few or in the wrong place.
    #[test]
    fn slips_are_answered(
        (language, tree) in prop::sample::select(LANGUAGES.to_vec())
            .prop_flat_map(|l| generate::file(l).prop_map(move |tree| (l, tree))),
        place in any::<prop::sample::Index>(),
        slip in prop::sample::select(TOKENS.to_vec()),
        remove in 0..4usize,
    ) {
        let text = print::file(&tree, &Options::default());
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = *place.get(&starts);
        let rest: String = text[at..].chars().skip(remove).collect();
        is_consistent(language, &format!("{}{slip}{rest}", &text[..at]))?;
    }
}

const TOKENS: &[&str] = &[
    "def ",
    "pattern ",
    "declare ",
    "rule ",
    "rules ",
    "example ",
    "alias ",
    "strategy ",
    "sketch ",
    "import ",
    "let ",
    "in ",
    "where ",
    "reach ",
    "using ",
    "with ",
    "notin ",
    "divides ",
    "or ",
    "and ",
    "div ",
    "f ",
    "x",
    " n ",
    "idx",
    "nat ",
    "data ",
    "3",
    "2.5",
    "1e-3",
    "4GiB",
    "0f32",
    ".",
    ",",
    ":",
    "::",
    "=",
    "==",
    "->",
    "~>",
    "|>",
    ">>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "<",
    ">",
    "<=",
    "<+",
    ";",
    ";;",
    "@",
    "|",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\\",
    "/\\",
    "?",
    "?t",
    "\n",
    "\n  ",
    " ",
    "--| doc\n",
    "-- c\n",
    "λ",
    "Λ",
    "▷",
    "→",
    "↦",
    "×",
    "∧",
    "∉",
    "#",
    "é",
    "\u{202e}",
];

/// Whatever the text is: spans lie in it, problems are in order, an error in the tree is a problem, and what has no
/// problems can be printed and read again.
fn is_consistent(language: Language, text: &str) -> Result<(), TestCaseError> {
    let mut sources = Sources::new();
    let id = sources.add("text", text);
    let (tree, problems) = parse(language, id, text);
    let in_text = |span: Span| span.file == id && text.get(span.start as usize..span.end as usize).is_some();

    for problem in &problems {
        prop_assert!(problem.labels.iter().all(|l| in_text(l.span)), "{:?}", problem);
        prop_assert!(problem.message.ends_with('.'), "{}", problem.message);
        prop_assert!(!problem.render(&sources).is_empty());
    }
    let starts = |p: &Diagnostic| p.span().map(|s| s.start);
    prop_assert!(problems.windows(2).all(|w| starts(&w[1]).is_none() || starts(&w[0]) <= starts(&w[1])));

    let mut has_error = false;
    for item in &tree.items {
        prop_assert!(in_text(item.span));
        has_error |= item.kind == ItemKind::Error;
        let mut open = Vec::new();
        item.for_each_part(&mut |part| open.push(part));
        while let Some(part) = open.pop() {
            prop_assert!(in_text(part.span()), "{:?} in {:?}", part, text);
            has_error |= match part {
                Part::Expr(e) => e.kind == ExprKind::Error,
                Part::Type(t) => t.kind == TypeKind::Error,
                Part::Strategy(s) => s.kind == StrategyKind::Error,
            };
            part.for_each(&mut |below| open.push(below));
        }
    }
    prop_assert!(!has_error || !problems.is_empty(), "{:?}", tree);
    if problems.is_empty() {
        survives_printing(language, &tree, &Options::default())?;
    }
    Ok(())
}

/// What others write is looked for behind signs of several bytes, too.
#[test]
fn signs_of_several_bytes_before_dots_and_paths_are_answered() {
    for text in ["▷2.5def declare =def ", "def f (x: f32) = ▷f32::max x", "def f (x: f32) = x ×np.sqrt(x)"]
    {
        for language in LANGUAGES {
            let (_, problems) = parse(language, FileId(0), text);
            assert!(!problems.is_empty(), "{text}");
        }
    }
}
