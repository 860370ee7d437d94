//! What a code means: a page for every code that a diagnostic may have, with an example that provokes it.
//!
//! The pages are text, one file a group of codes, in `assets/explain`. A page starts with `## CODE: title`. Of its
//! fenced blocks, `rise`, `rules`, `elevate` and `ron` are files (named `program.rise` and so on unless the fence gives
//! a name) and `console` the commands to type; without commands it is `shine-tui compile program.rise`. The tests run
//! every example and keep what it says. A page that shows no example says why in a line that starts with [`UNSHOWN`].

/// The groups of pages, in order.
const GROUPS: [&str; 10] = [
    include_str!("../../assets/explain/E00.md"),
    include_str!("../../assets/explain/E01.md"),
    include_str!("../../assets/explain/E02.md"),
    include_str!("../../assets/explain/E03.md"),
    include_str!("../../assets/explain/E04.md"),
    include_str!("../../assets/explain/E05.md"),
    include_str!("../../assets/explain/E06.md"),
    include_str!("../../assets/explain/E07.md"),
    include_str!("../../assets/explain/E08.md"),
    include_str!("../../assets/explain/E09.md"),
];

/// How the line starts that says why a page has no example.
pub const UNSHOWN: &str = "No example: ";

/// The page of a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    pub code: &'static str,
    pub title: &'static str,
    /// The title of the group of codes that it belongs to.
    pub group: &'static str,
    body: &'static str,
}

/// A fenced block of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The language, or `console` for commands.
    pub kind: &'static str,
    /// The name of the file, where the fence gives one.
    pub name: Option<&'static str>,
    pub text: &'static str,
}

/// All pages, in the order of their codes.
pub fn pages() -> impl Iterator<Item = Page> {
    GROUPS.iter().flat_map(|group| {
        let mut sections = group.split("\n## ");
        let intro = sections.next().unwrap_or("");
        let title = intro.lines().next().map_or("", |line| line.trim_start_matches("# "));
        sections.filter_map(move |section| {
            let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
            let (code, name) = heading.split_once(": ")?;
            Some(Page { code, title: name.trim(), group: title, body: body.trim_matches('\n') })
        })
    })
}

/// The page of a code, in small letters too.
pub fn page(code: &str) -> Option<Page> {
    pages().find(|p| p.code.eq_ignore_ascii_case(code.trim()))
}

/// The page that somebody may have meant who asked for a code that there is not: that of the nearest.
pub fn meant(text: &str) -> Option<Page> {
    let number: u32 = text.trim().trim_start_matches(['E', 'e']).parse().ok()?;
    let far = |p: &Page| p.code[1..].parse().map_or(u32::MAX, |n: u32| n.abs_diff(number));
    pages().min_by_key(far)
}

/// All codes with their titles, below the titles of their groups.
pub fn listing() -> String {
    listed(pages())
}

/// The codes that have a word in their titles, as [`listing`] has all; none where there are none.
pub fn with_word(word: &str) -> Option<String> {
    let word = word.trim().to_lowercase();
    let found = pages().filter(|p| !word.is_empty() && p.title.to_lowercase().contains(&word));
    Some(listed(found)).filter(|text| !text.is_empty())
}

fn listed(all: impl IntoIterator<Item = Page>) -> String {
    let (mut text, mut group) = (String::new(), "");
    for page in all {
        if page.group != group {
            group = page.group;
            text += &format!("{group}\n");
        }
        text += &format!("  {}  {}\n", page.code, page.title);
    }
    text
}

impl Page {
    /// The page as plain text: the fences are gone, what they held is indented.
    pub fn text(&self) -> String {
        let mut out = format!("{}: {}\n", self.code, self.title);
        let mut fenced = false;
        for line in self.body.lines() {
            if line.starts_with("```") {
                fenced = !fenced;
            } else if fenced && !line.is_empty() {
                out += &format!("\n    {line}");
            } else {
                out += &format!("\n{line}");
            }
        }
        out.push('\n');
        out
    }

    /// The files and commands of its example.
    pub fn blocks(&self) -> Vec<Block> {
        let mut out = vec![];
        let mut rest = self.body;
        while let Some((_, from)) = rest.split_once("```") {
            let (Some((info, text)), Some(end)) = (from.split_once('\n'), from.find("\n```")) else { break };
            let text = text.get(..end - info.len()).unwrap_or("");
            let (kind, name) = info.split_once(' ').map_or((info, None), |(k, n)| (k, Some(n)));
            out.push(Block { kind, name, text });
            rest = &from[end + 4..];
        }
        out
    }

    /// Why it shows no example, where it shows none.
    pub fn unshown(&self) -> Option<&'static str> {
        self.body.lines().find_map(|line| line.strip_prefix(UNSHOWN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_in_order_and_whole() {
        let all: Vec<Page> = pages().collect();
        assert!(all.windows(2).all(|w| w[0].code < w[1].code));
        for page in &all {
            assert!(page.code.len() == 5 && page.code.starts_with('E'), "{}", page.code);
            assert!(!page.title.is_empty() && !page.title.ends_with('.'), "{}", page.code);
            let prose: String = page.body.split("```").step_by(2).collect();
            assert!(prose.trim().len() > 60, "{} says something", page.code);
            assert_eq!(page.body.matches("```").count(), 2 * page.blocks().len(), "{}", page.code);
            assert!(
                page.text().lines().all(|l| l.chars().count() <= 100),
                "{} is no wider than 100",
                page.code
            );
            assert_ne!(
                page.unshown().is_some(),
                !page.blocks().is_empty(),
                "{}: an example or why not",
                page.code
            );
        }
    }

    #[test]
    fn blocks_and_text() {
        let page = Page {
            code: "E0000",
            title: "t",
            group: "g",
            body: "A.\n\n```rise a.rise\ndef f = 1\n```\n\nB.",
        };
        assert_eq!(
            page.text(),
            "E0000: t\n\nA.\n\n    def f = 1\n\nB.\n".replacen("\n\n    def", "\n\n\n    def", 0)
        );
        assert_eq!(page.blocks(), [Block { kind: "rise", name: Some("a.rise"), text: "def f = 1\n" }]);
    }

    #[test]
    fn what_was_meant() {
        assert_eq!(page("e0110").map(|p| p.code), Some("E0110"));
        let code = |text: &str| meant(text).map(|page| page.code);
        assert_eq!((code("110"), code("E0116")), (Some("E0110"), Some("E0115")));
        assert!(["", "\u{1b}", "bracket"].iter().all(|text| code(text).is_none()));
        // The codes of a word are below their groups, as all are.
        let listed = with_word("Bracket").unwrap();
        let codes = listed.lines().filter(|line| line.starts_with("  E"));
        assert!(codes.count() >= 2 && listed.lines().all(|line| listing().contains(line)), "{listed}");
        assert!(with_word("").is_none() && with_word("\u{1b}").is_none() && with_word("E0116").is_none());
    }
}
