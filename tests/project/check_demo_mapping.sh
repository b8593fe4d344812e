#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/demo-mapping, briefly, on the cores: the picture has its three curves, the report is beside it; what it
# refuses.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"

[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has seen the programs elsewhere"
scratch demo_mapping
build=$(cd -- "$top_builddir" && pwd) || exit 1
script=$top_srcdir/scripts/demo-mapping
export TMPDIR="$tmp"

search=$PATH
# refuses STATUS WORDS OPTION..
refuses()
{
	want=$1 words=$2
	shift 2
	PATH=$search "$script" --build-dir "$build" --output-dir "$tmp/out" "$@" >"$tmp/log" 2>&1
	status=$?
	[ $status -eq "$want" ] || fail "scripts/demo-mapping $* ended with $status, not $want: $(cat "$tmp/log")"
	grep -qF -e "$words" "$tmp/log" || fail "scripts/demo-mapping $* does not say '$words': $(cat "$tmp/log")"
	! [ -e "$tmp/out/mapping.svg" ] || fail "there is a picture"
}
refuses 2 "unknown argument '--colour'; see --help" --colour
refuses 2 "--cores is a number of at least 1" --cores 0
refuses 2 "--cores is a number of at least 1" --cores=two
refuses 2 "--device needs a device" --device=
refuses 2 "cannot read 'none.avi'" --input none.avi
refuses 2 "--output-dir needs a name" --output-dir=
refuses 1 "there is no $tmp/apps/vivid/vivid" --build-dir "$tmp"

[ -x "$build/apps/penstock/penstock" ] || skip "no command penstock in this build"
[ -e "$build/actors/.libs/media.so" ] || skip "no videos in this build"
command -v gnuplot >/dev/null || skip "no gnuplot"
# a folder with all that it needs but gnuplot
mkdir "$tmp/bin"
for tool in dirname cat mkdir mktemp nproc uname id rm; do ln -s "$(command -v $tool)" "$tmp/bin/$tool" || exit 1; done
search=$tmp/bin
refuses 1 "there is no gnuplot, which draws the picture: scripts/setup demo installs it"
search=$PATH
echo "no video" >"$tmp/a clip.txt"
refuses 1 "no clip of 600x416 can be made" --short --device cores --input "$tmp/a clip.txt"

# A build whose vivid has not chosen at the first time: the second time counts.
mkdir -p "$tmp/slow/apps/vivid" "$tmp/slow/apps/penstock" "$tmp/slow/actors/.libs"
cat >"$tmp/slow/apps/vivid/vivid" <<'END'
#!/bin/sh
for word; do [ "$before" != --rates ] || printf '#\n1 10 10 -\n2 20 10 -\n' >"$word"; before=$word; done
why="the best of the candidates" configuration=CPU-MG:000:3
case "$*" in
*--repeat*) [ -e "$0.asked" ] || { why="a candidate that is tried" configuration=CPU-CG:000:1; } && : >"$0.asked" ;;
esac
printf "20 frames in 2 s: 10 frames/s\npipeline 'vivid': %s, %s\n  measured   10 items/s\n" $configuration "$why" >&2
END
echo '#!/bin/sh' >"$tmp/slow/apps/penstock/penstock"
chmod +x "$tmp/slow/apps/vivid/vivid" "$tmp/slow/apps/penstock/penstock"
"$script" --build-dir "$tmp/slow" --output-dir "$tmp/slow" --device cores --cores 2 --input "$tmp/a clip.txt" \
	>"$tmp/log" 2>&1 || fail "of a slow machine: $(tail -n 5 "$tmp/log")"
[ "$(grep -c 'nothing was chosen in 3 s' "$tmp/log")" -eq 1 ] || fail "of a slow machine: $(cat "$tmp/log")"
grep -qF "best for 600x416: CPU-MG:000:3, 10 frames/s; for 1920x1080: CPU-MG:000:3, 10" "$tmp/log" ||
	fail "of a slow machine: $(cat "$tmp/log")"

# names without a type, in a folder that has one, and with a space behind the point
mkdir "$tmp/clips.d"
PENSTOCK_PLUGINS=$build/actors/.libs "$build/apps/penstock/penstock" run \
	-e "video_source size=64x48 frames=4 ! video_sink output=$tmp/clips.d/clip.y4m" >"$tmp/log" 2>&1 ||
	fail "$(cat "$tmp/log")"
mv "$tmp/clips.d/clip.y4m" "$tmp/clips.d/clip"
cp "$tmp/clips.d/clip" "$tmp/clips.d/clip.of mine"
mkdir "$tmp/it's a folder"
for clip in "$tmp/clips.d/clip" "$tmp/clips.d/clip.of mine"; do
	TMPDIR="$tmp/it's a folder" "$script" --build-dir "$build" --output-dir "$tmp/named" --short --device cores \
		--cores 2 --input "$clip" >"$tmp/log" 2>&1 || fail "$clip: $(tail -n 5 "$tmp/log")"
	[ -s "$tmp/named/mapping.svg" ] || fail "$clip: there is no picture"
done

"$script" --build-dir "$build" --output-dir "$tmp/out" --short --device cores --cores 2 >"$tmp/log" 2>&1 ||
	fail "$(tail -n 5 "$tmp/log")"
for words in "device: cores, cores: 2" "best for 600x416: CPU-" "for 1920x1080: CPU-" "adaptive: " "small: " "large: " \
	"frames/s over time:         $tmp/out/mapping.svg" "the adaptive run's report:  $tmp/out/mapping.txt"; do
	grep -qF -e "$words" "$tmp/log" || fail "it does not say '$words': $(cat "$tmp/log")"
done
# the three runs are of the same frames
[ "$(sed -n 's/^demo-mapping: [a-z]*: \([0-9]*\) frames in .*/\1/p' "$tmp/log" | sort -u | wc -l)" -eq 1 ] ||
	fail "the runs differ: $(cat "$tmp/log")"
for title in 'adaptive' 'best of 600x416: CPU-' 'best of 1920x1080: CPU-' 'seconds' 'frames/s'; do
	grep -q ">$title" "$tmp/out/mapping.svg" || fail "the picture has no '$title'"
done
head -n 1 "$tmp/out/mapping.txt" | grep -q "^pipeline 'vivid': CPU-" ||
	fail "the report is $(cat "$tmp/out/mapping.txt")"

# what can't be replaced is said, and nothing is left beside it
mkdir "$tmp/taken" "$tmp/taken/mapping.svg"
"$script" --build-dir "$build" --output-dir "$tmp/taken" --short --device cores --cores 2 >"$tmp/log" 2>&1 &&
	fail "it has not replaced a folder, but its status is 0: $(cat "$tmp/log")"
grep -qF "cannot write $tmp/taken/mapping.svg" "$tmp/log" || fail "it does not say what: $(cat "$tmp/log")"
[ -z "$(find "$tmp/taken" -name '*.svg*' -type f)" ] || fail "it leaves $(find "$tmp/taken" -type f)"
[ "$(find "$tmp" -maxdepth 1 -name 'tmp.*' | wc -l)" -eq 0 ] || fail "it leaves files: $(ls "$tmp")"
