//! The strategies that the interpreter knows; all others are written in ELEVATE (`rules/elevate`).

use crate::lang::declared::Patterns;
use crate::lang::pattern::Pattern;
use crate::rule::right_to_left::RIGHT_TO_LEFT;

/// Which child `one` tries first at an application.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// By the type of the argument: a function's application tries the function first, data the argument first,
    /// which is closest to the order of execution.
    Default,
    FunctionFirst,
    ArgumentFirst,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Native {
    Id,
    Fail,
    One(Order),
    Some,
    All,
    OneUsingState,
    Function,
    Argument,
    Body,
    ArgumentOf,
    Not,
    Test,
    IfThenElse,
    Repeat,
    RightToLeft,
    IsLambda,
    IsApply,
    IsVariable,
    IsLiteral,
    IsShared,
    IsComputation,
    Computes,
    Calculates,
    HasArrayType,
    HasExactType,
    HasFunctionType,
    HasAtMost,
    HasMoreThan,
    HasMultipleOf,
    HasWholeParts,
    HasWideElements,
    CalculatesAtMost,
    ReadsInOrder,
    ReducesColumns,
    ReducesRows,
    IsPattern(Pattern),
}

/// A line of the table: name, number of arguments, what it does.
pub struct Row {
    pub native: Native,
    pub name: &'static str,
    pub arity: usize,
    pub doc: &'static str,
}

const fn row(native: Native, name: &'static str, arity: usize, doc: &'static str) -> Row {
    Row { native, name, arity, doc }
}

/// Every native strategy but the predicates `isMap`, `isReduce`, …, one for each pattern.
pub const TABLE: &[Row] = &[
    row(Native::Id, "id", 0, "Succeeds and changes nothing."),
    row(Native::Fail, "fail", 0, "Fails."),
    row(Native::One(Order::Default), "one", 1, "Applies s to the first child where it succeeds."),
    row(
        Native::One(Order::FunctionFirst),
        "oneFunctionFirst",
        1,
        "As one, and of an application the function is tried first.",
    ),
    row(
        Native::One(Order::ArgumentFirst),
        "oneArgumentFirst",
        1,
        "As one, and of an application the argument is tried first.",
    ),
    row(Native::Some, "some", 1, "Applies s to all children where it succeeds, which must be one at least."),
    row(Native::All, "all", 1, "Applies s to all children; it must succeed on each."),
    row(
        Native::OneUsingState,
        "oneUsingState",
        1,
        "As one, but what a child left of a counting strategy is what its sibling gets.",
    ),
    row(Native::Function, "function", 1, "Applies s to the function of an application."),
    row(Native::Argument, "argument", 1, "Applies s to the argument of an application."),
    row(Native::Body, "body", 1, "Applies s to the body of a lambda."),
    row(
        Native::ArgumentOf,
        "argumentOf",
        2,
        "argumentOf(map, s) applies s to the argument of an application whose function is just the pattern.",
    ),
    row(Native::Not, "not", 1, "Succeeds and changes nothing where s fails."),
    row(Native::Test, "test", 1, "Succeeds and changes nothing where s succeeds: test(s) = not(not(s))."),
    row(Native::IfThenElse, "ifThenElse", 3, "ifThenElse(c, s, t) applies c and then s, or t where c fails."),
    row(Native::Repeat, "repeat", 1, "Applies s until it fails: repeat(s) = try(s ; repeat(s))."),
    row(
        Native::RightToLeft,
        RIGHT_TO_LEFT,
        1,
        "Applies a rule from right to left: rightToLeft(splitJoin(32)) turns join (map (map f) (split 32 x)) into map f x.",
    ),
    row(Native::IsLambda, "isLambda", 0, "Is this a lambda?"),
    row(Native::IsApply, "isApply", 0, "Is this an application?"),
    row(Native::IsVariable, "isVariable", 0, "Is this a variable?"),
    row(Native::IsLiteral, "isLiteral", 0, "Is this a constant?"),
    row(Native::IsShared, "isShared", 0, "Is this a shared value, let x = v in b, that is (\\x. b) v?"),
    row(Native::IsComputation, "isComputation", 0, "Is this a function from scalars to scalars?"),
    row(Native::Computes, "computes", 0, "Does this hold a function from scalars to scalars?"),
    row(
        Native::Calculates,
        "calculates",
        0,
        "Is something calculated in this, more than where elements lie?",
    ),
    row(
        Native::CalculatesAtMost,
        "calculatesAtMost",
        1,
        "Does this value, or the value of this function, take no more than n additions of scalars, whatever the sizes? A division or a root counts as 4, a function such as exp as 10, and what is made of constants as nothing.",
    ),
    row(Native::HasArrayType, "hasArrayType", 0, "Is this an array?"),
    row(
        Native::HasExactType,
        "hasExactType",
        0,
        "Is this made of whole numbers and truth values, without floats? Rules with marks are exact on these.",
    ),
    row(Native::HasFunctionType, "hasFunctionType", 0, "Is this a function?"),
    row(
        Native::HasAtMost,
        "hasAtMost",
        1,
        "Is this an array of which the type says that it has no more than n elements, or `iterate` with no more steps?",
    ),
    row(
        Native::HasMoreThan,
        "hasMoreThan",
        1,
        "Is this an array of more than n elements, as its type says, or the sizes that were given?",
    ),
    row(
        Native::HasMultipleOf,
        "hasMultipleOf",
        1,
        "Is this an array of which the type says that its length is a multiple of n, or `iterate` with so many steps?",
    ),
    row(
        Native::HasWholeParts,
        "hasWholeParts",
        1,
        "Is this an array of which the length is a multiple of n, as its type says, or the sizes that were given?",
    ),
    row(
        Native::HasWideElements,
        "hasWideElements",
        1,
        "Is this an array, but not of arrays, of which an element is known to take more than n bytes in memory?",
    ),
    row(
        Native::ReadsInOrder,
        "readsInOrder",
        0,
        "Is this an array whose elements, one after the other, lie side by side in memory, as its type says, or the sizes that were given?",
    ),
    row(
        Native::ReducesColumns,
        "reducesColumns",
        1,
        "Is this a map of reductions, of which one may have more than n elements, where what is read for neighbouring elements of the map lies side by side in memory?",
    ),
    row(
        Native::ReducesRows,
        "reducesRows",
        1,
        "Is this a map of reductions, of which one may have more than n elements, that goes through memory in order in each of them, and reads other memory for the next?",
    ),
];

/// `renumber(p, list)`: the list of numbers after p was taken out of it, so those above p count one less. The one
/// built-in that gives a list and not a strategy.
pub const RENUMBER: &str = "renumber";

/// What a strategy may do to a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changes {
    /// It only asks.
    Nothing,
    /// What the strategies do that it is given.
    AsItsArguments,
    Something,
}

impl Native {
    pub fn changes(self) -> Changes {
        use Native as N;
        match self {
            N::One(_) | N::Some | N::All | N::OneUsingState | N::Function | N::Argument | N::Body => {
                Changes::AsItsArguments
            }
            N::ArgumentOf | N::IfThenElse | N::Repeat => Changes::AsItsArguments,
            N::RightToLeft => Changes::Something,
            N::Id | N::Fail | N::Not | N::Test => Changes::Nothing,
            N::IsLambda | N::IsApply | N::IsVariable | N::IsLiteral | N::IsShared => Changes::Nothing,
            N::IsComputation | N::Computes | N::Calculates | N::CalculatesAtMost => Changes::Nothing,
            N::HasArrayType | N::HasExactType | N::HasFunctionType => Changes::Nothing,
            N::HasAtMost | N::HasMoreThan | N::HasMultipleOf | N::HasWholeParts | N::IsPattern(_) => {
                Changes::Nothing
            }
            N::HasWideElements | N::ReadsInOrder | N::ReducesColumns | N::ReducesRows => Changes::Nothing,
        }
    }

    pub fn find(name: &str, patterns: &Patterns) -> Option<Native> {
        if let Some(row) = TABLE.iter().find(|r| r.name == name) {
            return Some(row.native);
        }
        // isMap, isReduceSeq, …: `is` and the name of a pattern.
        let rest = name.strip_prefix("is")?;
        let first = rest.chars().next().filter(char::is_ascii_uppercase)?;
        let pattern = format!("{}{}", first.to_ascii_lowercase(), &rest[1..]);
        patterns.find(&pattern).filter(|p| p.name() == pattern).map(Native::IsPattern)
    }

    pub fn arity(self) -> usize {
        TABLE.iter().find(|r| r.native == self).map_or(0, |r| r.arity)
    }

    pub fn name(self) -> String {
        if let Native::IsPattern(p) = self {
            let name = p.name();
            return format!("is{}{}", name[..1].to_ascii_uppercase(), &name[1..]);
        }
        TABLE.iter().find(|r| r.native == self).map_or(String::new(), |r| r.name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for row in TABLE {
            assert_eq!(Native::find(row.name, &Patterns::default()), Some(row.native));
            assert_eq!(row.native.name(), row.name);
        }
        assert_eq!(
            Native::find("isReduceSeq", &Patterns::default()),
            Some(Native::IsPattern(Pattern::ReduceSeq))
        );
        assert_eq!(Native::IsPattern(Pattern::ReduceSeq).name(), "isReduceSeq");
        assert_eq!(Native::find("ismap", &Patterns::default()), None);
    }
}
