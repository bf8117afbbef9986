//! The commit that the program is built from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What decides the program, from the root of the repository.
const SOURCES: [&str; 10] = [
    "Cargo.lock",
    "Cargo.toml",
    "boards",
    "bodies",
    "drive",
    "firmware",
    "ground",
    "hosts",
    "studies",
    "tools",
];

/// In archives that `git archive` makes, git has put the commit into this file (`.gitattributes`).
const ARCHIVED: &str = "tools/cli/build/archived-commit";

/// What a program is told to be built from when nothing says so.
const UNKNOWN: &str = "unknown";

/// The commit, from the root of the sources: what the environment says, or else the repository, or else the archive.
/// It ends in `-dirty` if a source of the program was changed since.
pub fn commit(root: &Path, said: Option<&str>) -> String {
    said.filter(|said| !said.is_empty())
        .map(str::to_owned)
        .or_else(|| checked_out(root))
        .or_else(|| archived(root))
        .unwrap_or_else(|| UNKNOWN.to_owned())
}

/// Files and directories after whose change the commit may be another. None of them is missing, for cargo would build
/// anew each time.
pub fn deciding_files(root: &Path) -> Vec<PathBuf> {
    let sources = SOURCES.iter().map(|source| root.join(source));
    // In a worktree, .git is a file and these are elsewhere. What HEAD names moves with each commit; its log does, too,
    // but git can be told to keep none.
    let head = git(root, &["symbolic-ref", "--quiet", "HEAD"]);
    let names = ["HEAD", "logs/HEAD", "packed-refs"].map(str::to_owned).into_iter().chain(head);
    let kept = names
        .filter_map(|name| git(root, &["rev-parse", "--git-path", &name]))
        .map(|path| root.join(path));
    sources.chain(kept).filter(|path| path.exists()).collect()
}

/// The commit that is checked out; none if `root` is not the root of a repository, as after unpacking an archive.
fn checked_out(root: &Path) -> Option<String> {
    let top = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let commit = git(root, &["rev-parse", "HEAD"])?;
    let changes = git(root, &[&["status", "--porcelain", "--"][..], &SOURCES].concat())?;
    Some(if changes.is_empty() { commit } else { format!("{commit}-dirty") })
}

/// The commit of an archive; none where git has put none.
fn archived(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join(ARCHIVED)).ok()?;
    let commit = text.trim();
    commit.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| commit.to_owned())
}

/// What git prints, without the line feed at its end; none if it fails or is not there.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        // Otherwise looking at changes writes the index.
        .arg("--no-optional-locks")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
