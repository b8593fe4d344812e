#!/bin/sh
# SPDX-License-Identifier: MIT
# The part of benchmarks/run about video applications, with programs of the test's own that measure nothing.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
[ -n "${PYTHON3-}" ] || skip "there is no python3"
scratch video
must "$PYTHON3" -B "$top_srcdir/tests/project/check_video.py" "$top_srcdir/benchmarks" "$tmp"
