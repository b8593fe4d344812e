#!/bin/sh
# SPDX-License-Identifier: MIT
# Networks over the processes of an mpirun: random ones against the oracle, on the cores and on devices of the fake
# driver, an actor that moves, and streams of which each token is checked. MPICH also over two network namespaces, where
# that is allowed.
# check_mpi_random.sh long (make check-mpi-long): a thousand networks, and streams of a million windows.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
case ${1-} in
long)
	small=1000000 middle=1000000 large=10000 ways='0 3 7 11 14'
	export PENSTOCK_TEST_LONG="${PENSTOCK_TEST_LONG:-20}"
	;;
*) small=10000 middle=1000 large=50 ways='3 11' ;;
esac
# shellcheck source=tests/mpi/ranks.sh
. "$srcdir/tests/mpi/ranks.sh"
folder=$top_builddir/tests/mpi
[ -x "$folder/mpi_random" ] || skip "this build is without MPI or without Check"
scratch mpi-random

# What rank 0 says, which knows of all.
told() { grep -E '^[a-z]+, rank 0 of|^rank 0 of|^[0-9]+ bytes:' "$tmp/output" | cut -d, -f1-4; }

program=$folder/mpi_random
for n in 2 3 4; do
	ranks 0 "$n"
	told
done
program=$folder/mpi_random_fake
if [ -x "$program" ]; then
	# copies, maps, memory that both share, two devices, parts of one
	for way in $ways; do ranks 0 $((2 + way % 2)) "$way"; done
fi

# an actor that moves between all hosts
program=$folder/mpi_moves
for n in 2 3; do
	ranks 0 "$n" $((small / 5))
	grep -E ' moves were asked for' "$tmp/output"
done

program=$folder/mpi_windows
stream()
{
	ranks 0 2 "$@"
	told
}
stream 4 $small 16
stream 76800 $middle 4
stream 1048576 $large 2

# spaces PROGRAM ARGUMENT..: two hosts on one machine; namespaces.sh has no other launcher. Where both ranks have passed
# but MPI_Finalize() of MPICH 4.0.2 over TCP has hung, the guard has ended them: that is no failure of ours, and no test
# that hangs, after which scripts/check begins no other.
spaces()
{
	printf '+ namespaces.sh %s\n' "${1##*/}"
	PENSTOCK_TEST_GUARD=${PENSTOCK_TEST_GUARD:-60} PENSTOCK_TEST_LONG=2 PENSTOCK_TEST_HUNG='' \
		"$top_srcdir/benchmarks/namespaces.sh" -t "$seconds" "$@" >"$tmp/output" 2>&1
	status=$?
	if [ $status -ne 0 ] && [ "$(grep -c '^rank [01]: passed$' "$tmp/output")" -eq 2 ]; then
		echo "both ranks passed; MPI did not end: $(tail -n 1 "$tmp/output")"
		status=0
	fi
	case $status in
	0) told ;;
	77) cat "$tmp/output" ;;
	*)
		cat "$tmp/output"
		fail "$* over two namespaces ended with $status"
		;;
	esac
}
case $MPIRUN in
*mpich* | *hydra*)
	spaces "$folder/mpi_random"
	[ "${1-}" = long ] || exit 0
	[ ! -x "$folder/mpi_random_fake" ] || spaces "$folder/mpi_random_fake" 3
	spaces "$folder/mpi_windows" 76800 1000 4
	;;
esac
exit 0
