//! What a time means: operations and bytes a second, and the share of what the device could do.
//!
//! Peaks are measured on request, with kernels that do nothing but multiply-adds in registers, and nothing but move
//! memory. They are peaks of what a compiler makes of plain text, not of a data sheet.
use super::proto::{DeviceInfo, DeviceKind, Mode, Param, RunRequest};
use super::quiet::{BUSY, load};
use super::stats::summary;
use super::{Backend, Cause, DeviceError, HostScalar, RunControl};
use crate::lang::ty::Scalar;

/// What a kernel has to do at least, whatever its loops look like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Floating-point operations (a multiply-add is two).
    pub flops: f64,
    /// Bytes of inputs and output, each counted once.
    pub bytes: f64,
}

/// The most a device can do, single precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    pub gflops: f64,
    /// GB/s between the processor and its main memory.
    pub gbytes: f64,
    /// Whether something else kept the machine busy meanwhile, so that it can do more than this.
    pub busy: bool,
    /// Data of so many bytes may stay in a cache, so that main memory bounds nothing.
    pub cache: u64,
}

impl Peak {
    /// Whether caches may hold so many bytes.
    pub fn caches(&self, bytes: f64) -> bool {
        bytes <= self.cache as f64
    }

    /// What is to be minded about these figures, if anything is.
    pub fn mind(&self) -> Option<String> {
        self.busy.then(|| format!("{BUSY}: {LOWER_BOUNDS}"))
    }
}

/// What is said where the figures are less than what the device can do.
const LOWER_BOUNDS: &str = "the figures are lower bounds, and shares of them may be too high.";

/// On a machine that does nothing else, half of the runs take at most so many times as long as the fastest.
const STEADY: f64 = 1.5;
/// So often what is not steady is measured again at most.
const TRIES: usize = 3;

/// Do these times, or the load of the machine before them, say that it did something else as well?
fn is_busy(samples_ns: &[u64], load: Option<f64>, cores: usize) -> bool {
    load.is_some_and(|load| load > cores as f64)
        || summary(samples_ns).is_some_and(|times| times.median > STEADY * times.best)
}

/// What a time means for some work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    pub gflops: f64,
    pub gbytes: f64,
    /// The part of what the roofline allows for this work, where the peak is known.
    pub share: Option<f64>,
    /// Whether the roofline's limit for this work is memory.
    pub memory_bound: Option<bool>,
}

/// The rates for `work` done in `nanoseconds`.
pub fn rate(work: Work, nanoseconds: f64, peak: Option<Peak>) -> Rate {
    let (gflops, gbytes) = (work.flops / nanoseconds, work.bytes / nanoseconds);
    let least = peak.map(|peak| (work.flops / peak.gflops, work.bytes / peak.gbytes));
    Rate {
        gflops,
        gbytes,
        share: least.map(|(compute, memory)| compute.max(memory) / nanoseconds),
        memory_bound: least.map(|(compute, memory)| memory > compute),
    }
}

/// Chains of multiply-adds that do not depend on each other: enough to fill the pipelines of a core, few enough to
/// stay in registers.
const CHAINS: usize = 12;
/// Multiply-adds in each chain: of a GPU's many work-items, and of a processor's threads, which must run for longer than
/// they take to start and to be spread over the cores.
const STEPS: usize = 20_000;
const STEPS_OF_THREADS: usize = 1_000_000;
/// Floats in each of the three arrays of the memory kernel: more than caches hold.
const FLOATS: usize = 32 << 20;

/// What caches hold where the system does not tell it.
const CACHE: u64 = 32 << 20;

/// What the largest cache holds: of processors as Linux tells it.
fn cache(kind: DeviceKind) -> u64 {
    let of_processor = matches!(kind, DeviceKind::Host | DeviceKind::Cpu);
    let levels = std::fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok().filter(|_| of_processor);
    let size = |level: std::fs::DirEntry| {
        let text = std::fs::read_to_string(level.path().join("size")).ok()?;
        let (number, unit) = text.trim().split_at_checked(text.trim().len().checked_sub(1)?)?;
        let unit = match unit {
            "K" => 1 << 10,
            "M" => 1 << 20,
            _ => return None,
        };
        Some(number.parse::<u64>().ok()? * unit)
    };
    levels.into_iter().flatten().flatten().filter_map(size).max().unwrap_or(CACHE)
}

/// Measures what the device can do; takes a few seconds.
///
/// # Errors
/// As for any run.
pub fn measure(
    backend: &dyn Backend,
    device: &DeviceInfo,
    control: &mut RunControl<'_>,
) -> Result<Peak, DeviceError> {
    let host = device.kind == DeviceKind::Host;
    // What a GPU does is not disturbed by what the processor does.
    let load = if matches!(device.kind, DeviceKind::Host | DeviceKind::Cpu) { load() } else { None };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut busy = false;
    // Where much else runs from the start, the figures are lower bounds however often they are taken.
    let tries = if is_busy(&[], load, cores) { 1 } else { TRIES };
    let mut best = |request: &RunRequest| {
        let (mut samples, mut first) = (vec![], None);
        for _ in 0..tries {
            let report = backend.run(request, control)?;
            first = report.outputs.first().and_then(|output| output.get(0));
            samples.extend(report.samples_ns);
            // A load that lasts lasts also for the next try.
            if !is_busy(&samples, None, cores) {
                break;
            }
        }
        busy |= is_busy(&samples, load, cores);
        match (samples.iter().min(), first) {
            (Some(time), Some(first)) if *time > 0 => Ok((*time as f64, first.to_f64())),
            _ => {
                Err(DeviceError::new(Cause::Protocol, "The measurement of the device's peak gave no times."))
            }
        }
    };
    let (time, flops) = best(&compute(device, host))?;
    let (streamed, _) = best(&stream(device, host))?;
    Ok(Peak {
        gflops: flops / time,
        gbytes: 3.0 * 4.0 * FLOATS as f64 / streamed,
        busy,
        cache: cache(device.kind),
    })
}

/// Multiply-adds in registers. Cell 0 of the output says how many operations it took.
fn compute(device: &DeviceInfo, host: bool) -> RunRequest {
    let steps = if host || device.kind == DeviceKind::Cpu { STEPS_OF_THREADS } else { STEPS };
    let per_lane = (2 * CHAINS * steps) as f32;
    let each =
        |text: &str| (0..CHAINS).map(|chain| text.replace('#', &chain.to_string())).collect::<String>();
    // `x` and `y` are parameters, so that no compiler computes the result beforehand.
    let body = |lanes: &str| {
        format!(
            "{}for (int i = 0; i < {steps}; i += 1) {{\n{}}}\n{lanes} sum = c0;\n{}",
            each(&format!("{lanes} c# = a * #.0f;\n")),
            each("c# = c# * a + b;\n"),
            each("sum += c#;\n"),
        )
    };
    let units = u64::from(device.compute_units.max(1));
    let [x, y] = [0.999, 0.001].map(|value| Param::Scalar(HostScalar::F32(value)));
    if host {
        let source = format!(
            "#if defined(__AVX512F__)\n#define LANES 16\n#elif defined(__AVX__)\n#define LANES 8\n#else\n#define LANES 4\n\
             #endif\ntypedef float lanes __attribute__((vector_size(4 * LANES)));\n\
             void peak(float *restrict output, int threads, float x, float y) {{\n\
             #pragma omp parallel for schedule(static, 1)\nfor (int t = 0; t < threads; t += 1) {{\n\
             lanes a = (lanes){{}} + x, b = (lanes){{}} + y;\n{}\
             output[32 + t * 32] = sum[0] + sum[LANES - 1];\n}}\n\
             output[0] = {per_lane:?}f * LANES * threads;\n}}\n",
            body("lanes"),
        );
        let len = (units as usize + 1) * 32;
        let params = vec![Param::Output { elem: Scalar::F32, len }, Param::Int(units as i64), x, y];
        return request(device, source, params, None);
    }
    // A work-item of a processor is a thread and wants vectors; one of a GPU is a lane.
    let (lanes, width, last, local) = match device.kind {
        DeviceKind::Cpu => ("float16", 16, ".sf", 1),
        _ => ("float", 1, "", device.max_work_group.clamp(1, 256)),
    };
    let items = units * local * if width == 1 { 32 } else { 1 };
    let source = format!(
        "#pragma OPENCL FP_CONTRACT ON\nkernel void peak(global float *restrict output, float x, float y) {{\n\
         int item = get_global_id(0);\n{lanes} a = ({lanes})(x), b = ({lanes})(y);\n{}\
         output[item + 1] = sum{last};\n\
         if (item == 0) output[0] = {per_lane:?}f * {width} * get_global_size(0);\n}}\n",
        body(lanes),
    );
    let params = vec![Param::Output { elem: Scalar::F32, len: items as usize + 1 }, x, y];
    request(device, source, params, Some((items, local)))
}

/// Two arrays in, one out, and nothing to compute.
fn stream(device: &DeviceInfo, host: bool) -> RunRequest {
    let triad = "a[i] = b[i] + y * c[i];";
    let temp = || Param::Temp { elem: Scalar::F32, len: FLOATS };
    let params = vec![
        Param::Output { elem: Scalar::F32, len: 1 },
        temp(),
        temp(),
        temp(),
        Param::Int(FLOATS as i64),
        Param::Scalar(HostScalar::F32(3.0)),
    ];
    if host {
        let source = format!(
            "void peak(float *restrict output, float *restrict a, const float *restrict b, const float *restrict c, int n, \
             float y) {{\n#pragma omp parallel for\nfor (int i = 0; i < n; i += 1) {triad}\noutput[0] = a[0];\n}}\n"
        );
        return request(device, source, params, None);
    }
    let units = u64::from(device.compute_units.max(1));
    let local = if device.kind == DeviceKind::Cpu { 1 } else { device.max_work_group.clamp(1, 256) };
    // A processor's threads each take a stretch; the lanes of a GPU stand side by side.
    let (range, items) = match device.kind {
        DeviceKind::Cpu => {
            ("int s = n / get_global_size(0), i0 = s * get_global_id(0), i1 = i0 + s, d = 1;", units)
        }
        _ => ("int i0 = get_global_id(0), i1 = n, d = get_global_size(0);", units * local * 32),
    };
    let source = format!(
        "kernel void peak(global float *restrict output, global float *restrict a, const global float *restrict b, \
         const global float *restrict c, int n, float y) {{\n{range}\n\
         for (int i = i0; i < i1; i += d) {triad}\nif (get_global_id(0) == 0) output[0] = a[0];\n}}\n"
    );
    request(device, source, params, Some((items, local)))
}

/// A kernel named `peak`, measured; with global and local size on OpenCL devices.
fn request(device: &DeviceInfo, source: String, params: Vec<Param>, range: Option<(u64, u64)>) -> RunRequest {
    let mut request = RunRequest::single(&device.id, &source, "peak", params);
    for step in &mut request.steps {
        step.global = range.map(|(global, _)| [global, 1, 1]);
        step.local = range.map(|(_, local)| [local, 1, 1]);
    }
    request.mode = Mode::Measure { min_runs: 3, max_runs: 15, max_seconds: 0.7 };
    request.time_limit_s = 60.0;
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEAK: Peak = Peak { gflops: 500.0, gbytes: 50.0, busy: false, cache: 1 << 20 };

    #[test]
    fn matmul_is_bound_by_its_operations() {
        // 1024³ in 9.3 ms.
        let work = Work { flops: 2.0 * 1024f64.powi(3), bytes: 3.0 * 4.0 * 1024f64.powi(2) };
        let rate = rate(work, 9.3e6, Some(PEAK));
        assert!((rate.gflops - 230.9).abs() < 0.1);
        assert!((rate.share.unwrap() - 0.462).abs() < 0.001);
        assert_eq!(rate.memory_bound, Some(false));
    }

    #[test]
    fn a_sum_is_bound_by_memory() {
        let work = Work { flops: 1e8, bytes: 4e8 };
        let rate = rate(work, 1e7, Some(PEAK));
        assert_eq!((rate.gflops, rate.gbytes, rate.memory_bound), (10.0, 40.0, Some(true)));
        assert!((rate.share.unwrap() - 0.8).abs() < 1e-12);
    }

    #[test]
    fn a_busy_machine_is_known_by_its_load_or_by_times_that_differ() {
        for (samples, load, busy) in [
            (&[100u64, 104, 102, 110, 190][..], Some(1.9), false),
            (&[100, 104, 102, 110, 190], Some(7.0), true),
            (&[100, 160, 300, 170, 190], Some(0.1), true),
            (&[100, 104, 102], None, false),
            (&[], None, false),
        ] {
            assert_eq!(is_busy(samples, load, 2), busy, "{samples:?} {load:?}");
        }
        assert_eq!(PEAK.mind(), None);
        assert!(Peak { busy: true, ..PEAK }.mind().is_some_and(|mind| mind.contains("lower bounds")));
    }

    #[test]
    fn without_a_peak_there_is_no_share() {
        let rate = rate(Work { flops: 1.0, bytes: 1.0 }, 1.0, None);
        assert_eq!((rate.share, rate.memory_bound), (None, None));
    }
}
