#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/project/campaign.sh, with suites and models of our own: which seeds it runs, that it goes on where it stopped,
# what it says it covered, that the command it prints for a failure replays that; and with a suite of the project's.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
scratch campaign
unset HOURS RUNS MODELS PENSTOCK_TEST_SEED PENSTOCK_TEST_LONG PENSTOCK_TEST_SHORT PENSTOCK_TEST_HUNG PENSTOCK_TEAM
script=$top_srcdir/tests/project/campaign.sh real=$top_builddir/tests/schedule/check_thread_wait
[ ! -x "$real" ] || cp -- "$real" "$tmp/real" || exit 1
export top_builddir="$tmp"
cd -- "$tmp" || exit 1

program() { cat >"$1" && chmod +x "$1"; }

# Each writes down what it was given. It covers ten networks, from its seed on. It fails if the network of the file
# `planted` is among them, in one case of two, and says which. With PENSTOCK_TEST_SHORT it has one network.
for suite in one two; do
	program $suite <<'END'
#!/bin/sh
echo "${0##*/} ${PENSTOCK_TEST_SEED-} ${PENSTOCK_TEAM-}" >>ran
[ ! -p "blocks-${0##*/}" ] || { echo begun >blocks-one; exec tail -f /dev/null; }
seed=${PENSTOCK_TEST_SEED:-1} count=10
[ -z "${PENSTOCK_TEST_SHORT-}" ] || count=1
bad=$(cat "planted-${0##*/}" 2>/dev/null || echo 0)
if [ "${CK_RUN_CASE:-a case}" = "a case" ] && [ "$bad" -ge "$seed" ] && [ "$bad" -lt $((seed + count)) ]; then
	echo "../suite.c:12:F:a case:a_test:0: PENSTOCK_TEST_SEED=$bad: it's wrong"
	echo "first seed: PENSTOCK_TEST_SEED=$seed"
	exit 1
fi
echo "$count $seed $((seed + count - 1))" >>"${PENSTOCK_TEST_COVERED:-/dev/null}"
END
done
mkdir models
program models/run.sh <<'END'
#!/bin/sh
if [ "$1" = list ]; then
	printf 'holds a\nstuck b -DN=1\n'
	exit
fi
echo "$2" >>../../../models-ran
case $2 in *b*) [ ! -f ../../../planted-model ] || { echo "FAILED, is holds: $2"; exit 1; } ;; esac
END

# campaign STATUS VARIABLE=VALUE..: what it says is in the file `said`.
campaign()
{
	want=$1
	shift
	run env SUITES="./one ./two" "$@" sh "$script" >said 2>&1
	status=$?
	cat said
	[ $status -eq "$want" ] || fail "it ended with $status, not $want"
}
says() { grep -qF -e "$1" said || fail "it does not say: $1"; }
row() { grep -qE "^$1 +$2\$" said || fail "it does not say that $1 has $2"; }
ran() { [ "$(tail -n 1 ran)" = "$1" ] || fail "ran $(tail -n 1 ran), not $1"; }

# what it refuses
campaign 2 HOURS=two
says "HOURS=two: it is a number of hours, such as 8 or 0.5"
campaign 2 PENSTOCK_TEST_SEED=x
says "PENSTOCK_TEST_SEED=x: it is a number"

# no time: nothing runs
campaign 0 HOURS=0
[ ! -f ran ] || fail "it ran $(cat ran)"
row "all suites" "0 +0 +0"
row models "0 +there is no spin +0"

# each suite in turn, then the next seeds; in the second round by a team. Another call goes on.
campaign 0 RUNS=3
printf 'one 1000001 \ntwo 1000001 \none 2000001 2\n' | cmp - ran || fail "ran $(cat ran)"
row ./one "2 +20 +1000001..2000010 +0"
row ./two "1 +10 +1000001..1000010 +0"
row "all suites" "3 +30 +0"
campaign 0 RUNS=1
says "goes on in round 2"
ran "two 2000001 2"
row "all suites" "4 +40 +0"

# stopped while a suite runs: it says what it covered until then, and runs that again. The suite ends, too.
mkfifo blocks-one || exit 1
SUITES="./one ./two" sh "$script" >said 2>&1 &
pid=$!
read -r word <blocks-one
[ "$word" = begun ] || fail "the suite says $word"
kill -TERM $pid
wait $pid
[ $? -eq 130 ] || fail "stopped, it ended with something else than 130: $(cat said)"
rm blocks-one
says "campaign: stopped"
ran "one 3000001 "
row "all suites" "4 +40 +0"
campaign 0 RUNS=1
ran "one 3000001 "
row ./one "3 +30 +1000001..3000010 +0"

# other seeds are another campaign
campaign 2 PENSTOCK_TEST_SEED=7
says "began with seed 1; to begin another: rm -r $tmp/tests/campaign"

# A planted fault: the command runs the network that fails, alone; without the fault it passes. The campaign goes on.
echo 3000005 >planted-two
campaign 1 RUNS=2
says "FAILED: ./two"
says "    ../suite.c:12:F:a case:a_test:0: PENSTOCK_TEST_SEED=3000005: it's wrong"
row ./two "3 +20 +1000001..2000010 +1"
row ./one "4 +40 +1000001..4000010 +0"
command=$(grep -A 1 'replay it with:' said | tail -n 1)
[ "$command" = "cd '$tmp' && PENSTOCK_TEST_SEED=3000005 PENSTOCK_TEST_SHORT=1000000000 CK_RUN_CASE='a case' ./two" ] ||
	fail "the command is $command"
replays() { (cd / && sh -c "$command") >replayed 2>&1; }
! replays || fail "the command does not replay it"
grep -qF "PENSTOCK_TEST_SEED=3000005: it's wrong" replayed || fail "the command does something else: $(cat replayed)"
rm planted-two
replays || fail "the command fails without the fault: $(cat replayed)"
campaign 1 HOURS=0
says "replay the 1 that failed with:"
says "$command"

# A suite that fails in the network that it names only after others: its whole run, with the team that it had. The same
# where the network alone fails for another reason, or any network does.
for alone in "exit 0" "echo some other; echo first seed: PENSTOCK_TEST_SEED=4000003; exit 1" \
	"echo PENSTOCK_TEST_SEED=\$PENSTOCK_TEST_SEED: too few; exit 1"; do
	sed -i 's/next=[0-9]*/next=2/; s/round=[0-9]*/round=4/' tests/campaign/state
	program two <<END
#!/bin/sh
echo "\${0##*/} \${PENSTOCK_TEST_SEED-} \${PENSTOCK_TEAM-}" >>ran
if [ -n "\${PENSTOCK_TEST_SHORT-}" ]; then
	$alone
fi
[ "\$PENSTOCK_TEST_SEED \$PENSTOCK_TEAM" != "4000001 3" ] || { echo "PENSTOCK_TEST_SEED=4000003 hangs" && exit 1; }
END
	campaign 1 RUNS=1
	says "the suites have changed since: what was covered counts no more, the seeds go on"
	row "all suites" "1 +0 +1"
	command=$(grep -A 1 'replay it with:' said | tail -n 1)
	[ "$command" = "cd '$tmp' && PENSTOCK_TEST_SEED=4000001 PENSTOCK_TEAM=3 PENSTOCK_TEST_LONG=1 ./two" ] ||
		fail "the command is $command"
	! replays || fail "the command does not replay it"
done

# models: each search once, not more than a quarter of the time
touch planted-model
: >models-ran
while [ "$(wc -l <models-ran)" -lt 2 ]; do
	run env SUITES="./one ./two" RUNS=1 MODELS="$tmp/models/run.sh" sh "$script" >said 2>&1
	status=$?
done
cat said
[ $status -eq 1 ] || fail "a model that is wrong is no failure: $status"
printf '^holds a$\n^stuck b -DN=1$\n' | cmp - models-ran || fail "searched $(cat models-ran)"
row models "2 +searches, of 2 +1"
command=$(grep -A 1 'replay it with:' said | tail -n 1)
! replays || fail "the command does not replay the model: $command"
rm planted-model
replays || fail "the command fails without the fault: $(cat replayed)"

# one of the project's: its rounds are counted
[ -x real ] || exit 0 # built without Check
rm -r tests/campaign
campaign 0 SUITES=./real RUNS=1 PENSTOCK_TEST_SEED=70 PENSTOCK_TEST_SHORT=100
grep -qE '^\./real +1 +[1-9][0-9]* +1000070\.\.[0-9]+ +0$' said || fail "it did not count what the suite ran"
