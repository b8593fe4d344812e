#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of doc/guide/observing.md run, and their pictures are made of these runs; what the script refuses.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"

[ -x "$top_builddir/apps/penstock/penstock" ] || skip "no command penstock in this build"
[ -e "$top_builddir/actors/.libs/media.so" ] || skip "no videos in this build"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has seen the command elsewhere"
scratch pictures
build=$(cd -- "$top_builddir" && pwd) || exit 1
script=$top_srcdir/scripts/pictures

# refuses WORDS OPTION..
refuses()
{
	words=$1
	shift
	! "$script" "$@" >"$tmp/log" 2>&1 || fail "scripts/pictures $* ends well"
	grep -qF -e "$words" "$tmp/log" || fail "scripts/pictures $* does not say '$words': $(cat "$tmp/log")"
}
refuses "unknown option '--colour'" --colour
refuses "$tmp has no penstock" --build-dir "$tmp"
refuses "$tmp/none: no such folder" --build-dir "$build" --output-dir "$tmp/none"
"$script" --help | grep -q -e '--output-dir DIR' || fail "--help does not tell of --output-dir"

command -v dot >/dev/null || skip "no dot"
"$build/apps/penstock/penstock" devices 2>/dev/null | grep -q '^pocl:' || skip "no PoCL"
"$script" --build-dir "$build" --output-dir "$tmp" --short >"$tmp/log" 2>&1 || fail "$(tail -n 5 "$tmp/log")"
for name in serial transfer sleeping; do
	picture=$top_srcdir/doc/guide/$name.svg
	# a number follows; the actors are the same
	grep -q '>busy [0-9]* %<' "$tmp/$name.svg" || fail "$name.svg does not say how busy an actor was"
	sed -n 's/^  \([a-z]*\):\( {type.*\)*$/\1/p' "$top_srcdir/doc/examples/slow/$name.yaml" >"$tmp/actors"
	while read -r actor; do
		grep -q ">$actor<" "$picture" || fail "doc/guide/$name.svg has no $actor: run scripts/pictures"
	done <"$tmp/actors"
done
echo "three pictures"
