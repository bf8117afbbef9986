//! The firmware of a drive in virtual time: that which its board asks for, or another one.

use board::Board;
use contract::{BadBlocks, Configuration, Start};
use firmware::ftl::Ftl;
use firmware::Inspection;
use machine::{with_firmware, BoardFirmware, Host, Observer, Stopped};
use nand::Unsuitable;

use super::turns::{turn, turn_cores};
use crate::body::Body;

/// A firmware in this body. Whatever is [`contract::Firmware`] in it is one, and so is the one of a board.
pub trait Software<H, O>: Sized {
    /// The firmware of a drive that gets power now.
    ///
    /// # Errors
    /// When the board has too many bad blocks for it.
    fn power_on(
        board: &Board,
        about: (&Configuration, Start),
        body: &mut Body<H, O>,
    ) -> Result<Self, Unsuitable>;

    /// Turns the main loop until the condition, looked at after each turn, holds, nothing can happen any more, or the
    /// body is due.
    fn run(&mut self, body: &mut Body<H, O>, until: impl FnMut(&H) -> bool) -> Stopped;

    /// One turn of the main loop while a capacitor is what is left of the power.
    fn turn_without_power(&mut self, body: &mut Body<H, O>);

    /// What is known of it.
    fn inspect(&self, body: &Body<H, O>) -> Inspection<'_>;
}

impl<H: Host, O: Observer, F: contract::Firmware<Body<H, O>>> Software<H, O> for F {
    fn power_on(
        _board: &Board,
        (config, start): (&Configuration, Start),
        body: &mut Body<H, O>,
    ) -> Result<Self, Unsuitable> {
        Ok(F::power_on(config, start, body))
    }

    fn run(&mut self, body: &mut Body<H, O>, until: impl FnMut(&H) -> bool) -> Stopped {
        turn(self, body, until)
    }

    fn turn_without_power(&mut self, body: &mut Body<H, O>) {
        self.pass(body);
    }

    fn inspect(&self, body: &Body<H, O>) -> Inspection<'_> {
        Inspection::of_another(body.pages_moved(), body.geometry.page_bytes, self.block_bytes())
    }
}

impl<H: Host, O: Observer> Software<H, O> for BoardFirmware {
    fn power_on(
        board: &Board,
        about: (&Configuration, Start),
        body: &mut Body<H, O>,
    ) -> Result<Self, Unsuitable> {
        let (config, start) = about;
        let own = BoardFirmware::power_on((config, board.cores), start, body);
        if !own.has_map() {
            return Ok(own);
        }
        let room = match config.bad_blocks {
            BadBlocks::Table => {
                with_firmware!(&own, firmware => firmware.inspect().translator().room())
            }
            BadBlocks::Scan => Ftl::room(config, |die, block| body.array.factory_bad(die, block)),
        };
        let (found, needed) = (room, u64::from(board.firmware.logical_pages));
        if found < needed {
            return Err(Unsuitable::FactoryBad { board: board.name.clone(), found, needed });
        }
        Ok(own)
    }

    fn run(&mut self, body: &mut Body<H, O>, until: impl FnMut(&H) -> bool) -> Stopped {
        match self {
            Self::Phases(firmware) => turn(firmware, body, until),
            Self::Cores(firmware) => turn_cores(firmware, body, until),
            Self::Operations(firmware) => turn(firmware, body, until),
            Self::Chunks(firmware) => turn(firmware, body, until),
            Self::ChunkOperations(firmware) => turn(firmware, body, until),
            Self::Zones(firmware) => turn(firmware, body, until),
            Self::ZoneOperations(firmware) => turn(firmware, body, until),
            Self::Memory(firmware) => turn(firmware, body, until),
        }
    }

    fn turn_without_power(&mut self, body: &mut Body<H, O>) {
        self.pass(body);
    }

    fn inspect(&self, _body: &Body<H, O>) -> Inspection<'_> {
        BoardFirmware::inspect(self)
    }
}
