#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages hang together: their links lead somewhere, they keep to their lengths, and what they say of folders and
# suites is so.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in pages"
scratch pages
cd -- "$top_srcdir" || exit 1
: >"$tmp/bad"
bad() { printf '%s\n' "$*" >>"$tmp/bad"; }

find README.md ARCHITECTURE.md CONTRIBUTING.md NEWS.md lib actors dal graph mpi apps benchmarks tests doc \
	-name '*.md' -type f |
	grep -v '/tmp-' >"$tmp/pages"
[ "$(wc -l <"$tmp/pages")" -ge 40 ] || fail "only $(wc -l <"$tmp/pages") pages were found"

# Lengths.
while read -r page; do
	# of a character of several bytes the first one counts
	expand "$page" | LC_ALL=C awk -v page="$page" '{ gsub(/[\200-\277]/, "") }
		length > 120 { print page ":" NR ": " length " columns" }' >>"$tmp/bad"
done <"$tmp/pages"
most() { [ "$(wc -l <"$1")" -le "$2" ] || bad "$1 has more than $2 lines"; }
most README.md 200
most ARCHITECTURE.md 150
for folder in lib/*/; do
	[ -f "${folder}README.md" ] || {
		bad "$folder has no README.md"
		continue
	}
	most "${folder}README.md" 15
	grep -qF "](${folder}README.md)" ARCHITECTURE.md || bad "ARCHITECTURE.md has no row for $folder"
done

# Links: a file or folder, and a heading of it where there is a #. A heading's anchor is its small letters, digits, -
# and _, with - for each space.
anchors() { sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'; }
while read -r page; do
	# shellcheck disable=SC2016 # three backquotes
	sed '/^```/,/^```/d' "$page" | grep -o ']([^) ]*)' | sed 's/^](//; s/)$//' >"$tmp/links"
	while read -r link; do
		case $link in http*) continue ;; esac
		file=${link%%#*}
		case $file in '') file=$page ;; *) file=$(dirname -- "$page")/$file ;; esac
		[ -e "$file" ] || {
			bad "$page: there is no $link"
			continue
		}
		case $link in *'#'*) anchors "$file" | grep -qxF -e "${link#*#}" || bad "$page: no heading is $link" \
			;; esac
	done <"$tmp/links"
done <"$tmp/pages"

# Pages and models that comments name.
grep -rnoE '\b(doc|tests/models)/[a-z_/]+\.(md|pml)' lib include actors apps dal graph mpi tests \
	--include='*.[ch]' --include='*.cl' |
	sort -u >"$tmp/named"
[ -s "$tmp/named" ] || fail "no comment names a page"
while IFS=: read -r file line page; do
	[ -f "$page" ] || bad "$file:$line: there is no $page"
done <"$tmp/named"

# Each .c of the library has its suite, or its folder's page says which suites test it; and those are there.
find tests actors apps -name 'check_*' -type f | sed 's,.*/,,; s/\..*//' | sort -u >"$tmp/suites"
for file in lib/*/*.c; do
	folder=$(basename "$(dirname "$file")") name=$(basename "$file" .c)
	[ ! -f "tests/$folder/check_$name.c" ] || continue
	row=$(grep "^| $name | " "tests/$folder/README.md" 2>/dev/null)
	[ -n "$row" ] || bad "$file: no tests/$folder/check_$name.c, and no row for $name in tests/$folder/README.md"
done
for page in tests/*/README.md; do
	[ -d "lib/$(basename "$(dirname "$page")")" ] || continue
	folder=$(basename "$(dirname "$page")")
	sed -n 's/^| \([a-z_0-9]*\) | \(check_.*\) |$/\1 \2/p' "$page" | tr -d , >"$tmp/rows"
	while read -r name suites; do
		[ -f "lib/$folder/$name.c" ] || bad "$page: there is no lib/$folder/$name.c"
		for suite in $suites; do
			grep -qx "$suite" "$tmp/suites" || bad "$page: there is no suite $suite"
		done
	done <"$tmp/rows"
done

[ ! -s "$tmp/bad" ] || {
	cat "$tmp/bad"
	fail "see above"
}
exit 0
