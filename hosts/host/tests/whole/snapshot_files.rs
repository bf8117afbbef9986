//! What comes back from a file, and which files are refused.

use std::fs;
use std::path::PathBuf;

use board::Board;
use host::snapshot::{About, Payload, Snapshot};
use sha2::{Digest, Sha256};

const STATE: &[u8] = b"a state, and a state, and a state";

struct Kept {
    _folder: tempfile::TempDir,
    path: PathBuf,
    about: About,
}

fn board(set: &[(&str, &str)]) -> Board {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    Board::resolve("small", &set).expect("the board")
}

fn kept() -> Kept {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("drive.snap");
    let about = About {
        board: board(&[("geometry.ways", "4")]),
        seed: u64::MAX,
        payload: Payload::Full,
        precondition: "steady".to_owned(),
        time_ps: 12_345_678_901_234,
    };
    let mut file = fs::File::create(&path).expect("a file");
    host::snapshot::write(&about, &mut file, |out| out.write_all(STATE)).expect("it is written");
    Kept { _folder: folder, path, about }
}

fn refusal(kept: &Kept, bytes: &[u8]) -> String {
    fs::write(&kept.path, bytes).expect("it is written");
    let line = Snapshot::open(&kept.path).expect_err("it is refused").to_string();
    let name = kept.path.display().to_string();
    assert!(!line.contains('\n') && line.starts_with(&name), "{line}");
    line[name.len() + 2..].to_owned()
}

#[test]
fn head_and_state_come_back() {
    let kept = kept();
    let mut snapshot = Snapshot::open(&kept.path).expect("it is sound");
    assert_eq!(*snapshot.about(), kept.about);
    let state = snapshot.state(|from| {
        let mut state = Vec::new();
        from.read_to_end(&mut state)?;
        Ok(state)
    });
    assert_eq!(state.expect("it can be read"), STATE);
    let part = snapshot.state(|from| from.read_exact(&mut [0; 3]));
    assert!(part.expect_err("some is left").to_string().contains("more than was asked for"));
    let more = snapshot.state(|from| from.read_exact(&mut [0; STATE.len() + 1]));
    assert!(more.is_err(), "there is no more");
}

#[test]
fn each_damaged_byte_and_each_truncated_file_is_refused() {
    let kept = kept();
    let sound = fs::read(&kept.path).expect("it is there");
    for at in (0..16).chain((16..sound.len()).step_by(61)).chain(sound.len() - 40..sound.len()) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x10;
        let line = refusal(&kept, &bytes);
        let expected = match at {
            0..8 => "found another file, expected a snapshot of a drive",
            8..12 => "version: found ",
            _ => "expected an undamaged snapshot",
        };
        assert!(line.contains(expected), "byte {at}: {line}");
    }
    for length in (0..sound.len()).step_by(97) {
        let line = refusal(&kept, &sound[..length]);
        let is_short = length < 8 && line.contains("expected a snapshot of a drive");
        assert!(is_short || line.contains("expected an undamaged snapshot"), "{length}: {line}");
    }
    let line = refusal(&kept, &[&sound[..], &[0]].concat());
    assert!(line.contains("a wrong checksum"), "{line}");
}

#[test]
fn a_file_of_another_layout_is_refused() {
    let kept = kept();
    let mut bytes = fs::read(&kept.path).expect("it is there");
    bytes.truncate(bytes.len() - 32);
    let layout = host::snapshot::LAYOUT.as_bytes();
    let at = bytes.windows(layout.len()).position(|part| part == layout).expect("the head has it");
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    let sum = Sha256::digest(&bytes);
    let line = refusal(&kept, &[&bytes[..], &sum].concat());
    assert!(line.starts_with("layout: found ") && line.contains("other sources"), "{line}");
}

#[test]
fn a_head_whose_values_are_not_of_its_checksum_is_refused() {
    let kept = kept();
    let mut bytes = fs::read(&kept.path).expect("it is there");
    bytes.truncate(bytes.len() - 32);
    let sha256 = kept.about.board.sha256().into_bytes();
    let at = bytes.windows(sha256.len()).position(|part| part == sha256).expect("the head has it");
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    let sum = Sha256::digest(&bytes);
    let line = refusal(&kept, &[&bytes[..], &sum].concat());
    assert!(line.starts_with("board: found values with sha256 "), "{line}");
}

#[test]
fn a_drive_of_another_board_is_named_by_what_differs() {
    let kept = kept();
    assert_eq!(kept.about.must_be(&kept.path, &kept.about.board), Ok(()));
    let other = board(&[("geometry.ways", "2")]);
    let line = kept.about.must_be(&kept.path, &other).expect_err("it differs").to_string();
    assert!(line.ends_with("geometry.ways: found 4, expected 2"), "{line}");
}

#[test]
fn no_file_is_one_line() {
    let line = Snapshot::open("/nowhere/at.all".as_ref()).expect_err("nothing there").to_string();
    assert!(line.starts_with("/nowhere/at.all: found ") && !line.contains('\n'), "{line}");
}
