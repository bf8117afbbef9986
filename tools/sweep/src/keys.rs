//! Keys that nobody has, told before the first point.

use crate::definition::Sweep;
use crate::error::SweepError;
use crate::point::{Runner, Unfit};
use crate::shared::Shared;

/// Looks for keys that no board or no job has. A misspelt key would leave every point as it is.
///
/// # Errors
/// The first of them.
pub fn check_keys(sweep: &Sweep) -> Result<(), SweepError> {
    let shared = Shared::new(1);
    let mut runner = Runner::new(sweep, &shared);
    for number in sweep.grid.with_each_key() {
        if let Err(Unfit::Key(line)) = runner.prepare(&sweep.point(number)) {
            return Err(SweepError::Key { file: sweep.file.clone(), line });
        }
    }
    Ok(())
}
