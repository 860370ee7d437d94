//! Positions in terms, and where positions go when a term is rewritten.

use std::fmt;

/// A position: which child to take at each node from the root. An application has the children 0 (function) and
/// 1 (argument), an abstraction the child 0 (body).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Path(Vec<u8>);

impl Path {
    pub fn root() -> Path {
        Path(vec![])
    }
    pub fn new(steps: impl IntoIterator<Item = u8>) -> Path {
        Path(steps.into_iter().collect())
    }
    pub fn steps(&self) -> &[u8] {
        &self.0
    }
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
    pub fn len(&self) -> usize {
        self.0.len()
    }
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    pub fn child(&self, i: u8) -> Path {
        let mut p = self.0.clone();
        p.push(i);
        Path(p)
    }
    pub fn parent(&self) -> Option<Path> {
        let (_, init) = self.0.split_last()?;
        Some(Path(init.to_vec()))
    }
    pub fn join(&self, below: &Path) -> Path {
        Path(self.0.iter().chain(&below.0).copied().collect())
    }
    /// The rest of the path below `above`, when it is below or at it.
    pub fn strip_prefix(&self, above: &Path) -> Option<Path> {
        self.0.strip_prefix(above.0.as_slice()).map(|rest| Path(rest.to_vec()))
    }
    /// Reads what `Display` writes: `.` for the root, `0.1.1` below it.
    pub fn parse(text: &str) -> Option<Path> {
        if text == "." {
            return Some(Path::root());
        }
        text.split('.').map(|s| s.parse::<u8>().ok().filter(|i| *i < 2)).collect::<Option<Vec<_>>>().map(Path)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, ".");
        }
        let steps: Vec<String> = self.0.iter().map(u8::to_string).collect();
        write!(f, "{}", steps.join("."))
    }
}
impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// One rewrite: the sub-term at `at` was replaced; what stood at the first path of each pair (relative to `at`)
/// now stands at the second.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Move {
    at: Path,
    moved: Vec<(Path, Path)>,
}

/// Where each old position is after some rewrites, or that it is gone. Cursors, bookmarks and highlights follow it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PathMap(Vec<Move>);

impl PathMap {
    pub fn identity() -> PathMap {
        PathMap::default()
    }

    /// The map of one rewrite at `at`. The pairs must not overlap on their left sides.
    pub fn rewrite(at: Path, moved: Vec<(Path, Path)>) -> PathMap {
        PathMap(vec![Move { at, moved }])
    }

    /// The map of a rewrite in a sub-term, seen from a root that has the sub-term at `above`.
    pub fn below(&self, above: &Path) -> PathMap {
        PathMap(self.0.iter().map(|m| Move { at: above.join(&m.at), moved: m.moved.clone() }).collect())
    }

    /// First this map's rewrites, then the other's.
    pub fn then(mut self, next: &PathMap) -> PathMap {
        self.0.extend(next.0.iter().cloned());
        self
    }

    /// The new position of `path`, or none when nothing of it is left.
    pub fn get(&self, path: &Path) -> Option<Path> {
        self.0.iter().try_fold(path.clone(), |path, step| {
            let Some(inside) = path.strip_prefix(&step.at) else { return Some(path) };
            if inside.is_root() {
                return Some(path);
            }
            step.moved.iter().find_map(|(old, new)| Some(step.at.join(&new.join(&inside.strip_prefix(old)?))))
        })
    }

    /// The nearest position that is still there: the path's own new position or that of its closest ancestor.
    pub fn nearest(&self, path: &Path) -> Path {
        let mut p = path.clone();
        loop {
            if let Some(new) = self.get(&p) {
                return new;
            }
            match p.parent() {
                Some(parent) => p = parent,
                None => return Path::root(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_a_rewrite() {
        let p = |s: &str| Path::parse(s).unwrap();
        let map = PathMap::rewrite(p("1"), vec![(p("0.1"), p("1"))]);
        assert_eq!(map.get(&p("0")), Some(p("0")));
        assert_eq!(map.get(&p("1")), Some(p("1")));
        assert_eq!(map.get(&p("1.0.1.0")), Some(p("1.1.0")));
        assert_eq!(map.get(&p("1.0.0")), None);
        assert_eq!(map.nearest(&p("1.0.0")), p("1"));
    }
}
