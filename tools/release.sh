# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# ./quickstart package --all, which sources this: all that a release hands out, in
# build/release. tools/matrix makes the packages, each in a clean system of its Debian.
# What it has made within a day of the same tarball is taken again.

release=$top/build/release
release_cells=$top/build/matrix/release
release_suites=(bookworm trixie sid)

# Prints the engine of this architecture: --engine of tools/matrix.
release_engine() {
	case $(dpkg --print-architecture) in
	amd64 | i386) echo hyperscan ;;
	*) echo vectorscan ;;
	esac
}

# Succeeds if there is a package of each suite. A suite that is out of reach is skipped
# by the matrix, but a release without it is not whole.
release_is_whole() {
	local suite missing=()
	[ -n "$(find "$release_cells" -name 'varnish-fastmatch-*.tar.gz')" ] ||
	    die "no clean system can be made here, as tools/matrix says above"
	for suite in "${release_suites[@]}"; do
		grep -qsx "verdict pass" \
		    "$release_cells/$suite-$1/result" || missing+=("$suite")
	done
	[ ${#missing[@]} -eq 0 ] ||
	    die "there is no package for ${missing[*]}, so build/release is" \
		"left as it was: build/matrix/release has the logs"
}

# Fills a folder, and puts it in the place of the release before when it is whole. All in
# one list: logged() switches off set -e.
release_collect() {
	local engine=$1 suite new=$release.new
	rm -rf "$new" && mkdir -p "$new" &&
	    cp "$release_cells"/varnish-fastmatch-*.tar.gz \
		"$top/build/fastmatch-$(wasm_version).tgz" "$new/" || return 1
	for suite in "${release_suites[@]}"; do
		cp "$release_cells/$suite-$engine"/libvmod-fastmatch*.deb \
		    "$new/" || return 1
	done
	(cd "$new" && LC_ALL=C && sha512sum -- * >SHA512SUMS &&
	    sha512sum --quiet -c SHA512SUMS) &&
	    rm -rf "$release" && mv "$new" "$release"
}

run_release() {
	local engine start=$SECONDS
	engine=$(release_engine)
	. "$top/tools/wasm.sh"
	install "${PACKAGES[@]}" "$(hyperscan)" "${PACKAGES_DEB[@]}" debootstrap
	may_be_root || die "only root can make clean systems, and there is no" \
	    "sudo for it here: run ./quickstart package --all as root"
	wasm_pack
	say "package: three Debians, each some ten minutes; build/matrix/release" \
	    "has the logs"
	# There is none after a matrix that could make no clean system at all.
	as_root rm -f "$release_cells"/varnish-fastmatch-*.tar.gz
	as_root "$top/tools/matrix" --release --engine "$engine" \
	    --output "$release_cells" "${release_suites[@]}" ||
	    die "not all packages passed, so build/release is left as it was:" \
		"build/matrix/release has the logs"
	release_is_whole "$engine"
	logged release release_collect "$engine"
	say "package: build/release has all of it ($((SECONDS - start)) s):"
	(cd "$release" && ls)
}
