//! Every source file of the repository parses without a problem, and is formatted.

use super::super::ast::Language;
use super::super::{format, outline, parse, parse_item, print};
use crate::diag::{Charset, Sources, render_all};

fn sources_below(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|e| e.unwrap().path()) {
        if path.is_dir() {
            sources_below(&path, found);
        } else if Language::of_path(&path.to_string_lossy()).is_some() {
            found.push(path);
        }
    }
}

#[test]
fn shipped_sources_have_no_problems_and_keep_their_trees_when_formatted() {
    let mut paths = Vec::new();
    for folder in ["kernels", "rules", "src"] {
        sources_below(
            &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder),
            &mut paths,
        );
    }
    paths.sort();
    assert!(paths.len() >= 3);
    for path in paths {
        let name = path.to_string_lossy();
        let text = std::fs::read_to_string(&path).unwrap();
        let language = Language::of_path(&name).unwrap();
        let mut sources = Sources::new();
        let id = sources.add(&name, &text);
        let (tree, problems) = parse(language, id, &text);
        assert!(problems.is_empty(), "{}", render_all(&problems, &sources, Charset::Ascii));
        // The library is read definition by definition.
        if name.contains("/rules/") {
            let outlined = outline(&text);
            assert_eq!(outlined.len(), tree.items.len(), "{name}");
            for (outlined, item) in outlined.into_iter().zip(&tree.items) {
                assert_eq!(Some(outlined.name), item.kind.name().map(|n| &*n.kind), "{name}");
                assert_eq!(outlined.span(id), item.span, "{name}: {}", outlined.name);
                assert_eq!(parse_item(language, id, &text, outlined.range).as_ref(), Some(item));
            }
        }
        let formatted = format(language, id, &text, &print::Options::default()).unwrap();
        assert_eq!(parse(language, id, &formatted), (tree, vec![]), "{name}");
        if name.contains("/kernels/") {
            assert_eq!(formatted, text, "{name} is not formatted");
        }
    }
}
