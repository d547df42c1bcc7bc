# `make play` starts a game, `make test` runs every check. Each sets up .venv from nothing.
PYTHON ?= python3
BIN := .venv/bin
NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
CORES := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# One more than there are cores: some tests wait, for servers, browsers, clocks, or for what another one compiles.
WORKERS := $(shell expr $(CORES) + 1)

.PHONY: play test lint docs audit bench clean

play: .venv/.installed
	@$(BIN)/fogbound play

# While the games are compiled on one core, the code is looked at on the other.
test: .venv/.provided node_modules/.installed
	@$(BIN)/python -m tests.warm & compiling=$$!; $(MAKE) --no-print-directory lint && wait $$compiling || { kill $$compiling 2>/dev/null; exit 1; }
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

lint: .venv/.installed-dev node_modules/.installed
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(NODE) npm run --silent lint

docs: .venv/.installed-dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "The documentation is at build/site/index.html"

# Known holes in the pinned packages, from the public advisories: this one needs the network every time.
audit: node_modules/.installed
	@$(PYTHON) -m venv .venv/audit
	@.venv/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	@.venv/audit/bin/pip-audit --disable-pip --no-deps --requirement constraints.txt
	@$(NODE) npm audit

bench: .venv/.installed
	@$(BIN)/fogbound bench

.venv/bin/python:
	@echo "Setting up .venv (once)"
	@$(PYTHON) -m venv .venv

.venv/.installed: pyproject.toml | .venv/bin/python
	@echo "Installing Fogbound into .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[server]'
	@touch $@

.venv/.installed-dev: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing Fogbound and the tools for its checks into .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	@$(BIN)/python -m compileall -q -j 0 .venv/lib >/dev/null 2>&1 || true  # what pip does on one core; some files are templates
	@touch $@ .venv/.installed

# The tools that check the page's code run on the Node that pip installed: none is needed on the machine.
node_modules/.installed: package.json package-lock.json .npmrc | .venv/.installed-dev
	@echo "Installing the tools that check the page's code into node_modules (once)"
	@$(NODE) npm ci --silent
	@touch $@

# Chromium and PostgreSQL for the checks that need them: found, or installed where that is possible.
.venv/.provided: .venv/.installed-dev
	@$(BIN)/python tests/provide.py
	@touch $@

clean:
	rm -rf .venv node_modules build .mypy_cache .ruff_cache .pytest_cache
