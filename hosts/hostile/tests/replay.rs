//! Every target survives its corpus, and bytes as they come.

use std::fs;
use std::path::{Path, PathBuf};

use hostile::{Target, TARGETS};
use proptest::prelude::*;

/// Where the corpus is, a folder a target.
fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile/corpus")
}

/// Inputs by name, in order.
fn inputs(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = corpus().join(target);
    let listed = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let with_bytes = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    };
    paths.into_iter().map(with_bytes).collect()
}

/// Says which input it was that panics.
struct Named<'a>(&'a Path);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("input: {}", self.0.display());
        }
    }
}

fn replay(name: &str) {
    let target: Target = hostile::target(name);
    let inputs = inputs(name);
    assert!(inputs.len() > 20, "{name}: {} inputs are no corpus", inputs.len());
    for (path, bytes) in &inputs {
        let _named = Named(path);
        target(bytes);
    }
}

#[test]
fn registers() {
    replay("registers");
}

#[test]
fn doorbells() {
    replay("doorbells");
}

#[test]
fn commands() {
    replay("commands");
}

#[test]
fn prps() {
    replay("prps");
}

#[test]
#[cfg(target_os = "linux")]
fn vfio_user() {
    replay("vfio_user");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        TARGETS.iter().for_each(|(_, target)| target(&bytes));
    }
}
