# make demo    what omoide does, on an example history
# make test    lint and tests
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

.PHONY: demo test lint format bench lock clean again

demo: $(READY)
	@$(RUN) examples/demo.py $(ARGS)

test: lint
	$(RUN) -m pytest $(ARGS)

lint: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

format: $(READY)
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

bench: $(READY)
	@set -e; for script in bench/[a-z]*.py; do echo "$$script"; $(RUN) "$$script" $(ARGS); done

lock: $(READY)
	$(RUN) -m uv lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests bench examples models -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): $(INPUTS) $(if $(GOOD),,again) $(if $(strip $(PYTHON)),again)
	@PYTHON='$(strip $(PYTHON))' UV_VERSION='$(UV_VERSION)' sh .ci/setup

again:
