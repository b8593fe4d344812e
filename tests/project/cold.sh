#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a test of make check: cold.sh TEST.. It gives it a cache of PoCL's of its own; scripts/check copies those of a
# plain build into a sanitizer's. Under LeakSanitizer a run in which PoCL has compiled kernels does not count if it
# fails: the compiler of PoCL 3.1 leaks once a process, with an empty program too, and LeakSanitizer complains
# (CONTRIBUTING.md). Then the test runs again, with all kernels in the cache, and that run counts.
#
# A suite or a script that has not ended after twelve times the guard of tests/common/common.h is ended, with all that
# it has started. Twelve: each test of a suite has a guard of its own, and a suite of ten that all took long, on two
# cores with six busy loops and four compilers beside it, has taken half an hour. PENSTOCK_TEST_HUNG is a file of
# scripts/check's in which a test that hangs is written down: after one no other begins.

name=$(basename -- "$1") hung=${PENSTOCK_TEST_HUNG-}
seconds=$((12 * ${PENSTOCK_TEST_GUARD:-600} * ${PENSTOCK_TEST_LONG:-1}))
one_hangs() { [ -n "$hung" ] && [ -s "$hung" ]; }
if one_hangs; then
	echo "skipped: not run after $(head -n 1 -- "$hung")"
	exit 77
fi

# guarded COMMAND..: timeout runs it in a process group of its own, which the terminal's signals do not reach. All of
# the group is ended then: a timeout that has only just begun would end alone.
guarded()
{
	command -v timeout >/dev/null || {
		"$@"
		return
	}
	trap 'kill -- "-$!" "$!" 2>/dev/null; wait "$!"; exit 130' HUP INT TERM
	timeout -k 30 "$seconds" "$@" &
	wait "$!"
	ended=$?
	trap - HUP INT TERM
	case $ended in 124 | 137) ;; *) return $ended ;; esac
	echo "$name: it has not ended in $seconds s: it hangs"
	[ -z "$hung" ] || echo "$name: it has not ended in $seconds s: it hangs" >>"$hung"
	return 124
}

# A run in which ThreadSanitizer itself gives up says nothing about the program: once more, and that run counts.
once_more()
{
	out=$(mktemp) || exit 99
	trap 'rm -f -- "$out"' EXIT
	guarded "$@" >"$out" 2>&1
	status=$?
	if [ $status -eq 0 ] || ! grep -q 'ThreadSanitizer failed to allocate' "$out"; then
		cat -- "$out"
		exit $status
	fi
	grep 'ThreadSanitizer failed to allocate' "$out" | sed 's/^/cold: /'
	echo "ThreadSanitizer has given up in this run: it does not count, once more"
	guarded "$@"
	exit $?
}

cache=${top_builddir:-.}/tests/pocl-cache/$name
mkdir -p -- "$cache" || exit 99
POCL_CACHE_DIR=$(cd -- "$cache" && pwd -P) || exit 99
export POCL_CACHE_DIR

case ${SANITIZER_FLAGS-} in
*address*) ;;
*thread*) once_more "$@" ;;
*)
	guarded "$@"
	exit $?
	;;
esac

# what a run that was ended has left half done is no kernel
kernels() { find "$cache" -type f ! -name 'tempfile*' | sort; }

before=$(kernels)
guarded "$@" >"$cache.out" 2>&1
status=$?
case $status in 0 | 77) cat -- "$cache.out" && exit $status ;; esac
# a test that looks at the output of a program that it has run may not show the complaint
if [ $status -eq 124 ] || one_hangs || [ "$(kernels)" = "$before" ]; then
	cat -- "$cache.out"
	exit $status
fi
# scripts/check counts what is at the beginning of a line
grep -E '^[0-9]+%|^SUMMARY|LeakSanitizer|:[FE]:' "$cache.out" | sed 's/^/cold: /'
echo "PoCL has compiled kernels in this run: it does not count, once more (all of its output: $cache.out)"
guarded "$@"
exit $?
