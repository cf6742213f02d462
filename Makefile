# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# Everyday commands; each sets up what it needs (tools/setup.sh) and repeats only what has changed.
#
# Variables: JOBS (parallel jobs), WERROR=ON (warnings are errors; on in CI), PYTHON, CXX, DEMO_ARGS,
# PYTEST_ARGS, CTEST_ARGS, BENCH_ARGS.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
WERROR ?= $(if $(CI),ON,OFF)
# The extension, the library inside it and the C++ tests share one build folder and so one compilation.
BUILD := build/py
IN_VENV := . .venv/toolchain.sh;
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)

PIP_INSTALL := python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps \
	-C build-dir=$(BUILD) -C cmake.define.MW_WERROR=$(WERROR)

.PHONY: help
help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: demo
demo: ## set up, build, install into .venv and show what the library does
	@tools/setup.sh demo
	$(IN_VENV) $(PIP_INSTALL) .
	mathwright demo --out demo-out $(DEMO_ARGS)

.PHONY: install
install: ## build and install into .venv
	@tools/setup.sh
	$(IN_VENV) $(PIP_INSTALL) .

.PHONY: test
test: test-build ## C++ tests and Python tests
	@$(IN_VENV) status=0
	ctest --test-dir $(BUILD) --output-on-failure $(CTEST_ARGS) || status=$$?
	python -m pytest -q $(PYTEST_ARGS) || status=$$?
	exit $$status

.PHONY: test-build
test-build:
	@tools/setup.sh test
	$(IN_VENV) $(PIP_INSTALL) -C cmake.define.MW_TESTS=ON .

.PHONY: sanitize
sanitize: sanitize-asan-ubsan sanitize-tsan ## C++ tests under address, undefined-behaviour and thread sanitizers

# Some kernels place memory where GCC 12's ThreadSanitizer does not expect it; a fixed layout helps. Two
# options of CMakePresets.json keep off other traps: on AddressSanitizer's fake stacks that GCC aligns
# locals of 64 bytes to less (GCC bug 110027), and LeakSanitizer dies of thread-local memory of others.
sanitize-%:
	@tools/setup.sh test
	$(IN_VENV) fixed=
	! setarch -R true 2>/dev/null || fixed="setarch -R"
	cmake --preset $* -DMW_WERROR=$(WERROR) -DMW_UNITY=ON
	$$fixed cmake --build --preset $*
	$$fixed ctest --preset $* $(CTEST_ARGS)

# File by file and without precompiled headers, so that an include forgotten somewhere is found here.
.PHONY: install-test
install-test: ## install the shared C++ library and use it from an outside project
	@tools/setup.sh test
	$(IN_VENV) cmake --preset release -DMW_WERROR=$(WERROR) -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	cmake --build --preset release
	tests/install/install_test.sh build/release

.PHONY: lint
lint: ## layout, clang-tidy, ruff, mypy
	@tools/setup.sh lint
	$(IN_VENV) $(PIP_INSTALL) .
	tools/lint.sh

.PHONY: format
format: ## lay out all sources
	@tools/setup.sh lint
	$(IN_VENV) tools/lint.sh --fix

.PHONY: bench
bench: ## time the library beside what a user would pick instead
	@tools/setup.sh bench
	$(IN_VENV) $(PIP_INSTALL) .
	mathwright bench $(BENCH_ARGS)

.PHONY: wheel
wheel: ## a wheel for this Python in dist/
	@tools/setup.sh
	$(IN_VENV) python -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w dist .
	ls -l dist

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build dist demo-out

.PHONY: distclean
distclean: clean ## and .venv
	rm -rf .venv
