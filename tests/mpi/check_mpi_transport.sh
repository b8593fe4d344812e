#!/bin/sh
# SPDX-License-Identifier: MIT
# The transport over MPI, by the cases of tests/mpi/mpi_transport.c: 2 to 4 ranks on this machine.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer complains of MPI libraries themselves"
program=$top_builddir/tests/mpi/mpi_transport
[ -x "$program" ] || skip "this build is without MPI"
[ -n "${MPIRUN-}" ] || skip "there is no mpirun: apt-get install mpich"
scratch mpi
seconds=$((${PENSTOCK_TEST_GUARD:-600} * ${PENSTOCK_TEST_LONG:-1}))

# What still runs of a case.
left()
{
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/exe" 2>/dev/null)" != "$program" ] || echo "${process#/proc/}"
	done
}

# ranks STATUS N CASE ARGUMENT..: N processes run a case, and end with this status (bad: any but 0, as the launcher has
# it where each rank fails by itself); then none of them is left. One that hangs is ended, and with it all that the
# launcher has started.
ranks()
{
	expected=$1 n=$2
	shift 2
	printf '+ %s -n %s mpi_transport %s\n' "$MPIRUN" "$n" "$*"
	# shellcheck disable=SC2086 # MPIRUN may have options
	timeout -k 10 "$seconds" $MPIRUN -n "$n" "$program" "$@" >"$tmp/output" 2>&1
	status=$?
	tries=100
	while [ $status -ne 124 ] && [ $status -ne 137 ] && [ -n "$(left)" ]; do
		tries=$((tries - 1))
		# shellcheck disable=SC2046 # a line of their numbers
		[ $tries -gt 0 ] || fail "mpi_transport $* of $n ranks: still running:" $(left)
		sleep 0.1
	done
	case $status in
	0 | 124 | 137) ended=$status ;;
	*) if [ "$expected" = bad ]; then ended=bad; else ended=$status; fi ;;
	esac
	[ "$ended" = "$expected" ] || {
		cat "$tmp/output"
		fail "mpi_transport $* of $n ranks ended with $status"
	}
}

# windows N: a tenth of them in a short run, and so on
windows() { echo $((1 + $1 * ${PENSTOCK_TEST_LONG:-1} / ${PENSTOCK_TEST_SHORT:-1})); }

# one rank: with mpirun, and as a program like any other
must "$program" alone
ranks 0 1 alone
for function in MPI_Init_thread MPI_Comm_dup MPI_Allreduce MPI_Allgather; do
	must "$program" failed $function
	ranks 0 2 failed $function
done
for level in single funneled; do must "$program" level $level; done

for case in hosts cancel longer given_up again beside begun refused faults memory; do ranks 0 2 "$case"; done
for n in 3 4; do
	for case in hosts cancel longer given_up again beside begun memory; do ranks 0 "$n" "$case"; done
done
for n in 2 3; do ranks 7 "$n" abort 7; done
ranks bad 2 failed none

# every token of every window, in order: sizes of the applications, with 1 to 4 windows on their way
ranks 0 2 stream ring fixed 4 "$(windows 100000)" 16
ranks 0 2 stream ring fixed 76800 "$(windows 10000)" 16
ranks 0 2 stream ring fixed 1048576 "$(windows 100)" 16
for n in 3 4; do
	ranks 0 "$n" stream ring fixed 4 "$(windows 20000)" 16
	ranks 0 "$n" stream ring fixed 76800 "$(windows 1000)" 16
	ranks 0 "$n" stream ring fixed 1048576 "$(windows 50)" 16
done
# several streams between each two ranks, told one by one; partly filled windows; windows that move
for n in 2 3 4; do
	for shape in fixed short moving; do
		ranks 0 "$n" stream pairs "$shape" 1001 "$(windows 1000)" 1
		ranks 0 "$n" stream pairs "$shape" 40000 "$(windows 200)" 3
	done
	ranks 0 "$n" stream pairs fixed 0 "$(windows 1000)" 16
	ranks 0 "$n" stream pairs fixed 8 1 16
done
exit 0
