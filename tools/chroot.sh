# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Clean systems to build and install in, sourced by what needs them.
#
# A clean system is a minimal chroot of a Debian suite, from the mirror that
# this machine's apt uses. It is kept as a tar file for a week, in
# $chroot_cache. A command in a chroot runs in mount and process namespaces
# of its own: nothing of it, no mount and no process, survives the command.
# A function that fails has said why in $why, unless it says otherwise.

chroot_cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/fastmatch
chroot_arch=$(dpkg --print-architecture 2>/dev/null || true)
chroot_path=/usr/sbin:/usr/bin:/sbin:/bin
why=
chroot_pid=

# The suite of this machine. Unstable has the os-release of testing, so apt says which
# of both it is.
chroot_own_suite() {
	if grep -qs '/sid$' /etc/debian_version && apt-get indextargets \
	    --format '$(CODENAME)' | grep -x sid >/dev/null; then
		echo sid
	else
		(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	fi
}

# Succeeds if chroots can be made here at all.
chroot_possible() {
	local PATH=$chroot_path:$PATH
	why=
	if [ "$(id -u)" -ne 0 ]; then
		why="only root can make a chroot"
	elif ! command -v debootstrap >/dev/null; then
		why="no debootstrap"
	elif ! unshare --mount --pid --fork true 2>/dev/null; then
		why="this machine allows no namespaces"
	fi
	[ -z "$why" ]
}

# chroot_sources SUITE: prints lines "uri suite component": those that apt uses for this
# machine's own suite, with SUITE in its place.
chroot_sources() {
	local own
	own=$(chroot_own_suite)
	apt-get indextargets --format \
	    '$(CREATED_BY) $(ORIGIN) $(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)' |
	    while read -r by origin codename uri release component; do
		[ "$by $origin" = "Packages Debian" ] || continue
		case $codename in
		"$own") release=$1 ;;
		"$own"-updates | "$own"-security)
			# There is neither for unstable.
			case $1 in sid | unstable) continue ;; esac
			release=$1${codename#"$own"} ;;
		*) continue ;;
		esac
		# Cloud images name a file that lists the mirrors.
		case $uri in mirror+file:*)
			uri=$(sed -n 's/^[[:space:]]*\(http[^[:space:]]*\).*/\1/p' \
			    "${uri#mirror+file:}" | head -n 1) ;;
		esac
		echo "${uri%/} $release $component"
	done | sort -u
}

# chroot_mirror SUITE: where a whole suite comes from.
chroot_mirror() {
	chroot_sources "$1" |
	    awk -v s="$1" '$3 == "main" && $2 == s { print $1; exit }'
}

# chroot_base SUITE SCRATCH: the clean system as a tar file, made when there
# is none of this week.
chroot_base() {
	local suite=$1 scratch=$2 mirror proxy= tar
	tar=$(chroot_base_tar "$suite")
	why=
	if [ -n "$(find "$tar" -mtime -7 2>/dev/null)" ]; then
		return 0
	fi
	mirror=$(chroot_mirror "$suite")
	if [ -z "$mirror" ]; then
		apt-get -qq update >"$scratch/base.log" 2>&1 || true
		mirror=$(chroot_mirror "$suite")
	fi
	if [ -z "$mirror" ]; then
		why="apt here names no mirror of Debian's"
		return 1
	fi
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	mkdir -p "$chroot_cache"
	if ! env PATH="$chroot_path" \
	    ${proxy:+http_proxy="$proxy" https_proxy="$proxy"} \
	    debootstrap --variant=minbase --include=ca-certificates \
	    "$suite" "$scratch/base" "$mirror" >"$scratch/base.log" 2>&1 \
	    </dev/null; then
		why=$(sed -n 's/^E: //p' "$scratch/base.log" | tail -n 1)
		why="debootstrap can't make it here: ${why:-no reason given}"
		rm -rf --one-file-system "$scratch/base"
		return 1
	fi
	chroot_pack "$scratch/base" "$tar"
}

chroot_base_tar() {
	echo "$chroot_cache/$1-$chroot_arch.tar"
}

# chroot_pack ROOT TAR: what is in ROOT, from now on in TAR alone.
chroot_pack() {
	rm -f "$1"/var/cache/apt/archives/*.deb
	tar -C "$1" -cf "$2.$$" . && mv "$2.$$" "$2" || {
		why="$2 can't be written: is there room?"
		rm -f "$2.$$"
		return 1
	}
	rm -rf --one-file-system "$1"
}

# chroot_unfetched LOG: prints apt's error in the log, if the mirror has failed, and not
# the request.
chroot_unfetched() {
	sed -nE 's/^E: ((Failed|Unable) to fetch .*)/\2/p' "$1" |
	    head -n 1
}

# chroot_apt_error LOG: what apt complains of there, in a line.
chroot_apt_error() {
	awk '/^The following packages have unmet dependencies:/ { getline why }
	/^E: / && why == "" { why = substr($0, 4) }
	END { gsub(/  +/, " ", why); sub(/^ /, "", why); print why }' "$1"
}

# chroot_make SUITE ROOT [TAR]: unpacks the clean system, or that in TAR, to
# ROOT, and brings it up to date: unstable is another one every day.
chroot_make() {
	local suite=$1 root=$2 tar=${3:-$(chroot_base_tar "$1")}
	why=
	mkdir -p "$root"
	tar -C "$root" -xpf "$tar" || {
		why="$tar can't be unpacked: make room, or remove it"
		return 1
	}
	cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
	echo "127.0.0.1 localhost $(uname -n)" >"$root/etc/hosts"
	rm -f "$root"/etc/apt/sources.list.d/*
	chroot_sources "$suite" | sed 's/^/deb /' >"$root/etc/apt/sources.list"
	# Without any, apt is content with nothing.
	[ -s "$root/etc/apt/sources.list" ] || {
		why="apt here names no mirror of Debian's"
		return 1
	}
	apt-config dump | grep -E '^Acquire::(https?::.*Proxy|Check-).* ".+";$' \
	    >"$root/etc/apt/apt.conf.d/90fastmatch" || true
	# The chroot is thrown away, so nothing need be safe on the disk.
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/90unsafe-io"
	# No package may start a server in here.
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	chroot_run "$root" sh -c 'apt-get -qq -o APT::Update::Error-Mode=any update &&
	    apt-get -y -qq dist-upgrade' \
	    >"$root/tmp/update.log" 2>&1 </dev/null || {
		why="apt can't update it:"
		why+=" $(chroot_apt_error "$root/tmp/update.log")"
		return 1
	}
}

# chroot_run ROOT COMMAND...: runs it in the background, as unshare heeds one signal
# only, and a shell that waits for a command runs no trap.
chroot_run() {
	local status=0
	unshare --mount --pid --fork --kill-child=KILL -- /bin/sh -c '
	mount -t proc proc "$1/proc"
	mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$1/dev/pts"
	cd / && root=$1 && shift
	exec chroot "$root" /usr/bin/env -i "$@"' chroot_run "$1" \
	    PATH="$chroot_path" HOME=/root LC_ALL=C.UTF-8 \
	    DEBIAN_FRONTEND=noninteractive TMPDIR=/tmp "${@:2}" <&0 &
	chroot_pid=$!
	wait $chroot_pid || status=$?
	chroot_pid=
	return $status
}

# Ends what runs; for a trap.
chroot_stop() {
	[ -z "$chroot_pid" ] || kill -KILL "$chroot_pid" 2>/dev/null || true
}

# chroot_install ROOT PACKAGE...: with their dependencies and nothing else.
# Says nothing in $why.
chroot_install() {
	local root=$1
	shift
	chroot_run "$root" apt-get -y -q --no-install-recommends install "$@"
}
