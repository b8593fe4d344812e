#!/bin/sh
# SPDX-License-Identifier: MIT
# The random and fault suites at length, and the large models: make campaign [HOURS=n] [PENSTOCK_TEST_SEED=s]
#
# It runs one suite after the other, each with the next seeds, and for a quarter of the time the next search of
# tests/models/run.sh large. After HOURS (1) it begins no other run. In every other round a team of one size runs all
# random networks (PENSTOCK_TEAM), in the rest each as its seed draws it. tests/campaign in the build folder has the
# state: however the campaign was stopped, the next call goes on where it was. It prints for each failure the one
# command that replays it, and goes on; its status is 1 then.
#
# make gives SUITES, and MODELS, the path of run.sh (empty: no models). RUNS=n ends after n runs.
set -u
me=campaign

die()
{
	printf '%s: %s\n' "$me" "$*" >&2
	exit 2
}

: "${HOURS:=1}" "${RUNS:=}" "${MODELS:=}" "${SUITES:?run me with make campaign}" "${PENSTOCK_TEST_LONG:=1}"
case $HOURS in *[!0-9.]* | *.*.* | .) die "HOURS=$HOURS: it is a number of hours, such as 8 or 0.5" ;; esac
case ${PENSTOCK_TEST_SEED-} in *[!0-9]*) die "PENSTOCK_TEST_SEED=$PENSTOCK_TEST_SEED: it is a number" ;; esac
build=$PWD folder=tests/campaign
cold=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)/cold.sh || exit 2
mkdir -p -- "$folder/models" || die "cannot make $build/$folder"
exec 9>"$folder/lock"
! command -v flock >/dev/null || flock -n 9 || die "another campaign runs in $build"

# what is replayed must be what failed: the environment of the runs is what a command says and nothing else
first=${PENSTOCK_TEST_SEED-}
export PENSTOCK_TEST_LONG
unset PENSTOCK_TEST_SEED PENSTOCK_TEAM PENSTOCK_TEST_TEAM PENSTOCK_TEST_HUNG

# -- the state ---------------------------------------------------------------------------------------------------------

# The file `state` is read by the shell. `covered` has a line a suite: name, runs, rounds, first and last seed, failed,
# skipped. `failures` has the commands.
seed='' round=1 next=1 model=1 seconds=0 model_seconds=0 identity=''

save()
{
	cat >"$folder/state.new" <<END
seed=$seed round=$round next=$next model=$model seconds=$seconds model_seconds=$model_seconds identity=$identity
END
	mv -- "$folder/state.new" "$folder/state"
}

# shellcheck disable=SC2086 # a list of words
is=$(cat -- $SUITES ${MODELS:+"$(dirname -- "$MODELS")"/*} | cksum | tr ' ' -)
if [ -f "$folder/state" ]; then
	# shellcheck source=/dev/null
	. "./$folder/state"
	[ -z "$first" ] || [ "$first" = "$seed" ] ||
		die "the campaign in $build/$folder began with seed $seed; to begin another: rm -r $build/$folder"
	echo "$me: goes on in round $round"
	if [ "$identity" != "$is" ]; then
		echo "$me: the suites have changed since: what was covered counts no more, the seeds go on"
		rm -f -- "$folder/covered" "$folder/failures"
		model=1
	fi
else
	seed=${first:-1}
fi
identity=$is
touch "$folder/covered" "$folder/failures"
[ -z "$MODELS" ] || sh "$MODELS" list large >"$folder/models.list" || die "$MODELS has no list"
[ -n "$MODELS" ] || : >"$folder/models.list"
models=$(wc -l <"$folder/models.list")

# cover NAME ROUNDS FIRST LAST FAILED SKIPPED: adds a run.
cover()
{
	awk -v name="$1" -v rounds="$2" -v first="$3" -v last="$4" -v failed="$5" -v skipped="$6" '
		function add()
		{
			if (rounds > 0 && ($3 == 0 || first < $4)) $4 = first
			if (rounds > 0 && ($3 == 0 || last > $5)) $5 = last
			$2++; $3 += rounds; $6 += failed; $7 += skipped
			found = 1
		}
		BEGIN { OFMT = CONVFMT = "%.0f" }
		$1 == name { add() }
		{ print }
		END { if (!found) { $0 = name " 0 0 0 0 0 0"; add(); print } }' \
		"$folder/covered" >"$folder/covered.new" &&
		mv -- "$folder/covered.new" "$folder/covered"
}

# -- runs --------------------------------------------------------------------------------------------------------------

child=
# Ends what runs. The state is as before that run, which will be repeated.
stopped()
{
	trap - HUP INT TERM
	exec >&3 # a run's output is its log's
	[ -z "$child" ] || { kill -TERM "$child" && wait "$child"; } 2>/dev/null
	echo "$me: stopped"
	tell
	exit 130
}
exec 3>&1
trap stopped HUP INT TERM

# In the background: a shell takes no signal while a command in its foreground runs.
run()
{
	"$@" 3>&- 9>&- &
	child=$!
	wait "$child"
	status=$?
	child=
	return $status
}

# The same for words of the shell, with all that they start: timeout makes a group of that, and ends it as a whole.
run_words()
{
	if command -v timeout >/dev/null; then run timeout 0 sh -c "$1"; else run sh -c "$1"; fi
}

quote() { printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")"; }

# failed WHAT LOG COMMAND
failed()
{
	log=$folder/failed-$((round)).$(basename -- "$1" | tr -c 'A-Za-z0-9_\n' -).log
	cp -- "$2" "$log"
	printf '\n%s: FAILED: %s; its output is in %s\n' "$me" "$1" "$build/$log"
	grep -E ':[FE]:|^FAILED' "$log" | head -n 5 | sed 's/^/    /'
	printf '%s: replay it with:\n%s\n\n' "$me" "$3"
	printf '%s\n' "$3" >>"$folder/failures"
}

# command_of VARIABLE=VALUE..: writes the command that replays the run of a suite. It runs only the case and the network
# that the message names if that fails by itself with the same network in its message, and the next network does not.
command_of()
{
	line=$(grep -m 1 -E '^[^ :]*:[0-9]+:[FE]:' "$folder/log")
	name=$(printf '%s\n' "$line" | sed -n 's/^[^:]*:[0-9]*:[FE]:\([^:]*\):.*/\1/p')
	network=$(sed -n 's/.*PENSTOCK_TEST_SEED=\([0-9]*\).*/\1/p' "$folder/log" | head -n 1)
	there="cd $(quote "$build") &&" of_case=${name:+" CK_RUN_CASE=$(quote "$name")"}
	short=${PENSTOCK_TEST_SHORT:+" PENSTOCK_TEST_SHORT=$PENSTOCK_TEST_SHORT"}
	echo "$there $* PENSTOCK_TEST_LONG=$PENSTOCK_TEST_LONG$short$of_case $suite" >"$folder/command"
	[ -n "$network" ] || return
	shift
	rest="${*:+ $*} PENSTOCK_TEST_SHORT=1000000000$of_case $suite"
	run_words "$there PENSTOCK_TEST_SEED=$network$rest" >"$folder/replayed" 2>&1 && return
	grep -v '^first seed:' "$folder/replayed" | grep -qE "PENSTOCK_TEST_SEED=$network([^0-9]|\$)" || return
	run_words "$there PENSTOCK_TEST_SEED=$((network + 1))$rest" >/dev/null 2>&1 || return
	echo "$there PENSTOCK_TEST_SEED=$network$rest" >"$folder/command"
}

# run_suite NAME
run_suite()
{
	suite=$1
	set -- "PENSTOCK_TEST_SEED=$((seed + round * 1000000))"
	[ $((round % 2)) -eq 1 ] || set -- "$@" "PENSTOCK_TEAM=$((round / 2 % 8 + 1))"
	rm -f -- "$folder/rounds"
	run env "$@" PENSTOCK_TEST_COVERED="$build/$folder/rounds" sh "$cold" "$suite" >"$folder/log" 2>&1
	status=$? bad=0 skip=0
	[ -f "$folder/rounds" ] || : >"$folder/rounds"
	case $status in
	0) ;;
	77) skip=1 ;;
	*)
		bad=1
		command_of "$@"
		failed "$suite" "$folder/log" "$(cat -- "$folder/command")"
		;;
	esac
	# shellcheck disable=SC2046 # three words
	set -- $(awk 'NR == 1 || $2 < first { first = $2 } NR == 1 || $3 > last { last = $3 } { n += $1 }
		END { printf "%.0f %.0f %.0f\n", n, first, last }' "$folder/rounds")
	cover "$suite" "$@" $bad $skip
}

run_model()
{
	line=$(sed -n "${model}p" "$folder/models.list")
	command="cd $(quote "$build/$folder/models") && JOBS=1 sh $(quote "$MODELS") large $(quote "^$line\$")"
	if run_words "$command" >"$folder/log" 2>&1; then
		cover models 1 "$model" "$model" 0 0
	else
		cover models 1 "$model" "$model" 1 0
		failed "model $line" "$folder/log" "$command"
	fi
	model=$((model + 1))
}

tell()
{
	echo
	awk -v models="$models" \
		'BEGIN { printf "%-36s %6s %10s  %-25s %s\n", "suite", "runs", "networks", "seeds", "failed" }
		$1 == "models" { searched = $2; wrong = $6; next }
		{
			printf "%-36s %6d %10.0f  %-25s %d", $1, $2, $3, $3 ? sprintf("%.0f..%.0f", $4, $5) : "-", $6
			print $7 ? ", skipped " $7 : ""
			runs += $2; rounds += $3; bad += $6
		}
		END {
			printf "%-36s %6d %10.0f  %-25s %d\n", "all suites", runs, rounds, "", bad
			printf "%-36s %6d %10s  %-25s %d\n", "models", searched, "",
				models ? "searches, of " models : "there is no spin", wrong
		}' "$folder/covered"
	failures=$(wc -l <"$folder/failures")
	[ "$failures" -eq 0 ] || printf '\n%s: replay the %d that failed with:\n' "$me" "$failures"
	cat -- "$folder/failures"
	printf '\n%s: %d s in all, in round %d. make campaign goes on from here.\n' "$me" "$seconds" "$round"
}

# shellcheck disable=SC2086
set -- $SUITES
began=$(date +%s) runs=0
end=$(awk -v began="$began" -v hours="$HOURS" 'BEGIN { printf "%.0f", began + hours * 3600 }')
while :; do
	now=$(date +%s)
	[ "$now" -lt "$end" ] || break
	[ -z "$RUNS" ] || [ "$runs" -lt "$RUNS" ] || break
	if [ "$model" -le "$models" ] && [ $((4 * model_seconds)) -le "$seconds" ]; then
		run_model
		model_seconds=$((model_seconds + $(date +%s) - now))
	else
		[ "$next" -le $# ] || next=1 round=$((round + 1))
		eval "run_suite \"\${$next}\""
		next=$((next + 1))
	fi
	seconds=$((seconds + $(date +%s) - now)) runs=$((runs + 1))
	save
done
tell
[ ! -s "$folder/failures" ]
