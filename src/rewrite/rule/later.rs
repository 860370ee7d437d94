//! Values that are computed when they are first asked for: most of a session's rules are never used.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// A value of this kind is there, or what computes it. Cloning is cheap, and whatever is computed is so once.
pub struct Later<T>(Arc<LazyLock<T, Box<dyn FnOnce() -> T + Send + Sync>>>);

impl<T> Later<T> {
    pub fn new(compute: impl FnOnce() -> T + Send + Sync + 'static) -> Later<T> {
        Later(Arc::new(LazyLock::new(Box::new(compute))))
    }
}

impl<T: Send + Sync + 'static> From<T> for Later<T> {
    fn from(value: T) -> Later<T> {
        Later::new(|| value)
    }
}

impl<T> Clone for Later<T> {
    fn clone(&self) -> Later<T> {
        Later(self.0.clone())
    }
}

impl<T> Deref for Later<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Display> fmt::Display for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
