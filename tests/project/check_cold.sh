#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/project/cold.sh, which runs each test: what hangs is ended with all that it has started, and nothing begins
# after it.
# shellcheck source=tests/project/check.sh
. "${srcdir:?}/tests/project/check.sh"
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer has nothing to see in scripts"
command -v timeout >/dev/null || skip "there is no timeout: the guards of the tests themselves end what hangs"
scratch cold
unset PENSTOCK_TEST_GUARD PENSTOCK_TEST_LONG PENSTOCK_TEST_HUNG

# program NAME: a test, from stdin
program()
{
	cat >"$tmp/$1" && chmod +x "$tmp/$1"
}

# ends STATUS NAME TEXT [VARIABLE=VALUE..]: the test of this name ends so under cold.sh
ends()
{
	want=$1 test=$tmp/$2 text=$3
	shift 3
	run env top_builddir="$tmp" "$@" sh "$top_srcdir/tests/project/cold.sh" "$test" >"$tmp/output" 2>&1
	status=$?
	cat "$tmp/output"
	[ $status -eq "$want" ] || fail "$test ended with $status, not $want"
	grep -qF -e "$text" "$tmp/output" || fail "$test does not say: $text"
}

program good <<'END'
#!/bin/sh
echo "cache: $POCL_CACHE_DIR"
END
program bad <<'END'
#!/bin/sh
exit 3
END
program skips <<'END'
#!/bin/sh
exit 77
END
mkfifo "$tmp/never" "$tmp/alive" || exit 1
ends 0 good "cache: $tmp/tests/pocl-cache/good"
ends 3 bad "+ env"
ends 77 skips "+ env"

# two processes read a pipe that is never written; the other pipe ends when both have ended
program hangs <<END
#!/bin/sh
exec 9>'$tmp/alive'
echo one run
touch "\$POCL_CACHE_DIR/\$\$"
cat '$tmp/never' &
cat '$tmp/never'
END
cat "$tmp/alive" >"$tmp/gone" &
reader=$!
ends 124 hangs "hangs: it has not ended in 12 s: it hangs" PENSTOCK_TEST_GUARD=1 PENSTOCK_TEST_HUNG="$tmp/hung"
wait $reader
[ "$(cat "$tmp/hung")" = "hangs: it has not ended in 12 s: it hangs" ] || fail "written down: $(cat "$tmp/hung")"
# no second run, although kernels were compiled
cat "$tmp/alive" >"$tmp/gone" &
reader=$!
ends 124 hangs "one run" PENSTOCK_TEST_GUARD=1 SANITIZER_FLAGS=-fsanitize=address
wait $reader
[ "$(grep -c 'one run' "$tmp/output")" -eq 1 ] || fail "what hangs has run twice"
ends 77 good "skipped: not run after hangs: it has not ended in 12 s" PENSTOCK_TEST_HUNG="$tmp/hung"
ends 0 good "cache:" PENSTOCK_TEST_HUNG="$tmp/none"

# what ends cold.sh ends the test
cat "$tmp/alive" >"$tmp/gone" &
reader=$!
env top_builddir="$tmp" sh "$top_srcdir/tests/project/cold.sh" "$tmp/hangs" &
cold=$!
exec 8>"$tmp/never" # returns when the test reads
kill "$cold"
wait "$cold"
status=$?
wait "$reader"
[ $status -eq 130 ] || fail "an interrupted test ended with $status"
exit 0
