#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a test of make check: cold.sh TEST.. It gives it a cache of PoCL's of its own; scripts/check copies those of a plain
# build into a sanitizer's. Under LeakSanitizer a run in which PoCL has compiled kernels does not count if it fails: the compiler
# of PoCL 3.1 leaks once a process, with an empty program too, and LeakSanitizer complains (CONTRIBUTING.md). Then the test runs
# again, with all kernels in the cache, and that run counts.

# A run in which ThreadSanitizer itself gives up says nothing about the program: once more, and that run counts.
once_more()
{
	out=$(mktemp) || exit 99
	trap 'rm -f -- "$out"' EXIT
	"$@" >"$out" 2>&1
	status=$?
	if [ $status -eq 0 ] || ! grep -q 'ThreadSanitizer failed to allocate' "$out"; then
		cat -- "$out"
		exit $status
	fi
	grep 'ThreadSanitizer failed to allocate' "$out" | sed 's/^/cold: /'
	echo "ThreadSanitizer has given up in this run: it does not count, once more"
	"$@"
	exit $?
}

cache=${top_builddir:-.}/tests/pocl-cache/$(basename -- "$1")
mkdir -p -- "$cache" || exit 99
POCL_CACHE_DIR=$(cd -- "$cache" && pwd -P) || exit 99
export POCL_CACHE_DIR

case ${SANITIZER_FLAGS-} in
*address*) ;;
*thread*) once_more "$@" ;;
*) exec "$@" ;;
esac

# what a run that was ended has left half done is no kernel
kernels() { find "$cache" -type f ! -name 'tempfile*' | sort; }

before=$(kernels)
"$@" >"$cache.out" 2>&1
status=$?
case $status in 0 | 77) cat -- "$cache.out" && exit $status ;; esac
# who looks at the output of a program that he has run may not show the complaint
if [ "$(kernels)" = "$before" ]; then
	cat -- "$cache.out"
	exit $status
fi
# scripts/check counts what is at the beginning of a line
grep -E '^[0-9]+%|^SUMMARY|LeakSanitizer|:[FE]:' "$cache.out" | sed 's/^/cold: /'
echo "PoCL has compiled kernels in this run: it does not count, once more (all of its output: $cache.out)"
exec "$@"
