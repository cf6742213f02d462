#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# Makes this checkout ready to build and for the named groups of work: tools/setup.sh [demo] [test] …
# A group is an extra of pyproject.toml. LLVM, which compiles generated host code, is installed where apt
# offers it, unless MW_LLVM=OFF is set.
#
# Three steps, each a no-op when already done: system packages (by apt when that is allowed, otherwise
# the missing ones are named and nothing else happens), the .venv folder, Python packages from PyPI.
# The compiler and paths chosen are left in .venv/toolchain.sh for the Makefile.
set -euo pipefail
cd "$(dirname "$0")/.."
groups=("$@")

say() { printf 'mathwright: %s\n' "$*" >&2; }

wants() {
  local group
  for group in "${groups[@]}"; do [ "$group" = "$1" ] && return 0; done
  return 1
}

# ---- what is there ----------------------------------------------------------------------------

compiler_fits() { # C++20 as GCC 12 and clang 16 have it
  command -v "$1" >/dev/null || return 1
  printf '%s\n' '#if defined(__clang__) ? __clang_major__ < 16 : __GNUC__ < 12' '#error old' '#endif' \
    '#include <concepts>' | "$1" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null
}

find_compiler() {
  local candidate
  for candidate in ${CXX:-} g++ g++-12 g++-13 g++-14 g++-15 clang++ clang++-{16..21}; do
    if compiler_fits "$candidate"; then command -v "$candidate" && return 0; fi
  done
  return 1
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.{14..10}; do
    if command -v "$candidate" >/dev/null &&
      "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      command -v "$candidate" && return 0
    fi
  done
  return 1
}

has_venv() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }

has_headers() {
  "$1" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
}

has_gtest() {
  [ -e /usr/include/gtest/gtest.h ] ||
    printf '#include <gtest/gtest.h>\n' | "${cxx:-false}" -x c++ -E - >/dev/null 2>&1
}

find_clang_tidy() { # 14: other versions know other checks
  local candidate
  for candidate in clang-tidy-14 clang-tidy; do
    if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
      command -v "$candidate" && return 0
    fi
  done
  return 1
}

# Sets `missing` to the Debian names of the packages that are not there, `cxx` and `python` to what is.
look() {
  missing=()
  cxx=$(find_compiler) || missing+=("$(compiler_package)")
  if python=$(find_python); then
    # A Python of Debian's needs its own package, python3.12-venv say, when it is not the default one.
    local name=python3
    case $python in /usr/bin/python3.*) name=${python##*/} ;; esac
    has_venv "$python" || missing+=("$name-venv")
    has_headers "$python" || missing+=("$name-dev")
  else
    missing+=(python3 python3-venv python3-dev)
  fi
  if wants test; then
    has_gtest || missing+=(libgtest-dev)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
  fi
  if wants lint; then find_clang_tidy >/dev/null || missing+=(clang-tidy-14); fi
}

compiler_package() { # Ubuntu 22.04's g++ is 11; it has 12 beside it
  local version
  version=$(apt-cache show g++ 2>/dev/null | sed -n 's/^Version: \([0-9]*:\)\{0,1\}\([0-9]*\).*/\2/p' |
    sort -n | tail -n 1)
  if [ "${version:-12}" -ge 12 ]; then echo g++; else echo g++-12; fi
}

has_llvm() { # the headers and static libraries that cmake/llvm.cmake looks for
  compgen -G '/usr/lib/llvm-*/lib/libLLVMOrcJIT.a' >/dev/null || return 1
  local config
  for config in /usr/lib/llvm-*/bin/llvm-config; do
    [ "$("$config" --version 2>/dev/null | cut -d . -f 1)" -ge 16 ] 2>/dev/null && return 0
  done
  return 1
}

# 19 is what this is tested with; else the newest from 16 on.
llvm_package() {
  local version
  for version in 19 22 21 20 18 17 16; do
    apt-cache show "llvm-$version-dev" >/dev/null 2>&1 && echo "llvm-$version-dev" && return 0
  done
  return 1
}

# ---- system packages --------------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_apt() {
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

apt_install() {
  local log status=0
  log=$(mktemp)
  say "installing ${missing[*]}"
  # One unreachable source must not stop the others: only a failing install counts.
  as_root apt-get update -qq >"$log" 2>&1 || true
  look # names depend on what the lists say
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >>"$log" 2>&1 </dev/null || status=$?
  [ "$status" = 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

complain() {
  say "this machine lacks: ${missing[*]}"
  if command -v apt-get >/dev/null; then
    say "install them with: sudo apt-get install ${missing[*]}"
  else
    say "these are Debian's names for: a C++20 compiler (g++ 12 or clang 16 or later), Python 3.10 or" \
      "later with venv and headers, GoogleTest and pkg-config (make test), clang-tidy 14 (make lint)"
  fi
  say "then run the same command again"
  exit 1
}

# Wanted, not needed: whatever is in the way, the build goes on without.
llvm() {
  [ "${MW_LLVM:-AUTO}" != OFF ] && ! has_llvm || return 0
  local package
  if may_apt && { package=$(llvm_package) ||
    { as_root apt-get update -qq >/dev/null 2>&1; package=$(llvm_package); }; }; then
    say "installing $package"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      "$package" >/dev/null 2>&1 </dev/null || true
  fi
  has_llvm || say "LLVM 16 or later is not here (apt install llvm-19-dev): generated host code will be" \
    "interpreted"
}

system_packages() {
  look
  [ ${#missing[@]} = 0 ] && return
  may_apt || complain
  apt_install || complain
  look
  [ ${#missing[@]} = 0 ] || complain
}

# ---- Python -----------------------------------------------------------------------------------

virtual_environment() {
  if ! .venv/bin/python -c 'import sys' 2>/dev/null; then
    say "making .venv with $("$python" --version)"
    rm -rf .venv
    "$python" -m venv .venv
  fi
}

python_packages() {
  local wanted stamp
  wanted=$(.venv/bin/python tools/requirements.py build run "${groups[@]}")
  stamp=.venv/has-$(printf '%s' "$wanted" | cksum | cut -d ' ' -f 1)
  [ -e "$stamp" ] && return
  say "installing Python packages into .venv"
  printf '%s\n' "$wanted" >"$stamp.txt"
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-compile -r "$stamp.txt"
  touch "$stamp"
}

toolchain() {
  local launcher tidy
  launcher=$(command -v ccache || true)
  tidy=$(find_clang_tidy || true)
  cat >.venv/toolchain.sh <<END
export PATH="$PWD/.venv/bin:\$PATH"
export CXX="$cxx" CLANG_TIDY="$tidy"
export CMAKE_GENERATOR=Ninja CMAKE_CXX_COMPILER_LAUNCHER="$launcher"
END
}

system_packages
llvm
virtual_environment
python_packages
toolchain
