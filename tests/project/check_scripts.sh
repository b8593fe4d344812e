#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/demo and its kin, scripts/check and scripts/bench, in a small tree with packages, a configure and a
# motion_detection of our own: what they refuse, what they leave alone, when they configure again.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
scratch scripts
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS
export TMPDIR="$tmp"

tree=$tmp/tree log=$tmp/log packages=$tmp/packages
mkdir -p "$tree/scripts" "$tree/build-aux" "$tmp/bin" "$tmp/clips" || exit 1
for script in common.sh setup check demo demo-mapping bench fuzz; do
	cp "$top_srcdir/scripts/$script" "$tree/scripts/$script" || exit 1
done
touch "$tree/Makefile.in" "$tree/build-aux/install-sh" "$packages" "$log"

# program FILE: a script, from stdin
program() { cat >"$1" && chmod +x "$1"; }

# every package is installed but those in the file `absent`; the versions are those in $packages, or 1
: >"$tmp/absent"
program "$tmp/bin/dpkg-query" <<END
#!/bin/sh
shift
case \$1 in -f=*)
	shift
	for package; do
		grep -qxF -e "\$package" '$tmp/absent' || printf '%s:installed ' "\$package"
	done
	exit
	;;
esac
for package; do
	echo "\$package \$(sed -n "s/^\$package //p" '$packages' | grep . || echo 1)"
done
END
program "$tmp/bin/apt-get" <<END
#!/bin/sh
echo "apt-get \$*" >>'$log'
exit 1
END
program "$tree/configure" <<END
#!/bin/sh
echo configure "\$@" >>'$log'
printf 'all:\n\techo made >>%s\n' '$log' >Makefile
cat '$tmp/checks' >>Makefile
printf 'apps/motion_detection/motion_detection:\n\tmkdir -p \$(@D) && cp %s \$@\n' '$tmp/program' >>Makefile
END
# scripts/check's part of the Makefile: one test, which hangs
cat >"$tmp/checks" <<'END'
build-tests build-quick-tests build-quick_address-tests:
check-TESTS:
	@mkdir -p tests && echo "$(TESTS) $$PENSTOCK_TEST_SHORT, suites: $(origin check_PROGRAMS)" >tests/ran
	@[ '$(TESTS)' = q.sh ] || echo 'slow: it hangs' >"$$PENSTOCK_TEST_HUNG"
	@for t in $(TESTS); do echo said >$$t.log && echo ":test-result: $${RESULT:-FAIL}" >$$t.trs || exit 1; done
list-all-tests:
	@echo t.sh
list-quick-tests list-quick_address-tests:
	@echo q.sh
END
# lists the devices in the file `devices`; else copies its input to each of its outputs, or ends with the status in the
# file `fails`. What it was given is in the file `arguments`.
program "$tmp/program" <<END
#!/bin/sh
if [ "\$1" = --devices ]; then
	[ -s '$tmp/devices' ] || { echo "no OpenCL device: install a driver" >&2; exit 3; }
	echo "selector    device    platform"
	exec cat '$tmp/devices'
fi
echo "\$*" >'$tmp/arguments'
[ ! -f '$tmp/fails' ] || exit "\$(cat '$tmp/fails')"
while [ \$# -gt 0 ]; do
	case \$1 in
	--input) input=\$2 ;;
	--output) cp -- "\$input" "\$2" || exit 1 ;;
	esac
	shift
done
END
echo 'pocl:cpu:0  pthread-some CPU  Portable Computing Language' >"$tmp/devices"
PATH=$tmp/bin:$PATH
cd -- "$tree" || exit 1

# ends STATUS TEXT COMMAND..: the command ends with this status and says this text.
ends()
{
	want=$1 text=$2
	shift 2
	run "$@" >"$tmp/output" 2>&1
	status=$?
	cat "$tmp/output"
	[ $status -eq "$want" ] || fail "$* ended with $status, not $want"
	grep -qF -e "$text" "$tmp/output" || fail "$* does not say: $text"
}

# An input that is one of the files that the demo writes is refused before anything is touched.
refuses()
{
	ends 2 "--input is a file that the demo writes; give another --output-dir" scripts/demo "$@"
	[ ! -s "$log" ] || fail "something was done before: $(cat "$log")"
	find demo other -type f -exec sh -c '[ "$(cat "$1")" = precious ] || echo "$1"' sh {} \; >"$tmp/changed"
	[ ! -s "$tmp/changed" ] || fail "changed: $(cat "$tmp/changed")"
	[ "$(find demo other -type f | wc -l)" -eq 3 ] || fail "a file is missing"
}
mkdir demo other
for file in demo/motion.mp4 other/motion.png other/motion.mp4; do
	echo precious >$file
done
ln -s demo/motion.mp4 link.avi
ln other/motion.png hard.png
refuses --input demo/motion.mp4
refuses --input=demo/../demo/motion.mp4
refuses --input link.avi
refuses --output-dir other --input other/motion.png
refuses --output-dir=other/ --input hard.png
refuses --output-dir "$tree/other" --input other/motion.mp4

# Wrong usage, before anything is done.
for script in demo demo-mapping check; do
	ends 2 "$script: unknown argument '--bogus'; see --help" scripts/$script --bogus
	ends 2 "$script: unknown argument '--bogus'; see --help" scripts/$script --bogus=1
	ends 2 "$script: unknown argument 'word'; see --help" scripts/$script word
	ends 2 "$script: --jobs needs a value; see --help" scripts/$script --jobs
	ends 2 "$script: --jobs is a number" scripts/$script --jobs=0
	ends 0 "Usage: scripts/$script" scripts/$script --help
	# each option that --help names is one that it knows
	for option in $(scripts/$script --help | grep -o -e '--[a-z][a-z-]*' | sort -u); do
		scripts/$script "$option" 1 --wrong >"$tmp/output" 2>&1
		! grep -F "'$option'; see" "$tmp/output" || fail "scripts/$script does not know $option"
	done
done
ends 2 "check: --team is a number" scripts/check --team x
ends 2 "check: --tests is all, threads, library, network or core" scripts/check --tests some
ends 2 "demo: --rate does not take 'x'" scripts/demo --rate x
ends 2 "demo: --device-depth does not take '-1'" scripts/demo --device-depth -1
ends 2 "demo: --input needs a name" scripts/demo --input=
ends 2 "demo: --device needs a device" scripts/demo --device=
ends 2 "demo: cannot read 'none.avi'" scripts/demo --input none.avi
ends 2 "demo-mapping: cannot read 'none.avi'" scripts/demo-mapping --input none.avi
[ ! -s "$log" ] || fail "something was done before: $(cat "$log")"

# A run, with a folder of the same names beside; the outputs are the program's.
echo clip >"$tmp/clips/motion.mp4"
demo()
{
	ends 0 "a contact sheet of it:        $tree/out/motion.png" \
		scripts/demo --input "$tmp/clips/motion.mp4" --output-dir "$tree/out"
	[ "$(cat out/motion.mp4 out/motion.png "$tmp/clips/motion.mp4")" = "$(printf 'clip\nclip\nclip')" ] ||
		fail "the outputs are not the program's"
}
configured()
{
	times=$(grep -c configure "$log")
	[ "$times" -eq "$1" ] || fail "configured $times times, not $1"
}
demo
configured 1
demo
configured 1
echo "check 2" >"$packages" # what only the tests need
demo
configured 1
echo "libpng-dev 2" >>"$packages"
demo
configured 2
ends 0 "configuring" env CFLAGS=-O1 scripts/demo --input "$tmp/clips/motion.mp4" --output-dir "$tree/out"
configured 3
case $(scripts/setup --list demo) in *pocl-opencl-icd*) ;; *) fail "the demo's packages have no OpenCL driver" ;; esac
case $(scripts/setup --list check) in *' spin'*) ;; *) fail "the tests' packages have no model checker" ;; esac
! grep apt-get "$log" || fail "installed what is there"

# The least that a build and its tests need; what that leaves out of the other is told, each package.
scripts/setup --list minimal | tr ' ' '\n' | sort >"$tmp/least"
scripts/setup --list check | tr ' ' '\n' | sort >"$tmp/whole"
[ "$(comm -23 "$tmp/least" "$tmp/whole")" = '' ] || fail "minimal has what check has not"
scripts/setup minimal >"$tmp/output" || fail "scripts/setup minimal: $?"
[ ! -s "$tmp/output" ] || fail "nothing is left out: $(cat "$tmp/output")"
comm -13 "$tmp/least" "$tmp/whole" >"$tmp/absent"
[ "$(wc -l <"$tmp/absent")" -ge 10 ] || fail "minimal is not much less: $(cat "$tmp/absent")"
ends 0 "setup: the library, its actors and their tests need no more." scripts/setup minimal
while read -r package; do
	sed 's/^  .*: //' "$tmp/output" | tr ' ' '\n' | grep -qxF -e "$package" ||
		fail "setup minimal does not tell that it leaves out $package"
done <"$tmp/absent"
grep -vx spin "$tmp/absent" >"$tmp/least" && echo spin >"$tmp/absent"
ends 0 "  the models of the protocols: spin" scripts/setup minimal
! grep libpng "$tmp/output" || fail "setup minimal tells of what is there"
! grep apt-get "$log" || fail "installed what is left out"
ends 1 "setup: installing spin" scripts/setup check
: >"$tmp/absent"

# scripts/check builds with all optional parts or with none, each in a tree of its own.
: >"$log"
must scripts/check --minimal --build-only
[ -f build/check-minimal/Makefile ] || fail "there is no build/check-minimal"
for part in ffmpeg libpng jansson kissfft clfft fftw libxml2 libyaml hwloc mpi; do
	grep -q "^configure .*--without-$part\>" "$log" || fail "--minimal has $part: $(cat "$log")"
done
! grep -e --with- "$log" | grep -v -e '--with-check' || fail "--minimal: $(cat "$log")"
: >"$log"
must scripts/check --build-only
grep -q "^configure .*--with-check --with-ffmpeg .*--with-libxml2 --with-libyaml --with-hwloc --with-mpi\>" "$log" ||
	fail "configured with $(cat "$log")"
! grep -e --without- "$log" || fail "something is left out"

# After a test that hangs none begins: it says so, and that is a failure. What an earlier run has left is none.
mkdir build/check/tests && echo "an old one hangs" >build/check/tests/hung
ends 1 "check: hung: slow: it hangs; no test has begun since" scripts/check
grep -qx '0 passed, 1 failed' "$tmp/output" || fail "a test that hangs is no failure"
ends 1 "1 passed, 1 failed" env RESULT=PASS scripts/check

# A share of the tests, with small parameters; it is counted as the whole is.
ends 0 "1 passed, 0 failed" env RESULT=PASS scripts/check --quick
[ "$(cat build/check/tests/ran)" = "q.sh 10, suites: command line" ] ||
	fail "--quick ran $(cat build/check/tests/ran)"
ends 1 "0 passed, 1 failed" env RESULT=FAIL scripts/check --quick
# Under a sanitizer its suites are built, and nothing else.
: >"$log"
ends 0 "1 passed, 0 failed" env RESULT=PASS scripts/check --sanitizer address --quick
! grep -x made "$log" || fail "--sanitizer address --quick builds all"
grep -qx 'q.sh 10, suites: command line' build/check-address/tests/ran || fail "$(cat build/check-address/tests/ran)"
ends 2 "check: --quick is a share of all tests: leave out --tests core" scripts/check --quick --tests core

# Which device it takes: a GPU, else PoCL, else the only one; it says which, and the program gets it. The rate is 4.
# runs_on TEXT ARGUMENTS OPTION..
runs_on()
{
	text=$1 arguments=$2
	shift 2
	ends 0 "$text" scripts/demo --input "$tmp/clips/motion.mp4" --output-dir out "$@"
	grep -qF -e " $arguments --overlay " "$tmp/arguments" || fail "the program was given: $(cat "$tmp/arguments")"
}
runs_on "running on the OpenCL device pocl:cpu:0, pthread-some CPU" "--device pocl:cpu:0 --rate 4"
cat >"$tmp/devices" <<END
some:cpu:0    Some CPU    Some Platform
pocl:cpu:0    pthread     Portable Computing Language
other:gpu:0   Large One   Other Platform
other:gpu:1   Larger One  Other Platform
END
runs_on "running on the OpenCL device other:gpu:0, Large One" "--device other:gpu:0 --rate 4"
runs_on "running on the OpenCL device other:gpu:1, Larger One" "--device other:gpu:1 --rate 8" \
	--device other:gpu:1 --rate 8 --device-depth 4
grep -qF -e " --device-depth 4" "$tmp/arguments" || fail "--device-depth is not passed on"
runs_on "running on the cores, without OpenCL" "--device cores --rate 4" --device cores
runs_on "running on the OpenCL device gpu,cores,a b" "--device gpu,cores,a b --rate 4" --device "gpu,cores,a b"
sed -i /gpu/d "$tmp/devices"
runs_on "running on the OpenCL device pocl:cpu:0, pthread" "--device pocl:cpu:0 --rate 4"
sed -i /pocl/d "$tmp/devices"
runs_on "running on the OpenCL device some:cpu:0, Some CPU" "--device some:cpu:0 --rate 4"

# It never chooses the cores by itself, and nothing is left that looks like a result.
lacks_device()
{
	rm -f "$tmp/arguments" && rm -rf out
	ends 3 "$1" scripts/demo --input "$tmp/clips/motion.mp4" --output-dir out
	grep -qF "'--device cores' runs on the cores" "$tmp/output" || fail "does not say how to run without a device"
	[ ! -f "$tmp/arguments" ] || fail "it ran: $(cat "$tmp/arguments")"
	[ "$(ls -A out)" = '' ] || fail "there is: $(ls -A out)"
}
echo 'some:cpu:1    Another CPU    Some Platform' >>"$tmp/devices"
lacks_device "Give one as --device"
grep -q '^some:cpu:1 ' "$tmp/output" || fail "the devices are not listed"
: >"$tmp/devices"
lacks_device "no OpenCL device: install a driver"
runs_on "running on the cores, without OpenCL" "--device cores,cores,cores --rate 4" --device cores,cores,cores
echo 'pocl:cpu:0  pthread-some CPU  Portable Computing Language' >"$tmp/devices"

# What an earlier run left does not pass for the one that failed.
echo 3 >"$tmp/fails"
ends 3 "motion_detection ended with status 3" scripts/demo --input "$tmp/clips/motion.mp4" --output-dir out
[ "$(ls -A out)" = '' ] || fail "old outputs are still there: $(ls -A out)"
echo 0 >"$tmp/fails"
ends 1 "is missing or empty" scripts/demo --input "$tmp/clips/motion.mp4" --output-dir out

# The benchmarks: configured, built, run with the options that were given; what cannot be run is refused before.
mkdir benchmarks
program benchmarks/run <<END
#!/bin/sh
echo "run \$*" >>'$log'
case "\$*" in *--bad*) echo "usage: no" >&2; exit 2 ;; *--help) exit 0 ;; esac
[ ! -f '$tmp/fails' ] || exit "\$(cat '$tmp/fails')"
echo figures >build/bench/report.html
END
rm -f "$tmp/fails"
: >"$log"
ends 0 "the report is $tree/build/bench/report.html" scripts/bench --quick --only team
grep -q '^configure' "$log" || fail "nothing was configured"
grep -q '^made' "$log" || fail "nothing was built"
grep -q -- "^run --build $tree/build/bench .*report.html --quick --only team\$" "$log" || fail "it ran: $(cat "$log")"
echo 130 >"$tmp/fails"
ends 130 "building" scripts/bench
[ ! -f build/bench/report.html ] || fail "the old report is still there"
if command -v python3 >/dev/null; then
	: >"$log"
	ends 2 "usage: no" scripts/bench --bad
	! grep -q '^made' "$log" || fail "it was built"
fi
ends 0 "Usage: scripts/bench" scripts/bench --help
case $(scripts/setup --list bench) in *' libtbb-dev'*) ;; *) fail "the benchmarks' packages have no oneTBB" ;; esac

# A path with a space stops each script before it installs anything.
cp -R "$tree" "$tmp/a tree"
for script in demo demo-mapping check bench fuzz; do
	: >"$log"
	ends 1 "$script: $tmp/a tree has a space in its path" "$tmp/a tree/scripts/$script"
	! grep -v -e '--help$' "$log" || fail "something was done before: $(cat "$log")"
done

# What may not be written in the tree stops each script before it does anything, with the reason and the fix. Root may
# write everything, so it becomes another user.
as_user=''
if [ "$(id -u)" -eq 0 ]; then
	as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
	touch "$tmp/arguments" && chmod a+w "$log" "$tmp/arguments"
	chown -R 65534:65534 "$tree"
fi
# stops SCRIPT PATH REASON: the script says that it cannot write this path of the tree
stops()
{
	: >"$log"
	# shellcheck disable=SC2086 # a command and its options
	ends 1 "$1: cannot write $tree/$2: $3" $as_user scripts/$1
	! grep -v -e '--help$' "$log" || fail "something was done before: $(cat "$log")"
}
mine="it is yours, but without the right to write; add that with: chmod -R u+w '$tree'"
# shellcheck disable=SC2086 # a command and its options
if $as_user test -w "$tree/scripts/demo"; then
	rm -rf build/demo build/bench build/.lock && chmod a-w build
	stops demo build "$mine"
	stops check build "$mine"
	stops bench build "$mine"
	chmod u+w build
	mkdir -p build/demo/apps/deep
	[ -z "$as_user" ] || chown -R 65534 build
	for folder in demo build/demo/apps/deep; do
		chmod a-w $folder
		stops demo $folder "$mine"
		chmod u+w $folder
	done
	# what autoreconf writes, but only where it has to
	touch aclocal.m4 configure.ac Makefile.in && chmod a-w aclocal.m4
	[ -z "$as_user" ] || chown 65534 aclocal.m4 configure.ac Makefile.in
	rm -f "$tmp/fails"
	ends 0 "a contact sheet of it" $as_user scripts/demo --input "$tmp/clips/motion.mp4" --output-dir out
	touch -d '2001-01-01' Makefile.in
	stops demo aclocal.m4 "$mine"
	chmod u+w aclocal.m4 && touch Makefile.in
	if [ -n "$as_user" ]; then
		roots="it belongs to root, perhaps after a run as root; make it yours with:"
		roots="$roots sudo chown -R nobody '$tree'"
		chown 0 build/demo/apps && stops demo build/demo/apps "$roots" && chown 65534 build/demo/apps
		chown 0 build/demo && chmod 700 build/demo && stops demo build/demo "$roots"
		chmod 755 build/demo && chown -R 65534 build
		chown 0 demo && stops demo demo "$roots"
	fi
else
	echo "not tested: as another user, who does not reach $tree"
fi
[ -z "$as_user" ] || chown -R 0:0 "$tree"
# root itself, where the file system is read-only
if [ -n "$as_user" ] &&
	unshare --mount sh -c "mount --bind '$tree' '$tree' && mount -o remount,ro,bind '$tree'" 2>/dev/null; then
	# shellcheck disable=SC2016 # a script's own
	unshare --mount sh -c \
		'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec scripts/demo' \
		"$tree" >"$tmp/output" 2>&1
	[ $? -eq 1 ] || fail "it runs on a read-only file system"
	grep -qF "demo: cannot write $tree/build/demo, not even as root" "$tmp/output" || fail "$(cat "$tmp/output")"
else
	echo "not tested: a read-only file system"
fi
exit 0
