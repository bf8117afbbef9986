//! What a run is asked for.

use board::Board;
use confidence::Asked;
use sim::Polling;

use crate::job::JobFile;
use crate::power_on::{ImageFile, PowerOn};
use crate::state::{PayloadForm, Preconditioning};

/// A run to do.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// The drive.
    pub board: &'a Board,
    /// The jobs.
    pub jobs: &'a JobFile,
    /// Name of the job file, or what stands in for one; for the report.
    pub job_file: &'a str,
    /// Seed of every random stream.
    pub seed: u64,
    /// What stands for user data.
    pub payload: PayloadForm,
    /// State of the drive at the start. A drive in an image has it when the image is made.
    pub precondition: Preconditioning,
    /// The image that the drive is in, made if it is not there; none if it is in memory.
    pub image: Option<ImageFile<'a>>,
    /// How idle turns of the firmware are run.
    pub polling: Polling,
    /// What is to be known, and how well, before jobs are ended; none if they go on to their own end.
    pub until: Option<&'a Asked>,
}

impl<'a> RunRequest<'a> {
    /// The drive that it needs.
    pub(crate) fn power(&self) -> PowerOn<'a> {
        let RunRequest { board, seed, payload, precondition, image, polling, .. } = *self;
        PowerOn { board, seed, payload, precondition, image, polling }
    }
}
