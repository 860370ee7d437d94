//! All tests of the program as a whole, in one crate: 35 of them would be linked one after the other, and each would wait
//! for its slowest test with the other cores idle. One file a subject; `cargo test --test suite SUBJECT` runs it alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod barriers;
mod cli;
mod cli_common;
mod device_common;
mod device_cpu;
mod device_opencl;
mod emit_common;
mod emit_goldens;
mod emit_opencl;
mod emit_run;
mod explain;
mod export;
mod handover;
mod hostile;
mod interpreter_bits;
mod iterate;
mod kernels;
mod kernels_reference;
mod lang_common;
mod line;
mod modules;
mod origins;
mod patterns;
mod pty_common;
mod pty_hostile;
mod pty_screen;
mod pty_tour;
mod random;
mod refusals;
mod reorder;
mod rules_library;
mod rules_proved;
mod rules_wrong;
mod run_data;
mod searches;
mod sessions;
mod strategy_core;
mod strategy_loops;
mod tidy;
mod tuning;
mod ui_common;
mod ui_keys;
mod ui_screens;
mod vectors;
