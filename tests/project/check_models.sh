#!/bin/sh
# SPDX-License-Identifier: MIT
# The Spin models hold with small parameters, and each planted fault is found; make check-models has the large ones.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -n "${SPIN-}" ] || skip "there is no spin (Debian's package spin)"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in models"
scratch models
cd -- "$tmp" || exit 1
must sh "$top_srcdir/tests/models/run.sh" small
