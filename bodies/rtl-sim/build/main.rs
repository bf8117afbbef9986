//! Verilates every test top of `rtl/tops`, with all parameters of `rtl/tops/models.csv`, and compiles the models into static libraries.
//!
//! Verilator is quick, the C++ compiler is not, so a
//! model is compiled only when the C++ that Verilator wrote has changed. In the release profile
//! models are made for long measurements, with `RTL_COVERAGE` they count what is reached, with the feature `trace`
//! they write waveforms; each kind has a folder of its own.

mod bindings;
mod models;
mod verilator;

use models::TOPS;
use std::cmp::Reverse;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use verilator::{Purpose, Verilator, ROOMS, SHARED_CODE};

fn main() {
    if let Err(message) = build() {
        eprintln!("rtl-sim: {message}");
        exit(2);
    }
}

fn build() -> Result<(), String> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../..");
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed=RTL_TOPS");
    println!("cargo::rerun-if-env-changed=RTL_COVERAGE");
    // Scripts, proofs and tables beside these make no model.
    for source in ROOMS.iter().chain(&[TOPS, SHARED_CODE]) {
        println!("cargo::rerun-if-changed={}", root.join("rtl").join(source).display());
    }
    let purpose = match env::var_os("RTL_COVERAGE") {
        _ if variable("PROFILE") == "release" => Purpose::Measure,
        Some(_) => Purpose::Coverage,
        None if env::var_os("CARGO_FEATURE_TRACE").is_some() => Purpose::Trace,
        None => Purpose::Test,
    };
    // OUT_DIR is <profile>/build/<package>/out.
    let profile = out.ancestors().nth(3).expect("OUT_DIR lies in a profile");
    let cache = profile.join("rtl-models").join(purpose.folder());
    let verilator = Verilator::find(&root, purpose)?;
    let mut specs = models::all(&root.join("rtl"))?;
    let mut left_out = Vec::new();
    for spec in &specs {
        if !verilator.has_cores(&root, &spec.top)? {
            println!("cargo::warning={} is left out: found no package of its processor core in target/rtl-venv, expected it there (make rtl-tools)", spec.name);
            left_out.push(spec.name.clone());
        }
    }
    specs.retain(|spec| !left_out.contains(&spec.name));
    let mut models =
        side_by_side(&specs, |spec| verilator.generate(&root, spec, &cache.join(&spec.name)))?;
    let mut modules: Vec<String> = models.iter().map(bindings::rust).collect();
    modules.push(bindings::all(&models));
    // A large one that began last would be compiled alone.
    models.sort_by_key(|model| Reverse(model.bytes));
    side_by_side(&models, |model| verilator.compile(model))?;
    verilator.compile_runtime(&cache.join("runtime/cpp"))?;
    println!("cargo::rustc-link-lib=dylib=stdc++");
    fs::write(out.join("tops.rs"), modules.concat()).map_err(|error| error.to_string())
}

/// Does something for each item, in their order, on as many threads as there are cores. Verilator
/// and the compiler use one core for a model.
fn side_by_side<I: Sync, T: Send>(
    items: &[I],
    work: impl Fn(&I) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut done: Vec<_> = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, |count| count.get());
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

fn variable(name: &str) -> String {
    env::var(name).expect("Cargo sets it for build scripts")
}
