#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a program as two ranks of MPI in two network namespaces: two hosts on one machine, with a link that is shaped to
# a rate. Needs root with CAP_NET_ADMIN, iproute2 and MPICH; else it says so, and ends with status 77.
#
#	benchmarks/namespaces.sh [-r BYTES_PER_SECOND] [-t SECONDS] PROGRAM [OPTION]..
#
# -r: 100000000. -t: after so many seconds it is ended; 300.
set -u
rate=100000000 limit=300
usage='usage: benchmarks/namespaces.sh [-r BYTES_PER_SECOND] [-t SECONDS] PROGRAM [OPTION]..'

while getopts r:t: option; do
	case $option in
	r) rate=$OPTARG ;;
	t) limit=$OPTARG ;;
	*)
		echo "$usage" >&2
		exit 2
		;;
	esac
	case $OPTARG in
	'' | 0* | *[!0-9]*)
		echo "namespaces: -$option: '$OPTARG' is no number" >&2
		exit 2
		;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || {
	echo "$usage" >&2
	exit 2
}

skip()
{
	echo "namespaces: skipped: $*"
	exit 77
}

for tool in ip tc unshare timeout; do
	command -v $tool >/dev/null || skip "there is no $tool"
done
mpirun=
for name in mpirun.mpich mpiexec.mpich mpiexec.hydra; do
	[ -n "$mpirun" ] || mpirun=$(command -v $name)
done
[ -n "$mpirun" ] || skip 'there is no mpirun of MPICH'

a=penstock-$$-a b=penstock-$$-b tmp=$(mktemp -d)
# shellcheck disable=SC2317 # by the trap
clean()
{
	for space in $a $b; do # a job that hangs leaves processes of the launcher
		for process in $(ip netns pids "$space" 2>/dev/null); do kill -KILL "$process" 2>/dev/null; done
		ip netns del "$space" 2>/dev/null
	done
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

ip netns add $a 2>"$tmp/why" || skip "no network namespaces: $(cat "$tmp/why")"
must()
{
	"$@" 2>"$tmp/why" || skip "$*: $(cat "$tmp/why")"
}
must ip netns add $b
must ip -n $a link add e0 type veth peer name e0 netns $b
must ip -n $a addr add 10.99.0.1/24 dev e0
must ip -n $b addr add 10.99.0.2/24 dev e0
for space in $a $b; do
	must ip -n "$space" link set lo up
	must ip -n "$space" link set e0 up
	must ip netns exec "$space" tc qdisc add dev e0 root tbf rate $((8 * rate))bit burst 256kb latency 50ms
done
# the carrier may come seconds late, and UCX takes no device without it
for _ in $(seq 100); do
	up=$({ ip -n $a -br link show e0 && ip -n $b -br link show e0; } | grep -c ' UP ')
	[ "$up" -lt 2 ] || break
	sleep 0.1
done

# the launcher names a host by its address, and leaves the rest to this
cat >"$tmp/agent" <<END
#!/bin/sh
case \$1 in
10.99.0.1) name=c0 space=$a ;;
*) name=c1 space=$b ;;
esac
shift
exec ip netns exec \$space unshare -u sh -c "hostname \$name; \$*"
END
chmod 755 "$tmp/agent"

export UCX_TLS=tcp,self UCX_NET_DEVICES=e0
ip netns exec $a unshare -u sh -c 'hostname c0; exec "$@"' sh timeout -k 5 "$limit" "$mpirun" -localhost 10.99.0.1 \
	-launcher rsh -launcher-exec "$tmp/agent" -hosts 10.99.0.1:1,10.99.0.2:1 -n 2 "$@" </dev/null &
wait $!
status=$?
[ $status -ne 124 ] || echo "namespaces: ended after $limit seconds" >&2
exit $status
