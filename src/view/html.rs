//! Lines as one page of HTML that needs nothing else: no script, no font, no picture from elsewhere.
//!
//! Every text is escaped here and nowhere else, so that no program, label or message becomes markup.

use super::text::{Line, Mark, Role};
use std::fmt::Write;

/// A part of the page.
pub struct Section {
    /// Its heading.
    pub title: String,
    /// Sentences before the lines: they are broken where there is no room.
    pub said: Vec<Line>,
    /// Code, tables and pictures: they are not broken, and scroll where there is no room.
    pub lines: Vec<Line>,
    /// Whether it is shown only when its heading is chosen.
    pub folded: bool,
    /// What it is one of many of: those that follow each other are led to as one.
    pub group: Option<&'static str>,
}

impl Section {
    /// A part that is shown.
    pub fn new(title: impl Into<String>, lines: Vec<Line>) -> Section {
        Section { title: title.into(), said: vec![], lines, folded: false, group: None }
    }

    /// A part of sentences that is shown.
    pub fn said(title: impl Into<String>, said: Vec<Line>) -> Section {
        Section { said, ..Section::new(title, vec![]) }
    }

    /// A part that is shown when its heading is chosen.
    pub fn folded(title: impl Into<String>, lines: Vec<Line>) -> Section {
        Section { folded: true, ..Section::new(title, lines) }
    }

    /// One of many, each shown when its heading is chosen.
    pub fn of(group: &'static str, title: impl Into<String>, lines: Vec<Line>) -> Section {
        Section { group: Some(group), ..Section::folded(title, lines) }
    }
}

/// The styles: dark on light with a contrast of at least 4.5 to 1, and the other way round where that is asked for.
const STYLE: &str = "\
:root{color-scheme:light dark;--back:#fff;--text:#1a1a1a;--dim:#5c5c5c;--key:#6b2fb3;--name:#0b5394;--number:#9a3b00;\
--good:#1b6e20;--warn:#8a4b00;--bad:#b00020;--plus:#d9f2dc;--minus:#fbdcdc}\
@media(prefers-color-scheme:dark){:root{--back:#16181c;--text:#e6e6e6;--dim:#a3a3a3;--key:#cfa7ff;--name:#8cc4ff;\
--number:#ffb78a;--good:#8fdc95;--warn:#ffc66d;--bad:#ff9a9a;--plus:#173a1c;--minus:#4a1c1c}}\
body{background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:72rem;padding:1rem}\
h1{font-size:1.5rem}h2,summary{font-size:1.15rem;font-weight:600;margin:1.5rem 0 .5rem}summary{cursor:pointer}\
pre{font:14px/1.45 ui-monospace,monospace;overflow-x:auto;margin:0;padding:.5rem 0}nav li{list-style:none}\
nav ul{padding:0;margin:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}pre.said{white-space:pre-wrap;overflow-wrap:anywhere}\
h1,h2,summary{overflow-wrap:anywhere}details details{margin-left:1rem}details details summary{font-size:1rem}a{color:var(--name)}\
.dim{color:var(--dim)}.key{color:var(--key)}.name{color:var(--name)}.number{color:var(--number)}.good{color:var(--good)}\
.warn{color:var(--warn)}.bad{color:var(--bad)}.title{font-weight:600}ins{background:var(--plus);text-decoration:none}\
del{background:var(--minus);text-decoration:none}mark{background:none;color:inherit;text-decoration:underline}";

/// The page. Nothing in it is loaded from anywhere, which it also forbids.
pub fn page(title: &str, sections: &[Section]) -> String {
    let mut out = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";
    let _ = write!(out, "<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n", escaped(title));
    let _ = write!(out, "<h1>{}</h1>\n<nav aria-label=\"Contents\"><ul>\n", escaped(title));
    for (i, (group, _)) in parts(sections).into_iter().enumerate() {
        let _ = writeln!(out, "<li><a href=\"#s{i}\">{}</a></li>", escaped(group));
    }
    out += "</ul></nav>\n<main>\n";
    for (i, (title, sections)) in parts(sections).into_iter().enumerate() {
        let _ = match sections {
            [one] if one.group.is_none() => part(&mut out, one, Some(i)),
            many => {
                let title = format!("{title} ({})", many.len());
                let begun = writeln!(out, "<details id=\"s{i}\"><summary>{}</summary>", escaped(&title));
                let all = many.iter().try_for_each(|section| part(&mut out, section, None));
                begun.and(all).and_then(|()| writeln!(out, "</details>"))
            }
        };
    }
    out += "</main>\n</body>\n</html>\n";
    out
}

/// What is led to: sections by themselves under their titles, and those of a group together.
fn parts(sections: &[Section]) -> Vec<(&str, &[Section])> {
    let same = |a: &Section, b: &Section| a.group.is_some() && a.group == b.group;
    let of = |part| -> (&str, &[Section]) {
        let part: &[Section] = part;
        let title = part.first().map_or("", |first| first.group.unwrap_or(&first.title));
        (title, part)
    };
    sections.chunk_by(same).map(of).collect()
}

/// A section; one that is led to has a number.
fn part(out: &mut String, section: &Section, number: Option<usize>) -> std::fmt::Result {
    let title = escaped(&section.title);
    let id = number.map(|i| format!(" id=\"s{i}\"")).unwrap_or_default();
    let body = |class: &str, lines: &[Line]| match lines {
        [] => String::new(),
        lines => format!("<pre{class}>{}</pre>", lines.iter().map(|l| line(l) + "\n").collect::<String>()),
    };
    let body = body(" class=\"said\"", &section.said) + &body("", &section.lines);
    if section.folded {
        // A browser that is led to what is folded opens it.
        writeln!(out, "<details><summary>{title}</summary>\n<div{id}>{body}</div></details>")
    } else {
        writeln!(out, "<section{id}><h2>{title}</h2>\n{body}</section>")
    }
}

/// A text in which nothing is markup, and nothing commands how it is shown.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in crate::lang::source::harmless(text).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

fn line(line: &Line) -> String {
    let mut out = String::new();
    for span in &line.spans {
        let text = escaped(&span.text);
        let text = match class(span.role) {
            Some(class) => format!("<span class=\"{class}\">{text}</span>"),
            None => text,
        };
        out += &match span.mark {
            Mark::Inserted => format!("<ins>{text}</ins>"),
            Mark::Deleted => format!("<del>{text}</del>"),
            Mark::None => text,
            _ => format!("<mark>{text}</mark>"),
        };
    }
    out
}

fn class(role: Role) -> Option<&'static str> {
    Some(match role {
        Role::Dim | Role::Hint => "dim",
        Role::Keyword | Role::Key => "key",
        Role::PatternHigh | Role::PatternLow | Role::PatternOpencl => "name",
        Role::Literal | Role::Number | Role::Size => "number",
        Role::Good => "good",
        Role::Warning => "warn",
        Role::Error => "bad",
        Role::Title => "title",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        let hostile = "</pre><script>alert('x')</script><img src=\"http://a.b/c\" onerror=alert(1)>&amp;\u{202e}\u{1b}[2J";
        let lines = vec![Line::of(Role::Good, hostile), Line::plain(hostile).marked(Mark::Deleted)];
        let text = page(hostile, &[Section::new(hostile, lines.clone()), Section::folded(hostile, lines)]);
        for wrong in ["<script", "<img", "</pre><", "\u{202e}", "\u{1b}"] {
            let allowed = if wrong == "</pre><" { 2 } else { 0 };
            assert_eq!(text.matches(wrong).count(), allowed, "{wrong}");
        }
        // What is opened is closed, and nothing is loaded.
        for tag in
            ["html", "head", "body", "main", "nav", "ul", "section", "details", "pre", "span", "del", "title"]
        {
            let opened =
                text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        assert!(!text.contains(" src=\"") && !text.contains("@import") && !text.contains("url("));
        assert!(text.contains("&lt;script&gt;"));
    }

    #[test]
    fn many_of_a_kind_are_led_to_as_one() {
        let section = |title: &str| Section::new(title, vec![Line::plain("x")]);
        let of = |title: &str| Section::of("Steps", title, vec![]);
        let said = Section { said: vec![Line::plain("y")], ..section("Said") };
        let text = page("t", &[section("A"), of("one"), of("two"), of("three"), said]);
        assert_eq!(text.matches("<li>").count(), 3, "{text}");
        assert!(
            text.contains("<a href=\"#s1\">Steps</a>")
                && text.contains("<details id=\"s1\"><summary>Steps (3)")
        );
        let both = "<section id=\"s2\"><h2>Said</h2>\n<pre class=\"said\">y\n</pre><pre>x\n</pre>";
        assert!(text.contains(both), "{text}");
        // Each place that is led to is there once.
        for i in 0..3 {
            assert_eq!(text.matches(&format!("id=\"s{i}\"")).count(), 1, "{text}");
        }
    }

    /// The contrast of two colours by the rules for accessible pages.
    #[test]
    fn every_colour_can_be_read_on_its_ground() {
        let luminance = |colour: &str| {
            let long = if colour.len() == 3 {
                colour.chars().flat_map(|c| [c, c]).collect()
            } else {
                colour.to_owned()
            };
            let part = |i: usize| {
                let c = f64::from(u8::from_str_radix(&long[i..i + 2], 16).unwrap()) / 255.0;
                if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
        };
        let schemes: Vec<&str> = STYLE.split("--back:#").skip(1).collect();
        assert_eq!(schemes.len(), 2);
        for scheme in schemes {
            let scheme = format!("--back:#{}", scheme.split('}').next().unwrap());
            let colours: Vec<(&str, f64)> = scheme
                .split(';')
                .filter_map(|entry| entry.split_once(":#"))
                .map(|(name, colour)| (name, luminance(colour)))
                .collect();
            let of = |name: &str| colours.iter().find(|(n, _)| *n == name).unwrap().1;
            for (name, light) in colours.iter().filter(|(n, _)| !["--back", "--plus", "--minus"].contains(n))
            {
                let (a, b) = (light.max(of("--back")), light.min(of("--back")));
                assert!((a + 0.05) / (b + 0.05) >= 4.5, "{name} on its ground of {scheme}");
            }
            let grounds = ["--back", "--plus", "--minus"];
            for ground in ["--plus", "--minus"] {
                for (name, light) in colours.iter().filter(|(n, _)| !grounds.contains(n)) {
                    let (a, b) = (light.max(of(ground)), light.min(of(ground)));
                    assert!((a + 0.05) / (b + 0.05) >= 4.5, "{name} on {ground} of {scheme}");
                }
            }
        }
    }
}
