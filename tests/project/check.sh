# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the test scripts share; sourced by them. make check exports the variables of Makefile.am's AM_TESTS_ENVIRONMENT.
# A script shows what it does, stops at the first failure, and works in a folder of its own in the build tree.

set -u
: "${top_srcdir:?run me with make check}" "${top_builddir:=.}"
top_srcdir=$(cd -- "$top_srcdir" && pwd -P) top_builddir=$(cd -- "$top_builddir" && pwd -P) || exit 1

fail()
{
	printf 'FAILED: %s\n' "$*"
	exit 1
}

skip()
{
	printf 'skipped: %s\n' "$*"
	exit 77
}

run()
{
	printf '+ %s\n' "$*"
	"$@"
}

must() { run "$@" || fail "$*"; }

# scratch NAME: makes an empty folder, $tmp, that goes when the script ends.
scratch()
{
	tmp=$top_builddir/tests/tmp-$1.$$
	mkdir -p -- "$tmp" || exit 1
	trap 'rm -rf -- "$tmp"' EXIT
	trap 'exit 1' HUP INT TERM
}

# short: shall only a share run? tests/common/common.h says more of the variable.
short() { [ "${PENSTOCK_TEST_SHORT:-0}" -gt 1 ]; }

# with_opencl: does this configuration run actors on devices?
with_opencl() { [ "${WITH_OPENCL-yes}" != no ]; }

# builds shared|static: does this configuration build such libraries?
builds()
{
	case $1 in
	shared) "$top_builddir/libtool" --config | grep -q '^build_libtool_libs=yes' ;;
	# its text says so of other languages, too
	static) "$top_builddir/libtool" --config | grep -q '^build_old_libs=yes' ;;
	esac
}
