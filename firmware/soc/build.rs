//! Tells the linker where the program goes.

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it for build scripts");
    let script = match std::env::var_os("CARGO_FEATURE_FPGA") {
        Some(_) => "memory-fpga.ld",
        None => "memory.ld",
    };
    ["memory.ld", "memory-fpga.ld", "sections.ld"]
        .iter()
        .for_each(|script| println!("cargo::rerun-if-changed={script}"));
    println!("cargo::rustc-link-arg-bins=-L{here}");
    println!("cargo::rustc-link-arg-bins=-T{here}/{script}");
}
