//! The firmware of a drive in virtual time: that which its board asks for, or another one.

use board::Board;
use contract::{Configuration, Start};
use firmware::Inspection;
use machine::{BoardFirmware, Observer, Stopped};
use nand::Unsuitable;

use super::audience::Audience;
use super::turns::{lose_power, turn, Until};
use crate::body::Body;

/// A firmware in this body. Whatever is [`contract::Firmware`] in it is one, and so is the one of a board.
pub trait Software<O>: Sized {
    /// The firmware of a drive that gets power now.
    ///
    /// # Errors
    /// When the board has too many bad blocks for it.
    fn power_on(
        board: &Board,
        about: (&Configuration, Start),
        body: &mut Body<O>,
    ) -> Result<Self, Unsuitable>;

    /// Turns the main loop until the time for it is over, nothing can happen any more, or the body is due.
    fn run(&mut self, body: &mut Body<O>, until: Until<'_>) -> Stopped;

    /// The power goes away. A board with a capacitor saves what it can until that is used up. What chips were doing then is cut
    /// off.
    fn lose_power(&mut self, body: &mut Body<O>);

    /// What is known of it.
    fn inspect(&self, body: &Body<O>) -> Inspection<'_>;
}

impl<O: Observer, F: contract::Firmware<Body<O>>> Software<O> for F {
    fn power_on(
        _board: &Board,
        (config, start): (&Configuration, Start),
        body: &mut Body<O>,
    ) -> Result<Self, Unsuitable> {
        Ok(F::power_on(config, start, body))
    }

    fn run(&mut self, body: &mut Body<O>, until: Until<'_>) -> Stopped {
        turn(self, body, until)
    }

    fn lose_power(&mut self, body: &mut Body<O>) {
        lose_power(body, |body| self.pass(body));
    }

    fn inspect(&self, body: &Body<O>) -> Inspection<'_> {
        Inspection::of_another(body.pages_moved(), body.geometry.page_bytes, self.block_bytes())
    }
}

impl<O: Audience> Software<O> for BoardFirmware {
    fn power_on(
        board: &Board,
        about: (&Configuration, Start),
        body: &mut Body<O>,
    ) -> Result<Self, Unsuitable> {
        O::power_on(board, about, body)
    }

    fn run(&mut self, body: &mut Body<O>, until: Until<'_>) -> Stopped {
        O::run(self, body, until)
    }

    fn lose_power(&mut self, body: &mut Body<O>) {
        O::lose_power(self, body);
    }

    fn inspect(&self, _body: &Body<O>) -> Inspection<'_> {
        BoardFirmware::inspect(self)
    }
}
