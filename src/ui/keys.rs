//! Keys: their spelling, and the table from keys to commands.
//!
//! In come the built-in `assets/keys.ron` and perhaps a file of the user's that replaces some of its entries; out
//! goes a [`Keymap`]. What must hold: in every context a sequence of keys means at most one command, and no
//! sequence begins with another one.

use std::fmt;
use std::str::FromStr;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde::Deserialize;

use super::assets;
use super::command::{Command, Context};

/// One key with its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// Keys pressed one after the other.
pub type Sequence = Vec<Chord>;

/// Names of the keys that are not characters.
const NAMED: [(&str, KeyCode); 15] = [
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Space", KeyCode::Char(' ')),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
];

/// The modifiers that are told apart.
const PREFIXES: [(&str, KeyModifiers); 3] =
    [("C-", KeyModifiers::CONTROL), ("A-", KeyModifiers::ALT), ("S-", KeyModifiers::SHIFT)];

impl From<KeyEvent> for Chord {
    /// Terminals report shift differently: a shifted character is its upper case and nothing else.
    fn from(event: KeyEvent) -> Chord {
        let mut modifiers =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let mut code = event.code;
        match code {
            KeyCode::BackTab => {
                code = KeyCode::Tab;
                modifiers |= KeyModifiers::SHIFT;
            }
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
                code = KeyCode::Char(c.to_ascii_lowercase());
                modifiers -= KeyModifiers::SHIFT;
            }
            KeyCode::Char(_) => modifiers -= KeyModifiers::SHIFT,
            _ => {}
        }
        Chord { code, modifiers }
    }
}

impl From<Chord> for KeyEvent {
    fn from(chord: Chord) -> KeyEvent {
        KeyEvent::new(chord.code, chord.modifiers)
    }
}

impl FromStr for Chord {
    type Err = String;

    fn from_str(text: &str) -> Result<Chord, String> {
        let mut rest = text;
        let mut modifiers = KeyModifiers::NONE;
        // A prefix counts only when something follows it, so that `-` and `C` stay keys.
        while let Some((prefix, modifier)) =
            PREFIXES.iter().find(|(p, _)| rest.len() > p.len() && rest.starts_with(p))
        {
            modifiers |= *modifier;
            rest = &rest[prefix.len()..];
        }
        let mut chars = rest.chars();
        let single = chars.next().filter(|_| chars.next().is_none());
        let function = rest.strip_prefix('F').and_then(|n| n.parse().ok()).filter(|n| (1..=12).contains(n));
        let named = NAMED.iter().find(|(name, _)| *name == rest).map(|(_, code)| *code);
        let code = single.map(KeyCode::Char).or(named).or(function.map(KeyCode::F));
        let code = code.ok_or_else(|| format!("`{text}` is no key"))?;
        Ok(Chord::from(KeyEvent::new(code, modifiers)))
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (prefix, modifier) in PREFIXES {
            if self.modifiers.contains(modifier) {
                f.write_str(prefix)?;
            }
        }
        if let Some((name, _)) = NAMED.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "F{n}"),
            other => write!(f, "{other}"),
        }
    }
}

/// Reads keys that are pressed one after the other.
pub fn sequence(text: &str) -> Result<Sequence, String> {
    let keys: Sequence = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    if keys.is_empty() { Err("there is an empty key".to_owned()) } else { Ok(keys) }
}

/// The spelling of keys that are pressed one after the other.
pub fn spell(keys: &[Chord]) -> String {
    keys.iter().map(Chord::to_string).collect::<Vec<_>>().join(" ")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    command: String,
    keys: Vec<String>,
    #[serde(default)]
    label: Option<String>,
}

/// The keys and the label of every command.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Keymap {
    bindings: Vec<Binding>,
    /// Whether commands are called by their names, where there are no keys to press.
    names: bool,
}

#[derive(Clone, PartialEq, Debug)]
struct Binding {
    command: Command,
    keys: Vec<Sequence>,
    label: String,
}

/// What keys mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A command.
    Command(Command),
    /// The beginning of a longer sequence.
    Prefix,
    /// Nothing.
    Nothing,
}

impl Keymap {
    /// The built-in table with the user's entries over it. A mistake is an error in a full sentence.
    pub fn load(overlay: Option<&str>) -> Result<Keymap, String> {
        let mut map = Keymap::default();
        for command in Command::ALL {
            map.bindings.push(Binding {
                command: *command,
                keys: Vec::new(),
                label: command.name().to_owned(),
            });
        }
        map.lay(assets::KEYS).map_err(|cause| format!("The built-in keys cannot be read: {cause}."))?;
        if let Some(text) = overlay {
            map.lay(text).map_err(|cause| format!("`keys.ron` cannot be read: {cause}."))?;
        }
        map.check().map_err(|cause| format!("The keys are ambiguous: {cause}."))?;
        Ok(map)
    }

    /// No keys: what is said of commands names them.
    pub fn of_names() -> Keymap {
        Keymap { bindings: Vec::new(), names: true }
    }

    fn lay(&mut self, text: &str) -> Result<(), String> {
        let entries: Vec<Entry> = assets::read(text)?;
        for entry in entries {
            let command = Command::from_name(&entry.command)
                .ok_or_else(|| format!("`{}` is no command", entry.command))?;
            let binding = &mut self.bindings[command as usize];
            binding.keys = entry.keys.iter().map(|keys| sequence(keys)).collect::<Result<_, _>>()?;
            if let Some(label) = entry.label {
                binding.label = label;
            }
        }
        Ok(())
    }

    /// No two meanings for one sequence, and none that begins with another, in each context.
    fn check(&self) -> Result<(), String> {
        for context in Context::ALL {
            let typing = matches!(context, Context::Choice | Context::Entry).then_some(Context::Typing);
            let bound: Vec<_> =
                std::iter::once(*context).chain(typing).flat_map(|c| self.in_context(c)).collect();
            for (i, (keys, command)) in bound.iter().enumerate() {
                for (other_keys, other) in &bound[i + 1..] {
                    if keys.starts_with(other_keys) || other_keys.starts_with(keys) {
                        let (a, b) = (command.name(), other.name());
                        let (x, y) = (spell(keys), spell(other_keys));
                        return Err(format!("`{x}` means `{a}` and `{y}` means `{b}`; give one other keys"));
                    }
                }
            }
        }
        Ok(())
    }

    fn in_context(&self, context: Context) -> impl Iterator<Item = (&Sequence, Command)> {
        let of = move |binding: &&Binding| binding.command.context() == context;
        self.bindings.iter().filter(of).flat_map(|b| b.keys.iter().map(|keys| (keys, b.command)))
    }

    /// A text in which the names of commands in braces are replaced by their keys, or by what to type.
    pub fn fill(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for command in Command::ALL.iter().filter(|_| text.contains('{')) {
            let key = self.key(*command).unwrap_or_else(|| format!(":{}", command.name()));
            out = out.replace(&format!("{{{}}}", command.name()), &key);
        }
        out
    }

    /// What these keys mean in a context.
    pub fn meaning(&self, context: Context, keys: &[Chord]) -> Meaning {
        let mut meaning = Meaning::Nothing;
        for (bound, command) in self.in_context(context) {
            if bound == keys {
                return Meaning::Command(command);
            }
            if bound.starts_with(keys) {
                meaning = Meaning::Prefix;
            }
        }
        meaning
    }

    /// All key sequences of a command.
    pub fn keys(&self, command: Command) -> &[Sequence] {
        self.bindings.get(command as usize).map_or(&[], |binding| &binding.keys)
    }

    /// The first key sequence of a command, spelt out.
    pub fn key(&self, command: Command) -> Option<String> {
        if self.names {
            return Some(match command {
                // What is a key while a text is typed is a command of its own where lines are.
                Command::TypingPlace => format!("`{}`", Command::Place.name()),
                Command::EntryAccept => "The same line".to_owned(),
                Command::ChoiceBack => "an empty line".to_owned(),
                _ => format!("`{}`", command.name()),
            });
        }
        self.keys(command).first().map(|keys| spell(keys))
    }

    /// The word for a command in the line of hints.
    pub fn label(&self, command: Command) -> &str {
        self.bindings.get(command as usize).map_or("", |binding| &binding.label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_spelt() {
        for text in ["q", "C-r", "S-Tab", "g g", "F1", "A-Enter", "Space", "-", "C", "?", ":", "PgDn"] {
            assert_eq!(spell(&sequence(text).unwrap()), text);
        }
        for text in ["", "Entr", "F13", "C-", "ab"] {
            assert!(sequence(text).is_err() || text == "C-", "{text}");
        }
    }

    #[test]
    fn shift_is_the_upper_case() {
        let event = KeyEvent::new(KeyCode::Char('K'), KeyModifiers::SHIFT);
        assert_eq!(Chord::from(event), "K".parse().unwrap());
        let event = KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT);
        assert_eq!(Chord::from(event), "S-Tab".parse().unwrap());
    }

    #[test]
    fn every_command_of_the_screen_has_keys_or_arguments() {
        let map = Keymap::load(None).unwrap();
        for command in Command::ALL {
            let reachable = !map.keys(*command).is_empty() || command.arguments().is_some();
            assert!(reachable, "{} has no key and cannot be typed", command.name());
            assert!(!map.label(*command).is_empty());
        }
    }

    #[test]
    fn the_user_replaces_some_keys() {
        let map = Keymap::load(Some(r#"[(command: "quit", keys: ["A-q"])]"#)).unwrap();
        let key = |text: &str| sequence(text).unwrap();
        assert_eq!(map.meaning(Context::Screen, &key("A-q")), Meaning::Command(Command::Quit));
        assert_eq!(map.meaning(Context::Screen, &key("q")), Meaning::Nothing);
        assert_eq!(map.meaning(Context::Screen, &key("u")), Meaning::Command(Command::Undo));
        assert_eq!(map.meaning(Context::Screen, &key("g")), Meaning::Prefix);
    }

    #[test]
    fn mistakes_are_named() {
        let load = |text| Keymap::load(Some(text)).unwrap_err();
        let clash = load(r#"[(command: "quit", keys: ["u"])]"#);
        assert!(clash.contains("`undo`") && clash.contains("`quit`"), "{clash}");
        assert!(load(r#"[(command: "quit", keys: ["g"])]"#).contains("`top`"));
        assert!(load(r#"[(command: "qit", keys: ["q"])]"#).contains("`qit` is no command"));
        assert!(load(r#"[(command: "quit", keys: ["Qx"])]"#).contains("`Qx` is no key"));
    }
}
