# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# The stages of ./quickstart check: what they hold, and how each is run.
# tools/check.sh sources this, and runs them.

SLOW=8			# seconds of CPU time that a unit test should take at most

# Each stage in a line: its name, the seconds that it takes, the stages that come
# before it, the packages that it needs beside those of the build, whether other
# stages may run beside it, and what it holds. Each runs every test once. The first
# in this order that may start is started, so a stage stands before those that take
# less time.
stages() {
	short gcc 60 "" "check" beside \
	    "build/ with gcc, where warnings are errors"
	short asan 100 "" "check" beside \
	    "build-asan/ with AddressSanitizer and UndefinedBehaviorSanitizer"
	short package 70 "gcc" "${PACKAGES_DEB[*]}" beside \
	    "the Debian package, built without its tests"
	short vtc 70 "gcc" "varnish-modules|libvmod-modules" beside \
	    "varnishtest: the module in a varnishd"
	short unit 60 "asan" "check" beside \
	    "unit tests with the sanitizers; seeds and corpora of the fuzzers"
	short install 40 "package" "debootstrap" beside \
	    "the package in a clean Debian: it answers a request, import proves"
	short cli 40 "gcc" "zstd xz-utils bzip2 python3-yaml" beside \
	    "the command line, lists, the tutorial, examples that decide alike"
	short budget 30 "gcc" "valgrind" beside \
	    "instructions a request, against the committed budget"
	short import 30 "gcc" "" beside \
	    "import from VCL, proven in short"
	short clang 20 "" "check clang" beside \
	    "clang's warnings, which are errors"
	short cases 10 "gcc" "" beside \
	    "cases in a varnishd (core, twin: unit; command line: cli); builtin.vcl"
	short lintian 10 "package" "lintian" beside \
	    "lintian for the package, how its binaries are hardened, its SBOM"
	short web 5 "" "nodejs" beside \
	    "the parts of the page and the playground, tested by node"
	short portable 20 "" "" beside \
	    "the command --without-varnish, and what it refuses"
	short demo 5 "gcc" "" beside \
	    "the demo: eight requests, why, a change of the rules, the page"
	short house 1 "gcc" "" beside \
	    "house rules: one symbol, who includes what, layout"

	long fuzz 130 "" "check clang libclang-rt-dev" alone \
	    "the fuzzers for a minute"
	long tsan 40 "" "check" alone \
	    "ThreadSanitizer: swaps under readers"
	long live 90 "gcc" "prometheus-varnish-exporter wrk" alone \
	    "a varnishd under load: reloads, bad files, crashes, memory"
	long live-asan 30 "" "wrk" alone \
	    "reloads under load, with AddressSanitizer"
	long costly 20 "gcc" "" alone \
	    "the worst requests of 32 KB: at most 10 ms of CPU time"
	long halfway 35 "gcc" "" alone \
	    "messages around all limits: rules apply whole, or they are refused"
	long decisions 40 "gcc" "${PACKAGES_BENCH[*]}" alone \
	    "100,000 requests, decided alike by all examples"
	long shells 5 "gcc" "zsh fish" beside \
	    "the completions in a real zsh and fish"
	long mutations 750 "gcc" "" beside \
	    "each change of an example's rule is noticed, and of rules for responses"
	long editors 30 "gcc" "neovim" beside \
	    "neovim: the language server, and the colours of all rules"
	long fleet 30 "gcc" "haproxy" alone \
	    "three nodes: roll-outs under load"
	long prometheus 30 "gcc" "prometheus" alone \
	    "a real Prometheus: reloads, 100,000 hosts, the dashboard; alerts"
	long page 120 "gcc" "chromium fonts-dejavu-core wrk" alone \
	    "the operators' page in a browser, and under load"
	long playground 90 "wasm?" \
	    "chromium fonts-dejavu-core emscripten nodejs xz-utils" alone \
	    "the playground in a browser, with the network cut"
	long micro 10 "gcc" "${PACKAGES_BENCH[*]}" alone \
	    "benchmarks of calls, in short"
	long insitu 40 "gcc" "${PACKAGES_BENCH[*]}" alone \
	    "benchmarks in a varnishd, in short: all variants decide alike"
	long matrix 4500 "" "debootstrap" beside \
	    "Debian 12, 13 and unstable, with Hyperscan and Vectorscan"
	long vcache 120 "gcc" "check" beside \
	    "configure and the module with headers of other Varnishes, a stub vtest"
	long reproducible 300 "" "${PACKAGES_DEB[*]}" beside \
	    "the tarball and the Debian packages, built twice: the same bytes"
	long plain 160 "gcc vtc?" "check" beside \
	    "unit tests with gcc, without sanitizers"
	long clang-unit 270 "" "check clang g++ libre2-dev" beside \
	    "build and unit tests with clang"
	long engine 200 "gcc asan vtc? cases?" "check" beside \
	    "an engine that fails: cases, varnishtest, unit tests"
	long engines 120 "gcc" "check" beside \
	    "each engine against PCRE2: ten million pairs of pattern and text"
	long without 350 "" "check zstd" beside \
	    "a build --without-hyperscan: all tests but those of scans"
	long distcheck 300 "gcc plain?" "check zstd" beside \
	    "make distcheck; all of the repository is in the tarball"
	long packaging 400 "gcc distcheck?" \
	    "check debootstrap libarchive-tools makepkg fakeroot rpm rpmlint" beside \
	    "the tarball as RPM and Arch packages, and by install-vmod for docker"
	long scan 500 "clang?" "check clang clang-tidy cppcheck" beside \
	    "clang-tidy, cppcheck, gcc -fanalyzer"
	long wasm 400 "portable" \
	    "emscripten nodejs xz-utils npm|nodejs git pre-commit" beside \
	    "WebAssembly: the native command's output; the npm package, hooks"
	long coverage 240 "" "check" beside \
	    "90 % of the lines of core and rules are run"
}

### Builds and tests

# Removes what an earlier build has linked: it must not pass for this one's.
stage_gcc() {
	rm -f "$top/build/src/vmod/libvmod_fastmatch.la" "$top/$module" \
	    "$top/build/src/cli/fastmatch"
	configure build --enable-werror
	make -C "$top/build" -j"$jobs"
	make -C "$top/build/tests" -j"$jobs" engine tokens test_cases \
	    libfailengine.la libfailmemory.la
	make -C "$top/build/bench/insitu" -j"$jobs" check TESTS=
}

# -g1 -O1 compiles in half the time of -g -O2. gcc's warnings of snprintf() depend
# on how it optimizes, and are right at -O2 only.
configure_asan() {
	configure build-asan --enable-werror --enable-sanitizers \
	    CFLAGS="-g1 -O1 -Wno-format-truncation"
}

# Builds the unit tests and the libraries that they need, but not the module and
# the command.
stage_asan() {
	local folder
	configure_asan
	for folder in util match files words lang check run compile rules live vcl; do
		make -C "$top/build-asan/src/$folder" -j"$jobs"
	done
	make -C "$top/build-asan/src/report" -j"$jobs" libfmreport.a
	make -C "$top/build-asan/src/cli" -j"$jobs" libfmaccess.a libfmcases.a
	# Tests compile in half of that again by -O0, and run as fast.
	make -C "$top/build-asan/tests" -j"$jobs" check TESTS= \
	    CFLAGS="-g1 -O0 -Wno-maybe-uninitialized"
}

# run_tests FOLDER TESTS: runs the tests of a variable of the Makefile, such as
# '$(VTC_TESTS)'. Other tests may run in the same folder at the same time: so these
# have a log of their own, and programs are built before.
run_tests() {
	local folder=$top/$1 tests=$2 name=${shown##*/} status=0 list
	list=$(make -s -C "$folder" list-tests TESTS="$tests" |
	    sed "s|\.vtc\$||; s|.*|$folder/&.trs|")
	timed="$top/tools/timed $times"
	make -C "$folder" -k -j"$((jobs * 2))" check-TESTS TESTS="$tests" \
	    check_PROGRAMS= check_LTLIBRARIES= TEST_SUITE_LOG="${name%.shown}.suite.log" LOG_COMPILER="$timed" \
	    VTC_LOG_COMPILER="$timed ${preload:-} \$(srcdir)/run-vtc \$(VTEST)" ||
	    status=$?
	tally_tests <<<"$list"
	show_failed <<<"$list"
	show_skipped <<<"$list"
	return $status
}

stage_unit() {
	local status=0
	run_tests build-asan/tests '$(CORE_TESTS)' || status=1
	awk -v most=$SLOW '$1 > most && $3 ~ /test_/ {
		print "  " $3 " takes " $1 " s of CPU time, more than " most
	}' "$times" >>"$shown"
	return $status
}

stage_vtc() { run_tests build/tests '$(VTC_TESTS)'; }
stage_cases() {
	make -C "$top/build/tests" -j"$jobs" beresp
	run_tests build/tests '$(CASE_TESTS)'
}
stage_cli() { run_tests build/tests '$(SCRIPT_TESTS)'; }
stage_import() { run_tests build/tests '$(IMPORT_TESTS)'; }

# There is neither Varnish nor an engine; -O0 compiles in half of the time.
stage_portable() {
	configure build-portable --enable-werror --without-varnish CFLAGS=-O0
	make -C "$top/build-portable/src" -j"$jobs"
	if ldd "$top/build-portable/src/cli/fastmatch" |
	    grep -E 'varnish|vinyl|libhs|urcu'; then
		echo "FAIL the command wants a library of Varnish" |
		    tee -a "$shown"
		return 1
	fi
	run_tests build-portable/tests 'cli/without cli/usage'
}

stage_clang() {
	lines_of "$top/tools/scan" clang
}

stage_plain() {
	make -C "$top/build/tests" -j"$jobs" check TESTS=
	run_tests build/tests '$(CORE_TESTS)'
}

stage_clang-unit() {
	unset FM_WHOLE
	export CC=clang
	configure build-clang --enable-werror
	make -C "$top/build-clang" -j"$jobs"
	make -C "$top/build-clang/bench" -j"$jobs" check
	make -C "$top/build-clang/tests" -j"$jobs" check TESTS=
	run_tests build-clang/tests '$(CORE_TESTS)'
}

# The engine fails its self-test here, as Vectorscan does on some machines, so
# PCRE2 decides everything.
stage_engine() {
	local tests=$top/build/tests preload status=0
	unset FM_WHOLE
	preload=LD_PRELOAD=$tests/.libs/libfailengine.so
	env "$preload" FM_FAIL_ENGINE=selftest "$tests/engine" | grep ^fails
	preload="env $preload FM_FAIL_ENGINE=selftest"
	run_tests build/tests '$(VTC_TESTS)' || status=1
	run_tests build/tests '$(FAIL_TESTS)' || status=1
	run_tests build-asan/tests '$(ENGINE_TESTS)' || status=1
	return $status
}

# The matrix does the same with the engines of other Debians.
stage_engines() {
	make -C "$top/build/tests" -j"$jobs" engine test_syntax
	lines_of "$top/tests/fail/pairs" "$top/build/tests"
	cat "$tally.lines" >>"$shown"
}

# There is no engine here: PCRE2 decides everything in the same way.
stage_without() {
	local folder=$top/build-without tests='$(CORE_TESTS) $(ENGINE_TESTS)'
	tests+=' $(VTC_TESTS) $(CASE_TESTS) $(SCRIPT_TESTS)'
	unset FM_WHOLE
	configure build-without --enable-werror --without-hyperscan
	make -C "$folder" -j"$jobs"
	make -C "$folder/tests" -j"$jobs" check TESTS=
	if ldd "$folder/${module#build/}" | grep libhs; then
		echo "FAIL the module wants libhs" | tee -a "$shown"
		return 1
	fi
	run_tests build-without/tests "$tests"
}

# The fuzzers begin with the same random numbers each time, so a finding comes
# again.
stage_fuzz() {
	"$top/tools/fuzz" 1 --seed=1 | tee "$shown"
	echo "pass $("$top/tools/fuzz" --list | wc -l)" >>"$tally"
}

stage_tsan() {
	lines_of "$top/tests/live/tsan"
}

# Runs a script that prints lines PASS, FAIL and SKIP, and counts them.
lines_of() {
	local status=0
	"$@" >"$tally.lines" || status=$?
	cat "$tally.lines"
	tally_lines "$tally.lines"
	return $status
}

stage_house() {
	lines_of "$top/tests/house/check" "$top" "$top/$module"
}

### In a varnishd

stage_live() {
	local status=0
	lines_of "$top/tests/package/hardening" "$top/build" || status=1
	lines_of "$top/tests/live/all" "$top/${module%/*}" || status=1
	return $status
}

stage_live-asan() {
	configure_asan
	make -C "$top/build-asan/src" -j"$jobs"
	lines_of "$top/tests/live/swap" --asan --seconds 15 \
	    "$top/build-asan/src/vmod/.libs"
}

stage_costly() {
	lines_of "$top/tests/live/costly" "$top/${module%/*}"
}

stage_halfway() {
	local status=0 halfway=$top/tests/live/halfway
	lines_of "$halfway" "$top/${module%/*}" || status=1
	lines_of "$halfway" --small "$top/${module%/*}" || status=1
	lines_of "${halfway}_responses" "$top/${module%/*}" || status=1
	return $status
}

# The article's policy in its three forms, and in those that it is measured
# against.
stage_decisions() {
	make -s -C "$top/build/bench/insitu" check
	"$top/tests/examples/same-decisions" "$top/${module%/*}" \
	    --requests 100000 | tee "$shown"
	# A variant whose module is not there is not compared, and counted as skipped.
	sed -n '/^SKIP /s/.*/skip 1/p' "$shown" >>"$tally"
	echo "pass 1" >>"$tally"
}

stage_shells() {
	lines_of "$top/tests/cli/shells"
}

stage_mutations() {
	local status=0
	"$top/tests/examples/same-decisions" "$top/${module%/*}" --mutate || status=1
	VMOD_DIR=$top/${module%/*} lines_of "$top/tests/import/stories" --changes ||
	    status=1
	return $status
}

stage_fleet() {
	lines_of "$top/tests/examples/fleet" "$top/${module%/*}"
}

stage_prometheus() {
	local status=0
	lines_of "$top/tests/examples/alerts" || status=1
	lines_of "$top/tests/live/prometheus" "$top/${module%/*}" || status=1
	return $status
}

# A part is a function that returns what is to be drawn, so no browser is needed. node
# reports by TAP; some versions count a file as a test, too.
stage_web() {
	local status=0
	node --test --test-reporter=tap "$top"/tests/web/*.test.js \
	    >"$tally.tap" || status=$?
	cat "$tally.tap"
	sed -n 's/^ *ok [0-9]* - /PASS web: /p; s/^ *not ok [0-9]* - /FAIL web: /p' \
	    "$tally.tap" >"$tally.lines"
	tally_lines "$tally.lines"
	return $status
}

stage_page() {
	lines_of "$top/tests/live/page" "$top/${module%/*}"
}

stage_playground() {
	"$top/quickstart" wasm
	lines_of "$top/tests/live/playground" "$top/build/playground"
}

stage_editors() {
	local status=0
	lines_of "$top/tests/editors/neovim" || status=1
	lines_of "$top/tests/editors/vim" || status=1
	return $status
}

stage_demo() {
	"$top/quickstart" demo --once --port 0
}

### Scanners and benchmarks

# Each scanner is a test.
stage_scan() {
	lines_of "$top/tools/scan" clang-tidy cppcheck analyzer
}

# Shows the sums, and why they are not enough, or which test fails.
stage_coverage() {
	local status=0
	unset FM_WHOLE
	"$top/tools/coverage" >"$tally.lines" || status=$?
	cat "$tally.lines"
	sed -n '/^src\/[a-z]* /s/^/  /p; /^FAIL/,$p' "$tally.lines" >>"$shown"
	find "$top/build-coverage/tests" -name '*.trs' | show_failed
	return $status
}

# The benchmark checks its answers, and fails where a ratio misses its target.
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

# The figures of so short a run mean nothing. The first run checks that all variants
# decide alike and can be timed; the second one does all parts for two variants, up to
# the plot.
stage_insitu() {
	local run=$top/bench/insitu json=$tally.json
	make -s -C "$top/build/bench/insitu" check
	"$run/run" --quick --only cold "$top/build" | tee "$tally.lines"
	grep '^SKIP' "$tally.lines" >>"$shown" || true
	sed -n '/^SKIP /s/.*/skip 1/p' "$tally.lines" >>"$tally"
	"$run/run" --quick --only pairs,cpu,deliver,kinds --variants rules,builtin --json "$json" \
	    "$top/build"
	"$run/report.py" --table "$json"
	"$run/plot.py" "$json" -o "$tally.svg"
	echo "pass 2" >>"$tally"
}

stage_budget() {
	lines_of "$top/bench/budget/run" "$top/build"
}

### What is handed out

# Fails where a file of the repository is not in the tarball.
check_tarball() {
	local missing
	[ -e "$top/.git" ] || return 0
	"$top/tools/copy-source" "$top" "$scratch/source"
	mkdir "$scratch/tarball"
	tar -C "$scratch/tarball" --strip-components=1 \
	    -xf "$top"/build/varnish-fastmatch-*.tar.gz
	missing=$(comm -23 \
	    <(cd "$scratch/source" && find . -type f ! -name ".git*" | sort) \
	    <(cd "$scratch/tarball" && find . -type f | sort))
	[ -z "$missing" ] || {
		echo "$missing" | sed 's/^/FAIL not in the tarball: /' |
		    tee -a "$shown"
		return 1
	}
}

# The stage runs the tests that read most files of the tree; the matrix runs all tests
# from the tarball.
stage_distcheck() {
	rm -f "$top"/build/varnish-fastmatch-*.tar.gz
	if ! make -C "$top/build" -j"$jobs" distcheck \
	    DISTCHECK_CONFIGURE_FLAGS=--enable-all-tests \
	    TESTS='test_check test_cases $(CASE_TESTS) $(SCRIPT_TESTS)'; then
		find "$top"/build/varnish-fastmatch-*/_build -name '*.trs' |
		    show_failed
		return 1
	fi
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/fastmatch-dist-XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	check_tarball
}

# The program for pages prints what the native one prints; that for node passes the
# tests of the command line; and both are packed.
stage_wasm() {
	local status=0 test
	"$top/quickstart" npm
	lines_of "$top/tests/wasm/same.js" "$top/build-portable/src/cli/fastmatch" \
	    "$top/build/wasm/fastmatch.js" || status=1
	for test in completion fmt shipped test usage without; do
		FASTMATCH=$top/build/wasm/node/fastmatch ENGINE="echo fails" \
		    lines_of "$top/tests/cli/$test" || status=1
	done
	lines_of "$top/tests/package/npm" || status=1
	return $status
}

stage_reproducible() {
	lines_of "$top/tests/package/reproducible"
}

stage_vcache() {
	lines_of "$top/tests/package/vcache" "$top/build"
}

# Each runs the tarball's own `make check`, as whoever builds it does.
stage_packaging() {
	local tarball status=0 as=as_root
	may_be_root || as=
	make -C "$top/build" dist
	tarball=$(echo "$top"/build/varnish-fastmatch-*.tar.gz)
	lines_of "$top/tests/package/rpm" "$tarball" || status=1
	lines_of "$top/tests/package/arch" "$tarball" || status=1
	lines_of $as "$top/tests/package/docker" "$tarball" || status=1
	return $status
}

# Compiled in half of the time: what is looked at is how the package is made and
# installed. quickstart package and the matrix compile as it is shipped.
stage_package() {
	DEB_CFLAGS_STRIP=-O2 DEB_CFLAGS_APPEND="-O1 -g0" \
	    DEB_BUILD_OPTIONS=noautodbgsym build_deb
}

stage_lintian() {
	lintian --allow-root --info --fail-on error,warning \
	    "$top"/build/deb/*.changes
	lines_of "$top/tests/package/hardening" \
	    "$(echo "$top"/build/deb/libvmod-fastmatch_*.deb)"
	lines_of "$top/tests/package/sbom" \
	    "$(echo "$top"/build/deb/libvmod-fastmatch_*.deb)"
}

stage_install() {
	if ! may_be_root; then
		lines_of echo "SKIP clean-place: only root can make a chroot"
		return 0
	fi
	lines_of as_root "$top/tests/package/check" \
	    "$(echo "$top"/build/deb/libvmod-fastmatch_*.deb)"
}

stage_matrix() {
	local status=0 as=as_root
	may_be_root || as=
	lines_of $as "$top/tools/matrix" || status=1
	sed -n '/^suite /,$s/^/  /p' "$tally.lines" >>"$shown"
	return $status
}
