//! Builds the library that stands for OpenCL at link time, `src/device/opencl/shim.c` as a static `libOpenCL.a`, and
//! says where `assets` is.
//!
//! `cl-sys` emits `-lOpenCL`. The search path given here comes before the system's, and holds only the archive, so
//! the stubs are linked in whether or not OpenCL is installed, and the program never needs `libOpenCL` to start.
use std::path::Path;

fn main() {
    // The package `tests/units` builds the same sources, and shares this script.
    let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let mut folders = Path::new(&package).ancestors();
    let root = folders.find(|folder| folder.join("src/build.rs").exists()).unwrap_or(Path::new("."));
    let shim = root.join("src/device/opencl/shim.c");
    println!("cargo::rerun-if-changed={}", root.join("src/build.rs").display());
    println!("cargo::rerun-if-changed={}", shim.display());
    println!("cargo::rustc-env=SHINE_ASSETS={}", root.join("assets").display());
    cc::Build::new()
        .file(shim)
        .flag("-fvisibility=hidden")
        .flag_if_supported("-Wno-pedantic")
        .compile("OpenCL");
}
