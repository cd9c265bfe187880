# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# The stages of ./quickstart check, which sources this.
#
# A stage is a function stage_NAME, run in a subshell that ends at the first
# command to fail. It may leave counts in $tally, lines "pass|fail|skip N", of
# the tests that it ran; the stage itself counts as one more. What was not run
# is never counted as passed: a stage whose build is missing has failed, and one
# that skipped something is "partly" what others are, ok.

passed=0
failed=0
skipped=0

### Counting

# The lines "SKIP WHAT: WHY" of an automake test, TEST.trs, which otherwise ran:
# each once. One that was skipped as a whole has a line of automake's instead.
left_out() {
	grep -q '^:test-result: *SKIP' "$1" ||
	    sed -n '/^SKIP /p' "${1%.trs}.log" | LC_ALL=C sort -u
}

# Keeps the results of automake's tests below a folder, from the files that
# it leaves for each; a Check program counts with each of its checks, and what
# a test left out as skipped. No result at all is a failure: then nothing was
# tested.
tally_tests() {
	local folder=$1
	find "$folder" -name '*.trs' | sort | while read -r trs; do
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
	}' >>"$tally"
	[ "$(($(counted pass) + $(counted fail)))" -gt 0 ] ||
	    { echo "no test was run"; return 1; }
}

# Keeps the lines PASS, FAIL and SKIP of a script's output, and shows the
# latter two.
tally_lines() {
	local output=$1
	awk '/^PASS / { p++ } /^FAIL / { f++ } /^SKIP / { s++ }
	END { print "pass", p + 0; print "fail", f + 0; print "skip", s + 0 }' \
	    "$output" >>"$tally"
	grep -E '^(FAIL|SKIP|  )' "$output" >>"$shown" || true
}

counted() {
	awk -v what="$1" '$1 == what { n += $2 } END { print n + 0 }' "$tally"
}

# stage NAME TITLE [WHAT IT NEEDS]: runs stage_NAME, and says how it went.
stage() {
	local name=$1 title=$2 needs=${3:-} start=$SECONDS status verdict counts
	printf '%-48s ' "$title"
	tally=$logs/$name.tally shown=$logs/$name.shown
	: >"$tally"
	: >"$shown"
	if [ -n "$needs" ] && [ ! -e "$top/$needs" ]; then
		echo "$needs was not built" >"$logs/$name.log"
		status=1
	else
		set +e
		(set -e; "stage_$name") >"$logs/$name.log" 2>&1 </dev/null
		status=$?
		set -e
	fi
	[ "$(counted fail)" -eq 0 ] || status=1
	counts="$(counted pass) passed"
	[ "$(counted fail)" -eq 0 ] || counts+=", $(counted fail) failed"
	[ "$(counted skip)" -eq 0 ] || counts+=", $(counted skip) skipped"
	if [ $status -ne 0 ]; then
		verdict=FAILED
		failed=$((failed + 1))
	elif [ "$(counted skip)" -gt 0 ] && [ "$(counted pass)" -eq 0 ]; then
		verdict=skip
	elif [ "$(counted skip)" -gt 0 ]; then
		verdict=partly
		passed=$((passed + 1))
	else
		verdict=ok
		passed=$((passed + 1))
	fi
	passed=$((passed + $(counted pass)))
	failed=$((failed + $(counted fail)))
	skipped=$((skipped + $(counted skip)))
	[ -s "$tally" ] || counts=
	printf '%-6s %4d s  %s\n' $verdict $((SECONDS - start)) "$counts"
	sed 's/^/    /' "$shown"
	if [ $status -ne 0 ]; then
		[ -s "$shown" ] || tail -n 40 "$logs/$name.log" |
		    sed 's/^/    | /'
		say "    all of it: build/logs/$name.log"
	fi
}

### Builds and tests

# run_tests FOLDER [MAKE ARGUMENT...]: all results are of this run.
run_tests() {
	local folder=$top/$1 status=0
	shift
	find "$folder" -name '*.trs' -delete
	make -C "$folder" -k -j"$jobs" check "$@" || status=$?
	tally_tests "$folder"
	show_failed "$folder"
	show_skipped "$folder"
	return $status
}

# The end of what each failed test has said, of some.
show_failed() {
	local log shown_logs=0
	find "$1" -name '*.trs' -exec \
	    grep -lE '^:test-result: *(FAIL|ERROR|XPASS)' {} + |
	    while read -r log; do
		log=${log%.trs}.log
		echo "FAIL ${log#"$top"/}"
		[ $((shown_logs += 1)) -gt 3 ] || tail -n 30 "$log" |
		    sed 's/^/    | /'
	done >>"$shown" || true
}

# Which tests were skipped, and why: a .vtc that may be says so itself, in a
# comment "# SKIP: why", a script when it runs; and what others have left out.
show_skipped() {
	local test trs why
	find "$1" -name '*.trs' | LC_ALL=C sort | while read -r trs; do
		test=${trs#"$top"/build*/}
		test=${test%.trs}.vtc
		if grep -qE '^:test-result: *SKIP' "$trs"; then
			if [ -e "$top/$test" ]; then
				why=$(sed -n 's/^# SKIP: //p' "$top/$test")
			else
				test=${test%.vtc}
				why=$(sed -n '/^SKIP .*: /{s///p;q;}' \
				    "${trs%.trs}.log")
			fi
			echo "SKIP $test: $why"
		else
			left_out "$trs" | sed "s|^SKIP |&${test%.vtc}: |"
		fi
	done >>"$shown" || true
}

module=build/src/vmod/.libs/libvmod_fastmatch.so
core_tests='TESTS=$(CORE_TESTS)'

stage_gcc() {
	# What an earlier build has linked must not pass for this one's.
	rm -f "$top/build/src/vmod/libvmod_fastmatch.la" "$top/$module" \
	    "$top/build/src/cli/fastmatch"
	configure build --enable-werror
	make -C "$top/build" -j"$jobs"
}

stage_tests() {
	run_tests build
}

# As where Vectorscan fails its self-test: what varnishd does then.
stage_engine() {
	local tests=$top/build/tests
	local preload=LD_PRELOAD=$tests/.libs/libfailengine.so
	export FM_FAIL_ENGINE=selftest
	env "$preload" "$tests/engine" | grep ^fails
	run_tests build/tests 'TESTS=$(VTC_TESTS)' \
	    "VTC_LOG_COMPILER=env $preload \$(srcdir)/run-vtc \$(VTEST)"
}

stage_clang() {
	export CC=clang
	configure build-clang --enable-werror
	make -C "$top/build-clang" -j"$jobs"
	make -C "$top/build-clang/bench" -j"$jobs" check
	run_tests build-clang/tests "$core_tests"
}

stage_sanitizers() {
	configure build-asan --enable-werror --enable-sanitizers
	make -C "$top/build-asan/src" -j"$jobs"
	run_tests build-asan/tests "$core_tests"
}

# That the fuzzers build and run, and find nothing in a minute, which begins
# with the same random numbers each time: what is found is found again.
stage_fuzz() {
	"$top/tools/fuzz" 1 --seed=1 | tee "$shown"
	echo "pass $("$top/tools/fuzz" --list | wc -l)" >>"$tally"
}

stage_tsan() {
	lines_of "$top/tests/live/tsan"
}

### What the built module must hold

lines_of() {
	local status=0
	"$@" >"$tally.lines" || status=$?
	cat "$tally.lines"
	tally_lines "$tally.lines"
	return $status
}

stage_built() {
	lines_of "$top/tests/package/hardening" "$top/build"
}

stage_house() {
	local status=0
	lines_of "$top/tests/house/selftest" || status=1
	lines_of "$top/tests/house/tools" || status=1
	lines_of "$top/tests/house/check" "$top" "$top/$module" || status=1
	return $status
}

# What is live, in a varnishd that runs; then with the sanitized module.
stage_live() {
	local status=0
	lines_of "$top/tests/live/all" "$top/${module%/*}" || status=1
	return $status
}

stage_live_asan() {
	lines_of "$top/tests/live/swap" --asan --seconds 15 \
	    "$top/build-asan/src/vmod/.libs"
}

# The article's policy in its three forms, and in those that it is measured
# against.
stage_decisions() {
	make -s -C "$top/build/bench/insitu" check
	"$top/tests/examples/same-decisions" "$top/${module%/*}" \
	    --requests 100000 | tee "$shown"
	# What is not there is not compared, and counted.
	sed -n '/^SKIP /s/.*/skip 1/p' "$shown" >>"$tally"
	echo "pass 1" >>"$tally"
}

# The comparison of the examples must find what is changed on purpose.
stage_mutations() {
	"$top/tests/examples/same-decisions" "$top/${module%/*}" --mutate
}

# Three nodes behind HAProxy: rules are rolled out under load.
stage_fleet() {
	local status=0
	lines_of "$top/tests/examples/alerts" || status=1
	lines_of "$top/tests/examples/fleet" "$top/${module%/*}" || status=1
	return $status
}

stage_demo() {
	"$top/quickstart" demo --once --port 0
}

# Each scanner is a test.
stage_scan() {
	lines_of "$top/tools/scan"
}

# The sums are shown, and why it is not enough, or which test fails.
stage_coverage() {
	local status=0
	"$top/tools/coverage" >"$tally.lines" || status=$?
	cat "$tally.lines"
	sed -n '/^src\/[a-z]* /s/^/  /p; /^FAIL/,$p' "$tally.lines" >>"$shown"
	show_failed "$top/build-coverage/tests"
	return $status
}

### The benchmarks: that they work, and what no noise touches

# Its answers are checked, and it fails when brands are too slow, as a ratio.
stage_micro() {
	local status=0
	"$top/bench/micro/run" --quick "$top/build" >"$tally.lines" || status=$?
	cat "$tally.lines"
	{
		grep '^SKIP' "$tally.lines" || true
		awk '/^Does a User-Agent/ { on = 1 } /^$/ { on = 0 } on' \
		    "$tally.lines"
		grep 'NOT MET' "$tally.lines" || true
		tail -n 1 "$tally.lines"
	} >>"$shown"
	return $status
}

# No figure of so short a run means anything. The one for all asks whether
# they decide alike, the other takes the rest of the way, to the plot.
stage_insitu() {
	local run=$top/bench/insitu json=$tally.json
	make -s -C "$top/build/bench/insitu" check
	"$run/run" --quick --no-cpu "$top/build" | tee "$tally.lines"
	grep '^SKIP' "$tally.lines" >>"$shown" || true
	sed -n '/^SKIP /s/.*/skip 1/p' "$tally.lines" >>"$tally"
	"$run/run" --quick --variants rules --json "$json" "$top/build"
	"$run/plot.py" "$json" -o "$tally.svg"
	echo "pass 2" >>"$tally"
}

stage_budget() {
	local status=0
	lines_of "$top/bench/budget/run" --selftest "$top/build" || status=1
	lines_of "$top/bench/budget/run" "$top/build" || status=1
	return $status
}

# What a client can make a request cost; and that this can fail.
stage_worst() {
	local status=0
	lines_of "$top/bench/worst/run" --selftest || status=1
	lines_of "$top/bench/worst/run" "$top/build" || status=1
	grep -E '^(PASS|FAIL)' "$tally.lines" | head -n 1 >>"$shown" || true
	return $status
}

### What is handed out

# What `make distcheck` leaves.
tarball() {
	echo "$top"/build/varnish-fastmatch-*.tar.gz
}

# Whatever is in the repository is in the tarball, but for what is git's.
check_tarball() {
	local missing
	[ -e "$top/.git" ] || return 0
	"$top/tools/copy-source" "$top" "$scratch/source"
	mkdir "$scratch/tarball"
	tar -C "$scratch/tarball" --strip-components=1 -xf "$(tarball)"
	missing=$(comm -23 \
	    <(cd "$scratch/source" && find . -type f ! -name ".git*" | sort) \
	    <(cd "$scratch/tarball" && find . -type f | sort))
	[ -z "$missing" ] || {
		echo "$missing" | sed 's/^/FAIL not in the tarball: /' |
		    tee -a "$shown"
		return 1
	}
}

# The tests with varnishd are left to the package, which is built from this
# tarball; with these flags and from this source they have just been run.
stage_distcheck() {
	rm -f "$top"/build/varnish-fastmatch-*.tar.gz
	if ! make -C "$top/build" -j"$jobs" distcheck \
	    TESTS='$(CORE_TESTS) $(SCRIPT_TESTS)'; then
		show_failed "$top"/build/varnish-fastmatch-*/_build
		return 1
	fi
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/fastmatch-dist-XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	check_tarball
}

# All tests again, of what is in the tarball, with a package's flags.
stage_package() {
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/fastmatch-deb-XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	chmod 755 "$scratch"
	rm -rf "$top/build/deb"
	mkdir "$scratch/fastmatch"
	tar -C "$scratch/fastmatch" --strip-components=1 -xf "$(tarball)"
	(cd "$scratch/fastmatch" && dpkg-buildpackage -us -uc -b)
	mkdir -p "$top/build/deb"
	cp "$scratch"/*.deb "$scratch"/*.changes "$scratch"/*.buildinfo \
	    "$top/build/deb/"
}

stage_lintian() {
	lintian --allow-root --info --fail-on error,warning \
	    "$top"/build/deb/*.changes
}

stage_hardening() {
	local status=0
	lines_of "$top/tests/package/hardening" --selftest || status=1
	lines_of "$top/tests/package/hardening" \
	    "$(echo "$top"/build/deb/varnish-fastmatch_*.deb)" || status=1
	return $status
}

stage_install() {
	if [ "$(id -u)" -ne 0 ] && ! sudo ${CI:+-n} true; then
		lines_of echo "SKIP clean-place: only root can make a chroot"
		return 0
	fi
	lines_of as_root "$top/tests/package/check" \
	    "$(echo "$top"/build/deb/varnish-fastmatch_*.deb)"
}

# The other suites and engines: the package of this one has just been built,
# tested and installed. With what is left of 70 minutes; 90 are a CI machine's.
stage_matrix() {
	local status=0 done_here as=as_root
	if [ "${FM_MATRIX:-1}" = 0 ]; then
		lines_of echo "SKIP matrix: FM_MATRIX=0 says so"
		return 0
	fi
	[ "$(id -u)" -eq 0 ] || sudo ${CI:+-n} true || as=
	done_here=$(hyperscan)
	done_here=${done_here#lib}
	done_here=$(. /etc/os-release && echo "$VERSION_CODENAME")-${done_here%-dev}
	lines_of $as "$top/tools/matrix" --quick --skip "$done_here" \
	    --minutes $((SECONDS < 4200 ? 70 - SECONDS / 60 : 0)) \
	    --tarball "$(tarball)" || status=1
	sed -n '/^suite /,$s/^/  /p' "$tally.lines" >>"$shown"
	return $status
}

run_check() {
	local start=$SECONDS
	mkdir -p "$logs"
	if ! install "${PACKAGES[@]}" "$(hyperscan)" "${PACKAGES_CHECK[@]}" \
	    "${PACKAGES_BENCH[@]}"; then
		say "0 passed, 1 failed"
		exit 1
	fi
	stage gcc "build with gcc, warnings are errors"
	stage tests "unit tests and varnishtest" "$module"
	stage engine "varnishtest, the engine fails its self-test" "$module"
	stage clang "clang, warnings are errors: unit tests"
	stage sanitizers "ASan and UBSan: unit tests"
	stage fuzz "fuzzers, for a minute" build-asan/Makefile
	stage tsan "TSan: swapping under readers"
	stage built "how make builds it" "$module"
	stage house "house rules" "$module"
	stage scan "clang-tidy, cppcheck and gcc -fanalyzer"
	stage coverage "coverage of core and rules: 90 % of lines"
	stage live "live: reload under load, bad news, kill" "$module"
	stage live_asan "live: reload under load, with ASan" build-asan/Makefile
	stage decisions "examples: 100,000 requests, decided alike" "$module"
	stage mutations "examples: each change of a rule is found" "$module"
	stage demo "demo: seven requests" "$module"
	stage fleet "fleet: roll-outs under load, alerts" "$module"
	stage budget "instructions a request, against the budget" \
	    build/src/cli/fastmatch
	stage worst "the worst requests that are known" \
	    build/src/cli/fastmatch
	stage micro "micro benchmarks, in short" build/bench/Makefile
	stage insitu "in the server: all variants decide alike" "$module"
	stage distcheck "make distcheck" build/Makefile
	stage package "Debian package, of the tarball" debian/control
	stage lintian "lintian" build/deb
	stage hardening "how the package is built" build/deb
	stage install "installed into a clean system" build/deb
	# The longest, and the one that may be cut short.
	stage matrix "other suites and engines" build/deb
	say "all of it: $((SECONDS - start)) s"
	[ $skipped -eq 0 ] || say "$skipped skipped: see SKIP above"
	say "$passed passed, $failed failed"
	[ $failed -eq 0 ]
}
