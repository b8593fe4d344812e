#!/bin/sh
# SPDX-License-Identifier: MIT
# The transport over MPI, by the cases of tests/mpi/mpi_transport.c: 2 to 4 ranks on this machine.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
# shellcheck source=tests/mpi/ranks.sh
. "$srcdir/tests/mpi/ranks.sh"
program=$top_builddir/tests/mpi/mpi_transport
[ -x "$program" ] || skip "this build is without MPI"
scratch mpi

# one rank: with mpirun, and as a program like any other
must "$program" alone
ranks 0 1 alone
for function in MPI_Init_thread MPI_Comm_dup MPI_Allreduce MPI_Allgather; do
	must "$program" failed $function
	ranks 0 2 failed $function
done
for level in single funneled; do must "$program" level $level; done

for case in hosts cancel longer given_up again beside begun refused faults memory; do ranks 0 2 "$case"; done
for case in hosts cancel longer given_up again beside begun memory; do ranks 0 3 "$case"; done
for case in hosts given_up; do ranks 0 4 "$case"; done
# 9: the launcher has killed a rank before it heard how another one has ended; it says it all the same
for n in 2 3; do
	ranks '7 9' "$n" abort 7
	grep -q -e 'MPI_Abort(.*, 7)' -e 'errorcode 7' "$tmp/output" || fail "nothing says that a rank aborted with 7"
done
ranks bad 2 failed none

# every token of every window, in order: sizes of the applications, with 1 to 4 windows on their way
ranks 0 2 stream ring fixed 4 "$(windows 20000)" 16
ranks 0 2 stream ring fixed 76800 "$(windows 2000)" 16
ranks 0 2 stream ring fixed 1048576 "$(windows 100)" 16
for n in 3 4; do
	ranks 0 "$n" stream ring fixed 4 "$(windows 5000)" 16
	ranks 0 "$n" stream ring fixed 76800 "$(windows 500)" 16
	ranks 0 "$n" stream ring fixed 1048576 "$(windows 50)" 16
done
# several streams between each two ranks, told one by one; partly filled windows; windows that move
for n in 2 4; do
	for shape in fixed short moving; do
		ranks 0 "$n" stream pairs "$shape" 1001 "$(windows 1000)" 1
		ranks 0 "$n" stream pairs "$shape" 40000 "$(windows 200)" 3
	done
	ranks 0 "$n" stream pairs fixed 0 "$(windows 1000)" 16
	ranks 0 "$n" stream pairs fixed 8 1 16
done
exit 0
