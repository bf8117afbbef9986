# The Python package. Its tests run in environments below target/python, nothing is installed on the system.

PYTHON_RUN := python3 tests/python/check.py --target $(TARGET)/python
# Ends with 3 where what tests need cannot be had, as without network. Then `make test` says so and goes on, unless
# PYTHON_TESTS=required.
PYTHON_TESTS ?= if-possible
PYTHON_MORE := --more frames --more notebook --more plots --more types
WHEEL_VENV := target/wheel-venv

# Only these tasks of the gallery.
GALLERY ?=

.PHONY: gallery gallery-check wheel python-native test-python test-python-more test-pythons test-ray

wheel: cargo linker $(WHEEL_VENV)/ready ## the Python package as a wheel for Python 3.11 and newer: out/wheels
	@$(WHEEL_VENV)/bin/maturin build --quiet --manifest-path tools/python/Cargo.toml --out out/wheels

$(WHEEL_VENV)/ready: tests/python/requirements-wheel.txt | python
	@echo "installing maturin into $(WHEEL_VENV)"
	@rm -rf $(WHEEL_VENV)
	@python3 -m venv $(WHEEL_VENV)
	@$(WHEEL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $< \
		|| { echo "make: could not install $<, expected the Python registry to be reachable" >&2; exit 1; }
	@touch $@

# As cargo builds for tests, so that nothing is compiled twice.
python-native: test-build
	MAKEFLAGS= $(CARGO) build --quiet --profile test -p firmament-python

test-python: python-native ## the Python package's tests, without those that need Ray or other large packages
	@$(PYTHON_RUN) --native $(TARGET)/debug/lib_native.so --firmament $(TARGET)/debug/firmament; code=$$?; \
		{ [ $$code -eq 3 ] && [ "$(PYTHON_TESTS)" != required ]; } || exit $$code

# What takes too long, or too large packages, for make test.
test-python-more: python-native
	@$(PYTHON_RUN)-more $(PYTHON_MORE) --native $(TARGET)/debug/lib_native.so --firmament $(TARGET)/debug/firmament; code=$$?; \
		{ [ $$code -eq 3 ] && [ "$(PYTHON_TESTS)" != required ]; } || exit $$code

test-pythons: python-native ## the same with each Python from 3.11 to 3.14 that is here, with frames, plots, a kernel for notebooks, mypy and pyright
	@$(PYTHON_RUN) --pythons all $(PYTHON_MORE) --native $(TARGET)/debug/lib_native.so --firmament $(TARGET)/debug/firmament

test-ray: python-native ## sweeps on a Ray cluster of two workers, one of which is killed, and a search by Optuna
	@$(PYTHON_RUN)-ray --more ray --more optuna --native $(TARGET)/debug/lib_native.so --firmament $(TARGET)/debug/firmament

# An environment of its own, since what draws is not what tests need.
gallery: python-native ## tasks of a new user as scripts: docs/images/gallery, and in docs/gallery.md how many seconds each took; GALLERY=tail for few
	@$(PYTHON_RUN)-gallery --more plots --script docs/gallery/make.py --native $(TARGET)/debug/lib_native.so --firmament $(TARGET)/debug/firmament -- $(GALLERY)

gallery-check: ## fails where a script of the gallery draws or prints other than what is there; GALLERY=tail for few
	@$(MAKE) --no-print-directory gallery GALLERY="--check $(GALLERY)"
