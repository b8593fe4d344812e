#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a test of make check: cold.sh TEST.. Under LeakSanitizer it gives it a cache of PoCL's of its own, and a run in which
# PoCL has compiled kernels does not count if LeakSanitizer complains: the compiler of PoCL 3.1 leaks once a process, with
# an empty program too (CONTRIBUTING.md), and with gcc 12 its thread-local memory makes the checker itself crash. Then the
# test runs again, with all kernels in the cache, and that run counts.

case ${SANITIZER_FLAGS-} in *address*) ;; *) exec "$@" ;; esac

cache=${top_builddir:-.}/tests/pocl-cache/$(basename -- "$1")
mkdir -p -- "$cache" || exit 99
POCL_CACHE_DIR=$(cd -- "$cache" && pwd -P) || exit 99
export POCL_CACHE_DIR

# what a run that was ended has left half done is no kernel
kernels() { find "$cache" -type f ! -name 'tempfile*' | sort; }

before=$(kernels)
"$@" >"$cache.out" 2>&1
status=$?
case $status in 0 | 77) cat -- "$cache.out" && exit $status ;; esac
if [ "$(kernels)" = "$before" ] || ! grep -q LeakSanitizer "$cache.out"; then
	cat -- "$cache.out"
	exit $status
fi
# scripts/check counts what is at the beginning of a line
grep -E '^[0-9]+%|^SUMMARY|LeakSanitizer|:[FE]:' "$cache.out" | sed 's/^/cold: /'
echo "PoCL has compiled kernels in this run: it does not count, once more (all of its output: $cache.out)"
exec "$@"
