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
	grep -E -A 25 '(ERROR|WARNING): (Thread|Address|Leak|Undefined)|runtime error:' -- "$1" | head -n 80 |
		sed 's/^/    /' >&2
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

# refuse_to_write PATH: says why not and what mends it. A run as root leaves files that are root's in a tree that is
# not.
refuse_to_write()
{
	user=$(id -un 2>/dev/null) || user=$(id -u)
	owner=$(stat -c %U -- "$1" 2>/dev/null) || owner="another user"
	case $1 in "$root" | "$root"/*) target=$root ;; *) target=$1 ;; esac
	if [ "$(id -u)" -eq 0 ]; then
		die "cannot write $1, not even as root: its file system is read-only or root's rights end there;" \
			"take a clone elsewhere"
	elif [ -O "$1" ]; then
		die "cannot write $1: it is yours, but without the right to write; add that with:" \
			"chmod -R u+w '$target'"
	fi
	die "cannot write $1: it belongs to $owner, perhaps after a run as $owner; make it yours with:" \
		"sudo chown -R $user '$target'"
}

# must_write PATH: ends the script where it may not write a file, into a folder, or, of what is not there yet, where it
# will be.
must_write()
{
	path=$1
	while ! [ -e "$path" ]; do path=$(dirname -- "$path"); done
	[ -w "$path" ] || refuse_to_write "$path"
}

# must_write_tree PATH: the same with all that is below.
must_write_tree()
{
	must_write "$1"
	[ -e "$1" ] || return 0
	path=$(find "$1" ! -type l ! -writable -print -quit 2>/dev/null)
	[ -z "$path" ] || refuse_to_write "$path"
}

# must_write_build DIR: ends the script where it could not build in DIR, before it begins or installs anything: the
# errors of make do not say why, and those of configure come late.
must_write_build()
{
	case $1$root in
	*[[:space:]]*) die "$root has a space in its path, which make and libtool cannot take: move the clone" ;;
	esac
	must_write_tree "$1"
	must_write "$root/build/.lock"
	# what autoreconf makes, if it has to
	[ -f "$root/Makefile.in" ] && [ -x "$root/configure" ] &&
		[ -z "$(find "$root/configure.ac" "$root/Makefile.am" "$root"/*/*.am "$root/m4" \
			-newer "$root/Makefile.in" 2>/dev/null)" ] && return
	must_write "$root"
	for made in configure Makefile.in aclocal.m4 config.h.in autom4te.cache build-aux m4; do
		must_write_tree "$root/$made"
	done
}

# PoCL asks hwloc what machine this is, and hwloc looks into /sys, which is not mounted in a bare chroot: without it
# PoCL ends every program. It is told.
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
	printf '%s\n' "$*" \
		"CC=${CC-} CXX=${CXX-} CFLAGS=${CFLAGS-} LDFLAGS=${LDFLAGS-} PKG_CONFIG_PATH=${PKG_CONFIG_PATH-}"
	"$root/scripts/setup" --list "$packages_of" | tr ' ' '\n' | xargs dpkg-query -W 2>/dev/null || :
}

# configure_build DIR TASK ARGUMENT..: makes DIR a configured build tree for a task of scripts/setup; does nothing if it
# is one already.
configure_build()
{
	build=$1 task=$2
	shift 2
	mkdir -p -- "$build" "$root/build" || return 1
	(
		# two scripts may run at once; both would make the same files in the source tree
		if command -v flock >/dev/null; then flock 9; fi
		# what is only older than its source is made again by make
		if ! [ -x "$root/configure" ] || ! [ -f "$root/Makefile.in" ] ||
			! [ -f "$root/build-aux/install-sh" ]; then
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
	# not bash, which it would look for: dash takes half as long for libtool's script, hundreds of times
	(cd -- "$build" && CONFIG_SHELL=/bin/sh "$root/configure" "$@") >"$build/configure.log" 2>&1 || {
		show_tail "$build/configure.log"
		say "configure failed; all of its output is in $build/configure.log" >&2
		return 1
	}
	mv -- "$build/configuration.now" "$build/configuration"
}

# street_clip FOLDER: sets `clip` to the street clip of Debian's package opencv-doc, which is fetched into the folder if
# need be. Fails where it cannot be had. The package unpacks to 270 MB and some systems install no files of
# documentation, so only the clip is taken out of it.
street_clip()
{
	clip=/usr/share/doc/opencv-doc/examples/data/vtest.avi
	[ ! -s "$clip" ] || return 0
	clip=$1/vtest.avi
	[ ! -s "$clip" ] || return 0
	command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
	say "fetching Debian's package opencv-doc (about 95 MB) for its street clip"
	rm -rf -- "$1" && mkdir -p -- "$1" || return 1
	(
		cd -- "$1" || exit 1
		apt-get -q download opencv-doc || { find_root && apt update && apt-get -q download opencv-doc; } ||
			exit 1
		dpkg-deb --fsys-tarfile opencv-doc_*.deb |
			tar -x --wildcards --strip-components=7 '*/data/vtest.avi*' || exit 1
		if [ -f vtest.avi.gz ]; then gunzip vtest.avi.gz || exit 1; fi
		[ -s vtest.avi ] && rm -f opencv-doc_*.deb
	) >"$1.log" 2>&1 && return
	show_tail "$1.log" 3
	rm -rf -- "$1"
	return 1
}
