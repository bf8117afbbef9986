#!/bin/sh
# Builds the program of the processor in the controller, and prints the name of its file: build.sh [FOLDER [FORM]]. The form
# `fpga` has the firmware of examples/tiny-firmware, and is small, for block RAM (memory-fpga.ld). Ends with 3, after a line that says
# what to install, where nothing can build it.
#
# Rust as rustup installs it has the target's libraries, once they are added. Debian's rustc-web has none, but
# rust-web-src has their source.
set -eu

target=riscv32imc-unknown-none-elf
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../target/soc}
form=${2:-}
cargo=${CARGO:-cargo}
linker=riscv64-unknown-elf-ld
# Flags of another target's build do not go here.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_TARGET

if [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
    set -- --config "target.$target.linker='rust-lld'"
elif [ -x /usr/bin/rustc ] && [ -f "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.toml" ] \
    && command -v $linker >/dev/null; then
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    set -- -Zbuild-std=core,alloc --config "target.$target.linker='$linker'" \
        --config "target.$target.rustflags=['-Clinker-flavor=ld', '-Clink-arg=-melf32lriscv']"
else
    echo "found no Rust for $target, expected it (rustup target add $target; on Debian 12 instead:" \
        "apt install rustc-web rust-web-src binutils-riscv64-unknown-elf)" >&2
    exit 3
fi
program=firmament-soc
if [ "$form" = fpga ]; then
    export CARGO_PROFILE_RELEASE_OPT_LEVEL=z
    program=firmament-soc-fpga
    set -- "$@" --features fpga
fi
$cargo build --quiet --release --manifest-path "$here/Cargo.toml" --target-dir "$out" --target $target --bin $program "$@" >&2
echo "$out/$target/release/$program"
