# The site of this repository's pages. Its generator is installed below target/, nothing on the system.

SITE_VENV := target/site-venv

.PHONY: site

site: $(SITE_VENV)/ready ## a site of all pages, with search: out/site/index.html; fails on a link that leads nowhere
	@$(SITE_VENV)/bin/python site/build.py --work $(TARGET)/site --out out/site

$(SITE_VENV)/ready: site/requirements.txt | python
	@echo "installing MkDocs into $(SITE_VENV)"
	@rm -rf $(SITE_VENV)
	@python3 -m venv $(SITE_VENV)
	@$(SITE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $< \
		|| { echo "make: could not install $<, expected the Python registry to be reachable" >&2; exit 1; }
	@touch $@
