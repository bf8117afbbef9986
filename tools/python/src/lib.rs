//! The native part of the Python package `firmament`: what `tools/python/python/firmament` is made with.
//!
//! Nothing here decides anything. Boards, jobs, runs and reports are those of the crates that the program is made of; this
//! crate takes what Python says, lets Python go on meanwhile, and hands back what came out.

mod board;
mod compare;
mod drive;
mod failure;
mod fio;
mod generator;
#[cfg(target_os = "linux")]
mod linux_guest;
mod outcome;
mod policy;
mod run;
mod study;
mod sweep;
mod table;
mod tags;
mod watch;

use pyo3::prelude::*;

/// What the package is, for reports.
const PROGRAM: recipe::Program =
    recipe::Program { version: env!("CARGO_PKG_VERSION"), commit: env!("FIRMAMENT_COMMIT") };

/// Private: use the package `firmament`.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::board::{boards, Board};
    #[pymodule_export]
    use crate::compare::{compare, Compare};
    #[pymodule_export]
    use crate::drive::{precondition, Drive};
    #[pymodule_export]
    use crate::fio::fio_options;
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::linux_guest::linux;
    #[pymodule_export]
    use crate::outcome::Outcome;
    #[pymodule_export]
    use crate::run::{run, run_program};
    #[pymodule_export]
    use crate::study::{studies, study, Study};
    #[pymodule_export]
    use crate::sweep::{toml_of, Journal, Sweep, Worker};
    #[pymodule_export]
    use crate::table::Table;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", crate::PROGRAM.version)?;
        module.add("COMMIT", crate::PROGRAM.commit)
    }
}
