#!/bin/sh
# SPDX-License-Identifier: MIT
# granulometry against scikit-image, in 2-D and 3-D, with both elements.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
program=$top_builddir/apps/granulometry/granulometry
[ -x "$program" ] || skip "granulometry is not built"
# python3-skimage is for the system's Python, which need not be the first one
for python in "${PYTHON3-}" /usr/bin/python3 ''; do
	[ -z "$python" ] && skip "there is no scikit-image: Debian's package is python3-skimage"
	"$python" -c 'import skimage.morphology' 2>/dev/null && break
done
scratch skimage
must "$python" -B "$top_srcdir/tests/project/check_skimage.py" "$program" "$tmp"
