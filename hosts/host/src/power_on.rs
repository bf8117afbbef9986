//! How a drive comes to have power: new in memory, or out of an image.

use std::path::Path;
use std::sync::Arc;

use board::Board;
use machine::{Host, Machine, Payload, Polling};
use sim::{Audience, Drive, Kept, KeptState, Media, Options};

use crate::control::{check_blocks, check_kept, prepare, Control};
use crate::drive_state::{PayloadForm, Preconditioning};
use crate::error::RunError;
use crate::fio_host::FioHost;
use crate::oracle::Past;
use crate::victims::Victims;

/// Where a drive is that outlives its process.
#[derive(Clone, Copy, Debug)]
pub struct ImageFile<'a> {
    /// The file.
    pub path: &'a Path,
    /// Number in the serial number of the drive, if it is made.
    pub serial: u32,
}

/// A drive to be powered on.
#[derive(Clone, Copy, Debug)]
pub struct PowerOn<'a> {
    /// The drive.
    pub board: &'a Board,
    /// Decides a new drive's chips, and its state.
    pub seed: u64,
    /// What stands for user data.
    pub payload: PayloadForm,
    /// The state of a new drive.
    pub precondition: Preconditioning,
    /// The image that it is in, made if it is not there; none if it is in memory.
    pub image: Option<ImageFile<'a>>,
    /// How idle turns of the firmware are run.
    pub polling: Polling,
    /// Who chooses what it collects, in place of its board's policy.
    pub victims: Option<&'a Victims>,
}

/// A drive that has power.
pub struct Powered<D> {
    /// The drive, new or as its image has it.
    pub drive: D,
    /// What stands for user data, with the seed of the drive's image.
    pub payload: Payload,
    /// What is known of its data.
    pub known: Known,
}

/// What is known of the data of a drive when it is powered on.
#[derive(Clone, Debug)]
pub enum Known {
    /// It is in the state that the request says.
    State,
    /// What runs before have left.
    Past(Arc<Past>),
    /// Nothing: somebody has written it who has told nobody.
    Nothing,
}

impl PowerOn<'_> {
    /// Powers the drive on, and brings it into its state if it is new.
    ///
    /// # Errors
    /// When the board's flash cannot be modelled, the image cannot be used, or preconditioning was ended.
    pub fn power_on<O: Audience>(
        &self,
        observer: O,
        control: &mut Control<'_>,
    ) -> Result<Powered<Drive<FioHost, O>>, RunError> {
        self.power_on_for((FioHost::new(), observer), control)
    }

    /// As [`PowerOn::power_on`], with any host.
    ///
    /// # Errors
    /// As those of [`PowerOn::power_on`].
    pub(crate) fn power_on_for<H: Host, O: Audience>(
        &self,
        ends: (H, O),
        control: &mut Control<'_>,
    ) -> Result<Powered<Drive<H, O>>, RunError> {
        let PowerOn { board, seed, precondition, image, polling, .. } = *self;
        if precondition != Preconditioning::None {
            check_blocks(board, "a state at start")?;
        }
        if image.is_some() {
            check_kept(board, self.payload)?;
        }
        let options = Options { payload: self.payload(), seed, polling };
        let (mut drive, payload, state) = match image {
            None => (Drive::observed(board, options, ends)?, options.payload, KeptState::New),
            Some(ImageFile { path, serial }) => {
                let Kept { media, options, serial, state } =
                    Media::in_image(path, (board, options), serial)?;
                let mut board = board.clone();
                board.firmware.serial = serial;
                (Drive::powered(&board, (options, media), ends)?, options.payload, state)
            }
        };
        if let Some(victims) = self.victims {
            victims.take_over(&mut drive, seed);
        }
        if state == KeptState::New {
            prepare(&mut drive, precondition.state(seed), control)?;
            drive.seal_image().map_err(RunError::Image)?;
        }
        let known = match state {
            KeptState::New => Known::State,
            KeptState::Used => Known::Nothing,
        };
        Ok(Powered { drive, payload, known })
    }

    pub(crate) fn payload(&self) -> Payload {
        let config = &self.board.firmware;
        let block_bytes = config.block_formats[usize::from(config.block_format)];
        match self.payload {
            PayloadForm::Stamps => Payload::Stamps { block_bytes },
            PayloadForm::Bytes => Payload::Bytes { block_bytes, seed: self.seed },
        }
    }
}

/// Why a drive does not go on: its image, if that cannot be written.
pub(crate) fn cause(drive: &impl Machine<FioHost>, error: RunError) -> RunError {
    drive.image_fault().map_or(error, RunError::Image)
}
