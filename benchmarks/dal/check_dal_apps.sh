#!/bin/sh
# SPDX-License-Identifier: MIT
# Both applications as DAL processes, by libpenstock-dal and by the baseline in all of its settings, on cores and on a
# device. What comes out is compared in each run, with what one thread gives and with the library's own network: a
# program ends with status 1 if two outputs differ. How much the channels hold is what the process networks say; what
# can't be done is refused.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
scratch dal_apps
TMPDIR=$tmp
export TMPDIR

dal=$top_builddir/benchmarks/dal
[ -x "$dal/baseline_motion" ] || skip "built without libxml2"

# equal PROGRAM VARIANTS OPTION..: one round of all variants, some hundred frames or blocks each. How many variants of
# the runtime there are is known, so that none is left out.
equal()
{
	program=$1 variants=$2
	shift 2
	echo "+ $program $*"
	"$dal/$program" -v -n 1 "$@" >"$tmp/out" || fail "$program $*: $(tail -n 3 "$tmp/out")"
	ran=$(grep -c "^round 0 .*DAL" "$tmp/out")
	[ "$ran" -ge "$variants" ] || fail "$program $*: only $ran variants ran: $(cat "$tmp/out")"
	for left in "$tmp"/penstock-dal-*; do
		[ ! -e "$left" ] || fail "$program $*: $left is left"
	done
}

if [ -z "${SANITIZER_FLAGS-}" ] && ! short; then
	equal penstock_motion 9 -S 64x48 -s 0.002
	equal baseline_motion 27 -S 64x48 -s 0.002
	# other sizes of a frame, that are no multiple of a cache line or a vector
	equal penstock_motion 9 -S 97x31 -s 0.0005
	equal baseline_motion 27 -S 97x31 -s 0.0005
	equal penstock_motion 9 -H -S 64x48 -s 0.005
	equal baseline_motion 27 -H -S 64x48 -s 0.005
	for active in 1 random; do
		equal penstock_predistortion 5 -a $active -b 4096 -s 0.001
		equal baseline_predistortion 22 -a $active -b 4096 -s 0.001
	done
else # a sanitizer is ten times as slow
	equal penstock_motion 9 -S 97x31 -s 0.0005
	equal baseline_motion 27 -S 97x31 -s 0.0005
	equal penstock_predistortion 1 -a random -b 4096 -s 0.0001 -k 'capacity 4'
	equal baseline_predistortion 5 -a random -b 4096 -s 0.0001 -k 'capacity 4'
fi

# holds BYTES VARIANT PROGRAM OPTION..: what a driver is told of the channels
holds()
{
	bytes=$1 variant=$2 program=$3
	shift 3
	echo "+ $program $* --run '$variant'"
	"$dal/$program" "$@" --run "$variant" --seconds 0.0001 >"$tmp/out" || fail "$program $* --run '$variant'"
	grep -q "\"channel_bytes\": $bytes, " "$tmp/out" || fail "'$variant': not $bytes: $(cat "$tmp/out")"
}

for runtime in "baseline:DAL, paper's settings" 'penstock:DAL on Penstock, threads'; do
	prefix=${runtime%%:*} name=${runtime#*:}
	# five channels of two windows, and a frame of 64 x 48 more for the delay; where that is no multiple of the
	# rate, it takes a window, too
	holds $((64 * 48 * 11)) "$name, r 1, capacity 2" "${prefix}_motion" -S 64x48
	holds $((64 * 48 * (4 * 2 * 4 + 3 * 4 + 1))) "$name, r 4, capacity 2" "${prefix}_motion" -S 64x48
	# 44 channels of two blocks, two of eight control tokens
	holds $((44 * 2 * 32768 * 4 + 2 * 8 * 4)) "$name, block 32768, capacity 2" "${prefix}_predistortion" -a 1 \
		-b 4096
	"$dal/${prefix}_motion" -S 64x48 -m >"$tmp/out" || fail "${prefix}_motion -m"
	grep -q "^$name, r 1, capacity 2  *$((64 * 48 * 11))\$" "$tmp/out" ||
		fail "${prefix}_motion -m: $(cat "$tmp/out")"
done

# wrong STATUS TEXT PROGRAM OPTION..
wrong()
{
	status=$1 text=$2 program=$3
	shift 3
	echo "+ $program $*"
	"$dal/$program" "$@" >"$tmp/out" 2>&1
	[ $? -eq "$status" ] || fail "$program $* did not end with status $status: $(cat "$tmp/out")"
	grep -q -- "$text" "$tmp/out" || fail "$program $*: no word of '$text': $(cat "$tmp/out")"
}

for runtime in baseline penstock; do
	wrong 2 '^usage: ' ${runtime}_motion -S 0x48
	wrong 2 '^usage: ' ${runtime}_motion -x
	wrong 2 '^usage: ' ${runtime}_predistortion -a 11
	wrong 2 "no table has a variant 'none'" ${runtime}_motion --run none
	TMPDIR=$tmp/none wrong 1 'none/penstock-dal-' ${runtime}_motion -n 1 -s 0.0001
	TMPDIR=$(printf '%0300d' 0) wrong 1 'TMPDIR is longer' ${runtime}_motion -n 1 -s 0.0001
	OCL_ICD_VENDORS=$tmp/none wrong 1 'there is no OpenCL device' ${runtime}_motion -D -n 1
	OCL_ICD_VENDORS=$tmp/none wrong 0 '"absent": "there is no OpenCL device"' ${runtime}_motion -D --list
done

# a sanitizer has seen these runtimes on devices elsewhere
[ -z "${SANITIZER_FLAGS-}" ] || exit 0
"$dal/penstock_motion" -D --list >"$tmp/out" || fail "penstock_motion -D --list"
! grep -q '"absent": "there is no OpenCL device"' "$tmp/out" || exit 0
# several bands, strips that overlap
equal penstock_motion 6 -D -S 97x31 -s 0.001
equal baseline_motion 20 -D -S 97x31 -s 0.001
