//! The firmware beside a controller in hardware: that which its board asks for, or another one.

use contract::{Configuration, Cores, Start};
use driver::Controller;
use firmware::Inspection;

use super::host_side::HostEnd;
use super::seat::Seat;

/// The controller, as the firmware sees it.
pub type Body<'o, E> = Controller<Seat<'o, E>>;

/// What is known of a drive from outside of its firmware.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Pages read from chips and programmed.
    pub pages: (u64, u64),
    /// Bytes of user data of a page.
    pub page_bytes: u32,
}

/// A firmware beside a controller. Whatever is [`contract::Firmware`] there is one, and so is the one of a board.
pub trait Software<'o, E: HostEnd>: Sized {
    /// The firmware of a drive that gets power now.
    fn power_on(config: &Configuration, body: &mut Body<'o, E>) -> Self;
    /// One turn of the main loop.
    fn pass(&mut self, body: &mut Body<'o, E>);
    /// What is known of it.
    fn inspect(&self, seen: Seen) -> Inspection<'_>;
}

impl<'o, E: HostEnd, F: contract::Firmware<Body<'o, E>>> Software<'o, E> for F {
    fn power_on(config: &Configuration, body: &mut Body<'o, E>) -> Self {
        F::power_on(config, Start::New, body)
    }

    fn pass(&mut self, body: &mut Body<'o, E>) {
        contract::Firmware::pass(self, body);
    }

    fn inspect(&self, Seen { pages, page_bytes }: Seen) -> Inspection<'_> {
        Inspection::of_another(pages, page_bytes, self.block_bytes())
    }
}

/// The firmware that a board asks for, on one core.
pub struct BoardFirmware(machine::BoardFirmware);

impl<'o, E: HostEnd> Software<'o, E> for BoardFirmware {
    fn power_on(config: &Configuration, body: &mut Body<'o, E>) -> Self {
        BoardFirmware(machine::BoardFirmware::power_on((config, Cores::ONE), Start::New, body))
    }

    fn pass(&mut self, body: &mut Body<'o, E>) {
        self.0.pass(body);
    }

    fn inspect(&self, _seen: Seen) -> Inspection<'_> {
        self.0.inspect()
    }
}
