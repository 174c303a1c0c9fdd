# Two commands do everything: `make demo` and `make test`. `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
# One thread a worker: two pools of threads on two cores wait for each other.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-real test-browser docs tables lint format bench clean

help:  ## list these commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

# The environment is made again only when what it is made from has changed.
.venv/installed: pyproject.toml constraints.txt
	@echo "Making .venv (a few minutes the first time)"
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"LAMC needs Python 3.11 or newer; {sys.executable} is {v[0]}.{v[1]}. Say which to use: make PYTHON=python3.12")'
	@$(PYTHON) -m venv --clear .venv
	@$(INSTALL) --editable .
	@touch $@

.venv/installed-dev: .venv/installed
	@$(INSTALL) --editable '.[dev]'
	@touch $@

.venv/installed-browser: .venv/installed-dev
	@$(INSTALL) --editable '.[browser]'
	@touch $@

.venv/installed-docs: .venv/installed-dev
	@$(INSTALL) --editable '.[docs]'
	@touch $@

demo: .venv/installed  ## train and measure on the embedded digit scenes
	@$(BIN)/lamc demo --force

test: .venv/installed-dev  ## run the test suite
	@$(PYTEST)

test-real: .venv/installed-dev  ## run the tests on real data, from the folder LAMC_DATA
	@test -d "$(LAMC_DATA)" || { echo "Set LAMC_DATA to the folder with the data files: make test-real LAMC_DATA=…" >&2; exit 2; }
	@LAMC_DATA="$(LAMC_DATA)" $(PYTEST) -m real_data

test-browser: .venv/installed-browser  ## look at the report in a real browser (Debian's chromium)
	@$(PYTEST) -m browser tests/browser

docs: .venv/installed-docs  ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

FIGURE := $(BIN)/lamc bench figure results/paper.csv --profile paper --force --quiet
COMPARE := $(BIN)/lamc bench compare --force
tables: .venv/installed-dev  ## write tables and figures of the documentation anew, from results/
	@PYTHONPATH=docs $(BIN)/python -m tables
	@$(FIGURE) --kind calibration-size --output docs/images/calibration-size.svg
	@$(FIGURE) --kind promised-achieved --output docs/images/promised-achieved.svg
	@$(COMPARE) results/paper.csv --profile paper --methods Blend,LAMC,SMILE,AN,WAN,ROLE,GLOCAL,MLML,DM2L \
		--output docs/images/critical-difference.svg > /dev/null
	@$(COMPARE) results/resampled.csv --profile resampled --methods Blend,LAMC,SMILE,AN,ROLE,GLOCAL,MLML,DM2L \
		--output docs/images/critical-difference-anew.svg > /dev/null

lint: .venv/installed-dev  ## check format, style and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: .venv/installed-dev  ## put the code in the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: .venv/installed-dev  ## measure speed against peers, as ratios in one run
	@for f in benchmarks/bench_*.py; do $(BIN)/python $$f || exit 1; done

clean:  ## remove the environment and everything made
	rm -rf .venv build dist site .pytest_cache .mypy_cache .ruff_cache
