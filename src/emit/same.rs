//! Kernels that do the same with their parameters, as the first, the middle and the last of equal steps do: one stands for all.

use super::Language;
use super::kernel::Kernel;
use super::names::is_reserved;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::mem::discriminant;

/// Of each kernel, the number of the first one that is equal to it but for names.
pub fn first_of_equals(kernels: &[Kernel]) -> Vec<usize> {
    let texts: Vec<OnceCell<String>> = kernels.iter().map(|_| OnceCell::new()).collect();
    let text = |i: usize| texts[i].get_or_init(|| unnamed(&kernels[i]));
    let first = |(i, kernel): (usize, &Kernel)| {
        let is_same = |j: &usize| are_alike(&kernels[*j], kernel) && text(*j) == text(i);
        (0..i).find(is_same).unwrap_or(i)
    };
    kernels.iter().enumerate().map(first).collect()
}

/// Are both launched alike, over parameters that are alike?
fn are_alike(a: &Kernel, b: &Kernel) -> bool {
    let launched = |k: &Kernel| (k.global_size.clone(), k.local_size.clone(), k.most, k.most_items);
    let pairs = || a.params.iter().zip(&b.params);
    [a.language, b.language] == [Language::OpenCl; 2]
        && launched(a) == launched(b)
        && a.prelude == b.prelude
        && a.params.len() == b.params.len()
        && pairs().all(|(p, q)| {
            discriminant(&p.kind) == discriminant(&q.kind)
                && (p.scalar, p.by_value, &p.len) == (q.scalar, q.by_value, &q.len)
        })
}

/// The function's text, with numbers for the names that it declares.
fn unnamed(kernel: &Kernel) -> String {
    let tokens = tokens(&kernel.function);
    let params = kernel.params.iter().map(|p| p.name.as_str());
    let mut own: BTreeSet<&str> = params.chain([kernel.name.as_str()]).collect();
    own.extend((0..tokens.len()).filter(|i| is_declared(&tokens, *i)).map(|i| tokens[i]));
    let mut numbers = BTreeMap::new();
    let mut out = String::with_capacity(kernel.function.len());
    for (i, token) in tokens.iter().enumerate() {
        // What follows a point is a component, whatever else has its name.
        let is_component = i > 0 && tokens[i - 1] == ".";
        if own.contains(token) && !is_component {
            let next = numbers.len();
            let _ = write!(out, "${}", numbers.entry(*token).or_insert(next));
        } else {
            out.push_str(token);
        }
    }
    out
}

/// Is a name declared here: does it follow a type, and no type or function is it itself?
fn is_declared(tokens: &[&str], i: usize) -> bool {
    let is_space = |token: &&&str| token.trim().is_empty();
    let before = tokens[..i].iter().rev().find(|t| !is_space(t));
    let after = tokens[i + 1..].iter().find(|t| !is_space(t));
    is_word(tokens[i])
        && !is_reserved(tokens[i], Language::OpenCl)
        && before.is_some_and(|t| is_word(t) && !["return", "else"].contains(t))
        && after.is_some_and(|t| ["=", "[", ";", ",", ")"].contains(t))
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Words, numbers, and each other character by itself.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = vec![];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_in = |d: char| d.is_ascii_alphanumeric() || d == '_' || (c.is_ascii_digit() && d == '.');
        let len = rest.find(|d| !is_in(d)).unwrap_or(rest.len()).max(c.len_utf8());
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after;
    }
    tokens
}
