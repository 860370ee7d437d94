//! Builds the library that stands for OpenCL at link time: `src/device/opencl/shim.c` as a static `libOpenCL.a`.
//!
//! `cl-sys` emits `-lOpenCL`. The search path given here comes before the system's, and holds only the archive, so
//! the stubs are linked in whether or not OpenCL is installed, and the program never needs `libOpenCL` to start.
fn main() {
    let shim = "src/device/opencl/shim.c";
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={shim}");
    cc::Build::new()
        .file(shim)
        .flag("-fvisibility=hidden")
        .flag_if_supported("-Wno-pedantic")
        .compile("OpenCL");
}
