#!/bin/sh
# SPDX-License-Identifier: MIT
# benchmarks/run, with programs of the test's own that measure nothing.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
[ -n "${PYTHON3-}" ] || skip "there is no python3"
scratch bench-run
must "$PYTHON3" -B "$top_srcdir/tests/project/check_bench_run.py" "$top_srcdir/benchmarks" "$tmp"
