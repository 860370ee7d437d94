//! The messages between the program and its worker process.
//!
//! A frame is a prefix (magic, length of the head, length of the body), a head in JSON, and a body of raw bytes:
//! the arrays that the head speaks of, one behind the other. Lengths are checked before memory is taken.
use super::super::cpu::Toolchain;
use super::super::proto::{
    Arg, FloatMode, Language, MAX_STEPS, Mode, Param, PartTimes, Progress, RunReport, RunRequest, Step,
    Texts, Timer,
};
use super::super::{Cause, DeviceError, DeviceInfo, HostData, HostScalar, Settings};
use crate::lang::ty::Scalar;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};
use std::path::PathBuf;

const MAGIC: u32 = 0x5348_4e32;
/// Magic, length of the head, length of the body.
pub const PREFIX: usize = 16;
/// No head is longer: texts of kernels are a few kilobytes.
const MAX_HEAD: u64 = 64 << 20;
/// No array and no message is longer, in bytes.
pub const MAX_BODY: u64 = 1 << 42;
/// No compiled kernel that is kept is longer, in bytes.
pub const MAX_OBJECT: u64 = 8 << 20;

/// What the worker is asked.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Which C compiler is there, and what does it know?
    Probe {
        /// A folder of the parent's for temporary files.
        folder: PathBuf,
        /// Whether it is to be tried, or presumed to know what most know.
        thorough: bool,
    },
    /// Which OpenCL devices are there?
    List,
    /// Compile all jobs, then run them in turn.
    Run {
        /// A folder of the parent's for temporary files.
        folder: PathBuf,
        /// The answer to `Probe`, for jobs in C.
        toolchain: Option<Toolchain>,
        jobs: Vec<Job>,
        /// For each job how many bytes its compiled C has, which stand in the body behind all arrays; 0 where it is to be
        /// compiled.
        objects: Vec<u64>,
        /// Whether the worker stays for another question.
        stay: bool,
    },
}

/// What the worker says: any number of `Progress` and `Compiled`, then one of the others.
#[derive(Debug, Serialize, Deserialize)]
pub enum Tell {
    Progress(Progress),
    /// The C of the job of this number was compiled; the object is the body.
    Compiled(usize),
    Probed(Toolchain),
    Listed(Vec<DeviceInfo>),
    Ran(Vec<Outcome>),
    Failed(DeviceError),
}

/// A [`RunRequest`] without its arrays, which are the frame's body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub device: String,
    pub texts: Texts,
    pub params: Vec<Slot>,
    pub steps: Vec<Step>,
    pub float: FloatMode,
    pub settings: Settings,
    pub mode: Mode,
}

/// A [`Param`] without its array. A scalar is its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    Output {
        #[serde(with = "by_name")]
        elem: Scalar,
        len: usize,
    },
    Input {
        #[serde(with = "by_name")]
        elem: Scalar,
        len: usize,
    },
    Temp {
        #[serde(with = "by_name")]
        elem: Scalar,
        len: usize,
    },
    Local {
        bytes: usize,
    },
    Scalar {
        #[serde(with = "by_name")]
        elem: Scalar,
        bits: u64,
    },
}

/// A [`RunReport`] without its outputs, which are in the frame's body.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    pub samples_ns: Vec<u64>,
    pub parts: Vec<PartTimes>,
    pub timer: Timer,
    pub compiler: String,
    pub device: String,
    pub threads: u32,
    pub warnings: Vec<String>,
}

impl Job {
    /// Checks a request and takes its head; the error says what does not make sense.
    pub fn of(request: &RunRequest) -> Result<Job, DeviceError> {
        let refuse = |message: String| Err(DeviceError::new(Cause::BadRequest, message));
        let on_host = request.device == "cpu";
        if let Some(why) = request.settings.refused(on_host) {
            return Err(DeviceError::new(Cause::NoDevice, why).hint("Leave it out."));
        }
        // A program of kernels launches none where the host's loops have no iterations.
        let least = usize::from(on_host);
        if !(least..=MAX_STEPS).contains(&request.steps.len()) {
            let steps = request.steps.len();
            return refuse(format!(
                "A run of {steps} steps makes no sense: there are from {least} to {MAX_STEPS}."
            ));
        }
        for step in &request.steps {
            step_makes_sense(step, request)?;
            if on_host && step.language == Language::OpenCl {
                return refuse(
                    "A kernel in OpenCL C runs on OpenCL devices only, and `cpu` was asked for.".to_owned(),
                );
            }
        }
        let in_c = |step: &Step| step.language == Language::C;
        if !on_host && !request.steps.is_empty() && request.steps.iter().all(in_c) {
            return refuse(format!(
                "A kernel in C runs on `cpu` only, and `{}` was asked for.",
                request.device
            ));
        }
        if let Mode::Measure { min_runs, max_runs, max_seconds } = request.mode
            && (min_runs == 0 || max_runs < min_runs || max_runs > 1_000_000 || !max_seconds.is_finite())
        {
            return refuse(format!("A measurement of {min_runs} to {max_runs} runs makes no sense."));
        }
        let mut params = Vec::new();
        for param in &request.params {
            params.push(match *param {
                Param::Output { elem, len } => Slot::Output { elem, len },
                Param::Temp { elem, len } => Slot::Temp { elem, len },
                Param::Input(ref data) => Slot::Input { elem: data.elem(), len: data.len() },
                Param::Local { .. } if on_host => {
                    return refuse("A kernel in C cannot have parameters in local memory.".to_owned());
                }
                Param::Local { bytes } => Slot::Local { bytes },
                Param::Scalar(value) => Slot::scalar(value),
                Param::Int(value) => Slot::scalar(HostScalar::I32(int(value)?)),
            });
        }
        if !params.iter().any(|slot| matches!(slot, Slot::Output { .. })) {
            return refuse("A kernel must have an output.".to_owned());
        }
        for slot in &params {
            if slot.bytes().is_none_or(|bytes| bytes > MAX_BODY) {
                return refuse("An array of the kernel is larger than any memory (over 4 TiB).".to_owned());
            }
        }
        Ok(Job {
            device: request.device.clone(),
            texts: request.texts.clone(),
            params,
            steps: request.steps.clone(),
            float: request.float,
            settings: request.settings.clone(),
            mode: request.mode,
        })
    }

    /// The names of the entry points in a language, each once, in the order in which they first run.
    pub fn entries(&self, language: Language) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for step in self.steps.iter().filter(|step| step.language == language) {
            if !names.contains(&&*step.entry) {
                names.push(&step.entry);
            }
        }
        names
    }

    /// What the arguments of a step are. Numbers of its own are scalars.
    pub fn slots(&self, step: &Step) -> Vec<Slot> {
        let slot = |arg: &Arg| match *arg {
            Arg::Param(index, _) => self.params.get(index).copied(),
            Arg::Int(value) => Some(Slot::scalar(HostScalar::I32(i32::try_from(value).unwrap_or(0)))),
        };
        step.args.iter().filter_map(slot).collect()
    }

    /// The element and length of each output, in the order of the parameters.
    pub fn outputs(&self) -> Vec<(Scalar, usize)> {
        let output = |slot: &Slot| match *slot {
            Slot::Output { elem, len } => Some((elem, len)),
            _ => None,
        };
        self.params.iter().filter_map(output).collect()
    }

    /// The bytes of this job's arrays in the body of the question, or `None` where they overflow.
    pub fn input_bytes(&self) -> Option<u64> {
        self.params
            .iter()
            .filter(|slot| matches!(slot, Slot::Input { .. }))
            .try_fold(0u64, |sum, slot| sum.checked_add(slot.bytes()?))
    }
}

/// Whether a step calls something, with arguments that there are.
fn step_makes_sense(step: &Step, request: &RunRequest) -> Result<(), DeviceError> {
    let refuse = |message: String| Err(DeviceError::new(Cause::BadRequest, message));
    let mut chars = step.entry.chars();
    let is_identifier = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|rest| rest.is_ascii_alphanumeric() || rest == '_');
    if !is_identifier {
        return refuse(format!("The entry point `{}` is not an identifier of C.", step.entry));
    }
    for arg in &step.args {
        match *arg {
            Arg::Int(value) => int(value).map(|_| ())?,
            Arg::Param(index, _) if index >= request.params.len() => {
                return refuse(format!("`{}` is given a parameter that there is not.", step.entry));
            }
            Arg::Param(..) => {}
        }
    }
    Ok(())
}

fn int(value: i64) -> Result<i32, DeviceError> {
    i32::try_from(value).map_err(|_| {
        let message = format!("The size {value} does not fit into the type `int` of the kernel.");
        DeviceError::new(Cause::BadRequest, message).hint("Choose sizes below 2147483648.")
    })
}

impl Slot {
    fn scalar(value: HostScalar) -> Slot {
        Slot::Scalar { elem: value.elem(), bits: u64::from_le_bytes(value.to_bytes()) }
    }

    /// The size of the memory the slot stands for.
    pub fn bytes(&self) -> Option<u64> {
        match *self {
            Slot::Output { elem, len } | Slot::Input { elem, len } | Slot::Temp { elem, len } => {
                u64::try_from(len).ok()?.checked_mul(elem.bytes() as u64)
            }
            Slot::Local { bytes } => u64::try_from(bytes).ok(),
            Slot::Scalar { elem, .. } => Some(elem.bytes() as u64),
        }
    }
}

impl Outcome {
    pub fn report(self, outputs: Vec<HostData>, stderr: String) -> RunReport {
        RunReport {
            outputs,
            samples_ns: self.samples_ns,
            parts: self.parts,
            timer: self.timer,
            compiler: self.compiler,
            device: self.device,
            threads: self.threads,
            warnings: self.warnings,
            stderr,
        }
    }
}

/// The prefix and the head of a frame whose body will have `body` bytes.
pub fn head<T: Serialize>(message: &T, body: u64) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(message)?;
    let length = u32::try_from(json.len()).map_err(|_| io::Error::other("message too long"))?;
    let mut bytes = Vec::with_capacity(PREFIX + json.len());
    bytes.extend(MAGIC.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(body.to_le_bytes());
    bytes.extend(json);
    Ok(bytes)
}

/// The lengths of head and body that a prefix announces; `None` where it is not one of ours.
pub fn lengths(prefix: &[u8; PREFIX]) -> Option<(usize, u64)> {
    let [m0, m1, m2, m3, h0, h1, h2, h3, body @ ..] = *prefix;
    let head = u64::from(u32::from_le_bytes([h0, h1, h2, h3]));
    let body = u64::from_le_bytes(body);
    let ours = u32::from_le_bytes([m0, m1, m2, m3]) == MAGIC && head <= MAX_HEAD && body <= MAX_BODY;
    ours.then_some((usize::try_from(head).ok()?, body))
}

/// Writes a frame.
pub fn send<T: Serialize>(out: &mut impl Write, message: &T, body: &[&[u8]]) -> io::Result<()> {
    let total = body.iter().map(|part| part.len() as u64).sum();
    out.write_all(&head(message, total)?)?;
    for part in body {
        out.write_all(part)?;
    }
    out.flush()
}

/// Reads the head of a frame; the body, whose length comes with it, is left to the caller.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<(T, u64)> {
    let mut prefix = [0; PREFIX];
    from.read_exact(&mut prefix)?;
    let (head, body) = lengths(&prefix).ok_or_else(|| io::Error::other("not a message of this program"))?;
    let mut json = vec![0; head];
    from.read_exact(&mut json)?;
    Ok((serde_json::from_slice(&json)?, body))
}

/// A type of numbers goes by its name.
mod by_name {
    use crate::lang::ty::Scalar;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(scalar: &Scalar, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(scalar.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Scalar, D::Error> {
        let name = String::deserialize(from)?;
        Scalar::from_name(&name)
            .ok_or_else(|| D::Error::custom(format!("no type of numbers is called {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::proto::Access;
    use super::*;

    fn request() -> RunRequest {
        let params = vec![
            Param::Output { elem: Scalar::F32, len: 2 },
            Param::Int(7),
            Param::Input(HostData::F64(vec![1.0, 2.0])),
            Param::Scalar(HostScalar::F32(f32::NAN)),
        ];
        RunRequest::single("cpu", "", "f", params)
    }

    #[test]
    fn a_frame_survives_the_pipe() {
        let job = Job::of(&request()).unwrap();
        assert_eq!(job.input_bytes(), Some(16));
        let mut pipe = Vec::new();
        let ask = Ask::Run {
            folder: "/tmp".into(),
            toolchain: None,
            jobs: vec![job.clone()],
            objects: vec![0],
            stay: false,
        };
        send(&mut pipe, &ask, &[&[1, 2], &[3]]).unwrap();
        let mut from = pipe.as_slice();
        let (back, body) = receive::<Ask>(&mut from).unwrap();
        let Ask::Run { jobs, .. } = back else { panic!("{back:?}") };
        assert_eq!(jobs[0].params, job.params);
        assert_eq!((body, from), (3, &[1, 2, 3][..]));
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        assert!(receive::<Tell>(&mut &b"running 3 tests\n................"[..]).is_err());
        let mut huge = [0; PREFIX];
        huge[..4].copy_from_slice(&MAGIC.to_le_bytes());
        huge[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(lengths(&huge), None);
    }

    #[test]
    fn requests_that_make_no_sense_are_refused() {
        let broken: [fn(&mut RunRequest); 11] = [
            |r| r.steps[0].entry = "f(); system".into(),
            |r| r.steps[0].entry = String::new(),
            |r| r.steps[0].args.push(Arg::Param(9, Access { reads: true, writes: false })),
            |r| r.steps[0].args.push(Arg::Int(1 << 31)),
            |r| r.steps.clear(),
            |r| r.device = "pocl".into(),
            |r| r.steps[0].language = Language::OpenCl,
            |r| r.params.push(Param::Local { bytes: 4 }),
            |r| r.params.push(Param::Int(1 << 31)),
            |r| r.params.push(Param::Temp { elem: Scalar::F64, len: usize::MAX }),
            |r| r.params.clear(),
        ];
        for (index, change) in broken.iter().enumerate() {
            let mut request = request();
            change(&mut request);
            let error = Job::of(&request).expect_err(&format!("change {index}"));
            assert_eq!(error.cause, Cause::BadRequest, "change {index}");
        }
    }
}
