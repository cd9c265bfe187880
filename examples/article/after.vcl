vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's configuration with fastmatch: the policy of before.vcl, said
 * once.  The same numbers, (1) to (20), stand at the same clean-ups.
 *
 *	four chains of 32 host tests	one table, one lookup
 *	six copies of 120 words		two lists, scanned only after the
 *					test of the path
 *	two expressions and two more	one set of names, one pass
 *	for each parameter
 *	an expression for the end of	a set of extensions, asked of the
 *	the path			path alone
 *	cookies, for all sites		only where something looks at them
 *	a URL or a header set anew	edited where it is, if there is need
 *
 * Both files decide the same: the verdict, the URL, the headers, the backend.
 * They differ only in what no browser sends:
 *
 *  - a name written with percent signs that decode to one of the list:
 *    ?%75tm_source=x is utm_source, and goes.  before.vcl kept it; where it
 *    keeps by name (18), ?%71=x stays as q, and before.vcl dropped it.
 *  - a host that has more than 253 bytes is not a host: 404 for those under
 *    *.wiki.example and *.staging.example.com too.
 *  - before.vcl works with a header X-Query, and takes away one that a client
 *    sends.
 */

import fastmatch;

backend www { .host = "127.0.0.1"; .port = "8081"; }
backend media { .host = "127.0.0.1"; .port = "8082"; }
backend shop { .host = "127.0.0.1"; .port = "8083"; }
backend wiki { .host = "127.0.0.1"; .port = "8084"; }
backend mobile { .host = "127.0.0.1"; .port = "8085"; }
backend api { .host = "127.0.0.1"; .port = "8086"; }

sub vcl_init {
	# Whose site is it?  The order of the lines means nothing.
	new sites = fastmatch.hosts();
	sites.add("www.example.com", "www", backend=www, sub=front);
	sites.add("example.com", "www", backend=www, sub=front);
	sites.add("news.example.com", "news", backend=www, sub=news);
	sites.add("tv.example.com", "pages", backend=www, sub=plain);
	sites.add("blog.example.com", "pages", backend=www, sub=plain);
	sites.add("forum.example.com", "forum", backend=www, sub=forum);
	sites.add("shop.example.com", "shop", backend=shop, sub=shop_pages);
	sites.add("secure.example.com", "shop", backend=shop, sub=private);
	sites.add("search.example.com", "search", backend=api, sub=search);
	sites.add("api.example.com", "api", backend=api, sub=private);
	sites.add("*.staging.example.com", "api", backend=api, sub=private);
	sites.add("media.example.com", "media", backend=media, sub=plain);
	sites.add("static.example.com", "media", backend=media, sub=plain);
	sites.add("img.example.com", "media", backend=media, sub=plain);
	sites.add("m.example.com", "mobile", backend=mobile, sub=plain);

	sites.add("www.example.net", "net", backend=www, sub=front);
	sites.add("example.net", "net", backend=www, sub=front);
	sites.add("games.example.net", "games", backend=www, sub=games);
	sites.add("media.example.net", "media", backend=media, sub=plain);
	sites.add("download.example.net", "media", backend=media,
	    sub=download);
	sites.add("m.example.net", "mobile", backend=mobile, sub=plain);

	sites.add("www.example.org", "org", backend=www, sub=front);
	sites.add("example.org", "org", backend=www, sub=front);
	sites.add("docs.example.org", "org", backend=www, sub=docs);
	sites.add("intranet.example.org", "intranet", backend=www,
	    sub=private);
	sites.add("m.example.org", "mobile", backend=mobile, sub=plain);

	# A name with a dot in front: the name itself and all below it.  The
	# longer one wins, so de.m.wiki.example is mobile.
	sites.add(".wiki.example", "wiki", backend=wiki, sub=wiki_pages);
	sites.add(".m.wiki.example", "mobile", backend=mobile,
	    sub=wiki_mobile);

	# Where the phones of a site go.
	new full_sites = fastmatch.hosts();
	full_sites.add("www.example.com", "http://m.example.com");
	full_sites.add("example.com", "http://m.example.com");
	full_sites.add("news.example.com", "http://m.example.com/news");
	full_sites.add("games.example.net", "http://m.example.net/games");
	full_sites.add("www.example.net", "http://m.example.net");
	full_sites.add("example.net", "http://m.example.net");
	full_sites.add("www.example.org", "http://m.example.org");
	full_sites.add("example.org", "http://m.example.org");

	# The front page and the old pages, from which phones are sent there.
	new entrances = fastmatch.patterns();
	entrances.add("/", exact);
	entrances.add("/*.cfm", glob);

	# The two alternations.  The second list is next to this file.
	new phones = fastmatch.patterns();
	phones.load("/usr/share/varnish-fastmatch/lists/mobile-brands.list");
	new handsets = fastmatch.patterns();
	handsets.load("/etc/varnish/handsets.list");

	# (4) to (7)
	new tracking = fastmatch.params();
	tracking.add("utm_*");
	tracking.add("gclid");
	tracking.add("gclsrc");
	tracking.add("dclid");
	tracking.add("yclid");
	tracking.add("_");
	tracking.add("PHPSESSID");
	tracking.add("jsessionid");
	tracking.add("CFID");
	tracking.add("CFTOKEN");

	# (8) to (10)
	new files = fastmatch.patterns();
	files.add(".jpg", suffix);
	files.add(".jpeg", suffix);
	files.add(".png", suffix);
	files.add(".gif", suffix);
	files.add(".ico", suffix);
	files.add(".mp3", suffix);
	files.add(".mp4", suffix);
	files.add(".flv", suffix);
	files.add(".swf", suffix);
	files.add(".gz", suffix);
	files.add(".zip", suffix);

	# (9) The first of these that the header names.  It is not
	# fastmatch.normalize(), for that would heed gzip;q=0, and the policy
	# would be another (a better one: examples/negotiate.vcl).
	new encodings = fastmatch.patterns();
	encodings.add("gzip", string="gzip");
	encodings.add("deflate", string="deflate");

	# (10)
	new code = fastmatch.patterns();
	code.add(".css", suffix);
	code.add(".js", suffix);

	# (11)
	new page_cookies = fastmatch.params();
	page_cookies.add("__utm*");
	page_cookies.add("_ga");
	page_cookies.add("_gat");
	page_cookies.add("has_js");

	# (13) to (19)
	new news_params = fastmatch.params();
	news_params.add("ref");
	news_params.add("src");
	new wiki_params = fastmatch.params();
	wiki_params.add("printable");
	wiki_params.add("useskin");
	new shop_params = fastmatch.params();
	shop_params.add("aff*");
	shop_params.add("pid");
	new games_params = fastmatch.params();
	games_params.add("r");
	games_params.add("rand");
	games_params.add("nocache");
	new docs_params = fastmatch.params();
	docs_params.add("highlight");
	docs_params.add("print");
	new search_params = fastmatch.params(mode=keep);
	search_params.add("q");
	search_params.add("page");
	search_params.add("lang");
	search_params.add("sort");
	new no_params = fastmatch.params(mode=keep);

	# (20)
	new shop_cookies = fastmatch.params(mode=keep);
	shop_cookies.add("session");
	shop_cookies.add("cart");
	shop_cookies.add("currency");
	new wiki_cookies = fastmatch.params(mode=keep);
	wiki_cookies.add("wiki*");
}

sub vcl_recv {
	if (!sites.match()) {
		return (synth(404, "Unknown virtual host"));
	}
	# (1)
	fastmatch.clean_host();
	set req.backend_hint = sites.backend(www);
	fastmatch.set(req.http.X-Site, sites.string());

	if ((req.method != "GET" && req.method != "HEAD") ||
	    req.http.Authorization) {
		return (pass);
	}

	# (2) (3)
	fastmatch.unset(req.http.Cache-Control);
	fastmatch.unset(req.http.Pragma);

	# (4) to (7)
	tracking.clean_url();

	# (8) (9), and (10) for these files
	if (files.match_path()) {
		fastmatch.unset(req.http.Accept-Encoding);
		fastmatch.unset(req.http.Cookie);
	} else {
		encodings.normalize(req.http.Accept-Encoding);
	}

	# (13) to (20): the site's own.
	call sites.subroutine(plain);

	return (hash);
}

# (10) to (12), where something looks at cookies.  The other sites have none.
sub clean_cookies {
	if (code.match_path()) {
		fastmatch.unset(req.http.Cookie);
	}
	page_cookies.clean_cookies();
}

# Phones go to the mobile site, from the front page and from the old pages,
# unless somebody there chose the full site.  The cheap tests come first.
sub phones_elsewhere {
	call clean_cookies;
	if (req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)" &&
	    phones.match()) {
		return (synth(752, full_sites.lookup(req.http.Host)));
	}
}

sub plain {
	fastmatch.unset(req.http.Cookie);
}

sub private {
	call clean_cookies;
	return (pass);
}

sub front {
	if (entrances.match_path()) {
		call phones_elsewhere;
	}
	fastmatch.unset(req.http.Cookie);
}

sub news {
	news_params.clean_url();
	if (entrances.match_path()) {
		call phones_elsewhere;
	}
	fastmatch.unset(req.http.Cookie);
}

sub games {
	games_params.clean_url();
	if (entrances.match_path()) {
		call clean_cookies;
		if (req.http.Cookie !~
		    "(^|; *)stopMobileRedirect=true(;|$)" &&
		    handsets.match()) {
			return (synth(752, full_sites.lookup(req.http.Host)));
		}
	}
	fastmatch.unset(req.http.Cookie);
}

sub wiki_pages {
	wiki_params.clean_url();
	call clean_cookies;
	if (entrances.match_path() &&
	    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)" &&
	    handsets.match()) {
		return (synth(752, "http://" + regsub(req.http.Host,
		    "wiki\.example$", "m.wiki.example")));
	}
	wiki_cookies.clean_cookies();
	if (req.http.Cookie) {
		return (pass);
	}
}

sub wiki_mobile {
	wiki_params.clean_url();
	fastmatch.unset(req.http.Cookie);
}

sub shop_pages {
	shop_params.clean_url();
	call clean_cookies;
	shop_cookies.clean_cookies();
	if (req.url ~ "^/(cart|checkout|account)(/|\?|$)") {
		return (pass);
	}
	fastmatch.unset(req.http.Cookie);
}

sub forum {
	call clean_cookies;
	if (req.http.Cookie ~ "(^|; *)forum_session=") {
		return (pass);
	}
	fastmatch.unset(req.http.Cookie);
}

sub search {
	search_params.clean_url();
	fastmatch.unset(req.http.Cookie);
}

sub download {
	no_params.clean_url();
	fastmatch.unset(req.http.Cookie);
}

sub docs {
	docs_params.clean_url();
	fastmatch.unset(req.http.Cookie);
}

sub vcl_synth {
	if (resp.status == 752) {
		set resp.http.Location = resp.reason + req.url;
		set resp.status = 302;
		set resp.reason = "Found";
		return (deliver);
	}
}
