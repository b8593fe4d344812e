#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of its users build against the installed library, with nothing but pkg-config, and run. make check installs
# into a stage in the build tree (DESTDIR); make installcheck tests what make install has put in place (DESTDIR empty).
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
scratch install

header=${STAGE?}$INCLUDEDIR/penstock/penstock.h
[ -f "$header" ] || {
	cat "$top_builddir/tests/hello/staged.log" 2>/dev/null
	fail "make install did not install $header"
}
# in a stage each path of penstock.pc lies below it; what is a system folder (/usr) there is none here
PKG_CONFIG_PATH=$STAGE$PKGCONFIGDIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export PKG_CONFIG_PATH PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
[ -z "$STAGE" ] || export PKG_CONFIG_SYSROOT_DIR="$STAGE"

# every link of an installed page leads to an installed file
find "$STAGE$DOCDIR" -name '*.md' | while read -r page; do
	grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^https\?:' | while read -r link; do
		[ -e "${page%/*}/$link" ] || fail "$page links to $link, which is not installed"
	done || exit 1
done || exit 1
[ -f "$STAGE$DOCDIR/guide/README.md" ] || fail "make install did not install the guide"

# from_pkg_config WHAT..: into $flags, and no path of the source or build tree is among them
from_pkg_config()
{
	flags=$($PKG_CONFIG "$@") || fail "$PKG_CONFIG $*"
	case " $flags " in
	*" -I$STAGE$INCLUDEDIR "*) ;;
	*) fail "$PKG_CONFIG $* gives no -I$STAGE$INCLUDEDIR: $flags" ;;
	esac
}

# says NUMBERS PROGRAM..: one in a row
says()
{
	# shellcheck disable=SC2086 # numbers
	printf '%s\n' $1 >"$tmp/expected"
	shift
	printf '+ %s\n' "$*"
	LD_LIBRARY_PATH=$STAGE$LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@" >"$tmp/output" ||
		fail "$* ended with $?"
	diff "$tmp/expected" "$tmp/output" || fail "$* says something else"
}
runs() { says "1 2 3 4 5 6 7 8 9 10" "$@"; }

# A plug-in out of the tree: it builds with its own Makefile, and graph files find its types.
plugin()
{
	cp -R "$top_srcdir/doc/examples/plugin" "$tmp/plugin" && chmod -R u+w "$tmp/plugin" || exit 1
	[ "$(wc -l <"$tmp/plugin/Makefile")" -le 12 ] || fail "the plug-in's Makefile is long"
	(
		unset MAKEFLAGS MFLAGS MAKELEVEL
		must make -C "$tmp/plugin" CC="$CC $SANITIZER_FLAGS" PKG_CONFIG="$PKG_CONFIG"
	) || exit 1
	from_pkg_config --cflags --libs penstock-graph
	# shellcheck disable=SC2086 # lists of words
	must $CC -std=c11 $warnings $SANITIZER_FLAGS -o "$tmp/run_graph" "$top_srcdir/tests/hello/run_graph.c" $flags
	PENSTOCK_PLUGINS=$tmp/plugin/tones.so
	export PENSTOCK_PLUGINS
	says "2 4 6 8 10" "$tmp/run_graph" "$tmp/plugin/cores.yaml"
	! with_opencl || says "0 1 4 9 16 25" "$tmp/run_graph" "$tmp/plugin/device.yaml"
	unset PENSTOCK_PLUGINS
}

# The applications as graph files: what is installed are networks of the installed plug-ins.
graphs()
{
	for name in motion predistortion saliency; do
		PENSTOCK_PLUGINS=${STAGE:+$STAGE$LIBDIR/penstock/plugins} \
			must "$top_builddir/apps/penstock/penstock" check "$STAGE$DOCDIR/examples/$name.yaml"
	done
}

warnings="-Wall -Wextra -Wpedantic -Werror"
hello=$top_srcdir/tests/hello/hello
# shellcheck disable=SC2086 # lists of words, from here on
{
	if builds shared; then
		from_pkg_config --cflags --libs penstock
		must $CC -std=c11 $warnings $SANITIZER_FLAGS -o "$tmp/hello" "$hello.c" $flags
		runs "$tmp/hello"
		# it is the installed library that runs, not one of the build tree or the system
		LD_LIBRARY_PATH=$STAGE$LIBDIR ldd "$tmp/hello" | grep -F "libpenstock.so" | grep -F "$STAGE$LIBDIR/" ||
			fail "hello does not run with $STAGE$LIBDIR/libpenstock.so"
		for std in c++11 c++20; do
			must $CXX -std=$std $warnings $SANITIZER_FLAGS -o "$tmp/hello-$std" "$hello.cc" $flags
			runs "$tmp/hello-$std"
		done
		for library in $SHARED_LIBRARIES; do
			module=${library#lib} module=${module%.la}
			from_pkg_config --cflags --libs "$module"
			must $CC -std=c11 $warnings $SANITIZER_FLAGS -Wl,--no-as-needed -o "$tmp/with-$module" \
				"$hello.c" $flags
			# MPICH loads UCX, which puts its own madvise(), with a lock, in place of the one that a thread
			# calls as it ends: by then ThreadSanitizer has forgotten the thread, and crashes
			case "$module ${SANITIZER_FLAGS-}" in penstock-mpi*thread*) continue ;; esac
			runs "$tmp/with-$module"
		done
	fi
	if builds shared; then
		# each example builds with the command in its first comment, in a folder with all of them
		mkdir "$tmp/examples" "$tmp/bin" || exit 1
		cp "$hello.c" "$hello.cc" "$top_srcdir"/doc/examples/*.[ch] "$tmp/examples" || exit 1
		printf '#!/bin/sh\nexec %s -std=c11 %s %s "$@"\n' "$CC" "$warnings" "$SANITIZER_FLAGS" >"$tmp/bin/cc"
		printf '#!/bin/sh\nexec %s -std=c++11 %s %s "$@"\n' "$CXX" "$warnings" "$SANITIZER_FLAGS" \
			>"$tmp/bin/c++"
		printf '#!/bin/sh\nexec %s "$@"\n' "$PKG_CONFIG" >"$tmp/bin/pkg-config"
		chmod +x "$tmp/bin/cc" "$tmp/bin/c++" "$tmp/bin/pkg-config" || exit 1
		for example in "$tmp"/examples/*.c "$tmp"/examples/*.cc; do
			grep -q '^int main(' "$example" || continue
			name=$(basename "$example") program=${name%.c*}
			[ "$name" != dal.c ] || case $SHARED_LIBRARIES in *dal*) ;; *) continue ;; esac
			[ "$name" != hosts.c ] || case $SHARED_LIBRARIES in *mpi*) ;; *) continue ;; esac
		[ "$name" != next.c ] || case $SHARED_LIBRARIES in *graph*) ;; *) continue ;; esac
			# the lines from the second one to the end of the comment that begins there
			command=$(sed -n '2,/\*\//s/^ \*\t\(c[c+]* .*\)/\1/p' "$example")
			[ -n "$command" ] || fail "the first comment of $name does not say how to build it"
			rm -f "$tmp/examples/$program"
			printf '+ %s\n' "$command"
			(cd -- "$tmp/examples" && PATH=$tmp/bin:$PATH sh -ec "$command") ||
				fail "$name does not build so"
			[ -x "$tmp/examples/$program" ] || fail "what builds $name makes no '$program'"
		done
	fi
	if builds shared; then
		case $SHARED_LIBRARIES in *graph*) plugin && graphs ;; esac
	fi
	if builds static; then
		from_pkg_config --static --cflags --libs penstock
		# an ICD loader is a shared library by its nature
		flags=$(echo "$flags" | sed 's/-lOpenCL/-Wl,-Bdynamic & -Wl,-Bstatic/g')
		must $CC -std=c11 $warnings $SANITIZER_FLAGS -o "$tmp/hello-static" "$hello.c" \
			-Wl,-Bstatic $flags -Wl,-Bdynamic
		runs "$tmp/hello-static"
		ldd "$tmp/hello-static" | grep -F libpenstock && fail "hello-static needs the shared library"
	fi

	for library in $SHARED_LIBRARIES; do
		module=${library#lib} module=${module%.la}
		# what the library itself is compiled with is not for its users
		from_pkg_config --cflags "$module"
		for flag in $flags; do
			# a DAL process includes <dal.h>
			[ "$module $flag" != "penstock-dal -I$STAGE$INCLUDEDIR/penstock" ] || continue
			[ "$flag" = "-I$STAGE$INCLUDEDIR" ] || fail "$module.pc gives its users $flag"
		done
		builds static || continue
		# all of the archive, so that whatever it needs must be named; what it needs may be shared libraries
		from_pkg_config --static --cflags --libs "$module"
		flags=$(for flag in $flags; do
			case $flag in
			-l"$module") echo -Wl,-Bstatic,--whole-archive "$flag" -Wl,--no-whole-archive,-Bdynamic ;;
			-lpenstock*) echo -Wl,-Bstatic "$flag" -Wl,-Bdynamic ;;
			*) echo "$flag" ;;
			esac
		done)
		must $CC -std=c11 $warnings $SANITIZER_FLAGS -o "$tmp/static-$module" "$hello.c" $flags
		runs "$tmp/static-$module"
		ldd "$tmp/static-$module" | grep -F libpenstock &&
			fail "static-$module needs a shared library of Penstock"
	done

	# penstock.pc is enough for penstock.h where OpenCL has no headers, and its flags name none of OpenCL's
	from_pkg_config --cflags --libs penstock
	case "$flags" in *OpenCL*) fail "penstock.pc names OpenCL to who links the shared library: $flags" ;; esac
	# clang complains of libraries where nothing is linked
	from_pkg_config --cflags penstock
	mkdir -p "$tmp/none/CL" && echo '#error OpenCL is not for this program' >"$tmp/none/CL/cl.h"
	must $CC -std=c11 $warnings -I"$tmp/none" -fsyntax-only "$hello.c" $flags

	# penstock-opencl.pc has all that host code for devices needs
	printf '%s\n' '#include <penstock/opencl.h>' \
		'int main(void) { return !pstk_cl_error_name(clGetPlatformIDs(0, NULL, NULL)); }' >"$tmp/opencl.c"
	cp "$tmp/opencl.c" "$tmp/opencl.cc"
	if with_opencl; then
		from_pkg_config --cflags --libs penstock-opencl
	else
		! "$PKG_CONFIG" --exists penstock-opencl || fail "penstock-opencl.pc without OpenCL"
		[ ! -e "$STAGE$INCLUDEDIR/penstock/opencl.h" ] || fail "opencl.h is installed without OpenCL"
	fi
	if with_opencl && builds shared; then
		must $CC -std=c11 $warnings $SANITIZER_FLAGS -o "$tmp/opencl" "$tmp/opencl.c" $flags
		for std in c++11 c++20; do
			must $CXX -std=$std $warnings $SANITIZER_FLAGS -o "$tmp/opencl-$std" "$tmp/opencl.cc" $flags
		done
	fi

	# the header, the library and penstock.pc are of one version
	printf '%s\n' '#include <penstock/penstock.h>' 'int main(void) { return puts(pstk_version()) < 0; }' \
		>"$tmp/version.c"
	$PKG_CONFIG --modversion penstock >"$tmp/expected" || fail "penstock.pc has no version"
	from_pkg_config --static --cflags --libs penstock
	must $CC -std=c11 $warnings $SANITIZER_FLAGS -o "$tmp/version" "$tmp/version.c" $flags
	LD_LIBRARY_PATH=$STAGE$LIBDIR "$tmp/version" >"$tmp/output" || fail "version"
	diff "$tmp/expected" "$tmp/output" || fail "pstk_version() and penstock.pc differ"
}
exit 0
