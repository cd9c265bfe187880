# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Counts the results that tests leave; sourced by tools/check.sh and tools/matrix.
#
# The file $tally has the counts of a stage, lines "pass|fail|skip N"; the file
# $shown has what a user should see of its tests.

counted() {
	awk -v what="$1" '$1 == what { n += $2 } END { print n + 0 }' "$tally"
}

# Counts the lines PASS, FAIL and SKIP of a script's output, and shows the
# latter two.
tally_lines() {
	local output=$1
	awk '/^PASS / { p++ } /^FAIL / { f++ } /^SKIP / { s++ }
	END { print "pass", p + 0; print "fail", f + 0; print "skip", s + 0 }' \
	    "$output" >>"$tally"
	grep -E '^(FAIL|SKIP|  )' "$output" >>"$shown" || true
}

# Counts automake's tests, of which stdin names the .trs files. A program of
# Check counts with each of its checks. A test that ran and has left something
# out (a line SKIP in its log) counts as passed, and what it left out as skipped.
# No result at all is a failure: nothing was tested then.
tally_tests() {
	while read -r trs; do
		sed -n 's/^:test-result: *\([A-Z]*\).*/result \1/p' "$trs"
		sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\).*/checks \1 \2 \3/p' \
		    "${trs%.trs}.log"
		left_out "$trs" | sed 's/.*/left-out/'
		echo end
	done | awk '
	$1 == "result" { n[$2]++ }
	$1 == "checks" { checks += $2; bad += $3 + $4 }
	$1 == "left-out" { skip++ }
	$1 != "end" { next }
	{
		wrong = n["FAIL"] + n["ERROR"] + n["XPASS"]
		if (checks > 0) {
			fail += bad
			pass += checks - bad
			if (wrong > 0 && bad == 0)
				fail++
		} else {
			fail += wrong
			pass += n["PASS"] + n["XFAIL"]
		}
		skip += n["SKIP"]
		checks = bad = 0
		delete n
	}
	END {
		print "pass", pass + 0
		print "fail", fail + 0
		print "skip", skip + 0
		exit (pass + fail == 0)
	}' >>"$tally" || { echo "no test was run"; return 1; }
}

is_skipped() {
	grep -q '^:test-result: *SKIP' "$1"
}

# Prints the lines "SKIP WHAT: WHY" of a test that otherwise ran, each once.
left_out() {
	is_skipped "$1" ||
	    sed -n '/^SKIP /p' "${1%.trs}.log" | LC_ALL=C sort -u
}

# Shows the end of what each failed test has said, of three at most. Stdin names
# the .trs files.
show_failed() {
	local trs log logs_shown=0
	while read -r trs; do
		grep -qE '^:test-result: *(FAIL|ERROR|XPASS)' "$trs" || continue
		log=${trs%.trs}.log
		echo "FAIL ${log#"$top"/}"
		[ $((logs_shown += 1)) -gt 3 ] || tail -n 30 "$log" |
		    sed 's/^/    | /'
	done >>"$shown"
}

# Shows which tests were skipped, in whole or in part, and why. A .vtc says why
# in a comment "# SKIP: why", a script when it runs.
show_skipped() {
	local trs test why
	while read -r trs; do
		test=${trs#"$top"/build*/}
		test=${test%.trs}
		if ! is_skipped "$trs"; then
			left_out "$trs" | sed "s|^SKIP |&$test: |"
		elif [ -e "$top/$test.vtc" ]; then
			why=$(sed -n 's/^# SKIP: //p' "$top/$test.vtc")
			echo "SKIP $test.vtc: $why"
		else
			why=$(sed -n '/^SKIP .*: /{s///p;q;}' "${trs%.trs}.log")
			echo "SKIP $test: $why"
		fi
	done >>"$shown"
}
