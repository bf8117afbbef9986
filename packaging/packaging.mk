# What gets the program onto other machines.

# Where make install puts the program; packagers set DESTDIR to a directory that stands for /.
PREFIX ?= /usr/local
DESTDIR ?=
INSTALL_RUN := python3 tests/install/check.py
# Ends with 3 where no Debian 12 can be fetched.
DEBIAN_RUN := python3 tests/install/debian.py --target $(TARGET)/debian-12

.PHONY: install dist dist-check test-install

install: build ## the program, its manual and shells' completions below PREFIX=/usr/local
	packaging/install.sh $(TARGET)/release/firmament "$(DESTDIR)$(PREFIX)"

dist: build python ## the release archive, which runs on a bare Debian 12: out/dist
	@rm -rf out/dist
	@python3 packaging/dist.py --firmament $(TARGET)/release/firmament --out out/dist

dist-check: dist ## unpacks the release archive in a bare Debian 12 and runs it there
	@$(DEBIAN_RUN) out/dist/*.tar.gz

# The short form, of the program that the tests are built with.
test-install: test-build
	@$(INSTALL_RUN) --firmament $(TARGET)/debug/firmament
