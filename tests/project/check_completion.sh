#!/bin/sh
# SPDX-License-Identifier: MIT
# What bash completes of the command penstock, by its completion file and the command as it is built.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"

[ -x "$top_builddir/apps/penstock/penstock" ] || skip "no command penstock in this build"
command -v bash >/dev/null || skip "no bash"
actors=$(cd -- "$top_builddir/actors/.libs" && pwd) || exit 1

# completes WANTED WORD..: the last word is completed.
completes()
{
	wanted=$1
	shift
	# shellcheck disable=SC2016 # bash expands it
	got=$(PATH=$(cd -- "$top_builddir/apps/penstock" && pwd):$PATH PENSTOCK_PLUGINS=$actors bash -c '
		source "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_penstock
		echo "${COMPREPLY[*]}"' "$top_srcdir/apps/penstock/penstock.bash" "$@")
	[ "$got" = "$wanted" ] || fail "'$*' is completed to '$got' instead of '$wanted'"
	printf "'%s': %s\n" "$*" "$got"
}

completes "run ctl check graph plan bench map machine devices actors --help --version" penstock ""
completes "ctl check" penstock c
completes "--json" penstock check --j
completes "--json" penstock graph --j
completes "--output --overlap" penstock graph --o
completes "--format --frames" penstock graph --f
completes "dot svg json yaml" penstock graph --format ""
completes "auto" penstock run --team a
completes "fir_cf32 fir_f32" penstock actors fir_
completes "" penstock run --set ""
completes "" penstock run --set "" nowhere.yaml
completes "" penstock run -e ""
graph=$top_srcdir/examples/motion.yaml
completes "frames=" penstock run "$graph" --set fr
completes "rate=" penstock bench "$graph" --vary ra
completes "source= sink=" penstock check "$graph" --device s
completes "sink=" penstock plan "$graph" --move si
completes "sink@" penstock run "$graph" --move si
completes "--machine --mapping --measure --merge --migration --move" penstock plan --m
completes "--at" penstock plan --a
completes "" penstock plan --migration ""
completes "" penstock bench --teams ""
completes "" penstock devices ""
completes "--help" penstock devices -
completes "$top_srcdir/README.md" penstock run "$top_srcdir/READ"
