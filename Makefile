# Everything a newcomer runs. `make` alone lists the targets; each does its own set-up first.
#   make setup PYTHON=python3.12     another interpreter
#   make demo ARGS="..."             options for the react-env command behind demo and bench
#   make test TESTS=tests/test_x.py  a part of the tests;  WORKERS=4: in four processes

SHELL       := /bin/sh
VENV        := .venv
BIN         := $(VENV)/bin
STAMP       := $(VENV)/.setup-done
EXTRAS      := train,eval,render,web,ray,dev,openspiel
WORKERS     ?= $$($(BIN)/python -c "from react_env.processors import processors; print(min(8, max(2, processors())))")
TESTS       ?=
ARGS        ?=
WARM        ?= tests.warm
PLAYTHROUGHS ?= tests.playthroughs
DOCS_TABLES ?= react_env.docs_tables
DOCS_PICTURES ?= react_env.docs_pictures
DOCS_SITE ?= react_env.docs_site
RULE_TABLE ?= tests.rule_table
PROVENANCE ?= tests.provenance

# One thread for each worker's linear algebra: the workers already fill the cores. Each worker goes through a stretch of files, so that
# what the tests of one file share is made once. The many processes that tests start need not read every source anew.
PYTEST      := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --benchmark-disable

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow test-long test-ecosystem warm lint format bench playthroughs docs docs-site clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup: $(STAMP) ## make .venv and install the pinned packages (once)

# Runs again only when one of the two files is newer than the last complete installation.
$(STAMP): pyproject.toml constraints.txt
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	    fits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))'; \
	    chosen=; no_pip=; \
	    for python in $(if $(PYTHON),"$(PYTHON)",python3 python3.14 python3.13 python3.12 python3.11); do \
	        "$$python" -c "$$fits" >/dev/null 2>&1 || continue; \
	        if "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then chosen=$$python; break; fi; \
	        no_pip="$$no_pip $$python"; \
	    done; \
	    if [ -z "$$chosen" ] && [ -n "$$no_pip" ]; then \
	        echo "setup: no virtual environment can be made with$$no_pip: its parts venv and ensurepip are missing." >&2; \
	        echo "setup: on Debian and Ubuntu they are the package python3-venv. Or name another one: make setup PYTHON=/path/to/python3" >&2; \
	        exit 1; \
	    elif [ -z "$$chosen" ]; then \
	        echo "setup: Python 3.11, 3.12, 3.13 or 3.14 is needed; tried: $(if $(PYTHON),$(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)." >&2; \
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

test: warm ## the quick tests, on up to eight processors
	@$(PYTEST) -m "not slow and not long" $(TESTS)

test-slow: warm ## the tests of whole programs, browsers and runs that learn, which take seconds each
	@$(PYTEST) -m "slow and not long" $(TESTS)

test-long: warm ## all tests, those that take minutes too
	@$(PYTEST) --hypothesis-profile=long $(TESTS)

# Their requirements exclude each other's, so each is installed in a folder of its own, in front of what .venv has.
ECOSYSTEM := torchrl==0.14.1 tianshou==2.0.1 ray[rllib]==2.60.0 agilerl==2.58.0,peft==0.21.2

test-ecosystem: setup ## the checks of other projects, which it installs beside .venv
	@for project in $(ECOSYSTEM); do \
	    folder=$(VENV)/ecosystem/$${project%%[=[]*}; \
	    if [ ! -e $$folder/done ]; then \
	        $(BIN)/python -m venv --clear $$folder && \
	        $(BIN)/python -c 'import site; print(f"import site; site.addsitedir({site.getsitepackages()[0]!r})")' \
	            > $$folder/lib/$$(ls $$folder/lib)/site-packages/react_env_setup.pth && \
	        $$folder/bin/python -m pip install --no-input --disable-pip-version-check $$(echo "$$project" | tr , ' ') && \
	        touch $$folder/done || exit 1; \
	    fi; \
	    $$folder/bin/python -m pytest -p no:cacheprovider -rs tests/envs/test_ecosystem.py tests/test_tutorials.py || exit 1; \
	done

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

docs: setup ## write the generated tables and pictures in docs again
	@$(BIN)/python -m $(DOCS_TABLES)
	@$(BIN)/python -m $(DOCS_PICTURES)
	@$(BIN)/python -m $(RULE_TABLE)
	@$(BIN)/python -m $(PROVENANCE)

docs-site: setup ## build the documentation site in build/site; fails where a link leads nowhere
	@$(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check -c constraints.txt -e ".[docs]"
	@$(BIN)/python -m $(DOCS_SITE)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "the site: build/site/index.html"

clean: ## remove caches and build outputs; .venv and runs stay
	@rm -rf build dist .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .coverage htmlcov
	@find . \( -path ./$(VENV) -o -path ./.git -o -path ./runs \) -prune -o -type d -name __pycache__ -exec rm -rf {} +
