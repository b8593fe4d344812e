#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmark of mappings, very briefly: what it prints and writes, and its usage. Its items are checked in each run.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
scratch mapping_bench

mapping=$top_builddir/benchmarks/mapping
[ -x "$mapping" ] || skip "built without OpenCL or jansson"

cat >"$tmp/stages.json" <<EOF
[{ "name": "brief", "s": 1, "nC": 1, "core_ms": [1], "device_ms": [0.5], "medium_ms": [1],
	"simulated": { "CPU-CG:0:1": 1000, "DP-CG:1:2": 3000 } }]
EOF
must "$mapping" --stages "$tmp/stages.json" --rounds 1 --seconds 0.05 --json "$tmp/out.json" >"$tmp/out"
for text in 'CPU-CG:0:1' 'DP-MG:1:2' ' of 6 configurations of the simulation' ' of 2 of the file'; do
	grep -q -- "$text" "$tmp/out" || fail "nothing of '$text': $(cat "$tmp/out")"
done
for key in name measured simulated best chosen predicted; do
	grep -q "\"$key\"" "$tmp/out.json" || fail "no '$key' in the JSON: $(cat "$tmp/out.json")"
done

# what is chosen of a file's, of which not all are measured; with slower kernels the file's rates say nothing
must "$mapping" --stages "$tmp/stages.json" --choose --most 1 --rounds 1 --seconds 0.02 --device-factor 4 \
	--meter sim:cores=2,core=5,device_idle=1,device=8,rest=3 --json "$tmp/out.json" >"$tmp/out"
for text in 'device 2.00' capacity paper baseline 'within 5 % of the best in [01] of 1' ' J, predicted '; do
	grep -q "$text" "$tmp/out" || fail "nothing of '$text': $(cat "$tmp/out")"
done
for key in rules bounded energies dt; do
	grep -q "\"$key\"" "$tmp/out.json" || fail "no '$key' in the JSON: $(cat "$tmp/out.json")"
done

# a stage without a kernel, and no medium grain: so no baseline either
cat >"$tmp/coarse.json" <<EOF
[{ "name": "coarse", "s": 2, "nC": 1, "core_ms": [0.5, 0.5], "device_ms": [0.5, 0],
	"device_ok": "10", "medium_grain": false }]
EOF
must "$mapping" --stages "$tmp/coarse.json" --choose --most 0 --passes 1 --rounds 3 --seconds 0.02 \
	--json "$tmp/out.json" >"$tmp/out"
grep -q '^  capacity C' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q '^  baseline ' "$tmp/out" && fail "a baseline without medium grain: $(cat "$tmp/out")"
grep -q '"baseline": null' "$tmp/out.json" || fail "$(cat "$tmp/out.json")"

# from one pipeline to another and back
"$mapping" --adapt "$tmp/stages.json" >"$tmp/out" 2>&1 && fail "one pipeline: $(cat "$tmp/out")"
grep -q 'it has one pipeline' "$tmp/out" || fail "$(cat "$tmp/out")"
cat >"$tmp/two.json" <<EOF
[{ "name": "low", "s": 1, "nC": 1, "core_ms": [1], "device_ms": [0.5], "medium_ms": [1] },
 { "name": "high", "s": 1, "nC": 1, "core_ms": [2], "device_ms": [8], "medium_ms": [2] }]
EOF
must "$mapping" --adapt "$tmp/two.json" --rounds 1 --seconds 0.02 --json "$tmp/out.json" >"$tmp/out"
for text in '^  low: ' '^  high: ' 'pays for the training' '^adapt: low, high, low, '; do
	grep -q "$text" "$tmp/out" || fail "nothing of '$text': $(cat "$tmp/out")"
done
grep -q '"break_even"' "$tmp/out.json" || fail "$(cat "$tmp/out.json")"

# what is chosen of a small one, and the JSON of that
must "$mapping" --random 1 --seed 3 --seconds 0.02 --json "$tmp/out.json" >"$tmp/out"
for text in capacity paper baseline 'within 5 % of the best in [01] of 1'; do
	grep -q -- "$text" "$tmp/out" || fail "nothing of '$text': $(cat "$tmp/out")"
done
grep -q '"of_best"' "$tmp/out.json" || fail "nothing chosen: $(cat "$tmp/out.json")"

# frames: all variants give one output, or the program fails
must "$mapping" --real --rounds 1 --seconds 0.001 >"$tmp/out"
grep -q '^gauss and median, heavy' "$tmp/out" || fail "$(cat "$tmp/out")"
must "$mapping" --real-medium --rounds 1 --seconds 0.001 >"$tmp/out"
grep -q '^rows of a frame' "$tmp/out" || fail "$(cat "$tmp/out")"

must "$mapping" --model-time >"$tmp/out"
grep -q ' of 48 configurations' "$tmp/out" || fail "$(cat "$tmp/out")"

# usage: nothing to measure, two things, no number, no option
for wrong in '' '--model-time --switch' '--random x' '--random 1 --most x' '--adapt' \
	'--random 1 --device-factor 0' '--model-time --rounds 0' '--none' '--model-time more'; do
	# shellcheck disable=SC2086
	"$mapping" $wrong >"$tmp/out" 2>&1
	status=$?
	[ "$status" -eq 2 ] || fail "mapping $wrong: status $status: $(cat "$tmp/out")"
done
must "$mapping" --help >"$tmp/out"
grep -q -- '--real-medium' "$tmp/out" || fail "$(cat "$tmp/out")"
"$mapping" --stages "$tmp/none.json" >"$tmp/out" 2>&1 && fail "a file that is not there: $(cat "$tmp/out")"
grep -q 'none.json' "$tmp/out" || fail "$(cat "$tmp/out")"
