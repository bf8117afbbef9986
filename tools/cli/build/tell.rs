//! What a build script tells the compiler of the commit: the program's does, and that of the Python package.

use std::path::Path;

use crate::commit::{commit, deciding_files};

/// Has `FIRMAMENT_COMMIT` stand for the commit, and be looked up again when it may be another.
pub fn commit_of(root: &Path) {
    println!("cargo::rerun-if-env-changed=FIRMAMENT_COMMIT");
    for path in deciding_files(root) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let said = std::env::var("FIRMAMENT_COMMIT").ok();
    println!("cargo::rustc-env=FIRMAMENT_COMMIT={}", commit(root, said.as_deref()));
}
