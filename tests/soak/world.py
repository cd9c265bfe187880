# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause

"""
The three varnishds, their VCL, and the files that rules and objects are made
from.

`main` has the module.  `twin` has the same parameters, and a VCL without the
module: its answers are those of Varnish alone.  `origin` is the backend of both, with
room for all that they may send.
"""

import os
import random
import re

from corpus import PHONE, TOP
from halfway_ask import Echo
from halfway_rules import FRONTS, Rules, vcl_of
from node import Node

HOSTS = 2000            # of the rules that come from a file
WATCH = 0.2

ROOMY = {"http_req_size": "4m", "http_req_hdr_len": "2m",
         "http_max_hdr": "256", "workspace_client": "8m",
         "workspace_thread": "8k", "vsl_space": "4m", "vsl_buffer": "16k"}

ORIGIN = """vcl 4.1;
backend none none;
sub vcl_recv { return (synth(200)); }
sub vcl_synth {
	set resp.http.Content-Type = "text/html";
	if (req.url ~ "^/esi") {
		set resp.body = {"<p><esi:include src="/part/1"/><esi:include
		    src="/pass/2"/><esi:include src="/to/3"/><esi:include
		    src="/gone/4"/><esi:include src="/part/5?utm_x=1&b=x!"/>
		    "};
	} else {
		set resp.body = {"some text, and some more of it"};
	}
	return (deliver);
}
"""

# The twin does what Varnish does for the requests that `main` gets, without the module.
TWIN = """vcl 4.1;
backend origin { .host = "127.0.0.1"; .port = "%(port)d"; }

sub vcl_recv {
	if (req.url ~ "^/pass/" ||
	    (req.method != "GET" && req.method != "HEAD")) {
		return (pass);
	} else if (req.url ~ "^/pipe/") {
		return (pipe);
	} else if (req.url ~ "^/(to|open|gone|deny)/") {
		return (synth(404));
	}
	return (hash);
}

%(object)s
"""

# Objects are gone soon, so that there is much to fetch.
OBJECT = """sub vcl_backend_response {
	set beresp.ttl = 1s;
	set beresp.grace = 0s;
	set beresp.keep = 0s;
	if (bereq.url ~ "^/esi") {
		set beresp.do_esi = true;
	}
	return (deliver);
}

sub vcl_deliver {
	if ((req.url ~ "^/restart" && req.restarts < 2) ||
	    (req.http.X-Again && req.restarts == 0)) {
		return (restart);
	}
}
"""

# Each event is logged as a word of its own, which no client can know: the
# log is what the counters are compared with.  std.timestamp(), as std.log() of
# Varnish 7.1 panics where the log's buffer is just full (its issue 3856).
# The VCL that clients reach has no `set`, which by itself fails a request with a full
# workspace.  Requests with X-Rules are an exception; no word is logged for them.
MAIN = """vcl 4.1;
import fastmatch;
import std;
import vtc;

backend origin { .host = "127.0.0.1"; .port = "%(port)d"; }
%(backends)s
acl operators { "127.0.0.1"; }

sub vcl_init {
	%(init)s
	new soak = fastmatch.rules("%(dir)s/soak.rules", watch=%(watch)gs,
	    backup="%(dir)s/backup/soak", min_hosts=1000);
	new article = fastmatch.rules("%(dir)s/article.rules", log=none,
	    watch=%(watch)gs, backup="%(dir)s/backup/article");
	new demo = fastmatch.rules("%(dir)s/demo.rules", log=all,
	    watch=%(watch)gs, backup="%(dir)s/backup/demo");
	soak.backend("web", origin);
	soak.sub("counted", counted);
	soak.sub("denied", denied);
	soak.sub("stored", stored);
	soak.sub("delivered", delivered);
	article.backend("www", origin);
	article.backend("media", origin);
	article.backend("shop", origin);
	article.backend("wiki", origin);
	article.backend("mobile", origin);
	article.backend("api", origin);

	new words = fastmatch.patterns();
	words.add("^([ab]+)+(?<=b)!", regex, string="odd");
	words.add("Nokia");
	words.load("%(dir)s/words.list", regex, watch=%(watch)gs);
	new sites = fastmatch.hosts();
	sites.add("www.example.com", string="www");
	sites.load("%(dir)s/sites.list", watch=%(watch)gs);
	new clean = fastmatch.params(sort=true, unique=true);
	clean.load("%(dir)s/names.list", watch=%(watch)gs);
	new crumbs = fastmatch.params(mode=keep);
	crumbs.add("session");
	crumbs.add("c1*");
}

# The rules call these.
sub counted { std.timestamp("%(token)s counted"); }
sub denied {
	std.timestamp("%(token)s denied");
	return (synth(429));
}
sub stored { std.timestamp("%(token)s stored"); }
sub delivered { std.timestamp("%(token)s delivered"); }

sub ask_objects {
	if (words.match(req.http.User-Agent)) {
		std.timestamp("%(token)s words");
		if (words.string() && words.pattern()) { }
	}
	if (words.sub(req.url, "<\\0>", true)) { }
	if (words.nmatches() > 1 && words.matched(2) &&
	    words.string(2, "none")) { }
	if (sites.match(req.http.Host)) {
		std.timestamp("%(token)s sites");
		if (sites.string()) { }
	}
	if (clean.query(req.url) != req.url) {
		std.timestamp("%(token)s clean");
	}
	if (req.http.Cookie) {
		std.timestamp("%(token)s crumbs");
		# It makes NULL of separators alone, and drops nothing.
		if (crumbs.cookies(req.http.Cookie) != req.http.Cookie &&
		    req.http.Cookie ~ "[^; \\t]") {
			std.timestamp("%(token)s dropped");
		}
	}
	if (fastmatch.host(req.http.Host)) { }
	if (fastmatch.negotiate(req.http.Accept, "text/html image/webp")) { }
	if (fastmatch.negotiate(req.http.Accept-Language, "en de fr")) { }
}

sub vcl_recv {
	if (req.http.X-Rules) {
		%(recv)s
	}
	if (req.http.X-Ops == "%(token)s") {
		if (req.http.X-Sleep) {
			vtc.sleep(0.3s);
		} else if (req.http.X-Fail) {
			return (synth(599));
		}
		return (synth(700));
	}
	# A client that is gone can't get its 100 Continue, and Varnish ends the
	# request: before vcl_pass has logged it, if that is not to come late.
	std.late_100_continue(true);
	call ask_objects;
	std.timestamp("%(token)s apply");
	if (req.http.X-Policy == "article") {
		std.timestamp("%(token)s article");
		article.apply();
	} else if (req.http.X-Policy == "demo") {
		std.timestamp("%(token)s demo");
		demo.apply();
	} else {
		std.timestamp("%(token)s soak");
		if (req.url ~ "^/(call|deny)/") {
			std.timestamp("%(token)s calls");
		}
		soak.apply();
	}
	std.timestamp("%(token)s none");
	if (req.method != "GET" && req.method != "HEAD") {
		std.timestamp("%(token)s own");
		return (pass);
	}
	return (hash);
}

sub vcl_pass {
	if (!req.http.X-Rules) {
		std.timestamp("%(token)s pass");
	}
}

sub vcl_pipe {
	soak.apply();
	if (req.http.X-Rules) {
		set bereq.http.Connection = "close";
	} else {
		std.timestamp("%(token)s pipe");
	}
}

sub vcl_backend_fetch {
	soak.apply();
	std.timestamp("%(token)s fetch");
	if (words.match(bereq.http.User-Agent)) {
		std.timestamp("%(token)s words");
		if (words.string()) { }
	}
}

sub vcl_hash {
	soak.apply();
}

sub vcl_backend_response {
	if (bereq.url ~ "^/call/") {
		std.timestamp("%(token)s responses");
	}
	soak.apply();
}

sub vcl_deliver {
	if (req.url ~ "^/call/") {
		std.timestamp("%(token)s deliveries");
	}
	soak.apply();
}

%(object)s
sub vcl_synth {
	if (req.http.X-Rules) {
		%(synth)s
		return (deliver);
	}
	if (resp.status == 700) {
		if (req.url ~ "^/page") {
			soak.page(operators);
		} else if (req.url == "/metrics") {
			soak.metrics(operators);
		}
		set resp.status = 200;
		if (req.url == "/soak") {
			set resp.body = soak.report();
		} else if (req.url == "/article") {
			set resp.body = article.report();
		} else if (req.url == "/demo") {
			set resp.body = demo.report();
		} else {
			std.timestamp("%(token)s ops");
			std.timestamp("%(token)s sites");
			set resp.body = sites.lookup("version.example");
		}
		return (deliver);
	}
	if (soak.refused() && resp.status == 503) {
		# A delivery was refused.
		if (soak.rule()) { }
	} else if (soak.refused()) {
		std.timestamp("%(token)s refused");
		if (req.url ~ "^/(call|deny)/") {
			std.timestamp("%(token)s uncalled");
		}
	} else if (resp.status == 429) {
		std.timestamp("%(token)s 429");
	} else if (resp.status == 301 || resp.status == 302) {
		std.timestamp("%(token)s redirect");
	} else if (resp.status < 500) {
		std.timestamp("%(token)s synth");
	}
	if (soak.rule()) { }
	if (req.http.X-Mark) {
		std.timestamp(req.http.X-Mark);
	}
	article.apply();
	demo.apply(finish=false);
	soak.apply();
	return (deliver);
}
"""

SOAK = """# Version %(n)d
list bad nocase contains { sqlmap nikto "../../" }
list brands contains from "brands.list";
list tracking like { utm_* _g? fbclid a1* }
map device nocase {
	contains ipad                           -> tablet;
	contains iphone and not contains bot    -> phone;
	~ "(a+)+$"                              -> odd;
	~ "android.*mobile"                     -> phone;
	default                                    pc;
}
include "soak.d/*.rules";

always {
	when host is version.example { synth 299 "v%(n)d"; }
	# What rules have done; each is counted in the log.
	when path begins /call/ {
		call counted;
		ban obj.http.X-Customer == "of ${host}" and obj.http.X-Stored ~ "${path}$";
	}
	when path begins /deny/ { call denied; hash; }
	query drop in tracking;
	query sort;
	query unique;
	cookie keep session c1* _x;
	unset X-Internal-* Cache-Control;
	normalize Accept-Encoding to br gzip else "";
	normalize Accept to text/html image/webp;
	normalize Accept-Language to en de fr else en;
	set X-Device = device(agent);
	set X-All = "${url} ${path} ${query} ${host} ${method} ${header.X-A} ${cookie.c1} ${query.b}";
	when client in 10.0.0.0/8 { synth 403; }
	when agent in bad or header X-A ~ "^(x+)+y" { synth 403; }
	when agent in brands { set X-Brand = "yes"; }
	when query b ~ "^(.*)(.*)(.*)!$" { set X-Groups = "${1}${2}${3}"; }
	when header X-Eater0 ~ "^([ab]+)+(?<=b)!" { set X-1 = "1"; }
	when header X-Eater1 ~ "^(a+)+(?<=c)!" { set X-1 = "1"; }
	when header X-Eater2 ~ "^(a+)+(?<=d)!" { set X-1 = "1"; }
	when header X-Eater3 ~ "^(a+)+(?<=e)!" { set X-1 = "1"; }
	when header X-Eater4 ~ "^(a+)+(?<=f)!" { set X-1 = "1"; }
	when header X-Eater5 ~ "^(a+)+(?<=g)!" { set X-1 = "1"; }
	rewrite ~ "^/rw/(.*)" to "/\\1/\\1";
	when path begins /pass/ { pass; }
	when path begins /pipe/ { pipe; }
	when path begins /to/ { redirect 302 "https://${host}${url}"; }
	when path begins /open/ { redirect 301 "/${query}"; }
	when path begins /gone/ { synth 410 "gone"; }
	key {
		header X-Device X-Brand Accept-Encoding;
		cookie session c1;
		"v%(n)d ${query.b}";
		when path begins /none/ { stop; }
		header X-A;
	}
	response {
		set X-Stored = "v%(n)d ${status} ${host}";
		vary drop User-Agent;
		unset Server;
		ttl default 1m;
		when path begins /call/ { call stored; }
	}
	delivery {
		set X-Delivered = "v%(n)d ${cache} ${status}";
		set X-Long = "${url} ${request.header.X-A}";
		unset Via X-Served-*;
		when path begins /call/ and cache is hit miss pass { call delivered; }
	}
}
ruleset customer {
	set X-Customer = "${host}";
	key { header X-Customer; }
	response { set X-Customer = "${host}"; grace 1h; }
	delivery { when header X-Customer present { set X-Site = "${header.X-Customer}"; } }
	hash;
}
host www.example.com { when path begins /none/ { stop; } hash; }
host shop.example.com { backend web; set X-Shop = "v%(n)d"; }
host *.wild.example { set X-Wild = "${wild}"; hash; }
hosts from "customers.hosts";
default { when path begins /none/ { stop; } synth 404 "no such site"; }
"""

VERSION = """always {
    when host is version.example { synth 299 "v%d"; }
"""


class World:
    """Files and VCLs of a run; all files are in the folder of `main`."""

    def __init__(self, token):
        self.token = token
        self.origin = self.twin = self.main = None
        self.echo = Echo()
        self.halfway = [Rules(random.Random("halfway %d" % n), n)
                        for n in range(len(FRONTS))]
        with open(os.path.join(TOP, "lists", "mobile-brands.list"),
                  encoding="utf-8") as file:
            self.brands = file.read()
        self.texts = {
            "article": self.example("article/site.rules"),
            # The demo's blocks for responses have verdicts, after which VCL that the
            # twin has, too, would not run.
            "demo": re.sub(r" *(response|delivery) \{.*\n", "",
                           self.example("demo/demo.rules"))}

    @staticmethod
    def example(name):
        with open(os.path.join(TOP, "examples", name),
                  encoding="utf-8") as file:
            text = file.read()
        return text.replace('from shipped "mobile-brands"',
                            'contains from "mobile-brands.list"')

    # The files

    def rules(self, name, version):
        """Returns the rules of an object; a probe can ask for their version."""
        if name == "soak":
            return re.sub(r"%\((n)\)d", str(version), SOAK)
        return self.texts[name].replace("always {\n", VERSION % version, 1)

    def write_lists(self, version):
        """Writes the lists of the objects that are not rules."""
        node = self.main
        node.write("words.list", "iPhone|iPad -> apple\nword%d[0-9]{2,9}x\n"
                   "(x+x+)+y\n[a-f]{3}%d\n" % (version, version))
        node.write("names.list", "utm_*\n_g?\na1*\nv%d\n" % version)
        self.write_sites(version)

    def write_sites(self, version):
        self.main.write(
            "sites.list", "version.example v%d\n.wild.example wild\n" %
            version + "".join("h%d.example.net %d\n" % (n, n)
                              for n in range(HOSTS)))

    def write_all(self):
        node = self.main
        node.open_folder("backup")
        os.mkdir(node.path("soak.d"), 0o755)
        node.write("soak.d/some.rules", "list some is { a b c }\n"
                   "host some.example { when path in some { pass; } }\n")
        node.write("brands.list", self.brands)
        node.write("mobile-brands.list", self.brands)
        with open(os.path.join(TOP, "examples", "article", "handsets.list"),
                  encoding="utf-8") as file:
            node.write("handsets.list", file.read())
        node.write("customers.hosts", "".join(
            "h%d.example.net customer\n" % n for n in range(HOSTS)))
        self.write_lists(1)
        for name in ("soak", "article", "demo"):
            node.write(name + ".rules", self.rules(name, 1))
        for n, rules in enumerate(self.halfway):
            node.write("halfway%d.rules" % n, rules.text)

    # The VCLs

    def vcl(self, watch=WATCH):
        """Returns the VCL of `main`."""
        return MAIN % dict(
            vcl_of([rules.front for rules in self.halfway],
                   lambda n: self.main.path("halfway%d.rules" % n),
                   self.echo.ports),
            dir=self.main.dir, port=self.origin.port, watch=watch,
            token=self.token, object=OBJECT)

    def make(self, built, plain, params):
        """Makes the varnishds, and returns them before they are started."""
        self.origin = Node(ORIGIN, plain, dict(ROOMY, thread_pool_max="100"))
        # The default hash keeps forgotten objects for minutes (critbit_cooloff):
        # that looks like a leak of some 200 bytes for each object.
        args = ["-h", "classic"]
        self.main = Node(None, built, params, args, steady=True)
        self.twin = Node(None, plain, params, args)
        return self.origin, self.main, self.twin

    def tell(self):
        """Writes the files and VCLs for the other two, once the origin listens."""
        self.write_all()
        self.main.vcl = self.vcl()
        self.twin.vcl = TWIN % {"port": self.origin.port, "object": OBJECT}

    def probe(self, name):
        """Returns the headers that ask for the version of an object's rules."""
        return {"Host": "version.example", "X-Policy": name,
                "User-Agent": PHONE}
