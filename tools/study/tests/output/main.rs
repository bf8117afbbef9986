//! What a study prints and writes, from outcomes made by hand.

mod fidelity;
mod files;
mod page;
mod plots;
mod sample;
mod terminal;

use study::outcome::StudyOutcome;
use tempfile::TempDir;

/// The folder in which `studies` were written.
fn written(studies: &[StudyOutcome]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    study::output::write(studies, folder.path()).unwrap();
    folder
}
