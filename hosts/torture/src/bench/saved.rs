//! A drive that is written to a snapshot and read back: the bytes of a file, in memory.

use std::io::Cursor;
use std::path::Path;

use board::Board;
use host::snapshot::{self, About, Snapshot};
use machine::{Payload, Polling};
use sim::{Drive, Options};

use super::Bench;

/// What errors call the file.
const NAME: &str = "snapshot in memory";

impl Bench {
    /// The snapshot of the drive, as a file has it.
    fn written(&self, about: &About) -> Vec<u8> {
        let mut file = Vec::new();
        let written = snapshot::write(about, &mut file, |mut out| self.drive.put_state(&mut out));
        written.expect("memory takes all");
        file
    }

    /// A drive of this board that was written and read into the state of this one, and a host in the state of this one.
    ///
    /// # Panics
    /// If it cannot be read, as that of a drive cannot that is not at rest, or is not written to the same bytes again.
    pub fn written_and_read(&self, (board, payload): (&Board, Payload)) -> Self {
        let about = About {
            board: board.clone(),
            seed: 1,
            payload: match payload {
                Payload::Stamps { .. } => snapshot::Payload::Stamp,
                Payload::Bytes { .. } => snapshot::Payload::Full,
            },
            precondition: "none".to_owned(),
            time_ps: self.drive.now(),
        };
        let file = self.written(&about);
        let name = Path::new(NAME);
        let mut read = Snapshot::of(name, Cursor::new(&file[..])).expect("what was written");
        assert_eq!(*read.about(), about, "the head is another");
        read.about().must_be(name, board).expect("the same board");
        let options = Options { payload, seed: 1, polling: Polling::Skip };
        let host = self.drive.host().clone();
        let mut drive = Drive::new(&read.about().board, options, host).expect("a suitable board");
        read.state(|mut from| drive.take_state(&mut from)).expect("a state that was written");
        let bench = Bench { drive, started: self.started };
        assert!(bench.written(&about) == file, "what was read is not what was written");
        bench
    }
}
