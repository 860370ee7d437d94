//! Workers that stay when they have answered. A driver loads its library of functions with the first program that a process
//! compiles (1.5 s of PoCL), so that those who compile many programs should not start a process for each.
//!
//! What is asked of such a worker is answered as by a new one: one that failed, printed or died is never asked again, and
//! what a worker could not answer that had answered before is asked of a new one.
use super::super::service::temporary;
use super::super::{Cause, DeviceError, RunControl};
use super::parent::{Answer, Limits, Worker, WorkerCommand};
use super::wire::Ask;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// So many wait at most; each holds the driver's memory for as long as [`super::IDLE`].
const MOST: usize = 2;

/// Workers that wait for another question.
#[derive(Debug, Default)]
pub struct Kept(Mutex<Vec<Staying>>);

/// A worker with the folder of its temporary files, which is the same for all its questions.
#[derive(Debug)]
struct Staying {
    worker: Worker,
    folder: TempDir,
}

impl Drop for Staying {
    fn drop(&mut self) {
        self.worker.finish();
    }
}

impl Kept {
    /// Asks a worker that stays, or a new one, which stays then, for a run in the folder that `question` is given.
    ///
    /// # Errors
    /// As [`super::ask`].
    pub fn ask(
        &self,
        command: &WorkerCommand,
        question: &dyn Fn(&Path) -> Ask,
        body: &[&[u8]],
        limits: Limits,
        control: &mut RunControl<'_>,
    ) -> Result<Answer, DeviceError> {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut staying) = waiting {
            let asked = question(staying.folder.path());
            match staying.worker.talk(&asked, body, limits, control) {
                // It may have ended meanwhile, or what it ran before may be at fault.
                Err(error) if !matches!(error.cause, Cause::Cancelled | Cause::TimeLimit) => {}
                answered => return self.keep(staying, answered),
            }
        }
        let folder = temporary()?;
        let asked = question(folder.path());
        let mut staying = Staying { worker: Worker::start(command, &asked)?, folder };
        let answered = staying.worker.talk(&asked, body, limits, control);
        self.keep(staying, answered)
    }

    fn keep(&self, staying: Staying, answered: Result<Answer, DeviceError>) -> Result<Answer, DeviceError> {
        let answer = answered?;
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answer.stderr.is_empty() && waiting.len() < MOST {
            waiting.push(staying);
        }
        Ok(answer)
    }
}
