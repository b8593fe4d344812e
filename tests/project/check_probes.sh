#!/bin/sh
# SPDX-License-Identifier: MIT
# The library has the probes that the guide names, where configure has found <sys/sdt.h>.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
grep -q '^#define HAVE_SYS_SDT_H 1' "${top_builddir:?}/config.h" || skip "there is no sys/sdt.h (systemtap-sdt-dev)"
command -v readelf >/dev/null || skip "there is no readelf"
scratch probes

readelf -n "$top_builddir/.libs/libpenstock.so" >"$tmp/notes" || fail "readelf -n: $?"
grep -A 1 'Provider: penstock' "$tmp/notes" | sed -n 's/.*Name: //p' | sort -u >"$tmp/there"
# shellcheck disable=SC2016 # the ` are the page's
sed -n 's/^| `\(fire_begin\|fire_end\|publish\)` |.*/\1/p' "${top_srcdir:?}/doc/guide/observing.md" |
	sort -u >"$tmp/named"
[ "$(wc -l <"$tmp/named")" -eq 3 ] || fail "the guide names $(tr '\n' ' ' <"$tmp/named")"
cmp -s "$tmp/named" "$tmp/there" || fail "the library has $(tr '\n' ' ' <"$tmp/there")"
# two, three and three arguments
for probe in fire_begin:2 fire_end:3 publish:3; do
	arguments=$(grep -A 3 "Name: ${probe%:*}\$" "$tmp/notes" | sed -n 's/.*Arguments: //p' | head -n 1)
	# shellcheck disable=SC2086 # words
	set -- $arguments
	[ $# -eq "${probe#*:}" ] || fail "${probe%:*} has the arguments '$arguments'"
done
