vcl 4.1;

/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The article's configuration as it was: 30 hosts behind one Varnish, and a
 * vcl_recv that grew with them.  Four chains of if and elsif ask for the host,
 * 32 times in all; six blocks send phones to the mobile site, with the 120
 * words of an alternation that is there four times and of another that is
 * there twice; twenty clean-ups, (1) to (20), keep the cache from storing one
 * page under many names.
 *
 * after.vcl is the same policy with fastmatch, with the same numbers at the
 * same clean-ups.  Both decide the same; what they differ in is listed there.
 */

import std;

backend www { .host = "127.0.0.1"; .port = "8081"; }
backend media { .host = "127.0.0.1"; .port = "8082"; }
backend shop { .host = "127.0.0.1"; .port = "8083"; }
backend wiki { .host = "127.0.0.1"; .port = "8084"; }
backend mobile { .host = "127.0.0.1"; .port = "8085"; }
backend api { .host = "127.0.0.1"; .port = "8086"; }

# After a parameter was taken out of X-Query: no separator without one.
sub tidy_query {
	set req.http.X-Query = regsuball(req.http.X-Query, "&&+", "&");
	set req.http.X-Query = regsub(req.http.X-Query, "&$", "");
}

# Before cookies are taken out: the separators as a browser writes them; and
# after it: no separator without a cookie.
sub even_cookies {
	set req.http.Cookie = regsuball(req.http.Cookie,
	    "[ \t]*;[ \t;]*", "; ");
}

sub tidy_cookies {
	set req.http.Cookie = regsub(req.http.Cookie, "^; ", "");
	set req.http.Cookie = regsub(req.http.Cookie, "; $", "");
	if (req.http.Cookie == "") {
		unset req.http.Cookie;
	}
}

sub vcl_recv {
	# (1) The host in one spelling: lower case, no port, no last dot.
	set req.http.Host = regsub(std.tolower(req.http.Host),
	    "\.?(:[0-9]*)?$", "");

	# Whose site is it?  The busiest first.
	if (req.http.Host == "www.example.com" ||
	    req.http.Host == "example.com") {
		set req.backend_hint = www;
		set req.http.X-Site = "www";
	} elsif (req.http.Host == "media.example.com" ||
	    req.http.Host == "static.example.com" ||
	    req.http.Host == "img.example.com" ||
	    req.http.Host == "media.example.net" ||
	    req.http.Host == "download.example.net") {
		set req.backend_hint = media;
		set req.http.X-Site = "media";
	} elsif (req.http.Host == "m.example.com" ||
	    req.http.Host == "m.example.net" ||
	    req.http.Host == "m.example.org" ||
	    req.http.Host ~ "^([a-z0-9_-]+\.)*m\.wiki\.example$") {
		set req.backend_hint = mobile;
		set req.http.X-Site = "mobile";
	} elsif (req.http.Host ~ "^([a-z0-9_-]+\.)*wiki\.example$") {
		set req.backend_hint = wiki;
		set req.http.X-Site = "wiki";
	} elsif (req.http.Host == "www.example.net" ||
	    req.http.Host == "example.net") {
		set req.backend_hint = www;
		set req.http.X-Site = "net";
	} elsif (req.http.Host == "games.example.net") {
		set req.backend_hint = www;
		set req.http.X-Site = "games";
	} elsif (req.http.Host == "news.example.com") {
		set req.backend_hint = www;
		set req.http.X-Site = "news";
	} elsif (req.http.Host == "tv.example.com" ||
	    req.http.Host == "blog.example.com") {
		set req.backend_hint = www;
		set req.http.X-Site = "pages";
	} elsif (req.http.Host == "forum.example.com") {
		set req.backend_hint = www;
		set req.http.X-Site = "forum";
	} elsif (req.http.Host ~ "^(shop|secure)\.example\.com$") {
		set req.backend_hint = shop;
		set req.http.X-Site = "shop";
	} elsif (req.http.Host == "search.example.com") {
		set req.backend_hint = api;
		set req.http.X-Site = "search";
	} elsif (req.http.Host ~ "^(www\.|docs\.)?example\.org$") {
		set req.backend_hint = www;
		set req.http.X-Site = "org";
	} elsif (req.http.Host == "intranet.example.org") {
		set req.backend_hint = www;
		set req.http.X-Site = "intranet";
	} elsif (req.http.Host == "api.example.com" ||
	    req.http.Host ~ "^([a-z0-9_-]+\.)+staging\.example\.com$") {
		set req.backend_hint = api;
		set req.http.X-Site = "api";
	} else {
		return (synth(404, "Unknown virtual host"));
	}

	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}
	if (req.http.Authorization) {
		return (pass);
	}

	# (2) (3) A client's reload does not empty a primed cache.
	unset req.http.Cache-Control;
	unset req.http.Pragma;

	# The query apart from the path, with an & before every parameter: one
	# expression then fits the first one and the others.
	unset req.http.X-Query;
	if (req.url ~ "\?") {
		set req.http.X-Query = "&" + regsub(req.url, "^[^?]*\?", "");
		set req.url = regsub(req.url, "\?.*$", "");
	}

	# (4) Where the visitor came from: campaigns,
	if (req.http.X-Query ~ "&utm_[^=&]*(=|&|$)") {
		set req.http.X-Query = regsuball(req.http.X-Query,
		    "&utm_[^=&]*(=[^&]*)?(?=&|$)", "");
		call tidy_query;
	}
	# (5) advertisements.
	if (req.http.X-Query ~ "&(gclid|gclsrc|dclid|yclid)(=|&|$)") {
		set req.http.X-Query = regsuball(req.http.X-Query,
		    "&(gclid|gclsrc|dclid|yclid)(=[^&]*)?(?=&|$)", "");
		call tidy_query;
	}
	# (6) jQuery's cache buster: ?_=1354844750363
	if (req.http.X-Query ~ "&_(=|&|$)") {
		set req.http.X-Query = regsuball(req.http.X-Query,
		    "&_(=[^&]*)?(?=&|$)", "");
		call tidy_query;
	}
	# (7) Sessions do not belong in a URL.
	if (req.http.X-Query ~ "&(PHPSESSID|jsessionid|CFID|CFTOKEN)(=|&|$)") {
		set req.http.X-Query = regsuball(req.http.X-Query,
		    "&(PHPSESSID|jsessionid|CFID|CFTOKEN)(=[^&]*)?(?=&|$)",
		    "");
		call tidy_query;
	}

	# (8) What is compressed already; (9) one spelling for everything else.
	if (req.http.Accept-Encoding) {
		if (req.url ~ "\.(jpe?g|png|gif|ico|mp[34]|flv|swf|gz|zip)$") {
			unset req.http.Accept-Encoding;
		} elsif (req.http.Accept-Encoding ~ "gzip") {
			set req.http.Accept-Encoding = "gzip";
		} elsif (req.http.Accept-Encoding ~ "deflate") {
			set req.http.Accept-Encoding = "deflate";
		} else {
			unset req.http.Accept-Encoding;
		}
	}

	# (10) Files are the same for everyone.
	if (req.url ~ "\.(jpe?g|png|gif|ico|mp[34]|flv|swf|gz|zip|css|js)$") {
		unset req.http.Cookie;
	}
	# (11) Cookies that only scripts in the page read.
	if (req.http.Cookie ~
	    "(^|;)[ \t]*(__utm[^=;]*|_ga|_gat|has_js)[ \t]*(=|;|$)") {
		call even_cookies;
		set req.http.Cookie = regsuball(req.http.Cookie,
		    "(^|; )(__utm[^=;]*|_ga|_gat|has_js)[ \t]*(=[^;]*)?(?=;|$)",
		    "");
		call tidy_cookies;
	}
	# (12) No cookie, no header: an empty one would count as a cookie.
	if (req.http.Cookie ~ "^[; \t]*$") {
		unset req.http.Cookie;
	}

	# Clean-ups of one site each.
	if (req.http.Host == "news.example.com") {
		# (13)
		if (req.http.X-Query ~ "&(ref|src)(=|&|$)") {
			set req.http.X-Query = regsuball(req.http.X-Query,
			    "&(ref|src)(=[^&]*)?(?=&|$)", "");
			call tidy_query;
		}
	} elsif (req.http.Host ~ "^([a-z0-9_-]+\.)*wiki\.example$") {
		# (14)
		if (req.http.X-Query ~ "&(printable|useskin)(=|&|$)") {
			set req.http.X-Query = regsuball(req.http.X-Query,
			    "&(printable|useskin)(=[^&]*)?(?=&|$)", "");
			call tidy_query;
		}
	} elsif (req.http.Host == "shop.example.com") {
		# (15)
		if (req.http.X-Query ~ "&(aff[^=&]*|pid)(=|&|$)") {
			set req.http.X-Query = regsuball(req.http.X-Query,
			    "&(aff[^=&]*|pid)(=[^&]*)?(?=&|$)", "");
			call tidy_query;
		}
	} elsif (req.http.Host == "games.example.net") {
		# (16)
		if (req.http.X-Query ~ "&(r|rand|nocache)(=|&|$)") {
			set req.http.X-Query = regsuball(req.http.X-Query,
			    "&(r|rand|nocache)(=[^&]*)?(?=&|$)", "");
			call tidy_query;
		}
	} elsif (req.http.Host == "docs.example.org") {
		# (17)
		if (req.http.X-Query ~ "&(highlight|print)(=|&|$)") {
			set req.http.X-Query = regsuball(req.http.X-Query,
			    "&(highlight|print)(=[^&]*)?(?=&|$)", "");
			call tidy_query;
		}
	} elsif (req.http.Host == "search.example.com") {
		# (18) Only what the search reads.
		if (req.http.X-Query ~ "&(?!(q|page|lang|sort)(=|&|$))[^&]") {
			set req.http.X-Query = regsuball(req.http.X-Query,
			    "&(?!(q|page|lang|sort)(=|&|$))[^&]+", "");
			call tidy_query;
		}
	} elsif (req.http.Host == "download.example.net") {
		# (19) No query at all.
		if (req.http.X-Query ~ "[^&]") {
			set req.http.X-Query = "";
		}
	}

	# Path and query together again.
	if (req.http.X-Query) {
		set req.url = req.url + regsub(req.http.X-Query, "^&", "?");
		unset req.http.X-Query;
	}

	# Phones go to the mobile site, from the front page and from the old
	# pages, unless somebody there chose the full site.
	if ((req.http.Host == "www.example.com" ||
	    req.http.Host == "example.com") &&
	    req.url ~ "^/([^?]*\.cfm)?(\?|$)" &&
	    req.http.User-Agent ~ "NOKIA|Nokia|Series40|Series60|Series80|Series90|SymbOS|Symbian|EricssonA|EricssonR|EricssonT|SEMC-Browser|SonyEricsson|BENQ-|BenQ-|SIE-|ALCATEL|Alcatel|Neonode|PHILIPS-|Philips-FISIO|SAGEM|SENDO|Sagem|Sendo|TELIT|TSM-|Telit|SAMSUNG-|SCH-|SEC-SGH|SGH-|SPH-|Samsung-S|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|LG-|LG/U|LGE-|Hitachi-|KWC-|KYOCERA|Kyocera|Mitsu/|NEC-|Panasonic-|SANYO|SHARP-TQ|Sanyo-SCP|Sharp-GX|Trium|DDIPOCKET|DoCoMo|J-PHONE|KDDI-|SoftBank/|Vodafone/|WILLCOM|portalmmm|AMOI|AUDIOVOX|Amoi|Audiovox|BIRD\.|HUAWEI|Haier-|Huawei|LENOVO-|PANTECH|Pantech|ZTE-|dopod|BlackBerry|Danger hiptop|iPhone|iPod|Blazer/|Elaine/|EudoraWeb|PalmOS|PalmSource|Treo|Xiino|240x320|320x240|HTC-|HTC_|IEMobile|O2 Xda|Qtek|SPV C|SPV M|Windows CE|Windows Mobile|Windows Phone|i-mate|AvantGo|BOLT/|CLDC|Dolfin/|Fennec|Jataayu|MAUI WAP|MAUI_WAP|MIDP|Minimo|NetFront|Obigo|Opera Mini|Opera Mobi|POLARIS|Polaris/|Skyfire|Teleca|UCWEB|UP\.Browser|UP\.Link" &&
	    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
		return (synth(752, "http://m.example.com"));
	} elsif (req.http.Host ~ "^news\.example\.com$" &&
	    req.url ~ "^/([^?]*\.cfm)?(\?|$)" &&
	    req.http.User-Agent ~ "NOKIA|Nokia|Series40|Series60|Series80|Series90|SymbOS|Symbian|EricssonA|EricssonR|EricssonT|SEMC-Browser|SonyEricsson|BENQ-|BenQ-|SIE-|ALCATEL|Alcatel|Neonode|PHILIPS-|Philips-FISIO|SAGEM|SENDO|Sagem|Sendo|TELIT|TSM-|Telit|SAMSUNG-|SCH-|SEC-SGH|SGH-|SPH-|Samsung-S|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|LG-|LG/U|LGE-|Hitachi-|KWC-|KYOCERA|Kyocera|Mitsu/|NEC-|Panasonic-|SANYO|SHARP-TQ|Sanyo-SCP|Sharp-GX|Trium|DDIPOCKET|DoCoMo|J-PHONE|KDDI-|SoftBank/|Vodafone/|WILLCOM|portalmmm|AMOI|AUDIOVOX|Amoi|Audiovox|BIRD\.|HUAWEI|Haier-|Huawei|LENOVO-|PANTECH|Pantech|ZTE-|dopod|BlackBerry|Danger hiptop|iPhone|iPod|Blazer/|Elaine/|EudoraWeb|PalmOS|PalmSource|Treo|Xiino|240x320|320x240|HTC-|HTC_|IEMobile|O2 Xda|Qtek|SPV C|SPV M|Windows CE|Windows Mobile|Windows Phone|i-mate|AvantGo|BOLT/|CLDC|Dolfin/|Fennec|Jataayu|MAUI WAP|MAUI_WAP|MIDP|Minimo|NetFront|Obigo|Opera Mini|Opera Mobi|POLARIS|Polaris/|Skyfire|Teleca|UCWEB|UP\.Browser|UP\.Link" &&
	    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
		return (synth(752, "http://m.example.com/news"));
	} elsif (req.http.Host ~ "^(www\.)?example\.net$" &&
	    req.url ~ "^/([^?]*\.cfm)?(\?|$)" &&
	    req.http.User-Agent ~ "NOKIA|Nokia|Series40|Series60|Series80|Series90|SymbOS|Symbian|EricssonA|EricssonR|EricssonT|SEMC-Browser|SonyEricsson|BENQ-|BenQ-|SIE-|ALCATEL|Alcatel|Neonode|PHILIPS-|Philips-FISIO|SAGEM|SENDO|Sagem|Sendo|TELIT|TSM-|Telit|SAMSUNG-|SCH-|SEC-SGH|SGH-|SPH-|Samsung-S|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|LG-|LG/U|LGE-|Hitachi-|KWC-|KYOCERA|Kyocera|Mitsu/|NEC-|Panasonic-|SANYO|SHARP-TQ|Sanyo-SCP|Sharp-GX|Trium|DDIPOCKET|DoCoMo|J-PHONE|KDDI-|SoftBank/|Vodafone/|WILLCOM|portalmmm|AMOI|AUDIOVOX|Amoi|Audiovox|BIRD\.|HUAWEI|Haier-|Huawei|LENOVO-|PANTECH|Pantech|ZTE-|dopod|BlackBerry|Danger hiptop|iPhone|iPod|Blazer/|Elaine/|EudoraWeb|PalmOS|PalmSource|Treo|Xiino|240x320|320x240|HTC-|HTC_|IEMobile|O2 Xda|Qtek|SPV C|SPV M|Windows CE|Windows Mobile|Windows Phone|i-mate|AvantGo|BOLT/|CLDC|Dolfin/|Fennec|Jataayu|MAUI WAP|MAUI_WAP|MIDP|Minimo|NetFront|Obigo|Opera Mini|Opera Mobi|POLARIS|Polaris/|Skyfire|Teleca|UCWEB|UP\.Browser|UP\.Link" &&
	    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
		return (synth(752, "http://m.example.net"));
	} elsif (req.http.Host ~ "^(www\.)?example\.org$" &&
	    req.url ~ "^/([^?]*\.cfm)?(\?|$)" &&
	    req.http.User-Agent ~ "NOKIA|Nokia|Series40|Series60|Series80|Series90|SymbOS|Symbian|EricssonA|EricssonR|EricssonT|SEMC-Browser|SonyEricsson|BENQ-|BenQ-|SIE-|ALCATEL|Alcatel|Neonode|PHILIPS-|Philips-FISIO|SAGEM|SENDO|Sagem|Sendo|TELIT|TSM-|Telit|SAMSUNG-|SCH-|SEC-SGH|SGH-|SPH-|Samsung-S|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|LG-|LG/U|LGE-|Hitachi-|KWC-|KYOCERA|Kyocera|Mitsu/|NEC-|Panasonic-|SANYO|SHARP-TQ|Sanyo-SCP|Sharp-GX|Trium|DDIPOCKET|DoCoMo|J-PHONE|KDDI-|SoftBank/|Vodafone/|WILLCOM|portalmmm|AMOI|AUDIOVOX|Amoi|Audiovox|BIRD\.|HUAWEI|Haier-|Huawei|LENOVO-|PANTECH|Pantech|ZTE-|dopod|BlackBerry|Danger hiptop|iPhone|iPod|Blazer/|Elaine/|EudoraWeb|PalmOS|PalmSource|Treo|Xiino|240x320|320x240|HTC-|HTC_|IEMobile|O2 Xda|Qtek|SPV C|SPV M|Windows CE|Windows Mobile|Windows Phone|i-mate|AvantGo|BOLT/|CLDC|Dolfin/|Fennec|Jataayu|MAUI WAP|MAUI_WAP|MIDP|Minimo|NetFront|Obigo|Opera Mini|Opera Mobi|POLARIS|Polaris/|Skyfire|Teleca|UCWEB|UP\.Browser|UP\.Link" &&
	    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
		return (synth(752, "http://m.example.org"));
	} elsif (req.http.Host == "games.example.net" &&
	    req.url ~ "^/([^?]*\.cfm)?(\?|$)" &&
	    req.http.User-Agent ~ "240x320|320x240|ALCATEL|AMOI|AUDIOVOX|Alcatel|Amoi|Audiovox|BENQ-|BOLT/|BenQ-|BlackBerry|Blazer/|CLDC|DoCoMo|Dolfin/|EricssonT|Fennec|HTC-|HTC_|HUAWEI|Haier-|Hitachi-|Huawei|IEMobile|J-PHONE|KDDI-|KWC-|KYOCERA|Kyocera|LENOVO-|LG-|LG/U|LGE-|MAUI WAP|MAUI_WAP|MIDP|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|NEC-|NOKIA|NetFront|Nokia|Obigo|Opera Mini|Opera Mobi|PANTECH|PHILIPS-|POLARIS|PalmOS|PalmSource|Panasonic-|Pantech|Philips-FISIO|Polaris/|SAGEM|SAMSUNG-|SANYO|SCH-|SEC-SGH|SEMC-Browser|SENDO|SGH-|SHARP-TQ|SIE-|SPH-|Sagem|Samsung-S|Sanyo-SCP|Sendo|Series40|Series60|Series80|Sharp-GX|Skyfire|SoftBank/|SonyEricsson|SymbOS|Symbian|TELIT|Teleca|Telit|Treo|UCWEB|UP\.Browser|UP\.Link|Vodafone/|WILLCOM|Windows CE|Windows Mobile|Windows Phone|ZTE-|dopod|i-mate|iPhone|iPod|portalmmm|ARCHOS|Android|BB10|BREW|Bada/|Dell Streak|Kindle|Maemo|MeeGo|Nintendo 3DS|Nintendo DS|PlayBook|PlayStation Portable|PlayStation Vita|Silk/|Tizen|XOOM|hpwOS/|iPad|webOS/" &&
	    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
		return (synth(752, "http://m.example.net/games"));
	} elsif (req.http.Host ~ "^([a-z0-9_-]+\.)*wiki\.example$" &&
	    req.http.Host !~ "(^|\.)m\.wiki\.example$" &&
	    req.url ~ "^/([^?]*\.cfm)?(\?|$)" &&
	    req.http.User-Agent ~ "240x320|320x240|ALCATEL|AMOI|AUDIOVOX|Alcatel|Amoi|Audiovox|BENQ-|BOLT/|BenQ-|BlackBerry|Blazer/|CLDC|DoCoMo|Dolfin/|EricssonT|Fennec|HTC-|HTC_|HUAWEI|Haier-|Hitachi-|Huawei|IEMobile|J-PHONE|KDDI-|KWC-|KYOCERA|Kyocera|LENOVO-|LG-|LG/U|LGE-|MAUI WAP|MAUI_WAP|MIDP|MOT-|MOTOKRZR|MOTORAZR|MOTOROKR|Motorola|NEC-|NOKIA|NetFront|Nokia|Obigo|Opera Mini|Opera Mobi|PANTECH|PHILIPS-|POLARIS|PalmOS|PalmSource|Panasonic-|Pantech|Philips-FISIO|Polaris/|SAGEM|SAMSUNG-|SANYO|SCH-|SEC-SGH|SEMC-Browser|SENDO|SGH-|SHARP-TQ|SIE-|SPH-|Sagem|Samsung-S|Sanyo-SCP|Sendo|Series40|Series60|Series80|Sharp-GX|Skyfire|SoftBank/|SonyEricsson|SymbOS|Symbian|TELIT|Teleca|Telit|Treo|UCWEB|UP\.Browser|UP\.Link|Vodafone/|WILLCOM|Windows CE|Windows Mobile|Windows Phone|ZTE-|dopod|i-mate|iPhone|iPod|portalmmm|ARCHOS|Android|BB10|BREW|Bada/|Dell Streak|Kindle|Maemo|MeeGo|Nintendo 3DS|Nintendo DS|PlayBook|PlayStation Portable|PlayStation Vita|Silk/|Tizen|XOOM|hpwOS/|iPad|webOS/" &&
	    req.http.Cookie !~ "(^|; *)stopMobileRedirect=true(;|$)") {
		return (synth(752, "http://" + regsub(req.http.Host,
		    "wiki\.example$", "m.wiki.example")));
	}

	# (20) Cookies: who needs which, and who is never cached.
	if (req.http.Host ~ "^(secure|api)\.example\.com$" ||
	    req.http.Host == "intranet.example.org" ||
	    req.http.Host ~ "\.staging\.example\.com$") {
		return (pass);
	} elsif (req.http.Host == "forum.example.com") {
		if (req.http.Cookie ~ "(^|; *)forum_session=") {
			return (pass);
		}
		unset req.http.Cookie;
	} elsif (req.http.Host == "shop.example.com") {
		if (req.http.Cookie ~ "(^|;)[ \t]*(?!(session|cart|currency)[ \t]*(=|;|$))[^; \t]") {
			call even_cookies;
			set req.http.Cookie = regsuball(req.http.Cookie,
			    "(^|; )(?!(session|cart|currency)[ \t]*(=|;|$))[^;]+",
			    "");
			call tidy_cookies;
		}
		if (req.url ~ "^/(cart|checkout|account)(/|\?|$)") {
			return (pass);
		}
		unset req.http.Cookie;
	} elsif (req.http.Host ~ "^([a-z0-9_-]+\.)*m\.wiki\.example$") {
		unset req.http.Cookie;
	} elsif (req.http.Host ~ "^([a-z0-9_-]+\.)*wiki\.example$") {
		if (req.http.Cookie ~ "(^|;)[ \t]*(?!wiki[^=;]*(=|;|$))[^; \t]") {
			call even_cookies;
			set req.http.Cookie = regsuball(req.http.Cookie,
			    "(^|; )(?!wiki[^=;]*(=|;|$))[^;]+", "");
			call tidy_cookies;
		}
		if (req.http.Cookie) {
			return (pass);
		}
	} else {
		unset req.http.Cookie;
	}

	return (hash);
}

sub vcl_synth {
	if (resp.status == 752) {
		set resp.http.Location = resp.reason + req.url;
		set resp.status = 302;
		set resp.reason = "Found";
		return (deliver);
	}
}
