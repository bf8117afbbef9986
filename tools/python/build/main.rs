//! Tells the package which commit it was built from, as the program is told.

#[path = "../../cli/build/commit.rs"]
mod commit;
#[path = "../../cli/build/tell.rs"]
mod tell;

use std::path::Path;

fn main() {
    tell::commit_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
}
