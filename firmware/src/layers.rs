//! What a command passes through below the NVMe manager: what all kinds of drives have there.

use contract::{CommandTag, Completer, Configuration, Hardware, Start};

use crate::ftl::Ftl;
use crate::nvme::backend::{IoCommand, IoOutcome, Storage};

/// What lies below the NVMe manager, and its share of a turn of the main loop.
pub trait Layers<H: Hardware>: Storage {
    /// The layers of a drive that gets power now.
    fn power_on(config: &Configuration, start: Start, hw: &mut H) -> Self;

    /// Takes in what the host DMA engine finished. True when it did.
    fn check_dma(&mut self, hw: &mut H) -> bool;

    /// Works on what is under way, as much as a turn may. True when anything changed.
    fn advance(&mut self, hw: &mut H, own_work: OwnWork) -> bool;

    /// The power has gone away, and a capacitor is left. Nothing but [`Layers::save`] is called any more.
    fn lose_power(&mut self, hw: &mut H);

    /// Saves what would be lost, as much as a turn may. True when anything changed.
    fn save(&mut self, hw: &mut H) -> bool;
}

/// Whether the layers may begin work that no command asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnWork {
    /// They may.
    Allowed,
    /// They are to come to rest.
    None,
}

/// How commands come from the host side to the FTL, and back.
pub trait Border {
    /// The FTL takes a command in, or will; tells who completes it if nothing fails.
    fn submit(&mut self, ftl: &mut Ftl, command: IoCommand) -> Completer {
        ftl.submit(command)
    }

    /// Takes the next command that is done, as far as the host side knows.
    fn next_done(&mut self, ftl: &mut Ftl) -> Option<(CommandTag, IoOutcome)> {
        ftl.next_done()
    }

    /// Forgets a command, as [`Storage::abort`](crate::nvme::backend::Storage::abort) says.
    fn abort(&mut self, ftl: &mut Ftl, tag: CommandTag) -> bool {
        ftl.abort(tag)
    }

    /// Whether no command is between the two.
    fn is_clear(&self) -> bool {
        true
    }
}
