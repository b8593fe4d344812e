#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernels under oclgrind, which interprets them and tells of accesses outside of a buffer and of data races:
# launched by hand (actors/common/check_cl_kernels and others), and by the library, which must not call it from two
# threads at once (PENSTOCK_SERIAL).
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
command -v oclgrind >/dev/null || skip "there is no oclgrind"
command -v oclgrind-kernel >/dev/null || skip "there is no oclgrind-kernel"
[ -z "${SANITIZER_FLAGS-}" ] || skip "oclgrind does not go together with a sanitizer"
with_opencl || skip "this configuration has no OpenCL"
scratch oclgrind
top=$(cd -- "$top_builddir" && pwd -P) || exit 1
motion=$top/apps/motion_detection/motion_detection
predistortion=$top/apps/predistortion/predistortion
cd -- "$tmp" || exit 1
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_LAYERS PENSTOCK_MEMORY PENSTOCK_WAIT

# under_oclgrind COMMAND..: fails if it does, or if oclgrind has something to say.
under_oclgrind()
{
	rm -f messages
	must oclgrind --data-races --log messages "$@"
	[ ! -s messages ] && return
	cat messages
	fail "oclgrind has found something"
}

# It finds what it is here for: item 4 of 4 writes behind the buffer, all items write the same place.
cat >bad.cl <<END
__kernel void behind(__global int *a) { a[get_global_id(0) + 1] = 1; }
__kernel void race(__global int *a) { a[0] = (int)get_global_id(0); }
END
printf 'bad.cl\nbehind\n4 1 1\n2 1 1\n<size=16 fill=0>\n' >behind.sim
printf 'bad.cl\nrace\n4 1 1\n2 1 1\n<size=16 fill=0>\n' >race.sim
oclgrind-kernel --data-races --log behind.log behind.sim
must grep -q 'Invalid write' behind.log
oclgrind-kernel --data-races --log race.log race.sim
must grep -q 'data race' race.log

CK_FORK=no CK_RUN_CASE=small
export CK_FORK CK_RUN_CASE
under_oclgrind "$top/actors/common/check_cl_kernels"
under_oclgrind "$top/actors/fir/check_fir_device"

device=$(oclgrind "$motion" --devices | sed -n 's/^\([^ ]*\) .*Oclgrind.*/\1/p')
[ -n "$device" ] || fail "the library does not see oclgrind's device"
PENSTOCK_SERIAL=1
export PENSTOCK_SERIAL
CK_RUN_CASE=devices
for actor in deinterleave fft fir_f32 interleave repeat resample skip; do
	under_oclgrind env PENSTOCK_TEST_SHORT=10 "$top/actors/$actor/check_$actor"
done
for rate in 1 3; do # 7 frames: the last window of 3 is partly filled; delay 1: with a remainder
	set -- --synthetic 48x36 --frames 7 --rate $rate
	must "$motion" "$@" --output expected.gray
	for memory in svm map copy; do
		PENSTOCK_MEMORY=$memory
		export PENSTOCK_MEMORY
		under_oclgrind "$motion" "$@" --device "$device" --output "$memory.gray"
		must cmp "$memory.gray" expected.gray
	done
done

# Predistortion: other branches in each period, a last window that is partly filled. The last bits need not be those of
# the cores, but the same wherever the memory is.
grep -q 'HAVE_KISSFFT 1' "$top/config.h" || exit 0 # there is no generated signal
for rate in 1 3; do
	for memory in svm map copy; do
		PENSTOCK_MEMORY=$memory
		export PENSTOCK_MEMORY
		under_oclgrind "$predistortion" --synthetic 320 --block 50 --rate $rate --period 150 --active random:1 \
			--device "$device" --output "$memory.cf32"
		must cmp "$memory.cf32" svm.cf32
	done
	[ "$(wc -c <svm.cf32)" -eq 2560 ] || fail "not all samples are there"
done
