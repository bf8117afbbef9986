//! What a scheduler has to know of operations, as `rtl/flash/fm_scheduler_pkg.sv`.

use contract::packet::{Operation, Request};

use crate::policy::Planes;

/// Whether a request of it is run to its end by several steps.
pub const fn is_whole(operation: Operation) -> bool {
    let number = operation as u8;
    number == Operation::Erase as u8 || number & 0x58 == 0x58
}

/// Whether it moves a page between buffer and chip.
pub const fn moves_page(operation: Operation) -> bool {
    use Operation::*;
    !matches!(
        operation,
        FeaturesTransfer
            | GetFeatures
            | GetFeaturesLun
            | SetFeatures
            | SetFeaturesLun
            | OdtConfigure
    ) && operation as u8 & 0x40 != 0
}

/// Whether a step of it brings data to the buffer; its request is complete when they are there.
pub const fn reads_page(operation: Operation) -> bool {
    operation as u8 & 0x60 == 0x40 && !matches!(operation, Operation::FeaturesTransfer)
}

/// Whether it changes or needs what is in a page.
const fn is_page(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, Read | Program | Erase | ProgramOneShot)
}

/// Whether an urgent request looks for others that it depends on.
pub const fn may_depend(request: &Request) -> bool {
    is_page(request.operation)
}

/// Whether a request has to stay behind another: a read and a program if they are of the same page, all
/// else but reads if they are of the same block. So the requests of a word line stay together.
pub fn depends(request: &Request, before: &Request, planes: Planes) -> bool {
    use Operation::{Program, Read};
    if !is_page(request.operation) || !is_page(before.operation) {
        return false;
    }
    match (request.operation, before.operation) {
        (Read, Read) => false,
        (Read, Program) | (Program, Read) => request.row == before.row,
        _ => planes.same_block(request.row, before.row),
    }
}

/// Whether a silent request that does not end well makes its way void: it is no status step, and what
/// it brings tells nothing.
pub const fn acts(operation: Operation) -> bool {
    use Operation::*;
    let number = operation as u8;
    matches!(operation, Read) || !(is_status(operation) || number & 0x60 == 0x40)
}

/// Whether it mends a way that is void.
pub const fn resets(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, Reset | SynchronousReset | ResetLun)
}

/// Whether a busy chip understands it.
pub const fn works_when_busy(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, ReadStatus | ReadStatusEnhanced | Reset | SynchronousReset | ResetLun)
}

/// Whether its words are never coded nor scrambled, whatever the request says.
pub const fn is_raw(operation: Operation) -> bool {
    use Operation::*;
    matches!(operation, ReadId | ReadParameterPage | ReadUniqueId)
}

/// Whether the status byte that it brings says how the request ended.
pub const fn is_status(operation: Operation) -> bool {
    operation as u8 & 0x60 == 0
}

/// Whether a channel of `ways` ways, whose pages have so many bytes of metadata, can run it.
pub const fn is_good(request: &Request, (ways, metadata_bytes): (u8, u16)) -> bool {
    let moves = moves_page(request.operation);
    let too_long = request.coding.metadata && request.length > u16::MAX - metadata_bytes;
    let has_data = !moves || request.length > 0;
    request.way < ways && request.length % 2 == 0 && has_data && !too_long
}
