#!/bin/sh
# SPDX-License-Identifier: MIT
# benchmarks/run, with programs of the test's own that measure nothing.
# shellcheck source=tests/check.sh
. "${srcdir:?}/tests/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
[ -n "${PYTHON3-}" ] || skip "there is no python3"
scratch bench-run
must "$PYTHON3" -B "$top_srcdir/tests/check_bench_run.py" "$top_srcdir/benchmarks" "$tmp"
