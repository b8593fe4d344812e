#!/bin/sh
# SPDX-License-Identifier: MIT
# The tree is in order: each source file names its licence, no file is large, every place names one version.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in the source tree"
scratch tree
cd -- "$top_srcdir" || exit 1
bad=0

# Each look has one process for many files: a process for each takes two minutes.
for folder in lib include actors dal graph mpi apps benchmarks tests doc scripts m4 tools configure.ac Makefile.am; do
	[ -e $folder ] || continue
	find $folder -type f \( -name '*.[chly]' -o -name '*.cc' -o -name '*.cl' -o -name '*.sh' -o -name '*.py' \
		-o -name '*.am' -o -name '*.ac' -o -name 'penstock*.m4' -o -name '*.[1-8]' -o -path 'scripts/*' \) \
		-print
done >"$tmp/licensed"
xargs awk 'FNR == 1 { print FILENAME }' <"$tmp/licensed" | sort >"$tmp/all"
xargs awk 'FNR <= 3 && /SPDX-License-Identifier: MIT/ { print FILENAME }' <"$tmp/licensed" | sort -u >"$tmp/said"
[ -s "$tmp/all" ] || fail "no files were found"
cmp -s "$tmp/all" "$tmp/said" || {
	echo "no SPDX-License-Identifier: MIT in the first lines:"
	comm -23 "$tmp/all" "$tmp/said"
	bad=1
}

# files that no reader reads to the end, and functions that write beyond the end or hide an error
find lib include actors dal graph mpi apps benchmarks tests doc -type f \
	\( -name '*.[ch]' -o -name '*.cc' -o -name '*.cl' \) -print >"$tmp/sources"
[ -s "$tmp/sources" ] || fail "no sources were found"
xargs awk 'FNR == 701 { print FILENAME " has more than 700 lines" }' <"$tmp/sources" >"$tmp/found"
xargs grep -nHE '(^|[^a-z_])(strcpy|strcat|v?sprintf|ato[ifl]|gets|u?sleep|nanosleep) ?\(' <"$tmp/sources" \
	>>"$tmp/found"

# they are read in terminals, and side by side; tests/hello/hello.c is as a user writes it
{
	find . \( -name '*.am' -o -name '*.sh' -o -name '*.pml' -o -name '*.py' \) \
		! -path './build*' ! -path './_*'
	printf "%s\n" scripts/* configure.ac m4/penstock.m4 m4/vector.m4 doc/*.[157]
} >>"$tmp/sources"
# shellcheck disable=SC2016 # awk's
grep -v '^tests/hello/' "$tmp/sources" | xargs awk -F '\t' '{
		width = 0
		for (i = 1; i <= NF; i++)
			width += length($i) + (i < NF ? 8 - (width + length($i)) % 8 : 0)
	}
	width > 120 { print FILENAME ":" FNR ": more than 120 columns" }' >>"$tmp/found"
[ ! -s "$tmp/found" ] || bad=1
cat "$tmp/found"

# the library reads its environment in one place, and penstock(7) names exactly the variables of that table
grep -rnE '(^|[^a-z_])(secure_)?getenv ?\(' lib --include='*.[ch]' | grep -v '^lib/base/environment\.[ch]:' && bad=1
sed -n 's/^	\[PS_VARIABLE_[A-Z_]*\] = { "\([A-Z_]*\)",.*/\1/p' lib/base/environment.c | sort >"$tmp/reads"
[ "$(grep -c '^	PS_VARIABLE_[A-Z_]*,$' lib/base/environment.h)" -eq "$(wc -l <"$tmp/reads")" ] ||
	fail "lib/base/environment.c has not a row that begins a line for each variable of environment.h"
sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh EXIT/s/^\.It Ev \([A-Z_]*\)$/\1/p' doc/penstock.7 | sort >"$tmp/documented"
diff "$tmp/reads" "$tmp/documented" || fail "the library reads (<), penstock(7) names (>)"

# What is in git stays there for ever: no file above 400 kB. An archive has these and what autoreconf makes.
# Without git, or where git refuses another user's clone, all that is here is looked at.
if ! { [ -e .git ] && git ls-files >"$tmp/files" 2>/dev/null; }; then
	find . -type f ! -name configure ! -name aclocal.m4 ! -name Makefile.in ! -path './build*' ! -path './_*' \
		! -path './.git/*' ! -path './autom4te.cache/*' >"$tmp/files"
fi
[ -s "$tmp/files" ] || fail "no files were found"
tr '\n' '\0' <"$tmp/files" | xargs -0 stat -c '%s %n' 2>/dev/null | while read -r size file; do
	[ "$size" -le 400000 ] ||
		echo "$file has $size bytes, more than 400000: make it anew where it is needed, or cut it"
done >"$tmp/large"
[ ! -s "$tmp/large" ] || bad=1
cat "$tmp/large"

# version WHAT FOUND
version()
{
	[ "$2" = "$PACKAGE_VERSION" ] && return
	echo "$1 says version '$2', configure.ac $PACKAGE_VERSION"
	bad=1
}
macro() { sed -n "s/^#define PSTK_VERSION$1 \"*\([0-9.]*\)\"*\$/\1/p" include/penstock/penstock.h; }
version "penstock.h, PSTK_VERSION" "$(macro '')"
version "penstock.h, PSTK_VERSION_MAJOR .." "$(macro _MAJOR).$(macro _MINOR).$(macro _PATCH)"
version "NEWS.md, its first release" "$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' NEWS.md | head -n 1)"
for page in doc/*.[1-8]; do
	version "$page" "$(sed -n 's/^\.Os penstock \([0-9.]*\)$/\1/p' "$page")"
done
[ $bad -eq 0 ] || fail "see above"
