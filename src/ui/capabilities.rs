//! What the terminal can show: how many colours, which characters.
//!
//! Decided once, from the command line, the configuration and the environment, in this order: `--color`, the
//! configuration, `NO_COLOR`, `CLICOLOR_FORCE`, `COLORTERM`, `TERM`. Pure: the environment comes in as a function.

use std::str::FromStr;

use crate::view::Alphabet;

/// How many colours may be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// No colours; emphasis by reverse video, bold and words.
    Mono,
    /// The terminal's own sixteen colours.
    Ansi16,
    /// The table of 256 colours.
    Ansi256,
    /// Any colour.
    True,
}

/// What the user asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColourChoice {
    /// Look at the environment.
    #[default]
    Auto,
    /// This many, whatever the environment says.
    Depth(Depth),
}

impl FromStr for ColourChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(ColourChoice::Auto),
            "never" | "mono" => Ok(ColourChoice::Depth(Depth::Mono)),
            "16" | "always" => Ok(ColourChoice::Depth(Depth::Ansi16)),
            "256" => Ok(ColourChoice::Depth(Depth::Ansi256)),
            "true" => Ok(ColourChoice::Depth(Depth::True)),
            _ => Err(format!("`{text}` is no choice of colours; use never, 16, 256, true or auto.")),
        }
    }
}

/// What the terminal can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// How many colours.
    pub depth: Depth,
    /// Which characters.
    pub alphabet: Alphabet,
}

/// The environment, as a function from a variable's name to its value.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Capabilities {
    /// Decides. `flag` and `config` are the two places where the user can say it; `ascii` asks for ASCII.
    pub fn decide(
        flag: ColourChoice,
        config: ColourChoice,
        ascii: bool,
        env: Environment<'_>,
    ) -> Capabilities {
        let depth = match (flag, config) {
            (ColourChoice::Depth(depth), _) | (ColourChoice::Auto, ColourChoice::Depth(depth)) => depth,
            (ColourChoice::Auto, ColourChoice::Auto) => depth_of(env),
        };
        let alphabet = if ascii || !locale_is_utf8(env) { Alphabet::Ascii } else { Alphabet::Unicode };
        Capabilities { depth, alphabet }
    }
}

/// Whether the terminal cannot place a cursor, so that no screen is possible.
pub fn is_dumb(env: Environment<'_>) -> bool {
    env("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

fn depth_of(env: Environment<'_>) -> Depth {
    let given = |name: &str| env(name).filter(|value| !value.is_empty());
    if given("NO_COLOR").is_some() {
        return Depth::Mono;
    }
    let colorterm = given("COLORTERM").unwrap_or_default();
    let term = given("TERM").unwrap_or_default();
    let found = if ["truecolor", "24bit"].contains(&colorterm.as_str()) || term.ends_with("-direct") {
        Depth::True
    } else if term.contains("256color") {
        Depth::Ansi256
    } else if term.is_empty() || term == "dumb" || term.starts_with("vt1") || term.starts_with("vt2") {
        Depth::Mono
    } else {
        Depth::Ansi16
    };
    match given("CLICOLOR_FORCE") {
        Some(force) if force != "0" => found.max(Depth::Ansi16),
        _ => found,
    }
}

/// Whether the locale's characters are UTF-8: the first of `LC_ALL`, `LC_CTYPE`, `LANG` that is set decides.
fn locale_is_utf8(env: Environment<'_>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env(name).filter(|v| !v.is_empty()));
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(flag: &str, config: &str, variables: &[(&str, &str)]) -> Capabilities {
        let env = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        Capabilities::decide(flag.parse().unwrap(), config.parse().unwrap(), false, &env)
    }

    #[test]
    fn the_order_of_decision() {
        let all = [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"), ("COLORTERM", "truecolor"), ("TERM", "xterm")];
        assert_eq!(decide("256", "true", &all).depth, Depth::Ansi256);
        assert_eq!(decide("auto", "true", &all).depth, Depth::True);
        assert_eq!(decide("auto", "auto", &all).depth, Depth::Mono);
        assert_eq!(decide("auto", "auto", &all[1..]).depth, Depth::True);
        assert_eq!(decide("auto", "auto", &all[3..]).depth, Depth::Ansi16);
        assert_eq!(decide("auto", "auto", &[("TERM", "dumb")]).depth, Depth::Mono);
        assert_eq!(decide("auto", "auto", &[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")]).depth, Depth::Ansi16);
        assert_eq!(decide("auto", "auto", &[("TERM", "tmux-256color")]).depth, Depth::Ansi256);
    }

    #[test]
    fn an_empty_no_color_does_not_count() {
        assert_eq!(decide("auto", "auto", &[("NO_COLOR", ""), ("TERM", "xterm")]).depth, Depth::Ansi16);
    }

    #[test]
    fn the_locale_chooses_the_alphabet() {
        assert_eq!(decide("auto", "auto", &[("LANG", "C.UTF-8")]).alphabet, Alphabet::Unicode);
        assert_eq!(
            decide("auto", "auto", &[("LANG", "de_DE.utf8"), ("LC_ALL", "C")]).alphabet,
            Alphabet::Ascii
        );
        assert_eq!(decide("auto", "auto", &[]).alphabet, Alphabet::Ascii);
    }

    #[test]
    fn a_terminal_without_a_name_is_dumb() {
        assert!(is_dumb(&|_| None));
        assert!(!is_dumb(&|_| Some("xterm".to_owned())));
    }
}
