#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmarks on the cores run, and all variants give one output: a benchmark ends with status 1 if two outputs
# differ. Very short runs; what they print as times says nothing. What must be refused is refused.
# shellcheck source=tests/check.sh
. "${srcdir:?}/tests/check.sh"
scratch benchmarks

# brief NAME OPTION..: one round of runs that are as short as can be
brief()
{
	name=$1
	shift
	echo "+ $name $*"
	"$top_builddir/benchmarks/$name" -v -n 1 -s 0.0005 "$@" >"$tmp/out" || fail "$name $*"
	grep -q "^round 0 .*${variant:-team 2}" "$tmp/out" || {
		cat "$tmp/out"
		fail "$name $*: no figures of ${variant:-a team}"
	}
}

brief motion -S 64x48
brief motion -H -S 64x48
brief predistortion -a random
brief predistortion -a 2 -k 'block 4096'
brief hop
brief broadcast -S 64x48
brief handover
brief chain -a 50 -w 100
variant='depth 16, late, spin' brief wake -w 500

# Peers that configure has found; StarPU keeps what it has measured of the machine there.
export STARPU_HOME="$tmp" STARPU_SILENT=1
for peer in tbb openmp starpu gnuradio; do
	[ -x "$top_builddir/benchmarks/peers/${peer}_motion" ] || continue
	brief "peers/${peer}_motion" -S 64x48
	brief "peers/${peer}_motion" -H -S 64x48
	brief "peers/${peer}_predistortion" -a random
done

# refused NAME OPTION..
refused()
{
	name=$1
	shift
	echo "+ $name $*"
	"$top_builddir/benchmarks/$name" "$@" >"$tmp/out" 2>&1
	[ $? -eq 2 ] || fail "$name $* was not refused"
	grep -q '^usage: ' "$tmp/out" || fail "$name $*: no word about its usage"
}

refused motion -n 0
refused broadcast -R 0
refused motion -S 0x48
refused predistortion -a 11
refused hop -a 2
refused handover -b 3
refused chain -a 55
refused wake -w x
