//! Devices that do what a script says: for tests of what uses devices, and for a look at the screen without any.
//!
//! Deterministic: replies are given in the order in which they were scripted, and every question is remembered.
use super::proto::{DeviceInfo, DeviceKind, DeviceList, Progress, RunReport, RunRequest, Timer};
use super::select::select;
use super::{Backend, Cause, DeviceError, HostData, RunControl};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A function from a request to its outputs.
pub type Compute = Box<dyn Fn(&RunRequest) -> Vec<HostData> + Send>;

/// What a scripted device does with one request.
pub enum Reply {
    /// Gives these outputs, after runs that took these times (in nanoseconds).
    Outputs(Vec<HostData>, Vec<u64>),
    /// Computes the outputs from the request.
    Compute(Compute, Vec<u64>),
    /// Fails.
    Fail(DeviceError),
    /// Runs until it is cancelled.
    Hang,
}

/// Scripted devices.
#[derive(Default)]
pub struct FakeDevices {
    devices: Vec<DeviceInfo>,
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<RunRequest>>,
}

impl FakeDevices {
    /// One device, `cpu`, and no replies.
    pub fn new() -> FakeDevices {
        let mut fake = FakeDevices::default();
        let mut cpu = device(DeviceKind::Host, "host", "scripted processor");
        cpu.id = "cpu".to_owned();
        fake.devices.push(cpu);
        fake
    }

    /// Adds an OpenCL device.
    pub fn device(mut self, platform: &str, name: &str) -> FakeDevices {
        self.devices.push(device(DeviceKind::Gpu, platform, name));
        self
    }

    /// Adds a reply behind those there are.
    pub fn reply(self, reply: Reply) -> FakeDevices {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).push_back(reply);
        self
    }

    /// Every request so far, in order.
    pub fn asked(&self) -> Vec<RunRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A device of this name, with figures of a small one.
pub fn device(kind: DeviceKind, platform: &str, name: &str) -> DeviceInfo {
    DeviceInfo {
        kind,
        id: format!("{platform} / {name}"),
        platform: platform.to_owned(),
        name: name.to_owned(),
        version: "1".to_owned(),
        driver: "script".to_owned(),
        flags: String::new(),
        compute_units: 4,
        max_work_group: 256,
        local_memory: 32 << 10,
        global_memory: 1 << 30,
        max_allocation: 1 << 28,
        clock_mhz: 1000,
        openmp: kind == DeviceKind::Host,
        f64: true,
        f16: true,
        problem: None,
    }
}

impl Backend for FakeDevices {
    fn list(&self, _control: &mut RunControl<'_>) -> Result<DeviceList, DeviceError> {
        Ok(DeviceList { devices: self.devices.clone(), notes: Vec::new() })
    }

    fn run(&self, request: &RunRequest, control: &mut RunControl<'_>) -> Result<RunReport, DeviceError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let device = select(&self.devices, &request.device)?.id.clone();
        (control.progress)(Progress::Compiling);
        let reply = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let (outputs, samples_ns) = match reply {
            Some(Reply::Outputs(outputs, samples)) => (outputs, samples),
            Some(Reply::Compute(compute, samples)) => (compute(request), samples),
            Some(Reply::Fail(error)) => return Err(error),
            Some(Reply::Hang) => {
                while !control.cancel.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(DeviceError::new(Cause::Cancelled, "The run was stopped."));
            }
            None => {
                return Err(DeviceError::new(
                    Cause::BadRequest,
                    "The script of the device has no reply left.",
                ));
            }
        };
        let of = u32::try_from(samples_ns.len()).unwrap_or(u32::MAX);
        (control.progress)(Progress::WarmingUp);
        (control.progress)(Progress::Running { done: 0, of });
        Ok(RunReport {
            outputs,
            samples_ns,
            parts: Vec::new(),
            timer: Timer::Host,
            compiler: "script 1".to_owned(),
            device,
            threads: 4,
            warnings: Vec::new(),
            stderr: String::new(),
        })
    }

    fn run_pair(
        &self,
        first: &RunRequest,
        second: &RunRequest,
        control: &mut RunControl<'_>,
    ) -> Result<(RunReport, RunReport), DeviceError> {
        Ok((self.run(first, control)?, self.run(second, control)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Param;
    use crate::lang::ty::Scalar;
    use std::sync::atomic::AtomicBool;

    fn request(device: &str) -> RunRequest {
        RunRequest::single(device, "", "f", vec![Param::Output { elem: Scalar::I32, len: 1 }])
    }

    #[test]
    fn replies_come_in_their_order_and_run_out() {
        let one = vec![HostData::I32(vec![1])];
        let fake = FakeDevices::new()
            .device("Scripted", "GPU")
            .reply(Reply::Outputs(one.clone(), vec![5, 6]))
            .reply(Reply::Compute(
                Box::new(|request| vec![HostData::I32(vec![request.params.len() as i32])]),
                vec![7],
            ))
            .reply(Reply::Fail(DeviceError::new(Cause::Crashed, "Crashed.")));
        let cancel = AtomicBool::new(false);
        let mut control = RunControl { cancel: &cancel, progress: &mut |_| () };
        let (first, second) = fake.run_pair(&request("cpu"), &request("gpu"), &mut control).unwrap();
        assert_eq!((&first.outputs, first.samples_ns), (&one, vec![5, 6]));
        assert_eq!((second.outputs, second.device.as_str()), (one, "Scripted / GPU"));
        assert_eq!(fake.run(&request("cpu"), &mut control).unwrap_err().cause, Cause::Crashed);
        assert_eq!(fake.run(&request("cpu"), &mut control).unwrap_err().cause, Cause::BadRequest);
        assert_eq!(fake.run(&request("none"), &mut control).unwrap_err().cause, Cause::NoDevice);
        assert_eq!(fake.asked().len(), 5);
    }

    #[test]
    fn what_hangs_can_be_stopped() {
        let cancel = AtomicBool::new(true);
        let mut control = RunControl { cancel: &cancel, progress: &mut |_| () };
        let fake = FakeDevices::new().reply(Reply::Hang);
        assert_eq!(fake.run(&request("cpu"), &mut control).unwrap_err().cause, Cause::Cancelled);
    }
}
