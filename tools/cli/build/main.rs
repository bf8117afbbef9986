//! Tells the program which commit it was built from, and for what it is compiled.

mod commit;
mod tell;

use std::path::Path;

fn main() {
    tell::commit_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let target = std::env::var("TARGET").expect("cargo says what it compiles for");
    println!("cargo::rustc-env=FIRMAMENT_TARGET={target}");
}
