#!/bin/sh
# SPDX-License-Identifier: MIT
# The Spin models hold with small parameters, and a planted fault of each is found; make check-models has all faults
# and the large parameters.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -n "${SPIN-}" ] || skip "there is no spin (Debian's package spin)"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in models"
scratch models
cd -- "$tmp" || exit 1
list=small
! short || list=few
must sh "$top_srcdir/tests/models/run.sh" $list
