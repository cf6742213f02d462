#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# Installs a build tree into an empty prefix, moves the prefix (a package must not remember where it was
# made), and builds and runs outside projects against it, by CMake (examples/cpp too) and by pkg-config.
#
# usage: install_test.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component cpp --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
! grep -rlI "$work/first\|$build" "$work/prefix" ||
  { echo "an installed file names the build or install folder" >&2 && exit 1; }

build_outside() { # SOURCE BUILD
  cmake -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" ||
    { cat "$work/log" >&2 && exit 1; }
  cmake --build "$2"
}

echo "== find_package"
build_outside "$here/user" "$work/user"
"$work/user/user"

echo "== examples"
build_outside "$here/../../examples/cpp" "$work/examples"
for program in matmul fft; do "$work/examples/$program" >/dev/null; done

echo "== pkg-config"
pc=$(find "$work/prefix" -name mathwright.pc -printf '%h')
read -ra flags <<<"$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs mathwright)"
"${CXX:-c++}" -Wall -Wextra -Werror "$here/user/main.cpp" "${flags[@]}" -o "$work/by_pkg_config"
LD_LIBRARY_PATH=$(dirname "$pc") "$work/by_pkg_config"
