vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The VCL that the tutorial (doc/tutorial.rst) starts from: some sites of one
 * house on one Varnish, grown over the years, with what such a file has of
 * repetition and of small mistakes.
 */

backend web { .host = "127.0.0.1"; .port = "8081"; }
backend shop { .host = "127.0.0.1"; .port = "8082"; }
backend blog { .host = "127.0.0.1"; .port = "8083"; }
backend forum { .host = "127.0.0.1"; .port = "8084"; }
backend media { .host = "127.0.0.1"; .port = "8085"; }
backend api { .host = "127.0.0.1"; .port = "8086"; }

acl office {
	"192.0.2.0"/24;
	"2001:db8:1::"/48;
}

acl purgers {
	"127.0.0.1";
	"192.0.2.10";
}

sub vcl_recv {
	# ------------------------------------------------------------------
	# Purges, from the machines of the editors
	# ------------------------------------------------------------------
	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(405, "Not allowed"));
		}
		return (purge);
	}

	# Shift and reload, from there, fetches the page again.
	if (req.http.Cache-Control ~ "no-cache" && client.ip ~ purgers) {
		set req.hash_always_miss = true;
	}

	# ------------------------------------------------------------------
	# What must not come from outside
	# ------------------------------------------------------------------
	unset req.http.Proxy;
	unset req.http.X-Site;
	unset req.http.X-Device;
	unset req.http.X-Logged-In;
	unset req.http.X-Lang;
	unset req.http.Cache-Control;
	unset req.http.Pragma;

	# The balancer asks every second.
	if (req.url == "/healthz" || req.url == "/haproxy?monitor") {
		return (synth(200, "OK"));
	}

	# What is not a path is for a proxy. After a host, in a redirect, it would be
	# more of the host.
	if (req.url !~ "^/") {
		return (synth(400, "Bad request"));
	}

	# Scanners (added after the incident)
	if (req.url ~ "^/\.(git|svn|hg|env|aws|ssh)") {
		return (synth(404, "Not found"));
	}
	if (req.url ~ "(?i)^/(phpmyadmin|pma|myadmin|mysqladmin|dbadmin)") {
		return (synth(404, "Not found"));
	}
	if (req.url ~ "(?i)\.(bak|old|orig|swp|sql)$") {
		return (synth(404, "Not found"));
	}
	if (req.http.User-Agent ~ "(?i)(sqlmap|nikto|nessus|masscan|zgrab|dirbuster|wpscan|acunetix)") {
		return (synth(403, "Forbidden"));
	}

	# SEO crawlers take more than all of our visitors.
	if (req.http.User-Agent ~ "(?i)(ahrefsbot|semrushbot|mj12bot|dotbot|blexbot|serpstatbot|dataforseobot|petalbot)" &&
	    req.url != "/robots.txt") {
		return (synth(403, "Forbidden"));
	}

	# ------------------------------------------------------------------
	# Hosts that moved
	# ------------------------------------------------------------------
	if (req.http.Host == "example.com") {
		return (synth(751, "https://www.example.com"));
	} elsif (req.http.Host == "example.net" || req.http.Host == "www.example.net") {
		return (synth(751, "https://www.example.com"));
	} elsif (req.http.Host == "example.org" || req.http.Host == "www.example.org") {
		return (synth(751, "https://www.example.com"));
	} elsif (req.http.Host == "store.example.com") {
		return (synth(751, "https://shop.example.com"));
	} elsif (req.http.Host == "weblog.example.com" || req.http.Host == "news.example.com") {
		return (synth(751, "https://blog.example.com"));
	} elsif (req.http.Host == "boards.example.com") {
		return (synth(751, "https://forum.example.com"));
	} elsif (req.http.Host == "summer.example.com") {
		# The campaign of 2019: the page is gone, the posters are not.
		return (synth(750, "https://shop.example.com/sale"));
	}

	# ------------------------------------------------------------------
	# Which site is it, and who answers for it?
	# ------------------------------------------------------------------
	if (req.http.Host == "www.example.com") {
		set req.http.X-Site = "www";
		set req.backend_hint = web;
	} elsif (req.http.Host == "shop.example.com") {
		set req.http.X-Site = "shop";
		set req.backend_hint = shop;
	} elsif (req.http.Host == "shop.example.de") {
		set req.http.X-Site = "shop-de";
		set req.backend_hint = shop;
	} elsif (req.http.Host == "shop.example.fr") {
		set req.http.X-Site = "shop-fr";
		set req.backend_hint = shop;
	} elsif (req.http.Host == "blog.example.com") {
		set req.http.X-Site = "blog";
		set req.backend_hint = blog;
	} elsif (req.http.Host == "forum.example.com") {
		set req.http.X-Site = "forum";
		set req.backend_hint = forum;
	} elsif (req.http.Host == "docs.example.com") {
		set req.http.X-Site = "docs";
		set req.backend_hint = web;
	} elsif (req.http.Host == "jobs.example.com") {
		set req.http.X-Site = "jobs";
		set req.backend_hint = web;
	} elsif (req.http.Host == "search.example.com") {
		set req.http.X-Site = "search";
		set req.backend_hint = api;
	} elsif (req.http.Host == "api.example.com") {
		set req.http.X-Site = "api";
		set req.backend_hint = api;
	} elsif (req.http.Host ~ "^(static|img|cdn[0-9]*)\.example\.com$") {
		set req.http.X-Site = "static";
		set req.backend_hint = media;
	} elsif (req.http.Host == "m.example.com") {
		set req.http.X-Site = "mobile";
		set req.backend_hint = web;
	} elsif (req.http.Host ~ "\.staging\.example\.com$") {
		set req.http.X-Site = "staging";
		set req.backend_hint = web;
	} else {
		return (synth(404, "No such site"));
	}

	# Staging is for us.
	if (req.http.X-Site == "staging" && client.ip !~ office) {
		return (synth(403, "Forbidden"));
	}

	# Plain http, by way of the balancer
	if (req.http.X-Forwarded-Proto == "http" && req.http.X-Site == "shop") {
		return (synth(751, "https://shop.example.com"));
	}
	if (req.http.X-Forwarded-Proto == "http" && req.http.X-Site == "shop-de") {
		return (synth(751, "https://shop.example.de"));
	}
	if (req.http.X-Forwarded-Proto == "http" && req.http.X-Site == "shop-fr") {
		return (synth(751, "https://shop.example.fr"));
	}
	if (req.http.X-Forwarded-Proto == "http" && req.http.X-Site == "www") {
		return (synth(751, "https://www.example.com"));
	}

	# ------------------------------------------------------------------
	# Pages that moved
	# ------------------------------------------------------------------
	if (req.http.X-Site == "www") {
		if (req.url ~ "^/index\.(html?|php)$") {
			return (synth(750, "https://www.example.com/"));
		}
		if (req.url ~ "^/about-us") {
			return (synth(750, "https://www.example.com/company/"));
		}
		if (req.url ~ "^/(press|media-center)/") {
			return (synth(750, "https://www.example.com/newsroom/"));
		}
		if (req.url ~ "^/careers") {
			return (synth(750, "https://jobs.example.com/"));
		}
		if (req.url ~ "^/careers/internships") {
			return (synth(750, "https://jobs.example.com/internships"));
		}
		if (req.url ~ "^/support/manuals/") {
			return (synth(750, "https://docs.example.com/manuals/"));
		}
		if (req.url == "/imprint.php") {
			return (synth(750, "https://www.example.com/imprint"));
		}
	}
	if (req.http.X-Site == "shop") {
		if (req.url ~ "^/catalog\.php") {
			return (synth(750, "https://shop.example.com/all"));
		}
		if (req.url ~ "^/(specials|bargains|outlet)(/|$)") {
			return (synth(750, "https://shop.example.com/sale"));
		}
		if (req.url ~ "^/gift-?cards?$") {
			return (synth(750, "https://shop.example.com/vouchers"));
		}
		if (req.url ~ "^/c/[0-9]+-") {
			set req.url = regsub(req.url, "^/c/[0-9]+-", "/category/");
		}
	}
	if (req.http.X-Site == "shop-de") {
		if (req.url ~ "^/katalog\.php") {
			return (synth(750, "https://shop.example.de/all"));
		}
		if (req.url ~ "^/(angebote|schnaeppchen|restposten)(/|$)") {
			return (synth(750, "https://shop.example.de/sale"));
		}
		if (req.url ~ "^/gutscheine?$") {
			return (synth(750, "https://shop.example.de/vouchers"));
		}
	}
	if (req.http.X-Site == "shop-fr") {
		if (req.url ~ "^/catalogue\.php") {
			return (synth(750, "https://shop.example.fr/all"));
		}
		if (req.url ~ "^/(promotions|soldes|occasions)(/|$)") {
			return (synth(750, "https://shop.example.fr/sale"));
		}
		if (req.url ~ "^/cheques?-cadeaux?$") {
			return (synth(750, "https://shop.example.fr/vouchers"));
		}
	}
	if (req.http.X-Site == "forum") {
		# Threads of the old board keep their numbers.
		if (req.url ~ "^/showthread\.php\?tid=[0-9]+") {
			set req.url = regsub(req.url, "^/showthread\.php\?tid=", "/viewtopic?t=");
		}
		if (req.url ~ "^/(rules|faq)\.php") {
			return (synth(750, "https://forum.example.com/help"));
		}
		# Only spammers read the list of members.
		if (req.url ~ "^/memberlist" && req.http.Cookie !~ "(^|; *)forum_sid=") {
			return (synth(403, "Forbidden"));
		}
	}
	if (req.http.X-Site == "jobs") {
		if (req.url ~ "^/(stellen|emplois|vacancies)(/|$)") {
			return (synth(750, "https://jobs.example.com/"));
		}
	}
	if (req.http.X-Site == "blog") {
		if (req.url ~ "^/(feed|rss)\.xml$") {
			return (synth(750, "https://blog.example.com/feed/"));
		}
		if (req.url ~ "^/archives?/?$") {
			return (synth(750, "https://blog.example.com/all/"));
		}
	}
	if (req.http.X-Site == "docs") {
		set req.url = regsub(req.url, "^/v1/", "/1.x/");
		set req.url = regsub(req.url, "^/v2/", "/2.x/");
		if (req.url == "/" || req.url == "/latest" || req.url == "/latest/") {
			return (synth(750, "https://docs.example.com/2.x/"));
		}
	}

	# ------------------------------------------------------------------
	# Methods
	# ------------------------------------------------------------------
	if (req.http.Upgrade ~ "(?i)websocket") {
		return (pipe);
	}
	if (req.method != "GET" && req.method != "HEAD" &&
	    req.method != "PUT" && req.method != "POST" &&
	    req.method != "PATCH" && req.method != "OPTIONS" &&
	    req.method != "DELETE") {
		return (synth(405, "Method not allowed"));
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	if (req.http.Authorization) {
		return (pass);
	}

	# ------------------------------------------------------------------
	# Campaigns in the URL
	# ------------------------------------------------------------------
	if (req.http.X-Site == "www" || req.http.X-Site == "docs" ||
	    req.http.X-Site == "jobs") {
		if (req.url ~ "(\?|&)(utm_source|utm_medium|utm_campaign|utm_term|utm_content|gclid|fbclid)=") {
			set req.url = regsuball(req.url,
			    "([?&])(utm_source|utm_medium|utm_campaign|utm_term|utm_content|gclid|fbclid)=[^&]*(?=&|$)",
			    "\1");
			set req.url = regsuball(req.url, "&&+", "&");
			set req.url = regsub(req.url, "\?&", "?");
			set req.url = regsub(req.url, "[?&]$", "");
		}
	}
	if (req.http.X-Site ~ "^shop") {
		# Without fbclid: that came later, and only in the other copies.
		if (req.url ~ "(\?|&)(utm_source|utm_medium|utm_campaign|utm_term|utm_content|gclid|affid|pid)=") {
			set req.url = regsuball(req.url,
			    "([?&])(utm_source|utm_medium|utm_campaign|utm_term|utm_content|gclid|affid|pid)=[^&]*(?=&|$)",
			    "\1");
			set req.url = regsuball(req.url, "&&+", "&");
			set req.url = regsub(req.url, "\?&", "?");
			set req.url = regsub(req.url, "[?&]$", "");
		}
	}
	if (req.http.X-Site == "blog") {
		if (req.url ~ "(\?|&)(utm_source|utm_medium|utm_campaign|gclid|fbclid|replytocom)=") {
			set req.url = regsuball(req.url,
			    "([?&])(utm_source|utm_medium|utm_campaign|gclid|fbclid|replytocom)=[^&]*(?=&|$)",
			    "\1");
			set req.url = regsuball(req.url, "&&+", "&");
			set req.url = regsub(req.url, "\?&", "?");
			set req.url = regsub(req.url, "[?&]$", "");
		}
	}
	if (req.http.X-Site == "forum") {
		if (req.url ~ "(\?|&)(utm_source|utm_medium|utm_campaign|gclid|fbclid|highlight|s)=") {
			set req.url = regsuball(req.url,
			    "([?&])(utm_source|utm_medium|utm_campaign|gclid|fbclid|highlight|s)=[^&]*(?=&|$)",
			    "\1");
			set req.url = regsuball(req.url, "&&+", "&");
			set req.url = regsub(req.url, "\?&", "?");
			set req.url = regsub(req.url, "[?&]$", "");
		}
	}

	# ------------------------------------------------------------------
	# Static files
	# ------------------------------------------------------------------
	if (req.http.X-Site == "static") {
		unset req.http.Cookie;
		return (hash);
	}
	if (req.url ~ "\.(css|js|map|ico|svg|woff|woff2|ttf|eot)$") {
		unset req.http.Cookie;
		return (hash);
	}
	if (req.url ~ "\.(jpg|jpeg|png|gif|webp)$") {
		unset req.http.Cookie;
		return (hash);
	}
	if (req.url ~ "\.(mp3|mp4|webm|ogg|pdf|zip|gz)$") {
		unset req.http.Cookie;
		unset req.http.Accept-Encoding;
		return (hash);
	}

	# ------------------------------------------------------------------
	# Devices
	# ------------------------------------------------------------------
	if (req.http.User-Agent ~ "(?i)(googlebot|bingbot|yandexbot|baiduspider|duckduckbot|slurp|applebot)") {
		set req.http.X-Device = "bot";
	} elsif (req.http.User-Agent ~ "(?i)(smart-?tv|appletv|hbbtv|roku|bravia|crkey)") {
		set req.http.X-Device = "tv";
	} elsif (req.http.User-Agent ~ "(?i)(ipad|kindle|silk/|playbook)") {
		set req.http.X-Device = "tablet";
	} elsif (req.http.User-Agent ~ "(?i)(iphone|ipod|blackberry|windows phone|opera mini|symbian|nokia)") {
		set req.http.X-Device = "phone";
	} elsif (req.http.User-Agent ~ "(?i)android.*mobile") {
		set req.http.X-Device = "phone";
	} elsif (req.http.User-Agent ~ "(?i)android") {
		set req.http.X-Device = "tablet";
	} else {
		set req.http.X-Device = "pc";
	}

	# Phones go to the mobile site, unless they came from there.
	if (req.http.X-Site == "www" && req.http.X-Device == "phone" &&
	    req.url ~ "^/(\?|$)" && req.http.Cookie !~ "(^|; *)fullsite=1(;|$)") {
		return (synth(752, "https://m.example.com"));
	}
	if (req.http.X-Site == "www" && req.http.X-Device == "phone" &&
	    req.url ~ "^/products/" && req.http.Cookie !~ "(^|; *)fullsite=1(;|$)") {
		return (synth(752, "https://m.example.com"));
	}

	# ------------------------------------------------------------------
	# Languages: the pages of www and docs are there in three
	# ------------------------------------------------------------------
	if (req.http.X-Site == "www" || req.http.X-Site == "docs") {
		if (req.http.Accept-Language ~ "^de") {
			set req.http.X-Lang = "de";
		} elsif (req.http.Accept-Language ~ "^fr") {
			set req.http.X-Lang = "fr";
		} else {
			set req.http.X-Lang = "en";
		}
	}
	unset req.http.Accept-Language;

	# ------------------------------------------------------------------
	# www
	# ------------------------------------------------------------------
	if (req.http.X-Site == "www") {
		if (req.url ~ "^/(login|logout|account)(/|\?|$)") {
			return (pass);
		}
		if (req.url ~ "^/(contact|newsletter)/(form|confirm)") {
			return (pass);
		}
		if (req.url ~ "^/preview/") {
			if (client.ip !~ office) {
				return (synth(403, "Forbidden"));
			}
			return (pass);
		}
		if (req.http.Cookie ~ "(^|; *)member=") {
			set req.http.X-Logged-In = "yes";
			return (pass);
		}
		unset req.http.Cookie;
		return (hash);
	}

	# ------------------------------------------------------------------
	# The shops
	# ------------------------------------------------------------------
	if (req.http.X-Site == "shop") {
		if (req.url ~ "^/(cart|checkout|account|wishlist)(/|\?|$)") {
			return (pass);
		}
		if (req.url ~ "^/ajax/" || req.url ~ "^/payment/") {
			return (pass);
		}
		if (req.http.Cookie ~ "(^|; *)cart=") {
			return (pass);
		}
		if (req.http.Cookie ~ "(^|; *)session=") {
			return (pass);
		}
		unset req.http.Cookie;
		return (hash);
	}
	if (req.http.X-Site == "shop-de") {
		if (req.url ~ "^/(warenkorb|kasse|konto|merkzettel)(/|\?|$)") {
			return (pass);
		}
		if (req.url ~ "^/ajax/" || req.url ~ "^/payment/") {
			return (pass);
		}
		if (req.http.Cookie ~ "(^|; *)cart=") {
			return (pass);
		}
		if (req.http.Cookie ~ "(^|; *)session=") {
			return (pass);
		}
		unset req.http.Cookie;
		return (hash);
	}
	if (req.http.X-Site == "shop-fr") {
		if (req.url ~ "^/(panier|caisse|compte|favoris)(/|\?|$)") {
			return (pass);
		}
		if (req.url ~ "^/ajax/" || req.url ~ "^/payment/") {
			return (pass);
		}
		if (req.http.Cookie ~ "(^|; *)cart=") {
			return (pass);
		}
		if (req.http.Cookie ~ "(^|; *)session=") {
			return (pass);
		}
		unset req.http.Cookie;
		return (hash);
	}

	# ------------------------------------------------------------------
	# The blog is WordPress
	# ------------------------------------------------------------------
	if (req.http.X-Site == "blog") {
		if (req.url == "/xmlrpc.php") {
			return (synth(403, "Forbidden"));
		}
		if (req.url ~ "^/wp-(login|admin|cron)") {
			if (client.ip !~ office) {
				return (synth(403, "Forbidden"));
			}
			return (pass);
		}
		if (req.url ~ "(\?|&)preview=true") {
			return (pass);
		}
		if (req.http.Cookie ~ "(wordpress_logged_in_|wp-postpass_|comment_author_)") {
			return (pass);
		}
		unset req.http.Cookie;
		return (hash);
	}

	# ------------------------------------------------------------------
	# The forum
	# ------------------------------------------------------------------
	if (req.http.X-Site == "forum") {
		if (req.url ~ "^/(ucp|mcp|adm|posting)(\.php)?(/|\?|$)") {
			return (pass);
		}
		if (req.http.Cookie ~ "(^|; *)forum_sid=") {
			set req.http.X-Logged-In = "yes";
			return (pass);
		}
		unset req.http.Cookie;
		return (hash);
	}

	# ------------------------------------------------------------------
	# The rest
	# ------------------------------------------------------------------
	if (req.http.X-Site == "api" || req.http.X-Site == "staging") {
		return (pass);
	}
	if (req.http.X-Site == "jobs") {
		if (req.url ~ "^/apply(/|\?|$)") {
			return (pass);
		}
		unset req.http.Cookie;
		return (hash);
	}

	# docs, mobile, search
	unset req.http.Cookie;
	return (hash);
}

sub vcl_synth {
	# A page that moved, a host that moved, a phone: what is in the reason,
	# without or with the path.
	if (resp.status == 750) {
		set resp.http.Location = resp.reason;
		set resp.status = 301;
		set resp.reason = "Moved Permanently";
		return (deliver);
	}
	if (resp.status == 751) {
		set resp.http.Location = resp.reason + req.url;
		set resp.status = 301;
		set resp.reason = "Moved Permanently";
		return (deliver);
	}
	if (resp.status == 752) {
		set resp.http.Location = resp.reason + req.url;
		set resp.status = 302;
		set resp.reason = "Found";
		return (deliver);
	}
}
