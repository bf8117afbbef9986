//! Tells the program which commit it was built from.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What decides the program, from the root of the repository.
const SOURCES: [&str; 6] = ["Cargo.lock", "Cargo.toml", "boards", "crates", "firmware", "studies"];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo::rerun-if-env-changed=FIRMAMENT_COMMIT");
    SOURCES.iter().for_each(|source| watch(&root.join(source)));
    ["HEAD", "index", "logs/HEAD"]
        .iter()
        .filter_map(|file| git(&root, &["rev-parse", "--git-path", file]))
        .for_each(|file| watch(&root.join(file)));
    let commit = std::env::var("FIRMAMENT_COMMIT").ok().filter(|given| !given.is_empty());
    let commit = commit.or_else(|| commit_of(&root)).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=FIRMAMENT_COMMIT={commit}");
}

/// Builds anew when the file or folder changes. What is not there would do so each time.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// The commit that is checked out, marked if the program's sources were changed; none if `root` is not
/// the root of a repository, as after unpacking an archive.
fn commit_of(root: &Path) -> Option<String> {
    let top = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let commit = git(root, &["rev-parse", "HEAD"])?;
    let changes = git(root, &[&["status", "--porcelain", "--"][..], &SOURCES].concat())?;
    Some(if changes.is_empty() { commit } else { format!("{commit}-dirty") })
}

/// What git prints, without the line feed at its end; none if it fails or is not there.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
