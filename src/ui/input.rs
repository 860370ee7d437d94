//! What the bytes mean that a terminal sends: keys, the mouse, pasted text.
//!
//! In come bytes as they are read; out go events. What must hold: whatever was sent, what is pressed after it is a key
//! again. So a sequence ends where the grammar of all sequences (ECMA-48) ends it, whether it means something here or
//! not; what can be in no sequence, as Ctrl-C, breaks it off; and what is not complete when nothing has come for a
//! while is over. Numbers are whatever they are: a mouse that is dragged over the edge is in column 0, or further.

use std::time::Duration;

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers as Modifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// After so long without a byte a sequence that has begun is over.
const SILENCE: Duration = Duration::from_millis(200);
/// The same of a text that is being pasted: what came late of it would be taken for keys.
const PASTE_SILENCE: Duration = Duration::from_secs(3);

const ESC: u8 = 0x1b;
const BELL: u8 = 0x07;
const PASTE: &[u8] = b"\x1b[200~";
const PASTED: &[u8] = b"\x1b[201~";

/// Bytes that have come and have no meaning yet.
#[derive(Default)]
pub struct Input {
    bytes: Vec<u8>,
    /// In so many of them, which begin a paste, its end is not.
    pasting: usize,
}

/// What the first bytes are.
enum First {
    /// So many bytes are a sequence, with a meaning or without one.
    Is(usize, Option<Event>),
    /// What they are follows from what comes next.
    Begun,
}

impl Input {
    /// Takes bytes. Are there `more`, which have come and are not read yet? Then an Esc at the end is not known to be the key.
    pub fn take(&mut self, bytes: &[u8], more: bool) -> Vec<Event> {
        self.bytes.extend_from_slice(bytes);
        let mut events = vec![];
        while !self.bytes.is_empty() {
            if self.bytes.starts_with(PASTE) {
                let from = self.pasting.max(PASTE.len());
                let end = self.bytes[from..].windows(PASTED.len()).position(|window| window == PASTED);
                let Some(end) = end.map(|end| from + end) else {
                    // The mark of the end may have begun.
                    self.pasting = (self.bytes.len() + 1).saturating_sub(PASTED.len());
                    break;
                };
                events.push(self.pasted(end));
                self.bytes.drain(..end + PASTED.len());
                continue;
            }
            match first(&self.bytes, more) {
                First::Is(length, event) => {
                    events.extend(event);
                    self.bytes.drain(..length);
                }
                First::Begun => break,
            }
        }
        events
    }

    /// Nothing has come for so long: what cannot be complete any more is taken for what it is.
    pub fn silent(&mut self, silence: Duration) -> Option<Event> {
        let pastes = self.bytes.starts_with(PASTE);
        if self.bytes.is_empty() || silence < if pastes { PASTE_SILENCE } else { SILENCE } {
            return None;
        }
        let event = match &*self.bytes {
            _ if pastes => Some(self.pasted(self.bytes.len())),
            [ESC] => Some(key(KeyCode::Esc, Modifiers::NONE)),
            // With Alt held, keys send how sequences begin.
            &[ESC, byte] if byte.is_ascii_graphic() => Some(alt(character(char::from(byte)))),
            _ => None,
        };
        self.bytes.clear();
        event
    }

    /// The text of a paste that ends before this byte.
    fn pasted(&mut self, end: usize) -> Event {
        self.pasting = 0;
        Event::Paste(String::from_utf8_lossy(&self.bytes[PASTE.len()..end]).into_owned())
    }
}

/// What bytes begin with; there is at least one.
fn first(bytes: &[u8], more: bool) -> First {
    match bytes {
        [ESC] | [ESC, b']' | b'P' | b'_' | b'^'] if more => First::Begun,
        [ESC] | [ESC, ESC | 0x03, ..] => First::Is(1, Some(key(KeyCode::Esc, Modifiers::NONE))),
        [ESC, b'[', rest @ ..] => control_sequence(rest),
        [ESC, b'O', rest @ ..] => match rest {
            [] => First::Begun,
            [last @ b' '..=b'~', ..] => First::Is(3, named(*last, Modifiers::NONE)),
            _ => First::Is(2, None),
        },
        [ESC, b']' | b'P' | b'_' | b'^', _, ..] => string(bytes),
        [ESC, rest @ ..] => match first(rest, more) {
            First::Is(length, event) => First::Is(length + 1, event.map(alt)),
            First::Begun => First::Begun,
        },
        _ => one(bytes),
    }
}

/// A key that is no sequence.
fn one(bytes: &[u8]) -> First {
    let control = |c: u8| Some(key(KeyCode::Char(char::from(c)), Modifiers::CONTROL));
    let event = match bytes[0] {
        b'\r' => Some(key(KeyCode::Enter, Modifiers::NONE)),
        b'\t' => Some(key(KeyCode::Tab, Modifiers::NONE)),
        0x7f => Some(key(KeyCode::Backspace, Modifiers::NONE)),
        0 => control(b' '),
        byte @ 0x01..=0x1a => control(byte - 1 + b'a'),
        byte @ 0x1b..=0x1f => control(byte - 0x1c + b'4'),
        byte @ b' '..=b'~' => Some(character(char::from(byte))),
        _ => {
            let start = &bytes[..bytes.len().min(4)];
            let whole = match std::str::from_utf8(start) {
                Ok(text) => text,
                Err(error) => match (error.valid_up_to(), error.error_len()) {
                    (0, None) => return First::Begun,
                    (0, Some(length)) => return First::Is(length, None),
                    (valid, _) => std::str::from_utf8(&start[..valid]).unwrap_or_default(),
                },
            };
            let c = whole.chars().next();
            return First::Is(c.map_or(1, char::len_utf8), c.map(character));
        }
    };
    First::Is(1, event)
}

/// What follows `ESC [`: parameters, and a byte that says what they are of.
fn control_sequence(rest: &[u8]) -> First {
    // Where terminals are old, three bytes are the mouse, and two are a function key.
    match rest {
        [b'M', more @ ..] => {
            return match more.iter().take(3).position(|byte| *byte < b' ') {
                Some(length) => First::Is(3 + length, None),
                None if more.len() < 3 => First::Begun,
                None => {
                    let [button, column, row] = [0, 1, 2].map(|i| i64::from(more[i]) - 32);
                    First::Is(6, mouse(button, column, row, false))
                }
            };
        }
        [b'['] => return First::Begun,
        [b'[', last @ b'A'..=b'E', ..] => {
            return First::Is(4, Some(key(KeyCode::F(1 + last - b'A'), Modifiers::NONE)));
        }
        _ => {}
    }
    let parameters = rest.iter().take_while(|byte| (b' '..=b'?').contains(*byte)).count();
    match rest.get(parameters) {
        None => First::Begun,
        Some(last @ b'@'..=b'~') => {
            let text = std::str::from_utf8(&rest[..parameters]).unwrap_or_default();
            First::Is(parameters + 3, meaning(text, *last))
        }
        // What is in no sequence breaks this one off.
        Some(_) => First::Is(parameters + 2, None),
    }
}

/// The answer of a terminal to what somebody asked: a text up to `ESC \` or a bell.
fn string(bytes: &[u8]) -> First {
    let text = bytes[2..].iter().take_while(|byte| **byte >= b' ').count() + 2;
    match &bytes[text..] {
        [] | [ESC] => First::Begun,
        [BELL, ..] => First::Is(text + 1, None),
        [ESC, b'\\', ..] => First::Is(text + 2, None),
        _ => First::Is(text, None),
    }
}

/// What a sequence of these parameters and this last byte says.
fn meaning(parameters: &str, last: u8) -> Option<Event> {
    let (mouses, parameters) = match parameters.strip_prefix('<') {
        Some(rest) => (true, rest),
        None => (false, parameters),
    };
    let mut fields = parameters.split(';').map(|field| {
        let mut parts = field.split(':').map(|part| part.parse::<i64>().ok());
        (parts.next().flatten(), parts.next().flatten())
    });
    let [first, second, third] = [(); 3].map(|()| fields.next().unwrap_or_default());
    let of_mouse = [first.0, second.0, third.0];
    match (last, of_mouse) {
        (b'M' | b'm', [Some(button), Some(column), Some(row)]) => {
            return mouse(if mouses { button } else { button - 32 }, column, row, last == b'm');
        }
        _ if mouses => return None,
        _ => {}
    }
    // The second part of the second parameter tells that a key was let go.
    if second.1 == Some(3) {
        return None;
    }
    let held = modifiers(second.0.unwrap_or(1));
    match last {
        b'~' => special(first.0?, held),
        b'u' => {
            let code = match char::from_u32(u32::try_from(first.0?).ok()?)? {
                '\x1b' => KeyCode::Esc,
                '\r' => KeyCode::Enter,
                '\t' if held.contains(Modifiers::SHIFT) => KeyCode::BackTab,
                '\t' => KeyCode::Tab,
                '\x7f' => KeyCode::Backspace,
                // What keys without a character send lies where Unicode has none.
                c if c.is_control() || ('\u{e000}'..='\u{f8ff}').contains(&c) => return None,
                c => KeyCode::Char(c),
            };
            Some(key(code, held))
        }
        b'Z' => Some(key(KeyCode::BackTab, Modifiers::SHIFT)),
        // With numbers it says where the cursor is.
        b'R' => None,
        last => named(last, held),
    }
}

/// Keys that are told by a letter.
fn named(last: u8, held: Modifiers) -> Option<Event> {
    let code = match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P'..=b'S' => KeyCode::F(1 + last - b'P'),
        _ => return None,
    };
    Some(key(code, held))
}

/// Keys that are told by a number.
fn special(number: i64, held: Modifiers) -> Option<Event> {
    let function = |number: i64| u8::try_from(number).map_or(KeyCode::Null, KeyCode::F);
    let code = match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => function(number - 10),
        17..=21 => function(number - 11),
        23..=26 => function(number - 12),
        28..=29 => function(number - 15),
        31..=34 => function(number - 17),
        _ => return None,
    };
    Some(key(code, held))
}

/// What is held, from a number that is one more than the sum of what each is worth.
fn modifiers(number: i64) -> Modifiers {
    const WORTH: [(i64, Modifiers); 6] = [
        (1, Modifiers::SHIFT),
        (2, Modifiers::ALT),
        (4, Modifiers::CONTROL),
        (8, Modifiers::SUPER),
        (16, Modifiers::HYPER),
        (32, Modifiers::META),
    ];
    let sum = number.saturating_sub(1).max(0);
    WORTH.iter().filter(|(worth, _)| sum & worth != 0).fold(Modifiers::NONE, |all, (_, one)| all | *one)
}

/// What the mouse did, with columns and rows from one.
fn mouse(button: i64, column: i64, row: i64, released: bool) -> Option<Event> {
    let which = (button & 3) | ((button & 0xc0) >> 4);
    let moves = button & 32 != 0;
    let kind = match which {
        0..=2 => {
            let button =
                [MouseButton::Left, MouseButton::Middle, MouseButton::Right][usize::try_from(which).ok()?];
            match (moves, released) {
                (true, _) => MouseEventKind::Drag(button),
                (false, true) => MouseEventKind::Up(button),
                (false, false) => MouseEventKind::Down(button),
            }
        }
        3 if !moves => MouseEventKind::Up(MouseButton::Left),
        3 => MouseEventKind::Moved,
        4 => MouseEventKind::ScrollUp,
        5 => MouseEventKind::ScrollDown,
        6 => MouseEventKind::ScrollLeft,
        7 => MouseEventKind::ScrollRight,
        _ => return None,
    };
    const HELD: [(i64, Modifiers); 3] =
        [(4, Modifiers::SHIFT), (8, Modifiers::ALT), (16, Modifiers::CONTROL)];
    let modifiers =
        HELD.iter().filter(|(bit, _)| button & bit != 0).fold(Modifiers::NONE, |all, (_, one)| all | *one);
    // What is beyond an edge is at it.
    let cell = |number: i64| u16::try_from(number.saturating_sub(1).max(0)).unwrap_or(u16::MAX);
    Some(Event::Mouse(MouseEvent { kind, column: cell(column), row: cell(row), modifiers }))
}

fn key(code: KeyCode, modifiers: Modifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

/// A character is typed with Shift where it is one of upper case.
fn character(c: char) -> Event {
    key(KeyCode::Char(c), if c.is_uppercase() { Modifiers::SHIFT } else { Modifiers::NONE })
}

fn alt(event: Event) -> Event {
    match event {
        Event::Key(key) => Event::Key(KeyEvent { modifiers: key.modifiers | Modifiers::ALT, ..key }),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(bytes: &[u8]) -> Vec<Event> {
        Input::default().take(bytes, false)
    }

    /// A key as a configuration writes it, for short.
    fn pressed(events: &[Event]) -> Vec<String> {
        let name = |event: &Event| match event {
            Event::Key(key) => crate::ui::keys::Chord::from(*key).to_string(),
            Event::Paste(text) => format!("pasted {text}"),
            Event::Mouse(mouse) => format!("{:?} {} {}", mouse.kind, mouse.column, mouse.row),
            other => format!("{other:?}"),
        };
        events.iter().map(name).collect()
    }

    #[test]
    fn bytes_are_keys_the_mouse_and_text() {
        let cases: [(&[u8], &[&str]); 38] = [
            (b"aZ1", &["a", "Z", "1"]),
            ("λ🦀".as_bytes(), &["λ", "🦀"]),
            (b"\r\t\x7f\x03\0\x1f", &["Enter", "Tab", "Backspace", "C-c", "C-Space", "C-7"]),
            (b"\x1b", &["Esc"]),
            (b"\x1b\x1b[A", &["Esc", "Up"]),
            (b"\x1b\x03", &["Esc", "C-c"]),
            (b"\x1bx\x1b\r", &["A-x", "A-Enter"]),
            (b"\x1b[A\x1bOB\x1b[H\x1b[F", &["Up", "Down", "Home", "End"]),
            (b"\x1bOP\x1bOS\x1b[[A\x1b[15~\x1b[24~", &["F1", "F4", "F1", "F5", "F12"]),
            (b"\x1b[1;5C\x1b[5;3~\x1b[Z", &["C-Right", "A-PgUp", "S-Tab"]),
            (b"\x1b[97;5u\x1b[13;2u\x1b[27u", &["C-a", "S-Enter", "Esc"]),
            (b"\x1b[1;1:3A\x1b[97;1:3u", &[]),
            (b"\x1b[200~a\nb\x1b[A\x1b[201~c", &["pasted a\nb\x1b[A", "c"]),
            (b"\x1b[<0;5;7M\x1b[<0;5;7m", &["Down(Left) 4 6", "Up(Left) 4 6"]),
            (b"\x1b[<32;5;7M\x1b[<64;1;1M", &["Drag(Left) 4 6", "ScrollUp 0 0"]),
            (b"\x1b[M !!\x1b[32;3;4M", &["Down(Left) 0 0", "Down(Left) 2 3"]),
            // Beyond an edge.
            (b"\x1b[<32;0;10Mq", &["Drag(Left) 0 9", "q"]),
            (b"\x1b[<0;0;1Mq", &["Down(Left) 0 0", "q"]),
            (b"\x1b[<0;1;0Mq", &["Down(Left) 0 0", "q"]),
            (b"\x1b[<35;0;0Mq", &["Moved 0 0", "q"]),
            (b"\x1b[<0;-5;10mq", &["Up(Left) 0 9", "q"]),
            (b"\x1b[<0;99999;5Mq", &["Down(Left) 65535 4", "q"]),
            (b"\x1b[<99999999999999999999;1;1Mq", &["q"]),
            (b"\x1b[M   q", &["Down(Left) 0 0", "q"]),
            // What means nothing here, and answers to what others asked.
            (b"\x1b[0;0Rq", &["q"]),
            (b"\x1b[;uq", &["q"]),
            (b"\x1b[0;0;0;0Mq", &["q"]),
            (b"\x1b[97;0uq", &["a", "q"]),
            (b"\x1b[1;0Aq", &["Up", "q"]),
            (b"\x1b[27;0;97~q", &["q"]),
            (b"\x1b[?1uq\x1b[?62;4cq", &["q", "q"]),
            (b"\x1bP>|x\x1b\\q", &["q"]),
            (b"\x1b]11;rgb:0/0/0\x07q\x1b]52;c;\x1b\\q", &["q", "q"]),
            (b"\x1b[Iq\x1b[Oq", &["q", "q"]),
            (b"\xff\xc3(q", &["(", "q"]),
            // What breaks a sequence off.
            (b"\x1b[<0;1\x03q", &["C-c", "q"]),
            (b"\x1b[?1\x1b[Bq", &["Down", "q"]),
            (b"\x1b]11;x\x03\x1bO\x03\x1b[M \x03q", &["C-c", "C-c", "C-c", "q"]),
        ];
        for (bytes, expected) in cases {
            assert_eq!(pressed(&all(bytes)), *expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn what_is_not_complete_is_over_when_nothing_comes() {
        let cases: [(&[u8], &[&str]); 9] = [
            (b"\x1b[", &["A-["]),
            (b"\x1bO", &["A-O"]),
            (b"\x1b]", &["A-]"]),
            (b"\x1b[<0;1", &[]),
            (b"\x1b[?1", &[]),
            (b"\x1b[M ", &[]),
            (b"\x1b]11;", &[]),
            (b"\xe2\x82", &[]),
            (b"\x1b[200~ab", &["pasted ab"]),
        ];
        for (bytes, expected) in cases {
            let mut input = Input::default();
            let mut events = input.take(bytes, false);
            assert!(input.silent(SILENCE / 2).is_none());
            events.extend(input.silent(PASTE_SILENCE));
            events.extend(input.take(b"q", false));
            let expected: Vec<_> = expected.iter().chain(&["q"]).copied().collect();
            assert_eq!(pressed(&events), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
        // A paste waits longer, as what comes late of it is no key.
        let mut input = Input::default();
        assert!(input.take(b"\x1b[200~a", false).is_empty() && input.silent(SILENCE).is_none());
        assert_eq!(pressed(&input.take(b"b\x1b[201~", false)), ["pasted ab"]);
    }

    /// Bytes of which sequences are made, and others.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let pieces: [&[u8]; 12] =
            [b"\x1b", b"[", b"<", b";", b"0", b"M", b"O", b"?", b"\x1b[200~", b"\x1b[201~", b"\x03", b"R"];
        let piece = prop_oneof![
            3 => proptest::sample::select(pieces.to_vec()).prop_map(<[u8]>::to_vec),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// Whatever comes, a key that is pressed afterwards is that key, and how the bytes were read makes no difference to complete sequences.
        #[test]
        fn whatever_comes_the_next_key_is_one(bytes in bytes(), cut in 0..40_usize) {
            let mut input = Input::default();
            let cut = cut.min(bytes.len());
            let (one, other) = bytes.split_at(cut);
            let mut events = input.take(one, true);
            events.extend(input.take(other, false));
            prop_assert_eq!(&events, &Input::default().take(&bytes, false));
            input.silent(PASTE_SILENCE);
            prop_assert_eq!(pressed(&input.take(b"q", false)), ["q"]);
        }
    }
}
