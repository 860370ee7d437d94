//! What the tests of devices share: the real worker, requests of a few lines, and the search for OpenCL.
use shine_tui::device::{
    Backend, DeviceError, DeviceKind, DeviceList, Devices, HostData, Param, RunControl, RunReport, RunRequest,
};
use shine_tui::lang::ty::Scalar;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

/// The devices of this machine, which are looked for once.
pub fn devices() -> &'static Devices {
    static FOUND: LazyLock<Devices> = LazyLock::new(unknown_devices);
    &FOUND
}

/// Devices that nobody has looked for yet, for tests that give workers another environment.
pub fn unknown_devices() -> Devices {
    Devices::with_worker(env!("CARGO_BIN_EXE_shine-tui"))
}

pub fn request(device: &str, source: &str, entry: &str, params: Vec<Param>) -> RunRequest {
    RunRequest::single(device, source, entry, params)
}

/// `output[i] = 2 * input[i]` for `n` floats, in C or OpenCL C.
pub fn double(device: &str, n: usize) -> RunRequest {
    let input: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let params = vec![
        Param::Output { elem: Scalar::F32, len: n },
        Param::Int(n as i64),
        Param::Input(HostData::F32(input)),
    ];
    if device == "cpu" {
        let source = "void twice(float* restrict output, int n, const float* restrict x) {\n\
                      #pragma omp parallel for\n\
                      for (int i = 0; i < n; i += 1) output[i] = 2.0f * x[i];\n}\n";
        return request(device, source, "twice", params);
    }
    let source = "kernel void twice(global float* restrict output, int n, const global float* restrict x) {\n\
                  for (int i = get_global_id(0); i < n; i += get_global_size(0)) output[i] = 2.0f * x[i];\n}\n";
    let mut request = request(device, source, "twice", params);
    request.steps[0].global = Some([16, 1, 1]);
    request
}

pub fn doubled(n: usize) -> HostData {
    HostData::F32((0..n).map(|i| 2.0 * i as f32).collect())
}

pub fn run(devices: &Devices, request: &RunRequest) -> Result<RunReport, DeviceError> {
    devices.run(request, &mut RunControl { cancel: &AtomicBool::new(false), progress: &mut |_| () })
}

pub fn list(devices: &Devices) -> DeviceList {
    devices.list(&mut RunControl { cancel: &AtomicBool::new(false), progress: &mut |_| () }).unwrap()
}

/// Says that a test was skipped. Written past the test's capture, so that it is seen where all passes.
pub fn skipped(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// The id of an OpenCL device to test with.
pub fn opencl() -> Option<String> {
    let list = list(devices());
    let device =
        list.devices.iter().find(|device| device.kind != DeviceKind::Host && device.problem.is_none());
    if device.is_none() {
        assert!(
            std::env::var_os("SHINE_REQUIRE_OPENCL").is_none(),
            "an OpenCL device is required: {:?}",
            list.notes
        );
        skipped(&format!("this test needs an OpenCL device. {}", list.notes.join(" ")));
    }
    device.map(|device| device.id.clone())
}

/// Fails if processes that speak of `word` are still there after a while.
pub fn assert_gone(word: &str) {
    let start = std::time::Instant::now();
    while !processes_with(word).is_empty() && start.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(processes_with(word), [] as [u32; 0], "processes are left behind");
}

/// The processes whose command line or environment speaks of `word`, by number.
fn processes_with(word: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let says = |file: &str| {
            let bytes = std::fs::read(entry.path().join(file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(word)
        };
        if id != std::process::id() && (says("environ") || says("cmdline")) {
            found.push(id);
        }
    }
    found
}
