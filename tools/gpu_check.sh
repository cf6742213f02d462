#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# The GPU's part of the checks, on any machine with an NVIDIA GPU, with or without a network.
#
# usage: tools/gpu_check.sh LOGS [--extra DIR] [stage …]
#
#   LOGS         folder for the logs; the summary goes there too
#   --extra DIR  what a machine without a network lacks: wheels (*.whl), a GoogleTest prefix (gtest/)
#   stage        build test cpp sanitize bench (default: all, in this order), or
#                pack: fills DIR, on a machine that has a network
#
# The machine's own python3 is used with whatever arrays it has (CuPy, PyTorch) and left as it is: the
# package goes into build/gpu. Each step has a limit; one that fails does not stop the next.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
root=$PWD

[ $# -ge 1 ] || { sed -n '5,12s/^# \{0,1\}//p' "$0" && exit 2; }
mkdir -p "$1" && logs=$(cd "$1" && pwd)
shift
extra=
if [ "${1:-}" = --extra ]; then
  mkdir -p "$2" && extra=$(cd "$2" && pwd)
  shift 2
fi
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(build test cpp sanitize bench)

build=build/gpu
site=$root/$build/site
python=${PYTHON:-python3}
jobs=$(nproc)
PATH=$PATH:$("$python" -c 'import sysconfig; print(sysconfig.get_path("scripts"))')
export PATH CMAKE_BUILD_PARALLEL_LEVEL=$jobs PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1
# C++ programs find no wheels by themselves.
MATHWRIGHT_WHEEL_PATH=$site:$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export MATHWRIGHT_WHEEL_PATH
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
summary=()
failed=0

# step NAME SECONDS COMMAND…: runs it under a limit, its output in NAME.log, its last line in the summary.
step() {
  local name=$1 limit=$2 start=$SECONDS status=0 verdict=ok
  shift 2
  timeout -k 10 "$limit" "$@" >"$logs/$name.log" 2>&1 </dev/null || status=$?
  case $status in
    0) ;;
    124 | 137) verdict="over $limit s" ;;
    *) verdict="FAILED ($status)" ;;
  esac
  [ "$status" = 0 ] || failed=1
  summary+=("$(printf '%-10s %-12s %4d s  %s' "$name" "$verdict" $((SECONDS - start)) \
    "$(grep -v '^ *$' "$logs/$name.log" | tail -n 1 | cut -c 1-120)")")
  echo "${summary[-1]}"
}

pack() {
  "$python" -m pip download -q --no-deps -d "$extra" scipy-openblas64
  # The tree that GoogleTest's CMake file expects around itself.
  mkdir -p "$extra/gtest"
  (cd /usr && cp -r --parents include/g{test,mock} lib/*/libg{test,mock}*.a lib/*/cmake/GTest \
    "$extra/gtest/")
}

build() {
  local wheels=() options=()
  if [ -n "$extra" ]; then
    mapfile -t wheels < <(find "$extra" -maxdepth 1 -name '*.whl')
    options=(-C "cmake.define.CMAKE_PREFIX_PATH=$extra/gtest")
  fi
  rm -rf "$site"
  [ ${#wheels[@]} = 0 ] ||
    "$python" -m pip install -q --no-index --no-deps --target "$site" "${wheels[@]}" || return
  "$python" -m pip install -q --no-build-isolation --no-deps --target "$site" -C build-dir="$build" \
    -C cmake.define.MW_TESTS=ON -C cmake.define.MW_BENCH=ON "${options[@]}" . || return
  "$python" -m mathwright.cli info
}

on_device() { MATHWRIGHT_TEST_DEVICE=cuda "$@"; }

# Every case file of an operation on the device: conformance OPERATION [COMMAND PREFIX …]
conformance() {
  local operation=$1 files
  shift
  mapfile -t files < <(find tests/conformance -name "${operation}_*.txt" | sort)
  "$@" "$build/tests/${operation}_driver" --device cuda:0 "${files[@]}"
}

cpp() {
  local status=0 operation
  # Tests that put a fake driver in the real one's place need a process of their own.
  on_device "$build/tests/unit_tests" --gtest_brief=1 --gtest_filter='-*Fake*' || status=1
  on_device "$build/tests/unit_tests" --gtest_brief=1 --gtest_filter='*Fake*' || status=1
  for operation in fft matmul; do conformance "$operation" || status=1; done
  [ "$status" = 0 ] && echo "C++ tests on the device passed"
  return "$status"
}

# memcheck makes kernels some tens of times slower: the cases from users' reports only.
sanitize() {
  local operation status=0 tool
  tool=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  for operation in fft matmul; do
    "$tool" --tool memcheck --error-exitcode 9 --print-limit 5 "$build/tests/${operation}_driver" \
      --device cuda:0 "tests/conformance/${operation}_reports.txt" || status=1
  done
  return "$status"
}

bench() {
  "$python" -m mathwright.cli bench --markdown &&
    "$python" -m mathwright.cli bench --json >"$logs/bench.json" &&
    "$build/bench/host_overhead"
}

export -f build cpp sanitize bench conformance on_device
export build site python extra logs

for stage in "${stages[@]}"; do
  case $stage in
    pack) pack ;;
    build) step build 300 bash -uo pipefail -c build ;;
    test) step pytest 540 env MATHWRIGHT_TEST_DEVICE=cuda "$python" -m pytest -q -p no:cacheprovider ;;
    cpp) step cpp 540 bash -uo pipefail -c cpp ;;
    sanitize) step memcheck 420 bash -uo pipefail -c sanitize ;;
    bench) step bench 540 bash -uo pipefail -c bench ;;
    *) echo "no such stage: $stage" >&2 && exit 2 ;;
  esac
done

echo "== summary"
{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo "no GPU"
  [ ${#summary[@]} = 0 ] || printf '%s\n' "${summary[@]}"
} | tee -a "$logs/summary.txt"
exit "$failed"
