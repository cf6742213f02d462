#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# Layout and static checks of everything; each complains for itself, the status is non-zero if any did.
# With --fix, lays out the sources instead. Run through `make lint`, which sets up the tools.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
status=0

step() {
  local name=$1
  shift
  if "$@"; then echo "lint: $name: ok"; else
    echo "lint: $name: FAILED" >&2
    status=1
  fi
}

sources() { find include src python/src tests bench examples -name '*.[ch]pp' -o -name '*.inl'; }

if [ "${1:-}" = --fix ]; then
  sources | xargs clang-format -i
  ruff check -q --fix .
  ruff format -q .
  exit
fi

layout() { sources | xargs clang-format --dry-run -Werror; }

# Folder by folder (MW_UNITY), because most of the time goes into reading the same headers.
tidy() {
  cmake -S . -B build/lint -DMW_UNITY=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >build/lint.log 2>&1 ||
    { cat build/lint.log && return 1; }
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/lint/compile_commands.json |
    xargs -P "$(nproc)" -n 1 "$CLANG_TIDY" -p build/lint --quiet 2> >(grep -v 'warnings\? generated' >&2)
}

mkdir -p build
step clang-format layout
step ruff ruff check -q .
step "ruff format" ruff format -q --check .
step mypy mypy
# As installed, where the extension's stubs are; from elsewhere, so that python/ is not found instead.
step "mypy -p mathwright" env -C build mypy --strict -p mathwright
step clang-tidy tidy
exit "$status"
