//! A question with few answers.

use std::path::PathBuf;

use crate::view::Line;

/// What a yes does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum About {
    /// Leave although something runs or is not saved.
    Quit,
    /// Start again from the changed file.
    Reload,
    /// Go on with a session of the program that was never left.
    GoOn(PathBuf),
}

/// A question.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// What a yes does.
    pub about: About,
    /// What is asked, and what hangs on it.
    pub lines: Vec<Line>,
    /// Whether the session can be given a name first.
    pub can_save: bool,
}
