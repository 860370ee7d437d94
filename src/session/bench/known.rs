//! What was computed for the checks of other kernels of the same program: outputs of plain C by what they are of.

use crate::device::HostData;
use crate::lang::digest::Digest;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Outputs by what they are of.
pub struct Known {
    kept: Mutex<Vec<(Digest, Vec<HostData>)>>,
    /// On how many threads plain C ran; 0 before it did.
    threads: AtomicU32,
    /// More than so many bytes are not kept.
    most: usize,
}

impl Known {
    /// For as long as many kernels are tried.
    pub fn of_many() -> Known {
        Known::of(1 << 30)
    }

    /// For as long as a session, which needs memory for other things as well.
    pub fn of_session() -> Known {
        Known::of(256 << 20)
    }

    fn of(most: usize) -> Known {
        Known { kept: Mutex::default(), threads: AtomicU32::new(0), most }
    }

    /// The threads that plain C had, as usual on the host; 0 before it ran.
    pub fn threads(&self) -> u32 {
        self.threads.load(Ordering::Relaxed)
    }

    pub(super) fn ran_on(&self, threads: u32) {
        self.threads.store(threads, Ordering::Relaxed);
    }

    pub(super) fn get(&self, key: Digest) -> Option<Vec<HostData>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(k, _)| *k == key).map(|(_, outputs)| outputs.clone())
    }

    pub(super) fn keep(&self, key: Digest, outputs: &[HostData]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((key, outputs.to_vec()));
        let bytes = |all: &[HostData]| all.iter().map(|data| data.as_bytes().len()).sum::<usize>();
        while kept.iter().map(|(_, all)| bytes(all)).sum::<usize>() > self.most {
            kept.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::device::fake::{FakeDevices, Reply};
    use crate::device::{FloatMode, HostData, Mode, Param, RunRequest};
    use crate::lang::ty::Scalar;
    use crate::session::Session;
    use crate::session::action::Action;
    use crate::session::files::{Text, Texts};
    use std::sync::Arc;

    /// Three times its input.
    fn tripled(request: &RunRequest) -> Vec<HostData> {
        let (mut input, mut elem) = (None, Scalar::F32);
        for param in &request.params {
            match param {
                Param::Input(data) => input = Some(data.as_floats(Scalar::F64)),
                Param::Output { elem: output, .. } => elem = *output,
                _ => {}
            }
        }
        let Some(HostData::F64(cells)) = input else { panic!("floats") };
        vec![HostData::F64(cells.iter().map(|x| 3.0 * x).collect()).as_floats(elem)]
    }

    #[test]
    fn the_program_as_written_runs_once_for_all_measurements_of_a_session() {
        let devices = (0..20).fold(FakeDevices::new(), |devices, _| {
            devices.reply(Reply::Compute(Box::new(tripled), vec![1000, 1001, 1002, 1003, 1004, 1005]))
        });
        let text = "def scale (x: n.f32): n.f32 = x |> map (\\a. a * 3)";
        let program = Text { label: "scale.rise".into(), text: text.into() };
        let texts =
            Texts { program, files: vec![], default_sizes: Default::default(), origin: Default::default() };
        let devices = Arc::new(devices);
        let sizes = [("n".into(), 64)].into_iter().collect();
        let mut session = Session::open(&texts, None, &sizes, devices.clone(), Arc::new(|| {}))
            .unwrap_or_else(|problems| panic!("{}", problems.first()));
        // The program as written, at the sizes asked for; kernels are not compiled strictly.
        let whole = |request: &&RunRequest| {
            let is_whole = |p: &Param| matches!(p, Param::Output { len: 64, .. });
            request.float == FloatMode::Strict
                && matches!(request.mode, Mode::Once)
                && request.params.iter().any(is_whole)
        };
        let references = || devices.asked().iter().filter(whole).count();
        session.perform_now(Action::Bench { device: "cpu".into() }).unwrap();
        let once = references();
        assert!(once > 0);
        session.perform_now(Action::Bench { device: "cpu".into() }).unwrap();
        let strategy = "topDown(splitJoin(4))".to_owned();
        let at = crate::lang::path::Path::root();
        session.perform_now(Action::Strategy { text: strategy, at }).unwrap();
        session.perform_now(Action::Bench { device: "cpu".into() }).unwrap();
        assert_eq!(references(), once);
    }
}
