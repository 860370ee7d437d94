//! The rules of the library are embedded: a change of theirs must build this crate anew.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../rules");
}
