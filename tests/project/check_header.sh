#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header compiles alone, as C11, C++11 and C++20, without a warning; so does a C++ program that uses it.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in headers"
scratch header

warnings="-Wall -Wextra -Wpedantic -Werror"
for header in $PUBLIC_HEADERS; do
	name=${header#include/}
	printf '#include <%s>\nint main(void) { return 0; }\n' "$name" >"$tmp/alone.c"
	cp "$tmp/alone.c" "$tmp/alone.cc" || exit 1
	# shellcheck disable=SC2086 # lists of words
	must $CC -std=c11 $warnings -Wshadow -Wconversion -I"$top_srcdir/include" -fsyntax-only "$tmp/alone.c"
	for std in c++11 c++20; do
		# shellcheck disable=SC2086
		must $CXX -std=$std $warnings -I"$top_srcdir/include" -fsyntax-only "$tmp/alone.cc"
	done
done
# what its functions return has a name without another header
printf '#include <penstock/penstock.h>\nint main(void) { return pstk_network_start(NULL) != -EINVAL; }\n' \
	>"$tmp/errno.c"
cp "$tmp/errno.c" "$tmp/errno.cc" || exit 1
# shellcheck disable=SC2086
must $CC -std=c11 $warnings -I"$top_srcdir/include" -fsyntax-only "$tmp/errno.c"
for std in c++11 c++20; do
	# shellcheck disable=SC2086
	must $CXX -std=$std $warnings -I"$top_srcdir/include" -fsyntax-only "$tmp/errno.cc"
	# shellcheck disable=SC2086
	must $CXX -std=$std $warnings -I"$top_srcdir/include" -fsyntax-only "$top_srcdir/tests/hello/hello.cc"
done
