//! Compiles the FTL: `ftl/page_map.c`, or the files that `FTL_SOURCES` names, separated by colons.

use std::env;
use std::path::Path;

fn main() {
    let named = env::var("FTL_SOURCES").unwrap_or_default();
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate is");
    let own = Path::new(&root).join("ftl/page_map.c").display().to_string();
    let sources: Vec<&str> = match named.as_str() {
        "" => vec![&own],
        named => named.split(':').collect(),
    };
    // Relative names are those of who calls cargo, which runs this program in the crate's folder.
    let workspace = Path::new(&root).ancestors().nth(2).expect("the crate lies two folders below");
    let is_cpp =
        sources.iter().any(|name| [".cc", ".cpp", ".cxx"].iter().any(|end| name.ends_with(end)));
    let mut build = cc::Build::new();
    build.include("include").cpp(is_cpp).flag_if_supported(if is_cpp {
        "-std=c++20"
    } else {
        "-std=c11"
    });
    // The debugger should find its way in an FTL, and an FTL should not be what a run waits for.
    build.opt_level(2).debug(true).warnings(true);
    for source in sources {
        let path = workspace.join(source);
        println!("cargo:rerun-if-changed={}", path.display());
        build.file(path);
    }
    println!("cargo:rerun-if-changed=include/firmware.h");
    println!("cargo:rerun-if-env-changed=FTL_SOURCES");
    build.compile("ftl");
}
