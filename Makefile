# The commands of this repository; `make help` lists them.

CARGO ?= cargo

BARE := --manifest-path firmware/bare/Cargo.toml
RUN := $(CARGO) run --quiet --release -p firmament --

.PHONY: help build demo test check bench clean cargo linker rustfmt clippy bare
.DEFAULT_GOAL := help

include rtl/rtl.mk

help: ## this list
	@grep -hE '^[a-z-]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/:.* ## /|/' \
		| while IFS='|' read -r name does; do printf 'make %-9s  %s\n' "$$name" "$$does"; done

build: cargo linker ## the program: target/release/firmament
	$(CARGO) build --release -p firmament

demo: build ## four fio jobs on a Cosmos+ OpenSSD: report here, out/demo.html and out/demo.json
	@mkdir -p out
	$(RUN) run cosmos-plus jobs/demo.fio --html out/demo.html --json out/demo.json

test: cargo linker bare rtl-tools formal ## all tests, the hardware's proofs, and the proof that the firmware needs no std
	@rm -rf target/rtl-coverage
	RTL_COVERAGE="$(CURDIR)/target/rtl-coverage" $(CARGO) test --workspace
	$(CARGO) run --quiet -p rtl-sim --bin rtl-coverage target/rtl-coverage

check: cargo linker rustfmt clippy ## rustfmt and clippy with warnings denied, then all tests
	$(CARGO) fmt --all --check
	$(CARGO) fmt $(BARE) --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy $(BARE) -- -D warnings
	@$(MAKE) --no-print-directory test

bench: cargo linker ## simulated requests a CPU second, and peak memory
	$(CARGO) bench -p firmament --bench speed

clean: cargo ## removes what was built
	$(CARGO) clean
	$(CARGO) clean $(BARE)
	rm -rf out

# Fails when firmware, contract, nvme or anything below them links the standard library: the
# panic handler of firmware/bare would then be the second.
bare: cargo
	$(CARGO) build $(BARE)
	@echo "firmware, contract and nvme: built without the standard library"

cargo:
	@command -v $(CARGO) >/dev/null 2>&1 \
		|| { echo "make: found no $(CARGO), expected Rust, as rustup installs it" >&2; exit 1; }

linker:
	@command -v cc >/dev/null 2>&1 \
		|| { echo "make: found no cc, expected a C compiler to link with (apt install gcc)" >&2; exit 1; }

rustfmt:
	@$(CARGO) fmt --version >/dev/null 2>&1 \
		|| { echo "make: found no rustfmt, expected it (rustup component add rustfmt)" >&2; exit 1; }

clippy:
	@$(CARGO) clippy --version >/dev/null 2>&1 \
		|| { echo "make: found no clippy, expected it (rustup component add clippy)" >&2; exit 1; }
