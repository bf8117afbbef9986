//! Who may know whom inside the firmware, read from its source.

use std::fs;
use std::path::Path;

/// Lines of a module's source that name one of these modules.
fn naming(module: &str, forbidden: &[&str]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module);
    let mut found = Vec::new();
    let mut files = 0;
    for file in fs::read_dir(&folder).expect("the module is a folder") {
        let path = file.expect("an entry").path();
        if path.is_dir() || path.extension().is_none_or(|ext| ext != "rs") {
            continue;
        }
        files += 1;
        let text = fs::read_to_string(&path).expect("it can be read");
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        for (nth, line) in code.enumerate() {
            let names = |other: &&str| {
                line.contains(&format!("crate::{other}")) || line.contains(&format!("::{other}::"))
            };
            if forbidden.iter().any(names) {
                found.push(format!("{}:{}: {line}", path.display(), nth + 1));
            }
        }
    }
    assert!(files > 2, "{module} has {files} files");
    found
}

#[test]
fn translation_and_scheduling_know_each_other_by_operations_only() {
    assert_eq!(naming("ftl", &["sched"]), [""; 0]);
    assert_eq!(naming("sched", &["ftl"]), [""; 0]);
    assert_eq!(naming("operations", &["ftl", "sched"]), [""; 0]);
    // The search finds what is there.
    assert!(naming("ftl", &["operations"]).len() > 3);
    assert!(naming("sched", &["operations"]).len() > 3);
}
