//! How is it computed? From any term to a low-level one: which loops run, and what is kept in memory.

mod apart;
mod bind;
mod components;
mod default;
mod demand;
mod hoist;
mod nest;
pub mod normal;
mod sequential;
mod stream;
mod threads;
mod work;

pub use default::{default_lowering, lower_term};
pub use nest::{Drawn, Nest, nest, of_lowered, outline};
pub use sequential::sequential;
pub use threads::on_threads;
