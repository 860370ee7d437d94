//! What lies over the panes: lists to choose from, text to read, text to type, questions.
//!
//! Popups form a stack; the topmost has the keys. Each is plain data that is moved by commands; what follows from
//! accepting one is decided where the state is changed, by the popup's purpose.

pub mod choice;
pub mod entry;
pub mod page;
pub mod question;

pub use choice::{Choice, How, Item, Value};
pub use entry::{Entry, EntryKind, Recall};
pub use page::{Page, Purpose};
pub use question::{About, Question};

use super::command::Context;

/// A popup.
#[derive(Clone, Debug)]
pub enum Popup {
    /// A list with a line to type in.
    Choice(Box<Choice>),
    /// Text to read.
    Page(Page),
    /// A text to type.
    Entry(Box<Entry>),
    /// A question.
    Question(Question),
}

impl Popup {
    /// Where its keys are looked up.
    pub fn context(&self) -> Context {
        match self {
            Popup::Choice(_) => Context::Choice,
            Popup::Page(_) => Context::Page,
            Popup::Entry(_) => Context::Entry,
            Popup::Question(_) => Context::Question,
        }
    }
}
