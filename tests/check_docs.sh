#!/bin/sh
# SPDX-License-Identifier: MIT
# The documentation tells the truth: README.md quotes examples as they are built here, each gives the output that it
# promises, and the manual names the options that the programs have.
# shellcheck source=tests/check.sh
. "${srcdir:?}/tests/check.sh"
scratch docs

# README.md marks each piece of C with the file that it is from: <!-- FILE --> in the line before ```c. The piece is a run
# of whole lines of that file.
awk -v tmp="$tmp" '
	/^<!-- .* -->$/ { file = $2 }
	/^```c$/ { n++; print file > (tmp "/" n ".name"); piece = tmp "/" n ".piece"; printf "" > piece; next }
	/^```/ { if (piece) close(piece); piece = ""; file = "" }
	piece { print > piece }
	END { print n + 0 > (tmp "/count") }' "$top_srcdir/README.md" || fail "awk"
count=$(cat "$tmp/count")
[ "$count" -ge 5 ] || fail "README.md quotes only $count examples"
i=0
while [ $i -lt "$count" ]; do
	i=$((i + 1))
	name=$(cat "$tmp/$i.name")
	[ -f "$top_srcdir/$name" ] || fail "README.md's example $i is from no file: '$name'"
	printf 'README.md, example %d is from %s\n' $i "$name"
	awk 'NR == FNR { want[++n] = $0; next } { have[++m] = $0 }
		END {
			if (!n) exit 1
			for (i = 0; i + n <= m; i++) {
				for (j = 1; j <= n && have[i + j] == want[j]; j++);
				if (j > n) exit 0
			}
			exit 1
		}' "$tmp/$i.piece" "$top_srcdir/$name" || {
		cat "$tmp/$i.piece"
		fail "this is not in $name"
	}
done
# the smallest program is there as a whole, and small
sed '1,/^#include/{/^#include/!d}' "$top_srcdir/tests/hello/hello.c" >"$tmp/hello"
cmp "$tmp/hello" "$tmp/1.piece" || fail "README.md's first example is not the whole of tests/hello/hello.c"
[ "$(wc -l <"$tmp/hello")" -lt 40 ] || fail "the smallest program has 40 lines or more"

for expected in "$top_srcdir"/doc/examples/*.expected; do
	name=$(basename "$expected" .expected)
	"$top_builddir/doc/examples/$name" >"$tmp/output" || fail "doc/examples/$name ended with $?"
	diff "$expected" "$tmp/output" || fail "doc/examples/$name says something else than $name.expected"
done

# The options of a program are those of its manual page, in both directions.
program=$top_builddir/apps/motion_detection/motion_detection
page=$top_srcdir/doc/motion_detection.1
if [ -x "$program" ]; then
	"$program" --help >"$tmp/help" || fail "motion_detection --help ended with $?"
	grep -o -e '--[a-z][a-z-]*' "$tmp/help" | sort -u >"$tmp/has"
	sed -n 's/^\.It Fl -\([a-z-]*\).*/--\1/p' "$page" | sort -u >"$tmp/tells"
	diff "$tmp/has" "$tmp/tells" || fail "motion_detection --help (<) and its manual page (>) name different options"
	[ -s "$tmp/has" ] || fail "motion_detection --help names no options"

	# README.md's command for its picture works
	if grep -q 'HAVE_PNG 1' "$top_builddir/config.h"; then
		awk '/^<!-- run -->$/ { marked = 1; next } /^```sh$/ { on = marked; next } /^```/ { on = marked = 0 } on' \
			"$top_srcdir/README.md" >"$tmp/commands"
		[ -s "$tmp/commands" ] || fail "README.md has no command for its picture"
		(cd -- "$tmp" && PATH=$(dirname -- "$program"):$PATH run sh -ex ./commands) || fail "README.md's command"
		[ -s "$tmp/motion.png" ] || fail "README.md's command makes no motion.png"
	fi
fi

# Manual pages without mistakes; groff says nothing about good ones.
if command -v groff >/dev/null && groff -mdoc -z "$page" 2>/dev/null; then
	for page in "$top_srcdir"/doc/*.[1-8]; do
		groff -mdoc -ww -z -Tutf8 "$page" >"$tmp/lint" 2>&1
		[ ! -s "$tmp/lint" ] || {
			cat "$tmp/lint"
			fail "groff has complaints about $page"
		}
	done
else
	echo "no groff with -mdoc: the manual pages are not checked"
fi
exit 0
