//! The `shine-tui` binary: a door to the library.
fn main() -> std::process::ExitCode {
    shine_tui::cli::main()
}
