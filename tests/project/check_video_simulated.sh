#!/bin/sh
# SPDX-License-Identifier: MIT
# The video applications with simulated stages, with a program of the test's own instead of benchmarks/mapping.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
[ -n "${PYTHON3-}" ] || skip "there is no python3"
scratch video_simulated
must "$PYTHON3" -B "$top_srcdir/tests/project/check_video_simulated.py" "$top_srcdir/benchmarks" "$tmp"
