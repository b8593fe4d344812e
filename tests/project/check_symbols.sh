#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared libraries export what the public headers declare, and nothing else.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
builds shared || skip "no shared library is built"
command -v nm >/dev/null || skip "there is no nm"
scratch symbols

# The functions and arrays of a header: statements outside of bodies that declare pstk_NAME( or pstk_NAME[, but for
# inline ones.
declared()
{
	# shellcheck disable=SC2086 # a list of words
	printf '#include <%s>\n' "$1" | $CC -E -P -I"$top_srcdir/include" -x c - | tr '\n\t' '  ' |
		sed 's/[;{}]/&\n/g' |
		grep -v 'static' | sed -n \
		-e '/ extern const char /{s/\[[^]]*\]//g;s/.*extern const char //;s/[ ;]//g;s/,/\n/g;p;d}' \
		-e 's/__attribute__ *(([^()]*([^()]*)[^()]*))//g' \
		-e 's/^[^(]*[ *]\(\(pstk\|DAL\)_[A-Za-z0-9_]*\) *(.*/\1/p'
}

for header in $PUBLIC_HEADERS; do declared "${header#include/}"; done | sort -u >"$tmp/declared"
count=$(wc -l <"$tmp/declared")
# a parser that finds few has not understood the headers
[ "$count" -gt 40 ] || fail "only $count declarations were found in $PUBLIC_HEADERS"
for name in pstk_network_create pstk_connect pstk_actor_error pstk_version; do
	grep -qx $name "$tmp/declared" || fail "the declaration of $name was not found"
done

: >"$tmp/all"
for library in $SHARED_LIBRARIES; do
	file=$top_builddir/.libs/${library%.la}.so
	[ -f "$file" ] || fail "there is no $file"
	# type A: the names of symbol versions
	nm -D --defined-only "$file" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp/exported"
	printf '%s exports %d symbols\n' "$library" "$(wc -l <"$tmp/exported")"
	own='^pstk_'
	# DAL's own functions have DAL's names
	[ "$library" != libpenstock-dal.la ] || own='^pstk_dal_\|^DAL_'
	grep -v "$own" "$tmp/exported" && fail "$library exports names without pstk_"
	cat "$tmp/exported" >>"$tmp/all"
done
sort "$tmp/all" | uniq -d | grep . && fail "these are in more than one library"
sort "$tmp/all" >"$tmp/exported"
comm -23 "$tmp/declared" "$tmp/exported" | grep . && fail "these are declared but not exported"
comm -13 "$tmp/declared" "$tmp/exported" | grep . && fail "these are exported but not declared"
exit 0
