//! Has `firmware/soc/build.sh` build the program, and hands on the file or why there is none.

use std::path::{Path, PathBuf};
use std::process::{exit, Command};
use std::{env, fs};

/// Where the program comes from, below the root of the repository.
const SOURCES: [&str; 8] = [
    "firmware/src",
    "firmware/soc",
    "drive/arena/src",
    "drive/contract/src",
    "drive/driver/src",
    "drive/nvme/src",
    "drive/registers/src",
    "examples/tiny-firmware/src",
];

/// How the script ends where nothing can build the program.
const NO_COMPILER: i32 = 3;

fn main() {
    let variable = |name| PathBuf::from(env::var(name).expect("Cargo sets it for build scripts"));
    let root = variable("CARGO_MANIFEST_DIR").join("../..");
    let out = variable("OUT_DIR");
    SOURCES
        .iter()
        .for_each(|path| println!("cargo::rerun-if-changed={}", root.join(path).display()));
    // OUT_DIR is <target>/<profile>/build/<package>/out. The programs' own target folders are all profiles'.
    let target = out.ancestors().nth(4).expect("OUT_DIR lies in a target folder");
    let script = root.join("firmware/soc/build.sh");
    let forms =
        [("PROGRAM", "program.elf", "soc", ""), ("FPGA_PROGRAM", "fpga.elf", "soc-fpga", "fpga")];
    let items = forms.map(|(name, file, folder, form)| {
        let program = build(&script, &target.join(folder), form, &out.join(file));
        let what = if form.is_empty() { "simulators" } else { "an FPGA, of a small firmware" };
        format!(
            "/// The program for {what}, as an ELF file; where it could not be built, a line that says what is missing.\n\
             pub const {name}: Result<&[u8], &str> = {program};\n"
        )
    });
    fs::write(out.join("program.rs"), items.concat()).expect("OUT_DIR can be written");
}

/// Builds a form of the program; a constant of it, as Rust.
fn build(script: &Path, folder: &Path, form: &str, file: &Path) -> String {
    let output = Command::new("sh").arg(script).arg(folder).arg(form).output();
    let output = output.unwrap_or_else(|error| {
        eprintln!("soc-program: found {error}, expected sh to run firmware/soc/build.sh");
        exit(2)
    });
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    match output.status.code() {
        Some(0) => {
            fs::copy(text(output.stdout), file).expect("the script prints the name of a file");
            format!("Ok(include_bytes!({file:?}))")
        }
        Some(NO_COMPILER) => format!("Err({:?})", text(output.stderr)),
        _ => {
            eprintln!("{}", text(output.stderr));
            exit(2)
        }
    }
}
