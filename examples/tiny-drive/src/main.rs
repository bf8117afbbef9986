//! Drives whose firmware is that of `examples/tiny-firmware`.
//!
//! `tiny-drive BOARD JOBS.fio [KEY=VALUE ...]` runs fio jobs on one. `tiny-drive serve BOARD SOCKET [KEY=VALUE ...]` is one for a virtual
//! machine.

use std::process::ExitCode;

use tiny_firmware::TinyFirmware;

fn main() -> ExitCode {
    tiny_drive::program::<TinyFirmware>("tiny-drive")
}
