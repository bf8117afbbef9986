//! The commit that `--version` and reports name, where the program is built from a repository, from a worktree and from
//! an archive.

#[path = "../../build/commit.rs"]
mod built_from;

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use self::built_from::{commit, deciding_files};

const SOURCE: &str = "tools/cli/src/main.rs";
const ARCHIVED: &str = "tools/cli/build/archived-commit";

/// Git in a directory, as it is where nobody has configured anything.
fn git(place: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(place)
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is there");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("git prints UTF-8").trim().to_owned()
}

/// A repository with one commit, which has the file that git puts the commit into.
fn repository() -> (TempDir, String) {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    git(root, &["init", "--quiet", "--initial-branch=main"]);
    for (file, text) in [
        (SOURCE, "fn main() {}\n"),
        (ARCHIVED, include_str!("../../build/archived-commit")),
        (".gitattributes", include_str!("../../../../.gitattributes")),
        ("README.md", "Read.\n"),
    ] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), text).unwrap();
    }
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "first"]);
    let head = git(root, &["rev-parse", "HEAD"]);
    (place, head)
}

#[test]
fn a_repository_tells_its_commit_and_whether_sources_were_changed() {
    let (place, head) = repository();
    let root = place.path();
    assert_eq!(commit(root, None), head);
    fs::write(root.join("README.md"), "Read more.\n").unwrap();
    assert_eq!(commit(root, None), head, "what is no source decides nothing");
    fs::write(root.join(SOURCE), "fn main() { loop {} }\n").unwrap();
    assert_eq!(commit(root, None), format!("{head}-dirty"));
    assert_eq!(commit(root, Some("")), format!("{head}-dirty"));
    assert_eq!(commit(root, Some("v1")), "v1");
}

#[test]
fn an_archive_tells_the_commit_that_it_was_made_of() {
    let (place, head) = repository();
    let unpacked = tempfile::tempdir().unwrap();
    let archive = place.path().join("archive.tar");
    git(place.path(), &["archive", "--output", archive.to_str().unwrap(), "HEAD"]);
    let unpack =
        Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(unpacked.path()).status();
    assert!(unpack.expect("tar is there").success());
    assert_eq!(commit(unpacked.path(), None), head);
    // Sources that are neither.
    fs::write(unpacked.path().join(ARCHIVED), "$Format:%H$\n").unwrap();
    assert_eq!(commit(unpacked.path(), None), "unknown");
    // A repository around the sources is not that of the sources.
    git(unpacked.path(), &["init", "--quiet"]);
    let inside = unpacked.path().join("firmament");
    fs::create_dir(&inside).unwrap();
    assert_eq!(commit(&inside, None), "unknown");
}

#[test]
fn a_commit_changes_a_file_that_cargo_watches() {
    let (place, _) = repository();
    let tree = tempfile::tempdir().unwrap();
    let tree = tree.path().join("tree");
    git(place.path(), &["worktree", "add", "--quiet", "-b", "side", tree.to_str().unwrap()]);
    for root in [place.path(), &tree] {
        // Of what git keeps; sources are not changed here.
        let kept = |root: &Path| -> Vec<(String, Vec<u8>)> {
            let files = deciding_files(root).into_iter().filter(|file| file.is_file());
            files.map(|file| (file.display().to_string(), fs::read(&file).unwrap())).collect()
        };
        for configured in ["core.logAllRefUpdates=true", "core.logAllRefUpdates=false"] {
            let before = (commit(root, None), kept(root));
            git(root, &["-c", configured, "commit", "--quiet", "--allow-empty", "-m", "more"]);
            let after = (commit(root, None), kept(root));
            assert_ne!(before.0, after.0);
            assert_ne!(before.1, after.1, "{configured}: cargo would keep the old commit");
        }
        let before = kept(root);
        git(root, &["status"]);
        commit(root, None);
        assert_eq!(before, kept(root), "looking changes nothing");
    }
}
