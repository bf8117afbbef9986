//! Drives whose FTL is in C or C++.
//!
//! `c-drive BOARD JOBS.fio [KEY=VALUE ...]` runs fio jobs on one. `c-drive serve BOARD SOCKET [KEY=VALUE ...]` is one for a virtual machine.

use std::process::ExitCode;

use c_firmware::CFirmware;

fn main() -> ExitCode {
    tiny_drive::program::<CFirmware>("c-drive")
}
