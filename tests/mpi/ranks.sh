# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the scripts of tests/mpi share, behind check.sh: a program that several processes of mpirun run.

[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer complains of MPI libraries themselves"
[ -n "${MPIRUN-}" ] || skip "there is no mpirun: apt-get install mpich"
seconds=$((${PENSTOCK_TEST_GUARD:-600} * ${PENSTOCK_TEST_LONG:-1}))

# What still runs of $program.
left() { find /proc/[0-9]*/exe -lname "${program:?}" 2>/dev/null | cut -d/ -f3; }

# ranks STATUS N ARGUMENT..: N processes run $program, and end with this status, or one of these (bad: any but 0, as
# the launcher has it where each rank fails by itself); then none of them is left. One that hangs is ended, and with it
# all that the launcher has started. What they have said is in $tmp/output.
ranks()
{
	expected=$1 n=$2
	shift 2
	printf '+ %s -n %s %s %s\n' "$MPIRUN" "$n" "${program##*/}" "$*"
	# shellcheck disable=SC2086 # MPIRUN may have options
	timeout -k 10 "$seconds" $MPIRUN -n "$n" "${program:?}" "$@" >"${tmp:?}/output" 2>&1
	status=$?
	tries=100
	while [ $status -ne 124 ] && [ $status -ne 137 ] && [ -n "$(left)" ]; do
		tries=$((tries - 1))
		# shellcheck disable=SC2046 # a line of their numbers
		[ $tries -gt 0 ] || fail "${program##*/} $* of $n ranks: still running:" $(left)
		sleep 0.1
	done
	case $status in
	0 | 124 | 137) ended=$status ;;
	*) if [ "$expected" = bad ]; then ended=bad; else ended=$status; fi ;;
	esac
	case " $expected " in
	*" $ended "*) ;;
	*)
		cat "$tmp/output"
		fail "${program##*/} $* of $n ranks ended with $status"
		;;
	esac
}

# windows N: a tenth of them in a short run, and so on
windows() { echo $((1 + $1 * ${PENSTOCK_TEST_LONG:-1} / ${PENSTOCK_TEST_SHORT:-1})); }
