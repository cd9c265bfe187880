# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# The demo of ./quickstart, which sources this: a varnishd of its own, with
# the module and the command line from build/, and examples/demo/. Its pages
# come from examples/demo/explain.py.
#
# Varnishd, started by root, works as a user of its own, who may not look into
# somebody's home folder. So all that it reads (module, lists, rules, VCL) is
# copied to a folder in /tmp: it then runs just as confined as in production,
# from wherever the source tree is. Started by anybody else it runs as that user.

demo_dir=
demo_pid=
demo_explain_pid=

# The eight requests: lines that the page must have (blanks don't count), then
# what curl is told.  The last two are for one page, which response rules store.
demo_requests() {
	local ask=$1 url=http://127.0.0.1:$2
	$ask 'Entry www.example.com, demo.rules:22:6|59 builtin nothing speaks against it: hash|Verdict hash|+GET /?page=2' \
	    -H 'Host: www.example.com' "$url/?utm_source=mail&page=2&gclid=1"
	$ask 'Verdict redirect 302 http://m.example.com/?page=2|+X-Device: phone' \
	    -H 'Host: WWW.Example.com:80' \
	    -A 'Nokia6230/2.0 (iPhone, or so it says)' "$url/?page=2"
	$ask 'Entry .shop.example.com (* is books), demo.rules:33:6|Verdict pass|+Cookie: session=s; cart_1=c' \
	    -H 'Host: books.shop.example.com' \
	    -b '_ga=1; session=s; cart_1=c' "$url/"
	$ask 'Entry *.wiki.example (* is de), demo.rules:36:6|+GET /pages/Varnish?a=1&b=2|+X-Wiki: de/Varnish' \
	    -H 'Host: de.wiki.example.' -H 'Accept-Language: de-AT, en;q=0.5' \
	    "$url/wiki/Varnish?b=2&fbclid=3&a=1"
	$ask 'Verdict pass' -H 'Host: admin.example.com' "$url/"
	$ask 'Verdict synth 404 no such site' -H 'Host: elsewhere.test' "$url/"
	$ask 'X-Cache: miss' -i -H 'Host: static.example.com' "$url/page"
	$ask 'X-Cache: hit' -i -H 'Host: static.example.com' "$url/page"
}

demo_print() {
	local argument line=curl
	shift
	for argument in -s "$@"; do
		case $argument in
		-*) line+=" $argument" ;;
		*) line+=" ${argument@Q}" ;;
		esac
	done
	say "  $line"
}

demo_wrong=0
demo_try() {
	local page expected=$1 line
	demo_print "$@"
	shift
	if ! page=$(curl -s --max-time 60 "$@"); then
		say "wrong: no answer"
		demo_wrong=$((demo_wrong + 1))
		return 0
	fi
	printf '%s\n' "$page" | sed 's/^/      /'
	while read -r -d '|' line; do
		if ! sed 's/^ *//; s/  */ /g; s/\r$//' <<<"$page" |
		    grep -Fx "$line" >/dev/null; then
			say "wrong: the answer has no line '$line'"
			demo_wrong=$((demo_wrong + 1))
		fi
	done <<<"$expected|"
	say
}

# The rules change while varnishd serves: a 404 becomes a 410.
demo_live() {
	local tries status url=http://127.0.0.1:$1/
	say "  sed -i 's/synth 404/synth 410/' demo.rules"
	sed -i 's/synth 404/synth 410/' "$demo_dir/demo.rules"
	chmod a+r "$demo_dir/demo.rules"
	for ((tries = 0; tries < 600; tries++)); do
		status=$(curl -s -o "$demo_dir/page" -w '%{http_code}' \
		    --max-time 60 -H 'Host: elsewhere.test' "$url") || true
		[ "$status" != 410 ] || break
		sleep 0.1
	done
	demo_print '' -H 'Host: elsewhere.test' "$url"
	say "      $status"
	if [ "$status" != 410 ]; then
		say "wrong: the answer is not 410"
		demo_wrong=$((demo_wrong + 1))
	fi
	say
}

# The log of this varnishd tells why a page is not cached, or is: the lines after the
# URL must be there.
demo_why() {
	local said line url=$1
	shift
	say "  fastmatch why -n $demo_dir/work $url"
	said=$(TZ=UTC "$demo_dir/fastmatch" why -n "$demo_dir/work" "$url" \
	    2>&1) || true
	printf '%s\n' "$said" | sed 's/^/      /'
	for line in "$@"; do
		if ! grep -F "$line" <<<"$said" >/dev/null; then
			say "wrong: fastmatch why does not say '$line'"
			demo_wrong=$((demo_wrong + 1))
		fi
	done
	say
}

# The page for operators, asked to explain a request.
demo_page() {
	local page=http://127.0.0.1:$1/fastmatch/page
	if ! curl -s --max-time 60 "$page?json&url=http://admin.example.com/&client=192.0.2.1" |
	    grep '"verdict": "synth"' >/dev/null; then
		say "wrong: $page explains nothing"
		demo_wrong=$((demo_wrong + 1))
	fi
}

demo_stop() {
	trap - EXIT INT TERM HUP
	local pid
	for pid in $demo_pid $demo_explain_pid; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "$demo_dir" ] || rm -rf "$demo_dir"
	demo_pid='' demo_explain_pid='' demo_dir=''
}

# Somebody else on the port would answer in our place.
demo_port_free() {
	local port=$1
	[ "$port" -ne 0 ] || return 0
	if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
		die "port $port is in use: choose another, as in" \
		    "'./quickstart demo --port $((port + 1))'," \
		    "or any that is free with '--port 0'"
	fi
}

demo_prepare() {
	demo_dir=$(mktemp -d "${TMPDIR:-/tmp}/fastmatch-demo-XXXXXX")
	chmod 755 "$demo_dir"
	mkdir -m 755 "$demo_dir/vmods" "$demo_dir/lists"
	cp "$top"/build/src/vmod/.libs/libvmod_fastmatch.so "$demo_dir/vmods/"
	cp "$top"/lists/*.list "$demo_dir/lists/"
	cp "$top"/build/src/cli/fastmatch "$demo_dir/"
	sed "s|from shipped \"mobile-brands\"|contains from \"$demo_dir/lists/mobile-brands.list\"|" \
	    "$top/examples/demo/demo.rules" >"$demo_dir/demo.rules"
	chmod -R a+rX "$demo_dir"
}

# The port, as soon as varnishd listens and its child serves.
demo_listening() {
	varnishadm -n "$demo_dir/work" -t 30 status 2>/dev/null |
	    grep 'state running' >/dev/null || return 1
	varnishadm -n "$demo_dir/work" -t 30 debug.listen_address 2>/dev/null |
	    awk '$2 == "127.0.0.1" { port = $3 }
	    END { if (port == "") exit 1; print port }'
}

# The backend, which explains; and the VCL that knows its port.
demo_explain() {
	local tries explain_port=
	: >"$demo_dir/port"
	(cd "$demo_dir" && exec setsid python3 "$top/examples/demo/explain.py" \
	    ./fastmatch demo.rules >port 2>explain.log </dev/null) &
	demo_explain_pid=$!
	for ((tries = 0; tries < 600; tries++)); do
		explain_port=$(cat "$demo_dir/port")
		[ -z "$explain_port" ] || break
		kill -0 "$demo_explain_pid" 2>/dev/null || break
		sleep 0.1
	done
	if [ -z "$explain_port" ]; then
		cat "$demo_dir/explain.log" >&2
		die "explain.py didn't start, it said the above"
	fi
	sed -e "s|/etc/varnish/demo.rules|$demo_dir/demo.rules|" \
	    -e "s|\"8089\"|\"$explain_port\"|" \
	    "$top/examples/demo/demo.vcl" >"$demo_dir/demo.vcl"
	chmod a+r "$demo_dir/demo.vcl"
}

demo_start() {
	local port=$1 tries vmods
	vmods=$(pkg-config --variable=vmoddir varnishapi)
	# In a session of its own: Ctrl-C is for us, and we end it.
	setsid varnishd -F -n "$demo_dir/work" -a "127.0.0.1:$port" \
	    -T 127.0.0.1:0 \
	    -f "$demo_dir/demo.vcl" -p "vmod_path=$demo_dir/vmods:$vmods" \
	    >"$demo_dir/log" 2>&1 </dev/null &
	demo_pid=$!
	for ((tries = 0; tries < 600; tries++)); do
		if demo_port=$(demo_listening); then
			return 0
		fi
		kill -0 "$demo_pid" 2>/dev/null || break
		sleep 0.1
	done
	cat "$demo_dir/log" >&2
	die "varnishd didn't start, it said the above"
}

run_demo() {
	local once=$1 port=$2 status=0
	demo_port_free "$port"
	trap demo_stop EXIT
	trap 'exit 130' INT TERM HUP
	demo_prepare
	demo_explain
	demo_start "$port"
	say "demo: varnishd answers at http://127.0.0.1:$demo_port/"
	say "demo: what its rules do, live: http://127.0.0.1:$demo_port/fastmatch/page"
	if [ "$once" = yes ]; then
		demo_requests demo_try "$demo_port"
		demo_why http://admin.example.com/ \
		    'Not cached: a rule passes the request, at demo.rules:46.'
		demo_why http://static.example.com/page \
		    'ttl: 2m -> 1m'
		demo_live "$demo_port"
		demo_page "$demo_port"
		demo_stop
		[ $demo_wrong -eq 0 ] || die "$demo_wrong answers were wrong"
		say "demo: all eight answers are right, and so is a ninth," \
		    "after a change of the rules, and the page, and why"
		return 0
	fi
	trap 'say; say "demo: ended"; demo_stop; exit 0' INT TERM HUP
	say "Try, in another terminal:"
	demo_requests demo_print "$demo_port"
	say
	say "And ask why a page is not cached, or is:"
	say
	say "  $demo_dir/fastmatch why -n $demo_dir/work http://admin.example.com/"
	say "  $demo_dir/fastmatch why -n $demo_dir/work http://static.example.com/page"
	say
	say "Its rules are in $demo_dir/demo.rules: change them, and a second"
	say "later the answers are others. If there is a mistake in them, the old"
	say "ones go on; what varnishd says of both is shown by"
	say
	say "  varnishlog -n $demo_dir/work -g raw -q 'vxid == 0' -i Error,VCL_Log"
	say
	say "Ctrl-C ends it."
	wait "$demo_pid" || status=$?
	cat "$demo_dir/log" >&2
	die "varnishd ended by itself (status $status), it said the above"
}
