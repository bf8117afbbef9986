//! A drive that was brought into its state once, for many runs.

use report::RunResult;
use sim::{Drive, Host, Registers, Unobserved, Wake, NEVER};

use crate::control::Control;
use crate::engine::FioHost;
use crate::error::RunError;
use crate::memory::Memory;
use crate::power_on::Powered;
use crate::run::{run_powered, Progress, RunRequest, Watchers};

/// A drive in memory that was powered on and brought into its state, and has done nothing since. Each run has a copy of it, so
/// that no run knows of another.
pub struct Prepared {
    powered: Powered<Drive<Nobody, Unobserved>>,
}

/// A host that does nothing.
#[derive(Default)]
struct Nobody {
    memory: Memory,
}

impl Host for Nobody {
    type Memory = Memory;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn wake(&mut self, _now: u64, _wake: Wake, _registers: &mut Registers<'_>) -> u64 {
        NEVER
    }
}

impl Prepared {
    /// The drive of a request. What it says of jobs does not matter.
    ///
    /// # Errors
    /// When the board's flash cannot be modelled, or preconditioning was ended.
    ///
    /// # Panics
    /// If the drive is in an image: what that holds is one drive's.
    pub fn new(request: RunRequest<'_>, control: &mut Control<'_>) -> Result<Self, RunError> {
        assert!(request.image.is_none(), "a drive in an image is not copied");
        let ends = (Nobody::default(), Unobserved);
        Ok(Prepared { powered: request.power().power_on_for(ends, control)? })
    }

    /// Runs jobs on a copy: the result is that of [`crate::run`] with the same request, to the byte. Board, seed, payload,
    /// precondition and polling of the request are those that the drive was made with.
    ///
    /// # Errors
    /// As those of [`crate::run`].
    pub fn run(
        &self,
        request: RunRequest<'_>,
        watchers: Watchers<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<RunResult, RunError> {
        let Powered { drive, payload, state } = &self.powered;
        let copy = drive.copied((FioHost::new(), Unobserved));
        let drive = copy.expect("a drive in memory has copies");
        let powered = Powered { drive, payload: *payload, state: *state };
        run_powered(request, powered, watchers, progress)
    }
}
