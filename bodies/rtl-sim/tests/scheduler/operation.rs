//! Operations by number, as in `fm_flash_pkg`, and what a bench has to know of them.

pub const READ_STATUS: u8 = 0x00;
pub const READ_STATUS_ENHANCED: u8 = 0x01;
pub const RESET: u8 = 0x20;
pub const SYNCHRONOUS_RESET: u8 = 0x21;
pub const RESET_LUN: u8 = 0x22;
pub const READ_TRIGGER: u8 = 0x25;
pub const READ_MULTI_PLANE: u8 = 0x26;
pub const READ_CACHE_RANDOM: u8 = 0x28;
pub const READ_CACHE_LAST: u8 = 0x29;
pub const COPYBACK_READ: u8 = 0x2a;
pub const ERASE_BLOCK: u8 = 0x2d;
pub const ERASE_MULTI_PLANE_ONFI: u8 = 0x2e;
pub const ERASE_MULTI_PLANE_JEDEC: u8 = 0x2f;
pub const PARAMETER_PAGE_TRIGGER: u8 = 0x31;
pub const UNIQUE_ID_TRIGGER: u8 = 0x32;
pub const FEATURES_TRIGGER: u8 = 0x33;
pub const FEATURES_LUN_TRIGGER: u8 = 0x34;
pub const ERASE: u8 = 0x3f;
pub const READ_TRANSFER: u8 = 0x40;
pub const CHANGE_READ_COLUMN: u8 = 0x41;
pub const CHANGE_READ_COLUMN_ONFI: u8 = 0x42;
pub const CHANGE_READ_COLUMN_JEDEC: u8 = 0x43;
pub const READ_ID: u8 = 0x44;
pub const FEATURES_TRANSFER: u8 = 0x45;
pub const READ: u8 = 0x58;
pub const READ_PARAMETER_PAGE: u8 = 0x59;
pub const READ_UNIQUE_ID: u8 = 0x5a;
pub const GET_FEATURES: u8 = 0x5b;
pub const GET_FEATURES_LUN: u8 = 0x5c;
pub const PROGRAM_PAGE: u8 = 0x60;
pub const PROGRAM_MULTI_PLANE: u8 = 0x61;
pub const PROGRAM_CACHE: u8 = 0x62;
pub const PROGRAM_PART: u8 = 0x63;
pub const SET_FEATURES: u8 = 0x67;
pub const PROGRAM: u8 = 0x78;
pub const PROGRAM_ONE_SHOT: u8 = 0x79;

/// All that a request may ask for.
pub fn known() -> Vec<u8> {
    [0x00..=0x01, 0x20..=0x34, 0x3f..=0x45, 0x58..=0x5c, 0x60..=0x69, 0x78..=0x79]
        .into_iter()
        .flatten()
        .collect()
}

/// Whether a page moves between buffer and chip.
pub fn moves_page(operation: u8) -> bool {
    let register = [FEATURES_TRANSFER, GET_FEATURES, GET_FEATURES_LUN, 0x67, 0x68, 0x69];
    operation >= 0x40 && !register.contains(&operation)
}

/// Whether page_path completes the request of such a step.
pub fn brings_data(operation: u8) -> bool {
    (READ_TRANSFER..=READ_ID).contains(&operation)
}

/// Whether a busy chip understands it.
pub fn works_when_busy(operation: u8) -> bool {
    [READ_STATUS, READ_STATUS_ENHANCED, RESET, SYNCHRONOUS_RESET, RESET_LUN].contains(&operation)
}

/// Whether a request of it is run to its end by several steps.
pub fn is_whole(operation: u8) -> bool {
    operation == ERASE || operation >= READ && operation & 0x18 == 0x18
}
