#!/bin/sh
# SPDX-License-Identifier: MIT
# configure refuses folders that it or an installation would spoil, and says why. Where it goes on, the compiler that it
# is given stops it.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
scratch configure

# ends TEXT FOLDER CONFIGURE OPTION..: in this folder, configure ends with 1 and says this text.
ends()
{
	text=$1 folder=$2
	shift 2
	mkdir -p "$folder" || exit 1
	(cd -- "$folder" && run sh "$@" CC=false >"$tmp/output" 2>&1) && fail "$* did not end with an error"
	cat "$tmp/output"
	tr '\n' ' ' <"$tmp/output" | grep -qF -e "$text" || fail "configure does not say: $text"
}
source=$top_srcdir/configure
ln -s "$top_srcdir" "$tmp/link" && mkdir "$tmp/build" "$tmp/there" && ln -s build "$tmp/other" && mkdir "$tmp/a b" &&
	ln -s "$top_srcdir" "$tmp/a b/source" && ln -s "a b" "$tmp/short" || exit 1

goes_on='C compiler cannot create executables'
ends "$goes_on" "$tmp/build" "$source"
ends "$goes_on" "$tmp/build" "$source" --prefix="$tmp/there"
ends "$goes_on" "$tmp/build" "$source" --prefix="$tmp/new/folder"
ends "$goes_on" "$tmp/build" "$source" --prefix="$tmp/build/inside"
ends "$goes_on" "$tmp/build" "$source" --prefix="$top_srcdir/_inst" # as distcheck does
ends "$goes_on" "$tmp/build" "$source" --prefix="$(dirname -- "$top_srcdir")"

installs="make install would put bin, include, lib and share"
among="is the source folder: $installs among the sources. Give another folder, such as"
ends "--prefix=$top_srcdir $among --prefix=$HOME/.local" "$tmp/build" "$source" --prefix="$top_srcdir"
ends "--prefix=$tmp/link $among" "$tmp/build" "$source" --prefix="$tmp/link"
ends "--prefix=$top_srcdir $among" "$tmp/build" "$tmp/link/configure" --prefix="$top_srcdir/"
ends "--prefix=$tmp/build/../link $among" "$tmp/build" "$source" --prefix="$tmp/build/../link"
ends "--exec-prefix=$top_srcdir $among" "$tmp/build" "$source" --prefix="$tmp/there" --exec-prefix="$top_srcdir"

into="is the build folder: $installs into the build. Give another folder, such as"
ends "--prefix=$tmp/build $into --prefix=$HOME/.local" "$tmp/build" "$source" --prefix="$tmp/build"
ends "--prefix=$tmp/other $into" "$tmp/build" "$source" --prefix="$tmp/other"
ends "--prefix=$tmp/build $into" "$tmp/other" "$source" --prefix="$tmp/build"

space="has a space in its name, which make and libtool take for its end:"
ends "the source folder $space '$tmp/a b/source'. Move it, or reach it by a symbolic link without a space." \
	"$tmp/build" "$tmp/a b/source/configure"
ends "the build folder $space '$tmp/a b/build'. Run configure in another one." "$tmp/a b/build" "$source"
ends "$goes_on" "$tmp/short/build" "$source"
space="has a space in it, which make and libtool take for its end:"
ends "--prefix $space '$tmp/a b'. Give another folder." "$tmp/build" "$source" --prefix="$tmp/a b"
ends "--libdir $space '$tmp/a	b'" "$tmp/build" "$source" --libdir="$tmp/a	b"
exit 0
