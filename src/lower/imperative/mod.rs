//! From a low-level term to imperative DPIA (thesis section 3.1.3): functional DPIA, then the translations 𝒜 for what is
//! written, 𝒞 for what is read and 𝒮 for streams, then indices for views.

mod acceptor;
mod continuation;
pub(crate) mod deferred;
pub mod functional;
mod group;
mod lanes;
mod stream;
pub mod translate;
pub mod views;
