#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmarks on the cores run, and all variants give one output: a benchmark ends with status 1 if two outputs
# differ. Very short runs; what they print as times says nothing. What must be refused is refused.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
scratch benchmarks
# until what has several processes counts as hung: an MPI library spins, and its processes may share a core with others
guard=$((${PENSTOCK_TEST_GUARD:-600} * ${PENSTOCK_TEST_LONG:-1}))

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
brief history
brief multirate -k 'team 2'
brief hop -a 2
brief hop -g star -a 5
brief hop -g loop -a 5
brief ports -p 4
grep -q 'one dynamic firing of 4 ports, their FIFOs together' "$tmp/out" || fail "ports: $(cat "$tmp/out")"
brief cost -u -a 5
variant='process, threads' brief cost -m -a 10
# nine FIFOs of 2 x 2 windows of 4 bytes
grep -q '^tokens in FIFOs, team 2  *1  *14\.4  *14\.4  *14\.4 ' "$tmp/out" || fail "cost -m: $(cat "$tmp/out")"
variant='pieces, readers 11' brief broadcast -C 3 -p 7 -k 'pieces, readers 11'
brief handover
brief chain -a 50 -w 100
brief chain -a 5 -t 2000
variant='team 2, r 4, traced' brief observed -S 64x48
graph=
[ ! -x "$top_builddir/benchmarks/graph" ] || graph=graph
[ -z "$graph" ] || variant='from a file' brief graph -S 64x48
# each stage of the video applications: the output on two cores is that on one; by kernels, which takes longest, too
if short; then set -- -k 'two cores'; else set --; fi
variant='loop, two cores' brief video_kernels -S 64x48 "$@"

# Two processes, of which each window is checked. ranks NAME OPTION..: as two, in little time
ranks()
{
	name=$1
	shift
	echo "+ $name $*"
	# shellcheck disable=SC2086 # MPIRUN may have options
	timeout $guard $MPIRUN -n 2 "$top_builddir/benchmarks/$name" "$@" >"$tmp/out" 2>&1 ||
		fail "$name $*: $?: $(cat "$tmp/out")"
}
# alone NAME WRONG..: what it refuses, the first of all for want of another process
alone()
{
	name=$1
	shift
	for wrong in '' "$@"; do
		# shellcheck disable=SC2086 # words
		"$top_builddir/benchmarks/$name" $wrong >"$tmp/out" 2>&1 && status=0 || status=$?
		[ "$status" -eq 2 ] || fail "$name $wrong: $status: $(cat "$tmp/out")"
	done
	"$top_builddir/benchmarks/$name" -h >"$tmp/out" || fail "$name -h: $?"
	grep -q Columns "$tmp/out" || fail "$name -h: $(cat "$tmp/out")"
}
if [ -x "$top_builddir/benchmarks/mpi_hop" ] && [ -z "${SANITIZER_FLAGS-}" ] && [ -n "${MPIRUN-}" ]; then
	ranks mpi_hop -q
	[ "$(grep -c '^ *[0-9]* .* us .* us .* us ' "$tmp/out")" -eq 5 ] || fail "mpi_hop: $(cat "$tmp/out")"
	ranks mpi_hop -q -R 1e9
	grep -q '^ *1048576  *[0-9.]*  *[0-9.]*  *[0-9.]*$' "$tmp/out" || fail "mpi_hop -R: $(cat "$tmp/out")"
	alone mpi_hop '-n 0' '-n 100' '-R 0' more
	ranks motion_hosts -q -S 64x48
	[ "$(grep -c '^any ' "$tmp/out")" -eq 3 ] || fail "motion_hosts: $(cat "$tmp/out")"
	ranks motion_hosts -q -S 64x48 -r 4 -k 2
	alone motion_hosts '-n 0' '-r 3' '-k 1' '-s 0' '-S 0x1' more
	if [ -x "$top_builddir/benchmarks/migrate_hosts" ]; then
		ranks migrate_hosts -S 48x40 -m 2
		grep -q '^left out: ' "$tmp/out" || [ "$(grep -c '^  there  \|^  back  ' "$tmp/out")" -eq 4 ] ||
			fail "migrate_hosts: $(cat "$tmp/out")"
		alone migrate_hosts '-m 0' '-S 0x1' more
	fi
	if [ -x "$top_builddir/benchmarks/piic_hosts" ]; then
		# a kernel of 4 us adds 0, one of 5 adds 1
		ranks piic_hosts -q -b 40000 -a 1e-6 -l 4,5 -f 6 -j "$tmp/hosts.json"
		point='"nb_loop": [45], "kernel_s": [45]e-06, "hop_s": 0.00041, "net_s": '
		[ "$(grep -c "$point" "$tmp/hosts.json")" -eq 2 ] ||
			fail "piic_hosts: $(cat "$tmp/hosts.json")"
		places='"c0": 160000, "c1": 160000, "c0/g0": 160000, "c1/g0": 160000'
		grep -q "\"on\": .*\"memory\": {$places}, \"taken\": \[3" "$tmp/hosts.json" ||
			fail "piic_hosts: $(cat "$tmp/hosts.json")"
		ranks piic_hosts -q -w -b 40000 -l 5 -f 6
		alone piic_hosts '-d none' '-n 0' '-b 3' '-f 5' '-R 0' more
	fi
	# two hosts on one machine, where that is allowed
	status=0
	"$top_srcdir/benchmarks/namespaces.sh" -t $guard "$top_builddir/benchmarks/mpi_hop" -q -R 100000000 \
		>"$tmp/out" 2>&1 || status=$?
	case $status in
	0) grep -q '^ *1048576 ' "$tmp/out" || fail "namespaces.sh: $(cat "$tmp/out")" ;;
	77) cat "$tmp/out" ;;
	*) fail "namespaces.sh: $status: $(cat "$tmp/out")" ;;
	esac
fi
for wrong in '' '-r 0 true' '-r x true' '-t 1s true' '-x true'; do
	# shellcheck disable=SC2086 # words
	"$top_srcdir/benchmarks/namespaces.sh" $wrong >"$tmp/out" 2>&1 && status=0 || status=$?
	[ "$status" -eq 2 ] || fail "namespaces.sh $wrong: $status: $(cat "$tmp/out")"
done

# Peers that configure has found; StarPU keeps what it has measured of the machine there.
export STARPU_HOME="$tmp" STARPU_SILENT=1
for peer in tbb openmp starpu gnuradio; do
	[ -x "$top_builddir/benchmarks/peers/${peer}_motion" ] || continue
	brief "peers/${peer}_motion" -S 64x48
	brief "peers/${peer}_motion" -H -S 64x48
	brief "peers/${peer}_predistortion" -a random
done
# these compare what their own loops give with the others' sums before they run
[ ! -x "$top_builddir/benchmarks/peers/tbb_multirate" ] || variant='pipeline' brief peers/tbb_multirate
[ ! -x "$top_builddir/benchmarks/peers/liquid_multirate" ] || variant='serial calls' brief peers/liquid_multirate
[ ! -x "$top_builddir/benchmarks/peers/gnuradio_multirate" ] || variant='blocks' brief peers/gnuradio_multirate
# GNU Radio warns of rings for frames such as these
if [ -x "$top_builddir/benchmarks/peers/gnuradio_motion" ]; then
	variant='blocks, rings of 4' brief peers/gnuradio_motion -S 100x75 -k 'rings of 4' 2>"$tmp/err"
	[ ! -s "$tmp/err" ] || fail "gnuradio_motion said: $(head -n 3 "$tmp/err")"
fi

# driven NAME OPTION..: a driver gets a list, and a run of its first variant with what the list says; where there is no
# device those that need one say so
driven()
{
	name=$1
	shift
	echo "+ $name $* --list"
	"$top_builddir/benchmarks/$name" "$@" --list >"$tmp/list" || fail "$name $* --list"
	! grep -q '"absent": "there is no OpenCL device"' "$tmp/list" || return
	sed -n '1s/^{"table": "\([^"]*\)", .*"least": \([0-9]*\), .*"name": "\([^"]*\)", .*/\1\n\3\n\2/p' "$tmp/list" \
		>"$tmp/first"
	again=$(sed -n '1s/.*"again": \[\(.*\)\]}$/\1/p' "$tmp/list" | tr -d '",')
	{ read -r table && read -r variant && read -r least; } <"$tmp/first" ||
		fail "$name $* --list: $(head -n 1 "$tmp/list")"
	# shellcheck disable=SC2086 # a list of words
	"$top_builddir/benchmarks/$name" "$@" $again --run "$variant" --table "$table" --items "$least" --expect \
		>"$tmp/out" ||
		fail "$name $* --run '$variant' --table '$table'"
	start="{\"table\": \"$table\", \"name\": \"$variant\", \"round\": 0, \"items\": $least, "
	grep -q "^$start.*\"hash\": \"[0-9a-f]*\"" "$tmp/out" ||
		fail "$name $* --run '$variant': $(cat "$tmp/out")"
}

# matches_none NAME VARIANT OPTION..: with -k nosuch all that it does is to list its variants, one of which is this
matches_none()
{
	name=$1 variant=$2
	shift 2
	echo "+ $name -k nosuch $*"
	"$top_builddir/benchmarks/$name" "$@" -k nosuch >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 2 ] || fail "$name $* -k nosuch did not end with status 2"
	[ ! -s "$tmp/out" ] || fail "$name $* -k nosuch printed: $(cat "$tmp/out")"
	{
		read -r line
		[ "$line" = "$name: no variant has 'nosuch' (-k) in its name; there are:" ] ||
			fail "$name -k nosuch: $line"
		! grep -v '^  [^ ]' || fail "$name -k nosuch says more than names"
	} <"$tmp/err"
	grep -qxF "  $variant" "$tmp/err" || fail "$name -k nosuch does not list '$variant': $(cat "$tmp/err")"
	[ "$(sort "$tmp/err" | uniq -d)" = '' ] || fail "$name -k nosuch lists one twice: $(cat "$tmp/err")"
}

driven motion -S 64x48
driven predistortion -a 2
driven hop
driven ports -p 4
driven multirate
driven handover -b 4
driven chain -a 50 -w 100
driven chain -a 5 -t 2000
driven broadcast -C 3
driven cost -m -a 10
driven cost -u -a 5
driven observed -S 64x48
[ -z "$graph" ] || driven graph -S 64x48
# a sanitizer has seen these actors on devices elsewhere
if [ -z "${SANITIZER_FLAGS-}" ] && with_opencl; then
	driven motion_device -s 64x48 -r 4 -d 2
	driven predistortion_device -b 65536 -a 2
	# two of ten
	"$top_builddir/benchmarks/motion_device" -s 64x48 -r 4 -d 2 -n 1 -f 1024 -k 'stages, 1 thread|map' \
		>"$tmp/out" 2>&1 ||
		fail "motion_device -k: $?: $(cat "$tmp/out")"
	grep sleeps "$tmp/out" | sed 's/.*rate  4  \([^0-9]*\).*/\1/' | sort -u | tr -d '\n' >"$tmp/ran"
	[ "$(cat "$tmp/ran")" = "by hand, coarse, library, map, device depth " ] ||
		fail "motion_device -k: $(cat "$tmp/out")"
	for list in '' --list; do
		matches_none motion_device 'library, svm, device depth 2, depth 2, threads, 5, r 4' -s 64x48 -r 4 $list
		matches_none predistortion_device 'library, svm, depths 4, 2, threads, 15, block 65536' -b 65536 \
			-a 2 $list
	done
	# by a name that the list has
	"$top_builddir/benchmarks/motion_device" -s 64x48 -r 2,4 -d 2 -n 1 -f 1024 \
		-k 'library, svm, device depth 2, depth 2, threads, 5, r 4' >"$tmp/out" 2>&1 ||
			fail "motion_device -k NAME: $?"
	[ "$(grep -c sleeps "$tmp/out")" -eq 1 ] || fail "motion_device -k NAME: $(cat "$tmp/out")"
	driven launch
	echo '+ piic'
	"$top_builddir/benchmarks/piic" -n 1 -b 40000 -a 1e-6 -l 4,5 -f 6 -x half -j "$tmp/piic.json" >"$tmp/out" ||
		fail "piic: $?: $(cat "$tmp/out")"
	[ "$(grep -c '"nb_loop": [45], "kernel_s": [45]e-06, "hop_s": 5e-05, "on_s": ' "$tmp/piic.json")" -eq 2 ] ||
		fail "piic: $(cat "$tmp/piic.json")"
	"$top_builddir/benchmarks/piic" -n 1 -b 40000 -l 5 -f 6 -i 1 -d pocl >"$tmp/out" || fail "piic -d pocl: $?"
	! "$top_builddir/benchmarks/piic" -d none >"$tmp/out" 2>&1 || fail 'piic -d none'
	if [ -x "$top_builddir/benchmarks/tasks" ]; then
		echo '+ tasks'
		"$top_builddir/benchmarks/tasks" -n 1 -t 1 -j "$tmp/tasks.json" >"$tmp/out" ||
			fail "tasks: $?: $(cat "$tmp/out")"
		grep -q '"planned_with_s": 0.004,' "$tmp/tasks.json" || fail "tasks: $(cat "$tmp/tasks.json")"
		grep -q '"random": {"networks": 1, ' "$tmp/tasks.json" || fail "tasks: $(cat "$tmp/tasks.json")"
		! "$top_builddir/benchmarks/tasks" -n 0 >"$tmp/out" 2>&1 || fail 'tasks -n 0'
	fi
	echo '+ granulometry'
	"$top_builddir/benchmarks/granulometry" -n 1 -m 4 -s 64 -u 1e-6 -f 6 -j "$tmp/sieve.json" >"$tmp/out" ||
		fail "granulometry: $?: $(cat "$tmp/out")"
	# of 4 openings 3 are the first part, 3 + 6 units against 4 + 4; all are 14: 2.7 times is more than can be had
	for said in '"n": 3, "predicted_s": 9e-06, "measured_s": ' '"reading_s": 9e-06' '"best": {"predicted": 3, ' \
		'"speedup": {"predicted": 2.5556, ' '"curve": {"G": \[.*, 0\], "PS": \[.*\], "main": 3}'; do
		[ "$(grep -c "$said" "$tmp/sieve.json")" -eq 1 ] || fail "granulometry: $(cat "$tmp/sieve.json")"
	done
	"$top_builddir/benchmarks/granulometry" -n 1 -m 4 -s 64 -f 6 -N 2 -d pocl >"$tmp/out" ||
		fail "granulometry -d pocl: $?"
	for wrong in '-d none' '-m 1' '-N 40' '-m 50 -s 100' '-f 3' 'more'; do
		# shellcheck disable=SC2086 # words
		"$top_builddir/benchmarks/granulometry" $wrong >"$tmp/out" 2>&1 && status=0 || status=$?
		[ "$status" -eq 2 ] || fail "granulometry $wrong: $(cat "$tmp/out")"
	done
	! "$top_builddir/benchmarks/granulometry" -n 1 -m 2 -s 8 -u 1e-6 -f 4 -j "$tmp/none/file" >"$tmp/out" 2>&1 ||
		fail 'granulometry -j of a folder that is not there'
	echo '+ saliency' # by hand and on a device: check_saliency_bench
	OCL_ICD_VENDORS=$tmp/none "$top_builddir/benchmarks/saliency" -n 1 -f 6 -s 48x40 -j "$tmp/saliency.json" \
		-F "$tmp/filters.pgm" -T "$tmp/trace.json" >"$tmp/out" || fail "saliency: $?: $(cat "$tmp/out")"
	grep -q '^left out: the device: ' "$tmp/out" || fail "saliency, no device: $(cat "$tmp/out")"
	for word in '"timed": ' '"rows": 4' '"trace": '; do
		grep -q "$word" "$tmp/saliency.json" || fail "saliency: no $word in $(cat "$tmp/saliency.json")"
	done
	[ -s "$tmp/filters.pgm" ] || fail 'saliency: no filters'
	grep -q 'interactions -> normalize: to the device' "$tmp/trace.json" || fail 'saliency: no transfer'
	for wrong in '-d none' '-s 512' '-f 5' '-n 0' more; do
		# shellcheck disable=SC2086 # an option and its value
		"$top_builddir/benchmarks/saliency" $wrong >"$tmp/out" 2>&1
		[ $? -eq 2 ] || fail "saliency $wrong was not refused"
	done
	! OCL_ICD_VENDORS=$tmp/none "$top_builddir/benchmarks/saliency" -n 1 -f 6 -s 48x40 -j /dev/full \
		>"$tmp/out" 2>&1 || fail 'saliency: a full disk'
	variant='team 2, movable, was moved there' brief migrate -S 48x40 -m 2
	grep -q '^left out: moves: ' "$tmp/out" ||
		[ "$(grep -c '^  equal  \|^  shorter  \|^  longer  ' "$tmp/out")" -eq 3 ] ||
		fail "migrate: $(cat "$tmp/out")"
	! "$top_builddir/benchmarks/migrate" --figures "$tmp/list/none" >"$tmp/out" 2>&1 ||
		fail 'migrate --figures of a folder that can not be made'
	driven fir_device -b 1024
	brief fir_device -b 1024
	OCL_ICD_VENDORS=$tmp/none "$top_builddir/benchmarks/launch" >"$tmp/out" || fail "launch, no device: $?"
	grep -q '^team 2, actors 16: not here: there is no OpenCL device' "$tmp/out" || fail "launch: $(cat "$tmp/out")"
	OCL_ICD_VENDORS=$tmp/none "$top_builddir/benchmarks/motion_device" --list >"$tmp/out" || fail "no device: $?"
	grep -q '"absent": "there is no OpenCL device"' "$tmp/out" || fail "no device: $(cat "$tmp/out")"
fi
if [ -x "$top_builddir/benchmarks/peers/starpu_motion_opencl" ]; then
	driven peers/starpu_motion_opencl -S 64x48
	if ! grep -q '"absent": "' "$tmp/list"; then
		for batch in 1 4; do # one has no second launch of threshold, and no part of a buffer
			variant='StarPU, a codelet .*main thread' brief peers/starpu_motion_opencl -S 64x48 \
				-r "$batch" -k 'thread, pipeline 4'
		done
		STARPU_NOPENCL=0 "$top_builddir/benchmarks/peers/starpu_motion_opencl" -S 64x48 -n 1 -s 0.0005 \
			>"$tmp/out" 2>&1
		[ $? -eq 1 ] || fail "StarPU without a device did not end with status 1"
		grep -q 'StarPU finds no OpenCL device' "$tmp/out" || fail "StarPU without a device: $(cat "$tmp/out")"
	fi
	for run in --list '-n 1'; do
		# shellcheck disable=SC2086 # two words
		OCL_ICD_VENDORS=$tmp/none "$top_builddir/benchmarks/peers/starpu_motion_opencl" $run >"$tmp/out" 2>&1
		echo "status $?" >>"$tmp/out"
		grep -q 'there is no OpenCL device' "$tmp/out" || fail "no device for StarPU: $(cat "$tmp/out")"
		grep -q "status $([ "$run" = --list ] && echo 0 || echo 1)" "$tmp/out" ||
			fail "no device for StarPU: $(cat "$tmp/out")"
	done
fi
# a network's channels, as papers count them: four double buffers, and three frames for the one with a delay; readers of
# one output share, so less is taken
"$top_builddir/benchmarks/motion" -S 64x48 --run 'threads, fixed, r 1, depth 2' --items 32 >"$tmp/out" ||
	fail "motion, fixed"
grep -q "\"channel_bytes\": $((64 * 48 * 11)), \"channel_bytes_taken\": [1-9]" "$tmp/out" ||
	fail "channels: $(cat "$tmp/out")"
# the driver can tell them all apart, and each takes what it is to be asked with
if [ -z "${SANITIZER_FLAGS-}" ] && [ -n "${PYTHON3-}" ]; then
	for quick in --quick ''; do
		[ -n "$quick" ] || ! short || continue
		"$PYTHON3" -B "$top_srcdir/benchmarks/run" $quick --build "$top_builddir" --list >"$tmp/out" 2>&1 ||
			fail "benchmarks/run $quick --list: $(grep '^failed' "$tmp/out")"
	done
fi
"$top_builddir/benchmarks/motion" -S 64x48 --run none >"$tmp/out" 2>&1
[ $? -eq 2 ] || fail "motion --run none did not end with status 2"
grep -q "no table has a variant 'none'" "$tmp/out" || fail "motion --run none: $(cat "$tmp/out")"

# C++ programs may use the headers that they need
for header in benchmarks/common/rounds.h apps/common/probe.h; do
	printf '#include "%s"\nint main() { return 0; }\n' "$header" >"$tmp/alone.cc"
	must "$CXX" -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$top_srcdir/include" -I"$top_srcdir" -fsyntax-only \
		"$tmp/alone.cc"
done

# each says what its options are and what its columns mean
device_programs='fir_device launch motion_device predistortion_device'
with_opencl || device_programs=
for program in motion predistortion multirate hop ports history handover chain broadcast cost kernels analysis \
	observed video_kernels $graph $device_programs ${device_programs:+opencl_kernels}; do
	for ask in -h --help; do
		"$top_builddir/benchmarks/$program" $ask >"$tmp/out" 2>"$tmp/err" || fail "$program $ask: $?"
		[ ! -s "$tmp/err" ] || fail "$program $ask: $(cat "$tmp/err")"
		grep -q '^usage: ' "$tmp/out" || fail "$program $ask: $(cat "$tmp/out")"
		grep -q -i 'columns' "$tmp/out" || fail "$program $ask: no word about columns"
	done
done

# refused NAME OPTION..: does nothing for a program that this configuration has not, for want of OpenCL
refused()
{
	case $1 in *_device | launch | opencl_kernels) with_opencl || return 0 ;; esac
	name=$1
	shift
	echo "+ $name $*"
	"$top_builddir/benchmarks/$name" "$@" >"$tmp/out" 2>&1
	[ $? -eq 2 ] || fail "$name $* was not refused"
	grep -q '^usage: ' "$tmp/out" || fail "$name $*: no word about its usage"
}

refused motion -n 0
grep -q "^motion: -n: '0' is none of the values below" "$tmp/out" || fail "motion -n 0: $(cat "$tmp/out")"
refused motion extra
grep -q "^motion: 'extra': there are options only" "$tmp/out" || fail "motion extra: $(cat "$tmp/out")"
# references alone are nothing that was asked for; a program of several tables skips those that have nothing else
for list in '' --list; do
	# shellcheck disable=SC2086 # nothing, or a word
	{
		matches_none motion 'team 2, r 1, depth 2' -S 64x48 $list
		matches_none predistortion 'team 2, block 8192, depth 2' $list
		matches_none hop 'team 2, depth 4' $list
		matches_none ports 'team 2, depth 4' -p 2 $list
		matches_none handover 'team 2, free, depth 4' $list
		matches_none broadcast 'pieces, readers 1' $list
		matches_none chain '1000 actors, team 2, depth 4' $list
		matches_none chain 'team 2' -t 1000 $list
		matches_none cost 'process, team 2, a FIFO each' $list
	}
done
# an empty text would be in every name
for text in '' '|' 'a|' '|a' 'a||b'; do
	refused motion -k "$text"
	grep -q "^motion: -k: '$text' has an empty text" "$tmp/out" || fail "motion -k '$text': $(cat "$tmp/out")"
done
for program in cost $device_programs; do refused "$program" -k 'a|'; done
# numbers are all of the text; what else is none: check_number
numbers()
{
	for value in 2x ''; do refused "$@" "$value"; done
}
for option in n s; do numbers motion -$option; done
numbers motion --items
numbers motion --round
numbers predistortion -a
numbers predistortion -b
numbers hop -a
numbers ports -p
numbers handover -b
numbers chain -a
numbers chain -w
numbers chain -t
numbers chain -p
numbers cost -a
for option in C p; do numbers broadcast -$option; done
numbers fir_device -b
for option in r d i T n f; do numbers motion_device -$option; done
for option in b a d i T n S; do numbers predistortion_device -$option; done
numbers analysis
numbers kernels 64x48
numbers kernels 64x48 1
numbers opencl_kernels 64x48
numbers opencl_kernels 64x48 1
refused motion_device -i 2,4,
refused motion_device -i 2,,4
refused motion_device -r 1,2,4,8,16,32,1,2,4
for size in 64 64x 64x48x 64x48x2 x48 64x48,2 '64x 48' 64.0x48 0x48 64x99999999; do refused motion -S "$size"; done
refused motion_device -s 64x
refused kernels 64x
refused opencl_kernels 64x
variant='only threads' brief cost -a 5 -k 'only threads'
! grep -q '^tokens in FIFOs' "$tmp/out" || fail "cost -k 'only threads': $(cat "$tmp/out")"
refused broadcast -C 0
refused broadcast -p 65537
refused motion -S 0x48
refused predistortion -a 11
refused hop -a 1
refused hop -g ring
for ports in 0 3 64; do refused ports -p $ports; done
refused handover -b 3
refused chain -a 55
refused cost -m -u
refused cost -a 1
refused chain -p 0
refused chain -t 1 -w 1
refused chain -t 100 -a 4001
refused motion_device -q
refused motion_device -r 3
refused predistortion_device --quick
if [ -x "$top_builddir/benchmarks/peers/starpu_motion_opencl" ]; then
	refused peers/starpu_motion_opencl -S 63x3
	refused peers/starpu_motion_opencl -r 3
fi
