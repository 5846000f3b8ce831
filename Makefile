# Every target sets up its own environment in .venv from a bare checkout, once, and again when requirements change.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test check static format docs faults fuzz lock locked bench-sparse bench-deep bench-serve clean

demo: .venv/deep  ## train a tree, a network and both as one on real news, show scores, tag three documents
	@$(BIN)/umpteen demo

test: .venv/dev  ## the tests
	$(BIN)/pytest

check: static test  ## format, lint, strict types, tests

static: .venv/dev  ## all of check but the tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: .venv/dev  ## put the code into shape
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

docs: .venv/base  ## the pages that are made from the code
	$(BIN)/umpteen models --markdown > docs/models.md.new
	mv docs/models.md.new docs/models.md

faults: .venv/dev  ## random faults: processes killed, disks filled, files damaged; FAULTS=200
	$(BIN)/python tests/faults/run.py --faults $(or $(FAULTS),20)

fuzz: .venv/dev  ## changed bytes for every reader, model folders, settings and requests; SECONDS=600 OPTIONS="--target xc"
	@$(PIP) --editable '.[fuzz]'
	$(BIN)/python tests/fuzz/fuzz.py --seconds $(or $(SECONDS),300) $(OPTIONS)

lock: .venv/dev  ## requirements.lock anew, after a change of dependencies
	$(BIN)/python .ci/lock.py

locked:  ## the environment from the files that the lock names by their hashes (Linux on x86-64, Python 3.11)
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@$(PIP) --no-deps "$$(grep '^torch==' constraints.txt)"
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch .venv/base .venv/deep .venv/dev

bench-sparse: .venv/base  ## label trees beside their peers, which it installs in .venv-peers; OPTIONS="--data bibtex"
	$(BIN)/python benchmarks/sparse.py --out dist/sparse.json $(OPTIONS)

bench-deep: .venv/deep  ## AttentionXML beside LibMultiLabel's; OPTIONS="--data debtags"
	$(BIN)/python benchmarks/deep.py --out dist/deep.json $(OPTIONS)

bench-serve: .venv/deep  ## the server under load beside Annif's; needs wrk; OPTIONS="--data debtags"
	$(BIN)/python benchmarks/serve.py --out dist/serve.json $(OPTIONS)

clean:  ## remove the environments, caches and the demo's model
	rm -rf .venv .venv-peers .mypy_cache .pytest_cache .ruff_cache demo dist
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

.venv/base: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Umpteen needs Python 3.11 or later. Name one: make PYTHON=...")'
	@echo "Setting up .venv (once) ..."
	@$(PYTHON) -m venv .venv
	@$(PIP) --editable '.[server]'
	@touch $@

.venv/deep: .venv/base
	@echo "Adding torch and word vectors (once) ..."
	@$(PIP) --editable '.[deep]'
	@touch $@

.venv/dev: .venv/base
	@echo "Adding the development tools (once) ..."
	@$(PIP) --editable '.[dev]'
	@touch $@
