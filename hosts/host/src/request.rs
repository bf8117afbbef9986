//! A run that is asked for, how far it is, and what its jobs did.

use board::Board;
use machine::{Accounts, Polling};
use report::{HostFtl, JobResult, OverTime, QueueResult, Series};
use runs::confidence::Asked;

use crate::drive_state::{PayloadForm, Preconditioning};
use crate::engine::Totals;
use crate::job::{JobFile, JobSpec};
use crate::power_on::{ImageFile, PowerOn};
use crate::victims::Victims;

/// A run to do.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// The drive.
    pub board: &'a Board,
    /// Jobs of fio, or what stands in place of them.
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
    /// Whether the drive tells where the time of requests goes. A drive whose host has the FTL always does.
    pub accounts: Accounts,
    /// Whether more than figures is wanted.
    pub course: Course,
    /// Who chooses what the drive collects, in place of its board's policy. A drive that collects nothing asks nobody.
    pub victims: Option<&'a Victims>,
    /// What is to be known, and how well, before jobs are ended; none if they go on to their own end.
    pub until: Option<&'a Asked>,
}

impl<'a> RunRequest<'a> {
    /// Jobs to their end on a new drive in memory, with seed 1 and stamps for data. Everything that a run can
    /// tell is told.
    pub fn new(board: &'a Board, jobs: &'a JobFile, job_file: &'a str) -> Self {
        RunRequest {
            board,
            jobs,
            job_file,
            seed: 1,
            payload: PayloadForm::Stamps,
            precondition: Preconditioning::None,
            image: None,
            polling: Polling::Skip,
            accounts: Accounts::Kept,
            course: Course::Told,
            victims: None,
            until: None,
        }
    }

    /// The drive that it needs.
    pub(crate) fn power(&self) -> PowerOn<'a> {
        let RunRequest { board, seed, payload, precondition, image, polling, .. } = *self;
        PowerOn { board, seed, payload, precondition, image, polling, victims: self.victims }
    }
}

/// Whether a run tells more than its figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Course {
    /// It tells the drive over time, and the blocks as they are at its end.
    #[default]
    Told,
    /// Figures are all that is wanted of it, as of a point of a sweep.
    Left,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Share of the work that is done, 0 to 1, as far as it is known beforehand.
    pub fraction: f64,
    /// Virtual time since the first job started, in picoseconds.
    pub elapsed_ps: u64,
    /// Requests completed so far.
    pub requests: u64,
    /// Requests a second of virtual time since the last report.
    pub iops: f64,
}

/// What jobs did, until their end or until now.
pub struct Outcome<'s> {
    /// By job.
    pub jobs: Vec<JobResult>,
    /// Throughput over time.
    pub series: Series,
    /// Sums over all jobs.
    pub totals: Totals,
    /// Time from the start of the first job.
    pub elapsed_ps: u64,
    /// The jobs as they were resolved.
    pub specs: &'s [JobSpec],
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// What an FTL in the host did.
    pub host_ftl: Option<Box<HostFtl>>,
    /// The drive over virtual time.
    pub over_time: OverTime,
    /// What went through each queue.
    pub queues: Vec<QueueResult>,
}
