#!/bin/sh
# SPDX-License-Identifier: MIT
# The floors of lib/: no file includes or calls what lies in a higher folder, only lib/opencl includes OpenCL's headers,
# and inside of a folder no more than four nouns (NAME.c with NAME.h) depend on each other in a circle. Includes are
# read from the sources, calls from the object files of the build.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a plain build has the same calls, and no others"
command -v nm >/dev/null || skip "there is no nm"
scratch floors
floors="base trace parallel machine energy mapping fifo remote model firing opencl plan analysis schedule"
floors="$floors move pipeline observe run"
most=4
built=$(cd -- "${top_builddir:?}" && pwd -P)
cd -- "$top_srcdir" || exit 1

for folder in lib/*/; do
	folder=${folder#lib/}
	case " $floors " in *" ${folder%/} "*) ;; *) fail "lib/$folder is on no floor: say on which in $0" ;; esac
done
grep -n '#include [<"]CL/' -r lib --include='*.[ch]' | grep -v '^lib/opencl/' && fail "only lib/opencl knows OpenCL"

# FILE:LINE FROM TO: what a file includes
grep -n '^#include "lib/[a-z]*/' -r lib --include='*.[ch]' |
	sed -n -e 's|"\(lib/[a-z]*/[a-z_0-9]*\)\.h".*|\1|' \
		-e 's|^\([a-z_0-9/]*\)\(\.[ch]\):\([0-9]*\):#include \(.*\)|\1\2:\3 \1 \4 include|p' \
		>"$tmp/edges"

# FILE:SYMBOL FROM TO: what its object takes from another one; libtool has two of each, or one of them
within=
! builds shared || within=.libs/
for source in lib/*/*.c; do
	noun=${source%.c}
	# a configuration has one side of the OpenCL backend
	case $noun in
	lib/opencl/absent) ! with_opencl || continue ;;
	lib/opencl/*) with_opencl || continue ;;
	esac
	echo "${noun%/*}/$within${noun##*/}.o"
done >"$tmp/objects"
(cd -- "$built" && xargs nm -A -P <"$tmp/objects") >"$tmp/symbols" || fail "nm cannot read the object files"
awk '{ sub(/\.o:$/, "", $1); sub(/\.libs\//, "", $1) }
	$3 == "U" { print "U", $1, $2 }
	$3 ~ /^[TDBRV]$/ { print "D", $1, $2 }' \
	"$tmp/symbols" >"$tmp/table"
awk '$1 == "D" { home[$3] = $2 } $1 == "U" { from[++n] = $2; what[n] = $3 }
	END {
		for (i = 1; i <= n; i++)
			if (what[i] in home && home[what[i]] != from[i])
				print from[i] ".c:" what[i], from[i], home[what[i]], "call"
	}' "$tmp/table" >>"$tmp/edges"
[ "$(grep -c ' call$' "$tmp/edges")" -gt 100 ] || fail "the object files show no calls: $built/lib"

awk -v floors="$floors" -v most="$most" '
	function folder(noun) { split(noun, part, "/"); return part[2] }
	BEGIN { split(floors, names, " "); for (i in names) floor[names[i]] = i + 0 }
	floor[folder($2)] < floor[folder($3)] {
		split($1, at, ":")
		line = at[2]
		if ($4 == "call") {
			line = 0; number = 0
			while ((getline text < at[1]) > 0) {
				number++
				if (!line && index(text, at[2] "(")) line = number
			}
			close(at[1])
		}
		print at[1] ":" line ": " ($4 == "call" ? "calls " at[2] "(), " : "includes ") $3 \
			", which is on a higher floor"
		bad = 1
	}
	$2 != $3 && folder($2) == folder($3) { reach[$2, $3] = 1; nouns[$2]; nouns[$3] }
	END {
		for (k in nouns)
			for (i in nouns)
				if ((i, k) in reach)
					for (j in nouns) if ((k, j) in reach) reach[i, j] = 1
		for (i in nouns) {
			if (i in told) continue
			circle = i; count = 1
			for (j in nouns)
				if (j != i && ((i, j) in reach) && ((j, i) in reach)) {
					circle = circle " " j
					count++
					told[j]
				}
			if (count > most) { print "a circle of " count " nouns, " most " at most: " circle; bad = 1 }
		}
		exit bad
	}' "$tmp/edges" || fail "see above"
