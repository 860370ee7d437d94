//! Many lines that are shown again and again with few of them changed: what is not changed is shared.

use super::text::Line;
use std::collections::BTreeMap;
use std::ops::Index;
use std::sync::Arc;

/// Lines, of which some are others than those that are shared.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lines {
    all: Arc<Vec<Line>>,
    changed: BTreeMap<usize, Line>,
}

impl Lines {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<&Line> {
        self.changed.get(&at).or_else(|| self.all.get(at))
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.all.iter().enumerate().map(|(at, line)| self.changed.get(&at).unwrap_or(line))
    }

    /// Changes a line, if there is one of this number.
    pub fn change(&mut self, at: usize, with: impl FnOnce(Line) -> Line) {
        if let Some(line) = self.get(at).cloned() {
            self.changed.insert(at, with(line));
        }
    }
}

impl From<Vec<Line>> for Lines {
    fn from(all: Vec<Line>) -> Lines {
        Lines { all: Arc::new(all), changed: BTreeMap::new() }
    }
}

impl From<&Arc<Vec<Line>>> for Lines {
    fn from(all: &Arc<Vec<Line>>) -> Lines {
        Lines { all: all.clone(), changed: BTreeMap::new() }
    }
}

impl FromIterator<Line> for Lines {
    fn from_iter<T: IntoIterator<Item = Line>>(lines: T) -> Lines {
        lines.into_iter().collect::<Vec<_>>().into()
    }
}

impl Index<usize> for Lines {
    type Output = Line;

    fn index(&self, at: usize) -> &Line {
        self.changed.get(&at).unwrap_or_else(|| &self.all[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_is_seen_everywhere_and_nothing_else_is_copied() {
        let all = Arc::new(vec![Line::plain("a"), Line::plain("b"), Line::plain("c")]);
        let mut lines = Lines::from(&all);
        lines.change(1, |_| Line::plain("B"));
        lines.change(7, |line| line);
        assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>(), ["a", "B", "c"]);
        assert_eq!((lines.len(), lines[1].text(), lines.get(3)), (3, "B".to_owned(), None));
        assert_eq!(Arc::strong_count(&all), 2);
    }
}
