#!/bin/sh
# SPDX-License-Identifier: MIT
# mutate.sh TARGET SOURCE PATCH: TARGET becomes a copy of SOURCE with PATCH applied. README.md has more.
target=$1 source=$2 patch=$3
mkdir -p -- "$(dirname -- "$target")" || exit 1
rm -f -- "$target"
if ! command -v patch >/dev/null; then
	echo "mutate.sh: patch(1) is missing, which makes the mutants that tests must catch:" \
		"install the package patch" >&2
	exit 1
fi
if said=$(patch --silent --force --reject-file=- --output="$target.new" "$source" "$patch" 2>&1); then
	mv -- "$target.new" "$target"
else
	rm -f -- "$target.new"
	echo "mutate.sh: $patch no longer applies to $source: make it anew (tests/mutants/README.md). patch says:" >&2
	printf '%s\n' "$said" >&2
	exit 1
fi
