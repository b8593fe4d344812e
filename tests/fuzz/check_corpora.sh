#!/bin/sh
# SPDX-License-Identifier: MIT
# What the readers of files were fed with once they take again, in each build.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
scratch corpora

fed=0
for corpus in "$top_srcdir"/tests/fuzz/corpus/*; do
	name=${corpus##*/}
	target=$top_builddir/tests/fuzz/fuzz_$name
	[ -x "$target" ] || continue # not in this configuration
	"$target" "$corpus" >"$tmp/said" 2>&1 || {
		tail -n 20 "$tmp/said"
		fail "$target $corpus"
	}
	echo "$name: $(tail -n 1 "$tmp/said")"
	fed=$((fed + 1))
done
[ "$fed" -gt 0 ] || fail "no target is built"
