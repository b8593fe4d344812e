#!/bin/sh
# SPDX-License-Identifier: MIT
# The documentation tells the truth: README.md and the guide quote examples as they are built here, each gives the
# output that it promises, and the manual names the options, variables and topics that the programs have.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
scratch docs

# The pages mark each piece of C with the file that it is from: <!-- FILE --> in the line before ```c. The piece is a
# run of whole lines of that file. quotes PAGE: how many there are is in $count.
quotes()
{
	page=$1
	mkdir -p "$tmp/pieces" && rm -f "$tmp/pieces"/* || exit 1
	awk -v tmp="$tmp/pieces" '
		/^<!-- .* -->$/ { file = $2 }
		/^```c$/ { n++; print file > (tmp "/" n ".name"); piece = tmp "/" n ".piece"; printf "" > piece; next }
		/^```/ { if (piece) close(piece); piece = ""; file = "" }
		piece { print > piece }
		END { print n + 0 > (tmp "/count") }' "$top_srcdir/$page" || fail "awk"
	count=$(cat "$tmp/pieces/count")
	i=0
	while [ $i -lt "$count" ]; do
		i=$((i + 1))
		name=$(cat "$tmp/pieces/$i.name")
		[ -f "$top_srcdir/$name" ] || fail "$page: example $i is from no file: '$name'"
		printf '%s, example %d is from %s\n' "$page" $i "$name"
		awk 'NR == FNR { want[++n] = $0; next } { have[++m] = $0 }
			END {
				if (!n) exit 1
				for (i = 0; i + n <= m; i++) {
					for (j = 1; j <= n && have[i + j] == want[j]; j++);
					if (j > n) exit 0
				}
				exit 1
			}' "$tmp/pieces/$i.piece" "$top_srcdir/$name" || {
			cat "$tmp/pieces/$i.piece"
			fail "$page: this is not in $name"
		}
		echo "$name" >>"$tmp/quoted"
	done
}
cd -- "$top_srcdir" && pages=$(echo doc/guide/*.md) && cd - >/dev/null || exit 1
for page in $pages; do
	quotes "$page"
done
for example in "$top_srcdir"/doc/examples/*.c; do
	name=doc/examples/$(basename "$example")
	case $name in */dal*) continue ;; esac # dal/README.md tells of them
	grep -qrF "${name#doc/}" "$top_srcdir/doc/guide" || fail "the guide does not name $name"
done
[ "$(sort -u "$tmp/quoted" | wc -l)" -ge 8 ] || fail "the guide quotes only $(sort -u "$tmp/quoted" | tr '\n' ' ')"
quotes README.md
[ "$count" -ge 3 ] || fail "README.md quotes only $count examples"
for member in kernel control; do
	cat "$tmp/pieces"/*.piece | grep -qF ".$member = " || fail "no example of README.md has '.$member ='"
done
pages="README.md $pages"

# the smallest program is there as a whole, and small
sed '1,/^#include/{/^#include/!d}' "$top_srcdir/tests/hello/hello.c" >"$tmp/smallest"
cmp "$tmp/smallest" "$tmp/pieces/1.piece" || fail "README.md's first example is not the whole of tests/hello/hello.c"
[ "$(wc -l <"$tmp/smallest")" -lt 40 ] || fail "the smallest program has 40 lines or more"

# commands NAME: what a page has in ```sh below <!-- run: NAME -->, into a file of this name. Where several pages have
# it, it is the same.
commands()
{
	for page in $pages; do
		awk -v mark="<!-- run: $1 -->" '$0 == mark { marked = 1; next } /^```sh$/ { on = marked; next }
			/^```/ { on = marked = 0 } on' "$top_srcdir/$page" >"$tmp/commands"
		[ -s "$tmp/commands" ] || continue
		[ ! -s "$tmp/$1" ] || diff "$tmp/$1" "$tmp/commands" ||
			fail "$page has other commands 'run: $1' than a page before"
		cp "$tmp/commands" "$tmp/$1" || exit 1
	done
	[ -s "$tmp/$1" ] || fail "no page has commands marked 'run: $1'"
}

# What the guide and the manual pages show is of a thread per actor, the default. A team computes the same; its FIFOs
# are deeper.
unset PENSTOCK_TEAM
export PENSTOCK_PLUGINS="$top_builddir/actors/.libs/actors.so"
same() { diff "$1" "$tmp/output" || fail "doc/examples/$name says something else than $name.expected"; }
computed() { grep -v -e '^FIFOs: ' -e '^network ' -e '^  ' "$1"; }
for expected in "$top_srcdir"/doc/examples/*.expected; do
	name=$(basename "$expected" .expected)
	[ "$name" != dal ] || grep -q 'HAVE_LIBXML2 1' "$top_builddir/config.h" || continue
	[ "$name" != next ] || grep -q 'HAVE_LIBYAML 1' "$top_builddir/config.h" || continue
	"$top_builddir/doc/examples/$name" >"$tmp/output"
	status=$?
	# only the example with an actor on a device may say that there is none, and those with spectra that this build
	# has none
	case $status-$name in
	77-device) continue ;;
	77-lowpass | 77-spectrum) grep -q 'HAVE_KISSFFT 1' "$top_builddir/config.h" || continue ;;
	esac
	[ $status -eq 0 ] || fail "doc/examples/$name ended with $status"
	same "$expected"
	computed "$expected" >"$tmp/computed"
	PENSTOCK_TEAM=2 "$top_builddir/doc/examples/$name" >"$tmp/all" || fail "doc/examples/$name, team: ended with $?"
	computed "$tmp/all" >"$tmp/output"
	same "$tmp/computed"
done

# output NAME: what a page has in the block below <!-- output: NAME -->, where lines that begin with eight spaces go on
# with the line before; marked "circle" it is what a deadlock says, which may begin with any actor.
output()
{
	for page in $pages; do
		awk -v mark="<!-- $1 -->" \
			'$0 == mark { marked = 1; next } /^```$/ && marked { if (on) exit; on = 1; next } on' \
			"$top_srcdir/$page"
	done | awk '/^        / { sub(/^ */, " "); line = line $0; next } NR > 1 { print line }
		{ line = $0 } END { print line }' >"$tmp/told"
	grep -q . "$tmp/told" || fail "no page has output marked '$1'"
}

# The network of the example squelch: what the guide says of it as it is, with a mistake, and with it in a run.
output 'output: squelch'
head -n "$(wc -l <"$tmp/told")" "$top_srcdir/doc/examples/squelch.expected" | diff "$tmp/told" - ||
	fail "squelch is proven otherwise"
output 'output: squelch wrong'
"$top_builddir/doc/examples/squelch" wrong >"$tmp/output" 2>"$tmp/messages"
[ $? -eq 4 ] || fail "squelch wrong did not end with 4"
diff "$tmp/told" "$tmp/output" || fail "squelch wrong is refused otherwise"
output 'circle: squelch unchecked'
"$top_builddir/doc/examples/squelch" unchecked >"$tmp/output" 2>"$tmp/messages"
[ $? -eq 4 ] || fail "squelch unchecked did not end with 4"
cat "$tmp/messages"
for file in told messages; do
	sed -n 's/^deadlock: //p' "$tmp/$file" | sed 's/; /\n/g' | sort >"$tmp/$file.parts"
done
[ "$(wc -l <"$tmp/told.parts")" -eq 5 ] || fail "the guide's deadlock has not four actors and a remedy"
diff "$tmp/told.parts" "$tmp/messages.parts" || fail "squelch unchecked ends otherwise"

# The guide names each package that a build by hand needs.
for package in $("$top_srcdir/scripts/setup" --list build) check g++; do
	grep -q "[\` ]${package}[\` ]" "$top_srcdir/doc/guide/installing.md" ||
		fail "doc/guide/installing.md does not name the package $package"
done

# The reference names the variables, the kinds of memory and the exit statuses that penstock(7) names.
same_names()
{
	[ -s "$tmp/pages" ] || fail "$1 names nothing"
	diff "$tmp/pages" "$tmp/manual" || fail "$1 (<) and penstock(7) (>) differ"
}
manual=$top_srcdir/doc/penstock.7
# shellcheck disable=SC2016 # backquotes
sed -n 's/^| `\(PENSTOCK_[A-Z]*\)` .*/\1/p' "$top_srcdir/doc/reference/environment.md" | sort >"$tmp/pages"
sed -n 's/^\.It Ev \(PENSTOCK_[A-Z]*\)$/\1/p' "$manual" | sort >"$tmp/manual"
same_names doc/reference/environment.md
# shellcheck disable=SC2016 # backquotes
sed -n 's/^| `\([a-z].*\)` | .*/\1/p' "$top_srcdir/doc/reference/memory.md" | sort >"$tmp/pages"
sed -n '/^says which, in these words:/,/^\.El/s/^\.It Li //p' "$manual" | sort >"$tmp/manual"
same_names doc/reference/memory.md
sed -n '/^## Exit/,/^## /s/^| \([0-9]*\) | .*/\1/p' "$top_srcdir/doc/reference/README.md" >"$tmp/pages"
sed -n '/^\.Sh EXIT STATUS/,/^\.El/s/^\.It //p' "$manual" >"$tmp/manual"
same_names doc/reference/README.md

# The smallest program, as a newcomer builds it: README.md's variables, with the stage as its --prefix, and its command.
# The prefix must be no folder in which a newcomer has the sources: configure refuses it.
topics=$(sed -n '/^A topic is/,/^for all/s/^\.Li \([a-z]*\).*/\1/p' "$top_srcdir/doc/penstock.7")
[ "$(echo "$topics" | wc -w)" -ge 3 ] || fail "penstock(7) names no topics"
if builds shared && [ -n "${STAGE-}" ]; then
	commands environment
	commands hello
	# shellcheck disable=SC2016 # README.md's $HOME
	prefix=$(sed -n 's,^\.\./\.\./configure --prefix=$HOME/,,p' "$top_srcdir/README.md")
	case $prefix in '' | penstock) fail "README.md installs into \$HOME/$prefix" ;; esac
	mkdir -p "$tmp/home/$prefix" "$tmp/bin" || exit 1
	ln -s "$STAGE$LIBDIR" "$tmp/home/$prefix/lib"
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$CC" "$SANITIZER_FLAGS" >"$tmp/bin/cc" && chmod +x "$tmp/bin/cc"
	cp "$top_srcdir/tests/hello/hello.c" "$top_srcdir/doc/examples/gain.c" "$tmp" || exit 1
	cd -- "$tmp" || exit 1
	unset PKG_CONFIG_PATH LD_LIBRARY_PATH
	HOME=$tmp/home PATH=$tmp/bin:$PATH
	PKG_CONFIG_SYSROOT_DIR=$STAGE PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
	export HOME PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
	# shellcheck source=/dev/null
	. ./environment
	run sh -ex ./hello >output || fail "README.md's command for the smallest program"
	[ "$(sed 1d output | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 9 10 " ] || fail "hello says: $(cat output)"

	# penstock(7)'s example says something, and the library knows the topics that it names, and no other
	sed -n 's/^\.Dl \(PENSTOCK_DEBUG=.* \)\.\/hello$/\1.\/a.out/p' "$top_srcdir/doc/penstock.7" >example
	[ -s example ] || fail "penstock(7) has no example of PENSTOCK_DEBUG"
	sh -e ./example 2>messages >/dev/null || fail "penstock(7)'s example"
	cat messages
	grep '^penstock: [a-z]*: thread: ' messages || fail "penstock(7)'s example prints nothing"
	! grep expected messages || fail "penstock(7)'s example is not understood"
	PENSTOCK_DEBUG=none:debug ./a.out 2>messages >/dev/null
	tr -d '\n' <messages | sed 's/.*topic one of \* *\(.*\), level one of .*/\1/' | tr -s ' ' '\n' | sort >known
	echo "$topics" | sort >named
	diff known named || fail "the library knows the topics (<), penstock(7) names (>)"
	for topic in $topics; do
		for page in guide/observing.md reference/environment.md; do
			grep -qF "\`$topic\`" "$top_srcdir/doc/$page" || fail "doc/$page does not name the topic $topic"
		done
	done

	# gain, with another rate behind it: its init() refuses
	sed '/pstk_connect(gain,/s/\.rate = 4/.rate = 3/' gain.c >gain3.c
	! cmp -s gain.c gain3.c || fail "gain.c does not connect gain with .rate = 4"
	# shellcheck disable=SC2046 # a list of words
	must cc gain3.c $(pkg-config --cflags --libs penstock) -o gain3
	./gain3 >output 2>&1 && fail "gain3 ended with 0"
	cat output
	grep "'gain'.*rates differ: 4 in, 3 out" output || fail "gain3 does not say that its rates differ"
fi

# The options of a program are those of its manual page, in both directions.
for name in fm_receiver granulometry motion_detection penstock predistortion resample saliency \
	scene_recognition srad tracking vivid; do
	program=$top_builddir/apps/$name/$name
	page=$top_srcdir/doc/$name.1
	[ -x "$program" ] || continue
	"$program" --help >"$tmp/help" || fail "$name --help ended with $?"
	if [ $name = penstock ]; then
		sed -n 's/^  \([a-z]*\) .*  .*/\1/p' "$tmp/help" >"$tmp/commands"
		while read -r command; do
			"$program" "$command" --help >>"$tmp/help" || fail "$name $command --help ended with $?"
			grep -q "^\.Cm $command" "$page" || fail "$name.1 does not tell of the command $command"
		done <"$tmp/commands"
	fi
	grep -o -e '--[a-z][a-z-]*' "$tmp/help" | sort -u >"$tmp/has"
	sed -n 's/^\.It Fl -\([a-z-]*\).*/--\1/p' "$page" | sort -u >"$tmp/tells"
	diff "$tmp/has" "$tmp/tells" || fail "$name --help (<) and its manual page (>) name different options"
	[ -s "$tmp/has" ] || fail "$name --help names no options"
done

program=$top_builddir/apps/motion_detection/motion_detection
if [ -x "$program" ]; then
	# the guide's command for the picture works
	if grep -q 'HAVE_PNG 1' "$top_builddir/config.h"; then
		commands picture
		(cd -- "$tmp" && PATH=$(dirname -- "$program"):$PATH run sh -ex ./picture) || fail "the guide's command"
		[ -s "$tmp/motion.png" ] || fail "README.md's command makes no motion.png"
	fi
fi

program=$top_builddir/apps/saliency/saliency
if [ -x "$program" ] && grep -q 'HAVE_PNG 1' "$top_builddir/config.h" &&
	grep -q 'HAVE_KISSFFT 1' "$top_builddir/config.h"; then
	commands salient
	(cd -- "$tmp" && PATH=$(dirname -- "$program"):$PATH run sh -ex ./salient) || fail "the guide's command"
	[ -s "$tmp/saliency.png" ] || fail "the guide's command makes no saliency.png"
fi

program=$top_builddir/apps/fm_receiver/fm_receiver
if [ -x "$program" ]; then
	commands receiver
	(PATH=$(dirname -- "$program"):$PATH run sh -ex "$tmp/receiver" >"$tmp/output") || fail "the guide's command"
	for said in ' 7 actors, ' ': proven: ' 'repetitions: '; do
		grep -q "$said" "$tmp/output" && continue
		cat "$tmp/output"
		fail "the guide tells otherwise of the receiver's network: $said"
	done
fi

program=$top_builddir/apps/predistortion/predistortion
if [ -x "$program" ]; then
	commands network
	(PATH=$(dirname -- "$program"):$PATH run sh -ex "$tmp/network" >"$tmp/output") || fail "the guide's command"
	# what the guide says of it
	for said in '15 actors, 46 FIFOs$' 'FIFO memory: 11\.5' ': proven: ' ' 1024 values'; do
		grep -q "$said" "$tmp/output" && continue
		cat "$tmp/output"
		fail "the guide tells otherwise of predistortion's network: $said"
	done
	if grep -q 'HAVE_KISSFFT 1' "$top_builddir/config.h" && command -v gnuplot >/dev/null; then
		commands spectra
		(cd -- "$tmp" && PATH=$(dirname -- "$program"):$PATH run sh -ex ./spectra) || fail "the guide's command"
		figures() { grep -o '[a-z ]*: power [^<]*' "$1"; }
		figures "$tmp/predistortion.svg" >"$tmp/figures" || fail "the guide's picture says no figures"
		figures "$top_srcdir/doc/predistortion.svg" | diff - "$tmp/figures" ||
			fail "the guide's picture says other figures"
	fi
fi

# the picture of tracking, whose frames are generated
program=$top_builddir/apps/tracking/tracking
if [ -x "$program" ] && [ -x "$top_builddir/apps/penstock/penstock" ] && [ -e "$top_builddir/actors/.libs/media.so" ] &&
	grep -q 'HAVE_PNG 1' "$top_builddir/config.h"; then
	commands arrows
	(cd -- "$tmp" && PATH=$top_builddir/apps/tracking:$top_builddir/apps/penstock:$PATH \
		PENSTOCK_PLUGINS=$top_builddir/actors/.libs run sh -ex ./arrows) || fail "the guide's command"
	[ -s "$tmp/tracking.png" ] || fail "the guide's command makes no tracking.png"
fi

# shows PAGE SED: lines as man shows them, from their first word on; of a video that is not there they say the size
shows() { groff -mdoc -Tutf8 -P-cbou "$top_srcdir/doc/$1" | sed -n "s/input=a.mp4/size=64x48/; s/^ *//; $2"; }

# Manual pages without mistakes; groff says nothing about good ones.
if command -v groff >/dev/null && groff -mdoc -z "$manual" 2>/dev/null; then
	for page in "$top_srcdir"/doc/*.[1-8]; do
		groff -mdoc -ww -z -Tutf8 "$page" >"$tmp/lint" 2>&1
		[ ! -s "$tmp/lint" ] || {
			cat "$tmp/lint"
			fail "groff has complaints about $page"
		}
	done
	program=$top_builddir/apps/penstock/penstock
	if [ -x "$program" ] && builds shared; then
		# the chains that man shows can be pasted
		shows penstock.1 '/^penstock run .*-e \\$/,/b.mp4/{s/ run / check /;p;}' >"$tmp/pasted"
		shows penstock-graph.5 "s/^video_source .*/penstock check -e '&'/p" >>"$tmp/pasted"
		[ "$(grep -c " ! video_sink output=b.mp4'$" "$tmp/pasted")" -eq 2 ] ||
			fail "penstock(1) and penstock-graph(5) show no chains: $(cat "$tmp/pasted")"
		(PATH=$(dirname -- "$program"):$PATH PENSTOCK_PLUGINS=$top_builddir/actors/.libs &&
			run sh -ex "$tmp/pasted") || fail "man shows chains that penstock does not read"
	fi
else
	echo "no groff with -mdoc: the manual pages are not checked"
fi
exit 0
