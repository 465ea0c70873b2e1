# Everything a newcomer runs. `make` alone lists the targets; each does its own set-up first.
#   make setup PYTHON=python3.12     another interpreter
#   make demo ARGS="..."             options for the react-env command behind demo and bench
#   make test TESTS=tests/test_x.py  a part of the tests;  WORKERS=4: more processes

SHELL       := /bin/sh
VENV        := .venv
BIN         := $(VENV)/bin
STAMP       := $(VENV)/.setup-done
EXTRAS      := train,eval,dev,openspiel
WORKERS     ?= 2
TESTS       ?=
ARGS        ?=
WARM        ?= tests.warm
PLAYTHROUGHS ?= tests.playthroughs
DOCS_TABLES ?= react_env.docs_tables
RULE_TABLE ?= tests.rule_table

# One thread for each worker's linear algebra: two workers already fill two cores.
PYTEST      := OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest -n $(WORKERS) --benchmark-disable

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long warm lint format bench playthroughs docs clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup: $(STAMP) ## make .venv and install the pinned packages (once)

# Runs again only when one of the two files is newer than the last complete installation.
$(STAMP): pyproject.toml constraints.txt
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	    fits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))'; \
	    chosen=; no_pip=; \
	    for python in $(if $(PYTHON),"$(PYTHON)",python3 python3.13 python3.12 python3.11); do \
	        "$$python" -c "$$fits" >/dev/null 2>&1 || continue; \
	        if "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then chosen=$$python; break; fi; \
	        no_pip="$$no_pip $$python"; \
	    done; \
	    if [ -z "$$chosen" ] && [ -n "$$no_pip" ]; then \
	        echo "setup: no virtual environment can be made with$$no_pip: its parts venv and ensurepip are missing." >&2; \
	        echo "setup: on Debian and Ubuntu they are the package python3-venv. Or name another one: make setup PYTHON=/path/to/python3" >&2; \
	        exit 1; \
	    elif [ -z "$$chosen" ]; then \
	        echo "setup: Python 3.11, 3.12 or 3.13 is needed; tried: $(if $(PYTHON),$(PYTHON),python3 python3.13 python3.12 python3.11)." >&2; \
	        echo "setup: python3 here is $$(python3 --version 2>&1). Name another one: make setup PYTHON=/path/to/python3" >&2; \
	        exit 1; \
	    fi; \
	    echo "setup: making $(VENV) with $$("$$chosen" --version)"; \
	    "$$chosen" -m venv --clear $(VENV); \
	fi
	@echo "setup: installing the pinned packages into $(VENV); the first time this takes some minutes"
	@$(BIN)/python -m pip install --no-input --disable-pip-version-check -c constraints.txt -e ".[$(EXTRAS)]"
	@touch $@

demo: setup ## learn by self-play, show the results, the learning curve and a game
	@$(BIN)/react-env demo $(ARGS)

# The workers would each compile the same functions; once beforehand, they only load them. Where that fails, the tests tell more.
warm: setup
	@$(BIN)/python -m $(WARM) || echo "compiling beforehand failed: see above"

test: warm ## the quick tests, two at a time
	@$(PYTEST) -m "not long" $(TESTS)

test-long: warm ## all tests, the long ones too
	@$(PYTEST) --hypothesis-profile=long $(TESTS)

lint: setup ## ruff check, ruff format --check, mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: setup ## let ruff mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: setup ## measure the speed
	@$(BIN)/react-env bench $(ARGS)

playthroughs: setup ## write the golden games in tests/playthroughs again
	@$(BIN)/python -m $(PLAYTHROUGHS)

docs: setup ## write the generated tables in docs again
	@$(BIN)/python -m $(DOCS_TABLES)
	@$(BIN)/python -m $(RULE_TABLE)

clean: ## remove caches and build outputs; .venv and runs stay
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .coverage htmlcov
	@find . \( -path ./$(VENV) -o -path ./.git -o -path ./runs \) -prune -o -type d -name __pycache__ -exec rm -rf {} +
