#!/bin/sh
# SPDX-License-Identifier: MIT
# penstock run over several processes: what is refused, in which words and by which rank, and that the examples give
# what one process gives. No process is left behind.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer complains of MPI libraries themselves"
[ -x "$top_builddir/apps/penstock/penstock" ] || skip "this build is without the command"
[ -f "$top_builddir/apps/penstock/.libs/check_plugin.so" ] || skip "this build is without Check"
[ -f "$top_builddir/libpenstock-mpi.la" ] || skip "this build is without MPI"
builds shared || skip "the command loads a shared library"
[ -n "${MPIRUN-}" ] || skip "there is no mpirun: apt-get install mpich"
scratch hosts
seconds=$((${PENSTOCK_TEST_GUARD:-600} * ${PENSTOCK_TEST_LONG:-1}))
PENSTOCK_PLUGINS=$top_builddir/actors/.libs:$top_builddir/apps/penstock/.libs/check_plugin.so
PENSTOCK_MPI=$top_builddir/.libs/libpenstock-mpi.so
export PENSTOCK_PLUGINS PENSTOCK_MPI
unset PENSTOCK_TEAM PMI_RANK PMI_SIZE
# what libtool's script would start, without the script
penstock=$top_builddir/apps/penstock/.libs/penstock
LD_LIBRARY_PATH=$top_builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
examples=$top_srcdir/examples
cd "$tmp" || exit 1

# What still runs of a command of this script's, which works in this folder.
left()
{
	find /proc/[0-9]*/cwd -maxdepth 0 -lname "$tmp" 2>/dev/null | while read -r link; do
		case $(readlink "${link%cwd}exe" 2>/dev/null) in
		"$top_builddir/apps/penstock/"*) basename "${link%/cwd}" ;;
		esac
	done
}

show()
{
	cat out err
	fail "$*"
}

await_none()
{
	tries=100
	while [ -n "$(left)" ]; do
		tries=$((tries - 1))
		# shellcheck disable=SC2046 # a line of their numbers
		[ $tries -gt 0 ] || show "still running:" $(left)
		sleep 0.1
	done
}

# run_with STATUS|any COMMAND..: its stdout is in the file out, its stderr in err. Then no process is left.
run_with()
{
	expected=$1
	shift
	printf '+ %s\n' "$*"
	# shellcheck disable=SC2094 # nothing reads them here
	timeout -k 10 "$seconds" "$@" >out 2>err
	status=$?
	await_none
	[ "$expected" = any ] || [ $status -eq "$expected" ] ||
		show "$* ended with $status instead of $expected"
	[ $status -ne 0 ] || [ "$expected" = 0 ] || show "$* ended with 0"
}

# ranks STATUS N COMMAND ARGUMENT..: N processes of a command of penstock
ranks()
{
	expected=$1 n=$2
	shift 2
	# shellcheck disable=SC2086 # MPIRUN may have options
	run_with "$expected" $MPIRUN -n "$n" "$penstock" "$@"
}

# pair STATUS WORDS-OF-0 -- WORDS-OF-1: rank 0 and rank 1 with arguments, and variables, of their own
pair()
{
	expected=$1 first=
	shift
	while [ "$1" != -- ]; do
		first="$first $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # words
	run_with "$expected" $MPIRUN -n 1 env $first : -n 1 env "$@"
}

# says COUNT TEXT: so many lines of stderr have it
says()
{
	found=$(grep -cF -e "$2" err)
	[ "$found" -eq "$1" ] || show "'$2' stands in $found lines instead of $1"
}

# shellcheck disable=SC2016 # the graph's own
chain='parameters: {rate: 4, tokens: 1000}
actors:
  source: {type: count, tokens: $tokens}
  middle: {type: repeat, times: 1}
  sink: {type: expect}
fifos:
  - {from: source.out, to: middle.in, rate: $rate}
  - {from: middle.out, to: sink.in}
'
hosts='machine: {hosts: {c0: {cores: 2, devices: {g0: {}}}, c1: {cores: 1}}, links: [{between: [c0, c1], kind: net}]}
'
printf '%s' "$chain" >one.yaml
printf '%s%smapping: {sink: c1}\n' "$chain" "$hosts" >two.yaml
printf '%s%s' "$chain" "$hosts" >first.yaml
printf '%s%smapping: {sink: c9}\n' "$chain" "$hosts" >wrong.yaml

# one process: without a launcher, or as the only one of it
run_with 2 "$penstock" run two.yaml
says 1 'penstock: the machine has 2 hosts (c0, c1): start it with: mpirun -n 2 penstock run two.yaml'
cp two.yaml "it's two.yaml"
run_with 2 "$penstock" run --team 0 "it's two.yaml" --device sink=c1 --host c1
says 1 "hosts (c0, c1): start it with: mpirun -n 2 penstock run --team 0 --device sink=c1 'it'\\''s two.yaml'"
run_with 2 "$penstock" run -e 'count tokens=8 ! expect' --host=c0
says 1 'penstock: --host c0: there is no machine: machine: {hosts: ..} in the graph, or --machine FILE, says which'
ranks 2 1 run two.yaml
says 1 'start it with: mpirun -n 2 penstock run two.yaml'
run_with 0 "$penstock" run first.yaml
run_with 2 "$penstock" run first.yaml --host c1
says 1 'penstock: the machine has 2 hosts (c0, c1): start it with: mpirun -n 2 penstock run first.yaml'
printf 'machine: {hosts: {h: {}}}\n' >h.yaml
printf 'machine: {hosts: {c0: {}, c1: {}, c2: {}}, links: [%s, %s]}\n' '{between: [c0, c1], kind: net}' \
	'{between: [c1, c2], kind: net}' >three.yaml
run_with 0 "$penstock" run one.yaml --machine h.yaml --host h
run_with 2 "$penstock" run one.yaml --machine h.yaml --host k
says 1 "penstock: --host k: the machine has no place 'k': it has h"
ranks 0 1 run one.yaml

# several processes: hosts and processes do not fit together. One of them says so
ranks 2 3 run two.yaml
says 1 'has 2 hosts (c0, c1), but 3 processes were started: start it with: mpirun -n 2 penstock run two.yaml'
ranks 2 2 run one.yaml
says 1 'penstock: one.yaml has no machine, so each of the 2 processes would run all of it'
says 1 'or start one process: penstock run one.yaml'
ranks 2 2 run one.yaml --machine h.yaml
says 1 'the machine has 1 host (h), but 2 processes were started: start it with: penstock run --machine h.yaml one.yaml'
ranks 2 2 run two.yaml --host c9
says 1 "penstock: --host c9: the machine has no place 'c9'; did you mean 'c0'? It has c0, c0/g0, c1"
ranks 2 2 run two.yaml --host c0/g0
says 1 'penstock: --host c0/g0: it is a device'
ranks 2 2 run two.yaml --host c1
says 1 "penstock: ranks 0 and 1 are both host 'c1', and each host has one process"
ranks 2 2 run wrong.yaml
says 1 "wrong.yaml:10:17: error: 'sink': the machine has no place 'c9'"
ranks 2 2 run --no-such-option two.yaml
says 1 "penstock run: unrecognized option '--no-such-option'"
ranks 2 2 run no-such-file.yaml
says 1 'no-such-file.yaml: No such file or directory'

# a rank has something of its own to say, and its name in front
pair 2 "$penstock" run two.yaml -- "$penstock" run wrong.yaml
says 1 "rank 1 ($(hostname)): wrong.yaml:10:17: error: 'sink': the machine has no place 'c9'"
pair 2 "$penstock" run wrong.yaml -- "$penstock" run two.yaml
says 1 "wrong.yaml:10:17: error: 'sink': the machine has no place 'c9'"
says 0 'rank 1'
pair 2 "$penstock" run two.yaml -- "$penstock" run two.yaml --host c9
says 1 "): penstock: --host c9: the machine has no place 'c9'"
pair 2 "$penstock" run two.yaml -- "$penstock" run --no-such-option two.yaml
says 1 "): penstock run: unrecognized option '--no-such-option'"
pair 2 "$penstock" run --no-such-option two.yaml -- "$penstock" run two.yaml
says 1 "penstock run: unrecognized option '--no-such-option'"

# libpenstock-mpi is missing, everywhere or on one rank, which ends the others, too
ranks 2 1 run two.yaml
for place in $top_builddir/no-such-file.so /dev/null; do
	pair 2 "PENSTOCK_MPI=$place" "$penstock" run two.yaml -- "$penstock" run two.yaml
	says 1 'penstock: rank 0 ('
	says 1 'a run over several processes needs libpenstock-mpi: '
	says 1 'PENSTOCK_MPI names that file'
	pair 2 "$penstock" run two.yaml -- "PENSTOCK_MPI=$place" "$penstock" run two.yaml
	says 1 'penstock: rank 1 ('
done
pair 2 "PENSTOCK_MPI=$top_builddir/.libs/libpenstock.so" "$penstock" run two.yaml -- "$penstock" run two.yaml
says 1 'it is no libpenstock-mpi: '
# the variables of another mpirun: each process takes itself for the only one
run_with 2 env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$penstock" run two.yaml
says 1 'penstock: 2 processes were started, but libpenstock-mpi finds one only: it was built with another MPI'
run_with 2 env OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 "$penstock" run two.yaml
says 0 penstock
# other commands need no MPI, nor the other hosts
run_with 0 "$penstock" check two.yaml
says 1 'penstock: warning: two.yaml: its actors are at several hosts: checked as it is without a plan'
grep -q 'proven' out || show "no verdict"
run_with 0 "$penstock" graph two.yaml
says 1 'penstock: warning: two.yaml: its actors are at several hosts: drawn as it is without a plan'
for command in check plan graph; do
	pair 0 PENSTOCK_MPI=/dev/null "$penstock" $command first.yaml -- \
		PENSTOCK_MPI=/dev/null "$penstock" $command first.yaml
done
ranks 0 2 run --help

# stdin is rank 0's. The video's frames are in order on the other host
video='actors:
  source: {type: video_source, input: "-", size: 4x4, frames: 3}
  sink: {type: video_sink, output: o.gray}
fifos: [{from: source.out, to: sink.map}]
machine: {hosts: {c0: {}, c1: {}}, links: [{between: [c0, c1], kind: net}]}
'
printf '%smapping: {sink: c1}\n' "$video" >stdin.yaml
printf '%smapping: {source: c1}\n' "$video" >no-stdin.yaml
ranks 2 2 run no-stdin.yaml
says 1 "rank 1 (c1): penstock: 'source' reads stdin, but it is at 'c1', rank 1, and mpirun gives stdin to rank 0"
printf '0123456789abcdefABCDEFGHIJKLMNOPponmlkjihgfedcba' >in.gray
{
	printf 'YUV4MPEG2 W4 H4 F25:1 Cmono\n'
	for frame in 0123456789abcdef ABCDEFGHIJKLMNOP ponmlkjihgfedcba; do printf 'FRAME\n%s' $frame; done
} >in.y4m
ranks 0 2 run stdin.yaml <in.y4m
cmp in.gray o.gray || show "o.gray"

# runs. Rank 0 prints for all
ranks 0 2 run two.yaml
says 1 "network '"
says 1 ' tokens in '
ranks 0 3 run one.yaml --machine three.yaml --device sink=c2 --stats stats.json --latency --explain
says 1 ' tokens in '
[ "$(find . -name 'stats.json*' | wc -l)" -eq 1 ] || show "statistics"
# what crossed each link: 250 windows of 4 tokens of 4 bytes
for link in '"from":"c0","to":"c1"' '"from":"c1","to":"c2"'; do
	tr -d ' \n' <stats.json | grep -q "$link,\"fifo\":\"middle.out->sink.in\",\"windows\":250,\"bytes\":4000," ||
		show "no $link in $(cat stats.json)"
done
pair 0 "$penstock" run two.yaml --host c1 -- "$penstock" run two.yaml --host c0
says 1 ' tokens in '
# all at the other host
ranks 0 2 run first.yaml --device source=c1 --device middle=c1 --device sink=c1
says 1 ' tokens in '

# errors of one rank: while it runs, at its start. They are said once, and all end with the same status
sed 's/times: 1/times: 2/' two.yaml >bad.yaml
ranks 1 2 run bad.yaml
says 1 'c1: '
says 1 'came at'
pair 1 "$penstock" run two.yaml -- "$penstock" run two.yaml --set rate=8
says 1 'the ranks have built different networks'
# of the library nothing differs
pair 1 "$penstock" run two.yaml -- "$penstock" run two.yaml --set tokens=7
source="[actor 'source': {type: count, tokens:"
says 1 "rank 0 (c0) has $source 1000}], rank 1 (c1) has $source 7}]"
# ranks that do different things; one process of a graph over hosts
pair 2 "$penstock" run two.yaml -- "$penstock" machine
says 1 "penstock: rank 0 runs 'penstock run' and rank 1 'penstock machine': start the same command in each process"
pair 2 "$penstock" machine --measure --bytes 4096 -- "$penstock" machine
says 1 "rank 0 runs 'penstock machine --measure' and rank 1 'penstock machine'"
run_with 2 "$penstock" bench two.yaml
says 1 'two.yaml: its actors are at several hosts, and this runs it in one process: map them to places of one host'
run_with 2 "$penstock" plan two.yaml --measure
says 1 'its actors are at several hosts, and this runs it in one process'
# what the library says before the run counts, too: by one rank, by both
pair 0 "$penstock" run two.yaml -- env PENSTOCK_TEAM=x "$penstock" run two.yaml
says 1 "rank 1 (c1): penstock: warning: network: PENSTOCK_TEAM='x' is ignored"
PENSTOCK_TEAM=x ranks 0 2 run two.yaml
says 1 "PENSTOCK_TEAM='x' is ignored"
says 0 'rank 1'
# an actor that ends its process; a trace that the environment asks for
sed 's/type: expect/type: leave/' two.yaml >leave.yaml
ranks any 2 run leave.yaml
says 1 'penstock: rank 1 (c1): the process ends by exit() before its run has'
PENSTOCK_TRACE=trace.json ranks 0 2 run two.yaml
[ "$(echo trace.json*)" = trace.json ] || show "trace: $(echo trace.json*)"
sed 's/"-"/in.y4m/;s/o.gray/\/dev\/full/' stdin.yaml >full.yaml
ranks 1 2 run full.yaml
says 1 'No space left on device'
ranks 1 2 run two.yaml --stats no-such-folder/stats.json
says 1 'no-such-folder/stats.json: No such file or directory'

# begin COMMAND ARGUMENT..: two processes, which have begun their run
begin()
{
	printf '+ %s\n' "$*"
	# shellcheck disable=SC2086 # MPIRUN may have options
	env --default-signal=INT timeout --foreground -k 10 "$seconds" $MPIRUN -n 2 "$penstock" "$@" >out 2>err &
	launcher=$!
	until grep -q "^network '" err; do
		kill -0 $launcher 2>/dev/null || show "it has ended"
		sleep 0.1
	done
	sleep 1 # the table is written before the start
}

# ended STATUS: as run_with
ended()
{
	wait $launcher
	status=$?
	await_none
	[ "$1" != launcher ] || return 0
	[ "$1" = any ] || [ $status -eq "$1" ] || show "it ended with $status instead of $1"
	[ $status -ne 0 ] || show "it ended with 0"
}

# signals: to all, as from a terminal; to one; stopped for a while; killed
sed 's/tokens: 1000/tokens: 0/' two.yaml >endless.yaml
begin run endless.yaml
kill -INT $launcher
# mpirun of MPICH 4.0 ends with 0 at times, though its processes end with 130
ended launcher
says 1 'penstock: interrupted'
begin run endless.yaml
kill -INT "$(left | tail -n 1)"
ended 130
begin run endless.yaml
stopped=$(left | tail -n 1)
kill -STOP "$stopped"
sleep 1
kill -CONT "$stopped"
kill -TERM "$stopped"
ended 130
begin run endless.yaml
kill -KILL "$(left | tail -n 1)"
ended any
# one that is silent for long is lost, and ended: mpirun would wait for it
begin run endless.yaml
kill -STOP "$(left | tail -n 1)"
ended any
says 1 ': nothing has come from there for 4 s'

# the line of progress has sinks of other hosts, too. mpirun's stderr is no terminal: rank 0 gets one of its own
if command -v script >/dev/null; then
	printf '%s%smapping: {middle: c1, sink: c1}\n' "$chain" "$hosts" | sed 's/tokens: 1000/tokens: 0/' >far.yaml
	: >line
	# shellcheck disable=SC2086 # MPIRUN may have options
	env --default-signal=INT timeout --foreground -k 10 "$seconds" $MPIRUN \
		-n 1 script -qfec "exec '$penstock' run far.yaml" line : -n 1 "$penstock" run far.yaml >out 2>err &
	launcher=$!
	until grep -q 'sink.in: [1-9][0-9]* tokens' line; do
		kill -0 $launcher 2>/dev/null || show "it has ended"
		sleep 0.1
	done
	kill -INT "$(left | tail -n 1)"
	ended any
fi

# A network that runs is asked at rank 0, which does not know where an actor of another host is that may come here.
# ask STATUS WORD..: the answer is in the file answer
ask()
{
	expected=$1
	shift
	timeout "$seconds" "$penstock" ctl socket "$@" >answer 2>&1
	status=$?
	[ $status -eq "$expected" ] || show "ctl $*: $status instead of $expected: $(cat answer)"
}
answers()
{
	grep -qF -e "$1" answer || show "ctl: no '$1' in: $(cat answer)"
}
await_answer() # TEXT ORDER
{
	until grep -qF -e "$1" answer; do
		kill -0 $launcher 2>/dev/null || show "it has ended without '$1'"
		sleep 0.1
		ask 0 "$2"
	done
}
sed 's/^  gauss: .*/  gauss: {type: gauss5x5, may_move: c0}/; s/^  median: .*/  median: {type: median5, may_move: c1}/
	s/^mapping: .*/mapping: {gauss: c1, stays: c1}/
	s/median.out, to: sink/median.out, to: stays.in}\n  - {from: stays.out, to: sink/
	s/^  sink: /  stays: {type: median5, may_move: c1}\n&/' "$examples/moving.yaml" >asked.yaml
printf '%s' "$hosts" >>asked.yaml
begin run asked.yaml --control socket --set size=64x48
ask 0 places
answers 'gauss: of c1, which alone knows where it is: cores, c0'
answers 'median: at cores; else c1'
[ "$(wc -l <answer)" -eq 2 ] || show "places: $(cat answer)"
ask 0 move gauss c0
await_answer 'move 0: gauss from cores to c0: done, at firing ' moves
ask 0 move median c1
await_answer 'median: at c1; else cores' places
ask 1 evacuate c1
answers 'move 2: median to cores: asked'
answers "'gauss' is of c1, which alone knows where it is: move it by its name"
await_answer 'median: at cores; else c1' places
ask 1 evacuate c0
answers 'move 3: median to c1: asked'
answers "'gauss' is of c1, which alone knows where it is: move it by its name"
await_answer 'median: at c1; else cores' places
ask 0 evacuate cores
answers 'no actor that may move is at cores'
ask 0 move gauss c1 at 1
await_answer 'move 4: gauss from c0 to cores: done, at firing ' moves
ask 1 move stays c1
answers "'stays' (median5): it runs on another host, and has no place but there: only that host's process moves it"
ask 1 move gauss c2
answers "'gauss' (gauss5x5): it can't move to 'c2', which is none of its places"
ask 0 stop
wait $launcher || show "a stopped run ended with $?"
await_none
says 1 'sink.map: '

# the applications, cut in two: as one process does it, to the byte. Three hosts: the one in the middle, which has no
# actor, passes on what goes there and back
both='machine: {hosts: {c0: {}, c1: {}}, links: [{between: [c0, c1], kind: net}]}'
printf '%s\nmapping: {gauss: c0, thres: c1, med: c1, sink: c1}\n' "$both" >motion-hosts.yaml
printf '%s\nmapping: {window: c0, fft: c0, gabor: c1, ifft: c1, interactions: c1, normalize: c1, sum: c0}\n' \
	"$both" >saliency-hosts.yaml
for application in motion saliency; do
	sed '1d;s/: c1/: c2/g' $application-hosts.yaml | cat three.yaml - >$application-chain.yaml
done
for application in motion saliency; do
	[ $application = motion ] || [ -f "$top_builddir/actors/.libs/saliency.so" ] || continue
	run_with 0 "$penstock" run "$examples/$application.yaml" --set size=64x48 --set frames=6 --set output=one.gray
	ranks 0 2 run "$examples/$application.yaml" --machine $application-hosts.yaml \
		--set size=64x48 --set frames=6 --set output=two.gray
	cmp one.gray two.gray || show "$application over two hosts"
	says 0 warning
	ranks 0 3 run "$examples/$application.yaml" --machine $application-chain.yaml --stats chain.json \
		--set size=64x48 --set frames=6 --set output=three.gray
	cmp one.gray three.gray || show "$application over a host in between"
	[ "$(grep -c '"from": "c1"' chain.json)" -gt 0 ] || show "$application: nothing went over c1"
	grep -q '"to": "c1"' chain.json || show "$application: nothing went to c1"
	rm one.gray two.gray three.gray chain.json
done

# an actor that goes to the other host, and back
run_with 0 "$penstock" run "$examples/motion.yaml" --set size=64x48 --set frames=20 --set output=one.gray
ranks 0 2 run "$examples/motion.yaml" --machine motion-hosts.yaml --move gauss@3=c1 --move gauss@9=c0 \
	--move gauss@12=c1 --set size=64x48 --set frames=20 --set output=two.gray
cmp one.gray two.gray || show "gauss moves between two hosts"
says 0 warning
long=$(printf '%064d' 0)
sed "s/\\bc1\\b/$long/g" motion-hosts.yaml >long-hosts.yaml
ranks 1 2 run "$examples/motion.yaml" --machine long-hosts.yaml --move "gauss@3=$long"
says 1 "names of places have 63 bytes at most"

# the same by the file alone; with an actor of the other host, which --move lets come here, and one that stays there
sed 's/^  gauss: *{/&may_move: [c1, c0], /; s/^  thres: *{/&may_move: c1, /' "$examples/motion.yaml" >moving.yaml
moved='moves: [{actor: gauss, at: 3, to: c1}, {actor: thres, at: 2, to: c1}, {actor: gauss, at: 9, to: c0}'
printf '%s, {actor: gauss, at: 12, to: c1}]\n' "$moved" >>moving.yaml
ranks 0 2 run moving.yaml --machine motion-hosts.yaml --explain --stats moves.json \
	--set size=64x48 --set frames=20 --set output=two.gray
cmp one.gray two.gray || show "gauss moves as the file says"
says 0 warning
[ "$(grep -c '"state": "done"' moves.json)" -eq 3 ] || show "moves: $(cat moves.json)"
ranks 0 2 run moving.yaml --machine motion-hosts.yaml --move thres@5=c0 --move gauss@15=c0 --stats moves.json \
	--set size=64x48 --set frames=20 --set output=two.gray
cmp one.gray two.gray || show "gauss and thres move as the file and the command say"
[ "$(grep -c '"state": "done"' moves.json)" -eq 6 ] || show "moves: $(cat moves.json)"
# no actor of rank 0's own host may move
sed 's/^  thres: *{/&may_move: c0, /' "$examples/motion.yaml" >far.yaml
ranks 0 2 run far.yaml --machine motion-hosts.yaml --stats moves.json --set size=64x48 --set frames=20
grep -q '"moves": \[\]' moves.json || show "no moves: $(cat moves.json)"
printf 'moves: [{actor: thres, at: 2, to: c0}]\n' >>far.yaml
ranks 0 2 run far.yaml --machine motion-hosts.yaml --stats moves.json --report report.json \
	--set size=64x48 --set frames=20
for file in moves.json report.json; do
	[ "$(grep -c '"state": "done"' $file)" -eq 1 ] || show "moves of another host's actor: $(cat $file)"
done
# what can't be, with its place in the file
run_with 2 "$penstock" run moving.yaml --machine motion-hosts.yaml --device thres=c0 --device med=c0 --device sink=c0
says 1 "moving.yaml:15:23: error: 'gauss': it can't move to 'c1': that is another host than the one that it is at, and "
run_with 0 "$penstock" plan moving.yaml --machine motion-hosts.yaml
sed 's/^  source: *{/&may_move: c1, /' "$examples/motion.yaml" >stays.yaml
ranks 2 2 run stays.yaml --machine motion-hosts.yaml
says 1 "'source': it can't move to 'c1': that is another host than the one that it is at, to which only types go "
sed "s/^  gauss: *{/&may_move: $long, /" "$examples/motion.yaml" >long.yaml
ranks 2 2 run long.yaml --machine long-hosts.yaml
says 1 "long.yaml:15:22: error: 'gauss' (gauss5x5): it can't move to '"

# the same in C
# shellcheck disable=SC2086 # MPIRUN may have options
run_with 0 $MPIRUN -n 2 "$top_builddir/doc/examples/hosts"
seq 10 | cmp - out || show "doc/examples/hosts.c"

# the machine of all hosts
ranks 0 2 machine --name node
for line in '"node0":' '"node1":' "  address: \"$(hostname)\""; do
	grep -qxF "    $line" out || show "no line '$line'"
done
grep -q '^    - between: \["node0", "node1"\]$' out || show "no link"
ranks 0 3 machine --measure --bytes 4096 --output m.yaml
[ ! -s out ] || show "stdout"
[ "$(grep -c '^      kind: net$' m.yaml)" -eq 3 ] || show "links"
[ "$(grep -c 'at_once: 6, there: ' m.yaml)" -ge 3 ] || show "rates"
run_with 0 "$penstock" plan one.yaml --machine m.yaml --device sink=c2
ranks 2 2 machine --name a/b
says 1 "penstock: --name: 'a/b' is no name of a host"
exit 0
