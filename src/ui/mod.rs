//! The screen: how views are shown, and how keys become actions.
//!
//! In come the views of the session's state and the user's keys; out go [`crate::session`] actions and frames.
//! What must hold: only actions change the session, nothing here waits for work to finish, and the terminal is
//! left as it was found whatever happens.

pub mod accept;
pub mod actions;
pub mod app;
pub mod assets;
pub mod at_sizes;
mod branches;
pub mod candidates;
pub mod capabilities;
pub mod command;
pub mod compared;
pub mod complete;
pub mod disk;
pub mod draw;
mod editor;
pub mod event;
pub mod facts;
mod frozen;
pub mod hints;
mod holding;
pub mod keeper;
pub mod keys;
pub mod latency;
pub mod layout;
pub mod leaving;
pub mod line;
pub mod listed;
pub mod lists;
pub mod mending;
pub mod mouse;
pub mod movement;
pub mod paint;
pub mod panes;
pub mod panic;
pub mod popup;
pub mod preview;
pub mod program;
pub mod queries;
pub mod recording;
pub mod results;
pub mod run;
pub mod screen;
pub mod script;
pub mod splits;
pub mod stepping;
pub mod strategies;
pub mod svg;
pub mod theme;
pub mod typing;
pub mod update;
pub mod window;
