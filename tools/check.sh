# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# ./quickstart check, which sources this: runs the stages of tools/stages.sh.
#
# A stage is a function stage_NAME. It runs in a subshell, which ends at the
# first command that fails, and writes to build/logs/NAME.log. It may count its
# tests in $tally and show lines in $shown (tools/tally.sh). The stage itself
# counts as one more test, unless one of its tests has failed: then these are the
# failures. Stages that need a failed one are not run, and are not failures of their
# own. Two stages run at a time; one that is "alone" (what it measures or waits for
# would suffer) has the machine for itself.

. "$top/tools/tally.sh"
. "$top/tools/stages.sh"

AIM=480			# seconds that the short check should take

declare -gA about=() holds=() after=() packages=() lane=() # by a stage's name
declare -gA state=()		# waiting, running, passed or failed
declare -gA began=() process=() # of what runs: the second, its process
passed=0 failed=0 skipped=0 not_run=0

### The list of stages

# short|long NAME SECONDS AFTER PACKAGES beside|alone "WHAT IT HOLDS"
short() { describe "$@"; short_stages+=("$1"); }
long() { describe "$@"; long_stages+=("$1"); }
describe() {
	about[$1]=$2 after[$1]=$3 packages[$1]=$4 lane[$1]=$5 holds[$1]=$6
}

list_stages() {
	local name
	say "./quickstart check runs these; the seconds are those of two cores:"
	for name in "${short_stages[@]}"; do
		printf '  %-10s %5d s  %s\n' "$name" "${about[$name]}" \
		    "${holds[$name]}"
	done
	say "These run by name, and by --all, which runs the others as well. With"
	say "--all, random rounds and injected failures are whole (FM_WHOLE=1) in"
	say "vtc, unit, import, cli and plain:"
	for name in "${long_stages[@]}"; do
		printf '  %-10s %5d s  %s\n' "$name" "${about[$name]}" \
		    "${holds[$name]}"
	done
}

# Adds stages to $chosen, each after those that it needs. A stage "NAME?" that it names
# is not added, but waited for if it is chosen: both use the same folder.
choose() {
	local name before
	for name in "$@"; do
		[ -n "${holds[$name]:-}" ] ||
		    die "there is no stage '$name': ./quickstart check --list" \
			"has them all"
		[ -z "${state[$name]:-}" ] || continue
		for before in ${after[$name]}; do
			[ "${before%\?}" != "$before" ] || choose "$before"
		done
		state[$name]=waiting
		chosen+=("$name")
	done
}

### Running them

start_stage() {
	local name=$1
	tally=$logs/$name.tally shown=$logs/$name.shown
	: >"$tally"
	: >"$shown"
	state[$name]=running began[$name]=$SECONDS
	# A process group of its own, which can be ended with all that it began.
	# CI=true, as sudo can't ask for a password from there.
	set -m
	(set -e; CI=true; "stage_$name") >"$logs/$name.log" 2>&1 </dev/null &
	process[$name]=$!
	set +m
}

# Ends what runs: asks it to, and makes it after five seconds.
end_stages() {
	local group tries=50
	for group in "${process[@]}"; do
		kill -TERM -- "-$group" 2>/dev/null || true
	done
	for group in "${process[@]}"; do
		while kill -0 -- "-$group" 2>/dev/null && [ $((tries--)) -gt 0 ]
		do
			sleep 0.1
		done
		kill -KILL -- "-$group" 2>/dev/null || true
	done
}

# Takes note of a stage that has ended, and prints its line.
finish_stage() {
	local name=$1 status=$2 verdict=ok counts=
	tally=$logs/$name.tally shown=$logs/$name.shown
	unset "process[$name]"
	if [ "$(counted fail)" -gt 0 ]; then
		status=1 verdict=FAILED
	elif [ "$status" -ne 0 ]; then
		verdict=FAILED
		failed=$((failed + 1))
	elif [ "$(counted skip)" -gt 0 ] && [ "$(counted pass)" -eq 0 ]; then
		verdict=skip
	else
		passed=$((passed + 1))
	fi
	passed=$((passed + $(counted pass)))
	failed=$((failed + $(counted fail)))
	skipped=$((skipped + $(counted skip)))
	if [ -s "$tally" ]; then
		counts="$(counted pass) passed"
		[ "$(counted fail)" -eq 0 ] || counts+=", $(counted fail) failed"
		[ "$(counted skip)" -eq 0 ] || counts+=", $(counted skip) skipped"
	fi
	printf '%-9s %-6s %5d s  %s\n' "$name" $verdict \
	    $((SECONDS - began[$name])) "$counts" | sed 's/ *$//'
	sed 's/^/    /' "$shown"
	state[$name]=passed
	[ "$status" -ne 0 ] || return 0
	state[$name]=failed
	grep -q '^FAIL' "$shown" ||
	    tail -n 40 "$logs/$name.log" | sed 's/^/    | /'
	say "    all of it: build/logs/$name.log"
}

# Prints "yes" for a stage that may start now, "busy" for one that waits for the
# machine, "later" for one that waits for a stage before it, and the name of a stage
# before it that has failed.
may_start() {
	local name=$1 before
	for before in ${after[$name]}; do
		case ${state[${before%\?}]:-} in
		failed)
			[ "${before%\?}" = "$before" ] || continue
			echo "$before"
			return ;;
		waiting | running) echo later; return ;;
		esac
	done
	case ${#process[@]}:${lane[$name]} in
	0:* | 1:beside) echo yes ;;
	*) echo busy ;;
	esac
}

# give_up NAME VERDICT WHY: the stage is not run, nor those that need it.
give_up() {
	state[$1]=failed
	printf '%-9s %-6s           not run: %s\n' "$1" "$2" "$3"
}

runs_alone() {
	local name
	for name in "${!process[@]}"; do
		[ "${lane[$name]}" != alone ] || return 0
	done
	return 1
}

# Starts what may start now.
start_stages() {
	local name may
	for name in "${chosen[@]}"; do
		[ "${state[$name]}" = waiting ] || continue
		! runs_alone || return 0
		may=$(may_start "$name")
		case $may in
		yes) start_stage "$name" ;;
		later) ;;
		busy) [ "${lane[$name]}" != alone ] || return 0 ;;
		*)
			not_run=$((not_run + 1))
			give_up "$name" - "$may failed" ;;
		esac
	done
}

# A stage must not be started inside a condition: bash ignores set -e there, and in all
# processes that are started there.
run_stages() {
	local ended name status
	start_stages
	while [ ${#process[@]} -gt 0 ]; do
		status=0
		wait -n -p ended "${process[@]}" || status=$?
		for name in "${!process[@]}"; do
			[ "${process[$name]}" != "$ended" ] ||
			    finish_stage "$name" "$status"
		done
		start_stages
	done
	for name in "${chosen[@]}"; do
		[ "${state[$name]}" != waiting ] || {
			failed=$((failed + 1))
			give_up "$name" FAILED "it was never its turn"
		}
	done
}

# Installs what the build and the stages need. Where that can't be done at once,
# each stage is tried by itself, and those without their packages have failed.
install_for_stages() {
	local name needed=()
	for name in "${chosen[@]}"; do
		# shellcheck disable=SC2206
		needed+=(${packages[$name]})
	done
	! (install "${PACKAGES[@]}" "$(hyperscan)" "${needed[@]}") || return 0
	if [ ${#chosen[@]} -eq 1 ] ||
	    ! (install "${PACKAGES[@]}" "$(hyperscan)"); then
		say "0 passed, 1 failed"
		exit 1
	fi
	for name in "${chosen[@]}"; do
		# shellcheck disable=SC2086
		(install ${packages[$name]}) || {
			failed=$((failed + 1))
			give_up "$name" FAILED "its packages can't be installed"
		}
	done
}

### What is said in the end

# Compares the seconds of the short check with the aim; above it, names the tests
# that took most of them.
judge_time() {
	if [ "$1" -le $AIM ]; then
		say "that is $((AIM - $1)) s less than the $AIM s that it may take"
		return
	fi
	say "that is $(($1 - AIM)) s more than the $AIM s that it may take; the"
	say "slowest tests, in seconds of CPU time and on the clock:"
	sort -rn "$times" | head -n 10 | sed 's/^/    /'
}

run_check() {
	local chosen=() short_stages=() long_stages=() start which
	which=${1:-short}
	# Tests of a busy machine take longer.
	export CK_TIMEOUT_MULTIPLIER=4
	stages
	case $which in
	short)
		choose "${short_stages[@]}" ;;
	--list)
		list_stages
		return 0 ;;
	--all)
		export FM_WHOLE=1
		choose "${short_stages[@]}" "${long_stages[@]}" ;;
	-*)
		usage >&2
		exit 2 ;;
	*)
		choose "$@" ;;
	esac
	mkdir -p "$logs"
	install_for_stages
	bootstrap
	# A stage that makes a chroot can't ask for a password.
	may_be_root || true
	times=$logs/times
	: >"$times"
	start=$SECONDS
	say "check: ${#chosen[@]} stages, two at a time; logs are in build/logs"
	trap end_stages EXIT
	trap 'exit 130' INT TERM HUP
	run_stages
	trap - EXIT INT TERM HUP
	say "all of it: $((SECONDS - start)) s"
	[ "$which" != short ] || judge_time $((SECONDS - start))
	[ $not_run -eq 0 ] || say "$not_run stages not run: see above"
	[ $skipped -eq 0 ] || say "$skipped skipped: see SKIP above"
	say "$passed passed, $failed failed"
	[ $failed -eq 0 ]
}
