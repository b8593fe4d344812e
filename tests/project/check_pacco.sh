#!/bin/sh
# SPDX-License-Identifier: MIT
# benchmarks/pacco, with programs of the test's own that measure nothing; and what penstock plan says of its graphs.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
[ -n "${PYTHON3-}" ] || skip "there is no python3"
scratch pacco
must "$PYTHON3" -B "$top_srcdir/tests/project/check_pacco.py" "$top_srcdir" "$top_builddir" "$tmp"
