//! How whoever starts a run follows it before its jobs begin.

use std::ops::ControlFlow;

use board::Board;
use contract::CommandSet;
use firmware::ftl::precondition::{Precondition, Preconditioned};
use machine::{Host, Observer};
use sim::Drive;

use crate::drive_state::PayloadForm;
use crate::error::RunError;
use crate::stop::{Stop, Stopped};

/// What a run is told from outside, and what it tells before its jobs begin.
#[derive(Default)]
pub struct Control<'a> {
    /// Ends it.
    pub stop: Stop,
    /// Is told how far preconditioning has come.
    pub preparing: Option<&'a mut dyn FnMut(Preconditioned)>,
}

/// Looks whether a drive of this board takes what is asked of it, which needs logical blocks that can be written in any
/// order.
///
/// # Errors
/// If its host places its data itself.
pub fn check_blocks(board: &Board, asked: &'static str) -> Result<(), RunError> {
    match board.firmware.command_set {
        CommandSet::Block => Ok(()),
        CommandSet::OpenChannel => Err(RunError::Placed { board: board.name.clone(), asked }),
        CommandSet::Zoned => Err(RunError::Zoned { board: board.name.clone(), asked }),
    }
}

/// Looks whether jobs can go on with a drive that jobs have written before: where the host places data, its FTL finds them
/// by what it wrote beside them, which has to be bytes.
///
/// # Errors
/// If nothing but stamps is kept of it.
pub fn check_kept(board: &Board, payload: PayloadForm) -> Result<(), RunError> {
    match (board.firmware.command_set, payload) {
        (CommandSet::Zoned, _) => {
            let asked = "a drive that is kept";
            Err(RunError::Zoned { board: board.name.clone(), asked })
        }
        (CommandSet::Block, _) | (_, PayloadForm::Bytes) => Ok(()),
        (CommandSet::OpenChannel, PayloadForm::Stamps) => {
            Err(RunError::Stamped { board: board.name.clone() })
        }
    }
}

/// Brings a drive that has done nothing yet into a state.
///
/// # Errors
/// When it was asked to stop; the drive is in no state to be used then.
pub fn prepare<H: Host, O: Observer>(
    drive: &mut Drive<H, O>,
    state: Precondition,
    control: &mut Control<'_>,
) -> Result<(), Stopped> {
    let Control { stop, preparing } = control;
    let mut asked = None;
    let _ = drive.precondition_watched(state, &mut |preconditioned| {
        if let Some(tell) = preparing {
            tell(preconditioned);
        }
        asked = stop.signal();
        match asked {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    });
    match asked.or_else(|| stop.signal()) {
        None => Ok(()),
        Some(signal) => Err(Stopped { signal }),
    }
}
