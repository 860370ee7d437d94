//! Tests of the four languages: what each construct means as a tree, what each mistake is answered with, and that
//! parsing, printing and formatting agree on anything.

mod constructs;
mod dump;
mod formatting;
mod generate;
mod limits;
mod problems;
mod properties;
mod shipped;
