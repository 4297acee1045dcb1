# Every target that needs Python goes through `setup`, which does nothing when nothing changed.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
UV ?= uv
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-done
BENCH_VENV := build/bench-venv
BENCH_STAMP := $(BENCH_VENV)/.setup-done
COVERAGE := build/coverage
SIDE_BY_SIDE := -n 4 --dist worksteal

# What one process has compiled, the many others of the tests need not compile again.
unexport PYTHONDONTWRITEBYTECODE

# Extra arguments for `make run`, for example: make run ARGS="--port 9000"
ARGS ?=

.PHONY: help setup run test prove bench lint types fmt lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## Create .venv with the pinned parts and .venv/bin/dunr

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dunr needs Python 3.11 or newer; try: make setup PYTHON=python3.13")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

run: setup ## Start dunr with the sandbox processor and a clock that you move by hand
	$(BIN)/dunr serve --sandbox --clock manual --clock-start 2026-06-23T10:00:00Z $(ARGS)

# The core is measured by its own tests alone: a branch that only a bigger test reaches is not proved.
# The rest runs four at a time, the longest first, since much of it waits for processes; it runs last, so that its closing lines are the last ones printed.
test: setup ## Run the tests of a change; every branch of src/dunr/core must be covered by tests/core
	@mkdir -p build
	@if [ -d tests/core ]; then \
	  rm -f $(COVERAGE) $(COVERAGE).*; \
	  COVERAGE_FILE=$(COVERAGE) $(BIN)/coverage run -m pytest -q -n auto tests/core; \
	  COVERAGE_FILE=$(COVERAGE) $(BIN)/coverage combine --quiet; \
	  COVERAGE_FILE=$(COVERAGE) $(BIN)/coverage report --skip-covered --show-missing --fail-under=100; \
	fi
	$(BIN)/pytest $(SIDE_BY_SIDE) -m 'not endurance' --ignore=tests/core tests

# All that `make test` leaves out, so that the two together are every test, once.
prove: setup ## Run the tests of endurance: more kills, four workers on PostgreSQL, weeks at Stripe, a browser
	$(BIN)/pytest $(SIDE_BY_SIDE) -m endurance tests

bench: setup $(BENCH_STAMP) ## Measure against peers, side by side; ARGS=--json for one object a line
	$(BIN)/python benchmarks/run.py $(ARGS)

# The peers live apart: they want other versions of what dunr uses, and dunr needs none of them.
$(BENCH_STAMP): benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r benchmarks/requirements.txt
	@touch $(BENCH_STAMP)

lint: setup ## Check style, format and import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: setup ## Check types, strictly
	$(BIN)/mypy

fmt: setup ## Format, and repair what can be repaired safely
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: ## Write requirements.lock again from pyproject.toml (needs uv on the PATH, or UV=path/to/uv)
	$(UV) pip compile pyproject.toml --quiet --group dev --group build \
	  --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --output-file requirements.lock
	@if grep -n '://' requirements.lock; then echo 'requirements.lock must hold no address'; exit 1; fi

clean: ## Remove .venv, caches and build results (keeps dunr-data)
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
