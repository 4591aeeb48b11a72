# make demo    what omoide does, on an example history
# make test    lint and tests
# make laws    thousands of random histories against the laws of time, merging, undo and names
# Needs make, git and Python 3.11 or newer with venv; everything else goes into .venv.
# PYTHON=python3.12 make test    uses that interpreter.    make bench ARGS=...    passes arguments on.

PYTHON ?=
ARGS ?=
UV_VERSION := 0.13.9

VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
INPUTS := pyproject.toml uv.lock Makefile .ci/setup $(wildcard models/*/pyproject.toml models/*/*.py)

# Set up again after a move of the folder, when the interpreter is gone, or when one is asked for by name.
GOOD := $(shell '$(RUN)' -c '' 2>/dev/null && [ "$$(cat $(READY) 2>/dev/null)" = "$$(pwd -P)" ] && echo yes)

.PHONY: demo test lint format laws bench contracts lock clean again

demo: $(READY)
	@$(RUN) examples/demo.py $(ARGS)

# One process a core; WORKERS=0 runs all tests in one.
WORKERS ?= auto
test: lint
	$(RUN) -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

lint: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

format: $(READY)
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

# Thousands of random histories against the reference model, each suite in its own depth, a shard a seed:
# make laws SUITES="time merge undo alias note sleep vault" SHARDS="0 1 2 3"; LAWS=300 asks for so many examples a shard.
SUITES ?= time merge undo alias
SHARDS ?= 0 1 2 3 4 5 6 7 8 9
LAWS ?=
laws: $(READY)
	@set -e; if [ -d /dev/shm ] && [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi; \
	for suite in $(SUITES); do for shard in $(SHARDS); do \
	  echo "$$suite laws, shard $$shard"; \
	  OMOIDE_LAWS=deep OMOIDE_LAWS_SHARD=$$shard OMOIDE_LAWS_EXAMPLES=$(LAWS) $(RUN) -m pytest -q \
	    --hypothesis-seed=$$shard tests/laws/test_$${suite}_laws.py; done; done

# BENCHES="speed past" runs some; the other files in bench/ are their helpers.
BENCHES ?= speed past peers doors history hooks vault sleep sleep_recall quality history_quality ranking_trials updates_found time_words vectors keyword_engine
bench: $(READY)
	@set -e; for name in $(BENCHES); do echo "bench/$$name.py"; $(RUN) "bench/$$name.py" $(ARGS); done

# The suites that others wrote, each in an environment of its own; ARGS="mcp http" runs some.
contracts: $(READY)
	$(RUN) tests/contracts/run.py $(ARGS)

lock: $(READY)
	$(RUN) -m uv lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests bench examples models -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): $(INPUTS) $(if $(GOOD),,again) $(if $(strip $(PYTHON)),again)
	@PYTHON='$(strip $(PYTHON))' UV_VERSION='$(UV_VERSION)' sh .ci/setup

again:
