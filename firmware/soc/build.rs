//! Tells the linker where the program goes.

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it for build scripts");
    println!("cargo::rerun-if-changed=memory.ld");
    println!("cargo::rustc-link-arg-bins=-T{here}/memory.ld");
}
