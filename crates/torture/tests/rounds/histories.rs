//! Histories that broke a promise once, shrunk: `tests/histories`, each named for what was wrong.

use std::fs;
use std::path::Path;

use torture::plan::Plan;
use torture::violation::attempt;

#[test]
fn what_was_found_once_stays_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a file");
        let plan: Plan = serde_json::from_str(&text).expect("a history");
        assert!(plan.is_sensible(), "{}: no such board", path.display());
        assert_eq!(attempt(&plan).err(), None, "{}", path.display());
        count += 1;
    }
    assert!(count >= 3, "{count} histories");
}
