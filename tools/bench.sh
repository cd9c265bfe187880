# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# ./quickstart bench, which sources this.

about_insitu="in a live varnishd: all of it takes 50 minutes"
about_micro="single calls: all of it takes 4 minutes"
about_budget="counts instructions: half a minute"

# Growth goes into the file that the first run has written, and the plot is
# made of it.
bench_insitu() {
	local run=$top/bench/insitu json=$results/insitu.json
	make -s -C "$top/build/bench/insitu" check TESTS=
	if [ $# -gt 0 ]; then
		"$run/run" "$@" "$top/build"
		return
	fi
	"$run/run" --json "$json" "$top/build"
	"$run/grow" --json "$json" "$top/build"
	"$run/plot.py" "$json" -o "$results/insitu.svg"
	say "bench: ${json#"$top"/}, ${results#"$top"/}/insitu.svg"
}

bench_micro() {
	if [ $# -gt 0 ]; then
		"$top/bench/micro/run" "$@" "$top/build"
		return
	fi
	"$top/bench/micro/run" --json "$results/micro.json" "$top/build"
	say "bench: ${results#"$top"/}/micro.json"
}

bench_budget() {
	"$top/bench/budget/run" "$@" "$top/build"
}

run_bench() {
	local which=(insitu micro budget) one about status=0
	case ${1:-} in
	insitu | micro | budget) which=("$1"); shift ;;
	'' | --save) ;;
	*) usage >&2; exit 2 ;;
	esac
	results=$top/build/results
	if [ "${1:-}" = --save ]; then
		[ "${which[0]}" != budget ] ||
		    die "the budget is saved by: ./quickstart bench budget --write"
		[ $# -eq 1 ] ||
		    die "--save is for a run as it should be: no other options"
		shift
		results=$top/bench/results
	fi
	for one in "${which[@]}"; do
		about=about_$one
		say "bench: $one, ${!about}"
	done
	say "bench: times are worth what else runs here leaves of them"
	install "${PACKAGES[@]}" "$(hyperscan)" "${PACKAGES_BENCH[@]}"
	build
	mkdir -p "$results"
	for one in "${which[@]}"; do
		say "bench: $one"
		# In a shell of its own, as "||" would switch off set -e.
		set +e
		(set -e; "bench_$one" "$@")
		[ $? -eq 0 ] || { status=1; say "bench: $one failed" >&2; }
		set -e
	done
	return $status
}
