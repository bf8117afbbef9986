//! Files of others are read in one place: whoever reads one whole says how large it may be, and whoever opens one has it
//! remembered, so that nothing is written over it.

use std::fs;
use std::path::{Path, PathBuf};

/// What reads without a limit, or opens a file that nobody remembers.
const READS: [&str; 6] =
    ["fs::read(", "read_to_string(", "read_to_end(", "from_reader(", "File::open(", "fs::read_to"];

/// Files that may, and why.
const MAY: [(&str, &str); 7] = [
    ("ground/foreign/src/input.rs", "it is the place"),
    (
        "bodies/drive-image/src/image.rs",
        "parts of known lengths, at known places; the drive writes there, too",
    ),
    ("tools/study/src/published.rs", "CSV of a text that was read"),
    ("tools/study/src/definition/exhibits.rs", "the same"),
    ("hosts/recipe/src/jobs.rs", "what the system says of its memory"),
    ("bodies/rtl-sim/src/model.rs", "what a model has written itself"),
    ("bodies/rtl-sim/src/coverage.rs", "the same"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Folders of crates.
const FLOORS: [&str; 5] = ["ground", "drive", "bodies", "hosts", "tools"];

/// The part of a source that is no test.
fn program(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

#[test]
fn files_of_others_are_read_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    let rooms = FLOORS.iter().flat_map(|floor| fs::read_dir(root.join(floor)).expect("a floor"));
    for krate in rooms {
        let source = krate.expect("a crate").path().join("src");
        if source.is_dir() {
            sources(&source, &mut all);
        }
    }
    let mut met = [false; MAY.len()];
    let mut wrong = Vec::new();
    for path in all {
        let name = path.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        let is_test =
            name.contains("tests") || name.contains("/planted.rs") || name.ends_with("/pages.rs");
        let text = fs::read_to_string(&path).expect("a source");
        // Whoever takes so many bytes has said how many may come.
        let reads = program(&text)
            .lines()
            .filter(|line| !line.contains(".take("))
            .find(|line| READS.iter().any(|read| line.contains(read)));
        let Some(line) = reads.filter(|_| !is_test) else { continue };
        match MAY.iter().position(|(may, _)| *may == name) {
            Some(nth) => met[nth] = true,
            None => wrong.push(format!("{name}: {}", line.trim())),
        }
    }
    assert!(wrong.is_empty(), "foreign::input reads files:\n{}", wrong.join("\n"));
    for ((name, _), met) in MAY.iter().zip(met) {
        assert!(met, "{name} reads nothing any more, and need not be named");
    }
}
