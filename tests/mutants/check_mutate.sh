#!/bin/sh
# SPDX-License-Identifier: MIT
# Each patch is that of a mutant which is built, and one that no longer applies says so and leaves no file.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
scratch mutate
mutants=$top_srcdir/tests/mutants

for patch in "$mutants"/*.patch; do
	name=$(basename -- "$patch" .patch)
	case $name in # their suite needs the fake driver
	boundary-* | moving-* | firing-* | cl_home-* | guard-*) with_opencl || continue ;;
	esac
	[ -s "$top_builddir/tests/mutants/$name.c" ] ||
		fail "no suite is built with $name.patch: tests/mutants/mutants.am"
done

# refuses WHY SOURCE PATCH: no file comes of it, and the message names the patch and the cause
refuses()
{
	echo old >"$tmp/mutant.c"
	if run sh "$mutants/mutate.sh" "$tmp/mutant.c" "$2" "$3" 2>"$tmp/message"; then
		fail "$3 was applied to $2"
	fi
	cat "$tmp/message"
	grep -qF -e "$1" "$tmp/message" || fail "the message does not say: $1"
	[ -z "$(find "$tmp" -name 'mutant.c*')" ] || fail "a file was left"
}

sed 's/ - marking) - a;/ - marking - a);/' "$top_srcdir/lib/fifo/layout.c" >"$tmp/layout.c"
refuses "layout-admission.patch no longer applies to $tmp/layout.c" "$tmp/layout.c" "$mutants/layout-admission.patch"
refuses "no longer applies to $tmp/nothing.c" "$tmp/nothing.c" "$mutants/layout-admission.patch"

# lines before it make no difference
{
	echo '/* a comment */'
	cat "$top_srcdir/lib/fifo/layout.c"
} >"$tmp/layout.c"
must sh "$mutants/mutate.sh" "$tmp/mutant.c" "$tmp/layout.c" "$mutants/layout-admission.patch"
grep -q 'room - marking);' "$tmp/mutant.c" || fail "the fault is not in the copy"

mkdir "$tmp/bin"
for tool in sh dirname mkdir rm; do
	ln -s "$(command -v $tool)" "$tmp/bin/$tool"
done
PATH=$tmp/bin
export PATH
if message=$(sh "$mutants/mutate.sh" "$tmp/mutant.c" "$tmp/layout.c" "$mutants/layout-admission.patch" 2>&1); then
	fail "there is no patch(1), but it was applied"
fi
case $message in
*"install the package patch"*) ;;
*) fail "the message does not say what to install: $message" ;;
esac
