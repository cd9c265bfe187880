# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# ./quickstart wasm and npm, which source this: the command as WebAssembly, by Debian's
# emscripten, with Debian's sources of PCRE2 and Jansson. All of it is below
# build/wasm, the sources that apt fetches and apt's own lists, too.

PACKAGES_WASM=(emscripten nodejs xz-utils)

wasm=$top/build/wasm

# Debian's emscripten wants Debian's modules also from a node that is not Debian's.
export NODE_PATH=/usr/share/nodejs

wasm_tools=(CC=emcc CXX=em++ AR=emar RANLIB=emranlib NM=emnm)

# Where the command looks for lists, in its own file system.
wasm_lists=/usr/share/varnish-fastmatch/lists

# Steps are in one list each: logged() switches off set -e.

### Libraries

# Runs apt-get with a sources list, lists and a cache of its own.
wasm_apt() {
	local root=()
	[ "$(id -u)" -ne 0 ] || root=(-o APT::Sandbox::User=root)
	apt-get -q "${root[@]}" \
	    -o Dir::Etc::sourcelist="$wasm/apt/sources.list" \
	    -o Dir::Etc::sourceparts=/dev/null \
	    -o Dir::State::lists="$wasm/apt/lists" \
	    -o Dir::Cache="$wasm/apt/cache" "$@"
}

# Fetches the sources of both libraries, from the mirrors that this machine's apt has.
wasm_fetch() (
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg by=
	[ ! -e "$keyring" ] || by="[signed-by=$keyring] "
	rm -rf "$wasm/apt" "$wasm/sources" &&
	    mkdir -p "$wasm/apt/lists/partial" \
		"$wasm/apt/cache/archives/partial" "$wasm/sources" &&
	    chroot_sources "$(chroot_own_suite)" |
	    sed -n "s|^\(.*\) main\$|deb-src $by\1 main|p" \
		>"$wasm/apt/sources.list" || return 1
	[ -s "$wasm/apt/sources.list" ] || {
		echo "apt here names no mirror of Debian's"
		return 1
	}
	wasm_apt update && cd "$wasm/sources" &&
	    wasm_apt source --download-only --tar-only \
		pcre2 jansson
)

# wasm_library NAME [OPTION...]: builds a static library into $wasm/prefix.
wasm_library() (
	name=$1 folder=$wasm/$1
	shift
	rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" &&
	    tar --strip-components=1 -xf "$wasm/sources/$name"_*.orig.tar.?z* &&
	    { [ -e configure ] || autoreconf -fi; } &&
	    ./configure "${wasm_tools[@]}" --host=wasm32-unknown-emscripten \
		--prefix="$wasm/prefix" --disable-shared --enable-static \
		--disable-dependency-tracking CFLAGS=-Os "$@"
)

wasm_pcre2() {
	wasm_library pcre2 --disable-jit &&
	    make -C "$wasm/pcre2" -j"$jobs" libpcre2-8.la &&
	    make -C "$wasm/pcre2" install-libLTLIBRARIES \
		install-pkgconfigDATA install-nodist_includeHEADERS
}

wasm_jansson() {
	wasm_library jansson &&
	    make -C "$wasm/jansson/src" -j"$jobs" install &&
	    make -C "$wasm/jansson" install-pkgconfigDATA
}

# xxHash is a header.
wasm_xxhash() {
	mkdir -p "$wasm/prefix/include" "$wasm/prefix/lib/pkgconfig" &&
	    cp "$(pkg-config --variable=includedir libxxhash)/xxhash.h" \
		"$wasm/prefix/include/" &&
	    cat >"$wasm/prefix/lib/pkgconfig/libxxhash.pc" <<-PC
		Name: xxhash
		Description: the header
		Version: $(pkg-config --modversion libxxhash)
		Cflags: -I$wasm/prefix/include
	PC
}

wasm_libraries() {
	[ -e "$wasm/prefix/.complete" ] ||
	    { wasm_fetch && wasm_xxhash && wasm_pcre2 && wasm_jansson &&
	    touch "$wasm/prefix/.complete"; }
}

### The command

wasm_configure() {
	export PKG_CONFIG_LIBDIR=$wasm/prefix/lib/pkgconfig
	configure build/wasm/objects "${wasm_tools[@]}" --enable-werror \
	    --host=wasm32-unknown-emscripten --without-varnish \
	    --prefix=/usr CFLAGS=-Os
	unset PKG_CONFIG_LIBDIR
}

wasm_compile() {
	local folder
	for folder in util match files words lang check run compile rules vcl; do
		make -C "$wasm/objects/src/$folder" -j"$jobs" || return 1
	done
	make -C "$wasm/objects/src/cli" -j"$jobs" objects
}

# wasm_link NAME SETTING...: one program, which each of them starts in another way.
wasm_link() {
	local name=$1 objects
	shift
	mapfile -t objects < <(find "$wasm/objects/src" -name '*.o')
	emcc -Os "${objects[@]}" "$wasm/prefix/lib/libjansson.a" \
	    "$wasm/prefix/lib/libpcre2-8.a" -o "$wasm/link/$name.js" \
	    -Wl,--gc-sections -sMODULARIZE=1 -sEXPORT_NAME=program \
	    -sINVOKE_RUN=0 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 \
	    -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 "$@"
}

wasm_program() {
	mkdir -p "$wasm/link" &&
	    wasm_link run -sENVIRONMENT=web,worker,node \
		-sFORCE_FILESYSTEM=1 \
		-sEXPORTED_RUNTIME_METHODS=FS,callMain &&
	    wasm_link node -sENVIRONMENT=node -sNODERAWFS=1 \
		-sEXPORTED_RUNTIME_METHODS=FS,ENV,callMain &&
	    "$PYTHON" "$top/web/wasm/pack.py" "$wasm/link" "$top/lists" \
		"$wasm_lists" "$wasm"
}

# Succeeds if nothing is newer than what was made last.
wasm_is_made() {
	[ -e "$wasm/fastmatch.js" ] && [ -z "$(find "$top/src" "$top/lists" \
	    "$top/web/wasm" "$top/configure.ac" "$top/m4" \
	    "$top/tools/wasm.sh" -newer "$wasm/fastmatch.js" -type f)" ]
}

wasm_make() {
	local start=$SECONDS
	install "${PACKAGES[@]}" "$(hyperscan)" "${PACKAGES_WASM[@]}"
	. "$top/tools/chroot.sh"
	if ! wasm_is_made; then
		say "wasm: compiling, which takes three minutes the first time"
		logged wasm-libraries wasm_libraries
		wasm_configure
		logged wasm-compile wasm_compile
		logged wasm-link wasm_program
	fi
	"$top/web/playground/build" "$wasm/fastmatch.inline.js" \
	    "$top/build/playground"
	say "wasm: build/wasm/fastmatch.js, fastmatch.inline.js:" \
	    "$(gzip -9 <"$wasm/fastmatch.wasm" | wc -c) bytes of WebAssembly," \
	    "compressed ($((SECONDS - start)) s)"
	say "wasm: build/playground/index.html: open it in a browser"
}

### The package for npm

wasm_npm() {
	local package=$wasm/npm/package tarball=$1
	rm -rf "$wasm/npm" && mkdir -p "$wasm/npm" &&
	    cp -R "$wasm/node" "$package" &&
	    cp "$top/LICENSE" "$top/packaging/npm/README.md" "$package/" &&
	    sed "s/@VERSION@/$(wasm_version)/" \
		"$top/packaging/npm/package.json" >"$package/package.json" &&
	    (cd "$wasm/npm" && "$top/tools/pack" package) |
	    gzip -9 -n >"$tarball"
}

wasm_version() {
	sed -n 's/^AC_INIT(\[fastmatch\], \[\([^]]*\)\].*/\1/p' "$top/configure.ac"
}

wasm_pack() {
	local tarball
	tarball=build/fastmatch-$(wasm_version).tgz
	wasm_make
	logged npm wasm_npm "$top/$tarball"
	say "npm: it is packed; this runs it:"
	say "npx --yes ./$tarball check site.rules"
}
