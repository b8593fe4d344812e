# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the scripts share; sourced by them. Each sets `me`, its name in messages, before.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 1

# shellcheck disable=SC2154 # me: see above
say() { printf '%s: %s\n' "$me" "$*"; }

die()
{
	printf '%s: %s\n' "$me" "$*" >&2
	exit 1
}

# The last lines of a log, indented, on stderr.
show_tail() { tail -n "${2:-25}" -- "$1" | sed 's/^/    /' >&2; }

# What a sanitizer has said in a log, indented, on stderr: the end of the log may be long behind it.
show_reports()
{
	grep -E -A 25 '(ERROR|WARNING): (Thread|Address|Leak|Undefined)|runtime error:' -- "$1" | head -n 80 | sed 's/^/    /' >&2
}

# What went wrong in a log of make, on stderr: several jobs write into it, so the end need not say.
show_errors()
{
	grep -E '(error|Error|\*\*\*|undefined reference|cannot find)[: ]' -- "$1" | head -n 25 | sed 's/^/    /' >&2
}

need_value() { [ "$2" -ge 2 ] || { printf '%s: %s needs a value; see --help\n' "$me" "$1" >&2; exit 2; }; }

usage_error()
{
	printf '%s: %s; see --help\n' "$me" "$*" >&2
	exit 2
}

# PoCL asks hwloc what machine this is, and hwloc looks into /sys, which is not mounted in a bare chroot: without it PoCL ends
# every program. It is told.
describe_machine()
{
	if [ -n "${HWLOC_SYNTHETIC-}" ] || [ -d /sys/devices/system/cpu ]; then return; fi
	memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
	HWLOC_SYNTHETIC="numa:1(memory=${memory:-2048}MB) core:$(cores) pu:1"
	export HWLOC_SYNTHETIC
	say "/sys is not mounted here: OpenCL's driver for the CPU is told $HWLOC_SYNTHETIC"
}

cores() { nproc 2>/dev/null || echo 1; }

# Sets as_root to what a command must be put behind to run as root; fails where there is no way to.
find_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		as_root='env'
	elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
		as_root="sudo -n env"
	elif command -v sudo >/dev/null && [ -t 0 ] && [ -t 2 ]; then
		as_root="sudo env"
	else
		return 1
	fi
}

# After find_root.
apt() { $as_root DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 "$@"; }

# configuration TASK ARGUMENT..: what was configured with what: the arguments, and the packages of this task of
# scripts/setup that the system has now. When it differs from the last time (a library was installed since), the build
# is configured again.
configuration()
{
	packages_of=$1
	shift
	printf '%s\n' "$*" "CC=${CC-} CXX=${CXX-} CFLAGS=${CFLAGS-} LDFLAGS=${LDFLAGS-} PKG_CONFIG_PATH=${PKG_CONFIG_PATH-}"
	"$root/scripts/setup" --list "$packages_of" | tr ' ' '\n' | xargs dpkg-query -W 2>/dev/null || :
}

# configure_build DIR TASK ARGUMENT..: makes DIR a configured build tree for a task of scripts/setup; does nothing if it is
# one already.
configure_build()
{
	build=$1 task=$2
	shift 2
	mkdir -p -- "$build" "$root/build" || return 1
	(
		# two scripts may run at once; both would make the same files in the source tree
		if command -v flock >/dev/null; then flock 9; fi
		# what is only older than its source is made again by make
		if ! [ -x "$root/configure" ] || ! [ -f "$root/Makefile.in" ] || ! [ -f "$root/build-aux/install-sh" ]; then
			say "making configure"
			(cd -- "$root" && autoreconf -fi) >"$build/autoreconf.log" 2>&1 || {
				show_tail "$build/autoreconf.log"
				die "autoreconf failed; all of its output is in $build/autoreconf.log"
			}
		fi
	) 9>"$root/build/.lock" || return 1
	configuration "$task" "$@" >"$build/configuration.now"
	if [ -f "$build/Makefile" ] && cmp -s "$build/configuration.now" "$build/configuration"; then
		return 0
	fi
	say "configuring $build"
	rm -f -- "$build/configuration"
	(cd -- "$build" && "$root/configure" "$@") >"$build/configure.log" 2>&1 || {
		show_tail "$build/configure.log"
		say "configure failed; all of its output is in $build/configure.log" >&2
		return 1
	}
	mv -- "$build/configuration.now" "$build/configuration"
}
