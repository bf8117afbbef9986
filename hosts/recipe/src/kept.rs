//! A drive in memory that runs go on with, one after the other.

use std::io;
use std::path::Path;

use board::Board;
use contract::CommandSet;
use host::{Control, PayloadForm, Preconditioning, Prepared};
use machine::Polling;
use report::SnapshotOrigin;

use crate::asked::Asked;
use crate::drive::{check_at_rest, Drive, Said};
use crate::failure::Failure;
use crate::recipe::{Program, Recipe};

/// A drive in memory, with all that runs on it have to say of it.
#[derive(Debug)]
pub struct Kept {
    /// Name or path of its board.
    name: String,
    board: Board,
    overrides: Vec<(String, String)>,
    polling: Polling,
    /// The snapshot that it came from.
    file: Option<SnapshotOrigin>,
    /// How many runs it has seen since it is in memory.
    runs: u64,
    drive: Prepared,
}

impl Kept {
    /// The drive that is asked for, new, in the state that is asked for. What is asked of jobs does not matter.
    ///
    /// # Errors
    /// When it cannot be used, and when preconditioning was ended.
    pub fn new(
        asked: Asked<'_>,
        program: Program,
        control: &mut Control<'_>,
    ) -> Result<Self, Failure> {
        let (name, overrides) = (asked.board, asked.overrides.to_vec());
        let name = name.unwrap_or(crate::DEFAULT_BOARD).to_owned();
        let polling = asked.polling;
        let recipe = Recipe::asked(asked, program)?;
        if recipe.board.firmware.command_set != CommandSet::Block {
            let expected = "a board whose drive places its data itself";
            return Err(Failure::unexpected("drive", format!("board {name}"), expected));
        }
        let drive = Prepared::new(recipe.request(), control)?;
        let Recipe { board, .. } = recipe;
        Ok(Kept { name, board, overrides, polling, file: None, runs: 0, drive })
    }

    /// The drive of a snapshot.
    ///
    /// # Errors
    /// When the file is no undamaged snapshot.
    pub fn open(path: &Path, polling: Polling) -> Result<Self, Failure> {
        let said =
            Said { image: None, board: None, overrides: &[], precondition: None, serial: None };
        let (Drive { name, board, .. }, (file, drive)) = said.snapshot(path, (None, polling))?;
        Ok(Kept { name, board, overrides: Vec::new(), polling, file: Some(file), runs: 0, drive })
    }

    /// Another drive in the same state. Both have in common what neither of them has written to since.
    pub fn copied(&self) -> Self {
        Kept {
            name: self.name.clone(),
            board: self.board.clone(),
            overrides: self.overrides.clone(),
            file: self.file.clone(),
            drive: self.drive.copied(),
            ..*self
        }
    }

    /// The drive as a run of its recipe has left it.
    pub fn left(&mut self, drive: Prepared) {
        self.drive = drive;
        self.runs += 1;
    }

    /// Writes a snapshot of it.
    ///
    /// # Errors
    /// When it is not at rest, and those of the writer.
    pub fn write(&self, out: &mut dyn io::Write) -> Result<(), Failure> {
        check_at_rest(&self.drive)?;
        let written = self.drive.write(&self.board, out);
        written.map_err(|error| Failure::Input(format!("snapshot: {error}")))
    }

    /// Name or path of its board.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Values of its board that were replaced.
    pub fn overrides(&self) -> &[(String, String)] {
        &self.overrides
    }

    /// The board, with what was set of it.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// How many runs it has seen since it is in memory.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The seed of its chips and of what was random in its state.
    pub fn seed(&self) -> u64 {
        self.drive.origin().seed
    }

    /// The state that it was brought into when it was new.
    pub fn precondition(&self) -> Preconditioning {
        self.drive.origin().precondition
    }

    /// Virtual time of the drive since it was made, in picoseconds.
    pub fn now_ps(&self) -> u64 {
        self.drive.now_ps()
    }

    /// How idle turns of its firmware are run.
    pub(crate) fn polling(&self) -> Polling {
        self.polling
    }

    /// What stands for user data in it.
    pub(crate) fn payload(&self) -> PayloadForm {
        self.drive.origin().payload
    }

    /// The drive for a run.
    pub(crate) fn drive(&self) -> Prepared {
        self.drive.copied()
    }

    /// What a report of a run with this seed says of where the drive came from. A new drive that nobody has used is the one that
    /// any run with its seed begins with.
    pub(crate) fn origin(&self, seed: u64) -> Option<SnapshotOrigin> {
        match (&self.file, self.runs) {
            (None, 0) if seed == self.seed() => None,
            (Some(file), 0) => Some(file.clone()),
            (_, runs) => {
                let name = format!(
                    "memory, seed {}, after {runs} {}",
                    self.seed(),
                    if runs == 1 { "run" } else { "runs" }
                );
                Some(SnapshotOrigin { name, sha256: String::new() })
            }
        }
    }
}
