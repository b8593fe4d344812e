#!/bin/sh
# SPDX-License-Identifier: MIT
# What benchmarks/run says of several tables together, and benchmarks/table, with programs that measure nothing.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
[ -n "${PYTHON3-}" ] || skip "there is no python3"
scratch bench-report
must "$PYTHON3" -B "$top_srcdir/tests/project/check_bench_report.py" "$top_srcdir/benchmarks" "$tmp"
