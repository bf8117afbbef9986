//! Who is there while the firmware of a board runs in this body.

use std::io::{self, Read, Write};

use board::Board;
use contract::{BadBlocks, Configuration, Start};
use firmware::ftl::Ftl;
use machine::{with_firmware, BoardFirmware, Observer, Stopped, Unobserved, Watched};
use nand::Unsuitable;

use super::still::StillBody;
use super::turns::{lose_power, turn, turn_cores, Until};
use crate::body::Body;

/// The configuration of a firmware that gets power, and whether its drive is new.
pub type About<'a> = (&'a Configuration, Start);

/// The firmware of a board that has power, or why it cannot use the board's flash.
pub type Powered = Result<BoardFirmware, Unsuitable>;

/// Who is there while the firmware of a board runs: nobody ([`Unobserved`]), or somebody ([`Watched`]). No function has a
/// parameter of a type here. So all firmware of boards in virtual time is compiled in this crate, once for each of the two,
/// and in no crate that uses it.
pub trait Audience: Observer + Sized {
    /// As [`power_on`](super::Software::power_on) of whatever is a firmware here.
    ///
    /// # Errors
    /// When the board has too many bad blocks for its firmware.
    fn power_on(board: &Board, about: About<'_>, body: &mut Body<Self>) -> Powered;

    /// As [`run`](super::Software::run).
    fn run(own: &mut BoardFirmware, body: &mut Body<Self>, until: Until<'_>) -> Stopped;

    /// As [`lose_power`](super::Software::lose_power).
    fn lose_power(own: &mut BoardFirmware, body: &mut Body<Self>);

    /// The hardware in the same state without its ends; none where its chips are in an image.
    fn copied(body: &Body<Self>) -> Option<StillBody>;

    /// Writes the state of the hardware.
    ///
    /// # Errors
    /// The errors of the writer.
    fn put_state(body: &Body<Self>, to: &mut dyn Write) -> io::Result<()>;

    /// Brings new hardware into a state that [`Audience::put_state`] has written.
    ///
    /// # Errors
    /// The errors of the reader, and when it is no state of such hardware.
    fn take_state(body: &mut Body<Self>, from: &mut dyn Read) -> io::Result<()>;
}

macro_rules! compiled_here {
    ($audience:ty) => {
        impl Audience for $audience {
            fn power_on(board: &Board, about: About<'_>, body: &mut Body<Self>) -> Powered {
                power_on(board, about, body)
            }

            fn run(own: &mut BoardFirmware, body: &mut Body<Self>, until: Until<'_>) -> Stopped {
                run(own, body, until)
            }

            fn lose_power(own: &mut BoardFirmware, body: &mut Body<Self>) {
                lose_power(body, |body| own.pass(body));
            }

            fn copied(body: &Body<Self>) -> Option<StillBody> {
                body.copied()
            }

            fn put_state(body: &Body<Self>, to: &mut dyn Write) -> io::Result<()> {
                body.put_state(to)
            }

            fn take_state(body: &mut Body<Self>, from: &mut dyn Read) -> io::Result<()> {
                body.take_state(from)
            }
        }
    };
}

compiled_here!(Unobserved);
compiled_here!(Watched<'_>);

/// The firmware of a board powers on, or too many of its blocks are bad.
fn power_on<O: Observer>(board: &Board, about: About<'_>, body: &mut Body<O>) -> Powered {
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

fn run<O: Observer>(own: &mut BoardFirmware, body: &mut Body<O>, until: Until<'_>) -> Stopped {
    match own {
        BoardFirmware::Phases(firmware) => turn(firmware, body, until),
        BoardFirmware::Cores(firmware) => turn_cores(firmware, body, until),
        BoardFirmware::Operations(firmware) => turn(firmware, body, until),
        BoardFirmware::Chunks(firmware) => turn(firmware, body, until),
        BoardFirmware::ChunkOperations(firmware) => turn(firmware, body, until),
        BoardFirmware::Zones(firmware) => turn(firmware, body, until),
        BoardFirmware::ZoneOperations(firmware) => turn(firmware, body, until),
        BoardFirmware::Memory(firmware) => turn(firmware, body, until),
    }
}
