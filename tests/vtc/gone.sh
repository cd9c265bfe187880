#!/bin/sh
# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: gone.sh INSTANCE COUNTERS
#
# Waits until a running varnishd has no such counters any more: a discarded VCL
# goes with the next command of the CLI after the last worker has let go of it.
# Gives up after half a minute.

set -eu
stat=$(command -v varnishstat || command -v vinylstat)
adm=$(command -v varnishadm || command -v vinyladm)

# MAIN.uptime shows that there is a child to ask.
tries=0
while :; do
	counters=$("$stat" -n "$1" -1 -f MAIN.uptime -f "$2")
	case $counters in
	MAIN.uptime*"
"*)	;;
	MAIN.uptime*)
		exit 0 ;;
	esac
	tries=$((tries + 1))
	if [ "$tries" -gt 300 ]; then
		echo "still there: $2"
		"$adm" -t 300 -n "$1" vcl.list
		exit 1
	fi
	"$adm" -t 300 -n "$1" vcl.list >/dev/null
	sleep .1
done
