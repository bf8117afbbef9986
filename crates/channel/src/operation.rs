//! What a scheduler has to know of operations, as `rtl/flash/scheduler_pkg.sv`.

use contract::packet::{Operation, Request};

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

/// Whether a channel of `ways` ways can run it.
pub const fn is_good(request: &Request, ways: u8) -> bool {
    let moves = moves_page(request.operation);
    request.way < ways && request.length % 2 == 0 && !(moves && request.length == 0)
}
