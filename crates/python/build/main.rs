//! Tells the package which commit it was built from, as the program is told.

#[path = "../../cli/build/commit.rs"]
mod commit;

use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo::rerun-if-env-changed=FIRMAMENT_COMMIT");
    for path in commit::deciding_files(&root) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let said = std::env::var("FIRMAMENT_COMMIT").ok();
    println!("cargo::rustc-env=FIRMAMENT_COMMIT={}", commit::commit(&root, said.as_deref()));
}
