//! Why points were lost, counted: what differs in numbers alone is one reason.

use super::{Fate, Tried};
use indexmap::IndexMap;

/// So many are told while a tuning runs.
const SHOWN: usize = 3;

/// Reasons by their text without numbers: the first text, how many there are, and whether they differ.
#[derive(Default)]
pub struct Reasons(IndexMap<String, (String, usize, bool)>);

impl Reasons {
    /// Counts a point, if it was lost.
    pub fn add(&mut self, fate: &Fate) {
        let (Fate::RuledOut { why, .. } | Fate::Failed { why, .. }) = fate else { return };
        let (first, number, differ) = self.0.entry(without_numbers(why)).or_insert((why.clone(), 0, false));
        *number += 1;
        *differ |= first != why;
    }

    /// All of them with how many points each, the most first.
    pub fn all(&self) -> Vec<(String, usize)> {
        let told = |(first, number, differ): &(String, usize, bool)| {
            let others = if *differ { " The others have other numbers there." } else { "" };
            (format!("{first}{others}"), *number)
        };
        let mut all: Vec<(String, usize)> = self.0.values().map(told).collect();
        all.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        all
    }

    /// The most frequent ones.
    pub fn first(&self) -> Vec<(String, usize)> {
        let mut all = self.all();
        all.truncate(SHOWN);
        all
    }
}

/// Why points were not measured, with how many of them, the most first; what differs in numbers alone is one reason.
pub fn reasons(tried: &[Tried]) -> Vec<(String, usize)> {
    let mut all = Reasons::default();
    tried.iter().for_each(|tried| all.add(&tried.fate));
    all.all()
}

/// The text with one mark for each number in it.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if out.ends_with('#') => {}
            true => out.push('#'),
            false => out.push(c),
        }
    }
    out
}
