# `make test` and `make demo` work on a fresh machine: Python 3.11 or newer, pip, make, git.
# Everything else is installed into .venv, from requirements/dev.txt alone, by hash.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# A process that may not write .pyc files compiles every module at every start.
unexport PYTHONDONTWRITEBYTECODE
unexport PYTHONPATH

VENV := .venv
BIN := $(VENV)/bin
PACKAGES := $(VENV)/.packages
READY := $(VENV)/.ready
WORKERS ?= 2

# The first Python that is new enough; PYTHON=… names another.
PYTHON ?= $(shell for each in python3 python3.13 python3.12 python3.11 python; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; done)

.PHONY: help demo test test-full lint format docs check-docs bench lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## watch Engram do its main job in a scratch folder
	@$(BIN)/engram demo

test: lint check-docs ## everything that must hold before a commit: lint, docs, tests, full coverage
	$(BIN)/pytest -n $(WORKERS) --cov --cov-report=term

test-full: $(READY) ## the slow witnesses: real hosts, Node, browsers, other Pythons
	$(BIN)/pytest -n $(WORKERS) -m slow

lint: $(READY) ## judge the code without running it
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## lay out the code, mend what can be mended by rule
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

docs: $(READY) ## write the reference pages from the code, check every link
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/check.py

check-docs: $(READY)
	$(BIN)/python docs/reference.py --check
	$(BIN)/python docs/check.py

bench: $(READY) ## time it on this machine; writes benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks.bench

lock: ## resolve requirements/dev.in anew
	requirements/lock.sh $(PYTHON)

clean: ## remove everything that make made
	rm -rf $(VENV) build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache \
		.mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PACKAGES): requirements/dev.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none is on the PATH." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

$(READY): $(PACKAGES) pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
