//! Nothing: what there is to test stands in the sources of the other crates.
