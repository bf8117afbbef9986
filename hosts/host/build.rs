//! Tells the crate which sources decide how a drive's state in a snapshot is laid out.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Folders with the types of a drive's state, from the root of the repository.
const SOURCES: [&str; 9] = [
    "bodies/channel/src",
    "drive/contract/src",
    "hosts/host/src/oracle",
    "bodies/machine/src",
    "bodies/nand/src",
    "drive/nvme/src",
    "bodies/sim/src",
    "ground/sparse/src",
    "firmware/src",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
        collect(&root.join(source), &mut files);
    }
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        let name = file.strip_prefix(&root).expect("it was found below").to_string_lossy();
        let text = fs::read(&file).expect("a source can be read");
        digest.update((name.len() as u64).to_le_bytes());
        digest.update(name.as_bytes());
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=STATE_LAYOUT={digest}");
}

/// All files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
