//! What this program is, for reports.

use recipe::Program;

/// Version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Commit that it was built from; see `build/commit.rs`.
pub const COMMIT: &str = env!("FIRMAMENT_COMMIT");
/// This program.
pub const PROGRAM: Program = Program { version: VERSION, commit: COMMIT };
