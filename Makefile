# The commands of this repository; `make help` lists them.

CARGO ?= cargo

BARE := --manifest-path firmware/bare/Cargo.toml
SOC := --manifest-path firmware/soc/Cargo.toml
RUN := $(CARGO) run --quiet --release -p firmament --
# Where cargo puts programs.
TARGET := $(or $(CARGO_TARGET_DIR),target)
# Changes the firmware and sees whether a test notices (docs/mutants.md). MUTANTS=7/40 takes one in 40.
MUTANTS_VERSION := 27.1.0
MUTANTS ?= 0/1
MUTANTS_TOOL := $(TARGET)/tools/bin/cargo-mutants
# Licences, sources and duplicates of the crates that Firmament is made of (deny.toml).
DENY_VERSION := 0.20.2
DENY_TOOL := $(TARGET)/tools/bin/cargo-deny
# Ends with 3 where no guest can run: without network, or on a system without Debian's packages. Then
# `make test` says so and goes on, unless GUEST=required.
GUEST_RUN := python3 tests/guest/guest.py --target target/guest
GUEST ?= if-possible
# Linux in user mode, in the drive's virtual time. What is built once below LINUX_VT is kept as long as it is of today's sources.
# The tests end with 3 where it was not built; `make test` says so and goes on, unless LINUX_VT_TESTS=required.
LINUX_VT := target/linux-vt
# Power losses under each file system that linux-cuts makes.
LINUX_CUTS ?= 1000
LINUX_CUTS_ON ?= ext4,xfs,f2fs,btrfs
LINUX_VT_RUN := python3 tests/linux/linux.py --target $(LINUX_VT)
LINUX_VT_TESTS ?= if-possible
# fio-plot and fio's own scripts on what firmament writes. Ends with 3 where they cannot be had, as without
# network. Then `make test` says so and goes on, unless FIO_TOOLS=required.
FIO_TOOLS_RUN := python3 tests/fio/check.py --target target/fio
FIO_TOOLS ?= if-possible
# The same jobs in a fio that is installed. Ends with 3 where there is none of the release that is imitated.
FIO_DIFF_RUN := python3 tests/fio/diff.py --target target/fio-diff
FIO_DIFF_JOBS ?= 100
FIO_DIFF_SEED ?= 20261127

# Ends with 3 where no browser can be had: none is installed, and Debian's packages are out of reach.
# Then `make test-all` says so and goes on, unless LOOKS=required.
LOOKS ?= if-possible
LOOKS_RUN := python3 tests/looks/looks.py --target target/looks

# Speed, and instructions a request, which Valgrind counts. Ends with 3 where there is none.
BENCH_RUN := python3 tests/bench/bench.py
BENCH ?=
# A folder of MQSim's sources.
MQSIM ?= MQSim
# Why make bench-update may write a count that rose; the table keeps it.
WHY ?=

# Hostile hosts, made by libFuzzer: seconds for each target, or inputs where they are said, as in FUZZ_INPUTS=1000000;
# programs at once; and where what it finds is kept. FUZZ_MORE goes to tests/hostile/fuzz.py as it is.
FUZZ_SECONDS ?= 60
FUZZ_INPUTS ?= 0
FUZZ_JOBS ?= $(shell nproc 2>/dev/null || echo 1)
FUZZ_MORE ?=
FUZZ_TARGETS ?= registers doorbells commands prps vfio_user
FUZZ_WORK := $(TARGET)/fuzz
FUZZ_CORPUS := tests/hostile/corpus
FUZZ_PROGRAMS := $(FUZZ_WORK)/release
FUZZ_BULK := $(FUZZ_WORK)/bulk

# Rounds of make soak, with some 20 power losses each, and with some 140 each.
SOAK_ROUNDS ?= 10000
SOAK_DENSE_ROUNDS ?= 6000

# Kills of make image-kills, and of make guest-kills under each load.
IMAGE_KILLS ?= 100
GUEST_KILLS ?= 20

# Proofs and tests that run side by side.
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
# Which tests are run, as libtest takes it.
TESTS ?=
EVERYTHING = $(MAKE) --no-print-directory -j$(JOBS) TESTS="$(TESTS)" bare soc registers-check rtl-cores rtl-crossings rtl-pins \
	test-crates formal test-cocotb test-docs test-fio test-python test-install test-bench test-guest test-linux

.PHONY: help build quick release demo test test-all test-build test-crates test-docs test-fio test-guest test-linux guest linux-vt linux-cuts guest-kills guest-tiny looks test-looks fio-tools fio-diff check locks deny mutants
.PHONY: fuzz fuzz-build fuzz-corpus histories soak recovery-times image-kills
# Pages with tables that the program prints.
REFERENCE_PAGES := docs/fio.md docs/spec/board-files.md docs/spec/report-fields.md

.PHONY: interval-coverage reference studies bench bench-peer bench-check bench-update test-bench clean cargo linker python rustfmt clippy bare soc
.DEFAULT_GOAL := help

include rtl/rtl.mk
include packaging/packaging.mk
include site/site.mk
include tools/python/python.mk

help: ## this list
	@grep -hE '^[a-z-]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/:.* ## /|/' \
		| while IFS='|' read -r name does; do printf 'make %-12s  %s\n' "$$name" "$$does"; done

build: cargo linker ## the program: target/release/firmament
	$(CARGO) build --release -p firmament

quick: cargo linker ## the program for whoever changes it, target/quick/firmament: after an edit in seconds, two thirds of the speed
	CARGO_INCREMENTAL=1 $(CARGO) build --profile quick -p firmament

release: cargo linker python ## the program built twice, the second time for what the bench's jobs do: target/profiled/firmament
	@python3 tests/bench/release.py --cargo $(CARGO) --target $(TARGET)

demo: build ## four fio jobs on a Cosmos+ OpenSSD: report here, out/demo.html and out/demo.json
	@mkdir -p out
	$(RUN) run cosmos-plus jobs/demo.fio --html out/demo.html --json out/demo.json

test: TESTS := --skip long::
test: export RTL_SEEDS ?= 1
test: export RTL_TOPS ?= $(subst $(eval ) ,$(RTL_COMMA),$(RTL_SHORT))
test: cargo linker python ## tests, proofs of the hardware, the firmware without std, a Linux guest in short
	+@$(EVERYTHING)
	@echo "test: left to make test-all: the modules named long of $$(grep -rl '^mod long {' firmware bodies hosts tools drive ground examples --include=*.rs | wc -l) files, all seeds of the hardware but one, and the models $(RTL_LEFT)"

# With the model of 4 x 4, which is made only if it is asked for: one of the long tests runs it.
test-all: export RTL_TOPS ?= $(subst $(eval ) ,$(RTL_COMMA),$(RTL_MODELS) ssd_4x4)
test-all: cargo linker python ## the same with the long tests and all seeds, instructions a request of the program of users, Python's plots, frames and types, and pages in a browser; hours
	+@$(EVERYTHING)
	@$(MAKE) --no-print-directory bench-check test-python-more test-looks gallery-check

# Cargo shares no job server with the proofs: it would wait for them at first, and they for it later.
# What is kept for the next build costs a fifth more instructions a request, which test-bench would count.
test-build: cargo linker python $(RTL_VENV)/ready
	MAKEFLAGS= CARGO_INCREMENTAL=0 $(CARGO) test --workspace --no-run

test-crates: test-build
	FIO_EXAMPLES="$$(python3 tests/fio/examples.py target/fio-examples)" MAKEFLAGS= CARGO_INCREMENTAL=0 $(CARGO) test --workspace --no-fail-fast -- $(TESTS)

test-docs: python
	@python3 tests/docs/links.py
	@python3 tests/docs/names.py
	@python3 tests/docs/python_api.py check
	@python3 tests/tidy/tidy.py check
	@cd tests/tidy && python3 -m unittest --quiet test_tidy
	@cd rtl/tools && python3 -m unittest --quiet test_synth

test-fio: test-build
	@$(FIO_TOOLS_RUN) --firmament $(TARGET)/debug/firmament; code=$$?; \
		{ [ $$code -eq 3 ] && [ "$(FIO_TOOLS)" != required ]; } || exit $$code
	@$(FIO_DIFF_RUN) --firmament $(TARGET)/debug/firmament --jobs 12; code=$$?; \
		{ [ $$code -eq 3 ] && [ "$(FIO_TOOLS)" != required ]; } || exit $$code

test-guest: test-build
	@$(GUEST_RUN) short --firmament $(TARGET)/debug/firmament; code=$$?; \
		[ $$code -ne 3 ] || [ "$(GUEST)" = required ] || exit 0; exit $$code

# Building Linux takes ten minutes of a processor, so that only make linux-vt does it.
test-linux: test-build
	@$(LINUX_VT_RUN) short --firmament $(TARGET)/debug/firmament; code=$$?; \
		[ $$code -ne 3 ] || [ "$(LINUX_VT_TESTS)" = required ] || exit 0; exit $$code

fio-diff: build ## FIO_DIFF_JOBS=100 generated jobs do what they do in the fio that is installed
	@$(FIO_DIFF_RUN) --firmament $(TARGET)/release/firmament --jobs $(FIO_DIFF_JOBS) --seed $(FIO_DIFF_SEED); code=$$?; \
		{ [ $$code -eq 3 ] && [ "$(FIO_TOOLS)" != required ]; } || exit $$code

fio-tools: build python ## fio-plot and fio's own scripts read reports and logs of runs
	@$(FIO_TOOLS_RUN) --firmament $(TARGET)/release/firmament

linux-vt: build python ## Linux in user mode in virtual time: builds it once, tests it, and compares fio inside with jobs outside
	@python3 hosts/linux/world/world.py --target $(LINUX_VT)
	@$(LINUX_VT_RUN) full --firmament $(TARGET)/release/firmament
	@python3 studies/linux/study.py sqlite --firmament $(TARGET)/release/firmament --target $(LINUX_VT) --out out/linux

linux-cuts: build python ## LINUX_CUTS=1000 power losses under SQLite on each of LINUX_CUTS_ON=ext4,xfs,f2fs,btrfs, each checked by its fsck; needs Linux of make linux-vt
	@python3 tests/linux/cuts.py --firmament $(TARGET)/release/firmament --target $(LINUX_VT) --cuts $(LINUX_CUTS) --file-systems $(LINUX_CUTS_ON)

guest: build python ## Linux in QEMU on a served drive: boots, formats, verifies, resets, reboots
	@$(GUEST_RUN) full --firmament $(TARGET)/release/firmament

guest-kills: build python ## Linux on a drive in a file; drive or machine are killed GUEST_KILLS=20 times under each load
	@$(GUEST_RUN) kills --rounds $(GUEST_KILLS) --firmament $(TARGET)/release/firmament

test-looks: build site
	@$(LOOKS_RUN) --firmament $(TARGET)/release/firmament; code=$$?; \
		{ [ $$code -eq 3 ] && [ "$(LOOKS)" != required ]; } || exit $$code

looks: build site ## pages and site in a real browser, at 400 and 1,400 pixels, light and dark: pictures in out/looks
	@$(LOOKS_RUN) --firmament $(TARGET)/release/firmament

# As cargo builds for tests, so that nothing is compiled twice.
guest-tiny: cargo linker python ## Linux in QEMU on a drive with the firmware of examples/tiny-firmware
	$(CARGO) build --profile test -p firmament-tiny-drive
	@$(GUEST_RUN) tiny --firmament $(TARGET)/debug/tiny-drive

check: cargo linker rustfmt clippy locks deny $(RTL_VENV)/ready ## rustfmt and clippy with warnings denied, then all tests
	$(CARGO) fmt --all --check
	$(CARGO) fmt $(BARE) --check
	$(CARGO) fmt $(SOC) --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy $(BARE) -- -D warnings
	@$(MAKE) --no-print-directory test

mutants: cargo linker python $(MUTANTS_TOOL) ## changes the firmware in 1,900 places and sees whether a test fails; hours
	@python3 tests/mutants/mutants.py --tool $(MUTANTS_TOOL) --out $(TARGET)/mutants --shard $(MUTANTS)

# What another crate needs is not seen where it is added: these are built less often than the workspace, some with a
# compiler that is not stable.
locks: cargo ## whether lock files of the workspaces of their own are up to date, where the index of crates can be had
	@for folder in fuzz firmware/bare firmware/soc; do \
		told=$$(RUSTC_BOOTSTRAP=1 $(CARGO) metadata --locked --format-version 1 --manifest-path $$folder/Cargo.toml 2>&1 >/dev/null) \
			&& continue; \
		case "$$told" in \
			*--locked*) echo "locks: $$folder/Cargo.lock is stale: cargo update --workspace --manifest-path $$folder/Cargo.toml" >&2; exit 1;; \
			*) echo "locks: $$folder/Cargo.lock not checked: the index of crates cannot be had";; \
		esac; \
	done

# The database of advisories is a repository of its own: where it cannot be had, this is said and the rest holds.
deny: cargo $(DENY_TOOL) ## licences, sources and duplicates of all crates, and advisories where their database can be had
	$(DENY_TOOL) --log-level error check licenses bans sources
	@$(DENY_TOOL) fetch db >$(TARGET)/deny-fetch.log 2>&1 \
		|| { echo "deny: advisories not checked: their database cannot be fetched"; exit 0; } \
		&& if [ -d "$${CARGO_HOME:-$$HOME/.cargo}/advisory-dbs" ] && ! grep -q ERROR $(TARGET)/deny-fetch.log; then \
			$(DENY_TOOL) --log-level error check --disable-fetch advisories; fi

$(DENY_TOOL):
	$(CARGO) install cargo-deny --version $(DENY_VERSION) --locked --root $(TARGET)/tools

$(MUTANTS_TOOL):
	$(CARGO) install cargo-mutants --version $(MUTANTS_VERSION) --locked --root $(TARGET)/tools

fuzz: fuzz-build python ## hostile hosts made by libFuzzer, FUZZ_SECONDS or FUZZ_INPUTS for each target
	@python3 tests/hostile/fuzz.py --programs $(FUZZ_PROGRAMS) --bulk $(FUZZ_BULK) --work $(FUZZ_WORK) --corpus $(FUZZ_CORPUS) \
		--seconds $(FUZZ_SECONDS) --inputs $(FUZZ_INPUTS) --jobs $(FUZZ_JOBS) $(FUZZ_MORE) $(FUZZ_TARGETS)

# No sanitizer: what is not safe Rust is a few lines of hosts/pci/src/mapping.rs. RUSTC_BOOTSTRAP lets the compiler that
# is there take the flags of libFuzzer.
fuzz-build: cargo linker
	@for profile in release bulk; do \
		RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$(abspath $(FUZZ_WORK)) \
			$(CARGO) build --profile $$profile --manifest-path fuzz/Cargo.toml || exit 1; \
	done

fuzz-corpus: fuzz-build ## puts what make fuzz has found into the corpus of make test, as few inputs as reach the same code
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p $(FUZZ_WORK)/corpus/$$target; rm -rf $(FUZZ_WORK)/least; mkdir $(FUZZ_WORK)/least; \
		$(FUZZ_PROGRAMS)/$$target -merge=1 -use_counters=0 -max_len=700 -timeout=20 $(FUZZ_WORK)/least \
			$(FUZZ_CORPUS)/$$target $(FUZZ_WORK)/corpus/$$target -verbosity=0 || exit 1; \
		rm -rf $(FUZZ_CORPUS)/$$target; mv $(FUZZ_WORK)/least $(FUZZ_CORPUS)/$$target; \
	done

studies: build ## all studies: out/studies/index.html and docs/fidelity.md; fails on a value outside its tolerance
	$(TARGET)/release/firmament study all --out out/studies --fidelity docs/fidelity.md

reference: cargo linker python ## tables of keys, options and fields in docs, and the page of the Python API, anew from the code
	@python3 tests/docs/python_api.py write
	$(CARGO) run --quiet -p firmament -- reference into $(REFERENCE_PAGES)

interval-coverage: cargo ## 1,000 runs each: whether 93 to 97 % of intervals hold the long-run figure; minutes
	$(CARGO) test --release -p firmament-runs --test coverage -- --ignored --nocapture
	$(CARGO) test --release -p firmament-host --test whole -- --ignored --nocapture converged

histories: cargo ## each history of torture breaks where its fault is planted, and holds without it
	$(CARGO) test -p firmament-torture --test rounds histories:: -- --nocapture

soak: build ## a million power losses in 16,000 rounds of torture, on all cores
	$(TARGET)/release/firmament torture --rounds $(SOAK_ROUNDS) --save $(TARGET)/violation.json
	$(TARGET)/release/firmament torture --seed 1000001 --rounds $(SOAK_DENSE_ROUNDS) --cut-every 2 --save $(TARGET)/violation.json

image-kills: cargo linker ## kills programs whose drive is in a file, IMAGE_KILLS=100 times, and looks at what is left
	IMAGE_KILLS=$(IMAGE_KILLS) $(CARGO) test -p firmament --test kills -- --nocapture --test-threads=1 2>/dev/null

recovery-times: cargo linker ## pages and time that finding the map takes at 16 GiB, 1 TiB and 16 TiB; 14 GB of memory
	$(CARGO) test -p firmament-sim --test drive -- recovery_ --include-ignored --nocapture --test-threads=1

bench: build python ## simulated requests a CPU second, instructions a request, peak memory; BENCH=name for few
	@$(BENCH_RUN) time --firmament $(TARGET)/release/firmament --only "$(BENCH)"

bench-check: build python ## instructions a request, a start, a point of a sweep, and memory: fails 1 % above the least in tests/bench/counts.csv
	@$(BENCH_RUN) check --firmament $(TARGET)/release/firmament --only "$(BENCH)"

bench-update: build test-build python ## writes what fell into tests/bench/counts.csv; what rose only with WHY=reason
	@$(BENCH_RUN) check --update --why "$(WHY)" --firmament $(TARGET)/release/firmament --only "$(BENCH)"
	@$(BENCH_RUN) check --update --why "$(WHY)" --firmament $(TARGET)/debug/firmament --only "$(BENCH)"

bench-peer: build python ## requests a second of user time beside MQSim, whose sources MQSIM=FOLDER has; ten minutes
	@python3 tests/bench/peer.py --firmament $(TARGET)/release/firmament --mqsim "$(MQSIM)"

# The short form: fewer requests on a small drive, of the program that the tests are built with.
test-bench: test-build
	@cd tests/bench && python3 -m unittest --quiet test_bench
	@$(BENCH_RUN) check --firmament $(TARGET)/debug/firmament; code=$$?; [ $$code -eq 3 ] || exit $$code

clean: cargo ## removes what was built
	$(CARGO) clean
	$(CARGO) clean $(BARE)
	rm -rf out

# Fails when firmware, contract, nvme, sparse or anything below them links the standard library: the
# panic handler of firmware/bare would then be the second.
bare: cargo
	$(CARGO) build $(BARE)
	@echo "firmware, contract, nvme and sparse: built without the standard library"

# Ends with 3 where no Rust for the processor's target is installed. Then `make test` says so and goes on, and so do
# the tests that need the program.
soc: cargo ## the firmware as the program of the RISC-V processor in the controller, below target/soc
	@firmware/soc/build.sh $(abspath $(TARGET))/soc; code=$$?; [ $$code -eq 3 ] || exit $$code

cargo:
	@command -v $(CARGO) >/dev/null 2>&1 \
		|| { echo "make: found no $(CARGO), expected Rust, as rustup installs it" >&2; exit 1; }

linker:
	@command -v cc >/dev/null 2>&1 \
		|| { echo "make: found no cc, expected a C compiler to link with (apt install gcc)" >&2; exit 1; }

python:
	@command -v python3 >/dev/null 2>&1 \
		|| { echo "make: found no python3, expected Python 3.11 or newer" >&2; exit 1; }

rustfmt:
	@$(CARGO) fmt --version >/dev/null 2>&1 \
		|| { echo "make: found no rustfmt, expected it (rustup component add rustfmt)" >&2; exit 1; }

clippy:
	@$(CARGO) clippy --version >/dev/null 2>&1 \
		|| { echo "make: found no clippy, expected it (rustup component add clippy)" >&2; exit 1; }
